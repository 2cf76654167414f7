/** Adapters and quantised weights that a script lets TRL make of its ModelConfig. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../../engine/config/read.ts'
import { problems, trained } from '../scripts.ts'

const script = (model: string, between = '') => `from transformers import AutoModelForCausalLM
from trl import ModelConfig, SFTConfig, SFTTrainer, get_peft_config, get_quantization_config, setup_chat_format
${model}
model = AutoModelForCausalLM.from_pretrained("gpt2", quantization_config=get_quantization_config(model_args))
${between}
args = SFTConfig("out", per_device_train_batch_size=4, max_length=512)
SFTTrainer(model=model, args=args, train_dataset=data, peft_config=get_peft_config(model_args)).train()
`

describe('a ModelConfig that the script makes', () => {
  it('says the adapters and the quantisation', async () => {
    const config =
      'model_args = ModelConfig(use_peft=True, lora_r=4, lora_target_modules=["c_attn"], load_in_4bit=True)'
    const { spec } = await trained(script(config))
    expect(spec).toMatchObject({ lora: { rank: 4, targets: ['c_attn'] }, quantization: 'nf4' })
  })

  it('has neither by default', async () => {
    const { spec } = await trained(script('model_args = ModelConfig()'))
    expect([spec.lora, spec.quantization]).toEqual([undefined, undefined])
  })

  it('is asked for where only run time knows it', async () => {
    expect((await problems(script('model_args = load_args()')))[0]).toMatchObject({ code: 'not-in-file' })
  })
})

it('names no model where its script passes on an empty one', async () => {
  const text = `from trl import SFTConfig, SFTTrainer
model_name = None
SFTTrainer(model=model_name, args=SFTConfig("out", per_device_train_batch_size=4), train_dataset=data).train()
`
  expect((await problems(text))[0]?.message).toContain('no model is named (line 2)')
})

describe("a ModelConfig of the command line's", () => {
  const parsed = 'model_args = HfArgumentParser((ModelConfig,)).parse_args_into_dataclasses()[0]'
  const launched = async (options: string, text: string) => {
    const reading = await readConfigAsync(
      { path: 'run.sh', text: `python train.py ${options}\n` },
      { readFile: async path => (path === 'train.py' ? text : undefined) },
    )
    if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
    return reading.spec
  }
  const text = script(parsed).replace('from trl', 'from transformers import HfArgumentParser\nfrom trl')
  const ofCommand = text.replace(
    /args = SFTConfig.*/,
    'args = HfArgumentParser((SFTConfig,)).parse_args_into_dataclasses()[0]',
  )
  const always = '--per_device_train_batch_size 4 --max_length 512'

  it('has what the launcher passes', async () => {
    const spec = await launched(
      `${always} --use_peft --lora_r 4 --lora_target_modules c_attn --load_in_4bit`,
      ofCommand,
    )
    expect(spec).toMatchObject({ lora: { rank: 4, targets: ['c_attn'] }, quantization: 'nf4' })
  })

  it('has no adapters where the launcher passes none', async () => {
    const spec = await launched(always, ofCommand)
    expect([spec.lora, spec.quantization]).toEqual([undefined, undefined])
  })

  const recipe = (
    trainer: string,
    more = '',
  ) => `from trl import ModelConfig, SFTConfig, SFTTrainer, TrlParser, get_peft_config
if __name__ == "__main__":
    training_args, model_args = TrlParser((SFTConfig, ModelConfig)).parse_args_and_config()
${more}    SFTTrainer(model=model_args.model_name_or_path, args=training_args${trainer}).train()
`
  const told = `${always} --model_name_or_path gpt2 --attn_implementation eager --use_peft --lora_r 4 --lora_target_modules c_attn`

  it('names the model, and counts where the script asks for it', async () => {
    const spec = await launched(told, recipe(', train_dataset=data, peft_config=get_peft_config(model_args)'))
    expect(spec).toMatchObject({ model: 'openai-community/gpt2', attention: 'sdpa', lora: { rank: 4 } })
  })

  it('changes nothing where the script asks for no more than the name', async () => {
    const { attention, lora } = await launched(`${told} --load_in_4bit`, recipe(''))
    expect([attention, lora]).toEqual(['sdpa', undefined])
  })

  it('counts where the script hands it on to what is not known', async () => {
    const spec = await launched(told, recipe('', '    show(model_args)\n'))
    expect(spec).toMatchObject({ attention: 'eager', lora: { rank: 4 } })
  })

  it('has no kernel of its own where the launcher passes none', async () => {
    const text = recipe(', model_init_kwargs={"attn_implementation": model_args.attn_implementation}')
    const spec = await launched(`${always} --model_name_or_path gpt2`, text)
    expect(spec.attention).toBe('sdpa')
  })
})

describe('tokens of a chat that the model is given in some runs', () => {
  const config = 'model_args = ModelConfig()'
  const chat = 'if tokenizer.chat_template is None:\n    model, tokenizer = setup_chat_format(model, tokenizer)'

  it('leave the model that it is', async () => {
    expect((await trained(script(config, chat))).spec).toMatchObject({ model: 'openai-community/gpt2' })
  })

  it('are not another model in some runs', async () => {
    const other = 'if tokenizer.chat_template is None:\n    model, tokenizer = of_our_own(model, tokenizer)'
    expect((await problems(script(config, other)))[0]).toMatchObject({ code: 'not-in-file' })
  })
})

describe("what neither the script nor the command line sets has TRL's defaults", () => {
  const text = `from trl import ModelConfig, SFTConfig, SFTTrainer, TrlParser, get_peft_config
training_args, model_args = TrlParser((SFTConfig, ModelConfig)).parse_args_and_config()
training_args.model_init_kwargs = dict(dtype=model_args.dtype, attn_implementation=model_args.attn_implementation)
SFTTrainer(model=model_args.model_name_or_path, args=training_args, train_dataset=data, peft_config=get_peft_config(model_args)).train()
`
  it.each([
    ['--use_peft', { precision: 'amp-bf16', lora: { rank: 16, dropout: 0.05 } }],
    ['--use_peft --lora_r 4 --dtype bfloat16', { precision: 'bf16', lora: { rank: 4 } }],
    ['--dtype float32', { precision: 'amp-bf16' }],
  ])('with %s', async (options, settings) => {
    const launch = `python train.py --model_name_or_path gpt2 --per_device_train_batch_size 4 ${options}\n`
    const reading = await readConfigAsync(
      { path: 'run.sh', text: launch },
      { readFile: async path => (path === 'train.py' ? text : undefined) },
    )
    expect(reading).toMatchObject({ kind: 'training-config', spec: settings })
  })
})
