/**
 * Fits the constants of the throughput model to the published readings, and finds the bands that nine of ten readings lie in. The
 * bands come from readings that the constants were not fitted to: each source is predicted without it, and those of
 * throughput-unseen.json by all others. Writes
 * engine/estimate/throughput/fitted-rates.json and throughput-bands.json; with --check, fails if they are not what it finds.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Rates } from '../../engine/estimate/throughput/rates.ts'
import {
  LEAST_READINGS,
  type ThroughputClass,
  throughputClasses,
  throughputClassOf,
} from '../../engine/estimate/throughput/throughput-band.ts'
import { type Case, type Compared, casesOf, compared, curvesOf, gainsOf, quantile } from './throughput-errors.ts'
import { readThroughputReadings } from './throughput-readings.ts'

/**
 * What one would write without a reading, and how far it may go: shares of what large products and the data sheet's bandwidth keep
 * up, and the microseconds that PyTorch's own profiles show for a call. Readings pull the constants away from here.
 */
const constants = {
  'product.half': { before: 0.85, most: 1 },
  'product.tf32': { before: 0.8, most: 1 },
  'product.fp32': { before: 0.9, most: 1 },
  productTerms: { before: 100, most: 1000 },
  'convolution.half': { before: 0.7, most: 1 },
  'convolution.tf32': { before: 0.65, most: 1 },
  'convolution.fp32': { before: 0.9, most: 1 },
  transposingPasses: { before: 2, most: 4 },
  depthwise: { before: 0.15, most: 1 },
  bandwidth: { before: 0.9, most: 0.95 },
  multiprocessorBytesPerSecond: { before: 50e9, most: 200e9 },
  unpackingInstructions: { before: 50, most: 500 },
  kernelSeconds: { before: 2e-6, most: 1e-5 },
  productSeconds: { before: 8e-6, most: 1e-4 },
  operationSeconds: { before: 30e-6, most: 1e-3 },
  layerSeconds: { before: 60e-6, most: 1e-3 },
  backwardKernelSeconds: { before: 20e-6, most: 1e-3 },
  trainerSeconds: { before: 3e-3, most: 1e-1 },
  sharpness: { before: 5, most: 10 },
} as const

type Name = keyof typeof constants
type Values = Readonly<Record<Name, number>>

const names = Object.keys(constants) as Name[]
const before = Object.fromEntries(names.map(name => [name, constants[name].before])) as Values

function ratesOf(v: Values): Rates {
  return {
    product: { half: v['product.half'], tf32: v['product.tf32'], fp32: v['product.fp32'] },
    productTerms: v.productTerms,
    convolution: { half: v['convolution.half'], tf32: v['convolution.tf32'], fp32: v['convolution.fp32'] },
    transposingPasses: v.transposingPasses,
    depthwise: v.depthwise,
    bandwidth: v.bandwidth,
    multiprocessorBytesPerSecond: v.multiprocessorBytesPerSecond,
    unpackingInstructions: v.unpackingInstructions,
    kernelSeconds: v.kernelSeconds,
    productSeconds: v.productSeconds,
    operationSeconds: v.operationSeconds,
    layerSeconds: v.layerSeconds,
    backwardKernelSeconds: v.backwardKernelSeconds,
    trainerSeconds: v.trainerSeconds,
    sharpness: v.sharpness,
  }
}

const weights = { high: 1, medium: 0.8, low: 0.3 } as const
/** The weight of the prior: that of this many readings that are off by a factor of e. */
const HELD = 0.15

/** Absolute errors, and errors of ratios within each curve, on which advice is based. */
function loss(values: Values, cases: readonly Case[]): number {
  const rows = compared(cases, ratesOf(values))
  const absolute = rows
    .filter(({ reading }) => !reading.relative)
    .reduce((sum, { reading, error }) => sum + weights[reading.confidence] * cost(error), 0)
  const within = [...curvesOf(rows).values()].reduce((sum, points) => {
    const mean = points.reduce((total, { error }) => total + error, 0) / points.length
    return sum + points.reduce((total, row) => total + weights[row.reading.confidence] * cost(row.error - mean), 0)
  }, 0)
  const held = names.reduce((sum, name) => sum + HELD * Math.log(values[name] / before[name]) ** 2, 0)
  return absolute + within + held
}

/** Huber's loss, which limits the weight of outliers. */
function cost(error: number): number {
  const size = Math.abs(error)
  return size < 0.1 ? size ** 2 / 0.2 : size - 0.05
}

/** Coordinate descent in logarithms; the step is halved when nothing improves. */
function fitted(cases: readonly Case[]): Values {
  let values = before
  let least = loss(values, cases)
  for (let step = 0.2; step > 0.015; ) {
    let isBetter = false
    for (const name of names) {
      for (const factor of [1 + step, 1 / (1 + step)]) {
        const tried = { ...values, [name]: Math.min(constants[name].most, values[name] * factor) }
        const found = loss(tried, cases)
        if (found >= least - 1e-6) continue
        values = tried
        least = found
        isBetter = true
        break
      }
    }
    if (!isBetter) step /= 2
  }
  return values
}

/** Cross-validation: predicts each source with constants fitted without it. */
function crossValidated(cases: readonly Case[]): Compared[] {
  return [...new Set(cases.map(sourceOf))].flatMap(source => {
    const rates = ratesOf(fitted(cases.filter(one => sourceOf(one) !== source)))
    return compared(
      cases.filter(one => sourceOf(one) === source),
      rates,
    )
  })
}

/** Readings by the same people at the same place are one source, in whichever file or page. */
function sourceOf({ reading }: Case): string {
  return reading.source.split(/[ ,(]/)[0] ?? reading.source
}

interface Factors {
  readonly low: number
  readonly high: number
}

/** An error and who read it. */
interface Read {
  readonly error: number
  readonly source: string
}

const COVERED_SHARE = 0.9
/** A band is not widened further than one of a class without readings. */
const MOST_WIDENING = 2

/**
 * Measured over modelled: the central 90 % of the readings, always including 1, and as much wider, in logarithms, as lets such bands
 * from the other sources hold nine of ten readings of the one left out: a reader's machine is none of those that were read. Rounded
 * outwards; null with too few readings.
 */
function factorsOf(reads: readonly Read[]): Factors | null {
  return reads.length < LEAST_READINGS ? null : factorsOver(reads, wideningOf(reads))
}

function wideningOf(reads: readonly Read[]): number {
  let widening = 1
  while (widening < MOST_WIDENING && heldOutShare(reads, widening) < COVERED_SHARE) widening += 0.05
  return widening
}

/** A ratio is of one machine: the central 90 % of those that are surely of what they say. */
function ratioFactorsOf(gains: readonly Read[]): Factors | null {
  return gains.length < LEAST_READINGS ? null : factorsOver(gains, 1)
}

/** Not beyond the furthest reading. */
function factorsOver(reads: readonly Read[], widening: number): Factors {
  const errors = reads.map(({ error }) => error)
  const [least, most] = centralOf(reads)
  return {
    low: rounded(Math.floor(1000 * Math.exp(-Math.min(widening * most, Math.max(0, ...errors)))) / 1000),
    high: rounded(Math.ceil(100 * Math.exp(-Math.max(widening * least, Math.min(0, ...errors)))) / 100),
  }
}

function centralOf(reads: readonly Read[]): [least: number, most: number] {
  const errors = reads.map(({ error }) => error)
  return [Math.min(0, quantile(errors, 0.05)), Math.max(0, quantile(errors, 0.95))]
}

/** The share of readings inside the bands of the other sources; 1 where those are too few to say. */
function heldOutShare(reads: readonly Read[], widening: number): number {
  const held = [...Map.groupBy(reads, ({ source }) => source)].flatMap(([source, own]) => {
    const others = reads.filter(one => one.source !== source)
    if (others.length < LEAST_READINGS) return []
    const [least, most] = centralOf(others)
    return own.map(({ error }) => error >= widening * least && error <= widening * most)
  })
  return held.length === 0 ? 1 : held.filter(Boolean).length / held.length
}

/**
 * Of all readings, those in doubt too: who asks does not know more of the machine (its power, its host, its links) than they say.
 * `fitted`: those whose cards the constants know.
 */
function bandsOf(rows: readonly Compared[], fitted: readonly Compared[]) {
  const of = (name: ThroughputClass) => {
    const own = rows.filter(({ setup }) => throughputClassOf(setup.spec) === name)
    const absolute = own.filter(({ reading }) => !reading.relative)
    const gains = [...curvesOf(own.filter(isSure)).values()].flatMap(gainsOf)
    return {
      readings: absolute.length,
      sources: new Set(absolute.map(sourceOf)).size,
      samplesPerSecond: factorsOf(absolute.map(row => ({ error: row.error, source: sourceOf(row) }))),
      pairs: gains.length,
      pairSources: new Set(gains.map(({ from }) => sourceOf(from))).size,
      ratio: ratioFactorsOf(
        gains.map(({ from, modelled, read }) => ({ error: Math.log(modelled / read), source: sourceOf(from) })),
      ),
    }
  }
  const classes = Object.fromEntries(throughputClasses.map(name => [name, of(name)])) as Record<
    ThroughputClass,
    ReturnType<typeof of>
  >
  const widest = (pick: (name: ThroughputClass) => Factors | null): Factors => {
    const bands = throughputClasses.flatMap(name => pick(name) ?? [])
    return { low: Math.min(...bands.map(({ low }) => low)), high: Math.max(...bands.map(({ high }) => high)) }
  }
  return {
    classes,
    widest: {
      samplesPerSecond: widest(name => classes[name].samplesPerSecond),
      ratio: widest(name => classes[name].ratio),
    },
    gpus: [...new Set(fitted.filter(isSure).map(({ setup }) => setup.gpu.id))].toSorted(),
  }
}

function isSure({ reading }: Compared): boolean {
  return reading.confidence !== 'low'
}

function rounded(value: number): number {
  return Number(value.toPrecision(3))
}

function keep(name: string, content: object): boolean {
  const file = new URL(`../../engine/estimate/throughput/${name}`, import.meta.url)
  const text = JSON.stringify(content, (_, value) => (typeof value === 'number' ? rounded(value) : value))
  if (!process.argv.includes('--check')) writeFileSync(file, `${text}\n`)
  // As data: the formatter lays it out.
  const isSame = JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))) === text
  if (!isSame)
    console.error(
      `engine/estimate/throughput/${name} is not what the readings give: run node bench/published/fit-throughput.ts`,
    )
  return isSame
}

function describe(label: string, rows: readonly Compared[]): void {
  const errors = rows.filter(({ reading }) => !reading.relative).map(({ error }) => Math.abs(error))
  const gains = [...curvesOf(rows).values()]
    .flatMap(gainsOf)
    .map(({ modelled, read }) => Math.abs(Math.log(modelled / read)))
  const figures = (values: readonly number[], share: number) => quantile(values, share).toFixed(3)
  console.log(
    `${label}: ${errors.length} readings, |log| median ${figures(errors, 0.5)}, 90 % ${figures(errors, 0.9)}; ` +
      `${gains.length} gains, |log| median ${figures(gains, 0.5)}, 80 % ${figures(gains, 0.8)}, 90 % ${figures(gains, 0.9)}`,
  )
}

const cases = await casesOf(readThroughputReadings(new URL('throughput.json', import.meta.url)))
const rates = ratesOf(fitted(cases))
describe('fitted', compared(cases, rates))
const unseen = crossValidated(cases)
describe('cross-validated', unseen)
for (const source of new Set(cases.map(sourceOf)))
  describe(
    `  without ${source}`,
    unseen.filter(row => sourceOf(row) === source),
  )
const blind = compared(await casesOf(readThroughputReadings(new URL('throughput-unseen.json', import.meta.url))), rates)
describe('never fitted', blind)
for (const name of throughputClasses) {
  const reads = [...unseen, ...blind]
    .filter(({ reading, setup }) => !reading.relative && throughputClassOf(setup.spec) === name)
    .map(row => ({ error: row.error, source: sourceOf(row) }))
  const widening = wideningOf(reads)
  const shares = [1, widening].map(by => `${Math.round(100 * heldOutShare(reads, by))} %`)
  console.log(
    `${name}: ${shares[0]} inside bands of the other sources, ${shares[1]} where those are ×${widening.toFixed(2)} as wide`,
  )
}
const kept = [keep('fitted-rates.json', rates), keep('throughput-bands.json', bandsOf([...unseen, ...blind], unseen))]
process.exitCode = kept.every(Boolean) ? 0 : 1
