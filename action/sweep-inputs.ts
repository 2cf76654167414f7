/** The inputs of `mode: sweep`. */

import type { MeasureOptions } from '../engine/measure.ts'
import { engines } from '../engine/probes/engines.ts'
import { strategyNames } from '../engine/search/strategy.ts'
import { type InputSource, readPositive, readWord } from './inputs.ts'
import { refusedInput, shown } from './refused-input.ts'

export interface SweepInputs {
  readonly engine: MeasureOptions['engine']
  readonly strategy: MeasureOptions['strategy']
  readonly python: string
  /** The interpreter with the library versions before the change. */
  readonly pythonBefore?: string
  readonly trialTimeoutMillis?: number
  /** The path of the one config to sweep. */
  readonly config?: string
  /** The folder of kept trials, relative to the workspace. */
  readonly cachePath?: string
  /** `path.py:function`, only with permission to run it. */
  readonly entrypoint?: string
}

/** @throws MemoryMarkError that names the input and its allowed values. */
export function readSweepInputs(input: InputSource): SweepInputs {
  const timeoutSeconds = readPositive(input, 'timeout')
  const [config, cachePath, pythonBefore] = [input('config'), input('cache-path'), input('python-before')]
  const entrypoint = readEntrypoint(input)
  return {
    engine: readWord(input, 'engine', ['auto', ...engines]),
    strategy: readWord(input, 'strategy', strategyNames),
    python: input('python') || 'python3',
    ...(pythonBefore !== '' && { pythonBefore }),
    ...(timeoutSeconds !== undefined && { trialTimeoutMillis: timeoutSeconds * 1_000 }),
    ...(config !== '' && { config }),
    ...(cachePath !== '' && { cachePath }),
    ...(entrypoint !== undefined && { entrypoint }),
  }
}

/** Needs explicit permission besides the name, because it runs the repository's code on the runner. */
function readEntrypoint(input: InputSource): string | undefined {
  const isTrusted = readWord(input, 'trust-entrypoint', ['true', 'false']) === 'true'
  const target = input('entrypoint')
  if (target === '') return undefined
  if (!/^[^:]+\.py:\w+$/.test(target)) {
    throw refusedInput(
      'entrypoint',
      `"${shown(target)}" does not name a function in a Python file`,
      'Write it as train/step.py:make_step',
    )
  }
  if (!isTrusted) {
    throw refusedInput(
      'entrypoint',
      'It runs code from the repository on this runner, which has not been allowed yet',
      "Set trust-entrypoint to 'true' if everyone who can push to the base branch may run code on it",
    )
  }
  return target
}
