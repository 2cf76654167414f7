from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import ORPOConfig, ORPOTrainer

base = "Qwen/Qwen2.5-1.5B-Instruct"
model = AutoModelForCausalLM.from_pretrained(base, torch_dtype="bfloat16")
config = ORPOConfig(
    output_dir="orpo",
    beta=0.2, max_length=1024,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=8,
    gradient_checkpointing=True,
    bf16=True,
)
trainer = ORPOTrainer(model=model, args=config, train_dataset=pairs, processing_class=AutoTokenizer.from_pretrained(base))
trainer.train()
