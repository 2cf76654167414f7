/** Sets a key of a YAML or JSON mapping in the text. */
import { type Document, isMap, isScalar, isSeq, type Pair, parseAllDocuments, type YAMLMap, type YAMLSeq } from 'yaml'
import { type Value, yamlLiteral } from '../../config/text/yaml-literal.ts'
import type { CommentedKey, KeyPlace, WrittenKey } from '../tools/tool.ts'
import { type Edited, spliced } from './text.ts'

/** Mappings below the top one in which a key is looked for. */
const LEVELS = 2

type Mapping = YAMLMap<unknown, unknown>

interface Written {
  readonly text: string
  readonly isJson: boolean
}

/** A file that has been read as a config is within the limits on files. */
export function setInYaml(file: Edited, setting: WrittenKey): string | undefined {
  const found = placeOf(file, setting)
  if (found === undefined) return undefined
  const { written, home, standing } = found
  return standing === undefined ? added(written, home, setting, file.anchor) : replaced(written, standing, setting)
}

/** The text as it is where the key is not written. */
export function commentOutInYaml(file: Edited, setting: CommentedKey): string | undefined {
  const found = placeOf(file, setting)
  return found?.standing === undefined ? found && file.text : commentedOut(found.written, found.home, found.standing)
}

interface Place {
  readonly written: Written
  /** The mapping to which the key is added. */
  readonly home: Mapping
  /** The key as it is written already. */
  readonly standing: Pair | undefined
}

function placeOf({ path, text, anchor }: Edited, { at, keys }: KeyPlace): Place | undefined {
  const isJson = /\.jsonc?$/i.test(path)
  const tops = documentsOf(text).flatMap(({ contents }) => (isMap(contents) ? [contents as Mapping] : []))
  const top = tops.find(map => anchor === undefined || holds(map, anchor)) ?? tops[0]
  if (top === undefined) return undefined
  const home = at === undefined ? homeOf(top, anchor) : mappingAt(top, at)
  if (home === undefined) return undefined
  const near = at === undefined ? [home, ...nested(top, LEVELS).filter(map => map !== home)] : [home]
  return { written: { text, isJson }, home, standing: near.flatMap(map => pairOf(map, keys) ?? [])[0] }
}

/** Of a pair on a line of its own that is not the only one of its mapping. */
function commentedOut({ text, isJson }: Written, { flow, items }: Mapping, { key, value }: Pair): string | undefined {
  const [keyStart, valueEnd] = [rangeOf(key)?.[0], rangeOf(value)?.[1]]
  if (isJson || flow || items.length < 2 || keyStart === undefined || valueEnd === undefined) return undefined
  const lineStart = text.lastIndexOf('\n', keyStart - 1) + 1
  const isOwnLine = text.slice(lineStart, keyStart).trim() === '' && !text.slice(keyStart, valueEnd).includes('\n')
  return isOwnLine && isScalar(value) ? spliced(text, keyStart, keyStart, '# ') : undefined
}

/** As the reader of configs parses them. */
function documentsOf(text: string): readonly Document[] {
  const documents = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' })
  return Array.isArray(documents) ? documents : []
}

function rangeOf(node: unknown): readonly [from: number, to: number] | undefined {
  const { range } = (node ?? {}) as { readonly range?: readonly [number, number, number] | null }
  return range ? [range[0], range[1]] : undefined
}

function holds(node: unknown, offset: number): boolean {
  const range = rangeOf(node)
  return range !== undefined && range[0] <= offset && offset < range[1]
}

function pairOf(map: Mapping, keys: readonly string[]): Pair | undefined {
  // Of a key that stands there twice, the last counts.
  return keys.flatMap(key => map.items.findLast(({ key: own }) => isScalar(own) && String(own.value) === key) ?? [])[0]
}

function homeOf(top: Mapping, anchor: number | undefined): Mapping {
  if (anchor === undefined) return top
  return nested(top, 5).find(map => map.items.some(({ value }) => rangeOf(value)?.[0] === anchor)) ?? top
}

function mappingAt(top: Mapping, path: readonly string[]): Mapping | undefined {
  let map: Mapping | undefined = top
  for (const key of path) {
    const value: unknown = map && pairOf(map, [key])?.value
    map = isMap(value) ? value : undefined
  }
  return map
}

function nested(top: Mapping, levels: number): readonly Mapping[] {
  const inner = levels === 0 ? [] : top.items.flatMap(({ value }) => (isMap(value) ? nested(value, levels - 1) : []))
  return [top, ...inner]
}

function replaced(written: Written, { key, value }: Pair, setting: WrittenKey): string | undefined {
  const { text, isJson } = written
  if (isSeq(value) && setting.entry !== undefined) return withEntry(written, value, setting.entry)
  const range = rangeOf(value)
  const [, keyEnd] = rangeOf(key) ?? []
  if (keyEnd === undefined) return undefined
  const literal = literalOf(setting.value, isJson)
  if (range === undefined || range[0] === range[1]) {
    const colon = /[ \t]*:/y
    colon.lastIndex = keyEnd
    const end = colon.exec(text) === null ? undefined : colon.lastIndex
    return end === undefined ? undefined : spliced(text, end, end, ` ${literal}`)
  }
  const before = text.slice(keyEnd, range[0])
  const isPlain = !/[&*!]/.test(before) && !text.slice(...range).includes('\n') && !text.startsWith('*', range[0])
  return isPlain ? spliced(text, range[0], range[1], literal) : undefined
}

function withEntry({ text, isJson }: Written, list: YAMLSeq, entry: string): string | undefined {
  if (list.items.some(item => isScalar(item) && item.value === entry)) return text
  const start = rangeOf(list.items[0])?.[0]
  if (start === undefined) return undefined
  if (list.flow) return spliced(text, start, start, `${literalOf(entry, isJson)}, `)
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const lead = text.slice(lineStart, start)
  return /^[ \t]*-[ \t]+$/.test(lead) ? spliced(text, lineStart, lineStart, `${lead}${entry}${endOf(text)}`) : undefined
}

/** A line of its own after the one of the batch size, or before it where commas matter. */
function added(written: Written, home: Mapping, setting: WrittenKey, anchor: number | undefined): string | undefined {
  const { text, isJson } = written
  const beside = home.items.find(({ value }) => anchor !== undefined && rangeOf(value)?.[0] === anchor) ?? home.items[0]
  const keyStart = rangeOf(beside?.key)?.[0]
  if (beside === undefined || keyStart === undefined) return undefined
  const lineStart = text.lastIndexOf('\n', keyStart - 1) + 1
  const indent = text.slice(lineStart, keyStart)
  const isOwnLine = /^[ \t\uFEFF]*$/.test(indent)
  const literal = literalOf(setting.value, isJson)
  if (home.flow) {
    const pair = `${JSON.stringify(setting.keys[0])}: ${literal},`
    return isOwnLine
      ? spliced(text, lineStart, lineStart, `${indent}${pair}${endOf(text)}`)
      : spliced(text, keyStart, keyStart, `${pair} `)
  }
  if (!isOwnLine) return undefined
  const margin = indent.replace('\uFEFF', '')
  const line = `${margin}${setting.keys[0]}: ${literal}`
  const isOneLine = isScalar(beside.value) && !text.slice(...(rangeOf(beside.value) ?? [0, 0])).includes('\n')
  if (!isOneLine) return spliced(text, keyStart - margin.length, keyStart - margin.length, `${line}${endOf(text)}`)
  const valueEnd = rangeOf(beside.value)?.[1] ?? keyStart
  const newline = text.indexOf('\n', valueEnd)
  return newline < 0 ? `${text}${endOf(text)}${line}` : spliced(text, newline + 1, newline + 1, `${line}${endOf(text)}`)
}

function endOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

function literalOf(value: Value, isJson: boolean): string {
  return isJson ? JSON.stringify(value) : yamlLiteral(value)
}
