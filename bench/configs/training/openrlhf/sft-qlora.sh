deepspeed --num_gpus 1 --module openrlhf.cli.train_sft \
  --pretrain Qwen/Qwen2.5-7B --load_in_4bit --lora_rank 16 \
  --micro_train_batch_size 1 --train_batch_size 16 \
  --max_len 2048 --zero_stage 2 --bf16 --flash_attn --gradient_checkpointing
