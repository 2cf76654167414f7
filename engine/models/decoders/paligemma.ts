/** PaliGemma 1 and 2: SigLIP and one linear layer in front of Gemma or Gemma 2. transformers: models/paligemma. */
import * as z from 'zod'
import type { ProgramTerms } from '../family.ts'
import { type ImageOfSample, towerAndProjector } from '../images.ts'
import { gatedAnd } from '../linears.ts'
import { size } from '../schema.ts'
import { patchesOf } from '../vision/patches.ts'
import { runningSiglipConfig, siglip } from '../vision/siglip.ts'
import type { Blueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { gemma, gemma2, gemma2Config, gemmaConfig } from './gemma.ts'

const paligemmaConfig = z.object({
  model_type: z.literal('paligemma'),
  text_config: z.discriminatedUnion('model_type', [gemmaConfig, gemma2Config]),
  vision_config: runningSiglipConfig,
  /** The width of what the projector hands to the decoder. */
  projection_dim: size.default(2_048),
})
type PaligemmaConfig = z.infer<typeof paligemmaConfig>

/** A prefix of images and words is not causal, so every layer has a mask. */
function paligemma(config: PaligemmaConfig, { images }: ProgramTerms): Blueprint {
  const { text_config: text, vision_config: tower } = config
  const masked = { isAlwaysMasked: images !== undefined }
  return {
    ...(text.model_type === 'gemma' ? gemma(text, masked) : gemma2(text, masked)),
    root: 'model.language_model',
    // Its own head does not cap Gemma 2's.
    logits: 'plain',
    vision: (ops, seen) => ({
      among: ops.linear(
        'model.multi_modal_projector.linear',
        siglip(ops, 'model.vision_tower', tower, seen),
        config.projection_dim,
      ),
    }),
  }
}

/** SiglipImageProcessor: scaled to the tower's square, whatever its size. A patch becomes a word. */
function imageOf({ vision_config: { image_size: side, patch_size: patch } }: PaligemmaConfig): ImageOfSample {
  const images = { tiles: 1, height: side, width: side, checkpointed: 'decoder' } as const
  return { images, tokens: patchesOf(images, patch, side).count }
}

export const paligemmaFamily = decoder(paligemmaConfig, paligemma, {
  linears: () => gatedAnd('out_proj', 'fc1', 'fc2', 'linear'),
  imageOf,
  parts: towerAndProjector,
})
