COMMON="--model_name_or_path FacebookAI/roberta-base --per_device_train_batch_size 24 --max_seq_length 256"
python3 -m torch.distributed.run --nproc_per_node=2 finetune.py $COMMON --weight_decay 0.01 --output_dir out
