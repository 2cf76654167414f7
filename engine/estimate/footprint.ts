/** Turns one training spec into its memory footprint: peak, its moment and breakdown for any batch size, each in microseconds. */

import { MemoryMarkError } from '../base/errors.ts'
import { leaveOut } from '../config/fields/supplied.ts'
import { familyOf, joinsImages, type ModelConfig } from '../models/architecture.ts'
import { outputLayers } from '../models/linears.ts'
import { modelCopies } from '../training/batches.ts'
import { layersNamed } from '../training/parameter-pattern.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { saidOfLayers } from '../training/unquantized.ts'
import { BlockTable } from './allocator/block-table.ts'
import { type Allocator, CachingAllocator } from './allocator/caching-allocator.ts'
import { ExpandableAllocator } from './allocator/expandable-segments.ts'
import { withReleasedExperts } from './library-rules.ts'
import { type Loading, loadingOf } from './loading.ts'
import type { Objective } from './objectives/objective.ts'
import { objectiveOf } from './objectives/objectives.ts'
import { gathersBlocks } from './sharding/exchanges.ts'
import { gatheredByResuming, type Resuming } from './sharding/resuming.ts'
import { gatheredBySaving } from './sharding/saving.ts'
import { type MemoryPoint, memoryOverStep } from './step/memory-over-step.ts'
import { momentAt } from './step/moments.ts'
import { allocatedAt, changeOver, type HighestPoint, highestPoint, noBlocks, replay } from './step/replay.ts'
import type { Section } from './step/sections.ts'
import { type Lasting, type Optimized, optimizedBy, parameterCount, playStep, type Timeline } from './step/timeline.ts'
import type { Node } from './tape/autograd.ts'
import { EVERY_LAYER, TURNS_BEHIND } from './tape/repetition.ts'
import { type ByteKind, byteKinds } from './tape/storage.ts'
import { Tape } from './tape/tape.ts'

export interface Peak {
  readonly bytes: number
  /** Bytes by kind at the peak; they add up to `bytes`. */
  readonly breakdown: Readonly<Record<ByteKind, number>>
  /** The moment: `backward of encoder.layer.11.output.dense`. */
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
  readonly #terms: readonly [TrainingSpec, ModelConfig, Device]
  #fuller: Recording | undefined

  /** `firstTurns`: the number of repeated layers that are recorded before one that stands for the rest. */
  constructor(written: TrainingSpec, config: ModelConfig, device: Device, firstTurns = firstTurnsOf(written)) {
    refuseEagerImages(written, config)
    const spec = withReleasedExperts(written, config)
    this.#terms = [written, config, device]
    this.tape = new Tape(spec, device, familyOf(config).experts)
    this.tape.firstTurns = firstTurns
    // The last block's weights are gathered before its backward pass begins, so that the one before it is not like the others.
    if (gathersBlocks(spec)) this.tape.turnsBehind = TURNS_BEHIND + 1
    this.objective = objectiveOf(this.tape, ownPart(spec, config), spec)
    refuseMissingTargets(spec, this.tape)
    refuseNothingTrained(spec, this.tape)
  }

  /** The same with more of the layers that repeat. */
  get fuller(): Recording {
    this.#fuller ??= new Recording(...this.#terms, this.tape.firstTurns === 1 ? 2 : EVERY_LAYER)
    return this.#fuller
  }
}

/** Records every layer if a layer's position or a sum over layers matters. */
function firstTurnsOf(spec: TrainingSpec): number {
  const { lora, trainable, unquantized } = spec
  const sums =
    ['online', 'rollouts'].includes(spec.method?.kind ?? '') ||
    spec.loop === 'ultralytics' ||
    spec.task === 'sentence-similarity'
  const isDivided = (modelCopies(spec) > 1 || spec.offload !== undefined) && !gathersBlocks(spec)
  const tellsLayersApart = trainable !== undefined && (trainable.inTurns || !layersNamed(trainable.names))
  const tellsTypesApart = unquantized !== undefined && !saidOfLayers(unquantized)
  if (tellsLayersApart || tellsTypesApart || spec.trainsTowers || isDivided || sums) return EVERY_LAYER
  // The input of the first layer that trains, or has adapters, may need no gradient, so the second layer differs from the third.
  return trainable !== undefined || (lora !== undefined && !spec.gradientCheckpointing) ? 2 : 1
}

/** For one replay after the other: each fills some hundred kilobytes, and there are thousands. */
const scratch = new BlockTable()

export class Footprint {
  readonly spec: TrainingSpec
  readonly nodes: readonly Node[]
  readonly #recording: Recording
  readonly #accumulating: Footprint | undefined
  #played: Timeline | undefined
  #optimized: Optimized | undefined
  readonly #highest = new Map<string, HighestPoint>()
  /** Replays that fitted: for any capacity between these two, the allocator behaves identically. */
  readonly #fitting = new Map<string, { readonly reservedBytes: number; readonly upToBytes: number }>()
  /** Capacities that did not suffice. */
  readonly #tooSmall = new Set<string>()

  /** `recording`: of the same spec, with or without accumulation. `accumulating`: of the same spec, with it. */
  constructor(
    written: TrainingSpec,
    config: ModelConfig,
    device: Device = { hasFlash: true },
    recording = new Recording(written, config, device),
    accumulating?: Footprint,
  ) {
    const spec = withReleasedExperts(written, config)
    this.spec = spec
    this.#recording = recording
    this.#accumulating = accumulating
    this.nodes = recording.tape.nodes
  }

  get parameterCount(): number {
    return parameterCount(this.#recording.tape)
  }

  /** Whether the newest PyTorch may take less: no version is known, and scores of grouped heads were counted. */
  get countsTooMuch(): boolean {
    return this.spec.versions?.torch === undefined && this.#recording.tape.composesGroupedHeads
  }

  get optimized(): Optimized {
    this.#optimized ??= optimizedBy(this.#recording.tape, this.spec)
    return this.#optimized
  }

  /** Replayed when first used. */
  get timeline(): Timeline {
    this.#played ??= this.#accumulating?.timeline.withoutAccumulation ?? this.#play(this.#recording)
    return this.#played
  }

  #play(recording: Recording): Timeline {
    return playStep(recording.tape, this.spec, recording.objective) ?? this.#play(recording.fuller)
  }

  /**
   * Peak of a steady-state step (optimizer state allocated), as torch.cuda.max_memory_allocated counts it.
   * `workspaceBytes`: what cuBLAS holds for itself, allocated by the first matrix product and kept.
   */
  peak(batch: number, workspaceBytes: number): Peak {
    const { step, sections } = this.timeline
    const resting = this.resting(workspaceBytes)
    const { bytes, at } = this.#highestPoint(batch, workspaceBytes)
    if (at === undefined) return resting
    const breakdown = { ...resting.breakdown }
    const sizes = step.bytesAt(batch)
    for (const [number, count] of allocatedAt(sections, at, sizes.length).entries()) {
      const size = step.sizes[number]
      if (size !== undefined) breakdown[size.kind] += count * (sizes[number] ?? 0)
    }
    const section = sections.all[at.section]!
    const moment = momentAt(step, { event: section.from + at.events - 1, section, time: at.times })
    return { bytes, breakdown, moment }
  }

  /** The bytes of `peak`, which are faster to compute alone. */
  peakBytes(batch: number, workspaceBytes: number): number {
    return this.#highestPoint(batch, workspaceBytes).bytes
  }

  #highestPoint(batch: number, workspaceBytes: number): HighestPoint {
    const key = `${batch} ${workspaceBytes}`
    const { step, sections } = this.timeline
    const highest =
      this.#highest.get(key) ?? highestPoint(sections, step.bytesAt(batch), this.resting(workspaceBytes).bytes)
    this.#highest.set(key, highest)
    return highest
  }

  /** Of the first step, whose forward and backward pass run before the optimizer has allocated its state. */
  firstPeakBytes(batch: number, workspaceBytes: number): number {
    const { passes, stepping } = this.#firstStep(batch, workspaceBytes)
    return Math.max(passes, stepping)
  }

  #firstStep(batch: number, workspaceBytes: number): { readonly passes: number; readonly stepping: number } {
    const { step, sections, sectionsBeforeOptimizer: before, optimizerState } = this.timeline
    const stateBytes = optimizerState.reduce((sum, { bytes }) => sum + bytes, 0)
    const sizes = step.bytesAt(batch)
    const [passes, stepping] = [sections.all.slice(0, before), sections.all.slice(before)]
    const start = this.resting(workspaceBytes).bytes - stateBytes
    const left = start + passes.reduce((sum, section) => sum + changeOver(sections, section, sizes) * section.times, 0)
    return {
      passes: highestPoint({ ...sections, all: passes }, sizes, start).bytes,
      stepping: highestPoint({ ...sections, all: stepping }, sizes, left + stateBytes).bytes,
    }
  }

  /** Memory over the steady-state step of `peak`, in about `points` points, of which the highest is the peak. */
  overStep(batch: number, workspaceBytes: number, points: number): readonly MemoryPoint[] {
    const { breakdown } = this.resting(workspaceBytes)
    return memoryOverStep(this.timeline, { batch, resting: breakdown, points })
  }

  /** What is allocated between steps. */
  resting(workspaceBytes: number): Peak {
    const breakdown = { ...this.timeline.restingBytes, workspace: workspaceBytes }
    return { bytes: byteKinds.reduce((sum, kind) => sum + breakdown[kind], 0), breakdown, moment: 'between steps' }
  }

  /** Before the first step, where `quantizesOnLoad` is true. */
  get loading(): Loading {
    return loadingOf(this.#recording.tape, this.spec)
  }

  /** While a checkpoint is saved; undefined where nothing is gathered for it, or that is not known. */
  savingBytes(workspaceBytes: number): number | undefined {
    const gathered = gatheredBySaving(this.spec, this.#recording.tape.parameters)
    return gathered === undefined ? undefined : this.resting(workspaceBytes).bytes + gathered
  }

  /** While a checkpoint is loaded. */
  resumingBytes({ states, makesStateByStep, gathers }: Resuming, workspaceBytes: number): number {
    const { bytes, breakdown } = this.resting(workspaceBytes)
    const loaded = bytes + (states - 1) * breakdown.optimizerState
    const stepping = makesStateByStep ? this.#firstStep(0, workspaceBytes).stepping : 0
    if (gathers === undefined) return Math.max(loaded, stepping)
    const beside = gathers === 'units' ? bytes - breakdown.optimizerState : bytes
    return Math.max(loaded, stepping, beside + gatheredByResuming(this.spec, this.#recording.tape.parameters, gathers))
  }

  /** The most that is allocated at any moment of what grows with the batch. */
  growingBytes(batch: number): number {
    const { step, sections } = this.timeline
    const sizes = step.bytesAt(batch)
    for (const [number, size] of step.sizes.entries()) if (size?.bytesPerSample === 0) sizes[number] = 0
    return highestPoint(sections, sizes, 0).bytes
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
    scratch.clear()
    const allocator = allocatorFor(this.spec, usableBytes, scratch)
    const fit = this.#replaySteps(batch, workspaceBytes, allocator)
    if (fit.kind === 'fits') {
      const upToBytes = allocator.hasReturnedSegments ? usableBytes : Number.POSITIVE_INFINITY
      this.#fitting.set(key, { reservedBytes: fit.reservedBytes, upToBytes })
    } else this.#tooSmall.add(tooSmall)
    return fit
  }

  #replaySteps(batch: number, workspaceBytes: number, allocator: Allocator): Fit {
    const { model, optimizerState, step, sections, sectionsBeforeOptimizer: before } = this.timeline
    const allocate = (bytes: number) => allocator.allocate(bytes) !== undefined
    const allocateAll = (all: readonly Lasting[]) => all.every(({ bytes }) => allocate(bytes))
    const sizes = step.bytesAt(batch)
    const blocks = noBlocks(sections)
    const play = (some: readonly Section[]) => replay(sections, some, sizes, allocator, blocks)
    const lasted =
      allocateAll(model) &&
      allocate(workspaceBytes) &&
      play(sections.all.slice(0, before)) &&
      allocateAll(optimizerState) &&
      play(sections.all.slice(before)) &&
      play(sections.all)
    return lasted ? { kind: 'fits', reservedBytes: allocator.peakReservedBytes } : { kind: 'out-of-memory' }
  }
}

/** As PYTORCH_CUDA_ALLOC_CONF has it. */
export function allocatorFor(
  { expandableSegments }: TrainingSpec,
  usableBytes: number,
  table = new BlockTable(),
): Allocator {
  return expandableSegments ? new ExpandableAllocator(usableBytes, table) : new CachingAllocator(usableBytes, table)
}

/** One GPU's share under tensor parallelism. */
function ownPart({ model, tensorParallel }: TrainingSpec, config: ModelConfig): ModelConfig {
  if (tensorParallel === undefined) return config
  const part = familyOf(config).divided?.(config, tensorParallel.gpus)
  if (part !== undefined) return part
  throw new MemoryMarkError({
    code: 'not-divisible',
    message: `Tensor parallelism of ${model} over ${tensorParallel.gpus} GPUs is not modelled, or its heads cannot be divided among them`,
    fix: leaveOut,
  })
}

function refuseMissingTargets(spec: TrainingSpec, { linearNames }: Tape): void {
  const { targets = [], parameters = [] } = spec.lora ?? {}
  const missing = [...targets, ...parameters].filter(target => !linearNames.has(target))
  if (missing.length === 0) return
  refuseAdaptedLoss(spec, missing)
  throw new MemoryMarkError({
    code: 'no-such-lora-target',
    message: `${spec.model} has no linear layer named ${missing.join(', ')}`,
    fix: `Use some of ${[...linearNames].join(', ')}.`,
  })
}

/** A loss that computes the output layer in parts leaves no such layer on the tape. */
function refuseAdaptedLoss({ model, chunkedLoss }: TrainingSpec, missing: readonly string[]): void {
  const adapted = missing.filter(name => outputLayers.includes(name)).join(', ')
  if (adapted === '' || chunkedLoss === undefined) return
  throw new MemoryMarkError({
    code: 'unsupported-setting',
    field: 'lora',
    message: `Adapters on ${adapted} of ${model} beside a loss that computes this layer in chunks are not modelled`,
    fix: `Leave ${adapted} out of the layers that get adapters, or turn the chunked loss off.`,
  })
}

/** Eager attention keeps scores of every head where a kernel needs a mask, and they are not modelled. */
function refuseEagerImages({ model, attention, images }: TrainingSpec, config: ModelConfig): void {
  if (attention !== 'eager' || images === undefined || !joinsImages(config)) return
  throw new MemoryMarkError({
    code: 'unsupported-setting',
    field: 'attention',
    message: `${model} compares the patches of all images of a batch, which is not supported with eager attention`,
    fix: 'Use sdpa or flash_attention_2, which also take less memory.',
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
