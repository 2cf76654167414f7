#!/bin/bash
torchrun --nproc_per_node 4 train.py \
  --model_name_or_path meta-llama/Llama-3.2-1B \
  --per_device_train_batch_size 8 \
  --gradient_accumulation_steps 4 \
  --max_seq_length 2048 --bf16 True --learning_rate 2e-5
