/** The DataLoader that a training reads its batches from. */
import type { Field } from '../../text/section.ts'
import { libraryName } from '../library.ts'
import { type Call, callExpression, type Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { areEqual, type Instance, placeIn, type Site, type Value } from '../values/values.ts'
import { fieldOf, openField } from './fields.ts'

/** As many calls as are looked at. */
const MAX_CALLS = 20

/** What loads batches for something else than training. */
const otherUse = /(?:^|_)(?:val|valid\w*|eval\w*|test\w*|dev|predict\w*|infer\w*|calib\w*)(?:_|$)/i
const trainingUse = /train/i

/** The batch size of the loader that a trainer is given; undefined for what is none of torch's. */
export function batchOfLoader(
  loader: Value | undefined,
  key: string,
  file: Module,
  evaluator: Evaluator,
): Field | undefined {
  if (loader?.kind !== 'call' || loader.call === undefined || !/^torch\..*\bDataLoader$/.test(loader.name))
    return undefined
  const { values } = evaluator.argumentsOf(loader.call, loader.site, ['dataset', 'batch_size'])
  const given = values.get('batch_size')
  return given && given.kind !== 'none' ? fieldOf(key, given, file) : undefined
}

interface Loader {
  readonly call: Call
  readonly batchSize: Value | undefined
  /** For certain. */
  readonly isForTraining: boolean
}

/** The batch size under `key`; undefined where nothing loads batches. `selves`: objects whose methods load them. */
export function loadedBatch(
  modules: readonly Module[],
  key: string,
  file: Module,
  evaluator: Evaluator,
  selves: readonly Instance[] = [],
): Field | undefined {
  const found = modules.flatMap(module =>
    (module.calls.get('DataLoader') ?? []).slice(0, MAX_CALLS).flatMap(call => loaderOf(call, evaluator, selves)),
  )
  const certain = found.filter(({ isForTraining }) => isForTraining)
  const [first, ...others] = certain.length > 0 ? certain : found
  if (first === undefined) return undefined
  const { call, batchSize } = first
  const here = { module: call.module, from: call.at, to: call.node.to, remarks: [] }
  if (batchSize === undefined)
    return openField(here, key, `the DataLoader on ${placeIn(call.module, call.at)} is given none`, file)
  const different = others.find(other => other.batchSize === undefined || areEqual(batchSize, other.batchSize) !== true)
  if (different === undefined || batchSize.kind === 'open') return fieldOf(key, batchSize, file)
  const lines = `${placeIn(call.module, call.at)} and ${placeIn(different.call.module, different.call.at)}`
  return openField(here, key, `several DataLoaders may be the training's (${lines})`, file)
}

function loaderOf(call: Call, evaluator: Evaluator, selves: readonly Instance[]): readonly Loader[] {
  const { module, scope, at, branches } = call
  const self = selves.find(each => each.scope === scope.parent)
  const site: Site = {
    module,
    scope,
    at,
    branches,
    ...(self && { frame: { scope, call: undefined, site: undefined, self } }),
  }
  const expression = callExpression(call)
  const callee = expression && evaluator.evaluate(expression.callee, site)
  if (expression === undefined || callee?.kind !== 'symbol' || libraryName(callee.name).library !== 'torch') return []
  if (evaluator.isReached(call, site).isReached === false) return []
  const { values, unknown } = evaluator.argumentsOf(expression, site, ['dataset', 'batch_size', 'shuffle'])
  const words = [assignedTo(call), scope.kind === 'function' ? scope.name : '', sourceOf(values.get('dataset'))]
  if (words.some(word => otherUse.test(word) && !trainingUse.test(word))) return []
  const shuffles = values.get('shuffle')
  const isForTraining =
    words.some(word => trainingUse.test(word)) || (shuffles?.kind === 'flag' && shuffles.flag) || values.has('sampler')
  // None: the dataset makes its own batches.
  const given = values.get('batch_size')
  const batchSize = given?.kind === 'none' || (given === undefined && unknown !== undefined) ? undefined : given
  return [{ call, batchSize, isForTraining }]
}

/** What stands before the call on its line: `train_loader = `. */
function assignedTo({ module, at }: Call): string {
  const start = module.text.lastIndexOf('\n', at - 1) + 1
  return /([\w.]+)\s*=\s*$/.exec(module.text.slice(Math.max(start, at - 100), at))?.[1] ?? ''
}

function sourceOf(value: Value | undefined): string {
  return value === undefined ? '' : value.module.text.slice(value.from, Math.min(value.to, value.from + 100))
}
