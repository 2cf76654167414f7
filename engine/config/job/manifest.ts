/**
 * Jobs in YAML that name their GPU by keys of their own: Kubernetes' node selectors and `nvidia.com/gpu`, dstack's `resources.gpu`,
 * the types of machines of Azure ML, SageMaker, Vertex and Ray.
 */
import { wordSet } from '../../base/word-list.ts'
import { findGpu } from '../../gpus/catalogue.ts'
import type { SourceFile } from '../reading.ts'
import { parseFile } from '../text/document.ts'
import type { Field, FieldValue, Section } from '../text/section.ts'
import { acceleratorCard, machineOf } from './instance-types.ts'
import { mayAskByKeys } from './quick-look.ts'
import { type AskedCard, type AskedNumber, askedCard, type JobRequest, severalCards } from './request.ts'

/** Keys whose value names a card. */
const cardKeys: ReadonlySet<string> = wordSet(`
  nvidia.com/gpu.product cloud.google.com/gke-accelerator karpenter.k8s.aws/instance-gpu-name accelerator_type acceleratorType
`)
/** Keys whose value is a type of machine. */
const machineKeys: ReadonlySet<string> = wordSet(`
  node.kubernetes.io/instance-type beta.kubernetes.io/instance-type instance_type instanceType InstanceType vm_size machine_type
  machineType
`)
const countKeys: ReadonlySet<string> = new Set(['nvidia.com/gpu', 'accelerator_count', 'acceleratorCount'])
/** Machines: more than one of them is several. */
const machinesKeys: ReadonlySet<string> = wordSet(`
  replicas parallelism completions nodes num_nodes instance_count instanceCount node_count replicaCount
`)

const LEVELS = 14
const MAX_SECTIONS = 500

/** Undefined for what asks for none. */
export function manifestRequest(file: SourceFile): JobRequest | undefined {
  if (!mayAskByKeys(file.text)) return undefined
  const parsed = parseFile(file)
  if (parsed.kind !== 'document') return undefined
  const sections = parsed.mappings.flatMap(each => sectionsIn(each)).slice(0, MAX_SECTIONS)
  const fields = sections.flatMap(section => [...section.fields.values()])
  const offsetOf = offsets(file.text)
  const cards = fields.flatMap(field => cardsIn(field))
  const counts = [...fields.flatMap(field => countsIn(field)), ...cards.flatMap(card => card.counted ?? [])]
  if (cards.length === 0 && counts.length === 0) return undefined
  const [count] = counts
  const isOneNumber = counts.every(each => each.count === count?.count)
  const gpusPerNode: AskedNumber | undefined =
    count !== undefined && isOneNumber
      ? { count: count.count, by: count.field.key, from: offsetOf(count.field) }
      : undefined
  return {
    card: cardOf(file.path, cards),
    gpusPerNode,
    isOneMachine: fields.filter(({ key }) => machinesKeys.has(key)).every(({ source }) => source === '1'),
    variables: new Map(),
  }
}

interface Named {
  readonly name: string
  /** Whether that is the card's id in the catalogue. */
  readonly isId: boolean
  readonly field: Pick<Field, 'key' | 'at'>
  /** How many, where its machine has so many. */
  readonly counted?: Counted
}

interface Counted {
  readonly count: number
  readonly field: Pick<Field, 'key' | 'at'>
}

function cardsIn(field: Field): readonly Named[] {
  const { key, value } = field
  if (key === 'gpu') return ofDstack(field)
  if (cardKeys.has(key)) {
    return textsOf(value).map(text => {
      const id = acceleratorCard(text)
      return { name: id ?? text, isId: id !== undefined, field }
    })
  }
  // `matchExpressions: [{ key: nvidia.com/gpu.product, values: [...] }]`
  if (value.kind === 'mapping' || !machineKeys.has(key)) return []
  return textsOf(value).flatMap(type => {
    const machine = machineOf(type)
    return machine === undefined
      ? []
      : [{ name: machine.card, isId: true, field, counted: { count: machine.count, field } }]
  })
}

/** `A100:80GB:2`, `{ name: A100, memory: 80GB, count: 2 }` (dstack.ai/docs/reference/dstack.yml/task, resources). */
function ofDstack(field: Field): readonly Named[] {
  const { value } = field
  if (value.kind === 'text') {
    const parts = value.text.split(':').map(part => part.trim())
    const [name, memory, count] = [
      parts.find(part => /^[a-z]/i.test(part)),
      parts.find(part => /^\d+(?:\.\d+)?gb$/i.test(part)),
      parts.find(part => /^\d{1,3}$/.test(part)),
    ]
    return name === undefined || name.includes(',') ? [] : [ofParts(name, memory, count ?? '1', field)]
  }
  if (value.kind !== 'mapping') return []
  const names = textsOf(value.section.at('name')?.value)
  const memory = value.section.at('memory')?.source
  const count = value.section.at('count')?.source ?? '1'
  return names.map(name => ofParts(name, memory, count, field))
}

function ofParts(name: string, memory: string | undefined, count: string, field: Field): Named {
  const size = /^(\d{2,3})gb$/i.exec(memory ?? '')?.[1]
  const sized = size !== undefined && /^[av]100$/i.test(name) ? `${name}-${size}gb` : name
  const counted = /^\d{1,3}$/.test(count) && Number(count) > 0 ? { counted: { count: Number(count), field } } : {}
  return { name: sized, isId: false, field, ...counted }
}

function countsIn(field: Field): readonly Counted[] {
  if (!countKeys.has(field.key)) return []
  const { value } = field
  const count = value.kind === 'number' ? value.number : value.kind === 'text' ? Number(value.text) : Number.NaN
  return Number.isInteger(count) && count > 0 && count < 10_000 ? [{ count, field }] : []
}

function textsOf(value: FieldValue | undefined): readonly string[] {
  if (value?.kind === 'text') return [value.text]
  return value?.kind === 'list' ? value.items.flatMap(item => (item.kind === 'text' ? [item.text] : [])) : []
}

function cardOf(path: string, cards: readonly Named[]): AskedCard | undefined {
  const [first] = cards
  if (first === undefined) return undefined
  const place = { path, line: first.field.at.line }
  // A machine may be named beside the card that it has: `g2-standard-48` and `NVIDIA_L4`.
  const certain = cards.find(({ isId }) => isId) ?? first
  const different = new Map(cards.map(({ name }) => [findGpu(name)?.id ?? name, name]))
  return different.size === 1
    ? askedCard(certain.name, place, certain.isId)
    : severalCards([...different.values()].slice(0, 6).join(', '), place)
}

/** With those in lists, which containers are. */
function sectionsIn(section: Section, level = 0): readonly Section[] {
  if (level > LEVELS) return []
  const inner = [...section.fields.values()].flatMap(({ value }) => mappingsIn(value))
  return [section, ...inner.flatMap(each => sectionsIn(each, level + 1))]
}

function mappingsIn(value: FieldValue): readonly Section[] {
  if (value.kind === 'mapping') return [value.section]
  return value.kind === 'list' ? value.items.flatMap(item => (item.kind === 'mapping' ? [item.section] : [])) : []
}

function offsets(text: string): (field: Pick<Field, 'at'>) => number {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
  return ({ at: { line, column } }) => (starts[line - 1] ?? 0) + column - 1
}
