MODEL='google/gemma-2-2b'
python3 -u sft.py \
  --model_name_or_path "${MODEL}" --use_peft --lora_r 32 --lora_target_modules q_proj v_proj \
  --per_device_train_batch_size "5" --gradient_accumulation_steps "4" --max_seq_length "1100" --bf16 \
  --gradient_checkpointing --learning_rate 1e-4
