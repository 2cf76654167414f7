import torch
from torch import nn
from torch.utils.data import DataLoader
from transformers import AutoModel

encoder = AutoModel.from_pretrained("bert-base-uncased")
head = nn.Linear(768, 2)
train_loader = DataLoader(train, batch_size=32, shuffle=True)
optimizer = torch.optim.Adam(head.parameters(), lr=1e-3)
for batch in train_loader:
    with torch.no_grad():
        features = encoder(**batch).last_hidden_state[:, 0]
    nn.functional.cross_entropy(head(features), batch["labels"]).backward()
    optimizer.step()
