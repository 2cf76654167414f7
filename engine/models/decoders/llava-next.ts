/** LLaVA-NeXT (1.6): CLIP sees the whole image and the tiles of the grid that fits it best. transformers: models/llava_next. */
import * as z from 'zod'
import { type ImageOfSample, towerAndProjector } from '../images.ts'
import { gatedAnd } from '../linears.ts'
import { clipConfig } from '../vision/clip.ts'
import type { SizeInPixels } from '../vision/image-scaling.ts'
import { cutIntoTiles, sizesInPixels } from '../vision/tiles-of-any-size.ts'
import type { Blueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { llama, mistral } from './llama.ts'
import { featureLayers, hasFeatureLayers, llavaText, noFeatureLayer, seenByClip } from './llava.ts'

const llavaNextConfig = z
  .object({
    model_type: z.literal('llava_next'),
    tie_word_embeddings: z.boolean().default(false),
    text_config: llavaText,
    vision_config: clipConfig,
    vision_feature_layer: featureLayers,
    multimodal_projector_bias: z.boolean().default(true),
    image_grid_pinpoints: sizesInPixels.default([
      [336, 672],
      [672, 336],
      [672, 672],
      [1_008, 336],
      [336, 1_008],
    ]),
  })
  .refine(hasFeatureLayers, noFeatureLayer)
type LlavaNextConfig = z.infer<typeof llavaNextConfig>

function llavaNext(config: LlavaNextConfig): Blueprint {
  const { text_config: text, vision_config: vision } = config
  return {
    ...(text.model_type === 'llama' ? llama(text) : mistral(text)),
    isTied: config.tie_word_embeddings || text.tie_word_embeddings,
    root: 'model.language_model',
    vision: (ops, images) => {
      const { height = vision.image_size, width = vision.image_size } = images
      const { tiles, ...patches } = cutIntoTiles({ height, width }, vision, config.image_grid_pinpoints)
      const seen = seenByClip(ops, config, vision, { ...images, tiles })
      return { among: ops.withNewlines('model.image_newline', seen, patches) }
    },
  }
}

/** LlavaNextProcessor: a newline ends every row of patches. */
function imageOf(config: LlavaNextConfig, image: SizeInPixels): ImageOfSample {
  const { tiles, ofTile, rows, columns } = cutIntoTiles(image, config.vision_config, config.image_grid_pinpoints)
  return { images: { tiles, ...image, checkpointed: 'decoder' }, tokens: ofTile + rows * (columns + 1) }
}

export const llavaNextFamily = decoder(llavaNextConfig, llavaNext, {
  linears: () => gatedAnd('out_proj', 'fc1', 'fc2', 'linear_1', 'linear_2'),
  imageOf,
  parts: towerAndProjector,
})
