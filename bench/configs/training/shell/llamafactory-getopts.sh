#!/bin/bash
# Fine-tunes one answerer; -m another model, -b another micro-batch.

accumulate=4
while getopts "m:b:a:l:" option; do
  case $option in
    m) model=$OPTARG ;;
    b) batch=$OPTARG ;;
    a) accumulate=$OPTARG ;;
    l) length=$OPTARG ;;
    *) exit 2 ;;
  esac
done

llamafactory-cli train \
    --stage sft \
    --do_train \
    --model_name_or_path ${model:-Qwen/Qwen2.5-1.5B-Instruct} \
    --dataset answers \
    --template qwen \
    --finetuning_type lora \
    --lora_target all \
    --cutoff_len ${length:-1024} \
    --output_dir out \
    --per_device_train_batch_size ${batch:-6} \
    --gradient_accumulation_steps $accumulate \
    --bf16
