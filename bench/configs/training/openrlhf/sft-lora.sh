CUDA_VISIBLE_DEVICES=0,1 deepspeed --module openrlhf.cli.train_sft \
  --pretrain mistralai/Mistral-7B-v0.1 \
  --micro_train_batch_size 4 --train_batch_size 64 \
  --max_len 2048 --zero_stage 3 --bf16 --flash_attn \
  --lora_rank 32 --lora_alpha 32 --target_modules q_proj k_proj v_proj o_proj \
  --gradient_checkpointing
