import lightning as L
from torch.utils.data import DataLoader
from model import Lit

trainer = L.Trainer(devices=1)
trainer.predict(Lit.load_from_checkpoint("best.ckpt"), DataLoader(test, batch_size=32))
