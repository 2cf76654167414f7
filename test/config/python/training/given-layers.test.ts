/** Layers that a script puts in the place of a network's own. */
import { describe, expect, it } from 'vitest'
import { problems, trained } from '../scripts.ts'

const loop = (given: string) => `import torch, torchvision
from torch import nn
from torch.utils.data import DataLoader
def build():
    model = torchvision.models.resnet18(num_classes=10)
${given}
    return model
model = build()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for images, labels in DataLoader(data, batch_size=64, shuffle=True):
    nn.functional.cross_entropy(model(images.cuda()), labels).backward()
    optimizer.step()
`

describe('a layer of the body', () => {
  it.each([
    ['    model.conv1 = nn.Conv2d(3, 64, kernel_size=3, stride=1, padding=1, bias=False)', 'model.conv1'],
    ['    model.maxpool = nn.Identity()', 'model.maxpool'],
    ['    model.layer4 = nn.Sequential()', 'model.layer4'],
    ['    model.layer4[1] = nn.Conv2d(512, 512, kernel_size=3)', 'model.layer4'],
  ])('is named: %s', async (given, name) => {
    const message = `${name} changes what training holds in memory, and is not understood in scripts yet`
    expect(await problems(loop(given))).toMatchObject([{ message, line: 6 }])
  })

  it.each([
    '    model.conv1 = nn.Conv2d(1, 64, kernel_size=7, stride=2, padding=3, bias=False)',
    '    model.conv1 = nn.Conv2d(1, 64, kernel_size=(7, 7), stride=(2, 2), padding=(3, 3))',
    '    model.avgpool = nn.AdaptiveAvgPool2d(1)',
    '    model.fc = nn.Sequential(nn.Linear(512, 128), nn.ReLU(), nn.Linear(128, 10))',
    '    model.fc = nn.Identity()',
    '    model.name = "resnet"',
  ])('is none that changes what is held: %s', async given => {
    expect((await trained(loop(given))).spec).toMatchObject({ model: 'microsoft/resnet-18', microBatch: 64 })
  })
})

describe('the model of a trainer', () => {
  const script = (given: string) => `from torch import nn
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
${given}
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=8)).train()
`
  it('is read with another head, and not with other embeddings', async () => {
    expect((await trained(script('model.classifier = nn.Linear(768, 3)'))).spec.microBatch).toBe(8)
    expect(await problems(script('model.bert.embeddings.word_embeddings = nn.Embedding(250000, 768)'))).toMatchObject([
      {
        message: expect.stringMatching(/^model\.bert\.embeddings\.word_embeddings changes what training holds/),
        line: 4,
      },
    ])
  })
})

describe('a head in the place of the own one', () => {
  it.each([
    ['    model.fc = nn.Linear(512, 7)', 7],
    ['    model.fc = nn.Linear(in_features=model.fc.in_features, out_features=7)', 7],
    ['    model.fc = nn.Sequential(nn.Linear(512, 128), nn.ReLU(), nn.Linear(128, 7), nn.Sigmoid())', 7],
    ['    model.fc = nn.Identity()', 10],
    ['    model.fc = nn.Linear(512, len(classes))', 10],
  ])('says how many labels there are: %s', async (given, labels) => {
    expect((await trained(loop(given))).spec.labels).toBe(labels)
  })

  it.each([
    ['model.classifier[1] = nn.Linear(1280, 7)', 7],
    ['model.classifier[-1] = nn.Linear(model.classifier[1].in_features, 7)', 7],
    ['model.classifier[0] = nn.Dropout(0.4)', 10],
  ])('may be a numbered child: %s', async (given, labels) => {
    const text = loop(`    ${given}`).replace('resnet18', 'efficientnet_b3')
    expect((await trained(text)).spec).toMatchObject({ model: 'google/efficientnet-b3', labels, imageSize: 300 })
  })
})

describe('the blocks of a language model', () => {
  const pruned = (given: string) => `from torch import nn
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
${given}
arguments = TrainingArguments("out", per_device_train_batch_size=4)
Trainer(model=model, args=arguments, train_dataset=data).train()
`

  it.each([
    'model.model.layers = model.model.layers[:12]',
    'model.model.layers = nn.ModuleList(model.model.layers[:12])',
    'kept = 12\nmodel.model.layers = model.model.layers[:kept]',
    'del model.model.layers[12:]',
    'model.model.layers.pop(-1)',
  ])('are named where some are left out: %j', async given => {
    const message = 'model.model.layers changes what training holds in memory, and is not understood in scripts yet'
    expect(await problems(pruned(given))).toMatchObject([{ message }])
  })
})

it('layers that a model is loaded with other than its own number of are named', async () => {
  const { unreadSettings } = await trained(`from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B", num_hidden_layers=4)
arguments = TrainingArguments("out", per_device_train_batch_size=4)
Trainer(model=model, args=arguments, train_dataset=data).train()
`)
  expect(unreadSettings?.map(({ name }) => name)).toEqual(['num_hidden_layers'])
})
