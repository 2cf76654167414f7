NPROC_PER_NODE=2 swift sft --model Qwen/Qwen2.5-7B-Instruct --train_type lora --per_device_train_batch_size 1 --learning_rate 1e-4
