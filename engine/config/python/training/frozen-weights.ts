/** Weights that a script freezes by hand: where, and which parts of the model. */
import type { SyntaxNode } from '@lezer/common'
import type { FrozenByHand, Switch } from '../../dialects/huggingface/frozen-by-hand.ts'
import type { Field } from '../../text/section.ts'
import { type CallExpression, children, type Expression, expressionOf } from '../syntax/expressions.ts'
import { type Call, callExpression, classAround, type Module, type Place, type Scope } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import type { LibraryCall, Site } from '../values/values.ts'
import { saidBy } from './fields.ts'
import { givenIn, isModel } from './given-layers.ts'
import { modelChain } from './model-chain.ts'

export interface FrozenWeights {
  readonly byHand?: FrozenByHand
  readonly notUnderstood: readonly Field[]
}

/** All that a script freezes and trains again is understood, or nothing is. `start`: the call that the training is known by. */
export function frozenWeights(
  files: readonly Module[],
  loaded: LibraryCall | undefined,
  start: Call,
  evaluator: Evaluator,
): FrozenWeights {
  const [file] = files
  if (file === undefined) return { notUnderstood: [] }
  const elsewhere = loaded === undefined || files.includes(loaded.module) ? undefined : loaded
  const found = [
    ...files.flatMap(each => statementsIn(each, evaluator)),
    ...(elsewhere === undefined ? [] : statementsIn(elsewhere.module, evaluator).filter(isBeside(elsewhere.site))),
  ]
  const ofTrained = loaded === undefined ? found : found.filter(each => !isOfAnother(each, loaded, evaluator))
  const first = ofTrained.find(({ trains, node }) => trains === false || (trains === undefined && isCall(node)))
  if (first === undefined) return { notUnderstood: [] }
  const field = fieldOf(first, file)
  const switches = loaded && switchesOf(ofTrained, loaded, start, evaluator)
  return switches === undefined ? { notUnderstood: [field] } : { byHand: { field, switches }, notUnderstood: [] }
}

function isCall({ name }: SyntaxNode): boolean {
  return name === 'CallExpression'
}

function fieldOf({ module, at }: Statement, file: Module): Field {
  const from = Math.max(0, module.text.lastIndexOf('\n', at - 1) + 1)
  const start = from + (/^\s*/.exec(module.text.slice(from, at))?.[0].length ?? 0)
  const located = { module, from: start, to: at, remarks: [] }
  return saidBy(located, 'requires_grad', { kind: 'flag', flag: false }, file)
}

/** One that freezes, or trains again. */
interface Statement extends Place {
  readonly module: Module
  readonly node: SyntaxNode
  /** Undefined where only run time tells. */
  readonly trains: boolean | undefined
  /** What it is done to; undefined where a method does it in a way of its own. */
  readonly of: Expression | undefined
}

function statementsIn(module: Module, evaluator: Evaluator): readonly Statement[] {
  const assigned = module.gradientSwitches
    .filter(place => evaluator.mayRun(place))
    .map(({ target: node, value, ...place }) => ({
      ...place,
      module,
      node,
      trains: flagOf(value),
      of: ownerOf(node, module),
    }))
  const called = [...module.calls]
    .filter(([name]) => /^(?:requires_grad_|freeze\w*)$/.test(name) || putsInAdapters.test(name))
    .flatMap(([name, calls]) =>
      calls
        .filter(call => evaluator.mayRun(call))
        .map(call => ({ ...call, ...saidByCall(name, callExpression(call)) })),
    )
  return [...assigned, ...called]
}

/** `inject_lora(model)`: by a function of the team's own, which freezes the rest. */
const putsInAdapters =
  /^(?:inject|apply|add|insert|attach|replace)_(?:\w+_)?(?:q?lora|dora|adapters?)(?:_to_\w|(?:_layers?|_modules?)?$)/i

function ownerOf(target: SyntaxNode, module: Module): Expression | undefined {
  const written = expressionOf(target, module.text)
  return written.kind === 'attribute' ? written.object : undefined
}

function saidByCall(name: string, call: CallExpression | undefined): Pick<Statement, 'trains' | 'of'> {
  const [first] = call?.arguments ?? []
  const object = call?.callee.kind === 'attribute' ? call.callee.object : undefined
  if (name === 'requires_grad_') {
    const trains = first?.kind === 'positional' ? flagOf(first.value) : undefined
    return { trains: first === undefined ? true : trains, of: object }
  }
  // WhisperForConditionalGeneration.freeze_encoder.
  const isEncoder = name === 'freeze_encoder' && first === undefined && object !== undefined && call !== undefined
  if (!isEncoder) return { trains: false, of: undefined }
  const callee: Expression = { ...call, kind: 'attribute', object, name: 'get_encoder' }
  return { trains: false, of: { ...call, callee } }
}

function flagOf(expression: Expression): boolean | undefined {
  return expression.kind === 'flag' ? expression.flag : undefined
}

/** In the same function, or the same class. */
function isBeside(site: Site): (place: Place) => boolean {
  const around = classAround(site.scope)
  return ({ scope }) => scope === site.scope || (around !== undefined && classAround(scope) === around)
}

interface PlacedSwitch extends Switch {
  readonly at: number
}

/** Undefined where one of them may not run, may run after the training starts, or is done to what is not known. */
function switchesOf(
  found: readonly Statement[],
  loaded: LibraryCall,
  start: Call,
  evaluator: Evaluator,
): readonly Switch[] | undefined {
  const scope = found[0]?.scope
  if (scope === undefined || found.some(each => each.scope !== scope)) return undefined
  if (scope !== start.scope && scope !== loaded.site.scope) return undefined
  const read = [...found.map(each => switchBy(each, loaded, evaluator)), ...newLayers(scope, loaded, evaluator)]
  const known = read.filter(each => each !== undefined)
  if (known.length < read.length) return undefined
  const inOrder = known.toSorted((one, other) => one.at - other.at)
  const last = inOrder.at(-1)?.at ?? 0
  const isLate = scope === start.scope && last > start.at
  // What returns before may leave it out.
  const mayReturn = scope.kind === 'function' && /\breturn\b/.test(scope.module.text.slice(scope.from, last))
  return isLate || mayReturn ? undefined : inOrder
}

function switchBy(statement: Statement, loaded: LibraryCall, evaluator: Evaluator): PlacedSwitch | undefined {
  const { module, node, trains, of, at } = statement
  const site = siteAt(statement)
  if (trains === undefined || of === undefined || evaluator.isReached(statement, site).isReached !== true)
    return undefined
  const part = isCall(node) && isUnconditional(node) ? of : loopedOver(node, of, module)
  const path = part && pathTo(part, site, loaded, evaluator)
  return path === undefined ? undefined : { at, path, trains }
}

/** By its name, the model that a loss compares with; and loaded by a call of its own. */
const reference = /^(?:self\.)?_?(?:ref|reference|teacher|reward)(?:_\w+)?$/

function isOfAnother(statement: Statement, loaded: LibraryCall, evaluator: Evaluator): boolean {
  const { node, of, module } = statement
  const whole = of && (isCall(node) && isUnconditional(node) ? of : loopedOver(node, of, module))
  if (whole === undefined || !reference.test(module.text.slice(whole.from, whole.to))) return false
  const { loaded: other } = modelChain(evaluator.evaluate(whole, siteAt(statement)), evaluator)
  return other?.kind === 'call' && (other.module !== loaded.module || other.from !== loaded.from)
}

const PLAIN = /^(?:Body|IfStatement|ExpressionStatement|AssignStatement)$/

/** In no loop, `with` or `try`: within `if` alone, whose conditions are known elsewhere. */
function isUnconditional(node: SyntaxNode): boolean {
  const { parent } = node
  if (parent === null || /^(?:Script|FunctionDefinition)$/.test(parent.name)) return true
  return PLAIN.test(parent.name) && isUnconditional(parent)
}

/** `for parameter in PART.parameters(): parameter.requires_grad = False`, with nothing else in the loop. */
function loopedOver(node: SyntaxNode, of: Expression, module: Module): Expression | undefined {
  const body = node.parent?.parent
  const loop = body?.parent
  if (body?.name !== 'Body' || loop?.name !== 'ForStatement' || !isUnconditional(loop)) return undefined
  const statements = children(body).filter(({ name }) => name !== ':' && name !== 'Comment')
  const parts = children(loop)
  const before = parts.findIndex(({ name }) => name === 'in')
  const [target, over] = [parts[before - 1], parts[before + 1]]
  if (statements.length !== 1 || target === undefined || over === undefined || of.kind !== 'name') return undefined
  if (module.text.slice(target.from, target.to) !== of.name) return undefined
  const all = expressionOf(over, module.text)
  if (all.kind !== 'call' || all.arguments.length > 0 || all.callee.kind !== 'attribute') return undefined
  const isNamed = parts[before - 2]?.name === ','
  return all.callee.name === (isNamed ? 'named_parameters' : 'parameters') ? all.callee.object : undefined
}

/** From the model to one of its parts: `bert`, `model.encoder`, `get_encoder()`. */
function pathTo(part: Expression, site: Site, loaded: LibraryCall, evaluator: Evaluator): string | undefined {
  const path: string[] = []
  let current = part
  while (!isModel(current, site, loaded, evaluator)) {
    const called = current.kind === 'call' ? current : undefined
    const member: Expression = called?.callee ?? current
    if (member.kind !== 'attribute' || (called?.arguments.length ?? 0) > 0) return undefined
    path.unshift(called === undefined ? member.name : `${member.name}()`)
    current = member.object
  }
  return path.join('.')
}

/** `model.fc = nn.Linear(512, 10)`: a new layer trains. Undefined for each other module that the model is given. */
function newLayers(scope: Scope, loaded: LibraryCall, evaluator: Evaluator): readonly (PlacedSwitch | undefined)[] {
  return givenIn(scope, loaded, evaluator).map(({ path, made, binding, site }) => {
    const isLinear = made.kind === 'call' && /^torch\.nn\.(?:\w+\.)*Linear$/.test(made.name)
    const isCertain = evaluator.isReached(binding, site).isReached === true
    return isLinear && isCertain ? { at: binding.at, path, trains: true } : undefined
  })
}
