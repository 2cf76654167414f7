"""Shapes of bitsandbytes 0.45's layers where it is not installed: what they allocate and save, not what they compute."""

from typing import Any

import torch
from torch import Tensor, nn

BLOCK = 64
BLOCKS_OF_CONSTANTS = 256


class DequantisedProduct(torch.autograd.Function):
    """autograd/_functions.py MatMul4Bit: the whole matrix is there during each product, and no input is saved."""

    @staticmethod
    def forward(context: Any, x: Tensor, _packed: Tensor, bias: Tensor | None, shape: tuple[int, int]) -> Tensor:
        context.shape = shape
        return nn.functional.linear(x, torch.empty(shape, dtype=torch.bfloat16, device=x.device), bias)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> Any:
        (gradient,) = gradients
        return gradient @ torch.empty(context.shape, dtype=torch.bfloat16, device=gradient.device), None, None, None


class Linear4bit(nn.Module):
    """nn/modules.py Linear4bit, with the constants of its blocks: whole, or quantised in their turn."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, is_double: bool = False) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        count = in_features * out_features
        blocks = -(-count // BLOCK)
        self.weight = nn.Parameter(torch.empty(-(-count // 2), 1, dtype=torch.uint8), requires_grad=False)
        self.bias = nn.Parameter(torch.empty(out_features), requires_grad=False) if bias else None
        self.code = torch.empty(16, dtype=torch.float32)
        self.constants = [torch.empty(blocks, dtype=torch.uint8 if is_double else torch.float32)]
        if is_double:
            self.constants += [torch.empty(-(-blocks // BLOCKS_OF_CONSTANTS), dtype=torch.float32), torch.empty(256)]

    def forward(self, x: Tensor) -> Tensor:
        product: Tensor = DequantisedProduct.apply(x, self.weight, self.bias, (self.out_features, self.in_features))
        return product


class StableEmbedding(nn.Embedding):
    """nn/modules.py StableEmbedding."""

    def __init__(self, count: int, features: int) -> None:
        super().__init__(count, features)
        self.norm = nn.LayerNorm(features)

    def forward(self, ids: Tensor) -> Tensor:
        words = super().forward(ids).to(torch.get_default_dtype())
        normed: Tensor = self.norm(words)
        return normed.to(self.weight.dtype)
