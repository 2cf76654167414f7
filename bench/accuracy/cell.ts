/** A row of `bench:accuracy`: a training, by what it changes of the model's default spec. */
import type { TrainingSpec } from '../../engine/training/spec.ts'

export type Cell = readonly [model: string, changes: Partial<TrainingSpec>]
