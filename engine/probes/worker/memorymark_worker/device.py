"""The interface of a device that real steps run on."""
from __future__ import annotations

from typing import Any, Protocol


class Device(Protocol):
    """A device's properties, its memory limit and its counters. In bytes unless the name says otherwise."""

    kind: str
    # How long a step is repeated until the device runs at full speed.
    warm_up_millis: int

    def facts(self) -> dict[str, Any]: ...

    def restrict(self) -> None: ...

    def synchronize(self) -> None: ...

    def reset_peaks(self) -> None: ...

    def peaks(self) -> dict[str, int]: ...

    def empty(self) -> None: ...

    def memory_is_short(self) -> bool: ...
