/** ms-swift. Sources: swift/arguments/*.py, swift/trainers/arguments.py and swift/config/ of its repository. */
import { halfLength } from '../reduced.ts'
import { one, type Tool } from './tool.ts'
import { trainerBatch, trainerOptimizers } from './trainer.ts'

export const msSwift: Tool = {
  ...trainerBatch,
  'gradient-checkpointing': () => one('gradient_checkpointing', true),
  'fused-loss': () => one('use_liger_kernel', true),
  'sdpa-attention': () => one('attn_impl', 'sdpa'),
  'flash-attention': () => one('attn_impl', 'flash_attention_2'),
  ...trainerOptimizers('optim'),
  'bf16-autocast': () => one('bf16', true),
  'bf16-weights': () => one('torch_dtype', 'bfloat16'),
  lora: () => one('train_type', 'lora', 'tuner_type'),
  qlora: () => [...one('train_type', 'lora', 'tuner_type'), ...one('quant_method', 'bnb'), ...one('quant_bits', 4)],
  '4-bit-base': () => [...one('quant_method', 'bnb'), ...one('quant_bits', 4)],
  'half-length': ({ spec }) => one('max_length', halfLength(spec)),
  'zero-1': () => one('deepspeed', 'zero1'),
  'zero-2': () => one('deepspeed', 'zero2'),
  'zero-2-offload': () => one('deepspeed', 'zero2_offload'),
  'zero-3': () => one('deepspeed', 'zero3'),
  'zero-3-offload': () => one('deepspeed', 'zero3_offload'),
  fsdp: ({ has }) => (has('deepspeed') ? undefined : one('fsdp', 'fsdp2')),
}
