/** What the rows of one step have access to. */
import type { TrainingSpec } from '../../training/spec.ts'
import type { Batch } from './batch.ts'
import type { Parameters } from './parameters.ts'
import type { Values } from './values.ts'

export interface TfjsRun {
  readonly spec: TrainingSpec
  readonly batch: Batch
  readonly parameters: Parameters
  readonly values: Values
}
