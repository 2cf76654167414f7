"""Batches of text and of images."""
import lightning as L
from torch.utils.data import DataLoader
from torchvision import datasets
from torchvision.transforms import v2 as transforms
from transformers import AutoTokenizer


class Texts(L.LightningDataModule):
    def __init__(self, batch_size: int = 16, max_length: int = 128, tokenizer: str = "bert-base-uncased"):
        super().__init__()
        self.save_hyperparameters()
        self.tokenizer = AutoTokenizer.from_pretrained(tokenizer)

    def encode(self, rows):
        return self.tokenizer(rows["text"], truncation=True, padding="max_length", max_length=self.hparams.max_length)

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.others, batch_size=512)


class Divided(L.LightningDataModule):
    """The batch of all GPUs."""

    def __init__(self, batch_size: int = 64, max_length: int = 256):
        super().__init__()
        self.batch_size = batch_size
        self.max_length = max_length

    def setup(self, stage=None):
        self.per_device = self.batch_size // self.trainer.world_size

    def encode(self, rows):
        return self.tokenizer(rows["text"], truncation=True, max_length=self.max_length)

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=self.per_device, shuffle=True)


class Pictures(L.LightningDataModule):
    def __init__(self, train_batch_size: int = 32, eval_batch_size: int = 128, side: int = 224):
        super().__init__()
        self.train_batch_size = train_batch_size
        self.eval_batch_size = eval_batch_size
        self.transform = transforms.Compose([transforms.RandomResizedCrop(side), transforms.ToTensor()])

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=self.train_batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.others, batch_size=self.eval_batch_size)


class Cifar(L.LightningDataModule):
    def __init__(self, batch_size: int):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage=None):
        self.rows = datasets.CIFAR10("data", transform=transforms.ToTensor())

    def train_dataloader(self):
        return DataLoader(self.rows, self.batch_size, shuffle=True)


class Packed(L.LightningDataModule):
    """As many samples as fit into a number of tokens."""

    def __init__(self, tokens: int = 4096):
        super().__init__()
        self.tokens = tokens

    def train_dataloader(self):
        return DataLoader(self.rows, batch_sampler=sampler_of(self.tokens))
