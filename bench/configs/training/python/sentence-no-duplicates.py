from sentence_transformers import SentenceTransformer, datasets, losses

from pairs import read_pairs


def main():
    model = SentenceTransformer("intfloat/e5-base-v2", model_kwargs={"attn_implementation": "eager"})
    model.max_seq_length = 192
    loader = datasets.NoDuplicatesDataLoader(read_pairs("train.tsv"), batch_size=36)
    loss = losses.MultipleNegativesRankingLoss(model)
    model.fit(train_objectives=[(loader, loss)], epochs=2, output_path="out")


if __name__ == "__main__":
    main()
