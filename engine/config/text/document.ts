/** Text → mappings with positions. Reports everything that can be wrong with a file before its keys are interpreted. */
import {
  Composer,
  type Document,
  type DocumentOptions,
  isMap,
  isScalar,
  LineCounter,
  type ParsedNode,
  type ScalarTag,
  type SchemaOptions,
  visit,
  type YAMLParseError,
} from 'yaml'
import type { Problem } from '../../base/errors.ts'
import { MAX_CONFIG_BYTES } from '../../base/limits.ts'
import { utf8Bytes } from '../../base/utf8.ts'
import type { SourceFile } from '../reading.ts'
import { isMergeKey, MAX_EXPANDED_NODES, resolveAliases } from './aliases.ts'
import { firstJsonError } from './json-syntax.ts'
import { withQuotesOnOneLine } from './outdented-quotes.ts'
import { plain, quote } from './quote.ts'
import { rangeOf, Section } from './section.ts'
import { MAX_SYNTAX_PROBLEMS, type Token, tokenize } from './tokens.ts'

export type ParsedFile =
  /**
   * The mappings at the top of the file's documents; JSON has one document, YAML any number. `repeated`: keys that a mapping sets
   * twice, of which the last counts, as PyYAML and Python's json have it.
   */
  | { readonly kind: 'document'; readonly mappings: readonly Section[]; readonly repeated: readonly Problem[] }
  | { readonly kind: 'unreadable'; readonly problems: readonly Problem[] }

const noMapping: ParsedFile = { kind: 'document', mappings: [], repeated: [] }

/** A list, or a tokenizer as tokenizers 0.22 saves it: what is as large as that is data, of which GitHub may hand out only the beginning. */
const startsAsData = /^\s*(?:\[|\{\s*"version"\s*:\s*"1\.0"\s*,\s*"truncation"\s*:)/

type Describe = (offset: number, problem: Problem) => Problem

/** Never throws for a file's content, and takes time linear in its length. */
export function parseFile(file: SourceFile): ParsedFile {
  const text = file.text.replace(/^\uFEFF/, '')
  const bytes = file.sizeBytes ?? utf8Bytes(text)
  const isJson = /\.json$/i.test(file.path)
  if (bytes > MAX_CONFIG_BYTES)
    return isJson && startsAsData.test(text) ? noMapping : unreadable([{ ...tooLarge(bytes), file: file.path }])

  const lines = linesOf(text)
  const describe: Describe = (offset, problem) => {
    const { line, col } = lines.linePos(Math.min(offset, text.length))
    return { ...problem, file: file.path, line, column: Math.max(col, 1) }
  }
  const tokens = tokenize(text)
  if (tokens.kind === 'too-much') {
    // A list, however long, is no training config.
    if (isJson && /^\s*\[/.test(text) && firstJsonError(text) === undefined) return noMapping
    return unreadable([describe(tokens.offset, tokens.problem)])
  }
  const jsonError = isJson ? firstJsonError(text) : undefined
  if (jsonError !== undefined) return unreadable([describe(jsonError, notJson(text, jsonError))])

  const written = compose(tokens.tokens, isJson)
  const problems = written.flatMap(document => problemsOf(document, describe)).slice(0, MAX_SYNTAX_PROBLEMS)
  const documents = problems.length === 0 ? written : isJson ? undefined : withOutdentedQuotes(text)
  if (documents === undefined) {
    const filledIn = isJson ? undefined : templateIn(text, describe)
    return unreadable(filledIn === undefined ? problems : [filledIn])
  }
  const repeated = documents.flatMap(document => duplicateKeys(document, describe)).slice(0, MAX_SYNTAX_PROBLEMS)
  return mappingsOf(documents, { text, lines }, describe, repeated)
}

/** The nodes of all documents with their aliases written out count together. */
function mappingsOf(
  documents: readonly Document<ParsedNode, true>[],
  written: { readonly text: string; readonly lines: LineCounter },
  describe: Describe,
  repeated: readonly Problem[],
): ParsedFile {
  const mappings: Section[] = []
  let budget = MAX_EXPANDED_NODES
  for (const document of documents) {
    const aliases = resolveAliases(document, budget)
    if (aliases.kind === 'refused') return unreadable([describe(aliases.offset, badAlias(aliases.why))])
    budget -= aliases.expandedNodes
    const { contents } = document
    if (isMap(contents))
      mappings.push(new Section({ ...written, targets: aliases.targets, merged: new Map() }, contents))
  }
  return { kind: 'document', mappings, repeated }
}

/** YAML 1.1 as PyYAML reads it, since that is what training tools use: `yes` is a flag and `<<` merges. */
function compose(tokens: readonly Token[], isJson: boolean): readonly Document<ParsedNode, true>[] {
  // The library compares every key with every other; `duplicateKeys` takes linear time.
  const options = { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' } as const
  const dialect = isJson ? json : yaml
  return [...new Composer<ParsedNode, true>({ ...options, ...dialect }).compose(tokens)]
}

/** The numbers that JSON has not, and Python's json writes and reads. */
const notFinite: ScalarTag = {
  default: true,
  tag: 'tag:yaml.org,2002:float',
  test: /^(?:NaN|-?Infinity)$/,
  resolve: Number,
}

const FLAG = 'tag:yaml.org,2002:bool'

/** To PyYAML the letters y and n, which YAML 1.1 takes for flags, are text. */
const yaml: DocumentOptions & SchemaOptions = {
  version: '1.1',
  customTags: tags =>
    tags.map(tag =>
      typeof tag === 'object' && tag.tag === FLAG && tag.test !== undefined
        ? { ...tag, test: new RegExp(`^(?![YyNn]$)${tag.test.source.slice(1)}`) }
        : tag,
    ),
}

const json: DocumentOptions & SchemaOptions = { schema: 'json', customTags: tags => [notFinite, ...tags] }

/** Undefined where that does not make the text valid. */
function withOutdentedQuotes(text: string): readonly Document<ParsedNode, true>[] | undefined {
  const joined = withQuotesOnOneLine(text)
  const tokens = joined === text ? undefined : tokenize(joined)
  const documents = tokens?.kind === 'tokens' ? compose(tokens.tokens, false) : undefined
  return documents?.every(({ errors }) => errors.length === 0) ? documents : undefined
}

function linesOf(text: string): LineCounter {
  const lines = new LineCounter()
  lines.addNewLine(0)
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1)
  return lines
}

function problemsOf(document: Document<ParsedNode, true>, describe: Describe): readonly Problem[] {
  return firstOfEachLine(document.errors, describe)
}

/** One mistake is often reported several times at the same place. */
function firstOfEachLine(mistakes: readonly YAMLParseError[], describe: Describe): readonly Problem[] {
  const byLine = new Map<number | undefined, Problem>()
  for (const { pos, message } of mistakes) {
    const problem = describe(pos[0], notYaml(message))
    if (!byLine.has(problem.line)) byLine.set(problem.line, problem)
    if (byLine.size === MAX_SYNTAX_PROBLEMS) break
  }
  return [...byLine.values()]
}

function duplicateKeys(document: Document, describe: Describe): readonly Problem[] {
  const problems: Problem[] = []
  visit(document, {
    Map(_, map) {
      const seen = new Set<unknown>()
      for (const { key } of map.items) {
        if (!isScalar(key) || isMergeKey(key)) continue
        if (seen.has(key.value)) problems.push(describe(rangeOf(key)[0], duplicateKey(String(key.value))))
        if (problems.length === MAX_SYNTAX_PROBLEMS) return visit.BREAK
        seen.add(key.value)
      }
      return undefined
    },
  })
  return problems
}

function unreadable(problems: readonly Problem[]): ParsedFile {
  return { kind: 'unreadable', problems }
}

function tooLarge(bytes: number): Problem {
  return {
    code: 'file-too-large',
    message: `The file is ${Math.ceil(bytes / 1_000).toLocaleString('en-US')} kB; training configs are read up to ${MAX_CONFIG_BYTES / 1_000} kB`,
    fix: 'Move data out of the config, or exclude the file from the check.',
  }
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
  if (filledIn !== undefined) return template(filledIn)
  const found =
    offset < text.length ? `Not valid JSON at ${quote(text.slice(offset, offset + 20))}` : 'The JSON ends early'
  return {
    code: 'not-json',
    message: found,
    fix: 'Correct the JSON there; it allows no comments, trailing commas or single quotes.',
  }
}

/** Jinja's statement, or an expression where a value should be: `{% if gpus %}`, `lr: {{ lr }}`. */
const jinja = /\{%-?\s*\w[^{}\n]{0,200}%\}|(?<=[:-][ \t]{1,20})\{\{[^{}\n]{1,80}\}\}/

/** Instead of what is wrong with it as YAML. */
function templateIn(text: string, describe: Describe): Problem | undefined {
  const found = jinja.exec(text)
  return found === null ? undefined : describe(found.index, template(found[0]))
}

function template(filledIn: string): Problem {
  return {
    code: 'template',
    message: `A template: a script replaces ${quote(filledIn)} with a value, so its settings cannot be determined from the file`,
    fix: 'Check the file that the script writes, and add this one to ignore in .github/memorymark.yml.',
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

function badAlias(message: string): Problem {
  return { code: 'bad-alias', message, fix: 'Write the values out instead of aliasing them.' }
}
