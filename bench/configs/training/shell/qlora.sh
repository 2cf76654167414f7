CUDA_VISIBLE_DEVICES=0 python trl/scripts/sft.py --model_name_or_path mistralai/Mistral-7B-v0.1 \
  --load_in_4bit --use_peft --lora_r 32 --lora_target_modules q_proj v_proj \
  --per_device_train_batch_size 2 --gradient_accumulation_steps 8 --max_length 1024 --dataset_name acme/chat
