"""peft's adapters over a model."""
from __future__ import annotations

import re
from typing import Any

import torch
import transformers

from .requests import Adapters


def add_adapters(model: transformers.PreTrainedModel, lora: Adapters, checkpoints: bool, device: str = "meta",
                 patterns: list[str] | None = None) -> Any:
    """`patterns`: of the names of modules that may have adapters, if not all may."""
    import peft

    targets = lora["targets"] if patterns is None else modules_named(model, lora["targets"], patterns)

    # peft refuses Gemma 4's wrapped linear layers in its towers, so recipes name only the
    # decoder's.
    wrapped = r".*_tower\..*" if model.config.model_type == "gemma4" else None
    if lora.get("form") == "oft":
        adapters = peft.OFTConfig(oft_block_size=lora["rank"], target_modules=targets, exclude_modules=wrapped,
                                  modules_to_save=lora.get("modulesToSave"))
    else:
        adapters = peft.LoraConfig(r=lora["rank"], target_modules=targets, lora_dropout=lora["dropout"],
                                   exclude_modules=wrapped, modules_to_save=lora.get("modulesToSave"),
                                   target_parameters=lora.get("parameters"), use_dora=lora.get("form") == "dora")
    if checkpoints:
        model.enable_input_require_grads()
    with torch.device(device):
        adapted = peft.get_peft_model(model, adapters)
    if lora.get("inWeightsType"):
        for name, parameter in adapted.named_parameters():
            if "lora_" in name:
                parameter.data = parameter.data.to(model.dtype)
    return adapted


def modules_named(model: transformers.PreTrainedModel, last_names: list[str], patterns: list[str]) -> list[str]:
    return [name for name, _ in model.named_modules()
            if name.rpartition(".")[2] in last_names and any(re.match(pattern, name) for pattern in patterns)]
