/** Checkpointing that a script turns on besides a trainer's arguments. */
import { expect, it } from 'vitest'
import { trained } from '../scripts.ts'

const script = (
  prepared: string,
  above = '',
) => `from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("gpt2", quantization_config=BitsAndBytesConfig(load_in_8bit=True))
${above}
model = get_peft_model(${prepared}, LoraConfig(r=8, target_modules=["c_attn"]))
args = TrainingArguments("out", per_device_train_batch_size=4)
Trainer(model=model, args=args, train_dataset=data).train()
`
const kwargs = (flag: string) => `gradient_checkpointing_kwargs={"use_reentrant": ${flag}}`

it.each([
  [script(`prepare_model_for_kbit_training(model, ${kwargs('False')})`), false],
  [script(`prepare_model_for_kbit_training(model, use_gradient_checkpointing=True, ${kwargs('True')})`), true],
  [script('model', `model.gradient_checkpointing_enable(${kwargs('True')})`), true],
  [script('model', 'model.gradient_checkpointing_enable({"use_reentrant": False})'), false],
  [script('prepare_model_for_kbit_training(model)'), undefined],
])('its form is read where it is turned on (%#)', async (text, reentrant) => {
  const { spec } = await trained(text)
  expect([spec.gradientCheckpointing, spec.reentrantCheckpoints]).toEqual([true, reentrant])
})
