/** Training specs for the tests of the engine's core: the model's default task at batch 16, changed as a test says. */
import type { TrainingSpec } from '../../engine/config/spec.ts'
import { Footprint } from '../../engine/estimate/footprint.ts'
import type { ModelConfig } from '../../engine/models/architecture.ts'
import { type CatalogueModel, findModel } from '../../engine/models/catalogue.ts'
import { MIB } from '../../engine/units.ts'

/** Two cuBLAS handles of an A10. */
export const WORKSPACE_BYTES = 2 * 8.125 * MIB

export function knownModel(name: string): CatalogueModel {
  const model = findModel(name)
  if (model === undefined) throw new Error(`${name} is not in the catalogue`)
  return model
}

export function specOf(name: string, changes: Partial<TrainingSpec> = {}): TrainingSpec {
  const model = knownModel(name)
  return {
    model: model.id,
    task: model.defaultTask,
    framework: 'pytorch',
    step: 'training',
    microBatch: 16,
    gradientAccumulation: 1,
    gpus: 1,
    ...(model.maxPositions === undefined ? { imageSize: 224 } : { sequenceLength: 128 }),
    labels: 2,
    precision: 'fp32',
    optimizer: 'adamw',
    attention: 'sdpa',
    gradientCheckpointing: false,
    paddedBatches: false,
    loop: 'plain',
    ...changes,
  }
}

export function footprintOf(
  name: string,
  changes: Partial<TrainingSpec> = {},
  config: ModelConfig = knownModel(name).config,
): Footprint {
  return new Footprint(specOf(name, changes), config)
}
