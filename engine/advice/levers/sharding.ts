/** Levers that shard a training over its GPUs or offload parts of it to the host. */
import { startsUnderFsdp } from '../../estimate/library-rules.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { Lever } from '../lever.ts'
import { isWhole } from './training-kinds.ts'

const isSeveral = (spec: TrainingSpec) => spec.gpus > 1 && isWhole(spec)
const sharded: readonly (keyof TrainingSpec)[] = [
  ...(['sharding', 'zero', 'offload', 'fsdpVersion', 'wrapsWholeModel', 'syncsEveryMicroBatch'] as const),
  // DeepSpeed computes in its own types in place of autocast.
  ...(['precision', 'autocasts', 'inFloat16'] as const),
  // ms-swift decides anew how it checkpoints.
  'reentrantCheckpoints',
]

export const shardingLevers: readonly Lever[] = [
  ...(['zero1', 'zero2', 'zero3'] as const).map(
    (sharding, index): Lever => ({
      id: (['zero-1', 'zero-2', 'zero-3'] as const)[index] ?? 'zero-3',
      effect: 'none',
      group: 'sharding',
      settings: sharded,
      applies: spec => spec.gpus > 1 && weaker(spec, sharding),
      isMade: (after, before) => after.sharding === sharding && after.offload === before.offload,
    }),
  ),
  {
    id: 'zero-2-offload',
    effect: 'none',
    group: 'sharding',
    settings: sharded,
    applies: spec => weaker(spec, 'zero3') && isPlainAdamW(spec),
    isMade: after => after.sharding === 'zero2' && after.offload === 'optimizer',
  },
  {
    id: 'zero-3-optimizer-offload',
    effect: 'none',
    group: 'sharding',
    settings: sharded,
    applies: spec => spec.gpus > 1 && !isFsdp(spec) && spec.offload === undefined && isPlainAdamW(spec),
    isMade: after => after.sharding === 'zero3' && after.offload === 'optimizer',
  },
  {
    id: 'zero-3-offload',
    effect: 'none',
    group: 'sharding',
    settings: sharded,
    applies: spec => spec.gpus > 1 && !isFsdp(spec) && spec.offload !== 'optimizer-and-weights',
    isMade: after => after.sharding === 'zero3' && after.offload === 'optimizer-and-weights',
  },
  {
    id: 'fsdp',
    effect: 'none',
    group: 'sharding',
    settings: sharded,
    applies: isSeveral,
    isMade: after => after.sharding === 'fsdp' && after.offload === undefined && startsUnderFsdp(after),
  },
  {
    id: 'fsdp-offload',
    effect: 'none',
    group: 'sharding',
    settings: ['offload'],
    // The CPU has no kernels for bitsandbytes' optimizers and for weights that it quantised.
    applies: spec => isFsdp(spec) && spec.gpus > 1 && spec.offload === undefined && runsOnHost(spec),
    isMade: after => after.offload === 'optimizer-and-weights',
  },
]

/** DeepSpeed has a kernel for it on the CPU. */
function isPlainAdamW({ optimizer }: TrainingSpec): boolean {
  return optimizer.startsWith('adamw') && !optimizer.includes('8bit')
}

function runsOnHost({ optimizer, quantization }: TrainingSpec): boolean {
  return quantization === undefined && !/8bit|paged/.test(optimizer)
}

const stages: readonly (TrainingSpec['sharding'] | undefined)[] = [undefined, 'ddp', 'zero1', 'zero2', 'zero3']

/** Whether the spec shards less than a ZeRO stage does; FSDP does not count. */
function weaker(spec: TrainingSpec, than: TrainingSpec['sharding']): boolean {
  const now = stages.indexOf(spec.sharding)
  return now >= 0 && now < stages.indexOf(than) && spec.offload === undefined
}

function isFsdp({ sharding }: TrainingSpec): boolean {
  return sharding?.startsWith('fsdp') === true
}
