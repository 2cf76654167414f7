"""Answers to customers, tuned with settings that Hydra composes."""

import hydra
import torch
from omegaconf import DictConfig
from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer


@hydra.main(version_base="1.3", config_path="conf", config_name="config")
def main(cfg: DictConfig) -> None:
    model = AutoModelForCausalLM.from_pretrained(cfg.model.name, torch_dtype=torch.bfloat16)
    trainer = SFTTrainer(
        model=model,
        args=SFTConfig(
            output_dir=cfg.output,
            per_device_train_batch_size=cfg.train.per_device_train_batch_size,
            gradient_accumulation_steps=cfg.train.gradient_accumulation_steps,
            max_length=cfg.train.max_length,
            bf16=True,
        ),
        peft_config=LoraConfig(r=cfg.lora.r, target_modules=list(cfg.lora.targets), task_type="CAUSAL_LM"),
        train_dataset=answers(cfg.data),
    )
    trainer.train()


if __name__ == "__main__":
    main()
