torchrun --nproc_per_node 8 -m swift.cli.sft \
  --model Qwen/Qwen3-4B --train_type full --dataset notes.jsonl \
  --per_device_train_batch_size 2 --gradient_accumulation_steps 5 --max_length 3000 \
  --torch_dtype bfloat16 --deepspeed zero3
