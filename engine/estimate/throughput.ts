/**
 * Modelled step time: a roofline per kernel. A kernel takes as long as its arithmetic or its memory traffic, whichever is
 * longer; the step takes as long as its kernels, or as Python needs to launch them. Everything here is modelled, nothing timed.
 */
import type { Precision } from '../config/spec.ts'
import type { Gpu } from '../gpus/catalogue.ts'
import type { Node } from './autograd.ts'
import type { Footprint } from './footprint.ts'
import { optimizerRules } from './optimizer.ts'
import { bytesPerElement, type Dtype, type Storage } from './storage.ts'

/** Assumed shares of the data sheet's rates that well-shaped kernels reach; not measured. */
const ARITHMETIC_EFFICIENCY = 0.7
const BANDWIDTH_EFFICIENCY = 0.8
/** Assumed launch overhead in eager PyTorch: per forward op from Python, and per backward kernel from C++. */
const FORWARD_LAUNCH_SECONDS = 40e-6
const BACKWARD_LAUNCH_SECONDS = 10e-6
/** Assumed output elements that one multiprocessor computes at a time: below a full wave of such tiles the others idle. */
const TILE_ELEMENTS = 128 * 64

interface Kernel {
  readonly arithmeticSecondsPerSample: number
  /** FLOPs of one full wave of tiles: the minimum cost of a matrix product, however small the batch. */
  readonly waveSeconds: number
  readonly launchSeconds: number
  readonly fixedBytes: number
  readonly bytesPerSample: number
}

export class ThroughputModel {
  readonly #kernels: readonly Kernel[]
  readonly #bytesPerSecond: number
  readonly #optimizerSeconds: number

  constructor({ spec, nodes, parameterCount }: Footprint, gpu: Gpu) {
    this.#bytesPerSecond = gpu.memoryBandwidthBytesPerSecond * BANDWIDTH_EFFICIENCY
    this.#kernels = kernelsOf(nodes, gpu, spec.precision, spec.step === 'training' && spec.gradientCheckpointing)
    const weightBytes = parameterCount * (spec.precision.startsWith('bf16') ? 2 : 4)
    const passes = spec.step === 'training' ? optimizerRules[spec.optimizer].passes : 0
    this.#optimizerSeconds = (passes * weightBytes) / this.#bytesPerSecond
  }

  /** Samples per second on one GPU, over whole optimizer steps of `accumulation` micro-steps. */
  samplesPerSecond(batch: number, accumulation: number): number {
    let gpuSeconds = 0
    let launchSeconds = 0
    for (const kernel of this.#kernels) {
      const arithmetic = Math.max(batch * kernel.arithmeticSecondsPerSample, kernel.waveSeconds)
      const traffic = (kernel.fixedBytes + batch * kernel.bytesPerSample) / this.#bytesPerSecond
      gpuSeconds += Math.max(arithmetic, traffic)
      launchSeconds += kernel.launchSeconds
    }
    const microStep = Math.max(gpuSeconds, launchSeconds)
    return (batch * accumulation) / (accumulation * microStep + this.#optimizerSeconds)
  }
}

/**
 * Forward once, or twice under checkpointing. Backward: a product for each factor's gradient, each with the forward's
 * arithmetic; one kernel for any other op.
 */
function kernelsOf(nodes: readonly Node[], gpu: Gpu, precision: Precision, checkpoints: boolean): Kernel[] {
  return nodes.flatMap(node => {
    if (node.body !== undefined) {
      const recomputed = checkpoints
        ? node.body.map(inner => kernel(inner, gpu, precision, FORWARD_LAUNCH_SECONDS))
        : []
      return [...kernelsOf(node.body, gpu, precision, false), ...recomputed]
    }
    if (node.outputs.length === 0) return []
    const made = node.gradients.filter(edge => !edge.passes).length
    const backwardKernels = Math.min(made, node.flopsPerSample > 0 ? 2 : 1)
    const backward = kernel(node, gpu, precision, BACKWARD_LAUNCH_SECONDS)
    return [
      kernel(node, gpu, precision, FORWARD_LAUNCH_SECONDS),
      ...Array.from({ length: backwardKernels }, () => backward),
    ]
  })
}

function kernel(node: Node, gpu: Gpu, precision: Precision, launchSeconds: number): Kernel {
  const storages: readonly Storage[] = [...node.reads, ...node.creates]
  const flopsPerSecond = peakFlops(gpu, node.computeDtype, precision) * ARITHMETIC_EFFICIENCY
  // A slice may be empty: the part of a head without rotary positions, if all of it has them.
  const flopsPerElement = node.productElements > 0 ? node.flopsPerSample / node.productElements : 0
  return {
    arithmeticSecondsPerSample: node.flopsPerSample / flopsPerSecond,
    waveSeconds: (flopsPerElement * TILE_ELEMENTS * gpu.multiprocessors) / flopsPerSecond,
    launchSeconds,
    fixedBytes: storages.reduce((sum, storage) => sum + storage.fixedBytes, 0),
    bytesPerSample: storages.reduce((sum, storage) => sum + storage.bytesPerSample, 0),
  }
}

/** PyTorch keeps TF32 off for matrix products by default, so float32 runs at the plain rate. */
function peakFlops(gpu: Gpu, dtype: Dtype, precision: Precision): number {
  if (precision === 'tf32') return gpu.peakFlops.tf32 ?? gpu.peakFlops.fp32
  if (dtype === 'bfloat16') return gpu.peakFlops.bf16 ?? gpu.peakFlops.fp32
  return bytesPerElement[dtype] === 2 ? gpu.peakFlops.fp16 : gpu.peakFlops.fp32
}
