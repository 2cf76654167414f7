"""Gradient checkpointing, in the form that the training takes it in."""
from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch
import transformers
from torch.utils.checkpoint import checkpoint
from transformers.modeling_layers import GradientCheckpointingLayer

from .cuda_kernels import CudaKernels
from .precision import step_autocast_dtype
from .requests import Json, Spec

TRANSFORMERS_MAJOR = int(transformers.__version__.split(".")[0])


def checkpoint_blocks(model: transformers.PreTrainedModel, spec: Spec, device: str) -> None:
    """Without `reentrantCheckpoints`, in the form that the installed transformers takes by default."""
    is_reentrant = spec.get("reentrantCheckpoints", TRANSFORMERS_MAJOR < 5)
    form = {} if is_reentrant else recomputation(spec, device)
    model.gradient_checkpointing_enable({"use_reentrant": is_reentrant, **form})
    blocks = [module for module in model.modules() if isinstance(module, GradientCheckpointingLayer)]
    for number, block in enumerate(blocks, 1):
        block.gradient_checkpointing = number % spec.get("checkpointEvery", 1) == 0
    if is_reentrant and device == "meta":
        for module in model.modules():
            if hasattr(module, "_gradient_checkpointing_func"):
                module._gradient_checkpointing_func = reentrantly(spec)


def recomputation(spec: Spec, device: str) -> Json:
    """On the meta device the recomputation, which runs inside the backward pass, needs CUDA's kernels and casts again;
    autocast opens a context (and weight cache) of its own there."""
    if device != "meta":
        return {}
    return {"context_fn": lambda: (contextlib.nullcontext(), CudaKernels(step_autocast_dtype(spec)))}


def reentrantly(spec: Spec) -> Callable[..., Any]:
    """torch.utils.checkpoint's reentrant form takes no `context_fn`: what it computes again enters CUDA's kernels itself."""

    def run(function: Callable[..., Any], *args: Any) -> Any:
        def with_kernels(*inputs: Any) -> Any:
            is_recomputed = torch._C._current_graph_task_id() != -1
            with CudaKernels(step_autocast_dtype(spec)) if is_recomputed else contextlib.nullcontext():
                return function(*inputs)

        return checkpoint(with_kernels, *args, use_reentrant=True)

    return run
