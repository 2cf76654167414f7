/** Adds measured runs with their estimates to the team's file. */
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { MemoryMarkError } from '../engine/base/errors.ts'
import { version } from '../engine/base/version.ts'
import {
  CALIBRATION_PATH,
  type CalibrationRun,
  calibrationOf,
  isWithin,
  PLAUSIBLE,
  peakRatioOf,
  type RunFigures,
  readRuns,
  speedRatioOf,
  withRuns,
  writtenRuns,
} from '../engine/calibration/file.ts'
import type { Gpu } from '../engine/gpus/catalogue.ts'
import type { IsolatedEngine } from '../engine/isolated/engine.ts'
import type { ModelConfig } from '../engine/models/architecture.ts'
import type { RepositorySettings } from '../engine/settings/settings.ts'
import type { TrainingSpec } from '../engine/training/spec.ts'
import { readCapped } from './files.ts'
import { sources } from './sources.ts'

/** A measured run with everything that its estimate needs. */
export interface MeasuredRun {
  readonly spec: TrainingSpec
  readonly gpu: Gpu
  /** The model's config; looked up by the model's name if absent. */
  readonly config?: ModelConfig
  readonly measured: RunFigures
  readonly from: string
}

/** The file of the settings, else the default. */
export function calibrationPathOf({ calibrationPath }: RepositorySettings): string {
  return calibrationPath ?? CALIBRATION_PATH
}

/** The runs in the file; none if it does not exist. @throws MemoryMarkError if it cannot be read. */
async function runsIn(path: string): Promise<readonly CalibrationRun[]> {
  const text = await readCapped(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return []
  const reading = readRuns({ path, text })
  if (reading.kind === 'runs') return reading.runs
  const [problem] = reading.problems
  throw problem ? new MemoryMarkError(problem) : new Error(`${path} cannot be read`)
}

/** @throws MemoryMarkError for a measurement that is implausible for its spec. */
export async function calibrated(run: MeasuredRun, engine: IsolatedEngine, now: Date): Promise<CalibrationRun> {
  const { spec, gpu, config, measured, from } = run
  const estimated = await engine.estimateRun({ spec, gpu, ...(config && { config }) }, sources())
  const ratios = { measured, estimated }
  for (const [what, ratio, plausible] of [
    ['speed', speedRatioOf(ratios), PLAUSIBLE.speed],
    ['memory', peakRatioOf(ratios), PLAUSIBLE.memory],
  ] as const) {
    if (isWithin(ratio, plausible)) continue
    throw new MemoryMarkError({
      code: 'implausible-measurement',
      file: from,
      message: `its ${what} is ${ratio?.toPrecision(2)} times what is estimated for this config on the ${gpu.name}`,
      fix: 'Check that --config and --gpu are those of this run.',
    })
  }
  return {
    gpu: gpu.id,
    spec,
    measured,
    estimated,
    toolVersion: version,
    from: basename(from),
    calibratedAt: now.toISOString(),
  }
}

/** Adds runs and re-estimates those whose estimate is of another version. Returns all runs of the file. */
export async function keepRuns(
  path: string,
  added: readonly CalibrationRun[],
  estimateAnew: (run: CalibrationRun) => Promise<CalibrationRun>,
): Promise<readonly CalibrationRun[]> {
  const known = await runsIn(path)
  const current: CalibrationRun[] = []
  for (const run of known) current.push(run.toolVersion === version ? run : await estimateAnew(run))
  const runs = withRuns(current, added)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, writtenRuns(runs))
  return runs
}

/** One line for each GPU and kind of training: measured over estimated figures. */
export function calibrationLines(runs: readonly CalibrationRun[]): string[] {
  return calibrationOf(runs).map(kind => {
    const parts = [...rangeOf('speed', kind.speeds), ...rangeOf('peak memory', kind.peaks)]
    return `${kind.gpu}, ${kind.class}: ${parts.join('; ')}.`
  })
}

/** `speed 0.86 times the estimate, from 0.81 to 0.92 in 14 runs`. */
function rangeOf(what: string, ratios: readonly number[]): string[] {
  if (ratios.length === 0) return []
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length)
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map(ratio => ratio.toFixed(2))
  const spread = ratios.length === 1 ? 'in one run' : `from ${low} to ${high} in ${ratios.length} runs`
  return [`${what} ${mean.toFixed(2)} times the estimate, ${spread}`]
}
