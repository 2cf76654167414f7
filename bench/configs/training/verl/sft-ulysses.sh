#!/bin/bash
set -x

torchrun --standalone --nnodes=1 --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer \
    data.train_batch_size=64 \
    data.micro_batch_size_per_gpu=4 \
    model.partial_pretrain=Qwen/Qwen2.5-0.5B \
    ulysses_sequence_parallel_size=2 \
    use_remove_padding=true
