/**
 * Modules that stay in 16 bits beside others that are quantised: names such as those of bitsandbytes' `llm_int8_skip_modules`, held
 * against paths of modules as transformers 5 has them, `model.language_model.layers.3.mlp.gate_proj`.
 */
import * as z from 'zod'
import { type LinearPattern, startPattern } from '../base/re2.ts'

export const MAX_UNQUANTIZED = 500
const MAX_CHARACTERS = 200

/**
 * - `ends`: a path that begins with a name, taken as a regular expression, or ends with it (transformers 5.18
 *   quantizers/quantizers_utils.py should_convert_module).
 * - `parts`: the whole path, its last part, or what ends at a dot (transformers 4.57 integrations/bitsandbytes.py
 *   _replace_with_bnb_linear).
 * - `either`: as Unsloth has both match (unsloth_zoo 2026.8 patching_utils.py).
 */
const rules = ['ends', 'parts', 'either'] as const

export const unquantizedModules = z.object({
  names: z.array(z.string().min(1).max(MAX_CHARACTERS)).min(1).max(MAX_UNQUANTIZED),
  rule: z.enum(rules),
})
export type UnquantizedModules = z.infer<typeof unquantizedModules>

/** Undefined for a list with more or longer names than are taken, or with patterns that cannot be matched in linear time. */
export function namesThatMatch(names: readonly string[]): string[] | undefined {
  const distinct = [...new Set(names)].filter(name => name !== '')
  const isTooMuch = distinct.length > MAX_UNQUANTIZED || distinct.some(name => name.length > MAX_CHARACTERS)
  return isTooMuch || startPattern(distinct.filter(isPattern)).kind === 'refused' ? undefined : distinct
}

/** Whether a module stays in 16 bits. */
export function isUnquantized(modules: UnquantizedModules, path: string): boolean {
  const matcher = known.get(modules) ?? new Matcher(modules)
  known.set(modules, matcher)
  return matcher.matches(path)
}

const known = new WeakMap<UnquantizedModules, Matcher>()

class Matcher {
  readonly #names: ReadonlySet<string>
  readonly #patterns: LinearPattern
  readonly #rule: UnquantizedModules['rule']
  readonly #answers = new Map<string, boolean>()

  constructor({ names, rule }: UnquantizedModules) {
    this.#names = new Set(names)
    this.#patterns = startPattern(rule === 'parts' ? [] : names.filter(isPattern))
    this.#rule = rule
  }

  matches(path: string): boolean {
    const answer = this.#answers.get(path) ?? this.#answer(path)
    this.#answers.set(path, answer)
    return answer
  }

  #answer(path: string): boolean {
    if (this.#rule !== 'parts' && (this.#isAtAnEnd(path) || this.#isPatternOf(path))) return true
    return this.#rule !== 'ends' && this.#isPartOf(path)
  }

  #isAtAnEnd(path: string): boolean {
    for (let at = 0; at <= path.length; at++) {
      if (this.#names.has(path.slice(0, at)) || this.#names.has(path.slice(at))) return true
    }
    return false
  }

  #isPatternOf(path: string): boolean {
    return this.#patterns.kind === 'pattern' && this.#patterns.matches(path)
  }

  #isPartOf(path: string): boolean {
    for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
      for (let from = 0; from < dot; from++) if (this.#names.has(path.slice(from, dot))) return true
    }
    return this.#names.has(path) || this.#names.has(path.slice(path.lastIndexOf('.') + 1))
  }
}

/** More than a path with dots. */
function isPattern(name: string): boolean {
  return /[\\^$*+?{}[\]|()]/.test(name)
}

/**
 * What the names say of each layer that they tell apart by its number: layers of which they say the same are alike to them. Undefined
 * where they may tell layers apart in another way, as `layers.1` begins the path of layer 10 too.
 */
export function saidOfLayers({ names, rule }: UnquantizedModules): ReadonlyMap<number, string> | undefined {
  const isOpen = (name: string) => isPattern(name) || /\d$/.test(name)
  if (rule !== 'parts' && names.some(isOpen)) return undefined
  const said = new Map<number, string>()
  for (const name of names) {
    const parts = name.split('.')
    const at = parts.findIndex(part => /^\d{1,6}$/.test(part))
    if (at < 0) continue
    const layer = Number(parts[at])
    said.set(layer, `${said.get(layer) ?? ''} ${parts.with(at, '#').join('.')}`)
  }
  return said
}
