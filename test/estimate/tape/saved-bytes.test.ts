import { describe, expect, test } from 'vitest'
import { GIB, MIB } from '../../../engine/base/units.ts'
import type { TrainingSpec } from '../../../engine/training/spec.ts'
import { footprintOf, knownModel } from '../specs.ts'

const HIDDEN = 768
const HEADS = 12
const TOKENS = 128
/** Log-sum-exp of fused attention, and two statistics of each of two layer norms, in float32. */
const FUSED_ATTENTION_BYTES = 4 * HEADS
const STATISTICS_BYTES = 2 * 2 * 4

/** What one more layer adds to the activations at the peak, per token; at this batch the peak starts the backward pass. */
function bytesPerLayerAndToken(model: 'bert' | 'gpt2', changes: Partial<TrainingSpec>): number {
  const batch = 256
  const { config } = knownModel(model)
  const activations = (layers: number) => {
    const sized = { ...config, num_hidden_layers: layers, n_layer: layers }
    return footprintOf(model, { sequenceLength: TOKENS, ...changes }, sized).peak(batch, 0).breakdown.activations
  }
  return (activations(8) - activations(4)) / 4 / (batch * TOKENS)
}

describe('what a layer saves for the backward pass, per token', () => {
  test.each([
    ['training', 66],
    ['forward-backward', 64],
  ] as const)('BERT with fused attention, %s: %d bytes per hidden unit', (step, bytesPerHidden) => {
    expect(bytesPerLayerAndToken('bert', { step })).toBe(
      bytesPerHidden * HIDDEN + FUSED_ATTENTION_BYTES + STATISTICS_BYTES,
    )
  })

  test('BERT forward-backward saves what training saves, where dropout layers drop in it too', () => {
    expect(bytesPerLayerAndToken('bert', { step: 'forward-backward', dropout: true })).toBe(
      bytesPerLayerAndToken('bert', {}),
    )
  })

  test('BERT with eager attention: nine bytes more per head and pair of tokens, and no log-sum-exp', () => {
    expect(bytesPerLayerAndToken('bert', { attention: 'eager' })).toBe(
      66 * HIDDEN + 9 * HEADS * TOKENS + STATISTICS_BYTES,
    )
  })

  test.each([
    ['training', 122],
    // The peak is at the end of the forward pass, where the keys and values of the step before are there too.
    ['forward-backward', 120 + 2 * 4],
  ] as const)('GPT-2 with its cache on, %s: %d bytes per hidden unit', (step, bytesPerHidden) => {
    expect(bytesPerLayerAndToken('gpt2', { step })).toBe(
      bytesPerHidden * HIDDEN + FUSED_ATTENTION_BYTES + STATISTICS_BYTES,
    )
  })

  test("GPT-2 in the Trainer, which turns the cache off: keys' and values' copies are gone", () => {
    expect(bytesPerLayerAndToken('gpt2', { loop: 'trainer' })).toBe(
      (122 - 2 * 4) * HIDDEN + FUSED_ATTENTION_BYTES + STATISTICS_BYTES,
    )
  })

  test('GPT-2 with bf16 weights and flash attention: 62 bytes per hidden unit', () => {
    expect(bytesPerLayerAndToken('gpt2', { precision: 'bf16' })).toBe(
      62 * HIDDEN + FUSED_ATTENTION_BYTES + STATISTICS_BYTES,
    )
  })

  test.each(['bert', 'gpt2'] as const)('%s with gradient checkpointing: the input of the layer alone', model => {
    expect(bytesPerLayerAndToken(model, { gradientCheckpointing: true })).toBe(4 * HIDDEN)
  })

  test('ResNet-50 at 224 pixels: about 82 MiB a sample', () => {
    const footprint = footprintOf('resnet')
    const bytesPerSample = (footprint.peak(128, 0).bytes - footprint.peak(64, 0).bytes) / 64
    expect(bytesPerSample / MIB).toBeGreaterThan(81)
    expect(bytesPerSample / MIB).toBeLessThan(84)
  })
})

describe('what norms and activations of many ops save, per token', () => {
  const batch = 64
  const activations = (model: string, over: Record<string, number>) =>
    footprintOf(model, { sequenceLength: TOKENS, precision: 'bf16' }, { ...knownModel(model).config, ...over }).peak(
      batch,
      0,
    ).breakdown.activations

  test('xIELU: its input, the scaled input, the exponential, its distance to the input and the choice between them', () => {
    const sized = (intermediate_size: number) =>
      activations('swiss-ai/Apertus-8B-2509', { num_hidden_layers: 4, intermediate_size })
    const bytesPerUnit = (sized(8_192) - sized(4_096)) / 4_096 / 4 / (batch * TOKENS)
    expect(bytesPerUnit).toBe(4 * 2 + 1 + 2) // ... and its output, that down_proj keeps
  })

  test.each([
    ['EleutherAI/gpt-j-6b', 'n_head', 'n_layer'],
    ['EleutherAI/gpt-neo-1.3B', 'num_heads', 'num_layers'],
  ])(
    '%s: a float32 softmax and its 16-bit copy for every pair of tokens, though fused attention is asked for',
    (...of) => {
      const [id, heads, layers] = of
      const of4Layers = (count: number) => activations(id, { [heads]: count, [layers]: 4 })
      expect((of4Layers(32) - of4Layers(16)) / 16 / 4 / (batch * TOKENS)).toBe((4 + 2) * TOKENS)
    },
  )

  test("Cohere's layer: two float32 differences and a product of its one norm, whose output every linear shares", () => {
    const deep = (num_hidden_layers: number) => activations('CohereForAI/aya-23-8B', { num_hidden_layers })
    const hidden = 4_096
    const norm = 3 * 4 * hidden + 4 + 2 * hidden
    const attention = 2 * hidden + 2 * 2 * 1_024 + 2 * hidden + 4 * 32
    const feedForward = 4 * 2 * 14_336
    const float32Weight = 4 * hidden
    expect((deep(8) - deep(4)) / 4).toBe((norm + attention + feedForward) * batch * TOKENS + float32Weight)
  })
})

describe('the loss of a language model', () => {
  const vocabulary = 50_257
  const tokens = 8 * 1_024
  const logits = (changes: Partial<TrainingSpec>) =>
    footprintOf('gpt2', { sequenceLength: 1_024, ...changes }).peak(8, 0).breakdown.logits

  test('holds 16 bytes per token and word in fp32, 6.1 GiB for GPT-2 at 8 × 1,024', () => {
    expect(logits({ precision: 'fp32' })).toBe(16 * tokens * vocabulary)
    expect(logits({ precision: 'fp32' }) / GIB).toBeCloseTo(6.1, 1)
  })

  test('holds 14 bytes with bf16 weights, since only the logits themselves are narrower', () => {
    expect(logits({ precision: 'bf16' })).toBe(14 * tokens * vocabulary)
  })

  test('holds 4 bytes fewer in the Trainer, which lets the fp32 logits go', () => {
    expect(logits({ precision: 'fp32', loop: 'trainer' })).toBe(12 * tokens * vocabulary)
  })

  test('is next to nothing for a classifier of two labels', () => {
    expect(logits({ task: 'sequence-classification' })).toBeLessThan(MIB)
  })
})
