"""For each precision of a spec: the dtype of weights, and the dtype of autocast."""
from __future__ import annotations

import torch

from .requests import Spec

# With bf16-master, FSDP's own weights are the float32 masters, of which it gathers 16-bit copies.
WEIGHT_DTYPES = {"fp32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16, "bf16-master": torch.float32,
                 "amp-bf16": torch.float32, "amp-fp16": torch.float32}
_AUTOCASTS = {"bf16-master", "amp-bf16", "amp-fp16"}


def weight_dtype(spec: Spec) -> torch.dtype:
    dtype = WEIGHT_DTYPES[spec["precision"]]
    return half_dtype(spec) if dtype == torch.bfloat16 else dtype


def half_dtype(spec: Spec) -> torch.dtype:
    return torch.float16 if spec.get("inFloat16") or spec["precision"] == "amp-fp16" else torch.bfloat16


def autocast_dtype(spec: Spec) -> torch.dtype | None:
    mixes = spec["precision"] in _AUTOCASTS or (spec.get("autocasts") and spec["precision"] == "bf16")
    return half_dtype(spec) if mixes else None


def takes_streamed_loss(spec: Spec) -> bool:
    """Liger's loss of GRPO."""
    return spec.get("fusedLoss", False) and "method" in spec and spec["method"]["kind"] == "online"


def step_autocast_dtype(spec: Spec) -> torch.dtype | None:
    """TRL's compute_liger_loss calls the model's body, around which accelerate puts no autocast."""
    return None if takes_streamed_loss(spec) and spec["precision"] != "bf16-master" else autocast_dtype(spec)
