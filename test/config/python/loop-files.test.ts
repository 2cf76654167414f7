/** Loops in several files, whose parts are found. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { firstProblem, loop } from './loop.ts'
import { read, readBeside } from './scripts.ts'

describe('a loop in several files', () => {
  const made = 'def make():\n    return AutoModelForCausalLM.from_pretrained("gpt2")\n'
  const chosen = `from torch.optim import AdamW
from torch.utils.data import DataLoader
from build import make
model = make()
params = [p for p in model.parameters() if p.requires_grad]
optimizer = AdamW(params, lr=1e-4)
for batch in DataLoader(data, batch_size=8, shuffle=True):
    model(**batch.to("cuda")).loss.backward()
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
        model: 'google-bert/bert-base-uncased',
        task: 'sequence-classification',
        microBatch: 24,
        gradientAccumulation: 4,
        precision: 'amp-bf16',
        sequenceLength: 200,
        optimizer: 'adamw',
      },
    })
  })

  it('counts what its class freezes, says where that is not known, and not where others freeze', async () => {
    const frozen = (part: string) =>
      classifier(`${head}\n        for p in self.${part}.parameters():\n            p.requires_grad = False`)
    const problems = [{ code: 'unsupported-setting', file: 'model.py', line: 10 }]
    expect(await beside(frozen('encoder.adapter'))).toMatchObject({ kind: 'unreadable', problems })
    const trainable = { names: [String.raw`classifier\.`] }
    expect(await beside(frozen('encoder'))).toMatchObject({ kind: 'training-config', spec: { trainable } })
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
            self.model(**batch.to("cuda")).loss.backward()
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
    model(**batch.to("cuda")).loss.backward()
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

it('settings named by the path in a container are those of the repository', async () => {
  const text = loop({
    above: 'import yaml\nconfig = yaml.safe_load(open("/workspace/configs/train.yaml"))',
    loader: 'train_loader = DataLoader(train_set, batch_size=config["batch"], shuffle=True)',
  })
  const reading = await readBeside(text, { 'configs/train.yaml': 'batch: 24\n' })
  expect(reading).toMatchObject({ kind: 'training-config', spec: { microBatch: 24 } })
})

describe('a loop whose class makes the optimizer, in a file of its own', () => {
  const trainer = `from torch.optim import AdamW
def evaluate(model, loader):
    return [model(**batch) for batch in loader]
class ReviewTrainer:
    def __init__(self, model, loader, lr=2e-5):
        self.model, self.loader = model.to("cuda"), loader
        self.optimizer = AdamW(self.model.parameters(), lr=lr)
    def epoch(self):
        for batch in self.loader:
            self.model(**batch.to("cuda")).loss.backward()
            self.optimizer.step()
`
  const main = (run: string) => `from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trainer import ${run.split('(')[0]}
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
rows = tokenizer(texts, truncation=True, max_length=96)
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=4)
train_loader = DataLoader(rows, batch_size=24, shuffle=True)
${run}
`

  it('is read where the class is called', async () => {
    const files = { 'trainer.py': trainer }
    expect(await readBeside(main('ReviewTrainer(model, train_loader).epoch()'), files)).toMatchObject({
      kind: 'training-config',
      dialect: 'PyTorch',
      spec: {
        model: 'google-bert/bert-base-uncased',
        microBatch: 24,
        sequenceLength: 96,
        optimizer: 'adamw',
        labels: 4,
      },
    })
    const momentum = trainer.replaceAll('AdamW', 'SGD').replace('lr=lr', 'lr=lr, momentum=0.9')
    expect(
      await readBeside(main('ReviewTrainer(model, train_loader).epoch()'), { 'trainer.py': momentum }),
    ).toMatchObject({ spec: { optimizer: 'sgd-momentum' } })
  })

  it('is none where only another function of the file is called', async () => {
    const reading = await readBeside(main('evaluate(model, train_loader)'), { 'trainer.py': trainer })
    expect(reading.kind).toBe('not-a-training-config')
  })
})
