/** Images beside the text, where a tool's config says that there are some. */
import { hears, seesImages } from '../../models/architecture.ts'
import type { CatalogueModel } from '../../models/catalogue.ts'
import type { TrainingSpec } from '../spec.ts'

/** transformers' processors pad every image to as many tiles as the model takes. Undefined where images are words among words. */
export function oneImage(model: CatalogueModel | undefined): TrainingSpec['images'] {
  if (model?.config.model_type !== 'mllama') return undefined
  return { tiles: model.config.vision_config.max_num_tiles, checkpointed: 'decoder' }
}

/** Where images or speech are words among words, and all weights train on them. */
export function trainsTowers(model: CatalogueModel | undefined): true | undefined {
  if (model === undefined || model.config.model_type === 'mllama') return undefined
  return seesImages(model.config) || hears(model.config) ? true : undefined
}

/** LLaMA-Factory's MossVLPlugin (data/mm_plugin.py) gives a sample that has no image an empty one. */
export function imageOfEverySample(model: CatalogueModel | undefined): TrainingSpec['images'] {
  return model?.config.model_type === 'moss_vl' ? { tiles: 1, checkpointed: 'decoder' } : undefined
}
