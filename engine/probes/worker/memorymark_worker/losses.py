"""The loss of each training method."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from .passes import Passes, entropies_of
from .precision import autocast_dtype, takes_streamed_loss
from .requests import Method
from .streamed_loss import StreamedLoss
from .verl_losses import actor_loss

# The loss, and tensors that the original library still references during the backward pass.
Loss = tuple[Tensor, Any]


def preference_loss(passes: Passes, method: Method) -> Loss:
    logits = passes.logits()
    scores = passes.token_log_probabilities(logits).sum(-1)
    extra = chosen_cross_entropy(logits, passes.labels) if method["withCrossEntropy"] else 0.0
    if method["logProbabilities"] == "torchtune":
        del logits
    reference, reference_logits = passes.reference()
    if method["logProbabilities"].startswith("trl") and not method["withCrossEntropy"]:
        entropies_of(passes.copies[0] if passes.copies else logits.detach()[:, :-1])
    passes.copies.clear()
    chosen, rejected = (scores - reference).chunk(2)
    return extra - F.logsigmoid(chosen - rejected).mean(), reference_logits if method["logProbabilities"] == "torchtune" else None


def chosen_cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    chosen = logits[: len(logits) // 2, :-1].contiguous()
    return F.cross_entropy(chosen.view(-1, chosen.shape[-1]), labels[: len(labels) // 2, 1:].reshape(-1))


def kto_loss(passes: Passes, method: Method) -> Loss:
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


def reward_loss(passes: Passes, method: Method) -> Loss:
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


def scores_of_value_head(passes: Passes) -> Any:
    """trl's AutoModelForCausalLMWithValueHead also returns the logits in float32."""
    with passes.kernels():
        outputs = passes.model(**passes.inputs, output_hidden_states=True)
        values = passes.model.v_head(outputs.hidden_states[-1].float()).squeeze(-1)
        logits = outputs.logits.float()
    del logits, outputs
    return values[:, -1]


def chunked_logits(model: Any, inputs: dict[str, Any], count: int) -> list[Tensor]:
    """torchtune's chunked_output: the output layer on one chunk of the sequence at a time."""
    decoder = model.get_base_model() if hasattr(model, "get_base_model") else model
    hidden = decoder.base_model(**inputs).last_hidden_state
    return [decoder.lm_head(chunk) for chunk in hidden.tensor_split(count, dim=1)]


def forward_divergence(student: Tensor, teacher: Tensor) -> Tensor:
    probabilities = F.softmax(teacher, dim=-1, dtype=torch.float32)
    infinite = torch.isinf(student)
    log_probabilities = F.log_softmax(student, dim=-1, dtype=torch.float32)
    products = torch.masked_fill(probabilities * log_probabilities, infinite, 0)
    return -products.sum(-1).mean()


def distillation_loss(passes: Passes, method: Method) -> Loss:
    with passes.kernels():
        student = chunked_logits(passes.model, passes.inputs, method["chunks"])
    with torch.no_grad(), passes.kernels():
        teacher = chunked_logits(passes.model.reference, passes.inputs, method["chunks"])
    labels = [chunk.reshape(-1) for chunk in passes.labels.tensor_split(method["chunks"], dim=1)]
    flat = [[chunk.reshape(-1, chunk.shape[-1]) for chunk in chunks] for chunks in (student, teacher)]
    divergence: Any = sum(forward_divergence(*pair) for pair in zip(*flat, strict=True))
    cross_entropy = sum(F.cross_entropy(chunk.float(), label) for chunk, label in zip(flat[0], labels, strict=True))
    del student, teacher, flat
    return divergence + cross_entropy, None


def loss_of_completions(passes: Passes, method: Method) -> Loss:
    if passes.spec["loop"] == "verl":
        return actor_loss(passes, method)
    if takes_streamed_loss(passes.spec):
        return streamed_loss(passes, method), None
    scores = passes.completion_log_probabilities()
    ratio = (scores - scores.detach()).exp()
    return -torch.min(ratio, ratio.clamp(0.8, 1.2)).mean(), None


def streamed_loss(passes: Passes, method: Method) -> Tensor:
    """TRL's compute_liger_loss. Divided by the steps that accumulate, its gradients are multiplied again."""
    count = method["completionLength"]
    causal = passes.model.get_base_model() if hasattr(passes.model, "get_base_model") else passes.model
    with passes.kernels():
        states = causal.base_model(**passes.inputs, use_cache=False).last_hidden_state[:, :-1][:, -count:]
        loss: Tensor = StreamedLoss.apply(states, causal.lm_head.weight, passes.labels[:, -count:],
                                          passes.spec["gradientAccumulation"] > 1)
    return loss


def asft_loss(passes: Passes, method: Method) -> Loss:
    """LLaMA-Factory's compute_loss and asft_loss_func, with every token counted."""
    lowered = autocast_dtype(passes.spec)
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


def masked_diffusion_loss(passes: Passes, method: Method) -> Loss:
    """Axolotl's _compute_diffusion_loss, with every token masked."""
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


METHODS: dict[str, Callable[[Passes, Method], Loss]] = {
           "preference": preference_loss, "kto": kto_loss, "reward": reward_loss, "distillation": distillation_loss,
           "asft": asft_loss, "masked-diffusion": masked_diffusion_loss,
           "online": loss_of_completions}
