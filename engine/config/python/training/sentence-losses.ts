/** The loss that sentence-transformers trains by, and how many texts a sample has. */
import type { SentenceLoss } from '../../../training/choices.ts'
import type { Field } from '../../text/section.ts'
import { libraryName } from '../library.ts'
import { callExpression, type Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import type { LibraryCall, Located, Value } from '../values/values.ts'
import { saidBy } from './fields.ts'
import { argument } from './model-chain.ts'
import { SENTENCE_LIBRARY } from './sentence-transformers.ts'

/** By their classes; what is not among them is refused by its name. */
const losses: ReadonlyMap<string, SentenceLoss> = new Map<string, SentenceLoss>([
  ['MultipleNegativesRankingLoss', 'multiple-negatives-ranking'],
  ['MultipleNegativesSymmetricRankingLoss', 'multiple-negatives-ranking'],
  ['CoSENTLoss', 'cosent'],
  ['AnglELoss', 'cosent'],
  ['CosineSimilarityLoss', 'cosine-similarity'],
  ['TripletLoss', 'triplet'],
  ['ContrastiveLoss', 'contrastive'],
  ['OnlineContrastiveLoss', 'contrastive'],
  ['SoftmaxLoss', 'softmax'],
])

/** Of a CrossEncoder: one pass over the pairs, whose scores are nothing beside it. */
const lossesOfPairs: ReadonlySet<string> = new Set(['BinaryCrossEntropyLoss', 'CrossEntropyLoss', 'MSELoss'])

export interface SentenceLosses {
  readonly fields: readonly Field[]
  readonly notUnderstood: readonly Field[]
}

/** `model`: what is trained. `data`: the training's data set, where it is given one. */
export function sentenceLossFields(
  loss: Value | undefined,
  model: LibraryCall,
  data: Value | undefined,
  here: Located,
  file: Module,
  evaluator: Evaluator,
): SentenceLosses {
  const isOfPairs = libraryName(model.name).name === 'CrossEncoder'
  const all = lossesIn(loss)
  const known = all.map(each => ({ each, name: nameOf(each) }))
  const isKnown = ({ name }: { readonly name: string }) => (isOfPairs ? lossesOfPairs.has(name) : losses.has(name))
  const notUnderstood = known
    .filter(each => !isKnown(each))
    .slice(0, 1)
    .map(({ each, name }) => saidBy(each, 'loss', { kind: 'text', text: name }, file, name || 'The loss'))
  if (isOfPairs || notUnderstood.length > 0) return { fields: [], notUnderstood }
  const read = known.map(({ each, name }) => ({ each, loss: losses.get(name) ?? 'cosent' }))
  // The trainer's own where it is given none.
  const [first] = read.toSorted((a, b) => rankOf(b.loss) - rankOf(a.loss))
  const chosen = first?.loss ?? 'cosent'
  const columns = chosen === 'multiple-negatives-ranking' ? columnsOf(data, file, evaluator) : undefined
  return {
    fields: [
      saidBy(first?.each ?? here, 'sentence_loss', { kind: 'text', text: chosen }, file, 'loss'),
      ...(columns === undefined
        ? []
        : [saidBy(columns.by, 'sentence_columns', { kind: 'number', number: columns.count }, file)]),
    ],
    notUnderstood,
  }
}

/** What may encode the most texts comes first. */
function rankOf(loss: SentenceLoss): number {
  return loss === 'triplet' ? 2 : loss === 'multiple-negatives-ranking' ? 1 : 0
}

/** Several where each data set has one of its own. */
function lossesIn(loss: Value | undefined): readonly Value[] {
  if (loss === undefined || loss.kind === 'none') return []
  if (loss.kind === 'list') return loss.items
  return loss.kind === 'mapping' ? [...loss.entries.values()] : [loss]
}

/** Nothing for one of the script's own. */
function nameOf(loss: Value): string {
  if (loss.kind !== 'symbol' && loss.kind !== 'call') return ''
  const { library, name } = libraryName(loss.name)
  return library === SENTENCE_LIBRARY ? name : ''
}

interface Columns {
  readonly count: number
  readonly by: Located
}

const labelColumns: ReadonlySet<string> = new Set(['label', 'labels', 'score', 'scores', 'dataset_name'])

/** Undefined where nothing in the file tells. */
function columnsOf(data: Value | undefined, file: Module, evaluator: Evaluator): Columns | undefined {
  const all = data?.kind === 'mapping' ? [...data.entries.values()] : [data]
  const found = all.map(each => columnsOfData(each, evaluator))
  const [most] = found.toSorted((a, b) => (b?.count ?? 0) - (a?.count ?? 0))
  return found.includes(undefined) ? columnsOfExamples(file, evaluator) : most
}

const MAX_LINKS = 20

/** Methods of a data set that leave its columns as they are. */
const keepsColumns = /^(?:shuffle|select|filter|take|skip|shard|sort|flatten_indices|with_format|train_test_split)$/

function columnsOfData(data: Value | undefined, evaluator: Evaluator): Columns | undefined {
  let current = data
  for (let link = 0; link < MAX_LINKS && current?.kind === 'call'; link++) {
    const { name } = libraryName(current.name)
    if (name === 'select_columns') return ofNames(argument(current, 'column_names', 0, evaluator))
    if (name === 'from_dict') return ofNames(argument(current, 'mapping', 0, evaluator))
    if (name === 'load_dataset') return ofPublished(current, evaluator)
    if (!keepsColumns.test(name)) return undefined
    current = current.object
  }
  return undefined
}

function ofNames(value: Value | undefined): Columns | undefined {
  const names =
    value?.kind === 'mapping' && value.unknown === undefined
      ? [...value.entries.keys()]
      : value?.kind === 'list'
        ? value.items.map(item => (item.kind === 'text' ? item.text : ''))
        : []
  const texts = names.filter(name => name !== '' && !labelColumns.has(name))
  return value === undefined || texts.length < 2 || names.includes('') ? undefined : { count: texts.length, by: value }
}

/** The data sets of sentence-transformers on the Hub have subsets that are called after their columns. */
function ofPublished(call: LibraryCall, evaluator: Evaluator): Columns | undefined {
  const [path, subset] = [argument(call, 'path', 0, evaluator), argument(call, 'name', 1, evaluator)]
  if (path?.kind !== 'text' || !path.text.startsWith('sentence-transformers/') || subset?.kind !== 'text')
    return undefined
  const count = subset.text === 'triplet' ? 3 : subset.text === 'pair' ? 2 : undefined
  return count === undefined ? undefined : { count, by: subset }
}

/** As many `InputExample(texts=[…])` as are looked at. */
const MAX_EXAMPLES = 50

/** Undefined where they differ, or one is not a list that is written down. */
function columnsOfExamples({ calls }: Module, evaluator: Evaluator): Columns | undefined {
  const found = (calls.get('InputExample') ?? []).slice(0, MAX_EXAMPLES).map(call => {
    const expression = callExpression(call)
    const texts = expression?.arguments.find(each => each.kind === 'keyword' && each.name === 'texts')
    const list = texts?.kind === 'keyword' && texts.value.kind === 'list' ? texts.value : undefined
    const by: Located = { module: call.module, from: call.at, to: call.node.to, remarks: [] }
    const isWhole = list !== undefined && evaluator.evaluate(list, siteAt(call)).kind === 'list'
    return isWhole ? { count: list.items.length, by } : undefined
  })
  const [first] = found
  return first !== undefined && first.count >= 2 && found.every(each => each?.count === first.count) ? first : undefined
}
