import argparse

from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model-name", default="google-bert/bert-base-uncased")
    parser.add_argument("--batch-size", "-b", type=int, default=8)
    parser.add_argument("--grad-accum", type=int, default=1)
    parser.add_argument("--fp16", action="store_true")
    parser.add_argument("--lr", type=float, default=2e-5)
    return parser.parse_args()


def main():
    args = parse_args()
    model = AutoModelForSequenceClassification.from_pretrained(args.model_name)
    arguments = TrainingArguments(
        output_dir="out",
        per_device_train_batch_size=args.batch_size,
        gradient_accumulation_steps=args.grad_accum,
        learning_rate=args.lr,
        fp16=args.fp16,
    )
    Trainer(model=model, args=arguments, train_dataset=load_dataset("imdb", split="train")).train()


if __name__ == "__main__":
    main()
