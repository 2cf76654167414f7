python scripts/checkpoint_conversion/convert_from_hf.py ./Llama-3.1-8B ./out --model_name llama3 --model_flavor 8B
