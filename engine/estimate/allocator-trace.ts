/**
 * What the caching allocator does, with addresses: from the model's loading over the first step, in which the optimizer allocates its
 * state, to the end of the second, which is like every later one.
 */

import type { Allocator, Block } from './allocator/caching-allocator.ts'
import { allocatorFor, type Footprint } from './footprint.ts'
import { eachEvent, momentAt } from './step/moments.ts'
import { noBlocks } from './step/replay.ts'
import type { Section } from './step/sections.ts'
import type { Lasting } from './step/timeline.ts'
import type { ByteKind } from './tape/storage.ts'

/** What happens at an address: the device gives memory for a segment, or a part of a segment is allocated or released. */
export type AllocatorEvent = {
  readonly address: number
  readonly bytes: number
  readonly when: When
} & ({ readonly action: 'reserve' | 'release' } | { readonly action: 'allocate'; readonly kind: ByteKind })

export interface When {
  /** `backward of encoder.layer.11.output.dense`. */
  readonly moment: string
  readonly stage: 'before the first step' | 'first step' | 'second step'
}

export interface TracedSegment {
  readonly address: number
  readonly bytes: number
  readonly isSmall: boolean
  /** By address, without gaps. */
  readonly blocks: readonly TracedBlock[]
}

export interface TracedBlock {
  readonly address: number
  readonly bytes: number
  /** Less than the block where a rest was too small to be split off; undefined where it is free. */
  readonly allocatedBytes: number | undefined
}

export interface AllocatorTrace {
  /** Whether segments grow, as PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True has it. */
  readonly isExpandable: boolean
  readonly events: readonly AllocatorEvent[]
  /** At the end. */
  readonly segments: readonly TracedSegment[]
}

/** On a device with memory for everything. `workspaceBytes`: what cuBLAS holds for itself. */
export function traceSteps({ timeline, spec }: Footprint, batch: number, workspaceBytes: number): AllocatorTrace {
  const { model, optimizerState, step, sections, sectionsBeforeOptimizer: before } = timeline
  const isExpandable = spec.expandableSegments === true
  const recorder = new Recorder(allocatorFor(spec, Number.POSITIVE_INFINITY), isExpandable)
  const sizes = step.bytesAt(batch)
  const blocks = noBlocks(sections)
  const keep = (all: readonly Lasting[], when: When) => {
    for (const { bytes, kind } of all) recorder.allocate(bytes, kind, when)
  }
  const play = (some: readonly Section[], stage: When['stage']) => {
    for (const happening of eachEvent(some)) {
      const { event, section, time } = happening
      const change = sections.changes[event]!
      const when = { moment: momentAt(step, happening), stage }
      const place = sections.places[event]! + (sections.moves[event] === 1 ? section.direction * time : 0)
      const kind = step.sizes[change]?.kind
      if (kind !== undefined) blocks[place] = recorder.allocate(sizes[change]!, kind, when)
      else if (blocks[place]! >= 0) recorder.release(blocks[place]!, when)
    }
  }
  keep(model, { moment: 'loading the model', stage: 'before the first step' })
  keep([{ bytes: workspaceBytes, kind: 'workspace' }], { moment: 'cuBLAS workspaces', stage: 'before the first step' })
  play(sections.all.slice(0, before), 'first step')
  keep(optimizerState, { moment: 'the optimizer allocates its state', stage: 'first step' })
  play(sections.all.slice(before), 'first step')
  play(sections.all, 'second step')
  return { isExpandable, events: recorder.events, segments: recorder.segments() }
}

/** Where CUDA's addresses begin on Linux, about. */
const FIRST_ADDRESS = 0x7f00_0000_0000
/** As many addresses as a segment that grows has before the next one. */
const ROOM_TO_GROW = 2 ** 44

class Recorder {
  readonly events: AllocatorEvent[] = []
  readonly #allocator: Allocator
  /** By the number of its first block. */
  readonly #segments = new Map<Block, { readonly address: number; bytes: number }>()
  readonly #allocated = new Map<Block, { readonly address: number; readonly bytes: number }>()
  readonly #isExpandable: boolean
  #nextAddress = FIRST_ADDRESS

  constructor(allocator: Allocator, isExpandable: boolean) {
    this.#allocator = allocator
    this.#isExpandable = isExpandable
  }

  allocate(bytes: number, kind: ByteKind, when: When): Block {
    const reservedBefore = this.#allocator.peakReservedBytes
    const block = this.#allocator.allocate(bytes)
    if (block === undefined) throw new Error('the device of a trace has memory for everything')
    const { first, offset } = this.#allocator.table.placeOf(block)
    this.#grow(first, this.#allocator.peakReservedBytes - reservedBefore, when)
    const address = this.#segments.get(first)!.address + offset
    this.#allocated.set(block, { address, bytes })
    this.events.push({ action: 'allocate', address, bytes, kind, when })
    return block
  }

  release(block: Block, when: When): void {
    this.#allocator.release(block)
    const allocated = this.#allocated.get(block)
    if (allocated === undefined) throw new Error('a block is released that was not allocated')
    this.#allocated.delete(block)
    this.events.push({ action: 'release', ...allocated, when })
  }

  segments(): readonly TracedSegment[] {
    const { isSmall } = this.#allocator.table
    return [...this.#segments].map(([first, { address, bytes }]) => {
      return { address, bytes, isSmall: isSmall[first] === 1, blocks: [...this.#blocksOf(first, address)] }
    })
  }

  #grow(first: Block, bytes: number, when: When): void {
    if (bytes === 0) return
    const known = this.#segments.get(first)
    const segment = known ?? { address: this.#nextAddress, bytes: 0 }
    if (known === undefined) this.#nextAddress += this.#isExpandable ? ROOM_TO_GROW : bytes
    this.#segments.set(first, segment)
    this.events.push({ action: 'reserve', address: segment.address + segment.bytes, bytes, when })
    segment.bytes += bytes
  }

  *#blocksOf(first: Block, start: number): Generator<TracedBlock> {
    const { bytes, next, isHole } = this.#allocator.table
    let address = start
    for (let block = first; block >= 0 && isHole[block] === 0; block = next[block]!) {
      yield { address, bytes: bytes[block]!, allocatedBytes: this.#allocated.get(block)?.bytes }
      address += bytes[block]!
    }
  }
}
