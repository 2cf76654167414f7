import lightning as L
import torch
from transformers import AutoModelForSequenceClassification


class Reviewer(L.LightningModule):
    def __init__(self, name: str, num_labels: int = 2):
        super().__init__()
        self.model = AutoModelForSequenceClassification.from_pretrained(pretrained_model_name_or_path=name, num_labels=num_labels)

    def configure_optimizers(self):
        return make_optimizer(self)


def make_optimizer(module):
    optimizer = torch.optim.AdamW(module.parameters(), lr=2e-5, fused=True)
    return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.LinearLR(optimizer)}
