import argparse

from transformers import AutoModel

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=64)
args = parser.parse_args()
model = AutoModel.from_pretrained("BAAI/bge-base-en-v1.5").eval()
print(model, args.batch_size)
