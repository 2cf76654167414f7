cd examples
deepspeed ./train_sft.py --pretrain meta-llama/Llama-2-7b-hf \
    --micro_train_batch_size 8 --train_batch_size 128 \
    --max_len 1024 --zero_stage 2 --bf16 --flash_attn
