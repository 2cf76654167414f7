/** ms-swift. Sources: swift/arguments/*.py, swift/trainers/arguments.py and swift/config/ of its repository. */
import { halfLength } from '../reduced.ts'
import { one, type Tool } from './tool.ts'

export const msSwift: Tool = {
  'micro-batch': ({ plan }) => [
    { keys: ['per_device_train_batch_size'], value: plan.microBatch },
    { keys: ['gradient_accumulation_steps'], value: plan.gradientAccumulation },
  ],
  'gradient-checkpointing': () => one('gradient_checkpointing', true),
  'fused-loss': () => one('use_liger_kernel', true),
  'sdpa-attention': () => one('attn_impl', 'sdpa'),
  'flash-attention': () => one('attn_impl', 'flash_attention_2'),
  'fused-optimizer': () => one('optim', 'adamw_torch_fused'),
  '8-bit-optimizer': () => one('optim', 'adamw_bnb_8bit'),
  'paged-8-bit-optimizer': () => one('optim', 'paged_adamw_8bit'),
  'paged-optimizer': () => one('optim', 'paged_adamw_32bit'),
  adafactor: () => one('optim', 'adafactor'),
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
