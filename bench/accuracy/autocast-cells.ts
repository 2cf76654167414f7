/** 16-bit weights under torch.autocast, as the Trainer's `bf16` runs what was loaded so: norms and their inputs become float32. */
import type { TrainingSpec } from '../../engine/training/spec.ts'
import type { Cell } from './cell.ts'

const mixed = { precision: 'bf16', autocasts: true, loop: 'trainer' } as const
const over = (targets: readonly string[], dropout = 0.05): Partial<TrainingSpec> => ({
  lora: { rank: 16, targets: [...targets], dropout },
})
const allLinear = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']
const batch = (microBatch: number, sequenceLength: number) => ({ microBatch, sequenceLength })

const outputAlone: Partial<TrainingSpec> = {
  trainable: { names: ['lm_head'], inputGradients: false, keepsType: true },
}

/** Loops that leave the decoder's cache on: of keys that float32 tables have turned, and of values in the keys' type. */
const withCache: readonly Cell[] = [
  ['JackFram/llama-68m', { precision: 'amp-bf16', ...batch(3, 333), attention: 'eager' }],
  ['EleutherAI/pythia-14m', { precision: 'amp-bf16', ...batch(3, 512) }],
  ['Qwen/Qwen2.5-0.5B', { precision: 'amp-fp16', loop: 'lightning', ...batch(3, 1024), optimizer: 'sgd' }],
  ['microsoft/phi-1', { ...mixed, loop: 'lightning', ...batch(5, 512), dropout: false, ...outputAlone }],
]

export const autocastCells: readonly Cell[] = [
  ['gpt2', { ...mixed, ...batch(4, 1024) }],
  ['gpt2', { ...mixed, ...batch(4, 1024), gradientCheckpointing: true }],
  ['bert', { ...mixed, microBatch: 16 }],
  ['EleutherAI/pythia-410m', { ...mixed, ...batch(4, 512) }],
  ['facebook/opt-350m', { ...mixed, ...batch(4, 512) }],
  ['microsoft/phi-2', { ...mixed, ...batch(1, 1024), ...over(['q_proj', 'k_proj', 'v_proj', 'dense']) }],
  ['meta-llama/Llama-3.2-1B', { ...mixed, ...batch(2, 1024), gradientAccumulation: 4 }],
  ['meta-llama/Llama-3.2-1B', { ...mixed, ...batch(2, 1024), ...over(allLinear) }],
  ['Qwen/Qwen2.5-0.5B', { ...mixed, ...batch(2, 128), optimizer: 'sgd' }],
  ...withCache,
]
