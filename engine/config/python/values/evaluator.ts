/** Evaluates what the text alone decides: constants, defaults, dictionaries, f-strings, imported names. Nothing is executed. */
import type { CallExpression, Expression, Span } from '../syntax/expressions.ts'
import { classAround, type Module, type Place, type Scope } from '../syntax/module.ts'
import { inheritedDefault, ofArguments } from './arguments-class.ts'
import { Calls } from './calls.ts'
import { Changes } from './changes.ts'
import { Classes } from './classes.ts'
import { dictionaryValue, keptValue } from './collections.ts'
import { commandLineValue, type Options, parses } from './command-line.ts'
import { deviceAttribute } from './devices.ts'
import { isValueOfMember } from './enum-members.ts'
import { MadeObjects } from './made-objects.ts'
import { Names } from './names.ts'
import { binaryValue, joinedText, unaryValue } from './operators.ts'
import { Parameters } from './parameters.ts'
import { parsedClass } from './parsed-classes.ts'
import { PassedValues } from './passed-arguments.ts'
import { pathAttribute } from './paths.ts'
import { setOnParsed } from './set-attributes.ts'
import type { SettingsFile } from './settings-files.ts'
import { signatureParameters } from './signatures.ts'
import { open, siteAt, sourceOf, unknown } from './sites.ts'
import { isTrainer, trainerAttribute } from './trainer-attributes.ts'
import { areEqual, type LibraryCall, madeOfOpen, type Site, shownAt, truthOf, type Value } from './values.ts'

/** Modules of the repository by how a file imports them; undefined for what is none, or was not read. */
export type FindModule = (importer: Module, name: string) => Module | undefined
/** The first file of settings that there is. */
export type FindSettings = (places: readonly string[]) => SettingsFile | undefined

/** Whether a condition holds; undefined where that depends on run time. */
export type IsTrue = (condition: Expression, site: Site) => boolean | undefined

export interface Reached {
  readonly isReached: boolean | undefined
  readonly why?: string
  readonly remarks?: readonly string[]
}

/** For one file; a value that takes more steps is unknown. */
const MAX_STEPS = 20_000
const MAX_DEPTH = 60

export class Evaluator {
  readonly find: FindModule
  readonly findSettings: FindSettings
  /** What a launcher passes to the script. */
  readonly passed: PassedValues
  /** Files whose calls give the parameters of functions in others: the script, those that call it, and those that it imports. */
  readonly callers: readonly Module[]
  /** Of the GPU that the script runs on. */
  readonly lacksBf16: boolean
  /** Whether a parameter was asked for that no call in its file gives. */
  asksCallers = false
  /** Sentences on values that are taken for what a run would find: that files are not there, that a filter drops nothing. */
  readonly unsureRemarks = new Set<string>()
  readonly names = new Names(this)
  readonly changes = new Changes(this)
  readonly parameters = new Parameters(this)
  readonly classes = new Classes(this)
  /** Objects of the repository's classes that settings name. */
  readonly made = new MadeObjects()
  /** Whether the config that a script is read for is one of those that Hydra composes for it. */
  composesRead = false
  /** Lightning's, which it sets on the modules that it is given. */
  trainer: LibraryCall | undefined
  /** Lightning's modules beside those that it is given: what stands in them does not run. */
  unused: ReadonlySet<Scope> = new Set()
  /** The data module that it is given with them. */
  fittedData: Value | undefined
  /** Conditions that are being evaluated. */
  readonly #asked = new Set<Expression>()
  readonly #calls = new Calls(this)
  #steps = 0
  #depth = 0

  constructor(
    find: FindModule,
    passed = new PassedValues(),
    findSettings: FindSettings = () => undefined,
    callers: readonly Module[] = [],
    lacksBf16 = false,
  ) {
    this.find = find
    this.callers = callers
    this.findSettings = findSettings
    this.passed = passed
    this.lacksBf16 = lacksBf16
  }

  evaluate(expression: Expression, site: Site): Value {
    this.#steps += 1
    if (this.#steps > MAX_STEPS || this.#depth >= MAX_DEPTH)
      return open(site, expression, 'takes too many steps to follow')
    this.#depth += 1
    try {
      return this.#evaluate(expression, site)
    } finally {
      this.#depth -= 1
    }
  }

  /**
   * Whether the branches around a place are taken: undefined where that depends on run time, with the reason; where it does not, with
   * what is to be told of the conditions.
   */
  isReached(place: Place, site: Site, isTrue?: IsTrue): Reached {
    let why: string | undefined
    const remarks: string[] = []
    const decides: IsTrue = (condition, at) => {
      const value = this.evaluate(condition, at)
      const truth = truthOf(value)
      if (truth !== undefined) remarks.push(...value.remarks)
      return truth
    }
    const owner = this.unused.size === 0 ? undefined : classAround(place.scope)
    if (owner !== undefined && this.unused.has(owner)) return { isReached: false }
    for (const branch of place.branches) {
      if (branch.isHandler) return { isReached: false }
      for (const { condition, expected } of branch.tests) {
        const truth = this.#truth(condition, { ...site, at: branch.statement, branches: [] }, isTrue ?? decides)
        if (truth === undefined) why ??= shownAt(site.module, condition)
        else if (truth !== expected) return { isReached: false, remarks }
      }
    }
    return why === undefined ? { isReached: true, remarks } : { isReached: undefined, why }
  }

  /** Undefined for a condition that depends on itself: on what is set where it holds. */
  #truth(condition: Expression, site: Site, isTrue: IsTrue): boolean | undefined {
    if (this.#asked.has(condition)) return undefined
    this.#asked.add(condition)
    try {
      return isTrue(condition, site)
    } finally {
      this.#asked.delete(condition)
    }
  }

  /** Whether a place may be run: the branches around it are taken, or only run time tells. */
  mayRun(place: Place): boolean {
    return this.isReached(place, siteAt(place)).isReached !== false
  }

  /**
   * The values of a call by the names of its parameters; `unknown` where it unpacks what is not known, and `parsed` where that is
   * what a parser made of the command line.
   */
  argumentsOf(
    call: CallExpression,
    site: Site,
    positional: readonly string[] = [],
  ): { readonly values: ReadonlyMap<string, Value>; readonly unknown?: string; readonly parsed?: LibraryCall } {
    const values = new Map<string, Value>()
    let unknown: string | undefined
    let parsed: LibraryCall | undefined
    let position = 0
    for (const argument of call.arguments) {
      switch (argument.kind) {
        case 'positional': {
          const name = positional[position] ?? String(position)
          values.set(name, this.evaluate(argument.value, site))
          position += 1
          break
        }
        case 'keyword':
          values.set(argument.name, this.evaluate(argument.value, site))
          break
        case 'unpacked': {
          const mapping = this.asMapping(this.evaluate(argument.value, site))
          if (mapping.kind !== 'mapping') {
            if (unknown === undefined && mapping.kind === 'call' && /\.parse_args$/.test(mapping.name)) parsed = mapping
            if (parsed === mapping && argument.value.kind === 'name')
              for (const [key, value] of this.names.itemsSet(argument.value.name, site)) values.set(key, value)
            unknown ??= shownAt(site.module, argument.value)
          } else {
            for (const [key, value] of mapping.entries) values.set(key, value)
            unknown ??= mapping.unknown
          }
          break
        }
        case 'spread':
          unknown ??= shownAt(site.module, call)
      }
    }
    return { values, ...(unknown !== undefined && { unknown }), ...(parsed && { parsed }) }
  }

  /** What an object of a library was made with, and what was set on it since. */
  argumentsOfMade(made: LibraryCall, positional: readonly string[] = []): ReturnType<Evaluator['argumentsOf']> {
    const given: ReturnType<Evaluator['argumentsOf']> =
      made.call === undefined ? { values: new Map() } : this.argumentsOf(made.call, made.site, positional)
    if (made.set === undefined) return given
    const unknown = given.unknown ?? made.set.unknown
    const values = new Map([...given.values, ...made.set.all()])
    return { ...given, values, ...(unknown !== undefined && { unknown }) }
  }

  /** A dictionary, or an object as one; any other value is returned unchanged. */
  asMapping(value: Value): Value {
    if (value.kind !== 'call' || value.call === undefined || !holdsArguments.test(value.name)) return value
    if (this.#depth >= MAX_DEPTH) return open(value.site, value, 'takes too many steps to follow')
    this.#depth += 1
    try {
      const { values, unknown } = this.argumentsOf(value.call, value.site)
      const first = values.get('0')
      const of = first && this.asMapping(first)
      if (of !== undefined && of.kind !== 'mapping') return of
      const rest = of?.unknown ?? unknown
      const entries = new Map([...(of?.entries ?? []), ...[...values].filter(([key]) => key !== '0')])
      return { ...value, kind: 'mapping', entries, ...(rest !== undefined && { unknown: rest }) }
    } finally {
      this.#depth -= 1
    }
  }

  attribute(object: Value, name: string, { from, to }: Span, site: Site): Value {
    const span = { from, to }
    const notSet = () => open(site, span, `${shownAt(site.module, span)} depends on run time`)
    switch (object.kind) {
      case 'mapping':
        return object.entries.get(name) ?? notSet()
      case 'symbol':
        if (object.name === 'sys' && name === 'argv' && this.passed.argv !== undefined) return this.passed.argv
        return { ...object, ...span, module: site.module, name: `${object.name}.${name}` }
      case 'module':
        return this.names.inModule(object.imported, name) ?? notSet()
      case 'class':
        return this.classes.ofClass(object.scope, name) ?? notSet()
      case 'instance':
        if (name === 'hparams') return object
        if (name === 'trainer' && this.trainer !== undefined) return this.trainer
        return (
          object.set?.get(name) ??
          this.#calls.property(object, name, span, site) ??
          this.classes.ofInstance(object, name, site) ??
          inheritedDefault(object, name, this) ??
          notSet()
        )
      case 'call': {
        const mapping = this.asMapping(object)
        if (mapping.kind === 'mapping')
          return mapping.entries.get(name) ?? this.#ofUnpacked(object, name, site) ?? notSet()
        const ofTrainer = isTrainer(object) ? trainerAttribute(object, name, this) : undefined
        if (ofTrainer !== undefined) return ofTrainer
        const set = parses.test(object.name) ? object.set?.unknown : undefined
        if (set !== undefined) return open(site, span, `whether ${name} is set depends on ${set}`)
        const parsed =
          deviceAttribute(object, name, this) ??
          signatureParameters(object, name, this) ??
          commandLineValue(object, name, this.options) ??
          ofArguments(object, name, this) ??
          setOnParsed(object, name, this)
        return parsed ?? { ...object, ...span, kind: 'open', why: `${shownAt(site.module, span)} depends on run time` }
      }
      case 'text':
        return pathAttribute(object, name) ?? notSet()
      case 'open':
        return this.optionOf(site, name) ?? { ...madeOfOpen(object), ...span, module: site.module }
      default:
        return notSet()
    }
  }

  /** Of the objects that `Namespace(**vars(model_args), **vars(data_args))` unpacks, the first that has the attribute. */
  #ofUnpacked({ call, site: made }: LibraryCall, name: string, site: Site): Value | undefined {
    for (const argument of call?.arguments ?? []) {
      const value = argument.kind === 'unpacked' ? this.evaluate(argument.value, made) : undefined
      if (value?.kind !== 'instance') continue
      const found = this.attribute(value, name, argument.kind === 'unpacked' ? argument.value : value, site)
      if (found.kind !== 'open' || this.classes.fieldsOf(value.scope).has(name)) return found
    }
    return undefined
  }

  get options(): Options {
    return {
      evaluate: (expression, site) => this.evaluate(expression, site),
      argumentsOf: (call, site) => this.argumentsOf(call, site),
      defaultOf: (scope, name) => this.classes.field(scope, name),
      passed: this.passed,
    }
  }

  #evaluate(expression: Expression, site: Site): Value {
    const located = { module: site.module, from: expression.from, to: expression.to, remarks: [] }
    switch (expression.kind) {
      case 'number':
        return { ...located, kind: 'number', number: expression.number }
      case 'text':
        return { ...located, kind: 'text', text: expression.text }
      case 'flag':
        return { ...located, kind: 'flag', flag: expression.flag }
      case 'none':
        return { ...located, kind: 'none' }
      case 'joined':
        return joinedText(
          expression.parts.map(part => this.evaluate(part, site)),
          located,
          () => unknown(site, expression),
        )
      case 'list':
        return { ...located, kind: 'list', items: expression.items.map(item => this.evaluate(item, site)) }
      case 'dictionary':
        return dictionaryValue(expression, site, this)
      case 'name':
        return this.names.named(expression, site)
      case 'attribute': {
        const set = isOnSelf(expression, site)
          ? this.names.setBefore(site, expression.name)
          : this.names.member(site, sourceOf(expression, site))
        if (set !== undefined) return set
        const object = this.evaluate(expression.object, site)
        if (isValueOfMember(expression, site, this)) return object
        const value = this.attribute(object, expression.name, expression, site)
        return this.changes.after(value, sourceOf(expression, site), site)
      }
      case 'subscript':
        return this.changes.after(this.#subscript(expression, site), sourceOf(expression, site), site)
      case 'call':
        return this.#calls.value(expression, site)
      case 'unary':
        return unaryValue(expression.operator, this.evaluate(expression.operand, site), located)
      case 'binary': {
        const operand = (of: Expression) => this.asMapping(this.evaluate(of, site))
        return binaryValue(
          expression.operator,
          operand(expression.left),
          () => operand(expression.right),
          located,
          () => unknown(site, expression),
        )
      }
      case 'conditional': {
        const condition = this.evaluate(expression.condition, site)
        const truth = truthOf(condition)
        if (truth !== undefined) {
          const chosen = this.evaluate(truth ? expression.whenTrue : expression.whenFalse, site)
          return { ...chosen, remarks: [...condition.remarks, ...chosen.remarks] }
        }
        const both = [this.evaluate(expression.whenTrue, site), this.evaluate(expression.whenFalse, site)] as const
        return areEqual(...both) === true ? both[0] : unknown(site, expression.condition)
      }
      case 'kept':
        return keptValue(expression, site, this)
      case 'given':
        return expression.value
      case 'lambda':
      case 'opaque':
        return unknown(site, expression)
    }
  }

  #subscript(expression: Extract<Expression, { kind: 'subscript' }>, site: Site): Value {
    const set = this.names.member(site, this.#itemKey(expression, site))
    if (set !== undefined) return set
    const object = this.asMapping(this.evaluate(expression.object, site))
    const index = this.evaluate(expression.index, site)
    if (object.kind === 'mapping' && index.kind === 'text')
      return object.entries.get(index.text) ?? unknown(site, expression)
    if (index.kind === 'text' && (object.kind === 'call' || object.kind === 'instance'))
      return this.attribute(object, index.text, expression, site)
    if (index.kind !== 'number') return unknown(site, expression)
    if (object.kind === 'list') return object.items.at(index.number) ?? unknown(site, expression)
    if (object.kind === 'call') return parsedClass(object, index.number, this) ?? unknown(site, expression)
    return unknown(site, expression)
  }

  #itemKey({ object, index }: Extract<Expression, { kind: 'subscript' }>, site: Site): string {
    return index.kind === 'text' ? `${sourceOf(object, site)}[${index.text}]` : ''
  }

  /** The default of a command-line option, for `args.batch` if it is unknown what `args` is. */
  optionOf(site: Site, name: string): Value | undefined {
    const at = { module: site.module, from: site.at, to: site.at, remarks: [] }
    return commandLineValue({ ...at, kind: 'call', name: '.parse_args', call: undefined, site }, name, this.options)
  }
}

/** Calls whose arguments are what the result holds. */
const holdsArguments =
  /(?:^|\.)(?:dict|SimpleNamespace|Namespace|EasyDict|edict|Box|Munch|AttrDict|OmegaConf\.create|MappingProxyType)$/

function isOnSelf({ object }: Extract<Expression, { kind: 'attribute' }>, { scope }: Site): boolean {
  return object.kind === 'name' && object.name === 'self' && classAround(scope) !== undefined
}
