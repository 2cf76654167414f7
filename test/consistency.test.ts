/** What a report says of one config fits together, whatever the config, the model and the GPU. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { adviseFile } from '../engine/advise.ts'
import { analyze } from '../engine/analyze.ts'
import type { SourceFile } from '../engine/config/reading.ts'
import { FootprintCache } from '../engine/estimate/footprint-cache.ts'
import { type Gpu, gpus } from '../engine/gpus/catalogue.ts'
import { findModel, modelIds } from '../engine/models/catalogue.ts'
import { peakOf } from '../engine/probes/trial.ts'
import type { AnalysedConfig, OperatingPoint } from '../engine/report/schema.ts'
import { accumulatesGradients } from '../engine/training/batches.ts'

const RUNS = 150
const now = new Date('2026-03-01T12:00:00Z')

const settings = fc.record({
  model: fc.constantFrom(...modelIds),
  gpu: fc.constantFrom(...gpus),
  batch_size: fc.integer({ min: 1, max: 300 }),
  gradient_accumulation: fc.constantFrom(1, 1, 2, 3, 8),
  precision: fc.constantFrom('fp32', 'bf16', 'amp-bf16', 'amp-fp16'),
  optimizer: fc.constantFrom('adamw', 'adamw-fused', 'sgd', 'adafactor', 'adamw-8bit'),
  tokens: fc.constantFrom(64, 128, 512, 1_024),
  sharing: fc.constantFrom(undefined, undefined, 'ddp', 'fsdp', 'zero1', 'zero2', 'zero3'),
  step: fc.constantFrom('training', 'training', 'training', 'forward-backward'),
})

type Settings = typeof settings extends fc.Arbitrary<infer T> ? T : never

function fileOf({ model, gpu: _, tokens, sharing, ...rest }: Settings): SourceFile {
  const maxTokens = findModel(model)?.maxPositions
  const written = {
    model,
    ...rest,
    ...(maxTokens !== undefined && { sequence_length: Math.min(tokens, maxTokens) }),
    ...(sharing !== undefined && { gpus: 4, sharding: sharing }),
  }
  return { path: 'train.json', text: JSON.stringify({ memorymark: written }) }
}

async function analysed(drawn: Settings, gpu: Gpu | 'unnamed' = drawn.gpu): Promise<AnalysedConfig> {
  const { configs } = await analyze([fileOf(drawn)], {
    ...(gpu !== 'unnamed' && { gpu }),
    now,
  })
  const [config] = configs
  if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
  return config
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1e-6 * Math.abs(other)
}

/** The micro-batch of the lever that changes nothing else. */
async function smallerMicroBatch(drawn: Settings): Promise<number | undefined> {
  const levers = await adviseFile(fileOf(drawn), { gpu: drawn.gpu, now, combinations: 0 }, new FootprintCache())
  return levers.find(({ changes, fit }) => changes.join() === 'micro-batch' && fit === 'fits')?.microBatch
}

/** What blocks though it might not hold, in words. */
function regretsIn(config: AnalysedConfig): string[] {
  const { current, gpu, verdict, errorBand, ratioBand, speedup, hoursPerRun, runsPerYear, spec } = config
  if (verdict.state !== 'blocked') return []
  const lowestPeak = current.peakBytes * (1 + (errorBand?.lowPercent ?? 0) / 100)
  if (!current.fits) return lowestPeak > gpu.usableBytes ? [] : ['a smaller peak within the band would fit']
  const leastSpeedup = speedup * (ratioBand?.low ?? 1)
  const hoursPerYear = hoursPerRun * runsPerYear * spec.gpus
  const leastHours = hoursPerYear * (1 - 1 / leastSpeedup)
  const isWorth = leastHours >= 50 || leastHours * gpu.pricePerHourUsd >= 50
  return [
    ...(leastSpeedup > 1.2 ? [] : ['the gain may be less than a fifth']),
    ...(config.recommended?.effectiveBatch === current.effectiveBatch
      ? []
      : ['another effective batch changes the training']),
    ...(isWorth ? [] : ['the gain may be worth little']),
  ]
}

/** What does not fit together, in words. */
function contradictionsIn(config: AnalysedConfig): string[] {
  const { spec, gpu, current, recommended, largest, beyond, breakdown, trials, verdict } = config
  const accumulates = (point: OperatingPoint) => accumulatesGradients(spec, point)
  const found: string[] = []
  const must = (holds: boolean, what: string) => void (holds || found.push(what))

  const parts = Object.values(breakdown).reduce((sum, bytes) => sum + bytes, 0)
  must(isNear(parts, current.peakBytes), 'the parts add up to the peak')
  for (const point of [current, recommended, largest]) {
    if (point === undefined) continue
    const trial = trials.find(
      tried => tried.microBatch === point.microBatch && (tried.accumulates ?? false) === accumulates(point),
    )
    must(trial !== undefined, 'every plan was tried')
    must((trial?.outcome.kind === 'fits') === point.fits, 'a trial says of a plan whether it fits')
    must(trial !== undefined && peakOf(trial.outcome) === point.peakBytes, 'a trial has the peak of its plan')
  }
  must(recommended?.fits ?? true, 'the recommendation fits')
  must((recommended?.peakBytes ?? 0) <= gpu.usableBytes * 0.95, 'the recommendation leaves its margin')
  must((recommended?.microBatch ?? 0) <= (largest?.microBatch ?? 0), 'the recommendation is no larger than the largest')
  must(beyond?.fits ?? true, 'what lies beyond fits')
  // With what lies between the allocator's blocks, which may decide.
  const neededBytes = current.reservedBytes ?? current.peakBytes
  const isSafe = neededBytes * (1 + (config.errorBand?.highPercent ?? 0) / 100) <= gpu.usableBytes * 0.95
  must(!isSafe || current.microBatch <= (largest?.microBatch ?? 0), 'what surely fits is no larger than the largest')
  must(current.fits || verdict.reasons.some(({ kind }) => kind === 'does-not-fit'), 'what does not fit is a reason')
  return found
}

test('no config is told what contradicts itself', async () => {
  await fc.assert(
    fc.asyncProperty(settings, async drawn => {
      const config = await analysed(drawn)
      expect([...contradictionsIn(config), ...regretsIn(config)]).toEqual([])
    }),
    { numRuns: RUNS },
  )
})

test('nothing blocks where nobody has named the GPU', async () => {
  await fc.assert(
    fc.asyncProperty(settings, async drawn => {
      const { verdict, assumed, cardFits = [] } = await analysed(drawn, 'unnamed')
      expect(verdict.state).not.toBe('blocked')
      expect(assumed).toContain('gpu')
      expect(cardFits.length).toBeGreaterThan(3)
    }),
    { numRuns: RUNS / 5 },
  )
})

// Of a power of two, all divisors are among the sizes that a search tries.
const powersOfTwo = settings
  .filter(({ gradient_accumulation }) => gradient_accumulation !== 3)
  .map(drawn => ({ ...drawn, batch_size: 2 ** Math.ceil(Math.log2(drawn.batch_size)) }))

test('the smaller micro-batch that frees enough memory is the recommended one', async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(powersOfTwo, async drawn => {
      const { current, recommended } = await analysed(drawn)
      if (current.fits || recommended?.effectiveBatch !== current.effectiveBatch) return
      const smaller = await smallerMicroBatch(drawn)
      if (smaller === undefined) return
      compared++
      expect(smaller).toBe(recommended.microBatch)
    }),
    { numRuns: RUNS },
  )
  expect(compared).toBeGreaterThan(10)
})
