/** Turns one training spec into its memory footprint: peak, its moment and breakdown for any batch size, each in microseconds. */
import type { TrainingSpec } from '../config/spec.ts'
import { MemoryMarkError } from '../errors.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { expertNamesOf } from '../models/expert-names.ts'
import { dividedConfig } from '../models/tensor-parallel.ts'
import { type Allocator, CachingAllocator } from './allocator.ts'
import type { Node } from './autograd.ts'
import { ExpandableAllocator } from './expandable-segments.ts'
import { withReleasedExperts } from './library-rules.ts'
import { type Objective, objectiveOf } from './objectives/objective.ts'
import { bytesAt, type Step } from './step.ts'
import { type ByteKind, byteKinds, type Tensor } from './storage.ts'
import { Tape } from './tape.ts'
import { parameterCount, playStep, type Timeline } from './timeline.ts'

export interface Peak {
  readonly bytes: number
  /** Bytes by kind at the peak; they add up to `bytes`. */
  readonly breakdown: Readonly<Record<ByteKind, number>>
  /** What was running: `backward of encoder.layer.11.output.dense`. */
  readonly moment: string
}

export type Fit = { readonly kind: 'fits'; readonly reservedBytes: number } | { readonly kind: 'out-of-memory' }

export interface Device {
  /** Whether it runs the flash attention kernel. */
  readonly hasFlash: boolean
}

/** What a spec's forward and backward passes do. Whether gradients accumulate makes no difference to it. */
export class Recording {
  readonly tape: Tape
  readonly objective: Objective

  constructor(written: TrainingSpec, config: ModelConfig, device: Device) {
    const spec = withReleasedExperts(written, config)
    this.tape = new Tape(spec, device, expertNamesOf(config))
    this.objective = objectiveOf(this.tape, ownPart(spec, config), spec)
    refuseMissingTargets(spec, this.tape)
    refuseNothingTrained(spec, this.tape)
  }
}

export class Footprint {
  readonly spec: TrainingSpec
  readonly parameterCount: number
  readonly nodes: readonly Node[]
  readonly #recording: Recording
  #played: Timeline | undefined
  #modelBytes: Readonly<Record<ByteKind, number>> | undefined
  readonly #peaks = new Map<string, Peak>()
  /** Replays that fitted: for any capacity between these two, the allocator behaves identically. */
  readonly #fitting = new Map<string, { readonly reservedBytes: number; readonly upToBytes: number }>()
  /** Capacities that did not suffice. */
  readonly #tooSmall = new Set<string>()

  /** `recording`: of the same spec, with or without accumulation. */
  constructor(
    written: TrainingSpec,
    config: ModelConfig,
    device: Device = { hasFlash: true },
    recording = new Recording(written, config, device),
  ) {
    const spec = withReleasedExperts(written, config)
    this.spec = spec
    this.#recording = recording
    this.nodes = recording.tape.nodes
    this.parameterCount = parameterCount(recording.tape)
  }

  /** What the optimizer steps with. */
  get optimized(): readonly Tensor[] {
    return this.#timeline.optimized
  }

  get #timeline(): Timeline {
    const { tape, objective } = this.#recording
    this.#played ??= playStep(tape, this.spec, objective)
    return this.#played
  }

  /**
   * Peak of a steady-state step (optimizer state allocated), as torch.cuda.max_memory_allocated counts it.
   * `workspaceBytes`: what cuBLAS holds for itself, allocated by the first matrix product and kept.
   */
  peak(batch: number, workspaceBytes: number): Peak {
    const key = `${batch} ${workspaceBytes}`
    const peak = this.#peaks.get(key) ?? this.#findPeak(batch, workspaceBytes)
    this.#peaks.set(key, peak)
    return peak
  }

  /** What is allocated between steps. */
  resting(workspaceBytes: number): Peak {
    const breakdown = this.#resident(workspaceBytes)
    return { bytes: byteKinds.reduce((sum, kind) => sum + breakdown[kind], 0), breakdown, moment: 'between steps' }
  }

  #findPeak(batch: number, workspaceBytes: number): Peak {
    const { step } = this.#timeline
    const resting = this.resting(workspaceBytes)
    const resident = { ...resting.breakdown }
    const sizes = step.bytesAt(batch)
    let { bytes } = resting
    let peakBytes = bytes
    let eventsUntilPeak = 0
    const changes = step.changes.slice()
    for (let event = 0; event < changes.length; event++) {
      const change = changes[event] ?? 0
      bytes += change < 0 ? -(sizes[-change] ?? 0) : (sizes[change] ?? 0)
      if (bytes > peakBytes) {
        peakBytes = bytes
        eventsUntilPeak = event + 1
      }
    }
    for (const change of changes.subarray(0, eventsUntilPeak)) {
      const size = step.sizes[Math.abs(change)]
      if (size !== undefined) resident[size.kind] += Math.sign(change) * (sizes[Math.abs(change)] ?? 0)
    }
    const moment = eventsUntilPeak === 0 ? undefined : step.momentOf(eventsUntilPeak - 1)
    return { bytes: peakBytes, breakdown: resident, moment: moment ?? 'between steps' }
  }

  /** Whether two steps fit into `usableBytes`, with the caching allocator's segments and their fragmentation. */
  fit(batch: number, usableBytes: number, workspaceBytes: number): Fit {
    const key = `${batch} ${workspaceBytes}`
    const known = this.#fitting.get(key)
    if (known && known.reservedBytes <= usableBytes && usableBytes <= known.upToBytes) {
      return { kind: 'fits', reservedBytes: known.reservedBytes }
    }
    const tooSmall = `${key} ${usableBytes}`
    if (this.#tooSmall.has(tooSmall)) return { kind: 'out-of-memory' }
    const allocator = allocatorFor(this.spec, usableBytes)
    const fit = this.#replaySteps(batch, workspaceBytes, allocator)
    if (fit.kind === 'fits') {
      const upToBytes = allocator.hasReturnedSegments ? usableBytes : Number.POSITIVE_INFINITY
      this.#fitting.set(key, { reservedBytes: fit.reservedBytes, upToBytes })
    } else this.#tooSmall.add(tooSmall)
    return fit
  }

  #replaySteps(batch: number, workspaceBytes: number, allocator: Allocator): Fit {
    const { model, optimizerState, step, eventsBeforeOptimizer } = this.#timeline
    const allocate = (bytes: number) => allocator.allocate(bytes) !== undefined
    const sizes = step.bytesAt(batch)
    const blocks = new Int32Array(step.placeCount).fill(NO_BLOCK)
    const play = (from?: number, to?: number) => replay(step, { from, to }, sizes, allocator, blocks)
    const lasted =
      model.every(storage => allocate(bytesAt(storage, batch))) &&
      allocate(workspaceBytes) &&
      play(0, eventsBeforeOptimizer) &&
      optimizerState.every(storage => allocate(bytesAt(storage, batch))) &&
      play(eventsBeforeOptimizer) &&
      play()
    return lasted ? { kind: 'fits', reservedBytes: allocator.peakReservedBytes } : { kind: 'out-of-memory' }
  }

  /** Bytes allocated between steps: nothing of the model grows with the batch. */
  #resident(workspaceBytes: number): Record<ByteKind, number> {
    this.#modelBytes ??= modelBytes(this.#timeline)
    return { ...this.#modelBytes, workspace: workspaceBytes }
  }
}

/** As PYTORCH_CUDA_ALLOC_CONF has it. */
export function allocatorFor({ expandableSegments }: TrainingSpec, usableBytes: number): Allocator {
  return expandableSegments ? new ExpandableAllocator(usableBytes) : new CachingAllocator(usableBytes)
}

function modelBytes({ model, optimizerState }: Timeline): Record<ByteKind, number> {
  const bytes = emptyBreakdown()
  for (const storages of [model, optimizerState]) {
    for (const storage of storages) bytes[storage.kind] += bytesAt(storage, 1)
  }
  return bytes
}

/** What one GPU computes under tensor parallelism. */
function ownPart({ model, tensorParallel }: TrainingSpec, config: ModelConfig): ModelConfig {
  if (tensorParallel === undefined) return config
  const part = dividedConfig(config, tensorParallel.gpus)
  if (part !== undefined) return part
  throw new MemoryMarkError({
    code: 'not-divisible',
    message: `Tensor parallelism of ${model} over ${tensorParallel.gpus} GPUs is not modelled, or its heads cannot be divided among them`,
    fix: 'Exclude this config for now: add it to ignore in .github/memorymark.yml.',
  })
}

function refuseMissingTargets(spec: TrainingSpec, { linearNames }: Tape): void {
  const { targets = [], parameters = [] } = spec.lora ?? {}
  const missing = [...targets, ...parameters].filter(target => !linearNames.has(target))
  if (missing.length === 0) return
  throw new MemoryMarkError({
    code: 'no-such-lora-target',
    message: `${spec.model} has no linear layer named ${missing.join(', ')}`,
    fix: `Use some of ${[...linearNames].join(', ')}.`,
  })
}

function refuseNothingTrained({ model, trainable }: TrainingSpec, { parameters }: Tape): void {
  if (trainable === undefined || [...parameters.values()].some(parameter => parameter.requiresGrad)) return
  const some = [...parameters.keys()].filter((_, index) => index < 3)
  throw new MemoryMarkError({
    code: 'nothing-trains',
    message: `No parameter of ${model} matches what is to be trained: ${trainable.names.join(', ')}`,
    fix: `Write patterns that match its parameter names in transformers, such as ${some.join(', ')}.`,
  })
}

const NO_BLOCK = -1

/** Whether memory sufficed. `sizes`: bytes by size number; `blocks`: what is allocated, by place. */
function replay(
  { changes, places }: Step,
  { from, to }: { readonly from: number | undefined; readonly to: number | undefined },
  sizes: Float64Array,
  allocator: Allocator,
  blocks: Int32Array,
): boolean {
  const sizeNumbers = changes.slice(from, to)
  const eventPlaces = places.slice(from, to)
  for (let event = 0; event < sizeNumbers.length; event++) {
    const change = sizeNumbers[event] ?? 0
    const place = eventPlaces[event] ?? -1
    if (change > 0) {
      const block = allocator.allocate(sizes[change] ?? 0)
      if (block === undefined) return false
      blocks[place] = block
    } else {
      const block = blocks[place] ?? NO_BLOCK
      if (block !== NO_BLOCK) allocator.release(block)
    }
  }
  return true
}

function emptyBreakdown(): Record<ByteKind, number> {
  return {
    weights: 0,
    gradients: 0,
    optimizerState: 0,
    activations: 0,
    logits: 0,
    temporaries: 0,
    inputs: 0,
    workspace: 0,
  }
}
