// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are OmegaConf's
/** Objects that Hydra makes of settings, by `_target_`: hydra.utils.instantiate of Hydra 1.3, docs/advanced/instantiate_objects. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { type Files, sourcesOf } from '../files.ts'

const train = `import hydra
import rootutils
from lightning import LightningDataModule, LightningModule, Trainer

root = rootutils.setup_root(__file__, indicator=".project-root", pythonpath=True)

def train(cfg):
    data: LightningDataModule = hydra.utils.instantiate(cfg.data)
    model: LightningModule = hydra.utils.instantiate(cfg.model)
    trainer: Trainer = hydra.utils.instantiate(cfg.trainer, logger=False)
    if cfg.get("train"):
        trainer.fit(model=model, datamodule=data, ckpt_path=cfg.get("ckpt_path"))
    if cfg.get("test"):
        trainer.test(model=model, datamodule=data)

@hydra.main(version_base="1.3", config_path=str(root / "configs"), config_name="train.yaml")
def main(cfg):
    train(cfg)

if __name__ == "__main__":
    main()
`
const module = `import torch
from lightning import LightningModule

class Classifier(LightningModule):
    def __init__(self, net, optimizer, scheduler=None, compile: bool = False):
        super().__init__()
        self.save_hyperparameters(logger=False)
        self.net = net
        self.criterion = torch.nn.CrossEntropyLoss()

    def setup(self, stage):
        if self.hparams.compile and stage == "fit":
            self.net = torch.compile(self.net)

    def configure_optimizers(self):
        optimizer = self.hparams.optimizer(params=self.trainer.model.parameters())
        if self.hparams.scheduler is not None:
            return {"optimizer": optimizer, "lr_scheduler": self.hparams.scheduler(optimizer=optimizer)}
        return {"optimizer": optimizer}
`
const images = `from lightning import LightningDataModule
from torch.utils.data import DataLoader, random_split
from torchvision.transforms import Compose, RandomCrop

class Images(LightningDataModule):
    def __init__(self, batch_size: int = 64, side: int = 32):
        super().__init__()
        self.save_hyperparameters(logger=False)
        self.cut = Compose([RandomCrop(side)])
        self.batch_size_per_device = batch_size

    def setup(self, stage=None):
        if self.trainer is not None:
            self.batch_size_per_device = self.hparams.batch_size // self.trainer.world_size
        if not self.rows and not self.others and not self.last:
            self.rows, self.others, self.last = random_split(self.all, [8, 1, 1])

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=self.batch_size_per_device, shuffle=True)
`
const files: Files = {
  'src/train.py': train,
  'src/models/classifier.py': module,
  'src/data/images.py': images,
  'configs/train.yaml': `defaults:
  - _self_
  - data: images
  - model: vit.yaml
  - trainer: default
  - experiment: null
  - optional local: default
  - debug: null
train: true
test: true
ckpt_path: null
`,
  'configs/data/images.yaml': '_target_: src.data.images.Images\nbatch_size: 128\nside: 224\n',
  'configs/model/vit.yaml': `_target_: src.models.classifier.Classifier
net:
  _target_: timm.create_model
  model_name: vit_base_patch16_224
  num_classes: 10
optimizer:
  _target_: torch.optim.SGD
  _partial_: true
  lr: 0.1
  momentum: 0.9
scheduler:
  _target_: torch.optim.lr_scheduler.ReduceLROnPlateau
  _partial_: true
`,
  'configs/trainer/default.yaml': '_target_: lightning.pytorch.trainer.Trainer\ndevices: 1\nprecision: 16-mixed\n',
  'configs/experiment/two-gpus.yaml': `# @package _global_
defaults:
  - override /data: images
trainer:
  devices: 2
data:
  batch_size: 48
model:
  optimizer:
    momentum: 0
`,
}

function read(path: string, all = files) {
  return readConfigAsync({ path, text: all[path] ?? '' }, sourcesOf(all))
}

async function trained(path: string, all = files) {
  const reading = await read(path, all)
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  return reading
}

async function refusals(path: string, all: Files): Promise<string> {
  const reading = await read(path, all)
  if (reading.kind !== 'unreadable') throw new Error(JSON.stringify(reading))
  return reading.problems.map(({ code, line, message }) => `${code} ${line} ${message}`).join('\n')
}

const said = {
  model: 'google/vit-base-patch16-224',
  labels: 10,
  imageSize: 224,
  loop: 'lightning',
  task: 'image-classification',
  microBatch: 128,
  gradientAccumulation: 1,
  gpus: 1,
  precision: 'amp-fp16',
  optimizer: 'sgd-momentum',
}

describe('a script that instantiates its objects from settings', () => {
  it('is read with the classes that they name', async () => {
    const reading = await trained('src/train.py')
    expect(reading).toMatchObject({ dialect: 'Lightning', spec: said })
    expect(reading.otherFiles?.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['configs/model/vit.yaml', 'src/models/classifier.py', 'src/data/images.py']),
    )
  })

  it('compiles the model where a run that trains would', async () => {
    const compiled = `${files['configs/model/vit.yaml']}compile: true\n`
    expect((await trained('src/train.py', { ...files, 'configs/model/vit.yaml': compiled })).spec).toMatchObject(said)
  })

  it('takes arguments of the call before those of the settings', async () => {
    const called = train.replace('instantiate(cfg.data)', 'instantiate(cfg.data, batch_size=6)')
    expect((await trained('src/train.py', { ...files, 'src/train.py': called })).spec.microBatch).toBe(6)
  })

  it('takes positional arguments from _args_', async () => {
    const data = '_target_: src.data.images.Images\n_args_: [12, 224]\n'
    const { spec } = await trained('src/train.py', { ...files, 'configs/data/images.yaml': data })
    expect(spec).toMatchObject({ microBatch: 12, imageSize: 224 })
  })

  it('leaves settings as they are where they say so', async () => {
    const model = `_recursive_: false\n${files['configs/model/vit.yaml']}`
    const reading = await read('src/train.py', { ...files, 'configs/model/vit.yaml': model })
    expect(reading).toMatchObject({ kind: 'not-a-training-config', why: expect.stringContaining('holds no model') })
  })

  it('follows a model into a class of the repository around it, not into its own layers', async () => {
    const wrapped = `import timm
from torch import nn

class Net(nn.Module):
    def __init__(self, name, labels):
        super().__init__()
        self.body = timm.create_model(name, num_classes=labels)
`
    const model = (files['configs/model/vit.yaml'] ?? '').replace(
      /timm.create_model\n {2}model_name: (.*)\n {2}num_classes/,
      'src.models.net.Net\n  name: $1\n  labels',
    )
    const all = { ...files, 'configs/model/vit.yaml': model, 'src/models/net.py': wrapped }
    expect((await trained('src/train.py', all)).spec).toMatchObject(said)
    const layers = { ...all, 'src/models/net.py': wrapped.replace(/timm\.create\S+ .*/, 'nn.Linear(784, 64)') }
    expect(await read('src/train.py', layers)).toMatchObject({
      kind: 'not-a-training-config',
      why: expect.stringMatching(/Classifier \(line 4 of .*\) has layers of its own .*which are not modelled/),
    })
    const config = 'configs/experiment/two-gpus.yaml'
    expect(await read(config, layers)).toMatchObject({
      kind: 'not-a-training-config',
      why: expect.stringMatching(
        /^Its model is none of a library: Classifier \(line 4 of .*\) has layers .* Add model/,
      ),
    })
    // Another script may train the same with a model that is only not followed.
    const other = { 'src/train_other.py': train.replace('hydra.utils.instantiate(cfg.model)', 'chosen(cfg.model)') }
    expect(await refusals(config, { ...layers, ...other })).toMatch(/^model-not-modelled 3 /)
  })
})

describe('the images of a data module', () => {
  const cut = /from torchvision.transforms.*\n|.*RandomCrop.*\n/g
  const stored = (name: string) =>
    `from torchvision.datasets import ${name}\n${images.replace(cut, '').replace('self.rows,', `self.all = ${name}("data")\n            self.rows,`)}`
  it.each([
    ['CIFAR10', 32],
    ['FashionMNIST', 28],
    ['STL10', 96],
  ])('are those of %s where nothing scales them', async (name, side) => {
    const { spec, assumptions } = await trained('src/train.py', { ...files, 'src/data/images.py': stored(name) })
    expect(spec.imageSize).toBe(side)
    expect(assumptions.join('\n')).toContain(`Images of ${side}×${side} pixels, as ${name} has them`)
  })

  it('are cut by modules without weights', async () => {
    const transforms = 'torch.nn.Sequential(T.Resize([224, 224]), T.Normalize(0.5, 0.5))'
    const held = `from torchvision import transforms as T\n${module.replace('self.net = net\n', `self.net = net\n        self.prepare = ${transforms}\n`)}`
    expect((await trained('src/train.py', { ...files, 'src/models/classifier.py': held })).spec).toMatchObject(said)
  })
})

describe('a config that an option of the launcher chooses', () => {
  const path = 'configs/experiment/two-gpus.yaml'
  it('is read as the script composes it with the others', async () => {
    const reading = await trained(path)
    expect(reading.spec).toMatchObject({ ...said, microBatch: 24, gpus: 2, optimizer: 'sgd' })
    expect(reading.assumptions.join('\n')).toContain('Read as src/train.py loads it')
  })

  it('is added where no list names its group', async () => {
    const list = (files['configs/train.yaml'] ?? '').replace('  - experiment: null\n', '')
    const { spec } = await trained(path, { ...files, 'configs/train.yaml': list })
    expect(spec).toMatchObject({ microBatch: 24, gpus: 2 })
  })

  it('may be a primary config beside the one that the script names', async () => {
    const other = `${files['configs/train.yaml']}data:\n  batch_size: 8\ntrainer:\n  devices: 4\n`
    const moved = other.replace('  - _self_\n', '').replace('  - debug: null\n', '  - _self_\n')
    const { spec, batchSizeAt } = await trained('configs/large.yaml', { ...files, 'configs/large.yaml': moved })
    expect(spec).toMatchObject({ microBatch: 2, gpus: 4 })
    expect(batchSizeAt).toBeUndefined()
  })

  it('asks for what depends on run time, by its line', async () => {
    const measured = images
      .replace('self.batch_size_per_device = batch_size\n', 'self.batch_size_per_device = measured()\n')
      .replace(/ {8}if self.trainer[^\n]*\n[^\n]*\n/, '')
    expect(await refusals(path, { ...files, 'src/data/images.py': measured })).toMatch(
      /^not-in-file \d+ .*measured\(\)/,
    )
  })

  it('asks for what the launcher chooses', async () => {
    const list = (files['configs/train.yaml'] ?? '').replace('model: vit.yaml', 'model: ???')
    const made = train.replace('hydra.utils.instantiate(cfg.trainer, logger=False)', 'Trainer(devices=1)')
    const all = { ...files, 'configs/train.yaml': list, 'src/train.py': made }
    expect(await refusals(path, all)).toContain('the launcher chooses model for Hydra')
  })

  it('says as before that others compose it where no script does', async () => {
    const { 'src/train.py': _, ...without } = files
    expect(await refusals(path, without)).toContain('composed-by-hydra')
  })
})
