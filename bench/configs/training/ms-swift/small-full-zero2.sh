NPROC_PER_NODE=8 swift sft --model Qwen/Qwen3-1.7B --train_type full --torch_dtype bfloat16 --dataset short.jsonl \
  --per_device_train_batch_size 4 --gradient_accumulation_steps 1 --max_length 3400 --deepspeed zero2
