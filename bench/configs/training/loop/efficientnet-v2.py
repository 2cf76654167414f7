import timm
import torch
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

scale = transforms.Compose([transforms.RandomResizedCrop(256), transforms.ToTensor()])
batches = DataLoader(datasets.ImageFolder("birds", scale), shuffle=True, batch_size=20)
network = timm.create_model("efficientnetv2_rw_s", pretrained=True, num_classes=200).cuda()
optimizer = torch.optim.SGD(network.parameters(), lr=1e-2)
for images, labels in batches:
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(network(images.cuda()), labels.cuda()).backward()
    optimizer.step()
