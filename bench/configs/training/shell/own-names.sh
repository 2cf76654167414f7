nohup python train.py --base-model google-bert/bert-base-cased --batch-size 48 --lr 3e-5 --epochs 4 --max-len 200 > log.txt 2>&1 &
