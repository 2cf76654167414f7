import { expect, test } from 'vitest'
import { assess, reportedGpu } from '../engine/assess.ts'
import { readConfig } from '../engine/config/read.ts'
import { Footprints } from '../engine/estimate/footprints.ts'
import { defaultGpu, usableBytes } from '../engine/gpus/catalogue.ts'
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
