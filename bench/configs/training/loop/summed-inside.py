"""Sums the gradients of four batches, one after the other, before a step."""
import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased").to("cuda")


def collate(rows):
    return tokenizer(rows, max_length=192, truncation=True, padding=True, return_tensors="pt")


loader = DataLoader(reviews, batch_size=32, collate_fn=collate)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)

batches = iter(loader)
for step in range(1000):
    for micro_step in range(4):
        loss = model(**next(batches)).loss / 4
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
