from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, SentenceTransformerTrainingArguments
from sentence_transformers.losses import CoSENTLoss

model = SentenceTransformer("all-MiniLM-L6-v2")
args = SentenceTransformerTrainingArguments(output_dir="o", per_device_eval_batch_size=32)
trainer = SentenceTransformerTrainer(model=model, args=args, eval_dataset=pairs, loss=CoSENTLoss(model))
print(trainer.evaluate())
