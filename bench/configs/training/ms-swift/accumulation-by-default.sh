NPROC_PER_NODE=4 swift sft --model Qwen/Qwen3-4B --train_type lora --torch_dtype bfloat16 --dataset notes.jsonl \
  --per_device_train_batch_size 2 --max_length 3072
