nproc_per_node=4

NPROC_PER_NODE=$nproc_per_node \
swift sft \
    --model Qwen/Qwen2.5-1.5B-Instruct \
    --dataset my-data.jsonl \
    --tuner_type lora \
    --torch_dtype bfloat16 \
    --per_device_train_batch_size 2 \
    --gradient_accumulation_steps $(expr 32 / $nproc_per_node) \
    --max_length 2048 \
    --deepspeed zero2
