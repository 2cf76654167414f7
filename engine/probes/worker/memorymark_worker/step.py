"""The forward and backward pass of one micro-batch."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .cuda_kernels import CudaKernels
from .losses import METHODS
from .nemo_rl_losses import is_of_nemo_rl, next_token_loss
from .openrlhf_losses import per_token_loss
from .passes import Kernels, Passes
from .precision import step_autocast_dtype
from .requests import Spec
from .sentences import sentence_loss
from .speech import loss_of_transcripts
from .verl_losses import fine_tuning_loss

# Of loops whose fine-tuning takes a loss of their own: the loss, and what they reference during the backward pass.
OWN_LOSSES = {"verl": fine_tuning_loss, "openrlhf": per_token_loss}


class Script:
    """What the spec's training loop does around the passes of its micro-batches: one for all of them."""

    def __init__(self, spec: Spec, zero_gradients: Callable[[], None]) -> None:
        self._loop = spec["loop"]
        self._keeps_outputs = self._loop in ("plain", "openrlhf") or (self._loop == "verl" and "method" in spec)
        self._zero_gradients = zero_gradients
        self._zeroes_before_backward = False
        # Its variable `outputs`.
        self._outputs: Any = None

    def forward_ends(self, outputs: Any = None) -> None:
        """Only now does `outputs` stand for others than those of the micro-batch before."""
        self._outputs = outputs if self._keeps_outputs else None
        if self._zeroes_before_backward:
            self._zero_gradients()
        self._zeroes_before_backward = False

    def step_ends(self) -> None:
        """Lightning zeroes gradients in the closure of the next step, after `training_step` (loops/optimization/automatic.py)."""
        if self._loop == "lightning":
            self._zeroes_before_backward = True
        else:
            self._zero_gradients()

    def end(self) -> None:
        self._outputs = None
        self._zero_gradients()


def scores_of(outputs: Any) -> Tensor:
    """What the model says of its input: for extractive question answering the scores of both ends, else its logits."""
    if "start_logits" in outputs:
        return torch.cat([outputs.start_logits, outputs.end_logits])
    logits: Tensor = outputs.logits
    return logits


def forward_and_backward(model: Any, spec: Spec, batch: dict[str, Any], kernels: Kernels | None = None,
                         scale: Callable[[Any], Any] = lambda loss: loss, script: Script | None = None) -> None:
    """`kernels`: makes the context of a forward pass, which on the meta device stands in for CUDA. `scale`: of the loss."""
    kernels = kernels or (lambda: CudaKernels(step_autocast_dtype(spec)))
    script = script or Script(spec, lambda: None)
    if is_of_nemo_rl(spec):
        scale(next_token_loss(Passes(model, spec, batch, kernels))).backward()
        return
    if "method" in spec or spec["loop"] in OWN_LOSSES:
        passes = Passes(model, spec, batch, kernels)
        if "method" in spec:
            loss, held = METHODS[spec["method"]["kind"]](passes, spec["method"])
        else:
            loss, held = OWN_LOSSES[spec["loop"]](passes)
        script.forward_ends(held)
        scale(loss).backward()
        del held
        return
    if spec["task"] == "sentence-similarity":
        loss = sentence_loss(model, spec, batch, kernels)
        script.forward_ends()
        scale(loss).backward()
        return
    with kernels():
        is_aligned = spec["task"] == "ctc" and next(iter(batch.values())).is_meta
        outputs = model(**{name: each for name, each in batch.items() if not (is_aligned and name == "labels")})
        script.forward_ends(outputs)
        # The earlier tool's step takes the mean of the logits; a training step takes the model's own loss.
        if spec["step"] != "training":
            loss = scores_of(outputs).mean()
        else:
            loss = loss_of_transcripts(outputs.logits, batch) if is_aligned else outputs.loss
    del outputs
    scale(loss).backward()
