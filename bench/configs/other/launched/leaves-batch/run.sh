python prepare.py --batch-size 16 --model gpt2
accelerate launch --num_processes 2 evaluate.py --per_device_eval_batch_size 8
