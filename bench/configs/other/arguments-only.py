from transformers import TrainingArguments

DEFAULTS = TrainingArguments(output_dir="out", per_device_train_batch_size=8)


def with_output(path):
    """For Trainer(args=...)."""
    return TrainingArguments(output_dir=path, per_device_train_batch_size=8)
