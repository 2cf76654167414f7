from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, Seq2SeqTrainer, Seq2SeqTrainingArguments

BASE = "facebook/bart-base"
tokenizer = AutoTokenizer.from_pretrained(BASE)


def features(batch):
    encoded = tokenizer(batch["article"], truncation=True, max_length=640, padding="max_length")
    labels = tokenizer(batch["highlights"], truncation=True, max_length=112, padding="max_length")
    encoded["labels"] = labels["input_ids"]
    return encoded


settings = Seq2SeqTrainingArguments(
    output_dir="runs/summaries",
    per_device_train_batch_size=2,
    gradient_accumulation_steps=8,
    bf16=True,
)
trainer = Seq2SeqTrainer(
    model=AutoModelForSeq2SeqLM.from_pretrained(BASE),
    args=settings,
    train_dataset=articles.map(features, batched=True),
)
trainer.train()
