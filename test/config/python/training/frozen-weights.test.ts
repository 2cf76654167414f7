/** Which weights train where a script freezes some by hand. */
import { describe, expect, it } from 'vitest'
import { problems, trained } from '../scripts.ts'

/** `frozen` stands between the model and its trainer. */
const finetuned = (model: string, frozen: string, given = '') => `import torch
from torch import nn
from transformers import *
model = ${model}
${frozen}
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=32${given})).train()
`
const classifier = (name: string) => `AutoModelForSequenceClassification.from_pretrained("${name}")`
const bert = classifier('bert-base-uncased')
const whisper = 'WhisperForConditionalGeneration.from_pretrained("openai/whisper-small")'
const t5 = 'AutoModelForSeq2SeqLM.from_pretrained("google/flan-t5-base")'

const inLoop = (part: string, flag = 'False') => `for param in ${part}.parameters():\n    param.requires_grad = ${flag}`

describe('what trains is read', () => {
  it.each<readonly [string, string, names: readonly string[]]>([
    [bert, inLoop('model.base_model'), ['classifier']],
    [bert, inLoop('model.bert'), ['classifier']],
    [bert, 'for p in model.bert.parameters():\n    p.requires_grad_(False)', ['classifier']],
    [bert, 'for _, p in model.bert.named_parameters():\n    p.requires_grad = False', ['classifier']],
    [bert, 'model.bert.requires_grad_(False)', ['classifier']],
    [bert, `model.requires_grad_(False)\nmodel.classifier.requires_grad_()`, ['classifier']],
    [bert, `if True:\n    model.bert.requires_grad_(False)`, ['classifier']],
    [classifier('distilbert-base-uncased'), inLoop('model.distilbert'), ['pre_classifier', 'classifier']],
    [
      classifier('distilbert-base-uncased'),
      `${inLoop('model')}\n${inLoop('model.classifier', 'True')}`,
      ['classifier'],
    ],
    [classifier('answerdotai/ModernBERT-base'), inLoop('model.model'), ['head', 'classifier']],
    [whisper, 'model.freeze_encoder()', [String.raw`model\.decoder`]],
    [whisper, inLoop('model.model.encoder'), [String.raw`model\.decoder`]],
    [t5, inLoop('model.get_encoder()'), ['decoder']],
    [t5, inLoop('model.encoder'), ['decoder']],
  ])('%s, %s', async (model, frozen, names) => {
    const { spec } = await trained(finetuned(model, frozen))
    expect(spec.trainable).toEqual({
      names: names.map(name => String.raw`${name}\.`),
      inputGradients: false,
      keepsType: true,
    })
  })
})

describe('an image model of a library', () => {
  const loop = (model: string, frozen: string) => `import timm, torch, torchvision
from torch import nn
from torch.utils.data import DataLoader
model = ${model}
${frozen}
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for images, labels in DataLoader(data, batch_size=64, shuffle=True):
    nn.functional.cross_entropy(model(images.cuda()), labels).backward()
    optimizer.step()
`
  const resnet = 'torchvision.models.resnet18(weights="DEFAULT")'
  it.each([
    [resnet, `${inLoop('model')}\nmodel.fc = nn.Linear(model.fc.in_features, 10)`],
    [resnet, `${inLoop('model')}\n${inLoop('model.fc', 'True')}`],
    [
      'timm.create_model("vit_base_patch16_224", pretrained=True)',
      `model.requires_grad_(False)\nmodel.head = torch.nn.Linear(768, 3)`,
    ],
  ])('%s trains its new head alone: %s', async (model, frozen) => {
    expect((await trained(loop(model, frozen))).spec.trainable?.names).toEqual([String.raw`classifier\.`])
  })

  it.each([
    ['a head from before', `model.fc = nn.Linear(512, 10)\n${inLoop('model')}`],
    ['a head of several layers', `${inLoop('model')}\nmodel.fc = nn.Sequential(nn.Linear(512, 10))`],
    ['a new layer below', `${inLoop('model')}\nmodel.fc = nn.Linear(512, 10)\nmodel.conv1 = nn.Conv2d(1, 64, 7)`],
    ['a head in some runs', `${inLoop('model')}\nif flag:\n    model.fc = nn.Linear(512, 10)`],
    ['another part', `${inLoop('model')}\nmodel.layer4.requires_grad_(True)`],
  ])('is refused with %s', async (_, frozen) => {
    expect((await problems(loop(resnet, frozen)))[0]).toMatchObject({ code: 'unsupported-setting' })
  })
})

describe('a model that the loss compares with', () => {
  const referred = (name: string) => `
${name} = AutoModelForCausalLM.from_pretrained("gpt2")
for p in ${name}.parameters():
    p.requires_grad_(False)`
  const gpt2 = 'AutoModelForCausalLM.from_pretrained("gpt2")'

  it.each(['ref_model', 'reference_model', 'teacher', 'reward_model'])('%s may be frozen', async name => {
    expect((await trained(finetuned(gpt2, referred(name)))).spec.trainable).toBeUndefined()
  })

  it('is not one that is the model itself by another name', async () => {
    const frozen = 'ref_model = model\nref_model.requires_grad_(False)'
    expect((await problems(finetuned(gpt2, frozen)))[0]).toMatchObject({ code: 'unsupported-setting' })
  })
})

describe('weights are named as frozen and not counted', () => {
  it.each([
    ['in a part that is not known', inLoop('model.bert.encoder')],
    ['in layers', inLoop('model.bert.encoder.layer[:8]')],
    ['of another model', 'other = AutoModel.from_pretrained("bert-base-uncased")\nother.requires_grad_(False)'],
    ['in some runs', `if flag:\n    model.bert.requires_grad_(False)`],
    [
      'by name',
      `for n, p in model.named_parameters():\n    if "classifier" not in n:\n        p.requires_grad = False`,
    ],
    [
      'but those left out',
      `for p in model.bert.parameters():\n    if p.ndim == 1: continue\n    p.requires_grad = False`,
    ],
    ['one by one', `for p in model.bert.named_parameters():\n    p.requires_grad = False`],
    ['as a module, which freezes nothing', 'model.bert.requires_grad = False'],
    ['while another trains later', `${inLoop('model.bert')}\n${inLoop('model.bert.pooler', 'True')}`],
    ['by a flag', `model.requires_grad_(False)\nmodel.classifier.requires_grad_(flag)`],
    ['by a flag alone', 'model.bert.requires_grad_(flag)'],
    ['all of them', inLoop('model')],
    ['and trained again', `${inLoop('model.bert')}\n${inLoop('model.bert', 'True')}`],
    [
      'in a function that may return',
      `def freeze():\n    if flag:\n        return\n    model.bert.requires_grad_(False)`,
    ],
    ['in a loop', `for epoch in range(3):\n    model.bert.requires_grad_(False)`],
  ])('%s', async (_, frozen) => {
    const [problem] = await problems(finetuned(bert, frozen))
    expect(problem?.message).toBe('Weights are frozen here in a way that is not counted for scripts yet')
  })

  it('after the training is set up, and under checkpoints, whose gradients flow otherwise', async () => {
    const late = `${finetuned(bert, '')}model.bert.requires_grad_(False)\n`
    expect((await problems(late))[0]).toMatchObject({ code: 'unsupported-setting', line: 7 })
    const checkpointed = finetuned(bert, 'model.bert.requires_grad_(False)', ', gradient_checkpointing=True')
    expect((await problems(checkpointed))[0]).toMatchObject({ code: 'unsupported-setting', line: 5 })
  })

  it('in a decoder', async () => {
    const decoder = finetuned('AutoModelForCausalLM.from_pretrained("gpt2")', inLoop('model.transformer'))
    expect((await problems(decoder))[0]).toMatchObject({ code: 'unsupported-setting' })
  })
})

it('what is frozen where the model is loaded counts, in a function too', async () => {
  const text = finetuned('load()', '').replace(
    'model = load()',
    `def load():\n    model = ${bert}\n    model.base_model.requires_grad_(False)\n    return model\nmodel = load()`,
  )
  expect((await trained(text)).spec.trainable?.names).toEqual([String.raw`classifier\.`])
})

describe('what a switch of the script leaves out', () => {
  it('freezes nothing', async () => {
    const off = 'frozen = False\nif frozen:\n    model.freeze_feature_encoder()\n    model.freeze_encoder()'
    expect((await trained(finetuned(whisper, off))).spec.trainable).toBeUndefined()
  })
})
