/** Low-rank adapters as peft adds them to a transformers model. */
import { familyOf, linearsOf } from '../../models/architecture.ts'
import type { CatalogueModel } from '../../models/catalogue.ts'
import { type Linears, lastNameOf, outputLayers } from '../../models/linears.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { Default, FieldReader } from '../fields/fields.ts'
import { leaveOut } from '../fields/supplied.ts'
import { allOf, oneOf, quote } from '../text/quote.ts'
import type { Field } from '../text/section.ts'
import { isPattern, lastNamesOf } from './layer-pattern.ts'

export type Lora = NonNullable<TrainingSpec['lora']>

/** `all`: every linear layer but the output's. `all-linear`: the experts too. `usual`: what peft takes when nothing is named. */
export type Targets = 'all' | 'all-linear' | 'usual' | readonly string[]

export interface LoraFields {
  readonly rank: Field | undefined
  readonly defaultRank: Default<number>
  readonly dropout: Field | undefined
  readonly defaultDropout: number
  readonly targets: Targets
  /** The field that the targets come from. */
  readonly targetField: Field | undefined
  readonly inWeightsType?: true
  /** Last names of experts' matrices with adapters, beside the targets or without any. */
  readonly parameters?: readonly string[]
  /** Low-rank products where absent. */
  readonly form?: Lora['form']
  /** Modules that train whole beside the adapters, such as [embed_tokens, lm_head]. */
  readonly modulesToSave?: Field | undefined
  /** Embeddings among the targets train whole, and get no adapters. */
  readonly trainsTables?: true
  /** The originals of modules that train whole wait on the host. */
  readonly savedOnHost?: true
  /** peft's task type: for classification the head trains whole. */
  readonly taskType?: Field | undefined
}

const MAX_RANK = 10_000
/** As many as the spec takes. */
const MAX_TARGETS = 100

/** Names for every linear layer: peft, LLaMA-Factory. */
const everyLinear = new Set(['all_linear', 'all'])
/** peft's own word, which to it means the experts too. */
const PEFT_EVERY_LINEAR = 'all-linear'

/** Without a model its layers are not known: only the fields themselves are checked. */
export function readLora(reader: FieldReader, model: CatalogueModel | undefined, fields: LoraFields): Lora | undefined {
  const rank = fields.rank ? reader.wholeNumber(fields.rank, { max: MAX_RANK }) : fields.defaultRank.value
  const dropout = fields.dropout ? reader.share(fields.dropout) : fields.defaultDropout
  if (fields.rank === undefined && fields.defaultRank.assumption !== undefined) {
    reader.assume(fields.defaultRank.assumption)
  }
  if (model === undefined || rank === undefined || dropout === undefined) return undefined
  const { parameters = [] } = fields
  const isOnExpertsAlone = parameters.length > 0 && fields.targets === 'usual'
  const targets = isOnExpertsAlone ? [] : targetsIn(reader, model, fields)
  if (targets === undefined) return undefined
  const saved = readModulesToSave(reader, fields.modulesToSave)
  const whole = [...new Set([...saved, ...wholeTables(fields), ...headOf(model, fields.taskType)])]
  const { form, inWeightsType, savedOnHost } = fields
  const lora = {
    rank,
    targets: [...targets],
    dropout,
    ...(parameters.length > 0 && { parameters: [...parameters] }),
    ...(inWeightsType && { inWeightsType }),
    ...(form && { form }),
    ...(whole.length > 0 && { modulesToSave: [...whole], ...(savedOnHost && { savedOnHost }) }),
  }
  return reader.note('lora', lora, fields.rank ?? fields.defaultRank.source)
}

/** Modules of heads for classification, in any family. */
const heads = ['classifier', 'score', 'pre_classifier', 'qa_outputs']

/** peft peft_model.py PeftModelForSequenceClassification, PeftModelForTokenClassification, PeftModelForQuestionAnswering */
function headOf({ config }: CatalogueModel, taskType: Field | undefined): readonly string[] {
  if (taskType?.value.kind === 'text' && /(?:^|\.)QUESTION_ANS$/.test(taskType.value.text)) return ['qa_outputs']
  const isClassification = taskType?.value.kind === 'text' && /(?:^|\.)(?:SEQ|TOKEN)_CLS$/.test(taskType.value.text)
  return isClassification ? (linearsOf(config)?.head ?? ['score']) : []
}

/** Embeddings, output layers and heads for classification; copies of other modules are not supported. */
function readModulesToSave(reader: FieldReader, field: Field | undefined): readonly string[] {
  const names = (field && (namesIn(field) ?? reader.text(field)?.split(','))) ?? []
  const last = names.map(name => name.trim().split('.').at(-1) ?? '').filter(name => name !== '')
  const copied = ['embed_tokens', 'lm_head', 'embed_out', 'wte', 'embed_in', ...heads]
  const others = last.filter(name => !copied.includes(name))
  if (field !== undefined && others.length > 0) {
    const message = `Training ${oneOf(others.slice(0, MAX_TARGETS).map(quote))} in full alongside adapters is not modelled yet`
    reader.refuse(field, 'unsupported-setting', message, `Name embeddings, output layers or heads: ${oneOf(copied)}.`)
  }
  return last.filter(name => copied.includes(name))
}

/** Embeddings, for which peft has adapters of their own (tuners/lora/layer.py Embedding). */
const tableNames: ReadonlySet<string> = new Set(['embed_tokens', 'wte', 'word_embeddings', 'embed_in'])

function wholeTables({ trainsTables, targets }: LoraFields): readonly string[] {
  return trainsTables && typeof targets !== 'string' ? targets.map(lastNameOf).filter(name => tableNames.has(name)) : []
}

/**
 * Fused losses take the weights of the output layer and leave its adapters out: Liger's transformers/model/llama.py, unsloth 2026.8
 * models/llama.py, cut_cross_entropy's transformers/llama.py.
 */
export function tellIdleAdapters(reader: FieldReader, lora: Lora | undefined, fusedLoss: boolean | undefined): void {
  const idle = fusedLoss ? (lora?.targets ?? []).filter(name => outputLayers.includes(name)) : []
  if (idle.length === 0) return
  reader.assume(`The adapters on ${oneOf(idle)} get no gradient: the fused loss takes the layer's own weights alone.`)
}

/** peft skips names that no layer has, as long as at least one matches. */
function targetsIn(
  reader: FieldReader,
  model: CatalogueModel,
  { targets, targetField, trainsTables }: LoraFields,
): readonly string[] | undefined {
  const linears = linearsOf(model.config)
  if (linears === undefined) {
    return reader.refuse(
      targetField,
      'unsupported-setting',
      `Adapters on ${model.family} models are not modelled yet`,
      leaveOut,
    )
  }
  const { experts } = familyOf(model.config)
  const ofExperts = experts === undefined ? [] : [...experts.up, experts.down]
  const refused = refusedOf(targets, linears)
  if (refused.length > 0) return refuseTargets(reader, targetField, refused, model, linears)
  if (targets === 'all') return linears.all
  if (targets === 'all-linear') return [...new Set([...linears.all, ...ofExperts])]
  if (targets === 'usual') return usualTargets(reader, model, linears, targetField)
  // `shared_expert.up_proj` does not reach the matrices of experts, which have the same last names.
  const besideExperts = targets.filter(name => /^(?!experts\.)\w+\./.test(name) && ofExperts.includes(lastNameOf(name)))
  const last = targets.filter(name => !besideExperts.includes(name)).map(lastNameOf)
  const names = new Set(last.flatMap(name => linears.alsoCalled?.[name] ?? [name]))
  const known = [...new Set([...linears.all, ...ofExperts, ...outputLayers])].filter(name => names.has(name))
  const found = [...known, ...besideExperts.filter(name => !known.includes(lastNameOf(name)))]
  const tables = targets.filter(name => tableNames.has(lastNameOf(name)))
  if (found.length > 0 && tables.length > 0 && !trainsTables)
    reader.assume(`The adapters on ${oneOf(tables)} are not counted: the rank times the vocabulary and the width.`)
  if (found.length > 0) return found
  return reader.refuse(
    targetField,
    'no-such-lora-target',
    `${quote(model.id)} has no linear layer named ${oneOf(targets.slice(0, MAX_TARGETS).map(quote))}`,
    `Use some of ${linears.all.join(', ')}.`,
  )
}

/** Of the modules that adapters are asked for, those on which peft refuses them: a convolution is no linear layer. */
function refusedOf(targets: Targets, { refused = [] }: Linears): readonly string[] {
  if (targets === 'usual') return []
  if (targets === 'all' || targets === 'all-linear') return refused.filter(name => name !== 'conv1d')
  const named = new Set(targets.map(lastNameOf))
  return refused.filter(name => named.has(name))
}

function refuseTargets(
  reader: FieldReader,
  targetField: Field | undefined,
  refused: readonly string[],
  { family }: CatalogueModel,
  { all }: Linears,
): undefined {
  return reader.refuse(
    targetField,
    'no-such-lora-target',
    `peft refuses adapters on ${allOf(refused)} of ${family} models`,
    `List the layers without ${allOf(refused)}, such as [${all.join(', ')}].`,
  )
}

function usualTargets(
  reader: FieldReader,
  model: CatalogueModel,
  { all, usual }: Linears,
  targetField: Field | undefined,
): readonly string[] | undefined {
  if (usual !== undefined) {
    reader.assume(`Adapters on ${usual.join(' and ')}, peft's default: the config names no layers.`)
    return usual
  }
  return reader.refuse(
    targetField,
    'no-such-lora-target',
    `peft has no default target modules for ${model.family} models`,
    `Use some of ${all.join(', ')}.`,
  )
}

/** A list of names, one name, names with commas between them, a pattern of paths, or a word for all. */
export function readTargets(reader: FieldReader, field: Field | undefined): Targets | undefined {
  if (field === undefined || field.value.kind === 'empty') return undefined
  const listed = namesIn(field)
  if (listed !== undefined) reader.tellOf(field)
  const text = listed === undefined ? reader.text(field) : undefined
  if (text !== undefined && isPattern(text) && !text.includes(',')) return patternTargets(reader, field, text)
  const names = listed ?? text?.split(',')
  if (names === undefined) return undefined
  const trimmed = names.map(name => name.trim()).filter(name => name !== '')
  if (trimmed.length === 0) {
    const message = 'Adapters are set, and no layer is named that gets them'
    return reader.refuse(
      field,
      'no-such-lora-target',
      message,
      'List the names of the layers, such as [q_proj, v_proj].',
    )
  }
  if (trimmed.includes(PEFT_EVERY_LINEAR)) return PEFT_EVERY_LINEAR
  if (trimmed.some(name => everyLinear.has(name))) return 'all'
  return [...new Set(trimmed.flatMap(partsOf))].slice(0, MAX_TARGETS)
}

/** Layers are also named by the end of their path (`shared_expert.up_proj`), or by a pattern that ends in their name. */
function partsOf(name: string): readonly string[] {
  const path = /^(?:\w+\.)*([A-Za-z_]\w*\.\w+)$/.exec(name)
  return path?.[1] === undefined ? (name.match(/[A-Za-z_0-9]+/g)?.slice(-8) ?? []) : [path[1]]
}

function patternTargets(reader: FieldReader, field: Field, pattern: string): Targets | undefined {
  const names = lastNamesOf(pattern)
  if (names !== undefined) return names.slice(0, MAX_TARGETS)
  return reader.refuse(
    field,
    'not-in-file',
    `Which layers get adapters cannot be determined from the file: the pattern ${quote(pattern)} does not end in layer names`,
    'List the names of the layers, such as [q_proj, v_proj].',
  )
}

export function namesIn({ value }: Field): readonly string[] | undefined {
  if (value.kind !== 'list') return undefined
  return value.items.flatMap(item => (item.kind === 'text' ? [item.text] : []))
}

/**
 * Adapters of an earlier run that go on training, in a tool that takes rank and layers from that run and not from the config: nothing
 * blocks because of what the config has in their place.
 */
export function tellOfEarlierAdapters(reader: FieldReader, earlier: Field | undefined): void {
  if (earlier === undefined || earlier.value.kind === 'empty') return
  reader.uncounted.push(earlier)
  reader.assume(
    `The adapters of ${quote(earlier.source)} go on training: their rank and layers are counted as this config has them, whatever that run had.`,
  )
}
