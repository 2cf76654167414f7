"""Reads a JSON list of model configs and writes the parameter count of each, built without weights."""

import json
import sys
from pathlib import Path

import torch
from torch import nn
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForCTC,
    AutoModelForImageClassification,
    AutoModelForImageTextToText,
    AutoModelForMultimodalLM,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    AutoModelForSpeechSeq2Seq,
)

sys.path.insert(0, str(Path(__file__).parents[2] / "engine/probes/worker"))
from memorymark_worker.model_config import give_pad_token, with_floats

CLASSES = {
    **dict.fromkeys(["t5", "mt5", "bart", "mbart", "marian", "pegasus", "m2m_100"], AutoModelForSeq2SeqLM),
    "whisper": AutoModelForSpeechSeq2Seq,
    **dict.fromkeys(["esm", "mpnet"], AutoModelForSequenceClassification),
    **dict.fromkeys(["wav2vec2", "hubert"], AutoModelForCTC),
    **dict.fromkeys(["resnet", "vit", "deit", "dinov2", "convnext", "efficientnet"], AutoModelForImageClassification),
}
# Where several classes serve a task, transformers asks the config which one.
ARCHITECTURES = {"deit": ["DeiTForImageClassification"]}

# Initial values, which take a third of the time, do not count.
nn.Linear.reset_parameters = nn.Embedding.reset_parameters = lambda self: None


def count(fields):
    model_type = fields["model_type"]
    fields = with_floats(type(AutoConfig.for_model(model_type)), fields)
    config = AutoConfig.for_model(**fields, architectures=ARCHITECTURES.get(model_type))
    give_pad_token(config)
    default = AutoModelForCausalLM
    if "vision_config" in fields:
        default = AutoModelForImageTextToText
    elif "audio_config" in fields:
        default = AutoModelForMultimodalLM
    with torch.device("meta"):
        return CLASSES.get(model_type, default).from_config(config).num_parameters()


print(json.dumps([count(fields) for fields in json.load(sys.stdin)]))
