/** Weights that a script freezes by hand: where, and which parts of the model. */
import type { SyntaxNode } from '@lezer/common'
import type { FrozenByHand } from '../../dialects/huggingface/frozen-by-hand.ts'
import { plainSentence } from '../../text/quote.ts'
import type { Field } from '../../text/section.ts'
import { type CallExpression, type Expression, expressionOf } from '../syntax/expressions.ts'
import { type Call, callExpression, classAround, type Module, type Place, type Scope } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { type LibraryCall, type Located, placeIn, type Site, truthOf } from '../values/values.ts'
import { saidBy } from './fields.ts'
import { comparePlaces, FreezingCalls, isInFunction, mayReturnBefore, type Run } from './freezing-calls.ts'
import { loopsAround, type Reached, reachedBy } from './frozen-loops.ts'
import { givenIn, isLinear, isModel } from './given-layers.ts'
import { isHead } from './held-model.ts'
import { classLoaded, modelChain } from './model-chain.ts'
import { isChild, type NamedModel, type Switch, trainedParameters } from './parameter-names.ts'
import { isVisionModel } from './vision-models.ts'

export interface FrozenWeights {
  readonly byHand?: FrozenByHand
  /** Nothing blocks by them. */
  readonly assumptions: readonly string[]
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
  if (file === undefined) return { assumptions: [], notUnderstood: [] }
  const elsewhere = loaded === undefined || files.includes(loaded.module) ? undefined : loaded
  const calls = new FreezingCalls(files, [start.scope, ...(loaded ? [loaded.site.scope] : [])], loaded, evaluator)
  const others = calls.otherFiles().flatMap(each => statementsIn(each, evaluator).filter(isInFunction))
  const found = [
    ...files.flatMap(each => statementsIn(each, evaluator)),
    ...(elsewhere === undefined ? [] : statementsIn(elsewhere.module, evaluator).filter(isBeside(elsewhere.site))),
    ...others.filter(({ module }) => module !== elsewhere?.module),
  ]
    .filter(each => !calls.isFollowed(each))
    .flatMap(each => calls.runsOf(each).map(run => asRun(each, run, evaluator)))
  const ofTrained = loaded === undefined ? found : found.filter(each => !isOfAnother(each, loaded, evaluator))
  const freezes = (each: Statement) =>
    each.trains === false ||
    (each.trains === undefined &&
      (isCall(each.node) || goesOverParameters(each) || (loaded && reachedOf(each, loaded, evaluator)?.byValue)))
  const first = ofTrained.find(freezes)
  if (first === undefined) return { assumptions: [], notUnderstood: [] }
  const field = fieldOf(first, file)
  const switches = loaded && switchesOf(ofTrained, loaded, start, calls, evaluator)
  if (loaded === undefined || switches === undefined) return { assumptions: [], notUnderstood: [field] }
  const named = namedModel(loaded)
  const assumptions = switches.flatMap(({ remark }) => remark ?? [])
  for (const sentence of assumptions) evaluator.unsureRemarks.add(sentence)
  return {
    assumptions,
    byHand: {
      field,
      trained: (model, task) => trainedParameters(model, task, switches, named),
      freesSound: ofTrained.some(({ method = '' }) => freezesReader.test(method)),
    },
    notUnderstood: [],
  }
}

/** `for name, p in model.named_parameters(): p.requires_grad = …`, whatever that comes to. */
function goesOverParameters({ node, module }: Statement): boolean {
  const [loop] = loopsAround(node) ?? []
  return loop !== undefined && (module.text.slice(loop.from, loop.to).split('\n')[0] ?? '').includes('parameters(')
}

function namedModel(loaded: LibraryCall): NamedModel {
  const isBare = /(?:^|\.)(?!\w*(?:LMHead|DoubleHeads)Model$)\w*Model$/.test(classLoaded(loaded))
  return { isOfVisionLibrary: isVisionModel(loaded), isBare }
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

/** One that freezes, or trains again, as it is written. */
interface Written extends Place {
  readonly module: Module
  readonly node: SyntaxNode
  /** Undefined where only run time tells. */
  readonly trains: boolean | undefined
  /** What `trains` is written as, where that is no constant. */
  readonly value: Expression | undefined
  /** What is called for it, if something is. */
  readonly method?: string
  /** What it is done to; undefined where a method does it in a way of its own. */
  readonly of: Expression | undefined
}

/** As it runs. */
type Statement = Written & Run

/** With the flag that it is called with. */
function asRun(written: Written, run: Run, evaluator: Evaluator): Statement {
  const trains = written.value && truthOf(evaluator.evaluate(written.value, run.site))
  return { ...written, ...run, ...(trains !== undefined && { trains, value: undefined }) }
}

function statementsIn(module: Module, evaluator: Evaluator): readonly Written[] {
  const assigned = module.gradientSwitches
    .filter(place => evaluator.mayRun(place))
    .map(({ target: node, value, ...place }) => ({
      ...place,
      module,
      node,
      trains: flagOf(value),
      value: value.kind === 'flag' ? undefined : value,
      of: ownerOf(node, module),
    }))
  const called = [...module.calls]
    .filter(([name]) => /^(?:requires_grad_|freeze\w*)$/.test(name) || putsInAdapters.test(name))
    .flatMap(([name, calls]) =>
      calls
        .filter(call => evaluator.mayRun(call))
        .map(call => ({ ...call, method: name, ...saidByCall(name, callExpression(call)) })),
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

function saidByCall(name: string, call: CallExpression | undefined): Pick<Written, 'trains' | 'value' | 'of'> {
  const [first] = call?.arguments ?? []
  const object = call?.callee.kind === 'attribute' ? call.callee.object : undefined
  if (name === 'requires_grad_') {
    if (first === undefined) return { trains: true, value: undefined, of: object }
    if (first.kind !== 'positional') return { trains: undefined, value: undefined, of: object }
    return { trains: flagOf(first.value), value: first.value.kind === 'flag' ? undefined : first.value, of: object }
  }
  const isWhole = first === undefined && object !== undefined && call !== undefined
  return { trains: false, value: undefined, of: isWhole ? frozenBy(name, object, call) : undefined }
}

/** Methods of transformers' models: WhisperForConditionalGeneration.freeze_encoder, Wav2Vec2ForCTC's others. */
function frozenBy(name: string, object: Expression, call: CallExpression): Expression | undefined {
  const part = (of: Expression, each: string): Expression & { kind: 'attribute' } => ({
    ...call,
    kind: 'attribute',
    object: of,
    name: each,
  })
  if (name === 'freeze_encoder') return { ...call, callee: part(object, 'get_encoder') }
  if (name === 'freeze_base_model') return part(object, 'base_model')
  return freezesReader.test(name) ? part(part(object, 'base_model'), 'feature_extractor') : undefined
}

/** The second is an older name of it. */
const freezesReader = /^freeze_feature_(?:encoder|extractor)$/

function flagOf(expression: Expression): boolean | undefined {
  return expression.kind === 'flag' ? expression.flag : undefined
}

/** In the same function, or the same class. */
function isBeside(site: Site): (place: Place) => boolean {
  const around = classAround(site.scope)
  return ({ scope }) => scope === site.scope || (around !== undefined && classAround(scope) === around)
}

interface PlacedSwitch extends Switch {
  readonly order: readonly number[]
  /** What the reader must know of it. */
  readonly remark?: string
}

/** Undefined where one of them may not run, may run after the training starts, or is done to what is not known. */
function switchesOf(
  found: readonly Statement[],
  loaded: LibraryCall,
  start: Call,
  calls: FreezingCalls,
  evaluator: Evaluator,
): readonly PlacedSwitch[] | undefined {
  const root = found[0]?.root
  if (root === undefined || found.some(each => each.root !== root)) return undefined
  const read = [
    ...found.flatMap(each => switchesBy(each, loaded, evaluator)),
    ...newLayers(root, loaded, calls, evaluator),
  ]
  const known = read.filter(each => each !== undefined)
  if (known.length < read.length) return undefined
  const inOrder = known.toSorted((one, other) => comparePlaces(one.order, other.order))
  const last = inOrder.at(-1)?.order ?? []
  // What runs where the model is loaded does so before.
  const isEarly = (root === loaded.site.scope && root !== start.scope) || calls.runsAfter(root, last, start)
  return isEarly && !mayReturnBefore(root, last[0] ?? 0) ? inOrder : undefined
}

function switchesBy(
  statement: Statement,
  loaded: LibraryCall,
  evaluator: Evaluator,
): readonly (PlacedSwitch | undefined)[] {
  const { trains, value, order, site } = statement
  const reached = reachedOf(statement, loaded, evaluator)
  if (reached === undefined) return [undefined]
  const { selections, byValue, branches } = reached
  if (evaluator.isReached({ ...statement, branches }, site).isReached !== true) return [undefined]
  if (value === undefined)
    return trains === undefined ? [undefined] : selections.map(selects => ({ order, selects, trains }))
  return [
    ...(byValue?.whenTrue ?? []).map(selects => ({ order, selects, trains: true })),
    ...(byValue?.whenFalse ?? []).map(selects => ({ order, selects, trains: false })),
  ]
}

function reachedOf(statement: Statement, loaded: LibraryCall, evaluator: Evaluator): Reached | undefined {
  const { of, site } = statement
  return of && reachedBy({ ...statement, of }, part => pathTo(part, site, loaded, evaluator), evaluator)
}

/** By its name, the model that a loss compares with; and loaded by a call of its own. */
const reference = /^(?:self\.)?_?(?:ref|reference|teacher|reward)(?:_\w+)?$/

function isOfAnother(statement: Statement, loaded: LibraryCall, evaluator: Evaluator): boolean {
  const { of, module, site } = statement
  let other: LibraryCall | undefined
  const note = (part: Expression) => {
    if (!reference.test(module.text.slice(part.from, part.to))) return undefined
    const { loaded: found } = modelChain(evaluator.evaluate(part, site), evaluator)
    if (found?.kind === 'call') other = found
    return ''
  }
  const reached = of && reachedBy({ ...statement, of }, note, evaluator)
  if (reached === undefined || other === undefined) return false
  return other.module !== loaded.module || other.from !== loaded.from
}

/** From the model to one of its parts: `bert`, `model.encoder`, `get_encoder()`. */
function pathTo(part: Expression, asked: Site, loaded: LibraryCall, evaluator: Evaluator): string | undefined {
  const path: string[] = []
  let [current, site] = [part, asked]
  while (!isModel(current, site, loaded, evaluator)) {
    const passed = passedAs(current, site)
    if (passed !== undefined) {
      ;[current, site] = passed
      continue
    }
    const called = current.kind === 'call' ? current : undefined
    const member: Expression = called?.callee ?? current
    if (member.kind !== 'attribute' || (called?.arguments.length ?? 0) > 0) return undefined
    path.unshift(called === undefined ? member.name : `${member.name}()`)
    current = member.object
  }
  return path.join('.')
}

/** What a call gives for a parameter of its function: `freeze(model.encoder)`. */
function passedAs(written: Expression, { scope, frame }: Site): readonly [Expression, Site] | undefined {
  if (written.kind !== 'name' || frame?.scope !== scope || !frame.site || !frame.call) return undefined
  const { name } = written
  const [bound, ...others] = scope.bindings.get(name) ?? []
  if (bound?.value.kind !== 'parameter' || others.length > 0) return undefined
  const position = scope.parameters.findIndex(each => each.name === name) - (frame.self === undefined ? 0 : 1)
  const given = frame.call.arguments
  const [first] = given.filter(each => each.kind === 'keyword' && each.name === name)
  const argument = first ?? given[position]
  const isMeant = argument !== undefined && (argument === first || argument.kind === 'positional')
  return isMeant && argument.kind !== 'spread' ? [argument.value, frame.site] : undefined
}

function ofOwnHead(made: Located): string {
  return plainSentence(
    `The layers on ${placeIn(made.module, made.from)} are the code's own: they are counted as a head of few labels, so that nothing blocks.`,
  )
}

/** `model.fc = nn.Linear(512, 10)`: a new layer trains. Undefined for each other module that the model is given. */
function newLayers(
  root: Scope,
  loaded: LibraryCall,
  calls: FreezingCalls,
  evaluator: Evaluator,
): readonly (PlacedSwitch | undefined)[] {
  const given = [...new Set([root, ...calls.scopes()])].flatMap(scope => givenIn(scope, loaded, evaluator))
  return given.flatMap(({ path, child, made, binding }) =>
    calls.runsOf(binding).flatMap(run => {
      // What is put into the model where it is loaded is there before anything else is done to it.
      if (run.root !== root && run.root === loaded.site.scope) return []
      const { isReached } = evaluator.isReached(binding, run.site)
      if (isReached === false) return []
      const isCertain = run.root === root && isReached === true
      if (!isCertain || !(isLinear(made) || isHead(made, evaluator))) return [undefined]
      const layers = child === undefined ? {} : { layers: isChild(child) }
      const found = { order: run.order, selects: { path, ...layers }, trains: true }
      return [isLinear(made) ? found : { ...found, remark: ofOwnHead(made) }]
    }),
  )
}
