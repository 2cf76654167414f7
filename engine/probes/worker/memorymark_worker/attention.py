"""Records which attention kernels a real step uses."""
from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

from .requests import Spec


def pin_attention(spec: Spec) -> None:
    """Restricts scaled_dot_product_attention to the kernel that a spec pins, as torch.nn.attention.sdpa_kernel does."""
    is_free = "sdpaKernel" not in spec
    torch.backends.cuda.enable_flash_sdp(is_free)
    torch.backends.cuda.enable_math_sdp(is_free)
    torch.backends.cuda.enable_cudnn_sdp(is_free)


class AttentionBackends(TorchFunctionMode):
    """The kernels that scaled_dot_product_attention chose; empty if a model does not call it."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is F.scaled_dot_product_attention:
            self._note(args, kwargs)
        return func(*args, **kwargs)

    def _note(self, args: Any, kwargs: Any) -> None:
        """The casts end with this call, before the kernel makes its own."""
        # Autocast casts inside the call, and the choice depends on the types.
        lowered, lowered_kwargs = tree_map(as_autocast_casts, (args, kwargs))
        try:
            chosen = SDPBackend(torch._fused_sdp_choice(*lowered, **lowered_kwargs))
        except (RuntimeError, TypeError, ValueError):
            return  # arguments that only the call itself understands, such as nested tensors
        self.names.add(chosen.name.lower().removesuffix("_attention"))


def as_autocast_casts(value: Any) -> Any:
    if not isinstance(value, torch.Tensor) or value.dtype != torch.float32 or not torch.is_autocast_enabled(value.device.type):
        return value
    return value.to(torch.get_autocast_dtype(value.device.type))
