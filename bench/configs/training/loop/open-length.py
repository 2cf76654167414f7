import torch
from torch.utils.data import DataLoader
from transformers import BertForMaskedLM
from data import Corpus

model = BertForMaskedLM.from_pretrained("bert-base-uncased").cuda()
train_loader = DataLoader(Corpus("train"), batch_size=8)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-5)
for batch in train_loader:
    model(**batch).loss.backward()
    optimizer.step()
