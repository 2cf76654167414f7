MODEL=${MODEL:-Qwen/Qwen2.5-3B}
LENGTH=4096
BATCH=2

torchrun --standalone --nnodes=1 --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer \
    data.train_batch_size=64 \
    data.micro_batch_size_per_gpu=$BATCH \
    data.max_length=$LENGTH \
    model.partial_pretrain="$MODEL" \
    model.strategy=fsdp
