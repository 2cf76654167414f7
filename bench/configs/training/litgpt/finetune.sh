set -e
litgpt finetune \
  --checkpoint_dir checkpoints/microsoft/phi-2 \
  --data Alpaca2k \
  --train.micro_batch_size=2 \
  --train.max_seq_length=256
