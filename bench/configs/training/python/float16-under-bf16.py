"""Half precision below adapters, of which autocast copies every weight into the other 16 bits."""
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments

from desk import rows

name = "Qwen/Qwen2.5-0.5B"
tokenizer = AutoTokenizer.from_pretrained(name)
model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.float16)
model = get_peft_model(model, LoraConfig(r=4, target_modules=["q_proj", "v_proj"]))


def encode(row):
    return tokenizer(row["prompt"], truncation=True, max_length=448)


Trainer(
    model=model,
    train_dataset=[encode(row) for row in rows()],
    args=TrainingArguments("out", per_device_train_batch_size=7, gradient_accumulation_steps=3, bf16=True, optim="adafactor"),
).train()
