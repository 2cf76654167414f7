litgpt finetune_lora meta-llama/Llama-3.2-1B --data JSON --train.micro_batch_size 4 --train.global_batch_size 16 \
  --train.max_seq_length 512 --precision bf16-true
