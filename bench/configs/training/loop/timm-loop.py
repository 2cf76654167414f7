import timm
import torch
from torch import nn
from torch.utils.data import DataLoader

BATCH = 64
model = timm.create_model("vit_base_patch16_224.augreg_in21k", pretrained=True, num_classes=37)
model = nn.parallel.DistributedDataParallel(model.cuda(), device_ids=[rank])
train_loader = DataLoader(pets, batch_size=BATCH, sampler=sampler, num_workers=4)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.05)
scaler = torch.amp.GradScaler("cuda")
for images, labels in train_loader:
    with torch.amp.autocast("cuda"):
        loss = nn.functional.cross_entropy(model(images), labels)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
