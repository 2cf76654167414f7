set -x
OUT=checkpoints/sft-qwen

read -r -d '' sft_command <<EOF
openrlhf.cli.train_sft \
   --max_len 2048 \
   --dataset $OUT/train.jsonl \
   --train_batch_size 64 \
   --micro_train_batch_size 4 \
   --pretrain Qwen/Qwen2.5-1.5B \
   --save_path $OUT \
   --zero_stage 3 \
   --bf16 \
   --attn_implementation flash_attention_2 \
   --gradient_checkpointing
EOF

if [[ ${1} != "slurm" ]]; then
    deepspeed --include localhost:0,1,2,3 --module $sft_command
fi
