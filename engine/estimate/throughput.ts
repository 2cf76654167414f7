/**
 * Modelled step time: a roofline per kernel. A kernel takes as long as its arithmetic or its memory traffic, whichever is
 * longer; the step takes as long as its kernels, or as Python needs to launch them. Everything here is a model, never a clock.
 */
import type { Optimizer } from '../config/spec.ts'
import type { Gpu } from '../gpus/catalogue.ts'
import type { Footprint } from './footprint.ts'
import { bytesPerElement, type Dtype, type Storage } from './storage.ts'
import type { Node } from './tape.ts'

/** Assumed shares of the data sheet's rates that well-shaped kernels reach; not measured. */
const ARITHMETIC_EFFICIENCY = 0.7
const BANDWIDTH_EFFICIENCY = 0.8
/** Assumed time for eager PyTorch to launch one kernel from Python. */
const LAUNCH_SECONDS = 8e-6

/** Passes over the parameters' bytes that one optimizer step makes, reads and writes, counted in torch/optim's kernels. */
const optimizerPasses: Record<Optimizer, number> = {
  adamw: 18,
  'adamw-loop': 18,
  'adamw-fused': 7,
  sgd: 3,
  'sgd-momentum': 7,
}

interface Kernel {
  readonly arithmeticSecondsPerSample: number
  readonly fixedBytes: number
  readonly bytesPerSample: number
}

export class ThroughputModel {
  readonly #kernels: readonly Kernel[]
  readonly #bytesPerSecond: number
  readonly #optimizerSeconds: number

  constructor({ spec, nodes, parameterCount }: Footprint, gpu: Gpu) {
    this.#bytesPerSecond = gpu.memoryBandwidthBytesPerSecond * BANDWIDTH_EFFICIENCY
    this.#kernels = kernelsOf(nodes, gpu, spec.step === 'training' && spec.gradientCheckpointing)
    const weightBytes = parameterCount * (spec.precision === 'bf16' ? 2 : 4)
    const passes = spec.step === 'training' ? optimizerPasses[spec.optimizer] : 0
    this.#optimizerSeconds = (passes * weightBytes) / this.#bytesPerSecond
  }

  /** Samples a second on one GPU, over whole optimizer steps of `accumulation` micro-steps. */
  samplesPerSecond(batch: number, accumulation: number): number {
    let gpuSeconds = 0
    for (const kernel of this.#kernels) {
      const arithmetic = batch * kernel.arithmeticSecondsPerSample
      const traffic = (kernel.fixedBytes + batch * kernel.bytesPerSample) / this.#bytesPerSecond
      gpuSeconds += Math.max(arithmetic, traffic)
    }
    const microStep = Math.max(gpuSeconds, this.#kernels.length * LAUNCH_SECONDS)
    return (batch * accumulation) / (accumulation * microStep + this.#optimizerSeconds)
  }
}

/** Forward once, or twice under checkpointing; backward one kernel a gradient, each with the forward's arithmetic. */
function kernelsOf(nodes: readonly Node[], gpu: Gpu, checkpoints: boolean): Kernel[] {
  return nodes.flatMap(node => {
    if (node.body !== undefined) {
      const body = kernelsOf(node.body, gpu, false)
      return checkpoints ? [...body, ...node.body.map(inner => kernel(inner, gpu))] : body
    }
    const once = kernel(node, gpu)
    const gradients = node.gradients.filter(edge => !edge.passes).length
    return [
      once,
      ...Array.from({ length: node.flopsPerSample > 0 ? Math.min(gradients, 2) : gradients > 0 ? 1 : 0 }, () => once),
    ]
  })
}

function kernel(node: Node, gpu: Gpu): Kernel {
  const storages: readonly Storage[] = [...node.reads, ...node.creates]
  return {
    arithmeticSecondsPerSample: node.flopsPerSample / (peakFlops(gpu, node.computeDtype) * ARITHMETIC_EFFICIENCY),
    fixedBytes: storages.reduce((sum, storage) => sum + storage.fixedBytes, 0),
    bytesPerSample: storages.reduce((sum, storage) => sum + storage.bytesPerSample, 0),
  }
}

/** PyTorch keeps TF32 off for matrix products unless told otherwise, so float32 runs at the plain rate. */
function peakFlops(gpu: Gpu, dtype: Dtype): number {
  if (dtype === 'bfloat16') return gpu.peakFlops.bf16 ?? gpu.peakFlops.fp32
  return bytesPerElement[dtype] === 2 ? gpu.peakFlops.fp16 : gpu.peakFlops.fp32
}
