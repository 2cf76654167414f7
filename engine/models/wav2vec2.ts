/**
 * wav2vec 2.0 and HuBERT: encoders of sound as it is sampled, which convolutions make frames of. A sequence is a sample's samples here.
 * transformers: models/{wav2vec2,hubert}.
 */
import * as z from 'zod'
import type { Builder } from '../program/builder.ts'
import type { Value } from '../program/value.ts'
import type { Task } from '../training/choices.ts'
import { family, type ProgramTerms } from './family.ts'
import { layerCount, layerList, probability, size } from './schema.ts'

/** transformers' own defaults, which base models have. */
const CONV_DIM = [512, 512, 512, 512, 512, 512, 512]
const CONV_STRIDE = [5, 2, 2, 2, 2, 2, 2]
const CONV_KERNEL = [10, 3, 3, 3, 3, 2, 2]

const gelu = z.literal('gelu', { error: 'activations other than gelu are not supported' }).default('gelu')

const soundEncoder = z.object({
  vocab_size: size.default(32),
  hidden_size: size.default(768),
  num_hidden_layers: layerCount.default(12),
  num_attention_heads: size.default(12),
  intermediate_size: size.default(3_072),
  hidden_act: gelu,
  hidden_dropout: probability.default(0.1),
  activation_dropout: probability.default(0.1),
  attention_dropout: probability.default(0.1),
  feat_proj_dropout: probability.default(0),
  final_dropout: probability.default(0.1),
  feat_extract_norm: z.enum(['group', 'layer']).default('group'),
  feat_extract_activation: gelu,
  conv_dim: layerList(size).default(CONV_DIM),
  conv_stride: layerList(size).default(CONV_STRIDE),
  conv_kernel: layerList(size).default(CONV_KERNEL),
  conv_bias: z.boolean().default(false),
  num_conv_pos_embeddings: size.default(128),
  num_conv_pos_embedding_groups: size.default(16),
  do_stable_layer_norm: z.boolean().default(false),
  apply_spec_augment: z.boolean().default(true),
  mask_time_prob: probability.default(0.05),
  mask_feature_prob: probability.default(0),
  use_weighted_layer_sum: z
    .literal(false, { error: 'a weighted sum of all layers (use_weighted_layer_sum) is not supported' })
    .default(false),
  classifier_proj_size: size.default(256),
})

const wav2vec2Config = soundEncoder.extend({
  model_type: z.literal('wav2vec2'),
  add_adapter: z
    .literal(false, { error: 'convolutions behind the encoder (add_adapter) are not supported' })
    .default(false),
  /** Of MMS's models for many languages. */
  adapter_attn_dim: z.null({ error: 'adapters of languages (adapter_attn_dim) are not supported' }).optional(),
})
const hubertConfig = soundEncoder.extend({
  model_type: z.literal('hubert'),
  feat_proj_layer_norm: z.boolean().default(true),
  conv_pos_batch_norm: z
    .literal(false, { error: 'a batch norm before the positional convolution is not supported' })
    .default(false),
})
type SoundConfig = z.infer<typeof wav2vec2Config> | z.infer<typeof hubertConfig>

const READER = 'feature_extractor'

function soundModel(ops: Builder, config: SoundConfig, { task, labels }: ProgramTerms): Value {
  const hidden = encode(ops, config, task)
  if (task === 'ctc') {
    return ops.linear('lm_head', ops.dropout(hidden, config.final_dropout), config.vocab_size, { isQuantizable: false })
  }
  const projected = ops.linear('projector', hidden, config.classifier_proj_size)
  return ops.linear('classifier', ops.meanOfFrames(projected), labels)
}

function encode(ops: Builder, config: SoundConfig, task: Task): Value {
  const read = ops.framesFirst(readSound(ops, config))
  // HubertModel.forward holds what was read, and Wav2Vec2Model.forward its norm.
  if (config.model_type === 'hubert') {
    return ops.frame(read, features => {
      const normed = config.feat_proj_layer_norm ? ops.layerNorm('feature_projection.layer_norm', features) : features
      return encodeFrames(ops, config, task, normed)
    })
  }
  const normed = ops.layerNorm('feature_projection.layer_norm', read)
  return ops.frame(normed, features => encodeFrames(ops, config, task, features))
}

/** Wav2Vec2FeatureEncoder: [b, samples] → [b, c, t]. */
function readSound(ops: Builder, config: SoundConfig): Value {
  const { conv_dim: channels, conv_kernel: kernels, conv_stride: strides, conv_bias: bias } = config
  let x = ops.waveform(READER)
  for (const [index, outChannels] of channels.entries()) {
    const name = `${READER}.conv_layers.${index}`
    const convolution = { kernel: kernels[index] ?? 1, stride: strides[index] ?? 1, padding: 0, bias }
    const convolved = (input: Value) => ops.conv1d(`${name}.conv`, input, outChannels, convolution)
    const layer = (input: Value) => ops.gelu(normOf(ops, config, index, `${name}.layer_norm`, convolved(input)))
    x = ops.block(x, layer, [], { isUnhooked: true })
  }
  return x
}

function normOf(ops: Builder, config: SoundConfig, index: number, name: string, x: Value): Value {
  if (config.feat_extract_norm === 'layer') {
    return ops.framesFirst(ops.frame(ops.framesFirst(x), frames => ops.layerNorm(name, frames)))
  }
  return index === 0 ? ops.frame(x, frames => ops.channelNorm(name, frames)) : x
}

/** The projection of the features, what SpecAugment hides of them, and Wav2Vec2Encoder. */
function encodeFrames(ops: Builder, config: SoundConfig, task: Task, features: Value): Value {
  const { hidden_size: hidden, mask_time_prob: masked, mask_feature_prob: maskedFeatures } = config
  const projected = ops.dropout(ops.linear('feature_projection.projection', features, hidden), config.feat_proj_dropout)
  const hide = (x: Value) => ops.maskedFrames('masked_spec_embed', x)
  const hides = config.apply_spec_augment && masked > 0
  // There all the same, and never trained.
  if (!hides && (masked > 0 || maskedFeatures > 0)) ops.idle(hidden, hide)
  const seen = hides ? hide(projected) : projected
  return ops.frame(seen, states => {
    const padded = ops.zeroedPadding(states)
    const placed = ops.add(padded, ops.local(positions(ops, config, padded)))
    const stable = config.do_stable_layer_norm
    const first = ops.dropout(stable ? placed : ops.layerNorm('encoder.layer_norm', placed), config.hidden_dropout)
    const layer = stable ? stableLayer : plainLayer
    // The classes for classification have every layer's output captured (backbone_utils.py filter_output_hidden_states).
    const captured = (x: Value) => (task === 'ctc' ? x : ops.local(x))
    const last = ops.layers(captured(first), 'encoder.layers', config.num_hidden_layers, (x, { name }) =>
      captured(ops.block(x, input => layer(ops, config, name, input), [], { isUnhooked: true })),
    )
    return stable ? ops.layerNorm('encoder.layer_norm', last) : last
  })
}

/** Wav2Vec2PositionalConvEmbedding, which cuts off what an even kernel makes too many. */
function positions(ops: Builder, config: SoundConfig, x: Value): Value {
  const { num_conv_pos_embeddings: kernel, num_conv_pos_embedding_groups: groups } = config
  const options = { kernel, stride: 1, groups, isWeightNormed: true }
  const convolved = ops.conv1d('encoder.pos_conv_embed.conv', ops.framesFirst(x), config.hidden_size, options)
  return ops.framesFirst(ops.gelu(kernel % 2 === 0 ? ops.withoutLastFrame(convolved) : convolved))
}

/** Wav2Vec2EncoderLayer. */
function plainLayer(ops: Builder, config: SoundConfig, name: string, x: Value): Value {
  const attended = ops.layerNorm(`${name}.layer_norm`, ops.add(x, attention(ops, config, name, x)))
  return ops.layerNorm(`${name}.final_layer_norm`, ops.add(attended, feedForward(ops, config, name, attended)))
}

/** Wav2Vec2EncoderLayerStableLayerNorm. */
function stableLayer(ops: Builder, config: SoundConfig, name: string, x: Value): Value {
  const attended = ops.add(x, attention(ops, config, name, ops.layerNorm(`${name}.layer_norm`, x)))
  return ops.add(attended, feedForward(ops, config, name, ops.layerNorm(`${name}.final_layer_norm`, attended)))
}

function attention(ops: Builder, config: SoundConfig, layer: string, x: Value): Value {
  const { hidden_size: hidden, num_attention_heads: heads, attention_dropout: dropout } = config
  const name = `${layer}.attention`
  const attended = ops.frame(x, input => {
    const [query, key, value] = ['q_proj', 'k_proj', 'v_proj'].map(part =>
      ops.linear(`${name}.${part}`, input, hidden),
    ) as [Value, Value, Value]
    return ops.linear(`${name}.out_proj`, ops.attention(query, key, value, { heads, causal: false, dropout }), hidden)
  })
  return ops.dropout(attended, config.hidden_dropout)
}

function feedForward(ops: Builder, config: SoundConfig, layer: string, x: Value): Value {
  const name = `${layer}.feed_forward`
  return ops.frame(x, input => {
    const widened = ops.gelu(ops.linear(`${name}.intermediate_dense`, input, config.intermediate_size))
    const narrowed = ops.linear(
      `${name}.output_dense`,
      ops.dropout(widened, config.activation_dropout),
      config.hidden_size,
    )
    return ops.dropout(narrowed, config.hidden_dropout)
  })
}

const traits = {
  linears: () => ({
    all: ['q_proj', 'k_proj', 'v_proj', 'out_proj', 'intermediate_dense', 'output_dense', 'projection'],
    head: ['lm_head', 'projector', 'classifier'],
  }),
} as const

export const wav2vec2Family = family('sound', wav2vec2Config, soundModel, traits)
export const hubertFamily = family('sound', hubertConfig, soundModel, traits)
