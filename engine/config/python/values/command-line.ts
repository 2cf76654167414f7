/** Options of a command line, by the defaults that the script gives them: argparse, click, HfArgumentParser and its kin. */
import { type CallExpression, children, type Expression, expressionOf } from '../syntax/expressions.ts'
import { type Call, callExpression, type Module, type Scope } from '../syntax/module.ts'
import type { PassedValues } from './passed-arguments.ts'
import { open, siteAt } from './sites.ts'
import { areEqual, type LibraryCall, placeIn, type Site, shownAt, type Value } from './values.ts'

/** How values are found. */
export interface Options {
  evaluate(expression: Expression, site: Site): Value
  argumentsOf(
    call: CallExpression,
    site: Site,
  ): { readonly values: ReadonlyMap<string, Value>; readonly unknown?: string }
  /** Of a field of a class. */
  defaultOf(scope: Scope, name: string): Value | undefined
  /** By a launcher, instead of the defaults. */
  readonly passed: PassedValues
}

interface Option {
  /** `--batch-size` */
  readonly name: string
  /** All of them as a launcher may write them, in the spelling of parsers: `batch_size`, `b`. */
  readonly spellings: readonly string[]
  readonly line: string
  readonly call: CallExpression
  readonly site: Site
}

/** As many as are looked through for a name. */
const MAX_OPTIONS = 500

/** What `args.name` is, for what a parser of the module of `object` gives. */
export function commandLineValue(object: LibraryCall, name: string, options: Options): Value | undefined {
  if (!parses.test(object.name)) return undefined
  const { module } = object.site
  const instead =
    givenInCode(name, object, options) ?? setByAction(name, module, options) ?? setElsewhere(name, object, options)
  if (instead !== undefined) return instead
  const values = (addedOptions(module).get(name) ?? []).map(option => defaultOf(option, options))
  const [first, ...others] = values
  if (first === undefined) return addedFromItems(name, module, options)
  if (others.every(other => areEqual(first, other) === true)) return first
  return { ...first, kind: 'open', why: `${name} has several defaults on the command line` }
}

/** `for key, value in config.items(): parser.add_argument(f'--{key}', default=value)`: the file's settings are the defaults. */
function addedFromItems(name: string, module: Module, { evaluate, passed }: Options): Value | undefined {
  for (const call of (module.calls.get('add_argument') ?? []).slice(0, MAX_OPTIONS)) {
    const added = callExpression(call)
    const items = itemsAround(call)
    if (added === undefined || items === undefined || !addsItem(added, items)) continue
    const told = passed.get(name)
    if (told !== undefined) return told
    const all = evaluate(items.of, siteAt(call))
    const value = all.kind === 'mapping' ? all.entries.get(name) : undefined
    if (value !== undefined) return value
  }
  return undefined
}

function addsItem({ arguments: all }: CallExpression, { key, value }: LoopedItems): boolean {
  const [option] = all
  const given = all.find(each => each.kind === 'keyword' && each.name === 'default')
  if (option?.kind !== 'positional' || option.value.kind !== 'joined' || given?.kind !== 'keyword') return false
  const [dashes, name, ...rest] = option.value.parts
  const isName = dashes?.kind === 'text' && dashes.text === '--' && name?.kind === 'name' && name.name === key
  return isName && rest.length === 0 && given.value.kind === 'name' && given.value.name === value
}

/** The names that a loop over `of.items()` has for each. */
interface LoopedItems {
  readonly key: string
  readonly value: string
  readonly of: Expression
}

/** Of a statement that stands in the loop itself. */
function itemsAround({ node, module }: Call): LoopedItems | undefined {
  const loop = node.parent?.parent?.parent
  if (loop?.name !== 'ForStatement') return undefined
  const [, key, comma, value, , over] = children(loop)
  const all = over && expressionOf(over, module.text)
  if (all?.kind !== 'call' || all.callee.kind !== 'attribute' || all.callee.name !== 'items') return undefined
  if (key === undefined || value === undefined || comma?.name !== ',') return undefined
  const written = ({ from, to }: typeof key) => module.text.slice(from, to)
  return { key: written(key), value: written(value), of: all.callee.object }
}

/** `parser.parse_args(["--batch", "8"])`: what it holds does not come from the command line, and is not parsed. */
function givenInCode(name: string, { call, site }: LibraryCall, { evaluate }: Options): Value | undefined {
  const [first] = call?.arguments ?? []
  if (call === undefined || (first?.kind !== 'positional' && !(first?.kind === 'keyword' && first.name === 'args')))
    return undefined
  const given = evaluate(first.value, site)
  const isEmpty = given.kind === 'none' || (given.kind === 'list' && given.items.length === 0)
  const isOfStart = /^sys\.argv\b/.test(site.module.text.slice(first.value.from, first.value.to))
  return isEmpty || isOfStart || given.kind === 'open'
    ? undefined
    : open(site, call, `${name} may be set by ${shownAt(site.module, call)}`)
}

/** `parser.set_defaults(**config)`: the declared default does not count. */
function setElsewhere(name: string, { site, from }: LibraryCall, { argumentsOf, passed }: Options): Value | undefined {
  if (passed.get(name) !== undefined) return undefined
  const { module } = site
  for (const call of (module.calls.get('set_defaults') ?? []).slice(0, MAX_SETS)) {
    // What is parsed before it, often to find the file of defaults, has none of them.
    if (call.scope === site.scope && call.at > from) continue
    const expression = callExpression(call)
    const given = expression && argumentsOf(expression, siteAt(call))
    if (expression === undefined || given === undefined) continue
    const value = given.values.get(name)
    if (value !== undefined) return value
    if (given.unknown !== undefined)
      return open(siteAt(call), expression, `${name} may be set by ${shownAt(module, expression)}`)
  }
  return undefined
}

const MAX_SETS = 4

/** An option that is passed, and whose action is a class of the script's own that sets this one: `setattr(namespace, "lora", False)`. */
function setByAction(name: string, module: Module, { passed }: Options): Value | undefined {
  const setters = new Set(
    (module.calls.get('setattr') ?? []).slice(0, MAX_OPTIONS).flatMap(call => {
      const [, key] = callExpression(call)?.arguments ?? []
      const isIt = key?.kind === 'positional' && key.value.kind === 'text' && key.value.text === name
      return isIt && call.scope.parent?.kind === 'class' ? call.scope.parent.name : []
    }),
  )
  if (setters.size === 0) return undefined
  const added = [...addedOptions(module).values()].flat()
  const setter = added.find(
    option => setters.has(ownAction(option) ?? '') && option.spellings.some(each => passed.get(each) !== undefined),
  )
  return setter && open(setter.site, setter.call, `${name} may be set by the action of ${setter.name} (${setter.line})`)
}

/** The calls of a parser that give the options. */
export const parses = /\.parse_(?:known_|intermixed_)?args$/

/** `@click.option('--batch-size', default=8)` */
export function decoratorDefault(scope: Scope, name: string, site: Site, options: Options): Value | undefined {
  const named = optionsOn(scope, site).find(({ asked }) => asked.has(name))
  return named && defaultOf(named.option, options)
}

/** What a function that takes all of its options as `**kwargs` is called with. */
export function decoratorDefaults(scope: Scope, site: Site, options: Options): ReadonlyMap<string, Value> {
  const named = optionsOn(scope, site).toReversed()
  return new Map(
    named.flatMap(({ option, asked }) => {
      const value = defaultOf(option, options)
      return [...asked].filter(name => !name.startsWith('-')).map(name => [name, value] as const)
    }),
  )
}

function optionsOn({ decorators }: Scope, site: Site): readonly NamedOption[] {
  return decorators.flatMap(decorator => {
    if (decorator.kind !== 'call' || decorator.callee.kind !== 'name' || !/\.option$/.test(decorator.callee.name))
      return []
    return namedOption(decorator, { ...site, at: decorator.from }) ?? []
  })
}

/** By the names under which a script's code may ask for them. */
type AddedOptions = ReadonlyMap<string, readonly Option[]>

const addedBy = new WeakMap<Module, AddedOptions>()

function addedOptions(module: Module): AddedOptions {
  const known = addedBy.get(module)
  if (known !== undefined) return known
  const added = new Map<string, Option[]>()
  for (const call of (module.calls.get('add_argument') ?? []).slice(0, MAX_OPTIONS)) {
    const expression = callExpression(call)
    const named = expression && namedOption(expression, siteAt(call))
    if (named === undefined) continue
    for (const name of named.asked) added.set(name, [...(added.get(name) ?? []), named.option])
  }
  addedBy.set(module, added)
  return added
}

interface NamedOption {
  readonly option: Option
  readonly asked: ReadonlySet<string>
}

function namedOption(call: CallExpression, site: Site): NamedOption | undefined {
  const names: string[] = []
  let destination: string | undefined
  for (const argument of call.arguments) {
    if (argument.kind === 'positional' && argument.value.kind === 'text') names.push(argument.value.text)
    if (argument.kind === 'keyword' && argument.name === 'dest' && argument.value.kind === 'text')
      destination = argument.value.text
  }
  // click takes the name of the parameter as one that is no option.
  const long = names.find(each => each.startsWith('--')) ?? names[0]
  if (long === undefined) return undefined
  const derived = long.replace(/^-+/, '').replaceAll('-', '_').split('/')[0]
  const option = { name: long, spellings: spellingsOf(names), line: placeIn(site.module, call.from), call, site }
  return { option, asked: new Set([destination ?? derived ?? long, ...names]) }
}

/** click's `--amp/--no-amp` are two. */
function spellingsOf(names: readonly string[]): readonly string[] {
  return names.flatMap(each => each.split('/')).map(each => each.replace(/^-+/, '').replaceAll('-', '_'))
}

/** Of the options that the script adds itself, those that a launcher passes are known to it. */
export function declareOptions({ calls }: Module, passed: PassedValues): void {
  for (const call of [...(calls.get('add_argument') ?? []), ...(calls.get('option') ?? [])].slice(0, MAX_OPTIONS)) {
    const given = callExpression(call)?.arguments ?? []
    const names = given.flatMap(each =>
      each.kind === 'positional' && each.value.kind === 'text' ? each.value.text : [],
    )
    for (const spelling of spellingsOf(names)) {
      passed.declare(spelling)
      passed.declare(`no_${spelling}`)
    }
  }
}

/** argparse's own class of an action: `--amp` and `--no-amp`. */
const switchAction = /\bBooleanOptionalAction$/

/** The class by which the script itself says what becomes of an option. */
function ownAction({ call, site }: Pick<Option, 'call' | 'site'>): string | undefined {
  const action = call.arguments.find(each => each.kind === 'keyword' && each.name === 'action')
  if (action?.kind !== 'keyword' || action.value.kind === 'text') return undefined
  const written = site.module.text.slice(action.value.from, action.value.to)
  return switchAction.test(written) ? undefined : written
}

function passedTo({ spellings, call, site }: Option, passed: PassedValues): Value | undefined {
  const spelling = spellings.find(each => passed.get(each) !== undefined)
  const value = spelling === undefined ? undefined : passed.get(spelling)
  if (spelling === undefined || value === undefined) return undefined
  const keyword = (key: string) => {
    const found = call.arguments.find(each => each.kind === 'keyword' && each.name === key)
    return found?.kind === 'keyword' ? found.value : undefined
  }
  // Whether it is given at all, only a run tells.
  if (value.kind === 'open') return value
  const action = keyword('action')
  if (action?.kind === 'text' && action.text === 'store_true') return { ...value, kind: 'flag', flag: true }
  if (action?.kind === 'text' && action.text === 'store_false') return { ...value, kind: 'flag', flag: false }
  if (action?.kind === 'text' && /const|count|append/.test(action.text))
    return { ...value, kind: 'open', why: `${spelling} is taken with the action ${action.text}` }
  if (ownAction({ call, site }) !== undefined) {
    const why = `${spelling} is taken with an action of the script's own (${placeIn(site.module, call.from)})`
    return { ...value, kind: 'open', why }
  }
  const type = keyword('type')
  const isArgparse = call.callee.kind === 'attribute' && call.callee.name === 'add_argument'
  // bool('False') is True.
  if (
    isArgparse &&
    type?.kind === 'name' &&
    type.name === 'bool' &&
    value.kind === 'flag' &&
    !passed.isSwitch(spelling)
  )
    return { ...value, kind: 'flag', flag: true }
  return keyword('nargs') !== undefined && value.kind !== 'list' && isSeveral(keyword('nargs'))
    ? { ...value, kind: 'list', items: [value] }
    : value
}

function isSeveral(nargs: Expression | undefined): boolean {
  return nargs?.kind === 'number' || (nargs?.kind === 'text' && nargs.text !== '?')
}

function isTrue(value: Value): boolean {
  return value.kind === 'flag' && value.flag
}

function defaultOf(option: Option, { evaluate, passed }: Options): Value {
  const { name, line, call, site } = option
  const told = passedTo(option, passed)
  if (told !== undefined) return told
  const keyword = (key: string) => call.arguments.find(each => each.kind === 'keyword' && each.name === key)
  const given = keyword('default')
  const located = { module: site.module, from: call.from, to: call.to, remarks: [] }
  const remark = (written: string) =>
    `${written} is the default of ${name} (${line}), which the command line may override.`
  if (given?.kind === 'keyword') {
    const value = evaluate(given.value, site)
    const { from, to } = given.value
    // None stands for what is not given.
    if (value.kind !== 'none')
      return { ...value, remarks: [...value.remarks, remark(site.module.text.slice(from, Math.min(to, from + 60)))] }
  }
  const action = keyword('action')
  const acts = action?.kind === 'keyword' && action.value.kind === 'text' ? action.value.text : undefined
  if (acts === 'store_true') return { ...located, remarks: [remark('False')], kind: 'flag', flag: false }
  if (acts === 'store_false') return { ...located, remarks: [remark('True')], kind: 'flag', flag: true }
  const required = keyword('required')
  const isRequired = required?.kind === 'keyword' && isTrue(evaluate(required.value, site))
  if (given !== undefined && !isRequired) return { ...located, remarks: [remark('None')], kind: 'none' }
  const why = `${name} (${line}) is given on the command line and has no default`
  // Where it decides a condition, None does.
  const unset = name.startsWith('-') && !isRequired && { isUnset: true as const, remarks: [remark('None')] }
  return { ...located, kind: 'open', why, ...unset }
}
