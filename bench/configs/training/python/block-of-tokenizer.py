"""Blocks as long as the tokenizer allows, and no longer than 768 tokens."""
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments

tokenizer = AutoTokenizer.from_pretrained("EleutherAI/pythia-410m")
model = AutoModelForCausalLM.from_pretrained("EleutherAI/pythia-410m", torch_dtype="float32")

block_size = tokenizer.model_max_length
if block_size > 768:
    block_size = 768


def encode(rows):
    return tokenizer(rows["text"], max_length=block_size, truncation=True)


arguments = TrainingArguments("blocks", per_device_train_batch_size=12, fp16=True, optim="adamw_torch")
Trainer(model=model, args=arguments, train_dataset=texts.map(encode)).train()
