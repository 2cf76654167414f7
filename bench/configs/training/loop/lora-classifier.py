import torch
from peft import LoraConfig, TaskType, get_peft_model
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from tickets import load_tickets

NAME = "google-bert/bert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(NAME)
model = AutoModelForSequenceClassification.from_pretrained(NAME, num_labels=6)
config = LoraConfig(task_type=TaskType.SEQ_CLS, r=8, lora_dropout=0.05, target_modules=["query", "value"])
model = get_peft_model(model, config).to("cuda")


def encode(rows):
    return tokenizer([row["text"] for row in rows], truncation=True, padding="max_length", max_length=224, return_tensors="pt")


loader = DataLoader(load_tickets(), batch_size=44, shuffle=True, collate_fn=encode)
optimizer = torch.optim.AdamW(filter(lambda p: p.requires_grad, model.parameters()), lr=5e-4)
for batch in loader:
    loss = model(**batch.to("cuda")).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
