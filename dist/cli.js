#!/usr/bin/env node

// engine/errors.ts
import { z } from "zod";
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
function closest(given, known) {
  const limit = Math.min(2, Math.floor(given.length / 3));
  let best;
  for (const word of known) {
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

// engine/config/spec.ts
import { z as z2 } from "zod";
var tasks = ["sequence-classification", "masked-lm", "causal-lm", "image-classification"];
var optimizers = ["adamw", "adamw-fused", "adamw-loop", "sgd", "sgd-momentum"];
var precisions = ["fp32", "bf16", "amp-bf16", "amp-fp16"];
var stepProfiles = ["training", "forward-backward"];
var attentions = ["sdpa", "eager"];
var loops = ["plain", "trainer"];
var MAX_BATCH = 1e6;
var batchSize = z2.number().int().min(1).max(MAX_BATCH);
var trainingSpec = z2.object({
  /** A Hub id or an alias of the model catalogue. */
  model: z2.string().min(1).max(200),
  task: z2.enum(tasks),
  framework: z2.literal("pytorch"),
  step: z2.enum(stepProfiles),
  /** Samples on one GPU in one forward pass. */
  microBatch: batchSize,
  gradientAccumulation: batchSize,
  gpus: z2.number().int().min(1).max(1e5),
  /** Tokens of the longest sequence; absent for images. */
  sequenceLength: z2.number().int().min(1).max(1e7).optional(),
  /** Pixels of the square image's side; absent for text. */
  imageSize: z2.number().int().min(1).max(1e5).optional(),
  /** Classes of a classification head. */
  labels: z2.number().int().min(1).max(1e6),
  precision: z2.enum(precisions),
  optimizer: z2.enum(optimizers),
  attention: z2.enum(attentions),
  gradientCheckpointing: z2.boolean(),
  /** Batches carry a padding mask. Fused attention then keeps a b·s² mask per layer. */
  paddedBatches: z2.boolean(),
  /**
   * Who runs the step. `plain`: `outputs = model(…); outputs.loss.backward()`, where the logits stay referenced during the
   * backward pass and decoders fill their key/value cache (`use_cache` is on by default). `trainer`: Hugging Face's Trainer,
   * which turns the cache off (`TrainingArguments.use_cache`) and whose `compute_loss` returns the loss alone.
   */
  loop: z2.enum(loops)
});
function effectiveBatch(spec) {
  return spec.microBatch * spec.gradientAccumulation * spec.gpus;
}

// engine/models/architecture.ts
import { z as z7 } from "zod";

// engine/models/bert.ts
import { z as z4 } from "zod";

// engine/models/schema.ts
import { z as z3 } from "zod";
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
  model_type: z4.literal("roberta"),
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
function encoderPositions(config) {
  return config.max_position_embeddings - (config.model_type === "roberta" ? 2 : 0);
}
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
  const sum = ops.add(ops.add(words, types), places);
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
  const projected = ops.dropout(ops.linear(`${name}.dense`, x, config.hidden_size), config.hidden_dropout_prob);
  return ops.layerNorm(`${name}.LayerNorm`, ops.add(projected, skip2));
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
  const attended = ops.layerNorm(`${name}.sa_layer_norm`, ops.add(projected, x));
  const widened = ops.gelu(ops.linear(`${name}.ffn.lin1`, attended, config.hidden_dim));
  const narrowed = ops.dropout(ops.linear(`${name}.ffn.lin2`, widened, config.dim), config.dropout);
  return ops.layerNorm(`${name}.output_layer_norm`, ops.add(narrowed, attended));
}
function distilbertLanguageHead(ops, config, hidden) {
  const transformed = ops.gelu(ops.linear("vocab_transform", hidden, config.dim));
  const normalised = ops.layerNorm("vocab_layer_norm", transformed);
  return ops.linear("vocab_projector", normalised, config.vocab_size, { tiedTo: "embeddings.word_embeddings.weight" });
}

// engine/models/gpt2.ts
import { z as z5 } from "zod";
var gpt2Config = z5.object({
  model_type: z5.literal("gpt2"),
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
  const [query, key2, value] = ops.split(joined, 3);
  const context = ops.attention(query, ops.cached(key2), ops.cached(value), {
    heads: config.n_head,
    causal: true,
    dropout: config.attn_pdrop
  });
  const attended = ops.add(ops.dropout(ops.linear(`${name}.attn.c_proj`, context, hidden), dropout), x);
  const normalised = ops.layerNorm(`${name}.ln_2`, attended);
  const widened = ops.geluNew(ops.linear(`${name}.mlp.c_fc`, normalised, inner ?? 4 * hidden));
  return ops.add(attended, ops.dropout(ops.linear(`${name}.mlp.c_proj`, widened, hidden), dropout));
}

// engine/models/resnet.ts
import { z as z6 } from "zod";
var resnetConfig = z6.object({
  model_type: z6.literal("resnet"),
  embedding_size: size.default(64),
  hidden_sizes: z6.array(size).min(1).max(20).default([256, 512, 1024, 2048]),
  depths: z6.array(size).min(1).max(20).default([3, 4, 6, 3]),
  layer_type: z6.enum(["basic", "bottleneck"]).default("bottleneck"),
  downsample_in_first_stage: z6.boolean().default(false),
  downsample_in_bottleneck: z6.boolean().default(false)
});
var REDUCTION = 4;
function resnet(ops, config, labels) {
  const stem = convolution(ops, "embedder", ops.input, config.embedding_size, { kernel: 7, stride: 2 });
  let x = ops.maxPool(ops.relu(stem), { kernel: 3, stride: 2, padding: 1 });
  let channels = config.embedding_size;
  config.hidden_sizes.forEach((outChannels, stage) => {
    for (let layer = 0; layer < (config.depths[stage] ?? 0); layer++) {
      const downsamples = layer === 0 && (stage > 0 || config.downsample_in_first_stage);
      const shape = { channels, outChannels, stride: downsamples ? 2 : 1 };
      x = residualLayer(ops, config, `stages.${stage}.layers.${layer}`, x, shape);
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
  return ops.relu(ops.add(inner, skip2, { inPlace: true }));
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

// engine/models/architecture.ts
var modelConfig = z7.discriminatedUnion("model_type", [
  bertConfig,
  robertaConfig,
  distilbertConfig,
  gpt2Config,
  resnetConfig
]);
function tasksOf(config) {
  switch (config.model_type) {
    case "bert":
    case "roberta":
    case "distilbert":
      return ["sequence-classification", "masked-lm"];
    case "gpt2":
      return ["causal-lm", "sequence-classification"];
    case "resnet":
      return ["image-classification"];
  }
}
function maxPositionsOf(config) {
  switch (config.model_type) {
    case "bert":
    case "roberta":
    case "distilbert":
      return encoderPositions(config);
    case "gpt2":
      return config.n_positions;
    case "resnet":
      return void 0;
  }
}
function supportsCheckpointing(config) {
  return config.model_type !== "resnet";
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
    case "resnet":
      return resnet(ops, config, spec.labels);
  }
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
  #reservedBytes = 0;
  #capacityBytes;
  #blocks = /* @__PURE__ */ new Map();
  #nextHandle = 0;
  /** Free blocks by pool, ordered by size: small requests never take from large segments. */
  #free = { small: [], large: [] };
  constructor(capacityBytes) {
    this.#capacityBytes = capacityBytes;
  }
  /** A handle, or undefined when the device has no room even after cached segments went back. */
  allocate(bytes3) {
    const size2 = roundedSize(bytes3);
    const block3 = this.#takeFree(size2) ?? this.#newSegment(size2);
    if (block3 === void 0) return void 0;
    this.#splitOff(block3, size2);
    block3.isFree = false;
    const handle = this.#nextHandle++;
    this.#blocks.set(handle, block3);
    return handle;
  }
  release(handle) {
    const block3 = this.#blocks.get(handle);
    if (block3 === void 0) return;
    this.#blocks.delete(handle);
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
    const bytes3 = segmentSize(size2);
    if (this.#reservedBytes + bytes3 > this.#capacityBytes) this.#returnFreeSegments();
    if (this.#reservedBytes + bytes3 > this.#capacityBytes) return void 0;
    this.#reservedBytes += bytes3;
    this.peakReservedBytes = Math.max(this.peakReservedBytes, this.#reservedBytes);
    return { bytes: bytes3, isFree: true, isSmall: size2 <= SMALL_BYTES, previous: void 0, next: void 0 };
  }
  /** release_cached_blocks: every segment that is one free block goes back to the device. */
  #returnFreeSegments() {
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

// engine/estimate/tape.ts
var weightDtypes = {
  fp32: "float32",
  bf16: "bfloat16",
  "amp-bf16": "float32",
  "amp-fp16": "float32"
};
var Tape = class {
  input;
  labels;
  parameters = /* @__PURE__ */ new Map();
  /** Storages that live as long as the model beside its parameters: running statistics, position ids. */
  buffers = [];
  /** The batch's own tensors, which the training loop holds through the step. */
  batch = [];
  /** Tensors that Python code still references while the backward pass runs. */
  held = [];
  nodes = [];
  #spec;
  #weightDtype;
  #autocastDtype;
  #training;
  #castWeights = /* @__PURE__ */ new Map();
  /** Tensors that local variables of the running block reference. */
  #locals = [];
  #edges = 0;
  #storages = 0;
  constructor(spec) {
    this.#spec = spec;
    this.#weightDtype = weightDtypes[spec.precision];
    this.#autocastDtype = spec.precision === "amp-bf16" ? "bfloat16" : spec.precision === "amp-fp16" ? "float16" : void 0;
    this.#training = spec.step === "training";
    const isImage = spec.task === "image-classification";
    const imageSize = spec.imageSize ?? 0;
    const inputShape = isImage ? [3, imageSize, imageSize] : [spec.sequenceLength ?? 0];
    const perToken = spec.task === "causal-lm" || spec.task === "masked-lm";
    this.input = this.#batchTensor(inputShape, isImage ? this.#weightDtype : "int64");
    this.labels = this.#batchTensor(perToken ? inputShape : [], "int64");
    if (spec.paddedBatches && !isImage) this.#batchTensor(inputShape, "int64");
  }
  embedding(name, ids, count2, features) {
    const table2 = this.parameter(`${name}.weight`, [count2, features]);
    const output = this.#tensor([...ids.shape, features], table2.dtype, true);
    this.#node(name, { reads: [ids], outputs: [output], saves: [ids], gradients: [made(table2)] });
    return output;
  }
  constantEmbedding(name, count2, features, rows3) {
    const table2 = this.parameter(`${name}.weight`, [count2, features]);
    const ids = this.#tensor([rows3], "int64", false, { batched: false });
    const output = this.#tensor([rows3, features], table2.dtype, true, { batched: false });
    this.#node(name, { reads: [], outputs: [ids] });
    this.#node(name, { reads: [ids], outputs: [output], saves: [ids], gradients: [made(table2)] });
    return output;
  }
  linear(name, x, outFeatures, options = {}) {
    const inFeatures = lastSize(x);
    const weight = this.#lowered(this.parameter(options.tiedTo ?? `${name}.weight`, [outFeatures, inFeatures]));
    const bias = options.bias === false ? [] : [this.#lowered(this.parameter(`${name}.bias`, [outFeatures]))];
    const factor = this.#lowered(x);
    const output = this.#tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, true);
    this.#node(name, {
      reads: [factor, weight, ...bias],
      outputs: [output],
      saves: [factor, weight],
      gradients: [factor, weight, ...bias].map(made),
      flopsPerSample: 2 * elements(output) * inFeatures
    });
    return output;
  }
  layerNorm(name, x) {
    const parameters = ["weight", "bias"].map((part) => this.parameter(`${name}.${part}`, [lastSize(x)]));
    const wide = this.#autocastDtype === void 0 ? x : this.#cast(x, "float32");
    const output = this.#tensor(wide.shape, wide.dtype, true);
    const rows3 = elements(wide) / lastSize(wide);
    const statistics = [this.#storage(rows3, "float32", wide.batched), this.#storage(rows3, "float32", wide.batched)];
    this.#node(name, {
      reads: [wide, ...parameters],
      outputs: [output],
      saves: [wide],
      saved: statistics,
      gradients: [wide, ...parameters].map(made)
    });
    return output;
  }
  add(x, y, options = {}) {
    const dtype = widest(x.dtype, y.dtype);
    const output = options.inPlace ? { ...x, requiresGrad: true } : this.#tensor(x.batched ? x.shape : y.shape, dtype, x.requiresGrad || y.requiresGrad, {
      batched: x.batched || y.batched
    });
    this.#locals.push(x, y);
    const same = (side) => side.batched === output.batched && side.dtype === output.dtype;
    this.#node("add", {
      reads: [x, y],
      outputs: [output],
      gradients: [x, y].map((side) => ({ to: side, passes: same(side) }))
    });
    return output;
  }
  gelu(x) {
    return this.#elementwise("gelu", x, { saves: [x] });
  }
  geluNew(x) {
    const half = this.#elementwise("mul", x);
    const cubed = this.#power(this.#autocastDtype === void 0 ? x : this.#cast(x, "float32"));
    const inner = this.#elementwise("mul", this.add(x, this.#elementwise("mul", cubed)));
    const gate = this.#elementwise("add", this.tanh(inner));
    return this.#product(half, gate);
  }
  tanh(x) {
    return this.#elementwise("tanh", x, { savesOutput: true });
  }
  relu(x, options = {}) {
    if (!options.inPlace) return this.#elementwise("relu", x, { savesOutput: true });
    const output = { ...x };
    this.#node("relu", { reads: [x], outputs: [output], saves: [output], gradients: [made(x)] });
    return output;
  }
  dropout(x, probability2) {
    if (!this.#training || probability2 === 0) return x;
    const mask = this.#storage(elements(x), "bool", x.batched);
    const output = this.#tensor(x.shape, x.dtype, x.requiresGrad, x);
    this.#node("dropout", { reads: [x], outputs: [output], saved: [mask], gradients: [made(x)] });
    return output;
  }
  split(x, parts) {
    const shape = [...x.shape.slice(0, -1), lastSize(x) / parts];
    const outputs = Array.from({ length: parts }, () => ({ ...x, shape, edge: this.#newEdge() }));
    this.#node("split", { reads: [x], outputs, gradients: [made(x)] });
    return outputs;
  }
  cached(x) {
    if (this.#spec.loop === "trainer" || this.#spec.gradientCheckpointing) return x;
    const output = this.#tensor(x.shape, x.dtype, x.requiresGrad);
    this.held.push(output.storage);
    this.#node("cat", { reads: [x], outputs: [output], gradients: [{ to: x, passes: true }] });
    return output;
  }
  attention(q, k, v, options) {
    return this.#spec.attention === "eager" ? this.#eagerAttention(q, k, v, options) : this.#fusedAttention(q, k, v, options);
  }
  firstToken(x) {
    const output = { ...x, shape: x.shape.slice(1), edge: this.#newEdge() };
    this.#node("select", { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  lastToken(x) {
    const output = this.#tensor(x.shape.slice(1), x.dtype, x.requiresGrad);
    this.#node("index", { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  conv2d(name, x, outChannels, options) {
    const [inChannels, y, width] = image(x);
    const { kernel: kernel2, stride } = options;
    const weight = this.#lowered(this.parameter(`${name}.weight`, [outChannels, inChannels, kernel2, kernel2]));
    const factor = this.#lowered(x);
    const outputSize = [y, width].map((size2) => Math.floor((size2 + 2 * Math.floor(kernel2 / 2) - kernel2) / stride) + 1);
    const output = this.#tensor([outChannels, ...outputSize], factor.dtype, true);
    this.#node(name, {
      reads: [factor, weight],
      outputs: [output],
      saves: [factor, weight],
      gradients: [factor, weight].map(made),
      flopsPerSample: 2 * elements(output) * inChannels * kernel2 * kernel2
    });
    return output;
  }
  batchNorm(name, x) {
    const [channels] = image(x);
    const parameters = ["weight", "bias"].map((part) => this.parameter(`${name}.${part}`, [channels]));
    this.buffers.push(
      ...["running_mean", "running_var"].map(() => this.#persistent(channels, this.#weightDtype)),
      this.#persistent(1, "int64")
    );
    const output = this.#tensor(x.shape, x.dtype, true);
    const statistics = this.#training ? [this.#storage(channels, "float32", false), this.#storage(channels, "float32", false)] : [];
    this.#node(name, {
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
    const output = this.#tensor([channels, ...pooled], x.dtype, x.requiresGrad);
    const indices = this.#storage(elements(output), "int64", true);
    this.#node("max_pool2d", { reads: [x], outputs: [output], saves: [x], saved: [indices], gradients: [made(x)] });
    return output;
  }
  globalAveragePool(x) {
    const output = this.#tensor(x.shape.slice(0, 1), x.dtype, x.requiresGrad);
    this.#node("mean", { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  crossEntropy(logits) {
    this.markLogits(logits);
    const perToken = this.labels.shape.length > 0;
    const wide = perToken || this.#autocastDtype !== void 0 ? this.#cast(logits, "float32") : logits;
    const logProbabilities = this.#logits(wide);
    const loss = this.#tensor([], wide.dtype, true, { batched: false });
    this.#node("log_softmax", {
      reads: [wide],
      outputs: [logProbabilities],
      saves: [logProbabilities],
      gradients: [made(wide)]
    });
    this.#node("nll_loss", {
      reads: [logProbabilities],
      outputs: [loss],
      saves: [logProbabilities],
      saved: perToken ? [this.#storage(elements(this.labels), "int64", true)] : [],
      gradients: [made(logProbabilities)]
    });
    return loss;
  }
  /** The earlier tool's loss: the mean of the logits. */
  mean(logits) {
    this.markLogits(logits);
    const loss = this.#tensor([], logits.dtype, true, { batched: false });
    this.#node("mean", { reads: [logits], outputs: [loss], gradients: [made(logits)] });
    return loss;
  }
  block(x, body) {
    this.#locals = [x];
    if (!this.#spec.gradientCheckpointing || !this.#training) return this.#returned(body(x));
    const outer = this.nodes;
    const castOutside = new Map(this.#castWeights);
    this.nodes = [];
    const output = this.#returned(body(x));
    const node = { ...emptyNode("checkpoint"), reads: [x.storage], saves: [x.storage], outputs: [output] };
    outer.push({ ...node, body: this.nodes });
    this.nodes = outer;
    this.#castWeights = castOutside;
    return output;
  }
  parameter(name, shape) {
    const known = this.parameters.get(name);
    if (known !== void 0) return known;
    const count2 = shape.reduce((product, size2) => product * size2, 1);
    const storage = this.#persistent(count2, this.#weightDtype);
    const parameter = {
      storage,
      shape,
      batched: false,
      dtype: this.#weightDtype,
      requiresGrad: true,
      edge: this.#newEdge()
    };
    this.parameters.set(name, parameter);
    return parameter;
  }
  positionIds(count2) {
    this.buffers.push(this.#persistent(count2, "int64"));
  }
  /** A new storage of a tensor's size: its gradient, its optimizer state, a temporary. */
  like(tensor, kind) {
    return this.#newStorage(elements(tensor) * bytesPerElement[tensor.dtype], tensor.batched, kind, false);
  }
  markLogits(logits) {
    logits.storage.kind = "logits";
  }
  #fusedAttention(q, k, v, options) {
    const [query, key2, value] = [q, k, v].map((tensor) => this.#lowered(tensor));
    const [tokens = 0] = query.shape;
    const flash = query.dtype !== "float32" && !this.#spec.paddedBatches;
    const output = this.#tensor(query.shape, query.dtype, true);
    const rows3 = flash ? tokens : Math.ceil(tokens / 32) * 32;
    const logSumExp = this.#storage(options.heads * rows3, "float32", true);
    const mask = this.#spec.paddedBatches ? [this.#storage(tokens * Math.ceil(tokens / 8) * 8, query.dtype, true)] : [];
    this.#node("attention", {
      reads: [query, key2, value],
      outputs: [output],
      saves: [query, key2, value, output],
      saved: [logSumExp, ...mask],
      gradients: [query, key2, value].map(made),
      flopsPerSample: 4 * elements(query) * tokens
    });
    return output;
  }
  #eagerAttention(q, k, v, options) {
    const [tokens = 0] = q.shape;
    const scoreShape = [options.heads, tokens, tokens];
    const scores = this.#batchMatmul(this.#contiguous(q), this.#contiguous(k), scoreShape);
    const scaled = this.#elementwise("mul", scores);
    const masked = options.causal || this.#spec.paddedBatches ? this.#elementwise("add", scaled) : scaled;
    const wide = this.#autocastDtype === void 0 ? masked : this.#cast(masked, "float32");
    const weights = this.#elementwise("softmax", wide, { savesOutput: true });
    const lowered = options.causal ? this.#cast(weights, this.#autocastDtype ?? q.dtype) : weights;
    const dropped = this.dropout(lowered, options.dropout);
    const output = this.#batchMatmul(dropped, this.#contiguous(v), q.shape);
    return this.#contiguous(output);
  }
  #batchMatmul(x, y, shape) {
    const [left, right] = [this.#lowered(x), this.#lowered(y)];
    const output = this.#tensor(shape, left.dtype, true);
    const inner = elements(left) * elements(right);
    this.#node("bmm", {
      reads: [left, right],
      outputs: [output],
      saves: [left, right],
      gradients: [left, right].map(made),
      // [.., m, k] × [.., k, n]: m·k · k·n · m·n = (m·k·n)²; heads cancel since all three carry them.
      flopsPerSample: 2 * Math.sqrt(inner / (left.shape[0] ?? 1) * elements(output))
    });
    return output;
  }
  #contiguous(x) {
    return this.#elementwise("clone", x);
  }
  #elementwise(name, x, options = {}) {
    const output = this.#tensor(x.shape, x.dtype, x.requiresGrad, x);
    const saves = [...options.saves ?? [], ...options.savesOutput ? [output] : []];
    this.#node(name, { reads: [x], outputs: [output], saves, gradients: [made(x)] });
    return output;
  }
  /** The end of a block's Python frame. */
  #returned(output) {
    this.#node("return", { reads: this.#locals, outputs: [] });
    this.#locals = [];
    return output;
  }
  #power(x) {
    const output = this.#tensor(x.shape, x.dtype, true);
    const backwardScratch = [0, 1].map(() => this.#storage(elements(x), x.dtype, x.batched, "temporaries"));
    this.#node("pow", { reads: [x], outputs: [output], saves: [x], gradients: [made(x)], backwardScratch });
    return output;
  }
  #product(x, y) {
    const output = this.#tensor(x.shape, widest(x.dtype, y.dtype), true);
    this.#node("mul", { reads: [x, y], outputs: [output], saves: [x, y], gradients: [x, y].map(made) });
    return output;
  }
  /** Under autocast, what matrix products read: weights are cast once a forward pass, activations each time. */
  #lowered(x) {
    if (this.#autocastDtype === void 0 || x.dtype !== "float32") return x;
    const isParameter = x.storage.persistent;
    const known = isParameter ? this.#castWeights.get(x) : void 0;
    if (known !== void 0) return known;
    const cast = this.#cast(x, this.#autocastDtype);
    if (isParameter) {
      cast.storage.kind = "weights";
      this.#castWeights.set(x, cast);
    }
    return cast;
  }
  #cast(x, dtype) {
    if (x.dtype === dtype) return x;
    const output = this.#tensor(x.shape, dtype, x.requiresGrad, x);
    if (x.storage.kind === "logits") this.markLogits(output);
    this.#node("to", { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  #logits(like) {
    const output = this.#tensor(like.shape, like.dtype, true);
    this.markLogits(output);
    return output;
  }
  #batchTensor(shape, dtype) {
    const tensor = this.#tensor(shape, dtype, false);
    tensor.storage.kind = "inputs";
    this.batch.push(tensor.storage);
    return tensor;
  }
  #tensor(shape, dtype, requiresGrad, { batched } = { batched: true }) {
    const storage = this.#storage(elements({ shape }), dtype, batched);
    return { storage, shape, batched, dtype, requiresGrad, edge: this.#newEdge() };
  }
  #storage(count2, dtype, batched, kind = "activations") {
    return this.#newStorage(count2 * bytesPerElement[dtype], batched, kind, false);
  }
  #persistent(count2, dtype) {
    return this.#newStorage(count2 * bytesPerElement[dtype], false, "weights", true);
  }
  #newEdge() {
    return this.#edges++;
  }
  #newStorage(bytes3, batched, kind, persistent) {
    const [fixedBytes, bytesPerSample] = batched ? [0, bytes3] : [bytes3, 0];
    return { id: this.#storages++, fixedBytes, bytesPerSample, kind, persistent };
  }
  #node(name, options) {
    const { outputs, saves = [], saved = [], gradients = [], scratch = [], backwardScratch = [] } = options;
    const readStorages = options.reads.map((tensor) => tensor.storage);
    this.nodes.push({
      name,
      reads: readStorages,
      creates: [...outputs.map((tensor) => tensor.storage).filter((storage) => !readStorages.includes(storage)), ...saved],
      scratch,
      saves: [...saves.map((tensor) => tensor.storage), ...saved],
      outputs,
      gradients: gradients.filter((edge) => edge.to.requiresGrad),
      backwardScratch,
      flopsPerSample: options.flopsPerSample ?? 0,
      computeDtype: outputs[0]?.dtype ?? "float32"
    });
  }
};
function emptyNode(name) {
  return {
    name,
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
}
function made(to) {
  return { to, passes: false };
}
function widest(x, y) {
  return x === "float32" || y === "float32" ? "float32" : x;
}
function image(x) {
  const [channels = 0, y = 0, width = 0] = x.shape;
  return [channels, y, width];
}

// engine/estimate/timeline.ts
function playStep(tape, spec, loss, outputs) {
  const player = new Player(tape, loss);
  const held = spec.loop === "plain" ? [...outputs, ...tape.held] : [];
  const microSteps = spec.step === "training" ? Math.min(spec.gradientAccumulation, 2) : 1;
  for (let index = 0; index < microSteps; index++) player.microStep(held);
  const parameters = [...tape.parameters.values()];
  if (spec.step === "training") player.optimizerStep(spec.optimizer, parameters);
  player.releaseGradients();
  return {
    model: [...parameters.map((parameter) => parameter.storage), ...tape.buffers],
    optimizerState: spec.step === "training" ? optimizerState(tape, spec.optimizer, parameters) : [],
    step: player.events,
    parameterCount: parameters.reduce((sum, parameter) => sum + elements(parameter), 0)
  };
}
var stateTensors = {
  adamw: 2,
  "adamw-fused": 2,
  "adamw-loop": 2,
  sgd: 0,
  "sgd-momentum": 1
};
function optimizerState(tape, optimizer, parameters) {
  return parameters.flatMap(
    (parameter) => Array.from({ length: stateTensors[optimizer] }, () => tape.like(parameter, "optimizerState"))
  );
}
var Player = class {
  events = [];
  #tape;
  #loss;
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
  constructor(tape, loss) {
    this.#tape = tape;
    this.#loss = loss;
  }
  microStep(held) {
    this.#moment = "the batch";
    const batch = this.#tape.batch;
    for (const storage of batch) this.#allocate(storage);
    for (const storage of [...held, ...batch]) this.#reference(storage, 1);
    this.#forward(this.#tape.nodes, "forward");
    this.#moment = "backward of the loss";
    const seed = this.#newGradient(this.#loss);
    this.#shareGradient(seed);
    this.#deposit(this.#loss, seed);
    this.#backward(this.#tape.nodes);
    for (const storage of [...held, ...batch]) {
      this.#reference(storage, -1);
      this.#releaseIfUnused(storage);
    }
  }
  optimizerStep(optimizer, parameters) {
    this.#moment = "the optimizer";
    switch (optimizer) {
      case "adamw": {
        const roots = parameters.map((parameter) => this.#tape.like(parameter, "temporaries"));
        for (const root of roots) this.#allocate(root);
        for (const root of roots) this.#release(root);
        return;
      }
      case "adamw-loop":
        for (const parameter of parameters) {
          const pair = [0, 1].map(() => this.#tape.like(parameter, "temporaries"));
          for (const temporary of pair) this.#allocate(temporary);
          for (const temporary of pair) this.#release(temporary);
        }
        return;
      case "adamw-fused":
      case "sgd":
      case "sgd-momentum":
        return;
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
      const sum = this.#newGradient(to);
      this.#shareGradient(sum);
      this.#gradients.set(key2, sum);
      this.#dropGradient(earlier);
    }
    this.#dropGradient(gradient);
  }
  /** The first gradient becomes `.grad`; later ones, of a tied use or of the next micro-step, are added in place. */
  #depositForParameter(to, gradient) {
    this.#gradientReferences.delete(gradient);
    if (this.#parameterGradients.has(to.storage)) this.#release(gradient);
    else this.#parameterGradients.set(to.storage, gradient);
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

// engine/estimate/footprint.ts
var Footprint = class {
  spec;
  parameterCount;
  nodes;
  #timeline;
  constructor(spec, config) {
    this.spec = spec;
    const tape = new Tape(spec);
    const logits = forward(tape, config, spec);
    const loss = spec.step === "training" ? tape.crossEntropy(logits) : tape.mean(logits);
    this.#timeline = playStep(tape, spec, loss, [logits.storage]);
    this.nodes = tape.nodes;
    this.parameterCount = this.#timeline.parameterCount;
  }
  /**
   * Peak of a steady-state step (optimizer state allocated), as torch.cuda.max_memory_allocated counts it.
   * `workspaceBytes`: what cuBLAS holds for itself, allocated by the first matrix product and kept.
   */
  peak(batch, workspaceBytes) {
    const { model, optimizerState: optimizerState2, step: step2 } = this.#timeline;
    const live = emptyBreakdown();
    for (const storage of [...model, ...optimizerState2]) live[storage.kind] += bytesAt(storage, batch);
    live.workspace = workspaceBytes;
    let bytes3 = byteKinds.reduce((sum, kind) => sum + live[kind], 0);
    let peakBytes = bytes3;
    let breakdown2 = { ...live };
    let moment = "between steps";
    for (const event of step2) {
      const change2 = event.kind === "allocate" ? bytesAt(event.storage, batch) : -bytesAt(event.storage, batch);
      bytes3 += change2;
      live[event.storage.kind] += change2;
      if (bytes3 > peakBytes) {
        peakBytes = bytes3;
        breakdown2 = { ...live };
        moment = event.moment;
      }
    }
    return { bytes: peakBytes, breakdown: breakdown2, moment };
  }
  /** Whether two steps fit into `usableBytes`, with the caching allocator's segments and their fragmentation. */
  fit(batch, usableBytes2, workspaceBytes) {
    const { model, optimizerState: optimizerState2, step: step2 } = this.#timeline;
    const allocator = new CachingAllocator(usableBytes2);
    const residents = [...model.map((storage) => bytesAt(storage, batch)), workspaceBytes];
    if (residents.some((bytes3) => allocator.allocate(bytes3) === void 0)) {
      return { kind: "out-of-memory", moment: "loading the model" };
    }
    for (const stepIndex of [0, 1]) {
      const failure = replay(step2, batch, allocator);
      if (failure !== void 0) return { kind: "out-of-memory", moment: failure };
      if (stepIndex === 0 && optimizerState2.some((storage) => allocator.allocate(bytesAt(storage, batch)) === void 0)) {
        return { kind: "out-of-memory", moment: "the first optimizer step" };
      }
    }
    return { kind: "fits", reservedBytes: allocator.peakReservedBytes };
  }
};
function replay(step2, batch, allocator) {
  const blocks = /* @__PURE__ */ new Map();
  for (const { kind, storage, moment } of step2) {
    if (kind === "allocate") {
      const block3 = allocator.allocate(bytesAt(storage, batch));
      if (block3 === void 0) return moment;
      blocks.set(storage, block3);
    } else {
      const block3 = blocks.get(storage);
      if (block3 !== void 0) allocator.release(block3);
    }
  }
  return void 0;
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

// engine/gpus/catalogue.ts
var CONTEXT_BYTES = 300 * MIB;
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
var gpus = rows.map((row) => ({
  ...row,
  contextBytes: CONTEXT_BYTES,
  cublasWorkspaceBytes: cublasWorkspaceBytes(row.computeCapability)
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

// engine/metrics/recommend.ts
var THROUGHPUT_TOLERANCE = 0.02;
var DEFAULT_MARGIN = 0.05;
var KEEPING_WORTH = 0.9;
function recommend(situation) {
  const { current, samplesPerSecond } = situation;
  const fastest = smallestNearBest(situation);
  if (current.gradientAccumulation === 1 && fastest > current.microBatch) {
    return { microBatch: fastest, gradientAccumulation: 1 };
  }
  const perGpu = current.microBatch * current.gradientAccumulation;
  const changed = { microBatch: fastest, gradientAccumulation: Math.max(1, Math.round(perGpu / fastest)) };
  const kept = keepingEffectiveBatch(situation, perGpu);
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
function keepingEffectiveBatch(situation, perGpu) {
  const plans = divisors(perGpu).filter((divisor) => divisor <= situation.largestWithMargin).map((microBatch) => ({ microBatch, gradientAccumulation: perGpu / microBatch }));
  const rates = plans.map((plan) => situation.samplesPerSecond(plan));
  const enough = Math.max(...rates) * (1 - THROUGHPUT_TOLERANCE);
  return plans[rates.findIndex((rate) => rate >= enough)] ?? { microBatch: 1, gradientAccumulation: perGpu };
}
function divisors(n) {
  const small = [];
  for (let candidate = 1; candidate * candidate <= n; candidate++) if (n % candidate === 0) small.push(candidate);
  const large = small.map((divisor) => n / divisor).filter((divisor) => divisor * divisor !== n);
  return [...small, ...large.toReversed()];
}

// engine/estimate/throughput.ts
var ARITHMETIC_EFFICIENCY = 0.7;
var BANDWIDTH_EFFICIENCY = 0.8;
var FORWARD_LAUNCH_SECONDS = 4e-5;
var BACKWARD_LAUNCH_SECONDS = 1e-5;
var TILE_ELEMENTS = 128 * 64;
var optimizerPasses = {
  adamw: 18,
  "adamw-loop": 18,
  "adamw-fused": 7,
  sgd: 3,
  "sgd-momentum": 7
};
var ThroughputModel = class {
  #kernels;
  #bytesPerSecond;
  #optimizerSeconds;
  constructor({ spec, nodes, parameterCount }, gpu) {
    this.#bytesPerSecond = gpu.memoryBandwidthBytesPerSecond * BANDWIDTH_EFFICIENCY;
    this.#kernels = kernelsOf(nodes, gpu, spec.step === "training" && spec.gradientCheckpointing);
    const weightBytes = parameterCount * (spec.precision === "bf16" ? 2 : 4);
    const passes = spec.step === "training" ? optimizerPasses[spec.optimizer] : 0;
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
function kernelsOf(nodes, gpu, checkpoints) {
  return nodes.flatMap((node) => {
    if (node.body !== void 0) {
      const recomputed = checkpoints ? node.body.map((inner) => kernel(inner, gpu, FORWARD_LAUNCH_SECONDS)) : [];
      return [...kernelsOf(node.body, gpu, false), ...recomputed];
    }
    if (node.outputs.length === 0) return [];
    const made2 = node.gradients.filter((edge) => !edge.passes).length;
    const backwardKernels = Math.min(made2, node.flopsPerSample > 0 ? 2 : 1);
    const backward = kernel(node, gpu, BACKWARD_LAUNCH_SECONDS);
    return [kernel(node, gpu, FORWARD_LAUNCH_SECONDS), ...Array.from({ length: backwardKernels }, () => backward)];
  });
}
function kernel(node, gpu, launchSeconds) {
  const storages = [...node.reads, ...node.creates];
  const flopsPerSecond = peakFlops(gpu, node.computeDtype) * ARITHMETIC_EFFICIENCY;
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
function peakFlops(gpu, dtype) {
  if (dtype === "bfloat16") return gpu.peakFlops.bf16 ?? gpu.peakFlops.fp32;
  return bytesPerElement[dtype] === 2 ? gpu.peakFlops.fp16 : gpu.peakFlops.fp32;
}

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

// engine/probes/estimate.ts
var CUBLAS_HANDLES = 2;
var EstimateProbe = class {
  usableBytes;
  #workspaceBytes;
  #footprint;
  #throughput;
  /** One footprint serves any number of GPUs. */
  constructor(footprint, gpu) {
    this.usableBytes = usableBytes(gpu);
    this.#workspaceBytes = gpu.cublasWorkspaceBytes * CUBLAS_HANDLES;
    this.#footprint = footprint;
    this.#throughput = new ThroughputModel(footprint, gpu);
  }
  peak(batch) {
    return this.#footprint.peak(batch, this.#workspaceBytes);
  }
  samplesPerSecond(batch, accumulation) {
    return this.#throughput.samplesPerSecond(batch, accumulation);
  }
  trial(batch) {
    const fit = this.#footprint.fit(batch, this.usableBytes, this.#workspaceBytes);
    const { bytes: peakBytes } = this.peak(batch);
    return {
      microBatch: batch,
      provenance: "estimated",
      outcome: fit.kind === "fits" ? { kind: "fits", peakBytes, reservedBytes: fit.reservedBytes } : { kind: "out-of-memory", neededBytes: peakBytes }
    };
  }
  fits(batch, margin = 0) {
    const limit = this.usableBytes * (1 - margin);
    return this.peak(batch).bytes <= limit && this.#footprint.fit(batch, limit, this.#workspaceBytes).kind === "fits";
  }
  /** The largest batch on the grid that leaves `margin` (a share of usable memory) free; undefined when none does. */
  largest(grid, margin = 0) {
    const predicted = grid.indexOf(this.#predictedBoundary(this.usableBytes * (1 - margin)));
    return findLargest(grid, predicted, (batch) => this.fits(batch, margin));
  }
  /** Peaks are piecewise affine in the batch: two secant steps land on the boundary's own piece. */
  #predictedBoundary(limitBytes) {
    let [low, high] = [8, 64];
    for (let step2 = 0; step2 < 2; step2++) {
      const [lowBytes, highBytes] = [this.peak(low).bytes, this.peak(high).bytes];
      const bytesPerSample = Math.max(1, (highBytes - lowBytes) / (high - low));
      const crossing = Math.max(1, low + (limitBytes - lowBytes) / bytesPerSample);
      [low, high] = [crossing, crossing * 1.1 + 1];
    }
    return low;
  }
};

// engine/report/lever.ts
var WORTHWHILE_SHARE = 0.05;
function bestLever(spec, config, gpu, peakBytes) {
  const levers = changesOf(spec, config, gpu).map(({ change: change2, spec: changed }) => ({
    change: change2,
    peakBytes: new EstimateProbe(new Footprint(changed, config), gpu).peak(spec.microBatch).bytes
  }));
  const best = levers.toSorted((a, b) => a.peakBytes - b.peakBytes)[0];
  return best && best.peakBytes < peakBytes * (1 - WORTHWHILE_SHARE) ? best : void 0;
}
function changesOf(spec, config, gpu) {
  if (spec.step !== "training") return [];
  const isText = spec.task !== "image-classification";
  return [
    ...!spec.gradientCheckpointing && supportsCheckpointing(config) ? [{ change: "gradient-checkpointing", spec: { ...spec, gradientCheckpointing: true } }] : [],
    ...spec.precision === "fp32" && gpu.peakFlops.bf16 !== void 0 ? [{ change: "bf16-autocast", spec: { ...spec, precision: "amp-bf16" } }] : [],
    ...isText && spec.attention === "eager" ? [{ change: "sdpa-attention", spec: { ...spec, attention: "sdpa" } }] : [],
    ...spec.optimizer === "adamw" || spec.optimizer === "adamw-loop" ? [{ change: "fused-optimizer", spec: { ...spec, optimizer: "adamw-fused" } }] : []
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

// engine/verdict/judge.ts
var WORTHWHILE_SPEEDUP = 1.05;
function judge(figures, policy2) {
  if (!figures.fits) return { state: "blocked", reasons: [{ kind: "does-not-fit" }] };
  const blocking = policy2.failOn.flatMap((condition2) => broken(condition2, figures));
  if (blocking.length > 0) return { state: "blocked", reasons: blocking };
  const remarkable = policy2.warnOn.flatMap((condition2) => broken(condition2, figures));
  return { state: remarkable.length > 0 ? "warning" : "fine", reasons: remarkable };
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
var ESTIMATE_BAND_PERCENT = 3;
var WORTHWHILE_COST_SHARE = 0.9;
function assess(spec, config, options) {
  const { gpu, policy: policy2, hoursPerRun, runsPerYear } = options;
  const footprint = new Footprint(spec, config);
  const probe = new EstimateProbe(footprint, gpu);
  const grid = new Grid();
  const now = { microBatch: spec.microBatch, gradientAccumulation: spec.gradientAccumulation };
  const costNow = hoursPerRun * gpu.pricePerHourUsd * spec.gpus;
  const rate = (plan) => probe.samplesPerSecond(plan.microBatch, plan.gradientAccumulation);
  const point = (plan) => ({
    ...plan,
    effectiveBatch: effectiveBatch({ ...spec, ...plan }),
    fits: probe.fits(plan.microBatch),
    peakBytes: probe.peak(plan.microBatch).bytes,
    samplesPerSecond: rate(plan),
    costPerRunUsd: costNow * rate(now) / rate(plan)
  });
  const largest = probe.largest(grid);
  const largestWithMargin = probe.largest(grid, DEFAULT_MARGIN);
  const current = point(now);
  const recommended = largestWithMargin === void 0 ? void 0 : point(recommend({ current: now, grid, largestWithMargin, samplesPerSecond: rate }));
  const { breakdown: breakdown2, moment } = probe.peak(spec.microBatch);
  const speedup = current.fits && recommended ? recommended.samplesPerSecond / current.samplesPerSecond : 1;
  const savingsPerRunUsd = costNow * (1 - 1 / speedup);
  const savingsPerYearUsd = savingsPerRunUsd * runsPerYear;
  const lever = bestLever(spec, config, gpu, current.peakBytes);
  const rightSizing = cheaperGpu(footprint, options, recommended ?? current);
  return {
    spec,
    gpu: reported(gpu),
    provenance: "estimated",
    errorBandPercent: ESTIMATE_BAND_PERCENT,
    throughputProvenance: "modelled",
    current,
    ...recommended && { recommended },
    ...largest && { largest: point({ microBatch: largest, gradientAccumulation: 1 }) },
    breakdown: breakdown2,
    peakMoment: moment,
    speedup,
    savingsPerRunUsd,
    savingsPerYearUsd,
    ...lever && { lever },
    ...rightSizing && { rightSizing },
    trials: trialsOf(probe, grid, [spec.microBatch, recommended?.microBatch, largest], largest),
    hoursPerRun,
    runsPerYear,
    verdict: judge(
      { fits: current.fits, usableBytes: probe.usableBytes, peakBytes: current.peakBytes, speedup, savingsPerYearUsd },
      policy2
    )
  };
}
function trialsOf(probe, grid, named2, largest) {
  const tooLarge2 = largest === void 0 ? 1 : grid.at(grid.indexOf(largest) + 1);
  const powers = Array.from({ length: 20 }, (_, exponent) => 2 ** exponent).filter((power) => power < tooLarge2);
  const sizes = /* @__PURE__ */ new Set([...named2.filter((size2) => size2 !== void 0), ...powers, tooLarge2]);
  return [...sizes].toSorted((a, b) => a - b).map((size2) => probe.trial(size2));
}
function cheaperGpu(footprint, { gpu, hoursPerRun }, best) {
  const { spec } = footprint;
  const here = new EstimateProbe(footprint, gpu).samplesPerSecond(spec.microBatch, spec.gradientAccumulation);
  const offers = gpus.filter((other) => other.pricePerHourUsd < gpu.pricePerHourUsd && runs(other, spec)).map((other) => ({ other, probe: new EstimateProbe(footprint, other) })).filter(({ probe }) => probe.fits(spec.microBatch, DEFAULT_MARGIN)).map(({ other, probe }) => {
    const slowdown = here / probe.samplesPerSecond(spec.microBatch, spec.gradientAccumulation);
    return { gpu: reported(other), costPerRunUsd: hoursPerRun * slowdown * other.pricePerHourUsd * spec.gpus };
  }).filter((offer) => offer.costPerRunUsd <= best.costPerRunUsd * WORTHWHILE_COST_SHARE);
  return offers.toSorted((a, b) => a.costPerRunUsd - b.costPerRunUsd)[0];
}
function runs(gpu, spec) {
  return gpu.peakFlops.bf16 !== void 0 || !spec.precision.endsWith("bf16");
}
function reported(gpu) {
  const { id, name, totalBytes, pricePerHourUsd, priceSource, priceDate } = gpu;
  return { id, name, totalBytes, usableBytes: usableBytes(gpu), pricePerHourUsd, priceSource, priceDate };
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
function oneOf(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

// engine/config/fields.ts
var MAX_PROBLEMS = 50;
var FieldReader = class {
  problems = [];
  assumptions = [];
  #path;
  constructor(path2) {
    this.#path = path2;
  }
  assume(sentence) {
    this.assumptions.push(sentence);
  }
  /** Without a field the problem is the whole file's. */
  refuse(field, code, message, fix) {
    const where = field && { ...field.at, field: field.name };
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ code, message, fix, file: this.#path, ...where });
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
    this.refuse(
      field,
      "not-in-file",
      `The value cannot be known from the file: it holds ${quote(field.source)}`,
      "Write the value into the config if it should be checked."
    );
    return true;
  }
};
function suggest(given, known) {
  const meant = closest(given, known);
  const use = `Use ${oneOf(known)}.`;
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
function count(number) {
  return number.toLocaleString("en-US");
}

// engine/models/catalogue.ts
var bertLarge = { hidden_size: 1024, num_hidden_layers: 24, num_attention_heads: 16, intermediate_size: 4096 };
var robertaSizes = { max_position_embeddings: 514, type_vocab_size: 1 };
var basicBlocks = { layer_type: "basic", hidden_sizes: [64, 128, 256, 512] };
var rows2 = {
  "google-bert/bert-base-uncased": { model_type: "bert" },
  "google-bert/bert-base-cased": { model_type: "bert", vocab_size: 28996 },
  "google-bert/bert-base-multilingual-cased": { model_type: "bert", vocab_size: 119547 },
  "google-bert/bert-base-multilingual-uncased": { model_type: "bert", vocab_size: 105879 },
  "google-bert/bert-base-chinese": { model_type: "bert", vocab_size: 21128 },
  "google-bert/bert-large-uncased": { model_type: "bert", ...bertLarge },
  "google-bert/bert-large-cased": { model_type: "bert", ...bertLarge, vocab_size: 28996 },
  "google-bert/bert-large-uncased-whole-word-masking": { model_type: "bert", ...bertLarge },
  "FacebookAI/roberta-base": { model_type: "roberta", ...robertaSizes },
  "FacebookAI/roberta-large": { model_type: "roberta", ...robertaSizes, ...bertLarge },
  "distilbert/distilroberta-base": { model_type: "roberta", ...robertaSizes, num_hidden_layers: 6 },
  "distilbert/distilbert-base-uncased": { model_type: "distilbert" },
  "distilbert/distilbert-base-cased": { model_type: "distilbert", vocab_size: 28996 },
  "distilbert/distilbert-base-multilingual-cased": { model_type: "distilbert", vocab_size: 119547 },
  "openai-community/gpt2": { model_type: "gpt2" },
  "openai-community/gpt2-medium": { model_type: "gpt2", n_embd: 1024, n_layer: 24, n_head: 16 },
  "openai-community/gpt2-large": { model_type: "gpt2", n_embd: 1280, n_layer: 36, n_head: 20 },
  "openai-community/gpt2-xl": { model_type: "gpt2", n_embd: 1600, n_layer: 48, n_head: 25 },
  "distilbert/distilgpt2": { model_type: "gpt2", n_layer: 6 },
  "microsoft/resnet-18": { model_type: "resnet", ...basicBlocks, depths: [2, 2, 2, 2] },
  "microsoft/resnet-34": { model_type: "resnet", ...basicBlocks, depths: [3, 4, 6, 3] },
  "microsoft/resnet-50": { model_type: "resnet" },
  "microsoft/resnet-101": { model_type: "resnet", depths: [3, 4, 23, 3] },
  "microsoft/resnet-152": { model_type: "resnet", depths: [3, 8, 36, 3] }
};
var aliases = {
  bert: "google-bert/bert-base-uncased",
  gpt2: "openai-community/gpt2",
  resnet: "microsoft/resnet-50"
};
var models = new Map(
  Object.entries(rows2).map(([id, row]) => [id.toLowerCase(), catalogueModel(id, row)])
);
var bareNames = new Map(
  [...models.values()].map((model) => [model.id.slice(model.id.indexOf("/") + 1).toLowerCase(), model])
);
var modelIds = Object.keys(rows2);
var modelNames = [...modelIds, ...bareNames.keys(), ...Object.keys(aliases)];
function findModel(name) {
  const key2 = name.toLowerCase();
  return models.get(aliases[key2] ?? key2) ?? bareNames.get(key2);
}
function catalogueModel(id, row) {
  const config = modelConfig.parse(row);
  const tasks2 = tasksOf(config);
  const maxPositions = maxPositionsOf(config);
  return {
    id,
    family: config.model_type,
    config,
    tasks: tasks2,
    defaultTask: tasks2[0],
    ...maxPositions === void 0 ? {} : { maxPositions }
  };
}

// engine/config/model-fields.ts
var MAX_SEQUENCE = 1e7;
var MAX_IMAGE_SIDE = 1e5;
var MAX_LABELS = 1e6;
var DEFAULT_SEQUENCE = 512;
var DEFAULT_IMAGE_SIZE = 224;
var IMAGENET_LABELS = 1e3;
function readModel(reader, field, expectedKey) {
  if (field === void 0 || field.value.kind === "empty") {
    return reader.refuse(
      field,
      "model-not-in-file",
      "The model cannot be known from the file",
      `Set ${expectedKey} in the config if it should be checked.`
    );
  }
  const id = reader.text(field);
  if (id === void 0) return void 0;
  const model = findModel(id);
  if (model !== void 0) return model;
  const meant = closest(id, modelNames);
  const fix = meant === void 0 ? `Known models are ${oneOf(modelIds)}.` : `Did you mean ${meant}?`;
  return reader.refuse(field, "unknown-model", `The model ${quote(id)} is not known`, fix);
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
  const tokens = reader.wholeNumber(fields.sequenceLength, { max: MAX_SEQUENCE });
  const pixels = reader.wholeNumber(fields.imageSize, { max: MAX_IMAGE_SIDE });
  if (model === void 0) return {};
  if (readsImages(model)) {
    if (fields.imageSize === void 0) {
      reader.assume(`Images of ${DEFAULT_IMAGE_SIZE}×${DEFAULT_IMAGE_SIZE} pixels: the config names no image size.`);
    }
    return { imageSize: pixels ?? DEFAULT_IMAGE_SIZE };
  }
  const limit = model.maxPositions ?? MAX_SEQUENCE;
  if (fields.sequenceLength === void 0) return { sequenceLength: assumedLength(reader, limit, fields.length) };
  if (tokens !== void 0 && tokens > limit) {
    reader.refuse(
      fields.sequenceLength,
      "sequence-too-long",
      `${tokens} tokens are more than the ${limit} positions of ${quote(model.id)}`,
      `Write a length up to ${limit}, or use a model with more positions.`
    );
  }
  return { sequenceLength: tokens ?? limit };
}
function assumedLength(reader, limit, preferred = DEFAULT_SEQUENCE) {
  const length = Math.min(preferred, limit);
  reader.assume(`Sequences of ${length} tokens: the config sets no maximum length.`);
  return length;
}
function readLabels(reader, field, task, known) {
  const labels = reader.wholeNumber(field, { max: MAX_LABELS }) ?? known;
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
    case void 0:
      return 2;
  }
}
function readsImages(model) {
  return model.defaultTask === "image-classification";
}

// engine/config/written-keys.ts
function writesAny(keys2) {
  const pattern = new RegExp(`(?:^|[\\s{,"'])(?:${keys2.join("|")})["']?[ \\t]*:`, "m");
  return (text) => pattern.test(text);
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
var foreignSection = /(^|\.)(eval|evaluation|test|inference|generation|predict|serve|deepspeed|ds_config|fsdp)\w*(\.|$)/i;
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

// engine/config/dialects/huggingface/optimizer.ts
var supported = /* @__PURE__ */ new Map([
  // torch.optim.AdamW takes its foreach path on CUDA.
  ["adamw_torch", "adamw"],
  ["adamw_torch_fused", "adamw-fused"],
  ["adamw_apex_fused", "adamw-fused"],
  // transformers' own AdamW, gone in version 5, loops over the parameters.
  ["adamw_hf", "adamw-loop"],
  // The Trainer hands torch.optim.SGD no momentum.
  ["sgd", "sgd"]
]);
var unsupported = /* @__PURE__ */ new Set([
  ...["adafactor", "adagrad", "rmsprop", "rmsprop_bnb", "rmsprop_bnb_8bit", "rmsprop_bnb_32bit"],
  ...["adamw_8bit", "adamw_bnb_8bit", "adamw_torch_4bit", "adamw_torch_8bit", "adamw_anyprecision"],
  ...["adamw_torch_xla", "adamw_torch_npu_fused"],
  ...["paged_adamw", "paged_adamw_32bit", "paged_adamw_8bit", "ademamix", "ademamix_8bit"],
  ...["paged_ademamix_32bit", "paged_ademamix_8bit", "lion", "lion_8bit", "lion_32bit"],
  ...["paged_lion", "paged_lion_32bit", "paged_lion_8bit", "galore_adamw", "galore_adamw_8bit"],
  ...["galore_adafactor", "galore_adamw_layerwise", "galore_adamw_8bit_layerwise", "galore_adafactor_layerwise"],
  ...["lomo", "adalomo", "grokadamw", "schedule_free_radam", "schedule_free_adamw", "schedule_free_sgd"],
  ...["apollo_adamw", "apollo_adamw_layerwise", "stable_adamw"]
]);
var DEFAULT = "adamw-fused";
function readOptimizer(reader, field) {
  if (field === void 0) {
    reader.assume("Fused AdamW, the Trainer's default from PyTorch 2.8 on: the config sets no optim.");
    return DEFAULT;
  }
  const name = reader.text(field);
  if (name === void 0) return DEFAULT;
  const optimizer = supported.get(name);
  if (optimizer === void 0) refuse(reader, field, name);
  return optimizer ?? DEFAULT;
}
function refuse(reader, field, name) {
  const use = `Supported are ${oneOf([...supported.keys()])}.`;
  if (unsupported.has(name)) {
    reader.refuse(field, "unsupported-optimizer", `The optimizer ${quote(name)} is not supported yet`, use);
    return;
  }
  const meant = closest(name, [...supported.keys(), ...unsupported]);
  const fix = meant === void 0 ? use : `Did you mean ${meant}? ${use}`;
  reader.refuse(field, "unknown-optimizer", `The optimizer ${quote(name)} is not known`, fix);
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
function readPrecision(reader, fields) {
  const fp16 = reader.flag(fields.fp16) ?? false;
  const bf16 = reader.flag(fields.bf16) ?? false;
  const weights = readWeightType(reader, fields.weights);
  if (fp16 && bf16) {
    reader.refuse(fields.bf16, "precision-conflict", "Both fp16 and bf16 are on", "Keep one of the two.");
  }
  switch (weights) {
    case "float16":
      reader.refuse(fields.weights, "unsupported-precision", "Training fp16 weights is not supported", useAutocast);
      return "fp32";
    case "bfloat16":
      if (fp16) {
        reader.refuse(fields.fp16, "precision-conflict", "fp16 cannot train weights loaded as bfloat16", useBf16);
      }
      return "bf16";
    case "float32":
      if (!fp16 && !bf16) return "fp32";
      return fp16 ? "amp-fp16" : "amp-bf16";
  }
}
var useAutocast = "Load the weights as float32 with fp16: true, or as bfloat16.";
var useBf16 = "Set bf16: true instead, or load the weights as float32.";
function readWeightType(reader, field) {
  if (field?.value.kind === "text" && field.value.text === "auto") {
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
  ["clm", "causal-lm"]
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
  const named2 = readNamedTask(reader, find("task")) ?? readGlueTask(find("task_name"));
  if (model === void 0) return named2;
  if (named2 !== void 0) {
    checkTask(reader, find("task") ?? find("task_name"), named2.task, model);
    return named2;
  }
  const inferred = inferTask(find);
  if (inferred !== void 0 && model.tasks.includes(inferred)) return { task: inferred };
  if (find("task") === void 0) reader.assume(`The task is ${model.defaultTask}: the config names none.`);
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

// engine/config/dialects/huggingface/unsupported.ts
var unsupported2 = [
  { keys: ["load_in_4bit", "load_in_8bit"], what: "Quantized weights are", off: [] },
  { keys: ["use_peft", "use_lora", "use_qlora"], what: "Adapters are", off: [] },
  { keys: ["finetuning_type", "adapter"], what: "Adapters are", off: ["full", "none"] },
  { keys: ["adafactor"], what: "Adafactor is", off: [] },
  { keys: ["deepspeed"], what: "DeepSpeed is", off: [""] },
  { keys: ["fsdp"], what: "FSDP is", off: [""] }
];
function refuseUnsupported(reader, find) {
  for (const { keys: keys2, what, off } of unsupported2) {
    for (const field of keys2.map((key2) => find(key2))) {
      if (field === void 0 || isOff(field, off)) continue;
      reader.refuse(
        field,
        "unsupported-setting",
        `${what} not supported yet`,
        "Leave this config out of the check for now."
      );
    }
  }
}
function isOff({ value }, off) {
  switch (value.kind) {
    case "flag":
      return !value.flag;
    case "text":
      return off.includes(value.text.toLowerCase());
    case "empty":
      return true;
    case "number":
    case "list":
    case "mapping":
      return false;
  }
}

// engine/config/dialects/huggingface.ts
var DEFAULT_BATCH = 8;
var DEFAULT_BLOCK = 1024;
var sequenceKeys = ["max_seq_length", "max_length", "model_max_length", "block_size", "max_source_length"];
var gpuKeys = ["n_gpus", "n_gpu", "num_gpus", "num_processes", "nproc_per_node"];
var writesBatchSize = writesAny(batchSizeKeys);
var writesModel = writesAny(modelKeys);
var writesTrainerKey = writesAny([legacyBatchSizeKey, ...trainerKeys]);
var huggingface = {
  name: "Hugging Face Trainer",
  mayBe: (text) => writesBatchSize(text) || writesModel(text) && writesTrainerKey(text),
  detects: (document) => {
    const { find, batchSize: batchSize2 } = argumentsOf(document);
    if (batchSize2 !== void 0 && batchSizeKeys.includes(batchSize2.key)) return true;
    if (batchSize2 !== void 0) return find(...modelKeys) !== void 0;
    return find("model_name_or_path") !== void 0 && trainerKeys.filter((key2) => find(key2) !== void 0).length >= 2;
  },
  read
};
function read(document, path2) {
  const reader = new FieldReader(path2);
  const trainerArguments = argumentsOf(document);
  const { find, batchSize: batchSize2 } = trainerArguments;
  const accumulation = find("gradient_accumulation_steps");
  const microBatch = readMicroBatch(reader, trainerArguments);
  const gradientAccumulation = reader.wholeNumber(accumulation, { max: MAX_BATCH }) ?? 1;
  const model = readModel(reader, find(...modelKeys), "model_name_or_path");
  const choice = readTask(reader, find, model);
  const size2 = readInputSize(reader, model, {
    sequenceLength: find(...sequenceKeys),
    imageSize: find("image_size"),
    ...choice?.task === "causal-lm" && { length: DEFAULT_BLOCK }
  });
  const settings = readSettings(reader, trainerArguments, choice);
  refuseUnsupported(reader, find);
  if (model === void 0 || choice === void 0 || microBatch === void 0 || reader.problems.length > 0) {
    return { kind: "unreadable", problems: reader.problems };
  }
  return {
    kind: "training-config",
    dialect: huggingface.name,
    spec: {
      model: model.id,
      task: choice.task,
      framework: "pytorch",
      step: "training",
      microBatch,
      gradientAccumulation,
      ...size2,
      ...settings,
      // The example scripts pad classification batches to the longest; language models get equal blocks.
      paddedBatches: choice.task === "sequence-classification",
      loop: "trainer"
    },
    ...batchSize2 && { batchSizeAt: batchSize2.at },
    ...accumulation && { gradientAccumulationAt: accumulation.at },
    assumptions: reader.assumptions
  };
}
function readMicroBatch(reader, { batchSize: batchSize2, batchSizes }) {
  if (batchSize2 === void 0) {
    reader.assume(`A batch size of ${DEFAULT_BATCH}, the Trainer's default: the config sets none.`);
    return DEFAULT_BATCH;
  }
  if (batchSizes.length > 1) {
    reader.assume(`The batch size is that of line ${batchSize2.at.line}, the first of ${batchSizes.length} in the file.`);
  }
  return reader.wholeNumber(batchSize2, { max: MAX_BATCH });
}
function readSettings(reader, { find }, choice) {
  const gpus2 = find(...gpuKeys);
  if (gpus2 === void 0) reader.assume("One GPU: the config does not say how many processes run.");
  return {
    gpus: reader.wholeNumber(gpus2, { max: 1e5 }) ?? 1,
    labels: readLabels(reader, find("num_labels"), choice?.task, choice?.labels),
    precision: readPrecision(reader, {
      fp16: find("fp16"),
      bf16: find("bf16"),
      weights: find("torch_dtype", "dtype")
    }),
    optimizer: readOptimizer(reader, find("optim")),
    attention: readAttention(reader, { find }),
    gradientCheckpointing: reader.flag(find("gradient_checkpointing", "use_gradient_checkpointing")) ?? false
  };
}
var implementations = /* @__PURE__ */ new Map([
  ["eager", "eager"],
  ["sdpa", "sdpa"],
  ["flash_attention_2", "sdpa"]
]);
function readAttention(reader, { find }) {
  const field = find("attn_implementation");
  const attention = reader.choice(field, implementations) ?? "sdpa";
  if (field?.value.kind === "text" && field.value.text === "flash_attention_2") {
    reader.assume("flash_attention_2 is taken as sdpa: the flash kernel and the fused one hold the same bytes.");
  }
  return attention;
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
  "padded_batches"
];
var memorymark = {
  name: "MemoryMark",
  mayBe: writesAny([ROOT]),
  detects: (document) => {
    const section = sectionOf(document);
    return section !== void 0 && (section.fields.has("model") || section.fields.has("batch_size"));
  },
  read: (document, path2) => {
    const section = sectionOf(document);
    return section === void 0 ? { kind: "not-a-training-config", why: `It has no ${ROOT} mapping.` } : read2(section, path2);
  }
};
function sectionOf(document) {
  const value = document.field(ROOT)?.value;
  return value?.kind === "mapping" ? value.section : void 0;
}
function read2(section, path2) {
  const reader = new FieldReader(path2);
  const field = (key2) => section.field(key2);
  const model = readModel(reader, field("model"), `${ROOT}.model`);
  const task = readTask2(reader, section, model);
  const size2 = readInputSize(reader, model, {
    sequenceLength: field("sequence_length"),
    imageSize: field("image_size")
  });
  const batchSize2 = field("batch_size");
  const accumulation = field("gradient_accumulation");
  const microBatch = batchSize2 === void 0 ? reader.refuse(void 0, "batch-size-missing", "The config sets no batch size", `Set ${ROOT}.batch_size.`) : reader.wholeNumber(batchSize2, { max: MAX_BATCH });
  const settings = {
    gradientAccumulation: reader.wholeNumber(accumulation, { max: MAX_BATCH }) ?? 1,
    gpus: reader.wholeNumber(field("gpus"), { max: 1e5 }) ?? 1,
    labels: readLabels(reader, field("labels"), task),
    precision: reader.choice(field("precision"), named(precisions)) ?? "fp32",
    optimizer: reader.choice(field("optimizer"), named(optimizers)) ?? "adamw",
    attention: reader.choice(field("attention"), named(attentions)) ?? "sdpa",
    gradientCheckpointing: reader.flag(field("gradient_checkpointing")) ?? false,
    step: reader.choice(field("step"), named(stepProfiles)) ?? "training",
    loop: reader.choice(field("loop"), named(loops)) ?? "plain",
    paddedBatches: reader.flag(field("padded_batches")) ?? false
  };
  refuseUnknownKeys(reader, section);
  if (model === void 0 || task === void 0 || microBatch === void 0 || reader.problems.length > 0) {
    return { kind: "unreadable", problems: reader.problems };
  }
  return {
    kind: "training-config",
    dialect: memorymark.name,
    spec: { model: model.id, task, framework: "pytorch", microBatch, ...settings, ...size2 },
    ...batchSize2 && { batchSizeAt: batchSize2.at },
    ...accumulation && { gradientAccumulationAt: accumulation.at },
    assumptions: reader.assumptions
  };
}
function readTask2(reader, section, model) {
  const field = section.field("task");
  const task = reader.choice(field, named(tasks));
  if (model === void 0) return void 0;
  if (task !== void 0) return checkTask(reader, field, task, model);
  if (field === void 0) reader.assume(`The task is ${model.defaultTask}: the config names none.`);
  return model.defaultTask;
}
function refuseUnknownKeys(reader, section) {
  const known = new Set(keys);
  for (const field of section.fields.values()) {
    if (!known.has(field.key)) {
      reader.refuse(field, "unknown-key", `The key ${quote(field.key)} is not known`, suggest(field.key, keys));
    }
  }
}
function named(words) {
  return new Map(words.map((word) => [word, word]));
}

// engine/config/dialect.ts
var dialects = [memorymark, huggingface];

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
    const next = end === offset ? void 0 : step(expected, text.slice(offset, Math.min(end, offset + 1)), open);
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
    const { text, lines } = this.#origin;
    const name = this.name === "" ? plain(key2) : `${this.name}.${plain(key2)}`;
    const value = this.#value(pair.value, name);
    const [start, end] = rangeOf(value.kind === "empty" ? pair.key : pair.value);
    const { line, col } = lines.linePos(start);
    return { key: key2, name, value, at: { line, column: col }, source: plain(text.slice(start, end)) };
  }
  #value(node, name) {
    const target = isAlias(node) ? node.resolve(this.#origin.document) : node;
    if (isMap(target)) return { kind: "mapping", section: new _Section(this.#origin, target, name) };
    if (isSeq(target)) return { kind: "list" };
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
  const text = file.text.replace(/^\uFEFF/, "");
  const bytes3 = Buffer.byteLength(text);
  if (bytes3 > MAX_BYTES) return unreadable([{ ...tooLarge(bytes3), file: file.path }]);
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
    return [describe(first, badAliases(error instanceof Error ? plain(error.message) : "The aliases cannot be read"))];
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
function notJson(text, offset) {
  const found = offset < text.length ? `Not valid JSON at ${quote(text.slice(offset, offset + 20))}` : "The JSON ends early";
  return {
    code: "not-json",
    message: found,
    fix: "Correct the JSON there; it allows no comments, no trailing commas and no single quotes."
  };
}
function notYaml(message) {
  return {
    code: "not-yaml",
    message: `Not valid YAML: ${plain(message)}`,
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
function readConfig(file) {
  if (!dialects.some((dialect) => dialect.mayBe(file.text))) return notOurs;
  const parsed = parseFile(file);
  if (parsed.kind === "unreadable") return parsed;
  for (const document of parsed.mappings) {
    const dialect = dialects.find((candidate) => candidate.detects(document));
    if (dialect !== void 0) return dialect.read(document, file.path);
  }
  return notOurs;
}
var notOurs = {
  kind: "not-a-training-config",
  why: `It sets no batch size that is known here: no settings of ${dialects.map(({ name }) => name).join(" or ")} were found in it.`
};
var candidateExtension = /\.(ya?ml|json)$/i;
var foreignFolders = /* @__PURE__ */ new Set(["node_modules", ".git", ".venv", "venv", "__pycache__", "site-packages"]);
var foreignFile = /^(package|composer|tsconfig.*|jsconfig.*|biome|deno|renovate|tokenizer|tokenizer_config|vocab|trainer_state|.*[-.]lock|npm-shrinkwrap|\.eslintrc|\.prettierrc|\.pre-commit-config)\.(ya?ml|json)$/i;
function isCandidatePath(path2) {
  const folders = path2.split("/");
  const name = folders.pop() ?? "";
  return candidateExtension.test(name) && !foreignFile.test(name) && !folders.some((folder) => foreignFolders.has(folder));
}

// engine/report/schema.ts
import { z as z11 } from "zod";

// engine/config/reading.ts
import { z as z8 } from "zod";
var position = z8.object({ line: z8.number().int().positive(), column: z8.number().int().positive() });

// engine/probes/trial.ts
import { z as z9 } from "zod";
var bytes = z9.number().min(0).max(1e18);
var provenance = z9.enum(["measured", "traced", "estimated"]);
var outcome = z9.discriminatedUnion("kind", [
  z9.object({
    kind: z9.literal("fits"),
    peakBytes: bytes,
    /** What the caching allocator held at most, cached blocks included. */
    reservedBytes: bytes,
    stepMillis: z9.number().min(0).optional()
  }),
  /** `neededBytes`: the peak that the step would have had, where the probe can know it. */
  z9.object({ kind: z9.literal("out-of-memory"), neededBytes: bytes.optional() }),
  z9.object({ kind: z9.literal("timed-out"), afterMillis: z9.number().min(0) }),
  z9.object({ kind: z9.literal("failed"), problem })
]);
var trial = z9.object({ microBatch: batchSize, provenance, outcome });

// engine/verdict/policy.ts
import { z as z10 } from "zod";
var percent = z10.number().min(0).max(1e3);
var condition = z10.discriminatedUnion("kind", [
  /** Usable memory idle at the current batch, judged only where a faster batch is to be had. */
  z10.object({ kind: z10.literal("waste"), abovePercent: percent }),
  /** Throughput missed: how much faster the recommended batch is. */
  z10.object({ kind: z10.literal("throughput-loss"), abovePercent: percent }),
  /** Savings of the recommendation over a year. */
  z10.object({ kind: z10.literal("annual-cost"), aboveUsd: z10.number().min(0).max(1e12) })
]);
var policy = z10.object({ failOn: z10.array(condition).max(20), warnOn: z10.array(condition).max(20) });
var reason = z10.discriminatedUnion("kind", [
  z10.object({ kind: z10.literal("does-not-fit") }),
  z10.object({ kind: z10.literal("condition"), condition, actual: z10.number() })
]);
var verdict = z10.object({ state: z10.enum(["fine", "warning", "blocked"]), reasons: z10.array(reason).max(20) });
var defaultPolicy = {
  failOn: [{ kind: "waste", abovePercent: 40 }],
  warnOn: [{ kind: "throughput-loss", abovePercent: 5 }]
};
var grammar = /^(?:(waste|throughput-loss)\s*>\s*(\d+(?:\.\d+)?)\s*%?|(annual-cost)\s*>\s*\$?\s*(\d+(?:\.\d+)?))$/;
function parseConditions(text, setting) {
  const parts = text.split(",").map((part) => part.trim()).filter((part) => part !== "");
  if (parts.length === 0) throw unreadable2(text, setting);
  if (parts.length === 1 && parts[0] === "never") return [];
  return parts.filter((part) => part !== "does-not-fit").map((part) => {
    const match = grammar.exec(part);
    if (match === null) throw unreadable2(part, setting);
    const [, kind, percentText, , usdText] = match;
    return condition.parse(
      kind === void 0 ? { kind: "annual-cost", aboveUsd: Number(usdText) } : { kind, abovePercent: Number(percentText) }
    );
  });
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
var bytes2 = z11.number().min(0).max(1e18);
var usd = z11.number().min(-1e12).max(1e12);
var label = z11.string().max(200);
var path = z11.string().min(1).max(4096);
var throughputProvenance = z11.enum(["measured", "modelled"]);
var breakdown = z11.record(z11.enum(byteKinds), bytes2);
var operatingPoint = z11.object({
  microBatch: batchSize,
  gradientAccumulation: batchSize,
  effectiveBatch: z11.number().int().min(1),
  fits: z11.boolean(),
  peakBytes: bytes2,
  samplesPerSecond: z11.number().positive(),
  costPerRunUsd: usd
});
var reportedGpu = z11.object({
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
var leverChange = z11.enum(["gradient-checkpointing", "bf16-autocast", "sdpa-attention", "fused-optimizer"]);
var analysedConfig = z11.object({
  status: z11.literal("analysed"),
  path,
  dialect: label,
  spec: trainingSpec,
  /** Where the micro-batch is written; absent when the config leaves it to its tool's default. */
  batchSizeAt: position.optional(),
  gradientAccumulationAt: position.optional(),
  gpu: reportedGpu,
  provenance,
  /** Half-width of the band around every memory figure, as measured by `npm run bench:accuracy` or by the trials' spread. */
  errorBandPercent: z11.number().min(0).max(100),
  throughputProvenance,
  current: operatingPoint,
  /** Absent when not even one sample fits. */
  recommended: operatingPoint.optional(),
  largest: operatingPoint.optional(),
  /** Bytes at the peak of the current batch, and the moment of that peak in words. */
  breakdown,
  peakMoment: label,
  /** Recommended against current samples per second. */
  speedup: z11.number().positive(),
  savingsPerRunUsd: usd,
  savingsPerYearUsd: usd,
  /** The one change that frees most at the current batch. */
  lever: z11.object({ change: leverChange, peakBytes: bytes2 }).optional(),
  /** A cheaper GPU on which the current config fits and a run costs less. */
  rightSizing: z11.object({ gpu: reportedGpu, costPerRunUsd: usd }).optional(),
  trials: z11.array(trial).max(1e3),
  hoursPerRun: z11.number().positive().max(1e6),
  runsPerYear: z11.number().positive().max(1e6),
  /** What the config did not say and we took for granted, one sentence each. */
  assumptions: z11.array(z11.string().max(500)).max(30),
  verdict
});
var unanalysedConfig = z11.object({
  status: z11.literal("not-analysed"),
  path,
  problems: z11.array(problem).min(1).max(50)
});
var REPORT_SCHEMA = "memorymark.report/v1";
var report = z11.object({
  schema: z11.literal(REPORT_SCHEMA),
  toolVersion: label,
  createdAt: z11.iso.datetime(),
  policy,
  configs: z11.array(z11.discriminatedUnion("status", [analysedConfig, unanalysedConfig])).max(5e3)
});

// engine/analyze.ts
var DEFAULT_HOURS_PER_RUN = 2;
var DEFAULT_RUNS_PER_YEAR = 100;
async function analyze(files, options) {
  const configs = [];
  for (const file of files) {
    const result = analyzeFile(file, options);
    if (result !== void 0) configs.push(result);
  }
  return {
    schema: REPORT_SCHEMA,
    toolVersion: version,
    createdAt: options.now.toISOString(),
    policy: options.policy ?? defaultPolicy,
    configs
  };
}
function analyzeFile(file, options) {
  const reading = readConfig(file);
  switch (reading.kind) {
    case "not-a-training-config":
      return void 0;
    case "unreadable":
      return { status: "not-analysed", path: file.path, problems: [...reading.problems] };
    case "training-config":
      return analyzeReading(file.path, reading, options);
  }
}
function analyzeReading(path2, reading, options) {
  const { spec, dialect, batchSizeAt, gradientAccumulationAt, assumptions } = reading;
  const model = findModel(spec.model);
  if (model === void 0) throw new Error(`the reader let an unknown model through: ${spec.model}`);
  const assessment = assess(spec, model.config, assessmentOptions(options));
  return {
    status: "analysed",
    path: path2,
    dialect,
    ...batchSizeAt && { batchSizeAt },
    ...gradientAccumulationAt && { gradientAccumulationAt },
    assumptions: [...assumptions],
    ...assessment
  };
}
function assessmentOptions(options) {
  const gpu = options.gpu ?? defaultGpu;
  const { pricePerHourUsd = gpu.pricePerHourUsd } = options;
  const isCustomPrice = pricePerHourUsd !== gpu.pricePerHourUsd;
  return {
    gpu: isCustomPrice ? { ...gpu, pricePerHourUsd, priceSource: "your setting", priceDate: options.now.toISOString().slice(0, 10) } : gpu,
    policy: options.policy ?? defaultPolicy,
    hoursPerRun: options.hoursPerRun ?? DEFAULT_HOURS_PER_RUN,
    runsPerYear: options.runsPerYear ?? DEFAULT_RUNS_PER_YEAR
  };
}

// engine/render/terminal.ts
import { styleText } from "node:util";

// engine/render/figures.ts
function ofUsable(peakBytes, usableBytes2) {
  return `${gibFigure(peakBytes)} of ${formatGib(usableBytes2)}`;
}
function gibFigure(bytes3) {
  return formatGib(bytes3).replace(" GiB", "");
}
function formatShare(config, point) {
  const share = shareOfUsable(config.gpu, point);
  if (!Number.isFinite(share)) return "more than all";
  if (share < 1 && share > 0.99) return "99 %";
  return share > 0 && share < 0.01 ? "under 1 %" : formatPercent(share);
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
  errorBandPercent
}) {
  return errorBandPercent === 0 ? provenance2 : `${provenance2}, ±${errorBandPercent} %`;
}
function bar(fraction, cells) {
  const eighths = Math.round(Math.min(1, Math.max(0, fraction)) * cells * 8);
  const full = Math.floor(eighths / 8);
  const partial = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8] ?? "";
  return ("█".repeat(full) + partial).padEnd(cells, "░");
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
  return `effective batch ${change(from.effectiveBatch, to.effectiveBatch)} (a change to the training: revisit the learning rate and the number of steps)`;
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
  const sentences = config.current.fits ? [change2] : [largestSentence(config), change2, leverSentence(config)];
  return sentences.filter((sentence) => sentence !== void 0);
}
function changeSentence(config, strong = (text) => text) {
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
function partsOf(breakdown2) {
  return Object.keys(partNames).map((kind) => ({ name: partNames[kind], bytes: breakdown2[kind] })).filter(({ bytes: bytes3 }) => bytes3 > 0).sort((a, b) => b.bytes - a.bytes);
}

// engine/render/verdict.ts
var nothingToMeasure = "No training config in this pull request: nothing to measure";
var findings = ["does-not-fit", "waste", "annual-cost", "throughput-loss", "not-analysed", "fine"];
function configState(config) {
  return config.status === "analysed" ? config.verdict.state : "blocked";
}
function verdictState(report2) {
  if (report2.configs.length === 0) return "nothing-to-measure";
  const states = new Set(report2.configs.map(configState));
  if (states.has("blocked")) return "blocked";
  return states.has("warning") ? "warning" : "fine";
}
function findingOf(config) {
  if (config.status === "not-analysed") return "not-analysed";
  if (!config.current.fits) return "does-not-fit";
  if (config.verdict.state === "fine") return "fine";
  const kinds = new Set(config.verdict.reasons.map(reasonKind));
  return findings.find((finding) => kinds.has(finding)) ?? "waste";
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
function reasonKind(reason2) {
  return reason2.kind === "condition" ? reason2.condition.kind : reason2.kind;
}

// engine/render/terminal.ts
var INDENT = "  ";
var LABEL_WIDTH = 12;
function renderTerminal(report2, { color, columns }) {
  const page = {
    paint: (style, text) => color ? styleText(style, text, { validateStream: false }) : text,
    columns: Math.max(40, columns)
  };
  if (report2.configs.length === 0) return "No training config found: nothing to measure.";
  const state = verdictState(report2);
  const closing = wrap(`MemoryMark: ${headline(report2)}.`, "", page.columns);
  return [...report2.configs.map((config) => block2(config, page)), page.paint(stateStyle(state), closing)].join("\n\n");
}
function block2(config, page) {
  const state = configState(config);
  const heading = `${page.paint(stateStyle(state), stateWord(config))} ${page.paint("bold", plainPath(config.path))}`;
  const body = config.status === "analysed" ? analysedLines(config, page) : config.problems.map((problem2) => problemText(problem2, page));
  return [heading, ...body].join("\n");
}
function stateWord(config) {
  if (config.status === "not-analysed") return "not analysed";
  if (!config.current.fits) return "out of memory";
  return config.verdict.state;
}
function stateStyle(state) {
  switch (state) {
    case "nothing-to-measure":
    case "fine":
      return "green";
    case "warning":
      return "yellow";
    case "blocked":
      return "red";
  }
}
function problemText(problem2, { columns }) {
  const { file, field, message, fix } = problem2;
  const where = formatWhere({
    ...problem2,
    ...file === void 0 ? {} : { file: plainPath(file) },
    ...field === void 0 ? {} : { field: plainText(field, 100) }
  });
  return wrap(`${where}${plainText(message)}. ${plainText(fix)}`, INDENT, columns);
}
function analysedLines(config, page) {
  const known = page.paint("dim", wrap(knownHow(config), INDENT, page.columns));
  const bars = barLines(config, page);
  if (findingOf(config) === "fine")
    return [...bars, wrap(`${capitalised(fineRemark(config))}.`, INDENT, page.columns), known];
  return [...bars, ...breakdownLines(config, page), ...adviceLines(config, page), known];
}
function barLines(config, page) {
  const { current, recommended, largest } = config;
  const lines = [barLine(config, "now", current, page)];
  if (recommended && recommended.microBatch !== current.microBatch) {
    lines.push(barLine(config, "recommended", recommended, page));
  }
  if (largest && largest.microBatch !== (recommended ?? current).microBatch) {
    lines.push(barLine(config, "largest", largest, page));
  }
  return lines;
}
function barLine(config, label2, point, { paint, columns }) {
  const { gpu } = config;
  const cells = Math.max(10, Math.min(30, columns - 60));
  const filled = bar(gpu.usableBytes === 0 ? 1 : point.peakBytes / gpu.usableBytes, cells);
  const size2 = `${formatCount(point.microBatch)} × ${formatCount(point.gradientAccumulation)}`;
  const memory = `${ofUsable(point.peakBytes, gpu.usableBytes)} (${formatShare(config, point)})`;
  const painted = paint(point.fits ? stateStyle(label2 === "now" ? config.verdict.state : "fine") : "red", filled);
  return `${INDENT}${label2.padEnd(LABEL_WIDTH)}${size2.padEnd(9)} ${painted} ${memory}${pace(config, point)}`;
}
function pace({ throughputProvenance: throughputProvenance2 }, point) {
  return point.fits ? `, ${formatRate(point.samplesPerSecond)} samples/s ${throughputProvenance2}` : "";
}
function breakdownLines({ breakdown: breakdown2, current, gpu }, { columns }) {
  const parts = partsOf(breakdown2).map(({ name, bytes: bytes3 }) => `${name} ${formatPart(bytes3)}`);
  const rest = current.fits ? `${formatGib(idleBytes(gpu, current))} of the GPU is waste` : `${formatGib(missingBytes(gpu, current))} too much`;
  return [wrap(`Memory: ${parts.join(", ")}; ${rest}.`, INDENT, columns)];
}
function adviceLines(config, { columns }) {
  return [...advice(config), ...rightSizingSentences(config)].map((sentence) => wrap(sentence, INDENT, columns));
}
function rightSizingSentences({ rightSizing }) {
  if (rightSizing === void 0) return [];
  const price = `${formatUsd(rightSizing.gpu.pricePerHourUsd)} an hour`;
  return [
    `A cheaper GPU is enough: ${plainText(rightSizing.gpu.name, 60)} at ${price}, ${formatUsd(rightSizing.costPerRunUsd)} a run.`
  ];
}
function knownHow(config) {
  const { gpu, hoursPerRun, runsPerYear } = config;
  const price = `${formatUsd(gpu.pricePerHourUsd)} an hour (${plainText(gpu.priceDate, 40)}), ${formatCount(hoursPerRun)} hours a run, ${formatCount(runsPerYear)} runs a year`;
  return `${plainText(gpu.name, 60)}; memory ${memoryProvenance(config)}; throughput ${config.throughputProvenance}; ${price}.`;
}
function wrap(text, indent, columns) {
  const lines = [];
  let line = indent;
  for (const word of text.split(" ")) {
    if (line.length > indent.length && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = indent;
    }
    line += line.length === indent.length ? word : ` ${word}`;
  }
  return [...lines, line].join("\n");
}

// engine/cli/arguments.ts
import { parseArgs } from "node:util";
function parseFlags(args, options) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw usageError(error, Object.keys(options));
  }
}
function usageError(error, flags) {
  const unknown = /Unknown option '(--?[^']*)'/.exec(error.message)?.[1];
  const near = unknown && closest(unknown.replace(/^-+/, ""), flags);
  const message = unknown ? `"${unknown}" is not an option` : error.message.split(". ")[0];
  return new MemoryMarkError(
    {
      code: "usage",
      message: message ?? error.message,
      fix: near ? `Did you mean --${near}?` : "Run `memorymark help` for the options."
    },
    { cause: error }
  );
}
function gpuFlag(text) {
  if (text === void 0) return defaultGpu;
  const gpu = findGpu(text);
  if (gpu !== void 0) return gpu;
  const ids = gpus.map((known) => known.id);
  const near = closest(text, ids);
  throw new MemoryMarkError({
    code: "unknown-gpu",
    field: "--gpu",
    message: `"${text}" is not a GPU of the catalogue`,
    fix: `${near ? `Did you mean ${near}? ` : ""}Known: ${ids.join(", ")}.`
  });
}
function oneOf2(flag, text, allowed) {
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

// engine/cli/files.ts
import { lstat, readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
var MAX_WALKED_BYTES = 16 * MIB;
var skippedDirectories = /* @__PURE__ */ new Set(["node_modules", ".git", ".venv", "venv", "__pycache__", "site-packages"]);
async function findFiles(paths) {
  const named2 = [];
  const found = /* @__PURE__ */ new Map();
  for (const path2 of paths) {
    if (await isDirectory(path2)) {
      for await (const file of walk(path2)) found.set(file.path, file);
    } else {
      named2.push(await read3(path2));
    }
  }
  return { named: named2, found: [...found.values()] };
}
async function* walk(directory) {
  const entries = await readdir(directory, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => a.name < b.name ? -1 : 1)) {
    const path2 = join(directory, entry.name);
    if (entry.isDirectory() && !skippedDirectories.has(entry.name)) yield* walk(path2);
    else if (entry.isFile() && isCandidatePath(display(path2)) && (await lstat(path2)).size <= MAX_WALKED_BYTES) {
      yield await read3(path2);
    }
  }
}
async function isDirectory(path2) {
  try {
    return (await lstat(path2)).isDirectory();
  } catch (error) {
    throw new MemoryMarkError(
      {
        code: "no-such-file",
        file: path2,
        message: "no such file or directory",
        fix: "Check the path; it is taken relative to the working directory."
      },
      { cause: error }
    );
  }
}
async function read3(path2) {
  return { path: display(path2), text: await readFile(path2, "utf8") };
}
function display(path2) {
  return relative("", path2).split(sep).join("/") || path2;
}

// engine/cli/check.ts
async function check(args) {
  const { values, positionals } = parseFlags(args, {
    gpu: { type: "string" },
    json: { type: "boolean" },
    "fail-on": { type: "string" },
    "warn-on": { type: "string" },
    "price-per-hour": { type: "string" },
    "hours-per-run": { type: "string" },
    "runs-per-year": { type: "string" }
  });
  const pricePerHourUsd = numberFlag("--price-per-hour", values["price-per-hour"], { integer: false, max: 1e4 });
  const hoursPerRun = numberFlag("--hours-per-run", values["hours-per-run"], { integer: false, max: 1e5 });
  const runsPerYear = numberFlag("--runs-per-year", values["runs-per-year"], { integer: false, max: 1e6 });
  const options = {
    now: /* @__PURE__ */ new Date(),
    gpu: gpuFlag(values.gpu),
    policy: {
      failOn: values["fail-on"] ? parseConditions(values["fail-on"], "--fail-on") : defaultPolicy.failOn,
      warnOn: values["warn-on"] ? parseConditions(values["warn-on"], "--warn-on") : defaultPolicy.warnOn
    },
    ...pricePerHourUsd && { pricePerHourUsd },
    ...hoursPerRun && { hoursPerRun },
    ...runsPerYear && { runsPerYear }
  };
  const files = await findFiles(positionals.length === 0 ? ["."] : positionals);
  refuseNamedNonConfigs(files.named);
  const report2 = await analyze([...files.named, ...files.found], options);
  console.log(values.json ? JSON.stringify(report2, null, 2) : terminal(report2));
  return exitCode(report2);
}
function refuseNamedNonConfigs(files) {
  for (const file of files) {
    const reading = readConfig(file);
    if (reading.kind !== "not-a-training-config") continue;
    throw new MemoryMarkError({
      code: "not-a-training-config",
      file: file.path,
      message: `this is not a training config: ${reading.why}`,
      fix: "Name a file that sets a batch size, or a directory to search."
    });
  }
}
function terminal(report2) {
  return renderTerminal(report2, {
    color: process.stdout.hasColors?.() ?? false,
    columns: process.stdout.columns ?? 100
  });
}
function exitCode({ configs }) {
  if (configs.some((config) => config.status === "analysed" && config.verdict.state === "blocked")) return 1;
  return configs.some((config) => config.status === "not-analysed") ? 2 : 0;
}

// engine/cli/estimate.ts
import { lstat as lstat2 } from "node:fs/promises";
var defaults = { microBatch: 16, sequenceLength: 128, imageSize: 224, labels: 2 };
async function estimate(args) {
  const { values, positionals } = parseFlags(args, {
    "batch-size": { type: "string" },
    "gradient-accumulation": { type: "string" },
    "sequence-length": { type: "string" },
    "image-size": { type: "string" },
    labels: { type: "string" },
    task: { type: "string" },
    step: { type: "string" },
    optimizer: { type: "string" },
    precision: { type: "string" },
    attention: { type: "string" },
    loop: { type: "string" },
    padded: { type: "boolean" },
    "gradient-checkpointing": { type: "boolean" },
    gpu: { type: "string" },
    json: { type: "boolean" }
  });
  const count2 = (flag, max) => numberFlag(`--${flag}`, values[flag]?.toString(), { integer: true, max });
  const changes = defined({
    microBatch: count2("batch-size", MAX_BATCH),
    gradientAccumulation: count2("gradient-accumulation", MAX_BATCH),
    sequenceLength: count2("sequence-length", 1e7),
    imageSize: count2("image-size", 1e5),
    labels: count2("labels", 1e6),
    task: oneOf2("--task", values.task, tasks),
    step: oneOf2("--step", values.step, stepProfiles),
    optimizer: oneOf2("--optimizer", values.optimizer, optimizers),
    precision: oneOf2("--precision", values.precision, precisions),
    attention: oneOf2("--attention", values.attention, attentions),
    loop: oneOf2("--loop", values.loop, loops),
    paddedBatches: values.padded,
    gradientCheckpointing: values["gradient-checkpointing"]
  });
  const subject2 = await subjectOf(positionals);
  const { spec, model } = applyChanges(subject2, changes);
  const assessment = assess(spec, model.config, {
    gpu: gpuFlag(values.gpu),
    policy: defaultPolicy,
    hoursPerRun: DEFAULT_HOURS_PER_RUN,
    runsPerYear: DEFAULT_RUNS_PER_YEAR
  });
  console.log(values.json ? JSON.stringify(summary(assessment), null, 2) : terminal2(subject2.path, assessment));
  return 0;
}
async function subjectOf(positionals) {
  const [name] = positionals;
  if (name === void 0 || positionals.length > 1) {
    throw new MemoryMarkError({
      code: "usage",
      message: name === void 0 ? "a model or a config is missing" : "only one model or config is estimated at a time",
      fix: "Run `memorymark estimate bert`, a Hub id or a config file."
    });
  }
  const model = findModel(name);
  if (model !== void 0) return { path: model.id, spec: modelSpec(model) };
  if (await exists(name)) return configSubject(name);
  const near = closest(name, modelNames);
  throw new MemoryMarkError({
    code: "unknown-model",
    message: `"${name}" is neither a file nor a model of the catalogue`,
    fix: `${near ? `Did you mean ${near}? ` : ""}Known models: ${modelIds.join(", ")}.`
  });
}
async function configSubject(path2) {
  const { named: named2 } = await findFiles([path2]);
  const [file] = named2;
  const reading = file && readConfig(file);
  if (reading?.kind === "training-config") return { path: path2, spec: reading.spec };
  const [problem2] = reading?.kind === "unreadable" ? reading.problems : [];
  throw new MemoryMarkError(
    problem2 ?? {
      code: "not-a-training-config",
      file: path2,
      message: `this is not a training config${reading?.kind === "not-a-training-config" ? `: ${reading.why}` : ""}`,
      fix: "Name a file that sets a batch size, or a model."
    }
  );
}
function modelSpec(model) {
  const isImage = model.maxPositions === void 0;
  return {
    model: model.id,
    task: model.defaultTask,
    framework: "pytorch",
    step: "training",
    microBatch: defaults.microBatch,
    gradientAccumulation: 1,
    gpus: 1,
    ...isImage ? { imageSize: defaults.imageSize } : { sequenceLength: defaults.sequenceLength },
    labels: defaults.labels,
    precision: "fp32",
    optimizer: "adamw",
    attention: "sdpa",
    gradientCheckpointing: false,
    paddedBatches: false,
    loop: "plain"
  };
}
function applyChanges(subject2, changes) {
  const spec = { ...subject2.spec, ...changes };
  const model = findModel(spec.model);
  if (model === void 0) throw new Error(`a subject without a model: ${spec.model}`);
  if (!model.tasks.includes(spec.task)) {
    throw refused("--task", `${model.id} has no ${spec.task} head here`, `Use one of: ${model.tasks.join(", ")}.`);
  }
  if (model.maxPositions !== void 0 && (spec.sequenceLength ?? 0) > model.maxPositions) {
    throw refused(
      "--sequence-length",
      `${model.id} has ${model.maxPositions} positions, fewer than ${spec.sequenceLength}`,
      `Use at most ${model.maxPositions}.`
    );
  }
  if (spec.gradientCheckpointing && !supportsCheckpointing(model.config)) {
    throw refused("--gradient-checkpointing", `transformers does not checkpoint ${model.family}`, "Leave it out.");
  }
  return { spec, model };
}
function refused(field, message, fix) {
  return new MemoryMarkError({ code: "unsupported-setting", field, message, fix });
}
function summary(assessment) {
  const { spec, gpu, current, recommended, largest } = assessment;
  return {
    model: spec.model,
    spec,
    gpu,
    provenance: assessment.provenance,
    errorBandPercent: assessment.errorBandPercent,
    batchSize: current.microBatch,
    fits: current.fits,
    peakBytes: current.peakBytes,
    peakMoment: assessment.peakMoment,
    breakdown: assessment.breakdown,
    usableBytes: gpu.usableBytes,
    wasteBytes: idleBytes(gpu, current),
    wastePercent: idlePercent(gpu, current),
    largestBatch: largest?.microBatch ?? null,
    recommendedBatch: recommended?.microBatch ?? null,
    recommendedAccumulation: recommended?.gradientAccumulation ?? null,
    headroomBytes: recommended ? idleBytes(gpu, recommended) : null,
    speedup: assessment.speedup,
    throughputProvenance: assessment.throughputProvenance,
    savingsPerRunUsd: assessment.savingsPerRunUsd,
    savingsPerYearUsd: assessment.savingsPerYearUsd
  };
}
function terminal2(path2, assessment) {
  const report2 = {
    schema: REPORT_SCHEMA,
    toolVersion: version,
    createdAt: (/* @__PURE__ */ new Date()).toISOString(),
    policy: defaultPolicy,
    configs: [{ status: "analysed", path: path2, dialect: "command line", assumptions: [], ...assessment }]
  };
  return renderTerminal(report2, {
    color: process.stdout.hasColors?.() ?? false,
    columns: process.stdout.columns ?? 100
  });
}
async function exists(path2) {
  return lstat2(path2).then(
    () => true,
    () => false
  );
}
function defined(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== void 0));
}

// engine/cli/usage.ts
var commands = {
  check: `memorymark check [paths…]      find training configs and judge each
  --gpu <id>                   GPU to judge on (default a10)
  --fail-on <conditions>       what blocks: "waste > 40 %", "throughput-loss > 10 %", "annual-cost > $500", "never"
  --warn-on <conditions>       what is remarked on
  --price-per-hour <usd>       price of one GPU, instead of the catalogue's
  --hours-per-run <hours>      length of a run at the current batch (default 2)
  --runs-per-year <count>      runs in a year (default 100)
  --json                       print the report as JSON`,
  estimate: `memorymark estimate <model-id-or-config>      memory of one model, without a GPU
  --batch-size <n>             samples on one GPU (default 16)
  --gradient-accumulation <n>  micro-steps in one optimizer step (default 1)
  --sequence-length <tokens>   text (default 128)
  --image-size <pixels>        images (default 224)
  --task sequence-classification|masked-lm|causal-lm|image-classification
  --labels <n>                 classes of a classification head (default 2)
  --step training|forward-backward
  --optimizer adamw|adamw-fused|adamw-loop|sgd|sgd-momentum
  --precision fp32|bf16|amp-bf16|amp-fp16
  --attention sdpa|eager
  --gradient-checkpointing
  --padded                     batches carry a padding mask
  --loop plain|trainer         who runs the step: a plain PyTorch loop, or Hugging Face's Trainer
  --gpu <id>                   GPU to judge on (default a10)
  --json                       print one JSON object`
};
function usage(command) {
  const known = command !== void 0 && Object.hasOwn(commands, command) ? commands[command] : void 0;
  if (known !== void 0) return known;
  return `MemoryMark: the batch size your GPU can really take.

${Object.values(commands).join("\n\n")}

GPUs: ${gpus.map((gpu) => gpu.id).join(", ")}
Exit codes: 0 fine, 1 blocked by policy, 2 usage or bad input.`;
}

// engine/cli/main.ts
var commands2 = { check, estimate };
process.exitCode = await main(process.argv.slice(2));
async function main([name, ...args]) {
  if (name === void 0 || name === "help" || name === "--help" || name === "-h") return print(usage());
  if (name === "--version" || name === "-v") return print(version);
  if (args.includes("--help") || args.includes("-h")) return print(usage(name));
  try {
    const command = Object.hasOwn(commands2, name) ? commands2[name] : void 0;
    if (command === void 0) throw unknownCommand(name);
    return await command(args);
  } catch (error) {
    if (!(error instanceof MemoryMarkError)) throw error;
    console.error(error.message);
    return 2;
  }
}
function print(text) {
  console.log(text);
  return 0;
}
function unknownCommand(name) {
  const near = closest(name, Object.keys(commands2));
  return new MemoryMarkError({
    code: "unknown-command",
    message: `"${name}" is not a command`,
    fix: near ? `Did you mean \`memorymark ${near}\`?` : "Run `memorymark help` for the commands."
  });
}
