deepspeed --module openrlhf.cli.batch_inference --eval_task rm --pretrain out/rm --max_len 2048 --micro_batch_size 8 --zero_stage 0
python -m openrlhf.cli.serve_rm --reward_pretrain out/rm --port 5000 --batch_size 16
