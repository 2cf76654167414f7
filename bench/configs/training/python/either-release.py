"""Runs with older and newer releases of TRL, and keeps its settings in classes within a class."""
from dataclasses import dataclass, field
from inspect import signature

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainingArguments

try:
    from trl import SFTConfig, SFTTrainer
except ImportError:
    from trl import SFTTrainer

    SFTConfig = None


@dataclass
class Schedule:
    samples: int = 3
    accumulate: int = 10
    optimizer: str = "adafactor"


@dataclass
class Checkpoint:
    name: str = "hub:Qwen/Qwen2.5-0.5B"
    tokens: int = 896


@dataclass
class Run:
    schedule: Schedule = field(default_factory=Schedule)
    checkpoint: Checkpoint = field(default_factory=lambda: Checkpoint())


run = Run()
name = run.checkpoint.name.removeprefix("hub:")
settings = {
    "output_dir": "out",
    "per_device_train_batch_size": run.schedule.samples,
    "gradient_accumulation_steps": run.schedule.accumulate,
    "optim": run.schedule.optimizer,
    "bf16": True,
}
Arguments = SFTConfig if SFTConfig is not None else TrainingArguments
length_key = "max_length" if "max_length" in signature(Arguments).parameters else "max_seq_length"
settings[length_key] = run.checkpoint.tokens
settings["tf32" if SFTConfig is not None else "fp16"] = True
schedule_key = "eval_strategy" if "eval_strategy" in signature(TrainingArguments).parameters else "evaluation_strategy"
settings[schedule_key] = "no"

trainer_settings = {"model": AutoModelForCausalLM.from_pretrained(name), "args": Arguments(**settings)}
tokenizer = AutoTokenizer.from_pretrained(name)
if "processing_class" in signature(SFTTrainer).parameters:
    trainer_settings["processing_class"] = tokenizer
else:
    trainer_settings["tokenizer"] = tokenizer
SFTTrainer(train_dataset=load_dataset("json", data_files="rows.jsonl", split="train"), **trainer_settings).train()
