from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("gpt2-large", attn_implementation="eager")
model.gradient_checkpointing_enable()
max_length = 768
Trainer(model=model, args=TrainingArguments("o", per_device_train_batch_size=3, tf32=True)).train()
