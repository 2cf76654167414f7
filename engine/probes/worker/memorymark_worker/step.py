"""The forward and backward pass of one micro-batch."""

from collections.abc import Callable
from typing import Any

from .cuda_kernels import CudaKernels
from .losses import METHODS
from .passes import Kernels, Passes
from .precision import AUTOCAST_DTYPES
from .requests import Spec


class Script:
    """What a training script still refers to when the passes of a micro-batch are over: its variable `outputs`."""

    outputs: Any = None


def forward_and_backward(model: Any, spec: Spec, batch: dict[str, Any], kernels: Kernels | None = None,
                         scale: Callable[[Any], Any] = lambda loss: loss, script: Script | None = None) -> None:
    """`kernels`: makes the context of a forward pass, which on the meta device stands in for CUDA. `scale`: of the loss.
    `script`: one for all micro-batches, so that each finds the outputs of the one before."""
    kernels = kernels or (lambda: CudaKernels(AUTOCAST_DTYPES.get(spec["precision"])))
    script = script or Script()
    if "method" in spec:
        loss, held = METHODS[spec["method"]["kind"]](Passes(model, spec, batch, kernels), spec["method"])
        scale(loss).backward()
        del held
        return
    with kernels():
        outputs = model(**batch)
        # Only now does `outputs` of a plain loop stand for others than those of the micro-batch before.
        script.outputs = outputs if spec["loop"] == "plain" else None
        # The earlier tool's step takes the mean of the logits; a training step takes the model's own loss.
        loss = outputs.loss if spec["step"] == "training" else outputs.logits.mean()
    del outputs
    scale(loss).backward()
