#!/bin/bash
BATCH=32
torchrun --nproc_per_node 2 train.py \
    --batch-size $BATCH --grad-accum 4 \
    --lr 3e-5 --fp16
