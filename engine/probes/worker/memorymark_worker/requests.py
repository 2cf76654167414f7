"""The types of requests as the TypeScript side writes them; engine/config/spec/spec.ts documents each field."""
from __future__ import annotations

from typing import Any, Literal

from typing_extensions import Required, TypedDict

Json = dict[str, Any]


class Adapters(TypedDict, total=False):
    rank: Required[int]
    targets: Required[list[str]]
    dropout: Required[float]
    parameters: list[str]
    inWeightsType: bool
    modulesToSave: list[str]
    form: Literal["dora", "oft"]


class Generation(TypedDict):
    kind: Literal["server", "vllm", "transformers"]


class Sentences(TypedDict, total=False):
    columns: Required[int]
    loss: Required[str]
    pooling: Literal["mean", "cls", "max", "lasttoken"]


class Method(TypedDict, total=False):
    """The fields of all training methods together; `kind` determines which are present."""

    kind: Required[str]
    reference: Literal["none", "adapters-off", "copy", "adapters-copy"]
    referenceType: Literal["float32"]
    logProbabilities: Literal["trl", "trl-copied", "llamafactory", "torchtune", "openrlhf"]
    withCrossEntropy: bool
    head: Literal["score", "value", "steps"]
    chunks: int
    completionLength: int
    completions: int
    ofEachBatch: bool
    scored: int
    entropies: Literal["trained", "logged", "always"]
    eagerEntropies: bool
    generation: Generation
    tempersInPlace: bool
    comparesFeatures: bool


class TrainedPart(TypedDict, total=False):
    names: Required[list[str]]
    inputGradients: Required[bool]
    keepsType: bool


class FakeQuantization(TypedDict):
    groupSize: int


class Images(TypedDict, total=False):
    tiles: Required[int]
    height: int
    width: int


class Spec(TypedDict, total=False):
    task: Required[str]
    step: Required[Literal["training", "forward-backward"]]
    loop: Required[Literal["plain", "trainer", "lightning", "ultralytics", "verl", "nemo-rl", "nemo-rl-v2", "openrlhf"]]
    microBatch: Required[int]
    gradientAccumulation: Required[int]
    gpus: Required[int]
    contextParallel: int
    labels: Required[int]
    sentences: Sentences
    precision: Required[str]
    inFloat16: bool
    autocasts: bool
    optimizer: Required[str]
    attention: Required[Literal["sdpa", "eager", "flash"]]
    sdpaKernel: Literal["efficient"]
    gradientCheckpointing: Required[bool]
    checkpointEvery: int
    reentrantCheckpoints: bool
    checkpointedLoss: bool
    fusedLoss: bool
    eightBitEmbeddings: bool
    paddedBatches: Required[bool]
    sequenceLength: int
    targetLength: int
    imageSize: int
    images: Images
    videoFrames: int
    dropout: bool
    optimizerInBackward: bool
    lora: Adapters
    trainable: TrainedPart
    quantization: Literal["nf4", "nf4-double", "int8"]
    fakeQuantization: FakeQuantization
    method: Method
    sharding: str
    syncsEveryMicroBatch: bool


class Request(TypedDict, total=False):
    """The fields of all operations together."""

    id: Required[int]
    operation: Required[str]
    spec: Spec
    # The fields of the model's config.json, and of a distillation teacher's.
    config: Json
    teacher: Json | None
    steps: int
    wantsEvents: bool
    on: Literal["trace", "device"]
    device: str | None
    limitMemoryBytes: int | None
    playedContextBytes: int | None
    # The user's own step as `path.py:function`, its working directory, and further folders to
    # import from.
    entrypoint: str
    folder: str
    importFolders: list[str]


def head_of_rewards(spec: Spec) -> str | None:
    return spec["method"].get("head") if "method" in spec else None


def sequences_per_sample(spec: Spec) -> int:
    kind = spec["method"]["kind"] if "method" in spec else None
    return 2 if kind == "preference" or (kind == "reward" and head_of_rewards(spec) != "steps") else 1
