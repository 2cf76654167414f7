"""Each field of the settings is an option of the same name."""
import argparse
from dataclasses import dataclass, fields

from trl import GRPOConfig, GRPOTrainer

from rewards import correct


@dataclass
class Settings:
    model: str = "Qwen/Qwen2.5-0.5B-Instruct"
    prompts: int = 4
    group: int = 4
    accumulate: int = 2
    answer: int = 192


def settings() -> Settings:
    parser = argparse.ArgumentParser()
    for field in fields(Settings):
        parser.add_argument(f"--{field.name}", type=field.type, default=field.default)
    return Settings(**vars(parser.parse_args()))


def main():
    chosen = settings()
    arguments = GRPOConfig(
        output_dir="out",
        per_device_train_batch_size=chosen.prompts,
        gradient_accumulation_steps=chosen.accumulate,
        num_generations=chosen.group,
        max_completion_length=chosen.answer,
        bf16=True,
    )
    GRPOTrainer(model=chosen.model, reward_funcs=correct, args=arguments, train_dataset=load()).train()


main()
