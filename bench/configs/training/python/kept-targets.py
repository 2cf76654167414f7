import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

SETTINGS = {"model": "Qwen/Qwen2.5-3B", "targets": ["q_proj", "k_proj", "v_proj", "c_attn"], "batch": 3}

model = AutoModelForCausalLM.from_pretrained(SETTINGS["model"], torch_dtype=torch.bfloat16)
present = {name.split(".")[-1] for name, _ in model.named_modules()}
targets = [name for name in SETTINGS["targets"] if name in present]
model = get_peft_model(model, LoraConfig(r=16, target_modules=targets))

args = TrainingArguments(output_dir="out", per_device_train_batch_size=SETTINGS["batch"], bf16=True)
Trainer(model=model, args=args, train_dataset=tokenized).train()
