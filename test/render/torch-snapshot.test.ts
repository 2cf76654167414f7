import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { traceSteps } from '../../engine/estimate/allocator-trace.ts'
import { byteKinds } from '../../engine/estimate/tape/storage.ts'
import { torchSnapshot } from '../../engine/render/torch-snapshot.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf, WORKSPACE_BYTES } from '../estimate/specs.ts'
import { hasTorch, python } from '../probes/python.ts'

const BATCH = 4

/** What PyTorch's own readers make of the file. */
const script = `
import json, pickle, sys
from torch.cuda import _memory_viz as viz

data = pickle.load(open(sys.argv[1], 'rb'))
entries = data['device_traces'][0]
live, allocated, peak, reserved = {}, 0, 0, 0
for entry in entries:
    if entry['action'] == 'alloc':
        live[entry['addr']] = entry['size']
        allocated += entry['size']
    elif entry['action'] == 'free_completed':
        allocated -= live.pop(entry['addr'])
    elif entry['action'] in ('segment_alloc', 'segment_map'):
        reserved += entry['size']
    peak = max(peak, allocated)
frames = [frame for entry in entries for frame in entry['frames']]
print(json.dumps({
    'peak': peak,
    'reserved': reserved,
    'live': allocated,
    'segments': sum(segment['total_size'] for segment in data['segments']),
    'summary': viz.segsum(data),
    'entries': viz.trace(data).splitlines()[1],
    'plots': min(len(viz.trace_plot(data)), len(viz.segment_plot(data))),
    'categories': sorted({entry['category'] for entry in entries if 'category' in entry}),
    'files': sorted({frame['filename'] for frame in frames}),
    'names': sorted({frame['name'] for frame in frames}),
}))
`

const readByTorch = z.object({
  peak: z.number(),
  reserved: z.number(),
  live: z.number(),
  segments: z.number(),
  summary: z.string(),
  entries: z.string(),
  plots: z.number(),
  categories: z.array(z.string()),
  files: z.array(z.string()),
  names: z.array(z.string()),
})

const folder = mkdtempSync(path.join(tmpdir(), 'memorymark-snapshot-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe.skipIf(!hasTorch)('with Python and PyTorch, the snapshot', () => {
  test.each<[string, string, Partial<TrainingSpec>]>([
    ['BERT', 'bert', {}],
    ['GPT-2 in segments that grow', 'gpt2', { expandableSegments: true, gradientAccumulation: 2 }],
  ])('of %s is read by torch.cuda._memory_viz, with the sums of the estimate', (_, model, changes) => {
    const footprint = footprintOf(model, changes)
    const trace = traceSteps(footprint, BATCH, WORKSPACE_BYTES)
    const snapshot = torchSnapshot(trace)
    const file = path.join(folder, 'step.pickle')
    writeFileSync(file, snapshot)
    const read = readByTorch.parse(JSON.parse(execFileSync(python, ['-c', script, file], { encoding: 'utf8' })))
    const fit = footprint.fit(BATCH, Number.POSITIVE_INFINITY, WORKSPACE_BYTES)
    expect(read.peak).toBe(footprint.peak(BATCH, WORKSPACE_BYTES).bytes)
    expect(fit).toEqual({ kind: 'fits', reservedBytes: read.reserved })
    expect(read.segments).toBe(read.reserved)
    expect(read.live).toBe(footprint.resting(WORKSPACE_BYTES).bytes)
    expect(read.summary).toContain(`segments: ${trace.segments.length}\n`)
    const releases = trace.events.filter(({ action }) => action === 'release').length
    expect(read.entries).toBe(`${trace.events.length + releases} entries`)
    expect(read.plots).toBeGreaterThan(snapshot.length)
    expect([...byteKinds, 'unknown']).toEqual(expect.arrayContaining(read.categories))
    // The page of PyTorch that draws categories fails where none of them is unknown.
    expect(read.categories).toContain('unknown')
    expect(read.files).toEqual([expect.stringMatching(/^estimated by MemoryMark$/)])
    expect(read.names).toContain('second step')
    expect(read.names).toContain(footprint.peak(BATCH, WORKSPACE_BYTES).moment)
  })
})
