#!/usr/bin/env bash
# Adapters on one card, for support tickets.
export CUDA_VISIBLE_DEVICES=0

swift sft \
    --model Qwen/Qwen2.5-1.5B-Instruct \
    --train_type lora \
    --dataset 'tickets/train.jsonl#2000' \
    --val_dataset tickets/dev.jsonl \
    --torch_dtype bfloat16 \
    --num_train_epochs 2 \
    --per_device_train_batch_size 4 \
    --per_device_eval_batch_size 4 \
    --gradient_accumulation_steps 8 \
    --learning_rate 1e-4 \
    --lora_rank 16 \
    --lora_alpha 32 \
    --target_modules all-linear \
    --max_length 1536 \
    --output_dir runs/tickets
