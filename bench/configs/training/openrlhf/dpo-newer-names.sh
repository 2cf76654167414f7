deepspeed --num_gpus 4 --module openrlhf.cli.train_dpo \
   --model.model_name_or_path Qwen/Qwen2.5-1.5B-Instruct \
   --data.dataset pairs.jsonl --data.max_len 1024 \
   --train.batch_size 64 --train.micro_batch_size 2 \
   --ds.zero_stage 2 --ds.param_dtype bf16 --model.beta 0.05
