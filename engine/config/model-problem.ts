/** Why a model could not be found, in words. */
import { closest, type Problem } from '../errors.ts'
import { modelNames } from '../models/catalogue.ts'
import { supportedArchitectures } from '../models/config-json.ts'
import type { Resolution } from '../models/resolve.ts'
import { oneOf, quote } from './quote.ts'

type Unresolved = Exclude<Resolution, { kind: 'resolved' }>

const bringConfig =
  "put the model's config.json into the repository, in a folder of that name or beside the training config"

export function modelProblem(name: string, resolution: Unresolved): Pick<Problem, 'code' | 'message' | 'fix'> {
  switch (resolution.kind) {
    case 'unknown':
      return {
        code: 'unknown-model',
        message: `The model ${quote(name)} is not known`,
        fix: didYouMean(name) ?? `Write its Hub id, or ${bringConfig}.`,
      }
    case 'unsupported':
      return {
        code: 'unsupported-architecture',
        message: `The architecture ${quote(resolution.architecture)} of the model ${quote(name)} is not supported`,
        fix: `Supported are ${oneOf(supportedArchitectures)}. CONTRIBUTING.md says how to add another.`,
      }
    case 'invalid':
      return {
        code: 'unusable-model-config',
        message: `The model ${quote(name)} cannot be known from ${quote(resolution.source)}: ${resolution.why}`,
        fix: 'Use the config.json that save_pretrained wrote beside the weights.',
      }
    case 'refused':
      return {
        code: 'model-refused',
        message: `The Hugging Face Hub does not show the model ${quote(name)} to everybody`,
        fix: `Set HF_TOKEN to a token that may read it, or ${bringConfig}.`,
      }
    case 'unreachable':
      return {
        code: 'hub-unreachable',
        message: `The model ${quote(name)} is not in the catalogue, and the Hugging Face Hub gave no answer: ${resolution.why}`,
        fix: `Try again, or ${bringConfig}.`,
      }
  }
}

function didYouMean(name: string): string | undefined {
  const meant = closest(name, modelNames)
  return meant && `Did you mean ${meant}?`
}
