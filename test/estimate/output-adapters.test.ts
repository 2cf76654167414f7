/** Adapters on the output layer, which has them only where a config names it. */
import { describe, expect, it } from 'vitest'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf } from './specs.ts'

const onOutput = { rank: 16, targets: ['q_proj', 'lm_head'], dropout: 0 }
const footprint = (changes: Partial<TrainingSpec>) =>
  footprintOf('Qwen/Qwen2.5-0.5B', { sequenceLength: 64, precision: 'bf16', lora: onOutput, ...changes })

describe('adapters on lm_head', () => {
  it('are counted', () => {
    const without = footprint({ lora: { ...onOutput, targets: ['q_proj'] } })
    expect(footprint({}).parameterCount - without.parameterCount).toBe(16 * (896 + 151_936))
  })

  it('beside a fused loss, which takes the layer without them, are there in float32 and get neither gradients nor state', () => {
    const onFused = (targets: readonly string[]) =>
      footprint({ fusedLoss: true, lora: { ...onOutput, targets: [...targets] } })
    const [with_, without] = [onFused(['q_proj', 'lm_head']), onFused(['q_proj'])].map(
      each => each.peak(1, 0).breakdown,
    )
    expect((with_?.weights ?? 0) - (without?.weights ?? 0)).toBe(4 * 16 * (896 + 151_936))
    expect(with_?.gradients).toBe(without?.gradients)
    expect(with_?.optimizerState).toBe(without?.optimizerState)
  })

  it('are refused beside a chunked loss, which computes the layer itself', () => {
    expect(() => footprint({ chunkedLoss: { count: 8, outputLayer: 'within' } })).toThrow(
      'computes this layer in chunks',
    )
  })

  it('are refused where the model has no such layer', () => {
    const classifier = () => footprint({ task: 'sequence-classification', lora: { ...onOutput, targets: ['lm_head'] } })
    expect(classifier).toThrow('has no linear layer named lm_head')
  })
})
