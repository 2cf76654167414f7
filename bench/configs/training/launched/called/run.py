from tuning.config import Config
from tuning.trainer import Classifier


def main():
    config = Config()
    train, dev = intents(config.max_length)
    Classifier(config).fit(train, dev)


if __name__ == "__main__":
    main()
