from sentence_transformers import SentenceTransformer
from sklearn.linear_model import LogisticRegression

encoder = SentenceTransformer("all-MiniLM-L6-v2")
classifier = LogisticRegression(max_iter=400)
classifier.fit(encoder.encode(texts, batch_size=64), labels)
