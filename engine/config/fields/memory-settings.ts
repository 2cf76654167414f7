/**
 * Settings that change what a training holds in memory, and that nobody has read: quantisation, adapters, checkpointing, sharding,
 * lengths, precision. The same rule for every tool: what looks like one and was not asked for while the config was read is named,
 * and the verdict only warns.
 */

import { labelsTokens } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { Reading, UnreadSetting } from '../reading.ts'
import { plain } from '../text/quote.ts'
import type { Field, Section } from '../text/section.ts'
import { ofOtherMethods } from './chosen-method.ts'
import {
  choosesLoss,
  choosesMethod,
  choosesObjective,
  holdsMore,
  inherits,
  pairsTexts,
  soundsLikeMemory,
  withUnderscores,
} from './memory-names.ts'
import { withoutMemory } from './other-sections.ts'

/** How deep, and how many, sections are looked through; the most that are named. */
const LEVELS = 6
const MAX_SECTIONS = 500
export const MAX_NAMED = 10

/**
 * Fields that look like memory settings and were not read since `document` was last marked as unread (`afresh`), for the training
 * `spec` that it was read as.
 */
export function unreadMemorySettings(document: Section, spec: TrainingSpec, without?: RegExp): readonly Field[] {
  const found = [...smoothedLabels(document, spec), ...otherRanks(document, spec)]
  const others = ofOtherMethods(document, VARIANT_LEVELS)
  const open: { readonly section: Section; readonly level: number }[] = [{ section: document, level: 0 }]
  for (let index = 0; index < open.length && index < MAX_SECTIONS && found.length < MAX_NAMED; index++) {
    const { section, level } = open[index]!
    for (const field of section.fields.values()) {
      if (field.value.kind === 'mapping' && others.has(field.value.section)) continue
      const isNamed = !section.wasAsked(field.key) && namesMemory(field) && !without?.test(field.name)
      if (isNamed) found.push(field)
      if (isNamed || level === LEVELS || isDisabled(field.value)) continue
      for (const inner of sectionsIn(field))
        if (!withoutMemory.test(inner.name)) open.push({ section: inner, level: level + 1 })
    }
  }
  return found.slice(0, MAX_NAMED)
}

/**
 * What a file says of preferences, rewards or a teacher and nobody has asked for: `stage: grpo`, for a training read as an ordinary
 * one; and of a loss over several texts of a sample, for one that is read as a training on one.
 */
export function objectivesSaid(document: Section, { task }: TrainingSpec): readonly Field[] {
  const isOfPairs = task === 'sentence-similarity'
  return settingsSaid(document, ({ key, value }, section) => {
    if (value.kind !== 'text' || section.wasAsked(key)) return false
    const name = withUnderscores(key)
    const pairs = !isOfPairs && choosesLoss.test(name) && pairsTexts.test(value.text)
    return pairs || (choosesObjective.test(name) && holdsMore.test(value.text))
  })
}

/**
 * Smoothed labels, whose loss holds log-probabilities over the whole vocabulary more than once (transformers trainer_pt_utils.py
 * LabelSmoother) and is not modelled. Of note where every token has a label; TRL's other methods have losses of their own.
 */
function smoothedLabels(document: Section, { method, task }: TrainingSpec): readonly Field[] {
  if (method !== undefined || !labelsTokens(task)) return []
  return settingsSaid(
    document,
    ({ key, value }) =>
      withUnderscores(key) === 'label_smoothing_factor' &&
      (value.kind === 'open' || (value.kind === 'number' && value.number > 0)),
  )
}

/** Ranks of adapters beside the one that was read: `lora_r: 32` and `lora_config: { r: 16 }`. */
function otherRanks(document: Section, { lora }: TrainingSpec): readonly Field[] {
  return settingsSaid(document, ({ key, value }, section) => {
    const isRank = key === 'r' && /lora|peft|adapter/i.test(section.name)
    return isRank && value.kind === 'number' && value.number !== lora?.rank && !section.wasAsked(key)
  })
}

/** What a file says of FSDP or DeepSpeed, for code that loads the file and was found to divide nothing. */
export function shardingSaid(document: Section): readonly Field[] {
  return settingsSaid(document, ({ key, value }) => saysSharding(key, value) && !isOff(value))
}

/** The lengths that a file sets, where none of them is the one that training was found to cut sequences to. */
export function lengthsSaid(document: Section, sequenceLength: number | undefined): readonly Field[] {
  if (sequenceLength === undefined) return []
  const lengths = settingsSaid(
    document,
    ({ key, value }) => isLength(key) && value.kind === 'number' && value.number > 1,
  )
  const isCounted = ({ value }: Field) => value.kind === 'number' && value.number === sequenceLength
  return lengths.some(isCounted) ? [] : lengths
}

function isLength(key: string): boolean {
  return soundsLikeMemory(key) && /len(?:gth)?$/i.test(key)
}

function settingsSaid(document: Section, isMeant: (field: Field, section: Section) => boolean): readonly Field[] {
  const others = ofOtherMethods(document, VARIANT_LEVELS)
  return document
    .nested(VARIANT_LEVELS)
    .filter(section => !withoutMemory.test(section.name) && !others.has(section))
    .flatMap(section => [...section.fields.values()].filter(field => isMeant(field, section)))
    .slice(0, MAX_NAMED)
}

function saysSharding(key: string, value: Field['value']): boolean {
  if (/^(?:fsdp|deepspeed)(?:_config)?$|^(?:fsdp_)?sharding_strategy$|^zero_stage$/.test(key)) return true
  return value.kind === 'text' && choosesSharding.test(key) && /^(?:fsdp|deepspeed|zero)/i.test(value.text)
}

const choosesSharding = /^(?:framework|backend|strategy|distributed(?:_\w+)?|parallelism)$/

/** Whether the document lists several trainings, each with memory settings of its own: `experiments: [{ lora_rank: 8 }, …]`. */
export function listsVariants(document: Section): boolean {
  return document.nested(VARIANT_LEVELS).some(({ fields }) =>
    [...fields.values()].some(field => {
      const sections = field.value.kind === 'list' ? sectionsIn(field) : []
      return sections.length > 1 && sections.some(({ fields: own }) => [...own.keys()].some(isOfTraining))
    }),
  )
}

const VARIANT_LEVELS = 2

function isOfTraining(key: string): boolean {
  return soundsLikeMemory(key) || /batch_size$|^target_modules$|accum/.test(key)
}

/** As a reading tells of them: with their file where that is another one. */
export function unreadSettings(fields: readonly Field[]): UnreadSetting[] {
  return fields.slice(0, MAX_NAMED).map(({ name, file, at }) => ({
    name: (file === undefined ? name : `${name} of ${plain(file)}`).slice(0, MAX_NAME),
    at,
  }))
}

/** With more of them beside those that it has. */
export function withNamed(reading: TrainingReading, more: readonly UnreadSetting[]): TrainingReading {
  const all = [...(reading.unreadSettings ?? []), ...more].slice(0, MAX_NAMED)
  return all.length === 0 ? reading : { ...reading, unreadSettings: all }
}

type TrainingReading = Extract<Reading, { kind: 'training-config' }>

const MAX_NAME = 200
const SHOWN_SETTINGS = 5

/** The sentence that names them in the report. */
export function unreadSentence(settings: readonly UnreadSetting[] = []): string | undefined {
  if (settings.length === 0) return undefined
  const shown = settings.slice(0, SHOWN_SETTINGS).map(({ name, at }) => `${plain(name)} (line ${at.line})`)
  const more = settings.length > SHOWN_SETTINGS ? ` and ${settings.length - SHOWN_SETTINGS} more` : ''
  return `Not understood, and so not counted, although it looks like a setting of memory: ${shown.join(', ')}${more}. The figures may be wrong because of it, and nothing blocks.`
}

export function namesMemory({ key, value }: Field): boolean {
  const name = withUnderscores(key)
  const isSet = keepsWeights(name, value) || (!isOff(value) && !isUsual(name, value))
  return hidesMemory(key, value) || (soundsLikeMemory(key) && isSet)
}

/** Whether memory settings may stand behind a text that names another config or a way to train. */
function hidesMemory(key: string, value: Field['value']): boolean {
  if (value.kind !== 'text') return false
  const name = withUnderscores(key)
  return inherits.test(name) || (choosesMethod.test(name) && (savesMemory.test(value.text) || freezes.test(value.text)))
}

/** `fine_tune: head_only` */
const freezes =
  /^(?:froz\w*|partial\w*|(?:linear|probe)[-_ ]?\w*|(?:head|classifier|top|last)[-_ ]?\w*|feature[-_ ]?extract\w*|bitfit)$/i
const savesMemory = /lora|dora|adapter|quant|[48]_?bit|freez/i

/** Keys for what FSDP does by default. */
function isUsual(name: string, value: Field['value']): boolean {
  if (/^(?:fsdp_)?sharding_strategy$/.test(name)) {
    return (
      (value.kind === 'text' && /^(?:FULL_SHARD|1)$/.test(value.text)) ||
      (value.kind === 'number' && value.number === 1)
    )
  }
  return reshards.test(name) && value.kind === 'flag' && value.flag
}

/** FSDP that keeps the weights whole from the forward pass to the backward pass is switched on by a false. */
function keepsWeights(name: string, value: Field['value']): boolean {
  return reshards.test(name) && value.kind === 'flag' && !value.flag
}

const reshards = /^(?:fsdp_)?reshard_after_forward$/

function sectionsIn({ value }: Field): readonly Section[] {
  if (value.kind === 'mapping') return [value.section]
  if (value.kind !== 'list') return []
  return value.items.flatMap(item => (item.kind === 'mapping' ? [item.section] : []))
}

/** Values that turn a feature off: `false`, `none`, 0, a parallel size of one, or a disabled mapping. */
function isOff(value: Field['value']): boolean {
  switch (value.kind) {
    case 'empty':
      return true
    case 'flag':
      return !value.flag
    case 'number':
      return value.number <= 1
    case 'text':
      return /^(?:|none|no|null|false|off|disabled?|auto|0|1)$/i.test(value.text.trim())
    case 'list':
      return value.items.length === 0
    case 'mapping':
      return isDisabled(value) || [...value.section.fields.values()].every(field => isOff(field.value))
    case 'open':
      return false
  }
}

/** A mapping that is disabled by its own key. */
function isDisabled(value: Field['value']): boolean {
  if (value.kind !== 'mapping') return false
  return ['enabled', 'enable', 'use', 'active'].some(key => {
    const said = value.section.fields.get(key)?.value
    return said?.kind === 'flag' && !said.flag
  })
}
