swift sft --model Qwen/Qwen2.5-14B-Instruct --train_type lora --quant_method bnb --quant_bits 4 --bnb_4bit_use_double_quant false \
  --torch_dtype bfloat16 --dataset notes.jsonl --max_length 1280
