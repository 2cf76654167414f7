import { describe, expect, test } from 'vitest'
import { type AllocatorEvent, traceSteps } from '../../engine/estimate/allocator-trace.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf, WORKSPACE_BYTES } from './specs.ts'

const LLAMA = 'meta-llama/Llama-3.2-1B'
const BATCH = 4

const steps: readonly (readonly [string, string, Partial<TrainingSpec>])[] = [
  ['BERT', 'bert', {}],
  ['ResNet', 'resnet', { optimizer: 'sgd', gradientAccumulation: 2 }],
  ['Llama, checkpointed', LLAMA, { precision: 'bf16', gradientCheckpointing: true }],
  ['Llama under FSDP', LLAMA, { precision: 'bf16-master', sharding: 'fsdp', gpus: 8 }],
  ['BERT in segments that grow', 'bert', { expandableSegments: true }],
]

/** The most that is there at any moment, of what comes by one action and goes by another. */
function mostOf(events: readonly AllocatorEvent[], comes: AllocatorEvent['action'], goes?: AllocatorEvent['action']) {
  let [bytes, most] = [0, 0]
  for (const event of events) {
    if (event.action === comes) bytes += event.bytes
    else if (event.action === goes) bytes -= event.bytes
    most = Math.max(most, bytes)
  }
  return most
}

/** Every allocated part begins behind the end of the one before it, and lies within what is reserved. */
function expectApart({ reserve, allocate }: Readonly<Record<'reserve' | 'allocate', ReadonlyMap<number, number>>>) {
  const ranges = joined(reserve)
  let end = 0
  for (const [from, to] of [...allocate].toSorted(([a], [b]) => a - b)) {
    expect(from).toBeGreaterThanOrEqual(end)
    expect(ranges.some(range => range.from <= from && to <= range.to)).toBe(true)
    end = to
  }
}

function joined(ends: ReadonlyMap<number, number>) {
  const ranges: { from: number; to: number }[] = []
  for (const [from, to] of [...ends].toSorted(([a], [b]) => a - b)) {
    const last = ranges.at(-1)
    if (last?.to === from) last.to = to
    else ranges.push({ from, to })
  }
  return ranges
}

describe.each(steps)('the trace of %s', (_, model, changes) => {
  const footprint = footprintOf(model, changes)
  const { events, segments } = traceSteps(footprint, BATCH, WORKSPACE_BYTES)

  test('allocates at most the peak, and reserves what the allocator reserves', () => {
    expect(mostOf(events, 'allocate', 'release')).toBe(footprint.peak(BATCH, WORKSPACE_BYTES).bytes)
    const fit = footprint.fit(BATCH, Number.POSITIVE_INFINITY, WORKSPACE_BYTES)
    expect(fit).toEqual({ kind: 'fits', reservedBytes: mostOf(events, 'reserve') })
  })

  test('allocates nothing over what is allocated, and within what is reserved', () => {
    /** By their starts. */
    const ends = { reserve: new Map<number, number>(), allocate: new Map<number, number>() }
    for (const [index, { action, address, bytes }] of events.entries()) {
      if (action !== 'release') {
        expect(ends[action].has(address)).toBe(false)
        ends[action].set(address, address + bytes)
      } else {
        expect(ends.allocate.get(address)).toBe(address + bytes)
        ends.allocate.delete(address)
      }
      if (index % 97 === 0) expectApart(ends)
    }
    expectApart(ends)
  })

  test('leaves what rests between steps, in segments without gaps', () => {
    let allocated = 0
    for (const { address, bytes, blocks } of segments) {
      let next = address
      for (const block of blocks) {
        expect(block.address).toBe(next)
        next += block.bytes
        allocated += block.allocatedBytes ?? 0
      }
      expect(next).toBe(address + bytes)
    }
    expect(allocated).toBe(footprint.resting(WORKSPACE_BYTES).bytes)
  })

  test('tells of the second step what the first one does, beside the optimizer state', () => {
    const allocatedIn = (stage: string) =>
      events.filter(event => event.action === 'allocate' && event.when.stage === stage).length
    const states = events.filter(event => event.action === 'allocate' && event.kind === 'optimizerState')
    expect(allocatedIn('first step') - states.length).toBe(allocatedIn('second step'))
  })
})
