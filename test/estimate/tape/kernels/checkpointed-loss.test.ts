import { expect, test } from 'vitest'
import type { TrainingSpec } from '../../../../engine/training/spec.ts'
import { footprintOf } from '../../specs.ts'

const VOCABULARY = 128_256
const CHUNK_BYTES = 4 * 256 * VOCABULARY

function logitsAt(batch: number, changes: Partial<TrainingSpec>): number {
  const step = { loop: 'trainer', precision: 'bf16', gradientCheckpointing: true, sequenceLength: 1024 } as const
  const lora = { rank: 8, targets: ['q_proj'], dropout: 0 }
  return footprintOf('meta-llama/Llama-3.1-8B', { ...step, lora, ...changes }).peak(batch, 0).breakdown.logits
}

test('a loss in checkpointed chunks holds the logits of 256 tokens four times, whatever the batch', () => {
  expect(logitsAt(1, { checkpointedLoss: true })).toBe(4 * CHUNK_BYTES)
  expect(logitsAt(2, { checkpointedLoss: true })).toBe(4 * CHUNK_BYTES)
  expect(logitsAt(2, {})).toBeGreaterThan(10 * 2 * 1024 * VOCABULARY)
})

test('the tanh of capped logits is there once more', () => {
  const step = { loop: 'trainer', precision: 'bf16', gradientCheckpointing: true, sequenceLength: 1024 } as const
  const lora = { rank: 8, targets: ['q_proj'], dropout: 0 }
  const { breakdown } = footprintOf('google/gemma-2-2b', { ...step, lora, checkpointedLoss: true }).peak(2, 0)
  expect(breakdown.logits).toBe(5 * 4 * 256 * 256_000)
})

test.each([{ checkpointedLoss: true }, { fusedLoss: true }] as const)(
  'an output layer that trains beside adapters trains whole with %o too',
  changes => {
    const peakOf = (modulesToSave: string[], own: Partial<TrainingSpec>) =>
      footprintOf('meta-llama/Llama-3.1-8B', {
        loop: 'trainer',
        precision: 'bf16',
        gradientCheckpointing: true,
        sequenceLength: 1024,
        lora: { rank: 8, targets: ['q_proj'], dropout: 0, modulesToSave },
        ...own,
      }).peak(1, 0).breakdown.optimizerState
    expect(peakOf(['lm_head'], changes)).toBe(peakOf(['lm_head'], {}))
    expect(peakOf(['lm_head'], changes)).toBeGreaterThan(peakOf([], changes) + VOCABULARY * 4096)
  },
)
