/** What a script makes of files that only earlier runs leave behind, and of a model that its methods wrap one after the other. */
import { describe, expect, it } from 'vitest'
import { finetuning, problems, readBeside, trained } from './scripts.ts'

const batch = 'per_device_train_batch_size'
const isThere = 'finds no file but the repository'

describe('where branches hang on a file, a first run counts', () => {
  it.each([
    ['os.path.exists', 'b = 12\nif os.path.exists("out/last"):\n    b = 64'],
    ['a path of pathlib', 'if (Path(folder) / "last").is_dir():\n    b = 64\nelse:\n    b = 12'],
    ['not', 'if not os.path.isfile(last):\n    b = 12\nelse:\n    b = 64'],
    ['and', 'b = 12\nif resume and os.path.exists(last):\n    b = 64'],
    [
      'what a function returns',
      'def pick(n):\n    if os.path.isdir(n):\n        return 64\n    return 12\nb = pick(n)',
    ],
    [
      'one of several that it returns',
      'def pick(n):\n    if os.path.isdir(n):\n        return 64, n\n    return 12, n\nb, n = pick(n)',
    ],
  ])('by %s, which is told and never blocks', async (_, above) => {
    const { spec, assumptions, assumesCode } = await trained(finetuning(above, `${batch}=b`))
    expect(spec.microBatch).toBe(12)
    expect(assumptions.join('\n')).toContain(isThere)
    expect(assumesCode).toBe(true)
  })

  it('but not where more than the file decides', async () => {
    const above = 'b = 12\nif resume or os.path.exists(last):\n    b = 64'
    const [problem] = await problems(finetuning(above, `${batch}=b`))
    expect(problem?.message).toContain('it is set in several places')
  })

  it('and nothing is told where both branches set the same', async () => {
    const above = 'b = 12\nif os.path.exists("out/last"):\n    b = 12'
    const { assumptions, assumesCode } = await trained(finetuning(above, `${batch}=b`))
    expect(assumptions.join('\n')).not.toContain(isThere)
    expect(assumesCode).toBeUndefined()
  })

  it('with the settings that the repository has', async () => {
    const above = 'b = 64\nif os.path.exists("batch.json"):\n    b = json.load(open("batch.json"))["b"]'
    const reading = await readBeside(finetuning(above, `${batch}=b`), { 'batch.json': '{"b": 12}' })
    expect(reading).toMatchObject({ kind: 'training-config', spec: { microBatch: 12 } })
  })
})

describe('targets of adapters that are kept where the model has them', () => {
  const targets = (filter: string) => `from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("gpt2")
names = ["c_attn", "q_proj"]
present = {name for name, _ in model.named_modules()}
model = get_peft_model(model, LoraConfig(r=4, target_modules=${filter}))
Trainer(model, TrainingArguments("out", ${batch}=2)).train()
`

  it('are those that are listed, which is told and never blocks', async () => {
    const reading = await trained(targets('[name for name in names if name in present]'))
    expect(reading).toMatchObject({ spec: { lora: { targets: ['c_attn'] } }, assumesCode: true })
    expect(reading.assumptions).toContain(
      '"[name for name in names if name in present]" (line 6) is taken to keep all that it lists.',
    )
  })

  it.each(['[name for name in names if "c_" in name]', '[name + "x" for name in names if name in present]'])(
    'are asked for where %s makes others of them',
    async filter => {
      const [problem] = await problems(targets(filter))
      expect(problem?.field).toBe('lora_target_modules')
    },
  )
})

describe('a model that is set on self', () => {
  const wrapping = (method: string) => `from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
class Tuner:
    def load(self):
        self.model = AutoModelForCausalLM.from_pretrained("gpt2")
${method}
    def train(self):
        args = TrainingArguments(output_dir="out", ${batch}=12)
        Trainer(model=self.model, args=args, train_dataset=data).train()
`
  const adapted = 'self.model = get_peft_model(self.model, LoraConfig(r=4, target_modules=["c_attn"]))'

  it.each([
    ['in the same method', `        ${adapted}`],
    ['in a method below', `    def adapt(self):\n        ${adapted}`],
    ['twice', `        self.model = self.model.to("cuda")\n    def adapt(self):\n        ${adapted}`],
  ])('is wrapped %s', async (_, method) => {
    const { spec } = await trained(wrapping(method))
    expect(spec).toMatchObject({ model: 'openai-community/gpt2', lora: { rank: 4 } })
  })
})

it('what a function gives for want of a file is told, and never blocks', async () => {
  const text = finetuning(
    `import json, os
def load():
    if os.path.exists("out/found.json"):
        return json.load(open("out/found.json"))
    return {}
def size():
    found = load()
    if "batch" in found:
        return found["batch"]
    return 12`,
    'per_device_train_batch_size=size()',
  )
  const reading = await trained(text)
  expect(reading).toMatchObject({ spec: { microBatch: 12 }, assumesCode: true })
  expect(reading.assumptions.join()).toContain('The run is taken to be the first')
})
