from transformers import Trainer, TrainingArguments


class DistillationTrainer(Trainer):
    """Trainer(model=..., args=TrainingArguments(per_device_train_batch_size=8)).train()"""

    def __init__(self, *args, teacher=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.teacher = teacher


def build(model, args: TrainingArguments, **kwargs):
    return DistillationTrainer(model=model, args=args, **kwargs)
