ARGS=(
  --model_name_or_path Qwen/Qwen2.5-0.5B
  --per_device_train_batch_size 4
  --gradient_accumulation_steps 2
)
ARGS+=(--max_length 1024 --bf16)
deepspeed --num_gpus 8 sft.py "${ARGS[@]}" --learning_rate 1e-5 --torch_dtype bfloat16
