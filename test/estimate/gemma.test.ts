import { describe, expect, test } from 'vitest'
import { modelConfig } from '../../engine/models/model-config.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf, knownModel } from './specs.ts'

const BATCH = 64
const TOKENS = 256

/** The model with another decoder. */
function changed(id: string, text: Record<string, unknown>) {
  const { config } = knownModel(id)
  if (!('text_config' in config)) throw new Error(`${id} has no text_config`)
  return modelConfig.parse({ ...config, text_config: { ...config.text_config, ...text } })
}

function parameters(id: string, text: Record<string, unknown>): number {
  return footprintOf(id, {}, changed(id, text)).parameterCount
}

/** Activations of a token at the peak, which at this batch starts the backward pass. */
function activationBytes(id: string, text: Record<string, unknown>, changes: Partial<TrainingSpec>): number {
  const spec = { precision: 'bf16', loop: 'trainer', sequenceLength: TOKENS, ...changes } as const
  return footprintOf(id, spec, changed(id, text)).peak(BATCH, 0).breakdown.activations / BATCH / TOKENS
}

/** As transformers counts them, for Gemma 3n with timm's tower. */
const counts: readonly (readonly [id: string, count: number])[] = [
  ['google/gemma-4-E2B-it', 5_104_297_504],
  ['google/gemma-4-E4B-it', 7_941_100_832],
  ['google/gemma-4-12B-it', 11_959_730_176],
  ['google/gemma-4-26B-A4B', 25_805_933_872],
  ['google/gemma-4-31B', 31_273_086_512],
  ['google/gemma-3n-E2B-it', 5_418_464_192],
  ['google/gemma-3n-E4B-it', 7_818_517_072],
]

describe('parameters', () => {
  test.each(counts)('%s has %d', (id, count) => {
    expect(footprintOf(id).parameterCount).toBe(count)
  })
})

describe('Gemma 4', () => {
  const E2B = 'google/gemma-4-E2B-it'

  test('a layer that takes over keys and values lacks two projections and a norm', () => {
    const narrow = { use_double_wide_mlp: false }
    const more = parameters(E2B, { ...narrow, num_kv_shared_layers: 19 }) - parameters(E2B, narrow)
    expect(more).toBe(2 * 1_536 * 256 + 256)
  })

  test('a full layer that projects keys alone lacks the projection of values', () => {
    const id = 'google/gemma-4-31B'
    const own = parameters(id, { attention_k_eq_v: false, num_key_value_heads: 4 })
    const shared = parameters(id, { num_key_value_heads: 4 })
    // Every sixth of 60 layers, of 4 heads of 512.
    expect(own - shared).toBe(10 * 5_376 * 4 * 512)
  })

  test('the last sliding and the last full layer before those keep what their keys and values were made of', () => {
    const spec = { precision: 'bf16', loop: 'trainer', gradientCheckpointing: true, sequenceLength: TOKENS } as const
    const blocks = footprintOf(E2B, spec).nodes.filter(node => node.body !== undefined)
    expect(blocks).toHaveLength(35)
    expect([...blocks.keys()].filter(index => (blocks[index]?.retains ?? []).length > 0)).toEqual([13, 14])
  })

  test('before transformers 5.13, a full layer keeps all scores, queries, keys and values in float32', () => {
    const [old, now] = [{ transformers: '5.12.1' }, { transformers: '5.13' }].map(versions =>
      activationBytes('google/gemma-4-31B', {}, { versions }),
    )
    // Every sixth of 60 layers, of 32 heads of 512. PyTorch's trace says so too if transformers passes heads in groups, as it did.
    expect(((old ?? 0) - (now ?? 0)) / (10 * 32 * (4 * TOKENS + 2 * 3 * 512))).toBeCloseTo(1, 2)
  })

  test('that is so under flash_attention_2 too, which does not take these heads, but not behind a mask', () => {
    const difference = (attention: TrainingSpec['attention']) => {
      const [old = 0, now = 0] = ['5.12.1', '5.13'].map(transformers =>
        activationBytes('google/gemma-4-12B-it', {}, { attention, versions: { transformers } }),
      )
      return old - now
    }
    // transformers makes a mask for the unified model even of text alone.
    expect(difference('sdpa')).toBe(0)
    // Its single head of keys and values was a view before, in every sixth of 48 layers.
    expect(difference('flash') / (8 * 16 * (4 * TOKENS + (3 * 4 - 2) * 512))).toBeCloseTo(1, 1)
  })

  test('a checkpointed layer keeps its input alone, two bytes a feature', () => {
    const bytes = (num_hidden_layers: number) =>
      activationBytes('google/gemma-4-31B', { num_hidden_layers }, { gradientCheckpointing: true })
    expect(bytes(18) - bytes(12)).toBe(6 * 2 * 5_376)
  })
})

describe('Gemma 3n', () => {
  test('a checkpointed layer keeps every stream of its input', () => {
    const bytes = (layers: number, streams: number) =>
      activationBytes(
        'google/gemma-3n-E2B-it',
        { num_hidden_layers: layers, altup_num_inputs: streams },
        { gradientCheckpointing: true },
      )
    const ofAStream = (layers: number) => bytes(layers, 5) - bytes(layers, 4)
    expect(ofAStream(20) - ofAStream(15)).toBe(5 * 2 * 2_048)
  })

  test('a layer that drops most of its activations keeps what it dropped from: two bytes a feature', () => {
    const bytes = (sparsity: number) =>
      activationBytes(
        'google/gemma-3n-E2B-it',
        { num_hidden_layers: 12, activation_sparsity_pattern: Array(12).fill(sparsity) },
        {},
      )
    const [inner, deviation] = [8_192, 1]
    expect((bytes(0.95) - bytes(0)) / 12).toBe(2 * (inner + deviation))
  })
})

test("Gemma 2's eager attention keeps the tanh that bounds its scores, in every layer; fused kernels keep none", () => {
  const { config } = knownModel('google/gemma-2-2b')
  const unbounded = modelConfig.parse({ ...config, attn_logit_softcapping: null })
  const spec = { precision: 'bf16', loop: 'trainer', optimizer: 'sgd', sequenceLength: 512 } as const
  const peak = (attention: TrainingSpec['attention'], of = config) =>
    footprintOf('google/gemma-2-2b', { ...spec, attention }, of).peak(4, 0).bytes
  // 26 layers of 8 heads.
  expect(peak('eager') - peak('eager', unbounded)).toBe(26 * 4 * 8 * 512 * 512 * 2)
  expect(peak('sdpa')).toBe(peak('sdpa', unbounded))
})
