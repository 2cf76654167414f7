/**
 * Tools with a handful of settings of memory. Sources: Lightning pytorch/trainer/trainer.py and strategies/deepspeed.py; DeepSpeed
 * runtime/zero/config.py; timm train.py; Ultralytics cfg/default.yaml; MemoryMark's own format, config/dialects/memorymark.ts.
 */
import { halfLength, smallerSide } from '../reduced.ts'
import type { KeySetting, Tool, Value } from './tool.ts'

const one = (key: string, value: Value, ...others: string[]): readonly KeySetting[] => [
  { keys: [key, ...others], value },
]

const trainer = (key: string, value: Value): readonly KeySetting[] => [{ at: ['trainer'], keys: [key], value }]

export const lightning: Tool = {
  'micro-batch': ({ plan }) => [
    { keys: ['batch_size', 'train_batch_size', 'per_device_batch_size', 'micro_batch_size'], value: plan.microBatch },
    ...trainer('accumulate_grad_batches', plan.gradientAccumulation),
  ],
  'bf16-autocast': () => trainer('precision', 'bf16-mixed'),
  'fp16-autocast': () => trainer('precision', '16-mixed'),
  'bf16-weights': () => trainer('precision', 'bf16-true'),
  'zero-1': () => trainer('strategy', 'deepspeed_stage_1'),
  'zero-2': () => trainer('strategy', 'deepspeed_stage_2'),
  'zero-3': () => trainer('strategy', 'deepspeed_stage_3'),
  fsdp: () => trainer('strategy', 'fsdp'),
}

const zero = (key: string, value: Value): KeySetting => ({ at: ['zero_optimization'], keys: [key], value })
const host = { device: 'cpu', pin_memory: true }

export const deepspeed: Tool = {
  'micro-batch': ({ plan }) => [
    ...one('train_micro_batch_size_per_gpu', plan.microBatch),
    ...one('gradient_accumulation_steps', plan.gradientAccumulation),
  ],
  'zero-1': () => [zero('stage', 1)],
  'zero-2': () => [zero('stage', 2)],
  'zero-2-offload': () => [zero('stage', 2), zero('offload_optimizer', host)],
  'zero-3': () => [zero('stage', 3)],
  'zero-3-offload': () => [zero('stage', 3), zero('offload_optimizer', host), zero('offload_param', host)],
}

export const timm: Tool = {
  'micro-batch': ({ plan }) => [
    ...one('batch_size', plan.microBatch, 'batch-size'),
    ...one('grad_accum_steps', plan.gradientAccumulation, 'grad-accum-steps'),
  ],
  'gradient-checkpointing': () => one('grad_checkpointing', true, 'grad-checkpointing'),
  'bf16-autocast': () => [...one('amp', true), ...one('amp_dtype', 'bfloat16', 'amp-dtype')],
  'fp16-autocast': () => one('amp', true),
  'smaller-images': ({ spec }) => one('img_size', smallerSide(spec), 'img-size'),
}

/** The accumulation follows from the batch: Ultralytics accumulates up to `nbs`, 64 images, without being told. */
const NOMINAL_BATCH = 64

export const ultralytics: Tool = {
  'micro-batch': ({ plan }) => {
    const images = plan.microBatch * plan.gradientAccumulation
    return [...one('batch', plan.microBatch), ...(images > NOMINAL_BATCH ? one('nbs', images) : [])]
  },
  'fp16-autocast': () => one('amp', true),
  'smaller-images': ({ spec }) => one('imgsz', smallerSide(spec)),
}

export const memorymark: Tool = {
  'micro-batch': ({ plan }) => [
    ...one('batch_size', plan.microBatch),
    ...one('gradient_accumulation', plan.gradientAccumulation),
  ],
  'gradient-checkpointing': () => one('gradient_checkpointing', true),
  'fused-loss': () => one('fused_loss', true),
  'sdpa-attention': () => one('attention', 'sdpa'),
  'fused-optimizer': () => one('optimizer', 'adamw-fused'),
  '8-bit-optimizer': () => one('optimizer', 'adamw-8bit'),
  'paged-8-bit-optimizer': () => one('optimizer', 'paged-adamw-8bit'),
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
