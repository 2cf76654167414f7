"""The optimizers of a spec, on the meta device and on a real one."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import transformers
from torch import Tensor
from torch.nn import Module, Parameter

from .requests import Spec

# The optimizer's name, its parameters, and those of embeddings of which it keeps state in 32 bits.
OptimizerMaker = Callable[[str, list[Parameter], frozenset[Tensor]], Any]


# At rate 0 the same kernels run, and weights stay finite however many random batches a trial trains
# on.
LEARNING_RATE = 0.0


def make_optimizer(name: str, parameters: list[Parameter], in_32_bits: frozenset[Tensor] = frozenset()) -> Any:
    match name:
        case "adamw":
            return torch.optim.AdamW(parameters, lr=LEARNING_RATE, foreach=True)
        case "adamw-loop":
            return torch.optim.AdamW(parameters, lr=LEARNING_RATE, foreach=False)
        case "adamw-fused":
            # The fused kernel does not run on meta. It has no temporaries, only its state.
            return torch.optim.AdamW(parameters, lr=LEARNING_RATE, foreach=True)
        case "sgd":
            return torch.optim.SGD(parameters, lr=LEARNING_RATE, foreach=True)
        case "sgd-momentum":
            return torch.optim.SGD(parameters, lr=LEARNING_RATE, momentum=0.9, foreach=True)
        case "rmsprop":
            return torch.optim.RMSprop(parameters, lr=LEARNING_RATE, foreach=True)
        case "adafactor":
            return transformers.optimization.Adafactor(parameters, lr=LEARNING_RATE, scale_parameter=False,
                                                       relative_step=False)
        case "lion" | "lion-32bit" | "adamw-8bit" | "paged-adamw-8bit" | "paged-adamw":
            return ShapedOptimizer(name, parameters, in_32_bits)
    raise ValueError(f"unknown optimizer {name}")


def make_real_optimizer(name: str, parameters: list[Parameter], in_32_bits: frozenset[Tensor] = frozenset()) -> Any:
    if name == "adamw-fused":
        return torch.optim.AdamW(parameters, lr=LEARNING_RATE, fused=True)
    if "8bit" in name or "8-bit" in name:
        try:
            import bitsandbytes
        except ImportError as error:
            raise RuntimeError(f"{name} needs bitsandbytes: pip install bitsandbytes") from error
        paged = "paged" in name
        optimizer = (bitsandbytes.optim.PagedAdamW8bit if paged else bitsandbytes.optim.AdamW8bit)(parameters, lr=LEARNING_RATE)
        keep_in_32_bits(optimizer, parameters, in_32_bits)
        return optimizer
    return make_optimizer(name, parameters)


def keep_in_32_bits(optimizer: Any, parameters: list[Parameter], some: frozenset[Tensor]) -> None:
    """As bitsandbytes' manager has it, one for all optimizers of the process, by the places of parameters in their groups."""
    if not some:
        return
    optimizer.mng.initialize()
    for place, parameter in enumerate(parameters):
        if parameter in some:
            optimizer.mng.index2config[(0, place)] = {"optim_bits": 32}


def optimizer_of(spec: Spec, model: Module, make: OptimizerMaker = make_optimizer) -> Any:
    parameters = in_groups(spec, [parameter for parameter in model.parameters() if parameter.requires_grad])
    if spec.get("optimizerInBackward"):
        return InBackward(spec["optimizer"], parameters, make)
    return make(spec["optimizer"], parameters, embeddings_in_32_bits(spec, model))


def in_groups(spec: Spec, parameters: list[Parameter]) -> list[Parameter]:
    """transformers' Trainer steps with what weight decay is for before biases and norms (get_decay_parameter_names)."""
    return sorted(parameters, key=lambda each: each.dim() < 2) if spec["loop"] == "trainer" else parameters


def embeddings_in_32_bits(spec: Spec, model: Module) -> frozenset[Tensor]:
    """transformers 5.18 trainer.py create_optimizer, which tells bitsandbytes to keep more than 8 bits of these."""
    if spec["loop"] != "trainer" or spec.get("eightBitEmbeddings"):
        return frozenset()
    return frozenset(module.weight for module in model.modules() if isinstance(module, torch.nn.Embedding))


class InBackward:
    """One optimizer for each parameter, run in a hook on its gradient, as in torchtune's optimizer_in_bwd."""

    def __init__(self, name: str, parameters: list[Parameter], make: OptimizerMaker) -> None:
        self.is_untouched = name == "adamw-fused" and make is make_optimizer
        self.optimizers: dict[Tensor, Any] = {}
        for parameter in parameters:
            self.optimizers[parameter] = make(name, [parameter], frozenset())
            parameter.register_post_accumulate_grad_hook(self.step_with)

    def step_with(self, parameter: Tensor) -> None:
        # The fused kernel, which meta lacks, has no temporaries: once the state exists, nothing
        # more is allocated.
        optimizer = self.optimizers[parameter]
        if not (self.is_untouched and optimizer.state):
            optimizer.step()
        parameter.grad = None

    def step(self) -> None:
        pass

    def zero_grad(self, set_to_none: bool = True) -> None:
        pass


class ShapedOptimizer:
    """State with the shapes of bitsandbytes' optimizers, for the meta device, on which their kernels do not run."""

    MIN_8BIT_ELEMENTS, BLOCK_ELEMENTS, MIN_PAGED_ELEMENTS = 4_096, 256, 100_000

    def __init__(self, name: str, parameters: list[Parameter], in_32_bits: frozenset[Tensor]) -> None:
        self.name, self.parameters, self.in_32_bits = name, parameters, in_32_bits
        self.state: list[Tensor] = []

    def step(self) -> None:
        if not self.state:
            stepped = [parameter for parameter in self.parameters if parameter.grad is not None]
            self.state = [tensor for parameter in stepped for tensor in self.state_of(parameter)]

    def state_of(self, parameter: Tensor) -> list[Tensor]:
        if self.name == "lion":
            return [torch.empty_like(parameter)]
        if self.name == "lion-32bit":
            return [torch.empty_like(parameter, dtype=torch.float32)]
        is_small = parameter.numel() < self.MIN_8BIT_ELEMENTS
        is_8bit = self.name != "paged-adamw" and not is_small and parameter not in self.in_32_bits
        state: list[Tensor] = []
        # Paged moments are in managed memory, which PyTorch's allocator does not see.
        if not (self.name.startswith("paged") and parameter.numel() >= self.MIN_PAGED_ELEMENTS):
            dtype = torch.uint8 if is_8bit else torch.float32
            state += [torch.empty_like(parameter, dtype=dtype) for _ in range(2)]
        if is_8bit:
            blocks = -(-parameter.numel() // self.BLOCK_ELEMENTS)
            state += [torch.empty(blocks, device=parameter.device) for _ in range(2)]
        return state

    def zero_grad(self, set_to_none: bool = True) -> None:
        for parameter in self.parameters:
            parameter.grad = None
