"""The transformers config of a request."""
from __future__ import annotations

import inspect
import typing
from typing import Any

import transformers

from .flash_attention import flash_implementation
from .requests import Json, Spec
from .speech import MODEL_TYPES

CONVOLUTIONAL = {"resnet", "convnext", "efficientnet"}  # neither attention nor a table of positions
# Where a task has several classes, transformers reads the class from the config.
ARCHITECTURES = {"deit": ["DeiTForImageClassification"]}


def transformers_config(fields: Json, spec: Spec, device: str) -> transformers.PreTrainedConfig:
    fields = dict(fields)
    model_type = fields.pop("model_type")
    fields = with_floats(type(transformers.AutoConfig.for_model(model_type)), fields)
    config = transformers.AutoConfig.for_model(model_type, **fields, num_labels=spec["labels"],
                                               architectures=ARCHITECTURES.get(model_type))
    # The default is SDPA where this version of transformers supports it for the architecture,
    # otherwise eager.
    if spec["attention"] == "eager" and model_type not in CONVOLUTIONAL:
        config._attn_implementation = "eager"
    if spec["attention"] == "flash" and model_type not in CONVOLUTIONAL:
        config._attn_implementation = flash_implementation(device)
    if model_type == "llava" and config.vision_config.model_type == "pixtral":
        config.vision_feature_select_strategy = "full"  # there is no class token to leave out
    give_pad_token(config)
    if model_type in MODEL_TYPES:
        config.layerdrop = 0.0  # the highest of all steps is one that leaves no layer out
    if config.is_encoder_decoder and getattr(config, "decoder_start_token_id", None) is None:
        config.decoder_start_token_id = config.pad_token_id
    if spec["loop"] in ("trainer", "openrlhf"):
        config.use_cache = False  # of a multimodal model the decoder's own stays as it is
    return config


def give_pad_token(config: transformers.PreTrainedConfig) -> None:
    """Of the vocabulary, as classifiers over tokens need; Marian's default is opus-mt-en-de's. Memory does not depend on it."""
    pad_token = getattr(config, "pad_token_id", 0)
    if pad_token is None or pad_token >= getattr(config, "vocab_size", pad_token + 1):
        config.pad_token_id = 0


def with_floats(config_class: Any, fields: Json) -> Json:
    """JSON writes 30.0 as 30, which transformers refuses for a float."""
    sections = getattr(config_class, "sub_configs", {})
    return {name: with_floats(section_class(sections[name], value), value)
            if name in sections and isinstance(value, dict)
            else float(value) if isinstance(value, int) and takes_floats_alone(config_class, name) else value
            for name, value in fields.items()}


def section_class(declared: Any, fields: Json) -> Any:
    """A section that may be of several classes says which."""
    is_open = declared is transformers.AutoConfig and "model_type" in fields
    return type(transformers.AutoConfig.for_model(fields["model_type"])) if is_open else declared


def takes_floats_alone(config_class: type, name: str) -> bool:
    hints = [inspect.get_annotations(each).get(name) for each in config_class.__mro__]
    kinds = [kind for hint in hints for kind in (hint, *typing.get_args(hint))]
    return float in kinds and int not in kinds
