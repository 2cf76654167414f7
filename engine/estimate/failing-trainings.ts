/** Trainings that fail however much memory there is. */
import { type ModelConfig, supportsCheckpointing } from '../models/architecture.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { mixesDTensors } from './library-rules.ts'

/** A sentence for each reason for which the training fails when it starts, or in its first step. */
export function whyItFails(spec: TrainingSpec, config: ModelConfig): string[] {
  const said: string[] = []
  if (mixesDTensors(spec))
    said.push(
      `transformers' Adafactor fails in its first step under FSDP2, with "got mixed torch.Tensor and DTensor" (transformers 5.18, torch 2.13): this training does not get further. Use another optimizer, or fsdp_version: 1.`,
    )
  if (spec.gradientCheckpointing && spec.loop === 'trainer' && !supportsCheckpointing(config))
    said.push(
      `transformers' Trainer does not start: ${spec.model} does not support gradient checkpointing (transformers 5.18, supports_gradient_checkpointing). Turn it off.`,
    )
  return said
}
