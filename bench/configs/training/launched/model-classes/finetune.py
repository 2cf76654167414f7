import argparse

from torch.optim import AdamW
from torch.utils.data import DataLoader
from transformers import BertConfig, BertForSequenceClassification, RobertaConfig, RobertaForSequenceClassification

KINDS = {
    "bert": (BertConfig, BertForSequenceClassification),
    "roberta": (RobertaConfig, RobertaForSequenceClassification),
}


def fit(options, rows, model):
    optimizer = AdamW([{"params": list(model.parameters()), "weight_decay": 0.01}], lr=2e-5)
    for number, batch in enumerate(DataLoader(rows, batch_size=options.batch)):
        model(**batch.to("cuda"))[0].backward()
        if (number + 1) % options.accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", required=True)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--accumulate", type=int, default=2)
    options = parser.parse_args()
    config_class, model_class = KINDS[options.kind]
    config = config_class.from_pretrained(options.checkpoint, num_labels=3)
    fit(options, rows_of("train.tsv"), model_class.from_pretrained(options.checkpoint, config=config))


main()
