/**
 * Vision towers, for their weights only: a step on text never runs them. transformers:
 * models/{siglip,qwen3_vl}.
 */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import { layerCount, layerList, size } from '../schema.ts'

export const channels = z.number().int().min(1).max(16).default(3)

export const siglipConfig = z.object({
  hidden_size: size.default(768),
  intermediate_size: size.default(3_072),
  num_hidden_layers: layerCount.default(12),
  num_channels: channels,
  image_size: size.default(224),
  patch_size: size.default(16),
  vision_use_head: z.boolean().default(true),
})

const qwenVision = {
  depth: layerCount,
  in_channels: channels,
  patch_size: size,
  spatial_merge_size: size.default(2),
  temporal_patch_size: size.default(2),
}

export const qwen3VisionConfig = z.object({
  ...qwenVision,
  depth: layerCount.default(27),
  hidden_size: size.default(1_152),
  intermediate_size: size.default(4_304),
  out_hidden_size: size.default(3_584),
  patch_size: size.default(16),
  num_heads: size.default(16),
  num_position_embeddings: size.default(2_304),
  deepstack_visual_indexes: layerList(z.number()).default([8, 16, 24]),
})
export type Qwen3Vision = z.infer<typeof qwen3VisionConfig>

/** What a layer of a tower is made of: linear layers one after the other, and norms. */
export interface TowerLayer {
  readonly norms: readonly string[]
  readonly normKind: 'layer' | 'rms'
  readonly linears: readonly TowerLinear[]
  /** Of the linears that say nothing themselves. */
  readonly bias: boolean
}

type TowerLinear = readonly [name: string, inFeatures: number, outFeatures: number, hasBias?: boolean]

export function siglip(ops: Builder, root: string, config: z.infer<typeof siglipConfig>): void {
  const { hidden_size: hidden, patch_size: patch } = config
  const projections = ['q_proj', 'k_proj', 'v_proj', 'out_proj'].map(
    part => [`self_attn.${part}`, hidden, hidden] as const,
  )
  patches(ops, `${root}.embeddings.patch_embedding`, hidden, config.num_channels * patch ** 2, { bias: true })
  table(ops, `${root}.embeddings.position_embedding`, Math.floor(config.image_size / patch) ** 2, hidden)
  tower(ops, `${root}.encoder.layers`, config.num_hidden_layers, hidden, {
    norms: ['layer_norm1', 'layer_norm2'],
    normKind: 'layer',
    linears: [...projections, ...perceptron(config)],
    bias: true,
  })
  ops.idle(hidden, x => ops.layerNorm(`${root}.post_layernorm`, x))
  if (config.vision_use_head) siglipHead(ops, root, config)
}

/** The attention pooling of an image's patches into one vector, which no decoder reads. */
export function siglipHead(ops: Builder, root: string, config: SiglipSizes): void {
  const { hidden_size: hidden } = config
  const head = `${root}.head`
  table(ops, `${head}.probe`, 1, hidden)
  // One matrix and one vector for q, k and v, which are no linear module.
  table(ops, `${head}.attention.in_proj`, 3 * hidden, hidden + 1)
  tower(ops, head, 1, hidden, {
    norms: ['layernorm'],
    normKind: 'layer',
    linears: [['attention.out_proj', hidden, hidden], ...perceptron(config)],
    bias: true,
  })
}

type SiglipSizes = Pick<z.infer<typeof siglipConfig>, 'hidden_size' | 'intermediate_size'>

const perceptron = ({ hidden_size: hidden, intermediate_size: inner }: SiglipSizes) =>
  [
    ['mlp.fc1', hidden, inner],
    ['mlp.fc2', inner, hidden],
  ] as const

/** Qwen 3 VL's patches with their positions, and the blocks that they go through. */
export function qwen3Blocks(ops: Builder, root: string, config: Qwen3Vision): void {
  const { hidden_size: hidden, intermediate_size: inner } = config
  patches(ops, `${root}.patch_embed.proj`, hidden, voxels(config), { bias: true })
  table(ops, `${root}.pos_embed`, config.num_position_embeddings, hidden)
  tower(ops, `${root}.blocks`, config.depth, hidden, {
    norms: ['norm1', 'norm2'],
    normKind: 'layer',
    linears: [...joinedAttention(hidden), ['mlp.linear_fc1', hidden, inner], ['mlp.linear_fc2', inner, hidden]],
    bias: true,
  })
}

const joinedAttention = (hidden: number) =>
  [
    ['attn.qkv', hidden, 3 * hidden],
    ['attn.proj', hidden, hidden],
  ] as const

export const voxels = (config: { in_channels: number; temporal_patch_size: number; patch_size: number }) =>
  config.in_channels * config.temporal_patch_size * config.patch_size ** 2

export function tower(ops: Builder, root: string, layers: number, hidden: number, layer: TowerLayer): void {
  ops.layers(undefined, root, layers, (_, { name }) => {
    for (const norm of layer.norms) {
      if (layer.normKind === 'rms') idleRmsNorm(ops, `${name}.${norm}`, hidden)
      else ops.idle(hidden, x => ops.layerNorm(`${name}.${norm}`, x))
    }
    for (const [part, from, to, hasBias = layer.bias] of layer.linears) {
      idleLinear(ops, `${name}.${part}`, from, to, hasBias)
    }
    return undefined
  })
}

/** A convolution over patches: as a table, since it is no linear module that adapters or quantisation would touch. */
export function patches(ops: Builder, name: string, hidden: number, features: number, { bias = false } = {}): void {
  table(ops, name, hidden, features)
  if (bias) ops.idle(hidden, x => ops.layerScale(`${name}.bias`, x))
}

export function table(ops: Builder, name: string, count: number, features: number): void {
  ops.idle(features, () => ops.constantEmbedding(name, count, features, 1))
}

export function idleLinear(ops: Builder, name: string, from: number, to: number, bias: boolean): void {
  ops.idle(from, x => ops.linear(name, x, to, { bias }))
}

export function idleRmsNorm(ops: Builder, name: string, features: number): void {
  ops.idle(features, x => ops.rmsNorm(name, x, { size: features, scalesInFloat32: false }))
}
