/** MemoryMark's own format: config/dialects/memorymark.ts. */
import { halfLength, smallerSide } from '../reduced.ts'
import { one, type Tool } from './tool.ts'

export const memorymark: Tool = {
  'micro-batch': ({ plan }) => [
    ...one('batch_size', plan.microBatch),
    ...one('gradient_accumulation', plan.gradientAccumulation),
  ],
  'gradient-checkpointing': () => one('gradient_checkpointing', true),
  'fused-loss': () => one('fused_loss', true),
  'sdpa-attention': () => one('attention', 'sdpa'),
  'flash-attention': () => one('attention', 'flash'),
  'fused-optimizer': () => one('optimizer', 'adamw-fused'),
  '8-bit-optimizer': () => one('optimizer', 'adamw-8bit'),
  'paged-8-bit-optimizer': () => one('optimizer', 'paged-adamw-8bit'),
  'paged-optimizer': () => one('optimizer', 'paged-adamw'),
  adafactor: () => one('optimizer', 'adafactor'),
  'bf16-autocast': () => one('precision', 'amp-bf16'),
  'fp16-autocast': () => one('precision', 'amp-fp16'),
  'bf16-weights': () => one('precision', 'bf16'),
  lora: () => one('lora_rank', 16),
  qlora: () => [...one('lora_rank', 16), ...one('quantization', 'nf4')],
  '4-bit-base': () => one('quantization', 'nf4'),
  'half-length': ({ spec }) => one('sequence_length', halfLength(spec)),
  'smaller-images': ({ spec }) => one('image_size', smallerSide(spec)),
  'zero-1': () => one('sharding', 'zero1'),
  'zero-2': () => one('sharding', 'zero2'),
  'zero-3': () => one('sharding', 'zero3'),
  fsdp: () => one('sharding', 'fsdp'),
}
