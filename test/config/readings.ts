/** Readings of one text, narrowed to the outcome that a test is about. */

import type { Problem } from '../../engine/base/errors.ts'
import { readConfig } from '../../engine/config/read.ts'
import type { FileReading, Reading } from '../../engine/config/reading.ts'

export function trainingConfig(text: string, path = 'train.yaml'): Extract<Reading, { kind: 'training-config' }> {
  const reading = readConfig({ path, text })
  if (reading.kind !== 'training-config') throw new Error(`not a training config: ${JSON.stringify(reading)}`)
  return reading
}

export function trainedBy(reading: FileReading): Extract<Reading, { kind: 'training-config' }> {
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  return reading
}

/** The codes of the problems for which a config is refused. */
export function codesOf(reading: FileReading): string {
  if (reading.kind !== 'unreadable') throw new Error(JSON.stringify(reading))
  return reading.problems.map(({ code }) => code).join(', ')
}

export function problemsIn(text: string, path = 'train.yaml'): readonly Problem[] {
  const reading = readConfig({ path, text })
  if (reading.kind !== 'unreadable') throw new Error(`readable: ${JSON.stringify(reading)}`)
  return reading.problems
}

export function onlyProblemIn(text: string, path = 'train.yaml'): Problem {
  const [first, ...rest] = problemsIn(text, path)
  if (first === undefined || rest.length > 0) throw new Error(`${rest.length + 1} problems: ${JSON.stringify(rest)}`)
  return first
}
