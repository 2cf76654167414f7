MODEL_ID="${MODEL_ID:-Qwen/Qwen3-8B}"
BATCH="${BATCH:-1}"
GRAD_ACC="${GRAD_ACC:-12}"
MAX_LEN="${MAX_LEN:-2560}"
NPROC="${NPROC:-2}"

NPROC_PER_NODE="$NPROC" swift sft \
  --model "$MODEL_ID" \
  --train_type lora \
  --lora_rank "${LORA_RANK:-8}" \
  --torch_dtype bfloat16 \
  --dataset tatsu-lab/alpaca#500 \
  --per_device_train_batch_size "$BATCH" \
  --gradient_accumulation_steps "$GRAD_ACC" \
  --max_length "$MAX_LEN"
