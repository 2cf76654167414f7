/** Levers that give two GPUs one sample: its matrices or its tokens divided between them, over twice as many micro-steps. */
import { effectiveBatch } from '../../config/spec/batches.ts'
import { isFsdp } from '../../config/spec/choices.ts'
import type { TrainingSpec } from '../../config/spec/spec.ts'
import type { Lever } from '../lever.ts'
import { isText } from './training-kinds.ts'

/** What tools divide both ways: text over GPUs that shard the weights already. */
const pairs = (spec: TrainingSpec) =>
  isText(spec) &&
  isFsdp(spec.sharding) &&
  spec.gpus % 2 === 0 &&
  spec.tensorParallel === undefined &&
  spec.contextParallel === undefined &&
  isWholeBatch(spec)

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
    applies: spec => pairs(spec) && spec.attention === 'flash',
    isMade: (after, before) =>
      after.contextParallel === 2 && effectiveBatch(after) === effectiveBatch(before) && after.gpus === before.gpus,
  },
]
