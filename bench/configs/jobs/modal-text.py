import modal
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

app = modal.App("sft")


@app.function(gpu="L40S", timeout=3600)
def train():
    model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
    arguments = TrainingArguments("out", per_device_train_batch_size=8, bf16=True)
    Trainer(model, arguments).train()
