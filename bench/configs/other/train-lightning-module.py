"""A module that others train."""
import lightning as L
from transformers import AutoModel


class Encoder(L.LightningModule):
    def __init__(self, name="bert-base-uncased", batch_size=32):
        super().__init__()
        self.model = AutoModel.from_pretrained(name)
        self.model.train()
