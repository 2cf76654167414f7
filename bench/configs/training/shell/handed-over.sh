#!/bin/bash
# Eight GPUs are what the job gets; accelerate says how many processes train.
python cluster/submit.py --gpus 8 --image trainer:2 -- accelerate launch \
  --num_processes 2 train.py \
  --model_name_or_path meta-llama/Llama-3.2-1B \
  --per_device_train_batch_size 4 \
  --gradient_accumulation_steps 8 \
  --max_seq_length 1024 --bf16 True --learning_rate 2e-5
