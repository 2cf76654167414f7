"""What libraries do when they go on from a checkpoint of a model that several GPUs divide. What a file is read to is the host."""

import contextlib
import gc
import glob
import tempfile
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import torch
import torch.distributed as dist
from saved_checkpoints import HostLedger, give_empty_states, objects_of_one
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)
from torch.distributed.fsdp import FullOptimStateDictConfig, FullStateDictConfig, FullyShardedDataParallel, StateDictType
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_iter, tree_map_only


def read_from_file(ledger: HostLedger, saved: Any) -> Any:
    with _disable_current_modes():
        read = tree_map_only(torch.Tensor, lambda tensor: tensor.detach().clone(), saved)
    return kept(ledger, read)


def kept(ledger: HostLedger, read: Any) -> Any:
    for value in tree_iter(read):
        if isinstance(value, torch.Tensor):
            ledger.keep(value)
    return read


def begin_anew(ledger: HostLedger, optimizer: Any) -> None:
    """As in a process that has just started."""
    optimizer.state.clear()
    gc.collect()
    ledger.peak_bytes = ledger.live_bytes


def own_shards(ledger: HostLedger, model: Any, optimizer: Any) -> None:
    """FSDP2: accelerate 1.15 utils/fsdp_utils.py load_fsdp_model and load_fsdp_optimizer, of SHARDED_STATE_DICT."""
    weights, state = read_states(ledger, model, optimizer, StateDictOptions())
    options = StateDictOptions(cpu_offload=True)
    set_model_state_dict(model, weights, options=options)
    # torch.distributed.checkpoint.load copies into what these hold on the host.
    get_optimizer_state_dict(model, optimizer, options=options)
    set_optimizer_state_dict(model, optimizer, state, options=options)


def whole_tensors(ledger: HostLedger, model: Any, optimizer: Any) -> None:
    """The same of FULL_STATE_DICT."""
    set_whole(ledger, model, optimizer, StateDictOptions(full_state_dict=True, broadcast_from_rank0=True, cpu_offload=True))


def torchtune_tensors(ledger: HostLedger, model: Any, optimizer: Any) -> None:
    """torchtune 0.6 training/_distributed.py load_from_full_optimizer_state_dict."""
    set_whole(ledger, model, optimizer, StateDictOptions(full_state_dict=True, broadcast_from_rank0=True))


def set_whole(ledger: HostLedger, model: Any, optimizer: Any, options: StateDictOptions) -> None:
    weights, state = read_states(ledger, model, optimizer, StateDictOptions(full_state_dict=True))
    set_model_state_dict(model, weights, options=options)
    set_optimizer_state_dict(model, optimizer, state, options=options)


def read_states(ledger: HostLedger, model: Any, optimizer: Any, options: StateDictOptions) -> tuple[Any, Any]:
    weights = read_from_file(ledger, get_model_state_dict(model, options=options))
    state = read_from_file(ledger, get_optimizer_state_dict(model, optimizer, options=options))
    begin_anew(ledger, optimizer)
    return weights, state


def whole_flat(ledger: HostLedger, model: Any, optimizer: Any) -> None:
    """FSDP1: lightning 2.6 strategies/fsdp.py load_checkpoint, of a whole checkpoint."""
    weights = FullStateDictConfig(offload_to_cpu=True, rank0_only=False)
    state = FullOptimStateDictConfig(offload_to_cpu=True, rank0_only=False)
    give_empty_states(optimizer)
    with FullyShardedDataParallel.state_dict_type(model, StateDictType.FULL_STATE_DICT, weights, state):
        read = read_from_file(ledger, model.state_dict())
        moments = read_from_file(ledger, FullyShardedDataParallel.optim_state_dict(model, optimizer))
        begin_anew(ledger, optimizer)
        model.load_state_dict(read)
        loaded = FullyShardedDataParallel.optim_state_dict_to_load(model, optimizer, moments)
        optimizer.load_state_dict(loaded)


LOADERS: dict[str, Callable[[HostLedger, Any, Any], None]] = {
    "shards": own_shards, "tensors": whole_tensors, "torchtune": torchtune_tensors, "flat": whole_flat,
}


def resume(ledger: HostLedger, name: str, model: Any, optimizer: Any) -> None:
    optimizer.zero_grad()
    with ledger.with_host(), objects_of_one():
        LOADERS[name](ledger, model, optimizer)


@contextlib.contextmanager
def reading_files(ledger: HostLedger) -> Iterator[None]:
    """Of what torch.load reads, nothing is on the GPU."""
    load = torch.load

    def read(*args: Any, **kwargs: Any) -> Any:
        with _disable_current_modes():
            loaded = load(*args, **kwargs)
        return kept(ledger, loaded)

    with mock.patch.object(torch, "load", read), ledger.with_host(), objects_of_one():
        yield


def resume_deepspeed(ledger: HostLedger, engines: list[Any], make: Callable[[], Any]) -> int:
    """transformers 5.18 integrations/deepspeed.py and lightning 2.6 strategies/deepspeed.py: DeepSpeed's own checkpoint, which an
    engine that has just been made loads. Returns the bytes that the one before it left behind."""
    with tempfile.TemporaryDirectory() as folder:
        with _disable_current_modes(), objects_of_one():
            engines[0].save_checkpoint(folder, tag="step")
        for path in glob.glob(f"{folder}/step/*zero_pp_rank_{dist.get_rank()}_*"):
            for rank in range(dist.get_world_size()):
                give_copy(path, path.replace(f"pp_rank_{dist.get_rank()}_", f"pp_rank_{rank}_"))
        engines.clear()
        gc.collect()
        left = ledger.live_bytes
        anew = make()
        ledger.peak_bytes = ledger.live_bytes
        with reading_files(ledger):
            anew.load_checkpoint(folder, tag="step")
    return left


def give_copy(path: str, other: str) -> None:
    """The other GPUs' files have to be there, and are not read."""
    if other != path:
        with open(other, "wb"):
            pass
