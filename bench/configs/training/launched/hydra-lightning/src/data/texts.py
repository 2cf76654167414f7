from lightning import LightningDataModule
from torch.utils.data import DataLoader


class Texts(LightningDataModule):
    def __init__(self, batch_size: int, max_length: int):
        super().__init__()
        self.batch_size = batch_size
        self.max_length = max_length

    def collate(self, rows):
        return self.tokenizer([row["text"] for row in rows], truncation=True, max_length=self.max_length)

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=self.batch_size, shuffle=True, collate_fn=self.collate)


class Unsplit(LightningDataModule):
    """By what the machine has free."""

    def __init__(self, batch_size: int):
        super().__init__()
        self.batch_size = measured(batch_size)

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=self.batch_size, shuffle=True)
