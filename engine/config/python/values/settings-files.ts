/**
 * YAML and JSON that a script loads its settings from: `yaml.safe_load(open("configs/train.yaml"))`, `OmegaConf.load(args.config)`.
 * The file is read as PyYAML reads it, and each value says where it stands there. Nothing is executed.
 */
import { posix } from 'node:path'
import { isPlausibleName, placesFromLauncher, placesOf } from '../../sources.ts'
import { parseFile } from '../../text/document.ts'
import { plain } from '../../text/quote.ts'
import type { FieldValue, Place, Section } from '../../text/section.ts'
import type { CallExpression } from '../syntax/expressions.ts'
import { Module } from '../syntax/module.ts'
import type { Evaluator } from './evaluator.ts'
import { lineOffset, type Site, type Value } from './values.ts'

/** A file of settings, by its path and the mapping at its top. */
export interface SettingsFile {
  readonly module: Module
  readonly top: Section
  /** What it holds, by what a reader must know of how the file was chosen. */
  readonly loaded: Map<string, Value>
}

/** Undefined for what is no single mapping. */
export function settingsFile(path: string, text: string): SettingsFile | undefined {
  const written = text.replace(/^\uFEFF/, '')
  const parsed = parseFile({ path, text: written })
  const [top, ...others] = parsed.kind === 'document' ? parsed.mappings : []
  return top === undefined || others.length > 0
    ? undefined
    : { module: new Module(path, written), top, loaded: new Map() }
}

/** All that it holds. */
export function settingsIn({ top, module }: SettingsFile): Value {
  return mappingOf(top, module, [])
}

/** Where in the repository a script that is run from the repository's root, or from its own folder, finds it. */
export function settingsPlaces(written: string, importer: string): readonly string[] {
  if (!isPlausibleName(written) || !/\.(?:ya?ml|json)$/i.test(written)) return []
  // Of a container or another machine, in which the repository stands somewhere.
  if (posix.isAbsolute(written)) return placesFromLauncher(written, importer)
  return placesOf(written, importer).filter(path => !path.startsWith('..'))
}

/** In which one file is chosen. */
const MAX_WAYS = 8

const loads = /^(?:yaml\.(?:(?:safe_|full_|unsafe_)?load)|json\.loads?|(?:omegaconf\.)?OmegaConf\.load)$/

/** What a call loads, by the name of the function; undefined where it is another one, or its file is not known. */
export function loadedSettings(
  name: string,
  call: CallExpression,
  site: Site,
  evaluator: Evaluator,
): Value | undefined {
  if (!loads.test(name)) return undefined
  const { values } = evaluator.argumentsOf(call, site, ['from'])
  const from = values.get('from') ?? values.get('stream') ?? values.get('f') ?? values.get('file_')
  const path = from && pathRead(from, evaluator, name.endsWith('OmegaConf.load'))
  if (path?.kind === 'open') return path
  return path?.kind === 'text' ? settingsAt(path, site, evaluator) : undefined
}

/** What the file of a path holds; undefined where the repository has none there. */
export function settingsAt(
  { text, remarks }: Extract<Value, { kind: 'text' }>,
  { module }: Site,
  evaluator: Evaluator,
): Value | undefined {
  const file = evaluator.findSettings(settingsPlaces(text, module.path))
  return file && contentsOf(file, remarks)
}

/** The same for every call that loads it. */
function contentsOf({ loaded, top, module }: SettingsFile, remarks: readonly string[]): Value {
  const key = remarks.join('\n')
  const known = loaded.get(key)
  if (known !== undefined) return known
  const contents = mappingOf(top, module, remarks)
  if (loaded.size < MAX_WAYS) loaded.set(key, contents)
  return contents
}

/** The path of what is read: `open(path)`, `path.open()`, `Path(path).read_text()`, or the path itself. */
function pathRead(value: Value, evaluator: Evaluator, isPath: boolean): Value | undefined {
  if (value.kind === 'open' || (isPath && value.kind === 'text')) return value
  if (value.kind !== 'call' || value.call === undefined) return undefined
  const { name, object } = value
  if (/\.(?:open|read_text)$/.test(name) && object?.kind === 'text') return object
  if (/\.(?:open|read_text)$/.test(name) && object?.kind === 'open') return object
  if (/\.read$/.test(name) && object !== undefined) return pathRead(object, evaluator, false)
  if (!/^(?:io\.|codecs\.)?open$/.test(name)) return undefined
  return evaluator.argumentsOf(value.call, value.site, ['file']).values.get('file')
}

/** `remarks`: what the reader of any value must know of how its file was chosen. */
function mappingOf(section: Section, module: Module, remarks: readonly string[], place?: Place): Value {
  const entries = [...section.fields.keys()].flatMap(key => {
    const field = section.field(key)
    return field === undefined ? [] : [[key, settingOf(field.value, field, module, remarks)] as const]
  })
  return { ...spanOf(place, module), remarks, kind: 'mapping', entries: new Map(entries) }
}

export function settingOf(value: FieldValue, place: Place, module: Module, remarks: readonly string[]): Value {
  const located = { ...spanOf(place, module), remarks }
  switch (value.kind) {
    case 'number':
      return { ...located, kind: 'number', number: value.number }
    case 'flag':
      return { ...located, kind: 'flag', flag: value.flag }
    case 'empty':
      return { ...located, kind: 'none' }
    case 'text':
      return /\$\{/.test(value.text)
        ? {
            ...located,
            kind: 'open',
            why: `it is ${plain(value.text)} in ${plain(module.path)}, line ${place.at.line}`,
          }
        : { ...located, kind: 'text', text: value.text }
    case 'list':
      return { ...located, kind: 'list', items: value.items.map(item => settingOf(item, item, module, remarks)) }
    case 'mapping':
      return mappingOf(value.section, module, remarks, place)
    case 'open':
      return { ...located, kind: 'open', why: value.why }
  }
}

function spanOf(place: Place | undefined, module: Module): Pick<Value, 'module' | 'from' | 'to'> {
  if (place === undefined) return { module, from: 0, to: 0 }
  const from = lineOffset(module, place.at.line) + place.at.column - 1
  return { module, from, to: from + place.source.length }
}
