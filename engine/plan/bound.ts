/**
 * Bounds for every strategy from the unsharded step: the least memory per GPU and the highest throughput. Most
 * strategies that do not fit or cannot be fastest are ruled out by them without recording a step.
 */
import { Footprint } from '../estimate/footprint.ts'
import { deviceFor } from '../estimate/footprint-cache.ts'
import type { SpeedyGpu } from '../gpus/catalogue.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { EstimateProbe } from '../probes/estimate.ts'
import type { TrainingSpec } from '../training/spec.ts'
import type { Arrangement } from './strategy.ts'

/** Enough micro-steps to make the optimizer's share of the time negligible. */
const MANY_MICRO_STEPS = 1_000

export class Undivided {
  readonly #spec: TrainingSpec
  readonly #footprint: Footprint
  readonly #growing = new Map<number, number>()

  constructor(spec: TrainingSpec, config: ModelConfig, hasFlash: boolean) {
    this.#spec = spec
    this.#footprint = new Footprint(spec, config, { hasFlash })
  }

  /** The least bytes per GPU, without library workspaces. */
  bytes(arrangement: Arrangement, microBatch: number): number {
    return this.#residingBytes(arrangement) + this.#growingBytes(microBatch)
  }

  /** The highest throughput of one GPU, without any communication. */
  samplesPerSecond(gpu: SpeedyGpu, microBatch: number): number {
    const probe = new EstimateProbe(this.#footprint, gpu)
    return probe.samplesPerSecond(microBatch, MANY_MICRO_STEPS) ?? Number.POSITIVE_INFINITY
  }

  #growingBytes(microBatch: number): number {
    // With adapters under bf16-master, the adapters' type may change, so only the base model's bytes are certain.
    if (this.#spec.lora !== undefined && this.#spec.precision === 'bf16-master') return 0
    const growing = this.#growing.get(microBatch) ?? this.#footprint.growingBytes(microBatch)
    this.#growing.set(microBatch, growing)
    return growing
  }

  #residingBytes({ strategy, gpus }: Arrangement): number {
    const { weights, optimizerState } = this.#footprint.resting(0).breakdown
    // verl and NeMo-RL's first worker wrap the model on one GPU too (`isWrappedByFsdp`).
    const { loop } = this.#spec
    switch (loop === 'verl' || loop === 'nemo-rl' ? 'fsdp' : strategy) {
      case 'single':
      case 'ddp':
        return weights + optimizerState
      case 'zero1':
      case 'zero2':
        return weights + optimizerState / gpus
      case 'fsdp':
      case 'zero3': {
        // For the 32-bit master copies that one GPU keeps in its optimizer, FSDP keeps the weights themselves in 32
        // bits.
        const copies = this.#spec.precision === 'bf16-master' ? 4 * this.#footprint.optimized.elements : 0
        return (weights + optimizerState - copies) / gpus
      }
    }
  }
}

/** Shared by all kinds and numbers of GPUs. */
export class UndividedSteps {
  readonly #config: ModelConfig
  readonly #known = new Map<string, Undivided>()

  constructor(config: ModelConfig) {
    this.#config = config
  }

  /** For a spec as a strategy changes it. */
  of(arranged: TrainingSpec, gpu: SpeedyGpu): Undivided {
    const { sharding: _, fsdpVersion: __, wrapsWholeModel: ___, ...rest } = arranged
    const spec: TrainingSpec = { ...rest, gpus: 1, microBatch: 1, gradientAccumulation: 1 }
    const { hasFlash } = deviceFor(spec, gpu)
    const key = JSON.stringify([spec, hasFlash])
    const undivided = this.#known.get(key) ?? new Undivided(spec, this.#config, hasFlash)
    this.#known.set(key, undivided)
    return undivided
  }
}
