import hydra
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments


@hydra.main(version_base=None, config_path="conf", config_name="evaluate")
def main(cfg):
    for name in cfg.models:
        model = AutoModelForSequenceClassification.from_pretrained(name)
        print(score(model, batch_size=cfg.batch_size))


if __name__ == "__main__":
    main()
