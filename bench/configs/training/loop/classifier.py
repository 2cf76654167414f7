import torch
from torch.optim import AdamW
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer

ACCUMULATION = 4
tokenizer = AutoTokenizer.from_pretrained("roberta-base")
model = AutoModelForSequenceClassification.from_pretrained("roberta-base", num_labels=3).cuda()
encoded = tokenizer(texts, truncation=True, max_length=256, padding="max_length")
train_loader = DataLoader(train_set, batch_size=16, shuffle=True)
val_loader = DataLoader(val_set, batch_size=64)
optimizer = AdamW(model.parameters(), lr=2e-5)
scaler = torch.cuda.amp.GradScaler()
for epoch in range(3):
    for step, batch in enumerate(train_loader):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(**batch).loss / ACCUMULATION
        loss.backward()
        if (step + 1) % ACCUMULATION == 0:
            optimizer.step()
            optimizer.zero_grad()
