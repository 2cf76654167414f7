/** Adapters, and the weights that they stand on. */
import { describe, expect, it } from 'vitest'
import { finetuning, problems, trained } from './scripts.ts'

const qlora = (changed: (text: string) => string = text => text) =>
  changed(`import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, TrainingArguments
from trl import SFTTrainer
from peft import LoraConfig, prepare_model_for_kbit_training

bnb = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_use_double_quant=True)
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", quantization_config=bnb, torch_dtype=torch.bfloat16)
model = prepare_model_for_kbit_training(model)
lora = LoraConfig(r=32, lora_dropout=0.1, target_modules=["q_proj", "v_proj"])
args = TrainingArguments("out", per_device_train_batch_size=4, optim="paged_adamw_8bit", bf16=True)
trainer = SFTTrainer(model=model, args=args, peft_config=lora, max_seq_length=2048)
trainer.train()
`)

describe('arguments of BitsAndBytesConfig', () => {
  const given = (argument: string) => qlora(text => text.replace('bnb_4bit_use_double_quant=True', argument))

  it('that it does not have are left out, as it does, and told', async () => {
    const reading = await trained(given('bnb_4bit_double_quant=True'))
    expect(reading.spec.quantization).toBe('nf4')
    expect(reading.assumptions).toContain(
      '"bnb_4bit_double_quant" is no parameter of BitsAndBytesConfig, which leaves it out.',
    )
    const off = await trained(given('bnb_4bit_double_quant=False'))
    expect(off.assumptions.join()).not.toContain('bnb_4bit_double_quant')
  })

  it('are refused where they would keep other weights', async () => {
    const found = await problems(given('llm_int8_has_fp16_weight=True'))
    expect(found.map(({ message }) => message).join()).toContain('llm_int8_has_fp16_weight')
  })
})

describe("Unsloth's weights", () => {
  const script = (arguments_: string, loaded = '"unsloth/Qwen3-8B"') => `from unsloth import FastLanguageModel
from transformers import BitsAndBytesConfig
from trl import SFTConfig, SFTTrainer
model, tokenizer = FastLanguageModel.from_pretrained(${loaded})
model = FastLanguageModel.get_peft_model(model, r=8)
SFTTrainer(model=model, args=SFTConfig("out", per_device_train_batch_size=2, ${arguments_})).train()
`

  it.each([
    ['bf16=True', 'bf16, as Unsloth does on GPUs since Ampere.', undefined],
    ['fp16=True', 'fp16, as Unsloth does on GPUs before Ampere, which fp16 asks for.', true],
  ])('are of the type of a GPU on which %s trains', async (arguments_, told, inFloat16) => {
    const { spec, assumptions } = await trained(script(arguments_))
    expect([spec.precision, spec.inFloat16]).toEqual(['bf16', inFloat16])
    expect(assumptions.join(' ')).toContain(`Weights and adapters compute in ${told}`)
  })

  it.each([
    ['"unsloth/Qwen3-8B"', 'nf4-double'],
    ['"unsloth/Qwen3-8B-unsloth-bnb-4bit"', 'nf4-double'],
    ['"Qwen/Qwen3-8B", load_in_4bit=True', 'nf4-double'],
    ['"Qwen/Qwen3-8B", load_in_8bit=True', 'int8'],
    ['"Qwen/Qwen3-8B", quantization_config=BitsAndBytesConfig(load_in_4bit=True)', 'nf4'],
    ['"unsloth/Qwen3-8B-bnb-4bit", load_in_4bit=False', undefined],
    ['"unsloth/Qwen3-8B-unsloth-bnb-4bit", load_in_4bit=False', undefined],
    ['"acme/Qwen3-8B-bnb-4bit", load_in_4bit=False', 'nf4-double'],
  ])('of %s are stored as %s', async (loaded, quantization) => {
    expect((await trained(script('bf16=True', loaded))).spec.quantization).toBe(quantization)
  })
})

it.each(['inject_lora', 'apply_lora_to_model', 'add_adapters'])(
  'adapters that %s() puts in are not taken for full training',
  async name => {
    const [problem] = await problems(finetuning(`${name}(base)`, 'per_device_train_batch_size=2'))
    expect(problem?.message).toContain('Weights are frozen here in a way that is not counted')
  },
)

describe('LoRA for classification', () => {
  const classified = (type: string) =>
    trained(`from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments
from peft import LoraConfig, TaskType, get_peft_model
model = AutoModelForSequenceClassification.from_pretrained("roberta-base", num_labels=3)
model = get_peft_model(model, LoraConfig(${type}r=8, target_modules=["query", "value"]))
args = TrainingArguments("out", per_device_train_batch_size=16)
Trainer(model=model, args=args, train_dataset=data).train()
`)

  it.each(['task_type=TaskType.SEQ_CLS, ', 'task_type="SEQ_CLS", '])('%s trains the head too', async type => {
    const { spec, unreadSettings } = await classified(type)
    expect(spec.lora).toMatchObject({ targets: ['query', 'value'], modulesToSave: ['classifier'] })
    expect(unreadSettings).toBeUndefined()
  })

  it('does not without a task type', async () => {
    expect((await classified('')).spec.lora).not.toHaveProperty('modulesToSave')
  })
})

describe('QLoRA with TRL', () => {
  it('is read from the calls of all its parts', async () => {
    expect((await trained(qlora())).spec).toMatchObject({
      model: 'Qwen/Qwen3-8B',
      task: 'causal-lm',
      microBatch: 4,
      sequenceLength: 2048,
      quantization: 'nf4-double',
      lora: { rank: 32, dropout: 0.1, targets: ['q_proj', 'v_proj'] },
      optimizer: 'paged-adamw-8bit',
      // By prepare_model_for_kbit_training, whatever type they are loaded in.
      precision: 'amp-bf16',
      gradientCheckpointing: true,
    })
  })

  it('has the defaults of peft, not those of the recipes for TRL', async () => {
    const { spec, assumptions } = await trained(qlora(text => text.replace('r=32, lora_dropout=0.1, ', '')))
    expect(spec.lora).toMatchObject({ rank: 8, dropout: 0 })
    expect(assumptions).toContain("Adapters of rank 8, peft's default: LoraConfig sets no r.")
  })

  it.each([
    ['model, tokenizer = setup_chat_format(model, tokenizer)'],
    ['model, tokenizer, added = clone_chat_template(model, tokenizer, "Qwen/Qwen3-0.6B")'],
  ])('is of the same model after %s', async line => {
    const imported = 'from trl import SFTTrainer, clone_chat_template, setup_chat_format'
    const changed = (text: string) =>
      text.replace('from trl import SFTTrainer', imported).replace('lora =', `${line}\nlora =`)
    expect((await trained(qlora(changed))).spec).toEqual((await trained(qlora())).spec)
  })

  it('has the defaults of TrainingArguments, unless they are an SFTConfig', async () => {
    const without = (text: string) => text.replace('model = prepare_model_for_kbit_training(model)\n', '')
    expect((await trained(qlora(without))).spec).toMatchObject({ gradientCheckpointing: false, precision: 'bf16' })
    const withConfig = (text: string) =>
      without(text)
        .replace('import SFTTrainer', 'import SFTConfig, SFTTrainer')
        .replace('= TrainingArguments(', '= SFTConfig(')
        .replace(', max_seq_length=2048', '')
    expect((await trained(qlora(withConfig))).spec.gradientCheckpointing).toBe(true)
  })

  it('has no adapter where the script switches it off', async () => {
    const off = (text: string) =>
      text.replace('peft_config=lora', 'peft_config=lora if USE else None').replace('bnb =', 'USE = False\nbnb =')
    expect((await problems(qlora(off)))[0]).toMatchObject({ code: 'quantised-without-adapter' })
  })

  it.each([
    ['LoraConfig', 'r=32', 'r=32, rank_pattern={"q_proj": 64}', 'rank_pattern'],
    ['LoraConfig', 'r=32', 'r=32, bias="all"', 'bias'],
    ['TrainingArguments', 'bf16=True', 'bf16=True, fp8=True', 'fp8'],
  ])('names what is a setting of memory and not understood: %s', async (_, from, to, named) => {
    const { unreadSettings } = await trained(qlora(text => text.replace(from, to)))
    expect(unreadSettings?.map(({ name }) => name)).toEqual([named])
  })

  it('refuses quantisation that is not understood', async () => {
    const changed = qlora(text => text.replace('load_in_4bit=True', 'load_in_4bit=True, llm_int8_has_fp16_weight=True'))
    const [problem] = await problems(changed)
    expect([problem?.code, problem?.message]).toEqual([
      'unsupported-setting',
      expect.stringContaining('llm_int8_has_fp16_weight'),
    ])
  })

  it.each([
    [
      'another adapter',
      'LoraConfig(r=32, lora_dropout=0.1, target_modules=["q_proj", "v_proj"])',
      'IA3Config()',
      'Training with "ia3" is not modelled yet',
    ],
    [
      'another quantisation',
      'BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_use_double_quant=True)',
      'HqqConfig(nbits=4)',
      'HqqConfig',
    ],
    [
      'an adapter that depends on run time',
      'peft_config=lora',
      'peft_config=lora if flag() else None',
      '"flag()" (line 11) depends on run time',
    ],
  ])('refuses %s by name', async (_, from, to, message) => {
    const found = await problems(qlora(text => text.replace(from, to)))
    expect(found.map(problem => problem.message).join()).toContain(message)
  })
})

describe('Unsloth', () => {
  const script = `from unsloth import FastLanguageModel
from trl import SFTTrainer, SFTConfig
model, tokenizer = FastLanguageModel.from_pretrained("unsloth/Llama-3.2-1B-Instruct", max_seq_length=4096)
model = FastLanguageModel.get_peft_model(model, target_modules=["q_proj"])
SFTTrainer(model=model, args=SFTConfig(per_device_train_batch_size=2)).train()
`
  it('has its own defaults, which the reader is told', async () => {
    const { spec, assumptions } = await trained(script)
    expect(spec).toMatchObject({
      quantization: 'nf4-double',
      lora: { rank: 16, dropout: 0 },
      sequenceLength: 4096,
      gradientCheckpointing: true,
      unslothKernels: true,
      offloadsCheckpoints: true,
      fusedLoss: true,
      fusedNorms: true,
    })
    expect(assumptions).toContain("4-bit weights, Unsloth's default: load_in_4bit is not set.")
  })

  it('leaves adapters with dropout to peft, and the loss of preferences to the trainer', async () => {
    const dropped = script.replace('target_modules=', 'lora_dropout=0.05, target_modules=')
    const { spec } = await trained(dropped)
    expect([spec.unslothKernels, spec.fusedLoss, spec.offloadsCheckpoints]).toEqual([undefined, true, true])
    expect(spec).toMatchObject({ fusedNorms: true, attention: 'flash', paddedBatches: false })
    const { spec: preferring } = await trained(script.replaceAll('SFT', 'DPO'))
    expect([preferring.unslothKernels, preferring.fusedLoss]).toEqual([true, undefined])
  })

  it.each([
    ['', ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']],
    ['target_modules=["q_proj", "gate_up_proj"]', ['q_proj', 'gate_proj']],
    ['target_modules=["q_proj"]', ['q_proj']],
  ])("has gpt-oss's experts as linear layers in 4 bits, with adapters by %s", async (named, targets) => {
    const ofGptOss = script
      .replace('unsloth/Llama-3.2-1B-Instruct', 'unsloth/gpt-oss-20b')
      .replace('target_modules=["q_proj"]', named)
    const { spec } = await trained(ofGptOss)
    expect(spec).toMatchObject({ quantizedExperts: true, expertStyle: 'linear', lora: { targets } })
    const { spec: in16Bits } = await trained(ofGptOss.replace('max_seq_length', 'load_in_4bit=False, max_seq_length'))
    expect(in16Bits.expertStyle).toBeUndefined()
  })

  it.each([
    ['google/gemma-3-4b-it', true],
    ['unsloth/Llama-3.2-1B-Instruct', false],
  ])('says of %s whether cards without bf16 need more: %s', async (model, needsMore) => {
    const { assumptions } = await trained(script.replace('unsloth/Llama-3.2-1B-Instruct', model))
    expect(assumptions.some(sentence => sentence.includes('computes parts of this model in float32'))).toBe(needsMore)
  })

  it('gives the same model for inference, before it trains', async () => {
    const asked = script.replace('model = Fast', 'FastLanguageModel.for_inference(model)\nmodel = Fast')
    for (const text of [asked, asked.replace('FastLanguageModel.for_i', 'model = FastLanguageModel.for_i')])
      expect((await trained(text)).spec.model).toBe('unsloth/Llama-3.2-1B-Instruct')
  })

  it('raises a batch without whole prompts to the completions of one', async () => {
    const grpo = (given: string) =>
      script.replaceAll('SFT', 'GRPO').replace('per_device_train_batch_size=2', `${given}, num_generations=6`)
    const read = async (given: string) => (await trained(grpo(given))).spec.microBatch
    expect(await read('per_device_train_batch_size=2')).toBe(6)
    expect(await read('per_device_train_batch_size=2, gradient_accumulation_steps=3')).toBe(2)
    expect(await read('per_device_train_batch_size=2, generation_batch_size=12')).toBe(2)
  })
})
