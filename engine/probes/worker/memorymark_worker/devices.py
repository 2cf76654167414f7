"""The device that real steps run on."""
from __future__ import annotations

import os
import platform
from collections.abc import Callable

import torch

from .cuda_device import CudaDevice
from .device import Device
from .driver import cards_before_start
from .out_of_memory import SHORT_OF_MEMORY_SHARE
from .requests import Json, Request
from .versions import versions


class CpuDevice:
    """PyTorch does not count memory on the CPU, so a step has a time but no peak."""

    kind = "cpu"
    warm_up_millis = 0

    def __init__(self, limit_bytes: int | None, played_context_bytes: int | None = None) -> None:
        if limit_bytes is None:
            return
        import resource

        in_use = int(status_field("VmData")) * 1024
        resource.setrlimit(resource.RLIMIT_DATA, (in_use + limit_bytes, in_use + limit_bytes))

    def facts(self) -> Json:
        return {"kind": "cpu", "name": platform.processor() or platform.machine()}

    def restrict(self) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def reset_peaks(self) -> None:
        pass

    def peaks(self) -> dict[str, int]:
        return {}

    def empty(self) -> None:
        pass

    def memory_is_short(self) -> bool:
        return False


class MpsDevice:
    """Metal has no peak counter for tensors; its driver's total only grows until the cache is emptied, so that serves as one."""

    kind = "mps"
    warm_up_millis = 0

    def __init__(self, limit_bytes: int | None, played_context_bytes: int | None = None) -> None:
        self._total_bytes = torch.mps.recommended_max_memory()
        if limit_bytes is not None:
            torch.mps.set_per_process_memory_fraction(min(1.0, limit_bytes / self._total_bytes))
            self._total_bytes = min(limit_bytes, self._total_bytes)

    def facts(self) -> Json:
        return {"kind": "mps", "name": platform.processor() or "Apple GPU", "totalBytes": self._total_bytes,
                "contextBytes": 0}

    def restrict(self) -> None:
        pass

    def synchronize(self) -> None:
        torch.mps.synchronize()

    def reset_peaks(self) -> None:
        torch.mps.empty_cache()

    def peaks(self) -> dict[str, int]:
        return {"peakReservedBytes": torch.mps.driver_allocated_memory()}

    def empty(self) -> None:
        torch.mps.empty_cache()

    def memory_is_short(self) -> bool:
        return torch.mps.driver_allocated_memory() > SHORT_OF_MEMORY_SHARE * self._total_bytes


DEVICES: dict[str, Callable[[int | None, int | None], Device]] = {"cuda": CudaDevice, "mps": MpsDevice, "cpu": CpuDevice}
_open_devices: dict[str, Device] = {}


def open_device(request: Request) -> Device | None:
    """Each process uses one device with one limit, because the limits cannot be removed."""
    kind = request.get("device") or best_device()
    if kind is None:
        return None
    if kind not in _open_devices:
        _open_devices[kind] = DEVICES[kind](request.get("limitMemoryBytes"), request.get("playedContextBytes"))
    return _open_devices[kind]


def best_device() -> str | None:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else None


def require_device(request: Request) -> Device:
    device = open_device(request)
    if device is None:
        raise RuntimeError("PyTorch sees neither a CUDA nor an MPS device")
    return device


def status_field(name: str) -> str:
    with open("/proc/self/status", encoding="ascii") as status:
        return next(line.split()[1] for line in status if line.startswith(f"{name}:"))


def device_facts(request: Request) -> Json:
    """A GPU that PyTorch sees but cannot start is reported as broken, not as missing."""
    try:
        device = open_device(request)
        facts = none_or_broken() if device is None else device.facts()
    except (RuntimeError, torch.cuda.DeferredCudaCallError) as error:
        facts = {"kind": "broken", "why": str(error)[:2_000]}
    return {**versions(request), "device": facts}


def none_or_broken() -> Json:
    """Why a CUDA build of PyTorch does not see an NVIDIA GPU of this machine, such as a driver that is too old."""
    hides_all = os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1")
    if torch.version.cuda is not None and cards_before_start() and not hides_all:
        torch.cuda.init()
    return {"kind": "none"}
