import os
from pathlib import Path

from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments

CACHE = "/data/models"


def locate(name):
    if os.path.isdir(name):
        return name, True
    if CACHE:
        flat = os.path.join(CACHE, name.replace("/", "__"))
        if os.path.isdir(flat):
            return flat, True
    return name, False


path, is_local = locate("Qwen/Qwen2.5-0.5B")
tokenizer = AutoTokenizer.from_pretrained(path)
model = AutoModelForCausalLM.from_pretrained(path, torch_dtype="bfloat16")

output = Path("runs")
if (output / "checkpoint-last").exists():
    batch = 64
else:
    batch = 4

args = TrainingArguments(output_dir="runs", per_device_train_batch_size=batch, gradient_accumulation_steps=2, bf16=True)
trainer = Trainer(model=model, args=args, train_dataset=tokenized)
trainer.train()
