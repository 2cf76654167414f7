import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GIB, KIB, MIB } from '../../engine/base/units.ts'
import { Footprint } from '../../engine/estimate/footprint.ts'
import { byteKinds } from '../../engine/estimate/tape/storage.ts'
import { defaultGpu, usableBytes } from '../../engine/gpus/catalogue.ts'
import { supportsCheckpointing } from '../../engine/models/architecture.ts'
import { EstimateProbe } from '../../engine/probes/estimate.ts'
import { Grid } from '../../engine/search/grid.ts'
import { largestBatch } from '../../engine/search/largest.ts'
import { optimizers, precisions } from '../../engine/training/choices.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf, knownModel, specOf, WORKSPACE_BYTES } from './specs.ts'

/** BERT-base with two labels, in fp32. */
const PARAMETER_BYTES = 4 * 109_483_778
/** The word embeddings, 30,522 × 768: the largest tensor. */
const LARGEST_TENSOR_BYTES = 4 * 30_522 * 768

/** At a batch so small that activations vanish beside the parameters. */
function tinyPeakBytes(changes: Partial<TrainingSpec>): number {
  return footprintOf('bert', { sequenceLength: 1, ...changes }).peak(1, 0).bytes
}

describe('the published readings of BERT on an A10', () => {
  const footprint = footprintOf('bert', { step: 'forward-backward' })

  test.each([
    [8, 1.04],
    [16, 1.62],
    [288, 21.33],
  ])('at batch %i: %s GiB, within 3 %%', (batch, readGib) => {
    const errorShare = footprint.peak(batch, WORKSPACE_BYTES).bytes / GIB / readGib - 1
    expect(Math.abs(errorShare)).toBeLessThan(0.03)
  })

  test('the largest batch is 288', () => {
    expect(largestBatch(new EstimateProbe(footprint, defaultGpu), new Grid())).toBe(288)
  })
})

describe('the optimizer, at a batch of one token', () => {
  test.each([
    ['adamw', 5 * PARAMETER_BYTES],
    ['adamw-loop', 4 * PARAMETER_BYTES + 2 * LARGEST_TENSOR_BYTES],
    ['adamw-fused', 4 * PARAMETER_BYTES],
    ['sgd', 2 * PARAMETER_BYTES],
    ['sgd-momentum', 3 * PARAMETER_BYTES],
  ] as const)('%s peaks at %d bytes', (optimizer, expectedBytes) => {
    const overheadBytes = tinyPeakBytes({ optimizer }) - expectedBytes
    expect(overheadBytes).toBeGreaterThanOrEqual(0)
    expect(overheadBytes).toBeLessThan(64 * KIB)
  })

  test('a plain loop still holds the logits, keys and values of its outputs while it steps, the Trainer does not', () => {
    const peaks = (['plain', 'trainer'] as const).map(loop =>
      footprintOf('gpt2', { sequenceLength: 64, loop }).peak(1, 0),
    )
    const [plain, trainer] = peaks
    expect(peaks.map(({ moment }) => moment)).toEqual(['the optimizer', 'the optimizer'])
    const [logits, cache] = [64 * 50_257 * 4, 2 * 12 * 64 * 768 * 4]
    // To what the allocator rounds.
    expect((plain?.bytes ?? 0) - (trainer?.bytes ?? 0)).toBeCloseTo(logits + cache, -3)
  })

  test('AdamW of bf16 weights holds its state in bf16 too', () => {
    expect(tinyPeakBytes({ precision: 'bf16' }) / (2.5 * PARAMETER_BYTES)).toBeCloseTo(1, 3)
  })

  test('paged AdamW leaves to PyTorch only the state of small tensors, and the constants of 8-bit blocks', () => {
    const overheadBytes = (['paged-adamw', 'paged-adamw-8bit'] as const).map(
      optimizer => tinyPeakBytes({ optimizer }) - 2 * PARAMETER_BYTES,
    )
    const [whole = 0, in8Bits = 0] = overheadBytes
    expect(whole).toBeGreaterThan(0)
    expect(whole).toBeLessThan(0.01 * PARAMETER_BYTES)
    expect(in8Bits / PARAMETER_BYTES).toBeCloseTo(2 / 256, 2)
    expect(footprintOf('bert', { optimizer: 'paged-adamw' }).optimized.pagedBytes / PARAMETER_BYTES).toBeCloseTo(2, 2)
  })

  test('a forward-backward step has none: weights and gradients alone', () => {
    const { bytes, breakdown } = footprintOf('bert', { sequenceLength: 1, step: 'forward-backward' }).peak(1, 0)
    expect(breakdown.optimizerState).toBe(0)
    expect(bytes / (2 * PARAMETER_BYTES)).toBeCloseTo(1, 3)
  })
})

describe('where activations dominate', () => {
  test('the peak is affine in the batch, and meets the axis at weights and AdamW state', () => {
    const footprint = footprintOf('bert')
    const [at128, at256] = [footprint.peak(128, 0).bytes, footprint.peak(256, 0).bytes]
    expect((2 * at128 - at256) / PARAMETER_BYTES).toBeCloseTo(3, 1)
  })

  test('accumulation keeps the gradients through the next forward pass: once the parameters more', () => {
    const [once, accumulated] = [1, 4].map(gradientAccumulation =>
      footprintOf('bert', { gradientAccumulation }).peak(128, 0),
    )
    const differenceBytes = (accumulated?.bytes ?? 0) - (once?.bytes ?? 0)
    expect(differenceBytes / PARAMETER_BYTES).toBeCloseTo(1, 1)
  })

  test('accumulating over four micro-steps takes what accumulating over two takes', () => {
    const [two, four] = [2, 4].map(gradientAccumulation => footprintOf('gpt2', { gradientAccumulation }).peak(8, 0))
    expect(four).toEqual(two)
  })

  test('a forward pass in a plain loop ends beside the logits of the step before', () => {
    const peak = footprintOf('gpt2', { step: 'forward-backward', sequenceLength: 128 }).peak(64, 0)
    expect(peak.moment).toMatch(/^forward of/)
    expect(peak.breakdown.logits).toBe(2 * 64 * 128 * 50_257 * 4)
  })

  test('the peak says when it happens', () => {
    expect(footprintOf('bert', { sequenceLength: 1 }).peak(1, 0).moment).toBe('the optimizer')
    expect(footprintOf('gpt2').peak(64, 0).moment).toBe('backward of log_softmax')
  })
})

const overNf4: Partial<TrainingSpec> = {
  task: 'causal-lm',
  precision: 'fp32',
  quantization: 'nf4',
  gradientCheckpointing: true,
  lora: { rank: 32, targets: ['q_proj', 'k_proj', 'v_proj', 'o_proj'], dropout: 0 },
}

/** Anassbzdd/fitcheck data/measurements: QLoRA of rank 32 on a T4, without autocast, eager, with checkpoints: torch.cuda.max_memory_allocated. */
test.each([
  ['TinyLlama/TinyLlama-1.1B-Chat-v1.0', 2, 2_048, 6_651],
  ['TinyLlama/TinyLlama-1.1B-Chat-v1.0', 8, 1_024, 8_018],
  ['HuggingFaceTB/SmolLM2-1.7B', 1, 2_048, 4_323],
] as const)(
  'the scores of %s, %i × %i tokens, in the backward pass of their softmax: %i MiB, within 1 %%',
  (name, batch, sequenceLength, readMib) => {
    const eager = { ...overNf4, attention: 'eager' } as const
    const { bytes, moment } = footprintOf(name, { ...eager, sequenceLength }).peak(batch, WORKSPACE_BYTES)
    expect(moment).toBe('backward of softmax')
    expect(Math.abs(bytes / MIB / readMib - 1)).toBeLessThan(0.01)
  },
)

/** The same with SDPA pinned to its memory-efficient kernel, and grouped keys and values repeated for it. */
test.each([
  ['TinyLlama/TinyLlama-1.1B-Chat-v1.0', 12, 1_024, 9_372],
  ['TinyLlama/TinyLlama-1.1B-Chat-v1.0', 2, 2_048, 3_896],
  ['HuggingFaceTB/SmolLM2-360M', 1, 4_096, 4_018],
] as const)(
  'no scores of %s, %i × %i tokens, in the memory-efficient kernel: %i MiB, within 1 %%',
  (name, batch, sequenceLength, readMib) => {
    const pinned = { ...overNf4, sdpaKernel: 'efficient' } as const
    const { bytes } = footprintOf(name, { ...pinned, sequenceLength }).peak(batch, WORKSPACE_BYTES)
    expect(Math.abs(bytes / MIB / readMib - 1)).toBeLessThan(0.01)
  },
)

const models = [
  'bert',
  'FacebookAI/roberta-base',
  'distilbert-base-uncased',
  'gpt2',
  'distilgpt2',
  'resnet',
  'resnet-18',
]

const anySpec = fc
  .record({
    name: fc.constantFrom(...models),
    changes: fc.record({
      step: fc.constantFrom('training', 'forward-backward'),
      precision: fc.constantFrom(...precisions),
      optimizer: fc.constantFrom(...optimizers),
      attention: fc.constantFrom('sdpa', 'eager'),
      gradientAccumulation: fc.integer({ min: 1, max: 3 }),
      gradientCheckpointing: fc.boolean(),
      paddedBatches: fc.boolean(),
      loop: fc.constantFrom('plain', 'trainer', 'lightning'),
      labels: fc.constantFrom(2, 1_000),
    }),
    tokens: fc.integer({ min: 1, max: 512 }),
    pixels: fc.integer({ min: 32, max: 300 }),
    taskIndex: fc.nat(1),
    batch: fc.integer({ min: 1, max: 2_000 }),
  })
  .map(({ name, changes, tokens, pixels, taskIndex, batch }) => {
    const { tasks, defaultTask, maxPositions, config } = knownModel(name)
    return {
      name,
      batch,
      changes: {
        ...changes,
        task: tasks[taskIndex] ?? defaultTask,
        gradientCheckpointing: changes.gradientCheckpointing && supportsCheckpointing(config),
        ...(maxPositions === undefined ? { imageSize: pixels } : { sequenceLength: tokens }),
      } satisfies Partial<TrainingSpec>,
    }
  })

describe('any spec at any batch', () => {
  test('bytes by kind add up to the peak, none is negative, weights are all there', () => {
    fc.assert(
      fc.property(anySpec, ({ name, changes, batch }) => {
        const footprint = footprintOf(name, changes)
        const { bytes, breakdown } = footprint.peak(batch, WORKSPACE_BYTES)
        expect(byteKinds.reduce((sum, kind) => sum + breakdown[kind], 0)).toBe(bytes)
        for (const kind of byteKinds) expect(breakdown[kind]).toBeGreaterThanOrEqual(0)
        const bytesPerWeight = changes.precision.startsWith('bf16') ? 2 : 4
        expect(breakdown.weights).toBeGreaterThanOrEqual(bytesPerWeight * footprint.parameterCount)
        expect(breakdown.workspace).toBe(WORKSPACE_BYTES)
      }),
    )
  })

  test('the peak never falls as the batch grows', () => {
    fc.assert(
      fc.property(anySpec, fc.integer({ min: 1, max: 100 }), ({ name, changes, batch }, more) => {
        const footprint = footprintOf(name, changes)
        expect(footprint.peak(batch + more, 0).bytes).toBeGreaterThanOrEqual(footprint.peak(batch, 0).bytes)
      }),
    )
  })

  test('what fits reserves at least its peak, and no more than is usable', () => {
    fc.assert(
      fc.property(anySpec, ({ name, changes, batch }) => {
        const probe = new EstimateProbe(footprintOf(name, changes), defaultGpu)
        const { outcome } = probe.trial(batch)
        if (outcome.kind !== 'fits' || outcome.reservedBytes === undefined || outcome.peakBytes === undefined) return
        expect(outcome.reservedBytes).toBeGreaterThanOrEqual(probe.peak(batch).bytes)
        expect(outcome.reservedBytes).toBeLessThanOrEqual(probe.usableBytes)
      }),
    )
  })
})

describe('whether a batch fits', () => {
  test('what a replay reserved is enough for it, a megabyte less than its peak is not', () => {
    const footprint = footprintOf('bert')
    const fit = footprint.fit(16, usableBytes(defaultGpu), WORKSPACE_BYTES)
    if (fit.kind !== 'fits') throw new Error('BERT at 16 does not fit an A10')
    expect(footprint.fit(16, fit.reservedBytes, WORKSPACE_BYTES)).toEqual(fit)
    const { bytes } = footprint.peak(16, WORKSPACE_BYTES)
    expect(footprintOf('bert').fit(16, bytes - MIB, WORKSPACE_BYTES).kind).toBe('out-of-memory')
  })

  test('the answer does not hang on what was asked before', () => {
    fc.assert(
      fc.property(
        anySpec,
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 5 }),
        ({ name, changes }, capacities) => {
          const asked = footprintOf(name, changes)
          for (const gib of capacities) {
            const fresh = footprintOf(name, changes)
            expect(asked.fit(8, gib * GIB, 0)).toEqual(fresh.fit(8, gib * GIB, 0))
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  test('a model whose weights alone exceed the GPU has no largest batch', () => {
    const small = { ...defaultGpu, totalBytes: defaultGpu.contextBytes + 400 * MIB }
    expect(largestBatch(new EstimateProbe(footprintOf('bert'), small), new Grid())).toBeUndefined()
  })

  test('a margin leaves that share of usable memory free', () => {
    const probe = new EstimateProbe(footprintOf('bert'), defaultGpu)
    const largest = largestBatch(probe, new Grid(), 0.05) ?? 0
    expect(probe.peak(largest).bytes).toBeLessThanOrEqual(0.95 * probe.usableBytes)
    expect(probe.fits(largest + 8, 0.05)).toBe(false)
    expect(largest).toBeLessThan(largestBatch(probe, new Grid()) ?? 0)
  })
})

describe('PyTorch 2.14 holds no scores of grouped heads, which were held before', () => {
  const footprints = (name: string, changes: Partial<TrainingSpec>, hasFlash: boolean) => {
    const at = (torch?: string) => {
      const spec = specOf(name, { sequenceLength: 2_048, ...changes, ...(torch && { versions: { torch } }) })
      return new Footprint(spec, knownModel(name).config, { hasFlash })
    }
    return { older: at('2.13.0'), unnamed: at(), newer: at('2.14.1') }
  }
  const peaks = ({ older, unnamed, newer }: ReturnType<typeof footprints>) =>
    [older, unnamed, newer].map(each => each.peakBytes(2, 0))

  test.each([
    ['without a flash kernel', 'meta-llama/Llama-3.2-1B', { precision: 'amp-fp16' }, false],
    ['in float32', 'meta-llama/Llama-3.2-1B', { precision: 'fp32' }, true],
    ['with one head of keys for all', 'tiiuae/falcon-7b', { precision: 'bf16' }, true],
  ] as const)('%s', (_, name, changes, hasFlash) => {
    const found = footprints(name, changes, hasFlash)
    const [older = 0, unnamed = 0, newer = 0] = peaks(found)
    // For each of 32 or 71 heads, the scores of 2,048 × 2,048 tokens in float32.
    expect(older - newer).toBeGreaterThan(2 * 32 * 2_048 ** 2 * 4)
    expect(unnamed).toBe(older)
    expect([found.older, found.unnamed, found.newer].map(each => each.countsTooMuch)).toEqual([false, true, false])
  })

  test('and none with a flash kernel, which always took grouped heads', () => {
    const found = footprints('meta-llama/Llama-3.2-1B', { precision: 'amp-bf16' }, true)
    const [older, ...others] = peaks(found)
    expect(others).toEqual([older, older])
    expect(found.unnamed.countsTooMuch).toBe(false)
  })

  test('but its backward pass sums gradients of every query head', () => {
    const { newer } = footprints('meta-llama/Llama-3.2-1B', { precision: 'fp32' }, true)
    const attention = newer.nodes
      .flatMap(({ body }) => body ?? [])
      .concat(newer.nodes)
      .find(({ name }) => name === 'attention')
    expect(attention?.backwardScratch.map(({ bytesPerSample }) => bytesPerSample)).toEqual([
      2_048 * 2_048 * 4,
      2_048 * 2_048 * 4,
    ])
  })
})
