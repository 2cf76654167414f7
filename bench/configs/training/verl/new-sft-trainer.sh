torchrun --nproc_per_node=8 -m verl.trainer.sft_trainer data.train_batch_size=96 data.micro_batch_size_per_gpu=2 model.path=Qwen/Qwen2.5-0.5B
