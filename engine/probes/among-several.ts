/**
 * Whether a config that does not fit one GPU would fit if its launcher sharded it over several GPUs, which the config
 * need not mention.
 */
import { MemoryMarkError } from '../base/errors.ts'
import type { FootprintCache } from '../estimate/footprint-cache.ts'
import { addsToWholeGradients } from '../estimate/sharding/exchanges.ts'
import { mastersOf } from '../estimate/sharding/shares.ts'
import { type Gpu, usableBytes } from '../gpus/catalogue.ts'
import type { ModelConfig } from '../models/architecture.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { EstimateProbe, workspaceBytesOf } from './estimate.ts'

interface Circumstances {
  readonly gpu: Gpu
  readonly footprints: FootprintCache
}

/** As many as `plan` looks at: what fits among fewer fits among them, since each holds a smaller share of the same. */
const GPUS = 64

/** No gradients of a step fill it. */
const ENDLESS_BUCKET = Number.MAX_SAFE_INTEGER

/** They divide with FSDP alone, or not at all. */
const withoutZero: ReadonlySet<TrainingSpec['loop']> = new Set(['verl', 'torchtitan', 'nemo-rl', 'nemo-rl-v2'])

/** They divide with DeepSpeed alone. */
const withoutFsdp: ReadonlySet<TrainingSpec['loop']> = new Set(['openrlhf'])

/**
 * Whether it fits when sharded over the GPUs of several machines by FSDP, or by ZeRO-3, which divides gradients with every micro-step
 * where FSDP keeps them whole until the last. `spec`: on one GPU.
 */
export function fitsAmongSeveral(spec: TrainingSpec, config: ModelConfig, circumstances: Circumstances): boolean {
  if (spec.framework !== 'pytorch' || spec.loop === 'ultralytics') return false
  return shardingsOf(spec).some(sharding => fitsDivided(spec, { ...spec, gpus: GPUS, sharding }, config, circumstances))
}

function shardingsOf({ loop }: TrainingSpec): readonly ('fsdp' | 'zero3')[] {
  if (withoutZero.has(loop)) return ['fsdp']
  return withoutFsdp.has(loop) ? ['zero3'] : ['fsdp', 'zero3']
}

function fitsDivided(
  spec: TrainingSpec,
  divided: TrainingSpec,
  config: ModelConfig,
  circumstances: Circumstances,
): boolean {
  const { gpu, footprints } = circumstances
  try {
    if (needsMoreAnyway(spec, divided, config, circumstances)) return false
    return new EstimateProbe(footprints.of(divided, config, gpu), gpu).fits(spec.microBatch)
  } catch (error) {
    // A training that cannot be sharded does not fit that way.
    if (error instanceof MemoryMarkError) return false
    throw error
  }
}

/**
 * Whether the unsharded step, which is known already, rules sharding out: parameters, gradients and optimizer state are divided, but
 * all that grows with the batch stays on each GPU, and so do gradients to which more micro-steps add.
 */
function needsMoreAnyway(
  spec: TrainingSpec,
  divided: TrainingSpec,
  config: ModelConfig,
  { gpu, footprints }: Circumstances,
): boolean {
  const alone = undividedLike(spec, divided)
  if (alone === undefined) return false
  const undivided = footprints.of(alone, config, gpu)
  const sharedBytes = undivided.resting(0).bytes / divided.gpus + workspaceBytesOf(gpu)
  const moments = addsToWholeGradients(divided) ? [false, true] : [false]
  return moments.some(
    besideGradients => undivided.growingBytes(spec.microBatch, besideGradients) + sharedBytes > usableBytes(gpu),
  )
}

/**
 * A training on one GPU whose step grows with the batch as the divided one's does, and of which no less is divided; undefined where
 * FSDP keeps as weights the float32 copies that were in the optimizer. ZeRO adds such copies, and has adapters in the type of the
 * weights: so does ZeRO-2 on one GPU, whose layers are alike if no bucket is full in the middle of one.
 */
function undividedLike(spec: TrainingSpec, divided: TrainingSpec): TrainingSpec | undefined {
  if (mastersOf(spec) === mastersOf(divided)) return spec
  if (divided.sharding !== 'zero3') return undefined
  return spec.lora === undefined
    ? spec
    : { ...spec, sharding: 'zero2', zero: { ...spec.zero, reduceBucket: ENDLESS_BUCKET } }
}
