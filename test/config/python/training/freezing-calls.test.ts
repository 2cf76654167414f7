/** What functions and methods of the repository freeze, followed by their calls. */
import { describe, expect, it } from 'vitest'
import { problems, readBeside, trained } from '../scripts.ts'

describe('in a function or a method of the repository, what is frozen is followed by its calls', () => {
  const step = `optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for images, labels in DataLoader(data, batch_size=64, shuffle=True):
    nn.functional.cross_entropy(model(images.cuda()), labels).backward()
    optimizer.step()
`
  const inMain = (helpers: string, body: string, above = '') => `import torch, torchvision
from torch import nn
from torch.utils.data import DataLoader
${above}
${helpers}
model = torchvision.models.resnet18(weights="DEFAULT")
${body}
${step}`
  const helper = `def set_parameter_requires_grad(model, feature_extracting):
    if feature_extracting:
        for param in model.parameters():
            param.requires_grad = False
`
  const upToLayer = `def freeze(net, names=("conv1", "bn1", "layer1")):
    for name, p in net.named_parameters():
        if name.startswith(names):
            p.requires_grad = False
def prepare(net):
    freeze(net)
`
  const head = 'model.fc = nn.Linear(512, 10)'
  const fromStage1 = ['.*stages\\.1\\.', '.*stages\\.2\\.', '.*stages\\.3\\.', 'classifier\\.']

  it.each<readonly [string, string, string, names: readonly string[] | undefined]>([
    ['with its arguments', helper, `set_parameter_requires_grad(model, True)\n${head}`, ['classifier\\.']],
    [
      'with the flag that it is given',
      'def switch(net, trains):\n    for p in net.parameters():\n        p.requires_grad = trains\n',
      'switch(model, False)\nswitch(model.layer4, True)\nswitch(model.fc, trains=True)',
      ['.*stages\\.3\\.', 'classifier\\.'],
    ],
    ['with a flag that is off', helper, `set_parameter_requires_grad(model, False)\n${head}`, undefined],
    [
      'in the order of the calls',
      helper,
      `set_parameter_requires_grad(model, True)\nmodel.fc.requires_grad_(True)`,
      ['classifier\\.'],
    ],
    ['by functions that call others', upToLayer, `prepare(model)\n${head}`, fromStage1],
    ['and is not frozen where nothing calls it', helper, head, undefined],
    [
      'as what gives a new head',
      `${helper}def replace_head(net):\n    net.fc = nn.Linear(512, 3)\n`,
      'set_parameter_requires_grad(model, True)\nreplace_head(model)',
      ['classifier\\.'],
    ],
  ])('%s', async (_, helpers, body, names) => {
    expect((await trained(inMain(helpers, body))).spec.trainable?.names).toEqual(names)
  })

  it('of another file of the repository', async () => {
    const text = inMain(
      '',
      `set_parameter_requires_grad(model, True)\n${head}`,
      'from utils import set_parameter_requires_grad',
    )
    const reading = await readBeside(text, { 'utils.py': `import torch\n${helper}` })
    expect(reading).toMatchObject({ spec: { trainable: { names: ['classifier\\.'] } } })
  })

  it('of the class that holds the model', async () => {
    const text = `import torch, torchvision
from torch import nn
from torch.utils.data import DataLoader
from transformers import AutoModel
class Net(nn.Module):
    def __init__(self, freezes):
        super().__init__()
        self.encoder = AutoModel.from_pretrained("bert-base-uncased")
        self.out = nn.Linear(768, 2)
        if freezes:
            self.freeze_encoder()
    def freeze_encoder(self):
        for p in self.encoder.parameters():
            p.requires_grad = False
    def unfreeze_encoder(self):
        for p in self.encoder.parameters():
            p.requires_grad = True
    def forward(self, x):
        return self.out(self.encoder(**x).last_hidden_state[:, 0])
def main():
    model = Net(FREEZES).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x, y in DataLoader(data, batch_size=16, shuffle=True):
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
main()
`
    expect((await trained(text.replace('FREEZES', 'True'))).spec.trainable?.names).toEqual(['classifier\\.'])
    expect((await trained(text.replace('FREEZES', 'False'))).spec.trainable).toBeUndefined()
    const fromOutside = text.replace('FREEZES', 'False').replace('.cuda()', '.cuda()\n    model.freeze_encoder()')
    expect((await trained(fromOutside)).spec.trainable?.names).toEqual(['classifier\\.'])
  })

  it('before a loop in a function that is called afterwards', async () => {
    const [above = '', below = ''] = inMain(helper, `BODY`).split('BODY')
    const text = `${above.replace('\nmodel =', '\ndef build():\n    return')}
def fit(model):
    ${step.trimEnd().replaceAll('\n', '\n    ')}
def main():
    model = build()
    set_parameter_requires_grad(model.layer1, True)
    fit(model)
main()
`
    expect(below).toContain(step)
    expect((await trained(text)).spec.trainable?.names).toEqual(['.*embedder\\.', ...fromStage1])
    const late = text.replace('    fit(model)\n', '').replace('    set_p', '    fit(model)\n    set_p')
    expect((await problems(late))[0]).toMatchObject({ code: 'unsupported-setting' })
  })

  it.each([
    ['in some runs', helper, `set_parameter_requires_grad(model, flag)\n${head}`],
    ['in a call in some runs', helper, `if flag:\n    set_parameter_requires_grad(model, True)\n${head}`],
    ['over and over', helper, `for part in parts:\n    set_parameter_requires_grad(part, True)\n${head}`],
    ['by what is handed on', 'def off(m):\n    m.requires_grad_(False)\n', `model.apply(off)\n${head}`],
    [
      'or returns before',
      'def freeze(net):\n    if flag:\n        return\n    net.requires_grad_(False)\n',
      `freeze(model)\n${head}`,
    ],
  ])('and told where it is done %s', async (_, helpers, body) => {
    expect((await problems(inMain(helpers, body)))[0]).toMatchObject({ code: 'unsupported-setting' })
  })
})
