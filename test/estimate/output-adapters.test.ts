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

  it.each<Partial<TrainingSpec>>([{ fusedLoss: true }, { chunkedLoss: { count: 8, outputLayer: 'within' } }])(
    'are refused beside %j, which computes the layer itself',
    changes => {
      expect(() => footprint(changes)).toThrow('computes this layer in parts')
    },
  )

  it('are refused where the model has no such layer', () => {
    const classifier = () => footprint({ task: 'sequence-classification', lora: { ...onOutput, targets: ['lm_head'] } })
    expect(classifier).toThrow('has no linear layer named lm_head')
  })
})
