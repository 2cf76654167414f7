/**
 * Axolotl. Sources: src/axolotl/utils/schemas/{config,training,peft,model}.py; integrations/liger/args.py; deepspeed_configs/ of its
 * repository, which `axolotl fetch deepspeed_configs` puts beside a config.
 */
import { isFsdp } from '../../training/choices.ts'
import { halfCompletions, halfLength } from '../reduced.ts'
import { type Asked, type KeySetting, one, type Say, type Tool } from './tool.ts'
import { trainerOptimizers } from './trainer.ts'

const LIGER = 'axolotl.integrations.liger.LigerPlugin'

const rank: readonly KeySetting[] = [
  { keys: ['lora_r'], value: 16 },
  { keys: ['lora_alpha'], value: 32 },
  { keys: ['lora_target_linear'], value: true },
]

/** utils/distributed.py: the number of GPUs is the product of all sizes. */
const inPairs = ({ spec }: Asked, key: string): readonly KeySetting[] => [
  ...one(key, 2),
  ...one('dp_shard_size', spec.gpus / 2),
  ...one('gradient_accumulation_steps', 2 * spec.gradientAccumulation),
]

/** docs/nd_parallelism.qmd: beside FSDP, or alone over all GPUs. schemas/validation.py: a packed row at a time. */
const contextParallel: Say = asked => {
  const { gpus, gradientAccumulation, microBatch, sharding } = asked.spec
  if (microBatch > 1 && asked.has('sample_packing')) return undefined
  return isFsdp(sharding)
    ? inPairs(asked, 'context_parallel_size')
    : [
        ...one('context_parallel_size', gpus, 'sequence_parallel_degree'),
        ...one('gradient_accumulation_steps', gpus * gradientAccumulation),
      ]
}

export const axolotl: Tool = {
  'micro-batch': ({ plan }) => [
    { keys: ['micro_batch_size'], value: plan.microBatch },
    { keys: ['gradient_accumulation_steps'], value: plan.gradientAccumulation },
  ],
  'gradient-checkpointing': () => one('gradient_checkpointing', true),
  'activation-offloading': () => one('activation_offloading', true),
  'fused-loss': ({ spec }) =>
    spec.method === undefined
      ? [
          { keys: ['plugins'], value: [LIGER], entry: LIGER },
          { keys: ['liger_fused_linear_cross_entropy'], value: true },
        ]
      : [{ at: ['trl'], keys: ['use_liger_loss'], value: true }],
  'sdpa-attention': ({ has }) =>
    has('eager_attention')
      ? [...one('eager_attention', false), ...one('sdp_attention', true)]
      : one('attn_implementation', 'sdpa'),
  'flash-attention': ({ has }) => [
    ...['sdp_attention', 'eager_attention'].filter(has).flatMap(key => one(key, false)),
    ...(has('attn_implementation') ? one('attn_implementation', 'flash_attention_2') : one('flash_attention', true)),
  ],
  ...trainerOptimizers('optimizer'),
  'bf16-weights': () => [{ keys: ['bf16', 'bfloat16'], value: true }],
  lora: () => [...one('adapter', 'lora'), ...rank],
  qlora: () => [...one('adapter', 'qlora'), ...one('load_in_4bit', true), ...rank],
  '4-bit-base': ({ has }) => [
    ...one('adapter', 'qlora'),
    ...one('load_in_4bit', true),
    ...(has('load_in_8bit') ? one('load_in_8bit', false) : []),
  ],
  // utils/freeze.py: everything else is frozen, of which the embeddings are the largest.
  'freeze-embeddings': () => one('unfrozen_parameters', ['model.layers', 'model.norm', 'lm_head']),
  'half-length': ({ spec }) => one('sequence_len', halfLength(spec)),
  'half-completions': ({ spec }) => [
    { at: ['trl'], keys: ['max_completion_length'], value: halfCompletions(spec) ?? 0 },
  ],
  'tensor-parallel': asked => inPairs(asked, 'tensor_parallel_size'),
  'context-parallel': contextParallel,
  // utils/schemas/fsdp.py; without the name of a layer, those that the model says are not to be split.
  fsdp: ({ has, spec }) =>
    has('deepspeed')
      ? undefined
      : [
          ...one('fsdp_version', 2),
          ...one('dp_shard_size', spec.gpus),
          ...one('fsdp_config', {
            reshard_after_forward: true,
            auto_wrap_policy: 'TRANSFORMER_BASED_WRAP',
            state_dict_type: 'SHARDED_STATE_DICT',
          }),
        ],
  'fsdp-offload': () => [{ at: ['fsdp_config'], keys: ['offload_params', 'fsdp_offload_params'], value: true }],
  'zero-1': () => one('deepspeed', 'deepspeed_configs/zero1.json'),
  // Of that file's settings only the name is without offload.
  'zero-2-offload': () => one('deepspeed', 'deepspeed_configs/zero2.json'),
  'zero-3': () => one('deepspeed', 'deepspeed_configs/zero3_bf16.json'),
  'zero-3-offload': () => one('deepspeed', 'deepspeed_configs/zero3_bf16_cpuoffload_all.json'),
}
