"""Where models look for Mamba's kernels."""
from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from .mamba1 import fused_convolution, selective_scan
from .mamba2 import chunk_scan, fused_mamba2

MAMBA_KERNELS = {"mamba2_split_conv1d_scan_combined": fused_mamba2, "mamba2_chunk_scan": chunk_scan,
                 "mamba_selective_scan": selective_scan, "causal_conv1d_fn": fused_convolution}


def mamba_kernels(model_type: str) -> dict[tuple[ModuleType, str], Any]:
    """Stand-ins for the kernels that transformers uses if installed, by the place where the model looks for them."""
    try:
        modeling = importlib.import_module(f"transformers.models.{model_type}.modeling_{model_type}")
    except ImportError:
        return {}
    if not any(hasattr(modeling, name) for name in ("mamba2_chunk_scan", "mamba_selective_scan")):
        return {}
    return {(modeling, name): kernel for name, kernel in MAMBA_KERNELS.items()}
