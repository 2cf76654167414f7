import typer
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments

app = typer.Typer()


@app.command()
def main(batch_size: int = typer.Option(18, help="per GPU"), model: str = "albert-base-v2"):
    network = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
    Trainer(model=network, args=TrainingArguments("o", per_device_train_batch_size=batch_size)).train()


app()
