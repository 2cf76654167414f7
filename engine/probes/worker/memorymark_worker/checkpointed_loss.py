"""TRL's `chunked_nll`: output layer and loss on a few tokens at a time, each chunk computed again in the backward pass."""
from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
import transformers
from torch import Tensor
from torch.utils.checkpoint import checkpoint
from transformers.modeling_outputs import CausalLMOutputWithPast

CHUNK_TOKENS = 256  # trl 1.13 sft_trainer.py
IGNORED = -100


def take_loss_in_chunks(model: Any, recomputation: dict[str, Any]) -> None:
    """From here on the model's forward pass returns the loss of its labels, and no logits. `recomputation`: for checkpoints."""
    causal = model.get_base_model() if hasattr(model, "get_base_model") else model

    def forward(self: transformers.PreTrainedModel, labels: Tensor, **inputs: Any) -> CausalLMOutputWithPast:
        outputs = self.base_model(**{**inputs, "use_cache": False})
        return CausalLMOutputWithPast(loss=loss_of(self, outputs.last_hidden_state, labels, recomputation))

    causal.forward = types.MethodType(forward, causal)


def loss_of(model: transformers.PreTrainedModel, states: Tensor, labels: Tensor, recomputation: dict[str, Any]) -> Tensor:
    head: Any = model.get_output_embeddings()
    rows = states[..., :-1, :].reshape(-1, states.shape[-1])
    targets = labels[..., 1:].reshape(-1)
    # Tokens without a label come last; here every token has one.
    order = (targets != IGNORED).to(torch.int8).argsort(descending=True, stable=True)
    rows, targets = rows[order], targets[order]
    soft_cap = getattr(model.config.get_text_config(), "final_logit_softcapping", None)
    loss = rows.new_zeros((), dtype=torch.float32)
    for start in range(0, len(targets), CHUNK_TOKENS):
        end = start + CHUNK_TOKENS
        loss = loss + checkpoint(chunk_of(soft_cap), rows[start:end], head.weight, head.bias, targets[start:end],
                                 use_reentrant=False, **recomputation)[0]
    return loss / len(targets)


def chunk_of(soft_cap: float | None) -> Callable[..., tuple[Tensor, Tensor, Tensor]]:
    def loss_and_metrics(rows: Tensor, weight: Tensor, bias: Tensor | None, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        logits = (rows @ weight.to(rows.dtype).t()).float()
        if bias is not None:
            logits = logits + bias.float()
        if soft_cap is not None:
            logits = soft_cap * torch.tanh(logits / soft_cap)
        log_probabilities = F.log_softmax(logits, dim=-1)
        loss = F.nll_loss(log_probabilities, targets, ignore_index=IGNORED, reduction="sum")
        # Logged, and so computed in the same graph. It saves `labelled` last, so that the recomputation goes through all of it.
        labelled = targets != IGNORED
        correct = ((logits.argmax(dim=-1) == targets) & labelled).sum().float()
        return loss, correct, (-(log_probabilities.exp() * log_probabilities).sum(dim=-1) * labelled).sum()

    return loss_and_metrics
