/**
 * A trace as torch.cuda.memory._dump_snapshot writes it, for pytorch.org/memory_viz and `python -m torch.cuda._memory_viz`. Every
 * frame says that nothing was measured, and `time_us` counts events: the trace knows their order only.
 */
import { version } from '../base/version.ts'
import type { AllocatorEvent, AllocatorTrace, TracedSegment, When } from '../estimate/allocator-trace.ts'
import { type Picklable, pickle } from './pickle.ts'

export function torchSnapshot({ events, segments, isExpandable }: AllocatorTrace): Uint8Array {
  const framesOf = frames()
  return pickle({
    source: `${SOURCE} ${version}`,
    segments: segments.map(segment => segmentOf(segment, isExpandable)),
    device_traces: [
      events.flatMap((event, index) => entriesOf(event, { index, frames: framesOf(event.when), isExpandable })),
    ],
  })
}

const SOURCE = 'estimated by MemoryMark'
const STREAM = 0

/** PyTorch's page that draws categories fails if no category has this name. */
const UNKNOWN_CATEGORY = 'unknown'

interface EntryTerms {
  readonly index: number
  readonly frames: Picklable
  readonly isExpandable: boolean
}

function entriesOf(event: AllocatorEvent, { index, frames, isExpandable }: EntryTerms): Picklable[] {
  const { address: addr, bytes: size } = event
  const entry = { addr, size, stream: STREAM, time_us: index, frames }
  switch (event.action) {
    case 'reserve':
      return [{ action: isExpandable ? 'segment_map' : 'segment_alloc', ...entry, category: UNKNOWN_CATEGORY }]
    case 'allocate':
      return [{ action: 'alloc', ...entry, category: event.kind }]
    case 'release':
      return [
        { action: 'free_requested', ...entry },
        { action: 'free_completed', ...entry },
      ]
  }
}

function segmentOf({ address, bytes, isSmall, blocks }: TracedSegment, isExpandable: boolean): Picklable {
  const allocated = blocks.filter(block => block.allocatedBytes !== undefined)
  const allocatedBytes = allocated.reduce((sum, block) => sum + block.bytes, 0)
  return {
    device: 0,
    address,
    total_size: bytes,
    allocated_size: allocatedBytes,
    active_size: allocatedBytes,
    requested_size: allocated.reduce((sum, block) => sum + (block.allocatedBytes ?? 0), 0),
    stream: STREAM,
    segment_type: isSmall ? 'small' : 'large',
    is_expandable: isExpandable,
    blocks: blocks.map(block => ({
      address: block.address,
      size: block.bytes,
      requested_size: block.allocatedBytes ?? 0,
      state: block.allocatedBytes === undefined ? 'inactive' : 'active_allocated',
      frames: [],
    })),
  }
}

/** Returns the same array for the same moment, so that pickling writes it once. */
function frames(): (when: When) => Picklable {
  const known = new Map<string, Picklable>()
  return ({ moment, stage }) => {
    const key = `${moment}, ${stage}`
    const frame = (name: string) => ({ name, filename: SOURCE, line: 0 })
    const found = known.get(key) ?? [frame(moment), frame(stage)]
    known.set(key, found)
    return found
  }
}
