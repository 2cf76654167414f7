import transformers
from my_lab.training import Trainer

Trainer(model="gpt2", batch_size=8).train()
