read -r -d '' usage <<EOF
openrlhf.cli.train_sft \
   --pretrain Qwen/Qwen2.5-0.5B --micro_train_batch_size 2 --train_batch_size 32
EOF
echo "$usage"
