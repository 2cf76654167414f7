from transformers import AutoModelForSequenceClassification, pipeline

model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased")
model.train(False)
print(pipeline("text-classification", model=model, batch_size=32)("a"))
