/** The options of a batch script's `#SBATCH` lines that say on which GPUs it runs. Those on sbatch's own command line are not seen. */
import {
  type AskedCard,
  type AskedNumber,
  askedCard,
  type JobRequest,
  type KnownWord,
  severalCards,
} from './request.ts'

/** One option; the last of a name counts, as Slurm has it. */
interface Option {
  readonly name: string
  readonly value: string
  /** Offset in the file. */
  readonly from: number
  readonly line: number
}

/** Lines that are looked at: options stand at the top. */
const MAX_LINES = 500
const MAX_LINE_CHARACTERS = 1_000

const longNames: Readonly<Record<string, string>> = { G: 'gpus', C: 'constraint', N: 'nodes' }

/** Undefined where the file has no such options. */
export function slurmRequest(path: string, text: string): JobRequest | undefined {
  if (!text.includes('#SBATCH')) return undefined
  const options = optionsIn(text)
  // The jobs of a heterogeneous one run on different machines.
  if (options === undefined || options.size === 0) return undefined
  const nodes = nodesOf(options.get('nodes'))
  const asked = gpusAsked(options)
  const gpusPerNode = asked && perNode(asked, options.has('nodes') ? nodes?.count : 1)
  return {
    card: cardOf(path, asked, options.get('constraint')),
    gpusPerNode,
    isOneMachine: !options.has('nodes') || nodes?.count === 1,
    variables: variablesOf(asked, gpusPerNode, nodes),
  }
}

function optionsIn(text: string): ReadonlyMap<string, Option> | undefined {
  const options = new Map<string, Option>()
  let [start, line] = [0, 0]
  while (start < text.length && line < MAX_LINES) {
    const end = text.indexOf('\n', start)
    const written = text.slice(start, end < 0 ? text.length : end)
    line++
    // The first command ends them.
    if (written.trim() !== '' && !written.startsWith('#')) break
    if (/^#SBATCH\s+(?:hetjob|packjob)\b/.test(written)) return undefined
    if (/^#SBATCH\s/.test(written))
      for (const option of optionsOf(written.slice(0, MAX_LINE_CHARACTERS), start, line))
        options.set(option.name, option)
    if (end < 0) break
    start = end + 1
  }
  return options
}

/** `--gres=gpu:4 -N 1 # four` */
function optionsOf(written: string, start: number, line: number): readonly Option[] {
  const words = Array.from(written.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g), ({ 0: word, index }) => ({ word, index }))
  const comment = words.findIndex(({ word }, at) => at > 0 && word.startsWith('#'))
  const own = words.slice(1, comment < 0 ? undefined : comment)
  return own.flatMap(({ word, index }, at): Option[] => {
    const [, long, longValue, short, shortValue] = /^(?:--([a-z][a-z-]*)(?:=(.*))?|-([A-Za-z])=?(.*))$/.exec(word) ?? []
    const name = long ?? (short && longNames[short])
    if (name === undefined) return []
    const next = own[at + 1]
    const joined = longValue ?? (shortValue === '' ? undefined : shortValue)
    const isApart = joined === undefined && next !== undefined && !next.word.startsWith('-')
    const value = (joined ?? (isApart ? next.word : '')).replace(/["']/g, '')
    return [{ name, value, from: start + (isApart ? next.index : index), line }]
  })
}

/** What one of the options says of GPUs. */
interface GpusAsked {
  readonly option: Option
  readonly types: readonly string[]
  /** Undefined where it is not plain. */
  readonly count: number | undefined
}

/** Any of them may be given, and they complete each other: `--gres=gpu:4 --gpus-per-node=a100:4`. */
function gpusAsked(options: ReadonlyMap<string, Option>): GpusAsked | undefined {
  const all = ['gpus-per-node', 'gres', 'gpus', 'gpus-per-task'].flatMap(name => {
    const option = options.get(name)
    const asked = option && gpusIn(option)
    return asked === undefined ? [] : [asked]
  })
  return all.find(({ types }) => types.length > 0) ?? all[0]
}

/** `gpu:a100:4`, `gpu:4,nvme:1`, and after the options for GPUs alone `a100:4`. */
function gpusIn(option: Option): GpusAsked | undefined {
  const entries = option.value.split(',').flatMap(entry => {
    const [, type, count] =
      (option.name === 'gres'
        ? /^(?:gres[:/])?gpu(?::([A-Za-z][\w.-]*))?(?:[:=](\d{1,4}))?(?:\([^)]*\))?$/
        : /^(?:([A-Za-z][\w.-]*)(?::(?=\d)|$))?(\d{1,4})?$/
      ).exec(entry) ?? []
    const isOne = option.name === 'gres' ? /^(?:gres[:/])?gpu(?:[:=(]|$)/.test(entry) : entry !== ''
    return isOne
      ? [{ type, count: Number(count ?? 1), isPlain: type !== undefined || count !== undefined || entry === 'gpu' }]
      : []
  })
  if (entries.length === 0) return undefined
  const types = [...new Set(entries.flatMap(({ type }) => type ?? []))]
  const isPlain = entries.every(each => each.isPlain && each.count > 0)
  const sum = entries.reduce((all, { count }) => all + count, 0)
  return { option, types, count: isPlain ? sum : undefined }
}

function perNode({ option, count }: GpusAsked, nodes: number | undefined): AskedNumber | undefined {
  if (count === undefined || option.name === 'gpus-per-task') return undefined
  // That is for all machines together.
  if (option.name === 'gpus' && nodes !== 1) return undefined
  return { count, by: `--${option.name}`, from: option.from }
}

function nodesOf(option: Option | undefined): AskedNumber | undefined {
  const [, least, most = least] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(option?.value ?? '') ?? []
  if (option === undefined || least === undefined || least !== most || Number(least) < 1) return undefined
  return { count: Number(least), by: '--nodes', from: option.from }
}

function cardOf(path: string, asked: GpusAsked | undefined, constraint: Option | undefined): AskedCard | undefined {
  const features = featuresOf(constraint)
  const [type, ...others] = asked?.types ?? []
  if (asked !== undefined && type !== undefined) {
    const place = { path, line: asked.option.line }
    if (others.length > 0) return severalCards(asked.types.join(', '), place)
    return withSize(askedCard(type, place), type, features, place)
  }
  if (constraint === undefined) return undefined
  const place = { path, line: constraint.line }
  const cards = features.flatMap(feature => {
    const card = withSize(askedCard(feature, place), feature, features, place)
    return card.kind === 'card' || /^(?:nvidia[-_])?[avh]100$/i.test(feature) ? [card] : []
  })
  // A feature is any word that the cluster's people chose: only one that is a card's name counts.
  const names = new Set(cards.map(card => (card.kind === 'card' ? card.gpu.id : card.asked)))
  return names.size > 1 ? severalCards(constraint.value, place) : cards[0]
}

/** `a100&80gb`: both must hold. Nothing of what may be otherwise: `a100|h100`. */
function featuresOf(constraint: Option | undefined): readonly string[] {
  if (constraint === undefined || !/^[\w.-]+(?:[&,][\w.-]+){0,20}$/.test(constraint.value)) return []
  return constraint.value.split(/[&,]/)
}

/** A feature that is a number of gigabytes tells the card with so much from its sibling. */
function withSize(
  card: AskedCard,
  name: string,
  features: readonly string[],
  place: { readonly path: string; readonly line: number },
): AskedCard {
  if (card.kind === 'card' || !/^(?:nvidia[-_])?[av]100$/i.test(name)) return card
  const sizes = new Set(features.flatMap(feature => /^(?:gpu|vram)?[-_]?(\d{2})gb?$/i.exec(feature)?.[1] ?? []))
  const [size] = sizes
  const sized = sizes.size === 1 ? askedCard(`${name}-${size}gb`, place) : card
  return sized.kind === 'card' ? sized : card
}

/** https://slurm.schedmd.com/sbatch.html, output environment variables; a typed request sets some of them to `a100:4`. */
function variablesOf(
  asked: GpusAsked | undefined,
  gpusPerNode: AskedNumber | undefined,
  nodes: AskedNumber | undefined,
): ReadonlyMap<string, KnownWord> {
  const isUntyped = asked?.types.length === 0 && asked.option.name === 'gpus-per-node'
  const known = ({ count, from }: AskedNumber): KnownWord => ({ text: String(count), from })
  return new Map([
    ...(gpusPerNode === undefined ? [] : [['SLURM_GPUS_ON_NODE', known(gpusPerNode)] as const]),
    ...(gpusPerNode === undefined || !isUntyped ? [] : [['SLURM_GPUS_PER_NODE', known(gpusPerNode)] as const]),
    ...(nodes === undefined
      ? []
      : (['SLURM_NNODES', 'SLURM_JOB_NUM_NODES'] as const).map(name => [name, known(nodes)] as const)),
  ])
}
