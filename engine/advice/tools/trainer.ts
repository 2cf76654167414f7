/**
 * What Hugging Face's Trainer takes and the tools built on it hand on. Sources: transformers training_args.py, OptimizerNames; under
 * DeepSpeed it allows any of them, by integrations/deepspeed.py deepspeed_optim_sched.
 */
import { one, type Tool } from './tool.ts'

export const trainerBatch: Tool = {
  'micro-batch': ({ plan }) => [
    { keys: ['per_device_train_batch_size', 'per_gpu_train_batch_size'], value: plan.microBatch },
    { keys: ['gradient_accumulation_steps'], value: plan.gradientAccumulation },
  ],
}

/** `key`: what a tool calls the Trainer's `optim`. */
export function trainerOptimizers(key: string): Tool {
  return {
    'fused-optimizer': () => one(key, 'adamw_torch_fused'),
    '8-bit-optimizer': () => one(key, 'adamw_bnb_8bit'),
    'paged-8-bit-optimizer': () => one(key, 'paged_adamw_8bit'),
    'paged-optimizer': () => one(key, 'paged_adamw_32bit'),
    adafactor: () => one(key, 'adafactor'),
  }
}
