accelerate launch --num_processes 4 sft.py --config recipes/sft.yaml --per_device_train_batch_size 4
