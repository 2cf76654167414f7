"""Summaries of tickets; what a run differs in, its launcher says."""

import hydra
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer


@hydra.main(version_base="1.3", config_path="settings", config_name="small")
def main(cfg):
    arguments = SFTConfig(
        output_dir="out",
        per_device_train_batch_size=cfg.batch,
        gradient_accumulation_steps=cfg.accumulate,
        max_length=cfg.data.length,
        bf16=True,
    )
    model = AutoModelForCausalLM.from_pretrained(cfg.model.name)
    SFTTrainer(model=model, args=arguments, train_dataset=tickets(cfg.data)).train()


main()
