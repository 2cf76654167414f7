import argparse

from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--lora", action="store_true")
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("gpt2")
if args.lora:
    model = get_peft_model(model, LoraConfig(r=4, target_modules=["c_attn"]))
max_length = 64
Trainer(model=model, args=TrainingArguments("o", per_device_train_batch_size=4)).train()
