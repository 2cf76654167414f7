#!/bin/bash
# A size by name, and half precision where a test of the file's own says so.
SIZE=${1:-middle}
HALF=yes
case $SIZE in
  small) BATCH=4 ;;
  middle | usual) BATCH=18 ;;
  *) BATCH=40 ;;
esac
[ "$HALF" = yes ] && TYPE="--bf16 True" || TYPE="--fp16 True"
[ -z "$STEPS" ] && STEPS=7

mkdir -p out && python finetune.py \
  --model_name_or_path google-bert/bert-base-cased --max_seq_length 208 --optim adafactor \
  --per_device_train_batch_size $BATCH --gradient_accumulation_steps $STEPS $TYPE --output_dir out
