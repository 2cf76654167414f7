/** What the parts of a page in the terminal share. */
import { styleText } from 'node:util'
import type { ConfigResult } from '../report/schema.ts'
import { configState, findingOf, type VerdictState } from './verdict.ts'

export interface TerminalOptions {
  readonly color: boolean
  /** Width to wrap at. */
  readonly columns: number
  /** Width of tables; that of texts by default. */
  readonly tableColumns?: number
  /** Whether a verdict is shown; if not, the page only says whether a config fits. */
  readonly judges?: boolean
}

export type Style = 'red' | 'yellow' | 'green' | 'bold' | 'dim'

export interface Page {
  readonly paint: (style: Style, text: string) => string
  readonly columns: number
  readonly tableColumns: number
  readonly judges: boolean
}

const LEAST_COLUMNS = 40

export function pageOf({ color, columns, tableColumns = columns, judges = true }: TerminalOptions): Page {
  return {
    paint: (style, text) => (color ? styleText(style, text, { validateStream: false }) : text),
    columns: Math.max(LEAST_COLUMNS, columns),
    tableColumns: Math.max(LEAST_COLUMNS, tableColumns),
    judges,
  }
}

export function stateWord(config: ConfigResult, { judges }: Page): string {
  if (config.status === 'not-analysed') return 'not analysed'
  const finding = findingOf(config)
  if (finding === 'may-not-fit') return 'may not fit'
  if (finding === 'does-not-fit') return 'out of memory'
  return judges ? config.verdict.state : 'fits'
}

export function styleOf(config: ConfigResult, { judges }: Page): Style {
  if (judges || config.status === 'not-analysed') return stateStyle(configState(config))
  return config.current.fits ? 'green' : 'red'
}

export function stateStyle(state: VerdictState): Style {
  switch (state) {
    case 'nothing-to-measure':
    case 'fine':
      return 'green'
    case 'warning':
      return 'yellow'
    case 'blocked':
      return 'red'
  }
}

/** Breaks at spaces; a word longer than the line stays whole, so that paths can be copied. */
export function wrap(text: string, indent: string, columns: number): string {
  const lines: string[] = []
  let line = indent
  for (const word of text.split(' ')) {
    if (line.length > indent.length && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = indent
    }
    line += line.length === indent.length ? word : ` ${word}`
  }
  return [...lines, line].join('\n')
}
