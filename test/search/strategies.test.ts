import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GIB } from '../../engine/base/units.ts'
import type { Outcome, Trial } from '../../engine/probes/trial.ts'
import { Grid } from '../../engine/search/grid.ts'
import { search } from '../../engine/search/search.ts'
import { type Prediction, type StrategyName, strategies } from '../../engine/search/strategy.ts'

const grid = new Grid(8)

interface Device {
  readonly usableBytes: number
  readonly peakBytes: (microBatch: number) => number
  /** A trial that runs out of memory knows what it would have needed, as one that only counts shapes does. */
  readonly tellsNeeded?: boolean
}

/** BERT on an A10 as the product's published readings have it: 288 fits, 296 does not. */
const published: Device = { usableBytes: 21.75 * GIB, peakBytes: batch => (0.46 + 0.0725 * batch) * GIB }

function outcomeOn({ usableBytes, peakBytes, tellsNeeded }: Device, microBatch: number): Outcome {
  const needed = peakBytes(microBatch)
  if (needed <= usableBytes) return { kind: 'fits', peakBytes: needed }
  return { kind: 'out-of-memory', ...(tellsNeeded && { neededBytes: needed }) }
}

/** What a model of the memory that is off by `factor` would say. */
function predictionOf({ usableBytes, peakBytes }: Device, factor: number): Prediction {
  const predicted = (microBatch: number) => peakBytes(microBatch) * factor
  return { largest: exhaustive(grid, batch => predicted(batch) <= usableBytes), peakBytes: predicted, usableBytes }
}

function exhaustive(over: Grid, fits: (microBatch: number) => boolean): number {
  let index = -1
  while (index + 1 < over.length && fits(over.at(index + 1))) index++
  return index
}

interface SearchTerms {
  /** What the prediction is off by. */
  readonly factor?: number
  readonly prediction?: Prediction
  /** Sizes tried before. */
  readonly known?: readonly number[]
}

async function sizesTried(
  strategy: StrategyName,
  device: Device,
  { factor = 1, known = [], prediction = predictionOf(device, factor) }: SearchTerms = {},
) {
  const sizes: number[] = []
  const trialOf = (microBatch: number): Trial => ({
    microBatch,
    provenance: 'measured',
    outcome: outcomeOn(device, microBatch),
  })
  const result = await search(
    async microBatch => {
      sizes.push(microBatch)
      return trialOf(microBatch)
    },
    {
      strategy: strategies[strategy],
      space: { grid, prediction },
      known: known.map(trialOf),
    },
  )
  return { result, sizes, outOfMemory: sizes.filter(size => outcomeOn(device, size).kind === 'out-of-memory').length }
}

describe('the sizes each strategy tries on a card where 288 fits and 296 does not', () => {
  test('linear goes 8, 16, … 296, as the earlier tool did: 37 trials', async () => {
    const { result, sizes } = await sizesTried('linear', published)
    expect(result).toEqual({ kind: 'found', largest: 288 })
    expect(sizes).toHaveLength(37)
    expect([sizes[0], sizes[1], sizes.at(-1)]).toEqual([8, 16, 296])
  })

  test('predict-verify tries the prediction, and the next size because the margin leaves doubt', async () => {
    const { result, sizes } = await sizesTried('predict-verify', published)
    expect(result).toEqual({ kind: 'found', largest: 288 })
    expect(sizes).toEqual([288, 296])
  })

  test('where the next size would clearly be too much, it is not tried', async () => {
    const { result, sizes } = await sizesTried('predict-verify', { ...published, usableBytes: 21.4 * GIB })
    expect(result).toEqual({ kind: 'found', largest: 288 })
    expect(sizes).toEqual([288])
  })

  test('a prediction 2 % low is corrected by the first peak', async () => {
    const { result, sizes, outOfMemory } = await sizesTried('predict-verify', published, { factor: 1.02 })
    expect(result).toEqual({ kind: 'found', largest: 288 })
    expect(sizes.length).toBeLessThanOrEqual(3)
    expect(outOfMemory).toBeLessThanOrEqual(1)
  })

  test('after a reading at the current batch, a prediction 10 % off costs no out-of-memory', async () => {
    const { result, sizes, outOfMemory } = await sizesTried('predict-verify', published, { factor: 0.9, known: [16] })
    expect(result).toEqual({ kind: 'found', largest: 288 })
    expect(sizes.length).toBeLessThanOrEqual(3)
    expect(outOfMemory).toBeLessThanOrEqual(1)
  })

  test('what a trial out of memory would have needed counts: BERT at 64 tokens in TensorFlow.js, predicted by PyTorch', async () => {
    const tensorflowJs: Device = {
      usableBytes: 21.8 * GIB,
      peakBytes: batch => 1_845_895_112 + 337_068_841 * batch,
      tellsNeeded: true,
    }
    const pytorchBytes = (batch: number) => Math.max(2_206_721_024, 1_780_000_000 + 36_940_000 * batch)
    const pytorch = predictionOf({ ...tensorflowJs, peakBytes: pytorchBytes }, 1)
    const { result, sizes } = await sizesTried('predict-verify', tensorflowJs, { prediction: pytorch, known: [16] })
    expect(result).toEqual({ kind: 'found', largest: 56 })
    expect(sizes).toEqual([160, 64, 56])
  })

  test('bisect gallops from 1 and halves', async () => {
    const { result, sizes } = await sizesTried('bisect', published)
    expect(result).toEqual({ kind: 'found', largest: 288 })
    expect(sizes.length).toBeLessThanOrEqual(14)
  })

  test('a prediction one size low, with the next size at the very edge, costs one out-of-memory', async () => {
    const edge: Device = { usableBytes: 67.337 * GIB, peakBytes: batch => (0.01 + 0.1 * batch) * GIB }
    const { sizes, outOfMemory } = await sizesTried('predict-verify', edge, { factor: 1.002_408 })
    expect({ sizes, outOfMemory }).toEqual({ sizes: [664, 672, 680], outOfMemory: 1 })
  })

  test('a card on which one sample does not fit has no largest batch', async () => {
    const tiny: Device = { usableBytes: GIB, peakBytes: batch => (2 + batch) * GIB }
    for (const strategy of ['predict-verify', 'bisect', 'linear'] as const) {
      expect((await sizesTried(strategy, tiny)).result).toEqual({ kind: 'found', largest: undefined })
    }
  })

  test('below the step every size counts: 5 is found by all three', async () => {
    const big: Device = { usableBytes: 20 * GIB, peakBytes: batch => (1 + 3.5 * batch) * GIB }
    for (const strategy of ['predict-verify', 'bisect', 'linear'] as const) {
      expect((await sizesTried(strategy, big)).result).toEqual({ kind: 'found', largest: 5 })
    }
  })
})

/** Memory that grows by pieces, on a floor at first. */
const monotoneDevice = fc
  .record({
    fixed: fc.double({ min: 0.01, max: 12, noNaN: true }),
    perSample: fc.double({ min: 0.1, max: 6, noNaN: true }),
    floorUntil: fc.integer({ min: 0, max: 40 }),
    bendAt: fc.integer({ min: 1, max: 400 }),
    bend: fc.double({ min: 1, max: 1.3, noNaN: true }),
    usable: fc.double({ min: 5, max: 80, noNaN: true }),
  })
  .map(
    ({ fixed, perSample, floorUntil, bendAt, bend, usable }): Device => ({
      usableBytes: usable * GIB,
      peakBytes: batch => {
        const samples = Math.max(batch, floorUntil)
        return (fixed + perSample * (samples + Math.max(0, samples - bendAt) * (bend - 1))) * GIB
      },
    }),
  )

describe('over random devices', () => {
  test('whatever the prediction, the answer is the linear sweep’s', async () => {
    await fc.assert(
      fc.asyncProperty(monotoneDevice, fc.double({ min: 0.3, max: 3, noNaN: true }), async (device, factor) => {
        const linear = await sizesTried('linear', device)
        const ours = await sizesTried('predict-verify', device, { factor })
        expect(ours.result).toEqual(linear.result)
        expect(new Set(ours.sizes).size).toBe(ours.sizes.length)
        expect(ours.sizes.length).toBeLessThanOrEqual(24)
      }),
      { numRuns: 2_000 },
    )
  })

  test('a prediction that is at most one size off needs at most 4 trials and one out-of-memory', async () => {
    await fc.assert(
      fc.asyncProperty(monotoneDevice, fc.double({ min: 0.95, max: 1.05, noNaN: true }), async (device, factor) => {
        const largest = exhaustive(grid, batch => device.peakBytes(batch) <= device.usableBytes)
        fc.pre(Math.abs(predictionOf(device, factor).largest - largest) <= 1)
        const ours = await sizesTried('predict-verify', device, { factor })
        expect(ours.sizes.length).toBeLessThanOrEqual(4)
        expect(ours.outOfMemory).toBeLessThanOrEqual(largest < 0 ? 2 : 1)
      }),
      { numRuns: 2_000 },
    )
  })

  test('memory that dips by up to half a percent still ends on a size that fits, next to one that does not', async () => {
    await fc.assert(
      fc.asyncProperty(
        monotoneDevice,
        fc.integer(),
        fc.double({ min: 0.9, max: 1.1, noNaN: true }),
        async (device, seed, factor) => {
          const wavy: Device = {
            ...device,
            peakBytes: batch => device.peakBytes(batch) * (1 + 0.005 * Math.sin(batch * 12.9898 + seed)),
          }
          const { result } = await sizesTried('predict-verify', wavy, { factor })
          if (result.kind !== 'found') throw new Error(result.kind)
          const index = result.largest === undefined ? -1 : grid.indexOf(result.largest)
          if (index >= 0) expect(wavy.peakBytes(grid.at(index))).toBeLessThanOrEqual(wavy.usableBytes)
          expect(wavy.peakBytes(grid.at(index + 1))).toBeGreaterThan(wavy.usableBytes)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('a failed or timed-out trial ends the search and is never taken for a size that does not fit', async () => {
    const broken = fc.constantFrom<Outcome>(
      { kind: 'timed-out', afterMillis: 300_000 },
      { kind: 'failed', problem: { code: 'worker-died', message: 'it ended', fix: 'look' } },
    )
    await fc.assert(
      fc.asyncProperty(monotoneDevice, fc.nat({ max: 5 }), broken, async (device, failsAt, outcome) => {
        let count = 0
        const result = await search(
          async microBatch => ({
            microBatch,
            provenance: 'measured',
            outcome: count++ === failsAt ? outcome : outcomeOn(device, microBatch),
          }),
          { strategy: strategies['predict-verify'], space: { grid, prediction: predictionOf(device, 1.5) } },
        )
        if (count > failsAt) expect(result).toMatchObject({ kind: 'broken-off', trial: { outcome } })
        else expect(result.kind).toBe('found')
      }),
      { numRuns: 2_000 },
    )
  })
})

test('an aborted search is cancelled, not failed', async () => {
  const abort = new AbortController()
  const result = await search(
    async microBatch => {
      abort.abort()
      return {
        microBatch,
        provenance: 'measured',
        outcome: { kind: 'failed', problem: { code: 'worker-died', message: 'ended', fix: 'look' } },
      }
    },
    {
      strategy: strategies['predict-verify'],
      space: { grid, prediction: predictionOf(published, 1) },
      signal: abort.signal,
    },
  )
  expect(result).toEqual({ kind: 'cancelled' })
})
