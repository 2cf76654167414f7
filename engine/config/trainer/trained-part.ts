/** Partial training: what trains if not all parameters do, as configs name it. */
import type { CatalogueModel } from '../../models/catalogue.ts'
import { MAX_PATTERNS, parameterPatterns } from '../../training/parameter-pattern.ts'
import type { TrainedPart } from '../../training/spec.ts'
import type { FieldReader } from '../fields/fields.ts'
import { leaveOut } from '../fields/supplied.ts'
import { oneOf, quote } from '../text/quote.ts'
import type { Field, Section } from '../text/section.ts'

/**
 * Axolotl utils/freeze.py LayerNamePattern: dots are literal, and rows in brackets after a name train in a tensor with a full
 * gradient. train.py enables input gradients if embeddings or output layer are named; transformers' checkpointing always does.
 */
export function readUnfrozen(reader: FieldReader, field: Field | undefined, checkpoints: boolean) {
  if (field?.value.kind !== 'list' || field.value.items.length === 0) return undefined
  const written = field.value.items.flatMap(item => (item.kind === 'text' ? [item.text] : []))
  if (written.length > MAX_PATTERNS) {
    const message = `${written.length} patterns of parameters are more than ${MAX_PATTERNS}`
    return reader.refuse(field, 'too-many-patterns', message, 'Write patterns that match several parameters each.')
  }
  const names = written.map(text => text.replace(/\[\d*(?::\d*)?\]$/, '').replaceAll(/\.(?!\+)/g, '\\.'))
  const refused = refusedOf(written, names)
  if (refused !== undefined) {
    const message = `Which parameters train cannot be determined from ${quote(refused.pattern)}: it ${refused.why}`
    const fix = 'Write names with character classes, groups and repetitions, such as model.layers.3[01].mlp.'
    return reader.refuse(field, 'unsupported-setting', message, fix)
  }
  reader.assume(
    'The parameters that unfrozen_parameters matches by their names in transformers 5 train; names from an older version (block_sparse_moe) match nothing.',
  )
  const inputGradients = checkpoints || written.some(text => /lm_head|embed_tokens/.test(text))
  return reader.note<TrainedPart>('trainable', { names, inputGradients }, field)
}

/** The first pattern that cannot be used, and why. */
function refusedOf(
  written: readonly string[],
  names: readonly string[],
): { readonly pattern: string; readonly why: string } | undefined {
  for (const [index, name] of names.entries()) {
    const pattern = parameterPatterns([name])
    if (pattern.kind === 'refused') return { pattern: written[index] ?? '', why: pattern.why }
  }
  const together = parameterPatterns(names)
  if (together.kind === 'refused') return { pattern: written.join(', '), why: together.why }
  return names.length === 0 ? { pattern: '', why: 'names nothing' } : undefined
}

/**
 * Axolotl utils/callbacks/lisa.py: everything outside the blocks always trains, plus a few blocks at a time; the optimizer keeps
 * the state of all. Blocks are alike, so it does not matter which ones are counted.
 */
export function readLisa(reader: FieldReader, field: Field | undefined, checkpoints: boolean) {
  const count = reader.wholeNumber(field, { max: MAX_PATTERNS - 3 })
  if (field === undefined || count === undefined) return undefined
  const names = [
    ...['lm_head', String.raw`model\.embed_tokens`, String.raw`model\.norm`],
    ...Array.from({ length: count }, (_, index) => String.raw`model\.layers\.${index}\.`),
  ]
  reader.assume(`${count} blocks train at a time; the optimizer state of all blocks is counted, because LISA keeps it.`)
  return reader.note<TrainedPart>('trainable', { names, inputGradients: checkpoints, inTurns: true }, field)
}

/**
 * BAdam, src/badam/block_optim.py: one block trains at a time, embeddings and output layer never, with float32 copies in the
 * optimizer. The first block is the heaviest: everything above it is computed with gradients, and LLaMA-Factory checkpoints only
 * the block that trains.
 */
export function readBlockwise(reader: FieldReader, document: Section, field: Field): TrainedPart | undefined {
  const [mode, order] = [document.at('badam_mode'), document.at('badam_switch_mode')]
  const other = [mode, order].find(found => found?.source === 'ratio' || found?.source === 'fixed')
  if (other !== undefined) {
    return reader.refuse(other, 'unsupported-training', `${other.key}: ${other.source} is not modelled yet`, leaveOut)
  }
  reader.assume('BAdam trains one block at a time; the first is counted, with no block above it checkpointed.')
  return reader.note<TrainedPart>('trainable', { names: [String.raw`.*layers\.0\.`], inputGradients: false }, field)
}

export interface FreezeFields {
  /** The field that asks for it. */
  readonly from: Field
  readonly layers: Field | undefined
  readonly modules: Field | undefined
  readonly extraModules: Field | undefined
  readonly inputGradients: boolean
}

/** LLaMA-Factory model/adapter.py _setup_freeze_tuning: the last blocks, or with a minus the first; two by default. */
export function readFreeze(
  reader: FieldReader,
  model: CatalogueModel | undefined,
  { from, layers, modules, extraModules, inputGradients }: FreezeFields,
): TrainedPart | undefined {
  const count = layers === undefined ? 2 : reader.wholeNumber(layers, { min: -MAX_PATTERNS, max: MAX_PATTERNS })
  const [inside, beside] = [namesIn(reader, modules), namesIn(reader, extraModules)]
  if (model === undefined || count === undefined) return undefined
  const blocks = blocksOf(model)
  if (blocks === undefined) {
    const message = `Training only some blocks of ${model.family} models is not modelled yet`
    return reader.refuse(from, 'unsupported-training', message, leaveOut)
  }
  const trained = Math.min(Math.abs(count), blocks)
  const first = count > 0 ? blocks - trained : 0
  const wanted = inside.includes('all') || inside.length === 0 ? [''] : inside
  const names = Array.from({ length: trained }, (_, index) => first + index).flatMap(block =>
    wanted.map(module => String.raw`.*\.${block}\.${module}`),
  )
  const all = [...names, ...beside.map(name => `.*${name}`)]
  if (all.length > MAX_PATTERNS || all.length === 0) {
    return reader.refuse(
      from,
      'unsupported-training',
      `Training ${all.length} separate parts is not modelled`,
      leaveOut,
    )
  }
  return reader.note<TrainedPart>('trainable', { names: all, inputGradients }, from)
}

/** Names of modules with commas between them, or listed. */
function namesIn(reader: FieldReader, field: Field | undefined): readonly string[] {
  if (field === undefined) return []
  const listed = field.value.kind === 'list' ? field.value.items.flatMap(item => item.source) : undefined
  const names = (listed ?? reader.text(field)?.split(',') ?? []).map(name => name.trim()).filter(name => name !== '')
  const strange = names.filter(name => !/^\w{1,50}$/.test(name))
  if (strange.length === 0) return names
  return (
    reader.refuse(
      field,
      'unknown-value',
      `${oneOf(strange.map(quote))} does not name a module`,
      'Write names such as mlp.',
    ) ?? []
  )
}

function blocksOf({ config }: CatalogueModel): number | undefined {
  if ('num_hidden_layers' in config) return config.num_hidden_layers
  return 'n_layer' in config ? config.n_layer : undefined
}
