/** `memorymark calibrate`: adds measured training runs, by which later estimates for their GPU are corrected. */
import { MemoryMarkError } from '../engine/base/errors.ts'
import { MIB } from '../engine/base/units.ts'
import type { CalibrationRun } from '../engine/calibration/file.ts'
import { SETTINGS_PATH } from '../engine/config/fields/supplied.ts'
import type { IsolatedEngine } from '../engine/isolated/engine.ts'
import { type RepositorySettings, settingsFor } from '../engine/settings/settings.ts'
import type { Subject } from '../engine/subject.ts'
import { gpuFlag, parseFlags } from './arguments.ts'
import { calibrated, calibrationLines, calibrationPathOf, keepRuns, type MeasuredRun } from './calibration.ts'
import { openEngine } from './engine.ts'
import type { ExitCode } from './exit-code.ts'
import { readCapped, type SizeLimit } from './files.ts'
import { print } from './print.ts'
import { type LoggedRun, readRunSource } from './run-sources.ts'
import { settingsOrThrow } from './settings.ts'
import { specOptions } from './spec-flags.ts'
import { readSubject } from './subject.ts'

const options = {
  ...specOptions,
  config: { type: 'string' },
  gpu: { type: 'string' },
  output: { type: 'string' },
} as const

/** A trainer_state.json has some 150 bytes for each entry, and at most one entry a step. */
const limitOfRuns: SizeLimit = {
  bytes: 256 * MIB,
  fix: 'Give its lines with train_runtime, train_samples_per_second and eval_runtime alone.',
}

type Flags = ReturnType<typeof parseFlags<typeof options>>['values']

export async function calibrate(args: string[]): Promise<ExitCode> {
  const { values, positionals } = parseFlags(args, options)
  await using engine = openEngine()
  const settings = await settingsOrThrow(values, engine)
  const runs: CalibrationRun[] = []
  for (const path of positionals) {
    for (const run of await runsOf(path, values, { engine, settings })) {
      runs.push(await calibrated(run, engine, new Date()))
    }
  }
  if (positionals.length > 0 && runs.length === 0) throw nothingMeasured(positionals)
  const path = values.output ?? calibrationPathOf(settings)
  const all = await keepRuns(path, runs, run => estimatedAnew(run, { engine, settings }))
  print([...calibrationLines(all), writtenTo(path, all.length, settings)].join('\n'))
  return 0
}

/** What the user must do so that Action, bot and command line use the file. */
export function writtenTo(path: string, count: number, { calibrationPath, source }: RepositorySettings): string {
  const kept = `${path} keeps ${count} run${count === 1 ? '' : 's'}.`
  return calibrationPath === path
    ? `${kept} Commit it.`
    : `${kept} Commit it, and write \`calibration: ${path}\` in ${source} for its corrections to apply.`
}

interface Reading {
  readonly engine: IsolatedEngine
  readonly settings: RepositorySettings
}

async function runsOf(path: string, values: Flags, { engine, settings }: Reading): Promise<readonly MeasuredRun[]> {
  const source = readRunSource({ path, text: await readCapped(path, limitOfRuns).catch(missing(path)) })
  switch (source.kind) {
    case 'report':
      return source.runs.map(run => ({ ...run, gpu: gpuFlag(run.gpu, settings.gpus), from: path }))
    case 'log': {
      if (values.config === undefined) throw needs('--config', `${path} does not say what ran`)
      const subject = await readSubject([values.config], values, engine)
      const named = settingsFor(subject.path, settings).gpu
      if (values.gpu === undefined && named === undefined)
        throw needs('--gpu', `${path} does not say on which GPU it ran`)
      const gpu = values.gpu === undefined && named ? named : gpuFlag(values.gpu, settings.gpus)
      return [{ ...loggedRun(path, source.run, subject), gpu, from: path }]
    }
  }
}

function loggedRun(
  path: string,
  { samplesPerSecond, microBatch }: LoggedRun,
  { spec, model }: Subject,
): Pick<MeasuredRun, 'spec' | 'config' | 'measured'> {
  if (microBatch !== undefined && microBatch !== spec.microBatch) {
    throw new MemoryMarkError({
      code: 'other-batch-measured',
      file: path,
      message: `the run had a train_batch_size of ${microBatch}, and the config has ${spec.microBatch}`,
      fix: `Add --batch-size ${microBatch}, or name the config that ran.`,
    })
  }
  return { spec, config: model.config, measured: { samplesPerSecond: samplesPerSecond / spec.gpus } }
}

/**
 * The run with a new estimate; unchanged if its GPU is no longer described. @throws MemoryMarkError for an unknown
 * model.
 */
async function estimatedAnew(run: CalibrationRun, { engine, settings }: Reading): Promise<CalibrationRun> {
  const gpu = gpuFlag(run.gpu, settings.gpus)
  const anew = await calibrated({ spec: run.spec, gpu, measured: run.measured, from: run.from }, engine, new Date())
  return { ...anew, calibratedAt: run.calibratedAt }
}

function missing(file: string): (error: unknown) => never {
  return error => {
    if (error instanceof MemoryMarkError || !(error instanceof Error && 'code' in error)) throw error
    const message = `it cannot be read (${error.code})`
    throw new MemoryMarkError({ code: 'file-unreadable', file, message, fix: 'Check its path.' }, { cause: error })
  }
}

function needs(field: string, message: string): MemoryMarkError {
  const fix =
    field === '--gpu' ? `Add --gpu, or name the GPU in ${SETTINGS_PATH}.` : 'Add --config with the config that ran.'
  return new MemoryMarkError({ code: 'usage', field, message, fix })
}

function nothingMeasured(files: readonly string[]): MemoryMarkError {
  return new MemoryMarkError({
    code: 'no-measurement',
    file: files[0],
    message: 'nothing in the report was measured on a GPU',
    fix: 'Give the report of `memorymark sweep --engine torch`, or what a training run left behind.',
  })
}
