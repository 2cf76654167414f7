"""The `trace` operation: a training step on the meta device, every storage followed."""
from __future__ import annotations

import torch
import transformers
from torch import Tensor

from . import TORCH_VERSION
from .attention import pin_attention
from .batches import make_batch
from .generation import generate_completions
from .ledger import StorageLedger
from .meta_device import without_values
from .model import build_model
from .optimizers import optimizer_of
from .requests import Json, Request
from .step import Script, forward_and_backward


def trace(request: Request) -> Json:
    """Peak bytes of the second step: as in every later one, what the step before leaves is there."""
    require_shapes()
    spec = request["spec"]
    pin_attention(spec)
    with without_values(spec["paddedBatches"], request["config"]["model_type"]), StorageLedger() as ledger:
        model = build_model(request)
        for tensor in tensors_of(model):
            ledger.enter(tensor)
        weight_bytes = ledger.live_bytes
        training = spec["step"] == "training"
        optimizer = optimizer_of(spec, model)
        script = Script(spec, optimizer.zero_grad)
        for step in range(2):
            ledger.peak_bytes = ledger.live_bytes
            generate_completions(model, spec)
            for _ in range(spec["gradientAccumulation"] if training else 1):
                batch = make_batch(spec, model)
                forward_and_backward(model, spec, batch, script=script)
                del batch
            backward_peak = ledger.peak_bytes
            if training and not (step == 1 and spec["optimizer"] == "adamw-fused"):
                optimizer.step()
            script.step_ends()
        script.end()
        return {
            "peakBytes": ledger.peak_bytes,
            "forwardBackwardPeakBytes": backward_peak,
            "weightBytes": weight_bytes,
            "restingBytes": ledger.live_bytes,
            "parameters": sum(parameter.numel() for parameter in model.parameters()),
            "events": ledger.events if request.get("wantsEvents") else [],
        }


def require_shapes() -> None:
    if TORCH_VERSION < (2, 5):
        raise RuntimeError(f"PyTorch {torch.__version__} cannot be traced: before 2.5, CUDA's attention kernels do not support "
                           "the meta device")


def tensors_of(model: transformers.PreTrainedModel) -> list[Tensor]:
    models = [model] if model.reference is None else [model, model.reference]
    return [tensor for each in models for tensor in (*each.parameters(), *each.buffers())]
