"""The interface of a device that real steps run on."""

from typing import Any, Protocol


class Device(Protocol):
    """What a device tells of itself, and how its memory is limited and counted. Figures in bytes unless named otherwise."""

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
