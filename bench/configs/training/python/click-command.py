import click
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments


@click.command()
@click.option("--batch-size", default=20, show_default=True)
@click.option("--model-name", default="bert-base-cased")
def main(batch_size, model_name):
    model = AutoModelForSequenceClassification.from_pretrained(model_name)
    Trainer(model=model, args=TrainingArguments("o", per_device_train_batch_size=batch_size)).train()


main()
