/**
 * Configs of tools whose own models or compositions are not supported, with a model that the team's settings supply: what the
 * file says is read, and the rest is assumed.
 */

import type { Optimizer, Precision } from '../../training/choices.ts'
import type { Reading } from '../reading.ts'
import type { Field } from '../text/section.ts'
import type { FieldReader } from './fields.ts'
import { readGpus } from './gpus.ts'
import { type ModelLookup, readInputSize, readLabels, readModel, readUnwrittenTask } from './model-fields.ts'
import { stepInPytorch, trainingConfig } from './training-config.ts'

export interface SuppliedModelConfig {
  readonly dialect: string
  readonly microBatch: number | undefined
  readonly batchSize: Field | undefined
  readonly gradientAccumulation: number
  readonly accumulation: Field | undefined
  readonly sequenceLength: Field | undefined
  readonly imageSize: Field | undefined
  readonly labels: Field | undefined
  readonly precision: Precision
  readonly optimizer: Optimizer
}

/** Call only if `reader` supplies a model. */
export function suppliedModelReading(reader: FieldReader, lookUp: ModelLookup, config: SuppliedModelConfig): Reading {
  const { microBatch, gradientAccumulation, batchSize, accumulation } = config
  const model = readModel(reader, undefined, 'the model', lookUp)
  const task = model && readUnwrittenTask(reader, model)
  const size = readInputSize(reader, model, config)
  const labels = readLabels(reader, config.labels, task)
  reader.assume(
    'No adapters and no gradient checkpointing: that is up to the training code, and the file does not say.',
  )
  return trainingConfig(reader, {
    dialect: config.dialect,
    model,
    spec: {
      ...stepInPytorch,
      loop: 'plain',
      task,
      microBatch,
      gradientAccumulation,
      gpus: readGpus(reader, undefined),
      ...size,
      labels,
      precision: config.precision,
      optimizer: config.optimizer,
      attention: 'sdpa',
      gradientCheckpointing: false,
      paddedBatches: task === 'sequence-classification',
    },
    batchSize,
    accumulation,
  })
}
