import { expect, test } from 'vitest'
import { assess, reportedGpu } from '../engine/assess.ts'
import { readConfig } from '../engine/config/read.ts'
import { Footprints } from '../engine/estimate/footprints.ts'
import { defaultGpu, findGpu, usableBytes } from '../engine/gpus/catalogue.ts'
import { defaultPolicy } from '../engine/verdict/policy.ts'

test('measured throughput has points only at the sizes that were timed', () => {
  const reading = readConfig({ path: 'a.yaml', text: 'memorymark:\n  model: gpt2\n  batch_size: 4\n' })
  if (reading.kind !== 'training-config') throw new Error(reading.kind)
  const { throughputCurve } = assess(
    reading.spec,
    reading.model.config,
    { gpu: defaultGpu, policy: defaultPolicy, footprints: new Footprints(), hoursPerRun: 2, runsPerYear: 100 },
    {
      gpu: reportedGpu(defaultGpu),
      provenance: 'measured',
      errorBandPercent: 0,
      throughputProvenance: 'measured',
      largest: 16,
      advice: { recommended: { microBatch: 16, gradientAccumulation: 1 } },
      trials: [
        { microBatch: 16, provenance: 'measured', outcome: { kind: 'fits', stepMillis: 160, stepMillisSpread: 1 } },
        { microBatch: 8, provenance: 'measured', outcome: { kind: 'fits', stepMillis: 300 } },
        { microBatch: 4, provenance: 'measured', outcome: { kind: 'fits', stepMillis: 50, stepMillisSpread: 1 } },
        { microBatch: 24, provenance: 'measured', outcome: { kind: 'out-of-memory' } },
      ],
      fits: microBatch => microBatch <= 16,
      peakBytes: () => usableBytes(defaultGpu) / 2,
      samplesPerSecond: ({ microBatch }) => (microBatch === 16 ? 100 : 80),
    },
  )
  expect(throughputCurve).toEqual([
    { microBatch: 4, samplesPerSecond: 80 },
    { microBatch: 16, samplesPerSecond: 100 },
  ])
})

test('of a run that makes answers, no speed of its steps is taken for a gain', () => {
  const text = `base_model: meta-llama/Llama-3.2-1B
micro_batch_size: 1
gradient_accumulation_steps: 8
sequence_len: 512
bf16: true
rl: grpo
trl:
  max_completion_length: 128
  num_generations: 8
`
  const reading = readConfig({ path: 'a.yaml', text })
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  const gpu = findGpu('a100-80gb')
  if (gpu === undefined) throw new Error('no A100')
  const { recommended, current, speedup, savingsPerYearUsd, rightSizing, verdict } = assess(
    reading.spec,
    reading.model.config,
    { gpu, policy: defaultPolicy, footprints: new Footprints(), hoursPerRun: 2, runsPerYear: 100 },
  )
  expect(recommended?.samplesPerSecond).toBeGreaterThan(1.5 * current.samplesPerSecond)
  expect({ speedup, savingsPerYearUsd, rightSizing }).toEqual({
    speedup: 1,
    savingsPerYearUsd: 0,
    rightSizing: undefined,
  })
  expect(recommended?.costPerRunUsd).toBe(current.costPerRunUsd)
  expect(verdict).toEqual({ state: 'fine', reasons: [] })
})
