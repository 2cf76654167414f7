BATCH=20
if [ "${DEBUG:-0}" = "1" ]; then
  BATCH=1
fi
python run_glue.py --model_name_or_path google-bert/bert-base-cased --task_name mnli \
  --per_device_train_batch_size $BATCH --max_seq_length 144 --do_train
