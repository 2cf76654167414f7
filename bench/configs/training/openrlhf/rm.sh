NUM_GPUS=${NUM_GPUS:-4}
deepspeed --num_gpus $NUM_GPUS --module openrlhf.cli.train_rm \
   --pretrain meta-llama/Llama-3.2-3B-Instruct \
   --train_batch_size 64 \
   --micro_train_batch_size 2 \
   --max_len 1024 --zero_stage 3 --bf16 --flash_attn \
   --value_head_prefix score --gradient_checkpointing
