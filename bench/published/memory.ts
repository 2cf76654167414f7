/** Compares estimates with published memory readings of real GPUs. */
import { readFile, writeFile } from 'node:fs/promises'
import { estimated } from '../../cli/estimate.ts'
import { GIB, MIB } from '../../engine/base/units.ts'
import { type ErrorBand, errorBand } from '../../engine/estimate/error-band.ts'
import { IsolatedEngine } from '../../engine/isolated/engine.ts'
import type { LibraryVersions } from '../../engine/training/versions.ts'
import { bandsOf, type Deviation, heldOutLines, type ReadBands } from './memory-bands.ts'
import { type MemoryReading, memoryReadings, type ReadingKind, readingKinds, withConfigFile } from './readings.ts'

const LIMITS = { medianPercent: 3, insideShare: 0.9 }

/** Bytes of a CUDA context with lazily loaded kernels, if the source gives none. */
const CONTEXT_GIB = (300 * MIB) / GIB

interface Compared {
  readonly reading: MemoryReading
  readonly estimatedGiB: number
  /** Estimated over read. */
  readonly ratio: number
  readonly band: ErrorBand
  readonly isInside: boolean
}

/** The reading's difference from the estimate. */
function percentOfEstimate(ratio: number): number {
  return (1 / ratio - 1) * 100
}

const bandsFile = new URL('../../engine/estimate/bands.ts', import.meta.url)

/** The readings that bands are made from. What nvidia-smi reads beyond PyTorch's memory, such as NCCL's, must fit too. */
function deviationsOf(compared: readonly Compared[]): Deviation[] {
  return compared.filter(isSure).map(({ reading: { kind, source }, ratio, band }) => ({
    of: band.of,
    kind,
    source: source.split(' ', 1)[0] ?? source,
    percent: percentOfEstimate(ratio),
  }))
}

function moduleOf(bands: ReadBands): string {
  const rows = Object.entries(bands).map(
    ([of, { lowPercent, highPercent, readings }]) =>
      `  '${of}': { lowPercent: ${lowPercent}, highPercent: ${highPercent}, readings: ${readings} },\n`,
  )
  return `/** Written by \`npm run bench:published -- --write\`: where further readings of real GPUs are expected, in percent of the estimate. */
export const readBands = {
${rows.join('')}} as const
`
}

/** Writes the bands, or checks that those in the repository match the readings. */
async function bandsAreCurrent(own: readonly Compared[], isWriting: boolean): Promise<boolean> {
  const deviations = deviationsOf(own)
  const bands = moduleOf(bandsOf(deviations))
  if (isWriting) await writeFile(bandsFile, bands)
  const areCurrent = isWriting || (await readFile(bandsFile, 'utf8')) === bands
  if (!areCurrent)
    console.log('engine/estimate/bands.ts differs from the readings: run npm run bench:published -- --write')
  for (const line of heldOutLines(deviations)) console.log(line)
  return areCurrent
}

/** Whether the goals are met. Prints one line per reading and a summary of each kind. */
export async function memoryHolds(others: readonly string[], { isWriting = false } = {}): Promise<boolean> {
  console.log('memory: GiB read, GiB estimated, estimated ÷ read, band, confidence, set-up')
  await using engine = new IsolatedEngine()
  const compared: Compared[] = []
  const { own, unseen, readings, versionsOf } = memoryReadings(others)
  for (const reading of readings) {
    const comparison = await compare(reading, versionsOf(reading) ?? {}, engine)
    compared.push(comparison)
    console.log(lineOf(comparison))
  }
  for (const kind of readingKinds) console.log(summaryOf(kind, compared))
  const [isOwn, isUnseen] = [new Set(own), new Set(unseen)]
  const areCurrent = await bandsAreCurrent(
    compared.filter(({ reading }) => isOwn.has(reading)),
    isWriting,
  )
  for (const line of unseenLines(compared.filter(one => isUnseen.has(one.reading) && isSure(one)))) console.log(line)
  const sure = compared.filter(one => one.reading.kind === 'allocated' && isSure(one))
  const held = sure.filter(({ reading }) => isUnseen.has(reading))
  const holdsUnseen = holds('of which the bands have not seen', held)
  return holds('allocated, high and medium confidence', sure) && holdsUnseen && areCurrent
}

async function compare(reading: MemoryReading, versions: LibraryVersions, engine: IsolatedEngine): Promise<Compared> {
  const pinned = Object.entries(versions).map(([library, version]) => `${library}=${version}`)
  const args = [...reading.args, ...(pinned.length === 0 ? [] : ['--versions', pinned.join(',')]), '--no-settings']
  const { subject, assessment } = await withConfigFile(reading.config, paths => estimated([...paths, ...args], engine))
  const { peakBytes, reservedBytes = peakBytes } = assessment.current
  const estimatedGiB = comparable(reading, peakBytes / GIB, reservedBytes / GIB)
  const ratio = estimatedGiB / reading.readingGiB
  const band = errorBand(subject.spec, subject.model.config)
  const percent = percentOfEstimate(ratio)
  const isInside = band.lowPercent <= percent && percent <= band.highPercent
  return { reading, estimatedGiB, ratio, band, isInside }
}

function comparable({ kind, contextGiB = CONTEXT_GIB }: MemoryReading, allocated: number, reserved: number): number {
  switch (kind) {
    case 'allocated':
      return allocated
    case 'reserved':
      return reserved
    case 'nvml':
      return reserved + contextGiB
  }
}

/** Of the bands' classes and of what was read, as the sum of all hides where the bands are too narrow. */
function unseenLines(unseen: readonly Compared[]): string[] {
  const groups = Map.groupBy(unseen, ({ reading, band }) => `${reading.kind}, ${band.of}`)
  const lines = [...groups]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, some]) => {
      const inside = some.filter(({ isInside }) => isInside).length
      const percents = some.map(({ ratio }) => Math.round(percentOfEstimate(ratio))).toSorted((a, b) => a - b)
      return `  ${inside} of ${some.length} inside  ${name}: ${percents.join(' ')} % of the estimate`
    })
  return ['memory that the bands have not seen, of high and medium confidence, by what was read and class:', ...lines]
}

function lineOf({ reading, estimatedGiB, ratio, band, isInside }: Compared): string {
  const figures = [reading.readingGiB, estimatedGiB].map(gib => gib.toFixed(2).padStart(6)).join(' ')
  const cause = isInside ? '' : `; ${reading.cause ?? reading.note ?? 'cause unknown'}`
  const side = isInside ? 'inside ' : 'outside'
  return `${reading.kind.padEnd(9)} ${figures}  ×${ratio.toFixed(3)} ${band.lowPercent} to +${band.highPercent} % ${side} ${reading.confidence.padEnd(6)} ${reading.setup} (${reading.source})${cause}`
}

function summaryOf(kind: ReadingKind, all: readonly Compared[]): string {
  const ofKind = all.filter(({ reading }) => reading.kind === kind)
  const [sure, doubtful] = [ofKind.filter(isSure), ofKind.filter(one => !isSure(one))]
  return `${kind}: high and medium confidence: ${figuresOf(sure)}; low: ${figuresOf(doubtful)}`
}

function figuresOf(compared: readonly Compared[]): string {
  const inside = compared.filter(({ isInside }) => isInside).length
  return `${compared.length} readings, median ${medianPercent(compared).toFixed(1)} % off, ${inside} inside their band`
}

function isSure({ reading }: Compared): boolean {
  return reading.confidence !== 'low'
}

function medianPercent(compared: readonly Compared[]): number {
  const errors = compared.map(({ ratio }) => Math.abs(ratio - 1) * 100).toSorted((a, b) => a - b)
  return errors[Math.floor(errors.length / 2)] ?? 0
}

function holds(which: string, compared: readonly Compared[]): boolean {
  const inside = compared.filter(({ isInside }) => isInside).length / compared.length
  const median = medianPercent(compared)
  const isGood = median <= LIMITS.medianPercent && inside >= LIMITS.insideShare
  console.log(
    `${which}: ${compared.length} readings, median ${median.toFixed(2)} % (at most ${LIMITS.medianPercent}), ` +
      `${(inside * 100).toFixed(0)} % inside (at least ${LIMITS.insideShare * 100}): ${isGood ? 'holds' : 'falls short'}`,
  )
  return isGood
}
