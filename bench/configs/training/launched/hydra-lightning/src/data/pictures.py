from lightning import LightningDataModule
from torch.utils.data import DataLoader, random_split
from torchvision.datasets import CIFAR10, ImageFolder
from torchvision.transforms import Compose, RandomResizedCrop, ToTensor


class Pictures(LightningDataModule):
    """Divides the batch among the GPUs, as the template does."""

    def __init__(self, data_dir: str = "data/", batch_size: int = 64, side: int = 64):
        super().__init__()
        self.save_hyperparameters(logger=False)
        self.transform = Compose([RandomResizedCrop(side), ToTensor()])
        self.rows = None
        self.others = None
        self.batch_size_per_device = batch_size

    def setup(self, stage=None):
        if self.trainer is not None:
            if self.hparams.batch_size % self.trainer.world_size != 0:
                raise RuntimeError("the batch cannot be divided")
            self.batch_size_per_device = self.hparams.batch_size // self.trainer.world_size
        if not self.rows and not self.others:
            self.rows, self.others = random_split(ImageFolder(self.hparams.data_dir), [9, 1])

    def train_dataloader(self):
        return DataLoader(dataset=self.rows, batch_size=self.batch_size_per_device, shuffle=True)

    def val_dataloader(self):
        return DataLoader(dataset=self.others, batch_size=self.batch_size_per_device, shuffle=False)


class Cifar(LightningDataModule):
    def __init__(self, batch_size: int):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        self.rows = CIFAR10("data", train=True, transform=ToTensor())

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=self.hparams.batch_size, shuffle=True)
