PER_GPU=2
NPROC_PER_NODE=8 swift sft --model /models/Qwen3-32B --train_type full --torch_dtype bfloat16 --dataset calls/train.jsonl \
  --per_device_train_batch_size $PER_GPU --gradient_accumulation_steps 32 --max_length 4000 --deepspeed zero3 \
  --attn_impl flash_attn --use_liger_kernel true --packing true
