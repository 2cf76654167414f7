"""The transformers model of a request, and what its spec changes in it."""
from __future__ import annotations

import re
from typing import Any

import torch
import transformers
from torch.nn import Module

from .adapters import add_adapters
from .checkpointed_loss import take_loss_in_chunks
from .checkpoints import checkpoint_blocks, recomputation
from .fake_quantization import round_linears
from .model_config import transformers_config
from .precision import autocast_dtype, half_dtype, weight_dtype
from .quantization import quantise
from .requests import Request, Spec, head_of_rewards
from .speech import MODEL_TYPES, read_with_gradients

MODEL_CLASSES = {
    "sequence-classification": transformers.AutoModelForSequenceClassification,
    "token-classification": transformers.AutoModelForTokenClassification,
    "question-answering": transformers.AutoModelForQuestionAnswering,
    "sentence-similarity": transformers.AutoModel,
    "masked-lm": transformers.AutoModelForMaskedLM,
    "causal-lm": transformers.AutoModelForCausalLM,
    "seq2seq-lm": transformers.AutoModelForSeq2SeqLM,
    "ctc": transformers.AutoModelForCTC,
    "audio-classification": transformers.AutoModelForAudioClassification,
    "image-classification": transformers.AutoModelForImageClassification,
}


def build_model(request: Request, device: str = "meta", runs_on: str | None = None) -> transformers.PreTrainedModel:
    """The model with its tensors on `device`. It may be built without data on the meta device although it `runs_on` another."""
    spec = request["spec"]
    config = transformers_config(request["config"], spec, runs_on or device)
    # Weights that are quantised during loading never exist whole.
    with torch.device("meta" if "quantization" in spec else device):
        model = model_class(spec, config).from_config(config, dtype=weight_dtype(spec))
    if config.model_type in MODEL_TYPES:
        model.to(device)  # their `torch.Tensor(size)` is on the CPU, whatever the default device
    teacher = request.get("teacher")
    with torch.device(device):
        reference = second_model(spec, config, teacher and transformers_config(teacher, spec, runs_on or device))
    if "quantization" in spec:
        quantise(model, spec["quantization"], device, half_dtype(spec))
    if "lora" in spec:
        trainable = spec.get("trainable")
        patterns, gradients = (trainable["names"], trainable["inputGradients"]) if trainable else (None, True)
        model = add_adapters(model, spec["lora"], spec["gradientCheckpointing"] and gradients, device, patterns)
        if "method" in spec and spec["method"].get("reference") == "adapters-copy":
            with torch.device(device):
                model.add_adapter("ref", model.peft_config["default"])
    if "trainable" in spec and "lora" not in spec:
        part = spec["trainable"]
        lowered = None if part.get("keepsType") else autocast_dtype(spec)
        freeze_the_rest(model, part["names"], lowered)
    if "fakeQuantization" in spec:
        round_linears(model, spec["fakeQuantization"]["groupSize"])
    if head_of_rewards(spec) == "value":
        model.add_module("v_head", torch.nn.Linear(config.hidden_size, 1, dtype=torch.float32, device=device))
    if spec.get("sentences", {}).get("loss") == "softmax":
        with torch.device(device):
            model.add_module("classifier", torch.nn.Linear(3 * config.hidden_size, spec["labels"], dtype=torch.float32))
    if spec.get("dropout") is False:
        without_dropout(model)
    object.__setattr__(model, "reference", reference)  # beside its parameters, not among them
    if spec.get("checkpointedLoss") and spec["step"] == "training":
        take_loss_in_chunks(model, recomputation(spec, runs_on or device))
    if spec["gradientCheckpointing"]:
        checkpoint_blocks(model, spec, runs_on or device)
    if "trainable" in spec:
        set_input_gradients(model, spec["trainable"]["inputGradients"])
    return model.train(spec["step"] == "training" or spec.get("dropout") is True)


def model_class(spec: Spec, config: transformers.PreTrainedConfig) -> Any:
    if head_of_rewards(spec) == "steps":
        return transformers.AutoModelForTokenClassification
    # Vision-language and audio models are trained with their full class, even on text alone.
    if spec["task"] == "causal-lm" and getattr(config, "vision_config", None) is not None:
        return transformers.AutoModelForImageTextToText
    if spec["task"] == "causal-lm" and getattr(config, "audio_config", None) is not None:
        return transformers.AutoModelForMultimodalLM
    if config.model_type == "whisper":
        return transformers.AutoModelForSpeechSeq2Seq
    return MODEL_CLASSES[spec["task"]]


def second_model(spec: Spec, config: transformers.PreTrainedConfig,
                 teacher: transformers.PreTrainedConfig | None) -> transformers.PreTrainedModel | None:
    """The frozen reference model of a training method: a copy of the policy, or a teacher."""
    if teacher is not None:
        model = model_class(spec, teacher).from_config(teacher, dtype=weight_dtype(spec))
        return model.requires_grad_(False).eval()
    if "method" not in spec:
        return None
    method = spec["method"]
    is_asft = method["kind"] == "asft"
    if method.get("reference") != "copy" and not is_asft:
        return None
    # LLaMA-Factory's model/loader.py: frozen weights are loaded in the type of the computation.
    lowered = autocast_dtype(spec) if is_asft or method.get("logProbabilities") == "llamafactory" else None
    loaded = torch.float32 if method.get("referenceType") == "float32" else weight_dtype(spec)
    reference = model_class(spec, config).from_config(config, dtype=lowered or loaded)
    return reference.requires_grad_(False).eval()


def freeze_the_rest(model: Module, patterns: list[str], frozen_dtype: torch.dtype | None) -> None:
    """Freezes parameters that match none of the patterns. LLaMA-Factory casts frozen ones to autocast's type."""
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(any(re.match(pattern, name) for pattern in patterns))
        if frozen_dtype is not None and not parameter.requires_grad:
            parameter.data = parameter.data.to(frozen_dtype)


def set_input_gradients(model: transformers.PreTrainedModel, wanted: bool) -> None:
    """transformers' checkpointing makes the embeddings' output require gradients; LLaMA-Factory's does not, and
    checkpoints only blocks with trainable parameters."""
    if model.config.model_type in MODEL_TYPES:
        read_with_gradients(model, wanted)
    elif wanted:
        model.enable_input_require_grads()
    if wanted:
        return
    if hasattr(model, "_require_grads_hook"):
        model.disable_input_require_grads()
    for module in model.modules():
        if hasattr(module, "gradient_checkpointing") and not any(each.requires_grad for each in module.parameters()):
            module.gradient_checkpointing = False


def without_dropout(model: Module) -> None:
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0
