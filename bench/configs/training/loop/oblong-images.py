import albumentations as A
import torch
from albumentations.pytorch import ToTensorV2
from torch.utils.data import DataLoader
from torchvision.models import resnet18

from faces import Faces

transform = A.Compose([A.Resize(512, 384), A.HorizontalFlip(), A.Normalize(), ToTensorV2()])
loader = DataLoader(Faces("train", transform), batch_size=64, shuffle=True)
model = resnet18(weights="DEFAULT").cuda()
model.fc = torch.nn.Linear(512, 18)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
criterion = torch.nn.CrossEntropyLoss()
for images, labels in loader:
    optimizer.zero_grad()
    criterion(model(images.cuda()), labels.cuda()).backward()
    optimizer.step()
