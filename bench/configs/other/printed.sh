echo "torchrun train.py --model_name_or_path google-bert/bert-base-uncased --per_device_train_batch_size 8"
