torchrun --nproc_per_node=8 torchtitan/train.py --model.flavor=8B --training.local-batch-size=2 --compile.enable --optimizer.implementation for-loop
