/**
 * OpenRLHF. Sources: openrlhf/cli/train_{sft,dpo,rm}.py, by the names of their options since 0.10.2 and before. The accumulation
 * follows from the batch of all GPUs. Switches take no value.
 */
import { type Option, placeOf } from '../../config/dialects/openrlhf/options.ts'
import type { Value } from '../../config/text/yaml-literal.ts'
import { halfLength } from '../reduced.ts'
import type { Asked, KeySetting, Tool } from './tool.ts'

const set =
  (name: Option, value: Value | ((asked: Asked) => Value)) =>
  (asked: Asked): readonly KeySetting[] => {
    const { at, key } = placeOf(name, asked.has('model.model_name_or_path'))
    return [{ at, keys: [key], value: typeof value === 'function' ? value(asked) : value }]
  }

const switchOn = (name: Option) => (asked: Asked) =>
  set(name, true)(asked).map(setting => ({ ...setting, isSwitch: true as const }))

const all =
  (...says: readonly ((asked: Asked) => readonly KeySetting[])[]) =>
  (asked: Asked) =>
    says.flatMap(say => say(asked))

export const openRlhf: Tool = {
  'micro-batch': set('micro_train_batch_size', ({ plan }) => plan.microBatch),
  'gradient-checkpointing': switchOn('gradient_checkpointing'),
  lora: set('lora_rank', 16),
  qlora: all(set('lora_rank', 16), switchOn('load_in_4bit')),
  '4-bit-base': switchOn('load_in_4bit'),
  'half-length': set('max_len', ({ spec }) => halfLength(spec)),
  'zero-2': set('zero_stage', 2),
  'zero-2-offload': all(set('zero_stage', 2), switchOn('adam_offload')),
  'zero-3': set('zero_stage', 3),
  'zero-3-optimizer-offload': all(set('zero_stage', 3), switchOn('adam_offload')),
}
