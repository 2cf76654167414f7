/** The one model of a library that an object of the repository's own class holds, and what the class puts on top of it. */
import type { Evaluator } from './evaluator.ts'
import { libraryName } from './library.ts'
import { argument, modelChain } from './model-chain.ts'
import { type Instance, type LibraryCall, type Located, placeIn, type Value } from './values.ts'

export type Held =
  /** `head`: layers that take next to no memory beside the model's. */
  | { readonly kind: 'held'; readonly model: Value; readonly head: Located | undefined }
  /** `why`: a clause. */
  | { readonly kind: 'none'; readonly why: string }

const layers =
  /^(?:Linear|Conv\w*|LSTM|GRU|RNN|Transformer\w*|Embedding|Sequential|ModuleList|ModuleDict|MultiheadAttention)$/

/** Such as stand between a model and its labels. */
const small =
  /^(?:Dropout|LayerNorm|BatchNorm1d|ReLU|GELU|SiLU|ELU|LeakyReLU|Mish|Tanh|Sigmoid|Softmax|LogSoftmax|Identity|Flatten)$/

/** A linear layer with more outputs is no head of few labels. */
const MAX_OUTPUTS = 1_024

export function heldModel(instance: Instance, evaluator: Evaluator): Held {
  const { scope } = instance
  const members = [...scope.members.keys()].flatMap(name => evaluator.classes.ofInstance(instance, name) ?? [])
  const models = members.filter(value => value.kind === 'call' && modelChain(value, evaluator).loaded !== undefined)
  const [only, ...others] = models
  if (only === undefined || others.length > 0)
    return none(`${scope.name} (${placeIn(scope.module, scope.from)}) holds ${models.length} models that are known`)
  const own = members.filter(value => value !== only && hasWeights(value, evaluator))
  const large = own.find(value => !isHead(value, evaluator))
  if (large !== undefined) return none(`${scope.name} has layers of its own (${placeIn(large.module, large.from)})`)
  return { kind: 'held', model: only, head: own[0] }
}

function none(why: string): Held {
  return { kind: 'none', why }
}

function hasWeights(value: Value, evaluator: Evaluator): boolean {
  // A loss or a metric has no members.
  if (value.kind === 'instance') return isModule(value, evaluator) && value.scope.members.size > 0
  return isTorchCall(value) && layers.test(libraryName(value.name).name)
}

/** Of a class that extends `torch.nn.Module`, or Lightning's. */
export function isModule({ scope }: Instance, evaluator: Evaluator): boolean {
  return /Module$/.test(evaluator.classes.libraryBase(scope) ?? '')
}

function isTorchCall(value: Value): value is LibraryCall {
  return value.kind === 'call' && value.name.startsWith('torch.')
}

function isHead(value: Value, evaluator: Evaluator): boolean {
  if (!isTorchCall(value) || value.call === undefined) return false
  const { name } = libraryName(value.name)
  if (small.test(name)) return true
  if (name === 'Linear') return hasFewOutputs(value, evaluator)
  if (name !== 'Sequential') return false
  const { values, unknown } = evaluator.argumentsOf(value.call, value.site)
  return unknown === undefined && values.size > 0 && [...values.values()].every(each => isHead(each, evaluator))
}

function hasFewOutputs(linear: LibraryCall, evaluator: Evaluator): boolean {
  const outputs = argument(linear, 'out_features', 1, evaluator)
  if (outputs?.kind === 'number') return outputs.number <= MAX_OUTPUTS
  const written = outputs === undefined ? '' : outputs.module.text.slice(outputs.from, outputs.to)
  return outputs !== undefined && !/vocab/i.test(written)
}
