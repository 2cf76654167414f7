swift sft --model meta-llama/Llama-3.1-8B-Instruct --use_hf true --train_type lora --quant_method bnb --quant_bits 4 \
  --dataset notes.jsonl --per_device_train_batch_size 2 --max_length 2048 --gradient_checkpointing true
