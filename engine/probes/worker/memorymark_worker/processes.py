"""Several GPUs: this worker under torchrun, one process per GPU, with one common answer."""
from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist

from .driver import cards_before_start
from .requests import Json


class Group:
    """The processes of one torchrun. Rank 0 reads requests and broadcasts them; all perform them, and rank 0 answers."""

    def __init__(self, device_kind: str | None) -> None:
        self._rank, local_rank = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
        is_cuda = device_kind == "cuda"
        if is_cuda:
            cards_before_start()
            torch.cuda.set_device(local_rank)
        # Requests and answers are host objects, sent through Gloo, which waits half an hour for the
        # next one.
        dist.init_process_group("cpu:gloo,cuda:nccl" if is_cuda else "gloo")

    def lines(self) -> Iterator[str]:
        while True:
            line: list[Any] = [sys.stdin.readline() if self._rank == 0 else None]
            dist.broadcast_object_list(line)
            if not line[0]:
                return
            yield line[0]

    def agreed(self, reply: Json) -> Json | None:
        """The highest figures of all ranks. A rank that fails answers by itself, because the others wait for it in a
        collective. If several fail together, the lowest rank answers, which ends them all."""
        if reply["kind"] == "failed" or reply["result"].get("kind") == "out-of-memory":
            time.sleep(self._rank / 2)
            return reply
        replies: list[Any] | None = [None] * dist.get_world_size() if self._rank == 0 else None
        dist.gather_object(reply, replies)
        return None if replies is None else {**reply, "result": highest_of([each["result"] for each in replies])}


def highest_among_processes(number: int) -> int:
    if not dist.is_initialized():
        return number
    numbers: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(numbers, number)
    return max(int(each) for each in numbers)


def highest_of(results: list[Any]) -> Any:
    """Merges results of the same shape: the highest of each number, and otherwise the first."""
    first = results[0]
    if isinstance(first, dict):
        return {name: highest_of([result[name] for result in results]) for name in first}
    if isinstance(first, list) and all(isinstance(each, dict) for each in first):
        return [highest_of(list(each)) for each in zip(*results, strict=True)]
    return max(results) if isinstance(first, (int, float)) else first
