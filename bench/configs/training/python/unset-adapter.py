import argparse

import torch
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

from corpus import rows

parser = argparse.ArgumentParser()
parser.add_argument("--model", default="Qwen/Qwen2.5-1.5B-Instruct")
parser.add_argument("--adapter", help="adapters of an earlier run, to go on from")
parser.add_argument("--targets", default="q_proj,v_proj")
args = parser.parse_args()

peft_config = LoraConfig(r=16, target_modules=[name for name in args.targets.split(",")], task_type="CAUSAL_LM")
model = AutoModelForCausalLM.from_pretrained(args.model, dtype=torch.bfloat16)
if args.adapter is not None:
    model = PeftModel.from_pretrained(model, args.adapter, is_trainable=True)
    peft_config = None

trainer = SFTTrainer(
    model=model,
    args=SFTConfig(
        output_dir="out",
        per_device_train_batch_size=4,
        gradient_accumulation_steps=2,
        max_length=2048,
        bf16=True,
        optim="adamw_torch",
    ),
    train_dataset=rows,
    peft_config=peft_config,
)
trainer.train()
