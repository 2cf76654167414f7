"""The images of a micro-batch, as the processor of the model hands them on."""

from typing import Any

import torch
import transformers
from torch import Tensor

from .requests import Spec


def images_of(batch: int, spec: Spec, model: transformers.PreTrainedModel) -> dict[str, Any]:
    """Every sample has `tiles` images, or pieces of one, that the vision tower sees: of its own side where no size is given."""
    tiles = spec["images"]["tiles"]
    vision = model.config.vision_config
    if model.config.model_type == "mllama":
        return tiled_images(batch, spec["sequenceLength"], tiles, model)
    if hasattr(vision, "temporal_patch_size"):
        positions = torch.zeros(3, batch, spec["sequenceLength"], dtype=torch.long)
        height, width = spec["images"]["height"], spec["images"]["width"]
        return {"position_ids": positions, **flat_patches(batch * tiles, height, width, vision)}
    raise NotImplementedError(f"images of {model.config.model_type} cannot be traced yet")


def tiled_images(batch: int, tokens: int, tiles: int, model: transformers.PreTrainedModel) -> dict[str, Tensor]:
    """One image a sample, as mllama's processor cuts it up."""
    side = model.config.vision_config.image_size
    return {"pixel_values": torch.zeros(batch, 1, tiles, 3, side, side, dtype=model.dtype),
            "aspect_ratio_ids": torch.ones(batch, 1, dtype=torch.long),
            "aspect_ratio_mask": torch.ones(batch, 1, tiles, dtype=torch.long),
            "cross_attention_mask": torch.ones(batch, tokens, 1, tiles, dtype=torch.long)}


def flat_patches(images: int, height: int, width: int, vision: Any) -> dict[str, Tensor]:
    """Qwen2VLImageProcessor: the patches of all images one after the other, and beside them how many rows and columns each has.
    Those are read value by value, so they are on the CPU; what would follow from them on the device is given beforehand."""
    rows, columns = height // vision.patch_size, width // vision.patch_size
    patches = images * rows * columns
    features = vision.in_channels * vision.temporal_patch_size * vision.patch_size**2
    return {"pixel_values": torch.empty(patches, features),
            "image_grid_thw": torch.tensor([[1, rows, columns]] * images, device="cpu"),
            "image_position_ids": torch.zeros(patches, 2, dtype=torch.long)}
