"""What NeMo-RL's policy workers do with a model's logits, whatever the loss: the log-probabilities of the next tokens."""
from __future__ import annotations

import torch
from torch import Tensor

from .passes import Passes
from .requests import Spec


def is_of_nemo_rl(spec: Spec) -> bool:
    return spec["loop"] in ("nemo-rl", "nemo-rl-v2")


def next_token_loss(passes: Passes) -> Tensor:
    """distributed/model_utils.py get_next_token_logprobs_from_logits, on float32 logits, which the workers let go of before the
    backward pass. What a loss makes of the numbers takes little."""
    with passes.kernels():
        logits = passes.model(**passes.inputs, use_cache=False).logits
        scores = log_probabilities(logits, passes.labels)
        return -scores.mean()


def log_probabilities(logits: Tensor, labels: Tensor) -> Tensor:
    scores = torch.nn.functional.log_softmax(logits.to(torch.float32)[:, :-1], dim=-1)
    return scores.gather(-1, labels[:, 1:].unsqueeze(-1)).squeeze(-1)
