/** When the scheduled report is due: a cron line of five fields, in UTC. */

interface FieldRange {
  readonly min: number
  readonly max: number
}

/** Minute and hour, one each, so that a report is due at most once a day. */
const timeOfDay: readonly FieldRange[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
]

/** Day of the month, month and day of the week. Days that some months lack are not allowed: a schedule must come due. */
const days: readonly FieldRange[] = [
  { min: 1, max: 28 },
  { min: 1, max: 12 },
  { min: 0, max: 7 },
]

const number = /^\d{1,2}$/
/** `*`, `3`, `1-5`, and each with a step: `*\/2`, `1-5/2`. */
const part = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/

/** Mondays at six. */
export const DEFAULT_SCHEDULE = '0 6 * * 1'

export function isSchedule(text: string): boolean {
  const fields = text.trim().split(/\s+/)
  if (fields.length !== timeOfDay.length + days.length) return false
  const [times, dates] = [fields.slice(0, timeOfDay.length), fields.slice(timeOfDay.length)]
  return (
    timeOfDay.every((range, index) => number.test(times[index] ?? '') && isWithin(times[index], range)) &&
    days.every((range, index) => (dates[index] ?? '').split(',').every(each => isPart(each, range)))
  )
}

function isPart(text: string, range: FieldRange): boolean {
  const match = part.exec(text)
  if (match === null) return false
  const [, first, last = first, step = '1'] = match
  const isAny = first === undefined
  return (
    (isAny || (isWithin(first, range) && isWithin(last, range) && Number(first) <= Number(last))) && Number(step) >= 1
  )
}

function isWithin(text: string | undefined, { min, max }: FieldRange): boolean {
  return text !== undefined && Number(text) >= min && Number(text) <= max
}
