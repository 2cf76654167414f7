/**
 * LLaVA-OneVision: SigLIP sees the whole image and its tiles, whose patches are scaled down to those of nine tiles.
 * transformers: models/llava_onevision.
 */
import * as z from 'zod'
import { type ImageOfSample, towerAndProjector } from '../images.ts'
import { gatedAnd } from '../linears.ts'
import type { SizeInPixels } from '../vision/image-scaling.ts'
import { floorDivided } from '../vision/image-scaling.ts'
import { runningSiglipConfig, siglip } from '../vision/siglip.ts'
import { cutIntoTiles, sizesInPixels } from '../vision/tiles-of-any-size.ts'
import type { Blueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { qwen2, qwen2Config } from './qwen.ts'

/** Tiles on a side of the largest image. */
const LARGEST = 6
const SIDE = 384
const sides = Array.from({ length: LARGEST }, (_, index) => SIDE * (index + 1))

const llavaOnevisionConfig = z.object({
  model_type: z.literal('llava_onevision'),
  tie_word_embeddings: z.boolean().default(false),
  text_config: qwen2Config,
  vision_config: runningSiglipConfig,
  multimodal_projector_bias: z.boolean().default(true),
  image_grid_pinpoints: sizesInPixels.default(
    sides.flatMap(height => sides.map((width): [number, number] => [height, width])),
  ),
  vision_aspect_ratio: z.literal('anyres_max_9').default('anyres_max_9'),
})
type LlavaOnevisionConfig = z.infer<typeof llavaOnevisionConfig>

function llavaOnevision(config: LlavaOnevisionConfig): Blueprint {
  const { text_config: text, vision_config: vision, multimodal_projector_bias: bias } = config
  return {
    ...qwen2(text),
    isTied: config.tie_word_embeddings || text.tie_word_embeddings,
    root: 'model.language_model',
    vision: (ops, images) => {
      const projector = 'model.multi_modal_projector'
      const { height = vision.image_size, width = vision.image_size } = images
      const { tiles, ...patches } = cut(config, { height, width })
      // The states of the last layer, which the norm behind it does not touch.
      const seen = siglip(ops, 'model.vision_tower', vision, { ...images, tiles }, { normsLast: false })
      const widened = ops.gelu(ops.linear(`${projector}.linear_1`, seen, text.hidden_size, { bias }))
      const projected = ops.linear(`${projector}.linear_2`, widened, text.hidden_size, { bias })
      return { among: ops.withNewlines('model.image_newline', projected, patches) }
    },
  }
}

/** The `9` of `anyres_max_9`. */
const MOST_TILES = 9
/** Patches are only scaled if that makes a side shorter by more than a tenth. */
const LEAST_RATIO = 1.1

function cut(config: LlavaOnevisionConfig, image: SizeInPixels) {
  const cut = cutIntoTiles(image, config.vision_config, config.image_grid_pinpoints)
  const ratio = Math.sqrt((cut.rows * cut.columns) / (MOST_TILES * cut.ofTile))
  if (ratio <= LEAST_RATIO) return cut
  return { ...cut, scaled: { rows: floorDivided(cut.rows, ratio), columns: floorDivided(cut.columns, ratio) } }
}

/** LlavaOnevisionProcessor: a newline ends every row of patches. */
function imageOf(config: LlavaOnevisionConfig, image: SizeInPixels): ImageOfSample {
  const patches = cut(config, image)
  const { rows, columns } = 'scaled' in patches ? patches.scaled : patches
  const tokens = patches.ofTile + rows * (columns + 1)
  return { images: { tiles: patches.tiles, ...image, checkpointed: 'decoder' }, tokens }
}

export const llavaOnevisionFamily = decoder(llavaOnevisionConfig, llavaOnevision, {
  linears: () => gatedAnd('out_proj', 'fc1', 'fc2', 'linear_1', 'linear_2'),
  imageOf,
  parts: towerAndProjector,
})
