swift deploy --model Qwen/Qwen2.5-7B-Instruct --infer_backend vllm --max_new_tokens 512
swift infer --adapters runs/tickets/checkpoint-100 --max_batch_size 8
