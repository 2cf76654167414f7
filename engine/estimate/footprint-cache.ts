/** Footprints by the shape of their spec: a repository's configs mostly differ in settings that do not affect the footprint. */
import type { TrainingSpec } from '../config/spec.ts'
import { type Gpu, hasFlashAttention } from '../gpus/catalogue.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { Footprint } from './footprint.ts'

/** A footprint holds a few megabytes. */
const MAX_KEPT = 64

export class FootprintCache {
  /** The most recently used last. */
  readonly #kept = new Map<string, Footprint>()

  of(spec: TrainingSpec, config: ModelConfig, gpu: Gpu): Footprint {
    const shape = shapeOf(spec)
    // The flash kernel supports 16-bit types only, so in float32 all GPUs behave alike.
    const isFloat32 = spec.precision === 'fp32' || spec.precision === 'tf32'
    const device = { hasFlash: isFloat32 || hasFlashAttention(gpu) }
    const key = JSON.stringify([shape, config, device])
    const footprint = this.#kept.get(key) ?? new Footprint(shape, config, device)
    this.#kept.delete(key)
    this.#kept.set(key, footprint)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest)
    return footprint
  }
}

/** One footprint answers for every batch, and every micro-step from the second on is like the second. */
function shapeOf(spec: TrainingSpec): TrainingSpec {
  return { ...spec, microBatch: 1, gradientAccumulation: Math.min(spec.gradientAccumulation, 2) }
}
