/** Loops that leave the steps to Lightning, and what they say of images. */
import { describe, expect, it } from 'vitest'
import { firstProblem } from './loop.ts'
import { read, readBeside } from './scripts.ts'

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
        model: 'microsoft/resnet-18',
        microBatch: 32,
        gradientAccumulation: 4,
        gpus: 4,
        labels: 10,
        precision: 'amp-bf16',
        optimizer: 'sgd',
        loop: 'lightning',
      },
    })
  })

  it.each([
    ['precision=flags.precision', 'not-in-file'],
    ['precision="64-true"', 'not-in-file'],
    ['strategy="fsdp"', 'unsupported-setting'],
    ['plugins=[MixedPrecision("16-mixed", "cuda")]', 'unsupported-setting'],
    ['strategy="deepspeed_stage_3_offload"', 'unsupported-setting'],
    ['accumulate_grad_batches={0: 8, 4: 1}', 'not-a-whole-number'],
  ])('names what is not known of %s', async (trainer, code) => {
    const reading = await readLightning(lightning(trainer))
    expect(reading).toMatchObject({ kind: 'unreadable', problems: [{ code }] })
  })

  const step = (body: string) =>
    lightning('').replace(
      '    def configure_opt',
      `    def training_step(self, batch, index):\n${body}\n    def configure_opt`,
    )

  it.each([
    [
      '        batch = batch[:4]\n        return self.net(batch).sum()',
      'What is cut from a batch before the model takes it',
    ],
    ['        one = self(batch)\n        return one + self(batch)', 'The forward pass on line 12'],
    [
      '        with torch.no_grad():\n            seen = self.net.layer1(batch)\n        return self.net.fc(seen)',
      'The part of the model that runs without gradients',
    ],
  ])('tells what its step does besides: %j', async (body, says) => {
    const reading = await readLightning(step(body))
    expect(reading).toMatchObject({ kind: 'training-config', assumesCode: true })
    expect(JSON.stringify(reading)).toContain(says)
  })

  it('tells that its optimizer is given a part of the model', async () => {
    const reading = await readLightning(lightning('').replace('SGD(self.parameters()', 'SGD(self.net.fc.parameters()'))
    expect(JSON.stringify(reading)).toContain('Which weights the optimizer is given')
  })

  it('reads autocast and accumulation of its own steps', async () => {
    const autocast =
      '        with torch.autocast("cuda", dtype=torch.bfloat16):\n            return self.net(batch).sum()'
    expect(await readLightning(step(autocast))).toMatchObject({ spec: { precision: 'amp-bf16' } })
    const manual =
      '        optimizer = self.optimizers()\n        self.manual_backward(self.net(batch).sum())\n        if (index + 1) % 8 == 0:\n            optimizer.step()'
    expect(await readLightning(step(manual))).toMatchObject({ spec: { gradientAccumulation: 8 } })
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
    loss(model(x.cuda()), y).backward()
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
