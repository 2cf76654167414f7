from sentence_transformers import CrossEncoder, InputExample
from torch.utils.data import DataLoader

reranker = CrossEncoder("cross-encoder/ms-marco-MiniLM-L6-v2", num_labels=1, max_length=224)
samples = [InputExample(texts=["query", "passage"], label=1.0)]
train_dataloader = DataLoader(samples, shuffle=True, batch_size=26)
reranker.fit(train_dataloader=train_dataloader, epochs=1, warmup_steps=10)
