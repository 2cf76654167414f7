import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader
from transformers import AutoModelForMaskedLM


class Tagger(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.encoder = AutoModelForMaskedLM.from_pretrained("bert-base-uncased")
        self.lstm = nn.LSTM(768, 512)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


L.Trainer().fit(Tagger(), DataLoader(train, batch_size=16, shuffle=True))
