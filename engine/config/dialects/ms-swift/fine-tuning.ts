/** How ms-swift trains: in full or by adapters (swift/arguments/tuner_args.py, swift/pipelines/train/tuner.py). */
import { familyOf, hasExperts, isAudioModel, isVisionLanguageModel } from '../../../models/architecture.ts'
import type { CatalogueModel } from '../../../models/catalogue.ts'
import { languageParts } from '../../../models/images.ts'
import type { Quantization } from '../../../training/choices.ts'
import type { TrainedPart, TrainingSpec } from '../../../training/spec.ts'
import { isBefore } from '../../../training/versions.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { leaveOut } from '../../fields/supplied.ts'
import { quote } from '../../text/quote.ts'
import type { Field, Section } from '../../text/section.ts'
import { readLora, readTargets, type Targets, tellOfEarlierAdapters } from '../../trainer/adapter.ts'
import { isOn } from '../../trainer/method.ts'
import { storedQuantization } from '../../trainer/stored-quantization.ts'
import { tunerKeys } from './keys.ts'
import type { Classes } from './task.ts'

export type Method = 'lora' | 'full'

function tunerField(document: Section): Field | undefined {
  return tunerKeys.map(key => document.at(key)).find(field => field !== undefined)
}

export function readMethod(reader: FieldReader, document: Section): Method {
  const field = tunerField(document)
  const name = reader.text(field)
  if (field === undefined) reader.assume("Adapters, ms-swift's default: no train_type is set.")
  if (name === undefined || name === 'lora' || name === 'full') return name ?? 'lora'
  const message = `Training with ${quote(name)} is not modelled yet for ms-swift`
  reader.refuse(field, 'unsupported-training', message, 'Use lora or full.')
  return 'lora'
}

interface Around {
  readonly classes: Classes | undefined
  readonly checkpoints: boolean
}

export function readAdapter(
  reader: FieldReader,
  document: Section,
  model: CatalogueModel | undefined,
  { classes, checkpoints }: Around,
): Pick<TrainingSpec, 'lora' | 'trainable'> {
  const written = document.at('target_regex') ?? document.at('target_modules')
  const targets = targetsOf(reader, written, tunerField(document), model)
  // tuner.py: PeftModel.from_pretrained, whose config is that of the checkpoint.
  tellOfEarlierAdapters(reader, document.at('adapters'))
  // It takes gradients of the whole model before the first step.
  const start = document.at('init_weights')
  if (start?.source === 'lora-ga') reader.uncounted.push(start)
  const lora = readLora(reader, model, {
    rank: document.at('lora_rank'),
    defaultRank: { value: 8, source: "ms-swift's default" },
    dropout: document.at('lora_dropout'),
    defaultDropout: 0.05,
    targets,
    targetField: written ?? tunerField(document),
    modulesToSave: document.at('modules_to_save'),
    // prepare_adapter: peft's task type is its own in capitals.
    taskType: classes && { ...classes.field, value: { kind: 'text', text: 'SEQ_CLS' } },
    ...(isOn(reader, document.at('use_dora')) && { form: 'dora' }),
    // Otherwise peft keeps them in float32.
    ...(document.at('lora_dtype')?.source === 'bfloat16' && { inWeightsType: true }),
  })
  const trainable =
    targets === 'all' ? languagePart(reader, model, written ?? tunerField(document), checkpoints) : undefined
  return { ...(lora && { lora }), ...(trainable && { trainable }) }
}

/**
 * swift/utils/transformers_utils.py get_multimodal_target_regex: beside a tower, `all-linear` means the layers of the language model,
 * as tower and projector are frozen by default. Names of layers reach the tower's too.
 */
function languagePart(
  reader: FieldReader,
  model: CatalogueModel | undefined,
  from: Field | undefined,
  inputGradients: boolean,
): TrainedPart | undefined {
  if (model === undefined || !hasTowers(model)) return undefined
  const names = familyOf(model.config).parts?.language ?? languageParts
  return reader.note<TrainedPart>('trainable', { names: [...names], inputGradients }, from ?? "ms-swift's default")
}

function hasTowers({ config }: CatalogueModel): boolean {
  return isVisionLanguageModel(config) || isAudioModel(config)
}

/**
 * Its `all-linear` takes the modules that are linear layers (swift/utils/transformers_utils.py find_all_linears). Experts were, before
 * transformers 5.0, and their adapters are not modelled.
 */
function targetsOf(
  reader: FieldReader,
  written: Field | undefined,
  tuner: Field | undefined,
  model: CatalogueModel | undefined,
): Targets {
  const targets = readTargets(reader, written) ?? 'all-linear'
  if (targets !== 'all-linear') return targets
  if (model === undefined || !hasExperts(model.config)) return 'all'
  if (isBefore(reader.versions, 'transformers', '5.0')) {
    const message = `Before transformers 5, all-linear may adapt each expert of ${quote(model.id)}, which is not modelled`
    reader.refuse(written ?? tuner, 'unsupported-setting', message, 'Name the layers in --target_modules.')
  } else reader.assume('No adapters on the experts, which all-linear leaves out from transformers 5 on.')
  return 'all'
}

/** By default towers are frozen and get no adapters. */
export function readTowers(
  reader: FieldReader,
  document: Section,
  model: CatalogueModel | undefined,
  method: Method,
): void {
  if (model === undefined || !hasTowers(model)) return
  const [language, vision, aligner] = ['freeze_llm', 'freeze_vit', 'freeze_aligner'].map(key => document.at(key))
  const trains = (field: Field | undefined) => field !== undefined && reader.flag(field) === false
  const isWhole = trains(vision) && trains(aligner)
  const refused = isOn(reader, language)
    ? language
    : method === 'full' && isWhole
      ? undefined
      : [vision, aligner].find(trains)
  if (refused === undefined) return
  const message = `Training with ${refused.key}: ${refused.source} is not modelled yet`
  reader.refuse(refused, 'unsupported-setting', message, leaveOut)
}

/** swift/arguments/base_args/quant_args.py: without a method, quant_bits does nothing. */
export function readQuantization(reader: FieldReader, document: Section, method: Method): Quantization | undefined {
  const [by, bits] = [document.at('quant_method'), document.at('quant_bits')]
  const name = reader.text(by)
  const held = storedQuantization(reader, document.at('model'), method === 'lora')
  if (by === undefined || name === undefined || held !== undefined) return held
  const count = reader.wholeNumber(bits, { max: 16 })
  if (name !== 'bnb' || (count !== 4 && count !== 8)) {
    const message = `Weights quantised by ${quote(name)} in ${bits === undefined ? 'no number of' : quote(bits.source)} bits are not modelled yet`
    return reader.refuse(by, 'unsupported-quantization', message, 'Use --quant_method bnb with 4 or 8 bits.')
  }
  if (method === 'full') {
    const message = 'Quantised weights cannot be trained without adapters'
    return reader.refuse(by, 'quantised-without-adapter', message, 'Set --train_type lora, or remove quant_method.')
  }
  if (count === 8) return reader.note('quantization', 'int8', by)
  // They say how the 4 bits are stored, not whether.
  for (const key of ['bnb_4bit_compute_dtype', 'bnb_4bit_quant_type', 'bnb_4bit_quant_storage']) document.at(key)
  const double = document.at('bnb_4bit_use_double_quant')
  const isSingle = double !== undefined && reader.flag(double) === false
  return reader.note('quantization', isSingle ? 'nf4' : 'nf4-double', by)
}
