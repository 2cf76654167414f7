/** Text → mappings with positions. Reports everything that can be wrong with a file before its keys are interpreted. */
import { Composer, type Document, isMap, isScalar, Lexer, LineCounter, type ParsedNode, Parser, visit } from 'yaml'
import type { Problem } from '../errors.ts'
import { MIB } from '../units.ts'
import { firstJsonError } from './json-syntax.ts'
import { plain, quote } from './quote.ts'
import type { SourceFile } from './reading.ts'
import { isMergeKey, rangeOf, Section } from './section.ts'

export type ParsedFile =
  /** The mappings at the top of the file's documents; JSON has one document, YAML any number. */
  | { readonly kind: 'document'; readonly mappings: readonly Section[] }
  | { readonly kind: 'unreadable'; readonly problems: readonly Problem[] }

const MAX_BYTES = MIB
const MAX_DEPTH = 100
/** Resolving an alias walks the whole document, so their number is capped too. */
const MAX_ALIASES = 100
/** One mistake can make every later line wrong. */
const MAX_SYNTAX_PROBLEMS = 10

type Token = Parameters<Composer['next']>[0]
type Describe = (offset: number, problem: Problem) => Problem

/** Never throws for a file's content, and takes time linear in its length. */
export function parseFile(file: SourceFile): ParsedFile {
  const text = file.text.replace(/^\uFEFF/, '')
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_BYTES) return unreadable([{ ...tooLarge(bytes), file: file.path }])

  const lines = new LineCounter()
  const describe: Describe = (offset, problem) => {
    const { line, col } = lines.linePos(Math.min(offset, text.length))
    return { ...problem, file: file.path, line, column: Math.max(col, 1) }
  }
  const tokens = tokenize(text, lines)
  if (tokens.kind === 'too-deep') return unreadable([describe(tokens.offset, tooDeep)])

  const isJson = /\.json$/i.test(file.path)
  const jsonError = isJson ? firstJsonError(text) : undefined
  if (jsonError !== undefined) return unreadable([describe(jsonError, notJson(text, jsonError))])

  const documents = compose(tokens.tokens, isJson)
  const problems = documents.flatMap(document => problemsOf(document, describe))
  if (problems.length > 0) return unreadable(problems.slice(0, MAX_SYNTAX_PROBLEMS))
  return {
    kind: 'document',
    mappings: documents.flatMap(document =>
      isMap(document.contents) ? [new Section({ document, text, lines }, document.contents)] : [],
    ),
  }
}

type Tokens =
  | { readonly kind: 'tokens'; readonly tokens: readonly Token[] }
  | { readonly kind: 'too-deep'; readonly offset: number }

/** The library's lexer and parser keep their own stack; later stages recurse, so depth is checked here. */
function tokenize(text: string, lines: LineCounter): Tokens {
  lines.addNewLine(0)
  const parser = new Parser(lines.addNewLine)
  const tokens: Token[] = []
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token)
    // The document itself is on the stack too.
    if (parser.stack.length > MAX_DEPTH + 1) return { kind: 'too-deep', offset: parser.offset }
  }
  for (const token of parser.end()) tokens.push(token)
  return { kind: 'tokens', tokens }
}

/** YAML 1.1 as PyYAML reads it, since that is what training tools use: `yes` is a flag and `<<` merges. */
function compose(tokens: readonly Token[], isJson: boolean): readonly Document<ParsedNode, true>[] {
  // The library compares every key with every other; `duplicateKeys` takes linear time.
  const options = { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' } as const
  const dialect = isJson ? ({ schema: 'json' } as const) : ({ version: '1.1' } as const)
  return [...new Composer<ParsedNode, true>({ ...options, ...dialect }).compose(tokens)]
}

function problemsOf(document: Document<ParsedNode, true>, describe: Describe): readonly Problem[] {
  if (document.errors.length > 0) {
    return firstOfEachLine(document.errors.map(({ pos, message }) => describe(pos[0], notYaml(message))))
  }
  return [...duplicateKeys(document, describe), ...aliasProblems(document, describe)]
}

/** One mistake is often reported several times at the same place. */
function firstOfEachLine(problems: readonly Problem[]): readonly Problem[] {
  const lines = new Set<number | undefined>()
  return problems.filter(({ line }) => !lines.has(line) && lines.add(line))
}

function duplicateKeys(document: Document, describe: Describe): readonly Problem[] {
  const problems: Problem[] = []
  visit(document, {
    Map(_, map) {
      const seen = new Set<unknown>()
      for (const { key } of map.items) {
        if (!isScalar(key) || isMergeKey(key)) continue
        if (seen.has(key.value)) problems.push(describe(rangeOf(key)[0], duplicateKey(String(key.value))))
        seen.add(key.value)
      }
    },
  })
  return problems
}

function aliasProblems(document: Document, describe: Describe): readonly Problem[] {
  const offsets: number[] = []
  visit(document, {
    Alias(_, alias) {
      offsets.push(rangeOf(alias)[0])
    },
  })
  const [first] = offsets
  if (first === undefined) return []
  if (offsets.length > MAX_ALIASES) return [describe(first, badAliases(`The file has ${offsets.length} aliases`))]
  try {
    document.toJS({ maxAliasCount: MAX_ALIASES, mapAsMap: true })
    return []
  } catch (error) {
    // The library throws plain errors here: an unknown anchor, an alias within its own anchor, an alias bomb.
    return [
      describe(first, badAliases(error instanceof Error ? plain(error.message) : 'The aliases cannot be resolved')),
    ]
  }
}

function unreadable(problems: readonly Problem[]): ParsedFile {
  return { kind: 'unreadable', problems }
}

function tooLarge(bytes: number): Problem {
  return {
    code: 'file-too-large',
    message: `The file is ${(bytes / MIB).toFixed(1)} MiB; training configs are read up to 1 MiB`,
    fix: 'Move data out of the config, or exclude the file from the check.',
  }
}

const tooDeep: Problem = {
  code: 'file-too-deep',
  message: `The file is nested more than ${MAX_DEPTH} levels deep here`,
  fix: 'Flatten it, or exclude the file from the check.',
}

/** What scripts replace before anybody parses the file: `GB_SIZE`, `${BATCH}`, `{{ batch }}`, `<batch>`, `@BATCH@`. */
const placeholder =
  /(?:[A-Z][A-Z0-9_]{2,60}|\$\{[^{}\n]{1,80}\}|\$\w{1,60}|\{\{[^{}\n]{1,80}\}\}|<[\w ]{1,60}>|@\w{1,60}@)(?=\s*[,}\]])/y

/** The placeholder where a value should be; JSON takes the first brace of `{{` for an object. */
function placeholderAt(text: string, offset: number): string | undefined {
  const start = text.startsWith('{{', offset - 1) ? offset - 1 : offset
  if (!/[:,[]\s*$/.test(text.slice(Math.max(0, start - 100), start))) return undefined
  placeholder.lastIndex = start
  return placeholder.exec(text)?.[0]
}

function notJson(text: string, offset: number): Problem {
  const filledIn = placeholderAt(text, offset)
  if (filledIn !== undefined) {
    return {
      code: 'template',
      message: `A template: a script replaces ${quote(filledIn)} with a value, so its settings cannot be determined from the file`,
      fix: 'Check the file that the script writes, and add this one to ignore in .github/memorymark.yml.',
    }
  }
  const found =
    offset < text.length ? `Not valid JSON at ${quote(text.slice(offset, offset + 20))}` : 'The JSON ends early'
  return {
    code: 'not-json',
    message: found,
    fix: 'Correct the JSON there; it allows no comments, trailing commas or single quotes.',
  }
}

function notYaml(message: string): Problem {
  // The library's message for `report_to:wandb`.
  const isKeyAlone = /^Implicit (?:map )?keys need/.test(message)
  return {
    code: 'not-yaml',
    message: isKeyAlone
      ? 'Not valid YAML: a key without a value, or without the space after its colon'
      : `Not valid YAML: ${plain(message)}`,
    fix: isKeyAlone
      ? 'Write the line as key: value.'
      : 'Correct the YAML there; indent with spaces, and quote text that contains special characters.',
  }
}

function duplicateKey(key: string): Problem {
  return {
    code: 'duplicate-key',
    message: `The key ${quote(key)} is set twice in the same mapping`,
    fix: 'Keep one of the two.',
  }
}

function badAliases(message: string): Problem {
  return {
    code: 'bad-alias',
    message,
    fix: `Write the values out instead of aliasing them; at most ${MAX_ALIASES} expansions of an anchor are read.`,
  }
}
