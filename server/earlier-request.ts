/** The body of `POST /analyze`: the earlier tool's `model_name`, and everything a spec can say under names in its style. */
import * as z from 'zod'
import { trainingSpec } from '../engine/training/spec.ts'
import { type AnalysisRequest, analysisRequest, specChanges } from './analysis.ts'
import { strictFields } from './fault.ts'

const spec = specChanges.shape
const adapters = trainingSpec.shape.lora.unwrap().partial().shape
const asked = analysisRequest.shape

const fields = strictFields({
  model_name: z
    .string({ error: 'model_name is missing: name a model, such as bert' })
    .min(1, 'model_name is empty: name a model, such as bert')
    .max(200),
  batch_size: spec.microBatch,
  gradient_accumulation: spec.gradientAccumulation,
  gpus: spec.gpus,
  sequence_length: spec.sequenceLength,
  target_length: spec.targetLength,
  image_size: spec.imageSize,
  labels: spec.labels,
  task: spec.task,
  framework: spec.framework,
  step: spec.step,
  precision: spec.precision,
  optimizer: spec.optimizer,
  attention: spec.attention,
  gradient_checkpointing: spec.gradientCheckpointing,
  lora_rank: adapters.rank,
  lora_targets: adapters.targets,
  lora_dropout: adapters.dropout,
  quantization: spec.quantization,
  sharding: spec.sharding,
  offload: spec.offload,
  fused_loss: spec.fusedLoss,
  padded_batches: spec.paddedBatches,
  loop: spec.loop,
  gpu: asked.gpu,
  engine: asked.engine,
  strategy: asked.strategy,
  step_size: asked.stepSize,
  price_per_hour: asked.pricePerHourUsd,
  hours_per_run: asked.hoursPerRun,
  runs_per_year: asked.runsPerYear,
})

export const earlierRequest = fields.refine(
  ({ lora_rank, lora_targets, lora_dropout }) =>
    lora_rank !== undefined || (lora_targets === undefined && lora_dropout === undefined),
  { path: ['lora_rank'], message: 'an adapter setting is given without a rank' },
)
export type EarlierRequest = z.infer<typeof earlierRequest>

export function analysisRequestOf(body: EarlierRequest): AnalysisRequest {
  return analysisRequest.parse({
    model: body.model_name,
    earlierDefaults: true,
    spec: {
      microBatch: body.batch_size,
      gradientAccumulation: body.gradient_accumulation,
      gpus: body.gpus,
      sequenceLength: body.sequence_length,
      targetLength: body.target_length,
      imageSize: body.image_size,
      labels: body.labels,
      task: body.task,
      framework: body.framework,
      step: body.step,
      precision: body.precision,
      optimizer: body.optimizer,
      attention: body.attention,
      gradientCheckpointing: body.gradient_checkpointing,
      lora: body.lora_rank === undefined ? undefined : loraOf(body),
      quantization: body.quantization,
      sharding: body.sharding,
      offload: body.offload,
      fusedLoss: body.fused_loss,
      paddedBatches: body.padded_batches,
      loop: body.loop,
    },
    gpu: body.gpu,
    engine: body.engine,
    strategy: body.strategy,
    stepSize: body.step_size,
    pricePerHourUsd: body.price_per_hour,
    hoursPerRun: body.hours_per_run,
    runsPerYear: body.runs_per_year,
  })
}

function loraOf({ lora_rank: rank, lora_targets: targets, lora_dropout: dropout }: EarlierRequest) {
  return { rank, targets, dropout }
}
