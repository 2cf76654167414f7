import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { summarize } from '../../engine/snapshot/summary.ts'
import { hasTorch, python } from '../probes/python.ts'

/**
 * A training of three steps that torch.profiler turns into a snapshot, without a GPU; and what Python makes of it, of sizes rounded up
 * to the allocator's blocks: blocks from before the first event are those that are released without an allocation or left at the end.
 */
const script = `
import json, pickle, sys
import torch
from torch.cuda import _memory_viz as viz

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 64))
optimizer = torch.optim.AdamW(model.parameters())
with torch.profiler.profile(profile_memory=True, record_shapes=True, with_stack=True) as profile:
    for _ in range(3):
        loss = model(torch.randn(128, 256)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
snapshot = viz._profile_to_snapshot(profile)
pickle.dump(snapshot, open(sys.argv[1], 'wb'))

rounded = lambda size: (size + 511) // 512 * 512
events = next(trace for trace in snapshot['device_traces'] if trace)
open_, before = {}, {}
for event in events:
    if event['action'] == 'alloc':
        open_[event['addr']] = event['size']
    elif event['action'] == 'free_completed':
        if event['addr'] in open_:
            del open_[event['addr']]
        else:
            before.setdefault(event['addr'], event['size'])
for segment in snapshot['segments']:
    address = segment['address']
    for block in segment['blocks']:
        if block['state'] == 'active_allocated' and address not in open_:
            before.setdefault(address, block['requested_size'])
        address += block['size']
live = sum(rounded(size) for size in before.values())
peak, held = live, dict(before)
for event in events:
    if event['action'] == 'alloc':
        held[event['addr']] = event['size']
    elif event['action'] == 'free_completed':
        held.pop(event['addr'])
    peak = max(peak, sum(map(rounded, held.values())))
print(json.dumps({'peak': peak, 'before': live, 'events': len(events)}))
`

const byPython = z.object({ peak: z.number(), before: z.number(), events: z.number() })

const folder = mkdtempSync(path.join(tmpdir(), 'memorymark-profile-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe.skipIf(!hasTorch)('with Python and PyTorch, a snapshot of its own', () => {
  test('is read with the peak that Python finds, and with its categories', () => {
    const file = path.join(folder, 'run.pickle')
    const known = byPython.parse(JSON.parse(execFileSync(python, ['-c', script, file], { encoding: 'utf8' })))
    const { peak, bytesBefore, events, isEstimate, sites } = summarize(readFileSync(file), file)
    expect([peak.bytes, bytesBefore, events, isEstimate]).toEqual([known.peak, known.before, known.events, false])
    expect(peak.breakdown['optimizer-state']).toBeGreaterThan(0)
    expect(sites.length).toBeGreaterThan(3)
  })
})
