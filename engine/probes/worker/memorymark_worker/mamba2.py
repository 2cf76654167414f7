"""Mamba 2's kernels on the meta device: what mamba-ssm 2.3 allocates and saves, in order."""
from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from .cuda_kernels import context_dtype


def scanned(x: Tensor, groups: int, state_size: int, chunk_size: int) -> tuple[Tensor, tuple[Tensor, ...]]:
    """_mamba_chunk_scan_combined_fwd of ops/triton/ssd_combined.py: its result, and tensors that its caller keeps."""
    batch, tokens, heads, size = x.shape
    chunks = -(-tokens // chunk_size)
    decays, steps = (x.new_empty(batch, heads, chunks, chunk_size, dtype=torch.float32) for _ in range(2))
    made = x.new_empty(batch, chunks, heads, size, state_size, dtype=torch.float32)
    passed, last = torch.empty_like(made, dtype=x.dtype), made.new_empty(batch, heads, size, state_size)
    del made
    scores = x.new_empty(batch, chunks, groups, chunk_size, chunk_size, dtype=torch.float32)
    result = x.new_empty(x.shape)
    del scores
    return result, (steps, decays, passed, last)


def scan_again(x: Tensor, steps: Tensor, groups: int, state_size: int, chunk_size: int) -> None:
    """_mamba_chunk_scan_combined_bwd up to its peak: states, their gradients, and both again in x's type."""
    batch, tokens, heads, size = x.shape
    chunks = -(-tokens // chunk_size)
    steps = steps.clone()
    held = [x.new_empty(batch, heads, chunks, chunk_size, dtype=torch.float32) for _ in range(2)]
    held.append(x.new_empty(batch, chunks, groups, chunk_size, chunk_size, dtype=torch.float32))
    made = x.new_empty(batch, chunks, heads, size, state_size, dtype=torch.float32)
    states, last = torch.empty_like(made), made.new_empty(batch, heads, size, state_size)
    del made
    gradients = torch.empty_like(states)
    lowered = [torch.empty_like(states, dtype=x.dtype) for _ in range(1 if x.dtype == torch.float32 else 2)]
    del states, gradients, lowered, last, held


class ChunkScan(torch.autograd.Function):
    """MambaChunkScanCombinedFn."""

    @staticmethod
    def forward(context: Any, x: Tensor, steps: Tensor, rates: Tensor, into: Tensor, out_of: Tensor, skip: Tensor,
                bias: Tensor, chunk_size: int) -> tuple[Tensor, Tensor]:
        context.sizes = (*into.shape[2:], chunk_size)
        result, (_, decays, _, last) = scanned(x, *context.sizes)
        context.save_for_backward(result, x, steps, decays, rates, into, out_of, skip, bias)
        return result, last

    @staticmethod
    def backward(context: Any, gradient: Tensor, _: Tensor) -> Any:
        _, x, steps, _, *others = context.saved_tensors
        rates, into, out_of, skip, bias = others
        of_into, of_out_of = torch.empty_like(into), torch.empty_like(out_of)
        of_steps = torch.empty_like(steps)
        scan_again(x, steps, *context.sizes)
        small = [torch.empty_like(each) for each in (rates, skip, bias)]
        return torch.empty_like(x), of_steps, small[0], of_into, of_out_of, small[1], small[2], None


def chunk_scan(hidden_states: Tensor, dt: Tensor, A: Tensor, B: Tensor, C: Tensor, chunk_size: int, D: Tensor | None = None,
               dt_bias: Tensor | None = None, return_final_states: bool = False, **_: Any) -> Any:
    result, last = ChunkScan.apply(hidden_states, dt, A, B, C, D, dt_bias, chunk_size)
    return (result, last) if return_final_states else result


class FusedMamba2(torch.autograd.Function):
    """MambaSplitConv1dScanCombinedFn."""

    @staticmethod
    def forward(context: Any, x: Tensor, convolution: Tensor, convolution_bias: Tensor | None, bias: Tensor, rates: Tensor,
                skip: Tensor, norm: Tensor | None, output: Tensor, output_bias: Tensor | None, sizes: tuple[int, ...]) -> Tensor:
        heads, size, groups, chunk_size = sizes
        inner, convolved = heads * size, convolution.shape[0]
        state_size = (convolved - inner) // groups // 2
        batch, tokens, _ = x.shape
        mixed = x.new_empty(batch, tokens, convolved)
        rows = mixed[..., :inner].unflatten(-1, (heads, size))
        result, _held = scanned(rows, groups, state_size, chunk_size)
        gated = x.new_empty(batch, tokens, inner)
        deviations = None if norm is None else x.new_empty(groups * batch * tokens, dtype=torch.float32)
        dtype = context_dtype()
        lowest = output if dtype is None else output.to(dtype)
        projected = F.linear(gated.to(lowest.dtype), lowest, output_bias)
        context.sizes = (heads, size, groups, state_size, chunk_size)
        context.save_for_backward(x, convolution, convolution_bias, bias, rates, skip, norm, lowest, output_bias, result,
                                  deviations)
        return projected

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Any:
        x, convolution, convolution_bias, bias, rates, skip, norm, output, output_bias, *_ = context.saved_tensors
        heads, size, groups, state_size, chunk_size = context.sizes
        inner = heads * size
        batch, tokens, _ = x.shape
        again = x.new_empty(batch, tokens, inner)
        mixed = x.new_empty(batch, tokens, convolution.shape[0])
        of_x, of_mixed = torch.empty_like(x), torch.empty_like(mixed)
        of_gated = F.linear(gradient, output.t())
        of_rows = [x.new_empty(batch, tokens, inner) for _ in range(1 if norm is not None else 2)]
        rows = mixed[..., :inner].unflatten(-1, (heads, size))
        scan_again(rows, x[..., -heads:], groups, state_size, chunk_size)
        of_output = torch.einsum("bso,bsd->od", gradient, again.to(gradient.dtype))
        small = [None if each is None else torch.empty_like(each)
                 for each in (convolution, convolution_bias, bias, rates, skip, norm)]
        of_output_bias = None if output_bias is None else gradient.sum(dim=(0, 1))
        del of_gated, of_rows, of_mixed
        return of_x, *small, of_output, of_output_bias, None


def fused_mamba2(projected: Tensor, convolution: Tensor, convolution_bias: Tensor | None, bias: Tensor, rates: Tensor,
                 D: Tensor, chunk_size: int, rmsnorm_weight: Tensor | None = None, outproj_weight: Tensor | None = None,
                 outproj_bias: Tensor | None = None, headdim: int | None = None, ngroups: int = 1, **_: Any) -> Any:
    return FusedMamba2.apply(projected, convolution, convolution_bias, bias, rates, D, rmsnorm_weight, outproj_weight,
                             outproj_bias, (D.shape[0], headdim, ngroups, chunk_size))
