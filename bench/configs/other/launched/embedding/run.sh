python embed.py --batch-size 256
