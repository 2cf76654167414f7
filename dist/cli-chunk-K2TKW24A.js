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
  /** What is wrong, in one sentence, without a trailing full stop. Untrusted parts are quoted, never formatted. */
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
    const others = otherNames.filter(([, id]) => id === gpu.id).map(([name]) => name);
    return [gpu.id, gpu.name, ...others].map((name) => [key(name), gpu]);
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
    message: `"${text}" is not a GPU of the catalogue`,
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
    message: `"${text}" is not a value of ${flag}`,
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
    message: `"${text}" is not a ${integer ? "whole " : ""}number above 0 and at most ${max.toLocaleString("en-US")}`,
    fix: `Give ${flag} such a number.`
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
    message: `"${text}" is not an amount of memory`,
    fix: `Write ${flag} 22.1GiB, or 512MiB.`
  });
}

// engine/probes/probe.ts
import { setImmediate } from "node:timers/promises";

// engine/models/architecture.ts
import * as z30 from "zod";

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
  const words2 = ops.embedding("embeddings.word_embeddings", ops.input, config.vocab_size, hidden);
  const types = ops.embedding("embeddings.token_type_embeddings", ops.input, config.type_vocab_size, hidden);
  const places = config.model_type === "roberta" ? ops.embedding("embeddings.position_embeddings", ops.input, positions, hidden) : ops.constantEmbedding("embeddings.position_embeddings", positions, hidden, tokens);
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
  const projected = ops.linear(`${name}.attention.out_lin`, context, config.dim);
  const attended = ops.layerNorm(`${name}.sa_layer_norm`, ops.residual(projected, x));
  const widened = ops.gelu(ops.linear(`${name}.ffn.lin1`, attended, config.hidden_dim));
  const narrowed = ops.dropout(ops.linear(`${name}.ffn.lin2`, widened, config.dim), config.dropout);
  return ops.layerNorm(`${name}.output_layer_norm`, ops.residual(narrowed, attended));
}
function distilbertLanguageHead(ops, config, hidden) {
  const transformed = ops.gelu(ops.linear("vocab_transform", hidden, config.dim));
  const normalised2 = ops.layerNorm("vocab_layer_norm", transformed);
  return ops.linear("vocab_projector", normalised2, config.vocab_size, { tiedTo: "embeddings.word_embeddings.weight" });
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
  const [channels2 = 0] = sizes;
  const stem = { kernel: patch, stride: patch, padding: 0, bias: true };
  const patches2 = ops.conv2d("embeddings.patch_embeddings", ops.input, channels2, stem);
  const embedded = imageNorm(ops, "embeddings.layernorm", patches2);
  const encoded = ops.frame(embedded, (input) => encode2(ops, config, input));
  return ops.linear("classifier", ops.layerNorm("layernorm", ops.globalAveragePool(encoded)), labels);
}
function encode2(ops, config, embedded) {
  const { hidden_sizes: sizes, depths, drop_path_rate: lastRate } = config;
  const lastIndex = depths.reduce((sum, depth) => sum + depth, 0) - 1;
  let x = embedded;
  let layersBefore = 0;
  sizes.forEach((channels2, stage) => {
    const name = `encoder.stages.${stage}`;
    if (stage > 0) x = downsample(ops, `${name}.downsampling_layer`, x, channels2);
    for (let index = 0; index < (depths[stage] ?? 0); index++) {
      const dropRate = lastIndex === 0 ? 0 : lastRate * layersBefore++ / lastIndex;
      x = ops.block(x, (input) => layer(ops, config, `${name}.layers.${index}`, input, { channels: channels2, dropRate }));
    }
  });
  return x;
}
function downsample(ops, name, x, channels2) {
  const halving2 = { kernel: 2, stride: 2, padding: 0, bias: true };
  return ops.conv2d(`${name}.1`, imageNorm(ops, `${name}.0`, x), channels2, halving2);
}
function layer(ops, config, name, x, { channels: channels2, dropRate }) {
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

// engine/models/decoder.ts
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
var preNorm = { beforeMixer: "input_layernorm", beforeFeeding: "post_attention_layernorm" };
function llamaBlueprint(fields, parts) {
  return {
    vocabulary: fields.vocab_size,
    hidden: fields.hidden_size,
    layers: fields.num_hidden_layers,
    isTied: fields.tie_word_embeddings,
    norm: "rms",
    blockNorms: preNorm,
    rotarySize: headSizeOf(fields),
    rotaryOf: () => 0,
    ...parts
  };
}
function headSizeOf(fields) {
  return fields.head_dim ?? fields.hidden_size / fields.num_attention_heads;
}
function decoderModel(ops, blueprint, task, labels) {
  const { root = "model", vocabulary, hidden, layers, scalesWords = false } = blueprint;
  blueprint.idle?.(ops);
  const words2 = ops.embedding(`${root}.embed_tokens`, ops.input, vocabulary, hidden);
  let x = ops.dropout(scalesWords ? ops.scale(words2) : words2, blueprint.wordDropout ?? 0);
  const tables = [];
  for (let index = 0; index < layers; index++) {
    const rotary = blueprint.rotaryOf(index);
    if (rotary !== void 0) tables[rotary] ??= ops.rotaryTable(x, blueprint.rotarySize);
  }
  for (let index = 0; index < layers; index++) {
    const table3 = tables[blueprint.rotaryOf(index) ?? tables.length];
    x = ops.block(x, (input) => block(ops, blueprint, { name: `${root}.layers.${index}`, index, table: table3 }, input));
  }
  const output = normalised(ops, blueprint.norm, `${root}.norm`, hidden, x);
  if (task !== "causal-lm") return ops.lastToken(ops.linear("score", output, labels, { bias: false }));
  const tied3 = blueprint.isTied ? { tiedTo: `${root}.embed_tokens.weight` } : {};
  const logits = ops.linear("lm_head", output, vocabulary, { bias: false, ...tied3 });
  switch (blueprint.logits ?? "plain") {
    case "plain":
      return logits;
    case "scaled":
      return ops.scale(logits);
    case "capped":
      return ops.softcap(logits);
  }
}
function block(ops, blueprint, place, x) {
  const { blockNorms, hidden, feedForwardName = "mlp", mixerName = () => "self_attn" } = blueprint;
  const norm2 = (part, states) => part === void 0 ? states : normalised(ops, blueprint.norm, `${place.name}.${part}`, hidden, states);
  const added = (result, skip2) => {
    const scaled = blueprint.scalesResults ? ops.scale(result) : result;
    return ops.residual(ops.dropout(scaled, blueprint.resultDropout ?? 0), skip2);
  };
  const within = (part) => ({ ...place, name: `${place.name}.${part}` });
  const before = norm2(blockNorms.beforeMixer, x);
  const mixed = ops.frame(before, (input) => blueprint.mixer(ops, within(mixerName(place.index)), input));
  const between = added(norm2(blockNorms.afterMixer, mixed), x);
  const forFeeding = norm2(blockNorms.beforeFeeding, between);
  const fed = ops.frame(forFeeding, (input) => blueprint.feedForward(ops, within(feedForwardName), input));
  return added(norm2(blockNorms.afterFeeding, fed), between);
}
function normalised(ops, norm2, name, features, x) {
  if (norm2 === "layer") return ops.layerNorm(name, x);
  return ops.rmsNorm(name, x, {
    size: features,
    scalesInFloat32: norm2 !== "rms",
    aroundOne: norm2 === "rms-one-plus"
  });
}

// engine/models/deepseek.ts
import * as z7 from "zod";

// engine/models/decoder-attention.ts
var headNorms = { over: "each-head", names: ["q_norm", "k_norm"] };
var allHeadsNorms = { over: "all-heads", names: ["q_norm", "k_norm"] };
function attentionOf(fields, traits = {}) {
  const heads2 = fields.num_attention_heads;
  const keyValueHeads = fields.num_key_value_heads ?? heads2;
  const size2 = headSizeOf(fields);
  return (ops, { name, index, table: table3 }, x) => {
    const [projected, key2, value] = projections(ops, fields, traits, name, x);
    const [query, gate] = traits.isGated ? gatedQuery(ops, projected, heads2 * size2) : [projected, void 0];
    const norm2 = (part, states) => {
      const { queryNorm } = traits;
      if (queryNorm === void 0) return states;
      const features = queryNorm.over === "each-head" ? size2 : size2 * (part === 0 ? heads2 : keyValueHeads);
      return normalised(ops, queryNorm.norm, `${name}.${queryNorm.names[part]}`, features, states);
    };
    const turned = (states, count2) => table3 === void 0 ? states : ops.rotary(states, table3, count2, traits.rotary);
    const placed = (part, states, count2) => traits.queryNorm?.isAfterRotation ? norm2(part, turned(states, count2)) : turned(norm2(part, states), count2);
    const q = placed(0, query, heads2);
    const k = placed(1, key2, keyValueHeads);
    const context = ops.attention(traits.scalesQuery ? ops.scale(q) : q, ops.cached(k), ops.cached(value), {
      heads: heads2,
      keyValueHeads,
      causal: true,
      dropout: fields.attention_dropout,
      window: traits.slides?.(index) ?? false ? fields.sliding_window ?? void 0 : void 0,
      castsSoftmax: true,
      ...traits.hasSinks && { sinks: `${name}.sinks` }
    });
    const gated4 = gate === void 0 ? context : ops.multiply(context, ops.sigmoid(gate));
    const output = ops.linear(`${name}.o_proj`, gated4, fields.hidden_size, { bias: traits.outputBias ?? false });
    return ops.dropout(output, traits.outputDropout ?? 0);
  };
}
function gatedQuery(ops, projected, features) {
  const [query, gate] = ops.split(projected, [features, features]);
  return [query, ops.gathered(gate)];
}
function projections(ops, fields, traits, name, x) {
  const size2 = headSizeOf(fields);
  const querySize = fields.num_attention_heads * size2;
  const keySize = (fields.num_key_value_heads ?? fields.num_attention_heads) * size2;
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

// engine/models/feed-forward.ts
function gatedFeedForward({
  hidden,
  inner,
  bias = false,
  activation = "silu",
  dropout = 0
}) {
  return (ops, { name }, x) => {
    const gate = ops.linear(`${name}.gate_proj`, x, inner, { bias });
    const activated = activate(ops, activation, gate);
    const product = ops.multiply(activated, ops.linear(`${name}.up_proj`, x, inner, { bias }));
    return ops.dropout(ops.linear(`${name}.down_proj`, product, hidden, { bias }), dropout);
  };
}
function joinedFeedForward({ hidden, inner, bias = false, activation = "silu" }) {
  return (ops, { name }, x) => {
    const joined = ops.linear(`${name}.gate_up_proj`, x, 2 * inner, { bias });
    const [gate, up] = ops.split(joined, [inner, inner]);
    return ops.linear(`${name}.down_proj`, ops.multiply(up, activate(ops, activation, gate)), hidden, { bias });
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

// engine/models/experts.ts
function sparseFeedForward({ router, experts, routerName = "gate", gate = siluGate }) {
  return (ops, { name }, x) => {
    const routed = ops.routed(`${name}.${routerName}`, x, router);
    return ops.frame(
      x,
      (input) => ops.experts(`${name}.experts`, input, routed, experts, (joined) => gate(ops, joined, experts.inner))
    );
  };
}
function withSharedExperts(sparse, hidden, shared) {
  const feedForward6 = gatedFeedForward({ hidden, inner: shared.inner });
  return (ops, place, x) => {
    const { gateName } = shared;
    const within = { ...place, name: `${place.name}.${shared.name}` };
    const always = () => ops.frame(x, (input) => feedForward6(ops, within, input));
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
function siluGate(ops, joined, inner) {
  const [gate, up] = ops.split(joined, [inner, inner]);
  return ops.multiply(activate(ops, "silu", gate), up);
}

// engine/models/latent-attention.ts
import * as z6 from "zod";
var latentFields = {
  q_lora_rank: size.nullish(),
  kv_lora_rank: size,
  qk_nope_head_dim: size,
  qk_rope_head_dim: size,
  v_head_dim: size,
  attention_bias: z6.boolean().default(false)
};
function latentAttention(config, rotary = {}) {
  const { num_attention_heads: heads2, kv_lora_rank: rank, attention_bias: bias } = config;
  const { qk_nope_head_dim: resting, qk_rope_head_dim: turning, v_head_dim: valueSize } = config;
  return (ops, { name, table: table3 }, x) => {
    const linear2 = (part, states, features, options = { bias: false }) => ops.linear(`${name}.${part}`, states, features, options);
    const norm2 = (part, features, states) => normalised(ops, "rms", `${name}.${part}`, features, states);
    const queryOf = (narrowRank) => {
      const narrow = norm2("q_a_layernorm", narrowRank, linear2("q_a_proj", x, narrowRank, { bias }));
      return linear2("q_b_proj", narrow, heads2 * (resting + turning));
    };
    const turn = (states, count2) => table3 ? ops.rotary(states, table3, count2, rotary) : states;
    const query = config.q_lora_rank ? queryOf(config.q_lora_rank) : linear2("q_proj", x, heads2 * (resting + turning));
    const [restingQuery, turningQuery] = ops.split(query, [heads2 * resting, heads2 * turning]);
    const compressed = linear2("kv_a_proj_with_mqa", x, rank + turning, { bias });
    const [latent2, sharedKey] = ops.split(compressed, [rank, turning]);
    const keyValue = norm2("kv_a_layernorm", rank, latent2);
    const turnedKey = ops.cached(turn(sharedKey, 1));
    const q = ops.headsJoined(restingQuery, turn(turningQuery, heads2));
    const expanded = linear2("kv_b_proj", ops.cached(keyValue), heads2 * (resting + valueSize));
    const [ownKey, value] = ops.split(expanded, [heads2 * resting, heads2 * valueSize]);
    const k = ops.headsJoined(ownKey, turnedKey, heads2);
    const context = ops.attention(q, k, value, {
      heads: heads2,
      causal: true,
      dropout: config.attention_dropout,
      castsSoftmax: true
    });
    return linear2("o_proj", context, config.hidden_size, { bias });
  };
}

// engine/models/deepseek.ts
var sparseFields = {
  n_routed_experts: size,
  n_shared_experts: size.default(1),
  num_experts_per_tok: size,
  moe_intermediate_size: size,
  /** Layers at the start that have one feed-forward of their own. */
  first_k_dense_replace: z7.number().int().min(0).max(1e3).default(1)
};
var deepseekV2Config = decoderFields.extend({
  model_type: z7.literal("deepseek_v2"),
  ...latentFields,
  ...sparseFields
});
var deepseekV3Config = decoderFields.extend({
  model_type: z7.literal("deepseek_v3"),
  ...latentFields,
  ...sparseFields
});
var glm4MoeLiteConfig = decoderFields.extend({
  model_type: z7.literal("glm4_moe_lite"),
  ...latentFields,
  ...sparseFields
});
var glm4MoeConfig = decoderFields.extend({
  model_type: z7.literal("glm4_moe"),
  ...sparseFields,
  attention_bias: z7.boolean().default(false),
  use_qk_norm: z7.boolean().default(false),
  partial_rotary_factor: z7.number().min(0).max(1).default(0.5)
});
function deepseek(config) {
  const isV2 = config.model_type === "deepseek_v2";
  const mixer = latentAttention(config, { inFloat32: isV2 });
  return {
    ...llamaBlueprint(config, { mixer, feedForward: feedForward(config, isV2 ? "softmax" : "sigmoid") }),
    rotarySize: config.qk_rope_head_dim
  };
}
function glm4Moe(config) {
  const mixer = attentionOf(config, {
    queryBias: config.attention_bias,
    ...config.use_qk_norm && { queryNorm: { norm: "rms", ...headNorms } }
  });
  return {
    ...llamaBlueprint(config, { mixer, feedForward: feedForward(config, "sigmoid") }),
    rotarySize: Math.floor(headSizeOf(config) * config.partial_rotary_factor)
  };
}
function feedForward(config, scoring) {
  const { n_routed_experts: count2, num_experts_per_tok: perToken, moe_intermediate_size: inner } = config;
  const dense = gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size });
  const router = { count: count2, perToken, scoring, inFloat32: true, weightsInFloat32: true };
  const shared = { name: "shared_experts", inner: inner * config.n_shared_experts };
  const sparse = withSharedExperts(sparseFeedForward({ router, experts: { count: count2, inner } }), config.hidden_size, shared);
  return (ops, place, x) => (place.index < config.first_k_dense_replace ? dense : sparse)(ops, place, x);
}

// engine/models/ernie.ts
import * as z8 from "zod";
var ernieConfig = decoderFields.extend({
  model_type: z8.literal("ernie4_5"),
  tie_word_embeddings: z8.boolean().default(true),
  use_bias: z8.boolean().default(false)
});
function ernie(config) {
  const { hidden_size: hidden, intermediate_size: inner, use_bias: bias } = config;
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias: bias, outputBias: bias, rotary: { inFloat32: true } }),
    feedForward: gatedFeedForward({ hidden, inner, bias })
  });
}

// engine/models/gemma.ts
import * as z9 from "zod";
var tied = { tie_word_embeddings: z9.boolean().default(true) };
var gemmaConfig = decoderFields.extend({ model_type: z9.literal("gemma"), ...tied });
var gemma2Config = decoderFields.extend({
  model_type: z9.literal("gemma2"),
  ...tied,
  final_logit_softcapping: z9.number().nullish().default(30)
});
var gemma3Config = decoderFields.extend({
  model_type: z9.literal("gemma3_text"),
  ...tied,
  sliding_window_pattern: size.default(6)
});
var normsAround = {
  beforeMixer: "input_layernorm",
  afterMixer: "post_attention_layernorm",
  beforeFeeding: "pre_feedforward_layernorm",
  afterFeeding: "post_feedforward_layernorm"
};
var feedForward2 = (config) => gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size, activation: "gelu" });
function gemma(config) {
  const parts = { mixer: attentionOf(config), feedForward: feedForward2(config) };
  return { ...llamaBlueprint(config, parts), norm: "rms-one-plus", scalesWords: true };
}
function gemma2(config) {
  const mixer = attentionOf(config, { slides: (index) => index % 2 === 0 });
  return {
    ...llamaBlueprint(config, { mixer, feedForward: feedForward2(config) }),
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
    ...llamaBlueprint(config, { mixer, feedForward: feedForward2(config) }),
    norm: "rms-one-plus",
    scalesWords: true,
    blockNorms: normsAround,
    rotaryOf: (index) => slides(index) ? 1 : 0
  };
}

// engine/models/glm.ts
import * as z10 from "zod";
var glm4Config = decoderFields.extend({
  model_type: z10.literal("glm4"),
  attention_bias: z10.boolean().default(true),
  partial_rotary_factor: z10.number().min(0).max(1).default(0.5)
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

// engine/models/gpt-oss.ts
import * as z11 from "zod";
var gptOssConfig = decoderFields.extend({
  model_type: z11.literal("gpt_oss"),
  num_local_experts: size.default(128),
  num_experts_per_tok: size.default(4),
  attention_bias: z11.boolean().default(true),
  sliding_window: size.nullish().default(128),
  layer_types: z11.array(z11.string()).nullish()
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

// engine/models/hunyuan.ts
import * as z12 from "zod";
var hunyuanConfig = decoderFields.extend({
  model_type: z12.literal("hunyuan_v1_dense"),
  attention_bias: z12.boolean().default(false)
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

// engine/models/layer-norm-decoders.ts
import * as z13 from "zod";
var starcoder2Config = decoderFields.extend({
  model_type: z13.literal("starcoder2"),
  tie_word_embeddings: z13.boolean().default(true),
  use_bias: z13.boolean().default(true),
  residual_dropout: probability.default(0),
  embedding_dropout: probability.default(0)
});
var stablelmConfig = decoderFields.extend({
  model_type: z13.literal("stablelm"),
  use_qkv_bias: z13.boolean().default(false),
  hidden_dropout: probability.default(0),
  partial_rotary_factor: z13.number().min(0).max(1).default(0.25),
  qk_layernorm: z13.literal(false, { error: "StableLM with norms of query and key is not supported" }).default(false),
  use_parallel_residual: z13.literal(false, { error: "StableLM with parallel residuals is not supported" }).default(false)
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

// engine/models/llama.ts
import * as z14 from "zod";
var biases = { attention_bias: z14.boolean().default(false), mlp_bias: z14.boolean().default(false) };
var llamaConfig = decoderFields.extend({ model_type: z14.literal("llama"), ...biases });
var mistralConfig = decoderFields.extend({ model_type: z14.literal("mistral") });
var ministral3Config = decoderFields.extend({ model_type: z14.literal("ministral3") });
var smollm3Config = decoderFields.extend({
  model_type: z14.literal("smollm3"),
  ...biases,
  tie_word_embeddings: z14.boolean().default(true),
  use_sliding_window: z14.boolean().default(false),
  no_rope_layer_interval: size.default(4),
  /** A zero for every layer without positions. */
  no_rope_layers: z14.array(z14.number()).nullish()
});
var seedOssConfig = decoderFields.extend({
  model_type: z14.literal("seed_oss"),
  attention_bias: z14.boolean().default(true),
  attention_out_bias: z14.boolean().default(false),
  mlp_bias: z14.boolean().default(false),
  attention_dropout: probability.default(0.1),
  residual_dropout: probability.default(0.1)
});
var arceeConfig = decoderFields.extend({ model_type: z14.literal("arcee"), ...biases });
var graniteConfig = decoderFields.extend({ model_type: z14.literal("granite"), ...biases });
var attentionWith = (config) => attentionOf(config, { queryBias: config.attention_bias, outputBias: config.attention_bias });
var gated = (config) => gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size, bias: config.mlp_bias });
function llama(config) {
  return llamaBlueprint(config, { mixer: attentionWith(config), feedForward: gated(config) });
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
  const feedForward6 = plainFeedForward({ hidden, inner, bias, activation: "relu-squared" });
  return llamaBlueprint(config, { mixer: attentionWith(config), feedForward: feedForward6 });
}
function granite(config) {
  return { ...llama(config), scalesWords: true, scalesResults: true, logits: "scaled" };
}

// engine/models/mixtral.ts
import * as z15 from "zod";
var mixtralConfig = decoderFields.extend({
  model_type: z15.literal("mixtral"),
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

// engine/models/olmo.ts
import * as z16 from "zod";
var olmo2Config = decoderFields.extend({
  model_type: z16.literal("olmo2"),
  attention_bias: z16.boolean().default(false)
});
var olmo3Config = decoderFields.extend({
  model_type: z16.literal("olmo3"),
  attention_bias: z16.boolean().default(false),
  sliding_window: size.nullish().default(4096),
  layer_types: z16.array(z16.string()).nullish()
});
function olmo2(config, slides = () => false) {
  const mixer = attentionOf(config, {
    queryBias: config.attention_bias,
    outputBias: config.attention_bias,
    queryNorm: { norm: "rms-float32", ...allHeadsNorms },
    slides
  });
  const feedForward6 = gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size });
  return {
    ...llamaBlueprint(config, { mixer, feedForward: feedForward6 }),
    norm: "rms-float32",
    blockNorms: { afterMixer: "post_attention_layernorm", afterFeeding: "post_feedforward_layernorm" }
  };
}
function olmo3(config) {
  const { layer_types: types } = config;
  const slides = (index) => types ? types[index] === "sliding_attention" : (index + 1) % 4 !== 0;
  return { ...olmo2(config, slides), rotaryOf: (index) => slides(index) ? 1 : 0 };
}

// engine/models/phi3.ts
import * as z17 from "zod";
var phi3Config = decoderFields.extend({
  model_type: z17.literal("phi3"),
  resid_pdrop: probability.default(0),
  partial_rotary_factor: z17.number().min(0).max(1).default(1)
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

// engine/models/qwen.ts
import * as z18 from "zod";
var qwen2Config = decoderFields.extend({
  model_type: z18.literal("qwen2"),
  use_sliding_window: z18.boolean().default(false)
});
var qwen3Config = decoderFields.extend({
  model_type: z18.literal("qwen3"),
  attention_bias: z18.boolean().default(false),
  use_sliding_window: z18.boolean().default(false)
});
function qwen2(config) {
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias: true, slides: () => config.use_sliding_window }),
    feedForward: gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size })
  });
}
function qwen3(config) {
  return llamaBlueprint(config, {
    mixer: attentionOf(config, {
      queryBias: config.attention_bias,
      outputBias: config.attention_bias,
      queryNorm: { norm: "rms", ...headNorms },
      slides: () => config.use_sliding_window
    }),
    feedForward: gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size })
  });
}

// engine/models/qwen-moe.ts
import * as z19 from "zod";
var qwenSparse = {
  num_experts: size,
  num_experts_per_tok: size,
  moe_intermediate_size: size,
  /** Every how many layers there are experts. */
  decoder_sparse_step: size.default(1),
  mlp_only_layers: z19.array(z19.number()).nullish(),
  use_sliding_window: z19.boolean().default(false)
};
var qwen2MoeConfig = decoderFields.extend({
  model_type: z19.literal("qwen2_moe"),
  ...qwenSparse,
  qkv_bias: z19.boolean().default(true),
  shared_expert_intermediate_size: size
});
var qwen3MoeConfig = decoderFields.extend({
  model_type: z19.literal("qwen3_moe"),
  ...qwenSparse,
  attention_bias: z19.boolean().default(false)
});
var olmoeConfig = decoderFields.extend({
  model_type: z19.literal("olmoe"),
  num_experts: size.default(64),
  num_experts_per_tok: size.default(8),
  attention_bias: z19.boolean().default(false)
});
function qwen2Moe(config) {
  const shared = {
    name: "shared_expert",
    inner: config.shared_expert_intermediate_size,
    gateName: "shared_expert_gate"
  };
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias: config.qkv_bias, slides: () => config.use_sliding_window }),
    feedForward: whereSparse(config, withSharedExperts(expertsOf(config), config.hidden_size, shared))
  });
}
function qwen3Moe(config) {
  return llamaBlueprint(config, {
    mixer: attentionOf(config, {
      queryBias: config.attention_bias,
      outputBias: config.attention_bias,
      queryNorm: { norm: "rms", ...headNorms },
      slides: () => config.use_sliding_window
    }),
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

// engine/models/qwen35.ts
import * as z21 from "zod";

// engine/models/vision-towers.ts
import * as z20 from "zod";
var channels = z20.number().int().min(1).max(16).default(3);
var siglipConfig = z20.object({
  hidden_size: size.default(768),
  intermediate_size: size.default(3072),
  num_hidden_layers: size.default(12),
  num_channels: channels,
  image_size: size.default(224),
  patch_size: size.default(16),
  vision_use_head: z20.boolean().default(true)
});
var pixtralConfig = z20.object({
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
var qwen2VisionConfig = z20.object({
  ...qwenVision,
  depth: size.default(32),
  embed_dim: size.default(1280),
  hidden_size: size.default(3584),
  mlp_ratio: z20.number().min(0.1).max(100).default(4),
  patch_size: size.default(14)
});
var qwen25VisionConfig = z20.object({
  ...qwenVision,
  depth: size.default(32),
  hidden_size: size.default(3584),
  intermediate_size: size.default(3420),
  out_hidden_size: size.default(3584),
  patch_size: size.default(14)
});
var qwen3VisionConfig = z20.object({
  ...qwenVision,
  depth: size.default(27),
  hidden_size: size.default(1152),
  intermediate_size: size.default(4304),
  out_hidden_size: size.default(3584),
  patch_size: size.default(16),
  num_position_embeddings: size.default(2304),
  deepstack_visual_indexes: z20.array(z20.number()).default([8, 16, 24])
});
function siglip(ops, root, config) {
  const { hidden_size: hidden, intermediate_size: inner, patch_size: patch } = config;
  const perceptron = [["mlp.fc1", hidden, inner], ["mlp.fc2", inner, hidden]];
  const projections3 = ["q_proj", "k_proj", "v_proj", "out_proj"].map(
    (part) => [`self_attn.${part}`, hidden, hidden]
  );
  patches(ops, `${root}.embeddings.patch_embedding`, hidden, config.num_channels * patch ** 2, { bias: true });
  table(ops, `${root}.embeddings.position_embedding`, Math.floor(config.image_size / patch) ** 2, hidden);
  tower(ops, `${root}.encoder.layers`, config.num_hidden_layers, hidden, {
    norms: ["layer_norm1", "layer_norm2"],
    normKind: "layer",
    linears: [...projections3, ...perceptron],
    bias: true
  });
  ops.idle(hidden, (x) => ops.layerNorm(`${root}.post_layernorm`, x));
  if (!config.vision_use_head) return;
  const head = `${root}.head`;
  table(ops, `${head}.probe`, 1, hidden);
  table(ops, `${head}.attention.in_proj`, 3 * hidden, hidden + 1);
  tower(ops, head, 1, hidden, {
    norms: ["layernorm"],
    normKind: "layer",
    linears: [["attention.out_proj", hidden, hidden], ...perceptron],
    bias: true
  });
}
function pixtral(ops, root, config) {
  const { hidden_size: hidden, intermediate_size: inner, patch_size: patch } = config;
  const projections3 = ["q_proj", "k_proj", "v_proj", "o_proj"].map(
    (part) => [`attention.${part}`, hidden, hidden]
  );
  patches(ops, `${root}.patch_conv`, hidden, config.num_channels * patch ** 2);
  idleRmsNorm(ops, `${root}.ln_pre`, hidden);
  tower(ops, `${root}.transformer.layers`, config.num_hidden_layers, hidden, {
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
function qwen2Vision(ops, root, config) {
  const { embed_dim: hidden, hidden_size: outside, mlp_ratio: ratio } = config;
  patches(ops, `${root}.patch_embed.proj`, hidden, voxels(config));
  tower(ops, `${root}.blocks`, config.depth, hidden, {
    norms: ["norm1", "norm2"],
    normKind: "layer",
    linears: [
      ...joinedAttention(hidden),
      ["mlp.fc1", hidden, Math.floor(hidden * ratio)],
      ["mlp.fc2", Math.floor(hidden * ratio), hidden]
    ],
    bias: true
  });
  ops.idle(hidden, (x) => ops.layerNorm(`${root}.merger.ln_q`, x));
  merger(ops, `${root}.merger.mlp`, ["0", "2"], hidden * config.spatial_merge_size ** 2, outside);
}
function qwen25Vision(ops, root, config) {
  const { hidden_size: hidden, intermediate_size: inner } = config;
  patches(ops, `${root}.patch_embed.proj`, hidden, voxels(config));
  tower(ops, `${root}.blocks`, config.depth, hidden, {
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
  idleRmsNorm(ops, `${root}.merger.ln_q`, hidden);
  merger(ops, `${root}.merger.mlp`, ["0", "2"], hidden * config.spatial_merge_size ** 2, config.out_hidden_size);
}
function qwen3Vision(ops, root, config) {
  const { hidden_size: hidden, intermediate_size: inner, out_hidden_size: outside } = config;
  const merged = hidden * config.spatial_merge_size ** 2;
  patches(ops, `${root}.patch_embed.proj`, hidden, voxels(config), { bias: true });
  table(ops, `${root}.pos_embed`, config.num_position_embeddings, hidden);
  tower(ops, `${root}.blocks`, config.depth, hidden, {
    norms: ["norm1", "norm2"],
    normKind: "layer",
    linears: [...joinedAttention(hidden), ["mlp.linear_fc1", hidden, inner], ["mlp.linear_fc2", inner, hidden]],
    bias: true
  });
  const names = ["linear_fc1", "linear_fc2"];
  ops.idle(hidden, (x) => ops.layerNorm(`${root}.merger.norm`, x));
  merger(ops, `${root}.merger`, names, merged, outside);
  for (const index of config.deepstack_visual_indexes.keys()) {
    const name = `${root}.deepstack_merger_list.${index}`;
    ops.idle(merged, (x) => ops.layerNorm(`${name}.norm`, x));
    merger(ops, name, names, merged, outside);
  }
}
var joinedAttention = (hidden) => [
  ["attn.qkv", hidden, 3 * hidden],
  ["attn.proj", hidden, hidden]
];
var voxels = (config) => config.in_channels * config.temporal_patch_size * config.patch_size ** 2;
function tower(ops, root, layers, hidden, layer5) {
  for (let index = 0; index < layers; index++) {
    const name = `${root}.${index}`;
    for (const norm2 of layer5.norms) {
      if (layer5.normKind === "rms") idleRmsNorm(ops, `${name}.${norm2}`, hidden);
      else ops.idle(hidden, (x) => ops.layerNorm(`${name}.${norm2}`, x));
    }
    for (const [part, from, to] of layer5.linears) idleLinear(ops, `${name}.${part}`, from, to, layer5.bias);
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

// engine/models/qwen35.ts
var hybridFields = {
  attention_bias: z21.boolean().default(false),
  head_dim: size.default(256),
  layer_types: z21.array(z21.string()).nullish(),
  linear_conv_kernel_dim: size.default(4),
  linear_key_head_dim: size.default(128),
  linear_value_head_dim: size.default(128),
  linear_num_key_heads: size.default(16),
  linear_num_value_heads: size.default(32),
  partial_rotary_factor: z21.number().min(0).max(1).default(0.25)
};
var vision_config = qwen3VisionConfig.omit({ deepstack_visual_indexes: true });
var qwen35Config = z21.object({
  model_type: z21.literal("qwen3_5"),
  tie_word_embeddings: z21.boolean().default(false),
  text_config: decoderFields.extend(hybridFields),
  vision_config
});
var qwen35MoeConfig = z21.object({
  model_type: z21.literal("qwen3_5_moe"),
  tie_word_embeddings: z21.boolean().default(false),
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
  const shared = {
    name: "shared_expert",
    inner: config.text_config.shared_expert_intermediate_size,
    gateName: "shared_expert_gate"
  };
  return hybrid(config, withSharedExperts(sparse, config.text_config.hidden_size, shared));
}
function hybrid(config, feedForward6) {
  const text = { ...config.text_config, intermediate_size: 1 };
  const isLinear = (index) => text.layer_types ? text.layer_types[index] === "linear_attention" : (index + 1) % 4 !== 0;
  const [linear2, full] = [deltaNet(text), gatedAttention(text)];
  return {
    ...llamaBlueprint(text, {
      mixer: (ops, place, x) => (isLinear(place.index) ? linear2 : full)(ops, place, x),
      feedForward: feedForward6
    }),
    root: "model.language_model",
    isTied: config.tie_word_embeddings,
    norm: "rms-one-plus",
    mixerName: (index) => isLinear(index) ? "linear_attn" : "self_attn",
    rotarySize: Math.floor(headSizeOf(text) * text.partial_rotary_factor),
    idle: (ops) => qwen3Vision(ops, "model.visual", { ...config.vision_config, deepstack_visual_indexes: [] })
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
function deltaNet(config) {
  const { linear_num_key_heads: keyHeads, linear_num_value_heads: heads2 } = config;
  const [keySize, valueSize] = [config.linear_key_head_dim, config.linear_value_head_dim];
  const [keys2, values] = [keyHeads * keySize, heads2 * valueSize];
  return (ops, { name }, x) => {
    const linear2 = (part, features) => ops.linear(`${name}.${part}`, x, features, { bias: false });
    const joined = linear2("in_proj_qkv", 2 * keys2 + values);
    const z42 = linear2("in_proj_z", values);
    const [b, a] = [linear2("in_proj_b", heads2), linear2("in_proj_a", heads2)];
    const mixed = ops.causalConvolution(`${name}.conv1d`, joined, config.linear_conv_kernel_dim);
    const [query, key2, value] = ops.split(mixed, [keys2, keys2, values]);
    const repeat = (states) => heads2 === keyHeads ? states : ops.repeatHeads(states, heads2 / keyHeads, keyHeads);
    const context = ops.gatedDeltaRule(name, [repeat(query), repeat(key2), value], { a, b, heads: heads2 });
    const normalised2 = ops.rmsNorm(`${name}.norm`, context, { size: valueSize, scalesInFloat32: false });
    return ops.linear(`${name}.out_proj`, ops.gatedInFloat32(normalised2, z42), config.hidden_size, { bias: false });
  };
}

// engine/models/vision-language.ts
import * as z22 from "zod";
var languageModel = "model.language_model";
var gemma3VisionConfig = z22.object({
  model_type: z22.literal("gemma3"),
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
var mistral3Config = z22.object({
  model_type: z22.literal("mistral3"),
  tie_word_embeddings: z22.boolean().default(true),
  text_config: z22.discriminatedUnion("model_type", [mistralConfig, ministral3Config]),
  vision_config: pixtralConfig,
  spatial_merge_size: size.default(2),
  multimodal_projector_bias: z22.boolean().default(false)
});
var qwen2Text = decoderFields.extend({ use_sliding_window: z22.boolean().default(false) });
var qwen2VlConfig = z22.object({
  model_type: z22.literal("qwen2_vl"),
  tie_word_embeddings: z22.boolean().default(false),
  text_config: qwen2Text,
  vision_config: qwen2VisionConfig
});
var qwen25VlConfig = z22.object({
  model_type: z22.literal("qwen2_5_vl"),
  tie_word_embeddings: z22.boolean().default(false),
  text_config: qwen2Text,
  vision_config: qwen25VisionConfig
});
var qwen3VlConfig = z22.object({
  model_type: z22.literal("qwen3_vl"),
  tie_word_embeddings: z22.boolean().default(false),
  text_config: qwen3Config.omit({ model_type: true }),
  vision_config: qwen3VisionConfig
});
var qwen3VlMoeConfig = z22.object({
  model_type: z22.literal("qwen3_vl_moe"),
  tie_word_embeddings: z22.boolean().default(false),
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
    ...text.model_type === "mistral" ? mistral(text) : ministral3(text),
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
function qwen2Vl(config) {
  return {
    ...qwen2(config.text_config),
    isTied: config.tie_word_embeddings,
    root: languageModel,
    idle: (ops) => qwen2Vision(ops, "model.visual", config.vision_config)
  };
}
function qwen25Vl(config) {
  return {
    ...qwen2(config.text_config),
    isTied: config.tie_word_embeddings,
    root: languageModel,
    idle: (ops) => qwen25Vision(ops, "model.visual", config.vision_config)
  };
}
function qwen3Vl(config) {
  return {
    ...qwen3(config.text_config),
    isTied: config.tie_word_embeddings,
    root: languageModel,
    idle: (ops) => qwen3Vision(ops, "model.visual", config.vision_config)
  };
}
function qwen3VlMoe(config) {
  return {
    ...qwen3Moe(config.text_config),
    isTied: config.tie_word_embeddings,
    root: languageModel,
    idle: (ops) => qwen3Vision(ops, "model.visual", config.vision_config)
  };
}

// engine/models/decoder-families.ts
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
  mixtralConfig,
  qwen2MoeConfig,
  qwen3MoeConfig,
  olmoeConfig,
  gptOssConfig,
  qwen35Config,
  qwen35MoeConfig,
  deepseekV2Config,
  deepseekV3Config,
  glm4MoeLiteConfig,
  glm4MoeConfig,
  gemma3VisionConfig,
  mistral3Config,
  qwen2VlConfig,
  qwen25VlConfig,
  qwen3VlConfig,
  qwen3VlMoeConfig
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
    case "mixtral":
      return mixtral(config);
    case "qwen2_moe":
      return qwen2Moe(config);
    case "qwen3_moe":
      return qwen3Moe(config);
    case "olmoe":
      return olmoe(config);
    case "qwen3_5":
      return qwen35(config);
    case "qwen3_5_moe":
      return qwen35Moe(config);
    case "gpt_oss":
      return gptOss(config);
    case "deepseek_v2":
    case "deepseek_v3":
    case "glm4_moe_lite":
      return deepseek(config);
    case "glm4_moe":
      return glm4Moe(config);
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
  }
}

// engine/models/falcon.ts
import * as z23 from "zod";
var falconConfig = z23.object({
  model_type: z23.literal("falcon"),
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
  bias: z23.boolean().default(false),
  new_decoder_architecture: z23.boolean().default(false),
  num_ln_in_parallel_attn: z23.number().nullish(),
  tie_word_embeddings: z23.boolean().default(true),
  // The Falcon-RW models have ALiBi instead of rotary positions, and attention before the feed-forward.
  alibi: z23.literal(false, { error: "Falcon with ALiBi (the RW models) is not supported" }).default(false),
  parallel_attn: z23.literal(true, { error: "Falcon without parallel attention is not supported" }).default(true),
  multi_query: z23.literal(true, { error: "Falcon without multi-query attention is not supported" }).default(true)
});
function falconLinear(ops, config, name, x, outFeatures) {
  return ops.linear(name, x, outFeatures, { bias: config.bias, composed: true });
}
function falcon(ops, config, task, labels) {
  const { hidden_size: hidden, num_attention_heads: heads2 } = config;
  let x = ops.embedding("transformer.word_embeddings", ops.input, config.vocab_size, hidden);
  const table3 = ops.rotaryTable(x, hidden / heads2);
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => layer2(ops, config, `transformer.h.${index}`, table3, input));
  }
  const output = ops.layerNorm("transformer.ln_f", x);
  if (task !== "causal-lm") return ops.lastToken(ops.linear("score", output, labels, { bias: false }));
  const tied3 = config.tie_word_embeddings ? { tiedTo: "transformer.word_embeddings.weight" } : {};
  return ops.linear("lm_head", output, config.vocab_size, { bias: false, ...tied3 });
}
function layer2(ops, config, name, table3, x) {
  const normsTwice = config.new_decoder_architecture && (config.num_ln_in_parallel_attn ?? 2) === 2;
  const normalised2 = ops.layerNorm(`${name}.${normsTwice ? "ln_attn" : "input_layernorm"}`, x);
  const forFeeding = normsTwice ? ops.layerNorm(`${name}.ln_mlp`, x) : normalised2;
  const attended = ops.frame(normalised2, (input) => attention(ops, config, `${name}.self_attention`, table3, input));
  const fed = ops.frame(forFeeding, (input) => feedForward3(ops, config, `${name}.mlp`, input));
  return ops.residual(ops.dropout(ops.residual(fed, attended, { inPlace: true }), config.hidden_dropout), x);
}
function attention(ops, config, name, table3, x) {
  const { hidden_size: hidden, num_attention_heads: heads2 } = config;
  const [query, key2, value] = projections2(ops, config, `${name}.query_key_value`, x);
  const keyValueHeads = config.new_decoder_architecture ? heads2 : 1;
  const context = ops.attention(
    ops.rotary(query, table3, heads2),
    ops.cached(ops.rotary(key2, table3, keyValueHeads)),
    ops.cached(value),
    { heads: heads2, keyValueHeads, causal: true, dropout: 0, isAlwaysMasked: true, broadcastsHeads: true }
  );
  return falconLinear(ops, config, `${name}.dense`, context, hidden);
}
function projections2(ops, config, name, x) {
  const { hidden_size: hidden, num_attention_heads: heads2, new_decoder_architecture: isGrouped } = config;
  const headSize = hidden / heads2;
  const keyValueHeads = isGrouped ? config.num_kv_heads ?? heads2 : 1;
  const keySize = keyValueHeads * headSize;
  const joined = falconLinear(ops, config, name, x, hidden + 2 * keySize);
  const [query, key2, value] = ops.slices(joined, [hidden, keySize, keySize]);
  const gathered = [key2, value].map((part) => ops.gathered(part));
  if (!isGrouped) return [query, ...gathered];
  const repeated = gathered.map((part) => ops.repeatHeads(part, heads2 / keyValueHeads, keyValueHeads));
  return [ops.gathered(query), ...repeated];
}
function feedForward3(ops, config, name, x) {
  const inner = config.ffn_hidden_size ?? 4 * config.hidden_size;
  const widened = ops.gelu(falconLinear(ops, config, `${name}.dense_h_to_4h`, x, inner));
  return falconLinear(ops, config, `${name}.dense_4h_to_h`, widened, config.hidden_size);
}

// engine/models/gpt2.ts
import * as z24 from "zod";
var gpt2Config = z24.object({
  model_type: z24.literal("gpt2"),
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
  const words2 = ops.embedding("transformer.wte", ops.input, config.vocab_size, config.n_embd);
  const places = ops.constantEmbedding("transformer.wpe", config.n_positions, config.n_embd, tokens);
  let x = ops.dropout(ops.add(words2, places), config.embd_pdrop);
  for (let index = 0; index < config.n_layer; index++) {
    x = ops.block(x, (input) => block2(ops, config, `transformer.h.${index}`, input));
  }
  const hidden = ops.layerNorm("transformer.ln_f", x);
  return task === "causal-lm" ? ops.linear("lm_head", hidden, config.vocab_size, { bias: false, tiedTo: "transformer.wte.weight" }) : ops.lastToken(ops.linear("score", hidden, labels, { bias: false }));
}
function block2(ops, config, name, x) {
  const { n_embd: hidden, n_inner: inner, resid_pdrop: dropout } = config;
  const joined = ops.linear(`${name}.attn.c_attn`, ops.layerNorm(`${name}.ln_1`, x), 3 * hidden);
  const [query, key2, value] = ops.split(joined, [hidden, hidden, hidden]);
  const context = ops.attention(query, ops.cached(key2), ops.cached(value), {
    heads: config.n_head,
    causal: true,
    dropout: config.attn_pdrop
  });
  const attended = ops.residual(ops.dropout(ops.linear(`${name}.attn.c_proj`, context, hidden), dropout), x);
  const normalised2 = ops.layerNorm(`${name}.ln_2`, attended);
  const widened = ops.geluNew(ops.linear(`${name}.mlp.c_fc`, normalised2, inner ?? 4 * hidden));
  return ops.residual(attended, ops.dropout(ops.linear(`${name}.mlp.c_proj`, widened, hidden), dropout));
}

// engine/models/opt.ts
import * as z25 from "zod";
var optConfig = z25.object({
  model_type: z25.literal("opt"),
  vocab_size: size,
  hidden_size: size,
  ffn_dim: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  max_position_embeddings: size.default(2048),
  /** Narrower than `hidden_size` in OPT-350M, which projects in and out. */
  word_embed_proj_dim: size.nullish(),
  /** False in OPT-350M: norms come after the residual sums. */
  do_layer_norm_before: z25.boolean().default(true),
  dropout: probability.default(0.1),
  attention_dropout: probability.default(0)
});
var POSITION_OFFSET = 2;
function opt(ops, config, task, labels) {
  const { hidden_size: hidden, max_position_embeddings: positions } = config;
  const embedded = config.word_embed_proj_dim ?? hidden;
  const projects = embedded !== hidden;
  const words2 = ops.embedding("model.decoder.embed_tokens", ops.input, config.vocab_size, embedded);
  const places = ops.embedding("model.decoder.embed_positions", ops.input, positions + POSITION_OFFSET, hidden);
  const narrow = { bias: false };
  let x = ops.add(projects ? ops.linear("model.decoder.project_in", words2, hidden, narrow) : words2, places);
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => layer3(ops, config, `model.decoder.layers.${index}`, input));
  }
  const normalised2 = config.do_layer_norm_before ? ops.layerNorm("model.decoder.final_layer_norm", x) : x;
  const output = projects ? ops.linear("model.decoder.project_out", normalised2, embedded, narrow) : normalised2;
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
  const projected = ops.dropout(ops.linear(`${name}.self_attn.out_proj`, context, hidden), dropout);
  const attended = after("self_attn_layer_norm", ops.residual(projected, x));
  const widened = ops.relu(ops.linear(`${name}.fc1`, before("final_layer_norm", attended), config.ffn_dim));
  const fed = ops.dropout(ops.linear(`${name}.fc2`, widened, hidden), dropout);
  return after("final_layer_norm", ops.residual(fed, attended));
}

// engine/models/parallel-decoder.ts
import * as z26 from "zod";
var gptNeoxConfig = z26.object({
  model_type: z26.literal("gpt_neox"),
  vocab_size: size,
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  max_position_embeddings: size,
  rotary_pct: z26.number().min(0).max(1).default(0.25),
  hidden_dropout: probability.default(0),
  attention_dropout: probability.default(0),
  use_parallel_residual: z26.boolean().default(true),
  tie_word_embeddings: z26.boolean().default(false)
});
var phiConfig = z26.object({
  model_type: z26.literal("phi"),
  vocab_size: size,
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  max_position_embeddings: size,
  partial_rotary_factor: z26.number().min(0).max(1).default(0.5),
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
  const tied3 = config.tie_word_embeddings ? { tiedTo: "gpt_neox.embed_in.weight" } : {};
  return ops.linear("embed_out", output, config.vocab_size, { bias: false, ...tied3 });
}
function neoxLayer(ops, config, name, table3, x) {
  const { hidden_size: hidden, num_attention_heads: heads2, hidden_dropout: dropout } = config;
  const normalised2 = ops.layerNorm(`${name}.input_layernorm`, x);
  const joined = ops.linear(`${name}.attention.query_key_value`, normalised2, 3 * hidden);
  const [query, key2, value] = ops.split(joined, [hidden, hidden, hidden]);
  const [q, k] = [query, key2].map((states) => ops.rotary(states, table3, heads2));
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

// engine/models/resnet.ts
import * as z27 from "zod";
var resnetConfig = z27.object({
  model_type: z27.literal("resnet"),
  embedding_size: size.default(64),
  hidden_sizes: z27.array(size).min(1).max(20).default([256, 512, 1024, 2048]),
  depths: z27.array(size).min(1).max(20).default([3, 4, 6, 3]),
  layer_type: z27.enum(["basic", "bottleneck"]).default("bottleneck"),
  downsample_in_first_stage: z27.boolean().default(false),
  downsample_in_bottleneck: z27.boolean().default(false)
});
var REDUCTION = 4;
function resnet(ops, config, labels) {
  const stem = convolution(ops, "embedder", ops.input, config.embedding_size, { kernel: 7, stride: 2 });
  let x = ops.maxPool(ops.relu(stem), { kernel: 3, stride: 2, padding: 1 });
  let channels2 = config.embedding_size;
  config.hidden_sizes.forEach((outChannels, stage) => {
    for (let layer5 = 0; layer5 < (config.depths[stage] ?? 0); layer5++) {
      const downsamples = layer5 === 0 && (stage > 0 || config.downsample_in_first_stage);
      const shape = { channels: channels2, outChannels, stride: downsamples ? 2 : 1 };
      x = residualLayer(ops, config, `stages.${stage}.layers.${layer5}`, x, shape);
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

// engine/models/t5.ts
import * as z28 from "zod";
var t5Config = z28.object({
  model_type: z28.literal("t5"),
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
  feed_forward_proj: z28.enum(["relu", "gated-gelu"]).default("relu"),
  /** False from T5 1.1 on. transformers ties the weights all the same, and scales the decoder's output only when true. */
  tie_word_embeddings: z28.boolean().default(true),
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
  const { num_heads: heads2, relative_attention_num_buckets: buckets, dropout_rate: dropout } = config;
  const words2 = ops.embedding("shared", ids, config.vocab_size, config.d_model);
  const table3 = `${name}.block.0.layer.0.SelfAttention.relative_attention_bias`;
  const bias = ops.relativePositionBias(table3, buckets, heads2, tokens);
  const sourceBias = source && ops.zeroPositionBias(heads2, tokens, source.tokens);
  const shared = [bias, ...source ? [source.encoded] : [], ...sourceBias ? [sourceBias] : []];
  let x = ops.dropout(words2, dropout);
  for (let index = 0; index < layers; index++) {
    const block3 = `${name}.block.${index}`;
    x = ops.block(
      x,
      (input) => {
        const causal = source !== void 0;
        const attended = selfAttention(ops, config, `${block3}.layer.0`, input, { causal, bias });
        const joined = source && sourceBias ? crossAttention(ops, config, `${block3}.layer.1`, attended, source.encoded, sourceBias) : attended;
        return feedForward4(ops, config, `${block3}.layer.${source ? 2 : 1}`, joined);
      },
      shared
    );
  }
  return ops.dropout(norm(ops, config, `${name}.final_layer_norm`, x), dropout);
}
function selfAttention(ops, config, name, x, { causal, bias }) {
  return sublayer(
    ops,
    config,
    name,
    x,
    (normalised2) => attention2(ops, config, `${name}.SelfAttention`, normalised2, normalised2, { causal, caches: causal, bias })
  );
}
function crossAttention(ops, config, name, x, source, bias) {
  return sublayer(
    ops,
    config,
    name,
    x,
    (normalised2) => attention2(ops, config, `${name}.EncDecAttention`, normalised2, source, { causal: false, caches: true, bias })
  );
}
function sublayer(ops, config, name, x, body) {
  return ops.frame(x, (input) => {
    const result = ops.frame(norm(ops, config, `${name}.layer_norm`, input), body);
    return ops.residual(ops.dropout(result, config.dropout_rate), input);
  });
}
function attention2(ops, config, name, x, source, { causal, caches, bias }) {
  const { num_heads: heads2, d_kv: headSize, dropout_rate: dropout } = config;
  const project = (part, from) => ops.linear(`${name}.${part}`, from, heads2 * headSize, { bias: false });
  const [query, key2, value] = [project("q", x), project("k", source), project("v", source)];
  const [k, v] = caches ? [ops.cached(key2), ops.cached(value)] : [key2, value];
  const shape = { heads: heads2, causal, dropout };
  return ops.linear(`${name}.o`, ops.attention(query, k, v, shape, bias), config.d_model, { bias: false });
}
function feedForward4(ops, config, name, x) {
  const module = `${name}.DenseReluDense`;
  return sublayer(ops, config, name, x, (normalised2) => {
    const widen = (part) => ops.linear(`${module}.${part}`, normalised2, config.d_ff, { bias: false });
    const widened = config.feed_forward_proj === "relu" ? ops.relu(widen("wi")) : ops.multiply(ops.geluNew(widen("wi_0")), widen("wi_1"));
    const dropped = ops.dropout(widened, config.dropout_rate);
    return ops.linear(`${module}.wo`, dropped, config.d_model, { bias: false, castsInput: true });
  });
}
function norm(ops, config, name, x) {
  return ops.rmsNorm(name, x, { size: config.d_model, scalesInFloat32: false, scalesInput: true });
}

// engine/models/vit.ts
import * as z29 from "zod";
var visionEncoder = z29.object({
  hidden_size: size.default(768),
  num_hidden_layers: size.default(12),
  num_attention_heads: size.default(12),
  intermediate_size: size.default(3072),
  hidden_dropout_prob: probability.default(0),
  attention_probs_dropout_prob: probability.default(0),
  /** Pixels of the side that the position table was made for. */
  image_size: size.default(224),
  patch_size: size.default(16),
  qkv_bias: z29.boolean().default(true)
});
var vitConfig = visionEncoder.extend({ model_type: z29.literal("vit") });
var deitConfig = visionEncoder.extend({ model_type: z29.literal("deit") });
function vit(ops, config, labels) {
  const { hidden_size: hidden, patch_size: patch } = config;
  const convolution2 = { kernel: patch, stride: patch, padding: 0, bias: true };
  const patches2 = ops.flattenPixels(
    ops.conv2d("embeddings.patch_embeddings.projection", ops.input, hidden, convolution2)
  );
  const special = config.model_type === "deit" ? ["cls_token", "distillation_token"] : ["cls_token"];
  const tokens = ops.prependTokens(
    special.map((name) => `embeddings.${name}`),
    patches2
  );
  const positions = special.length + Math.floor(config.image_size / patch) ** 2;
  const embedded = ops.addPositions("embeddings.position_embeddings", tokens, positions);
  let x = ops.dropout(embedded, config.hidden_dropout_prob);
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => layer4(ops, config, `layers.${index}`, input));
  }
  return ops.linear("classifier", ops.firstToken(ops.layerNorm("layernorm", x)), labels);
}
function layer4(ops, config, name, x) {
  const normalised2 = ops.layerNorm(`${name}.layernorm_before`, x);
  const context = ops.frame(normalised2, (input) => attention3(ops, config, `${name}.attention`, input));
  const attended = ops.residual(ops.dropout(context, config.hidden_dropout_prob), x);
  const normed = ops.layerNorm(`${name}.layernorm_after`, attended);
  const fed = ops.frame(normed, (input) => feedForward5(ops, config, `${name}.mlp`, input));
  return ops.residual(ops.dropout(fed, config.hidden_dropout_prob), attended);
}
function attention3(ops, config, name, x) {
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
function feedForward5(ops, config, name, x) {
  const widened = ops.gelu(ops.linear(`${name}.fc1`, x, config.intermediate_size));
  return ops.linear(`${name}.fc2`, widened, config.hidden_size);
}

// engine/models/architecture.ts
var modelConfig = z30.discriminatedUnion("model_type", [
  bertConfig,
  robertaConfig,
  distilbertConfig,
  gpt2Config,
  ...decoderConfigs,
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
  t5: "encoder-decoder",
  resnet: "image",
  vit: "image",
  deit: "image",
  convnext: "image"
};
function kindOf({ model_type }) {
  return kinds[model_type] ?? "decoder";
}
var tasks = {
  encoder: ["sequence-classification", "masked-lm"],
  decoder: ["causal-lm", "sequence-classification"],
  "encoder-decoder": ["seq2seq-lm"],
  image: ["image-classification"]
};
function tasksOf(config) {
  return tasks[kindOf(config)];
}
function maxPositionsOf(config) {
  if ("n_positions" in config) return config.n_positions;
  if ("text_config" in config) return config.text_config.max_position_embeddings;
  if (!("max_position_embeddings" in config)) return void 0;
  return config.max_position_embeddings - (config.model_type === "roberta" ? ROBERTA_POSITION_OFFSET : 0);
}
function imageSizeOf(config) {
  if ("image_size" in config) return config.image_size;
  return kindOf(config) === "image" ? IMAGENET_PIXELS : void 0;
}
function seesImages(config) {
  return "vision_config" in config;
}
function hasExperts(config) {
  const text = "text_config" in config ? config.text_config : config;
  return "num_experts_per_tok" in text;
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
    default:
      return decoderModel(ops, blueprintOf(config), spec.task, spec.labels);
  }
}

// engine/estimate/error-band.ts
var TRACED_BAND_PERCENT = 3;
var DERIVED_BAND_PERCENT = 10;
function errorBandPercent(spec, config) {
  const isTraced = beyondTrace(spec) === void 0 && sentencesOn(spec, config).length === 0;
  return isTraced ? TRACED_BAND_PERCENT : DERIVED_BAND_PERCENT;
}
function beyondTrace(spec) {
  return spec.gpus > 1 ? "several GPUs" : beyondTorch(spec);
}
function beyondTorch(spec) {
  if (spec.gpus > 1 && spec.sharding?.startsWith("zero")) return "DeepSpeed's sharding";
  if (spec.quantizedExperts) return "quantised experts";
  if (spec.fakeQuantization?.format !== void 0) return "4-bit floats";
  if (spec.float8) return "8-bit floats";
  if (spec.offload !== void 0) return "offloading";
  if (spec.fusedLoss) return "a fused loss";
  if (spec.precision === "bf16-master") return "float32 master weights";
  return spec.optimizer === "lion" || spec.optimizer === "paged-adamw" ? `the optimizer ${spec.optimizer}` : void 0;
}
function derivationOf(spec, config) {
  const beyond = beyondTrace(spec);
  const ofModel = sentencesOn(spec, config);
  if (beyond === void 0) return ofModel;
  return [
    ...ofModel,
    `What ${beyond} take${beyond.endsWith("s") ? "" : "s"} is derived from sources and documentation; no trace and no GPU has confirmed it, and the band of ${DERIVED_BAND_PERCENT} % is a guess.`
  ];
}
function sentencesOn(spec, config) {
  const isBfloat16 = spec.precision === "bf16" || spec.precision === "bf16-master";
  return [
    ...seesImages(config) ? [
      "Text alone is counted: how many images of which size a sample holds cannot be known from the config. The weights of the layers that see them are in the figures, their activations are not."
    ] : [],
    ...hasExperts(config) && spec.quantization !== void 0 && !spec.quantizedExperts ? [
      "The experts are counted without quantisation: transformers 5 holds them as parameters of their own, which the quantisation of linear layers passes over."
    ] : [],
    ...config.model_type === "qwen3_5" || config.model_type === "qwen3_5_moe" ? [
      "Linear attention is counted in flash-linear-attention's kernels, derived from their sources; where they are not installed transformers' own composition takes more."
    ] : [],
    ...config.model_type === "gpt_oss" && spec.attention === "sdpa" ? [
      "Attention is counted in a flash kernel that takes gpt-oss's sinks, such as kernels-community/vllm-flash-attn3; without one transformers computes it eagerly, in far more memory. Its kernel is derived from its sources."
    ] : [],
    ...hasExperts(config) && !isBfloat16 ? ["Experts in float32 run in a kernel that no trace covers; they are counted as in bfloat16, at twice the size."] : []
  ];
}

// engine/probes/device.ts
import * as z32 from "zod";

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
import * as z31 from "zod";
var answer = z31.discriminatedUnion("kind", [
  z31.object({ id: z31.number(), kind: z31.literal("done"), result: z31.unknown() }),
  z31.object({ id: z31.number(), kind: z31.literal("failed"), message: z31.string(), traceback: z31.string() })
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
  /** One question at a time: the next may be asked when this one is answered. */
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
    return result.success ? { kind: "done", result: result.data } : this.#died(`answered what the schema refuses: ${z31.prettifyError(result.error)}`);
  }
  #died(how) {
    this.#kill();
    return { kind: "died", message: `the Python worker ${how}. ${this.#stderr}`.trim() };
  }
  /** The whole process group: data loaders and compilers of Python go with it. */
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
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}

// engine/probes/device.ts
var deviceKinds = ["cuda", "mps", "cpu"];
var bytes = z32.number().int().min(0);
var cudaDevice = z32.object({
  kind: z32.literal("cuda"),
  name: z32.string(),
  /** Cards of this machine that PyTorch sees; the facts are of the first. */
  count: z32.number().int().positive(),
  /** The memory limit, where one was set. */
  totalBytes: bytes,
  /** Total − free − reserved after a first kernel: the context, and whatever other processes hold. */
  contextBytes: bytes,
  /** What PyTorch allocates for cuBLAS, once per handle and stream. */
  cublasWorkspaceBytes: bytes,
  driver: z32.string(),
  cuda: z32.string(),
  computeCapability: z32.tuple([z32.number().int(), z32.number().int()])
});
var device = z32.discriminatedUnion("kind", [
  cudaDevice,
  z32.object({ kind: z32.literal("mps"), name: z32.string(), totalBytes: bytes, contextBytes: bytes }),
  z32.object({ kind: z32.literal("cpu"), name: z32.string() }),
  z32.object({ kind: z32.literal("none") })
]);
var machine = z32.object({
  python: z32.string(),
  torch: z32.string(),
  transformers: z32.string(),
  hasBitsandbytes: z32.boolean(),
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
  "adamw-8bit": { ...inPlace, stateBytes: (parameter) => 2 * eightBitBytes(parameter), passes: 4 },
  // Paged state lives in managed memory: on the GPU while it fits, on the host when something else needs the room.
  "paged-adamw-8bit": { ...inPlace, stateBytes: (parameter) => 2 * eightBitBytes(parameter), passes: 4 },
  "paged-adamw": { ...inPlace, stateBytes: (parameter) => 2 * float32Bytes(parameter), passes: 7 }
};
function adafactorBytes(parameter) {
  const [rows2, columns] = [parameter.shape.at(-2), parameter.shape.at(-1)];
  if (rows2 === void 0 || columns === void 0) return float32Bytes(parameter);
  return (elements(parameter) / columns + elements(parameter) / rows2) * bytesPerElement.float32;
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
  const [output] = node.outputs;
  const flopsPerElement = output ? node.flopsPerSample / elements(output) : 0;
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

// engine/probes/estimate.ts
var CUBLAS_HANDLES = 2;
var throughputs = /* @__PURE__ */ new WeakMap();
var EstimateProbe = class {
  usableBytes;
  #workspaceBytes;
  #footprint;
  #gpu;
  /** One footprint serves any number of GPUs. */
  constructor(footprint, gpu) {
    this.usableBytes = usableBytes(gpu);
    this.#workspaceBytes = gpu.cublasWorkspaceBytes * CUBLAS_HANDLES;
    this.#footprint = footprint;
    this.#gpu = gpu;
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
          fix: "Read the Python traceback; the config may ask for something that this machine or model lacks."
        }
      };
    case "died":
      return {
        kind: "failed",
        problem: {
          code: "worker-died",
          message: answer2.message.slice(0, 2e3),
          fix: "Look into the machine's log: the host may be out of memory, or the driver may have failed."
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
        fix: "Look whether another job uses the device, or sweep a smaller model."
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
    fix: "Run `memorymark doctor` for what this machine has and what to install."
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
import * as z36 from "zod";

// engine/probes/tfjs/protocol.ts
import * as z35 from "zod";

// engine/config/spec.ts
import * as z33 from "zod";
var tasks2 = [
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
  "rmsprop",
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
var defaultLoraTargets = ["q_proj", "v_proj"];
var shardings = ["ddp", "zero1", "zero2", "zero3", "fsdp"];
var logProbabilityStyles = ["trl", "llamafactory", "torchtune"];
var references = ["none", "adapters-off", "copy"];
var trainingMethod = z33.discriminatedUnion("kind", [
  /** DPO, IPO, SimPO, CPO, ORPO: the chosen and the rejected answer of a sample go through the model in one batch. */
  z33.object({
    kind: z33.literal("preference"),
    reference: z33.enum(references),
    logProbabilities: z33.enum(logProbabilityStyles),
    /** ORPO and CPO: a cross-entropy over the chosen answers beside. */
    withCrossEntropy: z33.boolean()
  }),
  /** KTO: one answer a sample, and another sample's beside it, through the policy and the reference without gradients. */
  z33.object({
    kind: z33.literal("kto"),
    reference: z33.enum(references),
    logProbabilities: z33.enum(logProbabilityStyles)
  }),
  /**
   * Reward models. `score`: a classifier of one label over the chosen and the rejected answer. `value`: LLaMA-Factory's value
   * head beside the output layer, whose logits are computed and dropped. `steps`: a score of two labels for every token.
   */
  z33.object({ kind: z33.literal("reward"), head: z33.enum(["score", "value", "steps"]) }),
  /**
   * torchtune's: a frozen teacher of the catalogue reads the same batch, and the student learns its distribution beside the labels,
   * from logits in `chunks`.
   */
  z33.object({
    kind: z33.literal("distillation"),
    teacher: z33.string().min(1).max(200),
    chunks: z33.number().int().min(1).max(1e3)
  })
]);
var MAX_BATCH = 1e6;
var batchSize = z33.number().int().min(1).max(MAX_BATCH);
var trainingSpec = z33.object({
  /** A Hub id or an alias of the model catalogue. */
  model: z33.string().min(1).max(200),
  task: z33.enum(tasks2),
  framework: z33.enum(frameworks),
  step: z33.enum(stepProfiles),
  /** Samples on one GPU in one forward pass. */
  microBatch: batchSize,
  gradientAccumulation: batchSize,
  gpus: z33.number().int().min(1).max(1e5),
  /** Tokens of the longest sequence; absent for images. */
  sequenceLength: z33.number().int().min(1).max(1e7).optional(),
  /** Tokens of the longest target of a sequence-to-sequence model; as many as the source's when absent. */
  targetLength: z33.number().int().min(1).max(1e7).optional(),
  /** Pixels of the square image's side; absent for text. */
  imageSize: z33.number().int().min(1).max(1e5).optional(),
  /** Classes of a classification head. */
  labels: z33.number().int().min(1).max(1e6),
  precision: z33.enum(precisions),
  optimizer: z33.enum(optimizers),
  attention: z33.enum(attentions),
  gradientCheckpointing: z33.boolean(),
  /** Low-rank adapters over frozen weights; absent for full fine-tuning. */
  lora: z33.object({
    rank: z33.number().int().min(1).max(1e4),
    /** Last names of the adapted linear modules (`q_proj`). */
    targets: z33.array(z33.string().max(100)).min(1).max(100),
    dropout: z33.number().min(0).max(1),
    /** Last names of modules that train whole, in a copy beside the frozen original: peft's `modules_to_save`. */
    modulesToSave: z33.array(z33.string().max(100)).max(100).optional()
  }).optional(),
  /** Base weights of every linear layer but the output's. Only with `lora`. */
  quantization: z33.enum(quantizations).optional(),
  /** Whether `quantization` is the experts' too, whose matrices are no linear layers: Axolotl's `quantize_moe_experts`. */
  quantizedExperts: z33.boolean().optional(),
  /**
   * Quantisation-aware training: linear layers round their input (to 8 bits, by token) and their weight (to 4 bits, in groups of
   * so many inputs) and go on in the type of the weights, as torchao does. With `lora`, the adapted layers alone.
   */
  fakeQuantization: z33.object({
    groupSize: z33.number().int().min(1).max(1e6),
    /** Both as 4-bit floats instead, which the products compute in and keep. */
    format: z33.enum(["nvfp4", "mxfp4"]).optional()
  }).optional(),
  /** Matrix products in 8-bit floats over weights in their own type (torchao's float8 training). */
  float8: z33.boolean().optional(),
  /** GPUs among which the experts of a layer are divided. */
  expertParallel: z33.number().int().min(1).max(1e5).optional(),
  /** Only with several GPUs; DDP when absent. */
  sharding: z33.enum(shardings).optional(),
  /** What lives on the host instead of the GPU. */
  offload: z33.enum(["optimizer", "optimizer-and-weights"]).optional(),
  /** Liger's or another fused loss: logits are made and consumed in chunks and never stand whole. */
  fusedLoss: z33.boolean().optional(),
  /** Absent for the model's own loss. */
  method: trainingMethod.optional(),
  /** False where the training turns every dropout layer off, as TRL does unless told otherwise. */
  dropout: z33.boolean().optional(),
  /** Batches carry a padding mask. Fused attention then keeps a b·s² mask per layer. */
  paddedBatches: z33.boolean(),
  /**
   * Who runs the step. `plain`: `outputs = model(…); outputs.loss.backward()`, where the logits stay referenced during the
   * backward pass and decoders fill their key/value cache (`use_cache` is on by default). `trainer`: Hugging Face's Trainer,
   * which turns the cache off (`TrainingArguments.use_cache`) and whose `compute_loss` returns the loss alone.
   */
  loop: z33.enum(loops)
});
function sequencesPerSample({ method }) {
  switch (method?.kind) {
    case "preference":
      return 2;
    case "reward":
      return method.head === "steps" ? 1 : 2;
    case "kto":
    case "distillation":
    case void 0:
      return 1;
  }
}
function effectiveBatch(spec) {
  return spec.microBatch * spec.gradientAccumulation * spec.gpus;
}

// engine/probes/trial.ts
import * as z34 from "zod";
var bytes2 = z34.number().min(0).max(1e18);
var provenance = z34.enum(["measured", "traced", "estimated"]);
var outcome = z34.discriminatedUnion("kind", [
  z34.object({
    kind: z34.literal("fits"),
    /** Absent where the device keeps no count of it: the CPU. */
    peakBytes: bytes2.optional(),
    /** Half the distance between the highest and the lowest peak of the steps; absent where one step has the peak. */
    peakBytesSpread: bytes2.optional(),
    /** What the caching allocator held at most, cached blocks included. */
    reservedBytes: bytes2.optional(),
    /** Forward and backward of one micro-batch and one optimizer step: the median of the timed steps. */
    stepMillis: z34.number().min(0).optional(),
    /** Half the distance between the fastest and the slowest timed step; absent when fewer than two were timed. */
    stepMillisSpread: z34.number().min(0).optional(),
    /** The optimizer's part of `stepMillis`. */
    optimizerMillis: z34.number().min(0).optional()
  }),
  /** `neededBytes`: the peak that the step would have had, where the probe can know it. */
  z34.object({ kind: z34.literal("out-of-memory"), neededBytes: bytes2.optional() }),
  z34.object({ kind: z34.literal("timed-out"), afterMillis: z34.number().min(0) }),
  z34.object({ kind: z34.literal("failed"), problem })
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
var trial = z34.object({ microBatch: batchSize, provenance, outcome });

// engine/probes/tfjs/protocol.ts
var backendChoices = ["auto", "native", "cpu", "meta"];
var childArguments = z35.object({
  choice: z35.enum(backendChoices),
  /** The folder whose node_modules hold a native package. */
  nativeFolder: z35.string()
});
var question = z35.object({
  spec: trainingSpec,
  config: modelConfig,
  microBatch: batchSize,
  /** What the device has for tensors. */
  budgetBytes: z35.number().positive(),
  /** The first allocates the optimizer's state. */
  steps: z35.number().int().min(2),
  /** `forward`: the loss alone, with nothing kept for a backward pass. */
  pass: z35.enum(["forward", "step"])
});
var description = z35.object({ label: z35.string(), provenance });
var message = z35.discriminatedUnion("kind", [
  /** First, and once. */
  z35.object({ kind: z35.literal("ready"), backend: description }),
  z35.object({ kind: z35.literal("answer"), outcome }),
  /** The child threw; it ends after this. */
  z35.object({ kind: z35.literal("threw"), message: z35.string(), stack: z35.string() })
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
    if (!parsed2.success) return this.#ending(`said what the schema refuses: ${z36.prettifyError(parsed2.error)}`);
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
  async #trial(microBatch, pass, { steps = LEAST_STEPS, signal }) {
    const end = () => void this.#endChild();
    if (signal?.aborted) end();
    signal?.addEventListener("abort", end, { once: true });
    try {
      const outcome2 = await this.#outcome({ microBatch, steps, pass });
      if (outcome2.kind !== "fits") await this.#endChild();
      return { microBatch, provenance: this.provenance, outcome: outcome2 };
    } finally {
      signal?.removeEventListener("abort", end);
    }
  }
  async #outcome(asked) {
    const { spec, config, trialTimeoutMillis = TRIAL_TIMEOUT_MILLIS, log } = this.#context;
    const started = await this.#started();
    if (started.kind !== "ready") return outcomeOf2(started, log);
    const question2 = { ...asked, spec, config, budgetBytes: this.device.usableBytes };
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
  const fix = "Look into the machine's log: the host may be out of memory, or the driver may have failed.";
  return { kind: "failed", problem: { code: "worker-died", message: message2, fix } };
}

// engine/probes/torch.ts
import * as z37 from "zod";

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

// engine/models/model-row.ts
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
var tied2 = { tie_word_embeddings: true };
var untied = { tie_word_embeddings: false };

// engine/models/llm-rows.ts
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
  row2("llama", [128256, 2048, 8192, 16, 32, 8, 131072], ["meta-llama/Llama-3.2-1B", "meta-llama/Llama-3.2-1B-Instruct", "NousResearch/Llama-3.2-1B", "unsloth/Llama-3.2-1B", "unsloth/Llama-3.2-1B-Instruct"], { head_dim: 64, ...tied2 }),
  row2("llama", [128256, 3072, 8192, 28, 24, 8, 131072], ["meta-llama/Llama-3.2-3B", "meta-llama/Llama-3.2-3B-Instruct", "NousResearch/Hermes-3-Llama-3.2-3B", "unsloth/Llama-3.2-3B", "unsloth/Llama-3.2-3B-Instruct"], { head_dim: 128, ...tied2 }),
  row2("llama", [32e3, 2048, 5632, 22, 32, 4, 2048], ["TinyLlama/TinyLlama-1.1B-Chat-v1.0", "TinyLlama/TinyLlama_v1.1", "TinyLlama/TinyLlama-1.1B-intermediate-step-1431k-3T"]),
  row2("llama", [49152, 576, 1536, 30, 9, 3, 2048], ["HuggingFaceTB/SmolLM-135M", "HuggingFaceTB/SmolLM-135M-Instruct"], tied2),
  row2("llama", [49152, 960, 2560, 32, 15, 5, 2048], ["HuggingFaceTB/SmolLM-360M", "HuggingFaceTB/SmolLM-360M-Instruct"], tied2),
  row2("llama", [49152, 2048, 8192, 24, 32, 32, 2048], ["HuggingFaceTB/SmolLM-1.7B", "HuggingFaceTB/SmolLM-1.7B-Instruct"], tied2),
  row2("llama", [49152, 576, 1536, 30, 9, 3, 8192], ["HuggingFaceTB/SmolLM2-135M", "HuggingFaceTB/SmolLM2-135M-Instruct"], tied2),
  row2("llama", [49152, 960, 2560, 32, 15, 5, 8192], ["HuggingFaceTB/SmolLM2-360M", "HuggingFaceTB/SmolLM2-360M-Instruct"], tied2),
  row2("llama", [49152, 2048, 8192, 24, 32, 32, 8192], ["HuggingFaceTB/SmolLM2-1.7B", "HuggingFaceTB/SmolLM2-1.7B-Instruct"], tied2),
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
var qwen2Tied = { use_sliding_window: false, ...tied2 };
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
var qwen3Tied = { head_dim: 128, ...tied2 };
var qwen3Untied = { head_dim: 128, ...untied };
var qwen32 = [
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
var wideHeads = { head_dim: 256, ...tied2 };
var gemma4 = [
  row2("gemma", [256e3, 2048, 16384, 18, 8, 1, 8192], ["google/gemma-2b", "google/gemma-2b-it", "google/gemma-1.1-2b-it", "unsloth/gemma-2b"], wideHeads),
  row2("gemma", [256e3, 3072, 24576, 28, 16, 16, 8192], ["google/gemma-7b", "google/gemma-7b-it", "google/gemma-1.1-7b-it", "unsloth/gemma-7b"], wideHeads),
  row2("gemma2", [256e3, 2304, 9216, 26, 8, 4, 8192], ["google/gemma-2-2b", "google/gemma-2-2b-it", "unsloth/gemma-2-2b-it"], { sliding_window: 4096, ...wideHeads }),
  row2("gemma2", [256e3, 3584, 14336, 42, 16, 8, 8192], ["google/gemma-2-9b", "google/gemma-2-9b-it", "unsloth/gemma-2-9b-it"], { sliding_window: 4096, ...wideHeads }),
  row2("gemma2", [256e3, 4608, 36864, 46, 32, 16, 8192], ["google/gemma-2-27b", "google/gemma-2-27b-it"], { sliding_window: 4096, head_dim: 128, ...tied2 }),
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
  row2("phi3", [200064, 3072, 8192, 32, 24, 8, 131072], ["microsoft/Phi-4-mini-instruct"], { sliding_window: 262144, partial_rotary_factor: 0.75, resid_pdrop: 0, ...tied2 })
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
function optRow(hidden, layers, heads2, id, differences = {}) {
  const config = {
    model_type: "opt",
    vocab_size: 50272,
    hidden_size: hidden,
    ffn_dim: 4 * hidden,
    num_hidden_layers: layers,
    num_attention_heads: heads2,
    max_position_embeddings: 2048,
    word_embed_proj_dim: hidden,
    do_layer_norm_before: true,
    dropout: 0.1,
    attention_dropout: 0,
    ...tied2,
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
  ...llama2,
  ...mistral2,
  ...qwen22,
  ...qwen32,
  ...gemma4,
  ...phi2,
  ...gptNeox2,
  ...opt2,
  ...falcon2
];

// engine/models/moe-rows.ts
var qwen3Experts = (experts, inner) => ({
  head_dim: 128,
  num_experts: experts,
  num_experts_per_tok: 8,
  moe_intermediate_size: inner,
  ...untied
});
var qwen15Experts = {
  num_experts: 60,
  num_experts_per_tok: 4,
  moe_intermediate_size: 1408,
  shared_expert_intermediate_size: 5632,
  ...untied
};
var mixtralExperts = { num_local_experts: 8, num_experts_per_tok: 2, sliding_window: null, ...untied };
var gptOss2 = (experts) => ({
  head_dim: 64,
  num_local_experts: experts,
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
  row2("gpt_oss", [201088, 2880, 2880, 24, 64, 8, 131072], ["openai/gpt-oss-20b", "unsloth/gpt-oss-20b", "openai/gpt-oss-safeguard-20b"], gptOss2(32)),
  row2("gpt_oss", [201088, 2880, 2880, 36, 64, 8, 131072], ["openai/gpt-oss-120b", "unsloth/gpt-oss-120b"], gptOss2(128)),
  row2("deepseek_v2", [102400, 2048, 10944, 27, 16, 16, 163840], ["deepseek-ai/DeepSeek-V2-Lite", "deepseek-ai/DeepSeek-V2-Lite-Chat"], deepseekV2Lite),
  row2("deepseek_v3", [129280, 7168, 18432, 61, 128, 128, 163840], ["deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-R1", "deepseek-ai/DeepSeek-V3-0324"], deepseekV3),
  row2("glm4_moe_lite", [154880, 2048, 10240, 47, 20, 20, 202752], ["zai-org/GLM-4.7-Flash"], glm47Flash)
];

// engine/models/multimodal-rows.ts
function textConfig(model_type, sizes, differences = {}) {
  const [vocab_size, hidden_size, intermediate_size, num_hidden_layers, num_attention_heads] = sizes;
  const [, , , , , num_key_value_heads, max_position_embeddings] = sizes;
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
function gemma3Row(sizes, headSize, ids) {
  const text_config = textConfig("gemma3_text", sizes, { head_dim: headSize, sliding_window: 1024 });
  return { ids, config: { model_type: "gemma3", text_config, vision_config: gemmaVision } };
}
function qwen2VlRow(sizes, isTied, ids) {
  const vision_config2 = { depth: 32, embed_dim: 1280, hidden_size: sizes[1], mlp_ratio: 4, num_heads: 16 };
  const text_config = textConfig("qwen2_vl_text", sizes);
  return { ids, config: { model_type: "qwen2_vl", tie_word_embeddings: isTied, text_config, vision_config: vision_config2 } };
}
function qwen25VlRow(sizes, isTied, ids) {
  const vision_config2 = { depth: 32, hidden_size: 1280, intermediate_size: 3420, out_hidden_size: sizes[1] };
  const text_config = textConfig("qwen2_5_vl_text", sizes);
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
function qwen3VlRow(sizes, { vision, isTied, experts }, ids) {
  const model_type = experts === void 0 ? "qwen3_vl" : "qwen3_vl_moe";
  const text_config = textConfig(`${model_type}_text`, sizes, { head_dim: 128, ...experts });
  const vision_config2 = { num_heads: 16, out_hidden_size: sizes[1], ...vision };
  return { ids, config: { model_type, tie_word_embeddings: isTied, text_config, vision_config: vision_config2 } };
}
var qwen3Experts2 = (inner) => ({ num_experts: 128, num_experts_per_tok: 8, moe_intermediate_size: inner });
var mistralSmall31 = {
  ids: ["mistralai/Mistral-Small-3.1-24B-Base-2503", "mistralai/Mistral-Small-3.1-24B-Instruct-2503"],
  config: {
    model_type: "mistral3",
    tie_word_embeddings: false,
    text_config: textConfig("mistral", [131072, 5120, 32768, 40, 32, 8, 131072], {
      head_dim: 128,
      sliding_window: null
    }),
    vision_config: { hidden_size: 1024, intermediate_size: 4096, num_hidden_layers: 24, patch_size: 14 }
  }
};
var qwen35Vision = { depth: 27, hidden_size: 1152, intermediate_size: 4304, patch_size: 16 };
var deltaNet2 = (valueHeads) => ({
  head_dim: 256,
  linear_conv_kernel_dim: 4,
  linear_key_head_dim: 128,
  linear_value_head_dim: 128,
  linear_num_key_heads: 16,
  linear_num_value_heads: valueHeads
});
var qwen352 = {
  ids: ["Qwen/Qwen3.5-27B", "unsloth/Qwen3.5-27B"],
  config: {
    model_type: "qwen3_5",
    tie_word_embeddings: false,
    text_config: textConfig("qwen3_5_text", [248320, 5120, 17408, 64, 24, 4, 262144], deltaNet2(48)),
    vision_config: { ...qwen35Vision, out_hidden_size: 5120 }
  }
};
function qwen35MoeRow(sizes, experts, ids) {
  const { intermediate_size: _, ...text } = textConfig("qwen3_5_moe_text", sizes, {
    ...deltaNet2(experts.valueHeads),
    num_experts: experts.count,
    num_experts_per_tok: experts.perToken,
    moe_intermediate_size: experts.inner,
    shared_expert_intermediate_size: experts.inner
  });
  const vision_config2 = { ...qwen35Vision, out_hidden_size: sizes[1] };
  return { ids, config: { model_type: "qwen3_5_moe", tie_word_embeddings: false, text_config: text, vision_config: vision_config2 } };
}
var multimodalRows = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  gemma3Row([262208, 2560, 10240, 34, 8, 4, 131072], 256, ["google/gemma-3-4b-pt", "google/gemma-3-4b-it", "unsloth/gemma-3-4b-it"]),
  gemma3Row([262208, 3840, 15360, 48, 16, 8, 131072], 256, ["google/gemma-3-12b-pt", "google/gemma-3-12b-it", "unsloth/gemma-3-12b-it"]),
  gemma3Row([262208, 5376, 21504, 62, 32, 16, 131072], 128, ["google/gemma-3-27b-pt", "google/gemma-3-27b-it", "unsloth/gemma-3-27b-it"]),
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
  qwen352,
  qwen35MoeRow([248320, 2048, 512, 40, 16, 2, 262144], { valueHeads: 32, count: 256, perToken: 8, inner: 512 }, ["Qwen/Qwen3.5-35B-A3B", "Qwen/Qwen3.5-35B-A3B-Base"]),
  qwen35MoeRow([248320, 3072, 1024, 48, 32, 2, 262144], { valueHeads: 64, count: 256, perToken: 8, inner: 1024 }, ["Qwen/Qwen3.5-122B-A10B"]),
  qwen35MoeRow([248320, 4096, 1024, 60, 32, 2, 262144], { valueHeads: 64, count: 512, perToken: 10, inner: 1024 }, ["Qwen/Qwen3.5-397B-A17B"]),
  mistralSmall31
];

// engine/models/newer-rows.ts
var newerRows = [
  // vocabulary, hidden, feed-forward, layers, heads, key/value heads, positions
  row2("smollm3", [128256, 2048, 11008, 36, 16, 4, 65536], ["HuggingFaceTB/SmolLM3-3B", "HuggingFaceTB/SmolLM3-3B-Base"], tied2),
  row2("olmo2", [100352, 4096, 11008, 32, 32, 32, 4096], ["allenai/OLMo-2-1124-7B", "allenai/OLMo-2-1124-7B-SFT", "allenai/OLMo-2-1124-7B-DPO", "allenai/OLMo-2-1124-7B-Instruct"], untied),
  row2("olmo2", [100352, 5120, 13824, 40, 40, 40, 4096], ["allenai/OLMo-2-1124-13B", "allenai/OLMo-2-1124-13B-SFT", "allenai/OLMo-2-1124-13B-DPO", "allenai/OLMo-2-1124-13B-Instruct"], untied),
  row2("stablelm", [50304, 2560, 6912, 32, 32, 32, 4096], ["stabilityai/stablelm-3b-4e1t", "stabilityai/stablelm-zephyr-3b"], untied),
  row2("stablelm", [50304, 2560, 6912, 32, 32, 32, 16384], ["stabilityai/stable-code-3b"], untied),
  row2("mistral", [32768, 12288, 28672, 88, 96, 8, 32768], ["mistralai/Mistral-Large-Instruct-2407", "mistralai/Mistral-Large-Instruct-2411"], { sliding_window: null, ...untied }),
  row2("llama", [32e3, 8192, 22016, 48, 64, 8, 16384], ["codellama/CodeLlama-34b-hf", "codellama/CodeLlama-34b-Instruct-hf"], untied)
];

// engine/models/seq2seq-rows.ts
function row3(ids, sizes, differences = {}) {
  const [d_model, d_ff, num_layers, num_heads] = sizes;
  return { ids, config: { model_type: "t5", d_model, d_ff, num_layers, num_heads, ...differences } };
}
var gated2 = { feed_forward_proj: "gated-gelu", tie_word_embeddings: false };
var seq2seqRows = [
  row3(["google-t5/t5-small"], [512, 2048, 6, 8]),
  row3(["google-t5/t5-base"], [768, 3072, 12, 12]),
  row3(["google-t5/t5-large"], [1024, 4096, 24, 16]),
  row3(["google-t5/t5-3b"], [1024, 16384, 24, 32], { d_kv: 128 }),
  row3(["google-t5/t5-11b"], [1024, 65536, 24, 128], { d_kv: 128 }),
  row3(["google/flan-t5-small", "google/t5-v1_1-small"], [512, 1024, 8, 6], gated2),
  row3(["google/flan-t5-base", "google/t5-v1_1-base"], [768, 2048, 12, 12], gated2),
  row3(["google/flan-t5-large", "google/t5-v1_1-large"], [1024, 2816, 24, 16], gated2),
  row3(["google/flan-t5-xl", "google/t5-v1_1-xl"], [2048, 5120, 24, 32], gated2),
  row3(["google/flan-t5-xxl", "google/t5-v1_1-xxl"], [4096, 10240, 24, 64], gated2)
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
var modelAliases = {
  bert: "google-bert/bert-base-uncased",
  gpt2: "openai-community/gpt2",
  resnet: "microsoft/resnet-50"
};
var entries = new Map(
  [...classicRows, ...visionRows, ...llmRows, ...newerRows, ...moeRows, ...multimodalRows, ...seq2seqRows].flatMap(
    (row5) => row5.ids.map((id) => [id.toLowerCase(), { id, row: row5 }])
  )
);
var bareNames = new Map(
  [...entries.values()].toReversed().map((entry) => [bareName(entry.id).toLowerCase(), entry])
);
var modelIds = [...entries.values()].map(({ id }) => id);
var modelNames = [...modelIds, ...bareNames.keys(), ...Object.keys(modelAliases)];
var withPositionTable = /* @__PURE__ */ new Set(["bert", "roberta", "distilbert", "gpt2", "opt"]);
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
var step = z37.object({
  millis: z37.number().min(0),
  optimizerMillis: z37.number().min(0),
  peakAllocatedBytes: z37.number().int().min(0).optional(),
  peakReservedBytes: z37.number().int().min(0).optional(),
  contextBytes: z37.number().int().min(0).optional()
});
var ran = z37.discriminatedUnion("kind", [
  z37.object({ kind: z37.literal("fits"), steps: z37.array(step).min(LEAST_STEPS2) }),
  z37.object({ kind: z37.literal("out-of-memory"), message: z37.string() })
]);
var TorchProbe = class _TorchProbe {
  engine = "torch";
  provenance = "measured";
  device;
  #context;
  #deviceKind;
  /** Two micro-steps hold all the memory that more would; the rest only takes time. */
  #accumulation;
  #worker;
  constructor(context, deviceKind, device2, worker) {
    this.#context = context;
    this.#deviceKind = deviceKind;
    this.device = device2;
    this.#worker = worker;
    this.#accumulation = Math.min(2, context.spec.gradientAccumulation);
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
      throw unavailable("torch", `the config trains on ${spec.gpus} GPUs and this machine has ${gpus2}`);
    }
    await worker[Symbol.asyncDispose]();
    throw unavailable("torch", whyNot(answer2));
  }
  async trial(microBatch, { steps = LEAST_STEPS2, signal } = {}) {
    const worker = this.#worker ?? new PythonWorker(this.#context.python, this.#context.spec.gpus);
    this.#worker = worker;
    const outcome2 = await endedBy(signal, worker, this.#ask(worker, microBatch, steps));
    if (outcome2.kind !== "fits") await this.#endWorker();
    return { microBatch, provenance: this.provenance, outcome: outcome2 };
  }
  async [Symbol.asyncDispose]() {
    await this.#endWorker();
  }
  async #ask(worker, microBatch, steps) {
    const { spec, config, entrypoint, limitMemoryBytes, log } = this.#context;
    const question2 = {
      spec: { ...spec, microBatch, gradientAccumulation: this.#accumulation },
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
    return fits(answer2.result.steps, this.#accumulation);
  }
  /** An exhausted process keeps fragments and broken library handles: the next trial gets a new one. */
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
      return answer2.result.device.kind === "cpu" ? "a sweep on the CPU needs --limit-memory, since a host that runs out of memory ends processes at random" : "PyTorch sees neither a CUDA nor an MPS device";
    case "failed":
    case "died":
      return answer2.message;
    case "timed-out":
      return `Python did not start within ${answer2.afterMillis / 1e3} s`;
  }
}

// engine/probes/trace.ts
import * as z38 from "zod";

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
  /** release_cached_blocks: every segment that is one free block goes back to the device. */
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
  /** should_split: small blocks from 512 bytes of rest, large ones above 1 MiB of rest. */
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
var bytes3 = z38.number().int().min(0);
var traced = z38.object({
  /** Peak of the second step, allocations rounded as the caching allocator does; no cuBLAS workspace on the meta device. */
  peakBytes: bytes3,
  forwardBackwardPeakBytes: bytes3,
  weightBytes: bytes3,
  /** Between steps: weights, buffers and optimizer state. */
  restingBytes: bytes3,
  parameters: z38.number().int().min(0),
  /** Every allocation and release in order, where asked for: n > 0 allocates n bytes, −n releases the n-th allocation. */
  events: z38.array(z38.number().int())
});
var versions = z38.object({
  python: z38.string(),
  torch: z38.string(),
  transformers: z38.string(),
  hasBitsandbytes: z38.boolean()
});
var TRACE_TIMEOUT_MILLIS = 12e4;
function trace(worker, spec, config, { wantsEvents = false, timeoutMillis = TRACE_TIMEOUT_MILLIS } = {}) {
  return worker.ask("trace", { spec, config, teacher: teacherConfig(spec), wantsEvents }, traced, timeoutMillis);
}
function pythonVersions(worker) {
  return worker.ask("versions", {}, versions, TRACE_TIMEOUT_MILLIS);
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
  async trial(microBatch, { signal } = {}) {
    const worker = this.#worker ?? new PythonWorker(this.#context.python);
    this.#worker = worker;
    const outcome2 = await endedBy(signal, worker, this.#ask(worker, microBatch));
    if (outcome2.kind === "failed" || outcome2.kind === "timed-out") await this[Symbol.asyncDispose]();
    return { microBatch, provenance: this.provenance, outcome: outcome2 };
  }
  async [Symbol.asyncDispose]() {
    const worker = this.#worker;
    this.#worker = void 0;
    await worker?.[Symbol.asyncDispose]();
  }
  async #ask(worker, microBatch) {
    const { spec, config, trialTimeoutMillis, log } = this.#context;
    const answer2 = await trace(
      worker,
      { ...spec, microBatch, gradientAccumulation: Math.min(2, spec.gradientAccumulation) },
      config,
      { wantsEvents: true, ...trialTimeoutMillis !== void 0 && { timeoutMillis: trialTimeoutMillis } }
    );
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
  const beyond = beyondEngine(taken, context.spec);
  if (beyond !== void 0) throw notCovered(taken, beyond);
  return openers[taken](context);
}
async function bestEngine({ spec, python, machine: machine2 }) {
  if (spec.framework === "tensorflow.js") return "tfjs";
  if (beyondTorch(spec) !== void 0) return "estimate";
  const found = machine2 ?? await describeMachine(python);
  const isLacking = spec.quantization !== void 0 && found.kind === "python" && !found.hasBitsandbytes;
  const best = isLacking ? "estimate" : engineOn(found);
  return spec.gpus === 1 || best === "torch" && gpusOf(found) >= spec.gpus ? best : "estimate";
}
function beyondEngine(engine, spec) {
  switch (engine) {
    case "trace":
      return beyondTrace(spec);
    case "torch":
      return beyondTorch(spec);
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
  #probe;
  constructor({ footprint, gpu, limitMemoryBytes, entrypoint }) {
    if (entrypoint !== void 0) throw needsPython();
    const capped = { ...gpu, totalBytes: Math.min(gpu.totalBytes, limitMemoryBytes ?? Number.POSITIVE_INFINITY) };
    this.#probe = new EstimateProbe(footprint, capped);
    this.device = { name: gpu.name, totalBytes: capped.totalBytes, usableBytes: usableBytes(capped), software: "" };
  }
  async trial(microBatch) {
    await setImmediate();
    return this.#probe.trial(microBatch);
  }
  async [Symbol.asyncDispose]() {
  }
};
function notCovered(engine, what) {
  return new MemoryMarkError({
    code: "beyond-engine",
    field: "--engine",
    message: `the ${engine} engine does not run ${what}`,
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
    message: `the ${engine} engine cannot answer for a config of ${framework}`,
    fix: `Use --engine auto${engine === "tfjs" ? ", or --framework tensorflow.js where the code is in TensorFlow.js" : ""}.`
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
import { posix } from "node:path";

// engine/models/config-json.ts
var supportedArchitectures = modelConfig.options.flatMap((option) => [
  ...option.shape.model_type.values
]);
var MAX_ARCHITECTURE_CHARACTERS = 80;
function readConfigJson(text) {
  const fields = parseObject(text);
  const architecture = fields?.model_type;
  if (fields === void 0 || typeof architecture !== "string") return { kind: "not-a-model" };
  if (!supportedArchitectures.includes(architecture)) {
    return { kind: "unsupported", architecture: architecture.slice(0, MAX_ARCHITECTURE_CHARACTERS) };
  }
  const result = modelConfig.safeParse(withTextConfig(withRotaryShare(fields)));
  if (result.success) return { kind: "config", config: result.data };
  const [issue] = result.error.issues;
  return { kind: "invalid", why: `${issue?.path.join(".")}: ${issue?.message}` };
}
function withRotaryShare(fields) {
  const rope = fields.rope_parameters;
  if (!isObject(rope) || rope.partial_rotary_factor === void 0) return fields;
  const share = rope.partial_rotary_factor;
  return { partial_rotary_factor: share, rotary_pct: share, ...fields };
}
function withTextConfig(fields) {
  return "vision_config" in fields && !("text_config" in fields) ? { ...fields, text_config: fields } : fields;
}
function parseObject(text) {
  try {
    const value = JSON.parse(text);
    return isObject(value) ? value : void 0;
  } catch {
    return void 0;
  }
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
    message: "HF_ENDPOINT is not a web address",
    fix: `Set it to one such as ${DEFAULT_ENDPOINT}, or leave it out.`
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
  afmoe: ["arcee-ai/Trinity-Nano-Preview", "arcee-ai/Trinity-Mini"],
  apertus: ["swiss-ai/Apertus-8B-2509", "swiss-ai/Apertus-8B-Instruct-2509"],
  bloom: ["bigscience/bloom-560m", "bigscience/bloom-7b1", "bigscience/bloomz-560m", "bigscience/bloomz-7b1"],
  dbrx: ["databricks/dbrx-base", "databricks/dbrx-instruct", "LnL-AI/dbrx-base-converted-v2"],
  falcon_h1: [
    "tiiuae/Falcon-H1-0.5B-Instruct",
    "tiiuae/Falcon-H1-1.5B-Base",
    "tiiuae/Falcon-H1-1.5B-Deep-Base",
    "tiiuae/Falcon-H1-3B-Base",
    "tiiuae/Falcon-H1-7B-Base",
    "tiiuae/Falcon-H1-34B-Base"
  ],
  gemma3n: ["google/gemma-3n-E2B-it", "google/gemma-3n-E4B-it"],
  gemma4: ["google/gemma-4-E2B-it", "google/gemma-4-26B-A4B", "google/gemma-4-31B"],
  gpt_bigcode: ["bigcode/starcoder", "bigcode/starcoderbase-1b"],
  gpt_neo: ["EleutherAI/gpt-neo-125m", "EleutherAI/gpt-neo-1.3B", "EleutherAI/gpt-neo-2.7B"],
  gptj: ["EleutherAI/gpt-j-6b"],
  jamba: ["ai21labs/Jamba-v0.1", "ai21labs/AI21-Jamba-1.5-Large"],
  kimi_linear: ["moonshotai/Kimi-Linear-48B-A3B-Instruct"],
  lfm2: ["LiquidAI/LFM2-350M", "LiquidAI/LFM2-700M", "LiquidAI/LFM2-1.2B"],
  lfm2_moe: ["LiquidAI/LFM2-8B-A1B"],
  llava: ["llava-hf/llava-1.5-7b-hf"],
  llama4: ["meta-llama/Llama-4-Scout-17B-16E", "meta-llama/Llama-4-Scout-17B-16E-Instruct"],
  mamba: ["state-spaces/mamba-2.8b"],
  minimax_m2: ["MiniMaxAI/MiniMax-M2"],
  mistral4: ["mistralai/Mistral-Small-4-119B-2603"],
  mllama: ["meta-llama/Llama-3.2-11B-Vision", "meta-llama/Llama-3.2-11B-Vision-Instruct"],
  mpt: ["mosaicml/mpt-7b", "mosaicml/mpt-7b-instruct", "mosaicml/mpt-30b"],
  nemotron_h: ["nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"],
  qwen3_next: ["Qwen/Qwen3-Next-80B-A3B-Instruct", "Qwen/Qwen3-Next-80B-A3B-Thinking"],
  smolvlm: ["HuggingFaceTB/SmolVLM2-2.2B-Instruct"],
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
    return start < 0 ? [] : [{ candidate, start, end: start + candidate.words.length }];
  });
  const widest = matches.filter(
    (match) => !matches.some((other) => isWider(other, match) && other.start <= match.start && other.end >= match.end)
  );
  const [only, ...others] = widest;
  if (only === void 0 || others.length > 0) return void 0;
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
  const catalogued = modelIds.map((id) => ({ words: wordsOf(id), id }));
  const byWords = /* @__PURE__ */ new Map();
  for (const candidate of [...named2, ...unsupported2, ...catalogued]) {
    const key2 = candidate.words.join(" ");
    if (!byWords.has(key2)) byWords.set(key2, candidate);
  }
  return [...byWords.values()];
}
function wordsOf(name) {
  const words2 = bareName(name.toLowerCase()).split(/[-_ ]+/);
  return words2.filter((word) => word !== "" && !decorations.has(word)).flatMap((word) => /^([a-z]{3,})(\d[\d.]*)$/.exec(word)?.slice(1) ?? [word]);
}
function wordSet(words2) {
  return new Set(words2.split(" "));
}
function indexOfRun(words2, run) {
  return words2.findIndex((_, start) => run.every((word, offset) => words2[start + offset] === word));
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
function resolveOffline(name) {
  return (isPlausible(name) ? inCatalogue(name) ?? inName(name) : void 0) ?? { kind: "unknown" };
}
function isPlausible(name) {
  return name.length <= MAX_NAME_CHARACTERS && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name);
}
async function inFolder(name, sources, configFolder) {
  const file = name.endsWith(".json") ? name : posix.join(name, "config.json");
  for (const path2 of /* @__PURE__ */ new Set([posix.normalize(file), posix.join(configFolder, file)])) {
    const text = await sources.readFile?.(path2);
    if (text !== void 0) return fromFile(name, path2, text);
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
  const text = await sources.readFile?.(path2);
  if (text === void 0 || readConfigJson(text).kind === "not-a-model") return void 0;
  return fromFile(name, path2, text);
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
function fromFile(name, path2, text) {
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
  /** `offered` are the spellings that messages name, in case `choices` accepts more. */
  choice(field, choices, offered = [...choices.keys()]) {
    const text = this.text(field);
    if (text === void 0) return void 0;
    if (choices.has(text)) return choices.get(text);
    return this.refuse(field, "unknown-value", `${quote(text)} is not known here`, suggest(text, offered));
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
function count(number25) {
  return number25.toLocaleString("en-US");
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
        fix: `Supported are ${oneOf2(supportedArchitectures)}. CONTRIBUTING.md says how to add another.`
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
  const { code, message: message2, fix } = modelProblem(id, resolution);
  return reader.refuse(field, code, message2, fix);
}
function readUnwrittenTask(reader, model) {
  const field = reader.fieldFor("task", void 0);
  const task = reader.choice(field, new Map(tasks2.map((task2) => [task2, task2])));
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
      `Use ${oneOf2(model.tasks)}.`
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
  return reader.settle("gpus", field, (present4) => reader.wholeNumber(present4, { max: 1e5 }), {
    value: 1,
    source: "not in the file",
    assumption: "One GPU: the config does not say how many processes run."
  });
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
      task,
      framework: "pytorch",
      step: "training",
      microBatch: batch.microBatch,
      gradientAccumulation: batch.gradientAccumulation,
      ...size2,
      labels,
      ...present(settings),
      // None of these tools' loops keeps the logits or a key/value cache through the backward pass.
      loop: "trainer"
    },
    ...batch.batchSize && { batchSizeAt: batch.batchSize.at },
    ...batch.accumulation && { gradientAccumulationAt: batch.accumulation.at },
    assumptions: reader.assumptions
  };
}
function taskOfMethod(method) {
  if (method?.kind !== "reward" || method.head === "value") return { task: "causal-lm", labels: 2 };
  return { task: "sequence-classification", labels: method.head === "steps" ? 2 : 1 };
}
function present(settings) {
  const { lora, quantization, quantizedExperts, fakeQuantization, float8, expertParallel, ...others } = settings;
  const { sharding, offload, fusedLoss, method, dropout, ...always } = others;
  return {
    ...always,
    ...lora && { lora },
    ...quantization && { quantization },
    ...quantizedExperts && { quantizedExperts },
    ...fakeQuantization && { fakeQuantization },
    ...float8 && { float8 },
    ...expertParallel && { expertParallel },
    ...sharding && { sharding },
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
    `Each of ${dividedBy} GPUs holds ${sequenceLength} of the ${size2.sequenceLength} tokens of a sequence; what they exchange is not counted.`
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

// engine/config/trainer/adapter-targets.ts
var attention4 = ["q_proj", "k_proj", "v_proj", "o_proj"];
var gated3 = { all: [...attention4, "gate_proj", "up_proj", "down_proj"] };
var deltaNet3 = ["in_proj_qkv", "in_proj_z", "in_proj_b", "in_proj_a", "out_proj"];
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
var llama3 = { ...gated3, usual: ["q_proj", "v_proj"] };
var linears = {
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
  arcee: { all: [...attention4, "up_proj", "down_proj"] },
  glm4: { all: [...attention4, "gate_up_proj", "down_proj"] },
  starcoder2: { all: [...attention4, "c_fc", "c_proj"] },
  mixtral: { all: attention4, usual: ["q_proj", "v_proj"] },
  qwen2_moe: { all: [...gated3.all, "shared_expert_gate"] },
  qwen3_moe: { all: attention4 },
  olmoe: { all: attention4 },
  gpt_oss: { all: attention4 },
  glm4_moe: { all: gated3.all },
  deepseek_v2: { all: latent },
  deepseek_v3: { all: latent },
  glm4_moe_lite: { all: latent },
  qwen3_5: { all: [...gated3.all, ...deltaNet3, "qkv", "proj", "linear_fc1", "linear_fc2"] },
  qwen3_5_moe: { all: [...gated3.all, ...deltaNet3, "shared_expert_gate", "qkv", "proj", "linear_fc1", "linear_fc2"] },
  gemma3: { all: [...gated3.all, "out_proj", "fc1", "fc2"] },
  mistral3: { all: [...gated3.all, "merging_layer", "linear_1", "linear_2"] },
  qwen2_vl: { all: [...gated3.all, "qkv", "proj", "fc1", "fc2", "0", "2"] },
  qwen2_5_vl: { all: [...gated3.all, "qkv", "proj", "0", "2"] },
  qwen3_vl: { all: [...gated3.all, "qkv", "proj", "linear_fc1", "linear_fc2"] },
  qwen3_vl_moe: { all: [...attention4, "qkv", "proj", "linear_fc1", "linear_fc2"] },
  phi: { all: ["q_proj", "k_proj", "v_proj", "dense", "fc1", "fc2"], usual: ["q_proj", "v_proj", "fc1", "fc2"] },
  phi3: { all: ["qkv_proj", "o_proj", "gate_up_proj", "down_proj"], usual: ["qkv_proj"] },
  gpt2: { all: ["c_attn", "c_proj", "c_fc"], usual: ["c_attn"] },
  gpt_neox: { all: ["query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h"], usual: ["query_key_value"] },
  falcon: { all: ["query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h"], usual: ["query_key_value"] },
  opt: { all: ["q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"], usual: ["q_proj", "v_proj"] }
};
function linearsOf({ family, config }) {
  const found = linears[family];
  if (found === void 0 || !("q_lora_rank" in config || "kv_lora_rank" in config)) return found;
  const absent = config.q_lora_rank ? ["q_proj"] : ["q_a_proj", "q_b_proj"];
  return { all: found.all.filter((linear2) => !absent.includes(linear2)) };
}

// engine/config/trainer/layer-pattern.ts
var MAX_NAMES = 200;
var MAX_CHARACTERS = 1e3;
var MAX_DEPTH = 20;
var GAP = ".";
function lastNamesOf(pattern) {
  if (pattern.length > MAX_CHARACTERS) return void 0;
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
    if (this.#next === "?" || ++this.#depth > MAX_DEPTH) return void 0;
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
var everyLinear = /* @__PURE__ */ new Set(["all-linear", "all_linear", "all"]);
function readLora(reader, model, fields) {
  const rank = fields.rank ? reader.wholeNumber(fields.rank, { max: MAX_RANK }) : fields.defaultRank.value;
  const dropout = fields.dropout ? reader.share(fields.dropout) : fields.defaultDropout;
  if (fields.rank === void 0 && fields.defaultRank.assumption !== void 0) {
    reader.assume(fields.defaultRank.assumption);
  }
  if (model === void 0 || rank === void 0 || dropout === void 0) return void 0;
  const targets = targetsIn(reader, model, fields);
  if (targets === void 0) return void 0;
  const whole = readModulesToSave(reader, fields.modulesToSave);
  const lora = { rank, targets: [...targets], dropout, ...whole.length > 0 && { modulesToSave: [...whole] } };
  return reader.note("lora", lora, fields.rank ?? fields.defaultRank.source);
}
function readModulesToSave(reader, field) {
  const names = (field && (namesIn(field) ?? reader.text(field)?.split(","))) ?? [];
  const last = names.map((name) => name.trim().split(".").at(-1) ?? "").filter((name) => name !== "");
  const copied = ["embed_tokens", "lm_head", "embed_out", "wte", "embed_in"];
  const others = last.filter((name) => !copied.includes(name));
  if (field !== void 0 && others.length > 0) {
    const message2 = `Training ${oneOf2(others.slice(0, MAX_TARGETS).map(quote))} whole beside adapters is not modelled yet`;
    reader.refuse(field, "unsupported-setting", message2, `Name embeddings or output layers: ${oneOf2(copied)}.`);
  }
  return last.filter((name) => copied.includes(name));
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
  if (targets === "usual") return usualTargets(reader, model, linears2, targetField);
  const found = linears2.all.filter((linear2) => targets.includes(linear2));
  if (found.length > 0) return found;
  return reader.refuse(
    targetField,
    "no-such-lora-target",
    `${quote(model.id)} has no linear layer named ${oneOf2(targets.slice(0, MAX_TARGETS).map(quote))}`,
    `Name some of ${linears2.all.join(", ")}.`
  );
}
function usualTargets(reader, model, { all, usual }, targetField) {
  if (usual !== void 0) {
    reader.assume(`Adapters on ${usual.join(" and ")}, as peft does where the config names no layers.`);
    return usual;
  }
  return reader.refuse(
    targetField,
    "no-such-lora-target",
    `peft knows no usual layers for models of the family ${model.family}`,
    `Name some of ${all.join(", ")}.`
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
  if (trimmed.some((name) => everyLinear.has(name))) return "all";
  return [...new Set(trimmed.flatMap((name) => name.match(/[A-Za-z_0-9]+/g)?.slice(-8) ?? []))].slice(0, MAX_TARGETS);
}
function patternTargets(reader, field, pattern) {
  const names = lastNamesOf(pattern);
  if (names !== void 0) return names.slice(0, MAX_TARGETS);
  return reader.refuse(
    field,
    "not-in-file",
    `Which layers get adapters cannot be known from the file: the pattern ${quote(pattern)} does not end in names`,
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
    (present4) => {
      choice = implementation(reader, present4) ?? fusedAttention;
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

// engine/config/trainer/method.ts
var ordinary = {};
var references2 = {
  none: "no reference model runs beside",
  "adapters-off": "the reference is the same model with its adapters off",
  copy: "a frozen copy of the model is the reference"
};
function preference(reader, field, terms) {
  const { reference, style, withCrossEntropy = false, keepsDropout = false } = terms;
  reader.assume(
    `Each sample is two sequences, the chosen and the rejected answer, in one forward pass; ${references2[reference]}.`
  );
  const method = { kind: "preference", reference, logProbabilities: style, withCrossEntropy };
  return noted(reader, field, method, keepsDropout);
}
function kto(reader, field, { reference, style }) {
  reader.assume(
    `KTO: an unrelated answer goes through the model beside each sample, without gradients; ${references2[reference]}.`
  );
  return noted(reader, field, { kind: "kto", reference, logProbabilities: style }, false);
}
var heads = {
  score: "Each sample is two sequences, the chosen and the rejected answer; a score takes the place of the output layer.",
  value: "Each sample is two sequences, the chosen and the rejected answer; a value head stands beside the output layer.",
  steps: "A score of every step takes the place of the output layer."
};
function reward(reader, field, head) {
  reader.assume(heads[head]);
  return noted(reader, field, { kind: "reward", head }, head === "value");
}
function noted(reader, field, method, keepsDropout) {
  reader.note("method", method, field);
  return keepsDropout ? { method } : { method, dropout: reader.note("dropout", false, "turned off by the method") };
}
function distillation(reader, field, teacher, chunks) {
  reader.assume(
    `The teacher ${quote(teacher)} reads the same batch, without gradients; its logits stand beside the student's.`
  );
  return noted(reader, field, { kind: "distillation", teacher, chunks }, true);
}
function refuseGeneration(reader, field, name) {
  reader.refuse(
    field,
    "unsupported-training",
    `What ${quote(name)} holds while it generates answers is not modelled: vLLM's share of the GPU, or the key/value cache of the answers, and the models that judge them`,
    "Leave this config out: add it to ignore in .github/memorymark.yml."
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
  ["adamw_torch_4bit", ["adamw-8bit", "4-bit AdamW is counted as 8-bit: the estimate is up to 1 B a parameter high."]],
  ["ao_adamw_4bit", ["adamw-8bit", "4-bit AdamW is counted as 8-bit: the estimate is up to 1 B a parameter high."]],
  ["ao_adamw_8bit", ["adamw-8bit", "torchao's 8-bit AdamW is counted as bitsandbytes'."]],
  ["muon", ["adamw-fused", "Muon keeps one momentum of a matrix and is counted as AdamW's two: the estimate is high."]],
  ["lion_8bit", ["lion", "The 8-bit state of Lion is counted as wide as the parameters."]],
  ["paged_lion", ["lion", "The paged state of Lion is counted on the GPU."]],
  ["paged_lion_32bit", ["lion", "The paged state of Lion is counted on the GPU."]],
  ["paged_lion_8bit", ["lion", "The paged 8-bit state of Lion is counted on the GPU, as wide as the parameters."]]
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
  return reader.settle("optimizer", field, (present4) => trainerOptimizer(reader, present4), byDefault2);
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
  const use = `Supported are ${oneOf2([...trainerOptimizers.keys()])}.`;
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
function offloads(device2) {
  return device2?.value.kind === "text" && device2.value.text !== "none" ? device2 : void 0;
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
  const words2 = wordsIn(fsdp);
  const field = fsdp !== void 0 && words2.length > 0 ? fsdp : void 0;
  const strategy = config?.at("fsdp_sharding_strategy") ?? config?.at("fsdp_reshard_after_forward");
  const anySetting = config && [...config.fields.values()][0];
  const from = field ?? anySetting;
  if (from === void 0 || words2.includes("no_shard")) return {};
  const keepsWeights = words2.includes("shard_grad_op") || strategy !== void 0 && saysGradientsOnly(strategy);
  const sharding = reader.note("sharding", keepsWeights ? "zero2" : "fsdp", from);
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
  read
};
function read(document, reader, lookUp) {
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
  refuseUnmodelled(reader, document, hasAdapter);
  if (hasAdapter && isOn(reader, document.at("relora"))) {
    reader.assume("The adapters are counted as between two merges of ReLoRA; what a merge takes is not.");
  }
  const training = readTraining(reader, document, hasAdapter);
  const sharded = readSharding(reader, document);
  const attention5 = readAttention(reader, document);
  const packing = document.at("sample_packing");
  const isPacked = packing !== void 0 && reader.flag(packing) === true;
  return languageModelReading(reader, {
    dialect: axolotl.name,
    model,
    batch,
    sequence: {
      field: document.at("sequence_len"),
      byDefault: { value: 512, source: "Axolotl's default" },
      dividedBy: division(reader, document.at("context_parallel_size"))
    },
    settings: {
      gpus: readMesh(reader, document),
      precision: readPrecision(reader, document, sharded, hasAdapter),
      optimizer: readTrainerOptimizer(reader, document.at("optimizer"), {
        value: "adamw-fused",
        source: "Axolotl's default",
        assumption: "Fused AdamW, Axolotl's default: the config sets no optimizer."
      }),
      attention: attention5.attention,
      gradientCheckpointing: readCheckpointing(reader, document),
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
        modulesToSave: document.at("lora_modules_to_save")
      }) : void 0,
      quantization: readQuantization(reader, document, hasAdapter),
      fakeQuantization: readFakeQuantization(reader, document),
      float8: readFloat8(reader, document.at("fp8")),
      expertParallel: readExpertParallel(reader, document.at("expert_parallel_size")),
      quantizedExperts: readExperts(reader, document.at("quantize_moe_experts")),
      ...sharded,
      fusedLoss: training.method === void 0 ? readFusedLoss(reader, document) : void 0,
      ...training,
      paddedBatches: reader.note(
        "paddedBatches",
        !isPacked && attention5.masksPadding,
        packing ?? "by the attention kernel"
      )
    }
  });
}
var switches = ["gptq", "peft_use_dora"];
var divisions = ["tensor_parallel_size"];
var present2 = ["diffusion", "lisa_n_layers", "lora_target_parameters"];
function refuseUnmodelled(reader, document, hasAdapter) {
  const unfrozen = document.at("unfrozen_parameters");
  const isPartial = unfrozen?.value.kind === "list" && unfrozen.value.items.length > 0 && !hasAdapter;
  const fields = [
    ...switches.map((key2) => document.at(key2)).filter((field) => isOn(reader, field)),
    ...divisions.map((key2) => document.at(key2)).filter((field) => (reader.wholeNumber(field, { max: 1e5 }) ?? 1) > 1),
    ...present2.map((key2) => document.at(key2)),
    isPartial ? unfrozen : void 0
  ];
  for (const field of fields) {
    if (field === void 0) continue;
    reader.refuse(field, "unsupported-setting", `${field.key} is not modelled yet`, leaveOut);
  }
}
var leaveOut = "Leave this config out of the check for now.";
function readTraining(reader, document, hasAdapter) {
  const [rewards, steps] = [document.at("reward_model"), document.at("process_reward_model")];
  if (isOn(reader, rewards)) return reward(reader, rewards, "score");
  if (isOn(reader, steps)) return reward(reader, steps, "steps");
  const rl = document.at("rl");
  const name = reader.text(rl);
  if (rl === void 0 || name === void 0) return ordinary;
  if (isOn(reader, document.at("dpo_use_liger_kernel"))) {
    reader.assume(
      "The logits are counted whole, though Liger's loss goes through them in chunks: the estimate is high."
    );
  }
  const reference = readReference(reader, document, hasAdapter);
  switch (name) {
    case "dpo":
    case "ipo":
      return preference(reader, rl, { reference, style: "trl" });
    case "simpo":
      return preference(reader, rl, { reference: hasAdapter ? "none" : "copy", style: "trl", withCrossEntropy: true });
    case "orpo":
      return preference(reader, rl, { reference: "none", style: "trl", withCrossEntropy: true });
    case "kto":
      return kto(reader, rl, { reference, style: "trl" });
    default:
      return refuseGeneration(reader, rl, name);
  }
}
function readReference(reader, document, hasAdapter) {
  if (!hasAdapter || isOn(reader, document.at("rl_adapter_ref_model"))) return "copy";
  return isOn(reader, document.at("precompute_ref_log_probs")) ? "none" : "adapters-off";
}
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
function readMesh(reader, document) {
  const keys2 = ["dp_shard_size", "context_parallel_size", "expert_parallel_size"];
  const fields = keys2.flatMap((key2) => document.at(key2) ?? []);
  const [first] = fields;
  if (first === void 0) return readGpus(reader, void 0);
  const gpus2 = fields.reduce((product, field) => product * division(reader, field), 1);
  return reader.note("gpus", gpus2, first);
}
function division(reader, field) {
  return reader.wholeNumber(field, { max: 1e3 }) ?? 1;
}
function readExpertParallel(reader, field) {
  const gpus2 = division(reader, field);
  return field === void 0 || gpus2 === 1 ? void 0 : reader.note("expertParallel", gpus2, field);
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
function readExperts(reader, field) {
  return isOn(reader, field) ? reader.note("quantizedExperts", true, field) : void 0;
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
function readCheckpointing(reader, document) {
  const field = document.at("gradient_checkpointing");
  const elsewhere = document.at("activation_offloading");
  const offloads2 = (choice) => choice?.value.kind === "text" && /^(offload|offload_disk|unsloth|legacy|disk|hidden_states)$/.test(choice.value.text);
  if (offloads2(field) || offloads2(elsewhere) || isOn(reader, offloads2(elsewhere) ? void 0 : elsewhere)) {
    reader.assume("Checkpoints are counted on the GPU, though the config moves them to the host: the estimate is high.");
  }
  return reader.settle("gradientCheckpointing", field, (present4) => offloads2(present4) ? true : reader.flag(present4), {
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

// engine/config/dialects/huggingface/training-method.ts
var generationKeys = [
  ...["num_generations", "reward_funcs", "reward_model_path", "sft_model_path", "num_ppo_epochs", "use_vllm"],
  ...["missing_eos_penalty", "num_sample_generations", "rloo_k", "steps_per_generation"]
];
var ktoKeys = ["undesirable_weight", "desirable_weight"];
var rewardKeys = ["center_rewards_coefficient"];
var withoutReferenceKeys = ["cpo_alpha", "simpo_gamma"];
var preferenceKeys = [
  ...["max_prompt_length", "precompute_ref_log_probs", "ref_model_mixup_alpha", "rpo_alpha"],
  ...["sync_ref_model", "use_weighting", "f_divergence_type"]
];
var methodKeys = [...generationKeys, ...ktoKeys, ...rewardKeys, ...withoutReferenceKeys, ...preferenceKeys];
var dpoLosses = /* @__PURE__ */ new Set([
  ...["sigmoid", "hinge", "ipo", "exo_pair", "nca_pair", "robust", "bco_pair", "sppo_hard", "aot", "aot_pair"],
  ...["aot_unpaired", "apo_zero", "apo_down", "discopop", "sigmoid_norm", "kto_pair"]
]);
var recipeKeys = ["max_length", "use_peft", "dataset_name", "dataset_mixer", "dataset_mixture"];
function namesTrainer(find) {
  return (find(...methodKeys) ?? preferenceField(find)) !== void 0;
}
function readTrainingMethod(reader, find, hasAdapter) {
  const generation = find(...generationKeys);
  if (generation !== void 0) return refuseGeneration(reader, generation, generation.key);
  const rewards = find(...rewardKeys);
  if (rewards !== void 0) return reward(reader, rewards, "score");
  const reference = hasAdapter ? "adapters-off" : "copy";
  const tags = find(...ktoKeys);
  if (tags !== void 0) return kto(reader, tags, { reference, style: "trl" });
  const free = find(...withoutReferenceKeys) ?? namedOrpo(find);
  if (free !== void 0) return preference(reader, free, { reference: "none", style: "trl", withCrossEntropy: true });
  const field = preferenceField(find);
  if (field === void 0) return ordinary;
  if (isOn(reader, find("use_liger_kernel"))) {
    reader.assume(
      "The logits are counted whole, though Liger's loss goes through them in chunks: the estimate is high."
    );
  }
  const isPrecomputed = isOn(reader, find("precompute_ref_log_probs"));
  reader.assume(`DPO, as ${field.key} gives away: a trainer without a reference model would need less.`);
  return preference(reader, field, { reference: isPrecomputed ? "none" : reference, style: "trl" });
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
    targetField: targetField ?? adapter,
    modulesToSave: find("lora_modules_to_save", "modules_to_save")
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
  ...tasks2.map((task) => [task, task]),
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
  return reader.refuse(field, "unsupported-task", `The task ${quote(name)} is not supported`, `Use ${oneOf2(tasks2)}.`);
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
  mayBe: (text) => writesBatchSize(text) || writesModel2(text) && writesTrainerKey(text),
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
  const adapter = adapterField(reader, find);
  const training = readTrainingMethod(reader, find, adapter !== void 0);
  const choice = taskOf(reader, find, model, training);
  const size2 = readInputSize(reader, model, {
    sequenceLength: find(...sequenceKeys),
    imageSize: find("image_size"),
    ...choice?.task === "causal-lm" && { length: isTrl(find) ? TRL_LENGTH : DEFAULT_BLOCK },
    ...choice?.task === "seq2seq-lm" && { length: DEFAULT_SOURCE }
  });
  const target = readTarget(reader, find, choice);
  const settings = {
    ...readSettings(reader, trainerArguments, choice, model, { adapter, training }),
    ...training
  };
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
    reader.assume(`The batch size is that of line ${batchSize2.at.line}, the first of ${batchSizes.length} in the file.`);
  }
  const count2 = reader.wholeNumber(batchSize2, { max: MAX_BATCH });
  return count2 === void 0 ? void 0 : reader.note("microBatch", count2, batchSize2);
}
function readSettings(reader, trainerArguments, choice, model, { adapter, training }) {
  const { find } = trainerArguments;
  const gpus2 = readGpus(reader, find(...gpuKeys));
  const labels = readLabels(reader, find("num_labels"), choice?.task, choice?.labels);
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
  const fusedLoss = training.method === void 0 ? readFusedLoss2(reader, find) : void 0;
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
  const byTrl = isTrl(find);
  return reader.settle("gradientCheckpointing", field, (present4) => reader.flag(present4), {
    value: byTrl,
    source: byTrl ? "TRL's default" : "the Trainer's default",
    ...byTrl && { assumption: "Gradient checkpointing, TRL's default: the config does not set it." }
  });
}
function adafactorField(reader, field) {
  const isOn2 = field !== void 0 && reader.flag(field) === true;
  return isOn2 ? { ...field, value: { kind: "text", text: "adafactor" } } : void 0;
}
function readSharding2(reader, { find }) {
  const deepspeed2 = readDeepSpeed(reader, find("deepspeed"));
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
    "One GPU, no adapters and no gradient checkpointing: the training code decides, and the file does not say."
  );
  if (model === void 0 || task === void 0 || microBatch === void 0 || reader.problems.length > 0) {
    return { kind: "unreadable", problems: reader.problems };
  }
  return {
    kind: "training-config",
    dialect: config.dialect,
    model,
    spec: {
      model: model.id,
      task,
      framework: "pytorch",
      step: "training",
      microBatch,
      gradientAccumulation,
      gpus: 1,
      ...size2,
      labels,
      precision: config.precision,
      optimizer: config.optimizer,
      attention: "sdpa",
      gradientCheckpointing: false,
      paddedBatches: task === "sequence-classification",
      loop: "plain"
    },
    ...batchSize2 && { batchSizeAt: batchSize2.at },
    ...accumulation && { gradientAccumulationAt: accumulation.at },
    assumptions: reader.assumptions
  };
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
    `Weights in fp32 and AdamW: Hydra composes the config from ${partsShown(document)}, which may say otherwise.`
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
    `The model cannot be known from the file: Hydra composes it from ${partsShown(document)}`,
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
    const message2 = `The batch size cannot be known from the file: it is a default of ${quote(data)}`;
    return reader.refuse(
      void 0,
      "batch-size-not-in-file",
      message2,
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
  const text = value?.kind === "text" ? /^\d{1,4}$/.exec(value.text)?.[0] : void 0;
  return text === void 0 ? void 0 : Math.max(1, Number(text));
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
    (present4) => reader.choice(present4, precisions2),
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
    (present4) => {
      const name = reader.text(present4)?.split(".").at(-1);
      const known2 = name === void 0 ? void 0 : optimizers3.get(name);
      if (known2 !== void 0 || name === void 0)
        return hasMomentum(document) && known2 === "sgd" ? "sgd-momentum" : known2;
      const message2 = `The optimizer ${quote(name)} is not supported yet`;
      return reader.refuse(present4, "unsupported-optimizer", message2, `Use ${[...optimizers3.keys()].join(", ")}.`);
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
  return reader.settle("gradientCheckpointing", field, (present4) => reader.flag(present4), lightnings(false));
}

// engine/config/dialects/llamafactory.ts
var ownKeys4 = ["finetuning_type", "cutoff_len", "template", "dataset_dir", "lora_target", "quantization_bit", "stage"];
var writesModel3 = writesAny(["model_name_or_path"]);
var writesOwn3 = writesAny(["finetuning_type", "cutoff_len", "lora_target", "stage"]);
var llamafactory = {
  name: "LLaMA-Factory",
  mayBe: (text) => writesModel3(text) && writesOwn3(text),
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
  refuseUnmodelled2(reader, document);
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
      optimizer: readTrainerOptimizer(reader, muonField(document) ?? document.at("optim"), trainerDefault),
      attention: attention5.attention,
      gradientCheckpointing: readCheckpointing4(reader, document.at("disable_gradient_checkpointing")),
      lora: method === "lora" ? readAdapter2(reader, document, model) : void 0,
      quantization: readQuantization3(reader, document, method),
      float8: readFloat8(reader, document.at("fp8")),
      ...sharded,
      fusedLoss: training.method === void 0 ? readFusedLoss3(reader, document.at("enable_liger_kernel")) : void 0,
      ...training,
      paddedBatches: reader.note(
        "paddedBatches",
        !isPacked && attention5.masksPadding,
        packing ?? "by stage and attention kernel"
      )
    }
  });
}
var leaveOut2 = "Leave this config out of the check for now.";
var unmodelled = [
  ...["use_galore", "use_apollo", "use_badam", "use_adam_mini", "use_llama_pro", "use_dora", "use_kt"],
  ...["use_asft_loss", "use_unsloth"]
];
var divisions2 = [
  ...["tensor_model_parallel_size", "pipeline_model_parallel_size", "expert_model_parallel_size"],
  ...["context_parallel_size", "sequence_parallel_size"]
];
var present3 = ["mixture_of_depths"];
function refuseUnmodelled2(reader, document) {
  const fields = [
    ...unmodelled.map((key2) => document.at(key2)).filter((field) => isOn(reader, field)),
    ...divisions2.map((key2) => document.at(key2)).filter((field) => (reader.wholeNumber(field, { max: 1e5 }) ?? 1) > 1),
    ...present3.map((key2) => document.at(key2))
  ];
  for (const field of fields) {
    if (field === void 0) continue;
    reader.refuse(field, "unsupported-setting", `${field.key} is not modelled yet`, leaveOut2);
  }
}
function readStage(reader, document, method) {
  const stage = document.at("stage");
  const name = reader.text(stage);
  if (stage === void 0 || name === void 0 || /^(?:sft|pt)$/i.test(name)) return ordinary;
  const other = document.at("ref_model");
  if (other !== void 0) {
    reader.assume(`The reference ${quote(other.source)} is counted as a copy of the model that is trained.`);
  }
  const reference = method === "lora" && other === void 0 ? "adapters-off" : "copy";
  const loss = document.at("pref_loss");
  const isFree = loss?.value.kind === "text" && /^(?:orpo|simpo)$/.test(loss.value.text);
  switch (name) {
    case "dpo":
      return preference(reader, stage, { reference: isFree ? "none" : reference, style: "llamafactory" });
    case "kto":
      return kto(reader, stage, { reference, style: "llamafactory" });
    case "rm":
      return reward(reader, stage, "value");
    default:
      return refuseGeneration(reader, stage, name);
  }
}
function muonField(document) {
  const field = document.at("use_muon");
  const isOn2 = field?.value.kind === "flag" && field.value.flag;
  return isOn2 ? { ...field, value: { kind: "text", text: "muon" } } : void 0;
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
    targetField: targets,
    modulesToSave: document.at("additional_target")
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
  mayBe: (text) => writesBatch3(text) && writesOwn4(text),
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
  refuseDivision(reader, document.at("dist_config", "cp_size") ?? document.at("cp_size"));
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
function refuseDivision(reader, field) {
  if (field === void 0 || (reader.wholeNumber(field, { max: 1e5 }) ?? 1) === 1) return;
  reader.refuse(field, "unsupported-setting", `${field.key} is not modelled yet`, leaveOut3);
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
  if (field?.value.kind === "text" && field.value.text === "muon") return readTrainerOptimizer(reader, field);
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
  const one = (setting, count2, max) => reader.settle(setting, count2, (present4) => reader.wholeNumber(present4, { max }), ours(1));
  const word = (setting, key2, words2, byDefault2) => reader.settle(setting, field(key2), (present4) => reader.choice(present4, named(words2)), ours(byDefault2));
  const flag = (setting, key2) => reader.settle(setting, field(key2), (present4) => reader.flag(present4), ours(false));
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
  if (model === void 0 || task === void 0 || microBatch === void 0 || reader.problems.length > 0) {
    return { kind: "unreadable", problems: reader.problems };
  }
  return {
    kind: "training-config",
    dialect: memorymark.name,
    model,
    spec: { model: model.id, task, microBatch, ...settings, ...size2 },
    ...batchSize2 && { batchSizeAt: batchSize2.at },
    ...accumulation && { gradientAccumulationAt: accumulation.at },
    assumptions: reader.assumptions
  };
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
  const quantization = reader.optional("quantization", field, (present4) => reader.choice(present4, named(quantizations)));
  if (quantization !== void 0 && rank === void 0) {
    reader.refuse(field, "quantised-without-adapter", "Quantised weights need adapters", `Set ${ROOT}.lora_rank too.`);
  }
  const shardedBy2 = section.at("sharding");
  const sharding = reader.optional("sharding", shardedBy2, (present4) => reader.choice(present4, named(shardings)));
  const fusedLoss = reader.optional("fusedLoss", section.at("fused_loss"), (present4) => reader.flag(present4));
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
  const task = reader.choice(field, named(tasks2));
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
var writesModel4 = writesAny(["model"]);
var writesOwn5 = writesAny(["opt", "sched"]);
var timm = {
  name: "timm",
  mayBe: (text) => writesModel4(text) && writesOwn5(text),
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
  const image = fieldOf(document, "img_size");
  const size2 = readInputSize(reader, model, { sequenceLength: void 0, imageSize: image });
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
      const message2 = `The optimizer ${quote(name)} is not supported yet`;
      return reader.refuse(field, "unsupported-optimizer", message2, `Use ${[...optimizers4.keys()].join(", ")}.`);
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
  llama3_2_vision_11b: "meta-llama/Llama-3.2-11B-Vision",
  llama3_2_vision_90b: "meta-llama/Llama-3.2-90B-Vision",
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
  mayBe: (text) => writesComponent(text) && /torchtune\./.test(text) && writesBatch4(text),
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
  refuseUnmodelled3(reader, document);
  const training = readTraining2(reader, document, builder);
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
      fakeQuantization: readQuantizer(reader, document),
      ...readSharding5(reader, document),
      ...training,
      paddedBatches: reader.note("paddedBatches", false, "torchtune pads without a mask")
    }
  });
}
var leaveOut4 = "Leave this config out of the check for now.";
function refuseUnmodelled3(reader, document) {
  const dora = document.at("model", "use_dora");
  const division2 = document.at("tensor_parallel_dim");
  const isDivided = (reader.wholeNumber(division2, { max: 1e5 }) ?? 1) > 1;
  for (const field of [isOn(reader, dora) ? dora : void 0, isDivided ? division2 : void 0]) {
    if (field === void 0) continue;
    reader.refuse(field, "unsupported-setting", `${field.name} is not modelled yet`, leaveOut4);
  }
}
function readSharding5(reader, document) {
  const field = document.at("fsdp_cpu_offload");
  if (!isOn(reader, field)) return {};
  reader.assume("Weights and optimizer state are on the host between their uses, as fsdp_cpu_offload moves them there.");
  return {
    sharding: reader.note("sharding", "fsdp", field),
    offload: reader.note("offload", "optimizer-and-weights", field)
  };
}
function readTraining2(reader, document, { method }) {
  const teacher = componentOf(document, "teacher_model");
  if (teacher !== void 0) return readTeacher(reader, document, teacher);
  const loss = componentOf(document, "loss");
  const name = loss?.value.kind === "text" ? loss.value.text : "";
  if (loss !== void 0 && /(?:PPO|GRPO)/.test(name)) return refuseGeneration(reader, loss, name);
  if (loss === void 0 || !/(?:rlhf|DPO|RSO|IPO|SimPO)/.test(name)) return ordinary;
  const reference = /SimPO/.test(name) ? "none" : method === "full" ? "copy" : "adapters-off";
  return preference(reader, loss, { reference, style: "torchtune", keepsDropout: true });
}
var DEFAULT_CHUNKS = 8;
function readTeacher(reader, document, component) {
  const builder = component.value.kind === "text" ? builderOf(component.value.text).model : "";
  const teacher = findModel(builder);
  if (teacher === void 0) {
    const message2 = `The teacher ${quote(component.source)} is not known`;
    reader.refuse(component, "unknown-model", message2, "Use a builder of a model that `memorymark models` lists.");
    return ordinary;
  }
  const divergence = componentOf(document, "kd_loss");
  if (divergence !== void 0 && !/ForwardKL/.test(divergence.source)) {
    const message2 = `Distillation by ${quote(divergence.source)} is not modelled yet`;
    reader.refuse(divergence, "unsupported-training", message2, "Use ForwardKLWithChunkedOutputLoss.");
    return ordinary;
  }
  const written = document.at("kd_loss", "num_output_chunks");
  const chunks = written === void 0 ? DEFAULT_CHUNKS : reader.wholeNumber(written, { max: 1e3 });
  return distillation(reader, component, teacher.id, chunks ?? DEFAULT_CHUNKS);
}
var dtypes = /* @__PURE__ */ new Map([
  ["bf16", "bf16"],
  ["fp32", "fp32"]
]);
function readPrecision7(reader, field) {
  return reader.settle("precision", field, (present4) => reader.choice(present4, dtypes), {
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
    (present4) => {
      const name = reader.text(present4)?.split(".").at(-1);
      if (name === void 0) return void 0;
      const known2 = optimizers5.get(name);
      if (known2 === void 0) {
        const message2 = `The optimizer ${quote(present4.source)} is not supported yet`;
        return reader.refuse(present4, "unsupported-optimizer", message2, leaveOut4);
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
    "Linear layers round their input and their weight as torchao does, and keep what rounding them back takes."
  );
  return reader.note("fakeQuantization", { groupSize }, quantizer);
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
  mayBe: (text) => writesSize(text) && writesBatch5(text),
  recognise: (document) => {
    const found = ownKeys7.filter((key2) => document.fields.has(key2));
    const trains = document.at("mode") === void 0 || document.at("mode")?.source === "train";
    const isOurs = document.at("imgsz") !== void 0 && (document.at("batch") ?? document.at("epochs")) !== void 0;
    return isOurs && trains && found.length >= 3 ? found.join(", ") : void 0;
  },
  modelField: () => void 0,
  read: read11
};
function read11(document, reader, lookUp) {
  const microBatch = readBatch3(reader, document);
  const imageSize = document.at("imgsz");
  const amp = document.at("amp");
  const isMixed = amp === void 0 || reader.flag(amp) === true;
  const precision = reader.note("precision", isMixed ? "amp-fp16" : "fp32", amp ?? "Ultralytics' default");
  if (reader.supplies("model")) {
    return suppliedModelReading(reader, lookUp, {
      dialect: ultralytics.name,
      microBatch,
      batchSize: document.at("batch"),
      gradientAccumulation: 1,
      accumulation: void 0,
      sequenceLength: void 0,
      imageSize,
      labels: void 0,
      precision,
      optimizer: readOptimizer6(reader, document.at("optimizer"))
    });
  }
  const pixels = reader.wholeNumber(imageSize, { max: 1e5 });
  if (pixels !== void 0 && imageSize !== void 0) reader.note("imageSize", pixels, imageSize);
  refuseModel2(reader, document.at("model"));
  return { kind: "unreadable", problems: reader.problems };
}
function refuseModel2(reader, model) {
  const supply = `Leave this config out of the check for now, ${orInSettings("model")} with a model of the same size.`;
  if (model === void 0) {
    reader.refuse(void 0, "model-not-in-file", "The model cannot be known from the file", supply);
    return;
  }
  const message2 = `The model ${quote(model.source)} is one of Ultralytics', and those are not modelled yet`;
  reader.refuse(model, "unknown-model", message2, supply);
}
function readOptimizer6(reader, field) {
  const isMomentum = field?.value.kind === "text" && /^(SGD|RMSProp|MuSGD)$/i.test(field.value.text);
  return reader.note("optimizer", isMomentum ? "sgd-momentum" : "adamw", field ?? "Ultralytics' default, auto");
}
function readBatch3(reader, document) {
  const field = document.at("batch");
  const { value } = field ?? {};
  if (field !== void 0 && value?.kind === "number" && value.number < 1) {
    const message2 = `The batch size cannot be known from the file: ${field.source} lets Ultralytics look for one`;
    return reader.refuse(field, "not-in-file", message2, "Write the value into the config if it should be checked.");
  }
  return reader.settle("microBatch", field, (present4) => reader.wholeNumber(present4, { max: MAX_BATCH }), {
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
function firstJsonError(text) {
  if (isJson(text)) return void 0;
  const open = [];
  let expected = "value";
  let offset = 0;
  for (; ; ) {
    offset = skip(blank, text, offset);
    const end = skip(token, text, offset);
    const next = end === offset ? void 0 : step2(expected, text.slice(offset, Math.min(end, offset + 1)), open);
    if (next === void 0) return offset;
    expected = next;
    offset = end;
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
    const name = this.name === "" ? plain(key2) : `${this.name}.${plain(key2)}`;
    const value = this.#value(pair.value, name);
    return { key: key2, name, value, ...this.#place(value.kind === "empty" ? pair.key : pair.value) };
  }
  #place(node) {
    const { text, lines } = this.#origin;
    const [start, end] = rangeOf(node);
    const { line, col } = lines.linePos(start);
    return { at: { line, column: col }, source: plain(text.slice(start, end)) };
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
var MAX_BYTES2 = MIB;
var MAX_DEPTH2 = 100;
var MAX_ALIASES = 100;
var MAX_SYNTAX_PROBLEMS = 10;
function parseFile(file) {
  const text = file.text.replace(/^\uFEFF/, "");
  const bytes5 = Buffer.byteLength(text);
  if (bytes5 > MAX_BYTES2) return unreadable([{ ...tooLarge(bytes5), file: file.path }]);
  const lines = new LineCounter();
  const describe = (offset, problem2) => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
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
    if (parser.stack.length > MAX_DEPTH2 + 1) return { kind: "too-deep", offset: parser.offset };
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
    return [describe(first, badAliases(error instanceof Error ? plain(error.message) : "The aliases cannot be read"))];
  }
}
function unreadable(problems) {
  return { kind: "unreadable", problems };
}
function tooLarge(bytes5) {
  return {
    code: "file-too-large",
    message: `The file holds ${(bytes5 / MIB).toFixed(1)} MiB; a training config is read up to 1 MiB`,
    fix: "Move data out of the config, or leave the file out of the check."
  };
}
var tooDeep = {
  code: "file-too-deep",
  message: `The file nests more than ${MAX_DEPTH2} levels deep here`,
  fix: "Flatten it, or leave the file out of the check."
};
var placeholder = /(?:[A-Z][A-Z0-9_]{2,60}|\$\{[^{}\n]{1,80}\}|\$\w{1,60}|\{\{[^{}\n]{1,80}\}\}|<[\w ]{1,60}>|@\w{1,60}@)(?=\s*[,}\]])/y;
function placeholderAt(text, offset) {
  const start = text.startsWith("{{", offset - 1) ? offset - 1 : offset;
  if (!/[:,[]\s*$/.test(text.slice(Math.max(0, start - 100), start))) return void 0;
  placeholder.lastIndex = start;
  return placeholder.exec(text)?.[0];
}
function notJson(text, offset) {
  const filledIn = placeholderAt(text, offset);
  if (filledIn !== void 0) {
    return {
      code: "template",
      message: `A template: ${quote(filledIn)} stands where a script fills a value in, so its settings cannot be known from the file`,
      fix: "Check the file that the script writes, or add this one to ignore in .github/memorymark.yml."
    };
  }
  const found = offset < text.length ? `Not valid JSON at ${quote(text.slice(offset, offset + 20))}` : "The JSON ends early";
  return {
    code: "not-json",
    message: found,
    fix: "Correct the JSON there; it allows no comments, no trailing commas and no single quotes."
  };
}
function notYaml(message2) {
  return {
    code: "not-yaml",
    message: `Not valid YAML: ${plain(message2)}`,
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
function badAliases(message2) {
  return {
    code: "bad-alias",
    message: message2,
    fix: `Write the values out instead of aliasing them; up to ${MAX_ALIASES} expansions of an anchor are read.`
  };
}

// engine/config/read.ts
function readConfig(file, lookUp = resolveOffline) {
  const opened = openConfig(file);
  return opened.kind === "open" ? opened.read(lookUp) : opened;
}
async function readConfigAsync(file, resolve, supplied = {}) {
  const opened = openConfig(file, supplied);
  return opened.kind === "open" ? opened.read(await resolvedBefore(opened, resolve)) : opened;
}
async function explainConfigAsync(file, resolve, supplied = {}) {
  const opened = openConfig(file, supplied);
  if (opened.kind !== "open") return { kind: "not-recognised", reading: opened };
  return explain(opened, new FieldReader(file.path, supplied), await resolvedBefore(opened, resolve));
}
async function resolvedBefore({ modelName }, resolve) {
  const resolution = modelName === void 0 ? { kind: "unknown" } : await resolve(modelName);
  return () => resolution;
}
function explain({ dialect, why, read: read12 }, reader, lookUp) {
  const reading = read12(lookUp, reader);
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
function withUnread(reading, { unread }) {
  if (reading.kind !== "training-config" || unread.length === 0) return reading;
  const sentence = `${SETTINGS_PATH} supplies ${unread.join(", ")}, which configs of ${reading.dialect} leave no choice about.`;
  return { ...reading, assumptions: [...reading.assumptions, sentence] };
}
var notOurs = {
  kind: "not-a-training-config",
  why: `It sets no batch size that is known here: no settings of ${oneOf2(dialects.map(({ name }) => name))} were found in it.`
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
import * as z39 from "zod";
var MAX_CONDITIONS = 20;
var percent = z39.number().min(0).max(1e3);
var condition = z39.discriminatedUnion("kind", [
  /** Usable memory idle at the current batch, judged only where a faster batch is to be had. */
  z39.object({ kind: z39.literal("waste"), abovePercent: percent }),
  /** Throughput missed: how much faster the recommended batch is. */
  z39.object({ kind: z39.literal("throughput-loss"), abovePercent: percent }),
  /** Savings of the recommendation over a year. */
  z39.object({ kind: z39.literal("annual-cost"), aboveUsd: z39.number().min(0).max(1e12) })
]);
var policy = z39.object({
  failOn: z39.array(condition).max(MAX_CONDITIONS),
  warnOn: z39.array(condition).max(MAX_CONDITIONS)
});
var spared = z39.enum(["within-error", "no-worse", "accepted", "snoozed"]);
var reason = z39.discriminatedUnion("kind", [
  z39.object({ kind: z39.literal("does-not-fit"), spared: spared.optional() }),
  z39.object({ kind: z39.literal("condition"), condition, actual: z39.number(), spared: spared.optional() })
]);
var verdict = z39.object({
  state: z39.enum(["fine", "warning", "blocked"]),
  /** What blocks; without that, what is remarked on, with what would block but is spared. */
  reasons: z39.array(reason).max(2 * MAX_CONDITIONS)
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
import * as z41 from "zod";

// engine/config/reading.ts
import * as z40 from "zod";
var position = z40.object({ line: z40.number().int().positive(), column: z40.number().int().positive() });

// engine/report/schema.ts
var bytes4 = z41.number().min(0).max(1e18);
var usd = z41.number().min(-1e12).max(1e12);
var label = z41.string().max(200);
var path = z41.string().min(1).max(4096);
var throughputProvenance = z41.enum(["measured", "modelled"]);
var breakdown = z41.record(z41.enum(byteKinds), bytes4);
var operatingPoint = z41.object({
  microBatch: batchSize,
  gradientAccumulation: batchSize,
  effectiveBatch: z41.number().int().min(1),
  fits: z41.boolean(),
  peakBytes: bytes4,
  samplesPerSecond: z41.number().positive(),
  costPerRunUsd: usd
});
var reportedGpu = z41.object({
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
var leverChange = z41.enum(["gradient-checkpointing", "bf16-autocast", "sdpa-attention", "fused-optimizer"]);
var throughputPoint = z41.object({ microBatch: batchSize, samplesPerSecond: z41.number().positive() });
var analysedConfig = z41.object({
  status: z41.literal("analysed"),
  path,
  dialect: label,
  spec: trainingSpec,
  /** Where the micro-batch is written; absent when the config leaves it to its tool's default. */
  batchSizeAt: position.optional(),
  gradientAccumulationAt: position.optional(),
  gpu: reportedGpu,
  provenance,
  /** Half-width of the band around every memory figure: held by `npm run bench:accuracy`, or the spread of measured steps. */
  errorBandPercent: z41.number().min(0).max(100),
  throughputProvenance,
  /** Half-width of the band around every throughput: the widest spread of the timed steps. Absent where it is modelled. */
  throughputBandPercent: z41.number().min(0).max(100).optional(),
  current: operatingPoint,
  /** Absent when not even one sample fits. */
  recommended: operatingPoint.optional(),
  largest: operatingPoint.optional(),
  /** Bytes at the peak of the current batch, and the moment of that peak in words. */
  breakdown,
  peakMoment: label,
  /** Recommended against current samples per second. */
  speedup: z41.number().positive(),
  savingsPerRunUsd: usd,
  savingsPerYearUsd: usd,
  /** The one change that frees most at the current batch. */
  lever: z41.object({ change: leverChange, peakBytes: bytes4 }).optional(),
  /** A cheaper GPU on which the current config fits and a run costs less. */
  rightSizing: z41.object({ gpu: reportedGpu, costPerRunUsd: usd }).optional(),
  trials: z41.array(trial).max(1e3),
  /** At sizes that fit; where a clock made the throughput, at those that were timed. Absent in older reports. */
  throughputCurve: z41.array(throughputPoint).max(1e3).optional(),
  hoursPerRun: z41.number().positive().max(1e6),
  runsPerYear: z41.number().positive().max(1e6),
  /** What the config did not say and we took for granted, one sentence each. */
  assumptions: z41.array(z41.string().max(500)).max(30),
  verdict
});
var unanalysedConfig = z41.object({
  status: z41.literal("not-analysed"),
  path,
  problems: z41.array(problem).min(1).max(50),
  /** Why it does not block, where it does not. */
  spared: spared.optional()
});
var REPORT_SCHEMA = "memorymark.report/v1";
var report = z41.object({
  schema: z41.literal(REPORT_SCHEMA),
  toolVersion: label,
  createdAt: z41.iso.datetime(),
  policy,
  configs: z41.array(z41.discriminatedUnion("status", [analysedConfig, unanalysedConfig])).max(5e3)
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
  const head = Math.floor(maxLength / 3);
  return `${plainText(path2.slice(0, head))}…${plainText(path2.slice(head + 1 - maxLength))}`;
}
function capitalised(sentence) {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

// engine/search/boundary.ts
function nextMove({ fits: fits2, fails }, grid, predicted) {
  if (fails - fits2 === 1) return { kind: "done", largest: fits2 };
  const start = Math.min(Math.max(predicted, 0), grid.length - 1);
  if (fits2 < start && start < fails) return { kind: "try", index: start };
  if (fails === grid.length) return { kind: "try", index: Math.min(fits2 + (fits2 - start) + 1, grid.length - 1) };
  if (fits2 === -1) return { kind: "try", index: Math.max(fails - (start - fails) - 1, 0) };
  return { kind: "try", index: Math.floor((fits2 + fails) / 2) };
}
function findLargest(grid, predicted, tryBatch) {
  let bounds = { fits: -1, fails: grid.length };
  for (; ; ) {
    const move = nextMove(bounds, grid, predicted);
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
function triedOf({ microBatch, outcome: outcome2 }) {
  return isBroken(outcome2) ? [] : [{ microBatch, fits: outcome2.kind === "fits", peakBytes: peakOf(outcome2) }];
}
function boundsOf(tried, grid) {
  const failing = tried.filter(({ fits: fits2 }) => !fits2).map(({ microBatch }) => firstNotBelow(microBatch, grid));
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
  const correct = correction(tried, prediction);
  const nextIsTooMuch = fits2 >= 0 && correct(grid.at(fits2 + 1)) > prediction.usableBytes * CERTAINLY_TOO_MUCH;
  if (nextIsTooMuch && hasPeak(tried, grid, fits2)) return { kind: "done", largest: fits2 };
  if (tried.length >= PREDICTIONS) return { kind: "try", index: halving(bounds, grid) };
  const predicted = correctedLargest(correct, grid, prediction);
  if (fits2 < predicted && predicted < fails) return { kind: "try", index: predicted };
  const index = gallop(bounds, grid, tried, predicted);
  const leapsTooFar = index > fits2 + 1 && predicted <= fits2 && correct(grid.at(index)) > prediction.usableBytes;
  return { kind: "try", index: leapsTooFar ? fits2 + 1 : index };
}
function gallop({ fits: fits2, fails }, grid, tried, predicted) {
  const places = tried.map(({ microBatch }) => grid.indexOf(microBatch));
  const index = predicted <= fits2 ? fits2 + 1 + (fits2 - Math.min(fits2, ...places.filter((place) => place >= predicted && place >= 0))) : fails - 1 - (Math.max(fails, ...places.filter((place) => place <= predicted)) - fails);
  return fits2 < index && index < fails ? index : halving({ fits: fits2, fails }, grid);
}
function halving({ fits: fits2, fails }, grid) {
  return fails === grid.length ? Math.min(2 * fits2 + 2, grid.length - 1) : Math.floor((fits2 + fails) / 2);
}
function hasPeak(tried, grid, index) {
  return tried.some(({ microBatch, peakBytes }) => peakBytes !== void 0 && grid.indexOf(microBatch) === index);
}
function correction(tried, prediction) {
  const ratios = tried.flatMap(
    ({ microBatch, peakBytes }) => peakBytes === void 0 ? [] : [{ microBatch, ratio: peakBytes / prediction.peakBytes(microBatch) }]
  );
  return (microBatch) => {
    const distance = (other) => Math.abs(Math.log(other.microBatch / microBatch));
    const nearest = ratios.toSorted((a, b) => distance(a) - distance(b))[0];
    return prediction.peakBytes(microBatch) * (nearest?.ratio ?? 1);
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
function firstNotBelow(microBatch, grid) {
  const index = grid.indexOf(microBatch);
  return index >= 0 && grid.at(index) === microBatch ? index : index + 1;
}

// engine/metrics/cost.ts
function costPerRunUsd({ hoursPerRun, pricePerHourUsd, gpus: gpus2 }, relativeSpeed = 1) {
  return hoursPerRun * pricePerHourUsd * gpus2 / relativeSpeed;
}
function savingsPerRunUsd(terms, speedup) {
  return costPerRunUsd(terms) * (1 - 1 / speedup);
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
      return "the error of the figures leaves it open";
    case "no-worse":
      return "it was so on the base branch, and gets no worse";
    case "accepted":
      return "it was accepted";
    case "snoozed":
      return "it was put off";
  }
}

// engine/render/advice.ts
var WORTHWHILE_SPEEDUP = 1.02;
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
  return `effective batch ${change(from.effectiveBatch, to.effectiveBatch)} (a change to the training: revisit the learning rate and the number of steps)`;
}
function gains(config, strong = (text) => text) {
  if (!config.current.fits) return [];
  const about = config.throughputProvenance === "modelled" ? "about " : "";
  return [
    ...config.speedup >= WORTHWHILE_SPEEDUP ? [`${about}${formatRatio(config.speedup)} the throughput`] : [],
    ...config.savingsPerYearUsd >= WORTHWHILE_USD ? [`${strong(`${formatYearlyUsd(config.savingsPerYearUsd)} a year`)} less`] : []
  ];
}
function advice(config, strong) {
  const change2 = changeSentence(config, strong);
  const sentences = config.current.fits ? [change2] : [largestSentence(config), change2, leverSentence(config)];
  return [...sentences.filter((sentence) => sentence !== void 0), ...sparedSentences(config)];
}
function changeSentence(config, strong = (text) => text) {
  const { current, recommended } = config;
  if (recommended === void 0 || !recommendsChange(config)) return void 0;
  const effects = [effectiveBatchNote(current, recommended), ...gains(config, strong)];
  return `${batchChange(current, recommended, strong)}: ${effects.join(", ")}.`;
}
function isWorthFollowing(config) {
  return recommendsChange(config) && (!config.current.fits || gains(config).length > 0);
}
function fineRemark(config) {
  const { recommended } = config;
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

// engine/config/adjusted-spec.ts
var defaults = { microBatch: 16, sequenceLength: 128, labels: 2 };
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
    loop: "plain"
  };
}
function adjusted(written, model, changes, nameOf) {
  const said = Object.entries(changes).filter(([, value]) => value !== void 0);
  const spec = { ...written, ...Object.fromEntries(said) };
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
    throw refused(nameOf("gradientCheckpointing"), `transformers does not checkpoint ${model.family}`, "Leave it out.");
  }
  if (changes.quantization !== void 0 && spec.lora === void 0) {
    throw refused(nameOf("quantization"), "quantised weights are not trained themselves", "Train adapters over them.");
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
  tasks2 as tasks,
  optimizers,
  precisions,
  stepProfiles,
  attentions,
  loops,
  frameworks,
  quantizations,
  defaultLoraTargets,
  shardings,
  MAX_BATCH,
  trainingSpec,
  sequencesPerSample,
  effectiveBatch,
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
  byteKinds,
  bytesPerElement,
  elements,
  lastSize,
  optimizerRules,
  EstimateProbe,
  DEFAULT_STEP_SIZE,
  Grid,
  findLargest,
  idleBytes,
  idlePercent,
  missingBytes,
  plain,
  quote,
  modelAliases,
  modelIds,
  findModel,
  bareName,
  hubSettings,
  createHub,
  resolveModel,
  SETTINGS_PATH,
  suppliedKeys,
  suggest,
  shown,
  modelProblem,
  parseFile,
  readConfig,
  readConfigAsync,
  explainConfigAsync,
  isCandidatePath,
  roundedSize,
  CachingAllocator,
  teacherConfig,
  provenance,
  outcome,
  peakOf,
  isBroken,
  trial,
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
  correction
};
