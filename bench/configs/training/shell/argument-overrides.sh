bs=28
while [ $# -gt 0 ]; do
  case "$1" in
    --bs) bs="$2"; shift ;;
  esac
  shift
done
python run_clm.py --model_name_or_path openai-community/gpt2 --per_device_train_batch_size "$bs" --block_size 512 --do_train
