"""What a method that learns from the model's own completions does before the steps over them."""
from __future__ import annotations

import contextlib

import torch
import transformers

from .batches import fill_unless_meta, make_batch
from .cuda_kernels import CudaKernels
from .passes import Kernels, Passes
from .precision import autocast_dtype
from .requests import Spec
from .verl_losses import response_log_probabilities


def generate_completions(
    model: transformers.PreTrainedModel, spec: Spec, device: str = "meta", kernels: Kernels | None = None,
) -> None:
    """What an online method does before the steps over them."""
    if "method" not in spec or spec["method"]["kind"] != "online":
        return
    method = spec["method"]
    kernels = kernels or (lambda: CudaKernels(autocast_dtype(spec)))
    checkpoints = [module for module in model.modules() if getattr(module, "gradient_checkpointing", False)]
    for module in checkpoints:
        module.gradient_checkpointing = False
    with torch.no_grad():
        if "scored" in method:
            score(model, spec, device, kernels)
        elif method["generation"]["kind"] == "transformers":
            generate(model, spec, device, kernels)
        if method["comparesFeatures"]:
            compare_features(model, spec, device)
        elif method["reference"] != "none":
            passes = Passes(model, spec, fill_unless_meta(make_batch(spec, model, device), spec, model), kernels)
            with passes.as_reference() as reference:
                passes.completion_log_probabilities(reference)
    for module in checkpoints:
        module.gradient_checkpointing = True


def score(model: transformers.PreTrainedModel, spec: Spec, device: str, kernels: Kernels) -> None:
    """verl's compute_log_prob: the policy's own log-probabilities and entropies, in batches of their own size."""
    scored = spec | {"microBatch": spec["method"]["scored"]}
    passes = Passes(model, scored, fill_unless_meta(make_batch(scored, model, device), scored, model), kernels)
    response_log_probabilities(passes, spec["method"], "logged")


def generate(model: transformers.PreTrainedModel, spec: Spec, device: str, kernels: Kernels) -> None:
    """The extremes of transformers' generate: the pass over the prompts, and the pass for the last token."""
    rows = max(spec["method"]["completions"], spec["microBatch"])
    prompt = max(1, spec["sequenceLength"] - spec["method"]["completionLength"])
    cache = transformers.DynamicCache(config=model.config.get_text_config())
    next_token(model, spec, cache, rows, prompt, prompt, device, kernels)
    for layer in cache.layers:
        kept = min(spec["sequenceLength"], getattr(layer, "sliding_window", None) or spec["sequenceLength"]) - 1
        layer.keys = layer.keys.new_zeros(*layer.keys.shape[:-2], kept, layer.keys.shape[-1])
        layer.values = layer.values.new_zeros(*layer.values.shape[:-2], kept, layer.values.shape[-1])
        if hasattr(layer, "cumulative_length"):
            layer.cumulative_length = spec["sequenceLength"] - 1
    next_token(model, spec, cache, rows, 1, spec["sequenceLength"], device, kernels)


def next_token(model: transformers.PreTrainedModel, spec: Spec, cache: transformers.DynamicCache, rows: int, tokens: int,
               seen: int, device: str, kernels: Kernels) -> None:
    inputs = {"input_ids": torch.zeros(rows, tokens, dtype=torch.long, device=device)}
    if spec["paddedBatches"]:
        inputs["attention_mask"] = torch.ones(rows, seen, dtype=torch.long, device=device)
        inputs["attention_mask"][0, 0] = 0
    with kernels():
        logits = model(**inputs, past_key_values=cache, use_cache=True, logits_to_keep=1).logits.float()
    scores = logits[:, -1].to(copy=True, dtype=torch.float32) / 1.0
    scores.softmax(-1)


def compare_features(model: transformers.PreTrainedModel, spec: Spec, device: str) -> None:
    """Axolotl's extract_hidden_states of the reference model, which with adapters includes the output layer."""
    rows = max(spec["method"]["completions"], spec["microBatch"])
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
