/** Whether a config that does not fit one GPU would fit where its launcher divides it among several without a word in the config. */
import { GPUS_OF_A_MACHINE } from '../config/gpus.ts'
import type { TrainingSpec } from '../config/spec.ts'
import { MemoryMarkError } from '../errors.ts'
import type { FootprintCache } from '../estimate/footprint-cache.ts'
import { mastersOf } from '../estimate/sharding/shares.ts'
import { type Gpu, usableBytes } from '../gpus/catalogue.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { CUBLAS_HANDLES, EstimateProbe } from './estimate.ts'

interface Circumstances {
  readonly gpu: Gpu
  readonly footprints: FootprintCache
}

/** Divided among a machine's GPUs by FSDP. `spec`: on one GPU. */
export function fitsAmongSeveral(spec: TrainingSpec, config: ModelConfig, circumstances: Circumstances): boolean {
  if (spec.framework !== 'pytorch' || spec.loop === 'ultralytics') return false
  const divided: TrainingSpec = { ...spec, gpus: GPUS_OF_A_MACHINE, sharding: 'fsdp' }
  const { gpu, footprints } = circumstances
  if (needsMoreAnyway(spec, divided, config, circumstances)) return false
  try {
    return new EstimateProbe(footprints.of(divided, config, gpu), gpu).fits(spec.microBatch)
  } catch (error) {
    // What cannot be divided does not fit divided.
    if (error instanceof MemoryMarkError) return false
    throw error
  }
}

/**
 * Most of what does not fit divided either is told by the undivided step, which is known already: FSDP divides the model, its gradients
 * and its optimizer's state, and leaves to each GPU all that grows with the batch.
 */
function needsMoreAnyway(
  spec: TrainingSpec,
  divided: TrainingSpec,
  config: ModelConfig,
  { gpu, footprints }: Circumstances,
): boolean {
  // Where the float32 copies move, neither the share of the model nor what adapters compute in is the same.
  if (mastersOf(spec) !== mastersOf(divided)) return false
  const undivided = footprints.of(spec, config, gpu)
  const sharedBytes = undivided.resting(0).bytes / GPUS_OF_A_MACHINE
  const workspaceBytes = gpu.cublasWorkspaceBytes * CUBLAS_HANDLES
  return undivided.growingBytes(spec.microBatch) + sharedBytes + workspaceBytes > usableBytes(gpu)
}
