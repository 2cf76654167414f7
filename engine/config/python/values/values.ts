/** What expressions come to where that can be told without running them. */
import { sayCell } from '../../../base/position.ts'
import { plain } from '../../text/quote.ts'
import type { CallExpression, Span } from '../syntax/expressions.ts'
import type { Module, Place, Scope } from '../syntax/module.ts'

/** Where an expression is evaluated. */
export interface Site extends Place {
  readonly module: Module
  /** The call of the function that it stands in, where that is known. */
  readonly frame?: Frame
}

export interface Frame {
  readonly scope: Scope
  /** Undefined for a method that is looked into without a call of it. */
  readonly call: CallExpression | undefined
  readonly site: Site | undefined
  /** What a method is called on. */
  readonly self?: Value
}

export interface Located extends Span {
  readonly module: Module
  /** What the reader of a value must know, one sentence each: that it is a default which a launcher may override. */
  readonly remarks: readonly string[]
}

export type Value = Located &
  (
    | { readonly kind: 'number'; readonly number: number }
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'flag'; readonly flag: boolean }
    /** `isAbsent`: an item that a dictionary has not. */
    | { readonly kind: 'none'; readonly isAbsent?: true }
    | { readonly kind: 'list'; readonly items: readonly Value[] }
    /** `unknown`: what else may be in it. */
    | { readonly kind: 'mapping'; readonly entries: ReadonlyMap<string, Value>; readonly unknown?: string }
    /** Something of a library: `torch.bfloat16`. */
    | { readonly kind: 'symbol'; readonly name: string }
    | LibraryCall
    | Instance
    | { readonly kind: 'function'; readonly scope: Scope; readonly self?: Value }
    | { readonly kind: 'class'; readonly scope: Scope }
    | { readonly kind: 'module'; readonly imported: Module }
    /** `why`: a clause that says on what it depends, with the line. `isUnset`: an option that is None unless it is given. */
    | { readonly kind: 'open'; readonly why: string; readonly isUnset?: true }
  )

/** Attributes that are set on an object outside of its class, found when they are asked for. */
export interface SetAttributes {
  get(name: string): Value | undefined
  all(): ReadonlyMap<string, Value>
  /** What sets others of them, or other values, that only a run tells: `"setattr(arguments, key, value)" (line 12)`. */
  readonly unknown: string | undefined
}

/** What a library's function or class gives: `transformers.TrainingArguments`. */
export interface LibraryCall extends Located {
  readonly kind: 'call'
  readonly name: string
  /** Undefined where a command line is parsed into one. */
  readonly call: CallExpression | undefined
  readonly site: Site
  /** What the method is called on. */
  readonly object?: Value
  /** `arguments.bf16 = True` */
  readonly set?: SetAttributes
  /** It gets further arguments before it is called, as `functools.partial` keeps it. */
  readonly isPartial?: true
}

/** An object of a class that the repository defines. */
export interface Instance extends Located {
  readonly kind: 'instance'
  readonly scope: Scope
  readonly call: CallExpression | undefined
  readonly site: Site
  readonly set?: SetAttributes
  /** A command line is parsed into it. */
  readonly isParsed: boolean
}

/** Offsets at which lines begin, of modules that were asked for one. */
const lineStarts = new WeakMap<Module, readonly number[]>()

function lineStartsOf(module: Module): readonly number[] {
  const starts = lineStarts.get(module) ?? [0, ...Array.from(module.text.matchAll(/\n/g), ({ index }) => index + 1)]
  lineStarts.set(module, starts)
  return starts
}

export function lineOf(module: Module, offset: number): number {
  const starts = lineStartsOf(module)
  let [low, high] = [0, starts.length]
  while (low + 1 < high) {
    const middle = (low + high) >> 1
    if (starts[middle]! <= offset) low = middle
    else high = middle
  }
  return low + 1
}

/** Of a line's first character; lines count from 1. */
export function lineOffset(module: Module, line: number): number {
  return lineStartsOf(module)[line - 1] ?? 0
}

/** `"args.batch" (line 12)`, as messages name an expression. */
export function shownAt(module: Module, { from, to }: Span): string {
  return `"${plain(module.text.slice(from, to))}" (${placeIn(module, from)})`
}

export function placeIn(module: Module, offset: number): string {
  return `${spotIn(module, offset)}${ofFile(module)}`
}

/** Places of one file, at most so many of them; the file's name comes once. */
export function placesIn(module: Module, offsets: readonly number[], most: number): string {
  const spots = [...new Set(offsets.map(offset => spotIn(module, offset)))]
  const shown = spots.length > most ? [...spots.slice(0, most), 'others'] : spots
  return `${shown.join(' and ')}${ofFile(module)}`
}

function spotIn(module: Module, offset: number): string {
  if (module.notebook) return sayCell(module.notebook.positionOf(offset).cell)
  return `line ${lineOf(module, offset)}`
}

/** Beside the lines of its launcher, a script is told apart. */
function ofFile({ notebook, path, readFor }: Module): string {
  return notebook !== undefined || path === readFor ? '' : ` of ${plain(path)}`
}

/** What is made of a value that is not known: no longer an option that nobody gave. */
export function madeOfOpen<T extends Value & { readonly kind: 'open' }>({
  isUnset: _,
  ...open
}: T): Omit<T, 'isUnset'> {
  return open
}

/** Whether a remark is on the default of an option or of a parameter. */
export function isOfOption(remark: string): boolean {
  return /which (?:the command line|its callers) may override\.$/.test(remark)
}

/** Not given, or given as what is not wanted. */
export function isOff(value: Value): boolean {
  return value.kind === 'none' || (value.kind === 'flag' && !value.flag)
}

export function truthOf(value: Value): boolean | undefined {
  switch (value.kind) {
    case 'number':
      return value.number !== 0
    case 'text':
      return value.text !== ''
    case 'flag':
      return value.flag
    case 'none':
      return false
    case 'list':
      return value.items.length > 0
    case 'mapping':
      return value.unknown === undefined ? value.entries.size > 0 : undefined
    case 'open':
      return value.isUnset ? false : undefined
    case 'call':
    case 'symbol':
      return isObject(value) ? true : undefined
    case 'instance':
    case 'function':
    case 'class':
    case 'module':
      return true
  }
}

/** Whether two values are certainly equal, or certainly not; undefined where that is not known. */
export function areEqual(left: Value, right: Value): boolean | undefined {
  const [a, b] = [scalarOf(left), scalarOf(right)]
  if (a !== undefined && b !== undefined) return a.value === b.value
  const parsed = parsedInto(left)
  if (parsed !== undefined && parsed === parsedInto(right)) return true
  const isNoneBeside = (one: Value, other: Value) =>
    one.kind === 'none' && (/^(?:list|mapping|instance)$/.test(other.kind) || isObject(other))
  return isNoneBeside(left, right) || isNoneBeside(right, left) ? false : undefined
}

/** The class that options are parsed into, from the command line or, as the example scripts do, from a file that is its only word. */
function parsedInto(value: Value): Scope | string | undefined {
  if (value.kind === 'instance') return value.isParsed ? value.scope : undefined
  return value.kind === 'call' && value.call === undefined ? value.name : undefined
}

/** A class of a library that is imported, an object of one by its name, or what one loads. */
function isObject(value: Value): boolean {
  if (value.kind === 'symbol') return /(?:^|\.)[A-Z][A-Z\d_]*[a-z]\w*$/.test(value.name)
  return value.kind === 'call' && /(?:^|\.)(?:[A-Z]\w*|from_pretrained|get_peft_model)$/.test(value.name)
}

function scalarOf(value: Value): { readonly value: unknown } | undefined {
  switch (value.kind) {
    case 'number':
      return { value: value.number }
    case 'text':
      return { value: value.text }
    case 'flag':
      return { value: value.flag }
    case 'none':
      return { value: null }
    case 'symbol':
      return /^torch\.\w+$/.test(value.name) ? { value: value.name } : undefined
    default:
      return undefined
  }
}
