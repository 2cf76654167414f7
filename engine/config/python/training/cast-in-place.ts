/** A statement that casts the weights of a model, whose name keeps holding it: `model.half()`. */
import { type Call, callExpression, type Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import type { LibraryCall } from '../values/values.ts'
import { isModel } from './given-layers.ts'
import { type Cast, castBy, type ModelChain, modelChain } from './model-chain.ts'

/** As many calls of one method as are looked at. */
const MAX_CALLS = 20

const casting = ['half', 'bfloat16', 'float', 'to']
/** Functions that run once the training is over. */
const runsAfter = /eval|test|infer|predict|generat|export|save|merge|push/i

/** With the last cast before `start`, the call that the training is known by, unless the chain has one. */
export function withCastInPlace(chain: ModelChain, start: Call, files: readonly Module[], evaluator: Evaluator) {
  const { loaded } = chain
  if (loaded?.kind !== 'call' || chain.cast !== undefined) return chain
  const all = [...new Set([...files, loaded.module])]
    .flatMap(({ calls }) => casting.flatMap(name => (calls.get(name) ?? []).slice(0, MAX_CALLS)))
    .filter(({ node }) => node.parent?.name === 'ExpressionStatement')
    .toSorted((a, b) => a.at - b.at)
  const cast = all.flatMap(call => castOf(call, loaded, start, evaluator) ?? []).at(-1)
  return cast === undefined ? chain : { ...chain, cast }
}

function castOf(call: Call, loaded: LibraryCall, start: Call, evaluator: Evaluator): Cast | undefined {
  const { module, scope, at } = call
  const written = callExpression(call)
  if (written?.callee.kind !== 'attribute') return undefined
  const isBefore = scope === start.scope ? at < start.at : !(scope.kind === 'function' && runsAfter.test(scope.name))
  const site = siteAt(call)
  const { isReached } = evaluator.isReached(call, site)
  const { object, name } = written.callee
  if (!isBefore || isReached === false || !isModel(object, site, loaded, evaluator)) return undefined
  const { from, to } = written
  const cast = castBy({ module, from, to, remarks: [], kind: 'call', name, call: written, site }, evaluator)
  // What is cast in another function, or with adapters on it, is not followed.
  const { peftConfig, unslothAdapter, trainedAdapter } = modelChain(evaluator.evaluate(object, site), evaluator)
  const isPlain =
    isReached === true &&
    (scope === start.scope || scope === loaded.site.scope) &&
    (peftConfig ?? unslothAdapter ?? trainedAdapter) === undefined
  return cast === undefined || isPlain ? cast : { ...cast, to: undefined }
}
