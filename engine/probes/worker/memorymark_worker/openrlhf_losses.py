"""What OpenRLHF's fine-tuning does with a model's logits: trainer/sft_trainer.py."""
from __future__ import annotations

from torch import Tensor

from .passes import Passes, rolled_log_probabilities


def per_token_loss(passes: Passes) -> tuple[Tensor, Tensor]:
    """The loss, and what is referenced during the backward pass: `output` holds the logits in float32."""
    logits = passes.logits()
    return -rolled_log_probabilities(logits, passes.labels).mean(), logits
