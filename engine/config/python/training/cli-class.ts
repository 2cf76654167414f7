/** What a script's LightningCLI says besides its config: classes, defaults, and settings that follow others. */

import { type Call, callExpression, type Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { open, siteAt } from '../values/sites.ts'
import type { Value } from '../values/values.ts'

type Mapping = Value & { readonly kind: 'mapping' }

const parameters = ['model_class', 'datamodule_class', 'save_config_callback', 'save_config_kwargs', 'trainer_class']

/** lightning/pytorch/cli.py, LightningCLI. */
export class CommandLine {
  readonly trainerDefaults: ReadonlyMap<string, Value>
  readonly #given: ReadonlyMap<string, Value>
  readonly #module: Module
  readonly #evaluator: Evaluator

  private constructor(given: ReadonlyMap<string, Value>, module: Module, evaluator: Evaluator) {
    this.#given = given
    this.#module = module
    this.#evaluator = evaluator
    const defaults = given.get('trainer_defaults')
    const entries = defaults && evaluator.asMapping(defaults)
    this.trainerDefaults = entries?.kind === 'mapping' ? entries.entries : new Map()
  }

  /** The only one that the script makes. */
  static in(module: Module, evaluator: Evaluator): CommandLine | undefined {
    const calls = [...module.calls].flatMap(([name, all]) => (/CLI/i.test(name) ? all : []))
    const [only, ...others] = calls.filter(call => isCommandLine(call, evaluator))
    const expression = only && callExpression(only)
    if (only === undefined || expression === undefined || others.length > 0) return undefined
    const { values } = evaluator.argumentsOf(expression, siteAt(only), parameters)
    return new CommandLine(values, module, evaluator)
  }

  /** The class that the code gives, where the config has only its arguments. */
  classOf(part: 'model' | 'data'): (Value & { readonly kind: 'class' | 'symbol' }) | undefined {
    const value = this.#given.get(part === 'model' ? 'model_class' : 'datamodule_class')
    return value?.kind === 'class' || value?.kind === 'symbol' ? value : undefined
  }

  /** The config with what `set_defaults` sets where it says nothing, and what `link_arguments` copies. */
  withDefaults(written: Mapping): Mapping {
    let settings = written
    for (const [key, value] of this.#calls('set_defaults').flatMap(given => this.#defaultsIn(given)))
      if (at(settings, key.split('.')) === undefined) settings = withValue(settings, key.split('.'), value)
    for (const given of this.#calls('link_arguments')) {
      const [from, to] = [given.get('source'), given.get('target')]
      if (from?.kind !== 'text' || to?.kind !== 'text') continue
      const source = given.has('compute_fn') || given.has('apply_on') ? undefined : at(settings, from.text.split('.'))
      settings = withValue(
        settings,
        to.text.split('.'),
        source ?? open(siteAt(this.#place), from, `it is what ${from.text} is`),
      )
    }
    return settings
  }

  get #place() {
    const { top: scope } = this.#module
    return { scope, at: Number.MAX_SAFE_INTEGER, branches: [] }
  }

  #calls(name: string): readonly ReadonlyMap<string, Value>[] {
    return (this.#module.calls.get(name) ?? []).flatMap(call => {
      const expression = callExpression(call)
      if (expression === undefined || !this.#evaluator.mayRun(call)) return []
      const positional = name === 'set_defaults' ? ['defaults'] : ['source', 'target', 'compute_fn', 'apply_on']
      return [this.#evaluator.argumentsOf(expression, siteAt(call), positional).values]
    })
  }

  #defaultsIn(given: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] {
    const mapping = given.get('defaults')
    const known = mapping && this.#evaluator.asMapping(mapping)
    return [...(known?.kind === 'mapping' ? known.entries : []), ...[...given].filter(([key]) => key !== 'defaults')]
  }
}

function isCommandLine(call: Call, evaluator: Evaluator): boolean {
  const callee = callExpression(call)?.callee
  const value = callee && evaluator.evaluate(callee, siteAt(call))
  const name =
    value?.kind === 'class' ? evaluator.classes.libraryBase(value.scope) : value?.kind === 'symbol' ? value.name : ''
  return /(?:^|\.)LightningCLI$/.test(name ?? '')
}

function at(mapping: Value, keys: readonly string[]): Value | undefined {
  return keys.reduce<Value | undefined>(
    (value, key) => (value?.kind === 'mapping' ? value.entries.get(key) : undefined),
    mapping,
  )
}

/** Under `init_args` too, where the key names a parameter of the class. */
function withValue(mapping: Mapping, keys: readonly string[], value: Value): Mapping {
  const [key = '', ...rest] = keys
  const inner = mapping.entries.get(key)
  const below: Mapping = inner?.kind === 'mapping' ? inner : { ...mapping, entries: new Map() }
  const set = rest.length === 0 ? value : withValue(below, rest, value)
  return { ...mapping, entries: new Map([...mapping.entries, [key, set]]) }
}
