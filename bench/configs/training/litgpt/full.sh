litgpt finetune_full EleutherAI/pythia-410m --train.micro_batch_size 8 --train.global_batch_size 32 --train.max_seq_length 512 --precision 32-true
