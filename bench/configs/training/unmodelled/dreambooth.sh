#!/bin/bash
export OUTPUT_DIR="runs/corgi"

accelerate launch --mixed_precision fp16 train_dreambooth_lora.py \
  --pretrained_model_name_or_path="stable-diffusion-v1-5/stable-diffusion-v1-5" \
  --instance_data_dir=photos/corgi \
  --instance_prompt="a photo of sks corgi" \
  --resolution=512 \
  --train_batch_size=2 \
  --gradient_accumulation_steps=4 \
  --output_dir=$OUTPUT_DIR
