/** Configs of Lightning's command line whose model and data are classes of the repository, as lightning/pytorch/cli.py makes them. */
import { describe, expect, it, test } from 'vitest'
import { readConfigAsync } from '../../../../engine/config/read.ts'
import { type Files, sourcesOf } from '../../files.ts'

const config = `trainer:
  max_epochs: 3
  precision: bf16-mixed
  devices: 2
  strategy: ddp
  accumulate_grad_batches: 4
model:
  class_path: tagger.models.Reviewer
  init_args:
    name: bert-base-uncased
    labels: 3
data:
  class_path: tagger.data.Reviews
  init_args:
    batch_size: 24
    length: 200
`
const model = (
  optimizers = 'return torch.optim.SGD(self.parameters(), lr=self.hparams.rate)',
  own = '',
) => `import torch
import lightning.pytorch as pl
from transformers import AutoModelForSequenceClassification

class Reviewer(pl.LightningModule):
    def __init__(self, name: str, labels: int = 2, rate: float = 1e-5, optimizer=torch.optim.Adam):
        super().__init__()
        self.save_hyperparameters()
        self.optimizer = optimizer
        self.model = AutoModelForSequenceClassification.from_pretrained(name, num_labels=labels)
        ${own}

    def configure_optimizers(self):
        ${optimizers}
`
const data = `import lightning.pytorch as pl
from torch.utils.data import DataLoader

class Reviews(pl.LightningDataModule):
    def __init__(self, batch_size: int = 8, length: int = 128, tokenizer=None):
        super().__init__()
        self.batch_size = batch_size
        self.length = length
        self.tokenizer = tokenizer

    def encode(self, rows):
        return self.tokenizer(rows["text"], truncation=True, max_length=self.length)

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.others, batch_size=256)
`
const base: Files = { 'tagger/models.py': model(), 'tagger/data.py': data }

function read(text: string, files: Files = base, path = 'configs/fit.yaml') {
  return readConfigAsync({ path, text }, sourcesOf({ ...files, [path]: text }))
}

async function trained(text: string, files?: Files, path?: string) {
  const reading = await read(text, files, path)
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  return reading
}

async function noConfig(text: string, files: Files): Promise<string> {
  const reading = await read(text, files)
  if (reading.kind !== 'not-a-training-config') throw new Error(JSON.stringify(reading))
  return reading.why
}

async function refusals(text: string, files?: Files): Promise<string> {
  const reading = await read(text, files)
  if (reading.kind !== 'unreadable') throw new Error(JSON.stringify(reading))
  return reading.problems.map(({ code, line, message }) => `${code} ${line} ${message}`).join('\n')
}

const said = {
  model: 'google-bert/bert-base-uncased',
  task: 'sequence-classification',
  labels: 3,
  sequenceLength: 200,
  microBatch: 24,
  gradientAccumulation: 4,
  gpus: 2,
  precision: 'amp-bf16',
  optimizer: 'sgd',
  loop: 'lightning',
}

describe('a config of the Lightning CLI with classes of the repository', () => {
  it('is read with what they make of its arguments, each at its place', async () => {
    const reading = await trained(config)
    expect(reading).toMatchObject({ dialect: 'Lightning CLI', spec: said, batchSizeAt: { line: 15, column: 17 } })
    expect(reading.otherFiles?.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['tagger/models.py', 'tagger/data.py']),
    )
  })

  it('takes the defaults of their parameters where it gives none', async () => {
    const { spec } = await trained(config.replace('    batch_size: 24\n    length: 200\n', '    tokenizer: null\n'))
    expect(spec).toMatchObject({ ...said, microBatch: 8, sequenceLength: 128 })
  })

  test.each(['src/', 'project/'])('finds them below %s', async folder => {
    const files = Object.fromEntries(Object.entries(base).map(([path, text]) => [folder + path, text]))
    expect((await trained(config, files, `${folder}configs/fit.yaml`)).spec).toMatchObject(said)
  })

  it('finds them where a package exports them', async () => {
    const files = {
      'tagger/data.py': data,
      'tagger/models/__init__.py': 'from .reviewer import Reviewer\n',
      'tagger/models/reviewer.py': model(),
    }
    expect((await trained(config, files)).spec).toMatchObject(said)
  })

  it('is read below the subcommand fit', async () => {
    const nested = `fit:\n${config.replaceAll(/^/gm, '  ').trimEnd()}\n`
    expect((await trained(nested)).spec).toMatchObject(said)
  })

  it('takes the optimizer that it names, where the class makes none', async () => {
    const without = { ...base, 'tagger/models.py': model().replace('def configure_optimizers', 'def others') }
    const named = 'optimizer:\n  class_path: torch.optim.AdamW\n  init_args:\n    lr: 0.001\n    fused: true\n'
    expect((await trained(config + named, without)).spec.optimizer).toBe('adamw-fused')
    expect(await refusals(config, without)).toContain('optimizer is made elsewhere')
  })

  it('takes the optimizer that the class is given as a callable', async () => {
    const called = { ...base, 'tagger/models.py': model('return self.optimizer(self.parameters())') }
    expect((await trained(config, called)).spec.optimizer).toBe('adamw')
    const given = `    optimizer:\n      class_path: torch.optim.SGD\n      init_args:\n        momentum: 0.9\n`
    const text = config.replace('    labels: 3\n', `    labels: 3\n${given}`)
    expect((await trained(text, called)).spec.optimizer).toBe('sgd-momentum')
  })

  it('follows configure_optimizers into the functions that it calls', async () => {
    const returned = 'return made(self.parameters(), self.hparams.rate)'
    const made = `
def made(parameters, rate):
    optimizer = torch.optim.AdamW(parameters, lr=rate, fused=True)
    return {"optimizer": optimizer, "lr_scheduler": {"scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 1)}}
`
    const files = { ...base, 'tagger/models.py': model(returned) + made }
    expect((await trained(config, files)).spec.optimizer).toBe('adamw-fused')
    const two = model('return [torch.optim.SGD(self.parameters()), torch.optim.Adam(self.parameters())], []')
    expect(await refusals(config, { ...base, 'tagger/models.py': two })).toContain('the optimizer is SGD')
  })

  it('looks up what a module asks of its trainer’s data', async () => {
    const asks = `self.length = 0

    def answer(self, rows):
        return self.tokenizer(rows, max_length=self.trainer.datamodule.length)`
    const without = data.replace(/ {4}def encode[\s\S]*?\n\n/, '')
    const files = { 'tagger/models.py': model(undefined, asks), 'tagger/data.py': without }
    expect((await trained(config, files)).spec.sequenceLength).toBe(200)
  })

  it('counts no copy of a batch as one of the weights', async () => {
    const copies = (of: string) => ({
      ...base,
      'tagger/models.py': `import copy\n${model(undefined, `self.last = copy.deepcopy(${of})`)}`,
    })
    expect((await trained(config, copies('rows'))).spec).toMatchObject(said)
    expect(await refusals(config, copies('self.model'))).toContain('deepcopy changes what training holds in memory')
  })

  it.each([
    ['deepspeed', 'zero2'],
    ['deepspeed_stage_1', 'zero1'],
    ['deepspeed_stage_3', 'zero3'],
  ])('shards by the strategy %s', async (strategy, sharding) => {
    const text = config.replace('strategy: ddp', `strategy: ${strategy}`)
    const zero = { reduceBucket: 2e8, subGroup: 1e12, overlapsCommunication: true }
    expect((await trained(text)).spec).toMatchObject({ ...said, sharding, zero, precision: 'bf16-master' })
    // As it is read by its keys alone.
    const named = text.replace('    name: bert', '    model_name_or_path: bert')
    const { spec } = await trained(named, {})
    expect(spec).toMatchObject({ sharding, precision: 'bf16-master', gpus: 2 })
  })

  it.each([
    ['fsdp', { sharding: 'fsdp' }],
    ['fsdp_cpu_offload', { sharding: 'fsdp', offload: 'optimizer-and-weights' }],
    [
      '{ class_path: lightning.pytorch.strategies.FSDPStrategy, init_args: { sharding_strategy: SHARD_GRAD_OP } }',
      { sharding: 'fsdp-grad-op' },
    ],
    [
      '{ class_path: FSDPStrategy, init_args: { auto_wrap_policy: [transformers.models.bert.modeling_bert.BertLayer] } }',
      { sharding: 'fsdp' },
      { layers: true },
    ],
  ])('shards by the first FSDP for %s', async (strategy, settings, { layers } = { layers: false }) => {
    const named = config
      .replace('strategy: ddp', `strategy: ${strategy}\n  precision: bf16-mixed`)
      .replace('    name: bert', '    model_name_or_path: bert')
    const { spec } = await trained(named, {})
    expect(spec).toMatchObject({ fsdpVersion: 1, syncsEveryMicroBatch: true, precision: 'bf16-master', ...settings })
    expect(spec.wrapsWholeModel).toBe(layers ? undefined : true)
  })

  it('names a strategy that is not counted', async () => {
    const offloaded = config.replace('strategy: ddp', 'strategy: deepspeed_stage_3_offload')
    expect(await refusals(offloaded)).toContain('strategy changes what training holds in memory')
  })

  it('divides the batch among the GPUs where the data module does', async () => {
    const divided = data.replace(
      'self.batch_size = batch_size',
      'self.batch_size = batch_size // self.trainer.world_size',
    )
    expect((await trained(config, { ...base, 'tagger/data.py': divided })).spec.microBatch).toBe(12)
    const all = config.replace('devices: 2', 'devices: auto')
    const reading = await trained(all, { ...base, 'tagger/data.py': divided })
    expect(reading.spec.microBatch).toBe(24)
    expect(reading.assumptions.join('\n')).toContain('of which one is assumed')
  })

  it('asks for what depends on run time, by its name', async () => {
    const random = {
      ...base,
      'tagger/data.py': data.replace('self.batch_size = batch_size', 'self.batch_size = choose()'),
    }
    expect(await refusals(config, random)).toContain('choose()')
  })

  it('names a model of the code’s own layers, and never guesses one', async () => {
    const layers = model().replace(/AutoModel\S+ num_labels=labels\)/, 'torch.nn.LSTM(8, 8)')
    expect(await noConfig(config, { ...base, 'tagger/models.py': layers })).toContain(
      'Its model is none of a library: Reviewer (line 5 of tagger/models.py) has layers of its own (line 10 of tagger/models.py), which are not modelled. Add model',
    )
    const beside = model(undefined, 'self.crf = torch.nn.LSTM(8, 8)')
    expect(await noConfig(config, { ...base, 'tagger/models.py': beside })).toContain('has layers of its own')
  })

  it('reads no other module of the same file', async () => {
    const other = `
class Other(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = AutoModelForSequenceClassification.from_pretrained("roberta-large")
        self.model.gradient_checkpointing_enable()
        for parameter in self.model.parameters():
            parameter.requires_grad = False

    def encode(self, rows):
        return self.tokenizer(rows, max_length=400)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(self.rows, batch_size=2, shuffle=True)

    def configure_optimizers(self):
        return torch.optim.RMSprop(self.parameters())
`
    const { spec } = await trained(config, { ...base, 'tagger/models.py': model() + other })
    expect(spec).toMatchObject({ ...said, gradientCheckpointing: false })
  })

  it('counts what its arguments freeze, beside a head that only others of them give it', async () => {
    const modes = `
        if self.hparams.rate > 1:
            self.model.classifier = torch.nn.Linear(768, labels)
        if labels == 3:
            for parameter in self.model.bert.parameters():
                parameter.requires_grad = False`
    const { spec } = await trained(config, { ...base, 'tagger/models.py': model(undefined, modes.trimStart()) })
    expect(spec).toMatchObject({ ...said, trainable: { names: [String.raw`classifier\.`] } })
  })

  it('says as before that the class is in the code where its file is not there', async () => {
    expect(await refusals(config, {})).toContain('"tagger.models.Reviewer" is a class in your code')
  })

  it('counts a large language model in 4 bits with its adapters', async () => {
    const quantized = `import lightning as L
import torch
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

class Reviewer(L.LightningModule):
    def __init__(self, name: str, labels: int = 2):
        super().__init__()
        loaded = AutoModelForCausalLM.from_pretrained(name, quantization_config=BitsAndBytesConfig(load_in_4bit=True))
        loaded = prepare_model_for_kbit_training(loaded)
        self.model = get_peft_model(loaded, LoraConfig(r=labels, target_modules=["q_proj", "v_proj"]))

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())
`
    const text = config.replace('bert-base-uncased', 'Qwen/Qwen2.5-0.5B')
    const { spec } = await trained(text, { ...base, 'tagger/models.py': quantized })
    expect(spec).toMatchObject({ model: 'Qwen/Qwen2.5-0.5B', gradientCheckpointing: true, task: 'causal-lm' })
    expect(JSON.stringify(spec)).toMatch(/"rank":3.*nf4|nf4.*"rank":3/)
  })

  it.each([
    ['bf16-true', true],
    ['bf16-mixed', undefined],
  ])('precision %s casts adapters: %s', async (precision, isCast) => {
    const adapted = `import lightning as L
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

class Reviewer(L.LightningModule):
    def __init__(self, name: str, labels: int = 2):
        super().__init__()
        loaded = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16)
        self.model = get_peft_model(loaded, LoraConfig(r=labels, target_modules=["q_proj", "v_proj"]))

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())
`
    const text = config
      .replace('bert-base-uncased', 'Qwen/Qwen2.5-0.5B')
      .replace(/precision: .*/, `precision: ${precision}`)
    const { spec } = await trained(text, { ...base, 'tagger/models.py': adapted })
    expect(spec.precision).toBe('bf16')
    expect(spec.lora?.inWeightsType).toBe(isCast)
  })
})

describe('the script of a Lightning CLI', () => {
  const plain = 'trainer:\n  max_epochs: 1\nmodel:\n  name: roberta-base\ndata:\n  batch_size: 16\n'
  const script = (own = '', given = '') => `from lightning.pytorch.cli import LightningCLI
from tagger.models import Reviewer
from tagger.data import Reviews

class Cli(LightningCLI):
    def add_arguments_to_parser(self, parser):
        ${own || 'pass'}

if __name__ == "__main__":
    Cli(Reviewer, Reviews${given})
`
  it('names the classes of a config that has only their arguments', async () => {
    const { spec, batchSizeAt, assumptions } = await trained(plain, { ...base, 'main.py': script() })
    expect(spec).toMatchObject({ model: 'FacebookAI/roberta-base', microBatch: 16, labels: 2, precision: 'fp32' })
    expect(batchSizeAt).toEqual({ line: 6, column: 15 })
    expect(assumptions.join('\n')).toContain('by the LightningCLI of main.py')
  })

  it('imports the classes that a config names without a path', async () => {
    const named = config.replace('tagger.models.', '').replace('tagger.data.', '')
    expect((await trained(named, { ...base, 'main.py': script() })).spec).toMatchObject(said)
    expect(await refusals(named)).toContain('"Reviewer" is a class in your code')
  })

  it('sets defaults, which the config overrides', async () => {
    const defaults = script(
      'parser.set_defaults({"model.labels": 5, "data.batch_size": 4})',
      ', trainer_defaults={"precision": "16-mixed"}',
    )
    const { spec } = await trained(plain, { ...base, 'main.py': defaults })
    expect(spec).toMatchObject({ labels: 5, microBatch: 16, precision: 'amp-fp16' })
  })

  it('links settings to others', async () => {
    const linked = script('parser.link_arguments("data.length", "model.labels")')
    const text = plain.replace('batch_size: 16', 'batch_size: 16\n  length: 64')
    expect((await trained(text, { ...base, 'main.py': linked })).spec).toMatchObject({ labels: 64, sequenceLength: 64 })
    const computed = script('parser.link_arguments("data.batch_size", "model.name", compute_fn=str)')
    expect(await refusals(plain, { ...base, 'main.py': computed })).toContain('it is what data.batch_size is')
  })

  it('is not chosen among several', async () => {
    const files = { ...base, 'main.py': script(), 'train.py': script() }
    expect(await refusals(plain, files)).toContain('model-not-in-file')
  })
})
