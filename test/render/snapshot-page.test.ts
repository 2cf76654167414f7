import { describe, expect, test } from 'vitest'
import { GIB } from '../../engine/base/units.ts'
import { pickle } from '../../engine/render/pickle.ts'
import { snapshotPage, snapshotRemarks } from '../../engine/render/snapshot-page.ts'
import { compare } from '../../engine/snapshot/against-estimate.ts'
import { summarize } from '../../engine/snapshot/summary.ts'
import { noBytes } from '../snapshot/no-bytes.ts'

const estimated = {
  phase: 'backward',
  moment: 'backward',
  bytes: GIB,
  breakdown: { ...noBytes, weights: GIB },
} as const
const loading = [
  { filename: '/lib/python3/site-packages/transformers/modeling_utils.py', line: 1, name: 'from_pretrained' },
]

function snapshotOf(frames: typeof loading, gib: number) {
  const event = (addr: number, bytes: number, stack: typeof loading) => ({
    action: 'alloc',
    addr,
    size: bytes,
    stream: 0,
    frames: stack,
  })
  const events = [event(1, GIB, loading), event(2, gib * GIB, frames)]
  return summarize(pickle({ segments: [], device_traces: [events] }), 'run.pickle')
}

function pageOf(snapshot: ReturnType<typeof snapshotOf>, columns = 60): string {
  const estimate = { peakBytes: GIB, errorBand: { lowPercent: -10, highPercent: 10 } }
  return snapshotPage({ snapshot, comparison: compare(snapshot, estimated), estimate }, columns)
}

describe('the page of a snapshot', () => {
  test('says by how much it is above the estimate, and where that was allocated', () => {
    const page = pageOf(snapshotOf([{ filename: '/home/me/ema.py', line: 12, name: 'update' }], 2))
    expect(page).toContain(
      'The peak of the snapshot, 3.00 GiB at event 2 of 2, is 1.90 GiB above the range of the estimate, 0.90 GiB to 1.10 GiB.',
    )
    expect(page).toContain(
      '  2.00 GiB of other code; most of this part was allocated at:\n    2.00 GiB in 1 block: ema.py:12 update',
    )
  })

  test('keeps chart and table within 60 columns', () => {
    const page = pageOf(snapshotOf([{ filename: '/home/me/ema.py', line: 12, name: 'update' }], 2))
    const drawn = page.split('\n').slice(0, page.split('\n').indexOf('all                  3.00 GiB  1.00 GiB'))
    expect(drawn.length).toBeGreaterThan(20)
    // The scale stands to the left of sixty columns.
    expect(Math.max(...drawn.map(line => line.length))).toBeLessThanOrEqual(60 + '3.00 GiB │'.length)
  })

  test('shows names of functions and files harmless', () => {
    const page = pageOf(
      snapshotOf([{ filename: '/x/\u001b[31m\u202eevil.py', line: 1, name: 'f\u0007\n# heading' }], 2),
    )
    for (const sign of ['\u001b', '\u202e', '\u0007']) expect(page).not.toContain(sign)
    expect(page.split('\n')).not.toContain('# heading')
  })

  test('has no remark on a history that is whole', () => {
    expect(snapshotRemarks(snapshotOf(loading, 2))).toEqual([])
  })

  test('says what a history lacks', () => {
    const remarks = (parts: Partial<ReturnType<typeof snapshotOf>>) =>
      snapshotRemarks({ ...snapshotOf(loading, 2), ...parts }).join('\n')
    expect(remarks({ isCutOff: true, bytesBefore: GIB })).toContain(
      'The history is cut off: PyTorch kept the last 2 events',
    )
    expect(remarks({ events: 0 })).toContain('which is not the peak')
    expect(remarks({ hasStacks: false })).toContain('No stacks were recorded (context=None)')
    expect(remarks({ missingReleases: 3 })).toContain(
      '3 allocations took an address whose release is not in the history',
    )
    expect(remarks({ outOfMemory: { event: 1, askedBytes: GIB } })).toContain(
      'The run ran out of memory at event 2: 1.00 GiB more',
    )
    expect(remarks({ devices: 8, device: 3 })).toContain('Of 8 devices with memory, cuda:3 has the highest peak.')
  })
})
