/** GPUs that a team describes, because the catalogue lacks them or has other figures. */
import type { Gpu, Speed, SpeedyGpu } from './card.ts'
import { GB, gib, TERA } from './card.ts'
import { gpus, overheadOf } from './catalogue.ts'

export interface GpuDescription {
  /** Both its name and its id. */
  readonly name: string
  /** As PyTorch reports it. */
  readonly memoryGib: number
  readonly bandwidthGbPerSecond: number | undefined
  /** Dense FLOP/s, as in the data sheet. */
  readonly fp32Tflops: number | undefined
  readonly tf32Tflops: number | undefined
  readonly fp16Tflops: number | undefined
  readonly bf16Tflops: number | undefined
  /** Bytes per second to another GPU of the server, one way. */
  readonly linkGbPerSecond: number | undefined
  /** The place of the description: `.github/memorymark.yml, line 3`. */
  readonly describedAt: string
}

/** PCIe 4.0 with 16 lanes: assumed between two GPUs if no faster link is given, and to the host. */
const PCIE_BYTES_PER_SECOND = 32 * GB

const AMPERE = [8, 0] as const
const TURING = [7, 5] as const

/**
 * The GPU without a price. Without its bandwidth or any FLOP/s it has no throughput, only memory. It is assumed to
 * support bf16, as all GPUs since 2020, unless only other FLOP/s are given.
 */
export function describedGpu(description: GpuDescription): Gpu {
  const { name, memoryGib, fp32Tflops, fp16Tflops, bf16Tflops, describedAt } = description
  const lacksBfloat16 = bf16Tflops === undefined && (fp16Tflops ?? fp32Tflops) !== undefined
  const computeCapability = lacksBfloat16 ? TURING : AMPERE
  const speed = speedOf(description)
  return {
    id: name,
    name,
    totalBytes: gib(memoryGib),
    totalSource: describedAt,
    ...overheadOf(computeCapability),
    computeCapability,
    ...(speed && { speed }),
    pricePerHourUsd: 0,
    priceSource: describedAt,
    priceDate: '',
    priceCaveat: 'not-given',
    describedAt,
  }
}

function speedOf(description: GpuDescription): Speed | undefined {
  const { bandwidthGbPerSecond, fp32Tflops, tf32Tflops, fp16Tflops, bf16Tflops, linkGbPerSecond } = description
  const half = fp16Tflops ?? bf16Tflops ?? fp32Tflops
  if (bandwidthGbPerSecond === undefined || half === undefined) return undefined
  const memoryBandwidthBytesPerSecond = bandwidthGbPerSecond * GB
  const fp16 = half * TERA
  const fp32 =
    fp32Tflops === undefined ? fp16 / medianOf(({ peakFlops }) => peakFlops.fp16 / peakFlops.fp32) : fp32Tflops * TERA
  const tf32 = tf32Tflops === undefined ? undefined : tf32Tflops * TERA
  const bf16 = bf16Tflops === undefined ? undefined : bf16Tflops * TERA
  return {
    multiprocessors: multiprocessorsOf(memoryBandwidthBytesPerSecond, fp32),
    memoryBandwidthBytesPerSecond,
    peakFlops: { fp32, ...(tf32 && { tf32 }), fp16, ...(bf16 && { bf16 }) },
    productFlops: {
      fp32: fp32 * medianOf(({ productFlops, peakFlops }) => productFlops.fp32 / peakFlops.fp32),
      ...(tf32 && { tf32: tf32 * medianOf(({ productFlops, peakFlops }) => share(productFlops.tf32, peakFlops.tf32)) }),
      half: (bf16 ?? fp16) * medianOf(({ productFlops, peakFlops }) => productFlops.half / peakFlops.fp16),
    },
    productSource: "The median of the catalogue's cards, as a share of the FLOP/s",
    linkBytesPerSecond: linkGbPerSecond === undefined ? PCIE_BYTES_PER_SECOND : linkGbPerSecond * GB,
    hostLinkBytesPerSecond: PCIE_BYTES_PER_SECOND,
    specSource: description.describedAt,
  }
}

/**
 * The geometric mean of what the bandwidth and the fp32 FLOP/s suggest: HBM has more bandwidth for each multiprocessor than GDDR, and
 * consumer cards have more FLOP/s.
 */
function multiprocessorsOf(bandwidthBytesPerSecond: number, fp32Flops: number): number {
  const byBandwidth =
    bandwidthBytesPerSecond / medianOf(speed => speed.memoryBandwidthBytesPerSecond / speed.multiprocessors)
  const byFlops = fp32Flops / medianOf(({ peakFlops, multiprocessors }) => peakFlops.fp32 / multiprocessors)
  return Math.sqrt(byBandwidth * byFlops)
}

/** Sentences for the reader about figures on this GPU; empty for one of the catalogue. */
export function sentencesOn({ name, describedAt, speed }: Gpu): string[] {
  if (describedAt === undefined) return []
  const described = `The ${name} is described in ${describedAt}`
  return speed === undefined
    ? [
        `${described}, without its bandwidth or its FLOP/s: only memory is judged. Add bandwidth_gb_per_second and bf16_tflops there for throughput.`,
      ]
    : [
        `${described}; the shares of its bandwidth and FLOP/s that training reaches are taken from the catalogue's cards.`,
      ]
}

function share(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined ? undefined : part / whole
}

/** The median over the GPUs of the catalogue that have the figure. */
function medianOf(figure: (speed: SpeedyGpu['speed']) => number | undefined): number {
  const figures = gpus
    .map(({ speed }) => figure(speed))
    .filter(value => value !== undefined)
    .toSorted((a, b) => a - b)
  const middle = (figures.length - 1) / 2
  const [low, high] = [figures[Math.floor(middle)], figures[Math.ceil(middle)]]
  if (low === undefined || high === undefined) throw new Error('no card of the catalogue has this figure')
  return (low + high) / 2
}
