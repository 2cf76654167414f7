/** Adapters on models that classify, and on T5: which layers get them, and that the head for the labels trains whole. */
import { describe, expect, it, test } from 'vitest'
import { onlyProblemIn, trainingConfig } from '../readings.ts'

const onModel = (model: string, ...lines: string[]) =>
  [`model_name_or_path: ${model}`, 'per_device_train_batch_size: 8', 'use_peft: true', 'lora_r: 8', ...lines, ''].join(
    '\n',
  )

describe('where the config names no layers, they are those of peft', () => {
  it.each([
    ['google-bert/bert-base-uncased', ['query', 'value']],
    ['FacebookAI/roberta-base', ['query', 'value']],
    ['google-t5/t5-small', ['q', 'v']],
  ])('%s', (model, targets) => {
    expect(trainingConfig(onModel(model)).spec.lora).toMatchObject({ targets })
  })

  it.each(['distilbert/distilbert-base-uncased', 'google/vit-base-patch16-224'])('%s has none', model => {
    expect(onlyProblemIn(onModel(model))).toMatchObject({ code: 'no-such-lora-target' })
  })
})

test("layers of ViT are known by their names in transformers 4 too, where `dense` is the attention's and both of the feed-forward", () => {
  const targets = (named: string) =>
    trainingConfig(onModel('google/vit-base-patch16-224', `target_modules: ${named}`)).spec.lora?.targets
  expect(targets('[query, value]')).toEqual(['q_proj', 'v_proj'])
  expect(targets('[q_proj, v_proj]')).toEqual(['q_proj', 'v_proj'])
  expect(targets('[dense]')).toEqual(['o_proj', 'fc1', 'fc2'])
})

describe('the head', () => {
  it('trains whole for the task type of classification', () => {
    const saved = (model: string, type: string) =>
      trainingConfig(onModel(model, `lora_task_type: ${type}`, 'target_modules: all-linear')).spec.lora?.modulesToSave
    expect(saved('google-bert/bert-base-uncased', 'SEQ_CLS')).toEqual(['classifier'])
    expect(saved('distilbert/distilbert-base-uncased', 'SEQ_CLS')).toEqual(['pre_classifier', 'classifier'])
    expect(saved('Qwen/Qwen2.5-0.5B', 'SEQ_CLS')).toEqual(['score'])
    expect(saved('Qwen/Qwen2.5-0.5B', 'CAUSAL_LM')).toBeUndefined()
  })

  it('trains whole where modules_to_save names it', () => {
    const text = onModel('google/vit-base-patch16-224', 'target_modules: [query]', 'modules_to_save: [classifier]')
    expect(trainingConfig(text).spec.lora).toMatchObject({ modulesToSave: ['classifier'] })
  })
})

test('a model whose layers are not known is refused', () => {
  expect(onlyProblemIn(onModel('microsoft/resnet-50'))).toMatchObject({ code: 'unsupported-setting', line: 3 })
})

test('adapters that name no layer are refused in words', () => {
  const text = onModel('Qwen/Qwen2.5-0.5B', 'target_modules: ""')
  expect(onlyProblemIn(text).message).toBe('Adapters are set, and no layer is named that gets them')
})
