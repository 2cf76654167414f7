/** A BERT that a CPU steps through in milliseconds. */
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { defaultGpu } from '../../engine/gpus/catalogue.ts'
import type { ModelConfig } from '../../engine/models/architecture.ts'
import { modelConfig } from '../../engine/models/model-config.ts'
import type { ProbeContext } from '../../engine/probes/probe.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { python } from './python.ts'

export const tinyConfig: ModelConfig = modelConfig.parse({
  model_type: 'bert',
  num_hidden_layers: 1,
  hidden_size: 64,
  num_attention_heads: 2,
  intermediate_size: 128,
  vocab_size: 100,
})

export const tinySpec: TrainingSpec = {
  model: 'google-bert/bert-base-uncased',
  task: 'sequence-classification',
  framework: 'pytorch',
  step: 'training',
  microBatch: 2,
  gradientAccumulation: 1,
  gpus: 1,
  sequenceLength: 16,
  labels: 2,
  precision: 'fp32',
  optimizer: 'adamw',
  attention: 'sdpa',
  gradientCheckpointing: false,
  paddedBatches: false,
  loop: 'plain',
}

export const tinyContext: ProbeContext = {
  spec: tinySpec,
  config: tinyConfig,
  footprints: new FootprintCache(),
  gpu: defaultGpu,
  python,
}
