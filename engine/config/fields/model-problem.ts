/** Why a model could not be found, as a problem. */
import { didYouMean } from '../../base/did-you-mean.ts'
import type { Problem } from '../../base/errors.ts'
import { modelNames } from '../../models/catalogue.ts'
import { modelTypes } from '../../models/model-types.ts'
import type { Resolution } from '../resolve-model.ts'
import { oneOf, quote } from '../text/quote.ts'
import { SETTINGS_PATH } from './supplied.ts'

type Unresolved = Exclude<Resolution, { kind: 'resolved' }>

const bringConfig = `add the model's config.json to the repository, in a folder of that name or next to the training config. For a config, a known model of its size may stand in: model in the overrides of ${SETTINGS_PATH}`

export function modelProblem(name: string, resolution: Unresolved): Pick<Problem, 'code' | 'message' | 'fix'> {
  switch (resolution.kind) {
    case 'unknown':
      return {
        code: 'unknown-model',
        message: `Unknown model ${quote(name)}`,
        fix: didYouMean(name, modelNames) || `Use its Hugging Face Hub id, or ${bringConfig}.`,
      }
    case 'unsupported':
      return {
        code: 'unsupported-architecture',
        message: `The architecture ${quote(resolution.architecture)} of the model ${quote(name)} is not supported`,
        fix: `Supported: ${oneOf(modelTypes())}. CONTRIBUTING.md says how to add another.`,
      }
    case 'invalid':
      return {
        code: 'unusable-model-config',
        message: `The model ${quote(name)} cannot be read from ${quote(resolution.source)}: ${resolution.why}`,
        fix: 'Use the config.json that save_pretrained wrote next to the weights.',
      }
    case 'refused':
      return {
        code: 'model-refused',
        message: `The model ${quote(name)} is gated or private on the Hugging Face Hub`,
        fix: `Set HF_TOKEN to a token with access to it, or ${bringConfig}.`,
      }
    case 'unreachable':
      return {
        code: 'hub-unreachable',
        message: `The model ${quote(name)} is not in the catalogue, and the Hugging Face Hub did not answer: ${resolution.why}`,
        fix: didYouMean(name, modelNames, `Try again, or ${bringConfig}.`),
      }
  }
}
