from sentence_transformers import SentenceTransformer, util
from sklearn.linear_model import LogisticRegression

model = SentenceTransformer("sentence-transformers/all-MiniLM-L6-v2")
vectors = model.encode(open("tickets.txt").read().splitlines(), batch_size=64)
print(util.cos_sim(vectors[:1], vectors[1:]).max())
