/** SkyPilot's tasks: YAML that says which accelerators its commands under `run` are given. */

import type { SourceFile } from '../reading.ts'
import { parseFile } from '../text/document.ts'
import type { Field, FieldValue, Place, Section } from '../text/section.ts'
import { mayBeSkyPilot } from './quick-look.ts'
import { type AskedCard, askedCard, type JobRequest, type KnownWord, severalCards } from './request.ts'

/**
 * Undefined for a file that is not a task. A pipeline, with several documents, is not one: each part has its own
 * machines.
 */
export function skyPilotRequest(file: SourceFile): JobRequest | undefined {
  if (!mayBeSkyPilot(file.text)) return undefined
  const parsed = parseFile(file)
  const [task, ...others] = parsed.kind === 'document' ? parsed.mappings : []
  const resources = task?.at('resources')?.value
  if (task === undefined || others.length > 0 || resources?.kind !== 'mapping') return undefined
  const offsetOf = offsets(file.text)
  const asked = acceleratorsOf(resources.section)
  const [first] = asked
  const count = first?.count
  const gpusPerNode =
    first === undefined || count === undefined || asked.some(each => each.count !== count)
      ? undefined
      : { count, by: 'accelerators', from: offsetOf(first) }
  const nodesField = task.at('num_nodes')
  const nodes = nodesField === undefined ? '1' : nodesField.source
  return {
    card: cardOf(file.path, asked),
    gpusPerNode,
    isOneMachine: nodes === '1',
    // https://docs.skypilot.co/en/latest/running-jobs/environment-variables.html
    variables: new Map([
      ...environmentOf(task, offsetOf),
      ...(gpusPerNode === undefined
        ? []
        : [['SKYPILOT_NUM_GPUS_PER_NODE', { text: String(gpusPerNode.count), from: gpusPerNode.from }] as const]),
      ...(/^\d{1,4}$/.test(nodes)
        ? [['SKYPILOT_NUM_NODES', { text: nodes, from: nodesField === undefined ? 0 : offsetOf(nodesField) }] as const]
        : []),
    ]),
  }
}

/** The commands under `run`, where all else is blank: every offset is one in the file. */
export function skyPilotCommands(text: string): string {
  const at = text.search(/^run:/m)
  if (at < 0) return blank(text)
  const header = /^run:[ \t]*(\|[-+]?[ \t]*(?:#.*)?\r?\n)?/.exec(text.slice(at, at + MAX_HEADER_CHARACTERS))
  const [written = '', block] = header ?? []
  const start = at + written.length
  const rest = text.slice(start)
  // What is folded, quoted or an alias is not what it looks like.
  if (block === undefined && /^[>'"|&*!{[]/.test(rest)) return blank(text)
  // The next key at the top ends a block; what is not in one is a line.
  const length = block === undefined ? rest.search(/\n|$/) : endOfBlock(rest)
  return blank(text.slice(0, start)) + rest.slice(0, length) + blank(rest.slice(length))
}

const MAX_HEADER_CHARACTERS = 1_000

function endOfBlock(rest: string): number {
  const end = rest.search(/^\S/m)
  return end < 0 ? rest.length : end
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ')
}

interface Accelerators extends Pick<Place, 'at'> {
  readonly name: string
  /** Undefined where it is not a whole number. */
  readonly count: number | undefined
}

/** Those of the task and of the alternatives to it. */
function acceleratorsOf(resources: Section): readonly Accelerators[] {
  const alternatives = ['any_of', 'ordered'].flatMap(key => {
    const value = resources.at(key)?.value
    return value?.kind === 'list' ? value.items : []
  })
  const sections = [resources, ...alternatives.flatMap(item => (item.kind === 'mapping' ? [item.section] : []))]
  return sections.flatMap(section => {
    const field = section.at('accelerators')
    return field === undefined ? [] : acceleratorsIn(field.value, field.at)
  })
}

/** `A10:8`, `{A10: 8}`, and lists of the former. */
function acceleratorsIn(value: FieldValue, at: Place['at']): readonly Accelerators[] {
  switch (value.kind) {
    case 'text': {
      const [name = '', count = '1'] = value.text.split(':').map(part => part.trim())
      return [{ name, count: /^\d{1,4}$/.test(count) && Number(count) > 0 ? Number(count) : undefined, at }]
    }
    case 'list':
      return value.items.flatMap(item => acceleratorsIn(item.kind === 'list' ? { kind: 'empty' } : item, item.at))
    case 'mapping':
      return [...value.section.fields.values()].map(({ key, value: number, at: place }) => ({
        name: key,
        count: number.kind === 'number' && Number.isInteger(number.number) ? number.number : undefined,
        at: place,
      }))
    case 'number':
    case 'flag':
    case 'empty':
    case 'open':
      return []
  }
}

function cardOf(path: string, asked: readonly Accelerators[]): AskedCard | undefined {
  const [first] = asked
  if (first === undefined) return undefined
  const place = { path, line: first.at.line }
  const names = [...new Set(asked.map(({ name }) => name))]
  return names.length === 1 ? askedCard(first.name, place) : severalCards(names.slice(0, 6).join(', '), place)
}

const MAX_VARIABLES = 100

/** The variables under `envs` without empty ones, which must be given when the task is started. */
function environmentOf(
  task: Section,
  offsetOf: (place: Pick<Place, 'at'>) => number,
): readonly (readonly [string, KnownWord])[] {
  const envs = task.at('envs')?.value
  if (envs?.kind !== 'mapping') return []
  return [...envs.section.fields.values()].slice(0, MAX_VARIABLES).flatMap((field): [string, KnownWord][] => {
    const text = textOf(field)
    return text === undefined || text === '' ? [] : [[field.key, { text, from: offsetOf(field) }]]
  })
}

function textOf({ value, source }: Field): string | undefined {
  if (value.kind === 'text') return value.text
  return value.kind === 'number' || value.kind === 'flag' ? source : undefined
}

function offsets(text: string): (place: Pick<Place, 'at'>) => number {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
  return ({ at: { line, column } }) => (starts[line - 1] ?? 0) + column - 1
}
