/** timm's argument files. Source: train.py. */
import { smallerSide } from '../reduced.ts'
import { one, type Tool } from './tool.ts'

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
