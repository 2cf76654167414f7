PY=/opt/conda/bin/python
export NPROC_PER_NODE=2
${PY} -m swift.cli.main rlhf \
    --rlhf_type dpo \
    --model Qwen/Qwen2.5-1.5B-Instruct \
    --train_type lora \
    --per_device_train_batch_size 3 \
    --gradient_accumulation_steps 12 \
    --max_length 1400 \
    --torch_dtype bfloat16
