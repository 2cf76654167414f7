/**
 * Configs of tools whose own models or compositions are not followed here, for a model that the team's settings supply: what the
 * file does say, and the rest as assumed.
 */
import type { FieldReader } from './fields.ts'
import { type ModelLookup, readInputSize, readLabels, readModel, readUnwrittenTask } from './model-fields.ts'
import type { Reading } from './reading.ts'
import type { Field } from './section.ts'
import type { Optimizer, Precision } from './spec.ts'

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

/** Only to be asked where `reader` supplies a model. */
export function suppliedModelReading(reader: FieldReader, lookUp: ModelLookup, config: SuppliedModelConfig): Reading {
  const { microBatch, gradientAccumulation, batchSize, accumulation } = config
  const model = readModel(reader, undefined, 'the model', lookUp)
  const task = model && readUnwrittenTask(reader, model)
  const size = readInputSize(reader, model, config)
  const labels = readLabels(reader, config.labels, task)
  reader.assume(
    'One GPU, no adapters and no gradient checkpointing: the training code decides, and the file does not say.',
  )
  if (model === undefined || task === undefined || microBatch === undefined || reader.problems.length > 0) {
    return { kind: 'unreadable', problems: reader.problems }
  }
  return {
    kind: 'training-config',
    dialect: config.dialect,
    model,
    spec: {
      model: model.id,
      task,
      framework: 'pytorch',
      step: 'training',
      microBatch,
      gradientAccumulation,
      gpus: 1,
      ...size,
      labels,
      precision: config.precision,
      optimizer: config.optimizer,
      attention: 'sdpa',
      gradientCheckpointing: false,
      paddedBatches: task === 'sequence-classification',
      loop: 'plain',
    },
    ...(batchSize && { batchSizeAt: batchSize.at }),
    ...(accumulation && { gradientAccumulationAt: accumulation.at }),
    assumptions: reader.assumptions,
  }
}
