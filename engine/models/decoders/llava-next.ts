/** LLaVA-NeXT (1.6): CLIP sees the whole image and the tiles of the grid that fits it best. transformers: models/llava_next. */
import * as z from 'zod'
import { type ImageOfSample, type SizeInPixels, towerAndProjector } from '../images.ts'
import { gatedAnd } from '../linears.ts'
import { layerList, size } from '../schema.ts'
import { clipConfig } from '../vision/clip.ts'
import { bestSize, withoutPadding } from '../vision/image-scaling.ts'
import type { Blueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { llama, mistral } from './llama.ts'
import { llavaText, seenByClip } from './llava.ts'

const llavaNextConfig = z.object({
  model_type: z.literal('llava_next'),
  tie_word_embeddings: z.boolean().default(false),
  text_config: llavaText,
  vision_config: clipConfig,
  vision_feature_layer: z.union([z.number(), layerList(z.number())]).default(-2),
  multimodal_projector_bias: z.boolean().default(true),
  /** Height and width of what an image may be scaled to. */
  image_grid_pinpoints: z
    .array(z.tuple([size, size]))
    .min(1)
    .max(100)
    .default([
      [336, 672],
      [672, 336],
      [672, 672],
      [1_008, 336],
      [336, 1_008],
    ]),
})
type LlavaNextConfig = z.infer<typeof llavaNextConfig>

function llavaNext(config: LlavaNextConfig): Blueprint {
  const { text_config: text, vision_config: vision } = config
  return {
    ...(text.model_type === 'llama' ? llama(text) : mistral(text)),
    isTied: config.tie_word_embeddings || text.tie_word_embeddings,
    root: 'model.language_model',
    vision: (ops, images) => {
      const { height = vision.image_size, width = vision.image_size } = images
      const { tiles, ...patches } = cut(config, { height, width })
      const seen = seenByClip(ops, config, vision, { ...images, tiles })
      return { among: ops.withNewlines('model.image_newline', seen, patches) }
    },
  }
}

/** Tiles of an image, the whole one among them, and the patches: of a tile, and of the others without padding. */
function cut({ vision_config: vision, image_grid_pinpoints: sizes }: LlavaNextConfig, image: SizeInPixels) {
  const { image_size: side, patch_size: patch } = vision
  const perSide = Math.floor(side / patch)
  const best = bestSize(
    image,
    sizes.map(([height, width]) => ({ height, width })),
  )
  const [down, across] = [Math.floor(best.height / side), Math.floor(best.width / side)]
  const { height: rows, width: columns } = withoutPadding(image, { height: down * perSide, width: across * perSide })
  return { tiles: down * across + 1, ofTile: perSide ** 2, rows, columns }
}

/** LlavaNextProcessor: a newline ends every row of patches. */
function imageOf(config: LlavaNextConfig, image: SizeInPixels): ImageOfSample {
  const { tiles, ofTile, rows, columns } = cut(config, image)
  return { images: { tiles, ...image, checkpointed: 'decoder' }, tokens: ofTile + rows * (columns + 1) }
}

export const llavaNextFamily = decoder(llavaNextConfig, llavaNext, {
  linears: () => gatedAnd('out_proj', 'fc1', 'fc2', 'linear_1', 'linear_2'),
  imageOf,
  parts: towerAndProjector,
})
