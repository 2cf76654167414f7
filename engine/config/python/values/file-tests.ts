/** Conditions on whether a file exists, evaluated as in a script's first run: outputs of earlier runs do not exist. */
import { plainSentence } from '../../text/quote.ts'
import { dottedName, type Expression } from '../syntax/expressions.ts'
import type { Evaluator } from './evaluator.ts'
import { settingsPlaces } from './settings-files.ts'
import { placeIn, type Site, truthOf, type Value } from './values.ts'

/** Whether a condition holds where only files of the repository are there; undefined where more than that decides it. */
export function truthOnFirstRun(condition: Expression, site: Site, evaluator: Evaluator): boolean | undefined {
  const path = askedPath(condition)
  if (path !== undefined) return isInRepository(evaluator.evaluate(path, site), site, evaluator)
  if (condition.kind === 'unary' && condition.operator === 'not') {
    const truth = truthOnFirstRun(condition.operand, site, evaluator)
    return truth === undefined ? undefined : !truth
  }
  if (condition.kind === 'binary' && (condition.operator === 'and' || condition.operator === 'or')) {
    const decides = condition.operator === 'or'
    const both = [condition.left, condition.right].map(each => truthOnFirstRun(each, site, evaluator))
    if (both.includes(decides)) return decides
    return both.includes(undefined) ? undefined : !decides
  }
  return truthOf(evaluator.evaluate(condition, site))
}

/** Only JSON and YAML files are looked up; others are taken for outputs of earlier runs. */
function isInRepository(path: Value, { module }: Site, evaluator: Evaluator): boolean {
  if (path.kind !== 'text' || !/\.(?:json|ya?ml)$/.test(path.text)) return false
  return evaluator.findSettings(settingsPlaces(path.text, module.path)) !== undefined
}

/** What a condition asks for: the path in `os.path.isdir(path)` and `path.exists()`. */
function askedPath(condition: Expression): Expression | undefined {
  if (condition.kind !== 'call') return undefined
  const { callee } = condition
  const [first] = condition.arguments
  if (/^(?:(?:os\.)?path\.)?(?:exists|isdir|isfile)$/.test(dottedName(callee) ?? ''))
    return first?.kind === 'positional' ? first.value : undefined
  const isPath = callee.kind === 'attribute' && /^(?:exists|is_dir|is_file)$/.test(callee.name)
  return isPath && first === undefined ? callee.object : undefined
}

/** The questions for files in conditions. */
export function fileTestsIn(conditions: readonly Expression[]): readonly Expression[] {
  return conditions.flatMap(condition => {
    if (askedPath(condition) !== undefined) return [condition]
    if (condition.kind === 'unary') return fileTestsIn([condition.operand])
    return condition.kind === 'binary' ? fileTestsIn([condition.left, condition.right]) : []
  })
}

/** Longer questions are cut. */
const MAX_SHOWN = 80

/** A value that counts in a first run, with a sentence that says so; the evaluator keeps the sentence. */
export function onFirstRun(
  value: Value,
  [first]: readonly Expression[],
  { module }: Site,
  evaluator: Evaluator,
): Value {
  if (first === undefined) return value
  const shown = module.text.slice(first.from, Math.min(first.to, first.from + MAX_SHOWN)).replaceAll(/\s+/g, ' ')
  const remark = `The run is taken to be the first: ${shown} (${placeIn(module, first.from)}) finds no file but the repository's.`
  evaluator.unsureRemarks.add(plainSentence(remark))
  return withRemark(value, remark)
}

/** On each of several that a function returns too. */
function withRemark(value: Value, remark: string): Value {
  const remarks = [...value.remarks, remark]
  if (value.kind !== 'list') return { ...value, remarks }
  return { ...value, remarks, items: value.items.map(item => ({ ...item, remarks: [...item.remarks, remark] })) }
}
