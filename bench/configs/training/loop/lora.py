import bitsandbytes as bnb
import torch
from peft import LoraConfig, get_peft_model
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("meta-llama/Llama-3.2-1B")
base = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-1B", torch_dtype=torch.bfloat16)
model = get_peft_model(base, LoraConfig(r=32, lora_alpha=64, target_modules=["q_proj", "v_proj"])).cuda()


def encode(row):
    return tokenizer(row["text"], truncation=True, max_length=1024)


train_dataloader = DataLoader(dataset.map(encode), batch_size=4, shuffle=True)
optimizer = bnb.optim.AdamW8bit(model.parameters(), lr=2e-4)
for batch in train_dataloader:
    model(**batch).loss.backward()
    optimizer.step()
    optimizer.zero_grad()
