BF16="${BF16:-1}"
FLAGS=()
if [[ "$BF16" == "1" ]]; then FLAGS+=(--bf16); fi
if [[ "${CHECKPOINTING:-1}" == "1" ]]; then FLAGS+=(--gradient_checkpointing); fi
if [[ "${QLORA:-0}" == "1" ]]; then FLAGS+=(--load_in_4bit); fi
torchrun --nproc_per_node 2 sft.py \
  --model_name_or_path Qwen/Qwen2.5-0.5B \
  --per_device_train_batch_size 4 --gradient_accumulation_steps 2 \
  --max_length 1024 "${FLAGS[@]}"
