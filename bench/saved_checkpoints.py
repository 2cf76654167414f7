"""What libraries do when they save a checkpoint of a model that several GPUs divide, with what they move to the host told apart
from what stays on the GPU, although both are the CPU's memory here.
"""

import contextlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.distributed as dist
from resizing_ledger import ResizingLedger
from torch import Tensor
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, get_optimizer_state_dict
from torch.distributed.fsdp import FullOptimStateDictConfig, FullStateDictConfig, FullyShardedDataParallel, StateDictType
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_iter

# torch.distributed's own functions that move a tensor to the host by `to`
MOVERS = {"flat_param_to", "_iterate_state_dict", "_flatten_tensor_optim_state"}


class HostLedger(ResizingLedger):
    """Counts what is on the GPU: what went to the host, and what is computed there of nothing else, is left out."""

    def __init__(self) -> None:
        super().__init__()
        self._on_host: list[Tensor] = []
        self._host_storages: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = [value for value in tree_iter((args, kwargs)) if isinstance(value, torch.Tensor)]
        if given and all(map(self.is_on_host, given)):
            with _disable_current_modes():
                result = func(*args, **(kwargs or {}))
            for value in tree_iter(result):
                if isinstance(value, torch.Tensor):
                    self.keep(value)
            return result
        return super().__torch_dispatch__(func, types, args, kwargs)

    def enter(self, tensor: Tensor) -> None:
        if not self.is_on_host(tensor):
            super().enter(tensor)

    def keep(self, tensor: Tensor) -> None:
        """On the host until the ledger is gone, so that no later storage has its address."""
        part = own_part(tensor)
        self._on_host.append(part)
        self._host_storages.add(part.untyped_storage()._cdata)

    def is_on_host(self, tensor: Tensor) -> bool:
        return own_part(tensor).untyped_storage()._cdata in self._host_storages

    @contextlib.contextmanager
    def with_host(self) -> Iterator[None]:
        to = torch.Tensor.to

        def copied(tensor: Tensor, *_: Any) -> Tensor:
            with _disable_current_modes():
                copy = tensor.detach().clone()
            self.keep(copy)
            return copy

        def moved(tensor: Tensor, *args: Any, **kwargs: Any) -> Tensor:
            if MOVERS & callers():
                return copied(tensor)
            result = to(tensor, *args, **kwargs)
            is_to_gpu = any(isinstance(value, torch.device) for value in (*args, *kwargs.values()))
            return copied_to_gpu(result) if is_to_gpu and self.is_on_host(result) else result

        cpu = torch.Tensor.cpu
        torch.Tensor.cpu, torch.Tensor.to = copied, moved  # type: ignore[assignment, method-assign]
        try:
            yield
        finally:
            torch.Tensor.cpu, torch.Tensor.to = cpu, to  # type: ignore[method-assign]


@contextlib.contextmanager
def objects_of_one() -> Iterator[None]:
    """The fake process group moves nothing: every process has told what this one tells."""
    gather, broadcast = dist.all_gather_object, dist.broadcast_object_list

    def same(gathered: list[Any], own: Any, group: Any = None) -> None:
        gathered[:] = [own] * len(gathered)

    dist.all_gather_object, dist.broadcast_object_list = same, lambda *_, **__: None
    try:
        yield
    finally:
        dist.all_gather_object, dist.broadcast_object_list = gather, broadcast


def callers() -> set[str]:
    """Names of the function that calls `to`, and of the one around it where that is a comprehension."""
    frame = sys._getframe(2)
    return {frame.f_code.co_name, frame.f_back.f_code.co_name if frame.f_code.co_name == "<listcomp>" else ""}


def own_part(tensor: Tensor) -> Tensor:
    """Of a tensor that is divided among GPUs."""
    return tensor._local_tensor if isinstance(tensor, DTensor) else tensor


def copied_to_gpu(tensor: Tensor) -> Tensor:
    part = own_part(tensor)
    copy = torch.empty(part.shape, dtype=part.dtype).copy_(part)
    if not isinstance(tensor, DTensor):
        return copy
    return DTensor.from_local(
        copy, tensor.device_mesh, tensor.placements, run_check=False, shape=tensor.shape, stride=tensor.stride()
    )


def give_empty_states(optimizer: Any) -> None:
    """Of parameters that lie on other GPUs altogether, whose states those would have told of."""
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    known = next(iter(optimizer.state.values()), {})
    for parameter in parameters:
        if known and parameter.numel() == 0:
            optimizer.state[parameter] = {
                name: value if value.dim() == 0 else value.new_empty(0) for name, value in known.items()
            }


def whole_flat(model: Any, optimizer: Any) -> None:
    """FSDP1: lightning 2.6 strategies/fsdp.py with `state_dict_type: full`, and accelerate 1.15 utils/fsdp_utils.py."""
    weights = FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
    state = FullOptimStateDictConfig(offload_to_cpu=True, rank0_only=True)
    give_empty_states(optimizer)
    with FullyShardedDataParallel.state_dict_type(model, StateDictType.FULL_STATE_DICT, weights, state):
        saved = model.state_dict()
        moments = FullyShardedDataParallel.optim_state_dict(model, optimizer)
    del saved, moments


def whole_tensors(model: Any, optimizer: Any) -> None:
    """FSDP2: accelerate 1.15 Accelerator.get_state_dict and utils/fsdp_utils.py save_fsdp_optimizer."""
    options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True, cpu_offload=True)
    saved = get_model_state_dict(model, options=options)
    moments = get_optimizer_state_dict(model, optimizer, options=options)
    del saved, moments


def gathered_tensors(model: Any) -> dict[str, Tensor]:
    """torchtune 0.6 training/_distributed.py gather_cpu_state_dict."""
    saved = {}
    for name, parameter in model.state_dict().items():
        if hasattr(parameter, "_local_tensor"):
            parameter = parameter.full_tensor()
        saved[name] = parameter.cpu()
    return saved


def torchtune_tensors(model: Any, optimizer: Any) -> None:
    """torchtune 0.6 training/checkpointing/_checkpoint_client.py _save_checkpoint_sync."""
    saved = gathered_tensors(model)
    options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True, cpu_offload=True)
    moments = get_optimizer_state_dict(model, optimizer, options=options)
    del saved, moments


def deepspeed_parts(engine: Any, optimizer: Any) -> None:
    """lightning 2.6 strategies/deepspeed.py: DeepSpeed's own checkpoint, of which each process writes its part."""
    moments = optimizer.state_dict()
    with tempfile.TemporaryDirectory() as folder:
        engine.save_checkpoint(folder)
    del moments


def zero3_weights(engine: Any, _: Any) -> None:
    """accelerate 1.15 Accelerator.get_state_dict with `stage3_gather_16bit_weights_on_model_save`."""
    engine._zero3_consolidated_16bit_state_dict()


SAVERS: dict[str, Callable[[Any, Any], None]] = {
    "flat": whole_flat, "tensors": whole_tensors, "torchtune": torchtune_tensors, "zero3": zero3_weights,
    "parts": deepspeed_parts,
}


def save(ledger: HostLedger, name: str, model: Any, optimizer: Any) -> None:
    with ledger.with_host(), objects_of_one():
        SAVERS[name](model, optimizer)
