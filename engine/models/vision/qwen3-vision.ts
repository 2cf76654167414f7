/**
 * The vision tower of Qwen 3 VL: a position table is interpolated to each image, and states of some layers are added to
 * the image tokens in the decoder's first layers (DeepStack). transformers: models/qwen3_vl.
 */
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import type { Images, SeenImages } from '../decoders/blueprint.ts'
import { patchesOf } from './patches.ts'
import { merged, qwenAttention } from './qwen-attention.ts'
import { type Qwen3Vision, voxels } from './towers.ts'

export function qwen3Vision(ops: Builder, root: string, config: Qwen3Vision, images: Images): SeenImages {
  const { hidden_size: hidden, num_heads: heads, spatial_merge_size: merge } = config
  const { count } = patchesOf(images, config.patch_size)
  const name = `${root}.patch_embed.proj`
  const embedded = ops.patchEmbedding(name, ops.patches(count, voxels(config)), hidden, { bias: true })
  const placed = ops.add(
    embedded,
    ops.resampledPositions(`${root}.pos_embed`, embedded, config.num_position_embeddings),
  )
  const table = ops.patchPositions(placed, hidden / heads)
  const inside = hidden * merge ** 2
  const sizes = { words: count / merge ** 2, inside, outside: config.out_hidden_size }
  const fitted = (module: string, normed: Value) =>
    ops.concatenate([merged(ops, [`${module}.linear_fc1`, `${module}.linear_fc2`], normed, sizes)])
  const deep: Value[] = []
  const kinds = Array.from({ length: config.depth }, (_, index) => config.deepstack_visual_indexes.indexOf(index))
  const seen = ops.layers(placed, `${root}.blocks`, kinds.map(String), (states, { name: path, index }) => {
    const output = ops.block(
      states,
      input => layer(ops, path, input, { ...config, heads, hidden, table, patches: count, parts: images.tiles }),
      table,
      { isUnhooked: true },
    )
    const place = kinds[index] ?? -1
    if (place >= 0) {
      const module = `${root}.deepstack_merger_list.${place}`
      deep[place] = fitted(module, ops.layerNorm(`${module}.norm`, ops.inRows(output, sizes.words)))
    }
    return output
  })
  const among = fitted(`${root}.merger`, ops.layerNorm(`${root}.merger.norm`, seen))
  return { among, deep }
}

type LayerShape = Parameters<typeof qwenAttention>[3] & Pick<Qwen3Vision, 'intermediate_size'>

function layer(ops: Builder, name: string, x: Value, shape: LayerShape): Value {
  const attended = ops.frame(ops.layerNorm(`${name}.norm1`, x), normed =>
    qwenAttention(ops, `${name}.attn`, normed, shape),
  )
  const between = ops.residual(attended, x)
  const fed = ops.frame(ops.layerNorm(`${name}.norm2`, between), normed => {
    const widened = ops.gelu(ops.linear(`${name}.mlp.linear_fc1`, normed, shape.intermediate_size))
    return ops.linear(`${name}.mlp.linear_fc2`, widened, shape.hidden)
  })
  return ops.residual(fed, between)
}
