for bs in 8 16 32; do
  torchrun --nproc_per_node 2 train.py --model_name_or_path google-bert/bert-base-uncased \
    --per_device_train_batch_size $bs --max_seq_length 128 --bf16
done
