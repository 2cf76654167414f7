import argparse

from transformers import AutoModelForMaskedLM, AutoTokenizer, Trainer, TrainingArguments


def options():
    parser = argparse.ArgumentParser(description="Continue pretraining")
    parser.add_argument("--base", type=str, default="roberta-base")
    parser.add_argument("--batch-size", "-b", type=int, default=48)
    parser.add_argument("--accumulate", type=int, default=2)
    parser.add_argument("--length", type=int, default=256)
    parser.add_argument("--half", action="store_true")
    return parser.parse_args()


def main():
    args = options()
    tokenizer = AutoTokenizer.from_pretrained(args.base)
    model = AutoModelForMaskedLM.from_pretrained(args.base)
    encode = lambda rows: tokenizer(rows["text"], truncation=True, max_length=args.length)
    training = TrainingArguments(
        output_dir="mlm",
        per_device_train_batch_size=args.batch_size,
        gradient_accumulation_steps=args.accumulate,
        fp16=args.half,
    )
    Trainer(model=model, args=training, train_dataset=data.map(encode)).train()


if __name__ == "__main__":
    main()
