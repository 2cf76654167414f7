import argparse

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--model", required=True)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained(args.model)
Trainer(model=model, args=TrainingArguments("o", per_device_train_batch_size=4)).train()
