/** Configs × GPUs as a matrix for `strategy.matrix`. */

import { createHash } from 'node:crypto'
import { beyondTorch } from '../engine/estimate/error-band.ts'
import { type AnalysedConfig, configKey, configName, type Report } from '../engine/index.ts'
import type { Runners } from './runners.ts'

/** GitHub refuses a matrix of more than 256 jobs. */
const MAX_JOBS = 256

/** GitHub's limit for all outputs of a job is a megabyte. The paths in them are untrusted. */
const MAX_CHARACTERS = 500_000

export interface MatrixEntry {
  /** The same for a config and GPU in every run, and safe in names of caches and artifacts. */
  readonly id: string
  /** The config's path, with the line of the training if the file starts several. */
  readonly config: string
  /** The GPU's id in the catalogue. */
  readonly gpu: string
  /** The runner's labels; absent if the workflow names them. */
  readonly 'runs-on'?: readonly string[]
}

export interface Plan {
  readonly include: readonly MatrixEntry[]
  /** Sentences on configs that are left out, and why. */
  readonly remarks: readonly string[]
}

/**
 * Every config on every GPU of `runners`, or only on its own GPU if `isSettled` or without runners. Configs that no GPU
 * would measure are left out with a remark.
 */
export function planSweeps(report: Report, runners: Runners, isSettled: (path: string) => boolean): Plan {
  const analysed = report.configs.filter(config => config.status === 'analysed')
  const runnable = analysed.filter(({ spec }) => beyondTorch(spec) === undefined)
  const entries = runnable.flatMap(config => entriesOf(config, runners, isSettled(config.path)))
  const include = withinLimits(entries)
  const homeless = runnable.filter(config => isSettled(config.path) && runners.size > 0 && !runners.has(config.gpu.id))
  const notPlanned = (count: number, why: string) =>
    count === 0 ? [] : [`Not planned: ${count} of ${report.configs.length} training configs, ${why}.`]
  return {
    include,
    remarks: [
      ...notPlanned(report.configs.length - analysed.length, 'which could not be read; the check says why'),
      ...notPlanned(
        analysed.length - runnable.length,
        'whose kind of step the worker does not support; they stay estimated',
      ),
      ...notPlanned(homeless.length, 'whose GPU has no line in the input runners; they stay estimated'),
      ...(include.length < entries.length ? [cutShort(include.length, entries.length)] : []),
    ],
  }
}

function cutShort(planned: number, all: number): string {
  return `Only the first ${planned} of ${all} sweeps are planned, the most that a matrix can hold. Narrow them down with the input paths.`
}

function entriesOf(analysed: AnalysedConfig, runners: Runners, isSettled: boolean): MatrixEntry[] {
  const { gpu } = analysed
  const [key, config] = [configKey(analysed), configName(analysed)]
  if (runners.size === 0) return [{ id: idOf(key, gpu.id), config, gpu: gpu.id }]
  return [...runners]
    .filter(([id]) => !isSettled || id === gpu.id)
    .map(([id, labels]) => ({ id: idOf(key, id), config, gpu: id, 'runs-on': labels }))
}

function idOf(key: string, gpuId: string): string {
  return createHash('sha256').update(`${gpuId}\n${key}`).digest('hex').slice(0, 16)
}

function withinLimits(entries: readonly MatrixEntry[]): MatrixEntry[] {
  let characters = 0
  return entries.slice(0, MAX_JOBS).filter(entry => {
    characters += JSON.stringify(entry).length + 1
    return characters <= MAX_CHARACTERS
  })
}
