/** Footprints by the shape of their spec: a repository's configs mostly differ in settings that do not affect the footprint. */
import { type Gpu, hasFlashAttention } from '../gpus/catalogue.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { computesInFloat32 } from '../training/choices.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { type Device, Footprint, Recording } from './footprint.ts'

/** Operations that are kept recorded, of all footprints together: each holds about two kilobytes, a model a few hundred. */
const MAX_KEPT_NODES = 5_000

/** However large: an assessment goes back and forth between a config's own footprint, and those of changes that would help it. */
const ALWAYS_KEPT = 3

interface Kept {
  readonly recording: Recording
  readonly nodeCount: number
  /** Without gradient accumulation, and with it. */
  readonly footprints: Map<number, Footprint>
}

/** What of a GPU matters to a step: the flash kernel takes 16-bit types only, so that in float32 all behave alike. */
export function deviceFor(spec: TrainingSpec, gpu: Gpu): Device {
  return { hasFlash: computesInFloat32(spec) || hasFlashAttention(gpu) }
}

export class FootprintCache {
  /** The most recently used last. */
  readonly #kept = new Map<string, Kept>()
  #keptNodes = 0

  of(spec: TrainingSpec, config: ModelConfig, gpu: Gpu): Footprint {
    const device = deviceFor(spec, gpu)
    // What is evaluated in between and how weights and state came here is no part of a step.
    const { evaluation: _, loadsWhole: __, quantizesOnLoad: ___, resumes: ____, ...step } = spec
    const alone = { ...step, microBatch: 1, gradientAccumulation: 1 }
    const { recording, footprints } = this.#recorded(alone, config, device)
    // Every micro-step from the second on is like the second.
    const gradientAccumulation = Math.min(spec.gradientAccumulation, 2)
    const accumulating = gradientAccumulation === 1 ? footprints.get(2) : undefined
    const footprint =
      footprints.get(gradientAccumulation) ??
      new Footprint({ ...alone, gradientAccumulation }, config, device, recording, accumulating)
    footprints.set(gradientAccumulation, footprint)
    return footprint
  }

  #recorded(spec: TrainingSpec, config: ModelConfig, device: Device): Kept {
    const key = JSON.stringify([spec, config, device])
    const known = this.#kept.get(key)
    const kept = known ?? recorded(spec, config, device)
    if (known === undefined) this.#keptNodes += kept.nodeCount
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    for (const [oldest, { nodeCount }] of this.#kept) {
      if (this.#keptNodes <= MAX_KEPT_NODES || this.#kept.size <= ALWAYS_KEPT) break
      this.#kept.delete(oldest)
      this.#keptNodes -= nodeCount
    }
    return kept
  }
}

function recorded(spec: TrainingSpec, config: ModelConfig, device: Device): Kept {
  const recording = new Recording(spec, config, device)
  const nodeCount = recording.tape.nodes.reduce((sum, { body }) => sum + 1 + (body?.length ?? 0), 0)
  return { recording, nodeCount, footprints: new Map() }
}
