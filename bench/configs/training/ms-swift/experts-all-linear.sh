CUDA_VISIBLE_DEVICES=1 swift sft --model openai/gpt-oss-20b --train_type lora --torch_dtype bfloat16 --dataset psychology.jsonl \
  --per_device_train_batch_size 1 --router_aux_loss_coef 1e-3 --lora_rank 8 --target_modules all-linear --max_length 2048
