python run_glue.py --model_name_or_path google-bert/bert-base-uncased --task_name cola --per_device_train_batch_size 16 --max_seq_length 128 --seed 1 --do_train
python run_glue.py --model_name_or_path google-bert/bert-base-uncased --task_name cola --per_device_train_batch_size 16 --max_seq_length 128 --seed 2 --do_train
