/**
 * A memory snapshot as torch.cuda.memory._dump_snapshot writes it. The format: torch 2.13 cuda/memory.py, _snapshot, and
 * torch/csrc/cuda/memory_snapshot.cpp; as older releases write it, without addresses of blocks, it is read too.
 */
import { MemoryMarkError } from '../base/errors.ts'
import { snapshotLimits } from './limits.ts'
import { type Origin, Origins } from './origins.ts'
import { type Pickled, PickledDictionary, PickleRefused, unpickle } from './unpickle.ts'

export interface Snapshot {
  readonly devices: readonly DeviceMemory[]
  /** Written by MemoryMark: an estimate, nothing that ran. */
  readonly isEstimate: boolean
  /** Whether any stack was recorded. */
  readonly hasStacks: boolean
}

export const actions = ['allocate', 'request-release', 'release', 'reserve', 'unreserve', 'out-of-memory'] as const
export type Action = (typeof actions)[number]

export interface DeviceMemory {
  /** Of CUDA. */
  readonly index: number
  readonly events: Events
  /** Allocated when the snapshot was taken, with those that wait for another stream. */
  readonly blocks: readonly Block[]
  /** Reserved when the snapshot was taken. */
  readonly reservedBytes: number
}

/** In the order in which they happened, a column for each field. */
export interface Events {
  readonly count: number
  /** Indices into `actions`. */
  readonly actions: Uint8Array
  readonly addresses: Float64Array
  /** As they were asked for; `out-of-memory`: what was asked for in vain. */
  readonly bytes: Float64Array
  readonly origins: readonly Origin[]
  /** Indices into `origins`. */
  readonly originOf: Uint32Array
}

export interface Block {
  readonly address: number
  readonly bytes: number
  readonly origin: Origin
}

/** @throws MemoryMarkError of what cannot be read, and of what is refused. */
export function readSnapshot(bytes: Uint8Array, file: string): Snapshot {
  try {
    return new Reader().snapshot(unpickle(bytes))
  } catch (error) {
    if (!(error instanceof PickleRefused)) throw error
    throw new MemoryMarkError(
      {
        code: 'snapshot-unreadable',
        file,
        message: `this is not a memory snapshot that can be read: ${error.message}`,
        fix: 'Name a file that torch.cuda.memory._dump_snapshot("snapshot.pickle") wrote.',
      },
      { cause: error },
    )
  }
}

const actionNames = new Map<string, Action>([
  ['alloc', 'allocate'],
  ['free_requested', 'request-release'],
  ['free_completed', 'release'],
  ['free', 'release'],
  ['segment_alloc', 'reserve'],
  ['segment_map', 'reserve'],
  ['segment_free', 'unreserve'],
  ['segment_unmap', 'unreserve'],
  ['oom', 'out-of-memory'],
])

/** Their entries say nothing of memory. */
const silentActions: ReadonlySet<string> = new Set(['snapshot'])

class Reader {
  readonly #origins = new Origins()

  snapshot(root: Pickled): Snapshot {
    const top = dictionary(root, 'the file')
    const traces = list(top.get('device_traces') ?? [], 'device_traces')
    const segments = list(top.get('segments') ?? [], 'segments')
    if (top.get('device_traces') === undefined && top.get('segments') === undefined) {
      throw new PickleRefused('it has neither device_traces nor segments')
    }
    // The same list may stand in many places, and is read in each of them.
    refuseMore(sumOfLengths(traces), snapshotLimits.events, 'events')
    const blocks = this.#segments(segments)
    const indices = new Set([...traces.keys(), ...blocks.keys()])
    if (indices.size > snapshotLimits.devices)
      throw new PickleRefused(`it has more than ${snapshotLimits.devices} devices`)
    const source = top.get('source')
    const devices = [...indices].map((index): DeviceMemory => {
      const events = this.#trace(list(traces[index] ?? [], `device_traces[${index}]`), `device_traces[${index}]`)
      return { index, events, blocks: blocks.get(index)?.blocks ?? [], reservedBytes: blocks.get(index)?.reserved ?? 0 }
    })
    return {
      devices,
      isEstimate: typeof source === 'string' && source.startsWith('estimated by MemoryMark'),
      hasStacks: this.#origins.hasStacks,
    }
  }

  #trace(entries: readonly Pickled[], where: string): Events {
    const events = {
      actions: new Uint8Array(entries.length),
      addresses: new Float64Array(entries.length),
      bytes: new Float64Array(entries.length),
      originOf: new Uint32Array(entries.length),
    }
    let count = 0
    for (const [index, value] of entries.entries()) {
      const at = () => `${where}[${index}]`
      const entry = dictionary(value, at)
      const name = entry.get('action')
      if (typeof name !== 'string') throw new PickleRefused(`${at()} has no action`)
      if (silentActions.has(name)) continue
      const action = actionNames.get(name)
      if (action === undefined) throw new PickleRefused(`${at()} has an action that is not known: ${name.slice(0, 60)}`)
      events.actions[count] = actions.indexOf(action)
      events.addresses[count] = action === 'out-of-memory' ? 0 : whole(entry, 'addr', at)
      events.bytes[count] = whole(entry, 'size', at)
      events.originOf[count] = this.#origins.indexOf(entry.get('frames'), entry.get('category'))
      count += 1
    }
    return { ...events, count, origins: this.#origins.all }
  }

  #segments(segments: readonly Pickled[]) {
    const blocksOf = (segment: Pickled) => (segment instanceof PickledDictionary ? (segment.get('blocks') ?? []) : [])
    refuseMore(sumOfLengths(segments.map(blocksOf)), snapshotLimits.blocks, 'blocks')
    const byDevice = new Map<number, { blocks: Block[]; reserved: number }>()
    for (const [index, value] of segments.entries()) {
      const at = () => `segments[${index}]`
      const segment = dictionary(value, at)
      const device = segment.get('device') === undefined ? 0 : whole(segment, 'device', at)
      const known = byDevice.get(device) ?? { blocks: [], reserved: 0 }
      byDevice.set(device, known)
      known.reserved += whole(segment, 'total_size', at)
      const blocks = list(segment.get('blocks') ?? [], at)
      // Profiles of PyTorch have segments without an address where nothing is.
      let address = blocks.length === 0 ? 0 : whole(segment, 'address', at)
      for (const block of blocks) {
        const own = dictionary(block, at)
        const bytes = whole(own, 'size', at)
        const state = own.get('state')
        if (typeof state === 'string' && state.startsWith('active'))
          known.blocks.push(this.#block(own, { address, bytes, at }))
        address += bytes
      }
    }
    return byDevice
  }

  #block(block: PickledDictionary, place: { address: number; bytes: number; at: () => string }): Block {
    const bytes = block.get('requested_size') === undefined ? place.bytes : whole(block, 'requested_size', place.at)
    return { address: place.address, bytes, origin: this.#origins.of(block.get('frames'), undefined) }
  }
}

function sumOfLengths(lists: readonly Pickled[]): number {
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0)
}

function refuseMore(count: number, limit: number, what: string): void {
  if (count > limit) throw new PickleRefused(`it has more than ${limit.toLocaleString('en-US')} ${what}`)
}

type Where = string | (() => string)

function dictionary(value: Pickled, where: Where): PickledDictionary {
  if (value instanceof PickledDictionary) return value
  throw new PickleRefused(`${said(where)} is no dictionary`)
}

function list(value: Pickled, where: Where): readonly Pickled[] {
  if (Array.isArray(value)) return value
  throw new PickleRefused(`${said(where)} is no list`)
}

function whole(of: PickledDictionary, key: string, where: Where): number {
  const value = of.get(key)
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new PickleRefused(`${said(where)} has no ${key} that is a whole number`)
}

function said(where: Where): string {
  return typeof where === 'string' ? where : where()
}
