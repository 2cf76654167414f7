/** Loops that scripts write themselves, with PyTorch or Lightning, around a model of a library. */
import { describe, expect, it } from 'vitest'
import type { Problem } from '../../../engine/base/errors.ts'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { read, readBeside } from './scripts.ts'

interface Parts {
  readonly above?: string
  readonly loader?: string
  readonly optimizer?: string
  readonly step?: string
}

const loop = ({
  above = '',
  loader = 'train_loader = DataLoader(train_set, batch_size=16, shuffle=True)',
  optimizer = 'optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)',
  step = 'model(**batch).loss.backward()\n    optimizer.step()',
}: Parts) => `import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2")
ids = tokenizer(text, truncation=True, max_length=256)
${above}
${loader}
${optimizer}
for index, batch in enumerate(train_loader):
    ${step}
`

async function spec(parts: Parts) {
  const reading = await read(loop(parts))
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  return reading.spec
}

async function firstProblem(text: string): Promise<Problem | undefined> {
  const reading = await read(text)
  if (reading.kind !== 'unreadable') throw new Error(JSON.stringify(reading))
  return reading.problems[0]
}

describe('a loop around a known model', () => {
  it('is read as plain PyTorch: what the loop keeps, and no default of a trainer', async () => {
    expect(await spec({})).toMatchObject({
      ...{ loop: 'plain', microBatch: 16, gradientAccumulation: 1, sequenceLength: 256 },
      ...{ precision: 'fp32', optimizer: 'adamw', gradientCheckpointing: false },
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
  ])('%s decides precision', async (line, precision) => {
    const step = `${line}\n        loss = model(**batch).loss\n    loss.backward()\n    optimizer.step()`
    expect((await spec({ step })).precision).toBe(precision)
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

  it.each([
    'if (index + 1) % 8 == 0:\n        optimizer.step()',
    'if (index + 1) % STEPS == 0 or index == last:\n        optimizer.step()',
    'if index % STEPS == STEPS - 1:\n        scaler.step(optimizer)',
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
    ['a cast by statement', 'model.half()'],
    ['a cast to a type', 'model.to(device, torch.bfloat16)'],
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

describe('Lightning', () => {
  const lightning = (trainer: string, own = '') => `import lightning as L
import torch, torchvision
from torch.utils.data import DataLoader
from data import Images
class Lit(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torchvision.models.resnet18(num_classes=10)
        ${own}
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
L.Trainer(${trainer}).fit(Lit(), datamodule=Images(batch_size=32))
`
  const data =
    'import lightning as L\nfrom torch.utils.data import DataLoader\nclass Images(L.LightningDataModule):\n    def __init__(self, batch_size=8):\n        super().__init__()\n        self.batch_size = batch_size\n    def train_dataloader(self):\n        return DataLoader(self.set, batch_size=self.batch_size)\n    def val_dataloader(self):\n        return DataLoader(self.val, batch_size=1)\n'
  const readLightning = (text: string) => readBeside(text, { 'data.py': data })

  it('is read with its data module, from another file', async () => {
    const text = lightning('precision="bf16-mixed", devices=[0, 1], num_nodes=2, accumulate_grad_batches=4')
    expect(await readLightning(text)).toMatchObject({
      dialect: 'Lightning',
      batchSizeAt: { line: 12 },
      spec: {
        ...{ model: 'microsoft/resnet-18', microBatch: 32, gradientAccumulation: 4, gpus: 4, labels: 10 },
        ...{ precision: 'amp-bf16', optimizer: 'sgd', loop: 'lightning' },
      },
    })
  })

  it.each([
    ['precision=flags.precision', 'not-in-file'],
    ['precision="64-true"', 'not-in-file'],
    ['strategy="fsdp"', 'unsupported-setting'],
    ['strategy="deepspeed_stage_3_offload"', 'unsupported-setting'],
    ['accumulate_grad_batches={0: 8, 4: 1}', 'not-a-whole-number'],
  ])('names what is not known of %s', async (trainer, code) => {
    const reading = await readLightning(lightning(trainer))
    expect(reading).toMatchObject({ kind: 'unreadable', problems: [{ code }] })
  })

  it.each(['accelerator="cpu"', 'accelerator="mps"'])('gets no verdict for a GPU with %s', async trainer => {
    const reading = await readLightning(lightning(trainer))
    expect(reading).toMatchObject({ kind: 'unreadable', problems: [{ code: 'not-on-gpu', line: 12 }] })
  })

  it('is read with the model that it moves to a GPU', async () => {
    const moved = lightning('').replace('(num_classes=10)', '(num_classes=10).to("cuda")')
    expect(await readLightning(moved)).toMatchObject({ spec: { model: 'microsoft/resnet-18', labels: 10 } })
  })

  it('counts a head of few labels that it puts on top', async () => {
    const reading = await readLightning(lightning('', 'self.head = torch.nn.Linear(10, 10)'))
    expect(reading).toMatchObject({ spec: { model: 'microsoft/resnet-18' }, assumesCode: true })
  })

  it('is no config with layers of its own', async () => {
    expect(await readLightning(lightning('', 'self.head = torch.nn.LSTM(10, 10)'))).toEqual({
      kind: 'not-a-training-config',
      why: 'Its training is set up by others: Lit has layers of its own (line 9).',
    })
  })
})

describe('images of a loop', () => {
  const images = (transform: string) => `import albumentations as A
import torch
from torch.utils.data import DataLoader
from torchvision import models, transforms
model = models.resnet18(weights="DEFAULT")
transform = ${transform}
train_loader = DataLoader(Images(transform), batch_size=16)
optimizer = torch.optim.Adam(model.parameters())
for x, y in train_loader:
    loss(model(x), y).backward()
    optimizer.step()
`

  it.each([
    'transforms.Resize((256, 256))',
    'transforms.Resize(size=256)',
    'A.Resize(256, 256)',
    'A.Resize(height=256, width=256)',
    'A.RandomResizedCrop(size=(256, 256))',
    'transforms.Resize(256, 3)',
  ])('%s says their side', async transform => {
    expect(await read(images(transform))).toMatchObject({ spec: { imageSize: 256 } })
  })

  it.each(['transforms.Resize((512, 384))', 'A.Resize(512, 384)', 'A.Resize(height=512, width=384)'])(
    '%s is asked for, since it makes no square',
    async transform => {
      expect(await firstProblem(images(transform))).toMatchObject({
        code: 'not-in-file',
        field: 'image_size',
        message: expect.stringContaining('by "384"'),
      })
    },
  )
})

describe('a loop in several files', () => {
  const made = 'def make():\n    return AutoModelForCausalLM.from_pretrained("gpt2")\n'
  const chosen = `from torch.optim import AdamW
from torch.utils.data import DataLoader
from build import make
model = make()
params = [p for p in model.parameters() if p.requires_grad]
optimizer = AdamW(params, lr=1e-4)
for batch in DataLoader(data, batch_size=8, shuffle=True):
    model(**batch).loss.backward()
    optimizer.step()
`

  it('trains the model whose parameters it chooses from, wherever that is loaded', async () => {
    const files = { 'build.py': `from transformers import AutoModelForCausalLM\n${made}` }
    expect(await readBeside(chosen, files)).toMatchObject({ spec: { model: 'openai-community/gpt2', microBatch: 8 } })
  })

  it('takes none of two whose parameters it chooses from', async () => {
    const both = chosen
      .replace('if p.requires_grad]', '] + [p for p in other.parameters()]')
      .replace('= make()', '= make()\nother = make()')
    const files = { 'build.py': `from transformers import AutoModelForCausalLM\n${made}` }
    expect(await readBeside(both, files)).not.toMatchObject({ kind: 'training-config' })
  })

  const classifier = (layers: string, loaded = 'AutoModel') => `import torch
from torch import nn
from transformers import ${loaded}
class Classifier(nn.Module):
    def __init__(self, name="bert-base-uncased", labels=2):
        super().__init__()
        self.encoder = ${loaded}.from_pretrained(name)
        ${layers}
    def forward(self, ids, mask):
        return self.head(self.encoder(ids, attention_mask=mask).last_hidden_state[:, 0])
`
  const epoch = `import torch
def train_epoch(model, loader, optimizer):
    for index, batch in enumerate(loader):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(**batch)
        loss.backward()
        if (index + 1) % 4 == 0:
            optimizer.step()
`
  const data = `from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __init__(self, rows, tokenizer, max_length=64):
        self.rows, self.tokenizer, self.max_length = rows, tokenizer, max_length
    def __getitem__(self, index):
        return self.tokenizer(self.rows[index], truncation=True, max_length=self.max_length)
def make_loader(rows, tokenizer, size):
    return DataLoader(Rows(rows, tokenizer, max_length=200), batch_size=size, shuffle=True)
`
  const main = `import torch
from transformers import AutoTokenizer
from dataset import make_loader
from engine import train_epoch
from model import Classifier
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
train_loader = make_loader(rows, tokenizer, 24)
model = Classifier("bert-base-uncased", labels=5).to("cuda")
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
for epoch in range(3):
    train_epoch(model, train_loader, optimizer)
`
  const head = 'self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(self.encoder.config.hidden_size, labels))'
  const beside = (model = classifier(head), text = main) =>
    readBeside(text, { 'dataset.py': data, 'engine.py': epoch, 'model.py': model })

  it('is read with its model, its batches and its loop from theirs, and never blocks', async () => {
    expect(await beside()).toMatchObject({
      dialect: 'PyTorch',
      batchSizeAt: { line: 7, column: 45 },
      assumesCode: true,
      spec: {
        ...{ model: 'google-bert/bert-base-uncased', task: 'sequence-classification', microBatch: 24 },
        ...{ gradientAccumulation: 4, precision: 'amp-bf16', sequenceLength: 200, optimizer: 'adamw' },
      },
    })
  })

  it('says where its class freezes weights, and not where others do', async () => {
    const frozen = 'for p in self.encoder.parameters():\n            p.requires_grad = False'
    const problems = [{ code: 'unsupported-setting', file: 'model.py', line: 10 }]
    expect(await beside(classifier(`${head}\n        ${frozen}`))).toMatchObject({ kind: 'unreadable', problems })
    const other = `${classifier(head)}\ndef freeze(model):\n    for p in model.parameters():\n        p.requires_grad = False\n`
    expect(await beside(other)).toMatchObject({ kind: 'training-config' })
  })

  it('says which layers it counts as a head, and where they are', async () => {
    const reading = await beside()
    expect(reading).toMatchObject({
      assumptions: expect.arrayContaining([
        "The layers that Classifier puts on top of the model (line 8 of model.py) are the code's own: they are counted as a head of few labels, so that nothing blocks.",
      ]),
    })
  })

  it.each([
    'self.head = nn.LSTM(768, 768)',
    'self.head = nn.Linear(768, 30522)',
    'self.head = nn.Linear(768, vocab_size)',
    'self.head = nn.Sequential(nn.Linear(768, 768), nn.TransformerEncoderLayer(768, 8))',
    'self.other = AutoModel.from_pretrained("gpt2")',
  ])('is none with %s', async layers => {
    expect((await beside(classifier(layers))).kind).toBe('not-a-training-config')
  })

  it.each(['load_model', 'restore'])('is not what %s() loads when it was trained', async name => {
    const script = `import torch
from torch.utils.data import DataLoader
from transformers import BertForTokenClassification
class Tagging:
    def __init__(self):
        self.model = BertForTokenClassification.from_pretrained("bert-base-cased", num_labels=9)
    def train(self, data):
        optimizer = torch.optim.AdamW(self.model.parameters())
        for batch in DataLoader(data, batch_size=24):
            self.model(**batch).loss.backward()
            optimizer.step()
    def ${name}(self):
        self.model = BertForTokenClassification.from_pretrained("./trained")
Tagging().train(rows)
`
    expect(await read(script)).toMatchObject({ spec: { model: 'google-bert/bert-base-cased', microBatch: 24 } })
  })

  it('is none without an optimizer', async () => {
    const text = main.replace(/optimizer = .*/, 'optimizer = None')
    expect((await beside(undefined, text)).kind).toBe('not-a-training-config')
  })

  it('takes the task of a class that has one', async () => {
    const model = classifier('self.loss = nn.CrossEntropyLoss()', 'AutoModelForMaskedLM')
    expect(await beside(model)).toMatchObject({ spec: { task: 'masked-lm' }, assumesCode: true })
  })
})

describe('a class of models that the command line chooses', () => {
  const text = `import argparse
import torch
from torch.utils.data import DataLoader
from transformers import BertConfig, BertForSequenceClassification, GPT2Config, GPT2ForSequenceClassification
KINDS = {"bert": (BertConfig, BertForSequenceClassification), "gpt2": (GPT2Config, GPT2ForSequenceClassification)}
parser = argparse.ArgumentParser()
parser.add_argument("--kind", required=True)
args = parser.parse_args()
config_class, model_class = KINDS[args.kind]
model = model_class.from_pretrained("bert-base-cased", config=config_class.from_pretrained("bert-base-cased"))
optimizer = torch.optim.AdamW(model.parameters())
for batch in DataLoader(rows, batch_size=6):
    model(**batch).loss.backward()
    optimizer.step()
`

  it('is asked for, with its line', async () => {
    expect(await firstProblem(text)).toMatchObject({
      code: 'not-in-file',
      field: 'task',
      line: 10,
      message: expect.stringContaining('the class of the model, model_class, depends on run time (line 10)'),
    })
  })

  it('is what the launcher says', async () => {
    const run = { 'run.sh': 'python train.py --kind bert\n' }
    const sources = {
      readFile: async (name: string) => run[name as keyof typeof run],
      listFolder: async () => ['run.sh'],
    }
    expect(await readConfigAsync({ path: 'train.py', text }, sources)).toMatchObject({
      kind: 'training-config',
      spec: { task: 'sequence-classification', microBatch: 6 },
    })
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

it('settings named by the path in a container are those of the repository', async () => {
  const text = loop({
    above: 'import yaml\nconfig = yaml.safe_load(open("/workspace/configs/train.yaml"))',
    loader: 'train_loader = DataLoader(train_set, batch_size=config["batch"], shuffle=True)',
  })
  const reading = await readBeside(text, { 'configs/train.yaml': 'batch: 24\n' })
  expect(reading).toMatchObject({ kind: 'training-config', spec: { microBatch: 24 } })
})
