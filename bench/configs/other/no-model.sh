python train.py --batch_size 32 --lr 0.1 --epochs 90
