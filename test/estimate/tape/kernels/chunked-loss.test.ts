import { expect, test } from 'vitest'
import type { TrainingSpec } from '../../../../engine/training/spec.ts'
import { footprintOf } from '../../specs.ts'

const LOGITS = 2 * 1024 * 128_256
const HIDDEN_BYTES = 2 * 1024 * 4096 * 2
const chunks = { count: 8, outputLayer: 'before' } as const

/** With so few blocks' inputs beside them that the logits are the peak. */
function peakOf(changes: Partial<TrainingSpec>): number {
  const step = { loop: 'trainer', precision: 'bf16', gradientCheckpointing: true, sequenceLength: 1024 } as const
  const lora = { rank: 8, targets: ['q_proj'], dropout: 0 }
  return footprintOf('meta-llama/Llama-3.1-8B', { ...step, lora, ...changes }).peak(2, 0).bytes
}

const whole = peakOf({})

test('a chunked loss keeps 16-bit logits and float32 log-probabilities, and half a chunk of float32 copies', () => {
  const saved = 12 * LOGITS - (2 + 4 + 4 / 8) * LOGITS
  expect((whole - peakOf({ chunkedLoss: chunks })) / saved).toBeCloseTo(1, 1)
})

test('with the output layer in the chunks, all logits are never there at once', () => {
  const within = peakOf({ chunkedLoss: { ...chunks, outputLayer: 'within' } })
  expect(within).toBeLessThan(peakOf({ chunkedLoss: chunks }))
})

test('compiled, no log-probabilities are kept', () => {
  expect(peakOf({ chunkedLoss: chunks, compiled: true })).toBeLessThan(peakOf({ chunkedLoss: chunks }) - 3 * LOGITS)
  expect(peakOf({ compiled: true })).toBeLessThanOrEqual(whole - 4 * LOGITS)
})

test('checkpoints on the host leave the inputs of all blocks but the current out, and the model holds the embeddings in its forward pass', () => {
  const fused = { fusedLoss: true } as const
  const saved = peakOf(fused) - peakOf({ ...fused, offloadsCheckpoints: true })
  expect(saved / HIDDEN_BYTES).toBeGreaterThan(29)
  expect(saved / HIDDEN_BYTES).toBeLessThanOrEqual(32)
})
