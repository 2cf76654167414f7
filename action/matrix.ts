/** Configs × GPUs as a matrix for `strategy.matrix`. */

import { createHash } from 'node:crypto'
import { beyondTrace } from '../engine/estimate/error-band.ts'
import { type AnalysedConfig, type Report, SETTINGS_PATH } from '../engine/index.ts'
import type { Runners } from './runners.ts'

/** A matrix has at most 256 jobs; GitHub refuses a larger one whole. */
const MAX_JOBS = 256

/** All outputs of a job together may have a megabyte; the paths in them are not ours to trust. */
const MAX_CHARACTERS = 500_000

export interface MatrixEntry {
  /** The same for this config and GPU in every run, and safe in the name of a cache or an artifact. */
  readonly id: string
  /** Its path. */
  readonly config: string
  /** By its id in the catalogue. */
  readonly gpu: string
  /** Labels of the runner; absent where the workflow names it. */
  readonly 'runs-on'?: readonly string[]
}

export interface Plan {
  readonly include: readonly MatrixEntry[]
  /** What is not planned and why, one sentence each. */
  readonly remarks: readonly string[]
}

/**
 * Every config on every GPU of `runners`; a config whose GPU `isSettled` on that one alone, and without runners each on its own.
 * What no GPU would measure is left out, and said.
 */
export function planSweeps(report: Report, runners: Runners, isSettled: (path: string) => boolean): Plan {
  const analysed = report.configs.filter(config => config.status === 'analysed')
  const runnable = analysed.filter(({ spec }) => beyondTrace(spec) === undefined)
  const entries = runnable.flatMap(config => entriesOf(config, runners, isSettled(config.path)))
  const include = withinLimits(entries)
  const homeless = runnable.filter(config => isSettled(config.path) && runners.size > 0 && !runners.has(config.gpu.id))
  return {
    include,
    remarks: [
      ...counted(report.configs.length - analysed.length, 'could not be read and', 'the check says why'),
      ...counted(
        analysed.length - runnable.length,
        'take a step that the worker does not run and',
        'they stay estimated',
      ),
      ...counted(
        homeless.length,
        `have a GPU in ${SETTINGS_PATH} for which the input runners names no runner and`,
        'they stay estimated',
      ),
      ...(include.length < entries.length
        ? [
            `Only the first ${include.length} of ${entries.length} sweeps are planned: a matrix holds no more. Narrow them with the input paths.`,
          ]
        : []),
    ],
  }
}

function entriesOf({ path, gpu }: AnalysedConfig, runners: Runners, isSettled: boolean): MatrixEntry[] {
  if (runners.size === 0) return [{ id: idOf(path, gpu.id), config: path, gpu: gpu.id }]
  return [...runners]
    .filter(([id]) => !isSettled || id === gpu.id)
    .map(([id, labels]) => ({ id: idOf(path, id), config: path, gpu: id, 'runs-on': labels }))
}

function idOf(path: string, gpuId: string): string {
  return createHash('sha256').update(`${gpuId}\n${path}`).digest('hex').slice(0, 16)
}

function withinLimits(entries: readonly MatrixEntry[]): MatrixEntry[] {
  let characters = 0
  return entries.slice(0, MAX_JOBS).filter(entry => {
    characters += JSON.stringify(entry).length + 1
    return characters <= MAX_CHARACTERS
  })
}

function counted(count: number, why: string, consequence: string): string[] {
  if (count === 0) return []
  return [`${count} training config${count === 1 ? '' : 's'} ${why} are not planned: ${consequence}.`]
}
