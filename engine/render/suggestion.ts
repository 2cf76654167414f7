/** A proposed change as a review suggestion: one click on the very lines of the config. */
import { createHash } from 'node:crypto'
import { changedLines, linesOf } from '../report/changed-lines.ts'
import type { AnalysedConfig } from '../report/schema.ts'
import { advice } from './advice.ts'
import { memoryProvenance } from './figures.ts'
import { fencedLines } from './markdown.ts'
import { isPlainLine } from './plain.ts'

/** A file before and after; lines are replaced one for one. */
export interface ChangedText {
  readonly path: string
  readonly before: string
  readonly after: string
}

/** Lines of a file, 1-based, both ends included. */
export interface LineRange {
  readonly first: number
  readonly last: number
}

export interface RenderedSuggestion {
  /** As the report has it. */
  readonly path: string
  readonly lines: LineRange
  /** Markdown that opens with the marker. */
  readonly body: string
  /** Hidden first line: the same for the same change of the same lines. */
  readonly marker: string
}

/** Lines further apart than this are not joined: unchanged lines would hide the change. */
const MAX_LINES = 10

const markerOpening = '<!-- memorymark:suggestion:'

/** The marker that a comment opens with, if it is one of ours. */
export function suggestionMarkerIn(body: string): string | undefined {
  return /^<!-- memorymark:suggestion:[0-9a-f]{16} -->/.exec(body)?.[0]
}

/**
 * One suggestion for all changed lines, because applying only half of them would be a different training. Undefined if
 * they are too far apart or cannot be shown.
 */
export function renderSuggestion(change: ChangedText, config: AnalysedConfig): RenderedSuggestion | undefined {
  const lines = rangeOf(change)
  if (lines === undefined || lines.last - lines.first >= MAX_LINES) return undefined
  const cut = (text: string) => linesOf(text).slice(lines.first - 1, lines.last)
  const [before, after] = [cut(change.before), cut(change.after)]
  if (![...before, ...after].every(line => isPlainLine(line))) return undefined
  const marker = markerOf([change.path, ...before, ...after])
  return {
    path: change.path,
    lines,
    marker,
    body: [marker, knownReason(config), fencedLines('suggestion', after)].join('\n\n'),
  }
}

/** The changed lines to paste by hand where no commit can be pushed; undefined if they cannot be shown. */
export function renderChangedLines(change: ChangedText): string | undefined {
  const changed = changedLines(change)
  if (!changed.every(({ after }) => isPlainLine(after))) return undefined
  const numbers = changed.map(({ line }) => line)
  const where = numbers.length === 1 ? `Line ${numbers.join('')}` : `Lines ${numbers.join(' and ')}`
  return `${where}:\n\n${fencedLines(
    '',
    changed.map(({ after }) => after),
  )}`
}

function knownReason(config: AnalysedConfig): string {
  const known = `*Memory ${memoryProvenance(config)}; throughput ${config.throughputProvenance}.*`
  return [...advice(config, text => `**${text}**`), known].join(' ')
}

function rangeOf(change: ChangedText): LineRange | undefined {
  const changed = changedLines(change)
  const [first, last] = [changed[0], changed.at(-1)]
  return first && last && { first: first.line, last: last.line }
}

function markerOf(parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
  return `${markerOpening}${hash} -->`
}
