from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments

model = AutoModelForSequenceClassification.from_pretrained("roberta-base", num_labels=3)
for layer in model.roberta.encoder.layer[:6]:
    for param in layer.parameters():
        param.requires_grad = False
Trainer(model=model, args=TrainingArguments("o", per_device_train_batch_size=16)).train()
