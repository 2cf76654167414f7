from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments

model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
for parameter in model.base_model.parameters():
    parameter.requires_grad = False
Trainer(model=model, args=TrainingArguments("o", per_device_train_batch_size=64)).train()
