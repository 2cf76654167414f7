#!/usr/bin/env bash
# Four cards of one machine.
set -e

trl dpo \
  --model_name_or_path HuggingFaceTB/SmolLM2-360M-Instruct \
  --dataset_name acme/preferences \
  --accelerate_config zero2 \
  --num_processes 4 \
  --per_device_train_batch_size 2 \
  --gradient_accumulation_steps 8 \
  --max_length 1536 \
  --dtype bfloat16 \
  --output_dir out/dpo
