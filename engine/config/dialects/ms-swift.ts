/**
 * ms-swift, as of 4.5.2; releases since 3.4 have the same defaults: swift/arguments/*.py and swift/trainers/arguments.py, the
 * arguments; swift/pipelines/train/tuner.py, what they mean. The arguments stand on a command line, or in a file that it names.
 */
import type { Dialect } from '../dialect.ts'
import { writesAny } from '../text/written-keys.ts'
import { tunerKeys } from './ms-swift/keys.ts'
import { readMsSwift } from './ms-swift/read.ts'

const dataKeys = ['dataset', 'cached_dataset']
const writesTuner = writesAny([...tunerKeys, 'rlhf_type'])
const writesData = writesAny(dataKeys)

export const msSwift: Dialect = {
  name: 'ms-swift',
  mayBe: text => writesTuner(text) && writesData(text),
  recognise: document => {
    const tuner = [...tunerKeys, 'rlhf_type'].find(key => document.at(key) !== undefined)
    const isComplete = document.at('model') !== undefined && dataKeys.some(key => document.at(key) !== undefined)
    return tuner !== undefined && isComplete ? `model beside ${tuner}` : undefined
  },
  modelField: document => document.field('model'),
  deepSpeedField: document => document.at('deepspeed'),
  // Of what is frozen or not adapted, of the loop around the step, or of how adapters start.
  withoutBearing:
    /(?:^|\.)(?:lora_(?:alpha|bias)|target_modules|use_rslora|init_weights|vit_gradient_checkpointing|truncation_strategy|max_pixels|lazy_tokenize|attn_impl)$/,
  read: readMsSwift,
}
