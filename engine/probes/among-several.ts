/**
 * Whether a config that does not fit one GPU could fit if its launcher sharded it over several, which the config need not mention. FSDP
 * and ZeRO-3 divide parameters, gradients and optimizer state; what grows with the batch stays whole on each GPU, however many there are.
 */
import { MemoryMarkError } from '../base/errors.ts'
import type { FootprintCache } from '../estimate/footprint-cache.ts'
import { type Gpu, usableBytes } from '../gpus/catalogue.ts'
import type { ModelConfig } from '../models/architecture.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { EstimateProbe, workspaceBytesOf } from './estimate.ts'

export interface Circumstances {
  readonly gpu: Gpu
  readonly footprints: FootprintCache
}

/** Of a GPU's usable memory. Where what grows takes more, what is gathered and the allocator's fragments decide. */
const NEARLY_ALL = 0.9

/**
 * Adapters in the type of the weights take at least a fifth of what they take otherwise: beside a 16-bit input of theirs there are
 * at most a float32 copy and what dropout makes of that.
 */
const MOST_BY_ADAPTERS = 5

/** As many as `plan` looks at: what fits among fewer fits among them, since each holds a smaller share of the same. */
const GPUS = 64

/** They divide with FSDP alone, or not at all. */
const withoutZero: ReadonlySet<TrainingSpec['loop']> = new Set(['verl', 'torchtitan', 'nemo-rl', 'nemo-rl-v2'])

/** They divide with DeepSpeed alone. */
const withoutFsdp: ReadonlySet<TrainingSpec['loop']> = new Set(['openrlhf'])

/** `spec`: on one GPU. */
export function couldFitAmongSeveral(spec: TrainingSpec, config: ModelConfig, circumstances: Circumstances): boolean {
  if (spec.framework !== 'pytorch' || spec.loop === 'ultralytics') return false
  const { gpu, footprints } = circumstances
  const shareOf = (alike: TrainingSpec) => {
    const growing = footprints.of(alike, config, gpu).growingBytes(spec.microBatch)
    return (growing + workspaceBytesOf(gpu)) / usableBytes(gpu)
  }
  // That of the spec itself is known already.
  const own = shareOf(spec)
  const mayShrink = own > NEARLY_ALL && own <= MOST_BY_ADAPTERS
  const least = mayShrink && spec.lora !== undefined ? shareOf(withLowAdapters(spec, spec.lora)) : own
  if (least <= NEARLY_ALL) return true
  return least <= 1 && shardingsOf(spec).some(sharding => fitsSharded({ ...spec, sharding }, config, circumstances))
}

/**
 * As DeepSpeed trains adapters: in the type of the weights, so that under autocast no float32 copy of their input is kept. What grows with
 * the batch is the same in every micro-step, so one of them tells it.
 */
function withLowAdapters(spec: TrainingSpec, lora: NonNullable<TrainingSpec['lora']>): TrainingSpec {
  return { ...spec, gradientAccumulation: 1, lora: { ...lora, inWeightsType: true } }
}

/** FSDP may keep whole gradients until the last micro-step, which ZeRO-3 divides with every one. */
function shardingsOf({ loop }: TrainingSpec): readonly ('fsdp' | 'zero3')[] {
  if (withoutZero.has(loop)) return ['fsdp']
  return withoutFsdp.has(loop) ? ['zero3'] : ['fsdp', 'zero3']
}

function fitsSharded(spec: TrainingSpec, config: ModelConfig, { gpu, footprints }: Circumstances): boolean {
  try {
    return new EstimateProbe(footprints.of({ ...spec, gpus: GPUS }, config, gpu), gpu).fits(spec.microBatch)
  } catch (error) {
    // A training that cannot be sharded does not fit that way.
    if (error instanceof MemoryMarkError) return false
    throw error
  }
}
