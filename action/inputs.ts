/** The inputs of action.yml, read once. */
import {
  type AnalyzeOptions,
  closest,
  findGpu,
  type Gpu,
  gpus,
  MemoryMarkError,
  parseConditions,
} from '../engine/index.ts'
import { type CommentMode, commentModes } from './comment.ts'

export interface Inputs {
  readonly token: string
  /** Only what is set; it wins over the settings of the repository. */
  readonly analysis: Omit<AnalyzeOptions, 'now' | 'settings' | 'base'>
  /** Globs; absent when the settings of the repository decide. */
  readonly paths?: readonly string[]
  readonly comment: CommentMode
  readonly reportPath: string
}

/**
 * @param input Returns the trimmed value of an input, empty when it is not set.
 * @throws MemoryMarkError that names the input and what it allows.
 */
export function readInputs(input: (name: string) => string): Inputs {
  const hoursPerRun = readPositive(input, 'hours-per-run')
  const runsPerYear = readPositive(input, 'runs-per-year')
  const pricePerHourUsd = readPositive(input, 'price-per-hour')
  const gpu = input('gpu')
  const paths = readGlobs(input('paths'))
  return {
    token: readRequired(input, 'github-token', "Leave it out to use the job's own token"),
    analysis: {
      ...(gpu !== '' && { gpu: readGpu(gpu) }),
      policy: {
        ...(input('fail-on') !== '' && { failOn: parseConditions(input('fail-on'), 'input fail-on') }),
        ...(input('warn-on') !== '' && { warnOn: parseConditions(input('warn-on'), 'input warn-on') }),
      },
      ...(hoursPerRun !== undefined && { hoursPerRun }),
      ...(runsPerYear !== undefined && { runsPerYear }),
      ...(pricePerHourUsd !== undefined && { pricePerHourUsd }),
    },
    ...(paths.length > 0 && { paths }),
    comment: readCommentMode(input('comment')),
    reportPath: readRequired(input, 'report-path', 'Leave it out for memorymark-report.json'),
  }
}

function readRequired(input: (name: string) => string, name: string, fix: string): string {
  const value = input(name)
  if (value === '') throw refused(name, 'It is empty', fix)
  return value
}

function readGpu(id: string): Gpu {
  const gpu = findGpu(id)
  if (gpu !== undefined) return gpu
  const ids = gpus.map(known => known.id)
  const meant = closest(id, ids)
  throw refused(
    'gpu',
    `"${id.slice(0, 100)}" is not in the catalogue`,
    `${meant ? `Did you mean ${meant}? ` : ''}Known are ${ids.join(', ')}`,
  )
}

function readCommentMode(value: string): CommentMode {
  const mode = commentModes.find(known => known === value)
  if (mode === undefined) {
    throw refused('comment', `"${value.slice(0, 100)}" is not a way to comment`, `Use ${commentModes.join(', ')}`)
  }
  return mode
}

function readGlobs(text: string): string[] {
  const globs = text
    .split(/[\n,]/)
    .map(glob => glob.trim())
    .filter(glob => glob !== '')
  const negated = globs.find(glob => glob.startsWith('!'))
  if (negated !== undefined) {
    throw refused(
      'paths',
      `"${negated.slice(0, 100)}" excludes files, which is not supported`,
      'Name the files to read instead, such as configs/**/*.yaml',
    )
  }
  return globs
}

function readPositive(input: (name: string) => string, name: string): number | undefined {
  const text = input(name)
  if (text === '') return undefined
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (value > 0 && value <= 1e6) return value
  const message = `"${text.slice(0, 100)}" is not a number above 0 and up to 1,000,000`
  throw refused(name, message, 'Write it in digits, such as 2 or 0.75')
}

function refused(name: string, message: string, fix: string): MemoryMarkError {
  return new MemoryMarkError({ code: 'input-refused', field: `input ${name}`, message, fix: `${fix}.` })
}
