/** The length that a script hands to what prepares its data, together with the tokenizer: a data set or a function of the repository's. */

import type { Expression } from '../syntax/expressions.ts'
import { type Call, callExpression, type Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import type { Value } from '../values/values.ts'

/** As many calls as are looked at. */
const MAX_CALLS = 20
const MAX_CHARACTERS = 80

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
  const given = expression.arguments
  const written = ({ from, to }: Expression) => call.module.text.slice(from, Math.min(to, from + MAX_CHARACTERS))
  const named = given.find(each => each.kind === 'keyword' && lengths.test(each.name))
  const length = named ?? given.find(each => each.kind === 'positional' && lengths.test(lastName(written(each.value))))
  const isCut = given.some(each => each.kind !== 'spread' && tokenizers.test(written(each.value)))
  if (length === undefined || length.kind === 'spread' || !isCut) return undefined
  const callee = evaluator.evaluate(expression.callee, siteAt(call))
  // What a library does with it is that library's.
  if (callee.kind === 'symbol' || callee.kind === 'call') return undefined
  const value = evaluator.evaluate(length.value, siteAt(call))
  if (length.kind === 'keyword') return value.kind === 'none' ? undefined : { key: length.name, value }
  // By its place alone, a name that no run has set is no length yet.
  return value.kind === 'number' ? { key: lastName(written(length.value)), value } : undefined
}

/** `max_len` of `args.max_len` and `config["max_len"]`. */
function lastName(expression: string): string {
  return /(\w{1,40})(?:["']\])?$/.exec(expression)?.[1] ?? ''
}
