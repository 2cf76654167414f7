import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer

NAME = "distilbert-base-uncased"


class Classifier(pl.LightningModule):
    def __init__(self, rate: float = 2e-5):
        super().__init__()
        self.net = AutoModelForSequenceClassification.from_pretrained(NAME, num_labels=4)
        self.rate = rate

    def training_step(self, batch, _):
        return self.net(**batch).loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.rate)


class News(pl.LightningDataModule):
    def __init__(self, batch_size=24, max_length=128):
        super().__init__()
        self.save_hyperparameters()
        self.tokenizer = AutoTokenizer.from_pretrained(NAME)

    def encode(self, texts):
        return self.tokenizer(texts, truncation=True, max_length=self.hparams.max_length)

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=2 * self.hparams.batch_size)


if __name__ == "__main__":
    trainer = pl.Trainer(devices=4, strategy="ddp", precision="bf16-mixed", max_epochs=2)
    trainer.fit(Classifier(), News())
