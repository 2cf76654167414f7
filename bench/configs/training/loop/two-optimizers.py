import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
block_size = 256
train_loader = DataLoader(text, batch_size=4, shuffle=True)
slow = torch.optim.SGD(model.parameters(), lr=0.1)
fast = torch.optim.AdamW(model.parameters(), lr=0.001)
for batch in train_loader:
    model(**batch).loss.backward()
    (slow if warm else fast).step()
