litgpt finetune_adapter_v2 EleutherAI/pythia-410m --train.micro_batch_size 4
