litgpt download meta-llama/Llama-3.2-1B
litgpt chat checkpoints/meta-llama/Llama-3.2-1B
litgpt convert_to_litgpt out/finetune --model_name Llama-3.2-1B
