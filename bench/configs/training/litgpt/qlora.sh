litgpt finetune_lora checkpoints/mistralai/Mistral-7B-v0.3 --quantize bnb.nf4 --precision bf16-true --lora_r 16 \
  --train.micro_batch_size 1 --train.max_seq_length 1024
