/** Layers that a script gives a model in the place of its own. */
import type { Field } from '../../text/section.ts'
import { libraryName } from '../library.ts'
import type { Expression } from '../syntax/expressions.ts'
import { type Binding, callExpression, type Module, type Scope } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { placed, siteAt, sourceOf } from '../values/sites.ts'
import type { LibraryCall, Site, Value } from '../values/values.ts'
import { fieldOf, saidBy } from './fields.ts'
import { argument, modelChain } from './model-chain.ts'

/** `model.fc = made`, `model.classifier[1] = made` */
interface Given {
  readonly path: string
  /** Which of the numbered children there. */
  readonly child?: number
  readonly made: Value
  readonly binding: Binding
  readonly site: Site
}

const SETTINGS = /^(?:generation_)?config\b/

/** What is set on the model in the function that loads it: modules, and what nobody can tell. */
export function givenIn(scope: Scope, loaded: LibraryCall, evaluator: Evaluator): readonly Given[] {
  const attributes = [...scope.members].flatMap(([written, bindings]) =>
    bindings.flatMap(binding => givenBy({ written }, binding, loaded, evaluator)),
  )
  const items = scope.module.itemChanges
    .filter(change => change.scope === scope)
    .flatMap(change => {
      const at = evaluator.evaluate(change.key, siteAt(change))
      return at.kind === 'number'
        ? givenBy({ written: change.object, child: at.number }, change, loaded, evaluator)
        : []
    })
  return [...attributes, ...items]
}

/** `child`: of the item that is set on what is written; else the last name is set on what stands before it. */
function givenBy(
  { written, child }: { readonly written: string; readonly child?: number },
  binding: Binding,
  loaded: LibraryCall,
  evaluator: Evaluator,
): readonly Given[] {
  const { value } = binding
  if (value.kind !== 'expression') return []
  const site = siteAt(binding)
  const path = pathIn(written, child === undefined ? 1 : 0, site, loaded, evaluator)
  if (path === undefined || SETTINGS.test(path)) return []
  const made = evaluator.evaluate(value.expression, site)
  if (/^(?:number|text|flag|none)$/.test(made.kind)) return []
  return [{ path, ...(child !== undefined && { child }), made, binding, site }]
}

/** What is written behind the model, of which at least `fewest` names are no part of what it is called. */
function pathIn(
  written: string,
  fewest: number,
  site: Site,
  loaded: LibraryCall,
  evaluator: Evaluator,
): string | undefined {
  const parts = /^\w+(?:\.\w+)*$/.test(written) ? written.split('.') : []
  const model = parts
    .slice(0, parts.length - fewest)
    .findIndex((_, index) => isModel(named(parts.slice(0, index + 1), site.at), site, loaded, evaluator))
  return model < 0 ? undefined : parts.slice(model + 1).join('.')
}

/** `self.model`, as it is written from a place on. */
function named([first = '', ...rest]: readonly string[], from: number): Expression {
  let [written, to]: [Expression, number] = [
    { kind: 'name', name: first, from, to: from + first.length },
    from + first.length,
  ]
  for (const name of rest) {
    to += 1 + name.length
    written = { kind: 'attribute', object: written, name, from, to }
  }
  return written
}

export function isModel(expression: Expression, site: Site, loaded: LibraryCall, evaluator: Evaluator): boolean {
  const { loaded: found } = modelChain(evaluator.evaluate(expression, site), evaluator)
  return found?.kind === 'call' && found.module === loaded.module && found.from === loaded.from
}

/** Between the features and the labels, where layers take next to no memory. */
const heads = /^(?:fc|classifier|heads?|last_linear|lm_head|score|out_proj|qa_outputs|pooler|dropout|logits?)(?:\.|$)/
/** The blocks of a network, of which some may be left out: `model.model.layers = model.model.layers[:12]`. */
const stacks = /(?:^|\.)(?:layers?|h|blocks?)$/
/** With the output of the layers that stand there in the models of libraries. */
const alike = /^(?:Linear|Dropout\w*|(?:Adaptive)?AvgPool\w*|ReLU\w*|GELU|SiLU|Hardswish|Mish)$/

/** Those of a network's body, which change what it holds: `model.conv1 = nn.Conv2d(…)`, `model.maxpool = nn.Identity()`. */
export function replacedLayers(loaded: LibraryCall, file: Module, evaluator: Evaluator): readonly Field[] {
  return [...removedLayers(loaded, file, evaluator), ...givenLayers(loaded, file, evaluator)]
}

/** `del model.model.layers[12:]`, `model.model.layers.pop(-1)` */
function removedLayers(loaded: LibraryCall, file: Module, evaluator: Evaluator): readonly Field[] {
  const { module } = loaded.site.scope
  const deleted = module.itemChanges.filter(({ value }) => value.kind === 'removed')
  const popped = (module.calls.get('pop') ?? []).flatMap(call => {
    const callee = callExpression(call)?.callee
    return callee?.kind === 'attribute' ? [{ ...placed(call), object: sourceOf(callee.object, call) }] : []
  })
  return [...deleted, ...popped].flatMap(change => {
    const site = siteAt(change)
    const path = pathIn(change.object, 1, site, loaded, evaluator)
    if (path === undefined || !stacks.test(path) || !evaluator.mayRun(change)) return []
    const at = { module, from: change.at, to: change.at, remarks: [] }
    return [saidBy(at, 'a layer', { kind: 'text', text: path }, file, `model.${path}`)]
  })
}

function givenLayers(loaded: LibraryCall, file: Module, evaluator: Evaluator): readonly Field[] {
  return givenIn(loaded.site.scope, loaded, evaluator).flatMap(({ path, child, made, binding, site }) => {
    const isCut = made.kind === 'open' && child === undefined && stacks.test(path)
    if (isCut && evaluator.isReached(binding, site).isReached !== false)
      return [saidBy(made, 'a layer', { kind: 'text', text: path }, file, `model.${path}`)]
    if (made.kind !== 'call' || heads.test(path) || evaluator.isReached(binding, site).isReached === false) return []
    const { name } = libraryName(made.name)
    const isLayer = /^torch\.nn\./.test(made.name) && !alike.test(name) && !isUsualStem(path, made, evaluator)
    return isLayer ? [saidBy(made, 'a layer', { kind: 'text', text: name }, file, `model.${path}`)] : []
  })
}

/** Of the one head that is put in the place of the model's, or the last layer of it: `model.fc = nn.Linear(512, 10)`. */
export function labelsOfHead(loaded: LibraryCall, file: Module, evaluator: Evaluator): readonly Field[] {
  const given = givenIn(loaded.site.scope, loaded, evaluator).filter(
    ({ path, child, made, binding, site }) =>
      (child === undefined ? lastLayers.test(path) : /^(?:classifier|heads?)$/.test(path) && isLinear(made)) &&
      evaluator.isReached(binding, site).isReached !== false,
  )
  const [only, ...others] = given
  const outputs = only && others.length === 0 ? outputsOf(only.made, evaluator) : undefined
  return outputs?.kind === 'number' ? [fieldOf('num_labels', outputs, file)] : []
}

export function isLinear(made: Value): boolean {
  return made.kind === 'call' && /^torch\.nn\.(?:\w+\.)*Linear$/.test(made.name)
}

const lastLayers = /^(?:fc|classifier|heads?|heads\.head|head\.fc|last_linear)$/

function outputsOf(made: Value, evaluator: Evaluator): Value | undefined {
  if (made.kind !== 'call') return undefined
  if (made.name === 'torch.nn.Linear') return argument(made, 'out_features', 1, evaluator)
  if (made.name !== 'torch.nn.Sequential' || made.call === undefined) return undefined
  const layers = [...evaluator.argumentsOf(made.call, made.site).values.values()]
  const last = layers.findLast(layer => layer.kind === 'call' && layer.name === 'torch.nn.Linear')
  return last && outputsOf(last, evaluator)
}

/** torchvision 0.21 models/resnet.py: the same for images with another number of channels. */
function isUsualStem(path: string, made: LibraryCall, evaluator: Evaluator): boolean {
  if (path !== 'conv1' || !/\bConv2d$/.test(made.name)) return false
  const usual = [64, 7, 2, 3]
  return ['out_channels', 'kernel_size', 'stride', 'padding'].every((name, index) => {
    const given = argument(made, name, index + 1, evaluator)
    const sides = given?.kind === 'list' ? given.items : [given]
    return sides.every(side => side?.kind === 'number' && side.number === usual[index])
  })
}
