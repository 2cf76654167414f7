"""What verl's trainers do with a model's logits: its supervised fine-tuning, and the update of its actor."""
from __future__ import annotations

from collections.abc import Callable
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
    """dp_actor.py: the clipped objective over the log-probabilities of the responses, and their entropies."""
    scores, entropies = response_log_probabilities(passes, method, method.get("entropies"))
    ratio = (scores - scores.detach()).exp()
    loss = -torch.min(ratio, ratio.clamp(0.8, 1.2)).mean()
    if entropies is None:
        return loss, None
    # Entropies that are logged stay in variables of the loop, and what autograd keeps for them with them.
    return (loss, entropies) if method["entropies"] == "logged" else (loss - 0.001 * entropies.mean(), None)


def response_log_probabilities(passes: Passes, method: Method, entropies: str | None = None) -> tuple[Tensor, Tensor | None]:
    """With padding removed the tokens of all sequences are one row; padded, the responses' logits are copied. The longest batch
    has no padding at all, and flash-attn then takes no mask."""
    count = method["completionLength"]
    batch, length = passes.labels.shape
    with passes.kernels():
        if passes.spec["paddedBatches"]:
            logits = passes.model(input_ids=passes.inputs["input_ids"], use_cache=False).logits
            logits.div_(1.0)
            return of_answers(logits[:, -count - 1:-1, :], passes.labels[:, -count:], entropies, eager_entropies,
                              in_place=entropies != "always")
        row = passes.labels.reshape(1, -1)
        flat = passes.model(input_ids=row, position_ids=torch.zeros_like(row), use_cache=False).logits.squeeze(0)
        flat.div_(1.0)
        entropies_of = eager_entropies if method.get("eagerEntropies") else CompiledEntropies.apply
        every, each = of_answers(flat, row.roll(-1, dims=1).squeeze(0), entropies, entropies_of, in_place=entropies is None)
        return every.view(batch, length)[:, -count - 1:-1], each


def of_answers(logits: Tensor, labels: Tensor, entropies: str | None, entropies_of: Callable[[Tensor], Tensor],
               in_place: bool) -> tuple[Tensor, Tensor | None]:
    """Log-probabilities and entropies; releases before 0.4 compute these first."""
    first = entropies_of(logits) if entropies == "always" else None
    scores = log_probabilities(logits, labels, in_place)
    return scores, entropies_of(logits) if entropies in ("trained", "logged") else first


def eager_entropies(logits: Tensor) -> Tensor:
    """Where nothing compiles them, as where sequences are padded: autocast takes softmax and logsumexp in float32. On the meta
    device logsumexp is one operation, on CUDA it makes the exponentials of a copy."""
    probabilities = F.softmax(logits.float(), dim=-1)
    wide = logits.float()
    with torch.no_grad():
        exponentials = (wide - wide.amax(-1, keepdim=True)).exp_()
        del exponentials
    sums = torch.logsumexp(wide, dim=-1)
    del wide
    return sums - (probabilities * logits).sum(-1)


class CompiledEntropies(torch.autograd.Function):
    """A stand-in for what torch.compile makes of the same: it keeps the logits and three numbers a row."""

    @staticmethod
    def forward(context: Any, logits: Tensor) -> Tensor:
        rows = [torch.empty(len(logits), dtype=torch.float32, device=logits.device) for _ in range(4)]
        context.save_for_backward(logits, *rows[1:])
        return rows[0]

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Tensor:
        logits, *_ = context.saved_tensors
        return torch.empty_like(logits)
