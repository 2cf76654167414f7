deepspeed --module openrlhf.cli.train_sft --pretrain Qwen/Qwen2.5-0.5B --dataset chats.jsonl --apply_chat_template
