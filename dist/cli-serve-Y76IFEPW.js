import {
  DEFAULT_STEP_SIZE,
  GIB,
  KIB,
  MIB,
  MemoryMarkError,
  __callDispose,
  __using,
  advice,
  analysedConfig,
  bareName,
  capitalised,
  costPerRunUsd,
  defaultLoraTargets,
  describeMachine,
  deviceKinds,
  engineOn,
  engines,
  findModel,
  findingOf,
  fineRemark,
  formatCondition,
  formatCount,
  formatGib,
  formatPart,
  formatPercent,
  formatRate,
  formatRatio,
  formatShare,
  formatUsd,
  formatWhere,
  formatYearlyUsd,
  gpuFlag,
  gpus,
  idleBytes,
  idlePercent,
  isBroken,
  isSamePlan,
  isWorthFollowing,
  leverSentence,
  memoryProvenance,
  missingBytes,
  modelAliases,
  modelIds,
  noSettings,
  numberFlag,
  ofUsable,
  oneOf,
  operatingPoint,
  optimizers,
  outcome,
  parseFlags,
  parseJson,
  partsOf,
  peakOf,
  plainPath,
  plainProblem,
  plainText,
  precisions,
  problem,
  provenance,
  pythonCommand,
  quantizations,
  readConfigAsync,
  report,
  reportedGpu,
  savingsPerRunUsd,
  settingsFor,
  softwareOf,
  specOf,
  stepProfiles,
  strategyNames,
  throughputProvenance,
  trainingSpec,
  trial,
  unanalysedConfig,
  verdict,
  version
} from "./cli-chunk-BZ4ON432.js";

// engine/cli/serve.ts
import { once as once3 } from "node:events";

// engine/server/dashboard/assets.ts
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
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
  const places = ["./dashboard/", "../../../dist/dashboard/"].map((path2) => new URL(path2, import.meta.url));
  const folder = places.find((place) => existsSync(new URL("dashboard.js", place)));
  if (folder === void 0) {
    const looked = places.map((place) => fileURLToPath(place)).join(" nor ");
    throw new Error(`The pages' script is not in ${looked}. Install memorymark anew, or run npm run build.`);
  }
  const read = (name) => readFileSync(new URL(name, folder));
  return assetsOf({ "dashboard.js": read("dashboard.js"), "dashboard.css": read("dashboard.css") });
}
function asset(name, extension, contentType, contents) {
  const hash = createHash("sha256").update(contents).digest("base64url").slice(0, 16);
  return { url: `${ASSETS_PATH}${name}-${hash}.${extension}`, contentType, contents: new Uint8Array(contents) };
}

// engine/server/dashboard/routes.ts
import { Hono } from "hono";
import { compress } from "hono/compress";
import { secureHeaders } from "hono/secure-headers";

// engine/server/dashboard/analysis.ts
import * as z4 from "zod";

// engine/server/analysis.ts
import * as z from "zod";
var MAX_CONFIG_CHARACTERS = 1e5;
var MAX_STEP_SIZE = 1e3;
var { model: modelName, lora, ...otherFields } = trainingSpec.shape;
var specChanges = z.strictObject({
  ...otherFields,
  lora: z.strictObject({
    ...lora.unwrap().shape,
    targets: lora.unwrap().shape.targets.default([...defaultLoraTargets]),
    dropout: lora.unwrap().shape.dropout.default(0)
  })
}).partial();
var pastedConfig = z.strictObject({
  /** Its extension says how the text is parsed; the tool is told by the content. */
  fileName: z.string().max(200).regex(/^[\w ./@+-]*\.(?:yaml|yml|json)$/, "must end in .yaml, .yml or .json"),
  text: z.string().min(1).max(MAX_CONFIG_CHARACTERS)
});
var analysisRequest = z.strictObject({
  /** A Hub id or an alias of the catalogue (`bert`). Either this or `config`. */
  model: modelName.optional(),
  config: pastedConfig.optional(),
  spec: specChanges.default({}),
  /** A GPU of the catalogue. Absent: this machine's own, or where it has none the one that the server was started with. */
  gpu: z.enum(gpus.map(({ id: id2 }) => id2)).optional(),
  /** `auto`: the best that this machine has for that GPU. */
  engine: z.enum(["auto", ...engines]).default("auto"),
  strategy: z.enum(strategyNames).default("predict-verify"),
  /** Sizes tried are every one up to it, then its multiples. */
  stepSize: z.int().min(1).max(MAX_STEP_SIZE).optional(),
  /** Of one GPU; the catalogue's price by default. */
  pricePerHourUsd: z.number().positive().max(1e4).optional(),
  /** Wall-clock hours of a run at the current batch. */
  hoursPerRun: z.number().positive().max(1e5).optional(),
  runsPerYear: z.number().positive().max(1e6).optional()
}).refine(({ model, config }) => model === void 0 !== (config === void 0), {
  path: ["model"],
  message: "give either a model or a config"
});
var probing = z.object({
  engine: z.enum(engines),
  provenance,
  device: z.object({
    name: z.string(),
    totalBytes: z.number().min(0),
    /** Total − CUDA context: the limit that trials are compared with. */
    usableBytes: z.number().min(0),
    /** Versions and driver behind the answers, in words; empty for the estimate. */
    software: z.string()
  }),
  /** The spec that is swept, with every default filled in. */
  spec: trainingSpec
});
var problems = z.array(problem).min(1).max(50);
var time = z.iso.datetime();
var common = {
  /** Cannot be guessed: whoever has it may see the analysis. */
  id: z.string(),
  request: analysisRequest,
  createdAt: time
};
var ran = {
  ...common,
  /** Absent where it never left the queue. */
  startedAt: time.optional(),
  probing: probing.optional(),
  /** In the order in which they ran. A size that was timed again stands twice. */
  trials: z.array(trial)
};
var analysis = z.discriminatedUnion("state", [
  /** `position` 1 is the next to run. */
  z.object({ ...common, state: z.literal("queued"), position: z.int().min(1) }),
  z.object({ ...ran, state: z.literal("running") }),
  /** The report has exactly one config, and it is analysed. */
  z.object({ ...ran, state: z.literal("done"), finishedAt: time, report }),
  z.object({ ...ran, state: z.literal("failed"), finishedAt: time, problems }),
  z.object({ ...ran, state: z.literal("cancelled"), finishedAt: time })
]);
var event = {
  /** 1 for the first event of an analysis, then one more each: the id of the server-sent event. */
  sequence: z.int().min(1),
  at: time
};
var analysisEvent = z.discriminatedUnion("kind", [
  /** Sent again whenever the position changes. */
  z.object({ ...event, kind: z.literal("queued"), position: z.int().min(1) }),
  z.object({ ...event, kind: z.literal("started") }),
  z.object({ ...event, kind: z.literal("probing"), probing }),
  /** One line for people. */
  z.object({ ...event, kind: z.literal("log"), text: z.string() }),
  z.object({ ...event, kind: z.literal("trial"), trial }),
  z.object({ ...event, kind: z.literal("done"), report }),
  z.object({ ...event, kind: z.literal("failed"), problems }),
  z.object({ ...event, kind: z.literal("cancelled") })
]);
function isFinal(happening) {
  const { kind } = happening;
  return kind === "done" || kind === "failed" || kind === "cancelled";
}

// engine/server/event-stream.ts
var KEEP_ALIVE_MILLIS = 15e3;
var encoder = new TextEncoder();
var greeting = encoder.encode("retry: 1000\n\n");
var keepAlive = encoder.encode(": still here\n\n");
var encoded = /* @__PURE__ */ new WeakMap();
function asJson(event2) {
  const known2 = encoded.get(event2);
  if (known2 !== void 0) return known2;
  const bytes = serverSentEvent(event2, event2.kind, JSON.stringify(event2));
  encoded.set(event2, bytes);
  return bytes;
}
function serverSentEvent({ sequence }, name, data) {
  return encoder.encode(`id: ${sequence}
event: ${name}
data: ${data}

`);
}
function eventStream(events, keepAliveMillis = KEEP_ALIVE_MILLIS, encode = asJson) {
  const iterator = events[Symbol.asyncIterator]();
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
      const { done, value } = await iterator.next();
      sentSince = true;
      if (!done) return controller.enqueue(encode(value));
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

// engine/server/dashboard/form.ts
import * as z2 from "zod";
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
  source: "What to analyse",
  model: "Model",
  config: "Training config",
  gpu: "GPU",
  engine: "Engine",
  step: "Step",
  precision: "Precision",
  optimizer: "Optimizer",
  sequenceLength: "Sequence length (tokens)",
  microBatch: "Current micro-batch",
  gradientAccumulation: "Current gradient accumulation",
  gradientCheckpointing: "Gradient checkpointing",
  loraRank: "LoRA rank",
  quantization: "Base weights",
  gpus: "Number of GPUs",
  stepSize: "Batch size step"
};
var count = z2.string().regex(/^\d{1,12}$/, "is not a whole number").transform(Number);
var sent = z2.object({
  source: z2.enum(["model", "config"]).default("model"),
  model: z2.string().max(200).optional(),
  config: z2.string().max(MAX_CONFIG_CHARACTERS, `is longer than ${MAX_CONFIG_CHARACTERS} characters`).optional(),
  gpu: z2.enum(gpus.map(({ id: id2 }) => id2)).optional(),
  engine: z2.enum(["auto", "estimate"]).default("auto"),
  step: z2.enum(stepProfiles).optional(),
  precision: z2.enum(precisions).optional(),
  optimizer: z2.enum(optimizers).optional(),
  sequenceLength: count.optional(),
  microBatch: count.optional(),
  gradientAccumulation: count.optional(),
  gradientCheckpointing: z2.enum(["on", "off"]).optional(),
  loraRank: count.optional(),
  quantization: z2.enum(quantizations).optional(),
  gpus: count.optional(),
  stepSize: count.optional()
});
function formValues(body2) {
  const texts = fieldNames.flatMap((name) => {
    const value = body2[name];
    return typeof value === "string" && value.trim() !== "" ? [[name, value]] : [];
  });
  return Object.fromEntries(texts);
}
function readAgain(text) {
  return analysisRequest.safeParse(parseJson(text)).data;
}
function readForm(values) {
  const fields2 = sent.safeParse(values);
  if (!fields2.success) return refused(fields2.error, ([name]) => name);
  const missing = missingSubject(fields2.data);
  if (missing !== void 0) return { kind: "refused", problems: [missing] };
  const request2 = analysisRequest.safeParse(requestOf(fields2.data));
  return request2.success ? { kind: "request", request: request2.data } : refused(request2.error, requestField);
}
function requestOf({ source, model, config = "", gpu, engine, stepSize, ...spec2 }) {
  const { gradientCheckpointing, loraRank, ...others } = spec2;
  return {
    ...source === "model" ? { model: model?.trim() } : { config: pasted(config) },
    ...gpu && { gpu },
    engine,
    ...stepSize !== void 0 && { stepSize },
    spec: {
      ...others,
      ...gradientCheckpointing && { gradientCheckpointing: gradientCheckpointing === "on" },
      ...loraRank !== void 0 && { lora: { rank: loraRank } }
    }
  };
}
function pasted(text) {
  return { fileName: /^\s*[{[]/.test(text) ? "config.json" : "config.yaml", text: text.replaceAll("\r\n", "\n") };
}
function missingSubject({ source, model, config }) {
  if (source === "model" && !model) {
    return problem2("model", "no model is named", "Choose one from the list, or enter its Hugging Face Hub id.");
  }
  if (source === "config" && !config) {
    return problem2("config", "no config is given", "Paste the YAML or JSON that sets the batch size.");
  }
  return void 0;
}
function refused(error, fieldAt) {
  const problems2 = error.issues.map(({ path: path2, message }) => {
    const input = fieldNames.find((name) => name === fieldAt(path2)) ?? "source";
    return problem2(input, message, `Correct ${fieldLabels[input]}.`);
  });
  const byInput = new Map(problems2.toReversed().map((one) => [one.input, one]));
  return { kind: "refused", problems: [...byInput.values()].toReversed() };
}
function requestField(path2) {
  const [first, second] = path2;
  if (first !== "spec") return first;
  return second === "lora" ? "loraRank" : second;
}
function problem2(input, message, fix) {
  return { code: "form-field", field: fieldLabels[input], input, message, fix };
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
${form.select("step", [["", "default"], ...stepProfiles.map((step) => [step, stepText(step)])])}
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
  ["auto", "the best that this machine can run"],
  ["estimate", "estimate only (instant)"]
];
var Fields = class {
  #values;
  #problems;
  constructor(values, problems2) {
    this.#values = values;
    this.#problems = problems2;
  }
  hasAny(names) {
    return names.some((name) => this.#values[name] !== void 0 || this.#problemOf(name) !== void 0);
  }
  radio(name, value, text, isDefault = false) {
    const isChecked = (this.#values[name] ?? (isDefault ? value : void 0)) === value;
    return html`<label class="choice"><input type="radio" name="${name}" value="${value}"${isChecked ? html` checked` : ""}> ${text}</label>`;
  }
  model() {
    return this.#field(
      "model",
      html`<input id="model" name="model" list="models" maxlength="200" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="google-bert/bert-base-uncased" value="${this.#values.model ?? ""}"${this.#described("model", true)}>
<datalist id="models">${modelIds.map((id2) => html`<option value="${id2}"></option>`)}</datalist>`,
      `One of the ${modelIds.length} built-in models. ${examples}`
    );
  }
  config() {
    return this.#field(
      "config",
      html`<textarea id="config" name="config" rows="10" maxlength="100000" autocapitalize="off" spellcheck="false"${this.#described("config", true)}>${this.#values.config ?? ""}</textarea>`,
      "YAML or JSON for Hugging Face, Axolotl, LLaMA-Factory, torchtune, DeepSpeed, Lightning, timm and others."
    );
  }
  select(name, options) {
    const chosen = this.#values[name];
    const option = ([value, text]) => html`<option value="${value}"${value === chosen ? html` selected` : ""}>${text}</option>`;
    return this.#field(
      name,
      html`<select id="${name}" name="${name}"${this.#described(name)}>${options.map(option)}</select>`
    );
  }
  count(name, max, placeholder = "default") {
    return this.#field(
      name,
      html`<input id="${name}" name="${name}" type="number" inputmode="numeric" min="1" max="${max}" step="1" placeholder="${placeholder}" value="${this.#values[name] ?? ""}"${this.#described(name)}>`
    );
  }
  #field(name, control, hint) {
    const problem3 = this.#problemOf(name);
    return html`<div class="field"><label for="${name}">${fieldLabels[name]}</label>${control}${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : ""}${problem3 ? html`<p class="wrong" id="${name}-problem">${problem3.message}. ${problem3.fix}</p>` : ""}</div>`;
  }
  #described(name, hasHint = false) {
    const isWrong = this.#problemOf(name) !== void 0;
    const texts = [...isWrong ? [`${name}-problem`] : [], ...hasHint ? [`${name}-hint`] : []].join(" ");
    return html`${isWrong ? html` aria-invalid="true"` : ""}${texts === "" ? "" : html` aria-describedby="${texts}"`}`;
  }
  #problemOf(name) {
    return this.#problems.find(({ input }) => input === name);
  }
};
function defaultsText() {
  const model = findModel("bert");
  if (model === void 0) throw new Error("the catalogue lost BERT");
  const { microBatch, sequenceLength, precision, optimizer } = specOf(model);
  return `Defaults: what the config says; for a model alone, micro-batch ${microBatch}, ${sequenceLength} tokens, ${precision}, ${optimizer} and a training step.`;
}
var examples = "Others work if the server can look them up on the Hugging Face Hub.";
function same(word) {
  return [word, word];
}
function gpuOption({ id: id2, name, totalBytes, pricePerHourUsd }) {
  return [id2, `${name}, ${formatGib(totalBytes)}, ${formatUsd(pricePerHourUsd)} an hour`];
}
function stepText(step) {
  switch (step) {
    case "training":
      return "training: forward, backward, optimizer";
    case "forward-backward":
      return "forward and backward only";
  }
}

// engine/server/dashboard/analysis-view.ts
import { html as html14 } from "hono/html";

// engine/server/dashboard/log.ts
import { html as html2 } from "hono/html";

// engine/server/dashboard/trial-line.ts
function trialLine({ microBatch, accumulates, outcome: outcome2, provenance: provenance2 }) {
  const peak = peakOf(outcome2);
  const figures2 = [
    ...peak === void 0 ? [] : [formatGib(peak)],
    ...outcome2.kind === "fits" && outcome2.stepMillis !== void 0 ? [stepText2(outcome2.stepMillis)] : []
  ];
  const details = figures2.length === 0 ? "" : `: ${figures2.join(", ")}`;
  const size = `${formatCount(microBatch)}${accumulates ? " beside accumulated gradients" : ""}`;
  return `batch ${size} ${outcomeText(outcome2)}${details} (${provenance2})`;
}
function outcomeText(outcome2) {
  switch (outcome2.kind) {
    case "fits":
      return "fits";
    case "out-of-memory":
      return "runs out of memory";
    case "timed-out":
      return `timed out after ${formatCount(Math.round(outcome2.afterMillis / 1e3))} s`;
    case "failed":
      return `failed: ${plainText(outcome2.problem.message, 200)}`;
  }
}
function stepText2(stepMillis) {
  return `${formatCount(Math.round(stepMillis))} ms per step`;
}

// engine/server/dashboard/log.ts
function eventLine(event2) {
  switch (event2.kind) {
    case "queued":
      return `waiting, number ${event2.position} in the queue`;
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
      return event2.problems.map(plainProblem).join(" ");
    case "cancelled":
      return "cancelled";
  }
}
function linesOf(analysis2) {
  if (analysis2.state === "queued") return [`waiting, number ${analysis2.position} in the queue`];
  const probing2 = analysis2.probing === void 0 ? [] : [probingLine(analysis2.probing)];
  return [...probing2, ...analysis2.trials.map(trialLine)];
}
function logList(lines) {
  const items = lines.map((line) => html2`<li>${line}</li>`);
  return html2`<div class="log" role="log" aria-label="Trials" aria-live="polite" tabindex="0"><ol>${items}</ol></div>`;
}
function probingLine({ engine, provenance: provenance2, device }) {
  const by = device.software === "" ? "" : ` (${plainText(device.software, 200)})`;
  return `${provenance2} by the ${engine} engine for ${plainText(device.name, 60)}${by}: ${formatGib(device.usableBytes)} usable`;
}

// engine/server/dashboard/notice.ts
import { html as html3 } from "hono/html";
function problemNotice(title, problems2) {
  return html3`<section class="notice" role="alert" aria-labelledby="notice-title" data-dismissible>
<h2 id="notice-title">${title}</h2>
<ul>${problems2.map((problem3) => html3`<li>${plainProblem(problem3)}</li>`)}</ul>
</section>`;
}

// engine/server/dashboard/result/result.ts
import { html as html13 } from "hono/html";

// engine/server/dashboard/provenance.ts
import { html as html4 } from "hono/html";
function chip(known2, words = known2) {
  return html4`<span class="chip ${known2}">${words}</span>`;
}
function memoryChip(config) {
  return chip(config.provenance, memoryProvenance(config));
}

// engine/server/dashboard/verdict-text.ts
function verdictText({ reasons }) {
  return reasons.length === 0 ? "within policy" : reasons.map(reasonText).join("; ");
}
function reasonText(reason) {
  const spared = reason.spared === void 0 ? "" : ` (does not block: ${reason.spared === "no-worse" ? "no worse than before" : "within the error"})`;
  switch (reason.kind) {
    case "does-not-fit":
      return `does not fit${spared}`;
    case "condition":
      return `${formatCondition(reason.condition)}: ${actual(reason)}${spared}`;
  }
}
function actual({ condition, actual: actual2 }) {
  return condition.kind === "annual-cost" ? `$${Math.round(actual2)}` : `${Math.round(actual2)} %`;
}

// engine/server/dashboard/result/breakdown.ts
import { html as html5 } from "hono/html";
function breakdownCard(config) {
  const { breakdown, current, peakMoment, provenance: provenance2 } = config;
  const lever = leverSentence(config);
  const share = (bytes) => current.peakBytes === 0 ? 0 : bytes / current.peakBytes;
  return html5`<section class="card" aria-labelledby="breakdown-title">
<h2 id="breakdown-title">Where the memory goes ${provenance2 === "estimated" ? chip("estimated") : chip("modelled")}</h2>
<p class="sub">At micro-batch ${formatCount(current.microBatch)}. The peak comes at: ${plainText(peakMoment, 200)}.</p>
<table class="breakdown">
<thead><tr><th scope="col">Kind</th><th scope="col">Memory</th><th scope="col">Share</th></tr></thead>
<tbody>${partsOf(breakdown).map(({ name, bytes }) => part(name, bytes, share(bytes)))}</tbody>
<tfoot><tr><th scope="row">peak ${memoryChip(config)}</th><td>${formatGib(current.peakBytes)}</td><td></td></tr></tfoot>
</table>
${lever ? html5`<p>${lever}</p>` : ""}
</section>`;
}
function shareText(share) {
  return share < 5e-3 ? "under 1 %" : formatPercent(share);
}
function part(name, bytes, share) {
  const width = `${(100 * Math.min(1, share)).toFixed(1)}%`;
  return html5`<tr><th scope="row">${name}<svg class="share" width="100%" height="4" aria-hidden="true" focusable="false"><rect width="${width}" height="100%" rx="2"/></svg></th><td>${formatPart(bytes)}</td><td>${shareText(share)}</td></tr>`;
}

// engine/server/dashboard/result/curves.ts
import { html as html7 } from "hono/html";

// engine/server/dashboard/chart.ts
import { html as html6 } from "hono/html";
function chart(options) {
  const { id: id2, title, rows } = options;
  return html6`<section class="card" aria-labelledby="${id2}-title">
<h2 id="${id2}-title">${title}</h2>
${rows.length < 2 ? html6`<p class="sub">There are too few points for a curve.</p>` : figure(options)}
${rows.length === 0 ? "" : figures(options)}
</section>`;
}
function figures(options) {
  const { id: id2, note, rows } = options;
  return html6`<p class="sub">${note}${rows.every(({ isMeasured }) => isMeasured) ? "" : " Open points are not measured."}</p>
<details><summary>The figures as a table</summary>
<div class="scroll" role="region" aria-labelledby="${id2}-title" tabindex="0">${table(options)}</div></details>`;
}
function summary({ yName, rows, limit, marks = [] }) {
  const [first, last] = [rows[0], rows.at(-1)];
  const course = first && last ? `from ${first.yText} at ${first.xText} to ${last.yText} at ${last.xText}` : "no data";
  const places = [...marks.map(({ name, x }) => `${name}: ${x}`), ...limit ? [`limit: ${limit.name}`] : []];
  return [`${yName}: ${course}`, ...places].join("; ");
}
function figure(options) {
  const { id: id2, limit, marks = [], xKind = "count", yUnit } = options;
  return html6`<div class="chart" role="img" aria-label="${summary(options)}" data-chart="${id2}-table" data-x-kind="${xKind}" data-unit="${yUnit}"${limit ? html6` data-limit="${limit.value}" data-limit-name="${limit.name}"` : ""} data-marks="${JSON.stringify(marks)}"></div>`;
}
function table({ id: id2, xName, yName, rows }) {
  const hasRemarks = rows.some(({ remark }) => remark !== "");
  return html6`<table id="${id2}-table">
<thead><tr><th scope="col">${xName}</th><th scope="col">${yName}</th>${hasRemarks ? html6`<th scope="col">Result</th>` : ""}</tr></thead>
<tbody>${rows.map(
    ({ x, xText, y, yText, remark, isBad, isMeasured }) => html6`<tr data-x="${x}" data-y="${y}"${isBad ? html6` data-bad` : ""}${isMeasured ? html6` data-measured` : ""}><th scope="row">${xText}</th><td>${yText}</td>${hasRemarks ? html6`<td>${remark}</td>` : ""}</tr>`
  )}</tbody>
</table>`;
}

// engine/server/dashboard/result/curves.ts
function curves(config) {
  return html7`<div class="columns">${memoryCurve(config)}${throughputCurve(config)}</div>`;
}
function memoryCurve(config) {
  const { gpu, provenance: provenance2 } = config;
  const points = memoryPoints(config);
  return chart({
    id: "memory-curve",
    title: html7`Memory against batch ${memoryChip(config)}`,
    note: "One micro-batch per step. The points are the sizes tried; the line only connects them.",
    xName: "Micro-batch",
    yName: `Peak memory, ${provenance2}`,
    yUnit: "GiB",
    limit: { value: gpu.usableBytes / GIB, name: `usable, ${formatGib(gpu.usableBytes)}` },
    // A size that was only tried with accumulation may lie beyond the curve.
    marks: marksOf(config).filter(({ x }) => x <= (points.at(-1)?.microBatch ?? 0)),
    rows: points.map(({ microBatch, bytes, fits, isMeasured }) => ({
      x: microBatch,
      xText: formatCount(microBatch),
      // How much was missing is not always known; the cross then stands on the limit.
      y: (bytes ?? gpu.usableBytes) / GIB,
      yText: bytes === void 0 ? "more than the GPU has" : formatGib(bytes),
      remark: fits ? "fits" : "out of memory",
      isBad: !fits,
      isMeasured
    }))
  });
}
function throughputCurve(config) {
  const { throughputProvenance: throughputProvenance2 } = config;
  const points = throughputPoints(config);
  return chart({
    id: "throughput-curve",
    title: html7`Throughput against batch ${chip(throughputProvenance2)}`,
    note: "One micro-batch per step. The recommendation is the smallest size that reaches within 2 % of the best throughput and fits with a margin.",
    xName: "Micro-batch",
    yName: `Samples per second, ${throughputProvenance2}`,
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
  const described2 = [current, recommended, largest].flatMap(
    (point) => point?.gradientAccumulation === 1 ? [{ microBatch: point.microBatch, bytes: point.peakBytes, fits: point.fits, isMeasured: false }] : []
  );
  const tried = trials.flatMap(
    ({ microBatch, accumulates, outcome: outcome2, provenance: provenance2 }) => isBroken(outcome2) || accumulates ? [] : [{ microBatch, bytes: peakOf(outcome2), fits: outcome2.kind === "fits", isMeasured: provenance2 === "measured" }]
  );
  const known2 = tried.filter(({ bytes }) => bytes !== void 0);
  const outOfMemory = tried.filter(({ fits }) => !fits);
  const bySize = new Map([...outOfMemory, ...described2, ...known2].map((point) => [point.microBatch, point]));
  return [...bySize.values()].sort((a, b) => a.microBatch - b.microBatch);
}
function throughputPoints({ throughputCurve: throughputCurve2 = [], throughputProvenance: throughputProvenance2 }) {
  return throughputCurve2.map(({ microBatch, samplesPerSecond }) => ({
    x: microBatch,
    xText: formatCount(microBatch),
    y: samplesPerSecond,
    yText: `${formatRate(samplesPerSecond)} samples/s`,
    remark: "",
    isBad: false,
    isMeasured: throughputProvenance2 === "measured"
  }));
}

// engine/server/dashboard/result/gains.ts
import { html as html8 } from "hono/html";
import * as z3 from "zod";

// engine/server/dashboard/result/cost-figures.ts
function costFigures(terms, speedup) {
  return {
    now: formatUsd(costPerRunUsd(terms)),
    recommended: formatUsd(costPerRunUsd(terms, speedup)),
    year: signed(savingsPerRunUsd(terms, speedup) * terms.runsPerYear, formatYearlyUsd)
  };
}
function signed(usd2, format) {
  return usd2 <= -0.5 ? `−${format(-usd2)}` : format(Math.abs(usd2));
}

// engine/server/dashboard/result/gains.ts
var positive = (max) => z3.coerce.number().positive().max(max);
var termsQuery = z3.object({
  price: positive(1e4).optional().catch(void 0),
  hours: positive(1e5).optional().catch(void 0),
  runs: positive(1e6).optional().catch(void 0)
});
function termsOf({ gpu, hoursPerRun, runsPerYear }, query) {
  const { price, hours, runs } = termsQuery.parse(query);
  return {
    pricePerHourUsd: price ?? gpu.pricePerHourUsd,
    hoursPerRun: hours ?? hoursPerRun,
    runsPerYear: runs ?? runsPerYear
  };
}
function gains(config, terms) {
  return html8`<section aria-labelledby="gains-title">
<h2 id="gains-title">What the change brings</h2>
${config.current.fits ? cards(config, terms) : html8`<p class="card">The config does not run as it is, so there is no current speed or cost to compare with.</p>`}
</section>`;
}
function cards(config, terms) {
  const { speedup, spec: spec2, throughputProvenance: throughputProvenance2 } = config;
  const figures2 = costFigures({ ...terms, gpus: spec2.gpus }, speedup);
  return html8`<div data-costs data-speedup="${speedup}" data-gpus="${spec2.gpus}">
<dl class="gains">
<div class="card gain"><dt>Speedup ${chip(throughputProvenance2)}</dt><dd><strong>${formatRatio(speedup)}</strong><span>samples per second, recommended against now</span></dd></div>
<div class="card gain"><dt>Cost per run ${chip(throughputProvenance2)}</dt><dd><strong data-cost="recommended">${figures2.recommended}</strong><span>instead of <span data-cost="now">${figures2.now}</span></span></dd></div>
<div class="card gain"><dt>Savings per year ${chip(throughputProvenance2)}</dt><dd><strong data-cost="year">${figures2.year}</strong><span>with the figures below</span></dd></div>
</dl>
${termsForm(config, terms)}
</div>`;
}
function termsForm({ gpu, spec: spec2 }, terms) {
  const several = spec2.gpus === 1 ? "" : `, times ${formatCount(spec2.gpus)} GPUs`;
  return html8`<form method="get" class="card terms" aria-label="Cost assumptions">
<label>Price per hour ($)<input name="price" type="number" inputmode="decimal" min="0.001" max="10000" step="any" required value="${terms.pricePerHourUsd}"></label>
<label>Hours per run now<input name="hours" type="number" inputmode="decimal" min="0.001" max="100000" step="any" required value="${terms.hoursPerRun}"></label>
<label>Runs per year<input name="runs" type="number" inputmode="decimal" min="0.001" max="1000000" step="any" required value="${terms.runsPerYear}"></label>
<button class="secondary">Recalculate</button>
<p class="sub">Cost is hours × price${several}; a faster run takes fewer hours. ${plainText(gpu.name, 60)}: ${formatUsd(gpu.pricePerHourUsd)} an hour (${plainText(gpu.priceSource, 120)}, ${plainText(gpu.priceDate, 40)}).</p>
</form>`;
}

// engine/server/dashboard/result/grounds.ts
import { html as html9 } from "hono/html";
function groundsCard(config) {
  const { spec: spec2, dialect, batchSizeAt, assumptions } = config;
  return html9`<section class="card" aria-labelledby="grounds-title">
<h2 id="grounds-title">What the figures are based on</h2>
<dl class="facts">
${facts(spec2).map(([name, value]) => html9`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
${batchSizeAt ? html9`<div><dt>Format</dt><dd>${plainText(dialect, 60)}</dd></div>` : ""}
</dl>
${assumptions.length === 0 ? "" : html9`<ul>${assumptions.map((assumption) => html9`<li>${plainText(assumption)}</li>`)}</ul>`}
${rightSizing(config)}
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
function rightSizing({ rightSizing: rightSizing2, current, recommended }) {
  if (rightSizing2 === void 0) return "";
  const { gpu, costPerRunUsd: costPerRunUsd2 } = rightSizing2;
  const share = formatRatio((recommended ?? current).costPerRunUsd / costPerRunUsd2);
  return html9`<p>A cheaper GPU is enough (modelled): ${plainText(gpu.name, 60)} at ${formatUsd(gpu.pricePerHourUsd)} an hour, ${formatUsd(costPerRunUsd2)} per run; on this GPU a run costs ${share} that.</p>`;
}

// engine/server/dashboard/result/memory-bars.ts
import { html as html10 } from "hono/html";
function memoryBars(config) {
  const { gpu } = config;
  const bars = barsOf(config);
  const scaleBytes = Math.max(gpu.usableBytes, ...bars.map(({ point }) => point.peakBytes), 1);
  return html10`<section class="card" aria-labelledby="memory-title">
<h2 id="memory-title">Peak memory ${memoryChip(config)}</h2>
<p class="sub">${formatGib(gpu.usableBytes)} of the ${plainText(gpu.name, 60)} is usable: ${formatGib(gpu.totalBytes)} less the CUDA context.${config.provenance === "measured" ? "" : " Hatched: not measured."}</p>
${hatching}
<ul class="bars">${bars.map((bar) => barItem(config, bar, scaleBytes))}</ul>
</section>`;
}
function barsOf({ current, recommended, largest }) {
  const keepsCurrent = isSamePlan(current, recommended);
  const isLargest = recommended !== void 0 && isSamePlan(recommended, largest);
  return [
    { role: "now", name: keepsCurrent ? "Now, and recommended" : "Now", point: current },
    ...recommended && !keepsCurrent ? [
      {
        role: "recommended",
        name: isLargest ? "Recommended, the largest" : "Recommended",
        point: recommended
      }
    ] : [],
    ...largest && !isLargest && !isSamePlan(largest, current) ? [{ role: "largest", name: "Largest that fits", point: largest }] : []
  ];
}
function barItem(config, { role, name, point }, scaleBytes) {
  const { gpu } = config;
  const size = `micro-batch ${formatCount(point.microBatch)} × ${formatCount(point.gradientAccumulation)}`;
  const memory = `${ofUsable(point.peakBytes, gpu.usableBytes)} (${formatShare(config, point)})`;
  return html10`<li class="bar ${role} ${config.provenance}${point.fits ? "" : " over"}">
<p class="bar-head"><strong>${name}</strong> <span>${size}</span></p>
${track(point.peakBytes / scaleBytes, gpu.usableBytes / scaleBytes)}
<p class="bar-foot"><strong>${memory}</strong> <span>${remainder(config, role, point)}</span>${rate(config, point)}</p>
</li>`;
}
var hatching = html10`<svg class="patterns" width="0" height="0" aria-hidden="true" focusable="false"><defs><pattern id="hatch" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch" width="4" height="8"/></pattern></defs></svg>`;
function track(filled, limit) {
  const percent = (share) => `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`;
  return html10`<svg class="track" width="100%" height="28" aria-hidden="true" focusable="false">
<rect class="room" width="${percent(limit)}" height="100%" rx="4"/>
<rect class="fill" width="${percent(filled)}" height="100%" rx="4"/>
<rect class="unsure" width="${percent(filled)}" height="100%" rx="4" fill="url(#hatch)"/>
${limit < 1 ? html10`<line class="limit" x1="${percent(limit)}" x2="${percent(limit)}" y1="0" y2="100%"/>` : ""}
</svg>`;
}
function remainder({ gpu }, role, point) {
  if (!point.fits) return `${formatGib(missingBytes(gpu, point))} too much: out of memory`;
  return `${formatGib(idleBytes(gpu, point))} ${role === "now" ? "waste" : "headroom"}`;
}
function rate({ throughputProvenance: throughputProvenance2 }, point) {
  if (!point.fits) return "";
  return html10` <span>${formatRate(point.samplesPerSecond)} samples/s ${chip(throughputProvenance2)}</span>`;
}

// engine/server/dashboard/result/sizes.ts
import { html as html11 } from "hono/html";
var MANY = 12;
function sizesCard({ trials, gpu }) {
  const sorted = trials.toSorted((a, b) => a.microBatch - b.microBatch);
  return html11`<section class="card" aria-labelledby="sizes-title">
<h2 id="sizes-title">Sizes tried</h2>
<details${sorted.length > MANY ? "" : html11` open`}>
<summary>${formatCount(sorted.length)} ${sorted.length === 1 ? "trial" : "trials"}, as a table</summary>
<div class="scroll" role="region" aria-labelledby="sizes-title" tabindex="0"><table>
<thead><tr><th scope="col">Micro-batch</th><th scope="col">Result</th><th scope="col">Peak memory</th><th scope="col">Step</th><th scope="col">Provenance</th></tr></thead>
<tbody>${sorted.map((trial2) => row(trial2, gpu.usableBytes))}</tbody>
</table></div>
</details>
</section>`;
}
function isFragmented(outcome2, usableBytes) {
  return outcome2.kind === "out-of-memory" && (outcome2.neededBytes ?? Number.POSITIVE_INFINITY) <= usableBytes;
}
function row({ microBatch, accumulates, outcome: outcome2, provenance: provenance2 }, usableBytes) {
  const peak = peakOf(outcome2);
  const step = outcome2.kind === "fits" ? outcome2.stepMillis : void 0;
  return html11`<tr><th scope="row">${formatCount(microBatch)}${accumulates ? ", accumulating" : ""}</th><td>${outcomeText(outcome2)}${isFragmented(outcome2, usableBytes) ? " (fragmented)" : ""}</td><td>${peak === void 0 ? "–" : formatGib(peak)}</td><td>${step === void 0 ? "–" : `${formatCount(Math.round(step))} ms`}</td><td>${chip(provenance2)}</td></tr>`;
}

// engine/server/dashboard/result/snippet-card.ts
import { html as html12 } from "hono/html";
function snippetCard(configSnippets2) {
  return html12`<section class="card" aria-labelledby="paste-title">
<h2 id="paste-title">To paste</h2>
${body(configSnippets2)}
</section>`;
}
function body(configSnippets2) {
  switch (configSnippets2.kind) {
    case "nothing-to-change":
      return html12`<p>Nothing: no other batch size would bring anything.</p>`;
    case "nothing-fits":
      return html12`<p>No batch size fits, so there is nothing to paste.</p>`;
    case "by-hand":
      return html12`<p>${configSnippets2.why}</p><p>Set the micro-batch to <strong>${formatCount(configSnippets2.plan.microBatch)}</strong> and the gradient accumulation to <strong>${formatCount(configSnippets2.plan.gradientAccumulation)}</strong>.</p>`;
    case "snippets":
      return html12`${configSnippets2.snippets.map(snippet)}`;
  }
}
function snippet({ title, text }, index) {
  const id2 = `snippet-${index + 1}`;
  return html12`<div class="snippet-head"><h3>${title}</h3><button type="button" class="secondary small" data-copy="${id2}" aria-label="Copy: ${title}" hidden>Copy</button></div>
<pre id="${id2}" class="snippet" tabindex="0" role="region" aria-label="${title}"><code>${text}</code></pre>`;
}

// engine/server/dashboard/result/result.ts
function result(config, { terms, configSnippets: configSnippets2 }) {
  return html13`${verdict2(config)}
${memoryBars(config)}
${gains(config, terms)}
${curves(config)}
<div class="columns">${snippetCard(configSnippets2)}${breakdownCard(config)}</div>
${sizesCard(config)}
${groundsCard(config)}`;
}
function resultTitle({ spec: spec2, gpu }) {
  return `${plainText(spec2.model, 100)} on ${plainText(gpu.name, 60)}`;
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
      return "Warning";
    case "fine":
      return "Fine";
  }
}
function findingText(finding) {
  switch (finding) {
    case "does-not-fit":
      return "Runs out of memory";
    case "may-not-fit":
      return "May run out of memory";
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
function analysisPath(id2) {
  return `${ANALYSES_PATH}/${encodeURIComponent(id2)}`;
}
function subjectText({ model, config }) {
  return config === void 0 ? plainText(model ?? "", 200) : "the pasted config";
}
function runningView(analysis2) {
  const path2 = analysisPath(analysis2.id);
  return html14`<section class="card" data-events="${path2}/events" aria-labelledby="title">
<h1 id="title" tabindex="-1">Analysing ${subjectText(analysis2.request)}</h1>
<p class="working" role="status" data-status>${analysis2.state === "queued" ? "Waiting in the queue: one sweep runs at a time." : "Trying batch sizes. Each line is a finished trial."}</p>
${logList(linesOf(analysis2))}
<noscript><p class="sub">This page reloads itself every few seconds.</p></noscript>
<div class="actions">
<form method="post" action="${path2}/cancel" data-while-running><button class="secondary">Cancel</button></form>
${again(analysis2.request, "Start again")}
</div>
</section>`;
}
function endedView(analysis2) {
  return html14`${analysis2.state === "failed" ? problemNotice("The analysis failed", analysis2.problems) : ""}
<section class="card" aria-labelledby="title">
<h1 id="title" tabindex="-1">${analysis2.state === "failed" ? "No result" : "Cancelled"}: ${subjectText(analysis2.request)}</h1>
<p class="sub">${analysis2.trials.length === 0 ? "No size was tried." : "Sizes tried before it ended:"}</p>
${analysis2.trials.length === 0 ? "" : logList(linesOf(analysis2))}
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
<h1 tabindex="-1">This analysis is no longer available</h1>
<p>Results are kept for a while, until the server restarts at the latest. Run it again: the same request gives the same result on the same machine.</p>
<div class="actions">${otherLink}</div>
</section>`;
}
var otherLink = html14`<a class="button secondary" href="/">Analyse another</a>`;
function again(request2, words) {
  return html14`<form method="post" action="${ANALYSES_PATH}"><input type="hidden" name="${AGAIN_FIELD}" value="${JSON.stringify(request2)}"><button class="secondary">${words}</button></form>`;
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
<a class="skip" href="#main">Skip to content</a>
<header class="site">
<a class="brand" href="/"><span class="mark" aria-hidden="true"></span>MemoryMark</a>
<nav aria-label="Pages">
${navigationLink("/", "Analyse", section === "analyse")}
${navigationLink("/repositories", "Repositories", section === "repositories")}
</nav>
</header>
<main id="main" tabindex="-1">${main}</main>
<footer class="site">MemoryMark ${version}. API: <a href="/openapi.json">OpenAPI</a>.</footer>
</body>
</html>`;
}
function navigationLink(href, name, isCurrent) {
  return html15`<a href="${href}"${isCurrent ? html15` aria-current="page"` : ""}>${name}</a>`;
}

// engine/server/dashboard/result/config-snippets.ts
import { stringify } from "yaml";

// engine/propose.ts
import { isDeepStrictEqual } from "node:util";

// engine/config/rewrite.ts
var digits = /(\d{1,15})(?=[\s,\]}]|$)/y;
var anchored = /&\S+\s+$/;
function rewriteNumbers(text, changes) {
  const bom = text.startsWith("\uFEFF") ? 1 : 0;
  const starts = lineStarts(text, bom);
  let rewritten = text;
  for (const { at, from, to } of changes.toSorted((a, b) => b.at.line - a.at.line || b.at.column - a.at.column)) {
    const start = starts[at.line - 1];
    if (start === void 0) return { kind: "not-plain", at };
    const offset = start + at.column - 1;
    digits.lastIndex = offset;
    const [, written] = digits.exec(text) ?? [];
    const isAnchored = anchored.test(text.slice(start, offset));
    if (written === void 0 || Number(written) !== from || isAnchored) return { kind: "not-plain", at };
    rewritten = rewritten.slice(0, offset) + String(to) + rewritten.slice(offset + written.length);
  }
  return { kind: "rewritten", text: rewritten };
}
function lineStarts(text, first) {
  return [first, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
}

// engine/report/batch-change.ts
function batchChange(config) {
  const { current, recommended, batchSizeAt, gradientAccumulationAt } = config;
  if (recommended === void 0) return { kind: "nothing-to-change" };
  const changesMicro = recommended.microBatch !== current.microBatch;
  const changesAccumulation = config.spec.loop !== "ultralytics" && recommended.gradientAccumulation !== current.gradientAccumulation;
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
async function proposeChange(file, config, { settings = noSettings, sources = {} } = {}) {
  const change = batchChange(config);
  switch (change.kind) {
    case "nothing-to-change":
      return change;
    case "not-in-file":
      return { kind: "by-hand", why: change };
    case "change": {
      const rewrite = rewriteNumbers(file.text, change.numbers);
      if (rewrite.kind === "not-plain") return { kind: "by-hand", why: rewrite };
      const { supplied } = settingsFor(file.path, settings);
      const again2 = await readConfigAsync({ ...file, text: rewrite.text }, sources, supplied);
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

// engine/server/dashboard/result/config-snippets.ts
var known = /* @__PURE__ */ new WeakMap();
function configSnippets(config, pasted2) {
  const answer2 = known.get(config) ?? findOut(config, pasted2);
  known.set(config, answer2);
  return answer2;
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
      return `Line ${why.at.line} does not hold the number in plain digits, so please change it by hand.`;
    case "tied-to-other-settings":
      return "These numbers may be tied to other settings, so please change them by hand.";
  }
}
function newConfig(spec2, plan) {
  const trainer = {
    per_device_train_batch_size: plan.microBatch,
    gradient_accumulation_steps: plan.gradientAccumulation
  };
  return [
    ...spec2.framework === "pytorch" ? [{ title: "For Hugging Face's Trainer", text: stringify(trainer) }] : [],
    { title: "As a config that memorymark check reads", text: stringify({ memorymark: ownKeys(spec2, plan) }) }
  ];
}
function ownKeys(spec2, plan) {
  const keys = {
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
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== void 0));
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
    const after = z4.coerce.number().int().min(0).catch(0).parse(c.req.header("last-event-id"));
    const events = analyses.events(c.req.param("id"), after, c.req.raw.signal);
    if (events === void 0) return c.notFound();
    if (events === "all-seen") return c.body(null, 204);
    const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no" };
    return c.body(eventStream(events, KEEP_ALIVE_MILLIS, asLine), 200, headers);
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
  return c.html(page(assets, { title: "No longer available", section: "analyse" }, expiredView()), 404);
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
        configSnippets: await configSnippets(config, pastedFile(analysis2, config))
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
function pastedFile({ request: request2 }, { path: path2 }) {
  if (request2.config === void 0 || Object.keys(request2.spec).length > 0) return void 0;
  return { path: path2, text: request2.config.text };
}

// engine/server/dashboard/ask.ts
import { html as html17 } from "hono/html";

// engine/server/dashboard/machine-card.ts
import { html as html16 } from "hono/html";
function machineCard(machine, engine) {
  return html16`<section class="card machine" aria-labelledby="machine-title"${machine === void 0 ? html16` data-load="${MACHINE_PATH}"` : ""}>
<h2 id="machine-title">This machine</h2>
${machine === void 0 ? html16`<p class="sub">Still detecting the hardware. Reload to see it.</p>` : facts2(machine, engine)}
</section>`;
}
var MACHINE_PATH = "/machine";
function facts2(machine, served) {
  const engine = served === "auto" ? engineOn(machine) : served;
  const rows = [...served === "estimate" ? [] : hardware(machine), ["Figures", chip(provenanceOf(engine))]];
  return html16`<dl class="facts">${rows.map(([name, value]) => html16`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<p class="sub">${meaning(engine)}</p>`;
}
function hardware(machine) {
  switch (machine.kind) {
    case "python":
      return [
        ["GPU", deviceText(machine.device)],
        ["Software", plainText(softwareOf(machine), 200)]
      ];
    case "no-python":
      return [
        ["GPU", "none that PyTorch can use"],
        ["PyTorch", "not found"]
      ];
  }
}
function deviceText(device) {
  switch (device.kind) {
    case "cuda": {
      const one = `${plainText(device.name, 60)}, ${formatGib(device.totalBytes)}`;
      return device.count > 1 ? `${formatCount(device.count)} × ${one} each` : one;
    }
    case "mps":
      return `${plainText(device.name, 60)}, ${formatGib(device.totalBytes)}`;
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
      return "Memory and speed are measured for its own GPU, and modelled for any other.";
    case "tfjs":
      return "Memory is measured by TensorFlow.js; speed is modelled.";
    case "trace":
      return "Memory comes from PyTorch's own graph, without a GPU; speed is modelled.";
    case "estimate":
      return "Memory and speed are modelled, from the model's shape alone.";
  }
}

// engine/server/dashboard/ask.ts
var untouched = { values: {}, problems: [] };
function addAskPage(app, { assets, context }) {
  const machine = new MachineWatch(context.machine);
  const view = (form, notice = "") => page(assets, { title: "Analyse", section: "analyse" }, askView(form, { context, machine: machine.known, notice }));
  app.get("/", (c) => {
    machine.findOut();
    return c.html(view(untouched), 200, { "Cache-Control": "no-store" });
  });
  app.get(MACHINE_PATH, async (c) => c.html(machineCard(await context.machine(), context.engine)));
  app.post(ANALYSES_PATH, async (c) => {
    const body2 = await c.req.parseBody();
    const values = formValues(body2);
    const reading = readQuestion(body2[AGAIN_FIELD]) ?? readForm(values);
    if (reading.kind === "refused") {
      const { problems: problems2 } = reading;
      return c.html(view({ values, problems: problems2 }, problemNotice("Please correct the form", problems2)), 400);
    }
    const submission = context.analyses.submit(reading.request);
    switch (submission.kind) {
      case "accepted":
        return c.redirect(analysisPath(submission.analysis.id), 303);
      case "refused":
        return c.html(
          view({ values, problems: [] }, problemNotice("The server refused this request", [submission.problem])),
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
function readQuestion(text) {
  const request2 = typeof text === "string" ? readAgain(text) : void 0;
  return request2 && { kind: "request", request: request2 };
}
function queueFull(retryAfterSeconds) {
  return {
    code: "queue-full",
    message: "The queue is full: one sweep runs at a time",
    fix: `Try again in ${retryAfterSeconds} s.`
  };
}
var MachineWatch = class {
  #ask;
  known;
  constructor(ask) {
    this.#ask = ask;
  }
  findOut() {
    if (this.known !== void 0) return;
    const note = (machine) => {
      this.known = machine;
    };
    this.#ask().then(note, () => void 0);
  }
};
function askView(form, { context, machine, notice }) {
  return html17`${notice}
<div class="hero"><h1 tabindex="-1">What batch size can your GPU really take?</h1>
<p>Choose a model or paste a training config. You get the batch to use, how much of the GPU the current one leaves idle, and what that costs.</p></div>
<div class="ask-columns">${analyseForm(form, { ownGpu: ownGpu(machine, context), engine: context.engine })}<div>${machineCard(machine, context.engine)}${legend}</div></div>`;
}
var legend = html17`<section class="card" aria-labelledby="legend-title"><h2 id="legend-title">Where a figure comes from</h2>
<dl class="legend">
<div><dt>${chip("measured")}</dt><dd>a GPU ran the step</dd></div>
<div><dt>${chip("traced")}</dt><dd>PyTorch traced the step, without a GPU</dd></div>
<div><dt>${chip("estimated")}</dt><dd>our model of memory, with its error band</dd></div>
<div><dt>${chip("modelled")}</dt><dd>our model of speed, and the costs that follow from it</dd></div>
</dl></section>`;
function ownGpu(machine, { gpu, engine }) {
  if (engine === "estimate" || engine === "trace") return gpu.name;
  if (machine === void 0) return `this machine's GPU, or else ${gpu.name}`;
  if (machine.kind === "python" && "totalBytes" in machine.device) {
    return `this machine's ${plainText(machine.device.name, 60)}, ${formatGib(machine.device.totalBytes)}`;
  }
  return `${gpu.name} (this machine has no GPU)`;
}

// engine/server/dashboard/repositories/routes.ts
import * as z6 from "zod";

// engine/server/repositories.ts
import * as z5 from "zod";
var MAX_PAGE_SIZE = 100;
var DEFAULT_PAGE_SIZE = 25;
var pageRequest = z5.object({
  limit: z5.coerce.number().int().min(1).max(MAX_PAGE_SIZE).default(DEFAULT_PAGE_SIZE),
  /** `next` of the page before. */
  cursor: z5.string().min(1).max(500).optional()
});
var repositoryName = z5.object({
  owner: z5.string().max(100).regex(/^[\w.-]+$/),
  repo: z5.string().max(100).regex(/^[\w.-]+$/)
});
var time2 = z5.iso.datetime();
var usd = z5.number();
var sha = z5.string().regex(/^[0-9a-f]{40,64}$/);
var path = z5.string().min(1).max(4096);
var login = z5.string().max(100);
var repositorySummary = z5.object({
  ...repositoryName.shape,
  configs: z5.int().min(0),
  /** Of those, how many block. */
  blocked: z5.int().min(0),
  /** What the recommendations would save in a year, over all configs. */
  savingsPerYearUsd: usd,
  updatedAt: time2
});
var configRecord = z5.object({
  path,
  model: z5.string().max(200),
  gpu: reportedGpu,
  commit: sha,
  /** When this was found out. */
  at: time2,
  provenance,
  errorBandPercent: z5.number().min(0).max(100),
  throughputProvenance,
  current: operatingPoint,
  recommended: operatingPoint.optional(),
  speedup: z5.number().positive(),
  savingsPerYearUsd: usd,
  verdict
});
var configOrders = ["waste", "cost"];
var atPullRequest = { pullRequest: z5.int().positive(), path, at: time2, provenance };
var ledgerEntry = z5.discriminatedUnion("kind", [
  z5.object({ kind: z5.literal("saved"), ...atPullRequest, savedPerYearUsd: usd, fromBatch: z5.int(), toBatch: z5.int() }),
  /** Merged all the same. */
  z5.object({ kind: z5.literal("accepted"), ...atPullRequest, forgonePerYearUsd: usd, reason: z5.string().max(1e3) })
]);
var ledger = z5.object({ savedPerYearUsd: usd, forgonePerYearUsd: usd });
var decision = z5.discriminatedUnion("kind", [
  z5.object({
    kind: z5.literal("blocked"),
    pullRequest: z5.int().positive(),
    title: z5.string().max(500),
    author: login,
    at: time2,
    /** The configs that block, with why. */
    configs: z5.array(z5.object({ path, verdict }))
  }),
  z5.object({
    kind: z5.literal("accepted"),
    pullRequest: z5.int().positive(),
    title: z5.string().max(500),
    author: login,
    at: time2,
    acceptedBy: login,
    /** As that person wrote it. */
    reason: z5.string().max(1e3),
    configs: z5.array(z5.object({ path, verdict }))
  })
]);

// engine/server/dashboard/repositories/history.ts
import { html as html19 } from "hono/html";

// engine/server/dashboard/repositories/data-table.ts
import { html as html18 } from "hono/html";
function dataTable(caption, headings, rows) {
  return html18`<div class="scroll wide" role="region" aria-label="${caption}" tabindex="0"><table>
<thead><tr>${headings.map((heading) => html18`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows.map(([first = "", ...cells]) => html18`<tr><th scope="row">${first}</th>${cells.map((cell) => html18`<td>${cell}</td>`)}</tr>`)}</tbody>
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
function historyPath(name, path2) {
  return `${repositoryPath(name)}/history?path=${encodeURIComponent(path2)}`;
}

// engine/server/dashboard/repositories/history.ts
function historyView(name, path2, { items, next }) {
  return html19`<p class="crumbs"><a href="${REPOSITORIES_PATH}">Repositories</a> / <a href="${repositoryPath(name)}">${name.owner}/${name.repo}</a></p>
<h1 tabindex="-1" class="path">${plainPath(path2)}</h1>
${items.length === 0 ? html19`<section class="card"><p>No training config is known at this path.</p></section>` : html19`${trend(items)}${commits(items)}${nextLink(next && `${historyPath(name, path2)}&cursor=${encodeURIComponent(next)}`)}`}`;
}
function trend(newestFirst) {
  const records = newestFirst.toReversed();
  const known2 = new Set(records.map(({ provenance: provenance2 }) => provenance2));
  return chart({
    id: "trend",
    title: html19`Idle memory over time`,
    note: `One point per commit, ${[...known2].join(" or ")}.`,
    xName: "When",
    yName: "Idle memory, percent",
    yUnit: "%",
    xKind: "time",
    rows: records.map(({ at, gpu, current, provenance: provenance2 }) => ({
      x: Date.parse(at) / 1e3,
      xText: at.slice(0, 10),
      y: idlePercent(gpu, current),
      yText: `${Math.round(idlePercent(gpu, current))} %, ${provenance2}`,
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
    ["Commit", "When", "GPU", "Micro-batch", "Idle", "Provenance", "Could save per year (modelled)", "Verdict"],
    records.map((record3) => [
      html19`<code>${record3.commit.slice(0, 7)}</code>`,
      moment(record3.at),
      plainText(record3.gpu.name, 40),
      formatCount(record3.current.microBatch),
      record3.current.fits ? formatGib(idleBytes(record3.gpu, record3.current)) : "does not fit",
      memoryChip(record3),
      formatYearlyUsd(record3.savingsPerYearUsd),
      verdictText(record3.verdict)
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
    ["Repository", "Configs", "Blocked", "Could save per year (modelled)", "As of"],
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
  return html20`<section class="card empty"><h1 tabindex="-1">Unknown repository</h1>
<p>The bot has not looked at it, or is not installed there.</p><p><a class="button secondary" href="${REPOSITORIES_PATH}">All repositories</a></p></section>`;
}

// engine/server/dashboard/repositories/repository.ts
import { html as html21 } from "hono/html";
function repositoryView(name, order, records) {
  return html21`<p class="crumbs"><a href="${REPOSITORIES_PATH}">Repositories</a></p>
<h1 tabindex="-1">${name.owner}/${name.repo}</h1>
${totals(records.ledger.totals)}
${configsCard(name, order, records.configs)}
${ledgerCard(name, records.ledger)}
${decisionsCard(name, records.decisions)}`;
}
function totals({ savedPerYearUsd, forgonePerYearUsd }) {
  return html21`<dl class="gains">
<div class="card gain"><dt>Saved per year ${chip("modelled")}</dt><dd><strong>${formatYearlyUsd(savedPerYearUsd)}</strong><span>by merged pull requests</span></dd></div>
<div class="card gain"><dt>Forgone per year ${chip("modelled")}</dt><dd><strong class="plain">${formatYearlyUsd(forgonePerYearUsd)}</strong><span>through accepted waste</span></dd></div>
</dl>`;
}
function configsCard(name, order, { items, next }) {
  const by = (other, words) => other === order ? html21`<strong>${words}</strong>` : html21`<a href="${repositoryPath(name)}?order=${other}">${words}</a>`;
  return html21`<section class="card" aria-labelledby="configs-title"><h2 id="configs-title">Configs</h2>
<p class="sub">Worst first, by ${by("waste", "waste")} or ${by("cost", "cost")}.</p>
${items.length === 0 ? html21`<p>There is no training config on the default branch.</p>` : dataTable(
    "Configs on the default branch",
    ["Config", "Idle", "Provenance", "Micro-batch", "Speedup", "Could save per year", "Verdict"],
    items.map((record3) => configRow(name, record3))
  )}
${nextLink(next && `${repositoryPath(name)}?order=${order}&configs=${encodeURIComponent(next)}`)}
</section>`;
}
function configRow(name, record3) {
  const { path: path2, model, gpu, current, recommended, speedup, savingsPerYearUsd, verdict: verdict3 } = record3;
  const change = recommended && recommended.microBatch !== current.microBatch ? ` → ${formatCount(recommended.microBatch)}` : "";
  return [
    html21`<a href="${historyPath(name, path2)}">${plainPath(path2, 60)}</a><br><span class="dim">${plainText(model, 60)}, ${plainText(gpu.name, 40)}</span>`,
    current.fits ? `${Math.round(idlePercent(gpu, current))} % (${formatGib(idleBytes(gpu, current))})` : "does not fit",
    memoryChip(record3),
    `${formatCount(current.microBatch)}${change}`,
    current.fits ? html21`${formatRatio(speedup)} ${chip(record3.throughputProvenance)}` : "–",
    formatYearlyUsd(savingsPerYearUsd),
    html21`<span class="${verdict3.state === "blocked" ? "bad" : ""}">${verdict3.state}</span><br><span class="dim">${verdictText(verdict3)}</span>`
  ];
}
function ledgerCard(name, { items, next }) {
  return html21`<section class="card" aria-labelledby="ledger-title"><h2 id="ledger-title">Savings ledger</h2>
${items.length === 0 ? html21`<p>No merged pull request has changed what a config wastes.</p>` : dataTable(
    "Savings ledger",
    ["Pull request", "Config", "What happened", "A year", "Provenance", "When"],
    items.map((entry) => ledgerRow(name, entry))
  )}
${nextLink(next && `${repositoryPath(name)}?ledger=${encodeURIComponent(next)}`)}
</section>`;
}
function ledgerRow(name, entry) {
  const [what, usd2] = whatHappened(entry);
  return [
    `#${entry.pullRequest}`,
    html21`<a href="${historyPath(name, entry.path)}">${plainPath(entry.path, 60)}</a>`,
    what,
    usd2,
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
function decisionsCard(name, { items, next }) {
  return html21`<section class="card" aria-labelledby="decisions-title"><h2 id="decisions-title">Pull requests blocked and accepted</h2>
${items.length === 0 ? html21`<p>No pull request has been blocked.</p>` : dataTable(
    "Pull requests blocked and accepted",
    ["Pull request", "Decision", "Why", "When"],
    items.map(decisionRow)
  )}
${nextLink(next && `${repositoryPath(name)}?decisions=${encodeURIComponent(next)}`)}
</section>`;
}
function decisionRow(decision2) {
  const configs2 = decision2.configs.map(
    ({ path: path2, verdict: verdict3 }) => html21`<li>${plainPath(path2, 60)}: ${verdictText(verdict3)}</li>`
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
var listQuery = z6.object({ cursor });
var repositoryQuery = z6.object({
  order: z6.enum(configOrders).catch("waste"),
  configs: cursor,
  ledger: cursor,
  decisions: cursor
});
var historyQuery = z6.object({ path: z6.string().max(4096).catch(""), cursor });
var PAGE_SIZE = 25;
function addRepositoryPages(app, { assets, context: { repositories } }) {
  const answer2 = (c, title, view, status = 200) => {
    c.header("Cache-Control", "no-store");
    return c.html(page(assets, { title, section: "repositories" }, view), status);
  };
  const unknown3 = (c) => answer2(c, "Unknown repository", unknownView(), 404);
  app.get(REPOSITORIES_PATH, async (c) => {
    if (repositories === void 0) return answer2(c, "Repositories", emptyView());
    const asked2 = listQuery.parse(c.req.query());
    return answer2(c, "Repositories", listView(await repositories.list(request(asked2.cursor))));
  });
  app.get(`${REPOSITORIES_PATH}/:owner/:repo`, async (c) => {
    const name = repositoryName.safeParse(c.req.param());
    if (repositories === void 0 || !name.success) return unknown3(c);
    const query = repositoryQuery.parse(c.req.query());
    const records = await recordsOf(repositories, name.data, query);
    if (records === void 0) return unknown3(c);
    return answer2(c, `${name.data.owner}/${name.data.repo}`, repositoryView(name.data, query.order, records));
  });
  app.get(`${REPOSITORIES_PATH}/:owner/:repo/history`, async (c) => {
    const name = repositoryName.safeParse(c.req.param());
    if (repositories === void 0 || !name.success) return unknown3(c);
    const { path: path2, cursor: cursor2 } = historyQuery.parse(c.req.query());
    const records = await repositories.history(name.data, path2, request(cursor2, MAX_PAGE_SIZE));
    return records === void 0 ? unknown3(c) : answer2(c, `${name.data.repo}: a config over time`, historyView(name.data, path2, records));
  });
}
async function recordsOf(repositories, name, query) {
  const [configs2, ledger2, decisions2] = await Promise.all([
    repositories.configs(name, query.order, request(query.configs)),
    repositories.ledger(name, request(query.ledger)),
    repositories.decisions(name, request(query.decisions))
  ]);
  if (configs2 === void 0 || ledger2 === void 0 || decisions2 === void 0) return void 0;
  return { configs: configs2, ledger: ledger2, decisions: decisions2 };
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
  for (const { url, contentType, contents } of [assets.script, assets.styles, assets.icon]) {
    app.get(
      url,
      (c) => c.body(contents, 200, { "Content-Type": contentType, "Cache-Control": "public, max-age=31536000, immutable" })
    );
  }
}

// engine/server/listen.ts
import { once as once2 } from "node:events";
import { createServer } from "node:http";
import { isIPv4 } from "node:net";
import { getRequestListener } from "@hono/node-server";

// engine/server/access.ts
import { createHash as createHash2, timingSafeEqual } from "node:crypto";
import * as z8 from "zod";

// engine/server/fault.ts
import * as z7 from "zod";
var fault = z7.object({
  status: z7.literal("error"),
  /** In one text, for people. */
  error: z7.string(),
  problems: z7.array(problem)
});
function faultOf(...problems2) {
  const error = problems2.map((told) => `${formatWhere(told)}${told.message}. ${told.fix}`).join(" ");
  return { status: "error", error, problems: [...problems2] };
}
var MAX_ISSUES = 50;
function problemsOf(error) {
  return error.issues.slice(0, MAX_ISSUES).map(({ path: path2, message }) => ({
    code: "request-refused",
    message: message.slice(0, 500),
    fix: "Correct the request; /openapi.json describes it.",
    ...path2.length > 0 && { field: path2.join(".").slice(0, 500) }
  }));
}

// engine/server/access.ts
var apiToken = z8.string().min(16, "At least 16 characters, for instance the output of `openssl rand -hex 32`").regex(/^[\w.~+/=-]+$/, "Only letters, digits and . _ ~ + / = -, which an HTTP header can carry");
var openPaths = /* @__PURE__ */ new Set(["/health"]);
var readingMethods = /* @__PURE__ */ new Set(["GET", "HEAD", "OPTIONS"]);
function checkAccess(access) {
  return async (context, next) => {
    switch (access.kind) {
      case "this-machine":
        return isMeant(context, access.hostNames) ? next() : context.json(faultOf(otherHost), 403);
      case "token":
        if (openPaths.has(context.req.path) || isToken(context.req.header("authorization"), access.token)) return next();
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
  const named2 = URL.parse(`http://${req.header("host") ?? ""}`)?.hostname;
  const addressed = URL.parse(req.url)?.hostname;
  return [named2, addressed].every((name) => name !== void 0 && hostNames.includes(name));
}
function isToken(authorization, token) {
  const [, scheme, credentials = ""] = /^(Bearer|Basic) +([\w.~+/=-]+)$/i.exec(authorization ?? "") ?? [];
  if (scheme === void 0) return false;
  const given = scheme.toLowerCase() === "bearer" ? credentials : passwordIn(credentials);
  return timingSafeEqual(digest(given), digest(token));
}
function passwordIn(credentials) {
  const decoded = Buffer.from(credentials, "base64").toString("utf8");
  return decoded.slice(decoded.indexOf(":") + 1);
}
function digest(text) {
  return createHash2("sha256").update(text).digest();
}
var otherHost = {
  code: "other-host",
  message: "this server is for this machine only, but was addressed by another host name",
  fix: "Use http://localhost, or start the server with --host and a token."
};
var tokenNeeded = {
  code: "token-needed",
  message: "this server requires its token",
  fix: "Send `Authorization: Bearer <token>`; a browser asks for it as the password, with any user name."
};
var otherOrigin = {
  code: "other-origin",
  message: "pages from another site may not call this server",
  fix: "Start the server with --allow-origin and the origin of that page."
};

// engine/server/machine.ts
var KnownMachine = class _KnownMachine {
  #asking = new AbortController();
  #description;
  #known;
  constructor(describe2, known2) {
    this.#known = known2;
    this.#description = describe2(this.#asking.signal).then((machine) => {
      this.#known = machine;
      return machine;
    });
  }
  /** `python`: the interpreter's command. */
  static ask(python) {
    return new _KnownMachine((signal) => describeMachine(python, signal));
  }
  static of(machine) {
    return new _KnownMachine(async () => machine, machine);
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
import { once } from "node:events";

// engine/server/analysis-thread.ts
import { existsSync as existsSync2 } from "node:fs";
import { fileURLToPath as fileURLToPath2 } from "node:url";
import { Worker } from "node:worker_threads";
var GRACE_MILLIS = 5e3;
var HEAP_MIB = 512;
function threadPath() {
  const places = ["./analysis-thread.js", "./analysis-worker.ts"].map(
    (path2) => fileURLToPath2(new URL(path2, import.meta.url))
  );
  const found = places.find((place) => existsSync2(place));
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
  async run(request2, { machine, timeoutMillis, signal, tell }) {
    var _stack = [];
    try {
      const worker = this.#started();
      const ended = Promise.withResolvers();
      const hear = (message) => {
        if (message.kind === "crashed") ended.resolve(this.#crashed(message.stack));
        else if (isFinal(message)) ended.resolve(message);
        else tell(message);
      };
      const died = (error) => ended.resolve(this.#crashed(error.stack ?? error.message));
      worker.on("message", hear).once("error", died);
      const stopping = __using(_stack, new Stopping(worker, ended.resolve, () => this.#forget(worker)));
      const timeout = setTimeout(() => stopping.stop(timedOut(timeoutMillis)), timeoutMillis);
      const cancel2 = () => stopping.stop({ kind: "cancelled" });
      signal.addEventListener("abort", cancel2, { once: true });
      try {
        give(worker, { kind: "run", request: request2, machine });
        if (signal.aborted) cancel2();
        return stopping.instead(await ended.promise);
      } finally {
        clearTimeout(timeout);
        signal.removeEventListener("abort", cancel2);
        worker.off("message", hear).off("error", died);
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
    const started = this.#worker ?? new Worker(this.#path, { workerData: this.#settings, resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } });
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
    fix: "Analyse a smaller model, or use the estimate engine."
  };
  return { kind: "failed", problems: [problem3] };
}
var crash = {
  code: "analysis-crashed",
  message: "the analysis ended because of a bug in MemoryMark or a lack of memory",
  fix: "Check the server's log."
};

// engine/server/bounded-queue.ts
var BoundedQueue = class {
  #size;
  #run;
  #moved;
  #waiting = [];
  #running = 0;
  /** `run` never rejects. `moved` is told every new position of a waiting item; 1 is the next to run. */
  constructor(size, run, moved) {
    this.#size = size;
    this.#run = run;
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
    for (const [offset, item] of this.#waiting.slice(index).entries()) this.#moved(item, index + offset + 1);
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
    const ran2 = {
      ...common2,
      ...this.#startedAt !== void 0 && { startedAt: this.#startedAt },
      ...this.#probing !== void 0 && { probing: this.#probing },
      trials: [...this.#trials]
    };
    if (state.kind === "running") return { ...ran2, state: "running" };
    const { ending, finishedAt } = state;
    switch (ending.kind) {
      case "done":
        return { ...ran2, state: "done", finishedAt, report: ending.report };
      case "failed":
        return { ...ran2, state: "failed", finishedAt, problems: ending.problems };
      case "cancelled":
        return { ...ran2, state: "cancelled", finishedAt };
    }
  }
};

// engine/server/analysis-queue.ts
var kinds = ["sweep", "estimate"];
var defaultLimits = {
  sweep: { queue: { running: 1, waiting: 10 }, timeoutMillis: 30 * 6e4, retryAfterSeconds: 60 },
  estimate: { queue: { running: 2, waiting: 50 }, timeoutMillis: 3e4, retryAfterSeconds: 2 }
};
var KEPT = 200;
var AnalysisQueue = class {
  #options;
  #now;
  #all = /* @__PURE__ */ new Map();
  #ended = [];
  #queues;
  #running = /* @__PURE__ */ new Map();
  #idleThreads;
  #isClosed = false;
  constructor(options) {
    this.#options = options;
    this.#now = options.now ?? (() => /* @__PURE__ */ new Date());
    this.#queues = { sweep: this.#queue("sweep"), estimate: this.#queue("estimate") };
    this.#idleThreads = { sweep: this.#threads("sweep"), estimate: this.#threads("estimate") };
  }
  submit(request2) {
    const refusal = this.#refusal(request2);
    if (refusal !== void 0) return refusal;
    const kind = this.#kindOf(request2);
    const analysis2 = new LiveAnalysis(request2, this.#now);
    if (this.#isClosed || !this.#queues[kind].offer(analysis2)) {
      return { kind: "queue-full", retryAfterSeconds: this.#limits(kind).retryAfterSeconds };
    }
    this.#all.set(analysis2.id, analysis2);
    return { kind: "accepted", analysis: analysis2.snapshot() };
  }
  find(id2) {
    return this.#all.get(id2)?.snapshot();
  }
  events(id2, after, signal) {
    const log = this.#all.get(id2)?.log;
    return log?.hasEnded && after >= log.lastSequence ? "all-seen" : log?.after(after, signal);
  }
  cancel(id2) {
    const analysis2 = this.#all.get(id2);
    if (analysis2 === void 0) return void 0;
    const wasWaiting = kinds.some((kind) => this.#queues[kind].withdraw(analysis2));
    if (wasWaiting) this.#end(analysis2, { kind: "cancelled" });
    else analysis2.cancellation.abort();
    return analysis2.snapshot();
  }
  /** Takes no more, cancels what waits and runs, and returns when no process and no thread is left. */
  async [Symbol.asyncDispose]() {
    this.#isClosed = true;
    for (const analysis2 of this.#all.values()) if (!analysis2.hasEnded) this.cancel(analysis2.id);
    await Promise.all(this.#running.values());
    const threads = kinds.flatMap((kind) => this.#idleThreads[kind].splice(0));
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
        message: `this server does not offer the ${request2.engine} engine`,
        fix: `Omit engine, or use ${served}.`
      }
    };
  }
  #kindOf(request2) {
    const engine = request2.engine === "auto" ? this.#options.settings.engine : request2.engine;
    return engine === "estimate" || engine === "auto" && this.#estimatesOnly(request2) ? "estimate" : "sweep";
  }
  /** A pasted config may be one of TensorFlow.js, which is swept; that is not known before it is read. */
  #estimatesOnly({ config, spec: spec2 }) {
    const machine = this.#options.machine.ifKnown;
    const isPytorch = config === void 0 && spec2.framework !== "tensorflow.js";
    return machine !== void 0 && isPytorch && engineOn(machine) === "estimate";
  }
  #limits(kind) {
    return this.#options.limits?.[kind] ?? defaultLimits[kind];
  }
  /** One for each that may run. */
  #threads(kind) {
    const { settings, log } = this.#options;
    return Array.from({ length: this.#limits(kind).queue.running }, () => new AnalysisThread(settings, log));
  }
  #queue(kind) {
    return new BoundedQueue(
      this.#limits(kind).queue,
      (analysis2) => {
        const run = this.#run(kind, analysis2);
        this.#running.set(analysis2, run);
        return run.finally(() => this.#running.delete(analysis2));
      },
      (analysis2, position) => analysis2.happened({ kind: "queued", position })
    );
  }
  async #run(kind, analysis2) {
    analysis2.happened({ kind: "started" });
    const { signal } = analysis2.cancellation;
    const machine = await Promise.race([this.#machineFor(kind, analysis2.request), once(signal, "abort")]);
    if (!("kind" in machine)) return this.#end(analysis2, { kind: "cancelled" });
    const thread = this.#idleThreads[kind].pop();
    if (thread === void 0) throw new Error(`more analyses run than there are threads for: ${kind}`);
    const ending = await thread.run(analysis2.request, {
      machine,
      timeoutMillis: this.#limits(kind).timeoutMillis,
      signal,
      tell: (progress) => analysis2.happened(progress)
    });
    this.#idleThreads[kind].push(thread);
    this.#end(analysis2, ending);
  }
  /** An estimate for a card that is named asks nothing of the machine, and does not wait for it. */
  async #machineFor(kind, { gpu }) {
    const { machine } = this.#options;
    if (kind === "sweep" || gpu === void 0) return machine.description;
    return machine.ifKnown ?? { kind: "no-python", why: "the hardware of this machine is still being detected" };
  }
  #end(analysis2, ending) {
    analysis2.happened(ending);
    this.#ended.push(analysis2);
    const surplus = this.#ended.length - (this.#options.kept ?? KEPT);
    for (const { id: id2 } of this.#ended.splice(0, Math.max(0, surplus))) this.#all.delete(id2);
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
import * as z9 from "zod";

// engine/server/json-answer.ts
function jsonAnswer(description2, schema) {
  return { description: description2, content: { "application/json": { schema } } };
}

// engine/server/analysis-routes.ts
var id = z9.object({ id: z9.string().max(100) });
var lookedFor = { params: id };
var unknown = jsonAnswer("No such analysis, or it is no longer kept", fault);
var submit = createRoute({
  method: "post",
  path: "/v1/analyses",
  summary: "Start an analysis",
  request: { body: { required: true, content: { "application/json": { schema: analysisRequest } } } },
  responses: {
    202: {
      ...jsonAnswer("Accepted", analysis),
      headers: z9.object({ location: z9.string().meta({ description: "The address of the analysis" }) })
    },
    400: jsonAnswer("The request is invalid, or asks for something that this server does not offer", fault),
    429: {
      ...jsonAnswer("The queue is full", fault),
      headers: z9.object({ "retry-after": z9.string().meta({ description: "Seconds" }) })
    }
  }
});
var look = createRoute({
  method: "get",
  path: "/v1/analyses/{id}",
  summary: "An analysis in its current state",
  request: lookedFor,
  responses: { 200: jsonAnswer("The analysis", analysis), 404: unknown }
});
var follow = createRoute({
  method: "get",
  path: "/v1/analyses/{id}/events",
  summary: "Its events as they happen, as server-sent events",
  description: "Each has its number as id, its kind as name, and an AnalysisEvent as data. With Last-Event-ID, only the events after it. The stream ends after done, failed or cancelled.",
  request: {
    ...lookedFor,
    headers: z9.object({ "last-event-id": z9.coerce.number().int().min(0).max(1e9).optional() })
  },
  responses: {
    200: { description: "The events", content: { "text/event-stream": { schema: analysisEvent } } },
    204: { description: "It has ended, and the client has seen every event, so an EventSource stops reconnecting" },
    404: unknown
  }
});
var cancel = createRoute({
  method: "delete",
  path: "/v1/analyses/{id}",
  summary: "Cancel it",
  description: "Takes it out of the queue, or ends its running trial. Does nothing if it has already ended.",
  request: lookedFor,
  responses: { 202: jsonAnswer("The analysis; a running trial takes a moment to end", analysis), 404: unknown }
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
  app.openapi(follow, (context) => {
    const { id: id2 } = context.req.valid("param");
    const after = context.req.valid("header")["last-event-id"] ?? 0;
    const events = analyses.events(id2, after, context.req.raw.signal);
    if (events === void 0) return context.json(faultOf(notFound), 404);
    if (events === "all-seen") return context.body(null, 204);
    context.header("content-type", "text/event-stream; charset=utf-8");
    context.header("cache-control", "no-store");
    context.header("x-accel-buffering", "no");
    return context.body(eventStream(events, keepAliveMillis), 200);
  });
  app.openapi(cancel, (context) => {
    const found = analyses.cancel(context.req.valid("param").id);
    return found === void 0 ? context.json(faultOf(notFound), 404) : context.json(found, 202);
  });
}
var queueFull2 = {
  code: "queue-full",
  message: "the queue is full",
  fix: "Try again after the number of seconds in Retry-After."
};
var notFound = {
  code: "unknown-analysis",
  message: "there is no such analysis, or it is no longer kept",
  fix: "Submit it again with POST /v1/analyses."
};

// engine/server/description.ts
import * as z13 from "zod";

// engine/server/shared-schemas.ts
import { OpenAPIHono } from "@hono/zod-openapi";
import * as z12 from "zod";

// engine/server/earlier-request.ts
import * as z10 from "zod";
var spec = specChanges.shape;
var adapters = trainingSpec.shape.lora.unwrap().partial().shape;
var asked = analysisRequest.shape;
var fields = z10.strictObject({
  model_name: z10.string({ error: "model_name is missing: name a model, such as bert" }).min(1, "model_name is empty: name a model, such as bert").max(200),
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
  { path: ["lora_rank"], message: "an adapter setting is given without a rank" }
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
function loraOf({ lora_rank: rank, lora_targets: targets, lora_dropout: dropout }) {
  return { rank, targets, dropout };
}

// engine/server/earlier-result.ts
import * as z11 from "zod";
var triedSize = z11.object({
  batch_size: z11.int(),
  /** MiB. */
  memory_mb: z11.number().nullable(),
  memory_gb: z11.number().nullable(),
  success: z11.boolean(),
  error: z11.string().nullable(),
  provenance
});
var earlierResult = z11.object({
  model_name: z11.string(),
  /** `cuda`, `mps` or `cpu`: what the figures are of, whether it was measured or not. */
  device: z11.string(),
  gpu_name: z11.string(),
  gpu_total_gb: z11.number(),
  /** Total − CUDA context. */
  gpu_usable_gb: z11.number(),
  /** The recommended batch; null when not even one sample fits. */
  optimal_batch_size: z11.int().nullable(),
  optimal_gradient_accumulation: z11.int().nullable(),
  optimal_memory_gb: z11.number().nullable(),
  /** The largest that fits, which the earlier tool called optimal. */
  largest_batch_size: z11.int().nullable(),
  largest_memory_gb: z11.number().nullable(),
  current_batch_size: z11.int(),
  current_memory_gb: z11.number(),
  current_fits: z11.boolean(),
  /** Of usable memory, at the current batch. */
  waste_gb: z11.number(),
  waste_percent: z11.number(),
  /** Of usable memory, at the optimal batch. */
  headroom_gb: z11.number().nullable(),
  headroom_percent: z11.number().nullable(),
  /** Samples a second at the optimal batch over those at the current one. */
  speedup: z11.number(),
  cost_savings_per_run: z11.number(),
  cost_savings_annual: z11.number(),
  step: z11.enum(stepProfiles),
  engine: z11.enum(engines),
  provenance,
  /** Half-width of the band around every memory figure. */
  error_band_percent: z11.number(),
  throughput_provenance: throughputProvenance,
  results: z11.array(triedSize),
  assumptions: z11.array(z11.string())
});
function earlierResultOf({ modelName: modelName2, device, engine, config }) {
  const { gpu, current, recommended, largest } = config;
  return {
    model_name: modelName2,
    device,
    gpu_name: gpu.name,
    gpu_total_gb: gpu.totalBytes / GIB,
    gpu_usable_gb: gpu.usableBytes / GIB,
    optimal_batch_size: recommended?.microBatch ?? null,
    optimal_gradient_accumulation: recommended?.gradientAccumulation ?? null,
    optimal_memory_gb: recommended ? recommended.peakBytes / GIB : null,
    largest_batch_size: largest?.microBatch ?? null,
    largest_memory_gb: largest ? largest.peakBytes / GIB : null,
    current_batch_size: current.microBatch,
    current_memory_gb: current.peakBytes / GIB,
    current_fits: current.fits,
    waste_gb: idleBytes(gpu, current) / GIB,
    waste_percent: idlePercent(gpu, current),
    headroom_gb: recommended ? idleBytes(gpu, recommended) / GIB : null,
    headroom_percent: recommended ? idlePercent(gpu, recommended) : null,
    speedup: config.speedup,
    cost_savings_per_run: config.savingsPerRunUsd,
    cost_savings_annual: config.savingsPerYearUsd,
    step: config.spec.step,
    engine,
    provenance: config.provenance,
    error_band_percent: config.errorBandPercent,
    throughput_provenance: config.throughputProvenance,
    // The earlier tool's steps were single micro-batches.
    results: config.trials.filter(({ accumulates }) => !accumulates).map(triedSizeOf),
    assumptions: config.assumptions
  };
}
function triedSizeOf({ microBatch, outcome: outcome2, provenance: provenance2 }) {
  const peak = peakOf(outcome2);
  const fits = outcome2.kind === "fits";
  return {
    batch_size: microBatch,
    memory_mb: peak === void 0 ? null : peak / MIB,
    memory_gb: peak === void 0 ? null : peak / GIB,
    success: fits,
    error: fits ? null : "out of memory",
    provenance: provenance2
  };
}

// engine/server/shared-schemas.ts
var named = {
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
  Gpu: reportedGpu,
  TrainingSpec: trainingSpec,
  Trial: trial,
  Outcome: outcome,
  Verdict: verdict,
  ConfigRecord: configRecord,
  LedgerEntry: ledgerEntry,
  Decision: decision
};
var jsonObject = z12.record(z12.string(), z12.json());
function withSharedSchemas(document) {
  const { components, ...rest } = jsonObject.parse(JSON.parse(JSON.stringify(document)));
  const written = Object.entries(namedAsJson());
  const names = new Map(written.map(([name, schema]) => [JSON.stringify(schema), name]));
  const schemas = Object.fromEntries(written.map(([name, schema]) => [name, partsReferred(schema, names)]));
  return { ...partsReferred(rest, names), components: { ...jsonObject.parse(components), schemas } };
}
function namedAsJson() {
  const app = new OpenAPIHono();
  for (const [name, schema] of Object.entries(named)) {
    app.openAPIRegistry.registerPath({ method: "get", path: `/${name}`, responses: { 200: jsonAnswer("", schema) } });
  }
  const { paths } = described.parse(app.getOpenAPI31Document({ openapi: "3.1.0", info: { title: "", version: "" } }));
  const schemas = Object.entries(paths).map(([path2, { get }]) => [
    path2.slice(1),
    get.responses[200].content["application/json"].schema
  ]);
  return Object.fromEntries(schemas);
}
var answer = z12.object({ content: z12.object({ "application/json": z12.object({ schema: jsonObject }) }) });
var described = z12.object({
  paths: z12.record(z12.string(), z12.object({ get: z12.object({ responses: z12.object({ 200: answer }) }) }))
});
function partsReferred(parts, names) {
  return Object.fromEntries(Object.entries(parts).map(([key, part2]) => [key, referred(part2, names)]));
}
function referred(node, names) {
  if (Array.isArray(node)) return node.map((part2) => referred(part2, names));
  if (node === null || typeof node !== "object") return node;
  const name = names.get(JSON.stringify(node));
  return name === void 0 ? partsReferred(node, names) : { $ref: `#/components/schemas/${name}` };
}

// engine/server/description.ts
var information = z13.object({
  name: z13.literal("MemoryMark"),
  version: z13.string(),
  description: z13.string(),
  /** What each is for, by method and path. */
  endpoints: z13.record(z13.string(), z13.string())
});
var description = "The batch size that a GPU can really take, how much of the GPU a training config leaves idle, and what that costs.";
function addDescription(app, browsersGoOn) {
  let made;
  const described2 = () => {
    made ??= describe(app);
    return made;
  };
  app.get(
    "/",
    (context, next) => browsersGoOn && context.req.header("accept")?.includes("text/html") ? next() : context.json(described2().inShort)
  );
  app.get("/openapi.json", (context) => context.body(described2().openapi, 200, { "content-type": "application/json" }));
  app.openAPIRegistry.registerPath({
    method: "get",
    path: "/",
    summary: "What this server is; browsers get the dashboard",
    responses: { 200: jsonAnswer("In short", information) }
  });
  app.openAPIRegistry.registerPath({
    method: "get",
    path: "/openapi.json",
    summary: "This description",
    responses: { 200: jsonAnswer("OpenAPI 3.1", z13.looseObject({ openapi: z13.string() })) }
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "token", { type: "http", scheme: "bearer" });
}
function describe(app) {
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "MemoryMark", version, description },
    security: [{}, { token: [] }]
  });
  const endpoints = Object.entries(document.paths ?? {}).flatMap(
    ([path2, methods]) => Object.entries(methods).map(([method, { summary: summary2 }]) => [
      `${method.toUpperCase()} ${path2}`,
      summary2
    ])
  );
  return {
    inShort: { name: "MemoryMark", version, description, endpoints: Object.fromEntries(endpoints) },
    openapi: JSON.stringify(withSharedSchemas(document))
  };
}

// engine/server/earlier-routes.ts
import { createRoute as createRoute2 } from "@hono/zod-openapi";
import * as z16 from "zod";

// engine/server/health.ts
import * as z14 from "zod";
var health = z14.object({
  /** `starting` until it is known what this machine has; what depends on it is null so long. */
  status: z14.enum(["starting", "healthy"]),
  gpu_available: z14.boolean().nullable(),
  gpu_name: z14.string().nullable(),
  /** GiB. */
  gpu_memory_total_gb: z14.number().nullable(),
  device: z14.enum(deviceKinds).nullable(),
  timestamp: z14.iso.datetime()
});
function healthOf(machine, now) {
  const timestamp = now.toISOString();
  const noName = { gpu_name: null, gpu_memory_total_gb: null, timestamp };
  if (machine === void 0) return { status: "starting", gpu_available: null, device: null, ...noName };
  const device = machine.kind === "python" ? machine.device : void 0;
  switch (device?.kind) {
    case "cuda":
    case "mps":
      return {
        status: "healthy",
        gpu_available: true,
        gpu_name: device.name,
        gpu_memory_total_gb: device.totalBytes / GIB,
        device: device.kind,
        timestamp
      };
    case "cpu":
    case "none":
    case void 0:
      return { status: "healthy", gpu_available: false, device: "cpu", ...noName };
  }
}

// engine/server/model-list.ts
import * as z15 from "zod";
var listedModel = z15.object({
  /** What `model_name` takes; the Hub id serves as well. */
  id: z15.string(),
  name: z15.string(),
  description: z15.string(),
  type: z15.enum(["text", "image"]),
  huggingface_id: z15.string()
});
var modelList = z15.object({ models: z15.array(listedModel) });
var aliasesById = new Map(
  Object.entries(modelAliases).map(([alias, id2]) => [id2, alias])
);
function listModels() {
  const models = modelIds.map(findModel).filter((model) => model !== void 0);
  return { models: models.map(listed) };
}
function listed({ id: id2, family, tasks, maxPositions, imageSize }) {
  const length = maxPositions === void 0 ? "text of any length" : `up to ${maxPositions} tokens`;
  return {
    id: aliasesById.get(id2) ?? id2,
    name: bareName(id2),
    description: `${family} for ${tasks.join(", ")}; ${imageSize === void 0 ? length : `images of ${imageSize}×${imageSize} pixels`}`,
    type: imageSize === void 0 ? "text" : "image",
    huggingface_id: id2
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
  summary: "The models in the catalogue; any other is looked up on the Hugging Face Hub",
  responses: { 200: jsonAnswer("The models", modelList) }
});
var analyzeRoute = createRoute2({
  method: "post",
  path: "/analyze",
  summary: "Analyse a model and wait for the result",
  request: { body: { required: true, content: { "application/json": { schema: earlierRequest } } } },
  responses: {
    200: jsonAnswer("The result", z16.object({ status: z16.literal("success"), data: earlierResult })),
    400: jsonAnswer("A missing or unknown model, or settings that do not apply to it", fault),
    429: jsonAnswer("The queue is full", fault),
    500: jsonAnswer("A trial failed", fault),
    503: jsonAnswer("This machine lacks what the engine needs, or the Hub did not answer", fault),
    504: jsonAnswer("It takes longer than clients wait. It goes on, and the error says where", fault)
  }
});
function addEarlierRoutes(app, options) {
  const { analyses, machine, now, analyzeTimeoutMillis = ANALYZE_TIMEOUT_MILLIS } = options;
  app.openapi(healthRoute, (context) => context.json(healthOf(machine.ifKnown, now()), 200));
  app.openapi(modelsRoute, (context) => context.json(listModels(), 200));
  app.openapi(analyzeRoute, async (context) => {
    const body2 = context.req.valid("json");
    const submission = analyses.submit(analysisRequestOf(body2));
    if (submission.kind === "refused") return context.json(faultOf(submission.problem), 400);
    if (submission.kind === "queue-full") {
      context.header("retry-after", String(submission.retryAfterSeconds));
      return context.json(faultOf(queueFull2), 429);
    }
    const { id: id2 } = submission.analysis;
    const analysis2 = await finished(analyses, id2, context.req.raw.signal, analyzeTimeoutMillis);
    switch (analysis2?.state) {
      case "done":
        return context.json(
          { status: "success", data: dataOf(analysis2, body2.model_name, machine.ifKnown) },
          200
        );
      case "failed":
        return context.json(faultOf(...analysis2.problems), statusOf(analysis2.problems));
      case "queued":
      case "running":
        return context.json(faultOf(stillRuns(id2)), 504);
      case "cancelled":
      case void 0:
        return context.json(faultOf(cancelled), 500);
    }
  });
}
async function finished(analyses, id2, client, timeoutMillis) {
  const events = analyses.events(id2, 0, AbortSignal.any([client, AbortSignal.timeout(timeoutMillis)]));
  if (events !== void 0 && events !== "all-seen") {
    const iterator = events[Symbol.asyncIterator]();
    while (!(await iterator.next()).done) ;
  }
  return client.aborted ? analyses.cancel(id2) : analyses.find(id2);
}
function dataOf({ report: report2, probing: probing2 }, modelName2, machine) {
  const [config] = report2.configs;
  if (config?.status !== "analysed" || probing2 === void 0) throw new Error("a finished analysis without its config");
  const { engine } = probing2;
  const measuredOn = engine === "torch" && machine?.kind === "python" ? machine.device.kind : void 0;
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
function statusOf(problems2) {
  const [status] = problems2.flatMap(({ code }) => serverFaults[code] ?? []);
  return status ?? 400;
}
var cancelled = {
  code: "analysis-cancelled",
  message: "the analysis was cancelled",
  fix: "Ask again."
};
function stillRuns(id2) {
  return {
    code: "still-running",
    message: "the analysis takes longer than clients wait",
    fix: `It is still running: see /v1/analyses/${id2}.`
  };
}

// engine/server/repository-routes.ts
import { createRoute as createRoute3 } from "@hono/zod-openapi";
import * as z17 from "zod";
var unknown2 = jsonAnswer("No such repository, or a server without a bot", fault);
var refused2 = jsonAnswer("The request is invalid", fault);
function pageOf(item) {
  return z17.object({
    items: z17.array(item),
    next: z17.string().optional().meta({ description: "The cursor of the next page; absent on the last" })
  });
}
var list = createRoute3({
  method: "get",
  path: "/v1/repositories",
  summary: "The repositories that the bot watches",
  request: { query: pageRequest },
  responses: { 200: jsonAnswer("A page of them", pageOf(repositorySummary)), 400: refused2, 404: unknown2 }
});
var configs = createRoute3({
  method: "get",
  path: "/v1/repositories/{owner}/{repo}/configs",
  summary: "Its training configs, as last seen",
  request: { params: repositoryName, query: pageRequest.extend({ order: z17.enum(configOrders).default("waste") }) },
  responses: { 200: jsonAnswer("A page of them, worst first", pageOf(configRecord)), 400: refused2, 404: unknown2 }
});
var history = createRoute3({
  method: "get",
  path: "/v1/repositories/{owner}/{repo}/history",
  summary: "One config over time",
  request: { params: repositoryName, query: pageRequest.extend({ path: z17.string().min(1).max(4096) }) },
  responses: { 200: jsonAnswer("A page of it, newest first", pageOf(configRecord)), 400: refused2, 404: unknown2 }
});
var savings = createRoute3({
  method: "get",
  path: "/v1/repositories/{owner}/{repo}/ledger",
  summary: "What merged pull requests saved, and what was accepted instead",
  request: { params: repositoryName, query: pageRequest },
  responses: {
    200: jsonAnswer("A page of it, newest first", pageOf(ledgerEntry).extend({ totals: ledger })),
    400: refused2,
    404: unknown2
  }
});
var decisions = createRoute3({
  method: "get",
  path: "/v1/repositories/{owner}/{repo}/decisions",
  summary: "Pull requests that were blocked, and those that were accepted, with the reasons",
  request: { params: repositoryName, query: pageRequest },
  responses: { 200: jsonAnswer("A page of them, newest first", pageOf(decision)), 400: refused2, 404: unknown2 }
});
function addRepositoryRoutes(app, repositories) {
  const missing = faultOf(repositories === void 0 ? noBot : unknownRepository);
  app.openapi(list, async (context) => {
    const page2 = await repositories?.list(context.req.valid("query"));
    return page2 === void 0 ? context.json(missing, 404) : context.json(answered(page2), 200);
  });
  app.openapi(configs, async (context) => {
    const { order, ...page2 } = context.req.valid("query");
    const found = await repositories?.configs(context.req.valid("param"), order, page2);
    return found === void 0 ? context.json(missing, 404) : context.json(answered(found), 200);
  });
  app.openapi(history, async (context) => {
    const { path: path2, ...page2 } = context.req.valid("query");
    const found = await repositories?.history(context.req.valid("param"), path2, page2);
    return found === void 0 ? context.json(missing, 404) : context.json(answered(found), 200);
  });
  app.openapi(savings, async (context) => {
    const found = await repositories?.ledger(context.req.valid("param"), context.req.valid("query"));
    return found === void 0 ? context.json(missing, 404) : context.json(answered(found), 200);
  });
  app.openapi(decisions, async (context) => {
    const found = await repositories?.decisions(context.req.valid("param"), context.req.valid("query"));
    return found === void 0 ? context.json(missing, 404) : context.json(answered(found), 200);
  });
}
function answered(page2) {
  return { ...page2, items: [...page2.items] };
}
var noBot = {
  code: "no-repositories",
  message: "this server has no repositories",
  fix: "Use the bot's server, memorymark-bot."
};
var unknownRepository = {
  code: "unknown-repository",
  message: "the bot does not know this repository",
  fix: "Install its App on the repository, and open a pull request that changes a training config."
};

// engine/server/app.ts
var MAX_BODY_BYTES = 640 * KIB;
function createApp(options) {
  const { analyses, machine, repositories, keepAliveMillis, analyzeTimeoutMillis } = options;
  const app = new OpenAPIHono2({
    defaultHook: (result2, context) => result2.success ? void 0 : context.json(faultOf(...problemsOf(result2.error)), 400)
  });
  addChecks(app, options);
  addDescription(app, options.pages !== void 0);
  addEarlierRoutes(app, {
    analyses,
    machine,
    now: options.now ?? (() => /* @__PURE__ */ new Date()),
    ...analyzeTimeoutMillis !== void 0 && { analyzeTimeoutMillis }
  });
  addAnalysisRoutes(app, { analyses, ...keepAliveMillis !== void 0 && { keepAliveMillis } });
  addRepositoryRoutes(app, repositories);
  addPages(app, options);
  addFaults(app, options);
  return app;
}
function addChecks(app, { access, allowedOrigins = [] }) {
  app.use(apiContentSecurityPolicy);
  app.use(secureHeaders2({ referrerPolicy: "same-origin", strictTransportSecurity: false }));
  if (allowedOrigins.length > 0) {
    app.use(cors({ origin: [...allowedOrigins], exposeHeaders: ["location", "retry-after"] }));
  }
  app.use(checkAccess(access));
  app.use(checkOrigin(allowedOrigins));
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES, onError: (context) => context.json(faultOf(tooLarge), 413) }));
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed: (context, methods) => context.json(faultOf(wrongMethod(methods)), 405, { Allow: methods.join(", ") })
    })
  );
}
var apiContentSecurityPolicy = async (context, next) => {
  await next();
  if (context.res.headers.has("content-security-policy")) return;
  context.res.headers.set("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
};
function addPages(app, { pages, analyses, machine, gpu, engine, repositories }) {
  if (pages === void 0) return;
  const context = {
    analyses,
    machine: () => machine.description,
    gpu,
    engine,
    ...repositories !== void 0 && { repositories }
  };
  app.route("/", pages(context));
}
function addFaults(app, { log }) {
  app.notFound((context) => context.json(faultOf(noRoute), 404));
  app.onError((error, context) => {
    if (error instanceof HTTPException && error.status < 500) {
      return context.json(faultOf(refused3(error.message)), error.status);
    }
    if (error instanceof MemoryMarkError) return context.json(faultOf(error.problem), 400);
    log(error.stack ?? error.message);
    return context.json(faultOf(ownFault), 500);
  });
}
function refused3(message) {
  return {
    code: "request-refused",
    message: message === "" ? "the request is invalid" : message,
    fix: "Send JSON as application/json; /openapi.json describes it."
  };
}
function wrongMethod(methods) {
  return {
    code: "wrong-method",
    message: "this address does not support that method",
    fix: `Use ${methods.join(" or ")}.`
  };
}
var tooLarge = {
  code: "body-too-large",
  message: `the body is larger than ${MAX_BODY_BYTES / KIB} KiB`,
  fix: "Send only the training config."
};
var noRoute = {
  code: "unknown-address",
  message: "there is nothing at this address",
  fix: "See /openapi.json for the routes."
};
var ownFault = {
  code: "server-fault",
  message: "internal server error",
  fix: "Check the server's log."
};

// engine/server/service.ts
var Service = class {
  app;
  #analyses;
  #machine;
  constructor(options) {
    const { engine, gpu, python, asksHub = true, machine, log } = options;
    this.#machine = machine;
    this.#analyses = new AnalysisQueue({
      ...options,
      settings: { engine, gpuId: gpu.id, python, asksHub },
      machine,
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

// engine/server/listen.ts
var DEFAULT_PORT = 5001;
var REQUEST_TIMEOUT_MILLIS = 1e4;
var MAX_CONNECTIONS = 5e3;
var LAST_ANSWERS_MILLIS = 1e3;
async function listen(options) {
  const { host, port, python, requestTimeoutMillis = REQUEST_TIMEOUT_MILLIS } = options;
  const access = accessFor(options);
  const service = new Service({ ...options, access, machine: KnownMachine.ask(python) });
  const server = createServer(
    {
      requestTimeout: requestTimeoutMillis,
      headersTimeout: requestTimeoutMillis / 2,
      connectionsCheckingInterval: requestTimeoutMillis / 10
    },
    getRequestListener(service.app.fetch)
  );
  server.maxConnections = MAX_CONNECTIONS;
  try {
    await bound(server, host, port);
  } catch (error) {
    await service[Symbol.asyncDispose]();
    throw error;
  }
  return { url: urlOf(server, host), [Symbol.asyncDispose]: () => stop(server, service) };
}
function accessFor({ host, token }) {
  if (token !== void 0) {
    if (apiToken.safeParse(token).success) return { kind: "token", token };
    throw weakToken;
  }
  if (!isLoopback(host)) throw tokenNeeded2(host);
  return { kind: "this-machine", hostNames: ["localhost", "127.0.0.1", "[::1]", host] };
}
function isLoopback(host) {
  return host === "localhost" || host === "::1" || isIPv4(host) && host.startsWith("127.");
}
async function bound(server, host, port) {
  try {
    await once2(server.listen(port, host), "listening");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : void 0;
    if (code === "EADDRINUSE") throw addressTaken(port);
    if (code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOTFOUND") throw addressRefused(host, port, code);
    throw error;
  }
}
function urlOf(server, host) {
  const { port } = server.address();
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
async function stop(server, service) {
  const closed = once2(server, "close");
  server.close();
  await service[Symbol.asyncDispose]();
  const cut = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MILLIS);
  server.closeIdleConnections();
  await closed;
  clearTimeout(cut);
}
var weakToken = new MemoryMarkError({
  code: "weak-token",
  field: "MEMORYMARK_API_TOKEN",
  message: "the token is shorter than 16 characters, or contains characters that an HTTP header cannot carry",
  fix: "Use for instance the output of `openssl rand -hex 32`."
});
function tokenNeeded2(host) {
  return new MemoryMarkError({
    code: "token-needed",
    field: "--host",
    message: `others can reach ${host}, but no token is set`,
    fix: "Set MEMORYMARK_API_TOKEN, for instance to the output of `openssl rand -hex 32`, or omit --host."
  });
}
function addressTaken(port) {
  return new MemoryMarkError({
    code: "address-in-use",
    field: "--port",
    message: `port ${port} is in use by another program`,
    fix: "Choose another with --port; 0 picks a free one."
  });
}
function addressRefused(host, port, code) {
  return new MemoryMarkError({
    code: "address-refused",
    field: "--host",
    message: `cannot listen on ${host}, port ${port} (${code})`,
    fix: "Choose an address of this machine, and a port above 1023."
  });
}

// engine/cli/serve.ts
var DEFAULT_HOST = "127.0.0.1";
var MAX_PORT = 65535;
async function serve(args) {
  var _stack = [];
  try {
    const { values, positionals } = parseFlags(args, {
      host: { type: "string" },
      port: { type: "string" },
      gpu: { type: "string" },
      engine: { type: "string" },
      python: { type: "string" },
      "allow-origin": { type: "string", multiple: true }
    });
    if (positionals.length > 0) throw stray(positionals[0] ?? "");
    const token = process.env.MEMORYMARK_API_TOKEN || void 0;
    const server = __using(_stack, await listen({
      host: values.host ?? DEFAULT_HOST,
      port: portFlag(values.port),
      gpu: gpuFlag(values.gpu),
      engine: oneOf("--engine", values.engine, ["auto", ...engines]) ?? "auto",
      python: values.python ?? pythonCommand(),
      allowedOrigins: (values["allow-origin"] ?? []).map(originFlag),
      pages: dashboard(builtAssets()),
      log: (text) => console.error(text),
      ...token !== void 0 && { token }
    }), true);
    console.log(
      `MemoryMark is listening at ${server.url}${token === void 0 ? "" : ", token required"}. Press Ctrl-C to stop.`
    );
    await Promise.race([once3(process, "SIGINT"), once3(process, "SIGTERM")]);
    console.error("Stopping; running analyses are cancelled.");
    return 0;
  } catch (_) {
    var _error = _, _hasError = true;
  } finally {
    var _promise = __callDispose(_stack, _error, _hasError);
    _promise && await _promise;
  }
}
function portFlag(text) {
  return text === "0" ? 0 : numberFlag("--port", text, { integer: true, max: MAX_PORT }) ?? DEFAULT_PORT;
}
function originFlag(text) {
  const url = URL.parse(text);
  if (url !== null && url.origin === text) return text;
  throw new MemoryMarkError({
    code: "unknown-value",
    field: "--allow-origin",
    message: `"${text}" is not the origin of a web page`,
    fix: "Write scheme, host and port alone, such as https://dash.example.com."
  });
}
function stray(argument) {
  return new MemoryMarkError({
    code: "usage",
    message: `serve takes no arguments, only options; "${argument}" is one`,
    fix: "Run `memorymark serve --help` for its options."
  });
}
export {
  serve
};
