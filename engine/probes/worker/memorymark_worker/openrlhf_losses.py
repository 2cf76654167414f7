"""What OpenRLHF's trainers do with a model's logits: models/actor.py forward and models/utils.py log_probs_from_logits."""
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def per_token_loss(passes: Any) -> tuple[Tensor, Tensor]:
    """trainer/sft_trainer.py: `output` holds the logits in float32."""
    logits = passes.logits()
    return -fused_log_probabilities(logits, passes.labels).mean(), logits


def fused_log_probabilities(logits: Tensor, tokens: Tensor) -> Tensor:
    """Of all positions, whose labels are the tokens after them, with the last one's left out."""
    rolled = torch.roll(tokens, shifts=-1, dims=1)
    losses: Tensor = CrossEntropy.apply(logits.reshape(-1, logits.shape[-1]), rolled.reshape(-1))
    return -losses.view(*logits.shape[:-1])[:, :-1]


class CrossEntropy(torch.autograd.Function):
    """flash-attn's ops/triton/cross_entropy.py: it saves logits and a sum for each row; the gradient is another tensor."""

    @staticmethod
    def forward(context: Any, logits: Tensor, labels: Tensor) -> Tensor:
        losses = torch.empty(len(labels), dtype=torch.float32, device=logits.device)
        context.save_for_backward(logits, torch.empty_like(losses), labels)
        return losses

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Any:
        logits, *_ = context.saved_tensors
        return torch.empty_like(logits), None
