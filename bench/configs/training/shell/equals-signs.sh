accelerate launch --num_processes=2 run_mlm.py --model_name_or_path=FacebookAI/xlm-roberta-base \
  --per_device_train_batch_size=22 --gradient_accumulation_steps=2 --max_seq_length=384 --fp16 --do_train
