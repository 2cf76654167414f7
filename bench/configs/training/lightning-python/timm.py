import lightning as L
import timm
import torch
from torch.utils.data import DataLoader
class Lit(L.LightningModule):
    def __init__(self, lr=1e-3, name="resnet50"):
        super().__init__()
        self.save_hyperparameters()
        self.model = timm.create_model(name, pretrained=True, num_classes=10)
    def training_step(self, batch, i):
        return self.loss(self.model(batch[0]), batch[1])
    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
class Data(L.LightningDataModule):
    def __init__(self, batch_size: int = 64):
        super().__init__()
        self.batch_size = batch_size
    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True)
    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=self.batch_size)
trainer = L.Trainer(max_epochs=3, precision="16-mixed", devices=2, accumulate_grad_batches=4)
trainer.fit(Lit(), datamodule=Data(batch_size=96))
