from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

base = "Qwen/Qwen2.5-1.5B-Instruct"
model = AutoModelForCausalLM.from_pretrained(base, torch_dtype="bfloat16")
config = DPOConfig(
    output_dir="dpo",
    beta=0.1, max_length=1024,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=8,
    gradient_checkpointing=True,
    bf16=True,
)
trainer = DPOTrainer(model=model, args=config, train_dataset=pairs, processing_class=AutoTokenizer.from_pretrained(base))
trainer.train()
