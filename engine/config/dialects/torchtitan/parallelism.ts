/** How torchtitan divides a training among GPUs: torchtitan/distributed/parallel_dims.py, torchtitan/models/llama3/infra/parallelize.py. */
import type { TrainingSpec } from '../../../training/spec.ts'
import type { Choices, FieldReader } from '../../fields/fields.ts'
import { GPUS_OF_A_MACHINE, readGpus } from '../../fields/gpus.ts'
import type { Field, Section } from '../../text/section.ts'
import { isOn } from '../../trainer/method.ts'
import { readTensorParallel } from '../../trainer/tensor-parallel.ts'
import { firstOf, refuse } from './settings.ts'

export interface Division {
  readonly spec: Pick<TrainingSpec, 'gpus'> &
    Partial<Pick<TrainingSpec, 'sharding' | 'fsdpVersion' | 'shardedOver' | 'syncsEveryMicroBatch' | 'tensorParallel'>>
  /** GPUs or groups of them that each take samples of their own. */
  readonly copies: number
  readonly isSharded: boolean
  readonly isTensorParallel: boolean
}

const MAX_DEGREE = 100_000

export function readDivision(reader: FieldReader, document: Section): Division {
  const fieldOf = (name: string) => firstOf(document, [`parallelism.${name}`, `training.${name}`])
  const tensorParallel = readTensor(reader, fieldOf('tensor_parallel_degree'), document)
  const replicateField = fieldOf('data_parallel_replicate_degree')
  const replicate = (replicateField && reader.wholeNumber(replicateField, { max: MAX_DEGREE })) ?? 1
  const shardField = fieldOf('data_parallel_shard_degree')
  const written = degreeOf(reader, shardField)
  const inEach = replicate * (tensorParallel?.gpus ?? 1)
  const byDegrees = written !== undefined && shardField && { ...shardField, value: numberOf(written * inEach) }
  // Where nobody says how many, FSDP is taken to have some to divide among beside the other degrees.
  const several = GPUS_OF_A_MACHINE * (inEach < GPUS_OF_A_MACHINE ? 1 : inEach)
  const gpus = readGpus(reader, byDegrees || undefined, 'fsdp', several)
  const shard = written ?? Math.floor(gpus / inEach)
  if (shard * inEach !== gpus && reader.problems.length === 0) {
    const message = `${gpus} GPUs cannot be divided as ${replicate} × ${written ?? 'the rest'} × ${tensorParallel?.gpus ?? 1} (replicate, shard, tensor parallel)`
    reader.refuse(
      shardField ?? replicateField,
      'gpus-mismatch',
      message,
      'Make the degrees multiply to the number of GPUs.',
    )
  }
  return {
    spec: {
      gpus,
      ...(tensorParallel && { tensorParallel }),
      ...sharing(reader, document, { replicate, shard, shardField }),
    },
    copies: Math.max(1, replicate * shard),
    isSharded: shard > 1,
    isTensorParallel: tensorParallel !== undefined,
  }
}

/** Undefined for -1, the default: whatever other degrees leave. */
function degreeOf(reader: FieldReader, field: Field | undefined): number | undefined {
  if (field === undefined || (field.value.kind === 'number' && field.value.number === -1)) return undefined
  return reader.wholeNumber(field, { max: MAX_DEGREE })
}

function numberOf(number: number): Field['value'] {
  return { kind: 'number', number }
}

function readTensor(reader: FieldReader, field: Field | undefined, document: Section): TrainingSpec['tensorParallel'] {
  const divided = readTensorParallel(reader, field, true)
  if (divided === undefined || field === undefined) return undefined
  const loss = firstOf(document, ['parallelism.disable_loss_parallel', 'training.disable_loss_parallel'])
  const overlaps = firstOf(document, [
    'parallelism.enable_async_tensor_parallel',
    'experimental.enable_async_tensor_parallel',
  ])
  if (isOn(reader, overlaps))
    reader.assumeMore('Asynchronous tensor parallelism is counted like the plain one, which takes more memory.')
  return isOn(reader, loss) ? divided : reader.note('tensorParallel', { ...divided, dividesLoss: true as const }, field)
}

const resharding: Choices<'fsdp' | 'fsdp-grad-op' | 'always'> = new Map([
  ['default', 'fsdp'],
  ['never', 'fsdp-grad-op'],
  ['always', 'always'],
])

interface Degrees {
  readonly replicate: number
  readonly shard: number
  readonly shardField: Field | undefined
}

/** FSDP among the GPUs of a group, and copies of the group (HSDP); copies alone are DDP. */
function sharing(
  reader: FieldReader,
  document: Section,
  { replicate, shard, shardField }: Degrees,
): Omit<Division['spec'], 'gpus'> {
  const policy = firstOf(document, ['parallelism.fsdp_reshard_after_forward', 'training.fsdp_reshard_after_forward'])
  const kept = policy === undefined ? 'fsdp' : reader.choice(policy, resharding)
  const from = shardField ?? "torchtitan's default"
  if (shard <= 1) return replicate > 1 ? { sharding: reader.note('sharding', 'ddp', from) } : {}
  if (kept === 'always' && policy !== undefined) refuse(reader, policy, `${policy.name} of ${policy.source}`)
  return {
    sharding: reader.note('sharding', kept === 'fsdp-grad-op' ? kept : 'fsdp', policy ?? from),
    fsdpVersion: 2,
    syncsEveryMicroBatch: true,
    ...(replicate > 1 && { shardedOver: reader.note('shardedOver', shard, from) }),
  }
}
