/** Text → YAML tokens, as many as a config can have: what is read of a file is bounded before any of it is built. */
import { type Composer, Lexer, Parser } from 'yaml'
import type { Problem } from '../../base/errors.ts'

export type Token = Parameters<Composer['next']>[0]

export type Tokens =
  | { readonly kind: 'tokens'; readonly tokens: readonly Token[] }
  /** `problem`: what there is too much of, at `offset`. */
  | { readonly kind: 'too-much'; readonly offset: number; readonly problem: Problem }

/** One mistake can make every later line wrong. */
export const MAX_SYNTAX_PROBLEMS = 10

const MAX_DEPTH = 100
/** Words, punctuation, comments and line ends; `key: value` and its line end take six. Real configs stay below a tenth of it. */
const MAX_LEXEMES = 60_000
const MAX_DOCUMENTS = 1_000

/** The library's lexer and parser keep their own stack; later stages recurse, so depth is checked here. */
export function tokenize(text: string): Tokens {
  const parser = new Parser()
  const tokens: Token[] = []
  let [lexemes, documents, mistakes] = [0, 0, 0]
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token)
      if (token.type === 'document') documents++
      if (token.type === 'error') mistakes++
    }
    lexemes += partsOf(lexeme)
    const { offset } = parser
    // The document itself is on the stack too.
    if (parser.stack.length > MAX_DEPTH + 1) return { kind: 'too-much', offset, problem: tooDeep }
    if (lexemes > MAX_LEXEMES) return { kind: 'too-much', offset, problem: tooLong() }
    if (documents > MAX_DOCUMENTS) return { kind: 'too-much', offset, problem: tooManyDocuments() }
    if (mistakes >= MAX_SYNTAX_PROBLEMS) break
  }
  for (const token of parser.end()) tokens.push(token)
  return { kind: 'tokens', tokens }
}

/** Every escape of a quoted text may be a mistake of its own. */
function partsOf(lexeme: string): number {
  return lexeme.startsWith('"') ? lexeme.split('\\').length : 1
}

const tooDeep: Problem = {
  code: 'file-too-deep',
  message: `The file is nested more than ${MAX_DEPTH} levels deep here`,
  fix: 'Flatten it, or exclude the file from the check.',
}

function tooLong(): Problem {
  return {
    code: 'file-too-long',
    message: `Up to here the file has ${count(MAX_LEXEMES)} words, punctuation marks and line ends; training configs are read up to that many`,
    fix: 'Move data out of the config, or exclude the file from the check.',
  }
}

function tooManyDocuments(): Problem {
  return {
    code: 'too-many-documents',
    message: `The file holds more than ${count(MAX_DOCUMENTS)} documents`,
    fix: 'Keep training configs in files of their own, or exclude the file from the check.',
  }
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}
