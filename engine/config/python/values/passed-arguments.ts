/** The arguments that a launcher passes to a script, as the values that the script sees. */
import type { PassedArgument, PassedText } from '../../reading.ts'
import { Module } from '../syntax/module.ts'
import type { Located, Value } from './values.ts'

/** By option name, as a parser of the script stores it. Records which options the script declares. */
export class PassedValues {
  readonly #values = new Map<string, Value>()
  readonly #switches = new Set<string>()
  readonly #declared = new Set<string>()
  readonly #ownFields = new Set<string>()
  /** `sys.argv` of a script that is given one file of settings and nothing else. */
  readonly argv: Value | undefined

  /** Of one given twice, parsers take the last. */
  constructor(passed: readonly PassedArgument[] = []) {
    const modules = new Map<string, Module>()
    for (const argument of passed) {
      const { name, launcher } = argument
      const module = modules.get(launcher.path) ?? new Module(launcher.path, launcher.text)
      modules.set(launcher.path, module)
      this.#values.set(name, passedValue(argument, module))
      if (argument.values.length === 0) this.#switches.add(name)
      else this.#switches.delete(name)
    }
    const [only, ...others] = passed
    if (only === undefined || others.length > 0 || only.values.length > 0) return
    const module = modules.get(only.launcher.path)
    if (module !== undefined && /\.(?:json|ya?ml)$/i.test(only.name)) this.argv = argvOf(only, module)
  }

  /** `--no_bf16` is bf16 switched off too, unless the script has an option of that very name. */
  get(name: string): Value | undefined {
    const value = this.#values.get(name)
    if (value !== undefined) {
      this.#declared.add(name)
      return value
    }
    const negated = this.#switches.has(`no_${name}`) ? this.#values.get(`no_${name}`) : undefined
    if (negated === undefined) return undefined
    this.#declared.add(`no_${name}`)
    return { ...negated, kind: 'flag', flag: false }
  }

  /** As `get`, without saying that the script takes it. */
  peek(name: string): Value | undefined {
    return this.#values.get(name)
  }

  isSwitch(name: string): boolean {
    return this.#switches.has(name)
  }

  /** That the script's parser takes an option, whether or not a setting asks for it. */
  declare(name: string): void {
    this.#declared.add(name)
  }

  /** That an option is a field of a class of the script's own: what it does, its code says. */
  declareField(name: string): void {
    this.#declared.add(name)
    this.#ownFields.add(name)
  }

  isOwnField(name: string): boolean {
    return this.#ownFields.has(name)
  }

  get names(): Iterable<string> {
    return this.#values.keys()
  }

  /** For a parser that refuses what none of its classes has. */
  all(): ReadonlyMap<string, Value> {
    const entries = [...this.#values].flatMap(([name, value]): (readonly [string, Value])[] => {
      this.#declared.add(name)
      const of = name.startsWith('no_') && this.#switches.has(name) ? name.slice(3) : undefined
      return of === undefined ? [[name, value]] : [[of, { ...value, kind: 'flag', flag: false }]]
    })
    return new Map(entries)
  }

  /** Names that no parser found in the script takes. */
  get undeclared(): readonly string[] {
    return [...this.#values.keys()].filter(name => !this.#declared.has(name))
  }
}

function passedValue({ name, values, from }: PassedArgument, module: Module): Value {
  const [only, ...others] = values
  if (only === undefined) return { module, from, to: from + name.length, remarks: [], kind: 'flag', flag: true }
  const first = meant(only, module)
  if (others.length === 0) return first
  const items = [first, ...others.map(each => meant(each, module))]
  return { ...first, kind: 'list', items }
}

/** Of the script itself, only that it is there counts. */
function argvOf({ name, from }: PassedArgument, module: Module): Value {
  const located: Located = { module, from, to: from + name.length, remarks: [] }
  const words = ['', name].map(text => ({ ...located, kind: 'text' as const, text }))
  return { ...located, kind: 'list', items: words }
}

function meant({ text, from, why, remarks }: PassedText, module: Module): Value {
  const located: Located = { module, from, to: from + text.length, remarks }
  if (why !== undefined) return { ...located, kind: 'open', why }
  if (/^(?:true|yes)$/i.test(text)) return { ...located, kind: 'flag', flag: true }
  if (/^(?:false|no)$/i.test(text)) return { ...located, kind: 'flag', flag: false }
  if (/^-?\d{1,15}(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i.test(text))
    return { ...located, kind: 'number', number: Number(text) }
  return { ...located, kind: 'text', text }
}
