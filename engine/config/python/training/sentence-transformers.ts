/**
 * Models of sentence-transformers 6.0 and what trains them: SentenceTransformer (embeddings of texts) and CrossEncoder (a classifier of
 * pairs), by their trainers or by `fit`.
 */
import type { Field } from '../../text/section.ts'
import { libraryName } from '../library.ts'
import { type Call, callExpression, type Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import type { LibraryCall, Located, Value } from '../values/values.ts'
import { fieldOf, openField, saidBy } from './fields.ts'
import { knownSentenceModel } from './sentence-models.ts'

export const SENTENCE_LIBRARY = 'sentence_transformers'

/** A model of the library that is modelled. */
export function isSentenceModel({ name }: LibraryCall): boolean {
  const { library, name: last } = libraryName(name)
  return library === SENTENCE_LIBRARY && (last === 'SentenceTransformer' || last === 'CrossEncoder')
}

function isCrossEncoder({ name }: LibraryCall): boolean {
  return libraryName(name).name === 'CrossEncoder'
}

/** The call that makes the model, in the keys of a recipe. */
export function sentenceModelFields(loaded: LibraryCall, file: Module, evaluator: Evaluator) {
  const given = loaded.call && evaluator.argumentsOf(loaded.call, loaded.site, ['model_name_or_path']).values
  const values = given ?? new Map<string, Value>()
  const parts = partsOf(values.get('modules'), file, evaluator)
  const ofParts = parts.transformer
  const named = values.get('model_name_or_path') ?? ofParts?.get('model_name_or_path')
  const known = named?.kind === 'text' ? knownSentenceModel(named.text) : undefined
  const model = named?.kind === 'text' && known !== undefined ? { ...named, text: known.id } : named
  const isClassifier = isCrossEncoder(loaded)
  const fields = [
    ...(model === undefined ? [] : [fieldOf('model_name_or_path', model, file)]),
    saidBy(
      loaded,
      'task',
      { kind: 'text', text: isClassifier ? 'sequence-classification' : 'sentence-similarity' },
      file,
    ),
    ...(isClassifier ? labelFields(loaded, values, file) : []),
    ...lengthFields(loaded, values, ofParts, known?.tokens, file),
    ...weightFields(values, ofParts, file),
    ...parts.pooling,
  ]
  const isTyped = fields.some(({ key }) => key === 'torch_dtype')
  return {
    fields,
    notUnderstood: parts.notUnderstood,
    unread: [],
    assumptions: [],
    module: loaded.module,
    ...(!isTyped && { loadsStoredType: true as const }),
  }
}

interface Parts {
  /** The arguments of `Transformer(…)`. */
  readonly transformer: ReadonlyMap<string, Value> | undefined
  readonly pooling: readonly Field[]
  readonly notUnderstood: readonly Field[]
}

/** `SentenceTransformer(modules=[Transformer(…), Pooling(…)])` */
function partsOf(modules: Value | undefined, file: Module, evaluator: Evaluator): Parts {
  if (modules === undefined || modules.kind === 'none')
    return { transformer: undefined, pooling: [], notUnderstood: [] }
  if (modules.kind !== 'list') {
    const field = openField(modules, 'model_name_or_path', 'its modules are put together elsewhere', file)
    return { transformer: undefined, pooling: [], notUnderstood: [{ ...field, name: 'modules' }] }
  }
  const named = modules.items.map(item => ({ item, name: item.kind === 'call' ? libraryName(item.name).name : '' }))
  const argumentsIn = (name: string, parameters: readonly string[]) => {
    const found = named.find(each => each.name === name)?.item
    return found?.kind === 'call' ? evaluator.argumentsOfMade(found, parameters).values : undefined
  }
  const pooling = argumentsIn('Pooling', ['embedding_dimension', 'pooling_mode'])
  return {
    transformer: argumentsIn('Transformer', ['model_name_or_path', 'max_seq_length']),
    pooling: pooling === undefined ? [] : poolingFields(pooling, file),
    notUnderstood: named
      .filter(({ name }) => !['Transformer', 'Pooling', 'Normalize'].includes(name))
      .map(({ item, name }) => saidBy(item, 'modules', { kind: 'text', text: name }, file, name || 'A module')),
  }
}

/** Its own word, or one of the switches that it replaced; several modes together are read as their mean, which takes the most. */
function poolingFields(values: ReadonlyMap<string, Value>, file: Module): readonly Field[] {
  const mode = values.get('pooling_mode')
  if (mode?.kind === 'text') return [fieldOf('sentence_pooling', mode, file)]
  const switches = [
    ['pooling_mode_mean_tokens', 'mean'],
    ['pooling_mode_max_tokens', 'max'],
    ['pooling_mode_cls_token', 'cls'],
    ['pooling_mode_lasttoken', 'lasttoken'],
  ] as const
  const isOn = (value: Value | undefined) => value?.kind === 'flag' && value.flag
  const isOff = (value: Value | undefined) => value?.kind === 'flag' && !value.flag
  if (!isOff(values.get('pooling_mode_mean_tokens'))) return []
  return switches.flatMap(([key, text]) => {
    const value = values.get(key)
    return value !== undefined && isOn(value)
      ? [saidBy(value, 'sentence_pooling', { kind: 'text', text }, file, key)]
      : []
  })
}

/** cross_encoder/model.py: one, unless the checkpoint is a classifier's already. */
function labelFields(loaded: LibraryCall, values: ReadonlyMap<string, Value>, file: Module): readonly Field[] {
  const given = values.get('num_labels')
  return given === undefined
    ? [saidBy(loaded, 'num_labels', { kind: 'number', number: 1 }, file)]
    : [fieldOf('num_labels', given, file)]
}

/** What is set on the model counts, then what is given to it, and then what the checkpoint says. */
function lengthFields(
  loaded: LibraryCall,
  values: ReadonlyMap<string, Value>,
  ofTransformer: ReadonlyMap<string, Value> | undefined,
  known: number | undefined,
  file: Module,
): readonly Field[] {
  const ofTokenizer = ['processor_kwargs', 'tokenizer_kwargs', 'tokenizer_args'].flatMap(key => {
    const options = values.get(key)
    return options?.kind === 'mapping' ? [options.entries.get('model_max_length')] : []
  })
  const said = [
    loaded.set?.get('max_seq_length'),
    loaded.set?.get('max_length'),
    values.get('max_length'),
    ofTransformer?.get('max_seq_length'),
    ...ofTokenizer,
  ].find(value => value !== undefined && value.kind !== 'none')
  if (said !== undefined) return [fieldOf('max_seq_length', said, file)]
  if (known === undefined) return []
  const remarks = [`Sequences of ${known} tokens, the model's own limit: nothing sets max_seq_length.`]
  return [saidBy({ ...loaded, remarks }, 'max_seq_length', { kind: 'number', number: known }, file)]
}

/** `model_kwargs` of the model, `model_args` of its Transformer. */
function weightFields(
  values: ReadonlyMap<string, Value>,
  ofTransformer: ReadonlyMap<string, Value> | undefined,
  file: Module,
): readonly Field[] {
  const options = [
    values.get('model_kwargs'),
    values.get('automodel_args'),
    ofTransformer?.get('model_kwargs'),
    ofTransformer?.get('model_args'),
  ].find(value => value?.kind === 'mapping')
  if (options?.kind !== 'mapping') return []
  return ['torch_dtype', 'dtype', 'attn_implementation'].flatMap(key => {
    const value = options.entries.get(key)
    return value === undefined ? [] : [fieldOf(key === 'dtype' ? 'torch_dtype' : key, value, file)]
  })
}

/** `model.add_adapter(LoraConfig(…))`: base/peft_mixin.py hands it to the encoder, whose own weights peft freezes. */
export function addedAdapter(loaded: LibraryCall, { calls }: Module, evaluator: Evaluator): Value | undefined {
  for (const call of calls.get('add_adapter') ?? []) {
    const expression = callExpression(call)
    if (expression?.callee.kind !== 'attribute' || !evaluator.mayRun(call)) continue
    const model = evaluator.evaluate(expression.callee.object, siteAt(call))
    const isSame = model.kind === 'call' && model.from === loaded.from && model.module === loaded.module
    const given = evaluator.argumentsOf(expression, siteAt(call), ['peft_config']).values.get('peft_config')
    if (isSame && given !== undefined) return given
  }
  return undefined
}

export interface FitCall {
  readonly model: LibraryCall
  readonly loss: Value | undefined
  /** Arguments of the trainer that `fit` makes. */
  readonly values: ReadonlyMap<string, Value>
}

/**
 * `model.fit(train_objectives=[(loader, loss)], use_amp=True)`: sentence_transformer/fit_mixin.py makes the trainer's arguments of it, with
 * torch.optim.AdamW unless told otherwise. `CrossEncoder.fit` takes one loader. Undefined for any other `fit`.
 */
export function fitCall(call: Call, evaluator: Evaluator): FitCall | undefined {
  const expression = callExpression(call)
  if (expression?.callee.kind !== 'attribute') return undefined
  const model = evaluator.evaluate(expression.callee.object, siteAt(call))
  if (model.kind !== 'call' || !isSentenceModel(model)) return undefined
  const first = isCrossEncoder(model) ? 'train_dataloader' : 'train_objectives'
  const { values } = evaluator.argumentsOf(expression, siteAt(call), [first])
  const given = values.get(first)
  if (given === undefined) return undefined
  const pairs = given.kind === 'list' ? given.items.map(item => (item.kind === 'list' ? item.items : [])) : []
  const [loader, loss] = isCrossEncoder(model) ? [given, undefined] : [lastLoader(pairs), lossesOf(pairs, given)]
  const at: Located = { module: call.module, from: call.at, to: expression.callee.to, remarks: [] }
  const told = new Map<string, Value>()
  const batch = batchOf(loader, at, evaluator)
  told.set('per_device_train_batch_size', batch)
  const halves = values.get('use_amp')
  if (halves !== undefined) told.set('fp16', halves)
  const optimizer = values.get('optimizer_class')
  told.set('optim', optimizerNamed(optimizer, at))
  return { model, loss, values: told }
}

/** fit_mixin.py takes the batch size of the last one for all. */
function lastLoader(pairs: readonly (readonly Value[])[]): Value | undefined {
  const loader = pairs.at(-1)?.[0]
  if (loader === undefined || pairs.length < 2) return loader
  const remark =
    'The batch size is that of the last DataLoader, which fit takes for all: before 3.0 each counts for itself.'
  return { ...loader, remarks: [...loader.remarks, remark] }
}

/** Those of several objectives, of which each step takes one. */
function lossesOf(pairs: readonly (readonly Value[])[], given: Value): Value | undefined {
  const losses = pairs.flatMap(pair => (pair[1] === undefined ? [] : [pair[1]]))
  return losses.length > 1 ? { ...given, kind: 'list', items: losses } : losses[0]
}

function batchOf(loader: Value | undefined, at: Located, evaluator: Evaluator): Value {
  if (loader?.kind !== 'call' || !/(?:^|\.)(?:NoDuplicates)?DataLoader$/.test(loader.name))
    return { ...at, kind: 'open', why: 'the DataLoader of its objectives is made elsewhere' }
  const isOfLibrary = libraryName(loader.name).library === SENTENCE_LIBRARY
  const names = isOfLibrary ? ['train_examples', 'batch_size'] : ['dataset', 'batch_size']
  const batch = evaluator.argumentsOfMade(loader, names).values.get('batch_size')
  // torch's default.
  const found: Value = batch ?? { ...loader, kind: 'number', number: 1 }
  return { ...found, remarks: [...new Set([...found.remarks, ...loader.remarks])] }
}

function optimizerNamed(given: Value | undefined, at: Located): Value {
  if (given === undefined) return { ...at, kind: 'text', text: 'adamw_torch' }
  const known = given.kind === 'symbol' ? namesOfOptimizers.get(libraryName(given.name).name) : undefined
  if (known !== undefined) return { ...given, kind: 'text', text: known } as Value
  return { ...given, kind: 'open', why: 'optimizer_class is none that is known' } as Value
}

const namesOfOptimizers: ReadonlyMap<string, string> = new Map([
  ['AdamW', 'adamw_torch'],
  ['Adam', 'adamw_torch'],
  ['SGD', 'sgd'],
  ['Adafactor', 'adafactor'],
])
