#!/bin/bash
BASE_PATH=${1-"/data/project"}

OPTS=""
OPTS+=" --model_name_or_path openai-community/gpt2-medium"
OPTS+=" --output_dir ${BASE_PATH}/results/"`date +"%Y%m%d-%H%M%S"`
OPTS+=" --teacher-ckpt ${TEACHER}"
# batch
OPTS+=" --per_device_train_batch_size 6"
OPTS+=" --gradient_accumulation_steps 4"
OPTS+=" --bf16"
OPTS+=" --max_seq_length 512 --num_train_epochs 3"

CMD="torchrun --nproc_per_node 2 --master_port 29501 ${BASE_PATH}/finetune.py ${OPTS}"
echo "${CMD}"
${CMD} 2>&1 | tee train.log
