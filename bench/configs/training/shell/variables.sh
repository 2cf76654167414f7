set -euo pipefail
MODEL="google-bert/bert-base-uncased"
BATCH=32   # of one GPU
python run_glue.py --model_name_or_path $MODEL --task_name mrpc \
    --per_device_train_batch_size ${BATCH} --max_seq_length 128 --do_train
