CUDA_VISIBLE_DEVICES=1 swift rlhf --rlhf_type dpo --model Qwen/Qwen2.5-0.5B-Instruct --train_type full --dataset pairs.jsonl \
  --per_device_train_batch_size 2 --gradient_accumulation_steps 4 --max_length 1024
