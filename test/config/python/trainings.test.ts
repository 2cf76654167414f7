/** Which calls are trainings, and what each says. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { sourcesOf } from '../files.ts'
import { finetuning, problems, read, readBeside, trained } from './scripts.ts'

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

describe("Unsloth's weights", () => {
  const script = (arguments_: string, loaded = '"unsloth/Qwen3-8B"') => `from unsloth import FastLanguageModel
from transformers import BitsAndBytesConfig
from trl import SFTConfig, SFTTrainer
model, tokenizer = FastLanguageModel.from_pretrained(${loaded})
model = FastLanguageModel.get_peft_model(model, r=8)
SFTTrainer(model=model, args=SFTConfig("out", per_device_train_batch_size=2, ${arguments_})).train()
`

  it.each([
    ['bf16=True', 'bf16, as Unsloth does on GPUs since Ampere.'],
    ['fp16=True', 'fp16, as Unsloth does on GPUs before Ampere, which fp16 asks for.'],
  ])('are of the type of a GPU on which %s trains', async (arguments_, told) => {
    const { spec, assumptions } = await trained(script(arguments_))
    expect(spec.precision).toBe('bf16')
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

describe('a trainer of the team', () => {
  const mine = 'from trl import SFTTrainer\nclass SFTTrainerWithMetrics(SFTTrainer):\n    pass\n'
  const script = (path: string) => `import sys
sys.path.append(${path})
from transformers import AutoModelForCausalLM
from trl import SFTConfig
from own_trainer import SFTTrainerWithMetrics
model = AutoModelForCausalLM.from_pretrained("gpt2")
args = SFTConfig("out", per_device_train_batch_size=4, gradient_checkpointing=0)
SFTTrainerWithMetrics(model=model, args=args, train_dataset=data).train()
`

  it.each([
    ['"modules"', 'modules/own_trainer.py'],
    ['str(Path("modules").absolute())', 'modules/own_trainer.py'],
    ['"../lib"', 'lib/own_trainer.py'],
    ['str(Path(__file__).parent.parent)', 'own_trainer.py'],
  ])('is found where sys.path leads by %s', async (path, file) => {
    const reading = await readBeside(script(path), { [file]: mine }, { path: 'scripts/train.py' })
    expect(reading).toMatchObject({ spec: { microBatch: 4, gradientCheckpointing: false } })
  })

  it('is found in a file that begins with a byte order mark', async () => {
    const files = { 'scripts/own_trainer.py': `\uFEFF${mine}` }
    const reading = await readBeside(script('"modules"'), files, { path: 'scripts/train.py' })
    expect(reading).toMatchObject({ spec: { microBatch: 4 } })
  })

  it('is not looked for elsewhere', async () => {
    const files = { 'elsewhere/own_trainer.py': mine }
    const reading = await readBeside(script('"modules"'), files, { path: 'scripts/train.py' })
    expect(reading.kind).toBe('not-a-training-config')
  })
})

describe('a model that TRL loads by its name', () => {
  const sft = (ofConfig: string, ofTrainer = '') =>
    `import torch
from peft import LoraConfig
from transformers import BitsAndBytesConfig
from trl import SFTConfig, SFTTrainer
args = SFTConfig("out", per_device_train_batch_size=4${ofConfig})
trainer = SFTTrainer(model="Qwen/Qwen3-8B", args=args${ofTrainer}, peft_config=LoraConfig(r=8))
trainer.train()
`
  const fourBits = 'BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True)'

  it('has the type and the attention of model_init_kwargs', async () => {
    const kwargs = '{"dtype": torch.bfloat16, "attn_implementation": "flash_attention_2", "use_cache": False}'
    const { spec, unreadSettings } = await trained(sft(`, model_init_kwargs=${kwargs}`))
    expect({ spec, unreadSettings }).toMatchObject({
      spec: { precision: 'bf16', attention: 'flash' },
      unreadSettings: undefined,
    })
  })

  it.each([
    ['the trainer', '', `, quantization_config=${fourBits}`],
    ['model_init_kwargs', `, model_init_kwargs=dict(quantization_config=${fourBits})`, ''],
  ])('is quantised as %s says', async (_, ofConfig, ofTrainer) => {
    expect((await trained(sft(ofConfig, ofTrainer))).spec.quantization).toBe('nf4-double')
  })

  it.each([', model_init_kwargs=load()', ', model_init_kwargs={"dtype": "bfloat16", **load()}'])(
    'may be quantised by what only a run can tell: %s',
    async ofConfig => {
      expect(await problems(sft(ofConfig))).toMatchObject([{ code: 'not-in-file', field: 'load_in_4bit' }])
    },
  )
})

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
      ...{ unslothKernels: true, offloadsCheckpoints: true, fusedLoss: true, fusedNorms: true },
    })
    expect(assumptions).toContain("4-bit weights, Unsloth's default: load_in_4bit is not set.")
  })

  it('leaves adapters with dropout to peft, and the loss of preferences to the trainer', async () => {
    const dropped = script.replace('target_modules=', 'lora_dropout=0.05, target_modules=')
    const { spec } = await trained(dropped)
    expect([spec.unslothKernels, spec.fusedLoss, spec.offloadsCheckpoints]).toEqual([undefined, undefined, true])
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

describe('a classifier', () => {
  const script = `from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
def tokenize(rows):
    return tokenizer(rows["text"], truncation=True, max_length=256)
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=5)
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=32)).train()
`
  it('has the length that its text is cut to, and the labels of its head', async () => {
    expect((await trained(script)).spec).toMatchObject({
      task: 'sequence-classification',
      sequenceLength: 256,
      labels: 5,
      microBatch: 32,
    })
  })

  it('asks for the length where text is cut to several', async () => {
    const twice = script.replace('def tokenize', 'ids = tokenizer(question, max_length=64)\ndef tokenize')
    expect((await problems(twice))[0]?.message).toContain('text is cut to different lengths (line 3 and line 5)')
  })

  it('is not that of the questions which a function asks the model', async () => {
    const script = (asks: string) => `from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("gpt2")
def ask(question):
    inputs = tokenizer(question, max_length=300, truncation=True, return_tensors="pt")
    return ${asks}(**inputs)
def features(rows):
    return tokenizer(rows["text"], max_length=512, truncation=True)
args = TrainingArguments("out", per_device_train_batch_size=2)
Trainer(model=model, args=args, train_dataset=rows.map(features)).train()
`
    expect((await trained(script('model.generate'))).spec.sequenceLength).toBe(512)
    expect((await problems(script('model')))[0]?.message).toContain('text is cut to different lengths')
  })

  it('is that of the labels where a call gives to them', async () => {
    const script = (
      name: string,
    ) => `from transformers import AutoModelForSeq2SeqLM, Seq2SeqTrainer, Seq2SeqTrainingArguments
def features(rows):
    inputs = tokenizer(rows["text"], max_length=640, truncation=True)
    ${name} = tokenizer(rows["answer"], max_length=112, truncation=True)
model = AutoModelForSeq2SeqLM.from_pretrained("google-t5/t5-small")
args = Seq2SeqTrainingArguments("out", per_device_train_batch_size=2)
Seq2SeqTrainer(model=model, args=args, train_dataset=rows.map(features)).train()
`
    for (const name of ['labels', 'target_ids'])
      expect(await trained(script(name))).toMatchObject({ spec: { sequenceLength: 640, targetLength: 112 } })
    expect((await problems(script('more'))).map(({ message }) => message)).toEqual([
      expect.stringContaining('text is cut to different lengths'),
    ])
  })

  it('has no length of a constant where the tokenizer cuts by itself', async () => {
    const named = `context_length = 128\n${script}`
    const byItself = named.replace(', max_length=256', '')
    expect((await trained(named)).spec.sequenceLength).toBe(256)
    expect(await trained(byItself)).toMatchObject({ spec: { sequenceLength: 512 }, assumesLength: true })
    const byHand = byItself.replace('truncation=True', '')
    expect((await trained(byHand)).spec.sequenceLength).toBe(128)
  })

  it('has the length that another file cuts its text to', async () => {
    const cut =
      'def tokenize(rows, tokenizer, length):\n    return tokenizer(rows["text"], truncation=True, max_length=length)\n'
    const here = `from data import tokenize\n${script.replace(/def tokenize[\s\S]*?256\)/, 'rows = tokenize(rows, tokenizer, 192)')}`
    expect(await readBeside(here, { 'data.py': cut })).toMatchObject({ spec: { sequenceLength: 192 } })
    const both = `${here}rows = tokenize(others, tokenizer, 64)\n`
    expect(await readBeside(both, { 'data.py': cut })).toMatchObject({
      spec: { sequenceLength: 512 },
      assumesLength: true,
    })
  })

  it('says where weights are frozen by hand, which is not counted', async () => {
    const frozen = script.replace(
      'Trainer(model',
      'for p in model.bert.encoder.parameters():\n    p.requires_grad = False\nTrainer(model',
    )
    expect((await problems(frozen))[0]).toMatchObject({
      line: 7,
      message: 'Weights are frozen here in a way that is not counted for scripts yet',
    })
  })
})

describe("TRL's other trainers", () => {
  const preferring = (config: string, trainer: string) => `from transformers import AutoModelForCausalLM
from trl import ${config}, ${trainer}
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B")
${trainer}(model=model, args=${config}(output_dir="out", per_device_train_batch_size=2, max_length=512)).train()
`
  it.each([
    ['DPOConfig', 'DPOTrainer', { kind: 'preference', reference: 'copy' }],
    ['ORPOConfig', 'ORPOTrainer', { kind: 'preference', reference: 'none' }],
    ['KTOConfig', 'KTOTrainer', { kind: 'kto' }],
    ['RewardConfig', 'RewardTrainer', { kind: 'reward' }],
    ['GRPOConfig', 'GRPOTrainer', { kind: 'online' }],
  ])('%s is for the method of %s', async (config, trainer, method) => {
    expect((await trained(preferring(config, trainer))).spec.method).toMatchObject(method)
  })

  it('cut to 1,024 tokens where no length is set, reward models from TRL 0.14 on', async () => {
    const texts = [preferring('RewardConfig', 'RewardTrainer'), preferring('DPOConfig', 'DPOTrainer')]
    for (const text of texts) {
      const { spec, assumesLength } = await trained(text.replace(', max_length=512', ''))
      expect([spec.sequenceLength, assumesLength]).toEqual([1_024, undefined])
    }
    const text = texts[0]!.replace(', max_length=512', '')
    const sources = sourcesOf({ 'train.py': text, 'requirements.txt': 'trl==0.13.0\n' })
    expect(await readConfigAsync({ path: 'train.py', text }, sources)).toMatchObject({ assumesLength: true })
  })

  it('PPO is refused by name', async () => {
    expect((await problems(preferring('PPOConfig', 'PPOTrainer')))[0]?.message).toContain('"PPOTrainer"')
  })
})

describe('YOLO', () => {
  it('is read from the call of train', async () => {
    const { spec, batchSizeAt } = await trained(
      'from ultralytics import YOLO\nm = YOLO("yolo11n.pt")\nm.train(data="coco.yaml", imgsz=640, batch=32)\n',
    )
    expect(spec).toMatchObject({ model: 'ultralytics/yolo11n', microBatch: 32, imageSize: 640, loop: 'ultralytics' })
    expect(batchSizeAt).toEqual({ line: 3, column: 44 })
  })
})

describe('several trainings in a file', () => {
  const twice = (one: string, other: string) =>
    `${finetuning('', one)}Trainer(model=model, args=TrainingArguments("b", ${other})).train()\n`
  it('are one where they say the same', async () => {
    expect(
      (await trained(twice('per_device_train_batch_size=8', 'per_device_train_batch_size=8, learning_rate=1'))).spec
        .microBatch,
    ).toBe(8)
  })
  it('are several configs where they differ, told apart by name and line', async () => {
    const reading = await read(twice('per_device_train_batch_size=8', 'per_device_train_batch_size=16'))
    expect(reading).toEqual({
      kind: 'several-trainings',
      trainings: [
        { name: 'Trainer', line: 5 },
        { name: 'Trainer (2)', line: 7 },
      ],
    })
  })
  it.each([
    [{ name: 'Trainer' }, 8],
    [{ name: 'Trainer (2)' }, 16],
    [{ line: 5 }, 8],
    [{ line: 7 }, 16],
  ])('of which %j is read by itself', async (training, microBatch) => {
    const text = twice('per_device_train_batch_size=8', 'per_device_train_batch_size=16')
    expect(await readConfigAsync({ path: 'train.py', text, training }, {})).toMatchObject({
      kind: 'training-config',
      spec: { microBatch },
      training: { isOnly: false },
    })
  })
  it('are named after the functions that they stand in', async () => {
    const fitting = (name: string, batch: number) =>
      `def ${name}():\n    args = TrainingArguments("out", per_device_train_batch_size=${batch})\n    Trainer(model=model, args=args).train()\n`
    const above = finetuning('', 'per_device_train_batch_size=8').split('\nargs')[0]
    const reading = await read(`${above}\n${fitting('fit_small', 2)}${fitting('fit_large', 32)}`)
    expect(reading).toMatchObject({
      trainings: [{ name: 'Trainer in fit_small()' }, { name: 'Trainer in fit_large()' }],
    })
  })
  it('say where trainings start when another line is asked for', async () => {
    const text = twice('per_device_train_batch_size=8', 'per_device_train_batch_size=16')
    expect(await readConfigAsync({ path: 'train.py', text, training: { line: 6 } }, {})).toEqual({
      kind: 'not-a-training-config',
      why: 'No training starts there: it starts Trainer on line 5 or Trainer (2) on line 7.',
    })
  })
  it('are refused where there are more than anybody reads', async () => {
    const more = Array.from({ length: 11 }, (_, index) => index + 20)
      .map(batch => `Trainer(model=model, args=TrainingArguments("b", per_device_train_batch_size=${batch})).train()\n`)
      .join('')
    const [problem] = await problems(finetuning('', 'per_device_train_batch_size=8') + more)
    expect(problem).toMatchObject({ code: 'several-trainings', line: 5 })
    expect(problem?.message).toContain('12 trainings')
  })
})

describe('is no config:', () => {
  it.each([
    [
      'a class that inherits from Trainer',
      'from transformers import Trainer\nclass Mine(Trainer):\n    def train(self):\n        return super().train()\n',
    ],
    [
      'arguments without a trainer',
      'from transformers import TrainingArguments\nargs = TrainingArguments("out", per_device_train_batch_size=8)\nx.train()\n',
    ],
    [
      'a trainer of another library',
      'import transformers\nfrom keras import Trainer\nTrainer(model=m, args=a).train()\n',
    ],
    [
      'a trainer whose arguments its callers give',
      'from transformers import Trainer\ndef fit(model, args):\n    Trainer(model=model, args=args).train()\n',
    ],
    [
      'a script of which the command line says it all',
      'from transformers import HfArgumentParser, Trainer, TrainingArguments, AutoModelForCausalLM\nargs, = HfArgumentParser((TrainingArguments,)).parse_args_into_dataclasses()\nmodel = AutoModelForCausalLM.from_pretrained("gpt2")\nTrainer(model=model, args=args).train()\n',
    ],
    [
      'a trainer that is only spoken of',
      '"""from transformers import Trainer\nTrainer(model=m, args=a).train()\n"""\n# Trainer(model=m).train()\n',
    ],
    [
      'a model in training mode',
      'from transformers import AutoModel\nmodel = AutoModel.from_pretrained("gpt2")\nmodel.train()\n',
    ],
    ['validation with YOLO', 'from ultralytics import YOLO\nYOLO("yolo11n.pt").val(batch=8)\n'],
    [
      'a branch that is never taken',
      finetuning('', 'per_device_train_batch_size=8').replace('trainer = Trainer', 'if False:\n    trainer = Trainer'),
    ],
    ['no Python at all', 'transformers Trainer( {{ ]] def ('],
  ])('%s', async (_, text) => {
    expect((await read(text)).kind).toBe('not-a-training-config')
  })
})

it("a model that the script does not name is the settings' to say", async () => {
  const text = finetuning('import sys', 'per_device_train_batch_size=8').replace('"gpt2"', 'sys.argv[1]')
  expect((await problems(text))[0]).toMatchObject({ code: 'not-in-file', field: 'model_name_or_path', line: 3 })
  const field = {
    key: 'model',
    name: 'overrides[0].model',
    value: { kind: 'text', text: 'gpt2' },
    at: { line: 1, column: 1 },
    source: 'gpt2',
  } as const
  const reading = await readBeside(text, {}, { supplied: { model: field } })
  expect(reading).toMatchObject({ kind: 'training-config', spec: { model: 'openai-community/gpt2', microBatch: 8 } })
})

it('names as long as a file stay within what a report takes', async () => {
  const long = 'x'.repeat(100_000)
  const branches = 'elif a:\n    b = 2\n'.repeat(200)
  for (const above of [`def ${long}(b):\n    return b`, `if a:\n    b = 1\n${branches}`, `${long} = 1`]) {
    const [problem] = await problems(finetuning(above, `per_device_train_batch_size=b, ${long}_lora=1`))
    expect(problem?.message.length).toBeLessThan(600)
    expect(problem?.field?.length ?? 0).toBeLessThan(100)
  }
})

describe('what a script leaves off by a default of its command line', () => {
  const script = (action: string) => `import argparse
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
parser = argparse.ArgumentParser()
parser.add_argument("--use-lora", ${action})
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B")
if args.use_lora:
    model = get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj"]))
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=4)).train()
`
  const off =
    'Adapters of the script are left off, so that nothing blocks: False is the default of --use-lora (line 5), which the command line may override.'

  it('is told, and nothing blocks', async () => {
    const { spec, assumptions, assumesCode } = await trained(script('action="store_true"'))
    expect(spec.lora).toBeUndefined()
    expect(assumptions).toContain(off)
    expect(assumesCode).toBe(true)
  })

  it('is not said of what is on', async () => {
    const { spec, assumptions, assumesCode } = await trained(script('action="store_false"'))
    expect(spec.lora?.rank).toBe(8)
    expect(assumptions.join('\n')).not.toContain('left off')
    expect(assumesCode).toBeUndefined()
  })
})

describe('a trainer that is asked to evaluate', () => {
  const evaluating = (then: string) => finetuning('', 'per_device_train_batch_size=4').replace('trainer.train()', then)

  it.each(['print(trainer.evaluate())', 'predictions, labels, scores = trainer.predict(tests)'])(
    'is no training: %s',
    async then => {
      expect(await read(evaluating(then))).toMatchObject({ kind: 'not-a-training-config' })
    },
  )

  it.each([
    'trainer.train()\nprint(trainer.evaluate())',
    'run(trainer)\nprint(trainer.evaluate())',
    'print(trainer.evaluate())\nbest = trainer.hyperparameter_search()',
  ])('is one where it may train too: %s', async then => {
    expect((await trained(evaluating(then))).spec.microBatch).toBe(4)
  })
})
