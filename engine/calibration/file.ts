/**
 * The file in which a team keeps its runs' measurements, each with the estimate made for it, so that corrections follow
 * the model when it improves. It comes from a repository and is treated as hostile input: bounded, and refused whole if
 * anything in it cannot be valid.
 */
import * as z from 'zod'
import type { Problem } from '../base/errors.ts'
import { parseJson } from '../base/json.ts'
import { version } from '../base/version.ts'
import type { SourceFile } from '../config/reading.ts'
import { throughputClassOf } from '../estimate/throughput/throughput-band.ts'
import { trainingSpec } from '../training/spec.ts'
import type { Calibration, RunRatios } from './correction.ts'

/** Where `memorymark calibrate` writes unless told otherwise. */
export const CALIBRATION_PATH = '.github/memorymark-calibration.json'

const CALIBRATION_SCHEMA = 'memorymark.calibration/v1'

const MAX_RUNS = 500
const MAX_CHARACTERS = 2_000_000

/** Measured over estimated must lie between these factors; otherwise the run was not what the config says. */
export const PLAUSIBLE = { speed: { low: 1 / 8, high: 8 }, memory: { low: 1 / 3, high: 3 } }

const figures = z.object({
  /** Per GPU. */
  samplesPerSecond: z.number().positive().max(1e9).optional(),
  /** torch.cuda.max_memory_allocated. */
  peakBytes: z.number().positive().max(1e18).optional(),
})
export type RunFigures = z.infer<typeof figures>

const calibrationRun = z
  .object({
    /** By its id in the catalogue or its name in the settings. */
    gpu: z.string().min(1).max(200),
    /** The spec that ran, its micro-batch and accumulation included. */
    spec: trainingSpec,
    measured: figures,
    /** The estimate of that spec on that GPU by MemoryMark `toolVersion`. */
    estimated: figures,
    toolVersion: z.string().max(200),
    /** Name of the file that the measurement is from. */
    from: z.string().max(500),
    calibratedAt: z.iso.datetime(),
  })
  .refine(run => speedRatioOf(run) !== undefined || peakRatioOf(run) !== undefined, 'measures neither speed nor memory')
  .refine(run => isWithin(speedRatioOf(run), PLAUSIBLE.speed), 'measures a speed of another run than its spec')
  .refine(run => isWithin(peakRatioOf(run), PLAUSIBLE.memory), 'measures the memory of another run than its spec')
export type CalibrationRun = z.infer<typeof calibrationRun>

const calibrationFile = z.object({
  schema: z.literal(CALIBRATION_SCHEMA),
  runs: z.array(calibrationRun).max(MAX_RUNS),
})

export type RunsReading =
  | { readonly kind: 'runs'; readonly runs: readonly CalibrationRun[] }
  | { readonly kind: 'unreadable'; readonly problems: readonly Problem[] }

export type CalibrationReading =
  | { readonly kind: 'calibration'; readonly calibration: Calibration }
  | { readonly kind: 'unreadable'; readonly problems: readonly Problem[] }

/** Never throws for what the file holds. */
export function readRuns({ path, text }: SourceFile): RunsReading {
  if (text.length > MAX_CHARACTERS) {
    const most = `${(MAX_CHARACTERS / 1_000_000).toLocaleString('en-US')} million characters`
    return unreadable(path, `the file has more than ${most}`)
  }
  const parsed = calibrationFile.safeParse(parseJson(text))
  if (parsed.success) return { kind: 'runs', runs: parsed.data.runs }
  const [issue] = parsed.error.issues
  const place = issue?.path.map(String).join('.').slice(0, 200)
  return unreadable(
    path,
    place ? `${place} is not what \`memorymark calibrate\` writes there` : 'it is no calibration file',
  )
}

/** A summary of the file's runs, small enough to send to another process. */
export function readCalibration(file: SourceFile): CalibrationReading {
  const reading = readRuns(file)
  return reading.kind === 'runs' ? { kind: 'calibration', calibration: calibrationOf(reading.runs) } : reading
}

export function calibrationOf(runs: readonly CalibrationRun[]): Calibration {
  const kinds = new Map<string, CalibrationRun[]>()
  for (const run of runs) {
    const key = JSON.stringify([run.gpu, throughputClassOf(run.spec)])
    kinds.set(key, [...(kinds.get(key) ?? []), run])
  }
  return [...kinds.values()].flatMap(alike => ratiosOf(alike))
}

function ratiosOf(alike: readonly CalibrationRun[]): RunRatios[] {
  const [first] = alike
  if (first === undefined) return []
  const known = (ratio: number | undefined) => (ratio === undefined ? [] : [ratio])
  return [
    {
      gpu: first.gpu,
      class: throughputClassOf(first.spec),
      speeds: alike.flatMap(run => known(speedRatioOf(run))),
      peaks: alike.flatMap(run => known(peakRatioOf(run))),
      otherVersions: alike.filter(({ toolVersion }) => toolVersion !== version).length,
    },
  ]
}

/** Adds new runs, newest last. Duplicates are counted once, and beyond the limit the oldest are dropped. */
export function withRuns(runs: readonly CalibrationRun[], added: readonly CalibrationRun[]): CalibrationRun[] {
  const byKey = new Map<string, CalibrationRun>()
  for (const run of [...runs, ...added]) {
    const key = JSON.stringify([run.gpu, run.spec, run.measured])
    byKey.delete(key)
    byKey.set(key, run)
  }
  return [...byKey.values()].slice(-MAX_RUNS)
}

export function writtenRuns(runs: readonly CalibrationRun[]): string {
  return `${JSON.stringify({ schema: CALIBRATION_SCHEMA, runs }, undefined, 2)}\n`
}

interface Ratio {
  readonly measured: RunFigures
  readonly estimated: RunFigures
}

/** Measured ÷ estimated. */
export function speedRatioOf({ measured, estimated }: Ratio): number | undefined {
  return ratio(measured.samplesPerSecond, estimated.samplesPerSecond)
}

export function peakRatioOf({ measured, estimated }: Ratio): number | undefined {
  return ratio(measured.peakBytes, estimated.peakBytes)
}

function ratio(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined ? undefined : part / whole
}

export function isWithin(
  value: number | undefined,
  { low, high }: { readonly low: number; readonly high: number },
): boolean {
  return value === undefined || (value >= low && value <= high)
}

function unreadable(path: string, message: string): RunsReading & CalibrationReading {
  const fix = `Restore the file, or remove it and run \`memorymark calibrate\` on what the runs left.`
  return { kind: 'unreadable', problems: [{ code: 'calibration-refused', file: path, message, fix }] }
}
