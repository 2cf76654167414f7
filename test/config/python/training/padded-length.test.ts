/** Lengths that a script gives its tokenizer, or pads its batches to. */
import { describe, expect, it } from 'vitest'
import { problems, trained } from '../scripts.ts'

interface Parts {
  readonly load?: string
  readonly set?: string
  readonly cut?: string
  readonly collator?: string
  readonly below?: string
}

const script = ({ load = '', set = '', cut = 'truncation=True', collator = 'None', below = '' }: Parts) => `import os
from transformers import AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding
from transformers import Trainer, TrainingArguments
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased"${load})
${set}
train = data.map(lambda batch: tokenizer(batch["text"], ${cut}))
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=3)
args = TrainingArguments("out", per_device_train_batch_size=8)
trainer = Trainer(model=model, args=args, train_dataset=train, data_collator=${collator})
trainer.train()
${below}
`

const lengthOf = async (parts: Parts) => (await trained(script(parts))).spec.sequenceLength
const collator = (given: string) => `DataCollatorWithPadding(tokenizer, ${given})`

describe("the tokenizer's own length", () => {
  it.each<readonly [string, Parts, number]>([
    ['given as it is loaded', { load: ', model_max_length=256' }, 256],
    ['set on it', { set: 'tokenizer.model_max_length = 256' }, 256],
    [
      'set over what it is loaded with',
      { load: ', model_max_length=64', set: 'tokenizer.model_max_length = 256' },
      256,
    ],
    ['below that of a call', { load: ', model_max_length=256', cut: 'truncation=True, max_length=96' }, 96],
    ['of something else', { set: 'config.model_max_length = 256' }, 512],
  ])('%s', async (_, parts, length) => {
    expect(await lengthOf(parts)).toBe(length)
  })

  it('is asked for where a run decides it', async () => {
    const text = script({ set: 'tokenizer.model_max_length = int(os.environ["LENGTH"])' })
    expect(await problems(text)).toMatchObject([{ code: 'not-in-file', field: 'max_length' }])
  })
})

describe('text filled up to no length of its own', () => {
  const cut = 'padding="max_length", truncation=True'
  const of = (name: string) => script({ cut }).replaceAll('bert-base-uncased', name)

  it.each<readonly [string, number]>([
    ['gpt2', 1_024],
    ['roberta-base', 512],
  ])('is as long as the positions of %s', async (name, length) => {
    const { spec, assumptions, assumesLength } = await trained(of(name))
    expect(spec.sequenceLength).toBe(length)
    expect(assumesLength).toBeUndefined()
    expect(assumptions).toContain(
      `Sequences of ${length} tokens: text is filled up to the tokenizer's own limit, taken to be the model's.`,
    )
  })

  it('is as long as the tokenizer was told', async () => {
    expect(await lengthOf({ cut, load: ', model_max_length=256' })).toBe(256)
  })

  it('is not told of models without a table of positions, whose tokenizers may have no limit', async () => {
    const { assumesLength } = await trained(of('Qwen/Qwen3-0.6B'))
    expect(assumesLength).toBe(true)
  })
})

describe('a collator', () => {
  const cut = 'truncation=True, max_length=192'

  it.each<readonly [string, string, number]>([
    ['fills batches up to its length', collator('padding="max_length", max_length=320'), 320],
    ['does not cut them', collator('padding="max_length", max_length=128'), 192],
    ['heeds its length with that padding alone', collator('padding="longest", max_length=320'), 192],
  ])('%s', async (_, made, length) => {
    expect(await lengthOf({ cut, collator: made })).toBe(length)
  })
})

it('what is cut once the model is trained says nothing of the training', async () => {
  const below = 'encoded = tokenizer("a sentence", truncation=True, max_length=512)\nmodel(**encoded)'
  expect(await lengthOf({ cut: 'truncation=True, max_length=64', below })).toBe(64)
})
