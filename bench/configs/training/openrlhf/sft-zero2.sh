#!/bin/bash
deepspeed --num_gpus 8 --module openrlhf.cli.train_sft \
  --pretrain meta-llama/Llama-3.1-8B \
  --dataset data/answers.jsonl \
  --input_key question --output_key answer \
  --max_len 4096 \
  --micro_train_batch_size 2 \
  --train_batch_size 128 \
  --zero_stage 2 \
  --bf16 --flash_attn --packing_samples \
  --gradient_checkpointing \
  --save_path out/sft
