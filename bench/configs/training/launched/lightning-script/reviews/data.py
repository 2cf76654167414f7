import lightning as L
from torch.utils.data import DataLoader


class Reviews(L.LightningDataModule):
    def __init__(self, batch_size: int = 16, max_length: int = 128, labels: int = 2):
        super().__init__()
        self.batch_size = batch_size
        self.max_length = max_length

    def collate(self, rows):
        return self.tokenizer([row["text"] for row in rows], truncation=True, max_length=self.max_length)

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=self.batch_size, shuffle=True, collate_fn=self.collate)
