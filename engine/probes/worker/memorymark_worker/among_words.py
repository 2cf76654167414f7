"""How images get among the words, where transformers asks for values that tensors on the meta device do not have."""
from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

Answers = dict[tuple[Any, str], Callable[..., Any]]


def among_words(model_type: str) -> Answers:
    """What stands in for methods of the model, by class and name."""
    match model_type:
        case "qwen3_vl" | "qwen3_vl_moe":
            module = importlib.import_module(f"transformers.models.{model_type}.modeling_{model_type}")
            text = module.Qwen3VLMoeTextModel if model_type.endswith("moe") else module.Qwen3VLTextModel
            return {(text, "_deepstack_process"): lambda _, states, masks, seen: AddedAmongWords.apply(states, seen)}
        case "smolvlm":
            module = importlib.import_module("transformers.models.smolvlm.modeling_smolvlm")
            return {(module.SmolVLMModel, "inputs_merger"): row_by_row}
        case _:
            return {}


class AddedAmongWords(torch.autograd.Function):
    """Qwen 3 VL's _deepstack_process, which reads from the mask where image tokens are."""

    @staticmethod
    def forward(context: Any, states: Tensor, seen: Tensor) -> Tensor:
        context.like_seen = seen.shape, seen.dtype
        return torch.empty_like(states)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Any:
        shape, dtype = context.like_seen
        return torch.empty_like(gradient), torch.empty(shape, dtype=dtype, device="meta")


def row_by_row(model: Any, input_ids: Tensor, inputs_embeds: Tensor, image_hidden_states: Tensor) -> Tensor:
    """SmolVLM's inputs_merger, which looks up where in the images each image token's row is."""
    mask = input_ids == model.config.image_token_id
    images = torch.zeros(image_hidden_states.shape[:-1].numel(), dtype=torch.long, device=mask.device)
    rows = torch.zeros_like(images)
    put: Tensor = PutByMask.apply(torch.zeros_like(inputs_embeds), mask, image_hidden_states[images, rows, :])
    return torch.where(mask.unsqueeze(-1), put, inputs_embeds)


class PutByMask(torch.autograd.Function):
    """`x[mask] = rows`, which asks the mask how many rows that are."""

    @staticmethod
    def forward(context: Any, x: Tensor, mask: Tensor, rows: Tensor) -> Tensor:
        context.mark_dirty(x)
        context.save_for_backward(mask)
        context.like_rows = rows.shape, rows.dtype
        return x

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Any:
        shape, dtype = context.like_rows
        return None, None, torch.empty(shape, dtype=dtype, device=gradient.device)
