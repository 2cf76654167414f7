/** Image models of timm, by the names that timm gives them. */
import { expect, it } from 'vitest'
import { trained } from '../scripts.ts'

const loop = (name: string, data = '') => `import timm, torch
from torch.utils.data import DataLoader
from torchvision.datasets import CIFAR10
${data}
model = timm.create_model("${name}", pretrained=True, num_classes=10).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for images, labels in DataLoader(data, batch_size=64, shuffle=True):
    torch.nn.functional.cross_entropy(model(images.cuda()), labels.cuda()).backward()
    optimizer.step()
`

it.each([
  ['vit_tiny_patch16_224', 'facebook/deit-tiny-patch16-224'],
  ['vit_small_patch16_224.augreg_in21k_ft_in1k', 'facebook/deit-small-patch16-224'],
  ['deit_small_patch16_224', 'facebook/deit-small-patch16-224'],
  ['vit_base_patch16_224.augreg_in1k', 'google/vit-base-patch16-224'],
])('%s has the shape of %s', async (name, shape) => {
  expect((await trained(loop(name))).spec).toMatchObject({ model: shape, microBatch: 64 })
})

it.each([
  ['as they are stored', 'data = CIFAR10("data")', 32],
  ['scaled by the script', 'data = [(image.resize((224, 224)), label) for image, label in CIFAR10("data")]', 224],
])('images are %s', async (_, data, imageSize) => {
  expect((await trained(loop('resnet18', data))).spec).toMatchObject({ imageSize })
})
