/** Where scripts of a Trainer cut their text. */
import { describe, expect, it } from 'vitest'
import { problems, trained } from '../scripts.ts'

const script = (data: string) => `from transformers import AutoModelForCausalLM, AutoTokenizer, LineByLineTextDataset
from transformers import TextDataset, Trainer, TrainingArguments
tok = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2")
${data}
args = TrainingArguments("out", per_device_train_batch_size=8)
Trainer(model=model, args=args, train_dataset=data).train()
`

describe("transformers' data sets of text", () => {
  it.each([
    ['TextDataset(tokenizer=tok, file_path="a.txt", block_size=128)'],
    ['TextDataset(tok, "a.txt", 128)'],
    ['LineByLineTextDataset(tokenizer=tok, file_path="a.txt", block_size=64 * 2)'],
  ])('%s says how long its blocks are', async made => {
    const { spec, assumesLength } = await trained(script(`data = ${made}`))
    expect([spec.sequenceLength, assumesLength]).toEqual([128, undefined])
  })

  it('whatever the script cuts beside it', async () => {
    const beside = 'other = tok(text, truncation=True, max_length=512)\n'
    const data = 'data = TextDataset(tokenizer=tok, file_path="a.txt", block_size=128)'
    expect((await trained(script(beside + data))).spec.sequenceLength).toBe(128)
  })

  it('is asked for a length that only a run can tell', async () => {
    const data = 'data = TextDataset(tokenizer=tok, file_path="a.txt", block_size=int(asked()))'
    expect(await problems(script(data))).toMatchObject([{ code: 'not-in-file', field: 'block_size' }])
  })
})

describe('a tokenizer by another name', () => {
  it.each([
    ['tok(text, truncation=True, max_length=96)', 96],
    ['tok.encode(text, max_length=96, truncation=True)', 96],
    ['self.tk(text, padding="max_length", truncation="only_second", max_length=96)', 96],
    ['pipe(text, truncation=True, max_length=96)', 1024],
  ])('%s', async (call, length) => {
    expect((await trained(script(`data = ${call}`))).spec.sequenceLength).toBe(length)
  })
})
