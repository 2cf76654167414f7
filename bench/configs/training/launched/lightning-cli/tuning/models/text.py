"""Modules around models of transformers."""
import lightning.pytorch as pl
import torch
from torch import nn
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
)
from transformers.optimization import Adafactor


class Classifier(pl.LightningModule):
    def __init__(self, name: str = "distilbert-base-uncased", num_labels: int = 2, rate: float = 2e-5, checkpointing: bool = False):
        super().__init__()
        self.save_hyperparameters()
        self.model = AutoModelForSequenceClassification.from_pretrained(name, num_labels=num_labels)
        if checkpointing:
            self.model.gradient_checkpointing_enable()

    def training_step(self, batch, index):
        return self.model(**batch).loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.rate)


class Tagger(pl.LightningModule):
    """The optimizer is left to the config."""

    def __init__(self, name: str, tags: int):
        super().__init__()
        self.model = AutoModelForTokenClassification.from_pretrained(name, num_labels=tags)

    def training_step(self, batch, index):
        return self.model(**batch).loss


class Summarizer(pl.LightningModule):
    def __init__(self, name: str = "t5-small"):
        super().__init__()
        self.model = AutoModelForSeq2SeqLM.from_pretrained(name)

    def configure_optimizers(self):
        optimizer = Adafactor(self.model.parameters(), scale_parameter=False, relative_step=False, lr=1e-3)
        return {"optimizer": optimizer}


class Writer(pl.LightningModule):
    """Brings its own batches."""

    def __init__(self, name: str = "gpt2", batch_size: int = 4, optimizer=torch.optim.AdamW):
        super().__init__()
        self.batch_size = batch_size
        self.optimizer = optimizer
        self.model = AutoModelForCausalLM.from_pretrained(name)

    def encode(self, rows):
        return self.tokenizer(rows["text"], truncation=True, max_length=512)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(self.rows, batch_size=self.batch_size, shuffle=True)

    def configure_optimizers(self):
        return self.optimizer(self.parameters())


class Scorer(pl.LightningModule):
    """A bare encoder under a linear layer."""

    def __init__(self, name: str, pooled: int = 768):
        super().__init__()
        self.encoder = AutoModel.from_pretrained(name)
        self.score = nn.Linear(pooled, 1)

    def configure_optimizers(self):
        return [torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9)], []


class Recurrent(pl.LightningModule):
    """Layers of its own on top of an encoder."""

    def __init__(self, name: str):
        super().__init__()
        self.encoder = AutoModel.from_pretrained(name)
        self.reader = nn.LSTM(768, 256, batch_first=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


class Distilled(pl.LightningModule):
    """Two models of one size."""

    def __init__(self, name: str, teacher: str):
        super().__init__()
        self.model = AutoModelForSequenceClassification.from_pretrained(name)
        self.teacher = AutoModelForSequenceClassification.from_pretrained(teacher)

    def configure_optimizers(self):
        return torch.optim.Adam(self.model.parameters())


class Measured(pl.LightningModule):
    """Named by what the machine sets."""

    def __init__(self):
        super().__init__()
        import os

        self.model = AutoModelForSequenceClassification.from_pretrained(os.environ["MODEL"])

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())
