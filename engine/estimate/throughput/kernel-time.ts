/** How long one kernel takes on a card: its arithmetic or its memory traffic, whichever is longer, and the gap before the next. */
import { hasBfloat16, hasFloat8, type SpeedyGpu } from '../../gpus/catalogue.ts'
import type { Precision } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { bytesPerElement, type Dtype } from '../tape/storage.ts'
import type { KernelKind } from './operation-kernels.ts'
import { attentionShares, type ProductMode, type Rates } from './rates.ts'
import type { Kernel } from './work.ts'

type Settings = Pick<TrainingSpec, 'precision' | 'channelsLast'>

/** A kernel's figures in seconds: latency, arithmetic once, for each sample and each pair of them, traffic once and for each sample. */
const FIGURES = 6

const arithmeticAt: Readonly<Record<Kernel['flopsFor'], number>> = { once: 1, sample: 2, pair: 3 }

/** The kernels of a micro-step on a card. */
export class KernelTimes {
  /** One kernel's figures after the other's, each for all kernels of a kind together. */
  readonly #seconds: Float64Array

  constructor(launched: readonly Kernel[], settings: Settings, gpu: SpeedyGpu, rates: Rates) {
    const kernels = launched.flatMap(kernel => [kernel, ...transpositionOf(kernel, settings, rates)])
    const bytesPerSecond = sustainedBandwidth(gpu, rates)
    this.#seconds = new Float64Array(FIGURES * kernels.length)
    for (const [index, kernel] of kernels.entries()) {
      const { count, kind, dtype } = kernel
      const perSecond = rateOf(kind, dtype, settings, gpu, rates)
      const at = FIGURES * index
      this.#seconds[at] = count * (kind === 'memory' ? rates.kernelSeconds : rates.productSeconds)
      const flops = kernel.flops + 2 * rates.productTerms * kernel.resultElements
      this.#seconds[at + arithmeticAt[kernel.flopsFor]] = (count * flops) / perSecond
      this.#seconds[at + 4] = (count * kernel.fixedBytes) / bytesPerSecond
      this.#seconds[at + 5] = (count * kernel.bytesPerSample) / bytesPerSecond
    }
  }

  secondsAt(batch: number): number {
    const seconds = this.#seconds
    let sum = 0
    for (let at = 0; at < seconds.length; at += FIGURES) {
      const arithmetic = seconds[at + 1]! + batch * (seconds[at + 2]! + batch * seconds[at + 3]!)
      const traffic = seconds[at + 4]! + batch * seconds[at + 5]!
      sum += seconds[at]! + Math.max(arithmetic, traffic)
    }
    return sum
  }
}

export function sustainedBandwidth(gpu: SpeedyGpu, { bandwidth, multiprocessorBytesPerSecond }: Rates): number {
  const ofMemory = gpu.speed.memoryBandwidthBytesPerSecond * bandwidth
  const ofMultiprocessors = gpu.speed.multiprocessors * multiprocessorBytesPerSecond
  return 1 / (1 / ofMemory + 1 / ofMultiprocessors)
}

/** What goes beside a convolution whose images come with the channels first. */
function transpositionOf(kernel: Kernel, { channelsLast }: Settings, { transposingPasses }: Rates): Kernel[] {
  if (kernel.kind !== 'convolution' || bytesPerElement[kernel.dtype] !== 2 || channelsLast === true) return []
  return [
    {
      ...kernel,
      kind: 'memory',
      flops: 0,
      fixedBytes: transposingPasses * kernel.fixedBytes,
      bytesPerSample: transposingPasses * kernel.bytesPerSample,
    },
  ]
}

/** FLOP/s; of packed matrices, elements a second. */
function rateOf(kind: KernelKind, dtype: Dtype, settings: Settings, gpu: SpeedyGpu, rates: Rates): number {
  const mode = modeOf(kind, dtype, settings.precision, gpu)
  switch (kind) {
    case 'unpacking':
      return instructionsPerSecond(gpu) / rates.unpackingInstructions
    case 'depthwise':
      return gpu.speed.peakFlops.fp32 * rates.depthwise
    case 'convolution':
      return sustained(gpu, mode, dtype) * rates.convolution[mode]
    case 'flash-attention':
      return Math.min(
        sustained(gpu, mode, dtype) * attentionShares.flash,
        gpu.speed.multiprocessors * FLASH_FLOPS_OF_MULTIPROCESSOR,
      )
    case 'efficient-attention':
      return sustained(gpu, mode, dtype) * attentionShares.efficient
    case 'float8-product':
      return sustained(gpu, mode, dtype) * rates.product[mode] * (hasFloat8(gpu) ? FLOAT8_GAIN : 1)
    case 'product':
    case 'memory':
      return sustained(gpu, mode, dtype) * rates.product[mode]
  }
}

/**
 * Flash Attention 2 computes with Ampere's instructions on newer cards too, which reach less of theirs: 335 TFLOP/s on an H100 with 132
 * multiprocessors (its paper, section 4.1).
 */
const FLASH_FLOPS_OF_MULTIPROCESSOR = 335e12 / 132

function sustained(gpu: SpeedyGpu, mode: ProductMode, dtype: Dtype): number {
  const { productFlops } = gpu.speed
  if (dtype === 'bfloat16' && !hasBfloat16(gpu)) return productFlops.fp32 * EMULATED_BF16
  return productFlops[mode] ?? productFlops.fp32
}

/** By the data sheets of all cards that have them. */
const FLOAT8_GAIN = 2
/** On cards without bf16, cuBLAS computes in fp32: 10.65 TFLOP/s against 14.4 on a V100, 2.4 against 4.2 on a T4 (zzc0721/torch-performance-test-data). */
const EMULATED_BF16 = 0.65

/**
 * torch: backends/cudnn allow_tf32 is on by default, backends/cuda matmul.allow_tf32 is off, so that on cards with TF32
 * convolutions run in it even where nothing is said.
 */
function modeOf(kind: KernelKind, dtype: Dtype, precision: Precision, gpu: SpeedyGpu): ProductMode {
  if (bytesPerElement[dtype] === 2) return 'half'
  return gpu.speed.productFlops.tf32 !== undefined && (precision === 'tf32' || kind === 'convolution') ? 'tf32' : 'fp32'
}

/** A multiprocessor issues to 128 lanes a clock, of which only 64 compute in fp32 up to the A100 (NVIDIA GA102 white paper, "2x FP32"). */
function instructionsPerSecond({ speed: { peakFlops }, computeCapability: [major, minor] }: SpeedyGpu): number {
  return major < 8 || (major === 8 && minor === 0) ? peakFlops.fp32 : peakFlops.fp32 / 2
}
