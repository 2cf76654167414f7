/** How NeMo RL divides a training among GPUs: models/policy/lm_policy.py, and algorithms/grpo.py for those that generate. */
import type { TrainingSpec } from '../../../training/spec.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { readGpus } from '../../fields/gpus.ts'
import type { Field, Section } from '../../text/section.ts'
import { isOn } from '../../trainer/method.ts'
import { readTensorParallel } from '../../trainer/tensor-parallel.ts'
import { written } from './written.ts'

export interface Division {
  readonly spec: Pick<TrainingSpec, 'gpus'> &
    Partial<
      Pick<
        TrainingSpec,
        'sharding' | 'fsdpVersion' | 'shardedOver' | 'syncsEveryMicroBatch' | 'tensorParallel' | 'offload'
      >
    >
  /** GPUs or groups of them that each take samples of their own. */
  readonly copies: number
  readonly contextParallel: number
  /** `dtensor_cfg._v2`, the worker that loads models through NeMo AutoModel. */
  readonly isSecond: boolean
  /** The second worker leaves a model on one GPU as it is. */
  readonly isSharded: boolean
}

const MAX_DEGREE = 100_000

export function readDivision(reader: FieldReader, document: Section): Division {
  const at = (key: string) => written(document.at('policy', 'dtensor_cfg', key))
  const degree = (key: string) => reader.wholeNumber(at(key), { max: MAX_DEGREE }) ?? 1
  const isSecond = isOn(reader, at('_v2'))
  const gpus = readTrainingGpus(reader, document)
  const tensorParallel = readTensor(reader, at('tensor_parallel_size'), at('sequence_parallel'))
  const contextParallel = degree('context_parallel_size')
  const replicas = degree('dp_replicate_size')
  const copies = gpus / (tensorParallel?.gpus ?? 1) / contextParallel
  const shards = (copies / replicas) * contextParallel
  if (!Number.isInteger(copies) || !Number.isInteger(shards)) {
    const message = `${gpus} GPUs cannot be divided as ${tensorParallel?.gpus ?? 1} × ${contextParallel} × ${replicas} (tensor parallel, context parallel, replicas)`
    const fix = 'Make the number of GPUs that train a multiple of the degrees of policy.dtensor_cfg.'
    reader.refuse(at('tensor_parallel_size') ?? document.at('cluster', 'gpus_per_node'), 'gpus-mismatch', message, fix)
  }
  const isSharded = !isSecond || gpus > 1
  return {
    spec: {
      gpus,
      ...(tensorParallel && { tensorParallel }),
      ...(isSharded && {
        sharding: reader.note('sharding', 'fsdp' as const, "NeMo RL's only way"),
        fsdpVersion: reader.note('fsdpVersion', 2 as const, "NeMo RL's only way"),
        syncsEveryMicroBatch: true as const,
        ...(replicas > 1 &&
          shards > 1 && { shardedOver: reader.note('shardedOver', shards, at('dp_replicate_size')!) }),
      }),
      ...offloadOf(reader, at('cpu_offload'), isSharded),
    },
    copies: Math.max(1, Math.floor(copies)),
    contextParallel,
    isSecond,
    isSharded,
  }
}

function readTensor(
  reader: FieldReader,
  degree: Field | undefined,
  tokens: Field | undefined,
): TrainingSpec['tensorParallel'] {
  const divided = readTensorParallel(reader, degree, isOn(reader, tokens))
  return divided && degree && reader.note('tensorParallel', { ...divided, dividesLoss: true as const }, degree)
}

function offloadOf(reader: FieldReader, field: Field | undefined, isSharded: boolean): Pick<TrainingSpec, 'offload'> {
  if (!isOn(reader, field)) return {}
  if (isSharded) return { offload: reader.note('offload', 'optimizer-and-weights', field) }
  const message = 'NeMo RL does not start on one GPU with cpu_offload and dtensor_cfg._v2'
  reader.refuse(field, 'gpus-mismatch', message, 'Switch one of them off, or use several GPUs.')
  return {}
}

/** Those of the cluster, but for GPUs of their own that generate. */
function readTrainingGpus(reader: FieldReader, document: Section): number {
  const [each, machines] = [
    written(document.at('cluster', 'gpus_per_node')),
    written(document.at('cluster', 'num_nodes')),
  ]
  if (each === undefined || reader.supplies('gpus')) return readGpus(reader, undefined, 'fsdp')
  const count = (field: Field | undefined) => reader.wholeNumber(field, { max: 10_000 })
  const [perMachine, nodes] = [count(each) ?? 1, count(machines) ?? 1]
  const colocated = document.at('policy', 'generation', 'colocated', 'enabled')
  const isApart = colocated !== undefined && document.at('grpo') !== undefined && reader.flag(colocated) === false
  if (!isApart) return reader.note('gpus', perMachine * nodes, each)
  const of = (key: string) => count(written(document.at('policy', 'generation', 'colocated', 'resources', key)))
  const training = nodes === 1 ? perMachine - (of('gpus_per_node') ?? 0) : perMachine * (nodes - (of('num_nodes') ?? 0))
  if (training < 1) {
    const message = 'Generation takes every GPU of the cluster, so that none is left to train'
    reader.refuse(colocated, 'gpus-mismatch', message, 'Write fewer in policy.generation.colocated.resources.')
  }
  return reader.note('gpus', Math.max(1, training), each)
}
