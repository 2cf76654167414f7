from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, Seq2SeqTrainer, Seq2SeqTrainingArguments

checkpoint = "google-t5/t5-small"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def preprocess(rows):
    inputs = tokenizer(["summarize: " + row for row in rows["document"]], max_length=768, truncation=True)
    labels = tokenizer(text_target=rows["summary"], max_length=96, truncation=True)
    return {**inputs, "labels": labels["input_ids"]}


trainer = Seq2SeqTrainer(
    model=AutoModelForSeq2SeqLM.from_pretrained(checkpoint),
    args=Seq2SeqTrainingArguments("sum", per_device_train_batch_size=16, predict_with_generate=True, fp16=True),
    train_dataset=data.map(preprocess, batched=True),
)
trainer.train()
