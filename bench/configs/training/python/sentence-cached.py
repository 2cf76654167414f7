from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, SentenceTransformerTrainingArguments
from sentence_transformers.losses import CachedMultipleNegativesRankingLoss

model = SentenceTransformer("BAAI/bge-base-en-v1.5")
args = SentenceTransformerTrainingArguments(output_dir="o", per_device_train_batch_size=1024)
loss = CachedMultipleNegativesRankingLoss(model, mini_batch_size=32)
SentenceTransformerTrainer(model=model, args=args, train_dataset=pairs, loss=loss).train()
