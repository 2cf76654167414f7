"""One micro-batch of a spec."""
from __future__ import annotations

from typing import Any

import torch
import transformers

from .images import images_of, words_of_images
from .model_config import CONVOLUTIONAL
from .requests import Spec, head_of_rewards, sequences_per_sample
from .sentences import texts_of
from .speech import MODEL_TYPES, sound_of, transcript_length

# Tasks in which every token has a label.
PER_TOKEN = ("causal-lm", "masked-lm", "seq2seq-lm", "token-classification")


def make_batch(spec: Spec, model: transformers.PreTrainedModel, device: str = "meta") -> dict[str, Any]:
    batch = spec["microBatch"] * sequences_per_sample(spec)
    with torch.device(device):
        if spec["task"] == "image-classification":
            side = spec["imageSize"]
            channels = model.config.num_channels
            inputs: dict[str, Any] = {"pixel_values": torch.empty(batch, channels, side, side, dtype=model.dtype)}
            if model.config.model_type not in CONVOLUTIONAL and side != model.config.image_size:
                inputs["interpolate_pos_encoding"] = True
        elif model.config.model_type == "whisper":
            frames = 2 * model.config.max_source_positions
            inputs = {"input_features": torch.empty(batch, model.config.num_mel_bins, frames, dtype=model.dtype)}
        elif model.config.model_type in MODEL_TYPES:
            inputs = {**sound_of(batch, spec, model.dtype)}
        elif spec["task"] == "sentence-similarity":
            inputs = {**texts_of(batch, spec)}
        else:
            inputs = {"input_ids": torch.empty(batch, spec["sequenceLength"], dtype=torch.long)}
            if spec["paddedBatches"]:
                inputs["attention_mask"] = torch.empty(batch, spec["sequenceLength"], dtype=torch.long)
            if "images" in spec:
                inputs.update(images_of(batch, spec, model))
        per_token = spec["task"] in PER_TOKEN or head_of_rewards(spec) == "steps"
        targets = (batch, spec.get("targetLength") or spec["sequenceLength"]) if per_token else (batch,)
        if spec["task"] == "ctc":
            targets = (batch, transcript_length(spec))
        if spec["task"] == "seq2seq-lm" and spec["step"] != "training":
            inputs["decoder_input_ids"] = torch.empty(targets, dtype=torch.long)
        if spec["step"] == "training":
            for name in ("start_positions", "end_positions") if spec["task"] == "question-answering" else ("labels",):
                inputs[name] = torch.empty(targets, dtype=torch.long)
    return inputs


def fill_unless_meta(batch: dict[str, Any], spec: Spec, model: transformers.PreTrainedModel) -> dict[str, Any]:
    return batch if next(iter(batch.values())).is_meta else fill(batch, spec, model)


def fill(batch: dict[str, Any], spec: Spec, model: transformers.PreTrainedModel) -> dict[str, Any]:
    """Fills tensors with random values in place, as the trace has the same tensors. Descriptions of image tiles are
    already set."""
    for numbered, tensor in batch.items():
        name = numbered.lstrip("0123456789_")  # the texts of a sample have numbers
        if name == "attention_mask":
            tensor.fill_(1)
            tensor[0, -1] = 0  # without a padded token transformers would leave the mask out
        elif name in ("pixel_values", "pixel_values_videos", "input_features", "input_values"):
            tensor.uniform_()
        elif name in ("start_positions", "end_positions"):
            tensor.random_(0, spec["sequenceLength"])
        elif name == "labels" and (
            tensor.dim() == 1 or spec["task"] == "token-classification" or head_of_rewards(spec) == "steps"
        ):
            tensor.random_(0, spec["labels"])
        elif name in ("input_ids", "decoder_input_ids", "labels"):
            tensor.random_(0, model.config.get_text_config().vocab_size)
    words = words_of_images(batch, model) if "images" in spec else 0
    if words > 0:
        token = "video_token_id" if "videoFrames" in spec else "image_token_id"
        # Ids that a config.json leaves to transformers' default may lie outside of its vocabulary.
        image = min(getattr(model.config, token), model.config.get_text_config().vocab_size - 1)
        setattr(model.config, token, image)
        batch["input_ids"].random_(0, image)  # text, none of which is an image's
        batch["input_ids"][:, :words] = image
    return batch
