from transformers import AutoModelForSequenceClassification
from trl import RewardConfig, RewardTrainer

model = AutoModelForSequenceClassification.from_pretrained("Qwen/Qwen2.5-0.5B-Instruct", num_labels=1)
RewardTrainer(
    model=model,
    args=RewardConfig(output_dir="rm", per_device_train_batch_size=16, max_length=512),
    train_dataset=pairs,
).train()
