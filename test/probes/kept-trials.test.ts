import { beforeEach, describe, expect, it } from 'vitest'
import { KeepingProbe, type TrialConditions, type TrialStore } from '../../engine/probes/kept-trials.ts'
import type { Probe, ProbedDevice } from '../../engine/probes/probe.ts'
import type { Outcome, Trial } from '../../engine/probes/trial.ts'

const a10: ProbedDevice = {
  name: 'NVIDIA A10',
  totalBytes: 23e9,
  usableBytes: 22e9,
  software: 'torch 2.13.0, transformers 5.18.0, CUDA 13.0, driver 580.65',
}
const conditions: TrialConditions = {
  blobSha: 'a'.repeat(40),
  spec: { microBatch: 16, precision: 'fp32' },
  model: { hiddenSize: 768 },
  settings: { memorymark: '0.1.0' },
}
const fits: Outcome = { kind: 'fits', peakBytes: 5e9, stepMillis: 40 }

/** A device whose answers are given, with what it was asked. */
class GivenProbe implements Probe {
  readonly engine = 'torch'
  readonly provenance = 'measured'
  readonly device: ProbedDevice
  readonly asked: string[] = []
  readonly #outcome: Outcome

  constructor(device: ProbedDevice = a10, outcome: Outcome = fits) {
    this.device = device
    this.#outcome = outcome
  }

  async trial(microBatch: number, { steps = 0, accumulates = false } = {}): Promise<Trial> {
    this.asked.push(`${microBatch} for ${steps} steps${accumulates ? ', accumulating' : ''}`)
    return { microBatch, ...(accumulates && { accumulates }), provenance: 'measured', outcome: this.#outcome }
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

let entries: Map<string, string>
let remarks: string[]

beforeEach(() => {
  entries = new Map()
  remarks = []
})

function opened(probe: Probe, changed: Partial<TrialConditions> = {}, now = '2026-11-21T09:00:00Z') {
  const store: TrialStore = {
    read: async key => entries.get(key),
    write: async (key, text) => void entries.set(key, text),
  }
  const remark = (why: string) => void remarks.push(why)
  return KeepingProbe.open(probe, { ...conditions, ...changed }, { store, now: new Date(now), remark })
}

async function askedAfterwards(probe: GivenProbe, changed: Partial<TrialConditions> = {}): Promise<string[]> {
  await (await opened(probe, changed)).trial(16)
  return probe.asked
}

async function keepOne(outcome = fits, options = {}): Promise<void> {
  await (await opened(new GivenProbe(a10, outcome), {}, '2026-11-14T09:00:00Z')).trial(16, options)
}

describe('a trial that was run before', () => {
  it('is not run again, and its day is known', async () => {
    await keepOne()
    const probe = new GivenProbe()
    const keeping = await opened(probe)
    const trial = await keeping.trial(16)
    expect(trial).toEqual({ microBatch: 16, provenance: 'measured', outcome: fits })
    expect({ asked: probe.asked, recalled: keeping.recalled, isRecalled: keeping.isRecalled(trial) }).toEqual({
      asked: [],
      recalled: { count: 1, day: '2026-11-14' },
      isRecalled: true,
    })
  })

  it('is another one beside accumulated gradients, and both are kept', async () => {
    const probe = new GivenProbe()
    const asked = ['16 for 0 steps', '16 for 0 steps, accumulating']
    for (let run = 0; run < 2; run++) {
      const keeping = await opened(probe)
      expect((await keeping.trial(16)).accumulates).toBeUndefined()
      expect((await keeping.trial(16, { accumulates: true })).accumulates).toBe(true)
    }
    expect(await askedAfterwards(probe)).toEqual(asked)
  })

  it('is run again for more steps than it had, and kept with them', async () => {
    await keepOne()
    const probe = new GivenProbe()
    const keeping = await opened(probe)
    await keeping.trial(16, { steps: 8 })
    await keeping.trial(16, { steps: 8 })
    await keeping.trial(16)
    expect(probe.asked).toEqual(['16 for 8 steps'])
    expect(await askedAfterwards(new GivenProbe())).toEqual([])
  })

  it('is final when it ran out of memory, however many steps are asked for', async () => {
    await keepOne({ kind: 'out-of-memory' })
    const probe = new GivenProbe()
    expect((await (await opened(probe)).trial(16, { steps: 8 })).outcome.kind).toBe('out-of-memory')
    expect(probe.asked).toEqual([])
  })

  it.each<Outcome>([
    { kind: 'timed-out', afterMillis: 1 },
    { kind: 'failed', problem: { code: 'x', message: 'x', fix: 'x' } },
  ])('is not kept when it says nothing about the size: $kind', async outcome => {
    await keepOne(outcome)
    expect(entries.size).toBe(0)
  })

  it('is not kept when it was ended in the middle', async () => {
    await keepOne(fits, { signal: AbortSignal.abort() })
    expect(entries.size).toBe(0)
  })
})

describe('a trial under other conditions is another trial', () => {
  it.each<[string, Partial<TrialConditions>]>([
    ['config', { blobSha: 'b'.repeat(40) }],
    ['spec', { spec: { microBatch: 16, precision: 'bf16' } }],
    ['model', { model: { hiddenSize: 1024 } }],
    ['setting', { settings: { memorymark: '0.2.0' } }],
  ])('%s', async (_, changed) => {
    await keepOne()
    expect(await askedAfterwards(new GivenProbe(), changed)).toEqual(['16 for 0 steps'])
    expect(remarks).toEqual([])
  })

  it.each<[string, Partial<ProbedDevice>]>([
    ['GPU', { name: 'NVIDIA L4' }],
    ['driver', { software: a10.software.replace('580', '590') }],
  ])('%s', async (_, changed) => {
    await keepOne()
    expect(await askedAfterwards(new GivenProbe({ ...a10, ...changed }))).toEqual(['16 for 0 steps'])
  })

  it('but not where only the order of the keys differs', async () => {
    await keepOne()
    expect(await askedAfterwards(new GivenProbe(), { spec: { precision: 'fp32', microBatch: 16 } })).toEqual([])
  })
})

describe('kept trials are left aside, with a remark', () => {
  async function remarkOn(change: (text: string) => string, device = a10): Promise<string[]> {
    await keepOne()
    for (const [key, text] of entries) entries.set(key, change(text))
    expect(await askedAfterwards(new GivenProbe(device))).toEqual(['16 for 0 steps'])
    return remarks
  }

  it.each<[string, (text: string) => string]>([
    ['is no JSON', () => '{"schema":'],
    ['is of another schema', text => text.replace('trials/v2', 'trials/v1')],
    ['has impossible figures', text => text.replace('"peakBytes":5', '"peakBytes":-5')],
    ['is larger than it can be', text => text + ' '.repeat(1_000_000)],
  ])('when the file %s', async (_, change) => {
    expect(await remarkOn(change)).toEqual(['they are not in the format that MemoryMark writes'])
  })

  it('when they claim to be of other conditions than their name says', async () => {
    expect(await remarkOn(text => text.replace('fp32', 'bf16'))).toEqual(['they were run under other conditions'])
  })

  it('when a trace claims to be a measurement', async () => {
    expect(await remarkOn(text => text.replace('"provenance":"measured"', '"provenance":"traced"'))).toEqual([
      'they were run under other conditions',
    ])
  })

  it('when another process now holds a part of the card', async () => {
    expect(await remarkOn(text => text, { ...a10, usableBytes: 15e9 })).toEqual([
      'the amount of usable memory on the device has changed',
    ])
  })
})
