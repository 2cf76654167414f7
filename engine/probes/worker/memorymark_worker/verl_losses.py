"""What verl's trainers do with a model's logits: its supervised fine-tuning, and the update of its actor."""
from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from .fused_cross_entropy import log_probabilities
from .passes import Passes
from .requests import Method

# The loss, and what is referenced during the backward pass.
Loss = tuple[Tensor, Any]


def fine_tuning_loss(passes: Passes) -> Loss:
    """fsdp_sft_trainer.py: a shifted copy of the logits, whose cross-entropy autocast takes in float32. Where GPUs share every
    sequence, each has a row of them without padding, whose labels are shifted instead."""
    with passes.kernels():
        if "contextParallel" in passes.spec:
            row = passes.labels.reshape(1, -1)
            logits = passes.model(input_ids=row, position_ids=torch.zeros_like(row), use_cache=False).logits.squeeze(0)
            loss = F.cross_entropy(logits.float(), row.roll(-1, dims=1).squeeze(0), reduction="none")
            return loss.sum() / row.numel(), logits
        logits = passes.model(**passes.inputs, use_cache=False).logits
        shifted = logits[..., :-1, :].contiguous()
        labels = passes.labels[:, 1:].reshape(-1)
        loss = F.cross_entropy(shifted.view(-1, shifted.shape[-1]).float(), labels, reduction="none")
    return loss.sum() / len(labels), (logits, shifted)


def actor_loss(passes: Passes, method: Method) -> Loss:
    """dp_actor.py: the clipped objective over the log-probabilities of the responses."""
    scores = response_log_probabilities(passes, method)
    ratio = (scores - scores.detach()).exp()
    return -torch.min(ratio, ratio.clamp(0.8, 1.2)).mean(), None


def response_log_probabilities(passes: Passes, method: Method, with_entropy: bool = False) -> Tensor:
    """With padding removed the tokens of all sequences are one row; padded, the responses' logits are copied. The longest batch
    has no padding at all, and flash-attn then takes no mask."""
    count = method["completionLength"]
    batch, length = passes.labels.shape
    with passes.kernels():
        if passes.spec["paddedBatches"]:
            logits = passes.model(input_ids=passes.inputs["input_ids"], use_cache=False).logits
            logits.div_(1.0)
            answers = logits[:, -count - 1:-1, :]
            scores = log_probabilities(answers, passes.labels[:, -count:], in_place=True)
            if with_entropy:
                entropy_of(answers)
            return scores
        row = passes.labels.reshape(1, -1)
        flat = passes.model(input_ids=row, position_ids=torch.zeros_like(row), use_cache=False).logits.squeeze(0)
        flat.div_(1.0)
        every = log_probabilities(flat, row.roll(-1, dims=1).squeeze(0), in_place=True)
        return every.view(batch, length)[:, -count - 1:-1]


def entropy_of(logits: Tensor) -> None:
    """Nothing compiles it where sequences are padded; autocast takes the softmax in float32."""
    probabilities = F.softmax(logits.float(), dim=-1)
    torch.logsumexp(logits, dim=-1) - (probabilities * logits).sum(-1)
