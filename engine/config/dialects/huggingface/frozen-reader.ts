/** The convolutions that read sound, which transformers' example scripts freeze unless told otherwise. */
import { readsSound } from '../../../models/architecture.ts'
import type { CatalogueModel } from '../../../models/catalogue.ts'
import type { TrainedPart } from '../../../training/spec.ts'
import type { FieldReader } from '../../fields/fields.ts'
import type { Arguments } from './arguments.ts'

/** All of wav2vec 2.0 and HuBERT but `feature_extractor`. */
const names = [
  '.*feature_projection\\.',
  '.*encoder\\.',
  '.*masked_spec_embed$',
  'lm_head\\.',
  'projector\\.',
  'classifier\\.',
]

/** examples/pytorch: run_speech_recognition_ctc.py and run_audio_classification.py, by their own argument. */
export function readFrozenReader(
  reader: FieldReader,
  { find, declared }: Arguments,
  model: CatalogueModel | undefined,
  hasAdapters: boolean,
): TrainedPart | undefined {
  if (model === undefined || !readsSound(model.config)) return undefined
  if (hasAdapters) {
    reader.assumeMore(
      'Gradients are counted down to the sound, where peft leaves them: if freeze_feature_encoder() is called, training takes less.',
    )
    return undefined
  }
  if (declared !== undefined) return undefined
  const isFrozen = reader.settle(
    'trainable',
    find('freeze_feature_encoder', 'freeze_feature_extractor'),
    field => reader.flag(field),
    {
      value: true,
      source: "run_speech_recognition_ctc.py's default",
      assumption:
        'The convolutions that read the sound are frozen, as run_speech_recognition_ctc.py has it by default.',
    },
  )
  return isFrozen ? { names, inputGradients: false, keepsType: true } : undefined
}
