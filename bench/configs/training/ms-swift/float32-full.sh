swift sft --model Qwen/Qwen2.5-0.5B --train_type full --torch_dtype float32 --dataset notes.jsonl \
  --per_device_train_batch_size 8 --gradient_accumulation_steps 2 --max_length 700
