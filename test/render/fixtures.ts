/** Reports to render. The figures are illustrative: they have the shape and size of real ones and were measured nowhere. */
import type { Problem } from '../../engine/base/errors.ts'
import { GIB } from '../../engine/base/units.ts'
import type { AdvisedLever } from '../../engine/report/advised-levers.ts'
import {
  type AnalysedConfig,
  type ConfigResult,
  type OperatingPoint,
  REPORT_SCHEMA,
  type Report,
  type ReportedGpu,
  report as reportSchema,
  type UnanalysedConfig,
} from '../../engine/report/schema.ts'
import type { Policy } from '../../engine/verdict/policy.ts'

/** A team's own, so that every kind of finding can block. */
const strictPolicy: Policy = {
  failOn: [{ kind: 'waste', abovePercent: 40 }],
  warnOn: [{ kind: 'throughput-loss', abovePercent: 5 }],
}

const gib = (figure: number) => Math.round(figure * GIB)

/** Parsed, as every report is before it is rendered. */
export function reportOf(configs: readonly ConfigResult[], overrides: Partial<Report> = {}): Report {
  return reportSchema.parse({
    schema: REPORT_SCHEMA,
    toolVersion: '0.1.0',
    createdAt: '2026-11-20T09:00:00Z',
    policy: strictPolicy,
    configs,
    ...overrides,
  })
}

export const a10: ReportedGpu = {
  id: 'a10',
  name: 'A10',
  totalBytes: gib(22.1),
  usableBytes: gib(21.7),
  pricePerHourUsd: 0.6,
  priceSource: 'list price of a public cloud',
  priceDate: '2026-11-01',
}

const t4: ReportedGpu = {
  id: 't4',
  name: 'T4',
  totalBytes: gib(14.6),
  usableBytes: gib(14.2),
  pricePerHourUsd: 0.35,
  priceSource: 'list price of a public cloud',
  priceDate: '2026-11-01',
}

export function point(overrides: Partial<OperatingPoint>): OperatingPoint {
  const merged = {
    microBatch: 16,
    gradientAccumulation: 1,
    fits: true,
    peakBytes: gib(2.4),
    samplesPerSecond: 310,
    costPerRunUsd: 1.2,
    ...overrides,
  }
  return { effectiveBatch: merged.microBatch * merged.gradientAccumulation, ...merged }
}

/** BERT at a batch far too small for its GPU; the recommendation keeps the effective batch. */
export function wasteful(overrides: Partial<AnalysedConfig> = {}): AnalysedConfig {
  return {
    status: 'analysed',
    path: 'configs/bert-mnli.yaml',
    dialect: 'Hugging Face Trainer',
    spec: {
      model: 'google-bert/bert-base-uncased',
      task: 'sequence-classification',
      framework: 'pytorch',
      step: 'training',
      microBatch: 16,
      gradientAccumulation: 8,
      gpus: 1,
      sequenceLength: 128,
      labels: 3,
      precision: 'fp32',
      optimizer: 'adamw',
      attention: 'sdpa',
      gradientCheckpointing: false,
      paddedBatches: false,
      loop: 'trainer',
    },
    batchSizeAt: { line: 4, column: 30 },
    gradientAccumulationAt: { line: 5, column: 30 },
    change: [
      { line: 4, before: 'per_device_train_batch_size: 16', after: 'per_device_train_batch_size: 128' },
      { line: 5, before: 'gradient_accumulation_steps: 8', after: 'gradient_accumulation_steps: 1' },
    ],
    gpu: a10,
    provenance: 'estimated',
    errorBandPercent: 3,
    throughputProvenance: 'modelled',
    ratioBand: { low: 0.9, high: 1.2 },
    current: point({ gradientAccumulation: 8 }),
    recommended: point({ microBatch: 128, peakBytes: gib(10.8), samplesPerSecond: 430, costPerRunUsd: 0.86 }),
    largest: point({ microBatch: 256, peakBytes: gib(20.4), samplesPerSecond: 432, costPerRunUsd: 0.86 }),
    breakdown: {
      weights: gib(0.41),
      gradients: gib(0.41),
      optimizerState: gib(0.82),
      activations: gib(0.7),
      logits: 0,
      temporaries: gib(0.05),
      inputs: 32_768,
      workspace: gib(0.02),
    },
    peakMoment: 'optimizer step',
    speedup: 1.39,
    savingsPerRunUsd: 0.34,
    savingsPerYearUsd: 34,
    rightSizing: { gpu: t4, costPerRunUsd: 0.9 },
    trials: [
      {
        microBatch: 16,
        accumulates: true,
        provenance: 'estimated',
        outcome: { kind: 'fits', peakBytes: gib(2.4), reservedBytes: gib(2.5) },
      },
      { microBatch: 64, provenance: 'estimated', outcome: { kind: 'fits', peakBytes: gib(6.1) } },
      {
        microBatch: 256,
        provenance: 'estimated',
        outcome: { kind: 'fits', peakBytes: gib(20.4), reservedBytes: gib(20.6) },
      },
      { microBatch: 288, provenance: 'estimated', outcome: { kind: 'out-of-memory', neededBytes: gib(22.8) } },
    ],
    hoursPerRun: 2,
    runsPerYear: 100,
    assumptions: ['The config sets no sequence length: 128 tokens are assumed.'],
    verdict: {
      state: 'blocked',
      reasons: [{ kind: 'condition', condition: { kind: 'waste', abovePercent: 40 }, actual: 88.9 }],
    },
    ...overrides,
  }
}

export function fine(overrides: Partial<AnalysedConfig> = {}): AnalysedConfig {
  const { rightSizing: _rightSizing, ...base } = wasteful()
  const current = point({ microBatch: 16, peakBytes: gib(19.9), samplesPerSecond: 24, costPerRunUsd: 1.2 })
  return {
    ...base,
    path: 'configs/gpt2-wikitext.yaml',
    spec: {
      ...base.spec,
      model: 'openai-community/gpt2',
      task: 'causal-lm',
      sequenceLength: 1_024,
      gradientAccumulation: 1,
    },
    current,
    recommended: current,
    largest: current,
    speedup: 1,
    savingsPerRunUsd: 0,
    savingsPerYearUsd: 0,
    trials: [],
    assumptions: [],
    verdict: { state: 'fine', reasons: [] },
    ...overrides,
  }
}

/** Too large for its GPU; the recommendation changes the effective batch. */
export function tooLarge(overrides: Partial<AnalysedConfig> = {}): AnalysedConfig {
  const { rightSizing: _rightSizing, ...base } = wasteful()
  return {
    ...base,
    path: 'configs/gpt2-large.yaml',
    change: [
      { line: 3, before: '  micro_batch_size: 12', after: '  micro_batch_size: 7' },
      { line: 6, before: '  gradient_accumulation_steps: 1', after: '  gradient_accumulation_steps: 2' },
    ],
    spec: {
      ...base.spec,
      model: 'openai-community/gpt2-large',
      task: 'causal-lm',
      microBatch: 12,
      gradientAccumulation: 1,
    },
    current: point({ microBatch: 12, fits: false, peakBytes: gib(31.2), samplesPerSecond: 9, costPerRunUsd: 1.2 }),
    recommended: point({ microBatch: 7, gradientAccumulation: 2, peakBytes: gib(17), samplesPerSecond: 8.6 }),
    largest: point({ microBatch: 9, peakBytes: gib(20.9), samplesPerSecond: 8.8 }),
    peakMoment: 'backward pass of the loss',
    breakdown: {
      weights: gib(2.9),
      gradients: gib(2.9),
      optimizerState: gib(5.8),
      activations: gib(14.1),
      logits: gib(4.6),
      temporaries: gib(0.88),
      inputs: 196_608,
      workspace: gib(0.02),
    },
    trials: [
      { microBatch: 7, accumulates: true, provenance: 'estimated', outcome: { kind: 'fits', peakBytes: gib(17) } },
      { microBatch: 8, provenance: 'estimated', outcome: { kind: 'fits', peakBytes: gib(17.5) } },
      { microBatch: 9, provenance: 'estimated', outcome: { kind: 'fits', peakBytes: gib(20.9) } },
      { microBatch: 10, provenance: 'estimated', outcome: { kind: 'out-of-memory', neededBytes: gib(24.3) } },
      { microBatch: 12, provenance: 'estimated', outcome: { kind: 'out-of-memory', neededBytes: gib(31.2) } },
    ],
    verdict: { state: 'blocked', reasons: [{ kind: 'does-not-fit' }] },
    ...overrides,
  }
}

const band = { lowPercent: -4, highPercent: 5 }

/** Of `tooLarge`. */
export const levers: readonly AdvisedLever[] = [
  {
    changes: ['micro-batch'],
    effect: 'none',
    fit: 'fits',
    peakBytes: gib(17),
    errorBand: band,
    microBatch: 6,
    gradientAccumulation: 2,
    largestMicroBatch: 6,
    speed: { ratio: 0.95, range: { low: 0.8, high: 1.1 } },
    lines: [
      { line: 3, before: '  micro_batch_size: 12', after: ['  micro_batch_size: 6'] },
      { line: 6, before: '  gradient_accumulation_steps: 1', after: ['  gradient_accumulation_steps: 2'] },
    ],
  },
  {
    changes: ['gradient-checkpointing'],
    effect: 'none',
    fit: 'fits',
    peakBytes: gib(18.1),
    errorBand: band,
    microBatch: 12,
    gradientAccumulation: 1,
    speed: { ratio: 0.75, range: { low: 0.65, high: 0.85 } },
    lines: [{ line: 4, before: '  epochs: 3', after: ['  gradient_checkpointing: true', '  epochs: 3'] }],
  },
  {
    changes: ['8-bit-optimizer', 'expandable-segments'],
    effect: 'numerics',
    fit: 'may-fit',
    peakBytes: gib(21.2),
    errorBand: band,
    microBatch: 12,
    gradientAccumulation: 1,
    environment: 'PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True',
    lines: [{ line: 5, before: '  optim: adamw', after: ['  optim: adamw_8bit'] }],
  },
  {
    changes: ['another-card'],
    effect: 'none',
    fit: 'fits',
    peakBytes: gib(31.2),
    errorBand: band,
    microBatch: 12,
    gradientAccumulation: 1,
    gpu: { id: 'a6000', name: 'RTX A6000', pricePerHourUsd: 0.8 },
    lines: [],
  },
]

export function slow(overrides: Partial<AnalysedConfig> = {}): AnalysedConfig {
  return wasteful({
    path: 'configs/resnet50.yaml',
    verdict: {
      state: 'warning',
      reasons: [{ kind: 'condition', condition: { kind: 'throughput-loss', abovePercent: 5 }, actual: 28 }],
    },
    ...overrides,
  })
}

export function unreadable(overrides: Partial<Problem> = {}): UnanalysedConfig {
  const path = overrides.file ?? 'configs/broken.yaml'
  return {
    status: 'not-analysed',
    path,
    problems: [
      {
        code: 'batch-size-not-a-number',
        message: 'the batch size is "sixteen", not a whole number',
        fix: 'Write a number from 1 to 1,000,000.',
        file: path,
        line: 7,
        column: 30,
        field: 'per_device_train_batch_size',
        ...overrides,
      },
    ],
  }
}

/** One hostile string in every place that a config's author, or a forged artifact, can reach. */
export function hostileReport(text: string): Report {
  const short = Array.from(text).slice(0, 90).join('')
  const gpu = { ...a10, name: short, priceSource: short, priceDate: short }
  const failed = {
    microBatch: 64,
    provenance: 'measured',
    outcome: { kind: 'failed', problem: { code: 'failed', message: text, fix: text } },
  } as const
  const everywhere = {
    path: text,
    dialect: short,
    gpu,
    peakMoment: short,
    assumptions: [text.slice(0, 500)],
    trials: [...wasteful().trials, failed],
    rightSizing: { gpu, costPerRunUsd: 1 },
    spec: { ...wasteful().spec, model: short },
    levers: levers.map(lever => (lever.gpu ? { ...lever, gpu: { ...lever.gpu, name: short } } : lever)),
  }
  return reportOf(
    [
      wasteful(everywhere),
      tooLarge(everywhere),
      fine({ path: text, gpu }),
      unreadable({ file: text, field: text.slice(0, 500), message: text, fix: text }),
    ],
    { toolVersion: short },
  )
}
