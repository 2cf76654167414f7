import argparse

from transformers import AutoTokenizer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=8)
parser.add_argument("--model", default="gpt2")
args = parser.parse_args()
AutoTokenizer.from_pretrained(args.model).save_pretrained("out")
TrainingArguments("out", per_device_train_batch_size=args.batch_size).to_json_string()
