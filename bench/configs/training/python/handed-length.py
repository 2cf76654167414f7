"""Its data set cuts token ids itself, to a length that it is handed."""
import argparse

from torch.utils.data import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments


class TicketDataset(Dataset):
    def __init__(self, rows, tokenizer, max_tokens=2048):
        self.ids = [tokenizer.encode(row["text"])[:max_tokens] for row in rows]

    def __len__(self):
        return len(self.ids)


parser = argparse.ArgumentParser()
parser.add_argument("--max-tokens", type=int, default=640)
options = parser.parse_args()

checkpoint = "HuggingFaceTB/SmolLM2-360M"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)
tickets = TicketDataset(load_rows("train"), tokenizer=tokenizer, max_tokens=options.max_tokens)
held_out = make_eval_dataset(load_rows("test"), tokenizer=tokenizer, max_tokens=4096)

arguments = TrainingArguments(
    output_dir="out",
    per_device_train_batch_size=6,
    gradient_accumulation_steps=4,
    bf16=True,
    optim="adamw_torch",
)
Trainer(
    model=AutoModelForCausalLM.from_pretrained(checkpoint),
    args=arguments,
    train_dataset=tickets,
    eval_dataset=held_out,
).train()
