"""Models that read sound as it is sampled: their batches, and on the meta device their loss."""
from __future__ import annotations

import importlib
from typing import Any

import numpy
import torch
from torch import Tensor
from torch.nn import Module

from .requests import Spec

MODEL_TYPES = {"wav2vec2", "hubert"}
SAMPLES_PER_CHARACTER = 960  # of transcripts whose length is not given, as in engine/training/sound.ts


def sound_of(batch: int, spec: Spec, dtype: torch.dtype) -> dict[str, Tensor]:
    samples = spec["sequenceLength"]
    inputs = {"input_values": torch.empty(batch, samples, dtype=dtype)}
    if spec["paddedBatches"]:
        inputs["attention_mask"] = torch.empty(batch, samples, dtype=torch.long)
    return inputs


def transcript_length(spec: Spec) -> int:
    return spec.get("targetLength") or max(1, spec["sequenceLength"] // SAMPLES_PER_CHARACTER)


def read_with_gradients(model: Module, wanted: bool) -> None:
    """Whether the sound requires gradients, as it does until `freeze_feature_encoder`."""
    module: Any
    for module in model.modules():
        if hasattr(module, "_freeze_parameters"):
            module._requires_grad = wanted


def without_asking_lengths(model_type: str) -> dict[tuple[Any, str], Any]:
    """SpecAugment asks the mask of padding how long each sound is, to choose the frames that it hides."""
    if model_type not in MODEL_TYPES:
        return {}
    code = importlib.import_module(f"transformers.models.{model_type}.modeling_{model_type}")
    return {(code, "_compute_mask_indices"): lambda shape, *_, **__: numpy.zeros(shape, dtype=bool)}


def loss_of_transcripts(logits: Tensor, batch: dict[str, Any]) -> Any:
    """Wav2Vec2ForCTC's loss, which asks for the values of its labels and so cannot run on the meta device."""
    sound = batch["input_values"]
    ones = None if "attention_mask" in batch else torch.ones_like(sound, dtype=torch.long)
    log_probabilities = torch.log_softmax(logits, dim=-1, dtype=torch.float32).transpose(0, 1)
    loss = AlignmentLoss.apply(log_probabilities, batch["labels"].shape[-1])
    del ones
    return loss


class AlignmentLoss(torch.autograd.Function):
    """aten/src/ATen/native/cuda/LossCTC.cu."""

    @staticmethod
    def forward(context: Any, log_probabilities: Tensor, tokens: int) -> Tensor:
        frames, batch, _ = log_probabilities.shape
        forwards = log_probabilities.new_empty(batch, frames, 2 * tokens + 1)
        context.save_for_backward(log_probabilities, forwards)
        return log_probabilities.new_empty(())

    @staticmethod
    def backward(context: Any, _: Tensor) -> Any:
        log_probabilities, forwards = context.saved_tensors
        backwards = torch.empty_like(forwards)
        gradient = torch.empty_like(log_probabilities)
        del backwards
        return gradient, None
