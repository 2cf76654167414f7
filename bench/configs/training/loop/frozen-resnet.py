import torch
import torchvision
from torch import nn
from torch.utils.data import DataLoader

model = torchvision.models.resnet50(weights="IMAGENET1K_V2")
for param in model.parameters():
    param.requires_grad = False
model.fc = nn.Linear(model.fc.in_features, 5)
model = model.cuda()
optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=1e-3)
loader = DataLoader(images, batch_size=128, shuffle=True)
for inputs, labels in loader:
    loss = nn.functional.cross_entropy(model(inputs.cuda()), labels.cuda())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
