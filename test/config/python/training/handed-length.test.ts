/** The length that a script hands to a data set of the repository's, which the file of the data set may not show. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../../engine/config/read.ts'
import { readBeside, trained } from '../scripts.ts'

const dataset = `from torch.utils.data import Dataset
class RowsDataset(Dataset):
    def __init__(self, path, tokenizer, max_length=512):
        self.rows = [encode(row, tokenizer)[:max_length] for row in open(path)]
`

const script = (handed: string, imports = 'from rows import RowsDataset') => `import argparse
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
${imports}
parser = argparse.ArgumentParser()
parser.add_argument("--max-length", type=int, default=768)
parser.add_argument("--chosen-length", type=int, required=True)
args = parser.parse_args()
tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2")
data = ${handed}
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=2), train_dataset=data).train()
`

describe('a length handed to a data set of the repository', () => {
  it.each([
    ['as an option', 'RowsDataset("a", tokenizer=tokenizer, max_length=args.max_length)', 768],
    ['as a number', 'RowsDataset("a", tokenizer, max_length=300)', 300],
    ['of tokens', 'RowsDataset("a", tokenizer, max_token_len=128)', 128],
    ['of input', 'RowsDataset("a", tokenizer, max_input_length=200)', 200],
    ['by its place', 'RowsDataset("a", tokenizer, args.max_length)', 768],
    [
      'by its place, from a dictionary',
      '[sizes := {"max_len": 96}, RowsDataset("a", tokenizer, sizes["max_len"])][1]',
      96,
    ],
    ['by its place, of no run yet', 'RowsDataset("a", tokenizer, args.chosen_length)', 1_024],
    ['by its place, beside no tokenizer', 'RowsDataset("a", other, args.max_length)', 1_024],
  ])('counts %s', async (_, handed, sequenceLength) => {
    expect(await readBeside(script(handed), { 'rows.py': dataset })).toMatchObject({ spec: { sequenceLength } })
  })

  it('counts that of a data set that is called generic', async () => {
    const text = script('GenericDataset("a", tokenizer, max_length=300)', 'from rows import GenericDataset')
    const files = { 'rows.py': dataset.replace('RowsDataset', 'GenericDataset') }
    expect(await readBeside(text, files)).toMatchObject({ spec: { sequenceLength: 300 } })
  })

  it('is asked for where only a run tells it', async () => {
    const handed = 'RowsDataset("a", tokenizer=tokenizer, max_length=args.chosen_length)'
    expect(await readBeside(script(handed), { 'rows.py': dataset })).toMatchObject({
      problems: [{ message: expect.stringContaining('--chosen-length (line 6)') }],
    })
  })

  it('is none of what evaluates', async () => {
    const handed = 'RowsDataset("a", tokenizer)\ntest = make_test_data("b", tokenizer, max_length=64)'
    const imports = 'from rows import RowsDataset, make_test_data'
    expect(await readBeside(script(handed, imports), { 'rows.py': dataset })).toMatchObject({
      spec: { sequenceLength: 1_024 },
    })
  })

  it('is named where SFTTrainer cuts to a length of its own', async () => {
    const text = script('RowsDataset("a", tokenizer, max_length=2048)')
      .replace('Trainer, TrainingArguments', 'TrainingArguments')
      .replace('import argparse', 'import argparse\nfrom trl import SFTTrainer')
      .replace('Trainer(model', 'SFTTrainer(model')
    expect(await readBeside(text, { 'rows.py': dataset })).toMatchObject({
      unreadSettings: [{ name: 'max_length', at: { line: 11 } }],
    })
  })

  it('is read where what calls the training has its data from', async () => {
    const files: Readonly<Record<string, string>> = {
      'run.py': `from datarows import tokenized
from train import fine_tune
fine_tune(tokenized(rows, 200), 2)
`,
      'datarows.py': `def tokenized(rows, limit):
    return [tokenizer(row, truncation=True, max_length=limit) for row in rows]
`,
    }
    const text = `from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
def fine_tune(data, size):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    arguments = TrainingArguments("out", per_device_train_batch_size=size)
    Trainer(model=model, args=arguments, train_dataset=data).train()
`
    const sources = {
      readFile: async (path: string) => files[path],
      listFolder: async (path: string) => (path === '.' ? Object.keys(files) : []),
    }
    expect(await readConfigAsync({ path: 'train.py', text }, sources)).toMatchObject({
      spec: { microBatch: 2, sequenceLength: 200 },
    })
  })

  it('is read in a file that a function imports', async () => {
    const cuts = dataset.replace('encode(row, tokenizer)[:max_length]', 'tokenizer(row, max_length=max_length)')
    const text = `from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
def main():
    from datarows import RowsDataset
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    data = RowsDataset("a", tokenizer)
    Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=2), train_dataset=data).train()
main()
`
    expect(await readBeside(text, { 'datarows.py': cuts })).toMatchObject({ spec: { sequenceLength: 512 } })
  })
})

it.each([
  ['    batch["labels"] = processor.tokenizer(batch["sentence"], max_length=256, truncation=True).input_ids', 256],
  ['    return {"labels": processor.tokenizer(batch["sentence"], max_length=128).input_ids}', 128],
  ['    labels = [processor.tokenizer(each, max_length=64).input_ids for each in batch["sentence"]]', 64],
  ['    batch["labels"] = processor.tokenizer(batch["sentence"]).input_ids', 448],
])('transcripts are as long as labels are cut: %s', async (line, tokens) => {
  const text = `from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, WhisperForConditionalGeneration
model = WhisperForConditionalGeneration.from_pretrained("openai/whisper-small")
def prepare(batch):
${line}
args = Seq2SeqTrainingArguments("out", per_device_train_batch_size=16)
Seq2SeqTrainer(model=model, args=args, train_dataset=ds.map(prepare)).train()
`
  expect((await trained(text)).spec.sequenceLength).toBe(tokens)
})

it.each([
  ['"labels": inputs.input_ids', 256],
  ['"labels": inputs["input_ids"]', 256],
  ['"labels": input_ids', 256],
  ['"labels": tokenizer(answer, max_length=64).input_ids', 64],
  ['"labels": others', 128],
])('targets are as long as sources where they are the same: %s', async (labels, tokens) => {
  const text = `from transformers import T5ForConditionalGeneration, T5Tokenizer, Trainer, TrainingArguments
tokenizer = T5Tokenizer.from_pretrained("t5-small")
model = T5ForConditionalGeneration.from_pretrained("t5-small")
def encode(text):
    inputs = tokenizer(text, max_length=256, padding="max_length", truncation=True)
    input_ids = inputs.input_ids
    return {"input_ids": input_ids, ${labels}}
args = TrainingArguments("out", per_device_train_batch_size=2)
Trainer(model=model, args=args, train_dataset=data.map(encode)).train()
`
  expect((await trained(text)).spec).toMatchObject({ sequenceLength: 256, targetLength: tokens })
})
