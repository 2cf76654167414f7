import csv

from sentence_transformers import InputExample, SentenceTransformer, losses
from torch.utils.data import DataLoader

BATCH = 18
similarity = SentenceTransformer("sentence-transformers/paraphrase-MiniLM-L6-v2")
with open("pairs.csv") as file:
    examples = [InputExample(texts=[row["left"], row["right"]], label=float(row["score"])) for row in csv.DictReader(file)]
loader = DataLoader(examples, shuffle=True, batch_size=BATCH)
similarity.fit(
    train_objectives=[(loader, losses.CosineSimilarityLoss(similarity))],
    epochs=3,
    warmup_steps=50,
    use_amp=True,
)
