#!/bin/bash
python finetune.py \
    --base_model huggyllama/llama-7b \
    --micro_batch_size 32 \
    --batch_size 64 \
    --cutoff_len 512 \
    --lora_target_modules '[q_proj,k_proj,v_proj,o_proj]'
