/**
 * LitGPT. Sources: litgpt/finetune/{full,lora}.py, litgpt/args.py, litgpt/utils.py instantiate_torch_optimizer and config_hub. The
 * accumulation follows from the global batch size. Adapters are another command, which no key turns on.
 */
import type { Value } from '../../config/text/yaml-literal.ts'
import { halfLength } from '../reduced.ts'
import type { Asked, KeySetting, Tool } from './tool.ts'

const top = (key: string, value: Value): readonly KeySetting[] => [{ at: [], keys: [key], value }]
const train = (key: string, value: Value): readonly KeySetting[] => [{ at: ['train'], keys: [key], value }]

/** In place of what its arguments say of AdamW, which other classes of it take too; over quantised weights LitGPT chooses one itself. */
const optimizer =
  (name: string, own: { readonly [key: string]: Value } = {}) =>
  ({ spec, has }: Asked): readonly KeySetting[] | undefined => {
    // bitsandbytes' classes take no `fused`.
    if (spec.quantization !== undefined || (name.startsWith('bitsandbytes') && has('fused'))) return undefined
    if (!has('class_path'))
      return top('optimizer', { class_path: name, ...(Object.keys(own).length > 0 && { init_args: own }) })
    const init = Object.entries(own).map(([key, value]) => ({
      at: ['optimizer', 'init_args'],
      keys: [key] as const,
      value,
    }))
    return [{ at: ['optimizer'], keys: ['class_path'], value: name }, ...init]
  }

export const litgpt: Tool = {
  'micro-batch': ({ plan }) => train('micro_batch_size', plan.microBatch),
  'fused-optimizer': optimizer('torch.optim.AdamW', { fused: true }),
  '8-bit-optimizer': optimizer('bitsandbytes.optim.AdamW8bit'),
  'paged-8-bit-optimizer': optimizer('bitsandbytes.optim.PagedAdamW8bit'),
  'paged-optimizer': optimizer('bitsandbytes.optim.PagedAdamW'),
  'bf16-autocast': () => top('precision', 'bf16-mixed'),
  'bf16-weights': () => top('precision', 'bf16-true'),
  '4-bit-base': ({ spec }) => [
    ...top('quantize', 'bnb.nf4'),
    ...(spec.precision === 'bf16' ? [] : top('precision', 'bf16-true')),
  ],
  'half-length': ({ spec }) => train('max_seq_length', halfLength(spec)),
}
