/** The commands of a shell script in the order in which they stand, with their words expanded. Nothing is executed. */
import {
  type AndOr,
  type Assignment,
  type Case,
  type Command,
  type CommandNode,
  type CompoundList,
  type For,
  type If,
  type PipelineNode,
  parse,
  type Select,
  type Function as ShellFunction,
  type Statement,
  type Word,
  type WordPart,
} from 'unbash'
import { plain } from '../text/quote.ts'
import { isTest, type Truth, truthOf, truthOfTest } from './conditions.ts'
import { type Given, isNumber, remarksOf } from './given.ts'
import type { KnownWord, ShellText } from './shell-text.ts'
import { defaultsIn, wordsWithin } from './split-words.ts'
import { Environment } from './words.ts'

/** A command as it would be run. */
export interface ShellCommand {
  readonly words: readonly Given[]
  /** What is set for it alone or before it: `CUDA_VISIBLE_DEVICES=0`. */
  readonly variable: (name: string) => Given | undefined
  readonly at: number
}

const MAX_COMMANDS = 5_000
/** The parser goes through all that wait for their text at each further one. */
const MAX_HERE_DOCUMENTS = 1_000
const MAX_DEPTH = 60
/** Functions that call one another. */
const MAX_CALLS_DEEP = 12

/** None of a script with a thousand here-documents. `known`: what the environment holds before the first command. */
export function commandsIn(
  shell: ShellText,
  known: ReadonlyMap<string, KnownWord> = new Map(),
): readonly ShellCommand[] {
  const walk = new Walk(shell, known)
  if (shell.text.split('<<', MAX_HERE_DOCUMENTS + 2).length > MAX_HERE_DOCUMENTS + 1) return []
  walk.statements(parse(shell.text).commands, 0)
  walk.uncalledFunctions()
  return walk.found.toSorted((one, other) => one.at - other.at)
}

/** Files that are read in for paths, modules and secrets. */
const ofEnvironment = /activate|bashrc|profile|conda|venv|modules?|setvars|\/etc\/|(?:^|\/)\.env["']?$/i

/** Words that stand in the text more than once: a function of another name is called by none. */
function wordsTwice(text: string): ReadonlySet<string> {
  const once = new Set<string>()
  const twice = new Set<string>()
  for (const [word] of text.matchAll(/[\w:.-]+/g)) (once.has(word) ? twice : once).add(word)
  return twice
}

class Walk {
  readonly found: ShellCommand[] = []
  readonly #shell: ShellText
  readonly #environment: Environment
  #steps = 0
  /** Why what is set here may be otherwise: it stands in a branch or a loop. */
  #inBranch: string | undefined
  /** What the reader of anything set here must know: that the branch is taken by a default. */
  #remarks: readonly string[] = []
  #wordsTwice: ReadonlySet<string> | undefined
  /** By name, with whether the file calls it. */
  readonly #functions = new Map<string, { readonly definition: ShellFunction; isCalled: boolean }>()

  constructor(shell: ShellText, known: ReadonlyMap<string, KnownWord>) {
    this.#shell = shell
    this.#environment = new Environment(shell, known)
  }

  statements(statements: readonly Statement[], depth: number): void {
    for (const { command } of statements) {
      if (++this.#steps > MAX_COMMANDS || depth > MAX_DEPTH) return
      if (command.type === 'AndOr') this.#andOr(command, depth)
      else this.#pipeline(command, depth)
    }
  }

  /** What stands behind a test runs by it, `[ -n "$AMP" ] && FLAGS="$FLAGS --fp16"`, and behind `||` where a command fails. */
  #andOr({ commands, operators, pos }: AndOr, depth: number): void {
    const before = { inBranch: this.#inBranch, remarks: this.#remarks }
    // Of the test before; any other command is taken to succeed, and may fail.
    let last: Truth | 'open' | undefined
    for (const [index, each] of commands.entries()) {
      const operator = operators[index - 1]
      if (operator !== undefined && typeof last === 'object' && last.holds === (operator === '||')) continue
      if (typeof last === 'object') this.#remarks = remarksOf([{ remarks: this.#remarks }, last])
      if (last === 'open' || (operator === '||' && last === undefined))
        this.#inBranch ??= `it is set under a condition (line ${this.#shell.lineOf(pos)})`
      const isAssignment = each.type === 'Command' && each.name === undefined
      if (isTest(each)) last = truthOfTest(each, this.#environment) ?? 'open'
      else if (last !== 'open') last = isAssignment ? { holds: true, remarks: [] } : undefined
      this.#pipeline(each, depth)
    }
    this.#inBranch = before.inBranch
    this.#remarks = before.remarks
  }

  #pipeline(node: PipelineNode, depth: number): void {
    if (node.type === 'Pipeline') for (const each of node.commands) this.#node(each, depth)
    else this.#node(node, depth)
  }

  #node(node: CommandNode, depth: number): void {
    const line = this.#shell.lineOf(node.pos)
    const branch = (lists: readonly (CompoundList | undefined)[], why: string) => {
      const before = this.#inBranch
      this.#inBranch ??= why
      for (const list of lists) if (list !== undefined) this.statements(list.commands, depth + 1)
      this.#inBranch = before
    }
    switch (node.type) {
      case 'Command':
        this.#command(node, depth)
        return
      case 'Redirected':
        this.#node(node.command, depth)
        return
      case 'If':
        this.#if(node, depth, lists => branch(lists, `it is set under a condition (line ${line})`))
        return
      case 'Case':
        this.#case(node, depth, lists => branch(lists, `it is set under a condition (line ${line})`))
        return
      case 'For':
      case 'Select':
        this.#loop(node, depth, () => branch([node.body], `it is set in a loop (line ${line})`))
        return
      case 'While':
      case 'ArithmeticFor':
        branch([node.body], `it is set in a loop (line ${line})`)
        return
      case 'Subshell':
      case 'BraceGroup':
        this.statements(node.body.commands, depth + 1)
        return
      case 'Function':
        if (node.body.type === 'CompoundList') branch([node.body], `it is set in a function (line ${line})`)
        else if (!this.#named().has(node.name.value)) this.#function(node, depth)
        else this.#functions.set(node.name.value, { definition: node, isCalled: false })
        return
      case 'Coproc':
        if (node.body.type !== 'CompoundList') this.#node(node.body, depth + 1)
        return
      case 'TestCommand':
      case 'ArithmeticCommand':
        return
    }
  }

  /**
   * Of a loop over words, its first turn is what starts trainings; what it sets is known in that turn alone. A loop over numbers tries
   * sizes and rates, none of which stands for the others.
   */
  #loop({ name, wordlist = [], body, pos }: For | Select, depth: number, branch: () => void): void {
    const words = wordlist.flatMap(word => this.#environment.expand(word))
    const [first] = words
    const line = this.#shell.lineOf(pos)
    const isOpen = words.some(({ why }) => why !== undefined) || words.every(word => isNumber(word) && !word.isIndex)
    if (first !== undefined && words.length === 1 && first.why === undefined) this.#environment.set(name.value, first)
    else if (first === undefined || isOpen)
      this.#environment.forget(name.value, pos, `$${name.value} is one of a loop's values (line ${line})`)
    else {
      const remark = `Of the ${words.length} turns of the loop over $${name.value} (${this.#shell.path}, line ${line}), the first is read.`
      const saved = this.#environment.save()
      this.#environment.set(name.value, { ...first, remarks: remarksOf([first, { remarks: [remark] }]) })
      this.statements(body.commands, depth + 1)
      this.#environment.restore(saved)
      this.#environment.forget(name.value, pos, `$${name.value} is one of a loop's values (line ${line})`)
      const found = this.found.length
      branch()
      this.found.length = found
      return
    }
    branch()
  }

  /** The branch that is taken, where the file tells which; else all of them. */
  #if(
    { clause, then, elif, else: otherwise }: If,
    depth: number,
    branch: (lists: readonly (CompoundList | undefined)[]) => void,
  ): void {
    const cases = [{ clause, then }, ...elif]
    const before = this.#remarks
    // `if ! torchrun train.py …; then`
    this.statements(clause.commands, depth + 1)
    for (const [index, each] of cases.entries()) {
      const truth = truthOf(each.clause, this.#environment)
      if (truth === undefined) {
        branch([...cases.slice(index).map(rest => rest.then), otherwise])
        this.#remarks = before
        return
      }
      this.#remarks = remarksOf([{ remarks: this.#remarks }, truth])
      if (!truth.holds) continue
      this.statements(each.then.commands, depth + 1)
      this.#remarks = before
      return
    }
    if (otherwise !== undefined) this.statements(otherwise.commands, depth + 1)
    this.#remarks = before
  }

  /** The first item whose pattern is the word, where the file tells that; else all of them. */
  #case({ word, items }: Case, depth: number, branch: (lists: readonly (CompoundList | undefined)[]) => void): void {
    const given = this.#environment.joined(word)
    const patterns = items.map(({ pattern }) => pattern.map(each => this.#environment.joined(each)))
    const isPlain = ({ text, why }: Given) => why === undefined && (text === '*' || !/[*?[]/.test(text))
    const isTold =
      given.why === undefined &&
      patterns.flat().every(isPlain) &&
      items.every(({ terminator }) => terminator === undefined || terminator === ';;')
    if (!isTold) {
      branch(items.map(({ body }) => body))
      return
    }
    const chosen = patterns.findIndex(each => each.some(({ text }) => text === '*' || text === given.text))
    const before = this.#remarks
    this.#remarks = remarksOf([{ remarks: before }, given])
    this.statements(items[chosen]?.body.commands ?? [], depth + 1)
    this.#remarks = before
  }

  /** One that the file does not call, or not by its name. */
  #function({ body, pos }: ShellFunction, depth: number): void {
    const before = this.#inBranch
    this.#inBranch ??= `it is set in a function (line ${this.#shell.lineOf(pos)})`
    if (depth < MAX_DEPTH && body.type !== 'CompoundList') this.#node(body, depth + 1)
    this.#inBranch = before
  }

  #named(): ReadonlySet<string> {
    this.#wordsTwice ??= wordsTwice(this.#shell.text)
    return this.#wordsTwice
  }

  uncalledFunctions(): void {
    for (const { definition, isCalled } of this.#functions.values()) if (!isCalled) this.#function(definition, 0)
  }

  /** `train bert-base-uncased 32` runs what stands in `train() { … }` with these as `$1` and `$2`; false for no such function. */
  #call([name, ...given]: readonly Given[], depth: number): boolean {
    const called = this.#functions.get(name?.text ?? '')
    if (called === undefined || name?.why !== undefined) return false
    const { body } = called.definition
    if (depth >= MAX_CALLS_DEEP || body.type === 'CompoundList') return false
    called.isCalled = true
    const around = this.#environment.call
    const call = this.#environment.calling(given)
    this.#environment.call = call
    this.#node(body, depth + 1)
    call.end()
    this.#environment.call = around
    return true
  }

  #command({ name, prefix, suffix, pos }: Command, depth: number): void {
    const own = prefix.filter(each => each.type === 'Assignment')
    if (name === undefined) {
      for (const assignment of own) this.#assign(assignment, depth)
      return
    }
    const declared = /^(?:export|declare|local|readonly|typeset)$/.test(name.value)
    if (declared) {
      for (const each of suffix) {
        if (each.type !== 'Assignment') continue
        if (name.value === 'local') this.#environment.call?.local(each.name)
        this.#assign(each, depth)
      }
      return
    }
    if (name.value === 'shift') this.#environment.call?.shift(suffix[0])
    if (name.value === ':' && this.#inBranch === undefined)
      for (const each of suffix)
        for (const part of each.type === 'Word' ? defaultsIn(each) : []) this.#environment.assignDefault(part)
    if (name.value === 'read' && (this.#splitList(own, suffix) || this.#readDocument(suffix))) return
    if (/^(?:read|mapfile|readarray|getopts|source|\.|eval)$/.test(name.value)) {
      for (const each of suffix)
        if (each.type === 'Word' && /^[A-Za-z_]\w*$/.test(each.value))
          this.#environment.forget(
            each.value,
            each.pos,
            `$${each.value} is read when it runs (line ${this.#shell.lineOf(each.pos)})`,
          )
    }
    const [sourced] = /^(?:source|\.)$/.test(name.value) ? suffix : []
    if (sourced?.type === 'Word' && !ofEnvironment.test(sourced.text)) this.#doubtNumbers(sourced)
    const given = [name, ...suffix].flatMap(each => {
      if (each.type === 'Word') return this.#environment.expand(each)
      // `key=value` after the command's name is a word of it.
      return each.type === 'Assignment' ? [this.#keyValue(each)] : []
    })
    const words = name.value === 'eval' ? given.flatMap(each => wordsWithin(each, this.#shell.text)) : given
    if (this.#call(words, depth)) return
    const ownValues = new Map(
      own.map(each => [each.name, each.value.type === 'Word' ? this.#environment.joined(each.value) : undefined]),
    )
    // What a script sets later is not what this command sees.
    const before = new Map(
      ['CUDA_VISIBLE_DEVICES', 'NPROC_PER_NODE', 'NNODES', 'FORCE_TORCHRUN'].map(key => [
        key,
        this.#environment.get(key),
      ]),
    )
    this.found.push({ words, variable: key => ownValues.get(key) ?? before.get(key), at: pos })
  }

  /** `BS=64`, and then `source settings.sh`, which may set it anew. */
  #doubtNumbers({ text, pos }: Word): void {
    const numbers = this.#environment
      .names()
      .filter(name => /^(?:\d+|true|false)$/i.test(this.#environment.get(name)?.text ?? ''))
    const line = this.#shell.lineOf(pos)
    for (const name of numbers)
      this.#environment.forget(name, pos, `$${name} may be set anew by what ${plain(text)} holds (line ${line})`)
  }

  /** `IFS=',' read -ra GPUS <<< "$LIST"`; false for all other reading. */
  #splitList(own: readonly Assignment[], suffix: Command['suffix']): boolean {
    const separator = own.find(({ name }) => name === 'IFS')?.value
    const [name] = suffix.flatMap(each =>
      each.type === 'Word' && /^[A-Za-z_]\w*$/.test(each.value) ? [each.value] : [],
    )
    const options = suffix.flatMap(each => (each.type === 'Word' && each.value.startsWith('-') ? [each.value] : []))
    const list = suffix.find(each => each.type === 'HereString')
    const isSplit = /^(?:r?a|ar)$/.test(options.join('').replaceAll('-', ''))
    if (separator?.type !== 'Word' || separator.value.length !== 1 || name === undefined) return false
    if (!isSplit || list?.type !== 'HereString' || list.target === undefined || this.#inBranch !== undefined)
      return false
    this.#environment.assignSplit(name, list.target, separator.value)
    return true
  }

  /** `read -r -d '' COMMAND <<EOF`; false for all other reading, of which one line is what it reads. */
  #readDocument(suffix: Command['suffix']): boolean {
    const words = suffix.flatMap(each => (each.type === 'Word' ? [each] : []))
    const document = suffix.find(each => each.type === 'HereDoc')
    const [name, ...others] = words.filter(({ value }) => /^[A-Za-z_]\w*$/.test(value))
    const endsNowhere = words.some(
      ({ value, text }, index) => /^-r?d$/.test(value) && /^(?:''|"")$/.test(words[index + 1]?.text ?? text),
    )
    if (document?.type !== 'HereDoc' || name === undefined || others.length > 0) return false
    if (!endsNowhere || this.#inBranch !== undefined) return false
    this.#environment.assignDocument(name.value, document)
    return true
  }

  /** `FOLDER=$(python train.py … | tail -n 1)` runs what stands in it. */
  #assign(assignment: Assignment, depth: number): void {
    const { value } = assignment
    const written: readonly WordPart[] = value.type === 'Word' ? (value.parts ?? []) : []
    const parts = written.flatMap((each): readonly WordPart[] => (each.type === 'DoubleQuoted' ? each.parts : [each]))
    for (const part of parts)
      if (part.type === 'CommandExpansion' && part.script !== undefined)
        this.statements(part.script.commands, depth + 1)
    this.#environment.assign(assignment, this.#inBranch, this.#remarks)
  }

  #keyValue({ pos, text, name, value }: Assignment): Given {
    if (value.type !== 'Word') return { text, from: pos, remarks: [] }
    const joined = this.#environment.joined(value)
    return {
      ...joined,
      text: `${name}=${joined.text}`,
      from: joined.from - (joined.why === undefined ? name.length + 1 : 0),
    }
  }
}
