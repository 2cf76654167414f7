import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig
from trl import SFTTrainer, SFTConfig

name = "mistralai/Mistral-7B-v0.1"
quantization = BitsAndBytesConfig(
    load_in_4bit=True,
    bnb_4bit_quant_type="nf4",
    bnb_4bit_compute_dtype=torch.bfloat16,
    bnb_4bit_use_double_quant=True,
)
model = AutoModelForCausalLM.from_pretrained(
    name, quantization_config=quantization, torch_dtype=torch.bfloat16, device_map="auto"
)
trainer = SFTTrainer(
    model=model,
    train_dataset=load_dataset("json", data_files="chat.jsonl")["train"],
    peft_config=LoraConfig(r=64, lora_alpha=16, lora_dropout=0.1, target_modules="all-linear", task_type="CAUSAL_LM"),
    args=SFTConfig(
        output_dir="mistral-chat",
        max_length=2048,
        per_device_train_batch_size=3,
        gradient_accumulation_steps=2,
        optim="paged_adamw_32bit",
        bf16=True,
    ),
)
trainer.train()
