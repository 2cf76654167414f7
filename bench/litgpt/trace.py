"""Traces LitGPT's own models and loop on the meta device, where CUDA's kernels and allocator are stood in for.

Needs `pip install litgpt` beside the worker's packages; from the repository's root, over the cells of traced.json:

    PYTHONPATH=engine/probes/worker python bench/litgpt/trace.py bench/litgpt/traced.json
"""

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import litgpt.lora
import litgpt.model
import torch
from lightning_utilities.core.apply_func import apply_to_collection
from litgpt.utils import chunked_cross_entropy
from memorymark_worker.cuda_kernels import CudaKernels
from memorymark_worker.ledger import StorageLedger
from quantised_layers import Linear4bit, StableEmbedding

WEIGHT_TYPES = {"32-true": torch.float32, "bf16-true": torch.bfloat16, "bf16-mixed": torch.float32}


def build(cell: dict[str, Any]) -> tuple[torch.nn.Module, list[torch.nn.Parameter]]:
    """The model as fabric.init_module makes it, and what the optimizer is given."""
    lora, quantization = cell.get("lora"), cell.get("quantize")
    code = litgpt.lora if lora else litgpt.model
    dtype = WEIGHT_TYPES[cell["precision"]]
    torch.set_default_dtype(dtype)
    linear = torch.nn.Linear
    with torch.device("meta"):
        config = code.Config.from_name(cell["model"], **(lora or {}))
        if quantization:  # lightning.fabric's BitsandbytesPrecision replaces the class while the model is made
            torch.nn.Linear = partial(Linear4bit, is_double=quantization.endswith("-dq"))  # type: ignore[misc, assignment]
        model = code.GPT(config)
        torch.nn.Linear = linear  # type: ignore[misc]
    torch.set_default_dtype(torch.float32)
    if not quantization:
        model.to(dtype)
    if lora:
        litgpt.lora.mark_only_lora_as_trainable(model)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if quantization:  # after the optimizer was made
        words = model.transformer.wte
        with torch.device("meta"):
            model.transformer.wte = StableEmbedding(words.num_embeddings, words.embedding_dim).to(words.weight.dtype)
    model.max_seq_length = cell["tokens"]
    return model, trained


def forward(model: torch.nn.Module, ids: torch.Tensor, cell: dict[str, Any]) -> Any:
    """Fabric's module: the default type is the weights' inside, and results are handed on in float32."""
    precision = cell["precision"]
    with CudaKernels(torch.bfloat16 if precision.endswith("mixed") else None):
        torch.set_default_dtype(torch.bfloat16 if precision == "bf16-true" else torch.float32)
        logits = model(ids, lm_head_chunk_size=128) if "lora" in cell else model(ids)
        torch.set_default_dtype(torch.float32)
    return apply_to_collection(logits, torch.Tensor, lambda chunk: chunk.to(torch.float32))


def loss_of(logits: Any, targets: torch.Tensor, cell: dict[str, Any]) -> torch.Tensor:
    """finetune/lora.py and finetune/full.py, fit."""
    with CudaKernels(None):
        if "lora" in cell:
            logits[-1] = logits[-1][..., :-1, :]
            return chunked_cross_entropy(logits, targets[..., 1:])
        return chunked_cross_entropy(logits[..., :-1, :], targets[..., 1:])


def trace(cell: dict[str, Any]) -> dict[str, int]:
    """The peak of the second step: as in every later one, what the step before leaves is there."""
    steps = cell.get("accumulation", 1)
    with StorageLedger() as ledger:
        model, trained = build(cell)
        optimizer = torch.optim.AdamW(trained, foreach=True)
        logits: Any = None
        for _ in range(2):
            ledger.peak_bytes = ledger.live_bytes
            for _ in range(steps):
                shape = cell["microBatch"], cell["tokens"]
                ids, targets = (torch.zeros(shape, dtype=torch.int64, device="meta") for _ in range(2))
                logits = forward(model, ids, cell)
                loss = loss_of(logits, targets, cell) / steps
                loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        return {"peakBytes": ledger.peak_bytes}


def main() -> None:
    file = Path(sys.argv[1])
    cells = json.loads(file.read_text())
    lines = []
    for cell in cells:
        traced = {**cell, **trace(cell)}
        lines.append(json.dumps(traced))
        print(lines[-1], flush=True)
    file.write_text("[\n  " + ",\n  ".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
