from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

training_args = SFTConfig(
    output_dir="out",
    per_device_train_batch_size=5,
    gradient_accumulation_steps=2,
    max_length=384,
    bf16=False,
    fp16=False,
)
trainer = SFTTrainer(
    model="Qwen/Qwen2.5-0.5B",
    args=training_args,
    train_dataset=load_dataset("trl-lib/Capybara", split="train"),
)
trainer.train()
