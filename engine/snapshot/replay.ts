/** Memory over the history of a snapshot: its peak, and what was allocated then. */
import type { Origin } from './origins.ts'
import { type Action, actions, type DeviceMemory } from './read.ts'

/** From the bottom of a chart up. */
export const liveParts = [
  'weights',
  'optimizer-state',
  'workspace',
  /** Without a stack, from before the first event. */
  'before-history',
  'inputs',
  'forward',
  'backward',
  /** What the optimizer allocates and releases again. */
  'optimizer-step',
  /** By code that is none of these. */
  'elsewhere',
  /** Released, but another stream may still use it (record_stream). */
  'awaiting-release',
] as const
export type LivePart = (typeof liveParts)[number]
export type LiveBytes = Readonly<Record<LivePart, number>>

export interface SnapshotPoint {
  /** Of the events, from 0. */
  readonly event: number
  readonly bytes: number
  readonly breakdown: LiveBytes
}

export interface LiveSite {
  readonly part: LivePart
  readonly at?: string
  readonly from?: string
  readonly bytes: number
  readonly blocks: number
}

export interface Replay {
  readonly device: number
  readonly events: number
  readonly peak: SnapshotPoint
  /** Of the peak: allocated by threads without a stack, where others have one. */
  readonly stacklessBytes: number
  /** What was allocated at the peak by where it was allocated, the largest first, a few of each part. */
  readonly sites: readonly LiveSite[]
  /** The most that was reserved, which may be at another moment. */
  readonly reservedBytes: number
  /** In the order of events, each the highest of those that follow each other. At least one. */
  readonly points: readonly SnapshotPoint[]
  /** Earlier events are missing: those of blocks whose allocation was recorded. */
  readonly isCutOff: boolean
  /** Allocated before the first event, with or without a stack. */
  readonly bytesBefore: number
  /** Allocations at an address whose release is not among the events (skip_actions). */
  readonly missingReleases: number
  /** The last failed allocation. */
  readonly outOfMemory?: { readonly event: number; readonly askedBytes: number }
}

/** The allocator's smallest block, to which it rounds up (c10/cuda/CUDACachingAllocator.cpp, kMinBlockSize); events have what was asked for. */
const BLOCK_BYTES = 512
const MAX_POINTS = 300
const SITES_OF_A_PART = 5
/** Before the first event. */
const START = -1

interface Live {
  readonly bytes: number
  readonly origin: Origin | undefined
  part: LivePart
}

export interface ReplayTerms {
  /** Whether blocks without a stack were allocated on threads that have none, as those of autograd. */
  readonly hasStacks: boolean
}

/** Takes time in proportion to the events and blocks. */
export function replay(device: DeviceMemory, terms: ReplayTerms): Replay {
  const history = new History(device, terms)
  const peak = history.peak()
  return { device: device.index, events: device.events.count, ...history.known, ...peak }
}

function rounded(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES
}

class History {
  readonly #device: DeviceMemory
  readonly #terms: ReplayTerms
  /** What ends a block: `release`, unless the events have none but requests. */
  readonly #end: Action
  /** By address. */
  readonly #before = new Map<number, Live>()
  /** Of allocations: whether they are released later. */
  readonly #isReleased: Uint8Array
  #reservedBefore = 0
  readonly known: Pick<Replay, 'isCutOff' | 'bytesBefore' | 'missingReleases' | 'reservedBytes' | 'outOfMemory'>

  constructor(device: DeviceMemory, terms: ReplayTerms) {
    this.#device = device
    this.#terms = terms
    const { events } = device
    this.#isReleased = new Uint8Array(events.count)
    this.#end = events.actions.subarray(0, events.count).includes(actions.indexOf('release'))
      ? 'release'
      : 'request-release'
    this.known = this.#look()
  }

  /** What was there before the first event follows from what is released later and from what is left at the end. */
  #look(): typeof this.known {
    const { events, blocks, reservedBytes: reservedAtEnd } = this.#device
    const open = new Map<number, number>()
    let missingReleases = 0
    let change = 0
    let highestChange = 0
    let outOfMemory: Replay['outOfMemory']
    for (let event = 0; event < events.count; event++) {
      const address = events.addresses[event]!
      const bytes = events.bytes[event]!
      switch (actions[events.actions[event]!]) {
        case 'allocate':
          if (open.has(address)) missingReleases += 1
          open.set(address, event)
          break
        case this.#end: {
          const allocation = open.get(address)
          if (allocation === undefined) {
            // The stack of a release may be that of whoever released it.
            if (!this.#before.has(address)) this.#addBefore(address, rounded(bytes), undefined)
          } else this.#isReleased[allocation] = 1
          open.delete(address)
          break
        }
        case 'reserve':
          change += bytes
          highestChange = Math.max(highestChange, change)
          break
        case 'unreserve':
          change -= bytes
          break
        case 'out-of-memory':
          outOfMemory = { event, askedBytes: bytes }
          break
      }
    }
    let isCutOff = false
    for (const { address, bytes, origin } of blocks) {
      if (open.has(address) || this.#before.has(address)) continue
      if (origin.at !== undefined) isCutOff = events.count > 0
      this.#addBefore(address, rounded(bytes), origin)
    }
    this.#reservedBefore = Math.max(0, reservedAtEnd - change)
    const bytesBefore = [...this.#before.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    return {
      isCutOff,
      bytesBefore,
      missingReleases,
      reservedBytes: this.#reservedBefore + highestChange,
      ...(outOfMemory && { outOfMemory }),
    }
  }

  #addBefore(address: number, bytes: number, origin: Origin | undefined): void {
    const part =
      origin === undefined || origin.part === 'unknown' ? 'before-history' : partOf(origin, false, this.#terms)
    this.#before.set(address, { bytes, origin, part })
  }

  /** Played twice: first for the highest events, then for what was allocated then. */
  peak(): Pick<Replay, 'peak' | 'stacklessBytes' | 'sites' | 'points'> {
    const highest = this.#highestOfSpans()
    const top = highest.reduce((top, one) => (one.bytes > top.bytes ? one : top))
    const playing = this.#play()
    const points: SnapshotPoint[] = []
    let sites: readonly LiveSite[] = []
    let stacklessBytes = 0
    for (let event = START; points.length < highest.length; event++) {
      if (event !== START) playing.next(event)
      if (event !== highest[points.length]!.event) continue
      points.push({ event: Math.max(0, event), bytes: playing.bytes, breakdown: { ...playing.breakdown } })
      if (event !== top.event) continue
      sites = sitesOf(playing.live.values())
      stacklessBytes = bytesWithoutStack(playing.live.values())
    }
    return { peak: points[highest.indexOf(top)]!, stacklessBytes, points, sites }
  }

  #highestOfSpans(): readonly { readonly event: number; readonly bytes: number }[] {
    const { count } = this.#device.events
    const spans = Math.max(1, Math.min(MAX_POINTS, count))
    const playing = this.#play()
    return Array.from({ length: spans }, (_, span) => {
      const [from, to] = [Math.floor((span * count) / spans), Math.floor(((span + 1) * count) / spans)]
      let event = span === 0 ? START : from
      let bytes = span === 0 ? playing.bytes : Number.NEGATIVE_INFINITY
      for (let next = from; next < to; next++) {
        playing.next(next)
        if (playing.bytes <= bytes) continue
        bytes = playing.bytes
        event = next
      }
      return { event, bytes }
    })
  }

  #play(): Playing {
    return new Playing(this.#device, {
      before: this.#before,
      end: this.#end,
      isReleased: this.#isReleased,
      ...this.#terms,
    })
  }
}

interface PlayTerms extends ReplayTerms {
  readonly before: ReadonlyMap<number, Live>
  readonly end: Action
  readonly isReleased: Uint8Array
}

class Playing {
  readonly live: Map<number, Live>
  readonly breakdown = Object.fromEntries(liveParts.map(part => [part, 0])) as Record<LivePart, number>
  bytes = 0
  readonly #device: DeviceMemory
  readonly #terms: PlayTerms

  constructor(device: DeviceMemory, terms: PlayTerms) {
    this.#device = device
    this.#terms = terms
    this.live = new Map()
    for (const [address, block] of terms.before) this.#add(address, { ...block })
  }

  next(event: number): void {
    const { events } = this.#device
    const action = actions[events.actions[event]!]
    const address = events.addresses[event]!
    if (action === 'allocate') {
      this.#remove(address)
      const origin = events.origins[events.originOf[event]!]!
      const part = partOf(origin, this.#terms.isReleased[event] === 1, this.#terms)
      this.#add(address, { bytes: rounded(events.bytes[event]!), origin, part })
    } else if (action === this.#terms.end) this.#remove(address)
    else if (action === 'request-release' && !this.#isReleasedAt(event + 1, address)) this.#await(address)
  }

  /** As it is where no other stream uses the block. */
  #isReleasedAt(event: number, address: number): boolean {
    const { events } = this.#device
    return event < events.count && actions[events.actions[event]!] === 'release' && events.addresses[event] === address
  }

  #add(address: number, block: Live): void {
    this.live.set(address, block)
    this.breakdown[block.part] += block.bytes
    this.bytes += block.bytes
  }

  #remove(address: number): void {
    const block = this.live.get(address)
    if (block === undefined) return
    this.live.delete(address)
    this.breakdown[block.part] -= block.bytes
    this.bytes -= block.bytes
  }

  #await(address: number): void {
    const block = this.live.get(address)
    if (block === undefined) return
    this.breakdown[block.part] -= block.bytes
    block.part = 'awaiting-release'
    this.breakdown[block.part] += block.bytes
  }
}

function partOf({ part }: Origin, isReleased: boolean, { hasStacks }: ReplayTerms): LivePart {
  if (part === 'optimizer') return isReleased ? 'optimizer-step' : 'optimizer-state'
  if (part === 'unknown') return hasStacks ? 'backward' : 'elsewhere'
  return part
}

function bytesWithoutStack(live: Iterable<Live>): number {
  let sum = 0
  for (const { bytes, origin } of live) if (origin?.part === 'unknown') sum += bytes
  return sum
}

function sitesOf(live: Iterable<Live>): readonly LiveSite[] {
  const byOrigin = new Map<Origin | undefined, Map<LivePart, { bytes: number; blocks: number }>>()
  for (const { part, origin, bytes } of live) {
    const byPart = byOrigin.get(origin) ?? new Map<LivePart, { bytes: number; blocks: number }>()
    byOrigin.set(origin, byPart)
    const known = byPart.get(part) ?? { bytes: 0, blocks: 0 }
    byPart.set(part, { bytes: known.bytes + bytes, blocks: known.blocks + 1 })
  }
  // Stacks that differ elsewhere may lead to the same place.
  const sites = new Map<string, LiveSite>()
  for (const [origin, byPart] of byOrigin) {
    const { at, from } = origin ?? {}
    const place = { ...(at !== undefined && { at }), ...(from !== undefined && { from }) }
    for (const [part, { bytes, blocks }] of byPart) {
      const key = JSON.stringify([part, at, from])
      const known = sites.get(key)
      sites.set(key, { part, ...place, bytes: bytes + (known?.bytes ?? 0), blocks: blocks + (known?.blocks ?? 0) })
    }
  }
  const largest = [...sites.values()].sort((a, b) => b.bytes - a.bytes)
  return liveParts
    .flatMap(part => largest.filter(site => site.part === part).slice(0, SITES_OF_A_PART))
    .sort((a, b) => b.bytes - a.bytes)
}
