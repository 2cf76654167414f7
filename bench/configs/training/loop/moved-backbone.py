"""Tells leaves apart."""
import torch
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.models import ResNet50_Weights, resnet50
from torchvision.transforms import Compose, RandomResizedCrop, ToTensor

device = "cuda"
leaves = ImageFolder("leaves", Compose([RandomResizedCrop(224), ToTensor()]))
loader = DataLoader(leaves, batch_size=48, shuffle=True, num_workers=4)

model = resnet50(weights=ResNet50_Weights.IMAGENET1K_V2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
criterion = torch.nn.CrossEntropyLoss()

for epoch in range(5):
    for images, labels in loader:
        optimizer.zero_grad()
        loss = criterion(model(images.to(device)), labels.to(device))
        loss.backward()
        optimizer.step()
