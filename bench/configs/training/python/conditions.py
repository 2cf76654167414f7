import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

LARGE = False
if LARGE:
    model_name, batch = "gpt2-xl", 1
else:
    model_name, batch = "gpt2", 9
use_bf16 = torch.cuda.is_bf16_supported()
max_seq_len = 128

model = AutoModelForCausalLM.from_pretrained(model_name)
trainer = Trainer(
    model=model,
    args=TrainingArguments("o", per_device_train_batch_size=batch, bf16=use_bf16, fp16=not use_bf16),
)
trainer.train()
