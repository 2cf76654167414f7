/** Settings in a file that a script of the team's own loads: read as the script makes of them. */
import { describe, expect, it, test } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { type Files, sourcesOf } from '../files.ts'

const config = `model:
  name: gpt2
training:
  batch_size: 24
  gradient_accumulation_steps: 2
  lr: 1.0e-4
lora:
  r: 8
`
const body = `import argparse, json, yaml
from pathlib import Path
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

def train(config):
    model = AutoModelForCausalLM.from_pretrained(config["model"]["name"], torch_dtype=torch.bfloat16)
    model = get_peft_model(model, LoraConfig(r=int(config["lora"]["r"]), target_modules=["c_attn"]))
    arguments = TrainingArguments(
        "out",
        per_device_train_batch_size=int(config["training"]["batch_size"]),
        gradient_accumulation_steps=config["training"].get("gradient_accumulation_steps", 1),
        gradient_checkpointing=config["training"].get("checkpointing", True),
    )
    Trainer(model=model, args=arguments).train()
`
const byOption = `${body}
parser = argparse.ArgumentParser()
parser.add_argument("--config", required=True, type=Path)
args = parser.parse_args()
with args.config.open() as handle:
    settings = yaml.safe_load(handle)
train(settings)
`

async function trained(files: Files, path: string) {
  const read = await readConfigAsync({ path, text: files[path] ?? '' }, sourcesOf(files))
  if (read.kind !== 'training-config') throw new Error(JSON.stringify(read))
  return read
}

const all = { microBatch: 24, gradientAccumulation: 2, gradientCheckpointing: true, precision: 'bf16' }

describe('a config of the keys of a team', () => {
  it('is read as the script that trains loads it where others are started with it too', async () => {
    const files = {
      'configs/a.yaml': config,
      'src/prepare.py': 'import sys\nprint(sys.argv)\n',
      'src/train.py': byOption,
      'run.sh': 'python src/prepare.py --config configs/a.yaml\n',
    }
    expect((await trained(files, 'configs/a.yaml')).spec).toMatchObject(all)
  })

  it('is read as the script that makes options of its settings loads it', async () => {
    const script = `import argparse, yaml
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
parser = argparse.ArgumentParser()
parser.add_argument("--config", default="a.yaml")
with open(parser.parse_args().config) as file:
    settings = yaml.safe_load(file)
for key, value in settings.items():
    parser.add_argument(f"--{key}", default=value, type=type(value))
args = parser.parse_args()
if len(args.checkpoint) != 0:
    model = load(args.checkpoint)
else:
    model = AutoModelForCausalLM.from_pretrained(args.MODEL)
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=args.per_device_train_batch_size)).train()
`
    const text = "MODEL: gpt2\nper_device_train_batch_size: 6\nlearning_rate: 1.0e-4\ncheckpoint: ''\n"
    const reading = await trained({ 'a.yaml': text, 'train_a.py': script }, 'a.yaml')
    expect(reading).toMatchObject({
      batchSizeAt: { line: 2, column: 30 },
      spec: { model: 'openai-community/gpt2', microBatch: 6 },
    })
    const sized = script.replace('f"--{key}"', 'f"--no-{key}"')
    const read = await readConfigAsync(
      { path: 'train_a.py', text: sized },
      sourcesOf({ 'a.yaml': text, 'train_a.py': sized }),
    )
    expect(read.kind).not.toBe('training-config')
  })

  it('is read as the script that is called like it loads it, of several that name it', async () => {
    const named = byOption.replace('required=True', 'default="train_a.yaml"')
    const files = {
      'train_a.yaml': config,
      'train_a.py': named,
      'train_b.py': named.replace('"c_attn"', '"c_proj"'),
    }
    expect((await trained(files, 'train_a.yaml')).spec.lora?.targets).toEqual(['c_attn'])
  })

  it.each(['scripts/train', 'models'])('is read as the script in %s loads it', async folder => {
    const files = { 'configs/a.yaml': config, [`${folder}/trainer.py`]: byOption }
    expect((await trained(files, 'configs/a.yaml')).spec).toMatchObject(all)
  })

  it('is read as the script whose name has its name in it loads it, of several that name it', async () => {
    const named = `# Starts from what configs/sft.yaml trains.\n${byOption}`
    const files = {
      'configs/sft.yaml': config,
      'scripts/train_dpo.py': named.replace('"checkpointing", True', '"checkpointing", False'),
      'scripts/train_sft.py': named,
    }
    expect((await trained(files, 'configs/sft.yaml')).spec).toMatchObject(all)
  })

  it('is read as the script that names it loads it, of several that take a config', async () => {
    const other = byOption.replace('"c_attn"', '"c_proj"')
    const files = {
      'a.yaml': config,
      'train_a.py': byOption.replace('required=True', 'default="a.yaml"'),
      'train_b.py': other.replace('required=True', 'default="b.yaml"'),
    }
    expect((await trained(files, 'a.yaml')).spec.lora?.targets).toEqual(['c_attn'])
  })

  it('is named where it says how several GPUs divide what the script does not', async () => {
    const read = (more: string) =>
      trained({ 'configs/a.yaml': `${config}${more}`, 'src/train.py': byOption }, 'configs/a.yaml')
    const fsdp = 'distributed: { framework: fsdp, sharding_strategy: FULL_SHARD, num_processes: 4 }\n'
    const named = (await read(fsdp)).unreadSettings?.map(({ name }) => name)
    expect(named).toEqual(['distributed.framework', 'distributed.sharding_strategy'])
    expect((await read('distributed: { framework: ddp, zero_stage: 0 }\n')).unreadSettings).toBeUndefined()
  })

  it('is named where it says a length and the script was not found to cut to it', async () => {
    const read = (more: string) =>
      trained({ 'configs/a.yaml': `${config}${more}`, 'src/train.py': byOption }, 'configs/a.yaml')
    const { spec, unreadSettings } = await read('data: { max_seq_len: 128 }\n')
    expect(spec.sequenceLength).not.toBe(128)
    expect(unreadSettings?.map(({ name }) => name)).toEqual(['data.max_seq_len'])
    expect((await read(`data: { max_seq_len: ${spec.sequenceLength} }\n`)).unreadSettings).toBeUndefined()
  })

  it('is not read as a script loads it where it lists several trainings', async () => {
    const listed = 'experiments:\n  - { name: a, lora_r: 4 }\n  - { name: b, lora_r: 64 }\n'
    const flat = 'model_name_or_path: gpt2\nper_device_train_batch_size: 24\nlearning_rate: 1.0e-4\n'
    const loads = `import yaml
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
settings = yaml.safe_load(open("configs/a.yaml"))
arguments = TrainingArguments("out", per_device_train_batch_size=settings["per_device_train_batch_size"])
Trainer(model=AutoModelForCausalLM.from_pretrained(settings["model_name_or_path"]), args=arguments).train()
`
    const read = (text: string) => trained({ 'configs/a.yaml': text, 'train.py': loads }, 'configs/a.yaml')
    expect((await read(flat)).assumptions.join('\n')).toContain('Read as train.py loads it')
    const batches = await read(`${flat}experiments:\n  - { batch_size: 4 }\n  - { batch_size: 8 }\n`)
    expect(batches.assumptions.join('\n')).not.toContain('Read as train.py loads it')
    const several = await read(flat + listed)
    expect(several.assumptions.join('\n')).not.toContain('Read as train.py loads it')
    expect(several.unreadSettings?.map(({ name }) => name).join()).toContain('lora_r')
  })

  it('is read as a script in a folder of the package that trains loads it', async () => {
    const { spec } = await trained({ 'configs/a.yaml': config, 'src/training/train.py': byOption }, 'configs/a.yaml')
    expect(spec).toMatchObject(all)
  })

  it('is read as the script that a launcher starts with it loads it', async () => {
    const files = {
      'configs/a.yaml': config,
      'src/app/train.py': byOption,
      'run.sh': 'torchrun --nproc_per_node 4 -m app.train --config configs/a.yaml\n',
    }
    const { spec, batchSizeAt, assumptions, assumesCode, training } = await trained(files, 'configs/a.yaml')
    expect(spec).toMatchObject({ ...all, gpus: 4, lora: { rank: 8 } })
    expect(batchSizeAt).toEqual({ line: 4, column: 15 })
    expect(assumesCode).toBeUndefined()
    expect(training).toBeUndefined()
    expect(assumptions).toContain('Read as src/app/train.py loads it, for the training on line 16 there.')
  })

  it('is read as the only script nearby makes of it', async () => {
    const { spec, assumesCode, otherFiles } = await trained({ 'a.yaml': config, 'train.py': byOption }, 'a.yaml')
    expect(spec).toMatchObject(all)
    expect(assumesCode).toBeUndefined()
    expect(otherFiles?.map(({ path }) => path)).toContain('train.py')
  })

  it('is read as the script that it is the default of, also where its keys are those of the Trainer', async () => {
    const text = '{"model_name_or_path": "gpt2", "per_device_train_batch_size": 24, "gradient_accumulation_steps": 2}'
    const script = `import argparse, json
import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--config", default="sft.json")
args = parser.parse_args()
with open(args.config) as f:
    config = json.loads(f.read())
model = AutoModelForCausalLM.from_pretrained(config["model_name_or_path"], torch_dtype=torch.bfloat16)
training_args = TrainingArguments(
    output_dir="out",
    per_device_train_batch_size=config["per_device_train_batch_size"],
    gradient_accumulation_steps=config["gradient_accumulation_steps"],
    gradient_checkpointing=True,
)
Trainer(model=model, args=training_args).train()
`
    const { spec, assumptions } = await trained({ 'sft.json': text, 'train.py': script }, 'sft.json')
    expect(spec).toMatchObject(all)
    expect(assumptions).toContain('Read as train.py loads it, for the training on line 17 there.')
    const alone = await trained({ 'sft.json': text }, 'sft.json')
    expect(alone.spec).toMatchObject({ ...all, gradientCheckpointing: false, precision: 'fp32' })
  })

  const choosing = {
    'config.py': 'files = {"a": "configs/a.yaml", "b": "configs/b.yaml"}\n',
    'configs/a.yaml': config,
    'configs/b.yaml': config.replace('batch_size: 24', 'batch_size: 6').replace('r: 8', 'r: 32'),
    'train.py': `${body}
from config import files

def main(which="a"):
    with open(files.get(which)) as f:
        train(yaml.safe_load(f))

main()
`,
  }

  it('is read as the script loads it that takes another of its folder by default', async () => {
    const { spec, assumptions, assumesCode } = await trained(choosing, 'configs/b.yaml')
    expect(spec).toMatchObject({ ...all, microBatch: 6, lora: { rank: 32, targets: ['c_attn'] } })
    expect(assumptions.join(' ')).toContain('where it is chosen instead of configs/a.yaml')
    expect(assumesCode).toBe(true)
  })

  it('is not, where nothing names it', async () => {
    const others = { ...choosing, 'config.py': 'files = {"a": "configs/a.yaml"}\n' }
    expect((await trained(others, 'configs/b.yaml')).spec).toMatchObject({
      microBatch: 6,
      gradientCheckpointing: false,
    })
  })

  it('blocks nothing where another script may load it that trains by what only a run knows', async () => {
    const overridden = byOption.replace(
      'train(settings)',
      'import os\nfor name in os.environ:\n    settings[name] = os.environ[name]\ntrain(settings)',
    )
    const files = { 'a.yaml': config, 'train_a_model.py': byOption, 'train.py': overridden }
    const { spec, assumptions, assumesCode } = await trained(files, 'a.yaml')
    expect(spec).toMatchObject(all)
    expect(assumesCode).toBe(true)
    expect(assumptions.join(' ')).toContain('Or train.py loads it, whose training is not followed')
    const named = await trained({ ...files, 'train_a_model.py': `# a.yaml\n${byOption}` }, 'a.yaml')
    expect(named.assumesCode).toBeUndefined()
  })

  it('is read by its keys alone where two scripts may load it', async () => {
    const files = { 'a.yaml': config, 'train.py': byOption, 'train_more.py': byOption }
    const { spec, assumesCode } = await trained(files, 'a.yaml')
    expect(spec).toMatchObject({ microBatch: 24, gradientCheckpointing: false })
    expect(assumesCode).toBe(true)
  })

  it('is read by its keys alone where the script takes its batch size from elsewhere', async () => {
    const script = byOption.replace('int(config["training"]["batch_size"])', '8')
    const { spec, assumesCode } = await trained({ 'a.yaml': config, 'train.py': script }, 'a.yaml')
    expect(spec.microBatch).toBe(24)
    expect(assumesCode).toBe(true)
  })

  it('blocks nothing where it has the arguments of the Trainer in a section and nobody knows its script', async () => {
    const text = config.replace('batch_size', 'per_device_train_batch_size')
    const { dialect, assumesCode } = await trained({ 'a.yaml': text }, 'a.yaml')
    expect(dialect).toBe('Hugging Face Trainer')
    expect(assumesCode).toBe(true)
  })

  it("blocks what a flat list of the Trainer's arguments decides", async () => {
    const text = 'model_name_or_path: gpt2\nper_device_train_batch_size: 8\noutput_dir: out\n'
    expect((await trained({ 'a.yaml': text }, 'a.yaml')).assumesCode).toBeUndefined()
  })
})

describe('a script that loads its settings', () => {
  const loads = (expression: string) => `${body}\n${expression}\n`

  test.each([
    ['of a constant path', 'with open("configs/a.yaml") as f:\n    settings = yaml.safe_load(f)\ntrain(settings)'],
    ['beside itself', 'train(yaml.safe_load((Path(__file__).resolve().parent / "configs/a.yaml").read_text()))'],
    ['with PyYAML’s loader', 'train(yaml.load(open("configs/a.yaml").read(), Loader=yaml.FullLoader))'],
    ['with OmegaConf', 'from omegaconf import OmegaConf\ntrain(OmegaConf.load("configs/a.yaml"))'],
    [
      'by a class method',
      'class Settings:\n    @classmethod\n    def load(cls, path):\n        with open(path) as f:\n            return yaml.safe_load(f)\ntrain(Settings.load("configs/a.yaml"))',
    ],
  ])('takes them %s, and says where they stand', async (_, expression) => {
    const files = { 'train.py': loads(expression), 'configs/a.yaml': config }
    const { spec, otherFiles } = await trained(files, 'train.py')
    expect(spec).toMatchObject({ ...all, model: 'openai-community/gpt2' })
    expect(otherFiles?.map(({ path }) => path)).toContain('configs/a.yaml')
  })

  it('takes what is set on them since, and asks for what is not known then', async () => {
    const changed = (line: string) => loads(`s = json.load(open("a.json"))\n${line}\ntrain(s)`)
    const json = JSON.stringify({ model: { name: 'gpt2' }, training: { batch_size: 4 }, lora: { r: 4 } })
    const files = { 'a.json': json, 'train.py': changed('s.update({"training": {"batch_size": 16}})') }
    expect((await trained(files, 'train.py')).spec.microBatch).toBe(16)
    const unknown = { 'a.json': json, 'train.py': changed('s.update(overrides())') }
    const read = await readConfigAsync({ path: 'train.py', text: unknown['train.py'] }, sourcesOf(unknown))
    expect(read.kind).not.toBe('training-config')
  })

  it('opens no file outside the repository, and none that is no YAML or JSON', async () => {
    const asked: string[] = []
    const readFile = async (path: string) => {
      asked.push(path)
      return undefined
    }
    for (const path of ['/etc/passwd.yaml', '../../secret.yaml', 'weights.bin'])
      await readConfigAsync({ path: 'train.py', text: loads(`train(yaml.safe_load(open("${path}")))`) }, { readFile })
    expect(asked.filter(path => /passwd|secret|weights/.test(path))).toEqual([])
  })
})

describe('the options of a command line', () => {
  const options = (lines: string) =>
    body
      .replace('config["training"]["batch_size"]', 'args.size')
      .replace(
        'def train(config):',
        `parser = argparse.ArgumentParser()\nparser.add_argument("--size", type=int, default=8)\n${lines}\ndef train(config):`,
      )

  const load = 'settings = yaml.safe_load(open("configs/a.yaml"))\n'
  const files = (lines: string) => ({
    'train.py': `${options(load + lines)}\ntrain(settings)\n`,
    'configs/a.yaml': config.replace('lora:', 'size: 5\nlora:'),
  })

  it('have the defaults that a loaded file sets', async () => {
    const { spec } = await trained(files('parser.set_defaults(**settings)\nargs = parser.parse_args()'), 'train.py')
    expect(spec.microBatch).toBe(5)
  })

  it('are open where the script sets them by names that come from elsewhere', async () => {
    const lines = 'args = parser.parse_args()\nfor key, value in settings.items():\n    setattr(args, key, value)'
    const read = await readConfigAsync({ path: 'train.py', text: files(lines)['train.py'] }, sourcesOf(files(lines)))
    expect(JSON.stringify(read)).toContain('whether size is set depends on')
  })
})

describe('an object of a class of the script', () => {
  const script = (load: string) => `import argparse, yaml
from dataclasses import dataclass
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

@dataclass
class Settings:
    model: str = "gpt2"
    size: int = 1

def load(path):
    with open(path) as file:
        raw = yaml.safe_load(file) or {}
${load}

parser = argparse.ArgumentParser()
parser.add_argument("--config", required=True)
settings = load(parser.parse_args().config)
model = AutoModelForCausalLM.from_pretrained(settings.model)
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=settings.size)).train()
`
  const loop = `    settings = Settings()
    for key, value in raw.items():
        if hasattr(settings, key):
            setattr(settings, key, value)
    return settings`
  const text = 'model: gpt2-medium\nsize: 12\nbatch_size: 12\nlearning_rate: 1.0e-4\n'

  test.each([
    ['by a loop over it', loop],
    ['by its fields', '    return Settings(model=raw["model"], size=raw["size"])'],
  ])('holds what is merged from the file %s', async (_, load) => {
    const { spec, assumesCode } = await trained({ 'a.yaml': text, 'train.py': script(load) }, 'a.yaml')
    expect(spec).toMatchObject({ microBatch: 12, model: 'openai-community/gpt2-medium' })
    expect(assumesCode).toBeUndefined()
  })

  test.each([
    ['in a loop', loop],
    ['by unpacking', '    return Settings(**overrides(raw))'],
  ])('has no defaults where what is merged %s is not known', async (_, load) => {
    const files = { 'train.py': script(load) }
    const read = await readConfigAsync({ path: 'train.py', text: files['train.py'] }, sourcesOf(files))
    expect(read.kind).not.toBe('training-config')
  })
})
