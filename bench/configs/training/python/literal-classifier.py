import evaluate
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)

tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")
reviews = load_dataset("imdb")


def encode(batch):
    return tokenizer(batch["text"], truncation=True, max_length=384)


model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=2)
trainer = Trainer(
    model=model,
    args=TrainingArguments(
        output_dir="reviews",
        learning_rate=3e-5,
        per_device_train_batch_size=24,
        per_device_eval_batch_size=64,
        num_train_epochs=3,
        fp16=True,
    ),
    train_dataset=reviews["train"].map(encode, batched=True),
    data_collator=DataCollatorWithPadding(tokenizer),
)
trainer.train()
