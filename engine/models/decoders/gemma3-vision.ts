/** Gemma 3 that reads images beside text: SigLIP in front of Gemma 3's decoder. transformers: models/gemma3. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import type { ProgramTerms } from '../family.ts'
import { type ImageOfSample, towerAndProjector } from '../images.ts'
import { gatedAnd } from '../linears.ts'
import { layerCount, size } from '../schema.ts'
import { runningSiglipConfig, siglip } from '../vision/siglip.ts'
import { type Blueprint, type Images, normalised } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { gemma3, gemma3Config } from './gemma.ts'

/** What transformers' Gemma3TextConfig says where the checkpoint's config.json says nothing. */
const gemma3VisionConfig = z.object({
  model_type: z.literal('gemma3'),
  text_config: gemma3Config.omit({ model_type: true }).extend({
    vocab_size: size.default(262_208),
    hidden_size: size.default(2_304),
    intermediate_size: size.default(9_216),
    num_hidden_layers: layerCount.default(26),
    num_attention_heads: size.default(8),
    num_key_value_heads: size.default(4),
    head_dim: size.default(256),
    max_position_embeddings: size.default(131_072),
    sliding_window: size.nullish().default(4_096),
  }),
  vision_config: runningSiglipConfig,
  mm_tokens_per_image: size.default(256),
})

type Gemma3VisionConfig = z.infer<typeof gemma3VisionConfig>

/** What is read as images is not causal, so every layer has a mask: transformers' create_masks_for_vision_model. */
function gemma3Vision(config: Gemma3VisionConfig, { images }: ProgramTerms): Blueprint {
  return {
    ...gemma3(config.text_config, { isAlwaysMasked: images !== undefined }),
    root: 'model.language_model',
    vision: (ops, seen) => ({
      among: projected(ops, config, siglip(ops, 'model.vision_tower', config.vision_config, seen), seen),
    }),
  }
}

/** Gemma3MultiModalProjector: the mean of each square of patches becomes a word. Its matrix is no linear module. */
function projected(ops: Builder, config: Gemma3VisionConfig, seen: Value, { tiles }: Images): Value {
  const projector = 'model.multi_modal_projector'
  const { hidden_size: hidden } = config.vision_config
  const pooled = ops.averagedPatches(seen, tiles * config.mm_tokens_per_image)
  const normed = normalised(ops, 'rms-one-plus', `${projector}.mm_soft_emb_norm`, hidden, pooled)
  const name = `${projector}.mm_input_projection_weight`
  return ops.linear(name, ops.gathered(normed), config.text_config.hidden_size, { bias: false, isQuantizable: false })
}

/** Gemma3ImageProcessor, without pan and scan as its default is: scaled to the tower's square, whatever its size. */
function imageOf({
  vision_config: { image_size: side },
  mm_tokens_per_image: tokens,
}: Gemma3VisionConfig): ImageOfSample {
  return { images: { tiles: 1, height: side, width: side, checkpointed: 'decoder' }, tokens }
}

export const gemma3VisionFamily = decoder(gemma3VisionConfig, gemma3Vision, {
  linears: () => gatedAnd('out_proj', 'fc1', 'fc2'),
  imageOf,
  parts: towerAndProjector,
})
