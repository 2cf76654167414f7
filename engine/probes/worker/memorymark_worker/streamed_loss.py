"""A stand-in for Liger's GRPO loss (0.8, chunked_loss/fused_linear_ppo.py): what it keeps, in the order in which it does."""
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

# Rows and words of the logits that are there at a time.
ROWS, WORDS = 2048, 4096


class SelectedLogProbabilities(torch.autograd.Function):
    """Of one sequence's tokens: logits piece by piece, in the backward pass again, beside float32 gradients of both factors."""

    @staticmethod
    def forward(context: Any, hidden: Tensor, weight: Tensor, tokens: Tensor) -> Tensor:
        sums = torch.empty(len(hidden), dtype=torch.float32, device=hidden.device)
        selected = torch.empty_like(sums)
        for rows in hidden.split(ROWS):
            for words in weight.split(WORDS):
                logits = (rows @ words.to(rows.dtype).t()).float().mul_(1.0)
                (logits - logits.amax(-1, keepdim=True)).exp().sum(-1)
        context.save_for_backward(hidden, weight, tokens, sums)
        return selected

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Any:
        hidden, weight, _, sums = context.saved_tensors
        of_hidden, of_weight = in_float32(hidden, weight, sums, gradient)
        return of_hidden.to(hidden.dtype), of_weight.to(weight.dtype), None


def in_float32(hidden: Tensor, weight: Tensor, sums: Tensor, gradient: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of both; what a piece takes is gone when they are cast."""
    of_hidden = torch.zeros_like(hidden, dtype=torch.float32)
    of_weight = torch.zeros_like(weight, dtype=torch.float32)
    for start in range(0, len(hidden), ROWS):
        rows, of_rows = hidden[start : start + ROWS], of_hidden[start : start + ROWS]
        for word in range(0, len(weight), WORDS):
            words = weight[word : word + WORDS]
            logits = (rows @ words.to(rows.dtype).t()).float().mul_(1.0)
            probabilities = torch.exp(logits - sums[start : start + ROWS, None])
            of_logits = (-gradient[start : start + ROWS, None] * probabilities).mul_(1.0)
            of_rows.add_(of_logits @ words.float())
            of_weight[word : word + WORDS].add_(of_logits.t() @ rows.float())
    return of_hidden, of_weight


class StreamedLoss(torch.autograd.Function):
    """Both passes over one sequence after the other; the gradients of both factors are kept, that of a frozen weight too."""

    @staticmethod
    def forward(context: Any, states: Tensor, weight: Tensor, tokens: Tensor, is_divided: bool) -> Tensor:
        of_weight, of_states = torch.zeros_like(weight), []
        loss = torch.zeros((), dtype=torch.float32, device=states.device)
        for sequence, words in zip(states.split(1), tokens.split(1), strict=True):
            with torch.enable_grad():
                rows, matrix = sequence.detach().requires_grad_(), weight.detach().requires_grad_()
                scores = SelectedLogProbabilities.apply(rows.reshape(-1, rows.shape[-1]).contiguous(), matrix, words.reshape(-1))
                ratio = (scores - scores.detach()).exp()
                part = -torch.min(ratio, ratio.clamp(0.8, 1.2)).mean()
                gradients = torch.autograd.grad(part, [rows, matrix])
            of_weight.add_(gradients[1])
            of_states.append(gradients[0])
            loss.add_(part.detach())
            del gradients
        context.save_for_backward(torch.cat(of_states), of_weight)
        context.is_divided = is_divided
        return loss

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Any:
        gradients = context.saved_tensors
        of_states, of_weight = [each * gradient for each in gradients] if context.is_divided else gradients
        return of_states, of_weight, None, None
