"""What NVIDIA's driver reports about this machine's GPUs."""
from __future__ import annotations

import functools
import subprocess


@functools.cache
def cards_before_start() -> list[list[str]]:
    """The driver's report before this process starts CUDA: each GPU's id, MiB in use, driver version."""
    query = ["nvidia-smi", "--query-gpu=uuid,memory.used,driver_version", "--format=csv,noheader,nounits"]
    try:
        lines = subprocess.run(query, capture_output=True, text=True, timeout=10, check=True).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return []
    return [fields for line in lines if len(fields := [field.strip() for field in line.split(",")]) == 3]


def bytes_in_use(cards: list[list[str]], uuid: object) -> int:
    """Bytes used by other processes; 0 if the driver does not report the GPU."""
    return next((int(used) << 20 for identity, used, _ in cards if identity == f"GPU-{uuid}" and used.isdigit()), 0)


def driver_version(cards: list[list[str]]) -> str:
    return cards[0][2] if cards else "unknown"
