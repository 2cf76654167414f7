import json
from dataclasses import dataclass

from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments


@dataclass
class Settings:
    model: str = "google-bert/bert-base-uncased"
    batch: int = 8
    max_length: int = 128
    fp16: bool = False


def settings_from(path):
    settings = Settings()
    with open(path) as file:
        for key, value in json.load(file).items():
            setattr(settings, key, value)
    return settings


settings = settings_from("settings.json")
tokenizer = AutoTokenizer.from_pretrained(settings.model)
model = AutoModelForSequenceClassification.from_pretrained(settings.model, num_labels=3)
rows = [tokenizer(text, truncation=True, max_length=settings.max_length) for text in open("train.txt")]
args = TrainingArguments("out", per_device_train_batch_size=settings.batch, fp16=settings.fp16)
Trainer(model=model, args=args, train_dataset=rows, tokenizer=tokenizer).train()
