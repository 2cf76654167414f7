/** The optimizer that a loop steps, and the model whose parameters it is given. */
import type { Optimizer } from '../../../training/choices.ts'
import { libraryName } from '../library.ts'
import type { CallExpression, Expression } from '../syntax/expressions.ts'
import { type Call, callExpression, type Module } from '../syntax/module.ts'
import { methodOf } from '../values/classes.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import { type Instance, type Located, placeIn, type Site, type Value } from '../values/values.ts'
import { isModule } from './held-model.ts'
import { modelChain } from './model-chain.ts'

export interface FoundOptimizer extends Located {
  readonly kind: Optimizer | undefined
  readonly name: string
  /** `model` of `model.parameters()`; undefined where the parameters are chosen in another way. */
  readonly model: Value | undefined
  /** It is given some of a model's parameters by their place or their names, whether or not the others are frozen. */
  readonly isOfPart?: boolean
}

const names =
  /^(?:AdamW?|SGD|RMSprop|Adafactor|AdamW?8bit|PagedAdamW?(?:8bit|32bit)?|Lion|Adagrad|Adadelta|NAdam|RAdam|Adamax|LBFGS|LAMB)$/
const libraries = new Set([
  'torch',
  'transformers',
  'bitsandbytes',
  'deepspeed',
  'apex',
  'torch_optimizer',
  'lion_pytorch',
])

const MAX_CALLS = 10
const MAX_LEVELS = 4

export function optimizersIn(module: Module, evaluator: Evaluator): readonly FoundOptimizer[] {
  return [...module.calls]
    .filter(([name]) => names.test(name))
    .flatMap(([, calls]) => calls.slice(0, MAX_CALLS).filter(call => !isReplaced(call)))
    .flatMap(call => optimizerOf(call, evaluator))
}

/** One that another takes the place of under the same name, before anything asks for it. */
function isReplaced({ module, scope, branches, node }: Call): boolean {
  for (const [name, bindings] of scope.bindings) {
    const index = bindings.findIndex(({ value }) => value.kind === 'expression' && value.expression.from === node.from)
    const next = bindings[index + 1]
    if (index < 0 || next?.value.kind !== 'expression') continue
    const isCertain = next.branches.every(branch => branches.some(each => each.statement === branch.statement))
    const between = module.text.slice(node.to, next.value.expression.from).split(/\W+/)
    // The last time is where it is bound anew.
    return isCertain && between.filter(word => word === name).length === 1
  }
  return false
}

/** Those of a module's `configure_optimizers`, or else of its settings or its file. */
export function configuredOptimizers(
  fitted: Instance,
  ofSettings: Value | undefined,
  evaluator: Evaluator,
): readonly FoundOptimizer[] {
  const owner = [fitted.scope, ...evaluator.classes.bases(fitted.scope)].find(
    scope => methodOf(scope, 'configure_optimizers') !== undefined,
  )
  const method = owner && methodOf(owner, 'configure_optimizers')
  if (method === undefined) return ofSettings === undefined ? [] : optimizerMade(ofSettings, evaluator)
  const frame = { scope: method, call: undefined, site: undefined, self: fitted }
  const returned = method.returns.flatMap(each => {
    const site: Site = { ...siteAt(each), frame }
    if (evaluator.isReached(each, site).isReached === false) return []
    return optimizersAmong(evaluator.evaluate(each.value.expression, site), evaluator)
  })
  if (returned.length > 0) return distinct(returned)
  const made = [...method.module.calls.values()].flatMap(calls =>
    calls.filter(({ scope }) => scope === method).flatMap(call => madeIn(call, fitted, evaluator)),
  )
  return made.length > 0 ? distinct(made) : optimizersIn(method.module, evaluator)
}

/** What Lightning takes: an optimizer, a dictionary with one, or lists of optimizers and of schedulers. */
function optimizersAmong(value: Value, evaluator: Evaluator, depth = 0): readonly FoundOptimizer[] {
  if (depth > MAX_LEVELS) return []
  if (value.kind === 'list') return value.items.flatMap(item => optimizersAmong(item, evaluator, depth + 1))
  const held = value.kind === 'mapping' ? value.entries.get('optimizer') : undefined
  return held === undefined ? optimizerMade(value, evaluator) : optimizersAmong(held, evaluator, depth + 1)
}

/** By where they stand. */
function distinct(found: readonly FoundOptimizer[]): readonly FoundOptimizer[] {
  return [...new Map(found.map(each => [`${each.module.path}:${each.from}`, each])).values()]
}

function madeIn(call: Call, self: Instance, evaluator: Evaluator): readonly FoundOptimizer[] {
  const { module, scope, at, branches } = call
  const site: Site = { module, scope, at, branches, frame: { scope, call: undefined, site: undefined, self } }
  const expression = callExpression(call)
  if (expression === undefined || evaluator.isReached(call, site).isReached === false) return []
  return optimizerMade(evaluator.evaluate(expression, site), evaluator)
}

/** What a call gives, if that is an optimizer. */
function optimizerMade(value: Value, evaluator: Evaluator): readonly FoundOptimizer[] {
  if (value.kind !== 'call' || value.call === undefined) return []
  const { library, name } = libraryName(value.name)
  if (!names.test(name) || !libraries.has(library)) return []
  const { values, unknown } = evaluator.argumentsOf(value.call, value.site, ['params'])
  const { module, from, to, remarks } = value
  return [
    {
      module,
      from,
      to,
      remarks,
      kind: unknown === undefined ? kindOf(library, name, values) : undefined,
      name,
      model: undefined,
      isOfPart: takesPart(value.call, value.site, evaluator),
    },
  ]
}

/** A clause that says which, where a loop steps several. */
export function severalOptimizers([first, second]: readonly FoundOptimizer[]): string {
  if (first === undefined || second === undefined) return 'the optimizer is made elsewhere'
  return `the optimizer is ${first.name} (${placeIn(first.module, first.from)}) or ${second.name} (${placeIn(second.module, second.from)})`
}

function optimizerOf(call: Call, evaluator: Evaluator): readonly FoundOptimizer[] {
  const { module, scope, at, branches } = call
  const site: Site = { module, scope, at, branches }
  const expression = callExpression(call)
  const callee = expression && evaluator.evaluate(expression.callee, site)
  if (expression === undefined || callee?.kind !== 'symbol') return []
  const { library, name } = libraryName(callee.name)
  if (!libraries.has(library) || evaluator.isReached(call, site).isReached === false) return []
  const { values, unknown } = evaluator.argumentsOf(expression, site, ['params'])
  const kind = unknown === undefined ? kindOf(library, name, values) : undefined
  const model = trainedModel(expression, site, evaluator)
  const isOfPart = takesPart(expression, site, evaluator)
  return [{ module, from: at, to: expression.to, remarks: [], kind, name, model, isOfPart }]
}

/** What a wrapper calls the whole model that it holds. */
const whole = /^(?:module|model|base_model|_orig_mod)$/

/** `model.classifier.parameters()`, `[p for name, p in model.named_parameters() if "head" in name]` */
function takesPart(expression: CallExpression, site: Site, evaluator: Evaluator): boolean {
  const params = parametersGiven(expression)
  if (params === undefined) return false
  const object = parametersOf(params)
  if (object?.kind === 'attribute')
    return (
      !whole.test(object.name) && modelChain(evaluator.evaluate(object.object, site), evaluator).loaded !== undefined
    )
  if (object !== undefined) return false
  const { module, from, to } = evaluator.evaluate(params, site)
  const written = module.text.slice(from, Math.min(to, from + MAX_CHOICE_CHARACTERS))
  return written.startsWith('[') && /parameters\(\) if\b/.test(written) && !/requires_grad|params["']/.test(written)
}

/** torch.optim uses its foreach implementation on CUDA, unless `fused` is set. */
function kindOf(library: string, name: string, values: ReadonlyMap<string, Value>): Optimizer | undefined {
  const [fused, foreach] = [values.get('fused'), values.get('foreach')]
  const isOn = (value: Value | undefined) => value?.kind === 'flag' && value.flag
  if (fused !== undefined && fused.kind !== 'flag' && fused.kind !== 'none') return undefined
  switch (`${library}.${name}`) {
    case 'torch.Adam':
    case 'torch.AdamW':
      if (isOn(values.get('amsgrad'))) return undefined
      if (foreach?.kind === 'flag' && !foreach.flag && !isOn(fused)) return 'adamw-loop'
      return isOn(fused) ? 'adamw-fused' : 'adamw'
    case 'transformers.AdamW':
      return 'adamw-loop'
    case 'torch.SGD': {
      const momentum = values.get('momentum')
      if (momentum === undefined) return 'sgd'
      return momentum.kind === 'number' ? (momentum.number > 0 ? 'sgd-momentum' : 'sgd') : undefined
    }
    case 'torch.RMSprop':
      return values.has('momentum') || isOn(values.get('centered')) ? undefined : 'rmsprop'
    case 'transformers.Adafactor':
    case 'torch.Adafactor':
      return 'adafactor'
    case 'bitsandbytes.AdamW8bit':
    case 'bitsandbytes.Adam8bit':
      return 'adamw-8bit'
    case 'bitsandbytes.PagedAdamW8bit':
      return 'paged-adamw-8bit'
    case 'bitsandbytes.PagedAdamW':
    case 'bitsandbytes.PagedAdamW32bit':
      return 'paged-adamw'
    case 'lion_pytorch.Lion':
      return 'lion'
    default:
      return undefined
  }
}

function parametersGiven({ arguments: given }: CallExpression): Expression | undefined {
  const params = given.find(each => each.kind === 'positional' || (each.kind === 'keyword' && each.name === 'params'))
  return params !== undefined && 'value' in params ? params.value : undefined
}

function trainedModel(expression: CallExpression, site: Site, evaluator: Evaluator): Value | undefined {
  const params = parametersGiven(expression)
  if (params === undefined) return undefined
  const object = parametersOf(params) ?? chosenFrom(evaluator.evaluate(params, site))
  const value = object && evaluator.evaluate(object, site)
  return value?.kind === 'open' && object !== undefined ? (holderOf(object, site, evaluator) ?? value) : value
}

/** Of a part that is not known, `net.lstm`, the object of the repository's own class that it is of. */
function holderOf(part: Expression, site: Site, evaluator: Evaluator): Value | undefined {
  if (part.kind !== 'attribute') return undefined
  const { unknown } = modelChain(evaluator.evaluate(part.object, site), evaluator)
  const isHolder = unknown?.kind === 'instance' && isModule(unknown, evaluator)
  return isHolder ? unknown : holderOf(part.object, site, evaluator)
}

const MAX_CHOICE_CHARACTERS = 500

/** `[p for p in model.parameters() if p.requires_grad]`, which may stand under a name of its own: of one object alone. */
function chosenFrom({ module, from, to }: Value): Expression | undefined {
  // What is joined to it may be of another.
  const isJoined = /^\s*[+*|]/.test(module.text.slice(to, to + 20))
  if (to - from > MAX_CHOICE_CHARACTERS || isJoined) return undefined
  const named = module.text.slice(from, to).matchAll(/(?<![\w.])([A-Za-z_]\w*(?:\.\w+)*)\.(?:named_)?parameters\(\)/g)
  const [only, ...others] = [...new Set(Array.from(named, ([, name = '']) => name))]
  if (only === undefined || others.length > 0) return undefined
  const [first = '', ...attributes] = only.split('.')
  const root: Expression = { from, to, kind: 'name', name: first }
  return attributes.reduce<Expression>((object, name) => ({ from, to, kind: 'attribute', object, name }), root)
}

/** `model.parameters()`, `filter(…, model.parameters())`. */
function parametersOf(expression: Expression): Expression | undefined {
  if (expression.kind !== 'call') return undefined
  const { callee } = expression
  if (callee.kind === 'attribute' && /^(?:named_)?parameters$/.test(callee.name)) return callee.object
  if (callee.kind !== 'name' || !/^(?:filter|list|iter)$/.test(callee.name)) return undefined
  const last = expression.arguments.at(-1)
  return last?.kind === 'positional' ? parametersOf(last.value) : undefined
}
