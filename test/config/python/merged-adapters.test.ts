/** Adapters of an earlier run that a script merges into the model before it trains. */
import { describe, expect, it } from 'vitest'
import { problems, trained } from './scripts.ts'

const script = (above: string, model = 'model') => `import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
base = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.bfloat16)
${above}
Trainer(model=${model}, args=TrainingArguments("out", per_device_train_batch_size=4)).train()
`
const merged = 'model = PeftModel.from_pretrained(base, "out/sft")\nmodel = model.merge_and_unload()'

describe('adapters that are merged', () => {
  it('leave the model that they are for, which trains as a whole', async () => {
    const { spec } = await trained(script(merged))
    expect(spec).toMatchObject({ model: 'openai-community/gpt2', precision: 'bf16' })
    expect(spec.lora).toBeUndefined()
  })

  it('are not those that are put on afterwards', async () => {
    const adapted = 'model = get_peft_model(model, LoraConfig(r=8, target_modules=["c_attn"]))'
    expect((await trained(script(`${merged}\n${adapted}`))).spec.lora).toMatchObject({ rank: 8, targets: ['c_attn'] })
  })

  it('are asked for where they go on training', async () => {
    const found = await problems(script('model = PeftModel.from_pretrained(base, "out/sft", is_trainable=True)'))
    expect(found[0]).toMatchObject({ code: 'not-in-file', message: expect.stringContaining('those of an earlier run') })
  })

  it('are not missed over quantised weights', async () => {
    const quantised = script('model = PeftModel.from_pretrained(base, "out/sft", is_trainable=True)').replace(
      '"gpt2"',
      '"gpt2", load_in_4bit=True',
    )
    expect((await problems(quantised)).map(({ code }) => code)).toEqual(['not-in-file'])
  })
})
