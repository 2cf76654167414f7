#!/bin/bash
NGPU=8 CONFIG_FILE="./conf/llama3_8b.toml" ./run_train.sh --training.steps 100
