/** The facts about a GPU in the catalogue. */
import { GIB } from '../base/units.ts'

export interface Gpu {
  /** The id in configs and on command lines, e.g. `a100-40gb`. */
  readonly id: string
  readonly name: string
  /** Bytes, as `torch.cuda.get_device_properties(0).total_memory` reports them. */
  readonly totalBytes: number
  readonly totalSource: string
  /** Bytes of the CUDA context before the first tensor, outside PyTorch's allocator. */
  readonly contextBytes: number
  /** What PyTorch allocates for cuBLAS, once per handle and stream. */
  readonly cublasWorkspaceBytes: number
  readonly computeCapability: readonly [major: number, minor: number]
  /** Absent for a GPU described without its bandwidth or FLOP/s, for which only memory is estimated. */
  readonly speed?: Speed
  readonly pricePerHourUsd: number
  readonly priceSource: string
  /** ISO 8601 date of the price; only the year if the source has no date. */
  readonly priceDate: string
  /** Absent for a price that a provider asked for this GPU within the last twelve months. */
  readonly priceCaveat?: PriceCaveat
  /** Where a team describes it, such as `.github/memorymark.yml, line 3`; absent for one of the catalogue. */
  readonly describedAt?: string
}

export interface Speed {
  /** Streaming multiprocessors, from the vendor's architecture white paper. */
  readonly multiprocessors: number
  readonly memoryBandwidthBytesPerSecond: number
  /** Dense FLOP/s, accumulating in fp32; a precision that the hardware lacks is absent. */
  readonly peakFlops: { readonly fp32: number; readonly tf32?: number; readonly fp16: number; readonly bf16?: number }
  /** FLOP/s sustained by large matrix products in measurements, within the card's power limit. */
  readonly productFlops: { readonly fp32: number; readonly tf32?: number; readonly half: number }
  /**
   * The source of `productFlops`; an issue or a file without an address is one of
   * https://github.com/zzc0721/torch-performance-test-data.
   */
  readonly productSource: string
  /** Bytes per second to another GPU of the server, one way: NVLink, or PCIe without it. */
  readonly linkBytesPerSecond: number
  /** Bytes per second to the host, one way: PCIe. */
  readonly hostLinkBytesPerSecond: number
  readonly specSource: string
}

/** A GPU whose throughput can be modelled. */
export interface SpeedyGpu extends Gpu {
  readonly speed: Speed
}

/** `not-given`: nobody has told the price, of a GPU described by hand or rented by no provider whose list bears a date. */
export const priceCaveats = ['older-than-a-year', 'undated', 'of-another-card', 'not-given'] as const
export type PriceCaveat = (typeof priceCaveats)[number]

/** A row of the catalogue, from which the other fields are derived. */
export type Card = Omit<SpeedyGpu, 'contextBytes' | 'cublasWorkspaceBytes' | 'describedAt'>

export const GB = 1e9
export const TERA = 1e12

export function gib(reading: number): number {
  return Math.round(reading * GIB)
}

/** It stands as 0 and supports no figure in dollars. */
export const priceNotGiven = {
  pricePerHourUsd: 0,
  priceSource: 'No list with a date has it',
  priceDate: '',
  priceCaveat: 'not-given',
} as const satisfies Partial<Card>
