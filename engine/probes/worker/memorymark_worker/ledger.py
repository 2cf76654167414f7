"""Follows every tensor's storage from its allocation to its release."""
from __future__ import annotations

import ctypes
import weakref
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter

ALLOCATION_BYTES = 512  # kMinBlockSize of c10/cuda/CUDACachingAllocator.cpp


class StorageLedger(TorchDispatchMode):
    """Adds up live storages as the caching allocator would round them, and keeps the highest sum."""

    def __init__(self, device: str = "meta") -> None:
        super().__init__()
        self._device = device
        self.live_bytes = 0
        self.peak_bytes = 0
        # A positive number allocates that many bytes; -n releases the n-th allocation, counted from 1.
        self.events: list[int] = []
        self._allocations = 0
        self._storages: dict[int, weakref.ref[torch.UntypedStorage]] = {}
        self._sizes: dict[int, int] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.aten.add.Tensor and adds_in_place(*args):
            func = torch.ops.aten.add_.Tensor
        if func is torch.ops.aten.index_put.default and not torch.is_grad_enabled():
            # index_backward of torch/csrc/autograd/FunctionsManual.cpp copies under any dispatch
            # mode, including this one.
            func = torch.ops.aten.index_put_.default
        if func is torch.ops.aten.scatter_add.default and not torch.is_grad_enabled():
            # gather_backward of aten/src/ATen/native/TensorAdvancedIndexing.cpp copies under any
            # dispatch mode, including this one.
            func = torch.ops.aten.scatter_add_.default
        result = func(*args, **(kwargs or {}))
        for value in tree_iter(result):
            if isinstance(value, torch.Tensor) and value.device.type == self._device:
                self.enter(value)
        self.peak_bytes = max(self.peak_bytes, self.live_bytes)
        if func is torch.ops.aten._softmax_backward_data.default:
            self._pass_by(torch.empty_like(args[0]))
        return result

    def _pass_by(self, scratch: Tensor) -> None:
        """What softmax_backward_cuda_out of aten/src/ATen/native/cuda/SoftMax.cu has beside its result: gradient times output."""
        self.enter(scratch)
        self.peak_bytes = max(self.peak_bytes, self.live_bytes)

    def enter(self, tensor: Tensor) -> None:
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self._storages:
            return
        size = allocated_bytes(storage)
        self.live_bytes += size
        self._sizes[key] = size
        self._allocations += 1
        number = self._allocations
        self.events.append(size)

        def leave(_: object) -> None:
            self.live_bytes -= self._sizes.pop(key)
            self.events.append(-number)
            del self._storages[key]

        self._storages[key] = weakref.ref(storage, leave)


def allocated_bytes(storage: torch.UntypedStorage) -> int:
    return -(-storage.nbytes() // ALLOCATION_BYTES) * ALLOCATION_BYTES


def adds_in_place(old: Tensor, new: object, *_: object) -> bool:
    """can_accumulate_inplace of torch/csrc/autograd/input_buffer.cpp, which is always false under a
    dispatch mode.

    The counts are those of a gradient that only the engine and this call refer to.
    """
    if torch.is_grad_enabled() or not isinstance(new, torch.Tensor) or old.shape != new.shape or old._is_view():
        return False
    uses: int = old._use_count()  # type: ignore[attr-defined]  # torch leaves it out of its types
    return uses == 4 and storage_use_count(old.untyped_storage()) == 2


def storage_use_count(storage: torch.UntypedStorage) -> int:
    """torch 2.6 exposes it only in CUDA builds. The count follows the vtable: c10/util/intrusive_ptr.h."""
    if hasattr(torch._C, "_storage_Use_Count"):
        return torch._C._storage_Use_Count(storage._cdata)
    return ctypes.c_uint32.from_address(storage._cdata + ctypes.sizeof(ctypes.c_void_p)).value
