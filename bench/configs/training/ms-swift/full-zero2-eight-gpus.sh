#!/bin/bash
set -euo pipefail
BASE="/models/Qwen3-14B"
PER_GPU=4
STEPS=8

CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 \
NPROC_PER_NODE=8 \
PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True \
swift sft \
    --model "$BASE" \
    --train_type full \
    --torch_dtype bfloat16 \
    --dataset calls/train.jsonl \
    --per_device_train_batch_size $PER_GPU \
    --gradient_accumulation_steps $STEPS \
    --max_length 4500 \
    --deepspeed zero2 \
    --attn_impl flash_attn \
    --use_liger_kernel true \
    --padding_free true
