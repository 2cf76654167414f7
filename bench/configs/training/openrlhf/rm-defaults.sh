deepspeed --num_gpus 8 --module openrlhf.cli.train_rm --pretrain Qwen/Qwen2.5-0.5B --flash_attn --bf16
