/** The inputs of action.yml, read once. */
import {
  type AnalyzeOptions,
  compileGlob,
  didYouMean,
  findGpuAmong,
  type Gpu,
  gpus,
  type MemoryMarkError,
  parseConditions,
} from '../engine/index.ts'
import { type CommentMode, commentModes } from './comment.ts'
import { refusedInput, shown, unknownValue } from './refused-input.ts'

/** Returns the trimmed value of an input, empty when it is not set. */
export type InputSource = (name: string) => string

export interface Inputs {
  readonly token: string
  /** Only values that are set; they win over the repository's settings. */
  readonly analysis: Omit<AnalyzeOptions, 'now' | 'settings' | 'base' | 'gpu'>
  /** As written, because the repository's settings may describe it. */
  readonly gpu?: string
  /** Globs; absent to use those of the repository's settings. */
  readonly paths?: readonly string[]
  readonly comment: CommentMode
  readonly reportPath: string
}

/** @throws MemoryMarkError that names the input and what it allows. */
export function readInputs(input: InputSource): Inputs {
  const hoursPerRun = readPositive(input, 'hours-per-run')
  const runsPerYear = readPositive(input, 'runs-per-year')
  const pricePerHourUsd = readPositive(input, 'price-per-hour')
  const gpu = input('gpu')
  const paths = readGlobs('paths', input('paths'))
  for (const glob of paths) refuseUnsupported(glob)
  return {
    token: readRequired(input, 'github-token', "Omit it to use the job's own token"),
    analysis: {
      policy: {
        ...(input('fail-on') !== '' && { failOn: parseConditions(input('fail-on'), 'input fail-on') }),
        ...(input('warn-on') !== '' && { warnOn: parseConditions(input('warn-on'), 'input warn-on') }),
      },
      ...(hoursPerRun !== undefined && { hoursPerRun }),
      ...(runsPerYear !== undefined && { runsPerYear }),
      ...(pricePerHourUsd !== undefined && { pricePerHourUsd }),
    },
    ...(gpu !== '' && { gpu }),
    ...(paths.length > 0 && { paths }),
    comment: readWord(input, 'comment', commentModes),
    reportPath: readRequired(input, 'report-path', 'Omit it to use memorymark-report.json'),
  }
}

function readRequired(input: InputSource, name: string, fix: string): string {
  const value = input(name)
  if (value === '') throw refusedInput(name, 'It is empty', fix)
  return value
}

/** `described`: GPUs that the repository's settings describe. @throws MemoryMarkError that names the input. */
export function readGpu(name: string, id: string, described: readonly Gpu[]): Gpu {
  const gpu = findGpuAmong(described, id)
  if (gpu === undefined) throw unknownGpu(name, id, described)
  return gpu
}

function unknownGpu(name: string, id: string, described: readonly Gpu[]): MemoryMarkError {
  const ids = [...gpus, ...described].map(known => known.id)
  const fix = didYouMean(id, ids, `Known: ${ids.join(', ')}`)
  return refusedInput(name, `"${shown(id)}" is not in the catalogue, and the settings do not describe it`, fix)
}

/** The value of an input with a fixed set of words. @throws MemoryMarkError */
export function readWord<Word extends string>(input: InputSource, name: string, words: readonly Word[]): Word {
  const value = input(name)
  const word = words.find(known => known === value)
  if (word === undefined) throw unknownValue(name, value, words)
  return word
}

/** Globs, one a line or separated by commas. */
export function readGlobs(name: string, text: string): string[] {
  const globs = text
    .split(/[\n,]/)
    .map(glob => glob.trim())
    .filter(glob => glob !== '')
  const negated = globs.find(glob => glob.startsWith('!'))
  if (negated !== undefined) {
    throw refusedInput(
      name,
      `"${shown(negated)}" excludes files, which is not supported`,
      'Name the files to read instead, such as configs/**/*.yaml',
    )
  }
  return globs
}

function refuseUnsupported(glob: string): void {
  const compiled = compileGlob(glob)
  if (compiled.kind === 'pattern') return
  throw refusedInput('paths', `"${shown(glob)}" ${compiled.why}`, 'Write globs such as configs/**/*.yaml')
}

export function readPositive(input: InputSource, name: string): number | undefined {
  const text = input(name)
  if (text === '') return undefined
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (value > 0 && value <= 1e6) return value
  const message = `"${shown(text)}" is not a number above 0 and up to 1,000,000`
  throw refusedInput(name, message, 'Write it in digits, such as 2 or 0.75')
}
