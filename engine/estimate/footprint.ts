/** Turns one training spec into its memory footprint: peak, its moment and breakdown for any batch size, each in microseconds. */
import type { TrainingSpec } from '../config/spec.ts'
import { MemoryMarkError } from '../errors.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { expertNamesOf } from '../models/expert-names.ts'
import { dividedConfig } from '../models/tensor-parallel.ts'
import { type Block, CachingAllocator, roundedSize } from './allocator.ts'
import type { Node } from './autograd.ts'
import { objectiveOf } from './objectives/objective.ts'
import type { Event } from './player.ts'
import { type ByteKind, byteKinds, type Storage } from './storage.ts'
import { Tape } from './tape.ts'
import { playStep, type Timeline } from './timeline.ts'

export interface Peak {
  readonly bytes: number
  /** Bytes by kind at the peak; they add up to `bytes`. */
  readonly breakdown: Readonly<Record<ByteKind, number>>
  /** What was running: `backward of encoder.layer.11.output.dense`. */
  readonly moment: string
}

export type Fit = { readonly kind: 'fits'; readonly reservedBytes: number } | { readonly kind: 'out-of-memory' }

export class Footprint {
  readonly spec: TrainingSpec
  readonly parameterCount: number
  readonly nodes: readonly Node[]
  readonly #timeline: Timeline
  readonly #peaks = new Map<string, Peak>()
  /** Replays that fitted: for any capacity between these two, the allocator behaves identically. */
  readonly #fitting = new Map<string, { readonly reservedBytes: number; readonly upToBytes: number }>()

  constructor(spec: TrainingSpec, config: ModelConfig, device = { hasFlash: true }) {
    this.spec = spec
    const own = ownPart(spec, config)
    const tape = new Tape(spec, device, expertNamesOf(config))
    const { loss, held, before = [] } = objectiveOf(tape, own, spec)
    refuseMissingTargets(spec, tape)
    refuseNothingTrained(spec, tape)
    this.#timeline = playStep(tape, spec, { loss, held, before })
    this.nodes = tape.nodes
    this.parameterCount = this.#timeline.parameterCount
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
  resting(batch: number, workspaceBytes: number): Peak {
    const breakdown = this.#resident(batch, workspaceBytes)
    return { bytes: byteKinds.reduce((sum, kind) => sum + breakdown[kind], 0), breakdown, moment: 'between steps' }
  }

  #findPeak(batch: number, workspaceBytes: number): Peak {
    const { step } = this.#timeline
    const resting = this.resting(batch, workspaceBytes)
    const resident = { ...resting.breakdown }
    let { bytes } = resting
    let peakBytes = bytes
    let events = 0
    let eventsUntilPeak = 0
    for (const event of step) {
      bytes += changeOf(event, batch)
      events++
      if (bytes > peakBytes) {
        peakBytes = bytes
        eventsUntilPeak = events
      }
    }
    for (const event of step.slice(0, eventsUntilPeak)) resident[event.storage.kind] += changeOf(event, batch)
    return { bytes: peakBytes, breakdown: resident, moment: step[eventsUntilPeak - 1]?.moment ?? 'between steps' }
  }

  /** Whether two steps fit into `usableBytes`, with the caching allocator's segments and their fragmentation. */
  fit(batch: number, usableBytes: number, workspaceBytes: number): Fit {
    const key = `${batch} ${workspaceBytes}`
    const known = this.#fitting.get(key)
    if (known && known.reservedBytes <= usableBytes && usableBytes <= known.upToBytes) {
      return { kind: 'fits', reservedBytes: known.reservedBytes }
    }
    const allocator = new CachingAllocator(usableBytes)
    const fit = this.#replaySteps(batch, workspaceBytes, allocator)
    if (fit.kind === 'fits') {
      const upToBytes = allocator.hasReturnedSegments ? usableBytes : Number.POSITIVE_INFINITY
      this.#fitting.set(key, { reservedBytes: fit.reservedBytes, upToBytes })
    }
    return fit
  }

  #replaySteps(batch: number, workspaceBytes: number, allocator: CachingAllocator): Fit {
    const { model, optimizerState, step, eventsBeforeOptimizer } = this.#timeline
    const allocate = (bytes: number) => allocator.allocate(bytes) !== undefined
    const blocks: Block[] = []
    const play = (events: readonly Event[]) => replay(events, batch, allocator, blocks)
    const lasted =
      model.every(storage => allocate(bytesAt(storage, batch))) &&
      allocate(workspaceBytes) &&
      play(step.slice(0, eventsBeforeOptimizer)) &&
      optimizerState.every(storage => allocate(bytesAt(storage, batch))) &&
      play(step.slice(eventsBeforeOptimizer)) &&
      play(step)
    return lasted ? { kind: 'fits', reservedBytes: allocator.peakReservedBytes } : { kind: 'out-of-memory' }
  }

  /** Bytes allocated between steps. */
  #resident(batch: number, workspaceBytes: number): Record<ByteKind, number> {
    const { model, optimizerState } = this.#timeline
    const bytes = { ...emptyBreakdown(), workspace: workspaceBytes }
    for (const storage of [...model, ...optimizerState]) bytes[storage.kind] += bytesAt(storage, batch)
    return bytes
  }
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

function changeOf({ kind, storage }: Event, batch: number): number {
  return kind === 'allocate' ? bytesAt(storage, batch) : -bytesAt(storage, batch)
}

/** Whether memory sufficed. `blocks`: what is allocated, by storage id. */
function replay(events: readonly Event[], batch: number, allocator: CachingAllocator, blocks: Block[]): boolean {
  for (const { kind, storage } of events) {
    if (kind === 'allocate') {
      const block = allocator.allocate(bytesAt(storage, batch))
      if (block === undefined) return false
      blocks[storage.id] = block
    } else {
      const block = blocks[storage.id]
      if (block !== undefined) allocator.release(block)
    }
  }
  return true
}

function bytesAt(storage: Storage, batch: number): number {
  return roundedSize(storage.fixedBytes + Math.max(batch, storage.samplesAtLeast ?? 0) * storage.bytesPerSample)
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
