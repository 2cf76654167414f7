#!/usr/bin/env bash
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
ROOT="$(cd "$HERE/.." && pwd)"

torchrun --nproc_per_node 4 "$ROOT/train_sft.py" \
  --model_name_or_path Qwen/Qwen2.5-0.5B \
  --per_device_train_batch_size 7 \
  --gradient_accumulation_steps 3 \
  --model_max_length 1280 \
  --bf16 True \
  --output_dir "$ROOT/out"
