/** How long one kernel takes on a card: its arithmetic or its memory traffic, whichever is longer, and the gap before the next. */
import type { Precision, TrainingSpec } from '../config/spec.ts'
import type { Gpu } from '../gpus/catalogue.ts'
import { attentionShares, type ProductMode, type Rates } from './rates.ts'
import { bytesPerElement, type Dtype } from './storage.ts'
import type { Kernel, KernelKind } from './work.ts'

/** Affine in the batch, for all kernels of a kind together. */
export interface KernelTime {
  readonly latencySeconds: number
  readonly arithmeticSeconds: number
  readonly arithmeticSecondsPerSample: number
  readonly trafficSeconds: number
  readonly trafficSecondsPerSample: number
}

type Settings = Pick<TrainingSpec, 'precision' | 'channelsLast'>

export function kernelTime(kernel: Kernel, settings: Settings, gpu: Gpu, rates: Rates): KernelTime {
  const { count, kind, dtype } = kernel
  const perSecond = rateOf(kind, dtype, settings, gpu, rates)
  const bytesPerSecond = sustainedBandwidth(gpu, rates)
  return {
    latencySeconds: count * (kind === 'memory' ? rates.kernelSeconds : rates.productSeconds),
    arithmeticSeconds: (count * kernel.fixedFlops) / perSecond,
    arithmeticSecondsPerSample: (count * kernel.flopsPerSample) / perSecond,
    trafficSeconds: (count * kernel.fixedBytes) / bytesPerSecond,
    trafficSecondsPerSample: (count * kernel.bytesPerSample) / bytesPerSecond,
  }
}

export function secondsAt(time: KernelTime, batch: number): number {
  const arithmetic = time.arithmeticSeconds + batch * time.arithmeticSecondsPerSample
  const traffic = time.trafficSeconds + batch * time.trafficSecondsPerSample
  return time.latencySeconds + Math.max(arithmetic, traffic)
}

export function sustainedBandwidth(gpu: Gpu, { bandwidth, multiprocessorBytesPerSecond }: Rates): number {
  const ofMemory = gpu.memoryBandwidthBytesPerSecond * bandwidth
  const ofMultiprocessors = gpu.multiprocessors * multiprocessorBytesPerSecond
  return 1 / (1 / ofMemory + 1 / ofMultiprocessors)
}

/** FLOP/s; of packed matrices, elements a second. */
function rateOf(kind: KernelKind, dtype: Dtype, settings: Settings, gpu: Gpu, rates: Rates): number {
  const mode = modeOf(kind, dtype, settings.precision, gpu)
  const isChannelsFirst = mode === 'half' && settings.channelsLast !== true
  switch (kind) {
    case 'unpacking':
      return instructionsPerSecond(gpu) / rates.unpackingInstructions
    case 'depthwise': {
      const { half, halfChannelsFirst } = rates.convolution
      return gpu.peakFlops.fp32 * rates.depthwise * (isChannelsFirst ? halfChannelsFirst / half : 1)
    }
    case 'convolution':
      return sustained(gpu, mode, dtype) * rates.convolution[isChannelsFirst ? 'halfChannelsFirst' : mode]
    case 'flash-attention':
      return sustained(gpu, mode, dtype) * attentionShares.flash
    case 'efficient-attention':
      return sustained(gpu, mode, dtype) * attentionShares.efficient
    case 'product':
    case 'memory':
      return sustained(gpu, mode, dtype) * rates.product[mode]
  }
}

function sustained({ productFlops, peakFlops }: Gpu, mode: ProductMode, dtype: Dtype): number {
  if (dtype === 'bfloat16' && peakFlops.bf16 === undefined) return productFlops.fp32 * EMULATED_BF16
  return productFlops[mode] ?? productFlops.fp32
}

/** On cards without bf16, cuBLAS computes in fp32: 10.65 TFLOP/s against 14.4 on a V100, 2.4 against 4.2 on a T4 (zzc0721/torch-performance-test-data). */
const EMULATED_BF16 = 0.65

/**
 * torch: backends/cudnn allow_tf32 is on by default, backends/cuda matmul.allow_tf32 is off, so that on cards with TF32
 * convolutions run in it even where nothing is said.
 */
function modeOf(kind: KernelKind, dtype: Dtype, precision: Precision, gpu: Gpu): ProductMode {
  if (bytesPerElement[dtype] === 2) return 'half'
  return gpu.productFlops.tf32 !== undefined && (precision === 'tf32' || kind === 'convolution') ? 'tf32' : 'fp32'
}

/** A multiprocessor issues to 128 lanes a clock, of which only 64 compute in fp32 up to the A100 (NVIDIA GA102 white paper, "2x FP32"). */
function instructionsPerSecond({ peakFlops, computeCapability: [major, minor] }: Gpu): number {
  return major < 8 || (major === 8 && minor === 0) ? peakFlops.fp32 : peakFlops.fp32 / 2
}
