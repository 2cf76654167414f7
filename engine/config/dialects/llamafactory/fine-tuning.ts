/** How a config of LLaMA-Factory trains: whole, in part, or by adapters (hparams/finetuning_args.py, model/adapter.py). */
import { familyOf } from '../../../models/architecture.ts'
import type { CatalogueModel } from '../../../models/catalogue.ts'
import type { TrainedPart } from '../../../training/spec.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { quote } from '../../text/quote.ts'
import type { Field, Section } from '../../text/section.ts'
import { type Lora, type LoraFields, readLora, readTargets, tellOfEarlierAdapters } from '../../trainer/adapter.ts'
import { isOn } from '../../trainer/method.ts'
import { readBlockwise, readFreeze } from '../../trainer/trained-part.ts'

export type Method = 'lora' | 'oft' | 'full' | 'freeze'

export function hasAdapters(method: Method): boolean {
  return method === 'lora' || method === 'oft'
}

/** hparams/finetuning_args.py: LoRA by default. */
export function readMethod(reader: FieldReader, field: Field | undefined): Method {
  if (field === undefined) {
    reader.assume("Adapters, LLaMA-Factory's default: the config sets no finetuning_type.")
    return 'lora'
  }
  const name = reader.text(field)
  if (name === undefined) return 'lora'
  if (name === 'lora' || name === 'oft' || name === 'full' || name === 'freeze') return name
  reader.refuse(
    field,
    'unsupported-training',
    `Fine-tuning with ${quote(name)} is not modelled yet`,
    'Use lora, oft, freeze or full.',
  )
  return 'full'
}

/** The block that BAdam trains, if it trains one at a time. */
export function blockwiseField(reader: FieldReader, document: Section): Field | undefined {
  const field = document.at('use_badam')
  return isOn(reader, field) ? field : undefined
}

/** model/model_utils/checkpointing.py: blocks without trainable parameters are not checkpointed, and their inputs are not made to require gradients. */
export function readTrainable(
  reader: FieldReader,
  document: Section,
  model: CatalogueModel | undefined,
  method: Method,
): TrainedPart | undefined {
  const from = document.at('finetuning_type')
  const blockwise = blockwiseField(reader, document)
  if (blockwise !== undefined && method === 'full') return readBlockwise(reader, document, blockwise)
  if (method !== 'freeze') return readParts(reader, document, model)
  if (from === undefined) return undefined
  return readFreeze(reader, model, {
    from,
    layers: document.at('freeze_trainable_layers'),
    modules: document.at('freeze_trainable_modules'),
    extraModules: document.at('freeze_extra_modules'),
    inputGradients: false,
  })
}

/**
 * model/model_utils/visual.py get_forbidden_modules and patch_target_modules: parts of a vision-language model that are frozen, whole
 * or under adapters. The tower and the projector are by default (hparams/finetuning_args.py).
 */
function readParts(reader: FieldReader, document: Section, model: CatalogueModel | undefined): TrainedPart | undefined {
  const parts = model && familyOf(model.config).parts
  if (parts === undefined) return undefined
  const isFrozen = (key: string, byDefault: boolean) => reader.flag(document.at(key)) ?? byDefault
  const names = [
    ...(isFrozen('freeze_language_model', false) ? [] : parts.language),
    ...(isFrozen('freeze_vision_tower', true) ? [] : parts.tower),
    ...(isFrozen('freeze_multi_modal_projector', true) ? [] : parts.projector),
  ]
  if (names.length === 0) {
    const message = 'Tower, projector and language model are all frozen, so nothing trains'
    return reader.refuse(
      document.at('freeze_language_model'),
      'unsupported-training',
      message,
      'Set freeze_language_model, freeze_vision_tower or freeze_multi_modal_projector to false.',
    )
  }
  const written = ['freeze_language_model', 'freeze_vision_tower', 'freeze_multi_modal_projector']
  const field = written.map(key => document.at(key)).find(Boolean)
  return reader.note<TrainedPart>('trainable', { names, inputGradients: false }, field ?? "LLaMA-Factory's default")
}

/** model/adapter.py: OFT's targets are LoRA's too. */
export function readAdapter(
  reader: FieldReader,
  document: Section,
  model: CatalogueModel | undefined,
  method: Method,
): Lora | undefined {
  const targets = document.at('lora_target')
  const common = {
    targets: readTargets(reader, targets) ?? 'all',
    targetField: targets,
    modulesToSave: document.at('additional_target') ?? resizedTables(reader, document, model),
  } as const
  tellOfEarlierAdapters(reader, goesOn(reader, document))
  if (method === 'oft') return readOft(reader, document, model, common)
  return readLora(reader, model, {
    ...common,
    rank: document.at('lora_rank'),
    defaultRank: { value: 8, source: "LLaMA-Factory's default" },
    dropout: document.at('lora_dropout'),
    defaultDropout: 0,
    ...(isOn(reader, document.at('use_dora')) && { form: 'dora' }),
  })
}

/** Their last run's rank and layers are what goes on training (adapter.py adapter_to_resume). */
function goesOn(reader: FieldReader, document: Section): Field | undefined {
  const earlier = document.at('adapter_name_or_path')
  return earlier?.value.kind === 'empty' || isOn(reader, document.at('create_new_adapter')) ? undefined : earlier
}

/** Settings by which tokens are added: model/patcher.py patch_tokenizer then switches resize_vocab on. The last is of 0.9.3 and before. */
const addedTokens = ['add_tokens', 'add_special_tokens', 'new_special_tokens_config', 'new_special_tokens']

/** model/adapter.py: beside new adapters, a vocabulary that is resized trains embedding and output layer whole. */
function resizedTables(reader: FieldReader, document: Section, model: CatalogueModel | undefined): Field | undefined {
  const switched = document.at('resize_vocab')
  const added = addedTokens.map(key => document.at(key)).find(field => field && field.value.kind !== 'empty')
  const field = isOn(reader, switched) ? switched : added
  if (field === undefined || model === undefined || goesOn(reader, document) !== undefined) return undefined
  const names = tableNames.get(model.family) ?? ['embed_tokens', 'lm_head']
  reader.assume(
    `${names.join(' and ')} train whole beside the adapters: LLaMA-Factory has them do so where ${field.name} resizes the vocabulary. The rows that are added are not counted.`,
  )
  const place = { at: field.at, source: field.source }
  return { ...field, value: { kind: 'list', items: names.map(text => ({ ...place, kind: 'text', text })) } }
}

const tableNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['gpt_neox', ['embed_in', 'embed_out']],
  ['gpt2', ['wte', 'lm_head']],
])

/** hparams/finetuning_args.py: blocks of 32 features; setting the number of blocks instead gives each layer its own block size. */
function readOft(
  reader: FieldReader,
  document: Section,
  model: CatalogueModel | undefined,
  common: Pick<LoraFields, 'targets' | 'targetField' | 'modulesToSave'>,
): Lora | undefined {
  const [blocks, size] = [document.at('oft_rank'), document.at('oft_block_size')]
  if (blocks !== undefined && reader.wholeNumber(blocks, { min: 0, max: 10_000 }) !== 0) {
    return reader.refuse(blocks, 'unsupported-setting', 'oft_rank is not modelled yet', 'Set oft_block_size instead.')
  }
  return readLora(reader, model, {
    ...common,
    rank: size,
    defaultRank: { value: 32, source: "LLaMA-Factory's default" },
    dropout: undefined,
    defaultDropout: 0,
    form: 'oft',
  })
}
