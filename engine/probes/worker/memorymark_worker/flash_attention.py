"""The attention of the flash-attn package, where that does not run: the same tensors through PyTorch's own flash kernel."""
from __future__ import annotations

from typing import Any

import torch.nn.functional as F
import transformers
from torch import Tensor
from transformers.masking_utils import flash_attention_mask

STAND_IN = "without_masks"


def flash_implementation(device: str) -> str:
    """What transformers is to call: the package itself on CUDA, where transformers says if it is not installed."""
    if device.startswith("cuda"):
        return "flash_attention_2"
    transformers.AttentionInterface.register(STAND_IN, without_masks)
    transformers.AttentionMaskInterface.register(STAND_IN, flash_attention_mask)
    return STAND_IN


def without_masks(module: Any, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None,
                   dropout: float = 0.0, scaling: float | None = None, is_causal: bool | None = None,
                   **_: Any) -> tuple[Tensor, None]:
    """transformers' integrations/flash_attention.py: no mask, grouped heads as they are, values as wide as queries."""
    missing = query.shape[-1] - value.shape[-1]
    if missing:
        value = F.pad(value, (0, missing))
    causal = module.is_causal if is_causal is None else is_causal
    grouped = key.shape[1] != query.shape[1]
    output = F.scaled_dot_product_attention(query, key, value, None, dropout, causal, scale=scaling, enable_gqa=grouped)
    output = output.transpose(1, 2)
    return (output[..., :-missing] if missing else output), None
