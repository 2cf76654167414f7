"""MemoryMark's PyTorch worker: one JSON request a line on stdin, one JSON answer a line on stdout.

The `trace` operation runs real training steps of the real transformers model on the meta device, where tensors have shapes
but no data, and follows every storage from its allocation to its release. The kernels are those that CUDA would pick:
on the meta device PyTorch itself would fall back to the CPU's compositions, which save more. The `trial` operation runs the
same steps for real and reads the device's own counters.
"""
from __future__ import annotations

import os
import sys

import torch

# transformers reads both when it is imported.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

TORCH_VERSION = tuple(int(part) for part in torch.__version__.split(".")[:2])
if TORCH_VERSION < (2, 4):
    sys.exit(f"PyTorch {torch.__version__} is too old: 2.4 or newer is needed")
