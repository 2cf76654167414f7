/** Images in addition to text, if a tool's config says so. */
import { imageOfSample, isAudioModel, isVisionLanguageModel, type ModelConfig } from '../../models/architecture.ts'
import type { CatalogueModel } from '../../models/catalogue.ts'
import type { ImageHandling, ImageOfSample } from '../../models/images.ts'
import { MAX_IMAGE_SIDE, type TrainingSpec } from '../../training/spec.ts'
import type { Default, FieldReader } from '../fields/fields.ts'
import { SETTINGS_PATH } from '../fields/supplied.ts'
import type { Field } from '../text/section.ts'

/** transformers' processors pad every image to the model's maximum number of tiles. Undefined if images are embedded among the tokens. */
export function oneImage(model: CatalogueModel | undefined): TrainingSpec['images'] {
  if (model?.config.model_type !== 'mllama') return undefined
  return { tiles: model.config.vision_config.max_num_tiles, checkpointed: 'decoder' }
}

/** If images or audio are embedded among the tokens, and all weights train on them. */
export function trainsTowers(model: CatalogueModel | undefined): true | undefined {
  if (model === undefined || model.config.model_type === 'mllama') return undefined
  return isVisionLanguageModel(model.config) || isAudioModel(model.config) ? true : undefined
}

/** LLaMA-Factory's MossVLPlugin (data/mm_plugin.py) gives a sample that has no image an empty one. */
export function imageOfEverySample(model: CatalogueModel | undefined): TrainingSpec['images'] {
  return model?.config.model_type === 'moss_vl' ? { tiles: 1, checkpointed: 'decoder' } : undefined
}

/** The pixels that a tool lets an image have. */
export interface PixelLimit {
  readonly field: Field | undefined
  /** The tool's own, where no field says another. */
  readonly byDefault: Default<number>
  /** The key that sets it. */
  readonly key: string
}

/**
 * One image a sample, as large as the tool lets it become and as a sequence has room for. Undefined where the model reads no images
 * among its words.
 */
export function largestImage(
  reader: FieldReader,
  model: CatalogueModel,
  { field, byDefault, key }: PixelLimit,
  { length, handling = {} }: { readonly length: number; readonly handling: ImageHandling | undefined },
): TrainingSpec['images'] {
  const pixels = reader.wholeNumber(field, { max: MAX_IMAGE_SIDE ** 2 }) ?? byDefault.value
  const found = fittingImage(model.config, Math.floor(Math.sqrt(pixels)), { length, handling })
  if (found === undefined) return undefined
  const { images, tokens, side } = found
  // Where every image is scaled to the size of the tower, the tool's limit changes nothing.
  if (hasOneSize(model.config, handling)) return reader.note('images', images, "the model's processor")
  reader.assume(
    `One image per sample of ${side}×${side} pixels, the largest that ${key}${field === undefined ? `, ${byDefault.source},` : ''} and the sequence allow: ${tokens} of ${length} tokens. If yours are smaller, set image_size, the pixels of a side, for this path in ${SETTINGS_PATH}.`,
  )
  return reader.note('images', images, field ?? byDefault.source)
}

function hasOneSize(config: ModelConfig, handling: ImageHandling): boolean {
  const [small, large] = [224, 2_240].map(
    side => imageOfSample(config, { height: side, width: side }, handling)?.tokens,
  )
  return small === large
}

interface FittingImage extends ImageOfSample {
  /** Pixels. */
  readonly side: number
}

/** The square image of at most `side` pixels whose tokens a sequence has room for. */
function fittingImage(
  config: ModelConfig,
  side: number,
  { length, handling }: { readonly length: number; readonly handling: ImageHandling },
): FittingImage | undefined {
  const found = imageOfSample(config, { height: side, width: side }, handling)
  if (found === undefined || found.tokens <= length) return found && { ...found, side }
  const smaller = Math.min(side - 1, Math.floor(side * Math.sqrt(length / found.tokens)))
  return smaller < 1 ? undefined : fittingImage(config, smaller, { length, handling })
}
