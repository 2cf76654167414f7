import { expect, test } from 'vitest'
import { assess } from '../engine/assess.ts'
import { readConfig } from '../engine/config/read.ts'
import { FootprintCache } from '../engine/estimate/footprint-cache.ts'
import { defaultGpu, findGpu, usableBytes } from '../engine/gpus/catalogue.ts'
import { peakOf } from '../engine/probes/trial.ts'
import { reportedGpu } from '../engine/report/other-gpus.ts'
import type { TrainingSpec } from '../engine/training/spec.ts'
import { defaultPolicy } from '../engine/verdict/policy.ts'
import { knownModel, specOf } from './estimate/specs.ts'

test('measured throughput has points only at the sizes that were timed', () => {
  const reading = readConfig({ path: 'a.yaml', text: 'memorymark:\n  model: gpt2\n  batch_size: 4\n' })
  if (reading.kind !== 'training-config') throw new Error(reading.kind)
  const { throughputCurve } = assess(
    reading.spec,
    reading.model.config,
    { gpu: defaultGpu, policy: defaultPolicy, footprints: new FootprintCache(), hoursPerRun: 2, runsPerYear: 100 },
    {
      gpu: reportedGpu(defaultGpu),
      provenance: 'measured',
      errorBand: { lowPercent: 0, highPercent: 0 },
      ratioBand: { low: 1, high: 1 },
      throughputProvenance: 'measured',
      largest: 16,
      advice: { recommended: { microBatch: 16, gradientAccumulation: 1 } },
      trials: [
        { microBatch: 16, provenance: 'measured', outcome: { kind: 'fits', stepMillis: 160, stepMillisSpread: 1 } },
        { microBatch: 8, provenance: 'measured', outcome: { kind: 'fits', stepMillis: 300 } },
        { microBatch: 4, provenance: 'measured', outcome: { kind: 'fits', stepMillis: 50, stepMillisSpread: 1 } },
        { microBatch: 24, provenance: 'measured', outcome: { kind: 'out-of-memory' } },
      ],
      fits: ({ microBatch }) => microBatch <= 16,
      peakBytes: () => usableBytes(defaultGpu) / 2,
      samplesPerSecond: ({ microBatch }) => (microBatch === 16 ? 100 : 80),
    },
  )
  expect(throughputCurve).toEqual([
    { microBatch: 4, samplesPerSecond: 80 },
    { microBatch: 16, samplesPerSecond: 100 },
  ])
})

test('what the allocator reserves is not told of a batch that takes more than twice the GPU’s memory', () => {
  const gpu = findGpu('a10')
  if (gpu === undefined) throw new Error('no A10')
  const currentAt = (microBatch: number) =>
    assess(specOf('gpt2', { microBatch, sequenceLength: 1_024 }), knownModel('gpt2').config, {
      gpu,
      policy: defaultPolicy,
      footprints: new FootprintCache(),
      hoursPerRun: 2,
      runsPerYear: 100,
    }).current
  const all = Array.from({ length: 30 }, (_, index) => currentAt(index + 1))
  const sizes = Object.groupBy(all, ({ peakBytes }) => (peakBytes > 2 * usableBytes(gpu) ? 'far' : 'near'))

  expect(sizes.near?.some(({ fits, peakBytes }) => !fits && peakBytes > usableBytes(gpu))).toBe(true)
  expect(sizes.near?.filter(({ reservedBytes = 0, peakBytes }) => reservedBytes < peakBytes)).toEqual([])
  expect(sizes.far?.length).toBeGreaterThan(0)
  expect(sizes.far?.map(({ reservedBytes }) => reservedBytes)).toEqual(sizes.far?.map(() => undefined))
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
    { gpu, policy: defaultPolicy, footprints: new FootprintCache(), hoursPerRun: 2, runsPerYear: 100 },
  )
  expect(recommended?.samplesPerSecond).toBeGreaterThan(1.5 * (current.samplesPerSecond ?? Number.NaN))
  expect({ speedup, savingsPerYearUsd, rightSizing }).toEqual({
    speedup: 1,
    savingsPerYearUsd: 0,
    rightSizing: undefined,
  })
  expect(recommended?.costPerRunUsd).toBe(current.costPerRunUsd)
  expect(verdict).toEqual({ state: 'fine', reasons: [] })
})

const options = {
  gpu: defaultGpu,
  policy: defaultPolicy,
  footprints: new FootprintCache(),
  hoursPerRun: 2,
  runsPerYear: 100,
}

test.each<[id: string, changes: Partial<TrainingSpec>]>([
  ['gpt2-large', { microBatch: 64 }],
  ['gpt2-large', { microBatch: 32, gradientAccumulation: 2 }],
  ['gpt2-large', { microBatch: 2, gradientAccumulation: 8 }],
  ['gpt2-large', { microBatch: 1, gradientAccumulation: 1 }],
  ['bert', { microBatch: 8, gradientAccumulation: 4, task: 'sequence-classification' }],
  ['gpt2-medium', { microBatch: 16, gradientAccumulation: 2, gpus: 4, sharding: 'fsdp' }],
  ['bert', { microBatch: 4, gradientAccumulation: 4, step: 'forward-backward', task: 'sequence-classification' }],
])('%s %j: every plan that is told holds what a config that says so would hold', (id, changes) => {
  const { config } = knownModel(id)
  const spec = specOf(id, { task: 'causal-lm', precision: 'amp-bf16', sequenceLength: 512, ...changes })
  const told = assess(spec, config, options)
  for (const point of [told.recommended, told.beyond, told.largest]) {
    if (point === undefined) continue
    const { microBatch, gradientAccumulation } = point
    const { current } = assess({ ...spec, microBatch, gradientAccumulation }, config, options)
    expect(point).toMatchObject({ fits: current.fits, peakBytes: current.peakBytes })
    expect(point.fits).toBe(true)
  }
})

test('beside accumulated gradients a batch takes more, and the trials say which they are', () => {
  const { config } = knownModel('gpt2-large')
  const spec = specOf('gpt2-large', { task: 'causal-lm', precision: 'amp-bf16', microBatch: 64, sequenceLength: 512 })
  const { recommended, trials } = assess(spec, config, options)
  if (recommended === undefined) throw new Error('no recommendation')
  expect(recommended.gradientAccumulation).toBeGreaterThan(1)
  const peaks = trials
    .filter(({ microBatch }) => microBatch === recommended.microBatch)
    .map(({ accumulates = false, outcome }) => [accumulates, peakOf(outcome)])
  expect(peaks).toHaveLength(2)
  const bytes = new Map(peaks as [boolean, number][])
  expect(bytes.get(true)).toBe(recommended.peakBytes)
  // Gradients of 774 million float32 parameters, less what of them the end of the backward pass held anyway.
  const gradients = (bytes.get(true) ?? 0) - (bytes.get(false) ?? 0)
  expect(gradients).toBeGreaterThan(0)
  expect(gradients).toBeLessThanOrEqual(774_030_080 * 4 * 1.01)
})

test('a gain on images may be none, since their loader may set the pace, and does not block', () => {
  const gpu = findGpu('a100-80gb')
  if (gpu === undefined) throw new Error('no A100')
  const judged = (text: string) => {
    const reading = readConfig({ path: 'a.yaml', text })
    if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
    return assess(reading.spec, reading.model.config, {
      gpu,
      policy: defaultPolicy,
      footprints: new FootprintCache(),
      hoursPerRun: 100,
      runsPerYear: 100,
    })
  }
  const images = judged('model: resnet50\ndataset: imagenet\nbatch_size: 8\ngrad_accum_steps: 32\nopt: sgd\n')
  expect(images.speedup).toBeGreaterThan(1.5)
  expect(images.speedupRange?.low).toBeCloseTo(1)
  expect(images.savingsPerYearRangeUsd?.low).toBeCloseTo(0)
  expect(images.verdict.state).toBe('warning')
  const text = judged(
    'memorymark:\n  model: bert\n  batch_size: 2\n  gradient_accumulation: 64\n  sequence_length: 128\n',
  )
  expect(text.speedupRange?.low).toBeGreaterThan(1.2)
  expect(text.verdict.state).toBe('blocked')
})

test('70B QLoRA on two A100 at batch 4, which ran out of memory, is not said to fit', () => {
  const spec: TrainingSpec = {
    ...specOf('meta-llama/Llama-2-70b-hf', {
      microBatch: 4,
      sequenceLength: 4_096,
      precision: 'bf16',
      loop: 'trainer',
    }),
    gradientCheckpointing: true,
    attention: 'flash',
    quantization: 'nf4-double',
    gpus: 2,
    sharding: 'fsdp',
    lora: { rank: 16, targets: ['q_proj', 'k_proj', 'v_proj', 'o_proj'], dropout: 0.1 },
    versions: { transformers: '4.48.1', torch: '2.4.1', accelerate: '1.0.1' },
  }
  const gpu = findGpu('a100-80gb')
  if (gpu === undefined) throw new Error('no A100')
  const { config } = knownModel('meta-llama/Llama-2-70b-hf')
  const terms = { gpu, policy: defaultPolicy, footprints: new FootprintCache(), hoursPerRun: 2, runsPerYear: 100 }
  const { current, largest, verdict } = assess(spec, config, terms)
  expect(current).toMatchObject({ fits: true, mayNotFit: true })
  expect(largest?.microBatch).toBeLessThan(4)
  expect(verdict).toMatchObject({ state: 'warning', reasons: [{ kind: 'does-not-fit', spared: 'within-error' }] })
  const smaller = assess({ ...spec, microBatch: largest?.microBatch ?? 1 }, config, terms)
  expect(smaller.current.mayNotFit).toBeUndefined()
})
