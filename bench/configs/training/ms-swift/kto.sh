swift rlhf --rlhf_type kto --model Qwen/Qwen2.5-1.5B-Instruct --train_type lora --torch_dtype bfloat16 --dataset liked.jsonl \
  --per_device_train_batch_size 4 --gradient_accumulation_steps 4 --max_length 1024
