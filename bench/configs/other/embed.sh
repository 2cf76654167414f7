python embed.py --model_name BAAI/bge-base-en-v1.5 --batch_size 64 --input docs.jsonl
