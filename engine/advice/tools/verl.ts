/**
 * verl: its supervised fine-tuning, and the actor of GRPO and its kin. Sources: verl/trainer/config/{sft_trainer,ppo_trainer}.yaml. The
 * accumulation follows from the batch sizes of the whole step.
 */
import type { Value } from '../../config/text/yaml-literal.ts'
import { halfCompletions, halfLength, halfShare } from '../reduced.ts'
import type { Asked, KeySetting, Tool } from './tool.ts'

const data = (key: string, value: Value): readonly KeySetting[] => [{ at: ['data'], keys: [key], value }]
const actor = (section: string, key: string, value: Value): readonly KeySetting[] => [
  { at: ['actor_rollout_ref', section], keys: [key], value },
]

function ofModel({ spec }: Asked, key: string, value: Value): readonly KeySetting[] {
  return spec.method === undefined ? [{ at: ['model'], keys: [key], value }] : actor('model', key, value)
}

export const verl: Tool = {
  'micro-batch': ({ spec, plan }) =>
    spec.method === undefined
      ? data('micro_batch_size_per_gpu', plan.microBatch)
      : actor('actor', 'ppo_micro_batch_size_per_gpu', plan.microBatch),
  'gradient-checkpointing': asked => ofModel(asked, 'enable_gradient_checkpointing', true),
  'bf16-weights': asked =>
    asked.spec.method === undefined
      ? [{ at: ['model', 'fsdp_config'], keys: ['model_dtype'], value: 'bf16' }]
      : [{ at: ['actor_rollout_ref', 'actor', 'fsdp_config'], keys: ['model_dtype'], value: 'bf16' }],
  lora: asked => [...ofModel(asked, 'lora_rank', 16), ...ofModel(asked, 'target_modules', 'all-linear')],
  'half-length': ({ spec }) => data('max_length', halfLength(spec)),
  'half-completions': ({ spec }) => data('max_response_length', halfCompletions(spec) ?? 0),
  'vllm-sleep': () => actor('rollout', 'free_cache_engine', true),
  'vllm-half-share': ({ spec }) => actor('rollout', 'gpu_memory_utilization', halfShare(spec) ?? 0),
}
