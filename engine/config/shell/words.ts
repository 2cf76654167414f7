/** What the words of commands come to where that can be told without running anything. */
import {
  type ArithmeticExpression,
  type Assignment,
  type HereDoc,
  type ParameterExpansionPart,
  parse,
  type Word,
  type WordPart,
} from 'unbash'
import { VISIBLE_GPUS } from '../fields/cuda-visible-devices.ts'
import { plain } from '../text/quote.ts'
import { arithmetic, type Operand } from './arithmetic.ts'
import { asArithmetic } from './computed-number.ts'
import { countedList, countsMachine, isListOfJob } from './counted-list.ts'
import { FunctionCall } from './function-call.ts'
import { type Given, type Held, isNumber, joinedWords, remarksOf, withReplaced } from './given.ts'
import { isWorkingFolder, ownFolder } from './own-folder.ts'
import type { KnownWord, ShellText } from './shell-text.ts'
import { beginsApart, beginsWith, isComment, nameAlone, partsBetweenQuotes, splitWords } from './split-words.ts'

/** What Slurm sets to the number of GPUs that a job asks for on each machine. */
const GPUS_OF_JOB = 'SLURM_GPUS_ON_NODE'
const MAX_WORDS = 2_000
/** Of all words of a file: an array may be put together from itself in each line. */
const MAX_EXPANDED = 100_000
/** The same, of texts that are cut into words. */
const MAX_CUT_INTO = 20_000
/** Variables that hold variables. */
const MAX_DEPTH = 20

export class Environment {
  readonly #shell: ShellText
  readonly #variables = new Map<string, Held>()
  /** The function that is called. */
  call: FunctionCall | undefined
  #expanded = 0
  #cutInto = 0

  constructor(shell: ShellText, known: ReadonlyMap<string, KnownWord> = new Map()) {
    this.#shell = shell
    for (const [name, { text, from }] of known)
      this.#variables.set(name, { isArray: false, words: [{ text, from, remarks: [] }] })
  }

  /** What the variables hold, to be put back with `restore`. */
  save(): ReadonlyMap<string, Held> {
    return new Map(this.#variables)
  }

  restore(saved: ReadonlyMap<string, Held>): void {
    this.#variables.clear()
    for (const [name, held] of saved) this.#variables.set(name, held)
  }

  set(name: string, word: Given): void {
    this.#variables.set(name, { isArray: false, words: [word] })
  }

  get(name: string): Given | undefined {
    return this.#variables.get(name)?.words[0]
  }

  /** `why`: of an assignment that may not be reached, or not only once. `remarks`: of one that is. */
  assign({ name, value, append, index, pos }: Assignment, why?: string, remarks: readonly string[] = []): void {
    const isArray = value.type === 'ArrayValue'
    const written = isArray ? value.elements.flatMap(word => this.expand(word)) : [this.joined(value)]
    const words = written.map(word => ({ ...word, remarks: remarksOf([word, { remarks }]) }))
    const before = this.#variables.get(name)
    if (why !== undefined && before !== undefined && words.some(({ isArgument }) => isArgument)) {
      this.#variables.set(name, { ...before, words: before.words.map(word => this.#overridable(word, name, pos)) })
      return
    }
    const line = this.#shell.lineOf(pos)
    const ofArgument = before === undefined ? words.find(({ isArgument }) => isArgument)?.why : undefined
    const unclear = (why && (ofArgument ?? why)) ?? (index && `an element of ${plain(name)} is set (line ${line})`)
    // Options in an array are known by name, even where only a run tells whether they are given.
    const doubted = (why: string) =>
      isArray
        ? words.map(word => ({ ...word, why: word.why ?? why }))
        : [{ ...this.open(pos, name, why), ...(ofArgument !== undefined && { isUnsetAlone: true as const }) }]
    const told = unclear === undefined ? words : doubted(unclear)
    const all = append === true ? [...(before?.words ?? []), ...told] : told
    const isAdded = append === true || (!isArray && beginsWith(value, name))
    const parts = isArray || (unclear !== undefined && !isAdded) ? undefined : partsBetweenQuotes(value)
    const kept = append === true ? 0 : (before?.split?.length ?? 0)
    const cut = (parts && this.#cut(parts))?.map((word, index) => ({
      ...word,
      ...(unclear !== undefined && index >= kept && { why: word.why ?? unclear }),
      remarks: remarksOf([word, { remarks }]),
    }))
    const isApart = !isArray && before?.isArray !== true && beginsApart(value, before?.words[0]?.text)
    const held = before === undefined ? [] : before.split
    const whole = held && cut && isApart ? [...held, ...cut].slice(0, MAX_WORDS) : undefined
    const split = append === true ? whole : cut
    this.#variables.set(name, { isArray, words: isArray ? all.slice(0, MAX_WORDS) : [joinedWords(all)], split })
  }

  /** `: "${STEPS:=8}"` sets what it stands for. */
  assignDefault(part: ParameterExpansionPart): void {
    this.#variables.set(part.parameter, { isArray: false, words: [this.#parameter(part, 0)] })
  }

  /** `read -r -d '' COMMAND <<EOF`: what stands until EOF. */
  assignDocument(name: string, { body, delimiter }: HereDoc): void {
    if (body === undefined) return
    const whole: WordPart = { type: 'Literal', pos: body.pos, end: body.end, text: body.text, value: body.text }
    const parts = delimiter?.quoted ? [whole] : (body.parts ?? [whole])
    const words = parts.flatMap(part => this.#part(part, 0))
    this.#variables.set(name, { isArray: false, words: [joinedWords(words)], split: this.#cut(parts) })
  }

  #cut(parts: readonly WordPart[]): readonly Given[] | undefined {
    if (this.#cutInto > MAX_CUT_INTO) return undefined
    const words = splitWords(parts, part => this.#unquoted(part, 0), MAX_WORDS)
    this.#cutInto += words.length
    return words
  }

  /** A script's own options are mostly read in a loop, with what was set before as their defaults. */
  #overridable(word: Given, name: string, pos: number): Given {
    if (word.why !== undefined) return word
    const remark = `${plain(word.text)} is what ${plain(name)} is set to (${this.#shell.path}, line ${this.#shell.lineOf(word.from)}), which an argument of the script may override (line ${this.#shell.lineOf(pos)}).`
    return { ...word, remarks: [...word.remarks, remark] }
  }

  /** That nobody can tell what it is. */
  forget(name: string, pos: number, why: string): void {
    this.#variables.set(name, { isArray: false, words: [this.open(pos, name, why)] })
  }

  /** With the words that it is called with. */
  calling(words: readonly Given[]): FunctionCall {
    return new FunctionCall(this.#variables, words)
  }

  names(): readonly string[] {
    return [...this.#variables.keys()]
  }

  open(from: number, text: string, why: string): Given {
    return { text: plain(text), from, why, remarks: [] }
  }

  /** The words that a word becomes: variables without quotes are split, arrays unfold. */
  expand(word: Word, depth = 0): readonly Given[] {
    if (this.#expanded > MAX_EXPANDED)
      return [this.open(word.pos, word.text, 'the file has more words than are followed')]
    const expanded = this.#expand(word, depth)
    this.#expanded += expanded.length
    return expanded
  }

  #expand(word: Word, depth: number): readonly Given[] {
    const { parts } = word
    if (parts === undefined || parts.length === 0)
      return [{ text: word.value, from: this.#literalAt(word), remarks: [] }]
    const [only] = parts
    if (parts.length === 1 && only !== undefined) {
      if (isComment(only)) return []
      const unfolded = this.#array(only)
      if (unfolded !== undefined) return unfolded
      if (only.type === 'SimpleExpansion' || only.type === 'ParameterExpansion') return this.#unquoted(only, depth)
    }
    return [
      joinedWords(
        parts.flatMap(part => this.#part(part, depth)),
        word.pos,
      ),
    ]
  }

  #unquoted(part: WordPart, depth: number): readonly Given[] {
    const name = part.type === 'SimpleExpansion' ? part.text.slice(1) : nameAlone(part)
    const split = name === undefined ? undefined : this.#variables.get(name)?.split
    return split ?? this.#part(part, depth).flatMap(given => (given.why === undefined ? this.#split(given) : [given]))
  }

  /** The word as one text. */
  joined(word: Word, depth = 0): Given {
    const { parts } = word
    if (parts === undefined || parts.length === 0) return { text: word.value, from: this.#literalAt(word), remarks: [] }
    return joinedWords(
      parts.flatMap(part => this.#part(part, depth)),
      word.pos,
    )
  }

  /** Where the text itself begins, without the quote. */
  #literalAt({ pos, text, value }: Word): number {
    return pos + Math.max(0, text.indexOf(value))
  }

  #split(given: Given): readonly Given[] {
    return Array.from(given.text.matchAll(/\S+/g), ({ 0: text, index }) => ({
      ...given,
      text,
      from: this.#shell.text.startsWith(text, given.from + index) ? given.from + index : given.from,
    })).slice(0, MAX_WORDS)
  }

  /** `"${ARGS[@]}"` */
  #array(part: WordPart): readonly Given[] | undefined {
    const inner = part.type === 'DoubleQuoted' && part.parts.length === 1 ? part.parts[0] : part
    if (inner?.type === 'SimpleExpansion' && inner.text === '$@') return this.#variables.get('@')?.words
    if (inner?.type !== 'ParameterExpansion' || !/^[@*]$/.test(inner.index?.text ?? '')) return undefined
    const variable = this.#variables.get(inner.parameter)
    if (inner.prefix === '!' && variable?.isArray === true)
      return variable.words.map((word, index) => ({ ...word, text: String(index), from: inner.pos, isIndex: true }))
    if (inner.prefix !== undefined) return undefined
    return (
      variable?.words ?? [
        this.open(inner.pos, inner.text, `it is in ${plain(inner.text)} (line ${this.#shell.lineOf(inner.pos)})`),
      ]
    )
  }

  #part(part: WordPart, depth: number): readonly Given[] {
    const { pos, text } = part
    switch (part.type) {
      case 'Literal':
      case 'SingleQuoted':
      case 'AnsiCQuoted': {
        const inner = Math.max(0, text.indexOf(part.value))
        return [{ text: part.value, from: pos + inner, remarks: [] }]
      }
      case 'DoubleQuoted':
      case 'LocaleString':
        if (part.parts.length === 0) return [{ text: '', from: pos, remarks: [] }]
        return part.parts.flatMap(each => this.#part(each, depth))
      case 'Glob':
      case 'ExtendedGlob':
      case 'BraceExpansion':
        return [{ text, from: pos, remarks: [] }]
      case 'SimpleExpansion':
        return [this.#variable(text.slice(1), pos, text)]
      case 'ParameterExpansion':
        return [this.#parameter(part, depth)]
      case 'CommandExpansion':
        if (isComment(part)) return [{ text: '', from: pos, remarks: [] }]
        return [
          this.#ownFolder(text, pos) ??
            this.#counted(text, pos) ??
            this.#commanded(part) ??
            this.open(pos, text, this.#computed(text, pos)),
        ]
      case 'ArithmeticExpansion':
        return [
          this.#arithmetic(part.expression, part, operand =>
            operand.type === 'ArithmeticWord' && operand.parts !== undefined
              ? operand.parts.flatMap(each => this.#part(each, depth + 1))
              : [this.#operand(operand)],
          ),
        ]
      case 'ProcessSubstitution':
        return [this.open(pos, text, this.#computed(text, pos))]
    }
  }

  #computed(text: string, pos: number): string {
    return `${plain(text)} is computed when it runs (line ${this.#shell.lineOf(pos)})`
  }

  /** Open for the first of its words that is, and where it does not come to a number. */
  #arithmetic(
    expression: ArithmeticExpression | undefined,
    { pos, text }: Pick<WordPart, 'pos' | 'text'>,
    operandsOf: (operand: Operand) => readonly Given[],
  ): Given {
    const words: Given[] = []
    const result =
      expression &&
      arithmetic(expression, word => {
        const [given] = operandsOf(word)
        if (given === undefined) return undefined
        words.push(given)
        return given.why === undefined && /^-?\d{1,15}$/.test(given.text) ? Number(given.text) : undefined
      })
    const why = words.find(word => word.why !== undefined)?.why
    if (result === undefined) return this.open(pos, text, why ?? this.#computed(text, pos))
    return { text: String(result), from: pos, remarks: remarksOf(words) }
  }

  /** What a command computes of whole numbers. */
  #commanded({ pos, text }: Pick<WordPart, 'pos' | 'text'>): Given | undefined {
    const written = asArithmetic(text)
    const [statement] = written === undefined ? [] : parse(`: $((${written}))`).commands
    const word = statement?.command.type === 'Command' ? statement.command.suffix[0] : undefined
    const part = word?.type === 'Word' ? word.parts?.[0] : undefined
    if (part?.type !== 'ArithmeticExpansion') return undefined
    return this.#arithmetic(part.expression, { pos, text }, operand => [this.#operand({ ...operand, pos })])
  }

  /** Arithmetic names variables with or without a dollar. */
  #operand(operand: Operand): Given {
    const { pos } = operand
    if (operand.type === 'ArithmeticCommandExpansion') {
      const { text } = operand
      return this.#counted(text, pos) ?? this.open(pos, text, this.#computed(text, pos))
    }
    const { value } = operand
    const [, name] = /^(?:\$?|\$\{)([A-Za-z_]\w*)\}?$/.exec(value) ?? []
    return name === undefined ? { text: value, from: pos, remarks: [] } : this.#variable(name, pos, value)
  }

  #ownFolder(text: string, pos: number): Given | undefined {
    if (isWorkingFolder(text) && pos < this.#shell.firstChange) {
      const remark = `${plain(text)} (${this.#shell.path}, line ${this.#shell.lineOf(pos)}) is taken to be the root of the repository.`
      return { text: '.', from: pos, remarks: [remark] }
    }
    const folder = ownFolder(text, this.#shell.path, name => {
      const word = this.get(name)
      return word?.why === undefined ? word?.text : undefined
    })
    return folder === undefined ? undefined : { text: folder, from: pos, remarks: [] }
  }

  #counted(text: string, pos: number): Given | undefined {
    const list = countedList(text)
    const gpus = this.#variables.get(GPUS_OF_JOB)?.words[0]
    const asks = list === undefined ? countsMachine(text) : isListOfJob(list.name) && !this.#variables.has(list.name)
    const isJobs = asks && !this.#variables.has(VISIBLE_GPUS)
    if (gpus !== undefined && isJobs) {
      const remark = `${plain(text)} is taken to count the ${plain(gpus.text)} GPUs that the job asks for (line ${this.#shell.lineOf(gpus.from)}).`
      return { text: String(Number(gpus.text) - Number(list?.isOfCommas ?? false)), from: pos, remarks: [remark] }
    }
    const word = list && this.#variable(list.name, pos, text)
    if (word === undefined || word.why !== undefined) return word
    return { ...word, text: String(word.text.split(',').length - Number(list?.isOfCommas)), from: pos }
  }

  /** `read -ra GPUS <<< "$LIST"` with a separator: an array of its parts. */
  assignSplit(name: string, word: Word, separator: string): void {
    const whole = this.joined(word)
    const parts = whole.text.split(separator).map(text => ({ ...whole, text }))
    this.#variables.set(name, { isArray: true, words: whole.why === undefined ? parts.slice(0, MAX_WORDS) : [whole] })
  }

  #variable(name: string, pos: number, text: string): Given {
    const [first] = this.#variables.get(name)?.words ?? []
    if (first !== undefined) return first
    const line = this.#shell.lineOf(pos)
    if (/^(?:[\d@*#]|OPTARG$)/.test(name))
      return { ...this.open(pos, text, `${plain(text)} is an argument of the script (line ${line})`), isArgument: true }
    return { ...this.open(pos, text, `${plain(text)} is not set in the file (line ${line})`), isNowhereSet: true }
  }

  #parameter(part: ParameterExpansionPart, depth: number): Given {
    const { parameter, operation, pos, text, prefix } = part
    if (prefix === '#' && /^[@*]$/.test(part.index?.text ?? '')) return this.#lengthOf(parameter, pos, text)
    const element = prefix === undefined && operation === undefined ? this.#element(part) : undefined
    if (element !== undefined) return element
    if (prefix !== undefined || part.index !== undefined || depth > MAX_DEPTH)
      return this.open(pos, text, this.#computed(text, pos))
    if (operation === undefined) return this.#variable(parameter, pos, text)
    if (operation.type === 'Default' && /^:?[-=]$/.test(operation.operator)) {
      const set = this.#variables.get(parameter)?.words[0]
      const isUnset = set?.isArgument ?? set?.isUnsetAlone ?? (set?.why === undefined && set?.text === '')
      if (set !== undefined && !isUnset) return set
      const given = this.joined(operation.operand, depth + 1)
      const remark = `${plain(given.text)} is the default of ${plain(text)} (${this.#shell.path}, line ${this.#shell.lineOf(pos)}), which the environment or an argument may override.`
      return { ...given, remarks: [...given.remarks, remark] }
    }
    if (operation.type === 'Replace' && /^\/\/?$/.test(operation.operator)) {
      const { pattern, replacement } = operation
      const given = this.#variable(parameter, pos, text)
      if (given.why !== undefined) return given
      const isPlain = pattern.parts === undefined && replacement.parts === undefined
      // Other patterns are globs.
      if (isPlain && /^[\w,:; ./-]+$/.test(pattern.value)) {
        const most = operation.operator === '//' ? Number.POSITIVE_INFINITY : 1
        const replaced = withReplaced(given.text, pattern.value, replacement.value, most)
        if (replaced !== undefined) return { ...given, text: replaced }
      }
    }
    return this.open(pos, text, this.#computed(text, pos))
  }

  /** `${MODELS[$i]}`, `${MODELS[0]}`: undefined where the array or the index is not known. A number is one of several in a loop. */
  #element({ parameter, index, pos, text }: ParameterExpansionPart): Given | undefined {
    const [, name, digits] = /^(?:\$?\{?([A-Za-z_]\w*)\}?|(\d+))$/.exec(index?.text ?? '') ?? []
    const at = name === undefined ? undefined : this.#variables.get(name)?.words[0]
    const variable = this.#variables.get(parameter)
    if (variable?.isArray !== true || at?.why !== undefined) return undefined
    const word = variable.words[Number(at?.text ?? digits ?? Number.NaN)]
    if (word === undefined) return undefined
    const isOpen = at?.isIndex === true && isNumber(word) && word.why === undefined
    const why = `${plain(text)} is one of a loop's values (line ${this.#shell.lineOf(pos)})`
    return { ...word, remarks: remarksOf([word, ...(at ? [at] : [])]), ...(isOpen && { why }) }
  }

  /** `${#GPUS[@]}`, of an array whose words are known. */
  #lengthOf(name: string, pos: number, text: string): Given {
    const variable = this.#variables.get(name)
    const unclear = variable?.words.find(({ why }) => why !== undefined)
    if (variable === undefined || unclear !== undefined)
      return this.open(pos, text, unclear?.why ?? this.#computed(text, pos))
    return { text: String(variable.words.length), from: pos, remarks: remarksOf(variable.words) }
  }
}
