from datasets import load_dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.losses import MultipleNegativesRankingLoss
from sentence_transformers.training_args import BatchSamplers

encoder = SentenceTransformer("answerdotai/ModernBERT-base")
encoder.max_seq_length = 320
triplets = load_dataset("sentence-transformers/all-nli", "triplet", split="train").select(range(90_000))

arguments = SentenceTransformerTrainingArguments(
    output_dir="runs/triplets",
    per_device_train_batch_size=20,
    gradient_accumulation_steps=2,
    bf16=True,
    batch_sampler=BatchSamplers.NO_DUPLICATES,
)
SentenceTransformerTrainer(
    model=encoder,
    args=arguments,
    train_dataset=triplets,
    loss=MultipleNegativesRankingLoss(encoder),
).train()
