#!/bin/bash
# LLaMA-Factory's own script, in a folder that is not in the repository.
LIST=0,1,2,3
IFS=',' read -ra CARDS <<< "$LIST"

CUDA_VISIBLE_DEVICES=$LIST torchrun --nproc_per_node ${#CARDS[@]} LLaMA-Factory/src/train.py \
    --stage sft \
    --do_train True \
    --model_name_or_path $MODELS/Llama-3.1-8B-Instruct \
    --finetuning_type lora \
    --lora_target all \
    --lora_rank 8 \
    --template llama3 \
    --dataset medical \
    --cutoff_len 1024 \
    --per_device_train_batch_size 4 \
    --gradient_accumulation_steps 8 \
    --optim adamw_torch \
    --bf16 True \
    --output_dir saves/medical
