/** Every lever, in the order in which levers of the same rank are listed. */
import type { Lever } from './lever.ts'
import { activationLevers } from './levers/activations.ts'
import { allocatorLevers } from './levers/allocator.ts'
import { generationLevers } from './levers/generation.ts'
import { optimizerLevers } from './levers/optimizer.ts'
import { parallelismLevers } from './levers/parallelism.ts'
import { sampleLevers } from './levers/samples.ts'
import { shardingLevers } from './levers/sharding.ts'
import { weightLevers } from './levers/weights.ts'

export const levers: readonly Lever[] = [
  ...activationLevers,
  ...optimizerLevers,
  ...weightLevers,
  ...sampleLevers,
  ...generationLevers,
  ...shardingLevers,
  ...parallelismLevers,
  ...allocatorLevers,
]
