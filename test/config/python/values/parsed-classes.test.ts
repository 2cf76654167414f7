/** What HfArgumentParser makes of a file or a dictionary: objects of the script's classes and of the Trainer's arguments. */
import { describe, expect, it, test } from 'vitest'
import { readConfigAsync } from '../../../../engine/config/read.ts'
import { type Files, sourcesOf } from '../../files.ts'

/** `parsing` parses into all three classes, the last of which inherits from the Trainer's arguments. */
const script = (parsing: string) => `import argparse, os
from dataclasses import dataclass, field
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForSequenceClassification, HfArgumentParser, Trainer, TrainingArguments

@dataclass
class ModelArguments:
    name: str = "gpt2"

@dataclass
class AdapterArguments:
    rank: int
    alpha: int = field(default=16)

@dataclass
class Arguments(TrainingArguments):
    optim: str = "adamw_torch"

def parse(path):
    return parser.parse_yaml_file(path)

parser = HfArgumentParser((ModelArguments, AdapterArguments, Arguments))
options = argparse.ArgumentParser()
options.add_argument("--config_file", required=True)
${parsing}
model = AutoModelForSequenceClassification.from_pretrained(own.name, num_labels=5)
model = get_peft_model(model, LoraConfig(r=adapter.rank, lora_alpha=adapter.alpha, target_modules=["c_attn"]))
Trainer(model=model, args=arguments, train_dataset=data).train()
`
const settings = `name: openai-community/gpt2-medium
rank: 32
output_dir: out
per_device_train_batch_size: 24
gradient_accumulation_steps: 2
bf16: true
`
const all = {
  model: 'openai-community/gpt2-medium',
  task: 'sequence-classification',
  labels: 5,
  microBatch: 24,
  gradientAccumulation: 2,
  precision: 'amp-bf16',
  optimizer: 'adamw',
  lora: { rank: 32 },
}

async function trained(files: Files, path = 'train.py') {
  const read = await readConfigAsync({ path, text: files[path] ?? '' }, sourcesOf(files))
  if (read.kind !== 'training-config') throw new Error(JSON.stringify(read))
  return read
}

describe('the objects that are parsed', () => {
  it.each([
    'own, adapter, arguments = parser.parse_yaml_file("own.yaml")',
    'own, adapter, arguments = parser.parse_yaml_file(yaml_file=os.path.abspath("own.yaml"), allow_extra_keys=True)',
    'parsed = parse("own.yaml")\nown, adapter, arguments = parsed[0], parsed[1], parsed[2]',
  ])('have what the file sets: %s', async parsing => {
    const { spec } = await trained({ 'train.py': script(parsing), 'own.yaml': settings })
    expect(spec).toMatchObject(all)
  })

  it('have what a JSON file or a dictionary sets', async () => {
    const json = '{"name": "openai-community/gpt2-medium", "rank": 32, "per_device_train_batch_size": 24, "bf16": true}'
    const more = { ...all, gradientAccumulation: 1 }
    const byFile = script('own, adapter, arguments = parser.parse_json_file(json_file="own.json")')
    expect((await trained({ 'train.py': byFile, 'own.json': json })).spec).toMatchObject(more)
    const written = json.replace('true', 'True')
    const byDictionary = script(`own, adapter, arguments = parser.parse_dict(${written})`)
    expect((await trained({ 'train.py': byDictionary })).spec).toMatchObject(more)
  })

  it('are of TRL too, whose switches are off by default', async () => {
    const model = `import torch
from trl import ModelConfig, SFTConfig, SFTTrainer
from transformers import AutoModelForCausalLM, HfArgumentParser
from peft import LoraConfig
model_args, arguments = HfArgumentParser((ModelConfig, SFTConfig)).parse_yaml_file("own.yaml")
model = AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path, torch_dtype=torch.bfloat16)
adapters = LoraConfig(r=model_args.lora_r, target_modules=["c_attn"]) if model_args.use_peft else None
SFTTrainer(model=model, args=arguments, train_dataset=data, peft_config=adapters).train()
`
    const recipe = 'model_name_or_path: gpt2\nlora_r: 32\nper_device_train_batch_size: 24\nmax_length: 512\n'
    const full = await trained({ 'train.py': model, 'own.yaml': recipe })
    expect(full.spec).toMatchObject({ model: 'openai-community/gpt2', microBatch: 24, sequenceLength: 512 })
    expect([full.spec.lora, full.unreadSettings]).toEqual([undefined, undefined])
    const withAdapters = await trained({ 'train.py': model, 'own.yaml': `${recipe}use_peft: true\n` })
    expect(withAdapters.spec.lora).toMatchObject({ rank: 32 })
  })

  it('are not made where it is not known which file is parsed', async () => {
    const text = script('own, adapter, arguments = parser.parse_yaml_file(os.environ["CONFIG"])')
    const read = await readConfigAsync({ path: 'train.py', text }, sourcesOf({ 'own.yaml': settings }))
    expect(read).toMatchObject({ kind: 'not-a-training-config', why: expect.stringContaining('the batch size') })
  })
})

test('a file of the Trainer’s keys is read as the script that parses it trains', async () => {
  const recipe = settings.replace('name:', 'model_name_or_path:')
  const parsing = script('own, adapter, arguments = parse(options.parse_args().config_file)')
  const files = { 'a.yaml': recipe, 'train.py': parsing.replaceAll(/\bname\b/g, 'model_name_or_path') }
  const { spec, assumptions, batchSizeAt } = await trained(files, 'a.yaml')
  expect(spec).toMatchObject(all)
  expect(batchSizeAt).toEqual({ line: 4, column: 30 })
  expect(assumptions.join('\n')).toContain('Read as train.py loads it')
})

const byWords = script(`if len(sys.argv) == 2 and sys.argv[1].endswith(".yaml"):
    own, adapter, arguments = parser.parse_yaml_file(yaml_file=os.path.abspath(sys.argv[1]))
else:
    own, adapter, arguments = parser.parse_args_into_dataclasses()`).replace('argparse, os', 'argparse, os, sys')

test.each([
  ['is found beside it', undefined],
  ['a launcher gives it to', 'torchrun --nproc_per_node 4 train.py a.yaml\n'],
])('a file is read as the script of one argument that %s trains', async (_, launcher) => {
  const files = { 'a.yaml': settings, 'train.py': byWords, ...(launcher && { 'run.sh': launcher }) }
  expect((await trained(files, 'a.yaml')).spec).toMatchObject({ ...all, gpus: launcher === undefined ? 1 : 4 })
})

test('a script that also looks at its words may take the file by an option', async () => {
  const parsing = script('own, adapter, arguments = parse(options.parse_args().config_file)')
  const files = { 'a.yaml': settings, 'train.py': `import sys\nif len(sys.argv) > 1: print(sys.argv[1])\n${parsing}` }
  expect((await trained(files, 'a.yaml')).spec).toMatchObject(all)
})

test('what accelerate divides stays divided where the script that is launched parses the file', async () => {
  const files = {
    'a.yaml': settings,
    'train.py': script('own, adapter, arguments = parse(options.parse_args().config_file)'),
    'accelerate.yaml': 'distributed_type: FSDP\nnum_processes: 4\nfsdp_config:\n  fsdp_version: 2\n',
    'run.sh': 'accelerate launch --config_file accelerate.yaml train.py --config_file a.yaml\n',
  }
  const { spec, assumesCode } = await trained(files, 'a.yaml')
  expect(spec).toMatchObject({ microBatch: 24, gpus: 4, sharding: 'fsdp' })
  expect(assumesCode).toBeUndefined()
})
