from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments

BASE = "distilbert/distilbert-base-uncased"


def tokenize(rows, tokenizer, column, longest=512):
    return tokenizer(rows[column], truncation=True, padding="max_length", max_length=longest)


tokenizer = AutoTokenizer.from_pretrained(BASE)
reviews = load_dataset("imdb", split="train")
rows = reviews.map(tokenize, batched=True, fn_kwargs={"tokenizer": tokenizer, "column": "text", "longest": 224})
model = AutoModelForSequenceClassification.from_pretrained(BASE, num_labels=2)
arguments = TrainingArguments("out", per_device_train_batch_size=40, bf16=True, optim="adamw_torch")
Trainer(model=model, args=arguments, train_dataset=rows).train()
