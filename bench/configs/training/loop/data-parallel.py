import torch
from torch.utils.data import DataLoader
from torchvision import models

model = torch.nn.DataParallel(models.resnet18())
train_loader = DataLoader(train_set, batch_size=256, shuffle=True)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for x, y in train_loader:
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
