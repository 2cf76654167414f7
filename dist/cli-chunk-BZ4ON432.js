var __knownSymbol = (name, symbol) => (symbol = Symbol[name]) ? symbol : /* @__PURE__ */ Symbol.for("Symbol." + name);
var __typeError = (msg) => {
  throw TypeError(msg);
};
var __using = (stack, value, async) => {
  if (value != null) {
    if (typeof value !== "object" && typeof value !== "function") __typeError("Object expected");
    var dispose, inner;
    if (async) dispose = value[__knownSymbol("asyncDispose")];
    if (dispose === void 0) {
      dispose = value[__knownSymbol("dispose")];
      if (async) inner = dispose;
    }
    if (typeof dispose !== "function") __typeError("Object not disposable");
    if (inner) dispose = function() {
      try {
        inner.call(this);
      } catch (e) {
        return Promise.reject(e);
      }
    };
    stack.push([async, dispose, value]);
  } else if (async) {
    stack.push([async]);
  }
  return value;
};
var __callDispose = (stack, error, hasError) => {
  var E = typeof SuppressedError === "function" ? SuppressedError : function(e, s, m, _) {
    return _ = Error(m), _.name = "SuppressedError", _.error = e, _.suppressed = s, _;
  };
  var fail = (e) => error = hasError ? new E(e, error, "An error was suppressed during disposal") : (hasError = true, e);
  var next = (it) => {
    while (it = stack.pop()) {
      try {
        var result = it[1] && it[1].call(it[2]);
        if (it[0]) return Promise.resolve(result).then(next, (e) => (fail(e), next()));
      } catch (e) {
        fail(e);
      }
    }
    if (hasError) throw error;
  };
  return next();
};

// engine/errors.ts
import * as z from "zod";
var problem = z.object({
  /** Stable id, so that a policy or a test can name it without quoting the text. */
  code: z.string().max(60),
  /** What is wrong, in one sentence, without a full stop. Untrusted parts are quoted, never formatted. */
  message: z.string().max(2e3),
  /** What to do about it, in one sentence. */
  fix: z.string().max(2e3),
  file: z.string().max(4096).optional(),
  /** 1-based. */
  line: z.number().int().positive().optional(),
  /** 1-based. */
  column: z.number().int().positive().optional(),
  /** The key as the config writes it, e.g. `training.per_device_train_batch_size`. */
  field: z.string().max(500).optional()
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
  const where = place && field ? `${place} (${field})` : place || field;
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

// package.json
var package_default = { version: "0.1.0" };

// engine/version.ts
var version = package_default.version;

// engine/cli/arguments.ts
import { parseArgs } from "node:util";

// engine/units.ts
var KIB = 2 ** 10;
var MIB = 2 ** 20;
var GIB = 2 ** 30;
function formatGib(bytes5) {
  const gib2 = bytes5 / GIB;
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
  gpus.flatMap((gpu) => {
    const others3 = otherNames.filter(([, id]) => id === gpu.id).map(([name]) => name);
    return [gpu.id, gpu.name, ...others3].map((name) => [key(name), gpu]);
  })
);
var defaultGpu = knownGpu("a10");
function findGpu(text) {
  return byKey.get(key(text));
}
function knownGpu(id) {
  const gpu = gpus.find((candidate) => candidate.id === id);
  if (gpu === void 0) throw new Error(`the catalogue lost ${id}`);
  return gpu;
}
function hasFlashAttention({ computeCapability: [major] }) {
  return major >= AMPERE;
}
function usableBytes(gpu) {
  return gpu.totalBytes - gpu.contextBytes;
}
function key(text) {
  return text.toLowerCase().replace(/[^a-z0-9]/g, "").replace(/^(?:nvidia)?(?:tesla|geforce)?/, "");
}
function cublasWorkspaceBytes([major]) {
  return major === HOPPER ? 32 * MIB : 8.125 * MIB;
}
function gib(reading) {
  return Math.round(reading * GIB);
}

// engine/cli/arguments.ts
function parseFlags(args, options) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw usageError(error, Object.keys(options));
  }
}
function usageError(error, flags) {
  const unknown2 = /Unknown option '(--?[^']*)'/.exec(error.message)?.[1];
  const near = unknown2 && closest(unknown2.replace(/^-+/, ""), flags);
  const message2 = unknown2 ? `"${unknown2}" is not an option` : error.message.split(/\.\s/)[0];
  const dashed = /Did you forget .* for '(--[^']*)'/.exec(error.message)?.[1];
  return new MemoryMarkError(
    {
      code: "usage",
      message: message2 ?? error.message,
      fix: near ? `Did you mean --${near}?` : dashed ? `Write a value that begins with a dash as ${dashed}=-1.` : "Run `memorymark help` for the options."
    },
    { cause: error }
  );
}
function gpuFlag(text) {
  if (text === void 0) return defaultGpu;
  const gpu = findGpu(text);
  if (gpu !== void 0) return gpu;
  const ids = gpus.map((known2) => known2.id);
  const near = closest(text, ids);
  throw new MemoryMarkError({
    code: "unknown-gpu",
    field: "--gpu",
    message: `"${text}" is not a GPU in the catalogue`,
    fix: `${near ? `Did you mean ${near}? ` : ""}Known: ${ids.join(", ")}.`
  });
}
function oneOf(flag, text, allowed) {
  if (text === void 0) return void 0;
  const match = allowed.find((value) => value === text);
  if (match !== void 0) return match;
  const near = closest(text, allowed);
  throw new MemoryMarkError({
    code: "unknown-value",
    field: flag,
    message: `"${text}" is not a value for ${flag}`,
    fix: `${near ? `Did you mean ${near}? ` : ""}Use one of: ${allowed.join(", ")}.`
  });
}
function numberFlag(flag, text, { integer, max }) {
  if (text === void 0) return void 0;
  const value = Number(text);
  if (text.trim() !== "" && value > 0 && value <= max && (!integer || Number.isInteger(value))) return value;
  throw new MemoryMarkError({
    code: "out-of-range",
    field: flag,
    message: `"${text}" is not ${integer ? "a whole number from 1" : "a number above 0 and up"} to ${max.toLocaleString("en-US")}`,
    fix: `Correct the value of ${flag}.`
  });
}
function memoryFlag(flag, text) {
  if (text === void 0) return void 0;
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*(GiB|MiB)$/i.exec(text.trim()) ?? [];
  const bytes5 = Math.floor(Number(amount) * (unit?.toLowerCase() === "gib" ? GIB : MIB));
  if (bytes5 > 0) return bytes5;
  throw new MemoryMarkError({
    code: "out-of-range",
    field: flag,
    message: `"${text}" is not an amount of memory in GiB or MiB`,
    fix: `Write for instance ${flag} 22.1GiB or ${flag} 512MiB.`
  });
}

// engine/probes/probe.ts
import { setImmediate } from "node:timers/promises";

// engine/config/spec.ts
import * as z2 from "zod";

// engine/config/parameter-pattern.ts
var MAX_REPETITIONS = 2;
var MAX_CHARACTERS = 200;
var understood = /^\^?(?:(?:\w|-|\\[.dw]|\[[\w.-]+\]|\.)[*+?]?|\((?:\?:)?[\w|.\\]+\)\??)*\$?$/;
function parameterPattern(source) {
  if (source.length > MAX_CHARACTERS || !understood.test(source)) return void 0;
  if ((source.match(/[*+]/g)?.length ?? 0) > MAX_REPETITIONS) return void 0;
  try {
    return new RegExp(`^(?:${source})`);
  } catch {
    return void 0;
  }
}

// engine/config/spec.ts
var tasks = [
  "sequence-classification",
  "masked-lm",
  "causal-lm",
  "seq2seq-lm",
  "image-classification",
  "object-detection"
];
function isOfImages(task) {
  return task === "image-classification" || task === "object-detection";
}
var optimizers = [
  "adamw",
  "adamw-fused",
  "adamw-loop",
  "sgd",
  "sgd-momentum",
  "adafactor",
  "lion",
  "rmsprop",
  "adamw-8bit",
  "paged-adamw-8bit",
  "paged-adamw",
  "adam-mini"
];
var precisions = ["fp32", "tf32", "bf16", "bf16-master", "amp-bf16", "amp-fp16"];
var stepProfiles = ["training", "forward-backward"];
var attentions = ["sdpa", "eager"];
var loops = ["plain", "trainer", "ultralytics"];
var expertStyles = ["axolotl-kernels", "axolotl-linear", "torchtune", "ktransformers"];
var frameworks = ["pytorch", "tensorflow.js"];
var quantizations = ["nf4", "nf4-double", "int8", "gptq", "awq"];
var defaultLoraTargets = ["q_proj", "v_proj"];
var shardings = ["ddp", "zero1", "zero2", "zero3", "fsdp", "fsdp-grad-op"];
function isFsdp(sharding) {
  return sharding === "fsdp" || sharding === "fsdp-grad-op";
}
var logProbabilityStyles = ["trl", "llamafactory", "torchtune"];
var references = ["none", "adapters-off", "copy"];
var ASSUMED_OBJECTS = 50;
var MAX_BATCH = 1e6;
var trainingMethod = z2.discriminatedUnion("kind", [
  /** DPO, IPO, SimPO, CPO, ORPO: the chosen and the rejected response of a sample go through the model in one batch. */
  z2.object({
    kind: z2.literal("preference"),
    reference: z2.enum(references),
    logProbabilities: z2.enum(logProbabilityStyles),
    /** ORPO and CPO: an additional cross-entropy over the chosen responses. */
    withCrossEntropy: z2.boolean()
  }),
  /** KTO: one response per sample, plus another sample's, which goes through policy and reference without gradients. */
  z2.object({
    kind: z2.literal("kto"),
    reference: z2.enum(references),
    logProbabilities: z2.enum(logProbabilityStyles)
  }),
  /**
   * Reward models. `score`: a one-label classifier over the chosen and the rejected response. `value`: LLaMA-Factory's value head
   * next to the output layer, whose logits are computed and dropped. `steps`: a two-label score for every token.
   */
  z2.object({ kind: z2.literal("reward"), head: z2.enum(["score", "value", "steps"]) }),
  /**
   * torchtune's distillation: a frozen teacher from the catalogue processes the same batch, and the student learns its distribution
   * as well as the labels, from logits in `chunks`.
   */
  z2.object({
    kind: z2.literal("distillation"),
    teacher: z2.string().min(1).max(200),
    chunks: z2.number().int().min(1).max(1e3)
  }),
  /** LLaMA-Factory's ASFT: a frozen copy processes the same batch, and the divergence from it is added to a weighted cross-entropy. */
  z2.object({ kind: z2.literal("anchored") }),
  /** Axolotl's masked diffusion: with bidirectional attention, the masked tokens are predicted. */
  z2.object({ kind: z2.literal("denoising") }),
  /**
   * GRPO and its variants (GDPO, DAPO, GSPO, RLOO, EBFT): sequences end in the model's own completions, which are scored against
   * one another and learnt from.
   */
  z2.object({
    kind: z2.literal("answers"),
    /** `adapters-copy`: the same model with a frozen copy of the adapters, which TRL makes if it is given a model with adapters. */
    reference: z2.enum([...references, "adapters-copy"]),
    /** Tokens of the longest completion. */
    answerLength: z2.number().int().min(1).max(1e7),
    /** Completions that are generated and scored at a time on one GPU: those of all micro-batches until the next generation. */
    count: z2.number().int().min(1).max(MAX_BATCH),
    /** What generates them: a server that uses no memory here, vLLM in a share of this GPU, or transformers' `generate`. */
    generation: z2.discriminatedUnion("kind", [
      z2.object({ kind: z2.literal("server") }),
      z2.object({ kind: z2.literal("vllm"), share: z2.number().min(0).max(1), sleeps: z2.boolean() }),
      z2.object({ kind: z2.literal("transformers") })
    ]),
    /** Whether the logits are divided by the temperature in place, as in TRL 1.0 to 1.9, or in a copy, as in 1.13. */
    tempersInPlace: z2.boolean(),
    /** EBFT: whether the reference's hidden states score the completions. */
    comparesFeatures: z2.boolean()
  }),
  /**
   * EBFT's strided mode: short completions from many positions in a sequence, generated in one pass, are scored with the
   * reference's hidden states and learnt from.
   */
  z2.object({
    kind: z2.literal("strided"),
    reference: z2.enum(["adapters-off", "copy"]),
    /** Rollouts per sequence. */
    rollouts: z2.number().int().min(1).max(64),
    /** Tokens before the first position, between two positions, and in a completion. */
    context: z2.number().int().min(1).max(1e7),
    stride: z2.number().int().min(1).max(1e7),
    answerLength: z2.number().int().min(1).max(1e7),
    /** Whether the sequence's own tokens are learnt from too. */
    withCrossEntropy: z2.boolean()
  }),
  /** torchtune's GRPO and PPO: completions are generated and compared with a frozen copy's, then one pass over all their logits learns from them. */
  z2.object({
    kind: z2.literal("trajectories"),
    answerLength: z2.number().int().min(1).max(1e7),
    /** Completions per prompt, which together are one sample. */
    perPrompt: z2.number().int().min(1).max(1e4),
    /** Samples for which completions are generated at a time, and from which batches are cut. */
    generated: z2.number().int().min(1).max(MAX_BATCH),
    collected: z2.number().int().min(1).max(MAX_BATCH),
    /** PPO: a value model that is trained, and a reward model that is not, both as large as the policy. */
    withCritic: z2.boolean(),
    /** Whether the recipe accumulates gradients. */
    accumulates: z2.boolean()
  })
]);
var trainedPart = z2.object({
  /** Regular expressions: a parameter trains whose name in transformers one of them matches from its start. */
  names: z2.array(z2.string().refine((name) => parameterPattern(name) !== void 0, "not a pattern of parameter names")).min(1).max(200),
  /**
   * Whether gradients flow down to the embeddings' output even below the lowest trained parameter: transformers'
   * `enable_input_require_grads`, which its checkpointing turns on. If they do not, only blocks that train are checkpointed.
   */
  inputGradients: z2.boolean(),
  /** The trained blocks change from time to time, and the optimizer keeps the state of all that have been trained: LISA. */
  inTurns: z2.boolean().optional()
});
var zeroElements = z2.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
var batchSize = z2.number().int().min(1).max(MAX_BATCH);
var trainingSpec = z2.object({
  /** A Hub id or an alias of the model catalogue. */
  model: z2.string().min(1).max(200),
  task: z2.enum(tasks),
  framework: z2.enum(frameworks),
  step: z2.enum(stepProfiles),
  /** Samples on one GPU in one forward pass. */
  microBatch: batchSize,
  gradientAccumulation: batchSize,
  gpus: z2.number().int().min(1).max(1e5),
  /** Tokens of the longest sequence; absent for images. */
  sequenceLength: z2.number().int().min(1).max(1e7).optional(),
  /** Tokens of the longest target of a sequence-to-sequence model; as many as the source's when absent. */
  targetLength: z2.number().int().min(1).max(1e7).optional(),
  /** Pixels of the square image's side; absent for text. */
  imageSize: z2.number().int().min(1).max(1e5).optional(),
  /** Objects in the fullest image of a batch, for a detector; as many as are usual when absent. */
  objects: z2.number().int().min(1).max(1e5).optional(),
  /** Classes of a classification head. */
  labels: z2.number().int().min(1).max(1e6),
  precision: z2.enum(precisions),
  optimizer: z2.enum(optimizers),
  /** The optimizer applies and frees each gradient as soon as it is computed: torchtune's `optimizer_in_bwd`. */
  optimizerInBackward: z2.literal(true).optional(),
  attention: z2.enum(attentions),
  gradientCheckpointing: z2.boolean(),
  /** Low-rank adapters over frozen weights; absent for full fine-tuning. */
  lora: z2.object({
    rank: z2.number().int().min(1).max(1e4),
    /** Last names of the adapted linear modules (`q_proj`). */
    targets: z2.array(z2.string().max(100)).max(100),
    /** Last names of the experts' matrices with adapters, one matrix for all experts of a layer: peft's `target_parameters`. */
    parameters: z2.array(z2.string().max(100)).max(10).optional(),
    dropout: z2.number().min(0).max(1),
    /** Adapters in the weights' type, as torchtune holds them; in float32 where absent, as peft does. */
    inWeightsType: z2.literal(true).optional(),
    /** Last names of modules that are fully trained, in a copy next to the frozen original: peft's `modules_to_save`. */
    modulesToSave: z2.array(z2.string().max(100)).max(100).optional(),
    /** DoRA also learns the norm of every row of the adapted matrix; OFT rotates the layer's input in blocks of `rank` features. */
    form: z2.enum(["dora", "oft"]).optional()
  }).optional(),
  /** Images, for a model that attends to encoded images; absent for text only. */
  images: z2.object({
    /** Of one sample. */
    tiles: z2.number().int().min(1).max(1e3),
    /** Layers that gradient checkpointing covers: the decoder's (transformers), or all with self-attention (torchtune). */
    checkpointed: z2.enum(["decoder", "self-attention"])
  }).optional(),
  /** Whether the vision or audio towers are trained too, on images or audio among the tokens. */
  trainsTowers: z2.literal(true).optional(),
  /** Absent if everything trains. With `lora`: the modules that may have adapters. */
  trainable: trainedPart.optional(),
  /** Base weights of every linear layer but the output's. Only with `lora`. */
  quantization: z2.enum(quantizations).optional(),
  /**
   * Whether `quantization` also applies to the experts, whose matrices are not linear layers: Axolotl's `quantize_moe_experts`, with
   * transformers' way of running them and with Axolotl's own kernels alike.
   */
  quantizedExperts: z2.boolean().optional(),
  /** As transformers runs them where absent. */
  expertStyle: z2.enum(expertStyles).optional(),
  /**
   * Quantisation-aware training: linear layers round their input (to 8 bits, by token) and their weight (to 4 bits, in groups of
   * so many inputs) and go on in the type of the weights, as torchao does. With `lora`, the adapted layers alone.
   */
  fakeQuantization: z2.object({
    groupSize: z2.number().int().min(1).max(1e6),
    /** Both as 4-bit floats instead, which the products compute in and keep. */
    format: z2.enum(["nvfp4", "mxfp4"]).optional()
  }).optional(),
  /** Matrix products in 8-bit floats over weights in their own type (torchao's float8 training). */
  float8: z2.boolean().optional(),
  tensorParallel: z2.object({
    /** GPUs among which every layer's heads and inner features are divided, and the vocabulary of the output layer. */
    gpus: z2.number().int().min(2).max(1e3),
    /** torchtune's plans also divide the tokens of residuals and norms, and the vocabulary of the embedding. */
    dividesTokens: z2.boolean()
  }).optional(),
  /** GPUs among which the experts of a layer are divided. */
  expertParallel: z2.number().int().min(1).max(1e5).optional(),
  /** Only with several GPUs; DDP when absent. */
  sharding: z2.enum(shardings).optional(),
  /** DeepSpeed's own settings, in elements; where one is absent, what transformers puts for "auto", or DeepSpeed's default. */
  zero: z2.object({
    reduceBucket: zeroElements,
    prefetchBucket: zeroElements,
    persistenceThreshold: zeroElements,
    maxLiveParameters: zeroElements,
    maxReuseDistance: zeroElements,
    subGroup: zeroElements,
    overlapsCommunication: z2.boolean()
  }).partial().optional(),
  /** FSDP sums gradients across GPUs with every micro-batch; where absent, with the last, as accelerate's no_sync has it. */
  syncsEveryMicroBatch: z2.literal(true).optional(),
  /** What lives on the host instead of the GPU. */
  offload: z2.enum(["optimizer", "optimizer-and-weights"]).optional(),
  /** Liger's or another fused loss: logits are computed and consumed in chunks, and never held in full. */
  fusedLoss: z2.boolean().optional(),
  /** Absent for the model's own loss. */
  method: trainingMethod.optional(),
  /** False if training disables every dropout layer, as TRL does by default. */
  dropout: z2.boolean().optional(),
  /** Batches carry a padding mask. Fused attention then keeps a b·s² mask per layer. */
  paddedBatches: z2.boolean(),
  /**
   * Who runs the step. `plain`: `outputs = model(…); outputs.loss.backward()`, where the logits stay referenced during the
   * backward pass and decoders fill their key/value cache (`use_cache` is on by default). `trainer`: Hugging Face's Trainer,
   * which turns the cache off (`TrainingArguments.use_cache`) and whose `compute_loss` returns the loss alone. `ultralytics`:
   * Ultralytics' trainer, which holds a moving average of the weights and statistics beside them.
   */
  loop: z2.enum(loops)
});
function sequencesPerSample({ method }) {
  switch (method?.kind) {
    case "preference":
      return 2;
    case "reward":
      return method.head === "steps" ? 1 : 2;
    case "trajectories":
      return method.perPrompt;
    case "kto":
    case "distillation":
    case "anchored":
    case "denoising":
    case "answers":
    case "strided":
    case void 0:
      return 1;
  }
}
function batchBounds({ method }) {
  if (method?.kind === "answers") return { dividend: method.count, accumulates: true };
  return method?.kind === "trajectories" ? { dividend: method.collected, accumulates: method.accumulates } : void 0;
}
function modelCopies({ gpus: gpus2, tensorParallel }) {
  return Math.max(1, gpus2 / (tensorParallel?.gpus ?? 1));
}
function makesAnswers({ method }) {
  return method?.kind === "answers" || method?.kind === "strided" || method?.kind === "trajectories";
}
function accumulatesGradients(spec, { gradientAccumulation } = spec) {
  return spec.step === "training" && gradientAccumulation > 1;
}
function effectiveBatch(spec) {
  return spec.microBatch * spec.gradientAccumulation * modelCopies(spec);
}

// engine/models/architecture.ts
import * as z68 from "zod";

// engine/models/bert.ts
import * as z4 from "zod";

// engine/models/schema.ts
import * as z3 from "zod";
var size = z3.number().int().min(1).max(1e7);
var probability = z3.number().min(0).max(1);

// engine/models/bert.ts
var encoder = z4.object({
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
var bertConfig = encoder.extend({ model_type: z4.literal("bert") });
var robertaConfig = encoder.extend({
  model_type: z4.literal(["roberta", "xlm-roberta"]),
  vocab_size: size.default(50265)
});
var distilbertConfig = z4.object({
  model_type: z4.literal("distilbert"),
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
  return config.model_type !== "bert" ? robertaClassifier(ops, config, hidden, labels) : bertClassifier(ops, config, hidden, labels);
}
function encode(ops, config, tokens) {
  const { hidden_size: hidden, max_position_embeddings: positions } = config;
  ops.positionIds(positions);
  ops.positionIds(positions);
  const words2 = ops.embedding("embeddings.word_embeddings", ops.input, config.vocab_size, hidden);
  const types = ops.embedding("embeddings.token_type_embeddings", ops.input, config.type_vocab_size, hidden);
  const places = config.model_type !== "bert" ? ops.embedding("embeddings.position_embeddings", ops.input, positions, hidden) : ops.constantEmbedding("embeddings.position_embeddings", positions, hidden, tokens);
  const sum = ops.add(ops.add(words2, types), places);
  let x = ops.dropout(ops.layerNorm("embeddings.LayerNorm", sum), config.hidden_dropout_prob);
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
    const projected2 = ops.linear(`${name}.dense`, input, config.hidden_size);
    return ops.layerNorm(`${name}.LayerNorm`, ops.residual(ops.dropout(projected2, config.hidden_dropout_prob), skip2));
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
  const normalised2 = ops.layerNorm("cls.transform.LayerNorm", transformed);
  return ops.linear("cls.decoder", normalised2, config.vocab_size, { tiedTo: "embeddings.word_embeddings.weight" });
}
function distilbert(ops, config, tokens, task, labels) {
  const positions = config.max_position_embeddings;
  ops.positionIds(positions);
  const words2 = ops.embedding("embeddings.word_embeddings", ops.input, config.vocab_size, config.dim);
  const places = ops.constantEmbedding("embeddings.position_embeddings", positions, config.dim, tokens);
  let x = ops.dropout(ops.layerNorm("embeddings.LayerNorm", ops.add(words2, places)), config.dropout);
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
  const projected2 = ops.linear(`${name}.attention.out_lin`, context, config.dim);
  const attended = ops.layerNorm(`${name}.sa_layer_norm`, ops.residual(projected2, x));
  const widened = ops.gelu(ops.linear(`${name}.ffn.lin1`, attended, config.hidden_dim));
  const narrowed = ops.dropout(ops.linear(`${name}.ffn.lin2`, widened, config.dim), config.dropout);
  return ops.layerNorm(`${name}.output_layer_norm`, ops.residual(narrowed, attended));
}
function distilbertLanguageHead(ops, config, hidden) {
  const transformed = ops.gelu(ops.linear("vocab_transform", hidden, config.dim));
  const normalised2 = ops.layerNorm("vocab_layer_norm", transformed);
  return ops.linear("vocab_projector", normalised2, config.vocab_size, { tiedTo: "embeddings.word_embeddings.weight" });
}

// engine/models/decoders/blueprint.ts
import * as z5 from "zod";
var decoderFields = z5.object({
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
function beside(place, module) {
  return { ...place, name: `${place.name.slice(0, place.name.lastIndexOf("."))}.${module}` };
}
var preNorm = { beforeMixer: "input_layernorm", beforeFeeding: "post_attention_layernorm" };
function llamaBlueprint(fields2, parts) {
  return {
    vocabulary: fields2.vocab_size,
    hidden: fields2.hidden_size,
    layers: fields2.num_hidden_layers,
    isTied: fields2.tie_word_embeddings,
    norm: "rms",
    blockNorms: preNorm,
    rotarySize: headSizeOf(fields2),
    rotaryOf: () => 0,
    ...parts
  };
}
function headSizeOf(fields2) {
  return fields2.head_dim ?? fields2.hidden_size / fields2.num_attention_heads;
}
function decoderModel(ops, blueprint, task, labels) {
  const { root: root3 = "model", vocabulary, hidden, layers: layers2, scalesWords = false } = blueprint;
  blueprint.idle?.(ops);
  const words2 = ops.embedding(`${root3}.${blueprint.wordsName ?? "embed_tokens"}`, ops.input, vocabulary, hidden);
  const embedded2 = blueprint.scalesEmbedded ? ops.scale(ops.withInputGradients(words2)) : words2;
  let x = ops.dropout(scalesWords ? ops.scale(words2) : embedded2, blueprint.wordDropout ?? 0);
  const tables = [];
  for (let index = 0; index < layers2; index++) {
    const rotary = blueprint.rotaryOf(index);
    if (rotary !== void 0) tables[rotary] ??= ops.rotaryTable(x, blueprint.rotarySize, blueprint.positions);
  }
  for (let index = 0; index < layers2; index++) {
    const table3 = tables[blueprint.rotaryOf(index) ?? tables.length];
    x = ops.block(x, (input) => decoderLayer(ops, blueprint, { name: `${root3}.layers.${index}`, index, table: table3 }, input));
  }
  return outputLayer(ops, blueprint, x, task, labels);
}
function outputLayer(ops, blueprint, x, task, labels) {
  const { root: root3 = "model", wordsName = "embed_tokens", lastNormName = "norm", vocabulary, hidden } = blueprint;
  const output = normalised(ops, blueprint.norm, `${root3}.${lastNormName}`, hidden, x);
  if (task !== "causal-lm") return ops.lastToken(ops.linear("score", output, labels, { bias: false }));
  const tied5 = blueprint.isTied ? { tiedTo: `${root3}.${wordsName}.weight` } : {};
  const isQuantizable = blueprint.quantizesLogits ?? false;
  const logits = ops.linear("lm_head", output, vocabulary, { bias: false, isQuantizable, ...tied5 });
  switch (blueprint.logits ?? "plain") {
    case "plain":
      return logits;
    case "scaled":
      return ops.scale(logits);
    case "capped":
      return ops.softcap(logits);
    case "float32":
      return ops.float32(logits);
  }
}
function decoderLayer(ops, blueprint, place, x) {
  const { blockNorms, hidden, feedForwardName = "mlp", mixerName = () => "self_attn" } = blueprint;
  const norm4 = (part, states) => part === void 0 ? states : normalised(ops, blueprint.norm, `${place.name}.${part}`, hidden, states);
  const added = (result, skip2) => {
    const scaled = blueprint.scalesResults ? ops.scale(result) : result;
    return ops.residual(ops.dropout(scaled, blueprint.resultDropout ?? 0), skip2);
  };
  const within = (part) => ({ ...place, name: `${place.name}.${part}` });
  const before = norm4(blockNorms.beforeMixer, x);
  const mixed = ops.frame(before, (input) => blueprint.mixer(ops, within(mixerName(place.index)), input));
  const between = added(norm4(blockNorms.afterMixer, mixed), x);
  const { feedForward: feedForward9 } = blueprint;
  if (feedForward9 === void 0) return between;
  const forFeeding = blueprint.isParallel ? before : norm4(blockNorms.beforeFeeding, between);
  const fed = ops.frame(forFeeding, (input) => feedForward9(ops, within(feedForwardName), input));
  return added(norm4(blockNorms.afterFeeding, fed), between);
}
function normalised(ops, norm4, name, features, x) {
  switch (norm4) {
    case "layer":
      return ops.layerNorm(name, x);
    case "layer-lowered":
      return ops.layerNorm(name, x, { isLowered: true });
    case "layer-composed":
      return ops.composedLayerNorm(name, x);
    case "rms":
    case "rms-float32":
    case "rms-one-plus":
      return ops.rmsNorm(name, x, {
        size: features,
        scalesInFloat32: norm4 !== "rms",
        aroundOne: norm4 === "rms-one-plus"
      });
  }
}

// engine/models/decoders/falcon.ts
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
  const { hidden_size: hidden, num_attention_heads: heads2 } = config;
  let x = ops.embedding("transformer.word_embeddings", ops.input, config.vocab_size, hidden);
  const table3 = ops.rotaryTable(x, hidden / heads2);
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => layer(ops, config, `transformer.h.${index}`, table3, input));
  }
  const output = ops.layerNorm("transformer.ln_f", x);
  if (task !== "causal-lm") return ops.lastToken(ops.linear("score", output, labels, { bias: false }));
  const tied5 = config.tie_word_embeddings ? { tiedTo: "transformer.word_embeddings.weight" } : {};
  return ops.linear("lm_head", output, config.vocab_size, { bias: false, ...tied5 });
}
function layer(ops, config, name, table3, x) {
  const normsTwice = config.new_decoder_architecture && (config.num_ln_in_parallel_attn ?? 2) === 2;
  const normalised2 = ops.layerNorm(`${name}.${normsTwice ? "ln_attn" : "input_layernorm"}`, x);
  const forFeeding = normsTwice ? ops.layerNorm(`${name}.ln_mlp`, x) : normalised2;
  const attended = ops.frame(normalised2, (input) => attention(ops, config, `${name}.self_attention`, table3, input));
  const fed = ops.frame(forFeeding, (input) => feedForward(ops, config, `${name}.mlp`, input));
  return ops.residual(ops.dropout(ops.residual(fed, attended, { inPlace: true }), config.hidden_dropout), x);
}
function attention(ops, config, name, table3, x) {
  const { hidden_size: hidden, num_attention_heads: heads2 } = config;
  const [query, key2, value] = projections(ops, config, `${name}.query_key_value`, x);
  const keyValueHeads = config.new_decoder_architecture ? heads2 : 1;
  const context = ops.attention(
    ops.rotary(query, table3, heads2),
    ops.cached(ops.rotary(key2, table3, keyValueHeads)),
    ops.cached(value),
    { heads: heads2, keyValueHeads, causal: true, dropout: 0, isAlwaysMasked: true, broadcastsHeads: true }
  );
  return falconLinear(ops, config, `${name}.dense`, context, hidden);
}
function projections(ops, config, name, x) {
  const { hidden_size: hidden, num_attention_heads: heads2, new_decoder_architecture: isGrouped } = config;
  const headSize = hidden / heads2;
  const keyValueHeads = isGrouped ? config.num_kv_heads ?? heads2 : 1;
  const keySize = keyValueHeads * headSize;
  const joined = falconLinear(ops, config, name, x, hidden + 2 * keySize);
  const [query, key2, value] = ops.slices(joined, [hidden, keySize, keySize]);
  const gathered2 = [key2, value].map((part) => ops.gathered(part));
  if (!isGrouped) return [query, ...gathered2];
  const repeated = gathered2.map((part) => ops.repeatHeads(part, heads2 / keyValueHeads, keyValueHeads));
  return [ops.gathered(query), ...repeated];
}
function feedForward(ops, config, name, x) {
  const inner = config.ffn_hidden_size ?? 4 * config.hidden_size;
  const widened = ops.gelu(falconLinear(ops, config, `${name}.dense_h_to_4h`, x, inner));
  return falconLinear(ops, config, `${name}.dense_4h_to_h`, widened, config.hidden_size);
}

// engine/models/decoders/afmoe.ts
import * as z7 from "zod";

// engine/models/decoders/attention.ts
var unweighted = { scalesInFloat32: true, isUnweighted: true };
var headNorms = { over: "each-head", names: ["q_norm", "k_norm"] };
var allHeadsNorms = { over: "all-heads", names: ["q_norm", "k_norm"] };
function attentionOf(fields2, traits = {}) {
  const heads2 = fields2.num_attention_heads;
  const keyValueHeads = fields2.num_key_value_heads ?? heads2;
  const size2 = headSizeOf(fields2);
  return (ops, { name, index, table: table3 }, x) => {
    const [projected2, key2, value] = projections2(ops, fields2, traits, name, x);
    const keyStates = traits.scalesKey ? ops.scale(key2) : key2;
    const [query, gate] = gatedQuery(ops, traits, { name, x, projected: projected2, features: heads2 * size2 });
    const norm4 = (part, states) => {
      const { queryNorm } = traits;
      if (queryNorm === void 0) return states;
      const features = queryNorm.over === "each-head" ? size2 : size2 * (part === 0 ? heads2 : keyValueHeads);
      return normalised(ops, queryNorm.norm, `${name}.${queryNorm.names[part]}`, features, states);
    };
    const turned = (states, count2) => {
      const rotated = table3 === void 0 ? states : ops.rotary(states, table3, count2, traits.rotary);
      return traits.headLengths ? ops.rmsNorm(`${name}.qk_norm`, rotated, { size: size2, ...unweighted }) : rotated;
    };
    const placed = (part, states, count2) => traits.queryNorm?.isAfterRotation ? norm4(part, turned(states, count2)) : turned(norm4(part, states), count2);
    const q = placed(0, query, heads2);
    const k = placed(1, keyStates, keyValueHeads);
    const window = traits.slides?.(index) ?? false ? fields2.sliding_window ?? void 0 : void 0;
    const scaled = traits.scalesQuery ? ops.scale(q) : q;
    const context = ops.attention(scaled, ops.cached(k, window), ops.cached(value, window), {
      heads: heads2,
      keyValueHeads,
      causal: true,
      dropout: fields2.attention_dropout,
      window,
      castsSoftmax: traits.softmaxType !== "own",
      ...traits.hasSinks && { sinks: `${name}.sinks` }
    });
    const gated4 = gate === void 0 ? context : ops.multiply(context, ops.sigmoid(gate));
    const { outputName = "o_proj", outputBias: bias = false } = traits;
    const output = ops.linear(`${name}.${outputName}`, gated4, fields2.hidden_size, { bias });
    return ops.dropout(output, traits.outputDropout ?? 0);
  };
}
function gatedQuery(ops, { isGated, gateName }, { name, x, projected: projected2, features }) {
  if (gateName !== void 0) return [projected2, ops.linear(`${name}.${gateName}`, x, features, { bias: false })];
  if (!isGated) return [projected2, void 0];
  const [query, gate] = ops.split(projected2, [features, features]);
  return [query, ops.gathered(gate)];
}
function projections2(ops, fields2, traits, name, x) {
  const size2 = headSizeOf(fields2);
  const querySize = fields2.num_attention_heads * size2;
  const keySize = (fields2.num_key_value_heads ?? fields2.num_attention_heads) * size2;
  if (traits.joinsProjections) {
    const joined = ops.linear(`${name}.qkv_proj`, x, querySize + 2 * keySize, { bias: false });
    return ops.slices(joined, [querySize, keySize, keySize]);
  }
  const project = (part, features) => ops.linear(`${name}.${part}`, x, features, { bias: traits.queryBias ?? false });
  return [
    project("q_proj", traits.isGated ? 2 * querySize : querySize),
    project("k_proj", keySize),
    project("v_proj", keySize)
  ];
}

// engine/models/decoders/feed-forward.ts
function gatedFeedForward({ hidden, inner, bias = false, activation = "silu", dropout = 0 }, names = ["gate_proj", "up_proj", "down_proj"]) {
  return (ops, { name }, x) => {
    const gate = ops.linear(`${name}.${names[0]}`, x, inner, { bias });
    const activated = activate(ops, activation, gate);
    const product = ops.multiply(activated, ops.linear(`${name}.${names[1]}`, x, inner, { bias }));
    return ops.dropout(ops.linear(`${name}.${names[2]}`, product, hidden, { bias }), dropout);
  };
}
function joinedFeedForward({ hidden, inner, bias = false, activation = "silu" }, names = ["gate_up_proj", "down_proj"]) {
  return (ops, { name }, x) => {
    const joined = ops.linear(`${name}.${names[0]}`, x, 2 * inner, { bias });
    const [gate, up] = ops.split(joined, [inner, inner]);
    return ops.linear(`${name}.${names[1]}`, ops.multiply(up, activate(ops, activation, gate)), hidden, { bias });
  };
}
function plainFeedForward({ hidden, inner, bias = false, activation = "gelu", dropout = 0 }, names = ["up_proj", "down_proj"]) {
  return (ops, { name }, x) => {
    const widened = activate(ops, activation, ops.linear(`${name}.${names[0]}`, x, inner, { bias }));
    return ops.dropout(ops.linear(`${name}.${names[1]}`, widened, hidden, { bias }), dropout);
  };
}
function activate(ops, activation, x) {
  switch (activation) {
    case "silu":
      return ops.silu(x);
    case "gelu":
      return ops.gelu(x);
    case "relu-squared":
      return ops.square(ops.relu(x));
  }
}

// engine/models/decoders/experts.ts
function sparseFeedForward({ router, experts: experts4, routerName = "gate", gate = gateBy("silu") }) {
  return (ops, { name }, x) => {
    const routed = ops.routed(`${name}.${routerName}`, x, router);
    return ops.frame(
      x,
      (input) => ops.experts(`${name}.experts`, input, routed, experts4, (joined) => gate(ops, joined, experts4.inner))
    );
  };
}
function withSharedExperts(sparse, hidden, shared2) {
  const feedForward9 = gatedFeedForward({ hidden, inner: shared2.inner });
  return (ops, place, x) => {
    const { gateName } = shared2;
    const within = { ...place, name: `${place.name}.${shared2.name}` };
    const always = () => ops.frame(x, (input) => feedForward9(ops, within, input));
    if (gateName === void 0) {
      const chosen2 = sparse(ops, place, x);
      return ops.residual(chosen2, always());
    }
    const common = always();
    const chosen = sparse(ops, place, x);
    const score = ops.sigmoid(ops.linear(`${place.name}.${gateName}`, x, 1, { bias: false }));
    return ops.residual(chosen, ops.multiply(score, common));
  };
}
function gateBy(activation) {
  return (ops, joined, inner) => {
    const [gate, up] = ops.split(joined, [inner, inner]);
    return ops.multiply(activate(ops, activation, gate), up);
  };
}

// engine/models/decoders/afmoe.ts
var afmoeConfig = decoderFields.extend({
  model_type: z7.literal("afmoe"),
  attention_bias: z7.boolean().default(false),
  head_dim: size.default(128),
  layer_types: z7.array(z7.string()).nullish(),
  global_attn_every_n_layers: size.default(4),
  sliding_window: size.nullish().default(1024),
  mup_enabled: z7.boolean().default(false),
  num_experts: size.default(64),
  num_experts_per_tok: size.default(6),
  num_shared_experts: size.default(2),
  moe_intermediate_size: size.default(1408),
  /** Layers at the start that have one feed-forward of their own. */
  num_dense_layers: z7.number().int().min(0).max(1e3).default(1)
});
function afmoe(config) {
  const { layer_types: types, global_attn_every_n_layers: interval, attention_bias: bias } = config;
  const slides = (index) => types ? types[index] === "sliding_attention" : (index + 1) % interval !== 0;
  const mixer = attentionOf(config, {
    queryBias: bias,
    outputBias: bias,
    queryNorm: { norm: "rms-float32", ...headNorms },
    gateName: "gate_proj",
    slides
  });
  const dense = gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size });
  const sparse = sparseLayer(config);
  return {
    ...llamaBlueprint(config, {
      mixer,
      feedForward: (ops, place, x) => (place.index < config.num_dense_layers ? dense : sparse)(ops, place, x)
    }),
    norm: "rms-float32",
    blockNorms: {
      beforeMixer: "input_layernorm",
      afterMixer: "post_attention_layernorm",
      beforeFeeding: "pre_mlp_layernorm",
      afterFeeding: "post_mlp_layernorm"
    },
    rotaryOf: (index) => slides(index) ? 0 : void 0,
    scalesWords: config.mup_enabled
  };
}
function sparseLayer(config) {
  const { num_experts: count2, num_experts_per_tok: perToken, moe_intermediate_size: inner } = config;
  const chosen = sparseFeedForward({
    router: { count: count2, perToken, scoring: "sigmoid", weightsInFloat32: true, linear: "gate" },
    experts: { count: count2, inner },
    routerName: "router"
  });
  const shared2 = { name: "shared_experts", inner: inner * config.num_shared_experts };
  const both = withSharedExperts(chosen, config.hidden_size, shared2);
  return (ops, place, x) => {
    ops.idle(count2, (bias) => ops.layerScale(`${place.name}.expert_bias`, bias));
    return both(ops, place, x);
  };
}

// engine/models/decoders/apertus.ts
import * as z8 from "zod";
var apertusConfig = decoderFields.extend({
  model_type: z8.literal("apertus"),
  attention_bias: z8.boolean().default(false)
});
function apertus(config) {
  const { hidden_size: hidden, intermediate_size: inner, attention_bias: bias } = config;
  const queryNorm = { norm: "rms", ...headNorms };
  return {
    ...llamaBlueprint(config, {
      mixer: attentionOf(config, { queryBias: bias, outputBias: bias, queryNorm }),
      feedForward: feedForward2(hidden, inner)
    }),
    blockNorms: { beforeMixer: "attention_layernorm", beforeFeeding: "feedforward_layernorm" }
  };
}
function feedForward2(hidden, inner) {
  return (ops, { name }, x) => {
    const widened = ops.xielu(`${name}.act_fn`, ops.linear(`${name}.up_proj`, x, inner, { bias: false }));
    return ops.linear(`${name}.down_proj`, widened, hidden, { bias: false });
  };
}

// engine/models/decoders/cohere.ts
import * as z9 from "zod";
var shared = { tie_word_embeddings: z9.boolean().default(true), attention_bias: z9.boolean().default(false) };
var cohereConfig = decoderFields.extend({
  model_type: z9.literal("cohere"),
  ...shared,
  use_qk_norm: z9.literal(false, { error: "Cohere with norms of query and key is not supported" }).default(false)
});
var cohere2Config = decoderFields.extend({
  model_type: z9.literal("cohere2"),
  ...shared,
  sliding_window: size.nullish().default(4096),
  layer_types: z9.array(z9.string()).nullish()
});
function cohere(config, traits = {}) {
  const { hidden_size: hidden, intermediate_size: inner, attention_bias: bias } = config;
  return {
    ...llamaBlueprint(config, {
      mixer: attentionOf(config, { queryBias: bias, outputBias: bias, rotary: { inFloat32: true }, ...traits }),
      feedForward: gatedFeedForward({ hidden, inner })
    }),
    norm: "layer-composed",
    blockNorms: { beforeMixer: "input_layernorm" },
    isParallel: true,
    logits: "scaled"
  };
}
function cohere2(config) {
  const { layer_types: types } = config;
  const slides = (index) => types ? types[index] === "sliding_attention" : (index + 1) % 4 !== 0;
  return { ...cohere(config, { slides }), rotaryOf: (index) => slides(index) ? 0 : void 0 };
}

// engine/models/decoders/deepseek.ts
import * as z11 from "zod";

// engine/models/decoders/latent-attention.ts
import * as z10 from "zod";
var latentFields = {
  q_lora_rank: size.nullish(),
  kv_lora_rank: size,
  qk_nope_head_dim: size,
  qk_rope_head_dim: size,
  v_head_dim: size,
  attention_bias: z10.boolean().default(false)
};
function latentAttention(config, { rotary = {}, scalesQuery = false, indexer } = {}) {
  const { num_attention_heads: heads2, kv_lora_rank: rank, attention_bias: bias } = config;
  const { qk_nope_head_dim: resting, qk_rope_head_dim: turning, v_head_dim: valueSize } = config;
  return (ops, { name, table: table3, index }, x) => {
    const linear2 = (part, states, features, options = { bias: false }) => ops.linear(`${name}.${part}`, states, features, options);
    const norm4 = (part, features, states) => normalised(ops, "rms", `${name}.${part}`, features, states);
    const queryOf = (narrowRank) => {
      const narrow = norm4("q_a_layernorm", narrowRank, linear2("q_a_proj", x, narrowRank, { bias }));
      return linear2("q_b_proj", narrow, heads2 * (resting + turning));
    };
    const turn = (states, count2) => table3 ? ops.rotary(states, table3, count2, rotary) : states;
    const query = config.q_lora_rank ? queryOf(config.q_lora_rank) : linear2("q_proj", x, heads2 * (resting + turning));
    const compressed = linear2("kv_a_proj_with_mqa", x, rank + turning, { bias });
    const [latent2, sharedKey] = ops.split(compressed, [rank, turning]);
    const keyValue = norm4("kv_a_layernorm", rank, latent2);
    const turnedKey = ops.cached(turn(sharedKey, 1));
    const turned = () => {
      const [own, turns] = ops.split(query, [heads2 * resting, heads2 * turning]);
      return ops.headsJoined(own, turn(turns, heads2));
    };
    const q = table3 ? turned() : query;
    const expanded = linear2("kv_b_proj", ops.cached(keyValue), heads2 * (resting + valueSize));
    const [ownKey, value] = ops.split(expanded, [heads2 * resting, heads2 * valueSize]);
    const k = ops.headsJoined(ownKey, turnedKey, heads2);
    if (indexer?.isIn(index)) ops.chooseKeys(`${name}.indexer`, x, indexer.shape);
    const context = ops.attention(scalesQuery ? ops.scale(q) : q, k, value, {
      heads: heads2,
      causal: true,
      dropout: config.attention_dropout,
      castsSoftmax: true,
      ...indexer && { isAlwaysMasked: true }
    });
    return linear2("o_proj", context, config.hidden_size, { bias });
  };
}

// engine/models/decoders/deepseek.ts
var sparseFields = {
  n_routed_experts: size,
  n_shared_experts: size.default(1),
  num_experts_per_tok: size,
  moe_intermediate_size: size,
  /** Layers at the start that have one feed-forward of their own. */
  first_k_dense_replace: z11.number().int().min(0).max(1e3).default(1)
};
var deepseekV2Config = decoderFields.extend({
  model_type: z11.literal("deepseek_v2"),
  ...latentFields,
  ...sparseFields
});
var deepseekV3Config = decoderFields.extend({
  model_type: z11.literal("deepseek_v3"),
  ...latentFields,
  ...sparseFields
});
var deepseekV32Config = decoderFields.extend({
  model_type: z11.literal("deepseek_v32"),
  ...latentFields,
  ...sparseFields,
  q_lora_rank: size.default(1536),
  first_k_dense_replace: sparseFields.first_k_dense_replace.default(3),
  index_n_heads: size.default(64),
  index_head_dim: size.default(128)
});
var glmMoeDsaConfig = deepseekV32Config.extend({
  model_type: z11.literal("glm_moe_dsa"),
  q_lora_rank: size.default(2048),
  index_n_heads: size.default(32),
  /** `shared` layers see the keys that the last `full` one chose. */
  indexer_types: z11.array(z11.enum(["full", "shared"])).max(1e3).nullish(),
  index_topk_pattern: z11.string().regex(/^[FS]*$/).max(1e3).nullish(),
  index_topk_freq: z11.number().int().min(0).max(1e3).default(1),
  index_skip_topk_offset: z11.number().int().min(0).max(1e3).default(2)
});
var glm4MoeLiteConfig = decoderFields.extend({
  model_type: z11.literal("glm4_moe_lite"),
  ...latentFields,
  ...sparseFields
});
var mistral4Config = decoderFields.extend({
  model_type: z11.literal("mistral4"),
  ...latentFields,
  ...sparseFields,
  first_k_dense_replace: sparseFields.first_k_dense_replace.default(0)
});
var glm4MoeConfig = decoderFields.extend({
  model_type: z11.literal("glm4_moe"),
  ...sparseFields,
  attention_bias: z11.boolean().default(false),
  use_qk_norm: z11.boolean().default(false),
  partial_rotary_factor: z11.number().min(0).max(1).default(0.5)
});
function deepseek(config) {
  const isV2 = config.model_type === "deepseek_v2";
  const mixer = latentAttention(config, { rotary: { inFloat32: isV2 } });
  return {
    ...llamaBlueprint(config, { mixer, feedForward: sparseAfterDense(config, isV2 ? softmaxRouter : sigmoidRouter) }),
    rotarySize: config.qk_rope_head_dim
  };
}
function deepseekV32(config) {
  const shape = { heads: config.index_n_heads, size: config.index_head_dim, queryRank: config.q_lora_rank };
  const isIn = config.model_type === "glm_moe_dsa" ? indexedLayers(config) : () => true;
  const mixer = latentAttention(config, { indexer: { shape, isIn } });
  return {
    ...llamaBlueprint(config, { mixer, feedForward: sparseAfterDense(config, sigmoidRouter) }),
    rotarySize: config.qk_rope_head_dim
  };
}
function indexedLayers(config) {
  const { indexer_types: types, index_topk_pattern: pattern, index_skip_topk_offset: offset2 } = config;
  const every = Math.max(config.index_topk_freq, 1);
  if (types) return (layer6) => types[layer6] === "full";
  if (pattern) return (layer6) => pattern[layer6] === "F";
  return (layer6) => Math.max(layer6 - offset2 + 1, 0) % every === 0;
}
function mistral4(config) {
  const mixer = latentAttention(config, { scalesQuery: true });
  return {
    ...llamaBlueprint(config, { mixer, feedForward: sparseAfterDense(config, { scoring: "softmax" }) }),
    rotarySize: config.qk_rope_head_dim
  };
}
function glm4Moe(config) {
  const mixer = attentionOf(config, {
    queryBias: config.attention_bias,
    ...config.use_qk_norm && { queryNorm: { norm: "rms", ...headNorms } }
  });
  return {
    ...llamaBlueprint(config, { mixer, feedForward: sparseAfterDense(config, sigmoidRouter) }),
    rotarySize: Math.floor(headSizeOf(config) * config.partial_rotary_factor)
  };
}
var sigmoidRouter = { scoring: "sigmoid", inFloat32: true, weightsInFloat32: true };
var softmaxRouter = { ...sigmoidRouter, scoring: "softmax" };
function sparseAfterDense(config, routing) {
  const { n_routed_experts: count2, num_experts_per_tok: perToken, moe_intermediate_size: inner } = config;
  const dense = gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size });
  const router = { count: count2, perToken, ...routing };
  const shared2 = { name: "shared_experts", inner: inner * config.n_shared_experts };
  const sparse = withSharedExperts(sparseFeedForward({ router, experts: { count: count2, inner } }), config.hidden_size, shared2);
  return (ops, place, x) => (place.index < config.first_k_dense_replace ? dense : sparse)(ops, place, x);
}

// engine/models/decoders/ernie.ts
import * as z12 from "zod";
var ernieConfig = decoderFields.extend({
  model_type: z12.literal("ernie4_5"),
  tie_word_embeddings: z12.boolean().default(true),
  use_bias: z12.boolean().default(false)
});
function ernie(config) {
  const { hidden_size: hidden, intermediate_size: inner, use_bias: bias } = config;
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias: bias, outputBias: bias, rotary: { inFloat32: true } }),
    feedForward: gatedFeedForward({ hidden, inner, bias })
  });
}

// engine/models/decoders/falcon-h1.ts
import * as z14 from "zod";

// engine/models/decoders/mamba2.ts
import * as z13 from "zod";
var mamba2Fields = {
  mamba_n_heads: size.default(128),
  mamba_d_head: z13.union([size, z13.literal("auto")]).default("auto"),
  mamba_d_state: size.default(256),
  mamba_d_conv: size.default(4),
  mamba_n_groups: size.default(1),
  mamba_expand: size.default(2),
  mamba_chunk_size: size.default(256),
  mamba_conv_bias: z13.boolean().default(true),
  mamba_proj_bias: z13.boolean().default(false)
};
function mamba2ShapeOf(config, inner) {
  return {
    heads: config.mamba_n_heads,
    headSize: config.mamba_d_head === "auto" ? inner / config.mamba_n_heads : config.mamba_d_head,
    stateSize: config.mamba_d_state,
    groups: config.mamba_n_groups,
    chunkTokens: config.mamba_chunk_size,
    kernel: config.mamba_d_conv,
    convolutionBias: config.mamba_conv_bias,
    outFeatures: config.hidden_size
  };
}
function mamba2Of(shape, { inputBias, isScaled = false }) {
  const inner = shape.heads * shape.headSize;
  const width = 2 * inner + 2 * shape.groups * shape.stateSize + shape.heads;
  return (ops, { name }, x) => {
    const projected2 = ops.linear(`${name}.in_proj`, isScaled ? ops.scale(x) : x, width, { bias: inputBias });
    const states = isScaled ? ops.multiply(projected2, ops.constant(`${name}.mup_vector`, width)) : projected2;
    return ops.mamba2(name, states, shape);
  };
}

// engine/models/decoders/falcon-h1.ts
var falconH1Config = decoderFields.extend({
  model_type: z14.literal("falcon_h1"),
  ...mamba2Fields,
  /** Features of all heads of Mamba; null for `mamba_expand` times the width. */
  mamba_d_ssm: size.nullable().default(1024),
  mamba_rms_norm: z14.boolean().default(false),
  projectors_bias: z14.boolean().default(false),
  attention_bias: z14.boolean().default(false),
  mlp_bias: z14.boolean().default(false)
});
function falconH1(config) {
  return {
    ...llamaBlueprint(config, {
      mixer: sideBySide(mamba(config), attention2(config)),
      feedForward: scaledFeedForward(config)
    }),
    blockNorms: { beforeMixer: "input_layernorm", beforeFeeding: "pre_ff_layernorm" },
    feedForwardName: "feed_forward",
    lastNormName: "final_layernorm",
    scalesEmbedded: true,
    logits: "scaled",
    // Axolotl loaders/model.py: what is named to be left alone, Mamba's output projections, stands for what otherwise is.
    quantizesLogits: true
  };
}
function mamba(config) {
  const shape = {
    ...mamba2ShapeOf(config, config.mamba_d_ssm ?? config.mamba_expand * config.hidden_size),
    ...config.mamba_rms_norm && { norm: "weighted-in-float32" },
    outputBias: config.projectors_bias
  };
  return mamba2Of(shape, { inputBias: config.mamba_proj_bias, isScaled: true });
}
function attention2(config) {
  const bias = config.attention_bias;
  return attentionOf(config, { queryBias: bias, outputBias: bias, scalesKey: true });
}
function sideBySide(mamba3, attention8) {
  return (ops, place, x) => {
    const scanned = ops.scale(ops.frame(x, (input) => mamba3(ops, beside(place, "mamba"), input)));
    const attended = ops.scale(ops.frame(ops.scale(x), (input) => attention8(ops, place, input)));
    return ops.residual(scanned, attended);
  };
}
function scaledFeedForward({ hidden_size: hidden, intermediate_size: inner, mlp_bias: bias }) {
  return (ops, { name }, x) => {
    const up = ops.linear(`${name}.up_proj`, x, inner, { bias });
    const gate = ops.silu(ops.scale(ops.linear(`${name}.gate_proj`, x, inner, { bias })));
    return ops.scale(ops.linear(`${name}.down_proj`, ops.multiply(up, gate), hidden, { bias }));
  };
}

// engine/models/decoders/gemma.ts
import * as z15 from "zod";
var tied = { tie_word_embeddings: z15.boolean().default(true) };
var gemmaConfig = decoderFields.extend({ model_type: z15.literal("gemma"), ...tied });
var gemma2Config = decoderFields.extend({
  model_type: z15.literal("gemma2"),
  ...tied,
  final_logit_softcapping: z15.number().nullish().default(30)
});
var gemma3Config = decoderFields.extend({
  model_type: z15.literal("gemma3_text"),
  ...tied,
  sliding_window_pattern: size.default(6)
});
var normsAround = {
  beforeMixer: "input_layernorm",
  afterMixer: "post_attention_layernorm",
  beforeFeeding: "pre_feedforward_layernorm",
  afterFeeding: "post_feedforward_layernorm"
};
var feedForward3 = (config) => gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size, activation: "gelu" });
function gemma(config) {
  const parts = { mixer: attentionOf(config), feedForward: feedForward3(config) };
  return { ...llamaBlueprint(config, parts), norm: "rms-one-plus", scalesWords: true };
}
function gemma2(config) {
  const mixer = attentionOf(config, { slides: (index) => index % 2 === 0 });
  return {
    ...llamaBlueprint(config, { mixer, feedForward: feedForward3(config) }),
    norm: "rms-one-plus",
    scalesWords: true,
    blockNorms: normsAround,
    ...config.final_logit_softcapping && { logits: "capped" }
  };
}
function gemma3(config) {
  const slides = (index) => (index + 1) % config.sliding_window_pattern !== 0;
  const mixer = attentionOf(config, { slides, queryNorm: { norm: "rms-one-plus", ...headNorms } });
  return {
    ...llamaBlueprint(config, { mixer, feedForward: feedForward3(config) }),
    norm: "rms-one-plus",
    scalesWords: true,
    blockNorms: normsAround,
    rotaryOf: (index) => slides(index) ? 1 : 0
  };
}

// engine/models/decoders/glm.ts
import * as z18 from "zod";

// engine/models/vision/glm-vision.ts
import * as z17 from "zod";

// engine/models/vision/towers.ts
import * as z16 from "zod";
var channels = z16.number().int().min(1).max(16).default(3);
var siglipConfig = z16.object({
  hidden_size: size.default(768),
  intermediate_size: size.default(3072),
  num_hidden_layers: size.default(12),
  num_channels: channels,
  image_size: size.default(224),
  patch_size: size.default(16),
  vision_use_head: z16.boolean().default(true)
});
var pixtralConfig = z16.object({
  hidden_size: size.default(1024),
  intermediate_size: size.default(4096),
  num_hidden_layers: size.default(24),
  num_channels: channels,
  patch_size: size.default(16)
});
var qwenVision = {
  depth: size,
  in_channels: channels,
  patch_size: size,
  spatial_merge_size: size.default(2),
  temporal_patch_size: size.default(2)
};
var qwen2VisionConfig = z16.object({
  ...qwenVision,
  depth: size.default(32),
  embed_dim: size.default(1280),
  hidden_size: size.default(3584),
  mlp_ratio: z16.number().min(0.1).max(100).default(4),
  patch_size: size.default(14)
});
var qwen25VisionConfig = z16.object({
  ...qwenVision,
  depth: size.default(32),
  hidden_size: size.default(3584),
  intermediate_size: size.default(3420),
  out_hidden_size: size.default(3584),
  patch_size: size.default(14)
});
var qwen3VisionConfig = z16.object({
  ...qwenVision,
  depth: size.default(27),
  hidden_size: size.default(1152),
  intermediate_size: size.default(4304),
  out_hidden_size: size.default(3584),
  patch_size: size.default(16),
  num_position_embeddings: size.default(2304),
  deepstack_visual_indexes: z16.array(z16.number()).default([8, 16, 24])
});
function siglip(ops, root3, config) {
  const { hidden_size: hidden, intermediate_size: inner, patch_size: patch } = config;
  const perceptron3 = [["mlp.fc1", hidden, inner], ["mlp.fc2", inner, hidden]];
  const projections3 = ["q_proj", "k_proj", "v_proj", "out_proj"].map(
    (part) => [`self_attn.${part}`, hidden, hidden]
  );
  patches(ops, `${root3}.embeddings.patch_embedding`, hidden, config.num_channels * patch ** 2, { bias: true });
  table(ops, `${root3}.embeddings.position_embedding`, Math.floor(config.image_size / patch) ** 2, hidden);
  tower(ops, `${root3}.encoder.layers`, config.num_hidden_layers, hidden, {
    norms: ["layer_norm1", "layer_norm2"],
    normKind: "layer",
    linears: [...projections3, ...perceptron3],
    bias: true
  });
  ops.idle(hidden, (x) => ops.layerNorm(`${root3}.post_layernorm`, x));
  if (!config.vision_use_head) return;
  const head2 = `${root3}.head`;
  table(ops, `${head2}.probe`, 1, hidden);
  table(ops, `${head2}.attention.in_proj`, 3 * hidden, hidden + 1);
  tower(ops, head2, 1, hidden, {
    norms: ["layernorm"],
    normKind: "layer",
    linears: [["attention.out_proj", hidden, hidden], ...perceptron3],
    bias: true
  });
}
function pixtral(ops, root3, config) {
  const { hidden_size: hidden, intermediate_size: inner, patch_size: patch } = config;
  const projections3 = ["q_proj", "k_proj", "v_proj", "o_proj"].map(
    (part) => [`attention.${part}`, hidden, hidden]
  );
  patches(ops, `${root3}.patch_conv`, hidden, config.num_channels * patch ** 2);
  idleRmsNorm(ops, `${root3}.ln_pre`, hidden);
  tower(ops, `${root3}.transformer.layers`, config.num_hidden_layers, hidden, {
    norms: ["attention_norm", "ffn_norm"],
    normKind: "rms",
    linears: [
      ...projections3,
      ["feed_forward.gate_proj", hidden, inner],
      ["feed_forward.up_proj", hidden, inner],
      ["feed_forward.down_proj", inner, hidden]
    ],
    bias: false
  });
}
function qwen2Vision(ops, root3, config) {
  const { embed_dim: hidden, hidden_size: outside, mlp_ratio: ratio } = config;
  patches(ops, `${root3}.patch_embed.proj`, hidden, voxels(config));
  tower(ops, `${root3}.blocks`, config.depth, hidden, {
    norms: ["norm1", "norm2"],
    normKind: "layer",
    linears: [
      ...joinedAttention(hidden),
      ["mlp.fc1", hidden, Math.floor(hidden * ratio)],
      ["mlp.fc2", Math.floor(hidden * ratio), hidden]
    ],
    bias: true
  });
  ops.idle(hidden, (x) => ops.layerNorm(`${root3}.merger.ln_q`, x));
  merger(ops, `${root3}.merger.mlp`, ["0", "2"], hidden * config.spatial_merge_size ** 2, outside);
}
function qwen25Vision(ops, root3, config) {
  const { hidden_size: hidden, intermediate_size: inner } = config;
  patches(ops, `${root3}.patch_embed.proj`, hidden, voxels(config));
  tower(ops, `${root3}.blocks`, config.depth, hidden, {
    norms: ["norm1", "norm2"],
    normKind: "rms",
    linears: [
      ...joinedAttention(hidden),
      ["mlp.gate_proj", hidden, inner],
      ["mlp.up_proj", hidden, inner],
      ["mlp.down_proj", inner, hidden]
    ],
    bias: true
  });
  idleRmsNorm(ops, `${root3}.merger.ln_q`, hidden);
  merger(ops, `${root3}.merger.mlp`, ["0", "2"], hidden * config.spatial_merge_size ** 2, config.out_hidden_size);
}
function qwen3Vision(ops, root3, config) {
  const { hidden_size: hidden, out_hidden_size: outside } = config;
  const merged = hidden * config.spatial_merge_size ** 2;
  qwen3Blocks(ops, root3, config);
  const names = ["linear_fc1", "linear_fc2"];
  ops.idle(hidden, (x) => ops.layerNorm(`${root3}.merger.norm`, x));
  merger(ops, `${root3}.merger`, names, merged, outside);
  for (const index of config.deepstack_visual_indexes.keys()) {
    const name = `${root3}.deepstack_merger_list.${index}`;
    ops.idle(merged, (x) => ops.layerNorm(`${name}.norm`, x));
    merger(ops, name, names, merged, outside);
  }
}
function qwen3Blocks(ops, root3, config) {
  const { hidden_size: hidden, intermediate_size: inner } = config;
  patches(ops, `${root3}.patch_embed.proj`, hidden, voxels(config), { bias: true });
  table(ops, `${root3}.pos_embed`, config.num_position_embeddings, hidden);
  tower(ops, `${root3}.blocks`, config.depth, hidden, {
    norms: ["norm1", "norm2"],
    normKind: "layer",
    linears: [...joinedAttention(hidden), ["mlp.linear_fc1", hidden, inner], ["mlp.linear_fc2", inner, hidden]],
    bias: true
  });
}
var joinedAttention = (hidden) => [
  ["attn.qkv", hidden, 3 * hidden],
  ["attn.proj", hidden, hidden]
];
var voxels = (config) => config.in_channels * config.temporal_patch_size * config.patch_size ** 2;
function tower(ops, root3, layers2, hidden, layer6) {
  for (let index = 0; index < layers2; index++) {
    const name = `${root3}.${index}`;
    for (const norm4 of layer6.norms) {
      if (layer6.normKind === "rms") idleRmsNorm(ops, `${name}.${norm4}`, hidden);
      else ops.idle(hidden, (x) => ops.layerNorm(`${name}.${norm4}`, x));
    }
    for (const [part, from, to, hasBias = layer6.bias] of layer6.linears) {
      idleLinear(ops, `${name}.${part}`, from, to, hasBias);
    }
  }
}
function merger(ops, name, parts, merged, outside) {
  idleLinear(ops, `${name}.${parts[0]}`, merged, merged, true);
  idleLinear(ops, `${name}.${parts[1]}`, merged, outside, true);
}
function patches(ops, name, hidden, features, { bias = false } = {}) {
  table(ops, name, hidden, features);
  if (bias) ops.idle(hidden, (x) => ops.layerScale(`${name}.bias`, x));
}
function table(ops, name, count2, features) {
  ops.idle(features, () => ops.constantEmbedding(name, count2, features, 1));
}
function idleLinear(ops, name, from, to, bias) {
  ops.idle(from, (x) => ops.linear(name, x, to, { bias }));
}
function idleRmsNorm(ops, name, features) {
  ops.idle(features, (x) => ops.rmsNorm(name, x, { size: features, scalesInFloat32: false }));
}

// engine/models/vision/glm-vision.ts
var glmVisionConfig = z17.object({
  depth: size.default(24),
  hidden_size: size.default(1536),
  out_hidden_size: size.default(4096),
  intermediate_size: size.default(13696),
  attention_bias: z17.boolean().default(false),
  in_channels: channels,
  image_size: size.default(336),
  patch_size: size.default(14),
  spatial_merge_size: size.default(2),
  temporal_patch_size: size.default(2)
});
function glmVision(ops, root3, config) {
  const { hidden_size: hidden, out_hidden_size: outside, intermediate_size: inner } = config;
  table(ops, `${root3}.embeddings.position_embedding`, Math.floor(config.image_size / config.patch_size) ** 2, hidden);
  patches(ops, `${root3}.patch_embed.proj`, hidden, voxels(config), { bias: true });
  tower(ops, `${root3}.blocks`, config.depth, hidden, {
    norms: ["norm1", "norm2"],
    normKind: "rms",
    linears: [
      ["attn.qkv", hidden, 3 * hidden, config.attention_bias],
      ["attn.proj", hidden, hidden],
      ["mlp.gate_proj", hidden, outside],
      ["mlp.up_proj", hidden, outside],
      ["mlp.down_proj", outside, hidden]
    ],
    bias: false
  });
  idleRmsNorm(ops, `${root3}.post_conv_layernorm`, hidden);
  idleRmsNorm(ops, `${root3}.post_layernorm`, hidden);
  patches(ops, `${root3}.downsample`, outside, hidden * config.spatial_merge_size ** 2, { bias: true });
  const merger2 = `${root3}.merger`;
  ops.idle(outside, (x) => ops.layerNorm(`${merger2}.post_projection_norm`, x));
  idleLinear(ops, `${merger2}.proj`, outside, outside, false);
  idleLinear(ops, `${merger2}.gate_proj`, outside, inner, false);
  idleLinear(ops, `${merger2}.up_proj`, outside, inner, false);
  idleLinear(ops, `${merger2}.down_proj`, inner, outside, false);
}

// engine/models/decoders/glm.ts
var glm4Config = decoderFields.extend({
  model_type: z18.literal("glm4"),
  attention_bias: z18.boolean().default(true),
  partial_rotary_factor: z18.number().min(0).max(1).default(0.5)
});
var glm4vConfig = z18.object({
  model_type: z18.literal(["glm4v", "glm46v"]),
  tie_word_embeddings: z18.boolean().default(false),
  text_config: glm4Config.omit({ attention_bias: true }).extend({
    model_type: z18.literal(["glm4v", "glm4v_text"]).default("glm4v_text")
  }),
  vision_config: glmVisionConfig
});
function glm4(config) {
  return {
    ...llamaBlueprint(config, {
      mixer: attentionOf(config, { queryBias: config.attention_bias }),
      feedForward: joinedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size })
    }),
    blockNorms: {
      beforeMixer: "input_layernorm",
      afterMixer: "post_self_attn_layernorm",
      beforeFeeding: "post_attention_layernorm",
      afterFeeding: "post_mlp_layernorm"
    },
    rotarySize: Math.floor(headSizeOf(config) * config.partial_rotary_factor)
  };
}
function glm4v({ text_config: text, ...config }) {
  return {
    ...glm4({ ...text, attention_bias: true }),
    isTied: config.tie_word_embeddings,
    root: "model.language_model",
    idle: (ops) => glmVision(ops, "model.visual", config.vision_config)
  };
}

// engine/models/decoders/gpt-oss.ts
import * as z19 from "zod";
var gptOssConfig = decoderFields.extend({
  model_type: z19.literal("gpt_oss"),
  num_local_experts: size.default(128),
  num_experts_per_tok: size.default(4),
  attention_bias: z19.boolean().default(true),
  sliding_window: size.nullish().default(128),
  layer_types: z19.array(z19.string()).nullish()
});
function gptOss(config) {
  const { num_local_experts: count2, num_experts_per_tok: perToken, layer_types: types } = config;
  const bias = config.attention_bias;
  const slides = (index) => types ? types[index] === "sliding_attention" : index % 2 === 0;
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias: bias, outputBias: bias, hasSinks: true, slides }),
    feedForward: sparseFeedForward({
      router: { count: count2, perToken, scoring: "softmax", hasBias: true, scoresChosenOnly: true },
      experts: { count: count2, inner: config.intermediate_size, hasBias: true },
      routerName: "router",
      gate: clampedGate
    })
  });
}
function clampedGate(ops, joined, inner) {
  const [gate, up] = ops.slices(joined, [inner, inner]).map((part) => ops.clamp(part));
  const glu = ops.multiply(gate, ops.sigmoid(ops.scale(gate)));
  return ops.multiply(ops.scale(up), glu);
}

// engine/models/decoders/granite-hybrid.ts
import * as z20 from "zod";
var experts = z20.number().int().min(0).max(1e4);
var graniteHybridConfig = decoderFields.extend({
  model_type: z20.literal("granitemoehybrid"),
  ...mamba2Fields,
  layer_types: z20.array(z20.string()).nullish(),
  /** `rope` for positions; none otherwise. */
  position_embedding_type: z20.string().nullish(),
  attention_bias: z20.boolean().default(false),
  num_local_experts: experts.default(8),
  num_experts_per_tok: experts.default(2),
  shared_intermediate_size: size.default(1024)
});
function graniteHybrid(config) {
  const isMamba = (index) => isMambaLayer(config, index);
  const [mamba3, attention8] = [mambaOf(config), attentionWith(config)];
  return {
    ...llamaBlueprint(config, {
      mixer: (ops, place, x) => (isMamba(place.index) ? mamba3 : attention8)(ops, place, x),
      feedForward: graniteMixture(config)
    }),
    mixerName: (index) => isMamba(index) ? "mamba" : "self_attn",
    feedForwardName: "shared_mlp",
    rotaryOf: () => config.position_embedding_type === "rope" ? 0 : void 0,
    scalesEmbedded: true,
    scalesResults: true,
    logits: "scaled"
  };
}
function isMambaLayer({ layer_types: types }, index) {
  return ["mamba", "linear_attention"].includes(types?.[index] ?? "mamba");
}
function mambaOf(config) {
  const bias = config.mamba_proj_bias;
  const shape = mamba2ShapeOf(config, config.mamba_expand * config.hidden_size);
  return mamba2Of({ ...shape, norm: "weighted-after", outputBias: bias }, { inputBias: bias });
}
function attentionWith(config) {
  return attentionOf(config, { queryBias: config.attention_bias, outputBias: config.attention_bias });
}
function graniteMixture(config) {
  const { num_local_experts: count2, num_experts_per_tok: perToken, hidden_size: hidden } = config;
  const shared2 = joinedFeedForward({ hidden, inner: config.shared_intermediate_size }, [
    "input_linear",
    "output_linear"
  ]);
  if (count2 === 0) return shared2;
  const sparse = sparseFeedForward({
    routerName: "router",
    router: { count: count2, perToken, scoring: "softmax", scoresChosenOnly: true },
    experts: { count: count2, inner: config.intermediate_size }
  });
  return (ops, place, x) => {
    const chosen = ops.frame(x, (input) => sparse(ops, beside(place, "block_sparse_moe"), input));
    if (config.shared_intermediate_size === 0) return chosen;
    return ops.residual(
      chosen,
      ops.frame(x, (input) => shared2(ops, place, input))
    );
  };
}

// engine/models/decoders/granite-moe.ts
import * as z22 from "zod";

// engine/models/decoders/llama.ts
import * as z21 from "zod";
var biases = { attention_bias: z21.boolean().default(false), mlp_bias: z21.boolean().default(false) };
var llamaConfig = decoderFields.extend({ model_type: z21.literal("llama"), ...biases });
var mistralConfig = decoderFields.extend({ model_type: z21.literal("mistral") });
var ministral3Config = decoderFields.extend({ model_type: z21.literal("ministral3") });
var smollm3Config = decoderFields.extend({
  model_type: z21.literal("smollm3"),
  ...biases,
  tie_word_embeddings: z21.boolean().default(true),
  use_sliding_window: z21.boolean().default(false),
  no_rope_layer_interval: size.default(4),
  /** A zero for every layer without positions. */
  no_rope_layers: z21.array(z21.number()).nullish()
});
var seedOssConfig = decoderFields.extend({
  model_type: z21.literal("seed_oss"),
  attention_bias: z21.boolean().default(true),
  attention_out_bias: z21.boolean().default(false),
  mlp_bias: z21.boolean().default(false),
  attention_dropout: probability.default(0.1),
  residual_dropout: probability.default(0.1)
});
var arceeConfig = decoderFields.extend({ model_type: z21.literal("arcee"), ...biases });
var graniteConfig = decoderFields.extend({ model_type: z21.literal("granite"), ...biases });
var attentionWith2 = (config) => attentionOf(config, { queryBias: config.attention_bias, outputBias: config.attention_bias });
var gated = (config) => gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size, bias: config.mlp_bias });
function llama(config) {
  return llamaBlueprint(config, { mixer: attentionWith2(config), feedForward: gated(config) });
}
function mistral(config) {
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { slides: () => true }),
    feedForward: gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size })
  });
}
function ministral3(config) {
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { slides: () => true, scalesQuery: true }),
    feedForward: gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size })
  });
}
function smollm3(config) {
  const { no_rope_layers: listed, no_rope_layer_interval: interval } = config;
  const turns = (index) => listed ? listed[index] !== 0 : (index + 1) % interval !== 0;
  return { ...llama(config), rotaryOf: (index) => turns(index) ? 0 : void 0 };
}
function seedOss(config) {
  const { residual_dropout: dropout, attention_bias: queryBias, attention_out_bias: outputBias } = config;
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias, outputBias, outputDropout: dropout }),
    feedForward: gatedFeedForward({
      hidden: config.hidden_size,
      inner: config.intermediate_size,
      bias: config.mlp_bias,
      dropout
    })
  });
}
function arcee(config) {
  const { hidden_size: hidden, intermediate_size: inner, mlp_bias: bias } = config;
  const feedForward9 = plainFeedForward({ hidden, inner, bias, activation: "relu-squared" });
  return llamaBlueprint(config, { mixer: attentionWith2(config), feedForward: feedForward9 });
}
function granite(config) {
  return { ...llama(config), scalesEmbedded: true, scalesResults: true, logits: "scaled" };
}

// engine/models/decoders/granite-moe.ts
var graniteSparse = {
  attention_bias: z22.boolean().default(false),
  num_local_experts: size.default(8),
  num_experts_per_tok: size.default(2)
};
var graniteMoeConfig = decoderFields.extend({ model_type: z22.literal("granitemoe"), ...graniteSparse });
var graniteMoeSharedConfig = decoderFields.extend({
  model_type: z22.literal("granitemoeshared"),
  ...graniteSparse,
  /** None where it is zero. */
  shared_intermediate_size: z22.number().int().min(0).max(1e7).default(0)
});
function graniteMoe(config) {
  return {
    ...granite({ ...config, model_type: "granite", mlp_bias: false }),
    feedForward: graniteMixture({ shared_intermediate_size: 0, ...config }),
    feedForwardName: "shared_mlp"
  };
}

// engine/models/decoders/hunyuan.ts
import * as z23 from "zod";
var hunyuanConfig = decoderFields.extend({
  model_type: z23.literal("hunyuan_v1_dense"),
  attention_bias: z23.boolean().default(false)
});
function hunyuan(config) {
  const names = ["query_layernorm", "key_layernorm"];
  return llamaBlueprint(config, {
    mixer: attentionOf(config, {
      queryBias: config.attention_bias,
      outputBias: config.attention_bias,
      queryNorm: { norm: "rms", over: "each-head", names, isAfterRotation: true }
    }),
    feedForward: gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size })
  });
}

// engine/models/decoders/internvl.ts
import * as z27 from "zod";

// engine/models/vision/intern-vit.ts
import * as z24 from "zod";
var sides = z24.union([size.transform((side) => [side, side]), z24.tuple([size, size])]);
var internVitConfig = z24.object({
  hidden_size: size.default(1024),
  intermediate_size: size.default(4096),
  num_hidden_layers: size.default(24),
  num_channels: channels,
  attention_bias: z24.boolean().default(false),
  use_qk_norm: z24.boolean().default(false),
  norm_type: z24.enum(["layer_norm", "rms_norm"]).default("layer_norm"),
  image_size: sides.default([448, 448]),
  patch_size: sides.default([14, 14]),
  use_mask_token: z24.boolean().default(false),
  use_absolute_position_embeddings: z24.boolean().default(true),
  use_mean_pooling: z24.boolean().default(true)
});
function internVit(ops, root3, config) {
  const { hidden_size: hidden, intermediate_size: inner, image_size: image, patch_size: patch } = config;
  const embeddings = `${root3}.embeddings`;
  table(ops, `${embeddings}.cls_token`, 1, hidden);
  if (config.use_mask_token) table(ops, `${embeddings}.mask_token`, 1, hidden);
  patches(ops, `${embeddings}.patch_embeddings.projection`, hidden, config.num_channels * patch[0] * patch[1], {
    bias: true
  });
  const count2 = Math.floor(image[0] / patch[0]) * Math.floor(image[1] / patch[1]);
  if (config.use_absolute_position_embeddings) table(ops, `${embeddings}.position_embeddings`, count2 + 1, hidden);
  const layers2 = `${root3}.encoder.layer`;
  tower(ops, layers2, config.num_hidden_layers, hidden, {
    norms: ["layernorm_before", "layernorm_after"],
    normKind: config.norm_type === "rms_norm" ? "rms" : "layer",
    linears: [
      ["attention.q_proj", hidden, hidden, config.attention_bias],
      ["attention.k_proj", hidden, hidden, config.attention_bias],
      ["attention.v_proj", hidden, hidden, config.attention_bias],
      ["attention.projection_layer", hidden, hidden],
      ["mlp.fc1", hidden, inner],
      ["mlp.fc2", inner, hidden]
    ],
    bias: true
  });
  for (let index = 0; index < config.num_hidden_layers; index++) {
    const name = `${layers2}.${index}`;
    for (const factor of ["lambda_1", "lambda_2"]) ops.idle(hidden, (x) => ops.layerScale(`${name}.${factor}`, x));
    if (!config.use_qk_norm) continue;
    for (const norm4 of ["q_norm", "k_norm"]) idleRmsNorm(ops, `${name}.attention.${norm4}`, hidden);
  }
  if (!config.use_mean_pooling) ops.idle(hidden, (x) => ops.layerNorm(`${root3}.layernorm`, x));
}

// engine/models/decoders/qwen.ts
import * as z25 from "zod";
var qwen2Config = decoderFields.extend({
  model_type: z25.literal("qwen2"),
  use_sliding_window: z25.boolean().default(false)
});
var mimoConfig = decoderFields.extend({
  model_type: z25.literal("mimo"),
  use_sliding_window: z25.boolean().default(false),
  num_nextn_predict_layers: z25.number().int().min(0).max(16).default(0)
});
var qwen3Config = decoderFields.extend({
  model_type: z25.literal("qwen3"),
  attention_bias: z25.boolean().default(false),
  use_sliding_window: z25.boolean().default(false)
});
function qwen2(config) {
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias: true, slides: () => config.use_sliding_window }),
    feedForward: gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size })
  });
}
function mimo(config) {
  return {
    ...qwen2(config),
    idle: (ops) => {
      for (let index = 0; index < config.num_nextn_predict_layers; index++) {
        predictingLayer(ops, config, `model.mtp_layers.${index}`);
      }
    }
  };
}
function predictingLayer(ops, config, name) {
  const { hidden_size: hidden, intermediate_size: inner, num_attention_heads: heads2 } = config;
  const [querySize, keySize] = [heads2, config.num_key_value_heads ?? heads2].map(
    (count2) => count2 * headSizeOf(config)
  );
  const linear2 = (part, inputs, outputs, bias = false) => ops.idle(inputs, (x) => ops.linear(`${name}.${part}`, x, outputs, { bias }));
  for (const norm4 of ["input", "post_attention", "token", "hidden", "final"]) {
    ops.idle(hidden, (x) => normalised(ops, "rms", `${name}.${norm4}_layernorm`, hidden, x));
  }
  linear2("input_proj", 2 * hidden, hidden);
  linear2("self_attn.q_proj", hidden, querySize, true);
  for (const part of ["k_proj", "v_proj"]) linear2(`self_attn.${part}`, hidden, keySize, true);
  linear2("self_attn.o_proj", querySize, hidden);
  for (const part of ["gate_proj", "up_proj"]) linear2(`mlp.${part}`, hidden, inner);
  linear2("mlp.down_proj", inner, hidden);
}
function qwen3Attention(config) {
  return attentionOf(config, {
    queryBias: config.attention_bias,
    outputBias: config.attention_bias,
    queryNorm: { norm: "rms", ...headNorms },
    slides: () => config.use_sliding_window
  });
}
function qwen3(config) {
  return llamaBlueprint(config, {
    mixer: qwen3Attention(config),
    feedForward: gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size })
  });
}

// engine/models/decoders/qwen-moe.ts
import * as z26 from "zod";
var qwenSparse = {
  num_experts: size,
  num_experts_per_tok: size,
  moe_intermediate_size: size,
  /** Every how many layers there are experts. */
  decoder_sparse_step: size.default(1),
  mlp_only_layers: z26.array(z26.number()).nullish(),
  use_sliding_window: z26.boolean().default(false)
};
var qwen2MoeConfig = decoderFields.extend({
  model_type: z26.literal("qwen2_moe"),
  ...qwenSparse,
  qkv_bias: z26.boolean().default(true),
  shared_expert_intermediate_size: size
});
var qwen3MoeConfig = decoderFields.extend({
  model_type: z26.literal("qwen3_moe"),
  ...qwenSparse,
  attention_bias: z26.boolean().default(false)
});
var olmoeConfig = decoderFields.extend({
  model_type: z26.literal("olmoe"),
  num_experts: size.default(64),
  num_experts_per_tok: size.default(8),
  attention_bias: z26.boolean().default(false)
});
function qwen2Moe(config) {
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias: config.qkv_bias, slides: () => config.use_sliding_window }),
    feedForward: sharedAndSparse(config)
  });
}
function sharedAndSparse(config) {
  const inner = config.shared_expert_intermediate_size;
  const shared2 = { name: "shared_expert", inner, gateName: "shared_expert_gate" };
  return whereSparse(config, withSharedExperts(expertsOf(config), config.hidden_size, shared2));
}
function qwen3Moe(config) {
  return llamaBlueprint(config, {
    mixer: qwen3Attention(config),
    feedForward: whereSparse(config, expertsOf(config))
  });
}
function olmoe(config) {
  const { num_experts: count2, num_experts_per_tok: perToken, attention_bias: bias } = config;
  const queryNorm = { norm: "rms", ...allHeadsNorms };
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias: bias, outputBias: bias, queryNorm }),
    feedForward: sparseFeedForward({
      router: { count: count2, perToken, scoring: "softmax" },
      experts: { count: count2, inner: config.intermediate_size }
    })
  });
}
function expertsOf(config) {
  const { num_experts: count2, num_experts_per_tok: perToken, moe_intermediate_size: inner } = config;
  return sparseFeedForward({ router: { count: count2, perToken, scoring: "softmax" }, experts: { count: count2, inner } });
}
function whereSparse(config, sparse) {
  const dense = gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size });
  const isSparse = (index) => !config.mlp_only_layers?.includes(index) && (index + 1) % config.decoder_sparse_step === 0;
  return (ops, place, x) => (isSparse(place.index) ? sparse : dense)(ops, place, x);
}

// engine/models/decoders/internvl.ts
var internvlConfig = z27.object({
  model_type: z27.literal("internvl"),
  tie_word_embeddings: z27.boolean().default(true),
  text_config: z27.discriminatedUnion("model_type", [qwen2Config, qwen3Config, qwen3MoeConfig]),
  vision_config: internVitConfig,
  downsample_ratio: z27.number().min(0.01).max(1).default(0.5)
});
function internvl({ text_config: text, ...config }) {
  const merged = config.vision_config.hidden_size * Math.floor(1 / config.downsample_ratio) ** 2;
  return {
    ...textOf(text),
    isTied: config.tie_word_embeddings,
    root: "model.language_model",
    idle: (ops) => {
      const projector = "model.multi_modal_projector";
      internVit(ops, "model.vision_tower", config.vision_config);
      ops.idle(merged, (x) => ops.layerNorm(`${projector}.layer_norm`, x));
      idleLinear(ops, `${projector}.linear_1`, merged, text.hidden_size, true);
      idleLinear(ops, `${projector}.linear_2`, text.hidden_size, text.hidden_size, true);
    }
  };
}
function textOf(text) {
  switch (text.model_type) {
    case "qwen2":
      return qwen2(text);
    case "qwen3":
      return qwen3(text);
    case "qwen3_moe":
      return qwen3Moe(text);
  }
}

// engine/models/decoders/jamba.ts
import * as z28 from "zod";
var offset = z28.number().int().min(0).max(1e3);
var jambaConfig = decoderFields.extend({
  model_type: z28.literal("jamba"),
  num_experts: size.default(16),
  num_experts_per_tok: size.default(2),
  expert_layer_period: size.default(2),
  expert_layer_offset: offset.default(1),
  attn_layer_period: size.default(8),
  attn_layer_offset: offset.default(4),
  mamba_d_state: size.default(16),
  mamba_d_conv: size.default(4),
  mamba_expand: size.default(2),
  mamba_dt_rank: z28.union([size, z28.literal("auto")]).default("auto"),
  mamba_conv_bias: z28.boolean().default(true),
  mamba_proj_bias: z28.boolean().default(false)
});
function jamba(config) {
  const attends = (index) => index % config.attn_layer_period === config.attn_layer_offset;
  const [attention8, mamba3] = [attentionOf(config), mambaOf2(config)];
  return {
    ...llamaBlueprint(config, {
      mixer: (ops, place, x) => (attends(place.index) ? attention8 : mamba3)(ops, place, x),
      feedForward: feedForward4(config)
    }),
    blockNorms: { beforeMixer: "input_layernorm", beforeFeeding: "pre_ff_layernorm" },
    mixerName: (index) => attends(index) ? "self_attn" : "mamba",
    feedForwardName: "feed_forward",
    lastNormName: "final_layernorm",
    rotaryOf: () => void 0
  };
}
var HIDDEN_PER_RANK = 16;
function mambaOf2(config) {
  const { hidden_size: hidden, mamba_d_state: stateSize, mamba_proj_bias: bias } = config;
  const inner = config.mamba_expand * hidden;
  const rank = config.mamba_dt_rank === "auto" ? Math.ceil(hidden / HIDDEN_PER_RANK) : config.mamba_dt_rank;
  return (ops, { name }, x) => {
    const norm4 = (part, states2, features) => ops.rmsNorm(`${name}.${part}`, states2, { size: features, scalesInFloat32: false });
    const projected2 = ops.linear(`${name}.in_proj`, x, 2 * inner, { bias });
    const [states, gate] = ops.split(projected2, [inner, inner]);
    const convolved = ops.fusedConvolution(`${name}.conv1d`, states, config.mamba_d_conv, {
      bias: config.mamba_conv_bias
    });
    const selected = ops.linear(`${name}.x_proj`, convolved, rank + 2 * stateSize, { bias: false });
    const [steps, input, output] = ops.split(selected, [rank, stateSize, stateSize]);
    const scanned = ops.selectiveScan(name, {
      states: convolved,
      steps: ops.linear(`${name}.dt_proj`, norm4("dt_layernorm", steps, rank), inner, { bias: false }),
      input: norm4("b_layernorm", input, stateSize),
      output: norm4("c_layernorm", output, stateSize),
      gate
    });
    return ops.linear(`${name}.out_proj`, scanned, hidden, { bias });
  };
}
function feedForward4(config) {
  const { hidden_size: hidden, intermediate_size: inner, num_experts: count2, num_experts_per_tok: perToken } = config;
  const dense = gatedFeedForward({ hidden, inner });
  const sparse = sparseFeedForward({
    routerName: "router",
    router: { count: count2, perToken, scoring: "softmax" },
    experts: { count: count2, inner }
  });
  const isSparse = (index) => count2 > 1 && index % config.expert_layer_period === config.expert_layer_offset;
  return (ops, place, x) => (isSparse(place.index) ? sparse : dense)(ops, place, x);
}

// engine/models/decoders/kimi-linear.ts
import * as z29 from "zod";
var { n_routed_experts: expertCount, ...otherSparseFields } = sparseFields;
var kimiLinearConfig = decoderFields.extend({
  model_type: z29.literal("kimi_linear"),
  ...latentFields,
  ...otherSparseFields,
  num_local_experts: expertCount,
  layer_types: z29.array(z29.string()).nullish(),
  linear_head_dim: size.default(128),
  linear_num_heads: size.default(32),
  linear_conv_kernel_dim: size.default(4),
  /** Where the checkpoints say it; layers are counted from one. */
  linear_attn_config: z29.object({
    full_attn_layers: z29.array(z29.number()),
    kda_layers: z29.array(z29.number()),
    head_dim: size,
    num_heads: size,
    short_conv_kernel_size: size,
    /** Kimi K3's text has the same `model_type` and other gates. */
    use_full_rank_gate: z29.literal(false).nullish()
  }).nullish()
});
function kimiLinear(config) {
  const [linear2, full] = [deltaAttention(config), latentAttention(config)];
  const sparse = { ...config, n_routed_experts: config.num_local_experts };
  return {
    ...llamaBlueprint(config, {
      mixer: (ops, place, x) => (isFull(config, place.index) ? full : linear2)(ops, place, x),
      feedForward: sparseAfterDense(sparse, sigmoidRouter)
    }),
    rotaryOf: () => void 0
  };
}
function isFull({ layer_types: types, linear_attn_config: nested }, index) {
  if (types) return types[index] === "full_attention";
  return nested ? nested.full_attn_layers.includes(index + 1) : index > 0 && index % 4 === 0;
}
function deltaAttention(config) {
  const nested = config.linear_attn_config;
  const headSize = nested?.head_dim ?? config.linear_head_dim;
  const heads2 = nested?.num_heads ?? config.linear_num_heads;
  const kernel2 = nested?.short_conv_kernel_size ?? config.linear_conv_kernel_dim;
  const inner = heads2 * headSize;
  return (ops, { name }, x) => {
    const linear2 = (part, states, features) => ops.linear(`${name}.${part}`, states, features, { bias: false });
    const joined = ops.concatenate(["q_proj", "k_proj", "v_proj"].map((part) => linear2(part, x, inner)));
    const convolved = ops.silu(ops.causalConvolution(`${name}.conv1d`, joined, { kernel: kernel2 }));
    const [query, key2, value] = ops.split(convolved, [inner, inner, inner]);
    const forget = linear2("forget_gate.f_b_proj", linear2("forget_gate.f_a_proj", x, headSize), inner);
    const decay = ops.channelDecay(`${name}.forget_gate`, forget, heads2);
    const beta = ops.sigmoid(linear2("b_proj", x, heads2));
    const context = ops.kimiDelta([query, key2, value], { decay, beta, heads: heads2 });
    const gate = linear2("g_b_proj", linear2("g_a_proj", x, headSize), inner);
    return linear2("o_proj", ops.gatedNorm(`${name}.o_norm`, context, gate, headSize), config.hidden_size);
  };
}

// engine/models/decoders/layer-norm-decoders.ts
import * as z30 from "zod";
var starcoder2Config = decoderFields.extend({
  model_type: z30.literal("starcoder2"),
  tie_word_embeddings: z30.boolean().default(true),
  use_bias: z30.boolean().default(true),
  residual_dropout: probability.default(0),
  embedding_dropout: probability.default(0)
});
var stablelmConfig = decoderFields.extend({
  model_type: z30.literal("stablelm"),
  use_qkv_bias: z30.boolean().default(false),
  hidden_dropout: probability.default(0),
  partial_rotary_factor: z30.number().min(0).max(1).default(0.25),
  qk_layernorm: z30.literal(false, { error: "StableLM with norms of query and key is not supported" }).default(false),
  use_parallel_residual: z30.literal(false, { error: "StableLM with parallel residuals is not supported" }).default(false)
});
var nemotronConfig = decoderFields.extend({
  model_type: z30.literal("nemotron"),
  attention_bias: z30.boolean().default(false),
  mlp_bias: z30.boolean().default(false),
  partial_rotary_factor: z30.number().min(0).max(1).default(0.5)
});
function starcoder2(config) {
  const { hidden_size: hidden, intermediate_size: inner, use_bias: bias, residual_dropout: dropout } = config;
  return {
    ...llamaBlueprint(config, {
      mixer: attentionOf(config, { queryBias: bias, outputBias: bias, outputDropout: dropout, slides: () => true }),
      feedForward: plainFeedForward({ hidden, inner, bias, dropout }, ["c_fc", "c_proj"])
    }),
    norm: "layer",
    wordDropout: config.embedding_dropout
  };
}
function stablelm(config) {
  const { hidden_size: hidden, intermediate_size: inner, hidden_dropout: dropout } = config;
  return {
    ...llamaBlueprint(config, {
      mixer: attentionOf(config, { queryBias: config.use_qkv_bias }),
      feedForward: gatedFeedForward({ hidden, inner, dropout })
    }),
    norm: "layer",
    rotarySize: Math.floor(headSizeOf(config) * config.partial_rotary_factor)
  };
}
function nemotron(config) {
  const { hidden_size: hidden, intermediate_size: inner, attention_bias, mlp_bias: bias } = config;
  return {
    ...llamaBlueprint(config, {
      mixer: attentionOf(config, {
        queryBias: attention_bias,
        outputBias: attention_bias,
        rotary: { alwaysJoins: true }
      }),
      feedForward: plainFeedForward({ hidden, inner, bias, activation: "relu-squared" })
    }),
    norm: "layer-lowered",
    rotarySize: Math.floor(headSizeOf(config) * config.partial_rotary_factor)
  };
}

// engine/models/decoders/lfm2.ts
import * as z31 from "zod";
var convolutionFields = {
  tie_word_embeddings: z31.boolean().default(true),
  /** The name that the checkpoints give `tie_word_embeddings`. */
  tie_embedding: z31.boolean().nullish(),
  conv_bias: z31.boolean().default(false),
  conv_L_cache: size.default(3),
  layer_types: z31.array(z31.string()).nullish()
};
var lfm2Config = decoderFields.extend({
  model_type: z31.literal("lfm2"),
  ...convolutionFields,
  intermediate_size: size.default(12288),
  /** The name that the checkpoints give `intermediate_size`. */
  block_ff_dim: size.nullish(),
  block_auto_adjust_ff_dim: z31.boolean().default(true),
  block_ffn_dim_multiplier: z31.number().min(0.01).max(100).nullish().default(1),
  block_multiple_of: size.default(256),
  /** Layers of attention, where `layer_types` does not say. */
  full_attn_idxs: z31.array(z31.number()).nullish()
});
var lfm2MoeConfig = decoderFields.extend({
  model_type: z31.literal("lfm2_moe"),
  ...convolutionFields,
  num_experts: size.default(32),
  num_experts_per_tok: size.default(4),
  moe_intermediate_size: size.default(1792),
  /** Layers at the start that have one feed-forward of their own. */
  num_dense_layers: z31.number().int().min(0).max(1e3).default(2)
});
var linears = ["w1", "w3", "w2"];
function lfm2(config) {
  const { layer_types: types, full_attn_idxs: listed } = config;
  const attends = (index) => types ? types[index] === "full_attention" : listed?.includes(index) ?? true;
  const feedForward9 = gatedFeedForward({ hidden: config.hidden_size, inner: innerSize(config) }, linears);
  return convolutional(config, attends, feedForward9);
}
function lfm2Moe(config) {
  const { num_experts: count2, num_experts_per_tok: perToken, moe_intermediate_size: inner } = config;
  const dense = gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size }, linears);
  const sparse = sparseFeedForward({ router: { count: count2, perToken, scoring: "sigmoid" }, experts: { count: count2, inner } });
  return convolutional(
    config,
    (index) => config.layer_types?.[index] === "full_attention",
    (ops, place, x) => (place.index < config.num_dense_layers ? dense : sparse)(ops, place, x)
  );
}
function convolutional(config, attends, feedForward9) {
  const attention8 = attentionOf(config, {
    queryNorm: { norm: "rms", over: "each-head", names: ["q_layernorm", "k_layernorm"] },
    outputName: "out_proj"
  });
  const convolution3 = shortConvolution(config);
  return {
    ...llamaBlueprint(config, {
      mixer: (ops, place, x) => (attends(place.index) ? attention8 : convolution3)(ops, place, x),
      feedForward: feedForward9
    }),
    isTied: config.tie_embedding ?? config.tie_word_embeddings,
    blockNorms: { beforeMixer: "operator_norm", beforeFeeding: "ffn_norm" },
    mixerName: (index) => attends(index) ? "self_attn" : "conv",
    feedForwardName: "feed_forward",
    lastNormName: "embedding_norm"
  };
}
function shortConvolution(config) {
  const { hidden_size: hidden, conv_bias: bias, conv_L_cache: kernel2 } = config;
  return (ops, { name }, x) => {
    const joined = ops.linear(`${name}.in_proj`, x, 3 * hidden, { bias });
    const [before, after, states] = ops.split(joined, [hidden, hidden, hidden]);
    const convolved = ops.causalConvolution(`${name}.conv`, ops.multiply(before, states), { kernel: kernel2, bias });
    return ops.linear(`${name}.out_proj`, ops.multiply(after, convolved), hidden, { bias });
  };
}
function innerSize(config) {
  const named2 = config.block_ff_dim ?? config.intermediate_size;
  if (!config.block_auto_adjust_ff_dim) return named2;
  const adjusted2 = Math.floor(2 * named2 / 3);
  if (config.block_ffn_dim_multiplier == null) return adjusted2;
  const multiplied = Math.floor(config.block_ffn_dim_multiplier * adjusted2);
  return config.block_multiple_of * Math.ceil(multiplied / config.block_multiple_of);
}

// engine/models/decoders/lfm2-vl.ts
import * as z32 from "zod";
var lfm2VlConfig = z32.object({
  model_type: z32.literal("lfm2_vl"),
  tie_word_embeddings: z32.boolean().default(true),
  text_config: lfm2Config.omit({ model_type: true }),
  vision_config: siglipConfig.omit({ image_size: true }).extend({ num_patches: size.default(256) }),
  projector_hidden_size: size.default(2560),
  projector_bias: z32.boolean().default(true),
  projector_use_layernorm: z32.boolean().default(true),
  downsample_factor: size.default(2)
});
function lfm2Vl(config) {
  const { text_config: text, vision_config: vision, projector_hidden_size: inner, projector_bias: bias } = config;
  const features = vision.hidden_size * config.downsample_factor ** 2;
  const projector = "model.multi_modal_projector";
  return {
    ...lfm2(text),
    isTied: config.tie_word_embeddings,
    root: "model.language_model",
    idle: (ops) => {
      siglip(ops, "model.vision_tower", { ...vision, image_size: vision.patch_size * Math.sqrt(vision.num_patches) });
      if (config.projector_use_layernorm) ops.idle(features, (x) => ops.layerNorm(`${projector}.layer_norm`, x));
      idleLinear(ops, `${projector}.linear_1`, features, inner, bias);
      idleLinear(ops, `${projector}.linear_2`, inner, text.hidden_size, bias);
    }
  };
}

// engine/models/decoders/llama4.ts
import * as z34 from "zod";

// engine/models/vision/llama4-vision.ts
import * as z33 from "zod";
var llama4VisionConfig = z33.object({
  hidden_size: size.default(768),
  intermediate_size: size.default(5632),
  num_hidden_layers: size.default(34),
  num_channels: channels,
  vision_output_dim: size.default(7680),
  image_size: size.default(448),
  patch_size: size.default(14),
  projector_input_dim: size.default(4096),
  projector_output_dim: size.default(4096)
});
function llama4Vision(ops, root3, config) {
  const { hidden_size: hidden, intermediate_size: inner, patch_size: patch } = config;
  idleLinear(ops, `${root3}.patch_embedding.linear`, config.num_channels * patch ** 2, hidden, false);
  table(ops, `${root3}.class_embedding`, 1, hidden);
  table(ops, `${root3}.positional_embedding_vlm`, Math.floor(config.image_size / patch) ** 2 + 1, hidden);
  for (const norm4 of ["pre", "post"]) ops.idle(hidden, (x) => ops.layerNorm(`${root3}.layernorm_${norm4}`, x));
  const projections3 = ["q_proj", "k_proj", "v_proj", "o_proj"].map(
    (part) => [`self_attn.${part}`, hidden, hidden]
  );
  tower(ops, `${root3}.model.layers`, config.num_hidden_layers, hidden, {
    norms: ["input_layernorm", "post_attention_layernorm"],
    normKind: "layer",
    linears: [...projections3, ["mlp.fc1", hidden, inner], ["mlp.fc2", inner, hidden]],
    bias: true
  });
  idleLinear(ops, `${root3}.vision_adapter.mlp.fc1`, inner, config.projector_input_dim, false);
  idleLinear(ops, `${root3}.vision_adapter.mlp.fc2`, config.projector_output_dim, config.projector_output_dim, false);
}

// engine/models/decoders/llama4.ts
var layers = z34.array(z34.number().int().min(0).max(1e5)).max(1e3);
var llama4TextConfig = decoderFields.extend({
  vocab_size: size.default(202048),
  hidden_size: size.default(5120),
  /** Of an expert, and of the one that all tokens share. */
  intermediate_size: size.default(8192),
  /** Of the layers between. */
  intermediate_size_mlp: size.default(16384),
  num_hidden_layers: size.default(48),
  num_attention_heads: size.default(40),
  num_key_value_heads: size.default(8),
  head_dim: size.nullish().default(128),
  /** Scout's are more than ten million. */
  max_position_embeddings: z34.number().int().min(1).max(1e9).default(131072),
  num_experts_per_tok: size.default(1),
  num_local_experts: z34.number().int().min(1).max(1024).default(16),
  moe_layers: layers.nullish(),
  /** Every how many layers there are experts. */
  interleave_moe_layer_step: size.default(1),
  use_qk_norm: z34.boolean().default(true),
  /** 1 where a layer turns, 0 where it does not. */
  no_rope_layers: layers.nullish(),
  no_rope_layer_interval: size.default(4),
  attention_chunk_size: size.nullish().default(8192),
  attn_temperature_tuning: z34.coerce.boolean().default(true),
  attention_bias: z34.boolean().default(false)
});
var llama4Config = z34.object({
  model_type: z34.literal("llama4"),
  text_config: llama4TextConfig,
  vision_config: llama4VisionConfig
});
function llama4({ text_config: text, vision_config: vision }) {
  const turns = (index) => text.no_rope_layers?.length ? text.no_rope_layers[index] === 1 : (index + 1) % text.no_rope_layer_interval !== 0;
  return {
    ...llamaBlueprint(text, { mixer: mixerOf(text, turns), feedForward: feedForwardOf(text) }),
    root: "language_model.model",
    positions: text.max_position_embeddings,
    feedForwardName: "feed_forward",
    rotaryOf: (index) => turns(index) ? 0 : void 0,
    idle: (ops) => {
      llama4Vision(ops, "vision_model", vision);
      idleLinear(ops, "multi_modal_projector.linear_1", vision.vision_output_dim, text.hidden_size, false);
    }
  };
}
function mixerOf(text, turns) {
  const bias = { queryBias: text.attention_bias, outputBias: text.attention_bias, softmaxType: "own" };
  const fields2 = { ...text, sliding_window: text.attention_chunk_size };
  const turning = attentionOf(fields2, {
    ...bias,
    slides: () => true,
    rotary: { isComplex: true },
    ...text.use_qk_norm && { headLengths: true }
  });
  const resting = attentionOf(fields2, { ...bias, scalesQuery: text.attn_temperature_tuning });
  return (ops, place, x) => (turns(place.index) ? turning : resting)(ops, place, x);
}
function feedForwardOf(text) {
  const { hidden_size: hidden, intermediate_size: inner } = text;
  const { num_local_experts: count2, num_experts_per_tok: perToken, interleave_moe_layer_step: step3 } = text;
  const isSparse = (index) => text.moe_layers?.includes(index) ?? (index + 1) % step3 === 0;
  const dense = gatedFeedForward({ hidden, inner: text.intermediate_size_mlp });
  const common = gatedFeedForward({ hidden, inner });
  const gate = gateBy("silu");
  const sparse = (ops, place, x) => {
    const within = { ...place, name: `${place.name}.shared_expert` };
    return ops.everyExpert(
      place.name,
      x,
      { count: count2, perToken, inner },
      (joined) => gate(ops, joined, inner),
      () => ops.frame(x, (input) => common(ops, within, input))
    );
  };
  return (ops, place, x) => (isSparse(place.index) ? sparse : dense)(ops, place, x);
}

// engine/models/decoders/llava.ts
import * as z36 from "zod";

// engine/models/vision/clip.ts
import * as z35 from "zod";
var clipConfig = z35.object({
  model_type: z35.literal("clip_vision_model"),
  hidden_size: size.default(768),
  intermediate_size: size.default(3072),
  num_hidden_layers: size.default(12),
  num_attention_heads: size.default(12),
  num_channels: channels,
  image_size: size.default(224),
  patch_size: size.default(32)
});
function clip(ops, root3, config) {
  const { hidden_size: hidden, intermediate_size: inner, patch_size: patch } = config;
  table(ops, `${root3}.embeddings.class_embedding`, 1, hidden);
  patches(ops, `${root3}.embeddings.patch_embedding`, hidden, config.num_channels * patch ** 2);
  table(ops, `${root3}.embeddings.position_embedding`, Math.floor(config.image_size / patch) ** 2 + 1, hidden);
  for (const norm4 of ["pre_layrnorm", "post_layernorm"]) ops.idle(hidden, (x) => ops.layerNorm(`${root3}.${norm4}`, x));
  const projections3 = ["q_proj", "k_proj", "v_proj", "out_proj"].map(
    (part) => [`self_attn.${part}`, hidden, hidden]
  );
  tower(ops, `${root3}.encoder.layers`, config.num_hidden_layers, hidden, {
    norms: ["layer_norm1", "layer_norm2"],
    normKind: "layer",
    linears: [...projections3, ["mlp.fc1", hidden, inner], ["mlp.fc2", inner, hidden]],
    bias: true
  });
}

// engine/models/decoders/llava.ts
var written = {
  hidden_size: size.default(4096),
  num_hidden_layers: size.default(32),
  num_attention_heads: size.default(32)
};
var textConfig = z36.discriminatedUnion("model_type", [
  llamaConfig.extend({
    ...written,
    intermediate_size: size.default(11008),
    max_position_embeddings: size.default(2048)
  }),
  mistralConfig.extend({ ...written, num_key_value_heads: size.nullish().default(8) })
]);
var llavaConfig = z36.object({
  model_type: z36.literal("llava"),
  tie_word_embeddings: z36.boolean().default(false),
  text_config: textConfig,
  vision_config: z36.discriminatedUnion("model_type", [
    clipConfig,
    pixtralConfig.extend({ model_type: z36.literal("pixtral") })
  ]),
  /** The layer that features are taken from, or several side by side. */
  vision_feature_layer: z36.union([z36.number(), z36.array(z36.number()).max(1e3)]).default(-2),
  multimodal_projector_bias: z36.boolean().default(true)
});
function llava(config) {
  const { text_config: text, vision_config: vision, multimodal_projector_bias: bias } = config;
  const features = Array.isArray(config.vision_feature_layer) ? config.vision_feature_layer.length : 1;
  return {
    ...text.model_type === "llama" ? llama(text) : mistral(text),
    isTied: config.tie_word_embeddings || text.tie_word_embeddings,
    root: "model.language_model",
    idle: (ops) => {
      see(ops, vision);
      const projector = "model.multi_modal_projector";
      idleLinear(ops, `${projector}.linear_1`, vision.hidden_size * features, text.hidden_size, bias);
      idleLinear(ops, `${projector}.linear_2`, text.hidden_size, text.hidden_size, bias);
    }
  };
}
function see(ops, vision) {
  switch (vision.model_type) {
    case "clip_vision_model":
      clip(ops, "model.vision_tower", vision);
      break;
    case "pixtral":
      pixtral(ops, "model.vision_tower", vision);
  }
}

// engine/models/decoders/minimax.ts
import * as z37 from "zod";
var minimaxM2Config = decoderFields.extend({
  model_type: z37.literal("minimax_m2"),
  head_dim: size.default(128),
  num_local_experts: size.default(256),
  num_experts_per_tok: size.default(8),
  /** The checkpoints' way to say `partial_rotary_factor`. */
  rotary_dim: size.nullish(),
  partial_rotary_factor: probability.default(1)
});
function minimaxM2(config) {
  const { num_local_experts: count2, num_experts_per_tok: perToken } = config;
  const blueprint = llamaBlueprint(config, {
    mixer: attentionOf(config, { queryNorm: { norm: "rms", ...allHeadsNorms } }),
    feedForward: sparseFeedForward({
      router: { count: count2, perToken, scoring: "sigmoid", weightsInFloat32: true },
      experts: { count: count2, inner: config.intermediate_size }
    })
  });
  return { ...blueprint, rotarySize: config.rotary_dim ?? headSizeOf(config) * config.partial_rotary_factor };
}

// engine/models/decoders/mixtral.ts
import * as z38 from "zod";
var mixtralConfig = decoderFields.extend({
  model_type: z38.literal("mixtral"),
  num_local_experts: size.default(8),
  num_experts_per_tok: size.default(2)
});
function mixtral(config) {
  const { num_local_experts: count2, num_experts_per_tok: perToken } = config;
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { slides: () => true }),
    feedForward: sparseFeedForward({
      router: { count: count2, perToken, scoring: "softmax", weightsInFloat32: true },
      experts: { count: count2, inner: config.intermediate_size }
    })
  });
}

// engine/models/decoders/nemotron-h.ts
import * as z39 from "zod";
var MAX_LAYERS = 1e3;
var nemotronHConfig = decoderFields.omit({ num_hidden_layers: true }).extend({
  model_type: z39.literal("nemotron_h"),
  /** A letter a block, where the list of their kinds is not there. */
  hybrid_override_pattern: z39.string().max(MAX_LAYERS).regex(/^[M*E-]+$/).optional(),
  layers_block_type: z39.array(z39.string()).min(1).max(MAX_LAYERS).nullish(),
  intermediate_size: size.default(21504),
  head_dim: size.default(128),
  ssm_state_size: size.default(128),
  mamba_num_heads: size.default(128),
  mamba_head_dim: size.default(64),
  n_groups: size.default(8),
  conv_kernel: size.default(4),
  chunk_size: size.default(128),
  use_conv_bias: z39.boolean().default(true),
  use_bias: z39.boolean().default(false),
  mlp_bias: z39.boolean().default(false),
  n_routed_experts: size.default(8),
  num_experts_per_tok: size.optional(),
  moe_intermediate_size: size.default(7688),
  moe_shared_expert_intermediate_size: size.default(7688),
  moe_latent_size: size.nullish()
});
var kindsByLetter = { M: "linear_attention", E: "moe", "*": "full_attention", "-": "mlp" };
var earlierNames = { mamba: "linear_attention", attention: "full_attention" };
var PER_TOKEN_BY_DEFAULT = 2;
function nemotronH(config) {
  const kinds2 = blockKindsOf(config);
  const fields2 = { ...config, num_hidden_layers: kinds2.length };
  const parts = {
    linear_attention: mamba2(config),
    full_attention: attentionOf(fields2),
    moe: mixture(config),
    mlp: feedForward5(config, config.intermediate_size)
  };
  return {
    ...llamaBlueprint(fields2, { mixer: (ops, place, x) => parts[kinds2[place.index] ?? "mlp"](ops, place, x) }),
    norm: "rms-float32",
    blockNorms: { beforeMixer: "norm" },
    mixerName: () => "mixer",
    wordsName: "embeddings",
    lastNormName: "norm_f",
    rotaryOf: () => void 0,
    logits: "float32"
  };
}
function blockKindsOf({
  hybrid_override_pattern: pattern,
  layers_block_type: listed
}) {
  if (listed)
    return listed.map((name) => earlierNames[name] ?? Object.values(kindsByLetter).find((kind) => kind === name) ?? "mlp");
  const letters = [...pattern ?? "ME*-"];
  return letters.map((letter) => kindsByLetter[letter]);
}
function mamba2(config) {
  const shape = {
    heads: config.mamba_num_heads,
    headSize: config.mamba_head_dim,
    stateSize: config.ssm_state_size,
    groups: config.n_groups,
    chunkTokens: config.chunk_size,
    kernel: config.conv_kernel,
    convolutionBias: config.use_conv_bias,
    norm: "weighted-after",
    outFeatures: config.hidden_size,
    outputBias: config.use_bias
  };
  return mamba2Of(shape, { inputBias: config.use_bias });
}
function feedForward5({ hidden_size: hidden, mlp_bias: bias }, inner) {
  return plainFeedForward({ hidden, inner, bias, activation: "relu-squared" });
}
function mixture(config) {
  const { n_routed_experts: count2, moe_intermediate_size: inner, moe_latent_size: latent2, mlp_bias: bias } = config;
  const perToken = config.num_experts_per_tok ?? PER_TOKEN_BY_DEFAULT;
  const router = { count: count2, perToken, scoring: "sigmoid", inFloat32: true, weightsInFloat32: true };
  const shared2 = feedForward5(config, config.moe_shared_expert_intermediate_size);
  return (ops, place, x) => {
    const { name } = place;
    const routed = ops.routed(`${name}.gate`, x, router);
    const narrowed = latent2 ? ops.linear(`${name}.fc1_latent_proj`, x, latent2, { bias }) : x;
    const chosen = ops.frame(
      narrowed,
      (input) => ops.experts(
        `${name}.experts`,
        input,
        routed,
        { count: count2, inner, isGated: false },
        (rows3) => activate(ops, "relu-squared", rows3)
      )
    );
    const widened = latent2 ? ops.linear(`${name}.fc2_latent_proj`, chosen, config.hidden_size, { bias }) : chosen;
    const common = ops.frame(x, (input) => shared2(ops, { ...place, name: `${name}.shared_experts` }, input));
    return ops.residual(widened, common);
  };
}

// engine/models/decoders/olmo.ts
import * as z40 from "zod";
var olmo2Config = decoderFields.extend({
  model_type: z40.literal("olmo2"),
  attention_bias: z40.boolean().default(false)
});
var olmo3Config = decoderFields.extend({
  model_type: z40.literal("olmo3"),
  attention_bias: z40.boolean().default(false),
  sliding_window: size.nullish().default(4096),
  layer_types: z40.array(z40.string()).nullish()
});
function olmo2(config, slides = () => false) {
  const mixer = attentionOf(config, {
    queryBias: config.attention_bias,
    outputBias: config.attention_bias,
    queryNorm: { norm: "rms-float32", ...allHeadsNorms },
    slides
  });
  const feedForward9 = gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size });
  return {
    ...llamaBlueprint(config, { mixer, feedForward: feedForward9 }),
    norm: "rms-float32",
    blockNorms: { afterMixer: "post_attention_layernorm", afterFeeding: "post_feedforward_layernorm" }
  };
}
function olmo3(config) {
  const { layer_types: types } = config;
  const slides = (index) => types ? types[index] === "sliding_attention" : (index + 1) % 4 !== 0;
  return { ...olmo2(config, slides), rotaryOf: (index) => slides(index) ? 1 : 0 };
}

// engine/models/decoders/paddleocr.ts
import * as z41 from "zod";
var paddleocrConfig = z41.object({
  model_type: z41.literal("paddleocr_vl"),
  tie_word_embeddings: z41.boolean().default(true),
  text_config: decoderFields.omit({ sliding_window: true }).extend({
    head_dim: size.nullish().default(128),
    use_bias: z41.boolean().default(false)
  }),
  vision_config: siglipConfig.omit({ vision_use_head: true }).extend({
    hidden_size: size.default(1152),
    intermediate_size: size.default(4304),
    num_hidden_layers: size.default(27),
    image_size: size.default(384),
    patch_size: size.default(14),
    spatial_merge_size: size.default(2)
  })
});
function paddleocr({ text_config: text, ...config }) {
  const { hidden_size: hidden, intermediate_size: inner, use_bias: bias } = text;
  const { vision_config: vision } = config;
  const merged = vision.hidden_size * vision.spatial_merge_size ** 2;
  return {
    ...llamaBlueprint(text, {
      mixer: attentionOf({ ...text, attention_dropout: 0 }, { queryBias: bias, outputBias: bias }),
      feedForward: gatedFeedForward({ hidden, inner, bias })
    }),
    isTied: config.tie_word_embeddings,
    root: "model.language_model",
    idle: (ops) => {
      siglip(ops, "model.visual.vision_model", { ...vision, vision_use_head: false });
      ops.idle(vision.hidden_size, (x) => ops.layerNorm("model.projector.pre_norm", x));
      idleLinear(ops, "model.projector.linear_1", merged, merged, true);
      idleLinear(ops, "model.projector.linear_2", merged, hidden, true);
    }
  };
}

// engine/models/decoders/phi3.ts
import * as z42 from "zod";
var phi3Config = decoderFields.extend({
  model_type: z42.literal("phi3"),
  resid_pdrop: probability.default(0),
  partial_rotary_factor: z42.number().min(0).max(1).default(1)
});
function phi3(config) {
  return {
    ...llamaBlueprint(config, {
      mixer: attentionOf(config, { joinsProjections: true, rotary: { alwaysJoins: true }, slides: () => true }),
      feedForward: joinedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size })
    }),
    rotarySize: Math.floor(headSizeOf(config) * config.partial_rotary_factor),
    resultDropout: config.resid_pdrop
  };
}

// engine/models/decoders/qwen3-next.ts
import * as z44 from "zod";

// engine/models/decoders/delta-net.ts
import * as z43 from "zod";
var hybridFields = {
  attention_bias: z43.boolean().default(false),
  head_dim: size.default(256),
  layer_types: z43.array(z43.string()).nullish(),
  linear_conv_kernel_dim: size.default(4),
  linear_key_head_dim: size.default(128),
  linear_value_head_dim: size.default(128),
  linear_num_key_heads: size.default(16),
  linear_num_value_heads: size.default(32),
  partial_rotary_factor: z43.number().min(0).max(1).default(0.25)
};
function hybridBlueprint(text, feedForward9, projection) {
  const isLinear = (index) => text.layer_types ? text.layer_types[index] === "linear_attention" : (index + 1) % 4 !== 0;
  const [linear2, full] = [deltaNet(text, projection), gatedAttention(text)];
  return {
    ...llamaBlueprint(text, {
      mixer: (ops, place, x) => (isLinear(place.index) ? linear2 : full)(ops, place, x),
      feedForward: feedForward9
    }),
    norm: "rms-one-plus",
    mixerName: (index) => isLinear(index) ? "linear_attn" : "self_attn",
    rotarySize: Math.floor(headSizeOf(text) * text.partial_rotary_factor)
  };
}
function gatedAttention(config) {
  return attentionOf(config, {
    queryBias: config.attention_bias,
    outputBias: config.attention_bias,
    queryNorm: { norm: "rms-one-plus", ...headNorms },
    isGated: true
  });
}
function deltaNet(config, projection) {
  const { linear_num_key_heads: keyHeads, linear_num_value_heads: heads2 } = config;
  const [keySize, valueSize] = [config.linear_key_head_dim, config.linear_value_head_dim];
  const [keys2, values] = [keyHeads * keySize, heads2 * valueSize];
  return (ops, { name }, x) => {
    const { joined, gate, a, b } = projection(ops, name, x, { keys: keys2, values, heads: heads2 });
    const convolved = ops.causalConvolution(`${name}.conv1d`, joined, { kernel: config.linear_conv_kernel_dim });
    const [query, key2, value] = ops.split(ops.silu(convolved), [keys2, keys2, values]);
    const repeat = (states) => heads2 === keyHeads ? states : ops.repeatHeads(states, heads2 / keyHeads, keyHeads);
    const context = ops.gatedDeltaRule(name, [repeat(query), repeat(key2), value], { a, b, heads: heads2 });
    const normalised2 = ops.rmsNorm(`${name}.norm`, context, { size: valueSize, scalesInFloat32: false });
    return ops.linear(`${name}.out_proj`, ops.gatedInFloat32(normalised2, gate), config.hidden_size, { bias: false });
  };
}

// engine/models/decoders/qwen3-next.ts
var qwen3NextConfig = decoderFields.extend({
  model_type: z44.literal("qwen3_next"),
  ...hybridFields,
  ...qwenSparse,
  shared_expert_intermediate_size: size.default(512)
});
function qwen3Next(config) {
  return hybridBlueprint(config, sharedAndSparse(config), joinedProjections);
}
function joinedProjections(ops, name, x, { keys: keys2, values, heads: heads2 }) {
  const parts = (part, sizes3) => {
    const features = sizes3.reduce((sum, size2) => sum + size2, 0);
    const joined = ops.linear(`${name}.${part}`, x, features, { bias: false });
    return ops.split(joined, sizes3).map((states) => ops.gathered(states));
  };
  const [query, key2, value, gate] = parts("in_proj_qkvz", [keys2, keys2, values, values]);
  const [b, a] = parts("in_proj_ba", [heads2, heads2]);
  return { joined: ops.concatenate([query, key2, value]), gate, a, b };
}

// engine/models/decoders/qwen35.ts
import * as z45 from "zod";
var vision_config = qwen3VisionConfig.omit({ deepstack_visual_indexes: true });
var qwen35Config = z45.object({
  model_type: z45.literal("qwen3_5"),
  tie_word_embeddings: z45.boolean().default(false),
  text_config: decoderFields.extend(hybridFields),
  vision_config
});
var qwen35MoeConfig = z45.object({
  model_type: z45.literal("qwen3_5_moe"),
  tie_word_embeddings: z45.boolean().default(false),
  text_config: decoderFields.omit({ intermediate_size: true }).extend({
    ...hybridFields,
    num_experts: size.default(256),
    num_experts_per_tok: size.default(8),
    moe_intermediate_size: size.default(512),
    shared_expert_intermediate_size: size.default(512)
  }),
  vision_config
});
function qwen35(config) {
  const { hidden_size: hidden, intermediate_size: inner } = config.text_config;
  return hybrid(config, gatedFeedForward({ hidden, inner }));
}
function qwen35Moe(config) {
  const { num_experts: count2, num_experts_per_tok: perToken, moe_intermediate_size: inner } = config.text_config;
  const sparse = sparseFeedForward({ router: { count: count2, perToken, scoring: "softmax" }, experts: { count: count2, inner } });
  const shared2 = {
    name: "shared_expert",
    inner: config.text_config.shared_expert_intermediate_size,
    gateName: "shared_expert_gate"
  };
  return hybrid(config, withSharedExperts(sparse, config.text_config.hidden_size, shared2));
}
function hybrid(config, feedForward9) {
  const text = { ...config.text_config, intermediate_size: 1 };
  return {
    ...hybridBlueprint(text, feedForward9, separateProjections),
    root: "model.language_model",
    isTied: config.tie_word_embeddings,
    idle: (ops) => qwen3Vision(ops, "model.visual", { ...config.vision_config, deepstack_visual_indexes: [] })
  };
}
function separateProjections(ops, name, x, { keys: keys2, values, heads: heads2 }) {
  const linear2 = (part, features) => ops.linear(`${name}.${part}`, x, features, { bias: false });
  const joined = linear2("in_proj_qkv", 2 * keys2 + values);
  const gate = linear2("in_proj_z", values);
  const [b, a] = [linear2("in_proj_b", heads2), linear2("in_proj_a", heads2)];
  return { joined, gate, a, b };
}

// engine/models/decoders/smolvlm.ts
import * as z46 from "zod";
var fields = {
  tie_word_embeddings: z46.boolean().default(false),
  text_config: llamaConfig,
  vision_config: siglipConfig.omit({ vision_use_head: true }).extend({
    hidden_size: size.default(1152),
    patch_size: size.default(32)
  }),
  /** Patches of a square's side that become one word. */
  scale_factor: size.default(2)
};
var smolvlmConfig = z46.object({ model_type: z46.literal("smolvlm"), ...fields });
var idefics3Config = z46.object({ model_type: z46.literal("idefics3"), ...fields });
function smolvlm(config) {
  const { text_config: text, vision_config: vision, scale_factor: scale } = config;
  return {
    ...llama(text),
    isTied: config.tie_word_embeddings,
    root: "model.text_model",
    idle: (ops) => {
      siglip(ops, "model.vision_model", { ...vision, vision_use_head: false });
      const projection = "model.connector.modality_projection.proj";
      idleLinear(ops, projection, vision.hidden_size * scale ** 2, text.hidden_size, false);
    }
  };
}

// engine/models/decoders/vision-language.ts
import * as z47 from "zod";
var languageModel = "model.language_model";
var gemma3VisionConfig = z47.object({
  model_type: z47.literal("gemma3"),
  text_config: gemma3Config.omit({ model_type: true }).extend({
    vocab_size: size.default(262208),
    hidden_size: size.default(2304),
    intermediate_size: size.default(9216),
    num_hidden_layers: size.default(26),
    num_attention_heads: size.default(8),
    num_key_value_heads: size.default(4),
    head_dim: size.default(256),
    max_position_embeddings: size.default(131072),
    sliding_window: size.nullish().default(4096)
  }),
  vision_config: siglipConfig
});
var mistral3Config = z47.object({
  model_type: z47.literal("mistral3"),
  tie_word_embeddings: z47.boolean().default(true),
  text_config: z47.discriminatedUnion("model_type", [mistralConfig, ministral3Config, mistral4Config]),
  vision_config: pixtralConfig,
  spatial_merge_size: size.default(2),
  multimodal_projector_bias: z47.boolean().default(false)
});
var qwen2Text = decoderFields.extend({ use_sliding_window: z47.boolean().default(false) });
var qwen2VlConfig = z47.object({
  model_type: z47.literal("qwen2_vl"),
  tie_word_embeddings: z47.boolean().default(false),
  text_config: qwen2Text,
  vision_config: qwen2VisionConfig
});
var qwen25VlConfig = z47.object({
  model_type: z47.literal("qwen2_5_vl"),
  tie_word_embeddings: z47.boolean().default(false),
  text_config: qwen2Text,
  vision_config: qwen25VisionConfig
});
var qwen3VlConfig = z47.object({
  model_type: z47.literal("qwen3_vl"),
  tie_word_embeddings: z47.boolean().default(false),
  text_config: qwen3Config.omit({ model_type: true }),
  vision_config: qwen3VisionConfig
});
var qwen3VlMoeConfig = z47.object({
  model_type: z47.literal("qwen3_vl_moe"),
  tie_word_embeddings: z47.boolean().default(false),
  text_config: qwen3MoeConfig.omit({ model_type: true }),
  vision_config: qwen3VisionConfig
});
function gemma3Vision({
  text_config: text,
  vision_config: vision
}) {
  return {
    ...gemma3(text),
    root: languageModel,
    idle: (ops) => {
      const projector = "model.multi_modal_projector";
      siglip(ops, "model.vision_tower", vision);
      table(ops, `${projector}.mm_input_projection_weight`, vision.hidden_size, text.hidden_size);
      idleRmsNorm(ops, `${projector}.mm_soft_emb_norm`, vision.hidden_size);
    }
  };
}
function mistral3(config) {
  const {
    text_config: text,
    vision_config: vision,
    spatial_merge_size: merge,
    multimodal_projector_bias: bias
  } = config;
  return {
    ...mistralText(text),
    isTied: config.tie_word_embeddings,
    root: languageModel,
    idle: (ops) => {
      const projector = "model.multi_modal_projector";
      pixtral(ops, "model.vision_tower", vision);
      idleRmsNorm(ops, `${projector}.norm`, vision.hidden_size);
      idleLinear(
        ops,
        `${projector}.patch_merger.merging_layer`,
        vision.hidden_size * merge ** 2,
        vision.hidden_size,
        false
      );
      idleLinear(ops, `${projector}.linear_1`, vision.hidden_size, text.hidden_size, bias);
      idleLinear(ops, `${projector}.linear_2`, text.hidden_size, text.hidden_size, bias);
    }
  };
}
function mistralText(text) {
  switch (text.model_type) {
    case "mistral":
      return mistral(text);
    case "ministral3":
      return ministral3(text);
    case "mistral4":
      return mistral4(text);
  }
}
function qwen2Vl(config) {
  return seeing(config, qwen2(config.text_config), (ops) => qwen2Vision(ops, "model.visual", config.vision_config));
}
function qwen25Vl(config) {
  return seeing(config, qwen2(config.text_config), (ops) => qwen25Vision(ops, "model.visual", config.vision_config));
}
function qwen3Vl(config) {
  return seeing(config, qwen3(config.text_config), (ops) => qwen3Vision(ops, "model.visual", config.vision_config));
}
function qwen3VlMoe(config) {
  return seeing(config, qwen3Moe(config.text_config), (ops) => qwen3Vision(ops, "model.visual", config.vision_config));
}
function seeing({ tie_word_embeddings: isTied }, text, idle) {
  return { ...text, isTied, root: languageModel, idle };
}

// engine/models/decoders/voxtral.ts
import * as z48 from "zod";
var KERNEL = 3;
var speechEncoderConfig = z48.object({
  hidden_size: size.default(1280),
  intermediate_size: size.default(5120),
  num_hidden_layers: size.default(32),
  num_mel_bins: size.default(128),
  max_source_positions: size.default(1500)
});
var voxtralConfig = z48.object({
  model_type: z48.literal("voxtral"),
  text_config: llamaConfig.extend({
    model_type: z48.literal("llama").default("llama"),
    vocab_size: size.default(131072),
    hidden_size: size.default(3072),
    intermediate_size: size.default(8192),
    num_hidden_layers: size.default(30),
    num_key_value_heads: size.nullish().default(8),
    head_dim: size.nullish().default(128),
    max_position_embeddings: size.default(131072)
  }),
  audio_config: speechEncoderConfig
});
function voxtral({ text_config: text, audio_config: audio }) {
  return {
    ...llama(text),
    root: "model.language_model",
    idle: (ops) => {
      const projector = "model.multi_modal_projector";
      speechEncoder(ops, "model.audio_tower", audio);
      idleLinear(ops, `${projector}.linear_1`, audio.intermediate_size, text.hidden_size, false);
      idleLinear(ops, `${projector}.linear_2`, text.hidden_size, text.hidden_size, false);
    }
  };
}
function speechEncoder(ops, root3, config) {
  const { hidden_size: hidden, intermediate_size: inner } = config;
  patches(ops, `${root3}.conv1`, hidden, config.num_mel_bins * KERNEL, { bias: true });
  patches(ops, `${root3}.conv2`, hidden, hidden * KERNEL, { bias: true });
  table(ops, `${root3}.embed_positions`, config.max_source_positions, hidden);
  tower(ops, `${root3}.layers`, config.num_hidden_layers, hidden, {
    norms: ["self_attn_layer_norm", "final_layer_norm"],
    normKind: "layer",
    linears: [
      ["self_attn.k_proj", hidden, hidden, false],
      ["self_attn.v_proj", hidden, hidden],
      ["self_attn.q_proj", hidden, hidden],
      ["self_attn.out_proj", hidden, hidden],
      ["fc1", hidden, inner],
      ["fc2", inner, hidden]
    ],
    bias: true
  });
  ops.idle(hidden, (x) => ops.layerNorm(`${root3}.layer_norm`, x));
}

// engine/models/decoders/families.ts
var decoderConfigs = [
  llamaConfig,
  mistralConfig,
  ministral3Config,
  smollm3Config,
  seedOssConfig,
  arceeConfig,
  graniteConfig,
  qwen2Config,
  qwen3Config,
  gemmaConfig,
  gemma2Config,
  gemma3Config,
  phi3Config,
  olmo2Config,
  olmo3Config,
  hunyuanConfig,
  ernieConfig,
  glm4Config,
  starcoder2Config,
  stablelmConfig,
  nemotronConfig,
  apertusConfig,
  cohereConfig,
  cohere2Config,
  mimoConfig,
  lfm2Config,
  lfm2MoeConfig,
  lfm2VlConfig,
  kimiLinearConfig,
  minimaxM2Config,
  afmoeConfig,
  mixtralConfig,
  llama4Config,
  llavaConfig,
  smolvlmConfig,
  idefics3Config,
  qwen2MoeConfig,
  qwen3MoeConfig,
  olmoeConfig,
  gptOssConfig,
  falconH1Config,
  jambaConfig,
  nemotronHConfig,
  graniteHybridConfig,
  graniteMoeConfig,
  graniteMoeSharedConfig,
  qwen3NextConfig,
  qwen35Config,
  qwen35MoeConfig,
  deepseekV2Config,
  deepseekV3Config,
  deepseekV32Config,
  glmMoeDsaConfig,
  glm4MoeLiteConfig,
  glm4MoeConfig,
  mistral4Config,
  gemma3VisionConfig,
  mistral3Config,
  qwen2VlConfig,
  qwen25VlConfig,
  qwen3VlConfig,
  qwen3VlMoeConfig,
  glm4vConfig,
  internvlConfig,
  paddleocrConfig,
  voxtralConfig
];
function blueprintOf(config) {
  switch (config.model_type) {
    case "llama":
      return llama(config);
    case "mistral":
      return mistral(config);
    case "ministral3":
      return ministral3(config);
    case "smollm3":
      return smollm3(config);
    case "seed_oss":
      return seedOss(config);
    case "arcee":
      return arcee(config);
    case "granite":
      return granite(config);
    case "qwen2":
      return qwen2(config);
    case "qwen3":
      return qwen3(config);
    case "gemma":
      return gemma(config);
    case "gemma2":
      return gemma2(config);
    case "gemma3_text":
      return gemma3(config);
    case "phi3":
      return phi3(config);
    case "olmo2":
      return olmo2(config);
    case "olmo3":
      return olmo3(config);
    case "hunyuan_v1_dense":
      return hunyuan(config);
    case "ernie4_5":
      return ernie(config);
    case "glm4":
      return glm4(config);
    case "starcoder2":
      return starcoder2(config);
    case "stablelm":
      return stablelm(config);
    case "nemotron":
      return nemotron(config);
    case "apertus":
      return apertus(config);
    case "cohere":
      return cohere(config);
    case "cohere2":
      return cohere2(config);
    case "mimo":
      return mimo(config);
    case "lfm2":
      return lfm2(config);
    case "lfm2_moe":
      return lfm2Moe(config);
    case "llama4":
      return llama4(config);
    case "llava":
      return llava(config);
    case "smolvlm":
    case "idefics3":
      return smolvlm(config);
    case "lfm2_vl":
      return lfm2Vl(config);
    case "kimi_linear":
      return kimiLinear(config);
    case "minimax_m2":
      return minimaxM2(config);
    case "afmoe":
      return afmoe(config);
    case "mixtral":
      return mixtral(config);
    case "qwen2_moe":
      return qwen2Moe(config);
    case "qwen3_moe":
      return qwen3Moe(config);
    case "olmoe":
      return olmoe(config);
    case "qwen3_next":
      return qwen3Next(config);
    case "qwen3_5":
      return qwen35(config);
    case "qwen3_5_moe":
      return qwen35Moe(config);
    case "jamba":
      return jamba(config);
    case "falcon_h1":
      return falconH1(config);
    case "nemotron_h":
      return nemotronH(config);
    case "granitemoe":
    case "granitemoeshared":
      return graniteMoe(config);
    case "granitemoehybrid":
      return graniteHybrid(config);
    case "gpt_oss":
      return gptOss(config);
    case "deepseek_v2":
    case "deepseek_v3":
    case "glm4_moe_lite":
      return deepseek(config);
    case "deepseek_v32":
    case "glm_moe_dsa":
      return deepseekV32(config);
    case "glm4_moe":
      return glm4Moe(config);
    case "mistral4":
      return mistral4(config);
    case "gemma3":
      return gemma3Vision(config);
    case "mistral3":
      return mistral3(config);
    case "qwen2_vl":
      return qwen2Vl(config);
    case "qwen2_5_vl":
      return qwen25Vl(config);
    case "qwen3_vl":
      return qwen3Vl(config);
    case "qwen3_vl_moe":
      return qwen3VlMoe(config);
    case "glm4v":
    case "glm46v":
      return glm4v(config);
    case "internvl":
      return internvl(config);
    case "paddleocr_vl":
      return paddleocr(config);
    case "voxtral":
      return voxtral(config);
  }
}

// engine/models/decoders/float32-attention.ts
import * as z49 from "zod";
var gptjConfig = z49.object({
  model_type: z49.literal("gptj"),
  vocab_size: size.default(50400),
  n_positions: size.default(2048),
  n_embd: size.default(4096),
  n_layer: size.default(28),
  n_head: size.default(16),
  n_inner: size.nullish(),
  rotary_dim: size.default(64),
  activation_function: z49.literal("gelu_new").default("gelu_new"),
  resid_pdrop: probability.default(0),
  embd_pdrop: probability.default(0),
  attn_pdrop: probability.default(0),
  tie_word_embeddings: z49.literal(false, { error: "GPT-J with tied word embeddings is not supported" }).default(false)
});
var gptNeoConfig = z49.object({
  model_type: z49.literal("gpt_neo"),
  vocab_size: size.default(50257),
  max_position_embeddings: size.default(2048),
  hidden_size: size.default(2048),
  num_layers: size.default(24),
  num_heads: size.default(16),
  intermediate_size: size.nullish(),
  /** Which kinds of layers follow each other how often; what they keep is the same. */
  attention_types: z49.array(z49.tuple([z49.array(z49.enum(["global", "local"])), z49.number().int()])).nullish(),
  activation_function: z49.literal("gelu_new").default("gelu_new"),
  resid_dropout: probability.default(0),
  embed_dropout: probability.default(0),
  attention_dropout: probability.default(0)
});
function gptj(ops, config, task, labels) {
  const words2 = ops.embedding("transformer.wte", ops.input, config.vocab_size, config.n_embd);
  ops.positionIds(config.n_layer * config.n_positions * config.rotary_dim / 2);
  let x = ops.dropout(words2, config.embd_pdrop);
  for (let index = 0; index < config.n_layer; index++) {
    x = ops.block(x, (input) => gptjBlock(ops, config, `transformer.h.${index}`, input));
  }
  const output = ops.layerNorm("transformer.ln_f", x);
  return task === "causal-lm" ? ops.linear("lm_head", output, config.vocab_size) : ops.lastToken(ops.linear("score", output, labels, { bias: false }));
}
function gptjBlock(ops, config, name, x) {
  const { n_embd: hidden, n_head: heads2, n_inner: inner, rotary_dim: rotarySize, resid_pdrop: dropout } = config;
  const normalised2 = ops.layerNorm(`${name}.ln_1`, x);
  const [query, key2, value] = projected(ops, `${name}.attn`, normalised2, hidden);
  const turned = (part) => ops.rotary(part, ops.rotaryTable(part, rotarySize), heads2);
  const context = ops.attention(turned(query), ops.cached(turned(key2)), ops.cached(value), {
    heads: heads2,
    causal: true,
    dropout: config.attn_pdrop,
    inFloat32: true
  });
  const attended = ops.dropout(ops.linear(`${name}.attn.out_proj`, context, hidden, { bias: false }), dropout);
  const widened = ops.geluNew(ops.linear(`${name}.mlp.fc_in`, normalised2, inner ?? 4 * hidden));
  const fed = ops.dropout(ops.linear(`${name}.mlp.fc_out`, widened, hidden), dropout);
  return ops.residual(ops.residual(attended, fed), x);
}
function gptNeo(ops, config, tokens, task, labels) {
  const { vocab_size, hidden_size: hidden } = config;
  const words2 = ops.embedding("transformer.wte", ops.input, vocab_size, hidden);
  const places = ops.constantEmbedding("transformer.wpe", config.max_position_embeddings, hidden, tokens);
  ops.positionIds(config.num_layers * config.max_position_embeddings ** 2 / 8);
  let x = ops.dropout(ops.add(words2, places), config.embed_dropout);
  for (let index = 0; index < config.num_layers; index++) {
    x = ops.block(x, (input) => gptNeoBlock(ops, config, `transformer.h.${index}`, input));
  }
  const output = ops.layerNorm("transformer.ln_f", x);
  return task === "causal-lm" ? ops.linear("lm_head", output, vocab_size, { bias: false, tiedTo: "transformer.wte.weight" }) : ops.lastToken(ops.linear("score", output, labels, { bias: false }));
}
function gptNeoBlock(ops, config, name, x) {
  const { hidden_size: hidden, num_heads: heads2, intermediate_size: inner, resid_dropout: dropout } = config;
  const attention8 = `${name}.attn.attention`;
  const [query, key2, value] = projected(ops, attention8, ops.layerNorm(`${name}.ln_1`, x), hidden);
  const context = ops.attention(query, ops.cached(key2), ops.cached(value), {
    heads: heads2,
    causal: true,
    dropout: config.attention_dropout,
    inFloat32: true
  });
  const attended = ops.residual(ops.dropout(ops.linear(`${attention8}.out_proj`, context, hidden), dropout), x);
  const normalised2 = ops.layerNorm(`${name}.ln_2`, attended);
  const widened = ops.geluNew(ops.linear(`${name}.mlp.c_fc`, normalised2, inner ?? 4 * hidden));
  return ops.residual(attended, ops.dropout(ops.linear(`${name}.mlp.c_proj`, widened, hidden), dropout));
}
function projected(ops, name, x, hidden) {
  return ["q_proj", "k_proj", "v_proj"].map((part) => ops.linear(`${name}.${part}`, x, hidden, { bias: false }));
}

// engine/models/decoders/gemma3n.ts
import * as z52 from "zod";

// engine/models/vision/gemma3n-towers.ts
import * as z50 from "zod";
var MOBILENET_PARAMETERS = 294126912;
var CONVOLUTION_KERNEL = 3 * 3;
var gemma3nVisionConfig = z50.object({
  architecture: z50.literal("mobilenetv5_300m_enc").default("mobilenetv5_300m_enc"),
  hidden_size: size.default(2048),
  vocab_size: size.default(128)
}).prefault({});
var gemma3nAudioConfig = z50.object({
  hidden_size: size.default(1536),
  vocab_size: size.default(128),
  input_feat_size: size.default(128),
  conf_num_attention_heads: size.default(8),
  conf_num_hidden_layers: size.default(12),
  conf_conv_kernel_size: size.default(5),
  sscp_conv_channel_size: z50.tuple([size, size]).default([128, 32])
}).prefault({});
function gemma3nVision(ops) {
  table(ops, "model.vision_tower", 1, MOBILENET_PARAMETERS);
}
function gemma3nAudio(ops, config) {
  const root3 = "model.audio_tower";
  const sampling = `${root3}.subsample_conv_projection`;
  const { hidden_size: hidden, input_feat_size: mel } = config;
  const [first, second] = config.sscp_conv_channel_size;
  table(ops, `${sampling}.conv_0`, first, CONVOLUTION_KERNEL + 1);
  table(ops, `${sampling}.conv_1`, second, first * CONVOLUTION_KERNEL + 1);
  idleLinear(ops, `${sampling}.input_proj_linear`, second * Math.ceil(mel / 4), hidden, false);
  for (let index = 0; index < config.conf_num_hidden_layers; index++)
    conformer(ops, `${root3}.conformer.${index}`, config);
}
function conformer(ops, name, config) {
  const { hidden_size: hidden, conf_num_attention_heads: heads2 } = config;
  const linears3 = (part, names, [from, to] = [hidden, hidden]) => {
    for (const each of names) idleLinear(ops, `${name}.${part}.${each}`, from, to, false);
  };
  const norms2 = (part, names) => {
    for (const each of names) idleRmsNorm(ops, `${name}.${part}.${each}`, hidden);
  };
  for (const part of ["ffw_layer_start", "ffw_layer_end"]) {
    linears3(part, ["ffw_layer_1"], [hidden, 4 * hidden]);
    linears3(part, ["ffw_layer_2"], [4 * hidden, hidden]);
    norms2(part, ["pre_layer_norm", "post_layer_norm"]);
  }
  linears3("attention.attn", ["q_proj", "k_proj", "v_proj", "relative_position_embedding.pos_proj"]);
  linears3("attention", ["post"]);
  norms2("attention", ["pre_attn_norm", "post_norm"]);
  table(ops, `${name}.attention.attn.per_dim_scale`, 1, hidden / heads2);
  linears3("lconv1d", ["linear_start"], [hidden, 2 * hidden]);
  linears3("lconv1d", ["linear_end"]);
  norms2("lconv1d", ["pre_layer_norm", "conv_norm"]);
  table(ops, `${name}.lconv1d.depthwise_conv1d`, hidden, config.conf_conv_kernel_size);
  idleRmsNorm(ops, `${name}.norm`, hidden);
}

// engine/models/decoders/per-layer-embeddings.ts
function layerInputs(ops, root3, words2, { layers: layers2, vocabulary, size: size2 }) {
  const looked = ops.scale(ops.embedding(`${root3}.embed_tokens_per_layer`, ops.input, vocabulary, layers2 * size2));
  const projected2 = ops.linear(`${root3}.per_layer_model_projection`, words2, layers2 * size2, { bias: false });
  const normalised2 = ops.rmsNorm(`${root3}.per_layer_projection_norm`, ops.scale(projected2), {
    size: size2,
    scalesInFloat32: true
  });
  return ops.scale(ops.add(normalised2, looked));
}
function gatedByInput(ops, name, x, vector, { hidden, size: size2 }) {
  const gate = ops.gelu(ops.linear(`${name}.per_layer_input_gate`, x, size2, { bias: false }));
  const widened = ops.linear(`${name}.per_layer_projection`, ops.multiply(gate, vector), hidden, { bias: false });
  return ops.rmsNorm(`${name}.post_per_layer_input_norm`, widened, { size: hidden, scalesInFloat32: true });
}

// engine/models/decoders/sharing-attention.ts
import * as z51 from "zod";
var layerKinds = ["sliding_attention", "full_attention"];
var sharingFields = {
  layer_types: z51.array(z51.enum(layerKinds)).max(1e4).nullish(),
  /** Layers at the end that take over what they attend to. */
  num_kv_shared_layers: z51.number().int().min(0).max(1e7).default(0),
  attention_bias: z51.boolean().default(false),
  sliding_window: size.default(512)
};
function keysAndValuesOf(layers2, index, kindOf5) {
  const first = layers2.num_hidden_layers - layers2.num_kv_shared_layers;
  if (first > 0 && index >= first) return "of-an-earlier-layer";
  for (let later = index + 1; later < first; later++) if (kindOf5(later) === kindOf5(index)) return "own";
  return "own-for-later-layers";
}
function sharingAttention(ops, name, x, layer6, { table: table3, shared: shared2 }) {
  const { heads: heads2, keyValueHeads, headSize, bias } = layer6;
  const projected2 = ops.linear(`${name}.q_proj`, x, heads2 * headSize, { bias });
  const query = ops.rotary(norm(ops, `${name}.q_norm`, projected2, headSize), table3, heads2);
  const earlier = layer6.keysAndValues === "of-an-earlier-layer" ? shared2.get(layer6.kind) : void 0;
  const [keys2, values] = earlier ?? ownStates(ops, name, x, layer6, table3);
  if (layer6.keysAndValues === "own-for-later-layers") {
    shared2.set(layer6.kind, [keys2, values]);
    ops.handOn([keys2, values]);
  }
  const context = ops.attention(query, keys2, values, {
    heads: heads2,
    keyValueHeads,
    causal: true,
    dropout: layer6.dropout,
    window: layer6.window,
    castsSoftmax: true
  });
  return ops.linear(`${name}.o_proj`, context, layer6.hidden, { bias });
}
function ownStates(ops, name, x, { keyValueHeads, headSize, bias, keysAreValues }, table3) {
  const features = keyValueHeads * headSize;
  const key2 = ops.linear(`${name}.k_proj`, x, features, { bias });
  const value = keysAreValues ? key2 : ops.linear(`${name}.v_proj`, x, features, { bias });
  const keys2 = ops.rotary(norm(ops, `${name}.k_norm`, key2, headSize), table3, keyValueHeads);
  const values = ops.rmsNorm(`${name}.v_norm`, value, { size: headSize, scalesInFloat32: true, isUnweighted: true });
  return [ops.cached(keys2), ops.cached(values)];
}
function norm(ops, name, x, size2) {
  return ops.rmsNorm(name, x, { size: size2, scalesInFloat32: true });
}

// engine/models/decoders/gemma3n.ts
var MAX_STREAMS = 64;
var textConfig2 = z52.object({
  vocab_size: size.default(262400),
  hidden_size: size.default(2048),
  /** Of all layers, or of each. */
  intermediate_size: z52.union([size, z52.array(size).min(1).max(1e4)]).default(16384),
  num_hidden_layers: size.default(35),
  num_attention_heads: size.default(8),
  num_key_value_heads: size.default(2),
  head_dim: size.default(256),
  max_position_embeddings: size.default(32768),
  attention_dropout: probability.default(0),
  final_logit_softcapping: z52.number().nullish().default(30),
  ...sharingFields,
  num_kv_shared_layers: sharingFields.num_kv_shared_layers.default(15),
  vocab_size_per_layer_input: size.default(262144),
  hidden_size_per_layer_input: size.default(256),
  altup_num_inputs: z52.number().int().min(2).max(MAX_STREAMS).default(4),
  altup_correct_scale: z52.boolean().default(true),
  laurel_rank: size.default(64),
  /** The share of a layer's activations that is dropped. */
  activation_sparsity_pattern: z52.array(probability).max(1e4).nullish()
});
var tied2 = { tie_word_embeddings: z52.boolean().default(true) };
var gemma3nTextConfig = textConfig2.extend({ model_type: z52.literal("gemma3n_text"), ...tied2 });
var gemma3nConfig = z52.object({
  model_type: z52.literal("gemma3n"),
  ...tied2,
  text_config: textConfig2,
  vision_config: gemma3nVisionConfig,
  audio_config: gemma3nAudioConfig
});
var FULL_LAYER_EVERY = 5;
var SPARSE_LAYERS = 10;
function gemma3n(ops, config, task, labels) {
  const isText = config.model_type === "gemma3n_text";
  const text = isText ? config : config.text_config;
  const root3 = isText ? "model" : "model.language_model";
  const { hidden_size: hidden, num_hidden_layers: layers2, hidden_size_per_layer_input: inputSize } = text;
  const embedded2 = ops.scale(ops.embedding(`${root3}.embed_tokens`, ops.input, text.vocab_size, hidden));
  const given = ops.withInputGradients(embedded2);
  const words2 = isText ? given : withOtherTokens(ops, config, given);
  const sizes3 = { layers: layers2, vocabulary: text.vocab_size_per_layer_input, size: inputSize };
  const vectors = layerInputs(ops, root3, words2, sizes3);
  const turning = [0, 1].map(() => ops.rotaryTable(words2, text.head_dim));
  const tables = { full_attention: turning[0], sliding_attention: turning[1] };
  let streams = spread(ops, root3, text, words2);
  const shared2 = /* @__PURE__ */ new Map();
  for (let index = 0; index < layers2; index++) {
    const [vector = vectors] = ops.slices(vectors, [inputSize]);
    const attention8 = attentionOf2(text, index);
    const layer6 = { name: `${root3}.layers.${index}`, index, attention: attention8, vector, table: tables[attention8.kind], shared: shared2 };
    const alsoRead = [vector, ...[...shared2.values()].flat()];
    streams = ops.block(streams, (input) => decoderLayer2(ops, text, layer6, input), alsoRead);
  }
  const output = {
    root: root3,
    vocabulary: text.vocab_size,
    hidden,
    isTied: config.tie_word_embeddings,
    norm: "rms-float32",
    logits: text.final_logit_softcapping ? "capped" : "plain"
  };
  return outputLayer(ops, output, gathered(ops, root3, text, streams), task, labels);
}
function withOtherTokens(ops, config, words2) {
  const { hidden_size: hidden } = config.text_config;
  gemma3nVision(ops);
  gemma3nAudio(ops, config.audio_config);
  const seen = ops.gemma3n.either(otherTokens(ops, "model.embed_vision", config.vision_config, hidden), words2);
  return ops.gemma3n.either(otherTokens(ops, "model.embed_audio", config.audio_config, hidden), seen);
}
function otherTokens(ops, name, source, hidden) {
  const looked = ops.embedding(`${name}.embedding`, ops.input, source.vocab_size, source.hidden_size);
  const normalised2 = norm(ops, `${name}.hard_embedding_norm`, looked, source.hidden_size);
  idleRmsNorm(ops, `${name}.soft_embedding_norm`, source.hidden_size);
  const projected2 = ops.linear(`${name}.embedding_projection`, normalised2, hidden, { bias: false });
  return ops.rmsNorm(`${name}.embedding_post_projection_norm`, projected2, {
    size: hidden,
    scalesInFloat32: true,
    isUnweighted: true
  });
}
function spread(ops, root3, text, words2) {
  const magnitude = ops.gemma3n.magnitude(words2);
  const others3 = ofOtherStreams(
    text,
    (index) => ops.gemma3n.scaledTo(
      magnitude,
      ops.linear(`${root3}.altup_projections.${index}`, words2, text.hidden_size, { bias: false })
    )
  );
  return ops.gemma3n.stacked([words2, ...others3]);
}
function gathered(ops, root3, text, streams) {
  const first = ops.gemma3n.stream(streams);
  const magnitude = ops.gemma3n.magnitude(first);
  const others3 = ofOtherStreams(text, (index) => {
    const stream = ops.gemma3n.stream(streams);
    const name = `${root3}.altup_unembed_projections.${index}`;
    return ops.gemma3n.scaledTo(magnitude, ops.linear(name, stream, text.hidden_size, { bias: false }));
  });
  return ops.gemma3n.mean(ops.gemma3n.stacked([first, ...others3]));
}
function ofOtherStreams({ altup_num_inputs: streams }, make) {
  return Array.from({ length: streams - 1 }, (_, index) => make(index));
}
function attentionOf2(text, index) {
  const kind = kindOf(text, index);
  return {
    kind,
    heads: text.num_attention_heads,
    keyValueHeads: text.num_key_value_heads,
    headSize: text.head_dim,
    hidden: text.hidden_size,
    bias: text.attention_bias,
    dropout: text.attention_dropout,
    window: kind === "full_attention" ? void 0 : text.sliding_window,
    keysAreValues: false,
    keysAndValues: keysAndValuesOf(text, index, (at) => kindOf(text, at))
  };
}
function kindOf(text, index) {
  const byDefault2 = (index + 1) % FULL_LAYER_EVERY === 0 ? "full_attention" : "sliding_attention";
  return text.layer_types?.[index] ?? byDefault2;
}
function decoderLayer2(ops, text, layer6, streams) {
  const { name } = layer6;
  const { hidden_size: hidden, altup_num_inputs: count2, hidden_size_per_layer_input: size2 } = text;
  const predictions = predicted(ops, `${name}.altup`, text, streams);
  const active = ops.gemma3n.stream(predictions);
  const normalised2 = ops.local(norm(ops, `${name}.input_layernorm`, active, hidden));
  const beside2 = ops.frame(normalised2, (input) => laurel(ops, `${name}.laurel`, text, input));
  const mixed = ops.frame(
    normalised2,
    (input) => sharingAttention(ops, `${name}.self_attn`, input, layer6.attention, layer6)
  );
  const attended = ops.residual(norm(ops, `${name}.post_attention_layernorm`, mixed, hidden), active);
  const between = ops.scale(ops.residual(beside2, attended));
  const forFeeding = ops.local(norm(ops, `${name}.pre_feedforward_layernorm`, between, hidden));
  const fed = ops.local(ops.frame(forFeeding, (input) => perceptron(ops, text, layer6, input)));
  const result = ops.residual(norm(ops, `${name}.post_feedforward_layernorm`, fed, hidden), between);
  const modalities = routedStreams(ops, `${name}.altup`, text, result);
  const coefficients = ops.linear(`${name}.altup.correction_coefs`, modalities, count2, { bias: false });
  const corrected = ops.gemma3n.corrected(predictions, ops.local(result), coefficients);
  const first = ops.gathered(ops.gemma3n.stream(corrected));
  const scaled = text.altup_correct_scale ? ops.layerScale(`${name}.altup.correct_output_scale`, first) : first;
  return ops.gemma3n.addedToOthers(corrected, gatedByInput(ops, name, scaled, layer6.vector, { hidden, size: size2 }));
}
function predicted(ops, name, text, streams) {
  const modalities = routedStreams(ops, name, text, ops.gemma3n.stream(streams));
  const features = text.altup_num_inputs ** 2;
  const coefficients = ops.linear(`${name}.prediction_coefs`, modalities, features, { bias: false });
  return ops.gemma3n.predicted(streams, coefficients);
}
function routedStreams(ops, name, text, x) {
  const inputs = ops.scale(norm(ops, `${name}.router_norm`, x, text.hidden_size));
  return ops.tanh(ops.linear(`${name}.modality_router`, inputs, text.altup_num_inputs, { bias: false }));
}
function laurel(ops, name, text, x) {
  const narrow = ops.linear(`${name}.linear_left`, x, text.laurel_rank, { bias: false });
  const wide = ops.linear(`${name}.linear_right`, narrow, text.hidden_size, { bias: false });
  return ops.residual(norm(ops, `${name}.post_laurel_norm`, wide, text.hidden_size), x);
}
function perceptron(ops, text, { name, index }, x) {
  const { intermediate_size: sizes3, activation_sparsity_pattern: sparsity, num_hidden_layers: layers2 } = text;
  const inner = typeof sizes3 === "number" ? sizes3 : sizes3[index] ?? 1;
  const isSparse = sparsity ? (sparsity[index] ?? 0) > 0 : layers2 > SPARSE_LAYERS && index < SPARSE_LAYERS;
  const gate = ops.linear(`${name}.mlp.gate_proj`, x, inner, { bias: false });
  const activated = ops.gelu(isSparse ? ops.gemma3n.sparsified(gate) : gate);
  const product = ops.multiply(activated, ops.linear(`${name}.mlp.up_proj`, x, inner, { bias: false }));
  return ops.linear(`${name}.mlp.down_proj`, product, text.hidden_size, { bias: false });
}

// engine/models/decoders/gemma4.ts
import * as z54 from "zod";

// engine/models/vision/gemma4-towers.ts
import * as z53 from "zod";
var CHANNELS = 3;
var gemma4VisionConfig = z53.object({
  hidden_size: size.default(768),
  intermediate_size: size.default(3072),
  num_hidden_layers: size.default(16),
  num_attention_heads: size.default(12),
  num_key_value_heads: size.default(12),
  head_dim: size.default(64),
  patch_size: size.default(16),
  position_embedding_size: size.default(10240)
});
var gemma4AudioConfig = z53.object({
  hidden_size: size.default(1024),
  num_hidden_layers: size.default(12),
  num_attention_heads: size.default(8),
  subsampling_conv_channels: z53.tuple([size, size]).default([128, 32]),
  conv_kernel_size: size.default(5),
  output_proj_dims: size.default(1536)
});
var unifiedVisionConfig = z53.object({
  patch_size: size.default(16),
  pooling_kernel_size: size.default(3),
  mm_embed_dim: size.default(3840),
  mm_posemb_size: size.default(1120)
});
var unifiedAudioConfig = z53.object({ audio_embed_dim: size.default(640) });
function gemma4Vision(ops, config, words2) {
  const root3 = "model.vision_tower";
  const { hidden_size: hidden, intermediate_size: inner, head_dim: headSize } = config;
  const [queries, keys2] = [config.num_attention_heads * headSize, config.num_key_value_heads * headSize];
  table(ops, `${root3}.patch_embedder.position_embedding_table`, 2 * config.position_embedding_size, hidden);
  idleLinear(ops, `${root3}.patch_embedder.input_proj`, CHANNELS * config.patch_size ** 2, hidden, false);
  for (let index = 0; index < config.num_hidden_layers; index++) {
    const name = `${root3}.encoder.layers.${index}`;
    wrapped(ops, `${name}.self_attn`, [
      ["q_proj", hidden, queries],
      ["k_proj", hidden, keys2],
      ["v_proj", hidden, keys2],
      ["o_proj", queries, hidden]
    ]);
    wrapped(ops, `${name}.mlp`, [
      ["gate_proj", hidden, inner],
      ["up_proj", hidden, inner],
      ["down_proj", inner, hidden]
    ]);
    for (const part of ["q_norm", "k_norm"]) idleRmsNorm(ops, `${name}.self_attn.${part}`, headSize);
    norms(ops, name, hidden, [
      "input_layernorm",
      "post_attention_layernorm",
      "pre_feedforward_layernorm",
      "post_feedforward_layernorm"
    ]);
  }
  idleLinear(ops, "model.embed_vision.embedding_projection", hidden, words2, false);
}
function gemma4Audio(ops, config, words2) {
  const root3 = "model.audio_tower";
  const { hidden_size: hidden, output_proj_dims: outside } = config;
  const [first, second] = config.subsampling_conv_channels;
  const sampling = `${root3}.subsample_conv_projection`;
  table(ops, `${sampling}.layer0`, first, 3 * 3 + 1);
  table(ops, `${sampling}.layer1`, second, first * 3 * 3 + 1);
  idleLinear(ops, `${sampling}.input_proj_linear`, Math.floor(first / 4) * second, hidden, false);
  for (let index = 0; index < config.num_hidden_layers; index++) conformer2(ops, `${root3}.layers.${index}`, config);
  idleLinear(ops, `${root3}.output_proj`, hidden, outside, true);
  idleLinear(ops, "model.embed_audio.embedding_projection", outside, words2, false);
}
function conformer2(ops, name, config) {
  const { hidden_size: hidden } = config;
  for (const part of ["feed_forward1", "feed_forward2"]) {
    wrapped(ops, `${name}.${part}`, [
      ["ffw_layer_1", hidden, 4 * hidden],
      ["ffw_layer_2", 4 * hidden, hidden]
    ]);
    norms(ops, `${name}.${part}`, hidden, ["pre_layer_norm", "post_layer_norm"]);
  }
  wrapped(
    ops,
    `${name}.self_attn`,
    ["q_proj", "k_proj", "v_proj", "post"].map((part) => [part, hidden, hidden])
  );
  idleLinear(ops, `${name}.self_attn.relative_k_proj`, hidden, hidden, false);
  table(ops, `${name}.self_attn.per_dim_scale`, 1, hidden / config.num_attention_heads);
  wrapped(ops, `${name}.lconv1d`, [
    ["linear_start", hidden, 2 * hidden],
    ["linear_end", hidden, hidden]
  ]);
  table(ops, `${name}.lconv1d.depthwise_conv1d`, hidden, config.conv_kernel_size);
  norms(ops, `${name}.lconv1d`, hidden, ["pre_layer_norm", "conv_norm"]);
  norms(ops, name, hidden, ["norm_pre_attn", "norm_post_attn", "norm_out"]);
}
function unifiedEmbedders(ops, config, words2) {
  const { vision_config: vision, audio_config: audio } = config;
  if (vision) {
    const root3 = "model.embed_vision";
    const patch = CHANNELS * (vision.patch_size * vision.pooling_kernel_size) ** 2;
    const hidden = vision.mm_embed_dim;
    table(ops, `${root3}.pos_embedding`, 2 * vision.mm_posemb_size, hidden);
    ops.idle(patch, (x) => ops.layerNorm(`${root3}.patch_ln1`, x));
    idleLinear(ops, `${root3}.patch_dense`, patch, hidden, true);
    for (const part of ["patch_ln2", "pos_norm"]) ops.idle(hidden, (x) => ops.layerNorm(`${root3}.${part}`, x));
    idleLinear(ops, `${root3}.multimodal_embedder.embedding_projection`, hidden, words2, false);
  }
  if (audio) idleLinear(ops, "model.embed_audio.embedding_projection", audio.audio_embed_dim, words2, false);
}
function wrapped(ops, root3, linears3) {
  for (const [part, from, to] of linears3) idleLinear(ops, `${root3}.${part}.linear`, from, to, false);
}
function norms(ops, root3, hidden, parts) {
  for (const part of parts) idleRmsNorm(ops, `${root3}.${part}`, hidden);
}

// engine/models/decoders/gemma4.ts
var textConfig3 = z54.object({
  vocab_size: size.default(262144),
  hidden_size: size.default(2304),
  intermediate_size: size.default(9216),
  num_hidden_layers: size.default(30),
  num_attention_heads: size.default(8),
  num_key_value_heads: size.default(4),
  head_dim: size.default(256),
  /** Of full layers. */
  global_head_dim: size.default(512),
  num_global_key_value_heads: size.nullish(),
  max_position_embeddings: size.default(131072),
  attention_dropout: probability.default(0),
  final_logit_softcapping: z54.number().nullish(),
  /** Full layers project keys alone. */
  attention_k_eq_v: z54.boolean().default(false),
  use_double_wide_mlp: z54.boolean().default(false),
  ...sharingFields,
  vocab_size_per_layer_input: size.default(262144),
  hidden_size_per_layer_input: z54.number().int().min(0).max(1e6).default(256),
  enable_moe_block: z54.boolean().default(false),
  num_experts: size.nullish(),
  top_k_experts: size.nullish(),
  moe_intermediate_size: size.nullish()
});
var tied3 = { tie_word_embeddings: z54.boolean().default(true) };
var gemma4TextConfig = textConfig3.extend({ model_type: z54.literal("gemma4_text"), ...tied3 });
var gemma4Config = z54.object({
  model_type: z54.literal("gemma4"),
  ...tied3,
  text_config: textConfig3,
  vision_config: gemma4VisionConfig.nullish(),
  audio_config: gemma4AudioConfig.nullish()
});
var gemma4UnifiedConfig = z54.object({
  model_type: z54.literal("gemma4_unified"),
  ...tied3,
  text_config: textConfig3.extend({
    hidden_size_per_layer_input: textConfig3.shape.hidden_size_per_layer_input.default(0),
    max_position_embeddings: size.default(262144),
    sliding_window: size.default(1024)
  }),
  vision_config: unifiedVisionConfig.nullish(),
  audio_config: unifiedAudioConfig.nullish()
});
var FULL_LAYER_EVERY2 = 6;
function gemma4(ops, config, task, labels) {
  towers(ops, config);
  const text = config.model_type === "gemma4_text" ? config : config.text_config;
  const { hidden_size: hidden, num_hidden_layers: layers2, hidden_size_per_layer_input: inputSize } = text;
  const root3 = config.model_type === "gemma4_text" ? "model" : "model.language_model";
  const words2 = ops.scale(ops.embedding(`${root3}.embed_tokens`, ops.input, text.vocab_size, hidden));
  let x = ops.withInputGradients(words2);
  const sizes3 = { layers: layers2, vocabulary: text.vocab_size_per_layer_input, size: inputSize };
  const vectors = inputSize > 0 ? layerInputs(ops, root3, x, sizes3) : void 0;
  const tables = {
    full_attention: ops.rotaryTable(x, text.global_head_dim),
    sliding_attention: ops.rotaryTable(x, text.head_dim)
  };
  const shared2 = /* @__PURE__ */ new Map();
  for (let index = 0; index < layers2; index++) {
    const attention8 = attentionOf3(text, index);
    const vector = vectors === void 0 ? void 0 : ops.slices(vectors, [inputSize])[0];
    const given = { attention: attention8, vector, table: tables[attention8.kind], shared: shared2 };
    const alsoRead = [...vector === void 0 ? [] : [vector], ...[...shared2.values()].flat()];
    x = ops.block(
      x,
      (input) => decoderLayer3(ops, text, { name: `${root3}.layers.${index}`, index }, input, given),
      alsoRead
    );
  }
  const output = {
    root: root3,
    vocabulary: text.vocab_size,
    hidden,
    isTied: config.tie_word_embeddings,
    norm: "rms-float32",
    logits: text.final_logit_softcapping ? "capped" : "plain"
  };
  return outputLayer(ops, output, x, task, labels);
}
function towers(ops, config) {
  switch (config.model_type) {
    case "gemma4_text":
      return;
    case "gemma4":
      if (config.vision_config) gemma4Vision(ops, config.vision_config, config.text_config.hidden_size);
      if (config.audio_config) gemma4Audio(ops, config.audio_config, config.text_config.hidden_size);
      return;
    case "gemma4_unified":
      unifiedEmbedders(ops, config, config.text_config.hidden_size);
  }
}
function kindOf2(text, index) {
  if (index === text.num_hidden_layers - 1) return "full_attention";
  const byDefault2 = (index + 1) % FULL_LAYER_EVERY2 === 0 ? "full_attention" : "sliding_attention";
  return text.layer_types?.[index] ?? byDefault2;
}
function attentionOf3(text, index) {
  const kind = kindOf2(text, index);
  const isFull2 = kind === "full_attention";
  const keysAreValues = isFull2 && text.attention_k_eq_v;
  return {
    kind,
    heads: text.num_attention_heads,
    keyValueHeads: (keysAreValues ? text.num_global_key_value_heads : void 0) ?? text.num_key_value_heads,
    headSize: isFull2 ? text.global_head_dim : text.head_dim,
    hidden: text.hidden_size,
    bias: text.attention_bias,
    dropout: text.attention_dropout,
    window: isFull2 ? void 0 : text.sliding_window,
    keysAreValues,
    keysAndValues: keysAndValuesOf(text, index, (at) => kindOf2(text, at))
  };
}
function decoderLayer3(ops, text, place, x, given) {
  const { name } = place;
  const { hidden_size: hidden, hidden_size_per_layer_input: size2 } = text;
  const before = norm(ops, `${name}.input_layernorm`, x, hidden);
  const mixed = ops.frame(before, (input) => sharingAttention(ops, `${name}.self_attn`, input, given.attention, given));
  const between = ops.residual(norm(ops, `${name}.post_attention_layernorm`, mixed, hidden), x);
  const fed = text.enable_moe_block ? besideExperts(ops, text, place, between) : perceptron2(ops, text, place, norm(ops, `${name}.pre_feedforward_layernorm`, between, hidden));
  const after = ops.residual(norm(ops, `${name}.post_feedforward_layernorm`, fed, hidden), between);
  const { vector } = given;
  const output = vector === void 0 ? after : ops.residual(gatedByInput(ops, name, after, vector, { hidden, size: size2 }), after);
  return ops.scale(output, { inPlace: true });
}
function perceptron2(ops, text, { name, index }, x) {
  const { keysAndValues } = attentionOf3(text, index);
  const isWide = text.use_double_wide_mlp && keysAndValues === "of-an-earlier-layer";
  const inner = text.intermediate_size * (isWide ? 2 : 1);
  const feedForward9 = gatedFeedForward({ hidden: text.hidden_size, inner, activation: "gelu" });
  return ops.frame(x, (input) => feedForward9(ops, { name: `${name}.mlp`, index, table: void 0 }, input));
}
function besideExperts(ops, text, place, x) {
  const { name } = place;
  const { hidden_size: hidden, num_experts, top_k_experts, moe_intermediate_size } = text;
  const [count2, perToken, inner] = [num_experts ?? 1, top_k_experts ?? 1, moe_intermediate_size ?? 1];
  const dense = perceptron2(ops, text, place, norm(ops, `${name}.pre_feedforward_layernorm`, x, hidden));
  const first = norm(ops, `${name}.post_feedforward_layernorm_1`, dense, hidden);
  const plain2 = ops.rmsNorm(`${name}.router.norm`, x, { size: hidden, scalesInFloat32: true, isUnweighted: true });
  const scored = ops.scale(ops.layerScale(`${name}.router.scale`, plain2));
  const routed = ops.routed(`${name}.router`, scored, {
    count: count2,
    perToken,
    scoring: "softmax",
    weightsInFloat32: true,
    linear: "proj",
    expertScale: "per_expert_scale"
  });
  const gate = gateBy("gelu");
  const chosen = ops.frame(
    norm(ops, `${name}.pre_feedforward_layernorm_2`, x, hidden),
    (input) => ops.experts(`${name}.experts`, input, routed, { count: count2, inner }, (joined) => gate(ops, joined, inner))
  );
  return ops.add(first, norm(ops, `${name}.post_feedforward_layernorm_2`, chosen, hidden));
}

// engine/models/decoders/gpt-bigcode.ts
import * as z56 from "zod";

// engine/models/decoders/gpt2.ts
import * as z55 from "zod";
var gpt2Config = z55.object({
  model_type: z55.literal("gpt2"),
  vocab_size: size.default(50257),
  n_positions: size.default(1024),
  n_embd: size.default(768),
  n_layer: size.default(12),
  n_head: size.default(12),
  n_inner: size.nullish(),
  activation_function: z55.enum(["gelu_new", "gelu"]).default("gelu_new"),
  resid_pdrop: probability.default(0.1),
  embd_pdrop: probability.default(0.1),
  attn_pdrop: probability.default(0.1)
});
function gpt2(ops, config, tokens, task, labels) {
  const words2 = ops.embedding("transformer.wte", ops.input, config.vocab_size, config.n_embd);
  const places = ops.constantEmbedding("transformer.wpe", config.n_positions, config.n_embd, tokens);
  let x = ops.dropout(ops.add(words2, places), config.embd_pdrop);
  for (let index = 0; index < config.n_layer; index++) {
    x = ops.block(x, (input) => block(ops, config, `transformer.h.${index}`, input));
  }
  const hidden = ops.layerNorm("transformer.ln_f", x);
  return task === "causal-lm" ? ops.linear("lm_head", hidden, config.vocab_size, { bias: false, tiedTo: "transformer.wte.weight" }) : ops.lastToken(ops.linear("score", hidden, labels, { bias: false }));
}
function block(ops, config, name, x) {
  const { n_embd: hidden, n_inner: inner, resid_pdrop: dropout } = config;
  const activate2 = (x2) => config.activation_function === "gelu" ? ops.gelu(x2) : ops.geluNew(x2);
  const joined = ops.linear(`${name}.attn.c_attn`, ops.layerNorm(`${name}.ln_1`, x), 3 * hidden);
  const [query, key2, value] = ops.split(joined, [hidden, hidden, hidden]);
  const context = ops.attention(query, ops.cached(key2), ops.cached(value), {
    heads: config.n_head,
    causal: true,
    dropout: config.attn_pdrop
  });
  const attended = ops.residual(ops.dropout(ops.linear(`${name}.attn.c_proj`, context, hidden), dropout), x);
  const normalised2 = ops.layerNorm(`${name}.ln_2`, attended);
  const widened = activate2(ops.linear(`${name}.mlp.c_fc`, normalised2, inner ?? 4 * hidden));
  return ops.residual(attended, ops.dropout(ops.linear(`${name}.mlp.c_proj`, widened, hidden), dropout));
}

// engine/models/decoders/gpt-bigcode.ts
var gptBigCodeConfig = gpt2Config.extend({
  model_type: z56.literal("gpt_bigcode"),
  activation_function: z56.enum(["gelu_pytorch_tanh", "gelu"]).default("gelu_pytorch_tanh"),
  multi_query: z56.literal(true, { error: "GPT BigCode without multi-query attention is not supported" }).default(true),
  tie_word_embeddings: z56.boolean().default(true)
});
function gptBigCode(ops, config, tokens, task, labels) {
  const { vocab_size: words2, n_embd: hidden } = config;
  const places = () => ops.constantEmbedding("transformer.wpe", config.n_positions, hidden, tokens);
  const embedded2 = ops.add(ops.embedding("transformer.wte", ops.input, words2, hidden), places());
  ops.positionIds(config.n_positions ** 2 / 8);
  let x = ops.dropout(embedded2, config.embd_pdrop);
  for (let index = 0; index < config.n_layer; index++) {
    x = ops.block(x, (input) => block2(ops, config, `transformer.h.${index}`, input));
  }
  const output = ops.layerNorm("transformer.ln_f", x);
  if (task !== "causal-lm") return ops.lastToken(ops.linear("score", output, labels, { bias: false }));
  const tied5 = config.tie_word_embeddings ? { tiedTo: "transformer.wte.weight" } : {};
  return ops.linear("lm_head", output, words2, { bias: false, ...tied5 });
}
function block2(ops, config, name, x) {
  const { n_embd: hidden, n_head: heads2, n_inner: inner, resid_pdrop: dropout } = config;
  const headSize = hidden / heads2;
  const joined = ops.linear(`${name}.attn.c_attn`, ops.layerNorm(`${name}.ln_1`, x), hidden + 2 * headSize);
  const [query, key2, value] = ops.split(joined, [hidden, headSize, headSize]);
  const context = ops.attention(query, ops.cached(key2), ops.cached(value), {
    heads: heads2,
    keyValueHeads: 1,
    causal: true,
    dropout: config.attn_pdrop,
    castsSoftmax: true
  });
  const attended = ops.residual(ops.dropout(ops.linear(`${name}.attn.c_proj`, context, hidden), dropout), x);
  const normalised2 = ops.layerNorm(`${name}.ln_2`, attended);
  const widened = ops.gelu(ops.linear(`${name}.mlp.c_fc`, normalised2, inner ?? 4 * hidden));
  return ops.residual(attended, ops.dropout(ops.linear(`${name}.mlp.c_proj`, widened, hidden), dropout));
}

// engine/models/decoders/mllama.ts
import * as z58 from "zod";

// engine/models/vision/mllama-vision.ts
import * as z57 from "zod";
var mllamaVisionConfig = z57.object({
  hidden_size: size.default(1280),
  intermediate_size: size.default(5120),
  num_hidden_layers: size.default(32),
  num_global_layers: size.default(8),
  attention_heads: size.default(16),
  num_channels: z57.literal(3).default(3),
  vision_output_dim: size.default(7680),
  /** Pixels of a tile's side. */
  image_size: size.default(448),
  patch_size: size.default(14),
  max_num_tiles: z57.number().int().min(1).max(64).default(4),
  intermediate_layers_indices: z57.array(z57.number().int().min(0).max(1e5)).max(1e3).default([3, 7, 15, 23, 30]),
  supported_aspect_ratios: z57.array(z57.array(z57.number()).max(8)).max(1e3).default([
    [1, 1],
    [1, 2],
    [1, 3],
    [1, 4],
    [2, 1],
    [2, 2],
    [3, 1],
    [4, 1]
  ])
});
var ROW_MULTIPLE = 8;
function rowsOf({ image_size: side, patch_size: patch }) {
  return Math.floor(side / patch) ** 2 + 1;
}
function mllamaVision(ops, config, outside, look3) {
  const root3 = "model.vision_model";
  const { tiles } = look3;
  const rows3 = rowsOf(config);
  const paddedRows = tiles * Math.ceil(rows3 / ROW_MULTIPLE) * ROW_MULTIPLE;
  const mask = ops.mask(paddedRows, paddedRows);
  const between = [];
  let x = ops.padded(ops.layerNorm(`${root3}.layernorm_pre`, embedded(ops, config, root3, tiles)), paddedRows);
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = layer2(ops, config, `${root3}.transformer.layers.${index}`, x, { ...look3, mask, isGated: false });
    if (config.intermediate_layers_indices.includes(index)) between.push(x);
  }
  x = placedByTile(ops, config, `${root3}.post_tile_positional_embedding`, ops.layerNorm(`${root3}.layernorm_post`, x));
  for (let index = 0; index < config.num_global_layers; index++) {
    x = layer2(ops, config, `${root3}.global_transformer.layers.${index}`, x, { ...look3, mask, isGated: true });
  }
  return ops.linear("model.multi_modal_projector", ops.joined([x, ...between], tiles * rows3), outside);
}
function embedded(ops, config, root3, tiles) {
  const { hidden_size: hidden, image_size: side, patch_size: patch } = config;
  const convolution3 = { kernel: patch, stride: patch, padding: 0 };
  const pixels = ops.pixels(tiles * side, side);
  const patches2 = ops.flattenPixels(ops.conv2d(`${root3}.patch_embedding`, pixels, hidden, convolution3));
  const placed = placedByTile(ops, config, `${root3}.pre_tile_positional_embedding`, patches2);
  const withClasses = ops.prependTokens(Array(tiles).fill(`${root3}.class_embedding`), placed);
  const positions = `${root3}.gated_positional_embedding`;
  const positioned = ops.addPositions(`${positions}.embedding`, withClasses, rowsOf(config));
  const perTile = rowsOf(config) * hidden;
  return ops.add(positioned, tileTable(ops, config, `${positions}.tile_embedding`, `${positions}.gate`, perTile));
}
function placedByTile(ops, config, name, x) {
  return ops.add(x, tileTable(ops, config, `${name}.embedding`, `${name}.gate`, config.hidden_size));
}
function tileTable(ops, config, name, gate, perTile) {
  const arrangements = config.supported_aspect_ratios.length + 1;
  return ops.tanhGate(
    gate,
    ops.embedding(name, ops.firstToken(ops.input), arrangements, config.max_num_tiles * perTile)
  );
}
function layer2(ops, config, name, x, kind) {
  const gated4 = (gate, states) => kind.isGated ? ops.tanhGate(`${name}.${gate}`, states) : states;
  const body = (input) => {
    const normalised2 = ops.layerNorm(`${name}.input_layernorm`, input);
    const context = ops.frame(normalised2, (states) => attention3(ops, config, `${name}.self_attn`, states, kind.mask));
    const attended = ops.residual(gated4("gate_attn", context), input);
    const normed = ops.layerNorm(`${name}.post_attention_layernorm`, attended);
    const fed = ops.frame(normed, (states) => {
      const widened = ops.gelu(ops.linear(`${name}.mlp.fc1`, states, config.intermediate_size));
      return ops.linear(`${name}.mlp.fc2`, widened, config.hidden_size);
    });
    return ops.residual(gated4("gate_ffn", fed), attended);
  };
  return kind.checkpoints ? ops.block(x, body, [kind.mask]) : ops.frame(x, body);
}
function attention3(ops, config, name, x, mask) {
  const { hidden_size: hidden, attention_heads: heads2 } = config;
  const [query, key2, value] = ["q_proj", "k_proj", "v_proj"].map(
    (part) => ops.linear(`${name}.${part}`, x, hidden, { bias: false })
  );
  const context = ops.attention(query, key2, value, { heads: heads2, causal: false, dropout: 0, castsSoftmax: true }, mask);
  return ops.linear(`${name}.o_proj`, context, hidden, { bias: false });
}

// engine/models/decoders/mllama.ts
var layerIndices = z58.array(z58.number().int().min(0).max(1e5)).max(1e3);
var mllamaTextConfig = decoderFields.extend({
  vocab_size: size.default(128256),
  hidden_size: size.default(4096),
  intermediate_size: size.default(14336),
  num_hidden_layers: size.default(40),
  num_attention_heads: size.default(32),
  num_key_value_heads: size.default(8),
  max_position_embeddings: size.default(131072),
  cross_attention_layers: layerIndices.default([3, 8, 13, 18, 23, 28, 33, 38])
});
var mllamaConfig = z58.object({
  model_type: z58.literal("mllama"),
  text_config: mllamaTextConfig,
  vision_config: mllamaVisionConfig
});
var root = "model.language_model";
var READ_ONLY_WORDS = 8;
function mllama(ops, config, spec) {
  const { text_config: text } = config;
  const blueprint = {
    ...llamaBlueprint(text, {
      mixer: attentionOf(text),
      feedForward: gatedFeedForward({ hidden: text.hidden_size, inner: text.intermediate_size })
    }),
    root
  };
  const seen = spec.images && look(ops, config, spec);
  if (seen === void 0) ops.idle(1, () => mllamaVision(ops, config.vision_config, text.hidden_size, { tiles: 1 }));
  let x = ops.embedding(`${root}.embed_tokens`, ops.input, text.vocab_size + READ_ONLY_WORDS, text.hidden_size);
  const table3 = ops.rotaryTable(x, headSizeOf(text));
  for (let index = 0; index < text.num_hidden_layers; index++) {
    const name = `${root}.layers.${index}`;
    x = text.cross_attention_layers.includes(index) ? crossLayer(ops, text, name, x, seen, spec) : ops.block(x, (input) => decoderLayer(ops, blueprint, { name, index, table: table3 }, input));
  }
  return outputLayer(ops, blueprint, x, spec.task, spec.labels);
}
function look(ops, { vision_config: vision, text_config: text }, spec) {
  const tiles = spec.images?.tiles ?? 1;
  const checkpoints = spec.images?.checkpointed === "self-attention";
  const states = mllamaVision(ops, vision, text.hidden_size, { tiles, checkpoints });
  return { states, mask: ops.mask(spec.sequenceLength ?? 0, tiles * rowsOf(vision)) };
}
function crossLayer(ops, text, name, x, seen, spec) {
  if (seen === void 0) {
    ops.idle(text.hidden_size, (input) => crossAttending(ops, text, name, input, { states: input, mask: ops.mask(1, 1) }));
    return x;
  }
  const run = (input) => crossAttending(ops, text, name, input, seen);
  return spec.images?.checkpointed === "self-attention" ? ops.frame(x, run) : ops.block(x, run, [seen.states, seen.mask]);
}
function crossAttending(ops, text, name, x, seen) {
  const norm4 = (part, states) => normalised(ops, "rms", `${name}.${part}`, text.hidden_size, states);
  const before = norm4("input_layernorm", x);
  const attended = ops.frame(before, (input) => crossAttention(ops, text, `${name}.cross_attn`, input, seen));
  const masked = seen.masksAttended ? ops.scale(attended) : attended;
  const between = ops.residual(ops.tanhGate(`${name}.cross_attn_attn_gate`, masked), x);
  const forFeeding = norm4("post_attention_layernorm", between);
  const feedForward9 = gatedFeedForward({ hidden: text.hidden_size, inner: text.intermediate_size });
  const fed = ops.frame(
    forFeeding,
    (input) => feedForward9(ops, { name: `${name}.mlp`, index: 0, table: void 0 }, input)
  );
  return ops.residual(ops.tanhGate(`${name}.cross_attn_mlp_gate`, ops.scale(fed)), between);
}
function crossAttention(ops, text, name, x, seen) {
  const { states, mask, tables } = seen;
  const heads2 = text.num_attention_heads;
  const keyValueHeads = text.num_key_value_heads ?? heads2;
  const headSize = headSizeOf(text);
  const project = (part, from, count2) => ops.linear(`${name}.${part}`, from, count2 * headSize, { bias: false });
  const norm4 = (part, from) => normalised(ops, "rms", `${name}.${part}`, headSize, from);
  const turned = (from, table3, count2) => table3 === void 0 ? from : ops.rotary(from, table3, count2);
  const query = turned(norm4("q_norm", project("q_proj", x, heads2)), tables?.words, heads2);
  const keys2 = project("k_proj", states, keyValueHeads);
  const values = project("v_proj", states, keyValueHeads);
  const [key2, value] = [turned(norm4("k_norm", keys2), tables?.states, keyValueHeads), values].map(
    (part) => ops.repeatHeads(ops.cached(part), heads2 / keyValueHeads, keyValueHeads)
  );
  const shape = { heads: heads2, causal: false, dropout: text.attention_dropout, castsSoftmax: true };
  const context = ops.attention(query, key2, value, shape, mask);
  return ops.linear(`${name}.o_proj`, context, text.hidden_size, { bias: false });
}

// engine/models/decoders/moss-vl.ts
import * as z59 from "zod";
var mossVlConfig = z59.object({
  model_type: z59.literal("moss_vl"),
  tie_word_embeddings: z59.boolean().default(false),
  text_config: qwen3Config.omit({ model_type: true }).extend({ cross_attention_layers: layerIndices }),
  vision_config: qwen3VisionConfig.extend({ temporal_patch_size: size.default(1) })
});
var root2 = "model.language_model";
var ROWS_OF_IMAGE = 257;
function mossVl(ops, config, spec) {
  const { text_config: text } = config;
  const blueprint = { ...qwen3(text), isTied: config.tie_word_embeddings, root: root2 };
  mossVision(ops, config);
  let x = ops.embedding(`${root2}.embed_tokens`, ops.input, text.vocab_size, text.hidden_size);
  const words2 = ops.rotaryTable(x, headSizeOf(text));
  const seen = spec.images && look2(ops, config, spec, words2);
  for (let index = 0; index < text.num_hidden_layers; index++) {
    const name = `${root2}.layers.${index}`;
    x = text.cross_attention_layers.includes(index) ? crossLayer2(ops, config, name, x, seen) : ops.block(x, (input) => decoderLayer(ops, blueprint, { name, index, table: words2 }, input));
  }
  return outputLayer(ops, blueprint, x, spec.task, spec.labels);
}
function look2(ops, config, spec, words2) {
  const rows3 = (spec.images?.tiles ?? 1) * ROWS_OF_IMAGE;
  const states = ops.mask(rows3, config.text_config.hidden_size);
  const tables = { words: words2, states: ops.rotaryTable(states, headSizeOf(config.text_config)) };
  return { states, mask: ops.mask(spec.sequenceLength ?? 0, rows3), tables, masksAttended: true };
}
function crossLayer2(ops, { text_config: text }, name, x, seen) {
  if (seen !== void 0) {
    const shared2 = [seen.states, seen.mask, ...seen.tables?.words ?? [], ...seen.tables?.states ?? []];
    return ops.block(x, (input) => crossAttending(ops, text, name, input, seen), shared2);
  }
  ops.idle(text.hidden_size, (input) => crossAttending(ops, text, name, input, { states: input, mask: ops.mask(1, 1) }));
  return x;
}
function mossVision(ops, { vision_config: vision, text_config: text }) {
  const visual = "model.visual";
  const { hidden_size: hidden } = vision;
  qwen3Blocks(ops, visual, vision);
  const levels = vision.deepstack_visual_indexes.length + 1;
  const merged = hidden * vision.spatial_merge_size ** 2 * levels;
  for (let level = 0; level < levels; level++) {
    ops.idle(hidden, (x) => ops.layerNorm(`${visual}.merger.norms.${level}`, x));
  }
  idleLinear(ops, `${visual}.merger.linear_fc1`, merged, merged, true);
  idleLinear(ops, `${visual}.merger.linear_fc2`, merged, text.hidden_size, true);
  table(ops, "model.separator_token", 1, text.hidden_size);
}

// engine/models/decoders/opt.ts
import * as z60 from "zod";
var optConfig = z60.object({
  model_type: z60.literal("opt"),
  vocab_size: size,
  hidden_size: size,
  ffn_dim: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  max_position_embeddings: size.default(2048),
  /** Narrower than `hidden_size` in OPT-350M, which projects in and out. */
  word_embed_proj_dim: size.nullish(),
  /** False in OPT-350M: norms come after the residual sums. */
  do_layer_norm_before: z60.boolean().default(true),
  dropout: probability.default(0.1),
  attention_dropout: probability.default(0)
});
var POSITION_OFFSET = 2;
function opt(ops, config, task, labels) {
  const { hidden_size: hidden, max_position_embeddings: positions } = config;
  const embedded2 = config.word_embed_proj_dim ?? hidden;
  const projects = embedded2 !== hidden;
  const words2 = ops.embedding("model.decoder.embed_tokens", ops.input, config.vocab_size, embedded2);
  const places = ops.embedding("model.decoder.embed_positions", ops.input, positions + POSITION_OFFSET, hidden);
  const narrow = { bias: false };
  let x = ops.add(projects ? ops.linear("model.decoder.project_in", words2, hidden, narrow) : words2, places);
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => layer3(ops, config, `model.decoder.layers.${index}`, input));
  }
  const normalised2 = config.do_layer_norm_before ? ops.layerNorm("model.decoder.final_layer_norm", x) : x;
  const output = projects ? ops.linear("model.decoder.project_out", normalised2, embedded2, narrow) : normalised2;
  return task === "causal-lm" ? ops.linear("lm_head", output, config.vocab_size, { bias: false, tiedTo: "model.decoder.embed_tokens.weight" }) : ops.lastToken(ops.linear("score", output, labels, narrow));
}
function layer3(ops, config, name, x) {
  const { hidden_size: hidden, do_layer_norm_before: normsBefore, dropout } = config;
  const before = (part, states) => normsBefore ? ops.layerNorm(`${name}.${part}`, states) : states;
  const after = (part, states) => normsBefore ? states : ops.layerNorm(`${name}.${part}`, states);
  const normalised2 = before("self_attn_layer_norm", x);
  const [query, key2, value] = ["q_proj", "k_proj", "v_proj"].map(
    (part) => ops.linear(`${name}.self_attn.${part}`, normalised2, hidden)
  );
  const shape = {
    heads: config.num_attention_heads,
    causal: true,
    dropout: config.attention_dropout,
    castsSoftmax: true
  };
  const context = ops.attention(ops.scale(query), ops.cached(key2), ops.cached(value), shape);
  const projected2 = ops.dropout(ops.linear(`${name}.self_attn.out_proj`, context, hidden), dropout);
  const attended = after("self_attn_layer_norm", ops.residual(projected2, x));
  const widened = ops.relu(ops.linear(`${name}.fc1`, before("final_layer_norm", attended), config.ffn_dim));
  const fed = ops.dropout(ops.linear(`${name}.fc2`, widened, hidden), dropout);
  return after("final_layer_norm", ops.residual(fed, attended));
}

// engine/models/decoders/parallel-decoder.ts
import * as z61 from "zod";
var gptNeoxConfig = z61.object({
  model_type: z61.literal("gpt_neox"),
  vocab_size: size,
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  max_position_embeddings: size,
  rotary_pct: z61.number().min(0).max(1).default(0.25),
  hidden_dropout: probability.default(0),
  attention_dropout: probability.default(0),
  use_parallel_residual: z61.boolean().default(true),
  tie_word_embeddings: z61.boolean().default(false)
});
var phiConfig = z61.object({
  model_type: z61.literal("phi"),
  vocab_size: size,
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  max_position_embeddings: size,
  partial_rotary_factor: z61.number().min(0).max(1).default(0.5),
  resid_pdrop: probability.default(0),
  embd_pdrop: probability.default(0),
  attention_dropout: probability.default(0)
});
function gptNeox(ops, config, task, labels) {
  const { hidden_size: hidden, num_attention_heads: heads2, hidden_dropout: dropout } = config;
  const words2 = ops.embedding("gpt_neox.embed_in", ops.input, config.vocab_size, hidden);
  let x = ops.dropout(words2, dropout);
  const table3 = ops.rotaryTable(x, Math.floor(hidden / heads2 * config.rotary_pct));
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => neoxLayer(ops, config, `gpt_neox.layers.${index}`, table3, input));
  }
  const output = ops.layerNorm("gpt_neox.final_layer_norm", x);
  if (task !== "causal-lm") return ops.lastToken(ops.linear("score", output, labels, { bias: false }));
  const tied5 = config.tie_word_embeddings ? { tiedTo: "gpt_neox.embed_in.weight" } : {};
  return ops.linear("embed_out", output, config.vocab_size, { bias: false, ...tied5 });
}
function neoxLayer(ops, config, name, table3, x) {
  const { hidden_size: hidden, num_attention_heads: heads2, hidden_dropout: dropout } = config;
  const normalised2 = ops.layerNorm(`${name}.input_layernorm`, x);
  const joined = ops.linear(`${name}.attention.query_key_value`, normalised2, 3 * hidden);
  const [query, key2, value] = ops.split(joined, [hidden, hidden, hidden]);
  const [q, k] = [query, key2].map((states) => ops.rotary(states, table3, heads2, { alwaysJoins: true }));
  const shape = { heads: heads2, causal: true, dropout: config.attention_dropout, castsSoftmax: true };
  const context = ops.attention(q, ops.cached(k), ops.cached(value), shape);
  const attended = ops.dropout(ops.linear(`${name}.attention.dense`, context, hidden), dropout);
  if (!config.use_parallel_residual) {
    const sum = ops.residual(attended, x);
    return ops.residual(ops.dropout(neoxFeedForward(ops, config, name, sum), dropout), sum);
  }
  const fed = ops.dropout(neoxFeedForward(ops, config, name, x), dropout);
  return ops.residual(ops.residual(fed, attended), x);
}
function neoxFeedForward(ops, config, name, x) {
  const normalised2 = ops.layerNorm(`${name}.post_attention_layernorm`, x);
  const widened = ops.gelu(ops.linear(`${name}.mlp.dense_h_to_4h`, normalised2, config.intermediate_size));
  return ops.linear(`${name}.mlp.dense_4h_to_h`, widened, config.hidden_size);
}
function phi(ops, config, task, labels) {
  const { hidden_size: hidden, num_attention_heads: heads2 } = config;
  const words2 = ops.embedding("model.embed_tokens", ops.input, config.vocab_size, hidden);
  let x = ops.dropout(words2, config.embd_pdrop);
  const table3 = ops.rotaryTable(x, Math.floor(hidden / heads2 * config.partial_rotary_factor));
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => phiLayer(ops, config, `model.layers.${index}`, table3, input));
  }
  const output = ops.layerNorm("model.final_layernorm", x);
  return task === "causal-lm" ? ops.linear("lm_head", output, config.vocab_size) : ops.lastToken(ops.linear("score", output, labels, { bias: false }));
}
function phiLayer(ops, config, name, table3, x) {
  const { hidden_size: hidden, num_attention_heads: heads2, resid_pdrop: dropout } = config;
  const normalised2 = ops.layerNorm(`${name}.input_layernorm`, x);
  const [query, key2, value] = ["q_proj", "k_proj", "v_proj"].map(
    (part) => ops.linear(`${name}.self_attn.${part}`, normalised2, hidden)
  );
  const [q, k] = [query, key2].map((states) => ops.rotary(states, table3, heads2));
  const shape = { heads: heads2, causal: true, dropout: config.attention_dropout, castsSoftmax: true };
  const context = ops.attention(q, ops.cached(k), ops.cached(value), shape);
  const attended = ops.dropout(ops.linear(`${name}.self_attn.dense`, context, hidden), dropout);
  const widened = ops.geluNew(ops.linear(`${name}.mlp.fc1`, normalised2, config.intermediate_size));
  const fed = ops.dropout(ops.linear(`${name}.mlp.fc2`, widened, hidden), dropout);
  return ops.residual(ops.residual(attended, fed), x);
}

// engine/models/modernbert.ts
import * as z62 from "zod";
var modernbertConfig = z62.object({
  model_type: z62.literal("modernbert"),
  vocab_size: size.default(50368),
  hidden_size: size.default(768),
  intermediate_size: size.default(1152),
  num_hidden_layers: size.default(22),
  num_attention_heads: size.default(12),
  max_position_embeddings: size.default(8192),
  norm_bias: z62.boolean().default(false),
  attention_bias: z62.boolean().default(false),
  mlp_bias: z62.boolean().default(false),
  decoder_bias: z62.boolean().default(true),
  classifier_bias: z62.boolean().default(false),
  classifier_pooling: z62.enum(["cls", "mean"]).default("cls"),
  attention_dropout: probability.default(0),
  embedding_dropout: probability.default(0),
  mlp_dropout: probability.default(0),
  classifier_dropout: probability.default(0),
  /** Tokens around one that it attends to in a sliding layer. */
  local_attention: size.default(128),
  global_attn_every_n_layers: size.default(3),
  layer_types: z62.array(z62.enum(["sliding_attention", "full_attention"])).max(1e4).nullish()
});
var WORDS = "model.embeddings.tok_embeddings";
function modernbert(ops, config, task, labels) {
  const words2 = ops.embedding(WORDS, ops.input, config.vocab_size, config.hidden_size);
  let x = ops.dropout(norm2(ops, config, "model.embeddings.norm", words2), config.embedding_dropout);
  const headSize = config.hidden_size / config.num_attention_heads;
  const tables = { full_attention: ops.rotaryTable(x, headSize), sliding_attention: ops.rotaryTable(x, headSize) };
  for (let index = 0; index < config.num_hidden_layers; index++) {
    const kind = kindOf3(config, index);
    const window = kind === "full_attention" ? void 0 : Math.floor(config.local_attention / 2) + 1;
    x = ops.block(x, (input) => encoderLayer2(ops, config, input, { index, table: tables[kind], window }));
  }
  const output = norm2(ops, config, "model.final_norm", x);
  if (task === "masked-lm") return languageHead(ops, config, output);
  const pooled = config.classifier_pooling === "cls" ? ops.firstToken(output) : ops.meanOfTokens(output);
  return ops.linear("classifier", ops.dropout(head(ops, config, pooled), config.classifier_dropout), labels);
}
function kindOf3({ layer_types: types, global_attn_every_n_layers: every }, index) {
  return types?.[index] ?? (index % every === 0 ? "full_attention" : "sliding_attention");
}
function encoderLayer2(ops, config, x, layer6) {
  const name = `model.layers.${layer6.index}`;
  const before = layer6.index === 0 ? x : norm2(ops, config, `${name}.attn_norm`, x);
  const mixed = ops.frame(before, (input) => attention4(ops, config, `${name}.attn`, input, layer6));
  const between = ops.add(x, mixed);
  const forFeeding = norm2(ops, config, `${name}.mlp_norm`, between);
  return ops.add(
    between,
    ops.frame(forFeeding, (input) => feedForward6(ops, config, `${name}.mlp`, input))
  );
}
function attention4(ops, config, name, x, { table: table3, window }) {
  const { hidden_size: hidden, num_attention_heads: heads2, attention_dropout: dropout } = config;
  const bias = config.attention_bias;
  const joined = ops.linear(`${name}.Wqkv`, x, 3 * hidden, { bias });
  const [query, key2, value] = ops.split(joined, [hidden, hidden, hidden]);
  const [q, k] = [query, key2].map((states) => ops.rotary(states, table3, heads2, { inFloat32: true }));
  const context = ops.attention(q, k, value, { heads: heads2, causal: false, dropout, window, castsSoftmax: true });
  return ops.dropout(ops.linear(`${name}.Wo`, context, hidden, { bias }), dropout);
}
function feedForward6(ops, config, name, x) {
  const { hidden_size: hidden, intermediate_size: inner, mlp_bias: bias } = config;
  const joined = ops.linear(`${name}.Wi`, x, 2 * inner, { bias });
  const [input, gate] = ops.split(joined, [inner, inner]);
  const product = ops.dropout(ops.multiply(activate(ops, "gelu", input), gate), config.mlp_dropout);
  return ops.linear(`${name}.Wo`, product, hidden, { bias });
}
function head(ops, config, x) {
  const dense = ops.linear("head.dense", x, config.hidden_size, { bias: config.classifier_bias });
  return norm2(ops, config, "head.norm", ops.gelu(dense));
}
function languageHead(ops, config, x) {
  const decoder = { bias: config.decoder_bias, tiedTo: `${WORDS}.weight` };
  return ops.float32(ops.linear("decoder", head(ops, config, x), config.vocab_size, decoder));
}
function norm2(ops, { norm_bias: bias }, name, x) {
  return ops.layerNorm(name, x, { bias });
}

// engine/models/t5.ts
import * as z63 from "zod";
var t5Config = z63.object({
  model_type: z63.literal("t5"),
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
  feed_forward_proj: z63.enum(["relu", "gated-gelu"]).default("relu"),
  /** False from T5 1.1 on. transformers ties the weights all the same, and scales the decoder's output only when true. */
  tie_word_embeddings: z63.boolean().default(true),
  /** Tokens of the pre-training; relative positions set no limit. */
  n_positions: size.default(512)
});
var WORDS2 = "shared.weight";
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
  return ops.linear("lm_head", output, config.vocab_size, { bias: false, tiedTo: WORDS2 });
}
function runStack(ops, { config, name, ids, tokens, layers: layers2, source }) {
  const { num_heads: heads2, relative_attention_num_buckets: buckets, dropout_rate: dropout } = config;
  const words2 = ops.embedding("shared", ids, config.vocab_size, config.d_model);
  const table3 = `${name}.block.0.layer.0.SelfAttention.relative_attention_bias`;
  const bias = ops.relativePositionBias(table3, buckets, heads2, tokens);
  const sourceBias = source && ops.zeroPositionBias(heads2, tokens, source.tokens);
  const shared2 = [bias, ...source ? [source.encoded] : [], ...sourceBias ? [sourceBias] : []];
  let x = ops.dropout(words2, dropout);
  for (let index = 0; index < layers2; index++) {
    const block3 = `${name}.block.${index}`;
    x = ops.block(
      x,
      (input) => {
        const causal = source !== void 0;
        const attended = selfAttention(ops, config, `${block3}.layer.0`, input, { causal, bias });
        const joined = source && sourceBias ? crossAttention2(ops, config, `${block3}.layer.1`, attended, source.encoded, sourceBias) : attended;
        return feedForward7(ops, config, `${block3}.layer.${source ? 2 : 1}`, joined);
      },
      shared2
    );
  }
  return ops.dropout(norm3(ops, config, `${name}.final_layer_norm`, x), dropout);
}
function selfAttention(ops, config, name, x, { causal, bias }) {
  return sublayer(
    ops,
    config,
    name,
    x,
    (normalised2) => attention5(ops, config, `${name}.SelfAttention`, normalised2, normalised2, { causal, caches: causal, bias })
  );
}
function crossAttention2(ops, config, name, x, source, bias) {
  return sublayer(
    ops,
    config,
    name,
    x,
    (normalised2) => attention5(ops, config, `${name}.EncDecAttention`, normalised2, source, { causal: false, caches: true, bias })
  );
}
function sublayer(ops, config, name, x, body) {
  return ops.frame(x, (input) => {
    const result = ops.frame(norm3(ops, config, `${name}.layer_norm`, input), body);
    return ops.residual(ops.dropout(result, config.dropout_rate), input);
  });
}
function attention5(ops, config, name, x, source, { causal, caches, bias }) {
  const { num_heads: heads2, d_kv: headSize, dropout_rate: dropout } = config;
  const project = (part, from) => ops.linear(`${name}.${part}`, from, heads2 * headSize, { bias: false });
  const [query, key2, value] = [project("q", x), project("k", source), project("v", source)];
  const [k, v] = caches ? [ops.cached(key2), ops.cached(value)] : [key2, value];
  const shape = { heads: heads2, causal, dropout };
  return ops.linear(`${name}.o`, ops.attention(query, k, v, shape, bias), config.d_model, { bias: false });
}
function feedForward7(ops, config, name, x) {
  const module = `${name}.DenseReluDense`;
  return sublayer(ops, config, name, x, (normalised2) => {
    const widen = (part) => ops.linear(`${module}.${part}`, normalised2, config.d_ff, { bias: false });
    const widened = config.feed_forward_proj === "relu" ? ops.relu(widen("wi")) : ops.multiply(ops.geluNew(widen("wi_0")), widen("wi_1"));
    const dropped = ops.dropout(widened, config.dropout_rate);
    return ops.linear(`${module}.wo`, dropped, config.d_model, { bias: false, castsInput: true });
  });
}
function norm3(ops, config, name, x) {
  return ops.rmsNorm(name, x, { size: config.d_model, scalesInFloat32: false, scalesInput: true });
}

// engine/models/vision/convnext.ts
import * as z64 from "zod";
var convnextConfig = z64.object({
  model_type: z64.literal("convnext"),
  patch_size: size.default(4),
  hidden_sizes: z64.array(size).min(1).max(20).default([96, 192, 384, 768]),
  depths: z64.array(size).min(1).max(20).default([3, 3, 9, 3]),
  layer_scale_init_value: z64.number().default(1e-6),
  drop_path_rate: probability.default(0)
});
var EXPANSION = 4;
function convnext(ops, config, labels) {
  const { patch_size: patch, hidden_sizes: sizes3 } = config;
  const [channels2 = 0] = sizes3;
  const stem = { kernel: patch, stride: patch, padding: 0, bias: true };
  const patches2 = ops.conv2d("embeddings.patch_embeddings", ops.input, channels2, stem);
  const embedded2 = imageNorm(ops, "embeddings.layernorm", patches2);
  const encoded = ops.frame(embedded2, (input) => encode2(ops, config, input));
  return ops.linear("classifier", ops.layerNorm("layernorm", ops.globalAveragePool(encoded)), labels);
}
function encode2(ops, config, embedded2) {
  const { hidden_sizes: sizes3, depths, drop_path_rate: lastRate } = config;
  const lastIndex = depths.reduce((sum, depth) => sum + depth, 0) - 1;
  let x = embedded2;
  let layersBefore = 0;
  sizes3.forEach((channels2, stage) => {
    const name = `encoder.stages.${stage}`;
    if (stage > 0) x = downsample(ops, `${name}.downsampling_layer`, x, channels2);
    for (let index = 0; index < (depths[stage] ?? 0); index++) {
      const dropRate = lastIndex === 0 ? 0 : lastRate * layersBefore++ / lastIndex;
      x = ops.block(x, (input) => layer4(ops, config, `${name}.layers.${index}`, input, { channels: channels2, dropRate }));
    }
  });
  return x;
}
function downsample(ops, name, x, channels2) {
  const halving2 = { kernel: 2, stride: 2, padding: 0, bias: true };
  return ops.conv2d(`${name}.1`, imageNorm(ops, `${name}.0`, x), channels2, halving2);
}
function layer4(ops, config, name, x, { channels: channels2, dropRate }) {
  const depthwise = { kernel: 7, stride: 1, bias: true, groups: channels2 };
  const filtered = ops.channelsLast(ops.conv2d(`${name}.dwconv`, x, channels2, depthwise));
  const widened = ops.linear(`${name}.pwconv1`, ops.layerNorm(`${name}.layernorm`, filtered), EXPANSION * channels2);
  const narrowed = ops.linear(`${name}.pwconv2`, ops.gelu(widened), channels2);
  const isScaled = config.layer_scale_init_value > 0;
  const scaled = isScaled ? ops.layerScale(`${name}.layer_scale_parameter`, narrowed) : narrowed;
  return ops.residual(ops.dropPath(ops.channelsFirst(scaled), dropRate), x);
}
function imageNorm(ops, name, x) {
  return ops.channelsFirst(ops.layerNorm(name, ops.channelsLast(x)));
}

// engine/models/vision/resnet.ts
import * as z65 from "zod";
var resnetConfig = z65.object({
  model_type: z65.literal("resnet"),
  embedding_size: size.default(64),
  hidden_sizes: z65.array(size).min(1).max(20).default([256, 512, 1024, 2048]),
  depths: z65.array(size).min(1).max(20).default([3, 4, 6, 3]),
  layer_type: z65.enum(["basic", "bottleneck"]).default("bottleneck"),
  downsample_in_first_stage: z65.boolean().default(false),
  downsample_in_bottleneck: z65.boolean().default(false)
});
var REDUCTION = 4;
function resnet(ops, config, labels) {
  const stem = convolution(ops, "embedder", ops.input, config.embedding_size, { kernel: 7, stride: 2 });
  let x = ops.maxPool(ops.relu(stem), { kernel: 3, stride: 2, padding: 1 });
  let channels2 = config.embedding_size;
  config.hidden_sizes.forEach((outChannels, stage) => {
    for (let layer6 = 0; layer6 < (config.depths[stage] ?? 0); layer6++) {
      const downsamples = layer6 === 0 && (stage > 0 || config.downsample_in_first_stage);
      const shape = { channels: channels2, outChannels, stride: downsamples ? 2 : 1 };
      x = residualLayer(ops, config, `stages.${stage}.layers.${layer6}`, x, shape);
      channels2 = outChannels;
    }
  });
  return ops.linear("classifier", ops.globalAveragePool(x), labels);
}
function residualLayer(ops, config, name, x, shape) {
  const { channels: channels2, outChannels, stride } = shape;
  const inner = config.layer_type === "basic" ? basic(ops, name, x, shape) : bottleneck(ops, config, name, x, shape);
  const projects = channels2 !== outChannels || stride !== 1;
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

// engine/models/vision/vit.ts
import * as z66 from "zod";
var visionEncoder = z66.object({
  hidden_size: size.default(768),
  num_hidden_layers: size.default(12),
  num_attention_heads: size.default(12),
  intermediate_size: size.default(3072),
  hidden_dropout_prob: probability.default(0),
  attention_probs_dropout_prob: probability.default(0),
  /** Pixels of the side that the position table was made for. */
  image_size: size.default(224),
  patch_size: size.default(16),
  qkv_bias: z66.boolean().default(true)
});
var vitConfig = visionEncoder.extend({ model_type: z66.literal("vit") });
var deitConfig = visionEncoder.extend({ model_type: z66.literal("deit") });
function vit(ops, config, labels) {
  const { hidden_size: hidden, patch_size: patch } = config;
  const convolution3 = { kernel: patch, stride: patch, padding: 0, bias: true };
  const patches2 = ops.flattenPixels(
    ops.conv2d("embeddings.patch_embeddings.projection", ops.input, hidden, convolution3)
  );
  const special = config.model_type === "deit" ? ["cls_token", "distillation_token"] : ["cls_token"];
  const tokens = ops.prependTokens(
    special.map((name) => `embeddings.${name}`),
    patches2
  );
  const positions = special.length + Math.floor(config.image_size / patch) ** 2;
  const embedded2 = ops.addPositions("embeddings.position_embeddings", tokens, positions);
  let x = ops.dropout(embedded2, config.hidden_dropout_prob);
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => layer5(ops, config, `layers.${index}`, input));
  }
  return ops.linear("classifier", ops.firstToken(ops.layerNorm("layernorm", x)), labels);
}
function layer5(ops, config, name, x) {
  const normalised2 = ops.layerNorm(`${name}.layernorm_before`, x);
  const context = ops.frame(normalised2, (input) => attention6(ops, config, `${name}.attention`, input));
  const attended = ops.residual(ops.dropout(context, config.hidden_dropout_prob), x);
  const normed = ops.layerNorm(`${name}.layernorm_after`, attended);
  const fed = ops.frame(normed, (input) => feedForward8(ops, config, `${name}.mlp`, input));
  return ops.residual(ops.dropout(fed, config.hidden_dropout_prob), attended);
}
function attention6(ops, config, name, x) {
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
function feedForward8(ops, config, name, x) {
  const widened = ops.gelu(ops.linear(`${name}.fc1`, x, config.intermediate_size));
  return ops.linear(`${name}.fc2`, widened, config.hidden_size);
}

// engine/models/vision/yolo-versions.ts
import * as z67 from "zod";
var versions = ["v8", "11", "26"];
var sizes = ["n", "s", "m", "l", "x"];
var yoloConfig = z67.object({
  model_type: z67.literal("yolo"),
  version: z67.enum(versions),
  size: z67.enum(sizes),
  /** `pose`: a detector that finds keypoints too. */
  head: z67.enum(["detect", "pose", "classify"]).default("detect")
});
var half = 0.5;
var v8Stage = (channels2, repeats, skips) => ({
  ...{ channels: channels2, repeats, skips },
  block: "bottleneck",
  share: half
});
var v11Stage = (channels2, block3, share = half) => ({
  ...{ channels: channels2, block: block3, share },
  repeats: 2,
  skips: true
});
var attendingStage = (channels2) => ({ ...v11Stage(channels2, "attending"), repeats: 1 });
var v11Scales = {
  n: [0.5, 0.25, 1024],
  s: [0.5, 0.5, 1024],
  m: [0.5, 1, 512],
  l: [1, 1, 512],
  x: [1, 1.5, 512]
};
var v11Backbone = [
  v11Stage(256, "bottleneck", 0.25),
  v11Stage(512, "bottleneck", 0.25),
  v11Stage(512, "nested"),
  v11Stage(1024, "nested")
];
var architectures = {
  v8: {
    scales: {
      n: [0.33, 0.25, 1024],
      s: [0.33, 0.5, 1024],
      m: [0.67, 0.75, 768],
      l: [1, 1, 512],
      x: [1, 1.25, 512]
    },
    backbone: [v8Stage(128, 3, true), v8Stage(256, 6, true), v8Stage(512, 6, true), v8Stage(1024, 3, true)],
    neck: [v8Stage(512, 3, false), v8Stage(256, 3, false), v8Stage(512, 3, false), v8Stage(1024, 3, false)],
    attends: false,
    poolsBeside: false,
    isLight: false,
    bins: 16,
    namesOnce: false
  },
  "11": {
    scales: v11Scales,
    backbone: v11Backbone,
    neck: [
      v11Stage(512, "bottleneck"),
      v11Stage(256, "bottleneck"),
      v11Stage(512, "bottleneck"),
      v11Stage(1024, "nested")
    ],
    attends: true,
    poolsBeside: false,
    isLight: true,
    bins: 16,
    namesOnce: false
  },
  "26": {
    scales: v11Scales,
    backbone: v11Backbone,
    neck: [v11Stage(512, "nested"), v11Stage(256, "nested"), v11Stage(512, "nested"), attendingStage(1024)],
    attends: true,
    poolsBeside: true,
    isLight: true,
    bins: 1,
    namesOnce: true
  }
};
var PIXEL_STRIDE = 32;
function pixelsAnswering(imageSize) {
  return [8, 16, 32].reduce((sum, stride) => sum + (imageSize / stride) ** 2, 0);
}

// engine/models/vision/yolo-blocks.ts
function convolution2(ops, name, x, shape) {
  const { channels: channels2, kernel: kernel2, stride = 1, groups = 1, activates = true } = shape;
  const filtered = ops.conv2d(`${name}.conv`, x, channels2, { kernel: kernel2, stride, groups });
  const normalised2 = ops.batchNorm(`${name}.bn`, filtered);
  return activates ? ops.silu(normalised2) : normalised2;
}
function pointwise(ops, name, x, channels2, activates = true) {
  return convolution2(ops, name, x, { channels: channels2, kernel: 1, activates });
}
function stageOf(ops, name, x, stage, innerShare) {
  const channels2 = Math.floor(stage.channels * stage.share);
  const parts = halvesOf(ops, pointwise(ops, `${name}.cv1`, x, 2 * channels2), channels2);
  for (let index = 0; index < stage.repeats; index++) {
    const [last] = parts.slice(-1);
    const block3 = `${name}.m.${index}`;
    const shape = { channels: channels2, inner: Math.floor(channels2 * innerShare), skips: stage.skips };
    if (stage.block === "nested") parts.push(nestedStage(ops, block3, last, channels2));
    else if (stage.block === "bottleneck") parts.push(bottleneck2(ops, block3, last, shape));
    else parts.push(attentionBlock(ops, `${block3}.1`, bottleneck2(ops, `${block3}.0`, last, shape), channels2));
  }
  for (const part of parts) ops.local(part);
  return pointwise(ops, `${name}.cv2`, joinedChannels(ops, parts), stage.channels);
}
function bottleneck2(ops, name, x, { channels: channels2, inner, skips }) {
  const narrowed = convolution2(ops, `${name}.cv1`, x, { channels: inner, kernel: 3 });
  const widened = convolution2(ops, `${name}.cv2`, narrowed, { channels: channels2, kernel: 3 });
  return skips ? ops.add(x, widened) : widened;
}
function nestedStage(ops, name, x, channels2) {
  const inner = Math.floor(channels2 * half);
  const shape = { channels: inner, inner, skips: true };
  const first = bottleneck2(ops, `${name}.m.0`, pointwise(ops, `${name}.cv1`, x, inner), shape);
  const second = bottleneck2(ops, `${name}.m.1`, first, shape);
  return pointwise(ops, `${name}.cv3`, joinedChannels(ops, [second, pointwise(ops, `${name}.cv2`, x, inner)]), channels2);
}
function pooling(ops, name, x, channels2, isBeside) {
  const pool = (input) => ops.maxPool(input, { kernel: 5, stride: 1, padding: 2 });
  const narrowed = pointwise(ops, `${name}.cv1`, x, channels2 / 2, false);
  const once = pool(narrowed);
  const twice = pool(once);
  const parts = [narrowed, once, twice, pool(twice)].map((part) => ops.local(part));
  const pooled = pointwise(ops, `${name}.cv2`, joinedChannels(ops, parts), channels2);
  return isBeside ? ops.add(pooled, x) : pooled;
}
function attentionStage(ops, name, x, channels2, repeats) {
  const inner = channels2 / 2;
  const [kept, attending] = halvesOf(ops, pointwise(ops, `${name}.cv1`, x, channels2), inner);
  let attended = attending;
  for (let index = 0; index < repeats; index++) attended = attentionBlock(ops, `${name}.m.${index}`, attended, inner);
  return pointwise(ops, `${name}.cv2`, joinedChannels(ops, [kept, attended]), channels2);
}
var HEAD_SIZE = 64;
function attentionBlock(ops, name, x, channels2) {
  const heads2 = Math.max(Math.floor(channels2 / HEAD_SIZE), 1);
  const valueSize = Math.floor(channels2 / heads2);
  const keySize = Math.floor(valueSize / 2);
  const joined = pointwise(ops, `${name}.attn.qkv`, x, channels2 + 2 * heads2 * keySize, false);
  const [mixed, values] = ops.pixelAttention(joined, { heads: heads2, keySize, valueSize });
  const depthwise = { channels: channels2, kernel: 3, groups: channels2, activates: false };
  const placed = ops.add(mixed, convolution2(ops, `${name}.attn.pe`, values, depthwise));
  const attended = ops.add(x, pointwise(ops, `${name}.attn.proj`, placed, channels2, false));
  const widened = pointwise(ops, `${name}.ffn.0`, attended, 2 * channels2);
  return ops.add(attended, pointwise(ops, `${name}.ffn.1`, widened, channels2, false));
}
function halvesOf(ops, x, channels2) {
  return ops.split(ops.channelsLast(x), [channels2, channels2]).map((part) => ops.channelsFirst(part));
}
function joinedChannels(ops, parts) {
  return ops.channelsFirst(ops.concatenate(parts.map((part) => ops.channelsLast(part))));
}

// engine/models/vision/yolo.ts
function layersOf(ops, { version: version2, size: size2, head: head2 }) {
  const { scales, isLight } = architectures[version2];
  const [depth, share, maxChannels] = scales[size2];
  const width = widthOf(share, version2 === "v8" && head2 === "classify" ? 1024 : maxChannels);
  const repeated = (repeats) => repeats > 1 ? Math.max(Math.round(repeats * depth), 1) : repeats;
  let count2 = 0;
  const nextName = () => `model.${count2++}`;
  const next = (x, body) => {
    const name = nextName();
    return ops.frame(x, (input) => body(name, input));
  };
  return {
    nextName,
    next,
    width,
    repeated,
    halved: (x, channels2) => next(x, (name, input) => convolution2(ops, name, input, { channels: width(channels2), kernel: 3, stride: 2 })),
    staged: (x, stage) => next(x, (name, input) => {
      const nests = isLight && stage.block === "bottleneck" && ["m", "l", "x"].includes(size2);
      const block3 = nests ? "nested" : stage.block;
      const scaled = { ...stage, block: block3, channels: width(stage.channels), repeats: repeated(stage.repeats) };
      return stageOf(ops, name, input, scaled, isLight ? half : 1);
    })
  };
}
function backbone(ops, config, layers2) {
  const version2 = architectures[config.version];
  const { next, halved, staged, width } = layers2;
  const [quarter, eighth, sixteenth, thirtySecond] = version2.backbone;
  const stem = halved(halved(ops.input, 64), 128);
  const p3 = staged(halved(staged(stem, quarter), 256), eighth);
  const p4 = staged(halved(p3, 512), sixteenth);
  const last = staged(halved(p4, 1024), thirtySecond);
  const pooled = config.head !== "classify" ? next(last, (name, x) => pooling(ops, name, x, width(1024), version2.poolsBeside)) : last;
  const attend = (name, x) => attentionStage(ops, name, x, width(1024), layers2.repeated(2));
  return [p3, p4, version2.attends ? next(pooled, attend) : pooled];
}
var POOLED_FEATURES = 1280;
function yoloClassifier(ops, config, classes) {
  const layers2 = layersOf(ops, config);
  const [, , p5] = backbone(ops, config, layers2);
  return layers2.next(p5, (name, x) => {
    const features = ops.globalAveragePool(pointwise(ops, `${name}.conv`, x, POOLED_FEATURES));
    return ops.linear(`${name}.linear`, features, classes);
  });
}
function yoloDetector(ops, config, classes) {
  const version2 = architectures[config.version];
  const layers2 = layersOf(ops, config);
  const { next, halved, staged, width } = layers2;
  const [p3, p4, p5] = backbone(ops, config, layers2);
  const doubled = (x) => next(x, (_, input) => ops.upsampleNearest(input));
  const joined = (x, other) => next(x, (_, input) => joinedChannels(ops, [input, other]));
  const [upOnce, upTwice, downOnce, downTwice] = version2.neck;
  const middle = staged(joined(doubled(p5), p4), upOnce);
  const fine = staged(joined(doubled(middle), p3), upTwice);
  const medium = staged(joined(halved(fine, 256), middle), downOnce);
  const coarse = staged(joined(halved(medium, 512), p5), downTwice);
  const levels = [
    { x: fine, channels: width(upTwice.channels) },
    { x: medium, channels: width(downOnce.channels) },
    { x: coarse, channels: width(downTwice.channels) }
  ];
  return detect(ops, layers2.nextName(), levels, { classes, version: version2, findsKeypoints: config.head === "pose" });
}
function widthOf(share, maxChannels) {
  return (channels2) => Math.ceil(Math.min(channels2, maxChannels) * share / 8) * 8;
}
var KEYPOINT_NUMBERS = 17 * 3;
function detect(ops, name, levels, shape) {
  const { bins, namesOnce } = shape.version;
  if (bins > 1) ops.idle(bins, (x) => ops.linear(`${name}.dfl.conv`, x, 1, { bias: false }));
  const first = detections(ops, `${name}.`, levels, shape);
  if (!namesOnce) return [first];
  const apart = levels.map(({ x, channels: channels2 }) => ({ x: ops.detached(x), channels: channels2 }));
  return [first, detections(ops, `${name}.one2one_`, apart, shape)];
}
function detections(ops, name, levels, { classes, version: version2, findsKeypoints: findsKeypoints2 }) {
  const { isLight, bins } = version2;
  const finest = levels[0]?.channels ?? 0;
  const boxChannels = Math.max(16, Math.floor(finest / 4), 4 * bins);
  const scoreChannels = Math.max(finest, Math.min(classes, 100));
  const last = { kernel: 1, stride: 1, bias: true };
  const branches = (part, channels2, numbers) => levels.map(({ x }, index) => {
    const branch = `${name}${part}.${index}`;
    const first = convolution2(ops, `${branch}.0`, x, { channels: channels2, kernel: 3 });
    const second = convolution2(ops, `${branch}.1`, first, { channels: channels2, kernel: 3 });
    return ops.conv2d(`${branch}.2`, second, numbers, last);
  });
  const boxes = ops.joinPixels(branches("cv2", boxChannels, 4 * bins));
  const scores = levels.map(({ x, channels: channels2 }, index) => {
    const branch = `${name}cv3.${index}`;
    const filter = (part, input, inChannels) => isLight ? separable(ops, `${branch}.${part}`, input, inChannels, scoreChannels) : convolution2(ops, `${branch}.${part}`, input, { channels: scoreChannels, kernel: 3 });
    return ops.conv2d(`${branch}.2`, filter("1", filter("0", x, channels2), scoreChannels), classes, last);
  });
  const found = { boxes, scores: ops.joinPixels(scores) };
  if (!findsKeypoints2) return found;
  const keypointChannels = Math.max(Math.floor(finest / 4), KEYPOINT_NUMBERS);
  return { ...found, keypoints: ops.joinPixels(branches("cv4", keypointChannels, KEYPOINT_NUMBERS)) };
}
function separable(ops, name, x, inChannels, channels2) {
  const depthwise = { channels: inChannels, kernel: 3, groups: inChannels };
  return pointwise(ops, `${name}.1`, convolution2(ops, `${name}.0`, x, depthwise), channels2);
}

// engine/models/architecture.ts
var modelConfig = z68.discriminatedUnion("model_type", [
  bertConfig,
  robertaConfig,
  distilbertConfig,
  modernbertConfig,
  gpt2Config,
  gptBigCodeConfig,
  gptjConfig,
  gptNeoConfig,
  ...decoderConfigs,
  gemma3nConfig,
  gemma3nTextConfig,
  gemma4Config,
  gemma4TextConfig,
  gemma4UnifiedConfig,
  phiConfig,
  gptNeoxConfig,
  optConfig,
  falconConfig,
  mllamaConfig,
  mossVlConfig,
  t5Config,
  resnetConfig,
  vitConfig,
  deitConfig,
  convnextConfig,
  yoloConfig
]);
var IMAGENET_PIXELS = 224;
var COCO_PIXELS = 640;
var kinds = {
  bert: "encoder",
  roberta: "encoder",
  "xlm-roberta": "encoder",
  distilbert: "encoder",
  modernbert: "encoder",
  t5: "encoder-decoder",
  resnet: "image",
  vit: "image",
  deit: "image",
  convnext: "image",
  yolo: "detector"
};
function kindOf4(config) {
  if (config.model_type === "yolo" && config.head === "classify") return "image";
  return kinds[config.model_type] ?? "decoder";
}
var tasks2 = {
  encoder: ["sequence-classification", "masked-lm"],
  decoder: ["causal-lm", "sequence-classification"],
  "encoder-decoder": ["seq2seq-lm"],
  image: ["image-classification"],
  detector: ["object-detection"]
};
function tasksOf(config) {
  return tasks2[kindOf4(config)];
}
var robertas = /* @__PURE__ */ new Set(["roberta", "xlm-roberta"]);
function maxPositionsOf(config) {
  if ("n_positions" in config) return config.n_positions;
  if ("text_config" in config) return config.text_config.max_position_embeddings;
  if (!("max_position_embeddings" in config)) return void 0;
  return config.max_position_embeddings - (robertas.has(config.model_type) ? ROBERTA_POSITION_OFFSET : 0);
}
function imageSizeOf(config) {
  if (config.model_type === "yolo" && config.head !== "classify") return COCO_PIXELS;
  if ("image_size" in config) return config.image_size;
  return kindOf4(config) === "image" ? IMAGENET_PIXELS : void 0;
}
function seesImages(config) {
  return "vision_config" in config;
}
function hears(config) {
  return "audio_config" in config;
}
function outsideTransformers(config) {
  if (config.model_type === "yolo") return "ultralytics";
  return config.model_type === "moss_vl" || config.model_type === "mimo" ? "checkpoint" : void 0;
}
function hasExperts(config) {
  const text = "text_config" in config ? config.text_config : config;
  return "num_experts_per_tok" in text && (text.num_experts_per_tok ?? 0) > 0 || "enable_moe_block" in text && text.enable_moe_block;
}
function hasStateSpaces(config) {
  if (config.model_type === "granitemoehybrid") return !config.layer_types?.every((type) => type === "attention");
  return ["falcon_h1", "nemotron_h", "jamba"].includes(config.model_type);
}
function supportsCheckpointing(config) {
  return !["resnet", "convnext", "yolo"].includes(config.model_type);
}
function forward(ops, config, spec) {
  const tokens = spec.sequenceLength ?? 0;
  switch (config.model_type) {
    case "bert":
    case "roberta":
    case "xlm-roberta":
      return bert(ops, config, tokens, spec.task, spec.labels);
    case "distilbert":
      return distilbert(ops, config, tokens, spec.task, spec.labels);
    case "modernbert":
      return modernbert(ops, config, spec.task, spec.labels);
    case "gpt2":
      return gpt2(ops, config, tokens, spec.task, spec.labels);
    case "gpt_bigcode":
      return gptBigCode(ops, config, tokens, spec.task, spec.labels);
    case "gptj":
      return gptj(ops, config, spec.task, spec.labels);
    case "gpt_neo":
      return gptNeo(ops, config, tokens, spec.task, spec.labels);
    case "phi":
      return phi(ops, config, spec.task, spec.labels);
    case "gpt_neox":
      return gptNeox(ops, config, spec.task, spec.labels);
    case "opt":
      return opt(ops, config, spec.task, spec.labels);
    case "falcon":
      return falcon(ops, config, spec.task, spec.labels);
    case "moss_vl":
      return mossVl(ops, config, spec);
    case "mllama":
      return mllama(ops, config, spec);
    case "gemma3n":
    case "gemma3n_text":
      return gemma3n(ops, config, spec.task, spec.labels);
    case "gemma4":
    case "gemma4_text":
    case "gemma4_unified":
      return gemma4(ops, config, spec.task, spec.labels);
    case "t5":
      return t5(ops, config, tokens, spec.targetLength ?? tokens);
    case "resnet":
      return resnet(ops, config, spec.labels);
    case "vit":
    case "deit":
      return vit(ops, config, spec.labels);
    case "convnext":
      return convnext(ops, config, spec.labels);
    case "yolo":
      return config.head === "classify" ? yoloClassifier(ops, config, spec.labels) : yoloDetector(ops, config, spec.labels)[0].scores;
    default:
      return decoderModel(ops, blueprintOf(config), spec.task, spec.labels);
  }
}

// engine/estimate/error-band.ts
var TRACED_BAND_PERCENT = 3;
var SHARED_BAND_PERCENT = 5;
var DERIVED_BAND_PERCENT = 10;
function errorBandPercent(spec, config) {
  if (neverRun(spec) !== void 0 || sentencesOn(spec, config).length > 0) return DERIVED_BAND_PERCENT;
  return exchangingLibrary(spec) === void 0 ? TRACED_BAND_PERCENT : SHARED_BAND_PERCENT;
}
function beyondTrace(spec) {
  return spec.gpus > 1 ? "several GPUs" : beyondTorch(spec);
}
var untraced = /* @__PURE__ */ new Set(["lion", "paged-adamw", "adam-mini"]);
var untracedExperts = {
  "axolotl-kernels": "Axolotl's kernels for experts",
  "axolotl-linear": "experts as linear layers",
  torchtune: "torchtune's experts",
  ktransformers: "transfers to and from experts on the host"
};
function beyondTorch(spec) {
  return spec.sharding?.startsWith("zero") ? "DeepSpeed's sharding" : neverRun(spec);
}
function exchangingLibrary({ sharding = "ddp", gpus: gpus2 }) {
  if (sharding.startsWith("zero")) return "DeepSpeed";
  if (gpus2 === 1) return void 0;
  return isFsdp(sharding) ? "FSDP" : "DistributedDataParallel";
}
function neverRun(spec) {
  if (spec.loop === "ultralytics") return "Ultralytics' trainer";
  if (spec.method?.kind === "answers" && spec.method.generation.kind === "vllm") return "vLLM on the training GPU";
  if (spec.quantization === "gptq" || spec.quantization === "awq") return `${spec.quantization.toUpperCase()} weights`;
  if (spec.tensorParallel !== void 0) return "tensor parallelism";
  if (spec.method?.kind === "trajectories") return "torchtune's GRPO and PPO recipes";
  if (spec.method?.kind === "strided") return "EBFT's strided mode";
  if (spec.expertStyle !== void 0) return untracedExperts[spec.expertStyle];
  if (spec.quantizedExperts) return "quantised experts";
  if (spec.fakeQuantization?.format !== void 0) return "4-bit floats";
  if (spec.float8) return "8-bit floats";
  if (spec.offload !== void 0) return "offloading";
  if (spec.trainsTowers) return "image or audio inputs";
  if (spec.images?.checkpointed === "self-attention") return "torchtune's image layers";
  if (spec.trainable?.inTurns) return "layers that train in turn";
  if (spec.fusedLoss) return "a fused loss";
  if (spec.precision === "bf16-master" && exchangingLibrary(spec) === void 0) return "float32 master weights";
  return untraced.has(spec.optimizer) ? `the optimizer ${spec.optimizer}` : void 0;
}
function derivationOf(spec, config) {
  const ofModel = sentencesOn(spec, config);
  const [what, library] = [neverRun(spec), exchangingLibrary(spec)];
  const isSaid = spec.loop === "ultralytics" && outsideTransformers(config) === "ultralytics";
  return [
    ...ofModel,
    ...what !== void 0 && !isSaid ? [
      `The memory effect of ${what} is derived from source code and documentation; no trace or GPU run has confirmed it, and the band of ±${DERIVED_BAND_PERCENT} % is a guess.`
    ] : [],
    ...library !== void 0 ? [
      `What each GPU holds and exchanges was compared with ${library} running on CPU tensors (bench:sharding), not on GPUs. NCCL's own buffers are not counted; the band of ±${errorBandPercent(spec, config)} % is a guess.`
    ] : []
  ];
}
function sentencesOn(spec, config) {
  const isBfloat16 = spec.precision === "bf16" || spec.precision === "bf16-master";
  return [
    ...spec.images !== void 0 ? [
      `One image per sample is counted${spec.images.tiles > 1 ? `, in ${spec.images.tiles} tiles` : ""}: the number and size of images in a sample cannot be determined from the config.`
    ] : [],
    ...seesImages(config) && spec.images === void 0 ? [
      `Only text is counted: the number and size of images in a sample cannot be determined from the config. ${ofTowers("vision", spec)}`
    ] : [],
    ...hears(config) ? [
      `Only text is counted: the length of audio in a sample cannot be determined from the config. ${ofTowers("audio", spec)}`
    ] : [],
    ...outsideTransformers(config) === "ultralytics" ? [
      `The step is counted from Ultralytics' source code and was compared with a trace of it; only the estimate engine supports it here. The number of objects in the images changes memory by a few percent, hence the band of ±${DERIVED_BAND_PERCENT} %.`
    ] : [],
    ...outsideTransformers(config) === "checkpoint" ? [
      `The model is counted from the code published with its weights, which only the estimate engine supports.${seesImages(config) ? " Its vision layers are assumed to be frozen." : ""}`
    ] : [],
    ...hasExperts(config) && spec.quantization !== void 0 && !spec.quantizedExperts && spec.expertStyle !== "axolotl-linear" ? [
      "The experts are counted without quantisation: transformers 5 holds them as separate parameters, which the quantisation of linear layers skips."
    ] : [],
    ...answersItself(spec) && (hasLinearAttention(config) || hasStateSpaces(config)) ? ["The recurrent state that layers without attention keep for each completion during generation is not counted."] : [],
    ...hasLinearAttention(config) ? [
      "Linear attention is counted with flash-linear-attention's kernels, derived from their source code; without them, transformers' own implementation needs more memory."
    ] : [],
    ...hasStateSpaces(config) ? [
      "Mamba layers are counted with the kernels of mamba-ssm and causal-conv1d, derived from their source code; without them, transformers' own implementation needs far more memory."
    ] : [],
    ...hasStateSpaces(config) && config.model_type !== "jamba" && spec.quantization !== void 0 ? ["Mamba's output projections are counted without quantisation: their kernel needs unquantised matrices."] : [],
    ...config.model_type === "gpt_oss" && spec.attention === "sdpa" ? [
      "Attention is counted with a flash kernel that supports gpt-oss's sinks, such as kernels-community/vllm-flash-attn3, derived from its source code; without one, transformers computes attention eagerly, which needs far more memory."
    ] : [],
    ...hasExperts(config) && !isBfloat16 ? ["Experts in float32 run in a kernel that no trace covers; they are counted as in bfloat16, at twice the size."] : []
  ];
}
function hasLinearAttention(config) {
  return ["qwen3_next", "qwen3_5", "qwen3_5_moe", "kimi_linear"].includes(config.model_type);
}
function answersItself({ method }) {
  return method?.kind === "answers" && method.generation.kind === "transformers";
}
function ofTowers(kind, { trainsTowers: trainsTowers2 }) {
  const layers2 = `the ${kind} layers`;
  return trainsTowers2 ? `The figures include the weights, gradients and optimizer state of ${layers2}, but not their activations.` : `The figures include the weights of ${layers2}, but not their activations nor, if they are trained, their gradients and optimizer state.`;
}

// engine/probes/device.ts
import * as z70 from "zod";

// engine/probes/ending.ts
async function endedBy(signal, process2, work) {
  const end = () => void process2[Symbol.asyncDispose]();
  if (signal?.aborted) end();
  signal?.addEventListener("abort", end, { once: true });
  try {
    return await work;
  } finally {
    signal?.removeEventListener("abort", end);
  }
}

// engine/probes/worker.ts
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import * as z69 from "zod";

// engine/json.ts
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}

// engine/probes/worker.ts
var answer = z69.discriminatedUnion("kind", [
  z69.object({ id: z69.number(), kind: z69.literal("done"), result: z69.unknown() }),
  z69.object({ id: z69.number(), kind: z69.literal("failed"), message: z69.string(), traceback: z69.string() })
]);
var passedVariables = /^(?:PATH|HOME|LANG|LC_\w+|TMPDIR|VIRTUAL_ENV|PYTHON\w*|LD_LIBRARY_PATH|CUDA_\w+|NVIDIA_\w+|HF_HOME)$/;
var STDERR_TAIL_CHARACTERS = 4e3;
function workerPath() {
  const places = ["./worker.py", "../engine/probes/worker.py"].map(
    (path2) => fileURLToPath(new URL(path2, import.meta.url))
  );
  const found = places.find((place) => existsSync(place));
  if (found === void 0) throw new Error(`worker.py is missing from the installation: ${places.join(", ")}`);
  return found;
}
var PythonWorker = class {
  #child;
  #lines;
  #stderr = "";
  #nextId = 1;
  /**
   * `python`: the interpreter's command. `processes`: more than one run under torchrun and answer as one, with the highest
   * figures of all. Starting never fails here; the first question does.
   */
  constructor(python, processes = 1) {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => passedVariables.test(name)));
    const launcher = processes === 1 ? [] : ["-m", "torch.distributed.run", "--standalone", `--nproc-per-node=${processes}`];
    this.#child = spawn(python, ["-u", ...launcher, workerPath()], { env, detached: true });
    this.#child.on("error", (error) => {
      this.#stderr += error.message;
    });
    this.#child.stdin.on("error", () => {
    });
    this.#child.stderr.setEncoding("utf8").on("data", (text) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL_CHARACTERS);
    });
    const end = () => this.#kill();
    process.once("exit", end);
    this.#child.once("close", () => process.off("exit", end));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }
  /** One request at a time: the next may be sent once this one is answered. */
  async ask(operation, question2, schema, timeoutMillis) {
    const id = this.#nextId++;
    this.#child.stdin.write(`${JSON.stringify({ ...question2, id, operation })}
`);
    const timer = Promise.withResolvers();
    const timeout = setTimeout(() => timer.resolve("timed-out"), timeoutMillis);
    try {
      const line = await Promise.race([this.#lines.next(), timer.promise]);
      if (line === "timed-out") {
        this.#kill();
        return { kind: "timed-out", afterMillis: timeoutMillis };
      }
      return line.done ? this.#died("ended") : this.#read(line.value, id, schema);
    } finally {
      clearTimeout(timeout);
    }
  }
  async [Symbol.asyncDispose]() {
    if (this.#child.pid === void 0 || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#kill();
    await ended;
  }
  #read(line, id, schema) {
    const parsed2 = answer.safeParse(parseJson(line));
    if (!parsed2.success || parsed2.data.id !== id) return this.#died(`answered "${line.slice(0, 200)}"`);
    if (parsed2.data.kind === "failed") return parsed2.data;
    const result = schema.safeParse(parsed2.data.result);
    return result.success ? { kind: "done", result: result.data } : this.#died(`answered what the schema refuses: ${z69.prettifyError(result.error)}`);
  }
  #died(how) {
    this.#kill();
    return { kind: "died", message: `the Python worker ${how}. ${this.#stderr}`.trim() };
  }
  /** The whole process group, including Python's data loaders and compilers. */
  #kill() {
    const { pid } = this.#child;
    if (pid === void 0) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
};

// engine/probes/device.ts
var deviceKinds = ["cuda", "mps", "cpu"];
var bytes = z70.number().int().min(0);
var cudaDevice = z70.object({
  kind: z70.literal("cuda"),
  name: z70.string(),
  /** GPUs that PyTorch sees on this machine; the facts describe the first. */
  count: z70.number().int().positive(),
  /** The memory limit, where one was set. */
  totalBytes: bytes,
  /** Total − free − reserved after a first kernel: the context, and whatever other processes hold. */
  contextBytes: bytes,
  /** What PyTorch allocates for cuBLAS, once per handle and stream. */
  cublasWorkspaceBytes: bytes,
  driver: z70.string(),
  cuda: z70.string(),
  computeCapability: z70.tuple([z70.number().int(), z70.number().int()])
});
var device = z70.discriminatedUnion("kind", [
  cudaDevice,
  z70.object({ kind: z70.literal("mps"), name: z70.string(), totalBytes: bytes, contextBytes: bytes }),
  z70.object({ kind: z70.literal("cpu"), name: z70.string() }),
  z70.object({ kind: z70.literal("none") })
]);
var machine = z70.object({
  python: z70.string(),
  torch: z70.string(),
  transformers: z70.string(),
  hasBitsandbytes: z70.boolean(),
  device
});
var START_TIMEOUT_MILLIS = 12e4;
async function describeMachine(python, signal) {
  var _stack = [];
  try {
    const worker = __using(_stack, new PythonWorker(python), true);
    const answer2 = await endedBy(signal, worker, worker.ask("device", {}, machine, START_TIMEOUT_MILLIS));
    switch (answer2.kind) {
      case "done":
        return { kind: "python", ...answer2.result };
      case "failed":
      case "died":
        return { kind: "no-python", why: answer2.message };
      case "timed-out":
        return { kind: "no-python", why: `no answer within ${answer2.afterMillis / 1e3} s` };
    }
  } catch (_) {
    var _error = _, _hasError = true;
  } finally {
    var _promise = __callDispose(_stack, _error, _hasError);
    _promise && await _promise;
  }
}
function gpusOf(machine2) {
  if (machine2.kind === "no-python") return 0;
  switch (machine2.device.kind) {
    case "cuda":
      return machine2.device.count;
    case "cpu":
      return Number.POSITIVE_INFINITY;
    case "mps":
      return 1;
    case "none":
      return 0;
  }
}
function softwareOf({ torch, transformers, device: device2 }) {
  const cuda = device2.kind === "cuda" ? [`CUDA ${device2.cuda}`, `driver ${device2.driver}`] : [];
  return [`torch ${torch}`, `transformers ${transformers}`, ...cuda].join(", ");
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
  // torch/optim/rmsprop.py: square_avg like the parameter. _multi_tensor_rmsprop: torch._foreach_sqrt(square_avgs).
  rmsprop: {
    stateBytes: parameterBytes,
    temporaries: (parameter) => [parameterBytes(parameter)],
    temporariesLive: "together",
    passes: 10
  },
  // lion-pytorch, torchtune: one momentum like the parameter.
  lion: { ...inPlace, stateBytes: parameterBytes, passes: 5 },
  // adam_mini/adam_mini.py: moments in float32; a step holds the squared gradient or the update, and its negative.
  "adam-mini": {
    stateBytes: (parameter, name) => (wholeSecondMoment.test(name) ? 2 : 1) * float32Bytes(parameter),
    temporaries: (parameter) => Array.from({ length: parameter.dtype === "float32" ? 2 : 3 }, () => float32Bytes(parameter)),
    temporariesLive: "one by one",
    passes: 10
  },
  "adamw-8bit": { ...inPlace, stateBytes: (parameter) => 2 * eightBitBytes(parameter), passes: 4 },
  // Paged state is in managed memory: on the GPU while it fits, on the host when something else needs the space.
  "paged-adamw-8bit": { ...inPlace, stateBytes: (parameter) => 2 * eightBitBytes(parameter), passes: 4 },
  "paged-adamw": { ...inPlace, stateBytes: (parameter) => 2 * float32Bytes(parameter), passes: 7 }
};
var wholeSecondMoment = /embed|embd|wte|lm_head\.weight|output\.weight/;
function adafactorBytes(parameter) {
  const [rows3, columns] = [parameter.shape.at(-2), parameter.shape.at(-1)];
  if (rows3 === void 0 || columns === void 0) return float32Bytes(parameter);
  return (elements(parameter) / columns + elements(parameter) / rows3) * bytesPerElement.float32;
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
  constructor({ spec, nodes, parameterCount }, gpu) {
    this.#bytesPerSecond = gpu.memoryBandwidthBytesPerSecond * BANDWIDTH_EFFICIENCY;
    this.#kernels = kernelsOf(nodes, gpu, spec.precision, spec.step === "training" && spec.gradientCheckpointing);
    const weightBytes = parameterCount * (spec.precision.startsWith("bf16") ? 2 : 4);
    const passes = spec.step === "training" ? optimizerRules[spec.optimizer].passes : 0;
    this.#optimizerSeconds = passes * weightBytes / this.#bytesPerSecond;
  }
  /** Samples per second on one GPU, over whole optimizer steps of `accumulation` micro-steps. */
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
function kernelsOf(nodes, gpu, precision, checkpoints) {
  return nodes.flatMap((node) => {
    if (node.body !== void 0) {
      const recomputed = checkpoints ? node.body.map((inner) => kernel(inner, gpu, precision, FORWARD_LAUNCH_SECONDS)) : [];
      return [...kernelsOf(node.body, gpu, precision, false), ...recomputed];
    }
    if (node.outputs.length === 0) return [];
    const made = node.gradients.filter((edge) => !edge.passes).length;
    const backwardKernels = Math.min(made, node.flopsPerSample > 0 ? 2 : 1);
    const backward = kernel(node, gpu, precision, BACKWARD_LAUNCH_SECONDS);
    return [
      kernel(node, gpu, precision, FORWARD_LAUNCH_SECONDS),
      ...Array.from({ length: backwardKernels }, () => backward)
    ];
  });
}
function kernel(node, gpu, precision, launchSeconds) {
  const storages = [...node.reads, ...node.creates];
  const flopsPerSecond = peakFlops(gpu, node.computeDtype, precision) * ARITHMETIC_EFFICIENCY;
  const flopsPerElement = node.productElements > 0 ? node.flopsPerSample / node.productElements : 0;
  return {
    arithmeticSecondsPerSample: node.flopsPerSample / flopsPerSecond,
    waveSeconds: flopsPerElement * TILE_ELEMENTS * gpu.multiprocessors / flopsPerSecond,
    launchSeconds,
    fixedBytes: storages.reduce((sum, storage) => sum + storage.fixedBytes, 0),
    bytesPerSample: storages.reduce((sum, storage) => sum + storage.bytesPerSample, 0)
  };
}
function peakFlops(gpu, dtype, precision) {
  if (precision === "tf32") return gpu.peakFlops.tf32 ?? gpu.peakFlops.fp32;
  if (dtype === "bfloat16") return gpu.peakFlops.bf16 ?? gpu.peakFlops.fp32;
  return bytesPerElement[dtype] === 2 ? gpu.peakFlops.fp16 : gpu.peakFlops.fp32;
}

// engine/estimate/vllm-share.ts
var nothing = { bytes: 0, held: "for-answers" };
function vllmShare({ method }, { totalBytes }) {
  if (method?.kind !== "answers" || method.generation.kind !== "vllm") return nothing;
  const { share, sleeps } = method.generation;
  return { bytes: Math.floor(share * totalBytes), held: sleeps ? "for-answers" : "always" };
}

// engine/probes/trial.ts
import * as z71 from "zod";
var bytes2 = z71.number().min(0).max(1e18);
var provenance = z71.enum(["measured", "traced", "estimated"]);
var outcome = z71.discriminatedUnion("kind", [
  z71.object({
    kind: z71.literal("fits"),
    /** Absent if the device does not count it: the CPU. */
    peakBytes: bytes2.optional(),
    /** Half the distance between the highest and the lowest peak of the steps; absent if only one step counts. */
    peakBytesSpread: bytes2.optional(),
    /** What the caching allocator held at most, cached blocks included. */
    reservedBytes: bytes2.optional(),
    /** Forward and backward of one micro-batch and one optimizer step: the median of the timed steps. */
    stepMillis: z71.number().min(0).optional(),
    /** Half the distance between the fastest and the slowest timed step; absent when fewer than two were timed. */
    stepMillisSpread: z71.number().min(0).optional(),
    /** The optimizer's part of `stepMillis`. */
    optimizerMillis: z71.number().min(0).optional()
  }),
  /** `neededBytes`: the peak that the step would have had, where the probe can know it. */
  z71.object({ kind: z71.literal("out-of-memory"), neededBytes: bytes2.optional() }),
  z71.object({ kind: z71.literal("timed-out"), afterMillis: z71.number().min(0) }),
  z71.object({ kind: z71.literal("failed"), problem })
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
function isBroken(outcome2) {
  return outcome2.kind === "failed" || outcome2.kind === "timed-out";
}
var trial = z71.object({
  microBatch: batchSize,
  /** It ran beside the gradients of an earlier micro-batch, as all but the first do where gradients accumulate. */
  accumulates: z71.literal(true).optional(),
  provenance,
  outcome
});
function trialSpec(spec, microBatch, accumulates) {
  return { ...spec, microBatch, gradientAccumulation: accumulates ? 2 : 1 };
}

// engine/probes/estimate.ts
var CUBLAS_HANDLES = 2;
var throughputs = /* @__PURE__ */ new WeakMap();
var EstimateProbes = class {
  #probes = /* @__PURE__ */ new Map();
  #make;
  constructor(spec, config, gpu, footprints) {
    this.#make = (accumulates) => {
      return new EstimateProbe(footprints.of(trialSpec(spec, 1, accumulates), config, gpu), gpu);
    };
  }
  of(accumulates) {
    const probe = this.#probes.get(accumulates) ?? this.#make(accumulates);
    this.#probes.set(accumulates, probe);
    return probe;
  }
};
var EstimateProbe = class {
  usableBytes;
  #workspaceBytes;
  #footprint;
  #gpu;
  #vllm;
  #accumulates;
  /** One footprint serves any number of GPUs. */
  constructor(footprint, gpu) {
    this.#vllm = vllmShare(footprint.spec, gpu);
    this.usableBytes = Math.max(0, usableBytes(gpu) - (this.#vllm.held === "always" ? this.#vllm.bytes : 0));
    this.#workspaceBytes = gpu.cublasWorkspaceBytes * CUBLAS_HANDLES;
    this.#footprint = footprint;
    this.#accumulates = accumulatesGradients(footprint.spec) ? { accumulates: true } : {};
    this.#gpu = gpu;
  }
  peak(batch) {
    const step3 = this.#footprint.peak(batch, this.#workspaceBytes);
    if (this.#vllm.held === "always" || this.#vllm.bytes === 0) return step3;
    const resting = this.#footprint.resting(batch, this.#workspaceBytes);
    const bytes5 = resting.bytes + this.#vllm.bytes;
    const breakdown2 = { ...resting.breakdown, workspace: resting.breakdown.workspace + this.#vllm.bytes };
    return bytes5 > step3.bytes ? { bytes: bytes5, breakdown: breakdown2, moment: "generation in vLLM" } : step3;
  }
  samplesPerSecond(batch, accumulation) {
    return throughputOf(this.#footprint, this.#gpu).samplesPerSecond(batch, accumulation);
  }
  trial(batch) {
    const { bytes: peakBytes } = this.peak(batch);
    const fit = this.#fit(batch, peakBytes, this.usableBytes);
    return {
      microBatch: batch,
      ...this.#accumulates,
      provenance: "estimated",
      outcome: fit.kind === "fits" ? { kind: "fits", peakBytes, reservedBytes: fit.reservedBytes } : { kind: "out-of-memory", neededBytes: peakBytes }
    };
  }
  /** A batch below one that fits also fits, so the allocator is not replayed. */
  trialBelow(batch) {
    const { bytes: peakBytes } = this.peak(batch);
    return { microBatch: batch, ...this.#accumulates, provenance: "estimated", outcome: { kind: "fits", peakBytes } };
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
function throughputOf(footprint, gpu) {
  const byGpu = throughputs.get(footprint) ?? /* @__PURE__ */ new Map();
  const throughput = byGpu.get(gpu) ?? new ThroughputModel(footprint, gpu);
  throughputs.set(footprint, byGpu.set(gpu, throughput));
  return throughput;
}

// engine/probes/tfjs/probe.ts
import { fileURLToPath as fileURLToPath3 } from "node:url";

// engine/probes/failure.ts
function outcomeOf(answer2, log) {
  switch (answer2.kind) {
    case "timed-out":
      return answer2;
    case "failed":
      log?.(answer2.traceback);
      return {
        kind: "failed",
        problem: {
          code: "step-failed",
          message: `the training step failed in Python: ${answer2.message}`.slice(0, 2e3),
          fix: "Read the Python traceback; the config may need something that this machine or model lacks."
        }
      };
    case "died":
      return {
        kind: "failed",
        problem: {
          code: "worker-died",
          message: answer2.message.slice(0, 2e3),
          fix: "Check the machine's log: the host may be out of memory, or the driver may have failed."
        }
      };
  }
}
function brokenTrialProblem({ microBatch, outcome: outcome2 }) {
  switch (outcome2.kind) {
    case "failed":
      return { ...outcome2.problem, message: `batch ${microBatch}: ${outcome2.problem.message}`.slice(0, 2e3) };
    case "timed-out":
      return {
        code: "trial-timed-out",
        message: `batch ${microBatch} took longer than ${Math.round(outcome2.afterMillis / 1e3)} s`,
        fix: "Check whether another job is using the device, or sweep a smaller model."
      };
    case "fits":
    case "out-of-memory":
      throw new Error(`a sweep does not break off over an outcome like ${outcome2.kind}`);
  }
}
function unavailable(engine, why) {
  return new MemoryMarkError({
    code: "engine-unavailable",
    field: "--engine",
    message: `the ${engine} engine cannot run here: ${why.slice(0, 1500)}`,
    fix: "Run `memorymark doctor` to see what this machine has and what to install."
  });
}

// engine/probes/tfjs/allocation-failure.ts
var words = /OOM when allocating|RESOURCE_EXHAUSTED|ResourceExhausted|CUDA_ERROR_OUT_OF_MEMORY|failed to allocate|bad_alloc/i;
function isAllocationFailure(text) {
  return words.test(text);
}

// engine/probes/tfjs/child.ts
import { fork } from "node:child_process";
import { existsSync as existsSync2 } from "node:fs";
import { fileURLToPath as fileURLToPath2 } from "node:url";
import * as z73 from "zod";

// engine/probes/tfjs/protocol.ts
import * as z72 from "zod";
var backendChoices = ["auto", "native", "cpu", "meta"];
var childArguments = z72.object({
  choice: z72.enum(backendChoices),
  /** The folder whose node_modules hold a native package. */
  nativeFolder: z72.string()
});
var question = z72.object({
  /** Its micro-batch is the size of the trial. */
  spec: trainingSpec,
  config: modelConfig,
  /** What the device has for tensors. */
  budgetBytes: z72.number().positive(),
  /** The first allocates the optimizer's state. */
  steps: z72.number().int().min(2),
  /** `forward`: the loss alone, with nothing kept for a backward pass. */
  pass: z72.enum(["forward", "step"])
});
var description = z72.object({ label: z72.string(), provenance });
var message = z72.discriminatedUnion("kind", [
  /** First, and once. */
  z72.object({ kind: z72.literal("ready"), backend: description }),
  z72.object({ kind: z72.literal("answer"), outcome }),
  /** The child threw; it ends after this. */
  z72.object({ kind: z72.literal("threw"), message: z72.string(), stack: z72.string() })
]);

// engine/probes/tfjs/child.ts
var passedVariables2 = /^(?:PATH|HOME|LANG|LC_\w+|TMPDIR|LD_LIBRARY_PATH|CUDA_\w+|NVIDIA_\w+|TF_\w+)$/;
var STDERR_TAIL_CHARACTERS2 = 4e3;
function childPath() {
  const places = ["./tfjs.js", "./serve.ts"].map((path2) => fileURLToPath2(new URL(path2, import.meta.url)));
  const found = places.find((place) => existsSync2(place));
  if (found === void 0)
    throw new Error(`the TensorFlow.js process is missing from the installation: ${places.join(", ")}`);
  return found;
}
var TfjsChild = class {
  #child;
  #closed = Promise.withResolvers();
  #next = Promise.withResolvers();
  #stderr = "";
  constructor({ choice, nativeFolder }) {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => passedVariables2.test(name)));
    this.#child = fork(childPath(), [choice, nativeFolder], {
      env,
      execArgv: [],
      stdio: ["ignore", "ignore", "pipe", "ipc"]
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL_CHARACTERS2);
    });
    this.#child.on("message", (received) => this.#next.resolve(received));
    this.#child.on("error", (error) => this.#closed.resolve(error.message));
    this.#child.on("close", (code, signal) => this.#closed.resolve(signal ?? `exit code ${code}`));
  }
  /** Waits until it has opened its backend; to be called first. */
  async start(timeoutMillis) {
    return this.#receive("ready", timeoutMillis);
  }
  /** One question at a time, after `start`. */
  async ask(question2, timeoutMillis) {
    this.#next = Promise.withResolvers();
    this.#child.send(question2, () => {
    });
    return this.#receive("answer", timeoutMillis);
  }
  async [Symbol.asyncDispose]() {
    this.#child.kill("SIGKILL");
    await this.#closed.promise;
  }
  async #receive(kind, timeoutMillis) {
    const timer = Promise.withResolvers();
    const timeout = setTimeout(() => timer.resolve({ kind: "timed-out", afterMillis: timeoutMillis }), timeoutMillis);
    const ended = this.#closed.promise.then((how) => this.#ending(`ended with ${how}`));
    try {
      const received = await Promise.race([this.#next.promise.then((raw) => this.#read(raw, kind)), ended, timer.promise]);
      if (received.kind !== kind) this.#child.kill("SIGKILL");
      return received;
    } finally {
      clearTimeout(timeout);
    }
  }
  #read(raw, kind) {
    const parsed2 = message.safeParse(raw);
    if (!parsed2.success) return this.#ending(`said what the schema refuses: ${z73.prettifyError(parsed2.error)}`);
    const { data } = parsed2;
    if (isKind(data, kind)) return data;
    return this.#ending(data.kind === "threw" ? `threw: ${data.message}` : `said "${data.kind}" out of turn`);
  }
  #ending(how) {
    return { kind: "ended", text: `${how}. ${this.#stderr}`.trim() };
  }
};
function isKind(data, kind) {
  return data.kind === kind;
}

// engine/probes/tfjs/probe.ts
var START_TIMEOUT_MILLIS2 = 12e4;
var TRIAL_TIMEOUT_MILLIS = 3e5;
var LEAST_STEPS = 2;
var nativePlace = process.env.MEMORYMARK_TFJS_NATIVE ?? fileURLToPath3(new URL(".", import.meta.url));
var TfjsProbe = class _TfjsProbe {
  engine = "tfjs";
  provenance;
  device;
  #context;
  #child;
  constructor(context, { label: label2, provenance: provenance2 }, child) {
    const { gpu, limitMemoryBytes = Number.POSITIVE_INFINITY } = context;
    const capped = { ...gpu, totalBytes: Math.min(gpu.totalBytes, limitMemoryBytes) };
    this.#context = context;
    this.#child = child;
    this.provenance = provenance2;
    this.device = { name: gpu.name, totalBytes: capped.totalBytes, usableBytes: usableBytes(capped), software: label2 };
  }
  /** @throws MemoryMarkError where the backend cannot start. */
  static async open(context) {
    const child = newChild(context);
    const started = await endedBy(context.signal, child, child.start(START_TIMEOUT_MILLIS2));
    if (started.kind === "ready") return new _TfjsProbe(context, started.backend, child);
    await child[Symbol.asyncDispose]();
    throw unavailable("tfjs", started.kind === "ended" ? started.text : "its process did not start in time");
  }
  async trial(microBatch, options = {}) {
    return this.#trial(microBatch, "step", options);
  }
  /** The forward pass alone, with nothing kept for a backward pass. */
  async forward(microBatch) {
    return this.#trial(microBatch, "forward", {});
  }
  async [Symbol.asyncDispose]() {
    await this.#endChild();
  }
  async #trial(microBatch, pass, { steps = LEAST_STEPS, signal, accumulates = false }) {
    const { spec } = this.#context;
    const end = () => void this.#endChild();
    if (signal?.aborted) end();
    signal?.addEventListener("abort", end, { once: true });
    try {
      const outcome2 = await this.#outcome({ spec: trialSpec(spec, microBatch, accumulates), steps, pass });
      if (outcome2.kind !== "fits") await this.#endChild();
      return { microBatch, ...accumulates && { accumulates }, provenance: this.provenance, outcome: outcome2 };
    } finally {
      signal?.removeEventListener("abort", end);
    }
  }
  async #outcome(asked) {
    const { config, trialTimeoutMillis = TRIAL_TIMEOUT_MILLIS, log } = this.#context;
    const started = await this.#started();
    if (started.kind !== "ready") return outcomeOf2(started, log);
    const question2 = { ...asked, config, budgetBytes: this.device.usableBytes };
    return outcomeOf2(await started.child.ask(question2, trialTimeoutMillis), log);
  }
  async #started() {
    if (this.#child !== void 0) return { kind: "ready", child: this.#child };
    const child = newChild(this.#context);
    this.#child = child;
    const started = await child.start(START_TIMEOUT_MILLIS2);
    return started.kind === "ready" ? { kind: "ready", child } : started;
  }
  /** After a failure tensors of the broken step stay: the next trial gets a new process. */
  async #endChild() {
    const child = this.#child;
    this.#child = void 0;
    await child?.[Symbol.asyncDispose]();
  }
};
async function describeTfjs() {
  var _stack = [];
  try {
    const child = __using(_stack, new TfjsChild({ choice: "auto", nativeFolder: nativePlace }), true);
    const started = await child.start(START_TIMEOUT_MILLIS2);
    switch (started.kind) {
      case "ready":
        return started.backend;
      case "ended":
        return { why: started.text };
      case "timed-out":
        return { why: "its process did not start in time" };
    }
  } catch (_) {
    var _error = _, _hasError = true;
  } finally {
    var _promise = __callDispose(_stack, _error, _hasError);
    _promise && await _promise;
  }
}
function newChild({ tfjs: { backend = "auto", nativeFolder = nativePlace } = {} }) {
  return new TfjsChild({ choice: backend, nativeFolder });
}
function outcomeOf2(received, log) {
  switch (received.kind) {
    case "answer":
      return received.outcome;
    case "timed-out":
      return received;
    case "ended":
      log?.(received.text);
      return isAllocationFailure(received.text) ? { kind: "out-of-memory" } : died(received.text);
  }
}
function died(text) {
  const message2 = `the TensorFlow.js process ${text}`.slice(0, 2e3);
  const fix = "Check the machine's log: the host may be out of memory, or the driver may have failed.";
  return { kind: "failed", problem: { code: "worker-died", message: message2, fix } };
}

// engine/probes/torch.ts
import * as z74 from "zod";

// engine/models/catalogue/bert-and-gpt-rows.ts
var bertLarge = { hidden_size: 1024, num_hidden_layers: 24, num_attention_heads: 16, intermediate_size: 4096 };
var robertaSizes = { max_position_embeddings: 514, type_vocab_size: 1 };
function row(id, model_type, differences = {}) {
  return { ids: [id], config: { model_type, ...differences } };
}
function cerebras(size2, n_embd, n_layer, n_head) {
  const dropout = { resid_pdrop: 0, embd_pdrop: 0, attn_pdrop: 0 };
  const sizes3 = { n_embd, n_layer, n_head, n_positions: 2048 };
  return row(`cerebras/Cerebras-GPT-${size2}`, "gpt2", { ...sizes3, activation_function: "gelu", ...dropout });
}
var gptNeo2 = (hidden_size, num_layers, num_heads) => ({
  ...{ hidden_size, num_layers, num_heads },
  attention_types: [[["global", "local"], num_layers / 2]]
});
var starcoder = (n_embd, n_layer, n_head) => ({
  model_type: "gpt_bigcode",
  ...{ vocab_size: 49152, n_positions: 8192, n_embd, n_layer, n_head }
});
var bertAndGptRows = [
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
  row("FacebookAI/xlm-roberta-base", "xlm-roberta", { ...robertaSizes, vocab_size: 250002 }),
  row("FacebookAI/xlm-roberta-large", "xlm-roberta", { ...robertaSizes, ...bertLarge, vocab_size: 250002 }),
  row("distilbert/distilroberta-base", "roberta", { ...robertaSizes, num_hidden_layers: 6 }),
  row("distilbert/distilbert-base-uncased", "distilbert"),
  row("distilbert/distilbert-base-cased", "distilbert", { vocab_size: 28996 }),
  row("distilbert/distilbert-base-multilingual-cased", "distilbert", { vocab_size: 119547 }),
  row("answerdotai/ModernBERT-base", "modernbert", { classifier_pooling: "mean" }),
  row("answerdotai/ModernBERT-large", "modernbert", {
    ...bertLarge,
    num_hidden_layers: 28,
    intermediate_size: 2624,
    classifier_pooling: "mean"
  }),
  row("openai-community/gpt2", "gpt2"),
  row("openai-community/gpt2-medium", "gpt2", { n_embd: 1024, n_layer: 24, n_head: 16 }),
  row("openai-community/gpt2-large", "gpt2", { n_embd: 1280, n_layer: 36, n_head: 20 }),
  row("openai-community/gpt2-xl", "gpt2", { n_embd: 1600, n_layer: 48, n_head: 25 }),
  row("distilbert/distilgpt2", "gpt2", { n_layer: 6 }),
  { ids: ["bigcode/starcoder", "bigcode/starcoderbase"], config: starcoder(6144, 40, 48) },
  { ids: ["bigcode/starcoderbase-1b"], config: starcoder(2048, 24, 16) },
  { ids: ["bigcode/starcoderbase-3b"], config: starcoder(2816, 36, 22) },
  { ids: ["bigcode/starcoderbase-7b"], config: starcoder(4096, 42, 32) },
  row("EleutherAI/gpt-j-6b", "gptj"),
  row("EleutherAI/gpt-neo-125m", "gpt_neo", gptNeo2(768, 12, 12)),
  row("EleutherAI/gpt-neo-1.3B", "gpt_neo", gptNeo2(2048, 24, 16)),
  row("EleutherAI/gpt-neo-2.7B", "gpt_neo", gptNeo2(2560, 32, 20)),
  cerebras("111M", 768, 10, 12),
  cerebras("256M", 1088, 14, 17),
  cerebras("590M", 1536, 18, 12),
  cerebras("1.3B", 2048, 24, 16),
  cerebras("2.7B", 2560, 32, 32),
  cerebras("6.7B", 4096, 32, 32),
  cerebras("13B", 5120, 40, 40)
];

// engine/models/catalogue/model-row.ts
function row2(model_type, sizes3, ids, differences = {}) {
  return { ids, config: textConfig4(model_type, sizes3, differences) };
}
function textConfig4(model_type, sizes3, differences = {}) {
  const [vocab_size, hidden_size, intermediate_size, num_hidden_layers, num_attention_heads] = sizes3;
  const [, , , , , num_key_value_heads, max_position_embeddings] = sizes3;
  return {
    model_type,
    vocab_size,
    hidden_size,
    intermediate_size,
    num_hidden_layers,
    num_attention_heads,
    num_key_value_heads,
    max_position_embeddings,
    ...differences
  };
}
var tied4 = { tie_word_embeddings: true };
var untied = { tie_word_embeddings: false };

// engine/models/catalogue/gemma-multimodal-rows.ts
var gemmaVision = {
  hidden_size: 1152,
  intermediate_size: 4304,
  num_hidden_layers: 27,
  num_attention_heads: 16,
  num_channels: 3,
  image_size: 896,
  patch_size: 14,
  vision_use_head: false
};
function gemma3Row(sizes3, headSize, ids) {
  const text_config = textConfig4("gemma3_text", sizes3, { head_dim: headSize, sliding_window: 1024 });
  return { ids, config: { model_type: "gemma3", text_config, vision_config: gemmaVision } };
}
var largeVision = {
  hidden_size: 1152,
  intermediate_size: 4304,
  num_hidden_layers: 27,
  num_attention_heads: 16,
  num_key_value_heads: 16,
  head_dim: 72,
  standardize: true
};
function gemma4Text(sizes3, differences) {
  const [hidden_size, intermediate_size, num_hidden_layers, num_attention_heads, num_key_value_heads] = sizes3;
  const [, , , , , sliding_window, max_position_embeddings] = sizes3;
  return {
    hidden_size,
    intermediate_size,
    num_hidden_layers,
    num_attention_heads,
    num_key_value_heads,
    sliding_window,
    max_position_embeddings,
    final_logit_softcapping: 30,
    ...differences
  };
}
function smallRow(sizes3, differences, ids) {
  const text_config = gemma4Text(sizes3, differences);
  return { ids, config: { model_type: "gemma4", text_config, vision_config: {}, audio_config: {} } };
}
function largeRow(sizes3, differences, ids) {
  const text_config = gemma4Text(sizes3, {
    attention_k_eq_v: true,
    hidden_size_per_layer_input: 0,
    ...differences
  });
  return { ids, config: { model_type: "gemma4", text_config, vision_config: largeVision } };
}
var fullEvery = (count2, layers2) => Array.from({ length: layers2 }, (_, index) => (index + 1) % count2 === 0 ? "full_attention" : "sliding_attention");
var experts2 = { enable_moe_block: true, num_experts: 128, top_k_experts: 8, moe_intermediate_size: 704 };
function gemma3nRow(text_config, ids) {
  return { ids, config: { model_type: "gemma3n", text_config, vision_config: {}, audio_config: {} } };
}
var unified = {
  ids: ["google/gemma-4-12B-it", "google/gemma-4-12B", "unsloth/gemma-4-12B-it"],
  config: {
    model_type: "gemma4_unified",
    text_config: gemma4Text([3840, 15360, 48, 16, 8, 1024, 262144], {
      attention_k_eq_v: true,
      num_global_key_value_heads: 1
    }),
    vision_config: {},
    audio_config: {}
  }
};
var gemmaRows = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  gemma3Row([262208, 2560, 10240, 34, 8, 4, 131072], 256, ["google/gemma-3-4b-pt", "google/gemma-3-4b-it", "unsloth/gemma-3-4b-it"]),
  gemma3Row([262208, 3840, 15360, 48, 16, 8, 131072], 256, ["google/gemma-3-12b-pt", "google/gemma-3-12b-it", "unsloth/gemma-3-12b-it"]),
  gemma3Row([262208, 5376, 21504, 62, 32, 16, 131072], 128, ["google/gemma-3-27b-pt", "google/gemma-3-27b-it", "unsloth/gemma-3-27b-it"]),
  // hidden, feed-forward, layers, heads, key/value heads, window, positions
  smallRow([1536, 6144, 35, 8, 1, 512, 131072], { num_kv_shared_layers: 20, use_double_wide_mlp: true, layer_types: fullEvery(5, 35) }, ["google/gemma-4-E2B-it", "google/gemma-4-E2B", "unsloth/gemma-4-E2B-it"]),
  smallRow([2560, 10240, 42, 8, 2, 512, 131072], { num_kv_shared_layers: 18 }, ["google/gemma-4-E4B-it", "google/gemma-4-E4B", "unsloth/gemma-4-E4B-it"]),
  largeRow([5376, 21504, 60, 32, 16, 1024, 262144], { num_global_key_value_heads: 4 }, ["google/gemma-4-31B", "google/gemma-4-31B-it", "unsloth/gemma-4-31B-it"]),
  largeRow([2816, 2112, 30, 16, 8, 1024, 262144], { num_global_key_value_heads: 2, ...experts2 }, ["google/gemma-4-26B-A4B", "google/gemma-4-26B-A4B-it", "unsloth/gemma-4-26B-A4B-it"]),
  unified
];
var gemma3nRows = [
  gemma3nRow({}, ["google/gemma-3n-E4B-it", "google/gemma-3n-E4B", "unsloth/gemma-3n-E4B-it"]),
  gemma3nRow({ num_hidden_layers: 30, intermediate_size: 8192, num_kv_shared_layers: 10 }, ["google/gemma-3n-E2B-it", "google/gemma-3n-E2B", "unsloth/gemma-3n-E2B-it"])
];

// engine/models/catalogue/image-classifier-rows.ts
var basicBlocks = { layer_type: "basic", hidden_sizes: [64, 128, 256, 512] };
var deep = { depths: [3, 3, 27, 3] };
var tiny = { hidden_size: 192, num_attention_heads: 3, intermediate_size: 768 };
var small = { hidden_size: 384, num_attention_heads: 6, intermediate_size: 1536 };
var large = { hidden_size: 1024, num_hidden_layers: 24, num_attention_heads: 16, intermediate_size: 4096 };
function row3(ids, model_type, differences = {}) {
  return { ids, config: { model_type, ...differences } };
}
var imageClassifierRows = [
  row3(["microsoft/resnet-18"], "resnet", { ...basicBlocks, depths: [2, 2, 2, 2] }),
  row3(["microsoft/resnet-34"], "resnet", { ...basicBlocks, depths: [3, 4, 6, 3] }),
  row3(["microsoft/resnet-50"], "resnet"),
  row3(["microsoft/resnet-101"], "resnet", { depths: [3, 4, 23, 3] }),
  row3(["microsoft/resnet-152"], "resnet", { depths: [3, 8, 36, 3] }),
  // Only the distilled DeiTs have the token that makes a DeiT; the others are published as ViTs.
  row3(["google/vit-base-patch16-224", "google/vit-base-patch16-224-in21k", "facebook/deit-base-patch16-224"], "vit"),
  row3(["google/vit-base-patch16-384"], "vit", { image_size: 384 }),
  row3(["google/vit-base-patch32-224-in21k"], "vit", { patch_size: 32 }),
  row3(["google/vit-base-patch32-384"], "vit", { patch_size: 32, image_size: 384 }),
  row3(["google/vit-large-patch16-224", "google/vit-large-patch16-224-in21k"], "vit", large),
  row3(["google/vit-large-patch16-384"], "vit", { ...large, image_size: 384 }),
  row3(["google/vit-large-patch32-384"], "vit", { ...large, patch_size: 32, image_size: 384 }),
  row3(["facebook/deit-tiny-patch16-224"], "vit", tiny),
  row3(["facebook/deit-small-patch16-224"], "vit", small),
  row3(["facebook/deit-tiny-distilled-patch16-224"], "deit", tiny),
  row3(["facebook/deit-small-distilled-patch16-224"], "deit", small),
  row3(["facebook/deit-base-distilled-patch16-224"], "deit"),
  row3(["facebook/convnext-tiny-224"], "convnext"),
  row3(["facebook/convnext-small-224"], "convnext", deep),
  row3(
    ["facebook/convnext-base-224", "facebook/convnext-base-224-22k", "facebook/convnext-base-224-22k-1k"],
    "convnext",
    {
      ...deep,
      hidden_sizes: [128, 256, 512, 1024]
    }
  ),
  row3(["facebook/convnext-large-224", "facebook/convnext-large-224-22k-1k"], "convnext", {
    ...deep,
    hidden_sizes: [192, 384, 768, 1536]
  })
];

// engine/models/catalogue/lfm2-rows.ts
var attentionAt = (...full_attn_idxs) => ({ full_attn_idxs, ...tied4 });
var small2 = attentionAt(2, 5, 8, 10, 12, 14);
var lfm2Small = row2("lfm2", [65536, 1024, 6656, 16, 16, 8, 128e3], ["LiquidAI/LFM2-350M"], small2);
var lfm2Medium = row2("lfm2", [65536, 2048, 12288, 16, 32, 8, 128e3], ["LiquidAI/LFM2-1.2B"], small2);
var layersOf2 = (count2, attention8) => Array.from({ length: count2 }, (_, index) => attention8.includes(index) ? "full_attention" : "conv");
var experts3 = {
  num_experts: 32,
  num_experts_per_tok: 4,
  moe_intermediate_size: 1792,
  num_dense_layers: 2,
  layer_types: layersOf2(24, [2, 6, 10, 14, 18, 21]),
  ...tied4
};
var visionOf = (hidden_size, intermediate_size, num_hidden_layers) => ({
  hidden_size,
  intermediate_size,
  num_hidden_layers,
  patch_size: 16,
  num_patches: 256
});
function visionRow(id, text, vision_config2) {
  return {
    ids: [id],
    config: { model_type: "lfm2_vl", tie_word_embeddings: true, text_config: text.config, vision_config: vision_config2 }
  };
}
var lfm2Rows = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  lfm2Small,
  row2("lfm2", [65536, 1536, 10240, 16, 24, 8, 128e3], ["LiquidAI/LFM2-700M"], small2),
  lfm2Medium,
  row2("lfm2", [65536, 2048, 10752, 30, 32, 8, 128e3], ["LiquidAI/LFM2-2.6B"], { ...attentionAt(2, 5, 9, 13, 17, 21, 24, 27), block_auto_adjust_ff_dim: false }),
  row2("lfm2_moe", [65536, 2048, 7168, 24, 32, 8, 128e3], ["LiquidAI/LFM2-8B-A1B"], experts3),
  visionRow("LiquidAI/LFM2-VL-450M", lfm2Small, visionOf(768, 3072, 12)),
  visionRow("LiquidAI/LFM2-VL-1.6B", lfm2Medium, visionOf(1152, 4304, 27))
];

// engine/models/catalogue/llama-multimodal-rows.ts
function mllamaRow(sizes3, tileSide, ids) {
  const cross_attention_layers = Array.from({ length: sizes3[3] / 5 }, (_, index) => 3 + 5 * index);
  const text_config = textConfig4("mllama_text_model", sizes3, { cross_attention_layers });
  return { ids, config: { model_type: "mllama", text_config, vision_config: { image_size: tileSide } } };
}
var llama4Tower = { hidden_size: 1408, image_size: 336, vision_output_dim: 4096 };
var scout = {
  ids: [
    ...["meta-llama/Llama-4-Scout-17B-16E", "meta-llama/Llama-4-Scout-17B-16E-Instruct"],
    ...["unsloth/Llama-4-Scout-17B-16E", "unsloth/Llama-4-Scout-17B-16E-Instruct"],
    "axolotl-quants/Llama-4-Scout-17B-16E-Linearized-bnb-nf4-bf16"
  ],
  config: { model_type: "llama4", text_config: { max_position_embeddings: 10485760 }, vision_config: llama4Tower }
};
var maverick = {
  ids: [
    ...["meta-llama/Llama-4-Maverick-17B-128E", "meta-llama/Llama-4-Maverick-17B-128E-Instruct"],
    "axolotl-quants/Llama-4-Maverick-17B-128E-Linearized-bnb-nf4-bf16"
  ],
  config: {
    model_type: "llama4",
    text_config: {
      max_position_embeddings: 1048576,
      num_local_experts: 128,
      interleave_moe_layer_step: 2,
      use_qk_norm: false
    },
    vision_config: llama4Tower
  }
};
var llamaMultimodalRows = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  // transformers' MllamaConfig; the 90 B and the tiles of the instructed ones: torchtune/models/llama3_2_vision/_model_builders.py
  mllamaRow([128256, 4096, 14336, 40, 32, 8, 131072], 448, ["meta-llama/Llama-3.2-11B-Vision", "unsloth/Llama-3.2-11B-Vision"]),
  mllamaRow([128256, 4096, 14336, 40, 32, 8, 131072], 560, ["meta-llama/Llama-3.2-11B-Vision-Instruct", "unsloth/Llama-3.2-11B-Vision-Instruct", "alpindale/Llama-3.2-11B-Vision-Instruct"]),
  mllamaRow([128256, 8192, 28672, 100, 64, 8, 131072], 448, ["meta-llama/Llama-3.2-90B-Vision"]),
  mllamaRow([128256, 8192, 28672, 100, 64, 8, 131072], 560, ["meta-llama/Llama-3.2-90B-Vision-Instruct"]),
  scout,
  maverick
];

// engine/models/catalogue/llm-rows.ts
var llama2 = [
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
  row2("llama", [128256, 2048, 8192, 16, 32, 8, 131072], ["meta-llama/Llama-3.2-1B", "meta-llama/Llama-3.2-1B-Instruct", "NousResearch/Llama-3.2-1B", "unsloth/Llama-3.2-1B", "unsloth/Llama-3.2-1B-Instruct"], { head_dim: 64, ...tied4 }),
  row2("llama", [128256, 3072, 8192, 28, 24, 8, 131072], ["meta-llama/Llama-3.2-3B", "meta-llama/Llama-3.2-3B-Instruct", "NousResearch/Hermes-3-Llama-3.2-3B", "unsloth/Llama-3.2-3B", "unsloth/Llama-3.2-3B-Instruct"], { head_dim: 128, ...tied4 }),
  row2("llama", [156940, 3072, 8192, 28, 24, 8, 131072], ["canopylabs/orpheus-3b-0.1-pretrained", "canopylabs/orpheus-3b-0.1-ft", "unsloth/orpheus-3b-0.1-pretrained", "unsloth/orpheus-3b-0.1-ft"], { head_dim: 128, ...tied4 }),
  row2("llama", [32e3, 2048, 5632, 22, 32, 4, 2048], ["TinyLlama/TinyLlama-1.1B-Chat-v1.0", "TinyLlama/TinyLlama_v1.1", "TinyLlama/TinyLlama-1.1B-intermediate-step-1431k-3T"]),
  row2("llama", [49152, 576, 1536, 30, 9, 3, 2048], ["HuggingFaceTB/SmolLM-135M", "HuggingFaceTB/SmolLM-135M-Instruct"], tied4),
  row2("llama", [49152, 960, 2560, 32, 15, 5, 2048], ["HuggingFaceTB/SmolLM-360M", "HuggingFaceTB/SmolLM-360M-Instruct"], tied4),
  row2("llama", [49152, 2048, 8192, 24, 32, 32, 2048], ["HuggingFaceTB/SmolLM-1.7B", "HuggingFaceTB/SmolLM-1.7B-Instruct"], tied4),
  row2("llama", [49152, 576, 1536, 30, 9, 3, 8192], ["HuggingFaceTB/SmolLM2-135M", "HuggingFaceTB/SmolLM2-135M-Instruct"], tied4),
  row2("llama", [49152, 960, 2560, 32, 15, 5, 8192], ["HuggingFaceTB/SmolLM2-360M", "HuggingFaceTB/SmolLM2-360M-Instruct"], tied4),
  row2("llama", [49152, 2048, 8192, 24, 32, 32, 8192], ["HuggingFaceTB/SmolLM2-1.7B", "HuggingFaceTB/SmolLM2-1.7B-Instruct"], tied4),
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
var mistral2 = [
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
var qwen2Tied = { use_sliding_window: false, ...tied4 };
var qwen2Untied = { use_sliding_window: false, ...untied };
var qwen22 = [
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
var qwen3Tied = { head_dim: 128, ...tied4 };
var qwen3Untied = { head_dim: 128, ...untied };
var qwen32 = [
  row2("qwen3", [151936, 1024, 3072, 28, 16, 8, 40960], ["Qwen/Qwen3-0.6B", "unsloth/Qwen3-0.6B"], qwen3Tied),
  row2("qwen3", [151936, 1024, 3072, 28, 16, 8, 32768], ["Qwen/Qwen3-0.6B-Base"], qwen3Tied),
  row2("qwen3", [151936, 2048, 6144, 28, 16, 8, 40960], ["Qwen/Qwen3-1.7B", "unsloth/Qwen3-1.7B"], qwen3Tied),
  row2("qwen3", [151936, 2048, 6144, 28, 16, 8, 32768], ["Qwen/Qwen3-1.7B-Base"], qwen3Tied),
  row2("qwen3", [151936, 2560, 9728, 36, 32, 8, 40960], ["Qwen/Qwen3-4B", "unsloth/Qwen3-4B"], qwen3Tied),
  row2("qwen3", [151936, 2560, 9728, 36, 32, 8, 32768], ["Qwen/Qwen3-4B-Base"], qwen3Tied),
  row2("qwen3", [151936, 2560, 9728, 36, 32, 8, 262144], ["Qwen/Qwen3-4B-Instruct-2507", "Qwen/Qwen3-4B-Thinking-2507", "katanemo/Plano-Orchestrator-4B"], qwen3Tied),
  row2("qwen3", [151936, 4096, 12288, 36, 32, 8, 40960], ["Qwen/Qwen3-8B", "unsloth/Qwen3-8B"], qwen3Untied),
  row2("qwen3", [151936, 4096, 12288, 36, 32, 8, 32768], ["Qwen/Qwen3-8B-Base"], qwen3Untied),
  row2("qwen3", [151936, 5120, 17408, 40, 40, 8, 40960], ["Qwen/Qwen3-14B", "unsloth/Qwen3-14B"], qwen3Untied),
  row2("qwen3", [151936, 5120, 17408, 40, 40, 8, 32768], ["Qwen/Qwen3-14B-Base"], qwen3Untied),
  row2("qwen3", [151936, 5120, 25600, 64, 64, 8, 40960], ["Qwen/Qwen3-32B"], qwen3Untied)
];
var wideHeads = { head_dim: 256, ...tied4 };
var gemma5 = [
  row2("gemma", [256e3, 2048, 16384, 18, 8, 1, 8192], ["google/gemma-2b", "google/gemma-2b-it", "google/gemma-1.1-2b-it", "unsloth/gemma-2b"], wideHeads),
  row2("gemma", [256e3, 3072, 24576, 28, 16, 16, 8192], ["google/gemma-7b", "google/gemma-7b-it", "google/gemma-1.1-7b-it", "unsloth/gemma-7b"], wideHeads),
  row2("gemma2", [256e3, 2304, 9216, 26, 8, 4, 8192], ["google/gemma-2-2b", "google/gemma-2-2b-it", "unsloth/gemma-2-2b-it"], { sliding_window: 4096, ...wideHeads }),
  row2("gemma2", [256e3, 3584, 14336, 42, 16, 8, 8192], ["google/gemma-2-9b", "google/gemma-2-9b-it", "unsloth/gemma-2-9b-it"], { sliding_window: 4096, ...wideHeads }),
  row2("gemma2", [256e3, 4608, 36864, 46, 32, 16, 8192], ["google/gemma-2-27b", "google/gemma-2-27b-it"], { sliding_window: 4096, head_dim: 128, ...tied4 }),
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
  row2("phi3", [200064, 3072, 8192, 32, 24, 8, 131072], ["microsoft/Phi-4-mini-instruct"], { sliding_window: 262144, partial_rotary_factor: 0.75, resid_pdrop: 0, ...tied4 })
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
  row2("gpt_neox", [50432, 6144, 24576, 44, 64, 64, 2048], ["EleutherAI/gpt-neox-20b"], pythia),
  row2("gpt_neox", [50432, 2560, 10240, 32, 32, 32, 2048], ["togethercomputer/RedPajama-INCITE-Base-3B-v1", "togethercomputer/RedPajama-INCITE-Chat-3B-v1", "togethercomputer/RedPajama-INCITE-Instruct-3B-v1"], { rotary_pct: 1, use_parallel_residual: false, ...untied })
];
function optRow(hidden, layers2, heads2, id, differences = {}) {
  const config = {
    model_type: "opt",
    vocab_size: 50272,
    hidden_size: hidden,
    ffn_dim: 4 * hidden,
    num_hidden_layers: layers2,
    num_attention_heads: heads2,
    max_position_embeddings: 2048,
    word_embed_proj_dim: hidden,
    do_layer_norm_before: true,
    dropout: 0.1,
    attention_dropout: 0,
    ...tied4,
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
var hunyuan2 = { head_dim: 128, ...tied4 };
var glm42 = { head_dim: 128, ...untied };
var others = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  row2("smollm3", [128256, 2048, 11008, 36, 16, 4, 65536], ["HuggingFaceTB/SmolLM3-3B", "HuggingFaceTB/SmolLM3-3B-Base"], tied4),
  row2("olmo2", [100352, 4096, 11008, 32, 32, 32, 4096], ["allenai/OLMo-2-1124-7B", "allenai/OLMo-2-1124-7B-SFT", "allenai/OLMo-2-1124-7B-DPO", "allenai/OLMo-2-1124-7B-Instruct"], untied),
  row2("olmo2", [100352, 5120, 13824, 40, 40, 40, 4096], ["allenai/OLMo-2-1124-13B", "allenai/OLMo-2-1124-13B-SFT", "allenai/OLMo-2-1124-13B-DPO", "allenai/OLMo-2-1124-13B-Instruct"], untied),
  row2("stablelm", [50304, 2560, 6912, 32, 32, 32, 4096], ["stabilityai/stablelm-3b-4e1t", "stabilityai/stablelm-zephyr-3b"], untied),
  row2("stablelm", [50304, 2560, 6912, 32, 32, 32, 16384], ["stabilityai/stable-code-3b"], untied),
  row2("stablelm", [100352, 2048, 5632, 24, 32, 32, 4096], ["stabilityai/stablelm-2-1_6b", "stabilityai/stablelm-2-1_6b-chat", "stabilityai/stablelm-2-zephyr-1_6b"], { use_qkv_bias: true, ...untied }),
  row2("starcoder2", [49152, 3072, 12288, 30, 24, 2, 16384], ["bigcode/starcoder2-3b"], { sliding_window: 4096, ...tied4 }),
  row2("starcoder2", [49152, 4608, 18432, 32, 36, 4, 16384], ["bigcode/starcoder2-7b"], { sliding_window: 4096, ...tied4 }),
  row2("starcoder2", [49152, 6144, 24576, 40, 48, 4, 16384], ["bigcode/starcoder2-15b", "bigcode/starcoder2-15b-instruct-v0.1", "HuggingFaceH4/starchat2-15b-sft-v0.1", "HuggingFaceH4/starchat2-15b-v0.1"], { sliding_window: 4096, ...untied }),
  row2("olmo3", [100278, 4096, 11008, 32, 32, 32, 65536], ["allenai/Olmo-3-1025-7B", "allenai/Olmo-3-7B-Instruct", "allenai/Olmo-3-7B-Instruct-SFT", "allenai/Olmo-3-7B-Instruct-DPO", "allenai/Olmo-3-7B-Think", "allenai/Olmo-3-7B-Think-SFT", "allenai/Olmo-3-7B-Think-DPO"], { sliding_window: 4096, ...untied }),
  row2("arcee", [128004, 2560, 18432, 36, 20, 4, 65536], ["arcee-ai/AFM-4.5B", "arcee-ai/AFM-4.5B-Base"], untied),
  row2("seed_oss", [155136, 5120, 27648, 64, 80, 8, 524288], ["ByteDance-Seed/Seed-OSS-36B-Instruct", "ByteDance-Seed/Seed-OSS-36B-Base", "ByteDance-Seed/Seed-OSS-36B-Base-woSyn"], { head_dim: 128, ...untied }),
  row2("hunyuan_v1_dense", [120818, 1024, 3584, 24, 16, 8, 262144], ["tencent/Hunyuan-0.5B-Instruct", "tencent/Hunyuan-0.5B-Pretrain"], hunyuan2),
  row2("hunyuan_v1_dense", [120818, 2048, 6144, 32, 16, 4, 262144], ["tencent/Hunyuan-1.8B-Instruct", "tencent/Hunyuan-1.8B-Pretrain"], hunyuan2),
  row2("hunyuan_v1_dense", [120818, 3072, 8192, 36, 32, 8, 262144], ["tencent/Hunyuan-4B-Instruct", "tencent/Hunyuan-4B-Pretrain"], hunyuan2),
  row2("hunyuan_v1_dense", [128167, 4096, 14336, 32, 32, 8, 32768], ["tencent/Hunyuan-7B-Instruct", "tencent/Hunyuan-7B-Pretrain"], hunyuan2),
  row2("glm4", [151552, 4096, 13696, 40, 32, 2, 32768], ["THUDM/GLM-4-9B-0414", "zai-org/GLM-4-9B-0414", "zai-org/GLM-Z1-9B-0414"], glm42),
  row2("glm4", [151552, 6144, 23040, 61, 48, 2, 32768], ["THUDM/GLM-4-32B-0414", "zai-org/GLM-4-32B-0414", "zai-org/GLM-4-32B-Base-0414", "zai-org/GLM-Z1-32B-0414"], { ...glm42, attention_bias: false }),
  row2("nemotron", [256e3, 3072, 9216, 32, 24, 8, 4096], ["nvidia/Nemotron-Mini-4B-Instruct", "nvidia/Minitron-4B-Base"], { head_dim: 128, ...untied }),
  row2("apertus", [131072, 4096, 21504, 32, 32, 8, 65536], ["swiss-ai/Apertus-8B-2509", "swiss-ai/Apertus-8B-Instruct-2509"], untied),
  row2("apertus", [131072, 8192, 43008, 80, 64, 8, 65536], ["swiss-ai/Apertus-70B-2509", "swiss-ai/Apertus-70B-Instruct-2509"], untied),
  row2("cohere", [256e3, 8192, 22528, 40, 64, 64, 8192], ["CohereForAI/c4ai-command-r-v01", "CohereLabs/c4ai-command-r-v01"], tied4),
  row2("cohere", [256e3, 4096, 14336, 32, 32, 8, 8192], ["CohereForAI/aya-23-8B", "CohereLabs/aya-23-8B", "CohereForAI/aya-expanse-8b", "CohereLabs/aya-expanse-8b"], tied4),
  row2("cohere2", [256e3, 4096, 14336, 32, 32, 8, 8192], ["CohereForAI/c4ai-command-r7b-12-2024", "CohereLabs/c4ai-command-r7b-12-2024"], tied4),
  row2("mistral", [32768, 12288, 28672, 88, 96, 8, 32768], ["mistralai/Mistral-Large-Instruct-2407", "mistralai/Mistral-Large-Instruct-2411"], { sliding_window: null, ...untied }),
  row2("llama", [51200, 4096, 11008, 32, 32, 32, 8192], ["Salesforce/xgen-7b-8k-base", "Salesforce/xgen-7b-8k-inst"], untied),
  row2("llama", [32e3, 8192, 22016, 48, 64, 8, 16384], ["codellama/CodeLlama-34b-hf", "codellama/CodeLlama-34b-Instruct-hf"], untied)
];
var llmRows = [
  ...llama2,
  ...mistral2,
  ...qwen22,
  ...qwen32,
  ...gemma5,
  ...phi2,
  ...gptNeox2,
  ...opt2,
  ...falcon2,
  ...others
];

// engine/models/catalogue/mamba-rows.ts
var falconH12 = (mamba_rms_norm, [heads2, headSize, stateSize, groups], attentionHead = 128) => ({
  mamba_rms_norm,
  mamba_d_ssm: heads2 * headSize,
  mamba_n_heads: heads2,
  mamba_d_head: headSize,
  mamba_d_state: stateSize,
  mamba_n_groups: groups,
  mamba_chunk_size: 128,
  head_dim: attentionHead,
  ...untied
});
var nemotronH2 = (pattern, mambaHeads, mambaHeadSize) => ({
  hybrid_override_pattern: pattern,
  head_dim: 128,
  ssm_state_size: 128,
  mamba_num_heads: mambaHeads,
  mamba_head_dim: mambaHeadSize,
  n_groups: 8,
  conv_kernel: 4,
  chunk_size: 128,
  ...untied
});
var nemotron3 = (pattern, { mambaHeads, experts: experts4, perToken, expert, latent: latent2 }) => ({
  ...nemotronH2(pattern, mambaHeads, 64),
  moe_intermediate_size: expert,
  moe_shared_expert_intermediate_size: 2 * expert,
  n_routed_experts: experts4,
  num_experts_per_tok: perToken,
  ...latent2 !== void 0 && { moe_latent_size: latent2 }
});
var NO_EXPERTS = [0, 0];
var graniteHybrid2 = (mambaHeads, shared2, [experts4, perToken]) => ({
  layer_types: Array.from({ length: 40 }, (_, index) => index % 10 === 5 ? "attention" : "mamba"),
  position_embedding_type: "nope",
  mamba_n_heads: mambaHeads,
  mamba_d_head: 64,
  mamba_d_state: 128,
  mamba_n_groups: 1,
  mamba_chunk_size: 256,
  shared_intermediate_size: shared2,
  num_local_experts: experts4,
  num_experts_per_tok: perToken,
  ...tied4
});
var mambaRows = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  row2("falcon_h1", [32784, 1024, 2048, 36, 8, 2, 16384], ["tiiuae/Falcon-H1-0.5B-Base", "tiiuae/Falcon-H1-0.5B-Instruct"], falconH12(false, [24, 64, 128, 1], 64)),
  row2("falcon_h1", [65536, 2048, 4608, 24, 8, 2, 131072], ["tiiuae/Falcon-H1-1.5B-Base"], falconH12(true, [48, 64, 256, 1])),
  row2("falcon_h1", [65537, 2048, 4608, 24, 8, 2, 131072], ["tiiuae/Falcon-H1-1.5B-Instruct"], falconH12(true, [48, 64, 256, 1])),
  row2("falcon_h1", [65536, 1280, 3072, 66, 6, 2, 131072], ["tiiuae/Falcon-H1-1.5B-Deep-Base"], falconH12(true, [24, 64, 256, 1])),
  row2("falcon_h1", [65536, 2560, 6144, 32, 10, 2, 131072], ["tiiuae/Falcon-H1-3B-Base"], falconH12(true, [32, 128, 256, 1])),
  row2("falcon_h1", [130048, 3072, 12288, 44, 12, 2, 262144], ["tiiuae/Falcon-H1-7B-Base"], falconH12(true, [24, 128, 256, 1])),
  row2("falcon_h1", [130049, 3072, 12288, 44, 12, 2, 262144], ["tiiuae/Falcon-H1-7B-Instruct"], { ...falconH12(true, [24, 128, 256, 1]), mamba_chunk_size: 256 }),
  row2("jamba", [65536, 4096, 14336, 32, 32, 8, 262144], ["ai21labs/Jamba-v0.1", "ai21labs/AI21-Jamba-1.5-Mini"], untied),
  // Its feed-forward's width is what makes its published 398 B parameters, 94 B of them active.
  row2("jamba", [65536, 8192, 24576, 72, 64, 8, 262144], ["ai21labs/AI21-Jamba-1.5-Large"], untied),
  row2("nemotron_h", [131072, 4480, 15680, 56, 40, 8, 131072], ["nvidia/NVIDIA-Nemotron-Nano-9B-v2", "nvidia/NVIDIA-Nemotron-Nano-9B-v2-Base"], nemotronH2("M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-", 128, 80)),
  row2("nemotron_h", [131072, 2688, 1856, 52, 32, 2, 262144], ["nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-Base-BF16"], nemotron3("MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME", { mambaHeads: 64, experts: 128, perToken: 6, expert: 1856 })),
  row2("nemotron_h", [131072, 4096, 2688, 88, 32, 2, 262144], ["nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16"], nemotron3("MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME", { mambaHeads: 128, experts: 512, perToken: 22, expert: 2688, latent: 1024 })),
  // The preview has other words and two experts less than the model that it became.
  row2("granitemoehybrid", [49160, 1536, 512, 40, 12, 4, 131072], ["ibm-granite/granite-4.0-tiny-preview", "ibm-granite/granite-4.0-tiny-base-preview"], graniteHybrid2(48, 1024, [62, 6])),
  row2("granitemoehybrid", [100352, 2560, 8192, 40, 40, 8, 131072], ["ibm-granite/granite-4.0-micro", "ibm-granite/granite-4.0-micro-base"], { ...graniteHybrid2(80, 8192, NO_EXPERTS), layer_types: Array.from({ length: 40 }, () => "attention"), position_embedding_type: "rope" }),
  row2("granitemoehybrid", [100352, 2048, 8192, 40, 32, 8, 131072], ["ibm-granite/granite-4.0-h-micro", "ibm-granite/granite-4.0-h-micro-base"], graniteHybrid2(64, 8192, NO_EXPERTS)),
  row2("granitemoehybrid", [100352, 1536, 512, 40, 12, 4, 131072], ["ibm-granite/granite-4.0-h-tiny", "ibm-granite/granite-4.0-h-tiny-base"], graniteHybrid2(48, 1024, [64, 6])),
  row2("granitemoehybrid", [100352, 4096, 768, 40, 32, 8, 131072], ["ibm-granite/granite-4.0-h-small", "ibm-granite/granite-4.0-h-small-base"], graniteHybrid2(128, 1536, [72, 10])),
  row2("falcon_h1", [261120, 5120, 21504, 72, 20, 4, 262144], ["tiiuae/Falcon-H1-34B-Base", "tiiuae/Falcon-H1-34B-Instruct"], falconH12(true, [32, 128, 256, 2]))
];

// engine/models/catalogue/mistral-multimodal-rows.ts
var pixtralTower = { hidden_size: 1024, intermediate_size: 4096, num_hidden_layers: 24, patch_size: 14 };
var largePixtralTower = { hidden_size: 1664, intermediate_size: 8192, num_hidden_layers: 48, patch_size: 14 };
function mistral3Row(textType, sizes3, { isTied, tower: tower2 = pixtralTower }, ids) {
  const text_config = textConfig4(textType, sizes3, { head_dim: 128, sliding_window: null });
  return {
    ids,
    config: { model_type: "mistral3", tie_word_embeddings: isTied, text_config, vision_config: tower2 }
  };
}
var ministral3Ids = (size2) => ["Base-2512", "Instruct-2512", "Instruct-2512-BF16", "Reasoning-2512"].map(
  (kind) => `mistralai/Ministral-3-${size2}-${kind}`
);
var mistralSmall4 = {
  ids: ["mistralai/Mistral-Small-4-119B-2603", "axolotl-ai-co/Mistral-Small-4-119B-2603-BF16"],
  config: {
    model_type: "mistral3",
    tie_word_embeddings: false,
    text_config: textConfig4("mistral4", [131072, 4096, 12288, 36, 32, 32, 1048576], {
      q_lora_rank: 1024,
      kv_lora_rank: 256,
      qk_nope_head_dim: 64,
      qk_rope_head_dim: 64,
      v_head_dim: 128,
      n_routed_experts: 128,
      num_experts_per_tok: 4,
      moe_intermediate_size: 2048
    }),
    vision_config: pixtralTower
  }
};
var pixtral12 = {
  ids: ["mistral-community/pixtral-12b"],
  config: {
    model_type: "llava",
    text_config: textConfig4("mistral", [131072, 5120, 14336, 40, 32, 8, 1024e3], {
      head_dim: 128,
      sliding_window: null
    }),
    vision_config: { model_type: "pixtral", patch_size: 16 }
  }
};
var voxtralMini = {
  ids: ["mistralai/Voxtral-Mini-3B-2507"],
  config: {
    model_type: "voxtral",
    text_config: textConfig4("llama", [131072, 3072, 8192, 30, 32, 8, 131072], { head_dim: 128 }),
    audio_config: {}
  }
};
var mistralMultimodalRows = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  mistral3Row("mistral", [131072, 5120, 32768, 40, 32, 8, 131072], { isTied: false }, ["mistralai/Mistral-Small-3.1-24B-Base-2503", "mistralai/Mistral-Small-3.1-24B-Instruct-2503"]),
  mistral3Row("ministral3", [131072, 3072, 9216, 26, 32, 8, 262144], { isTied: true }, ministral3Ids("3B")),
  mistral3Row("ministral3", [131072, 4096, 14336, 34, 32, 8, 262144], { isTied: false }, ministral3Ids("8B")),
  mistral3Row("ministral3", [131072, 5120, 16384, 40, 32, 8, 262144], { isTied: false }, ministral3Ids("14B")),
  mistral3Row("ministral3", [131072, 5120, 32768, 40, 32, 8, 393216], { isTied: false }, ["mistralai/Devstral-Small-2-24B-Instruct-2512"]),
  mistral3Row("ministral3", [131072, 12288, 28672, 88, 96, 8, 262144], { isTied: false, tower: largePixtralTower }, ["mistralai/Mistral-Medium-3.5-128B", "axolotl-ai-co/Mistral-Medium-3.5-128B-BF16"]),
  mistralSmall4,
  pixtral12,
  voxtralMini
];

// engine/models/catalogue/moe-rows.ts
var qwen3Experts = (experts4, inner) => ({
  head_dim: 128,
  num_experts: experts4,
  num_experts_per_tok: 8,
  moe_intermediate_size: inner,
  ...untied
});
var qwen3Next2 = {
  num_experts: 512,
  num_experts_per_tok: 10,
  moe_intermediate_size: 512,
  shared_expert_intermediate_size: 512,
  ...untied
};
var qwen15Experts = {
  num_experts: 60,
  num_experts_per_tok: 4,
  moe_intermediate_size: 1408,
  shared_expert_intermediate_size: 5632,
  ...untied
};
var minimaxM22 = { head_dim: 128, num_local_experts: 256, num_experts_per_tok: 8, rotary_dim: 64, ...untied };
var trinity = (experts4) => ({
  head_dim: 128,
  num_experts: 128,
  num_experts_per_tok: 8,
  num_shared_experts: 1,
  moe_intermediate_size: experts4,
  num_dense_layers: 2,
  sliding_window: 2048,
  mup_enabled: true,
  ...untied
});
var kimiLinear2 = {
  q_lora_rank: null,
  kv_lora_rank: 512,
  qk_nope_head_dim: 128,
  qk_rope_head_dim: 64,
  v_head_dim: 128,
  num_local_experts: 256,
  num_experts_per_tok: 8,
  moe_intermediate_size: 1024,
  linear_attn_config: {
    head_dim: 128,
    num_heads: 32,
    short_conv_kernel_size: 4,
    full_attn_layers: [4, 8, 12, 16, 20, 24, 27],
    kda_layers: [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, 26]
  },
  ...untied
};
var mixtralExperts = { num_local_experts: 8, num_experts_per_tok: 2, sliding_window: null, ...untied };
var gptOss2 = (experts4) => ({
  head_dim: 64,
  num_local_experts: experts4,
  num_experts_per_tok: 4,
  sliding_window: 128,
  attention_bias: true,
  ...untied
});
var deepseekV3 = {
  q_lora_rank: 1536,
  kv_lora_rank: 512,
  qk_nope_head_dim: 128,
  qk_rope_head_dim: 64,
  v_head_dim: 128,
  n_routed_experts: 256,
  n_shared_experts: 1,
  num_experts_per_tok: 8,
  moe_intermediate_size: 2048,
  first_k_dense_replace: 3,
  ...untied
};
var deepseekV2Lite = {
  q_lora_rank: null,
  kv_lora_rank: 512,
  qk_nope_head_dim: 128,
  qk_rope_head_dim: 64,
  v_head_dim: 128,
  n_routed_experts: 64,
  n_shared_experts: 2,
  num_experts_per_tok: 6,
  moe_intermediate_size: 1408,
  first_k_dense_replace: 1,
  ...untied
};
var glm45Air = {
  head_dim: 128,
  attention_bias: true,
  n_routed_experts: 128,
  n_shared_experts: 1,
  num_experts_per_tok: 8,
  moe_intermediate_size: 1408,
  first_k_dense_replace: 1,
  ...untied
};
var deepseekV2 = {
  ...deepseekV2Lite,
  q_lora_rank: 1536,
  n_routed_experts: 160,
  moe_intermediate_size: 1536
};
var glm47Flash = {
  q_lora_rank: 768,
  kv_lora_rank: 512,
  qk_nope_head_dim: 192,
  qk_rope_head_dim: 64,
  v_head_dim: 256,
  n_routed_experts: 64,
  n_shared_experts: 1,
  num_experts_per_tok: 4,
  moe_intermediate_size: 1536,
  first_k_dense_replace: 1,
  ...untied
};
var glm5 = {
  ...deepseekV3,
  q_lora_rank: 2048,
  qk_nope_head_dim: 192,
  v_head_dim: 256,
  index_n_heads: 32,
  index_head_dim: 128
};
var graniteMoe2 = (experts4) => ({ num_local_experts: experts4, num_experts_per_tok: 8, ...tied4 });
var moeRows = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  row2("mixtral", [32e3, 4096, 14336, 32, 32, 8, 32768], ["mistralai/Mixtral-8x7B-v0.1", "mistralai/Mixtral-8x7B-Instruct-v0.1"], mixtralExperts),
  row2("mixtral", [32e3, 6144, 16384, 56, 48, 8, 65536], ["mistralai/Mixtral-8x22B-v0.1", "mistral-community/Mixtral-8x22B-v0.1"], mixtralExperts),
  row2("mixtral", [32768, 6144, 16384, 56, 48, 8, 65536], ["mistralai/Mixtral-8x22B-Instruct-v0.1"], mixtralExperts),
  row2("qwen2_moe", [151936, 2048, 5632, 24, 16, 16, 8192], ["Qwen/Qwen1.5-MoE-A2.7B", "Qwen/Qwen1.5-MoE-A2.7B-Chat"], qwen15Experts),
  row2("qwen3_moe", [151936, 2048, 6144, 48, 32, 4, 40960], ["Qwen/Qwen3-30B-A3B", "unsloth/Qwen3-30B-A3B"], qwen3Experts(128, 768)),
  row2("qwen3_moe", [151936, 2048, 6144, 48, 32, 4, 32768], ["Qwen/Qwen3-30B-A3B-Base"], qwen3Experts(128, 768)),
  row2("qwen3_moe", [151936, 2048, 6144, 48, 32, 4, 262144], ["Qwen/Qwen3-30B-A3B-Instruct-2507", "Qwen/Qwen3-30B-A3B-Thinking-2507"], qwen3Experts(128, 768)),
  row2("qwen3_moe", [151936, 4096, 12288, 94, 64, 4, 40960], ["Qwen/Qwen3-235B-A22B"], qwen3Experts(128, 1536)),
  row2("qwen3_moe", [151936, 4096, 12288, 94, 64, 4, 262144], ["Qwen/Qwen3-235B-A22B-Instruct-2507", "Qwen/Qwen3-235B-A22B-Thinking-2507"], qwen3Experts(128, 1536)),
  row2("qwen3_moe", [151936, 6144, 8192, 62, 96, 8, 262144], ["Qwen/Qwen3-Coder-480B-A35B-Instruct"], qwen3Experts(160, 2560)),
  row2("qwen3_next", [151936, 2048, 5120, 48, 16, 2, 262144], ["Qwen/Qwen3-Next-80B-A3B-Instruct", "Qwen/Qwen3-Next-80B-A3B-Thinking"], qwen3Next2),
  row2("minimax_m2", [200064, 3072, 1536, 62, 48, 8, 196608], ["MiniMaxAI/MiniMax-M2", "MiniMaxAI/MiniMax-M2.5"], minimaxM22),
  row2("afmoe", [200192, 1024, 3072, 56, 8, 2, 131072], ["arcee-ai/Trinity-Nano-Preview", "arcee-ai/Trinity-Nano-Base"], trinity(256)),
  row2("afmoe", [200192, 2048, 6144, 32, 32, 4, 131072], ["arcee-ai/Trinity-Mini"], trinity(1024)),
  row2("kimi_linear", [163840, 2304, 9216, 27, 32, 32, 1048576], ["moonshotai/Kimi-Linear-48B-A3B-Instruct", "moonshotai/Kimi-Linear-48B-A3B-Base"], kimiLinear2),
  row2("granitemoe", [49152, 1024, 512, 24, 16, 8, 4096], ["ibm-granite/granite-3.0-1b-a400m-base"], graniteMoe2(32)),
  row2("granitemoe", [49155, 1024, 512, 24, 16, 8, 4096], ["ibm-granite/granite-3.0-1b-a400m-instruct"], graniteMoe2(32)),
  row2("granitemoe", [49155, 1536, 512, 32, 24, 8, 4096], ["ibm-granite/granite-3.0-3b-a800m-instruct"], graniteMoe2(40)),
  row2("gpt_oss", [201088, 2880, 2880, 24, 64, 8, 131072], ["openai/gpt-oss-20b", "unsloth/gpt-oss-20b", "openai/gpt-oss-safeguard-20b"], gptOss2(32)),
  row2("gpt_oss", [201088, 2880, 2880, 36, 64, 8, 131072], ["openai/gpt-oss-120b", "unsloth/gpt-oss-120b"], gptOss2(128)),
  row2("deepseek_v2", [102400, 2048, 10944, 27, 16, 16, 163840], ["deepseek-ai/DeepSeek-V2-Lite", "deepseek-ai/DeepSeek-V2-Lite-Chat"], deepseekV2Lite),
  row2("deepseek_v2", [102400, 5120, 12288, 60, 128, 128, 163840], ["deepseek-ai/DeepSeek-V2", "deepseek-ai/DeepSeek-V2-Chat", "deepseek-ai/DeepSeek-V2.5", "deepseek-ai/DeepSeek-V2.5-1210"], deepseekV2),
  row2("deepseek_v3", [129280, 7168, 18432, 61, 128, 128, 163840], ["deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-R1", "deepseek-ai/DeepSeek-V3-0324", "deepseek-ai/DeepSeek-V3.1"], deepseekV3),
  row2("glm4_moe", [151552, 4096, 10944, 46, 96, 8, 131072], ["zai-org/GLM-4.5-Air", "zai-org/GLM-4.5-Air-Base"], glm45Air),
  row2("deepseek_v32", [129280, 7168, 18432, 61, 128, 128, 163840], ["deepseek-ai/DeepSeek-V3.2"], { ...deepseekV3, index_n_heads: 64, index_head_dim: 128 }),
  row2("glm_moe_dsa", [154880, 6144, 12288, 78, 64, 64, 202752], ["zai-org/GLM-5", "zai-org/GLM-5.1"], glm5),
  row2("glm_moe_dsa", [154880, 6144, 12288, 78, 64, 64, 1048576], ["zai-org/GLM-5.2"], { ...glm5, index_topk_freq: 4, index_skip_topk_offset: 3 }),
  row2("glm4_moe_lite", [154880, 2048, 10240, 47, 20, 20, 202752], ["zai-org/GLM-4.7-Flash"], glm47Flash)
];

// engine/models/catalogue/qwen-multimodal-rows.ts
function qwen2VlRow(sizes3, isTied, ids) {
  const vision_config2 = { depth: 32, embed_dim: 1280, hidden_size: sizes3[1], mlp_ratio: 4, num_heads: 16 };
  const text_config = textConfig4("qwen2_vl_text", sizes3);
  return { ids, config: { model_type: "qwen2_vl", tie_word_embeddings: isTied, text_config, vision_config: vision_config2 } };
}
function qwen25VlRow(sizes3, isTied, ids) {
  const vision_config2 = { depth: 32, hidden_size: 1280, intermediate_size: 3420, out_hidden_size: sizes3[1] };
  const text_config = textConfig4("qwen2_5_vl_text", sizes3);
  return { ids, config: { model_type: "qwen2_5_vl", tie_word_embeddings: isTied, text_config, vision_config: vision_config2 } };
}
var smallQwen3Vision = {
  depth: 24,
  hidden_size: 1024,
  intermediate_size: 4096,
  deepstack_visual_indexes: [5, 11, 17]
};
var largeQwen3Vision = {
  depth: 27,
  hidden_size: 1152,
  intermediate_size: 4304,
  deepstack_visual_indexes: [8, 16, 24]
};
function qwen3VlRow(sizes3, { vision, isTied, experts: experts4 }, ids) {
  const model_type = experts4 === void 0 ? "qwen3_vl" : "qwen3_vl_moe";
  const text_config = textConfig4(`${model_type}_text`, sizes3, { head_dim: 128, ...experts4 });
  const vision_config2 = { num_heads: 16, out_hidden_size: sizes3[1], ...vision };
  return { ids, config: { model_type, tie_word_embeddings: isTied, text_config, vision_config: vision_config2 } };
}
var qwen3Experts2 = (inner) => ({ num_experts: 128, num_experts_per_tok: 8, moe_intermediate_size: inner });
var qwen35Vision = { depth: 27, hidden_size: 1152, intermediate_size: 4304, patch_size: 16 };
var smallQwen35Vision = { depth: 24, hidden_size: 1024, intermediate_size: 4096, patch_size: 16 };
var tinyQwen35Vision = { depth: 12, hidden_size: 768, intermediate_size: 3072, patch_size: 16 };
var deltaNet2 = (valueHeads) => ({
  head_dim: 256,
  linear_conv_kernel_dim: 4,
  linear_key_head_dim: 128,
  linear_value_head_dim: 128,
  linear_num_key_heads: 16,
  linear_num_value_heads: valueHeads
});
function qwen35Row(sizes3, { valueHeads, isTied, vision }, ids) {
  const text_config = textConfig4("qwen3_5_text", sizes3, deltaNet2(valueHeads));
  const vision_config2 = { ...vision, out_hidden_size: sizes3[1] };
  return { ids, config: { model_type: "qwen3_5", tie_word_embeddings: isTied, text_config, vision_config: vision_config2 } };
}
function qwen35MoeRow(sizes3, experts4, ids) {
  const { intermediate_size: _, ...text } = textConfig4("qwen3_5_moe_text", sizes3, {
    ...deltaNet2(experts4.valueHeads),
    num_experts: experts4.count,
    num_experts_per_tok: experts4.perToken,
    moe_intermediate_size: experts4.inner,
    shared_expert_intermediate_size: experts4.inner
  });
  const vision_config2 = { ...qwen35Vision, out_hidden_size: sizes3[1] };
  return { ids, config: { model_type: "qwen3_5_moe", tie_word_embeddings: false, text_config: text, vision_config: vision_config2 } };
}
var qwenMultimodalRows = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  qwen2VlRow([151936, 1536, 8960, 28, 12, 2, 32768], true, ["Qwen/Qwen2-VL-2B-Instruct", "Qwen/Qwen2-VL-2B"]),
  qwen2VlRow([152064, 3584, 18944, 28, 28, 4, 32768], false, ["Qwen/Qwen2-VL-7B-Instruct", "Qwen/Qwen2-VL-7B"]),
  qwen25VlRow([151936, 2048, 11008, 36, 16, 2, 128e3], true, ["Qwen/Qwen2.5-VL-3B-Instruct"]),
  qwen25VlRow([152064, 3584, 18944, 28, 28, 4, 128e3], false, ["Qwen/Qwen2.5-VL-7B-Instruct"]),
  qwen3VlRow([151936, 2048, 6144, 28, 16, 8, 262144], { vision: smallQwen3Vision, isTied: true }, ["Qwen/Qwen3-VL-2B-Instruct", "Qwen/Qwen3-VL-2B-Thinking"]),
  qwen3VlRow([151936, 2560, 9728, 36, 32, 8, 262144], { vision: smallQwen3Vision, isTied: true }, ["Qwen/Qwen3-VL-4B-Instruct", "Qwen/Qwen3-VL-4B-Thinking"]),
  qwen3VlRow([151936, 4096, 12288, 36, 32, 8, 262144], { vision: largeQwen3Vision, isTied: false }, ["Qwen/Qwen3-VL-8B-Instruct", "Qwen/Qwen3-VL-8B-Thinking"]),
  qwen3VlRow([151936, 5120, 25600, 64, 64, 8, 262144], { vision: largeQwen3Vision, isTied: false }, ["Qwen/Qwen3-VL-32B-Instruct", "Qwen/Qwen3-VL-32B-Thinking"]),
  qwen3VlRow([151936, 2048, 6144, 48, 32, 4, 262144], { vision: largeQwen3Vision, isTied: false, experts: qwen3Experts2(768) }, ["Qwen/Qwen3-VL-30B-A3B-Instruct", "Qwen/Qwen3-VL-30B-A3B-Thinking"]),
  qwen3VlRow([151936, 4096, 12288, 94, 64, 4, 262144], { vision: largeQwen3Vision, isTied: false, experts: qwen3Experts2(1536) }, ["Qwen/Qwen3-VL-235B-A22B-Instruct", "Qwen/Qwen3-VL-235B-A22B-Thinking"]),
  qwen35Row([248320, 1024, 3584, 24, 8, 2, 262144], { valueHeads: 16, isTied: true, vision: tinyQwen35Vision }, ["Qwen/Qwen3.5-0.8B", "Qwen/Qwen3.5-0.8B-Base", "unsloth/Qwen3.5-0.8B"]),
  qwen35Row([248320, 2560, 9216, 32, 16, 4, 262144], { valueHeads: 32, isTied: true, vision: smallQwen35Vision }, ["Qwen/Qwen3.5-4B", "Qwen/Qwen3.5-4B-Base", "unsloth/Qwen3.5-4B"]),
  qwen35Row([248320, 4096, 12288, 32, 16, 4, 262144], { valueHeads: 32, isTied: false, vision: qwen35Vision }, ["Qwen/Qwen3.5-9B", "Qwen/Qwen3.5-9B-Base", "unsloth/Qwen3.5-9B"]),
  qwen35Row([248320, 5120, 17408, 64, 24, 4, 262144], { valueHeads: 48, isTied: false, vision: qwen35Vision }, ["Qwen/Qwen3.5-27B", "unsloth/Qwen3.5-27B"]),
  qwen35MoeRow([248320, 2048, 512, 40, 16, 2, 262144], { valueHeads: 32, count: 256, perToken: 8, inner: 512 }, ["Qwen/Qwen3.5-35B-A3B", "Qwen/Qwen3.5-35B-A3B-Base"]),
  qwen35MoeRow([248320, 3072, 1024, 48, 32, 2, 262144], { valueHeads: 64, count: 256, perToken: 8, inner: 1024 }, ["Qwen/Qwen3.5-122B-A10B"]),
  qwen35MoeRow([248320, 4096, 1024, 60, 32, 2, 262144], { valueHeads: 64, count: 512, perToken: 10, inner: 1024 }, ["Qwen/Qwen3.5-397B-A17B"])
];

// engine/models/catalogue/remote-code-rows.ts
var mimo2 = { head_dim: 128, num_nextn_predict_layers: 1, ...untied };
var mossVl2 = {
  ids: ["OpenMOSS-Team/MOSS-VL-Instruct-0708"],
  config: {
    model_type: "moss_vl",
    tie_word_embeddings: false,
    text_config: textConfig4("moss_vl_text", [151936, 4096, 12288, 48, 32, 8, 262144], {
      head_dim: 128,
      cross_attention_layers: [2, 6, 10, 14, 18, 22, 26, 30, 34, 38, 42, 46]
    }),
    vision_config: { depth: 27, hidden_size: 1152, intermediate_size: 4304, deepstack_visual_indexes: [8, 16, 24] }
  }
};
var remoteCodeRows = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  row2("mimo", [151680, 4096, 11008, 36, 32, 8, 32768], ["XiaomiMiMo/MiMo-7B-Base", "XiaomiMiMo/MiMo-7B-SFT", "XiaomiMiMo/MiMo-7B-RL", "XiaomiMiMo/MiMo-7B-RL-Zero"], mimo2),
  mossVl2
];

// engine/models/catalogue/seq2seq-rows.ts
function row4(ids, sizes3, differences = {}) {
  const [d_model, d_ff, num_layers, num_heads] = sizes3;
  return { ids, config: { model_type: "t5", d_model, d_ff, num_layers, num_heads, ...differences } };
}
var gated2 = { feed_forward_proj: "gated-gelu", tie_word_embeddings: false };
var seq2seqRows = [
  row4(["google-t5/t5-small"], [512, 2048, 6, 8]),
  row4(["google-t5/t5-base"], [768, 3072, 12, 12]),
  row4(["google-t5/t5-large"], [1024, 4096, 24, 16]),
  row4(["google-t5/t5-3b"], [1024, 16384, 24, 32], { d_kv: 128 }),
  row4(["google-t5/t5-11b"], [1024, 65536, 24, 128], { d_kv: 128 }),
  row4(["google/flan-t5-small", "google/t5-v1_1-small"], [512, 1024, 8, 6], gated2),
  row4(["google/flan-t5-base", "google/t5-v1_1-base"], [768, 2048, 12, 12], gated2),
  row4(["google/flan-t5-large", "google/t5-v1_1-large"], [1024, 2816, 24, 16], gated2),
  row4(["google/flan-t5-xl", "google/t5-v1_1-xl"], [2048, 5120, 24, 32], gated2),
  row4(["google/flan-t5-xxl", "google/t5-v1_1-xxl"], [4096, 10240, 24, 64], gated2)
];

// engine/models/catalogue/vision-language-rows.ts
var llava15 = {
  ids: ["llava-hf/llava-1.5-7b-hf"],
  config: {
    model_type: "llava",
    text_config: textConfig4("llama", [32064, 4096, 11008, 32, 32, 32, 4096]),
    vision_config: {
      ...{ model_type: "clip_vision_model", hidden_size: 1024, intermediate_size: 4096, num_hidden_layers: 24 },
      ...{ num_attention_heads: 16, image_size: 336, patch_size: 14 }
    }
  }
};
var smolVlmRow = (model_type, words2, ids) => ({
  ids,
  config: {
    model_type,
    tie_word_embeddings: false,
    text_config: textConfig4("llama", [words2, 2048, 8192, 24, 32, 32, 8192]),
    vision_config: {
      ...{ hidden_size: 1152, intermediate_size: 4304, num_hidden_layers: 27, num_attention_heads: 16 },
      ...{ image_size: 384, patch_size: 14 }
    },
    scale_factor: 3
  }
});
var glm4vRow = (positions, ids) => ({
  ids,
  config: {
    model_type: "glm4v",
    tie_word_embeddings: false,
    text_config: textConfig4("glm4v_text", [151552, 4096, 13696, 40, 32, 2, positions], {
      partial_rotary_factor: 0.5
    }),
    vision_config: {}
  }
});
var internvl35 = {
  ids: ["OpenGVLab/InternVL3_5-8B-HF"],
  config: {
    model_type: "internvl",
    tie_word_embeddings: false,
    text_config: textConfig4("qwen3", [151936, 4096, 12288, 36, 32, 8, 40960], { head_dim: 128 }),
    vision_config: { attention_bias: true }
  }
};
var paddleocr2 = {
  ids: ["PaddlePaddle/PaddleOCR-VL-1.6", "PaddlePaddle/PaddleOCR-VL-1.5", "PaddlePaddle/PaddleOCR-VL"],
  config: {
    model_type: "paddleocr_vl",
    tie_word_embeddings: false,
    text_config: textConfig4("paddleocr_vl_text", [103424, 1024, 3072, 18, 16, 2, 131072], {
      head_dim: 128,
      ...untied
    }),
    vision_config: {}
  }
};
var visionLanguageRows = [
  llava15,
  smolVlmRow("smolvlm", 49280, ["HuggingFaceTB/SmolVLM2-2.2B-Instruct"]),
  smolVlmRow("idefics3", 49155, ["HuggingFaceTB/SmolVLM-Instruct"]),
  glm4vRow(65536, ["zai-org/GLM-4.1V-9B-Base", "zai-org/GLM-4.1V-9B-Thinking", "THUDM/GLM-4.1V-9B-Thinking"]),
  glm4vRow(131072, ["zai-org/GLM-4.6V-Flash"]),
  internvl35,
  paddleocr2
];

// engine/models/catalogue/yolo-rows.ts
var versions2 = ["v8", "11", "26"];
var sizes2 = ["n", "s", "m", "l", "x"];
function rows2(head2, suffix, of = versions2) {
  return of.flatMap(
    (version2) => sizes2.map((size2) => ({
      ids: [`ultralytics/yolo${version2}${size2}${suffix}`],
      config: { model_type: "yolo", version: version2, size: size2, head: head2 }
    }))
  );
}
var yoloRows = [
  ...rows2("detect", ""),
  ...rows2("pose", "-pose", ["v8", "11"]),
  ...rows2("classify", "-cls")
];

// engine/models/catalogue.ts
var modelAliases = {
  bert: "google-bert/bert-base-uncased",
  gpt2: "openai-community/gpt2",
  resnet: "microsoft/resnet-50"
};
var entries = new Map(
  [
    ...bertAndGptRows,
    ...imageClassifierRows,
    ...yoloRows,
    ...llmRows,
    ...remoteCodeRows,
    ...moeRows,
    ...lfm2Rows,
    ...mambaRows,
    ...visionLanguageRows,
    ...gemmaRows,
    ...gemma3nRows,
    ...qwenMultimodalRows,
    ...mistralMultimodalRows,
    ...llamaMultimodalRows,
    ...seq2seqRows
  ].flatMap((row5) => row5.ids.map((id) => [id.toLowerCase(), { id, row: row5 }]))
);
var bareNames = new Map(
  [...entries.values()].toReversed().map((entry) => [bareName(entry.id).toLowerCase(), entry])
);
var modelIds = [...entries.values()].map(({ id }) => id);
var modelNames = [...modelIds, ...bareNames.keys(), ...Object.keys(modelAliases)];
var withPositionTable = /* @__PURE__ */ new Set([
  "bert",
  "roberta",
  "xlm-roberta",
  "distilbert",
  "gpt2",
  "gpt_bigcode",
  "gpt_neo",
  "opt"
]);
var parsed = /* @__PURE__ */ new Map();
function findModel(name) {
  const key2 = name.toLowerCase();
  const alias = Object.hasOwn(modelAliases, key2) ? modelAliases[key2] : void 0;
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

// engine/models/teacher.ts
function teacherConfig({ method }) {
  return method?.kind === "distillation" ? findModel(method.teacher)?.config : void 0;
}

// engine/probes/torch.ts
var TRIAL_TIMEOUT_MILLIS2 = 3e5;
var LEAST_STEPS2 = 2;
var WARM_UP_STEPS = 2;
var step = z74.object({
  millis: z74.number().min(0),
  optimizerMillis: z74.number().min(0),
  peakAllocatedBytes: z74.number().int().min(0).optional(),
  peakReservedBytes: z74.number().int().min(0).optional(),
  contextBytes: z74.number().int().min(0).optional()
});
var ran = z74.discriminatedUnion("kind", [
  z74.object({ kind: z74.literal("fits"), steps: z74.array(step).min(LEAST_STEPS2) }),
  z74.object({ kind: z74.literal("out-of-memory"), message: z74.string() })
]);
var TorchProbe = class _TorchProbe {
  engine = "torch";
  provenance = "measured";
  device;
  #context;
  #deviceKind;
  #worker;
  constructor(context, deviceKind, device2, worker) {
    this.#context = context;
    this.#deviceKind = deviceKind;
    this.device = device2;
    this.#worker = worker;
  }
  static async open(context) {
    const worker = new PythonWorker(context.python);
    const { deviceKind, limitMemoryBytes, spec } = context;
    const question2 = { device: deviceKind, limitMemoryBytes };
    const asked = worker.ask("device", question2, machine, START_TIMEOUT_MILLIS);
    const answer2 = await endedBy(context.signal, worker, asked);
    const probed = answer2.kind === "done" ? probedDevice(answer2.result, limitMemoryBytes) : void 0;
    if (answer2.kind === "done" && answer2.result.device.kind !== "none" && probed !== void 0) {
      const { device: device2 } = answer2.result;
      const gpus2 = gpusOf({ kind: "python", ...answer2.result });
      if (spec.gpus === 1) return new _TorchProbe(context, device2.kind, probed, worker);
      await worker[Symbol.asyncDispose]();
      if (gpus2 >= spec.gpus) return new _TorchProbe(context, device2.kind, probed);
      throw unavailable("torch", `the config trains on ${spec.gpus} GPUs, and this machine has ${gpus2}`);
    }
    await worker[Symbol.asyncDispose]();
    throw unavailable("torch", whyNot(answer2));
  }
  async trial(microBatch, options = {}) {
    const { steps = LEAST_STEPS2, signal, accumulates = false } = options;
    const { spec } = this.#context;
    const worker = this.#worker ?? new PythonWorker(this.#context.python, spec.gpus);
    this.#worker = worker;
    const outcome2 = await endedBy(signal, worker, this.#ask(worker, trialSpec(spec, microBatch, accumulates), steps));
    if (outcome2.kind !== "fits") await this.#endWorker();
    return { microBatch, ...accumulates && { accumulates }, provenance: this.provenance, outcome: outcome2 };
  }
  async [Symbol.asyncDispose]() {
    await this.#endWorker();
  }
  async #ask(worker, spec, steps) {
    const { config, entrypoint, limitMemoryBytes, log } = this.#context;
    const question2 = {
      spec,
      config,
      teacher: teacherConfig(spec),
      steps,
      device: this.#deviceKind,
      limitMemoryBytes,
      entrypoint
    };
    const answer2 = await worker.ask("trial", question2, ran, this.#context.trialTimeoutMillis ?? TRIAL_TIMEOUT_MILLIS2);
    if (answer2.kind !== "done") return outcomeOf(answer2, log);
    if (answer2.result.kind === "out-of-memory") return { kind: "out-of-memory" };
    return fits(answer2.result.steps, spec.gradientAccumulation);
  }
  /** A process that ran out of memory keeps fragments and broken library handles, so the next trial gets a new one. */
  async #endWorker() {
    const worker = this.#worker;
    this.#worker = void 0;
    await worker?.[Symbol.asyncDispose]();
  }
};
function fits(steps, accumulation) {
  const steady = steps.slice(1);
  const timed = steps.slice(Math.min(WARM_UP_STEPS, steps.length - 1));
  const optimizerMillis = median(timed.map((step3) => step3.optimizerMillis));
  const stepMillis = timed.map((step3) => (step3.millis - step3.optimizerMillis) / accumulation + step3.optimizerMillis);
  const peaks = steady.flatMap((step3) => step3.peakAllocatedBytes ?? []);
  const peakBytes = highest(peaks);
  const reservedBytes = highest(steps.map((step3) => step3.peakReservedBytes));
  return {
    kind: "fits",
    ...peakBytes !== void 0 && { peakBytes },
    ...peaks.length > 1 && { peakBytesSpread: halfRange(peaks) },
    ...reservedBytes !== void 0 && { reservedBytes },
    stepMillis: median(stepMillis),
    optimizerMillis,
    ...timed.length > 1 && { stepMillisSpread: halfRange(stepMillis) }
  };
}
function halfRange(values) {
  return (Math.max(...values) - Math.min(...values)) / 2;
}
function highest(values) {
  const known2 = values.filter((value) => value !== void 0);
  return known2.length === 0 ? void 0 : Math.max(...known2);
}
function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}
function probedDevice(found, limitMemoryBytes) {
  const software = softwareOf(found);
  const { device: device2 } = found;
  switch (device2.kind) {
    case "cuda":
    case "mps":
      return {
        name: device2.name,
        totalBytes: device2.totalBytes,
        usableBytes: device2.totalBytes - device2.contextBytes,
        software
      };
    case "cpu":
      return limitMemoryBytes === void 0 ? void 0 : { name: `CPU ${device2.name}`, totalBytes: limitMemoryBytes, usableBytes: limitMemoryBytes, software };
    case "none":
      return void 0;
  }
}
function whyNot(answer2) {
  switch (answer2.kind) {
    case "done":
      return answer2.result.device.kind === "cpu" ? "a sweep on the CPU needs --limit-memory, because a host that runs out of memory kills processes at random" : "PyTorch finds neither a CUDA nor an MPS device";
    case "failed":
    case "died":
      return answer2.message;
    case "timed-out":
      return `Python did not start within ${answer2.afterMillis / 1e3} s`;
  }
}

// engine/probes/trace.ts
import * as z75 from "zod";

// engine/estimate/allocator.ts
var MIN_BLOCK_BYTES = 512;
var SMALL_BYTES = MIB;
var SMALL_SEGMENT_BYTES = 2 * MIB;
var LARGE_SEGMENT_BYTES = 20 * MIB;
var OWN_SEGMENT_BYTES = 10 * MIB;
var SEGMENT_ROUNDING_BYTES = 2 * MIB;
function roundedSize(bytes5) {
  return Math.max(MIN_BLOCK_BYTES, Math.ceil(bytes5 / MIN_BLOCK_BYTES) * MIN_BLOCK_BYTES);
}
var CachingAllocator = class {
  peakReservedBytes = 0;
  /** Whether the device ran short of memory, so that a larger one would have behaved differently. */
  hasReturnedSegments = false;
  #reservedBytes = 0;
  #capacityBytes;
  /** Free blocks by pool, ordered by size: small requests never take from large segments. */
  #free = { small: [], large: [] };
  constructor(capacityBytes) {
    this.#capacityBytes = capacityBytes;
  }
  /** Undefined when the device has no room even after cached segments went back. */
  allocate(bytes5) {
    const size2 = roundedSize(bytes5);
    const block3 = this.#takeFree(size2) ?? this.#newSegment(size2);
    if (block3 === void 0) return void 0;
    this.#splitOff(block3, size2);
    block3.isFree = false;
    return block3;
  }
  release(block3) {
    block3.isFree = true;
    this.#mergeNext(block3);
    const { previous } = block3;
    if (previous?.isFree) {
      this.#removeFree(previous);
      this.#mergeNext(previous);
      this.#insertFree(previous);
    } else {
      this.#insertFree(block3);
    }
  }
  #takeFree(size2) {
    const pool = this.#pool(size2 <= SMALL_BYTES);
    const index = lowerBound(pool, size2);
    const block3 = pool[index];
    if (block3 === void 0) return void 0;
    pool.splice(index, 1);
    return block3;
  }
  #newSegment(size2) {
    const bytes5 = segmentSize(size2);
    if (this.#reservedBytes + bytes5 > this.#capacityBytes) this.#returnFreeSegments();
    if (this.#reservedBytes + bytes5 > this.#capacityBytes) return void 0;
    this.#reservedBytes += bytes5;
    this.peakReservedBytes = Math.max(this.peakReservedBytes, this.#reservedBytes);
    return { bytes: bytes5, isFree: true, isSmall: size2 <= SMALL_BYTES, previous: void 0, next: void 0 };
  }
  /** release_cached_blocks: every segment that is a single free block goes back to the device. */
  #returnFreeSegments() {
    this.hasReturnedSegments = true;
    for (const pool of [this.#free.small, this.#free.large]) {
      for (let index = pool.length - 1; index >= 0; index--) {
        const block3 = pool[index];
        if (block3 === void 0 || block3.previous !== void 0 || block3.next !== void 0) continue;
        this.#reservedBytes -= block3.bytes;
        pool.splice(index, 1);
      }
    }
  }
  /** should_split: small blocks if at least 512 bytes remain, large ones if more than 1 MiB remains. */
  #splitOff(block3, size2) {
    const rest = block3.bytes - size2;
    if (block3.isSmall ? rest < MIN_BLOCK_BYTES : rest <= SMALL_BYTES) return;
    const remainder = { bytes: rest, isFree: true, isSmall: block3.isSmall, previous: block3, next: block3.next };
    if (block3.next !== void 0) block3.next.previous = remainder;
    block3.next = remainder;
    block3.bytes = size2;
    this.#insertFree(remainder);
  }
  #mergeNext(block3) {
    const { next } = block3;
    if (next === void 0 || !next.isFree || !block3.isFree) return;
    this.#removeFree(next);
    block3.bytes += next.bytes;
    block3.next = next.next;
    if (next.next !== void 0) next.next.previous = block3;
  }
  #insertFree(block3) {
    const pool = this.#pool(block3.isSmall);
    pool.splice(lowerBound(pool, block3.bytes), 0, block3);
  }
  #removeFree(block3) {
    const pool = this.#pool(block3.isSmall);
    const index = pool.indexOf(block3, lowerBound(pool, block3.bytes));
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

// engine/probes/trace.ts
var bytes3 = z75.number().int().min(0);
var traced = z75.object({
  /** Peak of the second step, allocations rounded as the caching allocator does; no cuBLAS workspace on the meta device. */
  peakBytes: bytes3,
  forwardBackwardPeakBytes: bytes3,
  weightBytes: bytes3,
  /** Between steps: weights, buffers and optimizer state. */
  restingBytes: bytes3,
  parameters: z75.number().int().min(0),
  /** Every allocation and release in order, where asked for: n > 0 allocates n bytes, −n releases the n-th allocation. */
  events: z75.array(z75.number().int())
});
var versions3 = z75.object({
  python: z75.string(),
  torch: z75.string(),
  transformers: z75.string(),
  hasBitsandbytes: z75.boolean(),
  hasTimm: z75.boolean()
});
var TRACE_TIMEOUT_MILLIS = 12e4;
function trace(worker, spec, config, { wantsEvents = false, timeoutMillis = TRACE_TIMEOUT_MILLIS } = {}) {
  return worker.ask("trace", { spec, config, teacher: teacherConfig(spec), wantsEvents }, traced, timeoutMillis);
}
function pythonVersions(worker) {
  return worker.ask("versions", {}, versions3, TRACE_TIMEOUT_MILLIS);
}
var TraceProbe = class _TraceProbe {
  engine = "trace";
  provenance = "traced";
  device;
  #context;
  #workspaceBytes;
  #worker;
  constructor(context, worker, software) {
    const { gpu, limitMemoryBytes = Number.POSITIVE_INFINITY } = context;
    const capped = { ...gpu, totalBytes: Math.min(gpu.totalBytes, limitMemoryBytes) };
    this.device = { name: gpu.name, totalBytes: capped.totalBytes, usableBytes: usableBytes(capped), software };
    this.#context = context;
    this.#workspaceBytes = gpu.cublasWorkspaceBytes * CUBLAS_HANDLES;
    this.#worker = worker;
  }
  static async open(context) {
    const worker = new PythonWorker(context.python);
    const answer2 = await endedBy(context.signal, worker, pythonVersions(worker));
    if (answer2.kind === "done" && context.entrypoint === void 0) {
      const { torch, transformers } = answer2.result;
      return new _TraceProbe(context, worker, `torch ${torch}, transformers ${transformers}`);
    }
    await worker[Symbol.asyncDispose]();
    if (answer2.kind === "done") throw unavailable("trace", "only the torch engine runs an entry point");
    throw unavailable("trace", answer2.kind === "timed-out" ? "Python did not start in time" : answer2.message);
  }
  async trial(microBatch, { signal, accumulates = false } = {}) {
    const { spec } = this.#context;
    const worker = this.#worker ?? new PythonWorker(this.#context.python);
    this.#worker = worker;
    const outcome2 = await endedBy(signal, worker, this.#ask(worker, trialSpec(spec, microBatch, accumulates)));
    if (outcome2.kind === "failed" || outcome2.kind === "timed-out") await this[Symbol.asyncDispose]();
    return { microBatch, ...accumulates && { accumulates }, provenance: this.provenance, outcome: outcome2 };
  }
  async [Symbol.asyncDispose]() {
    const worker = this.#worker;
    this.#worker = void 0;
    await worker?.[Symbol.asyncDispose]();
  }
  async #ask(worker, spec) {
    const { config, trialTimeoutMillis, log } = this.#context;
    const answer2 = await trace(worker, spec, config, {
      wantsEvents: true,
      ...trialTimeoutMillis !== void 0 && { timeoutMillis: trialTimeoutMillis }
    });
    if (answer2.kind !== "done") return outcomeOf(answer2, log);
    const peakBytes = answer2.result.peakBytes + this.#workspaceBytes;
    const reservedBytes = this.#replay(answer2.result.events);
    return reservedBytes === void 0 ? { kind: "out-of-memory", neededBytes: peakBytes } : { kind: "fits", peakBytes, reservedBytes };
  }
  /** Bytes that the allocator reserves at most; undefined when an allocation does not fit. */
  #replay(events) {
    const allocator = new CachingAllocator(this.device.usableBytes);
    if (allocator.allocate(this.#workspaceBytes) === void 0) return void 0;
    const blocks = [];
    for (const event of events) {
      if (event < 0) {
        const block4 = blocks[-event - 1];
        if (block4 !== void 0) allocator.release(block4);
        continue;
      }
      const block3 = allocator.allocate(event);
      if (block3 === void 0) return void 0;
      blocks.push(block3);
    }
    return allocator.peakReservedBytes;
  }
};

// engine/probes/probe.ts
var engines = ["estimate", "trace", "torch", "tfjs"];
var openers = {
  estimate: async (context) => new EstimatingProbe(context),
  trace: TraceProbe.open,
  torch: TorchProbe.open,
  tfjs: TfjsProbe.open
};
async function openProbe(engine, context) {
  const { framework } = context.spec;
  const taken = engine === "auto" ? await bestEngine(context) : engine;
  if (taken === "tfjs" !== (framework === "tensorflow.js")) throw otherFramework(taken, framework);
  const beyond = beyondEngine(taken, context);
  if (beyond !== void 0) throw notCovered(taken, beyond);
  return openers[taken](context);
}
async function bestEngine({ spec, config, python, machine: machine2 }) {
  if (spec.framework === "tensorflow.js") return "tfjs";
  if (beyondTorch(spec) !== void 0 || outsideTransformers(config) !== void 0) return "estimate";
  const found = machine2 ?? await describeMachine(python);
  const isLacking = spec.quantization !== void 0 && found.kind === "python" && !found.hasBitsandbytes;
  const best = isLacking ? "estimate" : engineOn(found);
  return spec.gpus === 1 || best === "torch" && gpusOf(found) >= spec.gpus ? best : "estimate";
}
function beyondEngine(engine, { spec, config }) {
  const source = outsideTransformers(config);
  const outside = source && (source === "ultralytics" ? "Ultralytics' models" : "models whose code is published with the checkpoint");
  switch (engine) {
    case "trace":
      return outside ?? beyondTrace(spec);
    case "torch":
      return outside ?? beyondTorch(spec);
    case "estimate":
    case "tfjs":
      return void 0;
  }
}
function engineOn(machine2) {
  if (machine2.kind === "no-python") return "estimate";
  return machine2.device.kind === "cuda" || machine2.device.kind === "mps" ? "torch" : "trace";
}
var EstimatingProbe = class {
  engine = "estimate";
  provenance = "estimated";
  device;
  #probes;
  constructor({ spec, config, footprints, gpu, limitMemoryBytes, entrypoint }) {
    if (entrypoint !== void 0) throw needsPython();
    const capped = { ...gpu, totalBytes: Math.min(gpu.totalBytes, limitMemoryBytes ?? Number.POSITIVE_INFINITY) };
    this.#probes = new EstimateProbes(spec, config, capped, footprints);
    this.device = { name: gpu.name, totalBytes: capped.totalBytes, usableBytes: usableBytes(capped), software: "" };
  }
  async trial(microBatch, { accumulates = false } = {}) {
    await setImmediate();
    return this.#probes.of(accumulates).trial(microBatch);
  }
  async [Symbol.asyncDispose]() {
  }
};
function notCovered(engine, what) {
  return new MemoryMarkError({
    code: "beyond-engine",
    field: "--engine",
    message: `the ${engine} engine does not support ${what}`,
    fix: "Use --engine estimate."
  });
}
function needsPython() {
  return new MemoryMarkError({
    code: "entrypoint-needs-torch",
    field: "--allow-entrypoint",
    message: "only the torch engine runs an entry point",
    fix: "Use --engine torch."
  });
}
function otherFramework(engine, framework) {
  return new MemoryMarkError({
    code: "engine-of-other-framework",
    field: "--engine",
    message: `the ${engine} engine cannot run a ${framework} config`,
    fix: `Use --engine auto${engine === "tfjs" ? ", or --framework tensorflow.js if the training code is in TensorFlow.js" : ""}.`
  });
}

// engine/cli/python.ts
function pythonCommand() {
  return process.env.MEMORYMARK_PYTHON ?? "python3";
}

// engine/search/grid.ts
var DEFAULT_STEP_SIZE = 8;
var Grid = class {
  #step;
  constructor(step3 = DEFAULT_STEP_SIZE) {
    this.#step = step3;
  }
  /** The number of sizes on the grid. */
  get length() {
    return this.#step + Math.floor(MAX_BATCH / this.#step) - 1;
  }
  /** The index of the step size itself, the first size of a linear sweep. */
  get firstStep() {
    return this.#step - 1;
  }
  /** The size at a 0-based index. */
  at(index) {
    return index < this.#step ? index + 1 : (index - this.#step + 2) * this.#step;
  }
  /** The index of the largest size that is not above `batch`; −1 below 1. */
  indexOf(batch) {
    return batch < this.#step ? Math.floor(batch) - 1 : this.#step - 2 + Math.floor(batch / this.#step);
  }
  /** The index of the smallest size that is not below `batch`. */
  firstNotBelow(batch) {
    const index = this.indexOf(batch);
    return index >= 0 && this.at(index) === batch ? index : index + 1;
  }
};

// engine/metrics/memory.ts
function shareOfUsable({ usableBytes: usableBytes2 }, { peakBytes }) {
  return usableBytes2 === 0 ? Number.POSITIVE_INFINITY : peakBytes / usableBytes2;
}
function idleBytes({ usableBytes: usableBytes2 }, { peakBytes }) {
  return Math.max(0, usableBytes2 - peakBytes);
}
function idlePercent(gpu, load) {
  return gpu.usableBytes === 0 ? 0 : 100 * idleBytes(gpu, load) / gpu.usableBytes;
}
function missingBytes({ usableBytes: usableBytes2 }, { peakBytes }) {
  return Math.max(0, peakBytes - usableBytes2);
}

// engine/config/quote.ts
var SHOWN_CHARACTERS = 80;
function plain(text) {
  const characters = [...text.slice(0, 4 * SHOWN_CHARACTERS).replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ")];
  return characters.length > SHOWN_CHARACTERS ? `${characters.slice(0, SHOWN_CHARACTERS - 1).join("")}…` : characters.join("").trim();
}
function quote(text) {
  return `"${plain(text)}"`;
}
function oneOf2(words2) {
  return words2.length < 2 ? words2.join("") : `${words2.slice(0, -1).join(", ")} or ${words2.at(-1)}`;
}

// engine/models/resolve.ts
import { posix as posix2 } from "node:path";

// engine/config/sources.ts
import { posix } from "node:path";
var MAX_NAME_CHARACTERS = 200;
function isPlausibleName(name) {
  return name.length <= MAX_NAME_CHARACTERS && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name);
}
function placesOf(file, configPath) {
  return [.../* @__PURE__ */ new Set([posix.normalize(file), posix.join(posix.dirname(configPath), file)])];
}
async function firstFile(places, { readFile }) {
  for (const path2 of places) {
    const text = await readFile?.(path2);
    if (text !== void 0) return { path: path2, text };
  }
  return void 0;
}
function notingFiles(sources) {
  const { readFile } = sources;
  if (readFile === void 0) return { sources, files: [] };
  const files = [];
  const noting = async (path2) => {
    const text = await readFile(path2);
    if (text !== void 0) files.push({ path: path2, text });
    return text;
  };
  return { sources: { ...sources, readFile: noting }, files };
}
function askingOnce(sources) {
  const { readFile } = sources;
  if (readFile === void 0) return sources;
  const asked = /* @__PURE__ */ new Map();
  return {
    ...sources,
    readFile: (path2) => {
      const answer2 = asked.get(path2) ?? readFile(path2);
      asked.set(path2, answer2);
      return answer2;
    }
  };
}

// engine/models/config-json.ts
var supportedArchitectures = modelConfig.options.flatMap((option) => [
  ...option.shape.model_type.values
]);
var MAX_ARCHITECTURE_CHARACTERS = 80;
function readConfigJson(text) {
  const fields2 = parseObject(text);
  const architecture = fields2?.model_type;
  if (fields2 === void 0 || typeof architecture !== "string") return { kind: "not-a-model" };
  if (!supportedArchitectures.includes(architecture)) {
    return { kind: "unsupported", architecture: architecture.slice(0, MAX_ARCHITECTURE_CHARACTERS) };
  }
  const result = modelConfig.safeParse(withTextConfig(withRotaryShare(withUsualNames(fields2))));
  if (result.success) return { kind: "config", config: result.data };
  const [issue] = result.error.issues;
  return { kind: "invalid", why: `${issue?.path.join(".")}: ${issue?.message}` };
}
var ownNames = {
  kimi_linear: {
    max_position_embeddings: "model_max_length",
    num_local_experts: "num_experts",
    num_experts_per_tok: "num_experts_per_token",
    n_shared_experts: "num_shared_experts"
  }
};
function withUsualNames(fields2) {
  const names = Object.entries(ownNames[String(fields2.model_type)] ?? {});
  const found = names.flatMap(([usual, own]) => own in fields2 ? [[usual, fields2[own]]] : []);
  return { ...Object.fromEntries(found), ...fields2 };
}
function withRotaryShare(fields2) {
  const rope = fields2.rope_parameters;
  if (!isObject(rope) || rope.partial_rotary_factor === void 0) return fields2;
  const share = rope.partial_rotary_factor;
  return { partial_rotary_factor: share, rotary_pct: share, ...fields2 };
}
function withTextConfig(fields2) {
  return "vision_config" in fields2 && !("text_config" in fields2) ? { ...fields2, text_config: fields2 } : fields2;
}
function parseObject(text) {
  const value = parseJson(text);
  return isObject(value) ? value : void 0;
}
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// engine/models/hub.ts
var DEFAULT_ENDPOINT = "https://huggingface.co";
var DEFAULT_TIMEOUT_MILLIS = 1e4;
var MAX_BYTES = MIB;
var MAX_REDIRECTS = 4;
var hubId = /^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9_][\w.-]{0,95}$/;
function isHubId(name) {
  return hubId.test(name) && !name.includes("..");
}
function hubSettings(env) {
  if (/^(?:1|on|yes|true)$/i.test(env.HF_HUB_OFFLINE ?? "")) return void 0;
  const token2 = env.HF_TOKEN?.trim();
  return { endpoint: endpointOf(env.HF_ENDPOINT || DEFAULT_ENDPOINT), ...token2 && { token: token2 } };
}
function endpointOf(text) {
  const url = URL.parse(text);
  if (url?.protocol === "https:" || url?.protocol === "http:") return url;
  throw new MemoryMarkError({
    code: "bad-setting",
    field: "HF_ENDPOINT",
    message: "HF_ENDPOINT is not a URL",
    fix: `Set it to one such as ${DEFAULT_ENDPOINT}, or unset it.`
  });
}
function createHub(settings) {
  const asked = /* @__PURE__ */ new Map();
  return {
    configJson: (id) => {
      const answer2 = asked.get(id) ?? askOrRemember(settings, id);
      asked.set(id, answer2);
      return answer2;
    }
  };
}
async function askOrRemember(settings, id) {
  const url = new URL(
    `${settings.endpoint.pathname.replace(/\/$/, "")}/${id}/resolve/main/config.json`,
    settings.endpoint
  );
  const remembered = await settings.cache?.read(url.href);
  if (remembered !== void 0) return { kind: "found", text: remembered };
  const answer2 = await ask(settings, url);
  if (answer2.kind === "found") await settings.cache?.write(url.href, answer2.text);
  return answer2;
}
async function ask(settings, url) {
  const signal = AbortSignal.timeout(settings.timeoutMillis ?? DEFAULT_TIMEOUT_MILLIS);
  try {
    return await follow(settings, url, signal, MAX_REDIRECTS);
  } catch (error) {
    return { kind: "unreachable", why: reasonOf(error) };
  }
}
async function follow(settings, url, signal, redirects) {
  const headers = { "user-agent": "memorymark", ...settings.token && { authorization: `Bearer ${settings.token}` } };
  const response = await fetch(url, { headers, redirect: "manual", signal });
  const { status } = response;
  if (status === 200) return readCapped(response);
  await response.body?.cancel();
  if (status >= 300 && status < 400) {
    const next = URL.parse(response.headers.get("location") ?? "", url.href);
    if (next?.origin !== url.origin) return { kind: "unreachable", why: "it redirects to another site" };
    if (redirects === 0) return { kind: "unreachable", why: "it redirects too often" };
    return follow(settings, next, signal, redirects - 1);
  }
  const code = response.headers.get("x-error-code");
  if (status === 404 || code === "RepoNotFound" || code === "EntryNotFound") return { kind: "missing" };
  if (status === 401 || status === 403) return { kind: "refused" };
  return { kind: "unreachable", why: `it answered with status ${status}` };
}
async function readCapped(response) {
  const decoder = new TextDecoder();
  let text = "";
  let bytes5 = 0;
  for await (const chunk of response.body ?? []) {
    bytes5 += chunk.byteLength;
    if (bytes5 > MAX_BYTES) return { kind: "unreachable", why: "its config.json is larger than 1 MiB" };
    text += decoder.decode(chunk, { stream: true });
  }
  return { kind: "found", text: text + decoder.decode() };
}
function reasonOf(error) {
  if (!(error instanceof Error)) return "the connection failed";
  if (error.name === "TimeoutError") return "it took too long to answer";
  const code = error.cause instanceof Error && "code" in error.cause ? error.cause.code : void 0;
  return typeof code === "string" ? `the connection failed (${code})` : "the connection failed";
}

// engine/models/unsupported-models.ts
var unsupportedModels = {
  bloom: ["bigscience/bloom-560m", "bigscience/bloom-7b1", "bigscience/bloomz-560m", "bigscience/bloomz-7b1"],
  dbrx: ["databricks/dbrx-base", "databricks/dbrx-instruct", "LnL-AI/dbrx-base-converted-v2"],
  mamba: ["state-spaces/mamba-2.8b"],
  mpt: ["mosaicml/mpt-7b", "mosaicml/mpt-7b-instruct", "mosaicml/mpt-30b"]
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
  // Mistral's later models of 24 B were made from Small 3 and keep its decoder.
  "cogito-v1-preview-llama-3b": "meta-llama/Llama-3.2-3B",
  "cogito-v1-preview-qwen-14b": "Qwen/Qwen2.5-14B",
  "deepcoder-14b": "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B",
  "zephyr-7b": "HuggingFaceH4/zephyr-7b-beta",
  "zephyr-7b-gemma": "google/gemma-7b",
  "magistral-small": "mistralai/Mistral-Small-24B-Base-2501",
  "devstral-small": "mistralai/Mistral-Small-24B-Base-2501",
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
  const words2 = wordsOf(name);
  known ??= knownNames();
  const matches = known.flatMap((candidate) => {
    const start = indexOfRun(words2, candidate.words);
    const end = start + candidate.words.length;
    return start < 0 || isCutShort(name, words2, end) ? [] : [{ candidate, start, end }];
  });
  const widest = matches.filter(
    (match) => !matches.some((other) => isWider(other, match) && other.start <= match.start && other.end >= match.end)
  );
  const [only, ...others3] = widest;
  if (only === void 0 || others3.length > 0) return void 0;
  const { id, architecture } = only.candidate;
  if (architecture !== void 0) return { kind: "unsupported", architecture };
  const around = [...words2.slice(0, only.start), ...words2.slice(only.end)];
  const model = around.some((word) => reshaped.has(word)) ? void 0 : findModel(id);
  return model && { kind: "model", model };
}
function knownNames() {
  const unsupported2 = Object.entries(unsupportedModels).flatMap(
    ([architecture, ids]) => ids.map((id) => ({ words: wordsOf(id), id, architecture }))
  );
  const named2 = Object.entries(nicknames).map(([nickname, id]) => ({ words: wordsOf(nickname), id }));
  const catalogued2 = modelIds.map((id) => ({ words: wordsOf(id), id }));
  const byWords = /* @__PURE__ */ new Map();
  for (const candidate of [...named2, ...unsupported2, ...catalogued2]) {
    const key2 = candidate.words.join(" ");
    if (!byWords.has(key2)) byWords.set(key2, candidate);
  }
  return [...byWords.values()];
}
function wordsOf(name) {
  return writtenWords(name).filter((word) => word !== "" && !decorations.has(word)).flatMap((word) => /^([a-z]{3,})(\d[\d.]*)$/.exec(word)?.slice(1) ?? [word]);
}
function writtenWords(name) {
  return lastFolder(name.toLowerCase()).split(/[-_ ]+/);
}
function isCutShort(name, words2, end) {
  return writtenWords(name).includes(`${words2[end - 1]}${words2[end]}`);
}
function lastFolder(name) {
  return name.split(/[/\\]/).findLast((part) => part !== "") ?? "";
}
function wordSet(words2) {
  return new Set(words2.split(" "));
}
function indexOfRun(words2, run) {
  return words2.findIndex((_, start) => run.every((word, offset2) => words2[start + offset2] === word));
}
function isWider(a, b) {
  return a.end - a.start > b.end - b.start;
}

// engine/models/resolve.ts
async function resolveModel(name, sources, configPath = "") {
  if (!isPlausibleName(name)) return { kind: "unknown" };
  return await inFolder(name, sources, configPath) ?? inCatalogue(name) ?? await besideConfig(name, sources, configPath) ?? await onHub(name, sources);
}
function resolveOffline(name) {
  return (isPlausibleName(name) ? inCatalogue(name) ?? inName(name) : void 0) ?? { kind: "unknown" };
}
async function inFolder(name, sources, configPath) {
  const file = name.endsWith(".json") ? name : posix2.join(name, "config.json");
  const found = await firstFile(placesOf(file, configPath), sources);
  return found && fromFile(name, found);
}
function inCatalogue(name) {
  const model = findModel(name);
  if (model !== void 0) return { kind: "resolved", model, how: "catalogue" };
  const architecture = unsupportedArchitectureOf(name);
  return architecture === void 0 ? void 0 : { kind: "unsupported", architecture, source: name };
}
async function besideConfig(name, sources, configPath) {
  const found = await firstFile([posix2.join(posix2.dirname(configPath), "config.json")], sources);
  return found === void 0 || readConfigJson(found.text).kind === "not-a-model" ? void 0 : fromFile(name, found);
}
async function onHub(name, { hub }) {
  if (hub === void 0 || !isHubId(name)) return inName(name) ?? { kind: "unknown" };
  const answer2 = await hub.configJson(name);
  switch (answer2.kind) {
    case "found":
      return fromConfigJson(name, answer2.text, {
        how: "hub",
        source: "its config.json on the Hub",
        sentence: `The model ${quote(name)} is described by its config.json on the Hugging Face Hub.`
      });
    case "missing":
      return inName(name) ?? { kind: "unknown" };
    case "refused":
      return inName(name) ?? { kind: "refused" };
    case "unreachable":
      return inName(name) ?? { kind: "unreachable", why: answer2.why };
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
function fromFile(name, { path: path2, text }) {
  const sentence = `The model ${quote(name)} is described by ${quote(path2)} in the repository.`;
  return fromConfigJson(name, text, { how: "repository", source: path2, sentence });
}
function fromConfigJson(name, text, { how, source, sentence }) {
  const read12 = readConfigJson(text);
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

// engine/config/blob-sha.ts
import { createHash } from "node:crypto";
function gitBlobSha(text) {
  const bytes5 = Buffer.from(text);
  return createHash("sha1").update(`blob ${bytes5.byteLength}\0`).update(bytes5).digest("hex");
}

// engine/config/deepspeed-file.ts
import { posix as posix3 } from "node:path";

// engine/config/document.ts
import { Composer, isMap as isMap2, isScalar as isScalar2, Lexer, LineCounter, Parser, visit } from "yaml";

// engine/config/json-syntax.ts
var blank = /[\t\n\r ]*/y;
var token = /"[ !#-[\]-\u{10ffff}]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\u{10ffff}]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\]:,]/uy;
function firstJsonError(text) {
  if (isJson(text)) return void 0;
  const open = [];
  let expected = "value";
  let offset2 = 0;
  for (; ; ) {
    offset2 = skip(blank, text, offset2);
    const end = skip(token, text, offset2);
    const next = end === offset2 ? void 0 : step2(expected, text.slice(offset2, Math.min(end, offset2 + 1)), open);
    if (next === void 0) return offset2;
    expected = next;
    offset2 = end;
  }
}
function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
function skip(pattern, text, from) {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
function step2(expected, first, open) {
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
var reference = /^\$\{([A-Za-z_]\w*(?:\.\w+){0,9})\}$/;
var MAX_HOPS = 8;
var Section = class _Section {
  /** Empty for the top of the document. */
  name;
  #origin;
  #map;
  #top;
  #followed = /* @__PURE__ */ new Map();
  #fields;
  constructor(origin, map, name = "", top) {
    this.#origin = origin;
    this.#map = map;
    this.name = name;
    this.#top = top ?? this;
  }
  /** The same mapping, whose fields say which file they are written in. */
  writtenIn(file) {
    return new _Section({ ...this.#origin, file }, this.#map, this.name);
  }
  get fields() {
    this.#fields ??= new Map(
      [...pairsOf(this.#map, this.#origin.document)].map(([key2, pair]) => [key2, this.#field(key2, pair)])
    );
    return this.#fields;
  }
  /** The field under a key, which has the value that it refers to where that is in the file too. */
  field(key2) {
    const followed = this.#followed.get(key2);
    if (followed !== void 0) return followed;
    const field = this.fields.get(key2);
    if (field?.value.kind !== "text" || !reference.test(field.value.text)) return field;
    const target = this.#top.#referred(field);
    const resolved = target === void 0 ? field : { ...field, value: target.value, source: target.source };
    this.#followed.set(key2, resolved);
    return resolved;
  }
  /** The field at the end of a path of keys, when it holds a value. */
  at(...path2) {
    const [key2, ...rest] = path2;
    const field = this.field(key2);
    const [next, ...others3] = rest;
    if (next === void 0) return field?.value.kind === "empty" ? void 0 : field;
    return field?.value.kind === "mapping" ? field.value.section.at(next, ...others3) : void 0;
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
  /** The field at the end of a chain of references, unless it leaves the file or goes round. */
  #referred(field) {
    let target = field;
    for (let hop = 0; hop < MAX_HOPS; hop++) {
      const path2 = target?.value.kind === "text" ? reference.exec(target.value.text)?.[1] : void 0;
      if (path2 === void 0) return target;
      target = this.#written(path2.split("."));
    }
    return void 0;
  }
  #written([key2, ...rest]) {
    const field = key2 === void 0 ? void 0 : this.fields.get(key2);
    if (rest.length === 0) return field;
    return field?.value.kind === "mapping" ? field.value.section.#written(rest) : void 0;
  }
  #children() {
    return [...this.fields.values()].flatMap(({ value }) => value.kind === "mapping" ? [value.section] : []);
  }
  #field(key2, pair) {
    const name = this.name === "" ? plain(key2) : `${this.name}.${plain(key2)}`;
    const value = this.#value(pair.value, name);
    const { file } = this.#origin;
    return { key: key2, name, value, ...this.#place(value.kind === "empty" ? pair.key : pair.value), ...file && { file } };
  }
  #place(node) {
    const { text, lines } = this.#origin;
    const [start, end] = rangeOf(node);
    const { line, col } = lines.linePos(start);
    return { at: { line, column: col }, source: plain(text.slice(start, end)) };
  }
  #value(node, name) {
    const target = isAlias(node) ? node.resolve(this.#origin.document) : node;
    if (isMap(target)) return { kind: "mapping", section: new _Section(this.#origin, target, name, this.#top) };
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
var MAX_BYTES2 = MIB;
var MAX_DEPTH = 100;
var MAX_ALIASES = 100;
var MAX_SYNTAX_PROBLEMS = 10;
function parseFile(file) {
  const text = file.text.replace(/^\uFEFF/, "");
  const bytes5 = Buffer.byteLength(text);
  if (bytes5 > MAX_BYTES2) return unreadable([{ ...tooLarge(bytes5), file: file.path }]);
  const lines = new LineCounter();
  const describe = (offset2, problem2) => {
    const { line, col } = lines.linePos(Math.min(offset2, text.length));
    return { ...problem2, file: file.path, line, column: Math.max(col, 1) };
  };
  const tokens = tokenize(text, lines);
  if (tokens.kind === "too-deep") return unreadable([describe(tokens.offset, tooDeep)]);
  const isJson2 = /\.json$/i.test(file.path);
  const jsonError = isJson2 ? firstJsonError(text) : void 0;
  if (jsonError !== void 0) return unreadable([describe(jsonError, notJson(text, jsonError))]);
  const documents = compose(tokens.tokens, isJson2);
  const problems = documents.flatMap((document) => problemsOf(document, describe));
  if (problems.length > 0) return unreadable(problems.slice(0, MAX_SYNTAX_PROBLEMS));
  return {
    kind: "document",
    mappings: documents.flatMap(
      (document) => isMap2(document.contents) ? [new Section({ document, text, lines }, document.contents)] : []
    )
  };
}
function tokenize(text, lines) {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const tokens = [];
  for (const lexeme of new Lexer().lex(text)) {
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
    return firstOfEachLine(document.errors.map(({ pos, message: message2 }) => describe(pos[0], notYaml(message2))));
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
    return [
      describe(first, badAliases(error instanceof Error ? plain(error.message) : "The aliases cannot be resolved"))
    ];
  }
}
function unreadable(problems) {
  return { kind: "unreadable", problems };
}
function tooLarge(bytes5) {
  return {
    code: "file-too-large",
    message: `The file is ${(bytes5 / MIB).toFixed(1)} MiB; training configs are read up to 1 MiB`,
    fix: "Move data out of the config, or exclude the file from the check."
  };
}
var tooDeep = {
  code: "file-too-deep",
  message: `The file is nested more than ${MAX_DEPTH} levels deep here`,
  fix: "Flatten it, or exclude the file from the check."
};
var placeholder = /(?:[A-Z][A-Z0-9_]{2,60}|\$\{[^{}\n]{1,80}\}|\$\w{1,60}|\{\{[^{}\n]{1,80}\}\}|<[\w ]{1,60}>|@\w{1,60}@)(?=\s*[,}\]])/y;
function placeholderAt(text, offset2) {
  const start = text.startsWith("{{", offset2 - 1) ? offset2 - 1 : offset2;
  if (!/[:,[]\s*$/.test(text.slice(Math.max(0, start - 100), start))) return void 0;
  placeholder.lastIndex = start;
  return placeholder.exec(text)?.[0];
}
function notJson(text, offset2) {
  const filledIn = placeholderAt(text, offset2);
  if (filledIn !== void 0) {
    return {
      code: "template",
      message: `A template: a script replaces ${quote(filledIn)} with a value, so its settings cannot be determined from the file`,
      fix: "Check the file that the script writes, and add this one to ignore in .github/memorymark.yml."
    };
  }
  const found = offset2 < text.length ? `Not valid JSON at ${quote(text.slice(offset2, offset2 + 20))}` : "The JSON ends early";
  return {
    code: "not-json",
    message: found,
    fix: "Correct the JSON there; it allows no comments, trailing commas or single quotes."
  };
}
function notYaml(message2) {
  const isKeyAlone = /^Implicit (?:map )?keys need/.test(message2);
  return {
    code: "not-yaml",
    message: isKeyAlone ? "Not valid YAML: a key without a value, or without the space after its colon" : `Not valid YAML: ${plain(message2)}`,
    fix: isKeyAlone ? "Write the line as key: value." : "Correct the YAML there; indent with spaces, and quote text that contains special characters."
  };
}
function duplicateKey(key2) {
  return {
    code: "duplicate-key",
    message: `The key ${quote(key2)} is set twice in the same mapping`,
    fix: "Keep one of the two."
  };
}
function badAliases(message2) {
  return {
    code: "bad-alias",
    message: message2,
    fix: `Write the values out instead of aliasing them; at most ${MAX_ALIASES} expansions of an anchor are read.`
  };
}

// engine/config/deepspeed-file.ts
var notLookedFor = { kind: "not-looked-for" };
async function findDeepSpeedFile(name, sources, configPath) {
  if (name === void 0 || name === "" || sources.readFile === void 0 || !isPlausibleName(name)) return notLookedFor;
  const lookedAt = isForeign(name) ? [] : placesOf(name, configPath).filter((path2) => isInside(path2, configPath));
  if (lookedAt.length === 0) return { kind: "outside" };
  const found = await firstFile(lookedAt, sources);
  return found === void 0 ? { kind: "not-found", lookedAt } : settingsIn(found);
}
function isForeign(name) {
  return name.startsWith("/") || name.includes("\\") || /^[a-z][\w+.-]*:/i.test(name);
}
function isInside(path2, configPath) {
  return !climbs(path2) || !climbs(posix3.relative(posix3.dirname(configPath), path2));
}
function climbs(path2) {
  return path2 === ".." || path2.startsWith("../");
}
function settingsIn(file) {
  const { path: path2 } = file;
  const parsed2 = parseFile(file);
  if (parsed2.kind === "unreadable") return { kind: "unusable", path: path2, why: unreadableBecause(parsed2.problems[0]) };
  const [settings, ...others3] = parsed2.mappings;
  if (settings === void 0 || others3.length > 0) return { kind: "unusable", path: path2, why: "is not a single mapping" };
  if (settings.at("zero_optimization") === void 0) {
    return { kind: "unusable", path: path2, why: "has no zero_optimization" };
  }
  return { kind: "read", path: path2, settings: settings.writtenIn(path2) };
}
function unreadableBecause(problem2) {
  if (problem2?.code === "file-too-large") return "is larger than the limit of 1 MiB";
  return problem2?.line === void 0 ? "cannot be parsed" : `cannot be parsed at line ${problem2.line}`;
}

// engine/config/written-keys.ts
function writesAny(keys2) {
  const pattern = new RegExp(`(?:^|[\\s{,"'])(?:${keys2.join("|")})["']?[ \\t]*:`, "m");
  return (text) => pattern.test(text);
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
      why: `It holds launch settings of Accelerate (${says.join(", ")}) but no batch size: MemoryMark checks the script's own config instead.`
    };
  }
};

// engine/config/supplied.ts
var SETTINGS_PATH = ".github/memorymark.yml";
var suppliedKeys = ["model", "task", "sequence_length", "image_size", "labels", "gpus"];
var suppliedNames = {
  model: "model",
  task: "task",
  sequence_length: "sequence length",
  image_size: "image size",
  labels: "number of labels",
  gpus: "number of GPUs"
};
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
  /** Fields that the settings may supply, by their key there. */
  #suppliable = /* @__PURE__ */ new Map();
  /** `supplied` overrides the config. */
  constructor(path2, supplied = {}) {
    this.#path = path2;
    this.#supplied = supplied;
    this.#unread = new Set(suppliedKeys.filter((key2) => this.supplies(key2)));
  }
  supplies(key2) {
    return this.#supplied[key2] !== void 0;
  }
  /** What was supplied but has not been read so far. */
  get unread() {
    return [...this.#unread];
  }
  /** The field that a setting is read from: the one in the repository's settings, or else the config's own. */
  fieldFor(key2, written2) {
    const field = this.#supplied[key2];
    this.#unread.delete(key2);
    if (field === void 0) {
      if (written2 !== void 0) this.#suppliable.set(written2, key2);
      return written2;
    }
    const sentence = `The ${suppliedNames[key2]} is ${shown(field)}, as set in ${field.file ?? SETTINGS_PATH}.`;
    if (!this.assumptions.includes(sentence)) this.assume(sentence);
    return field;
  }
  assume(sentence) {
    this.assumptions.push(sentence);
  }
  /** Reads a setting, or uses its default if the field is missing or refused; records its origin either way. */
  settle(setting, field, read12, byDefault2) {
    if (field === void 0 || field.value.kind === "empty") {
      if (byDefault2.assumption !== void 0) this.assume(byDefault2.assumption);
      return this.note(setting, byDefault2.value, byDefault2.source);
    }
    const value = read12(field);
    return value === void 0 ? byDefault2.value : this.note(setting, value, field);
  }
  /** Reads a setting that is absent from the spec if the field is missing. */
  optional(setting, field, read12) {
    if (field === void 0 || field.value.kind === "empty") return void 0;
    const value = read12(field);
    return value === void 0 ? void 0 : this.note(setting, value, field);
  }
  /** Records where a value came from: a field, or a description. Returns the value. */
  note(setting, value, from) {
    this.decisions.push({
      setting,
      value,
      from: typeof from === "string" ? { kind: "default", source: from } : { kind: "field", field: from }
    });
    return value;
  }
  /** Without a field the problem is the whole file's. */
  refuse(field, code, message2, fix) {
    const where = field && { ...field.at, field: field.name };
    const file = field?.file ?? this.#path;
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ code, message: message2, fix, file, ...where });
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
      return this.refuse(field, "out-of-range", `${plain(field.source)} is less than ${count(min)}`, `Write ${range}.`);
    }
    if (value.number > max) {
      return this.refuse(field, "out-of-range", `${plain(field.source)} is more than ${count(max)}`, `Write ${range}.`);
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
  /** `offered`: the spellings that messages list, if `choices` accepts more. */
  choice(field, choices, offered = [...choices.keys()]) {
    const text = this.text(field);
    if (text === void 0) return void 0;
    if (choices.has(text)) return choices.get(text);
    return this.refuse(field, "unknown-value", `${quote(text)} is not a known value`, suggest(text, offered));
  }
  /** Not a mistake: the value is filled in when training starts. */
  #isOpen(field) {
    if (!isPlaceholder(field)) return false;
    const key2 = this.#suppliable.get(field);
    this.refuse(
      field,
      "not-in-file",
      `The value cannot be determined from the file: it is ${quote(field.source)}`,
      key2 === void 0 ? "Write the value into the config if you want it checked." : `Write the value into the config, ${orInSettings(key2)}.`
    );
    return true;
  }
};
function suggest(given, known2) {
  const meant = closest(given, known2);
  const use = `Use ${oneOf2(known2)}.`;
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
      return plain(source);
  }
}
function count(number41) {
  return number41.toLocaleString("en-US");
}

// engine/config/model-problem.ts
var bringConfig = "add the model's config.json to the repository, in a folder of that name or next to the training config";
function modelProblem(name, resolution) {
  switch (resolution.kind) {
    case "unknown":
      return {
        code: "unknown-model",
        message: `Unknown model ${quote(name)}`,
        fix: didYouMean(name) ?? `Use its Hugging Face Hub id, or ${bringConfig}.`
      };
    case "unsupported":
      return {
        code: "unsupported-architecture",
        message: `The architecture ${quote(resolution.architecture)} of the model ${quote(name)} is not supported`,
        fix: `Supported: ${oneOf2(supportedArchitectures)}. CONTRIBUTING.md says how to add another.`
      };
    case "invalid":
      return {
        code: "unusable-model-config",
        message: `The model ${quote(name)} cannot be read from ${quote(resolution.source)}: ${resolution.why}`,
        fix: "Use the config.json that save_pretrained wrote next to the weights."
      };
    case "refused":
      return {
        code: "model-refused",
        message: `The model ${quote(name)} is gated or private on the Hugging Face Hub`,
        fix: `Set HF_TOKEN to a token with access to it, or ${bringConfig}.`
      };
    case "unreachable":
      return {
        code: "hub-unreachable",
        message: `The model ${quote(name)} is not in the catalogue, and the Hugging Face Hub did not answer: ${resolution.why}`,
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
var COCO_LABELS = 80;
function nameIn(field) {
  return field?.value.kind === "empty" ? void 0 : new FieldReader("").text(field);
}
function readModel(reader, written2, expectedKey, lookUp) {
  const field = reader.fieldFor("model", written2);
  if (field === void 0 || field.value.kind === "empty") {
    return reader.refuse(
      field,
      "model-not-in-file",
      "The model cannot be determined from the file",
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
  const { code, message: message2, fix } = modelProblem(id, resolution);
  return reader.refuse(field, code, message2, fix);
}
function readUnwrittenTask(reader, model) {
  const field = reader.fieldFor("task", void 0);
  const task = reader.choice(field, new Map(tasks.map((task2) => [task2, task2])));
  if (task !== void 0) return checkTask(reader, field, task, model);
  reader.assume(`The task is ${model.defaultTask}: the config does not name one.`);
  return model.defaultTask;
}
function checkTask(reader, field, task, model) {
  if (!model.tasks.includes(task)) {
    reader.refuse(
      field,
      "unsupported-task",
      `The model ${quote(model.id)} is not supported for ${task}`,
      `Use ${oneOf2(model.tasks)}.`
    );
  }
  return task;
}
function readInputSize(reader, model, fields2) {
  const sequenceLength = reader.fieldFor("sequence_length", fields2.sequenceLength);
  const imageSize = reader.fieldFor("image_size", fields2.imageSize);
  const tokens = reader.wholeNumber(sequenceLength, { max: MAX_SEQUENCE });
  const pixels = reader.wholeNumber(imageSize, { max: MAX_IMAGE_SIDE });
  if (tokens !== void 0 && sequenceLength !== void 0) reader.note("sequenceLength", tokens, sequenceLength);
  if (pixels !== void 0 && imageSize !== void 0) reader.note("imageSize", pixels, imageSize);
  if (model === void 0) return {};
  const { imageSize: trainedPixels } = model;
  if (trainedPixels !== void 0) {
    if (imageSize === void 0) {
      reader.note("imageSize", trainedPixels, "as the model was trained");
      reader.assume(`Images of ${trainedPixels}×${trainedPixels} pixels: the config sets no image size.`);
    }
    return { imageSize: pixels ?? trainedPixels };
  }
  const trained = model.maxPositions ?? MAX_SEQUENCE;
  if (sequenceLength === void 0) return { sequenceLength: assumedLength(reader, trained, fields2.length) };
  if (tokens !== void 0 && tokens > trained) tellTooLong(reader, sequenceLength, tokens, model);
  return { sequenceLength: tokens ?? trained };
}
function tellTooLong(reader, field, tokens, model) {
  const { positionLimit, maxPositions } = model;
  if (positionLimit === void 0) {
    reader.assume(`${tokens} tokens, as written, although ${quote(model.id)} was trained on up to ${maxPositions}.`);
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
function readLabels(reader, written2, task, known2) {
  const field = reader.fieldFor("labels", written2);
  const labels = reader.wholeNumber(field, { max: MAX_LABELS }) ?? known2;
  if (labels !== void 0) return labels;
  switch (task) {
    case "sequence-classification":
      reader.assume("Two labels: the config sets no number of labels.");
      return 2;
    case "image-classification":
      reader.assume("1,000 labels, as in ImageNet: the config sets no number of labels.");
      return IMAGENET_LABELS;
    case "object-detection":
      reader.assume("80 classes, as in COCO: the config sets no number of labels.");
      return COCO_LABELS;
    case "masked-lm":
    case "causal-lm":
    case "seq2seq-lm":
    case void 0:
      return 2;
  }
}

// engine/config/training-config.ts
var stepInPytorch = { framework: "pytorch", step: "training" };
function trainingConfig(reader, config) {
  const { dialect, model, batchSize: batchSize2, accumulation } = config;
  const { task, microBatch, ...others3 } = config.spec;
  if (model === void 0 || task === void 0 || microBatch === void 0 || reader.problems.length > 0) {
    return { kind: "unreadable", problems: reader.problems };
  }
  return {
    kind: "training-config",
    dialect,
    model,
    spec: { model: model.id, task, microBatch, ...others3 },
    ...batchSize2 && { batchSizeAt: batchSize2.at },
    ...accumulation && { gradientAccumulationAt: accumulation.at },
    assumptions: reader.assumptions
  };
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
function languageModelReading(reader, config) {
  const { model, batch, settings } = config;
  const size2 = divided(reader, readSequence(reader, model, config.sequence), config.sequence);
  const { task, labels } = taskOfMethod(settings.method);
  if (model !== void 0 && !model.tasks.includes(task)) {
    reader.refuse(
      void 0,
      "unsupported-task",
      `The model ${quote(model.id)} is not supported for ${task}`,
      "Use a decoder model, or exclude this config from the check."
    );
  }
  return trainingConfig(reader, {
    dialect: config.dialect,
    model,
    spec: {
      ...stepInPytorch,
      task,
      microBatch: batch.microBatch,
      gradientAccumulation: batch.gradientAccumulation,
      ...size2,
      labels,
      ...present(settings),
      // None of these tools' loops keeps the logits or a key/value cache through the backward pass.
      loop: "trainer"
    },
    batchSize: batch.batchSize,
    accumulation: batch.accumulation
  });
}
function taskOfMethod(method) {
  if (method?.kind !== "reward" || method.head === "value") return { task: "causal-lm", labels: 2 };
  return { task: "sequence-classification", labels: method.head === "steps" ? 2 : 1 };
}
function present(settings) {
  const {
    optimizerInBackward,
    lora,
    trainable,
    images,
    trainsTowers: trainsTowers2,
    quantization,
    quantizedExperts,
    expertStyle,
    fakeQuantization,
    float8,
    tensorParallel,
    expertParallel,
    ...others3
  } = settings;
  const { sharding, zero, syncsEveryMicroBatch, offload, fusedLoss, method, dropout, ...always } = others3;
  return {
    ...always,
    ...optimizerInBackward && { optimizerInBackward },
    ...lora && { lora },
    ...trainable && { trainable },
    ...images && { images },
    ...trainsTowers2 && { trainsTowers: trainsTowers2 },
    ...quantization && { quantization },
    ...quantizedExperts && { quantizedExperts },
    ...expertStyle && { expertStyle },
    ...fakeQuantization && { fakeQuantization },
    ...float8 && { float8 },
    ...tensorParallel && { tensorParallel },
    ...expertParallel && { expertParallel },
    ...sharding && { sharding },
    ...zero && { zero },
    ...syncsEveryMicroBatch && { syncsEveryMicroBatch },
    ...offload && { offload },
    ...fusedLoss !== void 0 && { fusedLoss },
    ...method && { method },
    ...dropout !== void 0 && { dropout }
  };
}
function divided(reader, size2, { dividedBy = 1 }) {
  if (size2.sequenceLength === void 0 || dividedBy === 1) return size2;
  const sequenceLength = Math.ceil(size2.sequenceLength / dividedBy);
  reader.assume(
    `Each of ${dividedBy} GPUs holds ${sequenceLength} of the ${size2.sequenceLength} tokens of a sequence; their communication buffers are not counted.`
  );
  return { sequenceLength };
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

// engine/models/expert-names.ts
var qwen = { up: ["gate_proj", "up_proj"], down: "down_proj", router: "gate" };
var mixtral2 = { up: ["w1", "w3"], down: "w2", router: "gate" };
var byFamily = {
  mixtral: mixtral2,
  minimax_m2: mixtral2,
  qwen3_moe: qwen,
  qwen3_next: qwen,
  olmoe: qwen,
  deepseek_v2: qwen,
  deepseek_v3: qwen,
  deepseek_v32: qwen,
  glm_moe_dsa: qwen,
  glm4_moe: qwen,
  glm4_moe_lite: qwen,
  afmoe: qwen
};
function expertNamesOf(config) {
  return byFamily[config.model_type];
}

// engine/config/trainer/adapter-targets.ts
var attention7 = ["q_proj", "k_proj", "v_proj", "o_proj"];
var gated3 = { all: [...attention7, "gate_proj", "up_proj", "down_proj"] };
var deltaNet3 = ["in_proj_qkv", "in_proj_z", "in_proj_b", "in_proj_a", "out_proj"];
var lfm22 = ["q_proj", "k_proj", "v_proj", "out_proj", "in_proj", "w1", "w2", "w3"];
var latent = [
  "q_proj",
  "q_a_proj",
  "q_b_proj",
  "kv_a_proj_with_mqa",
  "kv_b_proj",
  "o_proj",
  "gate_proj",
  "up_proj",
  "down_proj"
];
var glmVision2 = { all: [...gated3.all, "gate_up_proj", "qkv", "proj"] };
var llama3 = { ...gated3, usual: ["q_proj", "v_proj"] };
var layerInputs2 = ["per_layer_input_gate", "per_layer_projection", "per_layer_model_projection"];
var altUp = ["modality_router", "prediction_coefs", "correction_coefs", "0", "1", "2"];
var gemma3nText = [...gated3.all, ...layerInputs2, ...altUp, "linear_left", "linear_right"];
var gemma3nAudio2 = [
  "ffw_layer_1",
  "ffw_layer_2",
  "pos_proj",
  "post",
  "linear_start",
  "linear_end",
  "input_proj_linear"
];
function gemma4Linears(config) {
  const { text_config: text, vision_config: vision, audio_config: audio } = config;
  const all = [
    ...gated3.all,
    ...text.hidden_size_per_layer_input > 0 ? layerInputs2 : [],
    ...text.enable_moe_block ? ["proj"] : [],
    ...vision || audio ? ["linear", "embedding_projection"] : [],
    ...vision ? ["input_proj"] : [],
    ...audio ? ["relative_k_proj", "output_proj", "input_proj_linear"] : []
  ];
  return { all, usual: ["q_proj", "v_proj"] };
}
function nemotronHLinears(config) {
  const kinds2 = blockKindsOf(config);
  const has = (kind, linears3) => kinds2.includes(kind) ? linears3 : [];
  const latentProjections = config.moe_latent_size ? ["fc1_latent_proj", "fc2_latent_proj"] : [];
  const feedForward9 = kinds2.includes("moe") || kinds2.includes("mlp") ? ["up_proj", "down_proj"] : [];
  const all = [
    ...has("full_attention", attention7),
    ...has("linear_attention", ["in_proj"]),
    ...feedForward9,
    ...has("moe", latentProjections)
  ];
  return { all };
}
function graniteHybridLinears(config) {
  const layers2 = Array.from({ length: config.num_hidden_layers }, (_, index) => isMambaLayer(config, index));
  const all = [
    ...layers2.includes(false) ? attention7 : [],
    ...layers2.includes(true) ? ["in_proj"] : [],
    "input_linear",
    "output_linear"
  ];
  return { all };
}
var linears2 = {
  llama: llama3,
  mistral: llama3,
  qwen2: llama3,
  qwen3: llama3,
  gemma: llama3,
  gemma2: llama3,
  gemma3_text: llama3,
  stablelm: llama3,
  ministral3: gated3,
  smollm3: gated3,
  seed_oss: gated3,
  granite: gated3,
  olmo2: gated3,
  olmo3: gated3,
  hunyuan_v1_dense: gated3,
  ernie4_5: gated3,
  arcee: { all: [...attention7, "up_proj", "down_proj"] },
  nemotron: { all: [...attention7, "up_proj", "down_proj"] },
  apertus: { all: [...attention7, "up_proj", "down_proj"] },
  cohere: gated3,
  cohere2: gated3,
  mimo: { all: [...gated3.all, "input_proj"] },
  glm4: { all: [...attention7, "gate_up_proj", "down_proj"] },
  starcoder2: { all: [...attention7, "c_fc", "c_proj"] },
  lfm2: { all: lfm22 },
  lfm2_moe: { all: lfm22 },
  lfm2_vl: { all: [...lfm22, "fc1", "fc2", "linear_1", "linear_2"] },
  kimi_linear: { all: [...latent, "k_proj", "v_proj", "f_a_proj", "f_b_proj", "b_proj", "g_a_proj", "g_b_proj"] },
  minimax_m2: { all: attention7 },
  afmoe: { all: [...gated3.all, "gate"] },
  mixtral: { all: attention7, usual: ["q_proj", "v_proj"] },
  qwen2_moe: { all: [...gated3.all, "shared_expert_gate"] },
  qwen3_moe: { all: attention7 },
  olmoe: { all: attention7 },
  qwen3_next: { all: [...gated3.all, "shared_expert_gate", "in_proj_qkvz", "in_proj_ba", "out_proj"] },
  gpt_oss: { all: attention7 },
  glm4_moe: { all: gated3.all },
  deepseek_v2: { all: latent },
  deepseek_v3: { all: latent },
  deepseek_v32: { all: [...latent, "wq_b", "wk", "weights_proj"] },
  glm_moe_dsa: { all: [...latent, "wq_b", "wk", "weights_proj"] },
  glm4_moe_lite: { all: latent },
  mistral4: { all: latent },
  qwen3_5: { all: [...gated3.all, ...deltaNet3, "qkv", "proj", "linear_fc1", "linear_fc2"] },
  qwen3_5_moe: { all: [...gated3.all, ...deltaNet3, "shared_expert_gate", "qkv", "proj", "linear_fc1", "linear_fc2"] },
  jamba: { all: [...gated3.all, "in_proj", "x_proj", "dt_proj", "out_proj"] },
  falcon_h1: { all: [...gated3.all, "in_proj"] },
  granitemoe: { all: attention7 },
  granitemoeshared: { all: [...attention7, "input_linear", "output_linear"] },
  gemma3n: { all: [...gemma3nText, ...gemma3nAudio2, "embedding_projection"] },
  gemma3n_text: { all: gemma3nText },
  gemma4_text: gated3,
  gemma4_unified: { all: [...gated3.all, "patch_dense", "embedding_projection"] },
  gemma3: { all: [...gated3.all, "out_proj", "fc1", "fc2"] },
  smolvlm: { all: [...gated3.all, "out_proj", "fc1", "fc2", "proj"] },
  idefics3: { all: [...gated3.all, "out_proj", "fc1", "fc2", "proj"] },
  llama4: { all: [...gated3.all, "linear", "fc1", "fc2", "linear_1"] },
  mllama: { all: [...gated3.all, "fc1", "fc2", "multi_modal_projector"] },
  mistral3: { all: [...gated3.all, "merging_layer", "linear_1", "linear_2"] },
  qwen2_vl: { all: [...gated3.all, "qkv", "proj", "fc1", "fc2", "0", "2"] },
  qwen2_5_vl: { all: [...gated3.all, "qkv", "proj", "0", "2"] },
  qwen3_vl: { all: [...gated3.all, "qkv", "proj", "linear_fc1", "linear_fc2"] },
  qwen3_vl_moe: { all: [...attention7, "qkv", "proj", "linear_fc1", "linear_fc2"] },
  glm4v: glmVision2,
  glm46v: glmVision2,
  moss_vl: { all: [...gated3.all, "qkv", "proj", "linear_fc1", "linear_fc2"] },
  internvl: { all: [...gated3.all, "projection_layer", "fc1", "fc2", "linear_1", "linear_2"] },
  paddleocr_vl: { all: [...gated3.all, "out_proj", "fc1", "fc2", "linear_1", "linear_2"] },
  llava: { all: [...gated3.all, "out_proj", "fc1", "fc2", "linear_1", "linear_2"] },
  voxtral: { all: [...gated3.all, "out_proj", "fc1", "fc2", "linear_1", "linear_2"] },
  phi: { all: ["q_proj", "k_proj", "v_proj", "dense", "fc1", "fc2"], usual: ["q_proj", "v_proj", "fc1", "fc2"] },
  phi3: { all: ["qkv_proj", "o_proj", "gate_up_proj", "down_proj"], usual: ["qkv_proj"] },
  gpt2: { all: ["c_attn", "c_proj", "c_fc"], usual: ["c_attn"] },
  gpt_bigcode: { all: ["c_attn", "c_proj", "c_fc"], usual: ["c_attn"] },
  gptj: { all: ["q_proj", "k_proj", "v_proj", "out_proj", "fc_in", "fc_out"], usual: ["q_proj", "v_proj"] },
  gpt_neo: { all: ["q_proj", "k_proj", "v_proj", "out_proj", "c_fc", "c_proj"], usual: ["q_proj", "v_proj"] },
  gpt_neox: { all: ["query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h"], usual: ["query_key_value"] },
  falcon: { all: ["query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h"], usual: ["query_key_value"] },
  opt: { all: ["q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"], usual: ["q_proj", "v_proj"] }
};
function expertTargetsOf({ config }) {
  const names = expertNamesOf(config);
  return names === void 0 ? [] : [...names.up, names.down];
}
function linearsOf({ family, config }) {
  switch (config.model_type) {
    case "gemma4":
      return gemma4Linears(config);
    case "nemotron_h":
      return nemotronHLinears(config);
    case "granitemoehybrid":
      return graniteHybridLinears(config);
    default:
      return commonLinearsOf(family, config);
  }
}
function commonLinearsOf(family, config) {
  const found = linears2[family];
  if (found === void 0) return void 0;
  if ("text_config" in config && "kv_lora_rank" in config.text_config) {
    return { all: [.../* @__PURE__ */ new Set([...latent, ...found.all])] };
  }
  if (!("q_lora_rank" in config || "kv_lora_rank" in config)) return found;
  const absent = config.q_lora_rank ? ["q_proj"] : ["q_a_proj", "q_b_proj"];
  return { all: found.all.filter((linear2) => !absent.includes(linear2)) };
}

// engine/config/trainer/layer-pattern.ts
var MAX_NAMES = 200;
var MAX_CHARACTERS2 = 1e3;
var MAX_DEPTH2 = 20;
var GAP = ".";
function lastNamesOf(pattern) {
  if (pattern.length > MAX_CHARACTERS2) return void 0;
  const spellings = new PatternReader(pattern).read();
  const names = spellings?.map((spelling) => spelling.slice(spelling.lastIndexOf(GAP) + 1));
  return names?.every((name) => /^\w+$/.test(name)) ? [...new Set(names)] : void 0;
}
function isPattern(text) {
  return /[\\()[\]*+?|^$]/.test(text);
}
var PatternReader = class {
  #pattern;
  #at = 0;
  #depth = 0;
  constructor(pattern) {
    this.#pattern = pattern;
  }
  read() {
    const spellings = this.#alternatives();
    return this.#at === this.#pattern.length ? spellings : void 0;
  }
  #alternatives() {
    const found = [];
    do {
      const spellings = this.#sequence();
      if (spellings === void 0) return void 0;
      found.push(...spellings);
    } while (this.#take("|") && found.length <= MAX_NAMES);
    return found.length <= MAX_NAMES ? found : void 0;
  }
  #sequence() {
    let spellings = [""];
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#next)) {
      const part = this.#quantified();
      if (part === void 0 || spellings.length * part.length > MAX_NAMES) return void 0;
      spellings = spellings.flatMap((start) => part.map((end) => start + end));
    }
    return spellings;
  }
  #quantified() {
    const part = this.#part();
    if (this.#take("?")) return part && ["", ...part];
    const repeats = /^(?:[*+]|\{\d*,?\d*\})\??/.exec(this.#pattern.slice(this.#at))?.[0];
    if (repeats === void 0) return part;
    this.#at += repeats.length;
    return [GAP];
  }
  #part() {
    if (this.#take("(")) return this.#group();
    if (this.#take("[")) return this.#class();
    if (this.#take("\\")) return [this.#escaped()];
    const character = this.#next;
    this.#at++;
    if (character === "^" || character === "$") return [""];
    return [/\w/.test(character) ? character : GAP];
  }
  #group() {
    this.#take("?:");
    if (this.#next === "?" || ++this.#depth > MAX_DEPTH2) return void 0;
    const spellings = this.#alternatives();
    this.#depth--;
    return this.#take(")") ? spellings : void 0;
  }
  /** `[12]` is one of its characters; ranges and negations are left open. */
  #class() {
    const end = this.#pattern.indexOf("]", this.#at + 1);
    if (end < 0) return void 0;
    const characters = this.#pattern.slice(this.#at, end);
    this.#at = end + 1;
    return /^\w+$/.test(characters) ? [...characters] : [GAP];
  }
  #escaped() {
    this.#at++;
    return GAP;
  }
  get #next() {
    return this.#pattern.charAt(this.#at);
  }
  #take(text) {
    const starts = this.#pattern.startsWith(text, this.#at);
    if (starts) this.#at += text.length;
    return starts;
  }
};

// engine/config/trainer/adapter.ts
var MAX_RANK = 1e4;
var MAX_TARGETS = 100;
var everyLinear = /* @__PURE__ */ new Set(["all_linear", "all"]);
var PEFT_EVERY_LINEAR = "all-linear";
function readLora(reader, model, fields2) {
  const rank = fields2.rank ? reader.wholeNumber(fields2.rank, { max: MAX_RANK }) : fields2.defaultRank.value;
  const dropout = fields2.dropout ? reader.share(fields2.dropout) : fields2.defaultDropout;
  if (fields2.rank === void 0 && fields2.defaultRank.assumption !== void 0) {
    reader.assume(fields2.defaultRank.assumption);
  }
  if (model === void 0 || rank === void 0 || dropout === void 0) return void 0;
  const { parameters = [] } = fields2;
  const isOnExpertsAlone = parameters.length > 0 && fields2.targets === "usual";
  const targets = isOnExpertsAlone ? [] : targetsIn(reader, model, fields2);
  if (targets === void 0) return void 0;
  const whole = readModulesToSave(reader, fields2.modulesToSave);
  const { form, inWeightsType } = fields2;
  const lora = {
    ...{ rank, targets: [...targets], dropout },
    ...parameters.length > 0 && { parameters: [...parameters] },
    ...inWeightsType && { inWeightsType },
    ...form && { form },
    ...whole.length > 0 && { modulesToSave: [...whole] }
  };
  return reader.note("lora", lora, fields2.rank ?? fields2.defaultRank.source);
}
function readModulesToSave(reader, field) {
  const names = (field && (namesIn(field) ?? reader.text(field)?.split(","))) ?? [];
  const last = names.map((name) => name.trim().split(".").at(-1) ?? "").filter((name) => name !== "");
  const copied = ["embed_tokens", "lm_head", "embed_out", "wte", "embed_in"];
  const others3 = last.filter((name) => !copied.includes(name));
  if (field !== void 0 && others3.length > 0) {
    const message2 = `Training ${oneOf2(others3.slice(0, MAX_TARGETS).map(quote))} in full alongside adapters is not modelled yet`;
    reader.refuse(field, "unsupported-setting", message2, `Name embeddings or output layers: ${oneOf2(copied)}.`);
  }
  return last.filter((name) => copied.includes(name));
}
function targetsIn(reader, model, { targets, targetField }) {
  const linears3 = linearsOf(model);
  if (linears3 === void 0) {
    return reader.refuse(
      targetField,
      "unsupported-setting",
      `Adapters on ${model.family} models are not modelled yet`,
      "Exclude this config for now: add it to ignore in .github/memorymark.yml."
    );
  }
  const ofExperts = expertTargetsOf(model);
  if (targets === "all") return linears3.all;
  if (targets === "all-linear") return [.../* @__PURE__ */ new Set([...linears3.all, ...ofExperts])];
  if (targets === "usual") return usualTargets(reader, model, linears3, targetField);
  const found = [.../* @__PURE__ */ new Set([...linears3.all, ...ofExperts])].filter((name) => targets.includes(name));
  if (found.length > 0) return found;
  return reader.refuse(
    targetField,
    "no-such-lora-target",
    `${quote(model.id)} has no linear layer named ${oneOf2(targets.slice(0, MAX_TARGETS).map(quote))}`,
    `Use some of ${linears3.all.join(", ")}.`
  );
}
function usualTargets(reader, model, { all, usual }, targetField) {
  if (usual !== void 0) {
    reader.assume(`Adapters on ${usual.join(" and ")}, peft's default: the config names no layers.`);
    return usual;
  }
  return reader.refuse(
    targetField,
    "no-such-lora-target",
    `peft has no default target modules for ${model.family} models`,
    `Use some of ${all.join(", ")}.`
  );
}
function readTargets(reader, field) {
  if (field === void 0 || field.value.kind === "empty") return void 0;
  const listed = namesIn(field);
  const text = listed === void 0 ? reader.text(field) : void 0;
  if (text !== void 0 && isPattern(text) && !text.includes(",")) return patternTargets(reader, field, text);
  const names = listed ?? text?.split(",");
  if (names === void 0) return void 0;
  const trimmed = names.map((name) => name.trim()).filter((name) => name !== "");
  if (trimmed.includes(PEFT_EVERY_LINEAR)) return PEFT_EVERY_LINEAR;
  if (trimmed.some((name) => everyLinear.has(name))) return "all";
  return [...new Set(trimmed.flatMap((name) => name.match(/[A-Za-z_0-9]+/g)?.slice(-8) ?? []))].slice(0, MAX_TARGETS);
}
function patternTargets(reader, field, pattern) {
  const names = lastNamesOf(pattern);
  if (names !== void 0) return names.slice(0, MAX_TARGETS);
  return reader.refuse(
    field,
    "not-in-file",
    `Which layers get adapters cannot be determined from the file: the pattern ${quote(pattern)} does not end in layer names`,
    "List the names of the layers, such as [q_proj, v_proj]."
  );
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
    (present3) => {
      choice = implementation(reader, present3) ?? fusedAttention;
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
      `${quote(name)} is not a known value`,
      suggest(name, [...implementations.keys()])
    );
  }
  const shown2 = known2 === void 0 ? quote(name) : name;
  reader.assume(`${shown2} is counted as sdpa: both kernels use the same memory.`);
  return flashAttention;
}

// engine/config/trainer/method.ts
var ordinary = {};
var references2 = {
  none: "there is no reference model",
  "adapters-off": "the reference is the same model with its adapters disabled",
  copy: "the reference is a frozen copy of the model"
};
function preference(reader, field, terms) {
  const { reference: reference2, style, withCrossEntropy = false, keepsDropout = false } = terms;
  reader.assume(
    `Each sample is two sequences, the chosen and the rejected response, in one forward pass; ${references2[reference2]}.`
  );
  const method = { kind: "preference", reference: reference2, logProbabilities: style, withCrossEntropy };
  return noted(reader, field, method, keepsDropout);
}
function kto(reader, field, { reference: reference2, style }) {
  reader.assume(
    `KTO: with each sample, an unrelated response also goes through the model, without gradients; ${references2[reference2]}.`
  );
  return noted(reader, field, { kind: "kto", reference: reference2, logProbabilities: style }, false);
}
var heads = {
  score: "Each sample is two sequences, the chosen and the rejected response; a score head replaces the output layer.",
  value: "Each sample is two sequences, the chosen and the rejected response; a value head is added next to the output layer.",
  steps: "A head that scores every step replaces the output layer."
};
function reward(reader, field, head2) {
  reader.assume(heads[head2]);
  return noted(reader, field, { kind: "reward", head: head2 }, head2 === "value");
}
function noted(reader, field, method, keepsDropout) {
  reader.note("method", method, field);
  return keepsDropout ? { method } : { method, dropout: reader.note("dropout", false, "disabled by the method") };
}
function anchored(reader, field) {
  reader.assume("A frozen copy of the model processes the same batch, and its logits are held at the same time.");
  return noted(reader, field, { kind: "anchored" }, true);
}
function denoising(reader, field) {
  reader.assume(
    "Every token is counted as masked, as in the heaviest diffusion step; samples generated between steps are not counted."
  );
  return noted(reader, field, { kind: "denoising" }, true);
}
function distillation(reader, field, teacher, chunks2) {
  reader.assume(
    `The teacher ${quote(teacher)} processes the same batch without gradients, and its logits are held at the same time as the student's.`
  );
  return noted(reader, field, { kind: "distillation", teacher, chunks: chunks2 }, true);
}
function refuseGeneration(reader, field, name) {
  reader.refuse(
    field,
    "unsupported-training",
    `The memory that ${quote(name)} needs for generation is not modelled: vLLM's share of the GPU or the key/value cache, and the models that judge the completions`,
    "Exclude this config: add it to ignore in .github/memorymark.yml."
  );
  return ordinary;
}
function isOn(reader, field) {
  return field !== void 0 && reader.flag(field) === true;
}

// engine/config/trainer/float8.ts
function readFloat8(reader, field) {
  return isOn(reader, field) ? reader.note("float8", true, field) : void 0;
}

// engine/config/trainer/images.ts
function oneImage(model) {
  if (model?.config.model_type !== "mllama") return void 0;
  return { tiles: model.config.vision_config.max_num_tiles, checkpointed: "decoder" };
}
function trainsTowers(model) {
  if (model === void 0 || model.config.model_type === "mllama") return void 0;
  return seesImages(model.config) || hears(model.config) ? true : void 0;
}
function imageOfEverySample(model) {
  return model?.config.model_type === "moss_vl" ? { tiles: 1, checkpointed: "decoder" } : void 0;
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
  ["rmsprop", "rmsprop"],
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
  [
    "adamw_torch_4bit",
    ["adamw-8bit", "4-bit AdamW is counted as 8-bit: the estimate is up to 1 byte per parameter high."]
  ],
  [
    "ao_adamw_4bit",
    ["adamw-8bit", "4-bit AdamW is counted as 8-bit: the estimate is up to 1 byte per parameter high."]
  ],
  ["ao_adamw_8bit", ["adamw-8bit", "torchao's 8-bit AdamW is counted like bitsandbytes'."]],
  [
    "muon",
    ["adamw-fused", "Muon keeps one momentum per matrix but is counted with AdamW's two: the estimate is high."]
  ],
  ["lion_8bit", ["lion", "Lion's 8-bit state is counted at the width of the parameters."]],
  ["paged_lion", ["lion", "Lion's paged state is counted on the GPU."]],
  ["paged_lion_32bit", ["lion", "Lion's paged state is counted on the GPU."]],
  ["paged_lion_8bit", ["lion", "Lion's paged 8-bit state is counted on the GPU, at the width of the parameters."]]
]);
var unsupported = [
  ...["adagrad", "rmsprop_bnb", "rmsprop_bnb_8bit", "rmsprop_bnb_32bit", "adamw_anyprecision"],
  ...["adamw_torch_xla", "adamw_torch_npu_fused", "ademamix", "ademamix_8bit", "paged_ademamix_32bit"],
  ...["paged_ademamix_8bit", "galore_adamw", "galore_adamw_8bit", "galore_adafactor", "galore_adamw_layerwise"],
  ...["galore_adamw_8bit_layerwise", "galore_adafactor_layerwise", "lomo", "adalomo", "grokadamw"],
  ...["schedule_free_radam", "schedule_free_adamw", "schedule_free_sgd", "apollo_adamw", "apollo_adamw_layerwise"],
  ...["stable_adamw", "optimi_adamw", "adopt_adamw", "came_pytorch", "dion", "ao_adamw_fp8"]
];
var trainerDefault = {
  value: "adamw-fused",
  source: "the Trainer's default from PyTorch 2.8 on",
  assumption: "Fused AdamW, the Trainer's default from PyTorch 2.8 on: the config sets no optim."
};
function readTrainerOptimizer(reader, field, byDefault2 = trainerDefault) {
  return reader.settle("optimizer", field, (present3) => trainerOptimizer(reader, present3), byDefault2);
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
  const use = `Supported: ${oneOf2([...trainerOptimizers.keys()])}.`;
  if (unsupported.includes(name)) {
    return reader.refuse(field, "unsupported-optimizer", `The optimizer ${quote(name)} is not supported yet`, use);
  }
  const meant = closest(name, [...trainerOptimizers.keys(), ...heavierKin.keys(), ...unsupported]);
  const fix = meant === void 0 ? use : `Did you mean ${meant}? ${use}`;
  return reader.refuse(field, "unknown-optimizer", `Unknown optimizer ${quote(name)}`, fix);
}

// engine/config/trainer/tensor-parallel.ts
function readTensorParallel(reader, field, dividesTokens) {
  const gpus2 = reader.wholeNumber(field, { max: 1e3 }) ?? 1;
  if (field === void 0 || gpus2 === 1) return void 0;
  reader.assume(
    `Each of ${gpus2} GPUs holds its part of every layer's matrices; their communication buffers are not counted.`
  );
  return reader.note("tensorParallel", { gpus: gpus2, dividesTokens }, field);
}

// engine/config/trainer/trained-part.ts
var MAX_NAMES2 = 200;
var leaveOut = "Exclude this config for now: add it to ignore in .github/memorymark.yml.";
function readUnfrozen(reader, field, checkpoints) {
  if (field?.value.kind !== "list" || field.value.items.length === 0) return void 0;
  const written2 = field.value.items.flatMap((item) => item.kind === "text" ? [item.text] : []).slice(0, MAX_NAMES2);
  const names = written2.map((text) => text.replace(/\[\d*(?::\d*)?\]$/, "").replaceAll(/\.(?!\+)/g, "\\."));
  const strange = written2.filter((_, index) => parameterPattern(names[index] ?? "") === void 0);
  if (strange.length > 0 || names.length === 0) {
    const message2 = `Which parameters train cannot be determined from ${oneOf2(strange.map(quote))}`;
    const fix = "Write names with character classes and at most two repetitions, such as model.layers.3[01].mlp.";
    return reader.refuse(field, "unsupported-setting", message2, fix);
  }
  reader.assume(
    "The parameters that unfrozen_parameters matches by their names in transformers 5 train; names from an older version (block_sparse_moe) match nothing."
  );
  const inputGradients = checkpoints || written2.some((text) => /lm_head|embed_tokens/.test(text));
  return reader.note("trainable", { names, inputGradients }, field);
}
function readLisa(reader, field, checkpoints) {
  const count2 = reader.wholeNumber(field, { max: MAX_NAMES2 - 3 });
  if (field === void 0 || count2 === void 0) return void 0;
  const names = [
    ...["lm_head", String.raw`model\.embed_tokens`, String.raw`model\.norm`],
    ...Array.from({ length: count2 }, (_, index) => String.raw`model\.layers\.${index}\.`)
  ];
  reader.assume(`${count2} blocks train at a time; the optimizer state of all blocks is counted, because LISA keeps it.`);
  return reader.note("trainable", { names, inputGradients: checkpoints, inTurns: true }, field);
}
function readBlockwise(reader, document, field) {
  const [mode, order] = [document.at("badam_mode"), document.at("badam_switch_mode")];
  const other = [mode, order].find((found) => found?.source === "ratio" || found?.source === "fixed");
  if (other !== void 0) {
    return reader.refuse(other, "unsupported-training", `${other.key}: ${other.source} is not modelled yet`, leaveOut);
  }
  reader.assume("BAdam trains one block at a time; the first is counted, with no block above it checkpointed.");
  return reader.note("trainable", { names: [String.raw`.*layers\.0\.`], inputGradients: false }, field);
}
function readFreeze(reader, model, { from, layers: layers2, modules, extraModules, inputGradients }) {
  const count2 = layers2 === void 0 ? 2 : reader.wholeNumber(layers2, { min: -MAX_NAMES2, max: MAX_NAMES2 });
  const [inside, beside2] = [namesIn2(reader, modules), namesIn2(reader, extraModules)];
  if (model === void 0 || count2 === void 0) return void 0;
  const blocks = blocksOf(model);
  if (blocks === void 0) {
    const message2 = `Training only some blocks of ${model.family} models is not modelled yet`;
    return reader.refuse(from, "unsupported-training", message2, leaveOut);
  }
  const trained = Math.min(Math.abs(count2), blocks);
  const first = count2 > 0 ? blocks - trained : 0;
  const wanted = inside.includes("all") || inside.length === 0 ? [""] : inside;
  const names = Array.from({ length: trained }, (_, index) => first + index).flatMap(
    (block3) => wanted.map((module) => String.raw`.*\.${block3}\.${module}`)
  );
  const all = [...names, ...beside2.map((name) => `.*${name}`)];
  if (all.length > MAX_NAMES2 || all.length === 0) {
    return reader.refuse(
      from,
      "unsupported-training",
      `Training ${all.length} separate parts is not modelled`,
      leaveOut
    );
  }
  return reader.note("trainable", { names: all, inputGradients }, from);
}
function namesIn2(reader, field) {
  if (field === void 0) return [];
  const listed = field.value.kind === "list" ? field.value.items.flatMap((item) => item.source) : void 0;
  const names = (listed ?? reader.text(field)?.split(",") ?? []).map((name) => name.trim()).filter((name) => name !== "");
  const strange = names.filter((name) => !/^\w{1,50}$/.test(name));
  if (strange.length === 0) return names;
  return reader.refuse(
    field,
    "unknown-value",
    `${oneOf2(strange.map(quote))} does not name a module`,
    "Write names such as mlp."
  ) ?? [];
}
function blocksOf({ config }) {
  if ("num_hidden_layers" in config) return config.num_hidden_layers;
  return "n_layer" in config ? config.n_layer : void 0;
}

// engine/config/dialects/axolotl/adapters.ts
function readTrainable(reader, document, checkpoints) {
  const unfrozen = readUnfrozen(reader, document.at("unfrozen_parameters"), checkpoints);
  if (unfrozen !== void 0 || document.at("lisa_step_interval") === void 0) return unfrozen;
  return readLisa(reader, document.at("lisa_n_layers"), checkpoints);
}
function readsAdapter(reader, field) {
  const adapter = reader.text(field);
  if (adapter === void 0 || adapter === "") return false;
  if (adapter === "lora" || adapter === "qlora") return true;
  reader.refuse(field, "unsupported-setting", `The adapter ${quote(adapter)} is not modelled yet`, "Use lora or qlora.");
  return true;
}
function areLowered(document, { method }) {
  const isQuantised = ["load_in_4bit", "load_in_8bit"].some((key2) => {
    const value = document.at(key2)?.value;
    return value?.kind === "flag" && value.flag;
  });
  return method?.kind === "answers" && isQuantised;
}
function targetsOf(reader, document) {
  const isAll = reader.flag(document.at("lora_target_linear")) === true;
  return isAll ? "all" : readTargets(reader, document.at("lora_target_modules")) ?? "usual";
}

// engine/config/trainer/answers.ts
var DEFAULT_ANSWER_LENGTH = 512;
var DEFAULT_PER_PROMPT = 8;
function readAnswers(reader, field, fields2, terms) {
  const {
    generation,
    step: step3,
    hasAdapter,
    comparesFeatures = false,
    tempersInPlace,
    defaultBeta = 0,
    copiesAdapters = false
  } = terms;
  if (namesRewardModel(reader, fields2.rewards)) return ordinary;
  if (isOn(reader, fields2.liger)) {
    reader.assume(
      "The logits are counted in full, although Liger's loss processes them in chunks: the estimate is high."
    );
  }
  const tokens = fields2.answerLength && reader.wholeNumber(fields2.answerLength, { max: 1e7 });
  const answerLength = tokens ?? DEFAULT_ANSWER_LENGTH;
  const all = fields2.perGeneration && reader.wholeNumber(fields2.perGeneration, { max: MAX_BATCH });
  const count2 = all === void 0 ? step3.samples : Math.max(1, Math.floor(all / step3.gpus));
  if (count2 > MAX_BATCH) {
    const message2 = `${count2} completions at a time are more than any GPU can hold`;
    reader.refuse(field, "out-of-range", message2, `Use at most ${MAX_BATCH}.`);
    return ordinary;
  }
  const diverges = fields2.beta === void 0 ? defaultBeta !== 0 : isNotZero(fields2.beta);
  const hasReference = diverges || comparesFeatures;
  const ofAdapters = copiesAdapters && !comparesFeatures ? "adapters-copy" : "adapters-off";
  const reference2 = hasReference ? hasAdapter ? ofAdapters : "copy" : "none";
  if (comparesFeatures && diverges && !hasAdapter) {
    const message2 = "A reference model in addition to the frozen feature network is not modelled yet";
    reader.refuse(fields2.beta, "unsupported-training", message2, "Train adapters, or set beta: 0.");
    return ordinary;
  }
  tell(reader, { ...fields2, answerLength, count: count2, generation, reference: reference2, gpus: step3.gpus });
  const method = {
    kind: "answers",
    reference: reference2,
    answerLength,
    count: count2,
    generation,
    tempersInPlace,
    comparesFeatures
  };
  reader.note("method", method, field);
  return { method };
}
var references3 = {
  none: "No reference model is loaded, because beta is 0.",
  "adapters-off": "The reference is the same model with its adapters disabled.",
  "adapters-copy": "The reference is the same model with a frozen copy of its adapters.",
  copy: "The reference is a frozen copy of the model."
};
function tell(reader, { answerLength, count: count2, generation, reference: reference2, perPrompt, gpus: gpus2 }) {
  reader.assume(
    `Sequences end in completions of up to ${answerLength} tokens; prompt lengths depend on the data. ${references3[reference2]}`
  );
  reader.assume(generations(generation, count2));
  reader.assume(
    "Throughput is that of the training step; the time that generation takes is not modelled. Reward functions are assumed to use no GPU memory."
  );
  reader.assume(
    "Recommendations keep the effective batch: it is the number of completions that are generated and compared at a time."
  );
  const group = (perPrompt && reader.wholeNumber(perPrompt, { max: MAX_BATCH })) ?? DEFAULT_PER_PROMPT;
  if (count2 * gpus2 % group === 0) return;
  reader.assume(
    `The trainer requires a multiple of ${group} completions at a time, the number per prompt; ${count2 * gpus2} on ${gpus2 === 1 ? "one GPU" : `${gpus2} GPUs`} is not one.`
  );
}
function generations(generation, count2) {
  switch (generation.kind) {
    case "server":
      return "A vLLM server on its own GPUs generates the completions.";
    case "vllm":
      return generation.sleeps ? `vLLM generates the completions in ${percent(generation.share)} of this GPU, and releases that memory while the model trains.` : `vLLM generates the completions, and always holds ${percent(generation.share)} of this GPU for that.`;
    case "transformers":
      return `transformers' generate produces ${count2} completions at once, with a key/value cache for all of them.`;
  }
}
function percent(share) {
  return `${Math.round(share * 100)} %`;
}
function isNotZero({ value }) {
  return value.kind === "number" && value.number !== 0;
}
function namesRewardModel(reader, field) {
  if (field === void 0) return false;
  const values = field.value.kind === "list" ? field.value.items : [field.value];
  const model = values.find((value) => value.kind === "text" && value.text.includes("/"));
  if (model?.kind !== "text") return false;
  const message2 = `The memory of the reward model ${quote(model.text)} is not modelled yet`;
  reader.refuse(
    field,
    "unsupported-training",
    message2,
    "Exclude this config for now: add it to ignore in .github/memorymark.yml."
  );
  return true;
}

// engine/config/dialects/axolotl/answers.ts
function readGenerated(reader, document, rl, around) {
  const { batch, gpus: gpus2, hasAdapter } = around;
  const trl = (key2) => document.at("trl", key2);
  if (reader.text(document.at("ebft", "mode")) === "strided") return readStrided(reader, document, rl, hasAdapter);
  const generation = readGeneration(reader, document);
  if (generation === void 0) return ordinary;
  const prefetches = trl("async_prefetch");
  if (isOn(reader, prefetches)) {
    reader.assume(
      "The step is counted as the synchronous trainer runs it, although async_prefetch uses one that keeps its logits in 16 bits: the estimate is high."
    );
  }
  const turns = document.at("nemo_gym_multi_turn");
  if (isOn(reader, turns)) reader.assume("Only one turn is counted: more turns would make the sequences longer.");
  return readAnswers(
    reader,
    rl,
    {
      answerLength: trl("max_completion_length"),
      beta: trl("beta") ?? document.at("rl_beta"),
      perPrompt: trl("num_generations"),
      perGeneration: trl("generation_batch_size"),
      rewards: trl("reward_funcs"),
      liger: trl("use_liger_loss")
    },
    {
      generation,
      step: { samples: batch.microBatch * batch.gradientAccumulation, gpus: gpus2 },
      hasAdapter,
      copiesAdapters: true,
      // Axolotl 0.18 asks for TRL 1.8.
      tempersInPlace: true,
      comparesFeatures: rl.value.kind === "text" && rl.value.text === "ebft"
    }
  );
}
var stridedDefaults = { rollouts: 4, context: 8, stride: 8, answerLength: 8 };
function readStrided(reader, document, rl, hasAdapter) {
  const number41 = (key2, byDefault2, max) => {
    const field = document.at("ebft", key2);
    return (field && reader.wholeNumber(field, { max })) ?? byDefault2;
  };
  const coefficient = document.at("ebft", "ce_coef")?.value;
  const method = {
    kind: "strided",
    reference: hasAdapter ? "adapters-off" : "copy",
    rollouts: number41("n_samples_per_prompt", stridedDefaults.rollouts, 64),
    context: number41("context_length", stridedDefaults.context, 1e7),
    stride: number41("stride", stridedDefaults.stride, 1e7),
    answerLength: number41("generate_max_len", stridedDefaults.answerLength, 1e7),
    withCrossEntropy: coefficient?.kind === "number" && coefficient.number > 0
  };
  reader.assume(
    `Full-length sequences are counted, with ${method.rollouts} rollouts from every start position; a prompt, which has none, would leave fewer. ${references4[method.reference]}`
  );
  reader.assume(
    "From a micro-batch of 2, the estimate is high: completed sequences go through the training pass one by one, but are counted as many at a time as the micro-batch has samples."
  );
  reader.assume("Throughput counts only one of the generation passes: the others take longer than is modelled.");
  reader.note("method", method, rl);
  return { method };
}
var references4 = {
  "adapters-off": "The reference is the same model with its adapters disabled, as when one GPU is visible.",
  copy: "The reference is a frozen copy of the model on the same GPU; with more GPUs visible it would be on another."
};
var DEFAULT_SHARE = 0.9;
function readGeneration(reader, document) {
  if (!isOn(reader, document.at("trl", "use_vllm"))) return { kind: "transformers" };
  const mode = document.at("trl", "vllm_mode");
  const name = reader.text(mode) ?? "server";
  if (name === "server") return { kind: "server" };
  if (name !== "colocate") {
    return reader.refuse(mode, "unknown-value", `vLLM has no mode ${name}`, "Use server or colocate.");
  }
  const share = reader.share(document.at("vllm", "gpu_memory_utilization")) ?? DEFAULT_SHARE;
  return { kind: "vllm", share, sleeps: isOn(reader, document.at("trl", "vllm_enable_sleep_mode")) };
}

// engine/config/dialects/axolotl/experts.ts
function readExpertTargets(reader, document) {
  const field = document.at("lora_target_parameters");
  const names = field && readTargets(reader, field);
  return names === void 0 || typeof names === "string" ? void 0 : names.filter((name) => /_proj$/.test(name));
}
function readExpertStyle(reader, document, model, hasExpertAdapters) {
  const linear2 = document.at("llama4_linearized_experts");
  if (model?.family === "llama4" && isOn(reader, linear2)) return reader.note("expertStyle", "axolotl-linear", linear2);
  const kernels3 = ["use_scattermoe", "use_sonicmoe"].map((key2) => document.at(key2)).find((field) => isOn(reader, field));
  if (kernels3 === void 0 || !hasExpertAdapters) return void 0;
  reader.assume(
    "Experts in Axolotl's kernels are counted row by row, and in full where they are dequantised: the estimate errs on the high side."
  );
  return reader.note("expertStyle", "axolotl-kernels", kernels3);
}
function readQuantizedExperts(reader, field) {
  return isOn(reader, field) ? reader.note("quantizedExperts", true, field) : void 0;
}

// engine/config/gpus.ts
var GPUS_OF_A_MACHINE = 8;
function readGpus(reader, written2, sharding) {
  const field = reader.fieldFor("gpus", written2);
  const divides = sharding !== void 0 && sharding !== "ddp";
  const byDefault2 = divides ? {
    value: GPUS_OF_A_MACHINE,
    assumption: `${GPUS_OF_A_MACHINE} GPUs: the config divides the training among several but does not say how many; set gpus for this path in the overrides of ${SETTINGS_PATH}.`
  } : { value: 1, assumption: "One GPU: the config does not say how many processes run." };
  return reader.settle("gpus", field, (present3) => reader.wholeNumber(present3, { max: 1e5 }), {
    source: "not in the file",
    ...byDefault2
  });
}

// engine/config/trainer/sharding.ts
var stages = [void 0, "zero1", "zero2", "zero3"];
var stageInName = /(?:zero|stage|ds|z)[-_]?(?:z|stage)?[-_]?([0-3])(?!\d)/i;
function readDeepSpeed(reader, field, file) {
  if (field === void 0 || field.value.kind === "empty") return {};
  if (field.value.kind === "mapping") return shardedBy(reader, field.value.section);
  const name = reader.text(field);
  if (name === void 0 || name === "") return {};
  if (file.kind !== "read") return readFileName(reader, field, name, file);
  const problems = reader.problems.length;
  const sharded = shardedBy(reader, file.settings);
  if (reader.problems.length === problems) reader.assume(`${inWords(sharded)}: read from ${quote(file.path)}.`);
  return sharded;
}
function deepSpeedSettings(field, file) {
  if (field?.value.kind === "mapping") return field.value.section;
  return file.kind === "read" ? file.settings : void 0;
}
function inWords({ sharding, offload }) {
  return `ZeRO stage ${stages.indexOf(sharding)}${offload ? ", offloaded to the host" : ""}`;
}
function readFileName(reader, field, name, file) {
  const lastPart = name.split("/").at(-1) ?? name;
  const stage = stageInName.exec(lastPart)?.[1];
  if (stage === void 0) return refuseName(reader, field, name, file);
  const [sharding, offload] = [stages[Number(stage)], offloadInName(lastPart)];
  const sharded = { ...sharding && { sharding }, ...offload && { offload } };
  const why = unreadBecause(file);
  const sentence = `${inWords(sharded)}: read from the name of ${quote(name)}`;
  reader.assume(why === void 0 ? `${sentence}.` : `${sentence}; ${why}.`);
  if (sharding !== void 0) reader.note("sharding", sharding, field);
  if (offload !== void 0) reader.note("offload", offload, field);
  return sharded;
}
function refuseName(reader, field, name, file) {
  const why = unreadBecause(file);
  reader.refuse(
    field,
    "not-in-file",
    why === void 0 ? `The ZeRO stage cannot be determined from the file: it is in ${quote(name)}` : `The ZeRO stage cannot be determined: ${why}, and the name ${quote(name)} does not say it`,
    fixes[file.kind]
  );
  return {};
}
function unreadBecause(file) {
  switch (file.kind) {
    case "not-found":
      return `there is no readable file at ${oneOf2(file.lookedAt.map(quote))}`;
    case "unusable":
      return `${quote(file.path)} ${file.why}`;
    case "outside":
      return "files outside the repository are not read";
    case "not-looked-for":
      return void 0;
  }
}
var otherwise = "name the stage in the file name (zero2.json), or write the DeepSpeed settings here.";
var fixes = {
  "not-found": `Add the file to the repository, ${otherwise}`,
  outside: `Add the file to the repository, ${otherwise}`,
  unusable: `Correct that file, ${otherwise}`,
  "not-looked-for": "Name the stage in the file name (zero2.json), or write the DeepSpeed settings here."
};
function halfPrecisionSwitch(reader, key2, own, settings) {
  const theirs = settings?.at(key2, "enabled");
  if (theirs?.value.kind !== "flag") return own;
  if (own?.value.kind === "flag" && own.value.flag !== theirs.value.flag) {
    reader.refuse(
      own,
      "precision-conflict",
      `${key2} is ${onOrOff(own.value.flag)} here and ${onOrOff(theirs.value.flag)} in ${theirs.file === void 0 ? "the DeepSpeed settings" : quote(theirs.file)}, so the training would not start`,
      `Make both the same, or set ${theirs.name} to "auto" there.`
    );
  }
  return own ?? theirs;
}
function onOrOff(flag) {
  return flag ? "on" : "off";
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
  return {
    ...sharding && { sharding, zero: zeroSettingsIn(reader, config, sharding) },
    ...offloadOf(reader, weights, optimizer)
  };
}
var zeroKeys = {
  reduceBucket: ["reduce_bucket_size", 5e8],
  prefetchBucket: ["stage3_prefetch_bucket_size", 5e7],
  persistenceThreshold: ["stage3_param_persistence_threshold", 1e5],
  maxLiveParameters: ["stage3_max_live_parameters", 1e9],
  maxReuseDistance: ["stage3_max_reuse_distance", 1e9],
  subGroup: ["sub_group_size", 1e9]
};
function zeroSettingsIn(reader, config, sharding) {
  const entries2 = Object.entries(zeroKeys).flatMap(([name, [key2, byDefault2]]) => {
    const field = config.at("zero_optimization", key2);
    if (field?.value.kind === "text" && field.value.text === "auto") return [];
    const elements2 = field === void 0 ? byDefault2 : reader.wholeNumber(field, { min: 0, max: Number.MAX_SAFE_INTEGER });
    return elements2 === void 0 ? [] : [[name, elements2]];
  });
  const overlaps = config.at("zero_optimization", "overlap_comm");
  const overlapsCommunication = overlaps?.value.kind === "flag" ? overlaps.value.flag : sharding === "zero3";
  return { ...Object.fromEntries(entries2), overlapsCommunication };
}
function offloads(device2) {
  return device2?.value.kind === "text" && !/^(?:none|auto)$/.test(device2.value.text) ? device2 : void 0;
}
function offloadOf(reader, weights, optimizer) {
  if (weights !== void 0 && optimizer === void 0) {
    reader.assume("Offloaded weights are counted as if they stayed on the GPU: the estimate is high.");
    return {};
  }
  if (weights !== void 0) return { offload: reader.note("offload", "optimizer-and-weights", weights) };
  if (optimizer === void 0 || optimizer.value.kind === "flag" && !optimizer.value.flag) return {};
  return { offload: reader.note("offload", "optimizer", optimizer) };
}
function readFsdp(reader, { fsdp, config }) {
  const words2 = wordsIn(fsdp);
  const field = fsdp !== void 0 && words2.length > 0 ? fsdp : void 0;
  const strategy = config?.at("fsdp_sharding_strategy") ?? config?.at("fsdp_reshard_after_forward");
  const anySetting = config && [...config.fields.values()][0];
  const from = field ?? anySetting;
  if (from === void 0 || words2.includes("no_shard")) return {};
  const keepsWeights = words2.includes("shard_grad_op") || strategy !== void 0 && saysGradientsOnly(strategy);
  const sharding = reader.note("sharding", keepsWeights ? "fsdp-grad-op" : "fsdp", from);
  const offloads2 = config?.at("fsdp_offload_params") ?? config?.at("offload_params");
  const isOffloaded = words2.includes("offload") || offloads2?.value.kind === "flag" && offloads2.value.flag;
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

// engine/config/dialects/axolotl/parallelism.ts
function readMesh(reader, document, sharding) {
  const sizes3 = [
    ...[document.at("dp_shard_size"), contextParallel(document)],
    ...[document.at("tensor_parallel_size"), document.at("expert_parallel_size")]
  ];
  const fields2 = sizes3.filter((field) => field !== void 0);
  const [first] = fields2;
  if (first === void 0) return readGpus(reader, void 0, sharding);
  const gpus2 = fields2.reduce((product, field) => product * division(reader, field), 1);
  return reader.note("gpus", gpus2, first);
}
function contextParallel(document) {
  return document.at("context_parallel_size") ?? document.at("sequence_parallel_degree");
}
function division(reader, field) {
  return reader.wholeNumber(field, { max: 1e3 }) ?? 1;
}
function readExpertParallel(reader, field) {
  const gpus2 = division(reader, field);
  return field === void 0 || gpus2 === 1 ? void 0 : reader.note("expertParallel", gpus2, field);
}
var offloadingFile = /deepspeed_configs\/zero2(?:_torch_compile)?\.json["']?$/;
function readSharding(reader, document, file) {
  const field = document.at("deepspeed");
  const deepspeed2 = readDeepSpeed(reader, field, file);
  if (field !== void 0 && file.kind !== "read" && offloadingFile.test(field.source)) {
    reader.assume("The optimizer state is on the host: Axolotl's own zero2.json offloads it.");
    return { ...deepspeed2, offload: reader.note("offload", "optimizer", field) };
  }
  if (deepspeed2.sharding !== void 0) return deepspeed2;
  const config = document.at("fsdp_config")?.value;
  return readFsdp(reader, {
    fsdp: document.at("fsdp"),
    config: config?.kind === "mapping" ? config.section : void 0
  });
}

// engine/config/trainer/stored-quantization.ts
var stored = /* @__PURE__ */ new Map([
  ["gptq", "gptq"],
  ["awq", "awq"]
]);
var others2 = /* @__PURE__ */ new Set(["nvfp4", "mxfp4", "hqq", "aqlm", "gguf"]);
function storedQuantization(reader, model, hasAdapter) {
  if (model?.value.kind !== "text") return void 0;
  const words2 = model.value.text.toLowerCase().split(/[^a-z0-9]+/);
  const other = words2.find((word) => others2.has(word));
  if (other !== void 0) {
    const message2 = `Checkpoints stored as ${quote(other)} are not modelled yet`;
    return reader.refuse(
      model,
      "unsupported-quantization",
      message2,
      "Exclude this config for now: add it to ignore in .github/memorymark.yml."
    );
  }
  const format = words2.map((word) => stored.get(word)).find((found) => found !== void 0);
  if (format === void 0) return void 0;
  if (!hasAdapter) {
    const message2 = `The 4-bit weights of ${quote(model.value.text)} cannot be trained without an adapter`;
    return reader.refuse(model, "quantised-without-adapter", message2, "Train adapters on top of them.");
  }
  reader.assume(`Weights are stored in 4 bits in groups of 128, judging by the name ${quote(model.value.text)}.`);
  return reader.note("quantization", format, model);
}

// engine/config/dialects/axolotl/weights.ts
function readQuantization(reader, document, hasAdapter) {
  const eight = document.at("load_in_8bit");
  if (eight !== void 0 && reader.flag(eight) === true && hasAdapter) {
    return reader.note("quantization", "int8", eight);
  }
  const four = document.at("load_in_4bit");
  const gptq = document.at("gptq");
  if (isOn(reader, gptq)) {
    if (hasAdapter) return reader.note("quantization", "gptq", gptq);
    const message2 = "GPTQ weights cannot be trained without an adapter";
    return reader.refuse(gptq, "quantised-without-adapter", message2, "Set adapter: lora.");
  }
  if (four === void 0 || reader.flag(four) !== true) {
    return storedQuantization(reader, document.at("base_model"), hasAdapter);
  }
  if (hasAdapter) return reader.note("quantization", "nf4-double", four);
  return reader.refuse(
    four,
    "quantised-without-adapter",
    "4-bit weights cannot be trained without an adapter",
    "Set adapter: qlora, or load_in_4bit: false."
  );
}
function readFakeQuantization(reader, document) {
  const field = document.at("qat");
  const [activations, weights] = [document.at("qat", "activation_dtype"), document.at("qat", "weight_dtype")];
  if (field === void 0) return void 0;
  const format = [weights?.source].find((type) => type === "nvfp4" || type === "mxfp4");
  if (format !== void 0 && activations?.source === format) {
    return reader.note("fakeQuantization", { groupSize: fourBitGroups[format], format }, field);
  }
  if (activations?.source !== "int8" || weights?.source !== "int4") {
    const types = [activations, weights].map((type) => type?.source ?? "none").join(" and ");
    const message2 = `Quantisation-aware training in ${quote(types)} is not modelled yet`;
    return reader.refuse(
      weights ?? field,
      "unsupported-training",
      message2,
      "Use int8 activations and int4 weights, or nvfp4 for both."
    );
  }
  const group = document.at("qat", "group_size");
  const groupSize = group === void 0 ? 32 : reader.wholeNumber(group, { max: 1e6 });
  return groupSize === void 0 ? void 0 : reader.note("fakeQuantization", { groupSize }, field);
}
var fourBitGroups = { nvfp4: 16, mxfp4: 32 };
function readPrecision(reader, document, { sharding }, hasAdapter) {
  const half2 = sharding === void 0 || isFsdp(sharding) && hasAdapter ? "bf16" : "bf16-master";
  const bf16 = document.at("bf16") ?? document.at("bfloat16");
  const fp16 = document.at("fp16") ?? document.at("float16");
  if (fp16 !== void 0 && reader.flag(fp16) === true) {
    reader.assume("fp16 is counted as bf16: both take the same memory.");
    return reader.note("precision", half2, fp16);
  }
  if (bf16 === void 0) return reader.note("precision", half2, "Axolotl's default, bf16: auto");
  if (isAuto(bf16)) {
    reader.assume("Weights in bf16: that is what bf16: auto means on Ampere and newer GPUs.");
    return reader.note("precision", half2, bf16);
  }
  if (bf16.source === "full" || reader.flag(bf16) === true) return reader.note("precision", half2, bf16);
  const tf32 = document.at("tf32");
  const usesTf32 = tf32 === void 0 || isAuto(tf32) || reader.flag(tf32) === true;
  return reader.note("precision", usesTf32 ? "tf32" : "fp32", tf32 ?? bf16);
}
function isAuto(field) {
  return field.value.kind === "text" && field.value.text === "auto";
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
  mayBe: (text) => writesModel(text) && writesOwn(text),
  recognise: (document) => {
    const found = ownKeys2.filter((key2) => document.fields.has(key2));
    const isTraining = document.fields.has("micro_batch_size") || found.length >= 2;
    return document.fields.has("base_model") && isTraining ? `base_model beside ${found.join(", ")}` : void 0;
  },
  modelField: (document) => document.at("base_model"),
  deepSpeedField: (document) => document.at("deepspeed"),
  read
};
function read(document, reader, lookUp, deepSpeed) {
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
  refuseRemote(reader, document.at("plugins"));
  const hasAdapter = readsAdapter(reader, document.at("adapter"));
  if (hasAdapter && isOn(reader, document.at("relora"))) {
    reader.assume("Memory is counted between two merges of ReLoRA; the memory of a merge itself is not.");
  }
  const unfrozen = document.at("unfrozen_parameters")?.value;
  if (hasAdapter && unfrozen?.kind === "list" && unfrozen.items.length > 0) {
    reader.assume(
      "The adapters are counted as trainable, although unfrozen_parameters freezes everything that it does not name, including them."
    );
  }
  const sharded = readSharding(reader, document, deepSpeed);
  const gpus2 = readMesh(reader, document, sharded.sharding);
  const training = readTraining(reader, document, { batch, gpus: gpus2, hasAdapter });
  const attention8 = readAttention(reader, document);
  const checkpoints = readCheckpointing(reader, document);
  const packing = document.at("sample_packing");
  const isPacked = packing !== void 0 && reader.flag(packing) === true;
  const expertTargets = hasAdapter ? readExpertTargets(reader, document) : void 0;
  return languageModelReading(reader, {
    dialect: axolotl.name,
    model,
    batch,
    sequence: {
      ...sequenceOf(document, training),
      dividedBy: division(reader, contextParallel(document))
    },
    settings: {
      gpus: gpus2,
      precision: readPrecision(reader, document, sharded, hasAdapter),
      optimizer: readTrainerOptimizer(reader, document.at("optimizer"), {
        value: "adamw-fused",
        source: "Axolotl's default",
        assumption: "Fused AdamW, Axolotl's default: the config sets no optimizer."
      }),
      attention: attention8.attention,
      gradientCheckpointing: checkpoints,
      expertStyle: readExpertStyle(reader, document, model, expertTargets !== void 0),
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
        targetField: document.at("lora_target_modules") ?? document.at("adapter"),
        modulesToSave: document.at("lora_modules_to_save"),
        ...expertTargets && { parameters: expertTargets },
        ...areLowered(document, training) && { inWeightsType: true },
        ...isOn(reader, document.at("peft_use_dora")) && { form: "dora" }
      }) : void 0,
      trainable: hasAdapter ? void 0 : readTrainable(reader, document, checkpoints),
      // processing_strategies.py: a config that names a processor trains on images.
      images: document.at("processor_type") === void 0 ? void 0 : oneImage(model),
      trainsTowers: hasAdapter ? void 0 : readTowers(reader, document, model),
      quantization: readQuantization(reader, document, hasAdapter),
      fakeQuantization: readFakeQuantization(reader, document),
      float8: readFloat8(reader, document.at("fp8")),
      tensorParallel: readTensorParallel(reader, document.at("tensor_parallel_size"), false),
      expertParallel: readExpertParallel(reader, document.at("expert_parallel_size")),
      quantizedExperts: readQuantizedExperts(reader, document.at("quantize_moe_experts")),
      ...sharded,
      fusedLoss: training.method === void 0 ? readFusedLoss(reader, document) : void 0,
      ...training,
      paddedBatches: reader.note(
        "paddedBatches",
        training.method?.kind === "denoising" || !isPacked && attention8.masksPadding,
        packing ?? "by the attention kernel"
      )
    }
  });
}
function refuseRemote(reader, plugins) {
  const names = plugins?.value.kind === "list" ? plugins.value.items : [];
  if (!names.some((item) => item.kind === "text" && /HatcheryPlugin$/.test(item.text))) return;
  const message2 = "A remote service trains this model, so none of it is on a GPU here";
  reader.refuse(
    plugins,
    "trained-elsewhere",
    message2,
    "Exclude this config: add it to ignore in .github/memorymark.yml."
  );
}
function sequenceOf(document, { method }) {
  const field = document.at("sequence_len");
  const written2 = field?.value.kind === "number" ? field.value.number : void 0;
  const answer2 = method?.kind === "answers" ? method.answerLength : 0;
  if (written2 === void 0 || written2 < 1 || written2 > answer2) {
    return { field, byDefault: { value: 512 + answer2, source: "Axolotl's default" } };
  }
  const value = written2 + answer2;
  const assumption = `Sequences of ${value} tokens: prompts of up to sequence_len, and completions of up to ${answer2}.`;
  return { field: void 0, byDefault: { value, source: "prompt and completion", assumption } };
}
function readTraining(reader, document, around) {
  const { hasAdapter } = around;
  const [rewards, steps] = [document.at("reward_model"), document.at("process_reward_model")];
  if (isOn(reader, rewards)) return reward(reader, rewards, "score");
  if (isOn(reader, steps)) return reward(reader, steps, "steps");
  const diffusion = document.at("diffusion");
  if (diffusion !== void 0) return denoising(reader, diffusion);
  const rl = document.at("rl");
  const name = reader.text(rl);
  if (rl === void 0 || name === void 0) return ordinary;
  if (isOn(reader, document.at("dpo_use_liger_kernel"))) {
    reader.assume(
      "The logits are counted in full, although Liger's loss processes them in chunks: the estimate is high."
    );
  }
  const reference2 = readReference(reader, document, hasAdapter);
  switch (name) {
    case "dpo":
    case "ipo":
      return preference(reader, rl, { reference: reference2, style: "trl" });
    case "simpo":
      return preference(reader, rl, { reference: hasAdapter ? "none" : "copy", style: "trl", withCrossEntropy: true });
    case "orpo":
      return preference(reader, rl, { reference: "none", style: "trl", withCrossEntropy: true });
    case "kto":
      return kto(reader, rl, { reference: reference2, style: "trl" });
    case "grpo":
    case "gdpo":
    case "ebft":
      return readGenerated(reader, document, rl, around);
    default:
      return refuseGeneration(reader, rl, name);
  }
}
function readReference(reader, document, hasAdapter) {
  if (!hasAdapter || isOn(reader, document.at("rl_adapter_ref_model"))) return "copy";
  return isOn(reader, document.at("precompute_ref_log_probs")) ? "none" : "adapters-off";
}
function readTowers(reader, document, model) {
  const isFrozen = reader.flag(document.at("freeze_mm_modules")) === true;
  return document.at("processor_type") === void 0 || isFrozen ? void 0 : trainsTowers(model);
}
function readCheckpointing(reader, document) {
  const own = document.at("gradient_checkpointing");
  const ofFsdp = ["activation_checkpointing", "fsdp_activation_checkpointing"].map(
    (key2) => document.at("fsdp_config", key2)
  );
  const field = own ?? ofFsdp.find((each) => isOn(reader, each));
  const elsewhere = document.at("activation_offloading");
  const offloads2 = (choice) => choice?.value.kind === "text" && /^(offload|offload_disk|unsloth|legacy|disk|hidden_states)$/.test(choice.value.text);
  if (offloads2(field) || offloads2(elsewhere) || isOn(reader, offloads2(elsewhere) ? void 0 : elsewhere)) {
    reader.assume(
      "Activation checkpoints are counted on the GPU, although the config offloads them to the host: the estimate is high."
    );
  }
  return reader.settle("gradientCheckpointing", field, (present3) => offloads2(present3) ? true : reader.flag(present3), {
    value: false,
    source: "Axolotl's default"
  });
}
var kernels = [
  ["flash_attention", flashAttention],
  ["xformers_attention", flashAttention],
  ["flex_attention", flashAttention],
  ["sdp_attention", fusedAttention],
  ["eager_attention", eagerAttention]
];
function readAttention(reader, document) {
  for (const [key2, choice] of kernels) {
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
  mayBe: (text) => writesBatch(text) && writesOwn2(text),
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
      why: 'It leaves its batch size to the training arguments ("auto"), so MemoryMark checks those instead.'
    };
  }
  const sharded = shardedBy(reader, document);
  const batch = readBatch2(reader, { total, micro, accumulation }, sharded.sharding);
  const model = readModel(reader, void 0, "the model in a memorymark mapping", lookUp);
  reader.assume(
    "No adapters and no gradient checkpointing: that is up to the training code, and the config does not say."
  );
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
      ...sharded,
      fusedLoss: void 0,
      paddedBatches: false
    }
  });
}
function readBatch2(reader, { total, micro, accumulation }, sharding) {
  const count2 = (field) => field === void 0 || isAuto2(field) ? void 0 : reader.wholeNumber(field, { max: MAX_BATCH });
  const [samples, each, steps] = [count2(total), count2(micro), count2(accumulation)];
  const gradientAccumulation = steps ?? 1;
  if (steps !== void 0 && accumulation !== void 0) reader.note("gradientAccumulation", steps, accumulation);
  const fields2 = {
    batchSize: each === void 0 ? void 0 : micro,
    accumulation: steps === void 0 ? void 0 : accumulation
  };
  if (each !== void 0 && micro !== void 0) {
    reader.note("microBatch", each, micro);
    const gpus3 = gpusIn(reader, { total, samples, each: each * gradientAccumulation, sharding });
    return { microBatch: each, gradientAccumulation, gpus: gpus3, ...fields2 };
  }
  const gpus2 = readGpus(reader, void 0, sharding);
  const microBatch = Math.max(1, Math.floor((samples ?? 1) / gradientAccumulation / gpus2));
  reader.note("microBatch", microBatch, "train_batch_size over the accumulation and the GPUs");
  return { microBatch, gradientAccumulation, gpus: gpus2, ...fields2 };
}
function gpusIn(reader, {
  total,
  samples,
  each,
  sharding
}) {
  if (total === void 0 || samples === void 0) {
    return readGpus(reader, void 0, sharding);
  }
  const gpus2 = samples / each;
  if (Number.isInteger(gpus2)) return reader.note("gpus", gpus2, total);
  reader.refuse(
    total,
    "batch-sizes-disagree",
    `train_batch_size ${samples} is not a multiple of the ${each} samples that one GPU accumulates`,
    "Make it the product of micro-batch, accumulation and number of GPUs, or omit one of them."
  );
  return 1;
}
function isAuto2({ value }) {
  return value.kind === "text" && value.text === "auto";
}
function readPrecision2(reader, document) {
  const switches2 = [document.at("bf16", "enabled"), document.at("fp16", "enabled")];
  const on = switches2.find((field) => field?.value.kind === "flag" && field.value.flag);
  if (on !== void 0) return reader.note("precision", "bf16-master", on);
  const open = switches2.find((field) => field !== void 0 && isAuto2(field));
  if (open === void 0) return reader.note("precision", "fp32", "DeepSpeed's default");
  reader.assume("16-bit weights with 32-bit master weights: the config leaves the precision to the training arguments.");
  return reader.note("precision", "bf16-master", "left to the training arguments");
}
var optimizers2 = /* @__PURE__ */ new Map([
  ["adam", "adamw-fused"],
  ["adamw", "adamw-fused"],
  // ops/lamb/fused_lamb.py: two moments, and a trust ratio computed on the way.
  ["lamb", "adamw-fused"],
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
      const message2 = `The optimizer ${quote(name)} is not supported yet`;
      return reader.refuse(
        field,
        "unsupported-optimizer",
        message2,
        suggest(name, ["Adam", "AdamW", "Lamb", "Lion", "SGD"])
      );
    },
    { value: "adamw", source: "in the training code", assumption: "AdamW: the config sets no optimizer." }
  );
}

// engine/config/dialects/huggingface/answers.ts
var answerKeys = [
  ...["num_generations", "reward_funcs", "use_vllm", "vllm_mode", "steps_per_generation", "generation_batch_size"],
  ...["scale_rewards", "epsilon_high", "mask_truncated_completions", "num_completions_to_print"]
];
var RLOO_BETA = 0.05;
var rlooKeys = ["normalize_advantages", "reward_clip_range"];
function readTrlAnswers(reader, find, field, { step: step3, hasAdapter }) {
  const generation = readGeneration2(reader, find);
  if (generation === void 0 || !keepsSteps(reader, find("steps_per_generation"), step3)) return ordinary;
  const isRloo = find(...rlooKeys) !== void 0;
  return readAnswers(
    reader,
    field,
    {
      answerLength: find("max_completion_length"),
      beta: find("beta"),
      perPrompt: find("num_generations"),
      perGeneration: find("generation_batch_size"),
      rewards: find("reward_funcs", "reward_model_name_or_path"),
      liger: find("use_liger_kernel", "use_liger_loss")
    },
    {
      generation,
      step: { samples: step3.microBatch * step3.gradientAccumulation, gpus: step3.gpus },
      hasAdapter,
      tempersInPlace: false,
      ...isRloo && { defaultBeta: RLOO_BETA }
    }
  );
}
var DEFAULT_PROMPT = 512;
function answeredLength(reader, find, answerLength) {
  const prompt = find("max_prompt_length");
  return ((prompt && reader.wholeNumber(prompt, { max: MAX_BATCH })) ?? DEFAULT_PROMPT) + answerLength;
}
function keepsSteps(reader, field, { gradientAccumulation }) {
  const steps = field === void 0 ? void 0 : reader.wholeNumber(field, { max: MAX_BATCH });
  if (steps === void 0 || steps === gradientAccumulation) return true;
  const message2 = `steps_per_generation ${steps} with an accumulation of ${gradientAccumulation} is not modelled yet`;
  reader.refuse(field, "unsupported-setting", message2, "Write generation_batch_size instead.");
  return false;
}
var DEFAULT_SHARE2 = 0.3;
function readGeneration2(reader, find) {
  if (!isOn(reader, find("use_vllm"))) return { kind: "transformers" };
  const mode = find("vllm_mode");
  const name = reader.text(mode) ?? "colocate";
  if (name === "server") return { kind: "server" };
  if (name !== "colocate") {
    return reader.refuse(mode, "unknown-value", `vLLM has no mode ${name}`, "Use server or colocate.");
  }
  const share = reader.share(find("vllm_gpu_memory_utilization")) ?? DEFAULT_SHARE2;
  return { kind: "vllm", share, sleeps: isOn(reader, find("vllm_enable_sleep_mode")) };
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
var modelMapping = /(^|\.)(base_)?model(_args|_config)?$/i;
var nameKeys = ["name_or_path", "name", "id", "path", "base_model", "base"];
var topModelKeys = ["base_model", "model"];
function argumentsOf(document) {
  const sections = document.nested(LEVELS).filter((section) => !foreignSection.test(section.name));
  const fields2 = (keys2) => sections.flatMap((section) => keys2.flatMap((key2) => section.field(key2) ?? []).slice(0, 1));
  const named2 = fields2(batchSizeKeys);
  const batchSizes = named2.length > 0 ? named2 : fields2([legacyBatchSizeKey]);
  const home = sections.find(
    (section) => batchSizes[0] !== void 0 && section.field(batchSizes[0].key) === batchSizes[0]
  );
  const nearestFirst = home === void 0 ? sections : [home, ...sections.filter((section) => section !== home)];
  const find = (...keys2) => {
    for (const section of nearestFirst) {
      const found = keys2.map((key2) => section.field(key2)).find((field) => field !== void 0 && field.value.kind !== "empty");
      if (found !== void 0) return found;
    }
    return void 0;
  };
  return {
    find,
    model: find(...modelKeys) ?? textIn(document, topModelKeys) ?? modelIn(sections),
    batchSize: batchSizes[0],
    batchSizes
  };
}
function modelIn(sections) {
  for (const section of sections) {
    const found = modelMapping.test(section.name) ? textIn(section, nameKeys) : void 0;
    if (found !== void 0) return found;
  }
  return void 0;
}
function textIn(section, keys2) {
  return keys2.map((key2) => section.field(key2)).find((field) => field?.value.kind === "text");
}

// engine/config/dialects/huggingface/training-method.ts
var generationKeys = [
  ...["reward_model_path", "sft_model_path", "num_ppo_epochs"],
  ...["missing_eos_penalty", "num_sample_generations", "rloo_k", "judge"]
];
var ktoKeys = ["undesirable_weight", "desirable_weight"];
var rewardKeys = ["center_rewards_coefficient"];
var withoutReferenceKeys = ["cpo_alpha", "simpo_gamma"];
var simpoKeys = ["gamma_beta_ratio"];
var preferenceKeys = [
  ...["max_prompt_length", "precompute_ref_log_probs", "ref_model_mixup_alpha", "rpo_alpha"],
  ...["sync_ref_model", "use_weighting", "f_divergence_type"]
];
var methodKeys = [
  ...generationKeys,
  ...answerKeys,
  ...ktoKeys,
  ...rewardKeys,
  ...withoutReferenceKeys,
  ...simpoKeys,
  ...preferenceKeys
];
var dpoLosses = /* @__PURE__ */ new Set([
  ...["sigmoid", "hinge", "ipo", "exo_pair", "nca_pair", "robust", "bco_pair", "sppo_hard", "aot", "aot_pair"],
  ...["aot_unpaired", "apo_zero", "apo_down", "discopop", "sigmoid_norm", "kto_pair"]
]);
var recipeKeys = ["max_length", "use_peft", "dataset_name", "dataset_mixer", "dataset_mixture"];
function namesTrainer(find) {
  return (find(...methodKeys) ?? preferenceField(find)) !== void 0;
}
function readTrainingMethod(reader, find, hasAdapter, step3) {
  const generation = find(...generationKeys);
  if (generation !== void 0) return refuseGeneration(reader, generation, generation.key);
  const answers = find(...answerKeys);
  if (answers !== void 0) return readTrlAnswers(reader, find, answers, { step: step3, hasAdapter });
  const rewards = find(...rewardKeys);
  if (rewards !== void 0) return reward(reader, rewards, "score");
  const reference2 = hasAdapter ? "adapters-off" : "copy";
  const tags = find(...ktoKeys);
  if (tags !== void 0) return kto(reader, tags, { reference: reference2, style: "trl" });
  const free = find(...withoutReferenceKeys) ?? namedOrpo(find);
  if (free !== void 0) return preference(reader, free, { reference: "none", style: "trl", withCrossEntropy: true });
  const simpo = find(...simpoKeys);
  if (simpo !== void 0) {
    const weight = find("sft_weight")?.value;
    const withCrossEntropy = weight?.kind === "number" && weight.number > 0;
    return preference(reader, simpo, { reference: "none", style: "trl", ...withCrossEntropy && { withCrossEntropy } });
  }
  const field = preferenceField(find);
  if (field === void 0) return ordinary;
  if (isOn(reader, find("use_liger_kernel"))) {
    reader.assume(
      "The logits are counted in full, although Liger's loss processes them in chunks: the estimate is high."
    );
  }
  const isPrecomputed = isOn(reader, find("precompute_ref_log_probs"));
  reader.assume(`DPO, judging by ${field.key}: a trainer without a reference model would need less.`);
  return preference(reader, field, { reference: isPrecomputed ? "none" : reference2, style: "trl" });
}
function preferenceField(find) {
  const field = find(...preferenceKeys);
  if (field !== void 0) return field;
  const loss = find("loss_type");
  if (loss?.value.kind === "text" && dpoLosses.has(loss.value.text)) return loss;
  return find(...recipeKeys) && find("beta");
}
function namedOrpo(find) {
  const named2 = ["output_dir", "hub_model_id", "run_name"].map((key2) => find(key2));
  return find("beta", "max_prompt_length") && named2.find((field) => /(?:^|[^a-z])orpo(?:[^a-z]|$)/i.test(field?.source ?? ""));
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
  return find(...trlKeys) !== void 0 || namesTrainer(find);
}
var switches = ["use_peft", "use_lora", "use_qlora"];
var otherSwitches = ["use_ia3", "use_adalora", "use_prefix_tuning", "use_prompt_tuning", "use_p_tuning"];
var methods = ["finetuning_type", "adapter", "peft_method", "peft_type"];
function adapterField(reader, find) {
  const named2 = find(...methods);
  const method = named2?.value.kind === "text" ? named2.value.text.toLowerCase() : void 0;
  if (method !== void 0 && !/^(full|none|)$/.test(method)) {
    if (method === "lora" || method === "qlora") return named2;
    reader.refuse(
      named2,
      "unsupported-setting",
      `Training with ${quote(method)} is not modelled yet`,
      "Use lora or full."
    );
    return void 0;
  }
  const other = otherSwitches.map((key2) => find(key2)).find((field) => isOn(reader, field));
  if (other !== void 0) {
    const message2 = `${other.key} is not modelled yet`;
    return reader.refuse(
      other,
      "unsupported-setting",
      message2,
      "Exclude this config for now: add it to ignore in .github/memorymark.yml."
    );
  }
  const on = find(...switches);
  if (on !== void 0) return reader.flag(on) === true ? on : void 0;
  return rankField(find);
}
var adapterMappings = ["lora", "qlora", "peft", "lora_config", "peft_config", "lora_args"];
function rankField(find) {
  const mapping = find(...adapterMappings)?.value;
  if (mapping?.kind !== "mapping") return find("lora_r", "lora_rank");
  const { section } = mapping;
  const enabled = section.at("enabled") ?? section.at("enable") ?? section.at("use");
  if (enabled?.value.kind === "flag" && !enabled.value.flag) return void 0;
  return find("lora_r", "lora_rank") ?? section.at("r") ?? section.at("rank");
}
function dropoutField(find) {
  const mapping = find(...adapterMappings)?.value;
  return find("lora_dropout") ?? (mapping?.kind === "mapping" ? mapping.section.at("dropout") : void 0);
}
function readAdapter(reader, find, model, adapter) {
  if (adapter === void 0) return void 0;
  const targetField = find("lora_target_modules", "target_modules", "lora_target");
  return readLora(reader, model, {
    rank: rankField(find),
    defaultRank: {
      value: 16,
      source: "TRL's default",
      assumption: "Adapters of rank 16, TRL's default: the config sets no lora_r."
    },
    dropout: dropoutField(find),
    defaultDropout: 0.05,
    targets: readTargets(reader, targetField) ?? "usual",
    targetField: targetField ?? adapter,
    modulesToSave: find("lora_modules_to_save", "modules_to_save"),
    ...isOn(reader, find("use_dora")) && { form: "dora" }
  });
}
var doubleKeys = ["use_bnb_nested_quant", "bnb_4bit_use_double_quant", "use_nested_quant", "use_double_quant"];
function readQuantization2(reader, find, adapter) {
  const isSet = (field2) => field2 !== void 0 && reader.flag(field2) === true;
  const [eight, four] = [find("load_in_8bit", "use_8bit"), find("load_in_4bit", "use_4bit")];
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
  const parts = find("liger_kernel_config")?.value;
  const fuses = parts?.kind === "mapping" ? parts.section.at("fused_linear_cross_entropy") : void 0;
  if (fuses !== void 0 && reader.flag(fuses) === false) return void 0;
  return liger !== void 0 && reader.flag(liger) === true ? reader.note("fusedLoss", true, liger) : void 0;
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
function readPrecision3(reader, fields2) {
  const fp16 = reader.flag(fields2.fp16) ?? false;
  const bf16 = reader.flag(fields2.bf16) ?? (fields2.isTrl && !fp16);
  const weights = readWeightType(reader, fields2);
  if (fp16 && bf16) {
    reader.refuse(fields2.bf16, "precision-conflict", "Both fp16 and bf16 are on", "Keep one of the two.");
  }
  const from = [fields2.weights, fp16 ? fields2.fp16 : void 0, fields2.bf16].find((field) => field !== void 0);
  const precision = precisionOf(reader, fields2, weights, { fp16, bf16 });
  return reader.note("precision", precision, from ?? (fields2.isTrl ? "TRL's default" : "the Trainer's default"));
}
function precisionOf(reader, fields2, weights, { fp16, bf16 }) {
  if (hasMasters(fields2) && (fp16 || bf16)) {
    if (fp16) reader.assume("fp16 is counted as bf16: both take the same memory.");
    return "bf16-master";
  }
  switch (weights) {
    case "float16":
      if (fields2.hasAdapter) {
        reader.assume("fp16 is counted as bf16: both take the same memory.");
        return "bf16";
      }
      reader.refuse(
        fields2.weights,
        "unsupported-precision",
        "Training in pure fp16 weights is not supported",
        useAutocast
      );
      return "fp32";
    case "bfloat16":
      if (fp16) {
        reader.refuse(fields2.fp16, "precision-conflict", "fp16 cannot train weights loaded as bfloat16", useBf16);
      }
      return "bf16";
    case "float32":
      if (!fp16 && !bf16) return reader.flag(fields2.tf32) === true ? "tf32" : "fp32";
      return fp16 ? "amp-fp16" : "amp-bf16";
  }
}
function hasMasters({ sharding, hasAdapter }) {
  return sharding !== void 0 && !(isFsdp(sharding) && hasAdapter);
}
var useAutocast = "Load the weights as float32 with fp16: true, or as bfloat16.";
var useBf16 = "Set bf16: true instead, or load the weights as float32.";
function readWeightType(reader, { weights: field, isTrl: isTrl2, bf16 }) {
  if (field?.value.kind === "text" && field.value.text === "auto") {
    if (isTrl2 && bf16?.value.kind === "flag" && bf16.value.flag) {
      reader.assume(
        `Weights in bf16, as in most decoder checkpoints: ${field.name} leaves their type to the checkpoint.`
      );
      return "bfloat16";
    }
    reader.assume(`Weights in fp32: ${field.name} leaves their type to the checkpoint.`);
    return "float32";
  }
  const name = reader.text(field);
  if (name === void 0) return "float32";
  const type = weightTypes.get(name.replace(/^torch\./, ""));
  if (type !== void 0) return type;
  reader.refuse(field, "unknown-precision", `Unknown type ${quote(name)}`, "Use float32 or bfloat16.");
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
  if (field === void 0) reader.assume(`The task is ${model.defaultTask}: the config does not name one.`);
  return { task: model.defaultTask };
}
function readNamedTask(reader, field) {
  const name = reader.text(field);
  if (name === void 0) return void 0;
  const task = taskNames.get(name.toLowerCase().replaceAll("_", "-"));
  if (task !== void 0) return { task };
  const glue = glueTask(name);
  if (glue !== void 0) return glue;
  return reader.refuse(field, "unsupported-task", `The task ${quote(name)} is not supported`, `Use ${oneOf2(tasks)}.`);
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
var sequenceKeys = [
  ...["max_seq_length", "max_length", "model_max_length", "block_size", "max_source_length"],
  ...["max_seq_len", "cutoff_len", "sequence_length"]
];
var gpuKeys = ["n_gpus", "n_gpu", "num_gpus", "num_processes", "nproc_per_node"];
var writesBatchSize = writesAny(batchSizeKeys);
var writesModel2 = writesAny(modelKeys);
var writesTrainerKey = writesAny([legacyBatchSizeKey, ...trainerKeys]);
var huggingface = {
  name: "Hugging Face Trainer",
  mayBe: (text) => writesBatchSize(text) || writesModel2(text) && writesTrainerKey(text),
  recognise: (document) => {
    const { find, batchSize: batchSize2 } = argumentsOf(document);
    if (batchSize2 !== void 0 && batchSizeKeys.includes(batchSize2.key)) return batchSize2.name;
    if (batchSize2 !== void 0) return find(...modelKeys) && `${batchSize2.name} beside a model`;
    const known2 = trainerKeys.filter((key2) => find(key2) !== void 0);
    return find("model_name_or_path") && known2.length >= 2 ? `model_name_or_path beside ${known2.join(", ")}` : void 0;
  },
  modelField: (document) => argumentsOf(document).model,
  deepSpeedField: (document) => argumentsOf(document).find("deepspeed"),
  read: read3
};
function read3(document, reader, lookUp, deepSpeed) {
  const trainerArguments = argumentsOf(document);
  const { find, batchSize: batchSize2 } = trainerArguments;
  const accumulation = find("gradient_accumulation_steps");
  tellDefaults(reader, document);
  const microBatch = readMicroBatch(reader, trainerArguments);
  const gradientAccumulation = reader.settle(
    "gradientAccumulation",
    accumulation,
    (field) => reader.wholeNumber(field, { max: MAX_BATCH }),
    { value: 1, source: "the Trainer's default" }
  );
  const model = readModel(reader, trainerArguments.model, "model_name_or_path", lookUp);
  const adapter = adapterField(reader, find);
  const processes = find(...gpuKeys)?.value;
  const training = readTrainingMethod(reader, find, adapter !== void 0, {
    microBatch: microBatch ?? DEFAULT_BATCH,
    gradientAccumulation,
    gpus: processes?.kind === "number" ? Math.max(1, Math.floor(processes.number)) : 1
  });
  const answerLength = training.method?.kind === "answers" ? training.method.answerLength : void 0;
  const choice = taskOf(reader, find, model, training);
  const size2 = readInputSize(reader, model, {
    sequenceLength: answerLength === void 0 ? find(...sequenceKeys) : void 0,
    imageSize: find("image_size"),
    ...choice?.task === "causal-lm" && { length: isTrl(find) ? TRL_LENGTH : DEFAULT_BLOCK },
    ...choice?.task === "seq2seq-lm" && { length: DEFAULT_SOURCE },
    ...answerLength !== void 0 && { length: answeredLength(reader, find, answerLength) }
  });
  const target = readTarget(reader, find, choice);
  const settings = {
    ...readSettings(reader, trainerArguments, choice, model, { adapter, training, deepSpeed }),
    ...training
  };
  const task = choice?.task;
  return trainingConfig(reader, {
    dialect: huggingface.name,
    model,
    spec: {
      ...stepInPytorch,
      loop: "trainer",
      task,
      microBatch,
      gradientAccumulation,
      ...size2,
      ...target,
      ...settings
    },
    batchSize: batchSize2,
    accumulation
  });
}
function tellDefaults(reader, document) {
  const defaults2 = document.at("defaults")?.value;
  const others3 = defaults2?.kind === "list" ? defaults2.items.filter(({ source }) => source !== "_self_") : [];
  const [first] = others3;
  if (first === void 0) return;
  const more = others3.length > 1 ? ` and ${others3.length - 1} more` : "";
  reader.assume(
    `Only this file is read, although it builds on ${quote(first.source)}${more}: what they set is unknown.`
  );
}
function taskOf(reader, find, model, { method }) {
  if (method === void 0) return readTask(reader, find, model);
  const { task, labels } = taskOfMethod(method);
  if (model !== void 0) checkTask(reader, find("task"), task, model);
  return { task, labels };
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
    reader.assume(`The batch size on line ${batchSize2.at.line} is used, the first of ${batchSizes.length} in the file.`);
  }
  const count2 = reader.wholeNumber(batchSize2, { max: MAX_BATCH });
  return count2 === void 0 ? void 0 : reader.note("microBatch", count2, batchSize2);
}
function readSettings(reader, trainerArguments, choice, model, { adapter, training, deepSpeed }) {
  const { find } = trainerArguments;
  const labels = readLabels(reader, find("num_labels"), choice?.task, choice?.labels);
  const sharded = readSharding2(reader, trainerArguments, deepSpeed);
  const gpus2 = readGpus(reader, find(...gpuKeys), sharded.sharding);
  const settings = deepSpeedSettings(find("deepspeed"), deepSpeed);
  const precision = readPrecision3(reader, {
    fp16: halfPrecisionSwitch(reader, "fp16", find("fp16"), settings),
    bf16: halfPrecisionSwitch(reader, "bf16", find("bf16"), settings),
    tf32: find("tf32"),
    weights: find("torch_dtype", "dtype"),
    sharding: sharded.sharding,
    hasAdapter: adapter !== void 0,
    isTrl: isTrl(find)
  });
  const optimizer = readTrainerOptimizer(reader, find("optim") ?? adafactorField(reader, find("adafactor")));
  const { attention: attention8, masksPadding } = readImplementation(reader, find("attn_implementation"));
  const lora = readAdapter(reader, find, model, adapter);
  const isAnswering = training.method?.kind === "answers";
  const quantization = readQuantization2(reader, find, adapter);
  const fusedLoss = training.method === void 0 ? readFusedLoss2(reader, find) : void 0;
  return {
    gpus: gpus2,
    labels,
    precision,
    optimizer,
    attention: attention8,
    gradientCheckpointing: readCheckpointing2(reader, find),
    // TRL's GRPOTrainer casts adapters over quantised weights to bfloat16.
    ...lora && { lora: isAnswering && quantization ? { ...lora, inWeightsType: true } : lora },
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
  return reader.note("paddedBatches", pads, packing ?? "as usual for the task");
}
function readCheckpointing2(reader, find) {
  const field = find("gradient_checkpointing", "use_gradient_checkpointing");
  const byTrl = isTrl(find);
  return reader.settle("gradientCheckpointing", field, (present3) => readSwitch(reader, present3), {
    value: byTrl,
    source: byTrl ? "TRL's default" : "the Trainer's default",
    ...byTrl && { assumption: "Gradient checkpointing, TRL's default: the config does not set it." }
  });
}
function readSwitch(reader, field) {
  if (field.value.kind !== "text" || field.value.text !== "unsloth") return reader.flag(field);
  reader.assume("What Unsloth offloads to the host between the passes is counted on the GPU: the estimate is high.");
  return true;
}
function adafactorField(reader, field) {
  const isOn2 = field !== void 0 && reader.flag(field) === true;
  return isOn2 ? { ...field, value: { kind: "text", text: "adafactor" } } : void 0;
}
function readSharding2(reader, { find }, file) {
  const deepspeed2 = readDeepSpeed(reader, find("deepspeed"), file);
  if (deepspeed2.sharding !== void 0) return deepspeed2;
  const config = find("fsdp_config")?.value;
  const fsdp = find("fsdp");
  if (fsdp === void 0) return deepspeed2;
  return readFsdp(reader, { fsdp, config: config?.kind === "mapping" ? config.section : void 0 });
}

// engine/config/supplied-model.ts
function suppliedModelReading(reader, lookUp, config) {
  const { microBatch, gradientAccumulation, batchSize: batchSize2, accumulation } = config;
  const model = readModel(reader, void 0, "the model", lookUp);
  const task = model && readUnwrittenTask(reader, model);
  const size2 = readInputSize(reader, model, config);
  const labels = readLabels(reader, config.labels, task);
  reader.assume(
    "No adapters and no gradient checkpointing: that is up to the training code, and the file does not say."
  );
  return trainingConfig(reader, {
    dialect: config.dialect,
    model,
    spec: {
      ...stepInPytorch,
      loop: "plain",
      task,
      microBatch,
      gradientAccumulation,
      gpus: readGpus(reader, void 0),
      ...size2,
      labels,
      precision: config.precision,
      optimizer: config.optimizer,
      attention: "sdpa",
      gradientCheckpointing: false,
      paddedBatches: task === "sequence-classification"
    },
    batchSize: batchSize2,
    accumulation
  });
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
var accumulationKeys = ["accumulate_grad_batches", "gradient_accumulation_steps", "grad_accum_steps"];
var LEVELS2 = 2;
var SHOWN_PARTS = 6;
var writesDefaults = writesAny(["defaults"]);
var writesBatch2 = writesAny(batchKeys2);
var hydra = {
  name: "Hydra",
  mayBe: (text) => writesDefaults(text) && writesBatch2(text),
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
  return nestedField(document, batchKeys2);
}
function nestedField(document, keys2) {
  return document.nested(LEVELS2).flatMap((section) => keys2.flatMap((key2) => section.at(key2) ?? [])).at(0);
}
function read4(document, reader, lookUp) {
  const batchSize2 = batchSizeOf(document);
  const count2 = (field) => reader.wholeNumber(field, { max: MAX_BATCH });
  if (!reader.supplies("model")) refuseComposition(document, reader);
  const microBatch = count2(batchSize2);
  if (microBatch !== void 0 && batchSize2 !== void 0) reader.note("microBatch", microBatch, batchSize2);
  if (!reader.supplies("model")) return { kind: "unreadable", problems: reader.problems };
  const accumulation = nestedField(document, accumulationKeys);
  reader.assume(
    `Weights in fp32, and AdamW: Hydra composes the config from ${partsShown(document)}, which may say otherwise.`
  );
  return suppliedModelReading(reader, lookUp, {
    dialect: hydra.name,
    microBatch,
    batchSize: batchSize2,
    gradientAccumulation: (accumulation && count2(accumulation)) ?? 1,
    accumulation,
    sequenceLength: nestedField(document, ["max_seq_length", "max_length", "sequence_length", "seq_len", "block_size"]),
    imageSize: nestedField(document, ["image_size", "img_size", "imgsz"]),
    labels: nestedField(document, ["num_labels", "num_classes"]),
    precision: "fp32",
    optimizer: "adamw"
  });
}
function partsShown(document) {
  const parts = partsOf(document).filter((part) => part !== "_self_");
  return parts.slice(0, SHOWN_PARTS).map(plain).join(", ") || "other files";
}
function refuseComposition(document, reader) {
  reader.refuse(
    document.at("defaults"),
    "composed-by-hydra",
    `The model cannot be determined from the file: Hydra composes it from ${partsShown(document)}`,
    `Check the composed config (python train.py --cfg job > composed.yaml), ${orInSettings("model")}.`
  );
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
  mayBe: (text) => writesTrainer(text) && writesParts(text),
  recognise: (file) => {
    const document = fitIn(file);
    const found = trainerKeys2.filter((key2) => document.at("trainer", key2) !== void 0);
    const classes = ["model", "data"].filter((part) => document.at(part, "class_path") ?? document.at(part, "init_args"));
    const hasBatch = batchSizeOf2(document) !== void 0;
    if (document.at("trainer")?.value.kind !== "mapping" || document.fields.has("defaults")) return void 0;
    if (found.length === 0)
      return classes.length === 2 ? "a trainer mapping beside the classes of model and data" : void 0;
    if (classes.length === 0 && !hasBatch) return void 0;
    return `a trainer mapping with ${found.join(", ")}, beside ${hasBatch ? "a batch size" : "a class_path"}`;
  },
  modelField: (file) => modelField(fitIn(file)),
  read: (file, reader, lookUp) => read5(fitIn(file), reader, lookUp)
};
function fitIn(file) {
  const fit = file.at("fit")?.value;
  return fit?.kind === "mapping" && fit.section.at("trainer") !== void 0 ? fit.section : file;
}
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
  return inParts(document, ["data", "model"], batchKeys3) ?? inLoaders(document.at("data"));
}
var LOADER_LEVELS = 4;
var otherLoader = /\.(val|valid|validation|eval|test|predict|inference)\w*(\.|$)/i;
function inLoaders(data) {
  if (data?.value.kind !== "mapping") return void 0;
  const sections = data.value.section.nested(LOADER_LEVELS).filter(({ name }) => !otherLoader.test(name));
  return sections.flatMap((section) => batchKeys3.flatMap((key2) => section.at(key2) ?? [])).find(isCount);
}
function isCount({ value }) {
  return value.kind === "number" || value.kind === "text";
}
var modelKeys2 = ["model_name_or_path", "pretrained_model_name_or_path", "model_name", "model_id", "pretrained"];
var partKeys = ["backbone", "checkpoint"];
function modelField(document) {
  const field = inParts(document, ["model", "data"], modelKeys2);
  if (field?.value.kind === "text") return field;
  const part = inParts(document, ["model", "data"], partKeys);
  return part?.value.kind === "text" && part.value.text.includes("/") ? part : void 0;
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
    gpus: readDevices(reader, document, sharding),
    labels: readLabels(reader, inParts(document, ["model", "data"], ["num_labels", "num_classes"]), task),
    precision: readPrecision4(reader, document.at("trainer", "precision"), sharding),
    optimizer: readOptimizer2(reader, document),
    attention: "sdpa",
    gradientCheckpointing: readCheckpointing3(reader, document),
    ...sharding && { sharding },
    // strategies/parallel.py block_backward_sync: only DistributedDataParallel waits for the last micro-batch.
    ...sharding === "fsdp" && { syncsEveryMicroBatch: true }
  };
  const paddedBatches = task === "sequence-classification";
  return trainingConfig(reader, {
    dialect: lightning.name,
    model,
    spec: {
      ...stepInPytorch,
      loop: "plain",
      task,
      microBatch,
      gradientAccumulation,
      ...size2,
      ...settings,
      paddedBatches
    },
    batchSize: batchSize2,
    accumulation
  });
}
function lightnings(value) {
  return { value, source: "Lightning's default" };
}
function readMicroBatch2(reader, document, field) {
  if (field === void 0) {
    const data = document.at("data", "class_path")?.source ?? "the data module";
    const message2 = `The batch size cannot be determined from the file: it is left to the default of ${quote(data)}`;
    return reader.refuse(
      void 0,
      "batch-size-not-in-file",
      message2,
      "Set data.init_args.batch_size in the config if you want it checked."
    );
  }
  const count2 = reader.wholeNumber(field, { max: MAX_BATCH });
  return count2 === void 0 ? void 0 : reader.note("microBatch", count2, field);
}
function refuseModel(reader, document) {
  const field = document.at("model", "class_path") ?? document.at("model");
  const name = field?.value.kind === "text" ? `: ${quote(field.value.text)} is a class in your code` : "";
  return reader.refuse(
    field,
    "model-not-in-file",
    `The model cannot be determined from the file${name}`,
    `Set model.init_args.model_name_or_path to its Hub id, ${orInSettings("model")}.`
  );
}
function readDevices(reader, document, sharding) {
  const devices = document.at("trainer", "devices") ?? document.at("trainer", "gpus");
  const nodes = document.at("trainer", "num_nodes");
  const machines = nodes === void 0 ? 1 : reader.wholeNumber(nodes, { max: 1e4 }) ?? 1;
  const each = devicesIn(devices);
  if (each !== void 0 && devices !== void 0) return reader.note("gpus", each * machines, devices);
  return readGpus(reader, void 0, sharding) * machines;
}
function devicesIn(field) {
  const value = field?.value;
  if (value?.kind === "list") return Math.max(1, value.items.length);
  if (value?.kind === "number" && value.number >= 1) return Math.floor(value.number);
  const text = value?.kind === "text" ? value.text.trim() : "";
  if (/^\d{1,4}(,\s*\d{0,4}){1,64}$/.test(text)) return text.split(",").filter((index) => index.trim() !== "").length;
  return /^\d{1,4}$/.test(text) ? Math.max(1, Number(text)) : void 0;
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
    (present3) => reader.choice(present3, precisions2),
    lightnings("fp32")
  );
  const hasMasters2 = sharding?.startsWith("zero") && (precision === "amp-bf16" || precision === "amp-fp16");
  return hasMasters2 ? "bf16-master" : precision;
}
var strategies = /* @__PURE__ */ new Map([
  ["auto", void 0],
  ["ddp", void 0],
  ["single_device", void 0],
  ["singledevice", void 0],
  ["fsdp", "fsdp"],
  ["deepspeed", "zero2"],
  ["deepspeed_stage_1", "zero1"],
  ["deepspeed_stage_2", "zero2"],
  ["deepspeed_stage_3", "zero3"]
]);
function readStrategy(reader, field) {
  const name = field?.value.kind === "text" ? field.value.text : field?.value.kind === "mapping" ? classNameIn(field.value.section) : void 0;
  if (field === void 0 || name === void 0) return void 0;
  const plain2 = name.replace(/_offload(?:_nvme)?$/, "").replace(/^ddp_\w+$/, "ddp");
  const known2 = [plain2, name.replace(/Strategy$/, "").toLowerCase()].find((word) => strategies.has(word));
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
    (present3) => {
      const name = reader.text(present3)?.split(".").at(-1);
      const known2 = name === void 0 ? void 0 : optimizers3.get(name);
      if (known2 !== void 0 || name === void 0)
        return hasMomentum(document) && known2 === "sgd" ? "sgd-momentum" : known2;
      const message2 = `The optimizer ${quote(name)} is not supported yet`;
      return reader.refuse(present3, "unsupported-optimizer", message2, `Use ${[...optimizers3.keys()].join(", ")}.`);
    },
    {
      value: "adamw",
      source: "in the code",
      assumption: "AdamW: the config sets no optimizer, so that is up to the code."
    }
  );
}
function hasMomentum(document) {
  const momentum = document.at("optimizer", "init_args", "momentum")?.value;
  return momentum?.kind === "number" && momentum.number > 0;
}
function readCheckpointing3(reader, document) {
  const field = inParts(document, ["model"], ["gradient_checkpointing", "activation_checkpointing"]);
  return reader.settle("gradientCheckpointing", field, (present3) => reader.flag(present3), lightnings(false));
}

// engine/config/dialects/llamafactory/fine-tuning.ts
function hasAdapters(method) {
  return method === "lora" || method === "oft";
}
function readMethod(reader, field) {
  if (field === void 0) {
    reader.assume("Adapters, LLaMA-Factory's default: the config sets no finetuning_type.");
    return "lora";
  }
  const name = reader.text(field);
  if (name === void 0) return "lora";
  if (name === "lora" || name === "oft" || name === "full" || name === "freeze") return name;
  reader.refuse(
    field,
    "unsupported-training",
    `Fine-tuning with ${quote(name)} is not modelled yet`,
    "Use lora, oft, freeze or full."
  );
  return "full";
}
function blockwiseField(reader, document) {
  const field = document.at("use_badam");
  return isOn(reader, field) ? field : void 0;
}
function readTrainable2(reader, document, model, method) {
  const from = document.at("finetuning_type");
  const blockwise = blockwiseField(reader, document);
  if (blockwise !== void 0 && method === "full") return readBlockwise(reader, document, blockwise);
  if (from === void 0 || method !== "freeze") return void 0;
  return readFreeze(reader, model, {
    from,
    layers: document.at("freeze_trainable_layers"),
    modules: document.at("freeze_trainable_modules"),
    extraModules: document.at("freeze_extra_modules"),
    inputGradients: false
  });
}
function readAdapter2(reader, document, model, method) {
  const targets = document.at("lora_target");
  const common = {
    targets: readTargets(reader, targets) ?? "all",
    targetField: targets,
    modulesToSave: document.at("additional_target")
  };
  if (method === "oft") return readOft(reader, document, model, common);
  return readLora(reader, model, {
    ...common,
    rank: document.at("lora_rank"),
    defaultRank: { value: 8, source: "LLaMA-Factory's default" },
    dropout: document.at("lora_dropout"),
    defaultDropout: 0,
    ...isOn(reader, document.at("use_dora")) && { form: "dora" }
  });
}
function readOft(reader, document, model, common) {
  const [blocks, size2] = [document.at("oft_rank"), document.at("oft_block_size")];
  if (blocks !== void 0 && reader.wholeNumber(blocks, { min: 0, max: 1e4 }) !== 0) {
    return reader.refuse(blocks, "unsupported-setting", "oft_rank is not modelled yet", "Set oft_block_size instead.");
  }
  return readLora(reader, model, {
    ...common,
    rank: size2,
    defaultRank: { value: 32, source: "LLaMA-Factory's default" },
    dropout: void 0,
    defaultDropout: 0,
    form: "oft"
  });
}
var movedToHost = [
  "deepseek_v2",
  "deepseek_v3",
  "deepseek_v32",
  "qwen2_moe",
  "qwen3_moe",
  "qwen3_vl_moe",
  "qwen3_5_moe",
  "glm4_moe",
  "glm4_moe_lite",
  "mixtral"
];
function readHostExperts(reader, field, model) {
  if (!isOn(reader, field)) return void 0;
  if (model !== void 0 && !hasExperts(model.config)) {
    const message2 = `${quote(model.id)} has no experts for use_kt to move to the host`;
    return reader.refuse(field, "unsupported-setting", message2, "Remove use_kt.");
  }
  if (model !== void 0 && !movedToHost.includes(model.family)) {
    const message2 = `ktransformers does not move the experts of ${quote(model.family)} models to the host`;
    return reader.refuse(field, "unsupported-setting", message2, "Remove use_kt.");
  }
  reader.assume(
    "Experts, their adapters and their optimizer state are on the host; the time spent there is not part of the step time."
  );
  return reader.note("expertStyle", "ktransformers", field);
}

// engine/config/dialects/llamafactory.ts
var ownKeys4 = ["finetuning_type", "cutoff_len", "template", "dataset_dir", "lora_target", "quantization_bit", "stage"];
var writesModel3 = writesAny(["model_name_or_path"]);
var writesOwn3 = writesAny(["finetuning_type", "cutoff_len", "lora_target", "stage"]);
var llamafactory = {
  name: "LLaMA-Factory",
  mayBe: (text) => writesModel3(text) && writesOwn3(text),
  recognise: (file) => {
    const document = argumentsIn(file);
    return document && `model_name_or_path beside ${ownKeysIn(document).join(", ")}`;
  },
  modelField: (file) => argumentsIn(file)?.at("model_name_or_path"),
  deepSpeedField: (file) => argumentsIn(file)?.at("deepspeed"),
  read: (file, reader, lookUp, deepSpeed) => read6(argumentsIn(file) ?? file, reader, lookUp, deepSpeed)
};
function argumentsIn(file) {
  return file.nested(1).find((section) => {
    const trains = section.at("per_device_train_batch_size") ?? section.at("do_train");
    return section.at("model_name_or_path") !== void 0 && trains !== void 0 && ownKeysIn(section).length >= 2;
  });
}
function ownKeysIn(section) {
  return ownKeys4.filter((key2) => section.at(key2) !== void 0);
}
function read6(document, reader, lookUp, deepSpeed) {
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
  const training = readStage(reader, document, method);
  const sharded = readSharding3(reader, document, deepSpeed);
  const attention8 = readAttention2(reader, document.at("flash_attn"));
  const packing = document.at("neat_packing") ?? document.at("packing");
  const isPacked = packing === void 0 ? document.at("stage")?.source === "pt" : reader.flag(packing) === true;
  return languageModelReading(reader, {
    dialect: llamafactory.name,
    model,
    batch,
    sequence: { field: document.at("cutoff_len"), byDefault: { value: 2048, source: "LLaMA-Factory's default" } },
    settings: {
      gpus: readGpus(reader, void 0, sharded.sharding),
      precision: readPrecision5(reader, document, method, { ...sharded, deepSpeed }),
      optimizer: readOptimizer3(reader, document),
      attention: attention8.attention,
      gradientCheckpointing: readCheckpointing4(reader, document.at("disable_gradient_checkpointing")),
      lora: hasAdapters(method) ? readAdapter2(reader, document, model, method) : void 0,
      trainable: readTrainable2(reader, document, model, method),
      images: imageOfEverySample(model),
      quantization: readQuantization3(reader, document, method),
      expertStyle: readHostExperts(reader, document.at("use_kt"), model),
      float8: readFloat8(reader, document.at("fp8")),
      ...sharded,
      fusedLoss: training.method === void 0 ? readFusedLoss3(reader, document.at("enable_liger_kernel")) : void 0,
      ...training,
      paddedBatches: reader.note(
        "paddedBatches",
        !isPacked && attention8.masksPadding,
        packing ?? "by stage and attention kernel"
      )
    }
  });
}
var leaveOut2 = "Exclude this config for now: add it to ignore in .github/memorymark.yml.";
var unmodelled = [...["use_galore", "use_apollo", "use_llama_pro"], "use_unsloth"];
var divisions = [
  ...["tensor_model_parallel_size", "pipeline_model_parallel_size", "expert_model_parallel_size"],
  ...["context_parallel_size", "sequence_parallel_size"]
];
var present2 = ["mixture_of_depths"];
function refuseUnmodelled(reader, document) {
  const fields2 = [
    ...unmodelled.map((key2) => document.at(key2)).filter((field) => isOn(reader, field)),
    ...divisions.map((key2) => document.at(key2)).filter((field) => (reader.wholeNumber(field, { max: 1e5 }) ?? 1) > 1),
    ...present2.map((key2) => document.at(key2))
  ];
  for (const field of fields2) {
    if (field === void 0) continue;
    reader.refuse(field, "unsupported-setting", `${field.key} is not modelled yet`, leaveOut2);
  }
}
function readLoss(reader, document, method) {
  const field = document.at("use_asft_loss");
  if (!isOn(reader, field)) return ordinary;
  if (method !== "lora") return anchored(reader, field);
  const message2 = "use_asft_loss has no reference model when adapters are trained";
  reader.refuse(field, "unsupported-setting", message2, "Set finetuning_type: full, or remove use_asft_loss.");
  return ordinary;
}
function readStage(reader, document, method) {
  const stage = document.at("stage");
  const name = reader.text(stage);
  if (stage === void 0 || name === void 0 || /^(?:sft|pt)$/i.test(name)) return readLoss(reader, document, method);
  const other = document.at("ref_model");
  if (other !== void 0) {
    reader.assume(`The reference ${quote(other.source)} is counted as a copy of the trained model.`);
  }
  const reference2 = method === "lora" && other === void 0 ? "adapters-off" : "copy";
  const loss = document.at("pref_loss");
  const isFree = loss?.value.kind === "text" && /^(?:orpo|simpo)$/.test(loss.value.text);
  switch (name) {
    case "dpo":
      return preference(reader, stage, { reference: isFree ? "none" : reference2, style: "llamafactory" });
    case "kto":
      return kto(reader, stage, { reference: reference2, style: "llamafactory" });
    case "rm":
      return reward(reader, stage, "value");
    default:
      return refuseGeneration(reader, stage, name);
  }
}
function readOptimizer3(reader, document) {
  const [mini, muon] = [document.at("use_adam_mini"), document.at("use_muon")];
  if (isOn(reader, mini)) return reader.note("optimizer", "adam-mini", mini);
  const named2 = isOn(reader, muon) ? { ...muon, value: { kind: "text", text: "muon" } } : void 0;
  return readTrainerOptimizer(reader, named2 ?? document.at("optim"), trainerDefault);
}
function readQuantization3(reader, document, method) {
  const bits = document.at("quantization_bit");
  const held = storedQuantization(reader, document.at("model_name_or_path"), hasAdapters(method));
  if (bits === void 0 || held !== void 0) return held;
  const count2 = reader.wholeNumber(bits, { max: 8 });
  const by = document.at("quantization_method");
  const name = reader.text(by);
  if (name !== void 0 && name !== "bnb" && name !== "bitsandbytes") {
    return reader.refuse(
      by,
      "unsupported-quantization",
      `Weights quantised with ${quote(name)} are not modelled yet`,
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
  if (!hasAdapters(method)) {
    const fix = "Set finetuning_type: lora, or remove quantization_bit.";
    return reader.refuse(bits, "quantised-without-adapter", "Quantised weights cannot be trained without adapters", fix);
  }
  if (count2 === 8) return reader.note("quantization", "int8", bits);
  const isSingle = reader.flag(document.at("double_quantization")) === false;
  return reader.note("quantization", isSingle ? "nf4" : "nf4-double", bits);
}
function readPrecision5(reader, document, method, { sharding, deepSpeed }) {
  const settings = deepSpeedSettings(document.at("deepspeed"), deepSpeed);
  const [bf16, fp16] = ["bf16", "fp16"].map(
    (key2) => halfPrecisionSwitch(reader, key2, document.at(key2), settings)
  );
  const pure = document.at("pure_bf16");
  const on = [pure, bf16, fp16].find((field) => field !== void 0 && reader.flag(field) === true);
  const source = "LLaMA-Factory's default";
  if (on !== void 0 && on === fp16 && hasAdapters(method)) {
    reader.assume("fp16 is counted as bf16: both take the same memory.");
  }
  const blockwise = blockwiseField(reader, document);
  if (blockwise !== void 0) return reader.note("precision", "bf16-master", blockwise);
  const hasMasters2 = sharding !== void 0 && !(isFsdp(sharding) && hasAdapters(method));
  if (hasMasters2 && on !== void 0) return reader.note("precision", "bf16-master", on);
  if (hasAdapters(method)) return reader.note("precision", "bf16", on ?? source);
  if (on === void 0) return reader.note("precision", "fp32", source);
  if (on === pure) return reader.note("precision", "bf16", on);
  return reader.note("precision", on === fp16 ? "amp-fp16" : "amp-bf16", on);
}
function readCheckpointing4(reader, disabled) {
  const isDisabled = disabled !== void 0 && reader.flag(disabled) === true;
  return reader.note("gradientCheckpointing", !isDisabled, disabled ?? "LLaMA-Factory's default");
}
var kernels2 = /* @__PURE__ */ new Map([
  ["auto", fusedAttention],
  ["sdpa", fusedAttention],
  ["fa2", flashAttention],
  ["fa3", flashAttention],
  ["disabled", eagerAttention]
]);
function readAttention2(reader, field) {
  const isAuto3 = field?.value.kind === "text" && field.value.text === "auto";
  const choice = isAuto3 ? fusedAttention : reader.choice(field, kernels2) ?? fusedAttention;
  reader.note("attention", choice.attention, field ?? "LLaMA-Factory's default");
  return choice;
}
function readFusedLoss3(reader, liger) {
  return liger !== void 0 && reader.flag(liger) === true ? reader.note("fusedLoss", true, liger) : void 0;
}
function readSharding3(reader, document, file) {
  const deepspeed2 = readDeepSpeed(reader, document.at("deepspeed"), file);
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
  mayBe: (text) => writesBatch3(text) && writesOwn4(text),
  recognise: (document) => {
    const found = ownKeys5.filter((key2) => document.at(key2) !== void 0);
    const isOurs = document.at("model")?.value.kind === "text" && document.at("micro_batch_size") !== void 0;
    return isOurs && found.length >= 2 ? `model and micro_batch_size beside ${found.join(", ")}` : void 0;
  },
  modelField: (document) => document.at("model"),
  deepSpeedField,
  read: read7
};
var leaveOut3 = "Exclude this config for now: add it to ignore in .github/memorymark.yml.";
function read7(document, reader, lookUp, deepSpeed) {
  const model = readModel(reader, document.field("model"), "model", lookUp);
  const batch = readBatch(reader, {
    batchSize: document.at("micro_batch_size"),
    defaultBatch: { value: 1, source: "LLaMA-Factory's default" },
    accumulation: void 0
  });
  if (document.at("global_batch_size") !== void 0) {
    reader.assume(
      "No accumulation: it depends on global_batch_size and the number of GPUs, which the config does not say."
    );
  }
  const division2 = document.at("dist_config", "cp_size") ?? document.at("cp_size");
  const dividedBy = reader.wholeNumber(division2, { max: 1e3 }) ?? 1;
  const method = readMethod2(reader, document.at("peft_config", "name"));
  const hasAdapter = method === "lora";
  const sharded = readSharding4(reader, document, deepSpeed);
  const checkpoints = readCheckpointing5(reader, document.at("enable_activation_checkpointing"));
  const targets = document.at("peft_config", "target_modules");
  return languageModelReading(reader, {
    dialect: llamafactoryV1.name,
    model,
    batch,
    sequence: {
      field: document.at("cutoff_len"),
      byDefault: { value: 2048, source: "LLaMA-Factory's default" },
      dividedBy
    },
    settings: {
      // core/utils: there are at least as many GPUs as share a sequence.
      gpus: division2 !== void 0 && dividedBy > 1 ? reader.note("gpus", dividedBy, division2) : readGpus(reader, void 0, sharded.sharding),
      precision: readPrecision6(reader, deepSpeedSettings(deepSpeedField(document), deepSpeed), {
        sharding: sharded.sharding,
        castsTrained: method === "freeze" && castsTrained(reader, document)
      }),
      optimizer: readOptimizer4(reader, document.at("optim_config", "name")),
      attention: reader.note("attention", "sdpa", "transformers' default"),
      gradientCheckpointing: checkpoints,
      lora: hasAdapter ? readLora(reader, model, {
        rank: document.at("peft_config", "r"),
        defaultRank: { value: 8, source: "peft's default" },
        dropout: document.at("peft_config", "lora_dropout"),
        defaultDropout: 0,
        targets: readTargets(reader, targets) ?? "all",
        targetField: targets,
        ...isOn(reader, document.at("peft_config", "use_dora")) && { form: "dora" }
      }) : void 0,
      trainable: method === "freeze" ? readTrainable3(reader, document, model, checkpoints) : void 0,
      quantization: readQuantization4(reader, document.at("quant_config", "quantization_bit"), hasAdapter),
      ...sharded,
      fusedLoss: void 0,
      paddedBatches: reader.note("paddedBatches", true, "sequences are padded to the longest")
    }
  });
}
function readPrecision6(reader, settings, { sharding, castsTrained: castsTrained2 }) {
  const isDeepSpeed2 = sharding !== void 0 && sharding !== "fsdp";
  const written2 = isDeepSpeed2 && settings !== void 0 ? writtenPrecision(reader, settings, sharding) : void 0;
  const keepsMasters = isDeepSpeed2 || castsTrained2;
  const source = "the checkpoint's type, bf16 for most decoders";
  return written2 ?? reader.note("precision", keepsMasters ? "bf16-master" : "bf16", source);
}
function writtenPrecision(reader, settings, sharding) {
  const [bf16, fp16] = [settings.at("bf16", "enabled"), settings.at("fp16", "enabled")];
  if (isFlag(fp16, true)) {
    const message2 = "LLaMA-Factory v1 trains under DeepSpeed in bf16 only";
    return reader.refuse(fp16, "unsupported-precision", message2, "Set fp16 off and bf16 on.");
  }
  if (isFlag(bf16, true)) return reader.note("precision", "bf16-master", bf16);
  const off = [bf16, fp16].find((field) => isFlag(field, false));
  return off !== void 0 && sharding === "zero3" ? reader.note("precision", "fp32", off) : void 0;
}
function isFlag(field, flag) {
  return field?.value.kind === "flag" && field.value.flag === flag;
}
function readMethod2(reader, field) {
  const name = reader.text(field);
  if (name === void 0) return "full";
  if (name === "lora" || name === "freeze") return name;
  reader.refuse(
    field,
    "unsupported-training",
    `Fine-tuning with ${quote(name)} is not modelled yet`,
    "Use lora, freeze, or no peft_config."
  );
  return "full";
}
function castsTrained(reader, document) {
  return reader.flag(document.at("peft_config", "cast_trainable_params_to_fp32")) ?? true;
}
function readTrainable3(reader, document, model, inputGradients) {
  const from = document.at("peft_config", "name");
  const at = (key2) => document.at("peft_config", key2);
  if (from === void 0) return void 0;
  return readFreeze(reader, model, {
    from,
    layers: at("freeze_trainable_layers"),
    modules: at("freeze_trainable_modules"),
    extraModules: at("freeze_extra_modules"),
    inputGradients
  });
}
function readCheckpointing5(reader, field) {
  return reader.settle("gradientCheckpointing", field, (present3) => reader.flag(present3), {
    value: true,
    source: "LLaMA-Factory's default"
  });
}
function readQuantization4(reader, bits, hasAdapter) {
  const count2 = reader.wholeNumber(bits, { max: 8 });
  if (bits === void 0 || count2 === void 0) return void 0;
  if (count2 === 4 && hasAdapter) return reader.note("quantization", "nf4-double", bits);
  return reader.refuse(bits, "unsupported-quantization", `${count2}-bit base weights are not modelled yet`, leaveOut3);
}
function readOptimizer4(reader, field) {
  if (field?.value.kind === "text" && field.value.text === "muon") return readTrainerOptimizer(reader, field);
  if (field !== void 0) {
    reader.refuse(field, "unsupported-optimizer", `The optimizer ${quote(field.source)} is not supported yet`, leaveOut3);
  }
  return reader.note("optimizer", "adamw", "LLaMA-Factory's default");
}
function deepSpeedField(document) {
  return isDeepSpeed(document.at("dist_config", "name")) ? document.at("dist_config", "config_file") : void 0;
}
function isDeepSpeed(name) {
  return name?.value.kind === "text" && name.value.text === "deepspeed";
}
function readSharding4(reader, document, file) {
  const name = document.at("dist_config", "name");
  if (isDeepSpeed(name)) return readDeepSpeed(reader, deepSpeedField(document), file);
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
  "fused_loss",
  "framework"
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
  const one = (setting, count2, max) => reader.settle(setting, count2, (present3) => reader.wholeNumber(present3, { max }), ours(1));
  const word = (setting, key2, words2, byDefault2) => reader.settle(setting, field(key2), (present3) => reader.choice(present3, named(words2)), ours(byDefault2));
  const flag = (setting, key2) => reader.settle(setting, field(key2), (present3) => reader.flag(present3), ours(false));
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
    framework: word("framework", "framework", frameworks, "pytorch"),
    paddedBatches: flag("paddedBatches", "padded_batches"),
    ...readFineTuning(reader, section, model)
  };
  refuseUnknownKeys(reader, section);
  return trainingConfig(reader, {
    dialect: memorymark.name,
    model,
    spec: { task, microBatch, ...settings, ...size2 },
    batchSize: batchSize2,
    accumulation
  });
}
function readFineTuning(reader, section, model) {
  const [rank, targets] = [section.at("lora_rank"), section.at("lora_targets")];
  const lora = rank && readLora(reader, model, {
    rank,
    defaultRank: ours(1),
    dropout: section.at("lora_dropout"),
    defaultDropout: 0,
    targets: readTargets(reader, targets) ?? "all",
    targetField: targets
  });
  const field = section.at("quantization");
  const quantization = reader.optional("quantization", field, (present3) => reader.choice(present3, named(quantizations)));
  if (quantization !== void 0 && rank === void 0) {
    reader.refuse(field, "quantised-without-adapter", "Quantised weights need adapters", `Set ${ROOT}.lora_rank too.`);
  }
  const shardedBy2 = section.at("sharding");
  const sharding = reader.optional("sharding", shardedBy2, (present3) => reader.choice(present3, named(shardings)));
  const fusedLoss = reader.optional("fusedLoss", section.at("fused_loss"), (present3) => reader.flag(present3));
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
  if (field === void 0) reader.assume(`The task is ${model.defaultTask}: the config does not name one.`);
  return model.defaultTask;
}
function refuseUnknownKeys(reader, section) {
  const known2 = new Set(keys);
  for (const field of section.fields.values()) {
    if (!known2.has(field.key)) {
      reader.refuse(field, "unknown-key", `Unknown key ${quote(field.key)}`, suggest(field.key, keys));
    }
  }
}
function named(words2) {
  return new Map(words2.map((word) => [word, word]));
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
var writesOptimizer = writesAny(["opt"]);
var writesOwn5 = writesAny(["model", "sched"]);
var OWN_KEYS_WITHOUT_MODEL = 6;
var timm = {
  name: "timm",
  mayBe: (text) => writesOptimizer(text) && writesOwn5(text),
  recognise: (document) => {
    const found = ownKeys6.filter((key2) => fieldOf(document, key2) !== void 0);
    if (document.at("opt") === void 0) return void 0;
    const model = document.at("model");
    if (model?.value.kind === "text") return found.length >= 4 ? `model beside ${found.join(", ")}` : void 0;
    const isOurs = model === void 0 && fieldOf(document, "batch_size") && found.length >= OWN_KEYS_WITHOUT_MODEL;
    return isOurs ? `batch_size beside ${found.join(", ")}` : void 0;
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
  const image = fieldOf(document, "img_size");
  const size2 = readInputSize(reader, model, { sequenceLength: void 0, imageSize: image });
  const settings = {
    gpus: readGpus(reader, void 0),
    labels: readLabels(reader, fieldOf(document, "num_classes"), model?.defaultTask),
    precision: readPrecision7(reader, document),
    optimizer: readOptimizer5(reader, document),
    attention: "sdpa",
    gradientCheckpointing: reader.settle(
      "gradientCheckpointing",
      fieldOf(document, "grad_checkpointing"),
      (field) => reader.flag(field),
      timms(false)
    )
  };
  const task = model?.defaultTask;
  return trainingConfig(reader, {
    dialect: timm.name,
    model,
    spec: {
      ...stepInPytorch,
      loop: "plain",
      task,
      microBatch,
      gradientAccumulation,
      ...size2,
      ...settings,
      paddedBatches: false
    },
    batchSize: batchSize2,
    accumulation
  });
}
function timms(value) {
  return { value, source: "timm's default" };
}
function readPrecision7(reader, document) {
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
function readOptimizer5(reader, document) {
  return reader.settle(
    "optimizer",
    document.at("opt"),
    (field) => {
      const name = reader.text(field);
      const known2 = name === void 0 ? void 0 : optimizers4.get(name);
      if (known2 !== void 0 || name === void 0) return known2;
      const message2 = `The optimizer ${quote(name)} is not supported yet`;
      return reader.refuse(field, "unsupported-optimizer", message2, `Use ${[...optimizers4.keys()].join(", ")}.`);
    },
    timms("sgd-momentum")
  );
}

// engine/config/dialects/torchtune/fusion.ts
var MAX_TILES = 4;
var TILE_SIDE = 560;
var MAX_LAYERS2 = 40;
var trainsByName = /* @__PURE__ */ new Map([
  ["frozen", false],
  ["lora", true]
]);
function readFusion(reader, document, model, { isFull: isFull2, checkpoints }) {
  if (model?.config.model_type !== "mllama") return {};
  refuseOtherTiles(reader, document);
  const trains = (part) => {
    const field = document.at("model", `${part}_trainable`);
    if (field === void 0) return part !== "decoder";
    return (isFull2 ? reader.flag(field) : reader.choice(field, trainsByName)) ?? false;
  };
  const parts = ["decoder", "encoder", "fusion"].filter(trains);
  const images = readImages(reader, document, parts.includes("decoder"));
  const names = parts.flatMap((part) => namesOf(part, model.config));
  const inputGradients = checkpoints || isFull2 && parts.includes("fusion");
  const trainable = { names, inputGradients };
  return {
    ...images,
    ...parts.length < 3 && {
      trainable: reader.note("trainable", trainable, "decoder, encoder and fusion_trainable")
    }
  };
}
function refuseOtherTiles(reader, document) {
  const field = document.at("model", "image_size");
  const side = field && reader.wholeNumber(field, { max: 1e5 });
  if (field === void 0 || side === void 0 || side === TILE_SIDE) return;
  const message2 = `Image tiles of ${side} pixels are not modelled yet`;
  reader.refuse(field, "unsupported-setting", message2, `Use image_size: ${TILE_SIDE}, as the instruct models do.`);
}
function readImages(reader, document, trainsDecoder) {
  const dataset = document.at("dataset", "_component_");
  const isText = dataset?.value.kind === "text" && /^torchtune\.datasets\.(?!multimodal\.)/.test(dataset.value.text);
  if (isText && trainsDecoder) return {};
  if (isText) {
    reader.assume(
      "The dataset is text only, which reaches no trainable layer, so one image per sample is counted as well."
    );
  }
  return { images: { tiles: MAX_TILES, checkpointed: "self-attention" } };
}
function namesOf(part, { text_config: text }) {
  const layers2 = Array.from({ length: text.num_hidden_layers }, (_, index) => index);
  const layersThat = (fuse) => chunks(layers2.filter((index) => text.cross_attention_layers.includes(index) === fuse)).map(
    (indices) => String.raw`model\.language_model\.layers\.(${indices.join("|")})\.`
  );
  switch (part) {
    case "decoder":
      return [...layersThat(false), String.raw`model\.language_model\.(embed_tokens|norm)`, "lm_head"];
    case "encoder":
      return ["patch|class|gated|pre_tile|post_tile", "layernorm|transformer"].map(
        (names) => String.raw`model\.vision_model\.(${names})`
      );
    case "fusion":
      return [...layersThat(true), String.raw`model\.vision_model\.global`, String.raw`model\.multi_modal_projector`];
  }
}
function chunks(indices) {
  const starts = Array.from({ length: Math.ceil(indices.length / MAX_LAYERS2) }, (_, chunk) => chunk * MAX_LAYERS2);
  return starts.map((start) => indices.slice(start, start + MAX_LAYERS2));
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
  // In tiles of 560 pixels by default, like the instruct models'.
  llama3_2_vision_11b: "meta-llama/Llama-3.2-11B-Vision-Instruct",
  llama3_2_vision_90b: "meta-llama/Llama-3.2-90B-Vision-Instruct",
  llama3_3_70b: "meta-llama/Llama-3.3-70B-Instruct",
  llama4_scout_17b_16e: "meta-llama/Llama-4-Scout-17B-16E",
  llama4_maverick_17b_128e: "meta-llama/Llama-4-Maverick-17B-128E",
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
var shapes = [
  {
    builder: "llama2",
    shape: { vocab_size: 32e3, num_layers: 22, num_heads: 32, num_kv_heads: 4, embed_dim: 2048 },
    intermediate: 5632,
    model: "TinyLlama/TinyLlama_v1.1"
  }
];
function builderOf(component, argumentOf = () => void 0) {
  const name = component.split(".").at(-1) ?? component;
  const [, prefix, base = name] = /^(?:(q?lora)_)?(.*?)(?:_(?:instruct|base))?$/.exec(name) ?? [];
  const model = Object.hasOwn(builders, base) ? builders[base] : modelOfShape(base, argumentOf);
  return { model: model ?? name, method: prefix === "lora" || prefix === "qlora" ? prefix : "full" };
}
function modelOfShape(builder, argumentOf) {
  const fits2 = ({ shape, intermediate }) => Object.entries(shape).every(([name, size2]) => argumentOf(name) === size2) && (argumentOf("intermediate_dim") ?? intermediate) === intermediate;
  return shapes.find((known2) => known2.builder === builder && fits2(known2))?.model;
}

// engine/config/dialects/torchtune/trajectories.ts
var FEW_TOKENS = 512;
var DEFAULT_PROMPT2 = 512;
function readTrajectories(reader, document, loss, name) {
  const number41 = (key2, byDefault2) => {
    const field = document.at(key2);
    return (field && reader.wholeNumber(field, { max: MAX_BATCH })) ?? byDefault2;
  };
  const answerLength = number41("max_generated_tokens", FEW_TOKENS);
  const isPpo = /PPO/.test(name);
  const batch = isPpo ? ppoBatch(reader, document) : grpoBatch(reader, document);
  const training = isPpo ? ppo(reader, document, loss, { batch, answerLength, number: number41 }) : grpo(reader, loss, { batch, answerLength, number: number41 });
  return { training, batch, length: lengthOf(reader, document, answerLength) };
}
function grpo(reader, loss, { batch, answerLength, number: number41 }) {
  const perPrompt = number41("grpo_samples", 1);
  reader.assume(
    `A sample is ${perPrompt} completions of up to ${answerLength} tokens for one prompt, all in one forward pass. The reference is a frozen copy of the model.`
  );
  tellOfSpeed(reader);
  const collected = batch.microBatch;
  const generated = number41("forward_batch_size", collected);
  const terms = { answerLength, perPrompt, generated, collected, withCritic: false, accumulates: false };
  return { method: reader.note("method", { kind: "trajectories", ...terms }, loss), dropout: false };
}
function ppo(reader, document, loss, { batch, answerLength, number: number41 }) {
  const inBackward = document.at("optimizer_in_bwd");
  const optimizer = document.at("optimizer", "_component_");
  if (isOn(reader, inBackward) && optimizer?.value.kind === "text" && /Paged/.test(optimizer.value.text)) {
    const message2 = "A paged optimizer with optimizer_in_bwd is not modelled yet";
    reader.refuse(
      optimizer,
      "unsupported-setting",
      message2,
      "Exclude this config for now: add it to ignore in .github/memorymark.yml."
    );
    return ordinary;
  }
  reader.assume(
    `Four models: the policy and a value model are trained; a frozen copy and a reward model score completions of up to ${answerLength} tokens. Each is counted as large as the policy.`
  );
  reader.assume(
    "The batch is that of one backward pass: ppo_batch_size / gradient_accumulation_steps. batch_size must stay a multiple of it."
  );
  tellOfSpeed(reader);
  const collected = batch.microBatch * batch.gradientAccumulation;
  const generated = number41("forward_batch_size", collected);
  const accumulates = !isOn(reader, inBackward);
  const terms = { answerLength, perPrompt: 1, generated, collected, withCritic: true, accumulates };
  return { method: reader.note("method", { kind: "trajectories", ...terms }, loss), dropout: false };
}
function tellOfSpeed(reader) {
  reader.assume("Throughput is that of the training step; the time that generation takes is not modelled.");
}
function grpoBatch(reader, document) {
  const defaultBatch = { value: 1, source: "not in the file" };
  return readBatch(reader, { batchSize: document.at("batch_size"), defaultBatch, accumulation: void 0 });
}
function ppoBatch(reader, document) {
  const whole = document.at("ppo_batch_size");
  const all = (whole && reader.wholeNumber(whole, { max: MAX_BATCH })) ?? 1;
  const parts = document.at("gradient_accumulation_steps");
  const gradientAccumulation = (parts && reader.wholeNumber(parts, { max: MAX_BATCH })) ?? 1;
  const microBatch = Math.max(1, Math.floor(all / gradientAccumulation));
  reader.note("microBatch", microBatch, whole ?? "not in the file");
  reader.note("gradientAccumulation", gradientAccumulation, parts ?? "no accumulation");
  return { microBatch, gradientAccumulation, batchSize: void 0, accumulation: void 0 };
}
function lengthOf(reader, document, answerLength) {
  const field = document.at("tokenizer", "max_seq_len");
  const isOpen = field === void 0 || field.value.kind === "empty";
  const prompt = (isOpen ? void 0 : reader.wholeNumber(field, { max: 1e7 })) ?? DEFAULT_PROMPT2;
  const why = isOpen ? "tokenizer.max_seq_len is not set" : "the limit in tokenizer.max_seq_len";
  return {
    value: prompt + answerLength,
    source: "prompt and completion",
    assumption: `Sequences of ${prompt + answerLength} tokens: prompts of up to ${prompt} (${why}), and their completions.`
  };
}

// engine/config/dialects/torchtune.ts
var COMPONENT = "_component_";
var torchtune = {
  name: "torchtune",
  mayBe: (text) => writesComponent(text) && /torchtune\./.test(text) && writesBatch4(text),
  recognise: (document) => {
    const component = componentOf(document, modelPart(document));
    const names = component?.value.kind === "text" ? component.value.text : "";
    const trains = document.at("optimizer") !== void 0 || document.at("loss") !== void 0;
    const isRecipe = trains && (names.startsWith("torchtune.") || hasTorchtunePart(document));
    return isRecipe && document.at("batch_size") !== void 0 ? `batch_size beside ${names || "components"} of torchtune` : void 0;
  },
  modelField: (document) => hubName2(document),
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
function modelPart(document) {
  return document.at("policy_model") === void 0 ? "model" : "policy_model";
}
function componentOf(document, part) {
  return document.at(part, COMPONENT);
}
function hubName2(document) {
  const component = componentOf(document, modelPart(document));
  if (component?.value.kind !== "text") return component;
  return { ...component, value: { kind: "text", text: modelBuilder(document).model } };
}
function modelBuilder(document) {
  const component = componentOf(document, modelPart(document))?.value;
  return builderOf(component?.kind === "text" ? component.text : "", (argument) => {
    const value = document.at(modelPart(document), argument)?.value;
    return value?.kind === "number" ? value.number : void 0;
  });
}
function read10(document, reader, lookUp) {
  const component = componentOf(document, modelPart(document));
  const builder = modelBuilder(document);
  const division2 = document.at("tensor_parallel_dim");
  const tensorParallel = readTensorParallel(reader, division2, true);
  const trajectories = trajectoriesOf(reader, document);
  const training = trajectories?.training ?? readTraining2(reader, document, builder);
  const model = readModel(reader, hubName2(document), "model._component_", lookUp);
  const batch = trajectories?.batch ?? readBatch(reader, {
    batchSize: document.at("batch_size"),
    defaultBatch: { value: 1, source: "not in the file" },
    accumulation: document.at("gradient_accumulation_steps")
  });
  noteChunkedLoss(reader, componentOf(document, "loss"));
  const checkpoints = readCheckpointing6(reader, document);
  const sharded = readSharding5(reader, document);
  return languageModelReading(reader, {
    dialect: torchtune.name,
    model,
    batch,
    sequence: {
      field: trajectories === void 0 ? document.at("tokenizer", "max_seq_len") : void 0,
      byDefault: trajectories?.length ?? {
        value: 2048,
        source: "assumed",
        assumption: "Sequences of up to 2,048 tokens: tokenizer.max_seq_len is not set, so the real length depends on the longest sample."
      }
    },
    settings: {
      gpus: readGpus(reader, tensorParallel && division2, sharded.sharding),
      tensorParallel,
      precision: readPrecision8(reader, document.at("dtype")),
      optimizer: readOptimizer6(reader, document),
      optimizerInBackward: readInBackward(reader, document.at("optimizer_in_bwd")),
      // modules/attention_utils.py: scaled_dot_product_attention, causal and without a mask where nothing is packed.
      attention: reader.note("attention", "sdpa", "torchtune's only kernel"),
      gradientCheckpointing: checkpoints,
      lora: builder.method === "full" ? void 0 : readAdapter3(reader, document, model),
      // modules/low_precision: torchao's nf4, with block constants quantised too.
      quantization: quantizationOf(reader, document, builder, component),
      fakeQuantization: readQuantizer(reader, document),
      expertStyle: model?.family === "llama4" ? "torchtune" : void 0,
      ...readFusion(reader, document, model, { isFull: builder.method === "full", checkpoints }),
      ...sharded,
      ...training,
      // Both recipes that learn from answers hand the model a mask of every pair of tokens.
      paddedBatches: reader.note("paddedBatches", trajectories !== void 0, "as the recipe masks")
    }
  });
}
var leaveOut4 = "Exclude this config for now: add it to ignore in .github/memorymark.yml.";
function readSharding5(reader, document) {
  const field = document.at("fsdp_cpu_offload");
  if (!isOn(reader, field)) return {};
  reader.assume("Weights and optimizer state stay on the host between uses: fsdp_cpu_offload moves them there.");
  return {
    sharding: reader.note("sharding", "fsdp", field),
    syncsEveryMicroBatch: true,
    offload: reader.note("offload", "optimizer-and-weights", field)
  };
}
function trajectoriesOf(reader, document) {
  const loss = componentOf(document, "loss");
  const name = loss?.value.kind === "text" ? loss.value.text : "";
  return loss !== void 0 && /(?:PPO|GRPO)/.test(name) ? readTrajectories(reader, document, loss, name) : void 0;
}
function readTraining2(reader, document, { method }) {
  const teacher = componentOf(document, "teacher_model");
  if (teacher !== void 0) return readTeacher(reader, document, teacher);
  const loss = componentOf(document, "loss");
  const name = loss?.value.kind === "text" ? loss.value.text : "";
  if (loss === void 0 || !/(?:rlhf|DPO|RSO|IPO|SimPO)/.test(name)) return ordinary;
  const reference2 = /SimPO/.test(name) ? "none" : method === "full" ? "copy" : "adapters-off";
  return preference(reader, loss, { reference: reference2, style: "torchtune", keepsDropout: true });
}
var DEFAULT_CHUNKS = 8;
function readTeacher(reader, document, component) {
  const builder = component.value.kind === "text" ? builderOf(component.value.text).model : "";
  const teacher = findModel(builder);
  if (teacher === void 0) {
    const message2 = `Unknown teacher model ${quote(component.source)}`;
    reader.refuse(component, "unknown-model", message2, "Use one of the model builders in torchtune.models.");
    return ordinary;
  }
  const divergence = componentOf(document, "kd_loss");
  if (divergence !== void 0 && !/ForwardKL/.test(divergence.source)) {
    const message2 = `Distillation with ${quote(divergence.source)} is not modelled yet`;
    reader.refuse(divergence, "unsupported-training", message2, "Use ForwardKLWithChunkedOutputLoss.");
    return ordinary;
  }
  const written2 = document.at("kd_loss", "num_output_chunks");
  const chunks2 = written2 === void 0 ? DEFAULT_CHUNKS : reader.wholeNumber(written2, { max: 1e3 });
  return distillation(reader, component, teacher.id, chunks2 ?? DEFAULT_CHUNKS);
}
var dtypes = /* @__PURE__ */ new Map([
  ["bf16", "bf16"],
  ["fp32", "fp32"]
]);
function readPrecision8(reader, field) {
  return reader.settle("precision", field, (present3) => reader.choice(present3, dtypes), {
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
function readOptimizer6(reader, document) {
  const component = componentOf(document, "optimizer");
  return reader.settle(
    "optimizer",
    component,
    (present3) => {
      const name = reader.text(present3)?.split(".").at(-1);
      if (name === void 0) return void 0;
      const known2 = optimizers5.get(name);
      if (known2 === void 0) {
        const message2 = `The optimizer ${quote(present3.source)} is not supported yet`;
        return reader.refuse(present3, "unsupported-optimizer", message2, leaveOut4);
      }
      const isFused = known2 === "adamw" && reader.flag(document.at("optimizer", "fused")) === true;
      return isFused ? "adamw-fused" : known2;
    },
    { value: "adamw", source: "assumed", assumption: "AdamW: the config sets no optimizer." }
  );
}
function readInBackward(reader, field) {
  return isOn(reader, field) ? reader.note("optimizerInBackward", true, field) : void 0;
}
function readCheckpointing6(reader, document) {
  const offloading = document.at("enable_activation_offloading");
  if (offloading !== void 0 && reader.flag(offloading) === true) {
    reader.assume(
      "Activation checkpoints are counted on the GPU, although the config offloads them to the host: the estimate is high."
    );
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
var mlpNames = ["gate_proj", "up_proj", "down_proj", "gate_up_proj", "fc1", "fc2"];
function readAdapter3(reader, document, model) {
  const field = document.at("model", "lora_attn_modules");
  const named2 = readTargets(reader, field);
  const attention8 = named2 === void 0 || typeof named2 === "string" ? Object.keys(layerNames) : named2;
  const mlp = document.at("model", "apply_lora_to_mlp");
  const output = document.at("model", "apply_lora_to_output");
  if (output !== void 0 && reader.flag(output) === true) {
    reader.assume("The adapter on the output layer is not counted.");
  }
  return readLora(reader, model, {
    rank: document.at("model", "lora_rank"),
    defaultRank: { value: 8, source: "torchtune's default" },
    dropout: document.at("model", "lora_dropout"),
    defaultDropout: 0,
    // modules/peft/lora.py: made in the default type, which is the weights'.
    inWeightsType: true,
    ...isOn(reader, document.at("model", "use_dora")) && { form: "dora" },
    targets: [
      ...attention8.flatMap((name) => layerNames[name] ?? [name]),
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
function readQuantizer(reader, document) {
  const quantizer = componentOf(document, "quantizer");
  const name = reader.text(quantizer);
  if (quantizer === void 0 || name === void 0) return void 0;
  if (!/Int8DynActInt4WeightQATQuantizer/.test(name)) {
    const message2 = `Quantisation-aware training with ${quote(name)} is not modelled yet`;
    return reader.refuse(quantizer, "unsupported-training", message2, "Use Int8DynActInt4WeightQATQuantizer.");
  }
  const group = document.at("quantizer", "groupsize");
  const groupSize = group === void 0 ? 256 : reader.wholeNumber(group, { max: 1e6 });
  if (groupSize === void 0) return void 0;
  reader.assume(
    "Linear layers fake-quantise their input and weight as torchao does, with what that saves for the backward pass."
  );
  return reader.note("fakeQuantization", { groupSize }, quantizer);
}
function noteChunkedLoss(reader, loss) {
  if (loss?.value.kind !== "text" || !/(?:LinearCrossEntropyLoss|CEWithChunkedOutputLoss)$/.test(loss.value.text))
    return;
  reader.assume("A chunked loss is counted as one over the full logits, so the estimate errs on the high side.");
}

// engine/config/dialects/ultralytics/classes.ts
var classesOf = /* @__PURE__ */ new Map([
  ["african-wildlife", 4],
  ["argoverse", 8],
  ["brain-tumor", 2],
  ["cifar10", 10],
  ["cifar100", 100],
  ["coco", 80],
  ["coco-pose", 1],
  ["coco8-pose", 1],
  ["coco8", 80],
  ["coco8-grayscale", 80],
  ["coco12-formats", 80],
  ["coco128", 80],
  ["construction-ppe", 11],
  ["fashion-mnist", 10],
  ["globalwheat2020", 1],
  ["homeobjects-3k", 12],
  ["imagenet", 1e3],
  ["imagenet10", 10],
  ["imagenet100", 100],
  ["imagenette", 10],
  ["imagewoof", 10],
  ["kitti", 8],
  ["lvis", 1203],
  ["medical-pills", 1],
  ["mnist", 10],
  ["mnist160", 10],
  ["objects365", 365],
  ["open-images-v7", 601],
  ["signature", 1],
  ["sku-110k", 1],
  ["tt100k", 221],
  ["visdrone", 10],
  ["voc", 20],
  ["xview", 60]
]);
function readClasses(reader, document, model) {
  const single = document.at("single_cls");
  if (single !== void 0 && reader.flag(single) === true) return reader.note("labels", 1, single);
  const data = document.at("data");
  const name = data?.value.kind === "text" ? /([^/\\]+?)(?:\.ya?ml)?$/.exec(data.value.text.trim())?.[1] : void 0;
  const known2 = classesOf.get(name?.toLowerCase() ?? "");
  if (data !== void 0 && known2 !== void 0 && !reader.supplies("labels")) return reader.note("labels", known2, data);
  if (!findsKeypoints(model)) return readLabels(reader, void 0, model?.defaultTask, known2);
  reader.assume("One class, people with 17 keypoints each, as in COCO: the config does not say.");
  return readLabels(reader, void 0, model?.defaultTask, 1);
}
function findsKeypoints(model) {
  return model?.config.model_type === "yolo" && model.config.head === "pose";
}

// engine/config/dialects/ultralytics.ts
var ownKeys7 = ["imgsz", "batch", "epochs", "close_mosaic", "mosaic", "patience", "lrf", "optimizer", "data"];
var writesSize = writesAny(["imgsz"]);
var writesBatch5 = writesAny(["batch", "epochs"]);
var ultralytics = {
  name: "Ultralytics",
  mayBe: (text) => writesSize(text) && writesBatch5(text),
  recognise: (document) => {
    const found = ownKeys7.filter((key2) => document.fields.has(key2));
    const trains = document.at("mode") === void 0 || document.at("mode")?.source === "train";
    const isOurs = document.at("imgsz") !== void 0 && (document.at("batch") ?? document.at("epochs")) !== void 0;
    return isOurs && trains && found.length >= 3 ? found.join(", ") : void 0;
  },
  modelField: (document) => catalogued(document.at("model")),
  read: read11
};
var MAX_PIXELS = 1e5;
function read11(document, reader, lookUp) {
  const gpus2 = readGpus2(reader, document.at("device"));
  const batchSize2 = document.at("batch");
  const batch = readBatch3(reader, batchSize2);
  const microBatch = batch === void 0 ? void 0 : Math.max(Math.floor(batch / gpus2), 1);
  if (microBatch !== void 0) reader.note("microBatch", microBatch, batchSize2 ?? "Ultralytics' default");
  const gradientAccumulation = readAccumulation(reader, document.at("nbs"), batch);
  const imageSize = readImageSize(reader, document);
  const amp = document.at("amp");
  const isMixed = amp === void 0 || reader.flag(amp) === true;
  const settings = {
    gpus: gpus2,
    precision: reader.note("precision", isMixed ? "amp-fp16" : "fp32", amp ?? "Ultralytics' default"),
    optimizer: readOptimizer7(reader, document.at("optimizer")),
    ...readFrozen(reader, document.at("freeze"))
  };
  const model = readDetector(reader, document, lookUp);
  const task = model?.defaultTask;
  const labels = readClasses(reader, document, model);
  if (task === "object-detection") assumeObjects(reader, imageSize, labels);
  if (isCompiled(document.at("compile"))) reader.assume("The model is counted without torch.compile.");
  return trainingConfig(reader, {
    dialect: ultralytics.name,
    model,
    spec: {
      ...stepInPytorch,
      loop: "ultralytics",
      task,
      microBatch,
      gradientAccumulation,
      imageSize,
      labels,
      ...settings,
      attention: "sdpa",
      gradientCheckpointing: false,
      paddedBatches: false
    },
    // With several GPUs the number that stands there is not that of one.
    batchSize: gpus2 === 1 ? batchSize2 : void 0,
    accumulation: void 0
  });
}
function catalogued(field) {
  if (field?.value.kind !== "text") return void 0;
  const [, name = "", extension] = /^(?:.*[/\\])?(yolo[\w-]+?)(?:-oiv7)?(\.pt|\.ya?ml)?$/i.exec(field.value.text.trim()) ?? [];
  const model = findModel(`ultralytics/${name}`) ?? (extension === ".pt" ? void 0 : findModel(`ultralytics/${name.replace(/^yolo(?:v8|\d+)/i, "$&n")}`));
  return model && { ...field, value: { kind: "text", text: model.id } };
}
function readDetector(reader, document, lookUp) {
  const written2 = document.at("model");
  const known2 = catalogued(written2);
  if (reader.supplies("model") || known2 !== void 0) return readModel(reader, known2, "model", lookUp);
  const supply = `Exclude this config for now, ${orInSettings("model")} with a model of the same size, such as ultralytics/yolo11n.`;
  if (written2 === void 0)
    return reader.refuse(void 0, "model-not-in-file", "The model cannot be determined from the file", supply);
  const name = reader.text(written2);
  if (name === void 0) return void 0;
  const message2 = `The model ${quote(name)} ${unknownBecause(name)}`;
  return reader.refuse(written2, "unknown-model", message2, supply);
}
function unknownBecause(name) {
  if (/(?:^|[/\\])(?:best|last|epoch\d+)\.pt$/i.test(name))
    return "is the result of an earlier run, and its name does not say its shape";
  if (/^(?:yolo|rtdetr|sam|fastsam|mobilesam)/i.test(name.replace(/^.*[/\\]/, "")))
    return "is an Ultralytics model that is not modelled yet";
  return "has a name that does not say its shape";
}
function readGpus2(reader, field) {
  if (field === void 0) {
    reader.note("gpus", 1, "Ultralytics' default");
    return 1;
  }
  const { value } = field;
  if (value.kind === "text" && /^(?:cpu|mps)\b/i.test(value.text.trim())) {
    const message2 = `This trains on ${quote(value.text.trim())}, which is not a GPU in the catalogue`;
    reader.refuse(field, "not-on-gpu", message2, "Exclude this config from the check, or name the GPUs.");
    return 1;
  }
  const listed = value.kind === "list" ? value.items.length : value.kind === "text" ? devicesIn2(value.text) : 1;
  return reader.note("gpus", Math.max(listed, 1), field);
}
function devicesIn2(text) {
  return text.split(",").filter((part) => part.trim() !== "").length;
}
function readBatch3(reader, field) {
  const { value } = field ?? {};
  if (field !== void 0 && value?.kind === "number" && value.number < 1) {
    const message2 = `The batch size cannot be determined from the file: ${field.source} lets Ultralytics choose one`;
    return reader.refuse(field, "not-in-file", message2, "Write the value into the config if you want it checked.");
  }
  return field === void 0 ? DEFAULT_BATCH2 : reader.wholeNumber(field, { max: MAX_BATCH });
}
var DEFAULT_BATCH2 = 16;
var NOMINAL_BATCH = 64;
function readAccumulation(reader, field, batch) {
  const nominal = reader.wholeNumber(field, { max: MAX_BATCH }) ?? NOMINAL_BATCH;
  if (batch === void 0) return 1;
  const steps = Math.max(roundedToEven(nominal / batch), 1);
  return reader.note("gradientAccumulation", steps, field ?? "accumulated up to nbs, 64 by default");
}
function roundedToEven(number41) {
  const floor = Math.floor(number41);
  if (number41 - floor !== 0.5) return Math.round(number41);
  return floor % 2 === 0 ? floor : floor + 1;
}
function readImageSize(reader, document) {
  const field = reader.fieldFor("image_size", document.at("imgsz"));
  const sides2 = field?.value.kind === "list" ? field.value.items : void 0;
  const longest = sides2?.reduce((most, side) => Math.max(most, side.kind === "number" ? side.number : Number.NaN), 0);
  const isListed = field !== void 0 && longest !== void 0 && Number.isInteger(longest);
  const shown2 = isListed ? { ...field, value: { kind: "number", number: longest } } : field;
  const pixels = reader.wholeNumber(shown2, { max: MAX_PIXELS }) ?? 640;
  const largest = ceilToStride(pixels) + growthOf(reader, document.at("multi_scale"), pixels);
  const square = ceilToStride(largest);
  if (square !== pixels) reader.assume(`Images of ${square}×${square} pixels${growthReason(square, pixels)}.`);
  return reader.note("imageSize", square, field ?? "Ultralytics' default");
}
function growthReason(square, pixels) {
  return square > ceilToStride(pixels) ? ", the largest size that multi_scale picks" : `: ${pixels} is not a multiple of ${PIXEL_STRIDE}`;
}
function growthOf(reader, field, pixels) {
  if (field === void 0) return 0;
  if (field.value.kind === "flag") return field.value.flag ? pixels / 2 : 0;
  return (reader.share(field) ?? 0) * pixels;
}
function ceilToStride(pixels) {
  return Math.ceil(pixels / PIXEL_STRIDE) * PIXEL_STRIDE;
}
var optimizers6 = new Map([
  ["sgd", "sgd-momentum"],
  ...["auto", "adam", "adamax", "adamw", "nadam", "radam", "rmsprop", "musgd"].map((name) => [name, "adamw"])
]);
function readOptimizer7(reader, field) {
  const name = field?.value.kind === "text" ? field.value.text.trim().toLowerCase() : "auto";
  if (name === "auto") {
    reader.assume(
      "The optimizer state is AdamW's: Ultralytics' auto uses AdamW for short runs and MuSGD for long ones."
    );
  }
  const known2 = optimizers6.get(name);
  if (known2 !== void 0) return reader.note("optimizer", known2, field ?? "Ultralytics' default, auto");
  const fix = "Use SGD, MuSGD, Adam, Adamax, AdamW, NAdam, RAdam, RMSProp or auto.";
  reader.refuse(field, "unsupported-optimizer", `Ultralytics has no optimizer ${quote(name)}`, fix);
  return "adamw";
}
function readFrozen(reader, field) {
  if (field === void 0) return {};
  const listed = field.value.kind === "list" ? field.value.items : void 0;
  const frozen = listed?.flatMap((item) => item.kind === "number" ? [item.number] : []) ?? countedUp(reader, field);
  if (frozen.length === 0) return {};
  return { trainable: reader.note("trainable", { names: [allBut(frozen)], inputGradients: false }, field) };
}
function countedUp(reader, field) {
  return Array.from({ length: reader.wholeNumber(field, { min: 0, max: 1e3 }) ?? 0 }, (_, index) => index);
}
var MAX_LAYERS3 = 45;
function allBut(layers2) {
  const others3 = Array.from({ length: MAX_LAYERS3 }, (_, index) => index).filter((index) => !layers2.includes(index));
  return `model\\.(?:${others3.join("|")})\\.`;
}
function isCompiled(field) {
  return field !== void 0 && !(field.value.kind === "flag" && !field.value.flag);
}
function assumeObjects(reader, imageSize, classes) {
  const each = Math.round(bytesPerPair(ASSUMED_OBJECTS, classes) * pixelsAnswering(imageSize) / KIB);
  reader.assume(
    `Up to ${ASSUMED_OBJECTS} objects per image, including mosaics of four: the config does not say. Each additional object in the fullest image of a batch adds ${each} KiB for every image.`
  );
}
function bytesPerPair(objects, classes) {
  return 20 * objects > 21 * classes ? 32 : 12;
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

// engine/config/read.ts
var offline = { lookUp: resolveOffline, deepSpeed: notLookedFor, files: [] };
function readConfig(file) {
  const opened = openConfig(file);
  return opened.kind === "open" ? opened.read(offline) : opened;
}
async function readConfigAsync(file, sources, supplied = {}) {
  const opened = openConfig(file, supplied);
  return opened.kind === "open" ? opened.read(await foundFor(opened, file, sources)) : opened;
}
async function explainConfigAsync(file, sources, supplied = {}) {
  const opened = openConfig(file, supplied);
  if (opened.kind !== "open") return { kind: "not-recognised", reading: opened };
  return explain(opened, new FieldReader(file.path, supplied), await foundFor(opened, file, sources));
}
async function foundFor({ modelName, deepSpeedName }, { path: path2 }, sources) {
  const noted2 = notingFiles(sources);
  const resolution = modelName === void 0 ? { kind: "unknown" } : await resolveModel(modelName, noted2.sources, path2);
  const deepSpeed = await findDeepSpeedFile(deepSpeedName, noted2.sources, path2);
  return { lookUp: () => resolution, deepSpeed, files: noted2.files };
}
function explain({ dialect, why, read: read12 }, reader, found) {
  const reading = read12(found, reader);
  const { decisions, assumptions } = reader;
  return { kind: "recognised", dialect: dialect.name, why, decisions, assumptions, reading };
}
function openConfig(file, supplied = {}) {
  if (!dialects.some((dialect) => dialect.mayBe(file.text))) return notOurs;
  const parsed2 = parseFile(file);
  if (parsed2.kind === "unreadable") return parsed2;
  for (const document of parsed2.mappings) {
    for (const dialect of dialects) {
      const why = dialect.recognise(document);
      if (why === void 0) continue;
      const modelName = nameIn(supplied.model ?? dialect.modelField(document));
      const deepSpeedName = nameIn(dialect.deepSpeedField?.(document));
      return {
        kind: "open",
        dialect,
        why,
        ...modelName !== void 0 && { modelName },
        ...deepSpeedName !== void 0 && { deepSpeedName },
        read: ({ lookUp, deepSpeed, files }, reader = new FieldReader(file.path, supplied)) => withFiles(withUnread(dialect.read(document, reader, lookUp, deepSpeed), reader), files)
      };
    }
  }
  return notOurs;
}
function withUnread(reading, { unread }) {
  if (reading.kind !== "training-config" || unread.length === 0) return reading;
  const sentence = `${SETTINGS_PATH} supplies ${unread.join(", ")}, which do not apply to ${reading.dialect} configs.`;
  return { ...reading, assumptions: [...reading.assumptions, sentence] };
}
function withFiles(reading, files) {
  if (reading.kind === "not-a-training-config" || files.length === 0) return reading;
  return { ...reading, otherFiles: files.map(({ path: path2, text }) => ({ path: path2, blobSha: gitBlobSha(text) })) };
}
var notOurs = {
  kind: "not-a-training-config",
  why: `It sets no batch size in a known format (${oneOf2(dialects.map(({ name }) => name))}).`
};
var candidateExtension = /\.(ya?ml|json)$/i;
var foreignFolders = /* @__PURE__ */ new Set(["node_modules", ".git", ".venv", "venv", "__pycache__", "site-packages"]);
var foreignFile = /^(package|composer|tsconfig.*|jsconfig.*|biome|deno|renovate|tokenizer|tokenizer_config|vocab|trainer_state|.*[-.]lock|npm-shrinkwrap|\.eslintrc|\.prettierrc|\.pre-commit-config)\.(ya?ml|json)$/i;
function isCandidatePath(path2) {
  const folders = path2.split("/");
  const name = folders.pop() ?? "";
  return candidateExtension.test(name) && !foreignFile.test(name) && !folders.some((folder) => foreignFolders.has(folder));
}

// engine/verdict/policy.ts
import * as z76 from "zod";
var MAX_CONDITIONS = 20;
var percent2 = z76.number().min(0).max(1e3);
var condition = z76.discriminatedUnion("kind", [
  /** Usable memory idle at the current batch, judged only if a faster batch exists. */
  z76.object({ kind: z76.literal("waste"), abovePercent: percent2 }),
  /** Missed throughput: how much faster the recommended batch is. */
  z76.object({ kind: z76.literal("throughput-loss"), abovePercent: percent2 }),
  /** Savings of the recommendation over a year. */
  z76.object({ kind: z76.literal("annual-cost"), aboveUsd: z76.number().min(0).max(1e12) })
]);
var policy = z76.object({
  failOn: z76.array(condition).max(MAX_CONDITIONS),
  warnOn: z76.array(condition).max(MAX_CONDITIONS)
});
var spared = z76.enum(["within-error", "no-worse", "accepted", "snoozed"]);
var reason = z76.discriminatedUnion("kind", [
  z76.object({ kind: z76.literal("does-not-fit"), spared: spared.optional() }),
  z76.object({ kind: z76.literal("condition"), condition, actual: z76.number(), spared: spared.optional() })
]);
var verdict = z76.object({
  state: z76.enum(["fine", "warning", "blocked"]),
  /** The reasons to block; if there are none, the warnings, and what would block but is spared. */
  reasons: z76.array(reason).max(2 * MAX_CONDITIONS)
});
var defaultPolicy = {
  failOn: [{ kind: "waste", abovePercent: 40 }],
  warnOn: [{ kind: "throughput-loss", abovePercent: 5 }]
};
var grammar = /^(?:(waste|throughput-loss)\s*>\s*(\d+(?:\.\d+)?)\s*%?|(annual-cost)\s*>\s*\$?\s*(\d+(?:\.\d+)?))$/;
function parseConditions(text, setting) {
  const parts = text.split(",").map((part) => part.trim()).filter((part) => part !== "");
  if (parts.length === 0 || parts.length > MAX_CONDITIONS) throw unreadable2(text, setting);
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
import * as z78 from "zod";

// engine/config/reading.ts
import * as z77 from "zod";
var position = z77.object({ line: z77.number().int().positive(), column: z77.number().int().positive() });
var otherFile = z77.object({ path: z77.string().min(1).max(4096), blobSha: z77.string().max(64) });

// engine/report/schema.ts
var bytes4 = z78.number().min(0).max(1e18);
var usd = z78.number().min(-1e12).max(1e12);
var label = z78.string().max(200);
var path = z78.string().min(1).max(4096);
var throughputProvenance = z78.enum(["measured", "modelled"]);
var breakdown = z78.record(z78.enum(byteKinds), bytes4);
var operatingPoint = z78.object({
  microBatch: batchSize,
  gradientAccumulation: batchSize,
  effectiveBatch: z78.number().int().min(1),
  fits: z78.boolean(),
  peakBytes: bytes4,
  samplesPerSecond: z78.number().positive(),
  costPerRunUsd: usd
});
var reportedGpu = z78.object({
  id: label,
  name: label,
  /** As torch.cuda.get_device_properties reports it. */
  totalBytes: bytes4,
  /** total − CUDA context. */
  usableBytes: bytes4,
  pricePerHourUsd: usd,
  /** Where the price is from and when it was read. */
  priceSource: label,
  priceDate: label
});
var leverChange = z78.enum(["gradient-checkpointing", "bf16-autocast", "sdpa-attention", "fused-optimizer"]);
var throughputPoint = z78.object({ microBatch: batchSize, samplesPerSecond: z78.number().positive() });
var otherFiles = z78.array(otherFile).max(10).optional();
var analysedConfig = z78.object({
  status: z78.literal("analysed"),
  path,
  dialect: label,
  spec: trainingSpec,
  /** Where the micro-batch is written; absent when the config leaves it to its tool's default. */
  batchSizeAt: position.optional(),
  gradientAccumulationAt: position.optional(),
  gpu: reportedGpu,
  provenance,
  /** Half-width of the band around every memory figure: checked by `npm run bench:accuracy`, or the spread of measured steps. */
  errorBandPercent: z78.number().min(0).max(100),
  throughputProvenance,
  /** Half-width of the band around every throughput: the widest spread of the timed steps. Absent where it is modelled. */
  throughputBandPercent: z78.number().min(0).max(100).optional(),
  current: operatingPoint,
  /** Absent when not even one sample fits. */
  recommended: operatingPoint.optional(),
  largest: operatingPoint.optional(),
  /** The recommendation with a larger effective batch, if that is worthwhile. Absent in older reports. */
  beyond: operatingPoint.optional(),
  /** Bytes at the peak of the current batch, and the moment of that peak in words. */
  breakdown,
  peakMoment: label,
  /** Recommended against current samples per second. */
  speedup: z78.number().positive(),
  savingsPerRunUsd: usd,
  savingsPerYearUsd: usd,
  /** The one change that frees most at the current batch. */
  lever: z78.object({ change: leverChange, peakBytes: bytes4 }).optional(),
  /** A cheaper GPU on which the current config fits and a run costs less. */
  rightSizing: z78.object({ gpu: reportedGpu, costPerRunUsd: usd }).optional(),
  trials: z78.array(trial).max(1e3),
  /** At sizes that fit; if throughput was measured, at the timed ones. Absent in older reports. */
  throughputCurve: z78.array(throughputPoint).max(1e3).optional(),
  hoursPerRun: z78.number().positive().max(1e6),
  runsPerYear: z78.number().positive().max(1e6),
  /** What the config did not say and was assumed, one sentence each. */
  assumptions: z78.array(z78.string().max(500)).max(30),
  otherFiles,
  verdict
});
var unanalysedConfig = z78.object({
  status: z78.literal("not-analysed"),
  path,
  problems: z78.array(problem).min(1).max(50),
  otherFiles,
  /** Why it does not block, if it does not. */
  spared: spared.optional()
});
var REPORT_SCHEMA = "memorymark.report/v1";
var report = z78.object({
  schema: z78.literal(REPORT_SCHEMA),
  toolVersion: label,
  createdAt: z78.iso.datetime(),
  policy,
  configs: z78.array(z78.discriminatedUnion("status", [analysedConfig, unanalysedConfig])).max(5e3)
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
  reportSchedule: void 0,
  measure: void 0,
  overrides: []
};
function isCounted(path2, { paths, ignore }) {
  const isWanted = paths === void 0 || paths.some((glob) => matchesGlob(path2, glob));
  return isWanted && !ignore.some((glob) => matchesGlob(path2, glob));
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

// engine/render/plain.ts
var invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;
function plainText(text, maxLength = 600) {
  const oneLine = text.slice(0, 2 * maxLength + 2).replace(/[\r\n\t\u2028\u2029]+/g, " ").replace(invisible, "�");
  const characters = Array.from(oneLine);
  return characters.length <= maxLength ? oneLine : `${characters.slice(0, maxLength - 1).join("")}…`;
}
function plainPath(path2, maxLength = 120) {
  if (path2.length <= maxLength) return plainText(path2, maxLength);
  const head2 = Math.floor(maxLength / 3);
  return `${plainText(path2.slice(0, head2))}…${plainText(path2.slice(head2 + 1 - maxLength))}`;
}
function plainProblem(problem2) {
  const { file, field, message: message2, fix } = problem2;
  const where = formatWhere({
    ...problem2,
    ...file === void 0 ? {} : { file: plainPath(file) },
    ...field === void 0 ? {} : { field: plainText(field, 100) }
  });
  return `${where}${plainText(message2)}. ${plainText(fix)}`;
}
function capitalised(sentence) {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

// engine/search/boundary.ts
function nextMove({ fits: fits2, fails }, grid, predicted2) {
  if (fails - fits2 === 1) return { kind: "done", largest: fits2 };
  const start = Math.min(Math.max(predicted2, 0), grid.length - 1);
  if (fits2 < start && start < fails) return { kind: "try", index: start };
  if (fails === grid.length) return { kind: "try", index: Math.min(fits2 + (fits2 - start) + 1, grid.length - 1) };
  if (fits2 === -1) return { kind: "try", index: Math.max(fails - (start - fails) - 1, 0) };
  return { kind: "try", index: Math.floor((fits2 + fails) / 2) };
}
function findLargest(grid, predicted2, tryBatch) {
  let bounds = { fits: -1, fails: grid.length };
  for (; ; ) {
    const move = nextMove(bounds, grid, predicted2);
    if (move.kind === "done") return move.largest < 0 ? void 0 : grid.at(move.largest);
    bounds = tryBatch(grid.at(move.index)) ? { ...bounds, fits: move.index } : { ...bounds, fails: move.index };
  }
}

// engine/search/strategy.ts
var strategyNames = ["predict-verify", "bisect", "linear"];
var CERTAINLY_TOO_MUCH = 1.01;
var PREDICTIONS = 5;
var strategies2 = {
  "predict-verify": predictVerify,
  bisect: (tried, { grid }) => nextMove(boundsOf(tried, grid), grid, 0),
  linear
};
function triedOf({ microBatch, accumulates, outcome: outcome2 }) {
  if (isBroken(outcome2)) return [];
  const fits2 = outcome2.kind === "fits";
  if (accumulates) return fits2 ? [{ microBatch, fits: fits2 }] : [];
  return [{ microBatch, fits: fits2, peakBytes: peakOf(outcome2) }];
}
function boundsOf(tried, grid) {
  const failing = tried.filter(({ fits: fits2 }) => !fits2).map(({ microBatch }) => grid.firstNotBelow(microBatch));
  const fails = Math.min(grid.length, ...failing);
  const fitting = tried.filter(({ fits: fits2 }) => fits2).map(({ microBatch }) => grid.indexOf(microBatch));
  return { fits: Math.max(-1, ...fitting.filter((index) => index < fails)), fails };
}
function linear(tried, { grid }) {
  const onGrid = tried.filter(({ microBatch }) => grid.at(grid.indexOf(microBatch)) === microBatch);
  const { fits: fits2, fails } = boundsOf(onGrid, grid);
  if (fails - fits2 === 1) return { kind: "done", largest: fits2 };
  if (fails < grid.length) return { kind: "try", index: fails - 1 };
  return { kind: "try", index: fits2 === -1 ? grid.firstStep : fits2 + 1 };
}
function predictVerify(tried, { grid, prediction }) {
  const bounds = boundsOf(tried, grid);
  const { fits: fits2, fails } = bounds;
  if (fails - fits2 === 1) return { kind: "done", largest: fits2 };
  const ratio = nearestRatio(tried, ({ microBatch }) => prediction.peakBytes(microBatch));
  const correct = (microBatch) => prediction.peakBytes(microBatch) * ratio(microBatch);
  const nextIsTooMuch = fits2 >= 0 && correct(grid.at(fits2 + 1)) > prediction.usableBytes * CERTAINLY_TOO_MUCH;
  if (nextIsTooMuch && hasPeak(tried, grid, fits2)) return { kind: "done", largest: fits2 };
  if (tried.length >= PREDICTIONS) return { kind: "try", index: halving(bounds, grid) };
  const predicted2 = correctedLargest(correct, grid, prediction);
  if (fits2 < predicted2 && predicted2 < fails) return { kind: "try", index: predicted2 };
  const index = gallop(bounds, grid, tried, predicted2);
  const leapsTooFar = index > fits2 + 1 && predicted2 <= fits2 && correct(grid.at(index)) > prediction.usableBytes;
  return { kind: "try", index: leapsTooFar ? fits2 + 1 : index };
}
function gallop({ fits: fits2, fails }, grid, tried, predicted2) {
  const places = tried.map(({ microBatch }) => grid.indexOf(microBatch));
  const index = predicted2 <= fits2 ? fits2 + 1 + (fits2 - Math.min(fits2, ...places.filter((place) => place >= predicted2 && place >= 0))) : fails - 1 - (Math.max(fails, ...places.filter((place) => place <= predicted2)) - fails);
  return fits2 < index && index < fails ? index : halving({ fits: fits2, fails }, grid);
}
function halving({ fits: fits2, fails }, grid) {
  return fails === grid.length ? Math.min(2 * fits2 + 2, grid.length - 1) : Math.floor((fits2 + fails) / 2);
}
function hasPeak(tried, grid, index) {
  return tried.some(({ microBatch, peakBytes }) => peakBytes !== void 0 && grid.indexOf(microBatch) === index);
}
function nearestRatio(tried, predictedBytes) {
  const ratios = tried.flatMap(
    (one) => one.peakBytes === void 0 ? [] : [{ microBatch: one.microBatch, ratio: one.peakBytes / predictedBytes(one) }]
  );
  return (microBatch) => {
    const distance = (other) => Math.abs(Math.log(other.microBatch / microBatch));
    const nearest = ratios.toSorted((a, b) => distance(a) - distance(b))[0];
    return nearest?.ratio ?? 1;
  };
}
function correctedLargest(correct, grid, prediction) {
  const { largest, peakBytes } = prediction;
  const below = largest < 0 ? 0 : peakBytes(grid.at(largest));
  const limit = (below + peakBytes(grid.at(Math.min(largest + 1, grid.length - 1)))) / 2;
  let [low, high] = [-1, grid.length];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (correct(grid.at(middle)) <= limit) low = middle;
    else high = middle;
  }
  return low;
}

// engine/metrics/cost.ts
function costPerRunUsd({ hoursPerRun, pricePerHourUsd, gpus: gpus2 }, relativeSpeed = 1) {
  return hoursPerRun * pricePerHourUsd * gpus2 / relativeSpeed;
}
function savingsPerRunUsd(terms, speedup) {
  return costPerRunUsd(terms) * (1 - 1 / speedup);
}

// engine/metrics/recommend.ts
var THROUGHPUT_TOLERANCE = 0.02;
var DEFAULT_MARGIN = 0.05;
var KEEPING_WORTH = 0.9;
function isSamePlan(one, other) {
  return one.microBatch === other?.microBatch && one.gradientAccumulation === other.gradientAccumulation;
}
function recommend(situation) {
  const { current, samplesPerSecond } = situation;
  const best = smallestFastPlan(situation);
  if (best === void 0 || !isAllowed(situation, current)) return best;
  const speedup = samplesPerSecond(best) / samplesPerSecond(current);
  const isWorthwhile = perGpuOf(best) === perGpuOf(current) ? speedup * (1 - THROUGHPUT_TOLERANCE) > 1 : speedup >= WORTHWHILE_SPEEDUP;
  return isWorthwhile ? best : current;
}
function perGpuOf({ microBatch, gradientAccumulation }) {
  return microBatch * gradientAccumulation;
}
function smallestFastPlan(situation) {
  const { current, samplesPerSecond, bounds } = situation;
  if (bounds !== void 0) return withinBounds(situation, bounds);
  const fastest = smallestNearBest(situation, false);
  if (fastest === void 0) return void 0;
  const alone = { microBatch: fastest, gradientAccumulation: 1 };
  if (current.gradientAccumulation === 1 && fastest > current.microBatch) return alone;
  const perGpu = perGpuOf(current);
  const kept = keepingEffectiveBatch(situation, perGpu);
  if (kept?.gradientAccumulation === 1) return kept;
  const changed = nearEffectiveBatch(situation, perGpu, alone);
  return kept && samplesPerSecond(kept) >= KEEPING_WORTH * samplesPerSecond(changed) ? kept : changed;
}
function withinBounds(situation, { dividend, accumulates }) {
  const { current, largestWithMargin } = situation;
  if (accumulates) return keepingEffectiveBatch(situation, perGpuOf(current));
  const most = Math.min(current.microBatch, largestWithMargin(false) ?? 0);
  const largest = divisors(dividend).findLast((divisor) => divisor <= most);
  return largest === void 0 ? void 0 : { microBatch: largest, gradientAccumulation: 1 };
}
var WORTHWHILE_SPEEDUP = 1.05;
function advise(situation) {
  const recommended = recommend(situation);
  const next = recommended && recommend({ ...situation, current: recommended });
  if (recommended === void 0 || next === void 0) return void 0;
  const speedup = situation.samplesPerSecond(next) / situation.samplesPerSecond(recommended);
  const isWorthwhile = next.microBatch > recommended.microBatch && speedup >= WORTHWHILE_SPEEDUP;
  return { recommended, ...isWorthwhile && { beyond: next } };
}
function smallestNearBest({ grid, largestWithMargin, samplesPerSecond }, isSeveral) {
  const largest = largestWithMargin(isSeveral);
  if (largest === void 0) return void 0;
  const rate = (batch) => samplesPerSecond({ microBatch: batch, gradientAccumulation: 1 });
  const enough = rate(largest) * (1 - THROUGHPUT_TOLERANCE);
  let low = 0;
  let high = grid.indexOf(largest);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (rate(grid.at(middle)) >= enough) high = middle;
    else low = middle + 1;
  }
  return grid.at(low);
}
function nearEffectiveBatch(situation, perGpu, alone) {
  if (Math.round(perGpu / alone.microBatch) <= 1) return alone;
  const microBatch = smallestNearBest(situation, true);
  return microBatch === void 0 ? alone : { microBatch, gradientAccumulation: Math.round(perGpu / microBatch) };
}
function keepingEffectiveBatch(situation, perGpu) {
  const { samplesPerSecond } = situation;
  const plans = divisors(perGpu).map((microBatch) => ({ microBatch, gradientAccumulation: perGpu / microBatch }));
  const fastest = plans.findLast((plan) => isAllowed(situation, plan));
  if (fastest === void 0) return void 0;
  const enough = samplesPerSecond(fastest) * (1 - THROUGHPUT_TOLERANCE);
  return plans.find((plan) => samplesPerSecond(plan) >= enough && isAllowed(situation, plan));
}
function isAllowed({ largestWithMargin, bounds }, { microBatch, gradientAccumulation }) {
  const divides = (bounds?.dividend ?? 0) % microBatch === 0;
  return divides && microBatch <= (largestWithMargin(gradientAccumulation > 1) ?? 0);
}
function divisors(n) {
  const small3 = [];
  for (let candidate = 1; candidate * candidate <= n; candidate++) if (n % candidate === 0) small3.push(candidate);
  const large2 = small3.map((divisor) => n / divisor).filter((divisor) => divisor * divisor !== n);
  return [...small3, ...large2.toReversed()];
}

// engine/render/figures.ts
function ofUsable(peakBytes, usableBytes2) {
  return `${gibFigure(peakBytes)} of ${formatGib(usableBytes2)}`;
}
function gibFigure(bytes5) {
  return formatGib(bytes5).replace(" GiB", "");
}
function formatShare(config, point) {
  const share = shareOfUsable(config.gpu, point);
  if (!Number.isFinite(share)) return "more than all";
  if (share < 1 && share > 0.99) return "99 %";
  return share > 0 && share < 0.01 ? "under 1 %" : formatPercent(share);
}
function formatPart(bytes5) {
  return bytes5 > 0 && bytes5 < GIB / 100 ? "under 0.01 GiB" : formatGib(bytes5);
}
function formatRatio(ratio) {
  if (ratio >= 10) return `${Math.round(ratio).toLocaleString("en-US")}×`;
  return `${ratio.toFixed(ratio < 1.1 ? 2 : 1)}×`;
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
function throughputProvenance2({
  throughputProvenance: provenance2,
  throughputBandPercent = 0
}) {
  return throughputBandPercent === 0 ? provenance2 : `${provenance2}, ±${throughputBandPercent} %`;
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
function sparedIn(reasons) {
  return reasons.flatMap((reason2) => reason2.spared === void 0 ? [] : [{ ...reason2, spared: reason2.spared }]);
}
function because(spared2) {
  switch (spared2) {
    case "within-error":
      return "it is within the error of the figures";
    case "no-worse":
      return "the base branch was no better";
    case "accepted":
      return "it was accepted";
    case "snoozed":
      return "it is snoozed";
  }
}

// engine/render/advice.ts
var WORTHWHILE_SPEEDUP2 = 1.02;
var WORTHWHILE_USD = 1;
function recommendsChange(config) {
  const { recommended, current } = config;
  return recommended !== void 0 && (!current.fits || recommended.microBatch !== current.microBatch);
}
function batchChange(from, to, strong = (text) => text) {
  const micro = `Micro-batch ${strong(change(from.microBatch, to.microBatch))}`;
  if (from.gradientAccumulation === to.gradientAccumulation) return micro;
  return `${micro}, accumulation ${change(from.gradientAccumulation, to.gradientAccumulation)}`;
}
function effectiveBatchNote(from, to) {
  if (from.effectiveBatch === to.effectiveBatch) return "same effective batch";
  return `effective batch ${change(from.effectiveBatch, to.effectiveBatch)} (this changes the training: revisit the learning rate and the number of steps)`;
}
function gains(config, strong = (text) => text) {
  if (!config.current.fits) return [];
  const about = config.throughputProvenance === "modelled" ? "about " : "";
  return [
    ...config.speedup >= WORTHWHILE_SPEEDUP2 ? [`${about}${formatRatio(config.speedup)} the throughput`] : [],
    ...config.savingsPerYearUsd >= WORTHWHILE_USD ? [`${strong(`${formatYearlyUsd(config.savingsPerYearUsd)} a year`)} less`] : []
  ];
}
function advice(config, strong) {
  const change2 = changeSentence(config, strong);
  const further = beyondSentence(config);
  const sentences = config.current.fits ? [change2, further] : [largestSentence(config), change2, further, leverSentence(config)];
  return [...sentences.filter((sentence) => sentence !== void 0), ...sparedSentences(config)];
}
function changeSentence(config, strong = (text) => text) {
  const { current, recommended } = config;
  if (recommended === void 0 || !recommendsChange(config)) return void 0;
  const effects = [effectiveBatchNote(current, recommended), ...gains(config, strong)];
  return `${batchChange(current, recommended, strong)}: ${effects.join(", ")}.`;
}
function beyondSentence({ recommended, beyond, throughputProvenance: throughputProvenance3 }) {
  if (recommended === void 0 || beyond === void 0) return void 0;
  const about = throughputProvenance3 === "modelled" ? "about " : "";
  const speedup = formatRatio(beyond.samplesPerSecond / recommended.samplesPerSecond);
  return `Going further, micro-batch ${change(recommended.microBatch, beyond.microBatch)} would bring ${about}${speedup} the throughput again, with ${effectiveBatchNote(recommended, beyond)}.`;
}
function isWorthFollowing(config) {
  return recommendsChange(config) && (!config.current.fits || gains(config).length > 0);
}
function fineRemark(config) {
  const { recommended, spec } = config;
  if (makesAnswers(spec)) {
    return "what another micro-batch would gain depends on how long generation takes, which is not modelled";
  }
  if (recommended === void 0 || !isWorthFollowing(config)) return "nothing to gain";
  return `micro-batch ${formatCount(recommended.microBatch)} would bring ${gains(config).join(" and ")}, within policy`;
}
function leverSentence({ lever, current, gpu }) {
  if (lever === void 0) return void 0;
  const freed = `${gibFigure(current.peakBytes)} → ${formatGib(lever.peakBytes)}`;
  const sentence = `${leverName(lever.change)} frees most at micro-batch ${formatCount(current.microBatch)}: ${freed}`;
  if (current.fits) return `${sentence}.`;
  return `${sentence}, ${lever.peakBytes <= gpu.usableBytes ? "which fits" : "which still does not fit"}.`;
}
function largestSentence({ largest, current }) {
  if (largest === void 0) return "Not even one sample fits.";
  const [size2, written2] = [formatCount(largest.microBatch), formatCount(current.microBatch)];
  if (current.gradientAccumulation === 1) return `The largest micro-batch that fits is ${size2}, not ${written2}.`;
  return `Without gradient accumulation, the largest micro-batch that fits is ${size2}.`;
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

// engine/render/config-details.ts
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
  return Object.keys(partNames).map((kind) => ({ name: partNames[kind], bytes: breakdown2[kind] })).filter(({ bytes: bytes5 }) => bytes5 > 0).sort((a, b) => b.bytes - a.bytes);
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
  if (config.status === "analysed") return config.verdict.state;
  return config.spared === void 0 ? "blocked" : "warning";
}
function verdictState(report2) {
  if (report2.configs.length === 0) return "nothing-to-measure";
  const states = new Set(report2.configs.map(configState));
  if (states.has("blocked")) return "blocked";
  return states.has("warning") ? "warning" : "fine";
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
  const total = counted(configs);
  if (first === void 0) return `all ${total} fit and are within policy`;
  return [
    `${first.count === configs.length ? "all" : `${formatCount(first.count)} of`} ${total} ${predicate(first.finding, first.count)}`,
    ...rest.map(({ finding, count: count2 }) => `${formatCount(count2)} ${predicate(finding, count2)}`)
  ].join(", ");
}
function sayOne(config) {
  const words2 = predicate(findingOf(config), 1);
  if (config.status === "not-analysed" || config.current.fits) return words2;
  return `${words2}: needs ${ofUsable(config.current.peakBytes, config.gpu.usableBytes)}`;
}
function counted(configs) {
  const count2 = formatCount(configs.length);
  if (!hasSeveralGpusOfOne(configs)) return `${count2} training configs`;
  const paths = new Set(configs.map(({ path: path2 }) => path2)).size;
  return `${count2} results for ${formatCount(paths)} training config${paths === 1 ? "" : "s"}`;
}
function hasSeveralGpusOfOne(configs) {
  const gpuOf = /* @__PURE__ */ new Map();
  return configs.some((config) => {
    if (config.status === "not-analysed") return false;
    const known2 = gpuOf.get(config.path) ?? config.gpu.id;
    gpuOf.set(config.path, known2);
    return known2 !== config.gpu.id;
  });
}
function predicate(finding, count2) {
  const one = count2 === 1;
  switch (finding) {
    case "does-not-fit":
      return one ? "runs out of memory" : "run out of memory";
    case "may-not-fit":
      return "may run out of memory";
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

// engine/config/adjusted-spec.ts
var defaults = { microBatch: 16, sequenceLength: 128, labels: 2 };
var detectorDefaults = { labels: 80, loop: "ultralytics" };
function specOf(model) {
  const { imageSize } = model;
  return {
    model: model.id,
    task: model.defaultTask,
    framework: "pytorch",
    step: "training",
    microBatch: defaults.microBatch,
    gradientAccumulation: 1,
    gpus: 1,
    ...imageSize !== void 0 ? { imageSize } : { sequenceLength: defaults.sequenceLength },
    labels: defaults.labels,
    precision: "fp32",
    optimizer: "adamw",
    attention: "sdpa",
    gradientCheckpointing: false,
    paddedBatches: false,
    loop: "plain",
    ...model.defaultTask === "object-detection" && detectorDefaults
  };
}
function adjusted(written2, model, changes, nameOf) {
  const said = Object.entries(changes).filter(([, value]) => value !== void 0);
  const spec = { ...written2, ...Object.fromEntries(said) };
  if (!model.tasks.includes(spec.task)) {
    throw refused(nameOf("task"), `${model.id} has no ${spec.task} head here`, `Use one of: ${model.tasks.join(", ")}.`);
  }
  if (model.positionLimit !== void 0 && (spec.sequenceLength ?? 0) > model.positionLimit) {
    throw refused(
      nameOf("sequenceLength"),
      `${model.id} has ${model.positionLimit} positions, fewer than ${spec.sequenceLength}`,
      `Use at most ${model.positionLimit}.`
    );
  }
  if (spec.gradientCheckpointing && !supportsCheckpointing(model.config)) {
    throw refused(
      nameOf("gradientCheckpointing"),
      `transformers has no gradient checkpointing for ${model.family}`,
      "Omit it."
    );
  }
  if (changes.quantization !== void 0 && spec.lora === void 0) {
    throw refused(
      nameOf("quantization"),
      "quantised weights cannot be trained themselves",
      "Train adapters on top of them."
    );
  }
  return spec;
}
function refused(field, message2, fix) {
  return new MemoryMarkError({ code: "unsupported-setting", field, message: message2, fix });
}

export {
  __using,
  __callDispose,
  problem,
  MemoryMarkError,
  formatWhere,
  closest,
  version,
  parameterPattern,
  tasks,
  isOfImages,
  optimizers,
  precisions,
  stepProfiles,
  attentions,
  loops,
  frameworks,
  quantizations,
  defaultLoraTargets,
  shardings,
  isFsdp,
  ASSUMED_OBJECTS,
  MAX_BATCH,
  trainingSpec,
  sequencesPerSample,
  batchBounds,
  modelCopies,
  makesAnswers,
  accumulatesGradients,
  effectiveBatch,
  yoloDetector,
  supportsCheckpointing,
  forward,
  errorBandPercent,
  derivationOf,
  KIB,
  MIB,
  GIB,
  formatGib,
  formatPercent,
  formatUsd,
  formatRate,
  gpus,
  defaultGpu,
  hasFlashAttention,
  usableBytes,
  costPerRunUsd,
  savingsPerRunUsd,
  DEFAULT_MARGIN,
  isSamePlan,
  WORTHWHILE_SPEEDUP,
  advise,
  byteKinds,
  bytesPerElement,
  elements,
  lastSize,
  optimizerRules,
  provenance,
  outcome,
  peakOf,
  isBroken,
  trial,
  EstimateProbes,
  EstimateProbe,
  findLargest,
  DEFAULT_STEP_SIZE,
  Grid,
  idleBytes,
  idlePercent,
  missingBytes,
  plain,
  quote,
  askingOnce,
  modelAliases,
  modelIds,
  findModel,
  bareName,
  parseJson,
  hubSettings,
  createHub,
  resolveModel,
  parseFile,
  SETTINGS_PATH,
  suppliedKeys,
  suggest,
  shown,
  modelProblem,
  expertNamesOf,
  readConfig,
  readConfigAsync,
  explainConfigAsync,
  isCandidatePath,
  roundedSize,
  CachingAllocator,
  teacherConfig,
  verdict,
  defaultPolicy,
  parseConditions,
  formatCondition,
  throughputProvenance,
  operatingPoint,
  reportedGpu,
  analysedConfig,
  unanalysedConfig,
  REPORT_SCHEMA,
  report,
  noSettings,
  isCounted,
  settingsFor,
  ofUsable,
  formatShare,
  formatPart,
  formatRatio,
  formatYearlyUsd,
  formatCount,
  memoryProvenance,
  throughputProvenance2,
  bar,
  advice,
  isWorthFollowing,
  fineRemark,
  leverSentence,
  plainText,
  plainPath,
  plainProblem,
  capitalised,
  partsOf2 as partsOf,
  configState,
  verdictState,
  findingOf,
  headline,
  parseFlags,
  gpuFlag,
  oneOf,
  numberFlag,
  memoryFlag,
  PythonWorker,
  deviceKinds,
  describeMachine,
  softwareOf,
  brokenTrialProblem,
  TfjsProbe,
  describeTfjs,
  engines,
  openProbe,
  engineOn,
  pythonCommand,
  specOf,
  adjusted,
  strategyNames,
  strategies2 as strategies,
  triedOf,
  nearestRatio
};
