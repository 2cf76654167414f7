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

const hubert = 'HubertForCTC.from_pretrained("facebook/hubert-base-ls960")'
const soundBehindReader = ['.*feature_projection', '.*masked_spec_embed', '.*encoder', 'lm_head']

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
    [bert, inLoop('model.bert.embeddings'), ['.*encoder', '.*pooler', 'classifier']],
    [bert, inLoop('model.bert.encoder'), ['.*embeddings', '.*pooler', 'classifier']],
    [bert, `${inLoop('model.bert')}\n${inLoop('model.bert.pooler', 'True')}`, ['.*pooler', 'classifier']],
    [classifier('roberta-base'), inLoop('model.base_model'), ['classifier']],
    [classifier('microsoft/deberta-v3-base'), inLoop('model.deberta'), ['pooler', 'classifier']],
    [classifier('google/electra-base-discriminator'), inLoop('model.electra'), ['classifier']],
    [
      'AutoModelForCausalLM.from_pretrained("gpt2")',
      `${inLoop('model')}\n${inLoop('model.transformer.h[-1]', 'True')}`,
      [String.raw`transformer\.h\.11`],
    ],
    [whisper, 'model.freeze_encoder()', [String.raw`model\.decoder`]],
    [whisper, inLoop('model.model.encoder'), [String.raw`model\.decoder`]],
    [hubert, 'model.freeze_feature_encoder()', soundBehindReader],
    [hubert, 'model.freeze_feature_extractor()', soundBehindReader],
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

/** BERT's layers from `first` on. */
const layers = (first: number) =>
  Array.from({ length: 12 - first }, (_, index) => String.raw`.*encoder\.layer\.${first + index}`)
const upper = (first: number) => [...layers(first), '.*pooler', 'classifier']

describe('some of the layers are told apart', () => {
  it.each<readonly [string, names: readonly string[]]>([
    [inLoop('model.bert.encoder.layer[:8]'), ['.*embeddings', ...upper(8)]],
    ['model.bert.encoder.layer[0].requires_grad_(False)', ['.*embeddings', ...upper(1)]],
    [
      'for layer in model.bert.encoder.layer[:-2]:\n    for p in layer.parameters():\n        p.requires_grad = False',
      ['.*embeddings', ...upper(10)],
    ],
    [
      'n = 6\nfor i in range(n):\n    for p in model.bert.encoder.layer[i].parameters():\n        p.requires_grad = False',
      ['.*embeddings', ...upper(6)],
    ],
    [
      'for i, layer in enumerate(model.bert.encoder.layer):\n    if i < 10:\n        for p in layer.parameters():\n            p.requires_grad = False',
      ['.*embeddings', ...upper(10)],
    ],
    [
      'for module in [model.bert.embeddings, *model.bert.encoder.layer[:11]]:\n    for p in module.parameters():\n        p.requires_grad = False',
      upper(11),
    ],
    [
      'for layer in model.bert.encoder.layer:\n    for p in layer.attention.parameters():\n        p.requires_grad = False',
      [
        '.*embeddings',
        ...Array.from({ length: 12 }, (_, index) => [
          String.raw`.*encoder\.layer\.${index}\.intermediate`,
          String.raw`.*encoder\.layer\.${index}\.output`,
        ]).flat(),
        '.*pooler',
        'classifier',
      ],
    ],
  ])('%s', async (frozen, names) => {
    const { spec } = await trained(finetuned(bert, frozen))
    expect(spec.trainable?.names).toEqual(names.map(name => String.raw`${name}\.`))
  })
})

describe('parameters are told apart by their names', () => {
  const byName = (...lines: readonly string[]) =>
    ['for name, param in model.named_parameters():', ...lines].join('\n    ')
  it.each<readonly [string, names: readonly string[]]>([
    [byName('if "classifier" not in name:', '    param.requires_grad = False'), ['classifier']],
    [byName('if name.startswith("bert."):', '    print(name)', '    param.requires_grad_(False)'), ['classifier']],
    [
      byName(
        'if "layer.11" in name or "classifier" in name:',
        '    param.requires_grad = True',
        'else:',
        '    param.requires_grad = False',
      ),
      [String.raw`.*encoder\.layer\.11`, 'classifier'],
    ],
    [
      `kept = ["pooler", "classifier"]\n${byName('if not any(part in name for part in kept):', '    param.requires_grad = False')}`,
      ['.*pooler', 'classifier'],
    ],
    [byName('param.requires_grad = name.startswith(("classifier", "bert.pooler"))'), ['.*pooler', 'classifier']],
    [
      byName('if name.startswith("bert.embeddings"): param.requires_grad = False'),
      ['.*encoder', '.*pooler', 'classifier'],
    ],
  ])('%s', async (frozen, names) => {
    const { spec } = await trained(finetuned(bert, frozen))
    expect(spec.trainable?.names).toEqual(names.map(name => String.raw`${name}\.`))
  })

  it.each([
    ['biases from weights', byName('if "bias" not in name:', '    param.requires_grad = False')],
    ['none of them', byName('if "adapter" not in name:', '    param.requires_grad = False')],
    ['by their sizes', byName('if param.numel() > 1000:', '    param.requires_grad = False')],
    ['until one is reached', byName('if "layer.8" in name: break', 'param.requires_grad = False')],
  ])('%s are not', async (_, frozen) => {
    expect((await problems(finetuned(bert, frozen)))[0]).toMatchObject({ code: 'unsupported-setting' })
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
    [resnet, `for n, p in model.named_parameters():\n    if not n.startswith("fc"):\n        p.requires_grad = False`],
  ])('%s trains its new head alone: %s', async (model, frozen) => {
    expect((await trained(loop(model, frozen))).spec.trainable?.names).toEqual([String.raw`classifier\.`])
  })

  it.each([
    [
      resnet,
      `${inLoop('model')}\nmodel.layer4.requires_grad_(True)\nmodel.fc.requires_grad_()`,
      String.raw`.*stages\.3\.`,
    ],
    [
      'timm.create_model("vit_base_patch16_224", pretrained=True)',
      `${inLoop('model')}\nfor block in model.blocks[-1:]:\n    block.requires_grad_(True)\n${inLoop('model.head', 'True')}`,
      String.raw`.*layers\.11\.`,
    ],
  ])('%s trains layers by the names of its library: %s', async (model, frozen, layer) => {
    expect((await trained(loop(model, frozen))).spec.trainable?.names).toEqual([layer, String.raw`classifier\.`])
  })

  const efficientnet = 'torchvision.models.efficientnet_b0(weights="DEFAULT")'
  const blocks = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => String.raw`.*encoder\.blocks\.${from + index}\.`)
  const top = [String.raw`.*encoder\.top_conv\.`, String.raw`.*encoder\.top_bn\.`]
  it.each<readonly [string, string, names: readonly string[]]>([
    [efficientnet, `${inLoop('model')}\nmodel.classifier[1] = nn.Linear(1280, 10)`, []],
    [efficientnet, `${inLoop('model')}\nmodel.classifier[-1] = nn.Linear(1280, 10)`, []],
    [efficientnet, inLoop('model.features'), []],
    [
      efficientnet,
      `${inLoop('model')}\nmodel.classifier.requires_grad_()\n${inLoop('model.features[8]', 'True')}`,
      top,
    ],
    [efficientnet, inLoop('model.features[:7]'), [...blocks(15, 16), ...top]],
    [
      'timm.create_model("tf_efficientnet_b0_ns", pretrained=True)',
      `${inLoop('model.blocks[:6]')}\nmodel.conv_stem.requires_grad_(False)\nmodel.bn1.requires_grad_(False)`,
      [...blocks(15, 16), ...top],
    ],
  ])('%s is known by its blocks: %s', async (model, frozen, names) => {
    expect((await trained(loop(model, frozen))).spec.trainable?.names).toEqual([...names, String.raw`classifier\.`])
  })

  it.each([
    ['a head from before', `model.fc = nn.Linear(512, 10)\n${inLoop('model')}`],
    ['a head with layers of its own', `${inLoop('model')}\nmodel.fc = nn.Sequential(nn.Conv2d(512, 64, 3))`],
    ['a new layer below', `${inLoop('model')}\nmodel.fc = nn.Linear(512, 10)\nmodel.conv1 = nn.Conv2d(1, 64, 7)`],
    ['a head in some runs', `${inLoop('model')}\nif flag:\n    model.fc = nn.Linear(512, 10)`],
    ['a part that it has not', `${inLoop('model')}\nmodel.layer5.requires_grad_(True)`],
  ])('is refused with %s', async (_, frozen) => {
    expect((await problems(loop(resnet, frozen)))[0]).toMatchObject({ code: 'unsupported-setting' })
  })
})

it('a head of several layers trains, and blocks nothing', async () => {
  const text = `import torch, torchvision
from torch import nn
from torch.utils.data import DataLoader
model = torchvision.models.resnet18()
${inLoop('model')}
model.fc = nn.Sequential(nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for images, labels in DataLoader(data, batch_size=64, shuffle=True):
    nn.functional.cross_entropy(model(images.cuda()), labels).backward()
    optimizer.step()
`
  const { spec, assumesCode, assumptions } = await trained(text)
  expect([spec.trainable?.names, assumesCode]).toEqual([[String.raw`classifier\.`], true])
  expect(assumptions).toContainEqual(expect.stringContaining('layers on line 7'))
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
    ['in a part that is not known', inLoop('model.bert.adapter')],
    ['of another model', 'other = AutoModel.from_pretrained("bert-base-uncased")\nother.requires_grad_(False)'],
    ['in some runs', `if flag:\n    model.bert.requires_grad_(False)`],
    [
      'but those left out',
      `for p in model.bert.parameters():\n    if p.ndim == 1: continue\n    p.requires_grad = False`,
    ],
    ['one by one', `for p in model.bert.named_parameters():\n    p.requires_grad = False`],
    ['as a module, which freezes nothing', 'model.bert.requires_grad = False'],
    ['by a flag', `model.requires_grad_(False)\nmodel.classifier.requires_grad_(flag)`],
    [
      'by a pattern of names',
      'for n, p in model.named_parameters():\n    p.requires_grad = bool(re.search("classifier", n))',
    ],
    ['by a set of names', 'for n, p in model.named_parameters():\n    p.requires_grad = n in chosen'],
    ['by a flag alone', 'model.bert.requires_grad_(flag)'],
    ['all of them', inLoop('model')],
    [
      'in a function that may return',
      `def freeze():\n    if flag:\n        return\n    model.bert.requires_grad_(False)\nfreeze()`,
    ],
    ['for some epochs', `for epoch in range(3):\n    if epoch < 1:\n        model.bert.requires_grad_(False)`],
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

  it('in a decoder whose output layer is its table of words', async () => {
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

it('what a function within another returns leaves nothing out', async () => {
  const within = 'def encode(row):\n        return tokenizer(row)\n    '
  const main = (before: string) =>
    `${finetuned(bert, inLoop('model.bert')).replace(/(model = [\s\S]*)/, (_, body: string) => `def main():\n    ${before}${body.trimEnd().replaceAll('\n', '\n    ')}\n\nmain()\n`)}`
  expect((await trained(main(within))).spec.trainable?.names).toEqual([String.raw`classifier\.`])
  const [problem] = await problems(main('if asked():\n        return\n    '))
  expect(problem).toMatchObject({ code: 'unsupported-setting', field: 'requires_grad' })
})

describe('sound', () => {
  it.each(['model.freeze_base_model()', inLoop('model.hubert')])(
    'requires gradients where %s freezes what reads it',
    async frozen => {
      const { spec } = await trained(finetuned(hubert, frozen))
      expect(spec.trainable).toMatchObject({ names: [String.raw`lm_head\.`], inputGradients: true })
    },
  )

  it('is checkpointed behind a frozen reader, as text is not', async () => {
    const text = finetuned(hubert, 'model.freeze_feature_encoder()', ', gradient_checkpointing=True')
    expect((await trained(text)).spec).toMatchObject({
      gradientCheckpointing: true,
      trainable: { inputGradients: false },
    })
  })
})

it('what trains again is not frozen', async () => {
  const again = `${inLoop('model.bert')}\n${inLoop('model.bert', 'True')}`
  expect((await trained(finetuned(bert, again))).spec.trainable).toBeUndefined()
})

describe('what a switch of the script leaves out', () => {
  it('freezes nothing', async () => {
    const off = 'frozen = False\nif frozen:\n    model.freeze_feature_encoder()\n    model.freeze_encoder()'
    expect((await trained(finetuned(whisper, off))).spec.trainable).toBeUndefined()
  })
})

describe('a model under a head of the script', () => {
  const held = (frozen: string) => `import torch
from torch import nn
from torch.utils.data import DataLoader
from transformers import AutoModel
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = AutoModel.from_pretrained("bert-base-uncased")
        ${frozen}
        self.out = nn.Linear(768, 2)
    def forward(self, x):
        return self.out(self.encoder(**x).last_hidden_state[:, 0])
net = Net().cuda()
optimizer = torch.optim.AdamW(net.parameters())
for x, y in DataLoader(data, batch_size=16, shuffle=True):
    nn.functional.cross_entropy(net(x), y).backward()
    optimizer.step()
`
  it.each<readonly [string, names: readonly string[]]>([
    ['for p in self.encoder.parameters(): p.requires_grad = False', ['classifier']],
    ['for p in self.encoder.encoder.layer[:11].parameters(): p.requires_grad = False', ['.*embeddings', ...upper(11)]],
    [
      'for n, p in self.encoder.named_parameters(): p.requires_grad = n.startswith("pooler")',
      ['.*pooler', 'classifier'],
    ],
  ])('has names without its prefix: %s', async (frozen, names) => {
    const { spec } = await trained(held(frozen))
    expect(spec.trainable?.names).toEqual(names.map(name => String.raw`${name}\.`))
  })
})
