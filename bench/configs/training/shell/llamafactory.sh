FORCE_TORCHRUN=1 NPROC_PER_NODE=2 llamafactory-cli train \
  --stage sft --do_train True --model_name_or_path meta-llama/Llama-3.2-1B \
  --finetuning_type lora --template llama3 --cutoff_len 1024 --dataset alpaca \
  --per_device_train_batch_size 3 --gradient_accumulation_steps 8 --bf16 True --lora_rank 8
