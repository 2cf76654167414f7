/** The state of embeddings beside an 8-bit optimizer: 32 bits where transformers' Trainer makes it. */
import { describe, expect, it, test } from 'vitest'
import { differencesInStep } from '../../engine/estimate/release-differences.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf, knownModel, specOf } from './specs.ts'

const MODEL = 'meta-llama/Llama-3.2-1B'
/** Tied with the output layer. */
const EMBEDDINGS = 128_256 * 2_048

const byTrainer: Partial<TrainingSpec> = {
  sequenceLength: 64,
  precision: 'bf16',
  loop: 'trainer',
  optimizer: 'adamw-8bit',
}

function stateBytes(changes: Partial<TrainingSpec> = {}, model = MODEL): number {
  return footprintOf(model, { ...byTrainer, ...changes }).peak(1, 0).breakdown.optimizerState
}

/** Two moments in 32 bits in place of 8, which have a float32 constant for 256 numbers. */
const MORE_BYTES = 2 * EMBEDDINGS * (4 - 1 - 4 / 256)

describe('the 8-bit state of an optimizer', () => {
  it.each<[string, Partial<TrainingSpec>]>([
    ['torchao or a tool of its own', { eightBitEmbeddings: true }],
    ['a plain loop', { loop: 'plain' }],
    ['transformers from 4.30 on and before 4.52', { versions: { transformers: '4.51.3' } }],
  ])('is that of embeddings too by %s, and in 32 bits by the Trainer', (_, changes) => {
    expect(stateBytes() - stateBytes(changes)).toBe(MORE_BYTES)
  })

  it.each(['4.29', '4.52'])('is in 32 bits for embeddings by the Trainer of transformers %s', transformers => {
    expect(stateBytes({ versions: { transformers } })).toBe(stateBytes())
  })

  it('is in 8 bits for an output layer that shares no weights with them', () => {
    const untied = 'TinyLlama/TinyLlama-1.1B-Chat-v1.0'
    const more = 2 * 32_000 * 2_048 * (4 - 1 - 4 / 256)
    expect(stateBytes({}, untied) - stateBytes({ eightBitEmbeddings: true }, untied)).toBe(more)
  })

  it('is in 32 bits for the copy of the embeddings that trains beside adapters', () => {
    const lora = { rank: 8, targets: ['q_proj'], dropout: 0, modulesToSave: ['embed_tokens'] }
    expect(stateBytes({ lora }) - stateBytes({ lora, eightBitEmbeddings: true })).toBe(MORE_BYTES)
  })

  it('is in managed memory where it is paged, that of embeddings too', () => {
    const paged = footprintOf(MODEL, { ...byTrainer, optimizer: 'paged-adamw-8bit' })
    const all = footprintOf(MODEL, { ...byTrainer, optimizer: 'paged-adamw-8bit', eightBitEmbeddings: true })
    expect(paged.optimized.pagedBytes - all.optimized.pagedBytes).toBe(2 * EMBEDDINGS * 3)
    const constants = (2 * EMBEDDINGS * 4) / 256
    expect(stateBytes({ optimizer: 'paged-adamw-8bit', eightBitEmbeddings: true })).toBe(
      stateBytes({ optimizer: 'paged-adamw-8bit' }) + constants,
    )
  })
})

test('an upgrade over transformers 4.52 names it', () => {
  const at = (transformers: string) => specOf(MODEL, { ...byTrainer, versions: { transformers } })
  const { config } = knownModel(MODEL)
  expect(differencesInStep(at('4.51'), at('4.52'), config)).toContain(
    'bitsandbytes keeps the state of embeddings in 32 bits',
  )
})
