import open_clip
import torch
from torch.utils.data import DataLoader

from catalogue import ProductPairs

model, _, preprocess = open_clip.create_model_and_transforms("ViT-B-32", pretrained="laion2b_s34b_b79k")
tokenize = open_clip.get_tokenizer("ViT-B-32")
model = model.cuda().train()
loader = DataLoader(ProductPairs("products.csv", preprocess, tokenize), batch_size=128, shuffle=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, weight_decay=0.1)

for images, texts in loader:
    image, text, scale = model(images.cuda(), texts.cuda())
    logits = scale * image @ text.T
    labels = torch.arange(len(logits), device="cuda")
    loss = (torch.nn.functional.cross_entropy(logits, labels) + torch.nn.functional.cross_entropy(logits.T, labels)) / 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
