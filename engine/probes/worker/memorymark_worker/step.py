"""The forward and backward pass of one micro-batch."""

from collections.abc import Callable
from typing import Any

from .cuda_kernels import CudaKernels
from .losses import METHODS
from .passes import Kernels, Passes
from .precision import AUTOCAST_DTYPES
from .requests import Spec


def forward_and_backward(model: Any, spec: Spec, batch: dict[str, Any], kernels: Kernels | None = None,
                         scale: Callable[[Any], Any] = lambda loss: loss) -> None:
    """`kernels`: makes the context of a forward pass, which on the meta device stands in for CUDA. `scale`: of the loss."""
    kernels = kernels or (lambda: CudaKernels(AUTOCAST_DTYPES.get(spec["precision"])))
    if "method" in spec:
        loss, held = METHODS[spec["method"]["kind"]](Passes(model, spec, batch, kernels), spec["method"])
        scale(loss).backward()
        del held
        return
    held = None
    with kernels():
        outputs = model(**batch)
        # The earlier tool's step takes the mean of the logits; a training step takes the model's own loss.
        loss = outputs.loss if spec["step"] == "training" else outputs.logits.mean()
    if spec["loop"] == "plain":
        held = outputs
    del outputs
    scale(loss).backward()
    del held
