import { describe, expect, it } from 'vitest'
import { FootprintCache } from '../../../engine/estimate/footprint-cache.ts'
import { defaultGpu } from '../../../engine/gpus/catalogue.ts'
import { findModel } from '../../../engine/models/catalogue.ts'
import { openProbe } from '../../../engine/probes/open-probe.ts'
import type { ProbeContext, TfjsOptions } from '../../../engine/probes/probe.ts'
import { isAllocationFailure } from '../../../engine/probes/tfjs/allocation-failure.ts'
import { type Tiny, tinyBert, tinyGpt2 } from './tiny.ts'

const nativeFolder = process.env.MEMORYMARK_TFJS_NATIVE

/** As tests/backends reads it in this process: tiny BERT, Adam, batch 5. */
const PEAK_BYTES = 276_284

function contextOf({ spec, config }: Pick<Tiny, 'spec' | 'config'>, tfjs: TfjsOptions = {}): ProbeContext {
  return { spec, config, footprints: new FootprintCache(), gpu: defaultGpu, python: 'is-not-asked', tfjs }
}

describe.each([
  { backend: 'meta', provenance: 'traced' },
  { backend: 'cpu', provenance: 'measured' },
] as const)('the tfjs engine on its $backend backend', ({ backend, provenance }) => {
  it(`answers in a process of its own, as ${provenance}`, async () => {
    await using probe = await openProbe('tfjs', contextOf(tinyBert, { backend }))
    const trial = await probe.trial(5)
    expect(trial).toMatchObject({ microBatch: 5, provenance, outcome: { kind: 'fits', peakBytes: PEAK_BYTES } })
    expect(probe.device).toMatchObject({ name: defaultGpu.name, software: expect.stringContaining('4.22.0') })
  })

  it('goes on after an out-of-memory, in a fresh process', async () => {
    const context = contextOf(tinyBert, { backend })
    const gpu = { ...defaultGpu, totalBytes: PEAK_BYTES, contextBytes: 0 }
    await using probe = await openProbe('tfjs', { ...context, gpu })
    expect((await probe.trial(6)).outcome.kind).toBe('out-of-memory')
    expect((await probe.trial(5)).outcome).toMatchObject({ kind: 'fits', peakBytes: PEAK_BYTES })
    expect((await probe.trial(6)).outcome.kind).toBe('out-of-memory')
  })

  it('answers for the same batch the same', async () => {
    await using probe = await openProbe('tfjs', contextOf(tinyGpt2, { backend }))
    const peaks = [await probe.trial(3), await probe.trial(7), await probe.trial(3)].map(({ outcome }) =>
      outcome.kind === 'fits' ? outcome.peakBytes : outcome.kind,
    )
    expect(peaks[0]).toBe(peaks[2])
  })
})

describe('the tfjs engine', () => {
  it('takes the meta backend where no native package is installed', async () => {
    await using probe = await openProbe('auto', contextOf(tinyBert, { nativeFolder: '/' }))
    expect([probe.engine, probe.provenance]).toEqual(['tfjs', 'traced'])
  })

  it('says what to install when the native backend is asked for in vain', async () => {
    await expect(openProbe('tfjs', contextOf(tinyBert, { backend: 'native', nativeFolder: '/' }))).rejects.toThrow(
      'neither @tensorflow/tfjs-node-gpu nor @tensorflow/tfjs-node is installed in /',
    )
  })

  it.skipIf(nativeFolder === undefined)('measures in TensorFlow (MEMORYMARK_TFJS_NATIVE)', async () => {
    const native: TfjsOptions = { backend: 'native', ...(nativeFolder !== undefined && { nativeFolder }) }
    await using probe = await openProbe('tfjs', contextOf(tinyBert, native))
    const { outcome, provenance } = await probe.trial(5, { steps: 4 })
    expect(provenance).toBe('measured')
    expect(outcome).toMatchObject({ kind: 'fits', peakBytes: PEAK_BYTES + 8, stepMillisSpread: expect.any(Number) })
    expect(probe.device.software).toContain('@tensorflow/tfjs-node 4.22.0')
  })

  it('gives a step up when its time is over', async () => {
    const bert = {
      config: findModel('bert')?.config ?? tinyBert.config,
      spec: { ...tinyBert.spec, sequenceLength: 128 },
    }
    const context = { ...contextOf(bert, { backend: 'cpu' }), trialTimeoutMillis: 50 }
    await using probe = await openProbe('tfjs', context)
    expect((await probe.trial(8)).outcome).toEqual({ kind: 'timed-out', afterMillis: 50 })
  })

  it('ends with its process when it is aborted', async () => {
    await using probe = await openProbe('tfjs', contextOf(tinyBert, { backend: 'meta' }))
    const abort = new AbortController()
    const trial = probe.trial(2, { signal: abort.signal })
    abort.abort()
    expect((await trial).outcome).toMatchObject({ kind: 'failed', problem: { code: 'worker-died' } })
  })

  it('answers for no PyTorch config, and no other engine for one of TensorFlow.js', async () => {
    const pytorch = { ...tinyBert, spec: { ...tinyBert.spec, framework: 'pytorch' as const } }
    await expect(openProbe('tfjs', contextOf(pytorch))).rejects.toThrow('the tfjs engine cannot run a pytorch config')
    await expect(openProbe('estimate', contextOf(tinyBert))).rejects.toThrow(
      'the estimate engine cannot run a tensorflow.js config',
    )
  })
})

describe("TensorFlow's words for out of memory", () => {
  it.each([
    'Error: Invalid TF_Status: 8\nMessage: OOM when allocating tensor with shape[288,12,128,128] and type float on GPU:0',
    'RESOURCE_EXHAUSTED: failed to allocate memory [Op:MatMul]',
    "terminate called after throwing an instance of 'std::bad_alloc'",
    'CUDA_ERROR_OUT_OF_MEMORY: out of memory',
  ])('%s', text => {
    expect(isAllocationFailure(text)).toBe(true)
  })

  it('are not those of any other failure', () => {
    expect(isAllocationFailure('Invalid argument: Incompatible shapes: [2,3] vs. [2,4]')).toBe(false)
  })
})
