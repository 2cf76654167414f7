/** How Hugging Face's Trainer is told to offload FSDP: transformers 5.18 training_args.py, 4.57 trainer_utils.py FSDPOption. */
import { isBefore } from '../../training/versions.ts'
import { type Asked, type KeySetting, one } from './tool.ts'

export function offloadedFsdp({ spec, has }: Asked): readonly KeySetting[] {
  if (!isBefore(spec.versions, 'transformers', '5.0')) {
    return has('fsdp_config')
      ? [{ at: ['fsdp_config'], keys: ['cpu_offload'], value: true }]
      : one('fsdp_config', { cpu_offload: true })
  }
  const strategy = spec.sharding === 'fsdp-grad-op' ? 'shard_grad_op' : 'full_shard'
  const words = [strategy, ...(spec.wrapsWholeModel ? [] : ['auto_wrap']), 'offload']
  return [{ keys: ['fsdp'], value: words.join(' '), entry: 'offload' }]
}
