python -m openrlhf.cli.lora_combiner --model_path base --lora_path adapters --output_path merged --bf16
