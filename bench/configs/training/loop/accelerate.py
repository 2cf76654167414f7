from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM
import torch, timm

def train(batch_size=8):
    accelerator = Accelerator(mixed_precision="bf16", gradient_accumulation_steps=2)
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    model.gradient_checkpointing_enable()
    max_length = 512
    train_dataloader = DataLoader(ds, batch_size=batch_size)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    model, optimizer = accelerator.prepare(model, optimizer)
    for b in train_dataloader:
        with accelerator.accumulate(model):
            accelerator.backward(model(**b).loss)
            optimizer.step()
