"""What CUDA would run and allocate, for tensors on the CPU: the kernels of attention and of norms, and a ledger of storages."""

from typing import Any

import torch
import torch.nn.functional as F
from memorymark_worker.cuda_kernels import CudaKernels, raise_to_float32
from resizing_ledger import ResizingLedger
from torch import Tensor
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.distributed.tensor import DTensor

WRAPPERS = DTensor, AsyncCollectiveTensor
FLASH = torch.library.Library("aten", "IMPL", "CPU")


def flash(query: Tensor, key: Tensor, value: Tensor, *_: Any, **__: Any) -> tuple[Any, ...]:
    """flash_api.cpp: an output laid out like the query, and a log-sum-exp per row."""
    batch, heads, tokens, _size = query.shape
    rows = torch.empty(batch, heads, tokens, dtype=torch.float32)
    seed = torch.empty(2, dtype=torch.int64)
    empty = torch.empty(0, dtype=torch.int64)
    return torch.empty_like(query), rows, None, None, tokens, key.shape[2], seed, empty, torch.empty(0, dtype=query.dtype)


def flash_backward(gradient: Tensor, query: Tensor, key: Tensor, value: Tensor, *_: Any, **__: Any) -> tuple[Tensor, ...]:
    return torch.empty_like(query), torch.empty_like(key), torch.empty_like(value)


FLASH.impl("_scaled_dot_product_flash_attention", flash)
FLASH.impl("_scaled_dot_product_flash_attention_backward", flash_backward)


class FusedNorm(torch.autograd.Function):
    """aten::_fused_rms_norm, which saves its input, the weight and a scale per row."""

    @staticmethod
    def forward(context: Any, x: Tensor, weight: Tensor) -> Tensor:
        scale = torch.empty(*x.shape[:-1], 1, dtype=torch.float32)
        context.save_for_backward(x, weight, scale)
        return torch.empty_like(x)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Any:
        x, weight, _ = context.saved_tensors
        return torch.empty_like(x), torch.empty_like(weight)


def cuda_norm(x: Tensor, size: Any, weight: Tensor, eps: float | None = None) -> Tensor:
    if not isinstance(x, DTensor):
        return FusedNorm.apply(x, weight)
    local = FusedNorm.apply(x.to_local(), weight.to_local())
    return DTensor.from_local(local, x.device_mesh, x.placements, run_check=False)


class Kernels(CudaKernels):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is F.rms_norm:
            if self.autocast_dtype is not None:
                args = tuple(raise_to_float32(arg) for arg in args)
            return cuda_norm(*args, **(kwargs or {}))
        return super().__torch_function__(func, types, args, kwargs)


class Ledger(ResizingLedger):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(issubclass(kind, WRAPPERS) for kind in types):
            return NotImplemented  # what it does with the tensors in it is seen here then
        return super().__torch_dispatch__(func, types, args, kwargs)

    def enter(self, tensor: Tensor) -> None:
        if not isinstance(tensor, WRAPPERS):
            super().enter(tensor)
