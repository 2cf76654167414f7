from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments

model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
Trainer(model=model, args=TrainingArguments(output_dir="test_trainer"), train_dataset=small).train()
