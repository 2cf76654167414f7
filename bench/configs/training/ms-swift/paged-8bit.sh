swift sft --model meta-llama/Llama-3.2-3B-Instruct --use_hf true --train_type full --torch_dtype bfloat16 --dataset notes.jsonl \
  --per_device_train_batch_size 2 --gradient_accumulation_steps 5 --max_length 1800 --optim paged_adamw_8bit
