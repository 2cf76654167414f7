/** Adapters on the output layer: they count where a config names it, and TRL's loss in chunks refuses them. */
import { describe, expect, it, test } from 'vitest'
import { footprintOf } from '../../estimate/specs.ts'
import { onlyProblemIn, trainingConfig } from '../readings.ts'

const sft = (...lines: string[]) =>
  ['model_name_or_path: Qwen/Qwen2.5-0.5B', 'dataset_name: trl-lib/Capybara', 'use_peft: true', ...lines, ''].join('\n')
const onOutput = 'lora_target_modules: [q_proj, v_proj, lm_head]'

test('adapters on the output layer have two matrices, and hold a second table of logits for a moment', () => {
  const of = (...names: string[]) =>
    footprintOf('Qwen/Qwen2.5-0.5B', {
      precision: 'bf16',
      loop: 'trainer',
      gradientCheckpointing: true,
      sequenceLength: 1_024,
      lora: { rank: 16, targets: ['q_proj', ...names], dropout: 0 },
    })
  const [without, with_] = [of(), of('lm_head')]
  expect(with_.parameterCount - without.parameterCount).toBe(16 * (896 + 151_936))
  expect(with_.peak(4, 0).bytes).toBeGreaterThan(without.peak(4, 0).bytes)
})

describe('named as a target, the output layer has adapters', () => {
  it('with the loss of all logits', () => {
    const { spec } = trainingConfig(sft(onOutput, 'loss_type: nll', 'per_device_train_batch_size: 8'))
    expect(spec.lora?.targets).toEqual(['q_proj', 'v_proj', 'lm_head'])
  })

  it('and those of the embeddings beside it are said to be left out', () => {
    const targets = 'lora_target_modules: [q_proj, embed_tokens]'
    const { spec, assumptions } = trainingConfig(sft(targets, 'per_device_train_batch_size: 8'))
    expect(spec.lora?.targets).toEqual(['q_proj'])
    expect(assumptions.join()).toContain('The adapters on embed_tokens are not counted')
  })

  it('but not as one of all linear layers, as in peft', () => {
    const { spec } = trainingConfig(sft('lora_target_modules: all-linear', 'per_device_train_batch_size: 8'))
    expect(spec.lora?.targets).not.toContain('lm_head')
  })
})

describe('what TRL refuses is refused here', () => {
  it.each([
    ['adapters on the output layer with its loss in chunks', `${onOutput}\nloss_type: chunked_nll`, 'loss_type'],
    ['a loss in chunks beside that of Liger', 'use_liger_kernel: true\nloss_type: chunked_nll', 'loss_type'],
  ])('%s', (_, lines, field) => {
    expect(onlyProblemIn(sft(lines, 'per_device_train_batch_size: 8'))).toMatchObject({
      code: 'unsupported-setting',
      field,
    })
  })
})
