"""Adapters over a checkpoint whose weights are stored in 4 bits."""
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments

from desk import rows

name = "TheBloke/Mistral-7B-Instruct-v0.2-AWQ"
tokenizer = AutoTokenizer.from_pretrained(name)
model = AutoModelForCausalLM.from_pretrained(name, device_map="auto")
model = get_peft_model(model, LoraConfig(r=16, lora_alpha=32, target_modules=["q_proj", "v_proj"]))


def encode(row):
    return tokenizer(row["prompt"], truncation=True, max_length=640)


Trainer(
    model=model,
    train_dataset=[encode(row) for row in rows()],
    args=TrainingArguments("out", per_device_train_batch_size=3, gradient_accumulation_steps=5, fp16=True),
).train()
