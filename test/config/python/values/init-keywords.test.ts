/** Attributes that an `__init__` sets by the keywords that it is given. */
import { describe, expect, it } from 'vitest'
import { problems, trained } from '../scripts.ts'

const script = (
  init: string,
  given: string,
) => `from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

class Base:
    def __init__(self, **kwargs):
        for key, value in kwargs.items():
            setattr(self, key, value)

class Config${init}

cfg = Config(${given})
model = AutoModelForCausalLM.from_pretrained("gpt2")
args = TrainingArguments("out", per_device_train_batch_size=cfg.batch, fp16=cfg.half)
Trainer(model=model, args=args, train_dataset=data).train()
`

const loop = 'for key, value in kwargs.items():\n            setattr(self, key, value)'
const defaults = 'self.batch = 4\n        self.half = True'
const initWith = (body: string) => `:\n    def __init__(self, **kwargs):\n        ${body}`
const precision = { microBatch: 8, precision: 'fp32' }

describe('keywords given to __init__', () => {
  it.each<readonly [string, string]>([
    ['are set by a loop', initWith(`${defaults}\n        ${loop}`)],
    ['update the attributes', initWith(`${defaults}\n        self.__dict__.update(kwargs)`)],
    ['update them by vars', initWith(`${defaults}\n        vars(self).update(**kwargs)`)],
    [
      'stand over those of the class',
      `:\n    batch = 4\n    half = True\n    def __init__(self, **kwargs):\n        ${loop}`,
    ],
    ['are set by the class that it extends', '(Base):\n    batch = 4\n    half = True'],
  ])('%s', async (_, init) => {
    expect((await trained(script(init, 'batch=8, half=False'))).spec).toMatchObject(precision)
  })

  it('leave what they do not name', async () => {
    const { spec } = await trained(script(initWith(`${defaults}\n        ${loop}`), 'batch=8'))
    expect(spec).toMatchObject({ microBatch: 8, precision: 'amp-fp16' })
  })

  it('are set over again by what follows', async () => {
    const { spec } = await trained(script(initWith(`${loop}\n        ${defaults}`), 'batch=8, half=False'))
    expect(spec).toMatchObject({ microBatch: 4, precision: 'amp-fp16' })
  })

  it('are asked for where a run decides them', async () => {
    const found = await problems(script(initWith(`${defaults}\n        ${loop}`), '**asked()'))
    expect(found).toContainEqual(expect.objectContaining({ field: 'per_device_train_batch_size' }))
  })
})
