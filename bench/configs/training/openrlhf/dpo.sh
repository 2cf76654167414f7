deepspeed --num_gpus 8 --module openrlhf.cli.train_dpo \
   --save_path ./checkpoint/dpo \
   --train_batch_size 128 \
   --micro_train_batch_size 1 \
   --pretrain Qwen/Qwen2.5-7B-Instruct \
   --ref_pretrain Qwen/Qwen2.5-7B-Instruct \
   --bf16 --flash_attn --packing_samples \
   --max_len 2048 --zero_stage 3 --ref_offload \
   --beta 0.1 --learning_rate 5e-7 --gradient_checkpointing
