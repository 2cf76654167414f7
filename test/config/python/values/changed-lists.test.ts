/** Lists that a script adds to after it has made them. */
import { describe, expect, it } from 'vitest'
import { problems, trained } from '../scripts.ts'

const script = (above: string, targets = 'targets') => `import os
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
${above}
model = get_peft_model(model, LoraConfig(r=16, target_modules=${targets}))
arguments = TrainingArguments(output_dir="out", per_device_train_batch_size=4)
Trainer(model=model, args=arguments, train_dataset=data).train()
`

const asked = expect.objectContaining({ code: 'not-in-file', field: 'lora_target_modules' })

describe('layers that get adapters', () => {
  it.each([
    ['append', 'targets = ["q_proj"]\ntargets.append("up_proj")'],
    ['extend', 'targets = ["q_proj"]\ntargets.extend(["up_proj"])'],
    ['an addition in place', 'targets = ["q_proj"]\ntargets += ["up_proj"]'],
    ['append under a condition that holds', 'targets = ["q_proj"]\nif True:\n    targets.append("up_proj")'],
    [
      'append to the list of a function',
      'def made():\n    targets = ["q_proj"]\n    targets.append("up_proj")\n    return targets\ntargets = made()',
    ],
  ])('are those of the list and what was added by %s', async (_, above) => {
    const { spec, unreadSettings } = await trained(script(above))
    expect(spec.lora?.targets).toEqual(['q_proj', 'up_proj'])
    expect(unreadSettings ?? []).toEqual([])
  })

  it('have nothing of what is added afterwards, or where a condition does not hold', async () => {
    const above = 'targets = ["q_proj"]\nif False:\n    targets.append("k_proj")'
    const { spec } = await trained(`${script(above)}targets.append("up_proj")\n`)
    expect(spec.lora?.targets).toEqual(['q_proj'])
  })

  it.each([
    ['is added in a loop', 'targets = []\nfor name, _ in model.named_modules():\n    targets.append(name)'],
    ['is added in place in a loop', 'targets = ["q_proj"]\nfor name in names:\n    targets += ["up_proj"]'],
    ['is added by a comprehension', 'targets = ["q_proj"]\n[targets.append(name) for name in names]'],
    ['is added where run time decides', 'targets = ["q_proj"]\nif os.environ["MLP"]:\n    targets.append("up_proj")'],
    ['is removed', 'targets = ["q_proj", "up_proj"]\ntargets.remove("up_proj")'],
    ['is put in between', 'targets = ["q_proj"]\ntargets.insert(0, "up_proj")'],
    [
      'a function adds to what it is given',
      'def widen(all):\n    all.append("up_proj")\ntargets = ["q_proj"]\nwiden(targets)',
    ],
    ['is set at an index', 'targets = ["q_proj", "k_proj"]\ntargets[1] = "up_proj"'],
  ])('are asked for where one %s', async (_, above) => {
    expect(await problems(script(above))).toEqual([asked])
  })

  it.each([
    [
      'a dictionary',
      'adapter = {"target_modules": ["q_proj"]}\nadapter["target_modules"].append("up_proj")',
      'adapter["target_modules"]',
    ],
    [
      'an object',
      'adapter = LoraConfig(target_modules=["q_proj"])\nadapter.target_modules.append("up_proj")',
      'adapter.target_modules',
    ],
  ])('are asked for where the list of %s is added to', async (_, above, targets) => {
    expect(await problems(script(above, targets))).toEqual([asked])
  })
})

describe('a number that is changed in place', () => {
  const batch = (above: string) => `from trl import SFTConfig, SFTTrainer
batch = 4
${above}
arguments = SFTConfig(per_device_train_batch_size=batch, max_length=512)
SFTTrainer(model="gpt2", args=arguments, train_dataset=data).train()
`

  it('is what comes of it', async () => {
    expect((await trained(batch('batch *= 2'))).spec.microBatch).toBe(8)
  })

  it('is asked for where a loop may do so several times', async () => {
    const [problem] = await problems(batch('for one in data:\n    batch *= 2'))
    expect(problem).toMatchObject({ code: 'not-in-file', field: 'per_device_train_batch_size' })
  })
})
