/** Images in addition to text, if a tool's config says so. */
import { isAudioModel, isVisionLanguageModel } from '../../models/architecture.ts'
import type { CatalogueModel } from '../../models/catalogue.ts'
import type { TrainingSpec } from '../spec.ts'

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
