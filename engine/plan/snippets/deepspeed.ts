/**
 * DeepSpeed's settings for one stage of ZeRO (deepspeed 0.19 runtime/zero/config.py). "auto" is for the Trainer and
 * Axolotl to fill in from their own arguments (transformers 5.18 integrations/deepspeed.py, trainer_config_process).
 */
import type { Strategy } from '../strategy.ts'
import type { SnippetFile } from './snippet.ts'

const stages: Readonly<Partial<Record<Strategy, 1 | 2 | 3>>> = { zero1: 1, zero2: 2, zero3: 3 }

/** Undefined for strategies that are not DeepSpeed's. */
export function stageOf(strategy: Strategy): 1 | 2 | 3 | undefined {
  return stages[strategy]
}

/** What the Trainer fills in, so that DeepSpeed cannot contradict it. */
export const filledIn = {
  bf16: { enabled: 'auto' },
  fp16: { enabled: 'auto' },
  gradient_accumulation_steps: 'auto',
  gradient_clipping: 'auto',
  train_batch_size: 'auto',
  train_micro_batch_size_per_gpu: 'auto',
} as const

/** Undefined for strategies that are not DeepSpeed's. */
export function deepSpeedFile(strategy: Strategy): SnippetFile | undefined {
  const stage = stageOf(strategy)
  if (stage === undefined) return undefined
  const settings = {
    zero_optimization: {
      stage,
      overlap_comm: true,
      reduce_bucket_size: 'auto',
      ...(stage === 3 && {
        stage3_prefetch_bucket_size: 'auto',
        stage3_param_persistence_threshold: 'auto',
        stage3_gather_16bit_weights_on_model_save: true,
      }),
    },
    ...filledIn,
  }
  return { path: `ds_zero${stage}.json`, text: JSON.stringify(settings, null, 2) }
}
