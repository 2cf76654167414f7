/**
 * Decoders with rotary positions: embeddings, blocks of a mixer (mostly attention) and a feed-forward layer, a final
 * norm, an output layer. A family's blueprint holds what it differs in.
 */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import type { Task } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { layerCount, probability, size } from '../schema.ts'

/** What nearly every decoder's config.json holds. */
export const decoderFields = z.object({
  vocab_size: size,
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: layerCount,
  num_attention_heads: size,
  num_key_value_heads: size.nullish(),
  head_dim: size.nullish(),
  max_position_embeddings: size,
  tie_word_embeddings: z.boolean().default(false),
  attention_dropout: probability.default(0),
  /** Tokens that sliding-window layers look back. */
  sliding_window: size.nullish(),
})
export type DecoderFields = z.infer<typeof decoderFields>

/**
 * `rms`: weighted after casting back; `rms-float32`: before; `rms-one-plus`: by 1 + weight, before. `layer-lowered`: in autocast's
 * type; `layer-composed`: op by op in float32, without a bias.
 */
export type Norm = 'rms' | 'rms-float32' | 'rms-one-plus' | 'layer' | 'layer-lowered' | 'layer-composed'

/** Names of a block's norms, if it has them: before and after the mixer, before and after the feed-forward layer. */
export interface BlockNorms {
  readonly beforeMixer?: string
  readonly afterMixer?: string
  readonly beforeFeeding?: string
  readonly afterFeeding?: string
}

/** The place of a module in the model. */
export interface Place {
  /** Its module path: `model.layers.0.self_attn`. */
  readonly name: string
  /** The number of its layer. */
  readonly index: number
  /** cos and sin of the layer's positions; absent where it has none. */
  readonly table: readonly [Value, Value] | undefined
}

/** A module of the same layer. */
export function beside(place: Place, module: string): Place {
  return { ...place, name: `${place.name.slice(0, place.name.lastIndexOf('.'))}.${module}` }
}

/** [b, s, h] → [b, s, h]. */
export interface Part {
  (ops: Builder, place: Place, x: Value): Value
  /** A property in which layers differ besides their names; absent if they do not. */
  readonly kindOf?: (index: number) => unknown
}

/** A module that differs between layers. */
export function either(isFirst: (index: number) => boolean, first: Part, second: Part): Part {
  const part: Part = (ops, place, x) => (isFirst(place.index) ? first : second)(ops, place, x)
  return differing(part, index => [isFirst(index), first.kindOf?.(index), second.kindOf?.(index)])
}

/** `kindOf`: a name for the kind of each layer. */
export function differing(part: Part, kindOf: (index: number) => unknown): Part {
  return Object.assign<Part, Pick<Part, 'kindOf'>>((ops, place, x) => part(ops, place, x), { kindOf })
}

export interface Blueprint {
  /** The module that holds words and blocks; `model` by default. */
  readonly root?: string
  /** In it: `embed_tokens` by default. */
  readonly wordsName?: string
  /** The list of blocks: `layers` by default. */
  readonly layersName?: string
  /** The norm after the last block: `norm` by default. */
  readonly lastNormName?: string
  readonly vocabulary: number
  readonly hidden: number
  readonly layers: number
  readonly isTied: boolean
  readonly norm: Norm
  readonly blockNorms: BlockNorms
  /** The rotary dimensions of a head. */
  readonly rotarySize: number
  /** The length of a precomputed rotary table, for tools that keep one. */
  readonly positions?: number
  /** The rotary table of every token is kept in float32 beside the weights. */
  readonly keepsRotaryTable?: boolean
  /** The rotary tables, by frequency, and which of them a layer uses; undefined for none. */
  readonly rotaryOf: (index: number) => number | undefined
  readonly mixer: Part
  /** `self_attn` by default. */
  readonly mixerName?: (index: number) => string
  /** Absent if blocks are only mixers. */
  readonly feedForward?: Part
  /** `mlp` by default. */
  readonly feedForwardName?: string
  /**
   * Parallel blocks: the feed-forward layer reads the mixer's input, or the block's through a norm of its own, and both results are
   * added to the residual.
   */
  readonly isParallel?: boolean
  /** bitsandbytes' StableEmbedding: embeddings with a norm of their own, which train beside what the optimizer knows. */
  readonly normsWords?: boolean
  /** Embeddings times a constant. */
  readonly scalesWords?: boolean
  /** That outside of the module that embeds. */
  readonly scalesEmbedded?: boolean
  /** Results are multiplied by a constant before the residual addition. */
  readonly scalesResults?: boolean
  readonly resultDropout?: number
  readonly wordDropout?: number
  readonly logitsBias?: boolean
  /** `plain` by default. */
  readonly logits?: 'plain' | 'scaled' | 'capped' | 'float32'
  /** Whether the output layer is quantised like the others. */
  readonly quantizesLogits?: boolean
  /** Modules of the checkpoint that a step on text does not run. */
  readonly idle?: (ops: Builder) => void
  /** The vision tower and its projector; absent if only its weights are modelled. */
  readonly vision?: Vision
}

/** Images of a sample, with their size if it varies. */
export type Images = NonNullable<TrainingSpec['images']>

/** What the images of every sample become. */
export interface SeenImages {
  /** Embeddings that replace the image tokens: [b, n, hidden]. */
  readonly among: Value
  /** Whether the row of each image token is looked up. */
  readonly looksUpRows?: boolean
  /** Of the same shape, added to the image tokens' states after each of the first layers. */
  readonly deep?: readonly Value[]
}

export type Vision = (ops: Builder, images: Images) => SeenImages

const preNorm: BlockNorms = { beforeMixer: 'input_layernorm', beforeFeeding: 'post_attention_layernorm' }

/** The defaults, those of Llama. */
export function llamaBlueprint(fields: DecoderFields, parts: Pick<Blueprint, 'mixer' | 'feedForward'>): Blueprint {
  return {
    vocabulary: fields.vocab_size,
    hidden: fields.hidden_size,
    layers: fields.num_hidden_layers,
    isTied: fields.tie_word_embeddings,
    norm: 'rms',
    blockNorms: preNorm,
    rotarySize: headSizeOf(fields),
    rotaryOf: () => 0,
    ...parts,
  }
}

export function headSizeOf(fields: Pick<DecoderFields, 'head_dim' | 'hidden_size' | 'num_attention_heads'>): number {
  return fields.head_dim ?? fields.hidden_size / fields.num_attention_heads
}

/** For their weights only. */
const ONE_SMALL_IMAGE: Images = { tiles: 1, height: 224, width: 224, checkpointed: 'decoder' }

type DecoderTerms = Pick<TrainingSpec, 'task' | 'labels' | 'images'>

export function decoderModel(ops: Builder, blueprint: Blueprint, terms: DecoderTerms): Value {
  const { task, labels, images } = terms
  const { root = 'model', vocabulary, hidden, layers, scalesWords = false } = blueprint
  const { vision } = blueprint
  const sees = vision !== undefined && images !== undefined
  if (!sees) {
    blueprint.idle?.(ops)
    if (vision !== undefined) ops.idle(1, () => vision(ops, ONE_SMALL_IMAGE).among)
  }
  const embed = blueprint.normsWords ? 'normedEmbedding' : 'embedding'
  const words = ops[embed](`${root}.${blueprint.wordsName ?? 'embed_tokens'}`, ops.input(), vocabulary, hidden)
  const given = sees ? ops.withInputGradients(words) : words
  const seen = sees ? vision(ops, images) : undefined
  const read = seen === undefined ? given : placedAmong(ops, given, seen)
  const scaled = scalesWords ? ops.scale(read) : read
  const embedded = sees && !blueprint.scalesEmbedded ? scaled : ops.withInputGradients(scaled)
  const first = ops.dropout(blueprint.scalesEmbedded ? ops.scale(embedded) : embedded, blueprint.wordDropout ?? 0)
  const tables: (readonly [Value, Value])[] = []
  for (let index = 0; index < layers; index++) {
    const rotary = blueprint.rotaryOf(index)
    if (rotary !== undefined) tables[rotary] ??= rotaryTable(ops, blueprint, first)
  }
  const { deep = [] } = seen ?? {}
  const kinds = layerKinds(blueprint).map((kind, index) => (index < deep.length ? `${kind} ${index}` : kind))
  // LlamaModel.forward holds `inputs_embeds` through all layers.
  const states = ops.frame(embedded, () =>
    ops.layers(first, `${root}.${blueprint.layersName ?? 'layers'}`, kinds, (states, { name, index }) => {
      const table = tables[blueprint.rotaryOf(index) ?? tables.length]
      const output = ops.block(states, input => decoderLayer(ops, blueprint, { name, index, table }, input))
      const added = deep[index]
      return added === undefined ? output : ops.addedAmongWords(output, added)
    }),
  )
  return outputLayer(ops, blueprint, states, task, labels)
}

function rotaryTable(ops: Builder, blueprint: Blueprint, x: Value): readonly [Value, Value] {
  const { rotarySize, positions, keepsRotaryTable } = blueprint
  return keepsRotaryTable ? ops.keptRotaryTable(x, rotarySize) : ops.rotaryTable(x, rotarySize, positions)
}

function placedAmong(ops: Builder, words: Value, { among, looksUpRows = false }: SeenImages): Value {
  return looksUpRows ? ops.amongWordsByRow(words, among) : ops.amongWords(words, among)
}

/** The kind of each layer. */
export function layerKinds({ layers, rotaryOf, mixerName, mixer, feedForward }: Blueprint): readonly string[] {
  const partsOf = (index: number) => [mixerName?.(index), mixer.kindOf?.(index), feedForward?.kindOf?.(index)]
  return Array.from({ length: layers }, (_, index) => JSON.stringify([rotaryOf(index), ...partsOf(index)]))
}

type Output = Pick<
  Blueprint,
  | 'root'
  | 'wordsName'
  | 'lastNormName'
  | 'vocabulary'
  | 'hidden'
  | 'isTied'
  | 'norm'
  | 'logits'
  | 'logitsBias'
  | 'quantizesLogits'
>

/** The norm of the last hidden states, and logits of words or of classes. */
export function outputLayer(ops: Builder, blueprint: Output, x: Value, task: Task, labels: number): Value {
  const { root = 'model', wordsName = 'embed_tokens', lastNormName = 'norm', vocabulary, hidden } = blueprint
  const output = normalised(ops, blueprint.norm, `${root}.${lastNormName}`, hidden, x)
  if (task !== 'causal-lm') return ops.lastToken(ops.linear('score', output, labels, { bias: false }))
  const tied = blueprint.isTied ? { tiedTo: `${root}.${wordsName}.weight` } : {}
  const isQuantizable = blueprint.quantizesLogits ?? false
  const bias = blueprint.logitsBias ?? false
  const capsResult = blueprint.logits === 'capped'
  const logits = ops.linear('lm_head', output, vocabulary, { bias, isQuantizable, capsResult, ...tied })
  switch (blueprint.logits ?? 'plain') {
    case 'plain':
      return logits
    case 'scaled':
      return ops.scale(logits)
    case 'capped':
      return ops.softcap(logits)
    case 'float32':
      return ops.float32(logits)
  }
}

/** A mixer and a feed-forward layer, each with a residual connection. */
export function decoderLayer(ops: Builder, blueprint: Blueprint, place: Place, x: Value): Value {
  const { blockNorms, hidden, feedForwardName = 'mlp', mixerName = () => 'self_attn' } = blueprint
  const norm = (part: string | undefined, states: Value) =>
    part === undefined ? states : normalised(ops, blueprint.norm, `${place.name}.${part}`, hidden, states)
  const added = (result: Value, skip: Value) => {
    const scaled = blueprint.scalesResults ? ops.scale(result) : result
    const dropped = ops.dropout(scaled, blueprint.resultDropout ?? 0)
    // The sum takes the place of what was added, but where attention and feed-forward layers run side by side.
    return blueprint.isParallel ? ops.residual(dropped, skip) : ops.add(dropped, skip)
  }
  const within = (part: string): Place => ({ ...place, name: `${place.name}.${part}` })
  const before = norm(blockNorms.beforeMixer, x)
  const mixed = ops.frame(before, input => blueprint.mixer(ops, within(mixerName(place.index)), input))
  const between = added(norm(blockNorms.afterMixer, mixed), x)
  const { feedForward } = blueprint
  if (feedForward === undefined) return between
  const { beforeFeeding } = blockNorms
  const forFeeding =
    blueprint.isParallel && beforeFeeding === undefined
      ? before
      : norm(beforeFeeding, blueprint.isParallel ? x : between)
  const fed = ops.frame(forFeeding, input => feedForward(ops, within(feedForwardName), input))
  return added(norm(blockNorms.afterFeeding, fed), between)
}

/** `features`: in a normalised group. */
export function normalised(ops: Builder, norm: Norm, name: string, features: number, x: Value): Value {
  switch (norm) {
    case 'layer':
      return ops.layerNorm(name, x)
    case 'layer-lowered':
      return ops.layerNorm(name, x, { isLowered: true })
    case 'layer-composed':
      return ops.composedLayerNorm(name, x)
    case 'rms':
    case 'rms-float32':
    case 'rms-one-plus':
      return ops.rmsNorm(name, x, {
        size: features,
        scalesInFloat32: norm !== 'rms',
        aroundOne: norm === 'rms-one-plus',
      })
  }
}
