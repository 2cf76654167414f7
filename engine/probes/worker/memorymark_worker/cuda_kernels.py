"""The kernels and casts that CUDA would run, for tensors on the meta device."""
from __future__ import annotations

from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

from . import TORCH_VERSION


class CudaKernels(TorchFunctionMode):
    """Calls the kernels that CUDA would run, and casts as torch.autocast("cuda") would when `autocast_dtype` is set."""

    # aten/src/ATen/autocast_mode.h: AT_FORALL_LOWER_PRECISION_FP and AT_FORALL_FP32, as far as models here call them.
    LOWER: ClassVar[set[Any]] = {
        F.linear, F.conv3d, F.conv2d, F.conv1d, torch.addmm, torch.matmul, torch.Tensor.matmul, torch.bmm,
        torch.baddbmm, torch.Tensor.baddbmm, torch.mm, torch.conv2d, torch.Tensor.__matmul__,
        F.scaled_dot_product_attention, torch._C._nn.linear,
        torch.einsum,  # which is made of batched products
    }
    FLOAT32: ClassVar[set[Any]] = {
        F.layer_norm, F.group_norm, F.log_softmax, F.cross_entropy, F.nll_loss, torch.pow,
        torch.Tensor.pow, torch.Tensor.__pow__, F.mse_loss, torch.rsqrt, F.rms_norm, torch.exp, torch.log,
    }
    SOFTMAX: ClassVar[set[Any]] = {F.softmax, torch.softmax, torch.Tensor.softmax}

    def __init__(self, autocast_dtype: torch.dtype | None = None) -> None:
        super().__init__()
        self.autocast_dtype = autocast_dtype
        self.cast_weights: dict[int, Tensor] = {}

    def __exit__(self, *exc: Any) -> None:
        self.cast_weights.clear()
        super().__exit__(*exc)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in self.SOFTMAX:
            return cuda_softmax(*args, is_raised=self.autocast_dtype is not None, **kwargs)
        if self.autocast_dtype is not None and func is F.cross_entropy and args[0].dtype == torch.float16:
            return cross_entropy_of_half(*args, **kwargs)
        if self.autocast_dtype is not None and func in self.LOWER:
            args, kwargs = tree_map(self.lower, (args, kwargs))
        elif self.autocast_dtype is not None and func in self.FLOAT32:
            args, kwargs = tree_map(raise_to_float32, (args, kwargs))
        if func is torch.Tensor.masked_scatter and args[0].is_meta:
            return Scattered.apply(*args)
        if func is torch._weight_norm:  # fused where its `dim` is the first or the last
            return torch._weight_norm_interface(*args, **kwargs)[0]
        if func is F.dropout:
            return cuda_dropout(*args, **kwargs)
        if func is F.scaled_dot_product_attention:
            return cuda_attention(*args, **kwargs)
        return func(*args, **kwargs)

    def lower(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or value.dtype != torch.float32:
            return value
        if not (value.is_leaf and value.requires_grad):
            return value.to(self.autocast_dtype)
        if id(value) not in self.cast_weights:
            self.cast_weights[id(value)] = value.to(self.autocast_dtype)
        return self.cast_weights[id(value)]


def context_dtype() -> torch.dtype | None:
    """The dtype of the autocast that CudaKernels stands in for."""
    modes = [mode for mode in torch.overrides._get_current_function_mode_stack() if isinstance(mode, CudaKernels)]
    return modes[-1].autocast_dtype if modes else None


class Scattered(torch.autograd.Function):
    """masked_scatter, whose backward pass asks the mask how many elements it chose."""

    @staticmethod
    def forward(context: Any, x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
        context.save_for_backward(mask)
        context.like_source = source.shape, source.dtype
        return torch.empty_like(x)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Any:
        (mask,) = context.saved_tensors
        shape, dtype = context.like_source
        return gradient.masked_fill(mask, 0), None, torch.empty(shape, dtype=dtype, device="meta")


def raise_to_float32(value: Any) -> Any:
    if isinstance(value, torch.Tensor) and value.dtype in (torch.float16, torch.bfloat16):
        return value.float()
    return value


def cuda_softmax(x: Tensor, dim: int = -1, _stacklevel: int = 3, dtype: torch.dtype | None = None, *, is_raised: bool) -> Tensor:
    """softmax of aten/src/ATen/native/SoftMax.cpp: float16 becomes float32 in the kernel, bfloat16 before it. Autocast asks for
    float32 where no type is given (AT_FORALL_FP32_SET_OPT_DTYPE)."""
    wanted = torch.float32 if dtype is None and is_raised else dtype
    if x.dtype == torch.float16 and wanted == torch.float32:
        result: Tensor = torch.ops.aten._softmax(x, dim, True)
        return result
    return torch.softmax(x, dim, dtype=wanted)


def cross_entropy_of_half(x: Tensor, target: Tensor, weight: Tensor | None = None, *, ignore_index: int = -100,
                          reduction: str = "mean", label_smoothing: float = 0.0, **_: None) -> Tensor:
    """Its log_softmax, of which autocast asks float32, takes float16 as softmax does."""
    if weight is not None or label_smoothing > 0:
        return F.cross_entropy(x.float(), target, weight, ignore_index=ignore_index, reduction=reduction,
                               label_smoothing=label_smoothing)
    return F.nll_loss(torch.ops.aten._log_softmax(x, 1, True), target, ignore_index=ignore_index, reduction=reduction)


def cuda_dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    return torch.native_dropout(input, p, True)[0] if training and p > 0 else input


def cuda_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0,
                   is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False) -> Any:
    """torch/aten's sdp_utils.cpp: flash for 16-bit without a mask, the memory-efficient kernel otherwise."""
    size = query.shape[-1]
    is_pinned = not torch.backends.cuda.flash_sdp_enabled()
    if is_pinned and key.shape[1] != query.shape[1]:  # as code has to that pins the memory-efficient kernel
        groups, enable_gqa = query.shape[1] // key.shape[1], False
        key, value = (heads.repeat_interleave(groups, dim=1) for heads in (key, value))
    is_half = query.dtype in (torch.float16, torch.bfloat16)
    if is_half and not is_pinned and attn_mask is None and size == value.shape[-1] <= 256:
        return torch.ops.aten._scaled_dot_product_flash_attention(
            query, key, value, dropout_p, is_causal, False, scale=scale)[0]
    is_grouped = enable_gqa or key.shape[1] != query.shape[1]
    if is_grouped and TORCH_VERSION < (2, 14):  # the memory-efficient kernel refuses grouped heads
        if attn_mask is not None:
            attn_mask = additive_mask(attn_mask, query)[:, :1]
        return torch.ops.aten._scaled_dot_product_attention_math(
            query, key, value, attn_mask, dropout_p, is_causal, None, scale=scale, enable_gqa=enable_gqa)[0]
    if attn_mask is not None:
        attn_mask = additive_mask(attn_mask, query)
    return torch.ops.aten._scaled_dot_product_efficient_attention(
        query, key, value, attn_mask, True, dropout_p, is_causal, scale=scale)[0]


def additive_mask(mask: Tensor, query: Tensor) -> Tensor:
    """convert_boolean_attn_mask and pad_bias of aten/src/ATen/native/transformers/attention.cpp."""
    if mask.dtype == torch.bool:
        mask = torch.zeros_like(mask, dtype=query.dtype).masked_fill_(mask.logical_not(), float("-inf"))
    rows, columns = mask.shape[-2:]
    padding = -columns % 8
    if padding:
        mask = F.pad(mask, (0, padding))[..., :columns]
    return mask.expand(query.shape[0], query.shape[1], rows, columns)
