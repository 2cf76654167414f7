from torch import nn
from transformers import AutoModel, Trainer, TrainingArguments


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = AutoModel.from_pretrained("bert-base-uncased")
        self.head = nn.Linear(768, 1)


Trainer(model=Ranker(), args=TrainingArguments("o", per_device_train_batch_size=4)).train()
