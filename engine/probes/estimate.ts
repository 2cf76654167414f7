/** The probe that needs nothing: answers a trial from the tape. */
import type { Fit, Footprint, Peak } from '../estimate/footprint.ts'
import { ThroughputModel } from '../estimate/throughput.ts'
import { type Gpu, usableBytes } from '../gpus/catalogue.ts'
import { findLargest } from '../search/boundary.ts'
import type { Grid } from '../search/grid.ts'
import type { Trial } from './trial.ts'

/** PyTorch keeps one cuBLAS handle, and so one workspace, for the forward and one for the autograd thread. */
const CUBLAS_HANDLES = 2

export class EstimateProbe {
  readonly usableBytes: number
  readonly #workspaceBytes: number
  readonly #footprint: Footprint
  readonly #gpu: Gpu
  #throughput: ThroughputModel | undefined

  /** One footprint serves any number of GPUs. */
  constructor(footprint: Footprint, gpu: Gpu) {
    this.usableBytes = usableBytes(gpu)
    this.#workspaceBytes = gpu.cublasWorkspaceBytes * CUBLAS_HANDLES
    this.#footprint = footprint
    this.#gpu = gpu
  }

  peak(batch: number): Peak {
    return this.#footprint.peak(batch, this.#workspaceBytes)
  }

  samplesPerSecond(batch: number, accumulation: number): number {
    this.#throughput ??= new ThroughputModel(this.#footprint, this.#gpu)
    return this.#throughput.samplesPerSecond(batch, accumulation)
  }

  trial(batch: number): Trial {
    const { bytes: peakBytes } = this.peak(batch)
    const fit = this.#fit(batch, peakBytes, this.usableBytes)
    return {
      microBatch: batch,
      provenance: 'estimated',
      outcome:
        fit.kind === 'fits'
          ? { kind: 'fits', peakBytes, reservedBytes: fit.reservedBytes }
          : { kind: 'out-of-memory', neededBytes: peakBytes },
    }
  }

  /** Whether a batch fits and leaves `margin` (a share of usable memory) free. */
  fits(batch: number, margin = 0): boolean {
    return this.#fit(batch, this.peak(batch).bytes, this.usableBytes * (1 - margin)).kind === 'fits'
  }

  /** The largest batch on the grid that leaves `margin` (a share of usable memory) free; undefined when none does. */
  largest(grid: Grid, margin = 0): number | undefined {
    const predicted = grid.indexOf(this.#predictedBoundary(this.usableBytes * (1 - margin)))
    return findLargest(grid, predicted, batch => this.fits(batch, margin))
  }

  /** The bytes in use are a lower bound of what the allocator needs, and far cheaper to know. */
  #fit(batch: number, peakBytes: number, limitBytes: number): Fit {
    return peakBytes > limitBytes
      ? { kind: 'out-of-memory' }
      : this.#footprint.fit(batch, limitBytes, this.#workspaceBytes)
  }

  /** Peaks are piecewise affine in the batch: two secant steps land on the boundary's own piece. */
  #predictedBoundary(limitBytes: number): number {
    let [low, high] = [8, 64]
    for (let step = 0; step < 2; step++) {
      const [lowBytes, highBytes] = [this.peak(low).bytes, this.peak(high).bytes]
      const bytesPerSample = Math.max(1, (highBytes - lowBytes) / (high - low))
      const crossing = Math.max(1, low + (limitBytes - lowBytes) / bytesPerSample)
      ;[low, high] = [crossing, crossing * 1.1 + 1]
    }
    return low
  }
}
