/** LLaVA and Pixtral: an encoder of images and two linear layers in front of Llama or Mistral. transformers: models/llava. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { type ImageOfSample, towerAndProjector } from '../images.ts'
import { gatedAnd } from '../linears.ts'
import { layerCount, layerList, size } from '../schema.ts'
import { clip, clipConfig, clipPatches } from '../vision/clip.ts'
import type { SizeInPixels } from '../vision/image-scaling.ts'
import { imageOfPixtral, pixtral, pixtralConfig } from '../vision/pixtral.ts'
import type { Blueprint, Images } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { llama, llamaConfig, mistral, mistralConfig } from './llama.ts'

/** Published files leave out what transformers' LlamaConfig and MistralConfig say. */
const written = {
  hidden_size: size.default(4_096),
  num_hidden_layers: layerCount.default(32),
  num_attention_heads: size.default(32),
}
export const llavaText = z.discriminatedUnion('model_type', [
  llamaConfig.extend({
    ...written,
    intermediate_size: size.default(11_008),
    max_position_embeddings: size.default(2_048),
  }),
  mistralConfig.extend({ ...written, num_key_value_heads: size.nullish().default(8) }),
])

/** The layer that features are taken from, or several side by side; negative ones are counted from the last. */
export const featureLayers = z.union([z.number().int(), layerList(z.number().int()).min(1)]).default(-2)

interface Featured {
  readonly vision_feature_layer: z.infer<typeof featureLayers>
  readonly vision_config: { readonly num_hidden_layers: number }
}

/** transformers finds no states of a layer that the tower does not have. */
export function hasFeatureLayers(config: Featured): boolean {
  const { num_hidden_layers: layers } = config.vision_config
  return indicesOf(config).every(index => index >= 0 && index <= layers)
}

/** How many layers have run before each of them. */
function indicesOf({ vision_feature_layer: features, vision_config: vision }: Featured): readonly number[] {
  return [features].flat().map(index => (index < 0 ? vision.num_hidden_layers + 1 + index : index))
}

/** Of `hasFeatureLayers`. */
export const noFeatureLayer = {
  path: ['vision_feature_layer'],
  error: 'names a layer that the vision_config does not have',
}

const llavaConfig = z
  .object({
    model_type: z.literal('llava'),
    tie_word_embeddings: z.boolean().default(false),
    text_config: llavaText,
    vision_config: z.discriminatedUnion('model_type', [
      clipConfig,
      pixtralConfig.extend({ model_type: z.literal('pixtral') }),
    ]),
    vision_feature_layer: featureLayers,
    multimodal_projector_bias: z.boolean().default(true),
  })
  .refine(hasFeatureLayers, noFeatureLayer)
type LlavaConfig = z.infer<typeof llavaConfig>

export function llava(config: LlavaConfig): Blueprint {
  const { text_config: text, vision_config: vision } = config
  const blueprint: Blueprint = {
    ...(text.model_type === 'llama' ? llama(text) : mistral(text)),
    isTied: config.tie_word_embeddings || text.tie_word_embeddings,
    root: 'model.language_model',
  }
  const seen = (ops: Builder, images: Images) =>
    vision.model_type === 'pixtral'
      ? pixtral(ops, 'model.vision_tower', vision, images, states => projected(ops, config, states))
      : seenByClip(ops, config, vision, images)
  // One image after the other.
  return { ...blueprint, vision: (ops, images) => ({ among: ops.concatenate([seen(ops, images)]) }) }
}

const projector = 'model.multi_modal_projector'

type Projecting = Pick<LlavaConfig, 'multimodal_projector_bias'> & {
  readonly text_config: { readonly hidden_size: number }
}

/** The patches of every image in the decoder's width, without class tokens. */
export function seenByClip(
  ops: Builder,
  config: Projecting & Pick<Featured, 'vision_feature_layer'>,
  vision: z.infer<typeof clipConfig>,
  images: Images,
): Value {
  const [first, ...others] = indicesOf({ ...config, vision_config: vision })
  const layers = Math.max(first ?? 0, ...others)
  const taken = clip(ops, 'model.vision_tower', vision, images, layers)
  // States of several layers side by side, which the projector reads as one.
  return projected(ops, config, others.length > 0 ? ops.concatenate([taken, ...others.map(() => taken)]) : taken)
}

function projected(
  ops: Builder,
  { text_config: text, multimodal_projector_bias: bias }: Projecting,
  seen: Value,
): Value {
  const widened = ops.gelu(ops.linear(`${projector}.linear_1`, seen, text.hidden_size, { bias }))
  return ops.linear(`${projector}.linear_2`, widened, text.hidden_size, { bias })
}

/** CLIPImageProcessor: scaled and cut to the square that the tower was trained on, whatever its size. */
function imageOf({ vision_config: vision }: LlavaConfig, image: SizeInPixels): ImageOfSample {
  if (vision.model_type === 'pixtral') return imageOfPixtral(image, vision, 1)
  const { image_size: side } = vision
  return { images: { tiles: 1, height: side, width: side, checkpointed: 'decoder' }, tokens: clipPatches(vision) }
}

export const llavaFamily = decoder(llavaConfig, llava, {
  linears: ({ vision_config: { model_type: tower } }) =>
    gatedAnd(...(tower === 'pixtral' ? [] : ['out_proj', 'fc1', 'fc2']), 'linear_1', 'linear_2'),
  imageOf,
  joinsImages: ({ vision_config: vision }) => vision.model_type === 'pixtral',
  parts: towerAndProjector,
})
