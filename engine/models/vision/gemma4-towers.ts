/**
 * The vision and audio towers of Gemma 4, for their weights only: a step on text never runs them. transformers:
 * Gemma4VisionModel, Gemma4AudioModel, Gemma4UnifiedVisionEmbedder.
 */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import { layerCount, size } from '../schema.ts'
import { idleLinear, idleRmsNorm, table } from './towers.ts'

const CHANNELS = 3

export const gemma4VisionConfig = z.object({
  hidden_size: size.default(768),
  intermediate_size: size.default(3_072),
  num_hidden_layers: layerCount.default(16),
  num_attention_heads: size.default(12),
  num_key_value_heads: size.default(12),
  head_dim: size.default(64),
  patch_size: size.default(16),
  position_embedding_size: size.default(10_240),
})
export const gemma4AudioConfig = z.object({
  hidden_size: size.default(1_024),
  num_hidden_layers: layerCount.default(12),
  num_attention_heads: size.default(8),
  subsampling_conv_channels: z.tuple([size, size]).default([128, 32]),
  conv_kernel_size: size.default(5),
  output_proj_dims: size.default(1_536),
})
export const unifiedVisionConfig = z.object({
  patch_size: size.default(16),
  pooling_kernel_size: size.default(3),
  mm_embed_dim: size.default(3_840),
  mm_posemb_size: size.default(1_120),
})
export const unifiedAudioConfig = z.object({ audio_embed_dim: size.default(640) })

type Linear = readonly [name: string, from: number, to: number]

/** `words`: the hidden size of the language model. */
export function gemma4Vision(ops: Builder, config: z.infer<typeof gemma4VisionConfig>, words: number): void {
  const root = 'model.vision_tower'
  const { hidden_size: hidden, intermediate_size: inner, head_dim: headSize } = config
  const [queries, keys] = [config.num_attention_heads * headSize, config.num_key_value_heads * headSize]
  table(ops, `${root}.patch_embedder.position_embedding_table`, 2 * config.position_embedding_size, hidden)
  idleLinear(ops, `${root}.patch_embedder.input_proj`, CHANNELS * config.patch_size ** 2, hidden, false)
  for (let index = 0; index < config.num_hidden_layers; index++) {
    const name = `${root}.encoder.layers.${index}`
    wrapped(ops, `${name}.self_attn`, [
      ['q_proj', hidden, queries],
      ['k_proj', hidden, keys],
      ['v_proj', hidden, keys],
      ['o_proj', queries, hidden],
    ])
    wrapped(ops, `${name}.mlp`, [
      ['gate_proj', hidden, inner],
      ['up_proj', hidden, inner],
      ['down_proj', inner, hidden],
    ])
    for (const part of ['q_norm', 'k_norm']) idleRmsNorm(ops, `${name}.self_attn.${part}`, headSize)
    norms(ops, name, hidden, [
      'input_layernorm',
      'post_attention_layernorm',
      'pre_feedforward_layernorm',
      'post_feedforward_layernorm',
    ])
  }
  idleLinear(ops, 'model.embed_vision.embedding_projection', hidden, words, false)
}

export function gemma4Audio(ops: Builder, config: z.infer<typeof gemma4AudioConfig>, words: number): void {
  const root = 'model.audio_tower'
  const { hidden_size: hidden, output_proj_dims: outside } = config
  const [first, second] = config.subsampling_conv_channels
  const sampling = `${root}.subsample_conv_projection`
  table(ops, `${sampling}.layer0`, first, 3 * 3 + 1)
  table(ops, `${sampling}.layer1`, second, first * 3 * 3 + 1)
  idleLinear(ops, `${sampling}.input_proj_linear`, Math.floor(first / 4) * second, hidden, false)
  for (let index = 0; index < config.num_hidden_layers; index++) conformer(ops, `${root}.layers.${index}`, config)
  idleLinear(ops, `${root}.output_proj`, hidden, outside, true)
  idleLinear(ops, 'model.embed_audio.embedding_projection', outside, words, false)
}

function conformer(ops: Builder, name: string, config: z.infer<typeof gemma4AudioConfig>): void {
  const { hidden_size: hidden } = config
  for (const part of ['feed_forward1', 'feed_forward2']) {
    wrapped(ops, `${name}.${part}`, [
      ['ffw_layer_1', hidden, 4 * hidden],
      ['ffw_layer_2', 4 * hidden, hidden],
    ])
    norms(ops, `${name}.${part}`, hidden, ['pre_layer_norm', 'post_layer_norm'])
  }
  wrapped(
    ops,
    `${name}.self_attn`,
    ['q_proj', 'k_proj', 'v_proj', 'post'].map(part => [part, hidden, hidden]),
  )
  idleLinear(ops, `${name}.self_attn.relative_k_proj`, hidden, hidden, false)
  table(ops, `${name}.self_attn.per_dim_scale`, 1, hidden / config.num_attention_heads)
  wrapped(ops, `${name}.lconv1d`, [
    ['linear_start', hidden, 2 * hidden],
    ['linear_end', hidden, hidden],
  ])
  table(ops, `${name}.lconv1d.depthwise_conv1d`, hidden, config.conv_kernel_size)
  norms(ops, `${name}.lconv1d`, hidden, ['pre_layer_norm', 'conv_norm'])
  norms(ops, name, hidden, ['norm_pre_attn', 'norm_post_attn', 'norm_out'])
}

interface UnifiedTowers {
  readonly vision_config?: z.infer<typeof unifiedVisionConfig> | null | undefined
  readonly audio_config?: z.infer<typeof unifiedAudioConfig> | null | undefined
}

/** The unified models have no towers: patches and sound are projected to tokens directly. */
export function unifiedEmbedders(ops: Builder, config: UnifiedTowers, words: number): void {
  const { vision_config: vision, audio_config: audio } = config
  if (vision) {
    const root = 'model.embed_vision'
    const patch = CHANNELS * (vision.patch_size * vision.pooling_kernel_size) ** 2
    const hidden = vision.mm_embed_dim
    table(ops, `${root}.pos_embedding`, 2 * vision.mm_posemb_size, hidden)
    ops.idle(patch, x => ops.layerNorm(`${root}.patch_ln1`, x))
    idleLinear(ops, `${root}.patch_dense`, patch, hidden, true)
    for (const part of ['patch_ln2', 'pos_norm']) ops.idle(hidden, x => ops.layerNorm(`${root}.${part}`, x))
    idleLinear(ops, `${root}.multimodal_embedder.embedding_projection`, hidden, words, false)
  }
  if (audio) idleLinear(ops, 'model.embed_audio.embedding_projection', audio.audio_embed_dim, words, false)
}

/** Gemma4ClippableLinear. Adapter targets meant for the decoder do not match its inner linear's name. */
function wrapped(ops: Builder, root: string, linears: readonly Linear[]): void {
  for (const [part, from, to] of linears) idleLinear(ops, `${root}.${part}.linear`, from, to, false)
}

function norms(ops: Builder, root: string, hidden: number, parts: readonly string[]): void {
  for (const part of parts) idleRmsNorm(ops, `${root}.${part}`, hidden)
}
