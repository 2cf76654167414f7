from trl import SFTConfig, SFTTrainer

# TRL 0.16: since 0.20, the length is max_length, and both defaults below are on.
args = SFTConfig(output_dir="out", per_device_train_batch_size=6, max_seq_length=640, packing=True)
SFTTrainer(model="Qwen/Qwen2.5-0.5B", args=args, train_dataset=rows).train()
