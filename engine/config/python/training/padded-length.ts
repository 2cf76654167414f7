/** Lengths that a script gives its tokenizer itself, or pads its batches to. */
import { type Call, callExpression, type Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import type { Value } from '../values/values.ts'

/** As many calls as are looked at. */
const MAX_CALLS = 20

/** `AutoTokenizer.from_pretrained(name, model_max_length=256)`, `tokenizer.model_max_length = 256`: what cuts text where no call says so. */
export function tokenizerLimits(module: Module, evaluator: Evaluator): readonly Value[] {
  const set = module.attributeChanges
    .filter(
      ({ object, key }) =>
        key.kind === 'text' && key.text === 'model_max_length' && /(?:^|[._])tok\w{0,40}$/i.test(object),
    )
    .flatMap(change => {
      const { value } = change
      return value.kind === 'expression' && evaluator.mayRun(change)
        ? [evaluator.evaluate(value.expression, siteAt(change))]
        : []
    })
  const given = (module.calls.get('from_pretrained') ?? [])
    .slice(0, MAX_CALLS)
    .flatMap(call => keywordOf(call, 'model_max_length', evaluator) ?? [])
  return (set.length > 0 ? set : given).filter(({ kind }) => kind !== 'none')
}

/**
 * transformers 5.18 tokenization_utils_base.py: what `pad` fills batches up to, asked for by a collator or by the script, where the
 * padding is `max_length`.
 */
export function paddedLengths(module: Module, evaluator: Evaluator): readonly Value[] {
  const calls = [...module.calls].flatMap(([name, all]) =>
    /^(?:DataCollator\w*|pad)$/.test(name) ? all.slice(0, MAX_CALLS) : [],
  )
  return calls.flatMap(call => {
    const padding = keywordOf(call, 'padding', evaluator)
    return padding?.kind === 'text' && padding.text === 'max_length'
      ? (keywordOf(call, 'max_length', evaluator) ?? [])
      : []
  })
}

function keywordOf(call: Call, name: string, evaluator: Evaluator): Value | undefined {
  const given = callExpression(call)?.arguments.find(each => each.kind === 'keyword' && each.name === name)
  return given?.kind === 'keyword' && evaluator.mayRun(call) ? evaluator.evaluate(given.value, siteAt(call)) : undefined
}
