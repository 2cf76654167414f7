from peft import PrefixTuningConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = get_peft_model(AutoModelForCausalLM.from_pretrained("gpt2"), PrefixTuningConfig(num_virtual_tokens=20))
Trainer(model=model, args=TrainingArguments("o", per_device_train_batch_size=4)).train()
