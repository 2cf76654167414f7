/** What the code itself puts into a step, beside what its trainer or its loop is read to do. Nothing of it is counted, so that nothing blocks. */
import type { SyntaxNode } from '@lezer/common'
import { plainSentence } from '../../text/quote.ts'
import { libraryName } from '../library.ts'
import type { Expression } from '../syntax/expressions.ts'
import { type Call, callExpression, type Module, type Scope } from '../syntax/module.ts'
import { methodOf } from '../values/classes.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import { placeIn } from '../values/values.ts'

const MAX_CALLS = 20

/** A sentence each, for what a script does around a trainer of transformers or TRL. */
export function aroundTrainer(trainer: Call, evaluator: Evaluator): readonly string[] {
  const steps = overridden(trainer, evaluator) ?? replaced(trainer)
  const taker = takerOfModel(trainer, evaluator)
  return told(
    [
      ...(steps === undefined ? [] : [`${steps} is the code's own`]),
      ...(taker === undefined ? [] : [`${taker} is given the model, and what it keeps of it is the code's own`]),
      ...copiedWeights([trainer.module], evaluator),
    ],
    evaluator,
  )
}

/** The same for a loop that the script writes itself, in `modules`, or whose steps Lightning takes. */
export function aroundLoop(modules: readonly Module[], evaluator: Evaluator): readonly string[] {
  const backward = modules
    .flatMap(({ calls }) => (calls.get('backward') ?? []).slice(0, MAX_CALLS))
    .find(call => evaluator.mayRun(call))
  const step = backward === undefined ? lightningStep(modules, evaluator) : stepOf(backward)
  const found = [
    ...(step ? [...severalForwards(step), ...withinStep(step), ...joinedInStep(step, evaluator)] : []),
    ...(step ? [...cutInStep(step), ...withoutGradientInStep(step)] : []),
    ...(backward ? backwardAtTimes(backward) : []),
  ]
  const forwards = found.slice(0, 1)
  return told([...forwards, ...graphKept(modules, evaluator), ...copiedWeights(modules, evaluator)], evaluator)
}

/** What comes before a backward pass. */
interface Step extends Pick<Call, 'module' | 'scope' | 'at'> {
  /** The loop, or Lightning's function, that it stands in. */
  readonly around: SyntaxNode | undefined
  readonly backward?: SyntaxNode
}

function stepOf({ module, scope, at, node }: Call): Step {
  return { module, scope, at, around: loopAround(node), backward: node }
}

/** `def training_step(self, batch, index)`, to its end. */
function lightningStep(modules: readonly Module[], evaluator: Evaluator): Step | undefined {
  const inStep = modules.flatMap(({ calls }) =>
    [...calls.values()].flatMap(all => all.filter(({ scope }) => scope.name === 'training_step').slice(0, 1)),
  )
  const call = inStep.find(each => evaluator.mayRun(each))
  let around = call?.node.parent ?? null
  while (around !== null && around.name !== 'FunctionDefinition') around = around.parent
  if (call === undefined || around === null) return undefined
  return { module: call.module, scope: call.scope, at: around.to, around }
}

/** A sentence for each thing of the code's own that is not counted. */
export function told(whats: readonly string[], evaluator: Evaluator): readonly string[] {
  const sentences = whats.map(what => plainSentence(`${what}: it is not counted, so that nothing blocks.`))
  for (const sentence of sentences) evaluator.unsureRemarks.add(sentence)
  return sentences
}

/** Methods of transformers' and TRL's trainers that decide what a step holds: pairs in one forward pass, or several passes. */
const steps = new Set([
  ...['compute_loss', 'get_batch_loss_metrics', 'training_step', 'get_train_dataloader', '_prepare_inputs'],
  ...['create_optimizer', 'create_optimizer_and_scheduler', '_inner_training_loop', '_generate_and_score_completions'],
])

/** By the class of the trainer, or one of the repository that it extends. */
function overridden(trainer: Call, evaluator: Evaluator): string | undefined {
  const callee = callExpression(trainer)?.callee
  const made = callee && evaluator.evaluate(callee, siteAt(trainer))
  if (made?.kind !== 'class') return undefined
  return [made.scope, ...evaluator.classes.bases(made.scope)].flatMap(ownMethods)[0]
}

function ownMethods(scope: Scope): readonly string[] {
  return [...steps].flatMap(name => {
    const method = methodOf(scope, name)
    return method === undefined ? [] : [`${scope.name}.${name} (${placeIn(scope.module, method.from)})`]
  })
}

/** `trainer.get_train_dataloader = own` */
function replaced({ module }: Call): string | undefined {
  const found = module.attributeChanges.find(
    ({ object, key }) => /trainer$/i.test(object) && key.kind === 'text' && steps.has(key.text),
  )
  return found?.key.kind === 'text' ? `${found.object}.${found.key.text} (${placeIn(module, found.at)})` : undefined
}

/** Whose classes take a model only to train it, to feed it or to tell of it. */
const knownLibraries =
  /^(?:transformers|trl|peft|unsloth\w*|torch\w*|accelerate|datasets|evaluate|lightning|pytorch_lightning|wandb|sklearn|sentence_transformers)$/
const withoutPart = /Train|Data|Collat|Evaluat|Metric|Pipeline|Predict|Config|Arguments|Tokeniz|Processor/

/** `FGM(model)`, `GRITManager(model=model)`: made with the model that the trainer is given, before it trains. */
function takerOfModel(trainer: Call, evaluator: Evaluator): string | undefined {
  const { module, scope } = trainer
  const model = modelWritten(trainer)
  const start = (module.calls.get('train') ?? []).find(call => call.scope === scope && call.at > trainer.at)
  if (model === undefined) return undefined
  const made = [...module.calls].flatMap(([name, calls]) =>
    /^[A-Z]/.test(name) && !withoutPart.test(name) ? calls.slice(0, MAX_CALLS) : [],
  )
  const taker = made.find(call => {
    if (call.at === trainer.at || call.scope !== scope || call.at > (start?.at ?? trainer.at)) return false
    if (!takes(call, model)) return false
    const callee = callExpression(call)?.callee
    const value = callee && evaluator.evaluate(callee, siteAt(call))
    const isUnknown = value?.kind === 'symbol' && !knownLibraries.test(libraryName(value.name).library)
    return (isUnknown || value?.kind === 'class') && evaluator.mayRun(call)
  })
  const callee = taker && callExpression(taker)?.callee
  return callee && `${module.text.slice(callee.from, callee.to)} (${placeIn(module, callee.from)})`
}

function modelWritten(trainer: Call): string | undefined {
  const given = callExpression(trainer)?.arguments ?? []
  const found = given.find(each => each.kind === 'keyword' && each.name === 'model') ?? given[0]
  if (found === undefined || found.kind === 'spread') return undefined
  const { from, to } = found.value
  const written = trainer.module.text.slice(from, to)
  return /^[\w.]{1,60}$/.test(written) ? written : undefined
}

function takes(call: Call, model: string): boolean {
  const given = callExpression(call)?.arguments ?? []
  return given.some(each => each.kind !== 'spread' && call.module.text.slice(each.value.from, each.value.to) === model)
}

const BEFORE = 300

/** `{name: p.detach().clone() for name, p in model.named_parameters()}` and `deepcopy(model.state_dict())`, on the GPU. */
function copiedWeights(modules: readonly Module[], evaluator: Evaluator): readonly string[] {
  const called = (name: string) => modules.flatMap(({ calls }) => (calls.get(name) ?? []).slice(0, MAX_CALLS))
  const deep = called('deepcopy').find(call => {
    const written = call.module.text.slice(call.node.from, call.node.to)
    return /\bstate_dict\(/.test(written) && !/cpu/.test(written) && evaluator.mayRun(call)
  })
  const clone = called('clone').find(call => {
    const { module, node } = call
    const around = module.text.slice(Math.max(0, node.from - BEFORE), node.to + BEFORE)
    const own = module.text.slice(Math.max(0, node.from - 60), node.to + 20)
    return /named_parameters\(|state_dict\(/.test(around) && !/cpu/.test(own) && evaluator.mayRun(call)
  })
  const copy = clone ?? deep
  return copy === undefined ? [] : [`A copy of weights (${placeIn(copy.module, copy.at)}) is the code's own`]
}

const modelNames = /^(?:model|net|network|student|classifier|encoder|policy|self|forward|forward_features)$/

/** Two forward passes before one backward pass, as of pairs, of a mixed batch or of a regulariser. */
function severalForwards({ module, scope, at }: Step): readonly string[] {
  for (const [name, calls] of module.calls) {
    if (!modelNames.test(name)) continue
    const before = calls
      .slice(0, MAX_CALLS)
      .filter(call => call.scope === scope && call.at < at && !isWithoutGradient(call))
    const [first, second] = before.flatMap((one, index) => {
      const other = before.slice(index + 1).find(each => mayBothRun(one, each))
      return other === undefined ? [] : [one, other]
    })
    if (first !== undefined && second !== undefined)
      return [
        `The forward pass on ${placeIn(module, second.at)}, beside that on ${placeIn(module, first.at)}, is the code's own`,
      ]
  }
  return []
}

/** What one backward pass goes through again and again, or what the model itself writes for it, here or in a function that it calls. */
function withinStep({ module, scope, at, around: step, backward }: Step): readonly string[] {
  if (step === undefined) return []
  const calls = [...module.calls].flatMap(([name, all]) => all.slice(0, MAX_CALLS).map(call => ({ name, call })))
  const isInStep = (call: Call) => call.scope === scope && call.at < at && isInside(call.node, step)
  const called = new Set(calls.flatMap(({ name, call }) => (isInStep(call) ? [name] : [])))
  for (const { name, call } of calls) {
    const isCalled = call.scope.kind === 'function' && call.scope !== scope && called.has(call.scope.name)
    if (!isCalled && !isInStep(call)) continue
    const place = placeIn(module, call.at)
    if (name === 'generate' && !evaluates.test(call.scope.name))
      return [`What the model generates (${place}) before it trains on it is the code's own`]
    if (!modelNames.test(name) || isWithoutGradient(call) || runsWithoutGradient(call.scope, call)) continue
    const inner = loopAround(call.node)
    if (inner !== undefined && (isCalled || !(backward && isInside(backward, inner))))
      return [`The forward pass on ${place}, of which several come before one backward pass, is the code's own`]
  }
  return []
}

/** Two views of each image in one batch, tokens of the script's own, or images that are scaled: `model(torch.cat([one, other]))`. */
function joinedInStep({ module, scope, at, around: step }: Step, evaluator: Evaluator): readonly string[] {
  if (step === undefined) return []
  const inStep = (name: string) =>
    (module.calls.get(name) ?? [])
      .slice(0, MAX_CALLS)
      .filter(call => call.scope === scope && call.at < at && isInside(call.node, step))
  const forwards = [...module.calls.keys()].filter(name => modelNames.test(name)).flatMap(inStep)
  const isFed = ({ node }: Call) => {
    const target = targetOf(node, module)
    return forwards.some(({ node: forward }) => {
      if (isInside(node, forward)) return true
      const given = module.text.slice(forward.from, forward.to).split(/\W+/)
      return node.from < forward.from && target !== undefined && given.includes(target)
    })
  }
  const joined = ['cat', 'concat', 'repeat', 'repeat_interleave', 'tile', 'expand', 'interpolate'].flatMap(inStep)
  const folded = ['view', 'reshape', 'flatten'].flatMap(inStep).filter(foldsSamples)
  const found = [...joined, ...folded].find(call => isFed(call) && evaluator.mayRun(call))
  return found === undefined
    ? []
    : [`What is put together or scaled for the model within the step (${placeIn(module, found.at)}) is the code's own`]
}

/** `crops.view(B * N, C, H, W)`, `ids.view(-1, length)`, `choices.flatten(0, 1)`: several texts or images of each sample in a row. */
function foldsSamples(call: Call): boolean {
  const { module } = call
  const given = callExpression(call)?.arguments ?? []
  const [first = '', second] = given.flatMap(each =>
    each.kind === 'positional'
      ? [module.text.slice(each.value.from, Math.min(each.value.to, each.value.from + BEFORE))]
      : [],
  )
  return (first === '0' && second === '1') || (second !== undefined && /^(?:-1$|[\w.]+ ?\*)/.test(first))
}

/** `batch["input_ids"][:, :128]`, `images[:16]`, before the model takes them. */
function cutInStep({ module, scope, around: step }: Step): readonly string[] {
  const forwards = [...module.calls].flatMap(([name, calls]) => (modelNames.test(name) ? calls : []))
  const first = step && forwards.find(call => call.scope === scope && isInside(call.node, step))
  if (step === undefined || first === undefined) return []
  const text = module.text.slice(step.from, first.node.to)
  const found = Array.from(text.matchAll(/\[(?::, ?)?: ?\w+\]/g), ({ index }) => index).slice(0, MAX_CALLS)
  // `images, labels = batch[:2]` takes two of a tuple.
  const isOfTuple = (index: number) => /^ *\w+,/.test(text.slice(text.lastIndexOf('\n', index) + 1, index))
  const cut = found.find(index => !isOfTuple(index))
  return cut === undefined
    ? []
    : [`What is cut from a batch before the model takes it (${placeIn(module, step.from + cut)}) is the code's own`]
}

/** `with torch.no_grad(): features = model.encoder(images)`: a part of the model that keeps nothing for the backward pass. */
function withoutGradientInStep({ module, scope, at, around: step }: Step): readonly string[] {
  const calls = step === undefined ? [] : [...module.calls.values()].flatMap(all => all.slice(0, MAX_CALLS))
  const part = calls.find(call => {
    if (call.scope !== scope || call.at > at || step === undefined || !isInside(call.node, step)) return false
    const callee = callExpression(call)?.callee
    const object = callee?.kind === 'attribute' ? callee.object : undefined
    const isOfModel = object?.kind === 'name' || object?.kind === 'attribute' ? modelNames.test(object.name) : false
    const isPart = callee?.kind === 'attribute' && isOfModel && object !== undefined && !isSelf(object)
    return isPart && !/^(?:train|eval|to|parameters|zero_grad|generate)$/.test(callee.name) && isUnderNoGrad(call, step)
  })
  return part === undefined
    ? []
    : [`The part of the model that runs without gradients (${placeIn(module, part.at)}) is the code's own`]
}

/** Whose methods are the code's own. */
function isSelf(object: Expression): boolean {
  return object.kind === 'name' && object.name === 'self'
}

function isUnderNoGrad({ module, node }: Call, step: SyntaxNode): boolean {
  for (let above = node.parent; above !== null && above.from > step.from; above = above.parent) {
    const head = module.text.slice(above.from, above.to).split('\n')[0] ?? ''
    if (above.name === 'WithStatement' && withoutGradient.test(head)) return true
  }
  return false
}

/** `losses.append(model(**batch).loss)`, and backward through all of them at once. */
function backwardAtTimes({ module, branches, node, at }: Call): readonly string[] {
  const step = loopAround(node)
  const tests = branches.flatMap(({ statement, tests: all }) => (step && statement > step.from ? all : []))
  const isAtTimes = tests.some(({ condition }) => /%|\blen\(/.test(module.text.slice(condition.from, condition.to)))
  return isAtTimes ? [`What is kept until the backward pass on ${placeIn(module, at)} is the code's own`] : []
}

/** Gradients of gradients, and a graph that is gone through again. */
function graphKept(modules: readonly Module[], evaluator: Evaluator): readonly string[] {
  const found = modules
    .flatMap(({ calls }) => ['backward', 'grad'].flatMap(name => (calls.get(name) ?? []).slice(0, MAX_CALLS)))
    .find(call => {
      const given = callExpression(call)?.arguments ?? []
      const keeps = given.some(
        each =>
          each.kind === 'keyword' &&
          /^(?:create|retain)_graph$/.test(each.name) &&
          !(each.value.kind === 'flag' && !each.value.flag),
      )
      return keeps && evaluator.mayRun(call)
    })
  return found === undefined
    ? []
    : [`What the graph that is kept for further gradients holds (${placeIn(found.module, found.at)}) is the code's own`]
}

/** The name that the statement around a call assigns. */
function targetOf(node: SyntaxNode, { text }: Module): string | undefined {
  for (let around = node.parent; around !== null; around = around.parent) {
    if (/^(?:Body|Script)$/.test(around.name)) return undefined
    if (around.name === 'AssignStatement') return /^\w+/.exec(text.slice(around.from, around.to))?.[0]
  }
  return undefined
}

const evaluates = /eval|valid|test|infer|predict|sample|log/i

/** The innermost `for` of the same function. */
function loopAround(node: SyntaxNode): SyntaxNode | undefined {
  for (let above = node.parent; above !== null; above = above.parent) {
    if (/^(?:Function|Class)Definition$/.test(above.name)) return undefined
    if (above.name === 'ForStatement') return above
  }
  return undefined
}

function isInside(node: SyntaxNode, around: SyntaxNode): boolean {
  return around.from <= node.from && node.to <= around.to
}

const withoutGradient = /no_grad|inference_mode|\beval\(/

/** Anywhere in a function up to the call, or in its decorators. */
function runsWithoutGradient({ from, kind }: Scope, { module, node }: Call): boolean {
  return kind === 'function' && withoutGradient.test(module.text.slice(Math.max(0, from - 60), node.from))
}

function isWithoutGradient({ module, node }: Call): boolean {
  return withoutGradient.test(module.text.slice(Math.max(0, node.from - BEFORE), node.from))
}

function mayBothRun(one: Call, other: Call): boolean {
  return one.branches.every(({ statement, index }) =>
    other.branches.every(each => each.statement !== statement || each.index === index),
  )
}
