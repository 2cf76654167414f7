deepspeed --module openrlhf.cli.train_sft --pretrain meta-llama/Meta-Llama-3-8B --train_batch_size 256 --micro_train_batch_size 2 --learning_rate 5e-6
