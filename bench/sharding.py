"""Training steps of one of several GPUs, run for real by DistributedDataParallel, FSDP2 and DeepSpeed on the CPU, with every
storage followed from its allocation to its release. One JSON request a line on stdin, one answer a line on stdout.

The other processes are PyTorch's fake process group: collectives return at once and move nothing, and allocate what they always
do. The weights are small and computed with, since DeepSpeed does not run on the meta device; kernels are those that CUDA would
pick, as in the worker's trace.
"""

import functools
import gc
import importlib.util
import json
import os
import sys

for name, value in {"RANK": "0", "LOCAL_RANK": "0", "DS_ACCELERATOR": "cpu", "OMP_NUM_THREADS": "1"}.items():
    os.environ[name] = value
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "engine", "probes", "worker"))

import torch
import torch.distributed as dist
from memorymark_worker.batches import make_batch
from memorymark_worker.cuda_kernels import CudaKernels
from memorymark_worker.devices import CpuDevice
from memorymark_worker.model import build_model, recomputation
from memorymark_worker.nemo_rl_losses import is_of_nemo_rl
from memorymark_worker.optimizers import make_optimizer
from memorymark_worker.precision import autocast_dtype
from memorymark_worker.sharding import distributed_model, gradients_stay_here
from memorymark_worker.step import forward_and_backward
from memorymark_worker.trace import tensors_of
from resumed_checkpoints import resume, resume_deepspeed
from saved_checkpoints import HostLedger, save
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, FullyShardedDataParallel, MixedPrecision, MixedPrecisionPolicy, fully_shard
from torch.distributed.fsdp.wrap import _or_policy, lambda_auto_wrap_policy, transformer_auto_wrap_policy
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils.checkpoint import checkpoint

STEPS = 4  # DeepSpeed knows from its third step on which parameters come next
DEEPSPEED_NAMES = {
    "reduceBucket": "reduce_bucket_size",
    "prefetchBucket": "stage3_prefetch_bucket_size",
    "persistenceThreshold": "stage3_param_persistence_threshold",
    "maxLiveParameters": "stage3_max_live_parameters",
    "maxReuseDistance": "stage3_max_reuse_distance",
    "subGroup": "sub_group_size",
    "overlapsCommunication": "overlap_comm",
}


VERL = {"mixed_precision": MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32, buffer_dtype=torch.float32)}
LIGHTNING = {"mixed_precision": MixedPrecision(**dict.fromkeys(("param_dtype", "reduce_dtype", "buffer_dtype"), torch.bfloat16))}
MIXED = {"verl": VERL, "lightning": LIGHTNING}


class Ledger(HostLedger):
    def enter(self, tensor):
        awaited = getattr(tensor, "elem", tensor)  # an AsyncCollectiveTensor's
        super().enter(getattr(awaited, "_local_tensor", awaited))  # a DTensor's own part


def steps_of(request, ledger):
    """Peaks in bytes of the last step: the model's parts of it and the optimizer's."""
    # accelerate's and Lightning's default
    spec = request["spec"] | ({"originals": True} if "saves" in request or "loads" in request else {})
    run, evaluate, saved = built(request, spec, ledger)
    for _ in range(STEPS):
        ledger.peak_bytes = ledger.live_bytes
        run()
    if "evaluation" in spec:
        ledger.peak_bytes = ledger.live_bytes
        evaluate()
    if "saves" in request:
        gc.collect()
        ledger.peak_bytes = 0
        save(ledger, request["saves"], *saved)
    if "loads" in request:
        if is_deepspeed(spec):
            engines = [saved[0]]
            del run, evaluate, saved
            left = resume_deepspeed(ledger, engines, lambda: built(request, spec, ledger)[2][0])
            return {"peakBytes": ledger.peak_bytes - left}
        resume(ledger, request["loads"], *saved)
    return {"peakBytes": ledger.peak_bytes}


def built(request, spec, ledger):
    """A function for one step, another for an evaluation, and what a checkpoint is made of."""
    # DeepSpeed keeps the float32 masters beside 16-bit weights; FSDP's weights are the masters.
    precision = "bf16" if is_deepspeed(spec) and spec["precision"] == "bf16-master" else spec["precision"]
    shape = spec | {"precision": precision}
    if is_of_nemo_rl(spec):
        shape.pop("method", None)  # the reference's weights take the place of the policy's
    if spec.get("checkpointsModules"):
        shape["gradientCheckpointing"] = False
    model = build_model(request | {"spec": shape}, "cpu")
    if spec.get("checkpointsModules"):
        checkpoint_modules(model, spec)
    elif spec["gradientCheckpointing"]:
        model.gradient_checkpointing_enable(reentrance(spec))
    for tensor in tensors_of(model):
        ledger.enter(tensor)
    parts = deepspeed_step(model, spec) if is_deepspeed(spec) else torch_step(model, spec)
    del model
    gc.collect()
    return parts


def reentrance(spec):
    if spec.get("reentrantCheckpoints"):
        return {"use_reentrant": True}
    return {"use_reentrant": False, **recomputation(spec, "meta")}


def checkpoint_modules(model, spec):
    """NeMo-RL's models/dtensor/parallelize.py wraps four modules of every block by themselves."""
    for layer in model.model.layers:
        for name in ("mlp", "self_attn", "input_layernorm", "post_attention_layernorm"):
            setattr(layer, name, checkpoint_wrapper(getattr(layer, name), **recomputation(spec, "meta")))


def is_deepspeed(spec):
    return spec["sharding"].startswith("zero")


def batch_of(spec, model):
    return {name: torch.zeros_like(tensor) for name, tensor in make_batch(spec, model, "cpu").items()}


def torch_step(model, spec):
    wrapped = wrapped_model(model, spec)
    if spec["sharding"] == "ddp":
        wrapped.register_comm_hook(None, done_at_once)  # the fake group's own answer is not what DDP waits for
    trained = [parameter for parameter in wrapped.parameters() if parameter.requires_grad]
    optimizer = make_optimizer(spec["optimizer"], trained)
    kernels = functools.partial(CudaKernels, autocast_dtype(spec))

    zeroes_later = spec["loop"] == "lightning"  # in the closure of the next step

    def step():
        if zeroes_later:
            optimizer.zero_grad()
        if is_of_nemo_rl(spec) and "method" in spec:
            score(wrapped, spec, batch_of(spec, model), kernels)
        for index in range(spec["gradientAccumulation"]):
            with gradients_stay_here(wrapped, spec, index < spec["gradientAccumulation"] - 1):
                forward_and_backward(wrapped, spec, batch_of(spec, model), kernels)
        optimizer.step()
        if not zeroes_later:
            optimizer.zero_grad()

    return step, functools.partial(evaluation, wrapped, model, spec, kernels), (wrapped, optimizer)


def score(wrapped, spec, batch, kernels):
    """get_logprobs of NeMo-RL's workers, of which the first gathers the whole model."""
    units = [module for module in wrapped.modules() if isinstance(module, FSDPModule)] if spec["loop"] == "nemo-rl" else []
    for unit in units:
        unit.unshard()
    labels = batch.pop("labels")
    with torch.no_grad(), kernels():
        logits = wrapped(**batch, use_cache=False).logits.to(torch.float32)
        scores = torch.nn.functional.log_softmax(logits, dim=-1)
    del logits, scores, labels
    for unit in units:
        unit.reshard()


def evaluation(wrapped, model, spec, kernels):
    """Two batches, as transformers' Trainer.prediction_step runs them without metrics."""
    wrapped.eval()
    for _ in range(2):
        batch = batch_of(spec | {"microBatch": spec["evaluation"]["microBatch"]}, model)
        with torch.no_grad(), kernels():
            outputs = wrapped(**batch)
        del outputs, batch
    wrapped.train()


def wrapped_model(model, spec):
    if spec.get("fsdpVersion") == 1:
        return flat_model(model, spec)
    if spec["loop"].startswith("nemo-rl"):
        return nemo_rl_model(model, spec)
    return verl_model(model) if spec["loop"] == "verl" else distributed_model(model, spec, CpuDevice(None))


def nemo_rl_model(model, spec):
    """NeMo-RL's first worker, and NeMo AutoModel's parallelizer, which gathers blocks ahead and keeps the last one."""
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    mixed = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32, output_dtype=torch.float32)
    policy = {"mesh": mesh, "mp_policy": mixed}
    layers = next(module for module in model.modules() if isinstance(module, torch.nn.ModuleList))
    second = spec["loop"] == "nemo-rl-v2"
    for index, layer in enumerate(layers):
        fully_shard(layer, **policy, **({"reshard_after_forward": index < len(layers) - 1} if second else {}))
    for index, layer in enumerate(layers if second else []):
        if index + 1 < len(layers):
            layer.set_modules_to_forward_prefetch([layers[index + 1]])
        if index > 0:
            layer.set_modules_to_backward_prefetch([layers[index - depth] for depth in (1, 2) if index >= depth])
    return fully_shard(model, **policy, reshard_after_forward=False)


def verl_model(model):
    """FSDP2 as verl's apply_fsdp2 wraps: embeddings by themselves unless they are the output layer, and sums in float32."""
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    policy = {"mesh": mesh, "mp_policy": MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)}
    names = set(model._no_split_modules or ())
    is_tied = model.config.tie_word_embeddings
    for module in [module for module in model.modules() if type(module).__name__ in names
                   or (isinstance(module, torch.nn.Embedding) and not is_tied)]:
        fully_shard(module, **policy, reshard_after_forward=True)
    fully_shard(model, **policy)
    return model


class CheckpointedUnit(torch.nn.Module):
    """A unit of FSDP1 inside a reentrant checkpoint, as transformers before 4.53 runs its decoder layers."""

    def __init__(self, unit):
        super().__init__()
        self.unit = unit

    def forward(self, states, **settings):
        if not self.training:
            return self.unit(states, **settings)
        return checkpoint(functools.partial(self.unit.__call__, **settings), states, use_reentrant=True)


def flat_model(model, spec):
    """FSDP1 over the whole model alone, or over its layers, and adapters by themselves as peft's fsdp_auto_wrap_policy has it."""
    if spec.get("wrapsWholeModel"):
        mixed = LIGHTNING if spec["precision"] == "bf16-master" else {}
        return FullyShardedDataParallel(model, use_orig_params=True, device_id=torch.device("cpu"), **mixed)
    layers = {type(module) for module in model.modules() if type(module).__name__ in (model._no_split_modules or ())}
    policies = [functools.partial(transformer_auto_wrap_policy, transformer_layer_cls=layers)]
    if "lora" in spec:
        policies.append(functools.partial(lambda_auto_wrap_policy, lambda_fn=is_adapter))
    wrapped = FullyShardedDataParallel(
        model, auto_wrap_policy=functools.partial(_or_policy, policies=policies), use_orig_params=spec.get("originals", False),
        device_id=torch.device("cpu"), **(MIXED.get(spec["loop"]) or {"backward_prefetch": None}))
    for layers in [module for module in wrapped.modules() if isinstance(module, torch.nn.ModuleList)]:
        for index, unit in enumerate(layers):
            if spec.get("reentrantCheckpoints") and isinstance(unit, FullyShardedDataParallel):
                unit.module.gradient_checkpointing = False
                layers[index] = CheckpointedUnit(unit)
    return wrapped


def is_adapter(module):
    weight = getattr(module, "weight", None)
    return not list(module.children()) and weight is not None and weight.requires_grad


def done_at_once(_, bucket):
    future = torch.futures.Future()
    future.set_result(bucket.buffer())
    return future


def deepspeed_step(model, spec):
    import deepspeed

    sys.modules["deepspeed.comm.torch"].build_shm_op = lambda: None  # shared memory between processes that are not there
    hidden = model.config.hidden_size
    settings = {"reduceBucket": hidden**2, "prefetchBucket": int(0.9 * hidden**2), "persistenceThreshold": 10 * hidden,
                "overlapsCommunication": True} | spec.get("zero", {})
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    engine, *_ = deepspeed.initialize(
        model=model,
        optimizer=make_optimizer(spec["optimizer"], trained),
        config={
            "train_micro_batch_size_per_gpu": spec["microBatch"],
            "gradient_accumulation_steps": spec["gradientAccumulation"],
            "gradient_clipping": 1.0,
            "zero_allow_untested_optimizer": True,
            "bf16": {"enabled": spec["precision"] == "bf16-master"},
            "zero_optimization": {"stage": int(spec["sharding"][-1]),
                                  **{DEEPSPEED_NAMES[name]: value for name, value in settings.items()}},
        },
    )

    def step():
        for _ in range(spec["gradientAccumulation"]):
            with CudaKernels():
                loss = engine(**batch_of(spec, model)).loss
            engine.backward(loss)
            del loss
            engine.step()

    return step, functools.partial(evaluation, engine, model, spec, CudaKernels), (engine, engine.optimizer)


def peak_of(request):
    """`rank`: which of the GPUs this one is. The group is as large as the first request's, for good."""
    gpus = request["spec"]["gpus"]
    os.environ["WORLD_SIZE"] = str(gpus)
    if not dist.is_initialized():
        dist.init_process_group("fake", store=FakeStore(), rank=request["rank"], world_size=gpus)
    with Ledger() as ledger:
        return steps_of(request, ledger)


def versions():
    found = {"torch": torch.__version__}
    if importlib.util.find_spec("deepspeed") is not None:
        import deepspeed

        found["deepspeed"] = deepspeed.__version__
    return found


def main():
    answers = sys.stdout
    sys.stdout = sys.stderr  # libraries print
    print(json.dumps(versions()), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(peak_of(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
