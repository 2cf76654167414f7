/** Steps over bitsandbytes' weights, as Axolotl's and LLaMA-Factory's QLoRA examples run them: those need bitsandbytes too. */
import type { TrainingSpec } from '../../engine/training/spec.ts'
import type { Cell } from './cell.ts'

const allLinear = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']
const over = (rank: number, targets: readonly string[] = allLinear, dropout = 0.05): Partial<TrainingSpec> => ({
  lora: { rank, targets: [...targets], dropout },
  loop: 'trainer',
})
const formed = (form: 'dora' | 'oft', rank: number): Partial<TrainingSpec> => ({
  lora: { rank, targets: [...allLinear], dropout: 0, form },
  loop: 'trainer',
})
const ckpt = { gradientCheckpointing: true } as const
const nf4 = { quantization: 'nf4', precision: 'amp-bf16' } as const
const double = { quantization: 'nf4-double', precision: 'amp-bf16' } as const
const mixed = { ...double, precision: 'bf16', autocasts: true } as const
const int8 = { quantization: 'int8', precision: 'amp-bf16' } as const
const batch = (microBatch: number, sequenceLength: number) => ({ microBatch, sequenceLength })

export const quantizedCells: readonly Cell[] = [
  ['meta-llama/Llama-3.2-1B', { ...mixed, ...over(16), ...batch(2, 1024) }],
  ['meta-llama/Llama-3.2-1B', { ...mixed, ...over(16), ...ckpt, ...batch(4, 1024) }],
  ['meta-llama/Llama-3.2-1B', { ...nf4, ...over(32), ...ckpt, ...batch(2, 2048), optimizer: 'adamw-8bit' }],
  ['meta-llama/Llama-3.2-1B', { ...double, ...over(16), ...batch(2, 1024) }],
  ['meta-llama/Llama-3.2-1B', { ...nf4, precision: 'bf16', ...over(8, ['q_proj', 'v_proj'], 0), ...batch(1, 4096) }],
  ['meta-llama/Llama-3.2-1B', { ...nf4, precision: 'fp32', ...over(16), ...batch(2, 512) }],
  ['meta-llama/Llama-3.2-3B', { ...double, ...over(16), ...ckpt, ...batch(2, 2048), gradientAccumulation: 4 }],
  ['meta-llama/Llama-3.1-8B', { ...nf4, ...over(32), ...ckpt, ...batch(2, 4096), optimizer: 'paged-adamw-8bit' }],
  ['mistralai/Mistral-7B-v0.1', { ...double, ...over(64), ...ckpt, ...batch(1, 8192) }],
  ['Qwen/Qwen2.5-0.5B', { ...nf4, ...over(8), ...batch(4, 1024), paddedBatches: true }],
  ['Qwen/Qwen2.5-7B', { ...nf4, ...over(16), ...ckpt, ...batch(1, 2048), precision: 'bf16' }],
  ['Qwen/Qwen3-0.6B', { ...double, ...over(16), ...batch(2, 1024), attention: 'eager' }],
  ['google/gemma-2-2b', { ...nf4, ...over(32), ...ckpt, ...batch(1, 2048) }],
  ['google/gemma-3-1b-pt', { ...double, ...over(16), ...batch(2, 1024) }],
  ['TinyLlama/TinyLlama-1.1B-Chat-v1.0', { ...nf4, ...over(32, ['q_proj', 'v_proj']), ...ckpt, ...batch(4, 2048) }],
  [
    'tiiuae/Falcon-H1-0.5B-Base',
    { ...double, precision: 'bf16', ...over(32, [...allLinear, 'in_proj']), ...ckpt, ...batch(1, 2048) },
  ],
  ['meta-llama/Llama-3.2-1B', { ...int8, ...over(16), ...ckpt, ...batch(2, 1024), precision: 'bf16' }],
  ['meta-llama/Llama-3.2-1B', { ...int8, ...over(16), ...batch(2, 1024), precision: 'amp-fp16' }],
  ['meta-llama/Llama-3.1-8B', { ...int8, ...over(32), ...ckpt, ...batch(1, 2048) }],
  ['Qwen/Qwen2.5-0.5B', { ...int8, ...over(8, ['q_proj', 'v_proj'], 0), ...batch(4, 512) }],
  ['meta-llama/Llama-3.2-1B', { ...nf4, ...formed('dora', 16), ...ckpt, ...batch(2, 1024), precision: 'bf16' }],
  ['meta-llama/Llama-3.2-1B', { ...nf4, ...formed('oft', 32), ...batch(2, 1024), precision: 'bf16' }],
]
