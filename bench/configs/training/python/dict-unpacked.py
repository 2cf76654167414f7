from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

COMMON = {"learning_rate": 1e-4, "bf16": True, "gradient_checkpointing": True}
RUN = {**COMMON, "per_device_train_batch_size": 5, "gradient_accumulation_steps": 3}
RUN["optim"] = "adafactor"

model = AutoModelForCausalLM.from_pretrained("EleutherAI/pythia-410m")
block_size = 512
trainer = Trainer(model=model, args=TrainingArguments(output_dir="p", **RUN), train_dataset=grouped)
trainer.train()
