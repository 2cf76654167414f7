"""The `trial` operation: real training steps, timed, with the device's own memory counters."""
from __future__ import annotations

import functools
import gc
import math
import time
from typing import Any

import torch

from .attention import AttentionBackends, pin_attention
from .device import Device
from .devices import require_device
from .generation import generate_completions
from .optimizers import make_real_optimizer, optimizer_of
from .out_of_memory import is_out_of_host_memory, is_out_of_memory
from .processes import highest_among_processes, highest_of
from .real_step import autocast, open_step, use_tf32
from .requests import Json, Request
from .sharding import distributed_model, gradients_stay_here
from .step import Script, forward_and_backward

# Milliseconds of a step and of its optimizer, and peaks in bytes.
Figures = dict[str, Any]


class RealLoop:
    """The training loop of a spec, one step at a time."""

    # The loss scaler halves its scale each time it skips a step.
    FIRST_STEPS_AT_MOST = 8

    def __init__(self, request: Request, device: Device) -> None:
        self._spec = request["spec"]
        self._device = device
        self.attention = AttentionBackends()
        use_tf32(self._spec)
        if device.kind == "cuda":
            pin_attention(self._spec)
        self._step = open_step(request, device)
        self._model = distributed_model(self._step.model, self._spec, device)
        self._training = self._spec["step"] == "training"
        # From its default of 65,536 the scaler would skip the first steps, and a skipped optimizer
        # allocates no state.
        self._scaler = torch.amp.GradScaler(device.kind, init_scale=1.0,
                                            enabled=self._spec["precision"] == "amp-fp16" and self._training)
        trained = [parameter for parameter in self._model.parameters() if parameter.requires_grad]
        self._optimizer = optimizer_of(self._spec, self._model, make_real_optimizer) if self._training else None
        self._trained = trained
        self._script = Script(self._spec, self._release_gradients)

    def steps(self, count: int) -> list[Figures]:
        """Figures of `count` steps, at least two, because the optimizer state exists only from the second on. Of
        more than two, the second is repeated as warm-up for as long as the device needs, and its highest figures
        count."""
        # To watch every function that Python calls takes its time, so only a step that is not timed is watched.
        with self.attention:
            first = self._first()
        second = self._later()
        if count <= 2:
            return [first, second]
        missing = math.ceil(self._device.warm_up_millis / max(second["millis"], 0.1)) - 1
        warm_up = [second, *(self._later() for _ in range(highest_among_processes(missing)))]
        return [first, highest_of(warm_up), *(self._later() for _ in range(count - 2))]

    def _first(self) -> Figures:
        for _ in range(self.FIRST_STEPS_AT_MOST):
            figures, was_skipped = self._run()
            if not was_skipped:
                return figures
        raise RuntimeError("the gradients are infinite even at the lowest scale of the loss, so that the optimizer never steps; "
                           "train in amp-bf16")

    def _later(self) -> Figures:
        figures, was_skipped = self._run()
        if was_skipped:
            raise RuntimeError("a gradient was infinite, so that a measured step skipped its optimizer; train in amp-bf16")
        return figures

    def _release_gradients(self) -> None:
        for parameter in self._trained:
            parameter.grad = None

    def _run(self) -> tuple[Figures, bool]:
        """Milliseconds and peaks of one step and of its optimizer, and whether the loss scaler skipped the optimizer."""
        # A data loader prepares batches beside the step. All micro-batches are alike, so one at a
        # time exists.
        batch = self._step.batch(self._spec)
        self._device.synchronize()
        self._device.reset_peaks()
        started = time.perf_counter()
        batches = self._spec["gradientAccumulation"] if self._training else 1
        kernels = functools.partial(autocast, self._spec, self._device)
        generate_completions(self._step.model, self._spec, self._device.kind, kernels)
        for index in range(batches):
            with gradients_stay_here(self._model, self._spec, index < batches - 1):
                forward_and_backward(self._model, self._spec, batch, kernels, self._scaler.scale, self._script)
        del batch
        self._device.synchronize()
        scale = self._scaler.get_scale()
        optimizer_started = time.perf_counter()
        if self._optimizer is not None:
            self._scaler.step(self._optimizer)
            self._scaler.update()
        self._script.step_ends()
        self._device.synchronize()
        ended = time.perf_counter()
        figures: Figures = {"millis": (ended - started) * 1_000, "optimizerMillis": (ended - optimizer_started) * 1_000,
                            **self._device.peaks()}
        return figures, self._scaler.get_scale() < scale


def trial(request: Request) -> Json:
    device = require_device(request)
    loop: RealLoop | None = None
    try:
        device.restrict()
        loop = RealLoop(request, device)
        steps = loop.steps(request["steps"])
        return {"kind": "fits", "steps": steps, "attention": sorted(loop.attention.names)}
    except Exception as error:
        if is_out_of_memory(error, device):
            return {"kind": "out-of-memory", "message": f"{type(error).__name__}: {error}"[:2_000]}
        if is_out_of_host_memory(error):
            raise RuntimeError("the host ran out of memory, not the GPU: run on a host with more") from error
        raise
    finally:
        loop = None
        gc.collect()
        device.empty()
