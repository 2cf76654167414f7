fairseq-train data --arch transformer --max-tokens 4096 --lr 5e-4 --fp16
