/** The call that loads the model, expressed in the keys of a recipe. */
import { wordSet } from '../../../base/word-list.ts'
import { namesMemory } from '../../fields/memory-settings.ts'
import { plainSentence } from '../../text/quote.ts'
import type { Field } from '../../text/section.ts'
import { isLeftAsLoaded } from '../../trainer/stored-quantization.ts'
import { libraryName, taskOfClass } from '../library.ts'
import type { Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { type LibraryCall, type Located, placeIn, shownAt, type Value } from '../values/values.ts'
import { fieldOf, openField, saidBy } from './fields.ts'
import { type Cast, classLoaded, hasOpenClass, type ModelChain } from './model-chain.ts'
import { quantizationFields } from './quantization.ts'
import { isSentenceModel, sentenceModelFields } from './sentence-transformers.ts'
import { inFullPrecision, isUnslothDefault, unslothFields } from './unsloth-loading.ts'
import { isVisionModel, visionModel } from './vision-models.ts'

export interface Loaded {
  readonly fields: readonly Field[]
  readonly notUnderstood: readonly Field[]
  /** Arguments that look like settings of memory. */
  readonly unread: readonly Field[]
  readonly assumptions: readonly string[]
  /** Where the model is loaded. */
  readonly module: Module | undefined
  readonly loadsStoredType?: true
}

const MODEL = 'model_name_or_path'
/** Of TRL's configs. */
export const INIT_KWARGS = 'model_init_kwargs'
/** As `from_pretrained` of transformers, Unsloth's and others call it. */
export const MODEL_PARAMETERS = ['pretrained_model_name_or_path', 'model_name', 'model'] as const

/** Read from the call, here or below. */
const read = wordSet(`
  torch_dtype dtype attn_implementation load_in_4bit load_in_8bit quantization_config max_seq_length use_flash_attention_2
  bnb_4bit_use_double_quant
`)

/** `byTrainer`: the trainer's own arguments and those of its config, with which TRL loads a model that it gets by name. */
export function loadedFields(
  chain: ModelChain,
  file: Module,
  evaluator: Evaluator,
  byTrainer: ReadonlyMap<string, Value> = new Map(),
): Loaded {
  const loaded = fieldsOfLoad(chain, file, evaluator, byTrainer)
  const remarks = [...new Set(chain.remarks.map(remark => plainSentence(remark)))]
  return { ...loaded, assumptions: [...loaded.assumptions, ...remarks] }
}

function fieldsOfLoad(
  chain: ModelChain,
  file: Module,
  evaluator: Evaluator,
  byTrainer: ReadonlyMap<string, Value>,
): Loaded {
  const { loaded, unknown } = chain
  if (loaded === undefined) {
    const fields = unknown === undefined ? [] : [openField(unknown, MODEL, whyUnknown(unknown), file)]
    return { fields, notUnderstood: [], unread: [], assumptions: [], module: undefined }
  }
  if (loaded.kind === 'text') {
    const fields = [fieldOf(MODEL, loaded, file), ...fieldsByTrainer(byTrainer, chain, file, evaluator)]
    const unread = unreadIn(initKwargs(byTrainer, evaluator)?.values ?? new Map(), file)
    return { fields, notUnderstood: notUnderstoodIn(fields), unread, assumptions: [], module: undefined }
  }
  if (loaded.call === undefined)
    return { fields: [], notUnderstood: [], unread: [], assumptions: [], module: undefined }
  if (isSentenceModel(loaded)) return sentenceModelFields(loaded, file, evaluator)
  if (isVisionModel(loaded)) return visionFields(loaded, chain, file, evaluator)
  const isUnsloth = loaded.name.startsWith('unsloth.')
  const { values, unknown: unpacked } = evaluator.argumentsOf(
    loaded.call,
    loaded.site,
    isUnsloth ? ['model_name', 'max_seq_length'] : [MODEL],
  )
  const named = values.get(MODEL) ?? MODEL_PARAMETERS.flatMap(name => values.get(name) ?? [])[0]
  const model = isUnsloth && isSaidOff(values.get('load_in_4bit')) ? inFullPrecision(named) : named
  const labels = labelsField(values, file, evaluator)
  const keepsTypes = model?.kind === 'text' && isLeftAsLoaded(model.text)
  const ofWeights = keepsTypes ? unprepared(chain) : chain
  const fields = [
    ...(model === undefined ? [] : [fieldOf(MODEL, model, file)]),
    ...taskFields(loaded, file),
    ...weightFields(values, ofWeights, file),
    ...quantizationFields(values, file, evaluator),
    ...labels.fields,
    ...(isUnsloth ? unslothFields(loaded, values, file) : []),
    ...(unpacked === undefined
      ? []
      : [openField(loaded, 'load_in_4bit', `what is unpacked from ${unpacked} may set it`, file)]),
  ]
  // Of CTC it is the letters of the transcripts, a thousandth of the model.
  const isOfCtc = /ForCTC$/.test(classLoaded(loaded))
  const unread = [
    ...unreadIn(values, file).filter(field => !(isOfCtc && field.key === 'vocab_size') && !isUnslothDefault(field)),
    ...shapesIn(values.get('config'), file, evaluator),
  ]
  const isTyped = fields.some(({ key }) => key === 'torch_dtype') || unpacked !== undefined
  // Preparing it for training in few bits casts what is not quantised to 32 bits.
  const loadsStoredType = !isUnsloth && !isTyped && (ofWeights.prepared ?? ofWeights.castBack) === undefined
  return {
    fields,
    notUnderstood: notUnderstoodIn(fields),
    unread,
    assumptions: labels.assumptions,
    module: loaded.module,
    ...(loadsStoredType && { loadsStoredType }),
  }
}

function unprepared({ castBack: _, ...chain }: ModelChain): ModelChain {
  return { ...chain, prepared: undefined }
}

function unreadIn(values: ReadonlyMap<string, Value>, file: Module): readonly Field[] {
  return [...values]
    .filter(([key]) => !read.has(key))
    .map(([key, value]) => fieldOf(key, value, file))
    .filter(
      field =>
        field.key === 'max_memory' ||
        (shapes.test(field.key) && field.key !== 'quantization_config') ||
        namesMemory(field),
    )
}

/** Fields of a config.json that a script changes before it loads the model with them, or passes beside its name. */
const shapes =
  /^(?:quantization_config|vocab_size|(?:num_)?(?:hidden_|encoder_|decoder_)?layers|n_layers?|hidden_size|d_model|(?:intermediate|ffn)_(?:size|dim)|num_(?:attention|key_value)_heads|num(?:_local)?_experts|torch_dtype|dtype)$/

function shapesIn(config: Value | undefined, file: Module, evaluator: Evaluator): readonly Field[] {
  if (config?.kind !== 'call') return []
  const { values } = evaluator.argumentsOfMade(config)
  return [...values].flatMap(([key, value]) => (shapes.test(key) ? [fieldOf(key, value, file)] : []))
}

function notUnderstoodIn(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ key }) => key === 'quantization').slice(0, 1)
}

/** TRL 1.13 trainer/grpo_trainer.py: `model_init_kwargs` of its config, and the quantisation that the trainer itself is given. */
function fieldsByTrainer(
  byTrainer: ReadonlyMap<string, Value>,
  chain: ModelChain,
  file: Module,
  evaluator: Evaluator,
): readonly Field[] {
  const given = initKwargs(byTrainer, evaluator)
  const quantization = byTrainer.get('quantization_config')
  const values = new Map(given?.values)
  if (quantization !== undefined) values.set('quantization_config', quantization)
  return [
    ...weightFields(values, chain, file),
    ...quantizationFields(values, file, evaluator),
    ...(given?.unknown === undefined
      ? []
      : [openField(given.at, 'load_in_4bit', `what is unpacked from ${given.unknown} may set it`, file)]),
  ]
}

interface InitKwargs {
  readonly values: ReadonlyMap<string, Value>
  /** What else may be in it. */
  readonly unknown: string | undefined
  readonly at: Value
}

function initKwargs(byTrainer: ReadonlyMap<string, Value>, evaluator: Evaluator): InitKwargs | undefined {
  const at = byTrainer.get(INIT_KWARGS)
  if (at === undefined || at.kind === 'none') return undefined
  if (at.kind === 'mapping') return { values: at.entries, unknown: at.unknown, at }
  if (at.kind === 'call' && at.name === 'dict' && at.call !== undefined) {
    const { values, unknown } = evaluator.argumentsOf(at.call, at.site)
    return { values, unknown, at }
  }
  return { values: new Map(), unknown: INIT_KWARGS, at }
}

function visionFields(loaded: LibraryCall, chain: ModelChain, file: Module, evaluator: Evaluator): Loaded {
  const found = visionModel(loaded, evaluator)
  if (found === undefined) return { fields: [], notUnderstood: [], unread: [], assumptions: [], module: undefined }
  const { name, labels } = found
  const fields = [
    fieldOf(MODEL, name, file),
    ...weightFields(new Map(), chain, file),
    ...(labels?.kind === 'number' ? [fieldOf('num_labels', labels, file)] : []),
  ]
  const assumptions = labels === undefined || labels.kind === 'number' ? [] : [openLabels('num_classes', labels)]
  return { fields, notUnderstood: [], unread: [], assumptions, module: loaded.module }
}

function openLabels(parameter: string, labels: Value): string {
  return `The number of labels depends on run time: ${parameter} is ${shownAt(labels.module, labels)}. It changes only the head; labels in the overrides sets it.`
}

/** peft 0.21 utils/other.py prepare_model_for_kbit_training: what was loaded in 16 bits and is not quantised is float32 from then on. */
function castBack(prepared: Located, file: Module): Field {
  return saidBy(prepared, 'torch_dtype', { kind: 'text', text: 'float32' }, file, 'prepare_model_for_kbit_training')
}

function whyUnknown(value: Value): string {
  if (value.kind === 'open') return value.why
  if (value.kind === 'instance')
    return `the model is of the class ${value.scope.name}, which the repository defines (${placeIn(value.scope.module, value.scope.from)})`
  if (value.kind === 'none') return `no model is named (${placeIn(value.module, value.from)})`
  return `the model is ${shownAt(value.module, value)}`
}

function taskFields(loaded: LibraryCall, file: Module): readonly Field[] {
  const name = classLoaded(loaded)
  if (hasOpenClass(loaded)) {
    const why = `the class of the model, ${name}, depends on run time (${placeIn(loaded.module, loaded.from)})`
    return [openField(loaded, 'task', why, file)]
  }
  const task = taskOfClass(name)
  return task === undefined ? [] : [saidBy(loaded, 'task', { kind: 'text', text: task }, file, libraryName(name).name)]
}

function weightFields(
  values: ReadonlyMap<string, Value>,
  { cast, ...chain }: ModelChain,
  file: Module,
): readonly Field[] {
  const prepared = chain.prepared ?? chain.castBack
  const dtype = values.get('torch_dtype') ?? values.get('dtype')
  const attention = values.get('attn_implementation')
  const flash = values.get('use_flash_attention_2')
  return [
    ...(dtype === undefined || cast !== undefined
      ? []
      : [prepared ? castBack(prepared, file) : fieldOf('torch_dtype', dtype, file)]),
    ...(cast === undefined ? [] : [castField(cast, file)]),
    ...(attention === undefined ? [] : [fieldOf('attn_implementation', attention, file)]),
    ...(flash?.kind === 'flag' && flash.flag
      ? [
          saidBy(
            flash,
            'attn_implementation',
            { kind: 'text', text: 'flash_attention_2' },
            file,
            'use_flash_attention_2',
          ),
        ]
      : []),
  ]
}

function castField({ by, to }: Cast, file: Module): Field {
  return to === undefined
    ? openField(by, 'torch_dtype', `the weights are cast by ${shownAt(by.module, by)}`, file)
    : saidBy(by, 'torch_dtype', { kind: 'text', text: to }, file, libraryName(by.name).name)
}

/** Their number changes the head, and with it hardly any memory. */
function labelsField(
  values: ReadonlyMap<string, Value>,
  file: Module,
  evaluator: Evaluator,
): { readonly fields: readonly Field[]; readonly assumptions: readonly string[] } {
  const config = values.get('config')
  const configured =
    config?.kind === 'call' && config.call !== undefined ? evaluator.argumentsOfMade(config).values : undefined
  const labels = values.get('num_labels') ?? configured?.get('num_labels')
  if (labels?.kind === 'number') return { fields: [fieldOf('num_labels', labels, file)], assumptions: [] }
  if (labels === undefined) return { fields: [], assumptions: [] }
  return { fields: [], assumptions: [openLabels('num_labels', labels)] }
}

function isSaidOff(value: Value | undefined): boolean {
  return value?.kind === 'flag' && !value.flag
}
