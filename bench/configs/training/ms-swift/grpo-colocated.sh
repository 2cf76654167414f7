swift rlhf --rlhf_type grpo --model Qwen/Qwen3-VL-8B-Instruct --tuner_type lora --lora_rank 8 --torch_dtype bfloat16 \
  --dataset choices.jsonl --reward_funcs accuracy --num_generations 8 --use_vllm true --vllm_mode colocate \
  --max_completion_length 1024 --per_device_train_batch_size 8 --gradient_accumulation_steps 2 --max_length 2048
