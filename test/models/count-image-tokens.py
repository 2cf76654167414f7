"""Reads a JSON list of model configs and writes how many tokens each model makes of one image, built without weights."""

import json
import sys

import torch
from transformers import AutoConfig, AutoModelForImageTextToText


def tokens(fields):
    config = AutoConfig.for_model(**fields)
    with torch.device("meta"), torch.no_grad():
        model = AutoModelForImageTextToText.from_config(config).model
        side = config.vision_config.image_size
        features = model.get_image_features(pixel_values=torch.empty(1, 3, side, side)).pooler_output
    return sum(image.numel() for image in features) // config.text_config.hidden_size


print(json.dumps([tokens(fields) for fields in json.load(sys.stdin)]))
