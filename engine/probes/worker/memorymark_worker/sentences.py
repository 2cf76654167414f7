"""Sentence embeddings as sentence-transformers 6.0 trains them: its pooling, its passes over a batch's columns, its losses."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from .passes import Kernels
from .requests import Sentences, Spec

Columns = list[dict[str, Tensor]]
PAIRS: Sentences = {"columns": 2, "loss": "multiple-negatives-ranking"}


def columns_of(spec: Spec) -> int:
    return spec.get("sentences", PAIRS)["columns"]


def texts_of(batch: int, spec: Spec) -> dict[str, Tensor]:
    """Token ids and masks of every column, each by a name of its own."""
    names = ("input_ids", "attention_mask") if spec["paddedBatches"] else ("input_ids",)
    return {f"{column}_{name}": torch.empty(batch, spec["sequenceLength"], dtype=torch.long)
            for column in range(columns_of(spec)) for name in names}


def sentence_loss(model: Any, spec: Spec, batch: dict[str, Any], kernels: Kernels) -> Tensor:
    """Each pass has a context of its own, as accelerate gives to every forward; the losses themselves run outside of it."""
    chosen = spec.get("sentences", PAIRS)
    features: Columns = [{name.partition("_")[2]: tensor for name, tensor in batch.items() if name.startswith(f"{column}_")}
                         for column in range(chosen["columns"])]
    embeddings = embed_columns(model, features, chosen.get("pooling", "mean"), kernels)
    loss: Tensor = LOSSES[chosen["loss"]](embeddings, batch["labels"], model)
    return loss


def embed_columns(model: Any, features: Columns, pooling: str, kernels: Kernels) -> list[Tensor]:
    """merged_forward.py: the first column by itself, and all others joined, if they are as long as each other."""
    first = embed(model, features[0], pooling, kernels)
    others = features[1:]
    if len(others) == 1:
        return [first, embed(model, others[0], pooling, kernels)]
    merged = {name: torch.cat([column[name] for column in others]) for name in others[0]}
    embeddings = embed(model, merged, pooling, kernels)
    return [first, *embeddings.reshape(len(others), -1, *embeddings.shape[1:]).unbind(0)]


def embed(model: Any, features: dict[str, Tensor], pooling: str, kernels: Kernels) -> Tensor:
    """The loss's caller holds `features`, and with it all that is put there."""
    with kernels():
        features["token_embeddings"] = model(**features).last_hidden_state
        features["sentence_embedding"] = torch.cat([pooled(features, pooling)], dim=-1)
        return features["sentence_embedding"].float()


def pooled(features: dict[str, Tensor], pooling: str) -> Tensor:
    """modules/pooling.py."""
    tokens = features["token_embeddings"]
    seen = features.get("attention_mask")
    if seen is None:
        seen = torch.ones(tokens.shape[:-1], device=tokens.device, dtype=torch.int64)
    if pooling == "cls":
        first = seen.to(torch.int).argmax(dim=1).unsqueeze(-1).unsqueeze(1).expand(-1, 1, tokens.shape[-1])
        return torch.gather(tokens, 1, first).squeeze(1)
    mask = seen.unsqueeze(-1).expand_as(tokens).to(tokens.dtype)
    if pooling == "max":
        return tokens.masked_fill(mask == 0, float("-inf")).max(dim=1).values
    if pooling == "lasttoken":
        values, indices = seen.flip(1).max(1)
        indices = torch.where(values == 0, tokens.shape[1] - 1, indices)
        last = (tokens.shape[1] - indices - 1).unsqueeze(-1).unsqueeze(1).expand(-1, 1, tokens.shape[-1])
        return torch.gather(tokens * mask, 1, last).squeeze(dim=1)
    total = (tokens * mask).sum(dim=1)
    count = torch.clamp(mask.sum(dim=1), min=1e-9)
    return total / count


def ranking_loss(embeddings: list[Tensor], _: Tensor, model: Any) -> Tensor:
    anchors, candidates = embeddings[0], torch.cat(embeddings[1:])
    rows = torch.arange(len(anchors), device=anchors.device)
    scores = torch.mm(F.normalize(anchors[rows], dim=1), F.normalize(candidates, dim=1).transpose(0, 1))
    scores = scores * 20.0
    positive = scores[rows, rows]
    return -(positive - torch.logsumexp(torch.cat([scores], dim=1), dim=1)).mean()


def cosent_loss(embeddings: list[Tensor], labels: Tensor, model: Any) -> Tensor:
    scores = cosines(embeddings) * 20.0
    scores = scores[:, None] - scores[None, :]
    is_lower = (labels[:, None] < labels[None, :]).float()
    scores = scores - (1 - is_lower) * 1e12
    scores = torch.cat((torch.zeros(1, device=scores.device), scores.view(-1)), dim=0)
    return torch.logsumexp(scores, dim=0)


def cosines(embeddings: list[Tensor]) -> Tensor:
    left, right = (F.normalize(each, dim=1) for each in embeddings[:2])
    return (left * right).sum(dim=-1)


def cosine_similarity_loss(embeddings: list[Tensor], labels: Tensor, model: Any) -> Tensor:
    return F.mse_loss(torch.cosine_similarity(embeddings[0], embeddings[1]), labels.float().view(-1))


def triplet_loss(embeddings: list[Tensor], _: Tensor, model: Any) -> Tensor:
    anchor, positive, negative = embeddings
    near, far = (torch.sqrt(torch.sum((anchor - other) ** 2, dim=-1)) for other in (positive, negative))
    return F.relu(near - far + 5).mean()


def contrastive_loss(embeddings: list[Tensor], labels: Tensor, model: Any) -> Tensor:
    distances = 1 - F.cosine_similarity(embeddings[0], embeddings[1])
    losses = 0.5 * (labels.float() * distances.pow(2) + (1 - labels).float() * F.relu(0.5 - distances).pow(2))
    return losses.mean()


def softmax_loss(embeddings: list[Tensor], labels: Tensor, model: Any) -> Tensor:
    left, right = embeddings
    return F.cross_entropy(model.classifier(torch.cat([left, right, torch.abs(left - right)], 1)), labels.view(-1))


LOSSES: dict[str, Callable[[list[Tensor], Tensor, Any], Tensor]] = {
    "multiple-negatives-ranking": ranking_loss, "cosent": cosent_loss, "cosine-similarity": cosine_similarity_loss,
    "triplet": triplet_loss, "contrastive": contrastive_loss, "softmax": softmax_loss}
