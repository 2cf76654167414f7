"""A CUDA device and its memory counters, with an optional limit to play a smaller card."""
from __future__ import annotations

import torch
import torch.nn.functional as F

from .driver import bytes_in_use, cards_before_start, driver_version
from .out_of_memory import SHORT_OF_MEMORY_SHARE
from .requests import Json


class CudaDevice:
    """With a limit, PyTorch may reserve the smaller card's memory less that card's CUDA context."""

    kind = "cuda"
    # The clocks of a card that was idle take this long to rise.
    warm_up_millis = 1_000

    def __init__(self, limit_bytes: int | None, played_context_bytes: int | None = None) -> None:
        in_use = cards_before_start()  # first: from here on our own context counts too
        self._properties = torch.cuda.get_device_properties(torch.cuda.current_device())
        self._card_bytes = self._properties.total_memory
        self._other_bytes = bytes_in_use(in_use, getattr(self._properties, "uuid", None))
        load_libraries()
        self._total_bytes: int = self._card_bytes
        self._played_context_bytes: int | None = None
        if limit_bytes is not None and limit_bytes < self._card_bytes:
            self._total_bytes = limit_bytes
            self._played_context_bytes = self.context_bytes() if played_context_bytes is None else played_context_bytes
            if limit_bytes <= self._played_context_bytes:
                raise ValueError(f"the memory limit of {limit_bytes} bytes is below the CUDA context's "
                                 f"{self._played_context_bytes}")
        self.restrict()

    def context_bytes(self) -> int:
        """Bytes of this process outside PyTorch's allocator. Grows as kernels are loaded."""
        free_bytes, total_bytes = torch.cuda.mem_get_info()
        return max(0, total_bytes - free_bytes - torch.cuda.memory_reserved() - self._other_bytes)

    def usable_bytes(self) -> int:
        """Bytes that PyTorch may reserve: what is free on the GPU, or less for a smaller card that is played."""
        free_bytes = max(0, self._card_bytes - self._other_bytes - self.context_bytes())
        if self._played_context_bytes is None:
            return free_bytes
        return min(free_bytes, self._total_bytes - self._played_context_bytes)

    def restrict(self) -> None:
        """Set before each trial, because the CUDA context grows. Also set without a limit, because under WSL a full
        GPU spills into host memory instead of failing."""
        torch.cuda.set_per_process_memory_fraction(self.usable_bytes() / self._card_bytes)

    def cublas_workspace_bytes(self) -> int:
        """Bytes that PyTorch allocates for cuBLAS at a thread's first matrix product."""
        torch._C._cuda_clearCublasWorkspaces()
        matrix = torch.zeros(64, 64, device="cuda")
        before = torch.cuda.memory_allocated()
        product = matrix @ matrix
        return torch.cuda.memory_allocated() - before - product.untyped_storage().nbytes()

    def facts(self) -> Json:
        played = self._played_context_bytes
        return {"kind": "cuda", "name": self._properties.name, "count": torch.cuda.device_count(),
                "totalBytes": self._total_bytes, "contextBytes": self.context_bytes() if played is None else played,
                "otherBytes": self._other_bytes, "isCapped": played is not None, "usableBytes": self.usable_bytes(),
                "cublasWorkspaceBytes": self.cublas_workspace_bytes(),
                "driver": driver_version(cards_before_start()),
                "cuda": torch.version.cuda, "rocm": torch.version.hip,
                "computeCapability": [self._properties.major, self._properties.minor]}

    def synchronize(self) -> None:
        torch.cuda.synchronize()

    def reset_peaks(self) -> None:
        torch.cuda.reset_peak_memory_stats()

    def peaks(self) -> dict[str, int]:
        # Allocated counts whole blocks, each up to 1 MiB larger than requested; requested counts
        # the request.
        return {"peakAllocatedBytes": torch.cuda.max_memory_allocated(),
                "peakRequestedBytes": torch.cuda.memory_stats().get("requested_bytes.all.peak", 0),
                "peakReservedBytes": torch.cuda.max_memory_reserved(), "contextBytes": self.context_bytes()}

    def empty(self) -> None:
        torch._C._cuda_clearCublasWorkspaces()
        torch.cuda.empty_cache()

    def memory_is_short(self) -> bool:
        return torch.cuda.max_memory_reserved() > SHORT_OF_MEMORY_SHARE * self.usable_bytes()


def load_libraries() -> None:
    """Creates the CUDA context and loads the libraries of every step, so that it has grown before it is measured."""
    with torch.no_grad():
        matrix = torch.zeros(64, 64, device="cuda")
        F.conv2d((matrix @ matrix).view(1, 1, 64, 64), matrix[:3, :3].reshape(1, 1, 3, 3))
    torch.cuda.synchronize()
