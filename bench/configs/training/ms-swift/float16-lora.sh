# For cards without bfloat16.
swift sft --model Qwen/Qwen2.5-3B-Instruct --train_type lora --torch_dtype float16 --dataset notes.jsonl \
  --per_device_train_batch_size 6 --gradient_accumulation_steps 3 --max_length 900
