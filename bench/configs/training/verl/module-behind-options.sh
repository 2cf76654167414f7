#!/bin/bash
torchrun -m --nnodes 1 --nproc_per_node=8 \
    verl.trainer.fsdp_sft_trainer \
    data.train_files=data/train.parquet \
    data.train_batch_size=64 \
    data.micro_batch_size_per_gpu=2 \
    data.max_length=2048 \
    model.partial_pretrain=Qwen/Qwen2.5-0.5B-Instruct
