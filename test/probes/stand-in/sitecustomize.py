"""A CUDA card for a process under test: torch.cuda answers as the card that PYTHON_CUDA_STAND_IN describes (JSON), and what is
asked for on "cuda" is computed on the CPU and counted.

Python imports this file as it starts if its folder is on PYTHONPATH. The card's fields:
  totalBytes, contextBytes: what the card has, and what the process's CUDA context takes
  lateContextBytes: what kernels add to the context that only a training step loads
  otherBytes: what other processes hold
  name, count: what the driver calls it, and how many there are
  startError: what starting CUDA raises
  hip: the version of ROCm, instead of CUDA's
"""

import json
import os
import types
import weakref

if "PYTHON_CUDA_STAND_IN" in os.environ:
    import torch
    from torch.overrides import TorchFunctionMode
    from torch.utils import _device
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_iter, tree_map

    CARD = {"totalBytes": 24 << 30, "contextBytes": 400 << 20, "lateContextBytes": 0, "otherBytes": 0, "name": "NVIDIA A10",
            "count": 1, "startError": None, "hip": None, **json.loads(os.environ["PYTHON_CUDA_STAND_IN"])}
    BLOCK_BYTES, SEGMENT_BYTES = 512, 2 << 20
    # Of the two cuBLAS handles that a training step has on an A10.
    WORKSPACE_BYTES = 2 * 8_519_680
    PRODUCTS = (torch.ops.aten.mm.default, torch.ops.aten.addmm.default, torch.ops.aten.bmm.default)

    class Memory(TorchDispatchMode):
        """The caching allocator's counters over the CPU's tensors. Nothing but a fraction that was set ends in out of memory."""

        def __init__(self):
            super().__init__()
            self.context_bytes = CARD["contextBytes"]
            self.allowed_bytes = float("inf")
            self.allocated = self.requested = self.reserved = 0
            self.peaks = dict.fromkeys(("allocated", "requested", "reserved"), 0)
            self._known = set()
            self._workspace_bytes = 0

        def __torch_dispatch__(self, func, arguments_types, args=(), kwargs=None):
            if func is torch.ops.aten.embedding.default:
                self.context_bytes = CARD["contextBytes"] + CARD["lateContextBytes"]
            if func in PRODUCTS and self._workspace_bytes == 0:
                self._resize_workspaces(WORKSPACE_BYTES)
            result = func(*args, **(kwargs or {}))
            for value in tree_iter(result):
                if isinstance(value, torch.Tensor) and value.device.type == "cpu":
                    self._enter(value.untyped_storage())
            return result

        def _enter(self, storage):
            key = storage._cdata
            if key in self._known:
                return
            requested = storage.nbytes()
            allocated = -(-requested // BLOCK_BYTES) * BLOCK_BYTES
            if self.allocated + allocated > self.allowed_bytes:
                raise torch.cuda.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {allocated} bytes")
            self._known.add(key)
            self._count(allocated, requested)

            def leave():
                self._known.discard(key)
                self._count(-allocated, -requested)

            weakref.finalize(storage, leave)

        def _resize_workspaces(self, size):
            self._count(size - self._workspace_bytes, size - self._workspace_bytes)
            self._workspace_bytes = size

        def clear_workspaces(self):
            self._resize_workspaces(0)

        def _count(self, allocated, requested):
            self.allocated += allocated
            self.requested += requested
            self.reserved = max(self.reserved, -(-self.allocated // SEGMENT_BYTES) * SEGMENT_BYTES)
            for name in self.peaks:
                self.peaks[name] = max(self.peaks[name], getattr(self, name))

        def reset_peaks(self):
            self.peaks = {name: getattr(self, name) for name in self.peaks}

        def empty_cache(self):
            self.reserved = -(-self.allocated // SEGMENT_BYTES) * SEGMENT_BYTES

        def free_bytes(self):
            return CARD["totalBytes"] - CARD["otherBytes"] - self.context_bytes - self.reserved

        def allow(self, fraction, device=None):
            self.allowed_bytes = fraction * CARD["totalBytes"]

    def on_cpu(value):
        if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
            return "cpu"
        return torch.device("cpu") if isinstance(value, torch.device) and value.type == "cuda" else value

    class OnCpu(TorchFunctionMode):
        def __torch_function__(self, func, arguments_types, args=(), kwargs=None):
            args, kwargs = tree_map(on_cpu, (args, kwargs or {}))
            return func(*args, **kwargs)

    def over_cpu(original):
        """The class, told "cpu" where it is told "cuda"."""

        class OverCpu(original):
            def __init__(self, device, *args, **kwargs):
                super().__init__(on_cpu(device), *args, **kwargs)

        return OverCpu

    def start(*_):
        if CARD["startError"] is not None:
            raise RuntimeError(CARD["startError"])

    memory = Memory()
    properties = types.SimpleNamespace(name=CARD["name"], total_memory=CARD["totalBytes"], major=8, minor=6,
                                       uuid="00000000-0000-0000-0000-000000000000")
    answers = {
        "is_available": lambda: True, "is_initialized": lambda: True, "init": start, "_lazy_init": start,
        "device_count": lambda: CARD["count"], "current_device": lambda: 0, "set_device": lambda _: None,
        "synchronize": start, "get_device_properties": lambda *_: properties, "get_device_capability": lambda *_: (8, 6),
        "get_device_name": lambda *_: CARD["name"], "mem_get_info": lambda *_: (memory.free_bytes(), CARD["totalBytes"]),
        "memory_allocated": lambda *_: memory.allocated, "memory_reserved": lambda *_: memory.reserved,
        "max_memory_allocated": lambda *_: memory.peaks["allocated"],
        "max_memory_reserved": lambda *_: memory.peaks["reserved"],
        "memory_stats": lambda *_: {"requested_bytes.all.peak": memory.peaks["requested"]},
        "reset_peak_memory_stats": lambda *_: memory.reset_peaks(), "empty_cache": memory.empty_cache,
        "set_per_process_memory_fraction": memory.allow,
    }
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
    torch._C._cuda_clearCublasWorkspaces = memory.clear_workspaces
    torch.version.cuda, torch.version.hip = (None, CARD["hip"]) if CARD["hip"] else ("13.0", None)
    torch.autocast = torch.amp.autocast = over_cpu(torch.autocast)
    torch.amp.GradScaler = over_cpu(torch.amp.GradScaler)
    _device.DeviceContext = over_cpu(_device.DeviceContext)
    OnCpu().__enter__()
    memory.__enter__()
