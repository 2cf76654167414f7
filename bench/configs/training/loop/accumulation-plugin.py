"""A loop whose steps accelerate's plugin counts, over batches that a collator fills up."""
import torch
from accelerate import Accelerator
from accelerate.utils import GradientAccumulationPlugin
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding

from ledger import complaints

every = GradientAccumulationPlugin(num_steps=6)
accelerator = Accelerator(mixed_precision="bf16", gradient_accumulation_plugin=every)
tokenizer = AutoTokenizer.from_pretrained("google-bert/bert-base-cased")
model = AutoModelForSequenceClassification.from_pretrained("google-bert/bert-base-cased", num_labels=6)
rows = [tokenizer(text, truncation=True, max_length=144) for text in complaints()]
filled = DataCollatorWithPadding(tokenizer, padding="max_length", max_length=160)
batches = DataLoader(rows, batch_size=26, shuffle=True, collate_fn=filled)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-5)
model, optimizer, batches = accelerator.prepare(model, optimizer, batches)
for batch in batches:
    with accelerator.accumulate(model):
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()
