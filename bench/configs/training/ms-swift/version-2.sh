swift sft --model_type qwen1half-7b-chat --sft_type lora --dataset alpaca-en --batch_size 1 --max_length 2048
