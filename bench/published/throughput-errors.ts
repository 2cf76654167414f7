/** Modelled against published throughput, by reading and by curve. */
import type { Rates } from '../../engine/estimate/throughput/rates.ts'
import { ThroughputModel } from '../../engine/estimate/throughput/throughput.ts'
import { type Setup, setupOf, type ThroughputReading } from './throughput-readings.ts'

/** A reading with the step that it timed. */
export interface Case {
  readonly reading: ThroughputReading
  readonly setup: Setup
}

export interface Compared extends Case {
  readonly modelled: number
  /** Natural logarithm of modelled over read: positive if the model is too fast. */
  readonly error: number
}

/** A step from one batch size of a curve to another. */
export interface Gain {
  readonly from: Compared
  readonly to: Compared
  readonly read: number
  readonly modelled: number
}

export async function casesOf(readings: readonly ThroughputReading[]): Promise<Case[]> {
  const cases: Case[] = []
  for (const reading of readings) cases.push({ reading, setup: await setupOf(reading) })
  return cases
}

export function compared(cases: readonly Case[], rates?: Rates): Compared[] {
  const models = new Map<string, ThroughputModel>()
  return cases.map(one => {
    const { reading, setup } = one
    const key = JSON.stringify([setup.spec, setup.gpu.id])
    const model = models.get(key) ?? new ThroughputModel(setup.footprint, setup.gpu, rates)
    models.set(key, model)
    const modelled = model.samplesPerSecond(reading.batch, reading.accumulation)
    return { ...one, modelled, error: Math.log(modelled / reading.samplesPerSecond) }
  })
}

/** Readings of one set-up by batch size, ascending. */
export function curvesOf(rows: readonly Compared[]): Map<string, Compared[]> {
  const curves = new Map<string, Compared[]>()
  for (const row of rows) {
    const { curve } = row.reading
    if (curve !== null) curves.set(curve, [...(curves.get(curve) ?? []), row])
  }
  const several = [...curves].filter(([, points]) => points.length > 1)
  return new Map(several.map(([name, points]) => [name, points.toSorted((a, b) => a.reading.batch - b.reading.batch)]))
}

/** Every step from a smaller batch of a curve to a larger one. */
export function gainsOf(points: readonly Compared[]): Gain[] {
  return points.flatMap((from, index) =>
    points.slice(index + 1).map(to => ({
      from,
      to,
      read: to.reading.samplesPerSecond / from.reading.samplesPerSecond,
      modelled: to.modelled / from.modelled,
    })),
  )
}

/** The quantile at `share`; NaN without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
