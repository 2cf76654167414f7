"""MemoryMark's PyTorch worker: one JSON request a line on stdin, one JSON answer a line on stdout.

The `trace` operation runs real training steps of the real transformers model on the meta device, where tensors have shapes
but no data, and follows every storage from its allocation to its release. The kernels are those that CUDA would pick:
on the meta device PyTorch itself would fall back to the CPU's compositions, which save more. The `trial` operation runs the
same steps for real and reads the device's own counters.
"""

import contextlib
import ctypes
import functools
import gc
import importlib
import importlib.util
import inspect
import json
import math
import os
import platform
import re
import signal
import statistics
import subprocess
import sys
import time
import traceback
import typing
import weakref

PARENT = os.getppid()  # read before the imports, which take seconds

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import torch

TORCH_VERSION = tuple(int(part) for part in torch.__version__.split(".")[:2])
if TORCH_VERSION < (2, 4):
    sys.exit(f"PyTorch {torch.__version__} is too old: 2.4 or newer is needed")

import torch.distributed as dist
import torch.nn.functional as F
import transformers
from torch.nn.attention import SDPBackend
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter, tree_map
from transformers import masking_utils

ALLOCATION_BYTES = 512  # kMinBlockSize of c10/cuda/CUDACachingAllocator.cpp

MODEL_CLASSES = {
    "sequence-classification": transformers.AutoModelForSequenceClassification,
    "masked-lm": transformers.AutoModelForMaskedLM,
    "causal-lm": transformers.AutoModelForCausalLM,
    "seq2seq-lm": transformers.AutoModelForSeq2SeqLM,
    "image-classification": transformers.AutoModelForImageClassification,
}

CONVOLUTIONAL = {"resnet", "convnext"}  # neither attention nor a table of positions
# Where several classes serve a task, transformers asks the config which one.
ARCHITECTURES = {"deit": ["DeiTForImageClassification"]}


class StorageLedger(TorchDispatchMode):
    """Adds up live storages as the caching allocator would round them, and keeps the highest sum."""

    def __init__(self, device="meta"):
        super().__init__()
        self._device = device
        self.live_bytes = 0
        self.peak_bytes = 0
        # A positive number allocates that many bytes; −n releases the n-th allocation, counted from 1.
        self.events = []
        self._allocations = 0
        self._storages = {}
        self._sizes = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func is torch.ops.aten.add.Tensor and adds_in_place(*args):
            func = torch.ops.aten.add_.Tensor
        if func is torch.ops.aten.index_put.default and not torch.is_grad_enabled():
            # index_backward of torch/csrc/autograd/FunctionsManual.cpp copies under any dispatch mode, ours too.
            func = torch.ops.aten.index_put_.default
        if func is torch.ops.aten.scatter_add.default and not torch.is_grad_enabled():
            # gather_backward of aten/src/ATen/native/TensorAdvancedIndexing.cpp copies under any dispatch mode, ours too.
            func = torch.ops.aten.scatter_add_.default
        result = func(*args, **(kwargs or {}))
        for value in tree_iter(result):
            if isinstance(value, torch.Tensor) and value.device.type == self._device:
                self.enter(value)
        self.peak_bytes = max(self.peak_bytes, self.live_bytes)
        return result

    def enter(self, tensor):
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self._storages:
            return
        size = allocated_bytes(storage)
        self.live_bytes += size
        self._sizes[key] = size
        self._allocations += 1
        number = self._allocations
        self.events.append(size)

        def leave(_):
            self.live_bytes -= self._sizes.pop(key)
            self.events.append(-number)
            del self._storages[key]

        self._storages[key] = weakref.ref(storage, leave)


def allocated_bytes(storage):
    return -(-storage.nbytes() // ALLOCATION_BYTES) * ALLOCATION_BYTES


def adds_in_place(old, new, *_):
    """can_accumulate_inplace of torch/csrc/autograd/input_buffer.cpp, which any dispatch mode, ours too, makes answer no.

    The counts are those of a gradient that nobody but the engine and this call refers to.
    """
    if torch.is_grad_enabled() or not isinstance(new, torch.Tensor) or old.shape != new.shape or old._is_view():
        return False
    return old._use_count() == 4 and storage_use_count(old.untyped_storage()) == 2


def storage_use_count(storage):
    """Torch 2.6 tells it only where it was built for CUDA. It stands behind the vtable: c10/util/intrusive_ptr.h."""
    if hasattr(torch._C, "_storage_Use_Count"):
        return torch._C._storage_Use_Count(storage._cdata)
    return ctypes.c_uint32.from_address(storage._cdata + ctypes.sizeof(ctypes.c_void_p)).value


class CudaKernels(TorchFunctionMode):
    """Calls the kernels that CUDA would run, and casts as torch.autocast("cuda") would when `autocast_dtype` is set."""

    # aten/src/ATen/autocast_mode.h: AT_FORALL_LOWER_PRECISION_FP and AT_FORALL_FP32, as far as models here call them.
    LOWER = {F.linear, F.conv2d, F.conv1d, torch.addmm, torch.matmul, torch.Tensor.matmul, torch.bmm, torch.baddbmm,
             torch.mm, torch.conv2d, torch.Tensor.__matmul__, F.scaled_dot_product_attention, torch._C._nn.linear,
             torch.nn.functional.scaled_dot_product_attention,
             torch.einsum}  # which is made of batched products
    FLOAT32 = {F.layer_norm, F.softmax, torch.softmax, F.log_softmax, F.cross_entropy, F.nll_loss, torch.pow,
               torch.Tensor.pow, torch.Tensor.__pow__, F.mse_loss, torch.rsqrt, F.rms_norm, torch.exp, torch.log}

    def __init__(self, autocast_dtype=None):
        super().__init__()
        self.autocast_dtype = autocast_dtype
        self.cast_weights = {}

    def __exit__(self, *exc):
        self.cast_weights.clear()
        return super().__exit__(*exc)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if self.autocast_dtype is not None and func in self.LOWER:
            args, kwargs = tree_map(self.lower, (args, kwargs))
        elif self.autocast_dtype is not None and func in self.FLOAT32:
            args, kwargs = tree_map(raise_to_float32, (args, kwargs))
        if func is F.dropout:
            return cuda_dropout(*args, **kwargs)
        if func is F.scaled_dot_product_attention:
            return cuda_attention(*args, **kwargs)
        return func(*args, **kwargs)

    def lower(self, value):
        if not isinstance(value, torch.Tensor) or value.dtype != torch.float32:
            return value
        if not (value.is_leaf and value.requires_grad):
            return value.to(self.autocast_dtype)
        if id(value) not in self.cast_weights:
            self.cast_weights[id(value)] = value.to(self.autocast_dtype)
        return self.cast_weights[id(value)]


def raise_to_float32(value):
    if isinstance(value, torch.Tensor) and value.dtype in (torch.float16, torch.bfloat16):
        return value.float()
    return value


def cuda_dropout(input, p=0.5, training=True, inplace=False):
    return torch.native_dropout(input, p, True)[0] if training and p > 0 else input


def cuda_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """torch/aten's sdp_utils.cpp: flash for 16-bit without a mask, the memory-efficient kernel otherwise."""
    size = query.shape[-1]
    if query.dtype in (torch.float16, torch.bfloat16) and attn_mask is None and size == value.shape[-1] <= 256:
        return torch.ops.aten._scaled_dot_product_flash_attention(
            query, key, value, dropout_p, is_causal, False, scale=scale)[0]
    if enable_gqa or key.shape[1] != query.shape[1]:  # the memory-efficient kernel refuses grouped heads
        if attn_mask is not None:
            attn_mask = additive_mask(attn_mask, query)[:, :1]
        return torch.ops.aten._scaled_dot_product_attention_math(
            query, key, value, attn_mask, dropout_p, is_causal, None, scale=scale, enable_gqa=enable_gqa)[0]
    if attn_mask is not None:
        attn_mask = additive_mask(attn_mask, query)
    return torch.ops.aten._scaled_dot_product_efficient_attention(
        query, key, value, attn_mask, True, dropout_p, is_causal, scale=scale)[0]


def additive_mask(mask, query):
    """convert_boolean_attn_mask and pad_bias of aten/src/ATen/native/transformers/attention.cpp."""
    if mask.dtype == torch.bool:
        mask = torch.zeros_like(mask, dtype=query.dtype).masked_fill_(mask.logical_not(), float("-inf"))
    rows, columns = mask.shape[-2:]
    padding = -columns % 8
    if padding:
        mask = F.pad(mask, (0, padding))[..., :columns]
    return mask.expand(query.shape[0], query.shape[1], rows, columns)


# float32 masters are FSDP's own weights here, of which it gathers 16-bit copies.
WEIGHT_DTYPES = {"fp32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16, "bf16-master": torch.float32,
                 "amp-bf16": torch.float32, "amp-fp16": torch.float32}
AUTOCAST_DTYPES = {"bf16-master": torch.bfloat16, "amp-bf16": torch.bfloat16, "amp-fp16": torch.float16}


def recomputation(spec, device):
    """On the meta device the recomputation, which runs inside the backward pass, needs CUDA's kernels and casts again;
    autocast opens a context (and weight cache) of its own there."""
    if device != "meta":
        return {}
    return {"context_fn": lambda: (contextlib.nullcontext(), CudaKernels(AUTOCAST_DTYPES.get(spec["precision"])))}


def with_floats(config_class, fields):
    """JSON writes 30.0 as 30, which transformers refuses for a float."""
    sections = getattr(config_class, "sub_configs", {})
    return {name: with_floats(sections[name], value) if name in sections and isinstance(value, dict)
            else float(value) if isinstance(value, int) and takes_floats_alone(config_class, name) else value
            for name, value in fields.items()}


def takes_floats_alone(config_class, name):
    hints = [inspect.get_annotations(each).get(name) for each in config_class.__mro__]
    kinds = [kind for hint in hints for kind in (hint, *typing.get_args(hint))]
    return float in kinds and int not in kinds


def transformers_config(fields, spec):
    fields = dict(fields)
    model_type = fields.pop("model_type")
    fields = with_floats(type(transformers.AutoConfig.for_model(model_type)), fields)
    config = transformers.AutoConfig.for_model(model_type, **fields, num_labels=spec["labels"],
                                               architectures=ARCHITECTURES.get(model_type))
    # What an architecture takes by default is SDPA where this version of transformers has it there, and eager elsewhere.
    if spec["attention"] == "eager" and model_type not in CONVOLUTIONAL:
        config._attn_implementation = "eager"
    if getattr(config, "pad_token_id", 0) is None:
        config.pad_token_id = 0  # a classifier over tokens asks for one; memory does not depend on which
    if config.is_encoder_decoder and getattr(config, "decoder_start_token_id", None) is None:
        config.decoder_start_token_id = config.pad_token_id
    if spec["loop"] == "trainer":
        config.use_cache = False  # of a multimodal model the decoder's own stays as it is
    return config


def build_model(request, device="meta", runs_on=None):
    """The model with its tensors on `device`. It may be built without data on the meta device although it `runs_on` another."""
    spec = request["spec"]
    config = transformers_config(request["config"], spec)
    # What is quantised as it is loaded is nowhere whole.
    with torch.device("meta" if "quantization" in spec else device):
        model = model_class(spec, config).from_config(config, dtype=WEIGHT_DTYPES[spec["precision"]])
    with torch.device(device):
        reference = second_model(spec, config, request.get("teacher"))
    if "quantization" in spec:
        quantise(model, spec["quantization"], device)
    if "lora" in spec:
        model = add_adapters(model, spec["lora"], spec["gradientCheckpointing"], device)
        if spec.get("method", {}).get("reference") == "adapters-copy":
            with torch.device(device):
                model.add_adapter("ref", model.peft_config["default"])
    if "trainable" in spec:
        freeze_the_rest(model, spec["trainable"]["names"], AUTOCAST_DTYPES.get(spec["precision"]))
    if "fakeQuantization" in spec:
        round_linears(model, spec["fakeQuantization"]["groupSize"])
    if head_of_rewards(spec) == "value":
        model.add_module("v_head", torch.nn.Linear(config.hidden_size, 1, dtype=torch.float32, device=device))
    if spec.get("dropout") is False:
        without_dropout(model)
    object.__setattr__(model, "reference", reference)  # beside its parameters, not among them
    if spec["gradientCheckpointing"]:
        model.gradient_checkpointing_enable({"use_reentrant": False, **recomputation(spec, runs_on or device)})
    if "trainable" in spec:
        set_input_gradients(model, spec["trainable"]["inputGradients"])
    return model.train(spec["step"] == "training")


def freeze_the_rest(model, patterns, frozen_dtype):
    """All but what one of the patterns matches. LLaMA-Factory holds what is frozen in the type that autocast computes in."""
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(any(re.match(pattern, name) for pattern in patterns))
        if frozen_dtype is not None and not parameter.requires_grad:
            parameter.data = parameter.data.to(frozen_dtype)


def set_input_gradients(model, wanted):
    """Checkpointing in transformers makes the embeddings' output require gradients; LLaMA-Factory's own does not, and
    checkpoints those blocks alone in which something trains."""
    if wanted:
        model.enable_input_require_grads()
        return
    if hasattr(model, "_require_grads_hook"):
        model.disable_input_require_grads()
    for module in model.modules():
        if hasattr(module, "gradient_checkpointing") and not any(each.requires_grad for each in module.parameters()):
            module.gradient_checkpointing = False


class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return torch.round(x)

    @staticmethod
    def backward(context, gradient):
        return gradient


def fake_quantized(x, group_size):
    """x rounded in groups along its last dimension, as torchao's quant_primitives.py goes about it."""
    with torch.no_grad():
        groups = x.view(*x.shape[:-1], x.shape[-1] // group_size, group_size)
        scale = (groups.amax(-1, keepdim=True) - groups.amin(-1, keepdim=True)).float() / 255
        zero_point = torch.zeros_like(scale, dtype=torch.int32)
    groups = x.view(*x.shape[:-1], x.shape[-1] // group_size, group_size)
    quantized = torch.clamp(Rounded.apply(groups * (1.0 / scale)) + zero_point, -128, 127)
    result = quantized.to(x.dtype, copy=True)
    result = result - zero_point.to(x.dtype)
    result = result * scale
    return result.view(x.shape).to(x.dtype)


class FakeQuantizedLinear(torch.nn.Linear):
    def forward(self, x):
        return F.linear(fake_quantized(x, x.shape[-1]), fake_quantized(self.weight, self.group_size), self.bias)


def round_linears(model, group_size):
    """All of them, or with adapters those under an adapter; never the output layer that shares the embedding's weight."""
    adapted = [module.base_layer for module in model.modules() if hasattr(module, "base_layer")]
    embedding = model.get_input_embeddings().weight
    for module in adapted or list(model.modules()):
        if type(module) is torch.nn.Linear and module.weight is not embedding and module.in_features % group_size == 0:
            module.__class__, module.group_size = FakeQuantizedLinear, group_size


def model_class(spec, config):
    if head_of_rewards(spec) == "steps":
        return transformers.AutoModelForTokenClassification
    # What sees images or hears is trained whole, text alone or not, and with it goes the class that reads both.
    if spec["task"] == "causal-lm" and getattr(config, "vision_config", None) is not None:
        return transformers.AutoModelForImageTextToText
    if spec["task"] == "causal-lm" and getattr(config, "audio_config", None) is not None:
        return transformers.AutoModelForMultimodalLM
    return MODEL_CLASSES[spec["task"]]


def second_model(spec, config, teacher):
    """The frozen one of a training method that compares with one: a copy, or a teacher."""
    if teacher is not None:
        config = transformers_config(teacher, spec)
        return model_class(spec, config).from_config(config, dtype=WEIGHT_DTYPES[spec["precision"]]).requires_grad_(False).eval()
    method = spec.get("method", {})
    is_anchored = method.get("kind") == "anchored"
    if method.get("reference") != "copy" and not is_anchored:
        return None
    precision = spec["precision"]
    # LLaMA-Factory's model/loader.py: what does not train is loaded in the type that is computed in.
    lowered = AUTOCAST_DTYPES.get(precision) if is_anchored or method.get("logProbabilities") == "llamafactory" else None
    reference = model_class(spec, config).from_config(config, dtype=lowered or WEIGHT_DTYPES[precision])
    return reference.requires_grad_(False).eval()


def head_of_rewards(spec):
    return spec.get("method", {}).get("head")


def without_dropout(model):
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0


def quantise(model, kind, device):
    """As transformers does on loading, the heads left alone: its modules of bitsandbytes, filled on the device."""
    try:
        import bitsandbytes
    except ImportError as error:
        raise RuntimeError("quantised weights need bitsandbytes: pip install bitsandbytes") from error
    from transformers.integrations import replace_with_bnb_linear

    bits = {"load_in_8bit": True} if kind == "int8" else {
        "load_in_4bit": True, "bnb_4bit_quant_type": "nf4", "bnb_4bit_use_double_quant": kind == "nf4-double",
        "bnb_4bit_compute_dtype": torch.bfloat16,
    }
    settings = transformers.BitsAndBytesConfig(**bits)
    replace_with_bnb_linear(model, modules_to_not_convert=left_whole(model), quantization_config=settings)
    for module in model.modules():
        if isinstance(module, (bitsandbytes.nn.Linear4bit, bitsandbytes.nn.Linear8bitLt)):
            loaded = torch.zeros(module.weight.shape, dtype=torch.float16 if kind == "int8" else torch.bfloat16, device=device)
            module.weight = type(module.weight)(loaded, requires_grad=False, **vars(module.weight))._quantize(device)
    if device != "meta":
        fill_the_rest(model, device)
    model.config._is_quantized = True  # what Jamba asks
    # What peft asks for before it takes its own layers over such modules.
    setattr(model, "is_loaded_in_8bit" if kind == "int8" else "is_loaded_in_4bit", True)


def left_whole(model):
    """The heads, and what Mamba 2's kernel reads itself; where a model is known to need that, Axolotl names nothing else."""
    if not hasattr(sys.modules[type(model).__module__], "mamba2_split_conv1d_scan_combined"):
        return ["lm_head", "score"]
    return ["out_proj", "score"] if model.config.model_type == "falcon_h1" else ["lm_head", "score", "out_proj"]


def fill_the_rest(model, device):
    """Weights that are still on the meta device, and buffers. Tied ones stay tied."""
    filled = {}
    for module in model.modules():
        for name, weight in list(module.named_parameters(recurse=False)):
            if weight.is_meta:
                value = torch.nn.Parameter(torch.empty_like(weight, device=device).normal_(0, 0.02))
                module.register_parameter(name, filled.setdefault(id(weight), value))
        for name, buffer in list(module.named_buffers(recurse=False)):
            if buffer.is_meta:
                setattr(module, name, torch.zeros_like(buffer, device=device))


def add_adapters(model, lora, checkpoints, device="meta"):
    import peft

    # Gemma 4 wraps its towers' linear layers, which peft refuses: recipes name those of the decoder.
    wrapped = r".*_tower\..*" if model.config.model_type == "gemma4" else None
    if lora.get("form") == "oft":
        adapters = peft.OFTConfig(oft_block_size=lora["rank"], target_modules=lora["targets"], exclude_modules=wrapped,
                                  modules_to_save=lora.get("modulesToSave"))
    else:
        adapters = peft.LoraConfig(r=lora["rank"], target_modules=lora["targets"], lora_dropout=lora["dropout"],
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


# The same kernels run as at any other rate, and however many random batches a trial learns from, its weights stay finite.
LEARNING_RATE = 0.0


def make_optimizer(name, parameters):
    match name:
        case "adamw":
            return torch.optim.AdamW(parameters, lr=LEARNING_RATE, foreach=True)
        case "adamw-loop":
            return torch.optim.AdamW(parameters, lr=LEARNING_RATE, foreach=False)
        case "adamw-fused":
            # The fused kernel does not run on the meta device. It has no temporaries: its state is all there is.
            return torch.optim.AdamW(parameters, lr=LEARNING_RATE, foreach=True)
        case "sgd":
            return torch.optim.SGD(parameters, lr=LEARNING_RATE, foreach=True)
        case "sgd-momentum":
            return torch.optim.SGD(parameters, lr=LEARNING_RATE, momentum=0.9, foreach=True)
        case "rmsprop":
            return torch.optim.RMSprop(parameters, lr=LEARNING_RATE, foreach=True)
        case "adafactor":
            return transformers.optimization.Adafactor(parameters, lr=LEARNING_RATE, scale_parameter=False,
                                                       relative_step=False)
        case "lion" | "adamw-8bit" | "paged-adamw-8bit" | "paged-adamw":
            return ShapedOptimizer(name, parameters)
    raise ValueError(f"unknown optimizer {name}")


def optimizer_of(spec, parameters, make=None):
    make = make or make_optimizer
    if spec.get("optimizerInBackward"):
        return InBackward(spec["optimizer"], parameters, make)
    return make(spec["optimizer"], parameters)


class InBackward:
    """An optimizer for each parameter, in a hook behind its gradient, as torchtune's optimizer_in_bwd has it."""

    def __init__(self, name, parameters, make):
        self.is_untouched, self.optimizers = name == "adamw-fused" and make is make_optimizer, {}
        for parameter in parameters:
            self.optimizers[parameter] = make(name, [parameter])
            parameter.register_post_accumulate_grad_hook(self.step_with)

    def step_with(self, parameter):
        # The fused kernel, which the meta device lacks, has no temporaries: once its state is there nothing is left to do.
        optimizer = self.optimizers[parameter]
        if not (self.is_untouched and optimizer.state):
            optimizer.step()
        parameter.grad = None

    def step(self):
        pass

    def zero_grad(self, set_to_none=True):
        pass


class ShapedOptimizer:
    """State of the shapes that bitsandbytes' optimizers keep, for the meta device, on which their kernels do not run."""

    MIN_8BIT_ELEMENTS, BLOCK_ELEMENTS = 4_096, 256

    def __init__(self, name, parameters):
        self.name, self.parameters, self.state = name, list(parameters), []

    def step(self):
        if not self.state:
            stepped = [parameter for parameter in self.parameters if parameter.grad is not None]
            self.state = [tensor for parameter in stepped for tensor in self.state_of(parameter)]

    def state_of(self, parameter):
        if self.name == "lion":
            return [torch.empty_like(parameter)]
        if self.name == "paged-adamw" or parameter.numel() < self.MIN_8BIT_ELEMENTS:
            return [torch.empty_like(parameter, dtype=torch.float32) for _ in range(2)]
        blocks = -(-parameter.numel() // self.BLOCK_ELEMENTS)
        moments = [torch.empty_like(parameter, dtype=torch.uint8) for _ in range(2)]
        return moments + [torch.empty(blocks, device=parameter.device) for _ in range(2)]

    def zero_grad(self, set_to_none=True):
        for parameter in self.parameters:
            parameter.grad = None


def make_batch(spec, model, device="meta"):
    batch = spec["microBatch"] * sequences_per_sample(spec)
    with torch.device(device):
        if spec["task"] == "image-classification":
            side = spec["imageSize"]
            channels = model.config.num_channels
            inputs = {"pixel_values": torch.empty(batch, channels, side, side, dtype=model.dtype)}
            if model.config.model_type not in CONVOLUTIONAL and side != model.config.image_size:
                inputs["interpolate_pos_encoding"] = True
        else:
            inputs = {"input_ids": torch.empty(batch, spec["sequenceLength"], dtype=torch.long)}
            if spec["paddedBatches"]:
                inputs["attention_mask"] = torch.empty(batch, spec["sequenceLength"], dtype=torch.long)
            if "images" in spec:
                inputs.update(tiled_images(batch, spec["sequenceLength"], spec["images"]["tiles"], model))
        targets = (batch, spec.get("targetLength", spec.get("sequenceLength")))
        per_token = spec["task"] in ("causal-lm", "masked-lm", "seq2seq-lm") or head_of_rewards(spec) == "steps"
        labels = targets if per_token else (batch,)
        if spec["task"] == "seq2seq-lm" and spec["step"] != "training":
            inputs["decoder_input_ids"] = torch.empty(targets, dtype=torch.long)
        if spec["step"] == "training":
            inputs["labels"] = torch.empty(labels, dtype=torch.long)
    return inputs


def tiled_images(batch, tokens, tiles, model):
    """One image a sample, as mllama's processor cuts it up."""
    side = model.config.vision_config.image_size
    return {"pixel_values": torch.zeros(batch, 1, tiles, 3, side, side, dtype=model.dtype),
            "aspect_ratio_ids": torch.ones(batch, 1, dtype=torch.long),
            "aspect_ratio_mask": torch.ones(batch, 1, tiles, dtype=torch.long),
            "cross_attention_mask": torch.ones(batch, tokens, 1, tiles, dtype=torch.long)}


@contextlib.contextmanager
def without_values(padded, model_type):
    """transformers looks at values to leave masks out or to warn; on the meta device there are none to look at."""
    every, autocast = torch.all, torch.autocast
    answers = {
        (masking_utils, "find_packed_sequence_indices"): lambda *_, **__: None,
        (transformers.PreTrainedModel, "warn_if_padding_and_no_attention_mask"): lambda *_, **__: None,
        # Version 4 asks a mask whether all of it is ones. Where it asks for a tensor, it gets one.
        (torch, "all"): lambda mask, *args, **kwargs: every(mask, *args, **kwargs) if args or kwargs else not padded,
        # It also switches autocast off for the device of its tensors, which torch does not know how to do for meta.
        (torch, "autocast"): lambda device_type, *args, **kwargs: (
            contextlib.nullcontext() if device_type == "meta" else autocast(device_type, *args, **kwargs)
        ),
    }
    class NoOutliers:
        """bitsandbytes' int8 asks how many columns hold an outlier, which are computed apart."""

        new_dynamic_size = staticmethod(lambda: 0)

    answers[(torch.library, "get_ctx")] = NoOutliers
    answers |= mamba_kernels(model_type)
    has_grouped_products = hasattr(F, "grouped_mm") or hasattr(torch, "_grouped_mm")
    if not has_grouped_products and importlib.util.find_spec("transformers.integrations.moe"):
        answers[(importlib.import_module("transformers.integrations.moe"), "_grouped_mm")] = product_expert_by_expert
    if padded:
        answers[(masking_utils, "_ignore_causal_mask_sdpa")] = lambda *_, **__: False
        answers[(masking_utils, "_ignore_bidirectional_mask_sdpa")] = lambda *_, **__: False
    originals = {place: getattr(*place) for place in answers if hasattr(*place)}
    for place in originals:
        setattr(*place, answers[place])
    try:
        yield
    finally:
        for place, original in originals.items():
            setattr(*place, original)


def sequences_per_sample(spec):
    kind = spec.get("method", {}).get("kind")
    return 2 if kind == "preference" or (kind == "reward" and head_of_rewards(spec) != "steps") else 1


def forward_and_backward(model, spec, batch, kernels=None, scale=lambda loss: loss):
    """`kernels`: makes the context of a forward pass; on the meta device it stands in for CUDA. `scale`: the loss scaler's."""
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


def unwrapped(model):
    """The model inside DistributedDataParallel, which knows its adapters and its reference; any other is itself."""
    return model.module if isinstance(model, torch.nn.parallel.DistributedDataParallel) else model


class Passes:
    """The forward passes of a training method over one batch. Each has a context, and so a cache of cast weights, of its own."""

    def __init__(self, model, spec, batch, kernels):
        self.model, self.spec, self.kernels = model, spec, kernels
        self.policy = unwrapped(model)
        self.labels = batch["labels"]
        self.inputs = {name: tensor for name, tensor in batch.items() if name != "labels"}

    def logits(self, model=None):
        """In float32, as accelerate's mixed precision and LLaMA-Factory's and torchtune's own code hand them on."""
        with self.kernels():
            logits = (model or self.model)(**self.inputs).logits
        return logits.float()

    def token_log_probabilities(self, logits):
        """The logits that TRL keeps, and the log-probabilities that LLaMA-Factory and torchtune do, are what counts."""
        style = self.spec["method"]["logProbabilities"]
        logits, tokens = logits[:, :-1], self.labels[:, 1:].unsqueeze(-1)
        if style == "trl":
            selected = logits.gather(-1, tokens).squeeze(-1)
            return selected - torch.stack([sequence.logsumexp(-1) for sequence in logits])
        if style == "torchtune":
            logits = logits / 1.0
        return logits.log_softmax(-1).gather(-1, tokens).squeeze(-1)

    def without_gradients(self, of):
        """Scores and logits of the policy, of its base with the adapters off, or of the frozen copy."""
        adapters = self.policy.disable_adapter() if of == "adapters-off" else contextlib.nullcontext()
        with torch.no_grad(), adapters:
            logits = self.logits(self.policy.reference if of == "copy" else None)
            return self.token_log_probabilities(logits).sum(-1), logits

    def as_reference(self):
        """The model that answers are compared with: the frozen copy, or the policy with its adapters off."""
        if self.policy.reference is not None:
            return contextlib.nullcontext(self.policy.reference)
        return self.adapters_off() if self.spec["method"]["reference"] == "adapters-off" else self.adapters_copied()

    @contextlib.contextmanager
    def adapters_copied(self):
        self.policy.set_adapter("ref", inference_mode=True)
        yield self.model
        self.policy.set_adapter("default")

    @contextlib.contextmanager
    def adapters_off(self):
        with self.policy.disable_adapter():
            yield self.model

    def answer_log_probabilities(self, model=None):
        """TRL's GRPOTrainer: of the answers' positions alone, over the temperature, with entropies beside."""
        count = self.spec["method"]["answerLength"]
        with self.kernels():
            outputs = (model or self.model)(**self.inputs, logits_to_keep=count + 1).logits
        outputs = outputs.float()
        logits = outputs[:, :-1][:, -count:]
        if self.spec["method"]["tempersInPlace"]:
            logits.div_(1.0)
        else:
            logits = logits / 1.0
        tokens = self.labels[:, -count:].unsqueeze(-1)
        selected = logits.gather(-1, tokens).squeeze(-1)
        scores = selected - torch.stack([sequence.logsumexp(-1) for sequence in logits])
        entropies_of(logits.detach())
        return scores

    def reference(self):
        of = self.spec["method"]["reference"]
        return (0.0, None) if of == "none" else self.without_gradients(of)


def preference_loss(passes, method):
    logits = passes.logits()
    scores = passes.token_log_probabilities(logits).sum(-1)
    extra = chosen_cross_entropy(logits, passes.labels) if method["withCrossEntropy"] else 0.0
    if method["logProbabilities"] == "torchtune":
        del logits
    reference, reference_logits = passes.reference()
    if method["logProbabilities"] == "trl" and not method["withCrossEntropy"]:
        entropies_of(logits.detach()[:, :-1])
    chosen, rejected = (scores - reference).chunk(2)
    return extra - F.logsigmoid(chosen - rejected).mean(), reference_logits if method["logProbabilities"] == "torchtune" else None


def entropies_of(logits, rows=128):
    """What TRL's DPO and KTO log, of a flat copy of the logits, while the reference's are still there."""
    for chunk in logits.reshape(-1, logits.shape[-1]).split(rows):
        log_probabilities = chunk.log_softmax(-1)
        (log_probabilities.exp() * log_probabilities).sum(-1)


def chosen_cross_entropy(logits, labels):
    chosen = logits[: len(logits) // 2, :-1].contiguous()
    return F.cross_entropy(chosen.view(-1, chosen.shape[-1]), labels[: len(labels) // 2, 1:].reshape(-1))


def kto_loss(passes, method):
    if method["logProbabilities"] == "trl":
        passes.without_gradients("policy")
    logits = passes.logits()
    scores = passes.token_log_probabilities(logits).sum(-1)
    if method["logProbabilities"] != "trl":
        passes.without_gradients("policy")
    passes.reference()
    reference, reference_logits = passes.reference()
    if method["logProbabilities"] == "trl":
        entropies_of(logits.detach()[:, :-1])
    del reference_logits
    loss = -torch.sigmoid(scores - reference).mean()
    del logits
    return loss, None


def reward_loss(passes, method):
    if method["head"] == "value":
        scores = scores_of_value_head(passes)
    else:
        with passes.kernels():
            outputs = passes.model(**passes.inputs, **({"labels": passes.labels} if method["head"] == "steps" else {}))
        if method["head"] == "steps":
            return outputs.loss, None
        scores = outputs.logits.squeeze(-1)
    chosen, rejected = scores.chunk(2)
    return -F.logsigmoid(chosen - rejected).mean(), None


def scores_of_value_head(passes):
    """trl's AutoModelForCausalLMWithValueHead also hands the logits out, in float32."""
    with passes.kernels():
        outputs = passes.model(**passes.inputs, output_hidden_states=True)
        values = passes.model.v_head(outputs.hidden_states[-1].float()).squeeze(-1)
        logits = outputs.logits.float()
    del logits, outputs
    return values[:, -1]


def chunked_logits(model, inputs, count):
    """torchtune's chunked_output: the output layer over a part of the sequence at a time."""
    decoder = model.get_base_model() if hasattr(model, "get_base_model") else model
    hidden = decoder.base_model(**inputs).last_hidden_state
    return [decoder.lm_head(chunk) for chunk in hidden.tensor_split(count, dim=1)]


def forward_divergence(student, teacher):
    probabilities = F.softmax(teacher, dim=-1, dtype=torch.float32)
    infinite = torch.isinf(student)
    log_probabilities = F.log_softmax(student, dim=-1, dtype=torch.float32)
    products = torch.masked_fill(probabilities * log_probabilities, infinite, 0)
    return -products.sum(-1).mean()


def distillation_loss(passes, method):
    with passes.kernels():
        student = chunked_logits(passes.model, passes.inputs, method["chunks"])
    with torch.no_grad(), passes.kernels():
        teacher = chunked_logits(passes.model.reference, passes.inputs, method["chunks"])
    labels = [chunk.reshape(-1) for chunk in passes.labels.tensor_split(method["chunks"], dim=1)]
    flat = [[chunk.reshape(-1, chunk.shape[-1]) for chunk in chunks] for chunks in (student, teacher)]
    divergence = sum(forward_divergence(*pair) for pair in zip(*flat))
    cross_entropy = sum(F.cross_entropy(chunk.float(), label) for chunk, label in zip(flat[0], labels))
    del student, teacher, flat
    return divergence + cross_entropy, None


def loss_of_answers(passes, method):
    scores = passes.answer_log_probabilities()
    ratio = (scores - scores.detach()).exp()
    return -torch.min(ratio, ratio.clamp(0.8, 1.2)).mean(), None


def anchored_loss(passes, method):
    """LLaMA-Factory's compute_loss and asft_loss_func, every token counted."""
    lowered = AUTOCAST_DTYPES.get(passes.spec["precision"])
    with torch.no_grad(), passes.kernels():
        reference = passes.policy.reference(**passes.inputs).logits
    if lowered is not None:  # accelerate's convert_outputs_to_fp32
        reference = reference.float()
    with passes.kernels():
        outputs = passes.model(**passes.inputs, labels=passes.labels)
    unused, logits = outputs.loss, outputs.logits.float()
    del outputs
    shifted, shifted_reference = (each[:, :-1].contiguous().flatten(0, 1) for each in (logits, reference))
    per_token = F.cross_entropy(shifted, passes.labels[:, 1:].flatten(), reduction="none")
    weighted = (per_token * torch.exp(-per_token.detach())).mean()
    divergence = F.kl_div(F.log_softmax(shifted, dim=-1), F.softmax(shifted_reference, dim=-1), reduction="none").sum(-1)
    loss = weighted + divergence.mean()
    del unused
    return loss, None


def denoising_loss(passes, method):
    """Axolotl's _compute_diffusion_loss, as if every token had been masked."""
    tokens = passes.inputs["input_ids"]
    batch, length = tokens.shape
    visible = torch.ones(batch, 1, length, length, dtype=torch.bool, device=tokens.device)
    with passes.kernels():
        logits = passes.model(input_ids=tokens, attention_mask=visible).logits
    logits = logits.float()  # accelerate's convert_outputs_to_fp32
    moved = torch.cat([logits[:, :1], logits[:, :-1]], dim=1)
    rows, columns = (torch.zeros(batch * length, dtype=torch.long, device=tokens.device) for _ in range(2))
    picked = moved[rows, columns]
    loss = F.cross_entropy(picked, tokens[rows, columns], reduction="none").mean()
    del logits, moved, picked
    return loss, None


METHODS = {"preference": preference_loss, "kto": kto_loss, "reward": reward_loss, "distillation": distillation_loss,
           "anchored": anchored_loss, "denoising": denoising_loss,
           "answers": loss_of_answers}


def make_answers(model, spec, device="meta", kernels=None):
    """What a method that learns from its own answers does before the steps over them."""
    method = spec.get("method", {})
    if method.get("kind") != "answers":
        return
    kernels = kernels or (lambda: CudaKernels(AUTOCAST_DTYPES.get(spec["precision"])))
    checkpoints = [module for module in model.modules() if getattr(module, "gradient_checkpointing", False)]
    for module in checkpoints:
        module.gradient_checkpointing = False
    with torch.no_grad():
        if method["generation"]["kind"] == "transformers":
            generate(model, spec, device, kernels)
        if method["comparesFeatures"]:
            compare_features(model, spec, device)
        elif method["reference"] != "none":
            passes = Passes(model, spec, fill_unless_meta(make_batch(spec, model, device), spec, model), kernels)
            with passes.as_reference() as reference:
                passes.answer_log_probabilities(reference)
    for module in checkpoints:
        module.gradient_checkpointing = True


def generate(model, spec, device, kernels):
    """transformers' generate at its two extremes: the pass over the prompts, and that over the last token."""
    rows = max(spec["method"]["count"], spec["microBatch"])
    prompt = max(1, spec["sequenceLength"] - spec["method"]["answerLength"])
    cache = transformers.DynamicCache(config=model.config.get_text_config())
    next_token(model, spec, cache, rows, prompt, prompt, device, kernels)
    for layer in cache.layers:
        kept = min(spec["sequenceLength"], getattr(layer, "sliding_window", None) or spec["sequenceLength"]) - 1
        layer.keys = layer.keys.new_zeros(*layer.keys.shape[:-2], kept, layer.keys.shape[-1])
        layer.values = layer.values.new_zeros(*layer.values.shape[:-2], kept, layer.values.shape[-1])
        if hasattr(layer, "cumulative_length"):
            layer.cumulative_length = spec["sequenceLength"] - 1
    next_token(model, spec, cache, rows, 1, spec["sequenceLength"], device, kernels)


def next_token(model, spec, cache, rows, tokens, seen, device, kernels):
    inputs = {"input_ids": torch.zeros(rows, tokens, dtype=torch.long, device=device)}
    if spec["paddedBatches"]:
        inputs["attention_mask"] = torch.ones(rows, seen, dtype=torch.long, device=device)
        inputs["attention_mask"][0, 0] = 0
    with kernels():
        logits = model(**inputs, past_key_values=cache, use_cache=True, logits_to_keep=1).logits.float()
    scores = logits[:, -1].to(copy=True, dtype=torch.float32) / 1.0
    scores.softmax(-1)


def compare_features(model, spec, device):
    """Axolotl's extract_hidden_states of the reference: under adapters it calls the model with its output layer."""
    rows = max(spec["method"]["count"], spec["microBatch"])
    ids = torch.zeros(rows, spec["sequenceLength"], dtype=torch.long, device=device)
    inputs = {"input_ids": ids, **({"attention_mask": torch.ones_like(ids)} if spec["paddedBatches"] else {})}
    adapters = model.disable_adapter() if model.reference is None else contextlib.nullcontext()
    kernels = CudaKernels() if device == "meta" else contextlib.nullcontext()
    with adapters, kernels:
        body = (model.reference or model).model
        body.train(False)
        outputs = body(**inputs, output_hidden_states=True)
        states = outputs.hidden_states
        body.train(model.reference is None)
        torch.cat([states[len(states) * part // 4] for part in (1, 2, 3)], dim=-1)


def fill_unless_meta(batch, spec, model):
    return batch if next(iter(batch.values())).is_meta else fill(batch, spec, model)


def require_shapes():
    if TORCH_VERSION < (2, 5):
        raise RuntimeError(f"PyTorch {torch.__version__} cannot be traced: before 2.5, CUDA's attention kernels do not support "
                           "the meta device")


def trace(request):
    """Peak bytes of the second step: its optimizer state is allocated, as in every later step."""
    require_shapes()
    spec = request["spec"]
    with without_values(spec["paddedBatches"], request["config"]["model_type"]), StorageLedger() as ledger:
        model = build_model(request)
        for tensor in tensors_of(model):
            ledger.enter(tensor)
        weight_bytes = ledger.live_bytes
        training = spec["step"] == "training"
        optimizer = optimizer_of(spec, [parameter for parameter in model.parameters() if parameter.requires_grad])
        for step in range(2 if training else 1):
            ledger.peak_bytes = ledger.live_bytes
            make_answers(model, spec)
            for _ in range(spec["gradientAccumulation"] if training else 1):
                batch = make_batch(spec, model)
                forward_and_backward(model, spec, batch)
                del batch
            backward_peak = ledger.peak_bytes
            if training and not (step == 1 and spec["optimizer"] == "adamw-fused"):
                optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        return {
            "peakBytes": ledger.peak_bytes,
            "forwardBackwardPeakBytes": backward_peak,
            "weightBytes": weight_bytes,
            "restingBytes": ledger.live_bytes,
            "parameters": sum(parameter.numel() for parameter in model.parameters()),
            "events": ledger.events if request.get("wantsEvents") else [],
        }


def tensors_of(model):
    models = [model] if model.reference is None else [model, model.reference]
    return [tensor for each in models for tensor in (*each.parameters(), *each.buffers())]


# --- Mamba on the meta device: what the kernels of mamba-ssm 2.3 and causal-conv1d 1.6 allocate and save, in their order --------


class FusedConvolution(torch.autograd.Function):
    """causal_conv1d_interface.py CausalConv1dFn."""

    @staticmethod
    def forward(context, x, weight, bias):
        context.save_for_backward(x, weight, bias)
        return torch.empty_like(x)

    @staticmethod
    def backward(context, _):
        x, weight, bias = context.saved_tensors
        return torch.empty_like(x), torch.empty_like(weight), None if bias is None else torch.empty_like(bias)


class SelectiveScan(torch.autograd.Function):
    """ops/selective_scan_interface.py SelectiveScanFn, over csrc/selective_scan/selective_scan.cpp."""

    @staticmethod
    def forward(context, states, steps, rates, into, out_of, skip, gate, bias):
        states, steps, into, out_of, gate = (each.contiguous() for each in (states, steps, into, out_of, gate))
        gated, result = torch.empty_like(gate), torch.empty_like(steps)
        chunks = -(-states.shape[-1] // 2048)
        kept = rates.new_empty(*states.shape[:2], chunks, 2 * rates.shape[1])
        context.save_for_backward(states, steps, rates, into, out_of, skip, gate, bias, kept, result)
        return gated

    @staticmethod
    def backward(context, gradient):
        gradient = gradient.contiguous()
        inputs = context.saved_tensors[:8]
        return tuple(torch.empty_like(each) for each in inputs)


def fused_convolution(hidden_states, weight, bias=None, activation=None, **_):
    return FusedConvolution.apply(hidden_states, weight, bias)


def selective_scan(hidden_states, dt, A, B, C, D=None, z=None, delta_bias=None, return_last_state=False, **_):
    result = SelectiveScan.apply(hidden_states, dt, A, B, C, D, z, delta_bias)
    return (result, A.new_zeros(*hidden_states.shape[:2], A.shape[1])) if return_last_state else result


def scanned(x, groups, state_size, chunk_size):
    """_mamba_chunk_scan_combined_fwd of ops/triton/ssd_combined.py: the result, and what its caller holds on to."""
    batch, tokens, heads, size = x.shape
    chunks = -(-tokens // chunk_size)
    decays, steps = (x.new_empty(batch, heads, chunks, chunk_size, dtype=torch.float32) for _ in range(2))
    made = x.new_empty(batch, chunks, heads, size, state_size, dtype=torch.float32)
    passed, last = torch.empty_like(made, dtype=x.dtype), made.new_empty(batch, heads, size, state_size)
    del made
    scores = x.new_empty(batch, chunks, groups, chunk_size, chunk_size, dtype=torch.float32)
    result = x.new_empty(x.shape)
    del scores
    return result, (steps, decays, passed, last)


def scan_again(x, steps, groups, state_size, chunk_size):
    """_mamba_chunk_scan_combined_bwd up to where it holds most: the states, their gradients, and both again in x's type."""
    batch, tokens, heads, size = x.shape
    chunks = -(-tokens // chunk_size)
    steps = steps.clone()
    held = [x.new_empty(batch, heads, chunks, chunk_size, dtype=torch.float32) for _ in range(2)]
    held.append(x.new_empty(batch, chunks, groups, chunk_size, chunk_size, dtype=torch.float32))
    made = x.new_empty(batch, chunks, heads, size, state_size, dtype=torch.float32)
    states, last = torch.empty_like(made), made.new_empty(batch, heads, size, state_size)
    del made
    gradients = torch.empty_like(states)
    lowered = [torch.empty_like(states, dtype=x.dtype) for _ in range(1 if x.dtype == torch.float32 else 2)]
    del states, gradients, lowered, last, held


class ChunkScan(torch.autograd.Function):
    """MambaChunkScanCombinedFn."""

    @staticmethod
    def forward(context, x, steps, rates, into, out_of, skip, bias, chunk_size):
        context.sizes = (*into.shape[2:], chunk_size)
        result, (_, decays, _, last) = scanned(x, *context.sizes)
        context.save_for_backward(result, x, steps, decays, rates, into, out_of, skip, bias)
        return result, last

    @staticmethod
    def backward(context, gradient, _):
        _, x, steps, _, *others = context.saved_tensors
        rates, into, out_of, skip, bias = others
        of_into, of_out_of = torch.empty_like(into), torch.empty_like(out_of)
        of_steps = torch.empty_like(steps)
        scan_again(x, steps, *context.sizes)
        small = [torch.empty_like(each) for each in (rates, skip, bias)]
        return torch.empty_like(x), of_steps, small[0], of_into, of_out_of, small[1], small[2], None


def chunk_scan(hidden_states, dt, A, B, C, chunk_size, D=None, dt_bias=None, return_final_states=False, **_):
    result, last = ChunkScan.apply(hidden_states, dt, A, B, C, D, dt_bias, chunk_size)
    return (result, last) if return_final_states else result


class FusedMamba2(torch.autograd.Function):
    """MambaSplitConv1dScanCombinedFn."""

    @staticmethod
    def forward(context, x, convolution, convolution_bias, bias, rates, skip, norm, output, output_bias, sizes):
        heads, size, groups, chunk_size = sizes
        inner, convolved = heads * size, convolution.shape[0]
        state_size = (convolved - inner) // groups // 2
        batch, tokens, _ = x.shape
        mixed = x.new_empty(batch, tokens, convolved)
        rows = mixed[..., :inner].unflatten(-1, (heads, size))
        result, _held = scanned(rows, groups, state_size, chunk_size)
        gated = x.new_empty(batch, tokens, inner)
        deviations = None if norm is None else x.new_empty(groups * batch * tokens, dtype=torch.float32)
        lowest = output if context_dtype() is None else output.to(context_dtype())
        projected = F.linear(gated.to(lowest.dtype), lowest, output_bias)
        context.sizes = (heads, size, groups, state_size, chunk_size)
        context.save_for_backward(x, convolution, convolution_bias, bias, rates, skip, norm, lowest, output_bias, result,
                                  deviations)
        return projected

    @staticmethod
    def backward(context, gradient):
        x, convolution, convolution_bias, bias, rates, skip, norm, output, output_bias, result, _ = context.saved_tensors
        heads, size, groups, state_size, chunk_size = context.sizes
        inner = heads * size
        batch, tokens, _ = x.shape
        again = x.new_empty(batch, tokens, inner)
        mixed = x.new_empty(batch, tokens, convolution.shape[0])
        of_x, of_mixed = torch.empty_like(x), torch.empty_like(mixed)
        of_gated = F.linear(gradient, output.t())
        of_rows = [x.new_empty(batch, tokens, inner) for _ in range(1 if norm is not None else 2)]
        rows = mixed[..., :inner].unflatten(-1, (heads, size))
        scan_again(rows, x[..., -heads:], groups, state_size, chunk_size)
        of_output = torch.einsum("bso,bsd->od", gradient, again.to(gradient.dtype))
        small = [None if each is None else torch.empty_like(each)
                 for each in (convolution, convolution_bias, bias, rates, skip, norm)]
        of_output_bias = None if output_bias is None else gradient.sum(dim=(0, 1))
        del of_gated, of_rows, of_mixed
        return of_x, *small, of_output, of_output_bias, None


def context_dtype():
    """Of the autocast that CudaKernels stands in for."""
    modes = [mode for mode in torch.overrides._get_current_function_mode_stack() if isinstance(mode, CudaKernels)]
    return modes[-1].autocast_dtype if modes else None


def fused_mamba2(projected, convolution, convolution_bias, bias, rates, D, chunk_size, rmsnorm_weight=None,
                 outproj_weight=None, outproj_bias=None, headdim=None, ngroups=1, **_):
    return FusedMamba2.apply(projected, convolution, convolution_bias, bias, rates, D, rmsnorm_weight, outproj_weight,
                             outproj_bias, (D.shape[0], headdim, ngroups, chunk_size))


MAMBA_KERNELS = {"mamba2_split_conv1d_scan_combined": fused_mamba2, "mamba2_chunk_scan": chunk_scan,
                 "mamba_selective_scan": selective_scan, "causal_conv1d_fn": fused_convolution}


def mamba_kernels(model_type):
    """Stand-ins for the kernels that transformers takes where they are installed, by where the model looks for them."""
    try:
        modeling = importlib.import_module(f"transformers.models.{model_type}.modeling_{model_type}")
    except ImportError:
        return {}
    if not any(hasattr(modeling, name) for name in ("mamba2_chunk_scan", "mamba_selective_scan")):
        return {}
    return {(modeling, name): kernel for name, kernel in MAMBA_KERNELS.items()}


class ExpertByExpert(torch.autograd.Function):
    """transformers' integrations/moe.py _grouped_mm_fallback, which asks how many tokens each expert has."""

    @staticmethod
    def forward(context, x, weight, ends):
        context.save_for_backward(x, weight)
        context.ends = ends
        return x.new_zeros(x.shape[0], weight.shape[-1])

    @staticmethod
    def backward(context, _):
        x, weight = context.saved_tensors
        return torch.zeros_like(x), torch.zeros_like(weight), None  # the weight's where it is frozen, too


def product_expert_by_expert(x, weight, offs):
    return ExpertByExpert.apply(x.to(weight.dtype), weight, offs)


# --- Real steps on a real device ---------------------------------------------------------------------------------------

# What the libraries say when an allocation outside PyTorch's own allocator fails.
OUT_OF_MEMORY = re.compile("|".join((
    r"(?:CUDA|HIP)(?: driver)? error: out of memory", r"CUDA_ERROR_OUT_OF_MEMORY", r"cudaErrorMemoryAllocation",
    r"hipErrorOutOfMemory",
    r"Cuda failure (?:\d+ )?'out of memory'",  # NCCL
    r"Triton Error \[(?:CUDA|HIP)\]:.*out of memory",
    r"CUBLAS_STATUS_ALLOC_FAILED", r"CUDNN_STATUS_ALLOC_FAILED", r"CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
    r"CUSOLVER_STATUS_ALLOC_FAILED", r"CUFFT_ALLOC_FAILED", r"MPS backend out of memory",
)), re.IGNORECASE)
# The libraries say these for other reasons too, so they count only where memory is short: cuDNN, that no algorithm's workspace
# fits; cuBLAS, that it cannot make its handle.
PERHAPS_OUT_OF_MEMORY = re.compile(
    "unable to find an engine|CUDNN_STATUS_NOT_SUPPORTED|CUDNN_STATUS_EXECUTION_FAILED|CUBLAS_STATUS_NOT_INITIALIZED",
    re.IGNORECASE)
HOST_OUT_OF_MEMORY = re.compile("DefaultCPUAllocator: (?:can't allocate|not enough) memory", re.IGNORECASE)
SHORT_OF_MEMORY_SHARE = 0.9


def is_out_of_memory(error, device):
    """Whether the device's memory ran out: the host's does not count, unless the host is the device."""
    if isinstance(error, torch.cuda.OutOfMemoryError):
        return True
    if is_out_of_host_memory(error):
        return device.kind == "cpu"
    if not isinstance(error, RuntimeError):
        return False
    text = str(error)
    return bool(OUT_OF_MEMORY.search(text) or (PERHAPS_OUT_OF_MEMORY.search(text) and device.memory_is_short()))


def is_out_of_host_memory(error):
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and bool(HOST_OUT_OF_MEMORY.search(str(error))))


class CpuDevice:
    """PyTorch counts no memory on the CPU, so a step there has a time and no peak."""

    kind = "cpu"
    warm_up_millis = 0

    def __init__(self, limit_bytes, played_context_bytes=None):
        if limit_bytes is None:
            return
        import resource

        in_use = int(status_field("VmData")) * 1024
        resource.setrlimit(resource.RLIMIT_DATA, (in_use + limit_bytes, in_use + limit_bytes))

    def facts(self):
        return {"kind": "cpu", "name": platform.processor() or platform.machine()}

    def restrict(self):
        pass

    def synchronize(self):
        pass

    def reset_peaks(self):
        pass

    def peaks(self):
        return {}

    def empty(self):
        pass

    def memory_is_short(self):
        return False


class MpsDevice:
    """Metal keeps no high-water mark of tensors; its driver's total only grows between two emptyings, so it is one."""

    kind = "mps"
    warm_up_millis = 0

    def __init__(self, limit_bytes, played_context_bytes=None):
        self._total_bytes = torch.mps.recommended_max_memory()
        if limit_bytes is not None:
            torch.mps.set_per_process_memory_fraction(min(1.0, limit_bytes / self._total_bytes))
            self._total_bytes = min(limit_bytes, self._total_bytes)

    def facts(self):
        return {"kind": "mps", "name": platform.processor() or "Apple GPU", "totalBytes": self._total_bytes,
                "contextBytes": 0}

    def restrict(self):
        pass

    def synchronize(self):
        torch.mps.synchronize()

    def reset_peaks(self):
        torch.mps.empty_cache()

    def peaks(self):
        return {"peakReservedBytes": torch.mps.driver_allocated_memory()}

    def empty(self):
        torch.mps.empty_cache()

    def memory_is_short(self):
        return torch.mps.driver_allocated_memory() > SHORT_OF_MEMORY_SHARE * self._total_bytes


class CudaDevice:
    """A limit plays a smaller card: PyTorch may reserve that card's memory less that card's CUDA context."""

    kind = "cuda"
    # The clocks of a card that was idle take this long to rise.
    warm_up_millis = 1_000

    def __init__(self, limit_bytes, played_context_bytes=None):
        in_use = cards_before_start()  # first: from here on our own context counts too
        self._properties = torch.cuda.get_device_properties(torch.cuda.current_device())
        self._card_bytes = self._properties.total_memory
        self._other_bytes = bytes_in_use(in_use, getattr(self._properties, "uuid", None))
        load_libraries()
        is_capped = limit_bytes is not None and limit_bytes < self._card_bytes
        self._total_bytes = limit_bytes if is_capped else self._card_bytes
        self._played_context_bytes = None
        if is_capped:
            self._played_context_bytes = self.context_bytes() if played_context_bytes is None else played_context_bytes
            if limit_bytes <= self._played_context_bytes:
                raise ValueError(f"the memory limit of {limit_bytes} bytes is below the CUDA context's "
                                 f"{self._played_context_bytes}")
        self.restrict()

    def context_bytes(self):
        """What this process holds outside PyTorch's allocator. Grows as kernels are loaded."""
        free_bytes, total_bytes = torch.cuda.mem_get_info()
        return max(0, total_bytes - free_bytes - torch.cuda.memory_reserved() - self._other_bytes)

    def usable_bytes(self):
        """What PyTorch may reserve: of the card what is not taken already, and of a smaller one that is played its share."""
        free_bytes = max(0, self._card_bytes - self._other_bytes - self.context_bytes())
        if self._played_context_bytes is None:
            return free_bytes
        return min(free_bytes, self._total_bytes - self._played_context_bytes)

    def restrict(self):
        """
        Before each trial anew, since the context grows; and also where nothing is played, because under WSL a full card spills
        into the host's memory instead of failing.
        """
        torch.cuda.set_per_process_memory_fraction(self.usable_bytes() / self._card_bytes)

    def cublas_workspace_bytes(self):
        """What PyTorch allocates for cuBLAS at the first matrix product of a thread."""
        torch._C._cuda_clearCublasWorkspaces()
        matrix = torch.zeros(64, 64, device="cuda")
        before = torch.cuda.memory_allocated()
        product = matrix @ matrix
        return torch.cuda.memory_allocated() - before - product.untyped_storage().nbytes()

    def facts(self):
        played = self._played_context_bytes
        return {"kind": "cuda", "name": self._properties.name, "count": torch.cuda.device_count(),
                "totalBytes": self._total_bytes, "contextBytes": self.context_bytes() if played is None else played,
                "otherBytes": self._other_bytes, "isCapped": played is not None, "usableBytes": self.usable_bytes(),
                "cublasWorkspaceBytes": self.cublas_workspace_bytes(),
                "driver": driver_version(cards_before_start()),
                "cuda": torch.version.cuda, "rocm": torch.version.hip,
                "computeCapability": [self._properties.major, self._properties.minor]}

    def synchronize(self):
        torch.cuda.synchronize()

    def reset_peaks(self):
        torch.cuda.reset_peak_memory_stats()

    def peaks(self):
        # Allocated counts whole blocks, of which up to 1 MiB each may not have been asked for; requested counts what was.
        return {"peakAllocatedBytes": torch.cuda.max_memory_allocated(),
                "peakRequestedBytes": torch.cuda.memory_stats().get("requested_bytes.all.peak", 0),
                "peakReservedBytes": torch.cuda.max_memory_reserved(), "contextBytes": self.context_bytes()}

    def empty(self):
        torch._C._cuda_clearCublasWorkspaces()
        torch.cuda.empty_cache()

    def memory_is_short(self):
        return torch.cuda.max_memory_reserved() > SHORT_OF_MEMORY_SHARE * self.usable_bytes()


DEVICES = {"cuda": CudaDevice, "mps": MpsDevice, "cpu": CpuDevice}
_open_devices = {}


def open_device(request):
    """One device and one limit a process: the caps cannot be taken back."""
    kind = request.get("device") or best_device()
    if kind is None:
        return None
    if kind not in _open_devices:
        _open_devices[kind] = DEVICES[kind](request.get("limitMemoryBytes"), request.get("playedContextBytes"))
    return _open_devices[kind]


def best_device():
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else None


def load_libraries():
    """Makes the context, and loads the libraries that every step loads, so that it has grown before it is measured."""
    with torch.no_grad():
        matrix = torch.zeros(64, 64, device="cuda")
        F.conv2d((matrix @ matrix).view(1, 1, 64, 64), matrix[:3, :3].reshape(1, 1, 3, 3))
    torch.cuda.synchronize()


@functools.cache
def cards_before_start():
    """What the driver says of each card before this process starts CUDA: its id, the MiB in use, the driver's version."""
    query = ["nvidia-smi", "--query-gpu=uuid,memory.used,driver_version", "--format=csv,noheader,nounits"]
    try:
        lines = subprocess.run(query, capture_output=True, text=True, timeout=10, check=True).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return []
    return [fields for line in lines if len(fields := [field.strip() for field in line.split(",")]) == 3]


def bytes_in_use(cards, uuid):
    """By other processes. Where the driver does not tell, they cannot be told from this process's own context."""
    return next((int(used) << 20 for identity, used, _ in cards if identity == f"GPU-{uuid}" and used.isdigit()), 0)


def driver_version(cards):
    return cards[0][2] if cards else "unknown"


def status_field(name):
    with open("/proc/self/status", encoding="ascii") as status:
        return next(line.split()[1] for line in status if line.startswith(f"{name}:"))


def device_facts(request):
    """A GPU that PyTorch sees but cannot start is neither a device nor the lack of one."""
    try:
        device = open_device(request)
        facts = none_or_broken() if device is None else device.facts()
    except (RuntimeError, torch.cuda.DeferredCudaCallError) as error:
        facts = {"kind": "broken", "why": str(error)[:2_000]}
    return {**versions(request), "device": facts}


def none_or_broken():
    """PyTorch made for CUDA beside a card of NVIDIA's that it does not see has a reason, such as a driver that is too old."""
    hides_all = os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1")
    if torch.version.cuda is not None and cards_before_start() and not hides_all:
        torch.cuda.init()
    return {"kind": "none"}


def make_real_optimizer(name, parameters):
    if name == "adamw-fused":
        return torch.optim.AdamW(parameters, lr=LEARNING_RATE, fused=True)
    if "8bit" in name or "8-bit" in name:
        try:
            import bitsandbytes
        except ImportError as error:
            raise RuntimeError(f"{name} needs bitsandbytes: pip install bitsandbytes") from error
        paged = "paged" in name
        return (bitsandbytes.optim.PagedAdamW8bit if paged else bitsandbytes.optim.AdamW8bit)(parameters, lr=LEARNING_RATE)
    return make_optimizer(name, parameters)


def fill(batch, spec, model):
    """Random values, in place: the tensors are those that the trace has too. What describes an image's tiles is filled already."""
    for name, tensor in batch.items():
        if name == "attention_mask":
            tensor.fill_(1)
            tensor[0, -1] = 0  # without a padded token transformers would leave the mask out
        elif name == "pixel_values":
            tensor.uniform_()
        elif name == "labels" and (tensor.dim() == 1 or head_of_rewards(spec) == "steps"):
            tensor.random_(0, spec["labels"])
        elif name in ("input_ids", "decoder_input_ids", "labels"):
            tensor.random_(0, model.config.get_text_config().vocab_size)
    return batch


class OwnStep:
    """The user's own model, from `path.py:function`. The function takes the spec and the device's name and returns
    (model, make_batch); make_batch(micro_batch) returns the model's keyword arguments. The model's answer has a `.loss`."""

    def __init__(self, request, device):
        path, _, name = request["entrypoint"].rpartition(":")
        os.chdir(request.get("folder", "."))
        # Last, so that nothing installed is hidden; first would be what `python path.py` has.
        sys.path.extend([os.path.dirname(path), *request.get("importFolders", [])])
        module_spec = importlib.util.spec_from_file_location("memorymark_entrypoint", path)
        if module_spec is None:
            raise ValueError(f"{request['entrypoint']} does not name a function as path.py:function")
        module = importlib.util.module_from_spec(module_spec)
        module_spec.loader.exec_module(module)
        self.model, self._make_batch = getattr(module, name)(request["spec"], device)

    def batch(self, spec):
        return self._make_batch(spec["microBatch"])


class CatalogueStep:
    """The transformers model of the spec, weights random: memory does not depend on their values."""

    def __init__(self, request, device):
        self._device = device
        # Whole, a model that is to be sharded may fit neither into a GPU nor, once a process, into the host.
        self.model = build_model(request, "meta" if is_sharded(request["spec"]) else device, runs_on=device)

    def batch(self, spec):
        return fill(make_batch(spec, self.model, self._device), spec, self.model)


def open_step(request, device):
    return (OwnStep if request.get("entrypoint") else CatalogueStep)(request, device.kind)


def autocast(spec, device):
    dtype = AUTOCAST_DTYPES.get(spec["precision"])
    return contextlib.nullcontext() if dtype is None else torch.autocast(device.kind, dtype)


def use_tf32(spec):
    torch.backends.cuda.matmul.allow_tf32 = spec["precision"] == "tf32"


class AttentionBackends(TorchFunctionMode):
    """Which of its kernels scaled_dot_product_attention takes, as it decides itself; none where a model calls another attention."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is F.scaled_dot_product_attention:
            # Autocast casts inside the call, and the choice depends on the types.
            lowered, lowered_kwargs = tree_map(as_autocast_casts, (args, kwargs))
            self.names.add(SDPBackend(torch._fused_sdp_choice(*lowered, **lowered_kwargs)).name.lower().removesuffix("_attention"))
        return func(*args, **kwargs)


def as_autocast_casts(value):
    is_lowered = isinstance(value, torch.Tensor) and value.dtype == torch.float32 and torch.is_autocast_enabled(value.device.type)
    return value.to(torch.get_autocast_dtype(value.device.type)) if is_lowered else value


class RealLoop:
    """The training loop of a spec, a step at a time."""

    # The loss scaler halves its scale each time it skips a step.
    FIRST_STEPS_AT_MOST = 8

    def __init__(self, request, device):
        self._spec = request["spec"]
        self._device = device
        use_tf32(self._spec)
        self._step = open_step(request, device)
        self._model = distributed_model(self._step.model, self._spec, device)
        self._training = self._spec["step"] == "training"
        # From its usual 65,536 on the scaler would skip the first steps, and a skipped optimizer allocates no state.
        self._scaler = torch.amp.GradScaler(device.kind, init_scale=1.0,
                                            enabled=self._spec["precision"] == "amp-fp16" and self._training)
        trained = [parameter for parameter in self._model.parameters() if parameter.requires_grad]
        self._optimizer = optimizer_of(self._spec, trained, make_real_optimizer) if self._training else None
        self._trained = trained

    def steps(self, count):
        """
        Figures of `count` steps, at least two: only the second has its optimizer state allocated from the start. Of more than
        two, the second stands for a warm-up of as long as the device needs, with its highest figures.
        """
        first, second = self._first(), self._later()
        if count <= 2:
            return [first, second]
        missing = math.ceil(self._device.warm_up_millis / max(second["millis"], 0.1)) - 1
        warm_up = [second, *(self._later() for _ in range(highest_among_processes(missing)))]
        return [first, highest_of(warm_up), *(self._later() for _ in range(count - 2))]

    def _first(self):
        for _ in range(self.FIRST_STEPS_AT_MOST):
            figures, was_skipped = self._run()
            if not was_skipped:
                return figures
        raise RuntimeError("the gradients are infinite even at the lowest scale of the loss, so that the optimizer never steps; "
                           "train in amp-bf16")

    def _later(self):
        figures, was_skipped = self._run()
        if was_skipped:
            raise RuntimeError("a gradient was infinite, so that a measured step skipped its optimizer; train in amp-bf16")
        return figures

    def _run(self):
        """Milliseconds and peaks of one step, the optimizer's among them; and whether the loss scaler skipped the optimizer."""
        # A data loader makes it beside the step. All micro-batches of a step are alike, and one at a time is there.
        batch = self._step.batch(self._spec)
        self._device.synchronize()
        self._device.reset_peaks()
        started = time.perf_counter()
        batches = self._spec["gradientAccumulation"] if self._training else 1
        kernels = functools.partial(autocast, self._spec, self._device)
        make_answers(self._step.model, self._spec, self._device.kind, kernels)
        for index in range(batches):
            with gradients_stay_here(self._model, self._spec, index < batches - 1):
                forward_and_backward(self._model, self._spec, batch, kernels, self._scaler.scale)
        del batch
        self._device.synchronize()
        scale = self._scaler.get_scale()
        optimizer_started = time.perf_counter()
        if self._optimizer is not None:
            self._scaler.step(self._optimizer)
            self._scaler.update()
        for parameter in self._trained:
            parameter.grad = None
        self._device.synchronize()
        ended = time.perf_counter()
        figures = {"millis": (ended - started) * 1_000, "optimizerMillis": (ended - optimizer_started) * 1_000,
                   **self._device.peaks()}
        return figures, self._scaler.get_scale() < scale


def trial(request):
    device = require_device(request)
    try:
        device.restrict()
        loop = RealLoop(request, device)
        with AttentionBackends() as attention:
            steps = loop.steps(request["steps"])
        return {"kind": "fits", "steps": steps, "attention": sorted(attention.names)}
    except Exception as error:
        if is_out_of_memory(error, device):
            return {"kind": "out-of-memory", "message": f"{type(error).__name__}: {error}"[:2_000]}
        if is_out_of_host_memory(error):
            raise RuntimeError("the host ran out of memory, not the GPU: run on a host with more") from error
        raise
    finally:
        loop = None
        gc.collect()
        device.empty()


# --- Several GPUs: this file under torchrun, one process a GPU -----------------------------------------------------------


class Group:
    """The processes of one torchrun. Rank 0 hears the parent and tells the others; all do the same, and rank 0 answers."""

    def __init__(self, device_kind):
        self._rank, local_rank = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
        is_cuda = device_kind == "cuda"
        if is_cuda:
            cards_before_start()
            torch.cuda.set_device(local_rank)
        # Requests and answers are objects on the host and go through Gloo, which waits half an hour for the next one.
        dist.init_process_group("cpu:gloo,cuda:nccl" if is_cuda else "gloo")

    def lines(self):
        while True:
            line = [sys.stdin.readline() if self._rank == 0 else None]
            dist.broadcast_object_list(line)
            if not line[0]:
                return
            yield line[0]

    def agreed(self, reply):
        """
        The highest figures of all. Who fails answers alone, since the others wait for it in the middle of a step. Of those that
        fail together the lowest rank is heard first, and its answer ends them all.
        """
        if reply["kind"] == "failed" or reply["result"].get("kind") == "out-of-memory":
            time.sleep(self._rank / 2)
            return reply
        replies = [None] * dist.get_world_size() if self._rank == 0 else None
        dist.gather_object(reply, replies)
        return None if replies is None else {**reply, "result": highest_of([each["result"] for each in replies])}


def highest_among_processes(number):
    if not dist.is_initialized():
        return number
    numbers = [None] * dist.get_world_size()
    dist.all_gather_object(numbers, number)
    return max(numbers)


def highest_of(results):
    """Of the same shape: numbers by the highest, everything else by the first."""
    first = results[0]
    if isinstance(first, dict):
        return {name: highest_of([result[name] for result in results]) for name in first}
    if isinstance(first, list) and all(isinstance(each, dict) for each in first):
        return [highest_of(list(each)) for each in zip(*results, strict=True)]
    return max(results) if isinstance(first, (int, float)) else first


def is_sharded(spec):
    return spec.get("sharding") in ("fsdp", "fsdp-grad-op") and spec["gpus"] > 1


def distributed_model(model, spec, device):
    """DistributedDataParallel, or FSDP over the modules that transformers says not to split, as accelerate wraps them."""
    if spec["gpus"] == 1:
        return model
    if not is_sharded(spec):
        # What Trainer asks for: with checkpointing, the graph is not searched for parameters that took no part.
        return torch.nn.parallel.DistributedDataParallel(model, find_unused_parameters=not spec["gradientCheckpointing"])
    try:
        from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
    except ImportError:  # torch before 2.6
        from torch.distributed._composable.fsdp import MixedPrecisionPolicy, fully_shard

    dtype = torch.bfloat16 if spec["precision"] == "bf16-master" else None
    mesh = dist.init_device_mesh(device.kind, (dist.get_world_size(),))
    policy = {"mesh": mesh, "mp_policy": MixedPrecisionPolicy(param_dtype=dtype, reduce_dtype=dtype)}
    reshards = spec["sharding"] == "fsdp"
    reference = getattr(model, "reference", None)  # a user's own model has none
    for each in [model] if reference is None else [model, reference]:
        whole = set(each._no_split_modules or ())
        for module in [module for module in each.modules() if type(module).__name__ in whole]:
            fully_shard(module, **policy, reshard_after_forward=reshards)
        fully_shard(each, **policy)
        give_data(each, device.kind)
    return model


def give_data(model, device):
    """Data on the device for what was built without: of a sharded parameter, this process's share. Indices point at the first row."""
    if not any(parameter.is_meta for parameter in model.parameters()):
        return
    model.to_empty(device=device)
    with torch.no_grad():
        for parameter in model.parameters():
            (parameter.to_local() if hasattr(parameter, "to_local") else parameter).normal_(0, 0.02)
        for buffer in model.buffers():
            buffer.fill_(1 if buffer.is_floating_point() else 0)
    for module in model.modules():
        for name, value in vars(module).items():
            if isinstance(value, torch.Tensor) and value.is_meta:
                setattr(module, name, torch.ones_like(value, device=device))


@contextlib.contextmanager
def gradients_stay_here(model, spec, stay):
    """While gradients accumulate they are summed across GPUs once, with the last micro-batch: accelerate's no_sync."""
    if not stay or spec.get("syncsEveryMicroBatch"):
        yield
    elif isinstance(model, torch.nn.parallel.DistributedDataParallel):
        with model.no_sync():
            yield
    elif hasattr(model, "set_requires_gradient_sync"):
        model.set_requires_gradient_sync(False)
        yield
        model.set_requires_gradient_sync(True)
    else:
        yield


def require_device(request):
    device = open_device(request)
    if device is None:
        raise RuntimeError("PyTorch sees neither a CUDA nor an MPS device")
    return device


# --- The two checks ----------------------------------------------------------------------------------------------------


def validate_backward(request):
    """Peaks of a forward pass alone (nothing kept for a backward pass) and of forward and backward, without an optimizer."""
    return traced_halves(request) if request["on"] == "trace" else measured_halves(request)


def traced_halves(request):
    require_shapes()
    spec = request["spec"]
    with without_values(spec["paddedBatches"], request["config"]["model_type"]), StorageLedger() as ledger:
        model = build_model(request)
        for tensor in [*model.parameters(), *model.buffers()]:
            ledger.enter(tensor)
        ledger.peak_bytes = ledger.live_bytes
        with torch.no_grad(), CudaKernels(AUTOCAST_DTYPES.get(spec["precision"])):
            model(**make_batch(spec, model))
        forward_bytes = ledger.peak_bytes
        ledger.peak_bytes = ledger.live_bytes
        forward_and_backward(model, spec, make_batch(spec, model))
        return {"forwardPeakBytes": forward_bytes, "forwardBackwardPeakBytes": ledger.peak_bytes}


def measured_halves(request):
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


def validate_compile(request):
    """The same steps eager and compiled: what the first one costs, and what the later ones take."""
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


def versions(_request):
    return {"python": sys.version.split()[0], "torch": torch.__version__, "transformers": transformers.__version__,
            "hasBitsandbytes": importlib.util.find_spec("bitsandbytes") is not None,
            "hasTimm": importlib.util.find_spec("timm") is not None}


OPERATIONS = {
    "trace": trace,
    "versions": versions,
    "device": device_facts,
    "trial": trial,
    "validate-backward": validate_backward,
    "validate-compile": validate_compile,
}


def answer(line):
    request = json.loads(line)
    try:
        return {"id": request["id"], "kind": "done", "result": OPERATIONS[request["operation"]](request)}
    except Exception as error:
        return {"id": request["id"], "kind": "failed", "message": f"{type(error).__name__}: {error}"[:2_000],
                "traceback": traceback.format_exc()[-8_000:]}


def end_with_parent():
    """A parent that is killed cannot end its worker. On Linux the kernel does: PR_SET_PDEATHSIG of prctl(2)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        if os.getppid() != PARENT:
            sys.exit()


def main():
    end_with_parent()
    answers = sys.stdout
    sys.stdout = sys.stderr  # a library that prints must not break the protocol
    group = Group(sys.argv[1] if len(sys.argv) > 1 else best_device()) if "TORCHELASTIC_RUN_ID" in os.environ else None
    for line in sys.stdin if group is None else group.lines():
        reply = answer(line) if group is None else group.agreed(answer(line))
        if reply is not None:
            # In one piece: unbuffered, print writes the line's end apart, and processes share the pipe.
            answers.write(json.dumps(reply) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
