from sklearn.linear_model import LogisticRegression
from transformers import AutoTokenizer

batch_size = 64
LogisticRegression().fit(x, y)
tokenizer.train(files, trainer=BpeTrainer(vocab_size=1000))
