swift export --model Qwen/Qwen2.5-7B-Instruct --adapters runs/tickets/checkpoint-500 --merge_lora true
swift export --model runs/tickets/merged --quant_bits 4 --quant_method awq --dataset tickets/train.jsonl#256 --max_length 2048 --quant_batch_size 1
swift deploy --model runs/tickets/merged --infer_backend vllm --max_model_len 8192 --port 8000
