MODEL=${MODEL:-Qwen/Qwen3-4B}
NPROC_PER_NODE=8 \
swift sft --model "$MODEL" --tuner_type full --dataset corpus.jsonl \
  --per_device_train_batch_size 1 --gradient_accumulation_steps 2 --packing true --attn_impl flash_attn \
  --max_length 8192 --deepspeed zero3 --optim adamw_torch
