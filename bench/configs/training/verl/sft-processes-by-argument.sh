nproc=$1

torchrun --nproc_per_node=$nproc -m verl.trainer.fsdp_sft_trainer data.train_batch_size=64 data.micro_batch_size_per_gpu=4 model.partial_pretrain=Qwen/Qwen2.5-0.5B
