HELP = """
from transformers import Trainer, TrainingArguments
trainer = Trainer(model=model, args=TrainingArguments("o", per_device_train_batch_size=8))
trainer.train()
"""
print(HELP)
