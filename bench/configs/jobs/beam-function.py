from beam import function
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

@function(gpu="T4", cpu=4)
def train():
    model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
    arguments = TrainingArguments("out", per_device_train_batch_size=8, bf16=True)
    Trainer(model, arguments).train()
