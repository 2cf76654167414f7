/** GPUs that a team describes itself, because the catalogue lacks them or has other figures. */
import type { Gpu, Speed, SpeedyGpu } from './card.ts'
import { GB, gib, TERA } from './card.ts'
import { gpus, overheadOf } from './catalogue.ts'

export interface GpuDescription {
  /** Its name and its id. */
  readonly name: string
  /** As PyTorch reports it. */
  readonly memoryGib: number
  readonly bandwidthGbPerSecond: number | undefined
  /** Dense, as on the data sheet. */
  readonly fp32Tflops: number | undefined
  readonly tf32Tflops: number | undefined
  readonly fp16Tflops: number | undefined
  readonly bf16Tflops: number | undefined
  /** To another GPU of the same server, one way. */
  readonly linkGbPerSecond: number | undefined
  /** Where it stands: `.github/memorymark.yml, line 3`. */
  readonly describedAt: string
}

/** PCIe 4.0 with 16 lanes: what two GPUs have between them where nobody names a faster link, and what leads to the host. */
const PCIE_BYTES_PER_SECOND = 32 * GB

const AMPERE = [8, 0] as const
const TURING = [7, 5] as const

/**
 * Without a price. Without its bandwidth, or without any FLOP/s, the GPU has no speed: its memory alone can be judged. It is
 * taken for a GPU with bf16, as all are since 2020, unless other FLOP/s are told and bf16's are not.
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
    multiprocessors:
      memoryBandwidthBytesPerSecond / medianOf(speed => speed.memoryBandwidthBytesPerSecond / speed.multiprocessors),
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

/** What the reader of a figure for this GPU must know of it, one sentence each; nothing for one of the catalogue. */
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

/** Over the catalogue's cards that have the figure. */
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
