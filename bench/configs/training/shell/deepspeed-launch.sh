deepspeed --num_gpus 4 finetune.py \
    --model_name_or_path facebook/opt-1.3b \
    --per_device_train_batch_size 10 \
    --gradient_accumulation_steps 2 \
    --max_seq_length 700 \
    --learning_rate 2e-5 \
    --fp16
