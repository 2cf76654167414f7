"""MemoryMark's PyTorch worker: one JSON request a line on stdin, one JSON answer a line on stdout.

The `trace` operation runs real training steps of the real transformers model on the meta device, where tensors have shapes
but no data, and follows every storage from its allocation to its release. The kernels are those that CUDA would pick:
on the meta device PyTorch itself would fall back to the CPU's compositions, which save more.
"""

import contextlib
import json
import os
import sys
import traceback
import weakref

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import torch
import torch.nn.functional as F
import transformers
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter, tree_map
from transformers import masking_utils

ALLOCATION_BYTES = 512  # kMinBlockSize of c10/cuda/CUDACachingAllocator.cpp

MODEL_CLASSES = {
    "sequence-classification": transformers.AutoModelForSequenceClassification,
    "masked-lm": transformers.AutoModelForMaskedLM,
    "causal-lm": transformers.AutoModelForCausalLM,
    "image-classification": transformers.AutoModelForImageClassification,
}


class StorageLedger(TorchDispatchMode):
    """Adds up live storages as the caching allocator would round them, and keeps the highest sum."""

    def __init__(self):
        super().__init__()
        self.live_bytes = 0
        self.peak_bytes = 0
        self._storages = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for value in tree_iter(result):
            if isinstance(value, torch.Tensor) and value.device.type == "meta":
                self.enter(value)
        self.peak_bytes = max(self.peak_bytes, self.live_bytes)
        return result

    def enter(self, tensor):
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self._storages:
            return
        size = -(-storage.nbytes() // ALLOCATION_BYTES) * ALLOCATION_BYTES
        self.live_bytes += size

        def leave(_):
            self.live_bytes -= size
            del self._storages[key]

        self._storages[key] = weakref.ref(storage, leave)


class CudaKernels(TorchFunctionMode):
    """Calls the kernels that CUDA would run, and casts as torch.autocast("cuda") would when `autocast_dtype` is set."""

    # aten/src/ATen/autocast_mode.h: AT_FORALL_LOWER_PRECISION_FP and AT_FORALL_FP32, as far as models here call them.
    LOWER = {F.linear, F.conv2d, F.conv1d, torch.addmm, torch.matmul, torch.Tensor.matmul, torch.bmm, torch.baddbmm,
             torch.mm, torch.conv2d, torch.Tensor.__matmul__, F.scaled_dot_product_attention, torch._C._nn.linear,
             torch.nn.functional.scaled_dot_product_attention}
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
    if query.dtype in (torch.float16, torch.bfloat16) and attn_mask is None:
        return torch.ops.aten._scaled_dot_product_flash_attention(
            query, key, value, dropout_p, is_causal, False, scale=scale)[0]
    if enable_gqa:  # the memory-efficient kernel refuses grouped heads
        return torch.ops.aten._scaled_dot_product_attention_math(
            query, key, value, attn_mask, dropout_p, is_causal, None, scale=scale, enable_gqa=True)[0]
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


WEIGHT_DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "amp-bf16": torch.float32, "amp-fp16": torch.float32}
AUTOCAST_DTYPES = {"amp-bf16": torch.bfloat16, "amp-fp16": torch.float16}


def build_model(request):
    spec = request["spec"]
    fields = dict(request["config"])
    model_type = fields.pop("model_type")
    defaults = transformers.AutoConfig.for_model(model_type)
    # JSON writes 30.0 as 30, which transformers refuses for a float.
    fields = {name: float(value) if isinstance(getattr(defaults, name, None), float) else value
              for name, value in fields.items()}
    config = transformers.AutoConfig.for_model(model_type, **fields, num_labels=spec["labels"])
    if spec["task"] != "image-classification":
        config._attn_implementation = spec["attention"]
    if getattr(config, "pad_token_id", 0) is None:
        config.pad_token_id = 0  # a classifier over tokens asks for one; memory does not depend on which
    if spec["loop"] == "trainer":
        config.use_cache = False
    with torch.device("meta"):
        model = MODEL_CLASSES[spec["task"]].from_config(config, dtype=WEIGHT_DTYPES[spec["precision"]])
    if "lora" in spec:
        model = add_adapters(model, spec["lora"], spec["gradientCheckpointing"])
    if spec["gradientCheckpointing"]:
        # The recomputation runs inside the backward pass, where autocast opens a context (and weight cache) of its own.
        contexts = lambda: (contextlib.nullcontext(), CudaKernels(AUTOCAST_DTYPES.get(spec["precision"])))
        model.gradient_checkpointing_enable({"use_reentrant": False, "context_fn": contexts})
    return model.train(spec["step"] == "training")


def add_adapters(model, lora, checkpoints):
    import peft

    adapters = peft.LoraConfig(r=lora["rank"], target_modules=lora["targets"], lora_dropout=lora["dropout"])
    if checkpoints:
        model.enable_input_require_grads()
    with torch.device("meta"):
        return peft.get_peft_model(model, adapters)


def make_optimizer(name, parameters):
    match name:
        case "adamw":
            return torch.optim.AdamW(parameters, foreach=True)
        case "adamw-loop":
            return torch.optim.AdamW(parameters, foreach=False)
        case "adamw-fused":
            # The fused kernel does not run on the meta device. It has no temporaries: its state is all there is.
            return torch.optim.AdamW(parameters, foreach=True)
        case "sgd":
            return torch.optim.SGD(parameters, lr=1e-3, foreach=True)
        case "sgd-momentum":
            return torch.optim.SGD(parameters, lr=1e-3, momentum=0.9, foreach=True)
    raise ValueError(f"unknown optimizer {name}")


def make_batch(spec, model):
    batch = spec["microBatch"]
    with torch.device("meta"):
        if spec["task"] == "image-classification":
            side = spec["imageSize"]
            channels = model.config.num_channels
            inputs = {"pixel_values": torch.empty(batch, channels, side, side, dtype=model.dtype)}
        else:
            inputs = {"input_ids": torch.empty(batch, spec["sequenceLength"], dtype=torch.long)}
            if spec["paddedBatches"]:
                inputs["attention_mask"] = torch.empty(batch, spec["sequenceLength"], dtype=torch.long)
        labels = inputs["input_ids"].shape if spec["task"] in ("causal-lm", "masked-lm") else (batch,)
        if spec["step"] == "training":
            inputs["labels"] = torch.empty(labels, dtype=torch.long)
    return inputs


@contextlib.contextmanager
def without_values(padded):
    """transformers looks at values to leave masks out or to warn; on the meta device there are none to look at."""
    answers = {
        (masking_utils, "find_packed_sequence_indices"): None,
        (transformers.PreTrainedModel, "warn_if_padding_and_no_attention_mask"): None,
    }
    if padded:
        answers[(masking_utils, "_ignore_causal_mask_sdpa")] = False
        answers[(masking_utils, "_ignore_bidirectional_mask_sdpa")] = False
    originals = {place: getattr(*place) for place in answers if hasattr(*place)}
    for place in originals:
        setattr(*place, lambda *args, answer=answers[place], **kwargs: answer)
    try:
        yield
    finally:
        for place, original in originals.items():
            setattr(*place, original)


def forward_and_backward(model, spec, batch):
    held = None
    with CudaKernels(AUTOCAST_DTYPES.get(spec["precision"])):
        outputs = model(**batch)
        # The earlier tool's step takes the mean of the logits; a training step takes the model's own loss.
        loss = outputs.loss if spec["step"] == "training" else outputs.logits.mean()
    if spec["loop"] == "plain":
        held = outputs
    del outputs
    loss.backward()
    del held


def trace(request):
    """Peak bytes of the second step: its optimizer state is allocated, as in every later step."""
    spec = request["spec"]
    with without_values(spec["paddedBatches"]), StorageLedger() as ledger:
        model = build_model(request)
        for tensor in [*model.parameters(), *model.buffers()]:
            ledger.enter(tensor)
        weight_bytes = ledger.live_bytes
        training = spec["step"] == "training"
        optimizer = make_optimizer(spec["optimizer"], [parameter for parameter in model.parameters() if parameter.requires_grad])
        for step in range(2 if training else 1):
            ledger.peak_bytes = ledger.live_bytes
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
        }


def versions(_request):
    return {"python": sys.version.split()[0], "torch": torch.__version__, "transformers": transformers.__version__}


OPERATIONS = {"trace": trace, "versions": versions}


def answer(line):
    request = json.loads(line)
    try:
        return {"id": request["id"], "kind": "done", "result": OPERATIONS[request["operation"]](request)}
    except Exception as error:
        return {"id": request["id"], "kind": "failed", "message": f"{type(error).__name__}: {error}"[:2_000],
                "traceback": traceback.format_exc()[-8_000:]}


def main():
    answers = sys.stdout
    sys.stdout = sys.stderr  # a library that prints must not break the protocol
    for line in sys.stdin:
        print(json.dumps(answer(line)), file=answers, flush=True)


if __name__ == "__main__":
    main()
