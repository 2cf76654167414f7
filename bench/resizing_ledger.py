"""Follows storages on the CPU from their allocation to their release, those too that FSDP resizes in place."""

from typing import Any

import torch
from memorymark_worker.ledger import StorageLedger, allocated_bytes


class ResizingLedger(StorageLedger):
    def __init__(self) -> None:
        super().__init__("cpu")

    def __enter__(self) -> "ResizingLedger":
        self._resize = torch.UntypedStorage.resize_

        def resize(storage: torch.UntypedStorage, size: int) -> torch.UntypedStorage:
            self._resize(storage, size)
            self.resized(storage)
            return storage

        torch.UntypedStorage.resize_ = resize  # type: ignore[assignment]
        return super().__enter__()

    def __exit__(self, *exc: Any) -> Any:
        torch.UntypedStorage.resize_ = self._resize  # type: ignore[method-assign]
        return super().__exit__(*exc)

    def resized(self, storage: torch.UntypedStorage) -> None:
        known = self._sizes.get(storage._cdata)
        if known is not None:
            self._sizes[storage._cdata] = allocated_bytes(storage)
            self.live_bytes += self._sizes[storage._cdata] - known
            self.peak_bytes = max(self.peak_bytes, self.live_bytes)
