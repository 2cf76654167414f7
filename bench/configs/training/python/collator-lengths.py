import argparse
import os
from dataclasses import dataclass, field
from os.path import exists, isdir, join

import torch
import transformers
from modelscope import AutoModelForCausalLM
from peft import LoraConfig, PeftModel, get_peft_model, prepare_model_for_kbit_training
from torch.nn.utils.rnn import pad_sequence
from transformers import BitsAndBytesConfig, Seq2SeqTrainer

from corpus import rows, tokenizer


@dataclass
class ModelArguments:
    model_name_or_path: str = field(default="Qwen/Qwen2.5-7B")


@dataclass
class DataArguments:
    source_max_len: int = field(default=768)
    target_max_len: int = field(default=256)


@dataclass
class TrainingArguments(transformers.Seq2SeqTrainingArguments):
    per_device_train_batch_size: int = field(default=2)
    gradient_accumulation_steps: int = field(default=8)
    bf16: bool = field(default=True)
    optim: str = field(default="paged_adamw_32bit")
    output_dir: str = field(default="output")


@dataclass
class Collator:
    source_max_len: int
    target_max_len: int

    def __call__(self, instances):
        sources = tokenizer([each["input"] for each in instances], max_length=self.source_max_len, truncation=True)
        targets = tokenizer([each["output"] for each in instances], max_length=self.target_max_len, truncation=True)
        pairs = zip(sources["input_ids"], targets["input_ids"])
        ids = [torch.tensor(source + target) for source, target in pairs]
        return {"input_ids": pad_sequence(ids, batch_first=True), "labels": pad_sequence(ids, batch_first=True)}


def last_checkpoint(folder):
    if isdir(folder):
        if exists(join(folder, "completed")):
            return None, True
        return join(folder, sorted(os.listdir(folder))[-1]), False
    return None, False


def load(args, checkpoint):
    config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
    model = AutoModelForCausalLM.from_pretrained(args.model_name_or_path, quantization_config=config)
    model = prepare_model_for_kbit_training(model)
    if checkpoint is not None:
        model = PeftModel.from_pretrained(model, join(checkpoint, "adapter_model"), is_trainable=True)
    else:
        model = get_peft_model(model, LoraConfig(r=16, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"))
    return model


parser = transformers.HfArgumentParser((ModelArguments, DataArguments, TrainingArguments))
model_args, data_args, training_args = parser.parse_args_into_dataclasses()
args = argparse.Namespace(**vars(model_args), **vars(data_args), **vars(training_args))
checkpoint, is_completed = last_checkpoint(args.output_dir)
trainer = Seq2SeqTrainer(
    model=load(args, checkpoint),
    args=training_args,
    train_dataset=rows,
    data_collator=Collator(source_max_len=args.source_max_len, target_max_len=args.target_max_len),
)
trainer.train()
