BS=${BS:-16}
accelerate launch --num_processes 2 run_clm.py \
  --model_name_or_path openai-community/gpt2 \
  --per_device_train_batch_size=$BS --block_size 512 --fp16 --do_train
