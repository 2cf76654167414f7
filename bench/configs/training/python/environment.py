import os

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

BATCH = int(os.environ.get("BATCH_SIZE", "7"))
MODEL = os.getenv("MODEL", "gpt2")
max_seq_length = 300
model = AutoModelForCausalLM.from_pretrained(MODEL)
Trainer(model=model, args=TrainingArguments("o", per_device_train_batch_size=BATCH)).train()
