"""Recognises errors that mean out of memory."""
from __future__ import annotations

import re

import torch

from .device import Device

# Messages for a failed allocation outside PyTorch's own allocator.
OUT_OF_MEMORY = re.compile("|".join((
    r"(?:CUDA|HIP)(?: driver)? error: out of memory", r"CUDA_ERROR_OUT_OF_MEMORY", r"cudaErrorMemoryAllocation",
    r"hipErrorOutOfMemory",
    r"Cuda failure (?:\d+ )?'out of memory'",  # NCCL
    r"Triton Error \[(?:CUDA|HIP)\]:.*out of memory",
    r"CUBLAS_STATUS_ALLOC_FAILED", r"CUDNN_STATUS_ALLOC_FAILED", r"CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
    r"CUSOLVER_STATUS_ALLOC_FAILED", r"CUFFT_ALLOC_FAILED", r"MPS backend out of memory",
)), re.IGNORECASE)
# Messages with other causes too, which count only if memory is low: cuDNN has no algorithm whose
# workspace fits, or cuBLAS cannot create its handle.
PERHAPS_OUT_OF_MEMORY = re.compile(
    "unable to find an engine|CUDNN_STATUS_NOT_SUPPORTED|CUDNN_STATUS_EXECUTION_FAILED|CUBLAS_STATUS_NOT_INITIALIZED",
    re.IGNORECASE)
HOST_OUT_OF_MEMORY = re.compile("DefaultCPUAllocator: (?:can't allocate|not enough) memory", re.IGNORECASE)
SHORT_OF_MEMORY_SHARE = 0.9


def is_out_of_memory(error: Exception, device: Device) -> bool:
    """Whether the device ran out of memory. Host memory does not count, unless the host is the device."""
    if isinstance(error, torch.cuda.OutOfMemoryError):
        return True
    if is_out_of_host_memory(error):
        return device.kind == "cpu"
    if not isinstance(error, RuntimeError):
        return False
    text = str(error)
    return bool(OUT_OF_MEMORY.search(text) or (PERHAPS_OUT_OF_MEMORY.search(text) and device.memory_is_short()))


def is_out_of_host_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and bool(HOST_OUT_OF_MEMORY.search(str(error))))
