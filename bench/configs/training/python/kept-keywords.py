"""Settings of a class that keeps what it is given, and arguments that are copied with another batch size."""
from dataclasses import replace

from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments

from ledger import complaints


class Settings:
    checkpoint = "google-bert/bert-base-cased"

    def __init__(self, **given):
        self.accumulation = 1
        self.half = True
        for name, value in given.items():
            setattr(self, name, value)


settings = Settings(accumulation=5, half=False)
tokenizer = AutoTokenizer.from_pretrained(settings.checkpoint)
tokenizer.model_max_length = 176
rows = complaints().map(lambda row: tokenizer(row["complaint"], truncation=True))
common = TrainingArguments(
    "out",
    per_device_train_batch_size=8,
    gradient_accumulation_steps=settings.accumulation,
    fp16=settings.half,
    optim="sgd",
)
Trainer(
    model=AutoModelForSequenceClassification.from_pretrained(settings.checkpoint, num_labels=6),
    args=replace(common, per_device_train_batch_size=44),
    train_dataset=rows,
).train()
