from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

DEBUG = False
if DEBUG:
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    Trainer(model=model, args=TrainingArguments("o", per_device_train_batch_size=8)).train()
