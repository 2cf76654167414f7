"""Mamba's kernels on the meta device: what mamba-ssm 2.3 and causal-conv1d 1.6 allocate and save, in order."""
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


class FusedConvolution(torch.autograd.Function):
    """causal_conv1d_interface.py CausalConv1dFn."""

    @staticmethod
    def forward(context: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        context.save_for_backward(x, weight, bias)
        return torch.empty_like(x)

    @staticmethod
    def backward(context: Any, _: Tensor) -> Any:
        x, weight, bias = context.saved_tensors
        return torch.empty_like(x), torch.empty_like(weight), None if bias is None else torch.empty_like(bias)


def fused_convolution(hidden_states: Tensor, weight: Tensor, bias: Tensor | None = None, activation: Any = None, **_: Any) -> Any:
    return FusedConvolution.apply(hidden_states, weight, bias)


class SelectiveScan(torch.autograd.Function):
    """ops/selective_scan_interface.py SelectiveScanFn, over csrc/selective_scan/selective_scan.cpp."""

    @staticmethod
    def forward(context: Any, states: Tensor, steps: Tensor, rates: Tensor, into: Tensor, out_of: Tensor, skip: Tensor,
                gate: Tensor, bias: Tensor) -> Tensor:
        states, steps, into, out_of, gate = (each.contiguous() for each in (states, steps, into, out_of, gate))
        gated, result = torch.empty_like(gate), torch.empty_like(steps)
        chunks = -(-states.shape[-1] // 2048)
        kept = rates.new_empty(*states.shape[:2], chunks, 2 * rates.shape[1])
        context.save_for_backward(states, steps, rates, into, out_of, skip, gate, bias, kept, result)
        return gated

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Any:
        gradient = gradient.contiguous()
        inputs = context.saved_tensors[:8]
        return tuple(torch.empty_like(each) for each in inputs)


def selective_scan(hidden_states: Tensor, dt: Tensor, A: Tensor, B: Tensor, C: Tensor, D: Tensor | None = None,
                   z: Tensor | None = None, delta_bias: Tensor | None = None, return_last_state: bool = False, **_: Any) -> Any:
    result = SelectiveScan.apply(hidden_states, dt, A, B, C, D, z, delta_bias)
    return (result, A.new_zeros(*hidden_states.shape[:2], A.shape[1])) if return_last_state else result
