torchrun --nproc_per_node 2 swift/cli/sft.py --model Qwen/Qwen3-8B --tuner_type lora --torch_dtype bfloat16 --dataset self.jsonl \
  --per_device_train_batch_size 10 --gradient_accumulation_steps 2 --max_length 1200
