"""The same notes, as scripts for transformers 4 do it."""
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments

BASE = "Qwen/Qwen2.5-0.5B"

tokenizer = AutoTokenizer.from_pretrained(BASE)
notes = load_dataset("json", data_files="notes.jsonl", split="train")
notes = notes.map(lambda rows: tokenizer(rows["text"], truncation=True, max_length=768), batched=True)

arguments = TrainingArguments(
    output_dir="out",
    evaluation_strategy="no",
    per_device_train_batch_size=6,
    bf16=True,
)
trainer = Trainer(
    model=AutoModelForCausalLM.from_pretrained(BASE),
    args=arguments,
    train_dataset=notes,
    tokenizer=tokenizer,
)
trainer.train()
