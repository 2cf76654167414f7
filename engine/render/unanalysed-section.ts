/** A config without numbers: what is wrong, where, and what to do. */
import type { Problem } from '../base/errors.ts'
import { sayCell } from '../base/position.ts'
import { configName } from '../config/training-place.ts'
import type { UnanalysedConfig } from '../report/schema.ts'
import { escapeText, inlineCode, inlinePath } from './markdown.ts'
import { capitalised } from './plain.ts'
import { because } from './spared.ts'
import { configState, stateMark } from './verdict.ts'

/** A reader with more problems than this opens the file. */
const MAX_PROBLEMS = 5

/** At most `limit` problems, each with place, field and remedy. */
export function unanalysedSection(config: UnanalysedConfig, limit = MAX_PROBLEMS): string {
  const mark = stateMark(configState(config))
  const shown = config.problems.slice(0, limit)
  const rest = config.problems.length - shown.length
  const texts = shown.map(problem => renderProblem(config.path, problem))
  const letPass = config.spared === undefined ? '' : `; this does not block, because ${because(config.spared)}`
  const opening = `${mark} **${inlinePath(configName(config))}** could not be analysed${letPass}`
  if (config.problems.length === 1) return `${opening}. ${texts.join('')}`
  return [
    `${opening}:`,
    '',
    ...texts.map(text => `- ${text}`),
    ...(rest > 0 ? [`- and ${rest} more in this file`] : []),
  ].join('\n')
}

/** Markdown, inline. The file is named only where it is not the config itself. */
export function renderProblem(path: string, { file, line, column, cell, field, message, fix }: Problem): string {
  const place = [
    file && file !== path && inlinePath(file),
    ...(cell === undefined ? [line && `line ${line}`, column && line && `column ${column}`] : [sayCell(cell)]),
  ].filter(Boolean)
  const where = [place.join(', '), field && inlineCode(field, 100)].filter(Boolean).join(', ')
  return `${capitalised(where)}${where && ': '}${escapeText(message)}. ${escapeText(fix)}`
}
