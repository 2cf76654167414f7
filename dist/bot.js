#!/usr/bin/env node

// engine/config/spec.ts
import * as z from "zod";
var tasks = [
  "sequence-classification",
  "masked-lm",
  "causal-lm",
  "seq2seq-lm",
  "image-classification"
];
var optimizers = [
  "adamw",
  "adamw-fused",
  "adamw-loop",
  "sgd",
  "sgd-momentum",
  "adafactor",
  "lion",
  "adamw-8bit",
  "paged-adamw-8bit",
  "paged-adamw"
];
var precisions = ["fp32", "tf32", "bf16", "bf16-master", "amp-bf16", "amp-fp16"];
var stepProfiles = ["training", "forward-backward"];
var attentions = ["sdpa", "eager"];
var loops = ["plain", "trainer"];
var frameworks = ["pytorch", "tensorflow.js"];
var quantizations = ["nf4", "nf4-double", "int8"];
var shardings = ["ddp", "zero1", "zero2", "zero3", "fsdp"];
var MAX_BATCH = 1e6;
var batchSize = z.number().int().min(1).max(MAX_BATCH);
var trainingSpec = z.object({
  /** A Hub id or an alias of the model catalogue. */
  model: z.string().min(1).max(200),
  task: z.enum(tasks),
  framework: z.enum(frameworks),
  step: z.enum(stepProfiles),
  /** Samples on one GPU in one forward pass. */
  microBatch: batchSize,
  gradientAccumulation: batchSize,
  gpus: z.number().int().min(1).max(1e5),
  /** Tokens of the longest sequence; absent for images. */
  sequenceLength: z.number().int().min(1).max(1e7).optional(),
  /** Tokens of the longest target of a sequence-to-sequence model; as many as the source's when absent. */
  targetLength: z.number().int().min(1).max(1e7).optional(),
  /** Pixels of the square image's side; absent for text. */
  imageSize: z.number().int().min(1).max(1e5).optional(),
  /** Classes of a classification head. */
  labels: z.number().int().min(1).max(1e6),
  precision: z.enum(precisions),
  optimizer: z.enum(optimizers),
  attention: z.enum(attentions),
  gradientCheckpointing: z.boolean(),
  /** Low-rank adapters over frozen weights; absent for full fine-tuning. */
  lora: z.object({
    rank: z.number().int().min(1).max(1e4),
    /** Last names of the adapted linear modules (`q_proj`). */
    targets: z.array(z.string().max(100)).min(1).max(100),
    dropout: z.number().min(0).max(1)
  }).optional(),
  /** Base weights of every linear layer but the output's. Only with `lora`. */
  quantization: z.enum(quantizations).optional(),
  /** Only with several GPUs; DDP when absent. */
  sharding: z.enum(shardings).optional(),
  /** What lives on the host instead of the GPU. */
  offload: z.enum(["optimizer", "optimizer-and-weights"]).optional(),
  /** Liger's or another fused loss: logits are made and consumed in chunks and never stand whole. */
  fusedLoss: z.boolean().optional(),
  /** Batches carry a padding mask. Fused attention then keeps a b·s² mask per layer. */
  paddedBatches: z.boolean(),
  /**
   * Who runs the step. `plain`: `outputs = model(…); outputs.loss.backward()`, where the logits stay referenced during the
   * backward pass and decoders fill their key/value cache (`use_cache` is on by default). `trainer`: Hugging Face's Trainer,
   * which turns the cache off (`TrainingArguments.use_cache`) and whose `compute_loss` returns the loss alone.
   */
  loop: z.enum(loops)
});
function effectiveBatch(spec) {
  return spec.microBatch * spec.gradientAccumulation * spec.gpus;
}

// engine/estimate/error-band.ts
var TRACED_BAND_PERCENT = 3;
var DERIVED_BAND_PERCENT = 10;
function errorBandPercent(spec) {
  return beyondTrace(spec) === void 0 ? TRACED_BAND_PERCENT : DERIVED_BAND_PERCENT;
}
function beyondTrace(spec) {
  if (spec.quantization !== void 0) return "quantised base weights";
  if (spec.gpus > 1) return "several GPUs";
  if (spec.offload !== void 0) return "offloading";
  if (spec.fusedLoss) return "a fused loss";
  if (spec.precision === "bf16-master") return "float32 master weights";
  return spec.optimizer === "lion" || spec.optimizer === "paged-adamw" ? `the optimizer ${spec.optimizer}` : void 0;
}
function derivationOf(spec) {
  const beyond = beyondTrace(spec);
  if (beyond === void 0) return [];
  return [
    `What ${beyond} take${beyond.endsWith("s") ? "" : "s"} is derived from sources and documentation; no trace and no GPU has confirmed it, and the band of ${DERIVED_BAND_PERCENT} % is a guess.`
  ];
}

// engine/units.ts
var KIB = 2 ** 10;
var MIB = 2 ** 20;
var GIB = 2 ** 30;
function formatGib(bytes3) {
  const gib2 = bytes3 / GIB;
  return `${gib2.toFixed(Math.abs(gib2) < 10 ? 2 : 1)} GiB`;
}
function formatPercent(fraction) {
  return `${Math.round(fraction * 100)} %`;
}
function formatUsd(usd2) {
  const digits = Math.abs(usd2) < 100 ? 2 : 0;
  return `$${usd2.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}
function formatRate(samplesPerSecond) {
  return samplesPerSecond < 10 ? samplesPerSecond.toPrecision(2) : Math.round(samplesPerSecond).toLocaleString("en-US");
}

// engine/gpus/catalogue.ts
var CONTEXT_BYTES = 300 * MIB;
var AMPERE = 8;
var HOPPER = 9;
var GB = 1e9;
var TERA = 1e12;
var rows = [
  {
    id: "a10",
    name: "NVIDIA A10",
    totalBytes: gib(22.06),
    totalSource: "Out-of-memory message of PyTorch 2.14 (CUDA 13.0) on an A10; nvidia-smi says 23028 MiB: https://github.com/modal-labs/modal-client/pull/2797",
    computeCapability: [8, 6],
    multiprocessors: 72,
    memoryBandwidthBytesPerSecond: 600 * GB,
    peakFlops: { fp32: 31.2 * TERA, tf32: 62.5 * TERA, fp16: 125 * TERA, bf16: 125 * TERA },
    specSource: "NVIDIA A10 data sheet",
    pricePerHourUsd: 0.6,
    // https://github.com/zszazi/Deep-learning-in-cloud/pull/49
    priceSource: "Lambda, 1x A10",
    priceDate: "2023-02-22"
  },
  {
    id: "a100-40gb",
    name: "NVIDIA A100 40 GB",
    totalBytes: gib(39.5),
    totalSource: "https://github.com/TianheWu/CoSeR/issues/10",
    computeCapability: [8, 0],
    multiprocessors: 108,
    memoryBandwidthBytesPerSecond: 1555 * GB,
    peakFlops: { fp32: 19.5 * TERA, tf32: 156 * TERA, fp16: 312 * TERA, bf16: 312 * TERA },
    specSource: "NVIDIA A100 data sheet, 40 GB SXM",
    pricePerHourUsd: 1.29,
    // https://github.com/AkihikoWatanabe/paper_notes/issues/1493
    priceSource: "Lambda, A100 SXM 40 GB",
    priceDate: "2024-11-09"
  },
  {
    id: "a100-80gb",
    name: "NVIDIA A100 80 GB",
    totalBytes: gib(79.14),
    totalSource: "https://github.com/lianqi1008/Control-GIC/issues/6",
    computeCapability: [8, 0],
    multiprocessors: 108,
    memoryBandwidthBytesPerSecond: 2039 * GB,
    peakFlops: { fp32: 19.5 * TERA, tf32: 156 * TERA, fp16: 312 * TERA, bf16: 312 * TERA },
    specSource: "NVIDIA A100 data sheet, 80 GB SXM",
    pricePerHourUsd: 1.59,
    priceSource: "RunPod Secure Cloud, A100 SXM",
    priceDate: "2026-09-25"
  },
  {
    id: "l4",
    name: "NVIDIA L4",
    totalBytes: gib(22.03),
    totalSource: "Out-of-memory message of PyTorch 2.14 (CUDA 13.0) on an L4; nvidia-smi says 23034 MiB: https://github.com/modal-labs/modal-client/pull/2797",
    computeCapability: [8, 9],
    multiprocessors: 58,
    memoryBandwidthBytesPerSecond: 300 * GB,
    peakFlops: { fp32: 30.3 * TERA, tf32: 60 * TERA, fp16: 121 * TERA, bf16: 121 * TERA },
    specSource: "NVIDIA L4 data sheet, its sparse figures halved",
    pricePerHourUsd: 0.49,
    // catalogs/v8/runpod/vms.csv in https://github.com/skypilot-org/skypilot-catalog at 01acdfd
    priceSource: "RunPod Secure Cloud, L4 (undated catalogue)",
    priceDate: "2026"
  },
  {
    id: "t4",
    name: "NVIDIA T4",
    totalBytes: gib(14.56),
    totalSource: "https://github.com/Zheng-Chong/CatVTON/issues/133",
    computeCapability: [7, 5],
    multiprocessors: 40,
    memoryBandwidthBytesPerSecond: 320 * GB,
    peakFlops: { fp32: 8.1 * TERA, fp16: 65 * TERA },
    specSource: "NVIDIA T4 data sheet",
    pricePerHourUsd: 0.526,
    // https://github.com/skypilot-org/skypilot/pull/718
    priceSource: "AWS EC2 g4dn.xlarge",
    priceDate: "2022-04-05"
  },
  {
    id: "v100-16gb",
    name: "NVIDIA V100 16 GB",
    totalBytes: gib(15.78),
    totalSource: "https://github.com/kchengiva/Shift-GCN/issues/34",
    computeCapability: [7, 0],
    multiprocessors: 80,
    memoryBandwidthBytesPerSecond: 900 * GB,
    peakFlops: { fp32: 15.7 * TERA, fp16: 125 * TERA },
    specSource: "NVIDIA V100 data sheet, SXM2",
    pricePerHourUsd: 0.79,
    priceSource: "Lambda, one eighth of 8x V100",
    priceDate: "2026-09-20"
  },
  {
    id: "l40s",
    name: "NVIDIA L40S",
    totalBytes: gib(44.42),
    totalSource: "https://github.com/stepfun-ai/Step-Video-T2V/issues/8",
    computeCapability: [8, 9],
    multiprocessors: 142,
    memoryBandwidthBytesPerSecond: 864 * GB,
    peakFlops: { fp32: 91.6 * TERA, tf32: 183 * TERA, fp16: 362 * TERA, bf16: 362 * TERA },
    specSource: "NVIDIA L40S data sheet",
    pricePerHourUsd: 1.09,
    priceSource: "RunPod Secure Cloud, L40S",
    priceDate: "2026-09-25"
  },
  {
    id: "a6000",
    name: "NVIDIA RTX A6000",
    totalBytes: gib(47.5),
    totalSource: "https://github.com/uc-vision/smart-tree/issues/13, ±0.05 GiB",
    computeCapability: [8, 6],
    multiprocessors: 84,
    memoryBandwidthBytesPerSecond: 768 * GB,
    peakFlops: { fp32: 38.7 * TERA, tf32: 77.4 * TERA, fp16: 154.8 * TERA, bf16: 154.8 * TERA },
    specSource: "NVIDIA Ampere GA102 white paper 2.0, appendix C",
    pricePerHourUsd: 1.09,
    priceSource: "Lambda, A6000",
    priceDate: "2026-09-20"
  },
  {
    id: "rtx-3090",
    name: "NVIDIA GeForce RTX 3090",
    totalBytes: gib(23.69),
    totalSource: "https://github.com/ucwxb/GraphAvatar/issues/4",
    computeCapability: [8, 6],
    multiprocessors: 82,
    memoryBandwidthBytesPerSecond: 936 * GB,
    peakFlops: { fp32: 35.6 * TERA, tf32: 35.6 * TERA, fp16: 71 * TERA, bf16: 71 * TERA },
    specSource: "NVIDIA Ampere GA102 white paper 2.0, appendix A",
    pricePerHourUsd: 0.5,
    // catalogs/v8/runpod/vms.csv in https://github.com/skypilot-org/skypilot-catalog at 01acdfd
    priceSource: "RunPod Secure Cloud, RTX 3090 (undated catalogue)",
    priceDate: "2026"
  },
  {
    id: "rtx-4090",
    name: "NVIDIA GeForce RTX 4090",
    totalBytes: gib(23.52),
    totalSource: "https://github.com/Soul-AILab/SoulX-FlashTalk/issues/5",
    computeCapability: [8, 9],
    multiprocessors: 128,
    memoryBandwidthBytesPerSecond: 1008 * GB,
    peakFlops: { fp32: 82.6 * TERA, tf32: 82.6 * TERA, fp16: 165.2 * TERA, bf16: 165.2 * TERA },
    specSource: "NVIDIA Ada GPU architecture white paper, appendix A",
    pricePerHourUsd: 0.74,
    priceSource: "RunPod Secure Cloud, RTX 4090",
    priceDate: "2026-09-25"
  },
  {
    id: "h100",
    name: "NVIDIA H100 SXM",
    totalBytes: gib(79.11),
    totalSource: "https://github.com/vllm-project/vllm/issues/27508",
    computeCapability: [9, 0],
    multiprocessors: 132,
    memoryBandwidthBytesPerSecond: 3350 * GB,
    peakFlops: { fp32: 67 * TERA, tf32: 494.5 * TERA, fp16: 989.5 * TERA, bf16: 989.5 * TERA },
    specSource: "NVIDIA H100 data sheet, SXM, its sparse figures halved",
    pricePerHourUsd: 3.49,
    priceSource: "RunPod Secure Cloud, H100 SXM",
    priceDate: "2026-09-25"
  },
  {
    id: "h200",
    name: "NVIDIA H200",
    totalBytes: gib(139.8),
    totalSource: "Out-of-memory messages of PyTorch on H200 servers: 139.80 GiB in most, 139.81 GiB in some",
    computeCapability: [9, 0],
    multiprocessors: 132,
    memoryBandwidthBytesPerSecond: 4800 * GB,
    peakFlops: { fp32: 67 * TERA, tf32: 494.5 * TERA, fp16: 989.5 * TERA, bf16: 989.5 * TERA },
    specSource: "NVIDIA H200 data sheet, SXM, its sparse figures halved",
    pricePerHourUsd: 4.59,
    priceSource: "RunPod Secure Cloud, H200",
    priceDate: "2026-09-25"
  }
];
var gpus = rows.map((row5) => ({
  ...row5,
  contextBytes: CONTEXT_BYTES,
  cublasWorkspaceBytes: cublasWorkspaceBytes(row5.computeCapability)
}));
var otherNames = [
  // AWS's A10: the same memory; slower tensor cores and another price.
  ["A10G", "a10"],
  // The capacity is not said: the smaller one is the safe reading.
  ["A100", "a100-40gb"],
  ["A100-SXM4-40GB", "a100-40gb"],
  ["A100-PCIE-40GB", "a100-40gb"],
  ["A100-SXM4-80GB", "a100-80gb"],
  ["A100 80GB PCIe", "a100-80gb"],
  ["V100", "v100-16gb"],
  ["V100-SXM2-16GB", "v100-16gb"],
  ["V100-PCIE-16GB", "v100-16gb"],
  ["3090", "rtx-3090"],
  ["4090", "rtx-4090"],
  ["H100 80GB", "h100"],
  ["H100 80GB HBM3", "h100"],
  ["H200 SXM", "h200"]
];
var byKey = new Map(
  gpus.flatMap((gpu2) => {
    const others = otherNames.filter(([, id]) => id === gpu2.id).map(([name]) => name);
    return [gpu2.id, gpu2.name, ...others].map((name) => [key(name), gpu2]);
  })
);
var defaultGpu = knownGpu("a10");
function findGpu(text3) {
  return byKey.get(key(text3));
}
function knownGpu(id) {
  const gpu2 = gpus.find((candidate) => candidate.id === id);
  if (gpu2 === void 0) throw new Error(`the catalogue lost ${id}`);
  return gpu2;
}
function hasFlashAttention({ computeCapability: [major] }) {
  return major >= AMPERE;
}
function usableBytes(gpu2) {
  return gpu2.totalBytes - gpu2.contextBytes;
}
function key(text3) {
  return text3.toLowerCase().replace(/[^a-z0-9]/g, "").replace(/^(?:nvidia)?(?:tesla|geforce)?/, "");
}
function cublasWorkspaceBytes([major]) {
  return major === HOPPER ? 32 * MIB : 8.125 * MIB;
}
function gib(reading) {
  return Math.round(reading * GIB);
}

// engine/metrics/recommend.ts
var THROUGHPUT_TOLERANCE = 0.02;
var DEFAULT_MARGIN = 0.05;
var KEEPING_WORTH = 0.9;
function recommend(situation2) {
  const { current, samplesPerSecond } = situation2;
  const fastest = smallestNearBest(situation2);
  if (current.gradientAccumulation === 1 && fastest > current.microBatch) {
    return { microBatch: fastest, gradientAccumulation: 1 };
  }
  const perGpu = current.microBatch * current.gradientAccumulation;
  const changed = { microBatch: fastest, gradientAccumulation: Math.max(1, Math.round(perGpu / fastest)) };
  const kept = keepingEffectiveBatch(situation2, perGpu);
  const keptIsGood = kept.gradientAccumulation === 1 || samplesPerSecond(kept) >= KEEPING_WORTH * samplesPerSecond(changed);
  return keptIsGood ? kept : changed;
}
function smallestNearBest({ grid, largestWithMargin, samplesPerSecond }) {
  const rate = (batch) => samplesPerSecond({ microBatch: batch, gradientAccumulation: 1 });
  const enough = rate(largestWithMargin) * (1 - THROUGHPUT_TOLERANCE);
  let low = 0;
  let high = grid.indexOf(largestWithMargin);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (rate(grid.at(middle)) >= enough) high = middle;
    else low = middle + 1;
  }
  return grid.at(low);
}
function keepingEffectiveBatch(situation2, perGpu) {
  const plans = divisors(perGpu).filter((divisor) => divisor <= situation2.largestWithMargin).map((microBatch) => ({ microBatch, gradientAccumulation: perGpu / microBatch }));
  const rates = plans.map((plan) => situation2.samplesPerSecond(plan));
  const enough = Math.max(...rates) * (1 - THROUGHPUT_TOLERANCE);
  return plans[rates.findIndex((rate) => rate >= enough)] ?? { microBatch: 1, gradientAccumulation: perGpu };
}
function divisors(n) {
  const small2 = [];
  for (let candidate = 1; candidate * candidate <= n; candidate++) if (n % candidate === 0) small2.push(candidate);
  const large2 = small2.map((divisor) => n / divisor).filter((divisor) => divisor * divisor !== n);
  return [...small2, ...large2.toReversed()];
}

// engine/estimate/storage.ts
var byteKinds = [
  "weights",
  "gradients",
  "optimizerState",
  /** Saved by the forward pass for the backward pass. */
  "activations",
  /** Logits, log-probabilities and their gradients. */
  "logits",
  /** Gradients of activations and scratch of single operations. */
  "temporaries",
  /** The batch itself. */
  "inputs",
  /** cuBLAS scratch. */
  "workspace"
];
var bytesPerElement = { float32: 4, float16: 2, bfloat16: 2, int64: 8, bool: 1 };
function elements(tensor) {
  return tensor.shape.reduce((product, size2) => product * size2, 1);
}
function lastSize(tensor) {
  const size2 = tensor.shape.at(-1);
  if (size2 === void 0) throw new Error("a tensor of the batch alone has no last dimension");
  return size2;
}

// engine/estimate/optimizer.ts
var MIN_8BIT_ELEMENTS = 4096;
var BLOCK_ELEMENTS = 256;
var parameterBytes = (parameter) => elements(parameter) * bytesPerElement[parameter.dtype];
var float32Bytes = (parameter) => elements(parameter) * bytesPerElement.float32;
var eightBitBytes = (parameter) => elements(parameter) < MIN_8BIT_ELEMENTS ? float32Bytes(parameter) : elements(parameter) * (1 + bytesPerElement.float32 / BLOCK_ELEMENTS);
var inPlace = { temporaries: () => [], temporariesLive: "one by one" };
var optimizerRules = {
  // torch/optim/adamw.py: exp_avg and exp_avg_sq like the parameter. _multi_tensor_adam: torch._foreach_sqrt(exp_avg_sqs).
  adamw: {
    stateBytes: (parameter) => 2 * parameterBytes(parameter),
    temporaries: (parameter) => [parameterBytes(parameter)],
    temporariesLive: "together",
    passes: 18
  },
  "adamw-fused": { ...inPlace, stateBytes: (parameter) => 2 * parameterBytes(parameter), passes: 7 },
  // _single_tensor_adam: exp_avg_sq.sqrt() and its quotient.
  "adamw-loop": {
    stateBytes: (parameter) => 2 * parameterBytes(parameter),
    temporaries: (parameter) => [parameterBytes(parameter), parameterBytes(parameter)],
    temporariesLive: "one by one",
    passes: 18
  },
  sgd: { ...inPlace, stateBytes: () => 0, passes: 3 },
  "sgd-momentum": { ...inPlace, stateBytes: parameterBytes, passes: 7 },
  // transformers optimization.py Adafactor without momentum: float32 rows and columns of a matrix, or the whole vector; a step
  // holds the squared gradient beside the update, and float32 copies of a 16-bit parameter and its gradient.
  adafactor: {
    stateBytes: adafactorBytes,
    temporaries: (parameter) => {
      const copies = parameter.dtype === "float32" ? 2 : 4;
      return Array.from({ length: copies }, () => float32Bytes(parameter));
    },
    temporariesLive: "one by one",
    passes: 16
  },
  // lion-pytorch, torchtune: one momentum like the parameter.
  lion: { ...inPlace, stateBytes: parameterBytes, passes: 5 },
  "adamw-8bit": { ...inPlace, stateBytes: (parameter) => 2 * eightBitBytes(parameter), passes: 4 },
  // Paged state lives in managed memory: on the GPU while it fits, on the host when something else needs the room.
  "paged-adamw-8bit": { ...inPlace, stateBytes: (parameter) => 2 * eightBitBytes(parameter), passes: 4 },
  "paged-adamw": { ...inPlace, stateBytes: (parameter) => 2 * float32Bytes(parameter), passes: 7 }
};
function adafactorBytes(parameter) {
  const [rows2, columns2] = [parameter.shape.at(-2), parameter.shape.at(-1)];
  if (rows2 === void 0 || columns2 === void 0) return float32Bytes(parameter);
  return (elements(parameter) / columns2 + elements(parameter) / rows2) * bytesPerElement.float32;
}

// engine/estimate/throughput.ts
var ARITHMETIC_EFFICIENCY = 0.7;
var BANDWIDTH_EFFICIENCY = 0.8;
var FORWARD_LAUNCH_SECONDS = 4e-5;
var BACKWARD_LAUNCH_SECONDS = 1e-5;
var TILE_ELEMENTS = 128 * 64;
var ThroughputModel = class {
  #kernels;
  #bytesPerSecond;
  #optimizerSeconds;
  constructor({ spec, nodes, parameterCount }, gpu2) {
    this.#bytesPerSecond = gpu2.memoryBandwidthBytesPerSecond * BANDWIDTH_EFFICIENCY;
    this.#kernels = kernelsOf(nodes, gpu2, spec.precision, spec.step === "training" && spec.gradientCheckpointing);
    const weightBytes = parameterCount * (spec.precision.startsWith("bf16") ? 2 : 4);
    const passes = spec.step === "training" ? optimizerRules[spec.optimizer].passes : 0;
    this.#optimizerSeconds = passes * weightBytes / this.#bytesPerSecond;
  }
  /** Samples a second on one GPU, over whole optimizer steps of `accumulation` micro-steps. */
  samplesPerSecond(batch, accumulation) {
    let gpuSeconds = 0;
    let launchSeconds = 0;
    for (const kernel2 of this.#kernels) {
      const arithmetic = Math.max(batch * kernel2.arithmeticSecondsPerSample, kernel2.waveSeconds);
      const traffic = (kernel2.fixedBytes + batch * kernel2.bytesPerSample) / this.#bytesPerSecond;
      gpuSeconds += Math.max(arithmetic, traffic);
      launchSeconds += kernel2.launchSeconds;
    }
    const microStep = Math.max(gpuSeconds, launchSeconds);
    return batch * accumulation / (accumulation * microStep + this.#optimizerSeconds);
  }
};
function kernelsOf(nodes, gpu2, precision, checkpoints) {
  return nodes.flatMap((node) => {
    if (node.body !== void 0) {
      const recomputed = checkpoints ? node.body.map((inner) => kernel(inner, gpu2, precision, FORWARD_LAUNCH_SECONDS)) : [];
      return [...kernelsOf(node.body, gpu2, precision, false), ...recomputed];
    }
    if (node.outputs.length === 0) return [];
    const made2 = node.gradients.filter((edge) => !edge.passes).length;
    const backwardKernels = Math.min(made2, node.flopsPerSample > 0 ? 2 : 1);
    const backward = kernel(node, gpu2, precision, BACKWARD_LAUNCH_SECONDS);
    return [
      kernel(node, gpu2, precision, FORWARD_LAUNCH_SECONDS),
      ...Array.from({ length: backwardKernels }, () => backward)
    ];
  });
}
function kernel(node, gpu2, precision, launchSeconds) {
  const storages = [...node.reads, ...node.creates];
  const flopsPerSecond = peakFlops(gpu2, node.computeDtype, precision) * ARITHMETIC_EFFICIENCY;
  const [output] = node.outputs;
  const flopsPerElement = output ? node.flopsPerSample / elements(output) : 0;
  return {
    arithmeticSecondsPerSample: node.flopsPerSample / flopsPerSecond,
    waveSeconds: flopsPerElement * TILE_ELEMENTS * gpu2.multiprocessors / flopsPerSecond,
    launchSeconds,
    fixedBytes: storages.reduce((sum2, storage) => sum2 + storage.fixedBytes, 0),
    bytesPerSample: storages.reduce((sum2, storage) => sum2 + storage.bytesPerSample, 0)
  };
}
function peakFlops(gpu2, dtype, precision) {
  if (precision === "tf32") return gpu2.peakFlops.tf32 ?? gpu2.peakFlops.fp32;
  if (dtype === "bfloat16") return gpu2.peakFlops.bf16 ?? gpu2.peakFlops.fp32;
  return bytesPerElement[dtype] === 2 ? gpu2.peakFlops.fp16 : gpu2.peakFlops.fp32;
}

// engine/probes/estimate.ts
var CUBLAS_HANDLES = 2;
var throughputs = /* @__PURE__ */ new WeakMap();
var EstimateProbe = class {
  usableBytes;
  #workspaceBytes;
  #footprint;
  #gpu;
  /** One footprint serves any number of GPUs. */
  constructor(footprint, gpu2) {
    this.usableBytes = usableBytes(gpu2);
    this.#workspaceBytes = gpu2.cublasWorkspaceBytes * CUBLAS_HANDLES;
    this.#footprint = footprint;
    this.#gpu = gpu2;
  }
  peak(batch) {
    return this.#footprint.peak(batch, this.#workspaceBytes);
  }
  samplesPerSecond(batch, accumulation) {
    return throughputOf(this.#footprint, this.#gpu).samplesPerSecond(batch, accumulation);
  }
  trial(batch) {
    const { bytes: peakBytes } = this.peak(batch);
    const fit = this.#fit(batch, peakBytes, this.usableBytes);
    return {
      microBatch: batch,
      provenance: "estimated",
      outcome: fit.kind === "fits" ? { kind: "fits", peakBytes, reservedBytes: fit.reservedBytes } : { kind: "out-of-memory", neededBytes: peakBytes }
    };
  }
  /** A batch below one that fits: it fits too, so the allocator is not asked. */
  trialBelow(batch) {
    const { bytes: peakBytes } = this.peak(batch);
    return { microBatch: batch, provenance: "estimated", outcome: { kind: "fits", peakBytes } };
  }
  /** Whether a batch fits and leaves `margin` (a share of usable memory) free. */
  fits(batch, margin = 0) {
    return this.#fit(batch, this.peak(batch).bytes, this.usableBytes * (1 - margin)).kind === "fits";
  }
  /** The bytes in use are a lower bound of what the allocator needs, and far cheaper to know. */
  #fit(batch, peakBytes, limitBytes) {
    return peakBytes > limitBytes ? { kind: "out-of-memory" } : this.#footprint.fit(batch, limitBytes, this.#workspaceBytes);
  }
};
function throughputOf(footprint, gpu2) {
  const byGpu = throughputs.get(footprint) ?? /* @__PURE__ */ new Map();
  const throughput = byGpu.get(gpu2) ?? new ThroughputModel(footprint, gpu2);
  throughputs.set(footprint, byGpu.set(gpu2, throughput));
  return throughput;
}

// engine/estimate/sharding.ts
function sharesOf({ gpus: gpus2, sharding = "ddp", offload }) {
  const divided = 1 / gpus2;
  const state = offload === void 0 ? divided : 0;
  const weights = offload === "optimizer-and-weights" ? 0 : divided;
  switch (sharding) {
    case "ddp":
      return { weights: 1, gradients: 1, optimizerState: offload === void 0 ? 1 : 0 };
    case "zero1":
      return { weights: 1, gradients: 1, optimizerState: state };
    case "zero2":
      return { weights: 1, gradients: divided, optimizerState: state };
    case "zero3":
    case "fsdp":
      return { weights, gradients: divided, optimizerState: state };
  }
}
function exchangeBytes(spec, parameters) {
  if (spec.gpus === 1) return 0;
  const { sharding = "ddp" } = spec;
  if (sharding === "ddp") return sum([...parameters.values()].filter((parameter) => parameter.requiresGrad).map(bytesOf));
  if (sharding === "zero1" || sharding === "zero2") return 0;
  const units = /* @__PURE__ */ new Map();
  for (const [name, parameter] of parameters) {
    const unit = /^.*?\.\d+(?=\.)/.exec(name)?.[0] ?? "";
    units.set(unit, (units.get(unit) ?? 0) + bytesOf(parameter));
  }
  const blocks = [...units].filter(([unit]) => unit !== "").map(([, bytes3]) => bytes3);
  return (units.get("") ?? 0) + 2 * Math.max(0, ...blocks);
}
function bytesOf(parameter) {
  return elements(parameter) * bytesPerElement[parameter.dtype];
}
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

// engine/estimate/timeline.ts
var OPTIMIZER_MOMENT = "the optimizer";
function playStep(tape, spec, loss, outputs) {
  const shares = sharesOf(spec);
  const player = new Player(tape, loss, shares);
  const held = spec.loop === "plain" ? [...outputs, ...tape.held] : [];
  const microSteps = spec.step === "training" ? Math.min(spec.gradientAccumulation, 2) : 1;
  for (let index = 0; index < microSteps; index++) player.microStep(held);
  const parameters = [...tape.parameters.values()];
  const optimized = parameters.filter((parameter) => parameter.requiresGrad).map((parameter) => master(spec, parameter));
  const isTraining = spec.step === "training";
  const eventsBeforeOptimizer = player.events.length;
  if (isTraining) player.optimizerStep(spec.optimizer, optimized);
  player.releaseGradients();
  const exchange = isTraining ? exchangeBytes(spec, tape.parameters) : 0;
  return {
    model: [
      ...[...parameters.map((parameter) => parameter.storage), ...tape.buffers].map(
        (storage) => share(storage, shares.weights)
      ),
      ...exchange > 0 ? [tape.fixed(exchange, "temporaries")] : []
    ],
    optimizerState: isTraining ? optimizerState(tape, spec, optimized, shares) : [],
    step: player.events,
    eventsBeforeOptimizer,
    parameterCount: parameters.reduce((sum2, parameter) => sum2 + elements(parameter), 0)
  };
}
function master(spec, parameter) {
  return spec.precision === "bf16-master" ? { ...parameter, dtype: "float32" } : parameter;
}
function optimizerState(tape, spec, optimized, shares) {
  const { stateBytes } = optimizerRules[spec.optimizer];
  const masterBytes = (parameter) => spec.precision === "bf16-master" ? elements(parameter) * bytesPerElement.float32 : 0;
  return optimized.map((parameter) => (stateBytes(parameter) + masterBytes(parameter)) * shares.optimizerState).filter((bytes3) => bytes3 > 0).map((bytes3) => tape.fixed(bytes3, "optimizerState"));
}
function share(storage, part) {
  return part === 1 ? storage : { ...storage, fixedBytes: storage.fixedBytes * part };
}
var Player = class {
  events = [];
  #tape;
  #loss;
  #shares;
  #moment = "";
  /** Forward reads still to come, by storage id. */
  #reads = [];
  /** Saves by nodes whose backward is still to come, and references from Python code. */
  #references = [];
  #live = /* @__PURE__ */ new Set();
  /** The gradient that has arrived for a tensor so far; several tensors may share one. */
  #gradients = /* @__PURE__ */ new Map();
  #gradientReferences = /* @__PURE__ */ new Map();
  #parameterGradients = /* @__PURE__ */ new Map();
  /** Uses of a parameter whose gradient this backward pass still owes, by storage id. */
  #usesLeft = [];
  #waitingGradients = /* @__PURE__ */ new Map();
  constructor(tape, loss, shares) {
    this.#tape = tape;
    this.#loss = loss;
    this.#shares = shares;
  }
  microStep(held) {
    this.#moment = "the batch";
    const batch = this.#tape.batch;
    for (const storage of batch) this.#allocate(storage);
    for (const storage of [...held, ...batch]) this.#reference(storage, 1);
    for (const storage of this.#tape.cachedCasts) this.#reference(storage, 1);
    this.#forward(this.#tape.nodes, "forward");
    for (const storage of this.#tape.cachedCasts) {
      this.#reference(storage, -1);
      this.#releaseIfUnused(storage);
    }
    this.#moment = "backward of the loss";
    const seed = this.#newGradient(this.#loss);
    this.#shareGradient(seed);
    this.#deposit(this.#loss, seed);
    this.#usesLeft = usesOf(this.#tape.nodes);
    this.#backward(this.#tape.nodes);
    for (const storage of [...held, ...batch]) {
      this.#reference(storage, -1);
      this.#releaseIfUnused(storage);
    }
  }
  optimizerStep(optimizer, parameters) {
    this.#moment = OPTIMIZER_MOMENT;
    const { temporaries, temporariesLive } = optimizerRules[optimizer];
    const groups2 = parameters.map(
      (parameter) => temporaries(parameter).map((bytes3) => this.#tape.fixed(bytes3 * this.#shares.optimizerState, "temporaries"))
    );
    for (const group of temporariesLive === "together" ? [groups2.flat()] : groups2) {
      for (const temporary of group) this.#allocate(temporary);
      for (const temporary of group) this.#release(temporary);
    }
  }
  /** optimizer.zero_grad(set_to_none=True), the default. */
  releaseGradients() {
    for (const gradient of this.#parameterGradients.values()) this.#release(gradient);
    this.#parameterGradients.clear();
  }
  #forward(nodes, phase) {
    const saves = phase !== "forward without saving";
    for (const node of nodes)
      for (const storage of node.reads) this.#reads[storage.id] = this.#count(this.#reads, storage) + 1;
    for (const node of nodes) {
      this.#moment = `${phase === "recomputation" ? phase : "forward"} of ${node.name}`;
      if (node.body !== void 0) this.#forward(node.body, "forward without saving");
      else this.#compute(node);
      if (saves) for (const storage of node.saves) this.#reference(storage, 1);
      for (const storage of node.reads) {
        this.#reads[storage.id] = this.#count(this.#reads, storage) - 1;
        this.#releaseIfUnused(storage);
      }
      for (const storage of node.creates) this.#releaseIfUnused(storage);
    }
  }
  #compute(node) {
    for (const storage of node.creates) this.#allocate(storage);
    for (const storage of node.scratch) this.#allocate(storage);
    for (const storage of node.scratch) this.#release(storage);
  }
  #backward(nodes) {
    for (const node of nodes.toReversed()) {
      if (node.body !== void 0) this.#checkpointBackward(node, node.body);
      else this.#nodeBackward(node);
      for (const storage of node.saves) {
        this.#reference(storage, -1);
        this.#releaseIfUnused(storage);
      }
    }
  }
  #checkpointBackward(node, body) {
    this.#forward(body, "recomputation");
    this.#backward(body);
    for (const output of node.outputs) this.#releaseIfUnused(output.storage);
  }
  /** Incoming gradients, saved tensors and results live together until the node is done. */
  #nodeBackward(node) {
    this.#moment = `backward of ${node.name}`;
    const incoming = node.outputs.flatMap((output) => this.#takeGradient(output));
    if (incoming.length === 0) return;
    for (const storage of node.backwardScratch) this.#allocate(storage);
    const outgoing = node.gradients.map((edge) => {
      const passed = edge.passes ? incoming[0] : void 0;
      return { to: edge.to, gradient: passed ?? this.#newGradient(edge.to) };
    });
    for (const storage of node.backwardScratch) this.#release(storage);
    for (const { gradient } of outgoing) this.#shareGradient(gradient);
    for (const gradient of incoming) this.#dropGradient(gradient);
    for (const { to, gradient } of outgoing) this.#deposit(to, gradient);
  }
  #newGradient(of) {
    const kind = of.storage.persistent ? "gradients" : of.storage.kind === "logits" ? "logits" : "temporaries";
    const gradient = this.#tape.like(of, kind);
    this.#allocate(gradient);
    return gradient;
  }
  /** torch/csrc/autograd/input_buffer.cpp accumulate: in place when nobody else holds the earlier gradient. */
  #deposit(to, gradient) {
    if (to.storage.persistent) {
      this.#depositForParameter(to, gradient);
      return;
    }
    const key2 = to.edge;
    const earlier = this.#gradients.get(key2);
    if (earlier === void 0) {
      this.#gradients.set(key2, gradient);
      return;
    }
    if ((this.#gradientReferences.get(earlier) ?? 0) > 1) {
      const sum2 = this.#newGradient(to);
      this.#shareGradient(sum2);
      this.#gradients.set(key2, sum2);
      this.#dropGradient(earlier);
    }
    this.#dropGradient(gradient);
  }
  /**
   * A parameter's gradients wait for each other. torch: input_buffer.cpp can_accumulate_inplace: a linear layer's is the view of
   * a transposed product, so the sum with another is a new tensor, unless autocast has cast it in between.
   */
  #depositForParameter(to, gradient) {
    this.#gradientReferences.delete(gradient);
    const parameter = to.storage;
    const waiting = this.#waitingGradients.get(parameter);
    const usesLeft = this.#count(this.#usesLeft, parameter) - 1;
    this.#usesLeft[parameter.id] = usesLeft;
    let sum2 = waiting ?? gradient;
    if (waiting !== void 0) {
      if (this.#tape.autocastDtype === void 0) {
        sum2 = this.#newGradient(to);
        this.#release(waiting);
      }
      this.#release(gradient);
    }
    if (usesLeft > 0) {
      this.#waitingGradients.set(parameter, sum2);
      return;
    }
    this.#waitingGradients.delete(parameter);
    this.#accumulate(parameter, sum2);
  }
  /** AccumulateGrad: the first micro-step's gradient becomes `.grad`, later ones are added to it in place. */
  #accumulate(parameter, gradient) {
    const known2 = this.#parameterGradients.has(parameter);
    const kept = known2 || this.#shares.gradients === 1 ? gradient : share(gradient, this.#shares.gradients);
    if (kept !== gradient) this.#allocate(kept);
    if (known2 || kept !== gradient) this.#release(gradient);
    if (!known2) this.#parameterGradients.set(parameter, kept);
  }
  #takeGradient(of) {
    const key2 = of.edge;
    const gradient = this.#gradients.get(key2);
    if (gradient === void 0) return [];
    this.#gradients.delete(key2);
    return [gradient];
  }
  #shareGradient(gradient) {
    this.#gradientReferences.set(gradient, (this.#gradientReferences.get(gradient) ?? 0) + 1);
  }
  #dropGradient(gradient) {
    const references = (this.#gradientReferences.get(gradient) ?? 0) - 1;
    this.#gradientReferences.set(gradient, references);
    if (references <= 0) {
      this.#gradientReferences.delete(gradient);
      this.#release(gradient);
    }
  }
  #count(counts, storage) {
    return counts[storage.id] ?? 0;
  }
  #reference(storage, change2) {
    this.#references[storage.id] = this.#count(this.#references, storage) + change2;
  }
  #releaseIfUnused(storage) {
    const unused = this.#count(this.#reads, storage) === 0 && this.#count(this.#references, storage) === 0;
    if (unused && !storage.persistent && this.#live.has(storage)) this.#release(storage);
  }
  #allocate(storage) {
    if (this.#live.has(storage)) return;
    this.#live.add(storage);
    this.events.push({ kind: "allocate", storage, moment: this.#moment });
  }
  #release(storage) {
    this.#live.delete(storage);
    this.events.push({ kind: "release", storage, moment: this.#moment });
  }
};
function usesOf(nodes, uses = []) {
  for (const node of nodes) {
    if (node.body !== void 0) usesOf(node.body, uses);
    for (const { to } of node.gradients) if (to.storage.persistent) uses[to.storage.id] = (uses[to.storage.id] ?? 0) + 1;
  }
  return uses;
}

// engine/models/architecture.ts
import * as z13 from "zod";

// engine/models/bert.ts
import * as z3 from "zod";

// engine/models/schema.ts
import * as z2 from "zod";
var size = z2.number().int().min(1).max(1e7);
var probability = z2.number().min(0).max(1);

// engine/models/bert.ts
var encoder = z3.object({
  vocab_size: size.default(30522),
  hidden_size: size.default(768),
  num_hidden_layers: size.default(12),
  num_attention_heads: size.default(12),
  intermediate_size: size.default(3072),
  hidden_dropout_prob: probability.default(0.1),
  attention_probs_dropout_prob: probability.default(0.1),
  max_position_embeddings: size.default(512),
  type_vocab_size: size.default(2)
});
var bertConfig = encoder.extend({ model_type: z3.literal("bert") });
var robertaConfig = encoder.extend({
  model_type: z3.literal("roberta"),
  vocab_size: size.default(50265)
});
var distilbertConfig = z3.object({
  model_type: z3.literal("distilbert"),
  vocab_size: size.default(30522),
  dim: size.default(768),
  n_layers: size.default(6),
  n_heads: size.default(12),
  hidden_dim: size.default(3072),
  dropout: probability.default(0.1),
  attention_dropout: probability.default(0.1),
  seq_classif_dropout: probability.default(0.2),
  max_position_embeddings: size.default(512)
});
var ROBERTA_POSITION_OFFSET = 2;
function bert(ops, config, tokens, task, labels) {
  const hidden = encode(ops, config, tokens);
  if (task === "masked-lm") return bertLanguageHead(ops, config, hidden);
  return config.model_type === "roberta" ? robertaClassifier(ops, config, hidden, labels) : bertClassifier(ops, config, hidden, labels);
}
function encode(ops, config, tokens) {
  const { hidden_size: hidden, max_position_embeddings: positions } = config;
  ops.positionIds(positions);
  ops.positionIds(positions);
  const words = ops.embedding("embeddings.word_embeddings", ops.input, config.vocab_size, hidden);
  const types = ops.embedding("embeddings.token_type_embeddings", ops.input, config.type_vocab_size, hidden);
  const places = config.model_type === "roberta" ? ops.embedding("embeddings.position_embeddings", ops.input, positions, hidden) : ops.constantEmbedding("embeddings.position_embeddings", positions, hidden, tokens);
  const sum2 = ops.add(ops.add(words, types), places);
  let x = ops.dropout(ops.layerNorm("embeddings.LayerNorm", sum2), config.hidden_dropout_prob);
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => encoderLayer(ops, config, `encoder.layer.${index}`, input));
  }
  return x;
}
function encoderLayer(ops, config, name, x) {
  const [query, key2, value] = ["query", "key", "value"].map(
    (part) => ops.linear(`${name}.attention.self.${part}`, x, config.hidden_size)
  );
  const context = ops.attention(query, key2, value, {
    heads: config.num_attention_heads,
    causal: false,
    dropout: config.attention_probs_dropout_prob
  });
  const attended = residual(ops, config, `${name}.attention.output`, context, x);
  const widened = ops.gelu(ops.linear(`${name}.intermediate.dense`, attended, config.intermediate_size));
  return residual(ops, config, `${name}.output`, widened, attended);
}
function residual(ops, config, name, x, skip2) {
  return ops.frame(x, (input) => {
    const projected = ops.linear(`${name}.dense`, input, config.hidden_size);
    return ops.layerNorm(`${name}.LayerNorm`, ops.residual(ops.dropout(projected, config.hidden_dropout_prob), skip2));
  });
}
function bertClassifier(ops, config, hidden, labels) {
  const pooled = ops.tanh(ops.linear("pooler.dense", ops.firstToken(hidden), config.hidden_size));
  return ops.linear("classifier", ops.dropout(pooled, config.hidden_dropout_prob), labels);
}
function robertaClassifier(ops, config, hidden, labels) {
  const first = ops.dropout(ops.firstToken(hidden), config.hidden_dropout_prob);
  const dense = ops.tanh(ops.linear("classifier.dense", first, config.hidden_size));
  return ops.linear("classifier.out_proj", ops.dropout(dense, config.hidden_dropout_prob), labels);
}
function bertLanguageHead(ops, config, hidden) {
  const transformed = ops.gelu(ops.linear("cls.transform.dense", hidden, config.hidden_size));
  const normalised = ops.layerNorm("cls.transform.LayerNorm", transformed);
  return ops.linear("cls.decoder", normalised, config.vocab_size, { tiedTo: "embeddings.word_embeddings.weight" });
}
function distilbert(ops, config, tokens, task, labels) {
  const positions = config.max_position_embeddings;
  ops.positionIds(positions);
  const words = ops.embedding("embeddings.word_embeddings", ops.input, config.vocab_size, config.dim);
  const places = ops.constantEmbedding("embeddings.position_embeddings", positions, config.dim, tokens);
  let x = ops.dropout(ops.layerNorm("embeddings.LayerNorm", ops.add(words, places)), config.dropout);
  for (let index = 0; index < config.n_layers; index++) {
    x = ops.block(x, (input) => distilbertLayer(ops, config, `transformer.layer.${index}`, input));
  }
  if (task === "masked-lm") return distilbertLanguageHead(ops, config, x);
  const pooled = ops.relu(ops.linear("pre_classifier", ops.firstToken(x), config.dim));
  return ops.linear("classifier", ops.dropout(pooled, config.seq_classif_dropout), labels);
}
function distilbertLayer(ops, config, name, x) {
  const [query, key2, value] = ["q_lin", "k_lin", "v_lin"].map(
    (part) => ops.linear(`${name}.attention.${part}`, x, config.dim)
  );
  const context = ops.attention(query, key2, value, {
    heads: config.n_heads,
    causal: false,
    dropout: config.attention_dropout
  });
  const projected = ops.linear(`${name}.attention.out_lin`, context, config.dim);
  const attended = ops.layerNorm(`${name}.sa_layer_norm`, ops.residual(projected, x));
  const widened = ops.gelu(ops.linear(`${name}.ffn.lin1`, attended, config.hidden_dim));
  const narrowed = ops.dropout(ops.linear(`${name}.ffn.lin2`, widened, config.dim), config.dropout);
  return ops.layerNorm(`${name}.output_layer_norm`, ops.residual(narrowed, attended));
}
function distilbertLanguageHead(ops, config, hidden) {
  const transformed = ops.gelu(ops.linear("vocab_transform", hidden, config.dim));
  const normalised = ops.layerNorm("vocab_layer_norm", transformed);
  return ops.linear("vocab_projector", normalised, config.vocab_size, { tiedTo: "embeddings.word_embeddings.weight" });
}

// engine/models/convnext.ts
import * as z4 from "zod";
var convnextConfig = z4.object({
  model_type: z4.literal("convnext"),
  patch_size: size.default(4),
  hidden_sizes: z4.array(size).min(1).max(20).default([96, 192, 384, 768]),
  depths: z4.array(size).min(1).max(20).default([3, 3, 9, 3]),
  layer_scale_init_value: z4.number().default(1e-6),
  drop_path_rate: probability.default(0)
});
var EXPANSION = 4;
function convnext(ops, config, labels) {
  const { patch_size: patch, hidden_sizes: sizes } = config;
  const [channels = 0] = sizes;
  const stem = { kernel: patch, stride: patch, padding: 0, bias: true };
  const patches = ops.conv2d("embeddings.patch_embeddings", ops.input, channels, stem);
  const embedded = imageNorm(ops, "embeddings.layernorm", patches);
  const encoded = ops.frame(embedded, (input) => encode2(ops, config, input));
  return ops.linear("classifier", ops.layerNorm("layernorm", ops.globalAveragePool(encoded)), labels);
}
function encode2(ops, config, embedded) {
  const { hidden_sizes: sizes, depths, drop_path_rate: lastRate } = config;
  const lastIndex = depths.reduce((sum2, depth) => sum2 + depth, 0) - 1;
  let x = embedded;
  let layersBefore = 0;
  sizes.forEach((channels, stage) => {
    const name = `encoder.stages.${stage}`;
    if (stage > 0) x = downsample(ops, `${name}.downsampling_layer`, x, channels);
    for (let index = 0; index < (depths[stage] ?? 0); index++) {
      const dropRate = lastIndex === 0 ? 0 : lastRate * layersBefore++ / lastIndex;
      x = ops.block(x, (input) => layer(ops, config, `${name}.layers.${index}`, input, { channels, dropRate }));
    }
  });
  return x;
}
function downsample(ops, name, x, channels) {
  const halving = { kernel: 2, stride: 2, padding: 0, bias: true };
  return ops.conv2d(`${name}.1`, imageNorm(ops, `${name}.0`, x), channels, halving);
}
function layer(ops, config, name, x, { channels, dropRate }) {
  const depthwise = { kernel: 7, stride: 1, bias: true, groups: channels };
  const filtered = ops.channelsLast(ops.conv2d(`${name}.dwconv`, x, channels, depthwise));
  const widened = ops.linear(`${name}.pwconv1`, ops.layerNorm(`${name}.layernorm`, filtered), EXPANSION * channels);
  const narrowed = ops.linear(`${name}.pwconv2`, ops.gelu(widened), channels);
  const isScaled = config.layer_scale_init_value > 0;
  const scaled2 = isScaled ? ops.layerScale(`${name}.layer_scale_parameter`, narrowed) : narrowed;
  return ops.residual(ops.dropPath(ops.channelsFirst(scaled2), dropRate), x);
}
function imageNorm(ops, name, x) {
  return ops.channelsFirst(ops.layerNorm(name, ops.channelsLast(x)));
}

// engine/models/decoder.ts
import * as z5 from "zod";
var decoder = z5.object({
  vocab_size: size,
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  num_key_value_heads: size.nullish(),
  head_dim: size.nullish(),
  max_position_embeddings: size,
  tie_word_embeddings: z5.boolean().default(false),
  attention_dropout: probability.default(0),
  /** Tokens that sliding-window layers look back. */
  sliding_window: size.nullish()
});
var llamaConfig = decoder.extend({
  model_type: z5.literal("llama"),
  attention_bias: z5.boolean().default(false),
  mlp_bias: z5.boolean().default(false)
});
var mistralConfig = decoder.extend({ model_type: z5.literal("mistral") });
var qwen2Config = decoder.extend({
  model_type: z5.literal("qwen2"),
  use_sliding_window: z5.boolean().default(false)
});
var qwen3Config = decoder.extend({
  model_type: z5.literal("qwen3"),
  attention_bias: z5.boolean().default(false),
  use_sliding_window: z5.boolean().default(false)
});
var gemmaTied = { tie_word_embeddings: z5.boolean().default(true) };
var gemmaConfig = decoder.extend({ model_type: z5.literal("gemma"), ...gemmaTied });
var gemma2Config = decoder.extend({
  model_type: z5.literal("gemma2"),
  ...gemmaTied,
  final_logit_softcapping: z5.number().nullish().default(30)
});
var gemma3Config = decoder.extend({
  model_type: z5.literal("gemma3_text"),
  ...gemmaTied,
  sliding_window_pattern: size.default(6)
});
var phi3Config = decoder.extend({
  model_type: z5.literal("phi3"),
  resid_pdrop: probability.default(0),
  partial_rotary_factor: z5.number().min(0).max(1).default(1)
});
var plain = {
  queryBias: false,
  outputBias: false,
  feedForwardBias: false,
  normsHeads: false,
  normsResults: false,
  isGemma: false,
  fusesProjections: false,
  slides: () => true
};
function traitsOf(config) {
  switch (config.model_type) {
    case "llama": {
      const bias = config.attention_bias;
      return { ...plain, queryBias: bias, outputBias: bias, feedForwardBias: config.mlp_bias };
    }
    case "mistral":
      return plain;
    case "qwen2":
      return { ...plain, queryBias: true, slides: () => config.use_sliding_window };
    case "qwen3": {
      const bias = config.attention_bias;
      return {
        ...plain,
        queryBias: bias,
        outputBias: bias,
        normsHeads: true,
        slides: () => config.use_sliding_window
      };
    }
    case "gemma":
      return { ...plain, isGemma: true };
    case "gemma2":
      return { ...plain, isGemma: true, normsResults: true, slides: (index) => index % 2 === 0 };
    case "gemma3_text": {
      const slides = (index) => (index + 1) % config.sliding_window_pattern !== 0;
      return { ...plain, isGemma: true, normsResults: true, normsHeads: true, slides };
    }
    case "phi3":
      return { ...plain, fusesProjections: true };
  }
}
function decoderModel(ops, config, task, labels) {
  const traits = traitsOf(config);
  const words = ops.embedding("model.embed_tokens", ops.input, config.vocab_size, config.hidden_size);
  let x = traits.isGemma ? ops.scale(words) : words;
  const rotated = config.model_type === "phi3" ? config.partial_rotary_factor : 1;
  const newTable = () => ops.rotaryTable(x, Math.floor(headSize(config) * rotated));
  const table2 = newTable();
  const slidingTable = config.model_type === "gemma3_text" ? newTable() : table2;
  for (let index = 0; index < config.num_hidden_layers; index++) {
    const window = traits.slides(index) ? config.sliding_window ?? void 0 : void 0;
    const shape = { config, traits, window, table: traits.slides(index) ? slidingTable : table2 };
    x = ops.block(x, (input) => layer2(ops, { ...shape, name: `model.layers.${index}` }, input));
  }
  const hidden = norm(ops, config, traits, "model.norm", x);
  if (task !== "causal-lm") return ops.lastToken(ops.linear("score", hidden, labels, { bias: false }));
  const tied2 = config.tie_word_embeddings ? { tiedTo: "model.embed_tokens.weight" } : {};
  const logits = ops.linear("lm_head", hidden, config.vocab_size, { bias: false, ...tied2 });
  return config.model_type === "gemma2" && config.final_logit_softcapping ? ops.softcap(logits) : logits;
}
function layer2(ops, { config, traits, name, table: table2, window }, x) {
  const dropout = config.model_type === "phi3" ? config.resid_pdrop : 0;
  const after = (part, result) => traits.normsResults ? norm(ops, config, traits, `${name}.${part}`, result) : result;
  const normalised = norm(ops, config, traits, `${name}.input_layernorm`, x);
  const self = { config, traits, name: `${name}.self_attn`, table: table2, window };
  const context = ops.frame(normalised, (input) => attention(ops, self, input));
  const attended = ops.residual(ops.dropout(after("post_attention_layernorm", context), dropout), x);
  const before = traits.normsResults ? "pre_feedforward_layernorm" : "post_attention_layernorm";
  const normed = norm(ops, config, traits, `${name}.${before}`, attended);
  const fed = ops.frame(normed, (input) => feedForward(ops, config, traits, `${name}.mlp`, input));
  return ops.residual(ops.dropout(after("post_feedforward_layernorm", fed), dropout), attended);
}
function attention(ops, { config, traits, name, table: table2, window }, x) {
  const heads = config.num_attention_heads;
  const keyValueHeads = config.num_key_value_heads ?? heads;
  const [query, key2, value] = projections(ops, config, traits, name, x);
  const headNorm = (part, states) => traits.normsHeads ? ops.rmsNorm(`${name}.${part}`, states, { size: headSize(config), scalesInFloat32: traits.isGemma }) : states;
  const q = ops.rotary(headNorm("q_norm", query), table2, heads);
  const k = ops.rotary(headNorm("k_norm", key2), table2, keyValueHeads);
  const context = ops.attention(q, ops.cached(k), ops.cached(value), {
    heads,
    keyValueHeads,
    causal: true,
    dropout: config.attention_dropout,
    window,
    castsSoftmax: true
  });
  return ops.linear(`${name}.o_proj`, context, config.hidden_size, { bias: traits.outputBias });
}
function projections(ops, config, traits, name, x) {
  const querySize = config.num_attention_heads * headSize(config);
  const keySize = (config.num_key_value_heads ?? config.num_attention_heads) * headSize(config);
  if (traits.fusesProjections) {
    const joined = ops.linear(`${name}.qkv_proj`, x, querySize + 2 * keySize, { bias: false });
    return ops.slices(joined, [querySize, keySize, keySize]);
  }
  const project = (part, features) => ops.linear(`${name}.${part}`, x, features, { bias: traits.queryBias });
  return [project("q_proj", querySize), project("k_proj", keySize), project("v_proj", keySize)];
}
function feedForward(ops, config, traits, name, x) {
  const { intermediate_size: inner, hidden_size: hidden } = config;
  const bias = { bias: traits.feedForwardBias };
  if (traits.fusesProjections) {
    const joined = ops.linear(`${name}.gate_up_proj`, x, 2 * inner, bias);
    const [gate2, up] = ops.split(joined, [inner, inner]);
    return ops.linear(`${name}.down_proj`, ops.multiply(up, ops.silu(gate2)), hidden, bias);
  }
  const gate = ops.linear(`${name}.gate_proj`, x, inner, bias);
  const activated = traits.isGemma ? ops.gelu(gate) : ops.silu(gate);
  const product = ops.multiply(activated, ops.linear(`${name}.up_proj`, x, inner, bias));
  return ops.linear(`${name}.down_proj`, product, hidden, bias);
}
function norm(ops, config, traits, name, x) {
  return ops.rmsNorm(name, x, { size: config.hidden_size, scalesInFloat32: traits.isGemma });
}
function headSize(config) {
  return config.head_dim ?? config.hidden_size / config.num_attention_heads;
}

// engine/models/falcon.ts
import * as z6 from "zod";
var falconConfig = z6.object({
  model_type: z6.literal("falcon"),
  vocab_size: size.default(65024),
  hidden_size: size.default(4544),
  num_hidden_layers: size.default(32),
  num_attention_heads: size.default(71),
  /** Of the 40B's architecture; the 7B has one key and value head. */
  num_kv_heads: size.nullish(),
  max_position_embeddings: size.default(2048),
  ffn_hidden_size: size.nullish(),
  hidden_dropout: probability.default(0),
  attention_dropout: probability.default(0),
  bias: z6.boolean().default(false),
  new_decoder_architecture: z6.boolean().default(false),
  num_ln_in_parallel_attn: z6.number().nullish(),
  tie_word_embeddings: z6.boolean().default(true),
  // The Falcon-RW models have ALiBi instead of rotary positions, and attention before the feed-forward.
  alibi: z6.literal(false, { error: "Falcon with ALiBi (the RW models) is not supported" }).default(false),
  parallel_attn: z6.literal(true, { error: "Falcon without parallel attention is not supported" }).default(true),
  multi_query: z6.literal(true, { error: "Falcon without multi-query attention is not supported" }).default(true)
});
function falconLinear(ops, config, name, x, outFeatures) {
  return ops.linear(name, x, outFeatures, { bias: config.bias, composed: true });
}
function falcon(ops, config, task, labels) {
  const { hidden_size: hidden, num_attention_heads: heads } = config;
  let x = ops.embedding("transformer.word_embeddings", ops.input, config.vocab_size, hidden);
  const table2 = ops.rotaryTable(x, hidden / heads);
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => layer3(ops, config, `transformer.h.${index}`, table2, input));
  }
  const output = ops.layerNorm("transformer.ln_f", x);
  if (task !== "causal-lm") return ops.lastToken(ops.linear("score", output, labels, { bias: false }));
  const tied2 = config.tie_word_embeddings ? { tiedTo: "transformer.word_embeddings.weight" } : {};
  return ops.linear("lm_head", output, config.vocab_size, { bias: false, ...tied2 });
}
function layer3(ops, config, name, table2, x) {
  const normsTwice = config.new_decoder_architecture && (config.num_ln_in_parallel_attn ?? 2) === 2;
  const normalised = ops.layerNorm(`${name}.${normsTwice ? "ln_attn" : "input_layernorm"}`, x);
  const forFeeding = normsTwice ? ops.layerNorm(`${name}.ln_mlp`, x) : normalised;
  const attended = ops.frame(normalised, (input) => attention2(ops, config, `${name}.self_attention`, table2, input));
  const fed = ops.frame(forFeeding, (input) => feedForward2(ops, config, `${name}.mlp`, input));
  return ops.residual(ops.dropout(ops.residual(fed, attended, { inPlace: true }), config.hidden_dropout), x);
}
function attention2(ops, config, name, table2, x) {
  const { hidden_size: hidden, num_attention_heads: heads } = config;
  const [query, key2, value] = projections2(ops, config, `${name}.query_key_value`, x);
  const keyValueHeads = config.new_decoder_architecture ? heads : 1;
  const context = ops.attention(
    ops.rotary(query, table2, heads),
    ops.cached(ops.rotary(key2, table2, keyValueHeads)),
    ops.cached(value),
    { heads, keyValueHeads, causal: true, dropout: 0, isAlwaysMasked: true, broadcastsHeads: true }
  );
  return falconLinear(ops, config, `${name}.dense`, context, hidden);
}
function projections2(ops, config, name, x) {
  const { hidden_size: hidden, num_attention_heads: heads, new_decoder_architecture: isGrouped } = config;
  const headSize2 = hidden / heads;
  const keyValueHeads = isGrouped ? config.num_kv_heads ?? heads : 1;
  const keySize = keyValueHeads * headSize2;
  const joined = falconLinear(ops, config, name, x, hidden + 2 * keySize);
  const [query, key2, value] = ops.slices(joined, [hidden, keySize, keySize]);
  const gathered = [key2, value].map((part) => ops.gathered(part));
  if (!isGrouped) return [query, ...gathered];
  const repeated2 = gathered.map((part) => ops.repeatHeads(part, heads / keyValueHeads, keyValueHeads));
  return [ops.gathered(query), ...repeated2];
}
function feedForward2(ops, config, name, x) {
  const inner = config.ffn_hidden_size ?? 4 * config.hidden_size;
  const widened = ops.gelu(falconLinear(ops, config, `${name}.dense_h_to_4h`, x, inner));
  return falconLinear(ops, config, `${name}.dense_4h_to_h`, widened, config.hidden_size);
}

// engine/models/gpt2.ts
import * as z7 from "zod";
var gpt2Config = z7.object({
  model_type: z7.literal("gpt2"),
  vocab_size: size.default(50257),
  n_positions: size.default(1024),
  n_embd: size.default(768),
  n_layer: size.default(12),
  n_head: size.default(12),
  n_inner: size.nullish(),
  resid_pdrop: probability.default(0.1),
  embd_pdrop: probability.default(0.1),
  attn_pdrop: probability.default(0.1)
});
function gpt2(ops, config, tokens, task, labels) {
  const words = ops.embedding("transformer.wte", ops.input, config.vocab_size, config.n_embd);
  const places = ops.constantEmbedding("transformer.wpe", config.n_positions, config.n_embd, tokens);
  let x = ops.dropout(ops.add(words, places), config.embd_pdrop);
  for (let index = 0; index < config.n_layer; index++) {
    x = ops.block(x, (input) => block(ops, config, `transformer.h.${index}`, input));
  }
  const hidden = ops.layerNorm("transformer.ln_f", x);
  return task === "causal-lm" ? ops.linear("lm_head", hidden, config.vocab_size, { bias: false, tiedTo: "transformer.wte.weight" }) : ops.lastToken(ops.linear("score", hidden, labels, { bias: false }));
}
function block(ops, config, name, x) {
  const { n_embd: hidden, n_inner: inner, resid_pdrop: dropout } = config;
  const joined = ops.linear(`${name}.attn.c_attn`, ops.layerNorm(`${name}.ln_1`, x), 3 * hidden);
  const [query, key2, value] = ops.split(joined, [hidden, hidden, hidden]);
  const context = ops.attention(query, ops.cached(key2), ops.cached(value), {
    heads: config.n_head,
    causal: true,
    dropout: config.attn_pdrop
  });
  const attended = ops.residual(ops.dropout(ops.linear(`${name}.attn.c_proj`, context, hidden), dropout), x);
  const normalised = ops.layerNorm(`${name}.ln_2`, attended);
  const widened = ops.geluNew(ops.linear(`${name}.mlp.c_fc`, normalised, inner ?? 4 * hidden));
  return ops.residual(attended, ops.dropout(ops.linear(`${name}.mlp.c_proj`, widened, hidden), dropout));
}

// engine/models/opt.ts
import * as z8 from "zod";
var optConfig = z8.object({
  model_type: z8.literal("opt"),
  vocab_size: size,
  hidden_size: size,
  ffn_dim: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  max_position_embeddings: size.default(2048),
  /** Narrower than `hidden_size` in OPT-350M, which projects in and out. */
  word_embed_proj_dim: size.nullish(),
  /** False in OPT-350M: norms come after the residual sums. */
  do_layer_norm_before: z8.boolean().default(true),
  dropout: probability.default(0.1),
  attention_dropout: probability.default(0)
});
var POSITION_OFFSET = 2;
function opt(ops, config, task, labels) {
  const { hidden_size: hidden, max_position_embeddings: positions } = config;
  const embedded = config.word_embed_proj_dim ?? hidden;
  const projects = embedded !== hidden;
  const words = ops.embedding("model.decoder.embed_tokens", ops.input, config.vocab_size, embedded);
  const places = ops.embedding("model.decoder.embed_positions", ops.input, positions + POSITION_OFFSET, hidden);
  const narrow = { bias: false };
  let x = ops.add(projects ? ops.linear("model.decoder.project_in", words, hidden, narrow) : words, places);
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => layer4(ops, config, `model.decoder.layers.${index}`, input));
  }
  const normalised = config.do_layer_norm_before ? ops.layerNorm("model.decoder.final_layer_norm", x) : x;
  const output = projects ? ops.linear("model.decoder.project_out", normalised, embedded, narrow) : normalised;
  return task === "causal-lm" ? ops.linear("lm_head", output, config.vocab_size, { bias: false, tiedTo: "model.decoder.embed_tokens.weight" }) : ops.lastToken(ops.linear("score", output, labels, narrow));
}
function layer4(ops, config, name, x) {
  const { hidden_size: hidden, do_layer_norm_before: normsBefore, dropout } = config;
  const before = (part, states) => normsBefore ? ops.layerNorm(`${name}.${part}`, states) : states;
  const after = (part, states) => normsBefore ? states : ops.layerNorm(`${name}.${part}`, states);
  const normalised = before("self_attn_layer_norm", x);
  const [query, key2, value] = ["q_proj", "k_proj", "v_proj"].map(
    (part) => ops.linear(`${name}.self_attn.${part}`, normalised, hidden)
  );
  const shape = {
    heads: config.num_attention_heads,
    causal: true,
    dropout: config.attention_dropout,
    castsSoftmax: true
  };
  const context = ops.attention(ops.scale(query), ops.cached(key2), ops.cached(value), shape);
  const projected = ops.dropout(ops.linear(`${name}.self_attn.out_proj`, context, hidden), dropout);
  const attended = after("self_attn_layer_norm", ops.residual(projected, x));
  const widened = ops.relu(ops.linear(`${name}.fc1`, before("final_layer_norm", attended), config.ffn_dim));
  const fed = ops.dropout(ops.linear(`${name}.fc2`, widened, hidden), dropout);
  return after("final_layer_norm", ops.residual(fed, attended));
}

// engine/models/parallel-decoder.ts
import * as z9 from "zod";
var gptNeoxConfig = z9.object({
  model_type: z9.literal("gpt_neox"),
  vocab_size: size,
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  max_position_embeddings: size,
  rotary_pct: z9.number().min(0).max(1).default(0.25),
  hidden_dropout: probability.default(0),
  attention_dropout: probability.default(0),
  use_parallel_residual: z9.boolean().default(true),
  tie_word_embeddings: z9.boolean().default(false)
});
var phiConfig = z9.object({
  model_type: z9.literal("phi"),
  vocab_size: size,
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  max_position_embeddings: size,
  partial_rotary_factor: z9.number().min(0).max(1).default(0.5),
  resid_pdrop: probability.default(0),
  embd_pdrop: probability.default(0),
  attention_dropout: probability.default(0)
});
function gptNeox(ops, config, task, labels) {
  const { hidden_size: hidden, num_attention_heads: heads, hidden_dropout: dropout } = config;
  const words = ops.embedding("gpt_neox.embed_in", ops.input, config.vocab_size, hidden);
  let x = ops.dropout(words, dropout);
  const table2 = ops.rotaryTable(x, Math.floor(hidden / heads * config.rotary_pct));
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => neoxLayer(ops, config, `gpt_neox.layers.${index}`, table2, input));
  }
  const output = ops.layerNorm("gpt_neox.final_layer_norm", x);
  if (task !== "causal-lm") return ops.lastToken(ops.linear("score", output, labels, { bias: false }));
  const tied2 = config.tie_word_embeddings ? { tiedTo: "gpt_neox.embed_in.weight" } : {};
  return ops.linear("embed_out", output, config.vocab_size, { bias: false, ...tied2 });
}
function neoxLayer(ops, config, name, table2, x) {
  const { hidden_size: hidden, num_attention_heads: heads, hidden_dropout: dropout } = config;
  const normalised = ops.layerNorm(`${name}.input_layernorm`, x);
  const joined = ops.linear(`${name}.attention.query_key_value`, normalised, 3 * hidden);
  const [query, key2, value] = ops.split(joined, [hidden, hidden, hidden]);
  const [q, k] = [query, key2].map((states) => ops.rotary(states, table2, heads));
  const shape = { heads, causal: true, dropout: config.attention_dropout, castsSoftmax: true };
  const context = ops.attention(q, ops.cached(k), ops.cached(value), shape);
  const attended = ops.dropout(ops.linear(`${name}.attention.dense`, context, hidden), dropout);
  if (!config.use_parallel_residual) {
    const sum2 = ops.residual(attended, x);
    return ops.residual(ops.dropout(neoxFeedForward(ops, config, name, sum2), dropout), sum2);
  }
  const fed = ops.dropout(neoxFeedForward(ops, config, name, x), dropout);
  return ops.residual(ops.residual(fed, attended), x);
}
function neoxFeedForward(ops, config, name, x) {
  const normalised = ops.layerNorm(`${name}.post_attention_layernorm`, x);
  const widened = ops.gelu(ops.linear(`${name}.mlp.dense_h_to_4h`, normalised, config.intermediate_size));
  return ops.linear(`${name}.mlp.dense_4h_to_h`, widened, config.hidden_size);
}
function phi(ops, config, task, labels) {
  const { hidden_size: hidden, num_attention_heads: heads } = config;
  const words = ops.embedding("model.embed_tokens", ops.input, config.vocab_size, hidden);
  let x = ops.dropout(words, config.embd_pdrop);
  const table2 = ops.rotaryTable(x, Math.floor(hidden / heads * config.partial_rotary_factor));
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => phiLayer(ops, config, `model.layers.${index}`, table2, input));
  }
  const output = ops.layerNorm("model.final_layernorm", x);
  return task === "causal-lm" ? ops.linear("lm_head", output, config.vocab_size) : ops.lastToken(ops.linear("score", output, labels, { bias: false }));
}
function phiLayer(ops, config, name, table2, x) {
  const { hidden_size: hidden, num_attention_heads: heads, resid_pdrop: dropout } = config;
  const normalised = ops.layerNorm(`${name}.input_layernorm`, x);
  const [query, key2, value] = ["q_proj", "k_proj", "v_proj"].map(
    (part) => ops.linear(`${name}.self_attn.${part}`, normalised, hidden)
  );
  const [q, k] = [query, key2].map((states) => ops.rotary(states, table2, heads));
  const shape = { heads, causal: true, dropout: config.attention_dropout, castsSoftmax: true };
  const context = ops.attention(q, ops.cached(k), ops.cached(value), shape);
  const attended = ops.dropout(ops.linear(`${name}.self_attn.dense`, context, hidden), dropout);
  const widened = ops.geluNew(ops.linear(`${name}.mlp.fc1`, normalised, config.intermediate_size));
  const fed = ops.dropout(ops.linear(`${name}.mlp.fc2`, widened, hidden), dropout);
  return ops.residual(ops.residual(attended, fed), x);
}

// engine/models/resnet.ts
import * as z10 from "zod";
var resnetConfig = z10.object({
  model_type: z10.literal("resnet"),
  embedding_size: size.default(64),
  hidden_sizes: z10.array(size).min(1).max(20).default([256, 512, 1024, 2048]),
  depths: z10.array(size).min(1).max(20).default([3, 4, 6, 3]),
  layer_type: z10.enum(["basic", "bottleneck"]).default("bottleneck"),
  downsample_in_first_stage: z10.boolean().default(false),
  downsample_in_bottleneck: z10.boolean().default(false)
});
var REDUCTION = 4;
function resnet(ops, config, labels) {
  const stem = convolution(ops, "embedder", ops.input, config.embedding_size, { kernel: 7, stride: 2 });
  let x = ops.maxPool(ops.relu(stem), { kernel: 3, stride: 2, padding: 1 });
  let channels = config.embedding_size;
  config.hidden_sizes.forEach((outChannels, stage) => {
    for (let layer6 = 0; layer6 < (config.depths[stage] ?? 0); layer6++) {
      const downsamples = layer6 === 0 && (stage > 0 || config.downsample_in_first_stage);
      const shape = { channels, outChannels, stride: downsamples ? 2 : 1 };
      x = residualLayer(ops, config, `stages.${stage}.layers.${layer6}`, x, shape);
      channels = outChannels;
    }
  });
  return ops.linear("classifier", ops.globalAveragePool(x), labels);
}
function residualLayer(ops, config, name, x, shape) {
  const { channels, outChannels, stride } = shape;
  const inner = config.layer_type === "basic" ? basic(ops, name, x, shape) : bottleneck(ops, config, name, x, shape);
  const projects = channels !== outChannels || stride !== 1;
  const skip2 = projects ? convolution(ops, `${name}.shortcut`, x, outChannels, { kernel: 1, stride }) : x;
  return ops.relu(ops.residual(inner, skip2, { inPlace: true }));
}
function basic(ops, name, x, { outChannels, stride }) {
  const first = ops.relu(convolution(ops, `${name}.0`, x, outChannels, { kernel: 3, stride }));
  return convolution(ops, `${name}.1`, first, outChannels, { kernel: 3, stride: 1 });
}
function bottleneck(ops, config, name, x, shape) {
  const { outChannels, stride } = shape;
  const inside = outChannels / REDUCTION;
  const [firstStride, secondStride] = config.downsample_in_bottleneck ? [stride, 1] : [1, stride];
  const narrowed = ops.relu(convolution(ops, `${name}.0`, x, inside, { kernel: 1, stride: firstStride }));
  const filtered = ops.relu(convolution(ops, `${name}.1`, narrowed, inside, { kernel: 3, stride: secondStride }));
  return convolution(ops, `${name}.2`, filtered, outChannels, { kernel: 1, stride: 1 });
}
function convolution(ops, name, x, outChannels, options) {
  return ops.batchNorm(`${name}.normalization`, ops.conv2d(`${name}.convolution`, x, outChannels, options));
}

// engine/models/t5.ts
import * as z11 from "zod";
var t5Config = z11.object({
  model_type: z11.literal("t5"),
  vocab_size: size.default(32128),
  d_model: size.default(512),
  /** Of one head; all heads together may be narrower or wider than `d_model`. */
  d_kv: size.default(64),
  d_ff: size.default(2048),
  num_layers: size.default(6),
  num_decoder_layers: size.nullish(),
  num_heads: size.default(8),
  relative_attention_num_buckets: size.default(32),
  dropout_rate: probability.default(0.1),
  feed_forward_proj: z11.enum(["relu", "gated-gelu"]).default("relu"),
  /** False from T5 1.1 on. transformers ties the weights all the same, and scales the decoder's output only when true. */
  tie_word_embeddings: z11.boolean().default(true),
  /** Tokens of the pre-training; relative positions set no limit. */
  n_positions: size.default(512)
});
var WORDS = "shared.weight";
function t5(ops, config, tokens, targetTokens) {
  const encoder2 = { config, name: "encoder", ids: ops.input, tokens, layers: config.num_layers };
  const encoded = runStack(ops, encoder2);
  const decoded = runStack(ops, {
    config,
    name: "decoder",
    ids: ops.shiftedLabels(),
    tokens: targetTokens,
    layers: config.num_decoder_layers ?? config.num_layers,
    source: { encoded, tokens }
  });
  const output = config.tie_word_embeddings ? ops.scale(decoded) : decoded;
  return ops.linear("lm_head", output, config.vocab_size, { bias: false, tiedTo: WORDS });
}
function runStack(ops, { config, name, ids, tokens, layers, source }) {
  const { num_heads: heads, relative_attention_num_buckets: buckets, dropout_rate: dropout } = config;
  const words = ops.embedding("shared", ids, config.vocab_size, config.d_model);
  const table2 = `${name}.block.0.layer.0.SelfAttention.relative_attention_bias`;
  const bias = ops.relativePositionBias(table2, buckets, heads, tokens);
  const sourceBias = source && ops.zeroPositionBias(heads, tokens, source.tokens);
  const shared = [bias, ...source ? [source.encoded] : [], ...sourceBias ? [sourceBias] : []];
  let x = ops.dropout(words, dropout);
  for (let index = 0; index < layers; index++) {
    const block2 = `${name}.block.${index}`;
    x = ops.block(
      x,
      (input) => {
        const causal = source !== void 0;
        const attended = selfAttention(ops, config, `${block2}.layer.0`, input, { causal, bias });
        const joined = source && sourceBias ? crossAttention(ops, config, `${block2}.layer.1`, attended, source.encoded, sourceBias) : attended;
        return feedForward3(ops, config, `${block2}.layer.${source ? 2 : 1}`, joined);
      },
      shared
    );
  }
  return ops.dropout(norm2(ops, config, `${name}.final_layer_norm`, x), dropout);
}
function selfAttention(ops, config, name, x, { causal, bias }) {
  return sublayer(
    ops,
    config,
    name,
    x,
    (normalised) => attention3(ops, config, `${name}.SelfAttention`, normalised, normalised, { causal, caches: causal, bias })
  );
}
function crossAttention(ops, config, name, x, source, bias) {
  return sublayer(
    ops,
    config,
    name,
    x,
    (normalised) => attention3(ops, config, `${name}.EncDecAttention`, normalised, source, { causal: false, caches: true, bias })
  );
}
function sublayer(ops, config, name, x, body) {
  return ops.frame(x, (input) => {
    const result = ops.frame(norm2(ops, config, `${name}.layer_norm`, input), body);
    return ops.residual(ops.dropout(result, config.dropout_rate), input);
  });
}
function attention3(ops, config, name, x, source, { causal, caches, bias }) {
  const { num_heads: heads, d_kv: headSize2, dropout_rate: dropout } = config;
  const project = (part, from) => ops.linear(`${name}.${part}`, from, heads * headSize2, { bias: false });
  const [query, key2, value] = [project("q", x), project("k", source), project("v", source)];
  const [k, v] = caches ? [ops.cached(key2), ops.cached(value)] : [key2, value];
  const shape = { heads, causal, dropout };
  return ops.linear(`${name}.o`, ops.attention(query, k, v, shape, bias), config.d_model, { bias: false });
}
function feedForward3(ops, config, name, x) {
  const module = `${name}.DenseReluDense`;
  return sublayer(ops, config, name, x, (normalised) => {
    const widen = (part) => ops.linear(`${module}.${part}`, normalised, config.d_ff, { bias: false });
    const widened = config.feed_forward_proj === "relu" ? ops.relu(widen("wi")) : ops.multiply(ops.geluNew(widen("wi_0")), widen("wi_1"));
    const dropped = ops.dropout(widened, config.dropout_rate);
    return ops.linear(`${module}.wo`, dropped, config.d_model, { bias: false, castsInput: true });
  });
}
function norm2(ops, config, name, x) {
  return ops.rmsNorm(name, x, { size: config.d_model, scalesInFloat32: false, scalesInput: true });
}

// engine/models/vit.ts
import * as z12 from "zod";
var visionEncoder = z12.object({
  hidden_size: size.default(768),
  num_hidden_layers: size.default(12),
  num_attention_heads: size.default(12),
  intermediate_size: size.default(3072),
  hidden_dropout_prob: probability.default(0),
  attention_probs_dropout_prob: probability.default(0),
  /** Pixels of the side that the position table was made for. */
  image_size: size.default(224),
  patch_size: size.default(16),
  qkv_bias: z12.boolean().default(true)
});
var vitConfig = visionEncoder.extend({ model_type: z12.literal("vit") });
var deitConfig = visionEncoder.extend({ model_type: z12.literal("deit") });
function vit(ops, config, labels) {
  const { hidden_size: hidden, patch_size: patch } = config;
  const convolution2 = { kernel: patch, stride: patch, padding: 0, bias: true };
  const patches = ops.flattenPixels(
    ops.conv2d("embeddings.patch_embeddings.projection", ops.input, hidden, convolution2)
  );
  const special = config.model_type === "deit" ? ["cls_token", "distillation_token"] : ["cls_token"];
  const tokens = ops.prependTokens(
    special.map((name) => `embeddings.${name}`),
    patches
  );
  const positions = special.length + Math.floor(config.image_size / patch) ** 2;
  const embedded = ops.addPositions("embeddings.position_embeddings", tokens, positions);
  let x = ops.dropout(embedded, config.hidden_dropout_prob);
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => layer5(ops, config, `layers.${index}`, input));
  }
  return ops.linear("classifier", ops.firstToken(ops.layerNorm("layernorm", x)), labels);
}
function layer5(ops, config, name, x) {
  const normalised = ops.layerNorm(`${name}.layernorm_before`, x);
  const context = ops.frame(normalised, (input) => attention4(ops, config, `${name}.attention`, input));
  const attended = ops.residual(ops.dropout(context, config.hidden_dropout_prob), x);
  const normed = ops.layerNorm(`${name}.layernorm_after`, attended);
  const fed = ops.frame(normed, (input) => feedForward4(ops, config, `${name}.mlp`, input));
  return ops.residual(ops.dropout(fed, config.hidden_dropout_prob), attended);
}
function attention4(ops, config, name, x) {
  const [query, key2, value] = ["q_proj", "k_proj", "v_proj"].map(
    (part) => ops.linear(`${name}.${part}`, x, config.hidden_size, { bias: config.qkv_bias })
  );
  const context = ops.attention(query, key2, value, {
    heads: config.num_attention_heads,
    causal: false,
    dropout: config.attention_probs_dropout_prob,
    castsSoftmax: true
  });
  return ops.linear(`${name}.o_proj`, context, config.hidden_size);
}
function feedForward4(ops, config, name, x) {
  const widened = ops.gelu(ops.linear(`${name}.fc1`, x, config.intermediate_size));
  return ops.linear(`${name}.fc2`, widened, config.hidden_size);
}

// engine/models/architecture.ts
var modelConfig = z13.discriminatedUnion("model_type", [
  bertConfig,
  robertaConfig,
  distilbertConfig,
  gpt2Config,
  llamaConfig,
  mistralConfig,
  qwen2Config,
  qwen3Config,
  gemmaConfig,
  gemma2Config,
  gemma3Config,
  phi3Config,
  phiConfig,
  gptNeoxConfig,
  optConfig,
  falconConfig,
  t5Config,
  resnetConfig,
  vitConfig,
  deitConfig,
  convnextConfig
]);
var IMAGENET_PIXELS = 224;
var kinds = {
  bert: "encoder",
  roberta: "encoder",
  distilbert: "encoder",
  gpt2: "decoder",
  llama: "decoder",
  mistral: "decoder",
  qwen2: "decoder",
  qwen3: "decoder",
  gemma: "decoder",
  gemma2: "decoder",
  gemma3_text: "decoder",
  phi3: "decoder",
  phi: "decoder",
  gpt_neox: "decoder",
  opt: "decoder",
  falcon: "decoder",
  t5: "encoder-decoder",
  resnet: "image",
  vit: "image",
  deit: "image",
  convnext: "image"
};
var tasks2 = {
  encoder: ["sequence-classification", "masked-lm"],
  decoder: ["causal-lm", "sequence-classification"],
  "encoder-decoder": ["seq2seq-lm"],
  image: ["image-classification"]
};
function tasksOf(config) {
  return tasks2[kinds[config.model_type]];
}
function maxPositionsOf(config) {
  if ("n_positions" in config) return config.n_positions;
  if (!("max_position_embeddings" in config)) return void 0;
  return config.max_position_embeddings - (config.model_type === "roberta" ? ROBERTA_POSITION_OFFSET : 0);
}
function imageSizeOf(config) {
  if ("image_size" in config) return config.image_size;
  return kinds[config.model_type] === "image" ? IMAGENET_PIXELS : void 0;
}
function supportsCheckpointing(config) {
  return config.model_type !== "resnet" && config.model_type !== "convnext";
}
function forward(ops, config, spec) {
  const tokens = spec.sequenceLength ?? 0;
  switch (config.model_type) {
    case "bert":
    case "roberta":
      return bert(ops, config, tokens, spec.task, spec.labels);
    case "distilbert":
      return distilbert(ops, config, tokens, spec.task, spec.labels);
    case "gpt2":
      return gpt2(ops, config, tokens, spec.task, spec.labels);
    case "llama":
    case "mistral":
    case "qwen2":
    case "qwen3":
    case "gemma":
    case "gemma2":
    case "gemma3_text":
    case "phi3":
      return decoderModel(ops, config, spec.task, spec.labels);
    case "phi":
      return phi(ops, config, spec.task, spec.labels);
    case "gpt_neox":
      return gptNeox(ops, config, spec.task, spec.labels);
    case "opt":
      return opt(ops, config, spec.task, spec.labels);
    case "falcon":
      return falcon(ops, config, spec.task, spec.labels);
    case "t5":
      return t5(ops, config, tokens, spec.targetLength ?? tokens);
    case "resnet":
      return resnet(ops, config, spec.labels);
    case "vit":
    case "deit":
      return vit(ops, config, spec.labels);
    case "convnext":
      return convnext(ops, config, spec.labels);
  }
}

// engine/report/lever.ts
var WORTHWHILE_SHARE = 0.05;
function bestLever(spec, config, gpu2, peak, footprints) {
  const levers = changesOf(spec, config, gpu2, peak).map(({ change: change2, spec: changed }) => ({
    change: change2,
    peakBytes: new EstimateProbe(footprints.of(changed, config, gpu2), gpu2).peak(spec.microBatch).bytes
  }));
  const best = levers.toSorted((a, b) => a.peakBytes - b.peakBytes)[0];
  return best && best.peakBytes < peak.bytes * (1 - WORTHWHILE_SHARE) ? best : void 0;
}
function changesOf(spec, config, gpu2, { moment }) {
  if (spec.step !== "training") return [];
  const isText = spec.task !== "image-classification";
  return [
    ...!spec.gradientCheckpointing && supportsCheckpointing(config) ? [{ change: "gradient-checkpointing", spec: { ...spec, gradientCheckpointing: true } }] : [],
    ...spec.precision === "fp32" && gpu2.peakFlops.bf16 !== void 0 ? [{ change: "bf16-autocast", spec: { ...spec, precision: "amp-bf16" } }] : [],
    ...isText && spec.attention === "eager" ? [{ change: "sdpa-attention", spec: { ...spec, attention: "sdpa" } }] : [],
    ...moment === OPTIMIZER_MOMENT && (spec.optimizer === "adamw" || spec.optimizer === "adamw-loop") ? [{ change: "fused-optimizer", spec: { ...spec, optimizer: "adamw-fused" } }] : []
  ];
}

// engine/search/grid.ts
var DEFAULT_STEP_SIZE = 8;
var Grid = class {
  #step;
  constructor(step2 = DEFAULT_STEP_SIZE) {
    this.#step = step2;
  }
  /** The number of sizes on the grid. */
  get length() {
    return this.#step + Math.floor(MAX_BATCH / this.#step) - 1;
  }
  /** The place of the step itself, the first size of a linear sweep. */
  get firstStep() {
    return this.#step - 1;
  }
  /** The size at a 0-based place. */
  at(index) {
    return index < this.#step ? index + 1 : (index - this.#step + 2) * this.#step;
  }
  /** The place of the largest size that is not above `batch`; −1 below 1. */
  indexOf(batch) {
    return batch < this.#step ? Math.floor(batch) - 1 : this.#step - 2 + Math.floor(batch / this.#step);
  }
};

// engine/search/boundary.ts
function nextMove({ fits, fails }, grid, predicted) {
  if (fails - fits === 1) return { kind: "done", largest: fits };
  const start = Math.min(Math.max(predicted, 0), grid.length - 1);
  if (fits < start && start < fails) return { kind: "try", index: start };
  if (fails === grid.length) return { kind: "try", index: Math.min(fits + (fits - start) + 1, grid.length - 1) };
  if (fits === -1) return { kind: "try", index: Math.max(fails - (start - fails) - 1, 0) };
  return { kind: "try", index: Math.floor((fits + fails) / 2) };
}
function findLargest(grid, predicted, tryBatch) {
  let bounds = { fits: -1, fails: grid.length };
  for (; ; ) {
    const move = nextMove(bounds, grid, predicted);
    if (move.kind === "done") return move.largest < 0 ? void 0 : grid.at(move.largest);
    bounds = tryBatch(grid.at(move.index)) ? { ...bounds, fits: move.index } : { ...bounds, fails: move.index };
  }
}

// engine/search/largest.ts
function largestBatch(probe, grid, margin = 0) {
  const predicted = grid.indexOf(predictedBoundary(probe, probe.usableBytes * (1 - margin)));
  return findLargest(grid, predicted, (batch) => probe.fits(batch, margin));
}
function predictedBoundary(probe, limitBytes) {
  let [low, high] = [8, 64];
  for (let step2 = 0; step2 < 2; step2++) {
    const [lowBytes, highBytes] = [probe.peak(low).bytes, probe.peak(high).bytes];
    const bytesPerSample = Math.max(1, (highBytes - lowBytes) / (high - low));
    const crossing = Math.max(1, low + (limitBytes - lowBytes) / bytesPerSample);
    [low, high] = [crossing, crossing * 1.1 + 1];
  }
  return low;
}

// engine/metrics/memory.ts
function shareOfUsable({ usableBytes: usableBytes2 }, { peakBytes }) {
  return usableBytes2 === 0 ? Number.POSITIVE_INFINITY : peakBytes / usableBytes2;
}
function idleBytes({ usableBytes: usableBytes2 }, { peakBytes }) {
  return Math.max(0, usableBytes2 - peakBytes);
}
function idlePercent(gpu2, load) {
  return gpu2.usableBytes === 0 ? 0 : 100 * idleBytes(gpu2, load) / gpu2.usableBytes;
}
function missingBytes({ usableBytes: usableBytes2 }, { peakBytes }) {
  return Math.max(0, peakBytes - usableBytes2);
}

// engine/verdict/judge.ts
var WORTHWHILE_SPEEDUP = 1.05;
function judge(figures, policy2) {
  return verdictOf(
    figures.fits ? policy2.failOn.flatMap((condition2) => failing(condition2, figures)) : [outOfMemory(figures)],
    figures.fits ? policy2.warnOn.flatMap((condition2) => broken(condition2, figures)) : []
  );
}
function verdictOf(failing2, remarkable) {
  const blocking = failing2.filter(({ spared: spared2 }) => spared2 === void 0);
  if (blocking.length > 0) return { state: "blocked", reasons: blocking };
  const reasons = [...failing2, ...remarkable];
  return { state: reasons.length > 0 ? "warning" : "fine", reasons };
}
function outOfMemory(figures) {
  const isMeasured = figures.errorBandPercent === 0;
  const isCertain2 = isMeasured || atError(figures, -1).peakBytes > figures.usableBytes;
  return { kind: "does-not-fit", ...!isCertain2 && { spared: "within-error" } };
}
function failing(condition2, figures) {
  const isCertain2 = broken(condition2, atError(figures, 1)).length > 0;
  return broken(condition2, figures).map((reason2) => isCertain2 ? reason2 : { ...reason2, spared: "within-error" });
}
function atError(figures, side) {
  return { ...figures, peakBytes: figures.peakBytes * (1 + side * figures.errorBandPercent / 100) };
}
function broken(condition2, figures) {
  switch (condition2.kind) {
    case "waste": {
      const actual = figures.speedup < WORTHWHILE_SPEEDUP ? 0 : idlePercent(figures, figures);
      return actual > condition2.abovePercent ? [{ kind: "condition", condition: condition2, actual }] : [];
    }
    case "throughput-loss": {
      const actual = (figures.speedup - 1) * 100;
      return actual > condition2.abovePercent ? [{ kind: "condition", condition: condition2, actual }] : [];
    }
    case "annual-cost":
      return figures.savingsPerYearUsd > condition2.aboveUsd ? [{ kind: "condition", condition: condition2, actual: figures.savingsPerYearUsd }] : [];
  }
}

// engine/assess.ts
var TIGHT_SHARE = 0.5;
var WORTHWHILE_COST_SHARE = 0.9;
function assess(spec, config, options, evidence = estimatedEvidence(spec, config, options)) {
  const { gpu: gpu2, policy: policy2, footprints, hoursPerRun: hoursPerRun2, runsPerYear: runsPerYear2 } = options;
  const { samplesPerSecond: rate, largest } = evidence;
  const probe = new EstimateProbe(footprints.of(spec, config, gpu2), gpu2);
  const now = planOf(spec);
  const costNow = hoursPerRun2 * gpu2.pricePerHourUsd * spec.gpus;
  const point = (plan) => ({
    ...plan,
    effectiveBatch: effectiveBatch({ ...spec, ...plan }),
    fits: evidence.fits(plan.microBatch),
    peakBytes: evidence.peakBytes(plan.microBatch),
    samplesPerSecond: rate(plan),
    costPerRunUsd: costNow * rate(now) / rate(plan)
  });
  const current = point(now);
  const recommended = evidence.recommended && point(evidence.recommended);
  const modelled = probe.peak(spec.microBatch);
  const { breakdown: breakdown2, moment } = modelled;
  const correction = current.peakBytes / modelled.bytes;
  const speedup = current.fits && recommended ? recommended.samplesPerSecond / current.samplesPerSecond : 1;
  const savingsPerRunUsd = costNow * (1 - 1 / speedup);
  const savingsPerYearUsd = savingsPerRunUsd * runsPerYear2;
  const isTight = current.peakBytes > evidence.gpu.usableBytes * TIGHT_SHARE;
  const lever = isTight ? bestLever(spec, config, gpu2, modelled, footprints) : void 0;
  const rightSizing2 = cheaperGpu(spec, config, options, recommended ?? current);
  return {
    spec,
    gpu: evidence.gpu,
    provenance: evidence.provenance,
    errorBandPercent: evidence.errorBandPercent,
    throughputProvenance: evidence.throughputProvenance,
    current,
    ...recommended && { recommended },
    ...largest && { largest: point({ microBatch: largest, gradientAccumulation: 1 }) },
    breakdown: scaled(breakdown2, correction),
    peakMoment: moment,
    speedup,
    savingsPerRunUsd,
    savingsPerYearUsd,
    ...lever && { lever: { ...lever, peakBytes: lever.peakBytes * correction } },
    ...rightSizing2 && { rightSizing: rightSizing2 },
    trials: [...evidence.trials],
    hoursPerRun: hoursPerRun2,
    runsPerYear: runsPerYear2,
    verdict: judge(
      {
        fits: current.fits,
        usableBytes: evidence.gpu.usableBytes,
        peakBytes: current.peakBytes,
        errorBandPercent: evidence.errorBandPercent,
        speedup,
        savingsPerYearUsd
      },
      policy2
    )
  };
}
function estimatedEvidence(spec, config, options) {
  const { gpu: gpu2, footprints, stepSize, margin = DEFAULT_MARGIN } = options;
  const probe = new EstimateProbe(footprints.of(spec, config, gpu2), gpu2);
  const grid = new Grid(stepSize);
  const samplesPerSecond = (plan) => probe.samplesPerSecond(plan.microBatch, plan.gradientAccumulation);
  const largest = largestBatch(probe, grid);
  const largestWithMargin = largestBatch(probe, grid, margin);
  const recommended = largestWithMargin === void 0 ? void 0 : recommend({ current: planOf(spec), grid, largestWithMargin, samplesPerSecond });
  return {
    gpu: reportedGpu(gpu2),
    provenance: "estimated",
    errorBandPercent: errorBandPercent(spec),
    throughputProvenance: "modelled",
    largest,
    recommended,
    trials: trialsOf(probe, grid, [spec.microBatch, recommended?.microBatch, largest], largest),
    fits: (microBatch) => probe.fits(microBatch),
    peakBytes: (microBatch) => probe.peak(microBatch).bytes,
    samplesPerSecond
  };
}
function planOf({ microBatch, gradientAccumulation }) {
  return { microBatch, gradientAccumulation };
}
function scaled(breakdown2, factor) {
  const parts = Object.entries(breakdown2).map(([kind, bytes3]) => [kind, bytes3 * factor]);
  return factor === 1 ? breakdown2 : Object.fromEntries(parts);
}
function trialsOf(probe, grid, named2, largest) {
  const tooLarge2 = largest === void 0 ? 1 : grid.at(grid.indexOf(largest) + 1);
  const told = /* @__PURE__ */ new Set([...named2.filter((size2) => size2 !== void 0), tooLarge2]);
  const powers = Array.from({ length: 20 }, (_, exponent) => 2 ** exponent);
  const between = powers.filter((power) => power < tooLarge2 && !told.has(power));
  const trials = [...[...told].map((size2) => probe.trial(size2)), ...between.map((size2) => probe.trialBelow(size2))];
  return trials.toSorted((a, b) => a.microBatch - b.microBatch);
}
function cheaperGpu(spec, config, { gpu: gpu2, footprints, hoursPerRun: hoursPerRun2, catalogue = gpus, margin = DEFAULT_MARGIN }, best) {
  const probeOf = (card) => new EstimateProbe(footprints.of(spec, config, card), card);
  const here = probeOf(gpu2).samplesPerSecond(spec.microBatch, spec.gradientAccumulation);
  const offers = catalogue.filter((other) => other.pricePerHourUsd < gpu2.pricePerHourUsd && runs(other, spec)).map((other) => ({ other, probe: probeOf(other) })).filter(({ probe }) => probe.fits(spec.microBatch, margin)).map(({ other, probe }) => {
    const slowdown = here / probe.samplesPerSecond(spec.microBatch, spec.gradientAccumulation);
    return { gpu: reportedGpu(other), costPerRunUsd: hoursPerRun2 * slowdown * other.pricePerHourUsd * spec.gpus };
  }).filter((offer) => offer.costPerRunUsd <= best.costPerRunUsd * WORTHWHILE_COST_SHARE);
  return offers.toSorted((a, b) => a.costPerRunUsd - b.costPerRunUsd)[0];
}
function runs(gpu2, spec) {
  return gpu2.peakFlops.bf16 !== void 0 || !spec.precision.includes("bf16");
}
function reportedGpu(gpu2) {
  const { id, name, totalBytes, pricePerHourUsd: pricePerHourUsd2, priceSource, priceDate } = gpu2;
  return { id, name, totalBytes, usableBytes: usableBytes(gpu2), pricePerHourUsd: pricePerHourUsd2, priceSource, priceDate };
}

// engine/models/resolve.ts
import { posix } from "node:path";

// engine/config/quote.ts
var SHOWN_CHARACTERS = 80;
function plain2(text3) {
  const characters = [...text3.slice(0, 4 * SHOWN_CHARACTERS).replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ")];
  return characters.length > SHOWN_CHARACTERS ? `${characters.slice(0, SHOWN_CHARACTERS - 1).join("")}…` : characters.join("").trim();
}
function quote(text3) {
  return `"${plain2(text3)}"`;
}
function oneOf(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

// engine/models/classic-rows.ts
var bertLarge = { hidden_size: 1024, num_hidden_layers: 24, num_attention_heads: 16, intermediate_size: 4096 };
var robertaSizes = { max_position_embeddings: 514, type_vocab_size: 1 };
function row(id, model_type, differences = {}) {
  return { ids: [id], config: { model_type, ...differences } };
}
var classicRows = [
  row("google-bert/bert-base-uncased", "bert"),
  row("google-bert/bert-base-cased", "bert", { vocab_size: 28996 }),
  row("google-bert/bert-base-multilingual-cased", "bert", { vocab_size: 119547 }),
  row("google-bert/bert-base-multilingual-uncased", "bert", { vocab_size: 105879 }),
  row("google-bert/bert-base-chinese", "bert", { vocab_size: 21128 }),
  row("google-bert/bert-large-uncased", "bert", bertLarge),
  row("google-bert/bert-large-cased", "bert", { ...bertLarge, vocab_size: 28996 }),
  row("google-bert/bert-large-uncased-whole-word-masking", "bert", bertLarge),
  row("FacebookAI/roberta-base", "roberta", robertaSizes),
  row("FacebookAI/roberta-large", "roberta", { ...robertaSizes, ...bertLarge }),
  row("distilbert/distilroberta-base", "roberta", { ...robertaSizes, num_hidden_layers: 6 }),
  row("distilbert/distilbert-base-uncased", "distilbert"),
  row("distilbert/distilbert-base-cased", "distilbert", { vocab_size: 28996 }),
  row("distilbert/distilbert-base-multilingual-cased", "distilbert", { vocab_size: 119547 }),
  row("openai-community/gpt2", "gpt2"),
  row("openai-community/gpt2-medium", "gpt2", { n_embd: 1024, n_layer: 24, n_head: 16 }),
  row("openai-community/gpt2-large", "gpt2", { n_embd: 1280, n_layer: 36, n_head: 20 }),
  row("openai-community/gpt2-xl", "gpt2", { n_embd: 1600, n_layer: 48, n_head: 25 }),
  row("distilbert/distilgpt2", "gpt2", { n_layer: 6 })
];

// engine/models/llm-rows.ts
function row2(model_type, sizes, ids, differences = {}) {
  const [vocab_size, hidden_size, intermediate_size, num_hidden_layers, num_attention_heads] = sizes;
  const [, , , , , num_key_value_heads, max_position_embeddings] = sizes;
  return {
    ids,
    config: {
      model_type,
      vocab_size,
      hidden_size,
      intermediate_size,
      num_hidden_layers,
      num_attention_heads,
      num_key_value_heads,
      max_position_embeddings,
      ...differences
    }
  };
}
var tied = { tie_word_embeddings: true };
var untied = { tie_word_embeddings: false };
var llama = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  row2("llama", [32e3, 4096, 11008, 32, 32, 32, 2048], ["huggyllama/llama-7b", "lmsys/vicuna-7b-v1.3", "openlm-research/open_llama_7b", "openlm-research/open_llama_7b_v2"]),
  row2("llama", [32e3, 5120, 13824, 40, 40, 40, 2048], ["huggyllama/llama-13b", "lmsys/vicuna-13b-v1.3", "openlm-research/open_llama_13b"]),
  row2("llama", [32e3, 6656, 17920, 60, 52, 52, 2048], ["huggyllama/llama-30b"]),
  row2("llama", [32e3, 8192, 22016, 80, 64, 64, 2048], ["huggyllama/llama-65b"]),
  row2("llama", [32e3, 3200, 8640, 26, 32, 32, 2048], ["openlm-research/open_llama_3b", "openlm-research/open_llama_3b_v2"]),
  row2("llama", [32e3, 4096, 11008, 32, 32, 32, 4096], ["meta-llama/Llama-2-7b-hf", "meta-llama/Llama-2-7b-chat-hf", "NousResearch/Llama-2-7b-hf", "NousResearch/Llama-2-7b-chat-hf", "lmsys/vicuna-7b-v1.5"]),
  row2("llama", [32e3, 5120, 13824, 40, 40, 40, 4096], ["meta-llama/Llama-2-13b-hf", "meta-llama/Llama-2-13b-chat-hf", "NousResearch/Llama-2-13b-hf", "NousResearch/Llama-2-13b-chat-hf", "lmsys/vicuna-13b-v1.5"]),
  row2("llama", [32e3, 8192, 28672, 80, 64, 8, 4096], ["meta-llama/Llama-2-70b-hf", "meta-llama/Llama-2-70b-chat-hf", "NousResearch/Llama-2-70b-hf"]),
  row2("llama", [32016, 4096, 11008, 32, 32, 32, 16384], ["codellama/CodeLlama-7b-hf", "codellama/CodeLlama-7b-Instruct-hf"]),
  row2("llama", [32e3, 4096, 11008, 32, 32, 32, 16384], ["codellama/CodeLlama-7b-Python-hf"]),
  row2("llama", [32016, 5120, 13824, 40, 40, 40, 16384], ["codellama/CodeLlama-13b-hf", "codellama/CodeLlama-13b-Instruct-hf"]),
  row2("llama", [32e3, 8192, 22016, 48, 64, 8, 16384], ["codellama/CodeLlama-34b-hf", "codellama/CodeLlama-34b-Instruct-hf"]),
  row2("llama", [128256, 4096, 14336, 32, 32, 8, 8192], ["meta-llama/Meta-Llama-3-8B", "meta-llama/Meta-Llama-3-8B-Instruct", "NousResearch/Meta-Llama-3-8B", "NousResearch/Meta-Llama-3-8B-Instruct", "unsloth/llama-3-8b"]),
  row2("llama", [128256, 8192, 28672, 80, 64, 8, 8192], ["meta-llama/Meta-Llama-3-70B", "meta-llama/Meta-Llama-3-70B-Instruct"]),
  row2("llama", [128256, 4096, 14336, 32, 32, 8, 131072], ["meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Meta-Llama-3.1-8B", "meta-llama/Meta-Llama-3.1-8B-Instruct", "NousResearch/Meta-Llama-3.1-8B", "NousResearch/Meta-Llama-3.1-8B-Instruct", "NousResearch/Hermes-3-Llama-3.1-8B", "unsloth/Meta-Llama-3.1-8B", "deepseek-ai/DeepSeek-R1-Distill-Llama-8B"]),
  row2("llama", [128256, 8192, 28672, 80, 64, 8, 131072], ["meta-llama/Llama-3.1-70B", "meta-llama/Llama-3.1-70B-Instruct", "meta-llama/Meta-Llama-3.1-70B", "meta-llama/Meta-Llama-3.1-70B-Instruct", "meta-llama/Llama-3.3-70B-Instruct", "deepseek-ai/DeepSeek-R1-Distill-Llama-70B"]),
  row2("llama", [128256, 16384, 53248, 126, 128, 8, 131072], ["meta-llama/Llama-3.1-405B", "meta-llama/Llama-3.1-405B-Instruct"]),
  row2("llama", [128288, 4096, 14336, 32, 32, 8, 8192], ["NousResearch/Hermes-2-Pro-Llama-3-8B"]),
  row2("llama", [128256, 2048, 8192, 16, 32, 8, 131072], ["meta-llama/Llama-3.2-1B", "meta-llama/Llama-3.2-1B-Instruct", "NousResearch/Llama-3.2-1B", "unsloth/Llama-3.2-1B", "unsloth/Llama-3.2-1B-Instruct"], { head_dim: 64, ...tied }),
  row2("llama", [128256, 3072, 8192, 28, 24, 8, 131072], ["meta-llama/Llama-3.2-3B", "meta-llama/Llama-3.2-3B-Instruct", "NousResearch/Hermes-3-Llama-3.2-3B", "unsloth/Llama-3.2-3B", "unsloth/Llama-3.2-3B-Instruct"], { head_dim: 128, ...tied }),
  row2("llama", [32e3, 2048, 5632, 22, 32, 4, 2048], ["TinyLlama/TinyLlama-1.1B-Chat-v1.0", "TinyLlama/TinyLlama_v1.1", "TinyLlama/TinyLlama-1.1B-intermediate-step-1431k-3T"]),
  row2("llama", [49152, 576, 1536, 30, 9, 3, 2048], ["HuggingFaceTB/SmolLM-135M", "HuggingFaceTB/SmolLM-135M-Instruct"], tied),
  row2("llama", [49152, 960, 2560, 32, 15, 5, 2048], ["HuggingFaceTB/SmolLM-360M", "HuggingFaceTB/SmolLM-360M-Instruct"], tied),
  row2("llama", [49152, 2048, 8192, 24, 32, 32, 2048], ["HuggingFaceTB/SmolLM-1.7B", "HuggingFaceTB/SmolLM-1.7B-Instruct"], tied),
  row2("llama", [49152, 576, 1536, 30, 9, 3, 8192], ["HuggingFaceTB/SmolLM2-135M", "HuggingFaceTB/SmolLM2-135M-Instruct"], tied),
  row2("llama", [49152, 960, 2560, 32, 15, 5, 8192], ["HuggingFaceTB/SmolLM2-360M", "HuggingFaceTB/SmolLM2-360M-Instruct"], tied),
  row2("llama", [49152, 2048, 8192, 24, 32, 32, 8192], ["HuggingFaceTB/SmolLM2-1.7B", "HuggingFaceTB/SmolLM2-1.7B-Instruct"], tied),
  row2("llama", [64e3, 4096, 11008, 32, 32, 4, 4096], ["01-ai/Yi-6B", "01-ai/Yi-6B-Chat", "01-ai/Yi-1.5-6B", "01-ai/Yi-1.5-6B-Chat"]),
  row2("llama", [64e3, 4096, 11008, 48, 32, 4, 4096], ["01-ai/Yi-9B", "01-ai/Yi-1.5-9B", "01-ai/Yi-1.5-9B-Chat"]),
  row2("llama", [64e3, 7168, 20480, 60, 56, 8, 4096], ["01-ai/Yi-34B", "01-ai/Yi-34B-Chat", "01-ai/Yi-1.5-34B", "01-ai/Yi-1.5-34B-Chat"]),
  row2("llama", [32256, 2048, 5504, 24, 16, 16, 16384], ["deepseek-ai/deepseek-coder-1.3b-base", "deepseek-ai/deepseek-coder-1.3b-instruct"]),
  row2("llama", [32256, 4096, 11008, 32, 32, 32, 16384], ["deepseek-ai/deepseek-coder-6.7b-base", "deepseek-ai/deepseek-coder-6.7b-instruct"]),
  row2("llama", [32256, 7168, 19200, 62, 56, 8, 16384], ["deepseek-ai/deepseek-coder-33b-base", "deepseek-ai/deepseek-coder-33b-instruct"]),
  row2("llama", [102400, 4096, 11008, 30, 32, 32, 4096], ["deepseek-ai/deepseek-llm-7b-base", "deepseek-ai/deepseek-llm-7b-chat"]),
  row2("llama", [102400, 8192, 22016, 95, 64, 8, 4096], ["deepseek-ai/deepseek-llm-67b-base", "deepseek-ai/deepseek-llm-67b-chat"]),
  row2("llama", [32e3, 4096, 14336, 48, 32, 8, 4096], ["upstage/SOLAR-10.7B-v1.0", "upstage/SOLAR-10.7B-Instruct-v1.0"]),
  row2("llama", [131072, 2048, 8192, 18, 8, 4, 8192], ["tiiuae/Falcon3-1B-Base", "tiiuae/Falcon3-1B-Instruct"], { head_dim: 256 }),
  row2("llama", [131072, 3072, 9216, 22, 12, 4, 32768], ["tiiuae/Falcon3-3B-Base", "tiiuae/Falcon3-3B-Instruct"], { head_dim: 256 }),
  row2("llama", [131072, 3072, 23040, 28, 12, 4, 32768], ["tiiuae/Falcon3-7B-Base", "tiiuae/Falcon3-7B-Instruct"], { head_dim: 256 }),
  row2("llama", [131072, 3072, 23040, 40, 12, 4, 32768], ["tiiuae/Falcon3-10B-Base", "tiiuae/Falcon3-10B-Instruct"], { head_dim: 256 })
];
var looksBack = { sliding_window: 4096, ...untied };
var looksAtAll = { sliding_window: null, ...untied };
var mistral = [
  row2("mistral", [32e3, 4096, 14336, 32, 32, 8, 32768], ["mistralai/Mistral-7B-v0.1", "mistralai/Mistral-7B-Instruct-v0.1", "HuggingFaceH4/zephyr-7b-beta", "alignment-handbook/zephyr-7b-sft-full"], looksBack),
  row2("mistral", [32002, 4096, 14336, 32, 32, 8, 32768], ["teknium/OpenHermes-2.5-Mistral-7B", "teknium/OpenHermes-2-Mistral-7B", "NousResearch/Nous-Hermes-2-Mistral-7B-DPO", "Open-Orca/Mistral-7B-OpenOrca"], looksBack),
  row2("mistral", [32032, 4096, 14336, 32, 32, 8, 32768], ["NousResearch/Hermes-2-Pro-Mistral-7B"], looksBack),
  row2("mistral", [32e3, 4096, 14336, 32, 32, 8, 32768], ["mistralai/Mistral-7B-Instruct-v0.2", "mistral-community/Mistral-7B-v0.2"], looksAtAll),
  row2("mistral", [32768, 4096, 14336, 32, 32, 8, 32768], ["mistralai/Mistral-7B-v0.3", "mistralai/Mistral-7B-Instruct-v0.3", "unsloth/mistral-7b-v0.3", "unsloth/mistral-7b-instruct-v0.3"], looksAtAll),
  row2("mistral", [131072, 5120, 14336, 40, 32, 8, 131072], ["mistralai/Mistral-Nemo-Base-2407", "mistralai/Mistral-Nemo-Instruct-2407"], { head_dim: 128, ...looksAtAll }),
  row2("mistral", [131072, 4096, 12288, 36, 32, 8, 32768], ["mistralai/Ministral-8B-Instruct-2410"], { head_dim: 128, sliding_window: 32768, ...untied }),
  row2("mistral", [32768, 6144, 16384, 56, 48, 8, 32768], ["mistralai/Mistral-Small-Instruct-2409", "mistralai/Codestral-22B-v0.1"], { head_dim: 128, ...looksAtAll }),
  row2("mistral", [131072, 5120, 32768, 40, 32, 8, 32768], ["mistralai/Mistral-Small-24B-Base-2501", "mistralai/Mistral-Small-24B-Instruct-2501"], { head_dim: 128, ...looksAtAll })
];
var qwen2Tied = { use_sliding_window: false, ...tied };
var qwen2Untied = { use_sliding_window: false, ...untied };
var qwen2 = [
  row2("qwen2", [151936, 1024, 2816, 24, 16, 16, 32768], ["Qwen/Qwen1.5-0.5B", "Qwen/Qwen1.5-0.5B-Chat"], qwen2Tied),
  row2("qwen2", [151936, 2048, 5504, 24, 16, 16, 32768], ["Qwen/Qwen1.5-1.8B", "Qwen/Qwen1.5-1.8B-Chat"], qwen2Untied),
  row2("qwen2", [151936, 2560, 6912, 40, 20, 20, 32768], ["Qwen/Qwen1.5-4B", "Qwen/Qwen1.5-4B-Chat"], qwen2Untied),
  row2("qwen2", [151936, 4096, 11008, 32, 32, 32, 32768], ["Qwen/Qwen1.5-7B", "Qwen/Qwen1.5-7B-Chat"], qwen2Untied),
  row2("qwen2", [152064, 5120, 13696, 40, 40, 40, 32768], ["Qwen/Qwen1.5-14B", "Qwen/Qwen1.5-14B-Chat"], qwen2Untied),
  row2("qwen2", [152064, 5120, 27392, 64, 40, 8, 32768], ["Qwen/Qwen1.5-32B", "Qwen/Qwen1.5-32B-Chat"], qwen2Untied),
  row2("qwen2", [152064, 8192, 24576, 80, 64, 64, 32768], ["Qwen/Qwen1.5-72B", "Qwen/Qwen1.5-72B-Chat"], qwen2Untied),
  row2("qwen2", [151936, 896, 4864, 24, 14, 2, 131072], ["Qwen/Qwen2-0.5B"], qwen2Tied),
  row2("qwen2", [151936, 896, 4864, 24, 14, 2, 32768], ["Qwen/Qwen2-0.5B-Instruct", "Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-0.5B-Instruct", "Qwen/Qwen2.5-Coder-0.5B", "Qwen/Qwen2.5-Coder-0.5B-Instruct", "unsloth/Qwen2.5-0.5B"], qwen2Tied),
  row2("qwen2", [151936, 1536, 8960, 28, 12, 2, 131072], ["Qwen/Qwen2-1.5B", "Qwen/Qwen2.5-1.5B"], qwen2Tied),
  row2("qwen2", [151936, 1536, 8960, 28, 12, 2, 32768], ["Qwen/Qwen2-1.5B-Instruct", "Qwen/Qwen2.5-1.5B-Instruct", "Qwen/Qwen2.5-Coder-1.5B", "Qwen/Qwen2.5-Coder-1.5B-Instruct"], qwen2Tied),
  row2("qwen2", [151936, 1536, 8960, 28, 12, 2, 4096], ["Qwen/Qwen2.5-Math-1.5B", "Qwen/Qwen2.5-Math-1.5B-Instruct"], qwen2Tied),
  row2("qwen2", [151936, 1536, 8960, 28, 12, 2, 131072], ["deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B"], qwen2Untied),
  row2("qwen2", [151936, 2048, 11008, 36, 16, 2, 32768], ["Qwen/Qwen2.5-3B", "Qwen/Qwen2.5-3B-Instruct", "Qwen/Qwen2.5-Coder-3B", "Qwen/Qwen2.5-Coder-3B-Instruct"], qwen2Tied),
  row2("qwen2", [152064, 3584, 18944, 28, 28, 4, 131072], ["Qwen/Qwen2-7B", "Qwen/Qwen2.5-7B", "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B"], qwen2Untied),
  row2("qwen2", [152064, 3584, 18944, 28, 28, 4, 32768], ["Qwen/Qwen2-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-Coder-7B", "Qwen/Qwen2.5-Coder-7B-Instruct", "unsloth/Qwen2.5-7B-Instruct"], qwen2Untied),
  row2("qwen2", [152064, 3584, 18944, 28, 28, 4, 4096], ["Qwen/Qwen2.5-Math-7B", "Qwen/Qwen2.5-Math-7B-Instruct"], qwen2Untied),
  row2("qwen2", [152064, 5120, 13824, 48, 40, 8, 131072], ["Qwen/Qwen2.5-14B", "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B"], qwen2Untied),
  row2("qwen2", [152064, 5120, 13824, 48, 40, 8, 32768], ["Qwen/Qwen2.5-14B-Instruct", "Qwen/Qwen2.5-Coder-14B", "Qwen/Qwen2.5-Coder-14B-Instruct"], qwen2Untied),
  row2("qwen2", [152064, 5120, 27648, 64, 40, 8, 131072], ["Qwen/Qwen2.5-32B", "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B"], qwen2Untied),
  row2("qwen2", [152064, 5120, 27648, 64, 40, 8, 32768], ["Qwen/Qwen2.5-32B-Instruct", "Qwen/Qwen2.5-Coder-32B", "Qwen/Qwen2.5-Coder-32B-Instruct"], qwen2Untied),
  row2("qwen2", [152064, 5120, 27648, 64, 40, 8, 40960], ["Qwen/QwQ-32B"], qwen2Untied),
  row2("qwen2", [152064, 8192, 29568, 80, 64, 8, 131072], ["Qwen/Qwen2-72B", "Qwen/Qwen2.5-72B"], qwen2Untied),
  row2("qwen2", [152064, 8192, 29568, 80, 64, 8, 32768], ["Qwen/Qwen2-72B-Instruct", "Qwen/Qwen2.5-72B-Instruct"], qwen2Untied)
];
var qwen3Tied = { head_dim: 128, ...tied };
var qwen3Untied = { head_dim: 128, ...untied };
var qwen3 = [
  row2("qwen3", [151936, 1024, 3072, 28, 16, 8, 40960], ["Qwen/Qwen3-0.6B", "unsloth/Qwen3-0.6B"], qwen3Tied),
  row2("qwen3", [151936, 1024, 3072, 28, 16, 8, 32768], ["Qwen/Qwen3-0.6B-Base"], qwen3Tied),
  row2("qwen3", [151936, 2048, 6144, 28, 16, 8, 40960], ["Qwen/Qwen3-1.7B", "unsloth/Qwen3-1.7B"], qwen3Tied),
  row2("qwen3", [151936, 2048, 6144, 28, 16, 8, 32768], ["Qwen/Qwen3-1.7B-Base"], qwen3Tied),
  row2("qwen3", [151936, 2560, 9728, 36, 32, 8, 40960], ["Qwen/Qwen3-4B", "unsloth/Qwen3-4B"], qwen3Tied),
  row2("qwen3", [151936, 2560, 9728, 36, 32, 8, 32768], ["Qwen/Qwen3-4B-Base"], qwen3Tied),
  row2("qwen3", [151936, 2560, 9728, 36, 32, 8, 262144], ["Qwen/Qwen3-4B-Instruct-2507", "Qwen/Qwen3-4B-Thinking-2507"], qwen3Tied),
  row2("qwen3", [151936, 4096, 12288, 36, 32, 8, 40960], ["Qwen/Qwen3-8B", "unsloth/Qwen3-8B"], qwen3Untied),
  row2("qwen3", [151936, 4096, 12288, 36, 32, 8, 32768], ["Qwen/Qwen3-8B-Base"], qwen3Untied),
  row2("qwen3", [151936, 5120, 17408, 40, 40, 8, 40960], ["Qwen/Qwen3-14B", "unsloth/Qwen3-14B"], qwen3Untied),
  row2("qwen3", [151936, 5120, 17408, 40, 40, 8, 32768], ["Qwen/Qwen3-14B-Base"], qwen3Untied),
  row2("qwen3", [151936, 5120, 25600, 64, 64, 8, 40960], ["Qwen/Qwen3-32B"], qwen3Untied)
];
var wideHeads = { head_dim: 256, ...tied };
var gemma = [
  row2("gemma", [256e3, 2048, 16384, 18, 8, 1, 8192], ["google/gemma-2b", "google/gemma-2b-it", "google/gemma-1.1-2b-it", "unsloth/gemma-2b"], wideHeads),
  row2("gemma", [256e3, 3072, 24576, 28, 16, 16, 8192], ["google/gemma-7b", "google/gemma-7b-it", "google/gemma-1.1-7b-it", "unsloth/gemma-7b"], wideHeads),
  row2("gemma2", [256e3, 2304, 9216, 26, 8, 4, 8192], ["google/gemma-2-2b", "google/gemma-2-2b-it", "unsloth/gemma-2-2b-it"], { sliding_window: 4096, ...wideHeads }),
  row2("gemma2", [256e3, 3584, 14336, 42, 16, 8, 8192], ["google/gemma-2-9b", "google/gemma-2-9b-it", "unsloth/gemma-2-9b-it"], { sliding_window: 4096, ...wideHeads }),
  row2("gemma2", [256e3, 4608, 36864, 46, 32, 16, 8192], ["google/gemma-2-27b", "google/gemma-2-27b-it"], { sliding_window: 4096, head_dim: 128, ...tied }),
  row2("gemma3_text", [262144, 640, 2048, 18, 4, 1, 32768], ["google/gemma-3-270m", "google/gemma-3-270m-it", "unsloth/gemma-3-270m-it"], { sliding_window: 512, ...wideHeads }),
  row2("gemma3_text", [262144, 1152, 6912, 26, 4, 1, 32768], ["google/gemma-3-1b-pt", "google/gemma-3-1b-it", "unsloth/gemma-3-1b-it"], { sliding_window: 512, ...wideHeads })
];
var phi1 = { partial_rotary_factor: 0.5, resid_pdrop: 0, embd_pdrop: 0, ...untied };
var longPhi3 = { sliding_window: 262144, resid_pdrop: 0, ...untied };
var shortPhi3 = { sliding_window: 2047, resid_pdrop: 0, ...untied };
var phi2 = [
  row2("phi", [51200, 2048, 8192, 24, 32, 32, 2048], ["microsoft/phi-1", "microsoft/phi-1_5"], phi1),
  row2("phi", [51200, 2560, 10240, 32, 32, 32, 2048], ["microsoft/phi-2"], { partial_rotary_factor: 0.4, resid_pdrop: 0.1, embd_pdrop: 0, ...untied }),
  row2("phi3", [32064, 3072, 8192, 32, 32, 32, 4096], ["microsoft/Phi-3-mini-4k-instruct"], shortPhi3),
  row2("phi3", [32064, 3072, 8192, 32, 32, 32, 131072], ["microsoft/Phi-3-mini-128k-instruct", "microsoft/Phi-3.5-mini-instruct"], longPhi3),
  row2("phi3", [32064, 5120, 17920, 40, 40, 10, 4096], ["microsoft/Phi-3-medium-4k-instruct"], shortPhi3),
  row2("phi3", [32064, 5120, 17920, 40, 40, 10, 131072], ["microsoft/Phi-3-medium-128k-instruct"], { ...longPhi3, sliding_window: 131072 }),
  row2("phi3", [100352, 5120, 17920, 40, 40, 10, 16384], ["microsoft/phi-4"], { sliding_window: null, resid_pdrop: 0, ...untied }),
  row2("phi3", [200064, 3072, 8192, 32, 24, 8, 131072], ["microsoft/Phi-4-mini-instruct"], { sliding_window: 262144, partial_rotary_factor: 0.75, resid_pdrop: 0, ...tied })
];
var pythia = { rotary_pct: 0.25, use_parallel_residual: true, ...untied };
var gptNeox2 = [
  row2("gpt_neox", [50304, 128, 512, 6, 4, 4, 2048], ["EleutherAI/pythia-14m"], pythia),
  row2("gpt_neox", [50304, 256, 1024, 6, 8, 8, 2048], ["EleutherAI/pythia-31m"], pythia),
  row2("gpt_neox", [50304, 512, 2048, 6, 8, 8, 2048], ["EleutherAI/pythia-70m", "EleutherAI/pythia-70m-deduped"], pythia),
  row2("gpt_neox", [50304, 768, 3072, 12, 12, 12, 2048], ["EleutherAI/pythia-160m", "EleutherAI/pythia-160m-deduped"], pythia),
  row2("gpt_neox", [50304, 1024, 4096, 24, 16, 16, 2048], ["EleutherAI/pythia-410m", "EleutherAI/pythia-410m-deduped"], pythia),
  row2("gpt_neox", [50304, 2048, 8192, 16, 8, 8, 2048], ["EleutherAI/pythia-1b", "EleutherAI/pythia-1b-deduped"], pythia),
  row2("gpt_neox", [50304, 2048, 8192, 24, 16, 16, 2048], ["EleutherAI/pythia-1.4b", "EleutherAI/pythia-1.4b-deduped"], pythia),
  row2("gpt_neox", [50304, 2560, 10240, 32, 32, 32, 2048], ["EleutherAI/pythia-2.8b", "EleutherAI/pythia-2.8b-deduped"], pythia),
  row2("gpt_neox", [50432, 4096, 16384, 32, 32, 32, 2048], ["EleutherAI/pythia-6.9b", "EleutherAI/pythia-6.9b-deduped"], pythia),
  row2("gpt_neox", [50688, 5120, 20480, 36, 40, 40, 2048], ["EleutherAI/pythia-12b", "EleutherAI/pythia-12b-deduped"], pythia),
  row2("gpt_neox", [50432, 6144, 24576, 44, 64, 64, 2048], ["EleutherAI/gpt-neox-20b"], pythia)
];
function optRow(hidden, layers, heads, id, differences = {}) {
  const config = {
    model_type: "opt",
    vocab_size: 50272,
    hidden_size: hidden,
    ffn_dim: 4 * hidden,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    max_position_embeddings: 2048,
    word_embed_proj_dim: hidden,
    do_layer_norm_before: true,
    dropout: 0.1,
    attention_dropout: 0,
    ...tied,
    ...differences
  };
  return { ids: [id], config };
}
var opt2 = [
  optRow(768, 12, 12, "facebook/opt-125m"),
  optRow(1024, 24, 16, "facebook/opt-350m", { word_embed_proj_dim: 512, do_layer_norm_before: false }),
  optRow(2048, 24, 32, "facebook/opt-1.3b"),
  optRow(2560, 32, 32, "facebook/opt-2.7b"),
  optRow(4096, 32, 32, "facebook/opt-6.7b"),
  optRow(5120, 40, 40, "facebook/opt-13b"),
  optRow(7168, 48, 56, "facebook/opt-30b"),
  optRow(9216, 64, 72, "facebook/opt-66b")
];
var groupedFalcon = { new_decoder_architecture: true, num_kv_heads: 8 };
function falconRow(ids, differences = {}) {
  return { ids, config: { model_type: "falcon", ...differences } };
}
var falcon2 = [
  falconRow(["tiiuae/falcon-7b", "tiiuae/falcon-7b-instruct"]),
  falconRow(["tiiuae/falcon-11B"], {
    ...groupedFalcon,
    hidden_size: 4096,
    num_hidden_layers: 60,
    num_attention_heads: 32,
    num_ln_in_parallel_attn: 1,
    max_position_embeddings: 8192,
    tie_word_embeddings: false
  }),
  falconRow(["tiiuae/falcon-40b", "tiiuae/falcon-40b-instruct"], {
    ...groupedFalcon,
    hidden_size: 8192,
    num_hidden_layers: 60,
    num_attention_heads: 128
  })
];
var llmRows = [
  ...llama,
  ...mistral,
  ...qwen2,
  ...qwen3,
  ...gemma,
  ...phi2,
  ...gptNeox2,
  ...opt2,
  ...falcon2
];

// engine/models/seq2seq-rows.ts
function row3(ids, sizes, differences = {}) {
  const [d_model, d_ff, num_layers, num_heads] = sizes;
  return { ids, config: { model_type: "t5", d_model, d_ff, num_layers, num_heads, ...differences } };
}
var gated = { feed_forward_proj: "gated-gelu", tie_word_embeddings: false };
var seq2seqRows = [
  row3(["google-t5/t5-small"], [512, 2048, 6, 8]),
  row3(["google-t5/t5-base"], [768, 3072, 12, 12]),
  row3(["google-t5/t5-large"], [1024, 4096, 24, 16]),
  row3(["google-t5/t5-3b"], [1024, 16384, 24, 32], { d_kv: 128 }),
  row3(["google-t5/t5-11b"], [1024, 65536, 24, 128], { d_kv: 128 }),
  row3(["google/flan-t5-small", "google/t5-v1_1-small"], [512, 1024, 8, 6], gated),
  row3(["google/flan-t5-base", "google/t5-v1_1-base"], [768, 2048, 12, 12], gated),
  row3(["google/flan-t5-large", "google/t5-v1_1-large"], [1024, 2816, 24, 16], gated),
  row3(["google/flan-t5-xl", "google/t5-v1_1-xl"], [2048, 5120, 24, 32], gated),
  row3(["google/flan-t5-xxl", "google/t5-v1_1-xxl"], [4096, 10240, 24, 64], gated)
];

// engine/models/vision-rows.ts
var basicBlocks = { layer_type: "basic", hidden_sizes: [64, 128, 256, 512] };
var deep = { depths: [3, 3, 27, 3] };
var tiny = { hidden_size: 192, num_attention_heads: 3, intermediate_size: 768 };
var small = { hidden_size: 384, num_attention_heads: 6, intermediate_size: 1536 };
var large = { hidden_size: 1024, num_hidden_layers: 24, num_attention_heads: 16, intermediate_size: 4096 };
function row4(ids, model_type, differences = {}) {
  return { ids, config: { model_type, ...differences } };
}
var visionRows = [
  row4(["microsoft/resnet-18"], "resnet", { ...basicBlocks, depths: [2, 2, 2, 2] }),
  row4(["microsoft/resnet-34"], "resnet", { ...basicBlocks, depths: [3, 4, 6, 3] }),
  row4(["microsoft/resnet-50"], "resnet"),
  row4(["microsoft/resnet-101"], "resnet", { depths: [3, 4, 23, 3] }),
  row4(["microsoft/resnet-152"], "resnet", { depths: [3, 8, 36, 3] }),
  // Only the distilled DeiTs have the token that makes a DeiT; the others are published as ViTs.
  row4(["google/vit-base-patch16-224", "google/vit-base-patch16-224-in21k", "facebook/deit-base-patch16-224"], "vit"),
  row4(["google/vit-base-patch16-384"], "vit", { image_size: 384 }),
  row4(["google/vit-base-patch32-224-in21k"], "vit", { patch_size: 32 }),
  row4(["google/vit-base-patch32-384"], "vit", { patch_size: 32, image_size: 384 }),
  row4(["google/vit-large-patch16-224", "google/vit-large-patch16-224-in21k"], "vit", large),
  row4(["google/vit-large-patch16-384"], "vit", { ...large, image_size: 384 }),
  row4(["google/vit-large-patch32-384"], "vit", { ...large, patch_size: 32, image_size: 384 }),
  row4(["facebook/deit-tiny-patch16-224"], "vit", tiny),
  row4(["facebook/deit-small-patch16-224"], "vit", small),
  row4(["facebook/deit-tiny-distilled-patch16-224"], "deit", tiny),
  row4(["facebook/deit-small-distilled-patch16-224"], "deit", small),
  row4(["facebook/deit-base-distilled-patch16-224"], "deit"),
  row4(["facebook/convnext-tiny-224"], "convnext"),
  row4(["facebook/convnext-small-224"], "convnext", deep),
  row4(
    ["facebook/convnext-base-224", "facebook/convnext-base-224-22k", "facebook/convnext-base-224-22k-1k"],
    "convnext",
    {
      ...deep,
      hidden_sizes: [128, 256, 512, 1024]
    }
  ),
  row4(["facebook/convnext-large-224", "facebook/convnext-large-224-22k-1k"], "convnext", {
    ...deep,
    hidden_sizes: [192, 384, 768, 1536]
  })
];

// engine/models/catalogue.ts
var aliases = {
  bert: "google-bert/bert-base-uncased",
  gpt2: "openai-community/gpt2",
  resnet: "microsoft/resnet-50"
};
var entries = new Map(
  [...classicRows, ...visionRows, ...llmRows, ...seq2seqRows].flatMap(
    (row5) => row5.ids.map((id) => [id.toLowerCase(), { id, row: row5 }])
  )
);
var bareNames = new Map(
  [...entries.values()].toReversed().map((entry) => [bareName(entry.id).toLowerCase(), entry])
);
var modelIds = [...entries.values()].map(({ id }) => id);
var modelNames = [...modelIds, ...bareNames.keys(), ...Object.keys(aliases)];
var withPositionTable = /* @__PURE__ */ new Set(["bert", "roberta", "distilbert", "gpt2", "opt"]);
var parsed = /* @__PURE__ */ new Map();
function findModel(name) {
  const key2 = name.toLowerCase();
  const alias = Object.hasOwn(aliases, key2) ? aliases[key2] : void 0;
  const entry = entries.get(alias ?? key2) ?? bareNames.get(key2);
  if (entry === void 0) return void 0;
  const model = parsed.get(entry.id) ?? describeModel(entry.id, modelConfig.parse(entry.row.config));
  parsed.set(entry.id, model);
  return model;
}
function describeModel(id, config) {
  const tasks3 = tasksOf(config);
  const maxPositions = maxPositionsOf(config);
  const imageSize = imageSizeOf(config);
  return {
    id,
    family: config.model_type,
    config,
    tasks: tasks3,
    defaultTask: tasks3[0],
    ...maxPositions !== void 0 && { maxPositions },
    ...imageSize !== void 0 && { imageSize },
    ...maxPositions !== void 0 && withPositionTable.has(config.model_type) && { positionLimit: maxPositions }
  };
}
function bareName(id) {
  return id.slice(id.lastIndexOf("/") + 1);
}

// engine/models/config-json.ts
var supportedArchitectures = modelConfig.options.flatMap((option) => [
  ...option.shape.model_type.values
]);
var MAX_ARCHITECTURE_CHARACTERS = 80;
function readConfigJson(text3) {
  const fields = parseObject(text3);
  const architecture = fields?.model_type;
  if (fields === void 0 || typeof architecture !== "string") return { kind: "not-a-model" };
  if (!supportedArchitectures.includes(architecture)) {
    return { kind: "unsupported", architecture: architecture.slice(0, MAX_ARCHITECTURE_CHARACTERS) };
  }
  const result = modelConfig.safeParse(withRotaryShare(fields));
  if (result.success) return { kind: "config", config: result.data };
  const [issue] = result.error.issues;
  return { kind: "invalid", why: `${issue?.path.join(".")}: ${issue?.message}` };
}
function withRotaryShare(fields) {
  const rope = fields.rope_parameters;
  if (!isObject(rope) || rope.partial_rotary_factor === void 0) return fields;
  const share2 = rope.partial_rotary_factor;
  return { partial_rotary_factor: share2, rotary_pct: share2, ...fields };
}
function parseObject(text3) {
  try {
    const value = JSON.parse(text3);
    return isObject(value) ? value : void 0;
  } catch {
    return void 0;
  }
}
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// engine/errors.ts
import * as z14 from "zod";
var problem = z14.object({
  /** Stable id, so that a policy or a test can name it without quoting the text. */
  code: z14.string().max(60),
  /** What is wrong, in one sentence, without a trailing full stop. Untrusted parts are quoted, never formatted. */
  message: z14.string().max(2e3),
  /** What to do about it, in one sentence. */
  fix: z14.string().max(2e3),
  file: z14.string().max(4096).optional(),
  /** 1-based. */
  line: z14.number().int().positive().optional(),
  /** 1-based. */
  column: z14.number().int().positive().optional(),
  /** The key as the config writes it, e.g. `training.per_device_train_batch_size`. */
  field: z14.string().max(500).optional()
});
var MemoryMarkError = class extends Error {
  problem;
  constructor(problem2, options) {
    super(`${formatWhere(problem2)}${problem2.message}. ${problem2.fix}`, options);
    this.name = "MemoryMarkError";
    this.problem = problem2;
  }
};
function formatWhere({ file, line, column, field }) {
  const place = [file, line, line && column].filter((part) => part !== void 0).join(":");
  const where = [place, field && `(${field})`].filter(Boolean).join(" ");
  return where ? `${where}: ` : "";
}
function closest(given, known2) {
  const limit = Math.min(2, Math.floor(given.length / 3));
  let best;
  for (const word of known2) {
    const distance = editDistance(given.toLowerCase(), word.toLowerCase());
    if (distance <= limit && (best === void 0 || distance < best.distance)) best = { word, distance };
  }
  return best?.word;
}
function editDistance(left, right) {
  const a = left.slice(0, 100);
  const b = right.slice(0, 100);
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(previous[j] + 1, current[j - 1] + 1, substitution));
    }
    previous = current;
  }
  return previous[b.length];
}

// engine/models/hub.ts
var hubId = /^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9_][\w.-]{0,95}$/;
function isHubId(name) {
  return hubId.test(name) && !name.includes("..");
}

// engine/models/unsupported-models.ts
var unsupportedModels = {
  bloom: ["bigscience/bloom-560m", "bigscience/bloom-7b1", "bigscience/bloomz-560m", "bigscience/bloomz-7b1"],
  deepseek_v3: ["deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-R1"],
  gemma3: ["google/gemma-3-4b-pt", "google/gemma-3-4b-it", "google/gemma-3-12b-it", "google/gemma-3-27b-it"],
  gpt_bigcode: ["bigcode/starcoder", "bigcode/starcoderbase-1b"],
  gpt_neo: ["EleutherAI/gpt-neo-125m", "EleutherAI/gpt-neo-1.3B", "EleutherAI/gpt-neo-2.7B"],
  gpt_oss: ["openai/gpt-oss-20b", "openai/gpt-oss-120b"],
  gptj: ["EleutherAI/gpt-j-6b"],
  llama4: ["meta-llama/Llama-4-Scout-17B-16E", "meta-llama/Llama-4-Scout-17B-16E-Instruct"],
  mixtral: ["mistralai/Mixtral-8x7B-v0.1", "mistralai/Mixtral-8x7B-Instruct-v0.1", "mistralai/Mixtral-8x22B-v0.1"],
  mllama: ["meta-llama/Llama-3.2-11B-Vision", "meta-llama/Llama-3.2-11B-Vision-Instruct"],
  mpt: ["mosaicml/mpt-7b", "mosaicml/mpt-7b-instruct", "mosaicml/mpt-30b"],
  qwen2_moe: ["Qwen/Qwen1.5-MoE-A2.7B"],
  qwen2_vl: ["Qwen/Qwen2-VL-2B-Instruct", "Qwen/Qwen2-VL-7B-Instruct"],
  qwen2_5_vl: ["Qwen/Qwen2.5-VL-3B-Instruct", "Qwen/Qwen2.5-VL-7B-Instruct"],
  qwen3_moe: ["Qwen/Qwen3-30B-A3B", "Qwen/Qwen3-235B-A22B"],
  smollm3: ["HuggingFaceTB/SmolLM3-3B", "HuggingFaceTB/SmolLM3-3B-Base"],
  starcoder2: ["bigcode/starcoder2-3b", "bigcode/starcoder2-7b", "bigcode/starcoder2-15b"],
  "xlm-roberta": ["FacebookAI/xlm-roberta-base", "FacebookAI/xlm-roberta-large"]
};
function unsupportedArchitectureOf(id) {
  const key2 = id.toLowerCase();
  const entries2 = Object.entries(unsupportedModels);
  return entries2.find(([, ids]) => ids.some((known2) => known2.toLowerCase() === key2))?.[0];
}

// engine/models/known-names.ts
var nicknames = {
  "llama-7b": "huggyllama/llama-7b",
  "llama-13b": "huggyllama/llama-13b",
  "mistral-7b": "mistralai/Mistral-7B-v0.1",
  "mistral-nemo": "mistralai/Mistral-Nemo-Base-2407",
  "phi-1.5": "microsoft/phi-1_5",
  "tinyllama-1.1b": "TinyLlama/TinyLlama_v1.1",
  tinyllama: "TinyLlama/TinyLlama_v1.1"
};
var decorations = wordSet(
  "instruct chat it pt hf meta bnb unsloth gptq awq gguf fp8 fp16 bf16 int4 int8 4bit 8bit dynamic quantized"
);
var reshaped = wordSet(
  "vl vision llava moe multimodal omni audio detr rcnn pruned depth width draft eagle medusa speculator merge"
);
var known;
function modelInName(name) {
  const words = wordsOf(name);
  known ??= knownNames();
  const matches = known.flatMap((candidate) => {
    const start = indexOfRun(words, candidate.words);
    return start < 0 ? [] : [{ candidate, start, end: start + candidate.words.length }];
  });
  const widest2 = matches.filter(
    (match) => !matches.some((other) => isWider(other, match) && other.start <= match.start && other.end >= match.end)
  );
  const [only, ...others] = widest2;
  if (only === void 0 || others.length > 0) return void 0;
  const { id, architecture } = only.candidate;
  if (architecture !== void 0) return { kind: "unsupported", architecture };
  const model = words.some((word) => reshaped.has(word)) ? void 0 : findModel(id);
  return model && { kind: "model", model };
}
function knownNames() {
  const unsupported2 = Object.entries(unsupportedModels).flatMap(
    ([architecture, ids]) => ids.map((id) => ({ words: wordsOf(id), id, architecture }))
  );
  const named2 = Object.entries(nicknames).map(([nickname, id]) => ({ words: wordsOf(nickname), id }));
  const catalogued = modelIds.map((id) => ({ words: wordsOf(id), id }));
  const byWords = /* @__PURE__ */ new Map();
  for (const candidate of [...named2, ...unsupported2, ...catalogued]) {
    const key2 = candidate.words.join(" ");
    if (!byWords.has(key2)) byWords.set(key2, candidate);
  }
  return [...byWords.values()];
}
function wordsOf(name) {
  const words = bareName(name.toLowerCase()).split(/[-_ ]+/);
  return words.filter((word) => word !== "" && !decorations.has(word)).flatMap((word) => /^([a-z]{3,})(\d[\d.]*)$/.exec(word)?.slice(1) ?? [word]);
}
function wordSet(words) {
  return new Set(words.split(" "));
}
function indexOfRun(words, run) {
  return words.findIndex((_, start) => run.every((word, offset) => words[start + offset] === word));
}
function isWider(a, b) {
  return a.end - a.start > b.end - b.start;
}

// engine/models/resolve.ts
var MAX_NAME_CHARACTERS = 200;
async function resolveModel(name, sources, configPath = "") {
  if (!isPlausible(name)) return { kind: "unknown" };
  const configFolder = posix.dirname(configPath);
  return await inFolder(name, sources, configFolder) ?? inCatalogue(name) ?? await besideConfig(name, sources, configFolder) ?? await onHub(name, sources);
}
function isPlausible(name) {
  return name.length <= MAX_NAME_CHARACTERS && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name);
}
async function inFolder(name, sources, configFolder) {
  const file = name.endsWith(".json") ? name : posix.join(name, "config.json");
  for (const path2 of /* @__PURE__ */ new Set([posix.normalize(file), posix.join(configFolder, file)])) {
    const text3 = await sources.readFile?.(path2);
    if (text3 !== void 0) return fromFile(name, path2, text3);
  }
  return void 0;
}
function inCatalogue(name) {
  const model = findModel(name);
  if (model !== void 0) return { kind: "resolved", model, how: "catalogue" };
  const architecture = unsupportedArchitectureOf(name);
  return architecture === void 0 ? void 0 : { kind: "unsupported", architecture, source: name };
}
async function besideConfig(name, sources, configFolder) {
  const path2 = posix.join(configFolder, "config.json");
  const text3 = await sources.readFile?.(path2);
  if (text3 === void 0 || readConfigJson(text3).kind === "not-a-model") return void 0;
  return fromFile(name, path2, text3);
}
async function onHub(name, { hub }) {
  if (hub === void 0 || !isHubId(name)) return inName(name) ?? { kind: "unknown" };
  const answer = await hub.configJson(name);
  switch (answer.kind) {
    case "found":
      return fromConfigJson(name, answer.text, {
        how: "hub",
        source: "its config.json on the Hub",
        sentence: `The model ${quote(name)} is described by its config.json on the Hugging Face Hub.`
      });
    case "missing":
      return inName(name) ?? { kind: "unknown" };
    case "refused":
      return inName(name) ?? { kind: "refused" };
    case "unreachable":
      return inName(name) ?? { kind: "unreachable", why: answer.why };
  }
}
function inName(name) {
  const named2 = modelInName(name);
  switch (named2?.kind) {
    case void 0:
      return void 0;
    case "unsupported":
      return { kind: "unsupported", architecture: named2.architecture, source: name };
    case "model":
      return {
        kind: "resolved",
        model: { ...named2.model, id: name },
        how: "assumed",
        sentence: `The model ${quote(name)} is assumed to have the shape of ${named2.model.id}, by its name: no config.json of its own was found.`
      };
  }
}
function fromFile(name, path2, text3) {
  const sentence = `The model ${quote(name)} is described by ${quote(path2)} in the repository.`;
  return fromConfigJson(name, text3, { how: "repository", source: path2, sentence });
}
function fromConfigJson(name, text3, { how, source, sentence }) {
  const read12 = readConfigJson(text3);
  switch (read12.kind) {
    case "config":
      return { kind: "resolved", model: describeModel(name, read12.config), how, sentence };
    case "unsupported":
      return { kind: "unsupported", architecture: read12.architecture, source };
    case "not-a-model":
      return { kind: "invalid", source, why: "it has no model_type" };
    case "invalid":
      return { kind: "invalid", source, why: read12.why };
  }
}

// engine/config/written-keys.ts
function writesAny(keys2) {
  const pattern = new RegExp(`(?:^|[\\s{,"'])(?:${keys2.join("|")})["']?[ \\t]*:`, "m");
  return (text3) => pattern.test(text3);
}

// engine/config/dialects/accelerate.ts
var ownKeys = ["compute_environment", "distributed_type", "main_training_function", "machine_rank", "downcast_bf16"];
var accelerate = {
  name: "Accelerate",
  mayBe: writesAny(["distributed_type", "compute_environment"]),
  recognise: (document) => {
    const found = ownKeys.filter((key2) => document.fields.has(key2));
    return document.fields.has("distributed_type") && found.length >= 2 ? found.join(", ") : void 0;
  },
  modelField: () => void 0,
  read: (document, reader) => {
    const gpus2 = document.at("num_processes");
    if (gpus2?.value.kind === "number") reader.note("gpus", gpus2.value.number, gpus2);
    const precision = document.at("mixed_precision");
    const says = [
      gpus2 && `${gpus2.source} processes`,
      precision && `mixed precision ${quote(precision.source)}`,
      document.at("distributed_type")?.source
    ].filter((part) => part !== void 0);
    return {
      kind: "not-a-training-config",
      why: `It holds launch settings of Accelerate (${says.join(", ")}) and no batch size: the script's own config is what is checked.`
    };
  }
};

// engine/config/supplied.ts
var SETTINGS_PATH = ".github/memorymark.yml";
var suppliedKeys = ["model", "task", "sequence_length", "image_size", "labels"];
function orInSettings(key2) {
  return `or add ${key2} for this path to the overrides in ${SETTINGS_PATH}`;
}

// engine/config/fields.ts
var MAX_PROBLEMS = 50;
var FieldReader = class {
  problems = [];
  assumptions = [];
  decisions = [];
  #path;
  #supplied;
  #unread;
  /** Fields whose value the settings may supply, by the key under which they would. */
  #suppliable = /* @__PURE__ */ new Map();
  /** `supplied` wins over what the config writes. */
  constructor(path2, supplied = {}) {
    this.#path = path2;
    this.#supplied = supplied;
    this.#unread = new Set(suppliedKeys.filter((key2) => this.supplies(key2)));
  }
  supplies(key2) {
    return this.#supplied[key2] !== void 0;
  }
  /** What was supplied and, so far, not asked for. */
  get unread() {
    return [...this.#unread];
  }
  /** The field that a setting is read from: the one that the repository's settings supply, or else the config's own. */
  fieldFor(key2, written) {
    const field = this.#supplied[key2];
    this.#unread.delete(key2);
    if (field === void 0) {
      if (written !== void 0) this.#suppliable.set(written, key2);
      return written;
    }
    const sentence = `The ${key2.replace("_", " ")} is ${shown(field)}, as ${field.file ?? SETTINGS_PATH} says.`;
    if (!this.assumptions.includes(sentence)) this.assume(sentence);
    return field;
  }
  assume(sentence) {
    this.assumptions.push(sentence);
  }
  /** Reads a setting, or takes its default where the field is missing or was refused; either way notes where it came from. */
  settle(setting, field, read12, byDefault2) {
    if (field === void 0 || field.value.kind === "empty") {
      if (byDefault2.assumption !== void 0) this.assume(byDefault2.assumption);
      return this.note(setting, byDefault2.value, byDefault2.source);
    }
    const value = read12(field);
    return value === void 0 ? byDefault2.value : this.note(setting, value, field);
  }
  /** Reads a setting that a spec goes without where the field is missing. */
  optional(setting, field, read12) {
    if (field === void 0 || field.value.kind === "empty") return void 0;
    const value = read12(field);
    return value === void 0 ? void 0 : this.note(setting, value, field);
  }
  /** Notes where a value came from: a field, or what is said of it. Answers the value. */
  note(setting, value, from) {
    this.decisions.push({
      setting,
      value,
      from: typeof from === "string" ? { kind: "default", source: from } : { kind: "field", field: from }
    });
    return value;
  }
  /** Without a field the problem is the whole file's. */
  refuse(field, code, message, fix) {
    const where = field && { ...field.at, field: field.name };
    const file = field?.file ?? this.#path;
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ code, message, fix, file, ...where });
    return void 0;
  }
  wholeNumber(field, { min = 1, max }) {
    if (field === void 0 || this.#isOpen(field)) return void 0;
    const range = `a whole number from ${count(min)} to ${count(max)}`;
    const { value } = field;
    if (value.kind === "text" && /^\s*\d{1,15}\s*$/.test(value.text)) {
      return this.refuse(
        field,
        "number-in-quotes",
        `${quote(value.text)} is text, not a number`,
        `Write it without quotes: ${Number(value.text)}.`
      );
    }
    if (value.kind !== "number" || !Number.isInteger(value.number)) {
      return this.refuse(field, "not-a-whole-number", `${shown(field)} is not a whole number`, `Write ${range}.`);
    }
    if (value.number < min) {
      return this.refuse(field, "out-of-range", `${plain2(field.source)} is less than ${count(min)}`, `Write ${range}.`);
    }
    if (value.number > max) {
      return this.refuse(field, "out-of-range", `${plain2(field.source)} is more than ${count(max)}`, `Write ${range}.`);
    }
    return value.number;
  }
  /** From 0 to 1. */
  share(field) {
    if (field === void 0 || this.#isOpen(field)) return void 0;
    const { value } = field;
    if (value.kind === "number" && value.number >= 0 && value.number <= 1) return value.number;
    return this.refuse(
      field,
      "not-a-share",
      `${shown(field)} is not a number from 0 to 1`,
      "Write a number from 0 to 1."
    );
  }
  flag(field) {
    if (field === void 0 || this.#isOpen(field)) return void 0;
    if (field.value.kind === "flag") return field.value.flag;
    return this.refuse(field, "not-a-flag", `${shown(field)} is neither true nor false`, "Write true or false.");
  }
  text(field) {
    if (field === void 0 || this.#isOpen(field)) return void 0;
    if (field.value.kind === "text") return field.value.text.trim();
    return this.refuse(field, "not-text", `${shown(field)} is not text`, "Write one name.");
  }
  /** `offered` are the spellings that messages name, in case `choices` accepts more. */
  choice(field, choices, offered = [...choices.keys()]) {
    const text3 = this.text(field);
    if (text3 === void 0) return void 0;
    if (choices.has(text3)) return choices.get(text3);
    return this.refuse(field, "unknown-value", `${quote(text3)} is not known here`, suggest(text3, offered));
  }
  /** Told apart from a mistake: the value is filled in when the training starts. */
  #isOpen(field) {
    if (!isPlaceholder(field)) return false;
    const key2 = this.#suppliable.get(field);
    this.refuse(
      field,
      "not-in-file",
      `The value cannot be known from the file: it holds ${quote(field.source)}`,
      key2 === void 0 ? "Write the value into the config if it should be checked." : `Write the value into the config, ${orInSettings(key2)}.`
    );
    return true;
  }
};
function suggest(given, known2) {
  const meant = closest(given, known2);
  const use = `Use ${oneOf(known2)}.`;
  return meant === void 0 ? use : `Did you mean ${meant}? ${use}`;
}
function isPlaceholder({ value, source }) {
  if (value.kind === "mapping") return source.startsWith("{{");
  return value.kind === "text" && (/\$[{(]|\{\{|\{%/.test(value.text) || /^(auto|\?\?\?|\$\w+)$/i.test(value.text));
}
function shown({ value, source }) {
  switch (value.kind) {
    case "empty":
      return "An empty value";
    case "list":
      return "A list";
    case "mapping":
      return "A mapping";
    case "text":
      return quote(value.text);
    case "number":
    case "flag":
      return plain2(source);
  }
}
function count(number14) {
  return number14.toLocaleString("en-US");
}

// engine/config/model-problem.ts
var bringConfig = "put the model's config.json into the repository, in a folder of that name or beside the training config";
function modelProblem(name, resolution) {
  switch (resolution.kind) {
    case "unknown":
      return {
        code: "unknown-model",
        message: `The model ${quote(name)} is not known`,
        fix: didYouMean(name) ?? `Write its Hub id, or ${bringConfig}.`
      };
    case "unsupported":
      return {
        code: "unsupported-architecture",
        message: `The architecture ${quote(resolution.architecture)} of the model ${quote(name)} is not supported`,
        fix: `Supported are ${oneOf(supportedArchitectures)}. CONTRIBUTING.md says how to add another.`
      };
    case "invalid":
      return {
        code: "unusable-model-config",
        message: `The model ${quote(name)} cannot be known from ${quote(resolution.source)}: ${resolution.why}`,
        fix: "Use the config.json that save_pretrained wrote beside the weights."
      };
    case "refused":
      return {
        code: "model-refused",
        message: `The Hugging Face Hub does not show the model ${quote(name)} to everybody`,
        fix: `Set HF_TOKEN to a token that may read it, or ${bringConfig}.`
      };
    case "unreachable":
      return {
        code: "hub-unreachable",
        message: `The model ${quote(name)} is not in the catalogue, and the Hugging Face Hub gave no answer: ${resolution.why}`,
        fix: `Try again, or ${bringConfig}.`
      };
  }
}
function didYouMean(name) {
  const meant = closest(name, modelNames);
  return meant && `Did you mean ${meant}?`;
}

// engine/config/model-fields.ts
var MAX_SEQUENCE = 1e7;
var MAX_IMAGE_SIDE = 1e5;
var MAX_LABELS = 1e6;
var DEFAULT_SEQUENCE = 512;
var IMAGENET_LABELS = 1e3;
function modelNameIn(field) {
  return field?.value.kind === "empty" ? void 0 : new FieldReader("").text(field);
}
function readModel(reader, written, expectedKey, lookUp) {
  const field = reader.fieldFor("model", written);
  if (field === void 0 || field.value.kind === "empty") {
    return reader.refuse(
      field,
      "model-not-in-file",
      "The model cannot be known from the file",
      `Set ${expectedKey} in the config, ${orInSettings("model")}.`
    );
  }
  const id = reader.text(field);
  if (id === void 0) return void 0;
  const resolution = lookUp(id);
  if (resolution.kind === "resolved") {
    if (resolution.sentence !== void 0) reader.assume(resolution.sentence);
    reader.note("model", resolution.model.id, field);
    return resolution.model;
  }
  const { code, message, fix } = modelProblem(id, resolution);
  return reader.refuse(field, code, message, fix);
}
function readUnwrittenTask(reader, model) {
  const field = reader.fieldFor("task", void 0);
  const task = reader.choice(field, new Map(tasks.map((task2) => [task2, task2])));
  if (task !== void 0) return checkTask(reader, field, task, model);
  reader.assume(`The task is ${model.defaultTask}: the config names none.`);
  return model.defaultTask;
}
function checkTask(reader, field, task, model) {
  if (!model.tasks.includes(task)) {
    reader.refuse(
      field,
      "unsupported-task",
      `The model ${quote(model.id)} is not supported for ${task}`,
      `Use ${oneOf(model.tasks)}.`
    );
  }
  return task;
}
function readInputSize(reader, model, fields) {
  const sequenceLength = reader.fieldFor("sequence_length", fields.sequenceLength);
  const imageSize = reader.fieldFor("image_size", fields.imageSize);
  const tokens = reader.wholeNumber(sequenceLength, { max: MAX_SEQUENCE });
  const pixels = reader.wholeNumber(imageSize, { max: MAX_IMAGE_SIDE });
  if (tokens !== void 0 && sequenceLength !== void 0) reader.note("sequenceLength", tokens, sequenceLength);
  if (pixels !== void 0 && imageSize !== void 0) reader.note("imageSize", pixels, imageSize);
  if (model === void 0) return {};
  const { imageSize: trainedPixels } = model;
  if (trainedPixels !== void 0) {
    if (imageSize === void 0) {
      reader.note("imageSize", trainedPixels, "as the model was trained");
      reader.assume(`Images of ${trainedPixels}×${trainedPixels} pixels: the config names no image size.`);
    }
    return { imageSize: pixels ?? trainedPixels };
  }
  const trained = model.maxPositions ?? MAX_SEQUENCE;
  if (sequenceLength === void 0) return { sequenceLength: assumedLength(reader, trained, fields.length) };
  if (tokens !== void 0 && tokens > trained) tellTooLong(reader, sequenceLength, tokens, model);
  return { sequenceLength: tokens ?? trained };
}
function tellTooLong(reader, field, tokens, model) {
  const { positionLimit, maxPositions } = model;
  if (positionLimit === void 0) {
    reader.assume(`${tokens} tokens, though ${quote(model.id)} was trained on up to ${maxPositions}: taken as written.`);
    return;
  }
  reader.refuse(
    field,
    "sequence-too-long",
    `${tokens} tokens are more than the ${positionLimit} positions of ${quote(model.id)}`,
    `Write a length up to ${positionLimit}, or use a model with more positions.`
  );
}
function assumedLength(reader, limit, preferred = DEFAULT_SEQUENCE) {
  const length = Math.min(preferred, limit);
  reader.assume(`Sequences of ${length} tokens: the config sets no maximum length.`);
  return reader.note("sequenceLength", length, "assumed");
}
function readLabels(reader, written, task, known2) {
  const field = reader.fieldFor("labels", written);
  const labels = reader.wholeNumber(field, { max: MAX_LABELS }) ?? known2;
  if (labels !== void 0) return labels;
  switch (task) {
    case "sequence-classification":
      reader.assume("Two labels: the config sets no number of labels.");
      return 2;
    case "image-classification":
      reader.assume("1,000 labels, as in ImageNet: the config sets no number of labels.");
      return IMAGENET_LABELS;
    case "masked-lm":
    case "causal-lm":
    case "seq2seq-lm":
    case void 0:
      return 2;
  }
}

// engine/config/language-model.ts
function readBatch(reader, { batchSize: batchSize2, defaultBatch, accumulation }) {
  const count2 = (field) => reader.wholeNumber(field, { max: MAX_BATCH });
  const none = { value: 1, source: "no accumulation" };
  return {
    microBatch: reader.settle("microBatch", batchSize2, count2, defaultBatch),
    gradientAccumulation: reader.settle("gradientAccumulation", accumulation, count2, none),
    batchSize: batchSize2,
    accumulation
  };
}
function readGpus(reader, field) {
  return reader.settle("gpus", field, (present2) => reader.wholeNumber(present2, { max: 1e5 }), {
    value: 1,
    source: "not in the file",
    assumption: "One GPU: the config does not say how many processes run."
  });
}
function languageModelReading(reader, config) {
  const { model, batch, settings } = config;
  const size2 = readSequence(reader, model, config.sequence);
  if (model !== void 0 && !model.tasks.includes("causal-lm")) {
    reader.refuse(
      void 0,
      "unsupported-task",
      `The model ${quote(model.id)} is not supported for causal-lm`,
      "Name a decoder, or leave this config out of the check."
    );
  }
  if (model === void 0 || reader.problems.length > 0) return { kind: "unreadable", problems: reader.problems };
  return {
    kind: "training-config",
    dialect: config.dialect,
    model,
    spec: {
      model: model.id,
      task: "causal-lm",
      framework: "pytorch",
      step: "training",
      microBatch: batch.microBatch,
      gradientAccumulation: batch.gradientAccumulation,
      ...size2,
      labels: 2,
      ...present(settings),
      // None of these tools' loops keeps the logits or a key/value cache through the backward pass.
      loop: "trainer"
    },
    ...batch.batchSize && { batchSizeAt: batch.batchSize.at },
    ...batch.accumulation && { gradientAccumulationAt: batch.accumulation.at },
    assumptions: reader.assumptions
  };
}
function present(settings) {
  const { lora, quantization, sharding, offload, fusedLoss, ...always } = settings;
  return {
    ...always,
    ...lora && { lora },
    ...quantization && { quantization },
    ...sharding && { sharding },
    ...offload && { offload },
    ...fusedLoss !== void 0 && { fusedLoss }
  };
}
function readSequence(reader, model, sequence) {
  const { value: length, source } = sequence.byDefault;
  const field = reader.fieldFor("sequence_length", sequence.field);
  if (field !== void 0) return readInputSize(reader, model, { sequenceLength: field, imageSize: void 0 });
  const sequenceLength = Math.min(length, model?.maxPositions ?? length);
  reader.note("sequenceLength", sequenceLength, source);
  reader.assume(
    sequence.byDefault.assumption ?? `Sequences of ${sequenceLength} tokens, ${source}: the config sets no length.`
  );
  return { sequenceLength };
}

// engine/config/trainer/adapter-targets.ts
var llama2 = {
  all: ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"],
  usual: ["q_proj", "v_proj"]
};
var linears = {
  llama: llama2,
  mistral: llama2,
  qwen2: llama2,
  qwen3: llama2,
  gemma: llama2,
  gemma2: llama2,
  gemma3_text: llama2,
  phi: { all: ["q_proj", "k_proj", "v_proj", "dense", "fc1", "fc2"], usual: ["q_proj", "v_proj", "fc1", "fc2"] },
  phi3: { all: ["qkv_proj", "o_proj", "gate_up_proj", "down_proj"], usual: ["qkv_proj"] },
  gpt2: { all: ["c_attn", "c_proj", "c_fc"], usual: ["c_attn"] },
  gpt_neox: { all: ["query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h"], usual: ["query_key_value"] },
  opt: { all: ["q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"], usual: ["q_proj", "v_proj"] }
};
function linearsOf(model) {
  return linears[model.family];
}

// engine/config/trainer/adapter.ts
var MAX_RANK = 1e4;
var MAX_TARGETS = 100;
var everyLinear = /* @__PURE__ */ new Set(["all-linear", "all_linear", "all"]);
function readLora(reader, model, fields) {
  const rank2 = fields.rank ? reader.wholeNumber(fields.rank, { max: MAX_RANK }) : fields.defaultRank.value;
  const dropout = fields.dropout ? reader.share(fields.dropout) : fields.defaultDropout;
  if (fields.rank === void 0 && fields.defaultRank.assumption !== void 0) {
    reader.assume(fields.defaultRank.assumption);
  }
  if (model === void 0 || rank2 === void 0 || dropout === void 0) return void 0;
  const targets = targetsIn(reader, model, fields);
  if (targets === void 0) return void 0;
  return reader.note("lora", { rank: rank2, targets: [...targets], dropout }, fields.rank ?? fields.defaultRank.source);
}
function targetsIn(reader, model, { targets, targetField }) {
  const linears2 = linearsOf(model);
  if (linears2 === void 0) {
    return reader.refuse(
      targetField,
      "unsupported-setting",
      `Adapters on models of the family ${model.family} are not modelled yet`,
      "Leave this config out of the check for now."
    );
  }
  if (targets === "all") return linears2.all;
  if (targets === "usual") {
    reader.assume(`Adapters on ${linears2.usual.join(" and ")}, as peft does where the config names no layers.`);
    return linears2.usual;
  }
  const found = linears2.all.filter((linear) => targets.includes(linear));
  if (found.length > 0) return found;
  return reader.refuse(
    targetField,
    "no-such-lora-target",
    `${quote(model.id)} has no linear layer named ${oneOf(targets.slice(0, MAX_TARGETS).map(quote))}`,
    `Name some of ${linears2.all.join(", ")}.`
  );
}
function readTargets(reader, field) {
  if (field === void 0 || field.value.kind === "empty") return void 0;
  const names = namesIn(field) ?? reader.text(field)?.split(",");
  if (names === void 0) return void 0;
  const trimmed = names.map((name) => name.trim()).filter((name) => name !== "");
  if (trimmed.some((name) => everyLinear.has(name))) return "all";
  return [...new Set(trimmed.flatMap((name) => name.match(/[A-Za-z_0-9]+/g)?.slice(-8) ?? []))].slice(0, MAX_TARGETS);
}
function namesIn({ value }) {
  if (value.kind !== "list") return void 0;
  return value.items.flatMap((item) => item.kind === "text" ? [item.text] : []);
}

// engine/config/trainer/attention.ts
var fusedAttention = { attention: "sdpa", masksPadding: true };
var flashAttention = { attention: "sdpa", masksPadding: false };
var eagerAttention = { attention: "eager", masksPadding: true };
var implementations = /* @__PURE__ */ new Map([
  ["eager", eagerAttention],
  ["sdpa", fusedAttention],
  ["flash_attention_2", flashAttention]
]);
var sameBytes = ["flash_attention_3", "flex_attention", "xformers", "sage", "s2"];
var byDefault = { value: "sdpa", source: "transformers' default" };
function readImplementation(reader, field) {
  let choice = fusedAttention;
  reader.settle(
    "attention",
    field,
    (present2) => {
      choice = implementation(reader, present2) ?? fusedAttention;
      return choice.attention;
    },
    byDefault
  );
  return choice;
}
function implementation(reader, field) {
  const name = reader.text(field);
  if (name === void 0) return void 0;
  const known2 = implementations.get(name);
  if (known2?.masksPadding) return known2;
  if (known2 === void 0 && !sameBytes.includes(name) && !name.includes("/")) {
    return reader.refuse(
      field,
      "unknown-value",
      `${quote(name)} is not known here`,
      suggest(name, [...implementations.keys()])
    );
  }
  const shown2 = known2 === void 0 ? quote(name) : name;
  reader.assume(`${shown2} is taken as sdpa: the flash kernel and the fused one hold the same bytes.`);
  return flashAttention;
}

// engine/config/trainer/optimizer.ts
var trainerOptimizers = /* @__PURE__ */ new Map([
  // torch.optim.AdamW takes its foreach path on CUDA.
  ["adamw_torch", "adamw"],
  ["adamw_torch_fused", "adamw-fused"],
  ["adamw_apex_fused", "adamw-fused"],
  // transformers' own AdamW, gone in version 5, loops over the parameters.
  ["adamw_hf", "adamw-loop"],
  // The Trainer hands torch.optim.SGD no momentum.
  ["sgd", "sgd"],
  ["adafactor", "adafactor"],
  ["adamw_8bit", "adamw-8bit"],
  ["adamw_bnb_8bit", "adamw-8bit"],
  // torchao: 8-bit state in blocks of 256, as bitsandbytes' is.
  ["adamw_torch_8bit", "adamw-8bit"],
  ["paged_adamw", "paged-adamw"],
  ["paged_adamw_32bit", "paged-adamw"],
  ["paged_adamw_8bit", "paged-adamw-8bit"],
  ["lion", "lion"],
  ["lion_32bit", "lion"]
]);
var heavierKin = /* @__PURE__ */ new Map([
  ["adamw_torch_4bit", ["adamw-8bit", "4-bit AdamW is counted as 8-bit: the estimate is up to 1 B a parameter high."]],
  ["ao_adamw_4bit", ["adamw-8bit", "4-bit AdamW is counted as 8-bit: the estimate is up to 1 B a parameter high."]],
  ["ao_adamw_8bit", ["adamw-8bit", "torchao's 8-bit AdamW is counted as bitsandbytes'."]],
  ["lion_8bit", ["lion", "The 8-bit state of Lion is counted as wide as the parameters."]],
  ["paged_lion", ["lion", "The paged state of Lion is counted on the GPU."]],
  ["paged_lion_32bit", ["lion", "The paged state of Lion is counted on the GPU."]],
  ["paged_lion_8bit", ["lion", "The paged 8-bit state of Lion is counted on the GPU, as wide as the parameters."]]
]);
var unsupported = [
  ...["adagrad", "rmsprop", "rmsprop_bnb", "rmsprop_bnb_8bit", "rmsprop_bnb_32bit", "adamw_anyprecision"],
  ...["adamw_torch_xla", "adamw_torch_npu_fused", "ademamix", "ademamix_8bit", "paged_ademamix_32bit"],
  ...["paged_ademamix_8bit", "galore_adamw", "galore_adamw_8bit", "galore_adafactor", "galore_adamw_layerwise"],
  ...["galore_adamw_8bit_layerwise", "galore_adafactor_layerwise", "lomo", "adalomo", "grokadamw"],
  ...["schedule_free_radam", "schedule_free_adamw", "schedule_free_sgd", "apollo_adamw", "apollo_adamw_layerwise"],
  ...["stable_adamw", "optimi_adamw", "adopt_adamw", "came_pytorch", "muon", "dion", "ao_adamw_fp8"]
];
var trainerDefault = {
  value: "adamw-fused",
  source: "the Trainer's default from PyTorch 2.8 on",
  assumption: "Fused AdamW, the Trainer's default from PyTorch 2.8 on: the config sets no optim."
};
function readTrainerOptimizer(reader, field, byDefault2 = trainerDefault) {
  return reader.settle("optimizer", field, (present2) => trainerOptimizer(reader, present2), byDefault2);
}
function trainerOptimizer(reader, field) {
  const name = reader.text(field);
  if (name === void 0) return void 0;
  const optimizer = trainerOptimizers.get(name);
  if (optimizer !== void 0) return optimizer;
  const [kin, sentence] = heavierKin.get(name) ?? [];
  if (kin === void 0 || sentence === void 0) return refuse(reader, field, name);
  reader.assume(sentence);
  return kin;
}
function refuse(reader, field, name) {
  const use = `Supported are ${oneOf([...trainerOptimizers.keys()])}.`;
  if (unsupported.includes(name)) {
    return reader.refuse(field, "unsupported-optimizer", `The optimizer ${quote(name)} is not supported yet`, use);
  }
  const meant = closest(name, [...trainerOptimizers.keys(), ...heavierKin.keys(), ...unsupported]);
  const fix = meant === void 0 ? use : `Did you mean ${meant}? ${use}`;
  return reader.refuse(field, "unknown-optimizer", `The optimizer ${quote(name)} is not known`, fix);
}

// engine/config/trainer/sharding.ts
var stages = [void 0, "zero1", "zero2", "zero3"];
var stageInName = /(?:zero|stage|ds|z)[-_]?(?:z|stage)?[-_]?([0-3])(?!\d)/i;
function readDeepSpeed(reader, field) {
  if (field === void 0 || field.value.kind === "empty") return {};
  if (field.value.kind === "mapping") return shardedBy(reader, field.value.section);
  const path2 = reader.text(field);
  if (path2 === void 0 || path2 === "") return {};
  const name = path2.split("/").at(-1) ?? path2;
  const stage = stageInName.exec(name)?.[1];
  if (stage === void 0) {
    reader.refuse(
      field,
      "not-in-file",
      `The ZeRO stage cannot be known from the file: it is in ${quote(path2)}`,
      "Name the stage in the file name (zero2.json), or write the DeepSpeed settings here."
    );
    return {};
  }
  const sharding = stages[Number(stage)];
  const offload = offloadInName(name);
  reader.assume(`ZeRO stage ${stage}${offload ? ", offloaded to the host" : ""}: read from the name of ${quote(path2)}.`);
  if (sharding !== void 0) reader.note("sharding", sharding, field);
  if (offload !== void 0) reader.note("offload", offload, field);
  return { ...sharding && { sharding }, ...offload && { offload } };
}
function offloadInName(name) {
  if (!/offload/i.test(name) || /offload_?params?\b/i.test(name)) return void 0;
  return /all|param/i.test(name) || /z(?:ero)?[-_]?3/i.test(name) ? "optimizer-and-weights" : "optimizer";
}
function shardedBy(reader, config) {
  const stage = config.at("zero_optimization", "stage");
  const isStage = stage && reader.wholeNumber(stage, { min: 0, max: 3 });
  const sharding = isStage === void 0 ? void 0 : stages[isStage];
  const offloaded = (key2) => offloads(config.at("zero_optimization", key2, "device"));
  const weights = offloaded("offload_param");
  const optimizer = offloaded("offload_optimizer") ?? config.at("zero_optimization", "cpu_offload");
  if (sharding !== void 0 && stage !== void 0) reader.note("sharding", sharding, stage);
  return { ...sharding && { sharding }, ...offloadOf(reader, weights, optimizer) };
}
function offloads(device) {
  return device?.value.kind === "text" && device.value.text !== "none" ? device : void 0;
}
function offloadOf(reader, weights, optimizer) {
  if (weights !== void 0 && optimizer === void 0) {
    reader.assume("Offloaded weights alone are counted as staying on the GPU: the estimate is high.");
    return {};
  }
  if (weights !== void 0) return { offload: reader.note("offload", "optimizer-and-weights", weights) };
  if (optimizer === void 0 || optimizer.value.kind === "flag" && !optimizer.value.flag) return {};
  return { offload: reader.note("offload", "optimizer", optimizer) };
}
function readFsdp(reader, { fsdp, config }) {
  const words = wordsIn(fsdp);
  const field = fsdp !== void 0 && words.length > 0 ? fsdp : void 0;
  const strategy = config?.at("fsdp_sharding_strategy") ?? config?.at("fsdp_reshard_after_forward");
  const anySetting = config && [...config.fields.values()][0];
  const from = field ?? anySetting;
  if (from === void 0 || words.includes("no_shard")) return {};
  const keepsWeights = words.includes("shard_grad_op") || strategy !== void 0 && saysGradientsOnly(strategy);
  const sharding = reader.note("sharding", keepsWeights ? "zero2" : "fsdp", from);
  const offloads2 = config?.at("fsdp_offload_params") ?? config?.at("offload_params");
  const isOffloaded = words.includes("offload") || offloads2?.value.kind === "flag" && offloads2.value.flag;
  if (!isOffloaded) return { sharding };
  return { sharding, offload: reader.note("offload", "optimizer-and-weights", offloads2 ?? from) };
}
function saysGradientsOnly({ value }) {
  if (value.kind === "flag") return !value.flag;
  return value.kind === "text" && /shard_grad_op/i.test(value.text) || value.kind === "number" && value.number === 2;
}
function wordsIn(field) {
  if (field?.value.kind === "text")
    return field.value.text.toLowerCase().split(/[\s,]+/).filter(Boolean);
  if (field?.value.kind === "flag") return field.value.flag ? ["full_shard"] : [];
  if (field?.value.kind !== "list") return [];
  return field.value.items.flatMap((item) => item.kind === "text" ? [item.text.toLowerCase()] : []);
}

// engine/config/dialects/axolotl.ts
var ownKeys2 = [
  "micro_batch_size",
  "sequence_len",
  "sample_packing",
  "val_set_size",
  "lora_target_linear",
  "adapter",
  "datasets"
];
var writesModel = writesAny(["base_model"]);
var writesOwn = writesAny(["micro_batch_size", "sequence_len", "sample_packing", "val_set_size"]);
var axolotl = {
  name: "Axolotl",
  mayBe: (text3) => writesModel(text3) && writesOwn(text3),
  recognise: (document) => {
    const found = ownKeys2.filter((key2) => document.fields.has(key2));
    const isTraining = document.fields.has("micro_batch_size") || found.length >= 2;
    return document.fields.has("base_model") && isTraining ? `base_model beside ${found.join(", ")}` : void 0;
  },
  modelField: (document) => document.at("base_model"),
  read
};
function read(document, reader, lookUp) {
  refuseOtherTraining(reader, document);
  const model = readModel(reader, document.field("base_model"), "base_model", lookUp);
  const batch = readBatch(reader, {
    batchSize: document.at("micro_batch_size"),
    defaultBatch: {
      value: 1,
      source: "Axolotl's default",
      assumption: "A batch size of 1, Axolotl's default: the config sets none."
    },
    accumulation: document.at("gradient_accumulation_steps")
  });
  const hasAdapter = readsAdapter(reader, document.at("adapter"));
  const sharded = readSharding(reader, document);
  const attention5 = readAttention(reader, document);
  const packing = document.at("sample_packing");
  const isPacked = packing !== void 0 && reader.flag(packing) === true;
  return languageModelReading(reader, {
    dialect: axolotl.name,
    model,
    batch,
    sequence: { field: document.at("sequence_len"), byDefault: { value: 512, source: "Axolotl's default" } },
    settings: {
      gpus: readGpus(reader, void 0),
      precision: readPrecision(reader, document, sharded, hasAdapter),
      optimizer: readTrainerOptimizer(reader, document.at("optimizer"), {
        value: "adamw-fused",
        source: "Axolotl's default",
        assumption: "Fused AdamW, Axolotl's default: the config sets no optimizer."
      }),
      attention: attention5.attention,
      gradientCheckpointing: readCheckpointing(reader, document.at("gradient_checkpointing")),
      lora: hasAdapter ? readLora(reader, model, {
        rank: document.at("lora_r"),
        defaultRank: {
          value: 8,
          source: "peft's default",
          assumption: "Adapters of rank 8, peft's default: the config sets no lora_r."
        },
        dropout: document.at("lora_dropout"),
        defaultDropout: 0,
        targets: targetsOf(reader, document),
        targetField: document.at("lora_target_modules") ?? document.at("adapter")
      }) : void 0,
      quantization: readQuantization(reader, document, hasAdapter),
      ...sharded,
      fusedLoss: readFusedLoss(reader, document),
      paddedBatches: reader.note(
        "paddedBatches",
        !isPacked && attention5.masksPadding,
        packing ?? "by the attention kernel"
      )
    }
  });
}
function refuseOtherTraining(reader, document) {
  const rl = document.at("rl");
  if (rl !== void 0) {
    reader.refuse(rl, "unsupported-training", `Training by ${quote(rl.source)} is not modelled yet`, leaveOut);
  }
  for (const key2 of [
    "reward_model",
    "process_reward_model",
    "gptq",
    "relora",
    "quantize_moe_experts",
    "peft_use_dora"
  ]) {
    const field = document.at(key2);
    if (field === void 0 || reader.flag(field) !== true) continue;
    reader.refuse(field, "unsupported-setting", `${key2} is not modelled yet`, leaveOut);
  }
}
var leaveOut = "Leave this config out of the check for now.";
function readsAdapter(reader, field) {
  const adapter = reader.text(field);
  if (adapter === void 0 || adapter === "") return false;
  if (adapter === "lora" || adapter === "qlora") return true;
  reader.refuse(field, "unsupported-setting", `The adapter ${quote(adapter)} is not modelled yet`, "Use lora or qlora.");
  return true;
}
function targetsOf(reader, document) {
  const isAll = reader.flag(document.at("lora_target_linear")) === true;
  return isAll ? "all" : readTargets(reader, document.at("lora_target_modules")) ?? "usual";
}
function readQuantization(reader, document, hasAdapter) {
  const eight = document.at("load_in_8bit");
  if (eight !== void 0 && reader.flag(eight) === true && hasAdapter) {
    return reader.note("quantization", "int8", eight);
  }
  const four = document.at("load_in_4bit");
  if (four === void 0 || reader.flag(four) !== true) return void 0;
  if (hasAdapter) return reader.note("quantization", "nf4-double", four);
  return reader.refuse(
    four,
    "quantised-without-adapter",
    "4-bit weights cannot be trained without an adapter",
    "Set adapter: qlora, or load_in_4bit: false."
  );
}
function readPrecision(reader, document, { sharding }, hasAdapter) {
  const half = sharding === void 0 || sharding === "fsdp" && hasAdapter ? "bf16" : "bf16-master";
  const bf16 = document.at("bf16") ?? document.at("bfloat16");
  const fp16 = document.at("fp16") ?? document.at("float16");
  if (fp16 !== void 0 && reader.flag(fp16) === true) {
    reader.assume("16-bit floats are counted as bf16: they hold the same bytes.");
    return reader.note("precision", half, fp16);
  }
  if (bf16 === void 0) return reader.note("precision", half, "Axolotl's default, bf16: auto");
  if (isAuto(bf16)) {
    reader.assume("Weights in bf16: bf16: auto means it on every GPU since Ampere.");
    return reader.note("precision", half, bf16);
  }
  if (bf16.source === "full" || reader.flag(bf16) === true) return reader.note("precision", half, bf16);
  const tf32 = document.at("tf32");
  const usesTf32 = tf32 === void 0 || isAuto(tf32) || reader.flag(tf32) === true;
  return reader.note("precision", usesTf32 ? "tf32" : "fp32", tf32 ?? bf16);
}
function isAuto(field) {
  return field.value.kind === "text" && field.value.text === "auto";
}
function readCheckpointing(reader, field) {
  return reader.settle(
    "gradientCheckpointing",
    field,
    (present2) => {
      if (present2.value.kind !== "text" || !/^(offload|offload_disk|unsloth)$/.test(present2.value.text))
        return reader.flag(present2);
      reader.assume(
        "Checkpoints are counted on the GPU, though the config moves them to the host: the estimate is high."
      );
      return true;
    },
    { value: false, source: "Axolotl's default" }
  );
}
var switches = [
  ["flash_attention", flashAttention],
  ["xformers_attention", flashAttention],
  ["flex_attention", flashAttention],
  ["sdp_attention", fusedAttention],
  ["eager_attention", eagerAttention]
];
function readAttention(reader, document) {
  for (const [key2, choice] of switches) {
    const field = document.at(key2);
    if (field === void 0 || reader.flag(field) !== true) continue;
    reader.note("attention", choice.attention, field);
    return choice;
  }
  return readImplementation(reader, document.at("attn_implementation"));
}
function readFusedLoss(reader, document) {
  const liger = document.at("liger_fused_linear_cross_entropy");
  if (liger !== void 0 && reader.flag(liger) === true) return reader.note("fusedLoss", true, liger);
  const plugins = document.at("plugins");
  const isCut = plugins?.value.kind === "list" && plugins.value.items.some((item) => item.kind === "text" && /cut_cross_entropy/i.test(item.text));
  const cut = document.at("cut_cross_entropy");
  if (plugins === void 0 || !isCut || cut !== void 0 && reader.flag(cut) === false) return void 0;
  return reader.note("fusedLoss", true, plugins);
}
var offloadingFile = /deepspeed_configs\/zero2(?:_torch_compile)?\.json["']?$/;
function readSharding(reader, document) {
  const file = document.at("deepspeed");
  const deepspeed2 = readDeepSpeed(reader, file);
  if (file !== void 0 && offloadingFile.test(file.source)) {
    reader.assume("The optimizer's state is on the host: Axolotl's own zero2.json offloads it.");
    return { ...deepspeed2, offload: reader.note("offload", "optimizer", file) };
  }
  if (deepspeed2.sharding !== void 0) return deepspeed2;
  const config = document.at("fsdp_config")?.value;
  return readFsdp(reader, {
    fsdp: document.at("fsdp"),
    config: config?.kind === "mapping" ? config.section : void 0
  });
}

// engine/config/dialects/deepspeed.ts
var batchKeys = ["train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"];
var ownKeys3 = [
  "zero_optimization",
  "fp16",
  "bf16",
  "optimizer",
  "steps_per_print",
  "wall_clock_breakdown",
  "zero_allow_untested_optimizer"
];
var writesBatch = writesAny(["train_batch_size", "train_micro_batch_size_per_gpu"]);
var writesOwn2 = writesAny(ownKeys3);
var deepspeed = {
  name: "DeepSpeed",
  mayBe: (text3) => writesBatch(text3) && writesOwn2(text3),
  recognise: (document) => {
    const batch = batchKeys.filter((key2) => document.at(key2) !== void 0);
    const isMapping = (key2) => document.at(key2)?.value.kind === "mapping";
    const found = ownKeys3.filter((key2) => document.at(key2) !== void 0);
    const isOurs = ["zero_optimization", "fp16", "bf16", "optimizer"].some(isMapping);
    const hasBatch = batch.some((key2) => key2 !== "gradient_accumulation_steps");
    return hasBatch && isOurs ? `${batch.join(", ")} beside ${found.join(", ")}` : void 0;
  },
  modelField: () => void 0,
  read: read2
};
function read2(document, reader, lookUp) {
  const [total, micro, accumulation] = batchKeys.map((key2) => document.at(key2));
  if ([total, micro].every((field) => field === void 0 || isAuto2(field))) {
    return {
      kind: "not-a-training-config",
      why: 'It leaves its batch size to the training arguments ("auto"), so those are what is checked.'
    };
  }
  const batch = readBatch2(reader, { total, micro, accumulation });
  const model = readModel(reader, void 0, "the model in a memorymark mapping", lookUp);
  reader.assume("No adapters and no gradient checkpointing: the training code decides, and the config does not say.");
  return languageModelReading(reader, {
    dialect: deepspeed.name,
    model,
    batch,
    sequence: { field: void 0, byDefault: { value: 512, source: "assumed" } },
    settings: {
      gpus: batch.gpus,
      precision: readPrecision2(reader, document),
      optimizer: readOptimizer(reader, document),
      attention: "sdpa",
      gradientCheckpointing: false,
      lora: void 0,
      quantization: void 0,
      sharding: void 0,
      offload: void 0,
      ...shardedBy(reader, document),
      fusedLoss: void 0,
      paddedBatches: false
    }
  });
}
function readBatch2(reader, { total, micro, accumulation }) {
  const count2 = (field) => field === void 0 || isAuto2(field) ? void 0 : reader.wholeNumber(field, { max: MAX_BATCH });
  const [samples, each, steps] = [count2(total), count2(micro), count2(accumulation)];
  const gradientAccumulation = steps ?? 1;
  if (steps !== void 0 && accumulation !== void 0) reader.note("gradientAccumulation", steps, accumulation);
  const fields = {
    batchSize: each === void 0 ? void 0 : micro,
    accumulation: steps === void 0 ? void 0 : accumulation
  };
  if (each !== void 0 && micro !== void 0) {
    reader.note("microBatch", each, micro);
    const gpus2 = gpusIn(reader, total, samples, each * gradientAccumulation);
    return { microBatch: each, gradientAccumulation, gpus: gpus2, ...fields };
  }
  const microBatch = Math.max(1, Math.floor((samples ?? 1) / gradientAccumulation));
  reader.assume("One GPU: the config gives the batch of all together, and not their number.");
  reader.note("microBatch", microBatch, "train_batch_size over the accumulation, on one GPU");
  return { microBatch, gradientAccumulation, gpus: 1, ...fields };
}
function gpusIn(reader, total, samples, each) {
  if (total === void 0 || samples === void 0) {
    reader.assume("One GPU: the config does not say how many processes run.");
    return 1;
  }
  const gpus2 = samples / each;
  if (Number.isInteger(gpus2)) return reader.note("gpus", gpus2, total);
  reader.refuse(
    total,
    "batch-sizes-disagree",
    `train_batch_size ${samples} is no multiple of the ${each} samples that one GPU accumulates`,
    "Make it the product of micro-batch, accumulation and number of GPUs, or leave one of them out."
  );
  return 1;
}
function isAuto2({ value }) {
  return value.kind === "text" && value.text === "auto";
}
function readPrecision2(reader, document) {
  const switches3 = [document.at("bf16", "enabled"), document.at("fp16", "enabled")];
  const on = switches3.find((field) => field?.value.kind === "flag" && field.value.flag);
  if (on !== void 0) return reader.note("precision", "bf16-master", on);
  const open = switches3.find((field) => field !== void 0 && isAuto2(field));
  if (open === void 0) return reader.note("precision", "fp32", "DeepSpeed's default");
  reader.assume("16-bit weights with 32-bit masters: the config leaves the precision to the training arguments.");
  return reader.note("precision", "bf16-master", "left to the training arguments");
}
var optimizers2 = /* @__PURE__ */ new Map([
  ["adam", "adamw-fused"],
  ["adamw", "adamw-fused"],
  ["lion", "lion"],
  ["sgd", "sgd"]
]);
function readOptimizer(reader, document) {
  return reader.settle(
    "optimizer",
    document.at("optimizer", "type"),
    (field) => {
      const name = reader.text(field);
      const optimizer = name === void 0 ? void 0 : optimizers2.get(name.toLowerCase());
      if (optimizer !== void 0 || name === void 0) return optimizer;
      const message = `The optimizer ${quote(name)} is not supported yet`;
      return reader.refuse(field, "unsupported-optimizer", message, suggest(name, ["Adam", "AdamW", "Lion", "SGD"]));
    },
    { value: "adamw", source: "in the training code", assumption: "AdamW: the config sets no optimizer." }
  );
}

// engine/config/dialects/huggingface/arguments.ts
var batchSizeKeys = ["per_device_train_batch_size", "per_gpu_train_batch_size"];
var legacyBatchSizeKey = "train_batch_size";
var modelKeys = ["model_name_or_path", "model_name", "pretrained_model_name_or_path", "model_id"];
var trainerKeys = [
  "learning_rate",
  "num_train_epochs",
  "max_steps",
  "gradient_accumulation_steps",
  "warmup_steps",
  "warmup_ratio",
  "weight_decay",
  "lr_scheduler_type",
  "output_dir"
];
var LEVELS = 2;
var foreignSection = /(^|\.)((eval|evaluation|test|inference|generation|predict|serve|deepspeed|ds_config|fsdp)\w*|properties|definitions|\$defs|parameters|inputs|env|environment|hyperparameters)(\.|$)/i;
function argumentsOf(document) {
  const sections = document.nested(LEVELS).filter((section) => !foreignSection.test(section.name));
  const fields = (keys2) => sections.flatMap((section) => keys2.flatMap((key2) => section.field(key2) ?? []).slice(0, 1));
  const named2 = fields(batchSizeKeys);
  const batchSizes = named2.length > 0 ? named2 : fields([legacyBatchSizeKey]);
  const home = sections.find(
    (section) => batchSizes[0] !== void 0 && [...section.fields.values()].includes(batchSizes[0])
  );
  const nearestFirst = home === void 0 ? sections : [home, ...sections.filter((section) => section !== home)];
  return {
    find: (...keys2) => {
      for (const section of nearestFirst) {
        const found = keys2.map((key2) => section.field(key2)).find((field) => field !== void 0 && field.value.kind !== "empty");
        if (found !== void 0) return found;
      }
      return void 0;
    },
    batchSize: batchSizes[0],
    batchSizes
  };
}

// engine/config/dialects/huggingface/fine-tuning.ts
var trlKeys = [
  ...[
    "use_peft",
    "lora_r",
    "lora_target_modules",
    "load_in_4bit",
    "dataset_text_field",
    "dataset_mixture",
    "dataset_mixer"
  ],
  ...[
    "packing",
    "completion_only_loss",
    "assistant_only_loss",
    "use_bnb_nested_quant",
    "chat_template",
    "padding_free"
  ]
];
var TRL_LENGTH = 1024;
function isTrl(find) {
  return find(...trlKeys) !== void 0;
}
var switches2 = ["use_peft", "use_lora", "use_qlora"];
var methods = ["finetuning_type", "adapter", "peft_method", "peft_type"];
function adapterField(reader, find) {
  const named2 = find(...methods);
  const method = named2?.value.kind === "text" ? named2.value.text.toLowerCase() : void 0;
  if (method !== void 0 && !/^(full|none|)$/.test(method)) {
    if (method === "lora" || method === "qlora") return named2;
    reader.refuse(named2, "unsupported-setting", `Training by ${quote(method)} is not modelled yet`, "Use lora or full.");
    return void 0;
  }
  const on = find(...switches2);
  if (on !== void 0) return reader.flag(on) === true ? on : void 0;
  return find("lora_r", "lora_rank");
}
function readAdapter(reader, find, model, adapter) {
  if (adapter === void 0) return void 0;
  const targetField = find("lora_target_modules", "target_modules", "lora_target");
  return readLora(reader, model, {
    rank: find("lora_r", "lora_rank"),
    defaultRank: {
      value: 16,
      source: "TRL's default",
      assumption: "Adapters of rank 16, TRL's default: the config sets no lora_r."
    },
    dropout: find("lora_dropout"),
    defaultDropout: 0.05,
    targets: readTargets(reader, targetField) ?? "usual",
    targetField: targetField ?? adapter
  });
}
var doubleKeys = ["use_bnb_nested_quant", "bnb_4bit_use_double_quant", "use_nested_quant", "use_double_quant"];
function readQuantization2(reader, find, adapter) {
  const isSet = (field2) => field2 !== void 0 && reader.flag(field2) === true;
  const [eight, four] = [find("load_in_8bit"), find("load_in_4bit")];
  const field = isSet(eight) ? eight : isSet(four) ? four : void 0;
  if (field === void 0) return void 0;
  if (adapter === void 0) {
    return reader.refuse(
      field,
      "quantised-without-adapter",
      "Quantised weights cannot be trained without adapters",
      `Set use_peft: true, or ${field.name}: false.`
    );
  }
  if (field === eight) return reader.note("quantization", "int8", field);
  const isDouble = reader.flag(find(...doubleKeys)) === true;
  return reader.note("quantization", isDouble ? "nf4-double" : "nf4", field);
}
function readFusedLoss2(reader, find) {
  const liger = find("use_liger_kernel", "use_liger");
  return liger !== void 0 && reader.flag(liger) === true ? reader.note("fusedLoss", true, liger) : void 0;
}
var otherTraining = [
  ...["max_prompt_length", "max_completion_length", "num_generations", "reward_funcs", "reward_model_path"],
  ...["precompute_ref_log_probs", "ref_model_mixup_alpha", "undesirable_weight", "beta"]
];
function refuseOtherTraining2(reader, find) {
  const field = find(...otherTraining);
  if (field === void 0) return;
  reader.refuse(
    field,
    "unsupported-training",
    `Preference or reinforcement training, as ${field.key} is for, is not modelled yet`,
    "Leave this config out of the check for now."
  );
}

// engine/config/dialects/huggingface/precision.ts
var weightTypes = /* @__PURE__ */ new Map([
  ["float32", "float32"],
  ["fp32", "float32"],
  ["bfloat16", "bfloat16"],
  ["bf16", "bfloat16"],
  ["float16", "float16"],
  ["fp16", "float16"],
  ["half", "float16"]
]);
function readPrecision3(reader, fields) {
  const fp16 = reader.flag(fields.fp16) ?? false;
  const bf16 = reader.flag(fields.bf16) ?? (fields.isTrl && !fp16);
  const weights = readWeightType(reader, fields);
  if (fp16 && bf16) {
    reader.refuse(fields.bf16, "precision-conflict", "Both fp16 and bf16 are on", "Keep one of the two.");
  }
  const from = [fields.weights, fp16 ? fields.fp16 : void 0, fields.bf16].find((field) => field !== void 0);
  const precision = precisionOf(reader, fields, weights, { fp16, bf16 });
  return reader.note("precision", precision, from ?? (fields.isTrl ? "TRL's default" : "the Trainer's default"));
}
function precisionOf(reader, fields, weights, { fp16, bf16 }) {
  if (hasMasters(fields) && (fp16 || bf16)) {
    if (fp16) reader.assume("16-bit floats are counted as bf16: they hold the same bytes.");
    return "bf16-master";
  }
  switch (weights) {
    case "float16":
      if (fields.hasAdapter) {
        reader.assume("16-bit floats are counted as bf16: they hold the same bytes.");
        return "bf16";
      }
      reader.refuse(fields.weights, "unsupported-precision", "Training fp16 weights is not supported", useAutocast);
      return "fp32";
    case "bfloat16":
      if (fp16) {
        reader.refuse(fields.fp16, "precision-conflict", "fp16 cannot train weights loaded as bfloat16", useBf16);
      }
      return "bf16";
    case "float32":
      if (!fp16 && !bf16) return reader.flag(fields.tf32) === true ? "tf32" : "fp32";
      return fp16 ? "amp-fp16" : "amp-bf16";
  }
}
function hasMasters({ sharding, hasAdapter }) {
  return sharding !== void 0 && !(sharding === "fsdp" && hasAdapter);
}
var useAutocast = "Load the weights as float32 with fp16: true, or as bfloat16.";
var useBf16 = "Set bf16: true instead, or load the weights as float32.";
function readWeightType(reader, { weights: field, isTrl: isTrl2, bf16 }) {
  if (field?.value.kind === "text" && field.value.text === "auto") {
    if (isTrl2 && bf16?.value.kind === "flag" && bf16.value.flag) {
      reader.assume(`Weights in bf16: ${field.name} leaves their type to the checkpoint, as most decoders' are.`);
      return "bfloat16";
    }
    reader.assume(`Weights in fp32: ${field.name} leaves their type to the checkpoint.`);
    return "float32";
  }
  const name = reader.text(field);
  if (name === void 0) return "float32";
  const type = weightTypes.get(name.replace(/^torch\./, ""));
  if (type !== void 0) return type;
  reader.refuse(field, "unknown-precision", `The type ${quote(name)} is not known`, "Use float32 or bfloat16.");
  return "float32";
}

// engine/config/dialects/huggingface/task.ts
var taskNames = new Map([
  ...tasks.map((task) => [task, task]),
  ["text-classification", "sequence-classification"],
  ["sentiment-analysis", "sequence-classification"],
  ["fill-mask", "masked-lm"],
  ["mlm", "masked-lm"],
  ["text-generation", "causal-lm"],
  ["clm", "causal-lm"],
  ["summarization", "seq2seq-lm"],
  ["translation", "seq2seq-lm"],
  ["text2text-generation", "seq2seq-lm"]
]);
var glueLabels = /* @__PURE__ */ new Map([
  ["cola", 2],
  ["mnli", 3],
  ["mrpc", 2],
  ["qnli", 2],
  ["qqp", 2],
  ["rte", 2],
  ["sst2", 2],
  ["stsb", 1],
  ["wnli", 2]
]);
function readTask(reader, find, model) {
  const field = reader.fieldFor("task", find("task"));
  const named2 = readNamedTask(reader, field) ?? readGlueTask(find("task_name"));
  if (model === void 0) return named2;
  if (named2 !== void 0) {
    checkTask(reader, field ?? find("task_name"), named2.task, model);
    return named2;
  }
  const inferred = inferTask(find);
  if (inferred !== void 0 && model.tasks.includes(inferred)) return { task: inferred };
  if (field === void 0) reader.assume(`The task is ${model.defaultTask}: the config names none.`);
  return { task: model.defaultTask };
}
function readNamedTask(reader, field) {
  const name = reader.text(field);
  if (name === void 0) return void 0;
  const task = taskNames.get(name.toLowerCase().replaceAll("_", "-"));
  if (task !== void 0) return { task };
  const glue = glueTask(name);
  if (glue !== void 0) return glue;
  return reader.refuse(field, "unsupported-task", `The task ${quote(name)} is not supported`, `Use ${oneOf(tasks)}.`);
}
function readGlueTask(field) {
  return field?.value.kind === "text" ? glueTask(field.value.text) : void 0;
}
function glueTask(name) {
  const labels = glueLabels.get(name.toLowerCase().replaceAll("-", ""));
  return labels === void 0 ? void 0 : { task: "sequence-classification", labels };
}
function inferTask(find) {
  const mlm = find("mlm")?.value;
  if (mlm?.kind === "flag") return mlm.flag ? "masked-lm" : "causal-lm";
  if (find("mlm_probability", "line_by_line") !== void 0) return "masked-lm";
  if (find("dataset_text_field", "packing", "block_size") !== void 0) return "causal-lm";
  return find("num_labels") === void 0 ? void 0 : "sequence-classification";
}

// engine/config/dialects/huggingface.ts
var DEFAULT_BATCH = 8;
var DEFAULT_BLOCK = 1024;
var DEFAULT_SOURCE = 1024;
var DEFAULT_TARGET = 128;
var sequenceKeys = ["max_seq_length", "max_length", "model_max_length", "block_size", "max_source_length"];
var gpuKeys = ["n_gpus", "n_gpu", "num_gpus", "num_processes", "nproc_per_node"];
var writesBatchSize = writesAny(batchSizeKeys);
var writesModel2 = writesAny(modelKeys);
var writesTrainerKey = writesAny([legacyBatchSizeKey, ...trainerKeys]);
var huggingface = {
  name: "Hugging Face Trainer",
  mayBe: (text3) => writesBatchSize(text3) || writesModel2(text3) && writesTrainerKey(text3),
  recognise: (document) => {
    const { find, batchSize: batchSize2 } = argumentsOf(document);
    if (batchSize2 !== void 0 && batchSizeKeys.includes(batchSize2.key)) return batchSize2.name;
    if (batchSize2 !== void 0) return find(...modelKeys) && `${batchSize2.name} beside a model`;
    const known2 = trainerKeys.filter((key2) => find(key2) !== void 0);
    return find("model_name_or_path") && known2.length >= 2 ? `model_name_or_path beside ${known2.join(", ")}` : void 0;
  },
  modelField: (document) => argumentsOf(document).find(...modelKeys),
  read: read3
};
function read3(document, reader, lookUp) {
  const trainerArguments = argumentsOf(document);
  const { find, batchSize: batchSize2 } = trainerArguments;
  const accumulation = find("gradient_accumulation_steps");
  const microBatch = readMicroBatch(reader, trainerArguments);
  const gradientAccumulation = reader.settle(
    "gradientAccumulation",
    accumulation,
    (field) => reader.wholeNumber(field, { max: MAX_BATCH }),
    { value: 1, source: "the Trainer's default" }
  );
  const model = readModel(reader, find(...modelKeys), "model_name_or_path", lookUp);
  const choice = readTask(reader, find, model);
  const size2 = readInputSize(reader, model, {
    sequenceLength: find(...sequenceKeys),
    imageSize: find("image_size"),
    ...choice?.task === "causal-lm" && { length: isTrl(find) ? TRL_LENGTH : DEFAULT_BLOCK },
    ...choice?.task === "seq2seq-lm" && { length: DEFAULT_SOURCE }
  });
  const target = readTarget(reader, find, choice);
  const settings = readSettings(reader, trainerArguments, choice, model);
  refuseOtherTraining2(reader, find);
  if (model === void 0 || choice === void 0 || microBatch === void 0 || reader.problems.length > 0) {
    return { kind: "unreadable", problems: reader.problems };
  }
  return {
    kind: "training-config",
    dialect: huggingface.name,
    model,
    spec: {
      model: model.id,
      task: choice.task,
      framework: "pytorch",
      step: "training",
      microBatch,
      gradientAccumulation,
      ...size2,
      ...target,
      ...settings,
      loop: "trainer"
    },
    ...batchSize2 && { batchSizeAt: batchSize2.at },
    ...accumulation && { gradientAccumulationAt: accumulation.at },
    assumptions: reader.assumptions
  };
}
function readTarget(reader, find, choice) {
  if (choice?.task !== "seq2seq-lm") return {};
  const targetLength = reader.settle(
    "targetLength",
    find("max_target_length"),
    (field) => reader.wholeNumber(field, { max: MAX_SEQUENCE }),
    {
      value: DEFAULT_TARGET,
      source: "run_summarization.py's default",
      assumption: `Targets of ${DEFAULT_TARGET} tokens: the config sets no max_target_length.`
    }
  );
  return { targetLength };
}
function readMicroBatch(reader, { batchSize: batchSize2, batchSizes }) {
  if (batchSize2 === void 0) {
    reader.assume(`A batch size of ${DEFAULT_BATCH}, the Trainer's default: the config sets none.`);
    return reader.note("microBatch", DEFAULT_BATCH, "the Trainer's default");
  }
  if (batchSizes.length > 1) {
    reader.assume(`The batch size is that of line ${batchSize2.at.line}, the first of ${batchSizes.length} in the file.`);
  }
  const count2 = reader.wholeNumber(batchSize2, { max: MAX_BATCH });
  return count2 === void 0 ? void 0 : reader.note("microBatch", count2, batchSize2);
}
function readSettings(reader, trainerArguments, choice, model) {
  const { find } = trainerArguments;
  const gpus2 = readGpus(reader, find(...gpuKeys));
  const labels = readLabels(reader, find("num_labels"), choice?.task, choice?.labels);
  const adapter = adapterField(reader, find);
  const sharded = readSharding2(reader, trainerArguments);
  const precision = readPrecision3(reader, {
    fp16: find("fp16"),
    bf16: find("bf16"),
    tf32: find("tf32"),
    weights: find("torch_dtype", "dtype"),
    sharding: sharded.sharding,
    hasAdapter: adapter !== void 0,
    isTrl: isTrl(find)
  });
  const optimizer = readTrainerOptimizer(reader, find("optim") ?? adafactorField(reader, find("adafactor")));
  const { attention: attention5, masksPadding } = readImplementation(reader, find("attn_implementation"));
  const lora = readAdapter(reader, find, model, adapter);
  const quantization = readQuantization2(reader, find, adapter);
  const fusedLoss = readFusedLoss2(reader, find);
  return {
    gpus: gpus2,
    labels,
    precision,
    optimizer,
    attention: attention5,
    gradientCheckpointing: readCheckpointing2(reader, find),
    ...lora && { lora },
    ...quantization && { quantization },
    ...sharded,
    ...fusedLoss && { fusedLoss },
    paddedBatches: readPadding(reader, find, choice, masksPadding)
  };
}
function readPadding(reader, find, choice, masksPadding) {
  const packing = find("packing", "padding_free");
  const isPacked = packing !== void 0 && reader.flag(packing) === true;
  const padsAlways = choice?.task === "sequence-classification" || choice?.task === "seq2seq-lm";
  const pads = choice?.task === "causal-lm" ? isTrl(find) && !isPacked && masksPadding : padsAlways;
  return reader.note("paddedBatches", pads, packing ?? "as the task is batched");
}
function readCheckpointing2(reader, find) {
  const field = find("gradient_checkpointing", "use_gradient_checkpointing");
  return reader.settle("gradientCheckpointing", field, (present2) => reader.flag(present2), {
    value: false,
    source: "the Trainer's default"
  });
}
function adafactorField(reader, field) {
  const isOn = field !== void 0 && reader.flag(field) === true;
  return isOn ? { ...field, value: { kind: "text", text: "adafactor" } } : void 0;
}
function readSharding2(reader, { find }) {
  const deepspeed2 = readDeepSpeed(reader, find("deepspeed"));
  if (deepspeed2.sharding !== void 0) return deepspeed2;
  const config = find("fsdp_config")?.value;
  const fsdp = find("fsdp");
  if (fsdp === void 0) return deepspeed2;
  return readFsdp(reader, { fsdp, config: config?.kind === "mapping" ? config.section : void 0 });
}

// engine/config/dialects/hydra.ts
var batchKeys2 = [
  "batch_size",
  "train_batch_size",
  "micro_batch_size",
  "per_device_train_batch_size",
  "batch_size_per_gpu"
];
var trainingKeys = [
  "trainer",
  "optimizer",
  "optim",
  "lr",
  "learning_rate",
  "max_epochs",
  "num_epochs",
  "epochs",
  "max_steps",
  "training",
  "train"
];
var LEVELS2 = 2;
var SHOWN_PARTS = 6;
var writesDefaults = writesAny(["defaults"]);
var writesBatch2 = writesAny(batchKeys2);
var hydra = {
  name: "Hydra",
  mayBe: (text3) => writesDefaults(text3) && writesBatch2(text3),
  recognise: (document) => {
    const parts = partsOf(document);
    const found = trainingKeys.filter((key2) => document.fields.has(key2));
    const isComposed = parts.length > 0 && batchSizeOf(document) !== void 0 && found.length > 0;
    return isComposed ? `a defaults list beside a batch size and ${found.join(", ")}` : void 0;
  },
  modelField: () => void 0,
  read: read4
};
function partsOf(document) {
  const value = document.at("defaults")?.value;
  return value?.kind === "list" ? value.items.flatMap(partIn) : [];
}
function partIn(item) {
  if (item.kind === "text") return [item.text];
  if (item.kind !== "mapping") return [];
  return [...item.section.fields.values()].map(({ key: key2, source }) => `${key2}: ${source}`);
}
function batchSizeOf(document) {
  return document.nested(LEVELS2).flatMap((section) => batchKeys2.flatMap((key2) => section.at(key2) ?? [])).at(0);
}
function read4(document, reader) {
  const parts = partsOf(document).filter((part) => part !== "_self_");
  const shown2 = parts.slice(0, SHOWN_PARTS).map(plain2).join(", ");
  reader.refuse(
    document.at("defaults"),
    "composed-by-hydra",
    `The model cannot be known from the file: Hydra composes it from ${shown2 || "other files"}`,
    "Check the composed config (python train.py --cfg job > composed.yaml), or add a memorymark mapping with model and batch_size."
  );
  const batchSize2 = batchSizeOf(document);
  const count2 = reader.wholeNumber(batchSize2, { max: MAX_BATCH });
  if (count2 !== void 0 && batchSize2 !== void 0) reader.note("microBatch", count2, batchSize2);
  return { kind: "unreadable", problems: reader.problems };
}

// engine/config/dialects/lightning.ts
var trainerKeys2 = [
  "accumulate_grad_batches",
  "precision",
  "max_epochs",
  "max_steps",
  "devices",
  "accelerator",
  "strategy"
];
var writesTrainer = writesAny(["trainer"]);
var writesParts = writesAny([
  "class_path",
  "init_args",
  "accumulate_grad_batches",
  "max_epochs",
  "max_steps",
  "precision"
]);
var lightning = {
  name: "Lightning CLI",
  mayBe: (text3) => writesTrainer(text3) && writesParts(text3),
  recognise: (document) => {
    const found = trainerKeys2.filter((key2) => document.at("trainer", key2) !== void 0);
    const isClass = ["model", "data"].some((part) => document.at(part, "class_path") ?? document.at(part, "init_args"));
    const hasBatch = batchSizeOf2(document) !== void 0;
    if (found.length === 0 || !(isClass || hasBatch) || document.fields.has("defaults")) return void 0;
    return `a trainer mapping with ${found.join(", ")}, beside ${hasBatch ? "a batch size" : "a class_path"}`;
  },
  modelField,
  read: read5
};
var batchKeys3 = [
  "batch_size",
  "train_batch_size",
  "per_device_batch_size",
  "micro_batch_size",
  "batch_size_per_device"
];
function inParts(document, parts, keys2) {
  for (const part of parts) {
    for (const key2 of keys2) {
      const found = document.at(part, "init_args", key2) ?? document.at(part, "dict_kwargs", key2) ?? document.at(part, key2);
      if (found !== void 0) return found;
    }
  }
  return void 0;
}
function batchSizeOf2(document) {
  return inParts(document, ["data", "model"], batchKeys3);
}
var modelKeys2 = [
  "model_name_or_path",
  "pretrained_model_name_or_path",
  "model_name",
  "model_id",
  "backbone",
  "pretrained",
  "checkpoint"
];
function modelField(document) {
  const field = inParts(document, ["model", "data"], modelKeys2);
  return field?.value.kind === "text" ? field : void 0;
}
function read5(document, reader, lookUp) {
  const batchSize2 = batchSizeOf2(document);
  const accumulation = document.at("trainer", "accumulate_grad_batches");
  const count2 = (field) => reader.wholeNumber(field, { max: MAX_BATCH });
  const microBatch = readMicroBatch2(reader, document, batchSize2);
  const gradientAccumulation = reader.settle("gradientAccumulation", accumulation, count2, lightnings(1));
  const model = modelField(document) === void 0 && !reader.supplies("model") ? refuseModel(reader, document) : readModel(reader, modelField(document), "model.init_args.model_name_or_path", lookUp);
  const task = model && readUnwrittenTask(reader, model);
  const sequence = inParts(
    document,
    ["data", "model"],
    ["max_seq_length", "max_length", "max_seq_len", "sequence_length", "block_size"]
  );
  const size2 = readInputSize(reader, model, {
    sequenceLength: sequence,
    imageSize: inParts(document, ["data", "model"], ["image_size", "img_size", "input_size"])
  });
  const sharding = readStrategy(reader, document.at("trainer", "strategy"));
  const settings = {
    gpus: readGpus2(reader, document),
    labels: readLabels(reader, inParts(document, ["model", "data"], ["num_labels", "num_classes"]), task),
    precision: readPrecision4(reader, document.at("trainer", "precision"), sharding),
    optimizer: readOptimizer2(reader, document),
    attention: "sdpa",
    gradientCheckpointing: readCheckpointing3(reader, document),
    ...sharding && { sharding }
  };
  if (model === void 0 || task === void 0 || microBatch === void 0 || reader.problems.length > 0) {
    return { kind: "unreadable", problems: reader.problems };
  }
  return {
    kind: "training-config",
    dialect: lightning.name,
    model,
    spec: {
      model: model.id,
      task,
      framework: "pytorch",
      step: "training",
      microBatch,
      gradientAccumulation,
      ...size2,
      ...settings,
      paddedBatches: task === "sequence-classification",
      loop: "plain"
    },
    ...batchSize2 && { batchSizeAt: batchSize2.at },
    ...accumulation && { gradientAccumulationAt: accumulation.at },
    assumptions: reader.assumptions
  };
}
function lightnings(value) {
  return { value, source: "Lightning's default" };
}
function readMicroBatch2(reader, document, field) {
  if (field === void 0) {
    const data = document.at("data", "class_path")?.source ?? "the data module";
    const message = `The batch size cannot be known from the file: it is a default of ${quote(data)}`;
    return reader.refuse(
      void 0,
      "batch-size-not-in-file",
      message,
      "Set data.init_args.batch_size in the config if it should be checked."
    );
  }
  const count2 = reader.wholeNumber(field, { max: MAX_BATCH });
  return count2 === void 0 ? void 0 : reader.note("microBatch", count2, field);
}
function refuseModel(reader, document) {
  const field = document.at("model", "class_path") ?? document.at("model");
  const name = field?.value.kind === "text" ? `: ${quote(field.value.text)} is a class of your code` : "";
  return reader.refuse(
    field,
    "model-not-in-file",
    `The model cannot be known from the file${name}`,
    `Name its Hub id in model.init_args.model_name_or_path, ${orInSettings("model")}.`
  );
}
function readGpus2(reader, document) {
  const [devices, nodes] = [document.at("trainer", "devices"), document.at("trainer", "num_nodes")];
  const machines = nodes === void 0 ? 1 : reader.wholeNumber(nodes, { max: 1e4 }) ?? 1;
  const each = devicesIn(devices);
  if (each !== void 0 && devices !== void 0) return reader.note("gpus", each * machines, devices);
  reader.assume("One GPU: the config does not say how many devices train.");
  return reader.note("gpus", machines, "Lightning's default takes every GPU of the machine");
}
function devicesIn(field) {
  const value = field?.value;
  if (value?.kind === "list") return Math.max(1, value.items.length);
  if (value?.kind === "number" && value.number >= 1) return Math.floor(value.number);
  const text3 = value?.kind === "text" ? /^\d{1,4}$/.exec(value.text)?.[0] : void 0;
  return text3 === void 0 ? void 0 : Math.max(1, Number(text3));
}
var precisions2 = /* @__PURE__ */ new Map([
  ["32", "fp32"],
  ["32-true", "fp32"],
  ["bf16", "amp-bf16"],
  ["bf16-mixed", "amp-bf16"],
  ["16", "amp-fp16"],
  ["16-mixed", "amp-fp16"],
  ["bf16-true", "bf16"]
]);
function readPrecision4(reader, field, sharding) {
  const spelling = field?.value.kind === "number" ? { ...field, value: { kind: "text", text: field.source } } : field;
  const precision = reader.settle(
    "precision",
    spelling,
    (present2) => reader.choice(present2, precisions2),
    lightnings("fp32")
  );
  const hasMasters2 = sharding?.startsWith("zero") && (precision === "amp-bf16" || precision === "amp-fp16");
  return hasMasters2 ? "bf16-master" : precision;
}
var strategies = /* @__PURE__ */ new Map([
  ["auto", void 0],
  ["ddp", void 0],
  ["ddp_spawn", void 0],
  ["ddp_find_unused_parameters_true", void 0],
  ["fsdp", "fsdp"],
  ["deepspeed", "zero2"],
  ["deepspeed_stage_1", "zero1"],
  ["deepspeed_stage_2", "zero2"],
  ["deepspeed_stage_3", "zero3"]
]);
function readStrategy(reader, field) {
  const name = field?.value.kind === "text" ? field.value.text : field?.value.kind === "mapping" ? classNameIn(field.value.section) : void 0;
  if (field === void 0 || name === void 0) return void 0;
  const known2 = [name, name.replace(/_offload(?:_nvme)?$/, ""), name.replace(/Strategy$/, "").toLowerCase()].find(
    (word) => strategies.has(word)
  );
  if (known2 === void 0) {
    return reader.refuse(
      field,
      "unsupported-setting",
      `The strategy ${quote(name)} is not modelled yet`,
      "Use ddp, fsdp or deepspeed_stage_1 to 3."
    );
  }
  if (name.includes("_offload"))
    reader.assume("What the strategy offloads is counted on the GPU: the estimate is high.");
  const sharding = strategies.get(known2);
  return sharding && reader.note("sharding", sharding, field);
}
function classNameIn(section) {
  const path2 = section.at("class_path")?.value;
  return path2?.kind === "text" ? path2.text.split(".").at(-1) : void 0;
}
var optimizers3 = /* @__PURE__ */ new Map([
  ["AdamW", "adamw"],
  ["Adam", "adamw"],
  ["SGD", "sgd"],
  ["Adafactor", "adafactor"],
  ["AdamW8bit", "adamw-8bit"],
  ["PagedAdamW8bit", "paged-adamw-8bit"]
]);
function readOptimizer2(reader, document) {
  const field = document.at("optimizer", "class_path") ?? document.at("model", "init_args", "optimizer", "class_path");
  return reader.settle(
    "optimizer",
    field,
    (present2) => {
      const name = reader.text(present2)?.split(".").at(-1);
      const known2 = name === void 0 ? void 0 : optimizers3.get(name);
      if (known2 !== void 0 || name === void 0)
        return hasMomentum(document) && known2 === "sgd" ? "sgd-momentum" : known2;
      const message = `The optimizer ${quote(name)} is not supported yet`;
      return reader.refuse(present2, "unsupported-optimizer", message, `Use ${[...optimizers3.keys()].join(", ")}.`);
    },
    { value: "adamw", source: "in the code", assumption: "AdamW: the config sets no optimizer, so the code does." }
  );
}
function hasMomentum(document) {
  const momentum = document.at("optimizer", "init_args", "momentum")?.value;
  return momentum?.kind === "number" && momentum.number > 0;
}
function readCheckpointing3(reader, document) {
  const field = inParts(document, ["model"], ["gradient_checkpointing", "activation_checkpointing"]);
  return reader.settle("gradientCheckpointing", field, (present2) => reader.flag(present2), lightnings(false));
}

// engine/config/dialects/llamafactory.ts
var ownKeys4 = ["finetuning_type", "cutoff_len", "template", "dataset_dir", "lora_target", "quantization_bit", "stage"];
var writesModel3 = writesAny(["model_name_or_path"]);
var writesOwn3 = writesAny(["finetuning_type", "cutoff_len", "lora_target", "stage"]);
var llamafactory = {
  name: "LLaMA-Factory",
  mayBe: (text3) => writesModel3(text3) && writesOwn3(text3),
  recognise: (document) => {
    const found = ownKeys4.filter((key2) => document.at(key2) !== void 0);
    const trains = document.at("per_device_train_batch_size") ?? document.at("do_train");
    const isOurs = document.at("model_name_or_path") !== void 0 && trains !== void 0 && found.length >= 2;
    return isOurs ? `model_name_or_path beside ${found.join(", ")}` : void 0;
  },
  modelField: (document) => document.at("model_name_or_path"),
  read: read6
};
function read6(document, reader, lookUp) {
  refuseUnmodelled(reader, document);
  const model = readModel(reader, document.field("model_name_or_path"), "model_name_or_path", lookUp);
  const batch = readBatch(reader, {
    batchSize: document.at("per_device_train_batch_size"),
    defaultBatch: {
      value: 8,
      source: "the Trainer's default",
      assumption: "A batch size of 8, the Trainer's default: the config sets none."
    },
    accumulation: document.at("gradient_accumulation_steps")
  });
  const method = readMethod(reader, document.at("finetuning_type"));
  const sharded = readSharding3(reader, document);
  const attention5 = readAttention2(reader, document.at("flash_attn"));
  const packing = document.at("neat_packing") ?? document.at("packing");
  const isPacked = packing === void 0 ? document.at("stage")?.source === "pt" : reader.flag(packing) === true;
  return languageModelReading(reader, {
    dialect: llamafactory.name,
    model,
    batch,
    sequence: { field: document.at("cutoff_len"), byDefault: { value: 2048, source: "LLaMA-Factory's default" } },
    settings: {
      gpus: readGpus(reader, void 0),
      precision: readPrecision5(reader, document, method, sharded),
      optimizer: readTrainerOptimizer(reader, document.at("optim"), trainerDefault),
      attention: attention5.attention,
      gradientCheckpointing: readCheckpointing4(reader, document.at("disable_gradient_checkpointing")),
      lora: method === "lora" ? readAdapter2(reader, document, model) : void 0,
      quantization: readQuantization3(reader, document, method),
      ...sharded,
      fusedLoss: readFusedLoss3(reader, document.at("enable_liger_kernel")),
      paddedBatches: reader.note(
        "paddedBatches",
        !isPacked && attention5.masksPadding,
        packing ?? "by stage and attention kernel"
      )
    }
  });
}
var leaveOut2 = "Leave this config out of the check for now.";
var unmodelled = ["use_galore", "use_apollo", "use_badam", "use_adam_mini", "use_muon", "use_llama_pro", "use_dora"];
function refuseUnmodelled(reader, document) {
  const stage = document.at("stage");
  const name = reader.text(stage);
  if (name !== void 0 && !/^(?:sft|pt)$/i.test(name)) {
    const message = `The stage ${quote(name)} holds more than one model or other losses, and is not modelled yet`;
    reader.refuse(stage, "unsupported-training", message, leaveOut2);
  }
  for (const key2 of unmodelled) {
    const field = document.at(key2);
    if (field === void 0 || reader.flag(field) !== true) continue;
    reader.refuse(field, "unsupported-setting", `${key2} is not modelled yet`, leaveOut2);
  }
}
function readMethod(reader, field) {
  if (field === void 0) {
    reader.assume("Adapters, LLaMA-Factory's default: the config sets no finetuning_type.");
    return "lora";
  }
  const name = reader.text(field);
  if (name === void 0 || name === "lora") return "lora";
  if (name === "full") return "full";
  reader.refuse(field, "unsupported-training", `Fine-tuning by ${quote(name)} is not modelled yet`, "Use lora or full.");
  return "full";
}
function readAdapter2(reader, document, model) {
  const targets = document.at("lora_target");
  return readLora(reader, model, {
    rank: document.at("lora_rank"),
    defaultRank: { value: 8, source: "LLaMA-Factory's default" },
    dropout: document.at("lora_dropout"),
    defaultDropout: 0,
    targets: readTargets(reader, targets) ?? "all",
    targetField: targets
  });
}
function readQuantization3(reader, document, method) {
  const bits = document.at("quantization_bit");
  if (bits === void 0) return void 0;
  const count2 = reader.wholeNumber(bits, { max: 8 });
  const by = document.at("quantization_method");
  const name = reader.text(by);
  if (name !== void 0 && name !== "bnb" && name !== "bitsandbytes") {
    return reader.refuse(
      by,
      "unsupported-quantization",
      `Weights quantised by ${quote(name)} are not modelled yet`,
      leaveOut2
    );
  }
  if (count2 !== void 0 && count2 !== 4 && count2 !== 8) {
    return reader.refuse(
      bits,
      "unsupported-quantization",
      `${count2}-bit base weights are not modelled yet`,
      "Use 4 or 8 bits."
    );
  }
  if (method === "full") {
    const fix = "Set finetuning_type: lora, or leave quantization_bit out.";
    return reader.refuse(bits, "quantised-without-adapter", "Quantised weights cannot be trained without adapters", fix);
  }
  if (count2 === 8) return reader.note("quantization", "int8", bits);
  const isSingle = reader.flag(document.at("double_quantization")) === false;
  return reader.note("quantization", isSingle ? "nf4" : "nf4-double", bits);
}
function readPrecision5(reader, document, method, { sharding }) {
  const [pure, bf16, fp16] = [document.at("pure_bf16"), document.at("bf16"), document.at("fp16")];
  const on = [pure, bf16, fp16].find((field) => field !== void 0 && reader.flag(field) === true);
  const source = "LLaMA-Factory's default";
  if (on !== void 0 && on === fp16 && method === "lora") {
    reader.assume("16-bit floats are counted as bf16: they hold the same bytes.");
  }
  const hasMasters2 = sharding !== void 0 && !(sharding === "fsdp" && method === "lora");
  if (hasMasters2 && on !== void 0) return reader.note("precision", "bf16-master", on);
  if (method === "lora") return reader.note("precision", "bf16", on ?? source);
  if (on === void 0) return reader.note("precision", "fp32", source);
  if (on === pure) return reader.note("precision", "bf16", on);
  return reader.note("precision", on === fp16 ? "amp-fp16" : "amp-bf16", on);
}
function readCheckpointing4(reader, disabled) {
  const isDisabled = disabled !== void 0 && reader.flag(disabled) === true;
  return reader.note("gradientCheckpointing", !isDisabled, disabled ?? "LLaMA-Factory's default");
}
var kernels = /* @__PURE__ */ new Map([
  ["auto", fusedAttention],
  ["sdpa", fusedAttention],
  ["fa2", flashAttention],
  ["fa3", flashAttention],
  ["disabled", eagerAttention]
]);
function readAttention2(reader, field) {
  const isAuto3 = field?.value.kind === "text" && field.value.text === "auto";
  const choice = isAuto3 ? fusedAttention : reader.choice(field, kernels) ?? fusedAttention;
  reader.note("attention", choice.attention, field ?? "LLaMA-Factory's default");
  return choice;
}
function readFusedLoss3(reader, liger) {
  return liger !== void 0 && reader.flag(liger) === true ? reader.note("fusedLoss", true, liger) : void 0;
}
function readSharding3(reader, document) {
  const deepspeed2 = readDeepSpeed(reader, document.at("deepspeed"));
  if (deepspeed2.sharding !== void 0) return deepspeed2;
  const config = document.at("fsdp_config")?.value;
  return readFsdp(reader, {
    fsdp: document.at("fsdp"),
    config: config?.kind === "mapping" ? config.section : void 0
  });
}

// engine/config/dialects/llamafactory-v1.ts
var ownKeys5 = [
  "model_class",
  "peft_config",
  "dist_config",
  "kernel_config",
  "quant_config",
  "train_dataset",
  "cutoff_len"
];
var writesBatch3 = writesAny(["micro_batch_size"]);
var writesOwn4 = writesAny(ownKeys5);
var llamafactoryV1 = {
  name: "LLaMA-Factory v1",
  mayBe: (text3) => writesBatch3(text3) && writesOwn4(text3),
  recognise: (document) => {
    const found = ownKeys5.filter((key2) => document.at(key2) !== void 0);
    const isOurs = document.at("model")?.value.kind === "text" && document.at("micro_batch_size") !== void 0;
    return isOurs && found.length >= 2 ? `model and micro_batch_size beside ${found.join(", ")}` : void 0;
  },
  modelField: (document) => document.at("model"),
  read: read7
};
var leaveOut3 = "Leave this config out of the check for now.";
function read7(document, reader, lookUp) {
  const model = readModel(reader, document.field("model"), "model", lookUp);
  const batch = readBatch(reader, {
    batchSize: document.at("micro_batch_size"),
    defaultBatch: { value: 1, source: "LLaMA-Factory's default" },
    accumulation: void 0
  });
  if (document.at("global_batch_size") !== void 0) {
    reader.assume(
      "No accumulation: it follows from global_batch_size and the number of GPUs, which the config does not say."
    );
  }
  const hasAdapter = readsAdapter2(reader, document.at("peft_config", "name"));
  const sharded = readSharding4(reader, document);
  const isDeepSpeed = sharded.sharding !== void 0 && sharded.sharding !== "fsdp";
  const targets = document.at("peft_config", "target_modules");
  return languageModelReading(reader, {
    dialect: llamafactoryV1.name,
    model,
    batch,
    sequence: { field: document.at("cutoff_len"), byDefault: { value: 2048, source: "LLaMA-Factory's default" } },
    settings: {
      gpus: readGpus(reader, void 0),
      // core/model_engine.py: loaded in the checkpoint's type.
      precision: reader.note(
        "precision",
        isDeepSpeed ? "bf16-master" : "bf16",
        "the checkpoint's type, bf16 for most decoders"
      ),
      optimizer: readOptimizer3(reader, document.at("optim_config", "name")),
      attention: reader.note("attention", "sdpa", "transformers' default"),
      gradientCheckpointing: reader.settle(
        "gradientCheckpointing",
        document.at("enable_activation_checkpointing"),
        (field) => reader.flag(field),
        { value: true, source: "LLaMA-Factory's default" }
      ),
      lora: hasAdapter ? readLora(reader, model, {
        rank: document.at("peft_config", "r"),
        defaultRank: { value: 8, source: "peft's default" },
        dropout: document.at("peft_config", "lora_dropout"),
        defaultDropout: 0,
        targets: readTargets(reader, targets) ?? "all",
        targetField: targets
      }) : void 0,
      quantization: readQuantization4(reader, document.at("quant_config", "quantization_bit"), hasAdapter),
      ...sharded,
      fusedLoss: void 0,
      paddedBatches: reader.note("paddedBatches", true, "sequences are padded to the longest")
    }
  });
}
function readsAdapter2(reader, field) {
  const name = reader.text(field);
  if (name === void 0 || name === "lora") return name === "lora";
  reader.refuse(
    field,
    "unsupported-training",
    `Fine-tuning by ${quote(name)} is not modelled yet`,
    "Use lora, or no peft_config."
  );
  return false;
}
function readQuantization4(reader, bits, hasAdapter) {
  const count2 = reader.wholeNumber(bits, { max: 8 });
  if (bits === void 0 || count2 === void 0) return void 0;
  if (count2 === 4 && hasAdapter) return reader.note("quantization", "nf4-double", bits);
  return reader.refuse(bits, "unsupported-quantization", `${count2}-bit base weights are not modelled yet`, leaveOut3);
}
function readOptimizer3(reader, field) {
  if (field !== void 0) {
    reader.refuse(field, "unsupported-optimizer", `The optimizer ${quote(field.source)} is not supported yet`, leaveOut3);
  }
  return reader.note("optimizer", "adamw", "LLaMA-Factory's default");
}
function readSharding4(reader, document) {
  const name = document.at("dist_config", "name");
  if (name?.source === "deepspeed") return readDeepSpeed(reader, document.at("dist_config", "config_file"));
  return name?.source.startsWith("fsdp") ? { sharding: reader.note("sharding", "fsdp", name) } : {};
}

// engine/config/dialects/memorymark.ts
var ROOT = "memorymark";
var keys = [
  "model",
  "batch_size",
  "gradient_accumulation",
  "gpus",
  "sequence_length",
  "image_size",
  "labels",
  "task",
  "precision",
  "optimizer",
  "attention",
  "gradient_checkpointing",
  "step",
  "loop",
  "padded_batches",
  "lora_rank",
  "lora_targets",
  "lora_dropout",
  "quantization",
  "sharding",
  "fused_loss"
];
var memorymark = {
  name: "MemoryMark",
  mayBe: writesAny([ROOT]),
  recognise: (document) => {
    const section = sectionOf(document);
    const isOurs = section?.fields.has("model") || section?.fields.has("batch_size");
    return isOurs ? `a ${ROOT} mapping with a model or a batch size` : void 0;
  },
  modelField: (document) => sectionOf(document)?.field("model"),
  read: (document, reader, lookUp) => {
    const section = sectionOf(document);
    return section === void 0 ? { kind: "not-a-training-config", why: `It has no ${ROOT} mapping.` } : read8(section, reader, lookUp);
  }
};
function sectionOf(document) {
  const value = document.field(ROOT)?.value;
  return value?.kind === "mapping" ? value.section : void 0;
}
function read8(section, reader, lookUp) {
  const field = (key2) => section.field(key2);
  const model = readModel(reader, field("model"), `${ROOT}.model`, lookUp);
  const task = readTask2(reader, section, model);
  const size2 = readInputSize(reader, model, {
    sequenceLength: field("sequence_length"),
    imageSize: field("image_size")
  });
  const batchSize2 = field("batch_size");
  const accumulation = field("gradient_accumulation");
  const microBatch = batchSize2 === void 0 ? reader.refuse(void 0, "batch-size-missing", "The config sets no batch size", `Set ${ROOT}.batch_size.`) : reader.wholeNumber(batchSize2, { max: MAX_BATCH });
  if (microBatch !== void 0 && batchSize2 !== void 0) reader.note("microBatch", microBatch, batchSize2);
  const one = (setting, count2, max) => reader.settle(setting, count2, (present2) => reader.wholeNumber(present2, { max }), ours(1));
  const word = (setting, key2, words, byDefault2) => reader.settle(setting, field(key2), (present2) => reader.choice(present2, named(words)), ours(byDefault2));
  const flag = (setting, key2) => reader.settle(setting, field(key2), (present2) => reader.flag(present2), ours(false));
  const settings = {
    gradientAccumulation: one("gradientAccumulation", accumulation, MAX_BATCH),
    gpus: one("gpus", field("gpus"), 1e5),
    labels: readLabels(reader, field("labels"), task),
    precision: word("precision", "precision", precisions, "fp32"),
    optimizer: word("optimizer", "optimizer", optimizers, "adamw"),
    attention: word("attention", "attention", attentions, "sdpa"),
    gradientCheckpointing: flag("gradientCheckpointing", "gradient_checkpointing"),
    step: word("step", "step", stepProfiles, "training"),
    loop: word("loop", "loop", loops, "plain"),
    paddedBatches: flag("paddedBatches", "padded_batches"),
    ...readFineTuning(reader, section, model)
  };
  refuseUnknownKeys(reader, section);
  if (model === void 0 || task === void 0 || microBatch === void 0 || reader.problems.length > 0) {
    return { kind: "unreadable", problems: reader.problems };
  }
  return {
    kind: "training-config",
    dialect: memorymark.name,
    model,
    spec: { model: model.id, task, framework: "pytorch", microBatch, ...settings, ...size2 },
    ...batchSize2 && { batchSizeAt: batchSize2.at },
    ...accumulation && { gradientAccumulationAt: accumulation.at },
    assumptions: reader.assumptions
  };
}
function readFineTuning(reader, section, model) {
  const [rank2, targets] = [section.at("lora_rank"), section.at("lora_targets")];
  const lora = rank2 && readLora(reader, model, {
    rank: rank2,
    defaultRank: ours(1),
    dropout: section.at("lora_dropout"),
    defaultDropout: 0,
    targets: readTargets(reader, targets) ?? "all",
    targetField: targets
  });
  const field = section.at("quantization");
  const quantization = reader.optional("quantization", field, (present2) => reader.choice(present2, named(quantizations)));
  if (quantization !== void 0 && rank2 === void 0) {
    reader.refuse(field, "quantised-without-adapter", "Quantised weights need adapters", `Set ${ROOT}.lora_rank too.`);
  }
  const shardedBy2 = section.at("sharding");
  const sharding = reader.optional("sharding", shardedBy2, (present2) => reader.choice(present2, named(shardings)));
  const fusedLoss = reader.optional("fusedLoss", section.at("fused_loss"), (present2) => reader.flag(present2));
  return {
    ...lora && { lora },
    ...quantization && { quantization },
    ...sharding && { sharding },
    ...fusedLoss !== void 0 && { fusedLoss }
  };
}
function ours(value) {
  return { value, source: "MemoryMark's default" };
}
function readTask2(reader, section, model) {
  const field = reader.fieldFor("task", section.field("task"));
  const task = reader.choice(field, named(tasks));
  if (model === void 0) return void 0;
  if (task !== void 0) return checkTask(reader, field, task, model);
  if (field === void 0) reader.assume(`The task is ${model.defaultTask}: the config names none.`);
  return model.defaultTask;
}
function refuseUnknownKeys(reader, section) {
  const known2 = new Set(keys);
  for (const field of section.fields.values()) {
    if (!known2.has(field.key)) {
      reader.refuse(field, "unknown-key", `The key ${quote(field.key)} is not known`, suggest(field.key, keys));
    }
  }
}
function named(words) {
  return new Map(words.map((word) => [word, word]));
}

// engine/config/dialects/timm.ts
var ownKeys6 = [
  "opt",
  "sched",
  "drop_path",
  "aa",
  "smoothing",
  "mixup",
  "cutmix",
  "crop_pct",
  "model_ema",
  "warmup_lr",
  "clip_grad",
  "reprob",
  "remode",
  "epochs"
];
var writesModel4 = writesAny(["model"]);
var writesOwn5 = writesAny(["opt", "sched"]);
var timm = {
  name: "timm",
  mayBe: (text3) => writesModel4(text3) && writesOwn5(text3),
  recognise: (document) => {
    const found = ownKeys6.filter((key2) => fieldOf(document, key2) !== void 0);
    const isOurs = document.at("model")?.value.kind === "text" && document.at("opt") !== void 0 && found.length >= 4;
    return isOurs ? `model beside ${found.join(", ")}` : void 0;
  },
  modelField: (document) => hubName(document.at("model")),
  read: read9
};
function fieldOf(document, key2) {
  return document.at(key2) ?? document.at(key2.replaceAll("_", "-"));
}
function hubName(field) {
  if (field?.value.kind !== "text") return field;
  const depth = /^resnet(18|34|50|101|152)(?:\..*)?$/.exec(field.value.text)?.[1];
  return depth === void 0 ? field : { ...field, value: { kind: "text", text: `microsoft/resnet-${depth}` } };
}
function read9(document, reader, lookUp) {
  const [batchSize2, accumulation] = [fieldOf(document, "batch_size"), fieldOf(document, "grad_accum_steps")];
  const count2 = (field) => reader.wholeNumber(field, { max: MAX_BATCH });
  const microBatch = reader.settle("microBatch", batchSize2, count2, {
    ...timms(128),
    assumption: "A batch size of 128, timm's default: the config sets none."
  });
  const gradientAccumulation = reader.settle("gradientAccumulation", accumulation, count2, timms(1));
  const model = readModel(reader, hubName(document.field("model")), "model", lookUp);
  const image2 = fieldOf(document, "img_size");
  const size2 = readInputSize(reader, model, { sequenceLength: void 0, imageSize: image2 });
  const settings = {
    gpus: 1,
    labels: readLabels(reader, fieldOf(document, "num_classes"), model?.defaultTask),
    precision: readPrecision6(reader, document),
    optimizer: readOptimizer4(reader, document),
    attention: "sdpa",
    gradientCheckpointing: reader.settle(
      "gradientCheckpointing",
      fieldOf(document, "grad_checkpointing"),
      (field) => reader.flag(field),
      timms(false)
    )
  };
  reader.assume("One GPU: the config does not say how many processes run.");
  if (model === void 0 || reader.problems.length > 0) return { kind: "unreadable", problems: reader.problems };
  return {
    kind: "training-config",
    dialect: timm.name,
    model,
    spec: {
      model: model.id,
      task: model.defaultTask,
      framework: "pytorch",
      step: "training",
      microBatch,
      gradientAccumulation,
      ...size2,
      ...settings,
      paddedBatches: false,
      loop: "plain"
    },
    ...batchSize2 && { batchSizeAt: batchSize2.at },
    ...accumulation && { gradientAccumulationAt: accumulation.at },
    assumptions: reader.assumptions
  };
}
function timms(value) {
  return { value, source: "timm's default" };
}
function readPrecision6(reader, document) {
  const amp = document.at("amp");
  if (amp === void 0 || reader.flag(amp) !== true) return reader.note("precision", "fp32", amp ?? "timm's default");
  const type = fieldOf(document, "amp_dtype");
  const isBrain = type?.value.kind === "text" && type.value.text === "bfloat16";
  return reader.note("precision", isBrain ? "amp-bf16" : "amp-fp16", type ?? amp);
}
var optimizers4 = /* @__PURE__ */ new Map([
  ["sgd", "sgd-momentum"],
  ["nesterov", "sgd-momentum"],
  ["momentum", "sgd-momentum"],
  ["adam", "adamw"],
  ["adamw", "adamw"],
  ["lion", "lion"]
]);
function readOptimizer4(reader, document) {
  return reader.settle(
    "optimizer",
    document.at("opt"),
    (field) => {
      const name = reader.text(field);
      const known2 = name === void 0 ? void 0 : optimizers4.get(name);
      if (known2 !== void 0 || name === void 0) return known2;
      const message = `The optimizer ${quote(name)} is not supported yet`;
      return reader.refuse(field, "unsupported-optimizer", message, `Use ${[...optimizers4.keys()].join(", ")}.`);
    },
    timms("sgd-momentum")
  );
}

// engine/config/dialects/torchtune/models.ts
var builders = {
  llama2_7b: "meta-llama/Llama-2-7b-hf",
  llama2_13b: "meta-llama/Llama-2-13b-hf",
  llama2_70b: "meta-llama/Llama-2-70b-hf",
  code_llama2_7b: "codellama/CodeLlama-7b-hf",
  code_llama2_13b: "codellama/CodeLlama-13b-hf",
  llama3_8b: "meta-llama/Meta-Llama-3-8B",
  llama3_70b: "meta-llama/Meta-Llama-3-70B",
  llama3_1_8b: "meta-llama/Llama-3.1-8B",
  llama3_1_70b: "meta-llama/Llama-3.1-70B",
  llama3_1_405b: "meta-llama/Llama-3.1-405B",
  llama3_2_1b: "meta-llama/Llama-3.2-1B",
  llama3_2_3b: "meta-llama/Llama-3.2-3B",
  llama3_3_70b: "meta-llama/Llama-3.3-70B-Instruct",
  mistral_7b: "mistralai/Mistral-7B-v0.1",
  gemma_2b: "google/gemma-2b",
  gemma_7b: "google/gemma-7b",
  gemma2_2b: "google/gemma-2-2b",
  gemma2_9b: "google/gemma-2-9b",
  gemma2_27b: "google/gemma-2-27b",
  phi3_mini: "microsoft/Phi-3-mini-4k-instruct",
  phi4_14b: "microsoft/phi-4",
  qwen2_0_5b: "Qwen/Qwen2-0.5B",
  qwen2_1_5b: "Qwen/Qwen2-1.5B",
  qwen2_7b: "Qwen/Qwen2-7B",
  qwen2_5_0_5b: "Qwen/Qwen2.5-0.5B",
  qwen2_5_1_5b: "Qwen/Qwen2.5-1.5B",
  qwen2_5_3b: "Qwen/Qwen2.5-3B",
  qwen2_5_7b: "Qwen/Qwen2.5-7B",
  qwen2_5_14b: "Qwen/Qwen2.5-14B",
  qwen2_5_32b: "Qwen/Qwen2.5-32B",
  qwen2_5_72b: "Qwen/Qwen2.5-72B",
  qwen3_0_6b: "Qwen/Qwen3-0.6B",
  qwen3_1_7b: "Qwen/Qwen3-1.7B",
  qwen3_4b: "Qwen/Qwen3-4B",
  qwen3_8b: "Qwen/Qwen3-8B",
  qwen3_14b: "Qwen/Qwen3-14B",
  qwen3_32b: "Qwen/Qwen3-32B"
};
function builderOf(component) {
  const name = component.split(".").at(-1) ?? component;
  const [, prefix, base = name] = /^(?:(q?lora)_)?(.*?)(?:_(?:instruct|base))?$/.exec(name) ?? [];
  const model = Object.hasOwn(builders, base) ? builders[base] : void 0;
  return { model: model ?? name, method: prefix === "lora" || prefix === "qlora" ? prefix : "full" };
}

// engine/config/dialects/torchtune.ts
var COMPONENT = "_component_";
var torchtune = {
  name: "torchtune",
  mayBe: (text3) => writesComponent(text3) && /torchtune\./.test(text3) && writesBatch4(text3),
  recognise: (document) => {
    const component = componentOf(document, "model");
    const names = component?.value.kind === "text" ? component.value.text : "";
    const trains = document.at("optimizer") !== void 0 || document.at("loss") !== void 0;
    const isRecipe = trains && (names.startsWith("torchtune.") || hasTorchtunePart(document));
    return isRecipe && document.at("batch_size") !== void 0 ? `batch_size beside ${names || "components"} of torchtune` : void 0;
  },
  modelField: (document) => hubName2(componentOf(document, "model")),
  read: read10
};
var writesComponent = writesAny([COMPONENT]);
var writesBatch4 = writesAny(["batch_size"]);
function hasTorchtunePart(document) {
  return ["tokenizer", "checkpointer", "dataset"].some((part) => {
    const value = componentOf(document, part)?.value;
    return value?.kind === "text" && value.text.startsWith("torchtune.");
  });
}
function componentOf(document, part) {
  return document.at(part, COMPONENT);
}
function hubName2(component) {
  if (component?.value.kind !== "text") return component;
  return { ...component, value: { kind: "text", text: builderOf(component.value.text).model } };
}
function read10(document, reader, lookUp) {
  const component = componentOf(document, "model");
  const builder = builderOf(component?.value.kind === "text" ? component.value.text : "");
  refuseOtherRecipes(reader, document);
  const model = readModel(reader, hubName2(component), "model._component_", lookUp);
  const batch = readBatch(reader, {
    batchSize: document.at("batch_size"),
    defaultBatch: { value: 1, source: "not in the file" },
    accumulation: document.at("gradient_accumulation_steps")
  });
  noteChunkedLoss(reader, componentOf(document, "loss"));
  return languageModelReading(reader, {
    dialect: torchtune.name,
    model,
    batch,
    sequence: {
      field: document.at("tokenizer", "max_seq_len"),
      byDefault: {
        value: 2048,
        source: "assumed",
        assumption: "Sequences of up to 2,048 tokens: tokenizer.max_seq_len is open, so the longest sample of the data decides."
      }
    },
    settings: {
      gpus: readGpus(reader, void 0),
      precision: readPrecision7(reader, document.at("dtype")),
      optimizer: readOptimizer5(reader, document),
      // modules/attention_utils.py: scaled_dot_product_attention, causal and without a mask where nothing is packed.
      attention: reader.note("attention", "sdpa", "torchtune's only kernel"),
      gradientCheckpointing: readCheckpointing5(reader, document),
      lora: builder.method === "full" ? void 0 : readAdapter3(reader, document, model),
      // modules/low_precision: torchao's nf4, with block constants quantised too.
      quantization: quantizationOf(reader, document, builder, component),
      sharding: void 0,
      offload: void 0,
      fusedLoss: void 0,
      paddedBatches: reader.note("paddedBatches", false, "torchtune pads without a mask")
    }
  });
}
var leaveOut4 = "Leave this config out of the check for now.";
function refuseOtherRecipes(reader, document) {
  const loss = componentOf(document, "loss");
  const other = [
    "teacher_model",
    "quantizer",
    "policy_model",
    "reward_and_value_model",
    "ref_policy_model",
    "ref_checkpointer"
  ];
  const field = loss?.value.kind === "text" && /(?:rlhf|DPO|PPO|GRPO|KL)/.test(loss.value.text) ? loss : other.map((key2) => document.at(key2)).find((found) => found !== void 0);
  if (field === void 0) return;
  reader.refuse(
    field,
    "unsupported-training",
    `A recipe with ${quote(field === loss ? loss.source : field.name)} is not modelled yet`,
    leaveOut4
  );
}
var dtypes = /* @__PURE__ */ new Map([
  ["bf16", "bf16"],
  ["fp32", "fp32"]
]);
function readPrecision7(reader, field) {
  return reader.settle("precision", field, (present2) => reader.choice(present2, dtypes), {
    value: "fp32",
    source: "torchtune's default",
    assumption: "Weights in fp32, torchtune's default: the config sets no dtype."
  });
}
var optimizers5 = /* @__PURE__ */ new Map([
  ["AdamW", "adamw"],
  ["Adam", "adamw"],
  ["SGD", "sgd"],
  ["Adafactor", "adafactor"],
  ["AdamW8bit", "adamw-8bit"],
  ["Adam8bit", "adamw-8bit"],
  ["AdamW4bit", "adamw-8bit"],
  ["PagedAdamW", "paged-adamw"],
  ["PagedAdamW32bit", "paged-adamw"],
  ["PagedAdamW8bit", "paged-adamw-8bit"],
  ["Lion", "lion"]
]);
function readOptimizer5(reader, document) {
  const component = componentOf(document, "optimizer");
  const inBackward = document.at("optimizer_in_bwd");
  if (inBackward !== void 0 && reader.flag(inBackward) === true) {
    reader.assume(
      "Gradients are counted whole, though optimizer_in_bwd frees each as it is used: the estimate is high."
    );
  }
  return reader.settle(
    "optimizer",
    component,
    (present2) => {
      const name = reader.text(present2)?.split(".").at(-1);
      if (name === void 0) return void 0;
      const known2 = optimizers5.get(name);
      if (known2 === void 0) {
        const message = `The optimizer ${quote(present2.source)} is not supported yet`;
        return reader.refuse(present2, "unsupported-optimizer", message, leaveOut4);
      }
      const isFused = known2 === "adamw" && reader.flag(document.at("optimizer", "fused")) === true;
      return isFused ? "adamw-fused" : known2;
    },
    { value: "adamw", source: "assumed", assumption: "AdamW: the config sets no optimizer." }
  );
}
function readCheckpointing5(reader, document) {
  const offloading = document.at("enable_activation_offloading");
  if (offloading !== void 0 && reader.flag(offloading) === true) {
    reader.assume("Checkpoints are counted on the GPU, though the config moves them to the host: the estimate is high.");
  }
  return reader.settle(
    "gradientCheckpointing",
    document.at("enable_activation_checkpointing"),
    (field) => reader.flag(field),
    { value: false, source: "torchtune's default" }
  );
}
var layerNames = {
  q_proj: ["q_proj", "qkv_proj"],
  k_proj: ["k_proj", "qkv_proj"],
  v_proj: ["v_proj", "qkv_proj"],
  output_proj: ["o_proj"]
};
var mlpNames = ["gate_proj", "up_proj", "down_proj", "gate_up_proj"];
function readAdapter3(reader, document, model) {
  const field = document.at("model", "lora_attn_modules");
  const named2 = readTargets(reader, field);
  const attention5 = named2 === void 0 || typeof named2 === "string" ? Object.keys(layerNames) : named2;
  const mlp = document.at("model", "apply_lora_to_mlp");
  const output = document.at("model", "apply_lora_to_output");
  if (output !== void 0 && reader.flag(output) === true) {
    reader.assume("The adapter of the output layer is not counted.");
  }
  reader.assume("Adapters are counted in fp32, as peft holds them; torchtune holds them in the dtype of the weights.");
  return readLora(reader, model, {
    rank: document.at("model", "lora_rank"),
    defaultRank: { value: 8, source: "torchtune's default" },
    dropout: document.at("model", "lora_dropout"),
    defaultDropout: 0,
    targets: [
      ...attention5.flatMap((name) => layerNames[name] ?? [name]),
      ...mlp !== void 0 && reader.flag(mlp) === true ? mlpNames : []
    ],
    targetField: field
  });
}
function quantizationOf(reader, document, { method }, component) {
  const quantised = document.at("model", "quantize_base");
  const isQuantised = method === "qlora" || quantised !== void 0 && reader.flag(quantised) === true;
  const from = method === "qlora" ? component : quantised;
  return isQuantised && from !== void 0 ? reader.note("quantization", "nf4-double", from) : void 0;
}
function noteChunkedLoss(reader, loss) {
  if (loss?.value.kind !== "text" || !/(?:LinearCrossEntropyLoss|CEWithChunkedOutputLoss)$/.test(loss.value.text))
    return;
  reader.assume("A chunked loss is counted as a whole one, so the estimate of the logits is high rather than low.");
}

// engine/config/dialects/ultralytics.ts
var ownKeys7 = ["imgsz", "batch", "epochs", "close_mosaic", "mosaic", "patience", "lrf", "optimizer", "data"];
var writesSize = writesAny(["imgsz"]);
var writesBatch5 = writesAny(["batch", "epochs"]);
var ultralytics = {
  name: "Ultralytics",
  mayBe: (text3) => writesSize(text3) && writesBatch5(text3),
  recognise: (document) => {
    const found = ownKeys7.filter((key2) => document.fields.has(key2));
    const trains = document.at("mode") === void 0 || document.at("mode")?.source === "train";
    const isOurs = document.at("imgsz") !== void 0 && (document.at("batch") ?? document.at("epochs")) !== void 0;
    return isOurs && trains && found.length >= 3 ? found.join(", ") : void 0;
  },
  modelField: () => void 0,
  read: read11
};
function read11(document, reader) {
  readBatch3(reader, document);
  const imageSize = document.at("imgsz");
  const pixels = reader.wholeNumber(imageSize, { max: 1e5 });
  if (pixels !== void 0 && imageSize !== void 0) reader.note("imageSize", pixels, imageSize);
  const amp = document.at("amp");
  const isMixed = amp === void 0 || reader.flag(amp) === true;
  reader.note("precision", isMixed ? "amp-fp16" : "fp32", amp ?? "Ultralytics' default");
  const model = document.at("model");
  reader.refuse(
    model,
    model === void 0 ? "model-not-in-file" : "unknown-model",
    model === void 0 ? "The model cannot be known from the file" : `The model ${quote(model.source)} is one of Ultralytics', and those are not modelled yet`,
    "Leave this config out of the check for now."
  );
  return { kind: "unreadable", problems: reader.problems };
}
function readBatch3(reader, document) {
  const field = document.at("batch");
  const { value } = field ?? {};
  if (field !== void 0 && value?.kind === "number" && value.number < 1) {
    const message = `The batch size cannot be known from the file: ${field.source} lets Ultralytics look for one`;
    reader.refuse(field, "not-in-file", message, "Write the value into the config if it should be checked.");
    return;
  }
  reader.settle("microBatch", field, (present2) => reader.wholeNumber(present2, { max: MAX_BATCH }), {
    value: 16,
    source: "Ultralytics' default"
  });
}

// engine/config/dialect.ts
var dialects = [
  memorymark,
  axolotl,
  llamafactory,
  llamafactoryV1,
  torchtune,
  lightning,
  deepspeed,
  accelerate,
  ultralytics,
  timm,
  huggingface,
  hydra
];

// engine/config/document.ts
import { Composer, isMap as isMap2, isScalar as isScalar2, Lexer, LineCounter, Parser, visit } from "yaml";

// engine/config/json-syntax.ts
var blank = /[\t\n\r ]*/y;
var token = /"[ !#-[\]-\u{10ffff}]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\u{10ffff}]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\]:,]/uy;
function firstJsonError(text3) {
  if (isJson(text3)) return void 0;
  const open = [];
  let expected = "value";
  let offset = 0;
  for (; ; ) {
    offset = skip(blank, text3, offset);
    const end = skip(token, text3, offset);
    const next = end === offset ? void 0 : step(expected, text3.slice(offset, Math.min(end, offset + 1)), open);
    if (next === void 0) return offset;
    expected = next;
    offset = end;
  }
}
function isJson(text3) {
  try {
    JSON.parse(text3);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
function skip(pattern, text3, from) {
  pattern.lastIndex = from;
  return pattern.test(text3) ? pattern.lastIndex : from;
}
function step(expected, first, open) {
  const inObject = open.at(-1) === "{";
  switch (first) {
    case "{":
    case "[":
      if (expected !== "value" && expected !== "value-or-end") return void 0;
      open.push(first);
      return first === "{" ? "key-or-end" : "value-or-end";
    case "}":
      return inObject && (expected === "key-or-end" || expected === "comma-or-end") ? close(open) : void 0;
    case "]":
      return !inObject && (expected === "value-or-end" || expected === "comma-or-end") ? close(open) : void 0;
    case ":":
      return expected === "colon" ? "value" : void 0;
    case ",":
      if (expected !== "comma-or-end") return void 0;
      return inObject ? "key" : "value";
    default:
      if (expected === "value" || expected === "value-or-end") return afterValue(open);
      return first === '"' && (expected === "key" || expected === "key-or-end") ? "colon" : void 0;
  }
}
function close(open) {
  open.pop();
  return afterValue(open);
}
function afterValue(open) {
  return open.length === 0 ? "nothing" : "comma-or-end";
}

// engine/config/section.ts
import { isAlias, isMap, isScalar, isSeq } from "yaml";
var Section = class _Section {
  /** Empty for the top of the document. */
  name;
  #origin;
  #map;
  #fields;
  constructor(origin, map, name = "") {
    this.#origin = origin;
    this.#map = map;
    this.name = name;
  }
  get fields() {
    this.#fields ??= new Map(
      [...pairsOf(this.#map, this.#origin.document)].map(([key2, pair]) => [key2, this.#field(key2, pair)])
    );
    return this.#fields;
  }
  field(key2) {
    return this.fields.get(key2);
  }
  /** The field at the end of a path of keys, when it holds a value. */
  at(...path2) {
    const [key2, ...rest] = path2;
    const field = this.field(key2);
    const [next, ...others] = rest;
    if (next === void 0) return field?.value.kind === "empty" ? void 0 : field;
    return field?.value.kind === "mapping" ? field.value.section.at(next, ...others) : void 0;
  }
  /** This section and those nested in it down to `levels`, outer ones first; one that aliases repeat comes once. */
  nested(levels) {
    const found = [this];
    const seen = /* @__PURE__ */ new Set([this.#map]);
    let outer = found;
    for (let level = 1; level <= levels; level++) {
      const inner = outer.flatMap((section) => section.#children()).filter((child) => isNew(seen, child.#map));
      found.push(...inner);
      outer = inner;
    }
    return found;
  }
  #children() {
    return [...this.fields.values()].flatMap(({ value }) => value.kind === "mapping" ? [value.section] : []);
  }
  #field(key2, pair) {
    const name = this.name === "" ? plain2(key2) : `${this.name}.${plain2(key2)}`;
    const value = this.#value(pair.value, name);
    return { key: key2, name, value, ...this.#place(value.kind === "empty" ? pair.key : pair.value) };
  }
  #place(node) {
    const { text: text3, lines } = this.#origin;
    const [start, end] = rangeOf(node);
    const { line, col } = lines.linePos(start);
    return { at: { line, column: col }, source: plain2(text3.slice(start, end)) };
  }
  #value(node, name) {
    const target = isAlias(node) ? node.resolve(this.#origin.document) : node;
    if (isMap(target)) return { kind: "mapping", section: new _Section(this.#origin, target, name) };
    if (isSeq(target)) {
      const items = target.items.map((item, index) => ({
        ...this.#value(item, `${name}[${index}]`),
        ...this.#place(item)
      }));
      return { kind: "list", items };
    }
    if (!isScalar(target)) return { kind: "empty" };
    const { value } = target;
    switch (typeof value) {
      case "number":
        return { kind: "number", number: value };
      case "boolean":
        return { kind: "flag", flag: value };
      case "string":
        return { kind: "text", text: value };
      default:
        return value === null ? { kind: "empty" } : { kind: "text", text: target.source ?? "" };
    }
  }
};
function isNew(seen, item) {
  const isNew2 = !seen.has(item);
  seen.add(item);
  return isNew2;
}
function pairsOf(map, document) {
  const own = /* @__PURE__ */ new Map();
  const merged = /* @__PURE__ */ new Map();
  for (const pair of map.items) {
    if (isMergeKey(pair.key)) {
      for (const source of mergeSources(pair.value, document)) {
        for (const [key2, inherited] of pairsOf(source, document)) if (!merged.has(key2)) merged.set(key2, inherited);
      }
    } else if (isScalar(pair.key)) own.set(String(pair.key.value), pair);
  }
  return new Map([...merged, ...own]);
}
function isMergeKey(key2) {
  return isScalar(key2) && typeof key2.value === "symbol";
}
function mergeSources(value, document) {
  const target = isAlias(value) ? value.resolve(document) : value;
  if (isSeq(target)) return target.items.flatMap((item) => mergeSources(item, document));
  return isMap(target) ? [target] : [];
}
function rangeOf(node) {
  const range = isAlias(node) || isScalar(node) || isMap(node) || isSeq(node) ? node.range : void 0;
  return range ? [range[0], range[1]] : [0, 0];
}

// engine/config/document.ts
var MAX_BYTES = MIB;
var MAX_DEPTH = 100;
var MAX_ALIASES = 100;
var MAX_SYNTAX_PROBLEMS = 10;
function parseFile(file) {
  const text3 = file.text.replace(/^\uFEFF/, "");
  const bytes3 = Buffer.byteLength(text3);
  if (bytes3 > MAX_BYTES) return unreadable([{ ...tooLarge(bytes3), file: file.path }]);
  const lines = new LineCounter();
  const describe = (offset, problem2) => {
    const { line, col } = lines.linePos(Math.min(offset, text3.length));
    return { ...problem2, file: file.path, line, column: Math.max(col, 1) };
  };
  const tokens = tokenize(text3, lines);
  if (tokens.kind === "too-deep") return unreadable([describe(tokens.offset, tooDeep)]);
  const isJson2 = /\.json$/i.test(file.path);
  const jsonError = isJson2 ? firstJsonError(text3) : void 0;
  if (jsonError !== void 0) return unreadable([describe(jsonError, notJson(text3, jsonError))]);
  const documents = compose(tokens.tokens, isJson2);
  const problems = documents.flatMap((document) => problemsOf(document, describe));
  if (problems.length > 0) return unreadable(problems.slice(0, MAX_SYNTAX_PROBLEMS));
  return {
    kind: "document",
    mappings: documents.flatMap(
      (document) => isMap2(document.contents) ? [new Section({ document, text: text3, lines }, document.contents)] : []
    )
  };
}
function tokenize(text3, lines) {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const tokens = [];
  for (const lexeme of new Lexer().lex(text3)) {
    for (const token2 of parser.next(lexeme)) tokens.push(token2);
    if (parser.stack.length > MAX_DEPTH + 1) return { kind: "too-deep", offset: parser.offset };
  }
  for (const token2 of parser.end()) tokens.push(token2);
  return { kind: "tokens", tokens };
}
function compose(tokens, isJson2) {
  const options = { uniqueKeys: false, prettyErrors: false, logLevel: "silent" };
  const dialect = isJson2 ? { schema: "json" } : { version: "1.1" };
  return [...new Composer({ ...options, ...dialect }).compose(tokens)];
}
function problemsOf(document, describe) {
  if (document.errors.length > 0) {
    return firstOfEachLine(document.errors.map(({ pos, message }) => describe(pos[0], notYaml(message))));
  }
  return [...duplicateKeys(document, describe), ...aliasProblems(document, describe)];
}
function firstOfEachLine(problems) {
  const lines = /* @__PURE__ */ new Set();
  return problems.filter(({ line }) => !lines.has(line) && lines.add(line));
}
function duplicateKeys(document, describe) {
  const problems = [];
  visit(document, {
    Map(_, map) {
      const seen = /* @__PURE__ */ new Set();
      for (const { key: key2 } of map.items) {
        if (!isScalar2(key2) || isMergeKey(key2)) continue;
        if (seen.has(key2.value)) problems.push(describe(rangeOf(key2)[0], duplicateKey(String(key2.value))));
        seen.add(key2.value);
      }
    }
  });
  return problems;
}
function aliasProblems(document, describe) {
  const offsets = [];
  visit(document, {
    Alias(_, alias) {
      offsets.push(rangeOf(alias)[0]);
    }
  });
  const [first] = offsets;
  if (first === void 0) return [];
  if (offsets.length > MAX_ALIASES) return [describe(first, badAliases(`The file has ${offsets.length} aliases`))];
  try {
    document.toJS({ maxAliasCount: MAX_ALIASES, mapAsMap: true });
    return [];
  } catch (error) {
    return [describe(first, badAliases(error instanceof Error ? plain2(error.message) : "The aliases cannot be read"))];
  }
}
function unreadable(problems) {
  return { kind: "unreadable", problems };
}
function tooLarge(bytes3) {
  return {
    code: "file-too-large",
    message: `The file holds ${(bytes3 / MIB).toFixed(1)} MiB; a training config is read up to 1 MiB`,
    fix: "Move data out of the config, or leave the file out of the check."
  };
}
var tooDeep = {
  code: "file-too-deep",
  message: `The file nests more than ${MAX_DEPTH} levels deep here`,
  fix: "Flatten it, or leave the file out of the check."
};
function notJson(text3, offset) {
  const found = offset < text3.length ? `Not valid JSON at ${quote(text3.slice(offset, offset + 20))}` : "The JSON ends early";
  return {
    code: "not-json",
    message: found,
    fix: "Correct the JSON there; it allows no comments, no trailing commas and no single quotes."
  };
}
function notYaml(message) {
  return {
    code: "not-yaml",
    message: `Not valid YAML: ${plain2(message)}`,
    fix: "Correct the YAML there; indent with spaces and quote text that holds special characters."
  };
}
function duplicateKey(key2) {
  return {
    code: "duplicate-key",
    message: `The key ${quote(key2)} is set twice in the same mapping`,
    fix: "Keep one of the two."
  };
}
function badAliases(message) {
  return {
    code: "bad-alias",
    message,
    fix: `Write the values out instead of aliasing them; up to ${MAX_ALIASES} expansions of an anchor are read.`
  };
}

// engine/config/read.ts
async function readConfigAsync(file, resolve, supplied = {}) {
  const opened = openConfig(file, supplied);
  return opened.kind === "open" ? opened.read(await resolvedBefore(opened, resolve)) : opened;
}
async function resolvedBefore({ modelName }, resolve) {
  const resolution = modelName === void 0 ? { kind: "unknown" } : await resolve(modelName);
  return () => resolution;
}
function openConfig(file, supplied = {}) {
  if (!dialects.some((dialect) => dialect.mayBe(file.text))) return notOurs;
  const parsed2 = parseFile(file);
  if (parsed2.kind === "unreadable") return parsed2;
  for (const document of parsed2.mappings) {
    for (const dialect of dialects) {
      const why = dialect.recognise(document);
      if (why === void 0) continue;
      const modelName = modelNameIn(supplied.model ?? dialect.modelField(document));
      return {
        kind: "open",
        dialect,
        why,
        ...modelName !== void 0 && { modelName },
        read: (lookUp, reader = new FieldReader(file.path, supplied)) => withUnread(dialect.read(document, reader, lookUp), reader)
      };
    }
  }
  return notOurs;
}
function withUnread(reading, { unread: unread2 }) {
  if (reading.kind !== "training-config" || unread2.length === 0) return reading;
  const sentence = `${SETTINGS_PATH} supplies ${unread2.join(", ")}, which configs of ${reading.dialect} leave no choice about.`;
  return { ...reading, assumptions: [...reading.assumptions, sentence] };
}
var notOurs = {
  kind: "not-a-training-config",
  why: `It sets no batch size that is known here: no settings of ${oneOf(dialects.map(({ name }) => name))} were found in it.`
};
var candidateExtension = /\.(ya?ml|json)$/i;
var foreignFolders = /* @__PURE__ */ new Set(["node_modules", ".git", ".venv", "venv", "__pycache__", "site-packages"]);
var foreignFile = /^(package|composer|tsconfig.*|jsconfig.*|biome|deno|renovate|tokenizer|tokenizer_config|vocab|trainer_state|.*[-.]lock|npm-shrinkwrap|\.eslintrc|\.prettierrc|\.pre-commit-config)\.(ya?ml|json)$/i;
function isCandidatePath(path2) {
  const folders = path2.split("/");
  const name = folders.pop() ?? "";
  return candidateExtension.test(name) && !foreignFile.test(name) && !folders.some((folder) => foreignFolders.has(folder));
}

// engine/estimate/allocator.ts
var MIN_BLOCK_BYTES = 512;
var SMALL_BYTES = MIB;
var SMALL_SEGMENT_BYTES = 2 * MIB;
var LARGE_SEGMENT_BYTES = 20 * MIB;
var OWN_SEGMENT_BYTES = 10 * MIB;
var SEGMENT_ROUNDING_BYTES = 2 * MIB;
function roundedSize(bytes3) {
  return Math.max(MIN_BLOCK_BYTES, Math.ceil(bytes3 / MIN_BLOCK_BYTES) * MIN_BLOCK_BYTES);
}
var CachingAllocator = class {
  peakReservedBytes = 0;
  /** Whether the device ran short, so that a larger one would have gone another way. */
  hasReturnedSegments = false;
  #reservedBytes = 0;
  #capacityBytes;
  /** Free blocks by pool, ordered by size: small requests never take from large segments. */
  #free = { small: [], large: [] };
  constructor(capacityBytes) {
    this.#capacityBytes = capacityBytes;
  }
  /** Undefined when the device has no room even after cached segments went back. */
  allocate(bytes3) {
    const size2 = roundedSize(bytes3);
    const block2 = this.#takeFree(size2) ?? this.#newSegment(size2);
    if (block2 === void 0) return void 0;
    this.#splitOff(block2, size2);
    block2.isFree = false;
    return block2;
  }
  release(block2) {
    block2.isFree = true;
    this.#mergeNext(block2);
    const { previous } = block2;
    if (previous?.isFree) {
      this.#removeFree(previous);
      this.#mergeNext(previous);
      this.#insertFree(previous);
    } else {
      this.#insertFree(block2);
    }
  }
  #takeFree(size2) {
    const pool = this.#pool(size2 <= SMALL_BYTES);
    const index = lowerBound(pool, size2);
    const block2 = pool[index];
    if (block2 === void 0) return void 0;
    pool.splice(index, 1);
    return block2;
  }
  #newSegment(size2) {
    const bytes3 = segmentSize(size2);
    if (this.#reservedBytes + bytes3 > this.#capacityBytes) this.#returnFreeSegments();
    if (this.#reservedBytes + bytes3 > this.#capacityBytes) return void 0;
    this.#reservedBytes += bytes3;
    this.peakReservedBytes = Math.max(this.peakReservedBytes, this.#reservedBytes);
    return { bytes: bytes3, isFree: true, isSmall: size2 <= SMALL_BYTES, previous: void 0, next: void 0 };
  }
  /** release_cached_blocks: every segment that is one free block goes back to the device. */
  #returnFreeSegments() {
    this.hasReturnedSegments = true;
    for (const pool of [this.#free.small, this.#free.large]) {
      for (let index = pool.length - 1; index >= 0; index--) {
        const block2 = pool[index];
        if (block2 === void 0 || block2.previous !== void 0 || block2.next !== void 0) continue;
        this.#reservedBytes -= block2.bytes;
        pool.splice(index, 1);
      }
    }
  }
  /** should_split: small blocks from 512 bytes of rest, large ones above 1 MiB of rest. */
  #splitOff(block2, size2) {
    const rest = block2.bytes - size2;
    if (block2.isSmall ? rest < MIN_BLOCK_BYTES : rest <= SMALL_BYTES) return;
    const remainder = { bytes: rest, isFree: true, isSmall: block2.isSmall, previous: block2, next: block2.next };
    if (block2.next !== void 0) block2.next.previous = remainder;
    block2.next = remainder;
    block2.bytes = size2;
    this.#insertFree(remainder);
  }
  #mergeNext(block2) {
    const { next } = block2;
    if (next === void 0 || !next.isFree || !block2.isFree) return;
    this.#removeFree(next);
    block2.bytes += next.bytes;
    block2.next = next.next;
    if (next.next !== void 0) next.next.previous = block2;
  }
  #insertFree(block2) {
    const pool = this.#pool(block2.isSmall);
    pool.splice(lowerBound(pool, block2.bytes), 0, block2);
  }
  #removeFree(block2) {
    const pool = this.#pool(block2.isSmall);
    const index = pool.indexOf(block2, lowerBound(pool, block2.bytes));
    if (index >= 0) pool.splice(index, 1);
  }
  #pool(isSmall) {
    return isSmall ? this.#free.small : this.#free.large;
  }
};
function segmentSize(size2) {
  if (size2 <= SMALL_BYTES) return SMALL_SEGMENT_BYTES;
  if (size2 < OWN_SEGMENT_BYTES) return LARGE_SEGMENT_BYTES;
  return Math.ceil(size2 / SEGMENT_ROUNDING_BYTES) * SEGMENT_ROUNDING_BYTES;
}
function lowerBound(blocks, size2) {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = low + high >>> 1;
    if ((blocks[middle]?.bytes ?? 0) < size2) low = middle + 1;
    else high = middle;
  }
  return low;
}

// engine/estimate/autograd.ts
var weightDtypes = {
  fp32: "float32",
  tf32: "float32",
  bf16: "bfloat16",
  "bf16-master": "bfloat16",
  "amp-bf16": "float32",
  "amp-fp16": "float32"
};
var autocastDtypes = {
  "amp-bf16": "bfloat16",
  "amp-fp16": "float16"
};
var Autograd = class {
  parameters = /* @__PURE__ */ new Map();
  /** Storages that live as long as the model beside its parameters: running statistics, position ids. */
  buffers = [];
  /** The batch's own tensors, which the training loop holds through the step. */
  batch = [];
  /** Tensors that the model's outputs reference: the key/value cache. */
  held = [];
  /** Casts that autocast's cache keeps until the forward pass ends. */
  cachedCasts = [];
  /** Tensors laid out head by head, [b, heads, s, size], rather than token by token. */
  headsFirst = /* @__PURE__ */ new Set();
  nodes = [];
  spec;
  weightDtype;
  autocastDtype;
  training;
  /** Whether batches carry a mask of padded tokens; images never do. */
  isPadded;
  hasFlash;
  castWeights = /* @__PURE__ */ new Map();
  #edges = 0;
  #storages = 0;
  /** `hasFlash`: the GPU runs the flash attention kernel. */
  constructor(spec, { hasFlash }) {
    this.hasFlash = hasFlash;
    this.spec = spec;
    this.weightDtype = weightDtypes[spec.precision];
    this.autocastDtype = autocastDtypes[spec.precision];
    this.training = spec.step === "training";
    this.isPadded = spec.paddedBatches && spec.task !== "image-classification";
  }
  /** Asking for a name twice shares the parameter. */
  parameter(name, shape, options) {
    const known2 = this.parameters.get(name);
    if (known2 !== void 0) return known2;
    const { trainable, dtype = this.weightDtype } = options;
    const storage = this.persistent(elements({ shape }) * bytesPerElement[dtype]);
    const parameter = { storage, shape, batched: false, dtype, requiresGrad: trainable, edge: this.newEdge() };
    this.parameters.set(name, parameter);
    return parameter;
  }
  /** A kernel that reads `x` and writes a tensor of its shape. */
  elementwise(name, x, options = {}) {
    const output = this.tensor(x.shape, x.dtype, [x], x);
    const saves = [...options.saves ?? [], ...options.savesOutput ? [output] : []];
    this.record(name, { reads: [x], outputs: [output], saves, gradients: [made(x)] });
    return output;
  }
  dropout(x, probability2) {
    if (!this.training || probability2 === 0) return x;
    const mask = this.storage(elements(x), "bool", x.batched);
    const output = this.tensor(x.shape, x.dtype, [x], x);
    this.record("dropout", { reads: [x], outputs: [output], saved: [mask], gradients: [made(x)] });
    return output;
  }
  add(x, y, options = {}) {
    const dtype = widest(x.dtype, y.dtype);
    const output = options.inPlace ? { ...x, requiresGrad: x.requiresGrad || y.requiresGrad } : this.tensor(x.batched ? x.shape : y.shape, dtype, [x, y], { batched: x.batched || y.batched });
    const same = (side) => side.batched === output.batched && side.dtype === output.dtype;
    this.record("add", {
      reads: [x, y],
      outputs: [output],
      gradients: [x, y].map((side) => ({ to: side, passes: same(side) }))
    });
    return output;
  }
  multiply(x, y) {
    const larger = elements(x) >= elements(y) ? x : y;
    const output = this.tensor(larger.shape, widest(x.dtype, y.dtype), [x, y], { batched: x.batched || y.batched });
    const saves = [...y.requiresGrad ? [x] : [], ...x.requiresGrad ? [y] : []];
    this.record("mul", { reads: [x, y], outputs: [output], saves, gradients: [x, y].map(made) });
    return output;
  }
  power(x) {
    const output = this.tensor(x.shape, x.dtype, [x], x);
    const backwardScratch = [0, 1].map(() => this.storage(elements(x), x.dtype, x.batched, "temporaries"));
    this.record("pow", { reads: [x], outputs: [output], saves: [x], gradients: [made(x)], backwardScratch });
    return output;
  }
  /** [heads, m, k] × [heads, k, n] → `shape`. Inside another op autocast has no say. */
  batchMatmul(x, y, shape, { autocasts = true } = {}) {
    const [left, right] = autocasts ? [this.lowered(x), this.lowered(y)] : [x, y];
    const output = this.tensor(shape, left.dtype, [left, right]);
    const heads = left.shape[0] ?? 1;
    const inner = Math.sqrt(elements(left) * elements(right) / (elements(output) * heads));
    this.record("bmm", {
      reads: [left, right],
      outputs: [output],
      saves: [left, right],
      gradients: [left, right].map(made),
      flopsPerSample: 2 * elements(output) * inner
    });
    return output;
  }
  /** A view of part of the last dimension. Its gradient is a tensor of the whole, as SliceBackward0 pads it with zeros. */
  slice(x, size2) {
    const output = { ...x, shape: [...x.shape.slice(0, -1), size2], edge: this.newEdge() };
    this.record("slice", { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  /** A new tensor of the parts; their gradients are views of its gradient. */
  concatenate(parts) {
    const [first] = parts;
    if (first === void 0) throw new Error("nothing to concatenate");
    const last = parts.reduce((sum2, part) => sum2 + (part.shape.at(-1) ?? 0), 0);
    const output = this.tensor([...first.shape.slice(0, -1), last], first.dtype, parts, first);
    this.record("cat", { reads: parts, outputs: [output], gradients: parts.map((to) => ({ to, passes: true })) });
    return output;
  }
  /** Under autocast, what matrix products read: weights are cast once a forward pass, activations each time. */
  lowered(x, { cache = true } = {}) {
    if (this.autocastDtype === void 0 || x.dtype !== "float32") return x;
    const isCached = cache && x.storage.persistent && x.requiresGrad;
    const known2 = isCached ? this.castWeights.get(x) : void 0;
    if (known2 !== void 0) return known2;
    const cast = this.cast(x, this.autocastDtype);
    if (x.storage.persistent) cast.storage.kind = "weights";
    if (isCached) {
      this.castWeights.set(x, cast);
      this.cachedCasts.push(cast.storage);
    }
    return cast;
  }
  cast(x, dtype) {
    if (x.dtype === dtype) return x;
    const output = this.tensor(x.shape, dtype, [x], x);
    if (x.storage.kind === "logits") output.storage.kind = "logits";
    if (this.headsFirst.has(x.storage)) this.headsFirst.add(output.storage);
    this.record("to", { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  /** What autocast raises to float32: norms, powers, softmax. */
  raised(x) {
    return this.autocastDtype === void 0 ? x : this.cast(x, "float32");
  }
  tensor(shape, dtype, from, { batched } = { batched: true }) {
    const storage = this.storage(elements({ shape }), dtype, batched);
    const requiresGrad = from.some((input) => input.requiresGrad);
    return { storage, shape, batched, dtype, requiresGrad, edge: this.newEdge() };
  }
  storage(count2, dtype, batched, kind = "activations") {
    return this.#newStorage(count2 * bytesPerElement[dtype], batched, kind, false);
  }
  /** A storage of the model itself. */
  persistent(bytes3) {
    return this.#newStorage(bytes3, false, "weights", true);
  }
  /** A new storage of a tensor's size: its gradient, its optimizer state, a temporary. */
  like(tensor, kind) {
    return this.#newStorage(elements(tensor) * bytesPerElement[tensor.dtype], tensor.batched, kind, false);
  }
  /** Any other storage, in bytes, that does not grow with the batch. */
  fixed(bytes3, kind) {
    return this.#newStorage(bytes3, false, kind, false);
  }
  newEdge() {
    return this.#edges++;
  }
  /** Outside the graph (no output requires a gradient) nothing is saved. */
  record(name, options) {
    const { outputs, saves = [], saved = [], gradients = [], scratch = [], backwardScratch = [] } = options;
    const readStorages = options.reads.map((tensor) => tensor.storage);
    const inGraph = outputs.some((output) => output.requiresGrad);
    const created = outputs.map((tensor) => tensor.storage).filter((storage) => !readStorages.includes(storage));
    this.nodes.push({
      name,
      reads: readStorages,
      creates: [...created, ...saved],
      scratch,
      saves: inGraph ? [...saves.map((tensor) => tensor.storage), ...saved] : [],
      outputs,
      gradients: gradients.filter((edge) => edge.to.requiresGrad),
      backwardScratch,
      flopsPerSample: options.flopsPerSample ?? 0,
      computeDtype: outputs[0]?.dtype ?? "float32"
    });
  }
  #newStorage(bytes3, batched, kind, persistent) {
    const [fixedBytes, bytesPerSample] = batched ? [0, bytes3] : [bytes3, 0];
    return { id: this.#storages++, fixedBytes, bytesPerSample, kind, persistent };
  }
};
function made(to) {
  return { to, passes: false };
}
function widest(x, y) {
  return x === "float32" || y === "float32" ? "float32" : x;
}

// engine/estimate/attention.ts
var FLASH_MAX_HEAD_SIZE = 256;
function fusedAttention2(autograd, query, key2, value, options) {
  const [tokens = 0] = query.shape;
  if (leavesBroadcast(options)) return broadcastAttention(autograd, query, key2, value, options);
  if (options.bias !== void 0) return biasedAttention(autograd, query, key2, value, options, options.bias);
  const isMasked = options.isAlwaysMasked || autograd.isPadded || options.window !== void 0 && tokens >= options.window;
  const groups2 = options.heads / options.keyValueHeads;
  const headSize2 = elements(query) / (tokens * options.heads);
  const native = groups2 > 1 && !isMasked && headSize2 <= FLASH_MAX_HEAD_SIZE;
  const repeat = (x) => native ? x : repeated(autograd, x, options);
  const [q, k, v] = [query, repeat(key2), repeat(value)].map((x) => autograd.lowered(x));
  const isFlash = autograd.hasFlash && q.dtype !== "float32" && !isMasked && headSize2 <= FLASH_MAX_HEAD_SIZE;
  return native && !isFlash ? composedAttention(autograd, q, repeated(autograd, k, options), repeated(autograd, v, options), options) : kernelAttention(autograd, q, k, v, { ...options, isFlash, isMasked });
}
function kernelAttention(autograd, q, k, v, options) {
  const [tokens = 0] = q.shape;
  const output = autograd.tensor(q.shape, q.dtype, [q, k, v]);
  const rows2 = options.isFlash ? tokens : Math.ceil(tokens / 32) * 32;
  const logSumExp = autograd.storage(options.heads * rows2, "float32", true);
  const mask = options.isMasked ? [autograd.storage(tokens * Math.ceil(tokens / 8) * 8, q.dtype, true)] : [];
  autograd.record("attention", {
    reads: [q, k, v],
    outputs: [output],
    saves: [q, k, v, output],
    saved: [logSumExp, ...mask],
    gradients: [q, k, v].map(made),
    flopsPerSample: (options.causal ? 2 : 4) * elements(q) * tokens
  });
  return options.isFlash && autograd.headsFirst.has(q.storage) ? autograd.elementwise("clone", output) : output;
}
function biasedAttention(autograd, query, key2, value, options, bias) {
  const [tokens = 0] = query.shape;
  const [sourceTokens = 0] = key2.shape;
  const [q, k, v] = [query, key2, value].map((x) => autograd.lowered(x));
  const mask = autograd.lowered(seenBias(autograd, bias, options));
  const forSamples = { ...mask, batched: true, edge: autograd.newEdge() };
  autograd.record("expand", { reads: [mask], outputs: [forSamples], gradients: [made(mask)] });
  const output = autograd.tensor(q.shape, q.dtype, [q, k, v]);
  const logSumExp = autograd.storage(options.heads * Math.ceil(tokens / 32) * 32, "float32", true);
  autograd.record("attention", {
    reads: [q, k, v, forSamples],
    outputs: [output],
    saves: [q, k, v, output, forSamples],
    saved: [logSumExp],
    gradients: [q, k, v, forSamples].map(made),
    flopsPerSample: 4 * elements(q) * sourceTokens
  });
  return output;
}
function seenBias(autograd, bias, { causal }) {
  const { isPadded } = autograd;
  if (!causal && !isPadded) return bias;
  const [, tokens = 0, sourceTokens = 0] = bias.shape;
  const output = autograd.tensor(bias.shape, bias.dtype, [bias], { batched: isPadded });
  const seen = isPadded ? [] : [autograd.storage(tokens * sourceTokens, "bool", false)];
  autograd.record("where", { reads: [bias], outputs: [output], saved: seen, gradients: [made(bias)] });
  return output;
}
function composedAttention(autograd, q, k, v, options) {
  const [tokens = 0] = q.shape;
  const scoreShape = [options.heads, tokens, tokens];
  const scaled2 = [q, k].map((x) => autograd.elementwise("mul", x));
  const scores = autograd.batchMatmul(scaled2[0], scaled2[1], scoreShape);
  const weights = autograd.elementwise("softmax", scores, { savesOutput: true });
  return autograd.batchMatmul(autograd.dropout(weights, options.dropout), v, q.shape);
}
function broadcastAttention(autograd, q, k, v, options) {
  const [tokens = 0] = q.shape;
  const inside = { autocasts: false };
  const lowered = [q, k, v].map((x) => autograd.lowered(x));
  const [wideQ, wideK, wideV] = lowered.map((x) => autograd.cast(x, "float32"));
  const scaled2 = [wideQ, wideK].map((x) => autograd.elementwise("mul", x));
  const scores = autograd.batchMatmul(
    scaled2[0],
    expanded(autograd, scaled2[1], q.shape),
    [options.heads, tokens, tokens],
    inside
  );
  const weights = autograd.elementwise("softmax", autograd.elementwise("add", scores), { savesOutput: true });
  const output = autograd.batchMatmul(
    autograd.dropout(weights, options.dropout),
    expanded(autograd, wideV, q.shape),
    q.shape,
    inside
  );
  return autograd.cast(output, lowered[0]?.dtype ?? q.dtype);
}
function eagerAttention2(autograd, query, key2, value, options) {
  const [tokens = 0] = query.shape;
  const groups2 = options.heads / options.keyValueHeads;
  const repeat = (x) => leavesBroadcast(options) ? expanded(autograd, x, query.shape) : repeated(autograd, x, options);
  const [k, v] = [key2, value].map(repeat);
  const isContiguous = (x) => groups2 > 1 || autograd.held.includes(x.storage);
  const factor = (x) => x !== query && isContiguous(x) ? x : autograd.elementwise("clone", x);
  const [sourceTokens = 0] = k.shape;
  const scores = autograd.batchMatmul(factor(query), factor(k), [options.heads, tokens, sourceTokens]);
  const scaled2 = autograd.elementwise("mul", scores);
  const biased = options.bias === void 0 ? scaled2 : autograd.add(scaled2, options.bias);
  const masked = options.causal || autograd.isPadded ? autograd.elementwise("add", biased) : biased;
  const wide = options.castsSoftmax ? autograd.cast(masked, "float32") : autograd.raised(masked);
  const softmax = autograd.elementwise("softmax", wide, { savesOutput: true });
  const castsBack = options.bias === void 0 && (options.causal || options.castsSoftmax);
  const lowered = castsBack ? autograd.cast(softmax, autograd.autocastDtype ?? query.dtype) : softmax;
  const weights = autograd.dropout(lowered, options.dropout);
  const output = autograd.elementwise("clone", autograd.batchMatmul(weights, factor(v), query.shape));
  return { output, weights };
}
function leavesBroadcast({ broadcastsHeads, keyValueHeads, heads }) {
  return broadcastsHeads === true && keyValueHeads < heads;
}
function repeated(autograd, x, { heads, keyValueHeads }) {
  if (heads === keyValueHeads || keyValueHeads === 1) return x;
  const [tokens = 0, features = 0] = x.shape;
  return expanded(autograd, x, [tokens, features * heads / keyValueHeads]);
}
function expanded(autograd, x, shape) {
  const output = autograd.tensor(shape, x.dtype, [x]);
  autograd.record("expand", { reads: [x], outputs: [output], gradients: [made(x)] });
  return output;
}

// engine/estimate/quantization.ts
function quantizedBytes(kind, count2, rows2) {
  switch (kind) {
    case "nf4":
      return { weights: count2 / 2, constants: count2 / NF4_BLOCK * bytesPerElement.float32 };
    case "nf4-double":
      return { weights: count2 / 2, constants: count2 / NF4_BLOCK };
    case "int8":
      return { weights: count2, constants: rows2 * bytesPerElement.float32 };
  }
}
var NF4_BLOCK = 64;

// engine/estimate/tape.ts
var INT32_BYTES = 4;
var Tape = class extends Autograd {
  input;
  labels;
  /** Last names of the linear modules met so far: what adapters can target. */
  linearNames = /* @__PURE__ */ new Set();
  /** Tensors that local variables of the running block reference. */
  #locals = [];
  constructor(spec, device) {
    super(spec, device);
    const isImage = spec.task === "image-classification";
    const imageSize = spec.imageSize ?? 0;
    const inputShape = isImage ? [3, imageSize, imageSize] : [spec.sequenceLength ?? 0];
    const labelShape = spec.task === "seq2seq-lm" ? [spec.targetLength ?? spec.sequenceLength ?? 0] : inputShape;
    const perToken = ["causal-lm", "masked-lm", "seq2seq-lm"].includes(spec.task);
    this.input = this.#batchTensor(inputShape, isImage ? this.weightDtype : "int64");
    this.labels = this.#batchTensor(perToken ? labelShape : [], "int64");
    if (this.isPadded) this.#batchTensor(inputShape, "int64");
  }
  embedding(name, ids, count2, features) {
    const table2 = this.#weight(`${name}.weight`, [count2, features]);
    const output = this.tensor([...ids.shape, features], table2.dtype, [table2], ids);
    this.record(name, { reads: [ids], outputs: [output], saves: [ids], gradients: [made(table2)] });
    return output;
  }
  constantEmbedding(name, count2, features, rows2) {
    const ids = this.tensor([rows2], "int64", [], { batched: false });
    this.record(name, { reads: [], outputs: [ids] });
    return this.embedding(name, ids, count2, features);
  }
  linear(name, x, outFeatures, options = {}) {
    if (this.spec.fusedLoss && this.#isOutputLayer(name)) return this.#fusedLoss(name, x, outFeatures, options.tiedTo);
    const base = this.#isQuantized(name) ? this.#quantizedLinear(name, x, outFeatures, options) : this.#denseLinear(name, x, outFeatures, options);
    return this.#isAdapted(name) ? this.frame(x, (input) => this.#adapted(name, input, base)) : base;
  }
  layerNorm(name, x) {
    const parameters = ["weight", "bias"].map((part) => this.#weight(`${name}.${part}`, [lastSize(x)]));
    const wide = this.raised(x);
    const output = this.tensor(wide.shape, wide.dtype, [wide, ...parameters], wide);
    const rows2 = elements(wide) / lastSize(wide);
    const statistics = [this.storage(rows2, "float32", wide.batched), this.storage(rows2, "float32", wide.batched)];
    this.record(name, {
      reads: [wide, ...parameters],
      outputs: [output],
      saves: [wide],
      saved: statistics,
      gradients: [wide, ...parameters].map(made)
    });
    return output;
  }
  rmsNorm(name, x, options) {
    const weight = this.#weight(`${name}.weight`, [options.size]);
    const wide = this.cast(x, "float32");
    const rows2 = [...x.shape.slice(0, -1), lastSize(x) / options.size];
    const squares = this.power(wide);
    const mean = this.tensor(rows2, "float32", [squares], x);
    this.record("mean", { reads: [squares], outputs: [mean], gradients: [made(squares)] });
    const scale = this.elementwise("rsqrt", mean, { savesOutput: true });
    const normalised = this.multiply(options.scalesInput ? x : wide, scale);
    if (!options.scalesInFloat32) return this.multiply(weight, this.cast(normalised, x.dtype));
    const factor = this.elementwise("add", this.cast(weight, "float32"));
    return this.cast(this.multiply(normalised, factor), x.dtype);
  }
  residual(x, skip2, options = {}) {
    this.#locals.push(x, skip2);
    return this.add(x, skip2, options);
  }
  gelu(x) {
    return this.elementwise("gelu", x, { saves: [x] });
  }
  geluNew(x) {
    const half = this.elementwise("mul", x);
    const cubed = this.power(this.raised(x));
    const inner = this.elementwise("mul", this.add(x, this.elementwise("mul", cubed)));
    return this.multiply(half, this.elementwise("add", this.tanh(inner)));
  }
  silu(x) {
    return this.elementwise("silu", x, { saves: [x] });
  }
  tanh(x) {
    return this.elementwise("tanh", x, { savesOutput: true });
  }
  relu(x) {
    return this.elementwise("relu", x, { savesOutput: true });
  }
  scale(x) {
    return this.elementwise("mul", x);
  }
  softcap(logits) {
    return [this.scale, this.tanh, this.scale].reduce((x, op) => this.markLogits(op.call(this, x)), logits);
  }
  dropPath(x, probability2) {
    if (!this.training || probability2 === 0) return x;
    const kept = this.tensor([], x.dtype, []);
    this.record("floor", { reads: [], outputs: [kept] });
    return this.multiply(this.elementwise("div", x), kept);
  }
  layerScale(name, x) {
    return this.multiply(this.#weight(name, [lastSize(x)]), x);
  }
  split(x, sizes) {
    const outputs = sizes.map((size2) => ({ ...x, shape: [...x.shape.slice(0, -1), size2], edge: this.newEdge() }));
    this.record("split", { reads: [x], outputs, gradients: [made(x)] });
    return outputs;
  }
  slices(x, sizes) {
    return sizes.map((size2) => this.slice(x, size2));
  }
  gathered(x) {
    return this.elementwise("clone", x);
  }
  repeatHeads(x, times) {
    const output = this.tensor([...x.shape.slice(0, -1), lastSize(x) * times], x.dtype, [x]);
    this.record("expand", { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  rotaryTable(x, size2) {
    const [tokens = 0] = x.shape;
    const table2 = [0, 1].map(() => this.tensor([tokens, size2], x.dtype, [], { batched: false }));
    this.record("rotary table", { reads: [], outputs: table2 });
    return table2;
  }
  rotary(x, [cos, sin], heads) {
    const rotated = lastSize(cos) * heads;
    if (rotated === lastSize(x)) return this.#rotated(x, cos, sin);
    const [turning, resting] = [this.slice(x, rotated), this.slice(x, lastSize(x) - rotated)];
    const output = this.concatenate([this.#rotated(turning, cos, sin), resting]);
    this.headsFirst.add(output.storage);
    return output;
  }
  cached(x) {
    if (this.spec.loop === "trainer" || this.training && this.spec.gradientCheckpointing) return x;
    const output = this.concatenate([x]);
    this.held.push(output.storage);
    return output;
  }
  attention(q, k, v, shape, bias) {
    const options = { keyValueHeads: shape.heads, castsSoftmax: false, ...shape, bias };
    if (this.spec.attention !== "eager") return fusedAttention2(this, q, k, v, options);
    const { output, weights } = eagerAttention2(this, q, k, v, options);
    this.#locals.push(weights);
    return output;
  }
  relativePositionBias(name, buckets, heads, tokens) {
    const pairs = this.tensor([tokens, tokens], "int64", [], { batched: false });
    this.record("relative positions", { reads: [], outputs: [pairs] });
    const bias = this.embedding(name, pairs, buckets, heads);
    return { ...bias, shape: [heads, tokens, tokens] };
  }
  zeroPositionBias(heads, tokens, sourceTokens) {
    const dtype = this.autocastDtype ?? this.weightDtype;
    const zeros = this.tensor([heads, tokens, sourceTokens], dtype, [], { batched: false });
    this.record("zeros", { reads: [], outputs: [zeros] });
    return zeros;
  }
  shiftedLabels() {
    if (!this.training) return this.labels;
    const shifted = this.tensor(this.labels.shape, "int64", []);
    this.record("shift", { reads: [this.labels], outputs: [shifted] });
    return shifted;
  }
  firstToken(x) {
    const output = { ...x, shape: x.shape.slice(1), edge: this.newEdge() };
    this.record("select", { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  lastToken(x) {
    const output = this.tensor(x.shape.slice(1), x.dtype, [x]);
    this.record("index", { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  conv2d(name, x, outChannels, options) {
    const [inChannels, ...size2] = image(x);
    const { kernel: kernel2, stride, padding = Math.floor(kernel2 / 2), groups: groups2 = 1 } = options;
    const filter = [inChannels / groups2, kernel2, kernel2];
    const weight = this.lowered(this.#weight(`${name}.weight`, [outChannels, ...filter]));
    const bias = options.bias ? [this.lowered(this.#weight(`${name}.bias`, [outChannels]))] : [];
    const factor = this.lowered(x);
    const outputSize = size2.map((pixels) => Math.floor((pixels + 2 * padding - kernel2) / stride) + 1);
    const output = this.tensor([outChannels, ...outputSize], factor.dtype, [factor, weight, ...bias]);
    this.record(name, this.#product(factor, weight, bias, output, elements({ shape: filter })));
    return output;
  }
  batchNorm(name, x) {
    const [channels] = image(x);
    const parameters = ["weight", "bias"].map((part) => this.#weight(`${name}.${part}`, [channels]));
    const statisticsBytes = channels * bytesPerElement[this.weightDtype];
    const batchCount = bytesPerElement.int64;
    this.buffers.push(...[statisticsBytes, statisticsBytes, batchCount].map((bytes3) => this.persistent(bytes3)));
    const output = this.tensor(x.shape, x.dtype, [x, ...parameters]);
    const statistics = this.training ? [0, 1].map(() => this.storage(channels, "float32", false)) : [];
    this.record(name, {
      reads: [x, ...parameters],
      outputs: [output],
      saves: [x],
      saved: statistics,
      gradients: [x, ...parameters].map(made)
    });
    return output;
  }
  maxPool(x, options) {
    const [channels, ...size2] = image(x);
    const { kernel: kernel2, stride, padding } = options;
    const pooled = size2.map((pixels) => Math.floor((pixels + 2 * padding - kernel2) / stride) + 1);
    const output = this.tensor([channels, ...pooled], x.dtype, [x]);
    const indices = this.storage(elements(output), "int64", true);
    this.record("max_pool2d", { reads: [x], outputs: [output], saves: [x], saved: [indices], gradients: [made(x)] });
    return output;
  }
  globalAveragePool(x) {
    const output = this.tensor(x.shape.slice(0, 1), x.dtype, [x]);
    this.record("mean", { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  channelsLast(x) {
    const [channels, y, width] = image(x);
    return { ...x, shape: [y, width, channels] };
  }
  channelsFirst(x) {
    const [y = 0, width = 0, channels = 0] = x.shape;
    return { ...x, shape: [channels, y, width] };
  }
  flattenPixels(x) {
    const [channels, y, width] = image(x);
    return { ...x, shape: [y * width, channels] };
  }
  prependTokens(names, x) {
    const [tokens = 0, hidden = 0] = x.shape;
    const learned = names.map((name) => this.#weight(name, [1, hidden]));
    const [first = x] = learned;
    const output = this.tensor([names.length + tokens, hidden], widest(x.dtype, first.dtype), [x, ...learned]);
    const patches = { to: x, passes: output.dtype === x.dtype };
    this.record("cat", { reads: [x, ...learned], outputs: [output], gradients: [...learned.map(made), patches] });
    return output;
  }
  addPositions(name, x, count2) {
    const table2 = this.#weight(name, [count2, lastSize(x)]);
    return this.add(x, table2.shape[0] === x.shape[0] ? table2 : this.#resampled(table2, x.shape));
  }
  crossEntropy(logits) {
    if (this.spec.fusedLoss && this.spec.task === "causal-lm") return logits;
    this.markLogits(logits);
    const perToken = this.labels.shape.length > 0;
    const wide = this.spec.task === "causal-lm" ? this.cast(logits, "float32") : this.raised(logits);
    const logProbabilities = this.markLogits(this.elementwise("log_softmax", wide, { savesOutput: true }));
    const loss = this.tensor([], wide.dtype, [logProbabilities], { batched: false });
    this.record("nll_loss", {
      reads: [logProbabilities],
      outputs: [loss],
      saves: [logProbabilities],
      saved: perToken ? [this.storage(elements(this.labels), "int64", true)] : [],
      gradients: [made(logProbabilities)]
    });
    return loss;
  }
  /** The earlier tool's loss: the mean of the logits. */
  mean(logits) {
    this.markLogits(logits);
    const loss = this.tensor([], logits.dtype, [logits], { batched: false });
    this.record("mean", { reads: [logits], outputs: [loss], gradients: [made(logits)] });
    return loss;
  }
  frame(x, body) {
    const caller = this.#locals;
    this.#locals = [x];
    const output = body(x);
    this.record("return", { reads: this.#locals, outputs: [] });
    this.#locals = caller;
    return output;
  }
  block(x, body, shared = []) {
    if (!this.spec.gradientCheckpointing || !this.training) return this.frame(x, body);
    const outer = this.nodes;
    const castOutside = new Map(this.castWeights);
    this.nodes = [];
    const output = this.frame({ ...x, requiresGrad: true }, body);
    const inputs = [x, ...shared].map((tensor) => tensor.storage);
    outer.push({ ...emptyNode, reads: inputs, saves: inputs, outputs: [output], body: this.nodes });
    this.nodes = outer;
    this.castWeights = castOutside;
    return output;
  }
  /** int64 constants that the module registers as buffers. */
  positionIds(count2) {
    this.buffers.push(this.persistent(count2 * bytesPerElement.int64));
  }
  markLogits(logits) {
    logits.storage.kind = "logits";
    return logits;
  }
  #weight(name, shape) {
    return this.parameter(name, shape, { trainable: this.spec.lora === void 0 });
  }
  #denseLinear(name, x, outFeatures, options) {
    const cache = !options.composed;
    const weight = this.lowered(this.#weight(options.tiedTo ?? `${name}.weight`, [outFeatures, lastSize(x)]), { cache });
    const bias = options.bias === false ? [] : [this.#weight(`${name}.bias`, [outFeatures])];
    const fused = options.composed ? [] : bias.map((part) => this.lowered(part));
    const factor = this.lowered(options.castsInput ? this.cast(x, this.weightDtype) : x);
    const output = this.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, weight, ...fused]);
    this.record(name, this.#product(factor, weight, fused, output, lastSize(x)));
    return options.composed ? bias.reduce((sum2, part) => this.add(sum2, part), output) : output;
  }
  /** torch: `addmm`, `mm`, `convolution`: each factor is saved for the other's gradient. */
  #product(factor, weight, bias, output, inner) {
    return {
      reads: [factor, weight, ...bias],
      outputs: [output],
      saves: [...weight.requiresGrad ? [factor] : [], ...factor.requiresGrad ? [weight] : []],
      gradients: [factor, weight, ...bias].map(made),
      flopsPerSample: 2 * elements(output) * inner
    };
  }
  /**
   * Liger's ops/fused_linear_cross_entropy.py: computes the gradients of its input and of the weight while it goes through the
   * logits in chunks of about the input's size, and keeps those gradients instead.
   */
  #fusedLoss(name, x, outFeatures, tiedTo) {
    const weight = this.#weight(tiedTo ?? `${name}.weight`, [outFeatures, lastSize(x)]);
    const factor = this.lowered(x);
    const loss = this.tensor([], "float32", [x, weight], { batched: false });
    this.record(name, {
      reads: [factor, weight],
      outputs: [loss],
      saved: [this.like(factor, "logits"), ...weight.requiresGrad ? [this.like(weight, "logits")] : []],
      scratch: [this.like(factor, "logits"), this.storage(elements(factor), "float32", true, "logits")],
      gradients: [factor, weight].map(made),
      flopsPerSample: 2 * elements(x) * outFeatures
    });
    return loss;
  }
  #isOutputLayer(name) {
    return this.spec.task === "causal-lm" && (name === "lm_head" || name === "embed_out");
  }
  /** bitsandbytes leaves the output layer alone. */
  #isQuantized(name) {
    return this.spec.quantization !== void 0 && !this.#isOutputLayer(name) && name !== "score";
  }
  /**
   * bitsandbytes computes in 16 bits. MatMul4Bit dequantises the matrix for each call, forward and backward, and saves no input;
   * MatMul8bitLt saves its input, quantises it for an int32 product, and dequantises the matrix for the backward only.
   */
  #quantizedLinear(name, x, outFeatures, options) {
    const { quantization = "nf4" } = this.spec;
    const count2 = outFeatures * lastSize(x);
    const { weights, constants } = quantizedBytes(quantization, count2, outFeatures);
    this.buffers.push(this.persistent(weights), this.persistent(constants));
    const bias = options.bias === false ? [] : [this.#weight(`${name}.bias`, [outFeatures])];
    const factor = this.cast(x, "bfloat16");
    const output = this.tensor([...x.shape.slice(0, -1), outFeatures], "bfloat16", [factor, ...bias]);
    const dequantised = this.fixed(count2 * bytesPerElement.bfloat16, "temporaries");
    const isInt8 = quantization === "int8";
    const product = this.storage(elements(factor) + elements(output) * INT32_BYTES, "bool", true, "temporaries");
    this.record(name, {
      reads: [factor, ...bias],
      outputs: [output],
      saves: isInt8 ? [factor] : [],
      gradients: [factor, ...bias].map(made),
      scratch: [isInt8 ? product : dequantised],
      backwardScratch: [dequantised],
      flopsPerSample: 2 * elements(output) * lastSize(x)
    });
    return this.cast(output, x.dtype);
  }
  #isAdapted(name) {
    const module = name.slice(name.lastIndexOf(".") + 1);
    this.linearNames.add(module);
    return this.spec.lora?.targets.includes(module) ?? false;
  }
  /** peft tuners/lora/layer.py Linear.forward: result + lora_B(lora_A(dropout(x))) * scaling, adapters in float32. */
  #adapted(name, x, base) {
    const { rank: rank2 = 1, dropout = 0 } = this.spec.lora ?? {};
    const input = this.dropout(this.cast(x, "float32"), dropout);
    const inner = this.#adapterLinear(`${name}.lora_A`, input, rank2);
    const outer = this.#adapterLinear(`${name}.lora_B`, inner, lastSize(base));
    const sum2 = this.add(base, this.scale(outer));
    return this.cast(sum2, base.dtype);
  }
  #adapterLinear(name, x, outFeatures) {
    const parameter = this.parameter(`${name}.weight`, [outFeatures, lastSize(x)], {
      trainable: true,
      dtype: "float32"
    });
    const [factor, weight] = [this.lowered(x), this.lowered(parameter)];
    const output = this.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, weight]);
    this.record(name, this.#product(factor, weight, [], output, lastSize(x)));
    return output;
  }
  #rotated(x, cos, sin) {
    const [first, second] = [this.slice(x, lastSize(x) / 2), this.slice(x, lastSize(x) / 2)];
    const turned = this.concatenate([this.elementwise("neg", second), first]);
    return this.add(this.multiply(x, cos), this.multiply(turned, sin));
  }
  /** transformers' interpolate_pos_encoding: the patches' rows through `upsample_bicubic2d`, then `cat` with the special tokens'. */
  #resampled(table2, shape) {
    const unbatched = { batched: false };
    const resampled = this.tensor(shape, table2.dtype, [table2], unbatched);
    this.record("upsample_bicubic2d", { reads: [table2], outputs: [resampled], gradients: [made(table2)] });
    const joined = this.tensor(shape, table2.dtype, [resampled], unbatched);
    this.record("cat", { reads: [resampled], outputs: [joined], gradients: [{ to: resampled, passes: true }] });
    return joined;
  }
  #batchTensor(shape, dtype) {
    const tensor = this.tensor(shape, dtype, []);
    tensor.storage.kind = "inputs";
    this.batch.push(tensor.storage);
    return tensor;
  }
};
var emptyNode = {
  name: "checkpoint",
  reads: [],
  creates: [],
  scratch: [],
  saves: [],
  outputs: [],
  gradients: [],
  backwardScratch: [],
  flopsPerSample: 0,
  computeDtype: "float32"
};
function image(x) {
  const [channels = 0, y = 0, width = 0] = x.shape;
  return [channels, y, width];
}

// engine/estimate/footprint.ts
var Footprint = class {
  spec;
  parameterCount;
  nodes;
  #timeline;
  #peaks = /* @__PURE__ */ new Map();
  /** Replays that fitted: within any capacity between these two the allocator does the very same. */
  #fitting = /* @__PURE__ */ new Map();
  constructor(spec, config, device = { hasFlash: true }) {
    this.spec = spec;
    const tape = new Tape(spec, device);
    const logits = forward(tape, config, spec);
    refuseMissingTargets(spec, tape);
    const loss = spec.step === "training" ? tape.frame(logits, (input) => tape.crossEntropy(input)) : tape.mean(logits);
    this.#timeline = playStep(tape, spec, loss, [logits.storage]);
    this.nodes = tape.nodes;
    this.parameterCount = this.#timeline.parameterCount;
  }
  /**
   * Peak of a steady-state step (optimizer state allocated), as torch.cuda.max_memory_allocated counts it.
   * `workspaceBytes`: what cuBLAS holds for itself, allocated by the first matrix product and kept.
   */
  peak(batch, workspaceBytes) {
    const key2 = `${batch} ${workspaceBytes}`;
    const peak = this.#peaks.get(key2) ?? this.#findPeak(batch, workspaceBytes);
    this.#peaks.set(key2, peak);
    return peak;
  }
  #findPeak(batch, workspaceBytes) {
    const { step: step2 } = this.#timeline;
    const resident = this.#resident(batch, workspaceBytes);
    let bytes3 = byteKinds.reduce((sum2, kind) => sum2 + resident[kind], 0);
    let peakBytes = bytes3;
    let events = 0;
    let eventsUntilPeak = 0;
    for (const event of step2) {
      bytes3 += changeOf(event, batch);
      events++;
      if (bytes3 > peakBytes) {
        peakBytes = bytes3;
        eventsUntilPeak = events;
      }
    }
    for (const event of step2.slice(0, eventsUntilPeak)) resident[event.storage.kind] += changeOf(event, batch);
    return { bytes: peakBytes, breakdown: resident, moment: step2[eventsUntilPeak - 1]?.moment ?? "between steps" };
  }
  /** Whether two steps fit into `usableBytes`, with the caching allocator's segments and their fragmentation. */
  fit(batch, usableBytes2, workspaceBytes) {
    const key2 = `${batch} ${workspaceBytes}`;
    const known2 = this.#fitting.get(key2);
    if (known2 && known2.reservedBytes <= usableBytes2 && usableBytes2 <= known2.upToBytes) {
      return { kind: "fits", reservedBytes: known2.reservedBytes };
    }
    const allocator = new CachingAllocator(usableBytes2);
    const fit = this.#replaySteps(batch, workspaceBytes, allocator);
    if (fit.kind === "fits") {
      const upToBytes = allocator.hasReturnedSegments ? usableBytes2 : Number.POSITIVE_INFINITY;
      this.#fitting.set(key2, { reservedBytes: fit.reservedBytes, upToBytes });
    }
    return fit;
  }
  #replaySteps(batch, workspaceBytes, allocator) {
    const { model, optimizerState: optimizerState2, step: step2, eventsBeforeOptimizer } = this.#timeline;
    const allocate = (bytes3) => allocator.allocate(bytes3) !== void 0;
    const blocks = [];
    const play = (events) => replay(events, batch, allocator, blocks);
    const lasted = model.every((storage) => allocate(bytesAt(storage, batch))) && allocate(workspaceBytes) && play(step2.slice(0, eventsBeforeOptimizer)) && optimizerState2.every((storage) => allocate(bytesAt(storage, batch))) && play(step2.slice(eventsBeforeOptimizer)) && play(step2);
    return lasted ? { kind: "fits", reservedBytes: allocator.peakReservedBytes } : { kind: "out-of-memory" };
  }
  /** Bytes that are there between steps. */
  #resident(batch, workspaceBytes) {
    const { model, optimizerState: optimizerState2 } = this.#timeline;
    const bytes3 = { ...emptyBreakdown(), workspace: workspaceBytes };
    for (const storage of [...model, ...optimizerState2]) bytes3[storage.kind] += bytesAt(storage, batch);
    return bytes3;
  }
};
function refuseMissingTargets(spec, { linearNames }) {
  const missing = (spec.lora?.targets ?? []).filter((target) => !linearNames.has(target));
  if (missing.length === 0) return;
  throw new MemoryMarkError({
    code: "no-such-lora-target",
    message: `${spec.model} has no linear layer named ${missing.join(", ")}`,
    fix: `Name some of: ${[...linearNames].join(", ")}.`
  });
}
function changeOf({ kind, storage }, batch) {
  return kind === "allocate" ? bytesAt(storage, batch) : -bytesAt(storage, batch);
}
function replay(events, batch, allocator, blocks) {
  for (const { kind, storage } of events) {
    if (kind === "allocate") {
      const block2 = allocator.allocate(bytesAt(storage, batch));
      if (block2 === void 0) return false;
      blocks[storage.id] = block2;
    } else {
      const block2 = blocks[storage.id];
      if (block2 !== void 0) allocator.release(block2);
    }
  }
  return true;
}
function bytesAt(storage, batch) {
  return roundedSize(storage.fixedBytes + batch * storage.bytesPerSample);
}
function emptyBreakdown() {
  return {
    weights: 0,
    gradients: 0,
    optimizerState: 0,
    activations: 0,
    logits: 0,
    temporaries: 0,
    inputs: 0,
    workspace: 0
  };
}

// engine/estimate/footprints.ts
var MAX_KEPT = 64;
var Footprints = class {
  /** The most recently used last. */
  #kept = /* @__PURE__ */ new Map();
  of(spec, config, gpu2) {
    const shape = shapeOf(spec);
    const isFloat32 = spec.precision === "fp32" || spec.precision === "tf32";
    const device = { hasFlash: isFloat32 || hasFlashAttention(gpu2) };
    const key2 = JSON.stringify([shape, config, device]);
    const footprint = this.#kept.get(key2) ?? new Footprint(shape, config, device);
    this.#kept.delete(key2);
    this.#kept.set(key2, footprint);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== void 0) this.#kept.delete(oldest);
    return footprint;
  }
};
function shapeOf(spec) {
  return { ...spec, microBatch: 1, gradientAccumulation: Math.min(spec.gradientAccumulation, 2) };
}

// engine/report/schema.ts
import * as z18 from "zod";

// engine/config/reading.ts
import * as z15 from "zod";
var position = z15.object({ line: z15.number().int().positive(), column: z15.number().int().positive() });

// engine/probes/trial.ts
import * as z16 from "zod";
var bytes = z16.number().min(0).max(1e18);
var provenance = z16.enum(["measured", "traced", "estimated"]);
var outcome = z16.discriminatedUnion("kind", [
  z16.object({
    kind: z16.literal("fits"),
    /** Absent where the device keeps no count of it: the CPU. */
    peakBytes: bytes.optional(),
    /** What the caching allocator held at most, cached blocks included. */
    reservedBytes: bytes.optional(),
    /** Forward and backward of one micro-batch and one optimizer step: the median of the timed steps. */
    stepMillis: z16.number().min(0).optional(),
    /** Half the distance between the fastest and the slowest timed step; absent when fewer than two were timed. */
    stepMillisSpread: z16.number().min(0).optional(),
    /** The optimizer's part of `stepMillis`. */
    optimizerMillis: z16.number().min(0).optional()
  }),
  /** `neededBytes`: the peak that the step would have had, where the probe can know it. */
  z16.object({ kind: z16.literal("out-of-memory"), neededBytes: bytes.optional() }),
  z16.object({ kind: z16.literal("timed-out"), afterMillis: z16.number().min(0) }),
  z16.object({ kind: z16.literal("failed"), problem })
]);
function peakOf(outcome2) {
  switch (outcome2.kind) {
    case "fits":
      return outcome2.peakBytes;
    case "out-of-memory":
      return outcome2.neededBytes;
    case "timed-out":
    case "failed":
      return void 0;
  }
}
var trial = z16.object({ microBatch: batchSize, provenance, outcome });

// engine/verdict/policy.ts
import * as z17 from "zod";
var MAX_CONDITIONS = 20;
var percent = z17.number().min(0).max(1e3);
var condition = z17.discriminatedUnion("kind", [
  /** Usable memory idle at the current batch, judged only where a faster batch is to be had. */
  z17.object({ kind: z17.literal("waste"), abovePercent: percent }),
  /** Throughput missed: how much faster the recommended batch is. */
  z17.object({ kind: z17.literal("throughput-loss"), abovePercent: percent }),
  /** Savings of the recommendation over a year. */
  z17.object({ kind: z17.literal("annual-cost"), aboveUsd: z17.number().min(0).max(1e12) })
]);
var policy = z17.object({
  failOn: z17.array(condition).max(MAX_CONDITIONS),
  warnOn: z17.array(condition).max(MAX_CONDITIONS)
});
var spared = z17.enum(["within-error", "no-worse"]);
var reason = z17.discriminatedUnion("kind", [
  z17.object({ kind: z17.literal("does-not-fit"), spared: spared.optional() }),
  z17.object({ kind: z17.literal("condition"), condition, actual: z17.number(), spared: spared.optional() })
]);
var verdict = z17.object({
  state: z17.enum(["fine", "warning", "blocked"]),
  /** What blocks; without that, what is remarked on, with what would block but is spared. */
  reasons: z17.array(reason).max(2 * MAX_CONDITIONS)
});
var defaultPolicy = {
  failOn: [{ kind: "waste", abovePercent: 40 }],
  warnOn: [{ kind: "throughput-loss", abovePercent: 5 }]
};
var grammar = /^(?:(waste|throughput-loss)\s*>\s*(\d+(?:\.\d+)?)\s*%?|(annual-cost)\s*>\s*\$?\s*(\d+(?:\.\d+)?))$/;
function parseConditions(text3, setting) {
  const parts = text3.split(",").map((part) => part.trim()).filter((part) => part !== "");
  if (parts.length === 0 || parts.length > MAX_CONDITIONS) throw unreadable2(text3, setting);
  if (parts.length === 1 && parts[0] === "never") return [];
  return parts.filter((part) => part !== "does-not-fit").map((part) => {
    const match = grammar.exec(part);
    if (match === null) throw unreadable2(part, setting);
    const [, kind, percentText, , usdText] = match;
    const parsed2 = condition.safeParse(
      kind === void 0 ? { kind: "annual-cost", aboveUsd: Number(usdText) } : { kind, abovePercent: Number(percentText) }
    );
    if (!parsed2.success) throw unreadable2(part, setting);
    return parsed2.data;
  });
}
function formatCondition(condition2) {
  switch (condition2.kind) {
    case "waste":
    case "throughput-loss":
      return `${condition2.kind} > ${condition2.abovePercent} %`;
    case "annual-cost":
      return `annual-cost > $${condition2.aboveUsd}`;
  }
}
function unreadable2(part, setting) {
  return new MemoryMarkError({
    code: "policy-unreadable",
    field: setting,
    message: `"${part.slice(0, 100)}" is not a condition`,
    fix: "Write `waste > 40 %`, `throughput-loss > 10 %`, `annual-cost > $500`, several with commas between, or `never`."
  });
}

// engine/report/schema.ts
var bytes2 = z18.number().min(0).max(1e18);
var usd = z18.number().min(-1e12).max(1e12);
var label = z18.string().max(200);
var path = z18.string().min(1).max(4096);
var throughputProvenance = z18.enum(["measured", "modelled"]);
var breakdown = z18.record(z18.enum(byteKinds), bytes2);
var operatingPoint = z18.object({
  microBatch: batchSize,
  gradientAccumulation: batchSize,
  effectiveBatch: z18.number().int().min(1),
  fits: z18.boolean(),
  peakBytes: bytes2,
  samplesPerSecond: z18.number().positive(),
  costPerRunUsd: usd
});
var reportedGpu2 = z18.object({
  id: label,
  name: label,
  /** As torch.cuda.get_device_properties reports it. */
  totalBytes: bytes2,
  /** total − CUDA context. */
  usableBytes: bytes2,
  pricePerHourUsd: usd,
  /** Where the price is from and when it was read. */
  priceSource: label,
  priceDate: label
});
var leverChange = z18.enum(["gradient-checkpointing", "bf16-autocast", "sdpa-attention", "fused-optimizer"]);
var analysedConfig = z18.object({
  status: z18.literal("analysed"),
  path,
  dialect: label,
  spec: trainingSpec,
  /** Where the micro-batch is written; absent when the config leaves it to its tool's default. */
  batchSizeAt: position.optional(),
  gradientAccumulationAt: position.optional(),
  gpu: reportedGpu2,
  provenance,
  /** Half-width of the band around every memory figure, as measured by `npm run bench:accuracy` or by the trials' spread. */
  errorBandPercent: z18.number().min(0).max(100),
  throughputProvenance,
  current: operatingPoint,
  /** Absent when not even one sample fits. */
  recommended: operatingPoint.optional(),
  largest: operatingPoint.optional(),
  /** Bytes at the peak of the current batch, and the moment of that peak in words. */
  breakdown,
  peakMoment: label,
  /** Recommended against current samples per second. */
  speedup: z18.number().positive(),
  savingsPerRunUsd: usd,
  savingsPerYearUsd: usd,
  /** The one change that frees most at the current batch. */
  lever: z18.object({ change: leverChange, peakBytes: bytes2 }).optional(),
  /** A cheaper GPU on which the current config fits and a run costs less. */
  rightSizing: z18.object({ gpu: reportedGpu2, costPerRunUsd: usd }).optional(),
  trials: z18.array(trial).max(1e3),
  hoursPerRun: z18.number().positive().max(1e6),
  runsPerYear: z18.number().positive().max(1e6),
  /** What the config did not say and we took for granted, one sentence each. */
  assumptions: z18.array(z18.string().max(500)).max(30),
  verdict
});
var unanalysedConfig = z18.object({
  status: z18.literal("not-analysed"),
  path,
  problems: z18.array(problem).min(1).max(50)
});
var REPORT_SCHEMA = "memorymark.report/v1";
var report = z18.object({
  schema: z18.literal(REPORT_SCHEMA),
  toolVersion: label,
  createdAt: z18.iso.datetime(),
  policy,
  configs: z18.array(z18.discriminatedUnion("status", [analysedConfig, unanalysedConfig])).max(5e3)
});

// engine/settings/settings.ts
import { matchesGlob } from "node:path";
var noSettings = {
  source: SETTINGS_PATH,
  paths: void 0,
  ignore: [],
  gpu: void 0,
  pricesPerHourUsd: {},
  hoursPerRun: void 0,
  runsPerYear: void 0,
  failOn: void 0,
  warnOn: void 0,
  judge: void 0,
  stepSize: void 0,
  marginPercent: void 0,
  overrides: []
};
function isCounted(path2, { paths, ignore }) {
  const isWanted = paths === void 0 || paths.some((glob2) => matchesGlob(path2, glob2));
  return isWanted && !ignore.some((glob2) => matchesGlob(path2, glob2));
}
function settingsFor(path2, settings) {
  const matching = settings.overrides.filter((override) => matchesGlob(path2, override.path));
  const last = (pick) => [settings, ...matching].map(pick).findLast((value) => value !== void 0);
  const gpuId = last((scope) => scope.gpu);
  return {
    gpu: gpuId === void 0 ? void 0 : findGpu(gpuId),
    hoursPerRun: last((scope) => scope.hoursPerRun),
    runsPerYear: last((scope) => scope.runsPerYear),
    supplied: Object.assign({}, ...matching.map(({ supplied }) => supplied))
  };
}

// engine/verdict/against-base.ts
function againstBase(config, base) {
  const { verdict: verdict2 } = config;
  if (verdict2.state !== "blocked") return verdict2;
  const reasons = verdict2.reasons.map(
    (reason2) => wasNoBetter(reason2, config, base) ? { ...reason2, spared: "no-worse" } : reason2
  );
  return verdictOf(reasons, []);
}
function wasNoBetter(reason2, config, base) {
  switch (reason2.kind) {
    case "does-not-fit":
      return base.verdict.reasons.some(({ kind }) => kind === "does-not-fit") && base.current.peakBytes >= config.current.peakBytes;
    case "condition":
      return base.verdict.reasons.some(
        (before) => before.kind === "condition" && before.condition.kind === reason2.condition.kind && before.actual >= reason2.actual
      );
  }
}

// package.json
var package_default = { version: "0.1.0" };

// engine/version.ts
var version = package_default.version;

// engine/analyze.ts
var DEFAULT_HOURS_PER_RUN = 2;
var DEFAULT_RUNS_PER_YEAR = 100;
async function analyze(files, options) {
  const { settings = noSettings, models = {} } = options;
  const shared = sharedOptions(options, settings);
  const configs = [];
  for (const file of files) {
    const own = settingsFor(file.path, settings);
    const assessment = assessmentOptions(options, shared, own);
    const analyzeText = (text3) => analyzeFile({ ...file, text: text3 }, assessment, { models, supplied: own.supplied });
    const result = await analyzeText(file.text);
    if (result === void 0) continue;
    configs.push(settings.judge === "all" ? result : await judgedAgainstBase(result, options.base, analyzeText));
  }
  return {
    schema: REPORT_SCHEMA,
    toolVersion: version,
    createdAt: options.now.toISOString(),
    policy: shared.policy,
    configs
  };
}
async function judgedAgainstBase(result, base, analyzeText) {
  if (result.status !== "analysed" || result.verdict.state !== "blocked") return result;
  const text3 = await base?.(result.path);
  const before = text3 === void 0 ? void 0 : await analyzeText(text3);
  return before?.status === "analysed" ? { ...result, verdict: againstBase(result, before) } : result;
}
async function analyzeFile(file, options, { models, supplied }) {
  const reading = await readConfigAsync(file, (name) => resolveModel(name, models, file.path), supplied);
  switch (reading.kind) {
    case "not-a-training-config":
      return void 0;
    case "unreadable":
      return { status: "not-analysed", path: file.path, problems: [...reading.problems] };
    case "training-config":
      return assessed(file.path, () => analyzeReading(file.path, reading, options));
  }
}
function assessed(path2, analysis) {
  try {
    return analysis();
  } catch (error) {
    if (!(error instanceof MemoryMarkError)) throw error;
    return { status: "not-analysed", path: path2, problems: [{ ...error.problem, file: path2 }] };
  }
}
function analyzeReading(path2, reading, options) {
  const { spec, model, dialect, batchSizeAt, gradientAccumulationAt, assumptions } = reading;
  const assessment = assess(spec, model.config, options);
  return {
    status: "analysed",
    path: path2,
    dialect,
    ...batchSizeAt && { batchSizeAt },
    ...gradientAccumulationAt && { gradientAccumulationAt },
    assumptions: [...assumptions, ...derivationOf(spec)],
    ...assessment
  };
}
function sharedOptions(options, settings) {
  const { stepSize, marginPercent } = settings;
  return {
    policy: {
      failOn: options.policy?.failOn ?? settings.failOn ?? defaultPolicy.failOn,
      warnOn: options.policy?.warnOn ?? settings.warnOn ?? defaultPolicy.warnOn
    },
    footprints: new Footprints(),
    catalogue: gpus.map((gpu2) => priced(gpu2, settings.pricesPerHourUsd[gpu2.id], settings.source, options.now)),
    ...stepSize !== void 0 && { stepSize },
    ...marginPercent !== void 0 && { margin: marginPercent / 100 }
  };
}
function assessmentOptions(options, shared, own) {
  const chosen = options.gpu ?? own.gpu ?? defaultGpu;
  const listed = shared.catalogue.find(({ id }) => id === chosen.id) ?? chosen;
  return {
    ...shared,
    gpu: priced(listed, options.pricePerHourUsd, "your setting", options.now),
    hoursPerRun: options.hoursPerRun ?? own.hoursPerRun ?? DEFAULT_HOURS_PER_RUN,
    runsPerYear: options.runsPerYear ?? own.runsPerYear ?? DEFAULT_RUNS_PER_YEAR
  };
}
function priced(gpu2, pricePerHourUsd2, priceSource, now) {
  if (pricePerHourUsd2 === void 0 || pricePerHourUsd2 === gpu2.pricePerHourUsd) return gpu2;
  return { ...gpu2, pricePerHourUsd: pricePerHourUsd2, priceSource, priceDate: now.toISOString().slice(0, 10) };
}

// engine/render/figures.ts
function ofUsable(peakBytes, usableBytes2) {
  return `${gibFigure(peakBytes)} of ${formatGib(usableBytes2)}`;
}
function gibFigure(bytes3) {
  return formatGib(bytes3).replace(" GiB", "");
}
function formatShare(config, point) {
  const share2 = shareOfUsable(config.gpu, point);
  if (!Number.isFinite(share2)) return "more than all";
  if (share2 < 1 && share2 > 0.99) return "99 %";
  return share2 > 0 && share2 < 0.01 ? "under 1 %" : formatPercent(share2);
}
function formatPart(bytes3) {
  return bytes3 > 0 && bytes3 < GIB / 100 ? "under 0.01 GiB" : formatGib(bytes3);
}
function formatRatio(ratio) {
  return `${ratio < 10 ? ratio.toFixed(1) : Math.round(ratio).toLocaleString("en-US")}×`;
}
function formatYearlyUsd(usd2) {
  return `$${formatCount(Math.round(usd2))}`;
}
function formatCount(count2) {
  return count2.toLocaleString("en-US");
}
function memoryProvenance({
  provenance: provenance2,
  errorBandPercent: errorBandPercent2
}) {
  return errorBandPercent2 === 0 ? provenance2 : `${provenance2}, ±${errorBandPercent2} %`;
}
function bar(fraction, cells) {
  const eighths = Math.round(Math.min(1, Math.max(0, fraction)) * cells * 8);
  const full = Math.floor(eighths / 8);
  const partial = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8] ?? "";
  return ("█".repeat(full) + partial).padEnd(cells, "░");
}

// engine/render/spared.ts
function sparedSentences({ verdict: verdict2 }) {
  const [reason2] = sparedIn(verdict2.reasons);
  return reason2 === void 0 ? [] : [`This does not block: ${because(reason2.spared)}.`];
}
function sparedConditions({ configs }) {
  const reasons = configs.flatMap((config) => config.status === "analysed" ? sparedIn(config.verdict.reasons) : []);
  const conditions2 = reasons.flatMap((reason2) => reason2.kind === "condition" ? [formatCondition(reason2.condition)] : []);
  return [...new Set(conditions2)];
}
function sparedIn(reasons) {
  return reasons.flatMap((reason2) => reason2.spared === void 0 ? [] : [{ ...reason2, spared: reason2.spared }]);
}
function because(spared2) {
  switch (spared2) {
    case "within-error":
      return "the error of the figures leaves it open";
    case "no-worse":
      return "it was so on the base branch, and gets no worse";
  }
}

// engine/render/advice.ts
var WORTHWHILE_SPEEDUP2 = 1.02;
var WORTHWHILE_USD = 1;
function recommendsChange(config) {
  const { recommended, current } = config;
  return recommended !== void 0 && (!current.fits || recommended.microBatch !== current.microBatch);
}
function batchChange(from, to, strong = (text3) => text3) {
  const micro = `Micro-batch ${strong(change(from.microBatch, to.microBatch))}`;
  if (from.gradientAccumulation === to.gradientAccumulation) return micro;
  return `${micro}, accumulation ${change(from.gradientAccumulation, to.gradientAccumulation)}`;
}
function effectiveBatchNote(from, to) {
  if (from.effectiveBatch === to.effectiveBatch) return "same effective batch";
  return `effective batch ${change(from.effectiveBatch, to.effectiveBatch)} (a change to the training: revisit the learning rate and the number of steps)`;
}
function gains(config, strong = (text3) => text3) {
  if (!config.current.fits) return [];
  const about = config.throughputProvenance === "modelled" ? "about " : "";
  return [
    ...config.speedup >= WORTHWHILE_SPEEDUP2 ? [`${about}${formatRatio(config.speedup)} the throughput`] : [],
    ...config.savingsPerYearUsd >= WORTHWHILE_USD ? [`${strong(`${formatYearlyUsd(config.savingsPerYearUsd)} a year`)} less`] : []
  ];
}
function advice(config, strong) {
  const change2 = changeSentence(config, strong);
  const sentences = config.current.fits ? [change2] : [largestSentence(config), change2, leverSentence(config)];
  return [...sentences.filter((sentence) => sentence !== void 0), ...sparedSentences(config)];
}
function changeSentence(config, strong = (text3) => text3) {
  const { current, recommended } = config;
  if (recommended === void 0 || !recommendsChange(config)) return void 0;
  const effects = [effectiveBatchNote(current, recommended), ...gains(config, strong)];
  return `${batchChange(current, recommended, strong)}: ${effects.join(", ")}.`;
}
function fineRemark(config) {
  const { recommended } = config;
  const worth = gains(config);
  if (recommended === void 0 || !recommendsChange(config) || worth.length === 0) return "nothing to gain";
  return `micro-batch ${formatCount(recommended.microBatch)} would bring ${worth.join(" and ")}, within policy`;
}
function leverSentence({ lever, current, gpu: gpu2 }) {
  if (lever === void 0) return void 0;
  const freed = `${gibFigure(current.peakBytes)} → ${formatGib(lever.peakBytes)}`;
  const sentence = `${leverName(lever.change)} frees most at micro-batch ${formatCount(current.microBatch)}: ${freed}`;
  if (current.fits) return `${sentence}.`;
  return `${sentence}, ${lever.peakBytes <= gpu2.usableBytes ? "which fits" : "which still does not fit"}.`;
}
function largestSentence({ largest, current }) {
  if (largest === void 0) return "Not even one sample fits.";
  return `The largest micro-batch that fits is ${formatCount(largest.microBatch)}, not ${formatCount(current.microBatch)}.`;
}
function leverName(lever) {
  switch (lever) {
    case "gradient-checkpointing":
      return "Gradient checkpointing";
    case "bf16-autocast":
      return "bf16 autocast";
    case "sdpa-attention":
      return "Fused (SDPA) attention";
    case "fused-optimizer":
      return "The fused optimizer";
  }
}
function change(from, to) {
  return from === to ? formatCount(from) : `${formatCount(from)} → ${formatCount(to)}`;
}

// engine/render/markdown.ts
import { markdownTable } from "markdown-table";

// engine/render/plain.ts
var invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;
function plainText(text3, maxLength = 600) {
  const oneLine = text3.slice(0, 2 * maxLength + 2).replace(/[\r\n\t\u2028\u2029]+/g, " ").replace(invisible, "�");
  const characters = Array.from(oneLine);
  return characters.length <= maxLength ? oneLine : `${characters.slice(0, maxLength - 1).join("")}…`;
}
function plainPath(path2, maxLength = 120) {
  if (path2.length <= maxLength) return plainText(path2, maxLength);
  const head = Math.floor(maxLength / 3);
  return `${plainText(path2.slice(0, head))}…${plainText(path2.slice(head + 1 - maxLength))}`;
}
function capitalised(sentence) {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

// engine/render/markdown.ts
var joiner = "⁠";
function escapeText(text3, maxLength) {
  return escapeStructure(breakReferences(plainText(text3, maxLength).trim()));
}
function inlineCode(text3, maxLength) {
  return codeSpans(plainText(text3, maxLength));
}
function inlinePath(path2) {
  return codeSpans(plainPath(path2));
}
function table(cells, align) {
  return markdownTable(cells, { align: align ?? null });
}
function details(summary, body) {
  return `<details><summary>${escapeHtml(summary)}</summary>

${body}

</details>`;
}
function codeBlock(language, body) {
  return `\`\`\`${language}
${body}
\`\`\``;
}
function htmlLink(text3, url2) {
  const parsed2 = URL.canParse(url2) ? new URL(url2) : void 0;
  const isWeb = parsed2?.protocol === "https:" || parsed2?.protocol === "http:";
  return isWeb ? `<a href="${escapeHtml(parsed2.href)}">${escapeHtml(text3)}</a>` : escapeHtml(text3);
}
function breakReferences(text3) {
  return text3.replace(/[@#]/g, `$&${joiner}`).replace(/\bgh-(?=\d)/gi, `$&${joiner}`).replace(/:(?=\S)/g, `:${joiner}`).replace(/www(?=\.)/gi, `$&${joiner}`).replace(/[0-9a-f]{7,}/gi, (run) => run.replace(/.{6}(?=.)/g, `$&${joiner}`)).replace(/^(?=[-+=]|\d+[.)](?:\s|$))/, joiner);
}
function escapeStructure(text3) {
  return text3.replace(/[\\`*_~[\](){}!#]/g, "\\$&").replace(/[&<>|]/g, (character) => `&#${character.charCodeAt(0)};`).replaceAll("$", "<span>$</span>");
}
function codeSpans(text3) {
  return text3.split("|").map(codeSpan).join("&#124;");
}
function codeSpan(text3) {
  if (text3 === "") return "";
  const longestRun = Math.max(0, ...Array.from(text3.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longestRun + 1);
  const padding = /^`|`$|^ .* $/.test(text3) ? " " : "";
  return `${fence}${padding}${text3}${padding}${fence}`;
}
function escapeHtml(text3) {
  return text3.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

// engine/render/memory-chart.ts
var MAX_BARS = 16;
function memoryChart(config) {
  const sizes = spread(knownPeaks(config), MAX_BARS);
  if (sizes.length < 2) return void 0;
  const peaks = sizes.map(([, peakBytes]) => inGib(peakBytes));
  const limit = inGib(config.gpu.usableBytes);
  const top = Math.ceil(Math.max(limit, ...peaks) * 1.05);
  return codeBlock(
    "mermaid",
    [
      "xychart-beta",
      '  title "Peak memory by micro-batch (bars) and usable memory (line)"',
      `  x-axis "micro-batch" [${sizes.map(([microBatch]) => microBatch).join(", ")}]`,
      `  y-axis "GiB" 0 --> ${Math.max(1, top)}`,
      `  bar [${peaks.join(", ")}]`,
      `  line [${sizes.map(() => limit).join(", ")}]`
    ].join("\n")
  );
}
function spread(items, count2) {
  if (items.length <= count2) return [...items];
  const step2 = (items.length - 1) / (count2 - 1);
  const kept = new Set(Array.from({ length: count2 }, (_, index) => Math.round(index * step2)));
  return items.filter((_, index) => kept.has(index));
}
function knownPeaks({ current, recommended, largest, trials }) {
  const points = [current, recommended, largest].flatMap(
    (point) => point ? [[point.microBatch, point.peakBytes]] : []
  );
  const tried = trials.flatMap(({ microBatch, outcome: outcome2 }) => {
    const bytes3 = peakOf(outcome2);
    return bytes3 === void 0 ? [] : [[microBatch, bytes3]];
  });
  return [...new Map([...points, ...tried])].sort(([a], [b]) => a - b);
}
function inGib(bytes3) {
  return Math.round(bytes3 / GIB * 100) / 100;
}

// engine/render/config-details.ts
var MAX_TRIALS = 24;
var partNames = {
  weights: "weights",
  gradients: "gradients",
  optimizerState: "optimizer state",
  activations: "activations",
  logits: "logits",
  temporaries: "temporaries",
  inputs: "inputs",
  workspace: "library workspace"
};
function partsOf2(breakdown2) {
  return Object.keys(partNames).map((kind) => ({ name: partNames[kind], bytes: breakdown2[kind] })).filter(({ bytes: bytes3 }) => bytes3 > 0).sort((a, b) => b.bytes - a.bytes);
}
function configDetails(config) {
  return [...whereItGoes(config), ...sizesTried(config), ...takenForGranted(config)].join("\n\n");
}
function whereItGoes(config) {
  const { current, breakdown: breakdown2, peakMoment } = config;
  const heading = `**Where the memory goes** at micro-batch ${formatCount(current.microBatch)}. The peak comes at: ${escapeText(peakMoment)}.`;
  const share2 = (bytes3) => current.peakBytes === 0 ? "–" : formatPercent(bytes3 / current.peakBytes);
  const rows2 = partsOf2(breakdown2).map(({ name, bytes: bytes3 }) => [name, formatPart(bytes3), share2(bytes3)]);
  const total = ["**peak**", `**${formatGib(current.peakBytes)}**`, memoryProvenance(config)];
  const lever = leverSentence(config);
  return [
    heading,
    table([["", "memory", "share of the peak"], ...rows2, total], ["l", "r", "r"]),
    ...lever ? [lever] : []
  ];
}
function sizesTried(config) {
  const trials = config.trials.toSorted((a, b) => a.microBatch - b.microBatch);
  const shown2 = spread(trials, MAX_TRIALS);
  const chart = memoryChart(config);
  if (shown2.length === 0) return chart ? [chart] : [];
  const counted = shown2.length < trials.length ? ` (${shown2.length} of ${formatCount(trials.length)} shown)` : "";
  const header = ["micro-batch", "peak memory", "result", "known how"];
  return [
    `**Sizes tried**${counted}`,
    ...chart ? [chart] : [],
    table([header, ...shown2.map((trial2) => trialRow(trial2, config.gpu.usableBytes))], ["r", "r", "l", "l"])
  ];
}
function trialRow({ microBatch, provenance: provenance2, outcome: outcome2 }, usableBytes2) {
  return [formatCount(microBatch), outcomePeak(outcome2), outcomeWords(outcome2, usableBytes2), provenance2];
}
function outcomePeak(outcome2) {
  const bytes3 = peakOf(outcome2);
  return bytes3 === void 0 ? "–" : formatGib(bytes3);
}
function outcomeWords(outcome2, usableBytes2) {
  switch (outcome2.kind) {
    case "fits":
      return "fits";
    case "out-of-memory":
      return (outcome2.neededBytes ?? Number.POSITIVE_INFINITY) <= usableBytes2 ? "out of memory (fragmented)" : "out of memory";
    case "timed-out":
      return `timed out after ${formatCount(Math.round(outcome2.afterMillis / 1e3))} s`;
    case "failed":
      return `failed: ${escapeText(outcome2.problem.message, 120)}`;
  }
}
function takenForGranted(config) {
  const lines = [specLine(config), priceLine(config), ...config.assumptions.map((assumption) => escapeText(assumption))];
  return ["**What the figures rest on**", lines.map((line) => `- ${line}`).join("\n")];
}
function specLine({ spec, dialect }) {
  const size2 = spec.sequenceLength ?? spec.imageSize;
  const input = size2 === void 0 ? [] : [spec.sequenceLength ? `${formatCount(size2)} tokens` : `${formatCount(size2)}×${formatCount(size2)} pixels`];
  const settings = [
    spec.task,
    ...input,
    spec.precision,
    ...spec.lora ? [`LoRA of rank ${spec.lora.rank} on ${escapeText(spec.lora.targets.join(", "), 200)}`] : [],
    ...spec.quantization ? [`${spec.quantization} base weights`] : [],
    spec.optimizer,
    `${spec.attention} attention`,
    `checkpointing ${spec.gradientCheckpointing ? "on" : "off"}`,
    `${formatCount(spec.gpus)} GPU${spec.gpus === 1 ? "" : "s"}${spec.gpus > 1 ? ` (${spec.sharding ?? "ddp"})` : ""}`,
    spec.step === "training" ? "a training step" : "forward and backward only"
  ];
  return `${inlineCode(spec.model, 100)}: ${settings.join(", ")}; read as ${escapeText(dialect, 60)}.`;
}
function priceLine({ gpu: gpu2, hoursPerRun: hoursPerRun2, runsPerYear: runsPerYear2 }) {
  const price = `${formatUsd(gpu2.pricePerHourUsd)} an hour`;
  const source = `${escapeText(gpu2.priceSource)}, ${escapeText(gpu2.priceDate, 40)}`;
  return `${escapeText(gpu2.name, 60)} at ${price} (${source}); ${formatCount(hoursPerRun2)} hours a run as configured, ${formatCount(runsPerYear2)} runs a year.`;
}

// engine/render/fit.ts
function sizeOf(text3) {
  return Buffer.byteLength(text3, "utf8");
}
function fitSections(sections, budgetBytes) {
  const texts = sections.map((section) => section.forms[0]);
  let total = texts.reduce((sum2, text3) => sum2 + sizeOf(text3 ?? ""), 0);
  for (const { index, form } of shorteningSteps(sections)) {
    if (total <= budgetBytes) break;
    total += sizeOf(form ?? "") - sizeOf(texts[index] ?? "");
    texts[index] = form;
  }
  return texts;
}
function* shorteningSteps(sections) {
  const leastFirst = sections.map((section, index) => ({ ...section, index })).sort((a, b) => a.interest - b.interest);
  const mostForms = Math.max(0, ...sections.map(({ forms }) => forms.length));
  for (let step2 = 1; step2 < mostForms; step2++) {
    for (const { index, forms } of leastFirst) {
      if (step2 < forms.length) yield { index, form: forms[step2] };
    }
  }
  for (const { index } of leastFirst) yield { index, form: void 0 };
}

// engine/render/verdict.ts
var nothingToMeasure = "No training config in this pull request: nothing to measure";
var findings = [
  "does-not-fit",
  "may-not-fit",
  "waste",
  "annual-cost",
  "throughput-loss",
  "not-analysed",
  "fine"
];
function configState(config) {
  return config.status === "analysed" ? config.verdict.state : "blocked";
}
function verdictState(report2) {
  if (report2.configs.length === 0) return "nothing-to-measure";
  const states = new Set(report2.configs.map(configState));
  if (states.has("blocked")) return "blocked";
  return states.has("warning") ? "warning" : "fine";
}
function stateMark(state) {
  switch (state) {
    case "nothing-to-measure":
    case "fine":
      return "🟩";
    case "warning":
      return "🟨";
    case "blocked":
      return "🟥";
  }
}
function findingOf(config) {
  if (config.status === "not-analysed") return "not-analysed";
  if (!config.current.fits) return isCertain(config.verdict.reasons) ? "does-not-fit" : "may-not-fit";
  if (config.verdict.state === "fine") return "fine";
  const kinds2 = new Set(config.verdict.reasons.map(reasonKind));
  return findings.find((finding) => kinds2.has(finding)) ?? "waste";
}
function headline(report2) {
  const { configs } = report2;
  const [only] = configs;
  if (only === void 0) return nothingToMeasure;
  if (configs.length === 1) return `the training config ${sayOne(only)}`;
  const parts = findings.map((finding) => ({ finding, count: configs.filter((config) => findingOf(config) === finding).length })).filter(({ finding, count: count2 }) => count2 > 0 && finding !== "fine");
  const [first, ...rest] = parts;
  if (first === void 0) return `all ${formatCount(configs.length)} training configs fit and are within policy`;
  return [
    `${subject(first.count, configs.length)} ${predicate(first.finding, first.count)}`,
    ...rest.map(({ finding, count: count2 }) => `${formatCount(count2)} ${predicate(finding, count2)}`)
  ].join(", ");
}
function decidingConditions(report2, state) {
  const { failOn, warnOn } = report2.policy;
  const asked = new Set((state === "blocked" ? failOn : warnOn).map(formatCondition));
  const met = report2.configs.flatMap((config) => config.status === "analysed" ? config.verdict.reasons : []).flatMap((reason2) => reason2.kind === "condition" ? [formatCondition(reason2.condition)] : []);
  return [...new Set(met)].filter((condition2) => asked.has(condition2));
}
function sayOne(config) {
  const words = predicate(findingOf(config), 1);
  if (config.status === "not-analysed" || config.current.fits) return words;
  return `${words}: needs ${ofUsable(config.current.peakBytes, config.gpu.usableBytes)}`;
}
function subject(count2, total) {
  return count2 === total ? `all ${formatCount(total)} training configs` : `${formatCount(count2)} of ${formatCount(total)} training configs`;
}
function predicate(finding, count2) {
  const one = count2 === 1;
  switch (finding) {
    case "does-not-fit":
      return one ? "goes out of memory" : "go out of memory";
    case "may-not-fit":
      return "may go out of memory";
    case "waste":
      return one ? "wastes its GPU" : "waste their GPU";
    case "annual-cost":
      return one ? "costs more than it needs to" : "cost more than they need to";
    case "throughput-loss":
      return one ? "trains slower than it could" : "train slower than they could";
    case "not-analysed":
      return "could not be analysed";
    case "fine":
      return one ? "fits and is within policy" : "fit and are within policy";
  }
}
function isCertain(reasons) {
  return reasons.every(({ spared: spared2 }) => spared2 !== "within-error");
}
function reasonKind(reason2) {
  return reason2.kind === "condition" ? reason2.condition.kind : reason2.kind;
}

// engine/render/footer.ts
function footer(report2, howMeasuredUrl) {
  const parts = [
    ...decidedBy(report2),
    `MemoryMark ${escapeText(report2.toolVersion, 40)}`,
    ...howMeasuredUrl ? [htmlLink("how this is measured", howMeasuredUrl)] : []
  ];
  return `<sub>${parts.join(" · ")}</sub>`;
}
function decidedBy(report2) {
  const state = verdictState(report2);
  if (state === "fine" || state === "nothing-to-measure") return [];
  const setting = state === "blocked" ? "fail-on" : "warn-on";
  const present2 = new Set(report2.configs.map(findingOf));
  const causes = [
    ...present2.has("does-not-fit") ? ["a config that does not fit"] : [],
    ...present2.has("may-not-fit") && state === "warning" ? ["a config that may not fit"] : [],
    ...state === "warning" ? sparedConditions(report2).map((condition2) => inlineCode(`fail-on: ${condition2}`)) : [],
    ...decidingConditions(report2, state).map((condition2) => inlineCode(`${setting}: ${condition2}`)),
    ...present2.has("not-analysed") ? ["a config that could not be analysed"] : []
  ];
  return causes.length === 0 ? [] : [`${state === "blocked" ? "Blocked" : "Remarked on"} by ${causes.join(", ")}`];
}

// engine/render/comparison.ts
var BAR_CELLS = 20;
function comparison(config) {
  return [operatingTable(config), codeBlock("text", memoryBars(config)), rightSizing(config)].filter(Boolean).join("\n\n");
}
function columns({ current, recommended, largest }) {
  const same = recommended !== void 0 && recommended.microBatch === largest?.microBatch;
  return [
    { heading: "now", point: current, role: "now" },
    ...recommended ? [
      {
        heading: same ? "recommended, the largest that fits" : "recommended",
        point: recommended,
        role: "recommended"
      }
    ] : [],
    ...largest && !same ? [{ heading: "largest that fits", point: largest, role: "largest" }] : []
  ];
}
function operatingTable(config) {
  const shown2 = columns(config);
  const row5 = (label2, cell) => [label2, ...shown2.map(cell)];
  const whereItRuns = (cell) => (column) => column.point.fits ? cell(column.point) : "–";
  return table(
    [
      row5("", ({ heading }) => heading),
      row5("micro-batch × accumulation", microBatchCell),
      row5("effective batch", ({ point }) => effectiveCell(point, config.current)),
      row5(
        `peak memory (${config.provenance})`,
        ({ point }) => `${formatGib(point.peakBytes)} (${formatShare(config, point)})`
      ),
      row5("idle", (column) => idleCell(config, column)),
      row5(
        `samples/s (${config.throughputProvenance})`,
        whereItRuns((point) => rateCell(point, config.current))
      ),
      row5(
        "cost of a run",
        whereItRuns((point) => formatUsd(point.costPerRunUsd))
      )
    ],
    ["l", ...shown2.map(() => "r")]
  );
}
function microBatchCell({ point, role }) {
  const size2 = `${formatCount(point.microBatch)} × ${formatCount(point.gradientAccumulation)}`;
  return role === "recommended" ? `**${size2}**` : size2;
}
function effectiveCell(point, current) {
  if (point === current) return formatCount(point.effectiveBatch);
  const note = point.effectiveBatch === current.effectiveBatch ? "unchanged" : "a change";
  return `${formatCount(point.effectiveBatch)} (${note})`;
}
function idleCell({ gpu: gpu2 }, { point, role }) {
  if (!point.fits) return `${formatGib(missingBytes(gpu2, point))} too much`;
  return `${formatGib(idleBytes(gpu2, point))} ${role === "now" ? "waste" : "headroom"}`;
}
function rateCell(point, current) {
  const rate = formatRate(point.samplesPerSecond);
  if (point === current || !current.fits) return rate;
  return `${rate} (${formatRatio(point.samplesPerSecond / current.samplesPerSecond)})`;
}
function memoryBars(config) {
  const { current, recommended, gpu: gpu2 } = config;
  const rows2 = [
    { label: "now", point: current },
    ...recommended && recommended.microBatch !== current.microBatch ? [{ label: "recommended", point: recommended }] : []
  ];
  return rows2.map(({ label: label2, point }, index) => {
    const figure = index === rows2.length - 1 ? ofUsable(point.peakBytes, gpu2.usableBytes) : gibFigure(point.peakBytes);
    const filled = bar(gpu2.usableBytes === 0 ? 1 : point.peakBytes / gpu2.usableBytes, BAR_CELLS);
    return `${label2.padEnd(11)} ${filled}${point.fits ? " " : "▶"} ${figure}`;
  }).join("\n");
}
function rightSizing({ rightSizing: rightSizing2, current }) {
  if (rightSizing2 === void 0) return void 0;
  const { gpu: gpu2, costPerRunUsd } = rightSizing2;
  const price = `${formatUsd(gpu2.pricePerHourUsd)} an hour`;
  const against = current.fits ? ` instead of ${formatUsd(current.costPerRunUsd)}` : "";
  return `This config needs ${formatGib(current.peakBytes)}: ${article(gpu2.name)} ${escapeText(gpu2.name, 60)} (${formatGib(gpu2.usableBytes)} usable) would run it at ${price}, ${formatUsd(costPerRunUsd)} a run${against}.`;
}
function article(name) {
  return /^(?:[AEFHILMNORSX](?:[^a-z]|$)|[AEIO][a-z])/.test(name) ? "an" : "a";
}

// engine/render/config-section.ts
function paragraph(config) {
  const mark = stateMark(configState(config));
  const sentences = [situation(config), ...advice(config, (text3) => `**${text3}**`), knownHow(config)];
  return `${mark} **${inlinePath(config.path)}** ${sentences.join(" ")}`;
}
function fineLine(config) {
  const { current, gpu: gpu2 } = config;
  const use = `${ofUsable(current.peakBytes, gpu2.usableBytes)} (${formatShare(config, current)}) of the ${gpuName(config)}`;
  return `🟩 ${inlinePath(config.path)}: ${use} at micro-batch ${formatCount(current.microBatch)}, ${fineRemark(config)}. ${knownHow(config)}`;
}
function situation(config) {
  const { current, gpu: gpu2 } = config;
  const used = ofUsable(current.peakBytes, gpu2.usableBytes);
  const share2 = formatShare(config, current);
  if (findingOf(config) === "may-not-fit") {
    return `may go out of memory on the ${gpuName(config)}: needs **${used} (${share2})**.`;
  }
  if (!current.fits) return `goes out of memory on the ${gpuName(config)}: needs **${used} (${share2})**.`;
  return `uses **${used} (${share2})** of the ${gpuName(config)}.`;
}
function knownHow(config) {
  return `*Memory ${memoryProvenance(config)}; throughput ${config.throughputProvenance}.*`;
}
function gpuName(config) {
  return escapeText(config.gpu.name, 60);
}

// engine/render/unanalysed-section.ts
var MAX_PROBLEMS2 = 5;
function unanalysedSection(config, limit = MAX_PROBLEMS2) {
  const mark = stateMark(configState(config));
  const shown2 = config.problems.slice(0, limit);
  const rest = config.problems.length - shown2.length;
  const texts = shown2.map((problem2) => renderProblem(config.path, problem2));
  const opening = `${mark} **${inlinePath(config.path)}** could not be analysed`;
  if (config.problems.length === 1) return `${opening}. ${texts.join("")}`;
  return [
    `${opening}:`,
    "",
    ...texts.map((text3) => `- ${text3}`),
    ...rest > 0 ? [`- and ${rest} more in this file`] : []
  ].join("\n");
}
function renderProblem(path2, { file, line, column, field, message, fix }) {
  const place = [
    file && file !== path2 && inlinePath(file),
    line && `line ${line}`,
    column && line && `column ${column}`
  ].filter(Boolean);
  const where = [place.join(", "), field && inlineCode(field, 100)].filter(Boolean).join(", ");
  return `${capitalised(where)}${where && ": "}${escapeText(message)}. ${escapeText(fix)}`;
}

// engine/render/sections.ts
var MAX_OF_A_KIND = 40;
var separator = "\n\n";
function renderWithin(report2, opening, closing, room) {
  const ranked = rank(report2);
  const shown2 = groups.flatMap((group) => ranked.filter((item) => item.group === group).slice(0, MAX_OF_A_KIND));
  const frame = [...opening, countLine(ranked), closing];
  const texts = fitSections(
    shown2.map((item) => ({ forms: formsOf(item.config, room.withDetails), interest: item.interest })),
    room.limitBytes - sizeOf(frame.join(separator)) - separator.length * (shown2.length + 1)
  );
  const kept = new Set(shown2.filter((_, index) => texts[index] !== void 0));
  const leftOut = ranked.filter((item) => !kept.has(item));
  const counted = leftOut.length > 0 ? [countLine(leftOut)] : [];
  return [...opening, ...texts.filter((text3) => text3 !== void 0), ...counted, closing].join(separator);
}
function mattering(report2) {
  return rank(report2).flatMap(
    ({ config, group }) => group === "matters" && config.status === "analysed" ? [config] : []
  );
}
var groups = ["matters", "fine", "not-analysed"];
function rank({ configs }) {
  return configs.map((config) => ({ config, group: groupOf(config), interest: interestOf(config) })).sort((a, b) => b.interest - a.interest);
}
function groupOf(config) {
  if (config.status === "not-analysed") return "not-analysed";
  return findingOf(config) === "fine" ? "fine" : "matters";
}
function interestOf(config) {
  const weight = findingWeight(findingOf(config)) + (configState(config) === "blocked" ? 10 : 0);
  if (config.status === "not-analysed") return weight;
  const { gpu: gpu2, current } = config;
  const atStake = idleBytes(gpu2, current) + missingBytes(gpu2, current);
  return weight + atStake / (atStake + gpu2.usableBytes + 1);
}
function findingWeight(finding) {
  switch (finding) {
    case "does-not-fit":
      return 6;
    case "may-not-fit":
      return 5;
    case "waste":
      return 4;
    case "annual-cost":
      return 3;
    case "throughput-loss":
      return 2;
    case "not-analysed":
      return 1;
    case "fine":
      return 0;
  }
}
function formsOf(config, withDetails) {
  if (config.status === "not-analysed") {
    const full = unanalysedSection(config);
    return config.problems.length > 1 ? [full, unanalysedSection(config, 1)] : [full];
  }
  if (findingOf(config) === "fine") return [fineLine(config)];
  const short = paragraph(config);
  const compared = `${short}${separator}${comparison(config)}`;
  if (!withDetails) return [compared, short];
  const behind = details("Where the memory goes, every size tried, assumptions", configDetails(config));
  return [`${compared}${separator}${behind}`, compared, short];
}
function countLine(leftOut) {
  const words = { matters: "to look at", fine: "fine", "not-analysed": "not analysed" };
  const parts = groups.map((group) => ({ group, count: leftOut.filter((item) => item.group === group).length })).filter(({ count: count2 }) => count2 > 0).map(({ group, count: count2 }) => `${formatCount(count2)} ${words[group]}`);
  return `…and ${formatCount(leftOut.length)} more, all in the report: ${parts.join(", ")}.`;
}

// engine/render/check.ts
var CHECK_LIMIT = 65535;
var MAX_DETAILED = 40;
var MAX_PROBLEMS_A_FILE = 10;
function renderCheck(report2) {
  const title = capitalised(headline(report2));
  if (report2.configs.length === 0) {
    return { title, summary: `${nothingToMeasure}.`, text: "", conclusion: "success", annotations: [] };
  }
  return {
    title,
    summary: renderWithin(report2, [], footer(report2), { limitBytes: CHECK_LIMIT, withDetails: false }),
    text: text(report2),
    conclusion: conclusion(verdictState(report2)),
    annotations: report2.configs.flatMap(annotationsOf)
  };
}
function conclusion(state) {
  switch (state) {
    case "nothing-to-measure":
    case "fine":
      return "success";
    case "warning":
      return "neutral";
    case "blocked":
      return "failure";
  }
}
function text(report2) {
  const sections = mattering(report2).slice(0, MAX_DETAILED).map((config, index) => ({
    forms: [`#### ${inlinePath(config.path)}${separator}${configDetails(config)}`],
    interest: -index
  }));
  const budget = CHECK_LIMIT - separator.length * sections.length;
  return fitSections(sections, budget).filter((section) => section !== void 0).join(separator);
}
function annotationsOf(config) {
  if (config.status === "not-analysed") {
    return config.problems.slice(0, MAX_PROBLEMS_A_FILE).map((problem2) => problemAnnotation(config.path, problem2));
  }
  const finding = findingOf(config);
  return finding === "fine" ? [] : [findingAnnotation(config, finding)];
}
function findingAnnotation(config, finding) {
  return {
    path: config.path,
    line: config.batchSizeAt?.line ?? 1,
    level: config.verdict.state === "blocked" ? "failure" : "warning",
    title: annotationTitle(config, finding),
    message: annotationMessage(config)
  };
}
function annotationTitle(config, finding) {
  const { current, gpu: gpu2 } = config;
  const used = ofUsable(current.peakBytes, gpu2.usableBytes);
  const where = `micro-batch ${formatCount(current.microBatch)} on the ${plainText(gpu2.name, 60)}`;
  if (finding === "does-not-fit") return `Goes out of memory: ${where} needs ${used}`;
  if (finding === "may-not-fit") return `May go out of memory: ${where} needs ${used}`;
  return `Uses ${used} (${formatShare(config, current)}): ${where}`;
}
function annotationMessage(config) {
  const known2 = `Memory ${memoryProvenance(config)}; throughput ${config.throughputProvenance}.`;
  return [...advice(config), known2].join(" ");
}
function problemAnnotation(path2, { file, line, field, message, fix }) {
  const named2 = field ? `${plainText(field, 100)}: ` : "";
  return {
    path: file ?? path2,
    line: line ?? 1,
    level: "failure",
    title: "Could not be analysed",
    message: `${named2}${plainText(message)}. ${plainText(fix)}`
  };
}

// engine/render/comment.ts
var commentMarker = "<!-- memorymark:report -->";
var COMMENT_LIMIT = 65536;
function renderComment(report2, options = {}) {
  if (report2.configs.length === 0) return void 0;
  const opening = [
    commentMarker,
    `### ${stateMark(verdictState(report2))} MemoryMark: ${headline(report2)}`,
    ...options.statusNote ? [`*${escapeText(options.statusNote)}*`] : []
  ];
  return renderWithin(report2, opening, footer(report2, options.howMeasuredUrl), {
    limitBytes: COMMENT_LIMIT,
    withDetails: true
  });
}

// engine/settings/schema.ts
import * as z19 from "zod";
var judgements = ["changed", "all"];
var MAX_GLOBS = 200;
var MAX_OVERRIDES = 500;
var glob = text2("a glob, such as configs/**/*.yaml", 500);
var globs = z19.array(glob, "a list of globs").max(MAX_GLOBS, `a list of at most ${MAX_GLOBS} globs`);
var gpu = z19.enum(
  gpus.map(({ id }) => id),
  "a GPU of the catalogue"
);
var pricePerHourUsd = positive(1e4);
var hoursPerRun = positive(1e5).describe("Wall-clock hours of one run at the current batch size. Default 2.");
var runsPerYear = positive(1e6).describe("Training runs in a year. Default 100.");
var conditions = z19.union([z19.string(), z19.array(z19.string())], 'a condition, such as "waste > 40 %", or a list of them').transform((written, context) => {
  try {
    return parseConditions([written].flat().join(", "), "");
  } catch (error) {
    if (!(error instanceof MemoryMarkError)) throw error;
    const { message, fix } = error.problem;
    context.addIssue({ code: "custom", message, params: { fix } });
    return z19.NEVER;
  }
});
var overrideKeys = {
  path: glob.describe("The configs that this is about, from the root of the repository."),
  gpu: gpu.describe("The GPU that these configs run on.").optional(),
  model: text2("a model: its Hub id, or its name in the catalogue", 200).describe("The model that these configs train, as its id on the Hugging Face Hub.").optional(),
  task: z19.enum(tasks, "a task").describe("What the model is trained for.").optional(),
  sequence_length: wholeNumber(1e7).describe("Tokens of the longest sequence.").optional(),
  image_size: wholeNumber(1e5).describe("Pixels of the square image's side.").optional(),
  labels: wholeNumber(1e6).describe("Classes of a classification head.").optional(),
  hours_per_run: hoursPerRun.optional(),
  runs_per_year: runsPerYear.optional()
};
var overrideEntry = z19.strictObject(overrideKeys, "an override: a mapping with a path");
var settingsFile = z19.strictObject({
  paths: globs.describe("Only files that match one of these globs are read. Default: every YAML and JSON file.").optional(),
  ignore: globs.describe("Files that match one of these globs are left out.").optional(),
  gpu: gpu.describe("The GPU that the training runs on. Default a10.").optional(),
  prices: z19.partialRecord(gpu, pricePerHourUsd, "a list of prices by GPU, such as a10: 0.75").describe("What you pay for an hour of one GPU in US dollars, by GPU.").optional(),
  hours_per_run: hoursPerRun.optional(),
  runs_per_year: runsPerYear.optional(),
  "fail-on": conditions.describe("What blocks a pull request: `waste > 40 %`, `throughput-loss > 10 %`, `annual-cost > $500`, or `never`.").optional(),
  "warn-on": conditions.describe("What is remarked on without blocking, in the words of fail-on.").optional(),
  judge: z19.enum(judgements, '"changed" or "all"').describe(
    "Whether a config that was bad on the base branch blocks a pull request that makes it no worse: `changed` (the default) does not block, `all` does."
  ).optional(),
  step_size: wholeNumber(MAX_BATCH).describe("Batch sizes tried are every one up to this, then its multiples. Default 8.").optional(),
  margin_percent: within(0, 90).describe("Percent of usable memory that a recommended batch leaves free. Default 5.").optional(),
  overrides: z19.array(overrideEntry, "a list of overrides, each with a path").max(MAX_OVERRIDES, `a list of at most ${MAX_OVERRIDES} overrides`).describe(
    "What holds for some configs only, or what they cannot say themselves. Where several match, the later wins."
  ).optional()
});
function keysAt(path2) {
  if (path2.length === 0) return Object.keys(settingsFile.shape);
  return path2[0] === "prices" ? gpu.options : Object.keys(overrideKeys);
}
function text2(words, maxCharacters) {
  return z19.string(words).min(1, words).max(maxCharacters, words);
}
function wholeNumber(max) {
  const words = `a whole number from 1 to ${max.toLocaleString("en-US")}`;
  return z19.int(words).min(1, words).max(max, words);
}
function positive(max) {
  const words = `a number above 0 and up to ${max.toLocaleString("en-US")}`;
  return z19.number(words).positive(words).max(max, words);
}
function within(min, max) {
  const words = `a number from ${min} to ${max}`;
  return z19.number(words).min(min, words).max(max, words);
}

// engine/settings/problems.ts
function problemsOf2(issue, top, file) {
  const spot = spotOf(top, issue.path);
  const where = (at, path2) => ({
    file,
    ...at,
    ...path2.length > 0 && { field: fieldName(path2) }
  });
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key2) => ({
      ...unknownKey(key2, keysAt(issue.path)),
      ...where(fieldIn(spot.value, key2)?.at, [...issue.path, key2])
    }));
  }
  return [{ ...refusal(issue, spot), ...where(spot.at, issue.path) }];
}
function spotOf(top, path2) {
  let spot = { value: { kind: "mapping", section: top }, isWritten: true };
  for (const key2 of path2) {
    const inner = spot.value.kind === "list" ? itemIn(spot.value, key2) : fieldIn(spot.value, String(key2));
    if (inner === void 0 || inner.value.kind === "empty")
      return { ...spot, at: inner?.at ?? spot.at, isWritten: false };
    spot = { value: inner.value, at: inner.at, source: inner.source, isWritten: true };
  }
  return spot;
}
function fieldIn(value, key2) {
  return value.kind === "mapping" ? value.section.field(key2) : void 0;
}
function itemIn({ items }, index) {
  const item = items[Number(index)];
  return item && { value: item, at: item.at, source: item.source };
}
function refusal(issue, { value, source = "", isWritten }) {
  if (issue.code === "custom") {
    return { code: "settings-refused", message: issue.message, fix: String(issue.params?.fix) };
  }
  if (!isWritten) {
    return { code: "settings-refused", message: "There is no value here", fix: `Write ${issue.message}.` };
  }
  const message = `${shown({ value, source })} is not ${issue.message}`;
  if (issue.code === "invalid_value" && value.kind === "text") {
    return { code: "unknown-value", message, fix: suggest(value.text, issue.values.map(String)) };
  }
  return { code: "settings-refused", message, fix: `Write ${issue.message}.` };
}
function unknownKey(key2, known2) {
  return { code: "unknown-key", message: `The key ${quote(key2)} is not known`, fix: suggest(key2, known2) };
}
function fieldName(path2) {
  return path2.map((key2, index) => typeof key2 === "number" ? `[${key2}]` : `${index === 0 ? "" : "."}${plain2(String(key2))}`).join("");
}

// engine/settings/read.ts
var MAX_PROBLEMS3 = 50;
function readSettings2(file) {
  if (file === void 0) return { kind: "none" };
  const parsed2 = parseFile(file);
  if (parsed2.kind === "unreadable") return parsed2;
  const [top, ...others] = parsed2.mappings;
  if (top === void 0) return isBlank(file.text) ? { kind: "none" } : unreadable3([noMapping(file)]);
  if (others.length > 0) return unreadable3([severalDocuments(file)]);
  const checked = settingsFile.safeParse(plainSection(top));
  if (!checked.success) return unreadable3(checked.error.issues.flatMap((issue) => problemsOf2(issue, top, file.path)));
  const { data } = checked;
  return {
    kind: "settings",
    settings: {
      source: file.path,
      paths: data.paths,
      ignore: data.ignore ?? [],
      gpu: data.gpu,
      pricesPerHourUsd: data.prices ?? {},
      hoursPerRun: data.hours_per_run,
      runsPerYear: data.runs_per_year,
      failOn: data["fail-on"],
      warnOn: data["warn-on"],
      judge: data.judge,
      stepSize: data.step_size,
      marginPercent: data.margin_percent,
      overrides: (data.overrides ?? []).map((override, index) => ({
        path: override.path,
        gpu: override.gpu,
        hoursPerRun: override.hours_per_run,
        runsPerYear: override.runs_per_year,
        supplied: suppliedIn(overrideSection(top, index), file.path)
      }))
    }
  };
}
function overrideSection(top, index) {
  const overrides = top.field("overrides")?.value;
  const override = overrides?.kind === "list" ? overrides.items[index] : void 0;
  return override?.kind === "mapping" ? override.section : void 0;
}
function suppliedIn(override, file) {
  const fields = suppliedKeys.flatMap((key2) => {
    const field = override?.at(key2);
    return field === void 0 ? [] : [[key2, { ...field, file }]];
  });
  return Object.fromEntries(fields);
}
function plainSection(section) {
  const written = [...section.fields.values()].filter(({ value }) => value.kind !== "empty");
  return Object.fromEntries(written.map(({ key: key2, value }) => [key2, plainValue(value)]));
}
function plainValue(value) {
  switch (value.kind) {
    case "number":
      return value.number;
    case "text":
      return value.text;
    case "flag":
      return value.flag;
    case "empty":
      return void 0;
    case "list":
      return value.items.map(plainValue);
    case "mapping":
      return plainSection(value.section);
  }
}
function unreadable3(problems) {
  return { kind: "unreadable", problems: problems.slice(0, MAX_PROBLEMS3) };
}
function isBlank(text3) {
  return text3.split("\n").every((line) => /^\s*(?:#.*|---\s*)?$/.test(line));
}
function noMapping({ path: path2 }) {
  return {
    code: "settings-refused",
    file: path2,
    line: 1,
    message: "The settings are not a mapping of keys to values",
    fix: "Write a setting a line, such as gpu: a10."
  };
}
function severalDocuments({ path: path2 }) {
  return {
    code: "settings-refused",
    file: path2,
    line: 1,
    message: "The file holds several documents",
    fix: "Keep one, and drop the lines of three dashes between them."
  };
}

// bot/log.ts
import { pino } from "pino";
function createLog(level, destination) {
  const options = { name: "memorymark", level, serializers: { err: describeError } };
  return destination === void 0 ? pino(options) : pino(options, destination);
}
function describeError(error) {
  if (!(error instanceof Error)) return { type: typeof error, message: "Not an error" };
  return {
    type: error.name,
    message: error.message,
    ...error.stack === void 0 ? {} : { stack: error.stack },
    ..."status" in error && typeof error.status === "number" ? { status: error.status } : {},
    ...error.cause === void 0 ? {} : { cause: describeError(error.cause) },
    ...error instanceof AggregateError ? { errors: error.errors.map(describeError) } : {}
  };
}

// bot/settings.ts
import { createPrivateKey } from "node:crypto";
import * as z20 from "zod";
var MIN_SECRET_LENGTH = 16;
var environment = z20.object({
  APP_ID: z20.coerce.number("The number on the page of the GitHub App").int().positive(),
  PRIVATE_KEY: z20.string("The PEM text that the page of the GitHub App makes").transform((text3) => text3.replaceAll("\\n", "\n")).refine(isPrivateKey, "Not a private key in PEM form"),
  WEBHOOK_SECRET: z20.string("The secret on the page of the GitHub App, without which anyone could send webhooks").refine((secret) => secret !== "development", '"development" is the secret that everyone knows').min(MIN_SECRET_LENGTH, `At least ${MIN_SECRET_LENGTH} characters, such as \`openssl rand -hex 32\` prints`),
  HOST: z20.string().min(1).default("localhost"),
  PORT: z20.coerce.number().int().min(1).max(65535).default(3e3),
  GITHUB_API_URL: z20.url({ protocol: /^https?$/ }).default("https://api.github.com"),
  LOG_LEVEL: z20.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
  MEMORYMARK_GPU: z20.string().optional(),
  MEMORYMARK_FAIL_ON: z20.string().optional(),
  MEMORYMARK_WORKFLOW: z20.string().min(1).default(".github/workflows/memorymark.yml")
});
function readSettings3(env) {
  const parsed2 = environment.safeParse(env);
  if (!parsed2.success) throw refused(parsed2.error);
  const { data } = parsed2;
  return {
    appId: data.APP_ID,
    privateKey: data.PRIVATE_KEY,
    webhookSecret: data.WEBHOOK_SECRET,
    host: data.HOST,
    port: data.PORT,
    apiUrl: data.GITHUB_API_URL.replace(/\/$/, ""),
    logLevel: data.LOG_LEVEL,
    gpu: readGpu(data.MEMORYMARK_GPU),
    failOn: readFailOn(data.MEMORYMARK_FAIL_ON),
    workflowPath: data.MEMORYMARK_WORKFLOW
  };
}
function readFailOn(conditions2) {
  return conditions2 === void 0 ? void 0 : parseConditions(conditions2, "MEMORYMARK_FAIL_ON");
}
function readGpu(id) {
  if (id === void 0) return void 0;
  const gpu2 = findGpu(id);
  if (gpu2 !== void 0) return gpu2;
  const ids = gpus.map((known2) => known2.id);
  const meant = closest(id, ids);
  throw new MemoryMarkError({
    code: "environment-refused",
    field: "MEMORYMARK_GPU",
    message: `"${id.slice(0, 100)}" is not in the catalogue of GPUs`,
    fix: `${meant === void 0 ? "" : `Did you mean ${meant}? `}Known are ${ids.join(", ")}.`
  });
}
function refused(error) {
  const faults = error.issues.map(({ path: path2, message }) => `${path2.join(".")} (${message})`);
  return new MemoryMarkError({
    code: "environment-refused",
    message: `The environment does not let the bot start: ${[...new Set(faults)].join("; ")}`,
    fix: "Set these variables and start again."
  });
}
function isPrivateKey(pem) {
  try {
    return createPrivateKey(pem).type === "private";
  } catch {
    return false;
  }
}

// bot/start.ts
import { Probot, ProbotOctokit, Server } from "probot";

// bot/check.ts
var CHECK_NAME = "MemoryMark";
var ANNOTATIONS_A_REQUEST = 50;
var MAX_TITLE = 255;
async function findCheck({ github, repository, appId }, headSha) {
  const { data } = await github.rest.checks.listForRef({
    ...repository,
    ref: headSha,
    check_name: CHECK_NAME,
    app_id: appId,
    filter: "latest"
  });
  const run = data.check_runs.at(0);
  return run && {
    id: run.id,
    completed: run.status === "completed",
    annotations: run.output.annotations_count,
    title: run.output.title ?? "",
    summary: run.output.summary ?? "",
    text: run.output.text ?? ""
  };
}
async function beginCheck({ github, repository }, headSha, existing) {
  const state = {
    status: "in_progress",
    output: {
      title: "Reading the training configs",
      summary: "MemoryMark is looking at the files this commit changes."
    }
  };
  if (existing !== void 0 && existing.annotations === 0) {
    await github.rest.checks.update({ ...repository, check_run_id: existing.id, ...state });
    return existing.id;
  }
  const { data } = await github.rest.checks.create({ ...repository, name: CHECK_NAME, head_sha: headSha, ...state });
  return data.id;
}
async function completeCheck(work, checkRunId, rendered) {
  const { title, summary, text: text3, conclusion: conclusion2 } = rendered;
  const annotations = rendered.annotations.map(({ path: path2, line, level, title: title2, message }) => ({
    path: path2,
    start_line: line,
    end_line: line,
    annotation_level: level,
    title: title2.slice(0, MAX_TITLE),
    message
  }));
  const output = { title, summary, text: text3 };
  while (annotations.length > ANNOTATIONS_A_REQUEST) {
    const batch = annotations.splice(0, ANNOTATIONS_A_REQUEST);
    await updateCheck(work, checkRunId, { output: { ...output, annotations: batch } });
  }
  await updateCheck(work, checkRunId, { status: "completed", conclusion: conclusion2, output: { ...output, annotations } });
}
async function remarkOnCheck(work, { id, title, summary, text: text3 }, remark) {
  if (summary.startsWith(remark)) return;
  await updateCheck(work, id, { output: { title, summary: `${remark}

${summary}`, text: text3 } });
}
async function updateCheck({ github, repository }, checkRunId, change2) {
  await github.rest.checks.update({ ...repository, check_run_id: checkRunId, ...change2 });
}

// bot/health.ts
function answerHealth(request, response) {
  if (request.method !== "GET" || request.url !== "/health") return false;
  response.writeHead(200, { "content-type": "application/json" }).end('{"status":"ok"}');
  return true;
}

// bot/archive.ts
import { fromBufferPromise } from "yauzl";
var REPORT_ENTRY = "memorymark-report.json";
var MAX_ENTRIES = 20;
var MAX_INFLATED_BYTES = 20 * 2 ** 20;
async function readReportArchive(zip) {
  const archive = await fromBufferPromise(Buffer.from(zip)).catch(() => void 0);
  if (archive === void 0) return unusable("it is not a zip archive");
  if (archive.entryCount > MAX_ENTRIES) return unusable(`it holds more than ${MAX_ENTRIES} files`);
  const entry = await findEntry(archive).catch(() => void 0);
  if (entry === void 0) return unusable(`it does not hold ${REPORT_ENTRY}`);
  if (entry.uncompressedSize > MAX_INFLATED_BYTES) return unusable("its report is larger than 20 MiB");
  const text3 = await inflate(archive, entry).catch(() => void 0);
  return text3 === void 0 ? unusable("it is damaged") : readReport(text3);
}
async function findEntry(archive) {
  for await (const entry of archive.eachEntry()) if (entry.fileName === REPORT_ENTRY) return entry;
  return void 0;
}
async function inflate(archive, entry) {
  const chunks = [];
  for await (const chunk of await archive.openReadStreamPromise(entry)) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
function readReport(text3) {
  const parsed2 = report.safeParse(parseJson(text3));
  return parsed2.success ? { kind: "report", report: parsed2.data } : unusable("its report does not follow the report schema");
}
function parseJson(text3) {
  try {
    return JSON.parse(text3);
  } catch {
    return void 0;
  }
}
function unusable(why) {
  return { kind: "unusable", why };
}

// bot/artifact.ts
var ARTIFACT_NAME = "memorymark-report";
var MAX_COMPRESSED_BYTES = 5 * 2 ** 20;
async function downloadArtifact(work, runId) {
  const { github, repository } = work;
  const { data } = await github.rest.actions.listWorkflowRunArtifacts({
    ...repository,
    run_id: runId,
    name: ARTIFACT_NAME
  });
  const artifact = data.artifacts.find(({ name, expired }) => name === ARTIFACT_NAME && !expired);
  if (artifact === void 0) return { kind: "none" };
  if (artifact.size_in_bytes > MAX_COMPRESSED_BYTES) return { kind: "too-large" };
  const { headers } = await github.rest.actions.downloadArtifact({
    ...repository,
    artifact_id: artifact.id,
    archive_format: "zip",
    request: { redirect: "manual" }
  });
  if (headers.location === void 0) throw new Error("GitHub did not say where the artifact is stored");
  return readCapped(await fetch(headers.location));
}
async function readCapped(response) {
  if (!response.ok || response.body === null) throw new Error(`The artifact storage answered ${response.status}`);
  const chunks = [];
  let size2 = 0;
  for await (const chunk of response.body) {
    size2 += chunk.byteLength;
    if (size2 > MAX_COMPRESSED_BYTES) return { kind: "too-large" };
    chunks.push(chunk);
  }
  return { kind: "zip", zip: Buffer.concat(chunks) };
}

// bot/finish.ts
async function finishing(work, checkRunId, job) {
  try {
    await job();
  } catch (error) {
    const output = {
      title: "MemoryMark could not finish",
      summary: `${wordsFor(error)} Re-run this check to try again.`
    };
    await updateCheck(work, checkRunId, { status: "completed", conclusion: "failure", output });
    throw error;
  }
}
function wordsFor(error) {
  if (error instanceof MemoryMarkError) return `${error.problem.message}. ${error.problem.fix}`;
  return "Something went wrong on our side, and the log of the bot says what.";
}

// bot/github.ts
async function openPullRequest({ github, repository }, number14) {
  const { data } = await github.rest.pulls.get({ ...repository, pull_number: number14 });
  if (data.state !== "open") return void 0;
  return { number: number14, baseSha: data.base.sha, headSha: data.head.sha, changedFiles: data.changed_files };
}
async function pullRequestsAt({ github, repository }, commit) {
  const { headSha, owner, branch } = commit;
  const open = await github.paginate(github.rest.pulls.list, {
    ...repository,
    state: "open",
    per_page: 100,
    ...owner && branch ? { head: `${owner}:${branch}` } : {}
  });
  return open.filter((pull) => pull.head.sha === headSha).map((pull) => pull.number);
}

// bot/comment.ts
var nothingLeft = `${commentMarker}

### MemoryMark

${nothingToMeasure}.`;
async function keepComment(work, pullNumber, body) {
  const { github, repository } = work;
  const own = await findComment(work, pullNumber);
  if (own === void 0) {
    if (body !== void 0) await github.rest.issues.createComment({ ...repository, issue_number: pullNumber, body });
    return;
  }
  const next = body ?? nothingLeft;
  if (own.body === next) return;
  await github.rest.issues.updateComment({ ...repository, comment_id: own.id, body: next });
}
async function findComment({ github, repository, appId }, pullNumber) {
  const comments = await github.paginate(github.rest.issues.listComments, {
    ...repository,
    issue_number: pullNumber,
    per_page: 100
  });
  return comments.find(
    (comment) => comment.performed_via_github_app?.id === appId && comment.body?.includes(commentMarker) === true
  );
}

// bot/publish.ts
async function publish(work, pull, checkRunId, report2, remarks) {
  await completeCheck(work, checkRunId, withRemarks(renderCheck(report2), remarks, report2.configs.length > 0));
  const current = await openPullRequest(work, pull.number);
  if (current?.headSha !== pull.headSha) return;
  const statusNote = remarks.join(" ");
  await keepComment(work, pull.number, renderComment(report2, statusNote === "" ? {} : { statusNote }));
}
function withRemarks(check, remarks, foundAny) {
  if (remarks.length === 0) return check;
  return {
    ...check,
    summary: `${remarks.join(" ")}

${check.summary}`,
    conclusion: foundAny ? check.conclusion : "neutral"
  };
}

// bot/file.ts
import * as z21 from "zod";
var MAX_FILE_BYTES = 2 ** 20;
var contents = z21.object({ type: z21.literal("file"), size: z21.number(), encoding: z21.string(), content: z21.string() });
async function readFile({ github, repository }, ref, path2) {
  const place = { ...repository, path: path2, ...ref !== void 0 && { ref } };
  const answer = await github.rest.repos.getContent(place).catch((error) => {
    if (error instanceof Error && "status" in error && error.status === 404) return void 0;
    throw error;
  });
  const parsed2 = contents.safeParse(answer?.data);
  if (!parsed2.success) return { kind: "no-file" };
  const { size: size2, encoding, content } = parsed2.data;
  if (size2 > MAX_FILE_BYTES || encoding !== "base64") return { kind: "too-large" };
  return { kind: "file", file: { path: path2, text: Buffer.from(content, "base64").toString("utf8") } };
}

// bot/changed-configs.ts
var MAX_FILES = 500;
var AT_ONCE = 8;
async function readChangedConfigs(work, pull, settings) {
  const { github, repository } = work;
  const listed = await github.paginate(github.rest.pulls.listFiles, {
    ...repository,
    pull_number: pull.number,
    per_page: 100
  });
  const present2 = listed.filter(({ status }) => status !== "removed");
  const formerPaths = new Map(present2.map((file) => [file.filename, file.previous_filename ?? file.filename]));
  const candidates = present2.map(({ filename }) => filename).filter((path2) => isCandidatePath(path2) && isCounted(path2, settings));
  const readings = await readFiles(work, pull.headSha, candidates.slice(0, MAX_FILES));
  const tooLarge2 = readings.filter(({ kind }) => kind === "too-large").length;
  return {
    files: readings.flatMap((reading) => reading.kind === "file" ? [reading.file] : []),
    base: async (path2) => {
      const reading = await readFile(work, pull.baseSha, formerPaths.get(path2) ?? path2);
      return reading.kind === "file" ? reading.file.text : void 0;
    },
    remarks: [
      ...listed.length < pull.changedFiles ? [unlisted(listed.length, pull.changedFiles)] : [],
      ...candidates.length > MAX_FILES ? [unread(candidates.length)] : [],
      ...tooLarge2 > 0 ? [skipped(tooLarge2)] : []
    ]
  };
}
async function readFiles(work, ref, paths) {
  const readings = [];
  for (let start = 0; start < paths.length; start += AT_ONCE) {
    const group = paths.slice(start, start + AT_ONCE);
    readings.push(...await Promise.all(group.map((path2) => readFile(work, ref, path2))));
  }
  return readings;
}
function unlisted(listed, total) {
  return `This pull request changes ${total} files and GitHub lists only ${listed} of them; configs among the rest were not looked at.`;
}
function unread(candidates) {
  return `Only the first ${MAX_FILES} of ${candidates} files that may be training configs were read.`;
}
function skipped(count2) {
  return `${count2 === 1 ? "One file" : `${count2} files`} above 1 MiB ${count2 === 1 ? "was" : "were"} not read.`;
}

// bot/repository-settings.ts
var MAX_PROBLEMS4 = 10;
async function readTeamSettings(work) {
  const found = await readFile(work, void 0, SETTINGS_PATH);
  if (found.kind === "too-large") return builtIn("The file is larger than 1 MiB.");
  const reading = readSettings2(found.kind === "file" ? found.file : void 0);
  switch (reading.kind) {
    case "settings":
      return { settings: reading.settings, remarks: [] };
    case "none":
      return { settings: noSettings, remarks: [] };
    case "unreadable":
      return builtIn(...reading.problems.slice(0, MAX_PROBLEMS4).map((problem2) => renderProblem("", problem2)));
  }
}
function builtIn(...reasons) {
  return {
    settings: noSettings,
    remarks: ["The settings on the default branch cannot be read, so the built-in ones hold.", ...reasons]
  };
}

// bot/review.ts
async function reviewPullRequest(work, { pullNumber, headSha, afresh }) {
  const pull = await openPullRequest(work, pullNumber);
  if (pull?.headSha !== headSha) return;
  const existing = await findCheck(work, headSha);
  if (existing?.completed === true && !afresh) return;
  const checkRunId = await beginCheck(work, headSha, existing);
  await finishing(work, checkRunId, () => analyse(work, pull, checkRunId));
}
async function analyse(work, pull, checkRunId) {
  const team = await readTeamSettings(work);
  const { files, base, remarks } = await readChangedConfigs(work, pull, team.settings);
  const report2 = await work.analyze(files, { settings: team.settings, base });
  await publish(work, pull, checkRunId, report2, [...team.remarks, ...remarks]);
}

// bot/measurement.ts
async function takeMeasurement(work, pullNumber, run) {
  const pull = await openPullRequest(work, pullNumber);
  if (pull?.headSha !== run.headSha) return;
  const reading = await readMeasurement(work, pull, run);
  switch (reading.kind) {
    case "none":
      return;
    case "unusable":
      return refuse2(work, pull, reading.why);
    case "report": {
      if (reading.report.configs.length === 0) return;
      const checkRunId = await beginCheck(work, run.headSha, await findCheck(work, run.headSha));
      return finishing(work, checkRunId, () => publish(work, pull, checkRunId, reading.report, []));
    }
  }
}
async function readMeasurement(work, pull, run) {
  const download = await downloadArtifact(work, run.id);
  switch (download.kind) {
    case "none":
      return download;
    case "too-large":
      return { kind: "unusable", why: "its archive is larger than 5 MiB" };
    case "zip":
      if (await changesWorkflow(work, pull, run.workflowPath)) {
        return { kind: "unusable", why: "this pull request changes the workflow that made it" };
      }
      return readReportArchive(download.zip);
  }
}
async function refuse2(work, { number: pullNumber, headSha }, why) {
  await reviewPullRequest(work, { pullNumber, headSha, afresh: false });
  const check = await findCheck(work, headSha);
  if (check !== void 0) await remarkOnCheck(work, check, `The report of the workflow run was not used: ${why}.`);
}
async function changesWorkflow({ github, repository }, pull, workflowPath) {
  const files = await github.paginate(github.rest.pulls.listFiles, {
    ...repository,
    pull_number: pull.number,
    per_page: 100
  });
  return files.length < pull.changedFiles || files.some(({ filename }) => filename === workflowPath);
}

// bot/schedule.ts
function scheduleForPull(scheduler, context, pullNumber, job) {
  if (!scheduler.deliveries.claim(context.id)) return;
  enqueue(scheduler, context, `pull request ${pullNumber}`, job);
}
function scheduleForCommit(scheduler, context, head, job) {
  if (!scheduler.deliveries.claim(context.id)) return;
  enqueue(scheduler, context, `commit ${head.headSha}`, async (work) => {
    for (const pullNumber of await pullRequestsAt(work, head)) {
      enqueue(scheduler, context, `pull request ${pullNumber}`, (inner) => job(inner, pullNumber));
    }
  });
}
function enqueue({ queue, deliveries, appId, analyze: analyze2 }, context, subject2, job) {
  const { owner, name: repo } = context.payload.repository;
  const repository = { owner: owner.login, repo };
  const work = { github: context.octokit, repository, appId, analyze: analyze2 };
  queue.enqueue(`${owner.login}/${repo} ${subject2}`, async () => {
    try {
      await job(work);
    } catch (error) {
      deliveries.release(context.id);
      context.log.error({ err: error, repository: `${owner.login}/${repo}`, subject: subject2 }, "A job failed");
    }
  });
}

// bot/app.ts
function memoryMarkApp(options) {
  const review = (context, pull, afresh) => scheduleForPull(
    options,
    context,
    pull.number,
    (work) => reviewPullRequest(work, { pullNumber: pull.number, headSha: pull.head.sha, afresh })
  );
  const reviewCommit = (context, headSha) => scheduleForCommit(
    options,
    context,
    { headSha },
    (work, pullNumber) => reviewPullRequest(work, { pullNumber, headSha, afresh: true })
  );
  const measure = (context) => {
    const {
      id,
      path: path2,
      head_sha: headSha,
      head_branch: branch,
      head_repository: repository
    } = context.payload.workflow_run;
    const workflowPath = path2.replace(/@.*$/, "");
    if (workflowPath !== options.workflowPath) return;
    scheduleForCommit(
      options,
      context,
      { headSha, owner: repository?.owner?.login, branch },
      (work, pullNumber) => takeMeasurement(work, pullNumber, { id, headSha, workflowPath })
    );
  };
  return (app, { addHandler }) => {
    addHandler(answerHealth);
    app.on(
      ["pull_request.opened", "pull_request.reopened", "pull_request.synchronize", "pull_request.ready_for_review"],
      (context) => review(context, context.payload.pull_request, false)
    );
    app.on("pull_request.edited", (context) => {
      if (context.payload.changes.base !== void 0) review(context, context.payload.pull_request, true);
    });
    app.on("check_run.rerequested", (context) => {
      if (context.payload.check_run.name === CHECK_NAME) reviewCommit(context, context.payload.check_run.head_sha);
    });
    app.on("check_suite.rerequested", (context) => reviewCommit(context, context.payload.check_suite.head_sha));
    app.on("workflow_run.completed", measure);
  };
}

// bot/deliveries.ts
var MAX_REMEMBERED = 1e5;
var Deliveries = class {
  #claimed = /* @__PURE__ */ new Set();
  /** False when the delivery is already taken. */
  claim(id) {
    if (this.#claimed.has(id)) return false;
    this.#claimed.add(id);
    const [oldest] = this.#claimed;
    if (this.#claimed.size > MAX_REMEMBERED && oldest !== void 0) this.#claimed.delete(oldest);
    return true;
  }
  /** After a failure, so that a redelivery is tried again. */
  release(id) {
    this.#claimed.delete(id);
  }
};

// bot/queue.ts
var SerialQueue = class {
  #tails = /* @__PURE__ */ new Map();
  /** Jobs see to their own errors; one that rejects is a bug and stops the process. */
  enqueue(key2, job) {
    const tail = (this.#tails.get(key2) ?? Promise.resolve()).then(job);
    this.#tails.set(key2, tail);
    void tail.then(() => {
      if (this.#tails.get(key2) === tail) this.#tails.delete(key2);
    });
  }
  /** Resolves when nothing is queued or running, jobs that other jobs enqueue included. */
  async idle() {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }
};

// bot/start.ts
async function startBot(settings, { log, pace = "polite", ...options }) {
  const queue = new SerialQueue();
  const server = new Server({
    host: settings.host,
    port: settings.port,
    log,
    Probot: Probot.defaults({
      appId: settings.appId,
      privateKey: settings.privateKey,
      secret: settings.webhookSecret,
      baseUrl: settings.apiUrl,
      Octokit: octokitFor(pace),
      log
    })
  });
  await server.load(
    memoryMarkApp({
      appId: settings.appId,
      workflowPath: settings.workflowPath,
      analyze: options.analyze ?? ((files, { settings: team, base }) => analyze(files, { settings: withFallback(team, settings), base, now: /* @__PURE__ */ new Date() })),
      queue,
      deliveries: new Deliveries()
    })
  );
  await server.start();
  const origin = `http://${server.host}:${server.port}`;
  const stop = async () => {
    await server.stop();
    await queue.idle();
  };
  return {
    webhooksUrl: `${origin}/api/github/webhooks`,
    healthUrl: `${origin}/health`,
    idle: () => queue.idle(),
    stop,
    [Symbol.asyncDispose]: stop
  };
}
function withFallback(team, { gpu: gpu2, failOn }) {
  return { ...team, gpu: team.gpu ?? gpu2?.id, failOn: team.failOn ?? failOn };
}
var MAX_WAITS = 3;
function octokitFor(pace) {
  return ProbotOctokit.plugin(pinApiVersion).defaults(
    (options) => pace === "polite" ? { ...options, throttle: { ...options.throttle, onSecondaryRateLimit: waitOut } } : { ...options, throttle: { ...options.throttle, enabled: false }, retry: { enabled: false } }
  );
}
function waitOut(_afterSeconds, _request, _octokit, retryCount) {
  return retryCount < MAX_WAITS;
}
function pinApiVersion(octokit) {
  octokit.hook.before("request", (request) => {
    request.headers["x-github-api-version"] = "2022-11-28";
  });
}

// bot/server.ts
try {
  const settings = readSettings3(process.env);
  const log = createLog(settings.logLevel);
  const bot = await startBot(settings, { log });
  for (const signal of ["SIGTERM", "SIGINT"]) {
    process.once(signal, () => {
      log.info(`${signal}: finishing accepted work`);
      void bot.stop();
    });
  }
} catch (error) {
  if (!(error instanceof MemoryMarkError)) throw error;
  process.stderr.write(`${error.message}
`);
  process.exitCode = 2;
}
