/** The lines to change, as a diff in the config's own keys. */
import type { ChangedLine } from '../report/changed-lines.ts'
import type { AnalysedConfig } from '../report/schema.ts'
import { fencedLines } from './markdown.ts'
import { isPlainLine } from './plain.ts'

/** Undefined if the lines cannot be changed automatically or contain hidden characters. */
export function changeDiff({ change = [] }: AnalysedConfig): string | undefined {
  const isShown = change.length > 0 && change.every(({ before, after }) => isPlainLine(before) && isPlainLine(after))
  return isShown ? fencedLines('diff', change.flatMap(hunk)) : undefined
}

function hunk({ line, before, after }: ChangedLine, index: number, all: readonly ChangedLine[]): string[] {
  const isNext = all[index - 1]?.line === line - 1
  return [...(isNext ? [] : [`@@ line ${line} @@`]), `-${before}`, `+${after}`]
}
