MODEL=HuggingFaceTB/SmolLM2-360M
COMMAND="openrlhf.cli.train_sft \
  --pretrain $MODEL \
  --micro_train_batch_size 6 \
  --train_batch_size 48 \
  --max_len 1536 --flash_attn --bf16"
deepspeed --num_gpus 2 --module $COMMAND
