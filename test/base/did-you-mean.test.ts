import { describe, expect, test } from 'vitest'
import { closest, didYouMean } from '../../engine/base/did-you-mean.ts'
import { modelNames } from '../../engine/models/catalogue.ts'

describe('did you mean', () => {
  test.each([
    ['a slip', 'estimat', ['check', 'estimate'], 'Did you mean estimate?'],
    ['another case', 'A11', ['a10', 'h100'], 'Did you mean a10?'],
    ['a part', 'batch', ['batch_size', 'model', 'eval_batch_size'], 'Did you mean batch_size or eval_batch_size?'],
    ['the parts of a name', 'llama-1b', ['meta-llama/Llama-3.2-1B', 'gpt2'], 'Did you mean meta-llama/Llama-3.2-1B?'],
  ])('asks after %s', (_, given, known, question) => {
    expect(didYouMean(given, known)).toBe(question)
    expect(didYouMean(given, known, 'Known: all.')).toBe(`${question} Known: all.`)
  })

  test.each([
    ['what is known', 'waste', ['waste', 'paste']],
    ['what is like nothing', 'nonsense', ['a10', 'h100']],
    ['too few letters to tell', 'a', ['a10', 'a100-80gb']],
    ['a name that is too long', 'x'.repeat(10_000), ['x'.repeat(99)]],
  ])('asks nothing after %s', (_, given, known) => {
    expect(didYouMean(given, known)).toBe('')
    expect(didYouMean(given, known, 'Known: all.')).toBe('Known: all.')
  })

  test('names at most three, and ids of models before their short forms', () => {
    expect(didYouMean('qwen2.5', modelNames)).toMatch(/^Did you mean Qwen\/Qwen2\.5-\S+, Qwen\/\S+ or Qwen\/\S+\?$/)
  })
})

test('the closest is as it is written, and at most two edits away', () => {
  expect(closest('bert-base-uncasd', modelNames)).toBe('bert-base-uncased')
  expect(closest('RESNET-5O', ['microsoft/resnet-50', 'ResNet-50'])).toBe('ResNet-50')
  expect(closest('bert-case', ['bert-base-uncased'])).toBeUndefined()
})
