from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer

base = "Qwen/Qwen2.5-1.5B-Instruct"
model = AutoModelForCausalLM.from_pretrained(base, torch_dtype="bfloat16")
config = KTOConfig(
    output_dir="kto",
    max_length=1024,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=8,
    gradient_checkpointing=True,
    bf16=True,
)
trainer = KTOTrainer(model=model, args=config, train_dataset=pairs, processing_class=AutoTokenizer.from_pretrained(base))
trainer.train()
