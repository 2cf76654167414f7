/** Levers that give several GPUs one sample: its matrices or its tokens divided among them, over as many times the micro-steps. */
import { effectiveBatch } from '../../training/batches.ts'
import { isFsdp } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { Lever } from '../lever.ts'
import { isText, isWhole } from './training-kinds.ts'

const isUndivided = (spec: TrainingSpec) =>
  isText(spec) && spec.tensorParallel === undefined && spec.contextParallel === undefined && isWholeBatch(spec)

/** GPUs that shard the weights already are divided by pairs. */
const pairs = (spec: TrainingSpec) => isUndivided(spec) && isFsdp(spec.sharding) && spec.gpus % 2 === 0

/** GPUs of one server that all hold whole weights: the tokens can be divided among all of them alone. */
const replicas = (spec: TrainingSpec) => isUndivided(spec) && spec.gpus > 1 && spec.gpus <= 8 && isWhole(spec)

const isWholeBatch = ({ method, quantization }: TrainingSpec) => method === undefined && quantization === undefined

/** What GPUs exchange within a layer is not modelled, so the speed with these is unknown. */
export const parallelismLevers: readonly Lever[] = [
  {
    id: 'tensor-parallel',
    effect: 'none',
    group: 'parallelism',
    settings: ['tensorParallel', 'gradientAccumulation'],
    isSpeedUnknown: true,
    applies: pairs,
    isMade: (after, before) =>
      after.tensorParallel?.gpus === 2 &&
      effectiveBatch(after) === effectiveBatch(before) &&
      after.gpus === before.gpus,
  },
  {
    id: 'context-parallel',
    effect: 'none',
    group: 'parallelism',
    settings: ['sequenceLength', 'contextParallel', 'gradientAccumulation'],
    isSpeedUnknown: true,
    applies: spec => (pairs(spec) || replicas(spec)) && spec.attention === 'flash',
    isMade: (after, before) =>
      after.contextParallel === (isWhole(before) ? before.gpus : 2) &&
      effectiveBatch(after) === effectiveBatch(before) &&
      after.gpus === before.gpus,
  },
]
