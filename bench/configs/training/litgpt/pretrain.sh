litgpt pretrain pythia-14m --data TextFiles --train.micro_batch_size 4 --train.max_tokens 10000000
