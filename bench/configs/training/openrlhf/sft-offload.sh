deepspeed --num_nodes 2 --num_gpus 4 --module openrlhf.cli.train_sft \
  --pretrain meta-llama/Llama-2-13b-hf --max_len 2048 \
  --train_batch_size 64 --micro_train_batch_size 1 \
  --zero_stage 2 --adam_offload --bf16 --flash_attn --gradient_checkpointing
