/** The probe that estimates: it answers a trial from the tape, without Python or a GPU. */
import type { Fit, Footprint, Peak } from '../estimate/footprint.ts'
import type { FootprintCache } from '../estimate/footprint-cache.ts'
import type { MemoryPoint } from '../estimate/step/memory-over-step.ts'
import { byteKinds } from '../estimate/tape/storage.ts'
import { ThroughputModel } from '../estimate/throughput/throughput.ts'
import { type VllmShare, vllmShare } from '../estimate/vllm-share.ts'
import { type Gpu, hasSpeed, usableBytes } from '../gpus/catalogue.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { accumulatesGradients } from '../training/batches.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { type Trial, trialSpec } from './trial.ts'

/** PyTorch keeps one cuBLAS handle, and so one workspace, for the forward and one for the autograd thread. */
const CUBLAS_HANDLES = 2

/** What cuBLAS holds for itself on a GPU. */
export function workspaceBytesOf({ cublasWorkspaceBytes }: Pick<Gpu, 'cublasWorkspaceBytes'>): number {
  return cublasWorkspaceBytes * CUBLAS_HANDLES
}

/** Throughput models by footprint, which configs of a repository often share. */
const throughputs = new WeakMap<Footprint, Map<Gpu, ThroughputModel>>()

/**
 * Two probes for one spec and GPU: one for a step of a single micro-batch, and one for a micro-batch with gradient
 * accumulation. Each is made when first used.
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

/** With or without gradient accumulation, as in the spec of its footprint. */
export class EstimateProbe {
  readonly usableBytes: number
  readonly #workspaceBytes: number
  readonly #footprint: Footprint
  readonly #gpu: Gpu
  readonly #vllm: VllmShare
  readonly #accumulates: Pick<Trial, 'accumulates'>
  readonly #memoryFactor: number

  /** One footprint serves many GPUs. `memoryFactor`: measured over estimated peaks of the team's runs. */
  constructor(footprint: Footprint, gpu: Gpu, memoryFactor = 1) {
    this.#memoryFactor = memoryFactor
    this.#vllm = vllmShare(footprint.spec, gpu)
    this.usableBytes = Math.max(0, usableBytes(gpu) - (this.#vllm.held === 'always' ? this.#vllm.bytes : 0))
    this.#workspaceBytes = workspaceBytesOf(gpu)
    this.#footprint = footprint
    this.#accumulates = accumulatesGradients(footprint.spec) ? { accumulates: true } : {}
    this.#gpu = gpu
  }

  peak(batch: number): Peak {
    const step = this.#footprint.peak(batch, this.#workspaceBytes)
    const generation = this.#inVllm()
    return this.#corrected(generation !== undefined && generation.bytes > step.bytes ? generation : step)
  }

  /** The bytes of `peak`, which are faster to compute alone. */
  peakBytes(batch: number): number {
    const stepBytes = this.#footprint.peakBytes(batch, this.#workspaceBytes)
    return Math.max(stepBytes, this.#inVllm()?.bytes ?? 0) * this.#memoryFactor
  }

  /** Memory over the step in about `points` points, of which the highest is the peak. */
  overStep(batch: number, points: number): readonly MemoryPoint[] {
    const step = this.#footprint.overStep(batch, this.#workspaceBytes, points)
    const generation = this.#inVllm()
    const before = generation === undefined ? [] : [{ ...generation, phase: 'generation' as const }]
    return [...before, ...step].map(point => ({ ...point, ...this.#corrected(point) }))
  }

  /** The peak while vLLM generates before the step; undefined without vLLM. */
  #inVllm(): Peak | undefined {
    if (this.#vllm.held === 'always' || this.#vllm.bytes === 0) return undefined
    const { bytes, breakdown } = this.#footprint.resting(this.#workspaceBytes)
    const held = { ...breakdown, workspace: breakdown.workspace + this.#vllm.bytes }
    const movedBytes = this.#vllm.movedOut.reduce((sum, kind) => sum + breakdown[kind], 0)
    for (const kind of this.#vllm.movedOut) held[kind] = 0
    return { bytes: bytes + this.#vllm.bytes - movedBytes, breakdown: held, moment: 'generation in vLLM' }
  }

  #corrected(peak: Peak): Peak {
    const factor = this.#memoryFactor
    if (factor === 1) return peak
    const breakdown = { ...peak.breakdown }
    for (const kind of byteKinds) breakdown[kind] *= factor
    return { ...peak, bytes: peak.bytes * factor, breakdown }
  }

  /** The most that the caching allocator reserves. For a batch that does not fit, as if the device had no limit. */
  reservedBytes(batch: number): number | undefined {
    const limits = [this.usableBytes, Number.POSITIVE_INFINITY]
    const peakBytes = this.peakBytes(batch)
    for (const limit of limits) {
      const fit = this.#fit(batch, peakBytes, limit)
      if (fit.kind === 'fits') return fit.reservedBytes
    }
    return undefined
  }

  /** Undefined for a GPU described without bandwidth or FLOP/s. */
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

  /** A trial of a batch below one that fits, without replaying the allocator. */
  trialBelow(batch: number): Trial {
    const peakBytes = this.peakBytes(batch)
    return { microBatch: batch, ...this.#accumulates, provenance: 'estimated', outcome: { kind: 'fits', peakBytes } }
  }

  /** Whether a batch fits and leaves `margin` (a share of usable memory) free. */
  fits(batch: number, margin = 0): boolean {
    return this.#fit(batch, this.peakBytes(batch), this.usableBytes * (1 - margin)).kind === 'fits'
  }

  /** Whether its bytes in use fit with the margin; the allocator's fragments may still be too much. */
  mayFit(batch: number, margin: number): boolean {
    return this.peakBytes(batch) <= this.usableBytes * (1 - margin)
  }

  /** Bytes in use are a lower bound for the allocator and much faster to compute, so they are checked first. */
  #fit(batch: number, peakBytes: number, limitBytes: number): Fit {
    return peakBytes > limitBytes ? { kind: 'out-of-memory' } : this.#replayed(batch, limitBytes)
  }

  /** Scales the limit by `memoryFactor`: a step that takes twice the estimate fits if the estimate fits in half. */
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
