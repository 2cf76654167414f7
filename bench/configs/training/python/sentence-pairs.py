from datasets import load_dataset
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, SentenceTransformerTrainingArguments
from sentence_transformers.losses import MultipleNegativesRankingLoss

model = SentenceTransformer("sentence-transformers/all-MiniLM-L6-v2")
args = SentenceTransformerTrainingArguments(
    output_dir="runs/tickets",
    per_device_train_batch_size=64,
    num_train_epochs=1,
    fp16=True,
)
trainer = SentenceTransformerTrainer(
    model=model,
    args=args,
    train_dataset=load_dataset("json", data_files="tickets.jsonl", split="train"),
    loss=MultipleNegativesRankingLoss(model),
)
trainer.train()
