torchrun --nproc_per_node 2 -m openrlhf.cli.train_sft \
  --model.model_name_or_path Qwen/Qwen3-0.6B \
  --data.dataset train.jsonl \
  --data.max_len 1024 \
  --train.batch_size 32 \
  --train.micro_batch_size 8 \
  --ds.zero_stage 1 \
  --ds.packing_samples \
  --model.gradient_checkpointing_enable
