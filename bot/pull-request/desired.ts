/** The content of a commit's check and comment, as pure functions of what was found. */
import { MemoryMarkError, type Report, renderCheck, renderComment } from '../../engine/index.ts'
import type { DesiredCheck } from '../check.ts'
import { measurementNote } from '../measurement/note.ts'
import type { Measurement } from '../measurement/state.ts'
import { hintsFor } from '../suggestions/hints.ts'

export interface Findings {
  readonly headSha: string
  readonly report: Report
  readonly measurement: Measurement
  /** What was not read, in Markdown; an empty result is then no success. */
  readonly gaps: readonly string[]
  /** Further paragraphs for the reader; Markdown. */
  readonly remarks: readonly string[]
}

export function desiredCheck({ headSha, report, measurement, gaps, remarks }: Findings): DesiredCheck {
  const check = renderCheck(report, { hints: hintsFor(report) })
  const hasConfigs = report.configs.length > 0
  const note = hasConfigs ? measurementNote(measurement, headSha) : undefined
  const notes = [gaps.join(' '), ...(note === undefined ? [] : [note]), ...remarks].filter(text => text !== '')
  const conclusion = !hasConfigs && gaps.length > 0 ? 'neutral' : check.conclusion
  return {
    ...check,
    ...(hasConfigs ? stateWith(measurement, check.title, conclusion) : { title: check.title, state: conclusion }),
    summary: [...notes, check.summary].join('\n\n'),
    canRerun: hasConfigs,
  }
}

type Conclusion = ReturnType<typeof renderCheck>['conclusion']

/** Not green from an estimate alone while a GPU measurement is due, and not pending once that has failed. */
function stateWith(
  measurement: Measurement,
  title: string,
  conclusion: Conclusion,
): Pick<DesiredCheck, 'title' | 'state'> {
  switch (measurement.kind) {
    case 'not-due':
    case 'measured':
      return { title, state: conclusion }
    case 'waiting':
      return { title: `${title}; measuring…`, state: 'measuring' }
    case 'unusable':
      return measurement.isDue
        ? { title: `${title}; not measured`, state: ungreen(conclusion) }
        : { title, state: conclusion }
    case 'ended':
      return { title: `${title}; ${endings[measurement.how]}`, state: ungreen(conclusion) }
  }
}

const endings = {
  'needs-leave': 'measurement needs /memorymark ok',
  'needs-approval': 'measurement needs approval',
  refused: 'not measured',
  'not-started': 'not measured',
  'queued-too-long': 'no runner picked up the measurement',
  'timed-out': 'the measurement timed out',
  cancelled: 'the measurement was cancelled',
  failed: 'the measurement failed',
  'without-report': 'not measured',
  'not-measured': 'not measured',
} as const

function ungreen(conclusion: Conclusion): Conclusion {
  return conclusion === 'success' ? 'neutral' : conclusion
}

/** Undefined if there is nothing to say, so that no comment is created. */
export function desiredComment({ report, measurement, gaps, remarks }: Findings): string | undefined {
  const [note] = commentNote(measurement)
  return renderComment(report, {
    ...(note !== undefined && { statusNote: note }),
    remarks: [...(gaps.length === 0 ? [] : [gaps.join(' ')]), ...remarks],
    hints: hintsFor(report),
  })
}

/** The check reports each stage of a measurement; the comment does not, because every edit would be visible. */
function commentNote(measurement: Measurement): string[] {
  switch (measurement.kind) {
    case 'waiting':
      return ['A GPU run is due and will replace these estimates.']
    case 'ended':
      return ['The GPU run produced no measurement, so these are estimates; the check says why.']
    case 'unusable':
    case 'not-due':
    case 'measured':
      return []
  }
}

/** For a commit that could not be judged. */
export function failedCheck(error: unknown): DesiredCheck {
  return {
    title: 'MemoryMark could not finish',
    summary: `${wordsFor(error)} Re-run this check to try again.`,
    text: '',
    annotations: [],
    state: 'failure',
    canRerun: true,
  }
}

function wordsFor(error: unknown): string {
  if (error instanceof MemoryMarkError) return `${error.problem.message}. ${error.problem.fix}`
  return "Something went wrong on our side; the bot's log says what."
}

/** For a commit that is no longer the newest, or whose pull request was closed during its measurement. */
export const supersededCheck: DesiredCheck = {
  title: 'No longer measured',
  summary:
    'The pull request has a newer commit or is closed, so this commit is no longer measured. A newer commit has its own check.',
  text: '',
  annotations: [],
  state: 'cancelled',
  canRerun: false,
}
