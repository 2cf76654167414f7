GLOBAL=256
PER_GPU=$((GLOBAL / 8))
torchrun --nproc_per_node 8 train.py --model_name_or_path google-bert/bert-base-uncased \
  --per_device_train_batch_size $PER_GPU --max_seq_length 128
