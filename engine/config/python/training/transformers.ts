/** One call of a trainer, as the keys that a recipe for it would have. */
import { wordList } from '../../../base/word-list.ts'
import type { AdapterDefaults, Declared, DeclaredTrainer } from '../../dialects/huggingface/declared.ts'
import { peftAdapters, trlAdapters, unslothAdapters } from '../../dialects/huggingface/declared.ts'
import { plain } from '../../text/quote.ts'
import { type Field, Section } from '../../text/section.ts'
import { optimizerOf, trainerParameters } from '../library.ts'
import type { CallExpression } from '../syntax/expressions.ts'
import { type Call, callExpression, type Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import { type LibraryCall, type Located, placeIn, shownAt, type Value } from '../values/values.ts'
import { adapterFields } from './adapters.ts'
import { withCastInPlace } from './cast-in-place.ts'
import { checkpointing } from './checkpointing.ts'
import { keyOfOldSft, ofEarlierReleases } from './earlier-releases.ts'
import { fieldOf, openField, saidBy } from './fields.ts'
import { frozenWeights } from './frozen-weights.ts'
import { replacedLayers } from './given-layers.ts'
import { heldByClass } from './held-by-class.ts'
import { leftOff } from './left-off.ts'
import { dataFiles } from './loop-files.ts'
import { isOfUnsloth, type ModelChain, modelChain } from './model-chain.ts'
import { INIT_KWARGS, loadedFields } from './model-loading.ts'
import { foreignBatchSizes, handedOtherwise, modelsBeside, unpackedInto } from './models-beside.ts'
import { modelsKept } from './models-kept.ts'
import { aroundTrainer } from './own-steps.ts'
import { processSettings } from './process-settings.ts'
import { resumed } from './resumed.ts'
import { type SentenceLosses, sentenceLossFields } from './sentence-losses.ts'
import { addedAdapter, fitCall, isSentenceModel } from './sentence-transformers.ts'
import { blockSize, lengthBeside, lengthFields, mappedLength } from './sequence-length.ts'
import { type Told, toldArguments } from './told-arguments.ts'
import { isOfModelConfig } from './trl-model-config.ts'
import { uncountedChanges } from './uncounted-changes.ts'
import { dividesLayers, visibleGpus } from './visible-gpus.ts'

/** A training that the file starts. */
export interface Training {
  readonly document: Section
  readonly declared: Declared
  readonly call: Call
  /** Sentences for the reader of the result. */
  readonly assumptions: readonly string[]
  /** What is a setting of memory for certain, and is not understood. */
  readonly notUnderstood: readonly Field[]
  /** What looks like one, beside the keys of the document. */
  readonly unread: readonly Field[]
}

export type FoundTraining =
  | { readonly kind: 'training'; readonly training: Training }
  /** `why`: a clause that says what the caller, or the launcher, decides instead of the file. */
  | { readonly kind: 'none'; readonly why: string; readonly hasOwnLayers?: boolean }

/** Arguments of older trainers themselves that recipes hold among the others. */
const trainerKeys = wordList(`
  max_seq_length max_length max_prompt_length max_completion_length packing dataset_text_field beta precompute_ref_log_probs
  loss_type padding_free
`)

/** Trainers that cut pairs and completions to a length of their own config. */
const comparing: ReadonlySet<DeclaredTrainer> = new Set(['dpo', 'orpo', 'cpo', 'kto', 'reward'])

export function trainingOf(call: Call, trainer: DeclaredTrainer, evaluator: Evaluator): FoundTraining {
  const { module, at } = call
  const site = siteAt(call)
  const expression = callExpression(call)
  if (expression === undefined) return { kind: 'none', why: `the call on ${placeIn(module, at)} cannot be read` }
  const { values, unknown } = evaluator.argumentsOf(expression, site, trainerParameters(trainer))
  const told = toldArguments(values.get('args'), trainer, unknown, evaluator)
  return told.kind === 'none' ? told : toldTraining(call, trainer, { expression, values, unknown, told }, evaluator)
}

/** What a trainer is handed. */
interface Given {
  readonly expression: CallExpression
  readonly values: ReadonlyMap<string, Value>
  readonly unknown: string | undefined
  readonly told: Told
}

function toldTraining(
  call: Call,
  trainer: DeclaredTrainer,
  { expression, values, unknown, told }: Given,
  evaluator: Evaluator,
): FoundTraining {
  const { module } = call
  const site = siteAt(call)
  const here: Located = { module, from: call.at, to: expression.callee.to, remarks: [] }
  const handed = values.get('model') ?? fromFunction(values.get('model_init'), evaluator)
  const held = trainer === 'trainer' ? heldByClass(handed, module, evaluator) : undefined
  const given = held?.model ?? handed
  const passed = withCastInPlace(modelChain(given, evaluator), call, [module], evaluator)
  const chain = trainer === 'sft' ? { ...passed, ...preparedBySft(passed, values, told, here, evaluator) } : passed
  const found = loadedFields(chain, module, evaluator, new Map([...told.values, ...values]))
  const keepsTrl = trainer !== 'trainer' && isOfUnsloth(chain) && bindsTrlFirst(module)
  // Of Unsloth's trainers, SFT's cuts to the length that its model is loaded with (models/rl.py).
  const dropsLength = keepsTrl || (isOfUnsloth(chain) && comparing.has(trainer))
  const loaded = dropsLength ? { ...found, fields: found.fields.filter(({ key }) => key !== 'max_seq_length') } : found
  const own = new Map([...values].filter(([key]) => trainerKeys.includes(key)))
  const isReadAlready = (key: string) => key === INIT_KWARGS && chain.loaded?.kind === 'text'
  const trains = evaluator.evaluate(expression.callee, site)
  // transformers 5.18 trainer_seq2seq.py: only Seq2SeqTrainer's prediction_step asks for it.
  const isIgnored = (key: string) =>
    key === 'predict_with_generate' && trains.kind === 'symbol' && /^transformers\.(?:.*\.)?Trainer$/.test(trains.name)
  const fromArguments = [...own, ...told.values]
    .filter(([key]) => !isReadAlready(key) && !isIgnored(key))
    .map(([key, value]) => fieldOf(key, value, module))
  const added = isOfSentences(chain) ? addedAdapter(chain.loaded, module, evaluator) : undefined
  const peftConfig = values.get('peft_config') ?? chain.peftConfig ?? added
  const sentences = sentenceFields(chain, values, here, evaluator)
  const adapter = adapterFields(peftConfig, chain, module, evaluator)
  // Later ones count; a name that is passed says little of a model that is made in ways not followed.
  const isHidden = chain.loaded === undefined && chain.unknown !== undefined
  const fields = [
    ...(isHidden ? [] : loaded.fields),
    ...fromArguments,
    ...sentences.fields,
    ...adapter.fields,
    ...(isHidden ? loaded.fields : []),
  ]
  if (held !== undefined && fields.every(({ key }) => key !== 'task')) fields.push(...held.task)
  if (isUndecided(fields, told)) return { kind: 'none', why: undecidedBecause(fields, told) }

  const extra = [
    ...checkpointing(fields, { chain, loaded, isEnabledAgain: told.of === 'trl' }, module, evaluator),
    ...optimizerField(values.get('optimizers'), module),
    ...taskField(fields, trainer, here, module),
    ...(trainer === 'trainer' ? trainedLength(values.get('train_dataset'), fields, module, evaluator) : []),
    ...(trainer === 'sft' ? mappedLength(fields, module, evaluator) : []),
    ...hiddenSettings(told, here, module),
    ...resumed(call, evaluator),
  ]
  const document = Section.of([...fields, ...extra].filter(({ value }) => value.kind !== 'empty'))
  const name = plain(module.text.slice(expression.callee.from, expression.callee.to))
  const from = chain.loaded?.kind === 'call' ? chain.loaded : undefined
  const visible = visibleGpus(call, evaluator)
  const written = [...new Set([module, ...(held === undefined ? [] : [held.file])])]
  const frozen = frozenWeights(adapter.fields.length > 0 ? [] : written, from, call, evaluator)
  const declared: Declared = {
    trainer,
    trainerField: saidBy(here, 'trainer', { kind: 'text', text: name }, module, name),
    argumentsOf: told.of,
    ...ofEarlierReleases(told, trainer, values, chain, module),
    ...(told.of === 'trl' && isOfUnsloth(chain) && !keepsTrl && { ofUnsloth: true as const }),
    ...(loaded.loadsStoredType && { loadsStoredType: loaded.loadsStoredType }),
    ...(frozen.byHand && { frozen: frozen.byHand }),
    ...(visible && { visible }),
    ...(dividesLayers(chain, evaluator) && { dividesLayers: true as const }),
    adaptersOf: adaptersOf(chain, peftConfig),
    ...(loadsReference(chain, values, told) && { loadsReference: true as const }),
    ...(putsAdaptersOn(chain, values) && { adaptsInTrainer: true as const }),
  }
  const files = [...new Set([module, ...(loaded.module ? [loaded.module] : [])])]
  const assumptions = [
    ...loaded.assumptions,
    ...(held?.remarks ?? []),
    ...frozen.assumptions,
    ...leftOff(fields, peftConfig, files, evaluator),
    ...aroundTrainer(call, evaluator),
    ...processSettings(fields, files, evaluator),
    ...uncountedChanges(call, files, adapter.fields.length > 0 && added === undefined, evaluator),
  ]
  const notUnderstood = [
    ...loaded.notUnderstood,
    ...sentences.notUnderstood,
    ...frozen.notUnderstood,
    ...(from ? replacedLayers(from, module, evaluator) : []),
    ...modelsBeside(values, from, module, evaluator, fields),
  ]
  const beside = trainer === 'sft' ? lengthBeside([...fields, ...extra], module, evaluator) : []
  const hidden = [
    ...unpackedInto(unknown, here, module),
    ...modelsKept(call, from, values, evaluator),
    ...handedOtherwise(values, module, evaluator, fields),
    ...foreignBatchSizes(values.get('args'), module, evaluator),
    ...(trainer === 'trainer' ? argumentsOfMethod(values.get('args'), module) : []),
    ...evaluatesPerhaps(told, module),
  ]
  const unread = [...loaded.unread, ...adapter.unread, ...beside, ...hidden]
  return { kind: 'training', training: { document, declared, call, assumptions, notUnderstood, unread } }
}

/** `model.fit(…)` of sentence-transformers, which makes a trainer; undefined for any other. */
export function fitTraining(call: Call, evaluator: Evaluator): FoundTraining | undefined {
  const [fit, expression] = [fitCall(call, evaluator), callExpression(call)]
  if (fit === undefined || expression === undefined) return undefined
  const told: Told = { kind: 'told', of: 'transformers', values: fit.values, isParsed: false, unknown: undefined }
  const values = new Map<string, Value>([['model', fit.model], ...(fit.loss ? [['loss', fit.loss] as const] : [])])
  return toldTraining(call, 'trainer', { expression, values, unknown: undefined, told }, evaluator)
}

function isOfSentences(chain: ModelChain): chain is ModelChain & { readonly loaded: LibraryCall } {
  return chain.loaded?.kind === 'call' && isSentenceModel(chain.loaded)
}

/** Of a trainer of sentence-transformers; its evaluations keep losses alone (base/training_args.py). */
function sentenceFields(
  chain: ModelChain,
  values: ReadonlyMap<string, Value>,
  here: Located,
  evaluator: Evaluator,
): SentenceLosses {
  const { module } = here
  if (!isOfSentences(chain)) return { fields: [], notUnderstood: [] }
  const found = sentenceLossFields(
    values.get('loss'),
    chain.loaded,
    values.get('train_dataset'),
    here,
    module,
    evaluator,
  )
  const lossOnly = saidBy(here, 'prediction_loss_only', { kind: 'flag', flag: true }, module)
  return { ...found, fields: [...found.fields, lossOnly] }
}

/** Of transformers' own data sets of text, or what the files cut to. */
function trainedLength(
  data: Value | undefined,
  fields: readonly Field[],
  module: Module,
  evaluator: Evaluator,
): readonly Field[] {
  const ofData = blockSize(data, fields, evaluator, module)
  return ofData.length > 0 ? ofData : cutLength(fields, module, evaluator)
}

/** Where its data is prepared in another file, or in one that calls it, what is certain there. */
function cutLength(fields: readonly Field[], module: Module, evaluator: Evaluator): readonly Field[] {
  const own = lengthFields(fields, module, evaluator)
  if (own.length > 0) return own
  const callers = evaluator.callers.filter(each => each !== module && !each.isImported)
  const files = [module, ...callers].flatMap(each => dataFiles(each, evaluator))
  const others = files.map(each => lengthFields(fields, each, evaluator, module))
  return others.find(found => found.length > 0 && found.every(({ value }) => value.kind === 'number')) ?? []
}

/** Of preferences or of generated completions, for a trainer of the script's own: what it makes of them is not known. */
function argumentsOfMethod(args: Value | undefined, module: Module): readonly Field[] {
  const [, name] =
    args?.kind === 'call'
      ? (/^trl\.(?:\w+\.)*((?:GRPO|RLOO|\w*DPO|ORPO|CPO|KTO|PPO|GKD)Config)$/.exec(args.name) ?? [])
      : []
  return args === undefined || name === undefined ? [] : [saidBy(args, name, { kind: 'text', text: name }, module)]
}

/** Whether evaluations, which may take more memory than a step, take place at all. */
function evaluatesPerhaps({ values }: Told, module: Module): readonly Field[] {
  return ['eval_strategy', 'evaluation_strategy'].flatMap(key => {
    const value = values.get(key)
    const field = value && fieldOf(key, value, module)
    const isOff = value?.kind === 'symbol' && value.name.endsWith('.NO')
    return field?.value.kind === 'open' && !isOff ? [field] : []
  })
}

/** The same release prepares quantised weights for the adapters that it puts on; with bf16 it casts most of them back. */
function preparedBySft(
  chain: ModelChain,
  ofTrainer: ReadonlyMap<string, Value>,
  told: Told,
  { module, from, to }: Located,
  evaluator: Evaluator,
): Pick<ModelChain, 'castBack'> {
  const half = told.values.get('bf16')
  const isOld = keyOfOldSft(ofTrainer) !== undefined && chain.loaded?.kind === 'call'
  if (!isOld || !putsAdaptersOn(chain, ofTrainer) || (half !== undefined && !(half.kind === 'flag' && !half.flag)))
    return {}
  return isQuantized(chain, evaluator) ? { castBack: { module, from, to, remarks: [] } } : {}
}

/** Whether the trainer loads the reference by the name of the model that it is handed, and nothing says in which type. */
function loadsReference(chain: ModelChain, ofTrainer: ReadonlyMap<string, Value>, { values, unknown }: Told): boolean {
  const isGiven = (value: Value | undefined) => value !== undefined && value.kind !== 'none'
  return (
    chain.loaded?.kind === 'call' &&
    !isOfUnsloth(chain) &&
    unknown === undefined &&
    !isGiven(ofTrainer.get('ref_model')) &&
    !isGiven(values.get(INIT_KWARGS))
  )
}

/** Whether the trainer does; Unsloth's takes what puts them on out. */
function putsAdaptersOn(chain: ModelChain, ofTrainer: ReadonlyMap<string, Value>): boolean {
  const config = ofTrainer.get('peft_config')
  const isGiven = config !== undefined && config.kind !== 'none'
  return isGiven && (chain.peftConfig ?? chain.trainedAdapter) === undefined && !isOfUnsloth(chain)
}

function isQuantized({ loaded }: ModelChain, evaluator: Evaluator): boolean {
  if (loaded?.kind !== 'call' || loaded.call === undefined) return false
  const { values } = evaluator.argumentsOf(loaded.call, loaded.site)
  const config = values.get('quantization_config')
  const isOn = (value: Value | undefined) => value?.kind === 'flag' && value.flag
  return (
    (config !== undefined && config.kind !== 'none') ||
    isOn(values.get('load_in_4bit')) ||
    isOn(values.get('load_in_8bit'))
  )
}

/** Unsloth puts its own classes in the place of TRL's when it is imported (models/rl.py): names that were bound before keep TRL's. */
function bindsTrlFirst({ top }: Module): boolean {
  const bound = [...top.bindings.values()].flat()
  const firstOf = (isImport: (from: string, member: string | undefined) => boolean) =>
    Math.min(
      ...bound.flatMap(({ value, at }) => (value.kind === 'import' && isImport(value.from, value.member) ? [at] : [])),
    )
  const trl = firstOf((from, member) => /^trl(?:$|\.)/.test(from) && member !== undefined)
  const unsloth = firstOf(from => /^unsloth(?:$|\.)/.test(from))
  return (
    trl < unsloth && (unsloth !== Number.POSITIVE_INFINITY || /^[ \t]+(?:from|import) unsloth\b/m.test(top.module.text))
  )
}

const batchKeys = ['per_device_train_batch_size', 'per_gpu_train_batch_size']

/** A launcher or a caller decides both, so that this file is no config. */
function isUndecided(fields: readonly Field[], told: Told): boolean {
  const batch = fields.find(({ key }) => batchKeys.includes(key))
  if (batch !== undefined && batch.value.kind !== 'open') return false
  if (batch === undefined && told.isParsed) return true
  const model = fields.find(({ key }) => key === 'model_name_or_path')
  return model === undefined || model.value.kind === 'open'
}

function undecidedBecause(fields: readonly Field[], told: Told): string {
  const batch = fields.find(({ key }) => batchKeys.includes(key))
  if (batch?.value.kind === 'open') return batch.value.why
  return told.isParsed
    ? 'the batch size is given on the command line'
    : 'neither its batch size nor its model is in the file'
}

function fromFunction(value: Value | undefined, evaluator: Evaluator): Value | undefined {
  if (value?.kind !== 'function') return undefined
  const [returned] = value.scope.returns
  return (
    returned &&
    evaluator.evaluate(returned.value.expression, {
      module: value.scope.module,
      scope: value.scope,
      at: returned.at,
      branches: returned.branches,
    })
  )
}

function optimizerField(value: Value | undefined, file: Module): readonly Field[] {
  const [optimizer] = value?.kind === 'list' ? value.items : []
  if (value === undefined || optimizer?.kind === 'none') return []
  const known = optimizer?.kind === 'call' ? optimizerOf(optimizer.name) : undefined
  if (known !== undefined && optimizer !== undefined)
    return [saidBy(optimizer, 'optim', { kind: 'text', text: known }, file, 'optimizers')]
  return [openField(value, 'optim', `the optimizer is ${shownAt(value.module, optimizer ?? value)}`, file)]
}

function taskField(fields: readonly Field[], trainer: DeclaredTrainer, here: Located, file: Module): readonly Field[] {
  if (trainer === 'trainer' || fields.some(({ key }) => key === 'task')) return []
  return [saidBy(here, 'task', { kind: 'text', text: 'causal-lm' }, file)]
}

/** Nobody knows what is unpacked into the arguments. */
function hiddenSettings({ unknown, values }: Told, here: Located, file: Module): readonly Field[] {
  if (unknown === undefined) return []
  const why = `what is unpacked from ${unknown} may set it`
  return [...batchKeys.slice(0, 1), 'gradient_checkpointing']
    .filter(key => !values.has(key))
    .map(key => openField(here, key, why, file))
}

function adaptersOf({ unslothAdapter }: ModelChain, peftConfig: Value | undefined): AdapterDefaults {
  if (unslothAdapter !== undefined) return unslothAdapters
  return peftConfig?.kind === 'call' && isOfModelConfig(peftConfig.name) ? trlAdapters : peftAdapters
}
