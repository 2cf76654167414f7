/** Trainings around libraries that are not modelled: refused by name where they train, and left alone where they do not. */
import { describe, expect, it } from 'vitest'
import { problems, read } from '../scripts.ts'

const unet = 'unet = UNet2DConditionModel.from_pretrained("stabilityai/sd-turbo", subfolder="unet")'
const imports = 'import torch\nfrom diffusers import DDIMScheduler, UNet2DConditionModel\n'
const loop = `optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-4)
for batch in loader:
    unet(batch).sample.mean().backward()
    optimizer.step()
`

describe('a loop of the script', () => {
  it('is refused at what it loads', async () => {
    expect(await problems(`${imports}${unet}\n${loop}`)).toMatchObject([
      { code: 'unsupported-training', message: expect.stringContaining('a model of diffusers'), line: 3 },
    ])
  })

  it.each([
    ['open_clip', 'import open_clip\nmodel, _, _ = open_clip.create_model_and_transforms("ViT-B-32")\n'],
    ['CLIP', 'import clip\nmodel, preprocess = clip.load("ViT-B/32")\n'],
    ['segmentation_models_pytorch', 'import segmentation_models_pytorch as smp\nmodel = smp.Unet("resnet34")\n'],
    [
      "torchvision's detection and segmentation",
      'from torchvision.models.detection import maskrcnn_resnet50_fpn\nmodel = maskrcnn_resnet50_fpn(weights="DEFAULT")\n',
    ],
    [
      "torchvision's detection and segmentation",
      'from torch.utils.data import DataLoader\nfrom torchvision import models\nmodel = models.detection.fasterrcnn_resnet50_fpn(weights="DEFAULT")\nloader = DataLoader(faces, batch_size=3)\n',
    ],
    [
      "torchvision's detection and segmentation",
      'import torchvision\nfrom torch.utils.data import DataLoader\nmodel = torchvision.models.segmentation.fcn_resnet50(num_classes=2)\nloader = DataLoader(faces, batch_size=3)\n',
    ],
    [
      "torchvision's video",
      'import torchvision\nfrom torch.utils.data import DataLoader\nmodel = torchvision.models.video.r3d_18()\nloader = DataLoader(clips, batch_size=3)\n',
    ],
  ])('is refused by name: %s', async (name, load) => {
    const text = `import torch\n${load}${loop.replaceAll('unet', 'model')}`
    expect(await problems(text)).toMatchObject([{ message: expect.stringContaining(name) }])
  })

  it('may step an optimizer that is made elsewhere', async () => {
    const text = `${imports}${unet}\n${loop.replace(/^optimizer = .*$/m, 'from setup import optimizer')}`
    expect(await problems(text)).toMatchObject([{ code: 'unsupported-training' }])
  })
})

it.each(['SparseEncoderTrainer(model=model, train_dataset=pairs).train()', 'other.fit(train_objectives=[pairs])'])(
  'sentence-transformers: %s',
  async line => {
    const encoder = line.startsWith('Sparse') ? 'SparseEncoder' : 'SentenceTransformer'
    const text = `from sentence_transformers import ${encoder}, SparseEncoderTrainer\nmodel = ${encoder}("all-MiniLM-L6-v2")\n${line}\n`
    expect(await problems(text)).toMatchObject([{ message: expect.stringContaining('sentence-transformers'), line: 2 }])
  },
)

describe('left alone is', () => {
  it.each([
    ['sampling', `${imports}${unet}\nprint(unet(noise))\n`],
    [
      'guided sampling, where the scheduler steps',
      `${imports}${unet}\nscheduler = DDIMScheduler.from_pretrained("a/b")\nscore(unet(x)).backward()\nx = scheduler.step(noise, t, x)\n`,
    ],
    [
      'encoding',
      'from sentence_transformers import SentenceTransformer\nmodel = SentenceTransformer("a/b")\nmodel.encode(texts)\n',
    ],
    [
      'encoding for scikit-learn',
      'from sentence_transformers import SentenceTransformer\nclassifier.fit(SentenceTransformer("a/b").encode(texts), labels)\n',
    ],
    ['a training without the library', loop],
    ['a branch that never runs', `${imports}if False:\n    ${unet}\n${loop}`],
  ])('%s', async (_, text) => {
    expect((await read(text)).kind).toBe('not-a-training-config')
  })
})
