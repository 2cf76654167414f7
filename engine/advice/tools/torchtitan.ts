/**
 * torchtitan. Sources, as of 0.2.2: torchtitan/config/job_config.py; torchtitan/train.py for the accumulation, which follows from the
 * global batch size; torchtitan/distributed/activation_checkpoint.py. `[compile]` was `training.compile` before 0.2.0.
 */
import type { Value } from '../../config/text/yaml-literal.ts'
import { effectiveBatch, modelCopies, shardingGroup } from '../../training/batches.ts'
import { halfLength } from '../reduced.ts'
import type { Asked, KeySetting, Tool } from './tool.ts'

const within = (section: string, key: string, value: Value, ...others: string[]): readonly KeySetting[] => [
  { at: [section], keys: [key, ...others], value },
]

/** Before 0.1.0, whose batch size has another name, the degrees were settings of `training`, and nothing accumulated. */
const isOld = ({ has }: Asked) => has('batch_size')

const globalBatch = (samples: number) => within('training', 'global_batch_size', samples)

export const torchtitan: Tool = {
  'micro-batch': asked => {
    const { plan, spec } = asked
    if (isOld(asked)) return undefined
    return [
      ...within('training', 'local_batch_size', plan.microBatch),
      ...globalBatch(plan.microBatch * plan.gradientAccumulation * modelCopies(spec)),
    ]
  },
  'gradient-checkpointing': () => within('activation_checkpoint', 'mode', 'full'),
  'selective-checkpointing': () => [
    ...within('activation_checkpoint', 'mode', 'selective'),
    ...within('activation_checkpoint', 'selective_ac_option', '2'),
  ],
  'fused-optimizer': ({ has }) =>
    has('fused') ? within('optimizer', 'fused', true) : within('optimizer', 'implementation', 'fused'),
  'optimizer-in-backward': () => within('optimizer', 'early_step_in_backward', true),
  'bf16-autocast': () => within('training', 'mixed_precision_param', 'bfloat16'),
  compile: ({ has }) => (has('compile') ? within('training', 'compile', true) : within('compile', 'enable', true)),
  'half-length': ({ spec }) => within('training', 'seq_len', halfLength(spec)),
  fsdp: asked =>
    isOld(asked)
      ? undefined
      : [
          ...within('parallelism', 'data_parallel_replicate_degree', 1),
          ...within('parallelism', 'data_parallel_shard_degree', asked.spec.gpus),
        ],
  'tensor-parallel': asked =>
    isOld(asked)
      ? undefined
      : [
          ...within('parallelism', 'tensor_parallel_degree', 2),
          ...within('parallelism', 'data_parallel_shard_degree', shardingGroup(asked.spec) / 2),
          ...globalBatch(effectiveBatch(asked.spec)),
        ],
}
