"""Drives the batch-size finders of other libraries against a simulated device: a model whose memory is a curve.

Reads one JSON list of devices ({"fixedGib", "gibPerSample", "usableGib"}) on stdin and prints one JSON list of
{"finder", "device", "answer", "sizes", "outOfMemory"}; `sizes` are the batch sizes of the trials, in order.
"""

import json
import logging
import sys
import warnings

import accelerate
import lightning
import torch
from accelerate.utils import find_executable_batch_size
from lightning.pytorch.tuner import Tuner

warnings.filterwarnings("ignore")
logging.getLogger("lightning").setLevel(logging.ERROR)
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

LIGHTNING_START = 2  # scale_batch_size's own default
ACCELERATE_STARTS = (128, 1024)  # its own default, and one from above


class Device:
    def __init__(self, facts):
        self._facts = facts
        self.sizes = []
        self.out_of_memory = 0

    def run(self, batch_size):
        """One trial. Each size counts once, however many steps a finder makes."""
        if not self.sizes or self.sizes[-1] != batch_size:
            self.sizes.append(batch_size)
        if self._facts["fixedGib"] + self._facts["gibPerSample"] * batch_size > self._facts["usableGib"]:
            self.out_of_memory += 1
            raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate more than there is.")


class Curve(lightning.LightningModule):
    def __init__(self, device):
        super().__init__()
        self.batch_size = LIGHTNING_START
        self._device_model = device
        self._weight = torch.nn.Parameter(torch.zeros(1))

    def training_step(self, batch, _index):
        self._device_model.run(self.batch_size)
        return self._weight.sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.zeros(100_000, 1), batch_size=self.batch_size)


def scale_batch_size(mode, device):
    trainer = lightning.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False,
                                enable_progress_bar=False, enable_model_summary=False)
    return Tuner(trainer).scale_batch_size(Curve(device), mode=mode, init_val=LIGHTNING_START)


def executable_batch_size(start, device):
    @find_executable_batch_size(starting_batch_size=start)
    def train(batch_size):
        device.run(batch_size)
        return batch_size

    return train()


FINDERS = {
    "lightning power": lambda device: scale_batch_size("power", device),
    "lightning binsearch": lambda device: scale_batch_size("binsearch", device),
    **{f"accelerate from {start}": lambda device, start=start: executable_batch_size(start, device)
       for start in ACCELERATE_STARTS},
}


def main():
    answers, sys.stdout = sys.stdout, sys.stderr  # a library that prints must not break the answer
    runs = []
    for index, facts in enumerate(json.load(sys.stdin)):
        for name, find in FINDERS.items():
            device = Device(facts)
            runs.append({"finder": name, "device": index, "answer": find(device), "sizes": device.sizes,
                         "outOfMemory": device.out_of_memory})
    versions = {"lightning": lightning.__version__, "accelerate": accelerate.__version__}
    print(json.dumps({"versions": versions, "runs": runs}), file=answers)


if __name__ == "__main__":
    main()
