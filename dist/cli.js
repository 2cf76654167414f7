#!/usr/bin/env node
import {
  ASSUMED_OBJECTS,
  CachingAllocator,
  DEFAULT_MARGIN,
  DEFAULT_STEP_SIZE,
  EstimateProbe,
  EstimateProbes,
  Grid,
  MAX_BATCH,
  MIB,
  MemoryMarkError,
  PythonWorker,
  REPORT_SCHEMA,
  SETTINGS_PATH,
  TfjsProbe,
  WORTHWHILE_SPEEDUP,
  __callDispose,
  __using,
  accumulatesGradients,
  adjusted,
  advice,
  advise,
  askingOnce,
  attentions,
  bar,
  batchBounds,
  brokenTrialProblem,
  byteKinds,
  bytesPerElement,
  capitalised,
  closest,
  configState,
  costPerRunUsd,
  createHub,
  defaultGpu,
  defaultLoraTargets,
  defaultPolicy,
  derivationOf,
  describeMachine,
  describeTfjs,
  deviceKinds,
  effectiveBatch,
  elements,
  engineOn,
  engines,
  errorBandPercent,
  expertNamesOf,
  explainConfigAsync,
  findLargest,
  findingOf,
  fineRemark,
  formatCount,
  formatGib,
  formatPart,
  formatRate,
  formatShare,
  formatUsd,
  formatWhere,
  forward,
  frameworks,
  gpuFlag,
  gpus,
  hasFlashAttention,
  headline,
  hubSettings,
  idleBytes,
  idlePercent,
  isBroken,
  isCandidatePath,
  isCounted,
  isFsdp,
  isOfImages,
  isSamePlan,
  isWorthFollowing,
  lastSize,
  loops,
  makesAnswers,
  memoryFlag,
  memoryProvenance,
  missingBytes,
  modelCopies,
  modelProblem,
  nearestRatio,
  noSettings,
  numberFlag,
  ofUsable,
  oneOf,
  openProbe,
  optimizerRules,
  optimizers,
  parameterPattern,
  parseConditions,
  parseFile,
  parseFlags,
  partsOf,
  peakOf,
  plain,
  plainPath,
  plainProblem,
  plainText,
  precisions,
  pythonCommand,
  quantizations,
  quote,
  readConfig,
  readConfigAsync,
  resolveModel,
  roundedSize,
  savingsPerRunUsd,
  sequencesPerSample,
  settingsFor,
  shardings,
  shown,
  softwareOf,
  specOf,
  stepProfiles,
  strategies,
  strategyNames,
  suggest,
  suppliedKeys,
  supportsCheckpointing,
  tasks,
  teacherConfig,
  throughputProvenance2 as throughputProvenance,
  triedOf,
  usableBytes,
  verdictState,
  version,
  yoloDetector
} from "./cli-chunk-BZ4ON432.js";

// engine/analyze.ts
import { setImmediate } from "node:timers/promises";

// engine/estimate/player.ts
var OPTIMIZER_MOMENT = "the optimizer";
var phaseNames = {
  forward: "forward",
  "forward without saving": "forward",
  recomputation: "recomputation",
  answers: "generating and scoring completions, forward"
};
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
  /** Uses of a parameter whose gradient this backward pass still owes, by storage id. */
  #usesLeft = [];
  /** Recomputed and kept until the backward pass has gone through every block. */
  #retained = [];
  #waitingGradients = /* @__PURE__ */ new Map();
  #inBackward;
  #parameterNames;
  #parametersOfNodes = /* @__PURE__ */ new Map();
  exchange;
  constructor(tape, loss, { shares, inBackward: inBackward2, exchange }) {
    this.#tape = tape;
    this.#loss = loss;
    this.#shares = shares;
    this.#inBackward = inBackward2;
    this.#parameterNames = new Map([...tape.parameters].map(([name, { storage }]) => [storage, name]));
    this.exchange = exchange(this, (parameter) => this.#stepAtOnce(parameter));
  }
  beforehand(nodes) {
    this.#forward(nodes, "answers");
  }
  microStep(held) {
    this.#moment = "the batch";
    const batch = this.#tape.batch;
    for (const storage of batch) this.allocate(storage);
    for (const storage of [...held, ...batch]) this.#reference(storage, 1);
    this.#forward(this.#tape.nodes, "forward");
    this.exchange.forwardEnds();
    this.#moment = "backward of the loss";
    const seed = this.#newGradient(this.#loss);
    this.#shareGradient(seed);
    this.#deposit(this.#loss, seed);
    this.#usesLeft = usesOf(this.#tape.nodes);
    this.#backward(this.#tape.nodes);
    this.exchange.backwardEnds();
    for (const storage of [...held, ...batch]) {
      this.#reference(storage, -1);
      this.#releaseIfUnused(storage);
    }
  }
  optimizerStep(optimizer, parameters) {
    this.#moment = OPTIMIZER_MOMENT;
    this.exchange.optimizerBegins();
    this.#optimize(optimizer, parameters);
    this.exchange.optimizerEnds();
  }
  #optimize(optimizer, parameters) {
    const { temporaries, temporariesLive } = optimizerRules[optimizer];
    const part2 = this.#shares.optimizerState * this.exchange.partAtATime;
    const groups = parameters.map(
      (parameter) => temporaries(parameter).map((bytes) => this.fixed(bytes * part2, "temporaries"))
    );
    for (const group of temporariesLive === "together" ? [groups.flat()] : groups) {
      for (const temporary of group) this.allocate(temporary);
      for (const temporary of group) this.release(temporary);
    }
  }
  gradientsEnd() {
    this.exchange.gradientsEnd();
  }
  /** The optimizer in a hook behind the gradient: torch.Tensor.register_post_accumulate_grad_hook. */
  #stepAtOnce(parameter) {
    const stepped = this.#inBackward?.parameters.get(parameter);
    if (this.#inBackward === void 0 || stepped === void 0) return false;
    this.#moment = OPTIMIZER_MOMENT;
    this.#optimize(this.#inBackward.optimizer, [stepped]);
    return true;
  }
  #forward(nodes, phase) {
    const saves = phase === "forward" || phase === "recomputation";
    for (const node of nodes)
      for (const storage of node.reads) this.#reads[storage.id] = this.#count(this.#reads, storage) + 1;
    for (const node of nodes) {
      this.#moment = `${phaseNames[phase]} of ${node.name}`;
      if (node.body !== void 0) this.#forward(node.body, "forward without saving");
      else this.#compute(node, passOf(node, phase));
      if (saves) for (const storage of node.saves) this.#reference(storage, 1);
      if (phase !== "recomputation") for (const storage of node.keeps) this.#reference(storage, 1);
      for (const storage of node.reads) {
        this.#reads[storage.id] = this.#count(this.#reads, storage) - 1;
        this.#releaseIfUnused(storage);
      }
      for (const storage of node.creates) this.#releaseIfUnused(storage);
    }
  }
  #compute(node, pass) {
    this.#exchanging(node, pass, () => {
      for (const storage of node.creates) this.allocate(storage);
      for (const storage of node.scratch) this.allocate(storage);
      for (const storage of node.scratch) this.release(storage);
    });
  }
  #exchanging(node, pass, run) {
    const used = this.exchange.begins ? this.#parametersOf(node) : [];
    if (used.length > 0) this.exchange.begins?.(used, pass);
    run();
    if (used.length > 0) this.exchange.ends?.(used, pass);
  }
  /** What a module's hooks would see: a table of embeddings is not among what its kernel is counted to read. */
  #parametersOf(node) {
    const known = this.#parametersOfNodes.get(node);
    if (known !== void 0) return known;
    const own = this.#tape.parameters.get(`${node.name}.weight`)?.storage;
    const used = [...node.reads, ...node.gradients.map(({ to }) => to.storage), ...own === void 0 ? [] : [own]];
    const parameters = [...new Set(used)].filter((storage) => this.#parameterNames.has(storage));
    this.#parametersOfNodes.set(node, parameters);
    return parameters;
  }
  #backward(nodes) {
    const firstBlock = nodes.find((node) => node.body !== void 0);
    for (const node of nodes.toReversed()) {
      if (node.body !== void 0) this.#checkpointBackward(node, node.body);
      else this.#nodeBackward(node);
      for (const storage of [...node.saves, ...node.keeps]) {
        this.#reference(storage, -1);
        this.#releaseIfUnused(storage);
      }
      if (node === firstBlock) this.#releaseRetained();
    }
  }
  #checkpointBackward(node, body) {
    const savingCount = body.findLastIndex((inner) => inner.saves.length > 0) + 1;
    const [saving, rest] = [body.slice(0, savingCount), body.slice(savingCount)];
    this.#backward(rest);
    this.#forward(untilLastSave(saving, rest), "recomputation");
    this.#retain(node.retains ?? []);
    this.#backward(saving);
    for (const output of node.outputs) this.#releaseIfUnused(output.storage);
  }
  #retain(storages) {
    for (const storage of storages) this.#reference(storage, 1);
    this.#retained.push(...storages);
  }
  #releaseRetained() {
    for (const storage of this.#retained.splice(0)) {
      this.#reference(storage, -1);
      this.#releaseIfUnused(storage);
    }
  }
  /** Incoming gradients, saved tensors and results live together until the node is done. */
  #nodeBackward(node) {
    this.#moment = `backward of ${node.name}`;
    const incoming = node.outputs.flatMap((output) => this.#takeGradient(output));
    if (incoming.length > 0) this.#exchanging(node, "backward", () => this.#propagate(node, incoming));
  }
  #propagate(node, incoming) {
    for (const storage of node.backwardScratch) this.allocate(storage);
    const outgoing = node.gradients.map((edge) => {
      const passed = edge.passes ? incoming[0] : void 0;
      return { to: edge.to, gradient: passed ?? this.#newGradient(edge.to) };
    });
    for (const storage of node.backwardScratch) this.release(storage);
    for (const { gradient } of outgoing) this.#shareGradient(gradient);
    for (const gradient of incoming) this.#dropGradient(gradient);
    for (const { to, gradient } of outgoing) this.#deposit(to, gradient);
  }
  #newGradient(of) {
    const kind = of.storage.persistent ? "gradients" : of.storage.kind === "logits" ? "logits" : "temporaries";
    const gradient = this.#tape.like(of, kind);
    this.allocate(gradient);
    return gradient;
  }
  /** torch/csrc/autograd/input_buffer.cpp accumulate: in place when nobody else holds the earlier gradient. */
  #deposit(to, gradient) {
    if (to.storage.persistent) {
      this.#depositForParameter(to, gradient);
      return;
    }
    const key = to.edge;
    const earlier = this.#gradients.get(key);
    if (earlier === void 0) {
      this.#gradients.set(key, gradient);
      return;
    }
    if ((this.#gradientReferences.get(earlier) ?? 0) > 1) {
      const sum2 = this.#newGradient(to);
      this.#shareGradient(sum2);
      this.#gradients.set(key, sum2);
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
        this.release(waiting);
      }
      this.release(gradient);
    }
    if (usesLeft > 0) {
      this.#waitingGradients.set(parameter, sum2);
      return;
    }
    this.#waitingGradients.delete(parameter);
    this.exchange.receives(parameter, sum2);
  }
  #takeGradient(of) {
    const key = of.edge;
    const gradient = this.#gradients.get(key);
    if (gradient === void 0) return [];
    this.#gradients.delete(key);
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
      this.release(gradient);
    }
  }
  #count(counts, storage) {
    return counts[storage.id] ?? 0;
  }
  #reference(storage, change) {
    this.#references[storage.id] = this.#count(this.#references, storage) + change;
  }
  #releaseIfUnused(storage) {
    const unused = this.#count(this.#reads, storage) === 0 && this.#count(this.#references, storage) === 0;
    if (unused && !storage.persistent && this.#live.has(storage)) this.release(storage);
  }
  fixed(bytes, kind) {
    return this.#tape.fixed(bytes, kind);
  }
  allocate(storage) {
    if (this.#live.has(storage)) return;
    this.#live.add(storage);
    this.events.push({ kind: "allocate", storage, moment: this.#moment });
  }
  release(storage) {
    this.#live.delete(storage);
    this.events.push({ kind: "release", storage, moment: this.#moment });
  }
};
function passOf(node, phase) {
  if (phase === "recomputation") return "backward";
  return node.outputs.some((output) => output.requiresGrad) ? "forward" : "without gradients";
}
function untilLastSave(saving, rest) {
  const last = saving.at(-1);
  if (last === void 0) return saving;
  const savesInputsOnly = last.saves.every((storage) => last.reads.includes(storage));
  const end = savesInputsOnly ? { ...last, creates: [], scratch: [] } : last;
  const stop = { ...end, creates: [], scratch: [], saves: [], reads: rest.flatMap((node) => node.reads) };
  return [...saving.slice(0, -1), end, stop];
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
function bestLever(spec, config, gpu2, peak, footprints) {
  const levers = changesOf(spec, config, gpu2, peak).map(({ change, spec: changed }) => ({
    change,
    peakBytes: new EstimateProbe(footprints.of(changed, config, gpu2), gpu2).peak(spec.microBatch).bytes
  }));
  const best = levers.toSorted((a, b) => a.peakBytes - b.peakBytes)[0];
  return best && best.peakBytes < peak.bytes * (1 - WORTHWHILE_SHARE) ? best : void 0;
}
function changesOf(spec, config, gpu2, { moment }) {
  if (spec.step !== "training") return [];
  const isText = !isOfImages(spec.task);
  return [
    ...!spec.gradientCheckpointing && supportsCheckpointing(config) ? [{ change: "gradient-checkpointing", spec: { ...spec, gradientCheckpointing: true } }] : [],
    ...spec.precision === "fp32" && gpu2.peakFlops.bf16 !== void 0 ? [{ change: "bf16-autocast", spec: { ...spec, precision: "amp-bf16" } }] : [],
    ...isText && spec.attention === "eager" ? [{ change: "sdpa-attention", spec: { ...spec, attention: "sdpa" } }] : [],
    ...moment === OPTIMIZER_MOMENT && (spec.optimizer === "adamw" || spec.optimizer === "adamw-loop") ? [{ change: "fused-optimizer", spec: { ...spec, optimizer: "adamw-fused" } }] : []
  ];
}

// engine/search/largest.ts
function largestBatch(probe, grid, margin = 0) {
  const predicted = grid.indexOf(predictedBoundary(probe, probe.usableBytes * (1 - margin)));
  return findLargest(grid, predicted, (batch) => probe.fits(batch, margin));
}
function predictedBoundary(probe, limitBytes) {
  let [low, high] = [8, 64];
  for (let step = 0; step < 2; step++) {
    const [lowBytes, highBytes] = [probe.peak(low).bytes, probe.peak(high).bytes];
    const bytesPerSample = Math.max(1, (highBytes - lowBytes) / (high - low));
    const crossing = Math.max(1, low + (limitBytes - lowBytes) / bytesPerSample);
    [low, high] = [crossing, crossing * 1.1 + 1];
  }
  return low;
}

// engine/search/estimated-sizes.ts
var EstimatedSizes = class {
  #probe;
  #terms;
  #largest;
  #largestWithMargin;
  /** `probe` is called when an answer is asked for. */
  constructor(probe, terms) {
    this.#probe = probe;
    this.#terms = terms;
  }
  get probe() {
    return this.#probe();
  }
  /** On the grid, or the config's own where that is larger; 0 where not even one sample fits. */
  get largest() {
    this.#largest ??= Math.max(this.#find(0), this.largestWithMargin);
    return this.#largest;
  }
  get largestWithMargin() {
    this.#largestWithMargin ??= this.#find(this.#terms.margin);
    return this.#largestWithMargin;
  }
  fits(size) {
    return this.probe.fits(size) || size <= this.largest;
  }
  trial(size) {
    const trial = this.probe.trial(size);
    return trial.outcome.kind !== "fits" && this.fits(size) ? this.probe.trialBelow(size) : trial;
  }
  #find(margin) {
    const { grid, own } = this.#terms;
    const found = largestBatch(this.probe, grid, margin) ?? 0;
    return own > found && this.probe.fits(own, margin) ? own : found;
  }
};

// engine/verdict/judge.ts
function judge(figures, policy) {
  return verdictOf(
    figures.fits ? policy.failOn.flatMap((condition) => failing(condition, figures)) : [outOfMemory(figures)],
    figures.fits ? policy.warnOn.flatMap((condition) => broken(condition, figures)) : []
  );
}
function verdictOf(failing2, remarkable) {
  const blocking = failing2.filter(({ spared }) => spared === void 0);
  if (blocking.length > 0) return { state: "blocked", reasons: blocking };
  const reasons = [...failing2, ...remarkable];
  return { state: reasons.length > 0 ? "warning" : "fine", reasons };
}
function outOfMemory(figures) {
  const isCertain = figures.provenance === "measured" || atError(figures, -1).peakBytes > figures.usableBytes;
  return { kind: "does-not-fit", ...!isCertain && { spared: "within-error" } };
}
function failing(condition, figures) {
  const isCertain = broken(condition, atError(figures, 1)).length > 0;
  return broken(condition, figures).map((reason) => isCertain ? reason : { ...reason, spared: "within-error" });
}
function atError(figures, side) {
  const band = side * figures.throughputBandPercent / 100;
  const speedup = figures.speedup * (1 - band) / (1 + band);
  return {
    ...figures,
    peakBytes: figures.peakBytes * (1 + side * figures.errorBandPercent / 100),
    speedup,
    savingsPerYearUsd: figures.savingsPerYearUsd * savingsRatio(figures.speedup, speedup)
  };
}
function savingsRatio(from, to) {
  return from === 1 ? 1 : (1 - 1 / to) / (1 - 1 / from);
}
function broken(condition, figures) {
  switch (condition.kind) {
    case "waste": {
      const actual = figures.speedup < WORTHWHILE_SPEEDUP ? 0 : idlePercent(figures, figures);
      return actual > condition.abovePercent ? [{ kind: "condition", condition, actual }] : [];
    }
    case "throughput-loss": {
      const actual = (figures.speedup - 1) * 100;
      return actual > condition.abovePercent ? [{ kind: "condition", condition, actual }] : [];
    }
    case "annual-cost":
      return figures.savingsPerYearUsd > condition.aboveUsd ? [{ kind: "condition", condition, actual: figures.savingsPerYearUsd }] : [];
  }
}

// engine/assess.ts
var TIGHT_SHARE = 0.5;
var WORTHWHILE_COST_SHARE = 0.9;
function assess(spec, config, options, evidence = estimatedEvidence(spec, config, options)) {
  const { gpu: gpu2, policy, footprints, hoursPerRun: hoursPerRun2, runsPerYear: runsPerYear2 } = options;
  const { samplesPerSecond: rate, largest, throughputBandPercent } = evidence;
  const now = planOf(spec);
  const terms = { hoursPerRun: hoursPerRun2, pricePerHourUsd: gpu2.pricePerHourUsd, gpus: spec.gpus };
  const speedupOf = (plan) => makesAnswers(spec) ? 1 : rate(plan) / rate(now);
  const point = (plan) => ({
    ...plan,
    effectiveBatch: effectiveBatch({ ...spec, ...plan }),
    fits: evidence.fits(plan),
    peakBytes: evidence.peakBytes(plan),
    samplesPerSecond: rate(plan),
    costPerRunUsd: costPerRunUsd(terms, speedupOf(plan))
  });
  const current = point(now);
  const recommended = evidence.advice && point(evidence.advice.recommended);
  const modelled = new EstimateProbe(footprints.of(spec, config, gpu2), gpu2).peak(spec.microBatch);
  const { breakdown, moment } = modelled;
  const correction = current.peakBytes / modelled.bytes;
  const speedup = current.fits && evidence.advice ? speedupOf(evidence.advice.recommended) : 1;
  const savedPerRunUsd = savingsPerRunUsd(terms, speedup);
  const savingsPerYearUsd = savedPerRunUsd * runsPerYear2;
  const isTight = current.peakBytes > evidence.gpu.usableBytes * TIGHT_SHARE;
  const lever = isTight ? bestLever(spec, config, gpu2, modelled, footprints) : void 0;
  const rightSizing = makesAnswers(spec) ? void 0 : cheaperGpu(spec, config, options, recommended ?? current);
  return {
    spec,
    gpu: evidence.gpu,
    provenance: evidence.provenance,
    errorBandPercent: evidence.errorBandPercent,
    throughputProvenance: evidence.throughputProvenance,
    ...throughputBandPercent !== void 0 && { throughputBandPercent },
    current,
    ...recommended && { recommended },
    ...largest && { largest: point({ microBatch: largest, gradientAccumulation: 1 }) },
    ...evidence.advice?.beyond && { beyond: point(evidence.advice.beyond) },
    breakdown: scaled(breakdown, correction),
    peakMoment: moment,
    speedup,
    savingsPerRunUsd: savedPerRunUsd,
    savingsPerYearUsd,
    ...lever && { lever: { ...lever, peakBytes: lever.peakBytes * correction } },
    ...rightSizing && { rightSizing },
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
      policy
    )
  };
}
function throughputCurve({ trials, throughputProvenance: throughputProvenance2, samplesPerSecond, largest = 0 }) {
  const isModelled = throughputProvenance2 === "modelled";
  const tried = trials.flatMap(
    ({ microBatch, outcome: outcome2 }) => outcome2.kind === "fits" && (isModelled || outcome2.stepMillisSpread !== void 0) ? [microBatch] : []
  );
  const sizes = isModelled ? [...tried, ...powersOfTwo().filter((power) => power <= largest)] : tried;
  return [...new Set(sizes)].toSorted((a, b) => a - b).map((microBatch) => ({ microBatch, samplesPerSecond: samplesPerSecond({ microBatch, gradientAccumulation: 1 }) }));
}
function estimatedEvidence(spec, config, options) {
  if (spec.framework !== "pytorch") throw notEstimated(spec);
  const { gpu: gpu2, footprints, stepSize, margin = DEFAULT_MARGIN } = options;
  const probes = new EstimateProbes(spec, config, gpu2, footprints);
  const grid = new Grid(stepSize);
  const current = planOf(spec);
  const terms = { grid, own: spec.microBatch, margin };
  const alone = new EstimatedSizes(() => probes.of(false), terms);
  const accumulating = new EstimatedSizes(() => probes.of(true), terms);
  const sizesOf2 = (plan) => accumulatesGradients(spec, plan) ? accumulating : alone;
  const samplesPerSecond = (plan) => sizesOf2(current).probe.samplesPerSecond(plan.microBatch, plan.gradientAccumulation);
  const advice3 = advise({
    current,
    bounds: batchBounds(spec),
    grid,
    largestWithMargin: (isSeveral) => sizesOf2({ ...current, gradientAccumulation: isSeveral ? 2 : 1 }).largestWithMargin || void 0,
    samplesPerSecond
  });
  const largest = alone.largest || void 0;
  return {
    gpu: { ...reportedGpu(gpu2), usableBytes: alone.probe.usableBytes },
    provenance: "estimated",
    errorBandPercent: errorBandPercent(spec, config),
    throughputProvenance: "modelled",
    largest,
    advice: advice3,
    trials: trialsOf(sizesOf2, grid, [current, ...advice3 ? [advice3.recommended] : []], largest),
    fits: (plan) => sizesOf2(plan).fits(plan.microBatch),
    peakBytes: (plan) => sizesOf2(plan).probe.peak(plan.microBatch).bytes,
    samplesPerSecond
  };
}
function planOf({ microBatch, gradientAccumulation }) {
  return { microBatch, gradientAccumulation };
}
function scaled(breakdown, factor) {
  const parts = Object.entries(breakdown).map(([kind, bytes]) => [kind, bytes * factor]);
  return factor === 1 ? breakdown : Object.fromEntries(parts);
}
function trialsOf(sizesOf2, grid, named, largest) {
  const alone = (microBatch) => ({ microBatch, gradientAccumulation: 1 });
  const tooLarge = largest === void 0 ? 1 : grid.at(grid.indexOf(largest) + 1);
  const sizes = [...named.map(({ microBatch }) => microBatch), ...largest ? [largest] : [], tooLarge];
  const told = [...sizes.map(alone), ...named];
  const between = powersOfTwo().filter((power) => power < tooLarge);
  const trials = [
    ...between.map((power) => sizesOf2(alone(power)).probe.trialBelow(power)),
    ...told.map((plan) => sizesOf2(plan).trial(plan.microBatch))
  ];
  const once = new Map(trials.map((trial) => [`${trial.microBatch} ${trial.accumulates}`, trial]));
  return [...once.values()].toSorted((a, b) => a.microBatch - b.microBatch);
}
function powersOfTwo() {
  return Array.from({ length: 20 }, (_, exponent) => 2 ** exponent);
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
function notEstimated({ framework }) {
  return new MemoryMarkError({
    code: "framework-not-estimated",
    field: "framework",
    message: `training steps in ${framework} can only be run, not estimated`,
    fix: "Run `memorymark sweep`, which finds the largest batch by running them."
  });
}

// engine/models/tensor-parallel.ts
var divisible = /* @__PURE__ */ new Set([
  ...["llama", "mistral", "ministral3", "qwen2", "qwen3", "gemma2", "granite"]
]);
function isDivisible(config) {
  return divisible.has(config.model_type);
}
function dividedConfig(config, gpus2) {
  if (config.model_type === "llama4") return dividedLlama4(config, gpus2);
  if (!isDivisible(config)) return void 0;
  const { num_attention_heads: heads, hidden_size: hidden, intermediate_size: inner } = config;
  const keyValueHeads = config.num_key_value_heads ?? heads;
  if ([heads, keyValueHeads, inner].some((count) => count % gpus2 !== 0)) return void 0;
  return {
    ...config,
    num_attention_heads: heads / gpus2,
    num_key_value_heads: keyValueHeads / gpus2,
    head_dim: config.head_dim ?? hidden / heads,
    intermediate_size: inner / gpus2
  };
}
function dividedLlama4(config, gpus2) {
  const { text_config: text2 } = config;
  const divide = (count) => count / gpus2;
  const sizes = {
    num_attention_heads: divide(text2.num_attention_heads),
    num_key_value_heads: divide(text2.num_key_value_heads),
    intermediate_size: divide(text2.intermediate_size),
    intermediate_size_mlp: divide(text2.intermediate_size_mlp)
  };
  if (!Object.values(sizes).every(Number.isInteger)) return void 0;
  const head_dim = text2.head_dim ?? text2.hidden_size / text2.num_attention_heads;
  return { ...config, text_config: { ...text2, ...sizes, head_dim } };
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
var NONE = [];
var Autograd = class {
  parameters = /* @__PURE__ */ new Map();
  /** Storages that live as long as the model beside its parameters: running statistics, position ids. */
  buffers = [];
  /** The same, but neither sharded nor offloaded. */
  wholeBuffers = [];
  /** The batch's own tensors, which the training loop holds during the step. */
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
  #isPadded;
  hasFlash;
  castWeights = /* @__PURE__ */ new Map();
  /** Casts that the current autocast context keeps until it ends. */
  #cachedCasts = [];
  /** Undefined while gradients are recorded. */
  pass;
  #sequencesPerSample;
  #namedBuffers = /* @__PURE__ */ new Map();
  /** Before the names of its parameters. */
  #model = "";
  #edges = 0;
  #storages = 0;
  /** `hasFlash`: the GPU runs the flash attention kernel. */
  constructor(spec, { hasFlash }) {
    this.hasFlash = hasFlash;
    this.spec = spec;
    this.weightDtype = weightDtypes[spec.precision];
    this.autocastDtype = autocastDtypes[spec.precision];
    this.training = spec.step === "training";
    this.#isPadded = spec.paddedBatches && !isOfImages(spec.task);
    this.#sequencesPerSample = sequencesPerSample(spec);
  }
  get isPadded() {
    return this.pass?.sequences?.attention?.isMasked ?? this.#isPadded;
  }
  /** A second model: `run` uses its own weights. */
  ofModel(name, run) {
    this.#model = `${name}.`;
    const result = run();
    this.#model = "";
    return result;
  }
  /** torch.no_grad: what `run` does is recorded without saving anything for a backward pass. */
  withoutGradients(pass, run) {
    this.pass = pass;
    const result = this.underAutocast(run);
    this.pass = void 0;
    return result;
  }
  /** What `run` does happens before the steps over the batch; its nodes are recorded separately. */
  beforehand(run) {
    const outer = this.nodes;
    this.nodes = [];
    run();
    const nodes = this.nodes;
    this.nodes = outer;
    return nodes;
  }
  /** torch.autocast around `run`: the cache of cast weights begins and ends with it. */
  underAutocast(run) {
    this.castWeights = /* @__PURE__ */ new Map();
    this.#cachedCasts = [];
    const result = run();
    this.record("return", { reads: this.#cachedCasts, outputs: [] });
    this.castWeights = /* @__PURE__ */ new Map();
    return result;
  }
  /** Asking for a name twice shares the parameter. */
  parameter(layerName, shape, options) {
    const isCopy = this.pass?.of === "copy";
    const name = (isCopy ? REFERENCE : "") + this.#model + layerName;
    const known = this.parameters.get(name);
    if (known !== void 0) return known;
    const { dtype = (isCopy ? this.pass?.dtype : void 0) ?? this.weightDtype } = options;
    const trainable = options.trainable && !isCopy;
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
  dropout(x, probability) {
    if (!this.training || probability === 0 || this.spec.dropout === false || !this.#isInTraining()) return x;
    const mask = this.storage(elements(x), "bool", x.batched);
    const output = this.tensor(x.shape, x.dtype, [x], x);
    this.record("dropout", { reads: [x], outputs: [output], saved: [mask], gradients: [made(x)] });
    return output;
  }
  /** Running without gradients does not imply eval mode; frozen copies are in eval mode, and disabled adapters have no dropout. */
  #isInTraining() {
    return this.pass === void 0 || this.pass.of === "policy";
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
    const isLarger = elements(x) > elements(y) || elements(x) === elements(y) && (x.batched || !y.batched);
    const larger = isLarger ? x : y;
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
  /** [heads, m, k] × [heads, k, n] → `shape`. Autocast does not apply inside another op. */
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
  slice(x, size) {
    const output = { ...x, shape: [...x.shape.slice(0, -1), size], edge: this.newEdge() };
    this.record("slice", { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  /** A new tensor of the parts; their gradients are views of its gradient, cast where a part is narrower. */
  concatenate(parts) {
    const [first] = parts;
    if (first === void 0) throw new Error("nothing to concatenate");
    const last = parts.reduce((sum2, part2) => sum2 + (part2.shape.at(-1) ?? 0), 0);
    const dtype = parts.reduce((wide, part2) => widest(wide, part2.dtype), first.dtype);
    const output = this.tensor([...first.shape.slice(0, -1), last], dtype, parts, first);
    const gradients = parts.map((to) => ({ to, passes: to.dtype === dtype }));
    this.record("cat", { reads: parts, outputs: [output], gradients });
    return output;
  }
  /** Under autocast, the inputs of matrix products: weights are cast once per forward pass, activations each time. */
  lowered(x, { cache = true } = {}) {
    if (this.autocastDtype === void 0 || x.dtype !== "float32") return x;
    const isCached = cache && x.storage.persistent && x.requiresGrad;
    const known = isCached ? this.castWeights.get(x) : void 0;
    if (known !== void 0) return known;
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
  /** Ops that autocast runs in float32: norms, powers, softmax. */
  raised(x) {
    return this.autocastDtype === void 0 ? x : this.cast(x, "float32");
  }
  tensor(shape, dtype, from, { batched } = { batched: true }) {
    const storage = this.storage(elements({ shape }), dtype, batched);
    const requiresGrad = this.pass === void 0 && from.some((input) => input.requiresGrad);
    return { storage, shape, batched, dtype, requiresGrad, edge: this.newEdge() };
  }
  storage(count, dtype, batched, kind = "activations") {
    return this.#newStorage(count * bytesPerElement[dtype], batched, kind, false);
  }
  /** A storage that belongs to the model besides its parameters. Another pass over the same weights reuses it. */
  buffer(name, bytes) {
    const key = (this.pass?.of === "copy" ? REFERENCE : "") + this.#model + name;
    const known = this.#namedBuffers.get(key);
    if (known !== void 0) return known;
    const storage = this.persistent(bytes);
    this.#namedBuffers.set(key, storage);
    this.buffers.push(storage);
    return storage;
  }
  /** A storage of the model itself. */
  persistent(bytes) {
    return this.#newStorage(bytes, false, "weights", true);
  }
  /** A new storage of a tensor's size: its gradient, its optimizer state, a temporary. */
  like(tensor, kind) {
    return this.#newStorage(elements(tensor) * bytesPerElement[tensor.dtype], tensor.batched, kind, false);
  }
  /** Any other storage, in bytes, that does not grow with the batch. */
  fixed(bytes, kind) {
    return this.#newStorage(bytes, false, kind, false);
  }
  newEdge() {
    return this.#edges++;
  }
  /** Outside the graph (if no output requires a gradient), nothing is saved. */
  record(name, options) {
    const { outputs, saves = NONE, saved = NONE, keeps = NONE, gradients = NONE } = options;
    const readStorages = options.reads.map((tensor) => tensor.storage);
    const inGraph = outputs.some((output) => output.requiresGrad);
    const created = outputs.map((tensor) => tensor.storage).filter((storage) => !readStorages.includes(storage));
    this.nodes.push({
      name,
      reads: readStorages,
      creates: [...created, ...saved],
      scratch: options.scratch ?? NONE,
      saves: inGraph && saves.length + saved.length > 0 ? [...saves.map((tensor) => tensor.storage), ...saved] : NONE,
      keeps: inGraph && keeps.length > 0 ? keeps.map((tensor) => tensor.storage) : NONE,
      outputs,
      gradients: gradients.filter((edge) => edge.to.requiresGrad),
      backwardScratch: options.backwardScratch ?? NONE,
      flopsPerSample: (options.flopsPerSample ?? 0) * (this.pass?.sequences?.perSample ?? this.#sequencesPerSample),
      productElements: options.productElements ?? (outputs[0] === void 0 ? 0 : elements(outputs[0])),
      computeDtype: options.computeDtype ?? outputs[0]?.dtype ?? "float32"
    });
  }
  #newStorage(bytes, batched, kind, persistent) {
    const sequences = this.pass?.sequences?.perSample ?? this.#sequencesPerSample;
    const [fixedBytes, bytesPerSample] = batched ? [0, bytes * sequences] : [bytes, 0];
    const samples = batched ? this.pass?.sequences?.count : void 0;
    const atLeast = samples === void 0 ? {} : { samplesAtLeast: samples };
    return { id: this.#storages++, fixedBytes, bytesPerSample, ...atLeast, kind, persistent };
  }
};
function made(to) {
  return { to, passes: false };
}
function widest(x, y) {
  return x === "float32" || y === "float32" ? "float32" : x;
}

// engine/estimate/objectives/log-probabilities.ts
var ENTROPY_ROWS = 128;
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
function answerLogProbabilities(tape, raw, { inPlace }) {
  const logits = inMixedPrecision(tape, tape.markLogits(raw));
  const view = (from) => lastPositions(tape, shifted(tape, from));
  const tempered = inPlace ? view(dividedInPlace(tape, logits)) : tape.markLogits(tape.elementwise("div", view(logits)));
  const perToken = throughOwnType(tape, tempered);
  const [, vocabulary = 0] = logits.shape;
  const chunk = () => tape.fixed(ENTROPY_ROWS * vocabulary * bytesPerElement[tempered.dtype], "logits");
  const scratch3 = [...inPlace ? [tape.like(tempered, "logits")] : [], chunk(), chunk(), chunk()];
  tape.record("entropy", { reads: [logits, tempered], outputs: [], scratch: scratch3 });
  return perToken;
}
function dividedInPlace(tape, logits) {
  const output = { ...logits, edge: tape.newEdge() };
  const [positions = 0, vocabulary = 0] = logits.shape;
  const view = () => tape.storage((positions - 1) * vocabulary, logits.dtype, true, "logits");
  tape.record("div_", {
    reads: [logits],
    outputs: [output],
    gradients: [made(logits)],
    backwardScratch: [view(), view()]
  });
  return output;
}
function trajectoryLogProbabilities(tape, raw, answerLength, isWhole) {
  const logits = tape.cast(tape.markLogits(raw), "float32");
  const [, vocabulary = 0] = logits.shape;
  const cut = { ...logits, shape: [answerLength, vocabulary], edge: tape.newEdge() };
  tape.record("slice", { reads: [logits], outputs: [cut], gradients: [made(logits)] });
  if (isWhole) return whole(tape, tape.markLogits(tape.elementwise("div", cut)));
  const sequence = () => tape.fixed(elements(cut) * bytesPerElement.float32, "logits");
  const output = tape.tensor([answerLength], "float32", [cut]);
  tape.record("log_softmax", {
    reads: [cut],
    outputs: [output],
    saved: [tape.storage(elements(cut), "float32", true, "logits")],
    scratch: [sequence()],
    gradients: [made(cut)],
    backwardScratch: [tape.like(cut, "logits"), sequence(), sequence()]
  });
  return output;
}
function lastPositions(tape, logits) {
  const output = { ...logits, edge: tape.newEdge() };
  tape.record("slice", { reads: [logits], outputs: [output], gradients: [made(logits)] });
  return output;
}
function summed(tape, numbers) {
  const loss = tape.tensor([], "float32", numbers, { batched: false });
  tape.record("sum", { reads: numbers, outputs: [loss], gradients: numbers.map(made) });
  return loss;
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
  const logits = inMixedPrecision(tape, raw);
  return { perToken: throughOwnType(tape, shifted(tape, logits)), logits };
}
function inMixedPrecision(tape, raw) {
  return tape.spec.precision === "bf16-master" ? raw : tape.cast(raw, "float32");
}
function throughOwnType(tape, logits) {
  return logits.dtype === "float32" ? throughLogSumExp(tape, logits) : throughLogSoftmax(tape, logits);
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
  const count = lastSize(logits) * (logits.shape[0] ?? 0);
  return tape.fixed(count * bytesPerElement[logits.dtype], "logits");
}

// engine/estimate/objectives/anchored-loss.ts
function anchoredLoss(tape, config, spec) {
  const copy = tape.withoutGradients({ of: "copy", dtype: tape.autocastDtype }, () => forward(tape, config, spec));
  const reference = tape.autocastDtype === void 0 ? tape.markLogits(copy) : raised(tape, copy);
  const lowered = tape.markLogits(tape.underAutocast(() => forward(tape, config, spec)));
  const unused = withoutGraph(tape, "own loss", withoutGraph(tape, "to", lowered));
  const logits = raised(tape, lowered);
  const shifted2 = shiftedCopy(tape, logits);
  const shiftedReference = withoutGraph(tape, "clone", reference, reference.dtype);
  const crossEntropy = negativeLogLikelihood(tape, shifted2);
  const divergence = divergenceFrom(tape, shifted2, shiftedReference);
  const loss = summed(tape, [crossEntropy, divergence]);
  tape.record("return", { reads: [unused, logits, reference, shifted2, shiftedReference], outputs: [] });
  return loss;
}
function raised(tape, logits) {
  return tape.markLogits(tape.cast(tape.markLogits(logits), "float32"));
}
function withoutGraph(tape, name, from, dtype = "float32") {
  const output = tape.markLogits(tape.tensor(from.shape, dtype, []));
  tape.record(name, { reads: [from], outputs: [output] });
  return output;
}
function shiftedCopy(tape, logits) {
  const view = { ...logits, edge: tape.newEdge() };
  tape.record("slice", { reads: [logits], outputs: [view], gradients: [made(logits)] });
  const copy = tape.markLogits(tape.tensor(logits.shape, logits.dtype, [view]));
  tape.record("clone", { reads: [view], outputs: [copy], gradients: [{ to: view, passes: true }] });
  return copy;
}
function negativeLogLikelihood(tape, logits) {
  const kept = tape.markLogits(tape.elementwise("log_softmax", logits, { savesOutput: true }));
  const loss = tape.tensor([], "float32", [kept], { batched: false });
  tape.record("nll_loss", { reads: [kept], outputs: [loss], saves: [kept], gradients: [made(kept)] });
  return loss;
}
function divergenceFrom(tape, logits, reference) {
  const input = tape.markLogits(tape.elementwise("log_softmax", logits, { savesOutput: true }));
  const target = withoutGraph(tape, "softmax", reference, reference.dtype);
  const whole2 = () => tape.like(input, "logits");
  const loss = tape.tensor([], "float32", [input], { batched: false });
  tape.record("kl_div", {
    reads: [input, target],
    outputs: [loss],
    saves: [target],
    scratch: [tape.like(target, "logits"), whole2(), whole2()],
    backwardScratch: [whole2()],
    gradients: [made(input)]
  });
  return loss;
}

// engine/estimate/kernels/key-value-cache.ts
var KeyValueCache = class {
  /** In the order in which the model's layers use them. */
  #kept = [];
  #next = 0;
  #tokens = 0;
  /** Call before each pass; `tokens`: the total after the pass. */
  begin(tokens) {
    this.#next = 0;
    this.#tokens = tokens;
  }
  /** `window`: of as many tokens a sliding layer keeps from the second pass on (DynamicSlidingWindowLayer). */
  grown(autograd, x, window = this.#tokens) {
    const earlier = this.#kept[this.#next];
    const tokens = earlier === void 0 ? this.#tokens : Math.min(this.#tokens, window);
    const output = autograd.tensor([tokens, ...x.shape.slice(1)], x.dtype, [x]);
    autograd.record("cat", { reads: [x, ...earlier === void 0 ? [] : [earlier]], outputs: [output] });
    this.#kept[this.#next++] = output;
    return output;
  }
  /** Generation ends here. */
  end(autograd) {
    autograd.record("return", { reads: this.#kept, outputs: [] });
  }
};

// engine/estimate/objectives/answers.ts
function learningFromAnswers(tape, config, spec, method) {
  const before = tape.beforehand(() => {
    if (method.generation.kind === "transformers") generated(tape, config, spec, method);
    if (method.comparesFeatures) comparedFeatures(tape, config, spec, method);
    else if (method.reference !== "none") referencePass(tape, config, spec, method, method.reference);
    if (method.reference === "adapters-copy") copiedAdapters(tape);
  });
  const logits = tape.underAutocast(() => forward(tape, config, spec));
  const scores = answerLogProbabilities(tape, logits, { inPlace: method.tempersInPlace });
  return { loss: summed(tape, [scores]), held: [], before };
}
function referencePass(tape, config, spec, { tempersInPlace: inPlace }, reference) {
  const of = reference === "adapters-copy" ? "policy" : reference;
  const logits = tape.withoutGradients({ of }, () => forward(tape, config, spec));
  tape.withoutGradients({ of }, () => answerLogProbabilities(tape, logits, { inPlace }));
}
function copiedAdapters(tape) {
  const adapters = [...tape.parameters].filter(([, parameter]) => parameter.requiresGrad);
  for (const [name, parameter] of adapters) {
    tape.buffer(`ref.${name}`, elements(parameter) * bytesPerElement[parameter.dtype]);
  }
}
function generated(tape, config, spec, { answerLength, count }) {
  const tokens = spec.sequenceLength ?? answerLength;
  const prompt = Math.max(1, tokens - answerLength);
  const cache = new KeyValueCache();
  const passOver = (sequences, upTo) => {
    cache.begin(upTo);
    const pass = { of: "policy", sequences: { ...sequences, count, logitsOf: 1, cache } };
    tape.withoutGradients(
      pass,
      () => sampled(tape, forward(tape, config, { ...spec, sequenceLength: sequences.tokens }))
    );
  };
  passOver({ tokens: prompt }, prompt);
  passOver({ tokens: 1 }, tokens);
  cache.end(tape);
}
function sampled(tape, logits) {
  const wide = tape.markLogits(tape.elementwise("copy", tape.cast(tape.markLogits(logits), "float32")));
  tape.markLogits(tape.elementwise("softmax", tape.markLogits(tape.elementwise("div", wide))));
}
function comparedFeatures(tape, config, spec, { reference, count }) {
  const tokens = spec.sequenceLength ?? 1;
  const of = reference === "copy" ? "copy" : "adapters-off";
  const blocks = tape.blockInputs.length;
  const sequences = { count, tokens, logitsOf: of === "copy" ? 1 : tokens };
  tape.withoutGradients({ of, sequences }, () => {
    const logits = tape.markLogits(forward(tape, config, spec));
    const states = [...tape.blockInputs.slice(blocks), tape.outputLayerInput ?? logits];
    const features = tape.concatenate(states.slice(0, FEATURE_LAYERS));
    tape.record("return", { reads: [...states, logits, features], outputs: [] });
  });
}
var FEATURE_LAYERS = 3;

// engine/estimate/objectives/denoising-loss.ts
function denoisingLoss(tape, config) {
  const lowered = tape.markLogits(tape.underAutocast(() => forward(tape, config, tape.spec)));
  const logits = tape.markLogits(tape.cast(lowered, "float32"));
  const moved = movedByOne(tape, logits);
  const picked = tape.markLogits(tape.tensor(moved.shape, moved.dtype, [moved]));
  const indices = [0, 1].map(() => tape.storage(tape.labels.shape[0] ?? 0, "int64", true));
  tape.record("index", { reads: [moved], outputs: [picked], saved: indices, gradients: [made(moved)] });
  const kept = tape.markLogits(tape.elementwise("log_softmax", picked, { savesOutput: true }));
  const loss = tape.tensor([], "float32", [kept], { batched: false });
  tape.record("nll_loss", { reads: [kept], outputs: [loss], saves: [kept], gradients: [made(kept)] });
  tape.record("return", { reads: [logits, moved, picked], outputs: [] });
  return loss;
}
function movedByOne(tape, logits) {
  const slices = [0, 1].map(() => ({ ...logits, edge: tape.newEdge() }));
  for (const slice of slices) tape.record("slice", { reads: [logits], outputs: [slice], gradients: [made(logits)] });
  const moved = tape.markLogits(tape.tensor([elements(logits)], logits.dtype, slices));
  tape.record("cat", { reads: slices, outputs: [moved], gradients: slices.map((to) => ({ to, passes: true })) });
  return { ...moved, shape: logits.shape };
}

// engine/estimate/kernels/pixel-attention.ts
function pixelAttention(autograd, joined, shape) {
  const { heads, keySize, valueSize } = shape;
  const [, y = 0, x = 0] = joined.shape;
  const pixels = y * x;
  const view = (size) => ({ ...joined, shape: [heads, size, pixels], edge: autograd.newEdge() });
  const [query, key, value] = [view(keySize), view(keySize), view(valueSize)];
  autograd.record("split", { reads: [joined], outputs: [query, key, value], gradients: [made(joined)] });
  const scores = autograd.elementwise("mul", autograd.batchMatmul(query, key, [heads, pixels, pixels]));
  const probabilities = autograd.lowered(softmax(autograd, scores));
  const mixed = autograd.batchMatmul(value, probabilities, [heads, valueSize, pixels]);
  const asImage = (tensor) => ({ ...tensor, shape: [heads * valueSize, y, x] });
  return [asImage(mixed), asImage(autograd.elementwise("clone", value))];
}
function softmax(autograd, x) {
  const output = autograd.tensor(x.shape, autograd.autocastDtype === void 0 ? x.dtype : "float32", [x]);
  autograd.record("softmax", { reads: [x], outputs: [output], saves: [output], gradients: [made(x)] });
  return output;
}

// engine/estimate/objectives/detection-loss.ts
var SIDES = 4;
function detectionLoss(tape, config, spec) {
  return tape.underAutocast(() => {
    const heads = yoloDetector(tape, config, spec.labels);
    const losses = heads.flatMap((head) => lossesOf(tape, head, spec.objects ?? ASSUMED_OBJECTS));
    tape.record("return", {
      reads: heads.flatMap(({ boxes, scores, keypoints }) => [boxes, scores, ...keypoints ? [keypoints] : []]),
      outputs: []
    });
    return summed(tape, losses);
  });
}
function lossesOf(tape, { boxes, scores, keypoints }, objects) {
  const places2 = keypoints && tape.elementwise("contiguous", keypoints);
  const distances = tape.elementwise("contiguous", boxes);
  const logits = tape.markLogits(tape.elementwise("contiguous", scores));
  const sides = decoded(tape, distances);
  const targets = assigned(tape, logits, objects);
  const losses = [classLoss(tape, logits, targets), boxLoss(tape, distances, sides, targets)];
  return places2 === void 0 ? losses : [...losses, keypointLoss(tape, places2)];
}
function decoded(tape, distances) {
  const [sides = 0, pixels = 0] = distances.shape;
  const likely = sides === SIDES ? distances : tape.lowered(softmax(tape, distances));
  const corners = tape.tensor([SIDES, pixels], likely.dtype, [likely]);
  tape.record("dist2bbox", { reads: [likely], outputs: [corners], gradients: [made(likely)] });
  return corners;
}
function assigned(tape, logits, objects) {
  const [, pixels = 0] = logits.shape;
  const pairs = (count) => scratch(tape, count * objects * pixels, "float32");
  const classes = (dtype) => scratch(tape, elements(logits), dtype);
  const probabilities = tape.tensor(logits.shape, logits.dtype, []);
  tape.record("sigmoid", { reads: [logits], outputs: [probabilities] });
  tape.record("select_candidates_in_gts", { reads: [], outputs: [], scratch: [pairs(8)] });
  const oneHot = [classes("int64"), classes("float32"), classes("bool"), classes("int64")];
  tape.record("get_targets", { reads: [], outputs: [], scratch: [pairs(3), ...oneHot] });
  const targets = tape.tensor(logits.shape, "float32", []);
  tape.record("normalize", { reads: [probabilities], outputs: [targets], scratch: [pairs(3), classes("int64")] });
  return targets;
}
function classLoss(tape, logits, targets) {
  const lowered = tape.cast(targets, logits.dtype);
  const [wide, target] = [tape.markLogits(tape.raised(logits)), tape.raised(lowered)];
  const loss = tape.tensor([], "float32", [wide], { batched: false });
  tape.record("binary_cross_entropy_with_logits", {
    reads: [wide, target, lowered],
    outputs: [loss],
    saves: [wide, target],
    scratch: [0, 1].map(() => scratch(tape, elements(wide), wide.dtype)),
    gradients: [made(wide)]
  });
  return loss;
}
function boxLoss(tape, distances, sides, targets) {
  const loss = tape.tensor([], "float32", [distances, sides], { batched: false });
  tape.record("bbox_loss", {
    reads: [distances, sides, targets],
    outputs: [loss],
    gradients: [distances, sides].map(made)
  });
  return loss;
}
function keypointLoss(tape, places2) {
  const inImage = tape.elementwise("clone", places2);
  const loss = tape.tensor([], "float32", [inImage], { batched: false });
  const selected = scratch(tape, elements(places2), "float32");
  tape.record("keypoint_loss", { reads: [inImage], outputs: [loss], scratch: [selected], gradients: [made(inImage)] });
  return loss;
}
function scratch(tape, count, dtype) {
  return tape.storage(count, dtype, true, "temporaries");
}

// engine/estimate/objectives/strided-log-probabilities.ts
var CHUNK_ROWS = 256;
function places({ context, stride, answerLength }, tokens) {
  return Math.max(1, Math.floor((tokens - answerLength - context) / stride) + 1);
}
function stridedTokens({ method, sequenceLength = 0 }) {
  if (method?.kind !== "strided") return void 0;
  return sequenceLength + places(method, sequenceLength) * method.answerLength;
}
function chunkedLogProbabilities(autograd, name, states, weight) {
  const { method, sequenceLength = 0 } = autograd.spec;
  const [tokens = 0] = states.shape;
  const [vocabulary = 0] = weight.shape;
  const isWhole = method?.kind === "strided" && method.withCrossEntropy;
  const positions = isWhole ? tokens - 1 : tokens - sequenceLength;
  const rows = Math.min(CHUNK_ROWS, positions);
  const chunk = (bytes) => autograd.storage(rows * vocabulary * bytes, "bool", true, "logits");
  const { float32, bfloat16 } = bytesPerElement;
  const output = autograd.tensor([tokens - 1], "float32", [states, weight]);
  autograd.record(name, {
    reads: [states, weight],
    outputs: [output],
    saves: weight.requiresGrad ? [states] : [],
    saved: [autograd.storage(positions * vocabulary, "float32", true, "logits")],
    scratch: [chunk(bfloat16), chunk(float32)],
    // Gradients of log_softmax and of what it read, in float32 and cast back.
    backwardScratch: [chunk(float32), chunk(float32), chunk(bfloat16)],
    gradients: [states, weight].map(made),
    flopsPerSample: 2 * positions * vocabulary * lastSize(states),
    productElements: positions * vocabulary
  });
  return output;
}

// engine/estimate/objectives/strided.ts
function learningFromStrides(tape, config, spec, method) {
  const tokens = stridedTokens(spec) ?? 0;
  answered(tape, config, spec, method, tokens);
  const whole2 = { ...spec, sequenceLength: tokens };
  const scores = Array.from({ length: method.rollouts }, () => tape.underAutocast(() => forward(tape, config, whole2)));
  compared(tape, config, whole2, method, tokens);
  return { loss: summed(tape, scores), held: [] };
}
function answered(tape, config, spec, method, whole2) {
  const count = places(method, spec.sequenceLength ?? 0);
  const tokens = whole2 - count;
  const sequences = ofRollouts(method, tokens, { kernel: "eager", isMasked: true });
  tape.withoutGradients({ of: "policy", sequences }, () => {
    const mask = tape.tensor([tokens, tokens], tape.weightDtype, []);
    const earlier = (vocabulary2) => tape.tensor([tokens - count, vocabulary2], "float32", []);
    const vocabulary = vocabularyOf(config);
    const before = tape.markLogits(earlier(vocabulary));
    tape.record("logits", { reads: [], outputs: [before, mask] });
    const logits = tape.markLogits(forward(tape, config, { ...spec, sequenceLength: tokens }));
    const wide = tape.cast(logits, "float32");
    const sampled2 = () => tape.storage(count * vocabulary, "float32", true, "logits");
    const scratch3 = [sampled2(), sampled2(), sampled2()];
    tape.record("sample", { reads: [logits, wide, before, mask], outputs: [], scratch: scratch3 });
  });
}
function compared(tape, config, spec, method, tokens) {
  const isShared = method.reference === "adapters-off";
  const sequences = ofRollouts(method, tokens, { kernel: "sdpa", isMasked: isShared });
  const known = tape.blockInputs.length;
  tape.withoutGradients({ of: method.reference, sequences }, () => {
    const logits = tape.markLogits(forward(tape, config, spec));
    const states = [...tape.blockInputs.slice(known), tape.outputLayerInput ?? logits];
    const wide = isShared ? [...states, logits].map((x) => tape.cast(x, "float32")) : [];
    tape.record("return", { reads: [...states, logits, ...wide], outputs: [] });
  });
}
function ofRollouts({ rollouts }, tokens, attention) {
  return { perSample: rollouts, tokens, logitsOf: tokens, attention };
}
function vocabularyOf(config) {
  const text2 = "text_config" in config ? config.text_config : config;
  return "vocab_size" in text2 ? text2.vocab_size : 0;
}

// engine/estimate/objectives/trajectories.ts
var VALUES = "value";
var REWARDS = "reward";
function learningFromTrajectories(tape, config, spec, method) {
  const { answerLength, withCritic } = method;
  const before = tape.beforehand(() => {
    answered2(tape, config, spec, method);
    scored(tape, config, spec, method);
  });
  const policy = trajectoryLogProbabilities(tape, forward(tape, config, spec), answerLength, withCritic);
  const critic = withCritic ? [tape.ofModel(VALUES, () => forward(tape, config, judging(spec)))] : [];
  return { loss: summed(tape, [policy, ...critic]), held: [], before };
}
function answered2(tape, config, spec, method) {
  const tokens = spec.sequenceLength ?? method.answerLength;
  const prompt = Math.max(1, tokens - method.answerLength);
  const cache = new KeyValueCache();
  cache.begin(tokens);
  tape.withoutGradients(
    { of: "policy", sequences: { ...sequencesOf(method, prompt), cache } },
    () => logitsIn32Bits(tape, forward(tape, config, { ...spec, sequenceLength: prompt }))
  );
  cache.end(tape);
}
function scored(tape, config, spec, method) {
  const sequences = sequencesOf(method, spec.sequenceLength ?? method.answerLength);
  tape.withoutGradients({ of: "copy", sequences }, () => logitsIn32Bits(tape, forward(tape, config, spec)));
  if (!method.withCritic) return;
  tape.ofModel(
    REWARDS,
    () => tape.withoutGradients({ of: "copy", sequences }, () => forward(tape, config, judging(spec)))
  );
}
function sequencesOf({ generated: generated2, perPrompt }, tokens) {
  return { count: generated2, perSample: perPrompt, tokens, logitsOf: tokens };
}
function logitsIn32Bits(tape, raw) {
  const logits = tape.cast(tape.markLogits(raw), "float32");
  tape.record("return", { reads: [logits], outputs: [] });
}
function judging(spec) {
  return { ...spec, task: "sequence-classification", labels: 1 };
}

// engine/estimate/objectives/objective.ts
function objectiveOf(tape, config, spec) {
  const { method } = spec;
  switch (method?.kind) {
    case "preference":
      return preference(tape, config, spec, method);
    case "kto":
      return kto(tape, config, spec, method);
    case "reward":
      return reward(tape, config, spec, method);
    case "distillation":
      return distillation(tape, config, spec, method);
    case "anchored":
      return { loss: anchoredLoss(tape, config, spec), held: [] };
    case "denoising":
      return { loss: denoisingLoss(tape, config), held: [] };
    case "answers":
      return learningFromAnswers(tape, config, spec, method);
    case "strided":
      return learningFromStrides(tape, config, spec, method);
    case "trajectories":
      return learningFromTrajectories(tape, config, spec, method);
    case void 0:
      return withAverage(tape, spec, plainLoss(tape, config, spec));
  }
}
function plainLoss(tape, config, spec) {
  if (config.model_type === "yolo" && config.head !== "classify" && spec.step === "training") {
    return { loss: detectionLoss(tape, config, spec), held: [] };
  }
  return ownLoss(tape, config, spec);
}
function ownLoss(tape, config, spec) {
  return tape.underAutocast(() => {
    const logits = forward(tape, config, spec);
    const loss = spec.step === "training" ? tape.frame(logits, (input) => tape.crossEntropy(input)) : tape.mean(logits);
    return { loss, held: spec.loop === "plain" ? [logits.storage, ...tape.held] : [] };
  });
}
function withAverage(tape, spec, objective) {
  if (spec.loop !== "ultralytics") return objective;
  const model = [...[...tape.parameters.values()].map(({ storage }) => storage), ...tape.buffers];
  tape.wholeBuffers.push(...model.map(({ fixedBytes }) => tape.persistent(fixedBytes)));
  return objective;
}
function policyPass(tape, config, spec) {
  return tape.underAutocast(() => forward(tape, config, spec));
}
function preference(tape, config, spec, method) {
  const policy = logProbabilities(tape, policyPass(tape, config, spec), method.logProbabilities);
  const chosen = method.withCrossEntropy ? [chosenCrossEntropy(tape, policy.logits)] : [];
  const reference = referencePass2(tape, config, spec, method);
  if (method.logProbabilities === "trl" && !method.withCrossEntropy)
    logEntropies(tape, policy.logits, reference?.logits);
  return {
    loss: compared2(tape, [policy.perToken, ...chosen], policy, method),
    held: heldReference(method, reference)
  };
}
function logEntropies(tape, logits, reference) {
  const vocabulary = logits.shape.at(-1) ?? 0;
  const copy = tape.storage(elements(logits) - vocabulary, logits.dtype, true, "logits");
  const chunk = () => tape.fixed(ENTROPY_ROWS * vocabulary * bytesPerElement[logits.dtype], "logits");
  const reads = [logits, ...reference === void 0 ? [] : [reference]];
  tape.record("entropy", { reads, outputs: [], scratch: [copy, chunk(), chunk(), chunk()] });
}
function kto(tape, config, spec, method) {
  const unrelated = () => passWithoutGradients(tape, config, spec, method, "policy");
  if (method.logProbabilities === "trl") unrelated();
  const policy = logProbabilities(tape, policyPass(tape, config, spec), method.logProbabilities);
  if (method.logProbabilities !== "trl") unrelated();
  referencePass2(tape, config, spec, method);
  const reference = referencePass2(tape, config, spec, method);
  if (method.logProbabilities === "trl") logEntropies(tape, policy.logits, reference?.logits);
  return { loss: compared2(tape, [policy.perToken], policy, method), held: [] };
}
function reward(tape, config, spec, { head }) {
  const output = policyPass(tape, config, spec);
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
function distillation(tape, config, spec, { chunks }) {
  const student = tape.markLogits(policyPass(tape, config, spec));
  const teacherOfSpec = teacherConfig(spec) ?? config;
  const teacher = tape.markLogits(tape.withoutGradients({ of: "copy" }, () => forward(tape, teacherOfSpec, spec)));
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
function compared2(tape, numbers, policy, method) {
  const loss = summed(tape, numbers);
  if (method.logProbabilities !== "torchtune") tape.record("return", { reads: [policy.logits], outputs: [] });
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
function referencePass2(tape, config, spec, method) {
  return method.reference === "none" ? void 0 : passWithoutGradients(tape, config, spec, method, method.reference);
}
function passWithoutGradients(tape, config, spec, method, of) {
  const dtype = method.logProbabilities === "llamafactory" ? tape.autocastDtype : void 0;
  const logits = tape.withoutGradients({ of, dtype }, () => forward(tape, config, spec));
  return tape.withoutGradients({ of }, () => logProbabilities(tape, logits, method.logProbabilities));
}
function heldReference(method, reference) {
  return method.logProbabilities === "torchtune" && reference !== void 0 ? [reference.logits.storage] : [];
}

// engine/estimate/kernels/gemma3n.ts
var Gemma3nTape = class {
  #autograd;
  constructor(autograd) {
    this.#autograd = autograd;
  }
  stacked(parts) {
    const [first] = parts;
    if (first === void 0) throw new Error("nothing to stack");
    const output = this.#autograd.tensor([parts.length, ...first.shape], first.dtype, parts);
    this.#autograd.record("stack", {
      reads: parts,
      outputs: [output],
      gradients: parts.map((to) => ({ to, passes: true }))
    });
    return output;
  }
  stream(streams) {
    const output = { ...streams, shape: streams.shape.slice(1), edge: this.#autograd.newEdge() };
    this.#autograd.record("select", { reads: [streams], outputs: [output], gradients: [made(streams)] });
    return output;
  }
  mean(streams) {
    const output = this.#autograd.tensor(streams.shape.slice(1), streams.dtype, [streams]);
    this.#autograd.record("mean", { reads: [streams], outputs: [output], gradients: [made(streams)] });
    return output;
  }
  magnitude(x) {
    return this.#autograd.elementwise("sqrt", this.#meanOfSquares(x), { savesOutput: true });
  }
  scaledTo(magnitude, x) {
    const wide = this.#autograd.cast(x, magnitude.dtype);
    const own = this.magnitude(wide);
    const product = this.#autograd.multiply(wide, magnitude);
    const output = this.#autograd.tensor(x.shape, product.dtype, [product, own]);
    this.#autograd.record("div", {
      reads: [product, own],
      outputs: [output],
      saves: [product, own],
      gradients: [product, own].map(made),
      backwardScratch: [this.#autograd.like(output, "temporaries")]
    });
    return output;
  }
  predicted(streams, coefficients) {
    const autograd = this.#autograd;
    const [left, right] = [autograd.lowered(streams), autograd.lowered(coefficients)];
    const product = autograd.tensor(streams.shape, left.dtype, [left, right]);
    autograd.record("bmm", {
      reads: [left, right],
      outputs: [product],
      saves: [left, right],
      gradients: [left, right].map(made),
      flopsPerSample: 2 * elements(product) * (streams.shape[0] ?? 1)
    });
    const sum2 = this.#passing("clone", autograd.add(product, streams, { inPlace: true }));
    return autograd.cast(sum2, streams.dtype);
  }
  corrected(predictions, result, coefficients) {
    const autograd = this.#autograd;
    const first = this.stream(predictions);
    const error = autograd.tensor(result.shape, result.dtype, [result, first]);
    const gradients = [{ to: result, passes: true }, made(first)];
    autograd.record("sub", { reads: [result, first], outputs: [error], gradients });
    const repeated2 = autograd.tensor(predictions.shape, error.dtype, [error]);
    autograd.record("repeat", { reads: [error], outputs: [repeated2], gradients: [made(error)] });
    return autograd.add(autograd.multiply(repeated2, coefficients), predictions, { inPlace: true });
  }
  addedToOthers(streams, x) {
    const autograd = this.#autograd;
    const others = () => autograd.storage(elements(streams) - elements(x), streams.dtype, true, "temporaries");
    const sum2 = { ...streams, edge: autograd.newEdge() };
    autograd.record("add_", {
      reads: [streams, x],
      outputs: [sum2],
      gradients: [streams, x].map(made),
      backwardScratch: [others()]
    });
    const output = { ...streams, edge: autograd.newEdge() };
    const backwardScratch = [others(), autograd.like(streams, "temporaries")];
    autograd.record("copy_", { reads: [sum2], outputs: [output], gradients: [made(sum2)], backwardScratch });
    return output;
  }
  sparsified(x) {
    const autograd = this.#autograd;
    const rows = x.shape.slice(0, -1);
    const mean = autograd.tensor([...rows, 1], x.dtype, [x]);
    autograd.record("mean", { reads: [x], outputs: [mean], gradients: [made(x)] });
    const deviation = autograd.tensor([...rows, 1], x.dtype, [x]);
    autograd.record("std", { reads: [x], outputs: [deviation], saves: [x, deviation], gradients: [made(x)] });
    const cutoff = autograd.add(mean, autograd.elementwise("mul", deviation));
    const above = autograd.tensor(x.shape, x.dtype, [x, cutoff]);
    autograd.record("sub", { reads: [x, cutoff], outputs: [above], gradients: [{ to: x, passes: true }, made(cutoff)] });
    return autograd.elementwise("relu", above, { savesOutput: true });
  }
  either(x, y) {
    const autograd = this.#autograd;
    const output = autograd.tensor(x.shape, x.dtype, [x, y]);
    const mask = autograd.storage(elements(x) / lastSize(x), "bool", true);
    autograd.record("where", { reads: [x, y], outputs: [output], saved: [mask], gradients: [x, y].map(made) });
    return output;
  }
  #meanOfSquares(x) {
    const autograd = this.#autograd;
    const squares = autograd.power(autograd.raised(x));
    const mean = autograd.tensor([...x.shape.slice(0, -1), 1], squares.dtype, [squares]);
    autograd.record("mean", { reads: [squares], outputs: [mean], gradients: [made(squares)] });
    return mean;
  }
  /** A new tensor whose gradient is that of its source. */
  #passing(name, x) {
    const output = this.#autograd.tensor(x.shape, x.dtype, [x]);
    this.#autograd.record(name, { reads: [x], outputs: [output], gradients: [{ to: x, passes: true }] });
    return output;
  }
};

// engine/estimate/kernels/matrix-product.ts
function matrixProduct(factor, weight, bias, output, inner) {
  return {
    reads: [factor, weight, ...bias],
    outputs: [output],
    saves: [...weight.requiresGrad ? [factor] : [], ...factor.requiresGrad ? [weight] : []],
    gradients: [factor, weight, ...bias].map(made),
    flopsPerSample: 2 * elements(output) * inner
  };
}

// engine/estimate/kernels/attention.ts
var FLASH_MAX_HEAD_SIZE = 256;
function fusedAttention(autograd, query, key, value, options) {
  const [tokens = 0] = query.shape;
  if (leavesBroadcast(options)) return broadcastAttention(autograd, query, key, value, options);
  if (options.sinks !== void 0) return sinkAttention(autograd, query, key, value, options);
  if (options.bias !== void 0) return biasedAttention(autograd, query, key, value, options, options.bias);
  const isMasked = options.isAlwaysMasked || autograd.isPadded || options.window !== void 0 && tokens >= options.window;
  const groups = options.heads / options.keyValueHeads;
  const headSize = elements(query) / (tokens * options.heads);
  const native = groups > 1 && !isMasked && headSize <= FLASH_MAX_HEAD_SIZE;
  const repeat = (x) => native ? autograd.lowered(x) : repeatedLowered(autograd, x, options);
  const [q, k, v] = [autograd.lowered(query), repeat(key), repeat(value)];
  const valueHeadSize = lastSize(value) / options.keyValueHeads;
  const isFlash = autograd.hasFlash && q.dtype !== "float32" && !isMasked && headSize <= FLASH_MAX_HEAD_SIZE && headSize === valueHeadSize;
  return native && !isFlash ? composedAttention(autograd, q, expanded(autograd, k, q.shape), expanded(autograd, v, q.shape), options) : kernelAttention(autograd, q, k, v, { ...options, isFlash, isMasked, valueHeadSize });
}
function sinkAttention(autograd, query, key, value, options) {
  const [q, k, v] = [query, key, value].map((x) => autograd.lowered(x));
  const valueHeadSize = lastSize(value) / options.keyValueHeads;
  return kernelAttention(autograd, q, k, v, { ...options, isFlash: true, isMasked: false, valueHeadSize });
}
function kernelAttention(autograd, q, k, v, options) {
  const [tokens = 0] = q.shape;
  const output = autograd.tensor([tokens, options.heads * options.valueHeadSize], q.dtype, [q, k, v]);
  const rows = options.isFlash ? tokens : Math.ceil(tokens / 32) * 32;
  const logSumExp = autograd.storage(options.heads * rows, "float32", true);
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
function biasedAttention(autograd, query, key, value, options, bias) {
  const [tokens = 0] = query.shape;
  const [sourceTokens = 0] = key.shape;
  const [q, k, v] = [query, key, value].map((x) => autograd.lowered(x));
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
  if (bias.shape.length === 2) return paddedMask(autograd, bias);
  const { isPadded } = autograd;
  if (!causal && !isPadded) return bias;
  const [, tokens = 0, sourceTokens = 0] = bias.shape;
  const output = autograd.tensor(bias.shape, bias.dtype, [bias], { batched: isPadded });
  const seen = isPadded ? [] : [autograd.storage(tokens * sourceTokens, "bool", false)];
  autograd.record("where", { reads: [bias], outputs: [output], saved: seen, gradients: [made(bias)] });
  return output;
}
function paddedMask(autograd, mask) {
  const columns = Math.ceil(lastSize(mask) / 8) * 8;
  if (columns === lastSize(mask)) return mask;
  const padded = autograd.tensor([...mask.shape.slice(0, -1), columns], mask.dtype, [mask]);
  autograd.record("pad", { reads: [mask], outputs: [padded] });
  return padded;
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
function eagerAttention(autograd, query, key, value, options) {
  const [tokens = 0] = query.shape;
  const groups = options.heads / options.keyValueHeads;
  const [k, v] = [key, value].map((x) => groups > 1 ? expanded(autograd, x, query.shape) : x);
  const isContiguous = (x) => groups > 1 || autograd.held.includes(x.storage);
  const factor = (x, from = x) => from !== query && isContiguous(from) ? x : autograd.elementwise("clone", x);
  const [sourceTokens = 0] = k.shape;
  const [left, right] = [query, k].map((x) => options.inFloat32 ? autograd.cast(x, "float32") : x);
  const scores = autograd.batchMatmul(factor(left, query), factor(right, k), [options.heads, tokens, sourceTokens]);
  const scaled2 = autograd.elementwise("mul", scores);
  const biased = options.bias === void 0 ? scaled2 : autograd.add(scaled2, options.bias);
  const masked = options.causal || autograd.isPadded ? autograd.elementwise("add", biased) : biased;
  const wide = options.castsSoftmax && options.sinks === void 0 ? autograd.cast(masked, "float32") : autograd.raised(masked);
  const softmax2 = options.sinks === void 0 ? autograd.elementwise("softmax", wide, { savesOutput: true }) : sinkSoftmax(autograd, masked, options.sinks);
  const castsBack = options.castsSoftmax || options.bias === void 0 && options.causal;
  const lowered = castsBack ? autograd.cast(softmax2, autograd.autocastDtype ?? query.dtype) : softmax2;
  const weights = autograd.dropout(lowered, options.dropout);
  const output = autograd.elementwise("clone", autograd.batchMatmul(weights, factor(v), query.shape));
  return { output, weights };
}
function sinkSoftmax(autograd, scores, sinks) {
  const [heads = 0, tokens = 0, sourceTokens = 0] = scores.shape;
  const combined = autograd.tensor([heads, tokens, sourceTokens + 1], scores.dtype, [scores, sinks]);
  autograd.record("cat", {
    reads: [scores, sinks],
    outputs: [combined],
    gradients: [{ to: scores, passes: true }, made(sinks)]
  });
  const derived = (name, from, isSaved) => {
    const output = autograd.tensor(from.shape, from.dtype, [from]);
    const saves = isSaved ? [output] : [];
    autograd.record(name, { reads: [from, scores], outputs: [output], saves, gradients: [made(from)] });
    return output;
  };
  const probabilities = derived("softmax", derived("sub", combined, false), true);
  return autograd.slice(probabilities, sourceTokens);
}
function leavesBroadcast({ broadcastsHeads, keyValueHeads, heads }) {
  return broadcastsHeads === true && keyValueHeads < heads;
}
function repeated(autograd, x, { heads, keyValueHeads }) {
  if (heads === keyValueHeads || keyValueHeads === 1) return x;
  const [tokens = 0, features = 0] = x.shape;
  return expanded(autograd, x, [tokens, features * heads / keyValueHeads]);
}
function repeatedLowered(autograd, x, options) {
  const { heads, keyValueHeads } = options;
  const { autocastDtype: dtype } = autograd;
  const isCastView = keyValueHeads === 1 && heads > 1 && dtype !== void 0 && x.dtype === "float32";
  if (!isCastView) return autograd.lowered(repeated(autograd, x, options));
  const [tokens = 0, features = 0] = x.shape;
  const output = autograd.tensor([tokens, features * heads], dtype, [x]);
  const wide = autograd.storage(elements(output), "float32", true, "temporaries");
  autograd.record("to", { reads: [x], outputs: [output], gradients: [made(x)], backwardScratch: [wide] });
  return output;
}
function expanded(autograd, x, shape) {
  const output = autograd.tensor(shape, x.dtype, [x]);
  autograd.record("expand", { reads: [x], outputs: [output], gradients: [made(x)] });
  return output;
}

// engine/estimate/kernels/linear-attention.ts
var CHUNK_TOKENS = 64;
function gatedDeltaRule(autograd, rule) {
  const { like, within: within2, keyBytes, valueBytes, stateBytes, pairs } = sizesOf(autograd, rule);
  const { query, key, value, decay, beta } = rule;
  const saved = [
    like(query),
    like(key),
    like(value),
    autograd.storage(3 * elements(beta), "float32", true),
    autograd.storage(pairs, query.dtype, true)
  ];
  return deltaKernel(autograd, "gated delta rule", rule, {
    saves: [beta],
    saved,
    gradients: [query, key, value, decay, beta].map(made),
    scratch: [within2(pairs * bytesPerElement.float32), within2(keyBytes + 2 * valueBytes + stateBytes)],
    backwardScratch: [within2(3 * keyBytes + 3 * valueBytes + 2 * stateBytes)]
  });
}
function channelDecay(autograd, logits, { bias, rates }) {
  const shifted2 = autograd.add(autograd.cast(logits, "float32"), autograd.cast(bias, "float32"));
  const rate = autograd.elementwise("exp", autograd.cast(rates, "float32"), { savesOutput: true });
  const powers = autograd.elementwise("add", autograd.elementwise("exp", shifted2, { savesOutput: true }));
  const logarithms = autograd.elementwise("log", powers, { saves: [powers] });
  const softplus = autograd.tensor(shifted2.shape, "float32", [shifted2], shifted2);
  autograd.record("where", {
    reads: [shifted2, logarithms],
    outputs: [softplus],
    saved: [autograd.storage(elements(shifted2), "bool", shifted2.batched)],
    gradients: [shifted2, logarithms].map(made)
  });
  return autograd.multiply(autograd.elementwise("neg", rate), softplus);
}
function kimiDelta(autograd, rule) {
  const { like, within: within2, keyBytes, valueBytes, stateBytes, pairs } = sizesOf(autograd, rule);
  const { query, key, value, decay, beta } = rule;
  const saved = [
    like(query),
    like(key),
    like(value),
    autograd.storage(elements(decay) + 2 * elements(beta), "float32", true),
    autograd.storage(2 * pairs, query.dtype, true)
  ];
  const factors = 3 * keyBytes + 3 * valueBytes + 2 * stateBytes;
  const gradients = (4 * elements(key) + 2 * elements(decay) + 2 * pairs) * bytesPerElement.float32;
  return deltaKernel(autograd, "kimi delta attention", rule, {
    saves: [decay, beta],
    saved,
    gradients: [query, key, value, decay, beta].map(made),
    scratch: [within2(2 * keyBytes + 2 * valueBytes + stateBytes)],
    backwardScratch: [within2(factors + gradients)]
  });
}
function sizesOf(autograd, { query, key, value, heads }) {
  const [tokens = 0] = query.shape;
  const element = bytesPerElement[query.dtype];
  const keySize = lastSize(key) / heads;
  return {
    like: (tensor) => autograd.storage(elements(tensor), query.dtype, true),
    within: (bytes) => autograd.storage(bytes, "bool", true, "temporaries"),
    keyBytes: elements(key) * element,
    valueBytes: elements(value) * element,
    stateBytes: Math.ceil(tokens / CHUNK_TOKENS) * keySize * lastSize(value) * element,
    pairs: tokens * heads * CHUNK_TOKENS
  };
}
function deltaKernel(autograd, name, { query, key, value, decay, beta, heads }, parts) {
  const [tokens = 0] = query.shape;
  const inputs = [query, key, value, decay, beta];
  const output = autograd.tensor(value.shape, query.dtype, inputs);
  const perHead = CHUNK_TOKENS + lastSize(key) / heads;
  autograd.record(name, {
    reads: inputs,
    outputs: [output],
    ...parts,
    flopsPerSample: 4 * tokens * heads * perHead * (lastSize(value) / heads)
  });
  return output;
}

// engine/estimate/kernels/selective-scan.ts
function fusedConvolution(autograd, name, x, parameters) {
  const [weight = x] = parameters;
  const output = autograd.tensor(x.shape, x.dtype, [x, ...parameters]);
  autograd.record(name, {
    reads: [x, ...parameters],
    outputs: [output],
    saves: [x, ...parameters],
    gradients: [x, ...parameters].map(made),
    flopsPerSample: 2 * elements(x) * lastSize(weight)
  });
  return output;
}
var CHUNK_TOKENS2 = 2048;
function selectiveScan(autograd, { states, steps, input, output, gate }, parameters) {
  const [tokens = 0] = states.shape;
  const stateSize = lastSize(input);
  const rates = autograd.elementwise("exp", autograd.cast(parameters.rates, "float32"), { savesOutput: true });
  const wide = [parameters.skip, parameters.bias].map((parameter) => autograd.cast(parameter, "float32"));
  const constants = [autograd.elementwise("neg", rates), ...wide];
  const inputs = [states, steps, input, output, gate];
  const result = autograd.tensor(states.shape, gate.dtype, [...inputs, ...constants]);
  const copy = (tensor) => autograd.storage(elements(tensor), tensor.dtype, true);
  const kept = Math.ceil(tokens / CHUNK_TOKENS2) * lastSize(states) * 2 * stateSize;
  autograd.record("selective scan", {
    reads: [...inputs, ...constants],
    outputs: [result],
    saves: constants,
    saved: [...inputs.map(copy), copy(steps), autograd.storage(kept, "float32", true)],
    gradients: [...inputs, ...constants].map(made),
    backwardScratch: [autograd.like(result, "temporaries")],
    flopsPerSample: 6 * elements(states) * stateSize
  });
  return result;
}

// engine/estimate/kernels/state-space.ts
var FLOAT32_BYTES = bytesPerElement.float32;
function fusedMamba2(autograd, x, shape, weight) {
  const [tokens = 0] = x.shape;
  const { groups, outFeatures } = shape;
  const { inner } = widthsOf(shape);
  const output = autograd.lowered(weight("out_proj.weight", [outFeatures, inner]), { cache: false });
  const inputs = [
    x,
    ...convolutionOf(shape, weight),
    ...scanParameters(autograd, shape, weight),
    ...shape.norm === void 0 ? [] : [weight("norm.weight", [inner])],
    ...shape.outputBias ? [autograd.lowered(weight("out_proj.bias", [outFeatures]))] : [],
    output
  ];
  const result = autograd.tensor([tokens, outFeatures], autograd.autocastDtype ?? x.dtype, inputs);
  const scanned = autograd.storage(tokens * inner, x.dtype, true);
  const deviations = autograd.storage(tokens * groups, "float32", true);
  const bytes = workBytes(shape, tokens, bytesPerElement[x.dtype]);
  const created = scanned.bytesPerSample + elements(result) * bytesPerElement[result.dtype];
  const forwardEnd = bytes.convolution + bytes.lastScan + bytes.rows;
  const forwardScan = bytes.convolution + bytes.stateScan - created;
  const backward = (shape.norm === void 0 ? 4 : 3) * bytes.rows + 2 * bytes.convolution + bytes.backwardScan;
  autograd.record("mamba2", {
    reads: inputs,
    outputs: [result],
    saves: inputs,
    saved: shape.norm === void 0 ? [scanned] : [scanned, deviations],
    gradients: inputs.map(made),
    scratch: [scratch2(autograd, Math.max(forwardEnd, forwardScan))],
    backwardScratch: [scratch2(autograd, backward)],
    flopsPerSample: scanFlops(shape, tokens) + 2 * tokens * inner * outFeatures
  });
  return result;
}
function composedMamba2(tape, name, x, shape, weight) {
  const { heads, groups, stateSize } = shape;
  const { inner, convolved } = widthsOf(shape);
  const [gate = x, mixed = x, steps = x] = tape.split(x, [inner, convolved, heads]);
  const states = tape.fusedConvolution(`${name}.conv1d`, mixed, shape.kernel, { bias: shape.convolutionBias });
  const parts = tape.split(states, [inner, groups * stateSize, groups * stateSize]);
  const scanned = chunkScan(tape, [...parts, steps], shape, scanParameters(tape, shape, weight));
  const gated = shape.norm === void 0 ? tape.multiply(scanned, tape.silu(gate)) : gatedNorm(tape, scanned, gate, shape, weight);
  return tape.linear(`${name}.out_proj`, gated, shape.outFeatures, { bias: shape.outputBias });
}
function chunkScan(tape, inputs, shape, parameters) {
  const [states] = inputs;
  if (states === void 0) throw new Error("no states to scan");
  const [tokens = 0] = states.shape;
  const all = [...inputs, ...parameters];
  const result = tape.tensor(states.shape, states.dtype, all);
  const bytes = workBytes(shape, tokens, bytesPerElement[states.dtype]);
  tape.record("mamba2 scan", {
    reads: all,
    outputs: [result],
    saves: [...all, result],
    saved: [tape.storage(bytes.steps / 2, "bool", true)],
    gradients: all.map(made),
    scratch: [scratch2(tape, Math.max(bytes.lastScan, bytes.stateScan - bytes.rows))],
    backwardScratch: [scratch2(tape, bytes.backwardScan)],
    flopsPerSample: scanFlops(shape, tokens)
  });
  if (tape.spec.loop === "plain") cacheState(tape, shape);
  return result;
}
function cacheState(tape, shape) {
  const state = tape.tensor([widthsOf(shape).inner, shape.stateSize], "float32", []);
  tape.record("cached state", { reads: [], outputs: [state] });
  tape.held.push(state.storage);
}
function gatedNorm(tape, scanned, gate, shape, weight) {
  const weights = weight("norm.weight", [widthsOf(shape).inner]);
  const wide = tape.multiply(tape.cast(scanned, "float32"), tape.silu(tape.cast(gate, "float32")));
  const squares = tape.power(wide);
  const mean = tape.tensor([...scanned.shape.slice(0, -1), shape.groups], "float32", [squares]);
  tape.record("mean", { reads: [squares], outputs: [mean], gradients: [made(squares)] });
  const normalised = tape.multiply(wide, tape.elementwise("rsqrt", mean, { savesOutput: true }));
  return shape.norm === "weighted-in-float32" ? tape.cast(tape.multiply(weights, normalised), scanned.dtype) : tape.multiply(weights, tape.cast(normalised, scanned.dtype));
}
function convolutionOf(shape, weight) {
  const { convolved } = widthsOf(shape);
  const kernel = weight("conv1d.weight", [convolved, 1, shape.kernel]);
  return shape.convolutionBias ? [kernel, weight("conv1d.bias", [convolved])] : [kernel];
}
function scanParameters(autograd, { heads }, weight) {
  const rates = autograd.elementwise("exp", autograd.cast(weight("A_log", [heads]), "float32"), { savesOutput: true });
  return [weight("dt_bias", [heads]), autograd.elementwise("neg", rates), weight("D", [heads])];
}
function scratch2(autograd, bytes) {
  return autograd.storage(bytes, "bool", true, "temporaries");
}
function widthsOf({ heads, headSize, groups, stateSize }) {
  const inner = heads * headSize;
  return { inner, convolved: inner + 2 * groups * stateSize };
}
function workBytes(shape, tokens, element) {
  const { heads, groups, stateSize, chunkTokens } = shape;
  const { inner, convolved } = widthsOf(shape);
  const chunks = Math.ceil(tokens / chunkTokens);
  const paddedTokens = chunks * chunkTokens;
  const steps = 2 * paddedTokens * heads * FLOAT32_BYTES;
  const scores = paddedTokens * groups * chunkTokens * FLOAT32_BYTES;
  const stateElements = chunks * inner * stateSize;
  const always = steps + inner * stateSize * FLOAT32_BYTES;
  return {
    rows: tokens * inner * element,
    convolution: tokens * convolved * element,
    steps,
    lastScan: always + stateElements * element,
    stateScan: always + stateElements * (FLOAT32_BYTES + element),
    // States and their gradients in float32, and both cast to the input's type, unless the states already have it.
    backwardScan: always + scores + tokens * heads * element + stateElements * (2 * FLOAT32_BYTES + (element === FLOAT32_BYTES ? 1 : 2) * element)
  };
}
function scanFlops(shape, tokens) {
  const { groups, stateSize, chunkTokens, kernel } = shape;
  const { inner, convolved } = widthsOf(shape);
  const withinChunks = chunkTokens * (groups * stateSize + inner);
  return 2 * tokens * (kernel * convolved + withinChunks + 2 * inner * stateSize);
}

// engine/estimate/sharding/shares.ts
function sharesOf(spec) {
  const { sharding = "ddp", offload } = spec;
  const divided = 1 / modelCopies(spec);
  const state = offload === void 0 ? divided : 0;
  const weights = offload === "optimizer-and-weights" ? 0 : divided;
  switch (sharding) {
    case "ddp":
      return { weights: 1, optimizerState: offload === void 0 ? 1 : 0 };
    case "zero1":
    case "zero2":
      return { weights: 1, optimizerState: state };
    case "zero3":
    case "fsdp":
    case "fsdp-grad-op":
      return { weights, optimizerState: state };
  }
}
function mastersOf({ sharding, gpus: gpus2, precision }) {
  if (sharding?.startsWith("zero")) return "in-optimizer";
  if (precision !== "bf16-master") return "none";
  return isFsdp(sharding) && gpus2 > 1 ? "as-weights" : "in-optimizer";
}

// engine/estimate/kernels/adapters.ts
function withLowRank(autograd, name, x, base, adapters) {
  const raised2 = castForAdapters(autograd, x);
  const product = lowRank(autograd, name, autograd.dropout(raised2, adapters.dropout), lastSize(base), adapters);
  const sum2 = autograd.cast(autograd.add(base, autograd.elementwise("mul", product)), base.dtype);
  autograd.record("return", { reads: [raised2], outputs: [] });
  return sum2;
}
function withLowRankMatrices(autograd, name, matrices, rank) {
  const [experts = 1, outFeatures = 1, inFeatures = 1] = matrices.shape;
  const factors = [
    adapterWeight(autograd, `${name}.lora_A.weight`, [rank * experts, inFeatures]),
    adapterWeight(autograd, `${name}.lora_B.weight`, [outFeatures, rank * experts])
  ].map((factor) => autograd.cast(factor, matrices.dtype));
  const output = autograd.tensor(matrices.shape, matrices.dtype, [matrices, ...factors], { batched: false });
  autograd.record(name, {
    reads: [matrices, ...factors],
    outputs: [output],
    saves: factors,
    gradients: [matrices, ...factors].map(made)
  });
  return output;
}
function lowRankFactors(autograd, name, matrices, rank) {
  const [experts = 1, outFeatures = 1, inFeatures = 1] = matrices.shape;
  const first = adapterWeight(autograd, `${name}.lora_A.weight`, [rank * experts, inFeatures]);
  const second = adapterWeight(autograd, `${name}.lora_B.weight`, [outFeatures, rank * experts]);
  return {
    inner: { ...autograd.cast(first, matrices.dtype), shape: [experts, rank, inFeatures] },
    outer: { ...autograd.cast(second, matrices.dtype), shape: [experts, outFeatures, rank] }
  };
}
function lowRank(autograd, name, x, outFeatures, { rank }) {
  const inner = adapterLinear(autograd, `${name}.lora_A`, x, rank);
  return adapterLinear(autograd, `${name}.lora_B`, inner, outFeatures);
}
function adapterLinear(autograd, name, x, outFeatures) {
  const parameter = adapterWeight(autograd, `${name}.weight`, [outFeatures, lastSize(x)]);
  const [factor, weight] = [autograd.lowered(x), autograd.lowered(parameter)];
  const output = autograd.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, weight], x);
  autograd.record(name, matrixProduct(factor, weight, [], output, lastSize(x)));
  return output;
}
function adapterWeight(autograd, name, shape) {
  return autograd.parameter(name, shape, { trainable: true, ...!areInWeightsType(autograd) && { dtype: "float32" } });
}
function castForAdapters(autograd, x) {
  return areInWeightsType(autograd) ? x : autograd.cast(x, "float32");
}
function areInWeightsType({ spec }) {
  return spec.lora?.inWeightsType === true || mastersOf(spec) === "in-optimizer";
}
function withMagnitude(autograd, name, x, adapted, adapters) {
  const { base, weight, bias } = adapted;
  const outFeatures = lastSize(base);
  const raised2 = castForAdapters(autograd, x);
  const input = autograd.dropout(raised2, adapters.dropout);
  const identity = autograd.tensor([lastSize(x), lastSize(x)], raised2.dtype, [], { batched: false });
  autograd.record("eye", { reads: [], outputs: [identity] });
  const [inner, delta] = measured(autograd, name, identity, outFeatures, adapters);
  const matrix = wholeMatrix(autograd, weight, [outFeatures, lastSize(x)], raised2);
  const scale = magnitudeScale(autograd, name, matrix, delta);
  const product = lowRank(autograd, name, input, outFeatures, adapters);
  const own = input === raised2 || adapters.inWeightsType ? bias === void 0 ? base : autograd.add(base, bias) : again(autograd, name, input, matrix, outFeatures);
  const scaled2 = autograd.multiply(autograd.elementwise("sub", scale), own);
  const sum2 = autograd.add(scaled2, autograd.elementwise("mul", autograd.multiply(scale, product)));
  autograd.record("return", { reads: [identity, inner, delta, matrix, product, own], outputs: [] });
  const output = autograd.cast(autograd.add(base, sum2), base.dtype);
  autograd.record("return", { reads: [raised2, input], outputs: [] });
  return output;
}
function measured(autograd, name, identity, outFeatures, { rank }) {
  const features = lastSize(identity);
  const product = (part2, x, shape) => {
    const weight = autograd.lowered(adapterWeight(autograd, `${name}.${part2}.weight`, [shape[1], lastSize(x)]));
    const factor = autograd.lowered(x);
    const output = autograd.tensor(shape, factor.dtype, [], { batched: false });
    autograd.record(part2, { ...matrixProduct(factor, weight, [], output, lastSize(x)), saves: [], gradients: [] });
    return output;
  };
  const inner = product("lora_A", identity, [features, rank]);
  return [inner, product("lora_B", inner, [features, outFeatures])];
}
function wholeMatrix(autograd, weight, shape, like) {
  if (weight !== void 0) return autograd.cast(weight, like.dtype);
  const dequantised = autograd.tensor(shape, autograd.weightDtype, [], { batched: false });
  autograd.record("dequantise", { reads: [], outputs: [dequantised] });
  return autograd.cast(dequantised, like.dtype);
}
function magnitudeScale(autograd, name, matrix, delta) {
  const rows = matrix.shape[0] ?? 1;
  const magnitude = adapterWeight(autograd, `${name}.lora_magnitude_vector.weight`, [rows]);
  const lengths = autograd.tensor([rows], matrix.dtype, [], { batched: false });
  autograd.record("norm", {
    reads: [matrix, delta],
    outputs: [lengths],
    scratch: [autograd.like(delta, "temporaries"), autograd.like(matrix, "temporaries")]
  });
  const scale = autograd.tensor([rows], matrix.dtype, [magnitude], { batched: false });
  autograd.record("div", {
    reads: [magnitude, lengths],
    outputs: [scale],
    saves: [lengths],
    gradients: [made(magnitude)]
  });
  return scale;
}
function again(autograd, name, input, matrix, outFeatures) {
  const [factor, weight] = [autograd.lowered(input), autograd.lowered(matrix)];
  const output = autograd.tensor([...input.shape.slice(0, -1), outFeatures], factor.dtype, [factor, weight]);
  autograd.record(name, matrixProduct(factor, weight, [], output, lastSize(input)));
  return output;
}
function turnedInput(autograd, name, x, adapters) {
  const size = blockSize(lastSize(x), adapters.rank);
  const blocks = lastSize(x) / size;
  const raised2 = castForAdapters(autograd, x);
  const rotation = cayley(autograd, name, blocks, size);
  const [factor, matrix] = [autograd.lowered(raised2), autograd.lowered(rotation)];
  const product = autograd.tensor(x.shape, factor.dtype, [factor, matrix]);
  autograd.record(`${name}.oft_R`, matrixProduct(factor, matrix, [], product, size));
  const turned = autograd.elementwise("clone", product);
  autograd.record("return", { reads: [raised2, rotation, product], outputs: [] });
  return autograd.cast(turned, x.dtype);
}
function cayley(autograd, name, blocks, size) {
  const upper = adapterWeight(autograd, `${name}.oft_R.weight`, [blocks, size * (size - 1) / 2]);
  autograd.buffer(`${name}.oft_R.indices`, size * (size - 1) * 8);
  const square = (from) => autograd.tensor([blocks, size, size], upper.dtype, from, { batched: false });
  const filled = square([upper]);
  autograd.record("index_put", { reads: [upper], outputs: [filled], gradients: [made(upper)] });
  const skew = square([filled]);
  autograd.record("sub", { reads: [filled], outputs: [skew], gradients: [made(filled)] });
  const identity = square([]);
  autograd.record("eye", { reads: [], outputs: [identity] });
  const sum2 = autograd.add(identity, skew, { inPlace: true });
  const powers = [skew, skew, skew];
  const last = powers.reduce((power, factor) => {
    const [left, right] = [autograd.lowered(power), autograd.lowered(factor)];
    const output = { ...square([left, right]), dtype: left.dtype };
    autograd.record("bmm", matrixProduct(left, right, [], output, size));
    return output;
  }, skew);
  return autograd.add(sum2, last, { inPlace: true });
}
function blockSize(features, wanted) {
  if (wanted >= features) return features;
  const divides = (size) => features % size === 0;
  let [higher, lower] = [wanted, wanted];
  while (higher <= features && !divides(higher)) higher++;
  while (lower > 1 && !divides(lower)) lower--;
  return wanted - lower <= higher - wanted ? lower : higher;
}

// engine/estimate/kernels/experts.ts
function routerLogits(autograd, x, { weight, bias }, { count, inFloat32 = false }) {
  const [tokens = 0] = x.shape;
  const raise = (tensor) => inFloat32 ? autograd.cast(tensor, "float32") : tensor;
  const parts = [raise(x), raise(weight), ...bias === void 0 ? [] : [raise(bias)]];
  const [rows = x, matrix = weight] = parts.map((part2) => autograd.lowered(part2));
  const logits = autograd.tensor([tokens, count], rows.dtype, [rows, matrix]);
  autograd.record("router", {
    reads: [rows, matrix],
    outputs: [logits],
    saves: [...matrix.requiresGrad ? [rows] : [], ...rows.requiresGrad ? [matrix] : []],
    gradients: [rows, matrix].map(made),
    flopsPerSample: 2 * elements(logits) * lastSize(x)
  });
  return logits;
}
function bestExperts(autograd, logits, { perToken, scoring, scoresChosenOnly = false, weightsInFloat32 = false }, expertScale) {
  const [tokens = 0] = logits.shape;
  const score = (tensor) => autograd.elementwise(scoring, tensor, { savesOutput: true });
  const scores = scoresChosenOnly ? logits : score(autograd.cast(logits, "float32"));
  const chosen = autograd.tensor([tokens, perToken], "int64", []);
  const best = autograd.tensor([tokens, perToken], scores.dtype, [scores]);
  autograd.record("topk", { reads: [scores], outputs: [best, chosen], saves: [chosen], gradients: [made(scores)] });
  const weights = scoresChosenOnly ? score(best) : best;
  const scaled2 = expertScale === void 0 ? weights : autograd.multiply(weights, gathered2(autograd, expertScale, weights.shape, chosen));
  return [weightsInFloat32 ? scaled2 : autograd.cast(scaled2, logits.dtype), chosen];
}
function groupedExperts(autograd, x, { chosen, weights }, parameters, gate) {
  const rowCount = elements(chosen);
  const order = autograd.tensor([rowCount], "int64", []);
  const sorted = autograd.tensor([rowCount], "int64", []);
  autograd.record("sort", { reads: [chosen], outputs: [sorted, order] });
  const rows = gathered2(autograd, x, [rowCount, lastSize(x)], order);
  const rowWeights = gathered2(autograd, weights, [rowCount], order);
  const { up, upBias, upFactors, down, downBias, downFactors } = parameters;
  const joined = adaptedProduct(autograd, rows, groupedProduct(autograd, rows, up, sorted, upBias), upFactors);
  const gated = gate(joined);
  const results = adaptedProduct(autograd, gated, groupedProduct(autograd, gated, down, sorted, downBias), downFactors);
  const weighted = autograd.multiply(results, rowWeights);
  const restored = gathered2(autograd, weighted, weighted.shape, order);
  const output = autograd.tensor(x.shape, restored.dtype, [restored]);
  autograd.record("sum", { reads: [restored], outputs: [output], gradients: [made(restored)] });
  return {
    output: autograd.cast(output, x.dtype),
    locals: [x, chosen, weights, sorted, order, rows, rowWeights, results, restored]
  };
}
function gathered2(autograd, x, shape, order) {
  const output = autograd.tensor(shape, x.dtype, [x]);
  const indices = autograd.tensor(order.shape, "int64", []);
  autograd.record("positions", { reads: [order], outputs: [indices] });
  autograd.record("index", { reads: [x, indices], outputs: [output], saves: [indices], gradients: [made(x)] });
  return output;
}
function adaptedProduct(autograd, x, own, factors) {
  if (factors === void 0) return own;
  const inner = groupedProduct(autograd, x, factors.inner, x);
  return autograd.add(own, autograd.elementwise("mul", groupedProduct(autograd, inner, factors.outer, x)));
}
function groupedProduct(autograd, x, weight, experts, bias) {
  const outFeatures = elements(weight) / ((weight.shape[0] ?? 1) * lastSize(x));
  const rows = autograd.cast(x, weight.dtype);
  const output = autograd.tensor([...x.shape.slice(0, -1), outFeatures], weight.dtype, [rows, weight]);
  autograd.record("grouped_mm", {
    reads: [rows, weight],
    outputs: [output],
    saves: [...weight.requiresGrad ? [rows] : [], ...rows.requiresGrad ? [weight] : []],
    gradients: [rows, weight].map(made),
    flopsPerSample: 2 * elements(output) * lastSize(x)
  });
  return bias === void 0 ? output : autograd.add(output, gathered2(autograd, bias, output.shape, experts), { inPlace: true });
}

// engine/estimate/kernels/every-expert.ts
function scoredRows(autograd, x, logits, perToken) {
  const [tokens = 0, count = 0] = logits.shape;
  const chosen = autograd.tensor([tokens, perToken], "int64", []);
  const best = autograd.tensor([tokens, perToken], logits.dtype, [logits]);
  autograd.record("topk", { reads: [logits], outputs: [best, chosen], saves: [chosen], gradients: [made(logits)] });
  const placed = autograd.tensor(logits.shape, logits.dtype, [best]);
  autograd.record("scatter", {
    reads: [best, chosen, logits],
    outputs: [placed],
    saves: [chosen],
    gradients: [made(best)]
  });
  const wide = autograd.elementwise("sigmoid", autograd.cast(placed, "float32"), { savesOutput: true });
  const scores = autograd.elementwise("clone", autograd.cast(wide, logits.dtype));
  const repeated2 = autograd.tensor([count * tokens, lastSize(x)], x.dtype, [x]);
  autograd.record("repeat", { reads: [x], outputs: [repeated2], gradients: [made(x)] });
  return autograd.multiply(repeated2, scores);
}
function expertProduct(autograd, rows, weight) {
  const [factor, matrix] = [autograd.lowered(rows), autograd.lowered(weight)];
  const output = autograd.tensor([...rows.shape.slice(0, -1), lastSize(weight)], factor.dtype, [factor, matrix]);
  autograd.record("bmm", {
    reads: [factor, matrix],
    outputs: [output],
    saves: [...matrix.requiresGrad ? [factor] : [], ...factor.requiresGrad ? [matrix] : []],
    gradients: [factor, matrix].map(made),
    flopsPerSample: 2 * elements(output) * lastSize(rows)
  });
  return output;
}
function summed2(autograd, results, x) {
  const output = autograd.tensor(x.shape, results.dtype, [results]);
  autograd.record("sum", { reads: [results], outputs: [output], gradients: [made(results)] });
  return output;
}
function oneByOne(autograd, rows, count, expert) {
  const own = [elements(rows) / count / lastSize(rows), lastSize(rows)];
  let all = autograd.tensor(rows.shape, rows.dtype, []);
  autograd.record("zeros", { reads: [], outputs: [all] });
  for (let index = 0; index < count; index++) {
    const input = { ...rows, shape: own, edge: autograd.newEdge() };
    autograd.record("select", { reads: [rows], outputs: [input], gradients: [made(rows)] });
    const result = expert(input, index);
    const joined = { ...all, requiresGrad: all.requiresGrad || result.requiresGrad, edge: autograd.newEdge() };
    autograd.record("copy slices", { reads: [all, result], outputs: [joined], gradients: [all, result].map(made) });
    all = joined;
  }
  return all;
}
function chosenRows(autograd, x, logits, perToken) {
  const [tokens = 0] = logits.shape;
  const wide = autograd.elementwise("sigmoid", autograd.cast(logits, "float32"), { savesOutput: true });
  const scores = autograd.cast(wide, logits.dtype);
  const chosen = autograd.tensor([tokens, perToken], "int64", []);
  const best = autograd.tensor([tokens, perToken], scores.dtype, [scores]);
  autograd.record("topk", { reads: [scores], outputs: [best, chosen], saves: [chosen], gradients: [made(scores)] });
  const order = autograd.tensor([tokens * perToken], "int64", []);
  autograd.record("sort", { reads: [chosen], outputs: [order] });
  const rowScores = gathered2(autograd, best, [tokens * perToken], order);
  return autograd.multiply(gathered2(autograd, x, [tokens * perToken, lastSize(x)], order), rowScores);
}

// engine/estimate/kernels/quantization.ts
function quantizedBytes(kind, count, rows) {
  switch (kind) {
    case "nf4":
      return { weights: count / 2, constants: count / NF4_BLOCK * bytesPerElement.float32 };
    case "nf4-double":
      return { weights: count / 2, constants: count / NF4_BLOCK };
    case "awq":
      return { weights: count / 2, constants: count / INT4_GROUP * INT4_CONSTANTS };
    case "gptq":
      return { weights: count / 2, constants: count / INT4_GROUP * INT4_CONSTANTS + count / rows * 4 };
    case "int8":
      return { weights: count, constants: rows * bytesPerElement.float32 };
  }
}
var NF4_BLOCK = 64;
var INT4_GROUP = 128;
var INT4_CONSTANTS = 2.5;

// engine/estimate/kernels/fake-quantization.ts
function fakeQuantized(autograd, x, groupSize) {
  const divided = multipliedByScale(autograd, x, groupSize);
  const rounded = passing(autograd, "round", divided);
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
function passing(autograd, name, x) {
  const output = autograd.tensor(x.shape, x.dtype, [x], x);
  autograd.record(name, { reads: [x], outputs: [output], gradients: [{ to: x, passes: true }] });
  return output;
}
function fourBitBytes(count, groupSize) {
  return count / 2 + count / groupSize;
}
function fourBitProduct(autograd, name, x, weight, groupSize) {
  const [outFeatures = 1] = weight.shape;
  const output = autograd.tensor([...x.shape.slice(0, -1), outFeatures], x.dtype, [x, weight]);
  const kept = [x, weight].map(
    (factor) => autograd.storage(fourBitBytes(elements(factor), groupSize), "bool", factor.batched)
  );
  autograd.record(name, {
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

// engine/estimate/kernels/composed-ops.ts
function composedLayerNorm(autograd, x, weight) {
  const wide = autograd.cast(x, "float32");
  const mean = rowMean(autograd, wide);
  const variance = rowMean(autograd, autograd.power(difference(autograd, wide, mean)));
  const scale = autograd.elementwise("rsqrt", variance, { savesOutput: true });
  const normalised = autograd.multiply(difference(autograd, wide, mean), scale);
  return autograd.cast(autograd.multiply(autograd.cast(weight, "float32"), normalised), x.dtype);
}
function xielu(autograd, x, slopes) {
  const [positive2, negative] = slopes.map((slope) => autograd.elementwise("softplus", slope, { saves: [slope] }));
  const linear = () => autograd.elementwise("mul", x);
  const rising = autograd.add(autograd.multiply(autograd.multiply(positive2, x), x), linear());
  const least = autograd.elementwise("minimum", x, { saves: [x] });
  const exponential = autograd.elementwise("expm1", least, { savesOutput: true });
  const falling = autograd.add(autograd.multiply(difference(autograd, exponential, x), negative), linear());
  const output = autograd.tensor(x.shape, x.dtype, [rising, falling], x);
  const isPositive = autograd.storage(elements(x), "bool", x.batched);
  const parts = [rising, falling];
  autograd.record("where", { reads: parts, outputs: [output], saved: [isPositive], gradients: parts.map(made) });
  return output;
}
function rowMean(autograd, x) {
  const output = autograd.tensor([...x.shape.slice(0, -1), 1], x.dtype, [x], x);
  autograd.record("mean", { reads: [x], outputs: [output], gradients: [made(x)] });
  return output;
}
function difference(autograd, x, y) {
  const output = autograd.tensor(x.shape, x.dtype, [x, y], x);
  autograd.record("sub", { reads: [x, y], outputs: [output], gradients: [{ to: x, passes: true }, made(y)] });
  return output;
}

// engine/estimate/layers/batch.ts
var Batch = class extends Autograd {
  batchInput;
  labels;
  #pixels;
  constructor(spec, device) {
    super(spec, device);
    const isImage = isOfImages(spec.task);
    const imageSize = spec.imageSize ?? 0;
    const inputShape = isImage ? [3, imageSize, imageSize] : [spec.sequenceLength ?? 0];
    const labelShape = spec.task === "seq2seq-lm" ? [spec.targetLength ?? spec.sequenceLength ?? 0] : inputShape;
    const perToken = ["causal-lm", "masked-lm", "seq2seq-lm"].includes(spec.task);
    this.batchInput = this.#batchTensor(inputShape, isImage ? this.weightDtype : "int64");
    this.labels = this.#batchTensor(perToken ? labelShape : [], "int64");
    if (this.isPadded) this.#batchTensor(inputShape, "int64");
  }
  pixels(y, x) {
    if (this.spec.images === void 0) return this.tensor([3, y, x], this.weightDtype, []);
    this.#pixels ??= this.#batchTensor([3, y, x], this.weightDtype);
    const { lora, gradientCheckpointing } = this.spec;
    return { ...this.#pixels, requiresGrad: lora !== void 0 && gradientCheckpointing && this.training };
  }
  get input() {
    const tokens = this.pass?.sequences?.tokens ?? stridedTokens(this.spec);
    return tokens === void 0 ? this.batchInput : this.tensor([tokens], "int64", []);
  }
  #batchTensor(shape, dtype) {
    const tensor = this.tensor(shape, dtype, []);
    tensor.storage.kind = "inputs";
    this.batch.push(tensor.storage);
    return tensor;
  }
};

// engine/estimate/layers/blocks.ts
var Blocks = class extends Batch {
  /** The input of each block: the hidden states that `output_hidden_states` would return. */
  blockInputs = [];
  /** Tensors that local variables of the running block reference. */
  locals = [];
  /** What the running block passes on. */
  #handedOn = [];
  local(x) {
    this.locals.push(x);
    return x;
  }
  handOn(states) {
    this.#handedOn.push(...states);
  }
  withInputGradients(x) {
    const { lora, gradientCheckpointing } = this.spec;
    const isWanted = lora !== void 0 && gradientCheckpointing && this.training && this.pass === void 0;
    if (!isWanted) return x;
    const leaf = { ...x, requiresGrad: true, edge: this.newEdge() };
    this.record("input gradients", { reads: [x], outputs: [leaf], saves: [leaf] });
    return leaf;
  }
  frame(x, body) {
    const caller = this.locals;
    this.locals = [x];
    const output = body(x);
    this.record("return", { reads: this.locals, outputs: [] });
    this.locals = caller;
    return output;
  }
  block(x, body, shared = []) {
    this.blockInputs.push(x);
    const isRecomputed = this.spec.gradientCheckpointing && this.training && this.pass === void 0;
    const { inputGradients = isRecomputed } = this.spec.trainable ?? {};
    const input = inputGradients && this.pass === void 0 ? { ...x, requiresGrad: true } : x;
    if (!isRecomputed) return this.frame(input, body);
    const outer = this.nodes;
    const castOutside = new Map(this.castWeights);
    this.nodes = [];
    this.#handedOn = [];
    const output = this.frame(input, body);
    const inputs = [x, ...shared].map((tensor) => tensor.storage);
    const retains = savedOnTheWayTo(this.#handedOn, this.nodes);
    const block2 = { ...emptyNode, reads: inputs, saves: inputs, outputs: [output], body: this.nodes, retains };
    outer.push(...inputGradients || trainsSomething(this.nodes) ? [block2] : this.nodes);
    this.nodes = outer;
    this.castWeights = castOutside;
    return output;
  }
};
function savedOnTheWayTo(tensors, nodes) {
  const reached = new Set(tensors.map((tensor) => tensor.storage));
  return nodes.toReversed().flatMap(({ outputs, gradients, saves }) => {
    if (!outputs.some((output) => reached.has(output.storage))) return [];
    for (const { to } of gradients) reached.add(to.storage);
    return saves.filter((storage) => !storage.persistent);
  });
}
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
  productElements: 0,
  computeDtype: "float32"
};
function trainsSomething(nodes) {
  return nodes.some(({ gradients }) => gradients.some(({ to }) => to.storage.persistent));
}

// engine/estimate/layers/weights.ts
var Weights = class extends Blocks {
  /** Weights that train on images or audio among the tokens. */
  towers = [];
  #trainedNames = (this.spec.trainable?.names ?? []).flatMap((name) => parameterPattern(name) ?? []);
  idle(features, body) {
    const [nodes, known] = [this.nodes, new Set(this.parameters.keys())];
    this.nodes = [];
    body(this.tensor([1, features], this.weightDtype, []));
    this.nodes = nodes;
    for (const [name, parameter] of this.parameters) {
      if (known.has(name)) continue;
      if (this.spec.trainsTowers && parameter.requiresGrad) this.towers.push(parameter);
      else this.parameters.set(name, { ...parameter, requiresGrad: false });
    }
  }
  /** int64 constants that the module registers as buffers. */
  positionIds(count) {
    this.buffer("position_ids", count * bytesPerElement.int64);
  }
  constant(name, features) {
    const storage = this.buffer(name, features * bytesPerElement[this.weightDtype]);
    return {
      storage,
      shape: [features],
      batched: false,
      dtype: this.weightDtype,
      requiresGrad: false,
      edge: this.newEdge()
    };
  }
  /** peft utils/other.py ModulesToSaveWrapper: a trainable copy of a module is used, and the original is kept. */
  savedWhole(name, shape, original = `${name}.weight`) {
    const isSaved = this.spec.lora?.modulesToSave?.includes(name.slice(name.lastIndexOf(".") + 1)) ?? false;
    if (!isSaved || this.pass !== void 0 && this.pass.of !== "policy") return void 0;
    this.weight(original, shape);
    return this.parameter(`${name}.modules_to_save.default.weight`, shape, { trainable: true });
  }
  weight(name, shape) {
    const trainable = this.spec.lora === void 0 && this.isTrained(name);
    return this.parameter(name, shape, { trainable, ...!trainable && this.#frozen });
  }
  isTrained(name) {
    return this.spec.trainable === void 0 || this.#trainedNames.some((pattern) => pattern.test(name));
  }
  /** LLaMA-Factory model/adapter.py: weights are loaded in the compute type, and made float32 if they train. */
  get #frozen() {
    const { trainable, loop } = this.spec;
    const isPart2 = trainable !== void 0 && loop !== "ultralytics" && this.pass?.of !== "copy";
    return isPart2 && this.autocastDtype !== void 0 ? { dtype: this.autocastDtype } : {};
  }
  isPolicy() {
    return this.pass === void 0 || this.pass.of === "policy";
  }
};

// engine/estimate/layers/pointwise.ts
var Pointwise = class extends Weights {
  layerNorm(name, x, { isLowered = false, bias = true } = {}) {
    const parts = bias ? ["weight", "bias"] : ["weight"];
    const parameters = parts.map((part2) => this.weight(`${name}.${part2}`, [lastSize(x)]));
    const wide = isLowered ? this.lowered(x) : this.raised(x);
    const output = this.tensor(wide.shape, wide.dtype, [wide, ...parameters], wide);
    const rows = elements(wide) / lastSize(wide);
    const statistics = [this.storage(rows, "float32", wide.batched), this.storage(rows, "float32", wide.batched)];
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
    const normalised = this.#unitRows(x, options.size, options.scalesInput ?? false);
    if (options.isUnweighted) return this.cast(normalised, x.dtype);
    const weight = this.weight(`${name}.weight`, [options.size]);
    if (!options.scalesInFloat32) return this.multiply(weight, this.cast(normalised, x.dtype));
    const factor = options.aroundOne ? this.elementwise("add", this.cast(weight, "float32")) : weight;
    return this.cast(this.multiply(normalised, factor), x.dtype);
  }
  composedLayerNorm(name, x) {
    return composedLayerNorm(this, x, this.weight(`${name}.weight`, [lastSize(x)]));
  }
  residual(x, skip, options = {}) {
    this.locals.push(x, skip);
    return this.add(x, skip, options);
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
  xielu(name, x) {
    const slopes = ["alpha_p", "alpha_n"].map((part2) => this.weight(`${name}.${part2}`, [1]));
    return xielu(this, x, slopes);
  }
  scale(x, { inPlace = false } = {}) {
    if (inPlace) return this.#scaledInPlace(x);
    const output = this.elementwise("mul", x);
    if (this.headsFirst.has(x.storage)) this.headsFirst.add(output.storage);
    return output;
  }
  tanhGate(name, x) {
    return this.multiply(this.tanh(this.weight(name, [1])), x);
  }
  mask(rows, columns) {
    const mask = this.tensor([rows, columns], this.autocastDtype ?? this.weightDtype, []);
    this.record("mask", { reads: [], outputs: [mask] });
    return mask;
  }
  padded(x, rows) {
    const output = this.tensor([rows, ...x.shape.slice(1)], x.dtype, [x]);
    this.record("pad", { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  joined(parts, rows) {
    const [first, ...others] = parts.map((part2) => this.#firstRows(part2, rows));
    if (first === void 0) throw new Error("nothing to join");
    return this.concatenate([first, this.concatenate(others)]);
  }
  float32(x) {
    return this.cast(x, "float32");
  }
  softcap(logits) {
    return [this.scale, this.tanh, this.scale].reduce((x, op) => this.markLogits(op.call(this, x)), logits);
  }
  dropPath(x, probability) {
    if (!this.training || probability === 0) return x;
    const kept = this.tensor([], x.dtype, []);
    this.record("floor", { reads: [], outputs: [kept] });
    return this.multiply(this.elementwise("div", x), kept);
  }
  layerScale(name, x) {
    return this.multiply(this.weight(name, [lastSize(x)]), x);
  }
  split(x, sizes) {
    const outputs = sizes.map((size) => ({ ...x, shape: [...x.shape.slice(0, -1), size], edge: this.newEdge() }));
    this.record("split", { reads: [x], outputs, gradients: [made(x)] });
    return outputs;
  }
  slices(x, sizes) {
    return sizes.map((size) => this.slice(x, size));
  }
  gathered(x) {
    return this.elementwise("clone", x);
  }
  repeatHeads(x, times) {
    const output = this.tensor([...x.shape.slice(0, -1), lastSize(x) * times], x.dtype, [x]);
    this.record("expand", { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  headsJoined(own, other, sharedBy = 1) {
    const features = lastSize(own) + lastSize(other) * sharedBy;
    const output = this.tensor([...own.shape.slice(0, -1), features], own.dtype, [own, other]);
    const backwardScratch = sharedBy > 1 ? [this.like(output, "temporaries")] : [];
    this.record("cat", { reads: [own, other], outputs: [output], gradients: [own, other].map(made), backwardScratch });
    this.headsFirst.add(output.storage);
    return output;
  }
  gatedNorm(name, x, gate, size) {
    const weight = this.cast(this.weight(`${name}.weight`, [size]), "float32");
    const weighted = this.multiply(weight, this.#unitRows(x, size, false));
    return this.cast(this.multiply(weighted, this.sigmoid(this.cast(gate, "float32"))), x.dtype);
  }
  gatedInFloat32(x, gate) {
    return this.cast(this.multiply(x, this.silu(this.cast(gate, "float32"))), x.dtype);
  }
  markLogits(logits) {
    logits.storage.kind = "logits";
    return logits;
  }
  #firstRows(x, rows) {
    const output = { ...x, shape: [rows, ...x.shape.slice(1)], edge: this.newEdge() };
    this.record("slice", { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  #scaledInPlace(x) {
    const output = { ...x, edge: this.newEdge() };
    this.record("mul_", { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  #unitRows(x, size, scalesInput) {
    const wide = this.cast(x, "float32");
    const rows = [...x.shape.slice(0, -1), lastSize(x) / size];
    const squares = this.power(wide);
    const mean = this.tensor(rows, "float32", [squares], x);
    this.record("mean", { reads: [squares], outputs: [mean], gradients: [made(squares)] });
    const scale = this.elementwise("rsqrt", mean, { savesOutput: true });
    return this.multiply(scalesInput ? x : wide, scale);
  }
};

// engine/estimate/layers/linears.ts
var INT32_BYTES = 4;
var Linears = class extends Pointwise {
  /** Last names of the linear modules seen so far: what adapters can target. */
  linearNames = /* @__PURE__ */ new Set();
  expertNames;
  /** The last hidden states, once a decoder has computed its logits. */
  outputLayerInput;
  #gatheredTokens;
  /** `expertNames`: the targets that put adapters on the model's experts. */
  constructor(spec, device, expertNames) {
    super(spec, device);
    this.expertNames = expertNames;
  }
  embedding(name, ids, count, features) {
    const { gpus: gpus2 = 1, dividesTokens = false } = this.spec.tensorParallel ?? {};
    const shape = [dividesTokens ? count / gpus2 : count, features];
    const table2 = this.savedWhole(name, shape) ?? this.weight(`${name}.weight`, shape);
    const output = this.tensor([...ids.shape, features], table2.dtype, [table2], ids);
    this.record(name, { reads: [ids], outputs: [output], saves: [ids], gradients: [made(table2)] });
    return ids === this.batchInput ? this.#ownTokens(this.#amongWords(output)) : output;
  }
  /** transformers: `masked_scatter` of the towers' outputs into the embeddings, through which their weights' gradients flow. */
  #amongWords(words3) {
    const towers = this.towers;
    if (towers.length === 0) return words3;
    this.towers = [];
    const output = this.tensor(words3.shape, words3.dtype, [words3, ...towers]);
    this.record("masked_scatter", { reads: [words3], outputs: [output], gradients: [words3, ...towers].map(made) });
    return output;
  }
  constantEmbedding(name, count, features, rows) {
    const ids = this.tensor([rows], "int64", [], { batched: false });
    this.record(name, { reads: [], outputs: [ids] });
    return this.embedding(name, ids, count, features);
  }
  linear(name, states, features, options = {}) {
    const isDivided = this.#isOutputLayer(name) && options.tiedTo === void 0;
    const outFeatures = features / (isDivided ? this.spec.tensorParallel?.gpus ?? 1 : 1);
    const isSum = /(?:o_proj|down_proj)$/.test(name);
    const output = this.#linearPart(name, isSum ? states : this.#allTokens(states), outFeatures, options);
    if (isSum) return this.#ownTokens(output);
    return outFeatures === features || this.spec.fusedLoss ? output : this.#exchanged("all_gather", output, [...output.shape.slice(0, -1), features]);
  }
  /** Tokens whose residuals this GPU holds. */
  get #heldTokens() {
    const [tokens = 1] = this.input.shape;
    const { gpus: gpus2 = 1, dividesTokens = false } = this.spec.tensorParallel ?? {};
    return dividesTokens ? Math.ceil(tokens / gpus2) : tokens;
  }
  /** torch: distributed/tensor/parallel/style.py PrepareModuleInput: a module's layers share the gathered input. */
  #allTokens(x) {
    const [tokens = 1] = this.input.shape;
    if (x.shape[0] === tokens || x.shape[0] !== this.#heldTokens) return x;
    const known = this.#gatheredTokens;
    const whole2 = known?.of === x ? known.whole : this.#exchanged("all_gather", x, [tokens, ...x.shape.slice(1)]);
    this.#gatheredTokens = { of: x, whole: whole2 };
    return whole2;
  }
  #ownTokens(x) {
    const [tokens = 1] = this.input.shape;
    if (x.shape[0] !== tokens || this.#heldTokens === tokens) return x;
    return this.#exchanged("reduce_scatter", x, [this.#heldTokens, ...x.shape.slice(1)]);
  }
  /** All-gather or reduce-scatter into a new tensor; its gradient goes through the opposite operation. */
  #exchanged(name, x, shape) {
    const output = this.tensor(shape, x.dtype, [x]);
    this.record(name, { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  #linearPart(name, states, outFeatures, options) {
    const x = this.#isOutputLayer(name) ? this.#asked(states) : states;
    if (this.#isOutputLayer(name)) this.outputLayerInput = x;
    if (this.spec.method?.kind === "strided" && this.pass === void 0 && this.#isOutputLayer(name)) {
      return chunkedLogProbabilities(
        this,
        name,
        x,
        this.weight(options.tiedTo ?? `${name}.weight`, [outFeatures, lastSize(x)])
      );
    }
    if (this.spec.fusedLoss && this.#isOutputLayer(name)) return this.#fusedLoss(name, x, outFeatures, options.tiedTo);
    const { lora } = this.spec;
    return lora !== void 0 && this.isAdapted(name) ? this.#adapted(name, x, outFeatures, options, lora) : this.#ownLinear(name, x, outFeatures, options);
  }
  #ownLinear(name, x, outFeatures, options) {
    return this.#isQuantized(name, options) ? this.#quantizedLinear(name, x, outFeatures, options) : this.#denseLinear(name, x, outFeatures, options);
  }
  #denseLinear(name, x, outFeatures, options) {
    const cache = !options.composed;
    const shape = [outFeatures, lastSize(x)];
    const original = options.tiedTo ?? `${name}.weight`;
    const parameter = this.savedWhole(name, shape, original) ?? this.weight(original, shape);
    const bias = options.bias === false ? [] : [this.weight(`${name}.bias`, [outFeatures])];
    const groupSize = this.#roundingGroup(name, x, options);
    const format = this.spec.fakeQuantization?.format;
    if (groupSize !== void 0 && format !== void 0) return fourBitProduct(this, name, x, parameter, groupSize);
    const weight = groupSize === void 0 ? this.lowered(parameter, { cache }) : fakeQuantized(this, parameter, groupSize);
    const fused = options.composed ? [] : bias.map((part2) => this.lowered(part2));
    const factor = groupSize === void 0 ? this.lowered(options.castsInput ? this.cast(x, this.weightDtype) : x) : fakeQuantized(this, x, lastSize(x));
    const output = this.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, weight, ...fused]);
    this.record(name, matrixProduct(factor, weight, fused, output, lastSize(x)));
    return options.composed ? bias.reduce((sum2, part2) => this.add(sum2, part2), output) : output;
  }
  /** torchao's quantizers skip tied output layers and widths that are not a multiple of the group; torchtune's LoRA recipe skips layers without adapters. */
  #roundingGroup(name, x, { tiedTo }) {
    const { fakeQuantization, lora } = this.spec;
    if (fakeQuantization === void 0 || tiedTo !== void 0) return void 0;
    const isMeant = lora === void 0 || this.isAdapted(name);
    return isMeant && lastSize(x) % fakeQuantization.groupSize === 0 ? fakeQuantization.groupSize : void 0;
  }
  /**
   * Liger's ops/fused_linear_cross_entropy.py: computes the gradients of its input and of the weight while it goes through the
   * logits in chunks of about the input's size, and keeps those gradients instead.
   */
  #fusedLoss(name, x, outFeatures, tiedTo) {
    const weight = this.weight(tiedTo ?? `${name}.weight`, [outFeatures, lastSize(x)]);
    const factor = this.lowered(x);
    const loss = this.tensor([], "float32", [x, weight], { batched: false });
    this.record(name, {
      reads: [factor, weight],
      outputs: [loss],
      saved: [this.like(factor, "logits"), ...weight.requiresGrad ? [this.like(weight, "logits")] : []],
      scratch: [this.like(factor, "logits"), this.storage(elements(factor), "float32", true, "logits")],
      gradients: [factor, weight].map(made),
      flopsPerSample: 2 * elements(x) * outFeatures,
      productElements: elements(x) / lastSize(x) * outFeatures,
      computeDtype: factor.dtype
    });
    return loss;
  }
  /** transformers `logits_to_keep`: a view of the last positions. */
  #asked(states) {
    const { method } = this.spec;
    const positions = this.pass?.sequences?.logitsOf ?? (method?.kind === "answers" ? method.answerLength + 1 : void 0);
    const [tokens = 0] = states.shape;
    if (positions === void 0 || positions >= tokens) return states;
    const output = { ...states, shape: [positions, lastSize(states)], edge: this.newEdge() };
    this.record("slice", { reads: [states], outputs: [output], gradients: [made(states)] });
    return output;
  }
  #isOutputLayer(name) {
    return this.spec.task === "causal-lm" && (name === "lm_head" || name === "embed_out");
  }
  /** bitsandbytes skips the output layer; torchtune's builders skip the attention of a part without adapters. */
  #isQuantized(name, { isQuantizable = false } = {}) {
    if (name.includes("_attn.") && !this.isTrained(name)) return false;
    return this.spec.quantization !== void 0 && (isQuantizable || !this.#isOutputLayer(name)) && name !== "score";
  }
  /**
   * bitsandbytes: autograd/_functions.py. MatMul4Bit computes in 16 bits, dequantises the matrix for each call, forward and
   * backward, and saves no input. MatMul8bitLt computes in the type of its input, which it keeps as an attribute, out of
   * checkpointing's sight; it quantises the input for an int32 product, and dequantises the matrix for the backward only.
   */
  #quantizedLinear(name, x, outFeatures, options) {
    const { quantization = "nf4" } = this.spec;
    const count = outFeatures * lastSize(x);
    const { weights, constants } = quantizedBytes(quantization, count, outFeatures);
    this.buffer(`${name}.weight`, weights);
    this.buffer(`${name}.weight.quant_state`, constants);
    const bias = options.bias === false ? [] : [this.weight(`${name}.bias`, [outFeatures])];
    if (quantization === "gptq") return this.#dequantisedProduct(name, x, outFeatures, bias);
    const isInt8 = quantization === "int8";
    const factor = isInt8 ? x : this.cast(x, "bfloat16");
    const output = this.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, ...bias]);
    const dequantised = this.fixed(count * bytesPerElement[factor.dtype], "temporaries");
    const product = this.storage(elements(factor) + elements(output) * INT32_BYTES, "bool", true, "temporaries");
    this.record(name, {
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
  /** gptqmodel nn_modules/qlinear/torch.py, its kernel for training: an ordinary product, which keeps the dequantised matrix. */
  #dequantisedProduct(name, x, outFeatures, bias) {
    const factor = this.cast(x, "bfloat16");
    const whole2 = this.tensor([outFeatures, lastSize(x)], factor.dtype, [], { batched: false });
    this.record("dequantise", { reads: [], outputs: [whole2], scratch: [this.like(whole2, "temporaries")] });
    const output = this.tensor([...x.shape.slice(0, -1), outFeatures], factor.dtype, [factor, ...bias]);
    this.record(name, matrixProduct(factor, whole2, bias, output, lastSize(x)));
    return this.cast(output, x.dtype);
  }
  isAdapted(name) {
    const module = name.slice(name.lastIndexOf(".") + 1);
    this.linearNames.add(module);
    const ofExperts = this.expertNames;
    if (ofExperts !== void 0 && [...ofExperts.up, ofExperts.down, ofExperts.router].includes(module)) return false;
    return this.isPolicy() && this.isTrained(name) && (this.spec.lora?.targets.includes(module) ?? false);
  }
  #adapted(name, x, outFeatures, options, adapters) {
    if (adapters.form === "oft") {
      const turned = (input) => turnedInput(this, name, input, adapters);
      return this.frame(x, (input) => this.cast(this.#ownLinear(name, turned(input), outFeatures, options), x.dtype));
    }
    const base = this.#ownLinear(name, x, outFeatures, options);
    if (adapters.form === void 0) return this.frame(x, (input) => withLowRank(this, name, input, base, adapters));
    const weight = this.#isQuantized(name) ? void 0 : this.weight(`${name}.weight`, [outFeatures, lastSize(x)]);
    const bias = options.bias === false ? void 0 : this.weight(`${name}.bias`, [outFeatures]);
    return this.frame(x, (input) => withMagnitude(this, name, input, { base, weight, bias }, adapters));
  }
};

// engine/estimate/layers/experts.ts
var Experts = class extends Linears {
  routed(name, states, options) {
    const x = this.spec.expertStyle === "ktransformers" ? { ...states, requiresGrad: false } : states;
    const { linear, expertScale, count } = options;
    const logits = linear === void 0 ? routerLogits(this, x, this.#routerParameters(name, x, options), options) : this.linear(`${name}.${linear}`, x, count, { bias: false });
    const scale = expertScale === void 0 ? void 0 : this.weight(`${name}.${expertScale}`, [count]);
    return bestExperts(this, logits, options, scale);
  }
  experts(name, x, [weights, chosen], { count, inner, hasBias = false, isGated = true }, gate) {
    if (this.spec.expertStyle === "ktransformers") return this.#onHost(name, x);
    const held = count / (this.spec.expertParallel ?? 1);
    const hidden = lastSize(x);
    const joined = isGated ? 2 * inner : inner;
    const up = isGated ? "gate_up_proj" : "up_proj";
    const bias = (part2, features) => this.weight(`${name}.${part2}_bias`, [count, features]);
    const names2 = this.expertNames;
    const matrices = {
      up: this.#expertMatrix(`${name}.${up}`, [held, joined, hidden], names2?.up),
      down: this.#expertMatrix(`${name}.down_proj`, [held, hidden, inner], names2 && [names2.down])
    };
    const { output, locals } = groupedExperts(
      this,
      x,
      { weights, chosen },
      {
        ...matrices,
        upFactors: this.#expertFactors(`${name}.${up}`, matrices.up),
        downFactors: this.#expertFactors(`${name}.down_proj`, matrices.down),
        ...hasBias && { upBias: bias(up, joined), downBias: bias("down_proj", hidden) }
      },
      gate
    );
    this.locals.push(...locals, matrices.up, matrices.down);
    return output;
  }
  /** `names`: the targets that together put adapters on it, with their ranks added up. */
  #expertMatrix(name, shape, names2 = []) {
    const matrix = this.#expertWeight(name, shape);
    const { rank = 0, targets = [] } = this.spec.lora ?? {};
    for (const adapted of names2) this.linearNames.add(adapted);
    const isAdapted = names2.length > 0 && this.isPolicy() && names2.every((adapted) => targets.includes(adapted));
    if (isAdapted) return withLowRankMatrices(this, name, matrix, rank * names2.length);
    const isMerged = this.#hasParameterAdapter(name) && this.spec.expertStyle !== "axolotl-kernels";
    return isMerged ? withLowRankMatrices(this, name, matrix, rank) : matrix;
  }
  /** Adapters of experts' matrices that stay separate products. */
  #expertFactors(name, matrix) {
    const { expertStyle, lora } = this.spec;
    const isApart = expertStyle === "axolotl-kernels" && this.#hasParameterAdapter(name);
    return isApart ? lowRankFactors(this, name, matrix, lora?.rank ?? 0) : void 0;
  }
  #hasParameterAdapter(name) {
    const part2 = name.slice(name.lastIndexOf(".") + 1);
    const { parameters } = this.spec.lora ?? {};
    if (parameters !== void 0) this.linearNames.add(part2);
    return this.isPolicy() && (parameters?.includes(part2) ?? false);
  }
  /** kt-kernel sft/autograd.py KTMoEFunction: nothing is kept on the GPU; the output is as large as the input. */
  #onHost(name, x) {
    const output = this.tensor(x.shape, x.dtype, [x]);
    this.record(name, { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  everyExpert(name, x, { count, perToken, inner }, gate, shared) {
    const router = { count, perToken, scoring: "sigmoid" };
    const logits = routerLogits(this, x, this.#routerParameters(`${name}.router`, x, router), router);
    if (this.spec.expertStyle === "torchtune") {
      const rows2 = chosenRows(this, x, logits, perToken);
      const results2 = this.frame(rows2, (input) => this.#chosenExperts(`${name}.experts`, input, count, inner));
      return this.residual(shared(), results2);
    }
    const rows = scoredRows(this, x, logits, perToken);
    const results = this.frame(rows, (scored2) => {
      if (this.spec.expertStyle === "axolotl-linear") {
        const project = (part2, index, input, to) => this.linear(`${name}.experts.${part2}.${index}`, input, to, { bias: false });
        return oneByOne(this, scored2, count, (input, index) => {
          const activated = this.silu(project("gate_projs", index, input, inner));
          const product = this.multiply(project("up_projs", index, input, inner), activated);
          return project("down_projs", index, product, lastSize(x));
        });
      }
      const weight = (part2, from, to) => this.#expertWeight(`${name}.experts.${part2}`, [count, from, to]);
      const up = weight("gate_up_proj", lastSize(x), 2 * inner);
      const joined = expertProduct(this, scored2, up);
      const gated = gate(joined);
      const down = weight("down_proj", inner, lastSize(x));
      const output = expertProduct(this, gated, down);
      this.record("return", { reads: [joined, up, down], outputs: [] });
      return output;
    });
    this.locals.push(logits, rows, results);
    return this.residual(shared(), summed2(this, results, x), { inPlace: true });
  }
  /** torchtune modules/moe/experts.py LoRAGroupedExperts: one matrix per part for all experts, and one pair of adapters. */
  #chosenExperts(name, rows, count, inner) {
    const project = (part2, input, to) => {
      const product = (weight, from) => expertProduct(this, from, weight);
      const base = product(this.weight(`${name}.${part2}`, [count, lastSize(input), to]), input);
      const { rank } = this.spec.lora ?? {};
      if (rank === void 0 || !this.isAdapted(`${name}.${part2}`)) return base;
      const adapter = (pair, from, onto) => this.parameter(`${name}.lora_${part2}_${pair}`, [count, from, onto], { trainable: true });
      const narrow = product(adapter("a", lastSize(input), rank), input);
      return this.add(base, this.scale(product(adapter("b", rank, to), narrow)));
    };
    const activated = this.silu(project("gate_proj", rows, inner));
    const output = project("down_proj", this.multiply(activated, project("up_proj", rows, inner)), lastSize(rows));
    return this.gathered(output);
  }
  /**
   * bitsandbytes nn/parametrize.py: quantised parameters that are no linear layer's are dequantised whole when they are asked for,
   * and cached until their module returns. What was dequantised is what the products save.
   */
  #expertWeight(name, shape) {
    const { quantization, quantizedExperts } = this.spec;
    if (quantization === void 0 || !quantizedExperts) return this.weight(name, shape);
    const count = elements({ shape });
    const { weights, constants } = quantizedBytes(quantization, count, count / (shape.at(-1) ?? 1));
    this.buffer(name, weights);
    this.buffer(`${name}.quant_state`, constants);
    const dequantised = this.tensor(shape, this.weightDtype, [], { batched: false });
    this.record("dequantise", { reads: [], outputs: [dequantised] });
    return dequantised;
  }
  #routerParameters(name, x, { count, hasBias }) {
    const weight = this.weight(`${name}.weight`, [count, lastSize(x)]);
    return hasBias ? { weight, bias: this.weight(`${name}.bias`, [count]) } : { weight };
  }
};

// engine/estimate/layers/mixers.ts
var Mixers = class extends Experts {
  rotaryTable(x, size, positions = 0) {
    if (this.spec.expertStyle === "torchtune" && this.wholeBuffers.length === 0) {
      this.wholeBuffers.push(this.persistent(positions * size * bytesPerElement.float32));
    }
    const [tokens = 0] = x.shape;
    const table2 = [0, 1].map(() => this.tensor([tokens, size], x.dtype, [], { batched: false }));
    this.record("rotary table", { reads: [], outputs: table2 });
    return table2;
  }
  rotary(x, [cos, sin], heads, { inFloat32 = false, isComplex = false, alwaysJoins = false } = {}) {
    if (isComplex) return this.cast(this.scale(this.cast(x, "float32")), x.dtype);
    if (inFloat32) return this.cast(this.#rotated(this.cast(x, "float32"), cos, sin), x.dtype);
    const rotated = lastSize(cos) * heads;
    const isWhole = rotated === lastSize(x);
    if (isWhole && !alwaysJoins) return this.#rotated(x, cos, sin);
    const [turning, resting] = [this.slice(x, rotated), this.slice(x, lastSize(x) - rotated)];
    const output = this.concatenate([this.#rotated(turning, cos, sin), ...isWhole ? [] : [resting]]);
    this.headsFirst.add(output.storage);
    return output;
  }
  cached(x, window) {
    const cache = this.pass?.sequences?.cache;
    if (cache !== void 0) return cache.grown(this, x, window);
    if (this.spec.loop === "trainer" || this.training && this.spec.gradientCheckpointing) return x;
    const output = this.concatenate([x]);
    this.held.push(output.storage);
    return output;
  }
  attention(q, k, v, shape, bias) {
    const sinks = shape.sinks === void 0 ? void 0 : this.weight(shape.sinks, [shape.heads]);
    const options = { keyValueHeads: shape.heads, castsSoftmax: false, ...shape, bias, sinks };
    const kernel = this.pass?.sequences?.attention?.kernel ?? this.spec.attention;
    if (kernel !== "eager" && !shape.inFloat32) return fusedAttention(this, q, k, v, options);
    const { output, weights } = eagerAttention(this, q, k, v, options);
    this.locals.push(weights);
    return output;
  }
  causalConvolution(name, x, { kernel, bias = false }) {
    const [tokens = 0] = x.shape;
    const weight = this.lowered(this.weight(`${name}.weight`, [lastSize(x), 1, kernel]));
    const added = bias ? [this.lowered(this.weight(`${name}.bias`, [lastSize(x)]))] : [];
    const factor = this.lowered(x);
    const padded = this.tensor([tokens + kernel - 1, lastSize(x)], factor.dtype, [factor, weight, ...added]);
    this.record(name, { ...matrixProduct(factor, weight, added, padded, kernel), saves: [factor, weight] });
    const output = { ...padded, shape: x.shape, edge: this.newEdge() };
    this.record("slice", { reads: [padded], outputs: [output], gradients: [made(padded)] });
    return output;
  }
  gatedDeltaRule(name, [query, key, value], { a, b, heads }) {
    const [bias, rates] = ["dt_bias", "A_log"].map((part2) => this.weight(`${name}.${part2}`, [heads]));
    const shifted2 = this.add(this.cast(a, "float32"), bias);
    const decay = this.multiply(
      this.elementwise("softplus", shifted2, { saves: [shifted2] }),
      this.cast(rates, "float32")
    );
    return gatedDeltaRule(this, { query, key, value, decay, beta: this.sigmoid(b), heads });
  }
  fusedConvolution(name, x, kernel, { bias }) {
    const weight = this.weight(`${name}.weight`, [lastSize(x), 1, kernel]);
    return fusedConvolution(this, name, x, [weight, ...bias ? [this.weight(`${name}.bias`, [lastSize(x)])] : []]);
  }
  selectiveScan(name, scan) {
    const channels = lastSize(scan.states);
    return selectiveScan(this, scan, {
      rates: this.weight(`${name}.A_log`, [channels, lastSize(scan.input)]),
      skip: this.weight(`${name}.D`, [channels]),
      bias: this.weight(`${name}.dt_proj.bias`, [channels])
    });
  }
  mamba2(name, projected, shape) {
    const weight = (part2, sizes) => this.weight(`${name}.${part2}`, sizes);
    const isFused = this.training && (this.spec.loop === "trainer" || this.spec.gradientCheckpointing);
    return isFused ? fusedMamba2(this, projected, shape, weight) : composedMamba2(this, name, projected, shape, weight);
  }
  chooseKeys(name, x, { heads, size, queryRank }) {
    const linear = (part2, states, features) => this.linear(`${name}.${part2}`, states, features, { bias: false });
    this.idle(queryRank, (narrow) => linear("wq_b", narrow, heads * size));
    this.idle(lastSize(x), (states) => this.layerNorm(`${name}.k_norm`, linear("wk", states, size)));
    this.idle(lastSize(x), (states) => linear("weights_proj", states, heads));
    const [tokens = 0] = x.shape;
    const scores = this.storage(tokens * tokens * (heads + size), "float32", true, "temporaries");
    const query = (dtype) => this.storage(tokens * heads * size, dtype, true, "temporaries");
    const queries = [query("float32"), query(x.dtype), query(x.dtype)];
    this.record(name, { reads: [x], outputs: [], scratch: [scores, ...queries] });
  }
  channelDecay(name, logits, heads) {
    const bias = this.weight(`${name}.dt_bias`, [lastSize(logits)]);
    return channelDecay(this, logits, { bias, rates: this.weight(`${name}.A_log`, [heads]) });
  }
  kimiDelta([query, key, value], { decay, beta, heads }) {
    return kimiDelta(this, { query, key, value, decay, beta, heads });
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
  #rotated(x, cos, sin) {
    const [first, second] = [this.slice(x, lastSize(x) / 2), this.slice(x, lastSize(x) / 2)];
    const turned = this.concatenate([this.elementwise("neg", second), first]);
    return this.add(this.multiply(x, cos), this.multiply(turned, sin));
  }
};

// engine/estimate/tape.ts
var Tape = class extends Mixers {
  gemma3n = new Gemma3nTape(this);
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
  meanOfTokens(x) {
    const masked = this.elementwise("mul", x);
    const output = this.tensor(x.shape.slice(1), x.dtype, [masked]);
    this.record("sum", { reads: [masked], outputs: [output], gradients: [{ to: masked, passes: true }] });
    return this.elementwise("div", output);
  }
  lastToken(x) {
    const output = this.tensor(x.shape.slice(1), x.dtype, [x]);
    this.record("index", { reads: [x], outputs: [output], gradients: [made(x)] });
    return output;
  }
  conv2d(name, x, outChannels, options) {
    const [inChannels, ...size] = image(x);
    const { kernel, stride, padding = Math.floor(kernel / 2), groups = 1 } = options;
    const filter = [inChannels / groups, kernel, kernel];
    const weight = this.lowered(this.weight(`${name}.weight`, [outChannels, ...filter]));
    const bias = options.bias ? [this.lowered(this.weight(`${name}.bias`, [outChannels]))] : [];
    const factor = this.lowered(x);
    const outputSize = size.map((pixels) => Math.floor((pixels + 2 * padding - kernel) / stride) + 1);
    const output = this.tensor([outChannels, ...outputSize], factor.dtype, [factor, weight, ...bias]);
    this.record(name, matrixProduct(factor, weight, bias, output, elements({ shape: filter })));
    return output;
  }
  batchNorm(name, x) {
    const [channels] = image(x);
    const parameters = ["weight", "bias"].map((part2) => this.weight(`${name}.${part2}`, [channels]));
    const statisticsBytes = channels * bytesPerElement[this.weightDtype];
    this.buffer(`${name}.running_mean`, statisticsBytes);
    this.buffer(`${name}.running_var`, statisticsBytes);
    this.buffer(`${name}.num_batches_tracked`, bytesPerElement.int64);
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
    const [channels, ...size] = image(x);
    const { kernel, stride, padding } = options;
    const pooled = size.map((pixels) => Math.floor((pixels + 2 * padding - kernel) / stride) + 1);
    const output = this.tensor([channels, ...pooled], x.dtype, [x]);
    const indices = this.storage(elements(output), "int64", true);
    this.record("max_pool2d", { reads: [x], outputs: [output], saves: [x], saved: [indices], gradients: [made(x)] });
    return output;
  }
  upsampleNearest(x) {
    const wide = this.raised(x);
    const [channels, y, width] = image(wide);
    const output = this.tensor([channels, 2 * y, 2 * width], wide.dtype, [wide]);
    this.record("upsample_nearest2d", { reads: [wide], outputs: [output], gradients: [made(wide)] });
    return output;
  }
  detached(x) {
    return { ...x, requiresGrad: false, edge: this.newEdge() };
  }
  joinPixels(parts) {
    return this.concatenate(
      parts.map((part2) => {
        const [channels, y, width] = image(part2);
        return { ...part2, shape: [channels, y * width] };
      })
    );
  }
  pixelAttention(joined, shape) {
    return pixelAttention(this, joined, shape);
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
  prependTokens(names2, x) {
    const [tokens = 0, hidden = 0] = x.shape;
    const learned = names2.map((name) => this.weight(name, [1, hidden]));
    const [first = x] = learned;
    const output = this.tensor([names2.length + tokens, hidden], widest(x.dtype, first.dtype), [x, ...learned]);
    const patches = { to: x, passes: output.dtype === x.dtype };
    this.record("cat", { reads: [x, ...learned], outputs: [output], gradients: [...learned.map(made), patches] });
    return output;
  }
  addPositions(name, x, count) {
    const table2 = this.weight(name, [count, lastSize(x)]);
    const [rows = 0] = x.shape;
    return this.add(x, rows % count === 0 ? table2 : this.#resampled(table2, x.shape));
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
  /** transformers' interpolate_pos_encoding: the patches' rows through `upsample_bicubic2d`, then `cat` with the special tokens'. */
  #resampled(table2, shape) {
    const unbatched = { batched: false };
    const resampled = this.tensor(shape, table2.dtype, [table2], unbatched);
    this.record("upsample_bicubic2d", { reads: [table2], outputs: [resampled], gradients: [made(table2)] });
    const joined = this.tensor(shape, table2.dtype, [resampled], unbatched);
    this.record("cat", { reads: [resampled], outputs: [joined], gradients: [{ to: resampled, passes: true }] });
    return joined;
  }
};
function image(x) {
  const [channels = 0, y = 0, width = 0] = x.shape;
  return [channels, y, width];
}

// engine/estimate/sharding/gradients.ts
var HeldGradients = class {
  #context;
  #held = /* @__PURE__ */ new Map();
  constructor(context) {
    this.#context = context;
  }
  add(parameter, gradient) {
    const held = this.#held.get(parameter);
    if (held !== void 0) this.#context.memory.release(gradient);
    else this.#held.set(parameter, gradient);
    if (!this.#context.kept(parameter)) return;
    this.#held.delete(parameter);
    this.#context.memory.release(held ?? gradient);
  }
  /** Hands it over. */
  take(parameter) {
    const gradient = this.#held.get(parameter);
    this.#held.delete(parameter);
    return gradient;
  }
  takeAll() {
    const gradients = [...this.#held.values()];
    this.#held.clear();
    return gradients;
  }
  release() {
    for (const gradient of this.#held.values()) this.#context.memory.release(gradient);
    this.#held.clear();
  }
};

// engine/estimate/sharding/parameter-sizes.ts
function bytesOf(parameter) {
  return elements(parameter) * bytesPerElement[parameter.dtype];
}
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
function trainedOf(parameters) {
  return [...parameters].filter((parameter) => parameter.requiresGrad);
}

// engine/estimate/sharding/data-parallel.ts
var DataParallel = class {
  resident;
  partAtATime = 1;
  #gradients;
  constructor(context) {
    const { spec, parameters, memory } = context;
    this.#gradients = new HeldGradients(context);
    const buckets = modelCopies(spec) === 1 ? 0 : sum(trainedOf(parameters.values()).map(bytesOf));
    this.resident = buckets > 0 ? [memory.fixed(buckets, "temporaries")] : [];
  }
  forwardEnds() {
  }
  receives(parameter, gradient) {
    this.#gradients.add(parameter, gradient);
  }
  backwardEnds() {
  }
  optimizerBegins() {
  }
  optimizerEnds() {
  }
  gradientsEnd() {
    this.#gradients.release();
  }
};

// engine/estimate/sharding/fsdp.ts
var FullyShardedDataParallel = class {
  resident = [];
  partAtATime = 1;
  #memory;
  #units = /* @__PURE__ */ new Map();
  #unitOf = /* @__PURE__ */ new Map();
  /** In the order of the forward pass, which the backward pass runs through from its end. */
  #blocks = [];
  #shards;
  #rules;
  #current;
  /** What a collective has read or written last; the next one of its kind lets it go. */
  #gathered;
  #reduced;
  /** Before gradients are summed across GPUs; until then they stay whole. */
  #microStepsLeft;
  constructor(context) {
    const { spec, parameters, memory } = context;
    this.#memory = memory;
    this.#shards = new HeldGradients(context);
    this.#rules = {
      part: 1 / modelCopies(spec),
      castsShards: mastersOf(spec) === "as-weights",
      isOffloaded: spec.offload !== void 0,
      keepsGathered: spec.sharding === "fsdp-grad-op"
    };
    this.#microStepsLeft = spec.syncsEveryMicroBatch ? 1 : Math.min(spec.gradientAccumulation, 2);
    for (const [name, parameter] of parameters) {
      const key = unitName(name);
      const unit = this.#units.get(key) ?? new Unit(isBlock(key), memory, this.#rules);
      this.#units.set(key, unit);
      unit.parameters.push(parameter);
      this.#unitOf.set(parameter.storage, unit);
    }
  }
  begins(used, pass) {
    const unit = used.map((storage) => this.#unitOf.get(storage)).find((unit2) => unit2 !== void 0);
    if (unit === void 0) return;
    if (pass === "backward") this.#backward(unit);
    else this.#forward(unit);
    if (pass === "forward" && unit.isBlock && this.#blocks.at(-1) !== unit) this.#blocks.push(unit);
  }
  #forward(unit) {
    if (unit === this.#current) return;
    this.#leaveForward();
    this.#current = unit;
    if (unit.isWhole) return;
    const gathered3 = unit.gather();
    unit.unpack();
    this.#letGoOfGathered();
    this.#gathered = gathered3;
  }
  #leaveForward() {
    if (this.#current?.isBlock && !this.#rules.keepsGathered) this.#current.reshard();
    this.#current = void 0;
  }
  forwardEnds() {
    this.#leaveForward();
    this.#letGoOfGathered();
    this.#prefetch();
  }
  /** The next block of the backward pass, while the one before it computes. */
  #prefetch() {
    const next = this.#blocks.at(-1);
    if (next !== void 0 && !next.isWhole) this.#gathered = next.gather();
  }
  #backward(unit) {
    if (unit === this.#current) return;
    this.#leaveBackward();
    this.#current = unit;
    if (!unit.isBlock) return;
    if (this.#blocks.at(-1) === unit) this.#blocks.pop();
    if (unit.isWhole) return;
    if (this.#gathered === void 0) this.#gathered = unit.gather();
    unit.unpack();
    this.#letGoOfGathered();
    this.#prefetch();
  }
  #leaveBackward() {
    if (this.#current?.isBlock) this.#reduce(this.#current);
    this.#current = void 0;
  }
  /** What has gathered gradients: the weights are let go, and the sums divided. */
  #reduce(unit) {
    unit.reshard();
    if (this.#microStepsLeft > 1) return;
    this.#letGoOfReduced();
    this.#reduced = unit.reduce(this.#shards);
  }
  receives(parameter, gradient) {
    this.#unitOf.get(parameter)?.receive(parameter, gradient);
  }
  backwardEnds() {
    this.#leaveBackward();
    for (const unit of this.#units.values()) if (unit.isWhole || unit.hasGradients) this.#reduce(unit);
    this.#letGoOfGathered();
    this.#letGoOfReduced();
    this.#blocks.length = 0;
    this.#microStepsLeft = Math.max(1, this.#microStepsLeft - 1);
  }
  optimizerBegins() {
  }
  optimizerEnds() {
  }
  gradientsEnd() {
    this.#shards.release();
  }
  #letGoOfGathered() {
    if (this.#gathered !== void 0) this.#memory.release(this.#gathered);
    this.#gathered = void 0;
  }
  #letGoOfReduced() {
    if (this.#reduced !== void 0) this.#memory.release(this.#reduced);
    this.#reduced = void 0;
  }
};
var Unit = class {
  parameters = [];
  isBlock;
  /** Whole ones, by the parameter's storage. */
  #gradients = /* @__PURE__ */ new Map();
  #memory;
  #rules;
  #weights;
  constructor(isBlock2, memory, rules) {
    this.isBlock = isBlock2;
    this.#memory = memory;
    this.#rules = rules;
  }
  get isWhole() {
    return this.#weights !== void 0;
  }
  get hasGradients() {
    return this.#gradients.size > 0;
  }
  /** The collective's output, flat. Its input is part of it, unless the shard is first cast or brought from the host. */
  gather() {
    const { part: part2, castsShards, isOffloaded } = this.#rules;
    const bytes = sum(this.parameters.map(bytesOf));
    const input = castsShards || isOffloaded ? this.#allocate(bytes * part2, "temporaries") : void 0;
    const output = this.#allocate(bytes, "temporaries");
    if (input !== void 0) this.#memory.release(input);
    return output;
  }
  /** Copies of their own for the parameters. */
  unpack() {
    this.#weights = this.#allocate(sum(this.parameters.map(bytesOf)), "weights");
  }
  reshard() {
    if (this.#weights !== void 0) this.#memory.release(this.#weights);
    this.#weights = void 0;
  }
  receive(parameter, gradient) {
    if (this.#gradients.has(parameter)) this.#memory.release(gradient);
    else this.#gradients.set(parameter, gradient);
  }
  /** The collective's input, which outlives the call. */
  reduce(shards) {
    const trained = trainedOf(this.parameters).filter((parameter) => this.#gradients.has(parameter.storage));
    if (trained.length === 0) return void 0;
    const { part: part2, castsShards, isOffloaded } = this.#rules;
    const bytes = sum(trained.map(bytesOf));
    const input = this.#allocate(bytes, "gradients");
    for (const gradient of this.#gradients.values()) this.#memory.release(gradient);
    this.#gradients.clear();
    const reduced = castsShards ? this.#allocate(bytes * part2, "gradients") : void 0;
    for (const parameter of trained) {
      const size = castsShards ? elements(parameter) * bytesPerElement.float32 : bytesOf(parameter);
      const shard = this.#allocate(size * part2, "gradients");
      if (isOffloaded) this.#memory.release(shard);
      else shards.add(parameter.storage, shard);
    }
    if (reduced !== void 0) this.#memory.release(reduced);
    return input;
  }
  #allocate(bytes, kind) {
    const storage = this.#memory.fixed(bytes, kind);
    this.#memory.allocate(storage);
    return storage;
  }
};
function unitName(parameter) {
  return /^.*?\.\d+(?=\.)/.exec(parameter)?.[0] ?? (parameter.startsWith(REFERENCE) ? REFERENCE : "");
}
function isBlock(unit) {
  return unit !== "" && unit !== REFERENCE;
}

// engine/estimate/sharding/gradient-buckets.ts
var GradientBuckets = class {
  buffers;
  #memory;
  #bufferBytes;
  #sent;
  #isOpen = false;
  #filledBytes = 0;
  /** Larger than a buffer, so sent as it is: there until the next gradient comes. */
  #waiting;
  constructor(memory, { bufferBytes, count, sent = () => {
  } }) {
    this.#memory = memory;
    this.#bufferBytes = bufferBytes;
    this.#sent = sent;
    this.buffers = Array.from({ length: count }, () => memory.fixed(bufferBytes, "temporaries"));
  }
  open() {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const buffer of this.buffers) this.#memory.allocate(buffer);
  }
  close() {
    if (this.#isOpen) for (const buffer of this.buffers) this.#memory.release(buffer);
    this.#isOpen = false;
  }
  fits(gradient) {
    return gradient.fixedBytes <= this.#bufferBytes;
  }
  /** Copies what fits, and lets the gradient go in any case, now or soon. */
  take(gradient) {
    this.#sendWaiting();
    if (this.#filledBytes + gradient.fixedBytes > this.#bufferBytes) this.#send();
    if (this.fits(gradient)) {
      this.#filledBytes += gradient.fixedBytes;
      this.#memory.release(gradient);
    } else {
      this.#waiting = gradient;
    }
  }
  flush() {
    this.#sendWaiting();
    this.#send();
  }
  #sendWaiting() {
    if (this.#waiting === void 0) return;
    this.#sent();
    this.#memory.release(this.#waiting);
    this.#waiting = void 0;
  }
  /** What is in the bucket is put together once more. */
  #send() {
    if (this.#filledBytes === 0) return;
    const message = this.#memory.fixed(this.#filledBytes, "temporaries");
    this.#memory.allocate(message);
    this.#memory.release(message);
    this.#sent();
    this.#filledBytes = 0;
  }
};

// engine/estimate/sharding/partitioned-step.ts
var PartitionedStep = class {
  /** Of this GPU's part, in the type of the weights. */
  gradientBytes;
  partAtATime;
  #memory;
  /** Of the largest piece of a gradient that this GPU has. */
  #pieceElements;
  #stepElements;
  #is16Bit;
  #master;
  constructor({ spec, parameters, memory }, { dividesEach, subGroup }) {
    const trained = trainedOf(parameters.values());
    const part2 = 1 / modelCopies(spec);
    const partElements = sum(trained.map(elements)) * part2;
    const largest = Math.max(0, ...trained.map(elements));
    this.#memory = memory;
    this.gradientBytes = dividesEach ? sum(trained.map(bytesOf)) * part2 : largestPartBytes(trained, modelCopies(spec));
    this.#pieceElements = dividesEach ? largest * part2 : Math.min(largest, partElements);
    this.#stepElements = Math.min(partElements, subGroup);
    this.partAtATime = partElements === 0 ? 1 : this.#stepElements / partElements;
    this.#is16Bit = spec.precision === "bf16-master" || spec.precision === "bf16";
  }
  /** stage_1_and_2.py has_overflow_partitioned_grads_serial: the largest piece of a gradient in float32, twice, and three masks. */
  checkOverflow() {
    const piece = this.#pieceElements;
    const floats = this.#is16Bit ? [4 * piece, 4 * piece] : [];
    this.#passing([...floats, piece, piece, piece]);
  }
  /** complete_grad_norm_calculation: a copy of every piece in float64. */
  takeNorm() {
    this.#passing([8 * this.#pieceElements]);
  }
  /** The gradients in one piece, and in float32 for the master weights. */
  begin() {
    const flat = this.#fixed(this.#stepElements * (this.#is16Bit ? 2 : 4));
    this.#memory.allocate(flat);
    if (!this.#is16Bit) {
      this.#master = flat;
      return;
    }
    this.#master = this.#fixed(this.#stepElements * bytesPerElement.float32);
    this.#memory.allocate(this.#master);
    this.#memory.release(flat);
  }
  end() {
    if (this.#master !== void 0) this.#memory.release(this.#master);
    this.#master = void 0;
  }
  #passing(sizes) {
    const storages = sizes.map((bytes) => this.#fixed(bytes));
    for (const storage of storages) this.#memory.allocate(storage);
    for (const storage of storages) this.#memory.release(storage);
  }
  #fixed(bytes) {
    return this.#memory.fixed(bytes, "gradients");
  }
};
function largestPartBytes(trained, parts) {
  const partElements = sum(trained.map(elements)) / parts;
  const bytes = Array.from({ length: parts }, () => 0);
  let start = 0;
  for (const parameter of trained) {
    const end = start + elements(parameter);
    const [first, last] = [Math.floor(start / partElements), Math.ceil(end / partElements) - 1];
    for (let part2 = first; part2 <= Math.min(last, parts - 1); part2++)
      bytes[part2] = (bytes[part2] ?? 0) + bytesOf(parameter);
    start = end;
  }
  return bytes.reduce((most, each) => Math.max(most, each), 0);
}

// engine/estimate/sharding/zero-settings.ts
function zeroSettings({ zero = {} }, parameters) {
  const hidden = hiddenSize(parameters);
  return {
    // transformers integrations/deepspeed.py trainer_config_process: what it puts for "auto".
    reduceBucket: zero.reduceBucket ?? hidden * hidden,
    prefetchBucket: zero.prefetchBucket ?? Math.floor(0.9 * hidden * hidden),
    persistenceThreshold: zero.persistenceThreshold ?? 10 * hidden,
    // deepspeed 0.19 runtime/zero/config.py: defaults, which transformers leaves as they are.
    maxLiveParameters: zero.maxLiveParameters ?? 1e9,
    maxReuseDistance: zero.maxReuseDistance ?? 1e9,
    subGroup: zero.subGroup ?? 1e9,
    overlapsCommunication: zero.overlapsCommunication ?? true
  };
}
function hiddenSize(parameters) {
  const matrix = [...parameters.values()].find(({ shape }) => shape.length > 1);
  return matrix?.shape.at(-1) ?? 0;
}

// engine/estimate/sharding/zero.ts
var Zero = class {
  resident;
  partAtATime = 1;
  #memory;
  #gradients;
  #buckets;
  #step;
  #isZero2;
  /** Gradients are sent while the backward pass goes on. */
  #sendsEarly;
  #isOffloaded;
  #bytesOfOthers;
  #microStepsLeft;
  #receivedBytes = 0;
  /** The gradients of this GPU's part: of this micro-batch, and the sum of those before. */
  #part;
  #sum;
  constructor(context) {
    const { spec, parameters, memory } = context;
    const { reduceBucket, overlapsCommunication } = zeroSettings(spec, parameters);
    const trained = trainedOf(parameters.values());
    this.#memory = memory;
    this.#gradients = new HeldGradients(context);
    this.#isZero2 = spec.sharding === "zero2";
    this.#sendsEarly = this.#isZero2 || overlapsCommunication;
    this.#isOffloaded = spec.offload !== void 0;
    this.#microStepsLeft = Math.min(spec.gradientAccumulation, 2);
    this.#step = new PartitionedStep(context, { dividesEach: false, subGroup: Number.POSITIVE_INFINITY });
    this.#bytesOfOthers = sum(trained.map(bytesOf)) * (1 - 1 / modelCopies(spec));
    this.#buckets = new GradientBuckets(memory, {
      bufferBytes: reduceBucket * bytesPerElement[trained[0]?.dtype ?? "float32"],
      count: overlapsCommunication ? 2 : 1,
      // The GPU whose part comes last in the model has its first gradient before any other: the worst of all.
      ...this.#isZero2 && { sent: () => this.#allocatePart() }
    });
    this.resident = this.#isOffloaded ? [memory.fixed(Math.max(0, ...trained.map(bytesOf)), "temporaries")] : [];
  }
  forwardEnds() {
  }
  receives(parameter, gradient) {
    this.#buckets.open();
    if (this.#isZero2) {
      this.#buckets.take(gradient);
      return;
    }
    this.#gradients.add(parameter, gradient);
    const isSent = this.#microStepsLeft === 1 && this.#sendsEarly && this.#buckets.fits(gradient);
    const whole2 = isSent ? this.#gradients.take(parameter) : void 0;
    if (whole2 !== void 0) this.#buckets.take(whole2);
    this.#receivedBytes += gradient.fixedBytes;
    if (this.#microStepsLeft === 1 && this.#sendsEarly && this.#receivedBytes > this.#bytesOfOthers)
      this.#allocatePart();
  }
  backwardEnds() {
    const isLast = this.#microStepsLeft === 1;
    if (isLast && !this.#sendsEarly) for (const gradient of this.#gradients.takeAll()) this.#buckets.take(gradient);
    this.#buckets.flush();
    this.#receivedBytes = 0;
    if (isLast || this.#isZero2) {
      this.#allocatePart();
      this.#buckets.close();
      this.#addPart();
    }
    if (isLast) this.#gradients.release();
    this.#microStepsLeft--;
  }
  #allocatePart() {
    if (this.#part !== void 0 || this.#isOffloaded) return;
    this.#part = this.#memory.fixed(this.#step.gradientBytes, "gradients");
    this.#memory.allocate(this.#part);
  }
  #addPart() {
    if (this.#sum === void 0) this.#sum = this.#part;
    else if (this.#part !== void 0) this.#memory.release(this.#part);
    this.#part = void 0;
  }
  optimizerBegins() {
    if (this.#isOffloaded) return;
    this.#step.checkOverflow();
    this.#step.takeNorm();
    this.#step.begin();
    if (this.#sum !== void 0) this.#memory.release(this.#sum);
    this.#sum = void 0;
  }
  optimizerEnds() {
    this.#step.end();
  }
  gradientsEnd() {
  }
};

// engine/estimate/sharding/gathered-parameters.ts
var GatheredParameters = class {
  #memory;
  #settings;
  #byStorage = /* @__PURE__ */ new Map();
  /** What each operation of the micro-step uses. */
  #order;
  #uses;
  #operation = 0;
  /** The next use that nothing has looked at yet. */
  #nextUse = 0;
  #liveElements = 0;
  constructor(memory, settings, parameters, order) {
    this.#memory = memory;
    this.#settings = settings;
    for (const tensor of parameters.values()) this.#byStorage.set(tensor.storage, parameterOf(tensor, settings));
    this.#order = order.map((used) => this.#parametersIn(used));
    this.#uses = this.#order.flatMap((used, operation) => used.map((parameter) => ({ parameter, operation })));
  }
  begins(used) {
    const needed = this.#parametersIn(used);
    this.#gather(needed.filter((parameter) => !isOnItsWay(parameter)));
    for (const parameter of needed) this.#receive(parameter);
    this.#skipUses(needed);
    this.#prefetch();
    this.#operation++;
  }
  ends(used) {
    const released = new Set(this.#parametersIn(used).filter((parameter) => !this.#isKept(parameter)));
    let distance = 0;
    for (let next = this.#operation; released.size > 0 && next < this.#order.length; next++) {
      if (distance >= this.#settings.maxReuseDistance) break;
      for (const parameter of this.#order[next] ?? []) {
        released.delete(parameter);
        distance += parameter.elements;
      }
    }
    for (const parameter of released) this.#release(parameter);
  }
  /** A micro-step has ended. */
  reset() {
    for (const parameter of this.#byStorage.values()) {
      this.#receive(parameter);
      this.#release(parameter);
      parameter.neededBy = -1;
    }
    this.#operation = 0;
    this.#nextUse = 0;
    this.#liveElements = 0;
  }
  #isKept({ persists, neededBy }) {
    return persists || neededBy > this.#operation;
  }
  /** Uses that this operation answers need no gathering ahead of time. */
  #skipUses(needed) {
    const unseen = needed.filter((parameter) => parameter.neededBy < this.#operation).length;
    for (let skipped = 0; skipped < unseen; skipped++) {
      const use = this.#uses[this.#nextUse++];
      if (use !== void 0) use.parameter.neededBy = use.operation;
    }
  }
  #prefetch() {
    const { maxLiveParameters, prefetchBucket } = this.#settings;
    const limit = Math.min(maxLiveParameters - this.#liveElements, prefetchBucket);
    const ahead = /* @__PURE__ */ new Set();
    for (let fetched = 0; fetched < limit && this.#nextUse < this.#uses.length; this.#nextUse++) {
      const use = this.#uses[this.#nextUse];
      if (use === void 0) break;
      const { parameter } = use;
      parameter.neededBy = Math.max(parameter.neededBy, use.operation);
      if (isOnItsWay(parameter) || ahead.has(parameter)) continue;
      ahead.add(parameter);
      fetched += parameter.elements;
    }
    this.#gather([...ahead]);
  }
  /** One alone is gathered into its own storage, several into one that they are then copied out of. */
  #gather(parameters) {
    if (parameters.length === 0) return;
    this.#liveElements += sum(parameters.map((parameter) => parameter.elements));
    const storage = this.#memory.fixed(sum(parameters.map((parameter) => parameter.bytes)), "weights");
    this.#memory.allocate(storage);
    const [first] = parameters;
    if (parameters.length === 1 && first !== void 0) first.data = storage;
    else for (const parameter of parameters) parameter.message = { parameters, storage };
  }
  #receive({ message }) {
    if (message === void 0) return;
    for (const parameter of message.parameters) {
      parameter.data = this.#memory.fixed(parameter.bytes, "weights");
      this.#memory.allocate(parameter.data);
      parameter.message = void 0;
    }
    this.#memory.release(message.storage);
  }
  #release(parameter) {
    if (parameter.data === void 0) return;
    this.#memory.release(parameter.data);
    parameter.data = void 0;
    this.#liveElements -= parameter.elements;
  }
  #parametersIn(used) {
    return used.map((storage) => this.#byStorage.get(storage)).filter((parameter) => parameter !== void 0);
  }
};
function parameterOf(tensor, { persistenceThreshold }) {
  const count = elements(tensor);
  const persists = count <= persistenceThreshold;
  return { elements: count, bytes: bytesOf(tensor), persists, data: void 0, message: void 0, neededBy: -1 };
}
function isOnItsWay({ data, message }) {
  return data !== void 0 || message !== void 0;
}

// engine/estimate/sharding/zero3.ts
var Zero3 = class {
  resident;
  partAtATime;
  /** Absent where one GPU's pieces are the whole. */
  #gathered;
  #buckets;
  #step;
  #isOffloaded;
  /** `order`: the parameters that each operation of a micro-step uses. */
  constructor(context, order) {
    const { spec, parameters, memory } = context;
    const settings = zeroSettings(spec, parameters);
    const [trained] = trainedOf(parameters.values());
    const isWhole = modelCopies(spec) === 1 && spec.offload !== "optimizer-and-weights";
    this.#isOffloaded = spec.offload !== void 0;
    this.#step = new PartitionedStep(context, { dividesEach: true, subGroup: settings.subGroup });
    this.partAtATime = this.#step.partAtATime;
    this.#gathered = isWhole ? void 0 : new GatheredParameters(memory, settings, parameters, order);
    this.#buckets = new GradientBuckets(memory, {
      bufferBytes: settings.reduceBucket * bytesPerElement[trained?.dtype ?? "float32"],
      count: 1
    });
    this.resident = [
      ...this.#buckets.buffers,
      ...this.#isOffloaded ? [] : [memory.fixed(this.#step.gradientBytes, "gradients")]
    ];
  }
  begins(used) {
    this.#gathered?.begins(used);
  }
  ends(used) {
    this.#gathered?.ends(used);
  }
  forwardEnds() {
  }
  receives(_parameter, gradient) {
    this.#buckets.take(gradient);
  }
  backwardEnds() {
    this.#buckets.flush();
    this.#gathered?.reset();
  }
  optimizerBegins() {
    if (this.#isOffloaded) return;
    this.#step.takeNorm();
    this.#step.begin();
  }
  optimizerEnds() {
    this.#step.end();
  }
  gradientsEnd() {
  }
};

// engine/estimate/sharding/exchange.ts
function exchangeOf(context, order) {
  const { spec } = context;
  if (spec.step !== "training") return new DataParallel(context);
  switch (spec.sharding ?? "ddp") {
    case "ddp":
      return new DataParallel(context);
    case "fsdp":
    case "fsdp-grad-op":
      return modelCopies(spec) === 1 && spec.offload === void 0 ? new DataParallel(context) : new FullyShardedDataParallel(context);
    case "zero1":
    case "zero2":
      return new Zero(context);
    case "zero3":
      return new Zero3(context, order());
  }
}

// engine/estimate/sharding/watching.ts
var Watching = class {
  resident = [];
  partAtATime = 1;
  #memory;
  #tell;
  constructor(memory, tell) {
    this.#memory = memory;
    this.#tell = tell;
  }
  begins(used) {
    this.#tell(used);
  }
  receives(_parameter, gradient) {
    this.#memory.release(gradient);
  }
  forwardEnds() {
  }
  backwardEnds() {
  }
  optimizerBegins() {
  }
  optimizerEnds() {
  }
  gradientsEnd() {
  }
};

// engine/estimate/timeline.ts
function playStep(tape, spec, { loss, held, before }) {
  const shares = sharesOf(spec);
  const parameters = [...tape.parameters.values()];
  const optimized = parameters.filter((parameter) => parameter.requiresGrad).map((parameter) => master(spec, parameter));
  const order = () => orderOfUse(tape, { loss, held, before }, shares);
  const player = new Player(tape, loss, {
    shares,
    inBackward: spec.optimizerInBackward && inBackward(spec, optimized),
    exchange: (memory, kept) => exchangeOf({ spec, parameters: tape.parameters, memory, kept }, order)
  });
  const microSteps = spec.step === "training" ? Math.min(spec.gradientAccumulation, 2) : 1;
  player.beforehand(before);
  for (let index = 0; index < microSteps; index++) player.microStep(held);
  const withState = spec.trainable?.inTurns ? parameters : optimized;
  const isTraining = spec.step === "training";
  const eventsBeforeOptimizer = player.events.length;
  if (isTraining && !spec.optimizerInBackward) player.optimizerStep(spec.optimizer, optimized);
  player.gradientsEnd();
  return {
    model: [
      ...parameters.map((parameter) => share(parameter.storage, shares.weights * keptWidth(spec, parameter))),
      ...tape.buffers.map((storage) => share(storage, shares.weights)),
      ...tape.wholeBuffers,
      ...isTraining ? player.exchange.resident : []
    ],
    optimizerState: isTraining ? optimizerState(tape, spec, withState, shares) : [],
    step: player.events,
    eventsBeforeOptimizer,
    parameterCount: [...tape.parameters].filter(([name]) => !name.startsWith(REFERENCE)).reduce((sum2, [, parameter]) => sum2 + elements(parameter), 0)
  };
}
function orderOfUse(tape, { loss, held, before }, shares) {
  const order = [];
  const rehearsal = new Player(tape, loss, {
    shares,
    inBackward: void 0,
    exchange: (memory) => new Watching(memory, (used) => order.push(used))
  });
  rehearsal.beforehand(before);
  rehearsal.microStep(held);
  return order;
}
function keptWidth(spec, parameter) {
  if (mastersOf(spec) !== "as-weights" || !parameter.requiresGrad) return 1;
  return bytesPerElement.float32 / bytesPerElement[parameter.dtype];
}
function inBackward({ optimizer }, optimized) {
  return { optimizer, parameters: new Map(optimized.map((parameter) => [parameter.storage, parameter])) };
}
function master(spec, parameter) {
  return mastersOf(spec) === "none" ? parameter : { ...parameter, dtype: "float32" };
}
function optimizerState(tape, spec, optimized, shares) {
  const { stateBytes } = optimizerRules[spec.optimizer];
  const masterBytes = mastersOf(spec) === "in-optimizer" ? bytesPerElement.float32 : 0;
  const names2 = new Map([...tape.parameters].map(([name, { storage }]) => [storage, name]));
  const kept = (parameter) => stateBytes(parameter, names2.get(parameter.storage) ?? "") + elements(parameter) * masterBytes;
  return optimized.map((parameter) => kept(parameter) * shares.optimizerState).filter((bytes) => bytes > 0).map((bytes) => tape.fixed(bytes, "optimizerState"));
}
function share(storage, part2) {
  return part2 === 1 ? storage : { ...storage, fixedBytes: storage.fixedBytes * part2 };
}

// engine/estimate/footprint.ts
var Footprint = class {
  spec;
  parameterCount;
  nodes;
  #timeline;
  #peaks = /* @__PURE__ */ new Map();
  /** Replays that fitted: for any capacity between these two, the allocator behaves identically. */
  #fitting = /* @__PURE__ */ new Map();
  constructor(spec, config, device = { hasFlash: true }) {
    this.spec = spec;
    const own = ownPart(spec, config);
    const tape = new Tape(spec, device, expertNamesOf(config));
    const { loss, held, before = [] } = objectiveOf(tape, own, spec);
    refuseMissingTargets(spec, tape);
    refuseNothingTrained(spec, tape);
    this.#timeline = playStep(tape, spec, { loss, held, before });
    this.nodes = tape.nodes;
    this.parameterCount = this.#timeline.parameterCount;
  }
  /**
   * Peak of a steady-state step (optimizer state allocated), as torch.cuda.max_memory_allocated counts it.
   * `workspaceBytes`: what cuBLAS holds for itself, allocated by the first matrix product and kept.
   */
  peak(batch, workspaceBytes) {
    const key = `${batch} ${workspaceBytes}`;
    const peak = this.#peaks.get(key) ?? this.#findPeak(batch, workspaceBytes);
    this.#peaks.set(key, peak);
    return peak;
  }
  /** What is allocated between steps. */
  resting(batch, workspaceBytes) {
    const breakdown = this.#resident(batch, workspaceBytes);
    return { bytes: byteKinds.reduce((sum2, kind) => sum2 + breakdown[kind], 0), breakdown, moment: "between steps" };
  }
  #findPeak(batch, workspaceBytes) {
    const { step } = this.#timeline;
    const resting = this.resting(batch, workspaceBytes);
    const resident = { ...resting.breakdown };
    let { bytes } = resting;
    let peakBytes = bytes;
    let events = 0;
    let eventsUntilPeak = 0;
    for (const event of step) {
      bytes += changeOf(event, batch);
      events++;
      if (bytes > peakBytes) {
        peakBytes = bytes;
        eventsUntilPeak = events;
      }
    }
    for (const event of step.slice(0, eventsUntilPeak)) resident[event.storage.kind] += changeOf(event, batch);
    return { bytes: peakBytes, breakdown: resident, moment: step[eventsUntilPeak - 1]?.moment ?? "between steps" };
  }
  /** Whether two steps fit into `usableBytes`, with the caching allocator's segments and their fragmentation. */
  fit(batch, usableBytes2, workspaceBytes) {
    const key = `${batch} ${workspaceBytes}`;
    const known = this.#fitting.get(key);
    if (known && known.reservedBytes <= usableBytes2 && usableBytes2 <= known.upToBytes) {
      return { kind: "fits", reservedBytes: known.reservedBytes };
    }
    const allocator = new CachingAllocator(usableBytes2);
    const fit = this.#replaySteps(batch, workspaceBytes, allocator);
    if (fit.kind === "fits") {
      const upToBytes = allocator.hasReturnedSegments ? usableBytes2 : Number.POSITIVE_INFINITY;
      this.#fitting.set(key, { reservedBytes: fit.reservedBytes, upToBytes });
    }
    return fit;
  }
  #replaySteps(batch, workspaceBytes, allocator) {
    const { model, optimizerState: optimizerState2, step, eventsBeforeOptimizer } = this.#timeline;
    const allocate = (bytes) => allocator.allocate(bytes) !== void 0;
    const blocks = [];
    const play = (events) => replay(events, batch, allocator, blocks);
    const lasted = model.every((storage) => allocate(bytesAt(storage, batch))) && allocate(workspaceBytes) && play(step.slice(0, eventsBeforeOptimizer)) && optimizerState2.every((storage) => allocate(bytesAt(storage, batch))) && play(step.slice(eventsBeforeOptimizer)) && play(step);
    return lasted ? { kind: "fits", reservedBytes: allocator.peakReservedBytes } : { kind: "out-of-memory" };
  }
  /** Bytes allocated between steps. */
  #resident(batch, workspaceBytes) {
    const { model, optimizerState: optimizerState2 } = this.#timeline;
    const bytes = { ...emptyBreakdown(), workspace: workspaceBytes };
    for (const storage of [...model, ...optimizerState2]) bytes[storage.kind] += bytesAt(storage, batch);
    return bytes;
  }
};
function ownPart({ model, tensorParallel }, config) {
  if (tensorParallel === void 0) return config;
  const part2 = dividedConfig(config, tensorParallel.gpus);
  if (part2 !== void 0) return part2;
  throw new MemoryMarkError({
    code: "not-divisible",
    message: `Tensor parallelism of ${model} over ${tensorParallel.gpus} GPUs is not modelled, or its heads cannot be divided among them`,
    fix: "Exclude this config for now: add it to ignore in .github/memorymark.yml."
  });
}
function refuseMissingTargets(spec, { linearNames }) {
  const { targets = [], parameters = [] } = spec.lora ?? {};
  const missing = [...targets, ...parameters].filter((target) => !linearNames.has(target));
  if (missing.length === 0) return;
  throw new MemoryMarkError({
    code: "no-such-lora-target",
    message: `${spec.model} has no linear layer named ${missing.join(", ")}`,
    fix: `Use some of ${[...linearNames].join(", ")}.`
  });
}
function refuseNothingTrained({ model, trainable }, { parameters }) {
  if (trainable === void 0 || [...parameters.values()].some((parameter) => parameter.requiresGrad)) return;
  const some = [...parameters.keys()].filter((_, index) => index < 3);
  throw new MemoryMarkError({
    code: "nothing-trains",
    message: `No parameter of ${model} matches what is to be trained: ${trainable.names.join(", ")}`,
    fix: `Write patterns that match its parameter names in transformers, such as ${some.join(", ")}.`
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
  return roundedSize(storage.fixedBytes + Math.max(batch, storage.samplesAtLeast ?? 0) * storage.bytesPerSample);
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

// engine/estimate/footprint-cache.ts
var MAX_KEPT = 64;
var FootprintCache = class {
  /** The most recently used last. */
  #kept = /* @__PURE__ */ new Map();
  of(spec, config, gpu2) {
    const shape = shapeOf(spec);
    const isFloat32 = spec.precision === "fp32" || spec.precision === "tf32";
    const device = { hasFlash: isFloat32 || hasFlashAttention(gpu2) };
    const key = JSON.stringify([shape, config, device]);
    const footprint = this.#kept.get(key) ?? new Footprint(shape, config, device);
    this.#kept.delete(key);
    this.#kept.set(key, footprint);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== void 0) this.#kept.delete(oldest);
    return footprint;
  }
};
function shapeOf(spec) {
  return { ...spec, microBatch: 1, gradientAccumulation: Math.min(spec.gradientAccumulation, 2) };
}

// engine/verdict/against-base.ts
function againstBase(config, base) {
  const { verdict } = config;
  if (verdict.state !== "blocked") return verdict;
  const reasons = verdict.reasons.map(
    (reason) => wasNoBetter(reason, config, base) ? { ...reason, spared: "no-worse" } : reason
  );
  return verdictOf(reasons, []);
}
function wasNoBetter(reason, config, base) {
  switch (reason.kind) {
    case "does-not-fit":
      return base.verdict.reasons.some(({ kind }) => kind === "does-not-fit") && base.current.peakBytes >= config.current.peakBytes;
    case "condition":
      return base.verdict.reasons.some(
        (before) => before.kind === "condition" && before.condition.kind === reason.condition.kind && before.actual >= reason.actual
      );
  }
}

// engine/analyze.ts
var estimating = async ({ spec, model }, _, options) => ({
  assessment: assess(spec, model.config, options),
  assumptions: derivationOf(spec, model.config)
});
var DEFAULT_HOURS_PER_RUN = 2;
var DEFAULT_RUNS_PER_YEAR = 100;
async function analyze(files, options) {
  const { settings = noSettings, assessor = estimating } = options;
  const sources2 = sourcesOf(options);
  const shared = sharedOptions(options, settings);
  const configs = [];
  for (const file of files) {
    await setImmediate();
    const own = settingsFor(file.path, settings);
    const assessment = assessmentOptions(options, shared, own);
    const analyzeText = (text2, sources3) => analyzeFile({ ...file, text: text2 }, assessment, { sources: sources3, supplied: own.supplied, assessor });
    const result = await analyzeText(file.text, sources2.now);
    if (result === void 0) continue;
    const analyzeBase = (text2) => analyzeText(text2, sources2.before);
    configs.push(settings.judge === "all" ? result : await judgedAgainstBase(result, options.base, analyzeBase));
  }
  return {
    schema: REPORT_SCHEMA,
    toolVersion: version,
    createdAt: options.now.toISOString(),
    policy: shared.policy,
    configs: withoutParts(configs)
  };
}
function withoutParts(configs) {
  const named = new Set(
    configs.flatMap(({ status, otherFiles = [] }) => status === "analysed" ? otherFiles.map(({ path: path2 }) => path2) : [])
  );
  const isPart2 = (config) => config.status === "not-analysed" && named.has(config.path) && config.problems.every(({ code }) => code === "model-not-in-file");
  return configs.filter((config) => !isPart2(config));
}
function sourcesOf({ sources: sources2 = {}, base }) {
  const before = base && sources2.readFile ? { ...sources2, readFile: base } : sources2;
  return { now: askingOnce(sources2), before: askingOnce(before) };
}
async function judgedAgainstBase(result, base, analyzeBase) {
  if (result.status !== "analysed" || result.verdict.state !== "blocked") return result;
  const text2 = await base?.(result.path);
  const before = text2 === void 0 ? void 0 : await analyzeBase(text2);
  return before?.status === "analysed" ? { ...result, verdict: againstBase(result, before) } : result;
}
async function analyzeFile(file, options, { sources: sources2, supplied, assessor }) {
  const reading2 = await readConfigAsync(file, sources2, supplied);
  switch (reading2.kind) {
    case "not-a-training-config":
      return void 0;
    case "unreadable":
      return { status: "not-analysed", path: file.path, problems: [...reading2.problems], ...besides(reading2) };
    case "training-config":
      return assessed(
        file.path,
        reading2,
        async () => analysed(file.path, reading2, await assessor(reading2, file, options))
      );
  }
}
async function assessed(path2, reading2, analysis) {
  try {
    return await analysis();
  } catch (error) {
    if (!(error instanceof MemoryMarkError)) throw error;
    return { status: "not-analysed", path: path2, problems: [{ ...error.problem, file: path2 }], ...besides(reading2) };
  }
}
function analysed(path2, reading2, { assessment, assumptions }) {
  const { dialect, batchSizeAt, gradientAccumulationAt } = reading2;
  return {
    status: "analysed",
    path: path2,
    dialect,
    ...batchSizeAt && { batchSizeAt },
    ...gradientAccumulationAt && { gradientAccumulationAt },
    assumptions: [...reading2.assumptions, ...assumptions],
    ...besides(reading2),
    ...assessment
  };
}
function besides({ otherFiles }) {
  return otherFiles === void 0 ? {} : { otherFiles: [...otherFiles] };
}
function sharedOptions(options, settings) {
  const { stepSize, marginPercent } = settings;
  return {
    policy: {
      failOn: options.policy?.failOn ?? settings.failOn ?? defaultPolicy.failOn,
      warnOn: options.policy?.warnOn ?? settings.warnOn ?? defaultPolicy.warnOn
    },
    footprints: new FootprintCache(),
    catalogue: gpus.map((gpu2) => priced(gpu2, settings.pricesPerHourUsd[gpu2.id], settings.source, options.now)),
    ...stepSize !== void 0 && { stepSize },
    ...marginPercent !== void 0 && { margin: marginPercent / 100 }
  };
}
function assessmentOptionsFor(path2, options) {
  const { settings = noSettings } = options;
  return assessmentOptions(options, sharedOptions(options, settings), settingsFor(path2, settings));
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

// engine/render/terminal.ts
import { styleText } from "node:util";
var INDENT = "  ";
var LABEL_WIDTH = 12;
function renderTerminal(report, { color, columns, judges = true }) {
  const page2 = {
    paint: (style, text2) => color ? styleText(style, text2, { validateStream: false }) : text2,
    columns: Math.max(40, columns),
    judges
  };
  if (report.configs.length === 0) return "No training config found: nothing to measure.";
  const state = verdictState(report);
  const closing = wrap(`MemoryMark: ${headline(report)}.`, "", page2.columns);
  return [...report.configs.map((config) => block(config, page2)), page2.paint(stateStyle(state), closing)].join("\n\n");
}
function block(config, page2) {
  const state = configState(config);
  const heading = `${page2.paint(stateStyle(state), stateWord(config, page2))} ${page2.paint("bold", plainPath(config.path))}`;
  const body = config.status === "analysed" ? analysedLines(config, page2) : config.problems.map((problem) => wrap(plainProblem(problem), INDENT, page2.columns));
  return [heading, ...body].join("\n");
}
function stateWord(config, { judges }) {
  if (config.status === "not-analysed") return "not analysed";
  if (!config.current.fits) return findingOf(config) === "may-not-fit" ? "may not fit" : "out of memory";
  return config.verdict.state === "blocked" && !judges ? "would block" : config.verdict.state;
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
function analysedLines(config, page2) {
  const known = page2.paint("dim", wrap(knownHow(config), INDENT, page2.columns));
  const bars = barLines(config, page2);
  if (findingOf(config) === "fine")
    return [...bars, wrap(`${capitalised(fineRemark(config))}.`, INDENT, page2.columns), known];
  return [...bars, ...breakdownLines(config, page2), ...adviceLines(config, page2), known];
}
function barLines(config, page2) {
  const { current, largest } = config;
  const recommended = isWorthFollowing(config) ? config.recommended : void 0;
  const lines = [barLine(config, "now", current, page2)];
  if (recommended && !isSamePlan(recommended, current)) {
    lines.push(barLine(config, "recommended", recommended, page2));
  }
  if (largest && !isSamePlan(largest, recommended ?? current)) {
    lines.push(barLine(config, "largest", largest, page2));
  }
  return lines;
}
function barLine(config, label, point, { paint, columns }) {
  const { gpu: gpu2 } = config;
  const cells = Math.max(10, Math.min(30, columns - 60));
  const filled = bar(gpu2.usableBytes === 0 ? 1 : point.peakBytes / gpu2.usableBytes, cells);
  const size = `${formatCount(point.microBatch)} × ${formatCount(point.gradientAccumulation)}`;
  const memory = `${ofUsable(point.peakBytes, gpu2.usableBytes)} (${formatShare(config, point)})`;
  const painted = paint(point.fits ? stateStyle(label === "now" ? config.verdict.state : "fine") : "red", filled);
  return `${INDENT}${label.padEnd(LABEL_WIDTH)}${size.padEnd(9)} ${painted} ${memory}${pace(config, point)}`;
}
function pace({ throughputProvenance: throughputProvenance2 }, point) {
  return point.fits ? `, ${formatRate(point.samplesPerSecond)} samples/s ${throughputProvenance2}` : "";
}
function breakdownLines({ breakdown, current, gpu: gpu2 }, { columns }) {
  const parts = partsOf(breakdown).map(({ name, bytes }) => `${name} ${formatPart(bytes)}`);
  const rest = current.fits ? `${formatGib(idleBytes(gpu2, current))} of the GPU is waste` : `${formatGib(missingBytes(gpu2, current))} too much`;
  return [wrap(`Memory: ${parts.join(", ")}; ${rest}.`, INDENT, columns)];
}
function adviceLines(config, { columns }) {
  return [...advice(config), ...rightSizingSentences(config)].map((sentence) => wrap(sentence, INDENT, columns));
}
function rightSizingSentences({ rightSizing }) {
  if (rightSizing === void 0) return [];
  const price = `${formatUsd(rightSizing.gpu.pricePerHourUsd)} an hour`;
  return [
    `A cheaper GPU is enough: ${plainText(rightSizing.gpu.name, 60)} at ${price}, ${formatUsd(rightSizing.costPerRunUsd)} per run.`
  ];
}
function knownHow(config) {
  const { gpu: gpu2, hoursPerRun: hoursPerRun2, runsPerYear: runsPerYear2 } = config;
  const price = `${formatUsd(gpu2.pricePerHourUsd)} an hour (${plainText(gpu2.priceDate, 40)}), ${formatCount(hoursPerRun2)} hours per run, ${formatCount(runsPerYear2)} runs per year`;
  return `${plainText(gpu2.name, 60)}; memory ${memoryProvenance(config)}; throughput ${throughputProvenance(config)}; ${price}.`;
}
function wrap(text2, indent, columns) {
  const lines = [];
  let line = indent;
  for (const word of text2.split(" ")) {
    if (line.length > indent.length && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = indent;
    }
    line += line.length === indent.length ? word : ` ${word}`;
  }
  return [...lines, line].join("\n");
}

// engine/cli/files.ts
import { lstat, readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
var MAX_WALKED_BYTES = 16 * MIB;
var skippedDirectories = /* @__PURE__ */ new Set(["node_modules", ".git", ".venv", "venv", "__pycache__", "site-packages"]);
async function findFiles(paths) {
  const named = [];
  const found = /* @__PURE__ */ new Map();
  for (const path2 of paths) {
    if (await isDirectory(path2)) {
      for await (const file of walk(path2)) found.set(file.path, file);
    } else {
      named.push(await read(path2));
    }
  }
  return { named, found: [...found.values()] };
}
async function* walk(directory) {
  const entries = await readdir(directory, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => a.name < b.name ? -1 : 1)) {
    const path2 = join(directory, entry.name);
    if (entry.isDirectory() && !skippedDirectories.has(entry.name)) yield* walk(path2);
    else if (entry.isFile() && isCandidatePath(display(path2)) && (await lstat(path2)).size <= MAX_WALKED_BYTES) {
      yield await read(path2);
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
        fix: "Check the path; it is relative to the working directory."
      },
      { cause: error }
    );
  }
}
async function read(path2) {
  return { path: display(path2), text: await readFile(path2, "utf8") };
}
function display(path2) {
  return relative("", path2).split(sep).join("/") || path2;
}

// engine/cli/judging.ts
var judgingOptions = {
  gpu: { type: "string" },
  "fail-on": { type: "string" },
  "warn-on": { type: "string" },
  "price-per-hour": { type: "string" },
  "hours-per-run": { type: "string" },
  "runs-per-year": { type: "string" }
};
function judgingOf(values, settings) {
  const pricePerHourUsd2 = numberFlag("--price-per-hour", values["price-per-hour"], { integer: false, max: 1e4 });
  const hoursPerRun2 = numberFlag("--hours-per-run", values["hours-per-run"], { integer: false, max: 1e5 });
  const runsPerYear2 = numberFlag("--runs-per-year", values["runs-per-year"], { integer: false, max: 1e6 });
  return {
    now: /* @__PURE__ */ new Date(),
    settings,
    ...values.gpu !== void 0 && { gpu: gpuFlag(values.gpu) },
    policy: {
      ...values["fail-on"] !== void 0 && { failOn: parseConditions(values["fail-on"], "--fail-on") },
      ...values["warn-on"] !== void 0 && { warnOn: parseConditions(values["warn-on"], "--warn-on") }
    },
    ...pricePerHourUsd2 && { pricePerHourUsd: pricePerHourUsd2 },
    ...hoursPerRun2 && { hoursPerRun: hoursPerRun2 },
    ...runsPerYear2 && { runsPerYear: runsPerYear2 }
  };
}

// engine/cli/settings.ts
import { readFile as readFile2 } from "node:fs/promises";

// engine/settings/schema.ts
import * as z from "zod";

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
var number = /^\d{1,2}$/;
var part = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/;
function isSchedule(text2) {
  const fields = text2.trim().split(/\s+/);
  if (fields.length !== timeOfDay.length + days.length) return false;
  const [times, dates] = [fields.slice(0, timeOfDay.length), fields.slice(timeOfDay.length)];
  return timeOfDay.every((range, index) => number.test(times[index] ?? "") && isWithin(times[index], range)) && days.every((range, index) => (dates[index] ?? "").split(",").every((each) => isPart(each, range)));
}
function isPart(text2, range) {
  const match = part.exec(text2);
  if (match === null) return false;
  const [, first, last = first, step = "1"] = match;
  const isAny = first === void 0;
  return (isAny || isWithin(first, range) && isWithin(last, range) && Number(first) <= Number(last)) && Number(step) >= 1;
}
function isWithin(text2, { min, max }) {
  return text2 !== void 0 && Number(text2) >= min && Number(text2) <= max;
}

// engine/settings/schema.ts
var judgements = ["changed", "all"];
var MAX_GLOBS = 200;
var MAX_OVERRIDES = 500;
var glob = text("a glob, such as configs/**/*.yaml", 500);
var globs = z.array(glob, "a list of globs").max(MAX_GLOBS, `a list of at most ${MAX_GLOBS} globs`);
var gpu = z.enum(
  gpus.map(({ id }) => id),
  "a GPU in the catalogue"
);
var pricePerHourUsd = positive(1e4);
var hoursPerRun = positive(1e5).describe("Wall-clock hours of one run at the current batch size. Default 2.");
var runsPerYear = positive(1e6).describe("Training runs per year. Default 100.");
var conditions = z.union([z.string(), z.array(z.string())], 'a condition, such as "waste > 40 %", or a list of them').transform((written, context) => {
  try {
    return parseConditions([written].flat().join(", "), "");
  } catch (error) {
    if (!(error instanceof MemoryMarkError)) throw error;
    const { message, fix } = error.problem;
    context.addIssue({ code: "custom", message, params: { fix } });
    return z.NEVER;
  }
});
var overrideKeys = {
  path: glob.describe("The configs that this applies to, relative to the root of the repository."),
  gpu: gpu.describe("The GPU that these configs run on.").optional(),
  model: text("a model: its Hub id, or its name in the catalogue", 200).describe("The model that these configs train, as its id on the Hugging Face Hub.").optional(),
  task: z.enum(tasks, "a task").describe("What the model is trained for.").optional(),
  sequence_length: wholeNumber(1e7).describe("Tokens of the longest sequence.").optional(),
  image_size: wholeNumber(1e5).describe("Pixels of the square image's side.").optional(),
  labels: wholeNumber(1e6).describe("Classes of a classification head.").optional(),
  gpus: wholeNumber(1e5).describe("The number of GPUs that train together, as given to the launcher.").optional(),
  hours_per_run: hoursPerRun.optional(),
  runs_per_year: runsPerYear.optional()
};
var overrideEntry = z.strictObject(overrideKeys, "an override: a mapping with a path");
var scheduleWords = 'a schedule, such as "0 6 * * 1", or never';
var reportKeys = {
  schedule: z.string(scheduleWords).max(100, scheduleWords).refine((written) => written === "never" || isSchedule(written), {
    error: "This is not a valid schedule with at most one report per day",
    params: {
      fix: 'Write minute, hour, day of the month (1 to 28), month and day of the week, such as "0 6 * * 1", or never.'
    }
  }).describe(
    "When to update the issue that reports on the default branch: minute, hour, day of the month, month and day of the week, in UTC. `never` for no report. Default 0 6 * * 1."
  ).optional()
};
var measuring = ["pull-request", "dispatch"];
var workflowWords = "the path of a workflow, such as .github/workflows/memorymark-sweep.yml";
var measureKeys = {
  by: z.enum(measuring, '"pull-request" or "dispatch"').describe(
    "Which GPU run is due: that of the workflow that pull requests run themselves (`pull-request`), or one on the default branch that the bot dispatches with the head commit as data (`dispatch`), which works for pull requests from forks too."
  ),
  workflow: z.string(workflowWords).regex(/^\.github\/workflows\/[\w.-]{1,200}\.ya?ml$/, workflowWords).describe(
    "The workflow that measures. Default: for `pull-request` the one that the bot was started with, for `dispatch` .github/workflows/memorymark-sweep.yml."
  ).optional(),
  wait_minutes: wholeNumber(1440).describe("Minutes after which the check stops waiting for the GPU run and uses the estimate. Default 60.").optional()
};
var settingsFile = z.strictObject({
  paths: globs.describe("Only files that match one of these globs are read. Default: every YAML and JSON file.").optional(),
  ignore: globs.describe("Files that match one of these globs are ignored.").optional(),
  gpu: gpu.describe("The GPU that the training runs on. Default a10.").optional(),
  prices: z.partialRecord(gpu, pricePerHourUsd, "a list of prices by GPU, such as a10: 0.75").describe("What one hour of each GPU costs you, in US dollars.").optional(),
  hours_per_run: hoursPerRun.optional(),
  runs_per_year: runsPerYear.optional(),
  "fail-on": conditions.describe("What blocks a pull request: `waste > 40 %`, `throughput-loss > 10 %`, `annual-cost > $500`, or `never`.").optional(),
  "warn-on": conditions.describe("What gives a warning without blocking, written like fail-on.").optional(),
  judge: z.enum(judgements, '"changed" or "all"').describe(
    "Whether a config that was already bad on the base branch blocks a pull request that makes it no worse: `changed` (the default) does not block, `all` does."
  ).optional(),
  step_size: wholeNumber(MAX_BATCH).describe("Every batch size up to this one is tried, then its multiples. Default 8.").optional(),
  margin_percent: within(0, 90).describe("Percentage of usable memory that a recommended batch leaves free. Default 5.").optional(),
  measure: z.strictObject(measureKeys, "a mapping with the key by").describe("Requires a GPU run on pull requests that change training configs; the bot's check waits for it.").optional(),
  report: z.strictObject(reportKeys, "a mapping with a schedule").describe("The bot's report on every config of the default branch.").optional(),
  overrides: z.array(overrideEntry, "a list of overrides, each with a path").max(MAX_OVERRIDES, `a list of at most ${MAX_OVERRIDES} overrides`).describe(
    "Settings for some configs only, and what those configs cannot say themselves. If several match, the last one wins."
  ).optional()
});
function keysAt(path2) {
  if (path2.length === 0) return Object.keys(settingsFile.shape);
  switch (path2[0]) {
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
function text(words3, maxCharacters) {
  return z.string(words3).min(1, words3).max(maxCharacters, words3);
}
function wholeNumber(max) {
  const words3 = `a whole number from 1 to ${max.toLocaleString("en-US")}`;
  return z.int(words3).min(1, words3).max(max, words3);
}
function positive(max) {
  const words3 = `a number above 0 and up to ${max.toLocaleString("en-US")}`;
  return z.number(words3).positive(words3).max(max, words3);
}
function within(min, max) {
  const words3 = `a number from ${min} to ${max}`;
  return z.number(words3).min(min, words3).max(max, words3);
}

// engine/settings/problems.ts
function problemsOf(issue, top, file) {
  const spot = spotOf(top, issue.path);
  const where = (at, path2) => ({
    file,
    ...at,
    ...path2.length > 0 && { field: fieldName(path2) }
  });
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      ...unknownKey(key, keysAt(issue.path)),
      ...where(fieldIn(spot.value, key)?.at, [...issue.path, key])
    }));
  }
  return [{ ...refusal(issue, spot), ...where(spot.at, issue.path) }];
}
function spotOf(top, path2) {
  let spot = { value: { kind: "mapping", section: top }, isWritten: true };
  for (const key of path2) {
    const inner = spot.value.kind === "list" ? itemIn(spot.value, key) : fieldIn(spot.value, String(key));
    if (inner === void 0 || inner.value.kind === "empty")
      return { ...spot, at: inner?.at ?? spot.at, isWritten: false };
    spot = { value: inner.value, at: inner.at, source: inner.source, isWritten: true };
  }
  return spot;
}
function fieldIn(value, key) {
  return value.kind === "mapping" ? value.section.field(key) : void 0;
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
function unknownKey(key, known) {
  return { code: "unknown-key", message: `Unknown key ${quote(key)}`, fix: suggest(key, known) };
}
function fieldName(path2) {
  return path2.map((key, index) => typeof key === "number" ? `[${key}]` : `${index === 0 ? "" : "."}${plain(String(key))}`).join("");
}

// engine/settings/read.ts
var MAX_PROBLEMS = 50;
function readSettings(file) {
  if (file === void 0) return { kind: "none" };
  const parsed = parseFile(file);
  if (parsed.kind === "unreadable") return parsed;
  const [top, ...others] = parsed.mappings;
  if (top === void 0) return isBlank(file.text) ? { kind: "none" } : unreadable([noMapping(file)]);
  if (others.length > 0) return unreadable([severalDocuments(file)]);
  const checked = settingsFile.safeParse(plainSection(top));
  if (!checked.success) return unreadable(checked.error.issues.flatMap((issue) => problemsOf(issue, top, file.path)));
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
  const fields = suppliedKeys.flatMap((key) => {
    const field = override?.at(key);
    return field === void 0 ? [] : [[key, { ...field, file }]];
  });
  return Object.fromEntries(fields);
}
function plainSection(section) {
  const written = [...section.fields.values()].filter(({ value }) => value.kind !== "empty");
  return Object.fromEntries(written.map(({ key, value }) => [key, plainValue(value)]));
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
function unreadable(problems) {
  return { kind: "unreadable", problems: problems.slice(0, MAX_PROBLEMS) };
}
function isBlank(text2) {
  return text2.split("\n").every((line) => /^\s*(?:#.*|---\s*)?$/.test(line));
}
function noMapping({ path: path2 }) {
  return {
    code: "settings-refused",
    file: path2,
    line: 1,
    message: "The settings are not a mapping of keys to values",
    fix: "Write one setting per line, such as gpu: a10."
  };
}
function severalDocuments({ path: path2 }) {
  return {
    code: "settings-refused",
    file: path2,
    line: 1,
    message: "The file holds several documents",
    fix: "Keep one, and remove the lines of three dashes between them."
  };
}

// engine/cli/settings.ts
var settingsOptions = {
  settings: { type: "string" },
  "no-settings": { type: "boolean" }
};
async function findSettings(flags) {
  if (flags.settings !== void 0 && flags["no-settings"]) {
    throw new MemoryMarkError({
      code: "usage",
      field: "--no-settings",
      message: "it contradicts --settings",
      fix: "Use one of --settings and --no-settings."
    });
  }
  if (flags["no-settings"]) return { kind: "none" };
  const path2 = flags.settings ?? SETTINGS_PATH;
  const text2 = await readFile2(path2, "utf8").catch((error) => {
    if (flags.settings === void 0 && isMissing(error)) return void 0;
    throw unreadable2(path2, error);
  });
  return readSettings(text2 === void 0 ? void 0 : { path: path2, text: text2 });
}
async function settingsOrThrow(flags) {
  const reading2 = await findSettings(flags);
  switch (reading2.kind) {
    case "settings":
      return reading2.settings;
    case "none":
      return noSettings;
    case "unreadable": {
      const [first] = reading2.problems;
      throw first === void 0 ? unreadable2(SETTINGS_PATH, void 0) : new MemoryMarkError(first);
    }
  }
}
async function suppliedFor(path2, flags) {
  return settingsFor(path2, await settingsOrThrow(flags)).supplied;
}
function isMissing(error) {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
function unreadable2(path2, cause) {
  const message = isMissing(cause) ? "no such file" : "the settings file cannot be read";
  const fix = "Check the path and its permissions, or run with --no-settings.";
  return new MemoryMarkError({ code: "settings-unreadable", file: path2, message, fix }, { cause });
}

// engine/cli/sources.ts
import { readFile as readFile4, stat as stat2 } from "node:fs/promises";

// engine/models/hub-cache.ts
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile as readFile3, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
var MAX_AGE_MILLIS = 30 * 24 * 60 * 60 * 1e3;
function folderCache(folder, now = Date.now) {
  const fileOf = (url) => path.join(folder, `${createHash("sha256").update(url).digest("hex")}.json`);
  return {
    async read(url) {
      try {
        const { mtimeMs } = await stat(fileOf(url));
        return now() - mtimeMs > MAX_AGE_MILLIS ? void 0 : await readFile3(fileOf(url), "utf8");
      } catch {
        return void 0;
      }
    },
    async write(url, text2) {
      const unfinished2 = path.join(folder, `${randomUUID()}.part`);
      try {
        await mkdir(folder, { recursive: true, mode: 448 });
        await writeFile(unfinished2, text2, { mode: 384 });
        await rename(unfinished2, fileOf(url));
      } catch {
        await rm(unfinished2, { force: true }).catch(() => {
        });
      }
    }
  };
}
function cacheFolder(env, platform = process.platform, home = homedir()) {
  return path.join(userCaches(env, platform, home), "memorymark", "hub");
}
function userCaches(env, platform, home) {
  if (env.XDG_CACHE_HOME) return env.XDG_CACHE_HOME;
  if (platform === "darwin") return path.join(home, "Library", "Caches");
  if (platform === "win32") return env.LOCALAPPDATA || path.join(home, "AppData", "Local");
  return path.join(home, ".cache");
}

// engine/cli/sources.ts
var MAX_FILE_BYTES = 16 * MIB;
function sources(env = process.env) {
  const settings = hubSettings(env);
  const cache = folderCache(cacheFolder(env));
  return { readFile: readSmallFile, ...settings && { hub: createHub({ ...settings, cache }) } };
}
async function readSmallFile(path2) {
  const found = await stat2(path2).catch(() => void 0);
  return found?.isFile() && found.size <= MAX_FILE_BYTES ? readFile4(path2, "utf8") : void 0;
}

// engine/cli/check.ts
async function check(args) {
  const { values, positionals } = parseFlags(args, {
    ...judgingOptions,
    ...settingsOptions,
    json: { type: "boolean" }
  });
  const reading2 = await findSettings(values);
  if (reading2.kind === "unreadable") return refuse(reading2.problems);
  const settings = reading2.kind === "settings" ? reading2.settings : noSettings;
  const options = { ...judgingOf(values, settings), sources: sources() };
  const files = await findFiles(positionals.length === 0 ? ["."] : positionals);
  refuseNamedNonConfigs(files.named);
  const found = files.found.filter(({ path: path2 }) => isCounted(path2, settings));
  const report = await analyze([...files.named, ...found], options);
  console.log(values.json ? JSON.stringify(report, null, 2) : terminal(report));
  return exitCode(report);
}
function refuse(problems) {
  for (const problem of problems) console.error(new MemoryMarkError(problem).message);
  return 2;
}
function refuseNamedNonConfigs(files) {
  for (const file of files) {
    const reading2 = readConfig(file);
    if (reading2.kind !== "not-a-training-config") continue;
    throw new MemoryMarkError({
      code: "not-a-training-config",
      file: file.path,
      message: "this is not a training config",
      fix: `${reading2.why} Name a file that sets a batch size, or a directory to search.`
    });
  }
}
function terminal(report) {
  return renderTerminal(report, {
    color: process.stdout.hasColors?.() ?? false,
    columns: process.stdout.columns ?? 100
  });
}
function exitCode({ configs }) {
  if (configs.some((config) => config.status === "analysed" && config.verdict.state === "blocked")) return 1;
  return configs.some((config) => config.status === "not-analysed") ? 2 : 0;
}

// engine/cli/doctor.ts
async function doctor(args) {
  const { values } = parseFlags(args, { json: { type: "boolean" } });
  const python = pythonCommand();
  const [machine, tfjs] = await Promise.all([describeMachine(python), describeTfjs()]);
  const engine = engineOn(machine);
  console.log(
    values.json ? JSON.stringify({ node: process.version, interpreter: python, machine, engine, tfjs }, null, 2) : page(python, machine, engine, tfjs)
  );
  return 0;
}
function page(python, machine, engine, tfjs) {
  return [
    `node          ${process.version}`,
    ...machineLines(python, machine),
    `tensorflow.js ${"why" in tfjs ? `cannot run here: ${plainText(lastLine(tfjs.why), 300)}` : `${tfjs.label}, ${tfjs.provenance}`}`,
    `engine auto   ${engine}: ${meaning[engine]}`,
    ...[...advice2(machine), ...quantisingAdvice(machine), ...tfjsAdvice(tfjs)].map((line) => `to do         ${line}`)
  ].join("\n");
}
var meaning = {
  estimate: "memory and speed are modelled",
  trace: "memory from PyTorch's own graph, without a GPU; speed is modelled",
  torch: "memory and speed are measured"
};
function machineLines(python, machine) {
  if (machine.kind === "no-python")
    return [`python        ${python}: no PyTorch. ${plainText(lastLine(machine.why), 300)}`];
  return [
    `python        ${python}: ${machine.python}`,
    `libraries     ${softwareOf(machine)}${machine.hasBitsandbytes ? ", bitsandbytes" : ""}`,
    `device        ${deviceWords(machine.device)}`
  ];
}
function deviceWords(device) {
  switch (device.kind) {
    case "cuda":
      return `${device.count > 1 ? `${device.count} × ` : ""}${device.name}, ${formatGib(device.totalBytes)}, of which the CUDA context uses ${formatGib(device.contextBytes)}`;
    case "mps":
      return `${device.name}, ${formatGib(device.totalBytes)}`;
    case "cpu":
    case "none":
      return "neither CUDA nor MPS";
  }
}
function tfjsAdvice(tfjs) {
  if (!("why" in tfjs) && tfjs.provenance === "measured") return [];
  return ["For training in TensorFlow.js, install @tensorflow/tfjs-node-gpu, so that `tfjs` can measure."];
}
function quantisingAdvice(machine) {
  if (machine.kind === "no-python" || machine.hasBitsandbytes) return [];
  return ["pip install bitsandbytes, so that configs with 4-bit and 8-bit base models can be traced or measured too."];
}
function advice2(machine) {
  if (machine.kind === "no-python") {
    return ["pip install torch transformers, and set MEMORYMARK_PYTHON to that interpreter, so that `trace` can run."];
  }
  switch (machine.device.kind) {
    case "cuda":
    case "mps":
      return [];
    case "cpu":
    case "none":
      return ["On a machine with an NVIDIA GPU, install a CUDA build of torch, so that `torch` can measure."];
  }
}
function lastLine(text2) {
  return text2.trim().split("\n").at(-1) ?? "";
}

// engine/cli/spec-flags.ts
var specOptions = {
  "batch-size": { type: "string" },
  "gradient-accumulation": { type: "string" },
  "sequence-length": { type: "string" },
  "target-length": { type: "string" },
  "image-size": { type: "string" },
  labels: { type: "string" },
  task: { type: "string" },
  step: { type: "string" },
  optimizer: { type: "string" },
  precision: { type: "string" },
  attention: { type: "string" },
  loop: { type: "string" },
  framework: { type: "string" },
  padded: { type: "boolean" },
  "gradient-checkpointing": { type: "boolean" },
  "fused-loss": { type: "boolean" },
  "lora-rank": { type: "string" },
  "lora-targets": { type: "string" },
  "lora-dropout": { type: "string" },
  quantization: { type: "string" },
  gpus: { type: "string" },
  sharding: { type: "string" },
  ...settingsOptions
};
function changesOf2(values) {
  const count = (flag, max) => numberFlag(`--${flag}`, values[flag]?.toString(), { integer: true, max });
  return {
    microBatch: count("batch-size", MAX_BATCH),
    gradientAccumulation: count("gradient-accumulation", MAX_BATCH),
    sequenceLength: count("sequence-length", 1e7),
    targetLength: count("target-length", 1e7),
    imageSize: count("image-size", 1e5),
    labels: count("labels", 1e6),
    task: oneOf("--task", values.task, tasks),
    step: oneOf("--step", values.step, stepProfiles),
    optimizer: oneOf("--optimizer", values.optimizer, optimizers),
    precision: oneOf("--precision", values.precision, precisions),
    attention: oneOf("--attention", values.attention, attentions),
    loop: oneOf("--loop", values.loop, loops),
    framework: oneOf("--framework", values.framework, frameworks),
    paddedBatches: values.padded,
    gradientCheckpointing: values["gradient-checkpointing"],
    fusedLoss: values["fused-loss"],
    lora: loraOf(values, count("lora-rank", 1e4)),
    quantization: oneOf("--quantization", values.quantization, quantizations),
    gpus: count("gpus", 1e5),
    sharding: oneOf("--sharding", values.sharding, shardings)
  };
}
function loraOf(values, rank) {
  if (rank === void 0) {
    const stray = ["lora-targets", "lora-dropout", "quantization"].find((flag) => values[flag] !== void 0);
    if (stray !== void 0) throw missingRank(stray);
    return void 0;
  }
  const targets = values["lora-targets"]?.split(",").map((target) => target.trim());
  const dropout = values["lora-dropout"] === void 0 ? 0 : Number(values["lora-dropout"]);
  if (!(dropout >= 0 && dropout < 1)) {
    throw new MemoryMarkError({
      code: "out-of-range",
      field: "--lora-dropout",
      message: `"${values["lora-dropout"]}" is not a probability`,
      fix: "Use a number from 0 up to, but not including, 1."
    });
  }
  return { rank, targets: targets?.filter((target) => target !== "") ?? [...defaultLoraTargets], dropout };
}
function missingRank(flag) {
  return new MemoryMarkError({
    code: "usage",
    field: `--${flag}`,
    message: "this option is about adapters, but there are none",
    fix: "Add --lora-rank."
  });
}

// engine/cli/subject.ts
import { stat as stat3 } from "node:fs/promises";
import { join as join2 } from "node:path";
var flagNames = {
  task: "--task",
  sequenceLength: "--sequence-length",
  gradientCheckpointing: "--gradient-checkpointing",
  quantization: "--quantization"
};
async function readSubject(positionals, values) {
  const subject = await subjectOf(positionals, values);
  const spec = adjusted(subject.spec, subject.model, changesOf2(values), (field) => flagNames[field] ?? field);
  return { ...subject, spec, assumptions: [...subject.assumptions, ...derivationOf(spec, subject.model.config)] };
}
async function subjectOf(positionals, values) {
  const [name] = positionals;
  if (name === void 0 || positionals.length > 1) {
    throw new MemoryMarkError({
      code: "usage",
      message: name === void 0 ? "no model or config is named" : "more than one model or config is named",
      fix: "Name one: a model such as bert, a Hugging Face Hub id, or a config file."
    });
  }
  return await namesModel(name) ? modelSubject(name) : configSubject(name, values);
}
async function namesModel(name) {
  return !await exists(name) || await exists(join2(name, "config.json"));
}
async function modelSubject(name) {
  const resolution = await resolveModel(name, sources());
  if (resolution.kind !== "resolved") throw new MemoryMarkError(modelProblem(name, resolution));
  const { model, sentence } = resolution;
  return { path: model.id, spec: specOf(model), model, assumptions: sentence === void 0 ? [] : [sentence] };
}
async function configSubject(path2, flags) {
  const { named } = await findFiles([path2]);
  const [file] = named;
  const reading2 = file && await readWithSettings(file, flags);
  if (reading2?.kind === "training-config") {
    const { spec, model, assumptions } = reading2;
    return { path: path2, spec, model, assumptions };
  }
  const [problem] = reading2?.kind === "unreadable" ? reading2.problems : [];
  throw new MemoryMarkError(
    problem ?? {
      code: "not-a-training-config",
      file: path2,
      message: "this is not a training config",
      fix: `${reading2?.kind === "not-a-training-config" ? `${reading2.why} ` : ""}Name a file that sets a batch size, or a model.`
    }
  );
}
async function readWithSettings(file, flags) {
  const supplied = await suppliedFor(file.path, flags);
  return readConfigAsync(file, sources(), supplied);
}
async function exists(path2) {
  return stat3(path2).then(
    () => true,
    () => false
  );
}

// engine/cli/estimate.ts
async function estimate(args) {
  const { values, positionals } = parseFlags(args, {
    ...specOptions,
    gpu: { type: "string" },
    json: { type: "boolean" }
  });
  const subject = await readSubject(positionals, values);
  const assessment = assess(subject.spec, subject.model.config, {
    gpu: gpuFlag(values.gpu),
    policy: defaultPolicy,
    footprints: new FootprintCache(),
    hoursPerRun: DEFAULT_HOURS_PER_RUN,
    runsPerYear: DEFAULT_RUNS_PER_YEAR
  });
  console.log(values.json ? JSON.stringify(summary(subject, assessment), null, 2) : terminal2(subject, assessment));
  return 0;
}
function summary({ assumptions }, assessment) {
  const { spec, gpu: gpu2, current, recommended, largest } = assessment;
  return {
    model: spec.model,
    spec,
    gpu: gpu2,
    provenance: assessment.provenance,
    errorBandPercent: assessment.errorBandPercent,
    batchSize: current.microBatch,
    fits: current.fits,
    peakBytes: current.peakBytes,
    peakMoment: assessment.peakMoment,
    breakdown: assessment.breakdown,
    usableBytes: gpu2.usableBytes,
    wasteBytes: idleBytes(gpu2, current),
    wastePercent: idlePercent(gpu2, current),
    largestBatch: largest?.microBatch ?? null,
    recommendedBatch: recommended?.microBatch ?? null,
    recommendedAccumulation: recommended?.gradientAccumulation ?? null,
    headroomBytes: recommended ? idleBytes(gpu2, recommended) : null,
    speedup: assessment.speedup,
    throughputProvenance: assessment.throughputProvenance,
    savingsPerRunUsd: assessment.savingsPerRunUsd,
    savingsPerYearUsd: assessment.savingsPerYearUsd,
    assumptions
  };
}
function terminal2({ path: path2, assumptions }, assessment) {
  const report = {
    schema: REPORT_SCHEMA,
    toolVersion: version,
    createdAt: (/* @__PURE__ */ new Date()).toISOString(),
    policy: defaultPolicy,
    configs: [{ status: "analysed", path: path2, dialect: "command line", assumptions: [...assumptions], ...assessment }]
  };
  const page2 = renderTerminal(report, {
    color: process.stdout.hasColors?.() ?? false,
    columns: process.stdout.columns ?? 100,
    judges: false
  });
  return assumptions.length === 0 ? page2 : [page2, "", ...assumptions].join("\n");
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
  return names[setting] ?? words(setting);
}
function settingValue({ value }) {
  if (isLora(value)) return `rank ${value.rank} on ${value.targets.map(plain).join(", ")}`;
  return shown2(value);
}
function shown2(value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(shown2).join(", ");
  if (typeof value !== "object" || value === null) return plain(String(value));
  return Object.entries(value).map(([key, part2]) => key === "kind" ? shown2(part2) : `${words(key)} ${shown2(part2)}`).join(", ");
}
function words(key) {
  return key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
function settingOrigin({ from }) {
  switch (from.kind) {
    case "field":
      return placeOf(from.field);
    case "default":
      return from.source;
  }
}
function placeOf({ file, at, name }) {
  return `${file === void 0 ? "" : `${plain(file)}, `}line ${at.line}, column ${at.column} (${name})`;
}
function isLora(value) {
  return typeof value === "object" && value !== null && "targets" in value;
}

// engine/cli/explain.ts
async function explain(args) {
  const { values, positionals } = parseFlags(args, settingsOptions);
  const { named } = await findFiles(positionals);
  const [file] = named;
  if (file === void 0 || named.length !== positionals.length) {
    throw new MemoryMarkError({
      code: "usage",
      message: "explain takes config files, not directories",
      fix: "Run `memorymark explain configs/train.yaml`."
    });
  }
  for (const each of named) {
    const supplied = await suppliedFor(each.path, values);
    const explanation = await explainConfigAsync(each, sources(), supplied);
    console.log(`${each.path}
${rendered(explanation)}
`);
  }
  return 0;
}
function rendered(explanation) {
  switch (explanation.kind) {
    case "recognised":
      return [
        `  ${explanation.dialect}, recognised by ${plain(explanation.why)}`,
        ...table(explanation.decisions),
        ...explanation.assumptions.map((sentence) => `  assumed: ${sentence}`),
        ...outcome(explanation.reading)
      ].join("\n");
    case "not-recognised":
      return outcome(explanation.reading).join("\n");
  }
}
function outcome(reading2) {
  switch (reading2.kind) {
    case "training-config":
      return [];
    case "not-a-training-config":
      return [`  Not a training config. ${reading2.why}`];
    case "unreadable":
      return reading2.problems.map(shown3);
  }
}
function shown3(problem) {
  const { file: _, ...inFile } = problem;
  const place = problem.line === void 0 ? "" : `line ${problem.line}: `;
  return `  ${place}${formatWhere({ ...inFile, line: void 0, column: void 0 })}${problem.message}. ${problem.fix}`;
}
function table(decisions) {
  const rows = decisions.map((decision) => [settingName(decision), settingValue(decision), settingOrigin(decision)]);
  const width = (column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0));
  const [first, second] = [width(0), width(1)];
  return rows.map(([name = "", value = "", from = ""]) => `  ${name.padEnd(first)}  ${value.padEnd(second)}  ${from}`);
}

// engine/gpus/device-name.ts
function gpuNamed(deviceName) {
  const given = wordsOf(deviceName);
  const named = gpus.filter(({ name }) => [...wordsOf(name)].every((word) => given.has(word)));
  return named.toSorted((a, b) => wordsOf(b.name).size - wordsOf(a.name).size)[0];
}
function wordsOf(name) {
  const words3 = name.toLowerCase().replaceAll(/(\d+) gb/g, "$1gb").split(/[\s-]+/);
  return new Set(words3.filter((word) => word !== "nvidia" && word !== "tesla"));
}

// engine/interruption.ts
var INTERRUPTED = 130;
var Interruption = class {
  #controller = new AbortController();
  #graceMillis;
  #abort = () => {
    this.#controller.abort();
    if (this.#graceMillis !== void 0) setTimeout(() => process.exit(INTERRUPTED), this.#graceMillis).unref();
  };
  /** `graceMillis`: after so long the process ends, whatever still runs. */
  constructor({ graceMillis } = {}) {
    this.#graceMillis = graceMillis;
    process.once("SIGINT", this.#abort);
    process.once("SIGTERM", this.#abort);
  }
  get signal() {
    return this.#controller.signal;
  }
  [Symbol.dispose]() {
    process.off("SIGINT", this.#abort);
    process.off("SIGTERM", this.#abort);
  }
};

// engine/render/trial-line.ts
var BAR_CELLS = 20;
function trialLine({ microBatch, accumulates, outcome: outcome2 }, device, count) {
  const peak = peakOf(outcome2);
  const filled = bar(peak === void 0 ? 0 : peak / Math.max(1, device.usableBytes), BAR_CELLS);
  const memory = (peak === void 0 ? "no peak" : formatGib(peak)).padStart(9);
  const result = `${words2(outcome2)}${accumulates ? ", beside accumulated gradients" : ""}`;
  return `trial ${String(count).padStart(2)}  batch ${String(microBatch).padStart(5)}  ${memory}  ${filled}  ${result}`;
}
function words2(outcome2) {
  switch (outcome2.kind) {
    case "fits":
      return outcome2.stepMillis === void 0 ? "fits" : `${outcome2.stepMillis.toFixed(0)} ms`;
    case "out-of-memory":
      return "out of memory";
    case "timed-out":
      return `timed out after ${Math.round(outcome2.afterMillis / 1e3)} s`;
    case "failed":
      return `failed: ${plainText(outcome2.problem.message, 200)}`;
  }
}

// engine/metrics/spread.ts
function widestSpread(trials, pick) {
  const percents = trials.flatMap(({ outcome: outcome2 }) => {
    const [figure, spread] = outcome2.kind === "fits" ? pick(outcome2) : [];
    return figure === void 0 || spread === void 0 || figure === 0 ? [] : [100 * spread / figure];
  });
  return percents.length === 0 ? void 0 : Math.min(100, Math.ceil(Math.max(...percents) * 10) / 10);
}

// engine/metrics/throughput.ts
var Throughput = class {
  #readings;
  #optimizerMillis;
  #modelled;
  #bandPercent;
  constructor(trials, modelled) {
    this.#bandPercent = widestSpread(trials, (outcome2) => [outcome2.stepMillis, outcome2.stepMillisSpread]);
    const timed = trials.flatMap(
      ({ microBatch, outcome: outcome2 }) => outcome2.kind === "fits" && outcome2.stepMillis !== void 0 && outcome2.stepMillisSpread !== void 0 ? [{ microBatch, stepMillis: outcome2.stepMillis, optimizerMillis: outcome2.optimizerMillis ?? 0 }] : []
    );
    this.#readings = timed.map(({ microBatch, stepMillis, optimizerMillis }) => ({
      microBatch,
      microStepMillis: Math.max(Number.EPSILON, stepMillis - optimizerMillis)
    })).toSorted((a, b) => a.microBatch - b.microBatch);
    this.#optimizerMillis = Math.min(...timed.map(({ optimizerMillis }) => optimizerMillis));
    this.#modelled = modelled;
  }
  /** The widest spread of the timed steps, in percent of their median; undefined where none were. */
  get bandPercent() {
    return this.#bandPercent;
  }
  samplesPerSecond(microBatch, accumulation) {
    if (this.#readings.length === 0) return this.#modelled(microBatch, accumulation);
    const stepMillis = accumulation * this.#microStepMillis(microBatch) + this.#optimizerMillis;
    return 1e3 * microBatch * accumulation / stepMillis;
  }
  /** Linear interpolation between measurements; beyond them, the nearest measured time, scaled by the model. */
  #microStepMillis(microBatch) {
    const above = this.#readings.find((reading2) => reading2.microBatch >= microBatch);
    const below = this.#readings.findLast((reading2) => reading2.microBatch <= microBatch);
    if (above && below) {
      const share2 = above === below ? 0 : (microBatch - below.microBatch) / (above.microBatch - below.microBatch);
      return below.microStepMillis + share2 * (above.microStepMillis - below.microStepMillis);
    }
    const nearest = above ?? below;
    if (nearest === void 0) throw new Error("no reading to answer from");
    const seconds = (batch) => batch / this.#modelled(batch, 1);
    return nearest.microStepMillis * (seconds(microBatch) / seconds(nearest.microBatch));
  }
};

// engine/search/search.ts
async function search(runTrial, { strategy, space, known = [], signal }) {
  const tried = known.flatMap(triedOf);
  for (; ; ) {
    const move = strategy(tried, space);
    if (move.kind === "done") {
      return { kind: "found", largest: move.largest < 0 ? void 0 : space.grid.at(move.largest) };
    }
    if (signal?.aborted) return { kind: "cancelled" };
    const trial = await runTrial(space.grid.at(move.index));
    if (signal?.aborted) return { kind: "cancelled" };
    if (isBroken(trial.outcome)) return { kind: "broken-off", trial };
    tried.push(...triedOf(trial));
  }
}

// engine/search/swept-memory.ts
var SweptMemory = class {
  #record;
  #estimates;
  #largest;
  /** `largest`: the micro-batch that the search found. */
  constructor(record, estimates, largest) {
    this.#record = record;
    this.#estimates = estimates;
    this.#largest = largest;
  }
  peakBytes(microBatch, accumulates) {
    const known = this.#record.peak(microBatch, accumulates);
    if (known !== void 0) return known;
    const ratio = nearestRatio(
      this.#record.trials.map((trial) => ({ ...trial, peakBytes: peakOf(trial.outcome) })),
      (trial) => this.#predicted(trial.microBatch, trial.accumulates ?? false)
    );
    return this.#predicted(microBatch, accumulates) * ratio(microBatch);
  }
  /** Beside the gradients of another micro-batch, less fits than the search found. */
  fits(microBatch, accumulates, margin = 0) {
    const tried = this.#record.fits(microBatch, accumulates);
    if (tried === false || tried === void 0 && microBatch > this.#largest) return false;
    const isKnown = tried ?? !accumulates;
    const limit = this.#estimates.of(accumulates).usableBytes * (1 - margin);
    return isKnown && margin === 0 || this.peakBytes(microBatch, accumulates) <= limit;
  }
  #predicted(microBatch, accumulates) {
    return this.#estimates.of(accumulates).peak(microBatch).bytes;
  }
};

// engine/search/trial-record.ts
var TrialRecord = class {
  #probe;
  #listeners;
  /** By size: micro-batches alone, and beside the gradients of an earlier one. */
  #alone = /* @__PURE__ */ new Map();
  #accumulating = /* @__PURE__ */ new Map();
  constructor(probe, listeners = {}) {
    this.#probe = probe;
    this.#listeners = listeners;
  }
  /** Ascending by size. */
  get trials() {
    return [...this.#alone.values(), ...this.#accumulating.values()].map(({ trial }) => trial).toSorted((a, b) => a.microBatch - b.microBatch);
  }
  get knowsPeaks() {
    return this.trials.some(({ outcome: outcome2 }) => peakOf(outcome2) !== void 0);
  }
  peak(microBatch, accumulates) {
    const known = this.#known(accumulates).get(microBatch);
    return known && peakOf(known.trial.outcome);
  }
  /** Undefined if it was not tried. */
  fits(microBatch, accumulates) {
    const known = this.#known(accumulates).get(microBatch);
    return known && known.trial.outcome.kind === "fits";
  }
  async run(microBatch, { accumulates = false, steps = 0 } = {}) {
    const known = this.#known(accumulates).get(microBatch);
    if (known && (known.steps >= steps || known.trial.outcome.kind !== "fits")) return known.trial;
    const { signal, onStart, onTrial } = this.#listeners;
    onStart?.(microBatch);
    const options = { accumulates, ...steps > 0 && { steps }, ...signal && { signal } };
    const trial = await this.#probe.trial(microBatch, options);
    if (signal?.aborted) return trial;
    this.#known(accumulates).set(microBatch, { trial, steps });
    onTrial?.(trial, this.#probe.device);
    return trial;
  }
  #known(accumulates) {
    return accumulates ? this.#accumulating : this.#alone;
  }
};

// engine/sweep.ts
var TIMED_STEPS = 8;
var SIZES_BETWEEN = 2;
async function sweep(spec, config, options) {
  const { probe, strategy, signal, footprints, margin = DEFAULT_MARGIN } = options;
  const grid = new Grid(options.stepSize);
  const gpu2 = gpuOf(options.gpu, probe.device);
  const estimates = new EstimateProbes(spec, config, gpu2, footprints);
  const record = new TrialRecord(probe, options);
  const accumulates = accumulatesGradients(spec);
  const current = await record.run(spec.microBatch, { accumulates });
  if (signal?.aborted) return { kind: "cancelled", trials: record.trials };
  if (isBroken(current.outcome)) return { kind: "broken-off", trial: current, trials: record.trials };
  const found = await search((batch) => record.run(batch), {
    strategy,
    space: { grid, prediction: predictionOf(estimates.of(false), grid) },
    known: [current],
    ...signal && { signal }
  });
  if (found.kind !== "found") return unfinished(found, record);
  const largest = largestKnown(found.largest, spec.microBatch, grid, record);
  if (!record.knowsPeaks) return sizesOnly("no-peaks", largest, record);
  if (spec.framework !== "pytorch") return sizesOnly("other-framework", largest, record);
  const memory = new SweptMemory(record, estimates, largest ?? 0);
  const isTimed = probe.engine === "torch";
  const { advice: advice3, samplesPerSecond, throughputBandPercent } = await recommendVerified(spec, {
    grid,
    record,
    isTimed,
    fits: (microBatch, beside) => memory.fits(microBatch, beside, margin),
    modelled: (microBatch, accumulation) => estimates.of(accumulates).samplesPerSecond(microBatch, accumulation)
  });
  if (signal?.aborted) return { kind: "cancelled", trials: record.trials };
  const evidence = {
    gpu: reportedGpu(gpu2),
    provenance: probe.provenance,
    errorBandPercent: probe.provenance === "measured" ? memorySpread(record) : errorBandPercent(spec, config),
    throughputProvenance: isTimed && advice3 !== void 0 ? "measured" : "modelled",
    ...throughputBandPercent !== void 0 && { throughputBandPercent },
    largest,
    advice: advice3,
    trials: record.trials,
    fits: (plan) => memory.fits(plan.microBatch, accumulatesGradients(spec, plan)),
    peakBytes: (plan) => memory.peakBytes(plan.microBatch, accumulatesGradients(spec, plan)),
    samplesPerSecond
  };
  const assessment = assess(spec, config, { ...options, gpu: gpu2 }, evidence);
  return { kind: "assessed", assessment, assumptions: assumptionsOf(assessment, record, probe) };
}
function largestKnown(found, own, grid, record) {
  return grid.indexOf(own) === grid.indexOf(found ?? 0) && record.fits(own, false) ? own : found;
}
function largestWords(largest, spec) {
  if (largest === void 0) return "Not even one sample fits";
  const alone = accumulatesGradients(spec) ? ", without gradient accumulation," : "";
  return `Batch ${largest} is the largest that fits${alone}`;
}
function unfinished(found, { trials }) {
  return found.kind === "cancelled" ? { kind: "cancelled", trials } : { ...found, trials };
}
function memorySpread({ trials }) {
  return widestSpread(trials, ({ peakBytes, peakBytesSpread }) => [peakBytes, peakBytesSpread]) ?? 0;
}
function sizesOnly(why, largest, { trials }) {
  return { kind: "sizes-only", why, largest, trials };
}
function gpuOf(gpu2, { name, totalBytes, usableBytes: usableBytes2 }) {
  return { ...gpu2, name, totalBytes, contextBytes: totalBytes - usableBytes2 };
}
function predictionOf(estimate2, grid) {
  const largest = largestBatch(estimate2, grid);
  return {
    largest: largest === void 0 ? -1 : grid.indexOf(largest),
    peakBytes: (microBatch) => estimate2.peak(microBatch).bytes,
    usableBytes: estimate2.usableBytes
  };
}
async function recommendVerified(spec, recommending) {
  const { grid, record, isTimed, fits, modelled } = recommending;
  const steps = isTimed ? TIMED_STEPS : 0;
  const current = planOf(spec);
  const tooLarge = { alone: Number.POSITIVE_INFINITY, accumulating: Number.POSITIVE_INFINITY };
  for (; ; ) {
    const largestWithMargin = (isSeveral) => {
      const accumulates2 = accumulatesGradients(spec, { gradientAccumulation: isSeveral ? 2 : 1 });
      const limit = tooLarge[accumulates2 ? "accumulating" : "alone"];
      const allowed = (size) => size < limit && fits(size, accumulates2);
      const found = findLargest(grid, 0, allowed);
      return spec.microBatch > (found ?? 0) && allowed(spec.microBatch) ? spec.microBatch : found;
    };
    const top = largestWithMargin(false);
    if (isTimed && top !== void 0) await timeSizes(spec, recommending, top);
    const throughput = new Throughput(record.trials, modelled);
    const samplesPerSecond = (plan) => throughput.samplesPerSecond(plan.microBatch, plan.gradientAccumulation);
    const advice3 = advise({ current, bounds: batchBounds(spec), grid, largestWithMargin, samplesPerSecond });
    if (advice3 === void 0) break;
    const { microBatch } = advice3.recommended;
    const accumulates = accumulatesGradients(spec, advice3.recommended);
    const { outcome: outcome2 } = await record.run(microBatch, { accumulates, steps });
    if (isBroken(outcome2)) return { advice: void 0, samplesPerSecond };
    if (outcome2.kind === "fits" && fits(microBatch, accumulates)) {
      const { bandPercent } = throughput;
      return { advice: advice3, samplesPerSecond, ...bandPercent !== void 0 && { throughputBandPercent: bandPercent } };
    }
    tooLarge[accumulates ? "accumulating" : "alone"] = microBatch;
  }
  return {
    advice: void 0,
    samplesPerSecond: (plan) => modelled(plan.microBatch, plan.gradientAccumulation)
  };
}
async function timeSizes(spec, { record, grid, fits }, top) {
  const accumulates = accumulatesGradients(spec);
  const lowest = Math.min(spec.microBatch, top);
  const sizes = /* @__PURE__ */ new Set([top]);
  for (let part2 = 1; part2 <= SIZES_BETWEEN; part2++) {
    const between = lowest * (top / lowest) ** (part2 / (SIZES_BETWEEN + 1));
    sizes.add(grid.at(Math.max(0, grid.indexOf(between))));
  }
  const steps = TIMED_STEPS;
  if (fits(spec.microBatch, accumulates)) await record.run(spec.microBatch, { accumulates, steps });
  for (const size of [...sizes].toSorted((a, b) => a - b)) await record.run(size, { steps });
}
function assumptionsOf(assessment, record, probe) {
  const { provenance, throughputProvenance: throughputProvenance2, current } = assessment;
  const { name, software } = probe.device;
  const by = software === "" ? "" : ` (${software})`;
  const unread = [assessment.current, assessment.recommended, assessment.largest].some(
    (point) => point !== void 0 && record.peak(point.microBatch, accumulatesGradients(assessment.spec, point)) === void 0
  );
  return [
    `Peak memory is ${provenance} for the ${name}${by}; throughput is ${throughputProvenance2}.`,
    ...provenance === "estimated" ? [] : ["The memory breakdown, the suggestion that frees most memory and the cheaper GPU are modelled."],
    ...unread && provenance !== "estimated" ? [`For a size that ran out of memory, the peak is modelled and corrected by the sizes that were ${provenance}.`] : [],
    ...throughputProvenance2 === "measured" && !current.fits ? ["The current batch does not run, so its throughput is extrapolated from the sizes that do."] : []
  ];
}

// engine/cli/progress.ts
var ERASE_LINE = "\r\x1B[2K";
var SweepProgress = class {
  #stream;
  #count = 0;
  constructor(stream = process.stderr) {
    this.#stream = stream;
  }
  started = (microBatch) => {
    this.#count++;
    if (this.#stream.isTTY) this.#stream.write(`trial ${this.#count}: batch ${microBatch} …`);
  };
  tried = (trial, device) => {
    if (this.#stream.isTTY) this.#stream.write(ERASE_LINE);
    this.#stream.write(`${trialLine(trial, device, this.#count)}
`);
  };
  /** Removes the unfinished line. */
  ended = () => {
    if (this.#stream.isTTY) this.#stream.write(ERASE_LINE);
  };
};

// engine/cli/sweep.ts
var MAX_STEP_SIZE = 1e3;
async function sweep2(args) {
  var _stack = [];
  try {
    const { values, positionals } = parseFlags(args, {
      ...specOptions,
      engine: { type: "string" },
      strategy: { type: "string" },
      "step-size": { type: "string" },
      "limit-memory": { type: "string" },
      device: { type: "string" },
      "allow-entrypoint": { type: "string" },
      ...judgingOptions,
      json: { type: "boolean" }
    });
    const subject = await readSubject(positionals, values);
    const engine = oneOf("--engine", values.engine, ["auto", ...engines]) ?? "auto";
    const strategy = strategies[oneOf("--strategy", values.strategy, strategyNames) ?? "predict-verify"];
    const stepSize = numberFlag("--step-size", values["step-size"], { integer: true, max: MAX_STEP_SIZE });
    const deviceKind = oneOf("--device", values.device, deviceKinds);
    const limitMemoryBytes = memoryFlag("--limit-memory", values["limit-memory"]);
    const entrypoint = values["allow-entrypoint"];
    const judging2 = judgingOf(values, await settingsOrThrow(values));
    const planned = assessmentOptionsFor(subject.path, judging2);
    const progress = new SweepProgress();
    const interruption = __using(_stack, new Interruption());
    const probe = __using(_stack, await openProbe(engine, {
      spec: subject.spec,
      config: subject.model.config,
      footprints: planned.footprints,
      gpu: planned.gpu,
      python: pythonCommand(),
      log: (text2) => console.error(text2),
      ...deviceKind && { deviceKind },
      ...limitMemoryBytes && { limitMemoryBytes },
      ...entrypoint && { entrypoint }
    }), true);
    const options = optionsOn(probe, subject.path, judging2, planned);
    const result = await sweep(subject.spec, subject.model.config, {
      ...options,
      probe,
      strategy,
      stepSize: stepSize ?? options.stepSize ?? DEFAULT_STEP_SIZE,
      signal: interruption.signal,
      onStart: progress.started,
      onTrial: progress.tried
    });
    progress.ended();
    if (result.kind === "cancelled") return interrupted(result.trials, probe);
    if (result.kind === "sizes-only") return printSizes(result, subject.spec, probe.device, values.json ?? false);
    const assumptions = entrypoint === void 0 ? [] : [`The step is ${entrypoint}; modelled figures are those of ${subject.spec.model}.`];
    return print(configResult(subject, result, assumptions), options.policy, values.json ?? false);
  } catch (_) {
    var _error = _, _hasError = true;
  } finally {
    var _promise = __callDispose(_stack, _error, _hasError);
    _promise && await _promise;
  }
}
function optionsOn({ engine, device }, path2, judging2, planned) {
  const card = engine === "torch" && judging2.gpu === void 0 ? gpuNamed(device.name) : void 0;
  return card === void 0 ? planned : assessmentOptionsFor(path2, { ...judging2, gpu: card });
}
function interrupted(trials, probe) {
  const fitting = trials.filter(({ outcome: outcome2 }) => outcome2.kind === "fits").map(({ microBatch }) => microBatch);
  const known = fitting.length === 0 ? "No batch size is known to fit." : `Batch ${Math.max(...fitting)} fits.`;
  console.log(
    [...trials.map((trial, index) => trialLine(trial, probe.device, index + 1)), `Interrupted. ${known}`].join("\n")
  );
  return INTERRUPTED;
}
var sizesOnlyBecause = {
  "no-peaks": "PyTorch does not report peak memory on this device, so waste and cost are left out.",
  "other-framework": "The memory breakdown and speed are modelled for PyTorch only, so waste and cost are left out."
};
function printSizes({ why, largest, trials }, spec, device, asJson) {
  console.log(
    asJson ? JSON.stringify({ device, largestBatch: largest ?? null, trials }, null, 2) : `${largestWords(largest, spec)} in ${formatGib(device.usableBytes)} of ${device.name}. ${sizesOnlyBecause[why]}`
  );
  return 0;
}
function configResult({ path: path2, assumptions: taken }, result, assumptions) {
  switch (result.kind) {
    case "assessed":
      return {
        status: "analysed",
        path: path2,
        dialect: "command line",
        ...result.assessment,
        assumptions: [...taken, ...result.assumptions, ...assumptions]
      };
    case "broken-off":
      return { status: "not-analysed", path: path2, problems: [brokenTrialProblem(result.trial)] };
  }
}
function print(config, policy, asJson) {
  const report = {
    schema: REPORT_SCHEMA,
    toolVersion: version,
    createdAt: (/* @__PURE__ */ new Date()).toISOString(),
    policy,
    configs: [config]
  };
  console.log(asJson ? JSON.stringify(report, null, 2) : terminal3(report, config));
  if (config.status === "not-analysed") return 2;
  return config.verdict.state === "blocked" ? 1 : 0;
}
function terminal3(report, config) {
  const page2 = renderTerminal(report, {
    color: process.stdout.hasColors?.() ?? false,
    columns: process.stdout.columns ?? 100
  });
  return config.status === "analysed" ? [page2, "", ...config.assumptions].join("\n") : page2;
}

// engine/cli/usage.ts
var commands = {
  check: {
    form: "check [paths…]",
    purpose: "find training configs (default: in the working directory) and judge each",
    options: `
  --gpu <id>                   GPU that the training runs on (default a10)
  --fail-on <conditions>       what blocks: "waste > 40 %", "throughput-loss > 10 %", "annual-cost > $500", "never"
  --warn-on <conditions>       what only gives a warning
  --price-per-hour <usd>       price of one GPU hour, instead of the catalogue's
  --hours-per-run <hours>      length of a run at the current batch (default 2)
  --runs-per-year <count>      runs per year (default 100)
  --settings <file>            settings file (default .github/memorymark.yml, if it exists); options override it
  --no-settings                ignore the settings file
  --json                       print the report as JSON`
  },
  estimate: {
    form: "estimate <model-id-or-config>",
    purpose: "estimate the memory of one model or config, without a GPU",
    options: `
  --gpu <id>                   GPU that the training runs on (default a10)
  --batch-size <n>             samples per GPU and forward pass: the micro-batch (default 16)
  --gradient-accumulation <n>  micro-batches per optimizer step (default 1)
  --sequence-length <tokens>   for text (default 128)
  --target-length <tokens>     targets of a sequence-to-sequence model (default: as long as the source)
  --image-size <pixels>        for images (default: the size that the model was trained on)
  --task sequence-classification|masked-lm|causal-lm|seq2seq-lm|image-classification|object-detection
  --labels <n>                 classes of a classification head (default 2)
  --step training|forward-backward
  --optimizer adamw|adamw-fused|adamw-loop|sgd|sgd-momentum|adafactor|lion|adamw-8bit|paged-adamw-8bit|paged-adamw
  --precision fp32|tf32|bf16|bf16-master|amp-bf16|amp-fp16
  --attention sdpa|eager
  --gradient-checkpointing
  --lora-rank <n>              LoRA adapters over frozen weights; with --lora-targets q_proj,v_proj,… --lora-dropout <p>
  --quantization nf4|nf4-double|int8|gptq|awq   quantised base weights under the adapters
  --gpus <n>                   GPUs that share the training; with --sharding ddp|zero1|zero2|zero3|fsdp|fsdp-grad-op
  --fused-loss                 Liger's or another loss that never materialises all logits
  --padded                     batches carry a padding mask
  --loop plain|trainer|ultralytics    what runs the step: a plain PyTorch loop, Hugging Face's Trainer or Ultralytics'
  --framework pytorch|tensorflow.js   TensorFlow.js works with \`sweep\` only
  --settings <file>            settings file (default .github/memorymark.yml, if it exists), for what a config cannot say
  --no-settings                ignore the settings file
  --json                       print one JSON object`
  },
  sweep: {
    form: "sweep <model-id-or-config>",
    purpose: "find the largest batch by running trials",
    options: `
  --engine auto|estimate|trace|torch|tfjs   what runs a trial (default auto: the best that this machine has)
  --strategy predict-verify|bisect|linear   how to search (default predict-verify: two to four trials)
  --step-size <n>              try every size up to this one, then its multiples (default 8)
  --limit-memory <size>        cap the device's memory, to emulate a smaller card: 22.1GiB
  --device cuda|mps|cpu        device for the torch engine (default: the best); cpu needs --limit-memory
  --allow-entrypoint <path.py:function>   run your own step; the function gets (spec, device), returns (model, make_batch)
  --fail-on, --warn-on, --price-per-hour, --hours-per-run, --runs-per-year as in \`check\`, and every option of \`estimate\``
  },
  explain: {
    form: "explain <config…>",
    purpose: "show how a config is read: its format, and where each setting comes from",
    options: `
  --settings <file>            settings file (default .github/memorymark.yml, if it exists)
  --no-settings                ignore the settings file`
  },
  doctor: {
    form: "doctor",
    purpose: "show what this machine has, and which engine auto uses",
    options: `
  --json                       print one JSON object`
  },
  serve: {
    form: "serve",
    purpose: "serve the dashboard and the REST API on this machine",
    options: `
  --host <address>             where to listen (default 127.0.0.1); an address that others can reach needs MEMORYMARK_API_TOKEN
  --port <n>                   port (default 5001); 0 picks a free one
  --gpu <id>                   GPU to assume if neither a request nor this machine has one (default a10)
  --engine auto|estimate|trace|torch|tfjs   what runs trials (default auto); any other is then the only one on offer
  --python <command>           the interpreter that has PyTorch (default MEMORYMARK_PYTHON, or else python3)
  --allow-origin <origin>      let pages from another site call the API; may be repeated`
  },
  "validate-backward": {
    form: "validate-backward <model-id-or-config>",
    purpose: "compare the memory of a forward pass with that of forward and backward",
    options: `
  --engine auto|trace|torch|tfjs, --json, and every option of \`estimate\``
  },
  "validate-compile": {
    form: "validate-compile <model-id-or-config>",
    purpose: "time eager steps against torch.compile",
    options: `
  --device cuda|mps|cpu, --steps <n>, --json, and every option of \`estimate\``
  }
};
var WIDTH = Math.max(...Object.values(commands).map(({ form }) => form.length));
function usage(name) {
  const known = name !== void 0 && Object.hasOwn(commands, name) ? commands[name] : void 0;
  return known === void 0 ? overview() : withOptions(known);
}
function overview() {
  const all = Object.values(commands);
  return `MemoryMark: the batch size your GPU can really take.

${all.map(({ form, purpose }) => `memorymark ${form.padEnd(WIDTH)}  ${purpose}`).join("\n")}
memorymark ${"help [command]".padEnd(WIDTH)}  show this, or one command's options

${all.map(withOptions).join("\n\n")}

GPUs: ${gpus.map((gpu2) => gpu2.id).join(", ")}
Exit codes: 0 fine, 1 blocked by policy, 2 usage error or bad input, 130 interrupted.`;
}
function withOptions({ form, purpose, options }) {
  return `memorymark ${form}: ${purpose}${options}`;
}

// engine/probes/validation.ts
import * as z2 from "zod";
var TIMEOUT_MILLIS = 9e5;
var halves = z2.object({
  /** Of a forward pass alone, with nothing kept for a backward pass. */
  forwardPeakBytes: z2.number().int().positive(),
  forwardBackwardPeakBytes: z2.number().int().positive()
});
var reading = z2.object({
  firstMillis: z2.number().positive(),
  /** Median of the steps after the first. */
  laterMillis: z2.number().positive(),
  peakAllocatedBytes: z2.number().int().min(0).optional()
});
var compilation = z2.object({ eager: reading, compiled: reading });
function askHalves(worker, on, spec, config) {
  return worker.ask("validate-backward", { on, spec, config }, halves, TIMEOUT_MILLIS);
}
async function tfjsHalves(probe, microBatch) {
  return {
    forwardPeakBytes: peakOrThrow(await probe.forward(microBatch)),
    forwardBackwardPeakBytes: peakOrThrow(await probe.trial(microBatch))
  };
}
function peakOrThrow(trial) {
  const peak = peakOf(trial.outcome);
  if (peak !== void 0) return peak;
  if (isBroken(trial.outcome)) throw new MemoryMarkError(brokenTrialProblem(trial));
  throw new MemoryMarkError({
    code: "check-failed",
    message: `batch ${trial.microBatch} does not fit`,
    fix: "Give a smaller --batch-size."
  });
}
function askCompilation(worker, device, steps, spec, config) {
  return worker.ask("validate-compile", { device, steps, spec, config }, compilation, TIMEOUT_MILLIS);
}

// engine/cli/validate.ts
var LEAST_RATIO = 1.5;
var DEFAULT_STEPS = 10;
var MAX_STEPS = 1e3;
async function validateBackward(args) {
  const { values, positionals } = parseFlags(args, {
    ...specOptions,
    engine: { type: "string" },
    json: { type: "boolean" }
  });
  const subject = await readSubject(positionals, values);
  const { spec, model } = subject;
  const named = oneOf("--engine", values.engine, ["auto", ...halvingEngines]) ?? "auto";
  const { forwardPeakBytes, forwardBackwardPeakBytes, provenance } = await halvesOf(subject, named);
  const ratio = forwardBackwardPeakBytes / forwardPeakBytes;
  const runs2 = ratio >= LEAST_RATIO;
  console.log(
    values.json ? JSON.stringify(
      {
        model: model.id,
        batchSize: spec.microBatch,
        provenance,
        forwardPeakBytes,
        forwardBackwardPeakBytes,
        ratio,
        backwardRuns: runs2
      },
      null,
      2
    ) : backwardWords(
      { forwardPeakBytes, forwardBackwardPeakBytes },
      ratio,
      runs2,
      `${model.id} at batch ${spec.microBatch}, ${provenance}`
    )
  );
  return runs2 ? 0 : 1;
}
var halvingEngines = ["trace", "torch", "tfjs"];
async function halvesOf({ spec: written, model: { config } }, named) {
  var _stack2 = [];
  try {
    const spec = { ...written, step: "forward-backward" };
    const engine = named === "auto" ? await memoryEngine(spec) : named;
    if (engine === "tfjs") {
      var _stack = [];
      try {
        const footprints = new FootprintCache();
        const probe = __using(_stack, await TfjsProbe.open({ spec, config, footprints, gpu: defaultGpu, python: pythonCommand() }), true);
        return { ...await tfjsHalves(probe, spec.microBatch), provenance: probe.provenance };
      } catch (_) {
        var _error = _, _hasError = true;
      } finally {
        var _promise = __callDispose(_stack, _error, _hasError);
        _promise && await _promise;
      }
    }
    const worker = __using(_stack2, new PythonWorker(pythonCommand()), true);
    const answer = await askHalves(worker, engine, spec, config);
    return { ...doneOrThrow(answer, "validate-backward"), provenance: engine === "torch" ? "measured" : "traced" };
  } catch (_2) {
    var _error2 = _2, _hasError2 = true;
  } finally {
    var _promise2 = __callDispose(_stack2, _error2, _hasError2);
    _promise2 && await _promise2;
  }
}
function backwardWords({ forwardPeakBytes, forwardBackwardPeakBytes }, ratio, runs2, subject) {
  return [
    subject,
    `forward               ${formatGib(forwardPeakBytes)}`,
    `forward and backward  ${formatGib(forwardBackwardPeakBytes)}, ${ratio.toFixed(2)}× the forward pass`,
    runs2 ? "The backward pass runs: memory for activations and gradients grows with the batch." : "The batch is too small to tell, or the backward pass is not running: try a larger one."
  ].join("\n");
}
async function validateCompile(args) {
  var _stack = [];
  try {
    const { values, positionals } = parseFlags(args, {
      ...specOptions,
      device: { type: "string" },
      steps: { type: "string" },
      json: { type: "boolean" }
    });
    const { spec, model } = await readSubject(positionals, values);
    const steps = numberFlag("--steps", values.steps, { integer: true, max: MAX_STEPS }) ?? DEFAULT_STEPS;
    const device = oneOf("--device", values.device, deviceKinds);
    const worker = __using(_stack, new PythonWorker(pythonCommand()), true);
    const answer = await askCompilation(worker, device, steps, spec, model.config);
    const compilation2 = doneOrThrow(answer, "validate-compile");
    const breakEvenSteps = breakEven(compilation2);
    console.log(
      values.json ? JSON.stringify({ model: model.id, batchSize: spec.microBatch, ...compilation2, breakEvenSteps }, null, 2) : compileWords(compilation2, breakEvenSteps, `${model.id} at batch ${spec.microBatch}, measured`)
    );
    return 0;
  } catch (_) {
    var _error = _, _hasError = true;
  } finally {
    var _promise = __callDispose(_stack, _error, _hasError);
    _promise && await _promise;
  }
}
function breakEven({ eager, compiled }) {
  const saved = eager.laterMillis - compiled.laterMillis;
  return saved <= 0 ? null : Math.max(0, Math.ceil((compiled.firstMillis - eager.firstMillis) / saved));
}
function compileWords({ eager, compiled }, breakEvenSteps, subject) {
  const row = (name, { firstMillis, laterMillis }) => `${name.padEnd(9)} first step ${firstMillis.toFixed(0)} ms, later steps ${laterMillis.toFixed(1)} ms`;
  return [
    subject,
    row("eager", eager),
    row("compiled", compiled),
    breakEvenSteps === null ? "Compilation does not pay off here: the compiled step is no faster." : `Compilation pays off after ${breakEvenSteps} steps. A trial runs only a few, so trials are eager.`
  ].join("\n");
}
async function memoryEngine({ framework }) {
  if (framework === "tensorflow.js") return "tfjs";
  const machine = await describeMachine(pythonCommand());
  const counts = machine.kind === "python" && machine.device.kind === "cuda";
  return counts && engineOn(machine) === "torch" ? "torch" : "trace";
}
function doneOrThrow(answer, command) {
  if (answer.kind === "done") return answer.result;
  const why = answer.kind === "timed-out" ? `no answer within ${answer.afterMillis / 1e3} s` : answer.message;
  throw new MemoryMarkError({
    code: "check-failed",
    message: `${command} could not run: ${why}`.slice(0, 2e3),
    fix: "Run `memorymark doctor` to see what this machine has and what to install."
  });
}

// engine/cli/main.ts
var commands2 = {
  check,
  estimate,
  explain,
  sweep: sweep2,
  doctor,
  // Loaded on demand: its libraries would slow the start of every other command by more than a check takes.
  serve: async (args) => (await import("./cli-serve-Y76IFEPW.js")).serve(args),
  "validate-backward": validateBackward,
  "validate-compile": validateCompile
};
var OLDEST_NODE = [22, 12];
process.exitCode = await main(process.argv.slice(2));
async function main([name, ...args]) {
  if (name === "--version" || name === "-v") return print2(version);
  try {
    refuseOldNode(process.versions.node);
    if (name === void 0 || name === "help" || name === "--help" || name === "-h") return print2(usageOf(args[0]));
    if (args.includes("--help") || args.includes("-h")) return print2(usageOf(name));
    return await commandNamed(name)(args);
  } catch (error) {
    if (!(error instanceof MemoryMarkError)) throw error;
    console.error(error.message);
    return 2;
  }
}
function commandNamed(name) {
  const command = Object.hasOwn(commands2, name) ? commands2[name] : void 0;
  if (command === void 0) throw unknownCommand(name);
  return command;
}
function usageOf(name) {
  if (name !== void 0) commandNamed(name);
  return usage(name);
}
function print2(text2) {
  console.log(text2);
  return 0;
}
function refuseOldNode(running) {
  const [major = 0, minor = 0] = running.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || major === oldestMajor && minor >= oldestMinor) return;
  throw new MemoryMarkError({
    code: "node-too-old",
    message: `this is Node ${running}, which is too old`,
    fix: `Use Node ${OLDEST_NODE.join(".")} or newer.`
  });
}
function unknownCommand(name) {
  const near = closest(name, Object.keys(commands2));
  return new MemoryMarkError({
    code: "unknown-command",
    message: `"${name}" is not a command`,
    fix: near ? `Did you mean \`memorymark ${near}\`?` : "Run `memorymark help` for the commands."
  });
}
