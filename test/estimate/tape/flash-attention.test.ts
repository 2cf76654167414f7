import { describe, expect, test } from 'vitest'
import { modelConfig } from '../../../engine/models/model-config.ts'
import type { Attention } from '../../../engine/training/choices.ts'
import { footprintOf, knownModel } from '../specs.ts'

const TOKENS = 2_048
const BATCH = 4

/** Activations at the peak of a Mistral of few layers, which at this batch starts the backward pass. */
function activations(attention: Attention, window: number | null, layers = 4): number {
  const { config } = knownModel('mistralai/Mistral-7B-v0.1')
  const changed = modelConfig.parse({ ...config, sliding_window: window, num_hidden_layers: layers, vocab_size: 1_000 })
  const spec = { precision: 'bf16', loop: 'trainer', sequenceLength: TOKENS, attention } as const
  return footprintOf('mistralai/Mistral-7B-v0.1', spec, changed).peak(BATCH, 0).breakdown.activations
}

describe('flash attention', () => {
  test('sees a window without a mask', () => {
    expect(activations('flash', 512)).toBe(activations('flash', null))
  })

  test('takes what scaled_dot_product_attention takes where that needs no mask either', () => {
    expect(activations('flash', null)).toBe(activations('sdpa', null))
  })

  test('keeps neither the mask of a windowed layer nor keys and values for every head', () => {
    const layerOf = (attention: Attention) => (activations(attention, 512, 8) - activations(attention, 512, 4)) / 4
    const mask = 2 * TOKENS * TOKENS
    const [heads, groups, size] = [32, 8, 128]
    const copies = 2 * 2 * TOKENS * (heads - groups) * size
    expect(layerOf('sdpa') - layerOf('flash')).toBe(BATCH * (mask + copies))
  })
})

test('values narrower than queries are padded to their width', () => {
  const deepseek = (attention: Attention, layers: number) => {
    const { config } = knownModel('deepseek-ai/DeepSeek-V2-Lite')
    const changed = modelConfig.parse({ ...config, num_hidden_layers: layers, first_k_dense_replace: layers })
    const spec = { precision: 'bf16', loop: 'trainer', sequenceLength: 256, attention } as const
    return footprintOf('deepseek-ai/DeepSeek-V2-Lite', spec, changed).peak(64, 0).breakdown.activations
  }
  const layerOf = (attention: Attention) => (deepseek(attention, 4) - deepseek(attention, 2)) / 2
  // 16 heads: the padded values in place of the projection that they are a part of, a wider output, and that cut.
  const [padded, projection, wider, cut] = [192, 128 + 128, 192 - 128, 128]
  const more = layerOf('flash') - layerOf('sdpa')
  expect(more / 64 / 256).toBe(2 * 16 * (padded - projection + wider + cut))
})
