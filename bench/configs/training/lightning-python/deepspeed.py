import lightning.pytorch as pl
import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM


class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = AutoModelForCausalLM.from_pretrained("gpt2-medium")

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-5)


max_length = 256
train_loader = DataLoader(data, batch_size=4, shuffle=True)
pl.Trainer(strategy="deepspeed_stage_2", devices=8).fit(Model(), train_loader)
