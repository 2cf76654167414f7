"""The forward passes behind the losses of training methods."""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor

from .fused_cross_entropy import log_probabilities
from .requests import Spec

# Makes the context of a forward pass: CUDA's kernels and casts on the meta device, torch.autocast on a real one.
Kernels = Callable[[], AbstractContextManager[Any]]


def unwrapped(model: Any) -> Any:
    """The model without its DistributedDataParallel wrapper, if it has one."""
    return model.module if isinstance(model, torch.nn.parallel.DistributedDataParallel) else model


def rolled_log_probabilities(logits: Tensor, tokens: Tensor) -> Tensor:
    """OpenRLHF's models/actor.py: of all positions, whose labels are the tokens after them, with the last one's left out."""
    return log_probabilities(logits, tokens.roll(-1, dims=1), in_place=False)[:, :-1]


class Passes:
    """The forward passes of a training method over one batch. Each has its own context, and so its own autocast weight cache."""

    def __init__(self, model: Any, spec: Spec, batch: dict[str, Any], kernels: Kernels) -> None:
        self.model, self.spec, self.kernels = model, spec, kernels
        self.policy = unwrapped(model)
        self.labels = batch["labels"]
        self.inputs = {name: tensor for name, tensor in batch.items() if name != "labels"}
        # Copies of logits that TRL holds until its loss is computed.
        self.copies: list[Tensor] = []

    def logits(self, model: Any = None) -> Tensor:
        """Logits in float32, as accelerate's mixed precision and the code of LLaMA-Factory and torchtune return them."""
        with self.kernels():
            logits: Tensor = (model or self.model)(**self.inputs).logits
        return logits.float()

    def token_log_probabilities(self, logits: Tensor) -> Tensor:
        """The logits that TRL keeps, and the log-probabilities that LLaMA-Factory and torchtune do, are what counts."""
        style = self.spec["method"]["logProbabilities"]
        if style == "openrlhf":
            return rolled_log_probabilities(logits, self.labels)
        logits, tokens = logits[:, :-1], self.labels[:, 1:].unsqueeze(-1)
        if style == "trl-copied":
            logits = logits.contiguous()
            self.copies.append(logits.detach())
        if style in ("trl", "trl-copied"):
            selected = logits.gather(-1, tokens).squeeze(-1)
            return selected - torch.stack([sequence.logsumexp(-1) for sequence in logits])
        if style == "torchtune":
            logits = logits / 1.0
        return logits.log_softmax(-1).gather(-1, tokens).squeeze(-1)

    def without_gradients(self, of: str) -> tuple[Tensor, Tensor]:
        """Scores and logits of the policy, of its base model with adapters disabled, or of the frozen reference."""
        adapters = self.policy.disable_adapter() if of == "adapters-off" else contextlib.nullcontext()
        with torch.no_grad(), adapters:
            logits = self.logits(self.policy.reference if of == "copy" else None)
            return self.token_log_probabilities(logits).sum(-1), logits

    def as_reference(self) -> AbstractContextManager[Any]:
        """The reference model: the frozen copy, or the policy with adapters disabled."""
        if self.policy.reference is not None:
            return contextlib.nullcontext(self.policy.reference)
        return self.adapters_off() if self.spec["method"]["reference"] == "adapters-off" else self.adapters_copied()

    @contextlib.contextmanager
    def adapters_copied(self) -> Iterator[Any]:
        self.policy.set_adapter("ref", inference_mode=True)
        yield self.model
        self.policy.set_adapter("default")

    @contextlib.contextmanager
    def adapters_off(self) -> Iterator[Any]:
        with self.policy.disable_adapter():
            yield self.model

    def completion_log_probabilities(self, model: Any = None) -> Tensor:
        """TRL's GRPOTrainer: log-probabilities of completion tokens, with logits divided by temperature, and entropies."""
        count = self.spec["method"]["completionLength"]
        with self.kernels():
            outputs = (model or self.model)(**self.inputs, logits_to_keep=count + 1).logits
        outputs = outputs.float()
        logits = outputs[:, :-1][:, -count:]
        if self.spec["method"]["tempersInPlace"]:
            logits.div_(1.0)
        else:
            logits = logits / 1.0
        tokens = self.labels[:, -count:].unsqueeze(-1)
        selected: Tensor = logits.gather(-1, tokens).squeeze(-1)
        scores = selected - torch.stack([sequence.logsumexp(-1) for sequence in logits])
        entropies_of(logits.detach())
        return scores

    def reference(self) -> tuple[Tensor | float, Tensor | None]:
        of = self.spec["method"]["reference"]
        return (0.0, None) if of == "none" else self.without_gradients(of)


def entropies_of(logits: Tensor, rows: int = 128) -> None:
    """Entropies that TRL's DPO and KTO log, from a flat copy of the logits, while the reference's logits still exist."""
    for chunk in logits.reshape(-1, logits.shape[-1]).split(rows):
        log_probabilities = chunk.log_softmax(-1)
        (log_probabilities.exp() * log_probabilities).sum(-1)
