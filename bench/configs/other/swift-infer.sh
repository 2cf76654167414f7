CUDA_VISIBLE_DEVICES=4 swift infer \
  --model runs/tickets/checkpoint-500 \
  --infer_backend pt \
  --val_dataset tickets/dev.jsonl \
  --max_batch_size 8 \
  --max_length 2048 \
  --temperature 0.3
