"""What NVIDIA's driver says of the cards of this machine."""

import functools
import subprocess


@functools.cache
def cards_before_start() -> list[list[str]]:
    """What the driver says of each card before this process starts CUDA: its id, the MiB in use, the driver's version."""
    query = ["nvidia-smi", "--query-gpu=uuid,memory.used,driver_version", "--format=csv,noheader,nounits"]
    try:
        lines = subprocess.run(query, capture_output=True, text=True, timeout=10, check=True).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return []
    return [fields for line in lines if len(fields := [field.strip() for field in line.split(",")]) == 3]


def bytes_in_use(cards: list[list[str]], uuid: object) -> int:
    """By other processes. Where the driver does not tell, they cannot be told from this process's own context."""
    return next((int(used) << 20 for identity, used, _ in cards if identity == f"GPU-{uuid}" and used.isdigit()), 0)


def driver_version(cards: list[list[str]]) -> str:
    return cards[0][2] if cards else "unknown"
