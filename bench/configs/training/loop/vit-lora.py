import torch
from peft import LoraConfig, get_peft_model
from torch.utils.data import DataLoader
from transformers import ViTForImageClassification

from birds import Birds

model = ViTForImageClassification.from_pretrained("google/vit-base-patch16-224-in21k", num_labels=200)
model = get_peft_model(model, LoraConfig(r=16, target_modules=["query", "value"], modules_to_save=["classifier"])).cuda()
loader = DataLoader(Birds("/data/birds"), batch_size=52, shuffle=True, num_workers=4)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
scaler = torch.amp.GradScaler()

for pixels, labels in loader:
    with torch.autocast("cuda", dtype=torch.float16):
        loss = model(pixel_values=pixels.cuda(), labels=labels.cuda()).loss
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
