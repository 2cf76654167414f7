"""The model and batches of a real step: a catalogue model's or the user's own."""
from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
from contextlib import AbstractContextManager
from typing import Any

import torch

from .batches import fill, make_batch
from .device import Device
from .model import build_model
from .precision import step_autocast_dtype
from .requests import Request, Spec
from .sharding import is_sharded


class OwnStep:
    """The user's own model, from `path.py:function`. The function takes the spec and the device's name and returns
    (model, make_batch); make_batch(micro_batch) returns the model's keyword arguments. The model's answer has a `.loss`."""

    def __init__(self, request: Request, device: str) -> None:
        path, _, name = request["entrypoint"].rpartition(":")
        os.chdir(request.get("folder", "."))
        # Appended, so that no installed package is hidden, unlike with `python path.py`.
        sys.path.extend([os.path.dirname(path), *request.get("importFolders", [])])
        module_spec = importlib.util.spec_from_file_location("memorymark_entrypoint", path)
        if module_spec is None or module_spec.loader is None:
            raise ValueError(f"{request['entrypoint']} does not name a function as path.py:function")
        module = importlib.util.module_from_spec(module_spec)
        module_spec.loader.exec_module(module)
        self.model, self._make_batch = getattr(module, name)(request["spec"], device)

    def batch(self, spec: Spec) -> Any:
        return self._make_batch(spec["microBatch"])


class CatalogueStep:
    """The transformers model of the spec, weights random: memory does not depend on their values."""

    def __init__(self, request: Request, device: str) -> None:
        self._device = device
        # A model that will be sharded is built on meta, because whole it may not fit into the GPU,
        # or once per process into the host.
        self.model = build_model(request, "meta" if is_sharded(request["spec"]) else device, runs_on=device)

    def batch(self, spec: Spec) -> dict[str, Any]:
        return fill(make_batch(spec, self.model, self._device), spec, self.model)


def open_step(request: Request, device: Device) -> OwnStep | CatalogueStep:
    return OwnStep(request, device.kind) if request.get("entrypoint") else CatalogueStep(request, device.kind)


def autocast(spec: Spec, device: Device) -> AbstractContextManager[Any]:
    dtype = step_autocast_dtype(spec)
    return contextlib.nullcontext() if dtype is None else torch.autocast(device.kind, dtype)


def use_tf32(spec: Spec) -> None:
    torch.backends.cuda.matmul.allow_tf32 = spec["precision"] == "tf32"
