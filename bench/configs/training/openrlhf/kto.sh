deepspeed --module openrlhf.cli.train_kto --pretrain Qwen/Qwen2.5-0.5B --micro_train_batch_size 1 --train_batch_size 64
