"""Continues the pre-training of a decoder on the notes of a help desk."""
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling, Trainer, TrainingArguments

BASE = "Qwen/Qwen2.5-0.5B"

tokenizer = AutoTokenizer.from_pretrained(BASE)
notes = load_dataset("json", data_files="notes.jsonl", split="train")
notes = notes.map(lambda rows: tokenizer(rows["text"], truncation=True, max_length=768), batched=True)

model = AutoModelForCausalLM.from_pretrained(BASE)

trainer = Trainer(
    model=model,
    args=TrainingArguments(
        output_dir="out",
        per_device_train_batch_size=6,
        gradient_accumulation_steps=4,
        bf16=True,
        eval_strategy="no",
    ),
    train_dataset=notes,
    data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
)
trainer.train()
