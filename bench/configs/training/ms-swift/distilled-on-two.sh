# The distilled model of 7 B on the last two cards.
CUDA_VISIBLE_DEVICES=2,3 NPROC_PER_NODE=2 swift sft \
  --model /models/DeepSeek-R1-Distill-Qwen-7B \
  --train_type full --torch_dtype bfloat16 \
  --dataset calls/train.jsonl \
  --per_device_train_batch_size 4 \
  --gradient_accumulation_steps 32 \
  --max_length 4500 --deepspeed zero3
