import argparse
from pathlib import Path

import torch
import yaml
from datasets import load_dataset
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments


def load_config(path):
    with open(path, encoding="utf-8") as handle:
        return yaml.safe_load(handle)


def run(config):
    quantized = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
    model = AutoModelForCausalLM.from_pretrained(config["model"]["base"], quantization_config=quantized)
    model = prepare_model_for_kbit_training(model)
    model = get_peft_model(model, LoraConfig(r=config["adapter"]["rank"], target_modules=["q_proj", "v_proj"]))
    data = load_dataset("json", data_files=config["data"])
    args = TrainingArguments(
        output_dir="out",
        per_device_train_batch_size=int(config["train"]["batch_size"]),
        gradient_accumulation_steps=config["train"].get("accumulate", 4),
        optim=config["train"].get("optimizer", "paged_adamw_8bit"),
        bf16=True,
    )
    tokenized = data.map(lambda row: tokenizer(row["text"], truncation=True, max_length=config["train"]["length"]))
    Trainer(model=model, args=args, train_dataset=tokenized["train"]).train()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", type=Path, required=True)
    run(load_config(parser.parse_args().config))
