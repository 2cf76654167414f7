import torch
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms

THAW_AT = 5


def set_trainable(network, trains):
    for weight in network.layer4.parameters():
        weight.requires_grad = trains


network = models.resnet50(weights="IMAGENET1K_V2").cuda()
set_trainable(network, False)
scale = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
batches = DataLoader(datasets.ImageFolder("leaves", scale), batch_size=56, shuffle=True)
optimizer = torch.optim.AdamW(network.parameters(), lr=3e-4)
for epoch in range(20):
    if epoch == THAW_AT:
        set_trainable(network, True)
    for images, labels in batches:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(network(images.cuda()), labels.cuda()).backward()
        optimizer.step()
