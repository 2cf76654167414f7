#!/bin/bash
set -x

torchrun --standalone --nnodes=1 --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer \
    data.train_files=data/train.parquet \
    data.train_batch_size=128 \
    data.micro_batch_size_per_gpu=4 \
    data.max_length=2048 \
    model.partial_pretrain=Qwen/Qwen2.5-7B-Instruct \
    trainer.total_epochs=3
