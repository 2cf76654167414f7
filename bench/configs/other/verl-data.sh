python3 examples/data_preprocess/gsm8k.py --local_dir ~/data/gsm8k
