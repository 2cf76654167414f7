"""One training; who runs it says which."""

from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments


class Classifier:
    def __init__(self, config):
        self.config = config
        self.model = AutoModelForSequenceClassification.from_pretrained(config.model_name, num_labels=config.labels)

    def fit(self, train, dev):
        arguments = TrainingArguments(
            output_dir=self.config.output,
            per_device_train_batch_size=self.config.batch_size,
            gradient_accumulation_steps=self.config.accumulate,
            fp16=self.config.half,
        )
        Trainer(model=self.model, args=arguments, train_dataset=train, eval_dataset=dev).train()
