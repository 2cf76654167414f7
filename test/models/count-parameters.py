"""Reads a JSON list of model configs and writes the parameter count of each, built without weights."""

import json
import sys

import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForImageClassification,
    AutoModelForImageTextToText,
    AutoModelForSeq2SeqLM,
)

CLASSES = {
    "t5": AutoModelForSeq2SeqLM,
    **dict.fromkeys(["resnet", "vit", "deit", "convnext"], AutoModelForImageClassification),
}
# Where several classes serve a task, transformers asks the config which one.
ARCHITECTURES = {"deit": ["DeiTForImageClassification"]}


def count(fields):
    model_type = fields["model_type"]
    config = AutoConfig.for_model(**fields, architectures=ARCHITECTURES.get(model_type))
    default = AutoModelForImageTextToText if "vision_config" in fields else AutoModelForCausalLM
    with torch.device("meta"):
        return CLASSES.get(model_type, default).from_config(config).num_parameters()


print(json.dumps([count(fields) for fields in json.load(sys.stdin)]))
