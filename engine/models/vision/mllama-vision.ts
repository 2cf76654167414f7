/** Llama 3.2 Vision's two encoders over the tiles of an image, the second gated. transformers: MllamaVisionModel. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { layerCount, layerList, size, someLayers } from '../schema.ts'

/** Defaults of transformers' MllamaVisionConfig. */
export const mllamaVisionConfig = z.object({
  hidden_size: size.default(1_280),
  intermediate_size: size.default(5_120),
  num_hidden_layers: layerCount.default(32),
  num_global_layers: layerCount.default(8),
  attention_heads: size.default(16),
  num_channels: z.literal(3).default(3),
  vision_output_dim: size.default(7_680),
  /** Pixels of a tile's side. */
  image_size: size.default(448),
  patch_size: size.default(14),
  max_num_tiles: z.number().int().min(1).max(64).default(4),
  intermediate_layers_indices: layerList(someLayers).default([3, 7, 15, 23, 30]),
  supported_aspect_ratios: z
    .array(z.array(z.number()).max(8))
    .max(1_000)
    .default([
      [1, 1],
      [1, 2],
      [1, 3],
      [1, 4],
      [2, 1],
      [2, 2],
      [3, 1],
      [4, 1],
    ]),
})
type MllamaVisionConfig = z.infer<typeof mllamaVisionConfig>

export interface Look {
  readonly tiles: number
  /** Whether activation checkpointing covers these layers; in transformers it does not. */
  readonly checkpoints?: boolean
}

/** A tile's rows are padded to a multiple of this many. */
const ROW_MULTIPLE = 8

/** Rows of a tile: its patches and a class token. */
export function rowsOf({ image_size: side, patch_size: patch }: MllamaVisionConfig): number {
  return Math.floor(side / patch) ** 2 + 1
}

/** `outside`: the decoder's hidden size. → [b, tiles · rows, outside]. */
export function mllamaVision(ops: Builder, config: MllamaVisionConfig, outside: number, look: Look): Value {
  const root = 'model.vision_model'
  const { tiles } = look
  const rows = rowsOf(config)
  const paddedRows = tiles * Math.ceil(rows / ROW_MULTIPLE) * ROW_MULTIPLE
  const mask = ops.mask(paddedRows, paddedRows)
  const between: Value[] = []
  let x = ops.padded(ops.layerNorm(`${root}.layernorm_pre`, embedded(ops, config, root, tiles)), paddedRows)
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = layer(ops, config, `${root}.transformer.layers.${index}`, x, { ...look, mask, isGated: false })
    if (config.intermediate_layers_indices.includes(index)) between.push(x)
  }
  x = placedByTile(ops, config, `${root}.post_tile_positional_embedding`, ops.layerNorm(`${root}.layernorm_post`, x))
  for (let index = 0; index < config.num_global_layers; index++) {
    x = layer(ops, config, `${root}.global_transformer.layers.${index}`, x, { ...look, mask, isGated: true })
  }
  return ops.linear('model.multi_modal_projector', ops.joined([x, ...between], tiles * rows), outside)
}

function embedded(ops: Builder, config: MllamaVisionConfig, root: string, tiles: number): Value {
  const { hidden_size: hidden, image_size: side, patch_size: patch } = config
  const convolution = { kernel: patch, stride: patch, padding: 0 }
  // Tiles one below the other: as large as one after the other.
  const pixels = ops.pixels(tiles * side, side)
  const patches = ops.flattenPixels(ops.conv2d(`${root}.patch_embedding`, pixels, hidden, convolution))
  const placed = placedByTile(ops, config, `${root}.pre_tile_positional_embedding`, patches)
  const withClasses = ops.prependTokens(Array(tiles).fill(`${root}.class_embedding`), placed)
  const positions = `${root}.gated_positional_embedding`
  const positioned = ops.addPositions(`${positions}.embedding`, withClasses, rowsOf(config))
  const perTile = rowsOf(config) * hidden
  return ops.add(positioned, tileTable(ops, config, `${positions}.tile_embedding`, `${positions}.gate`, perTile))
}

function placedByTile(ops: Builder, config: MllamaVisionConfig, name: string, x: Value): Value {
  return ops.add(x, tileTable(ops, config, `${name}.embedding`, `${name}.gate`, config.hidden_size))
}

/** Learned for every arrangement of tiles and for none. */
function tileTable(ops: Builder, config: MllamaVisionConfig, name: string, gate: string, perTile: number): Value {
  const arrangements = config.supported_aspect_ratios.length + 1
  // One id a sample, as of its first word.
  return ops.tanhGate(
    gate,
    ops.embedding(name, ops.firstToken(ops.input()), arrangements, config.max_num_tiles * perTile),
  )
}

interface LayerKind extends Look {
  readonly mask: Value
  readonly isGated: boolean
}

function layer(ops: Builder, config: MllamaVisionConfig, name: string, x: Value, kind: LayerKind): Value {
  const gated = (gate: string, states: Value) => (kind.isGated ? ops.tanhGate(`${name}.${gate}`, states) : states)
  const body = (input: Value) => {
    const normalised = ops.layerNorm(`${name}.input_layernorm`, input)
    const context = ops.frame(normalised, states => attention(ops, config, `${name}.self_attn`, states, kind.mask))
    const attended = ops.residual(gated('gate_attn', context), input)
    const normed = ops.layerNorm(`${name}.post_attention_layernorm`, attended)
    const fed = ops.frame(normed, states => {
      const widened = ops.gelu(ops.linear(`${name}.mlp.fc1`, states, config.intermediate_size))
      return ops.linear(`${name}.mlp.fc2`, widened, config.hidden_size)
    })
    return ops.residual(gated('gate_ffn', fed), attended)
  }
  return kind.checkpoints ? ops.block(x, body, [kind.mask]) : ops.frame(x, body)
}

function attention(ops: Builder, config: MllamaVisionConfig, name: string, x: Value, mask: Value): Value {
  const { hidden_size: hidden, attention_heads: heads } = config
  const [query, key, value] = ['q_proj', 'k_proj', 'v_proj'].map(part =>
    ops.linear(`${name}.${part}`, x, hidden, { bias: false }),
  ) as [Value, Value, Value]
  const context = ops.attention(query, key, value, { heads, causal: false, dropout: 0, castsSoftmax: true }, mask)
  return ops.linear(`${name}.o_proj`, context, hidden, { bias: false })
}
