/** Which calls are trainings, and what each says. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { sourcesOf } from '../files.ts'
import { finetuning, problems, read, readBeside, trained } from './scripts.ts'

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

  it('is found under a name that does not say so', async () => {
    const script = finetuning('Chosen = Trainer\nmake = Chosen', 'per_device_train_batch_size=4')
    expect(await read(script.replace('= Trainer(model', '= make(model'))).toMatchObject({ spec: { microBatch: 4 } })
  })

  it('is not certain where a run chooses its class', async () => {
    const choice = 'import sys\nmake = Trainer\nif sys.argv[1] == "slow":\n    make = own.Trainer'
    const script = finetuning(choice, 'per_device_train_batch_size=4').replace('= Trainer(model', '= make(model')
    expect(await read(script)).toEqual({
      kind: 'not-a-training-config',
      why: 'Its training is set up by others: which trainer it makes on line 8 is not certain: it is set in several places (line 3 and line 5), and which one counts depends on run time.',
    })
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

it('names the loss of smoothed labels, which is not counted', async () => {
  const { unreadSettings } = await trained(finetuning('', 'per_device_train_batch_size=4, label_smoothing_factor=0.1'))
  expect(unreadSettings?.map(({ name }) => name)).toEqual(['label_smoothing_factor'])
})
