/** Dictionaries and objects that a script changes after it has made them. */
import { describe, expect, it } from 'vitest'
import { problems, read, trained } from '../scripts.ts'

const header = `import copy
import os
import torch
from peft import LoraConfig
from transformers import AutoConfig, AutoModelForCausalLM, BitsAndBytesConfig
from trl import SFTConfig, SFTTrainer
four = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4")
`

const training = (options: string, indent = '') =>
  [
    `model = AutoModelForCausalLM.from_pretrained("gpt2", **${options})`,
    'adapter = LoraConfig(r=16, target_modules="all-linear")',
    'arguments = SFTConfig(per_device_train_batch_size=4, max_length=512)',
    'SFTTrainer(model=model, args=arguments, peft_config=adapter).train()',
  ].join(`\n${indent}`)

describe('a dictionary that from_pretrained is given', () => {
  it.each([
    ['an item', 'options = dict(device_map="auto")\noptions["quantization_config"] = four'],
    ['an item under a condition that holds', 'options = {}\nif True:\n    options["quantization_config"] = four'],
    ['an update by names', 'options = dict(device_map="auto")\noptions.update(quantization_config=four)'],
    ['an update by a dictionary', 'options = dict()\noptions.update({"quantization_config": four})'],
    ['an item that it lacked', 'options = dict()\noptions.setdefault("quantization_config", four)'],
    ['a union', 'options = dict(device_map="auto")\noptions |= {"quantization_config": four}'],
    ['a copy with more', 'options = dict(dict(device_map="auto"), quantization_config=four)'],
    ['a deep copy', 'options = copy.deepcopy(dict(quantization_config=four))'],
    [
      'a function that returns it',
      'def made():\n    options = dict()\n    options["quantization_config"] = four\n    return options\noptions = made()',
    ],
    [
      'a function that is given it',
      'def add(to):\n    to["quantization_config"] = four\noptions = dict()\nadd(options)',
    ],
    [
      'an item of an item',
      'settings = {"load": {"device_map": "auto"}}\nsettings["load"]["quantization_config"] = four\noptions = settings["load"]',
    ],
    [
      'an update of an item',
      'settings = {"load": {}}\nsettings["load"].update(load_in_4bit=True)\noptions = settings["load"]',
    ],
    [
      'an item that is put back',
      'options = dict(quantization_config=four)\nkept = options.pop("quantization_config")\noptions["quantization_config"] = kept',
    ],
  ])('has what was set by %s', async (_, above) => {
    expect((await trained(`${header}${above}\n${training('options')}\n`)).spec.quantization).toBe('nf4')
  })

  it('has what the file set before the function that uses it runs', async () => {
    const above = 'options = dict(device_map="auto")\noptions["quantization_config"] = four\ndef main():\n    '
    const { spec } = await trained(`${header}${above}${training('options', '    ')}\nmain()\n`)
    expect(spec.quantization).toBe('nf4')
  })

  it('has what the maker of its object set', async () => {
    const above =
      'class Run:\n    def __init__(self):\n        self.options = {}\n        self.options["quantization_config"] = four\n    def start(self):\n        '
    const { spec } = await trained(`${header}${above}${training('self.options', '        ')}\nRun().start()\n`)
    expect(spec.quantization).toBe('nf4')
  })

  it.each([
    ['popped', 'options = dict(quantization_config=four)\noptions.pop("quantization_config")'],
    ['deleted', 'options = dict(quantization_config=four)\ndel options["quantization_config"]'],
    ['cleared', 'options = dict(quantization_config=four)\noptions.clear()'],
    [
      'of an earlier dictionary',
      'options = {}\noptions["quantization_config"] = four\noptions = dict(device_map="auto")',
    ],
    ['set in a branch that is not taken', 'options = {}\nif False:\n    options["quantization_config"] = four'],
  ])('has nothing of what was %s', async (_, above) => {
    expect((await trained(`${header}${above}\n${training('options')}\n`)).spec.quantization).toBeUndefined()
  })

  it.each([
    [
      'under a condition of run time',
      'options = dict()\nif os.environ["FOUR"]:\n    options["quantization_config"] = four',
      'whether options is updated depends on "os.environ["FOUR"]" (line 9)',
    ],
    [
      'in another function',
      'options = dict()\ndef prepare():\n    options["quantization_config"] = four\nprepare()',
      'may be set in prepare() (line 10)',
    ],
    [
      'under a name that a loop gives',
      'options = dict()\nfor key, value in read().items():\n    options[key] = value',
      'what is unpacked from "key" (line 10) may set it',
    ],
  ])('is asked for where it may be set %s', async (_, above, why) => {
    const [problem] = await problems(`${header}${above}\n${training('options')}\n`)
    expect(problem).toMatchObject({
      code: 'not-in-file',
      field: expect.stringMatching(/quantization_config|load_in_4bit/),
    })
    expect(problem?.message).toContain(why)
  })

  it('counts where both branches set the same', async () => {
    const above =
      'options = {}\nif os.environ["A"]:\n    options["load_in_4bit"] = True\nelse:\n    options["load_in_4bit"] = True'
    expect((await trained(`${header}${above}\n${training('options')}\n`)).spec.quantization).toBe('nf4')
  })
})

const objects = (above: string, beside = '') => `${header}model = AutoModelForCausalLM.from_pretrained("gpt2")
adapter = LoraConfig(r=8, target_modules="all-linear")
arguments = SFTConfig(per_device_train_batch_size=4, max_length=512)
${above}
SFTTrainer(model=model, args=arguments, peft_config=adapter).train()
${beside}`

describe('an object that a trainer is given', () => {
  it.each([
    ['an attribute', 'arguments.per_device_train_batch_size = 16'],
    ['setattr', 'setattr(arguments, "per_device_train_batch_size", 16)'],
    ['a function that is given it', 'def grow(it):\n    it.per_device_train_batch_size = 16\ngrow(arguments)'],
  ])('has what was set by %s, at its place', async (_, above) => {
    const { spec, batchSizeAt } = await trained(objects(above))
    expect(spec.microBatch).toBe(16)
    expect(batchSizeAt?.line).toBeGreaterThan(10)
  })

  it('has attributes of every kind', async () => {
    const above =
      'arguments.gradient_checkpointing = False\narguments.optim = "adamw_8bit"\narguments.max_length = 256\nadapter.r = 64'
    const { spec } = await trained(objects(above))
    expect(spec).toMatchObject({ optimizer: 'adamw-8bit', sequenceLength: 256, lora: { rank: 64 } })
    expect(spec.gradientCheckpointing).toBe(false)
  })

  it('is asked for where run time decides', async () => {
    const [problem] = await problems(objects('if os.environ["A"]:\n    arguments.per_device_train_batch_size = 16'))
    expect(problem).toMatchObject({ code: 'not-in-file', field: 'per_device_train_batch_size' })
    expect(problem?.message).toContain('depends on "os.environ["A"]"')
  })

  it.each([
    'other = arguments\nother.per_device_train_batch_size = 16',
    'vars(arguments)["per_device_train_batch_size"] = 16',
    'arguments.__dict__["per_device_train_batch_size"] = 16',
    'arguments.__dict__.update(per_device_train_batch_size=16)',
    'vars(arguments).update({"per_device_train_batch_size": 16})',
  ])('has what is set by another name, or in its dictionary: %j', async above => {
    expect((await trained(objects(above))).spec.microBatch).toBe(16)
  })

  it.each([
    'for name, value in loaded.items():\n    setattr(arguments, name, value)',
    'vars(arguments).update(loaded)',
  ])('is not known where names from elsewhere are set: %j', async above => {
    expect(await read(objects(above))).toMatchObject({
      kind: 'not-a-training-config',
      why: expect.stringMatching(/which of the trainer's arguments are set depends on .+ \(line \d+\)/),
    })
  })

  it('has nothing of what is set when the trainer is made', async () => {
    expect((await trained(objects('', 'arguments.per_device_train_batch_size = 16'))).spec.microBatch).toBe(4)
  })

  it('of quantisation has what was set', async () => {
    const script = `${header}given = BitsAndBytesConfig()
given.load_in_4bit = True
${training('dict(quantization_config=given)')}
`
    expect((await trained(script)).spec.quantization).toBe('nf4')
  })
})

it.each(['num_hidden_layers = 2', 'quantization_config = four'])(
  'a config that a script changes before it loads the model is named: %s',
  async change => {
    const script = `${header}config = AutoConfig.from_pretrained("gpt2")\nconfig.${change}\n${training('dict(config=config)')}\n`
    const { unreadSettings } = await trained(script)
    expect(unreadSettings?.map(({ name }) => name)).toEqual([change.split(' ')[0]])
  },
)

it('an object of the repository that is changed has that where it is passed on', async () => {
  const script = `${header}class Settings:
    batch = 2
def main(settings):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    arguments = SFTConfig(per_device_train_batch_size=settings.batch, max_length=512)
    SFTTrainer(model=model, args=arguments).train()
chosen = Settings()
chosen.batch = 32
main(chosen)
`
  expect(await read(script)).toMatchObject({ spec: { microBatch: 32 } })
})

it('a dictionary that is made anew of itself in each of thousands of lines is not followed to its beginning', async () => {
  const script = `${header}options = dict(batch=4)
${'options = dict(options, device_map="auto")\n'.repeat(2_000)}
model = AutoModelForCausalLM.from_pretrained("gpt2")
arguments = SFTConfig(per_device_train_batch_size=options["batch"], max_length=512)
SFTTrainer(model=model, args=arguments).train()
`
  expect((await problems(script)).map(({ message }) => message)).toEqual([
    expect.stringContaining('"options["batch"]" (line 2011) depends on run time'),
  ])
})
