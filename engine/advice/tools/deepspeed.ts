/** DeepSpeed's own file of settings. Source: runtime/zero/config.py. */
import type { Value } from '../../config/text/yaml-literal.ts'
import { type KeySetting, one, type Tool } from './tool.ts'

const zero = (key: string, value: Value): KeySetting => ({ at: ['zero_optimization'], keys: [key], value })
const host = { device: 'cpu', pin_memory: true }

export const deepspeed: Tool = {
  'micro-batch': ({ plan }) => [
    ...one('train_micro_batch_size_per_gpu', plan.microBatch),
    ...one('gradient_accumulation_steps', plan.gradientAccumulation),
  ],
  'bf16-autocast': ({ has }) =>
    has('bf16') ? [{ at: ['bf16'], keys: ['enabled'], value: true }] : one('bf16', { enabled: true }),
  'zero-1': () => [zero('stage', 1)],
  'zero-2': () => [zero('stage', 2)],
  'zero-2-offload': () => [zero('stage', 2), zero('offload_optimizer', host)],
  'zero-3': () => [zero('stage', 3)],
  'zero-3-offload': () => [zero('stage', 3), zero('offload_optimizer', host), zero('offload_param', host)],
}
