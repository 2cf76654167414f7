/**
 * peft's `target_modules` as a regular expression that a module's whole path must match (peft 0.21 tuners/tuners_utils.py
 * check_target_module_exists). It is never run: it comes with the config, and the names that it can end in are all that counts.
 */

/** Names that one pattern may stand for; past it the pattern is not understood. */
const MAX_NAMES = 200
const MAX_CHARACTERS = 1_000
const MAX_DEPTH = 20

/** The texts that part of a pattern may match. `GAP` stands for what is not spelled out: a dot, a class, a repetition. */
type Spellings = readonly string[]
const GAP = '.'

/** `.*\.(mlp|self_attn)\.(up|q)_proj` → up_proj, q_proj. Undefined if that cannot be determined. */
export function lastNamesOf(pattern: string): readonly string[] | undefined {
  if (pattern.length > MAX_CHARACTERS) return undefined
  const spellings = new PatternReader(pattern).read()
  const names = spellings?.map(spelling => spelling.slice(spelling.lastIndexOf(GAP) + 1))
  return names?.every(name => /^\w+$/.test(name)) ? [...new Set(names)] : undefined
}

/** Whether a text of `target_modules` is a pattern rather than a name or a path. */
export function isPattern(text: string): boolean {
  return /[\\()[\]*+?|^$]/.test(text)
}

class PatternReader {
  readonly #pattern: string
  #at = 0
  #depth = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  read(): Spellings | undefined {
    const spellings = this.#alternatives()
    return this.#at === this.#pattern.length ? spellings : undefined
  }

  #alternatives(): Spellings | undefined {
    const found: string[] = []
    do {
      const spellings = this.#sequence()
      if (spellings === undefined) return undefined
      found.push(...spellings)
    } while (this.#take('|') && found.length <= MAX_NAMES)
    return found.length <= MAX_NAMES ? found : undefined
  }

  #sequence(): Spellings | undefined {
    let spellings: Spellings = ['']
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#next)) {
      const part = this.#quantified()
      if (part === undefined || spellings.length * part.length > MAX_NAMES) return undefined
      spellings = spellings.flatMap(start => part.map(end => start + end))
    }
    return spellings
  }

  #quantified(): Spellings | undefined {
    const part = this.#part()
    if (this.#take('?')) return part && ['', ...part]
    const repeats = /^(?:[*+]|\{\d*(?:,\d*)?\})\??/.exec(this.#pattern.slice(this.#at))?.[0]
    if (repeats === undefined) return part
    this.#at += repeats.length
    return [GAP]
  }

  #part(): Spellings | undefined {
    if (this.#take('(')) return this.#group()
    if (this.#take('[')) return this.#class()
    if (this.#take('\\')) return [this.#escaped()]
    const character = this.#next
    this.#at++
    if (character === '^' || character === '$') return ['']
    return [/\w/.test(character) ? character : GAP]
  }

  #group(): Spellings | undefined {
    this.#take('?:')
    if (this.#next === '?' || ++this.#depth > MAX_DEPTH) return undefined
    const spellings = this.#alternatives()
    this.#depth--
    return this.#take(')') ? spellings : undefined
  }

  /** `[12]` is one of its characters; ranges and negations are left open. */
  #class(): Spellings | undefined {
    const end = this.#pattern.indexOf(']', this.#at + 1)
    if (end < 0) return undefined
    const characters = this.#pattern.slice(this.#at, end)
    this.#at = end + 1
    return /^\w+$/.test(characters) ? [...characters] : [GAP]
  }

  #escaped(): string {
    this.#at++
    return GAP
  }

  get #next(): string {
    return this.#pattern.charAt(this.#at)
  }

  #take(text: string): boolean {
    const starts = this.#pattern.startsWith(text, this.#at)
    if (starts) this.#at += text.length
    return starts
  }
}
