/** Objects made of others: copies, copies with other values, calls that are completed later, and names bound within expressions. */
import { describe, expect, it } from 'vitest'
import { read, trained } from '../scripts.ts'

const script = (args: string) => `import copy
import dataclasses
from dataclasses import dataclass, replace
from functools import partial
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

@dataclass
class Settings:
    batch: int = 16
    half: bool = True

model = AutoModelForCausalLM.from_pretrained("gpt2")
base = TrainingArguments("out", per_device_train_batch_size=16, fp16=True)
settings = Settings(batch=32)
${args}
Trainer(model=model, args=args, train_dataset=data).train()
`
const ofSettings = 'args = TrainingArguments("out", per_device_train_batch_size=settings.batch, fp16=settings.half)'

const specOf = async (args: string) => {
  const { microBatch, gradientAccumulation, precision } = (await trained(script(args))).spec
  return [microBatch, gradientAccumulation, precision]
}

describe('what is read', () => {
  it.each<readonly [string, readonly unknown[]]>([
    ['args = dataclasses.replace(base, per_device_train_batch_size=4)', [4, 1, 'amp-fp16']],
    ['base.fp16 = False\nargs = replace(base, per_device_train_batch_size=4)', [4, 1, 'fp32']],
    ['args = copy.deepcopy(base)\nargs.per_device_train_batch_size = 4', [4, 1, 'amp-fp16']],
    [`settings = replace(settings, half=False)\n${ofSettings}`, [32, 1, 'fp32']],
    [
      'make = partial(TrainingArguments, "out", fp16=True)\nargs = make(per_device_train_batch_size=4)',
      [4, 1, 'amp-fp16'],
    ],
    [
      'make = partial(TrainingArguments, "out", per_device_train_batch_size=8, gradient_accumulation_steps=2)\nargs = make(per_device_train_batch_size=4)',
      [4, 2, 'fp32'],
    ],
    ['if (size := 24) > 10:\n    args = TrainingArguments("out", per_device_train_batch_size=size)', [24, 1, 'fp32']],
    ['args = TrainingArguments("out", per_device_train_batch_size=(size := 24))', [24, 1, 'fp32']],
  ])('%s', async (args, of) => {
    expect(await specOf(args)).toEqual(of)
  })
})

it('what is unpacked into a copy and not known leaves its arguments open', async () => {
  const reading = await read(script('args = replace(base, **asked())'))
  expect(reading).toMatchObject({ kind: 'not-a-training-config' })
})

it('a copy of a model is none that is followed', async () => {
  const reading = await read(script('model = copy.deepcopy(model)\nargs = base'))
  expect(reading).toMatchObject({ kind: 'unreadable', problems: [{ field: 'model_name_or_path' }] })
})
