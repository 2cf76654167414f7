from trl import SFTConfig, SFTTrainer

SFTTrainer(
    model="Qwen/Qwen3-0.6B",
    args=SFTConfig(per_device_train_batch_size=13, packing=True, max_length=512),
    train_dataset=data,
).train()
