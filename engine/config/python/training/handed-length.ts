/** The length that a script hands to what prepares its data, together with the tokenizer: a data set or a function of the repository's. */

import { type Call, callExpression, type Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import type { Value } from '../values/values.ts'

/** As many calls as are looked at. */
const MAX_CALLS = 20

const lengths =
  /^(?:max_(?:(?:seq(?:uence)?|token|input|text)_?)?len(?:gth)?|max_tokens|seq(?:uence)?_len(?:gth)?|block_size|cutoff_len)$/i
const prepares = /data|collat|token|preproc|process|encod|feature|corpus|batch/i
/** Of evaluations, and of text that a model writes. */
const answers = /gener(?!ic)|infer|predict|answer|sampl|eval|test|valid|_val|dev/i
const tokenizers = /tokenizer|processor/i

export interface HandedLength {
  /** As the call names it. */
  readonly key: string
  readonly value: Value
}

/** One for each call that is reached. */
export function handedLengths(module: Module, evaluator: Evaluator): readonly HandedLength[] {
  const calls = [...module.calls].flatMap(([name, all]) =>
    prepares.test(name) && !answers.test(name) && !tokenizers.test(name) ? all : [],
  )
  return calls.slice(0, MAX_CALLS).flatMap(call => handedBy(call, evaluator) ?? [])
}

function handedBy(call: Call, evaluator: Evaluator): HandedLength | undefined {
  const expression = callExpression(call)
  if (expression === undefined || !evaluator.mayRun(call)) return undefined
  const { module } = call
  const given = expression.arguments
  const [length] = given.flatMap(each => (each.kind === 'keyword' && lengths.test(each.name) ? [each] : []))
  const isCut = given.some(
    each => each.kind !== 'spread' && tokenizers.test(module.text.slice(each.value.from, each.value.to).slice(0, 80)),
  )
  if (length === undefined || !isCut) return undefined
  const callee = evaluator.evaluate(expression.callee, siteAt(call))
  // What a library does with it is that library's.
  if (callee.kind === 'symbol' || callee.kind === 'call') return undefined
  const value = evaluator.evaluate(length.value, siteAt(call))
  return value.kind === 'none' ? undefined : { key: length.name, value }
}
