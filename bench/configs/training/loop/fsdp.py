import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM

model = FSDP(AutoModelForCausalLM.from_pretrained("gpt2"))
loader = DataLoader(train_set, batch_size=2, shuffle=True)
max_length = 512
optimizer = torch.optim.AdamW(model.parameters())
for batch in loader:
    model(**batch).loss.backward()
    optimizer.step()
