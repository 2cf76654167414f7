from datasets import load_dataset
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, losses
from sentence_transformers.training_args import SentenceTransformerTrainingArguments

model = SentenceTransformer("distilbert/distilbert-base-uncased")
model.max_seq_length = 110
data = {
    "nli": load_dataset("sentence-transformers/all-nli", "triplet", split="train"),
    "sts": load_dataset("sentence-transformers/stsb", split="train"),
}
trainer = SentenceTransformerTrainer(
    model=model,
    args=SentenceTransformerTrainingArguments(output_dir="o", per_device_train_batch_size=28, optim="sgd"),
    train_dataset=data,
    loss={"nli": losses.TripletLoss(model), "sts": losses.CoSENTLoss(model)},
)
trainer.train()
