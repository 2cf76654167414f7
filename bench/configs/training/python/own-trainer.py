import torch
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments


class WeightedTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = torch.nn.functional.cross_entropy(outputs.logits, labels, weight=self.weights)
        return (loss, outputs) if return_outputs else loss


model = AutoModelForSequenceClassification.from_pretrained("roberta-large", num_labels=3)
WeightedTrainer(model=model, args=TrainingArguments("o", per_device_train_batch_size=11)).train()
