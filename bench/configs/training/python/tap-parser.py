"""Settings as a typed-argument-parser has them."""

import torch
from tap import Tap
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer


class Arguments(Tap):
    model: str = "HuggingFaceTB/SmolLM2-360M"
    batch_size: int = 12
    accumulate: int = 2
    max_length: int = 640


def main(arguments: Arguments):
    model = AutoModelForCausalLM.from_pretrained(arguments.model, torch_dtype=torch.bfloat16)
    config = SFTConfig(
        output_dir="out",
        per_device_train_batch_size=arguments.batch_size,
        gradient_accumulation_steps=arguments.accumulate,
        max_length=arguments.max_length,
        bf16=True,
    )
    SFTTrainer(model=model, args=config, train_dataset=load("pages")).train()


if __name__ == "__main__":
    main(Arguments().parse_args())
