/** The probe without requirements: answers a trial from the tape. */
import { accumulatesGradients, type TrainingSpec } from '../config/spec.ts'
import type { Fit, Footprint, Peak } from '../estimate/footprint.ts'
import type { FootprintCache } from '../estimate/footprint-cache.ts'
import type { MemoryPoint } from '../estimate/step/memory-over-step.ts'
import { byteKinds } from '../estimate/tape/storage.ts'
import { ThroughputModel } from '../estimate/throughput/throughput.ts'
import { type VllmShare, vllmShare } from '../estimate/vllm-share.ts'
import { type Gpu, hasSpeed, usableBytes } from '../gpus/catalogue.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { type Trial, trialSpec } from './trial.ts'

/** PyTorch keeps one cuBLAS handle, and so one workspace, for the forward and one for the autograd thread. */
export const CUBLAS_HANDLES = 2

/** Throughput models by what they describe: a repository's configs often share one. */
const throughputs = new WeakMap<Footprint, Map<Gpu, ThroughputModel>>()

/**
 * The probes of one spec on one GPU: for a micro-batch that is a whole optimizer step, and for one beside the gradients of an
 * earlier one. Each is made when it is first asked for.
 */
export class EstimateProbes {
  readonly #probes = new Map<boolean, EstimateProbe>()
  readonly #make: (accumulates: boolean) => EstimateProbe

  constructor(spec: TrainingSpec, config: ModelConfig, gpu: Gpu, footprints: FootprintCache, memoryFactor = 1) {
    this.#make = accumulates => {
      return new EstimateProbe(footprints.of(trialSpec(spec, 1, accumulates), config, gpu), gpu, memoryFactor)
    }
  }

  of(accumulates: boolean): EstimateProbe {
    const probe = this.#probes.get(accumulates) ?? this.#make(accumulates)
    this.#probes.set(accumulates, probe)
    return probe
  }
}

/** Answers for the accumulation of its footprint's spec. */
export class EstimateProbe {
  readonly usableBytes: number
  readonly #workspaceBytes: number
  readonly #footprint: Footprint
  readonly #gpu: Gpu
  readonly #vllm: VllmShare
  readonly #accumulates: Pick<Trial, 'accumulates'>
  readonly #memoryFactor: number

  /** One footprint serves any number of GPUs. `memoryFactor`: what runs have measured, as a multiple of what is estimated. */
  constructor(footprint: Footprint, gpu: Gpu, memoryFactor = 1) {
    this.#memoryFactor = memoryFactor
    this.#vllm = vllmShare(footprint.spec, gpu)
    this.usableBytes = Math.max(0, usableBytes(gpu) - (this.#vllm.held === 'always' ? this.#vllm.bytes : 0))
    this.#workspaceBytes = gpu.cublasWorkspaceBytes * CUBLAS_HANDLES
    this.#footprint = footprint
    this.#accumulates = accumulatesGradients(footprint.spec) ? { accumulates: true } : {}
    this.#gpu = gpu
  }

  peak(batch: number): Peak {
    const step = this.#footprint.peak(batch, this.#workspaceBytes)
    const generation = this.#inVllm()
    return this.#corrected(generation !== undefined && generation.bytes > step.bytes ? generation : step)
  }

  /** Of `peak` the bytes alone, which take less time. */
  peakBytes(batch: number): number {
    const stepBytes = this.#footprint.peakBytes(batch, this.#workspaceBytes)
    return Math.max(stepBytes, this.#inVllm()?.bytes ?? 0) * this.#memoryFactor
  }

  /** The step from its start to its end, in about so many points: the highest is the peak. */
  overStep(batch: number, points: number): readonly MemoryPoint[] {
    const step = this.#footprint.overStep(batch, this.#workspaceBytes, points)
    const generation = this.#inVllm()
    const before = generation === undefined ? [] : [{ ...generation, phase: 'generation' as const }]
    return [...before, ...step].map(point => ({ ...point, ...this.#corrected(point) }))
  }

  /** Where vLLM takes memory before the step and returns it. */
  #inVllm(): Peak | undefined {
    if (this.#vllm.held === 'always' || this.#vllm.bytes === 0) return undefined
    const { bytes, breakdown } = this.#footprint.resting(this.#workspaceBytes)
    const workspace = breakdown.workspace + this.#vllm.bytes
    return { bytes: bytes + this.#vllm.bytes, breakdown: { ...breakdown, workspace }, moment: 'generation in vLLM' }
  }

  #corrected(peak: Peak): Peak {
    const factor = this.#memoryFactor
    if (factor === 1) return peak
    const breakdown = { ...peak.breakdown }
    for (const kind of byteKinds) breakdown[kind] *= factor
    return { ...peak, bytes: peak.bytes * factor, breakdown }
  }

  /** What the caching allocator holds at most; for a batch that does not fit, on a device without limit. */
  reservedBytes(batch: number): number | undefined {
    const limits = [this.usableBytes, Number.POSITIVE_INFINITY]
    const peakBytes = this.peakBytes(batch)
    for (const limit of limits) {
      const fit = this.#fit(batch, peakBytes, limit)
      if (fit.kind === 'fits') return fit.reservedBytes
    }
    return undefined
  }

  /** Undefined for a GPU whose bandwidth or FLOP/s nobody has told. */
  samplesPerSecond(batch: number, accumulation: number): number | undefined {
    return throughputOf(this.#footprint, this.#gpu)?.samplesPerSecond(batch, accumulation)
  }

  trial(batch: number): Trial {
    const peakBytes = this.peakBytes(batch)
    const fit = this.#fit(batch, peakBytes, this.usableBytes)
    return {
      microBatch: batch,
      ...this.#accumulates,
      provenance: 'estimated',
      outcome:
        fit.kind === 'fits'
          ? { kind: 'fits', peakBytes, reservedBytes: fit.reservedBytes }
          : { kind: 'out-of-memory', neededBytes: peakBytes },
    }
  }

  /** A batch below one that fits also fits, so the allocator is not replayed. */
  trialBelow(batch: number): Trial {
    const peakBytes = this.peakBytes(batch)
    return { microBatch: batch, ...this.#accumulates, provenance: 'estimated', outcome: { kind: 'fits', peakBytes } }
  }

  /** Whether a batch fits and leaves `margin` (a share of usable memory) free. */
  fits(batch: number, margin = 0): boolean {
    return this.#fit(batch, this.peakBytes(batch), this.usableBytes * (1 - margin)).kind === 'fits'
  }

  /** The bytes in use are a lower bound of what the allocator needs, and far cheaper to know. */
  #fit(batch: number, peakBytes: number, limitBytes: number): Fit {
    return peakBytes > limitBytes ? { kind: 'out-of-memory' } : this.#replayed(batch, limitBytes)
  }

  /** A step that takes twice what is modelled fits where the model fits into half. */
  #replayed(batch: number, limitBytes: number): Fit {
    const fit = this.#footprint.fit(batch, limitBytes / this.#memoryFactor, this.#workspaceBytes)
    return fit.kind === 'fits' ? { ...fit, reservedBytes: fit.reservedBytes * this.#memoryFactor } : fit
  }
}

function throughputOf(footprint: Footprint, gpu: Gpu): ThroughputModel | undefined {
  if (!hasSpeed(gpu)) return undefined
  const byGpu = throughputs.get(footprint) ?? new Map<Gpu, ThroughputModel>()
  const throughput = byGpu.get(gpu) ?? new ThroughputModel(footprint, gpu)
  throughputs.set(footprint, byGpu.set(gpu, throughput))
  return throughput
}
