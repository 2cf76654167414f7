/**
 * What Hydra composes for the function that it decorates, as of 1.3 (hydra/_internal/defaults_list.py): the primary config with the
 * files that its defaults list names, each at its package, then what a launcher sets. Values keep the place where they are written.
 * Structured configs and search paths are not read: with one of them, nothing of it is known.
 */
import { posix } from 'node:path'
import { wordSet } from '../../../base/word-list.ts'
import { isPlausibleName } from '../../sources.ts'
import { plain } from '../../text/quote.ts'
import type { Field } from '../../text/section.ts'
import type { Expression } from '../syntax/expressions.ts'
import type { Module, Scope } from '../syntax/module.ts'
import type { Evaluator } from './evaluator.ts'
import { type DefaultsEntry, defaultsOf, type Holder, headerOf, withoutEnding } from './hydra-defaults.ts'
import { interpolated } from './interpolation.ts'
import { type SettingsFile, settingOf } from './settings-files.ts'
import type { Site, Value } from './values.ts'

/** Of one composition: more are no config of a training. */
const MAX_CONFIGS = 40
const MAX_DEPTH = 8
/** References that lead to references. */
const MAX_HOPS = 8
/** Values that are looked at, each reference's anew. */
const MAX_VALUES = 20_000

/** Values by key, before references are resolved. */
type Tree = Map<string, Tree | Leaf>
type Leaf = { readonly field: Field; readonly module: Module } | { readonly passed: Value }

/** The settings that a decorated function gets as its first parameter. */
export function composedSettings(scope: Scope, site: Site, evaluator: Evaluator): Value | undefined {
  const decorator = scope.decorators.find(each => each.kind === 'call' && isMain(each.callee))
  if (decorator?.kind !== 'call') return undefined
  const names = ['config_path', 'config_name', 'version_base']
  const { values } = evaluator.argumentsOf(decorator, { ...site, at: decorator.from }, names)
  const launched = (...options: readonly string[]) =>
    options.map(option => evaluator.passed.get(option)).find(value => value !== undefined)
  // A further folder in which configs are looked for.
  if (launched('config_dir', 'cd') !== undefined) return undefined
  const given = launched('config_path', 'cp')
  const isFolder = given !== undefined && !(given.kind === 'text' && /\.(?:ya?ml|json)$/.test(given.text))
  const folder = (isFolder ? given : values.get('config_path')) ?? besideScript(values.get('version_base'))
  const primary = launched('config_name', 'cn') ?? values.get('config_name')
  const path = typeof folder === 'string' ? folder : folder?.kind === 'text' ? folder.text : undefined
  if (path === undefined || path.startsWith('/') || primary?.kind !== 'text') return undefined
  const root = posix.join(posix.dirname(site.module.path), path)
  const chosen = belowRoot(root, site.module.readFor)
  const name = chosen !== undefined && posix.dirname(chosen) === '.' ? chosen : withoutEnding(primary.text)
  const composition = new Composition(root, chosen, evaluator)
  const settings = composition.settings(name)
  evaluator.composesRead = chosen !== undefined
  const isRead = chosen === undefined || composition.isComposedOf(chosen)
  // A launcher adds what the list does not name: `+experiment=long`.
  const all = [...composition.added(), ...(isRead ? [] : [chosen])]
  const added = [...new Map(all.map(config => [posix.dirname(config), addedEntry(config)])).values()]
  return added.length === 0 ? settings : new Composition(root, chosen, evaluator).settings(name, added)
}

/** hydra/main.py: before 1.2, and as 1.3 runs scripts that name no version, configs stand beside the script unless it says where. */
function besideScript(version: Value | undefined): string | undefined {
  return version === undefined || (version.kind === 'text' && /^1\.[01]$/.test(version.text)) ? '.' : undefined
}

/** Hydra's own options, hydra/_internal/utils.py. */
const own = wordSet(`
  config_name cn config_path cp config_dir cd multirun m run r cfg c resolve package p info i experimental_rerun hydra_help version
  shell_completion sc help h
`)

/** The config that the script is read for, by its path below the folder of configs. */
function belowRoot(root: string, readFor: string): string | undefined {
  const relative = posix.relative(root, readFor)
  return relative.startsWith('..') || !/\.ya?ml$/.test(relative) ? undefined : withoutEnding(relative)
}

function addedEntry(chosen: string): DefaultsEntry {
  const folder = posix.dirname(chosen)
  const options = [posix.basename(chosen)]
  return { kind: 'config', key: folder, folder, options, package: folder.split('/'), isOptional: false }
}

function isMain(callee: Expression): boolean {
  return callee.kind === 'name' && /(?:^|\.)hydra\.main$/.test(callee.name)
}

class Composition {
  readonly #root: string
  /** The config that is read, which its group then chooses. */
  readonly #read: string | undefined
  /** What was merged, by paths below the root. */
  readonly #merged = new Set<string>()
  readonly #evaluator: Evaluator
  /** Groups that a list names, which a launcher may choose of. */
  readonly #asked = new Set<string>()
  /** Options of groups that another config chooses. */
  readonly #overridden = new Map<string, readonly string[]>()
  /** Why the settings are not known: a clause on the first config that could not be read. */
  #missing: string | undefined
  #configs = 0
  #values = 0

  constructor(root: string, read: string | undefined, evaluator: Evaluator) {
    this.#root = root
    this.#read = read
    this.#evaluator = evaluator
  }

  /** `added`: what comes after the list of the primary config. */
  settings(primary: string, added: readonly DefaultsEntry[] = []): Value | undefined {
    const file = this.#find(primary)
    if (file === undefined) return undefined
    this.#merged.add(primary)
    const tree = this.#compose(file, { folder: posix.join(primary, '..'), package: [] }, 0, added)
    this.#pass(tree)
    if (this.#missing === undefined) return this.#settled(tree, file.module, tree, [], 0)
    const why = this.#missing
    return { module: file.module, from: 0, to: 0, remarks: [], kind: 'open', why }
  }

  isComposedOf(config: string): boolean {
    return this.#merged.has(config)
  }

  /** The configs of further groups that a launcher names, by their paths below the root. */
  added(): readonly string[] {
    const { passed } = this.#evaluator
    return [...passed.names].flatMap(name => {
      if (own.has(name) || name.includes('.') || passed.isSwitch(name) || this.#asked.has(name)) return []
      const value = passed.peek(name)
      const config = value?.kind === 'text' ? posix.join(name, withoutEnding(value.text)) : undefined
      if (config === undefined || this.#find(config) === undefined) return []
      passed.declare(name)
      return [config]
    })
  }

  #find(config: string): SettingsFile | undefined {
    const path = posix.join(this.#root, config)
    return path.startsWith('..') || !isPlausibleName(path)
      ? undefined
      : this.#evaluator.findSettings([`${path}.yaml`, `${path}.yml`])
  }

  /** A config's own values come last, unless its list says where. What a later config overrides counts for those before it. */
  #compose({ top, module }: SettingsFile, holder: Holder, depth: number, added: readonly DefaultsEntry[] = []): Tree {
    const written = defaultsOf(top, holder)
    for (const entry of written) if (entry.kind === 'override') this.#override(entry)
    const isPlaced = written.some(({ kind }) => kind === 'self')
    const order: readonly DefaultsEntry[] = [...written, ...(isPlaced ? [] : [{ kind: 'self' as const }]), ...added]
    const parts = order
      .toReversed()
      .map(entry => {
        if (entry.kind === 'self') return placed(ownValues(top.fields, module), holder.package)
        const trees = entry.kind === 'override' ? [] : this.#chosen(entry, depth + 1)
        return trees.reduce(merged, new Map())
      })
      .toReversed()
    return parts.reduce(merged, new Map())
  }

  #override({ key, options }: Extract<DefaultsEntry, { kind: 'override' | 'config' }>): void {
    if (key !== undefined && !this.#overridden.has(key)) this.#overridden.set(key, options)
  }

  #chosen(entry: Extract<DefaultsEntry, { kind: 'override' | 'config' }>, depth: number): readonly Tree[] {
    const { key, folder, isOptional } = entry
    if (key !== undefined) this.#asked.add(key)
    const passed = key === undefined ? undefined : this.#evaluator.passed.get(key)
    const options =
      passed?.kind === 'text'
        ? [withoutEnding(passed.text)]
        : (this.#readOf(entry) ?? this.#overridden.get(key ?? '') ?? entry.options)
    if (passed?.kind === 'open') this.#missing ??= unreadable(posix.join(this.#root, folder))
    return options.map(option => {
      const config = posix.join(folder, option)
      this.#configs += 1
      const isFollowed = this.#configs <= MAX_CONFIGS && depth <= MAX_DEPTH && !option.includes('${')
      const file = isFollowed ? this.#find(config) : undefined
      if (file === undefined) {
        if (!isOptional)
          this.#missing ??=
            option === '???'
              ? `the launcher chooses ${plain(folder)} for Hydra`
              : unreadable(posix.join(this.#root, `${config}.yaml`))
        return new Map()
      }
      this.#merged.add(config)
      const isGrouped = entry.key?.includes('@') ?? false
      const at = isGrouped ? entry.package : (headerOf(file.module.text) ?? entry.package)
      return this.#compose(file, { folder: posix.dirname(config), package: at }, depth)
    })
  }

  /** The option of a group that is the config being read, unless the list names it among others. */
  #readOf({
    key,
    folder,
    options,
  }: Extract<DefaultsEntry, { kind: 'override' | 'config' }>): readonly string[] | undefined {
    const read = this.#read
    if (key === undefined || key.includes('@') || read === undefined || !read.startsWith(`${folder}/`)) return undefined
    const option = read.slice(folder.length + 1)
    return options.length > 1 && options.includes(option) ? undefined : [option]
  }

  /** `training.batch_size=8` of a launcher, and `+training.length=512`, which the configs do not set. */
  #pass(tree: Tree): void {
    const { passed } = this.#evaluator
    for (const path of passed.names) {
      const keys = path.split('.')
      if (own.has(path) || keys[0] === 'hydra' || passed.isSwitch(path)) continue
      const name = keys.at(-1) ?? ''
      const holder = keys.slice(0, -1).reduce<Tree | Leaf | undefined>(within, tree)
      const before = holder instanceof Map ? holder.get(name) : undefined
      // What names a group chose one of its files.
      const isValue = !(before instanceof Map) && (before !== undefined || keys.length > 1)
      const value = isValue && holder instanceof Map ? passed.get(path) : undefined
      if (holder instanceof Map && value !== undefined) holder.set(name, { passed: value })
    }
  }

  /** `path`: where it stands, for what is written relative to it. */
  #settled(node: Tree | Leaf, module: Module, root: Tree, path: readonly string[], hops: number): Value {
    this.#values += 1
    const located = { module, from: 0, to: 0, remarks: [] }
    if (this.#values > MAX_VALUES) return { ...located, kind: 'open', why: 'its settings refer to too many others' }
    if (node instanceof Map) {
      const entries = [...node].map(
        ([key, each]) => [key, this.#settled(each, module, root, [...path, key], hops)] as const,
      )
      return { ...located, kind: 'mapping', entries: new Map(entries) }
    }
    if ('passed' in node) return node.passed
    const { value: written } = node.field
    const value = settingOf(written, node.field, node.module, [])
    if (written.kind !== 'text' || hops >= MAX_HOPS) return value
    return interpolated(written.text, value, path, keys => {
      const target = keys.reduce<Tree | Leaf | undefined>(inner, root)
      return target && this.#settled(target, module, root, keys, hops + 1)
    })
  }
}

function unreadable(config: string): string {
  return `Hydra composes it with ${plain(config)}, which cannot be read`
}

function inner(tree: Tree | Leaf | undefined, key: string): Tree | Leaf | undefined {
  return tree instanceof Map ? tree.get(key) : undefined
}

/** As `inner`, with a mapping made where there is nothing. */
function within(tree: Tree | Leaf | undefined, key: string): Tree | Leaf | undefined {
  if (!(tree instanceof Map)) return undefined
  const there = tree.get(key) ?? new Map()
  tree.set(key, there)
  return there
}

function ownValues(fields: ReadonlyMap<string, Field>, module: Module): Tree {
  const entries = [...fields].flatMap(([key, field]): (readonly [string, Tree | Leaf])[] => {
    if (key === 'defaults' || key === 'hydra') return []
    return [[key, treeOf(field, module)]]
  })
  return new Map(entries)
}

function treeOf(field: Field, module: Module): Tree | Leaf {
  if (field.value.kind !== 'mapping') return { field, module }
  return new Map([...field.value.section.fields].map(([key, each]) => [key, treeOf(each, module)]))
}

function placed(tree: Tree, at: readonly string[]): Tree {
  return at.toReversed().reduce((holder: Tree, key) => new Map([[key, holder]]), tree)
}

/** Mappings one in the other; of everything else the later counts. */
function merged(earlier: Tree, later: Tree): Tree {
  const result = new Map(earlier)
  for (const [key, value] of later) {
    const before = result.get(key)
    result.set(key, before instanceof Map && value instanceof Map ? merged(before, value) : value)
  }
  return result
}
