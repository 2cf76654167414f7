/** Lengths that reach the tokenizer through functions of the script's own, wherever they are called or handed on. */
import { describe, expect, it } from 'vitest'
import { read, readBeside, trained } from '../scripts.ts'

const classifier = (above: string, mapped: string) => `from functools import partial
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
${above}
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=8), train_dataset=${mapped}).train()
`

const cut = 'def cut(tokenizer, length, rows):\n    return tokenizer(rows["text"], truncation=True, max_length=length)'
const cutRows =
  'def cut(rows, tokenizer, length=512):\n    return tokenizer(rows["text"], truncation=True, max_length=length)'

describe('a function that cuts text is handed on', () => {
  it.each([
    [cut, 'data.map(partial(cut, tokenizer, 192))'],
    [cut, 'data.map(partial(cut, tokenizer, length=192), batched=True)'],
    [cutRows, 'data.map(cut, fn_kwargs={"tokenizer": tokenizer, "length": 192})'],
    [cutRows, 'data.map(function=cut, batched=True, fn_kwargs=dict(tokenizer=tokenizer, length=192))'],
  ])('with the length: %s, %s', async (above, mapped) => {
    const { spec, assumptions } = await trained(classifier(above, mapped))
    expect(spec.sequenceLength).toBe(192)
    expect(assumptions.join()).not.toContain('length')
  })

  it('with two lengths, which are asked for', async () => {
    const above = `${cut}\nshort = data.map(partial(cut, tokenizer, 64))`
    const reading = await read(classifier(above, 'data.map(partial(cut, tokenizer, 192))'))
    expect(reading).toMatchObject({ kind: 'unreadable', problems: [{ code: 'not-in-file', field: 'max_length' }] })
  })
})

describe('a length goes through several files', () => {
  const files = {
    'data.py':
      'from tokens import cut\ndef load(tokenizer, longest):\n    return Rows(cut(tokenizer, longest, read()))\n',
    'tokens.py': `${cut}\n`,
  }
  const script = classifier('from data import load', 'load(tokenizer, longest=96)')

  it('of which the script calls the first', async () => {
    expect(await readBeside(script, files)).toMatchObject({ spec: { sequenceLength: 96 } })
  })

  it('whose own demonstrations do not run', async () => {
    const data = `${files['data.py']}if __name__ == "__main__":\n    load(tokenizer, 2048)\n`
    expect(await readBeside(script, { ...files, 'data.py': data })).toMatchObject({ spec: { sequenceLength: 96 } })
  })
})

describe('what a script sets on its options', () => {
  const files = {
    'main.py': `import argparse
from trainer import Tagging
MODELS = {"base": "bert-base-cased", "large": "bert-large-cased"}
def main(args):
    Tagging(args).train(rows)
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--model_type", default="large")
    parser.add_argument("--train_batch_size", type=int, default=32)
    args = parser.parse_args()
    args.model_name = MODELS[args.model_type]
    main(args)
`,
  }
  const trainer = `import torch
from torch.utils.data import DataLoader
from transformers import BertForTokenClassification
class Tagging:
    def __init__(self, args):
        self.args = args
        self.model = BertForTokenClassification.from_pretrained(args.model_name, num_labels=9)
    def train(self, data):
        optimizer = torch.optim.AdamW(self.model.parameters())
        for batch in DataLoader(data, batch_size=self.args.train_batch_size):
            self.model(**batch.to("cuda")).loss.backward()
            optimizer.step()
`
  it('goes with them to other files', async () => {
    const caller = files['main.py'].replace('from trainer import Tagging', trainer)
    const named = { model: 'google-bert/bert-large-cased', microBatch: 32 }
    expect(await readBeside(caller, {})).toMatchObject({ spec: named })
  })
})

describe('a data set that the script tokenises before SFTTrainer gets it', () => {
  const tuning = (length: number | string, given = '') => `from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer
tokenizer = AutoTokenizer.from_pretrained("gpt2")
tokenizer.model_max_length = 512
def tokenize(batch):
    return tokenizer(batch["text"], truncation=True, padding="max_length", max_length=${length})
rows = data.map(tokenize, batched=True)
model = AutoModelForCausalLM.from_pretrained("gpt2")
args = SFTConfig("out", per_device_train_batch_size=2${given})
SFTTrainer(model=model, args=args, train_dataset=rows).train()
`
  it.each<readonly [string, number, string]>([
    ['is as long as that', 256, tuning(256)],
    ["is as long as the tokenizer's limit that the script sets", 512, tuning('tokenizer.model_max_length')],
    ['is cut by TRL where it is longer', 1_024, tuning(4_096)],
    ['is cut to what SFTConfig says', 128, tuning(256, ', max_length=128')],
  ])('%s: %d', async (_, length, script) => {
    expect((await trained(script)).spec.sequenceLength).toBe(length)
  })

  it.each<readonly [string, number, string]>([
    ['is as long as a file of the repository cuts it', 256, 'data.map(tokenize, batched=True)'],
    ['is cut by TRL where that file maps something else', 1_024, 'data.map(lambda row: row)'],
  ])('%s: %d', async (_, sequenceLength, mapping) => {
    const rows = `from transformers import AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained("gpt2")
def tokenize(batch):
    return tokenizer(batch["text"], truncation=True, max_length=256)
def get_rows(data):
    return ${mapping}
`
    const script = `from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer
from tokenized import get_rows
model = AutoModelForCausalLM.from_pretrained("gpt2")
args = SFTConfig("out", per_device_train_batch_size=2)
SFTTrainer(model=model, args=args, train_dataset=get_rows(data)).train()
`
    expect(await readBeside(script, { 'tokenized.py': rows })).toMatchObject({ spec: { sequenceLength } })
  })
})
