"""Base weights in 4 and 8 bits with bitsandbytes."""
from __future__ import annotations

import sys

import torch
import transformers
from torch.nn import Module, Parameter


def quantise(model: transformers.PreTrainedModel, kind: str, device: str, dtype: torch.dtype) -> None:
    """Replaces linear layers except the heads by bitsandbytes', as transformers does on loading, and fills them on the device."""
    try:
        import bitsandbytes
    except ImportError as error:
        raise RuntimeError("quantised weights need bitsandbytes: pip install bitsandbytes") from error
    from transformers.integrations import replace_with_bnb_linear

    bits = {"load_in_8bit": True} if kind == "int8" else {
        "load_in_4bit": True, "bnb_4bit_quant_type": "nf4", "bnb_4bit_use_double_quant": kind == "nf4-double",
        "bnb_4bit_compute_dtype": dtype,
    }
    settings = transformers.BitsAndBytesConfig(**bits)
    replace_with_bnb_linear(model, modules_to_not_convert=left_whole(model), quantization_config=settings)
    for module in model.modules():
        if isinstance(module, (bitsandbytes.nn.Linear4bit, bitsandbytes.nn.Linear8bitLt)):
            loaded = torch.zeros(module.weight.shape, dtype=torch.float16 if kind == "int8" else dtype, device=device)
            module.weight = type(module.weight)(loaded, requires_grad=False, **vars(module.weight))._quantize(device)
    if device != "meta":
        fill_the_rest(model, device)
    model.config._is_quantized = True  # what Jamba asks
    # What peft asks for before it takes its own layers over such modules.
    setattr(model, "is_loaded_in_8bit" if kind == "int8" else "is_loaded_in_4bit", True)


def left_whole(model: transformers.PreTrainedModel) -> list[str]:
    """Modules that stay unquantised: the heads, and `out_proj`, which Mamba 2's kernel reads directly. For Falcon H1
    Axolotl names `out_proj` instead of the output layer."""
    if not hasattr(sys.modules[type(model).__module__], "mamba2_split_conv1d_scan_combined"):
        return ["lm_head", "score"]
    return ["out_proj", "score"] if model.config.model_type == "falcon_h1" else ["lm_head", "score", "out_proj"]


def fill_the_rest(model: Module, device: str) -> None:
    """Fills weights that are still on meta, and buffers. Tied weights stay tied."""
    filled: dict[int, Parameter] = {}
    for module in model.modules():
        for name, weight in list(module.named_parameters(recurse=False)):
            if weight.is_meta:
                value = torch.nn.Parameter(torch.empty_like(weight, device=device).normal_(0, 0.02))
                module.register_parameter(name, filled.setdefault(id(weight), value))
        for name, buffer in list(module.named_buffers(recurse=False)):
            if buffer.is_meta:
                setattr(module, name, torch.zeros_like(buffer, device=device))
