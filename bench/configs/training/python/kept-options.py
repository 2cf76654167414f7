import inspect
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("gpt2")
options = {"output_dir": "out", "per_device_train_batch_size": 4, "bf16": True, "fp16": None}
valid = set(inspect.signature(TrainingArguments.__init__).parameters)
options = {k: v for k, v in options.items() if k in valid}
args = TrainingArguments(**options)
Trainer(model=model, args=args, train_dataset=data).train()
