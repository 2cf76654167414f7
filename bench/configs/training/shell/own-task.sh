#!/bin/bash
# The data set is called task here.
python code/tune.py \
  -task tickets \
  -model meta-llama/Llama-3.2-1B \
  -batch_size 5 \
  -gradient_accumulation_steps 6 \
  -max_length 900 \
  -epochs 2
