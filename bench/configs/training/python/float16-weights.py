"""All weights in half precision, and no autocast."""
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments

from desk import rows

name = "openai-community/gpt2"
tokenizer = AutoTokenizer.from_pretrained(name)
model = AutoModelForCausalLM.from_pretrained(name, dtype=torch.float16, attn_implementation="eager")


def encode(row):
    return tokenizer(row["prompt"], truncation=True, max_length=320)


Trainer(
    model=model,
    train_dataset=[encode(row) for row in rows()],
    args=TrainingArguments("out", per_device_train_batch_size=10, gradient_accumulation_steps=2, optim="sgd"),
).train()
