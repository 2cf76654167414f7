/**
 * What the undivided step alone tells of every strategy: the least that a GPU needs, and the most that it does in a
 * second. Most arrangements that do not fit, or cannot be the fastest, are so never recorded.
 */
import type { TrainingSpec } from '../config/spec.ts'
import { Footprint } from '../estimate/footprint.ts'
import { hasFlashAttention, type SpeedyGpu } from '../gpus/catalogue.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { EstimateProbe } from '../probes/estimate.ts'
import type { Arrangement } from './strategy.ts'

/** So many micro-steps that the optimizer's time is spread thin. */
const MANY_MICRO_STEPS = 1_000

export class Undivided {
  readonly #spec: TrainingSpec
  readonly #footprint: Footprint
  readonly #growing = new Map<number, number>()

  constructor(spec: TrainingSpec, config: ModelConfig, hasFlash: boolean) {
    this.#spec = spec
    this.#footprint = new Footprint(spec, config, { hasFlash })
  }

  /** At least, before any library's workspace. */
  bytes(arrangement: Arrangement, microBatch: number): number {
    return this.#residingBytes(arrangement) + this.#growingBytes(microBatch)
  }

  /** Of one GPU, at most: nothing waits for another one. */
  samplesPerSecond(gpu: SpeedyGpu, microBatch: number): number {
    const probe = new EstimateProbe(this.#footprint, gpu)
    return probe.samplesPerSecond(microBatch, MANY_MICRO_STEPS) ?? Number.POSITIVE_INFINITY
  }

  #growingBytes(microBatch: number): number {
    // Where the 32-bit copies move, adapters may compute in another type: only the model's own bytes are certain.
    if (this.#spec.lora !== undefined && this.#spec.precision === 'bf16-master') return 0
    const growing = this.#growing.get(microBatch) ?? this.#footprint.growingBytes(microBatch)
    this.#growing.set(microBatch, growing)
    return growing
  }

  #residingBytes({ strategy, gpus }: Arrangement): number {
    const { weights, optimizerState } = this.#footprint.resting(0).breakdown
    switch (strategy) {
      case 'single':
      case 'ddp':
        return weights + optimizerState
      case 'zero1':
      case 'zero2':
        return weights + optimizerState / gpus
      case 'fsdp':
      case 'zero3': {
        // FSDP keeps 32-bit weights where one GPU has 32-bit copies in its optimizer beside 16-bit weights.
        const copies = this.#spec.precision === 'bf16-master' ? 4 * this.#footprint.optimized.elements : 0
        return (weights + optimizerState - copies) / gpus
      }
    }
  }
}

/** One for all cards and numbers of GPUs. */
export class UndividedSteps {
  readonly #config: ModelConfig
  readonly #known = new Map<string, Undivided>()

  constructor(config: ModelConfig) {
    this.#config = config
  }

  /** Of a spec as any strategy has it. */
  of(arranged: TrainingSpec, gpu: SpeedyGpu): Undivided {
    const { sharding: _, fsdpVersion: __, ...rest } = arranged
    const spec: TrainingSpec = { ...rest, gpus: 1, microBatch: 1, gradientAccumulation: 1 }
    const hasFlash = spec.precision === 'fp32' || spec.precision === 'tf32' || hasFlashAttention(gpu)
    const key = JSON.stringify([spec, hasFlash])
    const undivided = this.#known.get(key) ?? new Undivided(spec, this.#config, hasFlash)
    this.#known.set(key, undivided)
    return undivided
  }
}
