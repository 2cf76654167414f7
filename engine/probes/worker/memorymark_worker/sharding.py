"""One model on several GPUs, under DistributedDataParallel or FSDP."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.nn import Module

from .device import Device
from .precision import half_dtype
from .requests import Json, Spec


def is_sharded(spec: Spec) -> bool:
    return spec.get("sharding") in ("fsdp", "fsdp-grad-op") and spec["gpus"] > 1


def distributed_model(model: Any, spec: Spec, device: Device) -> Any:
    """Wraps in DistributedDataParallel, or in FSDP at the modules that transformers says not to split, as accelerate does."""
    if spec["gpus"] == 1:
        return model
    if not is_sharded(spec):
        # As Trainer sets it: with checkpointing, unused parameters are not searched for.
        return torch.nn.parallel.DistributedDataParallel(model, find_unused_parameters=not spec["gradientCheckpointing"])
    try:
        from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
    except ImportError:  # torch before 2.6
        from torch.distributed._composable.fsdp import (  # type: ignore[attr-defined]
            MixedPrecisionPolicy,
            fully_shard,
        )

    dtype = half_dtype(spec) if spec["precision"] == "bf16-master" else None
    mesh = init_device_mesh(device.kind, (dist.get_world_size(),))
    policy: Json = {"mesh": mesh, "mp_policy": MixedPrecisionPolicy(param_dtype=dtype, reduce_dtype=dtype)}
    reshards = spec["sharding"] == "fsdp"
    reference = getattr(model, "reference", None)  # a user's own model has none
    for each in [model] if reference is None else [model, reference]:
        whole = set(each._no_split_modules or ())
        for module in [module for module in each.modules() if type(module).__name__ in whole]:
            fully_shard(module, **policy, reshard_after_forward=reshards)
        fully_shard(each, **policy)
        give_data(each, device.kind)
    return model


def give_data(model: Module, device: str) -> None:
    """Random data on the device for tensors built on meta; of a sharded parameter, this rank's shard. Integers are zero."""
    if not any(parameter.is_meta for parameter in model.parameters()):
        return
    model.to_empty(device=device)
    with torch.no_grad():
        for parameter in model.parameters():
            (parameter.to_local() if hasattr(parameter, "to_local") else parameter).normal_(0, 0.02)
        for buffer in model.buffers():
            buffer.fill_(1 if buffer.is_floating_point() else 0)
    for module in model.modules():
        for name, value in vars(module).items():
            if isinstance(value, torch.Tensor) and value.is_meta:
                setattr(module, name, torch.ones_like(value, device=device))


@contextlib.contextmanager
def gradients_stay_here(model: Any, spec: Spec, stay: bool) -> Iterator[None]:
    """With gradient accumulation, gradients are reduced across GPUs once, with the last micro-batch: accelerate's no_sync."""
    if not stay or spec.get("syncsEveryMicroBatch"):
        yield
    elif isinstance(model, torch.nn.parallel.DistributedDataParallel):
        with model.no_sync():
            yield
    elif hasattr(model, "set_requires_gradient_sync"):
        model.set_requires_gradient_sync(False)
        yield
        model.set_requires_gradient_sync(True)
    else:
        yield
