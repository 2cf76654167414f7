/** SmolVLM and Idefics 3: SigLIP, whose patches are merged by squares, in front of Llama. transformers: models/{smolvlm,idefics3}. */
import * as z from 'zod'
import type { ImageOfSample, ModelParts } from '../images.ts'
import { gatedAnd } from '../linears.ts'
import { size } from '../schema.ts'
import { idefics3Vision, idefics3VisionConfig, tileSide } from '../vision/idefics3-vision.ts'
import type { SizeInPixels } from '../vision/image-scaling.ts'
import { tilesOfScaled } from '../vision/image-scaling.ts'
import type { Blueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { llama, llamaConfig } from './llama.ts'

const fields = {
  tie_word_embeddings: z.boolean().default(false),
  text_config: llamaConfig,
  vision_config: idefics3VisionConfig,
  /** Patches of a square's side that become one word. */
  scale_factor: size.default(2),
}
const smolvlmConfig = z.object({ model_type: z.literal('smolvlm'), ...fields })
const idefics3Config = z.object({ model_type: z.literal('idefics3'), ...fields })
type SmolvlmConfig = z.infer<typeof smolvlmConfig | typeof idefics3Config>

export function smolvlm(config: SmolvlmConfig): Blueprint {
  const { text_config: text, vision_config: vision, scale_factor: merge } = config
  return {
    ...llama(text),
    isTied: config.tie_word_embeddings,
    root: 'model.text_model',
    vision: (ops, images) => {
      const squares = idefics3Vision(ops, 'model.vision_model', vision, images, merge)
      const projection = 'model.connector.modality_projection.proj'
      const among = ops.linear(projection, squares, text.hidden_size, { bias: false })
      return { among, looksUpRows: config.model_type === 'smolvlm' }
    },
  }
}

/** Sides of a tile that the longer side of an image is scaled to. */
const LONGEST_SIDE = 4

/** SmolVLMImageProcessor: tiles as large as the tower's images, and behind them the whole image in one of them. */
function imageOf({ vision_config: vision, scale_factor: merge }: SmolvlmConfig, image: SizeInPixels): ImageOfSample {
  const { image_size: side } = vision
  const tiles = tilesOfScaled(image, side, LONGEST_SIDE) + 1
  const tokens = tiles * Math.floor(tileSide(vision) / merge) ** 2
  return { images: { tiles, height: side, width: side, checkpointed: 'decoder' }, tokens }
}

const parts: ModelParts = {
  language: [String.raw`model\.text_model\.`, 'lm_head'],
  tower: [String.raw`model\.vision_model\.`],
  projector: [String.raw`model\.connector\.`],
}
const traits = { linears: () => gatedAnd('out_proj', 'fc1', 'fc2', 'proj'), imageOf, parts }

export const smolvlmFamily = decoder(smolvlmConfig, smolvlm, traits)
export const idefics3Family = decoder(idefics3Config, smolvlm, traits)
