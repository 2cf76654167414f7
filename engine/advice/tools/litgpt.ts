/**
 * LitGPT. Sources: litgpt/finetune/{full,lora}.py, litgpt/args.py and config_hub. The accumulation follows from the global batch size.
 * Adapters are another command, which no key turns on.
 */
import type { Value } from '../../config/yaml-literal.ts'
import { halfLength } from '../reduced.ts'
import type { KeySetting, Tool } from './tool.ts'

const top = (key: string, value: Value): readonly KeySetting[] => [{ at: [], keys: [key], value }]
const train = (key: string, value: Value): readonly KeySetting[] => [{ at: ['train'], keys: [key], value }]

export const litgpt: Tool = {
  'micro-batch': ({ plan }) => train('micro_batch_size', plan.microBatch),
  'bf16-autocast': () => top('precision', 'bf16-mixed'),
  'bf16-weights': () => top('precision', 'bf16-true'),
  '4-bit-base': ({ spec }) => [
    ...top('quantize', 'bnb.nf4'),
    ...(spec.precision === 'bf16' ? [] : top('precision', 'bf16-true')),
  ],
  'half-length': ({ spec }) => train('max_seq_length', halfLength(spec)),
}
