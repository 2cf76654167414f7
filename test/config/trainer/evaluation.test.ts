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

describe('evaluations that generate, of a config without beams', () => {
  const generated = (model: string, further = '') =>
    trainingConfig(
      `model_name_or_path: ${model}\ntask: seq2seq-lm\nper_device_train_batch_size: 4\neval_strategy: epoch\npredict_with_generate: true\n${further}`,
    )

  it("take BART's own number, and say so", () => {
    const { spec, assumptions } = generated('facebook/bart-base')
    expect(spec.evaluation).toMatchObject({ generates: { beams: 4 } })
    expect(assumptions).toContain(
      'Evaluations generate with 4 beams, as facebook/bart-base asks for: the config sets none.',
    )
  })

  it('take those that the config names', () => {
    const { spec, assumptions } = generated('facebook/bart-base', 'generation_num_beams: 2\n')
    expect(spec.evaluation).toMatchObject({ generates: { beams: 2 } })
    expect(assumptions.join(' ')).not.toContain('beams')
  })

  it('have one with T5, whose checkpoints ask for none', () => {
    expect(generated('google-t5/t5-small').spec.evaluation).toMatchObject({ generates: { beams: 1 } })
  })
})
