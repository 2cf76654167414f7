"""Passes on what the installed release of TRL knows."""
import inspect

from trl import DPOConfig, DPOTrainer


def arguments_of(**given):
    known = inspect.signature(DPOConfig.__init__).parameters
    supported = {name: value for name, value in given.items() if name in known}
    return DPOConfig(**supported)


arguments = arguments_of(
    output_dir="out",
    per_device_train_batch_size=2,
    gradient_accumulation_steps=12,
    max_length=1536,
    bf16=True,
    optim="adamw_torch",
)
DPOTrainer(model="Qwen/Qwen2.5-0.5B-Instruct", args=arguments, train_dataset=pairs).train()
