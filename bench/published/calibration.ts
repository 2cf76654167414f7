/** Checks calibration: half of each source's readings corrects the estimates of the other half. */
import { correctionOf } from '../../engine/calibration/correction.ts'
import { throughputBand, throughputClassOf } from '../../engine/estimate/throughput/throughput-band.ts'
import { type Compared, quantile } from './throughput-errors.ts'

/** Sources with fewer readings of a class on one GPU are not split. */
const LEAST_READINGS = 6

/** The share of the other half within the corrected band. */
const LEAST_INSIDE = 0.85

export interface CalibrationReport {
  readonly lines: readonly string[]
  readonly holds: boolean
}

interface Half {
  readonly name: string
  readonly before: readonly number[]
  readonly after: readonly number[]
  readonly inside: readonly boolean[]
  /** The width of the corrected band over that before, in logarithms. */
  readonly width: number
}

/** Splits alternately. */
export function calibrationReport(rows: readonly Compared[]): CalibrationReport {
  const halves = [...groupsOf(rows)].flatMap(([name, group]) =>
    [0, 1].map(parity => {
      const known = group.filter((_, index) => index % 2 === parity)
      return halfOf(
        name,
        known,
        group.filter((_, index) => index % 2 !== parity),
      )
    }),
  )
  if (halves.length === 0)
    return { lines: ['No source has enough readings to calibrate on half of them.'], holds: true }
  const before = quantile(
    halves.flatMap(half => half.before),
    0.5,
  )
  const after = quantile(
    halves.flatMap(half => half.after),
    0.5,
  )
  const inside = halves.flatMap(half => half.inside)
  const share = inside.filter(Boolean).length / inside.length
  const holds = after < before && share >= LEAST_INSIDE
  return {
    lines: [
      'Calibrated on half of the readings of a source, the other half: median |log| before → after, inside the band left, its width',
      ...halves.map(halfLine),
      `${inside.length} readings calibrated: median |log| ${before.toFixed(3)} → ${after.toFixed(3)}, ${percent(share)} inside the band (at least ${percent(LEAST_INSIDE)}): ${holds ? 'holds' : 'falls short'}`,
    ],
    holds,
  }
}

function groupsOf(rows: readonly Compared[]): Map<string, Compared[]> {
  const groups = new Map<string, Compared[]>()
  for (const row of rows) {
    const { reading, setup } = row
    if (reading.relative) continue
    const key = `${throughputClassOf(setup.spec)} on ${reading.gpu}, ${reading.source}`
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  return new Map([...groups].filter(([, group]) => group.length >= LEAST_READINGS))
}

function halfOf(name: string, known: readonly Compared[], others: readonly Compared[]): Half {
  const [first] = known
  if (first === undefined) throw new Error(`${name} has no readings`)
  const published = throughputBand(first.setup.spec, first.setup.config, first.setup.gpu).samplesPerSecond
  const correction = correctionOf(
    known.map(({ error }) => Math.exp(-error)),
    published,
  )
  if (correction === undefined) throw new Error(`${name} has no readings`)
  const { factor, band } = correction
  const left = others.map(({ error }) => -error - Math.log(factor))
  return {
    name,
    before: others.map(({ error }) => Math.abs(error)),
    after: left.map(Math.abs),
    inside: left.map(log => log >= Math.log(band.low) && log <= Math.log(band.high)),
    width: Math.log(band.high / band.low) / Math.log(published.high / published.low),
  }
}

function halfLine({ name, before, after, inside, width }: Half): string {
  const medians = [before, after].map(errors => quantile(errors, 0.5).toFixed(3)).join(' → ')
  return `${medians}, ${inside.filter(Boolean).length} of ${inside.length} inside, ×${width.toFixed(2)}  ${name}`
}

function percent(part: number): string {
  return `${Math.round(100 * part)} %`
}
