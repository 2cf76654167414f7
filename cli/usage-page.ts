/** Lays out what `memorymark help` shows, in two columns or, on a narrow terminal, one below the other. */
import { wrap } from '../engine/render/terminal-page.ts'

export interface CommandUsage {
  readonly form: string
  readonly purpose: string
  /** Lines of options: the option, at least two spaces, what it is for; lines indented further go on with it. */
  readonly options: string
}

interface Row {
  readonly term: string
  readonly meaning: string
}

/** Below it, a meaning would get too narrow a column beside its term. */
const TWO_COLUMNS = 100

/** Each command with its purpose, one below the other. */
export function commandList(commands: readonly CommandUsage[], columns: number): string {
  const rows = commands.map(({ form, purpose }) => ({ term: `memorymark ${form}`, meaning: purpose }))
  return laidOut(rows, Math.max(...rows.map(({ term }) => term.length)), '', columns)
}

/** A command with its options. */
export function commandPage({ form, purpose, options }: CommandUsage, columns: number): string {
  const rows = rowsOf(options)
  const heading = wrap(`memorymark ${form}: ${purpose}`, '', columns)
  return rows.length === 0 ? heading : `${heading}\n${laidOut(rows, OPTION_WIDTH, '  ', columns)}`
}

const OPTION_WIDTH = 27

function rowsOf(options: string): readonly Row[] {
  return options
    .replaceAll(/\n {10,}/g, '  ')
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const [term = '', ...meaning] = line.trim().split(/ {2,}/)
      return { term, meaning: meaning.join(' ') }
    })
}

function laidOut(rows: readonly Row[], width: number, indent: string, columns: number): string {
  return rows.map(row => (columns < TWO_COLUMNS ? stacked : beside)(row, width, indent, columns)).join('\n')
}

function beside(row: Row, width: number, indent: string, columns: number): string {
  const { term, meaning } = row
  const line = `${indent}${term.padEnd(width)}  ${meaning}`.trimEnd()
  if (line.length <= columns) return line
  const hanging = ' '.repeat(indent.length + width + 2)
  if (meaning === '' || term.length > width) return below(row, indent, hanging, columns)
  return `${indent}${term.padEnd(width)}  ${wrap(meaning, hanging, columns).trimStart()}`
}

function stacked(row: Row, _: number, indent: string, columns: number): string {
  return below(row, indent, `${indent}    `, columns)
}

function below({ term, meaning }: Row, indent: string, hanging: string, columns: number): string {
  const lines = [wrappedTerm(term, indent, columns)]
  return [...lines, ...(meaning === '' ? [] : [wrap(meaning, hanging, columns)])].join('\n')
}

/** Choices of one option may be broken between them. */
function wrappedTerm(term: string, indent: string, columns: number): string {
  return wrap(indent.length + term.length <= columns ? term : term.replaceAll('|', ' | '), indent, columns)
}
