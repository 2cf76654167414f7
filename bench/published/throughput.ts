/**
 * Compares modelled with published throughput: one line per reading, curve and class, and the verdicts that would
 * follow.
 */

import { throughputBand, throughputClassOf } from '../../engine/estimate/throughput/throughput-band.ts'
import { WORTHWHILE_SPEEDUP } from '../../engine/metrics/recommend.ts'
import { calibrationReport } from './calibration.ts'
import { type Compared, casesOf, compared, curvesOf, gainsOf, quantile } from './throughput-errors.ts'
import { readThroughputReadings, type ThroughputReading } from './throughput-readings.ts'

/** The goals for all readings; `bench:published --throughput <file>` applies them to others. */
const GOALS = { medianError: 0.15, gainError80: 0.16, bestWithinDoubling: 0.95, insideBand: 0.9, wrongBlocks: 0 }

/** A gain of this much at the low end of its band blocks by default. */
const BLOCKING_GAIN = 1.2
/** Throughputs within this share count as equal, because a smaller gain is not recommended. */
const SAME_SPEED = 1 - 1 / WORTHWHILE_SPEEDUP

export interface BenchReport {
  readonly lines: readonly string[]
  readonly holds: boolean
}

/** Of ours, or of another `file`. No constant was fitted to those in throughput-unseen.json but one, UNIT_SECONDS. */
export async function throughputReport(file?: URL): Promise<BenchReport> {
  const unseen = file === undefined ? ownReadings('throughput-unseen.json') : []
  const readings = file === undefined ? ownReadings('throughput.json') : readThroughputReadings(file)
  const rows = compared(await casesOf([...readings, ...unseen]))
  const curves = curvesOf(rows)
  const decisions = [...curves].flatMap(([curve, points]) => decisionsOn(curve, points))
  const figures = figuresOf(rows, curves, decisions)
  const holds =
    figures.medianError <= GOALS.medianError &&
    figures.gainError80 <= GOALS.gainError80 &&
    figures.bestWithinDoubling >= GOALS.bestWithinDoubling &&
    figures.insideBand >= GOALS.insideBand &&
    figures.gainsInsideBand >= GOALS.insideBand &&
    figures.wrongBlocks <= GOALS.wrongBlocks
  const calibration = calibrationReport(rows)
  const lines = [
    'Samples a second on one GPU: read, modelled, modelled over read; outside the stated band: *; ratios within a curve alone: ~',
    ...rows.map(readingLine),
    '',
    'Curves: best batch read, best batch modelled, gain from the smallest batch to the best one read and modelled',
    ...[...curves].map(([name, points]) => curveLine(name, points)),
    '',
    'Decisions that the default policy would have regretted: a gain at the low end of its band that was not there, or one that was missed',
    ...decisions.flatMap(decisionLine),
    '',
    ...classLines(rows, curves),
    ...calibration.lines,
    ...unseenLines(rows.filter(({ reading }) => unseen.includes(reading))),
    summaryLine(figures, holds),
  ]
  return { lines, holds: holds && calibration.holds }
}

function ownReadings(name: string): ThroughputReading[] {
  return readThroughputReadings(new URL(name, import.meta.url))
}

/** All readings that the fit has not seen, and those of each source. */
function unseenLines(rows: readonly Compared[]): string[] {
  if (rows.length === 0) return []
  const sources = Map.groupBy(rows, ({ reading }) => reading.source)
  return [
    unseenLine('readings that the fit has not seen', rows),
    ...[...sources].map(([source, own]) => `  ${unseenLine(source, own)}`),
  ]
}

function unseenLine(label: string, rows: readonly Compared[]): string {
  const { readings, medianError, insideBand } = figuresOf(rows, new Map(), [])
  return `${readings} ${label}: median |log| ${medianError.toFixed(3)}, ${percent(insideBand)} inside the band`
}

function readingLine(row: Compared): string {
  const { reading, modelled, error } = row
  const figures = [reading.samplesPerSecond, modelled].map(value => value.toPrecision(4).padStart(8))
  const mark = reading.relative ? '~' : isInside(row) ? ' ' : '*'
  const setup = `${row.setup.spec.model} ${reading.batch} × ${reading.accumulation} on ${reading.gpu}, ${reading.setup}`
  return `${figures.join(' ')} ×${Math.exp(error).toFixed(2)}${mark} ${setup} (${reading.confidence}; ${reading.source})`
}

function isInside({ reading, setup, modelled }: Compared): boolean {
  const { low, high } = throughputBand(setup.spec, setup.config, setup.gpu).samplesPerSecond
  return reading.samplesPerSecond >= low * modelled && reading.samplesPerSecond <= high * modelled
}

/** The smallest batch with the highest throughput, within the tolerance. */
function bestOf(points: readonly Compared[], speed: (row: Compared) => number): Compared {
  const most = Math.max(...points.map(speed))
  const best = points.find(row => speed(row) >= most * (1 - SAME_SPEED))
  if (best === undefined) throw new Error('a curve without readings')
  return best
}

const readSpeed = ({ reading }: Compared) => reading.samplesPerSecond
const modelledSpeed = ({ modelled }: Compared) => modelled

function bestsOf(points: readonly Compared[]): { read: Compared; modelled: Compared; isWithinDoubling: boolean } {
  const [read, modelled] = [bestOf(points, readSpeed), bestOf(points, modelledSpeed)]
  const doublings = Math.abs(Math.log2(modelled.reading.batch / read.reading.batch))
  return { read, modelled, isWithinDoubling: doublings <= 1 }
}

function curveLine(name: string, points: readonly Compared[]): string {
  const { read, modelled, isWithinDoubling } = bestsOf(points)
  const [first] = points
  if (first === undefined) throw new Error(`${name} has no readings`)
  const gains = [readSpeed(read) / readSpeed(first), modelledSpeed(read) / modelledSpeed(first)]
  const batches = [read, modelled].map(({ reading }) => String(reading.batch).padStart(4)).join(' ')
  return `${batches}${isWithinDoubling ? ' ' : '*'} ${gains.map(gain => `×${gain.toFixed(2)}`).join(' ')}  ${name}`
}

interface Decision {
  readonly curve: string
  readonly kind: 'right' | 'wrong block' | 'missed'
  readonly from: Compared
  readonly to: Compared
}

/** For every batch of a curve as a config's own: whether the best modelled batch would have blocked, and rightly. */
function decisionsOn(curve: string, points: readonly Compared[]): Decision[] {
  const { read, modelled } = bestsOf(points)
  return points.map(from => {
    const { low } = throughputBand(from.setup.spec, from.setup.config, from.setup.gpu).ratio
    const gain = (to: Compared, speed: (row: Compared) => number) => speed(to) / speed(from)
    if (gain(modelled, modelledSpeed) * low >= BLOCKING_GAIN && gain(modelled, readSpeed) < BLOCKING_GAIN) {
      return { curve, kind: 'wrong block', from, to: modelled }
    }
    const isMissed = gain(read, readSpeed) >= BLOCKING_GAIN && gain(modelled, modelledSpeed) < WORTHWHILE_SPEEDUP
    return { curve, kind: isMissed ? 'missed' : 'right', from, to: isMissed ? read : modelled }
  })
}

function decisionLine({ curve, kind, from, to }: Decision): string[] {
  if (kind === 'right') return []
  const gains = [readSpeed(to) / readSpeed(from), modelledSpeed(to) / modelledSpeed(from)].map(gain => gain.toFixed(2))
  return [`${kind}: ${from.reading.batch} → ${to.reading.batch}, ×${gains[0]} read, ×${gains[1]} modelled  ${curve}`]
}

interface Figures {
  readonly readings: number
  readonly medianError: number
  readonly insideBand: number
  readonly gains: number
  readonly gainError80: number
  readonly gainsInsideBand: number
  readonly curves: number
  readonly bestWithinDoubling: number
  readonly decisions: number
  readonly wrongBlocks: number
  readonly missed: number
}

function figuresOf(
  rows: readonly Compared[],
  curves: ReadonlyMap<string, readonly Compared[]>,
  decisions: readonly Decision[],
): Figures {
  const absolute = rows.filter(({ reading }) => !reading.relative)
  const points = [...curves.values()]
  const gains = points.flatMap(gainsOf)
  const isInsideRatio = ({ from, read, modelled }: (typeof gains)[number]) => {
    const { low, high } = throughputBand(from.setup.spec, from.setup.config, from.setup.gpu).ratio
    return read >= low * modelled && read <= high * modelled
  }
  return {
    readings: absolute.length,
    medianError: quantile(
      absolute.map(({ error }) => Math.abs(error)),
      0.5,
    ),
    insideBand: share(absolute, isInside),
    gains: gains.length,
    gainError80: quantile(
      gains.map(({ read, modelled }) => Math.abs(Math.log(modelled / read))),
      0.8,
    ),
    gainsInsideBand: share(gains, isInsideRatio),
    curves: points.length,
    bestWithinDoubling: share(points, curve => bestsOf(curve).isWithinDoubling),
    decisions: decisions.length,
    wrongBlocks: decisions.filter(({ kind }) => kind === 'wrong block').length,
    missed: decisions.filter(({ kind }) => kind === 'missed').length,
  }
}

function share<T>(all: readonly T[], holds: (one: T) => boolean): number {
  return all.length === 0 ? 1 : all.filter(holds).length / all.length
}

function classLines(rows: readonly Compared[], curves: ReadonlyMap<string, readonly Compared[]>): string[] {
  const classes = [...new Set(rows.map(({ setup }) => throughputClassOf(setup.spec)))]
  return classes.map(name => {
    const own = rows.filter(({ setup }) => throughputClassOf(setup.spec) === name)
    const ownCurves = new Map([...curves].filter(([, points]) => points.some(row => own.includes(row))))
    const { readings, medianError, insideBand, gains, gainError80 } = figuresOf(own, ownCurves, [])
    const ofGains = gains === 0 ? 'no gains' : `${gains} gains, 80 % within ±${percent(Math.expm1(gainError80))}`
    return `${name}: ${readings} readings, median off by ${percent(Math.expm1(medianError))}, ${percent(insideBand)} inside the band; ${ofGains}`
  })
}

function summaryLine(figures: Figures, holds: boolean): string {
  return (
    `${figures.readings} readings: median |log| ${figures.medianError.toFixed(3)} (at most ${GOALS.medianError}), ` +
    `${percent(figures.insideBand)} inside the band; ${figures.gains} gains: 80 % within |log| ${figures.gainError80.toFixed(3)} ` +
    `(at most ${GOALS.gainError80}), ${percent(figures.gainsInsideBand)} inside the band; best batch within one doubling on ` +
    `${percent(figures.bestWithinDoubling)} of ${figures.curves} curves (at least ${percent(GOALS.bestWithinDoubling)}); ` +
    `${figures.decisions} decisions: ${figures.wrongBlocks} wrong blocks (${GOALS.wrongBlocks}), ${figures.missed} gains missed: ` +
    `${holds ? 'holds' : 'falls short'}`
  )
}

function percent(part: number): string {
  return `${Math.round(100 * part)} %`
}
