/** How torchtune divides a training among GPUs: recipes/*_distributed.py, torchtune/training/_distributed.py shard_model. */
import type { FieldReader } from '../../fields/fields.ts'
import type { Section } from '../../text/section.ts'
import { isOn } from '../../trainer/method.ts'
import type { Sharded } from '../../trainer/sharding.ts'

/** FSDP2 shards wherever several GPUs train. A block's weights stay whole until the backward pass without `fsdp_reshard_after_forward`. */
export function readSharding(reader: FieldReader, document: Section): Sharded {
  const [resharding, offloading] = [document.at('fsdp_reshard_after_forward'), document.at('fsdp_cpu_offload')]
  const keepsWeights = resharding !== undefined && reader.flag(resharding) === false
  if (keepsWeights) reader.note('sharding', 'fsdp-grad-op', resharding)
  const sharded: Sharded = { sharding: keepsWeights ? 'fsdp-grad-op' : 'fsdp', syncsEveryMicroBatch: true }
  if (!isOn(reader, offloading)) return sharded
  reader.assume('Weights and optimizer state stay on the host between uses: fsdp_cpu_offload moves them there.')
  if (!keepsWeights) reader.note('sharding', 'fsdp', offloading)
  return { ...sharded, offload: reader.note('offload', 'optimizer-and-weights', offloading) }
}
