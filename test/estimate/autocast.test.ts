/** What torch.autocast over 16-bit weights changes, by the sources of PyTorch 2.13 and peft 0.21. */
import { expect, test } from 'vitest'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf } from './specs.ts'

const TOKENS = 1_024
const [LAYERS, HIDDEN] = [16, 2_048]

/** Bytes of all layers' hidden states, at one byte a value. */
const ONE_BYTE_EACH = TOKENS * LAYERS * HIDDEN

const pure = { microBatch: 1, sequenceLength: TOKENS, precision: 'bf16', loop: 'trainer' } as const

function savedBy(changes: Partial<TrainingSpec>): number {
  const peak = (autocasts: Partial<TrainingSpec>) =>
    footprintOf('meta-llama/Llama-3.2-1B', { ...pure, ...changes, ...autocasts }).peak(1, 0).bytes
  return (peak({}) - peak({ autocasts: true })) / ONE_BYTE_EACH
}

const lora = { rank: 8, targets: ['q_proj', 'v_proj'], dropout: 0 }

test.each([
  ['nf4', 2],
  ['nf4-double', 2],
  // Which keep their input themselves.
  ['int8', 0],
] as const)(
  'adapters on layers in %s share one input of 2 bytes, where each keeps a copy of 4 without autocast',
  (quantization, shared) => {
    expect((savedBy({ lora, quantization }) + shared) / (2 * 4)).toBeCloseTo(1, 1)
  },
)

test.each([undefined, 'gptq'] as const)(
  'adapters on layers in %s keep a copy of 2 bytes each of what they cast to float32, instead of that of 4',
  quantization => {
    expect(savedBy({ lora, ...(quantization && { quantization }) }) / (2 * (4 - 2))).toBeCloseTo(1, 1)
  },
)

test('a plan over DeepSpeed computes in 16 bits without it', () => {
  expect(savedBy({ precision: 'bf16-master' })).toBe(0)
})

// Pythia joins what it turns of its queries and keys with the rest.
test.each([
  ['JackFram/llama-68m', 2],
  ['EleutherAI/pythia-14m', 4],
] as const)('a cache of %s holds values in float32, the type of the keys', (name, joinedByLayer) => {
  const { nodes } = footprintOf(name, { precision: 'amp-bf16', sequenceLength: 64, loop: 'plain' })
  const joined = nodes.filter(node => node.name === 'cat' && node.outputs[0]?.dtype === 'float32')
  expect(joined).toHaveLength(joinedByLayer * nodes.filter(node => node.name === 'attention').length)
})
