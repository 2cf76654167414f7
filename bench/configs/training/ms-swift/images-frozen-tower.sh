CUDA_VISIBLE_DEVICES=0 swift sft --model Qwen/Qwen3-VL-2B-Instruct --train_type lora --freeze_vit true --torch_dtype bfloat16 \
  --dataset captions.jsonl --per_device_train_batch_size 2 --gradient_accumulation_steps 4 --max_length 8192
