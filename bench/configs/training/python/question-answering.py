import argparse

from datasets import load_dataset
from transformers import AutoModelForQuestionAnswering, AutoTokenizer, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--max_seq_length", type=int, default=384)
args = parser.parse_args()
tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")
max_seq_length = min(args.max_seq_length, tokenizer.model_max_length)


def prepare(examples):
    return tokenizer(
        examples["question"],
        examples["context"],
        truncation="only_second",
        max_length=max_seq_length,
        stride=128,
        padding="max_length",
    )


squad = load_dataset("squad").map(prepare, batched=True)
model = AutoModelForQuestionAnswering.from_pretrained("bert-base-cased")
training_args = TrainingArguments(output_dir="qa", per_device_train_batch_size=12, fp16=True, optim="adamw_torch")
Trainer(model=model, args=training_args, train_dataset=squad["train"]).train()
