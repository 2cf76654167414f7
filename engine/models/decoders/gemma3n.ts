/**
 * Gemma 3n: hidden states in several streams (AltUp), a low-rank path around attention (Laurel), per-layer embeddings, sparse
 * activations at the start and shared keys and values at the end. transformers: models/gemma3n.
 */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { family, type ProgramTerms } from '../family.ts'
import { gatedAnd } from '../linears.ts'
import { layerCount, layerList, probability, size } from '../schema.ts'
import { gemma3nAudio, gemma3nAudioConfig, gemma3nVision, gemma3nVisionConfig } from '../vision/gemma3n-towers.ts'
import { idleRmsNorm } from '../vision/towers.ts'
import { outputLayer } from './blueprint.ts'
import { gatedByInput, layerInputs, perLayerLinears } from './per-layer-embeddings.ts'
import {
  type LayerKind,
  mayBeUntied,
  norm,
  type SharedStates,
  type SharingLayer,
  sharingAttention,
  sharingFields,
  sharingKinds,
  sharingLayer,
  sharingOutput,
} from './sharing-attention.ts'

const MAX_STREAMS = 64

const textConfig = z.object({
  vocab_size: size.default(262_400),
  hidden_size: size.default(2_048),
  /** Of all layers, or of each. */
  intermediate_size: z.union([size, layerList(size)]).default(16_384),
  num_hidden_layers: layerCount.default(35),
  num_attention_heads: size.default(8),
  num_key_value_heads: size.default(2),
  head_dim: size.default(256),
  max_position_embeddings: size.default(32_768),
  attention_dropout: probability.default(0),
  final_logit_softcapping: z.number().nullish().default(30),
  ...sharingFields,
  num_kv_shared_layers: sharingFields.num_kv_shared_layers.default(15),
  vocab_size_per_layer_input: size.default(262_144),
  hidden_size_per_layer_input: size.default(256),
  altup_num_inputs: z.number().int().min(2).max(MAX_STREAMS).default(4),
  altup_correct_scale: z.boolean().default(true),
  laurel_rank: size.default(64),
  /** The share of a layer's activations that is dropped. */
  activation_sparsity_pattern: layerList(probability).nullish(),
})
type Text = z.infer<typeof textConfig>

const gemma3nTextConfig = textConfig.extend({ model_type: z.literal('gemma3n_text'), ...mayBeUntied })
const gemma3nConfig = z.object({
  model_type: z.literal('gemma3n'),
  ...mayBeUntied,
  text_config: textConfig,
  vision_config: gemma3nVisionConfig,
  audio_config: gemma3nAudioConfig,
})
type Gemma3n = z.infer<typeof gemma3nConfig | typeof gemma3nTextConfig>

const FULL_LAYER_EVERY = 5
const SPARSE_LAYERS = 10

function gemma3n(ops: Builder, config: Gemma3n, { task, labels }: ProgramTerms): Value {
  const isText = config.model_type === 'gemma3n_text'
  const text = isText ? config : config.text_config
  const root = isText ? 'model' : 'model.language_model'
  const { hidden_size: hidden, num_hidden_layers: layers, hidden_size_per_layer_input: inputSize } = text
  const embedded = ops.scale(ops.embedding(`${root}.embed_tokens`, ops.input(), text.vocab_size, hidden))
  const given = ops.withInputGradients(embedded)
  const words = isText ? given : withOtherTokens(ops, config, given)
  const sizes = { layers, vocabulary: text.vocab_size_per_layer_input, size: inputSize }
  const vectors = layerInputs(ops, root, words, sizes)
  const turning = [0, 1].map(() => ops.rotaryTable(words, text.head_dim)) as [Table, Table]
  const tables = { full_attention: turning[0], sliding_attention: turning[1] }
  const shared: SharedStates = new Map()
  const streams = ops.layers(
    spread(ops, root, text, words),
    `${root}.layers`,
    layerKinds(text),
    (states, { name, index }) => {
      const [vector = vectors] = ops.slices(vectors, [inputSize])
      const attention = attentionOf(text, index)
      const layer = { name, index, attention, vector, table: tables[attention.kind], shared }
      const alsoRead = [vector, ...[...shared.values()].flat()]
      return ops.block(states, input => decoderLayer(ops, text, layer, input), alsoRead)
    },
  )
  const output = sharingOutput(text, root, config.tie_word_embeddings)
  return outputLayer(ops, output, gathered(ops, root, text, streams), task, labels)
}

/** Every token goes through the tables of images and of sound too, whatever it is. */
function withOtherTokens(ops: Builder, config: z.infer<typeof gemma3nConfig>, words: Value): Value {
  const { hidden_size: hidden } = config.text_config
  gemma3nVision(ops)
  gemma3nAudio(ops, config.audio_config)
  const seen = ops.either(otherTokens(ops, 'model.embed_vision', config.vision_config, hidden), words)
  return ops.either(otherTokens(ops, 'model.embed_audio', config.audio_config, hidden), seen)
}

function otherTokens(
  ops: Builder,
  name: string,
  source: { vocab_size: number; hidden_size: number },
  hidden: number,
): Value {
  const looked = ops.embedding(`${name}.embedding`, ops.input(), source.vocab_size, source.hidden_size)
  const normalised = norm(ops, `${name}.hard_embedding_norm`, looked, source.hidden_size)
  idleRmsNorm(ops, `${name}.soft_embedding_norm`, source.hidden_size)
  const projected = ops.linear(`${name}.embedding_projection`, normalised, hidden, { bias: false })
  return ops.rmsNorm(`${name}.embedding_post_projection_norm`, projected, {
    size: hidden,
    scalesInFloat32: true,
    isUnweighted: true,
  })
}

function spread(ops: Builder, root: string, text: Text, words: Value): Value {
  const magnitude = ops.magnitude(words)
  const others = ofOtherStreams(text, index =>
    ops.scaledTo(magnitude, ops.linear(`${root}.altup_projections.${index}`, words, text.hidden_size, { bias: false })),
  )
  return ops.stackedStreams([words, ...others])
}

function gathered(ops: Builder, root: string, text: Text, streams: Value): Value {
  const first = ops.firstStream(streams)
  const magnitude = ops.magnitude(first)
  const others = ofOtherStreams(text, index => {
    const stream = ops.firstStream(streams)
    const name = `${root}.altup_unembed_projections.${index}`
    return ops.scaledTo(magnitude, ops.linear(name, stream, text.hidden_size, { bias: false }))
  })
  return ops.meanOfStreams(ops.stackedStreams([first, ...others]))
}

function ofOtherStreams({ altup_num_inputs: streams }: Text, make: (index: number) => Value): Value[] {
  return Array.from({ length: streams - 1 }, (_, index) => make(index))
}

type Table = readonly [Value, Value]

interface Layer {
  readonly name: string
  readonly index: number
  readonly attention: SharingLayer
  readonly vector: Value
  readonly table: Table
  readonly shared: SharedStates
}

function attentionOf(text: Text, index: number): SharingLayer {
  return sharingLayer(text, index, at => kindOf(text, at))
}

function kindOf(text: Text, index: number): LayerKind {
  const byDefault = (index + 1) % FULL_LAYER_EVERY === 0 ? 'full_attention' : 'sliding_attention'
  return text.layer_types?.[index] ?? byDefault
}

function layerKinds(text: Text): readonly string[] {
  const attentions = Array.from({ length: text.num_hidden_layers }, (_, index) => attentionOf(text, index))
  return sharingKinds(attentions).map((kind, index) =>
    JSON.stringify([kind, innerSize(text, index), isSparse(text, index)]),
  )
}

function innerSize({ intermediate_size: sizes }: Text, index: number): number {
  return typeof sizes === 'number' ? sizes : (sizes[index] ?? 1)
}

function isSparse({ activation_sparsity_pattern: sparsity, num_hidden_layers: layers }: Text, index: number): boolean {
  return sparsity ? (sparsity[index] ?? 0) > 0 : layers > SPARSE_LAYERS && index < SPARSE_LAYERS
}

function decoderLayer(ops: Builder, text: Text, layer: Layer, streams: Value): Value {
  const { name } = layer
  const { hidden_size: hidden, altup_num_inputs: count, hidden_size_per_layer_input: size } = text
  const predictions = predicted(ops, `${name}.altup`, text, streams)
  const active = ops.firstStream(predictions)
  const normalised = ops.local(norm(ops, `${name}.input_layernorm`, active, hidden))
  const beside = ops.frame(normalised, input => laurel(ops, `${name}.laurel`, text, input))
  const mixed = ops.frame(normalised, input =>
    sharingAttention(ops, `${name}.self_attn`, input, layer.attention, layer),
  )
  const attended = ops.residual(norm(ops, `${name}.post_attention_layernorm`, mixed, hidden), active)
  const between = ops.scale(ops.residual(beside, attended))
  const forFeeding = ops.local(norm(ops, `${name}.pre_feedforward_layernorm`, between, hidden))
  const fed = ops.local(ops.frame(forFeeding, input => perceptron(ops, text, layer, input)))
  const result = ops.residual(norm(ops, `${name}.post_feedforward_layernorm`, fed, hidden), between)
  const modalities = routedStreams(ops, `${name}.altup`, text, result)
  const coefficients = ops.linear(`${name}.altup.correction_coefs`, modalities, count, { bias: false })
  const corrected = ops.correctedStreams(predictions, ops.local(result), coefficients)
  const first = ops.gathered(ops.firstStream(corrected))
  const scaled = text.altup_correct_scale ? ops.layerScale(`${name}.altup.correct_output_scale`, first) : first
  return ops.addedToOtherStreams(corrected, gatedByInput(ops, name, scaled, layer.vector, { hidden, size }))
}

function predicted(ops: Builder, name: string, text: Text, streams: Value): Value {
  const modalities = routedStreams(ops, name, text, ops.firstStream(streams))
  const features = text.altup_num_inputs ** 2
  const coefficients = ops.linear(`${name}.prediction_coefs`, modalities, features, { bias: false })
  return ops.predictedStreams(streams, coefficients)
}

/** How much each stream counts for a token: [b, s, streams]. */
function routedStreams(ops: Builder, name: string, text: Text, x: Value): Value {
  const inputs = ops.scale(norm(ops, `${name}.router_norm`, x, text.hidden_size))
  return ops.tanh(ops.linear(`${name}.modality_router`, inputs, text.altup_num_inputs, { bias: false }))
}

function laurel(ops: Builder, name: string, text: Text, x: Value): Value {
  const narrow = ops.linear(`${name}.linear_left`, x, text.laurel_rank, { bias: false })
  const wide = ops.linear(`${name}.linear_right`, narrow, text.hidden_size, { bias: false })
  return ops.residual(norm(ops, `${name}.post_laurel_norm`, wide, text.hidden_size), x)
}

function perceptron(ops: Builder, text: Text, { name, index }: Layer, x: Value): Value {
  const inner = innerSize(text, index)
  const gate = ops.linear(`${name}.mlp.gate_proj`, x, inner, { bias: false })
  const activated = ops.gelu(isSparse(text, index) ? ops.sparsified(gate) : gate)
  const product = ops.multiply(activated, ops.linear(`${name}.mlp.up_proj`, x, inner, { bias: false }))
  return ops.linear(`${name}.mlp.down_proj`, product, text.hidden_size, { bias: false })
}

const altUpLinears = ['modality_router', 'prediction_coefs', 'correction_coefs', '0', '1', '2'] as const
const textLinears = [...perLayerLinears, ...altUpLinears, 'linear_left', 'linear_right'] as const
const audioLinears = [
  'ffw_layer_1',
  'ffw_layer_2',
  'pos_proj',
  'post',
  'linear_start',
  'linear_end',
  'input_proj_linear',
] as const

export const gemma3nTextFamily = family('decoder', gemma3nTextConfig, gemma3n, {
  linears: () => gatedAnd(...textLinears),
})
export const gemma3nFamily = family('decoder', gemma3nConfig, gemma3n, {
  linears: () => gatedAnd(...textLinears, ...audioLinears, 'embedding_projection'),
})
