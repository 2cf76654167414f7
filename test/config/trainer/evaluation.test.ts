import { describe, expect, it } from 'vitest'
import { trainingConfig } from '../readings.ts'

const steps = 'model_name_or_path: gpt2\nper_device_train_batch_size: 4\neval_strategy: steps\neval_steps: 500\n'

describe('evaluations at every so many steps', () => {
  it.each([
    ['take place in a training that is longer', 'max_steps: 500\n', { microBatch: 8 }],
    ['take place where epochs say how long it is', '', { microBatch: 8 }],
    ['take place at its start, if asked for', 'max_steps: 400\neval_on_start: true\n', { microBatch: 8 }],
    ['do not in one that ends before', 'max_steps: 400\n', undefined],
  ])('%s', (_, text, evaluation) => {
    expect(trainingConfig(`${steps}${text}`).spec.evaluation).toEqual(evaluation)
  })
})
