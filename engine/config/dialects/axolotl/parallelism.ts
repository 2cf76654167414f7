/** How Axolotl divides a model and its batch among GPUs. */

import { isFsdp, type Sharding } from '../../../training/choices.ts'
import type { TrainingSpec } from '../../../training/spec.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { readGpus } from '../../fields/gpus.ts'
import type { DeepSpeedFile } from '../../other-files/deepspeed-file.ts'
import type { Field, Section } from '../../text/section.ts'
import { readDeepSpeed, readFsdp, type Sharded } from '../../trainer/sharding.ts'

type Mesh = Pick<TrainingSpec, 'gpus' | 'shardedOver'>

/** utils/distributed.py: the number of GPUs is the product of the sizes of each kind of parallelism, copies of the shards included. */
export function readMesh(reader: FieldReader, document: Section, sharding: Sharding | undefined): Mesh {
  const gpus = readCount(reader, document, sharding)
  const [shard, copies] = [document.at('dp_shard_size'), document.at('dp_replicate_size')]
  if (copies === undefined || division(reader, copies) === 1) return { gpus }
  const among = division(reader, shard)
  if (among === 1 || !isFsdp(sharding)) return { gpus }
  return { gpus, shardedOver: reader.note('shardedOver', among, shard ?? copies) }
}

function readCount(reader: FieldReader, document: Section, sharding: Sharding | undefined): number {
  const sizes = [
    ...[document.at('dp_shard_size'), document.at('dp_replicate_size'), contextParallel(document)],
    ...[document.at('tensor_parallel_size'), document.at('expert_parallel_size')],
  ]
  const fields = sizes.filter(field => field !== undefined)
  const [first] = fields
  if (first === undefined) return readGpus(reader, undefined, sharding)
  const gpus = fields.reduce((product, field) => product * division(reader, field), 1)
  return reader.note('gpus', gpus, first)
}

/** schemas/validation.py: the second is the older name, which still works. */
export function contextParallel(document: Section): Field | undefined {
  return document.at('context_parallel_size') ?? document.at('sequence_parallel_degree')
}

export function division(reader: FieldReader, field: Field | undefined): number {
  return reader.wholeNumber(field, { max: 1_000 }) ?? 1
}

export function readExpertParallel(reader: FieldReader, field: Field | undefined): number | undefined {
  const gpus = division(reader, field)
  return field === undefined || gpus === 1 ? undefined : reader.note('expertParallel', gpus, field)
}

/** deepspeed_configs/zero2.json of Axolotl's repository: its name does not say that it offloads. */
const offloadingFile = /deepspeed_configs\/zero2(?:_torch_compile)?\.json["']?$/

export function readSharding(reader: FieldReader, document: Section, file: DeepSpeedFile): Sharded {
  const field = document.at('deepspeed')
  const deepspeed = readDeepSpeed(reader, field, file)
  if (field !== undefined && file.kind !== 'read' && offloadingFile.test(field.source)) {
    reader.assume("The optimizer state is on the host: Axolotl's own zero2.json offloads it.")
    return { ...deepspeed, offload: reader.note('offload', 'optimizer', field) }
  }
  if (deepspeed.sharding !== undefined) return deepspeed
  const config = document.at('fsdp_config')?.value
  return readFsdp(reader, {
    fsdp: document.at('fsdp'),
    version: document.at('fsdp_version'),
    config: config?.kind === 'mapping' ? config.section : undefined,
  })
}
