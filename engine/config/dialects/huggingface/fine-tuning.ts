/**
 * What TRL's scripts, the alignment handbook's recipes and similar ones add to the Trainer: adapters, 4-bit weights, fused losses.
 * Defaults: TRL 1.10 trainer/model_config.py and trainer/sft_config.py.
 */
import { wordList } from '../../../base/word-list.ts'
import { isVisionLanguageModel } from '../../../models/architecture.ts'
import type { CatalogueModel } from '../../../models/catalogue.ts'
import type { TrainingSpec } from '../../../training/spec.ts'
import { allWeights, lowRank, methodKey, otherMethods } from '../../fields/chosen-method.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { choosesMethod } from '../../fields/memory-names.ts'
import { leaveOut } from '../../fields/supplied.ts'
import { quote } from '../../text/quote.ts'
import type { Field, FieldValue, Section } from '../../text/section.ts'
import { type Lora, type LoraFields, readLora, readTargets } from '../../trainer/adapter.ts'
import { isOn } from '../../trainer/method.ts'
import { storedQuantization } from '../../trainer/stored-quantization.ts'
import type { Arguments } from './arguments.ts'
import { type AdapterDefaults, trlAdapters } from './declared.ts'
import type { Find } from './task.ts'
import { namesTrainer } from './training-method.ts'

const trlKeys = wordList(`
  use_peft lora_r lora_target_modules load_in_4bit dataset_text_field dataset_mixture dataset_mixer packing completion_only_loss
  assistant_only_loss use_bnb_nested_quant chat_template padding_free
`)

/** TRL's default where nothing is set. */
export const TRL_LENGTH = 1_024

export function isTrl(find: Find): boolean {
  return find(...trlKeys) !== undefined || namesTrainer(find)
}

const switches = ['use_peft', 'use_lora', 'use_qlora', 'is_peft', 'is_lora', 'lora_enable', 'use_peft_lora']
/** Other peft methods, as custom scripts enable them. */
const otherSwitches = ['use_ia3', 'use_adalora', 'use_prefix_tuning', 'use_prompt_tuning', 'use_p_tuning']
const methods = ['finetuning_type', 'peft_method', 'peft_type']
/** The field that enables adapters, if there is one. */
export function adapterField(reader: FieldReader, { find, findText }: Arguments): Field | undefined {
  const adapter = ofAdapters(find('adapter'))
  const named = find(...methods) ?? (adapter?.value.kind === 'text' ? adapter : findText(methodKey, otherMethods))
  const method = named?.value.kind === 'text' ? named.value.text.toLowerCase() : undefined
  if (method !== undefined && !/^(full|none|)$/.test(method)) {
    if (method === 'lora' || method === 'qlora') return named
    reader.refuse(
      named,
      'unsupported-setting',
      `Training with ${quote(method)} is not modelled yet`,
      'Use lora or full.',
    )
    return undefined
  }
  const other = otherSwitches.map(key => find(key)).find(field => isOn(reader, field))
  if (other !== undefined) {
    const message = `${other.key} is not modelled yet`
    return reader.refuse(other, 'unsupported-setting', message, leaveOut)
  }
  const on = find(...switches)
  if (on !== undefined) return reader.flag(on) === true ? on : undefined
  if (findText(/method$/, allWeights) !== undefined) return undefined
  // Asked last: one beside adapters that are described may say more, and is named if nobody has read it.
  const shaped = rankField(find) ?? layersField(find)
  if (shaped !== undefined) return shaped
  return refuseMethod(reader, findText(choosesMethod, /lora|dora|adapter/i) ?? findText(methodKey, lowRank))
}

/** `train_type: custom_qlora` in a file that says nothing of the adapters' shape. */
function refuseMethod(reader: FieldReader, method: Field | undefined): undefined {
  if (method === undefined) return undefined
  const message = `Adapters cannot be determined: the file names none, and the code that reads ${method.name} may add them`
  reader.refuse(method, 'not-in-file', message, 'Set use_peft: true and lora_r beside it if it does.')
}

/** What teams call an adapter of a data set brings its rows into shape. */
function ofAdapters(field: Field | undefined): Field | undefined {
  return field !== undefined && /(?:^|\.)(?:data|dataset|datasets|data_\w+|dataset_\w+)\./i.test(field.name)
    ? undefined
    : field
}

/** peft's LoraConfig, as custom scripts store it. */
const adapterMappings = [
  'lora',
  'qlora',
  'peft',
  'lora_config',
  'peft_config',
  'lora_args',
  'adapter',
  'adapter_config',
]

/** `lora_r`, or `r` in a mapping for the adapters that is not switched off. */
function rankField(find: Find): Field | undefined {
  const section = adapterMapping(find)?.section
  if (section === undefined) return find('lora_r', 'lora_rank') ?? bareRank(find)
  return isSwitchedOff(section) ? undefined : (find('lora_r', 'lora_rank') ?? section.at('r') ?? section.at('rank'))
}

/** The layers that a mapping for adapters names, where it leaves their rank to the library. */
function layersField(find: Find): Field | undefined {
  const section = adapterMapping(find)?.section
  return section === undefined || isSwitchedOff(section) ? undefined : section.at('target_modules')
}

/** `lora`, or the one within `peft: { lora: { r: 16 } }`. */
function adapterMapping(find: Find): (FieldValue & { readonly kind: 'mapping' }) | undefined {
  const value = ofAdapters(find(...adapterMappings))?.value
  if (value?.kind !== 'mapping') return undefined
  const { section } = value
  if (['r', 'rank', 'target_modules'].some(key => section.fields.has(key))) return value
  const within = adapterMappings.find(key => section.fields.get(key)?.value.kind === 'mapping')
  const inner = within === undefined ? undefined : section.at(within)?.value
  return inner?.kind === 'mapping' ? inner : value
}

function isSwitchedOff(section: Section): boolean {
  const enabled = section.at('enabled') ?? section.at('enable') ?? section.at('use')
  return enabled?.value.kind === 'flag' && !enabled.value.flag
}

/** `r` beside `lora_alpha` */
function bareRank(find: Find): Field | undefined {
  return find('lora_alpha') === undefined ? undefined : find('r', 'rank')
}

/** `lora_dropout`, or `dropout` in a mapping for the adapters. */
function adapterSetting(find: Find, key: 'dropout' | 'task_type'): Field | undefined {
  return find(`lora_${key}`) ?? adapterMapping(find)?.section.at(key)
}

/**
 * The switch of LLaVA's train.py and its many descendants, which name no layers: they look through the model for every linear layer
 * of the language model, and mostly leave out the tower's (haotian-liu/LLaVA llava/train/train.py find_all_linear_names,
 * 2U1/Pixtral-Finetune src/training/train.py find_target_linear_names).
 */
function findsLayers(reader: FieldReader, { key }: Field, model: CatalogueModel | undefined): boolean {
  if (key !== 'lora_enable') return false
  const every = 'Adapters on every linear layer but the output’s, as scripts find them that take lora_enable'
  if (model === undefined || !isVisionLanguageModel(model.config)) reader.assume(`${every}.`)
  else reader.assumeMore(`${every}; those of the tower are counted too, which most of them leave out.`)
  return true
}

export function readAdapter(
  reader: FieldReader,
  find: Find,
  model: CatalogueModel | undefined,
  adapter: Field | undefined,
  defaults: AdapterDefaults = trlAdapters,
  saved: Pick<LoraFields, 'trainsTables' | 'savedOnHost'> = {},
): Lora | undefined {
  if (adapter === undefined) return undefined
  const targetField = find('lora_target_modules', 'target_modules', 'lora_target')
  return readLora(reader, model, {
    rank: rankField(find),
    defaultRank: defaults.rank,
    dropout: adapterSetting(find, 'dropout'),
    defaultDropout: defaults.dropout,
    targets: readTargets(reader, targetField) ?? (findsLayers(reader, adapter, model) ? 'all' : 'usual'),
    targetField: targetField ?? adapter,
    modulesToSave: find('lora_modules_to_save', 'modules_to_save'),
    taskType: adapterSetting(find, 'task_type'),
    ...(isOn(reader, find('use_dora')) && { form: 'dora' }),
    ...saved,
  })
}

/** `train_mode: qlora`, `method: qlora`, `peft_type: qlora`, `adapter: qlora` */
const choosesWay = new RegExp(`${choosesMethod.source}|${methodKey.source}|^(?:mode|strategy|adapter)$`)

const doubleKeys = wordList(`
  use_bnb_nested_quant bnb_4bit_use_double_quant use_nested_quant use_double_quant double_quant bnb_double_quant
  bnb_use_double_quant bnb_4bit_double_quant
`)

const fourBitDetails = wordList(`
  bnb_4bit_compute_dtype bnb_4bit_quant_type bnb_4bit_quant_storage quant_type bnb_compute_dtype bnb_quant_type
`)

/** `bits: 4`, or `quantization: { bits: 4 }`; in place of the bits, the name of a method that is not bitsandbytes'. */
function bitsField(find: Find): Field | undefined {
  const field = find('quant', 'quantization', 'quantize', 'bits', 'quant_bits', 'quantization_bit', 'quantization_bits')
  if (field?.value.kind !== 'mapping') return field
  const { section } = field.value
  const enabled = section.at('enabled') ?? section.at('enable')
  if (enabled?.value.kind === 'flag' && !enabled.value.flag) return undefined
  const method = section.at('quant_method') ?? section.at('method')
  const isOther = method?.value.kind === 'text' && !/^(?:bnb|bitsandbytes|nf4|q-?lora)\w*$/i.test(method.value.text)
  return isOther ? method : section.at('bits')
}

/** `quant: 4bit`, `bits: 4`, as custom scripts write it. */
function namedBits(reader: FieldReader, find: Find): { readonly field: Field; readonly bits: 4 | 8 } | undefined {
  const field = bitsField(find)
  const { value } = field ?? {}
  if (field === undefined || value === undefined || value.kind === 'mapping') return undefined
  // A switch leaves the bits to others.
  if (value.kind === 'flag' && (!value.flag || find('load_in_4bit', 'load_in_8bit') !== undefined)) return undefined
  const written = value.kind === 'number' ? String(value.number) : value.kind === 'text' ? value.text.toLowerCase() : ''
  if (/^(?:|none|no|false|16|32|(?:bf|fp)16|fp32)$/.test(written) && value.kind !== 'flag') return undefined
  if (/^(?:4|(?:bnb|bitsandbytes)?[_-]?(?:nf4|4[_-]?bit|int4)|qlora)$/.test(written)) return { field, bits: 4 }
  if (/^(?:8|(?:bnb|bitsandbytes)?[_-]?(?:8[_-]?bit|int8))$/.test(written)) return { field, bits: 8 }
  const message = `${quote(field.source)} is no quantisation that is known here`
  return reader.refuse(field, 'unsupported-quantization', message, 'Write 4bit or 8bit, or load_in_4bit: true.')
}

/** Of what loads the weights, or else as the checkpoint stores them. */
export function readQuantization(
  reader: FieldReader,
  { find, findText, model }: Arguments,
  adapter: Field | undefined,
) {
  const isSet = (field: Field | undefined) => field !== undefined && reader.flag(field) === true
  // peft's examples have switches of their own.
  const eight = find('load_in_8bit', 'use_8bit', 'use_8bit_quantization')
  const four = find('load_in_4bit', 'use_4bit', 'use_4bit_quantization')
  const named = namedBits(reader, find)
  const [qlora, chosen] = [find('use_qlora'), findText(choosesWay, /^q-?lora$/i)]
  const field = isSet(eight) ? eight : isSet(four) ? four : (named?.field ?? (isSet(qlora) ? qlora : chosen))
  if (field === undefined) {
    // Where 4 bits are switched off, how they would be kept has no bearing.
    if (four?.value.kind === 'flag') for (const key of [...fourBitDetails, ...doubleKeys]) find(key)
    return storedQuantization(reader, model, adapter !== undefined)
  }
  // The adapters were asked about.
  if (adapter === undefined && (field === chosen || find(...switches)?.value.kind === 'open')) return undefined
  if (adapter === undefined && field.name.includes('.')) {
    return reader.refuse(
      field,
      'not-in-file',
      `Adapters cannot be determined: the file names none, and the code that reads ${field.name} may add them`,
      `Set use_peft: true beside it if it does, or ${field.name}: false.`,
    )
  }
  if (adapter === undefined) {
    return reader.refuse(
      field,
      'quantised-without-adapter',
      'Quantised weights cannot be trained without adapters',
      `Set use_peft: true, or ${field.name}: false.`,
    )
  }
  if (field === eight || (field === named?.field && named.bits === 8))
    return reader.note('quantization', 'int8' as const, field)
  // They say how the weights are kept in 4 bits, and alone would leave open whether they are.
  for (const key of fourBitDetails) find(key)
  const isDouble = reader.flag(find(...doubleKeys)) === true
  return reader.note('quantization', isDouble ? ('nf4-double' as const) : ('nf4' as const), field)
}

/** Adapters whose file says nothing of quantisation, while its path does: the code that loads it may quantise. */
export function leavesQuantisationToCode({ lora, quantization }: Partial<TrainingSpec>, path: string): boolean {
  return lora !== undefined && quantization === undefined && /(?:^|[^a-z])q-?lora(?:[^a-z]|$)/i.test(path)
}

/** Liger's kernels fuse the loss into the output layer (transformers: apply_liger_kernel). */
export function readFusedLoss(reader: FieldReader, find: Find): true | undefined {
  const liger = find('use_liger_kernel', 'use_liger')
  const parts = find('liger_kernel_config')?.value
  const fuses = parts?.kind === 'mapping' ? parts.section.at('fused_linear_cross_entropy') : undefined
  if (fuses !== undefined && reader.flag(fuses) === false) return undefined
  return liger !== undefined && reader.flag(liger) === true ? reader.note('fusedLoss', true, liger) : undefined
}
