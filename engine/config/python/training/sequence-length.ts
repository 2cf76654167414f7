/** How long sequences become, where no argument of the trainer says so: scripts cut them when they tokenise. */
import { wordList } from '../../../base/word-list.ts'
import { FILLS_UP } from '../../dialects/huggingface/lengths.ts'
import type { Field } from '../../text/section.ts'
import { type Call, callExpression, type Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import { placeIn, type Value } from '../values/values.ts'
import { fieldOf, openField, saidBy } from './fields.ts'
import { handedLengths } from './handed-length.ts'
import { dataFiles } from './loop-files.ts'
import { argument } from './model-chain.ts'
import { paddedLengths, tokenizerLimits } from './padded-length.ts'

/** As many calls as are looked at. */
const MAX_CALLS = 50

/** Names that scripts give a length to, where they cut blocks by hand. */
const constants = wordList(`
  block_size BLOCK_SIZE max_seq_length MAX_SEQ_LENGTH max_seq_len MAX_SEQ_LEN cutoff_len CUTOFF_LEN max_length MAX_LENGTH
  max_len MAX_LEN context_length seq_length SEQ_LEN model_max_length
`)

const lengthKeys = [
  'max_seq_length',
  'max_length',
  'model_max_length',
  'block_size',
  'max_source_length',
  'max_seq_len',
]

/** None where one is among `fields`. `module`: where text is cut, `file` or one of those that it imports. */
export function lengthFields(
  fields: readonly Field[],
  module: Module,
  evaluator: Evaluator,
  file = module,
): readonly Field[] {
  if (fields.some(({ key }) => lengthKeys.includes(key))) return []
  const task = fields.find(({ key }) => key === 'task')?.value
  const isSeq2Seq = task?.kind === 'text' && task.text === 'seq2seq-lm'
  const lengths = tokenizedLength(module, evaluator, isSeq2Seq, file)
  return isSeq2Seq ? lengths : paddedUp(lengths, module, evaluator, file)
}

/** Batches that are filled up to more than text is cut to. */
function paddedUp(lengths: readonly Field[], module: Module, evaluator: Evaluator, file: Module): readonly Field[] {
  const [cut, ...others] = lengths
  const padded = paddedLengths(module, evaluator)
  if (padded.length === 0 || others.length > 0 || (cut !== undefined && cut.value.kind !== 'number')) return lengths
  const field = agreed(padded, 'max_length', file)
  const isShorter =
    cut?.value.kind === 'number' && field.value.kind === 'number' && field.value.number <= cut.value.number
  return isShorter ? lengths : [field]
}

/**
 * What transformers' own data sets of text cut to, which its releases before 5.0 have (4.57 data/datasets/language_modeling.py): the
 * script's other tokenizer calls are for something else.
 */
export function blockSize(
  data: Value | undefined,
  fields: readonly Field[],
  evaluator: Evaluator,
  file: Module,
): readonly Field[] {
  if (data?.kind !== 'call' || !/^transformers\.(?:\w+\.)*(?:LineBy\w+|Text)Dataset$/.test(data.name)) return []
  if (fields.some(({ key }) => lengthKeys.includes(key))) return []
  const size = argument(data, 'block_size', 2, evaluator)
  return size === undefined || size.kind === 'none' ? [] : [fieldOf('block_size', size, file)]
}

/** TRL 1.13 trainer/sft_config.py: what SFTTrainer cuts to where nothing says otherwise, also what is tokenised already. */
const LENGTH_OF_SFT = 1_024

/**
 * Of a data set that the script, or a file that it takes its data from, tokenises by functions that it maps, before SFTTrainer
 * gets it; none where TRL cuts it shorter.
 */
export function mappedLength(fields: readonly Field[], file: Module, evaluator: Evaluator): readonly Field[] {
  if (fields.some(({ key }) => lengthKeys.includes(key))) return []
  const files = [file, ...dataFiles(file, evaluator)]
  const found = files.map(each => mappedIn(each, file, evaluator)).find(each => each.length > 0) ?? []
  return found.filter(({ value }) => value.kind === 'number' && value.number <= LENGTH_OF_SFT)
}

function mappedIn(module: Module, file: Module, evaluator: Evaluator): readonly Field[] {
  const mapped = (module.calls.get('map') ?? []).slice(0, MAX_CALLS).flatMap(call => {
    const [first] = callExpression(call)?.arguments ?? []
    const value = first?.kind === 'positional' ? evaluator.evaluate(first.value, siteAt(call)) : undefined
    return value?.kind === 'function' ? [value.scope] : []
  })
  const lengths = tokenizerCalls(module)
    .filter(({ scope }) => mapped.includes(scope))
    .flatMap(call => maxLength(call, module, evaluator))
    .flatMap(({ value, isTarget }) => (isTarget ? [] : [value]))
  return lengths.length === 0 ? [] : [agreed(lengths, 'max_length', file)]
}

/** What is cut before SFTTrainer gets it, where TRL's own length holds: the reader is told of it. */
export function lengthBeside(fields: readonly Field[], module: Module, evaluator: Evaluator): readonly Field[] {
  if (fields.some(({ key }) => lengthKeys.includes(key))) return []
  return handedLengths(module, evaluator)
    .slice(0, 1)
    .map(({ key, value }) => fieldOf(key, value, module))
}

function tokenizerCalls({ calls }: Module): readonly Call[] {
  return [...calls].flatMap(([name, all]) => {
    if (/tokenizer$|^(?:batch_)?encode_plus$|^processor$/i.test(name)) return all.slice(0, MAX_CALLS)
    return asksOthers.test(name) ? [] : all.slice(0, MAX_CALLS).filter(cutsText)
  })
}

/** `tok(text, truncation=True, max_length=128)`: no other call has both. */
function cutsText(call: Call): boolean {
  const given = callExpression(call)?.arguments ?? []
  const has = (name: string) => given.some(each => each.kind === 'keyword' && each.name === name)
  return has('truncation') && has('max_length')
}

/** Those of an inference. */
const asksOthers = /pipe|generat|classif|infer|predict|from_pretrained/i

function tokenizedLength(module: Module, evaluator: Evaluator, isSeq2Seq: boolean, file: Module): readonly Field[] {
  const calls = tokenizerCalls(module)
  const answers = functionsThatAnswer(module)
  const trained = lastTraining(module)
  const given = calls
    .filter(({ scope, at }) => !answers.has(scope) && !(scope === module.top && at > trained))
    .flatMap(call => maxLength(call, module, evaluator))
  const targets = copiesInputs.test(module.text) ? asTargets(given) : given.filter(({ isTarget }) => isTarget)
  if (isSeq2Seq) return bothLengths([...given.filter(({ isTarget }) => !isTarget), ...targets], file)
  const whole = joinedLength(given, module)
  if (whole !== undefined) return [fieldOf('max_length', whole, file)]
  const lengths = given.filter(({ isTarget }) => !isTarget).map(({ value }) => value)
  const written = writesAnswers.test(module.text) ? bothLengths(targets, file) : []
  if (lengths.length > 0) return [agreed(lengths, 'max_length', file), ...written]
  // Text that is cut without a length has the tokenizer's own.
  if (calls.some(cutsByItself)) {
    const limits = [...new Set([module, file])].map(each => tokenizerLimits(each, evaluator))
    const limit = limits.find(({ length: found }) => found > 0)
    return limit === undefined ? [...fillsUp(calls, file), ...written] : [agreed(limit, 'max_length', file), ...written]
  }
  const handed = handedLengths(module, evaluator).map(({ value }) => value)
  const length = handed.length > 0 ? [agreed(handed, 'max_length', file)] : namedConstant(module, evaluator, file)
  return [...written, ...length]
}

/** Where the file's own lines train last: what they tokenise below is for the trained model. */
function lastTraining({ calls, top }: Module): number {
  const starts = (calls.get('train') ?? []).filter(({ scope, node, module }) => {
    const written = module.text.slice(node.from, Math.min(node.to, node.from + LONGEST_NAME))
    return scope === top && /^\w*trainer\.train\(/i.test(written)
  })
  return starts.at(-1)?.at ?? Number.POSITIVE_INFINITY
}

/** What they tokenise are questions to the model, not what it learns. */
function functionsThatAnswer({ calls, top }: Module): ReadonlySet<Call['scope']> {
  const generating = [...calls].filter(([name]) => /(?:^|\.)generate$/.test(name)).flatMap(([, all]) => all)
  return new Set(generating.map(({ scope }) => scope).filter(scope => scope !== top))
}

function cutsByItself(call: Call): boolean {
  const given = callExpression(call)?.arguments ?? []
  const isOn = given.some(
    each => each.kind === 'keyword' && each.name === 'truncation' && each.value.kind === 'flag' && each.value.flag,
  )
  return (
    isOn && !given.some(each => each.kind !== 'positional' && (each.kind !== 'keyword' || each.name === 'max_length'))
  )
}

/** `tokenizer(text, padding="max_length", truncation=True)`: every text becomes as long as the tokenizer lets it, which its files say. */
function fillsUp(calls: readonly Call[], file: Module): readonly Field[] {
  const filling = calls.find(call =>
    callExpression(call)?.arguments.some(
      each =>
        each.kind === 'keyword' &&
        each.name === 'padding' &&
        each.value.kind === 'text' &&
        each.value.text === 'max_length',
    ),
  )
  if (filling === undefined) return []
  const { module, at, node } = filling
  return [saidBy({ module, from: at, to: node.to, remarks: [] }, FILLS_UP, { kind: 'flag', flag: true }, file)]
}

interface Given {
  readonly value: Value
  /** Of what a model learns to answer. */
  readonly isTarget: boolean
  /** Where the text is cut. */
  readonly scope: Call['scope']
}

/** `tokenized_source + tokenized_target` */
const joinsAnswer =
  /\b\w*(?:source|prompt|input|question|instruction)\w*(?:\[[^\]]{1,40}\])?\s*\+\s*\w*(?:target|answer|output|response|label|completion)\w*/i

const LONGEST_FUNCTION = 4_000

/** Of a prompt and its answer that one function cuts apart and joins, as QLoRA's collator does. */
function joinedLength(given: readonly Given[], { text }: Module): Value | undefined {
  const [prompt, ...others] = given.filter(({ isTarget }) => !isTarget)
  const [answer, ...more] = given.filter(({ isTarget }) => isTarget)
  if (prompt === undefined || answer?.scope !== prompt.scope || others.length + more.length > 0) return undefined
  const { from } = prompt.scope
  const body = text.slice(from, from + LONGEST_FUNCTION)
  if (prompt.value.kind !== 'number' || answer.value.kind !== 'number' || !joinsAnswer.test(body)) return undefined
  const [ours, theirs] = [prompt.value.number, answer.value.number]
  const remark = `Sequences of ${ours + theirs} tokens: prompts are cut to ${ours} and answers to ${theirs} (${placeIn(prompt.scope.module, from)}).`
  return { ...prompt.value, number: ours + theirs, remarks: [...prompt.value.remarks, ...answer.value.remarks, remark] }
}

function maxLength(call: Call, module: Module, evaluator: Evaluator): readonly Given[] {
  const expression = callExpression(call)
  const keyword = expression?.arguments.find(each => each.kind === 'keyword' && each.name === 'max_length')
  if (expression === undefined || keyword?.kind !== 'keyword') return []
  const { scope, at, branches } = call
  const site = { module, scope, at, branches }
  if (evaluator.isReached(call, site).isReached === false) return []
  const value = evaluator.evaluate(keyword.value, site)
  if (value.kind === 'none') return []
  const written = module.text.slice(keyword.value.from, keyword.value.to)
  const isTarget =
    expression.arguments.some(each => each.kind === 'keyword' && each.name === 'text_target') ||
    /target|label|summary|output|answer/i.test(written) ||
    givenToLabels.test(module.text.slice(Math.max(0, expression.from - LONGEST_NAME), expression.from))
  return [{ value, isTarget, scope }]
}

/** `labels = tokenizer(…)`, `batch["labels"] = tokenizer(…)`, whatever column the text is from. */
const givenToLabels = /\b(?:\w{1,40}_)?(?:labels?|targets?)(?:_\w{1,40})?(?:["']\]?)?\s*[=:]\s*\[?$/i
const LONGEST_NAME = 60

/** `"labels": inputs.input_ids`: the model learns to write what it reads. */
const copiesInputs = /["']labels["']\]? ?[:=] ?(?:\w{1,40}(?:\.|\[["']))?input_ids\b/

/** Classes whose task is not in their name: a decoder writes what an encoder reads or hears. */
const writesAnswers = /\b\w{1,40}ForConditionalGeneration\b/

/** With sources that are the targets too, where no targets are cut by themselves. */
function asTargets(given: readonly Given[]): readonly Given[] {
  const own = given.filter(({ isTarget }) => isTarget)
  return own.length > 0 ? own : given.map(each => ({ ...each, isTarget: true }))
}

function bothLengths(given: readonly Given[], file: Module): readonly Field[] {
  const [sources, targets] = [given.filter(({ isTarget }) => !isTarget), given.filter(({ isTarget }) => isTarget)]
  return [
    ...(sources.length > 0
      ? [
          agreed(
            sources.map(({ value }) => value),
            'max_source_length',
            file,
          ),
        ]
      : []),
    ...(targets.length > 0
      ? [
          agreed(
            targets.map(({ value }) => value),
            'max_target_length',
            file,
          ),
        ]
      : []),
  ]
}

/** The one length that all calls give. */
function agreed(values: readonly Value[], key: string, file: Module): Field {
  const [first, ...others] = values
  if (first === undefined) throw new Error('no length to agree on')
  const differs = (other: Value) => first.kind === 'number' && other.kind === 'number' && other.number !== first.number
  const different = others.find(differs)
  const open = values.find(({ kind }) => kind === 'open')
  if (open !== undefined) return fieldOf(key, open, file)
  if (different === undefined) return fieldOf(key, first, file)
  const why = `text is cut to different lengths (${placeIn(first.module, first.from)} and ${placeIn(different.module, different.from)})`
  return openField(first, key, why, file)
}

/** Of a file that names one length once. */
function namedConstant(module: Module, evaluator: Evaluator, file: Module): readonly Field[] {
  const { top } = module
  const scopes = [top, ...module.functions.values()]
  for (const name of constants) {
    const bindings = scopes
      .flatMap(scope => scope.bindings.get(name) ?? [])
      .filter(({ value }) => value.kind === 'expression')
    const [only, ...others] = bindings
    if (only?.value.kind !== 'expression' || others.length > 0) continue
    const { scope, at, branches } = only
    const value = evaluator.evaluate(only.value.expression, { module, scope, at: at - 1, branches })
    if (value.kind === 'number') return [fieldOf('max_length', value, file)]
  }
  return []
}
