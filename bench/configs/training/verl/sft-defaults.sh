#!/bin/bash
set -x

torchrun --standalone --nnodes=1 --nproc_per_node=2 -m verl.trainer.fsdp_sft_trainer \
    data.train_files=data/train.parquet \
    model.partial_pretrain=Qwen/Qwen2.5-0.5B-Instruct
