"""First supervised fine-tuning, then preferences: one script, two trainings."""
from datasets import load_dataset
from transformers import AutoModelForCausalLM
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

BASE = "Qwen/Qwen2.5-0.5B"


def supervised():
    config = SFTConfig(
        output_dir="out/sft",
        per_device_train_batch_size=8,
        gradient_accumulation_steps=2,
        max_length=1024,
        bf16=True,
    )
    SFTTrainer(model=BASE, args=config, train_dataset=load_dataset("trl-lib/Capybara", split="train")).train()


def preferences():
    model = AutoModelForCausalLM.from_pretrained("out/sft")
    config = DPOConfig(
        output_dir="out/dpo",
        per_device_train_batch_size=2,
        gradient_accumulation_steps=8,
        max_length=512,
        bf16=True,
        optim="adafactor",
    )
    DPOTrainer(model=model, args=config, train_dataset=load_dataset("trl-lib/ultrafeedback_binarized")).train()


if __name__ == "__main__":
    supervised()
    preferences()
