/** Extractive question answering, lengths up to the tokenizer's own limit, and Accelerate's word for no mixed precision. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { problems, trained } from './scripts.ts'

const answering = (length: string, name = 'bert-base-cased') => `from transformers import *
tokenizer = AutoTokenizer.from_pretrained("${name}")
prepared = data.map(lambda row: tokenizer(row["question"], row["context"], max_length=${length}))
model = AutoModelForQuestionAnswering.from_pretrained("${name}")
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=8), train_dataset=prepared).train()
`

describe('question answering', () => {
  it('is a task of encoders, which scores where the answer starts and where it ends', async () => {
    const { spec, assumptions } = await trained(answering('384'))
    expect(spec).toMatchObject({ task: 'question-answering', labels: 2, sequenceLength: 384, paddedBatches: true })
    expect(assumptions.join()).not.toContain('label')
  })

  it('trains its head whole beside adapters', async () => {
    const script = answering('384').replace(
      'Trainer(model',
      'model = get_peft_model(model, LoraConfig(r=8, target_modules=["query"], task_type=TaskType.QUESTION_ANS))\nTrainer(model',
    )
    const { spec } = await trained(`from peft import LoraConfig, TaskType, get_peft_model\n${script}`)
    expect(spec.lora).toMatchObject({ targets: ['query'], modulesToSave: ['qa_outputs'] })
  })

  it('is refused on a model without that head', async () => {
    expect((await problems(answering('384', 'gpt2')))[0]).toMatchObject({ code: 'unsupported-task' })
  })
})

describe("the tokenizer's own limit", () => {
  it('is no lower than what the script cuts at, and nothing blocks by that', async () => {
    const { spec, assumptions, assumesCode } = await trained(answering('min(384, tokenizer.model_max_length)'))
    expect(spec.sequenceLength).toBe(384)
    expect(assumesCode).toBe(true)
    expect(assumptions.join()).toContain("The tokenizer's own limit (line 3) is taken to be no lower")
  })

  it.each(['min(384, longest)', 'max(384, tokenizer.model_max_length)'])('says nothing of %s', async length => {
    expect((await problems(answering(length)))[0]).toMatchObject({ code: 'not-in-file' })
  })
})

describe('a block that is cut to the tokenizer’s own limit, and to a number beneath it', () => {
  const blocks = (cut: string) =>
    answering('block_size').replace('prepared =', `block_size = tokenizer.model_max_length\n${cut}\nprepared =`)

  it('is as long as that number, as in transformers’ example scripts', async () => {
    const { spec, assumptions, assumesCode } = await trained(blocks('if block_size > 320:\n    block_size = 320'))
    expect(spec.sequenceLength).toBe(320)
    expect(assumesCode).toBe(true)
    expect(assumptions.join()).toContain("The tokenizer's own limit (line 3) is taken to be no lower")
  })

  it.each(['if other > 320:\n    block_size = 320', 'if block_size < 320:\n    block_size = 320'])(
    'but not by %j',
    async cut => {
      expect((await problems(blocks(cut)))[0]?.message).toContain('it is set in several places')
    },
  )
})

describe("Accelerate's mixed_precision", () => {
  const loop = `import argparse
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification
parser = argparse.ArgumentParser()
parser.add_argument("--mixed_precision", default="fp16")
args = parser.parse_args()
accelerator = Accelerator(mixed_precision=args.mixed_precision)
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
optimizer = torch.optim.AdamW(model.parameters())
model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(data, batch_size=8))
for batch in loader:
    accelerator.backward(model(**batch).loss)
    optimizer.step()
`
  it.each([
    ['"no"', 'fp32'],
    ['no', 'fp32'],
    ['bf16', 'amp-bf16'],
  ])('of a launcher that says %s is %s', async (word, precision) => {
    const reading = await readConfigAsync(
      { path: 'run.sh', text: `accelerate launch train.py --mixed_precision ${word}\n` },
      { readFile: async path => (path === 'train.py' ? loop : undefined) },
    )
    const script = await readConfigAsync(
      {
        path: 'train.py',
        text: loop,
        passed: [
          {
            name: 'mixed_precision',
            values: [{ text: word.replaceAll('"', ''), from: 0, remarks: [] }],
            launcher: { path: 'run.sh', text: '' },
            from: 0,
          },
        ],
      },
      {},
    )
    expect([reading, script].find(({ kind }) => kind === 'training-config')).toMatchObject({ spec: { precision } })
  })
})
