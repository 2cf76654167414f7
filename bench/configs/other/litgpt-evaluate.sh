litgpt evaluate checkpoints/microsoft/phi-2 --batch_size 16 --tasks hellaswag
litgpt merge_lora out/lora/final
litgpt serve out/lora/final
