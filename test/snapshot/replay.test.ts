import { describe, expect, test } from 'vitest'
import { traceSteps } from '../../engine/estimate/allocator-trace.ts'
import { findGpu } from '../../engine/gpus/catalogue.ts'
import { EstimateProbe } from '../../engine/probes/estimate.ts'
import { type Picklable, pickle } from '../../engine/render/pickle.ts'
import { torchSnapshot } from '../../engine/render/torch-snapshot.ts'
import { compare } from '../../engine/snapshot/against-estimate.ts'
import { type SnapshotSummary, summarize } from '../../engine/snapshot/summary.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf, WORKSPACE_BYTES } from '../estimate/specs.ts'
import { noBytes } from './no-bytes.ts'

const KIB = 1_024
const a10 = findGpu('a10')
const packages = '/usr/lib/python3.11/site-packages'

type Entry = { readonly [key: string]: Picklable }

function frame(filename: string, line: number, name: string): Entry {
  return { filename, line, name }
}
const main = frame('/home/me/train.py', 88, '<module>')
const stacks = {
  loading: [
    frame(`${packages}/torch/nn/modules/linear.py`, 100, '__init__'),
    frame(`${packages}/transformers/modeling_utils.py`, 4_000, 'from_pretrained'),
    main,
  ],
  forward: [
    frame('??', 0, 'at::native::linear'),
    frame(`${packages}/torch/nn/modules/module.py`, 1_780, '_call_impl'),
    frame(`${packages}/transformers/models/llama/modeling_llama.py`, 210, 'forward'),
    // Lightning's optimizer runs the step in a closure.
    frame(`${packages}/torch/optim/optimizer.py`, 500, 'wrapper'),
    main,
  ],
  engine: [
    frame('??', 0, 'torch::autograd::generated::MmBackward0::apply(std::vector)'),
    frame('??', 0, 'torch::autograd::Engine::thread_main'),
  ],
  recomputed: [
    frame(`${packages}/torch/nn/modules/module.py`, 1_780, '_call_impl'),
    frame(`${packages}/torch/utils/checkpoint.py`, 300, 'unpack_hook'),
  ],
  optimizerStep: [frame(`${packages}/torch/optim/sgd.py`, 300, '_multi_tensor_sgd'), main],
  optimizer: [frame(`${packages}/torch/optim/adamw.py`, 100, '_init_group'), main],
  inputs: [
    frame(`${packages}/accelerate/utils/operations.py`, 150, 'send_to_device'),
    frame(`${packages}/transformers/trainer.py`, 3_900, 'training_step'),
    main,
  ],
  workspace: [
    frame('??', 0, 'at::cuda::getCUDABlasWorkspace'),
    frame(`${packages}/torch/nn/modules/module.py`, 1_780, '_call_impl'),
    main,
  ],
  own: [frame('/home/me/ema.py', 12, 'update'), main],
}

function event(action: string, addr: number, size: number, frames: Picklable = []): Entry {
  return { action, addr, size, stream: 0, frames }
}
function freed(addr: number, size: number): Entry[] {
  return [event('free_requested', addr, size), event('free_completed', addr, size)]
}

function snapshotOf(events: readonly Entry[], blocks: readonly Entry[] = [], totalSize = 0): SnapshotSummary {
  const segments = [{ device: 0, address: 0, total_size: totalSize, blocks }]
  return summarize(pickle({ segments, device_traces: [events] }), 'run.pickle')
}

describe('an estimate that MemoryMark wrote as a snapshot', () => {
  test.each<[string, number, Partial<TrainingSpec>]>([
    ['bert', 4, {}],
    ['gpt2', 2, { gradientAccumulation: 4 }],
    ['resnet', 8, { expandableSegments: true }],
  ])('of %s has the peak and the parts of the estimate when it is read back', (model, batch, changes) => {
    const footprint = footprintOf(model, changes)
    const snapshot = summarize(torchSnapshot(traceSteps(footprint, batch, WORKSPACE_BYTES)), 'step.pickle')
    expect(snapshot.isEstimate).toBe(true)
    expect(snapshot.peak.bytes).toBe(footprint.peak(batch, WORKSPACE_BYTES).bytes)
    expect(footprint.fit(batch, Number.POSITIVE_INFINITY, WORKSPACE_BYTES)).toEqual({
      kind: 'fits',
      reservedBytes: snapshot.reservedBytes,
    })
    if (a10 === undefined) throw new Error('there is no A10')
    const points = new EstimateProbe(footprint, a10).overStep(batch, 300)
    const estimated = points.reduce((highest, point) => (point.bytes > highest.bytes ? point : highest))
    const { rows, unexplained } = compare(snapshot, estimated)
    expect(rows.map(row => [row.group, row.snapshotBytes])).toEqual(rows.map(row => [row.group, row.estimatedBytes]))
    expect(unexplained).toEqual([])
  })
})

describe('stacks tell', () => {
  test.each<[string, readonly Entry[], string, string | undefined, string | undefined]>([
    ['loading the model', stacks.loading, 'weights', 'modeling_utils.py:4000 from_pretrained', 'train.py:88 <module>'],
    ['the forward pass', stacks.forward, 'forward', 'modeling_llama.py:210 forward', 'train.py:88 <module>'],
    ['the backward pass on its own thread', stacks.engine, 'backward', 'MmBackward0', undefined],
    ['a forward pass that is recomputed there', stacks.recomputed, 'backward', 'module.py:1780 _call_impl', undefined],
    ['the state of the optimizer', stacks.optimizer, 'optimizer-state', 'train.py:88 <module>', undefined],
    ['inputs', stacks.inputs, 'inputs', 'operations.py:150 send_to_device', 'train.py:88 <module>'],
    ['the workspace of cuBLAS', stacks.workspace, 'workspace', 'train.py:88 <module>', undefined],
    ['other code', stacks.own, 'elsewhere', 'ema.py:12 update', undefined],
  ])('%s', (_, stack, part, at, from) => {
    const { sites } = snapshotOf([event('alloc', 1, 4 * KIB, stack)])
    expect(sites).toEqual([{ part, ...(at && { at }), ...(from && { from }), bytes: 4 * KIB, blocks: 1 }])
  })

  test('what the optimizer keeps from what it releases', () => {
    const { peak } = snapshotOf([
      event('alloc', 1, 4 * KIB, stacks.optimizerStep),
      event('alloc', 2, 8 * KIB, stacks.optimizerStep),
      ...freed(2, 8 * KIB),
    ])
    expect(peak.breakdown).toMatchObject({ 'optimizer-state': 4 * KIB, 'optimizer-step': 8 * KIB })
  })
})

describe('the history of a snapshot', () => {
  test('has its peak where the most is allocated, in blocks of 512 bytes', () => {
    const { peak, events } = snapshotOf([
      event('alloc', 1, 1, stacks.forward),
      event('alloc', 2, 513, stacks.forward),
      ...freed(1, 1),
      event('alloc', 3, 512, stacks.engine),
      ...freed(2, 513),
    ])
    expect([peak.event, peak.bytes, events]).toEqual([1, 1_536, 7])
  })

  test('that is cut off begins with what is released later and with what is left', () => {
    const left = { size: 8 * KIB, requested_size: 8 * KIB, state: 'active_allocated', frames: stacks.loading }
    const snapshot = snapshotOf(
      [...freed(64 * KIB, 4 * KIB), event('alloc', 70 * KIB, 2 * KIB, stacks.forward)],
      [left, { size: 56 * KIB, state: 'inactive', frames: [] }],
    )
    expect(snapshot.isCutOff).toBe(true)
    expect(snapshot.bytesBefore).toBe(12 * KIB)
    expect(snapshot.peak).toMatchObject({
      event: 0,
      bytes: 12 * KIB,
      breakdown: { weights: 8 * KIB, 'before-history': 4 * KIB },
    })
  })

  test('that began after the model was loaded is not cut off', () => {
    const left = { size: 8 * KIB, requested_size: 8 * KIB, state: 'active_allocated', frames: [] }
    const snapshot = snapshotOf([event('alloc', 70 * KIB, 2 * KIB, stacks.forward)], [left])
    expect(snapshot.isCutOff).toBe(false)
    expect(snapshot.peak.breakdown).toMatchObject({ 'before-history': 8 * KIB, forward: 2 * KIB })
  })

  test('that is not there leaves what was allocated at the end', () => {
    const left = { size: 8 * KIB, requested_size: 7 * KIB, state: 'active_allocated', frames: stacks.loading }
    expect(snapshotOf([], [left])).toMatchObject({
      events: 0,
      peak: { bytes: 7 * KIB },
      points: [{ event: 0 }],
      isCutOff: false,
    })
  })

  test('keeps blocks that another stream still uses', () => {
    const { peak } = snapshotOf([
      event('alloc', 1, 4 * KIB, stacks.forward),
      event('free_requested', 1, 4 * KIB),
      event('alloc', 2, 4 * KIB, stacks.forward),
      event('free_completed', 1, 4 * KIB),
    ])
    expect(peak.breakdown).toMatchObject({ forward: 4 * KIB, 'awaiting-release': 4 * KIB })
  })

  test('without free_completed is read by its requests', () => {
    const { peak } = snapshotOf([
      event('alloc', 1, 4 * KIB, stacks.forward),
      event('free_requested', 1, 4 * KIB),
      event('alloc', 2, 5 * KIB, stacks.forward),
    ])
    expect(peak.bytes).toBe(5 * KIB)
  })

  test('says that releases are missing where an address is allocated twice', () => {
    const snapshot = snapshotOf([
      event('alloc', 1, 4 * KIB, stacks.forward),
      event('alloc', 1, 4 * KIB, stacks.forward),
    ])
    expect([snapshot.missingReleases, snapshot.peak.bytes]).toEqual([1, 4 * KIB])
  })

  test('tells a failed allocation, which is not in the peak', () => {
    const { outOfMemory, peak } = snapshotOf([
      event('alloc', 1, 4 * KIB, stacks.forward),
      { action: 'oom', size: 20 * KIB, stream: 0, device_free: 100, frames: stacks.forward },
    ])
    expect([outOfMemory, peak.bytes]).toEqual([{ event: 1, askedBytes: 20 * KIB }, 4 * KIB])
  })

  test('knows what was reserved before it', () => {
    const events = [event('segment_alloc', 0, 2 * KIB), event('segment_free', 0, 2 * KIB), event('alloc', 1, KIB)]
    expect(snapshotOf(events, [], 10 * KIB).reservedBytes).toBe(12 * KIB)
  })

  test('counts blocks without a stack as the backward pass only where others have one', () => {
    const without = event('alloc', 1, 4 * KIB)
    expect(snapshotOf([without]).peak.breakdown.elsewhere).toBe(4 * KIB)
    const both = snapshotOf([without, event('alloc', 70 * KIB, 2 * KIB, stacks.forward)])
    expect([both.peak.breakdown.backward, both.stacklessBytes]).toEqual([4 * KIB, 4 * KIB])
  })
})

describe('what the estimate does not explain', () => {
  const estimated = {
    phase: 'optimizer',
    moment: 'the optimizer',
    bytes: 12 * KIB,
    breakdown: { ...noBytes, weights: 8 * KIB, optimizerState: 4 * KIB },
  } as const

  test('is named by its stacks, the largest first', () => {
    const snapshot = snapshotOf([
      event('alloc', 1, 8 * KIB, stacks.loading),
      event('alloc', 2, 4 * KIB, stacks.optimizer),
      event('alloc', 3, 3 * KIB, stacks.own),
      event('alloc', 4, 5 * KIB, stacks.forward),
    ])
    const { unexplained } = compare(snapshot, estimated)
    expect(unexplained.map(({ group, bytes, sites }) => [group, bytes, sites[0]?.at])).toEqual([
      ['step', 5 * KIB, 'modeling_llama.py:210 forward'],
      ['elsewhere', 3 * KIB, 'ema.py:12 update'],
    ])
  })

  test('is not what was there before the history, where other parts lack as much', () => {
    const left = (size: number) => ({
      size: size * KIB,
      requested_size: size * KIB,
      state: 'active_allocated',
      frames: [],
    })
    const recorded = event('alloc', 70 * KIB, 4 * KIB, stacks.optimizer)
    expect(compare(snapshotOf([recorded], [left(8)]), estimated).unexplained).toEqual([])
    expect(compare(snapshotOf([recorded], [left(10)]), estimated).unexplained).toMatchObject([
      { group: 'before-history', bytes: 2 * KIB },
    ])
  })
})
