/** Fields → checked values. A reader collects every problem, so that one run reports all of them. */
import { didYouMean } from '../../base/did-you-mean.ts'
import type { Problem } from '../../base/errors.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { type DecisiveRelease, isBefore, type LibraryVersions } from '../../training/versions.ts'
import { oneOf, plain, quote } from '../text/quote.ts'
import type { Field, Section } from '../text/section.ts'
import {
  orInSettings,
  SETTINGS_PATH,
  type SuppliedFields,
  type SuppliedKey,
  suppliedKeys,
  suppliedNames,
} from './supplied.ts'

export interface Range {
  readonly min?: number
  readonly max: number
}

/** Of a name, or of names with commas between them. */
const MAX_TEXT_CHARACTERS = 10_000

/** As many as a report takes for one config. */
const MAX_PROBLEMS = 50

/** Sentences that come with values; a report takes 30 of all kinds. */
const MAX_TOLD = 12

/** The settings of a spec whose origin is reported. */
export type Setting = keyof TrainingSpec

/** The default for a missing field. */
export interface Default<T> {
  readonly value: T
  /** Whose default it is: `the Trainer's default`. */
  readonly source: string
  /** A sentence for the reader of the result, if the default affects it. */
  readonly assumption?: string
}

/** A setting of the spec and where it came from. */
export interface Decision {
  readonly setting: Setting
  readonly value: unknown
  readonly from:
    | { readonly kind: 'field'; readonly field: Pick<Field, 'name' | 'at' | 'file'> }
    | { readonly kind: 'default'; readonly source: string }
}

/** The accepted spellings of a text value, and their meanings. */
export type Choices<T> = ReadonlyMap<string, T>

/** Methods return undefined both for an absent field and for a refused one; the latter is in `problems`. */
export class FieldReader {
  readonly problems: Problem[] = []
  readonly assumptions: string[] = []
  readonly decisions: Decision[] = []
  /** Of the libraries, where they are known: tools' defaults hang on them. */
  versions: LibraryVersions = {}
  /** A default that differs between TRL's releases was asked for. */
  dependsOnTrl = false
  /** Neither the config nor its tool says how long sequences become: a length is assumed. */
  leavesLengthOpen = false
  /** How the training is divided among GPUs changes what it takes, and is not counted: nothing then blocks. */
  leavesDivisionOpen = false
  /** How many texts a sample has is assumed, so that nothing blocks. */
  leavesColumnsOpen = false
  /** More memory is counted than the training takes, so that what does not fit by the estimate may well fit. */
  countsTooMuch = false
  /** Settings that change what a GPU holds and are understood, but not counted: they are named, and nothing blocks. */
  readonly uncounted: Field[] = []
  /** DeepSpeed's settings, beside those of a tool that may name another optimizer than they do. */
  deepSpeed: Section | undefined
  /** What the launcher says, with its file: it wins over the config, and the settings over it. */
  launched: Readonly<Partial<Record<SuppliedKey, Field | undefined>>> = {}
  /** How many GPUs one process sees, where they are several and no launcher starts a process for each. */
  visible: Field | undefined
  /** How the launcher divides a training, and its precision, where its own arguments do not say: as the Trainer's arguments for it. */
  toldByLaunch: readonly Field[] = []
  /** Of the file being read. */
  readonly path: string
  readonly #supplied: SuppliedFields
  readonly #unread: Set<SuppliedKey>
  /** Fields that the settings may supply, by their key there. */
  readonly #suppliable = new Map<Field, SuppliedKey>()

  /** `supplied` overrides the config. */
  constructor(path: string, supplied: SuppliedFields = {}) {
    this.path = path
    this.#supplied = supplied
    this.#unread = new Set(suppliedKeys.filter(key => this.supplies(key)))
  }

  /** Whether TRL is known to be older than a release, which decides a default. */
  isTrlBefore(release: DecisiveRelease<'trl'>): boolean {
    this.dependsOnTrl = true
    return isBefore(this.versions, 'trl', release)
  }

  supplies(key: SuppliedKey): boolean {
    return this.#supplied[key] !== undefined
  }

  /** What was supplied but has not been read so far. */
  get unread(): readonly SuppliedKey[] {
    return [...this.#unread]
  }

  /** The field that a setting is read from: the one in the repository's settings, or else the config's own. */
  fieldFor(key: SuppliedKey, written: Field | undefined): Field | undefined {
    const field = this.#supplied[key] ?? this.launched[key]
    this.#unread.delete(key)
    const changeable = field === undefined ? written : this.launched[key]
    if (changeable !== undefined) this.#suppliable.set(changeable, key)
    if (field === undefined) return written
    const sentence = `The ${suppliedNames[key]} is ${shown(field)}, as set in ${placeSaid(field)}.`
    if (!this.assumptions.includes(sentence)) this.assume(sentence)
    return field
  }

  assume(sentence: string): void {
    this.assumptions.push(sentence)
  }

  /** An assumption by which more memory is counted than the training takes. */
  assumeMore(sentence: string): void {
    this.countsTooMuch = true
    this.assume(sentence)
  }

  /** Reads a setting, or uses its default if the field is missing or refused; records its origin either way. */
  settle<T>(
    setting: Setting,
    field: Field | undefined,
    read: (field: Field) => T | undefined,
    byDefault: Default<T>,
  ): T {
    if (field === undefined || field.value.kind === 'empty') {
      const isTold = byDefault.assumption !== undefined && !this.#supplied.changed?.includes(setting)
      if (isTold) this.assume(byDefault.assumption)
      return this.note(setting, byDefault.value, byDefault.source)
    }
    const value = read(field)
    return value === undefined ? byDefault.value : this.note(setting, value, field)
  }

  /** Reads a setting that is absent from the spec if the field is missing. */
  optional<T>(setting: Setting, field: Field | undefined, read: (field: Field) => T | undefined): T | undefined {
    if (field === undefined || field.value.kind === 'empty') return undefined
    const value = read(field)
    return value === undefined ? undefined : this.note(setting, value, field)
  }

  /** Records where a value came from: a field, or a description. The last word on a setting counts. Returns the value. */
  note<T>(setting: Setting, value: T, from: Field | string): T {
    const decision: Decision = {
      setting,
      value,
      from: typeof from === 'string' ? { kind: 'default', source: from } : { kind: 'field', field: placeOf(from) },
    }
    const earlier = this.decisions.findIndex(each => each.setting === setting)
    this.decisions.splice(earlier < 0 ? this.decisions.length : earlier, earlier < 0 ? 0 : 1, decision)
    return value
  }

  /** Without a field the problem is the whole file's. */
  refuse(field: Field | undefined, code: string, message: string, fix: string): undefined {
    const where = field && { ...field.at, field: field.name }
    const file = field?.file ?? this.path
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ code, message, fix, file, ...where })
    return undefined
  }

  wholeNumber(field: Field | undefined, { min = 1, max }: Range): number | undefined {
    if (field === undefined || this.#isOpen(field)) return undefined
    const range = `a whole number from ${count(min)} to ${count(max)}`
    const { value } = field
    if (value.kind === 'text' && /^\s*\d{1,15}\s*$/.test(value.text)) {
      return this.refuse(
        field,
        'number-in-quotes',
        `${quote(value.text)} is text, not a number`,
        `Write it without quotes: ${Number(value.text)}.`,
      )
    }
    if (value.kind !== 'number' || !Number.isInteger(value.number)) {
      return this.refuse(field, 'not-a-whole-number', `${shown(field)} is not a whole number`, `Write ${range}.`)
    }
    if (value.number < min) {
      return this.refuse(field, 'out-of-range', `${plain(field.source)} is less than ${count(min)}`, `Write ${range}.`)
    }
    if (value.number > max) {
      return this.refuse(field, 'out-of-range', `${plain(field.source)} is more than ${count(max)}`, `Write ${range}.`)
    }
    return value.number
  }

  /** From 0 to 1. */
  share(field: Field | undefined): number | undefined {
    if (field === undefined || this.#isOpen(field)) return undefined
    const { value } = field
    if (value.kind === 'number' && value.number >= 0 && value.number <= 1) return value.number
    return this.refuse(
      field,
      'not-a-share',
      `${shown(field)} is not a number from 0 to 1`,
      'Write a number from 0 to 1.',
    )
  }

  flag(field: Field | undefined): boolean | undefined {
    if (field === undefined || this.#isOpen(field)) return undefined
    if (field.value.kind === 'flag') return field.value.flag
    const argument = argumentFlag(field)
    if (argument !== undefined) return argument
    // `type=int, default=1`: tools and pydantic take them for switches.
    if (field.value.kind === 'number' && (field.value.number === 0 || field.value.number === 1))
      return field.value.number === 1
    return this.refuse(field, 'not-a-flag', `${shown(field)} is neither true nor false`, 'Write true or false.')
  }

  text(field: Field | undefined): string | undefined {
    if (field === undefined || this.#isOpen(field)) return undefined
    if (field.value.kind === 'text') {
      const { length } = field.value.text
      if (length <= MAX_TEXT_CHARACTERS) return field.value.text.trim()
      return this.refuse(
        field,
        'text-too-long',
        `${quote(field.value.text)} has ${count(length)} characters; up to ${count(MAX_TEXT_CHARACTERS)} are read`,
        'Write one name.',
      )
    }
    return this.refuse(field, 'not-text', `${shown(field)} is not text`, 'Write one name.')
  }

  /** `offered`: the spellings that messages list, if `choices` accepts more. */
  choice<T>(field: Field | undefined, choices: Choices<T>, offered = [...choices.keys()]): T | undefined {
    const text = this.text(field)
    if (text === undefined) return undefined
    if (choices.has(text)) return choices.get(text)
    return this.refuse(field, 'unknown-value', `${quote(text)} is not a known value`, suggest(text, offered))
  }

  /** What the reader must know of a field that is read without this class: a list. */
  tellOf(field: Field): void {
    for (const sentence of field.assumptions ?? []) {
      if (this.assumptions.length < MAX_TOLD && !this.assumptions.includes(sentence)) this.assume(sentence)
    }
  }

  /** Not a mistake: the value is filled in when training starts. */
  #isOpen(field: Field): boolean {
    this.tellOf(field)
    if (!isPlaceholder(field)) return false
    const key = this.#suppliable.get(field)
    const why = field.value.kind === 'open' ? field.value.why : `it is ${quote(field.source)}`
    this.refuse(
      field,
      'not-in-file',
      `The value cannot be determined from the file: ${why}`,
      key === undefined
        ? 'Write the value into the config if you want it checked.'
        : `Write the value into the config, ${orInSettings(key)}.`,
    )
    return true
  }
}

/** `Did you mean x? Use a, b or c.` */
export function suggest(given: string, known: readonly string[]): string {
  return didYouMean(given, known, `Use ${oneOf(known)}.`)
}

/** Shell, OmegaConf and template placeholders, OmegaConf's `???`, and the `auto` of Accelerate and DeepSpeed. */
function isPlaceholder({ value, source }: Field): boolean {
  if (value.kind === 'open') return true
  if (value.kind === 'mapping') return source.startsWith('{{')
  return value.kind === 'text' && (/\$[{(]|\{\{|\{%/.test(value.text) || /^(auto|\?\?\?|\$\w+)$/i.test(value.text))
}

/** A value as messages show it: a scalar as written, a collection by its kind. */
export function shown({ value, source }: Pick<Field, 'value' | 'source'>): string {
  switch (value.kind) {
    case 'empty':
      return 'An empty value'
    case 'list':
      return 'A list'
    case 'mapping':
      return 'A mapping'
    case 'text':
      return quote(value.text)
    case 'number':
    case 'flag':
    case 'open':
      return plain(source)
  }
}

/** HfArgumentParser's string_to_bool: `--bf16 1`, `--fp16 no`. */
function argumentFlag({ name, source }: Field): boolean | undefined {
  if (!name.startsWith('--')) return undefined
  return /^(?:yes|y|t|1)$/i.test(source) ? true : /^(?:no|n|f|0)$/i.test(source) ? false : undefined
}

/** A launcher's line is worth telling: it may hold several commands. */
export function placeSaid({ file = SETTINGS_PATH, at }: Field): string {
  return file === SETTINGS_PATH ? file : `${file}, line ${at.line}`
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}

function placeOf({ name, at, file }: Field): Pick<Field, 'name' | 'at' | 'file'> {
  return { name, at, ...(file !== undefined && { file }) }
}
