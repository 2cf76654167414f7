/**
 * Modelled step time. The GPU runs one kernel after the other, Python has to launch every one of them, and a micro-step takes about
 * as long as the slower of the two; then come the optimizer and what several GPUs exchange. Everything here is modelled, nothing timed.
 */
import { type SpeedyGpu, usableBytes } from '../../gpus/catalogue.ts'
import { shardingGroup } from '../../training/batches.ts'
import { computesInFloat32, isFsdp, isOfFourBits } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { Footprint } from '../footprint.ts'
import { wrapsEachAdapter } from '../library-rules.ts'
import { sharesOf } from '../sharding/shares.ts'
import { type Traffic, trafficOf } from '../sharding/traffic.ts'
import { optimizerRules } from '../step/optimizer.ts'
import { KernelTimes, sustainedBandwidth } from './kernel-time.ts'
import { rates as fittedRates, type Rates } from './rates.ts'
import { type Running, type Work, workOf } from './work.ts'

/** Share of the links' rate that NCCL sustains: 230 to 240 GB/s of an A100's 300 (nccl-tests on DGX A100). */
const LINK_SHARE = 0.75
const GPUS_PER_SERVER = 8
/**
 * Beyond one server's eight GPUs: 200 Gb/s for each, where nothing is known of the network. NCCL's rings enter and leave a server through
 * all of its adapters, each ring through another one, and a byte crosses once for the whole server: what decides is the sum of the
 * adapters' rates, of which it keeps up 0.91 (NVIDIA/nccl-tests#100: 91 GB/s between two servers of eight A100s with four adapters of
 * 25 GB/s).
 */
const NETWORK_BYTES_PER_SECOND = 0.91 * GPUS_PER_SERVER * 25e9
/** Communication beside the backward pass slows it down. A guess between all and nothing. */
const EXPOSED_SHARE = 0.5
/**
 * All GPUs wait for the slowest: those of one server differ by 5 % and more (stas00/ml-engineering,
 * compute/accelerator).
 */
const STRAGGLERS = 0.03
/** The backward pass's share of forward and backward, during which gradients are exchanged. */
const BACKWARD_SHARE = 2 / 3
/**
 * Python's time for the hooks of a unit of FSDP1 in one pass: the forward, the recomputed or the backward one. PowerLM 3B, with 320
 * matrices of adapters on two A100s and all three passes, takes 5 ms for each matrix with two samples; with 6 its gains from two to four
 * come out.
 */
const UNIT_SECONDS = 0.002
/**
 * DeepSpeed's CPU Adam: 0.22 s for a billion parameters of 28 bytes, with a host of its own
 * (https://www.deepspeed.ai/2020/09/08/ZeRO-Offload.html). The GPUs of a server share its cores and the way to its memory.
 */
const HOST_OPTIMIZER_BYTES_PER_SECOND = 28e9 / 0.22
/** FSDP's offload runs PyTorch's own Adam there, which takes 5 to 7 times as long (deepspeed/ops/adam/cpu_adam.py, DeepSpeedCPUAdam). */
const PYTORCH_ON_HOST = 6

export class ThroughputModel {
  readonly #kernels: KernelTimes
  readonly #hostSeconds: number
  readonly #optimizerSeconds: number
  readonly #traffic: Traffic
  readonly #linkBytesPerSecond: number
  readonly #tensorSecondsPerSample: number
  readonly #hostLinkSeconds: number
  readonly #sharpness: number
  readonly #pagingSeconds: (batch: number) => number

  constructor(footprint: Footprint, gpu: SpeedyGpu, rates: Rates = fittedRates) {
    const { spec } = footprint
    const work = knownWork(footprint)
    this.#kernels = new KernelTimes(work.kernels, spec, gpu, rates)
    this.#hostSeconds = hostSeconds(work, spec, rates) + unitSeconds(footprint)
    this.#optimizerSeconds = optimizerSeconds(footprint, gpu, rates)
    this.#traffic = trafficOf(spec, () => exchangedBy(footprint))
    const link = gpu.speed.linkBytesPerSecond * LINK_SHARE
    const inGroup = spec.tensorParallel?.gpus ?? 1
    // Each GPU of a tensor-parallel group exchanges another part of the weights with other servers.
    const network = NETWORK_BYTES_PER_SECOND / Math.min(inGroup, GPUS_PER_SERVER)
    this.#linkBytesPerSecond = spec.gpus > GPUS_PER_SERVER ? Math.min(link, network) : link
    const ofGroup = inGroup > GPUS_PER_SERVER ? Math.min(link, network) : link
    this.#tensorSecondsPerSample = (work.exchangedPerSample * (inGroup - 1)) / inGroup / ofGroup
    this.#hostLinkSeconds = hostBytesPerMicroStep(footprint) / gpu.speed.hostLinkBytesPerSecond
    this.#sharpness = rates.sharpness
    this.#pagingSeconds = batch => pagingSeconds(footprint, gpu, batch)
  }

  /** Samples per second on one GPU, over whole optimizer steps of `accumulation` micro-steps. */
  samplesPerSecond(batch: number, accumulation: number): number {
    const gpuSeconds = this.#kernels.secondsAt(batch)
    const computing = slower(gpuSeconds, this.#hostSeconds, this.#sharpness)
    const { bytesPerMicroStep, bytesPerStep } = this.#traffic
    const fetching = waiting(this.#hostLinkSeconds, computing)
    // A layer waits for what its group gathers, and nothing else computes meanwhile.
    const gathering = batch * this.#tensorSecondsPerSample
    const microStep = computing + gathering + this.#waiting(bytesPerMicroStep, computing) + fetching
    const synchronised = this.#waiting(bytesPerStep, computing * BACKWARD_SHARE)
    const seconds = accumulation * microStep + synchronised + this.#optimizerSeconds + this.#pagingSeconds(batch)
    const isShared = bytesPerMicroStep + bytesPerStep > 0
    return (batch * accumulation) / (seconds * (isShared ? 1 + STRAGGLERS : 1))
  }

  /** For an exchange that runs beside `besideSeconds` of computing. */
  #waiting(bytes: number, besideSeconds: number): number {
    return waiting(bytes / this.#linkBytesPerSecond, besideSeconds)
  }
}

function waiting(seconds: number, besideSeconds: number): number {
  return Math.max(seconds * EXPOSED_SHARE, seconds - besideSeconds)
}

/** A smooth maximum: neither is busy all the time that the other one is. */
function slower(gpuSeconds: number, hostSeconds: number, sharpness: number): number {
  const longer = Math.max(gpuSeconds, hostSeconds)
  return longer * ((gpuSeconds / longer) ** sharpness + (hostSeconds / longer) ** sharpness) ** (1 / sharpness)
}

function hostSeconds({ operations, layers, backwardKernels }: Work, { loop }: TrainingSpec, rates: Rates): number {
  return (
    operations * rates.operationSeconds +
    layers * rates.layerSeconds +
    backwardKernels * rates.backwardKernelSeconds +
    (loop === 'trainer' ? rates.trainerSeconds : 0)
  )
}

function unitSeconds({ spec, optimized }: Footprint): number {
  const passes = spec.gradientCheckpointing ? 3 : 2
  return spec.loop === 'trainer' && wrapsEachAdapter(spec) ? optimized.tensors * passes * UNIT_SECONDS : 0
}

/** Whose loops clip gradients by default (max_grad_norm = 1): read for their norm, then read and written. */
const clipping: ReadonlySet<TrainingSpec['loop']> = new Set([
  'trainer',
  'verl',
  'torchtitan',
  'nemo-rl',
  'nemo-rl-v2',
  'openrlhf',
] as const)
const CLIPPING_PASSES = 3

function optimizerSeconds({ spec, optimized }: Footprint, gpu: SpeedyGpu, rates: Rates): number {
  const { passes, launchesPerTensor } = optimizerRules[spec.optimizer]
  const own = sharesOf({ ...spec, offload: undefined }).optimizerState
  const bytes = own * optimized.bytes
  if (spec.offload !== undefined) {
    // Gradients go to the host and weights come back, in 16 bits each as in all; Adam's passes run there.
    const besideEachOther = Math.min(spec.gpus, GPUS_PER_SERVER) * (isFsdp(spec.sharding) ? PYTORCH_ON_HOST : 1)
    return bytes / gpu.speed.hostLinkBytesPerSecond + (7 * bytes * besideEachOther) / HOST_OPTIMIZER_BYTES_PER_SECOND
  }
  const moved = bytes * (passes + (clipping.has(spec.loop) ? CLIPPING_PASSES : 0))
  const launches = optimized.tensors * launchesPerTensor * rates.backwardKernelSeconds
  return slower(moved / sustainedBandwidth(gpu, rates), Math.max(launches, Number.EPSILON), rates.sharpness)
}

/** bitsandbytes optim/optimizer.py prefetch_state: what the GPU has no room for comes for the optimizer's step and goes again. */
function pagingSeconds(footprint: Footprint, gpu: SpeedyGpu, batch: number): number {
  const { spec, optimized } = footprint
  const pagedBytes = sharesOf(spec).optimizerState * optimized.pagedBytes
  if (pagedBytes === 0) return 0
  const roomBytes = Math.max(0, usableBytes(gpu) - footprint.peakBytes(batch, 0))
  return (2 * Math.max(0, pagedBytes - roomBytes)) / gpu.speed.hostLinkBytesPerSecond
}

/** In the compute type: half as wide as weights kept in fp32 for a 16-bit computation. */
function exchangedBy(footprint: Footprint): { weightBytes: number; gradientBytes: number } {
  const { spec, optimized } = footprint
  const isMixed = spec.precision === 'bf16-master' || spec.precision.startsWith('amp')
  const width = computesInFloat32(spec) ? 4 : 2
  const gradientBytes = width * optimized.elements
  if (spec.offload === 'optimizer-and-weights') return { weightBytes: offloadedBytes(footprint, width), gradientBytes }
  const { weights } = footprint.resting(0).breakdown
  const wholeBytes = weights / sharesOf(spec).weights
  return { weightBytes: isMixed ? wholeBytes / 2 : wholeBytes, gradientBytes }
}

/** Weights that wait in the host's memory, in the compute type. */
function offloadedBytes({ spec, parameterCount }: Footprint, width: number): number {
  if (isOfFourBits(spec.quantization)) return parameterCount / 2
  return parameterCount * (spec.quantization === undefined ? width : 1)
}

/** Each GPU fetches its part of them for the forward pass and again for the backward pass. */
function hostBytesPerMicroStep(footprint: Footprint): number {
  const { spec } = footprint
  if (spec.offload !== 'optimizer-and-weights') return 0
  return (2 * offloadedBytes(footprint, computesInFloat32(spec) ? 4 : 2)) / shardingGroup(spec)
}

function runningOf(spec: TrainingSpec): Running {
  const { step, gradientCheckpointing, compiled, uncompiledLoss, float8, tensorParallel } = spec
  const recomputes = step === 'training' && gradientCheckpointing
  const isCompiled = compiled === true
  return {
    recomputes,
    isCompiled,
    isLossCompiled: isCompiled && !uncompiledLoss,
    isFloat8: float8 === true,
    dividesTokens: tensorParallel?.dividesTokens === true,
  }
}

/** One list of kernels serves every card, with gradient accumulation and without. */
const works = new WeakMap<Footprint['nodes'], Work>()

function knownWork(footprint: Footprint): Work {
  const { spec, nodes } = footprint
  const work = works.get(nodes) ?? workOf(nodes, runningOf(spec))
  works.set(nodes, work)
  return work
}
