/** Mappings of a parsed document as dialects read them: by key, with aliases and merge keys resolved, and with positions. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Pair, YAMLMap } from 'yaml'
import type { Position } from '../../base/position.ts'
import { type AliasTargets, isMergeKey } from './aliases.ts'
import { plain } from './quote.ts'

export type FieldValue =
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'flag'; readonly flag: boolean }
  | { readonly kind: 'empty' }
  | { readonly kind: 'list'; readonly items: readonly (FieldValue & Place)[] }
  | { readonly kind: 'mapping'; readonly section: Section }
  /** Of a script, what only running it would tell. `why`: a clause that says on what it depends, with the line. */
  | { readonly kind: 'open'; readonly why: string }

/** Where a value is written, and how. */
export interface Place {
  /** Of the value; of the key where no value is written. */
  readonly at: Position
  /** The value as the file writes it, on one line and cut; an alias reads as its name. */
  readonly source: string
}

export interface Field extends Place {
  readonly key: string
  /** The keys from the top of the document, as the file writes them: `training.per_device_train_batch_size`. */
  readonly name: string
  readonly value: FieldValue
  /** The file that it is written in, where that is another than the one being read. */
  readonly file?: string
  /** What whoever reads the value assumes, one sentence each: that a launcher leaves a default as it is. */
  readonly assumptions?: readonly string[]
}

/** What is needed to say where a node is. */
export interface Origin {
  readonly text: string
  readonly lines: LineCounter
  readonly targets: AliasTargets
  /** The pairs of mappings that merge others, as far as they have been asked for. */
  readonly merged: Map<YAMLMap, ReadonlyMap<string, Pair>>
  /** Where that is another file than the one being read. */
  readonly file?: string
}

const MAX_LEVELS = 20

/** The first key of a dotted path and the path below it, which a plain key lacks. A path of too many levels is a plain key. */
function dottedKey(key: string): { readonly head: string; readonly rest?: string } {
  const [head = '', ...rest] = key.split('.', MAX_LEVELS + 1)
  return rest.length === 0 || rest.length === MAX_LEVELS ? { head: key } : { head, rest: rest.join('.') }
}

/** OmegaConf's reference to another value of the same file, by its keys from the top: `${data.batch_size}`. */
const reference = /^\$\{([A-Za-z_]\w*(?:\.\w+){0,9})\}$/
const MAX_HOPS = 8

/** Fields of two mappings laid over each other: aliases can make many of few. */
const MAX_MERGED = 5_000

interface Room {
  fieldsLeft: number
}

export class Section {
  /** Empty for the top of the document. */
  readonly name: string
  readonly #origin: Origin
  readonly #map: YAMLMap
  readonly #top: Section
  readonly #followed = new Map<string, Field>()
  readonly #asked = new Set<string>()
  #fields: ReadonlyMap<string, Field> | undefined
  /** Made from fields, and not from a mapping of a file. */
  #isOf = false

  constructor(origin: Origin, map: YAMLMap, name = '', top?: Section) {
    this.#origin = origin
    this.#map = map
    this.name = name
    this.#top = top ?? this
  }

  /** A mapping of fields that were read elsewhere; the last one under a key counts. */
  static of(fields: readonly Field[], name = ''): Section {
    const section = new Section(notYaml, new YAMLMap(), name)
    section.#fields = new Map(fields.map(field => [field.key, field]))
    section.#isOf = true
    return section
  }

  /** The same mapping, whose fields say which file they are written in. */
  writtenIn(file: string): Section {
    return new Section({ ...this.#origin, file }, this.#map, this.name)
  }

  /** The same mapping, none of whose keys has been asked for. */
  afresh(): Section {
    const copy = new Section(this.#origin, this.#map, this.name)
    // Fields that were read elsewhere stand in no mapping of the origin.
    if (this.#isOf) [copy.#fields, copy.#isOf] = [this.#fields, true]
    return copy
  }

  /** The same mapping, with what is set elsewhere instead: a field under the same key, or at the end of its dotted path. */
  overridden(others: readonly Field[]): Section {
    if (others.length === 0) return this
    const fields = new Map(this.fields)
    const below = new Map<string, Field[]>()
    for (const field of others) {
      const { head, rest } = dottedKey(field.key)
      if (rest === undefined) {
        fields.set(head, field)
        below.delete(head)
      } else {
        const inner = below.get(head) ?? []
        below.set(head, inner)
        inner.push({ ...field, key: rest })
      }
    }
    for (const [head, inner] of below) {
      const whole = fields.get(head)
      const name = whole?.name ?? plain(this.name === '' ? head : `${this.name}.${head}`)
      const section = whole?.value.kind === 'mapping' ? whole.value.section : Section.of([], name)
      const value: FieldValue = { kind: 'mapping', section: section.overridden(inner) }
      fields.set(head, { ...(whole ?? inner[0]!), key: head, name, value })
    }
    const copy = new Section(this.#origin, this.#map, this.name, this.#top === this ? undefined : this.#top)
    ;[copy.#fields, copy.#isOf] = [fields, true]
    return copy
  }

  /**
   * The same mapping laid over another, mapping by mapping as OmegaConf merges them, and what either refers to is looked for in both.
   * `_override_` in a mapping leaves out what lies under it. Of too many fields, the rest stays as it is.
   */
  over(base: Section): Section {
    return this.#over(base, undefined, { fieldsLeft: MAX_MERGED })
  }

  #over(base: Section, top: Section | undefined, room: Room, level = 0): Section {
    const copy = new Section(this.#origin, this.#map, this.name, top)
    const fields = new Map<string, Field>()
    const place = (field: Field, under: FieldValue | undefined) => {
      const value = field.value.kind === 'mapping' ? field.value.section : undefined
      const isMerged = value !== undefined && level < MAX_LEVELS && --room.fieldsLeft > 0
      if (!isMerged) return fields.set(field.key, field)
      const isWhole = under?.kind !== 'mapping' || value.fields.get('_override_')?.source === 'true'
      const section = value.#over(isWhole ? Section.of([]) : under.section, top ?? copy, room, level + 1)
      return fields.set(field.key, { ...field, value: { kind: 'mapping', section } })
    }
    for (const field of base.fields.values()) place(field, undefined)
    for (const field of this.fields.values()) {
      const under = fields.get(field.key)?.value
      const isLeftOpen = field.value.kind === 'text' && field.value.text === '???'
      if (!(isLeftOpen && under !== undefined)) place(field, under)
    }
    ;[copy.#fields, copy.#isOf] = [fields, true]
    return copy
  }

  get fields(): ReadonlyMap<string, Field> {
    this.#fields ??= new Map([...pairsOf(this.#map, this.#origin)].map(([key, pair]) => [key, this.#field(key, pair)]))
    return this.#fields
  }

  /** The field under a key, which has the value that it refers to where that is in the file too. */
  field(key: string): Field | undefined {
    this.#asked.add(key)
    const followed = this.#followed.get(key)
    if (followed !== undefined) return followed
    const field = this.fields.get(key)
    if (field?.value.kind !== 'text' || !reference.test(field.value.text)) return field
    const target = this.#top.#referred(field)
    const resolved = target === undefined ? field : { ...field, value: target.value, source: target.source }
    this.#followed.set(key, resolved)
    return resolved
  }

  /** The field at the end of a path of keys, when it holds a value. */
  at(...path: readonly [string, ...string[]]): Field | undefined {
    const [key, ...rest] = path
    const field = this.field(key)
    const [next, ...others] = rest
    if (next === undefined) return field?.value.kind === 'empty' ? undefined : field
    return field?.value.kind === 'mapping' ? field.value.section.at(next, ...others) : undefined
  }

  /** Whether a field was looked up by its key, or another field refers to it. */
  wasAsked(key: string): boolean {
    return this.#asked.has(key)
  }

  /** This section and those nested in it down to `levels`, outer ones first; one that aliases repeat comes once. */
  nested(levels: number): readonly Section[] {
    const found: Section[] = [this]
    const seen = new Set<YAMLMap>([this.#map])
    let outer: readonly Section[] = found
    for (let level = 1; level <= levels; level++) {
      const inner = outer.flatMap(section => section.#children()).filter(child => isNew(seen, child.#map))
      found.push(...inner)
      outer = inner
    }
    return found
  }

  /** The field at the end of a chain of references, unless it leaves the file or goes round. */
  #referred(field: Field): Field | undefined {
    let target: Field | undefined = field
    for (let hop = 0; hop < MAX_HOPS; hop++) {
      const path: string | undefined =
        target?.value.kind === 'text' ? reference.exec(target.value.text)?.[1] : undefined
      if (path === undefined) return target
      target = this.#written(path.split('.'))
    }
    return undefined
  }

  #written([key, ...rest]: readonly string[]): Field | undefined {
    if (key !== undefined) this.#asked.add(key)
    const field = key === undefined ? undefined : this.fields.get(key)
    if (rest.length === 0) return field
    return field?.value.kind === 'mapping' ? field.value.section.#written(rest) : undefined
  }

  #children(): Section[] {
    return [...this.fields.values()].flatMap(({ value }) => (value.kind === 'mapping' ? [value.section] : []))
  }

  #field(key: string, pair: Pair): Field {
    const name = this.name === '' ? plain(key) : `${this.name}.${plain(key)}`
    const value = this.#value(pair.value, name)
    const { file } = this.#origin
    return { key, name, value, ...this.#place(value.kind === 'empty' ? pair.key : pair.value), ...(file && { file }) }
  }

  #place(node: unknown): Place {
    const { text, lines } = this.#origin
    const [start, end] = rangeOf(node)
    const { line, col } = lines.linePos(start)
    return { at: { line, column: col }, source: plain(text.slice(start, end)) }
  }

  #value(node: unknown, name: string): FieldValue {
    const target = isAlias(node) ? this.#origin.targets.get(node) : node
    if (isMap(target)) return { kind: 'mapping', section: new Section(this.#origin, target, name, this.#top) }
    if (isSeq(target)) {
      const items = target.items.map((item, index) => ({
        ...this.#value(item, `${name}[${index}]`),
        ...this.#place(item),
      }))
      return { kind: 'list', items }
    }
    if (!isScalar(target)) return { kind: 'empty' }
    const { value } = target
    switch (typeof value) {
      case 'number':
        return { kind: 'number', number: value }
      case 'boolean':
        return { kind: 'flag', flag: value }
      case 'string':
        return { kind: 'text', text: value }
      default:
        return value === null ? { kind: 'empty' } : { kind: 'text', text: target.source ?? '' }
    }
  }
}

const notYaml: Origin = { text: '', lines: new LineCounter(), targets: new Map(), merged: new Map() }

function isNew<T>(seen: Set<T>, item: T): boolean {
  const isNew = !seen.has(item)
  seen.add(item)
  return isNew
}

/** The pairs of a mapping by key. Its own win over merged ones, and earlier merges over later (YAML 1.1 merge keys). */
function pairsOf(map: YAMLMap, origin: Origin): ReadonlyMap<string, Pair> {
  const known = origin.merged.get(map)
  if (known !== undefined) return known
  const own = new Map<string, Pair>()
  const merged = new Map<string, Pair>()
  for (const pair of map.items) {
    if (isMergeKey(pair.key)) {
      for (const source of mergeSources(pair.value, origin)) {
        for (const [key, inherited] of pairsOf(source, origin)) if (!merged.has(key)) merged.set(key, inherited)
      }
    } else if (isScalar(pair.key)) own.set(String(pair.key.value), pair)
  }
  if (merged.size === 0) return own
  const all = new Map([...merged, ...own])
  origin.merged.set(map, all)
  return all
}

function mergeSources(value: unknown, origin: Origin): readonly YAMLMap[] {
  const target = isAlias(value) ? origin.targets.get(value) : value
  if (isSeq(target)) return target.items.flatMap(item => mergeSources(item, origin))
  return isMap(target) ? [target] : []
}

/** Offsets of a node's text, without the comments and blanks that follow. */
export function rangeOf(node: unknown): readonly [start: number, end: number] {
  const range = isAlias(node) || isScalar(node) || isMap(node) || isSeq(node) ? node.range : undefined
  return range ? [range[0], range[1]] : [0, 0]
}
