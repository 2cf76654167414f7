lm_eval --model hf --model_args pretrained=google-bert/bert-base-uncased --batch_size 8
python eval.py --model_name_or_path google-bert/bert-base-uncased --per_device_eval_batch_size 16
