NPROC_PER_NODE=4 swift sft --model Qwen/Qwen2.5-7B-Instruct --dataset shop.jsonl legal.jsonl \
  --train_type full --torch_dtype bfloat16 --deepspeed zero3 --attn_impl flash_attn --padding_free true \
  --per_device_train_batch_size 3 --gradient_accumulation_steps 4 --max_length 2600 \
  --use_liger_kernel true --enable_channel_loss true
