from sentence_transformers import InputExample, SentenceTransformer, losses, models
from torch.utils.data import DataLoader

words = models.Transformer("google-bert/bert-base-uncased")
parts = [words, models.Pooling(768), models.Dense(in_features=768, out_features=256)]
model = SentenceTransformer(modules=parts)
loader = DataLoader([InputExample(texts=["a", "b"], label=1)], batch_size=7)
model.fit(train_objectives=[(loader, losses.ContrastiveLoss(model))])
