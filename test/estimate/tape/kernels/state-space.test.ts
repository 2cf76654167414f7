import { describe, expect, test } from 'vitest'
import type { ModelConfig } from '../../../../engine/models/architecture.ts'
import type { TrainingSpec } from '../../../../engine/training/spec.ts'
import { footprintOf, knownModel } from '../../specs.ts'

const BATCH = 64
const TOKENS = 128
const spec = { precision: 'bf16', loop: 'trainer', sequenceLength: TOKENS } as const

/** What a sample more adds to the activations at the peak, which at these batches starts the backward pass. */
function activationBytes(
  model: string,
  changes: Partial<TrainingSpec>,
  config: Readonly<Record<string, unknown>>,
): number {
  const shape = { ...knownModel(model).config, ...config } as ModelConfig
  const footprint = footprintOf(model, { ...spec, ...changes }, shape)
  const [fewer, more] = [BATCH, 2 * BATCH].map(batch => footprint.peak(batch, 0).breakdown.activations)
  return ((more ?? 0) - (fewer ?? 0)) / BATCH
}

describe('Mamba 2', () => {
  const NANO = 'nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16'
  const [HIDDEN, HEADS, GROUPS, STATE] = [2_688, 64, 8, 128]
  const INNER = HEADS * 64
  const PROJECTED = 2 * INNER + 2 * GROUPS * STATE + HEADS
  /** Its input in float32, that normalised, and a factor; and the result. */
  const NORM_BYTES = 2 * 4 * HIDDEN + 4 + 2 * HIDDEN

  const layerBytes = (changes: Partial<TrainingSpec>) =>
    (activationBytes(NANO, changes, { hybrid_override_pattern: 'MMMM' }) -
      activationBytes(NANO, changes, { hybrid_override_pattern: 'MM' })) /
    2

  test('in one kernel keeps its input, what the scan gave and a deviation a group', () => {
    expect(layerBytes({})).toBe(TOKENS * (NORM_BYTES + 2 * PROJECTED + 2 * INNER + 4 * GROUPS))
  })

  test('where states are cached keeps what each of its kernels does, and the last state', () => {
    const convolved = 2 * (INNER + 2 * GROUPS * STATE)
    const scan = 2 * INNER + 4 * HEADS
    // In float32: what is gated, both sides of the gate, its SiLU and their product; in 16 bits the norm's and its weighted result.
    const gatedNorm = 4 * 4 * INNER + 4 * GROUPS + 2 * 2 * INNER
    const lastState = 4 * INNER * STATE
    expect(layerBytes({ loop: 'plain' })).toBe(
      TOKENS * (NORM_BYTES + 2 * PROJECTED + convolved + scan + gatedNorm) + lastState,
    )
  })

  test('with gradient checkpointing keeps its input alone', () => {
    expect(layerBytes({ gradientCheckpointing: true })).toBe(TOKENS * 2 * HIDDEN)
  })

  test('keeps its second projection whole where the rest is quantised', () => {
    const quantized = { quantization: 'nf4' as const, lora: { rank: 8, targets: ['in_proj'], dropout: 0 } }
    const weights = (pattern: string) =>
      footprintOf(NANO, { ...spec, ...quantized }, {
        ...knownModel(NANO).config,
        hybrid_override_pattern: pattern,
      } as ModelConfig).parameterCount
    const adapters = 8 * (HIDDEN + PROJECTED)
    const convolution = 5 * (INNER + 2 * GROUPS * STATE)
    expect(weights('MM') - weights('M')).toBe(INNER * HIDDEN + adapters + convolution + 3 * HEADS + INNER + HIDDEN)
  })
})

describe('Mamba', () => {
  const [HIDDEN, INNER, RANK, STATE, FEED_FORWARD] = [4_096, 8_192, 256, 16, 14_336]
  const NORM_BYTES = 4 * HIDDEN + 4 + 2 * 2 * HIDDEN

  test('copies states, steps and gate for its scan and keeps them, the result before and after the gate and a state for every 2,048 tokens', () => {
    const dense = { num_experts: 1, attn_layer_offset: 7 }
    const deep = (layers: number) => activationBytes('ai21labs/Jamba-v0.1', {}, { ...dense, num_hidden_layers: layers })
    const selected = RANK + 2 * STATE
    const projections = 2 * 2 * INNER + 2 * INNER
    const smallNorms = 6 * selected + 3 * 4 + 2 * RANK
    const scan = 4 * 2 * INNER + 2 * 2 * STATE + 2 * INNER
    const perToken = 2 * NORM_BYTES + projections + smallNorms + scan + 4 * 2 * FEED_FORWARD
    expect((deep(4) - deep(2)) / 2).toBe(TOKENS * perToken + 4 * INNER * 2 * STATE)
  })
})
