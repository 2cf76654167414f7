deepspeed --num_gpus 6 --module openrlhf.cli.train_sft --pretrain Qwen/Qwen2.5-0.5B --micro_train_batch_size 4 --train_batch_size 64 --bf16 --flash_attn
