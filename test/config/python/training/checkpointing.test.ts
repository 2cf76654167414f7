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
  // peft passes an empty mapping on, and torch then takes the reentrant form.
  [script('prepare_model_for_kbit_training(model)'), true],
])('its form is read where it is turned on (%#)', async (text, reentrant) => {
  const { spec } = await trained(text)
  expect([spec.gradientCheckpointing, spec.reentrantCheckpoints]).toEqual([true, reentrant])
})

const preparedFor = (
  trainer: string,
  below = '',
) => `from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments
from trl import SFTConfig, SFTTrainer
model = AutoModelForCausalLM.from_pretrained("gpt2", quantization_config=BitsAndBytesConfig(load_in_8bit=True))
model = prepare_model_for_kbit_training(model)
${below}
model = get_peft_model(model, LoraConfig(r=8, target_modules=["c_attn"]))
${trainer}.train()
`
const given = 'TrainingArguments("out", per_device_train_batch_size=4'

it.each([
  // The trainer turns it on again before the first step, without a form of its own.
  ['by the arguments', preparedFor(`Trainer(model=model, args=${given}, gradient_checkpointing=True))`), undefined],
  [
    "by TRL's default",
    preparedFor('SFTTrainer(model=model, args=SFTConfig("out", per_device_train_batch_size=4))'),
    undefined,
  ],
  [
    'by a later call',
    preparedFor(`Trainer(model=model, args=${given}))`, 'model.gradient_checkpointing_enable()'),
    undefined,
  ],
  ['by nothing', preparedFor(`Trainer(model=model, args=${given}, gradient_checkpointing=False))`), true],
])(
  'a prepared model is checkpointed in the form that stands at last: turned on again %s',
  async (_, text, reentrant) => {
    const { spec } = await trained(text)
    expect([spec.gradientCheckpointing, spec.reentrantCheckpoints]).toEqual([true, reentrant])
  },
)
