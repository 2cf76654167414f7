/** What is known of a model from its config.json. Its family says all that differs from family to family. */
import type * as z from 'zod'
import type { Task } from '../training/choices.ts'
import type { configSchemas } from './families.ts'
import { type Family, IMAGENET_PIXELS, tasksOfKind } from './family.ts'
import type { ImageHandling, ImageOfSample } from './images.ts'
import type { Linears } from './linears.ts'
import { familyNamed } from './model-types.ts'
import type { SizeInPixels } from './vision/image-scaling.ts'

type AnyConfig = (typeof configSchemas)[number]
/** A model's config.json, as far as memory depends on it; unknown fields are dropped. */
export type ModelConfig = z.infer<AnyConfig>

/** @throws Error for a `model_type` that is not supported. */
export function familyOf({ model_type: type }: { readonly model_type: string }): Family<AnyConfig> {
  const found = familyNamed(type)
  if (found === undefined) throw new Error(`no model is called ${type}`)
  return found
}

/** The tasks that a model is trained for; the first is the default. */
export function tasksOf(config: ModelConfig): readonly [Task, ...Task[]] {
  return tasksOfKind[familyOf(config).kind(config)]
}

/** The longest sequence in tokens; undefined for images. */
export function maxPositionsOf(config: ModelConfig): number | undefined {
  if ('n_positions' in config) return config.n_positions
  if ('max_target_positions' in config) return config.max_target_positions
  if ('text_config' in config) return config.text_config.max_position_embeddings
  if (!('max_position_embeddings' in config)) return undefined
  return config.max_position_embeddings - (familyOf(config).unreachedPositions ?? 0)
}

/** The side of the images that a model was trained on, in pixels; undefined for text. */
export function imageSizeOf(config: ModelConfig): number | undefined {
  const { kind, imageSize } = familyOf(config)
  if (imageSize !== undefined) return imageSize(config)
  if ('image_size' in config) return config.image_size
  return kind(config) === 'image' ? IMAGENET_PIXELS : undefined
}

/** Whether it is a vision-language model. */
export function isVisionLanguageModel(config: ModelConfig): boolean {
  return 'vision_config' in config
}

/** Whether it is an audio model. */
export function isAudioModel(config: ModelConfig): boolean {
  return 'audio_config' in config
}

/** Whether it reads sound as it is sampled: the length of a sequence is that of the sound, in samples. */
export function readsSound(config: ModelConfig): boolean {
  return familyOf(config).kind(config) === 'sound'
}

/** Whether layers hold a mixture of experts. */
export function hasExperts(config: ModelConfig): boolean {
  const text = 'text_config' in config ? config.text_config : config
  return (
    ('num_experts_per_tok' in text && (text.num_experts_per_tok ?? 0) > 0) ||
    ('enable_moe_block' in text && text.enable_moe_block)
  )
}

/** Whether transformers offers `gradient_checkpointing_enable` for it. */
export function supportsCheckpointing(config: ModelConfig): boolean {
  return familyOf(config).withoutCheckpointing !== true
}

/** The linear layers that may have adapters; undefined where they are not known. */
export function linearsOf(config: ModelConfig): Linears | undefined {
  return familyOf(config).linears?.(config)
}

/** The tokens of an image of a given size; undefined if images are not modelled. */
export function imageOfSample(
  config: ModelConfig,
  size: SizeInPixels,
  handling?: ImageHandling,
): ImageOfSample | undefined {
  return familyOf(config).imageOf?.(config, size, handling)
}

/** The same of a video of so many frames; undefined if videos are not modelled. */
export function videoOfSample(config: ModelConfig, size: SizeInPixels, frames: number): ImageOfSample | undefined {
  return familyOf(config).videoOf?.(config, size, frames)
}

/** Whether its image tower compares every patch of a batch with every other, and masks those of other images. */
export function joinsImages(config: ModelConfig): boolean {
  return familyOf(config).joinsImages?.(config) ?? false
}

/** Whether images are modelled for a vision-language model. */
export function readsImages(config: ModelConfig): boolean {
  return imageOfSample(config, { height: IMAGENET_PIXELS, width: IMAGENET_PIXELS }) !== undefined
}
