"""Image models of timm and torchvision."""
import lightning as L
import timm
import torch
import torchvision
from torch import nn


class PretrainedImages(L.LightningModule):
    def __init__(self, architecture: str = "resnet18", classes: int = 1000, momentum: float = 0.0):
        super().__init__()
        self.save_hyperparameters()
        self.net = timm.create_model(architecture, pretrained=True, num_classes=classes)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1, momentum=self.hparams.momentum)


class Residual(L.LightningModule):
    def __init__(self, classes: int):
        super().__init__()
        self.net = torch.compile(torchvision.models.resnet50(num_classes=classes))

    def configure_optimizers(self):
        return torch.optim.RMSprop(self.parameters())


class Held(L.LightningModule):
    """Whatever the config gives it."""

    def __init__(self, net: nn.Module):
        super().__init__()
        self.net = net

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


class Small(L.LightningModule):
    """Convolutions of its own."""

    def __init__(self, width: int = 32):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, width, 3), nn.ReLU(), nn.Flatten(), nn.Linear(width * 900, 10))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


class Chosen(L.LightningModule):
    """One of several, by a function that asks the file system."""

    def __init__(self, architecture: str):
        super().__init__()
        self.net = load_best(architecture)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())
