"""Quantisation-aware training: linear layers that fake-quantise their input and weight."""
from __future__ import annotations

from typing import Any, cast

import torch
import torch.nn.functional as F
import transformers
from torch import Tensor


class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, x: Tensor) -> Tensor:
        return torch.round(x)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Tensor:
        return gradient


def fake_quantized(x: Tensor, group_size: int) -> Tensor:
    """x rounded in groups along its last dimension, as in torchao's quant_primitives.py."""
    with torch.no_grad():
        groups = x.view(*x.shape[:-1], x.shape[-1] // group_size, group_size)
        scale = (groups.amax(-1, keepdim=True) - groups.amin(-1, keepdim=True)).float() / 255
        zero_point = torch.zeros_like(scale, dtype=torch.int32)
    groups = x.view(*x.shape[:-1], x.shape[-1] // group_size, group_size)
    quantized = torch.clamp(Rounded.apply(groups * (1.0 / scale)) + zero_point, -128, 127)
    result = quantized.to(x.dtype, copy=True)
    result = result - zero_point.to(x.dtype)
    result = result * scale
    return result.view(x.shape).to(x.dtype)


class FakeQuantizedLinear(torch.nn.Linear):
    group_size: int

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(fake_quantized(x, x.shape[-1]), fake_quantized(self.weight, self.group_size), self.bias)


def round_linears(model: transformers.PreTrainedModel, group_size: int) -> None:
    """The linear layers to replace: all, or with adapters only base layers; never an output layer tied to the embedding."""
    adapted = [module.base_layer for module in model.modules() if hasattr(module, "base_layer")]
    embedding = model.get_input_embeddings().weight
    for module in adapted or list(model.modules()):
        if type(module) is torch.nn.Linear and module.weight is not embedding and module.in_features % group_size == 0:
            module.__class__ = FakeQuantizedLinear
            cast(FakeQuantizedLinear, module).group_size = group_size
