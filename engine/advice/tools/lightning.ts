/** Lightning, its command line and its scripts. Sources: pytorch/trainer/trainer.py and strategies/deepspeed.py. */
import type { Value } from '../../config/text/yaml-literal.ts'
import { halfLength } from '../reduced.ts'
import type { Asked, KeySetting, Tool } from './tool.ts'

const trainer = (key: string, value: Value): readonly KeySetting[] => [{ at: ['trainer'], keys: [key], value }]

/** Of the data module or the tokenizer, by whichever name it has; another cannot be known. */
const lengths = ['max_seq_length', 'max_length', 'max_seq_len', 'sequence_length', 'block_size'] as const

function halved({ has, spec }: Asked): readonly KeySetting[] | undefined {
  const name = lengths.find(has)
  return name && [{ keys: [name], value: halfLength(spec), elsewhere: true }]
}

export const lightning: Tool = {
  'micro-batch': ({ plan }) => [
    { keys: ['batch_size', 'train_batch_size', 'per_device_batch_size', 'micro_batch_size'], value: plan.microBatch },
    ...trainer('accumulate_grad_batches', plan.gradientAccumulation),
  ],
  'bf16-autocast': () => trainer('precision', 'bf16-mixed'),
  'fp16-autocast': () => trainer('precision', '16-mixed'),
  'bf16-weights': () => trainer('precision', 'bf16-true'),
  'half-length': halved,
  'zero-1': () => trainer('strategy', 'deepspeed_stage_1'),
  'zero-2': () => trainer('strategy', 'deepspeed_stage_2'),
  'zero-3': () => trainer('strategy', 'deepspeed_stage_3'),
  fsdp: () => trainer('strategy', 'fsdp'),
  'fsdp-offload': () => trainer('strategy', 'fsdp_cpu_offload'),
}

const argument = (key: string, value: Value): readonly KeySetting[] => [{ keys: [key], value, call: 'Trainer' }]

/** What a script gives the Trainer. Both numbers are replaced where they are written; here the accumulation is not. */
export const lightningScript: Tool = {
  'micro-batch': ({ plan }) => [
    { keys: ['batch_size'], value: plan.microBatch, elsewhere: true },
    ...argument('accumulate_grad_batches', plan.gradientAccumulation),
  ],
  'bf16-autocast': () => argument('precision', 'bf16-mixed'),
  'fp16-autocast': () => argument('precision', '16-mixed'),
  'bf16-weights': () => argument('precision', 'bf16-true'),
  'sdpa-attention': () => [{ keys: ['attn_implementation'], value: 'sdpa', elsewhere: true }],
  'half-length': halved,
  'zero-1': () => argument('strategy', 'deepspeed_stage_1'),
  'zero-2': () => argument('strategy', 'deepspeed_stage_2'),
  'zero-3': () => argument('strategy', 'deepspeed_stage_3'),
  'fsdp-offload': () => argument('strategy', 'fsdp_cpu_offload'),
}
