import os

import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

NAME = "openai-community/gpt2"
if os.path.isdir("weights"):
    model = AutoModelForCausalLM.from_pretrained(NAME, torch_dtype=torch.bfloat16, local_files_only=True)
else:
    model = AutoModelForCausalLM.from_pretrained(NAME, torch_dtype=torch.bfloat16, device_map="auto")
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=10), train_dataset=rows).train()
