"""Sentiment of support tickets."""
from transformers import BertForSequenceClassification, BertTokenizerFast, Trainer, TrainingArguments

BASE = "bert-base-uncased"
MAX_LEN = 128
BATCH_SIZE = 32
EFFECTIVE = 128

tok = BertTokenizerFast.from_pretrained(BASE)
net = BertForSequenceClassification.from_pretrained(BASE, num_labels=4)
settings = TrainingArguments(
    "tickets",
    per_device_train_batch_size=BATCH_SIZE,
    gradient_accumulation_steps=EFFECTIVE // BATCH_SIZE,
    bf16=True,
    optim="adamw_torch",
)
enc = tok(["a"], padding="max_length", truncation=True, max_length=MAX_LEN)
Trainer(net, settings, train_dataset=enc).train()
