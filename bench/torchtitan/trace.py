"""Runs training steps of torchtitan's own models and parallelisms on the CPU and follows every storage, for one of several GPUs.

The other GPUs are PyTorch's fake process group: collectives return at once, and allocate what they always do. Needs torchtitan
0.2.2 beside the worker's packages; from the repository's root, over the cells of traced.json:

    PYTHONPATH=engine/probes/worker:bench python bench/torchtitan/trace.py bench/torchtitan/traced.json
"""

import gc
import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ |= {"RANK": "0", "LOCAL_RANK": "0", "OMP_NUM_THREADS": "1"}

import torch
import torch.distributed as dist
import torchtitan.distributed.activation_checkpoint
import torchtitan.distributed.parallel_dims
import torchtitan.models.llama3 as llama3
from cuda_stand_ins import Kernels, Ledger
from torch.testing._internal.distributed.fake_pg import FakeStore
from torchtitan.components.loss import build_cross_entropy_loss
from torchtitan.components.optimizer import build_optimizers
from torchtitan.config.job_config import JobConfig
from torchtitan.distributed import ParallelDims
from torchtitan.distributed.utils import clip_grad_norm_, get_train_context

STEPS = 3
torchtitan.distributed.parallel_dims.device_type = "cpu"


def job_of(cell: dict[str, Any]) -> JobConfig:
    job = JobConfig()
    for path, value in cell.get("settings", {}).items():
        section, key = path.split(".")
        setattr(getattr(job, section), key, value)
    return job


def dims_of(job: JobConfig, gpus: int) -> ParallelDims:
    degrees = job.parallelism
    return ParallelDims(
        dp_replicate=degrees.data_parallel_replicate_degree, dp_shard=degrees.data_parallel_shard_degree, cp=1,
        tp=degrees.tensor_parallel_degree, pp=1, ep=1, etp=1, world_size=gpus)


def done_at_once(_: Any, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
    future: torch.futures.Future[torch.Tensor] = torch.futures.Future()
    future.set_result(bucket.buffer())
    return future


def recompute_with_kernels(model: torch.nn.Module, autocast: torch.dtype | None) -> None:
    """A recomputation opens an autocast context of its own, with a cache of its own of cast weights."""

    def in_own_context(forward: Any) -> Any:
        def run(*args: Any, **kwargs: Any) -> Any:
            if torch._C._current_graph_task_id() == -1:
                return forward(*args, **kwargs)
            with Kernels(autocast):
                return forward(*args, **kwargs)

        return run

    for block in model.modules():
        if isinstance(block, llama3.model.model.TransformerBlock):
            block.forward = in_own_context(block.forward)  # type: ignore[method-assign]


def steps_of(cell: dict[str, Any], ledger: Ledger) -> int:
    """The peak in bytes of a step that finds the optimizer's state."""
    job = job_of(cell)
    dims = dims_of(job, cell["gpus"])
    dims.build_mesh()
    args = llama3.TransformerModelArgs(**cell["model"])
    args.update_from_config(job)
    with torch.device("meta"):
        model = llama3.Transformer(args)
    torchtitan.distributed.activation_checkpoint._layer_sac_count = 0  # of every model that the process has made
    model = llama3.parallelize_llama(model, dims, job)
    if dims.dp_replicate_enabled and not dims.fsdp_enabled:
        model.register_comm_hook(None, done_at_once)  # the fake group's own answer is not what DDP waits for
    model.to_empty(device="cpu")
    model.train()
    loss_of = build_cross_entropy_loss(job)
    context = get_train_context(dims.tp_enabled and not job.parallelism.disable_loss_parallel)
    is_mixed = not dims.fsdp_enabled and not dims.tp_enabled
    autocast = torch.bfloat16 if is_mixed else None
    recompute_with_kernels(model, autocast)
    optimizer = build_optimizers([model], job.optimizer, dims)

    def step() -> None:
        optimizer.zero_grad()
        losses = []
        for _ in range(cell.get("accumulation", 1)):
            shape = job.training.local_batch_size, job.training.seq_len
            ids, labels = (torch.zeros(shape, dtype=torch.int64) for _ in range(2))
            with context():
                with Kernels(autocast):
                    logits = model(ids)
                    loss = loss_of(logits, labels) / 8.0
                del logits
                loss.backward()
            losses.append(loss.detach())
        clip_grad_norm_(model.parameters(), job.training.max_norm, foreach=True)
        optimizer.step()

    gc.collect()
    for _ in range(STEPS):
        ledger.peak_bytes = ledger.live_bytes
        step()
    return ledger.peak_bytes


def trace(cell: dict[str, Any]) -> dict[str, int]:
    os.environ["WORLD_SIZE"] = str(cell["gpus"])
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=cell["gpus"])
    try:
        with Ledger() as ledger:
            return {"peakBytes": steps_of(cell, ledger)}
    finally:
        dist.destroy_process_group()
        gc.collect()


def main() -> None:
    file = Path(sys.argv[1])
    lines = []
    for cell in json.loads(file.read_text()):
        lines.append(json.dumps({**cell, **trace(cell)}))
        print(lines[-1], flush=True)
    file.write_text("[\n  " + ",\n  ".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
