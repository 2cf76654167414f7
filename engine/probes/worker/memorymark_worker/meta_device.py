"""Runs transformers on the meta device, where tensors have no values to inspect."""
from __future__ import annotations

import contextlib
import importlib
import importlib.util
from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F
import transformers
from torch import Tensor
from torch.fx.experimental import _config as fx_settings
from transformers import masking_utils

from .among_words import among_words
from .cuda_kernels import context_dtype
from .mamba_kernels import mamba_kernels
from .speech import MODEL_TYPES, without_asking_lengths


@contextlib.contextmanager
def without_values(padded: bool, model_type: str) -> Iterator[None]:
    """Replaces checks of values, by which transformers omits masks or warns."""
    every, autocast, as_tensor = torch.all, torch.autocast, torch.as_tensor
    answers: dict[tuple[Any, str], Any] = {
        (masking_utils, "find_packed_sequence_indices"): lambda *_, **__: None,
        (transformers.PreTrainedModel, "warn_if_padding_and_no_attention_mask"): lambda *_, **__: None,
        # Checks that the number of image tokens equals that of image features.
        (torch, "_check_tensor_all_with"): lambda *_, **__: None,
        # Version 4 asks whether a mask is all ones. Calls for a tensor get one.
        (torch, "all"): lambda mask, *args, **kwargs: every(mask, *args, **kwargs) if args or kwargs else not padded,
        # Version 4 also disables autocast for the tensors' device, which torch does not support for
        # meta.
        (torch, "autocast"): lambda device_type, *args, **kwargs: (
            contextlib.nullcontext() if device_type == "meta" else autocast(device_type, *args, **kwargs)
        ),
    }
    enabled = torch.is_autocast_enabled
    # peft's layers over bitsandbytes' ask without naming a device.
    answers[(torch, "is_autocast_enabled")] = lambda *device: enabled(*device) if device else context_dtype() is not None

    class NoOutliers:
        """bitsandbytes' int8 asks for the number of outlier columns, which it computes separately.
        """

        new_dynamic_size = staticmethod(lambda: 0)

    answers[(torch.library, "get_ctx")] = NoOutliers
    answers |= mamba_kernels(model_type)
    answers |= among_words(model_type)
    answers |= without_asking_lengths(model_type)
    has_grouped_products = hasattr(F, "grouped_mm") or hasattr(torch, "_grouped_mm")
    if not has_grouped_products and importlib.util.find_spec("transformers.integrations.moe"):
        answers[(importlib.import_module("transformers.integrations.moe"), "_grouped_mm")] = product_expert_by_expert
    if model_type in ("llava", "mistral3"):  # whose Pixtral reads from images' sizes how many tokens each has
        answers[(torch, "as_tensor")] = lambda data, **_: as_tensor(data)
    has_tiles = model_type in ("smolvlm", "idefics3")
    # Every tile is an image, without padding; DeBERTa's loss leaves out labels below zero; SpecAugment's mask of frames.
    if has_tiles or model_type in ("deberta-v2", *MODEL_TYPES):
        answers[(fx_settings, "meta_nonzero_assume_all_nonzero")] = True
    if padded or has_tiles:
        answers[(masking_utils, "_ignore_bidirectional_mask_sdpa")] = lambda *_, **__: has_tiles
    # The decoder's mask, which it makes itself whatever the batch's is.
    all_ones = model_type in ("bart", "mbart", "marian", "pegasus", "m2m_100")
    if padded or all_ones:
        ignores = masking_utils._ignore_causal_mask_sdpa
        answers[(masking_utils, "_ignore_causal_mask_sdpa")] = lambda padding_mask, *rest, **named: (
            ignores(None, *rest, **named) if padding_mask is None else all_ones
        )
    originals = {place: getattr(*place) for place in answers if hasattr(*place)}
    for place in originals:
        setattr(*place, answers[place])
    try:
        yield
    finally:
        for place, original in originals.items():
            setattr(*place, original)


class ExpertByExpert(torch.autograd.Function):
    """transformers' integrations/moe.py _grouped_mm_fallback, which asks for the number of tokens per expert."""

    @staticmethod
    def forward(context: Any, x: Tensor, weight: Tensor, ends: Tensor) -> Tensor:
        context.save_for_backward(x, weight)
        context.ends = ends
        return x.new_zeros(x.shape[0], weight.shape[-1])

    @staticmethod
    def backward(context: Any, _: Tensor) -> Any:
        x, weight = context.saved_tensors
        return torch.zeros_like(x), torch.zeros_like(weight), None  # the weight's where it is frozen, too


def product_expert_by_expert(x: Tensor, weight: Tensor, offs: Tensor) -> Any:
    return ExpertByExpert.apply(x.to(weight.dtype), weight, offs)
