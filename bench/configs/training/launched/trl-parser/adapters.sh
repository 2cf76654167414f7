#!/bin/bash
accelerate launch --num_processes 1 sft.py \
    --dataset_name trl-lib/Capybara\
    --model_name_or_path Qwen/Qwen2.5-1.5B-Instruct\
    --per_device_train_batch_size 6 \
    --gradient_accumulation_steps 3 \
    --max_length 640 \
    --use_peft --lora_r 24 --lora_alpha 48 --lora_target_modules q_proj k_proj v_proj \
    --attn_implementation flash_attention_2 \
    --output_dir out
