import bitsandbytes as bnb
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

max_length = 256
model = AutoModelForCausalLM.from_pretrained("gpt2-medium")
optimizer = bnb.optim.AdamW8bit(model.parameters(), lr=1e-5)
trainer = Trainer(
    model=model,
    args=TrainingArguments("o", per_device_train_batch_size=8, bf16=True),
    optimizers=(optimizer, None),
)
trainer.train()
