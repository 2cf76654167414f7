CUDA_VISIBLE_DEVICES=0,1,2,3 swift sft --model Qwen/Qwen2.5-32B-Instruct --train_type lora --dataset d.jsonl --per_device_train_batch_size 1
