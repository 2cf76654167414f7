from sentence_transformers import InputExample, SentenceTransformer, losses, models
from torch.utils.data import DataLoader

words = models.Transformer("FacebookAI/xlm-roberta-base", max_seq_length=72)
pooling = models.Pooling(words.get_word_embedding_dimension(), pooling_mode_cls_token=True, pooling_mode_mean_tokens=False)
model = SentenceTransformer(modules=[words, pooling, models.Normalize()])
anchors = [InputExample(texts=["anchor", "positive", "negative"])]
model.fit([(DataLoader(anchors, batch_size=10, shuffle=True), losses.TripletLoss(model=model))], epochs=1)
