/** The words that a text becomes where a variable holds it: `$COMMAND` without quotes is cut at whitespace. */
import type { ParameterExpansionPart, Word, WordPart } from 'unbash'
import { type Given, joinedWords } from './given.ts'

/**
 * Of a here-document or of what stands between quotes, each with the offset of its own literal: but for expansions it is in the file
 * as it is. A backslash at the end of a line joins it to the next.
 */
export function splitWords(
  parts: readonly WordPart[],
  expanded: (part: WordPart) => readonly Given[],
  most: number,
): readonly Given[] {
  const words: Given[] = []
  let open: Given[] = []
  const close = () => {
    if (open.length > 0) words.push(joinedWords(open))
    open = []
  }
  for (const part of parts) {
    if (words.length >= most) break
    const [first, ...others] = part.type === 'Literal' ? [] : expanded(part)
    if (first !== undefined) open.push(first)
    for (const other of others) {
      close()
      open.push(other)
    }
    if (part.type !== 'Literal') continue
    for (const { 0: token, index } of part.text.matchAll(/\s+|(?:\\\r?\n|\S)+/g)) {
      if (/^\s/.test(token)) {
        close()
        continue
      }
      const text = token.replaceAll(/\\\r?\n/g, '').replaceAll(/\\(["$`\\])/g, '$1')
      const from = part.pos + index + (/^(?:\\\r?\n)*/.exec(token)?.[0].length ?? 0)
      if (text !== '') open.push({ text, from, remarks: [] })
    }
  }
  close()
  return words.slice(0, most)
}

/** What a value is written as between double quotes, with what commands print beside those; undefined where it is written otherwise. */
export function partsBetweenQuotes({ parts, text }: Word): readonly WordPart[] | undefined {
  if (/^(?:""|'')?$/.test(text)) return []
  const written = parts?.flatMap((part): readonly (WordPart | undefined)[] =>
    part.type === 'DoubleQuoted' ? part.parts : [part.type === 'CommandExpansion' ? part : undefined],
  )
  const known = written?.filter(part => part !== undefined)
  return known?.length === written?.length ? known : undefined
}

/** `OPTS+=" --lr 1e-5"`: behind what the variable holds, as words of its own. */
export function beginsApart({ text }: Word, held = ''): boolean {
  return /^"\s/.test(text) || held === '' || /\s$/.test(held)
}

/** `FLAGS="$FLAGS --fp16"` keeps what it held. */
export function beginsWith(value: Word, name: string): boolean {
  const [first] = partsBetweenQuotes(value) ?? []
  return first?.type === 'SimpleExpansion'
    ? first.text === `$${name}`
    : first !== undefined && nameAlone(first) === name
}

/** `${COMMAND}` */
export function nameAlone(part: WordPart): string | undefined {
  if (part.type !== 'ParameterExpansion') return undefined
  const { parameter, operation, prefix, index } = part
  return operation === undefined && prefix === undefined && index === undefined ? parameter : undefined
}

/** `` `# half precision` `` between the options of a command, which gives no word. */
export function isComment({ type, text }: WordPart): boolean {
  return type === 'CommandExpansion' && /^`\s*#[^`\n]*`$/.test(text)
}

/** Of `${STEPS:=8}`, within quotes or without. */
export function defaultsIn({ parts = [] }: Word): readonly ParameterExpansionPart[] {
  const inner = parts.flatMap((each): readonly WordPart[] => (each.type === 'DoubleQuoted' ? each.parts : [each]))
  return inner.flatMap(part => {
    const isDefault = part.type === 'ParameterExpansion' && part.operation?.type === 'Default'
    return isDefault && part.operation.operator.endsWith('=') ? [part] : []
  })
}

/** `eval "$COMMAND"` cuts what it is given once more; what has quotes or operators of its own stays as it is. */
export function wordsWithin(given: Given, shell: string): readonly Given[] {
  if (given.why !== undefined || /["'`\\$;|&<>()]/.test(given.text)) return [given]
  return Array.from(given.text.matchAll(/\S+/g), ({ 0: text, index }) => ({
    ...given,
    text,
    from: shell.startsWith(text, given.from + index) ? given.from + index : given.from,
  }))
}
