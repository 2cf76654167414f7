deepspeed --num_gpus 8 --module openrlhf.cli.train_sft \
  --pretrain Qwen/Qwen2.5-7B --max_len 32768 \
  --ring_attn_size 4 --ring_head_stride 2 --packing_samples \
  --micro_train_batch_size 1 --train_batch_size 16 \
  --zero_stage 3 --bf16 --flash_attn --adam_offload --gradient_checkpointing
