/**
 * torchtune. Sources: recipes/configs; docs/source/tutorials/memory_optimizations.rst; torchtune/modules/loss; recipes/full_finetune_*.py.
 * A recipe for adapters is another recipe, which no key turns on.
 */
import type { Value } from '../../config/text/yaml-literal.ts'
import { halfLength } from '../reduced.ts'
import { type Asked, type KeySetting, one, type Tool } from './tool.ts'

const COMPONENT = '_component_'
const TENSOR_PLAN = 'tensor_parallel_plan'

const within = (section: string, key: string, value: Value): readonly KeySetting[] => [
  { at: [section], keys: [key], value },
]

/** bitsandbytes' optimizers take no `fused`. */
const bitsandbytes =
  (name: string) =>
  ({ has }: Asked): readonly KeySetting[] => [
    ...within('optimizer', COMPONENT, `bitsandbytes.optim.${name}`),
    ...(has('fused') ? [{ at: ['optimizer'], keys: ['fused'], isCommentedOut: true } as const] : []),
  ]

export const torchtune: Tool = {
  'micro-batch': ({ plan }) => [
    ...one('batch_size', plan.microBatch),
    ...one('gradient_accumulation_steps', plan.gradientAccumulation),
  ],
  'gradient-checkpointing': () => one('enable_activation_checkpointing', true),
  // recipes/full_finetune_distributed.py and qat_distributed.py alone; the other switch is to be off.
  'selective-checkpointing': ({ spec, has }) =>
    spec.gpus > 1 && spec.lora === undefined
      ? [
          ...(has('enable_activation_checkpointing') ? one('enable_activation_checkpointing', false) : []),
          ...one('ac_mode', 'selective'),
          ...one('ac_option', 2),
        ]
      : undefined,
  'activation-offloading': () => one('enable_activation_offloading', true),
  'chunked-loss': () => within('loss', COMPONENT, 'torchtune.modules.loss.LinearCrossEntropyLoss'),
  compile: () => one('compile', true),
  'fused-optimizer': () => within('optimizer', 'fused', true),
  'optimizer-in-backward': () => one('optimizer_in_bwd', true),
  '8-bit-optimizer': bitsandbytes('AdamW8bit'),
  'paged-8-bit-optimizer': bitsandbytes('PagedAdamW8bit'),
  'paged-optimizer': bitsandbytes('PagedAdamW'),
  'bf16-weights': () => one('dtype', 'bf16'),
  '4-bit-base': () => within('model', 'quantize_base', true),
  // recipes/full_finetune_distributed.py, and no other, does not start without a plan, of which models/llama3/_parallelism.py has Llama's.
  'tensor-parallel': ({ spec, has }) =>
    spec.lora === undefined && (has(TENSOR_PLAN) || /llama-?3/i.test(spec.model))
      ? [
          ...one('tensor_parallel_dim', 2),
          ...(has(TENSOR_PLAN) ? [] : one(TENSOR_PLAN, { [COMPONENT]: 'torchtune.models.llama3.base_llama_tp_plan' })),
          ...one('gradient_accumulation_steps', 2 * spec.gradientAccumulation),
        ]
      : undefined,
  'fsdp-offload': () => one('fsdp_cpu_offload', true),
  'half-length': ({ spec }) => within('tokenizer', 'max_seq_len', halfLength(spec)),
}
