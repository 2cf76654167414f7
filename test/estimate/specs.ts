/** Training specs for the tests of the engine's core: the model's default task at batch 16, changed as a test says. */
import { MIB } from '../../engine/base/units.ts'
import { specOf as defaultSpecOf } from '../../engine/config/adjusted-spec.ts'
import { Footprint } from '../../engine/estimate/footprint.ts'
import type { ModelConfig } from '../../engine/models/architecture.ts'
import { type CatalogueModel, findModel } from '../../engine/models/catalogue.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import type { TrainingMethod } from '../../engine/training/training-method.ts'

/** Two cuBLAS handles of an A10. */
export const WORKSPACE_BYTES = 2 * 8.125 * MIB

export function knownModel(name: string): CatalogueModel {
  const model = findModel(name)
  if (model === undefined) throw new Error(`${name} is not in the catalogue`)
  return model
}

export function specOf(name: string, changes: Partial<TrainingSpec> = {}): TrainingSpec {
  return { ...defaultSpecOf(knownModel(name)), ...changes }
}

export function footprintOf(
  name: string,
  changes: Partial<TrainingSpec> = {},
  config: ModelConfig = knownModel(name).config,
): Footprint {
  return new Footprint(specOf(name, changes), config)
}

/** Training that generates its own answers, as `specOf` takes it. */
export function onlineMethod(generation: OnlineMethod['generation']): OnlineMethod {
  return {
    kind: 'online',
    reference: 'none',
    completionLength: 256,
    completions: 8,
    generation,
    tempersInPlace: false,
    comparesFeatures: false,
  }
}
type OnlineMethod = Extract<TrainingMethod, { kind: 'online' }>
