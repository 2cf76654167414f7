#!/bin/bash
torchrun --nnodes 2 --nproc_per_node 8 --rdzv_backend c10d -m torchtitan.train \
  --model.name llama3 --model.flavor 70B \
  --training.local_batch_size 4 --training.seq_len 4096 \
  --parallelism.tensor_parallel_degree 4 --activation_checkpoint.mode full
