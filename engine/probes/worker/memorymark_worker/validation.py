"""The two checks: `validate-backward` and `validate-compile`."""
from __future__ import annotations

import functools
import statistics
import time

import torch

from .batches import make_batch
from .cuda_kernels import CudaKernels
from .devices import require_device
from .ledger import StorageLedger
from .meta_device import without_values
from .model import build_model
from .precision import autocast_dtype
from .real_step import autocast, open_step, use_tf32
from .requests import Json, Request
from .step import forward_and_backward
from .trace import require_shapes


def validate_backward(request: Request) -> Json:
    """Peaks of a forward pass alone (which saves nothing) and of forward and backward, without an optimizer."""
    return traced_halves(request) if request["on"] == "trace" else measured_halves(request)


def traced_halves(request: Request) -> Json:
    require_shapes()
    spec = request["spec"]
    with without_values(spec["paddedBatches"], request["config"]["model_type"]), StorageLedger() as ledger:
        model = build_model(request)
        for tensor in [*model.parameters(), *model.buffers()]:
            ledger.enter(tensor)
        ledger.peak_bytes = ledger.live_bytes
        with torch.no_grad(), CudaKernels(autocast_dtype(spec)):
            model(**make_batch(spec, model))
        forward_bytes = ledger.peak_bytes
        ledger.peak_bytes = ledger.live_bytes
        forward_and_backward(model, spec, make_batch(spec, model))
        return {"forwardPeakBytes": forward_bytes, "forwardBackwardPeakBytes": ledger.peak_bytes}


def measured_halves(request: Request) -> Json:
    device, spec = require_device(request), request["spec"]
    use_tf32(spec)
    step = open_step(request, device)
    device.reset_peaks()
    with torch.no_grad(), autocast(spec, device):
        step.model(**step.batch(spec))
    device.synchronize()
    forward = device.peaks()
    device.reset_peaks()
    forward_and_backward(step.model, spec, step.batch(spec), functools.partial(autocast, spec, device))
    device.synchronize()
    both = device.peaks()
    if "peakAllocatedBytes" not in forward:
        raise RuntimeError(f"PyTorch keeps no peak of memory on {device.kind}")
    return {"forwardPeakBytes": forward["peakAllocatedBytes"], "forwardBackwardPeakBytes": both["peakAllocatedBytes"]}


def validate_compile(request: Request) -> Json:
    """The same steps eager and compiled: the time of the first and of later ones."""
    device, spec = require_device(request), request["spec"]
    use_tf32(spec)
    step = open_step(request, device)
    readings = {}
    for name, model in {"eager": step.model, "compiled": torch.compile(step.model)}.items():
        millis, peaks = [], {}
        for _ in range(max(2, request["steps"])):
            batch = step.batch(spec)
            device.synchronize()
            device.reset_peaks()
            started = time.perf_counter()
            forward_and_backward(model, spec, batch, functools.partial(autocast, spec, device))
            device.synchronize()
            millis.append((time.perf_counter() - started) * 1_000)
            peaks = device.peaks()
            step.model.zero_grad(set_to_none=True)
        readings[name] = {"firstMillis": millis[0], "laterMillis": statistics.median(millis[1:]), **peaks}
    return readings
