#!/usr/bin/env node
var __knownSymbol = (name3, symbol) => (symbol = Symbol[name3]) ? symbol : /* @__PURE__ */ Symbol.for("Symbol." + name3);
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
        var result2 = it[1] && it[1].call(it[2]);
        if (it[0]) return Promise.resolve(result2).then(next, (e) => (fail(e), next()));
      } catch (e) {
        fail(e);
      }
    }
    if (hasError) throw error;
  };
  return next();
};

// engine/analyze.ts
import { setImmediate } from "node:timers/promises";

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
var trainingMethod = z.discriminatedUnion("kind", [
  /** DPO, IPO, SimPO, CPO, ORPO: the chosen and the rejected answer of a sample go through the model in one batch. */
  z.object({
    kind: z.literal("preference"),
    reference: z.enum(references),
    logProbabilities: z.enum(logProbabilityStyles),
    /** ORPO and CPO: a cross-entropy over the chosen answers beside. */
    withCrossEntropy: z.boolean()
  }),
  /** KTO: one answer a sample, and another sample's beside it, through the policy and the reference without gradients. */
  z.object({
    kind: z.literal("kto"),
    reference: z.enum(references),
    logProbabilities: z.enum(logProbabilityStyles)
  }),
  /**
   * Reward models. `score`: a classifier of one label over the chosen and the rejected answer. `value`: LLaMA-Factory's value
   * head beside the output layer, whose logits are computed and dropped. `steps`: a score of two labels for every token.
   */
  z.object({ kind: z.literal("reward"), head: z.enum(["score", "value", "steps"]) }),
  /**
   * torchtune's: a frozen teacher of the catalogue reads the same batch, and the student learns its distribution beside the labels,
   * from logits in `chunks`.
   */
  z.object({
    kind: z.literal("distillation"),
    teacher: z.string().min(1).max(200),
    chunks: z.number().int().min(1).max(1e3)
  })
]);
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
    dropout: z.number().min(0).max(1),
    /** Last names of modules that train whole, in a copy beside the frozen original: peft's `modules_to_save`. */
    modulesToSave: z.array(z.string().max(100)).max(100).optional()
  }).optional(),
  /** Base weights of every linear layer but the output's. Only with `lora`. */
  quantization: z.enum(quantizations).optional(),
  /** Whether `quantization` is the experts' too, whose matrices are no linear layers: Axolotl's `quantize_moe_experts`. */
  quantizedExperts: z.boolean().optional(),
  /**
   * Quantisation-aware training: linear layers round their input (to 8 bits, by token) and their weight (to 4 bits, in groups of
   * so many inputs) and go on in the type of the weights, as torchao does. With `lora`, the adapted layers alone.
   */
  fakeQuantization: z.object({
    groupSize: z.number().int().min(1).max(1e6),
    /** Both as 4-bit floats instead, which the products compute in and keep. */
    format: z.enum(["nvfp4", "mxfp4"]).optional()
  }).optional(),
  /** Matrix products in 8-bit floats over weights in their own type (torchao's float8 training). */
  float8: z.boolean().optional(),
  /** GPUs among which the experts of a layer are divided. */
  expertParallel: z.number().int().min(1).max(1e5).optional(),
  /** Only with several GPUs; DDP when absent. */
  sharding: z.enum(shardings).optional(),
  /** What lives on the host instead of the GPU. */
  offload: z.enum(["optimizer", "optimizer-and-weights"]).optional(),
  /** Liger's or another fused loss: logits are made and consumed in chunks and never stand whole. */
  fusedLoss: z.boolean().optional(),
  /** Absent for the model's own loss. */
  method: trainingMethod.optional(),
  /** False where the training turns every dropout layer off, as TRL does unless told otherwise. */
  dropout: z.boolean().optional(),
  /** Batches carry a padding mask. Fused attention then keeps a b·s² mask per layer. */
  paddedBatches: z.boolean(),
  /**
   * Who runs the step. `plain`: `outputs = model(…); outputs.loss.backward()`, where the logits stay referenced during the
   * backward pass and decoders fill their key/value cache (`use_cache` is on by default). `trainer`: Hugging Face's Trainer,
   * which turns the cache off (`TrainingArguments.use_cache`) and whose `compute_loss` returns the loss alone.
   */
  loop: z.enum(loops)
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
function effectiveBatch(spec2) {
  return spec2.microBatch * spec2.gradientAccumulation * spec2.gpus;
}

// engine/errors.ts
import * as z2 from "zod";
var problem = z2.object({
  /** Stable id, so that a policy or a test can name it without quoting the text. */
  code: z2.string().max(60),
  /** What is wrong, in one sentence, without a trailing full stop. Untrusted parts are quoted, never formatted. */
  message: z2.string().max(2e3),
  /** What to do about it, in one sentence. */
  fix: z2.string().max(2e3),
  file: z2.string().max(4096).optional(),
  /** 1-based. */
  line: z2.number().int().positive().optional(),
  /** 1-based. */
  column: z2.number().int().positive().optional(),
  /** The key as the config writes it, e.g. `training.per_device_train_batch_size`. */
  field: z2.string().max(500).optional()
});
var MemoryMarkError = class extends Error {
  problem;
  constructor(problem3, options) {
    super(`${formatWhere(problem3)}${problem3.message}. ${problem3.fix}`, options);
    this.name = "MemoryMarkError";
    this.problem = problem3;
  }
};
function formatWhere({ file, line: line2, column, field }) {
  const place2 = [file, line2, line2 && column].filter((part3) => part3 !== void 0).join(":");
  const where = [place2, field && `(${field})`].filter(Boolean).join(" ");
  return where ? `${where}: ` : "";
}
function closest(given, known3) {
  const limit = Math.min(2, Math.floor(given.length / 3));
  let best;
  for (const word of known3) {
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

// engine/models/architecture.ts
import * as z31 from "zod";

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
  const words3 = ops.embedding("embeddings.word_embeddings", ops.input, config.vocab_size, hidden);
  const types = ops.embedding("embeddings.token_type_embeddings", ops.input, config.type_vocab_size, hidden);
  const places = config.model_type === "roberta" ? ops.embedding("embeddings.position_embeddings", ops.input, positions, hidden) : ops.constantEmbedding("embeddings.position_embeddings", positions, hidden, tokens);
  const sum2 = ops.add(ops.add(words3, types), places);
  let x = ops.dropout(ops.layerNorm("embeddings.LayerNorm", sum2), config.hidden_dropout_prob);
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => encoderLayer(ops, config, `encoder.layer.${index}`, input));
  }
  return x;
}
function encoderLayer(ops, config, name3, x) {
  const [query, key2, value] = ["query", "key", "value"].map(
    (part3) => ops.linear(`${name3}.attention.self.${part3}`, x, config.hidden_size)
  );
  const context = ops.attention(query, key2, value, {
    heads: config.num_attention_heads,
    causal: false,
    dropout: config.attention_probs_dropout_prob
  });
  const attended = residual(ops, config, `${name3}.attention.output`, context, x);
  const widened = ops.gelu(ops.linear(`${name3}.intermediate.dense`, attended, config.intermediate_size));
  return residual(ops, config, `${name3}.output`, widened, attended);
}
function residual(ops, config, name3, x, skip2) {
  return ops.frame(x, (input) => {
    const projected = ops.linear(`${name3}.dense`, input, config.hidden_size);
    return ops.layerNorm(`${name3}.LayerNorm`, ops.residual(ops.dropout(projected, config.hidden_dropout_prob), skip2));
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
  const words3 = ops.embedding("embeddings.word_embeddings", ops.input, config.vocab_size, config.dim);
  const places = ops.constantEmbedding("embeddings.position_embeddings", positions, config.dim, tokens);
  let x = ops.dropout(ops.layerNorm("embeddings.LayerNorm", ops.add(words3, places)), config.dropout);
  for (let index = 0; index < config.n_layers; index++) {
    x = ops.block(x, (input) => distilbertLayer(ops, config, `transformer.layer.${index}`, input));
  }
  if (task === "masked-lm") return distilbertLanguageHead(ops, config, x);
  const pooled = ops.relu(ops.linear("pre_classifier", ops.firstToken(x), config.dim));
  return ops.linear("classifier", ops.dropout(pooled, config.seq_classif_dropout), labels);
}
function distilbertLayer(ops, config, name3, x) {
  const [query, key2, value] = ["q_lin", "k_lin", "v_lin"].map(
    (part3) => ops.linear(`${name3}.attention.${part3}`, x, config.dim)
  );
  const context = ops.attention(query, key2, value, {
    heads: config.n_heads,
    causal: false,
    dropout: config.attention_dropout
  });
  const projected = ops.linear(`${name3}.attention.out_lin`, context, config.dim);
  const attended = ops.layerNorm(`${name3}.sa_layer_norm`, ops.residual(projected, x));
  const widened = ops.gelu(ops.linear(`${name3}.ffn.lin1`, attended, config.hidden_dim));
  const narrowed = ops.dropout(ops.linear(`${name3}.ffn.lin2`, widened, config.dim), config.dropout);
  return ops.layerNorm(`${name3}.output_layer_norm`, ops.residual(narrowed, attended));
}
function distilbertLanguageHead(ops, config, hidden) {
  const transformed = ops.gelu(ops.linear("vocab_transform", hidden, config.dim));
  const normalised2 = ops.layerNorm("vocab_layer_norm", transformed);
  return ops.linear("vocab_projector", normalised2, config.vocab_size, { tiedTo: "embeddings.word_embeddings.weight" });
}

// engine/models/convnext.ts
import * as z5 from "zod";
var convnextConfig = z5.object({
  model_type: z5.literal("convnext"),
  patch_size: size.default(4),
  hidden_sizes: z5.array(size).min(1).max(20).default([96, 192, 384, 768]),
  depths: z5.array(size).min(1).max(20).default([3, 3, 9, 3]),
  layer_scale_init_value: z5.number().default(1e-6),
  drop_path_rate: probability.default(0)
});
var EXPANSION = 4;
function convnext(ops, config, labels) {
  const { patch_size: patch, hidden_sizes: sizes } = config;
  const [channels2 = 0] = sizes;
  const stem = { kernel: patch, stride: patch, padding: 0, bias: true };
  const patches2 = ops.conv2d("embeddings.patch_embeddings", ops.input, channels2, stem);
  const embedded = imageNorm(ops, "embeddings.layernorm", patches2);
  const encoded2 = ops.frame(embedded, (input) => encode2(ops, config, input));
  return ops.linear("classifier", ops.layerNorm("layernorm", ops.globalAveragePool(encoded2)), labels);
}
function encode2(ops, config, embedded) {
  const { hidden_sizes: sizes, depths, drop_path_rate: lastRate } = config;
  const lastIndex = depths.reduce((sum2, depth) => sum2 + depth, 0) - 1;
  let x = embedded;
  let layersBefore = 0;
  sizes.forEach((channels2, stage) => {
    const name3 = `encoder.stages.${stage}`;
    if (stage > 0) x = downsample(ops, `${name3}.downsampling_layer`, x, channels2);
    for (let index = 0; index < (depths[stage] ?? 0); index++) {
      const dropRate = lastIndex === 0 ? 0 : lastRate * layersBefore++ / lastIndex;
      x = ops.block(x, (input) => layer(ops, config, `${name3}.layers.${index}`, input, { channels: channels2, dropRate }));
    }
  });
  return x;
}
function downsample(ops, name3, x, channels2) {
  const halving = { kernel: 2, stride: 2, padding: 0, bias: true };
  return ops.conv2d(`${name3}.1`, imageNorm(ops, `${name3}.0`, x), channels2, halving);
}
function layer(ops, config, name3, x, { channels: channels2, dropRate }) {
  const depthwise = { kernel: 7, stride: 1, bias: true, groups: channels2 };
  const filtered = ops.channelsLast(ops.conv2d(`${name3}.dwconv`, x, channels2, depthwise));
  const widened = ops.linear(`${name3}.pwconv1`, ops.layerNorm(`${name3}.layernorm`, filtered), EXPANSION * channels2);
  const narrowed = ops.linear(`${name3}.pwconv2`, ops.gelu(widened), channels2);
  const isScaled = config.layer_scale_init_value > 0;
  const scaled2 = isScaled ? ops.layerScale(`${name3}.layer_scale_parameter`, narrowed) : narrowed;
  return ops.residual(ops.dropPath(ops.channelsFirst(scaled2), dropRate), x);
}
function imageNorm(ops, name3, x) {
  return ops.channelsFirst(ops.layerNorm(name3, ops.channelsLast(x)));
}

// engine/models/decoder.ts
import * as z6 from "zod";
var decoderFields = z6.object({
  vocab_size: size,
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  num_key_value_heads: size.nullish(),
  head_dim: size.nullish(),
  max_position_embeddings: size,
  tie_word_embeddings: z6.boolean().default(false),
  attention_dropout: probability.default(0),
  /** Tokens that sliding-window layers look back. */
  sliding_window: size.nullish()
});
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
  const { root = "model", vocabulary, hidden, layers, scalesWords = false } = blueprint;
  blueprint.idle?.(ops);
  const words3 = ops.embedding(`${root}.embed_tokens`, ops.input, vocabulary, hidden);
  let x = ops.dropout(scalesWords ? ops.scale(words3) : words3, blueprint.wordDropout ?? 0);
  const tables = [];
  for (let index = 0; index < layers; index++) {
    const rotary = blueprint.rotaryOf(index);
    if (rotary !== void 0) tables[rotary] ??= ops.rotaryTable(x, blueprint.rotarySize);
  }
  for (let index = 0; index < layers; index++) {
    const table4 = tables[blueprint.rotaryOf(index) ?? tables.length];
    x = ops.block(x, (input) => block(ops, blueprint, { name: `${root}.layers.${index}`, index, table: table4 }, input));
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
function block(ops, blueprint, place2, x) {
  const { blockNorms, hidden, feedForwardName = "mlp", mixerName = () => "self_attn" } = blueprint;
  const norm2 = (part3, states) => part3 === void 0 ? states : normalised(ops, blueprint.norm, `${place2.name}.${part3}`, hidden, states);
  const added = (result2, skip2) => {
    const scaled2 = blueprint.scalesResults ? ops.scale(result2) : result2;
    return ops.residual(ops.dropout(scaled2, blueprint.resultDropout ?? 0), skip2);
  };
  const within2 = (part3) => ({ ...place2, name: `${place2.name}.${part3}` });
  const before = norm2(blockNorms.beforeMixer, x);
  const mixed = ops.frame(before, (input) => blueprint.mixer(ops, within2(mixerName(place2.index)), input));
  const between = added(norm2(blockNorms.afterMixer, mixed), x);
  const forFeeding = norm2(blockNorms.beforeFeeding, between);
  const fed = ops.frame(forFeeding, (input) => blueprint.feedForward(ops, within2(feedForwardName), input));
  return added(norm2(blockNorms.afterFeeding, fed), between);
}
function normalised(ops, norm2, name3, features, x) {
  if (norm2 === "layer") return ops.layerNorm(name3, x);
  return ops.rmsNorm(name3, x, {
    size: features,
    scalesInFloat32: norm2 !== "rms",
    aroundOne: norm2 === "rms-one-plus"
  });
}

// engine/models/deepseek.ts
import * as z8 from "zod";

// engine/models/decoder-attention.ts
var headNorms = { over: "each-head", names: ["q_norm", "k_norm"] };
var allHeadsNorms = { over: "all-heads", names: ["q_norm", "k_norm"] };
function attentionOf(fields2, traits = {}) {
  const heads2 = fields2.num_attention_heads;
  const keyValueHeads = fields2.num_key_value_heads ?? heads2;
  const size2 = headSizeOf(fields2);
  return (ops, { name: name3, index, table: table4 }, x) => {
    const [projected, key2, value] = projections(ops, fields2, traits, name3, x);
    const [query, gate] = traits.isGated ? gatedQuery(ops, projected, heads2 * size2) : [projected, void 0];
    const norm2 = (part3, states) => {
      const { queryNorm } = traits;
      if (queryNorm === void 0) return states;
      const features = queryNorm.over === "each-head" ? size2 : size2 * (part3 === 0 ? heads2 : keyValueHeads);
      return normalised(ops, queryNorm.norm, `${name3}.${queryNorm.names[part3]}`, features, states);
    };
    const turned = (states, count3) => table4 === void 0 ? states : ops.rotary(states, table4, count3, traits.rotary);
    const placed = (part3, states, count3) => traits.queryNorm?.isAfterRotation ? norm2(part3, turned(states, count3)) : turned(norm2(part3, states), count3);
    const q = placed(0, query, heads2);
    const k = placed(1, key2, keyValueHeads);
    const context = ops.attention(traits.scalesQuery ? ops.scale(q) : q, ops.cached(k), ops.cached(value), {
      heads: heads2,
      keyValueHeads,
      causal: true,
      dropout: fields2.attention_dropout,
      window: traits.slides?.(index) ?? false ? fields2.sliding_window ?? void 0 : void 0,
      castsSoftmax: true,
      ...traits.hasSinks && { sinks: `${name3}.sinks` }
    });
    const gated4 = gate === void 0 ? context : ops.multiply(context, ops.sigmoid(gate));
    const output = ops.linear(`${name3}.o_proj`, gated4, fields2.hidden_size, { bias: traits.outputBias ?? false });
    return ops.dropout(output, traits.outputDropout ?? 0);
  };
}
function gatedQuery(ops, projected, features) {
  const [query, gate] = ops.split(projected, [features, features]);
  return [query, ops.gathered(gate)];
}
function projections(ops, fields2, traits, name3, x) {
  const size2 = headSizeOf(fields2);
  const querySize = fields2.num_attention_heads * size2;
  const keySize = (fields2.num_key_value_heads ?? fields2.num_attention_heads) * size2;
  if (traits.joinsProjections) {
    const joined = ops.linear(`${name3}.qkv_proj`, x, querySize + 2 * keySize, { bias: false });
    return ops.slices(joined, [querySize, keySize, keySize]);
  }
  const project = (part3, features) => ops.linear(`${name3}.${part3}`, x, features, { bias: traits.queryBias ?? false });
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
  return (ops, { name: name3 }, x) => {
    const gate = ops.linear(`${name3}.gate_proj`, x, inner, { bias });
    const activated = activate(ops, activation, gate);
    const product = ops.multiply(activated, ops.linear(`${name3}.up_proj`, x, inner, { bias }));
    return ops.dropout(ops.linear(`${name3}.down_proj`, product, hidden, { bias }), dropout);
  };
}
function joinedFeedForward({ hidden, inner, bias = false, activation = "silu" }) {
  return (ops, { name: name3 }, x) => {
    const joined = ops.linear(`${name3}.gate_up_proj`, x, 2 * inner, { bias });
    const [gate, up] = ops.split(joined, [inner, inner]);
    return ops.linear(`${name3}.down_proj`, ops.multiply(up, activate(ops, activation, gate)), hidden, { bias });
  };
}
function plainFeedForward({ hidden, inner, bias = false, activation = "gelu", dropout = 0 }, names2 = ["up_proj", "down_proj"]) {
  return (ops, { name: name3 }, x) => {
    const widened = activate(ops, activation, ops.linear(`${name3}.${names2[0]}`, x, inner, { bias }));
    return ops.dropout(ops.linear(`${name3}.${names2[1]}`, widened, hidden, { bias }), dropout);
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
  return (ops, { name: name3 }, x) => {
    const routed2 = ops.routed(`${name3}.${routerName}`, x, router);
    return ops.frame(
      x,
      (input) => ops.experts(`${name3}.experts`, input, routed2, experts, (joined) => gate(ops, joined, experts.inner))
    );
  };
}
function withSharedExperts(sparse, hidden, shared) {
  const feedForward6 = gatedFeedForward({ hidden, inner: shared.inner });
  return (ops, place2, x) => {
    const { gateName } = shared;
    const within2 = { ...place2, name: `${place2.name}.${shared.name}` };
    const always = () => ops.frame(x, (input) => feedForward6(ops, within2, input));
    if (gateName === void 0) {
      const chosen2 = sparse(ops, place2, x);
      return ops.residual(chosen2, always());
    }
    const common2 = always();
    const chosen = sparse(ops, place2, x);
    const score = ops.sigmoid(ops.linear(`${place2.name}.${gateName}`, x, 1, { bias: false }));
    return ops.residual(chosen, ops.multiply(score, common2));
  };
}
function siluGate(ops, joined, inner) {
  const [gate, up] = ops.split(joined, [inner, inner]);
  return ops.multiply(activate(ops, "silu", gate), up);
}

// engine/models/latent-attention.ts
import * as z7 from "zod";
var latentFields = {
  q_lora_rank: size.nullish(),
  kv_lora_rank: size,
  qk_nope_head_dim: size,
  qk_rope_head_dim: size,
  v_head_dim: size,
  attention_bias: z7.boolean().default(false)
};
function latentAttention(config, rotary = {}) {
  const { num_attention_heads: heads2, kv_lora_rank: rank2, attention_bias: bias } = config;
  const { qk_nope_head_dim: resting, qk_rope_head_dim: turning, v_head_dim: valueSize } = config;
  return (ops, { name: name3, table: table4 }, x) => {
    const linear = (part3, states, features, options = { bias: false }) => ops.linear(`${name3}.${part3}`, states, features, options);
    const norm2 = (part3, features, states) => normalised(ops, "rms", `${name3}.${part3}`, features, states);
    const queryOf = (narrowRank) => {
      const narrow = norm2("q_a_layernorm", narrowRank, linear("q_a_proj", x, narrowRank, { bias }));
      return linear("q_b_proj", narrow, heads2 * (resting + turning));
    };
    const turn = (states, count3) => table4 ? ops.rotary(states, table4, count3, rotary) : states;
    const query = config.q_lora_rank ? queryOf(config.q_lora_rank) : linear("q_proj", x, heads2 * (resting + turning));
    const [restingQuery, turningQuery] = ops.split(query, [heads2 * resting, heads2 * turning]);
    const compressed = linear("kv_a_proj_with_mqa", x, rank2 + turning, { bias });
    const [latent2, sharedKey] = ops.split(compressed, [rank2, turning]);
    const keyValue = norm2("kv_a_layernorm", rank2, latent2);
    const turnedKey = ops.cached(turn(sharedKey, 1));
    const q = ops.headsJoined(restingQuery, turn(turningQuery, heads2));
    const expanded2 = linear("kv_b_proj", ops.cached(keyValue), heads2 * (resting + valueSize));
    const [ownKey, value] = ops.split(expanded2, [heads2 * resting, heads2 * valueSize]);
    const k = ops.headsJoined(ownKey, turnedKey, heads2);
    const context = ops.attention(q, k, value, {
      heads: heads2,
      causal: true,
      dropout: config.attention_dropout,
      castsSoftmax: true
    });
    return linear("o_proj", context, config.hidden_size, { bias });
  };
}

// engine/models/deepseek.ts
var sparseFields = {
  n_routed_experts: size,
  n_shared_experts: size.default(1),
  num_experts_per_tok: size,
  moe_intermediate_size: size,
  /** Layers at the start that have one feed-forward of their own. */
  first_k_dense_replace: z8.number().int().min(0).max(1e3).default(1)
};
var deepseekV2Config = decoderFields.extend({
  model_type: z8.literal("deepseek_v2"),
  ...latentFields,
  ...sparseFields
});
var deepseekV3Config = decoderFields.extend({
  model_type: z8.literal("deepseek_v3"),
  ...latentFields,
  ...sparseFields
});
var glm4MoeLiteConfig = decoderFields.extend({
  model_type: z8.literal("glm4_moe_lite"),
  ...latentFields,
  ...sparseFields
});
var glm4MoeConfig = decoderFields.extend({
  model_type: z8.literal("glm4_moe"),
  ...sparseFields,
  attention_bias: z8.boolean().default(false),
  use_qk_norm: z8.boolean().default(false),
  partial_rotary_factor: z8.number().min(0).max(1).default(0.5)
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
  const { n_routed_experts: count3, num_experts_per_tok: perToken, moe_intermediate_size: inner } = config;
  const dense = gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size });
  const router = { count: count3, perToken, scoring, inFloat32: true, weightsInFloat32: true };
  const shared = { name: "shared_experts", inner: inner * config.n_shared_experts };
  const sparse = withSharedExperts(sparseFeedForward({ router, experts: { count: count3, inner } }), config.hidden_size, shared);
  return (ops, place2, x) => (place2.index < config.first_k_dense_replace ? dense : sparse)(ops, place2, x);
}

// engine/models/ernie.ts
import * as z9 from "zod";
var ernieConfig = decoderFields.extend({
  model_type: z9.literal("ernie4_5"),
  tie_word_embeddings: z9.boolean().default(true),
  use_bias: z9.boolean().default(false)
});
function ernie(config) {
  const { hidden_size: hidden, intermediate_size: inner, use_bias: bias } = config;
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias: bias, outputBias: bias, rotary: { inFloat32: true } }),
    feedForward: gatedFeedForward({ hidden, inner, bias })
  });
}

// engine/models/gemma.ts
import * as z10 from "zod";
var tied = { tie_word_embeddings: z10.boolean().default(true) };
var gemmaConfig = decoderFields.extend({ model_type: z10.literal("gemma"), ...tied });
var gemma2Config = decoderFields.extend({
  model_type: z10.literal("gemma2"),
  ...tied,
  final_logit_softcapping: z10.number().nullish().default(30)
});
var gemma3Config = decoderFields.extend({
  model_type: z10.literal("gemma3_text"),
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
import * as z11 from "zod";
var glm4Config = decoderFields.extend({
  model_type: z11.literal("glm4"),
  attention_bias: z11.boolean().default(true),
  partial_rotary_factor: z11.number().min(0).max(1).default(0.5)
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
import * as z12 from "zod";
var gptOssConfig = decoderFields.extend({
  model_type: z12.literal("gpt_oss"),
  num_local_experts: size.default(128),
  num_experts_per_tok: size.default(4),
  attention_bias: z12.boolean().default(true),
  sliding_window: size.nullish().default(128),
  layer_types: z12.array(z12.string()).nullish()
});
function gptOss(config) {
  const { num_local_experts: count3, num_experts_per_tok: perToken, layer_types: types } = config;
  const bias = config.attention_bias;
  const slides = (index) => types ? types[index] === "sliding_attention" : index % 2 === 0;
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias: bias, outputBias: bias, hasSinks: true, slides }),
    feedForward: sparseFeedForward({
      router: { count: count3, perToken, scoring: "softmax", hasBias: true, scoresChosenOnly: true },
      experts: { count: count3, inner: config.intermediate_size, hasBias: true },
      routerName: "router",
      gate: clampedGate
    })
  });
}
function clampedGate(ops, joined, inner) {
  const [gate, up] = ops.slices(joined, [inner, inner]).map((part3) => ops.clamp(part3));
  const glu = ops.multiply(gate, ops.sigmoid(ops.scale(gate)));
  return ops.multiply(ops.scale(up), glu);
}

// engine/models/hunyuan.ts
import * as z13 from "zod";
var hunyuanConfig = decoderFields.extend({
  model_type: z13.literal("hunyuan_v1_dense"),
  attention_bias: z13.boolean().default(false)
});
function hunyuan(config) {
  const names2 = ["query_layernorm", "key_layernorm"];
  return llamaBlueprint(config, {
    mixer: attentionOf(config, {
      queryBias: config.attention_bias,
      outputBias: config.attention_bias,
      queryNorm: { norm: "rms", over: "each-head", names: names2, isAfterRotation: true }
    }),
    feedForward: gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size })
  });
}

// engine/models/layer-norm-decoders.ts
import * as z14 from "zod";
var starcoder2Config = decoderFields.extend({
  model_type: z14.literal("starcoder2"),
  tie_word_embeddings: z14.boolean().default(true),
  use_bias: z14.boolean().default(true),
  residual_dropout: probability.default(0),
  embedding_dropout: probability.default(0)
});
var stablelmConfig = decoderFields.extend({
  model_type: z14.literal("stablelm"),
  use_qkv_bias: z14.boolean().default(false),
  hidden_dropout: probability.default(0),
  partial_rotary_factor: z14.number().min(0).max(1).default(0.25),
  qk_layernorm: z14.literal(false, { error: "StableLM with norms of query and key is not supported" }).default(false),
  use_parallel_residual: z14.literal(false, { error: "StableLM with parallel residuals is not supported" }).default(false)
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
import * as z15 from "zod";
var biases = { attention_bias: z15.boolean().default(false), mlp_bias: z15.boolean().default(false) };
var llamaConfig = decoderFields.extend({ model_type: z15.literal("llama"), ...biases });
var mistralConfig = decoderFields.extend({ model_type: z15.literal("mistral") });
var ministral3Config = decoderFields.extend({ model_type: z15.literal("ministral3") });
var smollm3Config = decoderFields.extend({
  model_type: z15.literal("smollm3"),
  ...biases,
  tie_word_embeddings: z15.boolean().default(true),
  use_sliding_window: z15.boolean().default(false),
  no_rope_layer_interval: size.default(4),
  /** A zero for every layer without positions. */
  no_rope_layers: z15.array(z15.number()).nullish()
});
var seedOssConfig = decoderFields.extend({
  model_type: z15.literal("seed_oss"),
  attention_bias: z15.boolean().default(true),
  attention_out_bias: z15.boolean().default(false),
  mlp_bias: z15.boolean().default(false),
  attention_dropout: probability.default(0.1),
  residual_dropout: probability.default(0.1)
});
var arceeConfig = decoderFields.extend({ model_type: z15.literal("arcee"), ...biases });
var graniteConfig = decoderFields.extend({ model_type: z15.literal("granite"), ...biases });
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
  const { no_rope_layers: listed2, no_rope_layer_interval: interval } = config;
  const turns = (index) => listed2 ? listed2[index] !== 0 : (index + 1) % interval !== 0;
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
import * as z16 from "zod";
var mixtralConfig = decoderFields.extend({
  model_type: z16.literal("mixtral"),
  num_local_experts: size.default(8),
  num_experts_per_tok: size.default(2)
});
function mixtral(config) {
  const { num_local_experts: count3, num_experts_per_tok: perToken } = config;
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { slides: () => true }),
    feedForward: sparseFeedForward({
      router: { count: count3, perToken, scoring: "softmax", weightsInFloat32: true },
      experts: { count: count3, inner: config.intermediate_size }
    })
  });
}

// engine/models/olmo.ts
import * as z17 from "zod";
var olmo2Config = decoderFields.extend({
  model_type: z17.literal("olmo2"),
  attention_bias: z17.boolean().default(false)
});
var olmo3Config = decoderFields.extend({
  model_type: z17.literal("olmo3"),
  attention_bias: z17.boolean().default(false),
  sliding_window: size.nullish().default(4096),
  layer_types: z17.array(z17.string()).nullish()
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
import * as z18 from "zod";
var phi3Config = decoderFields.extend({
  model_type: z18.literal("phi3"),
  resid_pdrop: probability.default(0),
  partial_rotary_factor: z18.number().min(0).max(1).default(1)
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
import * as z19 from "zod";
var qwen2Config = decoderFields.extend({
  model_type: z19.literal("qwen2"),
  use_sliding_window: z19.boolean().default(false)
});
var qwen3Config = decoderFields.extend({
  model_type: z19.literal("qwen3"),
  attention_bias: z19.boolean().default(false),
  use_sliding_window: z19.boolean().default(false)
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
import * as z20 from "zod";
var qwenSparse = {
  num_experts: size,
  num_experts_per_tok: size,
  moe_intermediate_size: size,
  /** Every how many layers there are experts. */
  decoder_sparse_step: size.default(1),
  mlp_only_layers: z20.array(z20.number()).nullish(),
  use_sliding_window: z20.boolean().default(false)
};
var qwen2MoeConfig = decoderFields.extend({
  model_type: z20.literal("qwen2_moe"),
  ...qwenSparse,
  qkv_bias: z20.boolean().default(true),
  shared_expert_intermediate_size: size
});
var qwen3MoeConfig = decoderFields.extend({
  model_type: z20.literal("qwen3_moe"),
  ...qwenSparse,
  attention_bias: z20.boolean().default(false)
});
var olmoeConfig = decoderFields.extend({
  model_type: z20.literal("olmoe"),
  num_experts: size.default(64),
  num_experts_per_tok: size.default(8),
  attention_bias: z20.boolean().default(false)
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
  const { num_experts: count3, num_experts_per_tok: perToken, attention_bias: bias } = config;
  const queryNorm = { norm: "rms", ...allHeadsNorms };
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias: bias, outputBias: bias, queryNorm }),
    feedForward: sparseFeedForward({
      router: { count: count3, perToken, scoring: "softmax" },
      experts: { count: count3, inner: config.intermediate_size }
    })
  });
}
function expertsOf(config) {
  const { num_experts: count3, num_experts_per_tok: perToken, moe_intermediate_size: inner } = config;
  return sparseFeedForward({ router: { count: count3, perToken, scoring: "softmax" }, experts: { count: count3, inner } });
}
function whereSparse(config, sparse) {
  const dense = gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size });
  const isSparse = (index) => !config.mlp_only_layers?.includes(index) && (index + 1) % config.decoder_sparse_step === 0;
  return (ops, place2, x) => (isSparse(place2.index) ? sparse : dense)(ops, place2, x);
}

// engine/models/qwen35.ts
import * as z22 from "zod";

// engine/models/vision-towers.ts
import * as z21 from "zod";
var channels = z21.number().int().min(1).max(16).default(3);
var siglipConfig = z21.object({
  hidden_size: size.default(768),
  intermediate_size: size.default(3072),
  num_hidden_layers: size.default(12),
  num_channels: channels,
  image_size: size.default(224),
  patch_size: size.default(16),
  vision_use_head: z21.boolean().default(true)
});
var pixtralConfig = z21.object({
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
var qwen2VisionConfig = z21.object({
  ...qwenVision,
  depth: size.default(32),
  embed_dim: size.default(1280),
  hidden_size: size.default(3584),
  mlp_ratio: z21.number().min(0.1).max(100).default(4),
  patch_size: size.default(14)
});
var qwen25VisionConfig = z21.object({
  ...qwenVision,
  depth: size.default(32),
  hidden_size: size.default(3584),
  intermediate_size: size.default(3420),
  out_hidden_size: size.default(3584),
  patch_size: size.default(14)
});
var qwen3VisionConfig = z21.object({
  ...qwenVision,
  depth: size.default(27),
  hidden_size: size.default(1152),
  intermediate_size: size.default(4304),
  out_hidden_size: size.default(3584),
  patch_size: size.default(16),
  num_position_embeddings: size.default(2304),
  deepstack_visual_indexes: z21.array(z21.number()).default([8, 16, 24])
});
function siglip(ops, root, config) {
  const { hidden_size: hidden, intermediate_size: inner, patch_size: patch } = config;
  const perceptron = [["mlp.fc1", hidden, inner], ["mlp.fc2", inner, hidden]];
  const projections3 = ["q_proj", "k_proj", "v_proj", "out_proj"].map(
    (part3) => [`self_attn.${part3}`, hidden, hidden]
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
    (part3) => [`attention.${part3}`, hidden, hidden]
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
  const names2 = ["linear_fc1", "linear_fc2"];
  ops.idle(hidden, (x) => ops.layerNorm(`${root}.merger.norm`, x));
  merger(ops, `${root}.merger`, names2, merged, outside);
  for (const index of config.deepstack_visual_indexes.keys()) {
    const name3 = `${root}.deepstack_merger_list.${index}`;
    ops.idle(merged, (x) => ops.layerNorm(`${name3}.norm`, x));
    merger(ops, name3, names2, merged, outside);
  }
}
var joinedAttention = (hidden) => [
  ["attn.qkv", hidden, 3 * hidden],
  ["attn.proj", hidden, hidden]
];
var voxels = (config) => config.in_channels * config.temporal_patch_size * config.patch_size ** 2;
function tower(ops, root, layers, hidden, layer5) {
  for (let index = 0; index < layers; index++) {
    const name3 = `${root}.${index}`;
    for (const norm2 of layer5.norms) {
      if (layer5.normKind === "rms") idleRmsNorm(ops, `${name3}.${norm2}`, hidden);
      else ops.idle(hidden, (x) => ops.layerNorm(`${name3}.${norm2}`, x));
    }
    for (const [part3, from2, to] of layer5.linears) idleLinear(ops, `${name3}.${part3}`, from2, to, layer5.bias);
  }
}
function merger(ops, name3, parts, merged, outside) {
  idleLinear(ops, `${name3}.${parts[0]}`, merged, merged, true);
  idleLinear(ops, `${name3}.${parts[1]}`, merged, outside, true);
}
function patches(ops, name3, hidden, features, { bias = false } = {}) {
  table(ops, name3, hidden, features);
  if (bias) ops.idle(hidden, (x) => ops.layerScale(`${name3}.bias`, x));
}
function table(ops, name3, count3, features) {
  ops.idle(features, () => ops.constantEmbedding(name3, count3, features, 1));
}
function idleLinear(ops, name3, from2, to, bias) {
  ops.idle(from2, (x) => ops.linear(name3, x, to, { bias }));
}
function idleRmsNorm(ops, name3, features) {
  ops.idle(features, (x) => ops.rmsNorm(name3, x, { size: features, scalesInFloat32: false }));
}

// engine/models/qwen35.ts
var hybridFields = {
  attention_bias: z22.boolean().default(false),
  head_dim: size.default(256),
  layer_types: z22.array(z22.string()).nullish(),
  linear_conv_kernel_dim: size.default(4),
  linear_key_head_dim: size.default(128),
  linear_value_head_dim: size.default(128),
  linear_num_key_heads: size.default(16),
  linear_num_value_heads: size.default(32),
  partial_rotary_factor: z22.number().min(0).max(1).default(0.25)
};
var vision_config = qwen3VisionConfig.omit({ deepstack_visual_indexes: true });
var qwen35Config = z22.object({
  model_type: z22.literal("qwen3_5"),
  tie_word_embeddings: z22.boolean().default(false),
  text_config: decoderFields.extend(hybridFields),
  vision_config
});
var qwen35MoeConfig = z22.object({
  model_type: z22.literal("qwen3_5_moe"),
  tie_word_embeddings: z22.boolean().default(false),
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
  const { num_experts: count3, num_experts_per_tok: perToken, moe_intermediate_size: inner } = config.text_config;
  const sparse = sparseFeedForward({ router: { count: count3, perToken, scoring: "softmax" }, experts: { count: count3, inner } });
  const shared = {
    name: "shared_expert",
    inner: config.text_config.shared_expert_intermediate_size,
    gateName: "shared_expert_gate"
  };
  return hybrid(config, withSharedExperts(sparse, config.text_config.hidden_size, shared));
}
function hybrid(config, feedForward6) {
  const text3 = { ...config.text_config, intermediate_size: 1 };
  const isLinear = (index) => text3.layer_types ? text3.layer_types[index] === "linear_attention" : (index + 1) % 4 !== 0;
  const [linear, full] = [deltaNet(text3), gatedAttention(text3)];
  return {
    ...llamaBlueprint(text3, {
      mixer: (ops, place2, x) => (isLinear(place2.index) ? linear : full)(ops, place2, x),
      feedForward: feedForward6
    }),
    root: "model.language_model",
    isTied: config.tie_word_embeddings,
    norm: "rms-one-plus",
    mixerName: (index) => isLinear(index) ? "linear_attn" : "self_attn",
    rotarySize: Math.floor(headSizeOf(text3) * text3.partial_rotary_factor),
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
  return (ops, { name: name3 }, x) => {
    const linear = (part3, features) => ops.linear(`${name3}.${part3}`, x, features, { bias: false });
    const joined = linear("in_proj_qkv", 2 * keys2 + values);
    const z92 = linear("in_proj_z", values);
    const [b, a] = [linear("in_proj_b", heads2), linear("in_proj_a", heads2)];
    const mixed = ops.causalConvolution(`${name3}.conv1d`, joined, config.linear_conv_kernel_dim);
    const [query, key2, value] = ops.split(mixed, [keys2, keys2, values]);
    const repeat = (states) => heads2 === keyHeads ? states : ops.repeatHeads(states, heads2 / keyHeads, keyHeads);
    const context = ops.gatedDeltaRule(name3, [repeat(query), repeat(key2), value], { a, b, heads: heads2 });
    const normalised2 = ops.rmsNorm(`${name3}.norm`, context, { size: valueSize, scalesInFloat32: false });
    return ops.linear(`${name3}.out_proj`, ops.gatedInFloat32(normalised2, z92), config.hidden_size, { bias: false });
  };
}

// engine/models/vision-language.ts
import * as z23 from "zod";
var languageModel = "model.language_model";
var gemma3VisionConfig = z23.object({
  model_type: z23.literal("gemma3"),
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
var mistral3Config = z23.object({
  model_type: z23.literal("mistral3"),
  tie_word_embeddings: z23.boolean().default(true),
  text_config: z23.discriminatedUnion("model_type", [mistralConfig, ministral3Config]),
  vision_config: pixtralConfig,
  spatial_merge_size: size.default(2),
  multimodal_projector_bias: z23.boolean().default(false)
});
var qwen2Text = decoderFields.extend({ use_sliding_window: z23.boolean().default(false) });
var qwen2VlConfig = z23.object({
  model_type: z23.literal("qwen2_vl"),
  tie_word_embeddings: z23.boolean().default(false),
  text_config: qwen2Text,
  vision_config: qwen2VisionConfig
});
var qwen25VlConfig = z23.object({
  model_type: z23.literal("qwen2_5_vl"),
  tie_word_embeddings: z23.boolean().default(false),
  text_config: qwen2Text,
  vision_config: qwen25VisionConfig
});
var qwen3VlConfig = z23.object({
  model_type: z23.literal("qwen3_vl"),
  tie_word_embeddings: z23.boolean().default(false),
  text_config: qwen3Config.omit({ model_type: true }),
  vision_config: qwen3VisionConfig
});
var qwen3VlMoeConfig = z23.object({
  model_type: z23.literal("qwen3_vl_moe"),
  tie_word_embeddings: z23.boolean().default(false),
  text_config: qwen3MoeConfig.omit({ model_type: true }),
  vision_config: qwen3VisionConfig
});
function gemma3Vision({
  text_config: text3,
  vision_config: vision
}) {
  return {
    ...gemma3(text3),
    root: languageModel,
    idle: (ops) => {
      const projector = "model.multi_modal_projector";
      siglip(ops, "model.vision_tower", vision);
      table(ops, `${projector}.mm_input_projection_weight`, vision.hidden_size, text3.hidden_size);
      idleRmsNorm(ops, `${projector}.mm_soft_emb_norm`, vision.hidden_size);
    }
  };
}
function mistral3(config) {
  const {
    text_config: text3,
    vision_config: vision,
    spatial_merge_size: merge,
    multimodal_projector_bias: bias
  } = config;
  return {
    ...text3.model_type === "mistral" ? mistral(text3) : ministral3(text3),
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
      idleLinear(ops, `${projector}.linear_1`, vision.hidden_size, text3.hidden_size, bias);
      idleLinear(ops, `${projector}.linear_2`, text3.hidden_size, text3.hidden_size, bias);
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
import * as z24 from "zod";
var falconConfig = z24.object({
  model_type: z24.literal("falcon"),
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
  bias: z24.boolean().default(false),
  new_decoder_architecture: z24.boolean().default(false),
  num_ln_in_parallel_attn: z24.number().nullish(),
  tie_word_embeddings: z24.boolean().default(true),
  // The Falcon-RW models have ALiBi instead of rotary positions, and attention before the feed-forward.
  alibi: z24.literal(false, { error: "Falcon with ALiBi (the RW models) is not supported" }).default(false),
  parallel_attn: z24.literal(true, { error: "Falcon without parallel attention is not supported" }).default(true),
  multi_query: z24.literal(true, { error: "Falcon without multi-query attention is not supported" }).default(true)
});
function falconLinear(ops, config, name3, x, outFeatures) {
  return ops.linear(name3, x, outFeatures, { bias: config.bias, composed: true });
}
function falcon(ops, config, task, labels) {
  const { hidden_size: hidden, num_attention_heads: heads2 } = config;
  let x = ops.embedding("transformer.word_embeddings", ops.input, config.vocab_size, hidden);
  const table4 = ops.rotaryTable(x, hidden / heads2);
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => layer2(ops, config, `transformer.h.${index}`, table4, input));
  }
  const output = ops.layerNorm("transformer.ln_f", x);
  if (task !== "causal-lm") return ops.lastToken(ops.linear("score", output, labels, { bias: false }));
  const tied3 = config.tie_word_embeddings ? { tiedTo: "transformer.word_embeddings.weight" } : {};
  return ops.linear("lm_head", output, config.vocab_size, { bias: false, ...tied3 });
}
function layer2(ops, config, name3, table4, x) {
  const normsTwice = config.new_decoder_architecture && (config.num_ln_in_parallel_attn ?? 2) === 2;
  const normalised2 = ops.layerNorm(`${name3}.${normsTwice ? "ln_attn" : "input_layernorm"}`, x);
  const forFeeding = normsTwice ? ops.layerNorm(`${name3}.ln_mlp`, x) : normalised2;
  const attended = ops.frame(normalised2, (input) => attention(ops, config, `${name3}.self_attention`, table4, input));
  const fed = ops.frame(forFeeding, (input) => feedForward3(ops, config, `${name3}.mlp`, input));
  return ops.residual(ops.dropout(ops.residual(fed, attended, { inPlace: true }), config.hidden_dropout), x);
}
function attention(ops, config, name3, table4, x) {
  const { hidden_size: hidden, num_attention_heads: heads2 } = config;
  const [query, key2, value] = projections2(ops, config, `${name3}.query_key_value`, x);
  const keyValueHeads = config.new_decoder_architecture ? heads2 : 1;
  const context = ops.attention(
    ops.rotary(query, table4, heads2),
    ops.cached(ops.rotary(key2, table4, keyValueHeads)),
    ops.cached(value),
    { heads: heads2, keyValueHeads, causal: true, dropout: 0, isAlwaysMasked: true, broadcastsHeads: true }
  );
  return falconLinear(ops, config, `${name3}.dense`, context, hidden);
}
function projections2(ops, config, name3, x) {
  const { hidden_size: hidden, num_attention_heads: heads2, new_decoder_architecture: isGrouped } = config;
  const headSize = hidden / heads2;
  const keyValueHeads = isGrouped ? config.num_kv_heads ?? heads2 : 1;
  const keySize = keyValueHeads * headSize;
  const joined = falconLinear(ops, config, name3, x, hidden + 2 * keySize);
  const [query, key2, value] = ops.slices(joined, [hidden, keySize, keySize]);
  const gathered3 = [key2, value].map((part3) => ops.gathered(part3));
  if (!isGrouped) return [query, ...gathered3];
  const repeated2 = gathered3.map((part3) => ops.repeatHeads(part3, heads2 / keyValueHeads, keyValueHeads));
  return [ops.gathered(query), ...repeated2];
}
function feedForward3(ops, config, name3, x) {
  const inner = config.ffn_hidden_size ?? 4 * config.hidden_size;
  const widened = ops.gelu(falconLinear(ops, config, `${name3}.dense_h_to_4h`, x, inner));
  return falconLinear(ops, config, `${name3}.dense_4h_to_h`, widened, config.hidden_size);
}

// engine/models/gpt2.ts
import * as z25 from "zod";
var gpt2Config = z25.object({
  model_type: z25.literal("gpt2"),
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
  const words3 = ops.embedding("transformer.wte", ops.input, config.vocab_size, config.n_embd);
  const places = ops.constantEmbedding("transformer.wpe", config.n_positions, config.n_embd, tokens);
  let x = ops.dropout(ops.add(words3, places), config.embd_pdrop);
  for (let index = 0; index < config.n_layer; index++) {
    x = ops.block(x, (input) => block2(ops, config, `transformer.h.${index}`, input));
  }
  const hidden = ops.layerNorm("transformer.ln_f", x);
  return task === "causal-lm" ? ops.linear("lm_head", hidden, config.vocab_size, { bias: false, tiedTo: "transformer.wte.weight" }) : ops.lastToken(ops.linear("score", hidden, labels, { bias: false }));
}
function block2(ops, config, name3, x) {
  const { n_embd: hidden, n_inner: inner, resid_pdrop: dropout } = config;
  const joined = ops.linear(`${name3}.attn.c_attn`, ops.layerNorm(`${name3}.ln_1`, x), 3 * hidden);
  const [query, key2, value] = ops.split(joined, [hidden, hidden, hidden]);
  const context = ops.attention(query, ops.cached(key2), ops.cached(value), {
    heads: config.n_head,
    causal: true,
    dropout: config.attn_pdrop
  });
  const attended = ops.residual(ops.dropout(ops.linear(`${name3}.attn.c_proj`, context, hidden), dropout), x);
  const normalised2 = ops.layerNorm(`${name3}.ln_2`, attended);
  const widened = ops.geluNew(ops.linear(`${name3}.mlp.c_fc`, normalised2, inner ?? 4 * hidden));
  return ops.residual(attended, ops.dropout(ops.linear(`${name3}.mlp.c_proj`, widened, hidden), dropout));
}

// engine/models/opt.ts
import * as z26 from "zod";
var optConfig = z26.object({
  model_type: z26.literal("opt"),
  vocab_size: size,
  hidden_size: size,
  ffn_dim: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  max_position_embeddings: size.default(2048),
  /** Narrower than `hidden_size` in OPT-350M, which projects in and out. */
  word_embed_proj_dim: size.nullish(),
  /** False in OPT-350M: norms come after the residual sums. */
  do_layer_norm_before: z26.boolean().default(true),
  dropout: probability.default(0.1),
  attention_dropout: probability.default(0)
});
var POSITION_OFFSET = 2;
function opt(ops, config, task, labels) {
  const { hidden_size: hidden, max_position_embeddings: positions } = config;
  const embedded = config.word_embed_proj_dim ?? hidden;
  const projects = embedded !== hidden;
  const words3 = ops.embedding("model.decoder.embed_tokens", ops.input, config.vocab_size, embedded);
  const places = ops.embedding("model.decoder.embed_positions", ops.input, positions + POSITION_OFFSET, hidden);
  const narrow = { bias: false };
  let x = ops.add(projects ? ops.linear("model.decoder.project_in", words3, hidden, narrow) : words3, places);
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => layer3(ops, config, `model.decoder.layers.${index}`, input));
  }
  const normalised2 = config.do_layer_norm_before ? ops.layerNorm("model.decoder.final_layer_norm", x) : x;
  const output = projects ? ops.linear("model.decoder.project_out", normalised2, embedded, narrow) : normalised2;
  return task === "causal-lm" ? ops.linear("lm_head", output, config.vocab_size, { bias: false, tiedTo: "model.decoder.embed_tokens.weight" }) : ops.lastToken(ops.linear("score", output, labels, narrow));
}
function layer3(ops, config, name3, x) {
  const { hidden_size: hidden, do_layer_norm_before: normsBefore, dropout } = config;
  const before = (part3, states) => normsBefore ? ops.layerNorm(`${name3}.${part3}`, states) : states;
  const after = (part3, states) => normsBefore ? states : ops.layerNorm(`${name3}.${part3}`, states);
  const normalised2 = before("self_attn_layer_norm", x);
  const [query, key2, value] = ["q_proj", "k_proj", "v_proj"].map(
    (part3) => ops.linear(`${name3}.self_attn.${part3}`, normalised2, hidden)
  );
  const shape = {
    heads: config.num_attention_heads,
    causal: true,
    dropout: config.attention_dropout,
    castsSoftmax: true
  };
  const context = ops.attention(ops.scale(query), ops.cached(key2), ops.cached(value), shape);
  const projected = ops.dropout(ops.linear(`${name3}.self_attn.out_proj`, context, hidden), dropout);
  const attended = after("self_attn_layer_norm", ops.residual(projected, x));
  const widened = ops.relu(ops.linear(`${name3}.fc1`, before("final_layer_norm", attended), config.ffn_dim));
  const fed = ops.dropout(ops.linear(`${name3}.fc2`, widened, hidden), dropout);
  return after("final_layer_norm", ops.residual(fed, attended));
}

// engine/models/parallel-decoder.ts
import * as z27 from "zod";
var gptNeoxConfig = z27.object({
  model_type: z27.literal("gpt_neox"),
  vocab_size: size,
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  max_position_embeddings: size,
  rotary_pct: z27.number().min(0).max(1).default(0.25),
  hidden_dropout: probability.default(0),
  attention_dropout: probability.default(0),
  use_parallel_residual: z27.boolean().default(true),
  tie_word_embeddings: z27.boolean().default(false)
});
var phiConfig = z27.object({
  model_type: z27.literal("phi"),
  vocab_size: size,
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  max_position_embeddings: size,
  partial_rotary_factor: z27.number().min(0).max(1).default(0.5),
  resid_pdrop: probability.default(0),
  embd_pdrop: probability.default(0),
  attention_dropout: probability.default(0)
});
function gptNeox(ops, config, task, labels) {
  const { hidden_size: hidden, num_attention_heads: heads2, hidden_dropout: dropout } = config;
  const words3 = ops.embedding("gpt_neox.embed_in", ops.input, config.vocab_size, hidden);
  let x = ops.dropout(words3, dropout);
  const table4 = ops.rotaryTable(x, Math.floor(hidden / heads2 * config.rotary_pct));
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => neoxLayer(ops, config, `gpt_neox.layers.${index}`, table4, input));
  }
  const output = ops.layerNorm("gpt_neox.final_layer_norm", x);
  if (task !== "causal-lm") return ops.lastToken(ops.linear("score", output, labels, { bias: false }));
  const tied3 = config.tie_word_embeddings ? { tiedTo: "gpt_neox.embed_in.weight" } : {};
  return ops.linear("embed_out", output, config.vocab_size, { bias: false, ...tied3 });
}
function neoxLayer(ops, config, name3, table4, x) {
  const { hidden_size: hidden, num_attention_heads: heads2, hidden_dropout: dropout } = config;
  const normalised2 = ops.layerNorm(`${name3}.input_layernorm`, x);
  const joined = ops.linear(`${name3}.attention.query_key_value`, normalised2, 3 * hidden);
  const [query, key2, value] = ops.split(joined, [hidden, hidden, hidden]);
  const [q, k] = [query, key2].map((states) => ops.rotary(states, table4, heads2));
  const shape = { heads: heads2, causal: true, dropout: config.attention_dropout, castsSoftmax: true };
  const context = ops.attention(q, ops.cached(k), ops.cached(value), shape);
  const attended = ops.dropout(ops.linear(`${name3}.attention.dense`, context, hidden), dropout);
  if (!config.use_parallel_residual) {
    const sum2 = ops.residual(attended, x);
    return ops.residual(ops.dropout(neoxFeedForward(ops, config, name3, sum2), dropout), sum2);
  }
  const fed = ops.dropout(neoxFeedForward(ops, config, name3, x), dropout);
  return ops.residual(ops.residual(fed, attended), x);
}
function neoxFeedForward(ops, config, name3, x) {
  const normalised2 = ops.layerNorm(`${name3}.post_attention_layernorm`, x);
  const widened = ops.gelu(ops.linear(`${name3}.mlp.dense_h_to_4h`, normalised2, config.intermediate_size));
  return ops.linear(`${name3}.mlp.dense_4h_to_h`, widened, config.hidden_size);
}
function phi(ops, config, task, labels) {
  const { hidden_size: hidden, num_attention_heads: heads2 } = config;
  const words3 = ops.embedding("model.embed_tokens", ops.input, config.vocab_size, hidden);
  let x = ops.dropout(words3, config.embd_pdrop);
  const table4 = ops.rotaryTable(x, Math.floor(hidden / heads2 * config.partial_rotary_factor));
  for (let index = 0; index < config.num_hidden_layers; index++) {
    x = ops.block(x, (input) => phiLayer(ops, config, `model.layers.${index}`, table4, input));
  }
  const output = ops.layerNorm("model.final_layernorm", x);
  return task === "causal-lm" ? ops.linear("lm_head", output, config.vocab_size) : ops.lastToken(ops.linear("score", output, labels, { bias: false }));
}
function phiLayer(ops, config, name3, table4, x) {
  const { hidden_size: hidden, num_attention_heads: heads2, resid_pdrop: dropout } = config;
  const normalised2 = ops.layerNorm(`${name3}.input_layernorm`, x);
  const [query, key2, value] = ["q_proj", "k_proj", "v_proj"].map(
    (part3) => ops.linear(`${name3}.self_attn.${part3}`, normalised2, hidden)
  );
  const [q, k] = [query, key2].map((states) => ops.rotary(states, table4, heads2));
  const shape = { heads: heads2, causal: true, dropout: config.attention_dropout, castsSoftmax: true };
  const context = ops.attention(q, ops.cached(k), ops.cached(value), shape);
  const attended = ops.dropout(ops.linear(`${name3}.self_attn.dense`, context, hidden), dropout);
  const widened = ops.geluNew(ops.linear(`${name3}.mlp.fc1`, normalised2, config.intermediate_size));
  const fed = ops.dropout(ops.linear(`${name3}.mlp.fc2`, widened, hidden), dropout);
  return ops.residual(ops.residual(attended, fed), x);
}

// engine/models/resnet.ts
import * as z28 from "zod";
var resnetConfig = z28.object({
  model_type: z28.literal("resnet"),
  embedding_size: size.default(64),
  hidden_sizes: z28.array(size).min(1).max(20).default([256, 512, 1024, 2048]),
  depths: z28.array(size).min(1).max(20).default([3, 4, 6, 3]),
  layer_type: z28.enum(["basic", "bottleneck"]).default("bottleneck"),
  downsample_in_first_stage: z28.boolean().default(false),
  downsample_in_bottleneck: z28.boolean().default(false)
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
function residualLayer(ops, config, name3, x, shape) {
  const { channels: channels2, outChannels, stride } = shape;
  const inner = config.layer_type === "basic" ? basic(ops, name3, x, shape) : bottleneck(ops, config, name3, x, shape);
  const projects = channels2 !== outChannels || stride !== 1;
  const skip2 = projects ? convolution(ops, `${name3}.shortcut`, x, outChannels, { kernel: 1, stride }) : x;
  return ops.relu(ops.residual(inner, skip2, { inPlace: true }));
}
function basic(ops, name3, x, { outChannels, stride }) {
  const first = ops.relu(convolution(ops, `${name3}.0`, x, outChannels, { kernel: 3, stride }));
  return convolution(ops, `${name3}.1`, first, outChannels, { kernel: 3, stride: 1 });
}
function bottleneck(ops, config, name3, x, shape) {
  const { outChannels, stride } = shape;
  const inside = outChannels / REDUCTION;
  const [firstStride, secondStride] = config.downsample_in_bottleneck ? [stride, 1] : [1, stride];
  const narrowed = ops.relu(convolution(ops, `${name3}.0`, x, inside, { kernel: 1, stride: firstStride }));
  const filtered = ops.relu(convolution(ops, `${name3}.1`, narrowed, inside, { kernel: 3, stride: secondStride }));
  return convolution(ops, `${name3}.2`, filtered, outChannels, { kernel: 1, stride: 1 });
}
function convolution(ops, name3, x, outChannels, options) {
  return ops.batchNorm(`${name3}.normalization`, ops.conv2d(`${name3}.convolution`, x, outChannels, options));
}

// engine/models/t5.ts
import * as z29 from "zod";
var t5Config = z29.object({
  model_type: z29.literal("t5"),
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
  feed_forward_proj: z29.enum(["relu", "gated-gelu"]).default("relu"),
  /** False from T5 1.1 on. transformers ties the weights all the same, and scales the decoder's output only when true. */
  tie_word_embeddings: z29.boolean().default(true),
  /** Tokens of the pre-training; relative positions set no limit. */
  n_positions: size.default(512)
});
var WORDS = "shared.weight";
function t5(ops, config, tokens, targetTokens) {
  const encoder3 = { config, name: "encoder", ids: ops.input, tokens, layers: config.num_layers };
  const encoded2 = runStack(ops, encoder3);
  const decoded = runStack(ops, {
    config,
    name: "decoder",
    ids: ops.shiftedLabels(),
    tokens: targetTokens,
    layers: config.num_decoder_layers ?? config.num_layers,
    source: { encoded: encoded2, tokens }
  });
  const output = config.tie_word_embeddings ? ops.scale(decoded) : decoded;
  return ops.linear("lm_head", output, config.vocab_size, { bias: false, tiedTo: WORDS });
}
function runStack(ops, { config, name: name3, ids, tokens, layers, source }) {
  const { num_heads: heads2, relative_attention_num_buckets: buckets, dropout_rate: dropout } = config;
  const words3 = ops.embedding("shared", ids, config.vocab_size, config.d_model);
  const table4 = `${name3}.block.0.layer.0.SelfAttention.relative_attention_bias`;
  const bias = ops.relativePositionBias(table4, buckets, heads2, tokens);
  const sourceBias = source && ops.zeroPositionBias(heads2, tokens, source.tokens);
  const shared = [bias, ...source ? [source.encoded] : [], ...sourceBias ? [sourceBias] : []];
  let x = ops.dropout(words3, dropout);
  for (let index = 0; index < layers; index++) {
    const block3 = `${name3}.block.${index}`;
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
  return ops.dropout(norm(ops, config, `${name3}.final_layer_norm`, x), dropout);
}
function selfAttention(ops, config, name3, x, { causal, bias }) {
  return sublayer(
    ops,
    config,
    name3,
    x,
    (normalised2) => attention2(ops, config, `${name3}.SelfAttention`, normalised2, normalised2, { causal, caches: causal, bias })
  );
}
function crossAttention(ops, config, name3, x, source, bias) {
  return sublayer(
    ops,
    config,
    name3,
    x,
    (normalised2) => attention2(ops, config, `${name3}.EncDecAttention`, normalised2, source, { causal: false, caches: true, bias })
  );
}
function sublayer(ops, config, name3, x, body2) {
  return ops.frame(x, (input) => {
    const result2 = ops.frame(norm(ops, config, `${name3}.layer_norm`, input), body2);
    return ops.residual(ops.dropout(result2, config.dropout_rate), input);
  });
}
function attention2(ops, config, name3, x, source, { causal, caches, bias }) {
  const { num_heads: heads2, d_kv: headSize, dropout_rate: dropout } = config;
  const project = (part3, from2) => ops.linear(`${name3}.${part3}`, from2, heads2 * headSize, { bias: false });
  const [query, key2, value] = [project("q", x), project("k", source), project("v", source)];
  const [k, v] = caches ? [ops.cached(key2), ops.cached(value)] : [key2, value];
  const shape = { heads: heads2, causal, dropout };
  return ops.linear(`${name3}.o`, ops.attention(query, k, v, shape, bias), config.d_model, { bias: false });
}
function feedForward4(ops, config, name3, x) {
  const module = `${name3}.DenseReluDense`;
  return sublayer(ops, config, name3, x, (normalised2) => {
    const widen = (part3) => ops.linear(`${module}.${part3}`, normalised2, config.d_ff, { bias: false });
    const widened = config.feed_forward_proj === "relu" ? ops.relu(widen("wi")) : ops.multiply(ops.geluNew(widen("wi_0")), widen("wi_1"));
    const dropped = ops.dropout(widened, config.dropout_rate);
    return ops.linear(`${module}.wo`, dropped, config.d_model, { bias: false, castsInput: true });
  });
}
function norm(ops, config, name3, x) {
  return ops.rmsNorm(name3, x, { size: config.d_model, scalesInFloat32: false, scalesInput: true });
}

// engine/models/vit.ts
import * as z30 from "zod";
var visionEncoder = z30.object({
  hidden_size: size.default(768),
  num_hidden_layers: size.default(12),
  num_attention_heads: size.default(12),
  intermediate_size: size.default(3072),
  hidden_dropout_prob: probability.default(0),
  attention_probs_dropout_prob: probability.default(0),
  /** Pixels of the side that the position table was made for. */
  image_size: size.default(224),
  patch_size: size.default(16),
  qkv_bias: z30.boolean().default(true)
});
var vitConfig = visionEncoder.extend({ model_type: z30.literal("vit") });
var deitConfig = visionEncoder.extend({ model_type: z30.literal("deit") });
function vit(ops, config, labels) {
  const { hidden_size: hidden, patch_size: patch } = config;
  const convolution2 = { kernel: patch, stride: patch, padding: 0, bias: true };
  const patches2 = ops.flattenPixels(
    ops.conv2d("embeddings.patch_embeddings.projection", ops.input, hidden, convolution2)
  );
  const special = config.model_type === "deit" ? ["cls_token", "distillation_token"] : ["cls_token"];
  const tokens = ops.prependTokens(
    special.map((name3) => `embeddings.${name3}`),
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
function layer4(ops, config, name3, x) {
  const normalised2 = ops.layerNorm(`${name3}.layernorm_before`, x);
  const context = ops.frame(normalised2, (input) => attention3(ops, config, `${name3}.attention`, input));
  const attended = ops.residual(ops.dropout(context, config.hidden_dropout_prob), x);
  const normed = ops.layerNorm(`${name3}.layernorm_after`, attended);
  const fed = ops.frame(normed, (input) => feedForward5(ops, config, `${name3}.mlp`, input));
  return ops.residual(ops.dropout(fed, config.hidden_dropout_prob), attended);
}
function attention3(ops, config, name3, x) {
  const [query, key2, value] = ["q_proj", "k_proj", "v_proj"].map(
    (part3) => ops.linear(`${name3}.${part3}`, x, config.hidden_size, { bias: config.qkv_bias })
  );
  const context = ops.attention(query, key2, value, {
    heads: config.num_attention_heads,
    causal: false,
    dropout: config.attention_probs_dropout_prob,
    castsSoftmax: true
  });
  return ops.linear(`${name3}.o_proj`, context, config.hidden_size);
}
function feedForward5(ops, config, name3, x) {
  const widened = ops.gelu(ops.linear(`${name3}.fc1`, x, config.intermediate_size));
  return ops.linear(`${name3}.fc2`, widened, config.hidden_size);
}

// engine/models/architecture.ts
var modelConfig = z31.discriminatedUnion("model_type", [
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
var tasks2 = {
  encoder: ["sequence-classification", "masked-lm"],
  decoder: ["causal-lm", "sequence-classification"],
  "encoder-decoder": ["seq2seq-lm"],
  image: ["image-classification"]
};
function tasksOf(config) {
  return tasks2[kindOf(config)];
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
  const text3 = "text_config" in config ? config.text_config : config;
  return "num_experts_per_tok" in text3;
}
function supportsCheckpointing(config) {
  return config.model_type !== "resnet" && config.model_type !== "convnext";
}
function forward(ops, config, spec2) {
  const tokens = spec2.sequenceLength ?? 0;
  switch (config.model_type) {
    case "bert":
    case "roberta":
      return bert(ops, config, tokens, spec2.task, spec2.labels);
    case "distilbert":
      return distilbert(ops, config, tokens, spec2.task, spec2.labels);
    case "gpt2":
      return gpt2(ops, config, tokens, spec2.task, spec2.labels);
    case "phi":
      return phi(ops, config, spec2.task, spec2.labels);
    case "gpt_neox":
      return gptNeox(ops, config, spec2.task, spec2.labels);
    case "opt":
      return opt(ops, config, spec2.task, spec2.labels);
    case "falcon":
      return falcon(ops, config, spec2.task, spec2.labels);
    case "t5":
      return t5(ops, config, tokens, spec2.targetLength ?? tokens);
    case "resnet":
      return resnet(ops, config, spec2.labels);
    case "vit":
    case "deit":
      return vit(ops, config, spec2.labels);
    case "convnext":
      return convnext(ops, config, spec2.labels);
    default:
      return decoderModel(ops, blueprintOf(config), spec2.task, spec2.labels);
  }
}

// engine/estimate/error-band.ts
var TRACED_BAND_PERCENT = 3;
var DERIVED_BAND_PERCENT = 10;
function errorBandPercent(spec2, config) {
  const isTraced = beyondTrace(spec2) === void 0 && sentencesOn(spec2, config).length === 0;
  return isTraced ? TRACED_BAND_PERCENT : DERIVED_BAND_PERCENT;
}
function beyondTrace(spec2) {
  return spec2.gpus > 1 ? "several GPUs" : beyondTorch(spec2);
}
function beyondTorch(spec2) {
  if (spec2.gpus > 1 && spec2.sharding?.startsWith("zero")) return "DeepSpeed's sharding";
  if (spec2.quantizedExperts) return "quantised experts";
  if (spec2.fakeQuantization?.format !== void 0) return "4-bit floats";
  if (spec2.float8) return "8-bit floats";
  if (spec2.offload !== void 0) return "offloading";
  if (spec2.fusedLoss) return "a fused loss";
  if (spec2.precision === "bf16-master") return "float32 master weights";
  return spec2.optimizer === "lion" || spec2.optimizer === "paged-adamw" ? `the optimizer ${spec2.optimizer}` : void 0;
}
function derivationOf(spec2, config) {
  const beyond = beyondTrace(spec2);
  const ofModel = sentencesOn(spec2, config);
  if (beyond === void 0) return ofModel;
  return [
    ...ofModel,
    `What ${beyond} take${beyond.endsWith("s") ? "" : "s"} is derived from sources and documentation; no trace and no GPU has confirmed it, and the band of ${DERIVED_BAND_PERCENT} % is a guess.`
  ];
}
function sentencesOn(spec2, config) {
  const isBfloat16 = spec2.precision === "bf16" || spec2.precision === "bf16-master";
  return [
    ...seesImages(config) ? [
      "Text alone is counted: how many images of which size a sample holds cannot be known from the config. The weights of the layers that see them are in the figures, their activations are not."
    ] : [],
    ...hasExperts(config) && spec2.quantization !== void 0 && !spec2.quantizedExperts ? [
      "The experts are counted without quantisation: transformers 5 holds them as parameters of their own, which the quantisation of linear layers passes over."
    ] : [],
    ...config.model_type === "qwen3_5" || config.model_type === "qwen3_5_moe" ? [
      "Linear attention is counted in flash-linear-attention's kernels, derived from their sources; where they are not installed transformers' own composition takes more."
    ] : [],
    ...config.model_type === "gpt_oss" && spec2.attention === "sdpa" ? [
      "Attention is counted in a flash kernel that takes gpt-oss's sinks, such as kernels-community/vllm-flash-attn3; without one transformers computes it eagerly, in far more memory. Its kernel is derived from its sources."
    ] : [],
    ...hasExperts(config) && !isBfloat16 ? ["Experts in float32 run in a kernel that no trace covers; they are counted as in bfloat16, at twice the size."] : []
  ];
}

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
function formatUsd(usd3) {
  const digits2 = Math.abs(usd3) < 100 ? 2 : 0;
  return `$${usd3.toLocaleString("en-US", { minimumFractionDigits: digits2, maximumFractionDigits: digits2 })}`;
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
var gpus = rows.map((row7) => ({
  ...row7,
  contextBytes: CONTEXT_BYTES,
  cublasWorkspaceBytes: cublasWorkspaceBytes(row7.computeCapability)
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
    const others = otherNames.filter(([, id7]) => id7 === gpu2.id).map(([name3]) => name3);
    return [gpu2.id, gpu2.name, ...others].map((name3) => [key(name3), gpu2]);
  })
);
var defaultGpu = knownGpu("a10");
function findGpu(text3) {
  return byKey.get(key(text3));
}
function knownGpu(id7) {
  const gpu2 = gpus.find((candidate) => candidate.id === id7);
  if (gpu2 === void 0) throw new Error(`the catalogue lost ${id7}`);
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

// engine/metrics/cost.ts
function costPerRunUsd({ hoursPerRun: hoursPerRun2, pricePerHourUsd: pricePerHourUsd2, gpus: gpus2 }, relativeSpeed = 1) {
  return hoursPerRun2 * pricePerHourUsd2 * gpus2 / relativeSpeed;
}
function savingsPerRunUsd(terms, speedup) {
  return costPerRunUsd(terms) * (1 - 1 / speedup);
}

// engine/metrics/recommend.ts
var THROUGHPUT_TOLERANCE = 0.02;
var DEFAULT_MARGIN = 0.05;
var KEEPING_WORTH = 0.9;
function recommend(situation4) {
  const { current, samplesPerSecond } = situation4;
  const fastest = smallestNearBest(situation4);
  if (current.gradientAccumulation === 1 && fastest > current.microBatch) {
    return { microBatch: fastest, gradientAccumulation: 1 };
  }
  const perGpu = current.microBatch * current.gradientAccumulation;
  const changed = { microBatch: fastest, gradientAccumulation: Math.max(1, Math.round(perGpu / fastest)) };
  const kept = keepingEffectiveBatch(situation4, perGpu);
  const keptIsGood = kept.gradientAccumulation === 1 || samplesPerSecond(kept) >= KEEPING_WORTH * samplesPerSecond(changed);
  return keptIsGood ? kept : changed;
}
function smallestNearBest({ grid, largestWithMargin, samplesPerSecond }) {
  const rate2 = (batch) => samplesPerSecond({ microBatch: batch, gradientAccumulation: 1 });
  const enough = rate2(largestWithMargin) * (1 - THROUGHPUT_TOLERANCE);
  let low = 0;
  let high = grid.indexOf(largestWithMargin);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (rate2(grid.at(middle)) >= enough) high = middle;
    else low = middle + 1;
  }
  return grid.at(low);
}
function keepingEffectiveBatch(situation4, perGpu) {
  const plans = divisors(perGpu).filter((divisor) => divisor <= situation4.largestWithMargin).map((microBatch) => ({ microBatch, gradientAccumulation: perGpu / microBatch }));
  const rates = plans.map((plan) => situation4.samplesPerSecond(plan));
  const enough = Math.max(...rates) * (1 - THROUGHPUT_TOLERANCE);
  return plans[rates.findIndex((rate2) => rate2 >= enough)] ?? { microBatch: 1, gradientAccumulation: perGpu };
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
  const [rows2, columns4] = [parameter.shape.at(-2), parameter.shape.at(-1)];
  if (rows2 === void 0 || columns4 === void 0) return float32Bytes(parameter);
  return (elements(parameter) / columns4 + elements(parameter) / rows2) * bytesPerElement.float32;
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
  constructor({ spec: spec2, nodes, parameterCount }, gpu2) {
    this.#bytesPerSecond = gpu2.memoryBandwidthBytesPerSecond * BANDWIDTH_EFFICIENCY;
    this.#kernels = kernelsOf(nodes, gpu2, spec2.precision, spec2.step === "training" && spec2.gradientCheckpointing);
    const weightBytes = parameterCount * (spec2.precision.startsWith("bf16") ? 2 : 4);
    const passes = spec2.step === "training" ? optimizerRules[spec2.optimizer].passes : 0;
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

// engine/estimate/autograd.ts
var REFERENCE = "reference.";
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
  /** Every cast that the present autocast context keeps until it ends. */
  #cachedCasts = [];
  /** Undefined while gradients are recorded. */
  pass;
  #sequencesPerSample;
  #bufferNames = /* @__PURE__ */ new Set();
  #edges = 0;
  #storages = 0;
  /** `hasFlash`: the GPU runs the flash attention kernel. */
  constructor(spec2, { hasFlash }) {
    this.hasFlash = hasFlash;
    this.spec = spec2;
    this.weightDtype = weightDtypes[spec2.precision];
    this.autocastDtype = autocastDtypes[spec2.precision];
    this.training = spec2.step === "training";
    this.isPadded = spec2.paddedBatches && spec2.task !== "image-classification";
    this.#sequencesPerSample = sequencesPerSample(spec2);
  }
  /** torch.no_grad: what `run` does is recorded without saving anything for a backward pass. */
  withoutGradients(pass, run2) {
    this.pass = pass;
    const result2 = this.underAutocast(run2);
    this.pass = void 0;
    return result2;
  }
  /** torch.autocast around `run`: the cache of cast weights begins and ends with it. */
  underAutocast(run2) {
    this.castWeights = /* @__PURE__ */ new Map();
    this.#cachedCasts = [];
    const result2 = run2();
    this.record("return", { reads: this.#cachedCasts, outputs: [] });
    this.castWeights = /* @__PURE__ */ new Map();
    return result2;
  }
  /** Asking for a name twice shares the parameter. */
  parameter(layerName, shape, options) {
    const isCopy = this.pass?.of === "copy";
    const name3 = isCopy ? REFERENCE + layerName : layerName;
    const known3 = this.parameters.get(name3);
    if (known3 !== void 0) return known3;
    const { dtype = (isCopy ? this.pass?.dtype : void 0) ?? this.weightDtype } = options;
    const trainable = options.trainable && !isCopy;
    const storage = this.persistent(elements({ shape }) * bytesPerElement[dtype]);
    const parameter = { storage, shape, batched: false, dtype, requiresGrad: trainable, edge: this.newEdge() };
    this.parameters.set(name3, parameter);
    return parameter;
  }
  /** A kernel that reads `x` and writes a tensor of its shape. */
  elementwise(name3, x, options = {}) {
    const output = this.tensor(x.shape, x.dtype, [x], x);
    const saves = [...options.saves ?? [], ...options.savesOutput ? [output] : []];
    this.record(name3, { reads: [x], outputs: [output], saves, gradients: [made(x)] });
    return output;
  }
  dropout(x, probability2) {
    if (!this.training || probability2 === 0 || this.spec.dropout === false || this.pass !== void 0) return x;
    const mask = this.storage(elements(x), "bool", x.batched);
    const output = this.tensor(x.shape, x.dtype, [x], x);
    this.record("dropout", { reads: [x], outputs: [output], saved: [mask], gradients: [made(x)] });
    return output;
  }
  add(x, y, options = {}) {
    const dtype = widest(x.dtype, y.dtype);
    const output = options.inPlace ? { ...x, requiresGrad: x.requiresGrad || y.requiresGrad } : this.tensor(x.batched ? x.shape : y.shape, dtype, [x, y], { batched: x.batched || y.batched });
    const same2 = (side) => side.batched === output.batched && side.dtype === output.dtype;
    this.record("add", {
      reads: [x, y],
      outputs: [output],
      gradients: [x, y].map((side) => ({ to: side, passes: same2(side) }))
    });
    return output;
  }
  multiply(x, y) {
    const larger = elements(x) >= elements(y) ? x : y;
    const output = this.tensor(larger.shape, widest(x.dtype, y.dtype), [x, y], { batched: x.batched || y.batched });
    const saves = [...y.requiresGrad ? [x] : [], ...x.requiresGrad ? [y] : []];
    const isReduced = (side) => side.batched !== output.batched || elements(side) < elements(output) || side.dtype !== output.dtype;
    const backwardScratch = [x, y].filter((side) => side.requiresGrad && isReduced(side)).map(() => this.like(output, "temporaries"));
    this.record("mul", { reads: [x, y], outputs: [output], saves, gradients: [x, y].map(made), backwardScratch });
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
    const heads2 = left.shape[0] ?? 1;
    const inner = Math.sqrt(elements(left) * elements(right) / (elements(output) * heads2));
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
    const last = parts.reduce((sum2, part3) => sum2 + (part3.shape.at(-1) ?? 0), 0);
    const output = this.tensor([...first.shape.slice(0, -1), last], first.dtype, parts, first);
    this.record("cat", { reads: parts, outputs: [output], gradients: parts.map((to) => ({ to, passes: true })) });
    return output;
  }
  /** Under autocast, what matrix products read: weights are cast once a forward pass, activations each time. */
  lowered(x, { cache = true } = {}) {
    if (this.autocastDtype === void 0 || x.dtype !== "float32") return x;
    const isCached = cache && x.storage.persistent && x.requiresGrad;
    const known3 = isCached ? this.castWeights.get(x) : void 0;
    if (known3 !== void 0) return known3;
    const cast = this.cast(x, this.autocastDtype);
    if (x.storage.persistent) cast.storage.kind = "weights";
    if (isCached) {
      this.castWeights.set(x, cast);
      this.#cachedCasts.push(cast);
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
  tensor(shape, dtype, from2, { batched } = { batched: true }) {
    const storage = this.storage(elements({ shape }), dtype, batched);
    const requiresGrad = this.pass === void 0 && from2.some((input) => input.requiresGrad);
    return { storage, shape, batched, dtype, requiresGrad, edge: this.newEdge() };
  }
  storage(count3, dtype, batched, kind = "activations") {
    return this.#newStorage(count3 * bytesPerElement[dtype], batched, kind, false);
  }
  /** A storage of the model beside its parameters. Another pass over the same weights finds it there. */
  buffer(name3, bytes5) {
    const key2 = this.pass?.of === "copy" ? REFERENCE + name3 : name3;
    if (this.#bufferNames.has(key2)) return;
    this.#bufferNames.add(key2);
    this.buffers.push(this.persistent(bytes5));
  }
  /** A storage of the model itself. */
  persistent(bytes5) {
    return this.#newStorage(bytes5, false, "weights", true);
  }
  /** A new storage of a tensor's size: its gradient, its optimizer state, a temporary. */
  like(tensor, kind) {
    return this.#newStorage(elements(tensor) * bytesPerElement[tensor.dtype], tensor.batched, kind, false);
  }
  /** Any other storage, in bytes, that does not grow with the batch. */
  fixed(bytes5, kind) {
    return this.#newStorage(bytes5, false, kind, false);
  }
  newEdge() {
    return this.#edges++;
  }
  /** Outside the graph (no output requires a gradient) nothing is saved. */
  record(name3, options) {
    const { outputs, saves = [], saved = [], keeps = [], gradients = [], scratch = [], backwardScratch = [] } = options;
    const readStorages = options.reads.map((tensor) => tensor.storage);
    const inGraph = outputs.some((output) => output.requiresGrad);
    const created = outputs.map((tensor) => tensor.storage).filter((storage) => !readStorages.includes(storage));
    this.nodes.push({
      name: name3,
      reads: readStorages,
      creates: [...created, ...saved],
      scratch,
      saves: inGraph ? [...saves.map((tensor) => tensor.storage), ...saved] : [],
      keeps: inGraph ? keeps.map((tensor) => tensor.storage) : [],
      outputs,
      gradients: gradients.filter((edge) => edge.to.requiresGrad),
      backwardScratch,
      flopsPerSample: (options.flopsPerSample ?? 0) * this.#sequencesPerSample,
      computeDtype: outputs[0]?.dtype ?? "float32"
    });
  }
  #newStorage(bytes5, batched, kind, persistent) {
    const [fixedBytes, bytesPerSample] = batched ? [0, bytes5 * this.#sequencesPerSample] : [bytes5, 0];
    return { id: this.#storages++, fixedBytes, bytesPerSample, kind, persistent };
  }
};
function made(to) {
  return { to, passes: false };
}
function widest(x, y) {
  return x === "float32" || y === "float32" ? "float32" : x;
}

// engine/estimate/sharding.ts
function sharesOf({ gpus: gpus2, sharding = "ddp", offload }) {
  const divided2 = 1 / gpus2;
  const state = offload === void 0 ? divided2 : 0;
  const weights = offload === "optimizer-and-weights" ? 0 : divided2;
  switch (sharding) {
    case "ddp":
      return { weights: 1, gradients: 1, optimizerState: offload === void 0 ? 1 : 0 };
    case "zero1":
      return { weights: 1, gradients: 1, optimizerState: state };
    case "zero2":
      return { weights: 1, gradients: divided2, optimizerState: state };
    case "zero3":
    case "fsdp":
      return { weights, gradients: divided2, optimizerState: state };
  }
}
function exchangeBytes(spec2, parameters) {
  if (spec2.gpus === 1 && spec2.offload !== "optimizer-and-weights") return 0;
  const { sharding = "ddp" } = spec2;
  if (sharding === "ddp") return sum([...parameters.values()].filter((parameter) => parameter.requiresGrad).map(bytesOf));
  if (sharding === "zero1" || sharding === "zero2") return 0;
  const units = /* @__PURE__ */ new Map();
  for (const [name3, parameter] of parameters) {
    const unit = /^.*?\.\d+(?=\.)/.exec(name3)?.[0] ?? "";
    units.set(unit, (units.get(unit) ?? 0) + bytesOf(parameter));
  }
  const blocks2 = [...units].filter(([unit]) => unit !== "").map(([, bytes5]) => bytes5);
  return (units.get("") ?? 0) + 2 * Math.max(0, ...blocks2);
}
function bytesOf(parameter) {
  return elements(parameter) * bytesPerElement[parameter.dtype];
}
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

// engine/estimate/timeline.ts
var OPTIMIZER_MOMENT = "the optimizer";
function playStep(tape, spec2, loss, held) {
  const shares = sharesOf(spec2);
  const player = new Player(tape, loss, shares);
  const microSteps = spec2.step === "training" ? Math.min(spec2.gradientAccumulation, 2) : 1;
  for (let index = 0; index < microSteps; index++) player.microStep(held);
  const parameters = [...tape.parameters.values()];
  const optimized = parameters.filter((parameter) => parameter.requiresGrad).map((parameter) => master(spec2, parameter));
  const isTraining = spec2.step === "training";
  const eventsBeforeOptimizer = player.events.length;
  if (isTraining) player.optimizerStep(spec2.optimizer, optimized);
  player.releaseGradients();
  const exchange = isTraining ? exchangeBytes(spec2, tape.parameters) : 0;
  return {
    model: [
      ...[...parameters.map((parameter) => parameter.storage), ...tape.buffers].map(
        (storage) => share(storage, shares.weights)
      ),
      ...exchange > 0 ? [tape.fixed(exchange, "temporaries")] : []
    ],
    optimizerState: isTraining ? optimizerState(tape, spec2, optimized, shares) : [],
    step: player.events,
    eventsBeforeOptimizer,
    parameterCount: [...tape.parameters].filter(([name3]) => !name3.startsWith(REFERENCE)).reduce((sum2, [, parameter]) => sum2 + elements(parameter), 0)
  };
}
function master(spec2, parameter) {
  return spec2.precision === "bf16-master" ? { ...parameter, dtype: "float32" } : parameter;
}
function optimizerState(tape, spec2, optimized, shares) {
  const { stateBytes } = optimizerRules[spec2.optimizer];
  const masterBytes = (parameter) => spec2.precision === "bf16-master" ? elements(parameter) * bytesPerElement.float32 : 0;
  return optimized.map((parameter) => (stateBytes(parameter) + masterBytes(parameter)) * shares.optimizerState).filter((bytes5) => bytes5 > 0).map((bytes5) => tape.fixed(bytes5, "optimizerState"));
}
function share(storage, part3) {
  return part3 === 1 ? storage : { ...storage, fixedBytes: storage.fixedBytes * part3 };
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
    this.#forward(this.#tape.nodes, "forward");
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
      (parameter) => temporaries(parameter).map((bytes5) => this.#tape.fixed(bytes5 * this.#shares.optimizerState, "temporaries"))
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
      if (phase !== "recomputation") for (const storage of node.keeps) this.#reference(storage, 1);
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
      for (const storage of [...node.saves, ...node.keeps]) {
        this.#reference(storage, -1);
        this.#releaseIfUnused(storage);
      }
    }
  }
  #checkpointBackward(node, body2) {
    const savingCount = body2.findLastIndex((inner) => inner.saves.length > 0) + 1;
    const [saving2, rest] = [body2.slice(0, savingCount), body2.slice(savingCount)];
    this.#backward(rest);
    this.#forward(untilLastSave(saving2, rest), "recomputation");
    this.#backward(saving2);
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
    const earlier3 = this.#gradients.get(key2);
    if (earlier3 === void 0) {
      this.#gradients.set(key2, gradient);
      return;
    }
    if ((this.#gradientReferences.get(earlier3) ?? 0) > 1) {
      const sum2 = this.#newGradient(to);
      this.#shareGradient(sum2);
      this.#gradients.set(key2, sum2);
      this.#dropGradient(earlier3);
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
    const waiting2 = this.#waitingGradients.get(parameter);
    const usesLeft = this.#count(this.#usesLeft, parameter) - 1;
    this.#usesLeft[parameter.id] = usesLeft;
    let sum2 = waiting2 ?? gradient;
    if (waiting2 !== void 0) {
      if (this.#tape.autocastDtype === void 0) {
        sum2 = this.#newGradient(to);
        this.#release(waiting2);
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
    const known3 = this.#parameterGradients.has(parameter);
    const kept = known3 || this.#shares.gradients === 1 ? gradient : share(gradient, this.#shares.gradients);
    if (kept !== gradient) this.#allocate(kept);
    if (known3 || kept !== gradient) this.#release(gradient);
    if (!known3) this.#parameterGradients.set(parameter, kept);
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
    const references3 = (this.#gradientReferences.get(gradient) ?? 0) - 1;
    this.#gradientReferences.set(gradient, references3);
    if (references3 <= 0) {
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
function untilLastSave(saving2, rest) {
  const last = saving2.at(-1);
  if (last === void 0) return saving2;
  const savesInputsOnly = last.saves.every((storage) => last.reads.includes(storage));
  const end = savesInputsOnly ? { ...last, creates: [], scratch: [] } : last;
  const stop = { ...end, creates: [], scratch: [], saves: [], reads: rest.flatMap((node) => node.reads) };
  return [...saving2.slice(0, -1), end, stop];
}
function usesOf(nodes, uses = []) {
  for (const node of nodes) {
    if (node.body !== void 0) usesOf(node.body, uses);
    for (const { to } of node.gradients) if (to.storage.persistent) uses[to.storage.id] = (uses[to.storage.id] ?? 0) + 1;
  }
  return uses;
}

// engine/report/lever.ts
var WORTHWHILE_SHARE = 0.05;
function bestLever(spec2, config, gpu2, peak, footprints) {
  const levers = changesOf(spec2, config, gpu2, peak).map(({ change: change2, spec: changed }) => ({
    change: change2,
    peakBytes: new EstimateProbe(footprints.of(changed, config, gpu2), gpu2).peak(spec2.microBatch).bytes
  }));
  const best = levers.toSorted((a, b) => a.peakBytes - b.peakBytes)[0];
  return best && best.peakBytes < peak.bytes * (1 - WORTHWHILE_SHARE) ? best : void 0;
}
function changesOf(spec2, config, gpu2, { moment: moment2 }) {
  if (spec2.step !== "training") return [];
  const isText = spec2.task !== "image-classification";
  return [
    ...!spec2.gradientCheckpointing && supportsCheckpointing(config) ? [{ change: "gradient-checkpointing", spec: { ...spec2, gradientCheckpointing: true } }] : [],
    ...spec2.precision === "fp32" && gpu2.peakFlops.bf16 !== void 0 ? [{ change: "bf16-autocast", spec: { ...spec2, precision: "amp-bf16" } }] : [],
    ...isText && spec2.attention === "eager" ? [{ change: "sdpa-attention", spec: { ...spec2, attention: "sdpa" } }] : [],
    ...moment2 === OPTIMIZER_MOMENT && (spec2.optimizer === "adamw" || spec2.optimizer === "adamw-loop") ? [{ change: "fused-optimizer", spec: { ...spec2, optimizer: "adamw-fused" } }] : []
  ];
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

// engine/search/boundary.ts
function nextMove({ fits: fits2, fails }, grid, predicted) {
  if (fails - fits2 === 1) return { kind: "done", largest: fits2 };
  const start2 = Math.min(Math.max(predicted, 0), grid.length - 1);
  if (fits2 < start2 && start2 < fails) return { kind: "try", index: start2 };
  if (fails === grid.length) return { kind: "try", index: Math.min(fits2 + (fits2 - start2) + 1, grid.length - 1) };
  if (fits2 === -1) return { kind: "try", index: Math.max(fails - (start2 - fails) - 1, 0) };
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

// engine/search/largest.ts
function largestBatch(probe, grid, margin = 0) {
  const predicted = grid.indexOf(predictedBoundary(probe, probe.usableBytes * (1 - margin)));
  return findLargest(grid, predicted, (batch) => probe.fits(batch, margin));
}
function predictedBoundary(probe, limitBytes) {
  let [low, high] = [8, 64];
  for (let step3 = 0; step3 < 2; step3++) {
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
function judge(figures2, policy2) {
  return verdictOf(
    figures2.fits ? policy2.failOn.flatMap((condition2) => failing(condition2, figures2)) : [outOfMemory(figures2)],
    figures2.fits ? policy2.warnOn.flatMap((condition2) => broken(condition2, figures2)) : []
  );
}
function verdictOf(failing2, remarkable) {
  const blocking = failing2.filter(({ spared: spared3 }) => spared3 === void 0);
  if (blocking.length > 0) return { state: "blocked", reasons: blocking };
  const reasons = [...failing2, ...remarkable];
  return { state: reasons.length > 0 ? "warning" : "fine", reasons };
}
function outOfMemory(figures2) {
  const isCertain2 = figures2.provenance === "measured" || atError(figures2, -1).peakBytes > figures2.usableBytes;
  return { kind: "does-not-fit", ...!isCertain2 && { spared: "within-error" } };
}
function failing(condition2, figures2) {
  const isCertain2 = broken(condition2, atError(figures2, 1)).length > 0;
  return broken(condition2, figures2).map((reason2) => isCertain2 ? reason2 : { ...reason2, spared: "within-error" });
}
function atError(figures2, side) {
  const band = side * figures2.throughputBandPercent / 100;
  const speedup = figures2.speedup * (1 - band) / (1 + band);
  return {
    ...figures2,
    peakBytes: figures2.peakBytes * (1 + side * figures2.errorBandPercent / 100),
    speedup,
    savingsPerYearUsd: figures2.savingsPerYearUsd * savingsRatio(figures2.speedup, speedup)
  };
}
function savingsRatio(from2, to) {
  return from2 === 1 ? 1 : (1 - 1 / to) / (1 - 1 / from2);
}
function broken(condition2, figures2) {
  switch (condition2.kind) {
    case "waste": {
      const actual2 = figures2.speedup < WORTHWHILE_SPEEDUP ? 0 : idlePercent(figures2, figures2);
      return actual2 > condition2.abovePercent ? [{ kind: "condition", condition: condition2, actual: actual2 }] : [];
    }
    case "throughput-loss": {
      const actual2 = (figures2.speedup - 1) * 100;
      return actual2 > condition2.abovePercent ? [{ kind: "condition", condition: condition2, actual: actual2 }] : [];
    }
    case "annual-cost":
      return figures2.savingsPerYearUsd > condition2.aboveUsd ? [{ kind: "condition", condition: condition2, actual: figures2.savingsPerYearUsd }] : [];
  }
}

// engine/assess.ts
var TIGHT_SHARE = 0.5;
var WORTHWHILE_COST_SHARE = 0.9;
function assess(spec2, config, options, evidence = estimatedEvidence(spec2, config, options)) {
  const { gpu: gpu2, policy: policy2, footprints, hoursPerRun: hoursPerRun2, runsPerYear: runsPerYear2 } = options;
  const { samplesPerSecond: rate2, largest, throughputBandPercent } = evidence;
  const probe = new EstimateProbe(footprints.of(spec2, config, gpu2), gpu2);
  const now = planOf(spec2);
  const terms = { hoursPerRun: hoursPerRun2, pricePerHourUsd: gpu2.pricePerHourUsd, gpus: spec2.gpus };
  const point = (plan) => ({
    ...plan,
    effectiveBatch: effectiveBatch({ ...spec2, ...plan }),
    fits: evidence.fits(plan.microBatch),
    peakBytes: evidence.peakBytes(plan.microBatch),
    samplesPerSecond: rate2(plan),
    costPerRunUsd: costPerRunUsd(terms, rate2(plan) / rate2(now))
  });
  const current = point(now);
  const recommended = evidence.recommended && point(evidence.recommended);
  const modelled = probe.peak(spec2.microBatch);
  const { breakdown: breakdown2, moment: moment2 } = modelled;
  const correction = current.peakBytes / modelled.bytes;
  const speedup = current.fits && recommended ? recommended.samplesPerSecond / current.samplesPerSecond : 1;
  const savedPerRunUsd = savingsPerRunUsd(terms, speedup);
  const savingsPerYearUsd = savedPerRunUsd * runsPerYear2;
  const isTight = current.peakBytes > evidence.gpu.usableBytes * TIGHT_SHARE;
  const lever = isTight ? bestLever(spec2, config, gpu2, modelled, footprints) : void 0;
  const rightSizing3 = cheaperGpu(spec2, config, options, recommended ?? current);
  return {
    spec: spec2,
    gpu: evidence.gpu,
    provenance: evidence.provenance,
    errorBandPercent: evidence.errorBandPercent,
    throughputProvenance: evidence.throughputProvenance,
    ...throughputBandPercent !== void 0 && { throughputBandPercent },
    current,
    ...recommended && { recommended },
    ...largest && { largest: point({ microBatch: largest, gradientAccumulation: 1 }) },
    breakdown: scaled(breakdown2, correction),
    peakMoment: moment2,
    speedup,
    savingsPerRunUsd: savedPerRunUsd,
    savingsPerYearUsd,
    ...lever && { lever: { ...lever, peakBytes: lever.peakBytes * correction } },
    ...rightSizing3 && { rightSizing: rightSizing3 },
    trials: [...evidence.trials],
    throughputCurve: throughputCurve(evidence),
    hoursPerRun: hoursPerRun2,
    runsPerYear: runsPerYear2,
    verdict: judge(
      {
        fits: current.fits,
        usableBytes: evidence.gpu.usableBytes,
        peakBytes: current.peakBytes,
        provenance: evidence.provenance,
        errorBandPercent: evidence.errorBandPercent,
        speedup,
        throughputBandPercent: throughputBandPercent ?? 0,
        savingsPerYearUsd
      },
      policy2
    )
  };
}
function throughputCurve({ trials, throughputProvenance: throughputProvenance3, samplesPerSecond, largest = 0 }) {
  const isModelled = throughputProvenance3 === "modelled";
  const tried = trials.flatMap(
    ({ microBatch, outcome: outcome3 }) => outcome3.kind === "fits" && (isModelled || outcome3.stepMillisSpread !== void 0) ? [microBatch] : []
  );
  const sizes = isModelled ? [...tried, ...powersOfTwo().filter((power) => power <= largest)] : tried;
  return [...new Set(sizes)].toSorted((a, b) => a - b).map((microBatch) => ({ microBatch, samplesPerSecond: samplesPerSecond({ microBatch, gradientAccumulation: 1 }) }));
}
function estimatedEvidence(spec2, config, options) {
  if (spec2.framework !== "pytorch") throw notEstimated(spec2);
  const { gpu: gpu2, footprints, stepSize, margin = DEFAULT_MARGIN } = options;
  const probe = new EstimateProbe(footprints.of(spec2, config, gpu2), gpu2);
  const grid = new Grid(stepSize);
  const samplesPerSecond = (plan) => probe.samplesPerSecond(plan.microBatch, plan.gradientAccumulation);
  const largest = largestBatch(probe, grid);
  const largestWithMargin = largestBatch(probe, grid, margin);
  const recommended = largestWithMargin === void 0 ? void 0 : recommend({ current: planOf(spec2), grid, largestWithMargin, samplesPerSecond });
  return {
    gpu: reportedGpu(gpu2),
    provenance: "estimated",
    errorBandPercent: errorBandPercent(spec2, config),
    throughputProvenance: "modelled",
    largest,
    recommended,
    trials: trialsOf(probe, grid, [spec2.microBatch, recommended?.microBatch, largest], largest),
    fits: (microBatch) => probe.fits(microBatch),
    peakBytes: (microBatch) => probe.peak(microBatch).bytes,
    samplesPerSecond
  };
}
function planOf({ microBatch, gradientAccumulation }) {
  return { microBatch, gradientAccumulation };
}
function scaled(breakdown2, factor) {
  const parts = Object.entries(breakdown2).map(([kind, bytes5]) => [kind, bytes5 * factor]);
  return factor === 1 ? breakdown2 : Object.fromEntries(parts);
}
function trialsOf(probe, grid, named3, largest) {
  const tooLarge3 = largest === void 0 ? 1 : grid.at(grid.indexOf(largest) + 1);
  const told2 = /* @__PURE__ */ new Set([...named3.filter((size2) => size2 !== void 0), tooLarge3]);
  const between = powersOfTwo().filter((power) => power < tooLarge3 && !told2.has(power));
  const trials = [...[...told2].map((size2) => probe.trial(size2)), ...between.map((size2) => probe.trialBelow(size2))];
  return trials.toSorted((a, b) => a.microBatch - b.microBatch);
}
function powersOfTwo() {
  return Array.from({ length: 20 }, (_, exponent) => 2 ** exponent);
}
function cheaperGpu(spec2, config, { gpu: gpu2, footprints, hoursPerRun: hoursPerRun2, catalogue = gpus, margin = DEFAULT_MARGIN }, best) {
  const probeOf = (card) => new EstimateProbe(footprints.of(spec2, config, card), card);
  const here = probeOf(gpu2).samplesPerSecond(spec2.microBatch, spec2.gradientAccumulation);
  const offers = catalogue.filter((other) => other.pricePerHourUsd < gpu2.pricePerHourUsd && runs(other, spec2)).map((other) => ({ other, probe: probeOf(other) })).filter(({ probe }) => probe.fits(spec2.microBatch, margin)).map(({ other, probe }) => {
    const slowdown = here / probe.samplesPerSecond(spec2.microBatch, spec2.gradientAccumulation);
    return { gpu: reportedGpu(other), costPerRunUsd: hoursPerRun2 * slowdown * other.pricePerHourUsd * spec2.gpus };
  }).filter((offer) => offer.costPerRunUsd <= best.costPerRunUsd * WORTHWHILE_COST_SHARE);
  return offers.toSorted((a, b) => a.costPerRunUsd - b.costPerRunUsd)[0];
}
function runs(gpu2, spec2) {
  return gpu2.peakFlops.bf16 !== void 0 || !spec2.precision.includes("bf16");
}
function reportedGpu(gpu2) {
  const { id: id7, name: name3, totalBytes, pricePerHourUsd: pricePerHourUsd2, priceSource, priceDate } = gpu2;
  return { id: id7, name: name3, totalBytes, usableBytes: usableBytes(gpu2), pricePerHourUsd: pricePerHourUsd2, priceSource, priceDate };
}
function notEstimated({ framework }) {
  return new MemoryMarkError({
    code: "framework-not-estimated",
    field: "framework",
    message: `steps in ${framework} are run, not estimated`,
    fix: "Run `memorymark sweep`, which finds the largest batch in it."
  });
}

// engine/models/resolve.ts
import { posix } from "node:path";

// engine/config/quote.ts
var SHOWN_CHARACTERS = 80;
function plain(text3) {
  const characters = [...text3.slice(0, 4 * SHOWN_CHARACTERS).replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ")];
  return characters.length > SHOWN_CHARACTERS ? `${characters.slice(0, SHOWN_CHARACTERS - 1).join("")}…` : characters.join("").trim();
}
function quote(text3) {
  return `"${plain(text3)}"`;
}
function oneOf(words3) {
  return words3.length < 2 ? words3.join("") : `${words3.slice(0, -1).join(", ")} or ${words3.at(-1)}`;
}

// engine/models/classic-rows.ts
var bertLarge = { hidden_size: 1024, num_hidden_layers: 24, num_attention_heads: 16, intermediate_size: 4096 };
var robertaSizes = { max_position_embeddings: 514, type_vocab_size: 1 };
function row(id7, model_type, differences = {}) {
  return { ids: [id7], config: { model_type, ...differences } };
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
function optRow(hidden, layers, heads2, id7, differences = {}) {
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
  return { ids: [id7], config };
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
  const { intermediate_size: _, ...text3 } = textConfig("qwen3_5_moe_text", sizes, {
    ...deltaNet2(experts.valueHeads),
    num_experts: experts.count,
    num_experts_per_tok: experts.perToken,
    moe_intermediate_size: experts.inner,
    shared_expert_intermediate_size: experts.inner
  });
  const vision_config2 = { ...qwen35Vision, out_hidden_size: sizes[1] };
  return { ids, config: { model_type: "qwen3_5_moe", tie_word_embeddings: false, text_config: text3, vision_config: vision_config2 } };
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
    (row7) => row7.ids.map((id7) => [id7.toLowerCase(), { id: id7, row: row7 }])
  )
);
var bareNames = new Map(
  [...entries.values()].toReversed().map((entry) => [bareName(entry.id).toLowerCase(), entry])
);
var modelIds = [...entries.values()].map(({ id: id7 }) => id7);
var modelNames = [...modelIds, ...bareNames.keys(), ...Object.keys(modelAliases)];
var withPositionTable = /* @__PURE__ */ new Set(["bert", "roberta", "distilbert", "gpt2", "opt"]);
var parsed = /* @__PURE__ */ new Map();
function findModel(name3) {
  const key2 = name3.toLowerCase();
  const alias = Object.hasOwn(modelAliases, key2) ? modelAliases[key2] : void 0;
  const entry = entries.get(alias ?? key2) ?? bareNames.get(key2);
  if (entry === void 0) return void 0;
  const model = parsed.get(entry.id) ?? describeModel(entry.id, modelConfig.parse(entry.row.config));
  parsed.set(entry.id, model);
  return model;
}
function describeModel(id7, config) {
  const tasks3 = tasksOf(config);
  const maxPositions = maxPositionsOf(config);
  const imageSize = imageSizeOf(config);
  return {
    id: id7,
    family: config.model_type,
    config,
    tasks: tasks3,
    defaultTask: tasks3[0],
    ...maxPositions !== void 0 && { maxPositions },
    ...imageSize !== void 0 && { imageSize },
    ...maxPositions !== void 0 && withPositionTable.has(config.model_type) && { positionLimit: maxPositions }
  };
}
function bareName(id7) {
  return id7.slice(id7.lastIndexOf("/") + 1);
}

// engine/models/config-json.ts
var supportedArchitectures = modelConfig.options.flatMap((option) => [
  ...option.shape.model_type.values
]);
var MAX_ARCHITECTURE_CHARACTERS = 80;
function readConfigJson(text3) {
  const fields2 = parseObject(text3);
  const architecture = fields2?.model_type;
  if (fields2 === void 0 || typeof architecture !== "string") return { kind: "not-a-model" };
  if (!supportedArchitectures.includes(architecture)) {
    return { kind: "unsupported", architecture: architecture.slice(0, MAX_ARCHITECTURE_CHARACTERS) };
  }
  const result2 = modelConfig.safeParse(withTextConfig(withRotaryShare(fields2)));
  if (result2.success) return { kind: "config", config: result2.data };
  const [issue] = result2.error.issues;
  return { kind: "invalid", why: `${issue?.path.join(".")}: ${issue?.message}` };
}
function withRotaryShare(fields2) {
  const rope = fields2.rope_parameters;
  if (!isObject(rope) || rope.partial_rotary_factor === void 0) return fields2;
  const share2 = rope.partial_rotary_factor;
  return { partial_rotary_factor: share2, rotary_pct: share2, ...fields2 };
}
function withTextConfig(fields2) {
  return "vision_config" in fields2 && !("text_config" in fields2) ? { ...fields2, text_config: fields2 } : fields2;
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

// engine/models/hub.ts
var DEFAULT_ENDPOINT = "https://huggingface.co";
var DEFAULT_TIMEOUT_MILLIS = 1e4;
var MAX_BYTES = MIB;
var MAX_REDIRECTS = 4;
var hubId = /^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9_][\w.-]{0,95}$/;
function isHubId(name3) {
  return hubId.test(name3) && !name3.includes("..");
}
function hubSettings(env) {
  if (/^(?:1|on|yes|true)$/i.test(env.HF_HUB_OFFLINE ?? "")) return void 0;
  const token2 = env.HF_TOKEN?.trim();
  return { endpoint: endpointOf(env.HF_ENDPOINT || DEFAULT_ENDPOINT), ...token2 && { token: token2 } };
}
function endpointOf(text3) {
  const url2 = URL.parse(text3);
  if (url2?.protocol === "https:" || url2?.protocol === "http:") return url2;
  throw new MemoryMarkError({
    code: "bad-setting",
    field: "HF_ENDPOINT",
    message: "HF_ENDPOINT is not a web address",
    fix: `Set it to one such as ${DEFAULT_ENDPOINT}, or leave it out.`
  });
}
function createHub(settings) {
  const asked2 = /* @__PURE__ */ new Map();
  return {
    configJson: (id7) => {
      const answer4 = asked2.get(id7) ?? askOrRemember(settings, id7);
      asked2.set(id7, answer4);
      return answer4;
    }
  };
}
async function askOrRemember(settings, id7) {
  const url2 = new URL(
    `${settings.endpoint.pathname.replace(/\/$/, "")}/${id7}/resolve/main/config.json`,
    settings.endpoint
  );
  const remembered = await settings.cache?.read(url2.href);
  if (remembered !== void 0) return { kind: "found", text: remembered };
  const answer4 = await ask(settings, url2);
  if (answer4.kind === "found") await settings.cache?.write(url2.href, answer4.text);
  return answer4;
}
async function ask(settings, url2) {
  const signal = AbortSignal.timeout(settings.timeoutMillis ?? DEFAULT_TIMEOUT_MILLIS);
  try {
    return await follow(settings, url2, signal, MAX_REDIRECTS);
  } catch (error) {
    return { kind: "unreachable", why: reasonOf(error) };
  }
}
async function follow(settings, url2, signal, redirects) {
  const headers = { "user-agent": "memorymark", ...settings.token && { authorization: `Bearer ${settings.token}` } };
  const response = await fetch(url2, { headers, redirect: "manual", signal });
  const { status } = response;
  if (status === 200) return readCapped(response);
  await response.body?.cancel();
  if (status >= 300 && status < 400) {
    const next = URL.parse(response.headers.get("location") ?? "", url2.href);
    if (next?.origin !== url2.origin) return { kind: "unreachable", why: "it redirects to another site" };
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
  let text3 = "";
  let bytes5 = 0;
  for await (const chunk of response.body ?? []) {
    bytes5 += chunk.byteLength;
    if (bytes5 > MAX_BYTES) return { kind: "unreachable", why: "its config.json is larger than 1 MiB" };
    text3 += decoder.decode(chunk, { stream: true });
  }
  return { kind: "found", text: text3 + decoder.decode() };
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
function unsupportedArchitectureOf(id7) {
  const key2 = id7.toLowerCase();
  const entries2 = Object.entries(unsupportedModels);
  return entries2.find(([, ids]) => ids.some((known3) => known3.toLowerCase() === key2))?.[0];
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
function modelInName(name3) {
  const words3 = wordsOf(name3);
  known ??= knownNames();
  const matches = known.flatMap((candidate) => {
    const start2 = indexOfRun(words3, candidate.words);
    return start2 < 0 ? [] : [{ candidate, start: start2, end: start2 + candidate.words.length }];
  });
  const widest2 = matches.filter(
    (match) => !matches.some((other) => isWider(other, match) && other.start <= match.start && other.end >= match.end)
  );
  const [only, ...others] = widest2;
  if (only === void 0 || others.length > 0) return void 0;
  const { id: id7, architecture } = only.candidate;
  if (architecture !== void 0) return { kind: "unsupported", architecture };
  const around = [...words3.slice(0, only.start), ...words3.slice(only.end)];
  const model = around.some((word) => reshaped.has(word)) ? void 0 : findModel(id7);
  return model && { kind: "model", model };
}
function knownNames() {
  const unsupported2 = Object.entries(unsupportedModels).flatMap(
    ([architecture, ids]) => ids.map((id7) => ({ words: wordsOf(id7), id: id7, architecture }))
  );
  const named3 = Object.entries(nicknames).map(([nickname, id7]) => ({ words: wordsOf(nickname), id: id7 }));
  const catalogued = modelIds.map((id7) => ({ words: wordsOf(id7), id: id7 }));
  const byWords = /* @__PURE__ */ new Map();
  for (const candidate of [...named3, ...unsupported2, ...catalogued]) {
    const key2 = candidate.words.join(" ");
    if (!byWords.has(key2)) byWords.set(key2, candidate);
  }
  return [...byWords.values()];
}
function wordsOf(name3) {
  const words3 = bareName(name3.toLowerCase()).split(/[-_ ]+/);
  return words3.filter((word) => word !== "" && !decorations.has(word)).flatMap((word) => /^([a-z]{3,})(\d[\d.]*)$/.exec(word)?.slice(1) ?? [word]);
}
function wordSet(words3) {
  return new Set(words3.split(" "));
}
function indexOfRun(words3, run2) {
  return words3.findIndex((_, start2) => run2.every((word, offset2) => words3[start2 + offset2] === word));
}
function isWider(a, b) {
  return a.end - a.start > b.end - b.start;
}

// engine/models/resolve.ts
var MAX_NAME_CHARACTERS = 200;
async function resolveModel(name3, sources, configPath = "") {
  if (!isPlausible(name3)) return { kind: "unknown" };
  const configFolder = posix.dirname(configPath);
  return await inFolder(name3, sources, configFolder) ?? inCatalogue(name3) ?? await besideConfig(name3, sources, configFolder) ?? await onHub(name3, sources);
}
function isPlausible(name3) {
  return name3.length <= MAX_NAME_CHARACTERS && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name3);
}
async function inFolder(name3, sources, configFolder) {
  const file = name3.endsWith(".json") ? name3 : posix.join(name3, "config.json");
  for (const path7 of /* @__PURE__ */ new Set([posix.normalize(file), posix.join(configFolder, file)])) {
    const text3 = await sources.readFile?.(path7);
    if (text3 !== void 0) return fromFile(name3, path7, text3);
  }
  return void 0;
}
function inCatalogue(name3) {
  const model = findModel(name3);
  if (model !== void 0) return { kind: "resolved", model, how: "catalogue" };
  const architecture = unsupportedArchitectureOf(name3);
  return architecture === void 0 ? void 0 : { kind: "unsupported", architecture, source: name3 };
}
async function besideConfig(name3, sources, configFolder) {
  const path7 = posix.join(configFolder, "config.json");
  const text3 = await sources.readFile?.(path7);
  if (text3 === void 0 || readConfigJson(text3).kind === "not-a-model") return void 0;
  return fromFile(name3, path7, text3);
}
async function onHub(name3, { hub }) {
  if (hub === void 0 || !isHubId(name3)) return inName(name3) ?? { kind: "unknown" };
  const answer4 = await hub.configJson(name3);
  switch (answer4.kind) {
    case "found":
      return fromConfigJson(name3, answer4.text, {
        how: "hub",
        source: "its config.json on the Hub",
        sentence: `The model ${quote(name3)} is described by its config.json on the Hugging Face Hub.`
      });
    case "missing":
      return inName(name3) ?? { kind: "unknown" };
    case "refused":
      return inName(name3) ?? { kind: "refused" };
    case "unreachable":
      return inName(name3) ?? { kind: "unreachable", why: answer4.why };
  }
}
function inName(name3) {
  const named3 = modelInName(name3);
  switch (named3?.kind) {
    case void 0:
      return void 0;
    case "unsupported":
      return { kind: "unsupported", architecture: named3.architecture, source: name3 };
    case "model":
      return {
        kind: "resolved",
        model: { ...named3.model, id: name3 },
        how: "assumed",
        sentence: `The model ${quote(name3)} is assumed to have the shape of ${named3.model.id}, by its name: no config.json of its own was found.`
      };
  }
}
function fromFile(name3, path7, text3) {
  const sentence = `The model ${quote(name3)} is described by ${quote(path7)} in the repository.`;
  return fromConfigJson(name3, text3, { how: "repository", source: path7, sentence });
}
function fromConfigJson(name3, text3, { how, source, sentence }) {
  const read12 = readConfigJson(text3);
  switch (read12.kind) {
    case "config":
      return { kind: "resolved", model: describeModel(name3, read12.config), how, sentence };
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
    ].filter((part3) => part3 !== void 0);
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
  constructor(path7, supplied = {}) {
    this.#path = path7;
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
  note(setting, value, from2) {
    this.decisions.push({
      setting,
      value,
      from: typeof from2 === "string" ? { kind: "default", source: from2 } : { kind: "field", field: from2 }
    });
    return value;
  }
  /** Without a field the problem is the whole file's. */
  refuse(field, code, message2, fix2) {
    const where = field && { ...field.at, field: field.name };
    const file = field?.file ?? this.#path;
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ code, message: message2, fix: fix2, file, ...where });
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
function suggest(given, known3) {
  const meant = closest(given, known3);
  const use = `Use ${oneOf(known3)}.`;
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
function count(number50) {
  return number50.toLocaleString("en-US");
}

// engine/config/model-problem.ts
var bringConfig = "put the model's config.json into the repository, in a folder of that name or beside the training config";
function modelProblem(name3, resolution) {
  switch (resolution.kind) {
    case "unknown":
      return {
        code: "unknown-model",
        message: `The model ${quote(name3)} is not known`,
        fix: didYouMean(name3) ?? `Write its Hub id, or ${bringConfig}.`
      };
    case "unsupported":
      return {
        code: "unsupported-architecture",
        message: `The architecture ${quote(resolution.architecture)} of the model ${quote(name3)} is not supported`,
        fix: `Supported are ${oneOf(supportedArchitectures)}. CONTRIBUTING.md says how to add another.`
      };
    case "invalid":
      return {
        code: "unusable-model-config",
        message: `The model ${quote(name3)} cannot be known from ${quote(resolution.source)}: ${resolution.why}`,
        fix: "Use the config.json that save_pretrained wrote beside the weights."
      };
    case "refused":
      return {
        code: "model-refused",
        message: `The Hugging Face Hub does not show the model ${quote(name3)} to everybody`,
        fix: `Set HF_TOKEN to a token that may read it, or ${bringConfig}.`
      };
    case "unreachable":
      return {
        code: "hub-unreachable",
        message: `The model ${quote(name3)} is not in the catalogue, and the Hugging Face Hub gave no answer: ${resolution.why}`,
        fix: `Try again, or ${bringConfig}.`
      };
  }
}
function didYouMean(name3) {
  const meant = closest(name3, modelNames);
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
  const id7 = reader.text(field);
  if (id7 === void 0) return void 0;
  const resolution = lookUp(id7);
  if (resolution.kind === "resolved") {
    if (resolution.sentence !== void 0) reader.assume(resolution.sentence);
    reader.note("model", resolution.model.id, field);
    return resolution.model;
  }
  const { code, message: message2, fix: fix2 } = modelProblem(id7, resolution);
  return reader.refuse(field, code, message2, fix2);
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
      reader.assume(`Images of ${trainedPixels}×${trainedPixels} pixels: the config names no image size.`);
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
function readLabels(reader, written, task, known3) {
  const field = reader.fieldFor("labels", written);
  const labels = reader.wholeNumber(field, { max: MAX_LABELS }) ?? known3;
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
  const count3 = (field) => reader.wholeNumber(field, { max: MAX_BATCH });
  const none = { value: 1, source: "no accumulation" };
  return {
    microBatch: reader.settle("microBatch", batchSize2, count3, defaultBatch),
    gradientAccumulation: reader.settle("gradientAccumulation", accumulation, count3, none),
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
  const { lora: lora2, quantization, quantizedExperts, fakeQuantization, float8, expertParallel, ...others } = settings;
  const { sharding, offload, fusedLoss, method, dropout, ...always } = others;
  return {
    ...always,
    ...lora2 && { lora: lora2 },
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
  return { all: found.all.filter((linear) => !absent.includes(linear)) };
}

// engine/config/trainer/layer-pattern.ts
var MAX_NAMES = 200;
var MAX_CHARACTERS = 1e3;
var MAX_DEPTH = 20;
var GAP = ".";
function lastNamesOf(pattern) {
  if (pattern.length > MAX_CHARACTERS) return void 0;
  const spellings = new PatternReader(pattern).read();
  const names2 = spellings?.map((spelling) => spelling.slice(spelling.lastIndexOf(GAP) + 1));
  return names2?.every((name3) => /^\w+$/.test(name3)) ? [...new Set(names2)] : void 0;
}
function isPattern(text3) {
  return /[\\()[\]*+?|^$]/.test(text3);
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
      const part3 = this.#quantified();
      if (part3 === void 0 || spellings.length * part3.length > MAX_NAMES) return void 0;
      spellings = spellings.flatMap((start2) => part3.map((end) => start2 + end));
    }
    return spellings;
  }
  #quantified() {
    const part3 = this.#part();
    if (this.#take("?")) return part3 && ["", ...part3];
    const repeats = /^(?:[*+]|\{\d*,?\d*\})\??/.exec(this.#pattern.slice(this.#at))?.[0];
    if (repeats === void 0) return part3;
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
  #take(text3) {
    const starts = this.#pattern.startsWith(text3, this.#at);
    if (starts) this.#at += text3.length;
    return starts;
  }
};

// engine/config/trainer/adapter.ts
var MAX_RANK = 1e4;
var MAX_TARGETS = 100;
var everyLinear = /* @__PURE__ */ new Set(["all-linear", "all_linear", "all"]);
function readLora(reader, model, fields2) {
  const rank2 = fields2.rank ? reader.wholeNumber(fields2.rank, { max: MAX_RANK }) : fields2.defaultRank.value;
  const dropout = fields2.dropout ? reader.share(fields2.dropout) : fields2.defaultDropout;
  if (fields2.rank === void 0 && fields2.defaultRank.assumption !== void 0) {
    reader.assume(fields2.defaultRank.assumption);
  }
  if (model === void 0 || rank2 === void 0 || dropout === void 0) return void 0;
  const targets = targetsIn(reader, model, fields2);
  if (targets === void 0) return void 0;
  const whole2 = readModulesToSave(reader, fields2.modulesToSave);
  const lora2 = { rank: rank2, targets: [...targets], dropout, ...whole2.length > 0 && { modulesToSave: [...whole2] } };
  return reader.note("lora", lora2, fields2.rank ?? fields2.defaultRank.source);
}
function readModulesToSave(reader, field) {
  const names2 = (field && (namesIn(field) ?? reader.text(field)?.split(","))) ?? [];
  const last = names2.map((name3) => name3.trim().split(".").at(-1) ?? "").filter((name3) => name3 !== "");
  const copied = ["embed_tokens", "lm_head", "embed_out", "wte", "embed_in"];
  const others = last.filter((name3) => !copied.includes(name3));
  if (field !== void 0 && others.length > 0) {
    const message2 = `Training ${oneOf(others.slice(0, MAX_TARGETS).map(quote))} whole beside adapters is not modelled yet`;
    reader.refuse(field, "unsupported-setting", message2, `Name embeddings or output layers: ${oneOf(copied)}.`);
  }
  return last.filter((name3) => copied.includes(name3));
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
  const found = linears2.all.filter((linear) => targets.includes(linear));
  if (found.length > 0) return found;
  return reader.refuse(
    targetField,
    "no-such-lora-target",
    `${quote(model.id)} has no linear layer named ${oneOf(targets.slice(0, MAX_TARGETS).map(quote))}`,
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
  const listed2 = namesIn(field);
  const text3 = listed2 === void 0 ? reader.text(field) : void 0;
  if (text3 !== void 0 && isPattern(text3) && !text3.includes(",")) return patternTargets(reader, field, text3);
  const names2 = listed2 ?? text3?.split(",");
  if (names2 === void 0) return void 0;
  const trimmed = names2.map((name3) => name3.trim()).filter((name3) => name3 !== "");
  if (trimmed.some((name3) => everyLinear.has(name3))) return "all";
  return [...new Set(trimmed.flatMap((name3) => name3.match(/[A-Za-z_0-9]+/g)?.slice(-8) ?? []))].slice(0, MAX_TARGETS);
}
function patternTargets(reader, field, pattern) {
  const names2 = lastNamesOf(pattern);
  if (names2 !== void 0) return names2.slice(0, MAX_TARGETS);
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
  const name3 = reader.text(field);
  if (name3 === void 0) return void 0;
  const known3 = implementations.get(name3);
  if (known3?.masksPadding) return known3;
  if (known3 === void 0 && !sameBytes.includes(name3) && !name3.includes("/")) {
    return reader.refuse(
      field,
      "unknown-value",
      `${quote(name3)} is not known here`,
      suggest(name3, [...implementations.keys()])
    );
  }
  const shown2 = known3 === void 0 ? quote(name3) : name3;
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
function refuseGeneration(reader, field, name3) {
  reader.refuse(
    field,
    "unsupported-training",
    `What ${quote(name3)} holds while it generates answers is not modelled: vLLM's share of the GPU, or the key/value cache of the answers, and the models that judge them`,
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
  const name3 = reader.text(field);
  if (name3 === void 0) return void 0;
  const optimizer = trainerOptimizers.get(name3);
  if (optimizer !== void 0) return optimizer;
  const [kin, sentence] = heavierKin.get(name3) ?? [];
  if (kin === void 0 || sentence === void 0) return refuse(reader, field, name3);
  reader.assume(sentence);
  return kin;
}
function refuse(reader, field, name3) {
  const use = `Supported are ${oneOf([...trainerOptimizers.keys()])}.`;
  if (unsupported.includes(name3)) {
    return reader.refuse(field, "unsupported-optimizer", `The optimizer ${quote(name3)} is not supported yet`, use);
  }
  const meant = closest(name3, [...trainerOptimizers.keys(), ...heavierKin.keys(), ...unsupported]);
  const fix2 = meant === void 0 ? use : `Did you mean ${meant}? ${use}`;
  return reader.refuse(field, "unknown-optimizer", `The optimizer ${quote(name3)} is not known`, fix2);
}

// engine/config/trainer/sharding.ts
var stages = [void 0, "zero1", "zero2", "zero3"];
var stageInName = /(?:zero|stage|ds|z)[-_]?(?:z|stage)?[-_]?([0-3])(?!\d)/i;
function readDeepSpeed(reader, field) {
  if (field === void 0 || field.value.kind === "empty") return {};
  if (field.value.kind === "mapping") return shardedBy(reader, field.value.section);
  const path7 = reader.text(field);
  if (path7 === void 0 || path7 === "") return {};
  const name3 = path7.split("/").at(-1) ?? path7;
  const stage = stageInName.exec(name3)?.[1];
  if (stage === void 0) {
    reader.refuse(
      field,
      "not-in-file",
      `The ZeRO stage cannot be known from the file: it is in ${quote(path7)}`,
      "Name the stage in the file name (zero2.json), or write the DeepSpeed settings here."
    );
    return {};
  }
  const sharding = stages[Number(stage)];
  const offload = offloadInName(name3);
  reader.assume(`ZeRO stage ${stage}${offload ? ", offloaded to the host" : ""}: read from the name of ${quote(path7)}.`);
  if (sharding !== void 0) reader.note("sharding", sharding, field);
  if (offload !== void 0) reader.note("offload", offload, field);
  return { ...sharding && { sharding }, ...offload && { offload } };
}
function offloadInName(name3) {
  if (!/offload/i.test(name3) || /offload_?params?\b/i.test(name3)) return void 0;
  return /all|param/i.test(name3) || /z(?:ero)?[-_]?3/i.test(name3) ? "optimizer-and-weights" : "optimizer";
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
  const words3 = wordsIn(fsdp);
  const field = fsdp !== void 0 && words3.length > 0 ? fsdp : void 0;
  const strategy = config?.at("fsdp_sharding_strategy") ?? config?.at("fsdp_reshard_after_forward");
  const anySetting = config && [...config.fields.values()][0];
  const from2 = field ?? anySetting;
  if (from2 === void 0 || words3.includes("no_shard")) return {};
  const keepsWeights = words3.includes("shard_grad_op") || strategy !== void 0 && saysGradientsOnly(strategy);
  const sharding = reader.note("sharding", keepsWeights ? "zero2" : "fsdp", from2);
  const offloads2 = config?.at("fsdp_offload_params") ?? config?.at("offload_params");
  const isOffloaded = words3.includes("offload") || offloads2?.value.kind === "flag" && offloads2.value.flag;
  if (!isOffloaded) return { sharding };
  return { sharding, offload: reader.note("offload", "optimizer-and-weights", offloads2 ?? from2) };
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
  const fields2 = [
    ...switches.map((key2) => document.at(key2)).filter((field) => isOn(reader, field)),
    ...divisions.map((key2) => document.at(key2)).filter((field) => (reader.wholeNumber(field, { max: 1e5 }) ?? 1) > 1),
    ...present2.map((key2) => document.at(key2)),
    isPartial ? unfrozen : void 0
  ];
  for (const field of fields2) {
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
  const name3 = reader.text(rl);
  if (rl === void 0 || name3 === void 0) return ordinary;
  if (isOn(reader, document.at("dpo_use_liger_kernel"))) {
    reader.assume(
      "The logits are counted whole, though Liger's loss goes through them in chunks: the estimate is high."
    );
  }
  const reference = readReference(reader, document, hasAdapter);
  switch (name3) {
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
      return refuseGeneration(reader, rl, name3);
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
  const fields2 = keys2.flatMap((key2) => document.at(key2) ?? []);
  const [first] = fields2;
  if (first === void 0) return readGpus(reader, void 0);
  const gpus2 = fields2.reduce((product, field) => product * division(reader, field), 1);
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
  const count3 = (field) => field === void 0 || isAuto2(field) ? void 0 : reader.wholeNumber(field, { max: MAX_BATCH });
  const [samples, each, steps] = [count3(total), count3(micro), count3(accumulation)];
  const gradientAccumulation = steps ?? 1;
  if (steps !== void 0 && accumulation !== void 0) reader.note("gradientAccumulation", steps, accumulation);
  const fields2 = {
    batchSize: each === void 0 ? void 0 : micro,
    accumulation: steps === void 0 ? void 0 : accumulation
  };
  if (each !== void 0 && micro !== void 0) {
    reader.note("microBatch", each, micro);
    const gpus2 = gpusIn(reader, total, samples, each * gradientAccumulation);
    return { microBatch: each, gradientAccumulation, gpus: gpus2, ...fields2 };
  }
  const microBatch = Math.max(1, Math.floor((samples ?? 1) / gradientAccumulation));
  reader.assume("One GPU: the config gives the batch of all together, and not their number.");
  reader.note("microBatch", microBatch, "train_batch_size over the accumulation, on one GPU");
  return { microBatch, gradientAccumulation, gpus: 1, ...fields2 };
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
      const name3 = reader.text(field);
      const optimizer = name3 === void 0 ? void 0 : optimizers2.get(name3.toLowerCase());
      if (optimizer !== void 0 || name3 === void 0) return optimizer;
      const message2 = `The optimizer ${quote(name3)} is not supported yet`;
      return reader.refuse(
        field,
        "unsupported-optimizer",
        message2,
        suggest(name3, ["Adam", "AdamW", "Lamb", "Lion", "SGD"])
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
  const fields2 = (keys2) => sections.flatMap((section) => keys2.flatMap((key2) => section.field(key2) ?? []).slice(0, 1));
  const named3 = fields2(batchSizeKeys);
  const batchSizes = named3.length > 0 ? named3 : fields2([legacyBatchSizeKey]);
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
  const named3 = ["output_dir", "hub_model_id", "run_name"].map((key2) => find(key2));
  return find("beta", "max_prompt_length") && named3.find((field) => /(?:^|[^a-z])orpo(?:[^a-z]|$)/i.test(field?.source ?? ""));
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
  const named3 = find(...methods);
  const method = named3?.value.kind === "text" ? named3.value.text.toLowerCase() : void 0;
  if (method !== void 0 && !/^(full|none|)$/.test(method)) {
    if (method === "lora" || method === "qlora") return named3;
    reader.refuse(named3, "unsupported-setting", `Training by ${quote(method)} is not modelled yet`, "Use lora or full.");
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
function readPrecision3(reader, fields2) {
  const fp16 = reader.flag(fields2.fp16) ?? false;
  const bf16 = reader.flag(fields2.bf16) ?? (fields2.isTrl && !fp16);
  const weights = readWeightType(reader, fields2);
  if (fp16 && bf16) {
    reader.refuse(fields2.bf16, "precision-conflict", "Both fp16 and bf16 are on", "Keep one of the two.");
  }
  const from2 = [fields2.weights, fp16 ? fields2.fp16 : void 0, fields2.bf16].find((field) => field !== void 0);
  const precision = precisionOf(reader, fields2, weights, { fp16, bf16 });
  return reader.note("precision", precision, from2 ?? (fields2.isTrl ? "TRL's default" : "the Trainer's default"));
}
function precisionOf(reader, fields2, weights, { fp16, bf16 }) {
  if (hasMasters(fields2) && (fp16 || bf16)) {
    if (fp16) reader.assume("16-bit floats are counted as bf16: they hold the same bytes.");
    return "bf16-master";
  }
  switch (weights) {
    case "float16":
      if (fields2.hasAdapter) {
        reader.assume("16-bit floats are counted as bf16: they hold the same bytes.");
        return "bf16";
      }
      reader.refuse(fields2.weights, "unsupported-precision", "Training fp16 weights is not supported", useAutocast);
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
  const name3 = reader.text(field);
  if (name3 === void 0) return "float32";
  const type = weightTypes.get(name3.replace(/^torch\./, ""));
  if (type !== void 0) return type;
  reader.refuse(field, "unknown-precision", `The type ${quote(name3)} is not known`, "Use float32 or bfloat16.");
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
  const named3 = readNamedTask(reader, field) ?? readGlueTask(find("task_name"));
  if (model === void 0) return named3;
  if (named3 !== void 0) {
    checkTask(reader, field ?? find("task_name"), named3.task, model);
    return named3;
  }
  const inferred = inferTask(find);
  if (inferred !== void 0 && model.tasks.includes(inferred)) return { task: inferred };
  if (field === void 0) reader.assume(`The task is ${model.defaultTask}: the config names none.`);
  return { task: model.defaultTask };
}
function readNamedTask(reader, field) {
  const name3 = reader.text(field);
  if (name3 === void 0) return void 0;
  const task = taskNames.get(name3.toLowerCase().replaceAll("_", "-"));
  if (task !== void 0) return { task };
  const glue = glueTask(name3);
  if (glue !== void 0) return glue;
  return reader.refuse(field, "unsupported-task", `The task ${quote(name3)} is not supported`, `Use ${oneOf(tasks)}.`);
}
function readGlueTask(field) {
  return field?.value.kind === "text" ? glueTask(field.value.text) : void 0;
}
function glueTask(name3) {
  const labels = glueLabels.get(name3.toLowerCase().replaceAll("-", ""));
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
    const known3 = trainerKeys.filter((key2) => find(key2) !== void 0);
    return find("model_name_or_path") && known3.length >= 2 ? `model_name_or_path beside ${known3.join(", ")}` : void 0;
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
  const count3 = reader.wholeNumber(batchSize2, { max: MAX_BATCH });
  return count3 === void 0 ? void 0 : reader.note("microBatch", count3, batchSize2);
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
  const lora2 = readAdapter(reader, find, model, adapter);
  const quantization = readQuantization2(reader, find, adapter);
  const fusedLoss = training.method === void 0 ? readFusedLoss2(reader, find) : void 0;
  return {
    gpus: gpus2,
    labels,
    precision,
    optimizer,
    attention: attention5,
    gradientCheckpointing: readCheckpointing2(reader, find),
    ...lora2 && { lora: lora2 },
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
  return nestedField(document, batchKeys2);
}
function nestedField(document, keys2) {
  return document.nested(LEVELS2).flatMap((section) => keys2.flatMap((key2) => section.at(key2) ?? [])).at(0);
}
function read4(document, reader, lookUp) {
  const batchSize2 = batchSizeOf(document);
  const count3 = (field) => reader.wholeNumber(field, { max: MAX_BATCH });
  if (!reader.supplies("model")) refuseComposition(document, reader);
  const microBatch = count3(batchSize2);
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
    gradientAccumulation: (accumulation && count3(accumulation)) ?? 1,
    accumulation,
    sequenceLength: nestedField(document, ["max_seq_length", "max_length", "sequence_length", "seq_len", "block_size"]),
    imageSize: nestedField(document, ["image_size", "img_size", "imgsz"]),
    labels: nestedField(document, ["num_labels", "num_classes"]),
    precision: "fp32",
    optimizer: "adamw"
  });
}
function partsShown(document) {
  const parts = partsOf(document).filter((part3) => part3 !== "_self_");
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
  mayBe: (text3) => writesTrainer(text3) && writesParts(text3),
  recognise: (document) => {
    const found = trainerKeys2.filter((key2) => document.at("trainer", key2) !== void 0);
    const isClass = ["model", "data"].some((part3) => document.at(part3, "class_path") ?? document.at(part3, "init_args"));
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
  for (const part3 of parts) {
    for (const key2 of keys2) {
      const found = document.at(part3, "init_args", key2) ?? document.at(part3, "dict_kwargs", key2) ?? document.at(part3, key2);
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
  const part3 = inParts(document, ["model", "data"], partKeys);
  return part3?.value.kind === "text" && part3.value.text.includes("/") ? part3 : void 0;
}
function read5(document, reader, lookUp) {
  const batchSize2 = batchSizeOf2(document);
  const accumulation = document.at("trainer", "accumulate_grad_batches");
  const count3 = (field) => reader.wholeNumber(field, { max: MAX_BATCH });
  const microBatch = readMicroBatch2(reader, document, batchSize2);
  const gradientAccumulation = reader.settle("gradientAccumulation", accumulation, count3, lightnings(1));
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
  const count3 = reader.wholeNumber(field, { max: MAX_BATCH });
  return count3 === void 0 ? void 0 : reader.note("microBatch", count3, field);
}
function refuseModel(reader, document) {
  const field = document.at("model", "class_path") ?? document.at("model");
  const name3 = field?.value.kind === "text" ? `: ${quote(field.value.text)} is a class of your code` : "";
  return reader.refuse(
    field,
    "model-not-in-file",
    `The model cannot be known from the file${name3}`,
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
  const name3 = field?.value.kind === "text" ? field.value.text : field?.value.kind === "mapping" ? classNameIn(field.value.section) : void 0;
  if (field === void 0 || name3 === void 0) return void 0;
  const known3 = [name3, name3.replace(/_offload(?:_nvme)?$/, ""), name3.replace(/Strategy$/, "").toLowerCase()].find(
    (word) => strategies.has(word)
  );
  if (known3 === void 0) {
    return reader.refuse(
      field,
      "unsupported-setting",
      `The strategy ${quote(name3)} is not modelled yet`,
      "Use ddp, fsdp or deepspeed_stage_1 to 3."
    );
  }
  if (name3.includes("_offload"))
    reader.assume("What the strategy offloads is counted on the GPU: the estimate is high.");
  const sharding = strategies.get(known3);
  return sharding && reader.note("sharding", sharding, field);
}
function classNameIn(section) {
  const path7 = section.at("class_path")?.value;
  return path7?.kind === "text" ? path7.text.split(".").at(-1) : void 0;
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
      const name3 = reader.text(present4)?.split(".").at(-1);
      const known3 = name3 === void 0 ? void 0 : optimizers3.get(name3);
      if (known3 !== void 0 || name3 === void 0)
        return hasMomentum(document) && known3 === "sgd" ? "sgd-momentum" : known3;
      const message2 = `The optimizer ${quote(name3)} is not supported yet`;
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
  const fields2 = [
    ...unmodelled.map((key2) => document.at(key2)).filter((field) => isOn(reader, field)),
    ...divisions2.map((key2) => document.at(key2)).filter((field) => (reader.wholeNumber(field, { max: 1e5 }) ?? 1) > 1),
    ...present3.map((key2) => document.at(key2))
  ];
  for (const field of fields2) {
    if (field === void 0) continue;
    reader.refuse(field, "unsupported-setting", `${field.key} is not modelled yet`, leaveOut2);
  }
}
function readStage(reader, document, method) {
  const stage = document.at("stage");
  const name3 = reader.text(stage);
  if (stage === void 0 || name3 === void 0 || /^(?:sft|pt)$/i.test(name3)) return ordinary;
  const other = document.at("ref_model");
  if (other !== void 0) {
    reader.assume(`The reference ${quote(other.source)} is counted as a copy of the model that is trained.`);
  }
  const reference = method === "lora" && other === void 0 ? "adapters-off" : "copy";
  const loss = document.at("pref_loss");
  const isFree = loss?.value.kind === "text" && /^(?:orpo|simpo)$/.test(loss.value.text);
  switch (name3) {
    case "dpo":
      return preference(reader, stage, { reference: isFree ? "none" : reference, style: "llamafactory" });
    case "kto":
      return kto(reader, stage, { reference, style: "llamafactory" });
    case "rm":
      return reward(reader, stage, "value");
    default:
      return refuseGeneration(reader, stage, name3);
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
  const name3 = reader.text(field);
  if (name3 === void 0 || name3 === "lora") return "lora";
  if (name3 === "full") return "full";
  reader.refuse(field, "unsupported-training", `Fine-tuning by ${quote(name3)} is not modelled yet`, "Use lora or full.");
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
  const count3 = reader.wholeNumber(bits, { max: 8 });
  const by = document.at("quantization_method");
  const name3 = reader.text(by);
  if (name3 !== void 0 && name3 !== "bnb" && name3 !== "bitsandbytes") {
    return reader.refuse(
      by,
      "unsupported-quantization",
      `Weights quantised by ${quote(name3)} are not modelled yet`,
      leaveOut2
    );
  }
  if (count3 !== void 0 && count3 !== 4 && count3 !== 8) {
    return reader.refuse(
      bits,
      "unsupported-quantization",
      `${count3}-bit base weights are not modelled yet`,
      "Use 4 or 8 bits."
    );
  }
  if (method === "full") {
    const fix2 = "Set finetuning_type: lora, or leave quantization_bit out.";
    return reader.refuse(bits, "quantised-without-adapter", "Quantised weights cannot be trained without adapters", fix2);
  }
  if (count3 === 8) return reader.note("quantization", "int8", bits);
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
  const name3 = reader.text(field);
  if (name3 === void 0 || name3 === "lora") return name3 === "lora";
  reader.refuse(
    field,
    "unsupported-training",
    `Fine-tuning by ${quote(name3)} is not modelled yet`,
    "Use lora, or no peft_config."
  );
  return false;
}
function readQuantization4(reader, bits, hasAdapter) {
  const count3 = reader.wholeNumber(bits, { max: 8 });
  if (bits === void 0 || count3 === void 0) return void 0;
  if (count3 === 4 && hasAdapter) return reader.note("quantization", "nf4-double", bits);
  return reader.refuse(bits, "unsupported-quantization", `${count3}-bit base weights are not modelled yet`, leaveOut3);
}
function readOptimizer3(reader, field) {
  if (field?.value.kind === "text" && field.value.text === "muon") return readTrainerOptimizer(reader, field);
  if (field !== void 0) {
    reader.refuse(field, "unsupported-optimizer", `The optimizer ${quote(field.source)} is not supported yet`, leaveOut3);
  }
  return reader.note("optimizer", "adamw", "LLaMA-Factory's default");
}
function readSharding4(reader, document) {
  const name3 = document.at("dist_config", "name");
  if (name3?.source === "deepspeed") return readDeepSpeed(reader, document.at("dist_config", "config_file"));
  return name3?.source.startsWith("fsdp") ? { sharding: reader.note("sharding", "fsdp", name3) } : {};
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
  const one = (setting, count3, max) => reader.settle(setting, count3, (present4) => reader.wholeNumber(present4, { max }), ours(1));
  const word = (setting, key2, words3, byDefault2) => reader.settle(setting, field(key2), (present4) => reader.choice(present4, named(words3)), ours(byDefault2));
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
  const [rank2, targets] = [section.at("lora_rank"), section.at("lora_targets")];
  const lora2 = rank2 && readLora(reader, model, {
    rank: rank2,
    defaultRank: ours(1),
    dropout: section.at("lora_dropout"),
    defaultDropout: 0,
    targets: readTargets(reader, targets) ?? "all",
    targetField: targets
  });
  const field = section.at("quantization");
  const quantization = reader.optional("quantization", field, (present4) => reader.choice(present4, named(quantizations)));
  if (quantization !== void 0 && rank2 === void 0) {
    reader.refuse(field, "quantised-without-adapter", "Quantised weights need adapters", `Set ${ROOT}.lora_rank too.`);
  }
  const shardedBy2 = section.at("sharding");
  const sharding = reader.optional("sharding", shardedBy2, (present4) => reader.choice(present4, named(shardings)));
  const fusedLoss = reader.optional("fusedLoss", section.at("fused_loss"), (present4) => reader.flag(present4));
  return {
    ...lora2 && { lora: lora2 },
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
  const known3 = new Set(keys);
  for (const field of section.fields.values()) {
    if (!known3.has(field.key)) {
      reader.refuse(field, "unknown-key", `The key ${quote(field.key)} is not known`, suggest(field.key, keys));
    }
  }
}
function named(words3) {
  return new Map(words3.map((word) => [word, word]));
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
  const count3 = (field) => reader.wholeNumber(field, { max: MAX_BATCH });
  const microBatch = reader.settle("microBatch", batchSize2, count3, {
    ...timms(128),
    assumption: "A batch size of 128, timm's default: the config sets none."
  });
  const gradientAccumulation = reader.settle("gradientAccumulation", accumulation, count3, timms(1));
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
      const name3 = reader.text(field);
      const known3 = name3 === void 0 ? void 0 : optimizers4.get(name3);
      if (known3 !== void 0 || name3 === void 0) return known3;
      const message2 = `The optimizer ${quote(name3)} is not supported yet`;
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
  const name3 = component.split(".").at(-1) ?? component;
  const [, prefix, base = name3] = /^(?:(q?lora)_)?(.*?)(?:_(?:instruct|base))?$/.exec(name3) ?? [];
  const model = Object.hasOwn(builders, base) ? builders[base] : void 0;
  return { model: model ?? name3, method: prefix === "lora" || prefix === "qlora" ? prefix : "full" };
}

// engine/config/dialects/torchtune.ts
var COMPONENT = "_component_";
var torchtune = {
  name: "torchtune",
  mayBe: (text3) => writesComponent(text3) && /torchtune\./.test(text3) && writesBatch4(text3),
  recognise: (document) => {
    const component = componentOf(document, "model");
    const names2 = component?.value.kind === "text" ? component.value.text : "";
    const trains = document.at("optimizer") !== void 0 || document.at("loss") !== void 0;
    const isRecipe = trains && (names2.startsWith("torchtune.") || hasTorchtunePart(document));
    return isRecipe && document.at("batch_size") !== void 0 ? `batch_size beside ${names2 || "components"} of torchtune` : void 0;
  },
  modelField: (document) => hubName2(componentOf(document, "model")),
  read: read10
};
var writesComponent = writesAny([COMPONENT]);
var writesBatch4 = writesAny(["batch_size"]);
function hasTorchtunePart(document) {
  return ["tokenizer", "checkpointer", "dataset"].some((part3) => {
    const value = componentOf(document, part3)?.value;
    return value?.kind === "text" && value.text.startsWith("torchtune.");
  });
}
function componentOf(document, part3) {
  return document.at(part3, COMPONENT);
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
  const name3 = loss?.value.kind === "text" ? loss.value.text : "";
  if (loss !== void 0 && /(?:PPO|GRPO)/.test(name3)) return refuseGeneration(reader, loss, name3);
  if (loss === void 0 || !/(?:rlhf|DPO|RSO|IPO|SimPO)/.test(name3)) return ordinary;
  const reference = /SimPO/.test(name3) ? "none" : method === "full" ? "copy" : "adapters-off";
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
      const name3 = reader.text(present4)?.split(".").at(-1);
      if (name3 === void 0) return void 0;
      const known3 = optimizers5.get(name3);
      if (known3 === void 0) {
        const message2 = `The optimizer ${quote(present4.source)} is not supported yet`;
        return reader.refuse(present4, "unsupported-optimizer", message2, leaveOut4);
      }
      const isFused = known3 === "adamw" && reader.flag(document.at("optimizer", "fused")) === true;
      return isFused ? "adamw-fused" : known3;
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
  const named3 = readTargets(reader, field);
  const attention5 = named3 === void 0 || typeof named3 === "string" ? Object.keys(layerNames) : named3;
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
      ...attention5.flatMap((name3) => layerNames[name3] ?? [name3]),
      ...mlp !== void 0 && reader.flag(mlp) === true ? mlpNames : []
    ],
    targetField: field
  });
}
function quantizationOf(reader, document, { method }, component) {
  const quantised = document.at("model", "quantize_base");
  const isQuantised = method === "qlora" || quantised !== void 0 && reader.flag(quantised) === true;
  const from2 = method === "qlora" ? component : quantised;
  return isQuantised && from2 !== void 0 ? reader.note("quantization", "nf4-double", from2) : void 0;
}
function readQuantizer(reader, document) {
  const quantizer = componentOf(document, "quantizer");
  const name3 = reader.text(quantizer);
  if (quantizer === void 0 || name3 === void 0) return void 0;
  if (!/Int8DynActInt4WeightQATQuantizer/.test(name3)) {
    const message2 = `Quantisation-aware training with ${quote(name3)} is not modelled yet`;
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
function firstJsonError(text3) {
  if (isJson(text3)) return void 0;
  const open = [];
  let expected = "value";
  let offset2 = 0;
  for (; ; ) {
    offset2 = skip(blank, text3, offset2);
    const end = skip(token, text3, offset2);
    const next = end === offset2 ? void 0 : step(expected, text3.slice(offset2, Math.min(end, offset2 + 1)), open);
    if (next === void 0) return offset2;
    expected = next;
    offset2 = end;
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
function skip(pattern, text3, from2) {
  pattern.lastIndex = from2;
  return pattern.test(text3) ? pattern.lastIndex : from2;
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
  constructor(origin, map, name3 = "") {
    this.#origin = origin;
    this.#map = map;
    this.name = name3;
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
  at(...path7) {
    const [key2, ...rest] = path7;
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
    const name3 = this.name === "" ? plain(key2) : `${this.name}.${plain(key2)}`;
    const value = this.#value(pair.value, name3);
    return { key: key2, name: name3, value, ...this.#place(value.kind === "empty" ? pair.key : pair.value) };
  }
  #place(node) {
    const { text: text3, lines } = this.#origin;
    const [start2, end] = rangeOf(node);
    const { line: line2, col } = lines.linePos(start2);
    return { at: { line: line2, column: col }, source: plain(text3.slice(start2, end)) };
  }
  #value(node, name3) {
    const target = isAlias(node) ? node.resolve(this.#origin.document) : node;
    if (isMap(target)) return { kind: "mapping", section: new _Section(this.#origin, target, name3) };
    if (isSeq(target)) {
      const items = target.items.map((item, index) => ({
        ...this.#value(item, `${name3}[${index}]`),
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
  const own2 = /* @__PURE__ */ new Map();
  const merged = /* @__PURE__ */ new Map();
  for (const pair of map.items) {
    if (isMergeKey(pair.key)) {
      for (const source of mergeSources(pair.value, document)) {
        for (const [key2, inherited] of pairsOf(source, document)) if (!merged.has(key2)) merged.set(key2, inherited);
      }
    } else if (isScalar(pair.key)) own2.set(String(pair.key.value), pair);
  }
  return new Map([...merged, ...own2]);
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
  const text3 = file.text.replace(/^\uFEFF/, "");
  const bytes5 = Buffer.byteLength(text3);
  if (bytes5 > MAX_BYTES2) return unreadable([{ ...tooLarge(bytes5), file: file.path }]);
  const lines = new LineCounter();
  const describe2 = (offset2, problem3) => {
    const { line: line2, col } = lines.linePos(Math.min(offset2, text3.length));
    return { ...problem3, file: file.path, line: line2, column: Math.max(col, 1) };
  };
  const tokens = tokenize(text3, lines);
  if (tokens.kind === "too-deep") return unreadable([describe2(tokens.offset, tooDeep)]);
  const isJson2 = /\.json$/i.test(file.path);
  const jsonError = isJson2 ? firstJsonError(text3) : void 0;
  if (jsonError !== void 0) return unreadable([describe2(jsonError, notJson(text3, jsonError))]);
  const documents = compose(tokens.tokens, isJson2);
  const problems2 = documents.flatMap((document) => problemsOf(document, describe2));
  if (problems2.length > 0) return unreadable(problems2.slice(0, MAX_SYNTAX_PROBLEMS));
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
function problemsOf(document, describe2) {
  if (document.errors.length > 0) {
    return firstOfEachLine(document.errors.map(({ pos, message: message2 }) => describe2(pos[0], notYaml(message2))));
  }
  return [...duplicateKeys(document, describe2), ...aliasProblems(document, describe2)];
}
function firstOfEachLine(problems2) {
  const lines = /* @__PURE__ */ new Set();
  return problems2.filter(({ line: line2 }) => !lines.has(line2) && lines.add(line2));
}
function duplicateKeys(document, describe2) {
  const problems2 = [];
  visit(document, {
    Map(_, map) {
      const seen = /* @__PURE__ */ new Set();
      for (const { key: key2 } of map.items) {
        if (!isScalar2(key2) || isMergeKey(key2)) continue;
        if (seen.has(key2.value)) problems2.push(describe2(rangeOf(key2)[0], duplicateKey(String(key2.value))));
        seen.add(key2.value);
      }
    }
  });
  return problems2;
}
function aliasProblems(document, describe2) {
  const offsets = [];
  visit(document, {
    Alias(_, alias) {
      offsets.push(rangeOf(alias)[0]);
    }
  });
  const [first] = offsets;
  if (first === void 0) return [];
  if (offsets.length > MAX_ALIASES) return [describe2(first, badAliases(`The file has ${offsets.length} aliases`))];
  try {
    document.toJS({ maxAliasCount: MAX_ALIASES, mapAsMap: true });
    return [];
  } catch (error) {
    return [describe2(first, badAliases(error instanceof Error ? plain(error.message) : "The aliases cannot be read"))];
  }
}
function unreadable(problems2) {
  return { kind: "unreadable", problems: problems2 };
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
function placeholderAt(text3, offset2) {
  const start2 = text3.startsWith("{{", offset2 - 1) ? offset2 - 1 : offset2;
  if (!/[:,[]\s*$/.test(text3.slice(Math.max(0, start2 - 100), start2))) return void 0;
  placeholder.lastIndex = start2;
  return placeholder.exec(text3)?.[0];
}
function notJson(text3, offset2) {
  const filledIn = placeholderAt(text3, offset2);
  if (filledIn !== void 0) {
    return {
      code: "template",
      message: `A template: ${quote(filledIn)} stands where a script fills a value in, so its settings cannot be known from the file`,
      fix: "Check the file that the script writes, or add this one to ignore in .github/memorymark.yml."
    };
  }
  const found = offset2 < text3.length ? `Not valid JSON at ${quote(text3.slice(offset2, offset2 + 20))}` : "The JSON ends early";
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
async function readConfigAsync(file, resolve, supplied = {}) {
  const opened = openConfig(file, supplied);
  return opened.kind === "open" ? opened.read(await resolvedBefore(opened, resolve)) : opened;
}
async function explainConfigAsync(file, resolve, supplied = {}) {
  const opened = openConfig(file, supplied);
  if (opened.kind !== "open") return { kind: "not-recognised", reading: opened };
  return explain(opened, new FieldReader(file.path, supplied), await resolvedBefore(opened, resolve));
}
async function resolvedBefore({ modelName: modelName2 }, resolve) {
  const resolution = modelName2 === void 0 ? { kind: "unknown" } : await resolve(modelName2);
  return () => resolution;
}
function explain({ dialect, why, read: read12 }, reader, lookUp) {
  const reading = read12(lookUp, reader);
  const { decisions: decisions3, assumptions } = reader;
  return { kind: "recognised", dialect: dialect.name, why, decisions: decisions3, assumptions, reading };
}
function openConfig(file, supplied = {}) {
  if (!dialects.some((dialect) => dialect.mayBe(file.text))) return notOurs;
  const parsed2 = parseFile(file);
  if (parsed2.kind === "unreadable") return parsed2;
  for (const document of parsed2.mappings) {
    for (const dialect of dialects) {
      const why = dialect.recognise(document);
      if (why === void 0) continue;
      const modelName2 = modelNameIn(supplied.model ?? dialect.modelField(document));
      return {
        kind: "open",
        dialect,
        why,
        ...modelName2 !== void 0 && { modelName: modelName2 },
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
  why: `It sets no batch size that is known here: no settings of ${oneOf(dialects.map(({ name: name3 }) => name3))} were found in it.`
};
var candidateExtension = /\.(ya?ml|json)$/i;
var foreignFolders = /* @__PURE__ */ new Set(["node_modules", ".git", ".venv", "venv", "__pycache__", "site-packages"]);
var foreignFile = /^(package|composer|tsconfig.*|jsconfig.*|biome|deno|renovate|tokenizer|tokenizer_config|vocab|trainer_state|.*[-.]lock|npm-shrinkwrap|\.eslintrc|\.prettierrc|\.pre-commit-config)\.(ya?ml|json)$/i;
function isCandidatePath(path7) {
  const folders = path7.split("/");
  const name3 = folders.pop() ?? "";
  return candidateExtension.test(name3) && !foreignFile.test(name3) && !folders.some((folder) => foreignFolders.has(folder));
}

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
    const remainder2 = { bytes: rest, isFree: true, isSmall: block3.isSmall, previous: block3, next: block3.next };
    if (block3.next !== void 0) block3.next.previous = remainder2;
    block3.next = remainder2;
    block3.bytes = size2;
    this.#insertFree(remainder2);
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
function lowerBound(blocks2, size2) {
  let low = 0;
  let high = blocks2.length;
  while (low < high) {
    const middle = low + high >>> 1;
    if ((blocks2[middle]?.bytes ?? 0) < size2) low = middle + 1;
    else high = middle;
  }
  return low;
}

// engine/models/teacher.ts
function teacherConfig({ method }) {
  return method?.kind === "distillation" ? findModel(method.teacher)?.config : void 0;
}

// engine/estimate/log-probabilities.ts
function logProbabilities(tape, raw, style) {
  tape.markLogits(raw);
  switch (style) {
    case "trl":
      return bySequence(tape, raw);
    case "llamafactory": {
      const logits = tape.cast(raw, "float32");
      return { perToken: whole(tape, shifted(tape, logits)), logits };
    }
    case "torchtune": {
      const logits = tape.cast(raw, "float32");
      const tempered = tape.markLogits(tape.elementwise("div", shifted(tape, logits)));
      return { perToken: whole(tape, tempered), logits };
    }
  }
}
function shifted(tape, logits) {
  const [tokens = 1, vocabulary = 0] = logits.shape;
  const output = { ...logits, shape: [tokens - 1, vocabulary], edge: tape.newEdge() };
  tape.record("slice", { reads: [logits], outputs: [output], gradients: [made(logits)] });
  return output;
}
function whole(tape, logits) {
  return gathered(tape, tape.markLogits(tape.elementwise("log_softmax", logits, { savesOutput: true })));
}
function gathered(tape, x) {
  const output = tape.tensor(x.shape.slice(0, -1), x.dtype, [x]);
  tape.record("gather", { reads: [x], outputs: [output], saves: [x], gradients: [made(x)] });
  return output;
}
function bySequence(tape, raw) {
  const isMixed = tape.spec.precision !== "bf16-master";
  const logits = isMixed ? tape.cast(raw, "float32") : raw;
  const shift = shifted(tape, logits);
  const perToken = logits.dtype === "float32" ? throughLogSumExp(tape, shift) : throughLogSoftmax(tape, shift);
  return { perToken, logits };
}
function throughLogSumExp(tape, logits) {
  const selected = gathered(tape, logits);
  const sequences = unbound(tape, logits);
  const sum2 = tape.tensor(logits.shape.slice(0, -1), logits.dtype, [sequences]);
  tape.record("logsumexp", {
    reads: [sequences],
    outputs: [sum2],
    saves: [sequences],
    gradients: [made(sequences)],
    backwardScratch: [0, 1].map(() => oneSequence(tape, logits))
  });
  return tape.add(selected, sum2);
}
function throughLogSoftmax(tape, logits) {
  const sequences = unbound(tape, logits);
  const kept = tape.storage(lastSize(logits) * (logits.shape[0] ?? 0), logits.dtype, true, "logits");
  const output = tape.tensor(logits.shape.slice(0, -1), logits.dtype, [sequences]);
  tape.record("log_softmax", {
    reads: [sequences],
    outputs: [output],
    saved: [kept],
    gradients: [made(sequences)],
    backwardScratch: [oneSequence(tape, logits)]
  });
  return output;
}
function unbound(tape, logits) {
  const output = { ...logits, edge: tape.newEdge() };
  tape.record("unbind", { reads: [logits], outputs: [output], gradients: [made(logits)] });
  return output;
}
function oneSequence(tape, logits) {
  const count3 = lastSize(logits) * (logits.shape[0] ?? 0);
  return tape.fixed(count3 * bytesPerElement[logits.dtype], "logits");
}

// engine/estimate/objective.ts
function objectiveOf(tape, config, spec2) {
  const { method } = spec2;
  switch (method?.kind) {
    case "preference":
      return preference2(tape, config, spec2, method);
    case "kto":
      return kto2(tape, config, spec2, method);
    case "reward":
      return reward2(tape, config, spec2, method);
    case "distillation":
      return distillation2(tape, config, spec2, method);
    case void 0:
      return ownLoss(tape, config, spec2);
  }
}
function ownLoss(tape, config, spec2) {
  return tape.underAutocast(() => {
    const logits = forward(tape, config, spec2);
    const loss = spec2.step === "training" ? tape.frame(logits, (input) => tape.crossEntropy(input)) : tape.mean(logits);
    return { loss, held: spec2.loop === "plain" ? [logits.storage, ...tape.held] : [] };
  });
}
function policyPass(tape, config, spec2) {
  return tape.underAutocast(() => forward(tape, config, spec2));
}
function preference2(tape, config, spec2, method) {
  const policy2 = logProbabilities(tape, policyPass(tape, config, spec2), method.logProbabilities);
  const chosen = method.withCrossEntropy ? [chosenCrossEntropy(tape, policy2.logits)] : [];
  const reference = referencePass(tape, config, spec2, method);
  if (method.logProbabilities === "trl" && !method.withCrossEntropy)
    logEntropies(tape, policy2.logits, reference?.logits);
  return {
    loss: compared(tape, [policy2.perToken, ...chosen], policy2, method),
    held: heldReference(method, reference)
  };
}
var ENTROPY_ROWS = 128;
function logEntropies(tape, logits, reference) {
  const vocabulary = logits.shape.at(-1) ?? 0;
  const copy = tape.storage(elements(logits) - vocabulary, logits.dtype, true, "logits");
  const chunk = () => tape.fixed(ENTROPY_ROWS * vocabulary * bytesPerElement[logits.dtype], "logits");
  const reads = [logits, ...reference === void 0 ? [] : [reference]];
  tape.record("entropy", { reads, outputs: [], scratch: [copy, chunk(), chunk(), chunk()] });
}
function kto2(tape, config, spec2, method) {
  const unrelated = () => passWithoutGradients(tape, config, spec2, method, "policy");
  if (method.logProbabilities === "trl") unrelated();
  const policy2 = logProbabilities(tape, policyPass(tape, config, spec2), method.logProbabilities);
  if (method.logProbabilities !== "trl") unrelated();
  referencePass(tape, config, spec2, method);
  const reference = referencePass(tape, config, spec2, method);
  if (method.logProbabilities === "trl") logEntropies(tape, policy2.logits, reference?.logits);
  return { loss: compared(tape, [policy2.perToken], policy2, method), held: [] };
}
function reward2(tape, config, spec2, { head }) {
  const output = policyPass(tape, config, spec2);
  const scores = head === "value" ? valueHead(tape, output) : output;
  return { loss: summed(tape, [scores]), held: [] };
}
function valueHead(tape, logits) {
  tape.markLogits(logits);
  tape.markLogits(tape.cast(logits, "float32"));
  const hidden = tape.outputLayerInput ?? logits;
  const head = tape.parameter("v_head.summary.weight", [1, hidden.shape.at(-1) ?? 1], {
    trainable: true,
    dtype: "float32"
  });
  const values = tape.multiply(tape.cast(hidden, "float32"), head);
  tape.record("return", { reads: tape.blockInputs, outputs: [] });
  return values;
}
function distillation2(tape, config, spec2, { chunks }) {
  const student = tape.markLogits(policyPass(tape, config, spec2));
  const teacherOfSpec = teacherConfig(spec2) ?? config;
  const teacher = tape.markLogits(tape.withoutGradients({ of: "copy" }, () => forward(tape, teacherOfSpec, spec2)));
  const wide = (dtype) => tape.storage(elements(student), dtype, true, "logits");
  const chunk = () => tape.storage(elements(student) / chunks, "float32", true, "logits");
  const divergence = tape.tensor([], "float32", [student], { batched: false });
  tape.record("kl divergence", {
    reads: [student, teacher],
    outputs: [divergence],
    saved: [wide("float32"), wide("float32"), wide("bool")],
    scratch: [chunk(), chunk()],
    gradients: [{ to: student, passes: false }]
  });
  const crossEntropy = tape.tensor([], "float32", [student], { batched: false });
  tape.record("cross_entropy", {
    reads: [student],
    outputs: [crossEntropy],
    saved: [wide("float32")],
    scratch: [chunk()],
    backwardScratch: [chunk()],
    gradients: [{ to: student, passes: false }]
  });
  tape.record("return", { reads: [student, teacher], outputs: [] });
  return { loss: summed(tape, [divergence, crossEntropy]), held: [] };
}
function compared(tape, numbers, policy2, method) {
  const loss = summed(tape, numbers);
  if (method.logProbabilities !== "torchtune") tape.record("return", { reads: [policy2.logits], outputs: [] });
  return loss;
}
function summed(tape, numbers) {
  const loss = tape.tensor([], "float32", numbers, { batched: false });
  tape.record("sum", { reads: numbers, outputs: [loss], gradients: numbers.map((to) => ({ to, passes: false })) });
  return loss;
}
function chosenCrossEntropy(tape, logits) {
  const half = { ...logits, shape: [elements(logits) / 2], edge: tape.newEdge() };
  tape.record("slice", { reads: [logits], outputs: [half], gradients: [{ to: logits, passes: false }] });
  const copy = tape.markLogits(tape.elementwise("clone", half));
  const kept = tape.markLogits(tape.elementwise("log_softmax", copy, { savesOutput: true }));
  const loss = tape.tensor([], kept.dtype, [kept], { batched: false });
  tape.record("nll_loss", { reads: [kept], outputs: [loss], saves: [kept], gradients: [{ to: kept, passes: false }] });
  return loss;
}
function referencePass(tape, config, spec2, method) {
  return method.reference === "none" ? void 0 : passWithoutGradients(tape, config, spec2, method, method.reference);
}
function passWithoutGradients(tape, config, spec2, method, of) {
  const dtype = method.logProbabilities === "llamafactory" ? tape.autocastDtype : void 0;
  const logits = tape.withoutGradients({ of, dtype }, () => forward(tape, config, spec2));
  return tape.withoutGradients({ of }, () => logProbabilities(tape, logits, method.logProbabilities));
}
function heldReference(method, reference) {
  return method.logProbabilities === "torchtune" && reference !== void 0 ? [reference.logits.storage] : [];
}

// engine/estimate/attention.ts
var FLASH_MAX_HEAD_SIZE = 256;
function fusedAttention2(autograd, query, key2, value, options) {
  const [tokens = 0] = query.shape;
  if (leavesBroadcast(options)) return broadcastAttention(autograd, query, key2, value, options);
  if (options.sinks !== void 0) return sinkAttention(autograd, query, key2, value, options);
  if (options.bias !== void 0) return biasedAttention(autograd, query, key2, value, options, options.bias);
  const isMasked = options.isAlwaysMasked || autograd.isPadded || options.window !== void 0 && tokens >= options.window;
  const groups2 = options.heads / options.keyValueHeads;
  const headSize = elements(query) / (tokens * options.heads);
  const native = groups2 > 1 && !isMasked && headSize <= FLASH_MAX_HEAD_SIZE;
  const repeat = (x) => native ? x : repeated(autograd, x, options);
  const [q, k, v] = [query, repeat(key2), repeat(value)].map((x) => autograd.lowered(x));
  const valueHeadSize = lastSize(value) / options.keyValueHeads;
  const isFlash = autograd.hasFlash && q.dtype !== "float32" && !isMasked && headSize <= FLASH_MAX_HEAD_SIZE && headSize === valueHeadSize;
  return native && !isFlash ? composedAttention(autograd, q, repeated(autograd, k, options), repeated(autograd, v, options), options) : kernelAttention(autograd, q, k, v, { ...options, isFlash, isMasked, valueHeadSize });
}
function sinkAttention(autograd, query, key2, value, options) {
  const [q, k, v] = [query, key2, value].map((x) => autograd.lowered(x));
  const valueHeadSize = lastSize(value) / options.keyValueHeads;
  return kernelAttention(autograd, q, k, v, { ...options, isFlash: true, isMasked: false, valueHeadSize });
}
function kernelAttention(autograd, q, k, v, options) {
  const [tokens = 0] = q.shape;
  const output = autograd.tensor([tokens, options.heads * options.valueHeadSize], q.dtype, [q, k, v]);
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
  const wide = options.castsSoftmax && options.sinks === void 0 ? autograd.cast(masked, "float32") : autograd.raised(masked);
  const softmax = options.sinks === void 0 ? autograd.elementwise("softmax", wide, { savesOutput: true }) : sinkSoftmax(autograd, masked, options.sinks);
  const castsBack = options.bias === void 0 && (options.causal || options.castsSoftmax);
  const lowered = castsBack ? autograd.cast(softmax, autograd.autocastDtype ?? query.dtype) : softmax;
  const weights = autograd.dropout(lowered, options.dropout);
  const output = autograd.elementwise("clone", autograd.batchMatmul(weights, factor(v), query.shape));
  return { output, weights };
}
function sinkSoftmax(autograd, scores, sinks) {
  const [heads2 = 0, tokens = 0, sourceTokens = 0] = scores.shape;
  const combined = autograd.tensor([heads2, tokens, sourceTokens + 1], scores.dtype, [scores, sinks]);
  autograd.record("cat", {
    reads: [scores, sinks],
    outputs: [combined],
    gradients: [{ to: scores, passes: true }, made(sinks)]
  });
  const derived = (name3, from2, isSaved) => {
    const output = autograd.tensor(from2.shape, from2.dtype, [from2]);
    const saves = isSaved ? [output] : [];
    autograd.record(name3, { reads: [from2, scores], outputs: [output], saves, gradients: [made(from2)] });
    return output;
  };
  const probabilities = derived("softmax", derived("sub", combined, false), true);
  return autograd.slice(probabilities, sourceTokens);
}
function leavesBroadcast({ broadcastsHeads, keyValueHeads, heads: heads2 }) {
  return broadcastsHeads === true && keyValueHeads < heads2;
}
function repeated(autograd, x, { heads: heads2, keyValueHeads }) {
  if (heads2 === keyValueHeads || keyValueHeads === 1) return x;
  const [tokens = 0, features = 0] = x.shape;
  return expanded(autograd, x, [tokens, features * heads2 / keyValueHeads]);
}
function expanded(autograd, x, shape) {
  const output = autograd.tensor(shape, x.dtype, [x]);
  autograd.record("expand", { reads: [x], outputs: [output], gradients: [made(x)] });
  return output;
}

// engine/estimate/experts.ts
function routed(autograd, x, { weight, bias }, { count: count3, perToken, inFloat32 = false, scoring, scoresChosenOnly = false, weightsInFloat32 = false }) {
  const [tokens = 0] = x.shape;
  const raise = (tensor) => inFloat32 ? autograd.cast(tensor, "float32") : tensor;
  const parts = [raise(x), raise(weight), ...bias === void 0 ? [] : [raise(bias)]];
  const [rows2 = x, matrix = weight] = parts.map((part3) => autograd.lowered(part3));
  const logits = autograd.tensor([tokens, count3], rows2.dtype, [rows2, matrix]);
  autograd.record("router", {
    reads: [rows2, matrix],
    outputs: [logits],
    saves: [...matrix.requiresGrad ? [rows2] : [], ...rows2.requiresGrad ? [matrix] : []],
    gradients: [rows2, matrix].map(made),
    flopsPerSample: 2 * elements(logits) * lastSize(x)
  });
  const score = (tensor) => autograd.elementwise(scoring, tensor, { savesOutput: true });
  const scores = scoresChosenOnly ? logits : score(autograd.cast(logits, "float32"));
  const chosen = autograd.tensor([tokens, perToken], "int64", []);
  const best = autograd.tensor([tokens, perToken], scores.dtype, [scores]);
  autograd.record("topk", { reads: [scores], outputs: [best, chosen], saves: [chosen], gradients: [made(scores)] });
  const weights = scoresChosenOnly ? score(best) : best;
  return [weightsInFloat32 ? weights : autograd.cast(weights, logits.dtype), chosen];
}
function groupedExperts(autograd, x, { chosen, weights }, parameters, gate) {
  const rowCount = elements(chosen);
  const order = autograd.tensor([rowCount], "int64", []);
  const sorted = autograd.tensor([rowCount], "int64", []);
  autograd.record("sort", { reads: [chosen], outputs: [sorted, order] });
  const rows2 = gathered2(autograd, x, [rowCount, lastSize(x)], order);
  const rowWeights = gathered2(autograd, weights, [rowCount], order);
  const joined = groupedProduct(autograd, rows2, parameters.up, sorted, parameters.upBias);
  const results = groupedProduct(autograd, gate(joined), parameters.down, sorted, parameters.downBias);
  const weighted = autograd.multiply(results, rowWeights);
  const restored = gathered2(autograd, weighted, weighted.shape, order);
  const output = autograd.tensor(x.shape, restored.dtype, [restored]);
  autograd.record("sum", { reads: [restored], outputs: [output], gradients: [made(restored)] });
  return {
    output: autograd.cast(output, x.dtype),
    locals: [x, chosen, weights, sorted, order, rows2, rowWeights, results, restored]
  };
}
function gathered2(autograd, x, shape, order) {
  const output = autograd.tensor(shape, x.dtype, [x]);
  const indices = autograd.tensor(order.shape, "int64", []);
  autograd.record("positions", { reads: [order], outputs: [indices] });
  autograd.record("index", { reads: [x, indices], outputs: [output], saves: [indices], gradients: [made(x)] });
  return output;
}
function groupedProduct(autograd, x, weight, experts, bias) {
  const outFeatures = elements(weight) / ((weight.shape[0] ?? 1) * lastSize(x));
  const rows2 = autograd.cast(x, weight.dtype);
  const output = autograd.tensor([...x.shape.slice(0, -1), outFeatures], weight.dtype, [rows2, weight]);
  autograd.record("grouped_mm", {
    reads: [rows2, weight],
    outputs: [output],
    saves: [...weight.requiresGrad ? [rows2] : [], ...rows2.requiresGrad ? [weight] : []],
    gradients: [rows2, weight].map(made),
    flopsPerSample: 2 * elements(output) * lastSize(x)
  });
  return bias === void 0 ? output : autograd.add(output, gathered2(autograd, bias, output.shape, experts), { inPlace: true });
}

// engine/estimate/fake-quantization.ts
function fakeQuantized(autograd, x, groupSize) {
  const divided2 = multipliedByScale(autograd, x, groupSize);
  const rounded = passing(autograd, "round", divided2);
  const shifted2 = passing(autograd, "add", rounded);
  const clamped = autograd.elementwise("clamp", shifted2, { saves: [shifted2] });
  const lowered = autograd.cast(clamped, x.dtype);
  const scaled2 = multipliedByScale(autograd, passing(autograd, "sub", lowered), groupSize);
  const output = autograd.cast(scaled2, x.dtype);
  autograd.record("return", { reads: [clamped], outputs: [] });
  return output;
}
function multipliedByScale(autograd, x, groupSize) {
  const output = autograd.tensor(x.shape, "float32", [x], x);
  const scales = autograd.storage(elements(x) / groupSize, "float32", x.batched);
  const wide = autograd.storage(elements(x), "float32", x.batched, "temporaries");
  autograd.record("mul", {
    reads: [x],
    outputs: [output],
    saved: [scales],
    gradients: [{ to: x, passes: false }],
    backwardScratch: x.dtype === "float32" ? [] : [wide]
  });
  return output;
}
function passing(autograd, name3, x) {
  const output = autograd.tensor(x.shape, x.dtype, [x], x);
  autograd.record(name3, { reads: [x], outputs: [output], gradients: [{ to: x, passes: true }] });
  return output;
}
function fourBitBytes(count3, groupSize) {
  return count3 / 2 + count3 / groupSize;
}
function fourBitProduct(autograd, name3, x, weight, groupSize) {
  const [outFeatures = 1] = weight.shape;
  const output = autograd.tensor([...x.shape.slice(0, -1), outFeatures], x.dtype, [x, weight]);
  const kept = [x, weight].map(
    (factor) => autograd.storage(fourBitBytes(elements(factor), groupSize), "bool", factor.batched)
  );
  autograd.record(name3, {
    reads: [x, weight],
    outputs: [output],
    saved: kept,
    scratch: [x, weight].map((factor) => autograd.storage(elements(factor), "float32", factor.batched, "temporaries")),
    backwardScratch: [x, weight].map((factor) => autograd.like(factor, "temporaries")),
    gradients: [x, weight].map((to) => ({ to, passes: false })),
    flopsPerSample: 2 * elements(output) * (x.shape.at(-1) ?? 1)
  });
  return output;
}

// engine/estimate/linear-attention.ts
var CHUNK_TOKENS = 64;
function gatedDeltaRule(autograd, { query, key: key2, value, decay, beta, heads: heads2 }) {
  const [tokens = 0] = query.shape;
  const inputs = [query, key2, value, decay, beta];
  const output = autograd.tensor(value.shape, query.dtype, inputs);
  const like = (tensor) => autograd.storage(elements(tensor), query.dtype, true);
  const within2 = (bytes5) => autograd.storage(bytes5, "bool", true, "temporaries");
  const element = bytesPerElement[query.dtype];
  const [keyBytes, valueBytes] = [elements(key2) * element, elements(value) * element];
  const keySize = lastSize(key2) / heads2;
  const stateBytes = Math.ceil(tokens / CHUNK_TOKENS) * keySize * lastSize(value) * element;
  const pairs = tokens * heads2 * CHUNK_TOKENS;
  const saved = [
    like(query),
    like(key2),
    like(value),
    autograd.storage(3 * tokens * heads2, "float32", true),
    autograd.storage(pairs, query.dtype, true)
  ];
  autograd.record("gated delta rule", {
    reads: inputs,
    outputs: [output],
    saves: [beta],
    saved,
    gradients: inputs.map(made),
    scratch: [within2(pairs * bytesPerElement.float32), within2(keyBytes + 2 * valueBytes + stateBytes)],
    backwardScratch: [within2(3 * keyBytes + 3 * valueBytes + 2 * stateBytes)],
    flopsPerSample: 4 * tokens * heads2 * (CHUNK_TOKENS + keySize) * (lastSize(value) / heads2)
  });
  return output;
}

// engine/estimate/quantization.ts
function quantizedBytes(kind, count3, rows2) {
  switch (kind) {
    case "nf4":
      return { weights: count3 / 2, constants: count3 / NF4_BLOCK * bytesPerElement.float32 };
    case "nf4-double":
      return { weights: count3 / 2, constants: count3 / NF4_BLOCK };
    case "int8":
      return { weights: count3, constants: rows2 * bytesPerElement.float32 };
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
  /** The last hidden states, once a decoder has asked for its logits. */
  outputLayerInput;
  /** What went into each block: the hidden states that `output_hidden_states` would hand out. */
  blockInputs = [];
  /** Tensors that local variables of the running block reference. */
  #locals = [];
  constructor(spec2, device2) {
    super(spec2, device2);
    const isImage = spec2.task === "image-classification";
    const imageSize = spec2.imageSize ?? 0;
    const inputShape = isImage ? [3, imageSize, imageSize] : [spec2.sequenceLength ?? 0];
    const labelShape = spec2.task === "seq2seq-lm" ? [spec2.targetLength ?? spec2.sequenceLength ?? 0] : inputShape;
    const perToken = ["causal-lm", "masked-lm", "seq2seq-lm"].includes(spec2.task);
    this.input = this.#batchTensor(inputShape, isImage ? this.weightDtype : "int64");
    this.labels = this.#batchTensor(perToken ? labelShape : [], "int64");
    if (this.isPadded) this.#batchTensor(inputShape, "int64");
  }
  embedding(name3, ids, count3, features) {
    const table4 = this.#savedWhole(name3, [count3, features]) ?? this.#weight(`${name3}.weight`, [count3, features]);
    const output = this.tensor([...ids.shape, features], table4.dtype, [table4], ids);
    this.record(name3, { reads: [ids], outputs: [output], saves: [ids], gradients: [made(table4)] });
    return output;
  }
  constantEmbedding(name3, count3, features, rows2) {
    const ids = this.tensor([rows2], "int64", [], { batched: false });
    this.record(name3, { reads: [], outputs: [ids] });
    return this.embedding(name3, ids, count3, features);
  }
  linear(name3, x, outFeatures, options = {}) {
    if (this.#isOutputLayer(name3)) this.outputLayerInput = x;
    if (this.spec.fusedLoss && this.#isOutputLayer(name3)) return this.#fusedLoss(name3, x, outFeatures, options.tiedTo);
    const base = this.#isQuantized(name3) ? this.#quantizedLinear(name3, x, outFeatures, options) : this.#denseLinear(name3, x, outFeatures, options);
    return this.#isAdapted(name3) ? this.frame(x, (input) => this.#adapted(name3, input, base)) : base;
  }
  layerNorm(name3, x) {
    const parameters = ["weight", "bias"].map((part3) => this.#weight(`${name3}.${part3}`, [lastSize(x)]));
    const wide = this.raised(x);
    const output = this.tensor(wide.shape, wide.dtype, [wide, ...parameters], wide);
    const rows2 = elements(wide) / lastSize(wide);
    const statistics = [this.storage(rows2, "float32", wide.batched), this.storage(rows2, "float32", wide.batched)];
    this.record(name3, {
      reads: [wide, ...parameters],
      outputs: [output],
      saves: [wide],
      saved: statistics,
      gradients: [wide, ...parameters].map(made)
    });
    return output;
  }
  rmsNorm(name3, x, options) {
    const weight = this.#weight(`${name3}.weight`, [options.size]);
    const wide = this.cast(x, "float32");
    const rows2 = [...x.shape.slice(0, -1), lastSize(x) / options.size];
    const squares = this.power(wide);
    const mean = this.tensor(rows2, "float32", [squares], x);
    this.record("mean", { reads: [squares], outputs: [mean], gradients: [made(squares)] });
    const scale = this.elementwise("rsqrt", mean, { savesOutput: true });
    const normalised2 = this.multiply(options.scalesInput ? x : wide, scale);
    if (!options.scalesInFloat32) return this.multiply(weight, this.cast(normalised2, x.dtype));
    const factor = options.aroundOne ? this.elementwise("add", this.cast(weight, "float32")) : weight;
    return this.cast(this.multiply(normalised2, factor), x.dtype);
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
  sigmoid(x) {
    return this.elementwise("sigmoid", x, { savesOutput: true });
  }
  clamp(x) {
    return this.elementwise("clamp", x, { saves: [x] });
  }
  square(x) {
    return this.power(x);
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
  layerScale(name3, x) {
    return this.multiply(this.#weight(name3, [lastSize(x)]), x);
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
  headsJoined(own2, other, sharedBy = 1) {
    const features = lastSize(own2) + lastSize(other) * sharedBy;
    const output = this.tensor([...own2.shape.slice(0, -1), features], own2.dtype, [own2, other]);
    const backwardScratch = sharedBy > 1 ? [this.like(output, "temporaries")] : [];
    this.record("cat", { reads: [own2, other], outputs: [output], gradients: [own2, other].map(made), backwardScratch });
    this.headsFirst.add(output.storage);
    return output;
  }
  rotaryTable(x, size2) {
    const [tokens = 0] = x.shape;
    const table4 = [0, 1].map(() => this.tensor([tokens, size2], x.dtype, [], { batched: false }));
    this.record("rotary table", { reads: [], outputs: table4 });
    return table4;
  }
  rotary(x, [cos, sin], heads2, { inFloat32 = false, alwaysJoins = false } = {}) {
    if (inFloat32) return this.cast(this.#rotated(this.cast(x, "float32"), cos, sin), x.dtype);
    const rotated = lastSize(cos) * heads2;
    const isWhole = rotated === lastSize(x);
    if (isWhole && !alwaysJoins) return this.#rotated(x, cos, sin);
    const [turning, resting] = [this.slice(x, rotated), this.slice(x, lastSize(x) - rotated)];
    const output = this.concatenate([this.#rotated(turning, cos, sin), ...isWhole ? [] : [resting]]);
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
    const sinks = shape.sinks === void 0 ? void 0 : this.#weight(shape.sinks, [shape.heads]);
    const options = { keyValueHeads: shape.heads, castsSoftmax: false, ...shape, bias, sinks };
    if (this.spec.attention !== "eager") return fusedAttention2(this, q, k, v, options);
    const { output, weights } = eagerAttention2(this, q, k, v, options);
    this.#locals.push(weights);
    return output;
  }
  routed(name3, x, options) {
    return routed(this, x, this.#routerParameters(name3, x, options), options);
  }
  experts(name3, x, [weights, chosen], { count: count3, inner, hasBias = false, isGated = true }, gate) {
    const held = count3 / (this.spec.expertParallel ?? 1);
    const hidden = lastSize(x);
    const joined = isGated ? 2 * inner : inner;
    const up = isGated ? "gate_up_proj" : "up_proj";
    const bias = (part3, features) => this.#weight(`${name3}.${part3}_bias`, [count3, features]);
    const matrices = {
      up: this.#expertWeight(`${name3}.${up}`, [held, joined, hidden]),
      down: this.#expertWeight(`${name3}.down_proj`, [held, hidden, inner])
    };
    const { output, locals } = groupedExperts(
      this,
      x,
      { weights, chosen },
      {
        ...matrices,
        ...hasBias && { upBias: bias(up, joined), downBias: bias("down_proj", hidden) }
      },
      gate
    );
    this.#locals.push(...locals, matrices.up, matrices.down);
    return output;
  }
  causalConvolution(name3, x, kernel2) {
    const [tokens = 0] = x.shape;
    const weight = this.lowered(this.#weight(`${name3}.weight`, [lastSize(x), 1, kernel2]));
    const factor = this.lowered(x);
    const padded = this.tensor([tokens + kernel2 - 1, lastSize(x)], factor.dtype, [factor, weight]);
    this.record(name3, this.#product(factor, weight, [], padded, kernel2));
    const whole2 = this.silu(padded);
    return { ...whole2, shape: x.shape };
  }
  gatedDeltaRule(name3, [query, key2, value], { a, b, heads: heads2 }) {
    const [bias, rates] = ["dt_bias", "A_log"].map((part3) => this.#weight(`${name3}.${part3}`, [heads2]));
    const shifted2 = this.add(this.cast(a, "float32"), bias);
    const decay = this.multiply(
      this.elementwise("softplus", shifted2, { saves: [shifted2] }),
      this.cast(rates, "float32")
    );
    return gatedDeltaRule(this, { query, key: key2, value, decay, beta: this.sigmoid(b), heads: heads2 });
  }
  gatedInFloat32(x, gate) {
    return this.cast(this.multiply(x, this.silu(this.cast(gate, "float32"))), x.dtype);
  }
  relativePositionBias(name3, buckets, heads2, tokens) {
    const pairs = this.tensor([tokens, tokens], "int64", [], { batched: false });
    this.record("relative positions", { reads: [], outputs: [pairs] });
    const bias = this.embedding(name3, pairs, buckets, heads2);
    return { ...bias, shape: [heads2, tokens, tokens] };
  }
  zeroPositionBias(heads2, tokens, sourceTokens) {
    const dtype = this.autocastDtype ?? this.weightDtype;
    const zeros = this.tensor([heads2, tokens, sourceTokens], dtype, [], { batched: false });
    this.record("zeros", { reads: [], outputs: [zeros] });
    return zeros;
  }
  shiftedLabels() {
    if (!this.training) return this.labels;
    const shifted2 = this.tensor(this.labels.shape, "int64", []);
    this.record("shift", { reads: [this.labels], outputs: [shifted2] });
    return shifted2;
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
  conv2d(name3, x, outChannels, options) {
    const [inChannels, ...size2] = image(x);
    const { kernel: kernel2, stride, padding = Math.floor(kernel2 / 2), groups: groups2 = 1 } = options;
    const filter = [inChannels / groups2, kernel2, kernel2];
    const weight = this.lowered(this.#weight(`${name3}.weight`, [outChannels, ...filter]));
    const bias = options.bias ? [this.lowered(this.#weight(`${name3}.bias`, [outChannels]))] : [];
    const factor = this.lowered(x);
    const outputSize = size2.map((pixels) => Math.floor((pixels + 2 * padding - kernel2) / stride) + 1);
    const output = this.tensor([outChannels, ...outputSize], factor.dtype, [factor, weight, ...bias]);
    this.record(name3, this.#product(factor, weight, bias, output, elements({ shape: filter })));
    return output;
  }
  batchNorm(name3, x) {
    const [channels2] = image(x);
    const parameters = ["weight", "bias"].map((part3) => this.#weight(`${name3}.${part3}`, [channels2]));
    const statisticsBytes = channels2 * bytesPerElement[this.weightDtype];
    this.buffer(`${name3}.running_mean`, statisticsBytes);
    this.buffer(`${name3}.running_var`, statisticsBytes);
    this.buffer(`${name3}.num_batches_tracked`, bytesPerElement.int64);
    const output = this.tensor(x.shape, x.dtype, [x, ...parameters]);
    const statistics = this.training ? [0, 1].map(() => this.storage(channels2, "float32", false)) : [];
    this.record(name3, {
      reads: [x, ...parameters],
      outputs: [output],
      saves: [x],
      saved: statistics,
      gradients: [x, ...parameters].map(made)
    });
    return output;
  }
  maxPool(x, options) {
    const [channels2, ...size2] = image(x);
    const { kernel: kernel2, stride, padding } = options;
    const pooled = size2.map((pixels) => Math.floor((pixels + 2 * padding - kernel2) / stride) + 1);
    const output = this.tensor([channels2, ...pooled], x.dtype, [x]);
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
    const [channels2, y, width] = image(x);
    return { ...x, shape: [y, width, channels2] };
  }
  channelsFirst(x) {
    const [y = 0, width = 0, channels2 = 0] = x.shape;
    return { ...x, shape: [channels2, y, width] };
  }
  flattenPixels(x) {
    const [channels2, y, width] = image(x);
    return { ...x, shape: [y * width, channels2] };
  }
  prependTokens(names2, x) {
    const [tokens = 0, hidden = 0] = x.shape;
    const learned = names2.map((name3) => this.#weight(name3, [1, hidden]));
    const [first = x] = learned;
    const output = this.tensor([names2.length + tokens, hidden], widest(x.dtype, first.dtype), [x, ...learned]);
    const patches2 = { to: x, passes: output.dtype === x.dtype };
    this.record("cat", { reads: [x, ...learned], outputs: [output], gradients: [...learned.map(made), patches2] });
    return output;
  }
  addPositions(name3, x, count3) {
    const table4 = this.#weight(name3, [count3, lastSize(x)]);
    return this.add(x, table4.shape[0] === x.shape[0] ? table4 : this.#resampled(table4, x.shape));
  }
  crossEntropy(logits) {
    if (this.spec.fusedLoss && this.spec.task === "causal-lm") return logits;
    this.markLogits(logits);
    const perToken = this.labels.shape.length > 0;
    const wide = this.spec.task === "causal-lm" ? this.cast(logits, "float32") : this.raised(logits);
    const logProbabilities2 = this.markLogits(this.elementwise("log_softmax", wide, { savesOutput: true }));
    const loss = this.tensor([], wide.dtype, [logProbabilities2], { batched: false });
    this.record("nll_loss", {
      reads: [logProbabilities2],
      outputs: [loss],
      saves: [logProbabilities2],
      saved: perToken ? [this.storage(elements(this.labels), "int64", true)] : [],
      gradients: [made(logProbabilities2)]
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
  frame(x, body2) {
    const caller = this.#locals;
    this.#locals = [x];
    const output = body2(x);
    this.record("return", { reads: this.#locals, outputs: [] });
    this.#locals = caller;
    return output;
  }
  block(x, body2, shared = []) {
    this.blockInputs.push(x);
    const isRecomputed = this.spec.gradientCheckpointing && this.training && this.pass === void 0;
    if (!isRecomputed) return this.frame(x, body2);
    const outer = this.nodes;
    const castOutside = new Map(this.castWeights);
    this.nodes = [];
    const output = this.frame({ ...x, requiresGrad: true }, body2);
    const inputs = [x, ...shared].map((tensor) => tensor.storage);
    outer.push({ ...emptyNode, reads: inputs, saves: inputs, outputs: [output], body: this.nodes });
    this.nodes = outer;
    this.castWeights = castOutside;
    return output;
  }
  idle(features, body2) {
    const [nodes, known3] = [this.nodes, new Set(this.parameters.keys())];
    this.nodes = [];
    body2(this.tensor([1, features], this.weightDtype, []));
    this.nodes = nodes;
    for (const [name3, parameter] of this.parameters) {
      if (!known3.has(name3)) this.parameters.set(name3, { ...parameter, requiresGrad: false });
    }
  }
  /** int64 constants that the module registers as buffers. */
  positionIds(count3) {
    this.buffer("position_ids", count3 * bytesPerElement.int64);
  }
  markLogits(logits) {
    logits.storage.kind = "logits";
    return logits;
  }
  /** peft utils/other.py ModulesToSaveWrapper: a trainable copy of a module is used, and the original stays. */
  #savedWhole(name3, shape, original = `${name3}.weight`) {
    const isSaved = this.spec.lora?.modulesToSave?.includes(name3.slice(name3.lastIndexOf(".") + 1)) ?? false;
    if (!isSaved || this.pass !== void 0 && this.pass.of !== "policy") return void 0;
    this.#weight(original, shape);
    return this.parameter(`${name3}.modules_to_save.default.weight`, shape, { trainable: true });
  }
  #weight(name3, shape) {
    return this.parameter(name3, shape, { trainable: this.spec.lora === void 0 });
  }
  /**
   * bitsandbytes nn/parametrize.py: quantised parameters that are no linear layer's are dequantised whole when they are asked for,
   * and cached until their module returns. What was dequantised is what the products save.
   */
  #expertWeight(name3, shape) {
    const { quantization, quantizedExperts } = this.spec;
    if (quantization === void 0 || !quantizedExperts) return this.#weight(name3, shape);
    const count3 = elements({ shape });
    const { weights, constants: constants2 } = quantizedBytes(quantization, count3, count3 / (shape.at(-1) ?? 1));
    this.buffer(name3, weights);
    this.buffer(`${name3}.quant_state`, constants2);
    const dequantised = this.tensor(shape, this.weightDtype, [], { batched: false });
    this.record("dequantise", { reads: [], outputs: [dequantised] });
    return dequantised;
  }
  #denseLinear(name3, x, outFeatures, options) {
    const cache = !options.composed;
    const shape = [outFeatures, lastSize(x)];
    const original = options.tiedTo ?? `${name3}.weight`;
    const parameter = this.#savedWhole(name3, shape, original) ?? this.#weight(original, shape);
    const bias = options.bias === false ? [] : [this.#weight(`${name3}.bias`, [outFeatures])];
    const groupSize = this.#roundingGroup(name3, x, options);
    const format = this.spec.fakeQuantization?.format;
    if (groupSize !== void 0 && format !== void 0) return fourBitProduct(this, name3, x, parameter, groupSize);
    const weight = groupSize === void 0 ? this.lowered(parameter, { cache }) : fakeQuantized(this, parameter, groupSize);
    const fused = options.composed ? [] : bias.map((part3) => this.lowered(part3));
    const factor = groupSize === void 0 ? this.lowered(options.castsInput ? this.cast(x, this.weightDtype) : x) : fakeQuantized(this, x, lastSize(x));
    const output = this.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, weight, ...fused]);
    this.record(name3, this.#product(factor, weight, fused, output, lastSize(x)));
    return options.composed ? bias.reduce((sum2, part3) => this.add(sum2, part3), output) : output;
  }
  /** torchao's quantizers pass over tied output layers and widths that no group divides; torchtune's LoRA recipe, what is not adapted. */
  #roundingGroup(name3, x, { tiedTo }) {
    const { fakeQuantization, lora: lora2 } = this.spec;
    if (fakeQuantization === void 0 || tiedTo !== void 0) return void 0;
    const isMeant2 = lora2 === void 0 || this.#isAdapted(name3);
    return isMeant2 && lastSize(x) % fakeQuantization.groupSize === 0 ? fakeQuantization.groupSize : void 0;
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
  #fusedLoss(name3, x, outFeatures, tiedTo) {
    const weight = this.#weight(tiedTo ?? `${name3}.weight`, [outFeatures, lastSize(x)]);
    const factor = this.lowered(x);
    const loss = this.tensor([], "float32", [x, weight], { batched: false });
    this.record(name3, {
      reads: [factor, weight],
      outputs: [loss],
      saved: [this.like(factor, "logits"), ...weight.requiresGrad ? [this.like(weight, "logits")] : []],
      scratch: [this.like(factor, "logits"), this.storage(elements(factor), "float32", true, "logits")],
      gradients: [factor, weight].map(made),
      flopsPerSample: 2 * elements(x) * outFeatures
    });
    return loss;
  }
  #isOutputLayer(name3) {
    return this.spec.task === "causal-lm" && (name3 === "lm_head" || name3 === "embed_out");
  }
  #routerParameters(name3, x, { count: count3, hasBias }) {
    const weight = this.#weight(`${name3}.weight`, [count3, lastSize(x)]);
    return hasBias ? { weight, bias: this.#weight(`${name3}.bias`, [count3]) } : { weight };
  }
  /** bitsandbytes leaves the output layer alone. */
  #isQuantized(name3) {
    return this.spec.quantization !== void 0 && !this.#isOutputLayer(name3) && name3 !== "score";
  }
  /**
   * bitsandbytes: autograd/_functions.py. MatMul4Bit computes in 16 bits, dequantises the matrix for each call, forward and
   * backward, and saves no input. MatMul8bitLt computes in the type of its input, which it keeps as an attribute, out of
   * checkpointing's sight; it quantises the input for an int32 product, and dequantises the matrix for the backward only.
   */
  #quantizedLinear(name3, x, outFeatures, options) {
    const { quantization = "nf4" } = this.spec;
    const count3 = outFeatures * lastSize(x);
    const { weights, constants: constants2 } = quantizedBytes(quantization, count3, outFeatures);
    this.buffer(`${name3}.weight`, weights);
    this.buffer(`${name3}.weight.quant_state`, constants2);
    const bias = options.bias === false ? [] : [this.#weight(`${name3}.bias`, [outFeatures])];
    const isInt8 = quantization === "int8";
    const factor = isInt8 ? x : this.cast(x, "bfloat16");
    const output = this.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, ...bias]);
    const dequantised = this.fixed(count3 * bytesPerElement[factor.dtype], "temporaries");
    const product = this.storage(elements(factor) + elements(output) * INT32_BYTES, "bool", true, "temporaries");
    this.record(name3, {
      reads: [factor, ...bias],
      outputs: [output],
      keeps: isInt8 ? [factor] : [],
      gradients: [factor, ...bias].map(made),
      scratch: [isInt8 ? product : dequantised],
      backwardScratch: [dequantised],
      flopsPerSample: 2 * elements(output) * lastSize(x)
    });
    return this.cast(output, x.dtype);
  }
  #isAdapted(name3) {
    const module = name3.slice(name3.lastIndexOf(".") + 1);
    this.linearNames.add(module);
    return (this.pass === void 0 || this.pass.of === "policy") && (this.spec.lora?.targets.includes(module) ?? false);
  }
  /**
   * peft tuners/lora/layer.py Linear.forward: result + lora_B(lora_A(dropout(x))) * scaling, adapters in float32. Its variable
   * for the cast input lives to the end.
   */
  #adapted(name3, x, base) {
    const { rank: rank2 = 1, dropout = 0 } = this.spec.lora ?? {};
    const raised = this.cast(x, "float32");
    const input = this.dropout(raised, dropout);
    const inner = this.#adapterLinear(`${name3}.lora_A`, input, rank2);
    const outer = this.#adapterLinear(`${name3}.lora_B`, inner, lastSize(base));
    const sum2 = this.cast(this.add(base, this.scale(outer)), base.dtype);
    this.record("return", { reads: [raised], outputs: [] });
    return sum2;
  }
  #adapterLinear(name3, x, outFeatures) {
    const parameter = this.parameter(`${name3}.weight`, [outFeatures, lastSize(x)], {
      trainable: true,
      dtype: "float32"
    });
    const [factor, weight] = [this.lowered(x), this.lowered(parameter)];
    const output = this.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, weight]);
    this.record(name3, this.#product(factor, weight, [], output, lastSize(x)));
    return output;
  }
  #rotated(x, cos, sin) {
    const [first, second] = [this.slice(x, lastSize(x) / 2), this.slice(x, lastSize(x) / 2)];
    const turned = this.concatenate([this.elementwise("neg", second), first]);
    return this.add(this.multiply(x, cos), this.multiply(turned, sin));
  }
  /** transformers' interpolate_pos_encoding: the patches' rows through `upsample_bicubic2d`, then `cat` with the special tokens'. */
  #resampled(table4, shape) {
    const unbatched = { batched: false };
    const resampled = this.tensor(shape, table4.dtype, [table4], unbatched);
    this.record("upsample_bicubic2d", { reads: [table4], outputs: [resampled], gradients: [made(table4)] });
    const joined = this.tensor(shape, table4.dtype, [resampled], unbatched);
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
  keeps: [],
  outputs: [],
  gradients: [],
  backwardScratch: [],
  flopsPerSample: 0,
  computeDtype: "float32"
};
function image(x) {
  const [channels2 = 0, y = 0, width = 0] = x.shape;
  return [channels2, y, width];
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
  constructor(spec2, config, device2 = { hasFlash: true }) {
    this.spec = spec2;
    const tape = new Tape(spec2, device2);
    const { loss, held } = objectiveOf(tape, config, spec2);
    refuseMissingTargets(spec2, tape);
    this.#timeline = playStep(tape, spec2, loss, held);
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
    const { step: step3 } = this.#timeline;
    const resident = this.#resident(batch, workspaceBytes);
    let bytes5 = byteKinds.reduce((sum2, kind) => sum2 + resident[kind], 0);
    let peakBytes = bytes5;
    let events2 = 0;
    let eventsUntilPeak = 0;
    for (const event2 of step3) {
      bytes5 += changeOf(event2, batch);
      events2++;
      if (bytes5 > peakBytes) {
        peakBytes = bytes5;
        eventsUntilPeak = events2;
      }
    }
    for (const event2 of step3.slice(0, eventsUntilPeak)) resident[event2.storage.kind] += changeOf(event2, batch);
    return { bytes: peakBytes, breakdown: resident, moment: step3[eventsUntilPeak - 1]?.moment ?? "between steps" };
  }
  /** Whether two steps fit into `usableBytes`, with the caching allocator's segments and their fragmentation. */
  fit(batch, usableBytes2, workspaceBytes) {
    const key2 = `${batch} ${workspaceBytes}`;
    const known3 = this.#fitting.get(key2);
    if (known3 && known3.reservedBytes <= usableBytes2 && usableBytes2 <= known3.upToBytes) {
      return { kind: "fits", reservedBytes: known3.reservedBytes };
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
    const { model, optimizerState: optimizerState2, step: step3, eventsBeforeOptimizer } = this.#timeline;
    const allocate = (bytes5) => allocator.allocate(bytes5) !== void 0;
    const blocks2 = [];
    const play = (events2) => replay(events2, batch, allocator, blocks2);
    const lasted = model.every((storage) => allocate(bytesAt(storage, batch))) && allocate(workspaceBytes) && play(step3.slice(0, eventsBeforeOptimizer)) && optimizerState2.every((storage) => allocate(bytesAt(storage, batch))) && play(step3.slice(eventsBeforeOptimizer)) && play(step3);
    return lasted ? { kind: "fits", reservedBytes: allocator.peakReservedBytes } : { kind: "out-of-memory" };
  }
  /** Bytes that are there between steps. */
  #resident(batch, workspaceBytes) {
    const { model, optimizerState: optimizerState2 } = this.#timeline;
    const bytes5 = { ...emptyBreakdown(), workspace: workspaceBytes };
    for (const storage of [...model, ...optimizerState2]) bytes5[storage.kind] += bytesAt(storage, batch);
    return bytes5;
  }
};
function refuseMissingTargets(spec2, { linearNames }) {
  const missing = (spec2.lora?.targets ?? []).filter((target) => !linearNames.has(target));
  if (missing.length === 0) return;
  throw new MemoryMarkError({
    code: "no-such-lora-target",
    message: `${spec2.model} has no linear layer named ${missing.join(", ")}`,
    fix: `Name some of: ${[...linearNames].join(", ")}.`
  });
}
function changeOf({ kind, storage }, batch) {
  return kind === "allocate" ? bytesAt(storage, batch) : -bytesAt(storage, batch);
}
function replay(events2, batch, allocator, blocks2) {
  for (const { kind, storage } of events2) {
    if (kind === "allocate") {
      const block3 = allocator.allocate(bytesAt(storage, batch));
      if (block3 === void 0) return false;
      blocks2[storage.id] = block3;
    } else {
      const block3 = blocks2[storage.id];
      if (block3 !== void 0) allocator.release(block3);
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
  of(spec2, config, gpu2) {
    const shape = shapeOf(spec2);
    const isFloat32 = spec2.precision === "fp32" || spec2.precision === "tf32";
    const device2 = { hasFlash: isFloat32 || hasFlashAttention(gpu2) };
    const key2 = JSON.stringify([shape, config, device2]);
    const footprint = this.#kept.get(key2) ?? new Footprint(shape, config, device2);
    this.#kept.delete(key2);
    this.#kept.set(key2, footprint);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== void 0) this.#kept.delete(oldest);
    return footprint;
  }
};
function shapeOf(spec2) {
  return { ...spec2, microBatch: 1, gradientAccumulation: Math.min(spec2.gradientAccumulation, 2) };
}

// engine/report/schema.ts
import * as z35 from "zod";

// engine/config/reading.ts
import * as z32 from "zod";
var position = z32.object({ line: z32.number().int().positive(), column: z32.number().int().positive() });

// engine/probes/trial.ts
import * as z33 from "zod";
var bytes = z33.number().min(0).max(1e18);
var provenance = z33.enum(["measured", "traced", "estimated"]);
var outcome = z33.discriminatedUnion("kind", [
  z33.object({
    kind: z33.literal("fits"),
    /** Absent where the device keeps no count of it: the CPU. */
    peakBytes: bytes.optional(),
    /** Half the distance between the highest and the lowest peak of the steps; absent where one step has the peak. */
    peakBytesSpread: bytes.optional(),
    /** What the caching allocator held at most, cached blocks included. */
    reservedBytes: bytes.optional(),
    /** Forward and backward of one micro-batch and one optimizer step: the median of the timed steps. */
    stepMillis: z33.number().min(0).optional(),
    /** Half the distance between the fastest and the slowest timed step; absent when fewer than two were timed. */
    stepMillisSpread: z33.number().min(0).optional(),
    /** The optimizer's part of `stepMillis`. */
    optimizerMillis: z33.number().min(0).optional()
  }),
  /** `neededBytes`: the peak that the step would have had, where the probe can know it. */
  z33.object({ kind: z33.literal("out-of-memory"), neededBytes: bytes.optional() }),
  z33.object({ kind: z33.literal("timed-out"), afterMillis: z33.number().min(0) }),
  z33.object({ kind: z33.literal("failed"), problem })
]);
function peakOf(outcome3) {
  switch (outcome3.kind) {
    case "fits":
      return outcome3.peakBytes;
    case "out-of-memory":
      return outcome3.neededBytes;
    case "timed-out":
    case "failed":
      return void 0;
  }
}
function isBroken(outcome3) {
  return outcome3.kind === "failed" || outcome3.kind === "timed-out";
}
var trial = z33.object({ microBatch: batchSize, provenance, outcome });

// engine/verdict/policy.ts
import * as z34 from "zod";
var MAX_CONDITIONS = 20;
var percent = z34.number().min(0).max(1e3);
var condition = z34.discriminatedUnion("kind", [
  /** Usable memory idle at the current batch, judged only where a faster batch is to be had. */
  z34.object({ kind: z34.literal("waste"), abovePercent: percent }),
  /** Throughput missed: how much faster the recommended batch is. */
  z34.object({ kind: z34.literal("throughput-loss"), abovePercent: percent }),
  /** Savings of the recommendation over a year. */
  z34.object({ kind: z34.literal("annual-cost"), aboveUsd: z34.number().min(0).max(1e12) })
]);
var policy = z34.object({
  failOn: z34.array(condition).max(MAX_CONDITIONS),
  warnOn: z34.array(condition).max(MAX_CONDITIONS)
});
var spared = z34.enum(["within-error", "no-worse", "accepted", "snoozed"]);
var reason = z34.discriminatedUnion("kind", [
  z34.object({ kind: z34.literal("does-not-fit"), spared: spared.optional() }),
  z34.object({ kind: z34.literal("condition"), condition, actual: z34.number(), spared: spared.optional() })
]);
var verdict = z34.object({
  state: z34.enum(["fine", "warning", "blocked"]),
  /** What blocks; without that, what is remarked on, with what would block but is spared. */
  reasons: z34.array(reason).max(2 * MAX_CONDITIONS)
});
var defaultPolicy = {
  failOn: [{ kind: "waste", abovePercent: 40 }],
  warnOn: [{ kind: "throughput-loss", abovePercent: 5 }]
};
var grammar = /^(?:(waste|throughput-loss)\s*>\s*(\d+(?:\.\d+)?)\s*%?|(annual-cost)\s*>\s*\$?\s*(\d+(?:\.\d+)?))$/;
function parseConditions(text3, setting) {
  const parts = text3.split(",").map((part3) => part3.trim()).filter((part3) => part3 !== "");
  if (parts.length === 0 || parts.length > MAX_CONDITIONS) throw unreadable2(text3, setting);
  if (parts.length === 1 && parts[0] === "never") return [];
  return parts.filter((part3) => part3 !== "does-not-fit").map((part3) => {
    const match = grammar.exec(part3);
    if (match === null) throw unreadable2(part3, setting);
    const [, kind, percentText, , usdText] = match;
    const parsed2 = condition.safeParse(
      kind === void 0 ? { kind: "annual-cost", aboveUsd: Number(usdText) } : { kind, abovePercent: Number(percentText) }
    );
    if (!parsed2.success) throw unreadable2(part3, setting);
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
function unreadable2(part3, setting) {
  return new MemoryMarkError({
    code: "policy-unreadable",
    field: setting,
    message: `"${part3.slice(0, 100)}" is not a condition`,
    fix: "Write `waste > 40 %`, `throughput-loss > 10 %`, `annual-cost > $500`, several with commas between, or `never`."
  });
}

// engine/report/schema.ts
var bytes2 = z35.number().min(0).max(1e18);
var usd = z35.number().min(-1e12).max(1e12);
var label = z35.string().max(200);
var path = z35.string().min(1).max(4096);
var throughputProvenance = z35.enum(["measured", "modelled"]);
var breakdown = z35.record(z35.enum(byteKinds), bytes2);
var operatingPoint = z35.object({
  microBatch: batchSize,
  gradientAccumulation: batchSize,
  effectiveBatch: z35.number().int().min(1),
  fits: z35.boolean(),
  peakBytes: bytes2,
  samplesPerSecond: z35.number().positive(),
  costPerRunUsd: usd
});
var reportedGpu2 = z35.object({
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
var leverChange = z35.enum(["gradient-checkpointing", "bf16-autocast", "sdpa-attention", "fused-optimizer"]);
var throughputPoint = z35.object({ microBatch: batchSize, samplesPerSecond: z35.number().positive() });
var analysedConfig = z35.object({
  status: z35.literal("analysed"),
  path,
  dialect: label,
  spec: trainingSpec,
  /** Where the micro-batch is written; absent when the config leaves it to its tool's default. */
  batchSizeAt: position.optional(),
  gradientAccumulationAt: position.optional(),
  gpu: reportedGpu2,
  provenance,
  /** Half-width of the band around every memory figure: held by `npm run bench:accuracy`, or the spread of measured steps. */
  errorBandPercent: z35.number().min(0).max(100),
  throughputProvenance,
  /** Half-width of the band around every throughput: the widest spread of the timed steps. Absent where it is modelled. */
  throughputBandPercent: z35.number().min(0).max(100).optional(),
  current: operatingPoint,
  /** Absent when not even one sample fits. */
  recommended: operatingPoint.optional(),
  largest: operatingPoint.optional(),
  /** Bytes at the peak of the current batch, and the moment of that peak in words. */
  breakdown,
  peakMoment: label,
  /** Recommended against current samples per second. */
  speedup: z35.number().positive(),
  savingsPerRunUsd: usd,
  savingsPerYearUsd: usd,
  /** The one change that frees most at the current batch. */
  lever: z35.object({ change: leverChange, peakBytes: bytes2 }).optional(),
  /** A cheaper GPU on which the current config fits and a run costs less. */
  rightSizing: z35.object({ gpu: reportedGpu2, costPerRunUsd: usd }).optional(),
  trials: z35.array(trial).max(1e3),
  /** At sizes that fit; where a clock made the throughput, at those that were timed. Absent in older reports. */
  throughputCurve: z35.array(throughputPoint).max(1e3).optional(),
  hoursPerRun: z35.number().positive().max(1e6),
  runsPerYear: z35.number().positive().max(1e6),
  /** What the config did not say and we took for granted, one sentence each. */
  assumptions: z35.array(z35.string().max(500)).max(30),
  verdict
});
var unanalysedConfig = z35.object({
  status: z35.literal("not-analysed"),
  path,
  problems: z35.array(problem).min(1).max(50),
  /** Why it does not block, where it does not. */
  spared: spared.optional()
});
var REPORT_SCHEMA = "memorymark.report/v1";
var report = z35.object({
  schema: z35.literal(REPORT_SCHEMA),
  toolVersion: label,
  createdAt: z35.iso.datetime(),
  policy,
  configs: z35.array(z35.discriminatedUnion("status", [analysedConfig, unanalysedConfig])).max(5e3)
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
function isCounted(path7, { paths, ignore: ignore2 }) {
  const isWanted = paths === void 0 || paths.some((glob2) => matchesGlob(path7, glob2));
  return isWanted && !ignore2.some((glob2) => matchesGlob(path7, glob2));
}
function settingsFor(path7, settings) {
  const matching = settings.overrides.filter((override) => matchesGlob(path7, override.path));
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
  const { verdict: verdict3 } = config;
  if (verdict3.state !== "blocked") return verdict3;
  const reasons = verdict3.reasons.map(
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
var estimating = async ({ spec: spec2, model }, _, options) => ({
  assessment: assess(spec2, model.config, options),
  assumptions: derivationOf(spec2, model.config)
});
var DEFAULT_HOURS_PER_RUN = 2;
var DEFAULT_RUNS_PER_YEAR = 100;
async function analyze(files, options) {
  const { settings = noSettings, models = {}, assessor = estimating } = options;
  const shared = sharedOptions(options, settings);
  const configs2 = [];
  for (const file of files) {
    await setImmediate();
    const own2 = settingsFor(file.path, settings);
    const assessment = assessmentOptions(options, shared, own2);
    const analyzeText = (text3) => analyzeFile({ ...file, text: text3 }, assessment, { models, supplied: own2.supplied, assessor });
    const result2 = await analyzeText(file.text);
    if (result2 === void 0) continue;
    configs2.push(settings.judge === "all" ? result2 : await judgedAgainstBase(result2, options.base, analyzeText));
  }
  return {
    schema: REPORT_SCHEMA,
    toolVersion: version,
    createdAt: options.now.toISOString(),
    policy: shared.policy,
    configs: configs2
  };
}
async function judgedAgainstBase(result2, base, analyzeText) {
  if (result2.status !== "analysed" || result2.verdict.state !== "blocked") return result2;
  const text3 = await base?.(result2.path);
  const before = text3 === void 0 ? void 0 : await analyzeText(text3);
  return before?.status === "analysed" ? { ...result2, verdict: againstBase(result2, before) } : result2;
}
async function analyzeFile(file, options, { models, supplied, assessor }) {
  const reading = await readConfigAsync(file, (name3) => resolveModel(name3, models, file.path), supplied);
  switch (reading.kind) {
    case "not-a-training-config":
      return void 0;
    case "unreadable":
      return { status: "not-analysed", path: file.path, problems: [...reading.problems] };
    case "training-config":
      return assessed(file.path, async () => analysed(file.path, reading, await assessor(reading, file, options)));
  }
}
async function assessed(path7, analysis2) {
  try {
    return await analysis2();
  } catch (error) {
    if (!(error instanceof MemoryMarkError)) throw error;
    return { status: "not-analysed", path: path7, problems: [{ ...error.problem, file: path7 }] };
  }
}
function analysed(path7, reading, { assessment, assumptions }) {
  const { dialect, batchSizeAt, gradientAccumulationAt } = reading;
  return {
    status: "analysed",
    path: path7,
    dialect,
    ...batchSizeAt && { batchSizeAt },
    ...gradientAccumulationAt && { gradientAccumulationAt },
    assumptions: [...reading.assumptions, ...assumptions],
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
function assessmentOptions(options, shared, own2) {
  const chosen = options.gpu ?? own2.gpu ?? defaultGpu;
  const listed2 = shared.catalogue.find(({ id: id7 }) => id7 === chosen.id) ?? chosen;
  return {
    ...shared,
    gpu: priced(listed2, options.pricePerHourUsd, "your setting", options.now),
    hoursPerRun: options.hoursPerRun ?? own2.hoursPerRun ?? DEFAULT_HOURS_PER_RUN,
    runsPerYear: options.runsPerYear ?? own2.runsPerYear ?? DEFAULT_RUNS_PER_YEAR
  };
}
function priced(gpu2, pricePerHourUsd2, priceSource, now) {
  if (pricePerHourUsd2 === void 0 || pricePerHourUsd2 === gpu2.pricePerHourUsd) return gpu2;
  return { ...gpu2, pricePerHourUsd: pricePerHourUsd2, priceSource, priceDate: now.toISOString().slice(0, 10) };
}

// engine/explain.ts
function explainFile(file, { settings = noSettings, models = {} } = {}) {
  const { supplied } = settingsFor(file.path, settings);
  return explainConfigAsync(file, (name3) => resolveModel(name3, models, file.path), supplied);
}

// engine/propose.ts
import { isDeepStrictEqual } from "node:util";

// engine/config/rewrite.ts
var digits = /(\d{1,15})(?=[\s,\]}]|$)/y;
var anchored = /&\S+\s+$/;
function rewriteNumbers(text3, changes2) {
  const bom = text3.startsWith("\uFEFF") ? 1 : 0;
  const starts = lineStarts(text3, bom);
  let rewritten = text3;
  for (const { at, from: from2, to } of changes2.toSorted((a, b) => b.at.line - a.at.line || b.at.column - a.at.column)) {
    const start2 = starts[at.line - 1];
    if (start2 === void 0) return { kind: "not-plain", at };
    const offset2 = start2 + at.column - 1;
    digits.lastIndex = offset2;
    const [, written] = digits.exec(text3) ?? [];
    const isAnchored = anchored.test(text3.slice(start2, offset2));
    if (written === void 0 || Number(written) !== from2 || isAnchored) return { kind: "not-plain", at };
    rewritten = rewritten.slice(0, offset2) + String(to) + rewritten.slice(offset2 + written.length);
  }
  return { kind: "rewritten", text: rewritten };
}
function lineStarts(text3, first) {
  return [first, ...Array.from(text3.matchAll(/\n/g), ({ index }) => index + 1)];
}

// engine/report/batch-change.ts
function batchChange(config) {
  const { current, recommended, batchSizeAt, gradientAccumulationAt } = config;
  if (recommended === void 0) return { kind: "nothing-to-change" };
  const changesMicro = recommended.microBatch !== current.microBatch;
  const changesAccumulation = recommended.gradientAccumulation !== current.gradientAccumulation;
  if (changesMicro && batchSizeAt === void 0) return { kind: "not-in-file", setting: "micro-batch" };
  if (changesAccumulation && gradientAccumulationAt === void 0) {
    return { kind: "not-in-file", setting: "gradient accumulation" };
  }
  const [first, ...others] = [
    ...changesMicro && batchSizeAt ? [{ at: batchSizeAt, from: current.microBatch, to: recommended.microBatch }] : [],
    ...changesAccumulation && gradientAccumulationAt ? [
      {
        at: gradientAccumulationAt,
        from: current.gradientAccumulation,
        to: recommended.gradientAccumulation
      }
    ] : []
  ];
  return first === void 0 ? { kind: "nothing-to-change" } : { kind: "change", numbers: [first, ...others] };
}

// engine/propose.ts
async function proposeChange(file, config, { settings = noSettings, models = {} } = {}) {
  const change2 = batchChange(config);
  switch (change2.kind) {
    case "nothing-to-change":
      return change2;
    case "not-in-file":
      return { kind: "by-hand", why: change2 };
    case "change": {
      const rewrite = rewriteNumbers(file.text, change2.numbers);
      if (rewrite.kind === "not-plain") return { kind: "by-hand", why: rewrite };
      const { supplied } = settingsFor(file.path, settings);
      const again2 = await readConfigAsync(
        { ...file, text: rewrite.text },
        (name3) => resolveModel(name3, models, file.path),
        supplied
      );
      const saysJustThat = again2.kind === "training-config" && isDeepStrictEqual(withoutAbsent(again2.spec), wanted(config));
      return saysJustThat ? { kind: "change", path: file.path, before: file.text, after: rewrite.text } : { kind: "by-hand", why: { kind: "tied-to-other-settings" } };
    }
  }
}
function wanted({ spec: spec2, recommended }) {
  const { microBatch, gradientAccumulation } = recommended ?? spec2;
  return withoutAbsent({ ...spec2, microBatch, gradientAccumulation });
}
function withoutAbsent(spec2) {
  return Object.fromEntries(Object.entries(spec2).filter(([, value]) => value !== void 0));
}

// engine/render/figures.ts
function ofUsable(peakBytes, usableBytes2) {
  return `${gibFigure(peakBytes)} of ${formatGib(usableBytes2)}`;
}
function gibFigure(bytes5) {
  return formatGib(bytes5).replace(" GiB", "");
}
function formatShare(config, point) {
  const share2 = shareOfUsable(config.gpu, point);
  if (!Number.isFinite(share2)) return "more than all";
  if (share2 < 1 && share2 > 0.99) return "99 %";
  return share2 > 0 && share2 < 0.01 ? "under 1 %" : formatPercent(share2);
}
function formatPart(bytes5) {
  return bytes5 > 0 && bytes5 < GIB / 100 ? "under 0.01 GiB" : formatGib(bytes5);
}
function formatRatio(ratio) {
  return `${ratio < 10 ? ratio.toFixed(1) : Math.round(ratio).toLocaleString("en-US")}×`;
}
function formatYearlyUsd(usd3) {
  return `$${formatCount(Math.round(usd3))}`;
}
function formatSignedUsd(usd3) {
  return usd3 < 0 ? `−${formatYearlyUsd(-usd3)}` : formatYearlyUsd(usd3);
}
function formatBatch(point) {
  return `${formatCount(point.microBatch)} × ${formatCount(point.gradientAccumulation)}`;
}
function formatDate(at) {
  return at.toISOString().slice(0, 10);
}
function formatCount(count3) {
  return count3.toLocaleString("en-US");
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
function sparedSentences({ verdict: verdict3 }) {
  const [reason2] = sparedIn(verdict3.reasons);
  return reason2 === void 0 ? [] : [`This does not block: ${because(reason2.spared)}.`];
}
function sparedConditions({ configs: configs2 }) {
  const reasons = configs2.flatMap((config) => config.status === "analysed" ? sparedIn(config.verdict.reasons) : []);
  const conditions2 = reasons.flatMap((reason2) => reason2.kind === "condition" ? [formatCondition(reason2.condition)] : []);
  return [...new Set(conditions2)];
}
function sparedIn(reasons) {
  return reasons.flatMap((reason2) => reason2.spared === void 0 ? [] : [{ ...reason2, spared: reason2.spared }]);
}
function because(spared3) {
  switch (spared3) {
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
var WORTHWHILE_SPEEDUP2 = 1.02;
var WORTHWHILE_USD = 1;
function recommendsChange(config) {
  const { recommended, current } = config;
  return recommended !== void 0 && (!current.fits || recommended.microBatch !== current.microBatch);
}
function batchChange2(from2, to, strong = (text3) => text3) {
  const micro = `Micro-batch ${strong(change(from2.microBatch, to.microBatch))}`;
  if (from2.gradientAccumulation === to.gradientAccumulation) return micro;
  return `${micro}, accumulation ${change(from2.gradientAccumulation, to.gradientAccumulation)}`;
}
function effectiveBatchNote(from2, to) {
  if (from2.effectiveBatch === to.effectiveBatch) return "same effective batch";
  return `effective batch ${change(from2.effectiveBatch, to.effectiveBatch)} (a change to the training: revisit the learning rate and the number of steps)`;
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
  return `${batchChange2(current, recommended, strong)}: ${effects.join(", ")}.`;
}
function isWorthFollowing(config) {
  return recommendsChange(config) && (!config.current.fits || gains(config).length > 0);
}
function fineRemark(config) {
  const { recommended } = config;
  if (recommended === void 0 || !isWorthFollowing(config)) return "nothing to gain";
  return `micro-batch ${formatCount(recommended.microBatch)} would bring ${gains(config).join(" and ")}, within policy`;
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
function change(from2, to) {
  return from2 === to ? formatCount(from2) : `${formatCount(from2)} → ${formatCount(to)}`;
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
function isPlainLine(line2, maxLength = 500) {
  return line2.length <= maxLength && line2.replaceAll("	", " ").search(invisible) < 0;
}
function plainPath(path7, maxLength = 120) {
  if (path7.length <= maxLength) return plainText(path7, maxLength);
  const head = Math.floor(maxLength / 3);
  return `${plainText(path7.slice(0, head))}…${plainText(path7.slice(head + 1 - maxLength))}`;
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
function inlinePath(path7) {
  return codeSpans(plainPath(path7));
}
function table2(cells, align) {
  return markdownTable(cells, { align: align ?? null });
}
function details(summary2, body2) {
  return `<details><summary>${escapeHtml(summary2)}</summary>

${body2}

</details>`;
}
function codeBlock(language, body2) {
  return `\`\`\`${language}
${body2}
\`\`\``;
}
function fencedLines(language, lines) {
  const body2 = lines.join("\n");
  const longestRun = Math.max(2, ...Array.from(body2.matchAll(/`+/g), ([run2]) => run2.length));
  const fence = "`".repeat(longestRun + 1);
  return `${fence}${language}
${body2}
${fence}`;
}
function htmlLink(text3, url2) {
  const parsed2 = URL.canParse(url2) ? new URL(url2) : void 0;
  const isWeb = parsed2?.protocol === "https:" || parsed2?.protocol === "http:";
  return isWeb ? `<a href="${escapeHtml(parsed2.href)}">${escapeHtml(text3)}</a>` : escapeHtml(text3);
}
function breakReferences(text3) {
  return text3.replace(/[@#]/g, `$&${joiner}`).replace(/\bgh-(?=\d)/gi, `$&${joiner}`).replace(/:(?=\S)/g, `:${joiner}`).replace(/www(?=\.)/gi, `$&${joiner}`).replace(/[0-9a-f]{7,}/gi, (run2) => run2.replace(/.{6}(?=.)/g, `$&${joiner}`)).replace(/^(?=[-+=]|\d+[.)](?:\s|$))/, joiner);
}
function escapeStructure(text3) {
  return text3.replace(/[\\`*_~[\](){}!#]/g, "\\$&").replace(/[&<>|]/g, (character) => `&#${character.charCodeAt(0)};`).replaceAll("$", "<span>$</span>");
}
function codeSpans(text3) {
  return text3.split("|").map(codeSpan).join("&#124;");
}
function codeSpan(text3) {
  if (text3 === "") return "";
  const longestRun = Math.max(0, ...Array.from(text3.matchAll(/`+/g), ([run2]) => run2.length));
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
function spread(items, count3) {
  if (items.length <= count3) return [...items];
  const step3 = (items.length - 1) / (count3 - 1);
  const kept = new Set(Array.from({ length: count3 }, (_, index) => Math.round(index * step3)));
  return items.filter((_, index) => kept.has(index));
}
function knownPeaks({ current, recommended, largest, trials }) {
  const points = [current, recommended, largest].flatMap(
    (point) => point ? [[point.microBatch, point.peakBytes]] : []
  );
  const tried = trials.flatMap(({ microBatch, outcome: outcome3 }) => {
    const bytes5 = peakOf(outcome3);
    return bytes5 === void 0 ? [] : [[microBatch, bytes5]];
  });
  return [...new Map([...points, ...tried])].sort(([a], [b]) => a - b);
}
function inGib(bytes5) {
  return Math.round(bytes5 / GIB * 100) / 100;
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
  return Object.keys(partNames).map((kind) => ({ name: partNames[kind], bytes: breakdown2[kind] })).filter(({ bytes: bytes5 }) => bytes5 > 0).sort((a, b) => b.bytes - a.bytes);
}
function configDetails(config) {
  return [...whereItGoes(config), ...sizesTried(config), ...takenForGranted(config)].join("\n\n");
}
function whereItGoes(config) {
  const { current, breakdown: breakdown2, peakMoment } = config;
  const heading = `**Where the memory goes** at micro-batch ${formatCount(current.microBatch)}. The peak comes at: ${escapeText(peakMoment)}.`;
  const share2 = (bytes5) => current.peakBytes === 0 ? "–" : formatPercent(bytes5 / current.peakBytes);
  const rows2 = partsOf2(breakdown2).map(({ name: name3, bytes: bytes5 }) => [name3, formatPart(bytes5), share2(bytes5)]);
  const total = ["**peak**", `**${formatGib(current.peakBytes)}**`, memoryProvenance(config)];
  const lever = leverSentence(config);
  return [
    heading,
    table2([["", "memory", "share of the peak"], ...rows2, total], ["l", "r", "r"]),
    ...lever ? [lever] : []
  ];
}
function sizesTried(config) {
  const trials = config.trials.toSorted((a, b) => a.microBatch - b.microBatch);
  const shown2 = spread(trials, MAX_TRIALS);
  const chart2 = memoryChart(config);
  if (shown2.length === 0) return chart2 ? [chart2] : [];
  const counted2 = shown2.length < trials.length ? ` (${shown2.length} of ${formatCount(trials.length)} shown)` : "";
  const header2 = ["micro-batch", "peak memory", "result", "known how"];
  return [
    `**Sizes tried**${counted2}`,
    ...chart2 ? [chart2] : [],
    table2([header2, ...shown2.map((trial2) => trialRow(trial2, config.gpu.usableBytes))], ["r", "r", "l", "l"])
  ];
}
function trialRow({ microBatch, provenance: provenance2, outcome: outcome3 }, usableBytes2) {
  return [formatCount(microBatch), outcomePeak(outcome3), outcomeWords(outcome3, usableBytes2), provenance2];
}
function outcomePeak(outcome3) {
  const bytes5 = peakOf(outcome3);
  return bytes5 === void 0 ? "–" : formatGib(bytes5);
}
function outcomeWords(outcome3, usableBytes2) {
  switch (outcome3.kind) {
    case "fits":
      return "fits";
    case "out-of-memory":
      return (outcome3.neededBytes ?? Number.POSITIVE_INFINITY) <= usableBytes2 ? "out of memory (fragmented)" : "out of memory";
    case "timed-out":
      return `timed out after ${formatCount(Math.round(outcome3.afterMillis / 1e3))} s`;
    case "failed":
      return `failed: ${escapeText(outcome3.problem.message, 120)}`;
  }
}
function takenForGranted(config) {
  const lines = [specLine(config), priceLine(config), ...config.assumptions.map((assumption) => escapeText(assumption))];
  return ["**What the figures rest on**", lines.map((line2) => `- ${line2}`).join("\n")];
}
function specLine({ spec: spec2, dialect }) {
  const size2 = spec2.sequenceLength ?? spec2.imageSize;
  const input = size2 === void 0 ? [] : [spec2.sequenceLength ? `${formatCount(size2)} tokens` : `${formatCount(size2)}×${formatCount(size2)} pixels`];
  const settings = [
    spec2.task,
    ...input,
    spec2.precision,
    ...spec2.lora ? [`LoRA of rank ${spec2.lora.rank} on ${escapeText(spec2.lora.targets.join(", "), 200)}`] : [],
    ...spec2.quantization ? [`${spec2.quantization} base weights`] : [],
    spec2.optimizer,
    `${spec2.attention} attention`,
    `checkpointing ${spec2.gradientCheckpointing ? "on" : "off"}`,
    `${formatCount(spec2.gpus)} GPU${spec2.gpus === 1 ? "" : "s"}${spec2.gpus > 1 ? ` (${spec2.sharding ?? "ddp"})` : ""}`,
    spec2.step === "training" ? "a training step" : "forward and backward only"
  ];
  return `${inlineCode(spec2.model, 100)}: ${settings.join(", ")}; read as ${escapeText(dialect, 60)}.`;
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
  for (let step3 = 1; step3 < mostForms; step3++) {
    for (const { index, forms } of leastFirst) {
      if (step3 < forms.length) yield { index, form: forms[step3] };
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
  if (config.status === "analysed") return config.verdict.state;
  return config.spared === void 0 ? "blocked" : "warning";
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
  const kinds3 = new Set(config.verdict.reasons.map(reasonKind));
  return findings.find((finding) => kinds3.has(finding)) ?? "waste";
}
function headline(report2) {
  const { configs: configs2 } = report2;
  const [only] = configs2;
  if (only === void 0) return nothingToMeasure;
  if (configs2.length === 1) return `the training config ${sayOne(only)}`;
  const parts = findings.map((finding) => ({ finding, count: configs2.filter((config) => findingOf(config) === finding).length })).filter(({ finding, count: count3 }) => count3 > 0 && finding !== "fine");
  const [first, ...rest] = parts;
  const total = counted(configs2);
  if (first === void 0) return `all ${total} fit and are within policy`;
  return [
    `${first.count === configs2.length ? "all" : `${formatCount(first.count)} of`} ${total} ${predicate(first.finding, first.count)}`,
    ...rest.map(({ finding, count: count3 }) => `${formatCount(count3)} ${predicate(finding, count3)}`)
  ].join(", ");
}
function decidingConditions(report2, state) {
  const { failOn, warnOn } = report2.policy;
  const asked2 = new Set((state === "blocked" ? failOn : warnOn).map(formatCondition));
  const met = report2.configs.flatMap((config) => config.status === "analysed" ? config.verdict.reasons : []).flatMap((reason2) => reason2.kind === "condition" ? [formatCondition(reason2.condition)] : []);
  return [...new Set(met)].filter((condition2) => asked2.has(condition2));
}
function sayOne(config) {
  const words3 = predicate(findingOf(config), 1);
  if (config.status === "not-analysed" || config.current.fits) return words3;
  return `${words3}: needs ${ofUsable(config.current.peakBytes, config.gpu.usableBytes)}`;
}
function counted(configs2) {
  const count3 = formatCount(configs2.length);
  if (!hasSeveralGpusOfOne(configs2)) return `${count3} training configs`;
  const paths = new Set(configs2.map(({ path: path7 }) => path7)).size;
  return `${count3} results for ${formatCount(paths)} training config${paths === 1 ? "" : "s"}`;
}
function hasSeveralGpusOfOne(configs2) {
  const gpuOf2 = /* @__PURE__ */ new Map();
  return configs2.some((config) => {
    if (config.status === "not-analysed") return false;
    const known3 = gpuOf2.get(config.path) ?? config.gpu.id;
    gpuOf2.set(config.path, known3);
    return known3 !== config.gpu.id;
  });
}
function predicate(finding, count3) {
  const one = count3 === 1;
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
  return reasons.every(({ spared: spared3 }) => spared3 !== "within-error");
}
function reasonKind(reason2) {
  return reason2.kind === "condition" ? reason2.condition.kind : reason2.kind;
}

// engine/render/footer.ts
function footer(report2, { hints = [], howMeasuredUrl } = {}) {
  const parts = [
    ...decidedBy(report2),
    ...hints,
    `MemoryMark ${escapeText(report2.toolVersion, 40)}`,
    ...howMeasuredUrl ? [htmlLink("how this is measured", howMeasuredUrl)] : []
  ];
  return `<sub>${parts.join(" · ")}</sub>`;
}
function decidedBy(report2) {
  const state = verdictState(report2);
  if (state === "fine" || state === "nothing-to-measure") return [];
  const setting = state === "blocked" ? "fail-on" : "warn-on";
  const present4 = new Set(report2.configs.map(findingOf));
  const causes = [
    ...present4.has("does-not-fit") ? ["a config that does not fit"] : [],
    ...present4.has("may-not-fit") && state === "warning" ? ["a config that may not fit"] : [],
    ...state === "warning" ? sparedConditions(report2).map((condition2) => inlineCode(`fail-on: ${condition2}`)) : [],
    ...decidingConditions(report2, state).map((condition2) => inlineCode(`${setting}: ${condition2}`)),
    ...present4.has("not-analysed") ? ["a config that could not be analysed"] : []
  ];
  return causes.length === 0 ? [] : [`${state === "blocked" ? "Blocked" : "Remarked on"} by ${causes.join(", ")}`];
}

// engine/render/comparison.ts
var BAR_CELLS = 20;
function comparison(config) {
  return [operatingTable(config), codeBlock("text", memoryBars(config)), rightSizing(config)].filter(Boolean).join("\n\n");
}
function columns({ current, recommended, largest }) {
  const same2 = recommended !== void 0 && recommended.microBatch === largest?.microBatch;
  return [
    { heading: "now", point: current, role: "now" },
    ...recommended ? [
      {
        heading: same2 ? "recommended, the largest that fits" : "recommended",
        point: recommended,
        role: "recommended"
      }
    ] : [],
    ...largest && !same2 ? [{ heading: "largest that fits", point: largest, role: "largest" }] : []
  ];
}
function operatingTable(config) {
  const shown2 = columns(config);
  const row7 = (label2, cell) => [label2, ...shown2.map(cell)];
  const whereItRuns = (cell) => (column) => column.point.fits ? cell(column.point) : "–";
  return table2(
    [
      row7("", ({ heading }) => heading),
      row7("micro-batch × accumulation", microBatchCell),
      row7("effective batch", ({ point }) => effectiveCell(point, config.current)),
      row7(
        `peak memory (${config.provenance})`,
        ({ point }) => `${formatGib(point.peakBytes)} (${formatShare(config, point)})`
      ),
      row7("idle", (column) => idleCell(config, column)),
      row7(
        `samples/s (${config.throughputProvenance})`,
        whereItRuns((point) => rateCell(point, config.current))
      ),
      row7(
        "cost of a run",
        whereItRuns((point) => formatUsd(point.costPerRunUsd))
      ),
      row7(
        "cost of a year",
        whereItRuns((point) => formatYearlyUsd(point.costPerRunUsd * config.runsPerYear))
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
  const rate2 = formatRate(point.samplesPerSecond);
  if (point === current || !current.fits) return rate2;
  return `${rate2} (${formatRatio(point.samplesPerSecond / current.samplesPerSecond)})`;
}
function memoryBars(config) {
  const { current, recommended, gpu: gpu2 } = config;
  const rows2 = [
    { label: "now", point: current },
    ...recommended && recommended.microBatch !== current.microBatch ? [{ label: "recommended", point: recommended }] : []
  ];
  return rows2.map(({ label: label2, point }, index) => {
    const figure2 = index === rows2.length - 1 ? ofUsable(point.peakBytes, gpu2.usableBytes) : gibFigure(point.peakBytes);
    const filled = bar(gpu2.usableBytes === 0 ? 1 : point.peakBytes / gpu2.usableBytes, BAR_CELLS);
    return `${label2.padEnd(11)} ${filled}${point.fits ? " " : "▶"} ${figure2}`;
  }).join("\n");
}
function rightSizing({ rightSizing: rightSizing3, current }) {
  if (rightSizing3 === void 0) return void 0;
  const { gpu: gpu2, costPerRunUsd: costPerRunUsd2 } = rightSizing3;
  const price = `${formatUsd(gpu2.pricePerHourUsd)} an hour`;
  const against = current.fits ? ` instead of ${formatUsd(current.costPerRunUsd)}` : "";
  return `This config needs ${formatGib(current.peakBytes)}: ${article(gpu2.name)} ${escapeText(gpu2.name, 60)} (${formatGib(gpu2.usableBytes)} usable) would run it at ${price}, ${formatUsd(costPerRunUsd2)} a run${against}.`;
}
function article(name3) {
  return /^(?:[AEFHILMNORSX](?:[^a-z]|$)|[AEIO][a-z])/.test(name3) ? "an" : "a";
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
  return `*Memory ${memoryProvenance(config)}; throughput ${throughputProvenance2(config)}.*`;
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
  const texts = shown2.map((problem3) => renderProblem(config.path, problem3));
  const letPass2 = config.spared === void 0 ? "" : `; this does not block, because ${because(config.spared)}`;
  const opening = `${mark} **${inlinePath(config.path)}** could not be analysed${letPass2}`;
  if (config.problems.length === 1) return `${opening}. ${texts.join("")}`;
  return [
    `${opening}:`,
    "",
    ...texts.map((text3) => `- ${text3}`),
    ...rest > 0 ? [`- and ${rest} more in this file`] : []
  ].join("\n");
}
function renderProblem(path7, { file, line: line2, column, field, message: message2, fix: fix2 }) {
  const place2 = [
    file && file !== path7 && inlinePath(file),
    line2 && `line ${line2}`,
    column && line2 && `column ${column}`
  ].filter(Boolean);
  const where = [place2.join(", "), field && inlineCode(field, 100)].filter(Boolean).join(", ");
  return `${capitalised(where)}${where && ": "}${escapeText(message2)}. ${escapeText(fix2)}`;
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
  const counted2 = leftOut.length > 0 ? [countLine(leftOut)] : [];
  return [...opening, ...texts.filter((text3) => text3 !== void 0), ...counted2, closing].join(separator);
}
function mattering(report2) {
  return rank(report2).flatMap(
    ({ config, group }) => group === "matters" && config.status === "analysed" ? [config] : []
  );
}
var groups = ["matters", "fine", "not-analysed"];
function rank({ configs: configs2 }) {
  return configs2.map((config) => ({ config, group: groupOf(config), interest: interestOf(config) })).sort((a, b) => b.interest - a.interest);
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
  const compared2 = `${short}${separator}${comparison(config)}`;
  if (!withDetails) return [compared2, short];
  const behind = details("Where the memory goes, every size tried, assumptions", configDetails(config));
  return [`${compared2}${separator}${behind}`, compared2, short];
}
function countLine(leftOut) {
  const words3 = { matters: "to look at", fine: "fine", "not-analysed": "not analysed" };
  const parts = groups.map((group) => ({ group, count: leftOut.filter((item) => item.group === group).length })).filter(({ count: count3 }) => count3 > 0).map(({ group, count: count3 }) => `${formatCount(count3)} ${words3[group]}`);
  return `…and ${formatCount(leftOut.length)} more, all in the report: ${parts.join(", ")}.`;
}

// engine/render/check.ts
var CHECK_LIMIT = 65535;
var MAX_DETAILED = 40;
var MAX_PROBLEMS_A_FILE = 10;
function renderCheck(report2, { remarks = [], hints = [] } = {}) {
  const title = capitalised(headline(report2));
  if (report2.configs.length === 0) {
    const summary2 = [...remarks, `${nothingToMeasure}.`].join(separator);
    return { title, summary: summary2, text: "", conclusion: "success", annotations: [] };
  }
  return {
    title,
    summary: renderWithin(report2, remarks, footer(report2, { hints }), { limitBytes: CHECK_LIMIT, withDetails: false }),
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
    return config.problems.slice(0, MAX_PROBLEMS_A_FILE).map((problem3) => problemAnnotation(config, problem3));
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
  const known3 = `Memory ${memoryProvenance(config)}; throughput ${throughputProvenance2(config)}.`;
  return [...advice(config), known3].join(" ");
}
function problemAnnotation(config, { file, line: line2, field, message: message2, fix: fix2 }) {
  const named3 = field ? `${plainText(field, 100)}: ` : "";
  return {
    path: file ?? config.path,
    line: line2 ?? 1,
    level: configState(config) === "blocked" ? "failure" : "warning",
    title: "Could not be analysed",
    message: `${named3}${plainText(message2)}. ${plainText(fix2)}`
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
    ...options.statusNote ? [`*${escapeText(options.statusNote)}*`] : [],
    ...options.remarks ?? []
  ];
  const closing = [footer(report2, options), ...options.hiddenNote ? [options.hiddenNote] : []].join("\n");
  return renderWithin(report2, opening, closing, {
    limitBytes: COMMENT_LIMIT,
    withDetails: true
  });
}

// engine/render/decision.ts
var names = {
  microBatch: "micro-batch",
  gradientAccumulation: "gradient accumulation",
  gpus: "GPUs",
  sequenceLength: "sequence length",
  targetLength: "target length",
  imageSize: "image size",
  gradientCheckpointing: "gradient checkpointing",
  lora: "adapters",
  fusedLoss: "fused loss",
  paddedBatches: "padded batches",
  step: "step profile"
};
function settingName({ setting }) {
  return names[setting] ?? setting;
}
function settingValue({ value }) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (isLora(value)) return `rank ${value.rank} on ${value.targets.map(plain).join(", ")}`;
  return plain(String(value));
}
function settingOrigin({ from: from2 }) {
  switch (from2.kind) {
    case "field":
      return placeOf(from2.field);
    case "default":
      return from2.source;
  }
}
function placeOf({ file, at, name: name3 }) {
  return `${file === void 0 ? "" : `${file}, `}line ${at.line}, column ${at.column} (${name3})`;
}
function isLora(value) {
  return typeof value === "object" && value !== null && "targets" in value;
}

// engine/render/explanation.ts
function renderExplanations(configs2, limitBytes) {
  const sections = configs2.map((config, index) => ({ forms: formsOf2(config), interest: -index }));
  const texts = fitSections(sections, limitBytes - separator.length * sections.length);
  return texts.filter((text3) => text3 !== void 0).join(separator);
}
function formsOf2({ path: path7, explanation, config }) {
  const heading = `#### ${inlinePath(path7)}`;
  const standing = config === void 0 ? [] : [standsOn(config)];
  switch (explanation.kind) {
    case "not-recognised":
      return [[heading, ...outcome2(path7, explanation.reading)].join(separator)];
    case "recognised": {
      const recognised = `Read as ${escapeText(explanation.dialect, 60)}, recognised by ${escapeText(explanation.why, 200)}.`;
      const short = [heading, recognised, ...outcome2(path7, explanation.reading), ...standing].join(separator);
      const settings = [decisionTable(explanation.decisions), ...assumed(explanation.assumptions)];
      return [[short, ...settings].join(separator), short];
    }
  }
}
function decisionTable(decisions3) {
  const rows2 = decisions3.map((decision2) => [
    escapeText(settingName(decision2)),
    escapeText(settingValue(decision2), 200),
    escapeText(settingOrigin(decision2), 300)
  ]);
  return table2([["setting", "value", "from"], ...rows2], ["l", "l", "l"]);
}
function assumed(assumptions) {
  if (assumptions.length === 0) return [];
  return [`Assumed:

${assumptions.map((sentence) => `- ${escapeText(sentence)}`).join("\n")}`];
}
function outcome2(path7, reading) {
  switch (reading.kind) {
    case "training-config":
      return [];
    case "not-a-training-config":
      return [`Not a training config. ${escapeText(reading.why)}`];
    case "unreadable":
      return [reading.problems.map((problem3) => `- ${renderProblem(path7, problem3)}`).join("\n")];
  }
}
function standsOn(config) {
  return [memoryStandsOn(config), throughputStandsOn(config), `Costs: ${priceLine(config)}`].map((line2) => `- ${line2}`).join("\n");
}
function memoryStandsOn({ provenance: provenance2, errorBandPercent: errorBandPercent2, trials, gpu: gpu2 }) {
  const band = errorBandPercent2 === 0 ? "" : ` Error band: ±${errorBandPercent2} %.`;
  switch (provenance2) {
    case "measured": {
      const ran3 = trials.filter((trial2) => trial2.provenance === "measured").length;
      return `Memory was measured on the ${escapeText(gpu2.name, 60)}, in ${ran3} trial${ran3 === 1 ? "" : "s"}.${band}`;
    }
    case "traced":
      return `Memory was traced: PyTorch's own graph of the step on its meta device, without a GPU.${band}`;
    case "estimated":
      return `Memory is estimated from the config alone, by a model of PyTorch's autograd and allocator.${band}`;
  }
}
function throughputStandsOn({ throughputProvenance: throughputProvenance3 }) {
  switch (throughputProvenance3) {
    case "measured":
      return "Throughput was timed in those trials.";
    case "modelled":
      return "Throughput is modelled from the GPU's data sheet; no run has timed it.";
  }
}

// engine/report/standing.ts
function judgedAlone(config, policy2) {
  const { current, gpu: gpu2, provenance: provenance2, errorBandPercent: errorBandPercent2, speedup, throughputBandPercent = 0, savingsPerYearUsd } = config;
  const memory = { fits: current.fits, usableBytes: gpu2.usableBytes, peakBytes: current.peakBytes };
  const known3 = { provenance: provenance2, errorBandPercent: errorBandPercent2, throughputBandPercent };
  return { ...config, verdict: judge({ ...memory, ...known3, speedup, savingsPerYearUsd }, policy2) };
}
function analysedIn({ configs: configs2 }) {
  return configs2.flatMap((config) => config.status === "analysed" ? [config] : []);
}

// engine/report/changes.ts
var MATERIAL_PERCENT = 1;
var MATERIAL_USD = 1;
function changesSince(last, now) {
  const pairs = now.configs.map((after) => ({ after, before: counterpart(after, last) }));
  const met = new Set(pairs.map(({ before }) => before));
  return [
    ...pairs.flatMap(({ before, after }) => {
      if (before === void 0) return [{ kind: "new", after }];
      return isMaterial(before, after) ? [{ kind: "changed", before, after }] : [];
    }),
    ...last.configs.filter((config) => !met.has(config)).map((before) => ({ kind: "gone", before }))
  ];
}
function counterpart(config, { configs: configs2 }) {
  const own2 = configs2.filter(({ path: path7 }) => path7 === config.path);
  return own2.find((other) => gpuOf(other) === gpuOf(config)) ?? (own2.length === 1 ? own2[0] : void 0);
}
function gpuOf(config) {
  return config.status === "analysed" ? config.gpu.id : void 0;
}
function isMaterial(before, after) {
  if (before.status === "not-analysed" || after.status === "not-analysed") return before.status !== after.status;
  return before.verdict.state !== after.verdict.state || before.gpu.id !== after.gpu.id || before.provenance !== after.provenance || before.current.microBatch !== after.current.microBatch || before.current.gradientAccumulation !== after.current.gradientAccumulation || Math.abs(idleOf(before) - idleOf(after)) >= MATERIAL_PERCENT || Math.abs(before.savingsPerYearUsd - after.savingsPerYearUsd) >= MATERIAL_USD;
}
function idleOf({ gpu: gpu2, current }) {
  return idlePercent(gpu2, current);
}

// engine/render/changes.ts
var MAX_ROWS = 60;
function renderChanges(last, now, maxRows = MAX_ROWS) {
  const changes2 = changesSince(last, now);
  const heading = `#### Since the report of ${last.createdAt.slice(0, 10)}`;
  if (changes2.length === 0) return [heading, "Nothing of note changed."].join("\n\n");
  const rows2 = changes2.slice(0, maxRows).map(row5);
  const rest = changes2.length - rows2.length;
  return [
    heading,
    totals(last, now),
    table2([["training config", "then", "now"], ...rows2], ["l", "l", "l"]),
    ...rest > 0 ? [`…and ${formatCount(rest)} more.`] : []
  ].join("\n\n");
}
function totals(last, now) {
  const count3 = (state) => `${stateMark(state)} ${arrow(formatCount(inState(last, state)), formatCount(inState(now, state)))}`;
  const savings2 = arrow(formatYearlyUsd(savingsOf(last)), formatYearlyUsd(savingsOf(now)));
  return `${count3("blocked")}, ${count3("warning")}, ${count3("fine")}; what the recommendations would save: ${savings2} a year.`;
}
function inState({ configs: configs2 }, state) {
  return configs2.filter((config) => configState(config) === state).length;
}
function savingsOf({ configs: configs2 }) {
  return configs2.reduce((sum2, config) => sum2 + (config.status === "analysed" ? config.savingsPerYearUsd : 0), 0);
}
function row5(change2) {
  switch (change2.kind) {
    case "new":
      return [inlinePath(change2.after.path), "not there", situation2(change2.after)];
    case "gone":
      return [inlinePath(change2.before.path), situation2(change2.before), "gone"];
    case "changed":
      return [inlinePath(change2.after.path), situation2(change2.before), situation2(change2.after)];
  }
}
function situation2(config) {
  const mark = stateMark(configState(config));
  if (config.status === "not-analysed") return `${mark} could not be analysed`;
  const { current, gpu: gpu2, provenance: provenance2 } = config;
  return `${mark} micro-batch ${formatCount(current.microBatch)}: ${ofUsable(current.peakBytes, gpu2.usableBytes)} (${provenance2})`;
}
function arrow(before, after) {
  return before === after ? after : `${before} → ${after}`;
}

// engine/report/ledger.ts
import * as z37 from "zod";

// engine/report/saving.ts
import { isDeepStrictEqual as isDeepStrictEqual2 } from "node:util";
import * as z36 from "zod";
var yearly = z36.number().min(-1e12).max(1e12);
var saving = z36.discriminatedUnion("kind", [
  /** Negative where the change costs more. */
  z36.object({
    kind: z36.literal("saved"),
    gpuHoursPerYear: yearly,
    usdPerYear: yearly,
    throughputProvenance
  }),
  z36.object({
    kind: z36.literal("not-comparable"),
    /** Another training; one that could not run, before or now; or a clock on one side and a model on the other. */
    why: z36.enum(["other-training", "did-not-fit", "does-not-fit", "known-differently"])
  })
]);
function savingBetween(before, after) {
  if (!isDeepStrictEqual2(trainingOf(before), trainingOf(after))) return notComparable("other-training");
  if (!before.current.fits) return notComparable("did-not-fit");
  if (!after.current.fits) return notComparable("does-not-fit");
  if (before.throughputProvenance !== after.throughputProvenance) return notComparable("known-differently");
  const hoursBefore = before.hoursPerRun * before.spec.gpus * before.runsPerYear;
  const hoursAfter = hoursBefore * before.current.samplesPerSecond / after.current.samplesPerSecond;
  return {
    kind: "saved",
    gpuHoursPerYear: hoursBefore - hoursAfter,
    usdPerYear: hoursBefore * before.gpu.pricePerHourUsd - hoursAfter * after.gpu.pricePerHourUsd,
    throughputProvenance: after.throughputProvenance
  };
}
function trainingOf({ spec: spec2 }) {
  const { model, task, framework, step: step3, sequenceLength, targetLength, imageSize, lora: lora2, quantization } = spec2;
  return { model, task, framework, step: step3, sequenceLength, targetLength, imageSize, lora: lora2, quantization };
}
function notComparable(why) {
  return { kind: "not-comparable", why };
}

// engine/report/ledger.ts
var ledgerSide = z37.object({
  current: operatingPoint,
  gpuName: analysedConfig.shape.gpu.shape.name,
  provenance: analysedConfig.shape.provenance,
  throughputProvenance: analysedConfig.shape.throughputProvenance,
  state: analysedConfig.shape.verdict.shape.state
});
var acceptance = z37.object({
  /** Whose word it was. */
  by: z37.string().max(100),
  reason: z37.string().max(1e3)
});
var ledgerEntry = z37.object({
  pullNumber: z37.int().positive(),
  path: analysedConfig.shape.path,
  mergedAt: z37.iso.datetime(),
  /** Absent for a config that is new, or that could not be analysed before. */
  before: ledgerSide.optional(),
  after: ledgerSide,
  saving: saving.optional(),
  /** What the recommendation would have saved in a year, where the config was let pass without it. */
  accepted: z37.object({ ...acceptance.shape, forgonePerYearUsd: z37.number() }).optional()
});
function ledgerEntryOf({ before, after, accepted }, merge) {
  const known3 = before?.status === "analysed" ? before : void 0;
  return {
    ...merge,
    path: after.path,
    ...known3 && { before: sideOf(known3), saving: savingBetween(known3, after) },
    after: sideOf(after),
    ...accepted && {
      accepted: { by: accepted.by, reason: accepted.reason, forgonePerYearUsd: after.savingsPerYearUsd }
    }
  };
}
function totalsOf(entries2) {
  let totals3 = { measuredPerYearUsd: 0, modelledPerYearUsd: 0, forgonePerYearUsd: 0 };
  for (const { saving: saved, accepted } of entries2) {
    totals3 = {
      measuredPerYearUsd: totals3.measuredPerYearUsd + savedUsd(saved, "measured"),
      modelledPerYearUsd: totals3.modelledPerYearUsd + savedUsd(saved, "modelled"),
      forgonePerYearUsd: totals3.forgonePerYearUsd + (accepted?.forgonePerYearUsd ?? 0)
    };
  }
  return totals3;
}
function savedUsd(saved, known3) {
  return saved?.kind === "saved" && saved.throughputProvenance === known3 ? saved.usdPerYear : 0;
}
function sideOf({ current, gpu: gpu2, provenance: provenance2, throughputProvenance: throughputProvenance3, verdict: verdict3 }) {
  return { current, gpuName: gpu2.name, provenance: provenance2, throughputProvenance: throughputProvenance3, state: verdict3.state };
}

// engine/render/rows.ts
var ROWS = [200, 50, 15, 5];
function shortening(rows2, interest, render) {
  const form = (limit) => {
    const rest = rows2.length - limit;
    const counted2 = rest > 0 ? [`…and ${formatCount(rest)} more.`] : [];
    return [...render(rows2.slice(0, limit)), ...counted2].join(separator);
  };
  const [most, ...fewer] = ROWS;
  return { forms: [form(most), ...fewer.filter((limit) => limit < rows2.length).map(form)], interest };
}

// engine/render/ledger-sections.ts
function savingsSection(ledger2) {
  const saved = ledger2.entries.flatMap(
    ({ saving: saving2, ...entry }) => saving2?.kind === "saved" && hasMoved(entry) ? [{ ...entry, saving: saving2 }] : []
  );
  if (saved.length === 0 || ledger2.since === void 0) return void 0;
  const { measuredPerYearUsd, modelledPerYearUsd } = totalsOf(saved);
  const known3 = new Set(saved.map(({ saving: saving2 }) => saving2.throughputProvenance));
  const sums = [
    ...known3.has("measured") ? [`**${formatSignedUsd(measuredPerYearUsd)} a year by measured throughput**`] : [],
    ...known3.has("modelled") ? [`about ${formatSignedUsd(modelledPerYearUsd)} a year by modelled throughput`] : []
  ];
  const sentence = `Merged pull requests since ${formatDate(ledger2.since)} save ${sums.join(", and ")}.`;
  const header2 = ["pull request", "config", "micro-batch", "GPU hours a year", "saved a year", "throughput"];
  return shortening(saved, 2, (rows2) => [
    "#### Savings",
    sentence,
    table2(
      [
        header2,
        ...rows2.map(({ pullNumber, path: path7, before, after, saving: saving2 }) => [
          `#${pullNumber}`,
          inlinePath(path7),
          before === void 0 ? formatBatch(after.current) : `${formatBatch(before.current)} → ${formatBatch(after.current)}`,
          formatCount(Math.round(saving2.gpuHoursPerYear)),
          formatSignedUsd(saving2.usdPerYear),
          saving2.throughputProvenance
        ])
      ],
      ["r", "l", "l", "r", "r", "l"]
    )
  ]);
}
function hasMoved({ before, after }) {
  return before !== void 0 && formatBatch(before.current) !== formatBatch(after.current);
}
function acceptedSection({ entries: all }) {
  const entries2 = all.flatMap((entry) => entry.accepted ? [{ ...entry, accepted: entry.accepted }] : []);
  if (entries2.length === 0) return void 0;
  const { forgonePerYearUsd } = totalsOf(entries2);
  return shortening(entries2, 2, (rows2) => [
    "#### Accepted instead",
    `What was merged all the same leaves about ${formatYearlyUsd(forgonePerYearUsd)} a year unsaved.`,
    table2(
      [
        ["pull request", "config", "accepted by", "reason", "unsaved a year"],
        ...rows2.map(({ pullNumber, path: path7, accepted: { by, reason: reason2, forgonePerYearUsd: unsaved } }) => [
          `#${pullNumber}`,
          inlinePath(path7),
          inlineCode(by, 100),
          escapeText(reason2, 200),
          formatYearlyUsd(unsaved)
        ])
      ],
      ["r", "l", "l", "l", "r"]
    )
  ]);
}

// engine/render/repository-report.ts
var repositoryReportMarker = "<!-- memorymark:repository-report -->";
var repositoryReportTitle = "MemoryMark: the training configs of the default branch";
var ISSUE_LIMIT = 65536;
var WORST = 3;
function renderRepositoryReport(input) {
  const opening = [repositoryReportMarker, headingOf(input), situation3(input), ...input.remarks];
  const closing = `<sub>Brought up to date by ${inlineCode("report.schedule")} of ${inlineCode(".github/memorymark.yml")} · MemoryMark ${escapeText(input.report.toolVersion, 40)}</sub>`;
  const sections = [
    worst(input),
    changes(input),
    everyConfig(input),
    unanalysed(input),
    savingsSection(input.ledger),
    acceptedSection(input.ledger)
  ];
  const shown2 = sections.filter((section) => section !== void 0);
  const frame = [...opening, closing].join(separator);
  const texts = fitSections(shown2, ISSUE_LIMIT - sizeOf(frame) - separator.length * (shown2.length + 1));
  return [...opening, ...texts.filter((text3) => text3 !== void 0), closing].join(separator);
}
function headingOf({ report: report2 }) {
  return `### ${stateMark(verdictState(report2))} MemoryMark: ${report2.configs.length === 0 ? "no training config on the default branch" : headline(report2)}`;
}
function situation3({ branch, commit, report: report2 }) {
  const configs2 = analysedIn(report2);
  const where = `${inlineCode(branch, 100)} at ${inlineCode(commit.slice(0, 7))}, ${formatDate(new Date(report2.createdAt))}.`;
  const saving2 = configs2.reduce((sum2, config) => sum2 + Math.max(0, config.savingsPerYearUsd), 0);
  const could = saving2 >= 1 ? [`The recommendations would save **${formatYearlyUsd(saving2)} a year**.`] : [];
  return [where, ...could, ...knownHow2(configs2)].join(" ");
}
function knownHow2(configs2) {
  if (configs2.length === 0) return [];
  const measured2 = configs2.filter(({ provenance: provenance2 }) => provenance2 === "measured").length;
  const timed = configs2.filter(({ throughputProvenance: throughputProvenance3 }) => throughputProvenance3 === "measured").length;
  const of = `${formatCount(configs2.length)} config${configs2.length === 1 ? "" : "s"}`;
  return [`*Memory was measured for ${formatCount(measured2)} and throughput for ${formatCount(timed)} of ${of}.*`];
}
function worst({ report: report2 }) {
  const gravest = mattering(report2).slice(0, WORST);
  const [first] = gravest;
  if (first === void 0) return void 0;
  const heading = gravest.length === 1 ? "#### The one to look at" : `#### The worst ${words(gravest.length)}`;
  return {
    forms: [
      [heading, ...gravest.map((config) => paragraph(config))].join(separator),
      [heading, paragraph(first)].join(separator)
    ],
    interest: 5
  };
}
function changes({ report: report2, last }) {
  if (last === void 0) return void 0;
  const [most, ...fewer] = ROWS.map((rows2) => renderChanges(last, report2, rows2));
  return most === void 0 ? void 0 : { forms: [most, ...fewer], interest: 4 };
}
function everyConfig({ report: report2 }) {
  const configs2 = analysedIn(report2).toSorted((a, b) => b.savingsPerYearUsd - a.savingsPerYearUsd);
  if (configs2.length === 0) return void 0;
  const header2 = ["config", "GPU", "micro-batch", "peak memory", "idle", "a year costs", "could save", "known how"];
  return shortening(configs2, 3, (rows2) => [
    "#### Every config",
    table2([header2, ...rows2.map(configRow)], ["l", "l", "r", "r", "r", "r", "r", "l"])
  ]);
}
function configRow(config) {
  const { current, gpu: gpu2, verdict: verdict3, runsPerYear: runsPerYear2, savingsPerYearUsd } = config;
  return [
    `${stateMark(verdict3.state)} ${inlinePath(config.path)}`,
    escapeText(gpu2.name, 60),
    formatBatch(current),
    `${formatGib(current.peakBytes)} (${formatShare(config, current)})`,
    current.fits ? formatGib(idleBytes(gpu2, current)) : "–",
    current.fits ? formatUsd(current.costPerRunUsd * runsPerYear2) : "–",
    savingsPerYearUsd >= 1 ? formatYearlyUsd(savingsPerYearUsd) : "–",
    `${memoryProvenance(config)}; throughput ${config.throughputProvenance}`
  ];
}
function unanalysed({ report: report2 }) {
  const configs2 = report2.configs.flatMap((config) => config.status === "not-analysed" ? [config] : []);
  if (configs2.length === 0) return void 0;
  return shortening(configs2, 1, (rows2) => ["#### Not analysed", ...rows2.map((config) => unanalysedSection(config, 1))]);
}
function words(count3) {
  return count3 === 2 ? "two" : "three";
}

// engine/render/suggestion.ts
import { createHash } from "node:crypto";
var MAX_LINES = 10;
var markerOpening = "<!-- memorymark:suggestion:";
function suggestionMarkerIn(body2) {
  return /^<!-- memorymark:suggestion:[0-9a-f]{16} -->/.exec(body2)?.[0];
}
function renderSuggestion(change2, config) {
  const lines = changedLines(change2);
  if (lines === void 0 || lines.last - lines.first >= MAX_LINES) return void 0;
  const cut = (text3) => linesOf(text3).slice(lines.first - 1, lines.last);
  const [before, after] = [cut(change2.before), cut(change2.after)];
  if (![...before, ...after].every((line2) => isPlainLine(line2))) return void 0;
  const marker = markerOf([change2.path, ...before, ...after]);
  return {
    path: change2.path,
    lines,
    marker,
    body: [marker, knownReason(config), fencedLines("suggestion", after)].join("\n\n")
  };
}
function renderChangedLines(change2) {
  const before = linesOf(change2.before);
  const changed = linesOf(change2.after).map((text3, index) => ({ text: text3, number: index + 1 })).filter(({ text: text3, number: number50 }) => text3 !== before[number50 - 1]);
  if (!changed.every(({ text: text3 }) => isPlainLine(text3))) return void 0;
  const numbers = changed.map(({ number: number50 }) => number50);
  const where = numbers.length === 1 ? `Line ${numbers.join("")}` : `Lines ${numbers.join(" and ")}`;
  return `${where}:

${fencedLines(
    "",
    changed.map(({ text: text3 }) => text3)
  )}`;
}
function knownReason(config) {
  const known3 = `*Memory ${memoryProvenance(config)}; throughput ${config.throughputProvenance}.*`;
  return [...advice(config, (text3) => `**${text3}**`), known3].join(" ");
}
function changedLines({ before, after }) {
  const old = linesOf(before);
  const changed = linesOf(after).flatMap((line2, index) => line2 === old[index] ? [] : [index + 1]);
  const [first, last] = [changed[0], changed.at(-1)];
  return first === void 0 || last === void 0 ? void 0 : { first, last };
}
function linesOf(text3) {
  return text3.split(/\r?\n/);
}
function markerOf(parts) {
  const hash2 = createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
  return `${markerOpening}${hash2} -->`;
}

// engine/report/acceptance.ts
import { isDeepStrictEqual as isDeepStrictEqual3 } from "node:util";
import * as z38 from "zod";
var path2 = analysedConfig.shape.path;
var acceptedConfig = z38.discriminatedUnion("status", [
  z38.object({
    status: z38.literal("analysed"),
    path: path2,
    spec: trainingSpec,
    gpu: reportedGpu2,
    current: operatingPoint,
    errorBandPercent: analysedConfig.shape.errorBandPercent,
    savingsPerYearUsd: analysedConfig.shape.savingsPerYearUsd,
    /** What blocked. */
    reasons: z38.array(reason).max(100)
  }),
  /** Nothing is known of it, so nothing can get worse. */
  z38.object({ status: z38.literal("not-analysed"), path: path2 })
]);
function acceptability(config, options) {
  if (config.status === "not-analysed") {
    return { kind: "acceptable", accepted: { status: "not-analysed", path: config.path } };
  }
  if (config.verdict.state !== "blocked") return { kind: "does-not-block" };
  if (isOutOfMemory(config) && !options.outOfMemory) return { kind: "out-of-memory" };
  const { path: at, spec: spec2, gpu: gpu2, current, errorBandPercent: errorBandPercent2, savingsPerYearUsd, verdict: verdict3 } = config;
  const accepted = { path: at, spec: spec2, gpu: gpu2, current, errorBandPercent: errorBandPercent2, savingsPerYearUsd, reasons: verdict3.reasons };
  return { kind: "acceptable", accepted: { status: "analysed", ...accepted } };
}
function covers(accepted, config) {
  if (accepted.path !== config.path) return false;
  if (accepted.status === "not-analysed") return config.status === "not-analysed";
  if (config.status === "not-analysed") return false;
  const isSame = isDeepStrictEqual3(accepted.spec, config.spec) && accepted.gpu.id === config.gpu.id;
  return config.verdict.reasons.every((now) => {
    const before = accepted.reasons.find((each) => kindOf2(each) === kindOf2(now));
    return before !== void 0 && (isSame || isNoWorse(before, now, accepted, config));
  });
}
function isOutOfMemory({ verdict: verdict3 }) {
  return verdict3.reasons.some(({ kind }) => kind === "does-not-fit");
}
function isNoWorse(before, now, accepted, config) {
  const bandPercent = Math.max(accepted.errorBandPercent, config.errorBandPercent);
  if (now.kind === "does-not-fit") {
    return config.current.peakBytes <= accepted.current.peakBytes * (1 + bandPercent / 100);
  }
  if (before.kind === "does-not-fit") return false;
  const isWaste = now.condition.kind === "waste";
  const band = isWaste ? bandPercent * shareOfUsable(accepted.gpu, accepted.current) : 0;
  return now.actual <= before.actual + band;
}
function kindOf2(each) {
  return each.kind === "condition" ? each.condition.kind : each.kind;
}

// engine/settings/schema.ts
import * as z39 from "zod";

// engine/settings/schedule.ts
var timeOfDay = [
  { min: 0, max: 59 },
  { min: 0, max: 23 }
];
var days = [
  { min: 1, max: 28 },
  { min: 1, max: 12 },
  { min: 0, max: 7 }
];
var number22 = /^\d{1,2}$/;
var part = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/;
var DEFAULT_SCHEDULE = "0 6 * * 1";
function isSchedule(text3) {
  const fields2 = text3.trim().split(/\s+/);
  if (fields2.length !== timeOfDay.length + days.length) return false;
  const [times, dates] = [fields2.slice(0, timeOfDay.length), fields2.slice(timeOfDay.length)];
  return timeOfDay.every((range, index) => number22.test(times[index] ?? "") && isWithin(times[index], range)) && days.every((range, index) => (dates[index] ?? "").split(",").every((each) => isPart(each, range)));
}
function isPart(text3, range) {
  const match = part.exec(text3);
  if (match === null) return false;
  const [, first, last = first, step3 = "1"] = match;
  const isAny = first === void 0;
  return (isAny || isWithin(first, range) && isWithin(last, range) && Number(first) <= Number(last)) && Number(step3) >= 1;
}
function isWithin(text3, { min, max }) {
  return text3 !== void 0 && Number(text3) >= min && Number(text3) <= max;
}

// engine/settings/schema.ts
var judgements = ["changed", "all"];
var MAX_GLOBS = 200;
var MAX_OVERRIDES = 500;
var glob = text2("a glob, such as configs/**/*.yaml", 500);
var globs = z39.array(glob, "a list of globs").max(MAX_GLOBS, `a list of at most ${MAX_GLOBS} globs`);
var gpu = z39.enum(
  gpus.map(({ id: id7 }) => id7),
  "a GPU of the catalogue"
);
var pricePerHourUsd = positive(1e4);
var hoursPerRun = positive(1e5).describe("Wall-clock hours of one run at the current batch size. Default 2.");
var runsPerYear = positive(1e6).describe("Training runs in a year. Default 100.");
var conditions = z39.union([z39.string(), z39.array(z39.string())], 'a condition, such as "waste > 40 %", or a list of them').transform((written, context) => {
  try {
    return parseConditions([written].flat().join(", "), "");
  } catch (error) {
    if (!(error instanceof MemoryMarkError)) throw error;
    const { message: message2, fix: fix2 } = error.problem;
    context.addIssue({ code: "custom", message: message2, params: { fix: fix2 } });
    return z39.NEVER;
  }
});
var overrideKeys = {
  path: glob.describe("The configs that this is about, from the root of the repository."),
  gpu: gpu.describe("The GPU that these configs run on.").optional(),
  model: text2("a model: its Hub id, or its name in the catalogue", 200).describe("The model that these configs train, as its id on the Hugging Face Hub.").optional(),
  task: z39.enum(tasks, "a task").describe("What the model is trained for.").optional(),
  sequence_length: wholeNumber(1e7).describe("Tokens of the longest sequence.").optional(),
  image_size: wholeNumber(1e5).describe("Pixels of the square image's side.").optional(),
  labels: wholeNumber(1e6).describe("Classes of a classification head.").optional(),
  hours_per_run: hoursPerRun.optional(),
  runs_per_year: runsPerYear.optional()
};
var overrideEntry = z39.strictObject(overrideKeys, "an override: a mapping with a path");
var scheduleWords = 'a schedule, such as "0 6 * * 1", or never';
var reportKeys = {
  schedule: z39.string(scheduleWords).max(100, scheduleWords).refine((written) => written === "never" || isSchedule(written), {
    error: "This is not a schedule that comes due, and at most once a day",
    params: {
      fix: 'Write minute, hour, day of the month (1 to 28), month and day of the week, such as "0 6 * * 1", or never.'
    }
  }).describe(
    "When the issue that reports on the default branch is brought up to date: minute, hour, day of the month, month and day of the week, in UTC. `never` for no report. Default 0 6 * * 1."
  ).optional()
};
var measuring = ["pull-request", "dispatch"];
var workflowWords = "the path of a workflow, such as .github/workflows/memorymark-sweep.yml";
var measureKeys = {
  by: z39.enum(measuring, '"pull-request" or "dispatch"').describe(
    "Whether the GPU run is the workflow that pull requests run themselves (`pull-request`), or one on the default branch that the bot dispatches with the head commit as data (`dispatch`), which reaches pull requests from forks too."
  ),
  workflow: z39.string(workflowWords).regex(/^\.github\/workflows\/[\w.-]{1,200}\.ya?ml$/, workflowWords).describe(
    "The workflow that measures. Default: the one that the bot was started with for `pull-request`, .github/workflows/memorymark-sweep.yml for `dispatch`."
  ).optional(),
  wait_minutes: wholeNumber(1440).describe("Minutes after which the check no longer waits for the GPU run and goes by the estimate. Default 60.").optional()
};
var settingsFile = z39.strictObject({
  paths: globs.describe("Only files that match one of these globs are read. Default: every YAML and JSON file.").optional(),
  ignore: globs.describe("Files that match one of these globs are left out.").optional(),
  gpu: gpu.describe("The GPU that the training runs on. Default a10.").optional(),
  prices: z39.partialRecord(gpu, pricePerHourUsd, "a list of prices by GPU, such as a10: 0.75").describe("What you pay for an hour of one GPU in US dollars, by GPU.").optional(),
  hours_per_run: hoursPerRun.optional(),
  runs_per_year: runsPerYear.optional(),
  "fail-on": conditions.describe("What blocks a pull request: `waste > 40 %`, `throughput-loss > 10 %`, `annual-cost > $500`, or `never`.").optional(),
  "warn-on": conditions.describe("What is remarked on without blocking, in the words of fail-on.").optional(),
  judge: z39.enum(judgements, '"changed" or "all"').describe(
    "Whether a config that was bad on the base branch blocks a pull request that makes it no worse: `changed` (the default) does not block, `all` does."
  ).optional(),
  step_size: wholeNumber(MAX_BATCH).describe("Batch sizes tried are every one up to this, then its multiples. Default 8.").optional(),
  margin_percent: within(0, 90).describe("Percent of usable memory that a recommended batch leaves free. Default 5.").optional(),
  measure: z39.strictObject(measureKeys, "a mapping that says by what").describe("Makes a GPU run due on pull requests that change training configs; the check of the bot waits for it.").optional(),
  report: z39.strictObject(reportKeys, "a mapping with a schedule").describe("The bot's report on every config of the default branch.").optional(),
  overrides: z39.array(overrideEntry, "a list of overrides, each with a path").max(MAX_OVERRIDES, `a list of at most ${MAX_OVERRIDES} overrides`).describe(
    "What holds for some configs only, or what they cannot say themselves. Where several match, the later wins."
  ).optional()
});
function keysAt(path7) {
  if (path7.length === 0) return Object.keys(settingsFile.shape);
  switch (path7[0]) {
    case "prices":
      return gpu.options;
    case "report":
      return Object.keys(reportKeys);
    case "measure":
      return Object.keys(measureKeys);
    default:
      return Object.keys(overrideKeys);
  }
}
function text2(words3, maxCharacters) {
  return z39.string(words3).min(1, words3).max(maxCharacters, words3);
}
function wholeNumber(max) {
  const words3 = `a whole number from 1 to ${max.toLocaleString("en-US")}`;
  return z39.int(words3).min(1, words3).max(max, words3);
}
function positive(max) {
  const words3 = `a number above 0 and up to ${max.toLocaleString("en-US")}`;
  return z39.number(words3).positive(words3).max(max, words3);
}
function within(min, max) {
  const words3 = `a number from ${min} to ${max}`;
  return z39.number(words3).min(min, words3).max(max, words3);
}

// engine/settings/problems.ts
function problemsOf2(issue, top, file) {
  const spot = spotOf(top, issue.path);
  const where = (at, path7) => ({
    file,
    ...at,
    ...path7.length > 0 && { field: fieldName(path7) }
  });
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key2) => ({
      ...unknownKey(key2, keysAt(issue.path)),
      ...where(fieldIn(spot.value, key2)?.at, [...issue.path, key2])
    }));
  }
  return [{ ...refusal(issue, spot), ...where(spot.at, issue.path) }];
}
function spotOf(top, path7) {
  let spot = { value: { kind: "mapping", section: top }, isWritten: true };
  for (const key2 of path7) {
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
  const message2 = `${shown({ value, source })} is not ${issue.message}`;
  if (issue.code === "invalid_value" && value.kind === "text") {
    return { code: "unknown-value", message: message2, fix: suggest(value.text, issue.values.map(String)) };
  }
  return { code: "settings-refused", message: message2, fix: `Write ${issue.message}.` };
}
function unknownKey(key2, known3) {
  return { code: "unknown-key", message: `The key ${quote(key2)} is not known`, fix: suggest(key2, known3) };
}
function fieldName(path7) {
  return path7.map((key2, index) => typeof key2 === "number" ? `[${key2}]` : `${index === 0 ? "" : "."}${plain(String(key2))}`).join("");
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
      reportSchedule: data.report?.schedule,
      measure: data.measure && {
        by: data.measure.by,
        workflow: data.measure.workflow,
        waitMinutes: data.measure.wait_minutes
      },
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
  const fields2 = suppliedKeys.flatMap((key2) => {
    const field = override?.at(key2);
    return field === void 0 ? [] : [[key2, { ...field, file }]];
  });
  return Object.fromEntries(fields2);
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
function unreadable3(problems2) {
  return { kind: "unreadable", problems: problems2.slice(0, MAX_PROBLEMS3) };
}
function isBlank(text3) {
  return text3.split("\n").every((line2) => /^\s*(?:#.*|---\s*)?$/.test(line2));
}
function noMapping({ path: path7 }) {
  return {
    code: "settings-refused",
    file: path7,
    line: 1,
    message: "The settings are not a mapping of keys to values",
    fix: "Write a setting a line, such as gpu: a10."
  };
}
function severalDocuments({ path: path7 }) {
  return {
    code: "settings-refused",
    file: path7,
    line: 1,
    message: "The file holds several documents",
    fix: "Keep one, and drop the lines of three dashes between them."
  };
}

// engine/verdict/let-pass.ts
function letPass(verdict3, spared3) {
  if (verdict3.state !== "blocked") return verdict3;
  return verdictOf(
    verdict3.reasons.map((reason2) => ({ ...reason2, spared: spared3 })),
    []
  );
}

// bot/arguments.ts
import * as z40 from "zod";
var installationId = z40.string().regex(/^\d{1,15}$/).transform(Number);
function readCommand(args) {
  const [name3, argument, ...rest] = args;
  if (name3 === void 0) return { kind: "serve" };
  if (name3 === "doctor" && argument === void 0) return { kind: "doctor" };
  const installation2 = installationId.safeParse(argument);
  if ((name3 === "export" || name3 === "delete") && installation2.success && rest.length === 0) {
    return { kind: name3, installationId: installation2.data };
  }
  throw new MemoryMarkError({
    code: "usage",
    message: `memorymark-bot does not know "${args.join(" ").slice(0, 100)}"`,
    fix: "It is called without arguments, or as `memorymark-bot doctor`, `memorymark-bot export <installation>` or `memorymark-bot delete <installation>`; settings come from the environment."
  });
}

// bot/doctor/database.ts
import { access, constants, mkdir } from "node:fs/promises";

// bot/store/postgres.ts
import pg from "pg";
var MAX_CONNECTIONS = 24;
var CONNECT_TIMEOUT_MILLIS = 1e4;
var STATEMENT_TIMEOUT_MILLIS = 6e4;
function connectPostgres(url2, onError) {
  const pool = new pg.Pool({
    connectionString: url2,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MILLIS,
    statement_timeout: STATEMENT_TIMEOUT_MILLIS,
    application_name: "memorymark"
  });
  pool.on("error", onError);
  return new PostgresDatabase(pool);
}
var PostgresDatabase = class {
  backend = "postgres";
  #pool;
  constructor(pool) {
    this.#pool = pool;
  }
  async query(text3, values = []) {
    const { rows: rows2 } = await this.#pool.query(text3, [...values]);
    return rows2;
  }
  async script(text3) {
    const results = await this.#pool.query(text3);
    return [results].flat().flatMap(({ rows: rows2 }) => rows2);
  }
  transaction(work) {
    return this.#withClient(async (client) => {
      await client.query("BEGIN");
      try {
        const value = await work({ query: async (text3, values = []) => (await client.query(text3, [...values])).rows });
        await client.query("COMMIT");
        return value;
      } catch (error) {
        await client.query("ROLLBACK");
        throw error;
      }
    });
  }
  exclusively(key2, work) {
    return this.#withClient(async (client, lost) => {
      const { rows: rows2 } = await client.query(
        "SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held",
        [key2]
      );
      if (rows2[0]?.held !== true) return { kind: "busy" };
      try {
        return { kind: "done", value: await work(lost) };
      } finally {
        if (!lost.aborted) await client.query("SELECT pg_advisory_unlock(hashtextextended($1, 0))", [key2]);
      }
    });
  }
  /** A client whose connection broke, or whose transaction could not be ended, is not used again. */
  async #withClient(use) {
    const client = await this.#pool.connect();
    const lost = new AbortController();
    const onError = (error) => lost.abort(error);
    client.on("error", onError);
    let clean = false;
    try {
      const value = await use(client, lost.signal);
      clean = true;
      return value;
    } finally {
      client.off("error", onError);
      client.release(!clean || lost.signal.aborted);
    }
  }
  [Symbol.asyncDispose]() {
    return this.#pool.end();
  }
};

// bot/doctor/database.ts
async function examineDatabase(place2) {
  switch (place2.kind) {
    case "memory":
      return {
        kind: "remark",
        what: "everything is kept in memory, and gone with the process",
        todo: "Name a folder or a PostgreSQL server."
      };
    case "folder":
      return examineFolder(place2.folder);
    case "server":
      return examineServer(place2.url);
  }
}
async function examineFolder(folder) {
  try {
    await mkdir(folder, { recursive: true, mode: 448 });
    await access(folder, constants.R_OK | constants.W_OK);
    return { kind: "well", what: `the embedded database has a folder that can be written (${folder})` };
  } catch (error) {
    return {
      kind: "fault",
      what: `the folder of the embedded database, ${folder}, cannot be written (${codeOf(error)})`,
      todo: "Give it to the user that runs the bot, or name a PostgreSQL server by DATABASE_URL."
    };
  }
}
var ignore = () => {
};
async function examineServer(url2) {
  try {
    var _stack = [];
    try {
      const database = __using(_stack, connectPostgres(url2, ignore), true);
      const version2 = await tryWriting(database);
      return { kind: "well", what: `PostgreSQL ${version2} answers and can be written` };
    } catch (_) {
      var _error = _, _hasError = true;
    } finally {
      var _promise = __callDispose(_stack, _error, _hasError);
      _promise && await _promise;
    }
  } catch (error) {
    return {
      kind: "fault",
      what: `PostgreSQL cannot be used (${codeOf(error)})`,
      todo: "Look at DATABASE_URL: the server must answer, and its user must be allowed to create schemas."
    };
  }
}
var RolledBack = class extends Error {
  version;
  constructor(version2) {
    super("Everything was written, and nothing is kept");
    this.version = version2;
  }
};
async function tryWriting(database) {
  try {
    return await database.transaction(async (sql) => {
      await sql.query("CREATE SCHEMA memorymark_doctor");
      await sql.query("CREATE TABLE memorymark_doctor.note (at timestamptz NOT NULL)");
      await sql.query("INSERT INTO memorymark_doctor.note (at) VALUES (now())");
      const [row7] = await sql.query("SELECT current_setting('server_version') AS version");
      throw new RolledBack(String(row7?.version));
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.version;
    throw error;
  }
}
function codeOf(error) {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}

// bot/doctor/finding.ts
function describeFinding(finding) {
  switch (finding.kind) {
    case "well":
      return `ok      ${finding.what}`;
    case "remark":
      return `remark  ${finding.what}
        ${finding.todo}`;
    case "fault":
      return `fault   ${finding.what}
        ${finding.todo}`;
  }
}

// bot/installation.ts
import { setTimeout as delay } from "node:timers/promises";
import { Probot, ProbotOctokit } from "probot";
async function connectGitHubApp(options) {
  const { appId, privateKey, webhookSecret, apiUrl, onCall } = options;
  const probot = new Probot({
    appId,
    privateKey,
    secret: webhookSecret,
    baseUrl: apiUrl,
    Octokit: unhurried,
    // At its debug level it writes the bodies of requests.
    log: options.log.child({}, { level: options.log.level === "silent" ? "silent" : "warn" })
  });
  await probot.ready();
  const prepared = async (installationId2, signal) => {
    const github = await probot.auth(installationId2);
    prepare(github, { installationId: installationId2, signal, onCall });
    return github;
  };
  const asApp = prepared(void 0, void 0);
  return {
    verify: (body2, signature) => probot.webhooks.verify(body2, signature),
    asApp: () => asApp,
    botLogin: async () => {
      const { data } = await (await asApp).rest.apps.getAuthenticated();
      if (data === null) throw new Error("GitHub does not say who the App is");
      return `${data.slug}[bot]`;
    },
    inInstallation: prepared
  };
}
var unhurried = ProbotOctokit.defaults((options) => ({
  ...options,
  throttle: { ...options.throttle, enabled: false },
  retry: { enabled: false }
}));
var REQUEST_TIMEOUT_MILLIS = 2e4;
var PAUSES_MILLIS = [200, 1e3];
function prepare(github, { installationId: installationId2, signal, onCall }) {
  github.hook.before("request", (request2) => {
    signal?.throwIfAborted();
    request2.headers["x-github-api-version"] = "2022-11-28";
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MILLIS);
    request2.request = {
      ...request2.request,
      signal: signal === void 0 ? timeout : AbortSignal.any([signal, timeout])
    };
  });
  github.hook.wrap("request", async (send, request2) => {
    const count3 = (status, headers = {}) => onCall({ method: request2.method, status, installationId: installationId2, remaining: numberIn(headers, "x-ratelimit-remaining") });
    for (let attempt = 0; ; attempt += 1) {
      try {
        const response = await send(request2);
        count3(response.status, response.headers);
        return response;
      } catch (error) {
        const status = statusOf(error);
        count3(status ?? 0, headersOf(error));
        const pause = PAUSES_MILLIS[attempt];
        if (pause === void 0 || request2.method !== "GET" || !isPassing(status) || signal?.aborted) throw error;
        await delay(pause, void 0, signal === void 0 ? {} : { signal });
      }
    }
  });
}
function isPassing(status) {
  return status === void 0 || status >= 500;
}
function statusOf(error) {
  if (!(error instanceof Error) || !("status" in error) || typeof error.status !== "number") return void 0;
  return "response" in error && error.response !== void 0 ? error.status : void 0;
}
function headersOf(error) {
  if (!(error instanceof Error) || !("response" in error)) return {};
  const { response } = error;
  if (typeof response !== "object" || response === null || !("headers" in response)) return {};
  const { headers } = response;
  return typeof headers === "object" && headers !== null ? { ...headers } : {};
}
function numberIn(headers, name3) {
  const value = headers[name3];
  const number50 = typeof value === "string" || typeof value === "number" ? Number(value) : Number.NaN;
  return Number.isFinite(number50) ? number50 : void 0;
}

// bot/doctor/clock.ts
var MAX_SKEW_SECONDS = 30;
function examineClock(ours2, theirs) {
  const at = theirs === void 0 ? Number.NaN : Date.parse(theirs);
  if (Number.isNaN(at)) {
    return { kind: "remark", what: "GitHub did not say what time it is", todo: "Keep the clock by NTP." };
  }
  const skewSeconds = Math.round((ours2.getTime() - at) / 1e3);
  if (Math.abs(skewSeconds) <= MAX_SKEW_SECONDS) return { kind: "well", what: "the clock agrees with GitHub’s" };
  const direction = skewSeconds > 0 ? "ahead of" : "behind";
  return {
    kind: "fault",
    what: `the clock is ${Math.abs(skewSeconds)} s ${direction} GitHub’s`,
    todo: `Set it by NTP: above ${MAX_SKEW_SECONDS} s GitHub may not let the App sign in.`
  };
}

// bot/doctor/needs.ts
var neededPermissions = {
  metadata: { level: "read", without: "no installation works" },
  checks: { level: "write", without: "no pull request gets its check" },
  contents: { level: "write", without: "configs are not read, and /memorymark fix opens no pull request" },
  pull_requests: { level: "write", without: "changed files are not listed and nothing is commented or suggested" },
  issues: { level: "write", without: "commands are not heard and the weekly report has no issue" },
  actions: { level: "write", without: "GPU runs are neither started nor read" },
  merge_queues: { level: "read", without: "merge queues wait for their check for ever" }
};
var neededEvents = {
  pull_request: "pull requests are found only when the bot looks around, minutes later",
  check_run: "Re-run on the check does nothing",
  check_suite: "Re-run all checks does nothing",
  workflow_run: "reports of GPU runs are taken minutes late",
  merge_group: "merge queues wait for their check for ever",
  issue_comment: "commands are not heard"
};

// bot/doctor/grants.ts
function examineGrants(grants) {
  const findings2 = [...missingPermissions(grants), ...missingEvents(grants), ...superfluous(grants)];
  return findings2.length > 0 ? findings2 : [{ kind: "well", what: `${grants.of} grants what is needed, and no more` }];
}
function missingPermissions({ of, page: page2, permissions }) {
  return Object.entries(neededPermissions).flatMap(([name3, { level, without }]) => {
    const granted2 = permissions[name3];
    if (covers2(granted2, level)) return [];
    const what = `${of} grants ${granted2 === void 0 ? "no" : `only "${granted2}" on`} ${name3}: without "${level}", ${without}`;
    return [{ kind: "fault", what, todo: `Grant "${name3}: ${level}" at ${page2}, as bot/app.yml says.` }];
  });
}
function missingEvents({ of, page: page2, events: events2 }) {
  return Object.entries(neededEvents).filter(([name3]) => !events2.includes(name3)).map(([name3, without]) => ({
    kind: "fault",
    what: `${of} does not send ${name3}: ${without}`,
    todo: `Subscribe to "${name3}" at ${page2}, as bot/app.yml says.`
  }));
}
function superfluous({ of, page: page2, permissions }) {
  const more2 = Object.entries(permissions).filter(([name3, level]) => {
    const need = neededPermissions[name3];
    return need === void 0 || need.level === "read" && level !== "read";
  });
  if (more2.length === 0) return [];
  const listed2 = more2.map(([name3, level]) => `${name3}: ${level}`).join(", ");
  return [
    { kind: "remark", what: `${of} grants more than is needed (${listed2})`, todo: `It can be taken back at ${page2}.` }
  ];
}
function covers2(granted2, needed) {
  return granted2 === "write" || granted2 === "admin" || granted2 === needed;
}

// bot/doctor/github.ts
async function examineGitHub({ app, appId, apiUrl, now }) {
  const github = await app.asApp();
  try {
    const { data, headers } = await github.rest.apps.getAuthenticated();
    const clock = examineClock(now(), headers.date);
    if (data === null) return [clock, notKnown(appId)];
    const asked2 = {
      of: "the App itself",
      page: `the settings of the App "${data.slug}", Permissions & events`,
      permissions: granted(data.permissions),
      events: data.events
    };
    return [
      clock,
      { kind: "well", what: `GitHub knows the App as "${data.slug}" (${appId})` },
      ...examineGrants(asked2),
      ...await examineWebhook(github),
      ...await examineInstallations(github)
    ];
  } catch (error) {
    const status = statusOf(error);
    if (status === void 0) return [notReached(apiUrl)];
    const { date: date6 } = headersOf(error);
    const clock = examineClock(now(), typeof date6 === "string" ? date6 : void 0);
    return [clock, status === 401 ? notKnown(appId) : refused(status)];
  }
}
async function examineInstallations(github) {
  const installations = await github.paginate(github.rest.apps.listInstallations, { per_page: 100 });
  if (installations.length === 0) {
    return [{ kind: "remark", what: "the App is installed nowhere", todo: "Install it where it shall watch." }];
  }
  return installations.flatMap(({ id: id7, account, html_url, permissions, events: events2, suspended_at }) => {
    const of = `installation ${id7} (${account !== null && "login" in account ? account.login : "an enterprise"})`;
    if (suspended_at !== null)
      return [{ kind: "remark", what: `${of} is suspended`, todo: `It can be resumed at ${html_url}.` }];
    return examineGrants({ of, page: html_url, permissions: granted(permissions), events: events2 });
  });
}
async function examineWebhook(github) {
  const { data } = await github.rest.apps.getWebhookConfigForApp();
  const wrong = [
    ...data.url ? [] : ["it has no address"],
    ...data.secret ? [] : ["it has no secret"],
    ...data.content_type === "json" ? [] : [`it sends ${data.content_type ?? "no"} content, not json`],
    ...String(data.insecure_ssl ?? "0") === "0" ? [] : ["it does not look at certificates"]
  ];
  if (wrong.length === 0) return [{ kind: "well", what: `webhooks go to ${data.url}` }];
  const todo = "Mend it in the settings of the App, General, Webhook.";
  return [{ kind: "fault", what: `the App’s webhook is not as it should be: ${wrong.join(", ")}`, todo }];
}
function granted(permissions) {
  return Object.fromEntries(Object.entries(permissions).map(([name3, level]) => [name3, String(level)]));
}
function notKnown(appId) {
  return {
    kind: "fault",
    what: `GitHub does not let App ${appId} sign in`,
    todo: "APP_ID and PRIVATE_KEY must be of the same App, the key must not have been taken back, and the clock must be right."
  };
}
function notReached(apiUrl) {
  return { kind: "fault", what: `${apiUrl} does not answer`, todo: "Look at GITHUB_API_URL and the way out to it." };
}
function refused(status) {
  return {
    kind: "fault",
    what: `GitHub answered ${status}`,
    todo: "Try again in a while; https://www.githubstatus.com may say more."
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

// bot/doctor.ts
async function examine(settings, { write, now }) {
  const tell2 = (finding) => write(describeFinding(finding));
  tell2({ kind: "well", what: "the environment is complete: App id, private key, a webhook secret of its own" });
  const app = await connectGitHubApp({ ...settings, log: createLog("silent"), onCall: () => {
  } });
  const findings2 = [await examineDatabase(settings.database), ...await examineGitHub({ app, now, ...settings })];
  for (const finding of findings2) tell2(finding);
  const faults = findings2.filter(({ kind }) => kind === "fault").length;
  write(faults === 0 ? "The bot can start." : `${faults === 1 ? "One fault" : `${faults} faults`} to mend.`);
  return faults === 0;
}

// bot/store/installations.ts
import * as z41 from "zod";
var departuresTable = {
  name: "departures",
  statements: [
    `CREATE TABLE memorymark.departures (
      installation_id bigint PRIMARY KEY,
      left_at timestamptz NOT NULL
    )`
  ]
};
async function* exportInstallation(sql, installationId2) {
  for (const table4 of await tablesOfInstallations(sql)) {
    for (const row7 of await sql.query(`SELECT * FROM memorymark."${table4}" WHERE installation_id = $1`, [
      installationId2
    ])) {
      yield { table: table4, row: row7 };
    }
  }
}
function deleteInstallation(database, installationId2) {
  return database.transaction(async (sql) => {
    const deleted = [];
    for (const table4 of await tablesOfInstallations(sql)) {
      const rows2 = await sql.query(`DELETE FROM memorymark."${table4}" WHERE installation_id = $1 RETURNING 1 AS gone`, [
        installationId2
      ]);
      deleted.push({ table: table4, rows: rows2.length });
    }
    return deleted;
  });
}
async function tablesOfInstallations(sql) {
  const rows2 = await sql.query(
    `SELECT table_name FROM information_schema.columns
     WHERE table_schema = 'memorymark' AND column_name = 'installation_id' ORDER BY table_name`
  );
  return rows2.map((row7) => tableRow.parse(row7).table_name);
}
var tableRow = z41.object({ table_name: z41.string().regex(/^\w+$/) });
async function noteDeparture(sql, installationId2, at) {
  await sql.query(
    "INSERT INTO memorymark.departures (installation_id, left_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
    [installationId2, at]
  );
}
async function knownInstallations(sql) {
  const known3 = /* @__PURE__ */ new Set();
  for (const table4 of await tablesOfInstallations(sql)) {
    const rows2 = await sql.query(`SELECT DISTINCT installation_id FROM memorymark."${table4}"`);
    for (const row7 of rows2) known3.add(departureRow.parse(row7).installation_id);
  }
  return [...known3];
}
async function departedBefore(sql, before) {
  const rows2 = await sql.query(
    "SELECT installation_id FROM memorymark.departures WHERE left_at < $1 ORDER BY installation_id",
    [before]
  );
  return rows2.map((row7) => departureRow.parse(row7).installation_id);
}
var departureRow = z41.object({ installation_id: z41.coerce.number() });

// bot/store/embedded.ts
import { existsSync } from "node:fs";
import { mkdir as mkdir2 } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

// bot/store/folder-claim.ts
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import path3 from "node:path";
async function claimFolder(folder) {
  const socket = path3.relative(process.cwd(), path3.join(folder, "in-use.sock"));
  if (await isAnswered(socket)) throw taken(folder);
  await rm(socket, { force: true });
  const server = createServer((connection) => connection.end());
  server.listen(socket);
  await once(server, "listening");
  server.unref();
  return async () => {
    server.close();
    await once(server, "close");
  };
}
function isAnswered(socket) {
  const connection = connect(socket);
  return new Promise((resolve) => {
    connection.once("connect", () => {
      connection.destroy();
      resolve(true);
    });
    connection.once("error", () => resolve(false));
  });
}
function taken(folder) {
  return new MemoryMarkError({
    code: "data-folder-in-use",
    file: folder,
    message: "Another bot is using this data folder",
    fix: "Stop that one, or give each its own; several that share their work need a PostgreSQL server (DATABASE_URL=postgres://…)."
  });
}

// bot/store/embedded.ts
async function openEmbedded(folder) {
  if (folder === void 0) return EmbeddedDatabase.open(void 0, async () => {
  });
  await mkdir2(folder, { recursive: true, mode: 448 });
  const release = await claimFolder(folder);
  try {
    return await EmbeddedDatabase.open(folder, release);
  } catch (error) {
    await release();
    throw error;
  }
}
var EmbeddedDatabase = class _EmbeddedDatabase {
  backend = "pglite";
  #worker;
  #release;
  #waiting = /* @__PURE__ */ new Map();
  #held = /* @__PURE__ */ new Set();
  #lastId = 0;
  #failure;
  constructor(worker, release) {
    this.#worker = worker;
    this.#release = release;
    worker.on("message", (answer4) => this.#settle(answer4));
    worker.on("error", (error) => this.#fail(error));
    worker.on("exit", () => this.#fail(new Error("The embedded database is closed.")));
  }
  static async open(folder, release) {
    const worker = new Worker(threadFile(), { workerData: { ...folder !== void 0 && { folder } } });
    const database = new _EmbeddedDatabase(worker, release);
    await database.#answerTo(0);
    return database;
  }
  query(text3, values = []) {
    return this.#ask({ kind: "query", text: text3, values, transaction: void 0 }).answer;
  }
  script(text3) {
    return this.#ask({ kind: "script", text: text3 }).answer;
  }
  async transaction(work) {
    const { id: transaction, answer: begun } = this.#ask({ kind: "begin" });
    await begun;
    try {
      const value = await work({
        query: (text3, values = []) => this.#ask({ kind: "query", text: text3, values, transaction }).answer
      });
      await this.#ask({ kind: "end", transaction, how: "commit" }).answer;
      return value;
    } catch (error) {
      await this.#ask({ kind: "end", transaction, how: "rollback" }).answer.catch(() => {
      });
      throw error;
    }
  }
  /** The folder belongs to this process alone, so nobody else can hold a key and no hold is ever lost. */
  async exclusively(key2, work) {
    if (this.#held.has(key2)) return { kind: "busy" };
    this.#held.add(key2);
    try {
      return { kind: "done", value: await work(new AbortController().signal) };
    } finally {
      this.#held.delete(key2);
    }
  }
  async [Symbol.asyncDispose]() {
    await this.#ask({ kind: "close" }).answer;
    await this.#worker.terminate();
    await this.#release();
  }
  #ask(question2) {
    this.#lastId += 1;
    const id7 = this.#lastId;
    const answer4 = this.#answerTo(id7);
    this.#worker.postMessage({ id: id7, ...question2 });
    return { id: id7, answer: answer4 };
  }
  #answerTo(id7) {
    const waiting2 = Promise.withResolvers();
    if (this.#failure === void 0) this.#waiting.set(id7, waiting2);
    else waiting2.reject(this.#failure);
    return waiting2.promise;
  }
  #settle(answer4) {
    const waiting2 = this.#waiting.get(answer4.id);
    this.#waiting.delete(answer4.id);
    switch (answer4.kind) {
      case "rows":
        waiting2?.resolve(answer4.rows);
        break;
      case "error":
        waiting2?.reject(Object.assign(new Error(answer4.message), { code: answer4.code }));
        break;
    }
  }
  #fail(error) {
    this.#failure ??= error;
    for (const waiting2 of this.#waiting.values()) waiting2.reject(this.#failure);
    this.#waiting.clear();
  }
};
function threadFile() {
  const places = ["./bot-database.js", "./embedded-thread.ts"].map(
    (path7) => fileURLToPath(new URL(path7, import.meta.url))
  );
  const found = places.find((place2) => existsSync(place2));
  if (found === void 0) throw new Error(`The embedded database's thread is missing: ${places.join(" or ")}`);
  return found;
}

// bot/store/migrations.ts
import * as z60 from "zod";

// bot/store/acceptances.ts
import * as z42 from "zod";
var acceptancesTable = {
  name: "acceptances",
  statements: [
    `CREATE TABLE memorymark.acceptances (
      comment_id bigint PRIMARY KEY,
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      pull_number integer NOT NULL,
      accepted_by text NOT NULL,
      reason text NOT NULL,
      configs jsonb NOT NULL,
      accepted_at timestamptz NOT NULL
    )`,
    "CREATE INDEX acceptances_by_pull ON memorymark.acceptances (repository_id, pull_number)"
  ]
};
async function keepAcceptance(sql, key2, acceptance2) {
  await sql.query(
    `INSERT INTO memorymark.acceptances
       (comment_id, installation_id, repository_id, pull_number, accepted_by, reason, configs, accepted_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (comment_id) DO NOTHING`,
    [
      acceptance2.commentId,
      key2.installationId,
      key2.repositoryId,
      key2.pullNumber,
      acceptance2.by,
      acceptance2.reason,
      JSON.stringify(acceptance2.configs),
      acceptance2.at
    ]
  );
}
async function acceptancesOf(sql, { repositoryId, pullNumber }) {
  const rows2 = await sql.query(
    `SELECT comment_id, accepted_by, reason, configs, accepted_at FROM memorymark.acceptances
     WHERE repository_id = $1 AND pull_number = $2 ORDER BY accepted_at DESC, comment_id DESC`,
    [repositoryId, pullNumber]
  );
  return rows2.map((row7) => acceptanceRow.parse(row7));
}
var acceptanceRow = z42.object({
  comment_id: z42.coerce.number(),
  accepted_by: z42.string(),
  reason: z42.string(),
  configs: z42.array(acceptedConfig),
  accepted_at: z42.date()
}).transform(
  (row7) => ({
    commentId: row7.comment_id,
    by: row7.accepted_by,
    reason: row7.reason,
    configs: row7.configs,
    at: row7.accepted_at
  })
);

// bot/store/config-records.ts
import * as z44 from "zod";

// engine/server/repositories.ts
import * as z43 from "zod";
var MAX_PAGE_SIZE = 100;
var DEFAULT_PAGE_SIZE = 25;
var pageRequest = z43.object({
  limit: z43.coerce.number().int().min(1).max(MAX_PAGE_SIZE).default(DEFAULT_PAGE_SIZE),
  /** `next` of the page before. */
  cursor: z43.string().min(1).max(500).optional()
});
var repositoryName = z43.object({
  owner: z43.string().max(100).regex(/^[\w.-]+$/),
  repo: z43.string().max(100).regex(/^[\w.-]+$/)
});
var time = z43.iso.datetime();
var usd2 = z43.number();
var sha = z43.string().regex(/^[0-9a-f]{40,64}$/);
var path4 = z43.string().min(1).max(4096);
var login = z43.string().max(100);
var repositorySummary = z43.object({
  ...repositoryName.shape,
  configs: z43.int().min(0),
  /** Of those, how many block. */
  blocked: z43.int().min(0),
  /** What the recommendations would save in a year, over all configs. */
  savingsPerYearUsd: usd2,
  updatedAt: time
});
var configRecord = z43.object({
  path: path4,
  model: z43.string().max(200),
  gpu: reportedGpu2,
  commit: sha,
  /** When this was found out. */
  at: time,
  provenance,
  errorBandPercent: z43.number().min(0).max(100),
  throughputProvenance,
  current: operatingPoint,
  recommended: operatingPoint.optional(),
  speedup: z43.number().positive(),
  savingsPerYearUsd: usd2,
  verdict
});
var configOrders = ["waste", "cost"];
var atPullRequest = { pullRequest: z43.int().positive(), path: path4, at: time, provenance };
var ledgerEntry2 = z43.discriminatedUnion("kind", [
  z43.object({ kind: z43.literal("saved"), ...atPullRequest, savedPerYearUsd: usd2, fromBatch: z43.int(), toBatch: z43.int() }),
  /** Merged all the same. */
  z43.object({ kind: z43.literal("accepted"), ...atPullRequest, forgonePerYearUsd: usd2, reason: z43.string().max(1e3) })
]);
var ledger = z43.object({ savedPerYearUsd: usd2, forgonePerYearUsd: usd2 });
var decision = z43.discriminatedUnion("kind", [
  z43.object({
    kind: z43.literal("blocked"),
    pullRequest: z43.int().positive(),
    title: z43.string().max(500),
    author: login,
    at: time,
    /** The configs that block, with why. */
    configs: z43.array(z43.object({ path: path4, verdict }))
  }),
  z43.object({
    kind: z43.literal("accepted"),
    pullRequest: z43.int().positive(),
    title: z43.string().max(500),
    author: login,
    at: time,
    acceptedBy: login,
    /** As that person wrote it. */
    reason: z43.string().max(1e3),
    configs: z43.array(z43.object({ path: path4, verdict }))
  })
]);

// bot/store/config-records.ts
var configRecordsTable = {
  name: "config-records",
  statements: [
    `CREATE TABLE memorymark.config_records (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      path text NOT NULL,
      recorded_at timestamptz NOT NULL,
      is_current boolean NOT NULL,
      waste double precision NOT NULL,
      cost double precision NOT NULL,
      facts text NOT NULL,
      record jsonb NOT NULL
    )`,
    "CREATE INDEX config_records_by_path ON memorymark.config_records (repository_id, path)",
    `CREATE UNIQUE INDEX config_records_current ON memorymark.config_records (repository_id, path) WHERE is_current`
  ]
};
async function keepConfigRecords(sql, key2, records) {
  const known3 = await currentFacts(sql, key2);
  const news = records.filter((record4) => known3.get(record4.path) !== factsOf(record4));
  const outdated = [...known3.keys()].filter(
    (path7) => news.some((record4) => record4.path === path7) || !records.some((record4) => record4.path === path7)
  );
  await sql.query(
    `UPDATE memorymark.config_records SET is_current = false
     WHERE repository_id = $1 AND is_current AND path = ANY($2::text[])`,
    [key2.repositoryId, outdated]
  );
  for (const record4 of news) {
    await sql.query(
      `INSERT INTO memorymark.config_records
         (installation_id, repository_id, path, recorded_at, is_current, waste, cost, facts, record)
       VALUES ($1, $2, $3, $4, true, $5, $6, $7, $8)`,
      [
        key2.installationId,
        key2.repositoryId,
        record4.path,
        record4.at,
        idlePercent(record4.gpu, record4.current),
        record4.savingsPerYearUsd,
        factsOf(record4),
        JSON.stringify(record4)
      ]
    );
  }
}
async function currentFacts(sql, { repositoryId }) {
  const rows2 = await sql.query(
    "SELECT path, facts FROM memorymark.config_records WHERE repository_id = $1 AND is_current",
    [repositoryId]
  );
  return new Map(rows2.map((row7) => factsRow.parse(row7)).map(({ path: path7, facts: facts3 }) => [path7, facts3]));
}
var factsRow = z44.object({ path: z44.string(), facts: z44.string() });
function factsOf(record4) {
  const { at: _at, commit: _commit, ...facts3 } = configRecord.parse(record4);
  return JSON.stringify({ ...facts3, gpu: { ...facts3.gpu, priceDate: "" } });
}
async function currentConfigRecords(sql, repositoryId, order, limit, after) {
  const rows2 = await sql.query(
    `SELECT id, ${order} AS rank, record FROM memorymark.config_records
     WHERE repository_id = $1 AND is_current
       AND ($3::double precision IS NULL OR (${order}, id) < ($3, $4::bigint))
     ORDER BY ${order} DESC, id DESC LIMIT $2`,
    [repositoryId, limit, after?.rank ?? null, after?.id ?? null]
  );
  return rows2.map((row7) => recordRow.parse(row7));
}
async function configHistory(sql, repositoryId, path7, limit, before) {
  const rows2 = await sql.query(
    `SELECT id, 0::double precision AS rank, record FROM memorymark.config_records
     WHERE repository_id = $1 AND path = $2 AND ($4::bigint IS NULL OR id < $4)
     ORDER BY id DESC LIMIT $3`,
    [repositoryId, path7, limit, before ?? null]
  );
  return rows2.map((row7) => recordRow.parse(row7));
}
var recordRow = z44.object({ id: z44.coerce.number(), rank: z44.number(), record: configRecord });

// bot/store/decisions.ts
import * as z45 from "zod";
var decisionsTable = {
  name: "decisions",
  statements: [
    `CREATE TABLE memorymark.decisions (
      repository_id bigint NOT NULL,
      pull_number integer NOT NULL,
      installation_id bigint NOT NULL,
      decided_at timestamptz NOT NULL,
      kind text NOT NULL,
      decision jsonb NOT NULL,
      PRIMARY KEY (repository_id, pull_number)
    )`,
    "CREATE INDEX decisions_by_time ON memorymark.decisions (repository_id, decided_at)"
  ]
};
async function keepDecision(sql, key2, decision2) {
  await sql.query(
    `INSERT INTO memorymark.decisions AS kept
       (repository_id, pull_number, installation_id, decided_at, kind, decision)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (repository_id, pull_number) DO UPDATE SET
       decided_at = CASE WHEN kept.kind = excluded.kind THEN kept.decided_at ELSE excluded.decided_at END,
       installation_id = excluded.installation_id, kind = excluded.kind, decision = excluded.decision`,
    [key2.repositoryId, decision2.pullRequest, key2.installationId, decision2.at, decision2.kind, JSON.stringify(decision2)]
  );
}
async function decisions(sql, repositoryId, limit, before) {
  const rows2 = await sql.query(
    `SELECT decided_at, decision FROM memorymark.decisions
     WHERE repository_id = $1 AND ($3::timestamptz IS NULL OR (decided_at, pull_number) < ($3, $4::integer))
     ORDER BY decided_at DESC, pull_number DESC LIMIT $2`,
    [repositoryId, limit, before?.at ?? null, before?.pullRequest ?? null]
  );
  return rows2.map((row7) => decisionRow.parse(row7));
}
var decisionRow = z45.object({ decided_at: z45.date(), decision }).transform(({ decided_at: at, decision: decision2 }) => ({ ...decision2, at: at.toISOString() }));

// bot/store/deliveries.ts
import * as z46 from "zod";
var deliveriesTable = {
  name: "deliveries",
  statements: [
    `CREATE TABLE memorymark.deliveries (
      id text PRIMARY KEY,
      event text NOT NULL,
      received_at timestamptz NOT NULL DEFAULT now()
    )`,
    "CREATE INDEX deliveries_by_time ON memorymark.deliveries (received_at)"
  ]
};
async function claimDeliveries(sql, deliveries) {
  const rows2 = await sql.query(
    `INSERT INTO memorymark.deliveries (id, event)
     SELECT * FROM unnest($1::text[], $2::text[]) AS delivered (id, event) ORDER BY id
     ON CONFLICT DO NOTHING RETURNING id`,
    [deliveries.map(({ id: id7 }) => id7), deliveries.map(({ event: event2 }) => event2)]
  );
  return new Set(rows2.map((row7) => claimedRow.parse(row7).id));
}
var claimedRow = z46.object({ id: z46.string() });
async function forgetDeliveries(sql, days3) {
  await sql.query(`DELETE FROM memorymark.deliveries WHERE received_at < now() - $1 * interval '1 day'`, [days3]);
}

// bot/store/last-reports.ts
import * as z47 from "zod";
var lastReportsTable = {
  name: "last-reports",
  statements: [
    `CREATE TABLE memorymark.last_reports (
      repository_id bigint PRIMARY KEY,
      installation_id bigint NOT NULL,
      issue_number integer NOT NULL,
      report jsonb NOT NULL,
      reported_at timestamptz NOT NULL
    )`
  ]
};
async function keepReport(sql, key2, { issueNumber, report: report2 }) {
  await sql.query(
    `INSERT INTO memorymark.last_reports (repository_id, installation_id, issue_number, report, reported_at)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (repository_id) DO UPDATE SET
       installation_id = excluded.installation_id, issue_number = excluded.issue_number,
       report = excluded.report, reported_at = excluded.reported_at`,
    [key2.repositoryId, key2.installationId, issueNumber, JSON.stringify(report2), report2.createdAt]
  );
}
async function lastReport(sql, { repositoryId }) {
  const [row7] = await sql.query("SELECT issue_number, report FROM memorymark.last_reports WHERE repository_id = $1", [
    repositoryId
  ]);
  const parsed2 = reportRow.safeParse(row7);
  return parsed2.success ? { issueNumber: parsed2.data.issue_number, report: parsed2.data.report } : void 0;
}
var reportRow = z47.object({ issue_number: z47.number(), report });

// bot/store/last-settings.ts
import * as z48 from "zod";
var lastSettingsTable = {
  name: "last-settings",
  statements: [
    `CREATE TABLE memorymark.last_settings (
      installation_id bigint NOT NULL,
      repository_id bigint PRIMARY KEY,
      text text NOT NULL,
      seen_at timestamptz NOT NULL DEFAULT now()
    )`
  ]
};
async function lastSettings(sql, { repositoryId }) {
  const [row7] = await sql.query("SELECT text FROM memorymark.last_settings WHERE repository_id = $1", [repositoryId]);
  return row7 === void 0 ? void 0 : textRow.parse(row7).text;
}
async function keepSettings(sql, key2, text3) {
  await sql.query(
    `INSERT INTO memorymark.last_settings AS kept (installation_id, repository_id, text) VALUES ($1, $2, $3)
     ON CONFLICT (repository_id) DO UPDATE SET text = excluded.text, installation_id = excluded.installation_id, seen_at = now()
     WHERE kept.text <> excluded.text`,
    [key2.installationId, key2.repositoryId, text3]
  );
}
var textRow = z48.object({ text: z48.string() });

// bot/store/ledger-entries.ts
import * as z49 from "zod";
var ledgerEntriesTable = {
  name: "ledger-entries",
  statements: [
    `CREATE TABLE memorymark.ledger_entries (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      pull_number integer NOT NULL,
      path text NOT NULL,
      merged_at timestamptz NOT NULL,
      entry jsonb NOT NULL,
      UNIQUE (repository_id, pull_number, path)
    )`,
    "CREATE INDEX ledger_entries_by_time ON memorymark.ledger_entries (repository_id, merged_at)"
  ]
};
async function keepLedgerEntries(sql, key2, entries2) {
  for (const entry of entries2) {
    await sql.query(
      `INSERT INTO memorymark.ledger_entries (installation_id, repository_id, pull_number, path, merged_at, entry)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (repository_id, pull_number, path) DO NOTHING`,
      [key2.installationId, key2.repositoryId, entry.pullNumber, entry.path, entry.mergedAt, JSON.stringify(entry)]
    );
  }
}
async function ledgerEntries(sql, { repositoryId }) {
  const rows2 = await sql.query(
    `SELECT id, entry FROM memorymark.ledger_entries WHERE repository_id = $1
     ORDER BY merged_at DESC, id DESC`,
    [repositoryId]
  );
  return rows2.map((row7) => entryRow.parse(row7));
}
var entryRow = z49.object({ id: z49.coerce.number(), entry: ledgerEntry });

// bot/store/measured-configs.ts
import * as z50 from "zod";
var measuredConfigsTable = {
  name: "measured-configs",
  statements: [
    `CREATE TABLE memorymark.measured_configs (
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      path text NOT NULL,
      blob_sha text NOT NULL,
      base_blob_sha text NOT NULL,
      head_sha text NOT NULL,
      result jsonb NOT NULL,
      policy jsonb NOT NULL,
      run_id bigint NOT NULL,
      pull_number integer NOT NULL,
      reported_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (repository_id, path, blob_sha, base_blob_sha)
    )`,
    "CREATE INDEX measured_configs_by_installation ON memorymark.measured_configs (installation_id, reported_at)"
  ]
};
async function reportedConfigs(sql, { repositoryId }, headSha, blobs) {
  const rows2 = await sql.query(
    `SELECT path, blob_sha, base_blob_sha, result, policy, run_id, pull_number FROM memorymark.measured_configs
     JOIN unnest($3::text[], $4::text[]) AS wanted (path, blob_sha) USING (path, blob_sha)
     WHERE repository_id = $1 AND (head_sha = $2 OR result->>'provenance' = 'measured')`,
    [repositoryId, headSha, blobs.map(({ path: path7 }) => path7), blobs.map(({ blobSha }) => blobSha)]
  );
  return rows2.map((row7) => reportedRow.parse(row7));
}
var reportedRow = z50.object({
  path: z50.string(),
  blob_sha: z50.string(),
  base_blob_sha: z50.string(),
  result: report.shape.configs.element,
  policy,
  run_id: z50.coerce.number(),
  pull_number: z50.number()
}).transform(({ blob_sha, base_blob_sha, run_id, pull_number, ...row7 }) => ({
  ...row7,
  blobSha: blob_sha,
  baseBlobSha: base_blob_sha,
  runId: run_id,
  pullNumber: pull_number
}));
async function keepReported(sql, key2, headSha, reported) {
  for (const { path: path7, blobSha, baseBlobSha, result: result2, policy: policy2, runId, pullNumber } of reported) {
    await sql.query(
      `INSERT INTO memorymark.measured_configs
         (installation_id, repository_id, path, blob_sha, base_blob_sha, head_sha, result, policy, run_id, pull_number)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       ON CONFLICT (repository_id, path, blob_sha, base_blob_sha) DO UPDATE SET
         head_sha = excluded.head_sha, result = excluded.result, policy = excluded.policy, run_id = excluded.run_id,
         pull_number = excluded.pull_number, reported_at = now()`,
      [
        key2.installationId,
        key2.repositoryId,
        path7,
        blobSha,
        baseBlobSha,
        headSha,
        JSON.stringify(result2),
        JSON.stringify(policy2),
        runId,
        pullNumber
      ]
    );
  }
}

// bot/store/measurements.ts
import * as z51 from "zod";
var measurementsTable = {
  name: "measurements",
  statements: [
    `CREATE TABLE memorymark.measurements (
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      pull_number integer NOT NULL,
      head_sha text NOT NULL,
      due_at timestamptz NOT NULL DEFAULT now(),
      run_id bigint,
      refusal text,
      approved_by text,
      PRIMARY KEY (repository_id, pull_number, head_sha)
    )`,
    "CREATE UNIQUE INDEX measurements_by_run ON memorymark.measurements (repository_id, run_id)",
    `CREATE TABLE memorymark.taken_runs (
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      pull_number integer NOT NULL,
      head_sha text NOT NULL,
      run_id bigint NOT NULL,
      run_attempt integer NOT NULL,
      outcome jsonb NOT NULL,
      taken_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (repository_id, pull_number, run_id, run_attempt)
    )`
  ]
};
async function dueMeasurement(sql, key2) {
  const { installationId: installationId2, repositoryId, pullNumber, headSha } = key2;
  const [row7] = await sql.query(
    `INSERT INTO memorymark.measurements (installation_id, repository_id, pull_number, head_sha)
     VALUES ($1, $2, $3, $4)
     ON CONFLICT (repository_id, pull_number, head_sha) DO UPDATE SET installation_id = excluded.installation_id
     RETURNING due_at, run_id, refusal, approved_by`,
    [installationId2, repositoryId, pullNumber, headSha]
  );
  return measurementRow.parse(row7);
}
async function keepDispatched(sql, key2, runId) {
  await sql.query(
    `UPDATE memorymark.measurements SET run_id = $4, refusal = NULL, due_at = now()
     WHERE repository_id = $1 AND pull_number = $2 AND head_sha = $3`,
    [key2.repositoryId, key2.pullNumber, key2.headSha, runId]
  );
}
async function keepRefusal(sql, key2, why) {
  await sql.query(
    `UPDATE memorymark.measurements SET refusal = $4
     WHERE repository_id = $1 AND pull_number = $2 AND head_sha = $3`,
    [key2.repositoryId, key2.pullNumber, key2.headSha, why]
  );
}
async function approveMeasurement(sql, key2, by) {
  await dueMeasurement(sql, key2);
  await sql.query(
    `UPDATE memorymark.measurements SET approved_by = $4, due_at = now()
     WHERE repository_id = $1 AND pull_number = $2 AND head_sha = $3`,
    [key2.repositoryId, key2.pullNumber, key2.headSha, by]
  );
}
async function dispatchedFor(sql, { repositoryId }, runId) {
  const [row7] = await sql.query(
    "SELECT pull_number FROM memorymark.measurements WHERE repository_id = $1 AND run_id = $2",
    [repositoryId, runId]
  );
  return row7 === void 0 ? void 0 : dispatchedRow.parse(row7);
}
async function dispatchedAt(sql, { repositoryId }, headSha) {
  const [row7] = await sql.query(
    "SELECT run_id FROM memorymark.measurements WHERE repository_id = $1 AND head_sha = $2 AND run_id IS NOT NULL",
    [repositoryId, headSha]
  );
  return row7 === void 0 ? void 0 : runRow.parse(row7).run_id;
}
var measurementRow = z51.object({
  due_at: z51.date(),
  run_id: z51.coerce.number().nullable(),
  refusal: z51.string().nullable(),
  approved_by: z51.string().nullable()
}).transform((row7) => ({
  dueAt: row7.due_at,
  runId: row7.run_id ?? void 0,
  refusal: row7.refusal ?? void 0,
  approvedBy: row7.approved_by ?? void 0
}));
var dispatchedRow = z51.object({ pull_number: z51.number() }).transform((row7) => ({ pullNumber: row7.pull_number }));
var runRow = z51.object({ run_id: z51.coerce.number() });
var takenOutcome = z51.discriminatedUnion("kind", [
  /** Its report is among the measured configs. */
  z51.object({ kind: z51.literal("report") }),
  /** It left no report, or one about no config of this pull request. */
  z51.object({ kind: z51.literal("none") }),
  /** `why` is a clause in our words. */
  z51.object({ kind: z51.literal("unusable"), why: z51.string() })
]);
async function takenRun(sql, { repositoryId, pullNumber }, run2) {
  const [row7] = await sql.query(
    `SELECT outcome FROM memorymark.taken_runs
     WHERE repository_id = $1 AND pull_number = $2 AND run_id = $3 AND run_attempt = $4`,
    [repositoryId, pullNumber, run2.id, run2.attempt]
  );
  return row7 === void 0 ? void 0 : takenRow.parse(row7).outcome;
}
async function seenRuns(sql, { repositoryId }, runIds) {
  const rows2 = await sql.query(
    "SELECT DISTINCT run_id FROM memorymark.taken_runs WHERE repository_id = $1 AND run_id = ANY($2::bigint[])",
    [repositoryId, runIds]
  );
  return new Set(rows2.map((row7) => runRow.parse(row7).run_id));
}
var takenRow = z51.object({ outcome: takenOutcome });
async function keepTakenRun(sql, key2, run2, outcome3) {
  await sql.query(
    `INSERT INTO memorymark.taken_runs
       (installation_id, repository_id, pull_number, head_sha, run_id, run_attempt, outcome)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
    [key2.installationId, key2.repositoryId, key2.pullNumber, key2.headSha, run2.id, run2.attempt, JSON.stringify(outcome3)]
  );
}
async function renewMeasurements(sql, { repositoryId }, headSha) {
  await sql.query(
    "UPDATE memorymark.measurements SET run_id = NULL, refusal = NULL, due_at = now() WHERE repository_id = $1 AND head_sha = $2",
    [repositoryId, headSha]
  );
  await sql.query("DELETE FROM memorymark.taken_runs WHERE repository_id = $1 AND head_sha = $2", [
    repositoryId,
    headSha
  ]);
}

// bot/store/open-checks.ts
import * as z52 from "zod";
var openChecksTable = {
  name: "open-checks",
  statements: [
    `CREATE TABLE memorymark.open_checks (
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      owner text NOT NULL,
      repo text NOT NULL,
      pull_number integer NOT NULL,
      head_sha text NOT NULL,
      check_run_id bigint NOT NULL,
      deadline_at timestamptz NOT NULL,
      PRIMARY KEY (repository_id, check_run_id)
    )`,
    "CREATE INDEX open_checks_by_deadline ON memorymark.open_checks (deadline_at)"
  ]
};
async function keepOpenCheck(sql, check, deadlineAt) {
  await sql.query(
    `INSERT INTO memorymark.open_checks
       (installation_id, repository_id, owner, repo, pull_number, head_sha, check_run_id, deadline_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (repository_id, check_run_id) DO UPDATE SET deadline_at = excluded.deadline_at`,
    [
      check.installationId,
      check.repositoryId,
      check.owner,
      check.repo,
      check.pullNumber,
      check.headSha,
      check.checkRunId,
      deadlineAt
    ]
  );
}
async function forgetOpenCheck(sql, { repositoryId }, checkRunId) {
  await sql.query("DELETE FROM memorymark.open_checks WHERE repository_id = $1 AND check_run_id = $2", [
    repositoryId,
    checkRunId
  ]);
}
async function supersededChecks(sql, { repositoryId }, pull) {
  const rows2 = await sql.query(
    `SELECT ${columns2} FROM memorymark.open_checks
     WHERE repository_id = $1 AND pull_number = $2 AND ($3::text IS NULL OR head_sha <> $3)`,
    [repositoryId, pull.number, pull.headSha ?? null]
  );
  return rows2.map((row7) => openCheckRow.parse(row7));
}
async function overdueChecks(sql, limit) {
  const rows2 = await sql.query(
    `SELECT ${columns2} FROM memorymark.open_checks WHERE deadline_at <= now() ORDER BY deadline_at LIMIT $1`,
    [limit]
  );
  return rows2.map((row7) => openCheckRow.parse(row7));
}
var columns2 = "installation_id, repository_id, owner, repo, pull_number, head_sha, check_run_id";
var openCheckRow = z52.object({
  installation_id: z52.coerce.number(),
  repository_id: z52.coerce.number(),
  owner: z52.string(),
  repo: z52.string(),
  pull_number: z52.number(),
  head_sha: z52.string(),
  check_run_id: z52.coerce.number()
}).transform((row7) => ({
  installationId: row7.installation_id,
  repositoryId: row7.repository_id,
  owner: row7.owner,
  repo: row7.repo,
  pullNumber: row7.pull_number,
  headSha: row7.head_sha,
  checkRunId: row7.check_run_id
}));

// bot/store/reruns.ts
import * as z53 from "zod";
var rerunsTable = {
  name: "reruns",
  statements: [
    `CREATE TABLE memorymark.reruns (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      head_sha text NOT NULL,
      asked_at timestamptz NOT NULL DEFAULT now()
    )`,
    "CREATE INDEX reruns_by_commit ON memorymark.reruns (repository_id, head_sha)"
  ]
};
async function askForRerun(sql, { installationId: installationId2, repositoryId, headSha }) {
  await sql.query("INSERT INTO memorymark.reruns (installation_id, repository_id, head_sha) VALUES ($1, $2, $3)", [
    installationId2,
    repositoryId,
    headSha
  ]);
}
async function openRerun(sql, { repositoryId, headSha }) {
  const [row7] = await sql.query(
    "SELECT max(id) AS id FROM memorymark.reruns WHERE repository_id = $1 AND head_sha = $2",
    [repositoryId, headSha]
  );
  return newestRow.parse(row7).id ?? void 0;
}
async function answerRerun(sql, { repositoryId, headSha }, id7) {
  await sql.query("DELETE FROM memorymark.reruns WHERE repository_id = $1 AND head_sha = $2 AND id <= $3", [
    repositoryId,
    headSha,
    id7
  ]);
}
var newestRow = z53.object({ id: z53.coerce.number().nullable() });

// bot/store/seen-pulls.ts
import * as z54 from "zod";
var seenPullsTable = {
  name: "seen-pulls",
  statements: [
    `CREATE TABLE memorymark.seen_pulls (
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      pull_number integer NOT NULL,
      head_sha text NOT NULL,
      seen_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (repository_id, pull_number)
    )`
  ]
};
async function keepSeen(sql, key2, headSha) {
  await sql.query(
    `INSERT INTO memorymark.seen_pulls (installation_id, repository_id, pull_number, head_sha) VALUES ($1, $2, $3, $4)
     ON CONFLICT (repository_id, pull_number) DO UPDATE SET
       installation_id = excluded.installation_id, head_sha = excluded.head_sha, seen_at = now()`,
    [key2.installationId, key2.repositoryId, key2.pullNumber, headSha]
  );
}
async function seenPulls(sql, { repositoryId }, numbers) {
  const rows2 = await sql.query(
    "SELECT pull_number, head_sha FROM memorymark.seen_pulls WHERE repository_id = $1 AND pull_number = ANY($2::integer[])",
    [repositoryId, numbers]
  );
  return new Map(rows2.map((row7) => seenRow.parse(row7)).map((row7) => [row7.pull_number, row7.head_sha]));
}
var seenRow = z54.object({ pull_number: z54.number(), head_sha: z54.string() });

// bot/store/snoozes.ts
import * as z58 from "zod";

// bot/queue/jobs.ts
import * as z57 from "zod";

// bot/commands/request.ts
import * as z55 from "zod";
var id = z55.number().int().positive();
var name = z55.string().regex(/^[\w.-]{1,100}$/);
var commandRequest = z55.object({
  installationId: id,
  repositoryId: id,
  owner: name,
  repo: name,
  pullNumber: id,
  commentId: id,
  /** Login of who wrote it; what it may do is asked of GitHub when the job runs. Apps' logins end in `[bot]`. */
  author: z55.string().regex(/^[\w.-]{1,100}(\[bot\])?$/),
  /** As it was when the webhook was sent. */
  body: z55.string().max(65536)
});

// bot/suggestions/suggestion.ts
import * as z56 from "zod";
var line = z56.int().positive();
var suggestion = z56.object({
  path: z56.string().min(1).max(4096),
  lines: z56.object({ first: line, last: line }),
  /** Markdown. */
  body: z56.string().max(65536),
  /** By which it is known again. */
  marker: z56.string().max(100)
});

// bot/queue/jobs.ts
var id2 = z57.number().int().positive();
var sha2 = z57.string().regex(/^[0-9a-f]{40,64}$/);
var name2 = z57.string().regex(/^[\w.-]{1,100}$/);
var repositoryPlace = z57.object({ installationId: id2, repositoryId: id2, owner: name2, repo: name2 });
var pullRequestJob = repositoryPlace.extend({ kind: z57.literal("pull-request"), number: id2 });
var commitJob = repositoryPlace.extend({
  kind: z57.literal("commit"),
  headSha: sha2,
  /** Of the branch, where the event names them; they save pages. */
  headOwner: name2.optional(),
  headBranch: z57.string().max(1e3).optional()
});
var runJob = repositoryPlace.extend({ kind: z57.literal("run"), runId: id2 });
var mergeGroupJob = repositoryPlace.extend({
  kind: z57.literal("merge-group"),
  headSha: sha2,
  baseSha: sha2,
  /** The pull request that the group adds to the queue, where its branch names it. */
  pullNumber: id2.optional()
});
var dispatchJob = repositoryPlace.extend({ kind: z57.literal("dispatch"), number: id2, headSha: sha2 });
var supersededJob = repositoryPlace.extend({ kind: z57.literal("superseded"), headSha: sha2, checkRunId: id2 });
var commandJob = commandRequest.extend({ kind: z57.literal("command") });
var suggestJob = repositoryPlace.extend({
  kind: z57.literal("suggest"),
  number: id2,
  headSha: sha2,
  suggestions: z57.array(suggestion).max(20)
});
var mergedJob = repositoryPlace.extend({ kind: z57.literal("merged"), number: id2 });
var surveyJob = repositoryPlace.extend({ kind: z57.literal("survey"), isReportDue: z57.boolean() });
var scheduleJob = repositoryPlace.extend({ kind: z57.literal("schedule") });
var departureJob = z57.object({ kind: z57.literal("departure"), installationId: id2 });
var housekeepingJob = z57.object({ kind: z57.literal("housekeeping") });
var sweepJob = z57.object({ kind: z57.literal("sweep") });
var reconcileJob = z57.object({ kind: z57.literal("reconcile"), scope: z57.enum(["active", "all"]) });
var job = z57.discriminatedUnion("kind", [
  pullRequestJob,
  commitJob,
  runJob,
  mergeGroupJob,
  dispatchJob,
  supersededJob,
  commandJob,
  suggestJob,
  mergedJob,
  surveyJob,
  scheduleJob,
  departureJob,
  housekeepingJob,
  sweepJob,
  reconcileJob
]);
function keyOf(job2) {
  switch (job2.kind) {
    case "pull-request":
      return `${job2.repositoryId}/pull/${job2.number}`;
    case "commit":
      return `${job2.repositoryId}/commit/${job2.headSha}`;
    case "run":
      return `${job2.repositoryId}/run/${job2.runId}`;
    case "merge-group":
      return `${job2.repositoryId}/group/${job2.headSha}`;
    case "dispatch":
      return `${job2.repositoryId}/dispatch/${job2.number}/${job2.headSha}`;
    case "superseded":
      return `${job2.repositoryId}/check/${job2.checkRunId}`;
    case "command":
      return `${job2.repositoryId}/comment/${job2.commentId}`;
    case "suggest":
      return `${job2.repositoryId}/suggest/${job2.number}/${job2.headSha}`;
    case "merged":
      return `${job2.repositoryId}/merged/${job2.number}`;
    case "survey":
      return `${job2.repositoryId}/survey/${job2.isReportDue ? "report" : "look"}`;
    case "schedule":
      return `${job2.repositoryId}/schedule`;
    case "departure":
      return `departure/${job2.installationId}`;
    case "reconcile":
      return `reconcile/${job2.scope}`;
    case "housekeeping":
    case "sweep":
      return job2.kind;
  }
}
function installationOf(job2) {
  switch (job2.kind) {
    case "housekeeping":
    case "departure":
    case "sweep":
    case "reconcile":
      return void 0;
    case "pull-request":
    case "commit":
    case "run":
    case "merge-group":
    case "dispatch":
    case "superseded":
    case "command":
    case "suggest":
    case "merged":
    case "survey":
    case "schedule":
      return job2.installationId;
  }
}

// bot/store/snoozes.ts
var snoozesTable = {
  name: "snoozes",
  statements: [
    `CREATE TABLE memorymark.snoozes (
      comment_id bigint PRIMARY KEY,
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      owner text NOT NULL,
      repo text NOT NULL,
      pull_number integer NOT NULL,
      snoozed_by text NOT NULL,
      snoozed_at timestamptz NOT NULL,
      until timestamptz NOT NULL,
      is_over boolean NOT NULL DEFAULT false
    )`,
    "CREATE INDEX snoozes_by_pull ON memorymark.snoozes (repository_id, pull_number)",
    "CREATE INDEX snoozes_by_end ON memorymark.snoozes (until) WHERE NOT is_over"
  ]
};
async function keepSnooze(sql, place2, pullNumber, { commentId, by, at, until: until2 }) {
  await sql.query(
    `INSERT INTO memorymark.snoozes
       (comment_id, installation_id, repository_id, owner, repo, pull_number, snoozed_by, snoozed_at, until)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (comment_id) DO NOTHING`,
    [commentId, place2.installationId, place2.repositoryId, place2.owner, place2.repo, pullNumber, by, at, until2]
  );
}
async function snoozeOf(sql, { repositoryId, pullNumber }) {
  const [row7] = await sql.query(
    `SELECT comment_id, snoozed_by, snoozed_at, until FROM memorymark.snoozes
     WHERE repository_id = $1 AND pull_number = $2 ORDER BY snoozed_at DESC, comment_id DESC LIMIT 1`,
    [repositoryId, pullNumber]
  );
  return row7 === void 0 ? void 0 : snoozeRow.parse(row7);
}
var snoozeRow = z58.object({ comment_id: z58.coerce.number(), snoozed_by: z58.string(), snoozed_at: z58.date(), until: z58.date() }).transform((row7) => ({ commentId: row7.comment_id, by: row7.snoozed_by, at: row7.snoozed_at, until: row7.until }));
async function endSnoozes(sql, now) {
  const rows2 = await sql.query(
    `UPDATE memorymark.snoozes SET is_over = true WHERE NOT is_over AND until <= $1
     RETURNING installation_id, repository_id, owner, repo, pull_number`,
    [now]
  );
  return rows2.map((row7) => endedRow.parse(row7));
}
var endedRow = z58.object({
  installation_id: z58.coerce.number(),
  repository_id: z58.coerce.number(),
  owner: z58.string(),
  repo: z58.string(),
  pull_number: z58.number()
}).transform((row7) => ({
  ...repositoryPlace.parse({
    installationId: row7.installation_id,
    repositoryId: row7.repository_id,
    owner: row7.owner,
    repo: row7.repo
  }),
  pullNumber: row7.pull_number
}));

// bot/store/surveys.ts
import * as z59 from "zod";
var surveysTable = {
  name: "surveys",
  statements: [
    `CREATE TABLE memorymark.surveys (
      repository_id bigint PRIMARY KEY,
      installation_id bigint NOT NULL,
      owner text NOT NULL,
      repo text NOT NULL,
      commit_sha text NOT NULL,
      configs integer NOT NULL,
      blocked integer NOT NULL,
      savings_per_year_usd double precision NOT NULL,
      surveyed_at timestamptz NOT NULL
    )`,
    "CREATE INDEX surveys_by_time ON memorymark.surveys (surveyed_at)"
  ]
};
async function keepSurvey(sql, key2, survey2) {
  await sql.query(
    `INSERT INTO memorymark.surveys
       (repository_id, installation_id, owner, repo, commit_sha, configs, blocked, savings_per_year_usd, surveyed_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (repository_id) DO UPDATE SET
       installation_id = excluded.installation_id, owner = excluded.owner, repo = excluded.repo,
       commit_sha = excluded.commit_sha, configs = excluded.configs, blocked = excluded.blocked,
       savings_per_year_usd = excluded.savings_per_year_usd, surveyed_at = excluded.surveyed_at`,
    [
      key2.repositoryId,
      key2.installationId,
      survey2.owner,
      survey2.repo,
      survey2.commit,
      survey2.configs,
      survey2.blocked,
      survey2.savingsPerYearUsd,
      survey2.at
    ]
  );
}
async function surveys(sql, limit, before) {
  const rows2 = await sql.query(
    `SELECT ${columns3} FROM memorymark.surveys
     WHERE $2::timestamptz IS NULL OR (surveyed_at, repository_id) < ($2, $3::bigint)
     ORDER BY surveyed_at DESC, repository_id DESC LIMIT $1`,
    [limit, before?.at ?? null, before?.repositoryId ?? null]
  );
  return rows2.map((row7) => surveyRow.parse(row7));
}
async function surveyNamed(sql, name3) {
  const [row7] = await sql.query(
    `SELECT ${columns3} FROM memorymark.surveys WHERE lower(owner) = lower($1) AND lower(repo) = lower($2)
     ORDER BY surveyed_at DESC LIMIT 1`,
    [name3.owner, name3.repo]
  );
  return row7 === void 0 ? void 0 : surveyRow.parse(row7);
}
var columns3 = "repository_id, owner, repo, commit_sha, configs, blocked, savings_per_year_usd, surveyed_at";
var surveyRow = z59.object({
  repository_id: z59.coerce.number(),
  owner: z59.string(),
  repo: z59.string(),
  commit_sha: z59.string(),
  configs: z59.number(),
  blocked: z59.number(),
  savings_per_year_usd: z59.number(),
  surveyed_at: z59.date()
}).transform(
  (row7) => ({
    repositoryId: row7.repository_id,
    owner: row7.owner,
    repo: row7.repo,
    commit: row7.commit_sha,
    configs: row7.configs,
    blocked: row7.blocked,
    savingsPerYearUsd: row7.savings_per_year_usd,
    at: row7.surveyed_at
  })
);

// bot/store/migrations.ts
var migrations = [
  deliveriesTable,
  lastSettingsTable,
  measuredConfigsTable,
  measurementsTable,
  openChecksTable,
  rerunsTable,
  seenPullsTable,
  acceptancesTable,
  snoozesTable,
  ledgerEntriesTable,
  surveysTable,
  lastReportsTable,
  configRecordsTable,
  decisionsTable,
  departuresTable
];
var LOCK = 7364021590;
async function migrate(database, wanted2 = migrations) {
  await database.transaction(async (sql) => {
    await sql.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    await sql.query("CREATE SCHEMA IF NOT EXISTS memorymark");
    await sql.query(
      "CREATE TABLE IF NOT EXISTS memorymark.migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())"
    );
    const rows2 = await sql.query("SELECT name FROM memorymark.migrations");
    const applied = new Set(rows2.map((row7) => appliedRow.parse(row7).name));
    for (const { name: name3, statements } of wanted2) {
      if (applied.has(name3)) continue;
      for (const statement of statements) await sql.query(statement);
      await sql.query("INSERT INTO memorymark.migrations (name) VALUES ($1)", [name3]);
    }
  });
}
var appliedRow = z60.object({ name: z60.string() });

// bot/store/open.ts
async function openDatabase(place2, onError) {
  const database = await connect2(place2, onError);
  try {
    await migrate(database);
    return database;
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}
async function connect2(place2, onError) {
  switch (place2.kind) {
    case "server":
      return connectPostgres(place2.url, onError);
    case "folder":
      return openEmbedded(place2.folder);
    case "memory":
      return openEmbedded(void 0);
  }
}

// bot/installation-data.ts
async function exportData(place2, installationId2, write) {
  var _stack = [];
  try {
    const database = __using(_stack, await openUnused(place2), true);
    for await (const row7 of exportInstallation(database, installationId2)) write(JSON.stringify(row7));
  } catch (_) {
    var _error = _, _hasError = true;
  } finally {
    var _promise = __callDispose(_stack, _error, _hasError);
    _promise && await _promise;
  }
}
async function deleteData(place2, installationId2, write) {
  var _stack = [];
  try {
    const database = __using(_stack, await openUnused(place2), true);
    const deleted = await deleteInstallation(database, installationId2);
    for (const { table: table4, rows: rows2 } of deleted.filter(({ rows: rows3 }) => rows3 > 0)) write(`${table4}: ${rows2} deleted`);
    if (deleted.every(({ rows: rows2 }) => rows2 === 0)) write("Nothing was kept of this installation.");
  } catch (_) {
    var _error = _, _hasError = true;
  } finally {
    var _promise = __callDispose(_stack, _error, _hasError);
    _promise && await _promise;
  }
}
async function openUnused({ database, host, port }) {
  if (database.kind === "folder" && await answers(`http://${host}:${port}/health`)) {
    throw new MemoryMarkError({
      code: "database-in-use",
      message: `The bot is running, and the embedded database in ${database.folder} is its alone`,
      fix: "Stop it first; a PostgreSQL server by DATABASE_URL can be shared."
    });
  }
  return openDatabase(database, (error) => {
    throw error;
  });
}
async function answers(url2) {
  return fetch(url2, { signal: AbortSignal.timeout(2e3) }).then(
    () => true,
    () => false
  );
}

// bot/queue/failure.ts
var UNSAID_WAIT_SECONDS = 60;
var MAX_WAIT_SECONDS = 3600;
function failureOf(error, now) {
  if (isPassingFault(error)) return { kind: "passing" };
  const status = statusOf(error);
  if (status === void 0) return { kind: isRequest(error) ? "passing" : "fault" };
  if (status === 403 || status === 429) return limitOf(error, status, now);
  if (status === 401) return { kind: "passing" };
  if (status === 404 || status === 410 || status === 451) return { kind: "gone" };
  return { kind: status >= 500 ? "passing" : "fault" };
}
function limitOf(error, status, now) {
  const headers = headersOf(error);
  const retryAfter = numberIn(headers, "retry-after");
  if (retryAfter !== void 0) return limited(retryAfter);
  const reset = numberIn(headers, "x-ratelimit-reset");
  if (headers["x-ratelimit-remaining"] === "0" && reset !== void 0) return limited(reset - now.getTime() / 1e3);
  const saysLimit = error instanceof Error && /rate limit/i.test(error.message);
  return status === 429 || saysLimit ? limited(UNSAID_WAIT_SECONDS) : { kind: "forbidden" };
}
function limited(seconds) {
  return { kind: "limited", afterSeconds: Math.min(Math.max(Math.ceil(seconds), 1), MAX_WAIT_SECONDS) };
}
function isRequest(error) {
  return error instanceof Error && "request" in error;
}
var passingCodes = /^(?:08|53|57|58)\w{3}$|^(?:ECONN\w+|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|UND_ERR_\w+)$|^40(?:001|P01)$/;
function isPassingFault(error) {
  if (!(error instanceof Error)) return false;
  if (error.name === "AbortError" || error.name === "TimeoutError") return true;
  if ("code" in error && typeof error.code === "string" && passingCodes.test(error.code)) return true;
  if (/^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
    error.message
  ))
    return true;
  return error.cause !== void 0 && isPassingFault(error.cause);
}

// bot/settings.ts
import { createPrivateKey } from "node:crypto";
import path5 from "node:path";
import * as z63 from "zod";

// engine/server/access.ts
import { createHash as createHash2, timingSafeEqual } from "node:crypto";
import * as z62 from "zod";

// engine/server/fault.ts
import * as z61 from "zod";
var fault = z61.object({
  status: z61.literal("error"),
  /** In one text, for people. */
  error: z61.string(),
  problems: z61.array(problem)
});
function faultOf(...problems2) {
  const error = problems2.map((told2) => `${formatWhere(told2)}${told2.message}. ${told2.fix}`).join(" ");
  return { status: "error", error, problems: [...problems2] };
}
var MAX_ISSUES = 50;
function problemsOf3(error) {
  return error.issues.slice(0, MAX_ISSUES).map(({ path: path7, message: message2 }) => ({
    code: "request-refused",
    message: message2.slice(0, 500),
    fix: "Mend the request; /openapi.json says what it may hold.",
    ...path7.length > 0 && { field: path7.join(".").slice(0, 500) }
  }));
}

// engine/server/access.ts
var apiToken = z62.string().min(16, "At least 16 characters, such as `openssl rand -hex 32` prints").regex(/^[\w.~+/=-]+$/, "Only letters, digits and . _ ~ + / = -, which a header can carry");
var openPaths = /* @__PURE__ */ new Set(["/health"]);
var readingMethods = /* @__PURE__ */ new Set(["GET", "HEAD", "OPTIONS"]);
function checkAccess(access2) {
  return async (context, next) => {
    switch (access2.kind) {
      case "this-machine":
        return isMeant(context, access2.hostNames) ? next() : context.json(faultOf(otherHost), 403);
      case "token":
        if (openPaths.has(context.req.path) || isToken(context.req.header("authorization"), access2.token)) return next();
        context.header("www-authenticate", 'Bearer realm="memorymark", Basic realm="memorymark"');
        return context.json(faultOf(tokenNeeded), 401);
    }
  };
}
function checkOrigin(allowedOrigins) {
  return async (context, next) => {
    const origin = context.req.header("origin");
    const isOwn = origin === void 0 || URL.parse(origin)?.host === context.req.header("host");
    if (readingMethods.has(context.req.method) || isOwn || allowedOrigins.includes(origin)) return next();
    return context.json(faultOf(otherOrigin), 403);
  };
}
function isMeant({ req }, hostNames) {
  const named3 = URL.parse(`http://${req.header("host") ?? ""}`)?.hostname;
  const addressed = URL.parse(req.url)?.hostname;
  return [named3, addressed].every((name3) => name3 !== void 0 && hostNames.includes(name3));
}
function isToken(authorization, token2) {
  const [, scheme, credentials = ""] = /^(Bearer|Basic) +([\w.~+/=-]+)$/i.exec(authorization ?? "") ?? [];
  if (scheme === void 0) return false;
  const given = scheme.toLowerCase() === "bearer" ? credentials : passwordIn(credentials);
  return timingSafeEqual(digest(given), digest(token2));
}
function passwordIn(credentials) {
  const decoded = Buffer.from(credentials, "base64").toString("utf8");
  return decoded.slice(decoded.indexOf(":") + 1);
}
function digest(text3) {
  return createHash2("sha256").update(text3).digest();
}
var otherHost = {
  code: "other-host",
  message: "this server is for this machine only, and was addressed by another name",
  fix: "Use http://localhost, or start it with --host and a token."
};
var tokenNeeded = {
  code: "token-needed",
  message: "this server answers only with its token",
  fix: "Send `Authorization: Bearer <token>`; a browser asks for it as the password, with any user name."
};
var otherOrigin = {
  code: "other-origin",
  message: "a page of another site may not ask this",
  fix: "Start the server with --allow-origin and the origin of that page."
};

// bot/settings.ts
var MIN_SECRET_LENGTH = 16;
var days2 = z63.coerce.number("A number of days").int().min(1).max(36500);
var environment = z63.object({
  APP_ID: z63.coerce.number("The number on the page of the GitHub App").int().positive(),
  PRIVATE_KEY: z63.string("The PEM text that the page of the GitHub App makes").transform((text3) => text3.replaceAll("\\n", "\n")).refine(isPrivateKey, "Not a private key in PEM form"),
  WEBHOOK_SECRET: z63.string("The secret on the page of the GitHub App, without which anyone could send webhooks").refine((secret) => secret !== "development", '"development" is the secret that everyone knows').min(MIN_SECRET_LENGTH, `At least ${MIN_SECRET_LENGTH} characters, such as \`openssl rand -hex 32\` prints`),
  HOST: z63.string().min(1).default("localhost"),
  PORT: z63.coerce.number().int().min(0).max(65535).default(3e3),
  GITHUB_API_URL: z63.url({ protocol: /^https?$/ }).default("https://api.github.com"),
  LOG_LEVEL: z63.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
  MEMORYMARK_API_TOKEN: apiToken.optional(),
  MEMORYMARK_GPU: z63.string().optional(),
  MEMORYMARK_FAIL_ON: z63.string().optional(),
  DATABASE_URL: z63.string().min(1).default("memorymark-data").transform(databasePlace),
  MEMORYMARK_KEEP_DAYS: days2.default(365),
  MEMORYMARK_GRACE_DAYS: days2.default(7),
  MEMORYMARK_HUB: z63.enum(["on", "off"], "Either on or off").default("off"),
  MEMORYMARK_WORKFLOW: z63.string().min(1).default(".github/workflows/memorymark.yml")
});
function readSettings3(env) {
  const parsed2 = environment.safeParse(env);
  if (!parsed2.success) throw refused2(parsed2.error);
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
    workflowPath: data.MEMORYMARK_WORKFLOW,
    database: data.DATABASE_URL,
    retention: { keepDays: data.MEMORYMARK_KEEP_DAYS, graceDays: data.MEMORYMARK_GRACE_DAYS },
    apiToken: data.MEMORYMARK_API_TOKEN,
    hub: data.MEMORYMARK_HUB === "on" ? hubSettings(env) : void 0
  };
}
function databasePlace(written) {
  if (/^postgres(?:ql)?:\/\//.test(written)) return { kind: "server", url: written };
  return written === "memory:" ? { kind: "memory" } : { kind: "folder", folder: path5.resolve(written) };
}
function readFailOn(conditions2) {
  return conditions2 === void 0 ? void 0 : parseConditions(conditions2, "MEMORYMARK_FAIL_ON");
}
function readGpu(id7) {
  if (id7 === void 0) return void 0;
  const gpu2 = findGpu(id7);
  if (gpu2 !== void 0) return gpu2;
  const ids = gpus.map((known3) => known3.id);
  const meant = closest(id7, ids);
  throw new MemoryMarkError({
    code: "environment-refused",
    field: "MEMORYMARK_GPU",
    message: `"${id7.slice(0, 100)}" is not in the catalogue of GPUs`,
    fix: `${meant === void 0 ? "" : `Did you mean ${meant}? `}Known are ${ids.join(", ")}.`
  });
}
function refused2(error) {
  const faults = error.issues.map(({ path: path7, message: message2 }) => `${path7.join(".")} (${message2})`);
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

// engine/server/dashboard/assets.ts
import { createHash as createHash3 } from "node:crypto";
import { existsSync as existsSync2, readFileSync } from "node:fs";
import { fileURLToPath as fileURLToPath2 } from "node:url";
var ASSETS_PATH = "/assets/";
var icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0a0a0a"/><path d="M3 9h3v4H3z" fill="#f44"/><path d="M7 3h3v10H7zM11 6h2v7h-2z" fill="#0f8"/></svg>`;
function assetsOf(files) {
  return {
    script: asset("dashboard", "js", "text/javascript; charset=utf-8", files["dashboard.js"]),
    styles: asset("dashboard", "css", "text/css; charset=utf-8", files["dashboard.css"]),
    icon: asset("icon", "svg", "image/svg+xml", Buffer.from(icon))
  };
}
function builtAssets() {
  const places = ["./dashboard/", "../../../dist/dashboard/"].map((path7) => new URL(path7, import.meta.url));
  const folder = places.find((place2) => existsSync2(new URL("dashboard.js", place2)));
  if (folder === void 0) {
    const looked = places.map((place2) => fileURLToPath2(place2)).join(" nor ");
    throw new Error(`The pages' script is not in ${looked}. Install memorymark anew, or run npm run build.`);
  }
  const read12 = (name3) => readFileSync(new URL(name3, folder));
  return assetsOf({ "dashboard.js": read12("dashboard.js"), "dashboard.css": read12("dashboard.css") });
}
function asset(name3, extension, contentType, contents2) {
  const hash2 = createHash3("sha256").update(contents2).digest("base64url").slice(0, 16);
  return { url: `${ASSETS_PATH}${name3}-${hash2}.${extension}`, contentType, contents: new Uint8Array(contents2) };
}

// engine/server/dashboard/routes.ts
import { Hono } from "hono";
import { compress } from "hono/compress";
import { secureHeaders } from "hono/secure-headers";

// engine/server/dashboard/analysis.ts
import * as z73 from "zod";

// engine/server/analysis.ts
import * as z70 from "zod";

// engine/probes/probe.ts
import { setImmediate as setImmediate2 } from "node:timers/promises";

// engine/probes/device.ts
import * as z65 from "zod";

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
import { existsSync as existsSync3 } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath as fileURLToPath3 } from "node:url";
import * as z64 from "zod";
var answer = z64.discriminatedUnion("kind", [
  z64.object({ id: z64.number(), kind: z64.literal("done"), result: z64.unknown() }),
  z64.object({ id: z64.number(), kind: z64.literal("failed"), message: z64.string(), traceback: z64.string() })
]);
var passedVariables = /^(?:PATH|HOME|LANG|LC_\w+|TMPDIR|VIRTUAL_ENV|PYTHON\w*|LD_LIBRARY_PATH|CUDA_\w+|NVIDIA_\w+|HF_HOME)$/;
var STDERR_TAIL_CHARACTERS = 4e3;
function workerPath() {
  const places = ["./worker.py", "../engine/probes/worker.py"].map(
    (path7) => fileURLToPath3(new URL(path7, import.meta.url))
  );
  const found = places.find((place2) => existsSync3(place2));
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
    const env = Object.fromEntries(Object.entries(process.env).filter(([name3]) => passedVariables.test(name3)));
    const launcher = processes === 1 ? [] : ["-m", "torch.distributed.run", "--standalone", `--nproc-per-node=${processes}`];
    this.#child = spawn(python, ["-u", ...launcher, workerPath()], { env, detached: true });
    this.#child.on("error", (error) => {
      this.#stderr += error.message;
    });
    this.#child.stdin.on("error", () => {
    });
    this.#child.stderr.setEncoding("utf8").on("data", (text3) => {
      this.#stderr = (this.#stderr + text3).slice(-STDERR_TAIL_CHARACTERS);
    });
    const end = () => this.#kill();
    process.once("exit", end);
    this.#child.once("close", () => process.off("exit", end));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }
  /** One question at a time: the next may be asked when this one is answered. */
  async ask(operation, question2, schema, timeoutMillis) {
    const id7 = this.#nextId++;
    this.#child.stdin.write(`${JSON.stringify({ ...question2, id: id7, operation })}
`);
    const timer = Promise.withResolvers();
    const timeout = setTimeout(() => timer.resolve("timed-out"), timeoutMillis);
    try {
      const line2 = await Promise.race([this.#lines.next(), timer.promise]);
      if (line2 === "timed-out") {
        this.#kill();
        return { kind: "timed-out", afterMillis: timeoutMillis };
      }
      return line2.done ? this.#died("ended") : this.#read(line2.value, id7, schema);
    } finally {
      clearTimeout(timeout);
    }
  }
  async [Symbol.asyncDispose]() {
    if (this.#child.pid === void 0 || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended2 = new Promise((resolve) => this.#child.once("close", resolve));
    this.#kill();
    await ended2;
  }
  #read(line2, id7, schema) {
    const parsed2 = answer.safeParse(parseJson(line2));
    if (!parsed2.success || parsed2.data.id !== id7) return this.#died(`answered "${line2.slice(0, 200)}"`);
    if (parsed2.data.kind === "failed") return parsed2.data;
    const result2 = schema.safeParse(parsed2.data.result);
    return result2.success ? { kind: "done", result: result2.data } : this.#died(`answered what the schema refuses: ${z64.prettifyError(result2.error)}`);
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
function parseJson(text3) {
  try {
    return JSON.parse(text3);
  } catch {
    return void 0;
  }
}

// engine/probes/device.ts
var deviceKinds = ["cuda", "mps", "cpu"];
var bytes3 = z65.number().int().min(0);
var cudaDevice = z65.object({
  kind: z65.literal("cuda"),
  name: z65.string(),
  /** Cards of this machine that PyTorch sees; the facts are of the first. */
  count: z65.number().int().positive(),
  /** The memory limit, where one was set. */
  totalBytes: bytes3,
  /** Total − free − reserved after a first kernel: the context, and whatever other processes hold. */
  contextBytes: bytes3,
  /** What PyTorch allocates for cuBLAS, once per handle and stream. */
  cublasWorkspaceBytes: bytes3,
  driver: z65.string(),
  cuda: z65.string(),
  computeCapability: z65.tuple([z65.number().int(), z65.number().int()])
});
var device = z65.discriminatedUnion("kind", [
  cudaDevice,
  z65.object({ kind: z65.literal("mps"), name: z65.string(), totalBytes: bytes3, contextBytes: bytes3 }),
  z65.object({ kind: z65.literal("cpu"), name: z65.string() }),
  z65.object({ kind: z65.literal("none") })
]);
var machine = z65.object({
  python: z65.string(),
  torch: z65.string(),
  transformers: z65.string(),
  hasBitsandbytes: z65.boolean(),
  device
});
var START_TIMEOUT_MILLIS = 12e4;
async function describeMachine(python, signal) {
  var _stack = [];
  try {
    const worker = __using(_stack, new PythonWorker(python), true);
    const answer4 = await endedBy(signal, worker, worker.ask("device", {}, machine, START_TIMEOUT_MILLIS));
    switch (answer4.kind) {
      case "done":
        return { kind: "python", ...answer4.result };
      case "failed":
      case "died":
        return { kind: "no-python", why: answer4.message };
      case "timed-out":
        return { kind: "no-python", why: `no answer within ${answer4.afterMillis / 1e3} s` };
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

// engine/probes/tfjs/probe.ts
import { fileURLToPath as fileURLToPath5 } from "node:url";

// engine/probes/failure.ts
function outcomeOf(answer4, log) {
  switch (answer4.kind) {
    case "timed-out":
      return answer4;
    case "failed":
      log?.(answer4.traceback);
      return {
        kind: "failed",
        problem: {
          code: "step-failed",
          message: `the training step failed in Python: ${answer4.message}`.slice(0, 2e3),
          fix: "Read the Python traceback; the config may ask for something that this machine or model lacks."
        }
      };
    case "died":
      return {
        kind: "failed",
        problem: {
          code: "worker-died",
          message: answer4.message.slice(0, 2e3),
          fix: "Look into the machine's log: the host may be out of memory, or the driver may have failed."
        }
      };
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
var words2 = /OOM when allocating|RESOURCE_EXHAUSTED|ResourceExhausted|CUDA_ERROR_OUT_OF_MEMORY|failed to allocate|bad_alloc/i;
function isAllocationFailure(text3) {
  return words2.test(text3);
}

// engine/probes/tfjs/child.ts
import { fork } from "node:child_process";
import { existsSync as existsSync4 } from "node:fs";
import { fileURLToPath as fileURLToPath4 } from "node:url";
import * as z67 from "zod";

// engine/probes/tfjs/protocol.ts
import * as z66 from "zod";
var backendChoices = ["auto", "native", "cpu", "meta"];
var childArguments = z66.object({
  choice: z66.enum(backendChoices),
  /** The folder whose node_modules hold a native package. */
  nativeFolder: z66.string()
});
var question = z66.object({
  spec: trainingSpec,
  config: modelConfig,
  microBatch: batchSize,
  /** What the device has for tensors. */
  budgetBytes: z66.number().positive(),
  /** The first allocates the optimizer's state. */
  steps: z66.number().int().min(2),
  /** `forward`: the loss alone, with nothing kept for a backward pass. */
  pass: z66.enum(["forward", "step"])
});
var description = z66.object({ label: z66.string(), provenance });
var message = z66.discriminatedUnion("kind", [
  /** First, and once. */
  z66.object({ kind: z66.literal("ready"), backend: description }),
  z66.object({ kind: z66.literal("answer"), outcome }),
  /** The child threw; it ends after this. */
  z66.object({ kind: z66.literal("threw"), message: z66.string(), stack: z66.string() })
]);

// engine/probes/tfjs/child.ts
var passedVariables2 = /^(?:PATH|HOME|LANG|LC_\w+|TMPDIR|LD_LIBRARY_PATH|CUDA_\w+|NVIDIA_\w+|TF_\w+)$/;
var STDERR_TAIL_CHARACTERS2 = 4e3;
function childPath() {
  const places = ["./tfjs.js", "./serve.ts"].map((path7) => fileURLToPath4(new URL(path7, import.meta.url)));
  const found = places.find((place2) => existsSync4(place2));
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
    const env = Object.fromEntries(Object.entries(process.env).filter(([name3]) => passedVariables2.test(name3)));
    this.#child = fork(childPath(), [choice, nativeFolder], {
      env,
      execArgv: [],
      stdio: ["ignore", "ignore", "pipe", "ipc"]
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text3) => {
      this.#stderr = (this.#stderr + text3).slice(-STDERR_TAIL_CHARACTERS2);
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
    const ended2 = this.#closed.promise.then((how) => this.#ending(`ended with ${how}`));
    try {
      const received = await Promise.race([this.#next.promise.then((raw) => this.#read(raw, kind)), ended2, timer.promise]);
      if (received.kind !== kind) this.#child.kill("SIGKILL");
      return received;
    } finally {
      clearTimeout(timeout);
    }
  }
  #read(raw, kind) {
    const parsed2 = message.safeParse(raw);
    if (!parsed2.success) return this.#ending(`said what the schema refuses: ${z67.prettifyError(parsed2.error)}`);
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
var nativePlace = process.env.MEMORYMARK_TFJS_NATIVE ?? fileURLToPath5(new URL(".", import.meta.url));
var TfjsProbe = class _TfjsProbe {
  engine = "tfjs";
  provenance;
  device;
  #context;
  #child;
  constructor(context, { label: label2, provenance: provenance2 }, child) {
    const { gpu: gpu2, limitMemoryBytes = Number.POSITIVE_INFINITY } = context;
    const capped = { ...gpu2, totalBytes: Math.min(gpu2.totalBytes, limitMemoryBytes) };
    this.#context = context;
    this.#child = child;
    this.provenance = provenance2;
    this.device = { name: gpu2.name, totalBytes: capped.totalBytes, usableBytes: usableBytes(capped), software: label2 };
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
      const outcome3 = await this.#outcome({ microBatch, steps, pass });
      if (outcome3.kind !== "fits") await this.#endChild();
      return { microBatch, provenance: this.provenance, outcome: outcome3 };
    } finally {
      signal?.removeEventListener("abort", end);
    }
  }
  async #outcome(asked2) {
    const { spec: spec2, config, trialTimeoutMillis = TRIAL_TIMEOUT_MILLIS, log } = this.#context;
    const started = await this.#started();
    if (started.kind !== "ready") return outcomeOf2(started, log);
    const question2 = { ...asked2, spec: spec2, config, budgetBytes: this.device.usableBytes };
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
function died(text3) {
  const message2 = `the TensorFlow.js process ${text3}`.slice(0, 2e3);
  const fix2 = "Look into the machine's log: the host may be out of memory, or the driver may have failed.";
  return { kind: "failed", problem: { code: "worker-died", message: message2, fix: fix2 } };
}

// engine/probes/torch.ts
import * as z68 from "zod";
var TRIAL_TIMEOUT_MILLIS2 = 3e5;
var LEAST_STEPS2 = 2;
var WARM_UP_STEPS = 2;
var step2 = z68.object({
  millis: z68.number().min(0),
  optimizerMillis: z68.number().min(0),
  peakAllocatedBytes: z68.number().int().min(0).optional(),
  peakReservedBytes: z68.number().int().min(0).optional(),
  contextBytes: z68.number().int().min(0).optional()
});
var ran = z68.discriminatedUnion("kind", [
  z68.object({ kind: z68.literal("fits"), steps: z68.array(step2).min(LEAST_STEPS2) }),
  z68.object({ kind: z68.literal("out-of-memory"), message: z68.string() })
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
    const { deviceKind, limitMemoryBytes, spec: spec2 } = context;
    const question2 = { device: deviceKind, limitMemoryBytes };
    const asked2 = worker.ask("device", question2, machine, START_TIMEOUT_MILLIS);
    const answer4 = await endedBy(context.signal, worker, asked2);
    const probed = answer4.kind === "done" ? probedDevice(answer4.result, limitMemoryBytes) : void 0;
    if (answer4.kind === "done" && answer4.result.device.kind !== "none" && probed !== void 0) {
      const { device: device2 } = answer4.result;
      const gpus2 = gpusOf({ kind: "python", ...answer4.result });
      if (spec2.gpus === 1) return new _TorchProbe(context, device2.kind, probed, worker);
      await worker[Symbol.asyncDispose]();
      if (gpus2 >= spec2.gpus) return new _TorchProbe(context, device2.kind, probed);
      throw unavailable("torch", `the config trains on ${spec2.gpus} GPUs and this machine has ${gpus2}`);
    }
    await worker[Symbol.asyncDispose]();
    throw unavailable("torch", whyNot(answer4));
  }
  async trial(microBatch, { steps = LEAST_STEPS2, signal } = {}) {
    const worker = this.#worker ?? new PythonWorker(this.#context.python, this.#context.spec.gpus);
    this.#worker = worker;
    const outcome3 = await endedBy(signal, worker, this.#ask(worker, microBatch, steps));
    if (outcome3.kind !== "fits") await this.#endWorker();
    return { microBatch, provenance: this.provenance, outcome: outcome3 };
  }
  async [Symbol.asyncDispose]() {
    await this.#endWorker();
  }
  async #ask(worker, microBatch, steps) {
    const { spec: spec2, config, entrypoint, limitMemoryBytes, log } = this.#context;
    const question2 = {
      spec: { ...spec2, microBatch, gradientAccumulation: this.#accumulation },
      config,
      teacher: teacherConfig(spec2),
      steps,
      device: this.#deviceKind,
      limitMemoryBytes,
      entrypoint
    };
    const answer4 = await worker.ask("trial", question2, ran, this.#context.trialTimeoutMillis ?? TRIAL_TIMEOUT_MILLIS2);
    if (answer4.kind !== "done") return outcomeOf(answer4, log);
    if (answer4.result.kind === "out-of-memory") return { kind: "out-of-memory" };
    return fits(answer4.result.steps, this.#accumulation);
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
  const known3 = values.filter((value) => value !== void 0);
  return known3.length === 0 ? void 0 : Math.max(...known3);
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
function whyNot(answer4) {
  switch (answer4.kind) {
    case "done":
      return answer4.result.device.kind === "cpu" ? "a sweep on the CPU needs --limit-memory, since a host that runs out of memory ends processes at random" : "PyTorch sees neither a CUDA nor an MPS device";
    case "failed":
    case "died":
      return answer4.message;
    case "timed-out":
      return `Python did not start within ${answer4.afterMillis / 1e3} s`;
  }
}

// engine/probes/trace.ts
import * as z69 from "zod";
var bytes4 = z69.number().int().min(0);
var traced = z69.object({
  /** Peak of the second step, allocations rounded as the caching allocator does; no cuBLAS workspace on the meta device. */
  peakBytes: bytes4,
  forwardBackwardPeakBytes: bytes4,
  weightBytes: bytes4,
  /** Between steps: weights, buffers and optimizer state. */
  restingBytes: bytes4,
  parameters: z69.number().int().min(0),
  /** Every allocation and release in order, where asked for: n > 0 allocates n bytes, −n releases the n-th allocation. */
  events: z69.array(z69.number().int())
});
var versions = z69.object({
  python: z69.string(),
  torch: z69.string(),
  transformers: z69.string(),
  hasBitsandbytes: z69.boolean()
});
var TRACE_TIMEOUT_MILLIS = 12e4;
function trace(worker, spec2, config, { wantsEvents = false, timeoutMillis = TRACE_TIMEOUT_MILLIS } = {}) {
  return worker.ask("trace", { spec: spec2, config, teacher: teacherConfig(spec2), wantsEvents }, traced, timeoutMillis);
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
    const { gpu: gpu2, limitMemoryBytes = Number.POSITIVE_INFINITY } = context;
    const capped = { ...gpu2, totalBytes: Math.min(gpu2.totalBytes, limitMemoryBytes) };
    this.device = { name: gpu2.name, totalBytes: capped.totalBytes, usableBytes: usableBytes(capped), software };
    this.#context = context;
    this.#workspaceBytes = gpu2.cublasWorkspaceBytes * CUBLAS_HANDLES;
    this.#worker = worker;
  }
  static async open(context) {
    const worker = new PythonWorker(context.python);
    const answer4 = await endedBy(context.signal, worker, pythonVersions(worker));
    if (answer4.kind === "done" && context.entrypoint === void 0) {
      const { torch, transformers } = answer4.result;
      return new _TraceProbe(context, worker, `torch ${torch}, transformers ${transformers}`);
    }
    await worker[Symbol.asyncDispose]();
    if (answer4.kind === "done") throw unavailable("trace", "only the torch engine runs an entry point");
    throw unavailable("trace", answer4.kind === "timed-out" ? "Python did not start in time" : answer4.message);
  }
  async trial(microBatch, { signal } = {}) {
    const worker = this.#worker ?? new PythonWorker(this.#context.python);
    this.#worker = worker;
    const outcome3 = await endedBy(signal, worker, this.#ask(worker, microBatch));
    if (outcome3.kind === "failed" || outcome3.kind === "timed-out") await this[Symbol.asyncDispose]();
    return { microBatch, provenance: this.provenance, outcome: outcome3 };
  }
  async [Symbol.asyncDispose]() {
    const worker = this.#worker;
    this.#worker = void 0;
    await worker?.[Symbol.asyncDispose]();
  }
  async #ask(worker, microBatch) {
    const { spec: spec2, config, trialTimeoutMillis, log } = this.#context;
    const answer4 = await trace(
      worker,
      { ...spec2, microBatch, gradientAccumulation: Math.min(2, spec2.gradientAccumulation) },
      config,
      { wantsEvents: true, ...trialTimeoutMillis !== void 0 && { timeoutMillis: trialTimeoutMillis } }
    );
    if (answer4.kind !== "done") return outcomeOf(answer4, log);
    const peakBytes = answer4.result.peakBytes + this.#workspaceBytes;
    const reservedBytes = this.#replay(answer4.result.events);
    return reservedBytes === void 0 ? { kind: "out-of-memory", neededBytes: peakBytes } : { kind: "fits", peakBytes, reservedBytes };
  }
  /** Bytes that the allocator reserves at most; undefined when an allocation does not fit. */
  #replay(events2) {
    const allocator = new CachingAllocator(this.device.usableBytes);
    if (allocator.allocate(this.#workspaceBytes) === void 0) return void 0;
    const blocks2 = [];
    for (const event2 of events2) {
      if (event2 < 0) {
        const block4 = blocks2[-event2 - 1];
        if (block4 !== void 0) allocator.release(block4);
        continue;
      }
      const block3 = allocator.allocate(event2);
      if (block3 === void 0) return void 0;
      blocks2.push(block3);
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
function engineOn(machine2) {
  if (machine2.kind === "no-python") return "estimate";
  return machine2.device.kind === "cuda" || machine2.device.kind === "mps" ? "torch" : "trace";
}
var EstimatingProbe = class {
  engine = "estimate";
  provenance = "estimated";
  device;
  #probe;
  constructor({ footprint, gpu: gpu2, limitMemoryBytes, entrypoint }) {
    if (entrypoint !== void 0) throw needsPython();
    const capped = { ...gpu2, totalBytes: Math.min(gpu2.totalBytes, limitMemoryBytes ?? Number.POSITIVE_INFINITY) };
    this.#probe = new EstimateProbe(footprint, capped);
    this.device = { name: gpu2.name, totalBytes: capped.totalBytes, usableBytes: usableBytes(capped), software: "" };
  }
  async trial(microBatch) {
    await setImmediate2();
    return this.#probe.trial(microBatch);
  }
  async [Symbol.asyncDispose]() {
  }
};
function needsPython() {
  return new MemoryMarkError({
    code: "entrypoint-needs-torch",
    field: "--allow-entrypoint",
    message: "only the torch engine runs an entry point",
    fix: "Use --engine torch."
  });
}

// engine/search/strategy.ts
var strategyNames = ["predict-verify", "bisect", "linear"];

// engine/server/analysis.ts
var MAX_CONFIG_CHARACTERS = 1e5;
var MAX_STEP_SIZE = 1e3;
var { model: modelName, lora, ...otherFields } = trainingSpec.shape;
var specChanges = z70.strictObject({
  ...otherFields,
  lora: z70.strictObject({
    ...lora.unwrap().shape,
    targets: lora.unwrap().shape.targets.default([...defaultLoraTargets]),
    dropout: lora.unwrap().shape.dropout.default(0)
  })
}).partial();
var pastedConfig = z70.strictObject({
  /** Its extension says how the text is parsed; the tool is told by the content. */
  fileName: z70.string().max(200).regex(/^[\w ./@+-]*\.(?:yaml|yml|json)$/, "must end in .yaml, .yml or .json"),
  text: z70.string().min(1).max(MAX_CONFIG_CHARACTERS)
});
var analysisRequest = z70.strictObject({
  /** A Hub id or an alias of the catalogue (`bert`). Either this or `config`. */
  model: modelName.optional(),
  config: pastedConfig.optional(),
  spec: specChanges.default({}),
  /** A GPU of the catalogue. Absent: this machine's own, or where it has none the one that the server was started with. */
  gpu: z70.enum(gpus.map(({ id: id7 }) => id7)).optional(),
  /** `auto`: the best that this machine has for that GPU. */
  engine: z70.enum(["auto", ...engines]).default("auto"),
  strategy: z70.enum(strategyNames).default("predict-verify"),
  /** Sizes tried are every one up to it, then its multiples. */
  stepSize: z70.int().min(1).max(MAX_STEP_SIZE).optional(),
  /** Of one GPU; the catalogue's price unless told. */
  pricePerHourUsd: z70.number().positive().max(1e4).optional(),
  /** Wall-clock hours of a run at the current batch. */
  hoursPerRun: z70.number().positive().max(1e5).optional(),
  runsPerYear: z70.number().positive().max(1e6).optional()
}).refine(({ model, config }) => model === void 0 !== (config === void 0), {
  path: ["model"],
  message: "give a model or a config, one of them"
});
var probing = z70.object({
  engine: z70.enum(engines),
  provenance,
  device: z70.object({
    name: z70.string(),
    totalBytes: z70.number().min(0),
    /** Total − CUDA context: the limit that the trials are held against. */
    usableBytes: z70.number().min(0),
    /** Versions and driver behind the answers, in words; empty for the estimate. */
    software: z70.string()
  }),
  /** The spec that is swept, with every default filled in. */
  spec: trainingSpec
});
var problems = z70.array(problem).min(1).max(50);
var time2 = z70.iso.datetime();
var common = {
  /** Cannot be guessed: whoever has it may see the analysis. */
  id: z70.string(),
  request: analysisRequest,
  createdAt: time2
};
var ran2 = {
  ...common,
  /** Absent where it never left the queue. */
  startedAt: time2.optional(),
  probing: probing.optional(),
  /** In the order in which they ran. A size that was timed again stands twice. */
  trials: z70.array(trial)
};
var analysis = z70.discriminatedUnion("state", [
  /** `position` 1 is the next to run. */
  z70.object({ ...common, state: z70.literal("queued"), position: z70.int().min(1) }),
  z70.object({ ...ran2, state: z70.literal("running") }),
  /** The report has exactly one config, and it is analysed. */
  z70.object({ ...ran2, state: z70.literal("done"), finishedAt: time2, report }),
  z70.object({ ...ran2, state: z70.literal("failed"), finishedAt: time2, problems }),
  z70.object({ ...ran2, state: z70.literal("cancelled"), finishedAt: time2 })
]);
var event = {
  /** 1 for the first event of an analysis, then one more each: the id of the server-sent event. */
  sequence: z70.int().min(1),
  at: time2
};
var analysisEvent = z70.discriminatedUnion("kind", [
  /** Sent again whenever the position changes. */
  z70.object({ ...event, kind: z70.literal("queued"), position: z70.int().min(1) }),
  z70.object({ ...event, kind: z70.literal("started") }),
  z70.object({ ...event, kind: z70.literal("probing"), probing }),
  /** One line for people. */
  z70.object({ ...event, kind: z70.literal("log"), text: z70.string() }),
  z70.object({ ...event, kind: z70.literal("trial"), trial }),
  z70.object({ ...event, kind: z70.literal("done"), report }),
  z70.object({ ...event, kind: z70.literal("failed"), problems }),
  z70.object({ ...event, kind: z70.literal("cancelled") })
]);
function isFinal(happening) {
  const { kind } = happening;
  return kind === "done" || kind === "failed" || kind === "cancelled";
}

// engine/server/event-stream.ts
var KEEP_ALIVE_MILLIS = 15e3;
var encoder2 = new TextEncoder();
var greeting = encoder2.encode("retry: 1000\n\n");
var keepAlive = encoder2.encode(": still here\n\n");
var encoded = /* @__PURE__ */ new WeakMap();
function asJson(event2) {
  const known3 = encoded.get(event2);
  if (known3 !== void 0) return known3;
  const bytes5 = serverSentEvent(event2, event2.kind, JSON.stringify(event2));
  encoded.set(event2, bytes5);
  return bytes5;
}
function serverSentEvent({ sequence }, name3, data) {
  return encoder2.encode(`id: ${sequence}
event: ${name3}
data: ${data}

`);
}
function eventStream(events2, keepAliveMillis = KEEP_ALIVE_MILLIS, encode3 = asJson) {
  const iterator = events2[Symbol.asyncIterator]();
  let sentSince = false;
  let timer;
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue(greeting);
      timer = setInterval(() => {
        const isIdle = !sentSince && (controller.desiredSize ?? 0) > 0;
        if (isIdle) controller.enqueue(keepAlive);
        sentSince = false;
      }, keepAliveMillis);
    },
    pull: async (controller) => {
      const { done: done2, value } = await iterator.next();
      sentSince = true;
      if (!done2) return controller.enqueue(encode3(value));
      clearInterval(timer);
      controller.close();
    },
    cancel: async () => {
      clearInterval(timer);
      await iterator.return?.();
    }
  });
}

// engine/server/dashboard/analyse-form.ts
import { html } from "hono/html";

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

// engine/server/dashboard/form.ts
import * as z71 from "zod";
var fieldNames = [
  "source",
  "model",
  "config",
  "gpu",
  "engine",
  "step",
  "precision",
  "optimizer",
  "sequenceLength",
  "microBatch",
  "gradientAccumulation",
  "gradientCheckpointing",
  "loraRank",
  "quantization",
  "gpus",
  "stepSize"
];
var AGAIN_FIELD = "request";
var fieldLabels = {
  source: "What is trained",
  model: "Model",
  config: "Training config",
  gpu: "GPU",
  engine: "How",
  step: "Step",
  precision: "Precision",
  optimizer: "Optimizer",
  sequenceLength: "Sequence length, tokens",
  microBatch: "Micro-batch now",
  gradientAccumulation: "Gradient accumulation now",
  gradientCheckpointing: "Gradient checkpointing",
  loraRank: "LoRA rank",
  quantization: "Base weights",
  gpus: "Number of GPUs",
  stepSize: "Step between sizes"
};
var count2 = z71.string().regex(/^\d{1,12}$/, "is not a whole number").transform(Number);
var sent = z71.object({
  source: z71.enum(["model", "config"]).default("model"),
  model: z71.string().max(200).optional(),
  config: z71.string().max(MAX_CONFIG_CHARACTERS, `is longer than ${MAX_CONFIG_CHARACTERS} characters`).optional(),
  gpu: z71.enum(gpus.map(({ id: id7 }) => id7)).optional(),
  engine: z71.enum(["auto", "estimate"]).default("auto"),
  step: z71.enum(stepProfiles).optional(),
  precision: z71.enum(precisions).optional(),
  optimizer: z71.enum(optimizers).optional(),
  sequenceLength: count2.optional(),
  microBatch: count2.optional(),
  gradientAccumulation: count2.optional(),
  gradientCheckpointing: z71.enum(["on", "off"]).optional(),
  loraRank: count2.optional(),
  quantization: z71.enum(quantizations).optional(),
  gpus: count2.optional(),
  stepSize: count2.optional()
});
function formValues(body2) {
  const texts = fieldNames.flatMap((name3) => {
    const value = body2[name3];
    return typeof value === "string" && value.trim() !== "" ? [[name3, value]] : [];
  });
  return Object.fromEntries(texts);
}
function readAgain(text3) {
  try {
    return analysisRequest.safeParse(JSON.parse(text3)).data;
  } catch {
    return void 0;
  }
}
function readForm(values) {
  const fields2 = sent.safeParse(values);
  if (!fields2.success) return refused3(fields2.error, ([name3]) => name3);
  const missing = missingSubject(fields2.data);
  if (missing !== void 0) return { kind: "refused", problems: [missing] };
  const request2 = analysisRequest.safeParse(requestOf(fields2.data));
  return request2.success ? { kind: "request", request: request2.data } : refused3(request2.error, requestField);
}
function requestOf({ source, model, config = "", gpu: gpu2, engine, stepSize, ...spec2 }) {
  const { gradientCheckpointing, loraRank, ...others } = spec2;
  return {
    ...source === "model" ? { model: model?.trim() } : { config: pasted(config) },
    ...gpu2 && { gpu: gpu2 },
    engine,
    ...stepSize !== void 0 && { stepSize },
    spec: {
      ...others,
      ...gradientCheckpointing && { gradientCheckpointing: gradientCheckpointing === "on" },
      ...loraRank !== void 0 && { lora: { rank: loraRank } }
    }
  };
}
function pasted(text3) {
  return { fileName: /^\s*[{[]/.test(text3) ? "config.json" : "config.yaml", text: text3.replaceAll("\r\n", "\n") };
}
function missingSubject({ source, model, config }) {
  if (source === "model" && !model) {
    return problem2("model", "no model is named", "Choose one of the list, or write its id on the Hugging Face Hub.");
  }
  if (source === "config" && !config) {
    return problem2("config", "no config is given", "Paste the YAML or JSON that sets the batch size.");
  }
  return void 0;
}
function refused3(error, fieldAt) {
  const problems2 = error.issues.map(({ path: path7, message: message2 }) => {
    const input = fieldNames.find((name3) => name3 === fieldAt(path7)) ?? "source";
    return problem2(input, message2, `Correct ${fieldLabels[input]}.`);
  });
  const byInput = new Map(problems2.toReversed().map((one) => [one.input, one]));
  return { kind: "refused", problems: [...byInput.values()].toReversed() };
}
function requestField(path7) {
  const [first, second] = path7;
  if (first !== "spec") return first;
  return second === "lora" ? "loraRank" : second;
}
function problem2(input, message2, fix2) {
  return { code: "form-field", field: fieldLabels[input], input, message: message2, fix: fix2 };
}

// engine/server/dashboard/analyse-form.ts
var ANALYSES_PATH = "/analyses";
function analyseForm({ values, problems: problems2 }, { ownGpu: ownGpu2, engine }) {
  const form = new Fields(values, problems2);
  return html`<form class="card ask" method="post" action="${ANALYSES_PATH}" aria-label="Analyse">
<fieldset class="source"><legend>${fieldLabels.source}</legend>
${form.radio("source", "model", "A model", true)}${form.radio("source", "config", "A training config")}
</fieldset>
<div class="by-model">${form.model()}</div>
<div class="by-config">${form.config()}</div>
${form.select("gpu", [["", ownGpu2], ...gpus.map(gpuOption)])}
<div class="grid">
${form.select("step", [["", "default"], ...stepProfiles.map((step3) => [step3, stepText(step3)])])}
${form.select("precision", [["", "default"], ...precisions.map(same)])}
${form.select("optimizer", [["", "default"], ...optimizers.map(same)])}
${form.count("sequenceLength", 1e7)}
${form.count("microBatch", 1e6)}
${form.count("stepSize", 1e3, String(DEFAULT_STEP_SIZE))}
</div>
<details${form.hasAny(more) ? html` open` : ""}><summary>More: accumulation, adapters, checkpointing, several GPUs</summary>
<div class="grid">
${form.count("gradientAccumulation", 1e6)}
${form.select("gradientCheckpointing", [["", "default"], same("on"), same("off")])}
${form.count("loraRank", 1e4)}
${form.select("quantization", [["", "default"], ...quantizations.map(same)])}
${form.count("gpus", 1e5)}
${engine === "auto" ? form.select("engine", engineOptions) : ""}
</div></details>
<p class="hint">${defaultsText()}</p>
<button class="primary">Analyse</button>
</form>`;
}
var more = [
  "gradientAccumulation",
  "gradientCheckpointing",
  "loraRank",
  "quantization",
  "gpus",
  "engine"
];
var engineOptions = [
  ["auto", "the best that this machine can"],
  ["estimate", "estimate only: at once"]
];
var Fields = class {
  #values;
  #problems;
  constructor(values, problems2) {
    this.#values = values;
    this.#problems = problems2;
  }
  hasAny(names2) {
    return names2.some((name3) => this.#values[name3] !== void 0 || this.#problemOf(name3) !== void 0);
  }
  radio(name3, value, text3, isDefault = false) {
    const isChecked = (this.#values[name3] ?? (isDefault ? value : void 0)) === value;
    return html`<label class="choice"><input type="radio" name="${name3}" value="${value}"${isChecked ? html` checked` : ""}> ${text3}</label>`;
  }
  model() {
    return this.#field(
      "model",
      html`<input id="model" name="model" list="models" maxlength="200" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="google-bert/bert-base-uncased" value="${this.#values.model ?? ""}"${this.#described("model", true)}>
<datalist id="models">${modelIds.map((id7) => html`<option value="${id7}"></option>`)}</datalist>`,
      `One of the ${modelIds.length} in the list. ${examples}`
    );
  }
  config() {
    return this.#field(
      "config",
      html`<textarea id="config" name="config" rows="10" maxlength="100000" autocapitalize="off" spellcheck="false"${this.#described("config", true)}>${this.#values.config ?? ""}</textarea>`,
      "YAML or JSON of Hugging Face, Axolotl, LLaMA-Factory, torchtune, DeepSpeed, Lightning, timm and others."
    );
  }
  select(name3, options) {
    const chosen = this.#values[name3];
    const option = ([value, text3]) => html`<option value="${value}"${value === chosen ? html` selected` : ""}>${text3}</option>`;
    return this.#field(
      name3,
      html`<select id="${name3}" name="${name3}"${this.#described(name3)}>${options.map(option)}</select>`
    );
  }
  count(name3, max, placeholder2 = "default") {
    return this.#field(
      name3,
      html`<input id="${name3}" name="${name3}" type="number" inputmode="numeric" min="1" max="${max}" step="1" placeholder="${placeholder2}" value="${this.#values[name3] ?? ""}"${this.#described(name3)}>`
    );
  }
  #field(name3, control, hint) {
    const problem3 = this.#problemOf(name3);
    return html`<div class="field"><label for="${name3}">${fieldLabels[name3]}</label>${control}${hint ? html`<p class="hint" id="${name3}-hint">${hint}</p>` : ""}${problem3 ? html`<p class="wrong" id="${name3}-problem">${problem3.message}. ${problem3.fix}</p>` : ""}</div>`;
  }
  #described(name3, hasHint = false) {
    const isWrong = this.#problemOf(name3) !== void 0;
    const texts = [...isWrong ? [`${name3}-problem`] : [], ...hasHint ? [`${name3}-hint`] : []].join(" ");
    return html`${isWrong ? html` aria-invalid="true"` : ""}${texts === "" ? "" : html` aria-describedby="${texts}"`}`;
  }
  #problemOf(name3) {
    return this.#problems.find(({ input }) => input === name3);
  }
};
function defaultsText() {
  const model = findModel("bert");
  if (model === void 0) throw new Error("the catalogue lost BERT");
  const { microBatch, sequenceLength, precision, optimizer } = specOf(model);
  return `Default: as the config has it; for a bare model micro-batch ${microBatch}, ${sequenceLength} tokens, ${precision}, ${optimizer}, a training step.`;
}
var examples = "Others work where the server can ask the Hugging Face Hub for their sizes.";
function same(word) {
  return [word, word];
}
function gpuOption({ id: id7, name: name3, totalBytes, pricePerHourUsd: pricePerHourUsd2 }) {
  return [id7, `${name3}, ${formatGib(totalBytes)}, ${formatUsd(pricePerHourUsd2)} an hour`];
}
function stepText(step3) {
  switch (step3) {
    case "training":
      return "training: the second real step";
    case "forward-backward":
      return "forward and backward only";
  }
}

// engine/server/dashboard/analysis-view.ts
import { html as html14 } from "hono/html";

// engine/server/dashboard/log.ts
import { html as html3 } from "hono/html";

// engine/server/dashboard/notice.ts
import { html as html2 } from "hono/html";
function problemNotice(title, problems2) {
  return html2`<section class="notice" role="alert" aria-labelledby="notice-title" data-dismissible>
<h2 id="notice-title">${title}</h2>
<ul>${problems2.map((problem3) => html2`<li>${problemText(problem3)}</li>`)}</ul>
</section>`;
}
function problemText(problem3) {
  const { file, field, message: message2, fix: fix2 } = problem3;
  const where = formatWhere({
    ...problem3,
    ...file === void 0 ? {} : { file: plainPath(file) },
    ...field === void 0 ? {} : { field: plainText(field, 100) }
  });
  return `${where}${plainText(message2)}. ${plainText(fix2)}`;
}

// engine/server/dashboard/trial-line.ts
function trialLine({ microBatch, outcome: outcome3, provenance: provenance2 }) {
  const peak = peakOf(outcome3);
  const figures2 = [
    ...peak === void 0 ? [] : [formatGib(peak)],
    ...outcome3.kind === "fits" && outcome3.stepMillis !== void 0 ? [stepText2(outcome3.stepMillis)] : []
  ];
  const details3 = figures2.length === 0 ? "" : `: ${figures2.join(", ")}`;
  return `batch ${formatCount(microBatch)} ${outcomeText(outcome3)}${details3} (${provenance2})`;
}
function outcomeText(outcome3) {
  switch (outcome3.kind) {
    case "fits":
      return "fits";
    case "out-of-memory":
      return "runs out of memory";
    case "timed-out":
      return `timed out after ${formatCount(Math.round(outcome3.afterMillis / 1e3))} s`;
    case "failed":
      return `failed: ${plainText(outcome3.problem.message, 200)}`;
  }
}
function stepText2(stepMillis) {
  return `${formatCount(Math.round(stepMillis))} ms a step`;
}

// engine/server/dashboard/log.ts
function eventLine(event2) {
  switch (event2.kind) {
    case "queued":
      return `waiting, place ${event2.position} in the queue`;
    case "started":
      return "started";
    case "probing":
      return probingLine(event2.probing);
    case "log":
      return plainText(event2.text);
    case "trial":
      return trialLine(event2.trial);
    case "done":
      return "done";
    case "failed":
      return event2.problems.map(problemText).join(" ");
    case "cancelled":
      return "cancelled";
  }
}
function linesOf2(analysis2) {
  if (analysis2.state === "queued") return [`waiting, place ${analysis2.position} in the queue`];
  const probing2 = analysis2.probing === void 0 ? [] : [probingLine(analysis2.probing)];
  return [...probing2, ...analysis2.trials.map(trialLine)];
}
function logList(lines) {
  const items = lines.map((line2) => html3`<li>${line2}</li>`);
  return html3`<div class="log" role="log" aria-label="Trials" aria-live="polite" tabindex="0"><ol>${items}</ol></div>`;
}
function probingLine({ engine, provenance: provenance2, device: device2 }) {
  const by = device2.software === "" ? "" : ` (${plainText(device2.software, 200)})`;
  return `${provenance2} by the ${engine} engine for ${plainText(device2.name, 60)}${by}: ${formatGib(device2.usableBytes)} can be used`;
}

// engine/server/dashboard/result/result.ts
import { html as html13 } from "hono/html";

// engine/server/dashboard/provenance.ts
import { html as html4 } from "hono/html";
function chip(known3, words3 = known3) {
  return html4`<span class="chip ${known3}">${words3}</span>`;
}
function memoryChip(config) {
  return chip(config.provenance, memoryProvenance(config));
}

// engine/server/dashboard/verdict-text.ts
function verdictText({ reasons }) {
  return reasons.length === 0 ? "within policy" : reasons.map(reasonText).join("; ");
}
function reasonText(reason2) {
  const spared3 = reason2.spared === void 0 ? "" : ` (spared: ${reason2.spared === "no-worse" ? "no worse than before" : "within the error"})`;
  switch (reason2.kind) {
    case "does-not-fit":
      return `does not fit${spared3}`;
    case "condition":
      return `${formatCondition(reason2.condition)}: ${actual(reason2)}${spared3}`;
  }
}
function actual({ condition: condition2, actual: actual2 }) {
  return condition2.kind === "annual-cost" ? `$${Math.round(actual2)}` : `${Math.round(actual2)} %`;
}

// engine/server/dashboard/result/breakdown.ts
import { html as html5 } from "hono/html";
function breakdownCard(config) {
  const { breakdown: breakdown2, current, peakMoment, provenance: provenance2 } = config;
  const lever = leverSentence(config);
  const share2 = (bytes5) => current.peakBytes === 0 ? 0 : bytes5 / current.peakBytes;
  return html5`<section class="card" aria-labelledby="breakdown-title">
<h2 id="breakdown-title">Where the memory goes ${provenance2 === "estimated" ? chip("estimated") : chip("modelled")}</h2>
<p class="sub">At micro-batch ${formatCount(current.microBatch)}. The peak comes at: ${plainText(peakMoment, 200)}.</p>
<table class="breakdown">
<thead><tr><th scope="col">Kind</th><th scope="col">Memory</th><th scope="col">Share</th></tr></thead>
<tbody>${partsOf2(breakdown2).map(({ name: name3, bytes: bytes5 }) => part2(name3, bytes5, share2(bytes5)))}</tbody>
<tfoot><tr><th scope="row">peak ${memoryChip(config)}</th><td>${formatGib(current.peakBytes)}</td><td></td></tr></tfoot>
</table>
${lever ? html5`<p>${lever}</p>` : ""}
</section>`;
}
function shareText(share2) {
  return share2 < 5e-3 ? "under 1 %" : formatPercent(share2);
}
function part2(name3, bytes5, share2) {
  const width = `${(100 * Math.min(1, share2)).toFixed(1)}%`;
  return html5`<tr><th scope="row">${name3}<svg class="share" width="100%" height="4" aria-hidden="true" focusable="false"><rect width="${width}" height="100%" rx="2"/></svg></th><td>${formatPart(bytes5)}</td><td>${shareText(share2)}</td></tr>`;
}

// engine/server/dashboard/result/curves.ts
import { html as html7 } from "hono/html";

// engine/server/dashboard/chart.ts
import { html as html6 } from "hono/html";
function chart(options) {
  const { id: id7, title, rows: rows2 } = options;
  return html6`<section class="card" aria-labelledby="${id7}-title">
<h2 id="${id7}-title">${title}</h2>
${rows2.length < 2 ? html6`<p class="sub">Too few points are known for a curve.</p>` : figure(options)}
${rows2.length === 0 ? "" : figures(options)}
</section>`;
}
function figures(options) {
  const { id: id7, note, rows: rows2 } = options;
  return html6`<p class="sub">${note}${rows2.every(({ isMeasured }) => isMeasured) ? "" : " Open points are not measured."}</p>
<details><summary>The figures as a table</summary>
<div class="scroll" role="region" aria-labelledby="${id7}-title" tabindex="0">${table3(options)}</div></details>`;
}
function summary({ yName, rows: rows2, limit, marks = [] }) {
  const [first, last] = [rows2[0], rows2.at(-1)];
  const course = first && last ? `from ${first.yText} at ${first.xText} to ${last.yText} at ${last.xText}` : "nothing known";
  const places = [...marks.map(({ name: name3, x }) => `${name3}: ${x}`), ...limit ? [`limit: ${limit.name}`] : []];
  return [`${yName}: ${course}`, ...places].join("; ");
}
function figure(options) {
  const { id: id7, limit, marks = [], xKind = "count", yUnit } = options;
  return html6`<div class="chart" role="img" aria-label="${summary(options)}" data-chart="${id7}-table" data-x-kind="${xKind}" data-unit="${yUnit}"${limit ? html6` data-limit="${limit.value}" data-limit-name="${limit.name}"` : ""} data-marks="${JSON.stringify(marks)}"></div>`;
}
function table3({ id: id7, xName, yName, rows: rows2 }) {
  const hasRemarks = rows2.some(({ remark }) => remark !== "");
  return html6`<table id="${id7}-table">
<thead><tr><th scope="col">${xName}</th><th scope="col">${yName}</th>${hasRemarks ? html6`<th scope="col">Result</th>` : ""}</tr></thead>
<tbody>${rows2.map(
    ({ x, xText, y, yText, remark, isBad, isMeasured }) => html6`<tr data-x="${x}" data-y="${y}"${isBad ? html6` data-bad` : ""}${isMeasured ? html6` data-measured` : ""}><th scope="row">${xText}</th><td>${yText}</td>${hasRemarks ? html6`<td>${remark}</td>` : ""}</tr>`
  )}</tbody>
</table>`;
}

// engine/server/dashboard/result/curves.ts
function curves(config) {
  return html7`<div class="columns">${memoryCurve(config)}${throughputCurve2(config)}</div>`;
}
function memoryCurve(config) {
  const { gpu: gpu2, provenance: provenance2 } = config;
  const points = memoryPoints(config);
  return chart({
    id: "memory-curve",
    title: html7`Memory against batch ${memoryChip(config)}`,
    note: "The points are the sizes tried; the line only joins them.",
    xName: "Micro-batch",
    yName: `Peak memory, ${provenance2}`,
    yUnit: "GiB",
    limit: { value: gpu2.usableBytes / GIB, name: `usable, ${formatGib(gpu2.usableBytes)}` },
    marks: marksOf(config),
    rows: points.map(({ microBatch, bytes: bytes5, fits: fits2, isMeasured }) => ({
      x: microBatch,
      xText: formatCount(microBatch),
      // How much was missing is not always known; the cross then stands on the limit.
      y: (bytes5 ?? gpu2.usableBytes) / GIB,
      yText: bytes5 === void 0 ? "more than there is" : formatGib(bytes5),
      remark: fits2 ? "fits" : "out of memory",
      isBad: !fits2,
      isMeasured
    }))
  });
}
function throughputCurve2(config) {
  const { throughputProvenance: throughputProvenance3 } = config;
  const points = throughputPoints(config);
  return chart({
    id: "throughput-curve",
    title: html7`Throughput against batch ${chip(throughputProvenance3)}`,
    note: "One micro-batch a step. The recommendation is the smallest size within 2 % of the best that fits with a margin.",
    xName: "Micro-batch",
    yName: `Samples per second, ${throughputProvenance3}`,
    yUnit: "/s",
    // What does not fit has no speed.
    marks: marksOf(config).filter(({ x }) => x <= (points.at(-1)?.x ?? 0)),
    rows: points
  });
}
function marksOf({ current, recommended }) {
  const keeps = recommended?.microBatch === current.microBatch;
  return [
    { x: current.microBatch, name: keeps ? "now, recommended" : "now", kind: "now" },
    ...recommended && !keeps ? [{ x: recommended.microBatch, name: "recommended", kind: "recommended" }] : []
  ];
}
function memoryPoints({ trials, current, recommended, largest }) {
  const described3 = [current, recommended, largest].flatMap(
    (point) => point ? [{ microBatch: point.microBatch, bytes: point.peakBytes, fits: point.fits, isMeasured: false }] : []
  );
  const tried = trials.flatMap(
    ({ microBatch, outcome: outcome3, provenance: provenance2 }) => isBroken(outcome3) ? [] : [{ microBatch, bytes: peakOf(outcome3), fits: outcome3.kind === "fits", isMeasured: provenance2 === "measured" }]
  );
  const known3 = tried.filter(({ bytes: bytes5 }) => bytes5 !== void 0);
  const outOfMemory2 = tried.filter(({ fits: fits2 }) => !fits2);
  const bySize = new Map([...outOfMemory2, ...described3, ...known3].map((point) => [point.microBatch, point]));
  return [...bySize.values()].sort((a, b) => a.microBatch - b.microBatch);
}
function throughputPoints({ throughputCurve: throughputCurve3 = [], throughputProvenance: throughputProvenance3 }) {
  return throughputCurve3.map(({ microBatch, samplesPerSecond }) => ({
    x: microBatch,
    xText: formatCount(microBatch),
    y: samplesPerSecond,
    yText: `${formatRate(samplesPerSecond)} samples/s`,
    remark: "",
    isBad: false,
    isMeasured: throughputProvenance3 === "measured"
  }));
}

// engine/server/dashboard/result/gains.ts
import { html as html8 } from "hono/html";
import * as z72 from "zod";

// engine/server/dashboard/result/cost-figures.ts
function costFigures(terms, speedup) {
  return {
    now: formatUsd(costPerRunUsd(terms)),
    recommended: formatUsd(costPerRunUsd(terms, speedup)),
    year: signed(savingsPerRunUsd(terms, speedup) * terms.runsPerYear, formatYearlyUsd)
  };
}
function signed(usd3, format) {
  return usd3 <= -0.5 ? `−${format(-usd3)}` : format(Math.abs(usd3));
}

// engine/server/dashboard/result/gains.ts
var positive2 = (max) => z72.coerce.number().positive().max(max);
var termsQuery = z72.object({
  price: positive2(1e4).optional().catch(void 0),
  hours: positive2(1e5).optional().catch(void 0),
  runs: positive2(1e6).optional().catch(void 0)
});
function termsOf({ gpu: gpu2, hoursPerRun: hoursPerRun2, runsPerYear: runsPerYear2 }, query) {
  const { price, hours, runs: runs2 } = termsQuery.parse(query);
  return {
    pricePerHourUsd: price ?? gpu2.pricePerHourUsd,
    hoursPerRun: hours ?? hoursPerRun2,
    runsPerYear: runs2 ?? runsPerYear2
  };
}
function gains2(config, terms) {
  return html8`<section aria-labelledby="gains-title">
<h2 id="gains-title">What the change brings</h2>
${config.current.fits ? cards(config, terms) : html8`<p class="card">The config does not run as it is, so there is no speed and no cost to compare with.</p>`}
</section>`;
}
function cards(config, terms) {
  const { speedup, spec: spec2, throughputProvenance: throughputProvenance3 } = config;
  const figures2 = costFigures({ ...terms, gpus: spec2.gpus }, speedup);
  return html8`<div data-costs data-speedup="${speedup}" data-gpus="${spec2.gpus}">
<dl class="gains">
<div class="card gain"><dt>Speedup ${chip(throughputProvenance3)}</dt><dd><strong>${formatRatio(speedup)}</strong><span>samples per second, recommended against now</span></dd></div>
<div class="card gain"><dt>Cost of a run ${chip(throughputProvenance3)}</dt><dd><strong data-cost="recommended">${figures2.recommended}</strong><span>instead of <span data-cost="now">${figures2.now}</span></span></dd></div>
<div class="card gain"><dt>Savings a year ${chip(throughputProvenance3)}</dt><dd><strong data-cost="year">${figures2.year}</strong><span>on the terms below</span></dd></div>
</dl>
${termsForm(config, terms)}
</div>`;
}
function termsForm({ gpu: gpu2, spec: spec2 }, terms) {
  const several = spec2.gpus === 1 ? "" : `, times ${formatCount(spec2.gpus)} GPUs`;
  return html8`<form method="get" class="card terms" aria-label="Terms of the cost">
<label>Price of an hour, $<input name="price" type="number" inputmode="decimal" min="0.001" max="10000" step="any" required value="${terms.pricePerHourUsd}"></label>
<label>Hours a run takes now<input name="hours" type="number" inputmode="decimal" min="0.001" max="100000" step="any" required value="${terms.hoursPerRun}"></label>
<label>Runs a year<input name="runs" type="number" inputmode="decimal" min="0.001" max="1000000" step="any" required value="${terms.runsPerYear}"></label>
<button class="secondary">Compute again</button>
<p class="sub">Cost is hours × price${several}; a faster run takes fewer hours. ${plainText(gpu2.name, 60)}: ${formatUsd(gpu2.pricePerHourUsd)} an hour (${plainText(gpu2.priceSource, 120)}, ${plainText(gpu2.priceDate, 40)}).</p>
</form>`;
}

// engine/server/dashboard/result/grounds.ts
import { html as html9 } from "hono/html";
function groundsCard(config) {
  const { spec: spec2, dialect, batchSizeAt, assumptions } = config;
  return html9`<section class="card" aria-labelledby="grounds-title">
<h2 id="grounds-title">What the figures rest on</h2>
<dl class="facts">
${facts(spec2).map(([name3, value]) => html9`<div><dt>${name3}</dt><dd>${value}</dd></div>`)}
${batchSizeAt ? html9`<div><dt>Read as</dt><dd>${plainText(dialect, 60)}</dd></div>` : ""}
</dl>
${assumptions.length === 0 ? "" : html9`<ul>${assumptions.map((assumption) => html9`<li>${plainText(assumption)}</li>`)}</ul>`}
${rightSizing2(config)}
</section>`;
}
function facts(spec2) {
  return [
    ["Model", plainText(spec2.model, 200)],
    ["Task", spec2.task],
    ...inputSize(spec2),
    ["Step", spec2.step === "training" ? "training: forward, backward, optimizer" : "forward and backward only"],
    ["Precision", spec2.precision],
    ["Optimizer", spec2.optimizer],
    ["Attention", spec2.attention],
    ["Gradient checkpointing", spec2.gradientCheckpointing ? "on" : "off"],
    ...spec2.lora ? [["LoRA", `rank ${spec2.lora.rank} on ${plainText(spec2.lora.targets.join(", "), 200)}`]] : [],
    ...spec2.quantization ? [["Base weights", spec2.quantization]] : [],
    ["GPUs", spec2.gpus === 1 ? "1" : `${formatCount(spec2.gpus)}, ${spec2.sharding ?? "ddp"}`]
  ];
}
function inputSize({ sequenceLength, targetLength, imageSize }) {
  if (imageSize !== void 0) return [["Image", `${formatCount(imageSize)} × ${formatCount(imageSize)} pixels`]];
  if (sequenceLength === void 0) return [];
  const target = targetLength === void 0 ? "" : `, target ${formatCount(targetLength)}`;
  return [["Sequence", `${formatCount(sequenceLength)} tokens${target}`]];
}
function rightSizing2({ rightSizing: rightSizing3, current, recommended }) {
  if (rightSizing3 === void 0) return "";
  const { gpu: gpu2, costPerRunUsd: costPerRunUsd2 } = rightSizing3;
  const share2 = formatRatio((recommended ?? current).costPerRunUsd / costPerRunUsd2);
  return html9`<p>A cheaper GPU is enough (modelled): ${plainText(gpu2.name, 60)} at ${formatUsd(gpu2.pricePerHourUsd)} an hour, ${formatUsd(costPerRunUsd2)} a run; the run here costs ${share2} that.</p>`;
}

// engine/server/dashboard/result/memory-bars.ts
import { html as html10 } from "hono/html";
function memoryBars2(config) {
  const { gpu: gpu2 } = config;
  const bars = barsOf(config);
  const scaleBytes = Math.max(gpu2.usableBytes, ...bars.map(({ point }) => point.peakBytes), 1);
  return html10`<section class="card" aria-labelledby="memory-title">
<h2 id="memory-title">Peak memory ${memoryChip(config)}</h2>
<p class="sub">${formatGib(gpu2.usableBytes)} of ${plainText(gpu2.name, 60)} can be used: ${formatGib(gpu2.totalBytes)} less the CUDA context.${config.provenance === "measured" ? "" : " Hatched: not measured."}</p>
${hatching}
<ul class="bars">${bars.map((bar2) => barItem(config, bar2, scaleBytes))}</ul>
</section>`;
}
function barsOf({ current, recommended, largest }) {
  const keepsCurrent = recommended?.microBatch === current.microBatch;
  const isLargest = recommended !== void 0 && recommended.microBatch === largest?.microBatch;
  return [
    { role: "now", name: keepsCurrent ? "Now, and recommended" : "Now", point: current },
    ...recommended && !keepsCurrent ? [
      {
        role: "recommended",
        name: isLargest ? "Recommended, the largest" : "Recommended",
        point: recommended
      }
    ] : [],
    ...largest && !isLargest && largest.microBatch !== current.microBatch ? [{ role: "largest", name: "Largest that fits", point: largest }] : []
  ];
}
function barItem(config, { role, name: name3, point }, scaleBytes) {
  const { gpu: gpu2 } = config;
  const size2 = `micro-batch ${formatCount(point.microBatch)} × ${formatCount(point.gradientAccumulation)}`;
  const memory = `${ofUsable(point.peakBytes, gpu2.usableBytes)} (${formatShare(config, point)})`;
  return html10`<li class="bar ${role} ${config.provenance}${point.fits ? "" : " over"}">
<p class="bar-head"><strong>${name3}</strong> <span>${size2}</span></p>
${track(point.peakBytes / scaleBytes, gpu2.usableBytes / scaleBytes)}
<p class="bar-foot"><strong>${memory}</strong> <span>${remainder(config, role, point)}</span>${rate(config, point)}</p>
</li>`;
}
var hatching = html10`<svg class="patterns" width="0" height="0" aria-hidden="true" focusable="false"><defs><pattern id="hatch" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch" width="4" height="8"/></pattern></defs></svg>`;
function track(filled, limit) {
  const percent2 = (share2) => `${(100 * Math.min(1, Math.max(0, share2))).toFixed(2)}%`;
  return html10`<svg class="track" width="100%" height="28" aria-hidden="true" focusable="false">
<rect class="room" width="${percent2(limit)}" height="100%" rx="4"/>
<rect class="fill" width="${percent2(filled)}" height="100%" rx="4"/>
<rect class="unsure" width="${percent2(filled)}" height="100%" rx="4" fill="url(#hatch)"/>
${limit < 1 ? html10`<line class="limit" x1="${percent2(limit)}" x2="${percent2(limit)}" y1="0" y2="100%"/>` : ""}
</svg>`;
}
function remainder({ gpu: gpu2 }, role, point) {
  if (!point.fits) return `${formatGib(missingBytes(gpu2, point))} too much: out of memory`;
  return `${formatGib(idleBytes(gpu2, point))} ${role === "now" ? "waste" : "headroom"}`;
}
function rate({ throughputProvenance: throughputProvenance3 }, point) {
  if (!point.fits) return "";
  return html10` <span>${formatRate(point.samplesPerSecond)} samples/s ${chip(throughputProvenance3)}</span>`;
}

// engine/server/dashboard/result/paste.ts
import { html as html11 } from "hono/html";
function pasteCard(toPaste2) {
  return html11`<section class="card" aria-labelledby="paste-title">
<h2 id="paste-title">To paste</h2>
${body(toPaste2)}
</section>`;
}
function body(toPaste2) {
  switch (toPaste2.kind) {
    case "nothing-to-change":
      return html11`<p>Nothing: no change of the sizes would bring anything.</p>`;
    case "nothing-fits":
      return html11`<p>No size fits, so there is none to write down.</p>`;
    case "by-hand":
      return html11`<p>${toPaste2.why}</p><p>Set the micro-batch to <strong>${formatCount(toPaste2.plan.microBatch)}</strong> and the gradient accumulation to <strong>${formatCount(toPaste2.plan.gradientAccumulation)}</strong>.</p>`;
    case "snippets":
      return html11`${toPaste2.snippets.map(snippet)}`;
  }
}
function snippet({ title, text: text3 }, index) {
  const id7 = `snippet-${index + 1}`;
  return html11`<div class="snippet-head"><h3>${title}</h3><button type="button" class="secondary small" data-copy="${id7}" aria-label="Copy: ${title}" hidden>Copy</button></div>
<pre id="${id7}" class="snippet" tabindex="0" role="region" aria-label="${title}"><code>${text3}</code></pre>`;
}

// engine/server/dashboard/result/sizes.ts
import { html as html12 } from "hono/html";
var MANY = 12;
function sizesCard({ trials, gpu: gpu2 }) {
  const sorted = trials.toSorted((a, b) => a.microBatch - b.microBatch);
  return html12`<section class="card" aria-labelledby="sizes-title">
<h2 id="sizes-title">Sizes tried</h2>
<details${sorted.length > MANY ? "" : html12` open`}>
<summary>${formatCount(sorted.length)} ${sorted.length === 1 ? "trial" : "trials"}, as a table</summary>
<div class="scroll" role="region" aria-labelledby="sizes-title" tabindex="0"><table>
<thead><tr><th scope="col">Micro-batch</th><th scope="col">Result</th><th scope="col">Peak memory</th><th scope="col">Step</th><th scope="col">Known how</th></tr></thead>
<tbody>${sorted.map((trial2) => row6(trial2, gpu2.usableBytes))}</tbody>
</table></div>
</details>
</section>`;
}
function isFragmented(outcome3, usableBytes2) {
  return outcome3.kind === "out-of-memory" && (outcome3.neededBytes ?? Number.POSITIVE_INFINITY) <= usableBytes2;
}
function row6({ microBatch, outcome: outcome3, provenance: provenance2 }, usableBytes2) {
  const peak = peakOf(outcome3);
  const step3 = outcome3.kind === "fits" ? outcome3.stepMillis : void 0;
  return html12`<tr><th scope="row">${formatCount(microBatch)}</th><td>${outcomeText(outcome3)}${isFragmented(outcome3, usableBytes2) ? " (fragmented)" : ""}</td><td>${peak === void 0 ? "–" : formatGib(peak)}</td><td>${step3 === void 0 ? "–" : `${formatCount(Math.round(step3))} ms`}</td><td>${chip(provenance2)}</td></tr>`;
}

// engine/server/dashboard/result/result.ts
function result(config, { terms, toPaste: toPaste2 }) {
  return html13`${verdict2(config)}
${memoryBars2(config)}
${gains2(config, terms)}
${curves(config)}
<div class="columns">${pasteCard(toPaste2)}${breakdownCard(config)}</div>
${sizesCard(config)}
${groundsCard(config)}`;
}
function resultTitle({ spec: spec2, gpu: gpu2 }) {
  return `${plainText(spec2.model, 100)} on ${plainText(gpu2.name, 60)}`;
}
function verdict2(config) {
  const sentences = findingOf(config) === "fine" ? [`${capitalised(fineRemark(config))}.`] : advice(config);
  const { state } = config.verdict;
  return html13`<section class="verdict" aria-label="Verdict">
<p class="state ${state}"><span class="badge">${stateText(state)}</span> ${findingText(findingOf(config))} ${config.current.fits ? html13`<span class="why">${verdictText(config.verdict)}</span>` : ""}</p>
${sentences.map((sentence) => html13`<p>${sentence}</p>`)}
<p class="known">Memory ${memoryChip(config)} throughput and cost ${chip(config.throughputProvenance)}</p>
</section>`;
}
function stateText(state) {
  switch (state) {
    case "blocked":
      return "Would block";
    case "warning":
      return "Remark";
    case "fine":
      return "Fine";
  }
}
function findingText(finding) {
  switch (finding) {
    case "does-not-fit":
      return "Goes out of memory";
    case "may-not-fit":
      return "May go out of memory";
    case "waste":
      return "Wastes its GPU";
    case "annual-cost":
      return "Costs more than it needs to";
    case "throughput-loss":
      return "Trains slower than it could";
    case "not-analysed":
      return "Could not be analysed";
    case "fine":
      return "Fits and is within policy";
  }
}

// engine/server/dashboard/analysis-view.ts
function analysisPath(id7) {
  return `${ANALYSES_PATH}/${encodeURIComponent(id7)}`;
}
function subjectText({ model, config }) {
  return config === void 0 ? plainText(model ?? "", 200) : "the pasted config";
}
function runningView(analysis2) {
  const path7 = analysisPath(analysis2.id);
  return html14`<section class="card" data-events="${path7}/events" aria-labelledby="title">
<h1 id="title" tabindex="-1">Analysing ${subjectText(analysis2.request)}</h1>
<p class="working" role="status" data-status>${analysis2.state === "queued" ? "Waiting for its turn: one sweep runs at a time." : "Trying sizes. Each line is a trial that ran."}</p>
${logList(linesOf2(analysis2))}
<noscript><p class="sub">This page reloads itself every few seconds.</p></noscript>
<div class="actions">
<form method="post" action="${path7}/cancel" data-while-running><button class="secondary">Cancel</button></form>
${again(analysis2.request, "Ask again")}
</div>
</section>`;
}
function endedView(analysis2) {
  return html14`${analysis2.state === "failed" ? problemNotice("The analysis failed", analysis2.problems) : ""}
<section class="card" aria-labelledby="title">
<h1 id="title" tabindex="-1">${analysis2.state === "failed" ? "No result" : "Cancelled"}: ${subjectText(analysis2.request)}</h1>
<p class="sub">${analysis2.trials.length === 0 ? "No size was tried." : "What was tried before it ended:"}</p>
${analysis2.trials.length === 0 ? "" : logList(linesOf2(analysis2))}
<div class="actions">${again(analysis2.request, "Try again")}${otherLink}</div>
</section>`;
}
function doneView(analysis2, config, options) {
  return html14`<div class="title"><h1 tabindex="-1">${resultTitle(config)}</h1>
<div class="actions">${otherLink}<button type="button" class="secondary" data-copy-address hidden>Copy link</button></div></div>
${result(config, options)}
<div class="actions">${again(analysis2.request, "Run it again")}${otherLink}</div>`;
}
function expiredView() {
  return html14`<section class="card">
<h1 tabindex="-1">This analysis is not kept any more</h1>
<p>Results stay for a while after they are made, and none outlives the server that made it. Ask again: the same question gives the same answer on the same machine.</p>
<div class="actions">${otherLink}</div>
</section>`;
}
var otherLink = html14`<a class="button secondary" href="/">Analyse another</a>`;
function again(request2, words3) {
  return html14`<form method="post" action="${ANALYSES_PATH}"><input type="hidden" name="${AGAIN_FIELD}" value="${JSON.stringify(request2)}"><button class="secondary">${words3}</button></form>`;
}

// engine/server/dashboard/page.ts
import { html as html15 } from "hono/html";
function page(assets, { title, section, refreshSeconds }, main) {
  return html15`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark">
<meta name="theme-color" content="#0a0a0a">
<title>${title} · MemoryMark</title>
<link rel="icon" type="image/svg+xml" href="${assets.icon.url}">
<link rel="stylesheet" href="${assets.styles.url}">
<script type="module" src="${assets.script.url}"></script>
${refreshSeconds === void 0 ? "" : html15`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="site">
<a class="brand" href="/"><span class="mark" aria-hidden="true"></span>MemoryMark</a>
<nav aria-label="Pages">
${navigationLink("/", "Analyse", section === "analyse")}
${navigationLink("/repositories", "Repositories", section === "repositories")}
</nav>
</header>
<main id="main" tabindex="-1">${main}</main>
<footer class="site">MemoryMark ${version}. For programs: <a href="/openapi.json">OpenAPI</a>.</footer>
</body>
</html>`;
}
function navigationLink(href, name3, isCurrent) {
  return html15`<a href="${href}"${isCurrent ? html15` aria-current="page"` : ""}>${name3}</a>`;
}

// engine/server/dashboard/result/to-paste.ts
import { stringify } from "yaml";
var known2 = /* @__PURE__ */ new WeakMap();
function toPaste(config, pasted2) {
  const answer4 = known2.get(config) ?? findOut(config, pasted2);
  known2.set(config, answer4);
  return answer4;
}
async function findOut(config, pasted2) {
  const { recommended } = config;
  if (recommended === void 0) return { kind: "nothing-fits" };
  if (!isWorthFollowing(config)) return { kind: "nothing-to-change" };
  if (pasted2 === void 0) return { kind: "snippets", snippets: newConfig(config.spec, recommended) };
  const proposal = await proposeChange(pasted2, config);
  switch (proposal.kind) {
    case "nothing-to-change":
      return proposal;
    case "change":
      return { kind: "snippets", snippets: [{ title: "Your config with the new sizes", text: proposal.after }] };
    case "by-hand":
      return { kind: "by-hand", why: byHand(proposal.why), plan: recommended };
  }
}
function byHand(why) {
  switch (why.kind) {
    case "not-in-file":
      return `The config leaves the ${why.setting} to its tool's default, so there is no line to replace.`;
    case "not-plain":
      return `Line ${why.at.line} does not hold the number in plain digits, so it is left for you to change.`;
    case "tied-to-other-settings":
      return "It could not be confirmed that these numbers alone can be replaced, so they are left for you to change.";
  }
}
function newConfig(spec2, plan) {
  const trainer = {
    per_device_train_batch_size: plan.microBatch,
    gradient_accumulation_steps: plan.gradientAccumulation
  };
  return [
    ...spec2.framework === "pytorch" ? [{ title: "For Hugging Face's Trainer", text: stringify(trainer) }] : [],
    { title: "As a config that memorymark check reads", text: stringify({ memorymark: ownKeys8(spec2, plan) }) }
  ];
}
function ownKeys8(spec2, plan) {
  const keys2 = {
    model: spec2.model,
    task: spec2.task,
    batch_size: plan.microBatch,
    gradient_accumulation: plan.gradientAccumulation,
    gpus: spec2.gpus,
    sharding: spec2.sharding,
    sequence_length: spec2.sequenceLength,
    image_size: spec2.imageSize,
    labels: spec2.labels,
    precision: spec2.precision,
    optimizer: spec2.optimizer,
    attention: spec2.attention,
    gradient_checkpointing: spec2.gradientCheckpointing,
    step: spec2.step,
    loop: spec2.loop,
    padded_batches: spec2.paddedBatches,
    lora_rank: spec2.lora?.rank,
    lora_targets: spec2.lora?.targets,
    lora_dropout: spec2.lora?.dropout,
    quantization: spec2.quantization,
    fused_loss: spec2.fusedLoss
  };
  return Object.fromEntries(Object.entries(keys2).filter(([, value]) => value !== void 0));
}

// engine/server/dashboard/analysis.ts
var REFRESH_SECONDS = 3;
function addAnalysisPage(app, site) {
  const { analyses } = site.context;
  const one = `${ANALYSES_PATH}/:id`;
  app.get(one, async (c) => {
    c.header("Cache-Control", "no-store");
    const analysis2 = analyses.find(c.req.param("id"));
    return analysis2 === void 0 ? expired(c, site) : show(c, analysis2, site);
  });
  app.get(`${one}/events`, (c) => {
    const after = z73.coerce.number().int().min(0).catch(0).parse(c.req.header("last-event-id"));
    const events2 = analyses.events(c.req.param("id"), after, c.req.raw.signal);
    if (events2 === void 0) return c.notFound();
    if (events2 === "all-seen") return c.body(null, 204);
    const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no" };
    return c.body(eventStream(events2, KEEP_ALIVE_MILLIS, asLine), 200, headers);
  });
  app.post(`${one}/cancel`, (c) => {
    const analysis2 = analyses.cancel(c.req.param("id"));
    return analysis2 === void 0 ? expired(c, site) : c.redirect(analysisPath(analysis2.id), 303);
  });
}
function asLine(event2) {
  return serverSentEvent(event2, isFinal(event2) ? "end" : "line", eventLine(event2));
}
function expired(c, { assets }) {
  c.header("Cache-Control", "no-store");
  return c.html(page(assets, { title: "Not kept any more", section: "analyse" }, expiredView()), 404);
}
async function show(c, analysis2, { assets }) {
  const subject = subjectText(analysis2.request);
  switch (analysis2.state) {
    case "queued":
    case "running": {
      const options = { title: `Analysing ${subject}`, section: "analyse", refreshSeconds: REFRESH_SECONDS };
      return c.html(page(assets, options, runningView(analysis2)));
    }
    case "failed":
    case "cancelled": {
      const title = analysis2.state === "failed" ? `No result: ${subject}` : `Cancelled: ${subject}`;
      return c.html(page(assets, { title, section: "analyse" }, endedView(analysis2)));
    }
    case "done": {
      const config = analysedConfig2(analysis2);
      const options = {
        terms: termsOf(config, c.req.query()),
        toPaste: await toPaste(config, pastedFile(analysis2, config))
      };
      const title = `Result: ${resultTitle(config)}`;
      return c.html(page(assets, { title, section: "analyse" }, doneView(analysis2, config, options)));
    }
  }
}
function analysedConfig2({ report: report2 }) {
  const [config] = report2.configs;
  if (config?.status !== "analysed") throw new Error("a done analysis without an analysed config");
  return config;
}
function pastedFile({ request: request2 }, { path: path7 }) {
  if (request2.config === void 0 || Object.keys(request2.spec).length > 0) return void 0;
  return { path: path7, text: request2.config.text };
}

// engine/server/dashboard/ask.ts
import { html as html17 } from "hono/html";

// engine/server/dashboard/machine-card.ts
import { html as html16 } from "hono/html";
function machineCard(machine2, engine) {
  return html16`<section class="card machine" aria-labelledby="machine-title"${machine2 === void 0 ? html16` data-load="${MACHINE_PATH}"` : ""}>
<h2 id="machine-title">This machine</h2>
${machine2 === void 0 ? html16`<p class="sub">Finding out what it has. Reload to see it.</p>` : facts2(machine2, engine)}
</section>`;
}
var MACHINE_PATH = "/machine";
function facts2(machine2, served) {
  const engine = served === "auto" ? engineOn(machine2) : served;
  const rows2 = [...served === "estimate" ? [] : hardware(machine2), ["Answers", chip(provenanceOf(engine))]];
  return html16`<dl class="facts">${rows2.map(([name3, value]) => html16`<div><dt>${name3}</dt><dd>${value}</dd></div>`)}</dl>
<p class="sub">${meaning(engine)}</p>`;
}
function hardware(machine2) {
  switch (machine2.kind) {
    case "python":
      return [
        ["GPU", deviceText(machine2.device)],
        ["Software", plainText(softwareOf(machine2), 200)]
      ];
    case "no-python":
      return [
        ["GPU", "none that PyTorch could use"],
        ["PyTorch", "not found"]
      ];
  }
}
function deviceText(device2) {
  switch (device2.kind) {
    case "cuda": {
      const one = `${plainText(device2.name, 60)}, ${formatGib(device2.totalBytes)}`;
      return device2.count > 1 ? `${formatCount(device2.count)} × ${one} each` : one;
    }
    case "mps":
      return `${plainText(device2.name, 60)}, ${formatGib(device2.totalBytes)}`;
    case "cpu":
    case "none":
      return "none";
  }
}
function provenanceOf(engine) {
  switch (engine) {
    case "torch":
    case "tfjs":
      return "measured";
    case "trace":
      return "traced";
    case "estimate":
      return "estimated";
  }
}
function meaning(engine) {
  switch (engine) {
    case "torch":
      return "Memory and speed of its own GPU are measured; of another GPU they are modelled.";
    case "tfjs":
      return "Memory is measured by TensorFlow.js; speed is modelled.";
    case "trace":
      return "Memory comes from PyTorch's own graph, without a GPU; speed is modelled.";
    case "estimate":
      return "Memory and speed are modelled, from the sizes of the model alone.";
  }
}

// engine/server/dashboard/ask.ts
var untouched = { values: {}, problems: [] };
function addAskPage(app, { assets, context }) {
  const machine2 = new MachineWatch(context.machine);
  const view = (form, notice = "") => page(assets, { title: "Analyse", section: "analyse" }, askView(form, { context, machine: machine2.known, notice }));
  app.get("/", (c) => {
    machine2.findOut();
    return c.html(view(untouched), 200, { "Cache-Control": "no-store" });
  });
  app.get(MACHINE_PATH, async (c) => c.html(machineCard(await context.machine(), context.engine)));
  app.post(ANALYSES_PATH, async (c) => {
    const body2 = await c.req.parseBody();
    const values = formValues(body2);
    const reading = readQuestion(body2[AGAIN_FIELD]) ?? readForm(values);
    if (reading.kind === "refused") {
      const { problems: problems2 } = reading;
      return c.html(view({ values, problems: problems2 }, problemNotice("The form needs a correction", problems2)), 400);
    }
    const submission = context.analyses.submit(reading.request);
    switch (submission.kind) {
      case "accepted":
        return c.redirect(analysisPath(submission.analysis.id), 303);
      case "refused":
        return c.html(
          view({ values, problems: [] }, problemNotice("The server refuses this", [submission.problem])),
          400
        );
      case "queue-full": {
        const seconds = submission.retryAfterSeconds;
        const notice = problemNotice("The server is busy", [queueFull(seconds)]);
        return c.html(view({ values, problems: [] }, notice), 429, { "Retry-After": String(seconds) });
      }
    }
  });
}
function readQuestion(text3) {
  const request2 = typeof text3 === "string" ? readAgain(text3) : void 0;
  return request2 && { kind: "request", request: request2 };
}
function queueFull(retryAfterSeconds) {
  return {
    code: "queue-full",
    message: "Every place in the queue is taken: one sweep runs at a time",
    fix: `Ask again in ${retryAfterSeconds} s.`
  };
}
var MachineWatch = class {
  #ask;
  known;
  constructor(ask2) {
    this.#ask = ask2;
  }
  findOut() {
    if (this.known !== void 0) return;
    const note = (machine2) => {
      this.known = machine2;
    };
    this.#ask().then(note, () => void 0);
  }
};
function askView(form, { context, machine: machine2, notice }) {
  return html17`${notice}
<div class="hero"><h1 tabindex="-1">What batch size can your GPU really take?</h1>
<p>Choose a model or paste a training config. You get the batch to use, how much of the GPU the present one leaves idle, and what that costs.</p></div>
<div class="ask-columns">${analyseForm(form, { ownGpu: ownGpu(machine2, context), engine: context.engine })}<div>${machineCard(machine2, context.engine)}${legend}</div></div>`;
}
var legend = html17`<section class="card" aria-labelledby="legend-title"><h2 id="legend-title">How a figure is known</h2>
<dl class="legend">
<div><dt>${chip("measured")}</dt><dd>a GPU ran the step</dd></div>
<div><dt>${chip("traced")}</dt><dd>PyTorch laid the step out, without a GPU</dd></div>
<div><dt>${chip("estimated")}</dt><dd>our model of memory, with its error</dd></div>
<div><dt>${chip("modelled")}</dt><dd>our model of speed, and what follows from it</dd></div>
</dl></section>`;
function ownGpu(machine2, { gpu: gpu2, engine }) {
  if (engine === "estimate" || engine === "trace") return gpu2.name;
  if (machine2 === void 0) return `this machine's, or else ${gpu2.name}`;
  if (machine2.kind === "python" && "totalBytes" in machine2.device) {
    return `this machine's ${plainText(machine2.device.name, 60)}, ${formatGib(machine2.device.totalBytes)}`;
  }
  return `${gpu2.name} (this machine has none)`;
}

// engine/server/dashboard/repositories/routes.ts
import * as z74 from "zod";

// engine/server/dashboard/repositories/history.ts
import { html as html19 } from "hono/html";

// engine/server/dashboard/repositories/data-table.ts
import { html as html18 } from "hono/html";
function dataTable(caption, headings, rows2) {
  return html18`<div class="scroll wide" role="region" aria-label="${caption}" tabindex="0"><table>
<thead><tr>${headings.map((heading) => html18`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows2.map(([first = "", ...cells]) => html18`<tr><th scope="row">${first}</th>${cells.map((cell) => html18`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;
}
function nextLink(href) {
  return href === void 0 ? "" : html18`<p class="next"><a class="button secondary" href="${href}">Next page</a></p>`;
}
function moment(at) {
  return html18`<time datetime="${at}">${at.slice(0, 10)} <span class="dim">${at.slice(11, 16)} UTC</span></time>`;
}

// engine/server/dashboard/repositories/paths.ts
var REPOSITORIES_PATH = "/repositories";
function repositoryPath({ owner, repo }) {
  return `${REPOSITORIES_PATH}/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`;
}
function historyPath(name3, path7) {
  return `${repositoryPath(name3)}/history?path=${encodeURIComponent(path7)}`;
}

// engine/server/dashboard/repositories/history.ts
function historyView(name3, path7, { items, next }) {
  return html19`<p class="crumbs"><a href="${REPOSITORIES_PATH}">Repositories</a> / <a href="${repositoryPath(name3)}">${name3.owner}/${name3.repo}</a></p>
<h1 tabindex="-1" class="path">${plainPath(path7)}</h1>
${items.length === 0 ? html19`<section class="card"><p>Nothing is known of a training config at this path.</p></section>` : html19`${trend(items)}${commits(items)}${nextLink(next && `${historyPath(name3, path7)}&cursor=${encodeURIComponent(next)}`)}`}`;
}
function trend(newestFirst) {
  const records = newestFirst.toReversed();
  const known3 = new Set(records.map(({ provenance: provenance2 }) => provenance2));
  return chart({
    id: "trend",
    title: html19`Idle memory over time`,
    note: `A point a commit, ${[...known3].join(" or ")}.`,
    xName: "When",
    yName: "Idle memory, percent",
    yUnit: "%",
    xKind: "time",
    rows: records.map(({ at, gpu: gpu2, current, provenance: provenance2 }) => ({
      x: Date.parse(at) / 1e3,
      xText: at.slice(0, 10),
      y: idlePercent(gpu2, current),
      yText: `${Math.round(idlePercent(gpu2, current))} %, ${provenance2}`,
      remark: current.fits ? "fits" : "does not fit",
      isBad: !current.fits,
      isMeasured: provenance2 === "measured"
    }))
  });
}
function commits(records) {
  return html19`<section class="card" aria-labelledby="commits-title"><h2 id="commits-title">At each commit</h2>
${dataTable(
    "The config at each commit",
    ["Commit", "When", "GPU", "Micro-batch", "Idle", "Known how", "Could save a year (modelled)", "Verdict"],
    records.map((record4) => [
      html19`<code>${record4.commit.slice(0, 7)}</code>`,
      moment(record4.at),
      plainText(record4.gpu.name, 40),
      formatCount(record4.current.microBatch),
      record4.current.fits ? formatGib(idleBytes(record4.gpu, record4.current)) : "does not fit",
      memoryChip(record4),
      formatYearlyUsd(record4.savingsPerYearUsd),
      verdictText(record4.verdict)
    ])
  )}</section>`;
}

// engine/server/dashboard/repositories/list.ts
import { html as html20 } from "hono/html";
function listView({ items, next }) {
  if (items.length === 0) return nothingYet();
  return html20`<h1 tabindex="-1">Repositories</h1>
<section class="card" aria-label="Repositories">
${dataTable(
    "Repositories and what their configs could save",
    ["Repository", "Configs", "Blocked", "Could save a year (modelled)", "As of"],
    items.map(({ owner, repo, configs: configs2, blocked, savingsPerYearUsd, updatedAt }) => [
      html20`<a href="${repositoryPath({ owner, repo })}">${owner}/${repo}</a>`,
      formatCount(configs2),
      blocked === 0 ? "none" : html20`<span class="bad">${formatCount(blocked)} blocked</span>`,
      formatYearlyUsd(savingsPerYearUsd),
      moment(updatedAt)
    ])
  )}
${nextLink(next && `${REPOSITORIES_PATH}?cursor=${encodeURIComponent(next)}`)}
</section>`;
}
function emptyView() {
  return html20`<section class="card empty"><h1 tabindex="-1">No repositories here</h1>
<p>This server answers questions; it does not watch repositories. The bot does: install it as a GitHub App, and its server shows here which configs waste most, how each developed, what was saved, and which pull requests were blocked or accepted.</p>
<ol>
<li>Create a GitHub App with the permissions and events of <code>bot/app.yml</code>.</li>
<li>Install it on the repositories that hold your training configs.</li>
<li>Start its server with <code>memorymark-bot</code>, and open this page there.</li>
</ol>
<p><a class="button secondary" href="/">Analyse a config now</a></p></section>`;
}
function nothingYet() {
  return html20`<section class="card empty"><h1 tabindex="-1">Nothing known yet</h1>
<p>The bot is running, but no repository has been looked at. Install the GitHub App on one; its default branch is read first, and every pull request that changes a training config after that.</p></section>`;
}
function unknownView() {
  return html20`<section class="card empty"><h1 tabindex="-1">This repository is not known</h1>
<p>The bot has not looked at it, or is not installed there.</p><p><a class="button secondary" href="${REPOSITORIES_PATH}">All repositories</a></p></section>`;
}

// engine/server/dashboard/repositories/repository.ts
import { html as html21 } from "hono/html";
function repositoryView(name3, order, records) {
  return html21`<p class="crumbs"><a href="${REPOSITORIES_PATH}">Repositories</a></p>
<h1 tabindex="-1">${name3.owner}/${name3.repo}</h1>
${totals2(records.ledger.totals)}
${configsCard(name3, order, records.configs)}
${ledgerCard(name3, records.ledger)}
${decisionsCard(name3, records.decisions)}`;
}
function totals2({ savedPerYearUsd, forgonePerYearUsd }) {
  return html21`<dl class="gains">
<div class="card gain"><dt>Saved a year ${chip("modelled")}</dt><dd><strong>${formatYearlyUsd(savedPerYearUsd)}</strong><span>by merged pull requests</span></dd></div>
<div class="card gain"><dt>Forgone a year ${chip("modelled")}</dt><dd><strong class="plain">${formatYearlyUsd(forgonePerYearUsd)}</strong><span>by waste that was accepted</span></dd></div>
</dl>`;
}
function configsCard(name3, order, { items, next }) {
  const by = (other, words3) => other === order ? html21`<strong>${words3}</strong>` : html21`<a href="${repositoryPath(name3)}?order=${other}">${words3}</a>`;
  return html21`<section class="card" aria-labelledby="configs-title"><h2 id="configs-title">Configs</h2>
<p class="sub">Worst first, by ${by("waste", "waste")} or ${by("cost", "cost")}.</p>
${items.length === 0 ? html21`<p>The default branch holds no training config.</p>` : dataTable(
    "Configs of the default branch",
    ["Config", "Idle", "Known how", "Micro-batch", "Speedup", "Could save a year", "Verdict"],
    items.map((record4) => configRow2(name3, record4))
  )}
${nextLink(next && `${repositoryPath(name3)}?order=${order}&configs=${encodeURIComponent(next)}`)}
</section>`;
}
function configRow2(name3, record4) {
  const { path: path7, model, gpu: gpu2, current, recommended, speedup, savingsPerYearUsd, verdict: verdict3 } = record4;
  const change2 = recommended && recommended.microBatch !== current.microBatch ? ` → ${formatCount(recommended.microBatch)}` : "";
  return [
    html21`<a href="${historyPath(name3, path7)}">${plainPath(path7, 60)}</a><br><span class="dim">${plainText(model, 60)}, ${plainText(gpu2.name, 40)}</span>`,
    current.fits ? `${Math.round(idlePercent(gpu2, current))} % (${formatGib(idleBytes(gpu2, current))})` : "does not fit",
    memoryChip(record4),
    `${formatCount(current.microBatch)}${change2}`,
    current.fits ? html21`${formatRatio(speedup)} ${chip(record4.throughputProvenance)}` : "–",
    formatYearlyUsd(savingsPerYearUsd),
    html21`<span class="${verdict3.state === "blocked" ? "bad" : ""}">${verdict3.state}</span><br><span class="dim">${verdictText(verdict3)}</span>`
  ];
}
function ledgerCard(name3, { items, next }) {
  return html21`<section class="card" aria-labelledby="ledger-title"><h2 id="ledger-title">Savings ledger</h2>
${items.length === 0 ? html21`<p>No merged pull request has changed what a config wastes.</p>` : dataTable(
    "Savings ledger",
    ["Pull request", "Config", "What happened", "A year", "Known how", "When"],
    items.map((entry) => ledgerRow(name3, entry))
  )}
${nextLink(next && `${repositoryPath(name3)}?ledger=${encodeURIComponent(next)}`)}
</section>`;
}
function ledgerRow(name3, entry) {
  const [what, usd3] = whatHappened(entry);
  return [
    `#${entry.pullRequest}`,
    html21`<a href="${historyPath(name3, entry.path)}">${plainPath(entry.path, 60)}</a>`,
    what,
    usd3,
    chip(entry.provenance),
    moment(entry.at)
  ];
}
function whatHappened(entry) {
  switch (entry.kind) {
    case "saved":
      return [
        `saved: micro-batch ${formatCount(entry.fromBatch)} → ${formatCount(entry.toBatch)}`,
        `${formatYearlyUsd(entry.savedPerYearUsd)} saved`
      ];
    case "accepted":
      return [`accepted: ${plainText(entry.reason, 200)}`, `${formatYearlyUsd(entry.forgonePerYearUsd)} forgone`];
  }
}
function decisionsCard(name3, { items, next }) {
  return html21`<section class="card" aria-labelledby="decisions-title"><h2 id="decisions-title">Pull requests blocked and accepted</h2>
${items.length === 0 ? html21`<p>No pull request has been blocked.</p>` : dataTable(
    "Pull requests blocked and accepted",
    ["Pull request", "Decision", "Why", "When"],
    items.map(decisionRow2)
  )}
${nextLink(next && `${repositoryPath(name3)}?decisions=${encodeURIComponent(next)}`)}
</section>`;
}
function decisionRow2(decision2) {
  const configs2 = decision2.configs.map(
    ({ path: path7, verdict: verdict3 }) => html21`<li>${plainPath(path7, 60)}: ${verdictText(verdict3)}</li>`
  );
  return [
    html21`#${decision2.pullRequest} ${plainText(decision2.title, 120)}<br><span class="dim">by ${plainText(decision2.author, 60)}</span>`,
    decision2.kind === "blocked" ? html21`<span class="bad">blocked</span>` : html21`accepted by ${plainText(decision2.acceptedBy, 60)}`,
    html21`${decision2.kind === "accepted" ? html21`<p>${plainText(decision2.reason, 300)}</p>` : ""}<ul>${configs2}</ul>`,
    moment(decision2.at)
  ];
}

// engine/server/dashboard/repositories/routes.ts
var cursor = pageRequest.shape.cursor.catch(void 0);
var listQuery = z74.object({ cursor });
var repositoryQuery = z74.object({
  order: z74.enum(configOrders).catch("waste"),
  configs: cursor,
  ledger: cursor,
  decisions: cursor
});
var historyQuery = z74.object({ path: z74.string().max(4096).catch(""), cursor });
var PAGE_SIZE = 25;
function addRepositoryPages(app, { assets, context: { repositories: repositories2 } }) {
  const answer4 = (c, title, view, status = 200) => {
    c.header("Cache-Control", "no-store");
    return c.html(page(assets, { title, section: "repositories" }, view), status);
  };
  const unknown5 = (c) => answer4(c, "Unknown repository", unknownView(), 404);
  app.get(REPOSITORIES_PATH, async (c) => {
    if (repositories2 === void 0) return answer4(c, "Repositories", emptyView());
    const asked2 = listQuery.parse(c.req.query());
    return answer4(c, "Repositories", listView(await repositories2.list(request(asked2.cursor))));
  });
  app.get(`${REPOSITORIES_PATH}/:owner/:repo`, async (c) => {
    const name3 = repositoryName.safeParse(c.req.param());
    if (repositories2 === void 0 || !name3.success) return unknown5(c);
    const query = repositoryQuery.parse(c.req.query());
    const records = await recordsOf(repositories2, name3.data, query);
    if (records === void 0) return unknown5(c);
    return answer4(c, `${name3.data.owner}/${name3.data.repo}`, repositoryView(name3.data, query.order, records));
  });
  app.get(`${REPOSITORIES_PATH}/:owner/:repo/history`, async (c) => {
    const name3 = repositoryName.safeParse(c.req.param());
    if (repositories2 === void 0 || !name3.success) return unknown5(c);
    const { path: path7, cursor: cursor2 } = historyQuery.parse(c.req.query());
    const records = await repositories2.history(name3.data, path7, request(cursor2, MAX_PAGE_SIZE));
    return records === void 0 ? unknown5(c) : answer4(c, `${name3.data.repo}: a config over time`, historyView(name3.data, path7, records));
  });
}
async function recordsOf(repositories2, name3, query) {
  const [configs2, ledger2, decisions3] = await Promise.all([
    repositories2.configs(name3, query.order, request(query.configs)),
    repositories2.ledger(name3, request(query.ledger)),
    repositories2.decisions(name3, request(query.decisions))
  ]);
  if (configs2 === void 0 || ledger2 === void 0 || decisions3 === void 0) return void 0;
  return { configs: configs2, ledger: ledger2, decisions: decisions3 };
}
function request(cursor2, limit = PAGE_SIZE) {
  return { limit, ...cursor2 !== void 0 && { cursor: cursor2 } };
}

// engine/server/dashboard/routes.ts
var own = ["'self'"];
var contentSecurityPolicy = {
  defaultSrc: ["'none'"],
  scriptSrc: own,
  styleSrc: own,
  imgSrc: own,
  connectSrc: own,
  formAction: own,
  baseUri: ["'none'"],
  frameAncestors: ["'none'"]
};
function dashboard(assets) {
  return (context) => {
    const app = new Hono();
    app.use(
      compress(),
      // A form's `Origin` is `null` where not even this server may know the referrer; the server refuses that.
      secureHeaders({ contentSecurityPolicy, referrerPolicy: "same-origin", strictTransportSecurity: false })
    );
    addAssets(app, assets);
    addAskPage(app, { assets, context });
    addAnalysisPage(app, { assets, context });
    addRepositoryPages(app, { assets, context });
    return app;
  };
}
function addAssets(app, assets) {
  for (const { url: url2, contentType, contents: contents2 } of [assets.script, assets.styles, assets.icon]) {
    app.get(
      url2,
      (c) => c.body(contents2, 200, { "Content-Type": contentType, "Cache-Control": "public, max-age=31536000, immutable" })
    );
  }
}

// engine/server/mount.ts
import { getRequestListener } from "@hono/node-server";
import { TrieRouter } from "hono/router/trie-router";

// engine/server/machine.ts
var KnownMachine = class _KnownMachine {
  #asking = new AbortController();
  #description;
  #known;
  constructor(describe2, known3) {
    this.#known = known3;
    this.#description = describe2(this.#asking.signal).then((machine2) => {
      this.#known = machine2;
      return machine2;
    });
  }
  /** `python`: the interpreter's command. */
  static ask(python) {
    return new _KnownMachine((signal) => describeMachine(python, signal));
  }
  static of(machine2) {
    return new _KnownMachine(async () => machine2, machine2);
  }
  /** Undefined while it is being found out. */
  get ifKnown() {
    return this.#known;
  }
  get description() {
    return this.#description;
  }
  /** Ends Python where it has not yet answered. */
  async [Symbol.asyncDispose]() {
    this.#asking.abort();
    await this.#description;
  }
};

// engine/server/analysis-queue.ts
import { once as once2 } from "node:events";

// engine/server/analysis-thread.ts
import { existsSync as existsSync5 } from "node:fs";
import { fileURLToPath as fileURLToPath6 } from "node:url";
import { Worker as Worker2 } from "node:worker_threads";
var GRACE_MILLIS = 5e3;
var HEAP_MIB = 512;
function threadPath() {
  const places = ["./analysis-thread.js", "./thread.ts"].map((path7) => fileURLToPath6(new URL(path7, import.meta.url)));
  const found = places.find((place2) => existsSync5(place2));
  if (found === void 0) throw new Error(`the analysis thread is missing from the installation: ${places.join(", ")}`);
  return found;
}
var AnalysisThread = class {
  #settings;
  #log;
  #path = threadPath();
  #worker;
  /** Starts nothing yet. `log` receives the stacks of our own bugs. */
  constructor(settings, log) {
    this.#settings = settings;
    this.#log = log;
  }
  /** Never rejects. */
  async run(request2, { machine: machine2, timeoutMillis, signal, tell: tell2 }) {
    var _stack = [];
    try {
      const worker = this.#started();
      const ended2 = Promise.withResolvers();
      const hear = (message2) => {
        if (message2.kind === "crashed") ended2.resolve(this.#crashed(message2.stack));
        else if (isFinal(message2)) ended2.resolve(message2);
        else tell2(message2);
      };
      const died2 = (error) => ended2.resolve(this.#crashed(error.stack ?? error.message));
      worker.on("message", hear).once("error", died2);
      const stopping = __using(_stack, new Stopping(worker, ended2.resolve, () => this.#forget(worker)));
      const timeout = setTimeout(() => stopping.stop(timedOut(timeoutMillis)), timeoutMillis);
      const cancel2 = () => stopping.stop({ kind: "cancelled" });
      signal.addEventListener("abort", cancel2, { once: true });
      try {
        give(worker, { kind: "run", request: request2, machine: machine2 });
        if (signal.aborted) cancel2();
        return stopping.instead(await ended2.promise);
      } finally {
        clearTimeout(timeout);
        signal.removeEventListener("abort", cancel2);
        worker.off("message", hear).off("error", died2);
      }
    } catch (_) {
      var _error = _, _hasError = true;
    } finally {
      __callDispose(_stack, _error, _hasError);
    }
  }
  /** To be called when nothing runs. */
  async [Symbol.asyncDispose]() {
    await this.#worker?.terminate();
    this.#worker = void 0;
  }
  #started() {
    const started = this.#worker ?? new Worker2(this.#path, { workerData: this.#settings, resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } });
    if (this.#worker === void 0) {
      started.on("error", () => this.#forget(started)).once("exit", () => this.#forget(started));
    }
    this.#worker = started;
    return started;
  }
  #forget(worker) {
    if (this.#worker === worker) this.#worker = void 0;
  }
  #crashed(stack) {
    this.#log(stack);
    return { kind: "failed", problems: [crash] };
  }
};
var Stopping = class {
  #worker;
  #end;
  #forget;
  #ending;
  #grace;
  constructor(worker, end, forget) {
    this.#worker = worker;
    this.#end = end;
    this.#forget = forget;
  }
  stop(ending) {
    if (this.#ending !== void 0) return;
    this.#ending = ending;
    give(this.#worker, { kind: "cancel" });
    this.#grace = setTimeout(() => {
      this.#forget();
      void this.#worker.terminate().then(() => this.#end(ending));
    }, GRACE_MILLIS);
  }
  /** What is told of a run that was stopped is why; one that had ended just before keeps its own ending. */
  instead(ending) {
    return ending.kind === "cancelled" ? this.#ending ?? ending : ending;
  }
  [Symbol.dispose]() {
    clearTimeout(this.#grace);
  }
};
function give(worker, order) {
  worker.postMessage(order);
}
function timedOut(afterMillis) {
  const problem3 = {
    code: "analysis-timed-out",
    message: `the analysis did not end within ${Math.round(afterMillis / 1e3)} s`,
    fix: "Analyse a smaller model, or use the engine estimate."
  };
  return { kind: "failed", problems: [problem3] };
}
var crash = {
  code: "analysis-crashed",
  message: "the analysis ended by a fault of MemoryMark or for want of memory",
  fix: "Look into the server's log."
};

// engine/server/lane.ts
var Lane = class {
  #size;
  #run;
  #moved;
  #waiting = [];
  #running = 0;
  /** `run` never rejects. `moved` is told every new position of a waiting item; 1 is the next to run. */
  constructor(size2, run2, moved) {
    this.#size = size2;
    this.#run = run2;
    this.#moved = moved;
  }
  get isFull() {
    return this.#running >= this.#size.running && this.#waiting.length >= this.#size.waiting;
  }
  /** False when every place is taken. */
  offer(item) {
    if (this.isFull) return false;
    this.#waiting.push(item);
    this.#moved(item, this.#waiting.length);
    this.#fill();
    return true;
  }
  /** Takes an item out of the queue; false when it does not wait there. */
  withdraw(item) {
    const index = this.#waiting.indexOf(item);
    if (index < 0) return false;
    this.#waiting.splice(index, 1);
    this.#tellFrom(index);
    return true;
  }
  #fill() {
    while (this.#running < this.#size.running) {
      const item = this.#waiting.shift();
      if (item === void 0) return;
      this.#running++;
      void this.#run(item).then(() => {
        this.#running--;
        this.#fill();
      });
      this.#tellFrom(0);
    }
  }
  #tellFrom(index) {
    for (const [offset2, item] of this.#waiting.slice(index).entries()) this.#moved(item, index + offset2 + 1);
  }
};

// engine/server/live-analysis.ts
import { randomUUID } from "node:crypto";

// engine/server/event-log.ts
var EventLog = class {
  #now;
  #events = [];
  #bells = /* @__PURE__ */ new Set();
  constructor(now) {
    this.#now = now;
  }
  /** Nothing may follow an ending. */
  append(happening) {
    if (this.hasEnded) throw new Error(`"${happening.kind}" after the end of an analysis`);
    this.#events.push({ ...happening, sequence: this.#events.length + 1, at: this.#now().toISOString() });
    for (const bell of this.#bells) bell.ring();
  }
  get hasEnded() {
    const last = this.#events.at(-1);
    return last !== void 0 && isFinal(last);
  }
  /** Of the last event; 0 before the first. */
  get lastSequence() {
    return this.#events.length;
  }
  /** The events after number `sequence`, each as it happens. Ends after the ending, or when `signal` is aborted. */
  async *after(sequence, signal) {
    const bell = new Bell();
    this.#bells.add(bell);
    signal.addEventListener("abort", bell.ring, { once: true });
    try {
      let index = sequence;
      while (!signal.aborted) {
        const event2 = this.#events[index];
        if (event2 !== void 0) {
          index++;
          yield event2;
        } else if (this.hasEnded) {
          return;
        } else {
          await bell.rung();
        }
      }
    } finally {
      this.#bells.delete(bell);
      signal.removeEventListener("abort", bell.ring);
    }
  }
};
var Bell = class {
  #heard;
  /** Resolves at the next ring. */
  rung() {
    return new Promise((resolve) => {
      this.#heard = resolve;
    });
  }
  ring = () => {
    this.#heard?.();
  };
};

// engine/server/live-analysis.ts
var LiveAnalysis = class {
  /** 122 random bits: whoever has it was given it. */
  id = randomUUID();
  request;
  log;
  #now;
  #createdAt;
  #cancellation = new AbortController();
  #trials = [];
  #startedAt;
  #probing;
  #state = { kind: "queued", position: 1 };
  constructor(request2, now) {
    this.request = request2;
    this.log = new EventLog(now);
    this.#now = now;
    this.#createdAt = now().toISOString();
  }
  /** Ends the run, where one goes on. */
  get cancellation() {
    return this.#cancellation;
  }
  get hasEnded() {
    return this.#state.kind === "ended";
  }
  happened(happening) {
    this.log.append(happening);
    switch (happening.kind) {
      case "queued":
        this.#state = happening;
        return;
      case "started":
        this.#state = { kind: "running" };
        this.#startedAt = this.#now().toISOString();
        return;
      case "probing":
        this.#probing = happening.probing;
        return;
      case "trial":
        this.#trials.push(happening.trial);
        return;
      case "log":
        return;
      case "done":
      case "failed":
      case "cancelled":
        this.#state = { kind: "ended", ending: happening, finishedAt: this.#now().toISOString() };
        return;
    }
  }
  snapshot() {
    const common2 = { id: this.id, request: this.request, createdAt: this.#createdAt };
    const state = this.#state;
    if (state.kind === "queued") return { ...common2, state: "queued", position: state.position };
    const ran3 = {
      ...common2,
      ...this.#startedAt !== void 0 && { startedAt: this.#startedAt },
      ...this.#probing !== void 0 && { probing: this.#probing },
      trials: [...this.#trials]
    };
    if (state.kind === "running") return { ...ran3, state: "running" };
    const { ending, finishedAt } = state;
    switch (ending.kind) {
      case "done":
        return { ...ran3, state: "done", finishedAt, report: ending.report };
      case "failed":
        return { ...ran3, state: "failed", finishedAt, problems: ending.problems };
      case "cancelled":
        return { ...ran3, state: "cancelled", finishedAt };
    }
  }
};

// engine/server/analysis-queue.ts
var kinds2 = ["sweep", "estimate"];
var defaultLimits = {
  sweep: { lane: { running: 1, waiting: 10 }, timeoutMillis: 30 * 6e4, retryAfterSeconds: 60 },
  estimate: { lane: { running: 2, waiting: 50 }, timeoutMillis: 3e4, retryAfterSeconds: 2 }
};
var KEPT = 200;
var AnalysisQueue = class {
  #options;
  #now;
  #all = /* @__PURE__ */ new Map();
  #ended = [];
  #lanes;
  #running = /* @__PURE__ */ new Map();
  #idleThreads;
  #isClosed = false;
  constructor(options) {
    this.#options = options;
    this.#now = options.now ?? (() => /* @__PURE__ */ new Date());
    this.#lanes = { sweep: this.#lane("sweep"), estimate: this.#lane("estimate") };
    this.#idleThreads = { sweep: this.#threads("sweep"), estimate: this.#threads("estimate") };
  }
  submit(request2) {
    const refusal2 = this.#refusal(request2);
    if (refusal2 !== void 0) return refusal2;
    const kind = this.#kindOf(request2);
    const analysis2 = new LiveAnalysis(request2, this.#now);
    if (this.#isClosed || !this.#lanes[kind].offer(analysis2)) {
      return { kind: "queue-full", retryAfterSeconds: this.#limits(kind).retryAfterSeconds };
    }
    this.#all.set(analysis2.id, analysis2);
    return { kind: "accepted", analysis: analysis2.snapshot() };
  }
  find(id7) {
    return this.#all.get(id7)?.snapshot();
  }
  events(id7, after, signal) {
    const log = this.#all.get(id7)?.log;
    return log?.hasEnded && after >= log.lastSequence ? "all-seen" : log?.after(after, signal);
  }
  cancel(id7) {
    const analysis2 = this.#all.get(id7);
    if (analysis2 === void 0) return void 0;
    const wasWaiting = kinds2.some((kind) => this.#lanes[kind].withdraw(analysis2));
    if (wasWaiting) this.#end(analysis2, { kind: "cancelled" });
    else analysis2.cancellation.abort();
    return analysis2.snapshot();
  }
  /** Takes no more, cancels what waits and runs, and returns when no process and no thread is left. */
  async [Symbol.asyncDispose]() {
    this.#isClosed = true;
    for (const analysis2 of this.#all.values()) if (!analysis2.hasEnded) this.cancel(analysis2.id);
    await Promise.all(this.#running.values());
    const threads = kinds2.flatMap((kind) => this.#idleThreads[kind].splice(0));
    await Promise.all(threads.map((thread) => thread[Symbol.asyncDispose]()));
  }
  /** A server of the bot, or one that was told which engine to use, runs no other. */
  #refusal(request2) {
    const served = this.#options.settings.engine;
    if (served === "auto" || request2.engine === "auto" || request2.engine === served) return void 0;
    return {
      kind: "refused",
      problem: {
        code: "engine-not-served",
        field: "engine",
        message: `this server does not run the ${request2.engine} engine`,
        fix: `Leave out engine, or write ${served}.`
      }
    };
  }
  #kindOf(request2) {
    const engine = request2.engine === "auto" ? this.#options.settings.engine : request2.engine;
    return engine === "estimate" || engine === "auto" && this.#estimatesOnly(request2) ? "estimate" : "sweep";
  }
  /** A pasted config may be one of TensorFlow.js, which is swept; that is not known before it is read. */
  #estimatesOnly({ config, spec: spec2 }) {
    const machine2 = this.#options.machine.ifKnown;
    const isPytorch = config === void 0 && spec2.framework !== "tensorflow.js";
    return machine2 !== void 0 && isPytorch && engineOn(machine2) === "estimate";
  }
  #limits(kind) {
    return this.#options.limits?.[kind] ?? defaultLimits[kind];
  }
  /** One for each that may run. */
  #threads(kind) {
    const { settings, log } = this.#options;
    return Array.from({ length: this.#limits(kind).lane.running }, () => new AnalysisThread(settings, log));
  }
  #lane(kind) {
    return new Lane(
      this.#limits(kind).lane,
      (analysis2) => {
        const run2 = this.#run(kind, analysis2);
        this.#running.set(analysis2, run2);
        return run2.finally(() => this.#running.delete(analysis2));
      },
      (analysis2, position2) => analysis2.happened({ kind: "queued", position: position2 })
    );
  }
  async #run(kind, analysis2) {
    analysis2.happened({ kind: "started" });
    const { signal } = analysis2.cancellation;
    const machine2 = await Promise.race([this.#machineFor(kind, analysis2.request), once2(signal, "abort")]);
    if (!("kind" in machine2)) return this.#end(analysis2, { kind: "cancelled" });
    const thread = this.#idleThreads[kind].pop();
    if (thread === void 0) throw new Error(`more analyses run than there are threads for: ${kind}`);
    const ending = await thread.run(analysis2.request, {
      machine: machine2,
      timeoutMillis: this.#limits(kind).timeoutMillis,
      signal,
      tell: (progress) => analysis2.happened(progress)
    });
    this.#idleThreads[kind].push(thread);
    this.#end(analysis2, ending);
  }
  /** An estimate for a card that is named asks nothing of the machine, and does not wait for it. */
  async #machineFor(kind, { gpu: gpu2 }) {
    const { machine: machine2 } = this.#options;
    if (kind === "sweep" || gpu2 === void 0) return machine2.description;
    return machine2.ifKnown ?? { kind: "no-python", why: "it is not yet known what this machine has" };
  }
  #end(analysis2, ending) {
    analysis2.happened(ending);
    this.#ended.push(analysis2);
    const surplus = this.#ended.length - (this.#options.kept ?? KEPT);
    for (const { id: id7 } of this.#ended.splice(0, Math.max(0, surplus))) this.#all.delete(id7);
  }
};

// engine/server/app.ts
import { OpenAPIHono as OpenAPIHono2 } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { HTTPException } from "hono/http-exception";
import { methodNotAllowed } from "hono/method-not-allowed";
import { secureHeaders as secureHeaders2 } from "hono/secure-headers";

// engine/server/analysis-routes.ts
import { createRoute } from "@hono/zod-openapi";
import * as z75 from "zod";

// engine/server/json-answer.ts
function jsonAnswer(description3, schema) {
  return { description: description3, content: { "application/json": { schema } } };
}

// engine/server/analysis-routes.ts
var id3 = z75.object({ id: z75.string().max(100) });
var lookedFor = { params: id3 };
var unknown2 = jsonAnswer("No such analysis, or no longer kept", fault);
var submit = createRoute({
  method: "post",
  path: "/v1/analyses",
  summary: "Start an analysis",
  request: { body: { required: true, content: { "application/json": { schema: analysisRequest } } } },
  responses: {
    202: {
      ...jsonAnswer("Accepted", analysis),
      headers: z75.object({ location: z75.string().meta({ description: "Where the analysis is to be found" }) })
    },
    400: jsonAnswer("The request is not understood, or asks for what this server does not run", fault),
    429: {
      ...jsonAnswer("Every place in the queue is taken", fault),
      headers: z75.object({ "retry-after": z75.string().meta({ description: "Seconds" }) })
    }
  }
});
var look = createRoute({
  method: "get",
  path: "/v1/analyses/{id}",
  summary: "An analysis as it stands",
  request: lookedFor,
  responses: { 200: jsonAnswer("The analysis", analysis), 404: unknown2 }
});
var follow2 = createRoute({
  method: "get",
  path: "/v1/analyses/{id}/events",
  summary: "Its events as they happen, as server-sent events",
  description: "Each has its number as id, its kind as name, and an AnalysisEvent as data. With Last-Event-ID only those after it. Ends after done, failed or cancelled.",
  request: {
    ...lookedFor,
    headers: z75.object({ "last-event-id": z75.coerce.number().int().min(0).max(1e9).optional() })
  },
  responses: {
    200: { description: "The events", content: { "text/event-stream": { schema: analysisEvent } } },
    204: { description: "It has ended, and the client has seen all: an EventSource stops asking" },
    404: unknown2
  }
});
var cancel = createRoute({
  method: "delete",
  path: "/v1/analyses/{id}",
  summary: "Cancel it",
  description: "Takes it from the queue or ends its trial; nothing where it has ended already.",
  request: lookedFor,
  responses: { 202: jsonAnswer("The analysis; a trial that runs takes a moment to end", analysis), 404: unknown2 }
});
function addAnalysisRoutes(app, { analyses, keepAliveMillis }) {
  app.openapi(submit, (context) => {
    const submission = analyses.submit(context.req.valid("json"));
    switch (submission.kind) {
      case "accepted":
        context.header("location", `/v1/analyses/${submission.analysis.id}`);
        return context.json(submission.analysis, 202);
      case "refused":
        return context.json(faultOf(submission.problem), 400);
      case "queue-full":
        context.header("retry-after", String(submission.retryAfterSeconds));
        return context.json(faultOf(queueFull2), 429);
    }
  });
  app.openapi(look, (context) => {
    const found = analyses.find(context.req.valid("param").id);
    return found === void 0 ? context.json(faultOf(notFound), 404) : context.json(found, 200);
  });
  app.openapi(follow2, (context) => {
    const { id: id7 } = context.req.valid("param");
    const after = context.req.valid("header")["last-event-id"] ?? 0;
    const events2 = analyses.events(id7, after, context.req.raw.signal);
    if (events2 === void 0) return context.json(faultOf(notFound), 404);
    if (events2 === "all-seen") return context.body(null, 204);
    context.header("content-type", "text/event-stream; charset=utf-8");
    context.header("cache-control", "no-store");
    context.header("x-accel-buffering", "no");
    return context.body(eventStream(events2, keepAliveMillis), 200);
  });
  app.openapi(cancel, (context) => {
    const found = analyses.cancel(context.req.valid("param").id);
    return found === void 0 ? context.json(faultOf(notFound), 404) : context.json(found, 202);
  });
}
var queueFull2 = {
  code: "queue-full",
  message: "every place in the queue is taken",
  fix: "Come back after the seconds that Retry-After names."
};
var notFound = {
  code: "unknown-analysis",
  message: "there is no such analysis, or it is no longer kept",
  fix: "Submit it again with POST /v1/analyses."
};

// engine/server/description.ts
import * as z79 from "zod";

// engine/server/shared-schemas.ts
import { OpenAPIHono } from "@hono/zod-openapi";
import * as z78 from "zod";

// engine/server/earlier-request.ts
import * as z76 from "zod";
var spec = specChanges.shape;
var adapters = trainingSpec.shape.lora.unwrap().partial().shape;
var asked = analysisRequest.shape;
var fields = z76.strictObject({
  model_name: z76.string({ error: "model_name is missing: name a model, such as bert" }).min(1, "model_name is empty: name a model, such as bert").max(200),
  batch_size: spec.microBatch,
  gradient_accumulation: spec.gradientAccumulation,
  gpus: spec.gpus,
  sequence_length: spec.sequenceLength,
  target_length: spec.targetLength,
  image_size: spec.imageSize,
  labels: spec.labels,
  task: spec.task,
  framework: spec.framework,
  step: spec.step,
  precision: spec.precision,
  optimizer: spec.optimizer,
  attention: spec.attention,
  gradient_checkpointing: spec.gradientCheckpointing,
  lora_rank: adapters.rank,
  lora_targets: adapters.targets,
  lora_dropout: adapters.dropout,
  quantization: spec.quantization,
  sharding: spec.sharding,
  offload: spec.offload,
  fused_loss: spec.fusedLoss,
  padded_batches: spec.paddedBatches,
  loop: spec.loop,
  gpu: asked.gpu,
  engine: asked.engine,
  strategy: asked.strategy,
  step_size: asked.stepSize,
  price_per_hour: asked.pricePerHourUsd,
  hours_per_run: asked.hoursPerRun,
  runs_per_year: asked.runsPerYear
});
var earlierRequest = fields.refine(
  ({ lora_rank, lora_targets, lora_dropout }) => lora_rank !== void 0 || lora_targets === void 0 && lora_dropout === void 0,
  { path: ["lora_rank"], message: "something is said about adapters, but not their rank" }
);
function analysisRequestOf(body2) {
  return analysisRequest.parse({
    model: body2.model_name,
    spec: {
      microBatch: body2.batch_size,
      gradientAccumulation: body2.gradient_accumulation,
      gpus: body2.gpus,
      sequenceLength: body2.sequence_length,
      targetLength: body2.target_length,
      imageSize: body2.image_size,
      labels: body2.labels,
      task: body2.task,
      framework: body2.framework,
      step: body2.step,
      precision: body2.precision,
      optimizer: body2.optimizer,
      attention: body2.attention,
      gradientCheckpointing: body2.gradient_checkpointing,
      lora: body2.lora_rank === void 0 ? void 0 : loraOf(body2),
      quantization: body2.quantization,
      sharding: body2.sharding,
      offload: body2.offload,
      fusedLoss: body2.fused_loss,
      paddedBatches: body2.padded_batches,
      loop: body2.loop
    },
    gpu: body2.gpu,
    engine: body2.engine,
    strategy: body2.strategy,
    stepSize: body2.step_size,
    pricePerHourUsd: body2.price_per_hour,
    hoursPerRun: body2.hours_per_run,
    runsPerYear: body2.runs_per_year
  });
}
function loraOf({ lora_rank: rank2, lora_targets: targets, lora_dropout: dropout }) {
  return { rank: rank2, targets, dropout };
}

// engine/server/earlier-result.ts
import * as z77 from "zod";
var triedSize = z77.object({
  batch_size: z77.int(),
  /** MiB. */
  memory_mb: z77.number().nullable(),
  memory_gb: z77.number().nullable(),
  success: z77.boolean(),
  error: z77.string().nullable(),
  provenance
});
var earlierResult = z77.object({
  model_name: z77.string(),
  /** `cuda`, `mps` or `cpu`: what the figures are of, whether it was measured or not. */
  device: z77.string(),
  gpu_name: z77.string(),
  gpu_total_gb: z77.number(),
  /** Total − CUDA context. */
  gpu_usable_gb: z77.number(),
  /** The recommended batch; null when not even one sample fits. */
  optimal_batch_size: z77.int().nullable(),
  optimal_gradient_accumulation: z77.int().nullable(),
  optimal_memory_gb: z77.number().nullable(),
  /** The largest that fits, which the earlier tool called optimal. */
  largest_batch_size: z77.int().nullable(),
  largest_memory_gb: z77.number().nullable(),
  current_batch_size: z77.int(),
  current_memory_gb: z77.number(),
  current_fits: z77.boolean(),
  /** Of usable memory, at the current batch. */
  waste_gb: z77.number(),
  waste_percent: z77.number(),
  /** Of usable memory, at the optimal batch. */
  headroom_gb: z77.number().nullable(),
  headroom_percent: z77.number().nullable(),
  /** Samples a second at the optimal batch over those at the current one. */
  speedup: z77.number(),
  cost_savings_per_run: z77.number(),
  cost_savings_annual: z77.number(),
  step: z77.enum(stepProfiles),
  engine: z77.enum(engines),
  provenance,
  /** Half-width of the band around every memory figure. */
  error_band_percent: z77.number(),
  throughput_provenance: throughputProvenance,
  results: z77.array(triedSize),
  assumptions: z77.array(z77.string())
});
function earlierResultOf({ modelName: modelName2, device: device2, engine, config }) {
  const { gpu: gpu2, current, recommended, largest } = config;
  return {
    model_name: modelName2,
    device: device2,
    gpu_name: gpu2.name,
    gpu_total_gb: gpu2.totalBytes / GIB,
    gpu_usable_gb: gpu2.usableBytes / GIB,
    optimal_batch_size: recommended?.microBatch ?? null,
    optimal_gradient_accumulation: recommended?.gradientAccumulation ?? null,
    optimal_memory_gb: recommended ? recommended.peakBytes / GIB : null,
    largest_batch_size: largest?.microBatch ?? null,
    largest_memory_gb: largest ? largest.peakBytes / GIB : null,
    current_batch_size: current.microBatch,
    current_memory_gb: current.peakBytes / GIB,
    current_fits: current.fits,
    waste_gb: idleBytes(gpu2, current) / GIB,
    waste_percent: idlePercent(gpu2, current),
    headroom_gb: recommended ? idleBytes(gpu2, recommended) / GIB : null,
    headroom_percent: recommended ? idlePercent(gpu2, recommended) : null,
    speedup: config.speedup,
    cost_savings_per_run: config.savingsPerRunUsd,
    cost_savings_annual: config.savingsPerYearUsd,
    step: config.spec.step,
    engine,
    provenance: config.provenance,
    error_band_percent: config.errorBandPercent,
    throughput_provenance: config.throughputProvenance,
    results: config.trials.map(triedSizeOf),
    assumptions: config.assumptions
  };
}
function triedSizeOf({ microBatch, outcome: outcome3, provenance: provenance2 }) {
  const peak = peakOf(outcome3);
  const fits2 = outcome3.kind === "fits";
  return {
    batch_size: microBatch,
    memory_mb: peak === void 0 ? null : peak / MIB,
    memory_gb: peak === void 0 ? null : peak / GIB,
    success: fits2,
    error: fits2 ? null : "out of memory",
    provenance: provenance2
  };
}

// engine/server/shared-schemas.ts
var named2 = {
  Analysis: analysis,
  AnalysisEvent: analysisEvent,
  AnalysisRequest: analysisRequest,
  Probing: probing,
  EarlierRequest: earlierRequest,
  EarlierResult: earlierResult,
  Fault: fault,
  Problem: problem,
  Report: report,
  AnalysedConfig: analysedConfig,
  UnanalysedConfig: unanalysedConfig,
  OperatingPoint: operatingPoint,
  Gpu: reportedGpu2,
  TrainingSpec: trainingSpec,
  Trial: trial,
  Outcome: outcome,
  Verdict: verdict,
  ConfigRecord: configRecord,
  LedgerEntry: ledgerEntry2,
  Decision: decision
};
var jsonObject = z78.record(z78.string(), z78.json());
function withSharedSchemas(document) {
  const { components, ...rest } = jsonObject.parse(JSON.parse(JSON.stringify(document)));
  const written = Object.entries(namedAsJson());
  const names2 = new Map(written.map(([name3, schema]) => [JSON.stringify(schema), name3]));
  const schemas = Object.fromEntries(written.map(([name3, schema]) => [name3, partsReferred(schema, names2)]));
  return { ...partsReferred(rest, names2), components: { ...jsonObject.parse(components), schemas } };
}
function namedAsJson() {
  const app = new OpenAPIHono();
  for (const [name3, schema] of Object.entries(named2)) {
    app.openAPIRegistry.registerPath({ method: "get", path: `/${name3}`, responses: { 200: jsonAnswer("", schema) } });
  }
  const { paths } = described.parse(app.getOpenAPI31Document({ openapi: "3.1.0", info: { title: "", version: "" } }));
  const schemas = Object.entries(paths).map(([path7, { get }]) => [
    path7.slice(1),
    get.responses[200].content["application/json"].schema
  ]);
  return Object.fromEntries(schemas);
}
var answer2 = z78.object({ content: z78.object({ "application/json": z78.object({ schema: jsonObject }) }) });
var described = z78.object({
  paths: z78.record(z78.string(), z78.object({ get: z78.object({ responses: z78.object({ 200: answer2 }) }) }))
});
function partsReferred(parts, names2) {
  return Object.fromEntries(Object.entries(parts).map(([key2, part3]) => [key2, referred(part3, names2)]));
}
function referred(node, names2) {
  if (Array.isArray(node)) return node.map((part3) => referred(part3, names2));
  if (node === null || typeof node !== "object") return node;
  const name3 = names2.get(JSON.stringify(node));
  return name3 === void 0 ? partsReferred(node, names2) : { $ref: `#/components/schemas/${name3}` };
}

// engine/server/description.ts
var information = z79.object({
  name: z79.literal("MemoryMark"),
  version: z79.string(),
  description: z79.string(),
  /** What each is for, by method and path. */
  endpoints: z79.record(z79.string(), z79.string())
});
var description2 = "The batch size that a GPU can really take, how much of it a training config leaves idle, and what that costs.";
function addDescription(app, browsersGoOn) {
  let made2;
  const described3 = () => {
    made2 ??= describe(app);
    return made2;
  };
  app.get(
    "/",
    (context, next) => browsersGoOn && context.req.header("accept")?.includes("text/html") ? next() : context.json(described3().inShort)
  );
  app.get("/openapi.json", (context) => context.body(described3().openapi, 200, { "content-type": "application/json" }));
  app.openAPIRegistry.registerPath({
    method: "get",
    path: "/",
    summary: "What this server is; a browser gets the page for people",
    responses: { 200: jsonAnswer("In short", information) }
  });
  app.openAPIRegistry.registerPath({
    method: "get",
    path: "/openapi.json",
    summary: "This description",
    responses: { 200: jsonAnswer("OpenAPI 3.1", z79.looseObject({ openapi: z79.string() })) }
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "token", { type: "http", scheme: "bearer" });
}
function describe(app) {
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "MemoryMark", version, description: description2 },
    security: [{}, { token: [] }]
  });
  const endpoints = Object.entries(document.paths ?? {}).flatMap(
    ([path7, methods2]) => Object.entries(methods2).map(([method, { summary: summary2 }]) => [
      `${method.toUpperCase()} ${path7}`,
      summary2
    ])
  );
  return {
    inShort: { name: "MemoryMark", version, description: description2, endpoints: Object.fromEntries(endpoints) },
    openapi: JSON.stringify(withSharedSchemas(document))
  };
}

// engine/server/earlier-routes.ts
import { createRoute as createRoute2 } from "@hono/zod-openapi";
import * as z82 from "zod";

// engine/server/health.ts
import * as z80 from "zod";
var health = z80.object({
  /** `starting` until it is known what this machine has; what depends on it is null so long. */
  status: z80.enum(["starting", "healthy"]),
  gpu_available: z80.boolean().nullable(),
  gpu_name: z80.string().nullable(),
  /** GiB. */
  gpu_memory_total_gb: z80.number().nullable(),
  device: z80.enum(deviceKinds).nullable(),
  timestamp: z80.iso.datetime()
});
function healthOf(machine2, now) {
  const timestamp = now.toISOString();
  const noName = { gpu_name: null, gpu_memory_total_gb: null, timestamp };
  if (machine2 === void 0) return { status: "starting", gpu_available: null, device: null, ...noName };
  const device2 = machine2.kind === "python" ? machine2.device : void 0;
  switch (device2?.kind) {
    case "cuda":
    case "mps":
      return {
        status: "healthy",
        gpu_available: true,
        gpu_name: device2.name,
        gpu_memory_total_gb: device2.totalBytes / GIB,
        device: device2.kind,
        timestamp
      };
    case "cpu":
    case "none":
    case void 0:
      return { status: "healthy", gpu_available: false, device: "cpu", ...noName };
  }
}

// engine/server/model-list.ts
import * as z81 from "zod";
var listedModel = z81.object({
  /** What `model_name` takes; the Hub id serves as well. */
  id: z81.string(),
  name: z81.string(),
  description: z81.string(),
  type: z81.enum(["text", "image"]),
  huggingface_id: z81.string()
});
var modelList = z81.object({ models: z81.array(listedModel) });
var aliasesById = new Map(
  Object.entries(modelAliases).map(([alias, id7]) => [id7, alias])
);
function listModels() {
  const models = modelIds.map(findModel).filter((model) => model !== void 0);
  return { models: models.map(listed) };
}
function listed({ id: id7, family, tasks: tasks3, maxPositions, imageSize }) {
  const length = maxPositions === void 0 ? "text of any length" : `up to ${maxPositions} tokens`;
  return {
    id: aliasesById.get(id7) ?? id7,
    name: bareName(id7),
    description: `${family} for ${tasks3.join(", ")}; ${imageSize === void 0 ? length : `images of ${imageSize}×${imageSize} pixels`}`,
    type: imageSize === void 0 ? "text" : "image",
    huggingface_id: id7
  };
}

// engine/server/earlier-routes.ts
var ANALYZE_TIMEOUT_MILLIS = 85e3;
var healthRoute = createRoute2({
  method: "get",
  path: "/health",
  summary: "Whether the server is up, and what this machine has",
  security: [],
  responses: { 200: jsonAnswer("It is up", health) }
});
var modelsRoute = createRoute2({
  method: "get",
  path: "/models",
  summary: "The models of the catalogue; any other is looked for on the Hugging Face Hub",
  responses: { 200: jsonAnswer("The models", modelList) }
});
var analyzeRoute = createRoute2({
  method: "post",
  path: "/analyze",
  summary: "Analyse a model and wait for the result",
  request: { body: { required: true, content: { "application/json": { schema: earlierRequest } } } },
  responses: {
    200: jsonAnswer("The result", z82.object({ status: z82.literal("success"), data: earlierResult })),
    400: jsonAnswer("A missing or unknown model, or settings that it cannot have", fault),
    429: jsonAnswer("Every place in the queue is taken", fault),
    500: jsonAnswer("A trial failed", fault),
    503: jsonAnswer("This machine lacks what the engine needs, or the Hub gave no answer", fault),
    504: jsonAnswer("It takes longer than clients wait; it goes on, and the error says where", fault)
  }
});
function addEarlierRoutes(app, options) {
  const { analyses, machine: machine2, now, analyzeTimeoutMillis = ANALYZE_TIMEOUT_MILLIS } = options;
  app.openapi(healthRoute, (context) => context.json(healthOf(machine2.ifKnown, now()), 200));
  app.openapi(modelsRoute, (context) => context.json(listModels(), 200));
  app.openapi(analyzeRoute, async (context) => {
    const body2 = context.req.valid("json");
    const submission = analyses.submit(analysisRequestOf(body2));
    if (submission.kind === "refused") return context.json(faultOf(submission.problem), 400);
    if (submission.kind === "queue-full") {
      context.header("retry-after", String(submission.retryAfterSeconds));
      return context.json(faultOf(queueFull2), 429);
    }
    const { id: id7 } = submission.analysis;
    const analysis2 = await finished(analyses, id7, context.req.raw.signal, analyzeTimeoutMillis);
    switch (analysis2?.state) {
      case "done":
        return context.json(
          { status: "success", data: dataOf(analysis2, body2.model_name, machine2.ifKnown) },
          200
        );
      case "failed":
        return context.json(faultOf(...analysis2.problems), statusOf2(analysis2.problems));
      case "queued":
      case "running":
        return context.json(faultOf(stillRuns(id7)), 504);
      case "cancelled":
      case void 0:
        return context.json(faultOf(cancelled), 500);
    }
  });
}
async function finished(analyses, id7, client, timeoutMillis) {
  const events2 = analyses.events(id7, 0, AbortSignal.any([client, AbortSignal.timeout(timeoutMillis)]));
  if (events2 !== void 0 && events2 !== "all-seen") {
    const iterator = events2[Symbol.asyncIterator]();
    while (!(await iterator.next()).done) ;
  }
  return client.aborted ? analyses.cancel(id7) : analyses.find(id7);
}
function dataOf({ report: report2, probing: probing2 }, modelName2, machine2) {
  const [config] = report2.configs;
  if (config?.status !== "analysed" || probing2 === void 0) throw new Error("a finished analysis without its config");
  const { engine } = probing2;
  const measuredOn = engine === "torch" && machine2?.kind === "python" ? machine2.device.kind : void 0;
  return earlierResultOf({ modelName: modelName2, device: measuredOn ?? "cuda", engine, config });
}
var serverFaults = {
  "engine-unavailable": 503,
  "hub-unreachable": 503,
  "step-failed": 500,
  "worker-died": 500,
  "trial-timed-out": 500,
  "analysis-timed-out": 500,
  "analysis-crashed": 500
};
function statusOf2(problems2) {
  const [status] = problems2.flatMap(({ code }) => serverFaults[code] ?? []);
  return status ?? 400;
}
var cancelled = {
  code: "analysis-cancelled",
  message: "the analysis was cancelled",
  fix: "Ask again."
};
function stillRuns(id7) {
  return {
    code: "still-running",
    message: "the analysis takes longer than clients wait",
    fix: `It goes on: look at /v1/analyses/${id7}.`
  };
}

// engine/server/repository-routes.ts
import { createRoute as createRoute3 } from "@hono/zod-openapi";
import * as z83 from "zod";
var unknown3 = jsonAnswer("No such repository, or a server without a bot", fault);
var refused4 = jsonAnswer("The request is not understood", fault);
function pageOf(item) {
  return z83.object({
    items: z83.array(item),
    next: z83.string().optional().meta({ description: "The cursor of the next page; absent on the last" })
  });
}
var list = createRoute3({
  method: "get",
  path: "/v1/repositories",
  summary: "The repositories that the bot looks after",
  request: { query: pageRequest },
  responses: { 200: jsonAnswer("A page of them", pageOf(repositorySummary)), 400: refused4, 404: unknown3 }
});
var configs = createRoute3({
  method: "get",
  path: "/v1/repositories/{owner}/{repo}/configs",
  summary: "Its training configs, as last known",
  request: { params: repositoryName, query: pageRequest.extend({ order: z83.enum(configOrders).default("waste") }) },
  responses: { 200: jsonAnswer("A page of them, worst first", pageOf(configRecord)), 400: refused4, 404: unknown3 }
});
var history = createRoute3({
  method: "get",
  path: "/v1/repositories/{owner}/{repo}/history",
  summary: "One config over time",
  request: { params: repositoryName, query: pageRequest.extend({ path: z83.string().min(1).max(4096) }) },
  responses: { 200: jsonAnswer("A page of it, newest first", pageOf(configRecord)), 400: refused4, 404: unknown3 }
});
var savings = createRoute3({
  method: "get",
  path: "/v1/repositories/{owner}/{repo}/ledger",
  summary: "What merged pull requests saved, and what was accepted instead",
  request: { params: repositoryName, query: pageRequest },
  responses: {
    200: jsonAnswer("A page of it, newest first", pageOf(ledgerEntry2).extend({ totals: ledger })),
    400: refused4,
    404: unknown3
  }
});
var decisions2 = createRoute3({
  method: "get",
  path: "/v1/repositories/{owner}/{repo}/decisions",
  summary: "Pull requests that were blocked, and those that were accepted, with why",
  request: { params: repositoryName, query: pageRequest },
  responses: { 200: jsonAnswer("A page of them, newest first", pageOf(decision)), 400: refused4, 404: unknown3 }
});
function addRepositoryRoutes(app, repositories2) {
  const missing = faultOf(repositories2 === void 0 ? noBot : unknownRepository);
  app.openapi(list, async (context) => {
    const page2 = await repositories2?.list(context.req.valid("query"));
    return page2 === void 0 ? context.json(missing, 404) : context.json(answered(page2), 200);
  });
  app.openapi(configs, async (context) => {
    const { order, ...page2 } = context.req.valid("query");
    const found = await repositories2?.configs(context.req.valid("param"), order, page2);
    return found === void 0 ? context.json(missing, 404) : context.json(answered(found), 200);
  });
  app.openapi(history, async (context) => {
    const { path: path7, ...page2 } = context.req.valid("query");
    const found = await repositories2?.history(context.req.valid("param"), path7, page2);
    return found === void 0 ? context.json(missing, 404) : context.json(answered(found), 200);
  });
  app.openapi(savings, async (context) => {
    const found = await repositories2?.ledger(context.req.valid("param"), context.req.valid("query"));
    return found === void 0 ? context.json(missing, 404) : context.json(answered(found), 200);
  });
  app.openapi(decisions2, async (context) => {
    const found = await repositories2?.decisions(context.req.valid("param"), context.req.valid("query"));
    return found === void 0 ? context.json(missing, 404) : context.json(answered(found), 200);
  });
}
function answered(page2) {
  return { ...page2, items: [...page2.items] };
}
var noBot = {
  code: "no-repositories",
  message: "this server looks after no repositories",
  fix: "Ask the server of the bot, memorymark-bot."
};
var unknownRepository = {
  code: "unknown-repository",
  message: "the bot does not know this repository",
  fix: "Install its App on the repository, and open a pull request that touches a training config."
};

// engine/server/app.ts
var MAX_BODY_BYTES = 640 * KIB;
function createApp(options) {
  const { analyses, machine: machine2, repositories: repositories2, keepAliveMillis, analyzeTimeoutMillis } = options;
  const app = new OpenAPIHono2({
    defaultHook: (result2, context) => result2.success ? void 0 : context.json(faultOf(...problemsOf3(result2.error)), 400)
  });
  addChecks(app, options);
  addDescription(app, options.pages !== void 0);
  addEarlierRoutes(app, {
    analyses,
    machine: machine2,
    now: options.now ?? (() => /* @__PURE__ */ new Date()),
    ...analyzeTimeoutMillis !== void 0 && { analyzeTimeoutMillis }
  });
  addAnalysisRoutes(app, { analyses, ...keepAliveMillis !== void 0 && { keepAliveMillis } });
  addRepositoryRoutes(app, repositories2);
  addPages(app, options);
  addFaults(app, options);
  return app;
}
function addChecks(app, { access: access2, allowedOrigins = [] }) {
  app.use(apiContentSecurityPolicy);
  app.use(secureHeaders2({ referrerPolicy: "same-origin", strictTransportSecurity: false }));
  if (allowedOrigins.length > 0) {
    app.use(cors({ origin: [...allowedOrigins], exposeHeaders: ["location", "retry-after"] }));
  }
  app.use(checkAccess(access2));
  app.use(checkOrigin(allowedOrigins));
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES, onError: (context) => context.json(faultOf(tooLarge2), 413) }));
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed: (context, methods2) => context.json(faultOf(wrongMethod(methods2)), 405, { Allow: methods2.join(", ") })
    })
  );
}
var apiContentSecurityPolicy = async (context, next) => {
  await next();
  if (context.res.headers.has("content-security-policy")) return;
  context.res.headers.set("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
};
function addPages(app, { pages, analyses, machine: machine2, gpu: gpu2, engine, repositories: repositories2 }) {
  if (pages === void 0) return;
  const context = {
    analyses,
    machine: () => machine2.description,
    gpu: gpu2,
    engine,
    ...repositories2 !== void 0 && { repositories: repositories2 }
  };
  app.route("/", pages(context));
}
function addFaults(app, { log }) {
  app.notFound((context) => context.json(faultOf(noRoute), 404));
  app.onError((error, context) => {
    if (error instanceof HTTPException && error.status < 500) {
      return context.json(faultOf(refused5(error.message)), error.status);
    }
    if (error instanceof MemoryMarkError) return context.json(faultOf(error.problem), 400);
    log(error.stack ?? error.message);
    return context.json(faultOf(ownFault), 500);
  });
}
function refused5(message2) {
  return {
    code: "request-refused",
    message: message2 === "" ? "the request is not understood" : message2,
    fix: "Send JSON as application/json; /openapi.json says what it may hold."
  };
}
function wrongMethod(methods2) {
  return {
    code: "wrong-method",
    message: "this address does not take that method",
    fix: `Use ${methods2.join(" or ")}.`
  };
}
var tooLarge2 = {
  code: "body-too-large",
  message: `the body is larger than ${MAX_BODY_BYTES / KIB} KiB`,
  fix: "Send the training config alone."
};
var noRoute = {
  code: "unknown-address",
  message: "there is nothing at this address",
  fix: "See /openapi.json for what there is."
};
var ownFault = {
  code: "server-fault",
  message: "the server failed by a fault of its own",
  fix: "Look into the server's log."
};

// engine/server/service.ts
var Service = class {
  app;
  #analyses;
  #machine;
  constructor(options) {
    const { engine, gpu: gpu2, python, asksHub = true, machine: machine2, log } = options;
    this.#machine = machine2;
    this.#analyses = new AnalysisQueue({
      ...options,
      settings: { engine, gpuId: gpu2.id, python, asksHub },
      machine: machine2,
      log
    });
    this.app = createApp({ ...options, analyses: this.#analyses });
  }
  /** Cancels what waits and runs; returns when no process and no thread is left. */
  async [Symbol.asyncDispose]() {
    await this.#machine[Symbol.asyncDispose]();
    await this.#analyses[Symbol.asyncDispose]();
  }
};

// engine/server/mount.ts
var hostPaths = /* @__PURE__ */ new Set(["/health"]);
var CHECKS_PATH = "/*";
function mount({ token: token2, gpu: gpu2 = defaultGpu, ...options }) {
  const service = new Service({
    ...options,
    gpu: gpu2,
    engine: "estimate",
    // Never started: estimates need none.
    python: "python3",
    machine: KnownMachine.of({ kind: "no-python", why: "this server estimates only" }),
    access: { kind: "token", token: token2 }
  });
  const answer4 = getRequestListener(service.app.fetch);
  const routes = new TrieRouter();
  for (const { path: path7 } of service.app.routes) if (path7 !== CHECKS_PATH) routes.add("ALL", path7, true);
  return {
    handle: async (request2, response) => {
      const path7 = URL.parse(request2.url ?? "", "http://localhost")?.pathname;
      if (path7 === void 0 || hostPaths.has(path7) || routes.match("ALL", path7)[0].length === 0) return false;
      await answer4(request2, response);
      return true;
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]()
  };
}

// bot/health.ts
async function answerWatch(request2, response, watched) {
  if (request2.method !== "GET") return false;
  switch (request2.url) {
    case "/health":
      answerJson(response, 200, { status: "ok" });
      return true;
    case "/ready":
      await answerReady(response, watched);
      return true;
    case "/metrics":
      response.writeHead(200, { "content-type": watched.metrics.contentType }).end(await watched.metrics.text());
      return true;
    default:
      return false;
  }
}
async function answerReady(response, { database, isStopping }) {
  if (isStopping()) return answerJson(response, 503, { status: "stopping" });
  const answers2 = await database.query("SELECT 1").then(
    () => true,
    () => false
  );
  answerJson(response, answers2 ? 200 : 503, { status: answers2 ? "ready" : "without database" });
}
function answerJson(response, status, body2) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body2));
}

// bot/http.ts
import { once as once3 } from "node:events";
import { createServer as createServer2 } from "node:http";
var REQUEST_TIMEOUT_MILLIS2 = 1e4;
var MAX_CONNECTIONS2 = 500;
var KEEP_ALIVE_MILLIS2 = 75e3;
var CLOSE_MILLIS = 3e3;
async function listen(routes, { host, port, log }) {
  const server = createServer2((request2, response) => {
    void answer3(routes, request2, response, log);
  });
  server.requestTimeout = REQUEST_TIMEOUT_MILLIS2;
  server.headersTimeout = REQUEST_TIMEOUT_MILLIS2;
  server.maxConnections = MAX_CONNECTIONS2;
  server.keepAliveTimeout = KEEP_ALIVE_MILLIS2;
  server.listen(port, host);
  await once3(server, "listening");
  const origin = originOf(server);
  log.info(`Listening on ${origin}`);
  return {
    origin,
    close: async () => {
      server.close();
      server.closeIdleConnections();
      const breakOff = setTimeout(() => server.closeAllConnections(), CLOSE_MILLIS);
      await once3(server, "close");
      clearTimeout(breakOff);
    }
  };
}
async function answer3(routes, request2, response, log) {
  try {
    for (const route of routes) if (await route(request2, response)) return;
    response.writeHead(404, { "content-type": "text/plain" }).end("There is nothing here.\n");
  } catch (error) {
    if (request2.destroyed && !request2.complete) return;
    log.error({ err: error }, "A request could not be answered");
    if (!response.headersSent) response.writeHead(500).end();
  }
}
function originOf(server) {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

// bot/metrics.ts
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
var events = /* @__PURE__ */ new Set(["pull_request", "check_run", "check_suite", "workflow_run", "merge_group", "issue_comment"]);
var Metrics = class {
  #registry = new Registry();
  #deliveries;
  #jobsEnded;
  #calls;
  #remaining;
  #verdicts;
  constructor(queue) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#deliveries = new Counter({
      name: "memorymark_deliveries_total",
      help: "Webhooks that arrived, by event and answer",
      labelNames: ["event", "answer"],
      registers
    });
    this.#jobsEnded = new Counter({
      name: "memorymark_jobs_ended_total",
      help: "Jobs that were worked on, by kind and outcome",
      labelNames: ["kind", "outcome"],
      registers
    });
    this.#calls = new Counter({
      name: "memorymark_api_calls_total",
      help: "Requests to the API of GitHub, by method and status; 0 where no answer came",
      labelNames: ["method", "status"],
      registers
    });
    this.#remaining = new Gauge({
      name: "memorymark_api_remaining",
      help: "Requests that GitHub leaves an installation in this hour",
      labelNames: ["installation"],
      registers
    });
    this.#verdicts = new Counter({
      name: "memorymark_verdicts_total",
      help: "Commits that were judged, by what their check says",
      labelNames: ["state"],
      registers
    });
    watchQueue(queue, registers);
  }
  delivery(event2, answer4) {
    this.#deliveries.inc({ event: events.has(event2) ? event2 : "other", answer: answer4 });
  }
  jobEnded(kind, outcome3) {
    this.#jobsEnded.inc({ kind, outcome: outcome3 });
  }
  call({ method, status, installationId: installationId2, remaining }) {
    this.#calls.inc({ method, status });
    if (installationId2 !== void 0 && remaining !== void 0) {
      this.#remaining.set({ installation: installationId2 }, remaining);
    }
  }
  verdict(state) {
    this.#verdicts.inc({ state });
  }
  get contentType() {
    return this.#registry.contentType;
  }
  /** In Prometheus' text format. */
  text() {
    return this.#registry.metrics();
  }
};
function watchQueue(queue, registers) {
  const oldest = new Gauge({
    name: "memorymark_oldest_job_seconds",
    help: "How long the oldest job that may run has waited",
    registers
  });
  new Gauge({
    name: "memorymark_jobs",
    help: "Jobs in the queue, by state",
    labelNames: ["state"],
    registers,
    async collect() {
      const { jobs, oldestSeconds } = await queue.depth();
      this.reset();
      for (const [state, count3] of Object.entries(jobs)) this.set({ state }, count3);
      oldest.set(oldestSeconds);
    }
  });
}

// bot/github.ts
async function readPullRequest({ github, repository: repository2 }, number50) {
  const { data } = await github.rest.pulls.get({ ...repository2, pull_number: number50 });
  const head = data.head.repo;
  return {
    number: number50,
    title: data.title,
    isOpen: data.state === "open",
    mergedAt: data.merged_at === null ? void 0 : new Date(data.merged_at),
    isFork: head?.full_name !== data.base.repo.full_name,
    baseSha: data.base.sha,
    baseRef: data.base.ref,
    headSha: data.head.sha,
    headRef: data.head.ref,
    headRepository: head?.full_name,
    author: data.user?.login,
    authorAssociation: data.author_association,
    changedFiles: data.changed_files
  };
}
async function pullRequestsAt({ github, repository: repository2 }, commit) {
  const { headSha, owner, branch } = commit;
  const open = await github.paginate(github.rest.pulls.list, {
    ...repository2,
    state: "open",
    per_page: 100,
    ...owner && branch ? { head: `${owner}:${branch}` } : {}
  });
  return open.filter((pull) => pull.head.sha === headSha).map((pull) => pull.number);
}

// bot/commands/answer.ts
var done = { reaction: "+1" };
function told(reply) {
  return { reaction: "+1", reply };
}
function declined(reply) {
  return { reaction: "confused", reply };
}
var MAX_REPLY_BYTES = 64e3;
async function give2(work, request2, answer4, since) {
  const { github, repository: repository2 } = work;
  if (answer4.reply !== void 0 && !await hasReplied(work, request2, since)) {
    const body2 = `${replyMarker(request2.commentId)}

${withinLimit(answer4.reply)}`;
    await github.rest.issues.createComment({ ...repository2, issue_number: request2.pullNumber, body: body2 });
  }
  await github.rest.reactions.createForIssueComment({
    ...repository2,
    comment_id: request2.commentId,
    content: answer4.reaction
  });
}
function withinLimit(reply) {
  if (Buffer.byteLength(reply) <= MAX_REPLY_BYTES) return reply;
  const fitting = [];
  let bytes5 = 0;
  for (const paragraph2 of reply.split("\n\n")) {
    bytes5 += Buffer.byteLength(paragraph2) + 2;
    if (bytes5 > MAX_REPLY_BYTES) break;
    fitting.push(paragraph2);
  }
  return [...fitting, "…and more, which does not fit into a comment."].join("\n\n");
}
async function hasReplied({ github, repository: repository2, appId }, { pullNumber, commentId }, since) {
  const comments = await github.paginate(github.rest.issues.listComments, {
    ...repository2,
    issue_number: pullNumber,
    since,
    per_page: 100
  });
  const marker = replyMarker(commentId);
  return comments.some(
    ({ performed_via_github_app: app, body: body2 }) => app?.id === appId && body2?.startsWith(marker) === true
  );
}
function replyMarker(commentId) {
  return `<!-- memorymark:reply:${commentId} -->`;
}

// bot/commands/accept.ts
async function accept({ work, pull: { number: number50 }, by, commentId, at }, { report: report2 }, { reason: reason2, outOfMemory: outOfMemory2 }) {
  const { database, queue, place: place2 } = work;
  const answers2 = report2.configs.map((config) => ({ config, answer: acceptability(config, { outOfMemory: outOfMemory2 }) }));
  const configs2 = answers2.flatMap(({ answer: answer4 }) => answer4.kind === "acceptable" ? [answer4.accepted] : []);
  const left = answers2.flatMap(({ config, answer: answer4 }) => answer4.kind === "out-of-memory" ? [config] : []);
  if (configs2.length === 0) return left.length === 0 ? nothingToAccept : declined(stillBlocks(left));
  await database.transaction(async (sql) => {
    const acceptance2 = { commentId, by, reason: reason2, configs: configs2, at };
    await keepAcceptance(sql, { ...place2, pullNumber: number50 }, acceptance2);
    await queue.send([{ kind: "pull-request", ...place2, number: number50 }], { sql });
  });
  queue.announce();
  return left.length === 0 ? done : told(stillBlocks(left));
}
var nothingToAccept = declined("Nothing blocks this pull request, so there is nothing to accept.");
var MAX_PATHS = 10;
function stillBlocks(configs2) {
  const paths = configs2.slice(0, MAX_PATHS).map(({ path: path7 }) => inlinePath(path7));
  const rest = configs2.length > MAX_PATHS ? [`${configs2.length - MAX_PATHS} more`] : [];
  const verb = configs2.length === 1 ? "goes" : "go";
  return `${[...paths, ...rest].join(", ")} ${verb} out of memory, which is not accepted along the way. If you know better than the figures, write ${inlineCode("/memorymark accept out-of-memory <reason>")}; if it runs on another GPU, say so in ${inlineCode(".github/memorymark.yml")}.`;
}

// bot/commands/access.ts
function accessNeeded(name3) {
  switch (name3) {
    case "help":
    case "explain":
      return "anyone";
    case "rerun":
    case "ok":
    case "accept":
    case "snooze":
    case "fix":
      return "write";
  }
}
async function mayWrite({ github, repository: repository2 }, login2) {
  const answer4 = await github.rest.repos.getCollaboratorPermissionLevel({ ...repository2, username: login2 }).catch((error) => {
    if (statusOf(error) === 404) return void 0;
    throw error;
  });
  const permission = answer4?.data.permission;
  return permission === "admin" || permission === "write";
}

// bot/commands/explain.ts
async function explain2({ report: report2, files, settings, models }) {
  const texts = new Map(files.map((file) => [file.path, file]));
  const configs2 = [];
  for (const config of report2.configs) {
    const file = texts.get(config.path);
    if (file === void 0) continue;
    const explanation = await explainFile(file, { settings, models });
    configs2.push({ path: config.path, explanation, config: config.status === "analysed" ? config : void 0 });
  }
  if (configs2.length === 0) return told("This pull request changes no training config, so there is nothing to explain.");
  return told(renderExplanations(configs2, MAX_REPLY_BYTES));
}

// bot/commands/fix.ts
import { createHash as createHash4 } from "node:crypto";

// bot/suggestions/proposals.ts
async function proposalsFor({ report: report2, files, settings, models }) {
  const texts = new Map(files.map((file) => [file.path, file]));
  const changes2 = [];
  const byHand2 = [];
  for (const config of report2.configs) {
    const file = texts.get(config.path);
    if (config.status !== "analysed" || config.verdict.state === "fine" || file === void 0) continue;
    const proposal = await proposeChange(file, config, { settings, models });
    if (proposal.kind === "change") changes2.push({ config, change: proposal });
    if (proposal.kind === "by-hand") byHand2.push({ config, why: proposal.why });
  }
  return { changes: changes2, byHand: byHand2 };
}
function sayByHand({ path: path7 }, why) {
  switch (why.kind) {
    case "not-in-file":
      return `${inlinePath(path7)} does not write the ${why.setting}: it is left to its tool's default, and has to be added by hand.`;
    case "not-plain":
      return `${inlinePath(path7)} does not write a plain number at line ${why.at.line}, column ${why.at.column}, so the change has to be made by hand.`;
    case "tied-to-other-settings":
      return `In ${inlinePath(path7)} other settings hang on the batch size, so the change has to be made by hand.`;
  }
}

// bot/commands/fix.ts
async function fix({ work, pull, by }, judged) {
  const { changes: changes2, byHand: byHand2 } = await proposalsFor(judged);
  const notes = byHand2.map(({ config, why }) => sayByHand(config, why));
  if (changes2.length === 0) {
    return declined(
      [...notes, ...notes.length === 0 ? ["No config here asks for another batch size."] : []].join("\n\n")
    );
  }
  if (pull.isFork) return told([pasteInstead(changes2), ...notes].join("\n\n"));
  const number50 = await openFix(work, pull, changes2, by);
  const opened = `#${number50} changes ${changes2.map(({ change: change2 }) => inlinePath(change2.path)).join(", ")} to the recommended batch sizes. Merge it into ${inlineCode(pull.headRef, 200)} to take them.`;
  return told([opened, ...notes].join("\n\n"));
}
function pasteInstead(changes2) {
  const pieces = changes2.map(({ change: change2 }) => {
    const lines = renderChangedLines(change2) ?? "Its lines cannot be shown here.";
    return `${inlinePath(change2.path)}. ${lines}`;
  });
  return [
    "This pull request comes from a fork, where the bot cannot push. These lines are to be pasted:",
    ...pieces
  ].join("\n\n");
}
async function openFix(work, pull, changes2, by) {
  const { github, repository: repository2 } = work;
  const branch = branchFor(pull.number, changes2);
  const { data: open } = await github.rest.pulls.list({
    ...repository2,
    head: `${repository2.owner}:${branch}`,
    base: pull.headRef,
    state: "open"
  });
  const existing = open.find(({ head }) => head.ref === branch);
  if (existing !== void 0) return existing.number;
  await makeBranch(work, branch, await commitOf(work, pull, changes2));
  const { data: created } = await github.rest.pulls.create({
    ...repository2,
    head: branch,
    base: pull.headRef,
    title: "Use the recommended batch sizes",
    body: `Asked for by ${inlineCode(by)} on #${pull.number}, whose comment says what this changes and how that is known.`
  });
  return created.number;
}
function branchFor(number50, changes2) {
  const wanted2 = JSON.stringify(changes2.map(({ change: change2 }) => [change2.path, change2.after]));
  return `memorymark/fix-${number50}-${createHash4("sha256").update(wanted2).digest("hex").slice(0, 8)}`;
}
async function commitOf({ github, repository: repository2 }, { headSha }, changes2) {
  const { data: head } = await github.rest.git.getCommit({ ...repository2, commit_sha: headSha });
  const executables = await executablesIn({ github, repository: repository2 }, head.tree.sha);
  const { data: tree } = await github.rest.git.createTree({
    ...repository2,
    base_tree: head.tree.sha,
    tree: changes2.map(({ change: change2 }) => ({
      path: change2.path,
      mode: executables.has(change2.path) ? "100755" : "100644",
      type: "blob",
      content: change2.after
    }))
  });
  const { data: commit } = await github.rest.git.createCommit({
    ...repository2,
    message: "Use the recommended batch sizes",
    tree: tree.sha,
    parents: [headSha]
  });
  return commit.sha;
}
async function makeBranch({ github, repository: repository2 }, branch, sha4) {
  try {
    await github.rest.git.createRef({ ...repository2, ref: `refs/heads/${branch}`, sha: sha4 });
  } catch (error) {
    if (statusOf(error) !== 422) throw error;
    await github.rest.git.updateRef({ ...repository2, ref: `heads/${branch}`, sha: sha4, force: true });
  }
}
async function executablesIn({ github, repository: repository2 }, tree) {
  const { data } = await github.rest.git.getTree({ ...repository2, tree_sha: tree, recursive: "true" });
  return new Set(data.tree.filter(({ mode }) => mode === "100755").map(({ path: path7 }) => path7));
}

// bot/commands/command.ts
var commandNames = [
  "help",
  "rerun",
  "ok",
  "accept",
  "snooze",
  "explain",
  "fix"
];
var MAX_SNOOZE_DAYS = 90;
var MIN_SHA_CHARACTERS = 7;
var MAX_REASON_CHARACTERS = 500;
var usage = {
  help: { form: "help", meaning: "shows this list" },
  rerun: { form: "rerun", meaning: "reads and judges the configs again" },
  ok: {
    form: "ok <sha>",
    meaning: "lets the GPU runner measure that commit of a fork; give the newest commit, seven characters or more"
  },
  accept: {
    form: "accept <reason>",
    meaning: "unblocks this pull request, with your name and reason on the check, until one of its configs gets worse; a config that goes out of memory is accepted only by `accept out-of-memory <reason>`"
  },
  snooze: {
    form: "snooze <days>",
    meaning: `keeps the comment still and the check from blocking for 1 to ${MAX_SNOOZE_DAYS} days; what goes out of memory still blocks`
  },
  explain: { form: "explain", meaning: "tells how each config was read and what its figures stand on" },
  fix: { form: "fix", meaning: "opens a pull request with the recommended batch sizes onto this branch" }
};

// bot/commands/help.ts
function help() {
  const lines = commandNames.map((name3) => {
    const who = accessNeeded(name3) === "write" ? " (write access)" : "";
    return `- ${inlineCode(`/memorymark ${usage[name3].form}`)} ${usage[name3].meaning}${who}.`;
  });
  return told(
    [
      "What MemoryMark can be asked, at the start of a line of a new comment, one command a comment:",
      lines.join("\n")
    ].join("\n\n")
  );
}

// bot/commands/ok.ts
async function ok({ work, pull, by }, shaPrefix) {
  const { database, queue, place: place2 } = work;
  const { number: number50, headSha } = pull;
  if (!pull.isFork) {
    return declined("This pull request comes from this repository itself: its measurement waits for nobody’s leave.");
  }
  if (!headSha.startsWith(shaPrefix)) {
    return declined(
      `That is not the newest commit of this pull request. The newest is ${inlineCode(headSha)}: look at what it changes, and then write ${inlineCode(`/memorymark ok ${headSha}`)}.`
    );
  }
  await database.transaction(async (sql) => {
    await approveMeasurement(sql, { ...place2, pullNumber: number50, headSha }, by);
    await queue.send([{ kind: "pull-request", ...place2, number: number50 }], { sql });
  });
  queue.announce();
  return done;
}

// bot/commands/visible-lines.ts
var opensFence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
var closesFence = /^ {0,3}(`{3,}|~{3,})[ \t]*$/;
var opensRaw = /<(pre|code|script|style|textarea)\b/i;
function visibleLines(text3) {
  const visible = [];
  let block3;
  for (const line2 of text3.split(/\r\n|\r|\n/)) {
    const before = block3;
    block3 = blockAfter(line2, before);
    if (before === void 0 && block3?.kind !== "fence" && block3?.kind !== "quote") visible.push(line2);
  }
  return visible;
}
function blockAfter(line2, open) {
  switch (open?.kind) {
    case "fence":
      return closes(line2, open.mark) ? void 0 : open;
    case "hidden":
      return line2.includes("-->") ? void 0 : open;
    case "raw":
      return line2.toLowerCase().includes(`</${open.tag}>`) ? void 0 : open;
    case "quote":
      if (line2.trim() === "") return void 0;
      return openedBy(line2) ?? open;
    case void 0:
      return openedBy(line2);
  }
}
function openedBy(line2) {
  const fence = opensFence.exec(line2)?.[1];
  if (fence !== void 0) return { kind: "fence", mark: fence };
  if (/^ {0,3}>/.test(line2)) return { kind: "quote" };
  const hidden = line2.lastIndexOf("<!--");
  if (hidden >= 0 && !line2.includes("-->", hidden)) return { kind: "hidden" };
  const tag = opensRaw.exec(line2)?.[1]?.toLowerCase();
  return tag === void 0 || line2.toLowerCase().includes(`</${tag}>`) ? void 0 : { kind: "raw", tag };
}
function closes(line2, mark) {
  const closing = closesFence.exec(line2)?.[1];
  return closing !== void 0 && closing[0] === mark[0] && closing.length >= mark.length;
}

// bot/commands/parse.ts
var MAX_CHARACTERS2 = 65536;
var called = /^\/memorymark(?=[ \t]|$)[ \t]*(\S*)[ \t]*(.*)$/i;
function parseComment(body2) {
  const calls = visibleLines(body2.slice(0, MAX_CHARACTERS2)).flatMap((line2) => {
    const match = called.exec(line2);
    return match === null ? [] : [{ word: match[1] ?? "", rest: (match[2] ?? "").trim() }];
  });
  const [first, ...others] = calls;
  if (first === void 0) return { kind: "none" };
  const name3 = first.word === "" ? "help" : commandNames.find((known3) => known3 === first.word.toLowerCase());
  if (name3 === void 0) return unknown4(first.word);
  const parsed2 = parseArguments(name3, first.rest);
  return parsed2.kind === "command" ? { ...parsed2, others: others.length } : parsed2;
}
function unknown4(word) {
  const meant = commandNames.find((name3) => name3 === closest(word, commandNames));
  return { kind: "unknown", word, ...meant !== void 0 && { meant } };
}
function parseArguments(name3, rest) {
  switch (name3) {
    case "help":
    case "rerun":
    case "explain":
    case "fix":
      return { kind: "command", command: { kind: name3 } };
    case "ok":
      return parseOk(rest);
    case "accept":
      return parseAccept(rest);
    case "snooze":
      return parseSnooze(rest);
  }
}
function parseOk(rest) {
  const sha4 = rest.toLowerCase();
  const isSha = /^[0-9a-f]{1,40}$/.test(sha4) && sha4.length >= MIN_SHA_CHARACTERS;
  if (isSha) return { kind: "command", command: { kind: "ok", shaPrefix: sha4 } };
  return malformed("ok", `It takes the SHA of the newest commit, ${MIN_SHA_CHARACTERS} to 40 hexadecimal characters`);
}
function parseAccept(rest) {
  const outOfMemory2 = /^out-of-memory(?:\s|$)/i.test(rest);
  const reason2 = outOfMemory2 ? rest.slice("out-of-memory".length).trim() : rest;
  if (!/[\p{L}\p{N}]/u.test(reason2)) return malformed("accept", "It takes a reason, which the check will show");
  if (Array.from(reason2).length > MAX_REASON_CHARACTERS) {
    return malformed("accept", `The reason may be up to ${MAX_REASON_CHARACTERS} characters long`);
  }
  return { kind: "command", command: { kind: "accept", reason: reason2, outOfMemory: outOfMemory2 } };
}
function parseSnooze(rest) {
  const [, written] = /^(\d{1,3})(?:\s*(?:d|days?))?$/i.exec(rest) ?? [];
  const days3 = Number(written);
  if (written !== void 0 && days3 >= 1 && days3 <= MAX_SNOOZE_DAYS) {
    return { kind: "command", command: { kind: "snooze", days: days3 } };
  }
  return malformed("snooze", `It takes a number of days from 1 to ${MAX_SNOOZE_DAYS}`);
}
function malformed(name3, problem3) {
  return { kind: "malformed", name: name3, problem: problem3 };
}

// bot/commands/rerun.ts
async function rerun({ work, pull: { headSha, number: number50 } }) {
  const { database, queue, place: place2 } = work;
  await database.transaction(async (sql) => {
    await askForRerun(sql, { ...place2, headSha });
    await queue.send([{ kind: "pull-request", ...place2, number: number50 }], { sql });
  });
  queue.announce();
  return done;
}

// bot/commands/snooze.ts
var DAY_MILLIS = 864e5;
async function snooze({ work, pull: { number: number50 }, by, commentId, at }, days3) {
  const { database, queue, place: place2 } = work;
  const until2 = new Date(at.getTime() + days3 * DAY_MILLIS);
  await database.transaction(async (sql) => {
    await keepSnooze(sql, place2, number50, { commentId, by, at, until: until2 });
    await queue.send([{ kind: "pull-request", ...place2, number: number50 }], { sql });
  });
  queue.announce();
  const date6 = until2.toISOString().slice(0, 10);
  return told(
    `Until ${date6} the comment stays as it is and the check does not block, unless a config goes out of memory.`
  );
}

// bot/commands/run.ts
async function runCommand(work, request2, judge2) {
  const parsed2 = parseComment(request2.body);
  if (parsed2.kind === "none" || request2.author.endsWith("[bot]")) return;
  const { data: comment3 } = await work.github.rest.issues.getComment({
    ...work.repository,
    comment_id: request2.commentId
  });
  if (comment3.user?.type !== "User") return;
  const at = new Date(comment3.created_at);
  try {
    await give2(work, request2, await answerTo({ work, request: request2, at, judge: judge2 }, parsed2), comment3.created_at);
  } catch (error) {
    const answer4 = answerToFailure(failureOf(error, /* @__PURE__ */ new Date()));
    if (answer4 !== void 0) await give2(work, request2, answer4, comment3.created_at);
    throw error;
  }
  work.log.info(
    { pull: request2.pullNumber, command: parsed2.kind === "command" ? parsed2.command.kind : parsed2.kind },
    "A command was answered"
  );
}
function answerToFailure(failure) {
  switch (failure.kind) {
    case "fault":
      return declined("This could not be done, by a fault on our side; the log of the bot says more.");
    case "forbidden":
      return declined("This could not be done: the App lacks a permission. `memorymark-bot doctor` says which.");
    case "passing":
    case "limited":
    case "gone":
      return void 0;
  }
}
async function answerTo(asking, parsed2) {
  switch (parsed2.kind) {
    case "unknown":
      return unknownCommand(parsed2.word, parsed2.meant);
    case "malformed":
      return declined(`${inlineCode(`/memorymark ${parsed2.name}`)}: ${lowercased(parsed2.problem)}. ${seeHelp}`);
    case "command": {
      const answer4 = await answerToCommand(asking, parsed2.command);
      return parsed2.others === 0 ? answer4 : { ...answer4, reply: withFirstOnly(answer4.reply) };
    }
  }
}
async function answerToCommand(asking, command) {
  const { work, request: request2, at, judge: judge2 } = asking;
  if (accessNeeded(command.kind) === "write" && !await mayWrite(work, request2.author)) {
    return declined(`${inlineCode(`/memorymark ${command.kind}`)} takes write access to this repository.`);
  }
  const pull = await readPullRequest(work, request2.pullNumber);
  if (!pull.isOpen && !isForClosed(command.kind)) return closed;
  return carryOut({ work, pull, by: request2.author, commentId: request2.commentId, at }, command, judge2);
}
async function carryOut(asked2, command, judge2) {
  const judged = () => judge2(asked2.work, asked2.pull);
  switch (command.kind) {
    case "help":
      return help();
    case "rerun":
      return rerun(asked2);
    case "ok":
      return ok(asked2, command.shaPrefix);
    case "accept":
      return accept(asked2, await judged(), command);
    case "snooze":
      return snooze(asked2, command.days);
    case "explain":
      return explain2(await judged());
    case "fix":
      return fix(asked2, await judged());
  }
}
var seeHelp = `${inlineCode("/memorymark help")} lists what can be asked.`;
var closed = declined("This pull request is closed.");
function isForClosed(name3) {
  return name3 === "help" || name3 === "explain";
}
function unknownCommand(word, meant) {
  const didYouMean2 = meant === void 0 ? "" : ` Did you mean ${inlineCode(`/memorymark ${meant}`)}?`;
  return declined(`There is no command ${inlineCode(word, 50)}.${didYouMean2} ${seeHelp}`);
}
function withFirstOnly(reply) {
  const note = "Only the first command of a comment is carried out.";
  return reply === void 0 ? note : `${reply}

${note}`;
}
function lowercased(sentence) {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

// bot/store/retention.ts
var ages = {
  acceptances: "accepted_at",
  decisions: "decided_at",
  last_reports: "reported_at",
  ledger_entries: "merged_at",
  measured_configs: "reported_at",
  measurements: "due_at",
  open_checks: "deadline_at",
  reruns: "asked_at",
  seen_pulls: "seen_at",
  snoozes: "until",
  surveys: "surveyed_at",
  taken_runs: "taken_at"
};
function forgetOlderThan(database, days3) {
  return database.transaction(async (sql) => {
    for (const [table4, age] of Object.entries(ages)) {
      await sql.query(`DELETE FROM memorymark.${table4} WHERE ${age} < now() - $1 * interval '1 day'`, [days3]);
    }
    await sql.query(
      `DELETE FROM memorymark.config_records WHERE NOT is_current AND recorded_at < now() - $1 * interval '1 day'`,
      [days3]
    );
  });
}

// bot/housekeeping.ts
var DAY_MILLIS2 = 864e5;
var KEEP_DELIVERIES_DAYS = 4;
async function keepHouse(options) {
  const { app, database, keepDays } = options;
  await forgetOlderThan(database, keepDays);
  await forgetDeliveries(database, KEEP_DELIVERIES_DAYS);
  const asApp = await app.asApp();
  const installations = await asApp.paginate(asApp.rest.apps.listInstallations, { per_page: 100 });
  await forgetDeparted(options, new Set(installations.map(({ id: id7 }) => id7)));
  for (const { id: id7, suspended_at: suspendedAt } of installations) {
    if (suspendedAt === null || suspendedAt === void 0) await scheduleAll(options, id7);
  }
}
async function forgetDeparted({ database, queue, log, graceDays, now }, present4) {
  for (const id7 of await knownInstallations(database)) if (!present4.has(id7)) await noteDeparture(database, id7, now);
  const due = await departedBefore(database, new Date(now.getTime() - graceDays * DAY_MILLIS2));
  for (const id7 of due.filter((gone) => !present4.has(gone))) {
    await deleteInstallation(database, id7);
    await queue.forgetSchedules(id7);
    log.info({ installation: id7 }, "Everything of an installation that left was deleted");
  }
}
async function scheduleAll({ app, queue, log, signal }, installationId2) {
  try {
    const github = await app.inInstallation(installationId2, signal);
    const repositories2 = await github.paginate(github.rest.apps.listReposAccessibleToInstallation, { per_page: 100 });
    await queue.send(
      repositories2.filter(({ archived }) => !archived).map(
        ({ id: repositoryId, name: repo, owner }) => ({
          kind: "schedule",
          installationId: installationId2,
          repositoryId,
          owner: owner.login,
          repo
        })
      )
    );
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error, installation: installationId2 }, "The repositories of an installation could not be listed");
  }
}

// bot/measurement/dispatch.ts
import path6 from "node:path";
import * as z86 from "zod";

// bot/file.ts
import * as z84 from "zod";
var MAX_FILE_BYTES = 16 * MIB;
var contents = z84.object({
  type: z84.literal("file"),
  size: z84.number(),
  sha: z84.string(),
  encoding: z84.string(),
  content: z84.string()
});
async function readFile(work, ref, path7) {
  const { github, repository: repository2 } = work;
  const place2 = { ...repository2, path: path7, ...ref !== void 0 && { ref } };
  const answer4 = await github.rest.repos.getContent(place2).catch((error) => {
    if (statusOf(error) === 404) return void 0;
    throw error;
  });
  const parsed2 = contents.safeParse(answer4?.data);
  if (!parsed2.success) return { kind: "no-file" };
  const { size: size2, sha: blobSha, encoding, content } = parsed2.data;
  if (size2 > MAX_FILE_BYTES) return { kind: "too-large" };
  const base64 = encoding === "base64" ? content : await readBlob(work, blobSha);
  return { kind: "file", file: { path: path7, text: Buffer.from(base64, "base64").toString("utf8") }, blobSha };
}
async function readBlob({ github, repository: repository2 }, blobSha) {
  const { data } = await github.rest.git.getBlob({ ...repository2, file_sha: blobSha });
  return data.content;
}
async function readText(work, ref, path7) {
  const reading = await readFile(work, ref, path7);
  return reading.kind === "file" ? reading.file.text : void 0;
}

// bot/repository-settings.ts
var MAX_PROBLEMS4 = 10;
async function readTeamSettings(work) {
  const { settings, remarks } = await readOwn(work);
  return { settings: withDefaults(settings, work.defaults), remarks };
}
function withDefaults(team, { gpu: gpu2, failOn }) {
  return { ...team, gpu: team.gpu ?? gpu2?.id, failOn: team.failOn ?? failOn };
}
async function readOwn(work) {
  const found = await readFile(work, void 0, SETTINGS_PATH);
  if (found.kind === "too-large") return earlier(work, ["The file is larger than 16 MiB."]);
  const file = found.kind === "file" ? found.file : void 0;
  const reading = readSettings2(file);
  switch (reading.kind) {
    case "settings":
      await keepSettings(work.database, work.place, file?.text ?? "");
      return { settings: reading.settings, remarks: [] };
    case "none":
      await keepSettings(work.database, work.place, "");
      return { settings: noSettings, remarks: [] };
    case "unreadable":
      return earlier(
        work,
        reading.problems.slice(0, MAX_PROBLEMS4).map((problem3) => renderProblem("", problem3))
      );
  }
}
async function earlier({ database, place: place2 }, reasons) {
  const text3 = await lastSettings(database, place2);
  const reading = readSettings2(text3 === void 0 ? void 0 : { path: SETTINGS_PATH, text: text3 });
  const isKept = reading.kind === "settings";
  const which = isKept ? "the last ones that could be read hold" : "the built-in ones hold";
  return {
    settings: isKept ? reading.settings : noSettings,
    remarks: [`The settings on the default branch cannot be read, so ${which}.`, ...reasons]
  };
}

// bot/measurement/run.ts
import * as z85 from "zod";
var workflowRun = z85.object({
  id: z85.number(),
  run_attempt: z85.number().optional(),
  event: z85.string(),
  path: z85.string(),
  status: z85.string().nullable(),
  conclusion: z85.string().nullable(),
  created_at: z85.string(),
  head_sha: z85.string(),
  head_repository: z85.object({ full_name: z85.string() }).nullable(),
  pull_requests: z85.array(z85.object({ number: z85.number() })).nullish()
});
async function pullRequestRun(work, pull, workflow) {
  const { data } = await work.github.rest.actions.listWorkflowRunsForRepo({
    ...work.repository,
    head_sha: pull.headSha,
    event: "pull_request",
    per_page: 100
  });
  const own2 = data.workflow_runs.map((run2) => workflowRun.parse(run2)).filter((run2) => run2.event === "pull_request" && isOf(run2, pull) && pathOf(run2) === workflow).toSorted((a, b) => b.id - a.id);
  return own2[0] && described2(own2[0]);
}
async function dispatchedRun(work, runId) {
  const answer4 = await work.github.rest.actions.getWorkflowRun({ ...work.repository, run_id: runId }).catch((error) => {
    if (statusOf(error) === 404) return void 0;
    throw error;
  });
  const run2 = answer4 && workflowRun.parse(answer4.data);
  return run2?.event === "workflow_dispatch" ? described2(run2) : void 0;
}
function isOf(run2, pull) {
  const named3 = run2.pull_requests ?? [];
  return run2.head_sha === pull.headSha && run2.head_repository?.full_name === pull.headRepository && (named3.length === 0 || named3.some(({ number: number50 }) => number50 === pull.number));
}
function pathOf({ path: path7 }) {
  return path7.replace(/@.*$/, "");
}
function described2(run2) {
  return {
    id: run2.id,
    attempt: run2.run_attempt ?? 1,
    stage: stageOf(run2),
    conclusion: run2.conclusion ?? "",
    createdAt: new Date(run2.created_at)
  };
}
function stageOf({ status, conclusion: conclusion2 }) {
  if (conclusion2 === "action_required") return "needs-approval";
  switch (status) {
    case "completed":
      return "completed";
    case "in_progress":
      return "running";
    default:
      return "queued";
  }
}

// bot/measurement/archive.ts
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
  const parsed2 = report.safeParse(parseJson2(text3));
  return parsed2.success ? { kind: "report", report: parsed2.data } : unusable("its report does not follow the report schema");
}
function parseJson2(text3) {
  try {
    return JSON.parse(text3);
  } catch {
    return void 0;
  }
}
function unusable(why) {
  return { kind: "unusable", why };
}

// bot/measurement/artifact.ts
var ARTIFACT_NAME = "memorymark-report";
var MAX_COMPRESSED_BYTES = 5 * 2 ** 20;
async function downloadArtifact(work, runId) {
  const { github, repository: repository2 } = work;
  const { data } = await github.rest.actions.listWorkflowRunArtifacts({
    ...repository2,
    run_id: runId,
    name: ARTIFACT_NAME
  });
  const artifact = data.artifacts.find(({ name: name3, expired: expired2 }) => name3 === ARTIFACT_NAME && !expired2);
  if (artifact === void 0) return { kind: "none" };
  if (artifact.size_in_bytes > MAX_COMPRESSED_BYTES) return { kind: "too-large" };
  const { headers } = await github.rest.actions.downloadArtifact({
    ...repository2,
    artifact_id: artifact.id,
    archive_format: "zip",
    request: { redirect: "manual" }
  });
  if (headers.location === void 0) throw new Error("GitHub did not say where the artifact is stored");
  return readCapped2(await fetch(headers.location));
}
async function readCapped2(response) {
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

// bot/measurement/take.ts
async function takeReport(work, from2) {
  const { pull, run: run2 } = from2;
  const key2 = { ...work.place, pullNumber: pull.number, headSha: pull.headSha };
  const before = await takenRun(work.database, key2, run2);
  if (before !== void 0) return before;
  const reading = await readMeasurement(work, from2);
  const kept = reading.kind === "report" ? await reportedFrom(work, from2, reading.report) : [];
  const outcome3 = outcomeOf3(reading, kept);
  const foreign = reading.kind === "report" ? reading.report.configs.length - kept.length : 0;
  if (foreign > 0)
    work.log.warn({ pull: pull.number, run: run2.id, foreign }, "A report tells of configs that are not its own");
  if (outcome3.kind === "unusable")
    work.log.warn({ pull: pull.number, run: run2.id, why: outcome3.why }, "A report was not used");
  await work.database.transaction(async (sql) => {
    await keepReported(sql, work.place, pull.headSha, kept);
    await keepTakenRun(sql, key2, run2, outcome3);
  });
  return outcome3;
}
function outcomeOf3(reading, kept) {
  switch (reading.kind) {
    case "none":
      return { kind: "none" };
    case "unusable":
      return { kind: "unusable", why: reading.why };
    case "report":
      return kept.length === 0 && reading.report.configs.length > 0 ? { kind: "unusable", why: "it is about no config that this pull request changes" } : { kind: kept.length > 0 ? "report" : "none" };
  }
}
async function readMeasurement(work, { candidates, run: run2, ownWorkflow }) {
  const download = await downloadArtifact(work, run2.id);
  switch (download.kind) {
    case "none":
      return download;
    case "too-large":
      return { kind: "unusable", why: "its archive is larger than 5 MiB" };
    case "zip":
      if (ownWorkflow !== void 0 && candidates.changes(ownWorkflow)) {
        return { kind: "unusable", why: "this pull request changes the workflow that made it" };
      }
      return readReportArchive(download.zip);
  }
}
async function reportedFrom(work, { pull, candidates, run: run2 }, report2) {
  const results = new Map(report2.configs.map((result2) => [result2.path, result2]));
  const reported = [];
  for (const blob of candidates.blobs) {
    const result2 = results.get(blob.path);
    if (result2 === void 0) continue;
    const baseBlobSha = await baseBlobOf(work, pull.baseSha, candidates, blob.path);
    reported.push({ ...blob, baseBlobSha, result: result2, policy: report2.policy, runId: run2.id, pullNumber: pull.number });
  }
  return reported;
}
async function baseBlobOf(work, baseSha, { formerPaths }, path7) {
  const reading = await readFile(work, baseSha, formerPaths.get(path7) ?? path7);
  return reading.kind === "file" ? reading.blobSha : "";
}

// bot/measurement/measure.ts
var DISPATCHED_WORKFLOW = ".github/workflows/memorymark-sweep.yml";
var DEFAULT_WAIT_MINUTES = 60;
var RUNNER_MINUTES = 10;
var START_MINUTES = 5;
function planOf2({ measure }, workflowPath) {
  const by = measure?.by ?? "pull-request";
  return {
    by,
    workflow: measure?.workflow ?? (by === "dispatch" ? DISPATCHED_WORKFLOW : workflowPath),
    isDue: measure !== void 0,
    waitMinutes: measure?.waitMinutes ?? DEFAULT_WAIT_MINUTES
  };
}
var strangers = /* @__PURE__ */ new Set(["FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR", "MANNEQUIN", "NONE"]);
async function lookAtRun(work, plan, { pull, candidates, now }) {
  const due = plan.isDue ? await dueMeasurement(work.database, keyOf2(work, pull)) : void 0;
  if (plan.by === "dispatch" && due !== void 0) {
    const open = beforeDispatch(plan, pull, due, now);
    if (open !== void 0) return open;
  }
  const run2 = await runOf(work, plan, pull, due);
  if (run2?.stage === "completed") {
    const ownWorkflow = plan.by === "pull-request" ? plan.workflow : void 0;
    return afterRun(plan, run2, await takeReport(work, { pull, candidates, run: run2, ownWorkflow }));
  }
  return due === void 0 ? { kind: "not-due" } : duringRun(plan, run2, due, now);
}
async function runOf(work, plan, pull, due) {
  if (plan.by === "pull-request") return pullRequestRun(work, pull, plan.workflow);
  return due?.runId === void 0 ? void 0 : dispatchedRun(work, due.runId);
}
function keyOf2({ place: place2 }, pull) {
  return { ...place2, pullNumber: pull.number, headSha: pull.headSha };
}
function beforeDispatch(plan, pull, due, now) {
  if (due.runId !== void 0) return void 0;
  if (pull.isFork && strangers.has(pull.authorAssociation) && due.approvedBy === void 0) {
    return ended(plan, "needs-leave");
  }
  if (due.refusal !== void 0) return { ...ended(plan, "refused"), why: due.refusal };
  return isPast(due.dueAt, START_MINUTES, now) ? ended(plan, "not-started") : waiting(plan, "dispatch", minutesAfter(due.dueAt, START_MINUTES));
}
function duringRun(plan, run2, due, now) {
  const deadline = minutesAfter(due.dueAt, plan.waitMinutes);
  switch (run2?.stage) {
    case void 0:
      return isPast(due.dueAt, START_MINUTES, now) ? ended(plan, "not-started") : waiting(plan, "start", minutesAfter(due.dueAt, START_MINUTES));
    case "needs-approval":
      return ended(plan, "needs-approval");
    case "queued": {
      if (now >= deadline) return ended(plan, "queued-too-long");
      const absentAt = minutesAfter(run2.createdAt, RUNNER_MINUTES);
      return now < absentAt ? waiting(plan, "runner", earlier2(absentAt, deadline)) : waiting(plan, "absent-runner", deadline);
    }
    case "running":
      return now >= deadline ? ended(plan, "timed-out") : waiting(plan, "result", deadline);
    case "completed":
      return ended(plan, "without-report");
  }
}
function afterRun(plan, run2, taken2) {
  switch (taken2.kind) {
    case "unusable":
      return { kind: "unusable", isDue: plan.isDue, why: taken2.why };
    case "report":
      return plan.isDue ? { kind: "measured" } : { kind: "not-due" };
    case "none":
      return plan.isDue ? ended(plan, howEnded(run2)) : { kind: "not-due" };
  }
}
function howEnded({ conclusion: conclusion2 }) {
  switch (conclusion2) {
    case "cancelled":
    case "stale":
      return "cancelled";
    case "timed_out":
      return "timed-out";
    case "success":
    case "neutral":
      return "without-report";
    case "skipped":
      return "not-started";
    default:
      return "failed";
  }
}
function waiting({ workflow }, what, lookAgainAt2) {
  return { kind: "waiting", for: what, workflow, lookAgainAt: lookAgainAt2 };
}
function ended({ workflow }, how) {
  return { kind: "ended", how, workflow };
}
function minutesAfter(moment2, minutes) {
  return new Date(moment2.getTime() + minutes * 6e4);
}
function isPast(moment2, minutes, now) {
  return now >= minutesAfter(moment2, minutes);
}
function earlier2(a, b) {
  return a < b ? a : b;
}

// bot/measurement/dispatch.ts
async function dispatchMeasurement(work, { number: number50, headSha }) {
  const pull = await readPullRequest(work, number50);
  const plan = planOf2((await readTeamSettings(work)).settings, work.workflowPath);
  if (!pull.isOpen || pull.headSha !== headSha || !plan.isDue || plan.by !== "dispatch") return;
  const key2 = { ...work.place, pullNumber: number50, headSha };
  if ((await dueMeasurement(work.database, key2)).runId !== void 0) return;
  const started = await start(work, plan.workflow, { "pull-request": String(number50), "head-sha": headSha });
  switch (started.kind) {
    case "started":
      await keepDispatched(work.database, key2, started.runId);
      break;
    case "refused":
      await keepRefusal(work.database, key2, started.why);
      break;
  }
  await work.queue.send([{ kind: "pull-request", ...work.place, number: number50 }]);
}
var details2 = z86.object({ workflow_run_id: z86.number() });
async function start(work, workflow, inputs) {
  const { github, repository: repository2 } = work;
  const { data } = await github.rest.repos.get(repository2);
  try {
    const answer4 = await github.request("POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches", {
      ...repository2,
      workflow_id: path6.posix.basename(workflow),
      ref: data.default_branch,
      inputs,
      return_run_details: true
    });
    const run2 = details2.safeParse(answer4.data);
    if (run2.success) return { kind: "started", runId: run2.data.workflow_run_id };
    return { kind: "refused", why: "it does not say which run it started" };
  } catch (error) {
    const why = refusals[statusOf(error) ?? 0];
    if (why === void 0) throw error;
    return { kind: "refused", why };
  }
}
var refusals = {
  404: "there is no such workflow on the default branch",
  422: "it has no workflow_dispatch trigger with exactly the inputs pull-request and head-sha"
};

// bot/trees.ts
async function compareTrees(work, baseSha, headSha) {
  const [base, head] = await Promise.all([readTree(work, baseSha), readTree(work, headSha)]);
  const files = [...head.blobs].filter(([path7, blobSha]) => base.blobs.get(path7) !== blobSha);
  return { files: files.map(([path7, blobSha]) => ({ path: path7, blobSha })), isCut: base.isCut || head.isCut };
}
async function readTree({ github, repository: repository2 }, commitSha) {
  const { data } = await github.rest.git.getTree({ ...repository2, tree_sha: commitSha, recursive: "true" });
  const blobs = data.tree.filter(({ type }) => type === "blob").map(({ path: path7, sha: sha4 }) => [path7, sha4]);
  return { blobs: new Map(blobs), isCut: data.truncated };
}
async function mergeBase({ github, repository: repository2 }, baseSha, headSha) {
  const { data } = await github.rest.repos.compareCommitsWithBasehead({
    ...repository2,
    basehead: `${baseSha}...${headSha}`,
    per_page: 1
  });
  return data.merge_base_commit.sha;
}

// bot/candidates.ts
var MAX_FILES = 500;
var AT_ONCE = 8;
async function candidatesOfPull(work, pull, settings) {
  const { github, repository: repository2 } = work;
  const listed2 = await github.paginate(github.rest.pulls.listFiles, {
    ...repository2,
    pull_number: pull.number,
    per_page: 100
  });
  if (listed2.length < pull.changedFiles) {
    const from2 = await mergeBase(work, pull.baseSha, pull.headSha);
    return candidatesBetween(work, from2, pull.headSha, settings);
  }
  const paths = new Set(listed2.flatMap((file) => [file.filename, file.previous_filename ?? file.filename]));
  const present4 = listed2.filter(({ status }) => status !== "removed");
  const renamed = present4.flatMap(
    ({ filename, previous_filename: former }) => former === void 0 ? [] : [[filename, former]]
  );
  return {
    ...countedFiles(
      present4.flatMap(({ filename: path7, sha: blobSha }) => blobSha === null ? [] : [{ path: path7, blobSha }]),
      settings
    ),
    formerPaths: new Map(renamed),
    changes: (path7) => paths.has(path7)
  };
}
async function candidatesBetween(work, baseSha, headSha, settings) {
  const { files, isCut } = await compareTrees(work, baseSha, headSha);
  const { blobs, remarks } = countedFiles(files, settings);
  const paths = new Set(files.map(({ path: path7 }) => path7));
  return {
    blobs,
    formerPaths: /* @__PURE__ */ new Map(),
    changes: (path7) => isCut || paths.has(path7),
    remarks: [
      ...remarks,
      ...isCut ? ["GitHub lists only a part of this repository; configs beyond it were not looked at."] : []
    ]
  };
}
function countedFiles(files, settings) {
  const blobs = files.filter(({ path: path7 }) => isCandidatePath(path7) && isCounted(path7, settings));
  if (blobs.length <= MAX_FILES) return { blobs, remarks: [] };
  return {
    blobs: blobs.slice(0, MAX_FILES),
    remarks: [`Only the first ${MAX_FILES} of ${blobs.length} files that may be training configs were read.`]
  };
}
async function readCandidates(work, ref, blobs) {
  const readings = [];
  for (let start2 = 0; start2 < blobs.length; start2 += AT_ONCE) {
    const group = blobs.slice(start2, start2 + AT_ONCE);
    readings.push(...await Promise.all(group.map(({ path: path7 }) => readFile(work, ref, path7))));
  }
  const tooLarge3 = readings.filter(({ kind }) => kind === "too-large").length;
  return {
    files: readings.flatMap((reading) => reading.kind === "file" ? [reading.file] : []),
    remarks: tooLarge3 > 0 ? [skipped(tooLarge3)] : []
  };
}
function skipped(count3) {
  return `${count3 === 1 ? "One file" : `${count3} files`} above 16 MiB ${count3 === 1 ? "was" : "were"} not read.`;
}

// bot/check.ts
import { createHash as createHash5 } from "node:crypto";
var CHECK_NAME = "MemoryMark";
var RERUN_ACTION = "rerun";
var MAX_ANNOTATIONS = 50;
var MAX_TITLE = 255;
var MAX_SUMMARY = 65535;
async function findCheck({ github, repository: repository2, appId }, headSha) {
  const { data } = await github.rest.checks.listForRef({
    ...repository2,
    ref: headSha,
    check_name: CHECK_NAME,
    app_id: appId,
    filter: "latest"
  });
  const run2 = data.check_runs.toSorted((a, b) => b.id - a.id).at(0);
  return run2 && {
    id: run2.id,
    isCompleted: run2.status === "completed",
    annotations: run2.output.annotations_count,
    digest: run2.external_id ?? ""
  };
}
async function beginCheck(work, headSha) {
  const { github, repository: repository2 } = work;
  const { data } = await github.rest.checks.create({
    ...repository2,
    name: CHECK_NAME,
    head_sha: headSha,
    status: "in_progress",
    output: {
      title: "Reading the training configs",
      summary: "MemoryMark is looking at the files this commit changes."
    }
  });
  return { id: data.id, isCompleted: false, annotations: 0, digest: "" };
}
async function keepCheck({ github, repository: repository2 }, headSha, existing, desired) {
  const digest2 = digestOf(desired);
  if (existing?.digest === digest2 && existing.isCompleted === (desired.state !== "measuring")) return existing.id;
  const hasSame = existing !== void 0 && annotationsIn(existing.digest) === annotationsIn(digest2);
  const content = { external_id: digest2, ...statusOf3(desired), ...desired.canRerun && { actions: [rerunButton] } };
  if (existing !== void 0 && (hasSame || existing.annotations === 0)) {
    const output2 = outputOf(desired, hasSame ? [] : annotationsOf2(desired));
    await github.rest.checks.update({ ...repository2, check_run_id: existing.id, ...content, output: output2 });
    return existing.id;
  }
  const output = outputOf(desired, annotationsOf2(desired));
  const { data } = await github.rest.checks.create({
    ...repository2,
    name: CHECK_NAME,
    head_sha: headSha,
    ...content,
    output
  });
  return data.id;
}
var rerunButton = { label: "Re-run", description: "Read, judge and measure again", identifier: RERUN_ACTION };
function statusOf3({ state }) {
  return state === "measuring" ? { status: "in_progress" } : { status: "completed", conclusion: state };
}
function outputOf({ title, summary: summary2, text: text3 }, annotations) {
  return {
    title: title.slice(0, MAX_TITLE),
    summary: summary2.slice(0, MAX_SUMMARY),
    text: text3,
    ...annotations.length > 0 && { annotations }
  };
}
var gravity = { failure: 0, warning: 1, notice: 2 };
function annotationsOf2({ annotations }) {
  return annotations.toSorted((a, b) => gravity[a.level] - gravity[b.level]).slice(0, MAX_ANNOTATIONS).map(({ path: path7, line: line2, level, title, message: message2 }) => ({
    path: path7,
    start_line: line2,
    end_line: line2,
    annotation_level: level,
    title: title.slice(0, MAX_TITLE),
    message: message2
  }));
}
function digestOf(desired) {
  return `${hash(annotationsOf2(desired))}/${hash({ ...desired, annotations: [] })}`;
}
function annotationsIn(digest2) {
  return digest2.split("/", 1)[0] ?? "";
}
function hash(value) {
  return createHash5("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);
}

// bot/leniency/leniency.ts
async function readLeniency(sql, key2) {
  return { acceptances: await acceptancesOf(sql, key2), snooze: await snoozeOf(sql, key2) };
}
function applyLeniency(report2, { acceptances, snooze: snooze2 }, now) {
  const active = snooze2 !== void 0 && snooze2.until > now ? snooze2 : void 0;
  const passes = report2.configs.filter(blocks).map((config) => ({ config, pass: passOf(config, acceptances, active) }));
  const byConfig = new Map(passes.map(({ config, pass }) => [config, pass]));
  const accepted = new Map(
    passes.flatMap(({ config, pass }) => pass?.kind === "accepted" ? [[config.path, pass.acceptance]] : [])
  );
  const lapsed = passes.filter(({ pass }) => pass === void 0).map(({ config }) => config);
  return {
    report: { ...report2, configs: report2.configs.map((config) => spared2(config, byConfig.get(config))) },
    remarks: [
      ...acceptances.flatMap((acceptance2) => acceptedRemark(acceptance2, accepted)),
      ...lapsed.flatMap((config) => lapsedRemark(config, acceptances)),
      ...active !== void 0 && passes.length > 0 ? [snoozedRemark(active)] : []
    ],
    isQuiet: active !== void 0,
    accepted
  };
}
function passOf(config, acceptances, snooze2) {
  const acceptance2 = acceptances.find(({ configs: configs2 }) => configs2.some((accepted) => covers(accepted, config)));
  if (acceptance2 !== void 0) return { kind: "accepted", acceptance: acceptance2 };
  const mayWait = config.status === "not-analysed" || !isOutOfMemory(config);
  return snooze2 !== void 0 && mayWait ? { kind: "snoozed" } : void 0;
}
function spared2(config, pass) {
  if (pass === void 0) return config;
  if (config.status === "not-analysed") return { ...config, spared: pass.kind };
  return { ...config, verdict: letPass(config.verdict, pass.kind) };
}
function blocks(config) {
  return config.status === "not-analysed" || config.verdict.state === "blocked";
}
var MAX_PATHS2 = 10;
function acceptedRemark(acceptance2, accepted) {
  const paths = [...accepted].filter(([, by]) => by === acceptance2).map(([path7]) => path7);
  if (paths.length === 0) return [];
  const named3 = paths.slice(0, MAX_PATHS2).map((path7) => inlinePath(path7));
  const rest = paths.length > MAX_PATHS2 ? [`${paths.length - MAX_PATHS2} more`] : [];
  return [
    `Accepted by ${inlineCode(acceptance2.by)} on ${dateOf(acceptance2.at)}: ${escapeText(acceptance2.reason)}. This covers ${[...named3, ...rest].join(", ")}, until it gets worse.`
  ];
}
function lapsedRemark(config, acceptances) {
  const before = acceptances.find(({ configs: configs2 }) => configs2.some(({ path: path7 }) => path7 === config.path));
  if (before === void 0) return [];
  return [
    `What ${inlineCode(before.by)} accepted of ${inlinePath(config.path)} on ${dateOf(before.at)} no longer covers it: it got worse.`
  ];
}
function snoozedRemark({ by, until: until2 }) {
  return `Put off by ${inlineCode(by)} until ${dateOf(until2)}; what goes out of memory blocks all the same.`;
}
function dateOf(at) {
  return at.toISOString().slice(0, 10);
}

// bot/measurement/words.ts
function measurementNote(measurement, headSha) {
  switch (measurement.kind) {
    case "not-due":
    case "measured":
      return void 0;
    case "waiting":
      return `These are estimates; a GPU run is due and will replace them. ${waitingFor(measurement)}`;
    case "unusable":
      return `The report of the workflow run was not used: ${measurement.why}.`;
    case "ended":
      return `These are estimates: ${endedBy2(measurement, headSha)}`;
  }
}
function waitingFor({ for: what, workflow }) {
  const named3 = inlineCode(workflow);
  switch (what) {
    case "dispatch":
    case "start":
      return `Waiting for ${named3} to start.`;
    case "runner":
      return `${named3} waits for a runner.`;
    case "absent-runner":
      return `No runner has taken ${named3} so far. See that one with the labels of its jobs is online.`;
    case "result":
      return `${named3} is running.`;
  }
}
function endedBy2({ how, workflow, why }, headSha) {
  const named3 = inlineCode(workflow);
  switch (how) {
    case "needs-leave":
      return `a GPU measures a newcomer's commit only when someone with write access comments ${inlineCode(`/memorymark ok ${headSha}`)}.`;
    case "needs-approval":
      return `${named3} waits for approval. Someone with write access can approve its run on the Actions page.`;
    case "refused":
      return `GitHub did not start ${named3}: ${why ?? "it gave no reason"}. Mend that, then re-run this check.`;
    case "not-started":
      return `${named3} did not start for this commit. See that it is on the default branch and that no filter skips it, then re-run this check.`;
    case "queued-too-long":
      return `no runner took ${named3} in time. Bring one with the labels of its jobs online, then re-run this check.`;
    case "timed-out":
      return `${named3} did not finish in time. Look at its log, then re-run this check.`;
    case "cancelled":
      return `${named3} was cancelled. Re-run this check to measure again.`;
    case "failed":
      return `${named3} failed before it had a report. Look at its log, then re-run this check.`;
    case "without-report":
      return `${named3} finished and left no report about these configs. See that it uploads the artifact memorymark-report, then re-run this check.`;
    case "not-measured":
      return `${named3} reported, but not from a GPU. See that its runner has one, then re-run this check.`;
  }
}

// bot/suggestions/hints.ts
function hintsFor(report2) {
  const state = verdictState(report2);
  if (state === "nothing-to-measure" || state === "fine") return [];
  return [
    ...hasChange(report2) ? [`${inlineCode("/memorymark fix")} opens a pull request with the change`] : [],
    ...state === "blocked" ? [`${inlineCode("/memorymark accept <reason>")} lets it pass`] : []
  ];
}
function hasChange({ configs: configs2 }) {
  return configs2.some(
    (config) => config.status === "analysed" && config.verdict.state !== "fine" && config.recommended !== void 0 && config.recommended.microBatch !== config.current.microBatch
  );
}

// bot/pull-request/desired.ts
function desiredCheck({ headSha, report: report2, measurement, gaps, remarks }) {
  const check = renderCheck(report2, { hints: hintsFor(report2) });
  const hasConfigs = report2.configs.length > 0;
  const note = hasConfigs ? measurementNote(measurement, headSha) : void 0;
  const notes = [gaps.join(" "), ...note === void 0 ? [] : [note], ...remarks].filter((text3) => text3 !== "");
  const conclusion2 = !hasConfigs && gaps.length > 0 ? "neutral" : check.conclusion;
  return {
    ...check,
    ...hasConfigs ? stateWith(measurement, check.title, conclusion2) : { title: check.title, state: conclusion2 },
    summary: [...notes, check.summary].join("\n\n"),
    canRerun: hasConfigs
  };
}
function stateWith(measurement, title, conclusion2) {
  switch (measurement.kind) {
    case "not-due":
    case "measured":
      return { title, state: conclusion2 };
    case "waiting":
      return { title: `${title}; measuring…`, state: "measuring" };
    case "unusable":
      return measurement.isDue ? { title: `${title}; not measured`, state: ungreen(conclusion2) } : { title, state: conclusion2 };
    case "ended":
      return { title: `${title}; ${endings[measurement.how]}`, state: ungreen(conclusion2) };
  }
}
var endings = {
  "needs-leave": "measuring needs leave",
  "needs-approval": "measuring needs approval",
  refused: "not measured",
  "not-started": "not measured",
  "queued-too-long": "no runner took the measurement",
  "timed-out": "the measurement timed out",
  cancelled: "the measurement was cancelled",
  failed: "the measurement failed",
  "without-report": "not measured",
  "not-measured": "not measured"
};
function ungreen(conclusion2) {
  return conclusion2 === "success" ? "neutral" : conclusion2;
}
function desiredComment({ report: report2, measurement, gaps, remarks }) {
  const [note] = commentNote(measurement);
  return renderComment(report2, {
    ...note !== void 0 && { statusNote: note },
    remarks: [...gaps.length === 0 ? [] : [gaps.join(" ")], ...remarks],
    hints: hintsFor(report2)
  });
}
function commentNote(measurement) {
  switch (measurement.kind) {
    case "waiting":
      return ["A GPU run is due and will replace these estimates."];
    case "ended":
      return ["The GPU run brought no measurement, so these are estimates; the check says why."];
    case "unusable":
    case "not-due":
    case "measured":
      return [];
  }
}
function failedCheck(error) {
  return {
    title: "MemoryMark could not finish",
    summary: `${wordsFor(error)} Re-run this check to try again.`,
    text: "",
    annotations: [],
    state: "failure",
    canRerun: true
  };
}
function wordsFor(error) {
  if (error instanceof MemoryMarkError) return `${error.problem.message}. ${error.problem.fix}`;
  return "Something went wrong on our side, and the log of the bot says what.";
}
var supersededCheck = {
  title: "No longer measured",
  summary: "The pull request has a newer commit or is closed, so this one is not measured any more. A newer commit has a check of its own.",
  text: "",
  annotations: [],
  state: "cancelled",
  canRerun: false
};

// bot/pull-request/reported.ts
async function withReported(work, estimate, candidates, { baseSha, headSha }) {
  const judged = new Set(estimate.configs.map(({ path: path7 }) => path7));
  const blobs = candidates.blobs.filter(({ path: path7 }) => judged.has(path7));
  const known3 = Map.groupBy(await reportedConfigs(work.database, work.place, headSha, blobs), ({ path: path7 }) => path7);
  const holding = /* @__PURE__ */ new Map();
  for (const [path7, variants] of known3) {
    const baseBlobSha = await baseBlobOf(work, baseSha, candidates, path7);
    const one = variants.find((variant) => variant.baseBlobSha === baseBlobSha);
    if (one !== void 0) holding.set(path7, one);
  }
  const [first] = holding.values();
  if (first === void 0) return estimate;
  return {
    ...estimate,
    // The words of the policy belong to the verdicts that it made.
    policy: first.policy,
    configs: estimate.configs.map((config) => holding.get(config.path)?.result ?? config)
  };
}
function lacksMeasurement({ configs: configs2 }) {
  return configs2.some((config) => config.status === "analysed" && config.provenance !== "measured");
}

// bot/pull-request/judge.ts
async function judgePull(work, pull, onMany = async () => {
}) {
  const { settings, remarks } = await readTeamSettings(work);
  const candidates = await candidatesOfPull(work, pull, settings);
  if (candidates.blobs.length > FEW_FILES) await onMany();
  const read12 = await readCandidates(work, pull.headSha, candidates.blobs);
  const models = modelsAt(work, pull.headSha);
  const estimate = await work.analyze(read12.files, { settings, models, base: baseOf(work, pull.baseSha, candidates) });
  const { report: report2, measurement } = await measured(work, pull, { settings, candidates, estimate });
  const gaps = [...remarks, ...candidates.remarks, ...read12.remarks];
  return { report: report2, files: read12.files, settings, models, measurement, gaps };
}
var FEW_FILES = 20;
function modelsAt(work, headSha) {
  return { readFile: (path7) => readText(work, headSha, path7), ...work.hub && { hub: work.hub } };
}
function baseOf(work, baseSha, { formerPaths }) {
  return (path7) => readText(work, baseSha, formerPaths.get(path7) ?? path7);
}
async function measured(work, pull, { settings, candidates, estimate }) {
  if (estimate.configs.length === 0) return { report: estimate, measurement: { kind: "not-due" } };
  const known3 = await withReported(work, estimate, candidates, pull);
  const plan = planOf2(settings, work.workflowPath);
  if (plan.isDue && !lacksMeasurement(known3)) return { report: known3, measurement: { kind: "measured" } };
  const measurement = await lookAtRun(work, plan, { pull, candidates, now: /* @__PURE__ */ new Date() });
  const report2 = await withReported(work, estimate, candidates, pull);
  const isLacking = measurement.kind === "measured" && lacksMeasurement(report2);
  return {
    report: report2,
    measurement: isLacking ? { kind: "ended", how: "not-measured", workflow: plan.workflow } : measurement
  };
}

// bot/merge-group.ts
async function answerMergeGroup(work, group) {
  const { headSha } = group;
  const check = await findCheck(work, headSha);
  try {
    await keepCheck(work, headSha, check, await judgeGroup(work, group));
  } catch (error) {
    if (failureOf(error, /* @__PURE__ */ new Date()).kind !== "fault") throw error;
    await keepCheck(work, headSha, check, failedCheck(error));
    throw error;
  }
}
async function giveUpOnGroup(work, { headSha }) {
  const check = await findCheck(work, headSha);
  if (check?.isCompleted !== true) await keepCheck(work, headSha, check, failedCheck(void 0));
}
async function judgeGroup(work, group) {
  const { headSha, baseSha } = group;
  const { settings, remarks } = await readTeamSettings(work);
  const candidates = await candidatesBetween(work, baseSha, headSha, settings);
  const read12 = await readCandidates(work, headSha, candidates.blobs);
  const models = modelsAt(work, headSha);
  const estimate = await work.analyze(read12.files, { settings, models, base: baseOf(work, baseSha, candidates) });
  const judged = await withReported(work, estimate, candidates, group);
  const { report: report2, remarks: letPass2 } = await lenientFor(work, judged, group.pullNumber);
  const gaps = [...remarks, ...candidates.remarks, ...read12.remarks];
  return desiredCheck({ headSha, report: report2, measurement: { kind: "not-due" }, gaps, remarks: letPass2 });
}
async function lenientFor({ database, place: place2 }, report2, pullNumber) {
  if (pullNumber === void 0) return { report: report2, remarks: [] };
  return applyLeniency(report2, await readLeniency(database, { ...place2, pullNumber }), /* @__PURE__ */ new Date());
}

// bot/pull-request/resolve.ts
import * as z87 from "zod";
async function resolveCommit(work, { headSha, headOwner, headBranch }) {
  const numbers = await pullRequestsAt(work, { headSha, owner: headOwner, branch: headBranch });
  await sendUpdates(work, numbers);
}
async function resolveRun(work, runId) {
  const dispatched = await dispatchedFor(work.database, work.place, runId);
  if (dispatched !== void 0) return sendUpdates(work, [dispatched.pullNumber]);
  const { data: run2 } = await work.github.rest.actions.getWorkflowRun({ ...work.repository, run_id: runId });
  const head = headRepository.safeParse(run2.head_repository);
  const commit = { headSha: run2.head_sha, owner: head.data?.owner.login, branch: run2.head_branch };
  await sendUpdates(work, await pullRequestsAt(work, commit));
}
var headRepository = z87.object({ owner: z87.object({ login: z87.string() }) });
async function sendUpdates({ queue, place: place2 }, numbers) {
  await queue.send(numbers.map((number50) => ({ kind: "pull-request", ...place2, number: number50 })));
}

// bot/pull-request/superseded.ts
async function leaveSuperseded({ database, queue, place: place2 }, pull) {
  const headSha = pull.isOpen ? pull.headSha : void 0;
  const left = await supersededChecks(database, place2, { number: pull.number, headSha });
  await queue.send(left.map(({ headSha: headSha2, checkRunId }) => ({ kind: "superseded", ...place2, headSha: headSha2, checkRunId })));
}
async function endSuperseded(work, { headSha, checkRunId }) {
  const check = { id: checkRunId, isCompleted: false, annotations: 0, digest: "" };
  await keepCheck(work, headSha, check, supersededCheck);
  await cancelRun(work, headSha);
  await forgetOpenCheck(work.database, work.place, checkRunId);
}
async function cancelRun({ github, repository: repository2, database, place: place2 }, headSha) {
  const runId = await dispatchedAt(database, place2, headSha);
  if (runId === void 0) return;
  await github.rest.actions.cancelWorkflowRun({ ...repository2, run_id: runId }).catch((error) => {
    if (statusOf(error) !== 409 && statusOf(error) !== 404) throw error;
  });
}

// bot/comment.ts
var nothingLeft = `${commentMarker}

### MemoryMark

${nothingToMeasure}.`;
async function keepComment(work, pullNumber, body2) {
  const { github, repository: repository2 } = work;
  const [own2, ...others] = await ownComments(work, pullNumber);
  const extra = others.at(-1);
  if (extra !== void 0) {
    await github.rest.issues.deleteComment({ ...repository2, comment_id: extra.id });
    return false;
  }
  if (own2 === void 0) {
    if (body2 !== void 0) await github.rest.issues.createComment({ ...repository2, issue_number: pullNumber, body: body2 });
    return true;
  }
  const next = body2 ?? nothingLeft;
  if (own2.body !== next) await github.rest.issues.updateComment({ ...repository2, comment_id: own2.id, body: next });
  return true;
}
async function ownComments({ github, repository: repository2, appId }, pullNumber) {
  const comments = await github.paginate(github.rest.issues.listComments, {
    ...repository2,
    issue_number: pullNumber,
    per_page: 100
  });
  return comments.filter(
    (comment3) => comment3.performed_via_github_app?.id === appId && comment3.body?.includes(commentMarker) === true
  );
}

// bot/reports/decision.ts
async function noteDecision({ database, place: place2 }, pull, judged, lenient) {
  const decision2 = decisionOn(pull, judged, lenient);
  if (decision2 !== void 0) await keepDecision(database, place2, decision2);
}
function decisionOn({ number: number50, title, author }, judged, { report: report2, accepted }) {
  const common2 = {
    pullRequest: number50,
    title: title.slice(0, 500),
    // GitHub's stand-in for an account that is gone.
    author: author ?? "ghost",
    at: judged.createdAt
  };
  const still = blockedIn(report2);
  if (still.length > 0) return { kind: "blocked", ...common2, configs: still };
  const [acceptance2] = accepted.values();
  if (acceptance2 === void 0) return void 0;
  const { by, reason: reason2 } = acceptance2;
  return { kind: "accepted", ...common2, acceptedBy: by, reason: reason2, configs: blockedIn(judged) };
}
function blockedIn(report2) {
  return analysedIn(report2).filter(({ verdict: verdict3 }) => verdict3.state === "blocked").map(({ path: path7, verdict: verdict3 }) => ({ path: path7, verdict: verdict3 }));
}

// bot/suggestions/diff.ts
var hunkHeader = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/gm;
function shownLines(patch) {
  return Array.from(patch.matchAll(hunkHeader), ([, start2 = "", count3 = "1"]) => ({
    first: Number(start2),
    last: Number(start2) + Number(count3) - 1
  })).filter(({ first, last }) => last >= first);
}
function isShown({ first, last }, patch) {
  return shownLines(patch).some((hunk) => hunk.first <= first && last <= hunk.last);
}

// bot/suggestions/suggest.ts
var MAX_SUGGESTIONS = 20;
async function suggestionsFor(judged, report2) {
  const blocking = new Set(report2.configs.filter(isToChange).map(({ path: path7 }) => path7));
  const { changes: changes2 } = await proposalsFor(judged);
  return changes2.filter(({ change: change2 }) => blocking.has(change2.path)).flatMap(({ config, change: change2 }) => renderSuggestion(change2, config) ?? []).slice(0, MAX_SUGGESTIONS);
}
function isToChange(config) {
  if (config.status === "not-analysed" || config.verdict.state === "fine") return false;
  return config.verdict.reasons.every(({ spared: spared3 }) => spared3 !== "accepted" && spared3 !== "snoozed");
}
async function suggest2(work, { number: number50, headSha, suggestions }) {
  const pull = await readPullRequest(work, number50);
  if (!pull.isOpen || pull.headSha !== headSha) return;
  const patches2 = await patchesOf(work, number50);
  const shown2 = suggestions.filter(({ path: path7, lines }) => isShown(lines, patches2.get(path7) ?? ""));
  const known3 = shown2.length === 0 ? /* @__PURE__ */ new Set() : await knownMarkers(work, number50);
  const comments = shown2.filter(({ marker }) => !known3.has(marker));
  if (comments.length === 0) return;
  await work.github.rest.pulls.createReview({
    ...work.repository,
    pull_number: number50,
    commit_id: headSha,
    event: "COMMENT",
    body: "The change that the comment of MemoryMark explains.",
    comments: comments.map(({ path: path7, lines: { first, last }, body: body2 }) => ({
      path: path7,
      body: body2,
      side: "RIGHT",
      line: last,
      ...first < last && { start_line: first, start_side: "RIGHT" }
    }))
  });
}
async function patchesOf({ github, repository: repository2 }, number50) {
  const files = await github.paginate(github.rest.pulls.listFiles, {
    ...repository2,
    pull_number: number50,
    per_page: 100
  });
  return new Map(files.flatMap(({ filename, patch }) => patch === void 0 ? [] : [[filename, patch]]));
}
async function knownMarkers({ github, repository: repository2 }, number50) {
  const comments = await github.paginate(github.rest.pulls.listReviewComments, {
    ...repository2,
    pull_number: number50,
    per_page: 100
  });
  return new Set(comments.flatMap(({ user, body: body2 }) => user.type === "Bot" ? suggestionMarkerIn(body2) ?? [] : []));
}

// bot/pull-request/check-slot.ts
var BEGUN_MINUTES = 5;
var CheckSlot = class {
  #work;
  #pull;
  #check;
  #isKept = false;
  constructor(work, pull, check) {
    this.#work = work;
    this.#pull = pull;
    this.#check = check;
  }
  get isCompleted() {
    return this.#check?.isCompleted === true;
  }
  /** Whether it says what it should. */
  get isKept() {
    return this.#isKept;
  }
  /** Does nothing where there is a check already: what it says stands until there is something else to say. */
  async begin() {
    if (this.#check !== void 0) return;
    this.#check = await beginCheck(this.#work, this.#pull.headSha);
    await this.#lookAgain(this.#check.id, new Date(Date.now() + BEGUN_MINUTES * 6e4));
  }
  /** `lookAgainAt` belongs to a check in progress: by then it is looked at again, whatever else happens. */
  async keep(desired, lookAgainAt2) {
    const id7 = await keepCheck(this.#work, this.#pull.headSha, this.#check, desired);
    this.#work.metrics.verdict(desired.state);
    if (lookAgainAt2 === void 0) await forgetOpenCheck(this.#work.database, this.#work.place, id7);
    else await this.#lookAgain(id7, lookAgainAt2);
    this.#isKept = true;
  }
  async #lookAgain(checkRunId, at) {
    const { database, place: place2 } = this.#work;
    const { number: pullNumber, headSha } = this.#pull;
    await keepOpenCheck(database, { ...place2, pullNumber, headSha, checkRunId }, at);
  }
};

// bot/pull-request/update.ts
async function updatePullRequest(work, number50) {
  const pull = await readPullRequest(work, number50);
  await leaveSuperseded(work, pull);
  if (!pull.isOpen) return;
  const commit = { ...work.place, headSha: pull.headSha };
  const rerun3 = await openRerun(work.database, commit);
  if (rerun3 !== void 0) await renewMeasurements(work.database, work.place, pull.headSha);
  const slot = new CheckSlot(work, pull, rerun3 === void 0 ? await findCheck(work, pull.headSha) : void 0);
  try {
    await tell(work, pull, slot);
    await keepSeen(work.database, { ...work.place, pullNumber: number50 }, pull.headSha);
    work.log.info({ pull: number50, head: pull.headSha }, "A pull request is up to date");
  } catch (error) {
    if (failureOf(error, /* @__PURE__ */ new Date()).kind !== "fault") throw error;
    await slot.keep(failedCheck(error), void 0);
    throw error;
  } finally {
    if (rerun3 !== void 0 && slot.isKept) await answerRerun(work.database, commit, rerun3);
  }
}
async function giveUpOn(work, number50) {
  const pull = await readPullRequest(work, number50);
  if (!pull.isOpen) return;
  const slot = new CheckSlot(work, pull, await findCheck(work, pull.headSha));
  if (!slot.isCompleted) await slot.keep(failedCheck(void 0), void 0);
}
async function tell(work, pull, slot) {
  const judgement = await judgePull(work, pull, () => slot.begin());
  const leniency = await readLeniency(work.database, { ...work.place, pullNumber: pull.number });
  const lenient = applyLeniency(judgement.report, leniency, /* @__PURE__ */ new Date());
  const { report: report2, remarks, isQuiet } = lenient;
  const findings2 = { ...judgement, headSha: pull.headSha, report: report2, remarks };
  await slot.keep(desiredCheck(findings2), lookAgainAt(judgement.measurement));
  await startMeasuring(work, pull, judgement.measurement);
  await noteDecision(work, pull, judgement.report, lenient);
  if (isQuiet) return;
  await comment(work, pull, findings2);
  if (judgement.measurement.kind !== "waiting")
    await startSuggesting(work, pull, await suggestionsFor(judgement, report2));
}
function lookAgainAt(measurement) {
  return measurement.kind === "waiting" ? measurement.lookAgainAt : void 0;
}
async function startMeasuring({ queue, place: place2 }, pull, measurement) {
  if (measurement.kind !== "waiting" || measurement.for !== "dispatch") return;
  await queue.send([{ kind: "dispatch", ...place2, number: pull.number, headSha: pull.headSha }]);
}
async function startSuggesting({ queue, place: place2 }, { number: number50, headSha }, suggestions) {
  if (suggestions.length === 0) return;
  await queue.send([{ kind: "suggest", ...place2, number: number50, headSha, suggestions: [...suggestions] }]);
}
async function comment(work, pull, findings2) {
  const current = await readPullRequest(work, pull.number);
  if (!current.isOpen || current.headSha !== pull.headSha) return;
  const isOne = await keepComment(work, pull.number, desiredComment(findings2));
  if (!isOne) await work.queue.send([{ kind: "pull-request", ...work.place, number: pull.number }]);
}

// bot/redelivery.ts
var MAX_ATTEMPTS = 5;
var MAX_PAGES = 20;
async function redeliverMissed(asApp, since) {
  const missed = missedIn(await attemptsSince(asApp, since));
  for (const id7 of missed) await asApp.rest.apps.redeliverWebhookDelivery({ delivery_id: id7 });
  return missed.length;
}
async function attemptsSince(asApp, since) {
  const attempts = [];
  let pages = 0;
  for await (const { data } of asApp.paginate.iterator(asApp.rest.apps.listWebhookDeliveries, { per_page: 100 })) {
    const recent = data.filter(({ delivered_at: at }) => Date.parse(at) >= since.getTime());
    attempts.push(...recent);
    pages += 1;
    if (recent.length < data.length || pages === MAX_PAGES) break;
  }
  return attempts;
}
function missedIn(newestFirst) {
  const byWebhook = Map.groupBy(newestFirst, ({ guid }) => guid);
  const missed = [...byWebhook.values()].filter(
    (attempts) => attempts.length < MAX_ATTEMPTS && !attempts.some(({ status_code: status }) => isTaken(status))
  );
  return missed.flatMap((attempts) => attempts.slice(0, 1).map(({ id: id7 }) => id7)).reverse();
}
function isTaken(status) {
  return status >= 200 && status < 300;
}

// bot/reconcile.ts
var ACTIVE_MILLIS = 48 * 36e5;
var REDELIVERED_MILLIS = { active: 36e5, all: 72 * 36e5 };
var MAX_PULLS = 100;
var MAX_RUNS = 50;
async function reconcile(options, scope) {
  const { app, log, signal } = options;
  const asApp = await app.asApp();
  let passing2;
  const note = (error, of, words3) => {
    signal.throwIfAborted();
    log.warn({ err: error, ...of }, words3);
    const { kind } = failureOf(error, /* @__PURE__ */ new Date());
    if (kind === "passing" || kind === "limited") passing2 = error;
  };
  try {
    const count3 = await redeliverMissed(asApp, new Date(Date.now() - REDELIVERED_MILLIS[scope]));
    if (count3 > 0) log.info({ count: count3 }, "GitHub was asked to deliver again what nobody took");
  } catch (error) {
    note(error, {}, "Missed webhooks could not be asked for");
  }
  const installations = await asApp.paginate(asApp.rest.apps.listInstallations, { per_page: 100 });
  for (const { id: id7, suspended_at: suspendedAt } of installations) {
    if (suspendedAt !== null && suspendedAt !== void 0) continue;
    try {
      await reconcileInstallation(options, id7, scope);
    } catch (error) {
      note(error, { installation: id7 }, "An installation could not be compared with GitHub");
    }
  }
  if (passing2 !== void 0) throw passing2;
}
async function reconcileInstallation({ app, database, queue, workflowPath, signal }, installationId2, scope) {
  const github = await app.inInstallation(installationId2, signal);
  const repositories2 = await github.paginate(github.rest.apps.listReposAccessibleToInstallation, { per_page: 100 });
  for (const { id: repositoryId, name: repo, owner, archived, pushed_at: pushedAt } of repositories2) {
    if (archived || scope === "active" && isAsleep(pushedAt)) continue;
    const place2 = { installationId: installationId2, repositoryId, owner: owner.login, repo };
    await queue.send(await missedPulls(github, database, place2));
    await queue.send(await missedRuns(github, database, place2, workflowPath));
  }
}
function isAsleep(pushedAt) {
  return pushedAt !== null && pushedAt !== void 0 && Date.parse(pushedAt) < Date.now() - ACTIVE_MILLIS;
}
async function missedPulls(github, database, place2) {
  const { data } = await github.rest.pulls.list({
    owner: place2.owner,
    repo: place2.repo,
    state: "open",
    sort: "updated",
    direction: "desc",
    per_page: MAX_PULLS
  });
  const numbers = data.map(({ number: number50 }) => number50);
  const seen = await seenPulls(database, place2, numbers);
  return data.filter(({ number: number50, head }) => seen.get(number50) !== head.sha).map(({ number: number50 }) => ({ kind: "pull-request", ...place2, number: number50 }));
}
async function missedRuns(github, database, place2, workflowPath) {
  const { data } = await github.rest.actions.listWorkflowRunsForRepo({
    owner: place2.owner,
    repo: place2.repo,
    event: "pull_request",
    status: "completed",
    per_page: MAX_RUNS
  });
  const ids = data.workflow_runs.filter(({ path: path7 }) => path7.replace(/@.*$/, "") === workflowPath).map(({ id: id7 }) => id7);
  const known3 = await seenRuns(database, place2, ids);
  return ids.filter((id7) => !known3.has(id7)).map((runId) => ({ kind: "run", ...place2, runId }));
}

// bot/reports/merge.ts
async function enterMerge(work, number50) {
  const pull = await readPullRequest(work, number50);
  const { mergedAt } = pull;
  if (mergedAt === void 0) return;
  const judged = await judgePull(work, pull);
  if (judged.report.configs.length === 0) return;
  const before = await readBefore(work, pull, judged);
  const after = await estimateOf(work, judged);
  const leniency = await readLeniency(work.database, { ...work.place, pullNumber: number50 });
  const { accepted } = applyLeniency(judged.report, leniency, mergedAt);
  const entries2 = analysedIn(judged.report).map(
    (config) => ledgerEntryOf(
      {
        ...comparable(config, after.get(config.path), before.get(config.path)),
        accepted: accepted.get(config.path)
      },
      { pullNumber: number50, mergedAt: mergedAt.toISOString() }
    )
  );
  await keepLedgerEntries(work.database, work.place, entries2);
  await work.queue.send([{ kind: "survey", ...work.place, isReportDue: false }]);
}
function comparable(config, estimate, before) {
  if (config.throughputProvenance === "measured" && before?.measured !== void 0) {
    return { before: before.measured, after: config };
  }
  return { before: before?.estimated, after: estimate ?? config };
}
async function readBefore(work, pull, judged) {
  const { formerPaths } = await candidatesOfPull(work, pull, judged.settings);
  const former = /* @__PURE__ */ new Map();
  for (const { path: path7 } of judged.report.configs) {
    const reading = await readFile(work, pull.baseSha, formerPaths.get(path7) ?? path7);
    if (reading.kind === "file") former.set(path7, reading);
  }
  const files = [...former].map(([path7, { file }]) => ({ ...file, path: path7 }));
  const estimated = await estimateOf(work, { ...judged, files });
  const blobs = [...former].map(([path7, { file, blobSha }]) => ({ path: file.path, blobSha, after: path7 }));
  const reported = await reportedConfigs(work.database, work.place, pull.baseSha, blobs);
  const measured2 = new Map(
    blobs.map(({ path: path7, after }) => {
      const results = reported.flatMap(({ path: at, result: result2 }) => at === path7 ? [result2] : []);
      return [after, results.find(isTimed)];
    })
  );
  return new Map(
    [...former.keys()].map((path7) => [path7, { estimated: estimated.get(path7), measured: measured2.get(path7) }])
  );
}
async function estimateOf(work, { files, settings, models }) {
  const report2 = await work.analyze(files, { settings, models, base: async () => void 0 });
  return new Map(analysedIn(report2).map((config) => [config.path, config]));
}
function isTimed(config) {
  return config.status === "analysed" && config.throughputProvenance === "measured";
}

// bot/reports/schedule.ts
async function schedule(work) {
  const { settings } = await readTeamSettings(work);
  await keepSchedule(work, settings);
  const known3 = await surveyNamed(work.database, work.repository);
  if (known3 === void 0) await work.queue.send([{ kind: "survey", ...work.place, isReportDue: false }]);
}
async function keepSchedule(work, settings) {
  const cron = settings.reportSchedule ?? DEFAULT_SCHEDULE;
  if (cron === "never") await endSchedule(work);
  else await work.queue.repeat(reportOf(work), cron);
}
async function endSchedule(work) {
  await work.queue.noLonger(reportOf(work));
}
function reportOf({ place: place2 }) {
  return { kind: "survey", ...place2, isReportDue: true };
}

// bot/reports/branch.ts
async function readDefaultBranch(work) {
  const branch = await defaultBranch(work);
  const team = await readTeamSettings(work);
  const { blobs: all, isCut } = await readTree(work, branch.commit);
  const files = [...all].map(([path7, blobSha]) => ({ path: path7, blobSha }));
  const counted2 = countedFiles(files, team.settings);
  const read12 = await readCandidates(work, branch.commit, counted2.blobs);
  const estimate = await work.analyze(read12.files, {
    settings: team.settings,
    models: { readFile: (path7) => readText(work, branch.commit, path7) },
    base: async () => void 0
  });
  return {
    branch,
    report: await withMeasured(work, estimate, branch.commit, counted2.blobs),
    settings: team.settings,
    remarks: [
      ...team.remarks,
      ...isCut ? ["GitHub lists only a part of this repository; configs beyond it were not looked at."] : [],
      ...counted2.remarks,
      ...read12.remarks
    ]
  };
}
async function defaultBranch({ github, repository: repository2 }) {
  const { data } = await github.rest.repos.get(repository2);
  const { data: branch } = await github.rest.repos.getBranch({ ...repository2, branch: data.default_branch });
  return { name: data.default_branch, commit: branch.commit.sha, hasIssues: data.has_issues };
}
async function withMeasured({ database, place: place2 }, estimate, commit, blobs) {
  const reported = await reportedConfigs(database, place2, commit, blobs);
  const measured2 = new Map(
    reported.flatMap(
      ({ path: path7, result: result2 }) => result2.status === "analysed" && result2.provenance === "measured" ? [[path7, result2]] : []
    )
  );
  return {
    ...estimate,
    configs: estimate.configs.map((config) => {
      const known3 = measured2.get(config.path);
      return known3 === void 0 ? config : judgedAlone(known3, estimate.policy);
    })
  };
}

// bot/reports/issue.ts
var SOONEST_MILLIS = 12 * 36e5;
async function reportOn(work, reading, botLogin) {
  const { database, place: place2 } = work;
  if (!reading.branch.hasIssues) return;
  const last = await lastReport(database, place2);
  if (last === void 0 ? reading.report.configs.length === 0 : isTooSoon(last.report, reading.report)) return;
  const body2 = await bodyOf(work, reading, last?.report);
  const issueNumber = await keepIssue(work, body2, last?.issueNumber, botLogin);
  await keepReport(database, place2, { issueNumber, report: withoutTrials(reading.report) });
}
function isTooSoon(last, now) {
  return Date.parse(now.createdAt) - Date.parse(last.createdAt) < SOONEST_MILLIS;
}
async function bodyOf({ database, place: place2 }, { branch, report: report2, remarks }, last) {
  const entries2 = (await ledgerEntries(database, place2)).map(({ entry }) => entry);
  const first = entries2.at(-1);
  return renderRepositoryReport({
    branch: branch.name,
    commit: branch.commit,
    report: report2,
    last,
    ledger: { entries: entries2, since: first && new Date(first.mergedAt) },
    remarks
  });
}
async function keepIssue(work, body2, known3, botLogin) {
  const { github, repository: repository2 } = work;
  const number50 = known3 ?? await findIssue(work, await botLogin());
  if (number50 !== void 0 && await updateIssue(work, number50, body2)) return number50;
  const { data } = await github.rest.issues.create({ ...repository2, title: repositoryReportTitle, body: body2 });
  return data.number;
}
async function updateIssue({ github, repository: repository2 }, number50, body2) {
  try {
    await github.rest.issues.update({ ...repository2, issue_number: number50, body: body2 });
    return true;
  } catch (error) {
    const status = statusOf(error);
    if (status === 404 || status === 410) return false;
    throw error;
  }
}
async function findIssue({ github, repository: repository2, appId }, creator) {
  const issues = await github.paginate(github.rest.issues.listForRepo, {
    ...repository2,
    creator,
    state: "all",
    per_page: 100
  });
  return issues.find(
    ({ performed_via_github_app: app, pull_request: pull, body: body2 }) => app?.id === appId && pull === void 0 && body2?.startsWith(repositoryReportMarker) === true
  )?.number;
}
function withoutTrials(report2) {
  return {
    ...report2,
    configs: report2.configs.map(
      (config) => config.status === "analysed" ? { ...config, trials: [], throughputCurve: [] } : config
    )
  };
}

// bot/reports/record.ts
function recordOf(config, commit, at) {
  const { path: path7, spec: spec2, gpu: gpu2, provenance: provenance2, errorBandPercent: errorBandPercent2, throughputProvenance: throughputProvenance3, current, recommended } = config;
  return {
    path: path7,
    model: spec2.model,
    gpu: gpu2,
    commit,
    at: at.toISOString(),
    provenance: provenance2,
    errorBandPercent: errorBandPercent2,
    throughputProvenance: throughputProvenance3,
    current,
    ...recommended && { recommended },
    speedup: config.speedup,
    savingsPerYearUsd: config.savingsPerYearUsd,
    verdict: config.verdict
  };
}

// bot/reports/survey.ts
async function survey(work, { isReportDue, botLogin }) {
  const reading = await readDefaultBranch(work).catch(async (error) => {
    if (statusOf(error) === 404) await endSchedule(work);
    throw error;
  });
  await keepSchedule(work, reading.settings);
  await keep(work, reading);
  if (isReportDue && reading.settings.reportSchedule !== "never") await reportOn(work, reading, botLogin);
}
async function keep({ database, place: place2 }, { branch, report: report2 }) {
  const configs2 = analysedIn(report2);
  const at = new Date(report2.createdAt);
  await database.transaction(async (sql) => {
    await keepSurvey(sql, place2, {
      owner: place2.owner,
      repo: place2.repo,
      commit: branch.commit,
      configs: report2.configs.length,
      blocked: configs2.filter(({ verdict: verdict3 }) => verdict3.state === "blocked").length,
      savingsPerYearUsd: configs2.reduce((sum2, config) => sum2 + Math.max(0, config.savingsPerYearUsd), 0),
      at
    });
    await keepConfigRecords(
      sql,
      place2,
      configs2.map((config) => recordOf(config, branch.commit, at))
    );
  });
}

// bot/sweep.ts
var MAX_AT_ONCE = 500;
async function sweep(database, queue) {
  const overdue = await overdueChecks(database, MAX_AT_ONCE);
  await queue.send(overdue.map(updateOf));
  await database.transaction(async (sql) => {
    const ended2 = await endSnoozes(sql, /* @__PURE__ */ new Date());
    await queue.send(ended2.map(updateOf), { sql });
  });
}
function updateOf({ pullNumber, installationId: installationId2, repositoryId, owner, repo }) {
  return { kind: "pull-request", installationId: installationId2, repositoryId, owner, repo, number: pullNumber };
}

// bot/perform.ts
var BUSY_SECONDS = 1;
var Performer = class {
  #options;
  /** Until when GitHub asked an installation's jobs to wait, in milliseconds of the epoch. */
  #pausedUntil = /* @__PURE__ */ new Map();
  constructor(options) {
    this.#options = options;
  }
  /** Rejects when the job is to be tried again. */
  async perform(job2, signal) {
    const pause = this.#pauseSeconds(job2);
    if (pause > 0) return { kind: "later", afterSeconds: pause };
    const held = await this.#options.database.exclusively(
      keyOf(job2),
      (lost) => this.#attempt(job2, AbortSignal.any([signal, lost]))
    );
    return held.kind === "busy" ? { kind: "later", afterSeconds: BUSY_SECONDS } : held.value;
  }
  /** For a job that failed too often: says so where people look. Rejects when that fails too. */
  async giveUp(job2, signal) {
    this.#options.log.error({ job: keyOf(job2) }, "A job failed too often and is given up");
    if (job2.kind === "pull-request") await giveUpOn(await this.#workOn(job2, signal), job2.number);
    if (job2.kind === "merge-group") await giveUpOnGroup(await this.#workOn(job2, signal), job2);
    return { kind: "done" };
  }
  async #attempt(job2, signal) {
    try {
      await this.#run(job2, signal);
      return { kind: "done" };
    } catch (error) {
      const failure = failureOf(error, /* @__PURE__ */ new Date());
      switch (failure.kind) {
        case "limited":
          this.#pause(job2, failure.afterSeconds);
          return { kind: "later", afterSeconds: failure.afterSeconds };
        case "gone":
          this.#options.log.info({ err: error, job: keyOf(job2) }, "What a job was about is gone");
          return { kind: "done" };
        case "forbidden":
          this.#options.log.error({ err: error, job: keyOf(job2) }, "The installation lacks a permission");
          return { kind: "done" };
        case "fault":
          this.#options.log.error({ err: error, job: keyOf(job2) }, "A job failed by a fault of ours");
          return { kind: "done" };
        case "passing":
          throw error;
      }
    }
  }
  async #run(job2, signal) {
    const { app, database, queue, log, workflowPath, retention } = this.#options;
    switch (job2.kind) {
      case "pull-request":
        return updatePullRequest(await this.#workOn(job2, signal), job2.number);
      case "commit":
        return resolveCommit(await this.#workOn(job2, signal), job2);
      case "run":
        return resolveRun(await this.#workOn(job2, signal), job2.runId);
      case "merge-group":
        return answerMergeGroup(await this.#workOn(job2, signal), job2);
      case "dispatch":
        return dispatchMeasurement(await this.#workOn(job2, signal), job2);
      case "superseded":
        return endSuperseded(await this.#workOn(job2, signal), job2);
      case "command":
        return runCommand(await this.#workOn(job2, signal), job2, judgePull);
      case "suggest":
        return suggest2(await this.#workOn(job2, signal), job2);
      case "merged":
        return enterMerge(await this.#workOn(job2, signal), job2.number);
      case "survey":
        return survey(await this.#workOn(job2, signal), { ...job2, botLogin: app.botLogin });
      case "schedule":
        return schedule(await this.#workOn(job2, signal));
      case "departure":
        return noteDeparture(database, job2.installationId, /* @__PURE__ */ new Date());
      case "housekeeping":
        return keepHouse({ app, database, queue, log, signal, ...retention, now: /* @__PURE__ */ new Date() });
      case "sweep":
        return sweep(database, queue);
      case "reconcile":
        return reconcile({ app, database, queue, log, signal, workflowPath }, job2.scope);
    }
  }
  async #workOn(place2, signal) {
    const { app, appId, analyze: analyze2, hub, defaults: defaults2, metrics, database, queue, log, workflowPath } = this.#options;
    const { installationId: installationId2, repositoryId, owner, repo } = place2;
    return {
      github: await app.inInstallation(installationId2, signal),
      place: { installationId: installationId2, repositoryId, owner, repo },
      repository: { owner, repo },
      appId,
      analyze: analyze2,
      hub,
      defaults: defaults2,
      metrics,
      database,
      queue,
      log: log.child({ repository: `${owner}/${repo}` }),
      workflowPath
    };
  }
  #pause(job2, seconds) {
    if ("installationId" in job2) this.#pausedUntil.set(job2.installationId, Date.now() + seconds * 1e3);
  }
  #pauseSeconds(job2) {
    if (!("installationId" in job2)) return 0;
    const until2 = this.#pausedUntil.get(job2.installationId) ?? 0;
    const seconds = Math.ceil((until2 - Date.now()) / 1e3);
    if (seconds <= 0) this.#pausedUntil.delete(job2.installationId);
    return Math.max(seconds, 0);
  }
};

// bot/queue/queue.ts
import { PgBoss } from "pg-boss";
import * as z88 from "zod";
var SCHEMA = "memorymark_queue";
var WORK = "work";
var GIVEN_UP = "given-up";
var HEARTBEAT_SECONDS = 10;
var LOOK_FOR_DEAD_SECONDS = 3;
var EXPIRE_SECONDS = 300;
var RETRIES = { retryLimit: 12, retryDelay: 1, retryBackoff: true, retryDelayMax: 300 };
var GIVE_UP_RETRIES = { retryLimit: 100, retryDelay: 30, retryBackoff: true, retryDelayMax: 900 };
var IDLE_POLL_MILLIS = 20;
var KEEP_DONE_SECONDS = 3600;
var Queue = class _Queue {
  #boss;
  #database;
  #listeners = /* @__PURE__ */ new Set();
  constructor(boss, database) {
    this.#boss = boss;
    this.#database = database;
  }
  static async start({ database, onError }) {
    const boss = new PgBoss({
      db: { executeSql: async (text3, values) => ({ rows: [...await run(database, text3, values)] }) },
      backend: database.backend,
      schema: SCHEMA,
      superviseIntervalSeconds: LOOK_FOR_DEAD_SECONDS,
      monitorIntervalSeconds: LOOK_FOR_DEAD_SECONDS,
      maintenanceIntervalSeconds: 600
    });
    boss.on("error", onError);
    await alone(database, () => setUp(boss));
    return new _Queue(boss, database);
  }
  /** One while it waits: a second job with the same key changes nothing. */
  async send(jobs, { sql, afterSeconds = 0 } = {}) {
    if (jobs.length === 0) return;
    const inserts = jobs.toSorted((a, b) => keyOf(a) < keyOf(b) ? -1 : 1).map((job2) => ({
      data: job2,
      singletonKey: keyOf(job2),
      ...afterSeconds > 0 && { startAfter: afterSeconds },
      ...groupOf2(job2)
    }));
    await this.#boss.insert(WORK, inserts, sql === void 0 ? {} : { db: inTransaction(sql) });
    if (sql === void 0) this.announce();
  }
  /** Tells the workers of this process that there is something to do; others look twice a second. */
  announce() {
    for (const listener of this.#listeners) listener();
  }
  onAnnounced(listener) {
    this.#listeners.add(listener);
  }
  /** Every minute is the finest that cron knows. */
  async repeat(job2, cron) {
    const key2 = keyOf(job2);
    await this.#boss.schedule(WORK, cron, job2, { key: key2, singletonKey: key2, ...groupOf2(job2) });
  }
  async noLonger(job2) {
    await this.#boss.unschedule(WORK, keyOf(job2));
  }
  /** What was to be repeated for an installation that is gone. */
  async forgetSchedules(installationId2) {
    for (const { name: name3, key: key2, data } of await this.#boss.getSchedules()) {
      const parsed2 = job.safeParse(data);
      if (name3 === WORK && parsed2.success && installationOf(parsed2.data) === installationId2)
        await this.#boss.unschedule(WORK, key2);
    }
  }
  /** At most `perInstallation` of one installation run at a time, over all replicas. Never throws: no database, no jobs. */
  async take(limit, perInstallation) {
    const jobs = await this.#boss.fetch(WORK, { batchSize: limit, groupConcurrency: perInstallation });
    return this.#understood(jobs.map(from(WORK)));
  }
  /** Jobs that failed too often and wait for somebody to say so. */
  async takeGivenUp(limit) {
    return this.#understood((await this.#boss.fetch(GIVEN_UP, { batchSize: limit })).map(from(GIVEN_UP)));
  }
  /** A job of another version of us that this one does not know is dropped: reconciling finds what it was about. */
  async #understood(stored) {
    const taken2 = [];
    for (const { queue, id: id7, data } of stored) {
      const parsed2 = job.safeParse(data);
      if (parsed2.success) taken2.push({ queue, id: id7, job: parsed2.data });
      else await this.#boss.complete(queue, id7);
    }
    return taken2;
  }
  async touch(all) {
    for (const queue of [WORK, GIVEN_UP]) {
      const ids = all.filter((one) => one.queue === queue).map(({ id: id7 }) => id7);
      if (ids.length > 0) await this.#boss.touch(queue, ids);
    }
  }
  async complete({ queue, id: id7 }) {
    await this.#boss.complete(queue, id7);
  }
  /** Tried again later, or given up. `error` is kept with the job, by its message alone. */
  async fail({ queue, id: id7 }, error) {
    await this.#boss.fail(queue, id7, { message: error.message });
  }
  /** The job goes back to wait, and that is no failure. */
  async postpone({ queue, id: id7, job: job2 }, afterSeconds) {
    await this.#database.transaction(async (sql) => {
      await this.#boss.complete(queue, id7, null, { db: inTransaction(sql) });
      await this.send([job2], { sql, afterSeconds });
    });
  }
  /** How many jobs there are in each state, and how long the oldest one that may run has waited. */
  async depth() {
    const rows2 = await this.#database.query(
      `SELECT state::text AS state, count(*)::int AS jobs,
         coalesce(extract(epoch FROM now() - min(start_after) FILTER (WHERE state < 'active' AND start_after <= now())), 0)::float8 AS seconds
       FROM ${SCHEMA}.job WHERE name = ANY($1) GROUP BY state`,
      [[WORK, GIVEN_UP]]
    );
    const states = rows2.map((row7) => depthRow.parse(row7));
    return {
      jobs: Object.fromEntries(states.map(({ state, jobs }) => [state, jobs])),
      oldestSeconds: Math.max(0, ...states.map(({ seconds }) => seconds))
    };
  }
  /** Resolves when no job waits or runs, those included that come back within a minute. For tests and benches. */
  async idle() {
    while (await this.#open() > 0) await new Promise((resolve) => setTimeout(resolve, IDLE_POLL_MILLIS));
  }
  async #open() {
    const rows2 = await this.#database.query(
      `SELECT count(*)::int AS jobs FROM ${SCHEMA}.job
       WHERE name = ANY($1) AND state < 'completed' AND start_after < now() + interval '1 minute'`,
      [[WORK, GIVEN_UP]]
    );
    return openRow.parse(rows2[0]).jobs;
  }
  /** Takes nothing more; jobs that are still held are the holder's to return. */
  async stop() {
    await this.#boss.stop({ graceful: false });
  }
};
var openRow = z88.object({ jobs: z88.number() });
var depthRow = z88.object({ state: z88.string(), jobs: z88.number(), seconds: z88.number() });
function from(queue) {
  return ({ id: id7, data }) => ({ queue, id: id7, data });
}
function run(database, text3, values) {
  return values === void 0 || values.length === 0 ? database.script(text3) : database.query(text3, values);
}
function inTransaction(sql) {
  return { executeSql: async (text3, values) => ({ rows: [...await sql.query(text3, values)] }) };
}
function groupOf2(job2) {
  const installation2 = installationOf(job2);
  return installation2 === void 0 ? {} : { groupId: String(installation2) };
}
async function setUp(boss) {
  await boss.start();
  const shared = {
    expireInSeconds: EXPIRE_SECONDS,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    deleteAfterSeconds: KEEP_DONE_SECONDS
  };
  const givenUp = { ...shared, ...GIVE_UP_RETRIES };
  const work = { deadLetter: GIVEN_UP, ...shared, ...RETRIES };
  await boss.createQueue(GIVEN_UP, givenUp);
  await boss.createQueue(WORK, { policy: "short", ...work });
  await boss.updateQueue(GIVEN_UP, givenUp);
  await boss.updateQueue(WORK, work);
  for (const name3 of [WORK, GIVEN_UP]) await boss.findJobs(name3, { key: "none" });
}
var ALONE_POLL_MILLIS = 100;
var MAX_POLLS = 600;
async function alone(database, work) {
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const held = await database.exclusively("start of the queue", work);
    if (held.kind === "done") return;
    await new Promise((resolve) => setTimeout(resolve, ALONE_POLL_MILLIS));
  }
  throw new Error("Another bot has been starting on this database for a minute. Is it stuck?");
}

// bot/queue/workers.ts
var POLL_MILLIS = 500;
var SPACING_MILLIS = 20;
var TOUCH_MILLIS = 3e3;
var BREAK_OFF_MILLIS = 3e3;
var Workers = class {
  #options;
  #running = /* @__PURE__ */ new Map();
  #abort = new AbortController();
  #isStopping = false;
  #wake = Promise.withResolvers();
  #loop;
  constructor(options) {
    this.#options = options;
  }
  start() {
    this.#options.queue.onAnnounced(() => this.#wake.resolve());
    this.#loop = this.#takeAndRun();
  }
  /** Takes nothing more and waits for what runs; what has not ended by then is broken off and goes back to the queue. */
  async stop(limitMillis) {
    this.#isStopping = true;
    this.#wake.resolve();
    await this.#loop;
    await this.#allEnded(limitMillis);
    this.#abort.abort(new DOMException("The bot is stopping", "AbortError"));
    await this.#allEnded(BREAK_OFF_MILLIS);
  }
  async #allEnded(limitMillis) {
    await Promise.race([Promise.all(this.#running.values()), delay2(limitMillis)]);
  }
  async #takeAndRun() {
    const touching = setInterval(() => void this.#touch(), TOUCH_MILLIS);
    let lastPoll = Number.NEGATIVE_INFINITY;
    while (!this.#isStopping) {
      this.#wake = Promise.withResolvers();
      const isPoll = performance.now() - lastPoll >= POLL_MILLIS;
      if (isPoll) lastPoll = performance.now();
      const taken2 = await this.#take(isPoll);
      for (const one of taken2) this.#begin(one);
      await delay2(SPACING_MILLIS);
      if (taken2.length === 0 || this.#free === 0) await Promise.race([this.#wake.promise, delay2(POLL_MILLIS)]);
    }
    clearInterval(touching);
  }
  get #free() {
    return this.#options.concurrency - this.#running.size;
  }
  /** Jobs that were given up are few and not urgent: they are looked for by the clock alone. */
  async #take(withGivenUp) {
    if (this.#free <= 0) return [];
    try {
      const { queue, perInstallation } = this.#options;
      const work = await queue.take(this.#free, perInstallation);
      const free = this.#free - work.length;
      return withGivenUp && free > 0 ? [...work, ...await queue.takeGivenUp(free)] : work;
    } catch (error) {
      this.#options.log.error({ err: error }, "No jobs could be taken");
      return [];
    }
  }
  #begin(taken2) {
    const ended2 = this.#run(taken2).finally(() => {
      this.#running.delete(taken2);
      this.#wake.resolve();
    });
    this.#running.set(taken2, ended2);
  }
  /** A database that is gone leaves the job taken; the next supervisor finds it without a sign of life and returns it. */
  async #run(taken2) {
    try {
      await this.#end(taken2);
    } catch (error) {
      this.#options.log.error({ err: error, job: keyOf(taken2.job) }, "A job could not be ended");
    }
  }
  async #end(taken2) {
    const { queue, perform, giveUp, log, metrics } = this.#options;
    const { job: job2 } = taken2;
    try {
      const outcome3 = await (taken2.queue === "work" ? perform : giveUp)(job2, this.#abort.signal);
      metrics.jobEnded(job2.kind, outcome3.kind);
      switch (outcome3.kind) {
        case "done":
          return await queue.complete(taken2);
        case "later":
          return await queue.postpone(taken2, outcome3.afterSeconds);
      }
    } catch (error) {
      if (this.#abort.signal.aborted) return await queue.postpone(taken2, 0);
      metrics.jobEnded(job2.kind, "failed");
      log.warn({ err: error, job: keyOf(job2) }, "A job failed and will be tried again");
      await queue.fail(taken2, error instanceof Error ? error : new Error(String(error)));
    }
  }
  async #touch() {
    try {
      await this.#options.queue.touch([...this.#running.keys()]);
    } catch (error) {
      this.#options.log.error({ err: error }, "Running jobs could not be touched");
    }
  }
};
function delay2(millis) {
  return new Promise((resolve) => setTimeout(resolve, millis).unref());
}

// bot/reports/repositories.ts
import * as z89 from "zod";

// bot/reports/cursor.ts
function writeCursor(position2) {
  return Buffer.from(JSON.stringify(position2)).toString("base64url");
}
function readCursor(schema, cursor2) {
  if (cursor2 === void 0) return void 0;
  const parsed2 = schema.safeParse(parseJson3(Buffer.from(cursor2, "base64url").toString("utf8")));
  if (parsed2.success) return parsed2.data;
  throw new MemoryMarkError({
    code: "cursor-unreadable",
    field: "cursor",
    message: "The cursor was not handed out by this list",
    fix: "Begin again without a cursor."
  });
}
function parseJson3(text3) {
  try {
    return JSON.parse(text3);
  } catch {
    return void 0;
  }
}

// bot/reports/repositories.ts
var timeAndId = z89.object({ at: z89.iso.datetime(), id: z89.number() });
var rankAndId = z89.object({ rank: z89.number(), id: z89.number() });
var id4 = z89.object({ id: z89.number() });
var offset = z89.object({ offset: z89.number().int().min(0) });
var KeptRepositories = class {
  #sql;
  constructor(sql) {
    this.#sql = sql;
  }
  async list({ limit, cursor: cursor2 }) {
    const before = readCursor(timeAndId, cursor2);
    const found = await surveys(this.#sql, limit + 1, before && { at: new Date(before.at), repositoryId: before.id });
    return pageOf2(found, limit, {
      item: ({ owner, repo, configs: configs2, blocked, savingsPerYearUsd, at }) => ({
        owner,
        repo,
        configs: configs2,
        blocked,
        savingsPerYearUsd,
        updatedAt: at.toISOString()
      }),
      position: ({ at, repositoryId }) => ({ at: at.toISOString(), id: repositoryId })
    });
  }
  async configs(repository2, order, { limit, cursor: cursor2 }) {
    const survey2 = await surveyNamed(this.#sql, repository2);
    if (survey2 === void 0) return void 0;
    const after = readCursor(rankAndId, cursor2);
    const found = await currentConfigRecords(this.#sql, survey2.repositoryId, order, limit + 1, after);
    return pageOf2(found, limit, { item: ({ record: record4 }) => record4, position: ({ rank: rank2, id: id7 }) => ({ rank: rank2, id: id7 }) });
  }
  async history(repository2, path7, { limit, cursor: cursor2 }) {
    const survey2 = await surveyNamed(this.#sql, repository2);
    if (survey2 === void 0) return void 0;
    const before = readCursor(id4, cursor2);
    const found = await configHistory(this.#sql, survey2.repositoryId, path7, limit + 1, before?.id);
    return pageOf2(found, limit, { item: ({ record: record4 }) => record4, position: ({ id: id7 }) => ({ id: id7 }) });
  }
  async ledger(repository2, { limit, cursor: cursor2 }) {
    const survey2 = await surveyNamed(this.#sql, repository2);
    if (survey2 === void 0) return void 0;
    const kept = (await ledgerEntries(this.#sql, survey2)).map(({ entry }) => entry);
    const { measuredPerYearUsd, modelledPerYearUsd, forgonePerYearUsd } = totalsOf(kept);
    const start2 = readCursor(offset, cursor2)?.offset ?? 0;
    const lines = kept.flatMap(ledgerLines);
    const page2 = pageOf2(lines.slice(start2, start2 + limit + 1), limit, {
      item: (line2) => line2,
      position: () => ({ offset: start2 + limit })
    });
    return { ...page2, totals: { savedPerYearUsd: measuredPerYearUsd + modelledPerYearUsd, forgonePerYearUsd } };
  }
  async decisions(repository2, { limit, cursor: cursor2 }) {
    const survey2 = await surveyNamed(this.#sql, repository2);
    if (survey2 === void 0) return void 0;
    const before = readCursor(timeAndId, cursor2);
    const found = await decisions(
      this.#sql,
      survey2.repositoryId,
      limit + 1,
      before && { at: before.at, pullRequest: before.id }
    );
    return pageOf2(found, limit, {
      item: (decision2) => decision2,
      position: ({ at, pullRequest: pullRequest2 }) => ({ at, id: pullRequest2 })
    });
  }
};
function pageOf2(found, limit, { item, position: position2 }) {
  const shown2 = found.slice(0, limit);
  const last = shown2.at(-1);
  return {
    items: shown2.map(item),
    ...found.length > limit && last !== void 0 && { next: writeCursor(position2(last)) }
  };
}
function ledgerLines({ pullNumber, path: path7, mergedAt, before, after, saving: saving2, accepted }) {
  const provenance2 = after.throughputProvenance === "measured" ? "measured" : "estimated";
  const common2 = { pullRequest: pullNumber, path: path7, at: mergedAt, provenance: provenance2 };
  return [
    ...saving2?.kind === "saved" && saving2.usdPerYear !== 0 && before !== void 0 ? [
      {
        kind: "saved",
        ...common2,
        savedPerYearUsd: saving2.usdPerYear,
        fromBatch: before.current.microBatch,
        toBatch: after.current.microBatch
      }
    ] : [],
    ...accepted === void 0 ? [] : [
      {
        kind: "accepted",
        ...common2,
        forgonePerYearUsd: accepted.forgonePerYearUsd,
        reason: accepted.reason
      }
    ]
  ];
}

// bot/webhooks/inbox.ts
var SPACING_MILLIS2 = 5;
var MAX_TRANSACTIONS = { postgres: 3, pglite: 1 };
var MAX_TOGETHER = 100;
var Inbox = class {
  #database;
  #queue;
  #waiting = [];
  /** Under way. */
  #transactions = 0;
  /** When the last one began, in milliseconds of the process. */
  #lastCommit = Number.NEGATIVE_INFINITY;
  constructor(database, queue) {
    this.#database = database;
    this.#queue = queue;
  }
  /** Resolves when it is committed. */
  take(delivery) {
    const { promise, resolve, reject } = Promise.withResolvers();
    this.#waiting.push({ delivery, resolve, reject });
    if (this.#transactions < MAX_TRANSACTIONS[this.#database.backend]) void this.#takeWaiting();
    return promise;
  }
  async #takeWaiting() {
    this.#transactions += 1;
    while (this.#waiting.length > 0) {
      await until(this.#lastCommit + SPACING_MILLIS2);
      const together = this.#waiting.splice(0, MAX_TOGETHER);
      if (together.length === 0) continue;
      this.#lastCommit = performance.now();
      await this.#settle(together);
    }
    this.#transactions -= 1;
  }
  /** Of those that fail together, one that the database refuses must not take the others with it. */
  async #settle(together) {
    try {
      const taken2 = await this.#commit(together);
      for (const one of together) one.resolve(taken2.has(one) ? "taken" : "taken-before");
    } catch (error) {
      if (together.length > 1 && failureOf(error, /* @__PURE__ */ new Date()).kind === "fault") {
        for (const one of together) await this.#settle([one]);
      } else {
        for (const one of together) one.reject(error);
      }
    }
  }
  /** Those that nobody has taken before; of several copies of a delivery, the first. */
  async #commit(together) {
    const taken2 = await this.#database.transaction(async (sql) => {
      const names2 = together.map(({ delivery }) => ({ id: delivery.id, event: delivery.name }));
      const unclaimed = new Set(await claimDeliveries(sql, names2));
      const fresh = together.filter(({ delivery }) => unclaimed.delete(delivery.id));
      const works = fresh.map(({ delivery }) => delivery.work);
      for (const { rerun: rerun3 } of works) if (rerun3 !== void 0) await askForRerun(sql, rerun3);
      await this.#queue.send(
        works.flatMap(({ jobs }) => jobs),
        { sql }
      );
      return new Set(fresh);
    });
    this.#queue.announce();
    return taken2;
  }
};
async function until(moment2) {
  const wait = moment2 - performance.now();
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
}

// bot/webhooks/events.ts
import * as z91 from "zod";

// bot/webhooks/installation-events.ts
import * as z90 from "zod";
var id5 = z90.number().int().positive();
var repository = z90.object({ id: id5, name: z90.string(), full_name: z90.string() });
var installation = z90.object({
  action: z90.string(),
  installation: z90.object({ id: id5 }),
  repositories: z90.array(repository).optional()
});
var repositories = z90.object({
  action: z90.string(),
  installation: z90.object({ id: id5 }),
  repositories_added: z90.array(repository)
});
var MAX_REPOSITORIES = 200;
var installationReaders = {
  installation: (payload) => {
    const { action, installation: at, repositories: all = [] } = installation.parse(payload);
    if (action === "deleted") return [{ kind: "departure", installationId: at.id }];
    return action === "created" ? schedules(at.id, all) : [];
  },
  installation_repositories: (payload) => {
    const { installation: at, repositories_added: added } = repositories.parse(payload);
    return schedules(at.id, added);
  }
};
function schedules(installationId2, all) {
  return all.slice(0, MAX_REPOSITORIES).map(({ id: repositoryId, name: repo, full_name: fullName }) => ({
    kind: "schedule",
    installationId: installationId2,
    repositoryId,
    owner: fullName.split("/")[0] ?? "",
    repo
  }));
}

// bot/webhooks/events.ts
var id6 = z91.number().int().positive();
var sha3 = z91.string();
var place = z91.object({
  installation: z91.object({ id: id6 }),
  repository: z91.object({ id: id6, name: z91.string(), owner: z91.object({ login: z91.string() }) })
}).transform(
  ({ installation: installation2, repository: repository2 }) => ({
    installationId: installation2.id,
    repositoryId: repository2.id,
    owner: repository2.owner.login,
    repo: repository2.name
  })
);
var pullRequestActions = /* @__PURE__ */ new Set([
  "opened",
  "reopened",
  "synchronize",
  "ready_for_review",
  "converted_to_draft",
  "edited",
  "closed"
]);
var pullRequest = z91.object({
  action: z91.string(),
  number: id6,
  pull_request: z91.object({ merged: z91.boolean().nullish() }).optional()
});
var checkRun = z91.object({
  action: z91.string(),
  check_run: z91.object({ name: z91.string(), head_sha: sha3 }),
  requested_action: z91.object({ identifier: z91.string() }).optional()
});
var checkSuite = z91.object({ action: z91.string(), check_suite: z91.object({ head_sha: sha3 }) });
var workflowRun2 = z91.object({ workflow_run: z91.object({ id: id6 }) });
var mergeGroup = z91.object({
  action: z91.string(),
  merge_group: z91.object({ head_sha: sha3, base_sha: sha3, head_ref: z91.string().optional() })
});
var comment2 = z91.object({
  action: z91.string(),
  issue: z91.object({ number: id6, pull_request: z91.object({}).optional() }),
  comment: z91.object({ id: id6, body: z91.string(), user: z91.object({ login: z91.string() }) })
});
var called2 = /^[ \t]*\/memorymark\b/im;
var readers = {
  pull_request: (payload, at) => {
    const { action, number: number50, pull_request: pull } = pullRequest.parse(payload);
    if (!pullRequestActions.has(action)) return void 0;
    const isMerged = action === "closed" && pull?.merged === true;
    return {
      jobs: [
        { kind: "pull-request", ...at, number: number50 },
        ...isMerged ? [{ kind: "merged", ...at, number: number50 }] : []
      ]
    };
  },
  check_run: (payload, at) => {
    const { action, check_run: check, requested_action: asked2 } = checkRun.parse(payload);
    if (check.name !== CHECK_NAME) return void 0;
    const isRerun = action === "rerequested" || action === "requested_action" && asked2?.identifier === RERUN_ACTION;
    return isRerun ? rerun2(at, check.head_sha) : void 0;
  },
  check_suite: (payload, at) => {
    const { action, check_suite: suite } = checkSuite.parse(payload);
    return action === "rerequested" ? rerun2(at, suite.head_sha) : void 0;
  },
  workflow_run: (payload, at) => ({
    jobs: [{ kind: "run", ...at, runId: workflowRun2.parse(payload).workflow_run.id }]
  }),
  merge_group: (payload, at) => {
    const { action, merge_group: group } = mergeGroup.parse(payload);
    if (action !== "checks_requested") return void 0;
    const pullNumber = pullIn(group.head_ref ?? "");
    const commits2 = { headSha: group.head_sha, baseSha: group.base_sha };
    return { jobs: [{ kind: "merge-group", ...at, ...commits2, ...pullNumber !== void 0 && { pullNumber } }] };
  },
  issue_comment: (payload, at) => {
    const { action, issue, comment: written } = comment2.parse(payload);
    if (action !== "created" || issue.pull_request === void 0 || !called2.test(written.body)) return void 0;
    const { id: commentId, body: body2, user } = written;
    return { jobs: [{ kind: "command", ...at, pullNumber: issue.number, commentId, body: body2, author: user.login }] };
  }
};
function readEvent(event2, payload) {
  try {
    const work = workOf(event2, payload);
    return work === void 0 ? { kind: "not-ours" } : { kind: "work", name: event2, work };
  } catch (error) {
    if (!(error instanceof z91.ZodError)) throw error;
    return { kind: "unreadable", why: error.issues.map(({ path: path7, code }) => `${path7.join(".")} ${code}`).join(", ") };
  }
}
function workOf(event2, payload) {
  const ofInstallation = Object.hasOwn(installationReaders, event2) ? installationReaders[event2] : void 0;
  if (ofInstallation !== void 0) {
    const jobs = ofInstallation(payload);
    return jobs.length === 0 ? void 0 : { jobs };
  }
  const read12 = Object.hasOwn(readers, event2) ? readers[event2] : void 0;
  const at = place.safeParse(payload);
  return read12 !== void 0 && at.success ? read12(payload, at.data) : void 0;
}
function pullIn(headRef) {
  const [, number50] = /\/pr-(\d{1,9})-[0-9a-f]{40,64}$/.exec(headRef) ?? [];
  return number50 === void 0 ? void 0 : Number(number50);
}
function rerun2(at, headSha) {
  const { installationId: installationId2, repositoryId } = at;
  return { jobs: [{ kind: "commit", ...at, headSha }], rerun: { installationId: installationId2, repositoryId, headSha } };
}

// bot/webhooks/receive.ts
var WEBHOOK_PATH = "/api/github/webhooks";
var MAX_BODY_BYTES2 = 2 * 2 ** 20;
async function receiveWebhook(request2, response, options) {
  if (request2.method !== "POST" || request2.url !== WEBHOOK_PATH) return false;
  const reply = await replyTo(request2, options);
  options.onAnswered(reply.answer, header(request2, "x-github-event"));
  response.writeHead(reply.status, { "content-type": "text/plain" }).end(`${reply.message}
`);
  return true;
}
async function replyTo(request2, options) {
  const { inbox, log, verify } = options;
  const delivery = header(request2, "x-github-delivery");
  const event2 = header(request2, "x-github-event");
  const body2 = await readCapped3(request2);
  if (body2 === void 0) return refused6(413, "The body is larger than 2 MiB.");
  if (delivery === "" || event2 === "")
    return refused6(400, "The headers X-GitHub-Delivery and X-GitHub-Event are missing.");
  const signature = header(request2, "x-hub-signature-256");
  if (signature === "" || !await verify(body2, signature)) {
    log.warn(
      { delivery: delivery.slice(0, 100), event: event2.slice(0, 100) },
      "A webhook was refused: its signature does not match"
    );
    return refused6(401, "The signature does not match.");
  }
  const reading = readEvent(event2, parseJson4(body2));
  switch (reading.kind) {
    case "not-ours":
      return { status: 202, answer: "not-ours", message: "Nothing to do." };
    case "unreadable":
      log.error({ delivery, event: event2, why: reading.why }, "A webhook could not be read");
      return refused6(422, "The payload is not as GitHub documents it.");
    case "work":
      break;
  }
  try {
    const taking = await inbox.take({ id: delivery, name: reading.name, work: reading.work });
    log.info({ delivery, event: event2, taking, jobs: reading.work.jobs.map(keyOf) }, "A webhook was taken");
    return { status: 202, answer: taking === "taken" ? "accepted" : "repeated", message: "Accepted." };
  } catch (error) {
    log.error({ err: error, delivery, event: event2 }, "A webhook could not be taken");
    return { status: 503, answer: "unavailable", message: "The database does not answer." };
  }
}
function refused6(status, message2) {
  return { status, answer: "refused", message: message2 };
}
async function readCapped3(request2) {
  if (Number(header(request2, "content-length")) > MAX_BODY_BYTES2) return void 0;
  const chunks = [];
  let size2 = 0;
  for await (const chunk of request2) {
    size2 += chunk.length;
    if (size2 > MAX_BODY_BYTES2) return void 0;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
function parseJson4(text3) {
  try {
    return JSON.parse(text3);
  } catch {
    return void 0;
  }
}
function header({ headers }, name3) {
  return headers[name3]?.toString() ?? "";
}

// bot/start.ts
var CONCURRENCY = 8;
var PER_INSTALLATION = 4;
var STOP_MILLIS = 2e4;
async function startBot(settings, { log, ...options }) {
  const onError = (error) => log.error({ err: error }, "The database or the queue reports an error");
  const database = options.database ?? await openDatabase(settings.database, onError);
  const queue = await Queue.start({ database, onError });
  const metrics = new Metrics(queue);
  const app = await connectGitHubApp({ ...settings, log, onCall: (call) => metrics.call(call) });
  const performer = new Performer({
    app,
    appId: settings.appId,
    analyze: options.analyze ?? ((files, circumstances) => analyze(files, { ...circumstances, now: /* @__PURE__ */ new Date() })),
    hub: settings.hub && createHub(settings.hub),
    defaults: settings,
    metrics,
    database,
    queue,
    log,
    workflowPath: settings.workflowPath,
    retention: settings.retention
  });
  const workers = new Workers({
    queue,
    perform: (job2, signal) => performer.perform(job2, signal),
    giveUp: (job2, signal) => performer.giveUp(job2, signal),
    log,
    metrics,
    concurrency: CONCURRENCY,
    perInstallation: PER_INSTALLATION
  });
  const inbox = new Inbox(database, queue);
  const api = apiFor(settings, database, log);
  let isStopping = false;
  const server = await listen(
    [
      (request2, response) => receiveWebhook(request2, response, {
        inbox,
        log,
        verify: app.verify,
        onAnswered: (answer4, event2) => metrics.delivery(event2, answer4)
      }),
      (request2, response) => answerWatch(request2, response, { database, metrics, isStopping: () => isStopping }),
      async (request2, response) => await api?.handle(request2, response) ?? false
    ],
    { host: settings.host, port: settings.port, log }
  );
  workers.start();
  await keepHouse2(queue);
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    await api?.[Symbol.asyncDispose]();
    await server.close();
    await workers.stop(STOP_MILLIS);
    await queue.stop();
    if (options.database === void 0) await database[Symbol.asyncDispose]();
  };
  return {
    origin: server.origin,
    webhooksUrl: `${server.origin}${WEBHOOK_PATH}`,
    healthUrl: `${server.origin}/health`,
    send: (job2) => queue.send([job2]),
    idle: () => queue.idle(),
    stop,
    [Symbol.asyncDispose]: stop
  };
}
function apiFor({ apiToken: apiToken2, gpu: gpu2, hub }, database, log) {
  if (apiToken2 === void 0) return void 0;
  return mount({
    token: apiToken2,
    asksHub: hub !== void 0,
    repositories: new KeptRepositories(database),
    pages: dashboard(builtAssets()),
    log: (text3) => log.error(text3),
    ...gpu2 !== void 0 && { gpu: gpu2 }
  });
}
async function keepHouse2(queue) {
  await queue.repeat({ kind: "sweep" }, "* * * * *");
  await queue.repeat({ kind: "reconcile", scope: "active" }, "*/10 * * * *");
  await queue.repeat({ kind: "housekeeping" }, "0 3 * * *");
  await queue.send([{ kind: "sweep" }, { kind: "reconcile", scope: "all" }]);
}

// bot/server.ts
try {
  const command = readCommand(process.argv.slice(2));
  const settings = readSettings3(process.env);
  switch (command.kind) {
    case "serve":
      await serve(settings);
      break;
    case "doctor":
      process.exitCode = await examine(settings, { write: print, now: () => /* @__PURE__ */ new Date() }) ? 0 : 1;
      break;
    case "export":
      await exportData(settings, command.installationId, print);
      break;
    case "delete":
      await deleteData(settings, command.installationId, print);
      break;
  }
} catch (error) {
  const told2 = error instanceof MemoryMarkError ? error : unanswered(error);
  if (told2 === void 0) throw error;
  process.stderr.write(`${told2.message}
`);
  process.exit(2);
}
async function serve(settings) {
  var _stack = [];
  try {
    const log = createLog(settings.logLevel);
    const told2 = new Promise((resolve) => {
      for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, resolve);
    });
    const _bot = __using(_stack, await startBot(settings, { log }), true);
    log.info(`${await told2}: finishing accepted work`);
  } catch (_) {
    var _error = _, _hasError = true;
  } finally {
    var _promise = __callDispose(_stack, _error, _hasError);
    _promise && await _promise;
  }
}
function unanswered(error) {
  if (!(error instanceof Error) || failureOf(error, /* @__PURE__ */ new Date()).kind !== "passing") return void 0;
  return new MemoryMarkError({
    code: "not-answered",
    message: `The bot cannot start, since what it needs does not answer: ${error.message || error.name}`,
    fix: "Run `memorymark-bot doctor`, which looks at the database and at GitHub, and start again."
  });
}
function print(line2) {
  process.stdout.write(`${line2}
`);
}
