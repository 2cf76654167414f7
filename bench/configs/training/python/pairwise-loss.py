"""Scores two answers in one forward pass, by a loss of its own."""
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments

tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen2.5-0.5B")
model = AutoModelForSequenceClassification.from_pretrained("Qwen/Qwen2.5-0.5B", num_labels=1, torch_dtype="bfloat16")


class PairTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        scores = model(**inputs).logits.squeeze(-1)
        half = scores.shape[0] // 2
        return (1 - scores[:half] + scores[half:]).clamp(min=0).mean()


def encode(row):
    return tokenizer(row["answer"], max_length=384, truncation=True)


arguments = TrainingArguments(
    output_dir="pairs",
    per_device_train_batch_size=6,
    gradient_accumulation_steps=2,
    bf16=True,
    optim="adamw_torch",
)
PairTrainer(model=model, args=arguments, train_dataset=answers.map(encode), data_collator=both).train()
