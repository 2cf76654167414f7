"""Reads a JSON list of model configs and writes the parameter count of each, built without weights."""

import json
import sys

import torch
from transformers import AutoConfig, AutoModelForCausalLM


def count(fields):
    config = AutoConfig.for_model(**fields)
    with torch.device("meta"):
        return AutoModelForCausalLM.from_config(config).num_parameters()


print(json.dumps([count(fields) for fields in json.load(sys.stdin)]))
