set -e
poetry run python -m training.finetune \
  --base_model EleutherAI/pythia-410m --batch_size 15 --grad_accum 4 --max_length 600 --lr 1e-5 --bf16
