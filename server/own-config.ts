/** Writes a training as a config in MemoryMark's own format, for a model named without a config. */
import { yamlLiteral } from '../engine/config/text/yaml-literal.ts'
import type { BatchPlan } from '../engine/metrics/recommend.ts'
import type { TrainingSpec } from '../engine/training/spec.ts'

export function ownConfig(spec: TrainingSpec, plan: BatchPlan): string {
  const keys = {
    model: spec.model,
    task: spec.task,
    batch_size: plan.microBatch,
    gradient_accumulation: plan.gradientAccumulation,
    gpus: spec.gpus,
    sharding: spec.sharding,
    sequence_length: spec.sequenceLength,
    image_size: spec.imageSize,
    labels: spec.labels,
    precision: spec.precision,
    optimizer: spec.optimizer,
    attention: spec.attention,
    gradient_checkpointing: spec.gradientCheckpointing,
    step: spec.step,
    loop: spec.loop,
    padded_batches: spec.paddedBatches,
    lora_rank: spec.lora?.rank,
    lora_targets: spec.lora?.targets,
    lora_dropout: spec.lora?.dropout,
    quantization: spec.quantization,
    fused_loss: spec.fusedLoss,
  }
  const lines = Object.entries(keys).flatMap(([key, value]) =>
    value === undefined ? [] : [`  ${key}: ${yamlLiteral(value)}\n`],
  )
  return `memorymark:\n${lines.join('')}`
}
