from lightning.pytorch.cli import LightningCLI
from reviews.data import Reviews
from reviews.model import Reviewer


class ReviewCLI(LightningCLI):
    def add_arguments_to_parser(self, parser):
        parser.set_defaults({"data.max_length": 192})
        parser.link_arguments("data.labels", "model.num_labels")


def main():
    ReviewCLI(Reviewer, Reviews, trainer_defaults={"precision": "bf16-mixed"})


if __name__ == "__main__":
    main()
