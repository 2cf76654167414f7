/** Loops that scripts write themselves around a model of a library. */
import { describe, expect, it } from 'vitest'
import { firstProblem, loop, type Parts, spec } from './loop.ts'
import { read, trained } from './scripts.ts'

describe('a loop around a known model', () => {
  it('is read as plain PyTorch: what the loop keeps, and no default of a trainer', async () => {
    expect(await spec({})).toMatchObject({
      loop: 'plain',
      microBatch: 16,
      gradientAccumulation: 1,
      sequenceLength: 256,
      precision: 'fp32',
      optimizer: 'adamw',
      gradientCheckpointing: false,
    })
  })

  it.each<readonly [string, string, string]>([
    ['Adam', 'torch.optim.Adam(model.parameters())', 'adamw'],
    ['fused', 'torch.optim.AdamW(model.parameters(), fused=True)', 'adamw-fused'],
    ['without foreach', 'torch.optim.AdamW(model.parameters(), foreach=False)', 'adamw-loop'],
    ['SGD', 'torch.optim.SGD(model.parameters(), 0.1)', 'sgd'],
    ['momentum', 'torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)', 'sgd-momentum'],
    ['of chosen parameters', 'torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()))', 'adamw'],
    ['of a list of those that train', 'torch.optim.AdamW([p for p in model.parameters() if p.requires_grad])', 'adamw'],
    ['of groups', 'torch.optim.AdamW([{"params": rest}, {"params": head, "lr": 1}])', 'adamw'],
  ])('%s is its optimizer', async (_, call, optimizer) => {
    expect((await spec({ optimizer: `optimizer = ${call}` })).optimizer).toBe(optimizer)
  })

  it.each<readonly [string, string]>([
    ['with torch.autocast("cuda", dtype=torch.bfloat16):', 'amp-bf16'],
    ['with torch.autocast("cuda"):', 'amp-fp16'],
    ['with torch.cuda.amp.autocast():', 'amp-fp16'],
    ['with torch.amp.autocast(device_type="cuda", dtype=torch.float16):', 'amp-fp16'],
    ['with torch.cuda.amp.autocast(enabled=False):', 'fp32'],
    ['with torch.autocast("cuda", enabled=torch.device("cuda:0").type == "cuda"):', 'amp-fp16'],
    ['with torch.autocast(torch.device("cpu").type):', 'fp32'],
  ])('%s decides precision', async (line, precision) => {
    const step = `${line}\n        loss = model(**batch).loss\n    loss.backward()\n    optimizer.step()`
    expect((await spec({ step })).precision).toBe(precision)
  })

  it.each([
    ['@torch.autocast("cuda", dtype=torch.bfloat16)', 'amp-bf16'],
    ['@torch.cuda.amp.autocast()', 'amp-fp16'],
    ['@other.autocast()', 'fp32'],
  ])('%s above the function that steps decides precision', async (decorator, precision) => {
    const text = `import torch
from transformers import AutoModelForSequenceClassification
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased").cuda()
optimizer = torch.optim.AdamW(model.parameters())
loader = torch.utils.data.DataLoader(data, batch_size=16, shuffle=True)
${decorator}
def train():
    for batch in loader:
        model(**batch).loss.backward()
        optimizer.step()
train()
`
    expect((await trained(text)).spec.precision).toBe(precision)
  })

  it.each([
    [
      'a function that the step calls',
      'def forward_loss(batch):\n    return model(**batch).loss',
      'forward_loss(batch)',
    ],
    [
      "a model's forward pass",
      'class Head(torch.nn.Module):\n    def forward(self, x):\n        return x',
      'model(**batch).loss',
    ],
  ])('@torch.autocast on %s decides precision', async (_, defined, loss) => {
    const indent = defined.startsWith('class') ? '    ' : ''
    const above = defined.replace(/ *def/, `${indent}@torch.autocast("cuda", dtype=torch.bfloat16)\n${indent}def`)
    const step = `loss = ${loss}\n    loss.backward()\n    optimizer.step()`
    expect((await spec({ above, step })).precision).toBe('amp-bf16')
  })

  it.each([
    ['True', 'amp-fp16'],
    ['False', 'fp32'],
    ['device != "cpu"', 'amp-fp16'],
  ])('autocast if %s, and nullcontext() otherwise', async (condition, precision) => {
    const above = `from contextlib import nullcontext\ncontext = torch.autocast("cuda") if ${condition} else nullcontext()`
    const step = 'with context:\n        loss = model(**batch).loss\n    loss.backward()\n    optimizer.step()'
    expect((await spec({ above, step })).precision).toBe(precision)
  })

  it.each<readonly [string, string, string]>([
    ['lightning', '"16-mixed"', 'amp-fp16'],
    ['lightning.fabric', '"bf16-mixed"', 'amp-bf16'],
    ['lightning_fabric', '"bf16-true"', 'bf16'],
    ['lightning', '"32-true"', 'fp32'],
  ])("%s's Fabric with precision %s decides it", async (library, precision, expected) => {
    const above = `from ${library} import Fabric\nfabric = Fabric(accelerator="cuda", devices=4, precision=${precision})`
    const step = 'fabric.backward(model(**batch).loss)\n    optimizer.step()'
    expect(await spec({ above, step })).toMatchObject({ precision: expected, gpus: 4 })
  })

  it.each<readonly [string, string]>([
    ['given', 'Accelerator(gradient_accumulation_steps=8)'],
    ['given by its plugin', 'Accelerator(gradient_accumulation_plugin=GradientAccumulationPlugin(num_steps=8))'],
    ['set on it', 'Accelerator()\naccelerator.gradient_accumulation_steps = 8'],
  ])('accumulates what an Accelerator is told: %s', async (_, made) => {
    const above = `from accelerate import Accelerator\nfrom accelerate.utils import GradientAccumulationPlugin\naccelerator = ${made}`
    const step = 'accelerator.backward(model(**batch).loss)\n    optimizer.step()'
    expect(await spec({ above, step })).toMatchObject({ gradientAccumulation: 8 })
  })

  it.each([
    ['fsdp_plugin=FullyShardedDataParallelPlugin()', 'unsupported-setting'],
    ['deepspeed_plugin=DeepSpeedPlugin(zero_stage=3)', 'unsupported-setting'],
    ['dynamo_backend="inductor"', 'unsupported-setting'],
    ['cpu=True', 'unsupported-setting'],
    ['split_batches=True', 'not-in-file'],
    ['dataloader_config=DataLoaderConfiguration(split_batches=True)', 'not-in-file'],
  ])('names what an Accelerator is given: %s', async (given, code) => {
    const imports =
      'from accelerate import Accelerator, DeepSpeedPlugin, FullyShardedDataParallelPlugin\nfrom accelerate.utils import DataLoaderConfiguration'
    const above = `${imports}\naccelerator = Accelerator(${given})`
    const step = 'accelerator.backward(model(**batch).loss)\n    optimizer.step()'
    expect((await firstProblem(loop({ above, step })))?.code).toBe(code)
  })

  it.each(['cpu=False', 'dynamo_backend="no"', 'fsdp_plugin=None', 'split_batches=False'])(
    'an Accelerator with %s does nothing besides',
    async given => {
      const above = `from accelerate import Accelerator\naccelerator = Accelerator(${given})`
      const step = 'accelerator.backward(model(**batch).loss)\n    optimizer.step()'
      expect(await spec({ above, step })).toMatchObject({ microBatch: 16 })
    },
  )

  it.each([
    'if (index + 1) % 8 == 0:\n        optimizer.step()',
    'if (index + 1) % STEPS == 0 or index == last:\n        optimizer.step()',
    'if index % STEPS == STEPS - 1:\n        scaler.step(optimizer)',
    'count += 1\n    if count >= STEPS:\n        optimizer.step()\n        count = 0',
    'is_last = (index + 1) % STEPS == 0\n    if is_last:\n        optimizer.step()',
  ])('accumulates as often as it skips the step: %j', async step => {
    const parts = { above: 'STEPS = 8', step: `model(**batch).loss.backward()\n    ${step}` }
    expect((await spec(parts)).gradientAccumulation).toBe(8)
  })

  it('takes its batches from the loader for training', async () => {
    const loader =
      'val_loader = DataLoader(val_set, batch_size=64)\ntrain_loader = DataLoader(train_set, batch_size=4)\ntest = DataLoader(test_set, 1)'
    expect((await spec({ loader })).microBatch).toBe(4)
  })
})

describe('a loop is asked for what it does not say:', () => {
  it.each<readonly [string, string, Parts]>([
    [
      'autocast',
      'fp16',
      { step: 'with torch.autocast("cuda", enabled=flags.amp):\n        model(**batch).loss.backward()' },
    ],
    [
      'autocast or nullcontext()',
      'fp16',
      {
        step: 'with torch.autocast("cuda") if "--amp" in sys.argv else nullcontext():\n        model(**batch).loss.backward()',
      },
    ],
    [
      'a step at some of the losses',
      'gradient_accumulation_steps',
      { step: 'model(**batch).loss.backward()\n    if len(losses) == 8:\n        optimizer.step()' },
    ],
    [
      'Fabric',
      'fp16',
      { above: 'from lightning import Fabric\nif flags.amp:\n    fabric = Fabric(precision="16-mixed")' },
    ],
    ['half precision of Fabric', 'fp16', { above: 'import lightning as L\nfabric = L.Fabric(precision="16-true")' }],
    ['a scaler alone', 'fp16', { above: 'scaler = torch.cuda.amp.GradScaler()' }],
    ['two optimizers', 'optim', { above: 'other = torch.optim.SGD(model.parameters(), 1)' }],
    ['an optimizer from elsewhere', 'optim', { optimizer: 'optimizer = make_optimizer(model)' }],
    [
      'two loaders',
      'batch_size',
      {
        loader:
          'train_loader = pick(DataLoader(a, batch_size=8, shuffle=True), DataLoader(c, batch_size=4, shuffle=True))',
      },
    ],
    ['the length', 'max_length', { above: 'ids = tokenizer(text, max_length=512)' }],
  ])('%s', async (_, field, parts) => {
    const problem = await firstProblem(loop(parts))
    expect(problem).toMatchObject({ code: 'not-in-file' })
    expect(problem?.field).toMatch(new RegExp(`${field}$`))
  })

  it.each<readonly [string, string]>([
    ['FSDP', 'model = torch.distributed.fsdp.FullyShardedDataParallel(model)'],
    ['a gradient of each sample', 'private = engine.make_private(module=model, noise_multiplier=1)'],
    ['a cast of what holds the model', 'holder.model.half()'],
    ['a teacher', 'teacher = AutoModelForCausalLM.from_pretrained("gpt2-xl")'],
    ['an average of weights', 'ema = torch.optim.swa_utils.AveragedModel(model)'],
    ['frozen weights', 'for p in model.transformer.parameters():\n    p.requires_grad = False'],
    ['checkpointing by hand', 'x = torch.utils.checkpoint.checkpoint(block, x)'],
  ])('%s is named and refused', async (_, above) => {
    expect(await firstProblem(loop({ above }))).toMatchObject({ code: 'unsupported-setting' })
  })

  it('a model that is loaded after training is no teacher', async () => {
    const reading = await read(`${loop({})}best = AutoModelForCausalLM.from_pretrained("out")\n`)
    expect(reading).toMatchObject({ kind: 'training-config' })
  })
})

describe('no config is', () => {
  it.each<readonly [string, string]>([
    ['a loop that never goes backward', loop({ step: 'print(model(**batch).loss)' })],
    [
      'a loop around a network of its own',
      loop({ optimizer: 'optimizer = torch.optim.Adam(Net(model).parameters())' }),
    ],
    ['a loop over what a model without a head gives', loop({}).replaceAll('AutoModelForCausalLM', 'AutoModel')],
    ['a loop without batches', loop({ loader: 'train_loader = batches()' })],
  ])('%s', async (_, text) => {
    expect(await read(text)).toMatchObject({ kind: 'not-a-training-config' })
  })
})

it("apex's mixed precision is named", async () => {
  const text = loop({ above: 'from apex import amp\nmodel = amp.initialize(model, opt_level="O1")' })
  expect(await firstProblem(text)).toMatchObject({ code: 'unsupported-setting', line: 8, field: 'apex.amp.initialize' })
})

describe('what the loop goes over', () => {
  const through = (made: string, over: string) =>
    loop({
      above: `from torchtext.data import BucketIterator\nfrom others import PackedLoader\n${made}`,
      loader: 'spare_loader = DataLoader(train_set, batch_size=11, shuffle=True)',
    }).replace('enumerate(train_loader)', over)

  it.each([
    ['train_iter = BucketIterator(data, batch_size=16)', 'enumerate(train_iter)', 16],
    ['other_loader = DataLoader(data, batch_size=4)', 'enumerate(tqdm(other_loader))', 4],
    ['', 'enumerate(spare_loader)', 11],
  ])('decides the batch: %s', async (made, over, batch) => {
    expect(await read(through(made, over))).toMatchObject({ kind: 'training-config', spec: { microBatch: batch } })
  })

  it.each([
    ['packed = PackedLoader(data, batch_size=16)', 'enumerate(packed)'],
    ['train_iter = BucketIterator(data, batch_size=4_000, batch_size_fn=tokens)', 'enumerate(train_iter)'],
  ])('is asked for where its batches are not known: %s', async (made, over) => {
    expect(await firstProblem(through(made, over))).toMatchObject({
      code: 'not-in-file',
      message: expect.stringContaining('the loop goes over'),
    })
  })
})

it.each(['model.lstm.parameters()', '[p for p in model.lstm.parameters()]'])(
  'a network of its own is not taken for the model that its words are embedded with: %s',
  async parameters => {
    const text = `import torch
from torch import nn
from torch.utils.data import DataLoader
from transformers import BertForSequenceClassification, BertTokenizer
tokenizer = BertTokenizer.from_pretrained("bert-base-uncased")
embedder = BertForSequenceClassification.from_pretrained("bert-base-uncased")
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(768, 256, batch_first=True)
        self.out = nn.Linear(256, 2)
    def forward(self, x):
        return self.out(self.lstm(x)[0][:, -1])
model = Tagger().cuda()
optimizer = torch.optim.Adam(${parameters})
for words, labels in DataLoader(data, batch_size=32, shuffle=True):
    ids = tokenizer(words, truncation=True, max_length=64, padding=True, return_tensors="pt")
    nn.functional.cross_entropy(model(embedder(**ids).logits), labels).backward()
    optimizer.step()
`
    expect((await read(text)).kind).toBe('not-a-training-config')
  },
)
