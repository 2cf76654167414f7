"""The images of a micro-batch, as the model's processor outputs them."""
from __future__ import annotations

import importlib
from typing import Any

import torch
import transformers
from torch import Tensor

from .requests import Spec


def images_of(batch: int, spec: Spec, model: transformers.PreTrainedModel) -> dict[str, Any]:
    """Every sample has `tiles` images or tiles, each of the vision tower's size unless another is given."""
    tiles = spec["images"]["tiles"]
    vision = model.config.vision_config
    if model.config.model_type == "mllama":
        return tiled_images(batch, spec["sequenceLength"], tiles, model)
    if hasattr(vision, "temporal_patch_size"):
        positions = torch.zeros(3, batch, spec["sequenceLength"], dtype=torch.long)
        height, width = spec["images"]["height"], spec["images"]["width"]
        if "videoFrames" in spec:
            return {"position_ids": positions, **flat_patches("video", [tiles] * batch, (height, width), vision)}
        return {"position_ids": positions, **flat_patches("image", [1] * (batch * tiles), (height, width), vision)}
    if model.config.model_type in ("smolvlm", "idefics3"):
        side = vision.image_size
        return {"pixel_values": torch.empty(batch, tiles, 3, side, side),
                "pixel_attention_mask": torch.ones(batch, tiles, side, side, dtype=torch.long)}
    if vision.model_type == "pixtral":
        size = spec["images"]["height"], spec["images"]["width"]
        return {"pixel_values": torch.empty(batch * tiles, 3, *size),
                "image_sizes": torch.tensor([size] * (batch * tiles), device="cpu")}
    if model.config.model_type == "llava" and vision.model_type == "clip_vision_model":
        return {"pixel_values": torch.empty(batch * tiles, 3, vision.image_size, vision.image_size)}
    if model.config.model_type in ("llava_next", "llava_onevision"):
        size = spec["images"]["height"], spec["images"]["width"]
        return {"pixel_values": torch.empty(batch, tiles, 3, vision.image_size, vision.image_size),
                "image_sizes": torch.tensor([size] * batch, device="cpu")}
    if model.config.model_type == "internvl":
        return {"pixel_values": torch.empty(batch * tiles, 3, *vision.image_size)}
    if model.config.model_type in ("gemma3", "paligemma"):
        return {"pixel_values": torch.empty(batch * tiles, 3, vision.image_size, vision.image_size),
                "token_type_ids": torch.zeros(batch, spec["sequenceLength"], dtype=torch.long)}
    raise NotImplementedError(f"images of {model.config.model_type} cannot be traced yet")


def words_of_images(batch: dict[str, Any], model: transformers.PreTrainedModel) -> int:
    """Image tokens in a sample; 0 if the decoder cross-attends to images instead."""
    config = model.config
    samples: int = batch["input_ids"].shape[0]
    for grids in (batch[name] for name in ("image_grid_thw", "video_grid_thw") if name in batch):
        return int(grids.prod(-1).sum()) // int(config.vision_config.spatial_merge_size) ** 2 // samples
    if "image_sizes" in batch and config.vision_config.model_type == "pixtral":
        square = config.vision_config.patch_size * getattr(config, "spatial_merge_size", 1)
        return int((batch["image_sizes"] // square).prod(-1).sum()) // samples
    if config.model_type in ("llava", "paligemma") and "pixel_values" in batch:
        patches: int = (config.vision_config.image_size // config.vision_config.patch_size) ** 2
        return int(batch["pixel_values"].shape[0]) // samples * patches
    if "image_sizes" in batch:
        return words_in_lines(batch["image_sizes"][0].tolist(), config)
    if config.model_type == "internvl" and "pixel_values" in batch:
        size = zip(config.vision_config.image_size, config.vision_config.patch_size, strict=True)
        rows, columns = (int(side // patch * config.downsample_ratio) for side, patch in size)
        return int(batch["pixel_values"].shape[0]) // samples * rows * columns
    if config.model_type in ("smolvlm", "idefics3") and "pixel_values" in batch:
        side = config.vision_config.image_size // config.vision_config.patch_size
        words_of_tile: int = (side // config.scale_factor)**2
        return int(batch["pixel_values"].shape[1]) * words_of_tile
    return 0


def words_in_lines(size: list[int], config: Any) -> int:
    """Of an image as the processors of LLaVA-NeXT and LLaVA-OneVision count them, without a class token."""
    family = config.model_type
    processing = importlib.import_module(f"transformers.models.{family}.processing_{family}")
    processor = processing.LlavaNextProcessor if family == "llava_next" else processing.LlavaOnevisionProcessor
    side = config.vision_config.image_size
    patches = side // config.vision_config.patch_size
    height, width = processing.select_best_resolution(size, config.image_grid_pinpoints)
    scales = height // side, width // side
    return int(patches**2 + sum(processor._get_unpadded_features(config, *size, patches, patches, *scales)))


def tiled_images(batch: int, tokens: int, tiles: int, model: transformers.PreTrainedModel) -> dict[str, Tensor]:
    """One image per sample, tiled as by mllama's processor."""
    side = model.config.vision_config.image_size
    return {"pixel_values": torch.zeros(batch, 1, tiles, 3, side, side, dtype=model.dtype),
            "aspect_ratio_ids": torch.ones(batch, 1, dtype=torch.long),
            "aspect_ratio_mask": torch.ones(batch, 1, tiles, dtype=torch.long),
            "cross_attention_mask": torch.ones(batch, tokens, 1, tiles, dtype=torch.long)}


def flat_patches(kind: str, times: list[int], size: tuple[int, int], vision: Any) -> dict[str, Tensor]:
    """Qwen2VLImageProcessor, Qwen2VLVideoProcessor: the patches of all images or videos in one sequence, and of each its
    patches in time, rows and columns. Those are read value by value, so they are on the CPU; what would be computed from
    them on the device is passed in."""
    rows, columns = (side // vision.patch_size for side in size)
    patches = sum(times) * rows * columns
    features = vision.in_channels * vision.temporal_patch_size * vision.patch_size**2
    inputs = {"pixel_values" if kind == "image" else "pixel_values_videos": torch.empty(patches, features),
              f"{kind}_grid_thw": torch.tensor([[each, rows, columns] for each in times], device="cpu"),
              f"{kind}_position_ids": torch.zeros(patches, 2, dtype=torch.long)}
    if hasattr(vision, "num_position_embeddings"):
        inputs[f"{kind}_interp_indices"] = torch.zeros(patches, 4, dtype=torch.long)
        inputs[f"{kind}_interp_weights"] = torch.zeros(patches, 4)
    return inputs
