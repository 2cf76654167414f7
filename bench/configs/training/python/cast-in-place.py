"""The weights are cast by a statement, after the model is loaded in the type of its file."""
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments

from ledger import complaints

checkpoint = "google-bert/bert-base-cased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)
classifier = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=6)
classifier.to(device="cuda", dtype=torch.bfloat16)


def encode(row):
    return tokenizer(row["complaint"], truncation=True, max_length=224)


settings = TrainingArguments("out", per_device_train_batch_size=36, gradient_accumulation_steps=3, optim="adamw_torch")
Trainer(model=classifier, args=settings, train_dataset=complaints().map(encode)).train()
