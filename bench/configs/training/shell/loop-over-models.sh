#!/bin/bash
names=(
    "Qwen/Qwen2.5-1.5B"
    "deepseek-ai/deepseek-math-7b-base"
)
stages=("examples/deepspeed/ds_z2_config.json")

for i in "${!names[@]}"; do
    name=${names[$i]}
    for data in algebra geometry; do
        llamafactory-cli train \
            --deepspeed ${stages[0]} \
            --stage sft \
            --do_train True \
            --model_name_or_path ${name} \
            --dataset ${data} \
            --template default \
            --finetuning_type full \
            --output_dir out/${name}/${data} \
            --per_device_train_batch_size 6 \
            --gradient_accumulation_steps 2 \
            --cutoff_len 3072 \
            --bf16 True
    done
done
