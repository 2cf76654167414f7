swift sft --model Qwen/Qwen2.5-7B-Instruct --train_type lora --adapters runs/first/checkpoint-265 --torch_dtype bfloat16 \
  --dataset notes.jsonl --per_device_train_batch_size 2 --gradient_accumulation_steps 8 --max_length 6144
