/**
 * What a script changes beside the arguments of its trainer: those arguments once the trainer is made, the batch while it trains, and
 * the types, kernels and adapters of its model. Nothing of it is counted, so that it is told and nothing blocks.
 */
import { soundsLikeMemory } from '../../fields/memory-names.ts'
import { libraryName } from '../library.ts'
import { type Call, callExpression, classAround, type ItemChange, type Module, type Place } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt, sourceOf } from '../values/sites.ts'
import { placeIn } from '../values/values.ts'
import { told } from './own-steps.ts'

/** As many places as are looked at, of each kind. */
const MAX_PLACES = 50

/** A sentence for each kind of change. `adapters`: whether the model trains with adapters. */
export function uncountedChanges(
  start: Call,
  modules: readonly Module[],
  adapters: boolean,
  evaluator: Evaluator,
): readonly string[] {
  const found = [
    ...argumentsChanged(start, modules, evaluator),
    ...searched(modules, evaluator),
    ...changedByCallbacks(modules, evaluator),
    ...castByHand(modules, evaluator),
    ...kernelsReplaced(modules, evaluator),
    ...vocabularyResized(modules, evaluator),
    ...(adapters ? [...furtherAdapters(modules, evaluator), ...trainedBeside(start, evaluator)] : []),
  ]
  return told(found, evaluator)
}

function isBatchOrMemory(key: string): boolean {
  return /batch|accumul/.test(key) || soundsLikeMemory(key)
}

function firstOf(
  modules: readonly Module[],
  matches: (change: ItemChange, module: Module) => boolean,
  evaluator: Evaluator,
): readonly { readonly module: Module; readonly change: ItemChange; readonly name: string }[] {
  for (const module of modules) {
    const change = module.attributeChanges
      .slice(0, MAX_PLACES)
      .find(each => matches(each, module) && evaluator.mayRun(each))
    if (change?.key.kind === 'text') return [{ module, change, name: change.key.text }]
  }
  return []
}

/** Attributes that transformers 5.18 trainer.py makes its steps of. */
const ofTrainer = /^(?:_train_batch_size|train_dataset|data_collator|optimizer)$/

/** `trainer.args.gradient_accumulation_steps = 8`, and the same on the arguments that a callback is handed. */
function argumentsChanged(start: Call, modules: readonly Module[], evaluator: Evaluator): readonly string[] {
  const isCallback = (place: Place) => {
    const owner = classAround(place.scope)
    return owner !== undefined && /Callback$/.test(evaluator.classes.libraryBase(owner) ?? '')
  }
  const isChanged = (change: ItemChange, module: Module) => {
    if (change.key.kind !== 'text') return false
    if (/trainer$/i.test(change.object) && ofTrainer.test(change.key.text)) return change.at > start.at
    if (!isBatchOrMemory(change.key.text)) return false
    if (/trainer\.args$/i.test(change.object)) return module !== start.module || change.at > start.at
    return /^(?:args|trainer)$/.test(change.object) && isCallback(change)
  }
  return firstOf(modules, isChanged, evaluator).map(
    ({ module, change, name }) =>
      `What ${change.object}.${name} is set to once the trainer is made (${placeIn(module, change.at)}) is the code's own`,
  )
}

function firstCall(
  modules: readonly Module[],
  names: readonly string[],
  isIt: (call: Call) => boolean,
  evaluator: Evaluator,
): Call | undefined {
  return modules
    .flatMap(({ calls }) => names.flatMap(name => (calls.get(name) ?? []).slice(0, MAX_PLACES)))
    .find(call => isIt(call) && evaluator.mayRun(call))
}

/** Batch sizes and the like that a search tries. */
function searched(modules: readonly Module[], evaluator: Evaluator): readonly string[] {
  const tries = (call: Call) => callExpression(call)?.callee.kind === 'attribute'
  const call = firstCall(modules, ['hyperparameter_search', 'scale_batch_size'], tries, evaluator)
  return call === undefined ? [] : [`What ${nameOf(call)}() tries (${placeIn(call.module, call.at)}) is the code's own`]
}

function nameOf(call: Call): string {
  const callee = callExpression(call)?.callee
  return callee?.kind === 'attribute' || callee?.kind === 'name' ? callee.name : ''
}

/** Lightning 2.6 callbacks/: those that change the batch, what is accumulated, or how many copies of the weights there are. */
const ofLightning = [
  ...['GradientAccumulationScheduler', 'BatchSizeFinder', 'StochasticWeightAveraging', 'WeightAveraging'],
  ...['EMAWeightAveraging', 'BackboneFinetuning', 'ModelPruning'],
]

function changedByCallbacks(modules: readonly Module[], evaluator: Evaluator): readonly string[] {
  const isLightnings = (call: Call) => {
    const callee = callExpression(call)?.callee
    const value = callee && evaluator.evaluate(callee, siteAt(call))
    return value?.kind === 'symbol' && /^(?:lightning|pytorch_lightning)$/.test(libraryName(value.name).library)
  }
  const call = firstCall(modules, ofLightning, isLightnings, evaluator)
  return call === undefined
    ? []
    : [`What ${nameOf(call)} changes while it trains (${placeIn(call.module, call.at)}) is the code's own`]
}

/** `parameter.data = parameter.data.float()`, and modules that a walk over the model casts one by one. */
function castByHand(modules: readonly Module[], evaluator: Evaluator): readonly string[] {
  const castsData = (change: ItemChange, module: Module) =>
    change.key.kind === 'text' &&
    change.key.text === 'data' &&
    change.value.kind === 'expression' &&
    casts.test(sourceOf(change.value.expression, { module })) &&
    !change.branches.some(({ tests }) => tests.some(({ condition }) => isOfSmall.test(sourceOf(condition, { module }))))
  const [data] = firstOf(modules, castsData, evaluator)
  const walked = firstCall(modules, ['to', 'float', 'half', 'bfloat16'], castsModule, evaluator)
  const place = data === undefined ? walked && placeIn(walked.module, walked.at) : placeIn(data.module, data.change.at)
  return place === undefined ? [] : [`The type of the weights that are cast one by one (${place}) is the code's own`]
}

const casts = /\.(?:float|half|bfloat16)\(\)|\.to\(/
/** Biases and the weights of norms. */
const isOfSmall = /ndim == 1|\bdim\(\) == 1|norm/i

function castsModule(call: Call): boolean {
  const callee = callExpression(call)?.callee
  if (callee?.kind !== 'attribute' || callee.object.kind !== 'name') return false
  const { module } = call
  const { name } = callee.object
  const isSmall = call.branches.some(({ tests }) =>
    tests.some(({ condition }) => isOfSmall.test(sourceOf(condition, { module }))),
  )
  const method = module.text.slice(callee.object.to, call.node.to)
  if (isSmall || !casts.test(method) || !/float|half/.test(method)) return false
  for (let around = call.node.parent; around !== null && around.name !== 'FunctionDefinition'; around = around.parent) {
    const head = module.text.slice(around.from, Math.min(around.to, around.from + 200)).split('\n')[0] ?? ''
    if (around.name === 'ForStatement' && /\.(?:named_)?(?:modules|children|parameters)\(/.test(head))
      return head.split(/\W+/).includes(name)
  }
  return false
}

/** `apply_liger_kernel_to_llama()`, `replace_llama_attn_with_flash_attn()` */
function replacesKernels(name: string): boolean {
  const isOfAttention = name.startsWith('replace_') && name.includes('attn')
  return isOfAttention || /^_?apply_liger_kernel|monkey_?patch/.test(name)
}

function kernelsReplaced(modules: readonly Module[], evaluator: Evaluator): readonly string[] {
  const names = modules.flatMap(({ calls }) => [...calls.keys()].filter(replacesKernels))
  const call = firstCall(modules, names, () => true, evaluator)
  return call === undefined
    ? []
    : [
        `Which kernels ${nameOf(call)}() puts in the place of the model's (${placeIn(call.module, call.at)}) is the code's own`,
      ]
}

/** By a number; a tokenizer's few new tokens are no matter. */
function vocabularyResized(modules: readonly Module[], evaluator: Evaluator): readonly string[] {
  const toNumber = (call: Call) => {
    const [first] = callExpression(call)?.arguments ?? []
    return first !== undefined && 'value' in first && evaluator.evaluate(first.value, siteAt(call)).kind === 'number'
  }
  const call = firstCall(modules, ['resize_token_embeddings'], toNumber, evaluator)
  return call === undefined
    ? []
    : [
        `The vocabulary that ${nameOf(call)}() leaves the model with (${placeIn(call.module, call.at)}) is the code's own`,
      ]
}

/** peft 0.21 peft_model.py: adapters beside those that the model was given first, of which any may train. */
function furtherAdapters(modules: readonly Module[], evaluator: Evaluator): readonly string[] {
  const isMethod = (call: Call) => callExpression(call)?.callee.kind === 'attribute'
  const call = firstCall(modules, ['add_adapter', 'load_adapter', 'add_weighted_adapter'], isMethod, evaluator)
  return call === undefined
    ? []
    : [`The adapter that ${nameOf(call)}() adds to the model's (${placeIn(call.module, call.at)}) is the code's own`]
}

/** Weights of the model itself that a script trains again once the adapters are on it. */
function trainedBeside(start: Call, evaluator: Evaluator): readonly string[] {
  const { module } = start
  const put = Math.min(start.at, ...(module.calls.get('get_peft_model') ?? []).map(({ at }) => at))
  const written = module.gradientSwitches
    .filter(({ value }) => !(value.kind === 'flag' && !value.flag))
    .map(({ target, ...place }) => ({ ...place, node: target }))
  const called = (module.calls.get('requires_grad_') ?? []).filter(call => {
    const [first] = callExpression(call)?.arguments ?? []
    return first?.kind !== 'positional' || !(first.value.kind === 'flag' && !first.value.flag)
  })
  const found = [...written, ...called].slice(0, MAX_PLACES).find(place => {
    const isOfAdapters = place.branches.some(({ tests }) =>
      tests.some(({ condition }) => /lora|adapter/i.test(sourceOf(condition, { module }))),
    )
    const isOfHook = /^(?:out\w*|inputs?\w*|embeds?|x)\b/.test(module.text.slice(place.node.from, place.node.to))
    return place.at > put && !isOfAdapters && !isOfHook && evaluator.mayRun(place)
  })
  return found === undefined
    ? []
    : [`Which weights train beside the adapters (${placeIn(module, found.at)}) is the code's own`]
}
