import torch
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms

scale = transforms.Compose([transforms.Resize(288), transforms.CenterCrop(256), transforms.ToTensor()])
batches = DataLoader(datasets.ImageFolder("birds", scale), shuffle=True, batch_size=40)
network = models.efficientnet_b2(weights=models.EfficientNet_B2_Weights.DEFAULT)
network.classifier[1] = torch.nn.Linear(network.classifier[1].in_features, 200)
network = network.cuda()
optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler()
for images, labels in batches:
    optimizer.zero_grad()
    with torch.autocast("cuda"):
        loss = torch.nn.functional.cross_entropy(network(images.cuda()), labels.cuda())
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
