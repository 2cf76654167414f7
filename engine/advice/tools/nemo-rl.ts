/**
 * NeMo RL. Sources: examples/configs/*.yaml, as of 0.7. The accumulation follows from train_global_batch_size.
 */
import type { Value } from '../../config/text/yaml-literal.ts'
import { halfCompletions, halfLength } from '../reduced.ts'
import type { KeySetting, Tool } from './tool.ts'

const policy = (key: string, value: Value): readonly KeySetting[] => [{ at: ['policy'], keys: [key], value }]
const dtensor = (key: string, value: Value): readonly KeySetting[] => [
  { at: ['policy', 'dtensor_cfg'], keys: [key], value },
]

export const nemoRl: Tool = {
  'micro-batch': ({ plan }) => policy('train_micro_batch_size', plan.microBatch),
  'gradient-checkpointing': () => dtensor('activation_checkpointing', true),
  'half-length': ({ spec }) => policy('max_total_sequence_length', halfLength(spec)),
  'half-completions': ({ spec }) => [
    { at: ['policy', 'generation'], keys: ['max_new_tokens'], value: halfCompletions(spec) ?? 0 },
  ],
}
