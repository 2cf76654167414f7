"""The versions of Python and the libraries."""
from __future__ import annotations

import importlib
import importlib.util
import sys

import torch
import transformers

from .requests import Json, Request


def versions(_request: Request) -> Json:
    return {"python": sys.version.split()[0], "torch": torch.__version__, "transformers": transformers.__version__,
            "hasBitsandbytes": importlib.util.find_spec("bitsandbytes") is not None,
            "hasTimm": importlib.util.find_spec("timm") is not None}
