/** The one model of a library that an object of the repository's own class holds, and what the class puts on top of it. */

import { plainSentence } from '../../text/quote.ts'
import { libraryName } from '../library.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { type Instance, type LibraryCall, type Located, placeIn, shownAt, type Value } from '../values/values.ts'
import { argument, modelChain } from './model-chain.ts'

export type Held =
  /** `head`: layers that take next to no memory beside the model's. */
  { readonly kind: 'held'; readonly model: Value; readonly head: Located | undefined } | NoneHeld

/** `why`: a clause. */
interface NoneHeld {
  readonly kind: 'none'
  readonly why: string
  /** The repository's own class has layers of its own. */
  readonly hasOwnLayers?: boolean
}

const layers =
  /^(?:Linear|Conv\w*|LSTM|GRU|RNN|Transformer\w*|Embedding|Sequential|ModuleList|ModuleDict|MultiheadAttention)$/

/** Such as stand between a model and its labels. */
const small =
  /^(?:Dropout|LayerNorm|BatchNorm1d|ReLU|GELU|SiLU|ELU|LeakyReLU|Mish|Tanh|Sigmoid|Softmax|LogSoftmax|Identity|Flatten)$/

/** A linear layer with more outputs is no head of few labels. */
const MAX_OUTPUTS = 1_024

/** Of modules in modules. */
const MAX_LEVELS = 3

export function heldModel(instance: Instance, evaluator: Evaluator, level = 0): Held {
  const { scope } = instance
  const place = `${scope.name} (${placeIn(scope.module, scope.from)})`
  const names = [scope, ...evaluator.classes.bases(scope)].flatMap(({ members }) => [...members.keys()])
  const members = [...new Set(names)].flatMap(name => evaluator.classes.ofInstance(instance, name) ?? [])
  const models = members.filter(value => value.kind === 'call' && modelChain(value, evaluator).loaded !== undefined)
  const [only, ...others] = models
  const own = members.filter(value => value !== only && hasWeights(value, evaluator))
  const large = own.find(
    value => !isHead(value, evaluator) && (only === undefined || !isHeadOfItsOwn(value, evaluator)),
  )
  if (only === undefined) {
    const inner = own.flatMap(value => innerModel(value, evaluator, level + 1))
    const rest = own.filter(value => inner.every(({ of }) => of !== value))
    const [one, ...more] = inner
    if (one !== undefined && more.length === 0 && rest.every(value => isHead(value, evaluator)))
      return { ...one.held, head: one.held.head ?? rest[0] }
    return large === undefined ? none(whyUnknown(members, place)) : ownLayers(place, large, ', which are not modelled')
  }
  if (others.length > 0) return none(`${place} holds ${models.length} models that are known`)
  if (large !== undefined) return ownLayers(scope.name, large)
  return { kind: 'held', model: only, head: own[0] }
}

/** What a module within holds; none for a loss, or for layers of the code's own. */
function innerModel(
  of: Value,
  evaluator: Evaluator,
  level: number,
): readonly { readonly of: Value; readonly held: Extract<Held, { kind: 'held' }> }[] {
  if (of.kind !== 'instance' || level > MAX_LEVELS) return []
  const held = heldModel(of, evaluator, level)
  return held.kind === 'held' ? [{ of, held }] : []
}

/** What is looked up by its name, or made by a library that is not known. */
function whyUnknown(members: readonly Value[], place: string): string {
  const made = members.find(value => value.kind === 'call' && !/^(?:torch\w*\.|\.)/.test(value.name))
  const holds = `${place} holds no model that is known`
  return made === undefined ? holds : `${holds}: ${shownAt(made.module, made)}`
}

function none(why: string): NoneHeld {
  return { kind: 'none', why }
}

function ownLayers(place: string, { module, from }: Located, remark = ''): NoneHeld {
  return { ...none(`${place} has layers of its own (${placeIn(module, from)})${remark}`), hasOwnLayers: true }
}

function hasWeights(value: Value, evaluator: Evaluator): boolean {
  // A loss or a metric has no members.
  if (value.kind === 'instance') return isModule(value, evaluator) && value.scope.members.size > 0
  return isTorchCall(value) && layers.test(libraryName(value.name).name) && !isTransforms(value, evaluator)
}

/** Images are cut and scaled by modules without weights. */
function isTransforms(value: LibraryCall, evaluator: Evaluator): boolean {
  if (value.call === undefined || libraryName(value.name).name !== 'Sequential') return false
  const { values } = evaluator.argumentsOf(value.call, value.site)
  const isTransform = (each: Value) => each.kind === 'call' && /^torchvision\.transforms\./.test(each.name)
  return values.size > 0 && [...values.values()].every(isTransform)
}

/** Nothing blocks by what the code may do otherwise. */
export function tellHolder({ scope }: Instance, head: Located | undefined, evaluator: Evaluator): string {
  const remark =
    head === undefined
      ? `What ${scope.name} (${placeIn(scope.module, scope.from)}) does with the model is the code's own, so that nothing blocks.`
      : `The layers that ${scope.name} puts on top of the model (${placeIn(head.module, head.from)}) are the code's own: they are counted as a head of few labels, so that nothing blocks.`
  const sentence = plainSentence(remark)
  evaluator.unsureRemarks.add(sentence)
  return sentence
}

/** Of a class that extends `torch.nn.Module`, or Lightning's or transformers'. */
export function isModule({ scope }: Instance, evaluator: Evaluator): boolean {
  return /(?:Module|PreTrainedModel)$/.test(evaluator.classes.libraryBase(scope) ?? '')
}

function isTorchCall(value: Value): value is LibraryCall {
  return value.kind === 'call' && value.name.startsWith('torch.')
}

/** Layers that take next to no memory beside a model's. */
export function isHead(value: Value, evaluator: Evaluator): boolean {
  if (!isTorchCall(value) || value.call === undefined) return false
  const { name } = libraryName(value.name)
  if (small.test(name)) return true
  if (name === 'Linear') return hasFewOutputs(value, evaluator)
  if (name !== 'Sequential') return false
  const { values, unknown } = evaluator.argumentsOf(value.call, value.site)
  return unknown === undefined && values.size > 0 && [...values.values()].every(each => isHead(each, evaluator))
}

/** A module of the repository's own, of such layers alone. */
function isHeadOfItsOwn(value: Value, evaluator: Evaluator): boolean {
  if (value.kind !== 'instance' || !isModule(value, evaluator)) return false
  const members = [...value.scope.members.keys()].flatMap(name => evaluator.classes.ofInstance(value, name) ?? [])
  const isLoaded = members.some(each => modelChain(each, evaluator).loaded !== undefined)
  const own = members.filter(each => hasWeights(each, evaluator))
  return own.length > 0 && !isLoaded && own.every(each => isHead(each, evaluator))
}

function hasFewOutputs(linear: LibraryCall, evaluator: Evaluator): boolean {
  const outputs = argument(linear, 'out_features', 1, evaluator)
  if (outputs?.kind === 'number') return outputs.number <= MAX_OUTPUTS
  const written = outputs === undefined ? '' : outputs.module.text.slice(outputs.from, outputs.to)
  return outputs !== undefined && !/vocab/i.test(written)
}
